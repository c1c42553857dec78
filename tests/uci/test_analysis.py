"""Analysis of first moves: each mate is replayed and compared with a naive search."""

from __future__ import annotations

import chess
import pytest

from solver.solving import Solver
from solver.uci.analysis import Analysis
from solver.uci.protocol import (
    Line,
    format_best_move,
    format_effort,
    format_info,
    parse_go,
)
from tests.oracles import naive

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
@pytest.mark.parametrize("count", [1, 218])
def test_the_fastest_mates_are_found_for_different_moves(
    fen: str, count: int, solver: Solver
) -> None:
    lines = analyse(solver, fen, "depth 3", count)
    assert [line.mate for line in lines] == rated(fen, 2)[:count]
    assert len({line.pv[0] for line in lines}) == len(lines)


@pytest.mark.parametrize(("go", "count"), [("", 1), ("mate 4", 218), ("mate -4", 3)])
def test_the_mated_side_resists_as_long_as_possible(
    go: str, count: int, solver: Solver
) -> None:
    lines = analyse(solver, BARE_KING, go, count)
    assert [line.mate for line in lines] == rated(BARE_KING, 4)[:count]
    assert None not in [line.mate for line in lines]


def test_only_searchmoves_are_searched(solver: Solver) -> None:
    move, *_ = sorted(naive.keys(chess.Board(TWO_ROOKS), 2))
    (line,) = analyse(solver, TWO_ROOKS, f"depth 3 searchmoves {move}")
    assert (line.pv[0], line.mate) == (move, 2)
    (line,) = analyse(solver, TWO_ROOKS, "depth 3 searchmoves b1c1")
    assert (line.pv, line.mate) == (("b1c1",), None)
    # A blunder is a loss.
    lines = analyse(solver, SAVE_ONE, "depth 3 searchmoves g8h8 h7h6", 2)
    assert [(line.pv[0], line.mate) for line in lines] == [("h7h6", None), ("g8h8", -1)]


def test_the_lower_bound_excludes_shorter_mates_of_the_side_that_has_them(
    solver: Solver,
) -> None:
    (line,) = analyse(solver, HARD, "depth 3")
    assert (line.mate, line.depth) == (None, 3)
    lines = analyse(solver, "8/8/8/8/8/3K4/8/nk4Q1 b - - 0 1", "depth 9", 4)
    assert lines[0].mate == -5
    assert all(line.lower_bound <= line.length for line in lines)
    for queen in ("6Q1", "5Q2"):  # mate and stalemate have no line
        assert analyse(solver, f"7k/{queen}/6K1/8/8/8/8/8 b - - 0 1") == ()


@pytest.mark.parametrize(
    ("count", "extra"), [(1, "mate 6"), (3, ""), (3, "searchmoves c4f7 d2d3")]
)
def test_a_node_limit_holds_for_all_searches_together(
    count: int, extra: str, solver: Solver
) -> None:
    analysis = Analysis(chess.Board(HARD), parse_go(f"nodes 300000 {extra}"), count)
    analysis.run(solver)
    assert 300_000 <= analysis.nodes < 310_000


QUEEN_AGAINST_ROOK = "5Q2/8/8/7K/8/4k3/8/6r1 w - - 0 1"
"""Mate in 11."""


@pytest.mark.parametrize("go", ["", "mate 15", "depth 29"])
def test_a_small_ending_is_mated_move_by_move(go: str) -> None:
    """`mate` accepts any mate in time; once searched, an ending costs nothing."""
    solver = Solver(hash_mib=4)
    board = chess.Board(QUEEN_AGAINST_ROOK)
    for moves, played in (11, "f8c5 e3d3"), (10, "c5g1 d3c4"), (9, "h5g6 c4b4"):
        analysis = Analysis(board, parse_go(go), 1)
        analysis.run(solver)
        (best,) = analysis.lines()
        replay(board, best)
        assert best.mate is not None
        assert moves <= best.mate <= (15 if go == "mate 15" else moves)
        if not go and moves == 10:
            assert analysis.nodes == 0
        for move in played.split():
            board.push_uci(move)


# --- how lines are reported

WIN_IN_2 = Line(2, ("a1a2", "h1g1", "a2a1"), 2)
WIN_IN_3 = Line(3, ("b1b2", "h1g1", "b2b3", "g1h1", "b3b1"), 1)


LOSS_IN_2 = Line(-2, ("d1d2", "h1h8", "d2d1", "h8h1"), 2)


def test_a_line_is_reported_with_its_cost_and_the_reply_to_ponder_on() -> None:
    effort = format_effort(nodes=1000, time_s=0.5, hashfull=7)
    cost = "nodes 1000 nps 2000 hashfull 7 time 500"
    unknown = Line(None, ("e1e2",), 4)
    for number, line, expected in (
        (1, WIN_IN_2, f"depth 3 seldepth 3 multipv 1 score mate 2 {cost}"),
        (2, WIN_IN_3, f"depth 1 seldepth 5 multipv 2 score mate 3 {cost}"),
        (3, LOSS_IN_2, f"depth 4 seldepth 4 multipv 3 score mate -2 {cost}"),
        (4, unknown, f"depth 5 seldepth 5 multipv 4 score cp 0 {cost}"),
    ):
        shown = format_info(number, line, effort)
        assert shown == f"info {expected} pv {' '.join(line.pv)}"
    assert format_best_move((WIN_IN_2,)) == "bestmove a1a2 ponder h1g1"
    assert format_best_move((unknown,)) == "bestmove e1e2"
    assert format_best_move(()) == "bestmove (none)"
