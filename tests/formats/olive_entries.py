"""Entries of Olive's collections, and how the tests read them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from solver.formats.claims import FileSummary
from solver.formats.olive import read_olive
from solver.problem import Problem

if TYPE_CHECKING:
    from solver.errors import FormatError

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
PIECES = "algebraic: {white: [Kg1, Ra2, Rb1], black: [Kh8]}\n"
GOOD = PIECES + 'stipulation: "#2"\n'


def read(text: str | bytes) -> list[Problem | FormatError]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(
        read_olive(enumerate(io.BytesIO(raw), start=1), FileSummary("dir/x.olv"))
    )


def read_one(text: str | bytes) -> Problem:
    (problem,) = read(text)
    assert isinstance(problem, Problem), problem
    return problem
