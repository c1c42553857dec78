"""Split a row of CSV into its cells."""

from __future__ import annotations

import csv

from solver.errors import InputError
from solver.formats.numbered_lines import decode_line
from solver.formats.wording import quote


def split_row(line: bytes) -> list[str]:
    """Split one line, quickly where nothing is quoted.

    Parameters
    ----------
    line : bytes
        A row that ends with its line; UTF-8.

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
    try:
        return next(csv.reader([text], strict=True))
    except csv.Error as error:
        msg = f"expected a row of CSV, found {quote(text)}: {error}"
        raise InputError(msg) from None
