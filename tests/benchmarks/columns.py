"""Rows per second of columns and of audits of easy problems, on one core.

usage: python -m tests.benchmarks.columns mate-in-2.epd [ROWS]

Repeats the positions of an EPD file to a number of rows (by default 10^6). Each task
runs in a separate process; the output is its rows per second and its peak memory.
`solve_many` and `grade_many` get lists; `verify` reads EPD, and includes its start.
"""

from __future__ import annotations

import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from solver import Status, grade_many, solve_many
from tests import processes
from tests.benchmarks.memory import TIMEOUT_S, peak_mib

MODULE = "tests.benchmarks.columns"
ROWS = 1_000_000
GRADED = 100_000
"""Rows that are graded: each has an object for its answer."""

MOVES = 2
TASKS = ("solve", "keys", "grade", "verify", "store")


def rows_of(path: str, number: int) -> list[str]:
    """Return the lines of a file, repeated to a number of rows."""
    lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    return list(islice(cycle(lines), number))


def run(task: str, path: str, number: int) -> None:
    """Run a task on rows that were made before the clock starts; print its rate."""
    fens = [" ".join(row.split()[:4]) for row in rows_of(path, number)]
    if task == "grade":
        fens = fens[:GRADED]
        lines = list(solve_many(fens, max_moves=MOVES, keys=False).pv)
        started = time.perf_counter()
        assert all(answer.is_right for answer in grade_many(fens, lines, MOVES))
        print(f"{len(fens) / (time.perf_counter() - started):,.0f} rows/s")
        return
    solve_many(fens[:1], max_moves=MOVES)  # loads the kernel
    started = time.perf_counter()
    table = solve_many(fens, max_moves=MOVES, keys=task == "keys")
    rate = number / (time.perf_counter() - started)
    assert set(table.status.tolist()) == {Status.PROVED}
    print(f"{rate:,.0f} rows/s")


def measure(path: str, number: int) -> None:
    """Run each task and print its line."""
    with tempfile.TemporaryDirectory() as folder:
        collection = Path(folder, "rows.epd")
        collection.write_text("".join(rows_of(path, number)), encoding="utf-8")
        for task in TASKS:
            if task in {"verify", "store"}:
                store = Path(folder, "rows.db")
                options = ("--store", str(store)) if task == "store" else ()
                started = time.perf_counter()
                peak = peak_mib(str(collection), *options)
                rate = number / (time.perf_counter() - started)
                print(f"{task:8} {rate:,.0f} rows/s, {peak:.0f} MiB", flush=True)
                continue
            words = [sys.executable, "-m", MODULE, path, str(number), task]
            done = processes.run(words, patience_s=TIMEOUT_S, check=True)
            print(f"{task:8} {done.stdout.strip()}", flush=True)


def main() -> None:
    """Measure, or run one task."""
    match sys.argv[1:]:
        case [path]:
            measure(path, ROWS)
        case [path, number]:
            measure(path, int(number))
        case [path, number, task]:
            run(task, path, int(number))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
