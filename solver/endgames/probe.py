"""The tables that this process has built, shared by all threads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

from solver.endgames.retrograde import build_table
from solver.endings.men import without_each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from solver.endings.men import Men
    from solver.endings.table import Table

    Tables: TypeAlias = Mapping[Men, Table]

_PATIENCE_S = 0.02
"""How long to wait for another thread's table before asking whether to stop."""

# No table is ever dropped: the attacker has more than its king in 30 endings, which
# take 160 MiB if all of them are built, with the five that captures lead to.
_TABLES: dict[Men, Table] = {}
_BUILDING = threading.Lock()


def open_tables(men: Men, is_stopped: Callable[[], bool]) -> Tables | None:
    """Give the tables of an ending and of all that captures lead to.

    They are built when they are first asked for; None: it was stopped.
    """
    if men in _TABLES:
        return _TABLES
    while not _BUILDING.acquire(timeout=_PATIENCE_S):
        if is_stopped():
            return None
    try:
        return _TABLES if _open(men, is_stopped) else None
    finally:
        _BUILDING.release()


def _open(men: Men, is_stopped: Callable[[], bool]) -> Table | None:
    if men in _TABLES:
        return _TABLES[men]
    smaller = {}
    for index, left in without_each(men):
        table = _open(left, is_stopped)
        if table is None:
            return None
        smaller[index] = table
    table = build_table(men, smaller, is_stopped)
    if table is not None:
        _TABLES[men] = table
    return table
