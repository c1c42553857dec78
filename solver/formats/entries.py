"""What a container of records holds, before anything of it is understood."""

from __future__ import annotations

from typing import Any, NamedTuple


class Placed(str):
    """A text with its place, so that another can be written there.

    Attributes
    ----------
    at : object
        Where it is: the beginning and the end in a text, or sheet, row and column.
    """

    __slots__ = ("at",)
    at: Any

    def __new__(cls, text: str, at: object) -> Placed:
        """Return a text that is at a place."""
        self = super().__new__(cls, text)
        self.at = at
        return self

    def __str__(self) -> str:
        return self

    def strip(self, chars: str | None = None, /) -> Placed:
        """Return the text without white space around it, at the same place."""
        return Placed(super().strip(chars), self.at)


def joined(text: str, parts: list[str | None]) -> str:
    """Return a text with the place of its parts, if they have one."""
    first, last = parts[0], parts[-1]
    if isinstance(first, Placed) and isinstance(last, Placed):
        return Placed(text, (first.at[0], last.at[1]))
    return text


class Entry(NamedTuple):
    """One record as its container has it.

    Attributes
    ----------
    number : int
        Its line, or its number in the file, from 1: what follows the file's name in
        `file:line`.
    fields : dict of str to str
        The text of each field by its name, in file order; columns without names are
        `1`, `2`, .... Lists are texts with spaces between them; a move that is an
        object is in UCI notation. The name of a nested field is its path, such as
        `puzzle.fen`.
    texts : tuple of str
        Texts without a name, the nearest to the position first.
    heads : tuple of str
        The headings above the record, and the names of what is around it, the nearest
        last.
    name : str
        The record's name if no field has one.
    """

    number: int
    fields: dict[str, str]
    texts: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    name: str = ""
