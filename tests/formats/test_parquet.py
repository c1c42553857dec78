"""Parquet: which columns are read, damage, pipes, and the rows of CSV."""

from __future__ import annotations

import csv
import gzip
import io
import random
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from solver.errors import FormatError
from solver.formats.claims import FileSummary, Selection
from solver.formats.registry import read_collection
from solver.formats.streams import MAX_LINE_BYTES
from solver.problem import Claim, Problem

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from tests.formats.cases import (  # noqa: E402
    Records,
    read_with,
    shown,
    with_source,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FEN = "6k1/5ppp/8/8/8/8/r7/R5K1 b - - 4 30"
"""After Rb2, Ra8 mates."""

AFTER = "6k1/5ppp/8/8/8/8/1r6/R5K1 w - - 5 31"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
PUZZLE = {
    "PuzzleId": "abc12",
    "FEN": FEN,
    "Moves": "a2b2 a1a8",
    "Rating": 1500,
    "Themes": "mate mateIn1 short",
}
CLAIM = Claim(1, ("a1a8",), ("a1a8",), any_last_move=True)
MATE = Problem(AFTER, "abc12", CLAIM, "x:1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x"


def write(path: Path, rows: Sequence[Mapping[str, Any]], **options: Any) -> None:
    """Write rows that have the same columns."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    pq.write_table(pa.table(columns), path, **options)


def read(path: Path, **options: Any) -> Records:
    """The records of a file, without the folder in their sources."""
    return [
        with_source(record, record.source.replace(str(path), "x"))
        for record in read_with(path, **options)
    ]


NO_FIELD = "--theme and --min-rating: expected a field"
TYPES = "expected a column of text, numbers or lists of text, found"
UNRATED = {name: cell for name, cell in PUZZLE.items() if name != "Rating"}
COLUMN = "Parquet: expected a column fen, position or epd, found 'square, x'"


def test_columns_that_cannot_be_read_are_one_error(path: Path) -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        (UNRATED, f"{NO_FIELD} rating, found 'PuzzleId, FEN, Moves, Themes'"),
        ({"square": "a1", "x": 1}, COLUMN),
        ({"fen": LADDER, "dm": {"n": 2}}, f"dm: {TYPES} 'struct<n: int64>'"),
        ({**PUZZLE, "Themes": [1, 2]}, f"Themes: {TYPES} 'list<element: int64>'"),
    ]
    for row, reason in rows:
        write(path, [row, row])
        selection = Selection(min_rating=1 if row == UNRATED else None)
        assert read(path, selection=selection) == [FormatError("x", reason)]
    pq.write_table(pa.table([[LADDER], [LADDER]], names=["fen", "fen"]), path)
    assert read(path) == [FormatError("x", "fen: expected one column, found 2")]
    write(path, [{"Position": LADDER, "Mate In": 2, "Solution": ["a2-a7"]}])
    assert read(path) == [Problem(LADDER, "x:1", Claim(2, ("a2a7",)), "x:1")]
    write(path, [PUZZLE | {"Nested": {"FEN": "x"}, "square": "x"}])
    assert read(path, source_format="parquet") == [MATE]


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
    options = {"use_dictionary": False, "compression": "none", "row_group_size": 10}
    write(path, rows, write_page_checksum=True, **options)
    return path.read_bytes()


def test_a_damaged_row_group_is_one_error_and_the_others_are_read(path: Path) -> None:
    whole = groups_of_ten(path)
    second = pq.read_metadata(path).row_group(1).column(1)
    place = second.data_page_offset + second.total_compressed_size - 40
    path.write_bytes(whole[:place] + b"8" + whole[place + 1 :])
    records = read(path)
    assert [record.source for record in records] == [
        f"x:{number}" for number in (*range(1, 12), *range(21, 31))
    ]
    error = shown(records[10])
    assert error.startswith("? Parquet: expected rows 11 to 20, found damage: ")
    assert error.isprintable()
    assert [shown(record)[0] for record in records].count("?") == 1


def test_a_truncated_or_another_file_is_one_error(path: Path) -> None:
    whole = groups_of_ten(path)
    for size in (4, 8, 11, 12, 100, -1, -100):
        path.write_bytes(whole[:size])
        (error,) = read(path)
        assert error.source == "x"
        words = "? Parquet: expected a whole file, found damage: "
        assert shown(error).startswith(words)
        assert shown(error).isprintable()
        assert len(shown(error)) < 300
    for content, name, reason in (
        (b"PAR1", "epd", "expected EPD, found Parquet"),
        (b"", "parquet", "expected Parquet, found another format"),
    ):
        path.write_bytes(content)
        assert read(path, source_format=name) == [FormatError("x", reason)]


def test_a_compressed_file_and_a_pipe_are_read_and_progress_is_measured(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = groups_of_ten(path)
    summary, skipped = FileSummary(), Selection(min_claim=1)
    expected = read(path, summary=summary)
    assert (len(expected), summary.fraction()) == (30, 1.0)
    assert read(path, selection=skipped, summary=summary) == []
    assert (summary.records, summary.not_selected) == (30, 30)
    path.write_bytes(gzip.compress(whole))
    assert read(path) == expected
    path.write_bytes(gzip.compress(whole)[:-20])
    reason = "gzip: expected more compressed data, found the end of the file"
    assert read(path) == [FormatError("x:1", reason)]
    pq.write_table(pq.read_table(io.BytesIO(whole)).slice(0, 0), path)
    assert read(path) == []
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(whole)))
    sources = [record.source.replace("x", "stdin") for record in expected]
    assert [record.source for record in read_collection("-")] == sources


def test_a_changed_directory_loses_no_row_without_an_error(path: Path) -> None:
    whole = groups_of_ten(path)
    size = int.from_bytes(whole[-8:-4], "little")
    complete = 0
    for place in range(len(whole) - 8 - size, len(whole) - 8, 3):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        records = read(path)
        if all(isinstance(record, Problem) for record in records):
            complete += 1
            assert len(records) == 30, place
    assert 0 < complete < size // 3


def test_missing_pyarrow_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, [PUZZLE])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    reason = "needs pyarrow, which is not installed: pip install pyarrow"
    assert read(path) == [FormatError("x", f"reading Parquet {reason}")]


# --- Parquet gives the records that the same rows give in CSV

ROOKS = "7k/8/8/8/8/R7/1R6/K7 b - - 0 1"
SHUFFLE = "h8g8 a3a2 g8h8 a2a3 h8g8 a3a2 g8h8 a2a3 h8g8 a3a2 g8h8 a2a3"
CELLS: dict[str, list[str]] = {
    "PuzzleId": ["abc12", "x,y", '"q"', "", "a\tb"],
    "FEN": [FEN, FEN, ROOKS, ROOKS, "8/8 b - - 0 1", "", LADDER, "é"],
    "Moves": [
        *("a2b2 a1a8", "a2b2  a1a8", " a2b2 a1a8", "a2b2\ta1a8", "a2b2\xa0a1a8"),
        *("a2b2", "", "x y", SHUFFLE[:19], SHUFFLE[:29], SHUFFLE),
    ],
    "Rating": ["1500", "1499", "0", "3000"],
    "Themes": [
        *("mate mateIn1", "mate mateIn2 short", "mateIn3", "mate mateIn5 hangingPiece"),
        *("mate", "crushing smotheredMate", "crushing mates", "hangingPiece", ""),
        "mate\xa0hangingPiece",
    ],
}
ODD_RATINGS = ["1500.0", "1e4", "nan", "inf", "", "high", " 1600", "1_600", "-1"]

SELECTIONS = [
    Selection(),
    Selection(theme="hangingPiece"),
    Selection(theme="crushing", all_rows=True),
    Selection(min_rating=1500),
    Selection(min_rating=1500, theme="mate", max_claim=2),
    Selection(min_claim=2, max_claim=3, all_rows=True),
]


def rows_of(
    choice: random.Random, pools: Mapping[str, Sequence[str]]
) -> list[dict[str, str]]:
    """Random rows, good and bad, in columns of any order.

    The first and the last column have no white space, which CSV would strip.
    """
    names = choice.sample(sorted(pools), len(pools))
    return [
        {"GameId": "u"}
        | {name: choice.choice(pools[name]) for name in names}
        | {"GameUrl": "u"}
        for _ in range(200)
    ]


def as_csv(rows: Sequence[Mapping[str, str]]) -> bytes:
    text = io.StringIO()
    table = csv.DictWriter(text, rows[0], lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


TEXTS = ["plain", "nulls", "dictionary", "large_string", "binary", "large_binary"]
LISTS = ["words", "words lists", "words bytes"]
NUMBERS = ["plain", "uint16", "int64", "float32", "float64", "int32 dictionary"]
NUMBERS += ["int64 decimal"]
"""The ways in which a column of CSV may be one of Parquet."""


def column_of(way: str, cells: list[str]) -> Any:
    """Return cells of CSV as a column of Parquet, such as `nulls int64`."""
    made: list[Any] = [cell or None if "nulls" in way else cell for cell in cells]
    if "words" in way:
        made = [cell.split(" ") if cell else None for cell in cells]
    column = pa.array(made)
    kinds = {
        "lists": pa.large_list(pa.large_string()),
        "bytes": pa.list_(pa.binary()),
        "decimal": pa.decimal128(20, 1),
    }
    for word in way.split():
        if word == "dictionary":
            column = column.dictionary_encode()
        elif word not in {"plain", "nulls", "words"}:
            column = column.cast(kinds[word] if word in kinds else getattr(pa, word)())
    return column


@pytest.mark.parametrize("seed", range(2))
def test_rows_of_lichess_are_read_as_in_csv(tmp_path: Path, seed: int) -> None:
    choice = random.Random(seed)
    ratings = CELLS["Rating"] if seed % 2 else [*CELLS["Rating"], *ODD_RATINGS]
    rows = rows_of(choice, {**CELLS, "Rating": ratings})
    ways = dict.fromkeys(("Moves", "Themes"), TEXTS + LISTS)
    if seed % 2:
        ways["Rating"] = NUMBERS
    size = 70 + 230 * (seed % 2)
    assert compare(tmp_path, rows, ways, choice, SELECTIONS, row_group_size=size) > 300


def compare(
    folder: Path,
    rows: Sequence[Mapping[str, str]],
    ways: Mapping[str, Sequence[str]],
    choice: random.Random,
    selections: Sequence[Selection],
    **options: Any,
) -> int:
    """Read the rows from CSV and from Parquet; return how many records there are."""
    columns = {}
    for name in rows[0]:
        way = choice.choice(ways.get(name, TEXTS))
        columns[name] = column_of(way, [row[name] for row in rows])
    paths = folder / "csv" / "x", folder / "parquet" / "x"
    for path in paths:
        path.parent.mkdir(exist_ok=True)
    paths[0].write_bytes(as_csv(rows))
    pq.write_table(pa.table(columns), paths[1], **options)
    count = 0
    for selection in selections:
        summaries = FileSummary(), FileSummary()
        expected, found = (
            read(path, selection=selection, summary=summary)
            for path, summary in zip(paths, summaries, strict=True)
        )
        assert found == list(map(by_row, expected))
        assert summaries[0].records == summaries[1].records
        assert summaries[0].not_selected == summaries[1].not_selected
        count += len(found)
    return count


def by_row(record: Problem | FormatError) -> Problem | FormatError:
    """Count the header of CSV as no row."""
    name, _, line = record.source.partition(":")
    source = f"{name}:{int(line) - 1}"
    if isinstance(record, Problem) and record.id == record.source:
        return replace(record, source=source, id=source)
    return with_source(record, source)
