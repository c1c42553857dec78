"""Split a PGN file into games and follow the main line of each.

Lines with a tag decide where a game begins, so a damaged game does not affect the next
one. Python-chess reads the tags and plays the moves that `solver.movetext` finds.
"""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

import chess
import chess.pgn

from solver.board import find_move, parse_fen
from solver.errors import InputError, quote
from solver.formats.streams import MAX_RECORD_BYTES, Lines, decode
from solver.movetext import Kind, Part, read_movetext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


RESULTS = {"1-0": 1.0, "1/2-1/2": 0.5, "1/2": 0.5, "0-1": 0.0}
"""White's score for each result of PGN and EPD."""

UNFINISHED = "*"
"""The result of a game that was not finished."""

Result = TypeVar("Result")

_TAG = re.compile(rb'\[[0-9A-Za-z][^\s"]*\s+"')
_FIRST_TAG = b"[Event "
_COMMENT_MARKS = (b"%", b";")
_ENDED = re.compile(rb"(?:\A|\s)(?:1-0|0-1|1/2-1/2|\*)\s*\Z")
_MOVETEXT = re.compile(r"^[^\[%;]", re.MULTILINE)
_ORTHODOX = frozenset(alias.lower() for alias in chess.Board.aliases)


def split_games(lines: Lines) -> Iterator[tuple[int, bytes]]:
    """Split a PGN file into games.

    Parameters
    ----------
    lines : iterable of tuple
        Number and bytes of each line.

    Yields
    ------
    tuple
        The line where a game begins, and its lines without the blank ones; if it is too
        long, only the beginning. A game ends before a tag that follows moves, and
        before the next `Event` tag; without tags, at a blank line after its result.
    """
    game: list[bytes] = []
    start = size = 0
    tags = moves = False
    for number, line in lines:
        is_tag = _TAG.match(line) is not None
        is_blank = not line.strip()
        if (
            (is_tag and moves)
            or (game and line.startswith(_FIRST_TAG))
            or (is_blank and moves and not tags and _ENDED.search(game[-1]))
        ):
            yield start, b"".join(game)
            game, size = [], 0
            tags = moves = False
        if is_blank or (not game and line.startswith(_COMMENT_MARKS)):
            continue
        start = start if game else number
        tags, moves = tags or is_tag, moves or not is_tag
        if size <= MAX_RECORD_BYTES:
            game.append(line)
            size += len(line)
    if game:
        yield start, b"".join(game)


def visit_game(text: bytes, visitor: Callable[[], MainLine[Result]]) -> Result:
    """Play through a game with a visitor and return the visitor's result.

    Parameters
    ----------
    text : bytes
        One game without blank lines. Moves are ASCII; names may be in any encoding.
    visitor : callable
        Creates the visitor.

    Raises
    ------
    InputError
        If the game is too long, or `MainLine` refuses it.
    """
    if len(text) > MAX_RECORD_BYTES:
        msg = (
            f"expected a game of at most {MAX_RECORD_BYTES:,} bytes, found a longer one"
        )
        raise InputError(msg)
    game = decode(text).replace("\r\n", "\n").replace("\r", "\n")
    moves = _MOVETEXT.search(game)
    start = moves.start() if moves else len(game)
    tags = chess.pgn.read_headers(io.StringIO(game[:start]))
    if tags is None and not game[start:].strip():
        msg = "expected a game in PGN, found none"
        raise InputError(msg)
    found = visitor()
    found.begin(tags or chess.pgn.Headers({}))
    for part in read_movetext(game[start:]):
        found.visit(part)
    return found.result()


class MainLine(ABC, Generic[Result]):
    """Follow the main line, and refuse anything but a game of orthodox chess.

    Other variants, illegal positions, illegal moves, words that are no moves, and moves
    after the result are refused. Variations are left out.

    Attributes
    ----------
    tags : Headers
        The `FEN` tag is normalised to six fields.
    board : chess.Board
        The position after the moves so far.
    ending : str
        The result after the moves, or empty.
    """

    def __init__(self) -> None:
        self.tags = chess.pgn.Headers({})
        self.ending = ""
        self.board = chess.Board()

    def visit_board(self, board: chess.Board) -> None:
        """Take the position at the beginning, and after each move."""

    def visit_comment(self, comment: str) -> None:
        """Take a comment."""

    @abstractmethod
    def result(self) -> Result:
        """Return what the visitor has found in the game."""

    def begin(self, tags: chess.pgn.Headers) -> None:
        """Take the tags; check the variant and the position."""
        self.tags = tags
        variant = tags.get("Variant", "Standard")
        if variant.lower() not in _ORTHODOX:
            msg = f"Variant tag: expected Standard or none, found {quote(variant)}"
            raise InputError(msg)
        if "FEN" in tags:
            self.board = parse_fen(tags["FEN"])
            tags["FEN"] = self.board.fen(en_passant="fen")
        self.visit_board(self.board)

    def visit(self, part: Part) -> None:
        """Follow a part of the movetext."""
        if part.kind is Kind.COMMENT:
            self.visit_comment(part.text.removeprefix(" ").removesuffix(" "))
        elif part.kind is Kind.RESULT:
            self.ending = part.text
        elif part.kind is not Kind.NOTATION:
            if self.ending:
                msg = f"expected nothing after {self.ending}, found {quote(part.text)}"
                raise InputError(msg)
            board = self.board
            try:
                board.push(find_move(board, "move", part))
            except InputError:
                expected = "a legal move" if part.kind is Kind.MOVE else "a move"
                number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
                msg = f"expected {expected} at {number}, found {quote(part.text)}"
                raise InputError(msg) from None
            self.visit_board(board)
