"""Tables made of columns, of which a narrow terminal is shown the chief ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console, RenderableType

BAR_WIDTHS = range(10, 41)
"""Columns of the terminal that a bar may take: with less it would tell nothing."""

_GAP = 2
"""Columns of the terminal between two of a table."""

_UNBOUNDED = 10_000
"""Columns to measure a table with: no table of ours is as wide."""

_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_WHOLE = "█"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    head : str
        May be of several lines.
    cells : sequence of str
    style : str
        How rich shows it.
    left : bool
        Names stand at the left, figures at the right.
    rank : int
        Where there is no room, the columns of the highest rank are left out first;
        those of rank 0 never are.
    """

    head: str
    cells: Sequence[str]
    style: str = ""
    left: bool = False
    rank: int = 0


def table_of(columns: Iterable[Column]) -> Table:
    """Make a table without rules."""
    columns = list(columns)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(
            column.head,
            justify="left" if column.left else "right",
            style=column.style,
            no_wrap=True,
        )
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    return table


def fit(
    console: Console, columns: Sequence[Column], lines: Iterable[str]
) -> RenderableType:
    """Make as much of a table as a console has room for.

    Parameters
    ----------
    console : Console
        Where it is to be printed.
    columns : sequence of Column
        Of the whole table.
    lines : iterable of str
        What is told where even the columns of rank 0 are too wide.
    """
    for rank in sorted({column.rank for column in columns}, reverse=True):
        table = table_of(column for column in columns if column.rank <= rank)
        if _width(console, table) <= console.width:
            return table
    return Text("\n".join(lines))


def bars(
    console: Console, columns: Sequence[Column], lengths: Sequence[float | None]
) -> list[Column]:
    """Make a column of bars, if there is room for one beside the others.

    Parameters
    ----------
    console : Console
        Where the table is to be printed.
    columns : sequence of Column
        The others.
    lengths : sequence of float or None
        One for each row, not negative; the longest takes all the room.

    Returns
    -------
    list of Column
        One or none.
    """
    longest = max((length for length in lengths if length), default=None)
    room = console.width - _width(console, table_of(columns)) - _GAP
    if longest is None or room < BAR_WIDTHS[0]:
        return []
    width = min(room, BAR_WIDTHS[-1])
    drawn = [
        bar((length or 0) / longest * width, ascii_only=console.options.ascii_only)
        for length in lengths
    ]
    return [Column("", drawn, style="cyan", left=True)]


def bar(length: float, *, ascii_only: bool = False) -> str:
    """Draw a bar of so many columns of the terminal, to an eighth of one."""
    if ascii_only:
        return "#" * round(length)
    whole, eighths = divmod(round(8 * length), 8)
    return _WHOLE * whole + _EIGHTHS[eighths]


def _width(console: Console, table: Table) -> int:
    """Measure how wide a table is when nothing is cut."""
    unbounded = console.options.update(width=_UNBOUNDED)
    return console.measure(table, options=unbounded).maximum
