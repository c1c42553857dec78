"""The collections that a command is given, one after the other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from solver.cli import streams
from solver.cli.exits import Exit
from solver.formats.meter import Meter
from solver.formats.opening import STDIN, name_of
from solver.formats.selection import EVERYTHING, Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.errors import FormatError
    from solver.problem import Problem


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
        self.tell: Callable[[str], None] = streams.tell
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
                self.tell(f"error: {file}: {error.strerror or error}")
                self.codes.add(Exit.IO)
                continue
            if self._seen == before:
                self.tell(f"warning: {name_of(file)}: no records")
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


def is_collection(word: str) -> bool:
    """Tell whether a word on the command line is a file, or `-`, and not a FEN."""
    try:
        return word == STDIN or (Path(word).exists() and not Path(word).is_dir())
    except (OSError, ValueError):  # too long, or no path at all
        return False


def _size(file: str) -> int | None:
    path = Path(file)
    return path.stat().st_size if path.is_file() else None
