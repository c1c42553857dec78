"""Analysis of first moves: each mate is replayed and compared with a naive search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import pytest

from solver import solving
from solver.endgames.tablebases import Tablebases
from solver.solution import StoppedBy, TableFormat
from solver.solving import Solver
from solver.uci.analysis import Analysis
from solver.uci.protocol import parse_go
from tests.oracles import naive

if TYPE_CHECKING:
    from solver.uci.protocol import Line

pytestmark = pytest.mark.usefixtures("kernel")

TWO_ROOKS = "7k/8/8/8/8/8/1R6/RK6 w - - 0 1"
QUEEN = "7k/8/5K2/8/8/8/1Q6/8 w - - 0 1"
BARE_KING = "8/8/8/8/3k4/8/1r4r1/4K3 w - - 0 1"
SAVE_ONE = "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"
"""Black to move is mated by Ra8 unless it makes room or guards."""

HARD = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=4)


def analyse(
    solver: Solver, fen: str, go: str = "", lines: int = 1, *, kept_mb: int = 0
) -> tuple[Line, ...]:
    board = chess.Board(fen)
    analysis = Analysis(board, parse_go(go), lines, kept_mb)
    analysis.run(solver)
    for line in analysis.lines():
        replay(board, line)
    assert board.fen() == fen
    return analysis.lines()


def replay(board: chess.Board, line: Line) -> None:
    """Fail unless the line is legal and ends in the mate that it claims."""
    board = board.copy()
    for uci in line.pv:
        move = chess.Move.from_uci(uci)
        assert move in board.legal_moves
        board.push(move)
    if line.mate is None:
        assert len(line.pv) == 1
    else:
        assert board.is_checkmate()
        assert len(line.pv) == (2 * line.mate - 1 if line.mate > 0 else -2 * line.mate)


def rated(fen: str, limit: int) -> list[int | None]:
    """Return the mate that follows each first move, best first, by a naive search."""
    board = chess.Board(fen)
    values: list[int | None] = []
    for move in list(board.legal_moves):
        board.push(move)
        wins = [n for n in range(limit) if naive.mated_in(board, n)]
        loses = [n for n in range(1, limit + 1) if naive.mate_in(board, n)]
        values.append(wins[0] + 1 if wins else -loses[0] if loses else None)
        board.pop()

    def rank(value: int | None) -> tuple[int, int]:
        return (1, 0) if value is None else (0 if value > 0 else 2, value)

    return sorted(values, key=rank)


@pytest.mark.parametrize("fen", [TWO_ROOKS, QUEEN])
@pytest.mark.parametrize("count", [1, 4, 218])
def test_the_fastest_mates_are_found_for_different_moves(
    fen: str, count: int, solver: Solver
) -> None:
    lines = analyse(solver, fen, "depth 3", count)

    assert [line.mate for line in lines] == rated(fen, 2)[:count]
    assert len({line.pv[0] for line in lines}) == len(lines)


@pytest.mark.parametrize("go", ["", "mate 4", "mate -4"])
@pytest.mark.parametrize("count", [1, 3, 218])
def test_the_mated_side_resists_as_long_as_possible(
    go: str, count: int, solver: Solver
) -> None:
    lines = analyse(solver, BARE_KING, go, count)

    assert [line.mate for line in lines] == rated(BARE_KING, 4)[:count]
    assert None not in [line.mate for line in lines]


@pytest.mark.parametrize(
    ("go", "mates"),
    [
        ("mate 3", {2, 3}),
        ("mate 2", {2}),
        ("mate 1", {None}),
        ("mate -3", {None}),
        ("depth 3", {2}),
        ("depth 2", {None}),
        ("nodes 100000", {2}),
    ],
)
def test_a_requested_mate_is_reported(
    go: str, mates: set[int | None], solver: Solver
) -> None:
    (line,) = analyse(solver, TWO_ROOKS, go)

    assert line.mate in mates


def test_only_searchmoves_are_searched(solver: Solver) -> None:
    fast = set(naive.keys(chess.Board(TWO_ROOKS), 2))
    (move,) = sorted(fast)[:1]

    (line,) = analyse(solver, TWO_ROOKS, f"depth 3 searchmoves {move}")
    assert (line.pv[0], line.mate) == (move, 2)
    (line,) = analyse(solver, TWO_ROOKS, "depth 3 searchmoves b1c1")
    assert (line.pv, line.mate) == (("b1c1",), None)


def test_a_bare_king_is_mated_after_each_of_searchmoves(solver: Solver) -> None:
    (line,) = analyse(solver, BARE_KING, "depth 9 searchmoves e1f1")

    assert line.pv[0] == "e1f1"
    assert line.mate in rated(BARE_KING, 4)


def test_a_blunder_in_searchmoves_is_reported_as_a_loss(solver: Solver) -> None:
    lines = analyse(solver, SAVE_ONE, "depth 3 searchmoves g8h8 h7h6", 2)

    assert [(line.pv[0], line.mate) for line in lines] == [("h7h6", None), ("g8h8", -1)]


def test_the_lower_bound_excludes_shorter_mates(solver: Solver) -> None:
    (line,) = analyse(solver, HARD, "depth 3")

    assert (line.mate, line.depth) == (None, 3)


def test_the_bound_on_our_mates_is_none_on_our_losses(solver: Solver) -> None:
    lines = analyse(solver, "8/8/8/8/8/3K4/8/nk4Q1 b - - 0 1", "depth 9", 4)

    assert lines[0].mate == -5
    assert all(line.lower_bound <= line.length for line in lines)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("extra", ["", "mate 6", "searchmoves c4f7 d2d3"])
def test_a_node_limit_holds_for_all_searches_together(
    count: int, extra: str, solver: Solver
) -> None:
    analysis = Analysis(chess.Board(HARD), parse_go(f"nodes 300000 {extra}"), count)

    analysis.run(solver)

    assert 300_000 <= analysis.nodes < 310_000


def test_a_search_stopped_before_it_starts_has_a_legal_move(
    solver: Solver,
) -> None:
    analysis = Analysis(chess.Board(HARD), parse_go("infinite"), 3)
    analysis.stop(StoppedBy.INTERRUPT)

    analysis.run(solver)

    assert [line.mate for line in analysis.lines()] == [None] * 3
    for line in analysis.lines():
        replay(chess.Board(HARD), line)


def test_answers_do_not_depend_on_earlier_searches(solver: Solver) -> None:
    fresh = analyse(Solver(hash_mib=4), QUEEN, "depth 3", 4)
    analyse(solver, TWO_ROOKS, "nodes 50000", 2)

    assert analyse(solver, QUEEN, "depth 3", 4) == fresh


@pytest.mark.parametrize(
    "fen", ["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]
)
def test_without_a_legal_move_there_is_no_line(fen: str, solver: Solver) -> None:
    assert analyse(solver, fen) == ()


QUEEN_AGAINST_ROOK = "5Q2/8/8/7K/8/4k3/8/6r1 w - - 0 1"
"""Mate in 11."""


@pytest.mark.parametrize("go", ["", "mate 15", "depth 29"])
def test_a_small_ending_is_mated_move_by_move(go: str) -> None:
    """Whether the engine has its table or not; `mate` accepts any mate in time."""
    solver = Solver(hash_mib=4)
    board = chess.Board(QUEEN_AGAINST_ROOK)
    for moves, played in (11, "f8c5 e3d3"), (10, "c5g1 d3c4"), (9, "h5g6 c4b4"):
        (best,) = analyse(solver, board.fen(), go)
        assert best.mate is not None
        assert moves <= best.mate <= (15 if go == "mate 15" else moves)
        for move in played.split():
            board.push_uci(move)


def test_a_small_ending_searched_before_costs_nothing() -> None:
    solver = Solver(hash_mib=4)
    board = chess.Board(QUEEN_AGAINST_ROOK)
    nodes = []
    for _ in range(2):
        analysis = Analysis(board, parse_go(""), 1)
        analysis.run(solver)
        nodes.append(analysis.nodes)
        for move in analysis.lines()[0].pv[:2]:
            board.push_uci(move)
    assert nodes[0] > nodes[1] == 0


@pytest.mark.parametrize("go", ["", "mate 9", "mate -9"])
def test_without_a_limit_a_search_ends_with_what_tablebases_answer(
    go: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "TABLEBASE_NODES", 1000)
    monkeypatch.setattr(Tablebases, "denied_by", lambda *_: TableFormat.SYZYGY)

    (line,) = analyse(Solver(4, Tablebases([])), HARD, go)

    assert line.mate is None
