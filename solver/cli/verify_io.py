"""Where an audit's findings go: records as they come, or a table at the end."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from solver.audit.result import split_source
from solver.cli import console as streams
from solver.cli.console import Exit, stdout_console
from solver.formats.claims import EVERYTHING, Selection
from solver.formats.streams import Meter, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.audit.result import AuditResult
    from solver.cli.progress import AuditProgress
    from solver.errors import FormatError
    from solver.problem import Problem


# The collections that a command is given, one after the other.


class Reading:
    """Reads one file after the other; one that cannot be read costs itself.

    A warning is printed for a file without any record.

    Parameters
    ----------
    files : sequence of str
        As for `read_collection`.
    source_format : str
        What all of them are, or `auto`.
    selection : Selection
        Which records are wanted.

    Attributes
    ----------
    tell : callable
        Told, in a line, which file could not be read, and why, or that it is empty.
    codes : set of Exit
        Has IO once a file could not be read.
    """

    def __init__(
        self,
        files: Sequence[str],
        *,
        source_format: str = "auto",
        selection: Selection = EVERYTHING,
    ) -> None:
        self._files = files
        self._format = source_format
        self._selection = selection
        self.notify: Callable[[str], None] = streams.notify
        self._sizes = [_size(file) for file in files]
        self._meter = Meter()
        self._behind = 0
        self.codes: set[Exit] = set()

    def __iter__(self) -> Iterator[Problem | FormatError]:
        """Give the records of all files."""
        from solver.formats.registry import read_collection

        for number, file in enumerate(self._files):
            self._behind = number
            before = self._seen
            try:
                yield from read_collection(
                    file,
                    source_format=self._format,
                    selection=self._selection,
                    meter=self._meter,
                )
            except OSError as error:
                self.notify(f"error: {file}: {error.strerror or error}")
                self.codes.add(Exit.IO)
                continue
            if self._seen == before:
                self.notify(f"warning: {name_of(file)}: no records")
        self._behind = len(self._files)

    @property
    def passed_over(self) -> int:
        """How many records the selection has left out."""
        return self._meter.passed_over

    @property
    def _seen(self) -> int:
        return self._meter.records + self._meter.passed_over

    def expected(self) -> int | None:
        """Estimate how many records there are, exactly once all is read.

        Returns
        -------
        int or None
            None where that cannot be told, as with standard input.
        """
        records, behind = self._meter.records, self._behind
        if behind == len(self._files):
            return records
        sizes = [size for size in self._sizes if size is not None]
        fraction = self._meter.fraction()
        if len(sizes) < len(self._files) or not fraction or not records:
            return None
        read = sum(sizes[:behind]) + fraction * sizes[behind]
        return round(records * sum(sizes) / read)


def _size(file: str) -> int | None:
    path = Path(file)
    return path.stat().st_size if path.is_file() else None


SORTED = 10_000
"""So many disagreements are told in the order of the records; more, as they came."""

_HELD_BYTES = 1 << 20


class ResultSink(Protocol):
    """Takes each finding when it is known."""

    def add(self, result: AuditResult) -> None:
        """Print the finding, or keep what is to be told of it."""

    def finish(self) -> None:
        """Print what was kept."""

    def close(self) -> None:
        """Forget what was kept, printed or not."""


class Records:
    """One JSON record a line, each printed at once."""

    def add(self, result: AuditResult) -> None:
        """Print the record of a finding."""
        from solver.output.records import audit_record

        click.echo(json.dumps(audit_record(result), separators=(",", ":")))

    def finish(self) -> None:
        """Do nothing: all has been printed."""

    def close(self) -> None:
        """Do nothing: nothing was kept."""


class Summary:
    """The table by claim and verdict, then a paragraph for each disagreement.

    Parameters
    ----------
    progress : AuditProgress
        Prints unreadable records as they come.
    quiet : bool
        Leave the table out.
    """

    def __init__(self, progress: AuditProgress, *, quiet: bool) -> None:
        self._progress = progress
        from solver.output.audit_text import AuditTable

        self._table = None if quiet else AuditTable()
        self._disagreements = Paragraphs()

    def add(self, result: AuditResult) -> None:
        """Count the finding, and note where it disagrees."""
        from solver.output.audit_text import disagreement

        if result.fen is None:
            self._progress.notify(f"error: {result.source}: {result.error}")
        if self._table:
            self._table.add(result)
        if told := disagreement(result):
            self._disagreements.add(result.source, told)

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
