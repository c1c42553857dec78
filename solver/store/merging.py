"""Several stores into one, such as those of the shards of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.audit.schema import ALL_ANSWER_COLUMNS, RECORD_COLUMNS, upsert
from solver.audit.store import Store

if TYPE_CHECKING:
    from pathlib import Path

_SETTLED = "CASE {0}.status WHEN 'undecided' THEN 0 WHEN 'found' THEN 1 ELSE 2 END"

_ANSWERS = upsert(
    "answers",
    ALL_ANSWER_COLUMNS,
    1,
    rows=f"SELECT {', '.join(ALL_ANSWER_COLUMNS)} FROM other.answers WHERE true",
)
_IS_BETTER = (
    f"({_SETTLED.format('excluded')}, excluded.lower_bound) > "
    f"({_SETTLED.format('answers')}, answers.lower_bound)"
)
_RECORDS = upsert(
    "records",
    RECORD_COLUMNS,
    2,
    rows=f"SELECT {', '.join(RECORD_COLUMNS)} FROM other.records WHERE true",
)


def merge(store: Store, other: Path) -> None:
    """Add what another store has found.

    Where both have answered a question, the more settled answer stays; where both have
    a record, the other's counts.

    Parameters
    ----------
    store : Store
        Is added to: all or nothing.
    other : Path
        A store; it is only read.

    Raises
    ------
    StoreError
        It is none, or one of the two cannot be used.
    """
    with Store(other, read_only=True):  # sees whether it is one, and of this version
        store.merge_from(iter((f"{_ANSWERS} WHERE {_IS_BETTER}", _RECORDS)), other)
