"""Count the positions of files into a material-imbalance table, for `matesolve mip`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.console import Exit, notify
from solver.cli.progress import position_progress
from solver.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.laboratory.imbalance import ImbalanceTable

PARTIAL = ".partial"
"""The suffix of a table's file if not all input was read."""


class TableBuilder:
    """Counts the positions of files into a material-imbalance table.

    Attributes
    ----------
    imbalance : ImbalanceTable
    positions : int
        Positions read so far, including those out of range.
    codes : set of Exit
        The exit codes of what went wrong.
    """

    def __init__(self, imbalance: ImbalanceTable) -> None:
        self.imbalance = imbalance
        self.positions = 0
        self.codes = {Exit.PROVED}
        self._unfinished = 0

    def count(self, files: Iterable[str], skip_plies: int) -> None:
        """Read the files until Ctrl-C; report and skip what is unreadable."""
        try:
            with position_progress(lambda: self.positions) as progress:
                for file in files:
                    self._count_file(file, skip_plies, progress.notify)
        except KeyboardInterrupt:
            self.codes.add(Exit.INTERRUPTED)

    def _count_file(
        self, file: str, skip_plies: int, notify_above: Callable[[str], None]
    ) -> None:
        from solver.laboratory.games import GamePosition, read_results
        from solver.laboratory.material import find_cell

        try:
            for record in read_results(file, skip_plies=skip_plies):
                if isinstance(record, GamePosition):
                    self.imbalance.add(find_cell(record.material), record.result)
                    self.positions += 1
                elif isinstance(record, FormatError):
                    notify_above(f"error: {record}")
                    self.codes.add(Exit.BAD_INPUT)
                else:
                    self._unfinished += 1
        except OSError as error:
            notify_above(f"error: {file}: {error.strerror or error}")
            self.codes.add(Exit.IO)

    def write(self, output: str) -> None:
        """Write the table and print its size; to `.partial` if not all was read."""
        from solver.laboratory.imbalance_records import with_noun
        from solver.laboratory.material import CELLS

        coverage = self.imbalance.coverage()
        if self.codes.isdisjoint({Exit.INTERRUPTED, Exit.IO}):
            self.imbalance.save(output)
        else:
            interrupted = Exit.INTERRUPTED in self.codes
            why = "interrupted" if interrupted else "not all files were read"
            if not coverage.positions:
                notify(f"{why}: nothing was counted")
                return
            output += PARTIAL
            self.imbalance.save(output)
            notify(f"{why}: the counts so far are in {output}")
        click.echo(
            f"{output}: {with_noun(coverage.positions, 'position')} "
            f"in {coverage.filled:,} of {CELLS:,} cells"
        )
        self.print_uncounted()

    def print_uncounted(self) -> None:
        """Print how many positions are in no cell, and records without a result."""
        from solver.laboratory.imbalance_records import with_noun

        if ignored := self.imbalance.ignored:
            click.echo(f"{with_noun(ignored, 'position')} out of range")
        if self._unfinished:
            click.echo(f"{with_noun(self._unfinished, 'record')} without a result")


def source_of(files: Iterable[str]) -> str:
    """Return the names of files as a source that a table can hold."""
    from solver.laboratory.imbalance import MAX_SOURCE_BYTES

    names = ", ".join(Path(file).name for file in files)
    shown = "".join(letter if letter.isprintable() else "?" for letter in names)
    return shown.encode()[:MAX_SOURCE_BYTES].decode(errors="ignore")
