"""Collections of one record a line: each is read as soon as its line is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.errors import FormatError, InputError
from solver.formats.numbered_lines import decode_line, is_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.problem import Problem


def read_each(
    lines: Iterator[tuple[int, bytes]], name: str, parse: Callable[[str, str], Problem]
) -> Iterator[Problem | FormatError]:
    """Read line after line.

    Blank lines count for nothing, nor do comments: lines whose first character is one
    of `#`, `%` and `;`.

    Parameters
    ----------
    lines : iterator of tuple
        Number and bytes of each line, UTF-8.
    name : str
        What to call the file in `file:line`.
    parse : callable
        Reads a line, given with its `file:line`; raises InputError.

    Yields
    ------
    Problem or FormatError
        One for each line that is neither blank nor a comment, in their order.
    """
    for number, line in lines:
        if not is_record(line):
            continue
        source = f"{name}:{number}"
        try:
            yield parse(decode_line(line), source)
        except InputError as error:
            yield FormatError(source, str(error))
