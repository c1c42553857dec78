"""Records for programs of what has no answer: one JSON object a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.version import SCHEMA, __version__

if TYPE_CHECKING:
    from solver.errors import FormatError


def unreadable_record(error: FormatError) -> dict[str, object]:
    """Make the record that stands in the place of an answer to an unreadable line.

    Parameters
    ----------
    error : FormatError
        What is wrong with the line.

    Returns
    -------
    dict
        `id` is the line's `file:line`, `error` the reason; the rest is None.
    """
    return {
        "schema": SCHEMA,
        "id": error.source,
        "fen": None,
        "claim": None,
        "status": None,
        "error": error.reason,
        "solver": __version__,
    }
