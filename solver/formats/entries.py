"""What a container of records holds, before anything of it is understood.

Called by `elements`, `json_records`, `parquet`, `reading`, `tables`, `text` and
`trees`; imports no other.
"""

from __future__ import annotations

from typing import NamedTuple


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
