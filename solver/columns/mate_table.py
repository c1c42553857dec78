"""The answers to many positions, in columns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from solver.columns.texts import TextColumn
from solver.errors import InputError, missing_package
from solver.solution import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

STATUSES = (*(str(status) for status in Status), "unreadable")
"""What `MateTable.status` may contain; `MateTable.codes` are places in it."""

UNREADABLE = len(STATUSES) - 1


@dataclass(frozen=True, slots=True, eq=False)
class MateTable:
    """The answers to many positions; all columns have a row for each, in their order.

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

    @classmethod
    def join(cls, tables: Sequence[MateTable]) -> MateTable:
        """Put tables one below the other."""
        columns: dict[str, Any] = {}
        for field in fields(cls):
            parts = [getattr(table, field.name) for table in tables]
            is_text = isinstance(parts[0], TextColumn)
            join = TextColumn.join if is_text else np.concatenate
            columns[field.name] = join(parts)
        return cls(**columns)

    def __len__(self) -> int:
        return len(self.codes)

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
        try:
            import pyarrow as pa
        except ModuleNotFoundError:
            raise InputError(missing_package("to_arrow", "pyarrow")) from None
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

        Raises
        ------
        InputError
            pandas or pyarrow is not installed.
        """
        table = self.to_arrow()
        try:
            return table.to_pandas()
        except ModuleNotFoundError:
            raise InputError(missing_package("to_pandas", "pandas")) from None

    def to_polars(self) -> Any:
        """Return the columns of `to_arrow` as a polars.DataFrame.

        Raises
        ------
        InputError
            polars or pyarrow is not installed.
        """
        try:
            import polars as pl
        except ModuleNotFoundError:
            raise InputError(missing_package("to_polars", "polars")) from None
        return pl.from_arrow(self.to_arrow())
