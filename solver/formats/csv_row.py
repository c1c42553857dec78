"""Split a row of CSV into its cells."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from solver.errors import InputError
from solver.formats.numbered_lines import MAX_LINE_BYTES, decode_line
from solver.formats.wording import quote

if TYPE_CHECKING:
    from collections.abc import Iterable


def split_row(line: bytes, following: Iterable[tuple[int, bytes]] = ()) -> list[str]:
    """Split one row, quickly where nothing is quoted.

    Parameters
    ----------
    line : bytes
        UTF-8. It ends the row, unless a quoted cell is open and a CR alone ends the
        line: that CR is part of the cell where other rows end in another way.
    following : iterable of tuple
        Number and bytes of the lines behind it, from which the rest of such a row is
        taken; empty where a CR alone ends each row.

    Returns
    -------
    list of str
        Its cells; one empty cell for a blank line.

    Raises
    ------
    InputError
        If it is too long, no UTF-8, or wrongly quoted.
    """
    text = decode_line(line)
    if '"' not in text:
        return text.split(",")
    if line.endswith(b"\r"):
        text = decode_line(_complete(line, following))
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error as error:
        msg = f"expected a row of CSV, found {quote(text)}: {error}"
        raise InputError(msg) from None


def rows_behind(
    header: bytes, lines: Iterable[tuple[int, bytes]]
) -> Iterable[tuple[int, bytes]]:
    """Give what `split_row` may take the rest of a row from.

    A file whose header ends in a CR alone has a row a line. So a quote that is never
    closed costs its own row there, as it does in any other file.
    """
    return () if header.endswith(b"\r") else lines


def _complete(line: bytes, following: Iterable[tuple[int, bytes]]) -> bytes:
    """Put a row together up to the first line end that is not a CR inside quotes."""
    parts = [line]
    size = len(line)
    quotes = line.count(b'"')
    rest = iter(following)
    while parts[-1].endswith(b"\r") and quotes % 2 and size <= MAX_LINE_BYTES:
        _, part = next(rest, (0, b""))
        parts.append(part)
        size += len(part)
        quotes += part.count(b'"')
    return b"".join(parts)
