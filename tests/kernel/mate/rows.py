"""Rows of a batch made of texts, and what the kernel reads in them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.border import query_struct
from solver.kernel.border.search_struct import Search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.kernel.border.interface import Kernel


class Question(NamedTuple):
    """What a row is to be read from."""

    fen: str
    line: str = ""
    played: int = 0
    uci_only: bool = False
    black: bool = False


class Reading(NamedTuple):
    """What a row was read as."""

    words: bytes
    black: bool
    en_passant: int | None
    clock: int
    number: int
    fen: str
    line: str


class Rows:
    """Rows, the memory of their texts, and a `Search` to read them with."""

    def __init__(
        self, questions: Sequence[Question], text_size: int | None = None
    ) -> None:
        self.rows = (query_struct.Query * len(questions))()
        texts = [(q.fen.encode(), q.line.encode()) for q in questions]
        # Each text ends where another begins, so that reading beyond it shows.
        self._texts = ctypes.create_string_buffer(b"".join(map(b"".join, texts)))
        place = ctypes.addressof(self._texts)
        for row, question, (fen, line) in zip(self.rows, questions, texts, strict=True):
            row.fen, row.fen_size = place, len(fen)
            row.line, row.line_size = place + len(fen), len(line)
            row.played, row.uci_only = question.played, question.uci_only
            row.black = question.black
            place += len(fen) + len(line)
        if text_size is None:
            text_size = len(self._texts) * query_struct.MOVE_TEXT_BYTES
            text_size += len(questions) * query_struct.FEN_TEXT_BYTES
        self.written = ctypes.create_string_buffer(text_size)
        self.search = Search(
            text=ctypes.addressof(self.written), text_size=len(self.written)
        )

    def read(self, kernel: Kernel, start: int = 0) -> int:
        """Read the rows from `start` on; return the first that was not read."""
        return kernel.read_rows(self.rows, self.search, start, len(self.rows))

    def reading(self, index: int) -> Reading | None:
        """Return what a row was read as; None if it was refused."""
        row = self.rows[index]
        if row.state == query_struct.QueryState.REFUSED:
            return None
        assert row.state == query_struct.QueryState.READ
        return Reading(
            bytes(row.position),
            bool(row.black),
            None if row.en_passant < 0 else row.en_passant,
            row.clock,
            row.number,
            self._text(row.fen_at, row.fen_written),
            self._text(row.line_at, row.line_written),
        )

    def _text(self, at: int, size: int) -> str:
        return ctypes.string_at(ctypes.addressof(self.written) + at, size).decode()


def read_all(kernel: Kernel, questions: Sequence[Question]) -> list[Reading | None]:
    """Read all rows in one call."""
    rows = Rows(questions)
    assert rows.read(kernel) == len(questions)
    return [rows.reading(index) for index in range(len(questions))]
