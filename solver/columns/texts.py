"""Columns of texts: one block of memory, and the offsets of the rows in it.

The layout is Arrow's `large_string`, so columns pass from and to pyarrow and polars
without copying each text. `read_column` takes any column or iterable in slices of it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from solver.errors import InputError, refusal
from solver.problem import Problem
from solver.search.question import read_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Offsets: TypeAlias = NDArray[np.int64]
    Bytes: TypeAlias = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn(Sequence[str]):
    """A column of texts.

    Attributes
    ----------
    data : uint8 array
        The texts, one after the other, in UTF-8.
    offsets : int64 array, shape (rows + 1,)
        Where each begins; the last is the end of the last.
    """

    data: Bytes
    offsets: Offsets

    @classmethod
    def of(cls, texts: Sequence[str]) -> TextColumn:
        """Make a column of texts."""
        encoded = [text.encode(errors="replace") for text in texts]
        data = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(data, _offsets(np.fromiter(map(len, encoded), np.int64)))

    @classmethod
    def blank(cls, rows: int) -> TextColumn:
        """Make a column of empty texts."""
        return cls(np.empty(0, np.uint8), np.zeros(rows + 1, np.int64))

    @classmethod
    def cut(cls, text: Bytes, starts: Offsets, sizes: Offsets) -> TextColumn:
        """Make a column from pieces of a text, given by offsets and sizes in bytes."""
        offsets = _offsets(sizes)
        places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
        return cls(text[places], offsets)

    @classmethod
    def join(cls, columns: Sequence[TextColumn]) -> TextColumn:
        """Concatenate columns."""
        sizes = [np.diff(column.offsets) for column in columns]
        data = [column.data for column in columns]
        return cls(
            np.concatenate([*data, np.empty(0, np.uint8)]),
            _offsets(np.concatenate([*sizes, np.empty(0, np.int64)])),
        )

    def __repr__(self) -> str:
        return f"TextColumn.of({reprlib.repr(self[:7])})"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]  # also raises IndexError
        start, end = self.offsets[place : place + 2]
        return self.data[start:end].tobytes().decode(errors="replace")

    def to_arrow(self) -> Any:
        """Return the column as an array of pyarrow, which shares its memory."""
        import pyarrow as pa

        buffers = [None, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_string(), len(self), buffers)


def _offsets(sizes: NDArray[np.integer[Any]]) -> Offsets:
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


_TEXTS = {
    *("string", "large_string", "string_view"),
    *("binary", "large_binary", "binary_view"),
}
"""The Arrow types that need no Python object for each cell."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Some rows of a column.

    Attributes
    ----------
    texts : TextColumn
        Their texts, which may contain bytes that are not UTF-8; empty for a row that
        has none.
    faults : dict of int to str
        Why such a row has none, by its place in the slice.
    """

    texts: TextColumn
    faults: dict[int, str]


def read_column(name: str, values: Iterable[Any], size: int) -> Iterator[Slice]:
    """Read a column of positions in slices.

    Parameters
    ----------
    name : str
        What a message calls the column.
    values : iterable
        A list, an array of numpy, a column of pyarrow, polars or pandas, or an
        iterator, which is not read farther ahead than a slice. Bytes are texts in
        UTF-8.
    size : int
        The most rows of a slice.

    Raises
    ------
    InputError
        It is no column, see `require_column`; or, after its last row, no row is a
        position.
    """
    require_column(name, values, "a column of FENs")
    first, has_text = "", False
    for part in _read_slices(values, size):
        yield part
        has_text = has_text or len(part.faults) < len(part.texts)
        first = first or next(iter(part.faults.values()), "")
    if first and not has_text:
        msg = f"{name}: expected a column of FENs, found none in any row; {first}"
        raise InputError(msg)


def _read_slices(values: Any, size: int) -> Iterator[Slice]:
    if hasattr(values, "to_arrow"):  # polars
        values = values.to_arrow()
    if hasattr(values, "type") and hasattr(values, "to_pylist"):  # pyarrow
        yield from _read_arrow(values, size)
        return
    rows = iter(values)
    while part := list(islice(rows, size)):
        yield _read_part(part)


def require_column(name: str, values: Any, expected: str) -> Iterable[Any]:
    """Return a column.

    Raises
    ------
    InputError
        It is a single value, or a table, whose rows are not texts and which may yield
        the names of its columns.
    """
    shape = getattr(values, "shape", (0,))
    if len(shape) != 1:
        found = f"{type(values).__name__} of shape {tuple(shape)}"
        msg = f"{name}: expected {expected}, found {found}"
        raise InputError(msg)
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise refusal(name, expected, values)
    return values


def text_of(cell: Any) -> Any:
    """Return the text of a cell of bytes, or any other cell unchanged."""
    return cell.decode(errors="replace") if isinstance(cell, bytes) else cell


def _read_arrow(values: Any, size: int) -> Iterator[Slice]:
    import pyarrow as pa

    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            part = chunk.slice(start, size)
            if pa.types.is_dictionary(part.type):
                part = part.dictionary_decode()
            if str(part.type) not in _TEXTS or part.null_count:
                yield _read_part(part.to_pylist())
                continue
            part = part.cast(pa.large_binary())
            _, offsets, data = part.buffers()
            places = np.frombuffer(offsets, np.int64)
            yield Slice(
                TextColumn(
                    np.frombuffer(data or b"", np.uint8),
                    places[part.offset : part.offset + len(part) + 1],
                ),
                {},
            )


def _read_part(part: list[Any]) -> Slice:
    if all(isinstance(value, str) for value in part):
        return Slice(TextColumn.of(part), {})
    faults = {}
    for place, value in enumerate(part):
        try:
            part[place] = _fen_of(text_of(value))
        except InputError as error:
            faults[place] = str(error)
            part[place] = ""
    return Slice(TextColumn.of(part), faults)


def _fen_of(cell: object) -> str:
    """Return the text of a row.

    Raises
    ------
    InputError
        It is no position, or asks another question than that for a mate by the side to
        move.
    """
    if not isinstance(cell, Problem):
        return read_text("fen", cell)
    if other := cell.stipulation.beside_claim.text:
        msg = f"stipulation: expected a mate, found {other}"
        raise InputError(msg)
    if cell.claim and cell.claim.mate < 0:
        msg = f"claim: expected a mate by the side to move, found {cell.claim.mate}"
        raise InputError(msg)
    return cell.fen
