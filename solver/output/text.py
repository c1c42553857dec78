"""Answers for people: sentences that tell the mate, and what is proved of it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.text import Text


# Moves as people write them: SAN, and lines with move numbers.


def first_moves(fen: str, moves: Iterable[str]) -> list[str]:
    """Write alternative first moves in SAN.

    Parameters
    ----------
    fen : str
        The position that each of them is played in.
    moves : iterable of str
        Legal moves in UCI notation.

    Returns
    -------
    list of str
        The same moves in SAN, in the same order.
    """
    board = chess.Board(fen)
    return [board.san(chess.Move.from_uci(move)) for move in moves]


def numbered_line(fen: str, moves: Iterable[str]) -> list[str]:
    """Write a line in SAN with move numbers, which begin at 1 as problems' do.

    Parameters
    ----------
    fen : str
        The position that the line begins in.
    moves : iterable of str
        Legal moves, each played after the one before, in UCI notation.

    Returns
    -------
    list of str
        One string for each number: `["1. Qe3 Kh4", "2. Qg5#"]`, or with Black to move
        `["1... Qe3", "2. Kh1 Qe1#"]`.
    """
    board = chess.Board(fen)
    line: list[str] = []
    for uci in moves:
        move = chess.Move.from_uci(uci)
        san = board.san(move)
        if board.turn == chess.WHITE:
            line.append(f"{len(line) + 1}. {san}")
        elif line:
            line[-1] += f" {san}"
        else:
            line.append(f"1... {san}")
        board.push(move)
    return line


def analysis_link(fen: str) -> str:
    """Return the URL of a position on lichess's analysis board."""
    return "https://lichess.org/analysis/standard/" + fen.replace(" ", "_")


# A board in the terminal: painted where there are colours, in letters elsewhere.

# Numbers of the 256-colour palette above its first 16, which themes leave alone. Both
# kinds of men have a contrast of at least 3 to 1 on both kinds of squares.
_SQUARES = {chess.WHITE: 103, chess.BLACK: 60}
_MEN = {chess.WHITE: 231, chess.BLACK: 16}

_COORDINATES = "dim"


def lettered_board(fen: str) -> list[str]:
    """Draw a board in ASCII: letters as in a FEN, dots for empty squares.

    Letters tell the sides apart on any background. Outlined and filled figurines do
    not: on a dark one, the filled men look white.

    Parameters
    ----------
    fen : str
        The position.

    Returns
    -------
    list of str
        Nine lines without their ends; White is at the bottom.
    """
    board = chess.Board(fen)
    rows = [
        f"{rank + 1} " + " ".join(_letter(board.piece_at(square)) for square in squares)
        for rank, squares in _ranks()
    ]
    return [*rows, "  " + " ".join(chess.FILE_NAMES)]


def painted_board(fen: str) -> Text:
    """Draw a board in colours of its own, the same on dark and light backgrounds.

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
    for rank, squares in _ranks():
        drawing.append(f"{rank + 1} ", _COORDINATES)
        for square in squares:
            drawing.append(*_painted_square(board.piece_at(square), square))
        drawing.append("\n")
    drawing.append(
        "  " + "".join(f" {name} " for name in chess.FILE_NAMES), _COORDINATES
    )
    return drawing


def _ranks() -> list[tuple[int, list[chess.Square]]]:
    """Give the ranks from the eighth down, each with its squares from a to h."""
    return [
        (rank, [chess.square(file, rank) for file in range(8)])
        for rank in reversed(range(8))
    ]


def _letter(piece: chess.Piece | None) -> str:
    return piece.symbol() if piece else "."


def _painted_square(piece: chess.Piece | None, square: chess.Square) -> tuple[str, str]:
    """Give three cells and their style."""
    light = bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square])
    background = f"on color({_SQUARES[light]})"
    if piece is None:
        return "   ", background
    # The filled figurine serves both sides: its colour tells them apart.
    figurine = chess.UNICODE_PIECE_SYMBOLS[chess.piece_symbol(piece.piece_type)]
    return f" {figurine} ", f"bold color({_MEN[piece.color]}) {background}"


_GLUE = "\N{NO-BREAK SPACE}"
"""Stands where a line must not be broken: between a move's number and the move."""

_STYLES = {
    Status.PROVED: "bold green",
    Status.FOUND: "bold magenta",
    Status.DISPROVED: "bold red",
    Status.UNDECIDED: "bold magenta",
}

_LIMITS = {
    StoppedBy.TIME: "the time limit",
    StoppedBy.NODES: "the node limit",
    StoppedBy.INTERRUPT: "an interrupt",
    StoppedBy.CRASH: "a crash",
    StoppedBy.TABLEBASE: "the tables' answer",
}

_DENIALS = {
    None: "Undecided: no mate found so far.",
    TableFormat.GAVIOTA: "Gaviota: no mate in the moves asked.",
    TableFormat.SYZYGY: "Syzygy: no mate in any number of moves.",
}


class Sentence(NamedTuple):
    """One paragraph of an answer.

    Attributes
    ----------
    text : str
        What it says, in one line.
    style : str
        How rich shows it.
    """

    text: str
    style: str = ""

    def lines(self, width: int | None = None) -> list[str]:
        """Break the paragraph into lines.

        Parameters
        ----------
        width : int or None
            Characters a line; None: one line however long.
        """
        broken = [self.text]
        if width is not None:
            # A word that is too long, such as a FEN, is left whole to be copied.
            broken = textwrap.wrap(
                self.text,
                width,
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        return [line.replace(_GLUE, " ") for line in broken]


def describe(solution: Solution, *, uci: bool = False) -> list[Sentence]:
    """Tell an answer in words.

    Parameters
    ----------
    solution : Solution
        The answer.
    uci : bool
        Write moves in UCI notation rather than in SAN.

    Returns
    -------
    list of Sentence
        The position, the lane, the mate, its line, its keys, what is proved, what
        stopped the search and what it cost; those with nothing to say are left out.
    """
    told = [
        Sentence(_name(solution), "dim"),
        Sentence(_position(solution.problem.fen), "dim"),
        Sentence(_restriction(solution), "dim"),
        Sentence(_headline(solution), _STYLES[solution.status]),
        Sentence(_line(solution, uci=uci)),
        Sentence(_keys(solution, uci=uci)),
        Sentence(_proof(solution)),
        Sentence(_stop(solution)),
        Sentence(_cost(solution.stats), "dim"),
    ]
    return [sentence for sentence in told if sentence.text]


def duration(seconds: float) -> str:
    """Write a time with as many digits as people care for."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s"


def at_most(moves: int) -> str:
    """Name all lengths of mate up to one, which is at least 1."""
    return "1 move" if moves == 1 else f"{moves} or fewer moves"


def _name(solution: Solution) -> str:
    problem = solution.problem
    return f"{problem.id}: {problem.fen}" if problem.id else ""


def _position(fen: str) -> str:
    _, _, castling, en_passant, *_ = fen.split()
    rights = f", castling {castling}" if castling != "-" else ""
    target = f", en passant {en_passant}" if en_passant != "-" else ""
    return f"{_mover(fen)} to move{rights}{target}"


def _mover(fen: str) -> str:
    return "White" if fen.split()[1] == "w" else "Black"


def _restriction(solution: Solution) -> str:
    return (
        f"The attacker keeps to {solution.restriction.words()}."
        if solution.restriction
        else ""
    )


def _headline(solution: Solution) -> str:
    mover = _mover(solution.problem.fen)
    match solution.mate:
        case 0:
            return f"{mover} is checkmated."
        case int(moves) if moves < 0:
            return f"{mover} is mated in {-moves}."
        case int(moves):
            return f"{mover} mates in {moves}."
    if _is_stalemate(solution):
        return f"{mover} is stalemated."
    if solution.status is Status.DISPROVED:
        where = " in this lane" if solution.restriction else ""
        return f"No mate in {at_most(solution.lower_bound - 1)}{where}."
    return _DENIALS[solution.tablebase]


def _line(solution: Solution, *, uci: bool) -> str:
    if uci:
        return " ".join(solution.pv)
    turns = numbered_line(solution.problem.fen, solution.pv)
    return " ".join(turn.replace(" ", _GLUE) for turn in turns)


def _keys(solution: Solution, *, uci: bool) -> str:
    keys = solution.keys
    if not uci:
        keys = tuple(first_moves(solution.problem.fen, keys))
    names = ", ".join(keys)
    match len(keys), solution.keys_complete:
        case 0, _:
            return ""
        case 1, True:
            return f"Only key: {names}"
        case 1, False:
            return f"Key: {names}, perhaps not the only one"
        case count, True:
            return f"All {count} keys: {names}"
    return f"Keys: {names}, perhaps not all of them"


def _proof(solution: Solution) -> str:
    if solution.mate == 0 or _is_stalemate(solution):
        return ""
    if solution.status is Status.DISPROVED:
        others = (
            "other moves and longer mates" if solution.restriction else "longer mates"
        )
        return f"Proved; {others} were not looked for."
    excluded = solution.lower_bound - 1
    restriction = " in this lane" if solution.restriction else ""
    if solution.mate is None:
        none = (
            f"no mate in {at_most(excluded)}{restriction}"
            if excluded
            else "nothing yet"
        )
        return f"Proved: {none}."
    length = abs(solution.mate)
    if solution.tablebase:
        none = f" Proved: none in {at_most(excluded)}." if excluded else ""
        return f"Gaviota: mate in {length} is forced, and none is shorter.{none}"
    forced = f"Proved: mate in {length} is forced"
    if solution.status is Status.PROVED:
        return f"{forced}, and none{restriction} is shorter."
    none = f", none in {at_most(excluded)}{restriction}" if excluded else ""
    return f"{forced}{none}. Open: mate in {_range(excluded + 1, length - 1)}."


def _stop(solution: Solution) -> str:
    if solution.stopped_by is None:
        return ""
    return f"Stopped by {_LIMITS[solution.stopped_by]}."


def _cost(stats: Stats) -> str:
    nodes = "1 node" if stats.nodes == 1 else f"{stats.nodes:,} nodes"
    return f"{nodes} in {duration(stats.time_s)}"


def _is_stalemate(solution: Solution) -> bool:
    return (
        solution.status is Status.DISPROVED
        and chess.Board(solution.problem.fen).is_stalemate()
    )


def _range(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first} to {last}"
