"""Read and write Parquet.

1. `_select` rejects rows of lichess by whole columns, before any Python object is made.
2. The cells of the other rows become texts, as in CSV.
3. `RowReader` reads these rows, so both formats give the same records.

This module needs pyarrow.
"""

from __future__ import annotations

import io
import tempfile
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solver.errors import FormatError, InputError, quote
from solver.formats.claims import printable
from solver.formats.rows import AND_MORE, RowReader, keep_selected
from solver.formats.streams import MAX_LINE_BYTES, Records, decode_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from solver.formats.claims import ReadOptions, Selection
    from solver.formats.rows import Pick, Plan
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
_KINDS = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}

_SHOWN_CHARACTERS = 200

_TRUE = pa.scalar(value=True)
_FALSE = pa.scalar(value=False)


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
    """Read the rows of a Parquet file, counted from 1.

    Columns are found by name. A cell may be text, a number, true or false, or a list of
    texts.

    Parameters
    ----------
    stream : BinaryIO
        If it is not seekable, it is first copied to a temporary file.
    summary : FileSummary
        Measures the progress, and counts the rows that are not selected.
    options : ReadOptions
        Which rows to read, and how. Rows outside the selection are not validated.

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
    return keep_selected(_read_file(stream, summary, options), summary)


def _read_file(
    stream: BinaryIO, summary: FileSummary, options: ReadOptions
) -> Iterator[Problem | FormatError | None]:
    name = summary.name
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
            row_reader = RowReader(summary, options)
            names = _find_columns(reader.schema_arrow, row_reader)
        except InputError as error:
            yield FormatError(name, str(error))
            return
        except _DAMAGE as error:
            fault = f"Parquet: expected a whole file, found {_explain(error)}"
            yield FormatError(name, fault)
            return
        done = 0
        summary.begin(lambda: done, metadata.num_rows)
        plan = row_reader.plan(names)
        for rows in _read_batches(reader, names, plan.pick, options.selection):
            done = rows.end
            if rows.fault:
                yield FormatError(f"{name}:{rows.begin + 1}", rows.fault)
                continue
            summary.not_selected += rows.end - rows.begin - len(rows.numbers)
            for number, *cells in zip(rows.numbers, *rows.cells, strict=True):
                done = rows.begin + number + 1
                yield _read_row(row_reader, plan, cells, f"{name}:{done}")
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


def _find_columns(schema: Any, reader: RowReader) -> tuple[str, ...]:
    """Choose the columns to read, by their names.

    Raises
    ------
    InputError
        If there is no position, if the selection needs other columns, or if one of them
        has another type.
    """
    found = tuple(schema.names)
    plan = reader.plan(found)
    fields = plan.fields
    if "position" not in {part for part, _, _ in fields}:
        msg = "Parquet: expected a column fen, position or epd, found "
        raise InputError(msg + quote(", ".join(found)))
    names = tuple(dict.fromkeys(found[at] for _, _, at in fields))
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
    reader.check_claims(plan)
    return names


def _read_row(
    reader: RowReader, plan: Plan, cells: Sequence[str | bytes], source: str
) -> Problem | FormatError | None:
    if sum(map(len, cells)) > MAX_LINE_BYTES:
        msg = f"expected a row of at most {MAX_LINE_BYTES:,} bytes, found a longer one"
        return FormatError(source, msg)
    try:
        texts = [
            decode_line(cell) if isinstance(cell, bytes) else cell for cell in cells
        ]
        return reader.read(plan, texts, source)
    except InputError as error:
        return FormatError(source, str(error))


def _read_batches(
    reader: Any, names: tuple[str, ...], pick: Pick | None, selection: Selection
) -> Iterator[_Rows]:
    """Yield the rows of the file in batches; a row group ends at its first fault."""
    begin = 0
    for group in range(reader.num_row_groups):
        end = begin + reader.metadata.row_group(group).num_rows
        try:
            for batch in reader.iter_batches(
                BATCH_ROWS, row_groups=[group], columns=[*names], use_threads=False
            ):
                columns = [*map(batch.column, names)]
                numbers, cells = _convert(columns, pick, selection)
                yield _Rows(begin, begin + len(batch), numbers, cells)
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
    columns: list[Any], pick: Pick | None, selection: Selection
) -> tuple[Sequence[int], list[list[str] | list[bytes]]]:
    """Return the numbers of the rows that may be selected, and their cells."""
    numbers: Sequence[int] = range(len(columns[0]))
    if pick:
        columns = [*map(_decoded, columns)]
        selected = pc.indices_nonzero(_select(*pick(columns)[2:], selection=selection))
        if len(selected) < len(numbers):
            columns = [column.take(selected) for column in columns]
            numbers = selected.to_pylist()
    return numbers, [*map(_to_list, columns)]


def _select(
    moves: Any, themes: Any, ratings: Any = None, *, selection: Selection
) -> Any:
    """Find the rows of lichess that must be read.

    All others are certainly outside the selection and would not be reported. Rows
    without a readable rating or with unusual white space must be read.

    Returns
    -------
    pyarrow.BooleanArray
        One value for each row, never null.
    """
    selected = pa.repeat(_TRUE, len(themes))
    if selection.limits_length or not selection.all_rows:
        selected = pc.match_substring(themes, "mate").fill_null(_FALSE)
    if selection.limits_length:
        # Words with single spaces between them, as many as there are spaces and one.
        outside = pc.match_substring_regex(moves, "^[!-~]+( [!-~]+)*$")
        plies = pc.add(pc.count_substring(moves, " "), 1)
        length = pc.divide(plies, 2)
        for mate in filter(selection.has_length, range(1, AND_MORE + 1)):
            is_named = pc.match_substring(themes, f"mateIn{mate}").fill_null(_FALSE)
            outside = pc.and_not(outside, is_named)
        is_short = pc.less(length, selection.min_claim or 0)
        is_long = pc.greater(length, selection.max_claim or MAX_LINE_BYTES)
        outside = pc.and_(outside, pc.or_(is_short, is_long))
        selected = pc.and_not(selected, outside.fill_null(_FALSE))
    if ratings is not None:
        is_low = pc.less(_numbers(ratings), float(selection.min_rating or 0))
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
