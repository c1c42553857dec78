"""Counts files into a material-imbalance table, and writes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.counting import show_count
from solver.cli.exits import Exit
from solver.cli.streams import tell
from solver.errors import FormatError
from solver.formats.game_position import GamePosition
from solver.imbalance_file import MAX_SOURCE_BYTES
from solver.laboratory.games import read_results
from solver.laboratory.material import CELLS, find_cell
from solver.reports.imbalance_text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.laboratory.imbalance import ImbalanceTable

PARTIAL = ".partial"
"""Ends the name of a table whose files were not all read."""


class TableBuilder:
    """Adds the positions of files to a table.

    Attributes
    ----------
    table : ImbalanceTable
    positions : int
        Read so far, those out of range included.
    codes : set of Exit
        What went wrong.
    """

    def __init__(self, table: ImbalanceTable) -> None:
        self.table = table
        self.positions = 0
        self.codes = {Exit.PROVED}
        self._unfinished = 0

    def count(self, files: Iterable[str], skip_plies: int) -> None:
        """Read one file after the other, until Ctrl-C; a fault costs itself only."""
        try:
            with show_count(self) as tell_above:
                for file in files:
                    self._count_file(file, skip_plies, tell_above)
        except KeyboardInterrupt:
            self.codes.add(Exit.INTERRUPTED)

    def _count_file(
        self, file: str, skip_plies: int, tell_above: Callable[[str], None]
    ) -> None:
        try:
            for record in read_results(file, skip_plies=skip_plies):
                if isinstance(record, GamePosition):
                    self.table.add(find_cell(record.material), record.result)
                    self.positions += 1
                elif isinstance(record, FormatError):
                    tell_above(f"error: {record}")
                    self.codes.add(Exit.BAD_INPUT)
                else:
                    self._unfinished += 1
        except OSError as error:
            tell_above(f"error: {file}: {error.strerror or error}")
            self.codes.add(Exit.IO)

    def write(self, output: str) -> None:
        """Write the table and sum it up; beside its place if not all was read."""
        coverage = self.table.coverage()
        if self.codes.isdisjoint({Exit.INTERRUPTED, Exit.IO}):
            self.table.save(output)
        else:
            why = (
                "interrupted" if Exit.INTERRUPTED in self.codes else "not all was read"
            )
            if not coverage.positions:
                tell(f"{why}: nothing was counted")
                return
            output += PARTIAL
            self.table.save(output)
            tell(f"{why}: what was counted is in {output}")
        click.echo(
            f"{output}: {counted(coverage.positions, 'position')} "
            f"in {coverage.filled:,} of {CELLS:,} cells"
        )
        if coverage.ignored:
            click.echo(f"{counted(coverage.ignored, 'position')} out of range")
        if self._unfinished:
            click.echo(f"{counted(self._unfinished, 'record')} without a result")


def source_of(files: Iterable[str]) -> str:
    """Name files in one line that a table can keep."""
    names = ", ".join(Path(file).name for file in files)
    shown = "".join(letter if letter.isprintable() else "?" for letter in names)
    return shown.encode()[:MAX_SOURCE_BYTES].decode(errors="ignore")
