"""Input and output of `matesolve verify`: files in, records or a table out.

`Reading` reads the files one after another. `Records` prints each result at once,
`Summary` prints a table and the disagreements at the end.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from solver.audit.result import split_source
from solver.cli import console as streams
from solver.cli.console import Exit, echo_json, stdout_console
from solver.formats.claims import EVERYTHING, Selection
from solver.formats.streams import Meter, name_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.audit.result import AuditResult
    from solver.cli.progress import AuditProgress
    from solver.errors import FormatError
    from solver.problem import Problem


SORTED = 10_000
"""Up to this many disagreements are printed in input order; more, as they came."""

_MEMORY_BYTES = 1 << 20
"""Disagreements beyond this size are kept in a temporary file."""


class Reading:
    """Reads one file after another; a file that cannot be read is skipped.

    An error is printed for such a file, and a warning for a file without records.

    Parameters
    ----------
    files : sequence of str
        Paths, or - for standard input; see `read_collection`.
    source_format : str
        The format of all files, or `auto`.
    selection : Selection
        Which records to read.

    Attributes
    ----------
    notify : callable
        Prints an error or a warning of one line.
    codes : set of Exit
        Contains IO if a file could not be read.
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
        self._finished = 0
        self.codes: set[Exit] = set()

    def __iter__(self) -> Iterator[Problem | FormatError]:
        """Yield the records of all files."""
        from solver.formats.registry import read_collection

        for number, file in enumerate(self._files):
            self._finished = number
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
        self._finished = len(self._files)

    @property
    def not_selected(self) -> int:
        """How many records the selection left out."""
        return self._meter.not_selected

    @property
    def _seen(self) -> int:
        return self._meter.records + self._meter.not_selected

    def expected(self) -> int | None:
        """Estimate the number of records; exact once all files are read.

        Returns
        -------
        int or None
            None if it cannot be estimated, as with standard input.
        """
        records, finished = self._meter.records, self._finished
        if finished == len(self._files):
            return records
        sizes = [size for size in self._sizes if size is not None]
        fraction = self._meter.fraction()
        if len(sizes) < len(self._files) or not fraction or not records:
            return None
        read = sum(sizes[:finished]) + fraction * sizes[finished]
        return round(records * sum(sizes) / read)


def _size(file: str) -> int | None:
    path = Path(file)
    return path.stat().st_size if path.is_file() else None


class ResultSink(Protocol):
    """Prints the results of an audit, at once or at the end."""

    def add(self, result: AuditResult) -> None:
        """Print a result, or keep what `finish` needs of it."""

    def finish(self) -> None:
        """Print what was kept."""

    def close(self) -> None:
        """Delete what was kept, printed or not."""


class Records:
    """Prints each result at once, as a line of JSON."""

    def add(self, result: AuditResult) -> None:
        """Print the record of a result."""
        from solver.output.audit_records import audit_record

        echo_json(audit_record(result))

    def finish(self) -> None:
        """Do nothing: everything has been printed."""

    def close(self) -> None:
        """Do nothing: nothing was kept."""


class Summary:
    """Prints a table of claims and verdicts, then a paragraph for each disagreement.

    Parameters
    ----------
    progress : AuditProgress
        Prints unreadable records as they come.
    quiet : bool
        Print no table.
    """

    def __init__(self, progress: AuditProgress, *, quiet: bool) -> None:
        from solver.output.audit_text import AuditTable

        self._progress = progress
        self._table = None if quiet else AuditTable()
        self._disagreements = Paragraphs()

    def add(self, result: AuditResult) -> None:
        """Count a result, and keep the paragraph of a disagreement."""
        from solver.output.audit_text import disagreement

        if result.fen is None:
            self._progress.notify(f"error: {result.source}: {result.error}")
        if self._table:
            self._table.add(result)
        if paragraph := disagreement(result):
            self._disagreements.add(result.source, paragraph)

    def finish(self) -> None:
        """Print the table and the disagreements; only a terminal wraps long lines.

        Without results there is no table: an empty one would look like success.
        """
        console = stdout_console()
        if self._table and not self._table.is_empty:
            console.print(self._table.draw(console))
            if soundness := self._table.soundness():
                console.print(soundness)
        for paragraph in self._disagreements:
            console.print(paragraph, soft_wrap=True)

    def close(self) -> None:
        """Delete the disagreements."""
        self._disagreements.close()


class Paragraphs:
    """Any number of paragraphs: beyond `_MEMORY_BYTES` they go to a temporary file."""

    def __init__(self) -> None:
        self._stored = tempfile.SpooledTemporaryFile(  # noqa: SIM115 -- `close` closes it
            _MEMORY_BYTES, "w+", encoding="utf-8"
        )
        self._files: dict[str, int] = {}
        self._count = 0

    def add(self, source: str, text: str) -> None:
        """Add the paragraph of the record at `source`, which is `file:line`."""
        file, line = split_source(source)
        place = self._files.setdefault(file, len(self._files)), line
        try:
            self._stored.write(json.dumps((place, text)) + "\n")
        except OSError as error:  # the temporary file has no name to print
            folder = tempfile.gettempdir()
            raise OSError(error.errno, error.strerror, folder) from None
        self._count += 1

    def __iter__(self) -> Iterator[str]:
        """Yield the paragraphs in input order, unless there are more than `SORTED`."""
        self._stored.seek(0)
        texts = map(json.loads, self._stored)
        for _, text in sorted(texts) if self._count <= SORTED else texts:
            yield text

    def close(self) -> None:
        """Delete the paragraphs."""
        self._stored.close()
