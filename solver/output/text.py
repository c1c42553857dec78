"""Answers as text for people.

`describe` puts an answer into sentences, and `first_moves` and `numbered_line` write
moves in SAN. `lettered_board` draws a board for any terminal, `painted_board` for one
with 256 colours.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.formats.claims import printable
from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat
from solver.stipulation import Goal, Play

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.text import Text

    from solver.stipulation import Stipulation

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
    StoppedBy.SOLUTIONS: "the number of solutions asked for",
    StoppedBy.INTERRUPT: "an interrupt",
    StoppedBy.CRASH: "a crash",
    StoppedBy.TABLEBASE: "the tablebase result",
}

_NO_MATE = {
    TableFormat.GAVIOTA: "Gaviota: no mate in the given number of moves.",
    TableFormat.SYZYGY: "Syzygy: no mate in any number of moves.",
}

_GOALS = {Goal.MATE: "mate", Goal.STALEMATE: "stalemate"}

_PLAYS = {
    Play.DIRECT: "",
    Play.SELF: "self",
    Play.REFLEX: "reflex",
    Play.SEMI_REFLEX: "semi-reflex",
    Play.HELP: "help",
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
    if _is_help(solution):
        headline, proof = _help_headline(solution), _help_proof(solution)
    else:
        headline, proof = _headline(solution), _proof(solution)
    sentences = [
        Sentence(_name(solution), "dim"),
        Sentence(_position(solution.problem.fen), "dim"),
        Sentence(_restriction(solution), "dim"),
        Sentence(headline, _STYLES[solution.status]),
        Sentence(_line(solution, uci=uci)),
        Sentence(_keys(solution, uci=uci)),
        Sentence(proof),
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
    return f"{_mover(fen)} to move{rights}{target}"


def _mover(fen: str) -> str:
    return "White" if fen.split()[1] == "w" else "Black"


def _restriction(solution: Solution) -> str:
    restriction = solution.restriction
    return f"Restricted: {restriction.words()}" if restriction else ""


def _under_restriction(solution: Solution) -> str:
    return " under this restriction" if solution.restriction else ""


def goal_name(stipulation: Stipulation) -> str:
    """Return what the play ends with: "mate", "stalemate", "selfmate", "helpmate"."""
    return _PLAYS[stipulation.play] + _GOALS[stipulation.goal]


def _is_help(solution: Solution) -> bool:
    return solution.problem.stipulation.is_help


def _headline(solution: Solution) -> str:
    mover, goal = _mover(solution.problem.fen), goal_name(solution.problem.stipulation)
    match solution.mate:
        case 0:
            return f"{mover} is checkmated."
        case int(moves) if moves < 0:
            return f"{mover} is mated in {-moves}."
        case int(moves) if goal in _GOALS.values():
            return f"{mover} {goal}s in {moves}."
        case int(moves):
            return f"{mover} forces {goal} in {moves}."
    return _no_goal(solution, goal)


def _no_goal(solution: Solution, goal: str) -> str:
    if _is_stalemate(solution):
        return f"{_mover(solution.problem.fen)} is stalemated."
    if solution.status is Status.DISPROVED:
        excluded = at_most(solution.lower_bound - 1)
        return f"No {goal} in {excluded}{_under_restriction(solution)}."
    if solution.tablebase:
        return _NO_MATE[solution.tablebase]
    return f"Undecided: no {goal} found so far."


def _help_headline(solution: Solution) -> str:
    problem = solution.problem
    goal = goal_name(problem.stipulation)
    length = str(problem.stipulation).partition(problem.stipulation.goal)[2]
    if not solution.solutions:
        if solution.status is Status.DISPROVED:
            return f"No {goal} in {length}."
        return f"Undecided: no {goal} in {length} found so far."
    count = len(solution.solutions)
    several = f"{count:,} solution{'s' if count > 1 else ''}"
    if not solution.solutions_complete:
        several += " found so far"
    wanted = problem.claim.solutions if problem.claim else None
    if wanted is not None and wanted != count:
        several += f", {wanted:,} stipulated"
    return f"{goal.capitalize()} in {length}: {several}."


def _is_stalemate(solution: Solution) -> bool:
    return (
        solution.status is Status.DISPROVED
        and chess.Board(solution.problem.fen).is_stalemate()
    )


def _line(solution: Solution, *, uci: bool) -> str:
    if _is_help(solution):
        return ""
    if uci:
        return " ".join(solution.pv)
    turns = numbered_line(solution.problem.fen, solution.pv)
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


def _proof(solution: Solution) -> str:
    if solution.mate == 0 or _is_stalemate(solution):
        return ""
    goal = goal_name(solution.problem.stipulation)
    if solution.status is Status.DISPROVED:
        unsearched = "Other moves and longer" if solution.restriction else "Longer"
        return f"Proved. {unsearched} {goal}s were not searched."
    restriction = _under_restriction(solution)
    excluded = solution.lower_bound - 1
    reach = f"in {at_most(excluded)}{restriction}" if excluded else ""
    if solution.mate is None:
        return f"Proved: no {goal} {reach}." if reach else "Proved: nothing yet."
    length = abs(solution.mate)
    if solution.tablebase:
        proved = f" Proved: no {goal} {reach}." if reach else ""
        return f"Gaviota: {goal} in {length} is forced, and none is shorter.{proved}"
    forced = f"Proved: {goal} in {length} is forced"
    if solution.status is Status.PROVED:
        return f"{forced}, and none is shorter{restriction}."
    shorter = f", and there is none {reach}" if reach else ""
    left = _range(excluded + 1, length - 1)
    return f"{forced}{shorter}. Undecided: {goal} in {left}."


def _help_proof(solution: Solution) -> str:
    if solution.solutions and solution.solutions_complete:
        return "Proved: there are no others."
    if solution.solutions:
        return "There may be others."
    return "Proved." if solution.status is Status.DISPROVED else "Proved: nothing yet."


def _range(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first} to {last}"


def _stop(solution: Solution) -> str:
    if solution.stopped_by is None:
        return ""
    return f"Stopped by {_LIMITS[solution.stopped_by]}."


def _cost(stats: Stats) -> str:
    nodes = "1 node" if stats.nodes == 1 else f"{stats.nodes:,} nodes"
    return f"{nodes} in {duration(stats.time_s)}"


def duration(seconds: float) -> str:
    """Write a time in milliseconds, seconds or minutes, whichever suits it."""
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s"


def at_most(moves: int) -> str:
    """Write "1 move" or "n or fewer moves"."""
    return "1 move" if moves == 1 else f"{moves} or fewer moves"


def listed(moves: Sequence[str]) -> str:
    """Join alternative moves by commas; of very many, count those after the first."""
    more = len(moves) - MAX_LISTED
    names = ", ".join(moves[:MAX_LISTED])
    return f"{names} and {more} more" if more > 0 else names


def first_moves(fen: str, moves: Iterable[str]) -> list[str]:
    """Write alternative first moves in SAN.

    Parameters
    ----------
    fen : str
        The position before each of them.
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
    """Write a line in SAN with move numbers, which start at 1 as in problems.

    Parameters
    ----------
    fen : str
        The position at the start of the line.
    moves : iterable of str
        The moves of the line, all legal, in UCI notation.

    Returns
    -------
    list of str
        One string per number: `["1. Qe3 Kh4", "2. Qg5#"]`, or, if Black moves first,
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


def lettered_board(fen: str) -> list[str]:
    """Draw a board in ASCII: letters as in a FEN, dots for empty squares.

    Letters distinguish the sides on any background. Outlined and filled figurines do
    not: on a dark background, the filled ones look white.

    Parameters
    ----------
    fen : str
        The position.

    Returns
    -------
    list of str
        Nine lines without line ends; White is at the bottom.
    """
    board = chess.Board(fen)
    rows = [
        f"{rank + 1} " + " ".join(_letter(board.piece_at(square)) for square in squares)
        for rank, squares in _ranks()
    ]
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
    """Return the ranks from the eighth down, each with its squares from a to h."""
    return [
        (rank, [chess.square(file, rank) for file in range(8)])
        for rank in reversed(range(8))
    ]


def _letter(piece: chess.Piece | None) -> str:
    return piece.symbol() if piece else "."


def _painted_square(piece: chess.Piece | None, square: chess.Square) -> tuple[str, str]:
    """Return the three characters of a square, and their style."""
    light = bool(chess.BB_LIGHT_SQUARES & chess.BB_SQUARES[square])
    background = f"on color({_SQUARES[light]})"
    if piece is None:
        return "   ", background
    # Both sides use the filled figurine; their colours distinguish them.
    figurine = chess.UNICODE_PIECE_SYMBOLS[chess.piece_symbol(piece.piece_type)]
    return f" {figurine} ", f"bold color({_PIECES[piece.color]}) {background}"
