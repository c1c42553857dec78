"""Where an audit's findings go: records as they come, or a table at the end."""

from __future__ import annotations

import json
import tempfile
from typing import TYPE_CHECKING, Protocol

import click

from solver.audit.result import split_source
from solver.cli.console import stdout_console
from solver.output.audit_text import AuditTable
from solver.reports.audit_record import finding_record
from solver.reports.disagreement import disagreement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.audit.result import Finding
    from solver.cli.watch import Watch

SORTED = 10_000
"""So many disagreements are told in the order of the records; more, as they came."""

_HELD_BYTES = 1 << 20


class Findings(Protocol):
    """Takes each finding when it is known."""

    def add(self, finding: Finding) -> None:
        """Print the finding, or keep what is to be told of it."""

    def finish(self) -> None:
        """Print what was kept."""

    def close(self) -> None:
        """Forget what was kept, printed or not."""


class Records:
    """One JSON record a line, each printed at once."""

    def add(self, finding: Finding) -> None:
        """Print the record of a finding."""
        click.echo(json.dumps(finding_record(finding), separators=(",", ":")))

    def finish(self) -> None:
        """Do nothing: all has been printed."""

    def close(self) -> None:
        """Do nothing: nothing was kept."""


class Summary:
    """The table by claim and verdict, then a paragraph for each disagreement.

    Parameters
    ----------
    watch : Watch
        Tells unreadable records as they come.
    quiet : bool
        Leave the table out.
    """

    def __init__(self, watch: Watch, *, quiet: bool) -> None:
        self._watch = watch
        self._table = None if quiet else AuditTable()
        self._disagreements = Paragraphs()

    def add(self, finding: Finding) -> None:
        """Count the finding, and note where it disagrees."""
        if finding.fen is None:
            self._watch.tell(f"error: {finding.source}: {finding.error}")
        if self._table:
            self._table.add(finding)
        if told := disagreement(finding):
            self._disagreements.add(finding.source, told)

    def finish(self) -> None:
        """Print table and disagreements; a terminal wraps long lines, nothing else.

        Where nothing was found there is no table: it would look like success.
        """
        console = stdout_console()
        if self._table and not self._table.is_empty:
            console.print(self._table.draw(console))
            if told := self._table.soundness():
                console.print(told)
        for paragraph in self._disagreements:
            console.print(paragraph, soft_wrap=True)

    def close(self) -> None:
        """Forget the disagreements."""
        self._disagreements.close()


class Paragraphs:
    """Texts that may be many: beyond a mebibyte they are kept in a temporary file."""

    def __init__(self) -> None:
        self._kept = tempfile.SpooledTemporaryFile(  # noqa: SIM115 -- `close` closes it
            _HELD_BYTES, "w+", encoding="utf-8"
        )
        self._files: dict[str, int] = {}
        self._count = 0

    def add(self, source: str, text: str) -> None:
        """Keep a text that has its place by `source`, which is `file:line`."""
        file, line = split_source(source)
        place = self._files.setdefault(file, len(self._files)), line
        try:
            self._kept.write(json.dumps((place, text)) + "\n")
        except OSError as error:  # it has no name of its own
            folder = tempfile.gettempdir()
            raise OSError(error.errno, error.strerror, folder) from None
        self._count += 1

    def __iter__(self) -> Iterator[str]:
        """Give all texts, in the order of their places unless they are too many."""
        self._kept.seek(0)
        texts = map(json.loads, self._kept)
        for _, text in sorted(texts) if self._count <= SORTED else texts:
            yield text

    def close(self) -> None:
        """Forget them."""
        self._kept.close()
