"""Merge stores: a file gets the answers, records and marks that another one has."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, NamedTuple

from solver.audit import schema
from solver.audit.checks import check_stored
from solver.audit.store import PUT_MARK, Store, mark_row
from solver.errors import InputError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


def merge(store: Store, other: Path) -> None:
    """Add the results of another store, all or none of them.

    If both answer a question, the better answer stays: proved or disproved first, then
    found, then undecided, then the higher lower bound. If both have a record or a mark,
    that of the other store stays. A damaged row never replaces another, and a damaged
    mark is not copied.

    Parameters
    ----------
    store : Store
        Gets the results.
    other : Path
        A store; it is only read.

    Raises
    ------
    StoreError
        It is not a store, or one of the two cannot be used.
    """
    store.commit()
    # Opening it checks that it is a store of this version.
    with Store(other, read_only=True) as opened, store.connection() as base:
        base.execute("ATTACH ? AS other", (schema.uri(other),))
        try:
            base.execute("BEGIN")  # IMMEDIATE would lock the other as well
            for table in _tables(opened.upgrades):
                _add(base, table)
            base.executemany(PUT_MARK, starmap(mark_row, opened.marks().items()))
            base.execute("COMMIT")
        finally:
            if base.in_transaction:  # a full disk may have ended it
                base.execute("ROLLBACK")
            base.execute("DETACH other")


def _add(base: sqlite3.Connection, table: _Table) -> None:
    """Add the rows of a table."""
    keys, marks = table.keys, ", ".join("?" * table.unique)
    base.execute(f"CREATE TEMP TABLE damaged ({keys})")
    for side, statement in (
        ("other", f"INSERT INTO temp.damaged VALUES ({marks})"),
        ("main", f"DELETE FROM main.{table.name} WHERE ({keys}) = ({marks})"),
    ):
        rows = base.execute(table.common(side))
        damaged = [row for row in rows if not _is_sound(table.name, row)]
        base.executemany(statement, [row[: table.unique] for row in damaged])
    base.execute(table.add)
    base.execute("DROP TABLE temp.damaged")


def _is_sound(table: str, row: Sequence[object]) -> bool:
    try:
        check_stored(table, row)
    except InputError:
        return False
    return True


_RANK = "CASE {0}.status WHEN 'undecided' THEN 0 WHEN 'found' THEN 1 ELSE 2 END"


class _Table(NamedTuple):
    """How rows of the database `other` are added to a table.

    A row replaces one with the same key, except where `temp.damaged` has the key.

    Attributes
    ----------
    name : str
    columns : tuple of str
    unique : int
        The first so many columns are the key.
    lacking : mapping of str to str
        The values of columns that the other store lacks.
    better : str
        A further condition for a replacement.
    """

    name: str
    columns: tuple[str, ...]
    unique: int
    lacking: Mapping[str, str]
    better: str = "true"

    @property
    def keys(self) -> str:
        """The columns of the key."""
        return ", ".join(self.columns[: self.unique])

    @property
    def _values(self) -> list[str]:
        return [self.lacking.get(name, name) for name in self.columns]

    def common(self, side: str) -> str:
        """Return the query of the rows of `main` or `other` whose key both have."""
        values = self.columns if side == "main" else self._values
        mine, its = self.columns[: self.unique], self._values[: self.unique]
        here, there = (mine, its) if side == "main" else (its, mine)
        found = f"SELECT {', '.join(there)} FROM {_OTHER[side]}.{self.name}"
        return (
            f"SELECT {', '.join(values)} FROM {side}.{self.name} "
            f"WHERE ({', '.join(here)}) IN ({found})"
        )

    @property
    def add(self) -> str:
        """The statement that adds the rows."""
        rows = f"SELECT {', '.join(self._values)} FROM other.{self.name} WHERE true"
        key = ", ".join(f"excluded.{name}" for name in self.columns[: self.unique])
        return (
            f"{schema.upsert(self.name, self.columns, self.unique, rows=rows)} "
            f"WHERE ({key}) NOT IN temp.damaged AND {self.better}"
        )


_OTHER = {"main": "other", "other": "main"}


def _tables(upgrades: int) -> Iterator[_Table]:
    """Yield the tables to merge; of two answers to a question, the better one stays.

    Parameters
    ----------
    upgrades : int
        How many of `schema.UPGRADES` the other store has.
    """
    lacking = dict.fromkeys(schema.lacking(upgrades), "NULL")
    lacking |= {} if upgrades else {"twin": "''"}
    better = (
        f"({_RANK.format('excluded')}, excluded.lower_bound) > "
        f"({_RANK.format('answers')}, answers.lower_bound)"
    )
    yield _Table("answers", schema.ALL_ANSWER_COLUMNS, 1, lacking, better)
    yield _Table("records", schema.RECORD_COLUMNS, 3, lacking)
