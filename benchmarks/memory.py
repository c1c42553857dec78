"""Measure the memory of an audit by the number of its records.

usage: python -m benchmarks.memory [ROWS...]

Audits this many rows (by default 10^3 to 10^6) without a store and with one, and prints
the peak memory of `matesolve verify` and its rows per second. Without a store the rows
are mates in one; with a store there are also mates in two, because each position is
searched once. Each row has its own id. The transposition table always has the same size
and is included in the memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from tests import processes

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[1]
PUZZLES = ROOT / "puzzles"
ROWS = (1_000, 10_000, 100_000, 1_000_000)
HASH_MIB = 16
TIMEOUT_S = 3600.0
"""Longer than any audit."""


def make(target: Path, source_names: Sequence[str], number: int) -> None:
    """Write rows of the project's puzzles, repeated under new ids."""
    lines = [
        line.partition(" id ")[0]
        for name in source_names
        for line in (PUZZLES / name).read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    with target.open("w", encoding="utf-8") as file:
        for row, line in zip(range(number), cycle(lines), strict=False):
            file.write(f'{line} id "row-{row}";\n')


def peak_mib(*words: str) -> float:
    """Run `matesolve verify` and return its peak memory in MiB."""
    with processes.started(
        [sys.executable, "-m", "solver", "verify", "--hash", str(HASH_MIB), *words],
        patience_s=TIMEOUT_S,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as running:
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0, f"matesolve verify ended with {running.returncode}"
    return usage.ru_maxrss / 1024


def measure(numbers: Sequence[int], folder: Path) -> None:
    """Print a line for each number of rows."""
    print(f"{'rows':>9}  {'without a store':>24}  {'with a store':>24}")
    easy, mixed = ["generated-1.epd"], ["generated-1.epd", "generated-2.epd"]
    for number in numbers:
        line = f"{number:9,}"
        for names, store in ((easy, None), (mixed, folder / f"{number}.db")):
            collection = folder / "rows.epd"
            make(collection, names, number)
            options = () if store is None else ("--store", str(store))
            started = time.perf_counter()
            peak = peak_mib(str(collection), *options)
            rate = number / (time.perf_counter() - started)
            line += f"  {peak:8.1f} MiB {rate:9,.0f}/s"
        print(line, flush=True)


def main() -> None:
    """Measure the numbers of rows on the command line, or all."""
    with tempfile.TemporaryDirectory() as folder:
        measure([int(word) for word in sys.argv[1:]] or ROWS, Path(folder))


if __name__ == "__main__":
    main()
