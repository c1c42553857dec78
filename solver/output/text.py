"""Answers as text for people.

`describe` puts an answer into sentences.
`lettered_board` draws a board for any terminal, `painted_board` for one with 256
colours.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.board import first_moves
from solver.formats.claims import printable
from solver.solution import Solution, Stats, Status, StoppedBy
from solver.stipulations import kind_of
from solver.stipulations.kind import mover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

_GLUE = "\N{NO-BREAK SPACE}"
"""Joins a move to its number, so that no line is broken between them."""

_STYLES = {
    Status.PROVED: "bold green",
    Status.FOUND: "bold magenta",
    Status.DISPROVED: "bold red",
    Status.UNDECIDED: "bold magenta",
}

_LIMITS = {
    StoppedBy.TIME: "the time limit",
    StoppedBy.NODES: "the node limit",
    StoppedBy.SOLUTIONS: "the requested number of solutions",
    StoppedBy.INTERRUPT: "an interrupt",
    StoppedBy.CRASH: "a crash",
    StoppedBy.TABLEBASE: "the tablebase result",
}

MAX_LISTED = 20
"""At most this many alternative moves are listed; records have all."""


class Sentence(NamedTuple):
    """One paragraph of an answer.

    Attributes
    ----------
    text : str
        The paragraph in one line.
    style : str
        Its style in rich.
    """

    text: str
    style: str = ""

    def lines(self, width: int | None = None) -> list[str]:
        """Break the paragraph into lines.

        Parameters
        ----------
        width : int or None
            Characters per line; None: one line of any length.
        """
        broken = [self.text]
        if width is not None:
            # A word that is too long, such as a FEN, stays whole for copying.
            broken = textwrap.wrap(
                self.text,
                width,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        return [line.replace(_GLUE, " ") for line in broken]


def describe(solution: Solution, *, uci: bool = False) -> list[Sentence]:
    """Describe an answer in sentences.

    Parameters
    ----------
    solution : Solution
        The answer.
    uci : bool
        Write moves in UCI notation instead of SAN.

    Returns
    -------
    list of Sentence
        The position, the restriction, the mate, its line, its keys, what is proved,
        what stopped the search, and its cost. Empty sentences are left out.
    """
    kind = kind_of(solution.problem.stipulation)
    sentences = [
        Sentence(_name(solution), "dim"),
        Sentence(_position(solution.problem.fen), "dim"),
        Sentence(_restriction(solution), "dim"),
        Sentence(kind.headline(solution), _STYLES[solution.status]),
        Sentence(_line(solution, uci=uci)),
        Sentence(_keys(solution, uci=uci)),
        Sentence(kind.proof(solution)),
        Sentence(_stop(solution)),
        Sentence(_cost(solution.stats), "dim"),
    ]
    return [sentence for sentence in sentences if sentence.text]


def _name(solution: Solution) -> str:
    id_, fen = solution.problem.id, solution.problem.fen
    name = printable(id_) if id_ else ""
    return f"{name}: {fen}" if name else ""


def _position(fen: str) -> str:
    _, _, castling, en_passant, *_ = fen.split()
    rights = f", castling {castling}" if castling != "-" else ""
    target = f", en passant {en_passant}" if en_passant != "-" else ""
    return f"{mover(fen)} to move{rights}{target}"


def _restriction(solution: Solution) -> str:
    restriction = solution.restriction
    return f"Restricted: {restriction.words()}" if restriction else ""


def _line(solution: Solution, *, uci: bool) -> str:
    kind = kind_of(solution.problem.stipulation)
    line = kind.main_line(solution)
    if uci:
        return " ".join(line)
    turns = kind.numbered_line(solution.problem.fen, line)
    return " ".join(turn.replace(" ", _GLUE) for turn in turns)


def _keys(solution: Solution, *, uci: bool) -> str:
    keys = solution.keys
    if not uci:
        keys = tuple(first_moves(solution.problem.fen, keys))
    names = listed(keys)
    match len(keys), solution.keys_complete:
        case 0, _:
            return ""
        case 1, True:
            return f"Only key: {names}"
        case count, True:
            return f"All {count} keys: {names}"
        case 1, False:
            return f"Key: {names} (there may be others)"
    return f"Keys: {names} (there may be others)"


def _stop(solution: Solution) -> str:
    if solution.stopped_by is None:
        return ""
    return f"Stopped by {_LIMITS[solution.stopped_by]}."


def _cost(stats: Stats) -> str:
    nodes = "1 node" if stats.nodes == 1 else f"{stats.nodes:,} nodes"
    return f"{nodes} in {duration(stats.time_s)}"


def duration(seconds: float) -> str:
    """Write a time in milliseconds, seconds or minutes."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s"


def listed(moves: Sequence[str]) -> str:
    """Join alternative moves by commas; count the rest of very many."""
    more = len(moves) - MAX_LISTED
    names = ", ".join(moves[:MAX_LISTED])
    return f"{names} and {more} more" if more > 0 else names


def analysis_link(fen: str) -> str:
    """Return the URL of a position on lichess's analysis board."""
    return "https://lichess.org/analysis/standard/" + fen.replace(" ", "_")


def lettered_board(fen: str) -> list[str]:
    """Draw a board in ASCII: letters as in a FEN, dots for empty squares.

    Letters distinguish the sides on any background; outlined and filled figurines do
    not, because filled ones look white on a dark background.

    Parameters
    ----------
    fen : str
        The position.

    Returns
    -------
    list of str
        Nine lines without line ends; White is at the bottom.
    """
    ranks = str(chess.Board(fen)).splitlines()
    rows = [f"{8 - row} {rank}" for row, rank in enumerate(ranks)]
    return [*rows, "  " + " ".join(chess.FILE_NAMES)]


# Numbers in the 256-colour palette, above the first 16, which themes change. Pieces of
# both colours have a contrast of at least 3 to 1 on squares of both colours.
_SQUARES = {chess.WHITE: 103, chess.BLACK: 60}
_PIECES = {chess.WHITE: 231, chess.BLACK: 16}

_COORDINATES = "dim"


def painted_board(fen: str) -> Text:
    """Draw a board in colours that are the same on dark and light backgrounds.

    Parameters
    ----------
    fen : str
        The position.

    Returns
    -------
    rich.text.Text
        Nine lines; White is at the bottom. Needs 256 colours.
    """
    from rich.text import Text

    board = chess.Board(fen)
    drawing = Text()
    for rank in reversed(range(8)):
        drawing.append(f"{rank + 1} ", _COORDINATES)
        for square in range(8 * rank, 8 * rank + 8):
            drawing.append(*_painted_square(board.piece_at(square), square))
        drawing.append("\n")
    drawing.append(
        "  " + "".join(f" {name} " for name in chess.FILE_NAMES), _COORDINATES
    )
    return drawing


def _painted_square(piece: chess.Piece | None, square: chess.Square) -> tuple[str, str]:
    """Return the three characters of a square, and their style."""
    light = bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square])
    background = f"on color({_SQUARES[light]})"
    if piece is None:
        return "   ", background
    # Both sides use the filled figurine; their colours distinguish them.
    figurine = chess.UNICODE_PIECE_SYMBOLS[chess.piece_symbol(piece.piece_type)]
    return f" {figurine} ", f"bold color({_PIECES[piece.color]}) {background}"
