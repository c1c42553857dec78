"""A table of answers: columns of numbers, texts and moves, and its rows.

Moves stay as the kernel wrote them until they are wanted: as a tuple for a row, or as
a column of pyarrow.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar, overload

import numpy as np

from solver import errors
from solver.kernel.border import parts, query_struct
from solver.kernel.build.loader import load_part
from solver.position_text import address_of, own_memory
from solver.solution import show_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from ctypes import Array

    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray


Row_co = TypeVar("Row_co", covariant=True)

Numbers: TypeAlias = "int | NDArray[np.int64]"

QUERY = np.dtype(query_struct.Query)

NAMED_ROWS = 4096
"""How many rows are written in SAN in one call of the kernel."""

BLANK = ord(" ")


def columns_of(rows: Array[query_struct.Query]) -> Any:
    """Return the fields of queries as arrays of numpy, which share their memory."""
    memory: Any = rows
    return np.frombuffer(memory, QUERY)


class Texts:
    """Texts of many rows, one after the other.

    Parameters
    ----------
    content : bytes
        The texts, in UTF-8.
    ends : int64 array
        Where each ends.
    """

    def __init__(self, content: bytes, ends: NDArray[np.int64]) -> None:
        self.content = content
        self.ends = ends

    @classmethod
    def encode(cls, texts: Iterable[str]) -> Self:
        """Return a column of texts."""
        parts = [text.encode(errors="replace") for text in texts]
        sizes = np.fromiter(map(len, parts), np.int64, len(parts))
        return cls(b"".join(parts), np.cumsum(sizes))

    @classmethod
    def take(
        cls,
        content: bytes,
        starts: NDArray[np.int64],
        sizes: NDArray[np.int64],
    ) -> Self:
        """Return a column of parts of a text."""
        ends = np.cumsum(sizes)
        letters = np.arange(sizes.sum()) + np.repeat(starts - (ends - sizes), sizes)
        return cls(np.frombuffer(content, np.uint8)[letters].tobytes(), ends)

    @classmethod
    def join(cls, columns: Sequence[Self]) -> Self:
        """Concatenate columns."""
        sizes = [column.sizes for column in columns]
        content = b"".join([column.content for column in columns])
        return cls(content, np.cumsum(np.concatenate(sizes)))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The bytes of each text."""
        return np.diff(self.ends, prepend=0)

    def __len__(self) -> int:
        return len(self.ends)

    def text(self, place: int) -> str:
        """Return the text of a row."""
        return self.content[self._bounds[place] : self._bounds[place + 1]].decode()

    @cached_property
    def _bounds(self) -> list[int]:
        return [0, *self.ends.tolist()]


class Rows(Sequence[Row_co], ABC):
    """A sequence that makes each row when it is asked for."""

    @abstractmethod
    def _row(self, place: int) -> Row_co:
        """Return a row."""

    @overload
    def __getitem__(self, index: int) -> Row_co: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row_co]: ...

    def __getitem__(self, index: int | slice) -> Row_co | list[Row_co]:
        places = range(len(self))[index]  # also raises IndexError
        return (
            self._row(places) if isinstance(places, int) else [*map(self._row, places)]
        )

    def __iter__(self) -> Iterator[Row_co]:
        return map(self._row, range(len(self)))


class MoveColumn(Texts, Rows[tuple[str, ...]]):
    """The moves of many rows: a sequence with a tuple of str for each row.

    In its texts, each move has a space behind it.
    """

    def __repr__(self) -> str:
        return f"<MoveColumn of {len(self):,} rows>"

    def _row(self, place: int) -> tuple[str, ...]:
        """Return the moves of a row."""
        return tuple(self.text(place).split())

    @cached_property
    def _word_starts(self) -> NDArray[np.int64]:
        """Where each move of any row begins, and where the last one ends."""
        blanks = np.flatnonzero(np.frombuffer(self.content, np.uint8) == BLANK)
        return np.concatenate(([0], blanks + 1))

    @cached_property
    def move_ends(self) -> NDArray[np.int64]:
        """How many moves each row and those before it have."""
        return np.searchsorted(self._word_starts, self.ends)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many moves each row has."""
        return np.diff(self.move_ends, prepend=0)

    def part(self, first: Numbers, end: Numbers) -> MoveColumn:
        """Return each row's moves from `first` on, before `end`."""
        before = self.move_ends - self.counts
        starts = self._word_starts[before + first]
        ends = self._word_starts[before + end]
        return MoveColumn.take(self.content, starts, ends - starts)

    def followed_by(self, other: MoveColumn) -> MoveColumn:
        """Return each row's moves with those of another column behind them."""
        content = self.content + other.content
        starts = self.ends - self.sizes, len(self.content) + other.ends - other.sizes
        pairs = (
            np.stack(both, 1).ravel() for both in (starts, (self.sizes, other.sizes))
        )
        both = MoveColumn.take(content, *pairs)
        return MoveColumn(both.content, both.ends[1::2])

    def lists(self) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
        """Return all moves without spaces, where each ends, and how many each row ends.

        The two arrays begin with a zero.
        """
        word_ends = self._word_starts - np.arange(len(self._word_starts))
        content = self.content.replace(b" ", b"")
        return content, word_ends, np.concatenate(([0], self.move_ends))

    def in_san(self, fens: Texts, played: Numbers) -> MoveColumn:
        """Return these moves in SAN.

        Parameters
        ----------
        fens : Texts
            The position of each row.
        played : int or int64 array
            So many moves are played before the next; the others are moves of the
            position after them.
        """
        played = np.broadcast_to(played, len(self))
        return MoveColumn.join(
            [
                self._named(slice(first, first + NAMED_ROWS), fens, played)
                for first in range(0, max(1, len(self)), NAMED_ROWS)
            ]
        )

    def _named(
        self, chosen: slice, fens: Texts, played: NDArray[np.int64]
    ) -> MoveColumn:
        """Return some rows in SAN."""
        memory, kernel = own_memory(), load_part(parts.SEARCH).kernel
        sizes = self.sizes[chosen]
        rows = (query_struct.Query * len(sizes))()
        columns = columns_of(rows)
        for at, size, given in (("fen", "fen_size", fens), ("line", "line_size", self)):
            columns[size] = given.sizes[chosen]
            columns[at] = address_of(given.content) + given.ends[chosen] - columns[size]
        columns["played"] = played[chosen]
        most = query_struct.SAN_TEXT_BYTES * (int(sizes.sum()) // 3 + len(sizes) + 1)
        written = ctypes.create_string_buffer(most)
        memory.write_to(written)
        kernel.name_rows(rows, memory.search, 0, len(rows))
        content = written.raw[: memory.search.text_written]
        memory.write_to(memory.written)  # no longer to memory that ends here
        return MoveColumn(content, np.cumsum(columns["line_written"]))


@dataclass(frozen=True, eq=False, repr=False)
class AnswerTable(Rows[Row_co]):
    """Answers to many questions in columns; `table[0]` is the first row.

    Subclasses are dataclasses: each field is a column, except `pandas_index`.

    Attributes
    ----------
    statuses : tuple of str
        The words for `codes`.
    codes : uint8 array
        The place of each row's status in `statuses`.
    pandas_index : pandas.Index or None
        The index of the pandas.Series that had the positions.
    """

    statuses: ClassVar[tuple[str, ...]]
    codes: NDArray[np.uint8]
    pandas_index: pd.Index | None = field(default=None, kw_only=True)

    @classmethod
    def join(cls, tables: Sequence[Self], index: pd.Index | None = None) -> Self:
        """Concatenate tables."""
        columns: dict[str, Any] = {"pandas_index": index}
        for name in {each.name for each in fields(cls)} - columns.keys():
            columns[name] = _joined([getattr(table, name) for table in tables])
        return cls(**columns)

    @property
    @abstractmethod
    def _columns(self) -> Mapping[str, Any]:
        """What `to_arrow` has beside the status, by name.

        Each is an array, a `MoveColumn`, or a list of str.
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.words()}>"

    def _repr_html_(self) -> str:
        return str(show_answer(self, "html"))

    def __len__(self) -> int:
        return len(self.codes)

    def words(self) -> str:
        """Return how many rows there are, and how many have each status."""
        rows = f"{len(self):,} row{'s' * (len(self) != 1)}"
        counts = np.bincount(self.codes, minlength=len(self.statuses)).tolist()
        pairs = zip(counts, self.statuses, strict=True)
        return ", ".join([rows, *(f"{n:,} {status}" for n, status in pairs if n)])

    @property
    def status(self) -> NDArray[np.str_]:
        """The status of each row, one of `statuses`."""
        return np.array(self.statuses)[self.codes]

    def to_arrow(self) -> pa.Table:
        """Return a pyarrow.Table, with a null where a row has None.

        Moves are lists of strings, in UCI notation and, in columns whose names end with
        `_san`, in SAN.

        Raises
        ------
        InputError
            pyarrow is not installed.
        """
        pyarrow = _load("pyarrow", "to_arrow")
        codes, words = map(pyarrow.array, (self.codes.astype(np.int8), self.statuses))
        columns = {"status": pyarrow.DictionaryArray.from_arrays(codes, words)}
        for name, column in self._columns.items():
            columns[name] = _in_arrow(pyarrow, column)
        table: pa.Table = pyarrow.table(columns)
        return table

    def to_pandas(self) -> pd.DataFrame:
        """Return the columns of `to_arrow` as a pandas.DataFrame; moves are tuples.

        Its index is the index of the pandas.Series with the positions. Numbers that may
        be missing are of the type Int16.

        Raises
        ------
        InputError
            pandas or pyarrow is not installed.
        """
        pandas, pyarrow = (_load(name, "to_pandas") for name in ("pandas", "pyarrow"))
        types = {pyarrow.int16(): pandas.Int16Dtype()}
        frame: pd.DataFrame = self.to_arrow().to_pandas(types_mapper=types.get)
        for name, column in self._columns.items():
            if isinstance(column, MoveColumn):
                frame[name] = column[:]
        index = self.pandas_index
        return frame if index is None else frame.set_axis(index)

    def to_polars(self) -> pl.DataFrame:
        """Return the columns of `to_arrow` as a polars.DataFrame.

        Raises
        ------
        InputError
            polars or pyarrow is not installed.
        """
        polars = _load("polars", "to_polars")
        frame: pl.DataFrame = polars.from_arrow(self.to_arrow())
        return frame


def _joined(columns: list[Any]) -> Any:
    first = columns[0]
    if isinstance(first, Texts):
        return type(first).join(columns)
    return [*chain(*columns)] if isinstance(first, list) else np.concatenate(columns)


def _load(package: str, method: str) -> Any:
    """Import a package that a method needs; raise InputError without it."""
    try:
        return import_module(package)
    except ModuleNotFoundError:
        raise errors.InputError(errors.missing_package(method, package)) from None


def _in_arrow(pyarrow: Any, column: Any) -> Any:
    """Return a column as an array of pyarrow."""
    if not isinstance(column, MoveColumn):
        is_text = isinstance(column, list)
        return pyarrow.array(column, pyarrow.large_string() if is_text else None)
    content, *bounds = column.lists()
    # pyarrow refuses numbers that are too large.
    words, lists = (pyarrow.array(each, pyarrow.int32()) for each in bounds)
    moves = pyarrow.StringArray.from_buffers(
        len(words) - 1, words.buffers()[1], pyarrow.py_buffer(content)
    )
    return pyarrow.ListArray.from_arrays(lists, moves)


# Columns in


def pandas_index_of(values: object) -> Any:
    """Return the index of a pandas.Series; None for any other column."""
    # Only a Series has both; looking pandas up in `sys.modules` races with its import.
    return getattr(values, "index", None) if hasattr(values, "iloc") else None
