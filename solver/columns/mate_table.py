"""The answers to many positions, in columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from solver.columns.texts import TextColumn
from solver.errors import InputError, missing_package
from solver.solution import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

STATUSES: tuple[str, ...] = (*(str(status) for status in Status), "unreadable")
"""What `MateTable.status` may contain; `MateTable.codes` are indices into it."""

UNREADABLE = len(STATUSES) - 1


class MateRow(NamedTuple):
    """The answer to one of many positions.

    Attributes
    ----------
    status : str
        `proved`, `found`, `disproved`, `undecided` or `unreadable`.
    mate : int or None
        Moves to mate, proved; None: no mate was found.
    lower_bound : int or None
        No mate takes fewer moves: proved; None for an unreadable row.
    keys : tuple of str
        First moves that mate in `mate` moves, in UCI notation.
    keys_complete : bool
        Whether these are all.
    pv : tuple of str
        The line of the mate, likewise.
    nodes : int
        Positions entered by the search.
    time_s : float
        Seconds of searching.
    error : str
        Why the row cannot be read, in one line; empty if it can.
    """

    status: str
    mate: int | None
    lower_bound: int | None
    keys: tuple[str, ...]
    keys_complete: bool
    pv: tuple[str, ...]
    nodes: int
    time_s: float
    error: str


@dataclass(frozen=True, slots=True, eq=False)
class MateTable:
    """The answers to many positions; each column has a row for each, in order.

    `table[0]` is the first row, a `MateRow`, and `table[:5]` a list of the first five.

    Attributes
    ----------
    codes : uint8 array
        The place of each status in `STATUSES`.
    mate : int16 array
        Moves to mate, proved; 0 without one, and if it is checkmate.
    has_mate : bool array
        Whether a mate was found.
    lower_bound : int16 array
        No mate takes fewer moves: proved; 0 for an unreadable row.
    keys : TextColumn
        First moves that mate in `mate` moves, in UCI notation, separated by spaces.
    keys_complete : bool array
        Whether these are all.
    pv : TextColumn
        The line of the mate, likewise.
    nodes : int64 array
        Positions entered by the search.
    time_s : float64 array
        Seconds of searching. The time of rows that were searched in one call is shared
        out by their nodes.
    error : TextColumn
        Why a row cannot be read, in one line; empty if it can.
    index : pandas.Index or None
        The index of the pandas.Series that had the positions.
    """

    codes: NDArray[np.uint8]
    mate: NDArray[np.int16]
    has_mate: NDArray[np.bool_]
    lower_bound: NDArray[np.int16]
    keys: TextColumn
    keys_complete: NDArray[np.bool_]
    pv: TextColumn
    nodes: NDArray[np.int64]
    time_s: NDArray[np.float64]
    error: TextColumn
    index: Any = None

    @classmethod
    def join(cls, tables: Sequence[MateTable], index: Any = None) -> MateTable:
        """Concatenate tables."""
        columns: dict[str, Any] = {}
        for field in fields(cls):
            if field.name == "index":
                continue
            parts = [getattr(table, field.name) for table in tables]
            is_text = isinstance(parts[0], TextColumn)
            join = TextColumn.join if is_text else np.concatenate
            columns[field.name] = join(parts)
        return cls(**columns, index=index)

    def __repr__(self) -> str:
        return f"<MateTable of {self.words()}>"

    def _repr_html_(self) -> str:
        from solver.pages.notebook import table_html

        return table_html(self)

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> MateRow: ...

    @overload
    def __getitem__(self, index: slice) -> list[MateRow]: ...

    def __getitem__(self, index: int | slice) -> MateRow | list[MateRow]:
        places = range(len(self))[index]  # also raises IndexError
        return (
            self._row(places) if isinstance(places, int) else [*map(self._row, places)]
        )

    def __iter__(self) -> Iterator[MateRow]:
        return map(self._row, range(len(self)))

    def _row(self, place: int) -> MateRow:
        code = self.codes[place]
        return MateRow(
            STATUSES[code],
            int(self.mate[place]) if self.has_mate[place] else None,
            int(self.lower_bound[place]) if code != UNREADABLE else None,
            tuple(self.keys[place].split()),
            bool(self.keys_complete[place]),
            tuple(self.pv[place].split()),
            int(self.nodes[place]),
            float(self.time_s[place]),
            self.error[place],
        )

    def words(self) -> str:
        """Return how many rows there are, and how many have each status."""
        rows = f"{len(self):,} row{'s' * (len(self) != 1)}"
        counts = np.bincount(self.codes, minlength=len(STATUSES)).tolist()
        parts = zip(counts, STATUSES, strict=True)
        return ", ".join([rows, *(f"{n:,} {status}" for n, status in parts if n)])

    @property
    def status(self) -> NDArray[np.str_]:
        """`proved`, `found`, `disproved`, `undecided` or `unreadable` for each row."""
        return np.array(STATUSES)[self.codes]

    def to_arrow(self) -> Any:
        """Return a table of pyarrow; `mate` is null where no mate was found.

        Returns
        -------
        pyarrow.Table
            The columns `status`, `mate`, `lower_bound`, `keys`, `keys_complete`, `pv`,
            `nodes`, `time_s` and `error`.

        Raises
        ------
        InputError
            pyarrow is not installed.
        """
        pa = _load("pyarrow", "to_arrow")
        status = pa.DictionaryArray.from_arrays(
            pa.array(self.codes.astype(np.int8)), pa.array(STATUSES)
        )
        is_readable = self.codes != UNREADABLE
        return pa.table(
            {
                "status": status,
                "mate": pa.array(self.mate, mask=~self.has_mate),
                "lower_bound": pa.array(self.lower_bound, mask=~is_readable),
                "keys": self.keys.to_arrow(),
                "keys_complete": pa.array(self.keys_complete),
                "pv": self.pv.to_arrow(),
                "nodes": pa.array(self.nodes),
                "time_s": pa.array(self.time_s),
                "error": self.error.to_arrow(),
            }
        )

    def to_pandas(self) -> Any:
        """Return the columns of `to_arrow` as a pandas.DataFrame.

        Its index is the index of the pandas.Series with the positions. `mate` and
        `lower_bound` are of the type Int16, which has missing values.

        Raises
        ------
        InputError
            pandas or pyarrow is not installed.
        """
        table = self.to_arrow()
        pd = _load("pandas", "to_pandas")
        types = {table.schema.field("mate").type: pd.Int16Dtype()}
        frame = table.to_pandas(types_mapper=types.get)
        return frame if self.index is None else frame.set_axis(self.index)

    def to_polars(self) -> Any:
        """Return the columns of `to_arrow` as a polars.DataFrame.

        Raises
        ------
        InputError
            polars or pyarrow is not installed.
        """
        return _load("polars", "to_polars").from_arrow(self.to_arrow())


def _load(package: str, method: str) -> Any:
    """Import a package that a method needs; raise InputError without it."""
    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise InputError(missing_package(method, package)) from None
