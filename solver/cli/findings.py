"""Where the results of an audit go: records as they come, or a table at the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

import click

from solver.cli.console import stdout_console
from solver.errors import FormatError
from solver.reports.audit_record import result_record
from solver.reports.audit_table import AuditTable
from solver.reports.disagreement import disagreement

if TYPE_CHECKING:
    from solver.cli.watch import Watch
    from solver.verdict import Result


class Findings(Protocol):
    """Takes each result in its turn."""

    def add(self, result: Result) -> None:
        """Print the result, or keep what is to be told of it."""

    def close(self) -> None:
        """Print what was kept."""


class Records:
    """One JSON record a line, each printed at once."""

    def add(self, result: Result) -> None:
        """Print the record of a result."""
        click.echo(json.dumps(result_record(result), separators=(",", ":")))

    def close(self) -> None:
        """Do nothing: all has been printed."""


class Summary:
    """The table by claim and verdict, then a line for each disagreement.

    Parameters
    ----------
    watch : Watch
        Tells unreadable lines as they come.
    quiet : bool
        Leave the table out.
    """

    def __init__(self, watch: Watch, *, quiet: bool) -> None:
        self._watch = watch
        self._table = None if quiet else AuditTable()
        self._disagreements: list[str] = []

    def add(self, result: Result) -> None:
        """Count the result, and note where it disagrees."""
        if isinstance(result.answer, FormatError):
            self._watch.tell(f"error: {result.answer}")
        if self._table:
            self._table.add(result)
        if line := disagreement(result):
            self._disagreements.append(line)

    def close(self) -> None:
        """Print table and disagreements; a terminal wraps long lines, nothing else."""
        console = stdout_console()
        if self._table:
            console.print(self._table.draw(console))
        for line in self._disagreements:
            console.print(line, soft_wrap=True)
