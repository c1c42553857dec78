"""Rows of Parquet, and how tests write and read them; needs pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from solver.problem import Claim, Problem
from tests.formats.whole_files import read_with, with_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from solver.errors import FormatError

FEN = "6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30"
"""After Rb2, Ra8 mates."""

AFTER = "6k1/5ppp/8/8/8/8/1r6/R5K1 w - - 5 31"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"

PUZZLE = {
    "PuzzleId": "abc12",
    "FEN": FEN,
    "Moves": "a2b2 a1a8",
    "Rating": 1500,
    "Themes": "mate mateIn1 short",
}
MATE = Problem(AFTER, "abc12", Claim(1, ("a1a8",), ("a1a8",), any_last_move=True))


def write(path: Path, rows: Sequence[Mapping[str, Any]], **options: Any) -> None:
    """Write rows that have the same columns."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    pq.write_table(pa.table(columns), path, **options)


def read(path: Path, **options: Any) -> list[Problem | FormatError]:
    """The records of a file, without the folder in their sources."""
    return [
        with_source(record, record.source.replace(str(path), "x"))
        for record in read_with(path, **options)
    ]
