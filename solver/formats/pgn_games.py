"""Split a PGN file into games and follow the main line of each.

python-chess plays the moves. Lines with a tag decide where a game begins, so a damaged
game does not affect the next one. Variations and comments are ignored.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, TypeVar

import chess
import chess.pgn

from solver.board import parse_fen
from solver.errors import InputError, quote
from solver.formats.streams import MAX_RECORD_BYTES, Lines, decode

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
_COMMENT = re.compile(
    r"""\{ [^}]*+ (?: \} | \Z ) (?= [ \t]*+ (?P<more> \S?) )
         | ;.* | ^%.*""",
    re.VERBOSE | re.MULTILINE,
)
"""A comment, and the first character after it on its line, if any."""
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
    try:
        game = decode(text).replace("\r\n", "\n").replace("\r", "\n")
        lines = io.StringIO(_break_lines(game))
        found = chess.pgn.read_game(lines, Visitor=visitor)
    except ValueError as error:
        msg = f"expected a game in PGN, found {quote(str(error))}"
        raise InputError(msg) from None
    if found is None:
        msg = "expected a game in PGN, found none"
        raise InputError(msg)
    return found


def _break_lines(text: str) -> str:
    """Start a new line after each comment.

    python-chess copies the rest of the line for each comment, which is quadratic. A new
    line begins with a space, so that it is neither an escape nor a comment.
    """
    moves = _MOVETEXT.search(text)
    start = moves.start() if moves else len(text)
    return text[:start] + _COMMENT.sub(_break_line, text[start:])


def _break_line(found: re.Match[str]) -> str:
    return f"{found[0]}\n " if found["more"] else found[0]


class MainLine(chess.pgn.BaseVisitor[Result]):
    """Follow the main line, and refuse anything but a game of orthodox chess.

    Other variants, illegal positions, illegal moves, and moves after the result are
    refused.

    Attributes
    ----------
    tags : Headers
        The `FEN` tag is normalised to six fields.
    ending : str
        The result after the moves, or empty.
    """

    def __init__(self) -> None:
        self.tags = chess.pgn.Headers({})
        self.ending = ""

    def begin_headers(self) -> chess.pgn.Headers:
        """Return the tags, from which python-chess sets up the position."""
        return self.tags

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Keep a tag."""
        self.tags[tagname] = tagvalue

    def end_headers(self) -> None:
        """Check the variant and the position."""
        variant = self.tags.get("Variant", "Standard")
        if variant.lower() not in _ORTHODOX:
            msg = f"Variant tag: expected Standard or none, found {quote(variant)}"
            raise InputError(msg)
        if "FEN" in self.tags:
            self.tags["FEN"] = parse_fen(self.tags["FEN"]).fen(en_passant="fen")

    def begin_variation(self) -> chess.pgn.SkipType:
        """Skip a variation."""
        return chess.pgn.SKIP

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        """Parse a move, which must be legal and come before the result."""
        if self.ending:
            msg = f"expected nothing after {self.ending}, found {quote(san)}"
            raise InputError(msg)
        try:
            move = board.parse_san(san)
        except ValueError:
            move = chess.Move.null()
        if not move:  # python-chess reads -- as a null move
            number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
            msg = f"expected a legal move at {number}, found {quote(san)}"
            raise InputError(msg)
        return move

    def visit_result(self, result: str) -> None:
        """Keep the result."""
        self.ending = result
