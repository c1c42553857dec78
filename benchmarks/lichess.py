"""The cost of reading and selecting lichess's rows.

usage: python -m benchmarks.lichess make SAMPLE.csv OUT.csv ROWS
       python -m benchmarks.lichess mates OUT.csv ROWS [--seed N]
       python -m benchmarks.lichess time FILE

`make` repeats the rows of a sample in random order, each with its own id; the same
sample always makes the same file. `mates` writes mates in 1 to 3 in random positions,
no two the same; the same seed (1) always makes the same file, and more rows only add to
it. Either compresses the file if its name ends in .zst.

`time` reads all of a file, CSV or Parquet, and with selections that keep few rows. It
prints seconds, microseconds per row, and the peak memory of the process.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from contextlib import ExitStack
from importlib import import_module
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

from solver.errors import FormatError
from solver.files import open_whole
from solver.formats.claims import EVERYTHING, FileSummary, ReadOptions, Selection
from solver.formats.registry import read_collection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SEED = 1
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


def repeat(rows: list[str]) -> Iterator[str]:
    """Yield the rows in one random order after another, with new ids."""
    shuffler = random.Random(SEED)
    names = map(name_of, count())
    while True:
        for row in shuffler.sample(rows, len(rows)):
            yield f"{next(names)},{row.partition(',')[2]}"


def make(sample: str, target: str, number: int) -> None:
    """Write a header and a number of rows."""
    header, *rows = Path(sample).read_text(encoding="utf-8").splitlines(keepends=True)
    write(target, header, islice(repeat(rows), number))


def make_mates(target: str, number: int, seed: int) -> None:
    """Write a header and a number of mates."""
    from benchmarks.random_mates import mates

    started = time.perf_counter()
    write(target, HEADER, islice(mates(seed), number))
    seconds = time.perf_counter() - started
    print(f"{number:,} rows: {seconds:.1f} s, {seconds / number * 1e6:.0f} us per row")


def write(target: str, header: str, rows: Iterable[str]) -> None:
    """Write a file of CSV, with Zstandard if its name says so."""
    with open_whole(target) as file, ExitStack() as closing:
        if target.endswith(".zst"):
            compressor = import_module("zstandard").ZstdCompressor()
            file = closing.enter_context(compressor.stream_writer(file, closefd=False))  # noqa: PLW2901
        file.write(header.encode())
        for row in rows:
            file.write(row.encode())


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
        case ["make", sample, target, number]:
            make(sample, target, int(number))
        case ["mates", target, number]:
            make_mates(target, int(number), SEED)
        case ["mates", target, number, "--seed", seed]:
            make_mates(target, int(number), int(seed))
        case ["time", path]:
            measure(path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
