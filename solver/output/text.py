"""Answers for people: sentences that tell the mate, and what is proved of it."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

import chess

from solver.reports.line import first_moves, numbered_line
from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat

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
        Sentence(_lane(solution), "dim"),
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


def _lane(solution: Solution) -> str:
    return f"The attacker keeps to {solution.lane.words()}." if solution.lane else ""


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
        where = " in this lane" if solution.lane else ""
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
        others = "other moves and longer mates" if solution.lane else "longer mates"
        return f"Proved; {others} were not looked for."
    excluded = solution.lower_bound - 1
    lane = " in this lane" if solution.lane else ""
    if solution.mate is None:
        none = f"no mate in {at_most(excluded)}{lane}" if excluded else "nothing yet"
        return f"Proved: {none}."
    length = abs(solution.mate)
    if solution.tablebase:
        none = f" Proved: none in {at_most(excluded)}." if excluded else ""
        return f"Gaviota: mate in {length} is forced, and none is shorter.{none}"
    forced = f"Proved: mate in {length} is forced"
    if solution.status is Status.PROVED:
        return f"{forced}, and none{lane} is shorter."
    none = f", none in {at_most(excluded)}{lane}" if excluded else ""
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
