"""Who attacks when the caller does not say, and what the other side's mate may cost."""

from __future__ import annotations

import sys
from itertools import chain
from random import Random
from types import ModuleType

import chess
import pytest

from solver import Claim, InputError, Limits, Problem, Status, StoppedBy
from solver.board import pack_board
from solver.problem import MAX_MOVES
from solver.search.queries import is_attacking, read_question
from solver.solving import Solver
from tests.oracles import naive, walks
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("kernel")

ROOK_AGAINST_PAWN = "7k/8/5K2/8/8/8/6p1/R7 b - - 0 1"
"""Black to move is mated in 8; it has a pawn, so it might have mated itself."""


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=16)


def sides(
    fen: str, *, claim: int | None = None, within: int | None = None
) -> tuple[bool, bool]:
    problem = Problem(fen, claim=Claim(claim) if claim else None)
    question = read_question(problem, within=within)
    return question.attacking, question.both_sides


def test_the_sign_of_the_length_or_the_claim_says_who_attacks() -> None:
    assert sides(ROOK_AGAINST_PAWN, claim=3) == (True, False)
    assert sides(ROOK_AGAINST_PAWN, claim=-8) == (False, False)
    assert sides(ROOK_AGAINST_PAWN, claim=-8, within=2) == (True, False)
    assert sides(ROOK_AGAINST_PAWN, claim=2, within=-8) == (False, False)


def test_without_a_claim_the_side_to_move_attacks_and_both_are_searched() -> None:
    assert sides(ROOK_AGAINST_PAWN) == (True, True)


def test_a_bare_king_to_move_defends() -> None:
    assert sides("7k/8/5K2/8/8/8/8/R7 b - - 0 1") == (False, False)


def test_a_bare_king_not_to_move_cannot_attack() -> None:
    assert sides("7k/8/5K2/8/8/8/8/R7 w - - 0 1") == (True, False)


def test_the_search_goes_no_farther_than_the_limit() -> None:
    problem, limits = Problem(ROOK_AGAINST_PAWN), Limits(max_moves=4)
    assert read_question(problem).most_moves == MAX_MOVES
    assert read_question(problem, limits).most_moves == 4
    assert read_question(problem, limits, within=-6).most_moves == 6


@pytest.mark.parametrize("within", [0, MAX_MOVES + 1, -MAX_MOVES - 1])
def test_a_length_beyond_the_longest_search_is_refused(within: int) -> None:
    with pytest.raises(InputError, match="within: expected "):
        sides(ROOK_AGAINST_PAWN, within=within)
    with pytest.raises(InputError, match="max_moves: expected 1 to 200, found "):
        Limits(max_moves=abs(within))


@pytest.mark.parametrize(
    ("name", "value"),
    [("time_s", -1.0), ("time_s", float("nan")), ("nodes", -1), ("hash_mib", 0)],
)
def test_a_limit_out_of_range_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{name}: expected"):
        Limits(**{name: value})  # type: ignore[arg-type]


def test_being_mated_is_an_answer(solver: Solver) -> None:
    solution = solver.solve(Problem(ROOK_AGAINST_PAWN), Limits())
    assert (solution.status, solution.mate) == (Status.PROVED, -8)
    assert len(solution.pv) == 16
    line = chess.Board(ROOK_AGAINST_PAWN)
    for move in solution.pv:
        line.push_uci(move)
    assert line.is_checkmate()
    claimed = solver.solve(Problem(ROOK_AGAINST_PAWN, claim=Claim(-8)), Limits())
    assert claimed.mate == -8


def test_two_bare_kings_mate_nobody(solver: Solver) -> None:
    solution = solver.solve(Problem("7k/8/5K2/8/8/8/8/8 w - - 0 1"), Limits())
    assert (solution.status, solution.mate) == (Status.DISPROVED, None)
    assert solution.stats.nodes == 0


@sized("count", 100, 400)
def test_the_side_that_mates_is_found_with_the_shortest_length(
    solver: Solver, count: int
) -> None:
    found = set()
    for board in walks.small_positions(count, 77):
        solution = solver.solve(Problem(board.fen()), Limits(max_moves=2))
        own = naive.shortest_mate(board, 2)
        lost = next((n for n in range(3) if naive.mated_in(board, n)), None)
        expected = -lost if lost is not None else own
        assert solution.mate == expected, board.fen()
        found.add(solution.mate)
    assert {-2, -1, 1, 2, None} <= found


def test_a_limit_in_the_other_sides_turn_is_reported_as_one(solver: Solver) -> None:
    whole = solver.solve(Problem(ROOK_AGAINST_PAWN), Limits())
    for nodes in range(1, 2_000, 97):
        cut = solver.solve(Problem(ROOK_AGAINST_PAWN), Limits(nodes=nodes))
        assert whole.stats.nodes > nodes
        assert cut.status is Status.UNDECIDED
        assert cut.stopped_by is StoppedBy.NODES


def test_the_stipulation_says_who_begins_where_the_fen_does_not() -> None:
    begins = {"h#2": "b", "h=2": "b", "h#2.5": "w", "s#2": "w", "#2": "w"}
    for stipulation, side in begins.items():
        problem = Problem("7k/8/5K2/8/8/8/6p1/R7", stipulation=stipulation)
        assert read_question(problem).problem.fen.split()[1] == side, stipulation


# The position, read without python-chess


def test_a_position_is_read_as_python_chess_reads_it() -> None:
    idle = 0
    for board in walks.random_positions(600, seed=44):
        whole, legal = board.fen(en_passant="fen"), board.fen()
        idle += whole != legal
        for given, fen in ((whole, legal), (Problem(whole), whole), (board, legal)):
            question = read_question(given)
            assert question.problem.fen == fen
            assert question.black == (board.turn == chess.BLACK)
            assert bytes(question.position) == bytes(
                pack_board(chess.Board(whole))
            ) or (
                given is board
                and bytes(question.position) == bytes(pack_board(chess.Board(legal)))
            )
            assert question.board == chess.Board(fen)
    assert idle > 20


def test_the_legal_moves_are_root_moves_and_no_others() -> None:
    random = Random(45)
    for board in walks.random_positions(500, seed=45):
        legal = [move.uci() for move in board.legal_moves]
        if legal:
            assert read_question(board, root_moves=legal).root_moves == tuple(legal)
        pseudo = {move.uci() for move in board.pseudo_legal_moves}
        start, end = random.sample(chess.SQUARE_NAMES, 2)
        for move in {*pseudo, start + end, f"{start}{end}q"} - {*legal}:
            with pytest.raises(InputError, match=f"root_moves: .* found '{move}'"):
                read_question(board, root_moves=[*legal, move])


def test_bare_kings_are_counted_as_python_chess_counts_them() -> None:
    bare = 0
    for board in chain(
        walks.small_positions(1000, seed=46), walks.random_positions(200, seed=46)
    ):
        ours, theirs = (
            chess.popcount(board.occupied_co[side]) == 1
            for side in (board.turn, not board.turn)
        )
        problem = Problem(board.fen())
        expected = not ours or theirs
        assert is_attacking(problem, pack_board(board)) == expected
        question = read_question(problem)
        assert (question.attacking, question.both_sides) == (
            expected,
            expected and not theirs,
        )
        bare += ours or theirs
    assert bare > 100


def test_a_fen_is_read_while_another_thread_still_loads_python_chess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fen = chess.STARTING_FEN
    monkeypatch.setitem(sys.modules, "chess", ModuleType("chess"))
    assert read_question(fen).problem.fen == fen
