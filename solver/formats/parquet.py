"""Read and write Parquet: lichess's columns, or those of matesolve's CSV.

1. `_select` rejects rows of lichess by whole columns, before any Python object is made.
2. The cells of the other rows become texts, as in CSV.
3. The functions for CSV read these rows, so both formats give the same records.

This module needs pyarrow.
"""

from __future__ import annotations

import io
import tempfile
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solver.errors import FormatError, InputError, quote
from solver.formats.claims import printable
from solver.formats.lichess import RATING, columns_for, row_reader
from solver.formats.native import COLUMNS, read_row
from solver.formats.streams import MAX_LINE_BYTES, Records, decode_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from solver.formats.claims import ReadOptions, Selection
    from solver.formats.summary import FileSummary
    from solver.problem import Problem

BATCH_ROWS = 1 << 14
"""How many rows are in memory together; a row group may be the whole file."""

ROW_GROUP = 10_000
"""Rows per row group of a written file; these are in memory together."""

_BUFFER_BYTES = 1 << 16
"""Bytes per read of a column, so that a large row group is not read whole."""

_WHOLE_BYTES = 1 << 24
"""The largest content of a row group whose columns are read whole."""

_SPOOL_BYTES = 1 << 20
_TEXTS = {
    *("string", "large_string", "string_view"),
    *("binary", "large_binary", "binary_view"),
}
_WRITTEN_AS_TEXT = (
    *(pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal),
    *(pa.types.is_boolean, pa.types.is_null),
)
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
_KINDS = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}

_SHOWN_CHARACTERS = 200

_TRUE = pa.scalar(value=True)
_FALSE = pa.scalar(value=False)


class _Columns(NamedTuple):
    """Which columns are read, and how.

    Attributes
    ----------
    names : list of str
    read : callable
        Makes a problem of a row's cells and its source; None: it is not selected.
    are_lichess : bool
        Whether they are lichess's, so that `_select` applies.
    """

    names: list[str]
    read: Callable[[Sequence[str], str], Problem | None]
    are_lichess: bool


class _Rows(NamedTuple):
    """The rows of a batch that may be selected, or what is wrong with the batch.

    Attributes
    ----------
    begin, end : int
        The rows from `begin` to before `end`, counted from 0, have been read.
    numbers : sequence of int
        Those that may be selected, counted from 0 at `begin`.
    cells : list of list
        For each column the cells of these; bytes if one of them is not UTF-8.
    fault : str
        Why the rows cannot be read; otherwise empty.
    """

    begin: int
    end: int
    numbers: Sequence[int] = ()
    cells: Sequence[list[str] | list[bytes]] = ()
    fault: str = ""


def read_parquet(
    stream: BinaryIO, summary: FileSummary, options: ReadOptions
) -> Records:
    """Read the rows of a Parquet file.

    A file with lichess's columns is read as lichess's; any other must have the columns
    of matesolve's CSV. Columns are found by name. A cell may be text, a number, true or
    false, or a list of texts. Rows are counted from 1.

    Parameters
    ----------
    stream : BinaryIO
        If it is not seekable, it is first copied to a temporary file.
    summary : FileSummary
        Measures the progress, and counts the rows that are not selected.
    options : ReadOptions
        Which rows to read. Rows of lichess outside the selection are not validated.

    Yields
    ------
    Problem or FormatError
        In file order. A damaged row group is one error, and the next one is read.

    Raises
    ------
    InputError
        If the stream is compressed and damaged.
    OSError
        If the stream cannot be read, or the temporary file not written.
    """
    name, selection = summary.name, options.selection
    with _seekable(stream, summary) as file:
        try:
            metadata = pq.read_metadata(file)
            reader = pq.ParquetFile(
                file,
                metadata=metadata,
                buffer_size=_buffer_size(metadata),
                pre_buffer=False,  # it would read whole columns of a row group
                page_checksum_verification=True,
            )
            columns = _find_columns(reader.schema_arrow, summary, selection)
        except InputError as error:
            yield FormatError(name, str(error))
            return
        except _DAMAGE as error:
            fault = f"Parquet: expected a whole file, found {_explain(error)}"
            yield FormatError(name, fault)
            return
        done = 0
        summary.begin(lambda: done, metadata.num_rows)
        for rows in _read_batches(reader, columns, selection):
            done = rows.end
            if rows.fault:
                yield FormatError(f"{name}:{rows.begin + 1}", rows.fault)
                continue
            summary.not_selected += rows.end - rows.begin - len(rows.numbers)
            for number, *cells in zip(rows.numbers, *rows.cells, strict=True):
                done = rows.begin + number + 1
                record = _read_row(columns, cells, f"{name}:{done}")
                if record:
                    yield record
                else:
                    summary.not_selected += 1
            done = rows.end


def write_rows(
    columns: Mapping[str, type], rows: Iterable[tuple[object, ...]], file: BinaryIO
) -> int:
    """Write a table, a row group at a time.

    Parameters
    ----------
    columns : mapping of str to type
        Name of each column, and whether it has str, int, float or bool.
    rows : iterable of tuple
        The cells of each row; None for an empty cell.
    file : BinaryIO
        The file to write to.

    Returns
    -------
    int
        The number of rows written.
    """
    schema = pa.schema([(name, _KINDS[kind]) for name, kind in columns.items()])
    rest = iter(rows)
    count = 0
    with pq.ParquetWriter(file, schema, write_page_checksum=True) as writer:
        while group := list(islice(rest, ROW_GROUP)):
            cells = dict(zip(columns, zip(*group, strict=True), strict=True))
            writer.write_table(pa.table(cells, schema=schema))
            count += len(group)
    return count


_DAMAGE = (pa.ArrowException, OSError, ValueError)
"""What pyarrow raises when a file is damaged; ValueError if a name is not UTF-8."""


def _explain(error: Exception) -> str:
    """Return pyarrow's message in one line; raise errors of the file system again."""
    if isinstance(error, OSError) and error.errno is not None:
        raise error
    text = printable(str(error) or type(error).__name__)
    return f"damage: {text[:_SHOWN_CHARACTERS]}"


@contextmanager
def _seekable(stream: BinaryIO, summary: FileSummary) -> Iterator[BinaryIO]:
    """Return the stream, or a temporary copy: a Parquet file is read from its end."""
    if stream.seekable() and stream.seek(0, io.SEEK_CUR) == 0:
        yield stream
        return
    summary.begin(lambda: 0, None)
    with tempfile.TemporaryFile() as copy:
        while piece := stream.read(_SPOOL_BYTES):
            try:
                copy.write(piece)
                copy.flush()
            except OSError as error:  # the temporary file has no name to print
                with suppress(OSError):
                    copy.close()
                folder = tempfile.gettempdir()
                raise OSError(error.errno, error.strerror, folder) from None
        copy.seek(0)
        yield copy


def _buffer_size(metadata: Any) -> int:
    """Return how many bytes of a column to read at once; 0 for a whole row group.

    A wrong bit in the file's directory may lead pyarrow to data that is not a page but
    seems to state a size. If it has read the whole column, it takes what is there; with
    a buffer, it first clears that much memory, up to 2 GiB.
    """
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    largest = max((group.total_byte_size for group in groups), default=0)
    return 0 if largest <= _WHOLE_BYTES else _BUFFER_BYTES


def _find_columns(schema: Any, summary: FileSummary, selection: Selection) -> _Columns:
    """Choose the columns to read, by their names.

    Raises
    ------
    InputError
        If the file has not the columns of either format, if the selection needs others,
        or if a column has another type.
    """
    found: list[str] = schema.names
    own = "fen" in found and not {"PuzzleId", "FEN"}.issubset(found)
    if own:
        names = [name for name in COLUMNS if name in found]
        if selection.theme is not None or selection.min_rating is not None:
            msg = (
                "--theme and --min-rating: expected lichess's columns, "
                f"found {', '.join(names)}"
            )
            raise InputError(msg)
        read: Callable[[Sequence[str], str], Problem | None] = partial(
            read_row, summary, names
        )
    elif "FEN" in found:
        names = [name for name in columns_for(selection) if name in found]
        read = row_reader(names, selection)
    else:
        msg = (
            "Parquet: expected a column fen, or lichess's PuzzleId, FEN, Moves and "
            f"Themes, found {quote(', '.join(found))}"
        )
        raise InputError(msg)
    for name in names:
        if found.count(name) > 1:
            msg = f"{name}: expected one column, found {found.count(name)}"
            raise InputError(msg)
        kind = schema.field(name).type
        if not _is_readable(kind):
            msg = (
                f"{name}: expected a column of text, numbers or lists of text, "
                f"found {quote(str(kind))}"
            )
            raise InputError(msg)
    return _Columns(names, read, not own)


def _read_row(
    columns: _Columns, cells: Sequence[str | bytes], source: str
) -> Problem | FormatError | None:
    if sum(map(len, cells)) > MAX_LINE_BYTES:
        msg = f"expected a row of at most {MAX_LINE_BYTES:,} bytes, found a longer one"
        return FormatError(source, msg)
    try:
        texts = [
            decode_line(cell) if isinstance(cell, bytes) else cell for cell in cells
        ]
        return columns.read(texts, source)
    except InputError as error:
        return FormatError(source, str(error))


def _read_batches(
    reader: Any, columns: _Columns, selection: Selection
) -> Iterator[_Rows]:
    """Yield the rows of the file in batches; a row group ends at its first fault."""
    begin = 0
    for group in range(reader.num_row_groups):
        end = begin + reader.metadata.row_group(group).num_rows
        try:
            for batch in reader.iter_batches(
                BATCH_ROWS, row_groups=[group], columns=columns.names, use_threads=False
            ):
                cells = {name: batch.column(name) for name in columns.names}
                numbers, lists = _convert(cells, columns, selection)
                yield _Rows(begin, begin + len(batch), numbers, lists)
                begin += len(batch)
            fault = "" if begin == end else "the end of the file"
        except _DAMAGE as error:
            fault = _explain(error)
        if fault:
            expected = f"rows {begin + 1} to {end}" if begin < end else f"{end} rows"
            yield _Rows(
                begin, end, fault=f"Parquet: expected {expected}, found {fault}"
            )
        begin = end
    if begin != (total := reader.metadata.num_rows):
        fault = f"Parquet: expected {total:,} rows, found {begin:,}"
        yield _Rows(begin, begin, fault=fault)


def _convert(
    columns: dict[str, Any], how: _Columns, selection: Selection
) -> tuple[Sequence[int], list[list[str] | list[bytes]]]:
    """Return the numbers of the rows that may be selected, and their cells."""
    numbers: Sequence[int] = range(len(columns[how.names[0]]))
    if how.are_lichess:
        columns = {name: _decoded(column) for name, column in columns.items()}
        selected = pc.indices_nonzero(_select(columns, selection))
        if len(selected) < len(numbers):
            columns = {name: cells.take(selected) for name, cells in columns.items()}
            numbers = selected.to_pylist()
    return numbers, [_to_list(column) for column in columns.values()]


def _select(columns: Mapping[str, Any], selection: Selection) -> Any:
    """Find the rows of lichess that must be read.

    All others are certainly outside the selection and would not be reported. Rows
    without a readable rating or with unusual white space must be read.

    Returns
    -------
    pyarrow.BooleanArray
        One value for each row, never null.
    """
    themes, moves = columns["Themes"], columns["Moves"]
    selected = pa.repeat(_TRUE, len(themes))
    if selection.limits_length or not selection.all_rows:
        selected = pc.match_substring(themes, "mate").fill_null(_FALSE)
    if selection.limits_length:
        # Words with single spaces between them, as many as there are spaces and one.
        is_plain = pc.match_substring_regex(moves, "^[!-~]+( [!-~]+)*$")
        plies = pc.add(pc.count_substring(moves, " "), 1)
        length = pc.divide(plies, 2)
        for bound, is_outside in (
            (selection.min_claim, pc.less),
            (selection.max_claim, pc.greater),
        ):
            if bound is not None:
                outside = pc.and_(is_plain, is_outside(length, bound))
                selected = pc.and_not(selected, outside.fill_null(_FALSE))
    if selection.min_rating is not None:
        is_low = pc.less(_numbers(columns[RATING]), float(selection.min_rating))
        selected = pc.and_not(selected, is_low).fill_null(_TRUE)
    if selection.theme is not None:
        has_theme = pc.match_substring(themes, selection.theme)
        selected = pc.and_(selected, has_theme.fill_null(_FALSE))
    return selected


def _numbers(column: Any) -> Any:
    """Return the numbers of a column as float64, null where there may be none."""
    if str(column.type) in _TEXTS:
        is_number = pc.match_substring_regex(column, "^[0-9]{1,9}$")
        column = pc.if_else(is_number, column, pa.scalar(None, column.type))
        column = column.cast(pa.string())
    return column.cast(pa.float64(), safe=False)


def _is_readable(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_readable(kind.value_type)
    if _is_list(kind):
        item = kind.value_type
        return str(item.value_type if pa.types.is_dictionary(item) else item) in _TEXTS
    return str(kind) in _TEXTS or any(is_kind(kind) for is_kind in _WRITTEN_AS_TEXT)


def _is_list(kind: Any) -> bool:
    return any(is_kind(kind) for is_kind in _LISTS)


def _decoded(column: Any) -> Any:
    """Return a column without a dictionary, with its lists as texts with spaces."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if str(column.type).endswith("_view"):
        column = column.cast(pa.large_binary())
    if not _is_list(column.type):
        return column
    column = column.cast(pa.list_(pa.binary()))
    if column.flatten().null_count:
        texts = [
            None if cell is None else b" ".join(filter(None, cell))
            for cell in column.to_pylist()
        ]
        return pa.array(texts, pa.binary())
    return pc.binary_join(column, b" ")


def _to_list(column: Any) -> list[str] | list[bytes]:
    """Return the cells of a column as texts, with an empty text for a null."""
    column = _decoded(column)
    if str(column.type) not in _TEXTS:
        column = column.cast(pa.string())
    if column.null_count:
        column = column.fill_null("")
    try:
        cells: list[str] | list[bytes] = column.to_pylist()
    except UnicodeDecodeError:
        return column.cast(pa.large_binary()).to_pylist()  # type: ignore[no-any-return]
    return cells
