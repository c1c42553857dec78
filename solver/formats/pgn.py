"""Read a PGN file one game at a time: its main line, and the men on the board.

python-chess plays the moves. Where a game begins is decided here, by the lines that
have a tag, so that a damaged game costs itself only. Variations and comments are passed
over.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import chess
import chess.pgn

from solver.errors import InputError
from solver.formats.encoding import decode
from solver.formats.fen import parse_fen
from solver.formats.game_position import MAX_RECORD_BYTES, RESULTS, UNFINISHED
from solver.formats.wording import quote
from solver.laboratory.material import Material, count_men

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
"""A comment, and whether anything stands behind it on its line."""
_ORTHODOX = frozenset(alias.lower() for alias in chess.Board.aliases)


class GameText(NamedTuple):
    """One game as it stands in the file.

    Attributes
    ----------
    line : int
        Where it begins, from 1.
    text : bytes
        Its lines, without the blank ones; of a game that is too long, the beginning.
    """

    line: int
    text: bytes


class Game(NamedTuple):
    """What is counted of a game.

    Attributes
    ----------
    materials : list of Material
        The men on the board before the first move and after each.
    result : float or None
        1 if White won, 0.5 for a draw, 0 if Black won; None if it has no result.
    """

    materials: list[Material]
    result: float | None


def split_games(lines: Iterable[tuple[int, bytes]]) -> Iterator[GameText]:
    """Cut a PGN file into its games.

    Parameters
    ----------
    lines : iterable of tuple
        Number and bytes of each line.

    Yields
    ------
    GameText
        A game ends where a line with a tag follows one with moves, or where the next
        `Event` tag stands. Without tags, a blank line behind a result does.
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
            yield GameText(start, b"".join(game))
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
        yield GameText(start, b"".join(game))


def parse_game(text: bytes) -> Game:
    """Play a game.

    Parameters
    ----------
    text : bytes
        One game without blank lines. Moves are ASCII; names may be in any encoding.

    Returns
    -------
    Game
        Its main line, from the position of its `FEN` tag if it has one.

    Raises
    ------
    InputError
        If it is too long, is another game than orthodox chess, begins with a position
        that is none, has an illegal move, or has two results.
    """
    return visit_game(text, _Count)


def visit_game(text: bytes, visitor: Callable[[], MainLine[Result]]) -> Result:
    """Play a game before a visitor.

    Parameters
    ----------
    text : bytes
        One game without blank lines. Moves are ASCII; names may be in any encoding.
    visitor : callable
        Makes the visitor, whose result is given.

    Raises
    ------
    InputError
        If it is too long, or what `MainLine` refuses.
    """
    if len(text) > MAX_RECORD_BYTES:
        msg = f"expected a game of at most {MAX_RECORD_BYTES} bytes, found a longer one"
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
    """End each line behind a comment, since python-chess copies all the rest of it.

    The next line begins with a space: it is no escape and no comment.
    """
    moves = _MOVETEXT.search(text)
    start = moves.start() if moves else len(text)
    return text[:start] + _COMMENT.sub(_break_line, text[start:])


def _break_line(found: re.Match[str]) -> str:
    return f"{found[0]}\n " if found["more"] else found[0]


class MainLine(chess.pgn.BaseVisitor[Result]):
    """Follows the main line, and refuses what is no game of orthodox chess.

    That is another variant, a position that is none, an illegal move, or moves behind
    the result.

    Attributes
    ----------
    tags : Headers
        The FEN among them has six fields, in the order of the standard.
    ending : str
        The result behind the moves, or empty.
    """

    def __init__(self) -> None:
        self.tags = chess.pgn.Headers({})
        self.ending = ""

    def begin_headers(self) -> chess.pgn.Headers:
        """Give the tags, which python-chess asks for the position."""
        return self.tags

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        """Keep a tag."""
        self.tags[tagname] = tagvalue

    def end_headers(self) -> None:
        """Check variant and position."""
        variant = self.tags.get("Variant", "Standard")
        if variant.lower() not in _ORTHODOX:
            msg = f"Variant tag: expected Standard or none, found {quote(variant)}"
            raise InputError(msg)
        if "FEN" in self.tags:
            self.tags["FEN"] = parse_fen(self.tags["FEN"]).fen(en_passant="fen")

    def begin_variation(self) -> chess.pgn.SkipType:
        """Pass over a variation."""
        return chess.pgn.SKIP

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        """Read a move that is legal and stands before the result."""
        if self.ending:
            msg = f"expected the end behind {self.ending}, found {quote(san)}"
            raise InputError(msg)
        try:
            move = board.parse_san(san)
        except ValueError:
            move = chess.Move.null()
        if not move:  # python-chess reads -- as passing, which is no move of a game
            number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
            msg = f"expected a legal move at {number}, found {quote(san)}"
            raise InputError(msg)
        return move

    def visit_result(self, result: str) -> None:
        """Keep the result."""
        self.ending = result


class _Count(MainLine[Game]):
    """Counts the men at each ply."""

    def __init__(self) -> None:
        super().__init__()
        self._materials: list[Material] = []

    def visit_board(self, board: chess.Board) -> None:
        self._materials.append(count_men(board))

    def result(self) -> Game:
        told = [self.tags.get("Result", UNFINISHED), self.ending]
        results = {RESULTS[word] for word in told if word in RESULTS}
        if len(results) > 1:
            msg = f"expected one result, found {told[0]} in the tag and {told[1]} below"
            raise InputError(msg)
        return Game(self._materials, results.pop() if results else None)
