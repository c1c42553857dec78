"""Write problems in any format that can be written."""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.problem import Problem

_WRITERS = {
    "epd": ("epd", "write_epd"),
    "fen": ("fen", "write_fen"),
    "pgn": ("pgn_problems", "write_pgn"),
    "jsonl": ("jsonl", "write_jsonl"),
    "csv": ("own_csv", "write_csv"),
    "popeye": ("popeye", "write_popeye"),
}
"""Module and function, loaded when such a file is to be written.

Where a module has `HEAD`, `SEPARATOR` or `TAIL`, these stand before the first problem,
between any two and behind the last.
"""

WRITABLE = tuple(_WRITERS)
"""The formats that problems can be written in."""

_SUFFIXES = {
    ".epd": "epd",
    ".fen": "fen",
    ".pgn": "pgn",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".inp": "popeye",
}
GZIPPED = ".gz"
"""Ends the name of a file that is to be compressed."""


class Writer(NamedTuple):
    """What makes the text of a file.

    Attributes
    ----------
    write : callable
        Gives the text of one problem; raises InputError where the format cannot say it.
    head, separator, tail : str
        Stand before the first problem, between any two, and behind the last.
    """

    write: Callable[[Problem], str]
    head: str
    separator: str
    tail: str


def find_writer(target_format: str) -> Writer:
    """Give the writer of a format, one of `WRITABLE`."""
    module_name, function = _WRITERS[target_format]
    module = import_module(f"solver.formats.{module_name}")
    frame = (getattr(module, name, "") for name in ("HEAD", "SEPARATOR", "TAIL"))
    return Writer(getattr(module, function), *frame)


def format_of(path: str) -> str | None:
    """Tell by its name, and a `.gz` behind it, in which format a file is to be.

    Returns
    -------
    str or None
        One of `WRITABLE`; None where the name does not tell.
    """
    return _SUFFIXES.get(PurePath(path.removesuffix(GZIPPED)).suffix)
