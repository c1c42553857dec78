"""The position that a record gives, and the moves that it gives there.

What is plainly correct is read in compiled code, if the kernel is loaded: that takes
a tenth of the time. Anything else is left to the strict readers in `fen` and `claims`,
which explain the fault; both read the same.
"""

from __future__ import annotations

import ctypes
import threading
from functools import cached_property
from typing import TYPE_CHECKING

from solver.formats.claims import parse_keys, parse_line
from solver.formats.fast_fen import format_fen
from solver.formats.fen import parse_fen
from solver.kernel.border.memory import Row, RowState, Search
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import loaded_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

TEXT_BYTES = 4096
"""Room for a FEN and a line of 300 plies; longer ones are left to the strict reader."""


class GivenPosition:
    """The position of a record.

    Parameters
    ----------
    text : str
        A FEN of one, two, four or six fields.
    side : chess.Color
        The side to move if the FEN does not say.

    Attributes
    ----------
    fen : str
        The position's FEN, with six fields.
    names_side : bool
        Whether the text says who is to move.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess.
    """

    def __init__(self, text: str, side: chess.Color = True) -> None:  # noqa: FBT002
        self._text = text
        self._side = side
        self.names_side = len(text.split()) > 1
        plain = read_plainly(text, black=not side)
        self._is_plain = plain is not None
        self.fen = plain[0] if plain else format_fen(self.board)

    @cached_property
    def board(self) -> chess.Board:
        """The position on a board."""
        return parse_fen(self._text, self._side)

    def keys(self, name: str, words: Sequence[str]) -> tuple[str, ...]:
        """Read first moves; see `solver.formats.claims.parse_keys`."""
        keys = [move for word in words for move in self._line([word]) or ()]
        if len(keys) == len(words):
            return tuple(dict.fromkeys(keys))
        return parse_keys(self.board, name, words)

    def line(self, name: str, words: Sequence[str]) -> tuple[str, ...]:
        """Read a line of moves; see `solver.formats.claims.parse_line`."""
        line = self._line(words)
        return parse_line(self.board, name, words) if line is None else line

    def _line(self, words: Sequence[str]) -> tuple[str, ...] | None:
        """Read a line in compiled code; None if that is not possible."""
        plain = read_plainly(self.fen, " ".join(words)) if self._is_plain else None
        line = tuple(plain[1].split()) if plain else ()
        return line if len(line) == len(words) else None


def read_plainly(
    fen: str,
    line: str = "",
    *,
    black: bool = False,
    played: int = 0,
    uci_only: bool = False,
) -> tuple[str, str] | None:
    """Read a FEN and a line of moves in compiled code.

    Parameters
    ----------
    fen : str
        A FEN of one, two, four or six fields.
    line : str
        Moves in UCI or SAN, separated by spaces.
    black : bool
        Whether Black is to move if the FEN does not say.
    played : int
        How many moves come before the position in question.
    uci_only : bool
        Refuse moves in SAN; castling is a move of the king by two squares.

    Returns
    -------
    fen : str
        The position after the played moves, with six fields.
    line : str
        The other moves in UCI notation.

    None if the kernel is not loaded, or if the strict reader is to decide.
    """
    if (build := loaded_part(SEARCH)) is None:
        return None
    # A local name keeps it alive: when the interpreter ends, it frees what belongs to
    # threads, although a daemon thread may still be reading.
    memory = _OWN.memory
    row, search, text = memory.row, memory.search, memory.text
    given, moves = fen.encode(errors="replace"), line.encode(errors="replace")
    if len(given) + len(moves) > TEXT_BYTES:
        return None
    ctypes.memmove(row.fen, given + moves, len(given) + len(moves))
    row.fen_size, row.line_size = len(given), len(moves)
    row.line = row.fen + len(given)
    row.black, row.played, row.uci_only = black, played, uci_only
    search.text_written = 0
    is_read = build.kernel.read_rows(memory.rows, search, 0, 1)
    if not is_read or row.state != RowState.READ:
        return None
    written = str(text[: search.text_written], "ascii")
    return written[: row.line_at], written[row.line_at :]


class _Memory:
    """A row, and memory for its texts."""

    def __init__(self) -> None:
        self._given = ctypes.create_string_buffer(TEXT_BYTES)
        self._written = ctypes.create_string_buffer(TEXT_BYTES)
        self.rows = (Row * 1)()
        self.row = self.rows[0]
        self.row.fen = ctypes.addressof(self._given)
        self.text = memoryview(self._written)
        self.search = Search(text=ctypes.addressof(self._written), text_size=TEXT_BYTES)


class _Own(threading.local):
    """The memory of the calling thread."""

    def __init__(self) -> None:
        self.memory = _Memory()


_OWN = _Own()
