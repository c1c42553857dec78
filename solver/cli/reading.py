"""The collections that a command is given, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.cli.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from solver.errors import FormatError
    from solver.problem import Problem


def read_all(
    files: Iterable[str], tell: Callable[[str], None], codes: set[Exit]
) -> Iterator[Problem | FormatError]:
    """Read one file after the other; one that cannot be read costs itself.

    Parameters
    ----------
    files : iterable of str
        As for `read_collection`.
    tell : callable
        Told, in a line, which file could not be read, and why.
    codes : set of Exit
        IO is added for it.
    """
    from solver.formats.collection import read_collection

    for file in files:
        try:
            yield from read_collection(file)
        except OSError as error:
            tell(f"error: {file}: {error.strerror or error}")
            codes.add(Exit.IO)
