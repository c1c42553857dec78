"""Audits for people: how many claims of each kind fared in which way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from solver.audit.verdict import DUAL
from solver.output.text import duration
from solver.reports.claim_name import name_claim
from solver.soundness import Soundness

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from solver.audit.result import Finding

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

    def add(self, finding: Finding) -> None:
        self.words[finding.word] += 1
        self.nodes += finding.nodes
        self.time_s += finding.time_s


class AuditTable:
    """Findings counted by claim (rows) and verdict (columns), and by soundness."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, str], _Row] = {}
        self._all = _Row()
        self._soundness: Counter[str] = Counter()
        self._duals = 0

    def add(self, finding: Finding) -> None:
        """Count one finding; it is not kept."""
        claim = name_claim(finding.claim, finding.nomate)
        self._rows.setdefault(claim, _Row()).add(finding)
        self._all.add(finding)
        if finding.soundness:
            self._soundness[finding.soundness] += 1
        self._duals += DUAL in finding.disagreements

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
