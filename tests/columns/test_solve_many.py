"""Columns of answers: each row is what `solve` answers for its position alone."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import chess
import chess.variant
import numpy as np
import pytest

from solver import InputError, Limits, solve_many
from solver.columns import solve_many as module
from solver.columns.solve_many import read_column
from solver.problem import Claim, Problem
from solver.search.threads import GroupControl
from solver.solving import Solver
from tests.oracles import walks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver import MateTable

pytestmark = pytest.mark.usefixtures("kernel")


MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
CHECKMATE = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1"
BARE_KING = "8/8/8/8/4k3/8/3q4/5K2 w - - 0 1"
SMALL_ENDING = "8/8/8/8/8/2k5/3q4/K6R b - - 0 1"
HARD = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"

SMALL = Limits(hash_mib=1)


def positions() -> list[str]:
    boards = [*walks.random_positions(80, seed=1), *walks.small_positions(80, seed=2)]
    fens = [board.fen(en_passant="fen") for board in boards]
    return [*fens, MATE_IN_ONE, CHECKMATE, BARE_KING, SMALL_ENDING, HARD]


def rows(table: MateTable) -> Iterator[tuple[Any, ...]]:
    """Yield the rows without their times."""
    for row in table.to_arrow().to_pylist():
        row.pop("time_s")
        yield tuple(row.values())


@pytest.mark.parametrize(("keys", "max_moves"), [(True, 3), (False, 1)])
def test_each_row_is_what_solve_answers(keys: bool, max_moves: int) -> None:
    fens, solver = positions(), Solver(hash_mib=1)
    table = solve_many(fens, max_moves=max_moves, keys=keys, limits=SMALL)
    assert len(table) == len(fens)
    for fen, row in zip(fens, rows(table), strict=True):
        problem = Problem(fen, no_mate=max_moves)
        alone = solver.solve(problem, Limits(max_moves=max_moves), keys=keys)
        expected = (
            *(str(alone.status), alone.mate, alone.lower_bound, [*alone.keys]),
            *([*alone.keys_san], alone.keys_complete, [*alone.pv], [*alone.pv_san]),
            *(alone.stats.nodes, ""),
        )
        assert row == expected, fen


def test_any_kind_of_column_gives_the_same_answers() -> None:
    pa = pytest.importorskip("pyarrow")
    fens = [MATE_IN_ONE, "8/8 w", SMALL_ENDING, "é", MATE_IN_ONE]
    expected = [*rows(solve_many(fens, max_moves=2, limits=SMALL))]
    wide = pa.array(["x", *fens, "y"]).slice(1, 5)
    encoded = [fen.encode() for fen in fens]
    columns: list[Any] = [
        *(tuple(fens), iter(fens), np.array(fens), np.array(fens, dtype=object)),
        *(pa.array(fens), pa.array(fens, pa.large_string()), wide),
        *(pa.array(fens).dictionary_encode(), encoded, np.array(encoded)),
        pa.chunked_array([fens[:2], [], fens[2:]]),
        *(pa.array(fens, pa.binary()), pa.array(fens, pa.large_binary())),
        pa.array(fens, pa.binary()).dictionary_encode(),
    ]
    for column in columns:
        assert [*rows(solve_many(column, max_moves=2, limits=SMALL))] == expected


def test_a_row_costs_no_other_row_whatever_it_is() -> None:
    pa = pytest.importorskip("pyarrow")
    text = "fen: expected a FEN, a chess.Board or a Problem, found"
    board = "fen: expected a board of orthodox chess, found one of"
    mated = "claim: expected a mate by the side to move, found -1"
    claimed = Problem(MATE_IN_ONE, claim=Claim(2), stipulation="#2")
    helped = Problem(MATE_IN_ONE, stipulation="h#2")
    given: list[tuple[Any, str]] = [
        *((one, "") for one in (MATE_IN_ONE, chess.Board(MATE_IN_ONE), claimed)),
        *((None, f"{text} None"), (3, f"{text} 3")),
        (chess.Board(MATE_IN_ONE, chess960=True), f"{board} Chess960"),
        (chess.variant.AtomicBoard(), f"{board} AtomicBoard"),
        (helped, "stipulation: expected a mate, found h#2"),
        (Problem(MATE_IN_ONE, claim=Claim(-1)), mated),
    ]
    table = solve_many([row for row, _ in given], max_moves=1, limits=SMALL)
    for row, (_, error) in zip(table, given, strict=True):
        assert (row.error, row.pv) == (error, () if error else ("a1a8",))
        assert row.status == ("unreadable" if error else "proved")
    nulls = solve_many(pa.array([MATE_IN_ONE, None]), max_moves=1, limits=SMALL)
    assert nulls.error[1] == f"{text} None"
    encoded = [b"\xff" + MATE_IN_ONE.encode(), MATE_IN_ONE.encode()]
    unchecked = pa.array(encoded).view(pa.string())
    columns: list[Any] = [encoded, np.array(encoded), unchecked]
    for column in columns:
        table = solve_many(column, max_moves=1, limits=SMALL)
        assert table.status.tolist() == ["unreadable", "proved"]
        assert table.error[0] == "expected plain ASCII, found U+FFFD at character 1"


def test_a_column_without_positions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr(module, "SLICE", 2)
    reason = "fens: expected a column of FENs, found none in any row; fen: expected "
    columns: list[Any] = [[1], [None] * 5, np.arange(3), pa.array([1.5]), iter([{}])]
    for column in columns:
        with pytest.raises(InputError, match=f"^{reason}"):
            solve_many(column, max_moves=1, limits=SMALL)
    mixed: list[Any] = [3, 3, 3, MATE_IN_ONE]
    assert solve_many(mixed, max_moves=1, limits=SMALL).mate.tolist() == [0, 0, 0, 1]


def test_rows_keep_their_order_with_any_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLICE", 16)
    fens = positions()
    alone = solve_many(fens, max_moves=2, limits=SMALL)
    for jobs in (2, 3):
        shared = solve_many(iter(fens), max_moves=2, limits=SMALL, jobs=jobs)
        assert shared.mate.tolist() == alone.mate.tolist()
        assert list(shared.pv) == list(alone.pv)
        assert list(shared.keys) == list(alone.keys)


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
    assert (len(solved), solved[0] < 100) == (13, True)
    sizes = [len(part.texts) for part in read_column("x", ["a"] * 10, 4)]
    assert sizes == [4, 4, 2]


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


GIVEN: dict[str, Any] = {"fens": [MATE_IN_ONE], "max_moves": 1}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"max_moves": 0}, "max_moves: expected 1 to 200, found 0"),
    ({"jobs": 0}, "jobs: expected 1 to 1024, found 0"),
    ({"keys": 1}, "keys: expected True or False, found 1"),
    ({"limits": 5}, "limits: expected Limits or None, found 5"),
    ({"limits": Limits(max_moves=2)}, "limits: expected one without max_moves"),
    *(({"fens": value}, "fens: expected a column of FENs") for value in ("8", b"8", 3)),
    ({"fens": {"fen": [MATE_IN_ONE]}}, r"fens: expected .* found {'fen': "),
    ({"fens": np.array(MATE_IN_ONE)}, r"found ndarray of shape \(\)"),
    ({"fens": np.array([[MATE_IN_ONE]])}, r"found ndarray of shape \(1, 1\)"),
]


def test_wrong_arguments_and_what_is_no_column_are_refused() -> None:
    for arguments, message in WRONG:
        with pytest.raises(InputError, match=message):
            solve_many(**GIVEN | arguments)
    for name in ("pandas.DataFrame", "polars.DataFrame", "pyarrow.table"):
        package, _, kind = name.partition(".")
        made = getattr(pytest.importorskip(package), kind)
        with pytest.raises(InputError, match=r"found \w+ of shape \(2, 1\)"):
            solve_many(made({"fen": [MATE_IN_ONE] * 2}), max_moves=1)


def test_a_table_has_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    table = solve_many([MATE_IN_ONE, BARE_KING, "x"], max_moves=1)
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
    assert list(solve_many([], max_moves=3)) == []
    limits = Limits(hash_mib=1, nodes=1000)
    cut = solve_many([HARD, MATE_IN_ONE], max_moves=12, limits=limits)
    assert cut.status.tolist() == ["undecided", "proved"]
    assert (cut.has_mate.tolist(), len(cut.pv[0])) == ([False, True], 0)
    pl = pytest.importorskip("polars")
    frame = table.to_polars()
    assert frame["pv"].to_list()[0] == ["a1a8"]
    assert frame["keys_san"].dtype == pl.List(pl.String)
    series = pl.Series([MATE_IN_ONE])
    assert solve_many(series, max_moves=1, limits=SMALL).mate.tolist() == [1]
    for package in ("pandas", "polars", "pyarrow"):
        method = f"to_{package.removeprefix('py')}"
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(InputError, match=f"{method} needs {package}"):
            getattr(table, method)()


def test_a_table_has_missing_values_and_index(monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr(module, "SLICE", 2)
    given = pd.Series([MATE_IN_ONE, BARE_KING, "x", CHECKMATE], [*"cabd"], name="fen")
    table = solve_many(given, max_moves=1, limits=SMALL)
    arrow = table.to_arrow()
    assert arrow["mate"].to_pylist() == [1, None, None, 0]
    assert arrow["lower_bound"].to_pylist() == [1, 2, None, 0]
    frame = given.to_frame().join(table.to_pandas())
    status = ["proved", "disproved", "unreadable", "proved"]
    assert frame["status"].to_dict() == dict(zip("cabd", status, strict=True))
    assert frame["mate"].tolist() == [1, pd.NA, pd.NA, 0]
    assert frame["lower_bound"].tolist() == [1, 2, pd.NA, 0]
    assert str(frame["mate"].dtype) == str(frame["lower_bound"].dtype) == "Int16"
    assert (frame["pv"].iloc[0], frame["pv_san"].iloc[0]) == (("a1a8",), ("Ra8#",))
