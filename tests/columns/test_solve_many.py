"""Columns of answers: each row is what `solve` answers for its position alone."""

from __future__ import annotations

import re
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import chess.variant
import numpy as np
import pytest

from solver import InputError, Limits, solve, solve_many
from solver.board import parse_fen
from solver.columns import solve_many as module
from solver.columns.solve_many import STATUSES, read_column
from solver.errors import FenError
from solver.problem import Claim, Problem
from solver.search.threads import GroupControl
from solver.solving import Solver
from tests.oracles import naive, walks
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver import MateTable

pytestmark = pytest.mark.usefixtures("kernel")

MATES_IN_TWO = Path(__file__).parents[3] / "shared" / "data" / "mate-in-2.epd"

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
CHECKMATE = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1"
BARE_KING = "8/8/8/8/4k3/8/3q4/5K2 w - - 0 1"
SMALL_ENDING = "8/8/8/8/8/2k5/3q4/K6R b - - 0 1"
HARD = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"

SMALL = Limits(hash_mib=1)


def positions() -> list[str]:
    boards = [*walks.random_positions(200, seed=1), *walks.small_positions(200, seed=2)]
    fens = [board.fen(en_passant="fen") for board in boards]
    return [*fens, MATE_IN_ONE, CHECKMATE, BARE_KING, SMALL_ENDING, HARD]


def rows(table: MateTable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows without their times."""
    for row in table.to_arrow().to_pylist():
        row.pop("time_s")
        yield tuple(row.values())


@pytest.mark.parametrize("keys", [True, False])
@pytest.mark.parametrize("max_moves", [1, 3])
def test_each_row_is_what_solve_answers(keys: bool, max_moves: int) -> None:
    fens = positions()
    table = solve_many(fens, max_moves=max_moves, keys=keys, limits=SMALL)
    solver = Solver(hash_mib=1)
    assert len(table) == len(fens)
    for fen, row in zip(fens, rows(table), strict=True):
        problem = Problem(fen, no_mate=max_moves)
        alone = solver.solve(problem, Limits(max_moves=max_moves), keys=keys)
        expected = (
            str(alone.status),
            alone.mate,
            alone.lower_bound,
            [*alone.keys],
            [*alone.keys_san],
            alone.keys_complete,
            [*alone.pv],
            [*alone.pv_san],
            alone.stats.nodes,
            "",
        )
        assert row == expected, fen


@sized("count", 80, 300)
def test_mates_are_those_of_a_naive_oracle(count: int) -> None:
    boards = [b for b in walks.small_positions(count, seed=3) if not b.is_checkmate()]
    table = solve_many([b.fen() for b in boards], max_moves=2, limits=SMALL)
    expected = [naive.shortest_mate(board, 2) for board in boards]
    assert [mate or None for mate in table.mate.tolist()] == expected
    assert sum(mate is not None for mate in expected) > count // 15


def test_any_kind_of_column_gives_the_same_answers() -> None:
    pa = pytest.importorskip("pyarrow")
    fens = [MATE_IN_ONE, "8/8 w", SMALL_ENDING, "é", MATE_IN_ONE]
    expected = [*rows(solve_many(fens, max_moves=2, limits=SMALL))]
    wide = pa.array(["x", *fens, "y"]).slice(1, 5)
    columns: list[Any] = [
        tuple(fens),
        iter(fens),
        np.array(fens),
        np.array(fens, dtype=object),
        pa.array(fens),
        pa.array(fens, pa.large_string()),
        pa.array(fens).dictionary_encode(),
        pa.chunked_array([fens[:2], [], fens[2:]]),
        wide,
        [fen.encode() for fen in fens],
        np.array([fen.encode() for fen in fens]),
        pa.array(fens, pa.binary()),
        pa.array(fens, pa.large_binary()),
        pa.array(fens, pa.binary()).dictionary_encode(),
    ]
    for column in columns:
        assert [*rows(solve_many(column, max_moves=2, limits=SMALL))] == expected


def test_a_row_that_is_no_text_costs_no_other_row() -> None:
    pa = pytest.importorskip("pyarrow")
    values: list[Any] = [MATE_IN_ONE, None, 3, MATE_IN_ONE]
    table = solve_many(values, max_moves=1, limits=SMALL)
    assert table.status.tolist() == ["proved", "unreadable", "unreadable", "proved"]
    expected = "fen: expected a FEN, a chess.Board or a Problem, found"
    assert table.error[1] == f"{expected} None"
    assert table.error[2] == f"{expected} 3"
    nulls = solve_many(pa.array([MATE_IN_ONE, None]), max_moves=1, limits=SMALL)
    assert nulls.error[1] == f"{expected} None"


def test_rows_may_be_boards_and_problems_as_in_solve() -> None:
    positions: list[str | chess.Board | Problem] = [
        MATE_IN_ONE,
        chess.Board(MATE_IN_ONE),
        Problem(MATE_IN_ONE),
        Problem(MATE_IN_ONE, claim=Claim(2), stipulation="#2"),
    ]
    table = solve_many(positions, max_moves=1, limits=SMALL)
    assert list(table.pv) == [("a1a8",)] * 4
    assert list(table.error) == [""] * 4


def test_a_row_with_another_question_is_unreadable() -> None:
    table = solve_many(
        [
            MATE_IN_ONE,
            chess.Board(MATE_IN_ONE, chess960=True),
            chess.variant.AtomicBoard(),
            Problem(MATE_IN_ONE, stipulation="h#2"),
            Problem(MATE_IN_ONE, claim=Claim(-1)),
        ],
        max_moves=1,
        limits=SMALL,
    )
    assert table.status.tolist() == ["proved", *["unreadable"] * 4]
    board = "fen: expected a board of orthodox chess, found one of"
    assert list(table.error[1:]) == [
        f"{board} Chess960",
        f"{board} AtomicBoard",
        "stipulation: expected a mate, found h#2",
        "claim: expected a mate by the side to move, found -1",
    ]


def test_a_column_without_any_position_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr(module, "SLICE", 2)
    reason = "fens: expected a column of FENs, found none in any row; fen: expected "
    columns: list[Any] = [[1], [None] * 5, np.arange(3), pa.array([1.5]), iter([{}])]
    for column in columns:
        with pytest.raises(InputError, match=f"^{reason}"):
            solve_many(column, max_moves=1, limits=SMALL)
    mixed: list[Any] = [3, 3, 3, MATE_IN_ONE]
    assert solve_many(mixed, max_moves=1, limits=SMALL).mate.tolist() == [0, 0, 0, 1]


def test_bytes_that_are_not_utf8_cost_no_other_row() -> None:
    pa = pytest.importorskip("pyarrow")
    rows = [b"\xff" + MATE_IN_ONE.encode(), MATE_IN_ONE.encode()]
    unchecked = pa.array(rows).view(pa.string())
    columns: list[Any] = [rows, np.array(rows), pa.array(rows), unchecked]
    for column in columns:
        table = solve_many(column, max_moves=1, limits=SMALL)
        assert table.status.tolist() == ["unreadable", "proved"]
        assert table.error[0] == "expected plain ASCII, found U+FFFD at character 1"


def test_the_error_of_a_bad_fen_is_that_of_one_position() -> None:
    fens = ["", "8/8/8 w", "x" * 300, "é", MATE_IN_ONE.replace("w", "x"), "k7/8"]
    table = solve_many(fens, max_moves=1, limits=SMALL)
    for fen, error in zip(fens, table.error, strict=True):
        with pytest.raises(FenError) as strict:
            parse_fen(fen)
        assert error == str(strict.value)


def test_rows_keep_their_order_whatever_the_jobs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SLICE", 16)
    fens = positions()
    alone = solve_many(fens, max_moves=2, limits=SMALL)
    for jobs in (2, 3):
        shared = solve_many(iter(fens), max_moves=2, limits=SMALL, jobs=jobs)
        assert shared.mate.tolist() == alone.mate.tolist()
        assert list(shared.pv) == list(alone.pv)
        assert list(shared.keys) == list(alone.keys)


def test_a_node_limit_leaves_hard_rows_undecided() -> None:
    limits = Limits(hash_mib=1, nodes=1000)
    table = solve_many([HARD, MATE_IN_ONE], max_moves=12, limits=limits)
    assert table.status.tolist() == ["undecided", "proved"]
    assert table.has_mate.tolist() == [False, True]
    assert not table.pv[0]


def test_an_iterator_is_read_slice_by_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 8)
    before: list[int] = []
    solved: list[int] = []
    solve_slice = module._Worker.solve

    def note(worker: Any, given: Any) -> MateTable:
        solved.append(len(before))
        return solve_slice(worker, given)

    monkeypatch.setattr(module._Worker, "solve", note)

    def fens() -> Iterator[str]:
        for number in range(100):
            before.append(number)
            yield MATE_IN_ONE

    assert len(solve_many(fens(), max_moves=1, limits=SMALL)) == 100
    assert len(solved) == 13
    assert solved[0] < 100


def test_no_rows_give_an_empty_table() -> None:
    table = solve_many([], max_moves=3, limits=SMALL)
    assert len(table) == 0
    assert table.status.tolist() == list(table.pv) == []


def test_an_interrupt_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    groups: list[GroupControl] = []

    class Noted(GroupControl):
        def __init__(self) -> None:
            super().__init__()
            groups.append(self)

    monkeypatch.setattr(module, "GroupControl", Noted)

    def interrupted(_futures: object, timeout: float) -> None:
        assert timeout < 1
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solve_many([HARD] * 3, max_moves=200, limits=SMALL)
    assert groups[0].is_stopped()
    assert not [t for t in threading.enumerate() if "ThreadPool" in t.name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_moves": 0}, "max_moves: expected 1 to 200, found 0"),
        ({"max_moves": 1, "jobs": 0}, "jobs: expected 1 to 1024, found 0"),
        ({"max_moves": 1, "keys": 1}, "keys: expected True or False, found 1"),
        ({"max_moves": 1, "limits": 5}, "limits: expected Limits or None, found 5"),
        (
            {"max_moves": 1, "limits": Limits(max_moves=2)},
            "limits: expected one without max_moves and threads",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve_many([MATE_IN_ONE], **arguments)


@pytest.mark.parametrize("column", [MATE_IN_ONE, b"8", 3, None])
def test_what_is_no_column_is_refused(column: Any) -> None:
    with pytest.raises(InputError, match="fens: expected a column of FENs, found"):
        solve_many(column, max_moves=1)


@pytest.mark.parametrize("shape", [(), (1, 1)])
def test_an_array_of_another_shape_is_no_column(shape: tuple[int, ...]) -> None:
    array: Any = np.array([MATE_IN_ONE]).reshape(shape)
    message = f"fens: expected a column of FENs, found ndarray of shape {shape}"
    with pytest.raises(InputError, match=re.escape(message)):
        solve_many(array, max_moves=1)


@pytest.mark.parametrize(
    ("package", "name"),
    [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")],
)
def test_a_table_is_no_column(package: str, name: str) -> None:
    table = getattr(pytest.importorskip(package), name)({"fen": [MATE_IN_ONE] * 2})
    found = rf"{type(table).__name__} of shape \(2, 1\)"
    with pytest.raises(InputError, match=f"a column of FENs, found {found}"):
        solve_many(table, max_moves=1)


def test_a_mapping_is_no_column() -> None:
    with pytest.raises(InputError, match=r"expected a column of FENs, found \{'fen': "):
        solve_many({"fen": [MATE_IN_ONE]}, max_moves=1)


def test_a_table_has_rows() -> None:
    table = solve_many([MATE_IN_ONE, BARE_KING, "x"], max_moves=1, limits=SMALL)
    proved, disproved, unreadable = table
    assert proved == (
        *("proved", 1, 1, ("a1a8",), True, ("a1a8",)),
        *(table.nodes[0], table.time_s[0], ""),
    )
    assert (disproved.mate, disproved.lower_bound, disproved.keys) == (None, 2, ())
    assert (unreadable.mate, unreadable.lower_bound) == (None, None)
    assert unreadable.error == table.error[2]
    assert table[0] == table[-3] == proved
    assert table[1:] == [disproved, unreadable]
    with pytest.raises(IndexError):
        table[3]


def test_a_row_is_that_of_arrow() -> None:
    pytest.importorskip("pyarrow")
    table = solve_many(positions()[::40], max_moves=2, limits=SMALL)
    for row, expected in zip(table, table.to_arrow().to_pylist(), strict=True):
        fields = row._asdict()
        for name in ("keys", "pv"):
            fields[name] = [*fields[name]]
            assert len(expected.pop(f"{name}_san")) == len(fields[name])
        assert fields == expected


def test_a_table_of_arrow_has_nulls_where_there_is_no_mate() -> None:
    pytest.importorskip("pyarrow")
    fens = [MATE_IN_ONE, BARE_KING, "x", CHECKMATE]
    table = solve_many(fens, max_moves=1, limits=SMALL).to_arrow()
    assert table["status"].to_pylist() == [
        *("proved", "disproved", "unreadable", "proved")
    ]
    assert table["mate"].to_pylist() == [1, None, None, 0]
    assert table["lower_bound"].to_pylist() == [1, 2, None, 0]


def test_a_table_becomes_a_data_frame() -> None:
    pd = pytest.importorskip("pandas")
    frame = solve_many([MATE_IN_ONE], max_moves=1, limits=SMALL).to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame["pv"].tolist() == [("a1a8",)]
    assert frame["pv_san"].tolist() == [("Ra8#",)]


def test_a_data_frame_has_whole_numbers_and_missing_values() -> None:
    pd = pytest.importorskip("pandas")
    fens = [MATE_IN_ONE, BARE_KING, "x", CHECKMATE]
    frame = solve_many(fens, max_moves=1, limits=SMALL).to_pandas()
    assert frame["mate"].tolist() == [1, pd.NA, pd.NA, 0]
    assert frame["lower_bound"].tolist() == [1, 2, pd.NA, 0]
    assert str(frame["mate"].dtype) == str(frame["lower_bound"].dtype) == "Int16"


def test_a_data_frame_has_the_index_of_the_series_with_the_positions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr(module, "SLICE", 2)
    fens = pd.Series([MATE_IN_ONE, "x", BARE_KING], index=["c", "a", "b"], name="fen")
    frame = solve_many(fens, max_moves=1, limits=SMALL).to_pandas()
    joined = fens.to_frame().join(frame)
    assert joined["status"].tolist() == ["proved", "unreadable", "disproved"]
    assert joined.index.tolist() == ["c", "a", "b"]


def test_a_table_becomes_a_frame_of_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = solve_many([MATE_IN_ONE], max_moves=1, limits=SMALL).to_polars()
    assert isinstance(frame, pl.DataFrame)
    assert frame["pv"].to_list() == [["a1a8"]]
    assert frame["keys_san"].dtype == pl.List(pl.String)
    again = solve_many(pl.Series([MATE_IN_ONE]), max_moves=1, limits=SMALL)
    assert again.mate.tolist() == [1]


@pytest.mark.parametrize(
    ("method", "package"),
    [("to_pandas", "pandas"), ("to_polars", "polars"), ("to_arrow", "pyarrow")],
)
def test_a_missing_package_is_named(
    method: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = solve_many([MATE_IN_ONE], max_moves=1, limits=SMALL)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f"{method} needs {package}"):
        getattr(table, method)()


def test_a_slice_has_no_more_rows_than_wanted() -> None:
    sizes = [len(part.texts) for part in read_column("x", ["a"] * 10, 4)]
    assert sizes == [4, 4, 2]


def test_statuses_are_those_of_solutions_and_unreadable() -> None:
    assert STATUSES == ("proved", "found", "disproved", "undecided", "unreadable")


def test_the_public_suite_of_mates_in_two_is_solved() -> None:
    if not MATES_IN_TWO.exists():
        pytest.skip("the public suites are not part of the project")
    text = MATES_IN_TWO.read_text(encoding="utf-8")
    fens = [" ".join(line.split()[:4]) for line in text.splitlines()]
    table = solve_many(fens, max_moves=2)
    assert set(table.mate.tolist()) == {2}
    for fen, line in list(zip(fens, table.pv, strict=True))[::50]:
        board = chess.Board(f"{fen} 0 1")
        for move in line:
            board.push_uci(move)
        assert board.is_checkmate()


def test_solve_gives_the_same_mate_where_nobody_is_named() -> None:
    table = solve_many([MATE_IN_ONE], max_moves=3)
    assert solve(MATE_IN_ONE).mate == table.mate[0] == 1
