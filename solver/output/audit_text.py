"""Audits for people: how many claims of each kind fared in which way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

import chess
from rich.table import Table
from rich.text import Text

from solver.audit.verdict import DUAL, KEYS, Soundness, is_dual, is_slow
from solver.output.solution_page import analysis_link
from solver.output.text import duration, first_moves, numbered_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from solver.audit.result import AuditResult
    from solver.audit.verdict import Ply


# Claims as tables name and order them.

_APART = 1_000
"""More moves than any claim."""


def name_claim(claim: int | None, no_mate: int | None) -> tuple[int, str]:
    """Name a claim, behind the number that puts it in its place.

    Attackers' mates come first, then defenders', then no mate, then no claim.

    Parameters
    ----------
    claim : int or None
        Moves to mate, negative when the side to move is mated.
    no_mate : int or None
        In so many moves there is claimed to be none.
    """
    if claim is not None:
        return (claim if claim > 0 else _APART - claim), f"#{claim}"
    if no_mate is not None:
        return 2 * _APART + no_mate, f"no #{no_mate}"
    return 3 * _APART, "none"


# What an audit found against a claim, in a few lines for people.


def disagreement(result: AuditResult) -> str | None:
    """Tell where a finding disagrees with its claim.

    Parameters
    ----------
    finding : Finding
        What the audit tells.

    Returns
    -------
    str or None
        `file:line: name: claimed ..., found ...` with the line that was found; below
        it the claimed line, if there is one, and a link to lichess's analysis. None
        when nothing speaks against the claim.
    """
    if result.fen is None or not result.disagreements:
        return None
    told = [f"{_place(result)}: claimed {_claimed(result)}, {_objection(result)}"]
    if result.claimed_line:
        line = numbered_line(result.fen, result.claimed_line.split())
        told.append(f"  claimed: {' '.join(line)}")
    told.append(f"  {analysis_link(result.fen)}")
    return "\n".join(told)


def _objection(result: AuditResult) -> str:
    """Say the gravest of what speaks against the claim."""
    words = result.disagreements
    if result.word in words:
        return f"found {_found(result)}"
    if KEYS in words or Soundness.MISSING_SOLUTION in words:
        return f"found {', '.join(_sans(result, result.keys))}"
    if Soundness.NOT_SHORTEST_LINE in words:
        return _slow_line(result)
    if Soundness.COOKED in words:
        keys = _sans(result, result.keys)
        return f"found {len(keys)} keys: {', '.join(keys)}"
    if DUAL in words:
        return _dual(result)
    return f"found {', '.join(words)}"


def _claimed(result: AuditResult) -> str:
    if result.claim is None:
        return f"none in {result.nomate}"
    claimed = _mate(result.claim)
    keys = result.wrong_keys or (
        result.claimed_keys if result.soundness == Soundness.COOKED else ""
    )
    return f"{claimed} by {', '.join(_sans(result, keys))}" if keys else claimed


def _slow_line(result: AuditResult) -> str:
    """Name the first of the solver's moves that is slow, else the line as a whole."""
    for number, ply in enumerate(result.claimed_plies()):
        if is_slow(ply):
            return _line_objection(result, number, ply, "is no")
    return "but the line takes longer"


def _dual(result: AuditResult) -> str:
    """Name the first of the solver's moves behind the key that has a rival."""
    plies = result.claimed_plies()
    number = next(n for n in range(1, len(plies)) if is_dual(plies[n]))
    return _line_objection(result, number, plies[number], "is not the only")


def _line_objection(result: AuditResult, number: int, ply: Ply, objection: str) -> str:
    """Say what is wrong with a move of the line, and which moves are better."""
    board = chess.Board(result.fen or chess.STARTING_FEN)
    for move in result.claimed_line.split()[: 2 * number]:
        board.push_uci(move)
    position = board.fen()
    (san,) = first_moves(position, [ply.move])
    others = [move for move in ply.keys if move != ply.move]
    better = ", ".join(first_moves(position, others))
    return f"but move {number + 1}, {san}, {objection} mate in {ply.mate}: {better}"


def _sans(result: AuditResult, moves: str) -> list[str]:
    return first_moves(result.fen or "", moves.split())


def _place(result: AuditResult) -> str:
    unnamed = result.id == PurePath(result.source).name
    return result.source if unnamed else f"{result.source}: {result.id}"


def _found(result: AuditResult) -> str:
    if result.mate is None:
        return f"none in {(result.lower_bound or 1) - 1}"
    mate = _mate(result.mate)
    if result.tablebase:
        mate += " (Gaviota)"
    line = " ".join(numbered_line(result.fen or "", result.pv.split()))
    return f"{mate}: {line}" if line else mate


def _mate(moves: int) -> str:
    """Say who is mated; 0 is a side to move that is mated already."""
    if moves == 0:
        return "checkmate on the board"
    return f"mate in {moves}" if moves > 0 else f"mated in {-moves}"


STYLES = {
    "proved": "green",
    "holds": "green",
    "found": "green",
    "shorter": "bold red",
    "refuted": "bold red",
    "disproved": "",
    "undecided": "magenta",
    "unreadable": "red",
}
"""The columns and their colours: verdicts, and where nothing was claimed, statuses."""

_UNBOUNDED = 10_000
"""Columns to measure a table with: no table of ours is as wide."""


@dataclass(slots=True)
class _Row:
    """What is known of all results with the same claim."""

    words: Counter[str] = field(default_factory=Counter)
    nodes: int = 0
    time_s: float = 0.0

    def add(self, result: AuditResult) -> None:
        self.words[result.word] += 1
        self.nodes += result.nodes
        self.time_s += result.time_s or 0.0


class AuditTable:
    """Findings counted by claim (rows) and verdict (columns), and by soundness."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], _Row] = {}
        self._all = _Row()
        self._soundness: Counter[str] = Counter()
        self._duals = 0

    def add(self, result: AuditResult) -> None:
        """Count one finding; it is not kept."""
        claim = name_claim(result.claim, result.nomate)
        self._rows.setdefault(claim, _Row()).add(result)
        self._all.add(result)
        if result.soundness:
            self._soundness[result.soundness] += 1
        self._duals += DUAL in result.disagreements

    @property
    def is_empty(self) -> bool:
        """Nothing was counted."""
        return not self._rows

    def soundness(self) -> str:
        """Count in a line the problems that are sound, cooked, and so on."""
        counts = [
            f"{self._soundness[word]:,} {word}"
            for word in Soundness
            if self._soundness[word]
        ]
        told = [f"soundness: {', '.join(counts)}"] if counts else []
        if self._duals:
            told.append(f"with a dual: {self._duals:,}")
        return "; ".join(told)

    def draw(self, console: Console) -> RenderableType:
        """Draw the count as wide as a console has room for.

        Parameters
        ----------
        console : Console
            Where it is to be printed.

        Returns
        -------
        RenderableType
            A table with verdicts, totals, nodes and time; without nodes and time where
            it would be too wide; and where that is too wide as well, a line a claim.
        """
        unbounded = console.options.update(width=_UNBOUNDED)
        for costs in (True, False):
            table = self._table(costs=costs)
            if console.measure(table, options=unbounded).maximum <= console.width:
                return table
        return Text("\n".join(self._lines()))

    def _table(self, *, costs: bool) -> Table:
        words = [word for word in STYLES if self._all.words[word]]
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("claim", justify="right", no_wrap=True)
        for word in words:
            table.add_column(word, justify="right", no_wrap=True, style=STYLES[word])
        for name in ("total", "nodes", "time") if costs else ("total",):
            table.add_column(name, justify="right", no_wrap=True)
        for name, row in self._named_rows():
            cells = [str(row.words[word] or "") for word in words]
            cells.append(str(row.words.total()))
            if costs:
                cells += [f"{row.nodes:,}", duration(row.time_s)]
            table.add_row(name, *cells, style="bold" if row is self._all else None)
        return table

    def _lines(self) -> list[str]:
        lines = []
        for name, row in self._named_rows():
            counts = [f"{row.words[word]} {word}" for word in STYLES if row.words[word]]
            lines.append(f"{name}: {', '.join(counts) or 'nothing'}")
        return lines

    def _named_rows(self) -> list[tuple[str, _Row]]:
        """Give the rows in the order of their claims, and the sum."""
        named = [(name, row) for (_, name), row in sorted(self._rows.items())]
        return [*named, ("all", self._all)]
