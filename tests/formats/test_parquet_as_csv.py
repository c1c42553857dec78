"""Parquet gives the records that the same rows give in CSV."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from solver.formats.claims import FileSummary, Selection
from solver.problem import Problem

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from tests.formats.parquet_files import FEN, LADDER, PUZZLE, read  # noqa: E402
from tests.formats.whole_files import with_source  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from solver.errors import FormatError

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
    Selection(all_rows=True),
    Selection(theme="hangingPiece"),
    Selection(theme="hanging"),
    Selection(theme="crushing", all_rows=True),
    Selection(theme="", all_rows=True),
    Selection(min_rating=1500),
    Selection(min_rating=1500, all_rows=True),
    Selection(min_rating=1500, theme="mate", max_claim=2),
    Selection(min_claim=2),
    Selection(max_claim=1),
    Selection(min_claim=2, max_claim=3, all_rows=True),
    Selection(min_claim=1, max_claim=1, min_rating=1),
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


@pytest.mark.parametrize("seed", range(12))
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
    summaries = FileSummary(), FileSummary()
    expected, found = (
        read(path, selection=selection, summary=summary)
        for path, summary in zip(paths, summaries, strict=True)
    )
    assert found == list(map(by_row, expected))
    assert summaries[0].records == summaries[1].records
    assert summaries[0].not_selected == summaries[1].not_selected
    return len(found)


def by_row(record: Problem | FormatError) -> Problem | FormatError:
    """Count the header of CSV as no row."""
    name, _, line = record.source.partition(":")
    source = f"{name}:{int(line) - 1}"
    if isinstance(record, Problem) and record.id == record.source:
        return replace(record, source=source, id=source)
    return with_source(record, source)


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
        for selection in (Selection(), Selection(min_claim=2), Selection(max_claim=1))
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
