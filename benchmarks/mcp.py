"""How soon `matesolve mcp` starts and answers.

    python -m benchmarks.mcp [--starts N] [--calls N]

A client sends JSON through a pipe: it starts servers one after the other and waits for
the answer to `initialize`, then calls `solve` with a mate in 2. Prints medians and what
19 of 20 do not exceed. Every answer is checked. Modules are compiled to `.pyc` files,
and the search is, before anything is measured.
"""

from __future__ import annotations

import argparse
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.start import environment
from tests.mcp.raw import connected
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Sequence

FEN = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"


def start_times(starts: int) -> list[float]:
    """Return the seconds from starting a process to the answer to `initialize`."""
    times = []
    for _ in range(starts):
        begun = time.perf_counter()
        with connected(PYTHONDONTWRITEBYTECODE=""):
            times.append(time.perf_counter() - begun)
    return times


def call_times(calls: int) -> list[float]:
    """Return the seconds of calls through a pipe, after `tools/list` and a call."""
    times = []
    with connected(PYTHONDONTWRITEBYTECODE="") as client:
        client.answer(client.request("tools/list"))
        for _ in range(calls + 1):
            begun = time.perf_counter()
            record = client.solve(FEN)
            times.append(time.perf_counter() - begun)
            assert record["mate"] == 2
    return times[1:]


def describe(times: Sequence[float]) -> str:
    """Return the median, and the time that 19 of 20 do not exceed."""
    late = sorted(times)[int(0.95 * (len(times) - 1))]
    return f"median {1000 * median(times):.1f} ms, 95% within {1000 * late:.1f} ms"


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--calls", type=int, default=200)
    chosen = parser.parse_args()
    words = [sys.executable, "-m", "solver", "warmup"]
    run(words, check=True, env=environment())
    start_times(1)
    print(f"initialize: {describe(start_times(chosen.starts))}")
    print(f"solve, through a pipe: {describe(call_times(chosen.calls))}")


if __name__ == "__main__":
    main()
