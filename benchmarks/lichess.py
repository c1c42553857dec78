"""The cost of reading and selecting lichess's rows.

usage: python -m benchmarks.lichess mates OUT.csv ROWS [SEED]
       python -m benchmarks.lichess time FILE

`mates` writes mates in 1 to 3 in random positions, no two the same; the same seed (1)
always makes the same file, and more rows only add to it. The file is compressed if its
name ends in .zst.

`time` reads all of a file, CSV or Parquet, and with selections that keep few rows. It
prints seconds, microseconds per row, and the peak memory of the process.
"""

from __future__ import annotations

import resource
import sys
import time
from contextlib import ExitStack
from importlib import import_module
from itertools import islice

from solver.errors import FormatError
from solver.files import open_whole
from solver.formats.claims import EVERYTHING, FileSummary, ReadOptions, Selection
from solver.formats.registry import read_collection

HEADER = (
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,"
    "OpeningTags\n"
)
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

SELECTIONS = {
    "--min-claim 5": Selection(min_claim=5),
    "--theme smotheredMate": Selection(theme="smotheredMate"),
    "--min-rating 2500": Selection(min_rating=2500),
    "--theme mateIn1 --min-rating 1500": Selection(theme="mateIn1", min_rating=1500),
    "all mates": EVERYTHING,
}


def name_of(number: int) -> str:
    """Five digits, as in lichess's ids."""
    letters = []
    for _ in range(5):
        number, digit = divmod(number, len(DIGITS))
        letters.append(DIGITS[digit])
    return "".join(reversed(letters))


def make_mates(target: str, number: int, seed: int = 1) -> None:
    """Write a header and a number of mates."""
    from benchmarks.random_mates import mates

    started = time.perf_counter()
    with open_whole(target) as file, ExitStack() as closing:
        if target.endswith(".zst"):
            compressor = import_module("zstandard").ZstdCompressor()
            file = closing.enter_context(compressor.stream_writer(file, closefd=False))  # noqa: PLW2901
        file.write(HEADER.encode())
        for row in islice(mates(seed), number):
            file.write(row.encode())
    seconds = time.perf_counter() - started
    print(f"{number:,} rows: {seconds:.1f} s, {seconds / number * 1e6:.0f} us per row")


def measure(path: str) -> None:
    """Read the file once for each selection."""
    for name, selection in SELECTIONS.items():
        summary = FileSummary()
        started = time.perf_counter()
        records = read_collection(path, ReadOptions(selection=selection), summary)
        assert not any(isinstance(record, FormatError) for record in records)
        seconds = time.perf_counter() - started
        rows = summary.records + summary.not_selected
        memory_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{name:34} {rows:,} rows, {summary.records:,} kept: {seconds:.2f} s, "
            f"{seconds / max(rows, 1) * 1e6:.2f} us per row, {memory_mib:.1f} MiB"
        )


def main() -> None:
    """Make a file, or time one."""
    match sys.argv[1:]:
        case ["mates", target, number, *seed] if len(seed) < 2:
            make_mates(target, int(number), *map(int, seed))
        case ["time", path]:
            measure(path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
