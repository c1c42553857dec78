"""Count the records of collections that have one a line."""

from __future__ import annotations

from typing import BinaryIO

from solver.formats.numbered_lines import MAX_LINE_BYTES, NumberedLines, is_record
from solver.formats.opening import open_collection

__all__ = ["count_records", "open_collection"]


def count_records(stream: BinaryIO) -> int:
    """Count the lines that are neither blank nor comments.

    Parameters
    ----------
    stream : BinaryIO
        Lines of UTF-8, read to its end.

    Returns
    -------
    int
        How many there are.
    """
    return sum(is_record(line) for _, line in NumberedLines(stream, MAX_LINE_BYTES))
