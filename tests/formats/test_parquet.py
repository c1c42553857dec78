"""Parquet: which columns are read, damage, pipes, and what is in memory."""

from __future__ import annotations

import errno
import gzip
import io
import os
import random
import re
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from solver.errors import FormatError
from solver.formats.claims import FileSummary, ReadOptions, Selection
from solver.formats.evidence import COLUMNS
from solver.formats.registry import read_collection
from solver.formats.streams import MAX_LINE_BYTES
from solver.problem import Claim, Problem

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from tests.formats.parquet_files import (  # noqa: E402
    AFTER,
    FEN,
    LADDER,
    MATE,
    PUZZLE,
    read,
    write,
)
from tests.sizes import sized  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

SLOW = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x"


def test_a_column_may_be_a_list_with_nulls(path: Path) -> None:
    rows = [
        {**PUZZLE, "Themes": ["mate", None, "mateIn1"], "Moves": ["a2b2", "a1a8"]},
        {**PUZZLE, "Themes": None, "Moves": []},
    ]
    write(path, rows)
    (problem,) = read(path, selection=Selection(theme="mateIn1"))
    assert problem == replace(MATE, source="x:1")


def test_columns_may_be_in_any_order_among_others(path: Path) -> None:
    others = {"GameId": 1, "Nested": {"FEN": "x"}, "square": "x"}
    write(path, [dict(reversed([*PUZZLE.items(), *others.items()]))])
    assert read(path) == [replace(MATE, source="x:1")]


NO_FIELD = "--theme and --min-rating: expected a field"


@pytest.mark.parametrize(
    ("row", "selection", "reason"),
    [
        (
            {name: cell for name, cell in PUZZLE.items() if name != "Rating"},
            Selection(min_rating=1),
            f"{NO_FIELD} rating, found 'PuzzleId, FEN, Moves, Themes'",
        ),
        (
            {"square": "a1", "x": 1},
            Selection(),
            "Parquet: expected a column fen, position or epd, found 'square, x'",
        ),
        (
            {"fen": LADDER, "claim": 2},
            Selection(theme="mate"),
            f"{NO_FIELD} themes, found 'fen, claim'",
        ),
        (
            {"fen": LADDER, "claim": {"mate": 2}},
            Selection(),
            "claim: expected a column of text, numbers or lists of text, "
            "found 'struct<mate: int64>'",
        ),
        (
            {**PUZZLE, "Themes": [1, 2]},
            Selection(),
            "Themes: expected a column of text, numbers or lists of text, "
            "found 'list<element: int64>'",
        ),
    ],
)
def test_columns_that_cannot_be_read_are_one_error(
    path: Path, row: dict[str, Any], selection: Selection, reason: str
) -> None:
    write(path, [row, row])
    assert read(path, selection=selection) == [FormatError("x", reason)]


def test_two_columns_of_one_name_are_refused(path: Path) -> None:
    table = pa.table([[LADDER], [LADDER]], names=["fen", "fen"])
    pq.write_table(table, path)
    reason = "fen: expected one column, found 2"
    assert read(path) == [FormatError("x", reason)]


@pytest.mark.parametrize(
    ("names", "claim"), [(("Position", "Mate In", "Solution"), Claim(2, ("a2a7",)))]
)
def test_columns_have_the_names_of_all_tables(
    path: Path, names: tuple[str, ...], claim: Claim
) -> None:
    mate = "Mate in Two" if "type" in names else 2
    write(path, [dict(zip(names, (LADDER, mate, ["a2-a7"]), strict=True))])
    assert read(path) == [Problem(LADDER, "x:1", claim, "x:1")]


def test_a_file_without_rows_has_no_records(path: Path) -> None:
    write(path, [PUZZLE])
    pq.write_table(pq.read_table(path).slice(0, 0), path)
    summary = FileSummary()
    assert read(path, summary=summary) == []
    assert summary.fraction() == 1.0


def test_a_bad_cell_affects_no_other_row(path: Path) -> None:
    rows = [{"id": name, "fen": LADDER} for name in ("a", "b", "c")]
    write(path, rows)
    names = pa.array([b"a", b"caf\xe9", b"x" * MAX_LINE_BYTES])
    names = pa.Array.from_buffers(pa.string(), 3, names.buffers())
    pq.write_table(pq.read_table(path).set_column(0, "id", names), path)
    assert read(path) == [
        Problem(LADDER, "a", source="x:1"),
        Problem(LADDER, "caf\xe9", source="x:2"),
        FormatError(
            "x:3", "expected a row of at most 65,536 bytes, found a longer one"
        ),
    ]


def groups_of_ten(path: Path) -> bytes:
    """Write three row groups of ten rows; return the content of the file."""
    rows = [{"id": str(number), "fen": LADDER} for number in range(1, 31)]
    options: dict[str, Any] = {"use_dictionary": False, "compression": "none"}
    write(path, rows, row_group_size=10, write_page_checksum=True, **options)
    return path.read_bytes()


def test_a_damaged_row_group_is_one_error_and_the_others_are_read(path: Path) -> None:
    whole = groups_of_ten(path)
    second = pq.read_metadata(path).row_group(1).column(1)
    place = second.data_page_offset + second.total_compressed_size - 40
    path.write_bytes(whole[:place] + b"8" + whole[place + 1 :])
    records = read(path)
    (error,) = (record for record in records if isinstance(record, FormatError))
    assert error.source == "x:11"
    assert error.reason.startswith("Parquet: expected rows 11 to 20, found damage: ")
    assert error.reason.isprintable()
    names = [
        (record.id, record.source) for record in records if isinstance(record, Problem)
    ]
    whole_groups = (*range(1, 11), *range(21, 31))
    assert names == [(str(number), f"x:{number}") for number in whole_groups]


@pytest.mark.parametrize("size", [4, 8, 11, 12, 100, -1, -100])
def test_a_truncated_file_is_one_error(path: Path, size: int) -> None:
    path.write_bytes(groups_of_ten(path)[:size])
    (error,) = read(path)
    assert isinstance(error, FormatError)
    assert error.source == "x"
    assert error.reason.startswith("Parquet: expected a whole file, found damage: ")
    assert error.reason.isprintable()
    assert len(error.reason) < 300


@sized("step", 3, 1)
def test_a_changed_directory_loses_no_row_without_an_error(
    path: Path, step: int
) -> None:
    whole = groups_of_ten(path)
    size = int.from_bytes(whole[-8:-4], "little")
    complete = 0
    for place in range(len(whole) - 8 - size, len(whole) - 8, step):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        records = read(path)
        if all(isinstance(record, Problem) for record in records):
            complete += 1
            assert len(records) == 30, place
    assert 0 < complete < size // step


@pytest.mark.parametrize("places", ["offsets", pytest.param("all", marks=SLOW)])
def test_no_changed_bit_of_the_directory_costs_much_memory(places: str) -> None:
    from solver.formats.parquet import read_parquet, write_rows

    file = io.BytesIO()
    cells = (AFTER, 1, None, "a1a8", "a1a8", None, None, None)
    write_rows(COLUMNS, [(f"n{number}", *cells) for number in range(40)], file)
    whole = file.getvalue()
    end = len(whole) - 8
    start = end - int.from_bytes(whole[end : end + 4], "little")
    changed = [*range(start, end)]
    if places == "offsets":  # those of dictionaries: two bytes at most
        offsets = re.finditer(rb"&[\x80-\xff]?[\0-\x7f]\x1c", whole[start:end])
        changed = [start + p for m in offsets for p in range(m.start() + 1, m.end())]
    for place in changed:
        for bit in range(8):
            copy = bytearray(whole)
            copy[place] ^= 1 << bit
            list(read_parquet(io.BytesIO(copy), FileSummary("x"), ReadOptions()))
    assert len(changed) > 10
    assert pa.default_memory_pool().max_memory() < 1 << 28


@pytest.mark.parametrize("seed", range(100))
def test_a_changed_file_gives_records_and_errors_only(path: Path, seed: int) -> None:
    content = bytearray(groups_of_ten(path))
    choice = random.Random(seed)
    for _ in range(choice.randint(1, 4)):
        # Two times in three in the footer, which has a third of the bytes.
        place = choice.randrange(4, len(content))
        content[choice.choice([place, -place // 3])] = choice.randrange(256)
    path.write_bytes(content)
    for record in read(path):
        assert isinstance(record, Problem) or record.reason.isprintable()


def test_without_pyarrow_the_error_names_the_package(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, [PUZZLE])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    reason = (
        "reading Parquet needs pyarrow, which is not installed: pip install pyarrow"
    )
    assert read(path) == [FormatError("x", reason)]


@pytest.mark.parametrize(
    ("content", "source_format", "reason"),
    [
        (b"PAR1", "epd", "expected EPD, found Parquet"),
        (b"PAR1", "lichess", "expected lichess's CSV, found Parquet"),
        (b"fen\n", "parquet", "expected Parquet, found another format"),
        (b"", "parquet", "expected Parquet, found another format"),
    ],
)
def test_a_named_format_that_the_file_has_not_is_one_error(
    path: Path, content: bytes, source_format: str, reason: str
) -> None:
    path.write_bytes(content)
    records = read(path, source_format=source_format)
    assert records == [FormatError("x", reason)]


def test_a_named_format_is_read(path: Path) -> None:
    write(path, [PUZZLE])
    assert read(path, source_format="parquet") == [replace(MATE, source="x:1")]


def test_a_compressed_file_is_read(path: Path) -> None:
    whole = groups_of_ten(path)
    expected = read(path)
    path.write_bytes(gzip.compress(whole))
    summary = FileSummary()
    assert read(path, summary=summary) == expected
    assert summary.fraction() == 1.0
    path.write_bytes(gzip.compress(whole)[:-20])
    reason = "gzip: expected more compressed data, found the end of the file"
    assert read(path) == [FormatError("x:1", reason)]


def test_a_pipe_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = groups_of_ten(path)
    expected = [record.source.replace("x", "stdin") for record in read(path)]
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb") as target:  # noqa: PTH123
        target.write(whole)
        target.close()
        monkeypatch.setattr(sys, "stdin", stdin)
        assert [record.source for record in read_collection("-")] == expected


def test_a_full_disk_is_an_error_that_names_the_temporary_folder(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(gzip.compress(groups_of_ten(path)))
    monkeypatch.setattr("tempfile.NamedTemporaryFile", partial(open, "/dev/full", "wb"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(OSError, match="No space left") as caught:
        read(path)
    assert caught.value.filename == str(tmp_path)


class Failing(io.BytesIO):
    """A file on a disk whose first sectors cannot be read."""

    def read(self, size: int | None = -1) -> bytes:
        if self.seek(0, io.SEEK_CUR) < 100:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().read(size)


def test_an_error_of_the_disk_is_no_damage(path: Path) -> None:
    from solver.formats.parquet import read_parquet

    stream = Failing(groups_of_ten(path))
    with pytest.raises(OSError, match="Input/output error"):
        list(read_parquet(stream, FileSummary("x"), ReadOptions()))


class Measured(io.BytesIO):
    """A file that knows the largest piece that was read from it."""

    largest = 0

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        self.largest = max(self.largest, len(piece))
        return piece


def test_a_large_row_group_is_not_read_whole(path: Path) -> None:
    from solver.formats.parquet import read_parquet

    long = {**PUZZLE, "Themes": "x" * 300}
    rows = [{**long, "FEN": f"{FEN} {n}"} for n in range(50_000)]
    write(path, rows, use_dictionary=False, compression="none", data_page_size=1 << 16)
    stream, summary = Measured(path.read_bytes()), FileSummary()
    assert list(read_parquet(stream, summary, ReadOptions())) == []
    assert summary.not_selected == 50_000
    assert stream.largest < path.stat().st_size / 20


def test_the_summary_measures_rows(path: Path) -> None:
    groups_of_ten(path)
    summary = FileSummary()
    fractions = [summary.fraction() for _ in read_collection(path, summary=summary)]
    assert fractions == [1.0] * 30  # they are read together
    skipped = Selection(min_claim=1)
    assert list(read_collection(path, ReadOptions(selection=skipped), summary)) == []
    assert summary.fraction() == 1.0
    assert (summary.records, summary.not_selected) == (30, 30)


def test_a_file_that_changes_while_it_is_read_is_an_error(path: Path) -> None:
    whole = groups_of_ten(path)
    records = read_collection(path)
    next(records)
    path.write_bytes(whole + b"x")
    with pytest.raises(OSError, match="changed while it was read"):
        list(records)
