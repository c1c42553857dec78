"""Read and write Parquet.

1. `_select` rejects rows of lichess by whole columns, before any Python object is made.
2. The cells of the other rows become texts, as in CSV.
3. `Reading` reads these rows, so both formats give the same records.

This module needs pyarrow.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from solver import errors, problem
from solver.formats import streams
from solver.formats.claims import SAMPLE
from solver.formats.entries import Entry
from solver.formats.evidence import AND_MORE, Pick
from solver.formats.reading import Reading
from solver.formats.streams import (
    BATCH_LINES,
    MAX_LINE_BYTES,
    Records,
    decode,
    decode_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from solver.formats.claims import FileSummary, ReadOptions, Selection

BATCH_ROWS = 1 << 14
"""How many rows are in memory together; a row group may be the whole file."""

ROW_GROUP = 10_000
"""Rows per row group of a written file; these are in memory together."""

_BUFFER_BYTES = 1 << 16
"""Bytes per read of a column, so that a large row group is not read whole."""

_WHOLE_BYTES = 1 << 24
"""The largest content of a row group whose columns are read whole."""

_TOO_LONG = f"expected a row of at most {MAX_LINE_BYTES:,} bytes, found a longer one"

_Cells: TypeAlias = "list[str | bytes]"
"""The cells of a row; bytes if a cell of the column is not UTF-8."""

_is_text = re.compile("(large_)?(string|binary)(_view)?").fullmatch
_is_number = re.compile(
    r"u?int\d+|halffloat|float|double|decimal.*|bool|null"
).fullmatch
_is_list = re.compile("((large|fixed_size)_)?list<").match
"""Whether this names a type of Arrow that holds texts, numbers or lists."""

_KINDS = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}

_SHOWN_CHARACTERS = 200

_TRUE = pa.scalar(value=True)
_FALSE = pa.scalar(value=False)


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
    if not streams.is_seekable(stream):
        summary.begin(lambda: 0, None)
    with streams.seekable(stream) as file:
        try:
            metadata = pq.read_metadata(file)
            reader = pq.ParquetFile(
                file,
                metadata=metadata,
                buffer_size=_buffer_size(metadata),
                pre_buffer=False,  # it would read whole columns of a row group
                page_checksum_verification=True,
            )
            row_reader = summary.learnt = Reading(summary, options)
            row_reader.learn(_sample(reader))
            names = _find_columns(reader.schema_arrow, row_reader)
        except errors.InputError as error:
            yield errors.FormatError(summary.name, str(error))
            return
        except _DAMAGE as error:
            fault = f"Parquet: expected a whole file, found {_explain(error)}"
            yield errors.FormatError(summary.name, fault)
            return
        plan = row_reader.plan(names)
        select = partial(_select, plan.pick, options.selection)
        rows = map(_decode_row, _read_rows(reader, names, select, summary))
        batches = iter(lambda: [*islice(rows, BATCH_LINES)], [])
        yield from row_reader.read_rows((plan, batch) for batch in batches)


def _decode_row(
    row: tuple[int, _Cells | str],
) -> tuple[int, list[str] | errors.InputError]:
    """Return the number of a row, and its texts or why they cannot be read."""
    number, cells = row
    if isinstance(cells, str):
        return number, errors.InputError(f"Parquet: expected {cells}")
    if sum(map(len, cells)) > MAX_LINE_BYTES:
        return number, errors.InputError(_TOO_LONG)
    try:
        return number, [
            cell if isinstance(cell, str) else decode_line(cell) for cell in cells
        ]
    except errors.InputError as error:
        return number, error


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


def _sample(file: Any) -> list[Entry]:
    """Return the first rows as records; none if they are damaged."""
    names = [one.name for one in file.schema_arrow if _is_readable(one.type)]
    rows: list[list[str]] = []
    try:
        for batch in file.iter_batches(SAMPLE, columns=names, use_threads=False):
            cells = [_to_list(_decoded(column)) for column in batch]
            rows += ([_text(cell) for cell in row] for row in zip(*cells, strict=True))
            if len(rows) >= SAMPLE:
                break
    except _DAMAGE:
        return []
    return [
        Entry(number, dict(zip(names, row, strict=True)))
        for number, row in enumerate(rows[:SAMPLE], 1)
    ]


def _text(cell: str | bytes) -> str:
    return (cell if isinstance(cell, str) else decode(cell)).strip()


_DAMAGE = (pa.ArrowException, OSError, ValueError)
"""What pyarrow raises when a file is damaged; ValueError if a name is not UTF-8."""


def _explain(error: Exception) -> str:
    """Return pyarrow's message in one line; raise errors of the file system again."""
    if isinstance(error, OSError) and error.errno is not None:
        raise error
    text = problem.printable(str(error) or type(error).__name__)
    return f"damage: {text[:_SHOWN_CHARACTERS]}"


def _buffer_size(metadata: Any) -> int:
    """Return how many bytes of a column to read at once; 0 for a whole row group.

    A wrong bit in the file's directory may lead pyarrow to data that is not a page but
    seems to state a size. If it has read the whole column, it takes what is there; with
    a buffer, it first clears that much memory, up to 2 GiB.
    """
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    largest = max((group.total_byte_size for group in groups), default=0)
    return 0 if largest <= _WHOLE_BYTES else _BUFFER_BYTES


def _find_columns(schema: Any, reader: Reading) -> tuple[str, ...]:
    """Choose the columns to read, by their names.

    Raises
    ------
    InputError
        If there is no position, if the selection needs other columns, or if one of them
        has another type.
    """
    found = tuple(schema.names)
    plan = reader.plan(found)
    if "position" not in {part for part, _, _ in plan.fields}:
        msg = "Parquet: expected a column fen, position or epd, found "
        raise errors.InputError(msg + errors.quote(", ".join(found)))
    names = tuple(dict.fromkeys(found[at] for part, _, at in plan.fields if part))
    for name in names:
        if found.count(name) > 1:
            raise errors.refusal(name, "one column", found.count(name))
        kind = schema.field(name).type
        if not _is_readable(kind):
            expected = "a column of text, numbers or lists of text"
            errors.refuse(f"{name}: expected {expected}", errors.quote(str(kind)))
    return names


def _read_rows(
    file: Any, names: tuple[str, ...], select: Callable[..., Any], summary: FileSummary
) -> Iterator[tuple[int, _Cells | str]]:
    """Yield the number and the cells of each row that may be selected.

    Instead of cells there may be a fault: what was expected, and what was found. A row
    group ends at its first fault.
    """
    total = file.metadata.num_rows
    done = begin = 0
    summary.begin(lambda: done, total)
    for group in range(file.num_row_groups):
        end = begin + file.metadata.row_group(group).num_rows
        try:
            for batch in file.iter_batches(
                BATCH_ROWS, row_groups=[group], columns=[*names], use_threads=False
            ):
                columns = [_decoded(batch.column(name)) for name in names]
                numbers = select(columns)
                summary.not_selected += len(batch) - len(numbers)
                cells = [_to_list(column.take(numbers)) for column in columns]
                for number, *row in zip(numbers.to_pylist(), *cells, strict=True):
                    done = begin + number + 1
                    yield done, row
                done = begin = begin + len(batch)
            fault = "" if begin == end else "the end of the file"
        except _DAMAGE as error:
            fault = _explain(error)
        if fault:
            expected = f"rows {begin + 1} to {end}" if begin < end else f"{end} rows"
            yield begin + 1, f"{expected}, found {fault}"
        done = begin = end
    if begin != total:
        yield begin + 1, f"{total:,} rows, found {begin:,}"


def _select(pick: Pick | None, selection: Selection, columns: list[Any]) -> Any:
    """Find the rows that must be read.

    All other rows of lichess are certainly outside the selection and would not be
    reported. Rows without a readable rating or with unusual white space must be read.

    Returns
    -------
    pyarrow.IntegerArray
        Their numbers.
    """
    if pick is None:
        return pa.array(range(len(columns[0])))
    _, _, moves, themes, *ratings = pick(columns)
    selected = pa.repeat(_TRUE, len(themes))
    if selection.limits_length or not selection.all_rows:
        selected = _has(themes, "mate")
    if selection.limits_length:
        # Words with single spaces between them, as many as there are spaces and one.
        outside = pc.match_substring_regex(moves, "^[!-~]+( [!-~]+)*$")
        length = pc.divide(pc.add(pc.count_substring(moves, " "), 1), 2)
        for mate in filter(selection.has_length, range(1, AND_MORE + 1)):
            outside = pc.and_not(outside, _has(themes, f"mateIn{mate}"))
        is_short = pc.less(length, selection.min_claim or 0)
        is_long = pc.greater(length, selection.max_claim or MAX_LINE_BYTES)
        outside = pc.and_(outside, pc.or_(is_short, is_long))
        selected = pc.and_not(selected, outside.fill_null(_FALSE))
    for column in ratings:
        is_low = pc.less(_numbers(column), float(selection.min_rating or 0))
        selected = pc.and_not(selected, is_low).fill_null(_TRUE)
    if selection.theme is not None:
        selected = pc.and_(selected, _has(themes, selection.theme))
    return pc.indices_nonzero(selected)


def _has(column: Any, text: str) -> Any:
    return pc.match_substring(column, text).fill_null(_FALSE)


def _numbers(column: Any) -> Any:
    """Return the numbers of a column as float64, null where there may be none."""
    if _is_text(str(column.type)):
        is_number = pc.match_substring_regex(column, "^[0-9]{1,9}$")
        column = pc.if_else(is_number, column, pa.scalar(None, column.type))
        column = column.cast(pa.string())
    return column.cast(pa.float64(), safe=False)


def _is_readable(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_readable(kind.value_type)
    if _is_list(str(kind)):
        item = kind.value_type
        kind = item.value_type if pa.types.is_dictionary(item) else item
        return bool(_is_text(str(kind)))
    return bool(_is_text(str(kind)) or _is_number(str(kind)))


def _decoded(column: Any) -> Any:
    """Return a column without a dictionary, with its lists as texts with spaces."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if str(column.type).endswith("_view"):
        column = column.cast(pa.large_binary())
    if not _is_list(str(column.type)):
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
    if not _is_text(str(column.type)):
        column = column.cast(pa.string())
    column = column.fill_null("")
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except UnicodeDecodeError:
        return column.cast(pa.large_binary()).to_pylist()  # type: ignore[no-any-return]
