"""Tables that drop their less important columns on narrow terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console, RenderableType
    from rich.table import Table

BAR_WIDTHS = range(10, 41)
"""Widths of a column of bars, in characters; narrower bars would show nothing."""

_GAP = 2
"""Characters between two columns."""

_UNBOUNDED = 10_000
"""A width that no table reaches."""

_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
_WHOLE = "█"


class Column(NamedTuple):
    """One column of a table.

    Attributes
    ----------
    head : str
        Its heading, in one or more lines.
    cells : sequence of str
        One for each row.
    style : str
        Its style in rich.
    left : bool
        Align it to the left, as names are; figures are aligned to the right.
    rank : int
        The columns of the highest rank are dropped first; those of rank 0 never are.
    """

    head: str
    cells: Sequence[str]
    style: str = ""
    left: bool = False
    rank: int = 0


def fit(
    console: Console | None,
    columns: Sequence[Column],
    lines: Iterable[str] | None = None,
    *,
    has_sum: bool = False,
) -> RenderableType:
    """Return the columns of a table that fit a console.

    Parameters
    ----------
    console : Console or None
        Where it is to be printed; None: in a file or a pipe, which takes any width.
    columns : sequence of Column
        All columns of the table.
    lines : iterable of str, optional
        Replaces the table if even the columns of rank 0 are too wide; by default, a
        line for each row with these columns.
    has_sum : bool
        The last row is a sum and is printed in bold.
    """
    if console is None:
        return _in_text(columns)
    from rich.text import Text

    for rank in sorted({column.rank for column in columns}, reverse=True):
        kept = [column for column in columns if column.rank <= rank]
        table = table_of(kept, has_sum=has_sum)
        if _width(console, table) <= console.width:
            return table
    return Text("\n".join(_in_words(columns) if lines is None else lines))


def _in_text(columns: Sequence[Column]) -> str:
    """Write the whole table as rich does without colours, but without loading it."""
    heads = [column.head.split("\n") for column in columns]
    height = max(map(len, heads))
    drawn = []
    for column, head in zip(columns, heads, strict=True):
        cells = [*[""] * (height - len(head)), *head, *column.cells]
        width = max(map(len, cells))
        align = str.ljust if column.left else str.rjust
        drawn.append([align(cell, width) for cell in cells])
    return "\n".join((" " * _GAP).join(row) for row in zip(*drawn, strict=True))


def _in_words(columns: Sequence[Column]) -> Iterator[str]:
    """Write a line for each row: its name, then each other cell after its heading."""
    kept = [column for column in columns if column.rank == 0]
    heads = [column.head.replace("\n", " ") for column in kept[1:]]
    for name, *cells in zip(*(column.cells for column in kept), strict=True):
        filled = zip(heads, cells, strict=True)
        parts = ", ".join(f"{head} {cell}" for head, cell in filled if cell)
        yield f"{name}: {parts}" if parts else name


def table_of(columns: Sequence[Column], *, has_sum: bool = False) -> Table:
    """Return a table without rules."""
    from rich.table import Table

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
    if has_sum and table.rows:
        table.rows[-1].style = "bold"
    return table


def bars(
    console: Console, columns: Sequence[Column], lengths: Sequence[float | None]
) -> list[Column]:
    """Return a column of bars, if there is room for it.

    Parameters
    ----------
    console : Console
        Where the table is to be printed.
    columns : sequence of Column
        The other columns.
    lengths : sequence of float or None
        One for each row, at least 0. The longest bar fills the column.

    Returns
    -------
    list of Column
        One column or none.
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
    """Draw a bar of a length in characters, to an eighth of one."""
    if ascii_only:
        return "#" * round(length)
    whole, eighths = divmod(round(8 * length), 8)
    return _WHOLE * whole + _EIGHTHS[eighths]


def _width(console: Console, table: Table) -> int:
    """Return the width of a table in which nothing is cut."""
    unbounded = console.options.update(width=_UNBOUNDED)
    return console.measure(table, options=unbounded).maximum
