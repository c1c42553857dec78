"""Parquet gives the records that the same rows give in CSV, and damage is reported."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import os
import random
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from solver.errors import FormatError
from solver.formats.claims import Selection
from solver.formats.registry import read_collection
from solver.formats.streams import MAX_LINE_BYTES, Meter
from solver.problem import Claim, Problem

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

FEN = "6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30"
"""After Rb2, Ra8 mates."""

AFTER = "6k1/5ppp/8/8/8/8/1r6/R5K1 w - - 5 31"
ROOKS = "7k/8/8/8/8/R7/1R6/K7 b - - 0 1"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"

PUZZLE = {
    "PuzzleId": "abc12",
    "FEN": FEN,
    "Moves": "a2b2 a1a8",
    "Rating": 1500,
    "Themes": "mate mateIn1 short",
}
MATE = Problem(AFTER, "abc12", Claim(1, ("a1a8",), ("a1a8",), any_last_move=True))


def write(path: Path, rows: Sequence[Mapping[str, Any]], **options: Any) -> None:
    """Write rows that have the same columns."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    pq.write_table(pa.table(columns), path, **options)


def read(path: Path, **options: Any) -> list[Problem | FormatError]:
    """The records of a file, without the folder in their sources."""
    return [
        replace(record, source=record.source.replace(str(path), "x"))
        for record in read_collection(path, **options)
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x"


SHUFFLE = "h8g8 a3a2 g8h8 a2a3 h8g8 a3a2 g8h8 a2a3 h8g8 a3a2 g8h8 a2a3"
CELLS: dict[str, list[str]] = {
    "PuzzleId": ["abc12", "x,y", '"q"', "", "a\tb"],
    "FEN": [FEN, FEN, ROOKS, ROOKS, "8/8 b - - 0 1", "", LADDER, "é"],
    "Moves": [
        "a2b2 a1a8",
        "a2b2  a1a8",
        " a2b2 a1a8",
        "a2b2\ta1a8",
        "a2b2\xa0a1a8",
        "a2b2",
        "",
        "x y",
        SHUFFLE[:19],
        SHUFFLE[:29],
        SHUFFLE,
    ],
    "Rating": ["1500", "1499", "0", "3000"],
    "Themes": [
        "mate mateIn1",
        "mate mateIn2 short",
        "mateIn3",
        "mate mateIn5 hangingPiece",
        "mate",
        "crushing smotheredMate",
        "crushing mates",
        "hangingPiece",
        "",
        "mate\xa0hangingPiece",
    ],
}
ODD_RATINGS = ["1500.0", "1e4", "nan", "inf", "", "high", " 1600", "1_600", "-1"]

SELECTIONS = [
    Selection(),
    Selection(all_rows=True),
    Selection(theme="hangingPiece"),
    Selection(theme="hanging"),
    Selection(theme="crushing", all_rows=True),
    Selection(theme="", all_rows=True),
    Selection(min_rating=1500),
    Selection(min_rating=1500, all_rows=True),
    Selection(min_rating=1500, theme="mate", max_moves=2),
    Selection(min_moves=2),
    Selection(max_moves=1),
    Selection(min_moves=2, max_moves=3, all_rows=True),
    Selection(min_moves=1, max_moves=1, min_rating=1),
]


def rows_of(seed: int, count: int, ratings: Sequence[str]) -> list[dict[str, str]]:
    """Random rows of lichess, good and bad, in columns of any order.

    The first and the last column have no white space, which CSV would strip.
    """
    choice = random.Random(seed)
    pools = {**CELLS, "Rating": ratings}
    names = choice.sample(sorted(pools), len(pools))
    return [
        {
            "GameId": "u",
            **{name: choice.choice(pools[name]) for name in names},
            "GameUrl": "u",
        }
        for _ in range(count)
    ]


def as_csv(rows: Sequence[Mapping[str, str]]) -> bytes:
    text = io.StringIO()
    table = csv.DictWriter(text, rows[0], lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def dictionary(cells: list[str]) -> Any:
    return pa.array(cells).dictionary_encode()


def nulls(cells: list[str]) -> Any:
    return pa.array([cell or None for cell in cells])


def words(cells: list[str]) -> Any:
    """Lists of the words between single spaces."""
    return pa.array([cell.split(" ") if cell else None for cell in cells])


def typed(kind: Any) -> Callable[[list[str]], Any]:
    return lambda cells: pa.array(cells).cast(kind)


TEXTS = [
    pa.array,
    nulls,
    dictionary,
    *map(typed, [pa.large_string(), pa.binary(), pa.large_binary()]),
]
LISTS = [
    words,
    lambda cells: words(cells).cast(pa.large_list(pa.large_string())),
    lambda cells: words(cells).cast(pa.list_(pa.binary())),
]
NUMBERS = [
    pa.array,
    *map(typed, [pa.uint16(), pa.int64(), pa.float32(), pa.float64()]),
    lambda cells: pa.array(cells).cast(pa.int32()).dictionary_encode(),
    lambda cells: pa.array(cells).cast(pa.int64()).cast(pa.decimal128(20, 1)),
]
"""The ways in which a column of CSV may be one of Parquet."""


@pytest.mark.parametrize("seed", range(24))
def test_rows_of_lichess_are_the_same_records_as_in_csv(
    tmp_path: Path, seed: int
) -> None:
    choice = random.Random(seed)
    ratings = CELLS["Rating"] if seed % 2 else [*CELLS["Rating"], *ODD_RATINGS]
    rows = rows_of(seed, 300, ratings)
    columns = {}
    for name in rows[0]:
        ways = TEXTS
        if name in {"Moves", "Themes"}:
            ways = TEXTS + LISTS
        elif name == "Rating" and seed % 2:
            ways = NUMBERS
        columns[name] = choice.choice(ways)([row[name] for row in rows])
    kept = sum(
        compare(
            tmp_path, rows, columns, selection, row_group_size=70 + 230 * (seed % 2)
        )
        for selection in SELECTIONS
    )
    assert kept > 300


def compare(
    folder: Path,
    rows: Sequence[Mapping[str, str]],
    columns: Mapping[str, Any],
    selection: Selection,
    **options: Any,
) -> int:
    """Read the rows from CSV and from Parquet; return how many records there are."""
    paths = folder / "csv" / "x", folder / "parquet" / "x"
    for path in paths:
        path.parent.mkdir(exist_ok=True)
    paths[0].write_bytes(as_csv(rows))
    pq.write_table(pa.table(columns), paths[1], **options)
    meters = Meter(), Meter()
    expected, found = (
        read(path, selection=selection, meter=meter)
        for path, meter in zip(paths, meters, strict=True)
    )
    assert found == list(map(by_row, expected))
    assert meters[0].records == meters[1].records
    assert meters[0].not_selected == meters[1].not_selected
    return len(found)


def by_row(record: Problem | FormatError) -> Problem | FormatError:
    """Count the header of CSV as no row."""
    name, _, line = record.source.partition(":")
    source = f"{name}:{int(line) - 1}"
    if isinstance(record, Problem) and record.id == record.source:
        return replace(record, source=source, id=source)
    return replace(record, source=source)


OWN = {
    "id": ["a", "", "é"],
    "fen": [LADDER, "7k/8/8/8/8/8/R7/1R4K1", "8/8", ""],
    "claim": ["2", "", "-1", "300"],
    "nomate": ["", "", "", "1"],
    "claimed_keys": ["b1b7", "", "Rb7 a2a7", "x"],
    "claimed_line": ["b1b7 h8g8", "", ""],
    "any_last_move": ["true", "false", ""],
    "stipulation": ["", "", "s#2", "h#2"],
    "claimed_solutions": ["", "", "", "2"],
    "other": ["1", ""],
}


@pytest.mark.parametrize("seed", range(12))
def test_rows_of_matesolve_are_the_same_records_as_in_csv(
    tmp_path: Path, seed: int
) -> None:
    choice = random.Random(seed)
    pools = {name: OWN[name] for name in choice.sample(sorted(OWN), len(OWN))}
    rows = [
        {name: choice.choice(cells) for name, cells in pools.items()}
        for _ in range(200)
    ]
    columns = {}
    for name in pools:
        cells = [row[name] for row in rows]
        ways = TEXTS
        if name in {"claim", "nomate", "claimed_solutions"}:
            ways = [
                nulls,
                *(
                    lambda cells, kind=kind: nulls(cells).cast(kind)
                    for kind in (pa.int64(), pa.float64())
                ),
            ]
        elif name == "any_last_move":
            ways = [nulls, lambda cells: nulls(cells).cast(pa.bool_())]
        elif name in {"claimed_keys", "claimed_line"}:
            ways = TEXTS + LISTS
        columns[name] = choice.choice(ways)(cells)
    kept = sum(
        compare(tmp_path, rows, columns, selection)
        for selection in (Selection(), Selection(min_moves=2), Selection(max_moves=1))
    )
    assert kept > 200


def test_a_rating_that_is_no_number_is_the_same_as_in_csv(tmp_path: Path) -> None:
    ratings = [1499.5, 1500.0, float("nan"), None, 1e4, float("-inf")]
    texts = ["1499.5", "1500.0", "nan", "", "1e4", "-inf"]
    cells = {"GameId": "u", **{name: str(cell) for name, cell in PUZZLE.items()}}
    rows = [{**cells, "Rating": text} for text in texts]
    columns = {name: pa.array([row[name] for row in rows]) for name in cells}
    columns["Rating"] = pa.array(ratings)
    assert compare(tmp_path, rows, columns, Selection(min_rating=1500)) == 4


def test_a_column_may_be_a_list_with_nulls(path: Path) -> None:
    rows = [
        {**PUZZLE, "Themes": ["mate", None, "mateIn1"], "Moves": ["a2b2", "a1a8"]},
        {**PUZZLE, "Themes": None, "Moves": []},
    ]
    write(path, rows)
    (problem,) = read(path, selection=Selection(theme="mateIn1"))
    assert problem == replace(MATE, source="x:1")


def test_columns_may_be_in_any_order_among_others(path: Path) -> None:
    others = {"GameId": 1, "Nested": {"FEN": "x"}, "fen": "x"}
    write(path, [dict(reversed([*PUZZLE.items(), *others.items()]))])
    assert read(path) == [replace(MATE, source="x:1")]


LICHESS = "PuzzleId, FEN, Moves, Themes"


@pytest.mark.parametrize(
    ("row", "selection", "reason"),
    [
        (
            {"FEN": FEN, "Moves": ""},
            Selection(),
            f"lichess's puzzles: expected the columns {LICHESS}, found no PuzzleId and "
            "no Themes",
        ),
        (
            {name: cell for name, cell in PUZZLE.items() if name != "Rating"},
            Selection(min_rating=1),
            f"lichess's puzzles: expected the columns {LICHESS}, Rating, "
            "found no Rating",
        ),
        (
            {"epd": LADDER, "x": 1},
            Selection(),
            "Parquet: expected a column fen, or lichess's PuzzleId, FEN, Moves and "
            "Themes, found 'epd, x'",
        ),
        (
            {"fen": LADDER, "claim": 2},
            Selection(theme="mate"),
            "--theme and --min-rating: expected lichess's columns, found fen, claim",
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


def test_a_file_without_rows_has_no_records(path: Path) -> None:
    write(path, [PUZZLE])
    pq.write_table(pq.read_table(path).slice(0, 0), path)
    meter = Meter()
    assert read(path, meter=meter) == []
    assert meter.fraction() == 1.0


def test_a_bad_cell_affects_no_other_row(path: Path) -> None:
    rows = [{"id": name, "fen": LADDER} for name in ("a", "b", "c")]
    write(path, rows)
    names = pa.array([b"a", b"caf\xe9", b"x" * MAX_LINE_BYTES])
    names = pa.Array.from_buffers(pa.string(), 3, names.buffers())
    pq.write_table(pq.read_table(path).set_column(0, "id", names), path)
    assert read(path) == [
        Problem(LADDER, "a", source="x:1"),
        FormatError("x:2", "expected UTF-8, found 0xe9 at byte 4"),
        FormatError("x:3", "expected a row of at most 65536 bytes, found a longer one"),
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


def test_a_changed_directory_loses_no_row_without_an_error(path: Path) -> None:
    whole = groups_of_ten(path)
    size = int.from_bytes(whole[-8:-4], "little")
    complete = 0
    for place in range(len(whole) - 8 - size, len(whole) - 8):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        records = read(path)
        if all(isinstance(record, Problem) for record in records):
            complete += 1
            assert len(records) == 30, place
    assert 0 < complete < size


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
    meter = Meter()
    assert read(path, meter=meter) == expected
    assert meter.fraction() == 1.0
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
    monkeypatch.setattr("tempfile.TemporaryFile", partial(open, "/dev/full", "wb"))
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
        list(read_parquet(stream, "x", Selection(), Meter()))


class Measured(io.BytesIO):
    """A file that knows the largest piece that was read from it."""

    largest = 0

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        self.largest = max(self.largest, len(piece))
        return piece


def test_a_large_row_group_is_not_read_whole(path: Path) -> None:
    from solver.formats.parquet import read_parquet

    rows = [{**PUZZLE, "FEN": f"{FEN} {n}", "Themes": "x"} for n in range(50_000)]
    write(path, rows, use_dictionary=False, compression="none", data_page_size=1 << 16)
    stream, meter = Measured(path.read_bytes()), Meter()
    assert list(read_parquet(stream, "x", Selection(), meter)) == []
    assert meter.not_selected == 50_000
    assert stream.largest < path.stat().st_size / 20


def test_the_meter_measures_rows(path: Path) -> None:
    groups_of_ten(path)
    meter = Meter()
    fractions = [meter.fraction() for _ in read_collection(path, meter=meter)]
    assert fractions == [number / 30 for number in range(1, 31)]
    skipped = Selection(min_moves=1)
    assert list(read_collection(path, selection=skipped, meter=meter)) == []
    assert meter.fraction() == 1.0
    assert (meter.records, meter.not_selected) == (30, 30)


def test_a_file_that_changes_while_it_is_read_is_an_error(path: Path) -> None:
    whole = groups_of_ten(path)
    records = read_collection(path)
    next(records)
    path.write_bytes(whole + b"x")
    with pytest.raises(OSError, match="changed while it was read"):
        list(records)
