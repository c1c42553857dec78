"""Whole answers: mates with their lines and keys, limits that never say no mate."""

from __future__ import annotations

import _thread
import threading
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.problem import Claim, Limits, Problem, Restriction
from solver.search.threads import Control
from solver.solution import Solution, Status, StoppedBy
from solver.solving import Solver, solve
from tests import signatures
from tests.oracles import endgames, naive, walks
from tests.oracles.remembering import Oracle
from tests.oracles.restrictions import RestrictedGame
from tests.processes import PATIENCE_S
from tests.search import workspaces
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

MATES_IN_TWO = Path(__file__).parents[2] / "shared" / "data" / "mate-in-2.epd"

SEED = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8, by 1. Kg6 alone."""

HARD = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
"""No mate in sight: a search that nothing stops lasts for hours."""

SEARCH_ONLY = 2_000_000
"""A node limit with which no small endgame is answered from a table."""

OVERRUN = 1000
"""Nodes by which a search may exceed its limit: it looks between two sets of replies,
and these have been seen to cost 140."""


@pytest.fixture
def solver() -> Solver:
    """A solver that has met no small endgame, so it searches."""
    return Solver(hash_mib=16)


def solve_fen(solver: Solver, fen: str, **limits: int) -> Solution:
    return solver.solve(Problem(fen), Limits(**limits))


def play(fen: str, line: tuple[str, ...]) -> Iterator[chess.Board]:
    """Yield the board before each move of the line, and after the last."""
    board = chess.Board(fen)
    for uci in line:
        yield board.copy()
        move = chess.Move.from_uci(uci)
        assert move in board.legal_moves, (fen, line)
        board.push(move)
    yield board


@pytest.mark.parametrize(
    ("fen", "mate", "key"),
    [
        pytest.param(SEED, 8, "h7g6", id="rook ending"),
        pytest.param(
            "8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1", 1, "e1g1", id="short castling"
        ),
        pytest.param(
            "8/8/P7/4p3/8/8/2R5/R3K1k1 w Q - 0 1", 1, "e1c1", id="long castling"
        ),
        pytest.param(
            "8/8/7p/8/5R1p/6k1/8/4K2R w K - 0 1", 2, "e1g1", id="castling first"
        ),
        pytest.param(
            "8/8/8/5r2/2N5/8/1Q6/R3K2k w Q - 0 1", 2, "e1c1", id="long castling first"
        ),
        pytest.param(
            "8/3p1K1k/2n5/6pP/8/7Q/2P1r3/8 w - g6 0 1", 1, "h5g6", id="en passant"
        ),
        pytest.param(
            "8/5P1k/5K2/8/8/8/8/8 w - - 0 1", 2, "f7f8r", id="promotion to a rook"
        ),
        pytest.param(
            "8/1RP1k1b1/4N3/5K2/2r5/5p2/8/7N w - - 0 1",
            2,
            "c7c8n",
            id="promotion to a knight",
        ),
        pytest.param(
            "5K2/b4PNk/2n5/p7/P7/r2R4/2Q5/8 w - - 0 1", 1, "d3h3", id="double check"
        ),
        pytest.param(
            "1R6/8/8/k7/p7/2K5/1P6/5B2 w - - 0 1",
            2,
            "f1b5",
            id="en passant is the only reply to what would mate",
        ),
        pytest.param(
            "1R6/8/8/k7/b7/2K5/1P6/5B2 w - - 0 1", 1, "b2b4", id="no en passant there"
        ),
    ],
)
def test_the_only_key_is_found(solver: Solver, fen: str, mate: int, key: str) -> None:
    for flipped in (False, True):
        board = chess.Board(fen)
        board = board.mirror() if flipped else board
        expected = chess.Move.from_uci(key)
        if flipped:
            expected.from_square ^= 56
            expected.to_square ^= 56
        found = solve_fen(solver, board.fen())
        assert (found.status, found.mate, found.lower_bound) == ("proved", mate, mate)
        assert found.keys == (expected.uci(),)
        assert found.keys_complete
        assert found.stopped_by is None


@pytest.mark.parametrize(
    ("fen", "within"),
    [
        pytest.param(
            "8/8/8/8/1p6/8/6QN/2k1K2R w - - 0 1", 1, id="castling without the right"
        ),
        pytest.param(
            "8/3p1K1k/2n5/6pP/8/7Q/2P1r3/8 w - - 0 1", 2, id="en passant too late"
        ),
        pytest.param("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", -9, id="stalemate is an escape"),
        pytest.param("8/8/8/8/8/4k3/8/4K3 w - - 0 1", 200, id="kings alone"),
        pytest.param("7k/8/5q2/8/8/8/8/K7 w - - 0 1", 200, id="attacker's king alone"),
        pytest.param("7k/8/8/5q2/8/8/8/K7 b - - 0 1", -9, id="defender to move"),
        pytest.param(SEED, 7, id="one move too few"),
    ],
)
def test_a_mate_that_does_not_exist_is_disproved(
    solver: Solver, fen: str, within: int
) -> None:
    found = solver.solve(Problem(fen), Limits(), within=within)
    assert found.status is Status.DISPROVED
    assert found.mate is None
    assert found.lower_bound == abs(within) + 1
    assert found.pv == found.keys == ()
    assert found.stopped_by is None


@pytest.mark.parametrize(
    ("fen", "claim", "mate"),
    [
        pytest.param("7k/8/5K2/8/6Q1/8/8/8 b - - 0 1", None, -1, id="its king alone"),
        pytest.param("7k/8/5K2/8/6Q1/8/8/7q b - - 0 1", -1, None, id="not mated"),
        pytest.param("7k/p7/5K2/8/6Q1/8/8/8 b - - 0 1", -1, -1, id="a claim says so"),
        pytest.param("7k/8/5K2/8/6Q1/8/8/8 w - - 0 1", None, 1, id="attacker to move"),
        pytest.param("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", None, 0, id="mated already"),
        pytest.param("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", -3, 0, id="mated before"),
    ],
)
def test_the_claim_or_the_pieces_decide_who_attacks(
    solver: Solver, fen: str, claim: int | None, mate: int | None
) -> None:
    problem = Problem(fen, claim=None if claim is None else Claim(claim))
    found = solver.solve(problem, Limits(max_moves=1))
    assert found.mate == mate
    assert found.problem is problem
    if mate is not None:
        assert found.status is Status.PROVED
        assert found.lower_bound == abs(mate)
        assert len(found.pv) == (2 * mate - 1 if mate > 0 else -2 * mate)


# Lines and keys, against the definition.


def check_line(found: Solution) -> None:
    """The line is legal and mates in time; no reply of the defender lasts longer."""
    assert found.mate is not None
    boards = list(play(found.problem.fen, found.pv))
    assert boards[-1].is_checkmate(), found
    plies = 2 * found.mate - 1 if found.mate > 0 else -2 * found.mate
    assert len(found.pv) == plies
    for played, board in enumerate(boards):
        left = plies - played
        if left % 2:
            assert naive.shortest_mate(board, 3) == (left + 1) // 2, found
        else:
            assert naive.mated_in(board, left // 2), found


def mates(solver: Solver, wanted: int, seed: int) -> Iterator[Solution]:
    """Solve small positions until this many are mates in one to three."""
    for board in walks.small_positions(10_000, seed):
        if chess.popcount(board.occupied) <= 4:
            found = solve_fen(solver, board.fen(), max_moves=3)
            if found.mate and found.mate > 0:
                yield found
                wanted -= 1
                if wanted == 0:
                    return


@sized("count", 10, 40)
def test_lines_are_legal_mating_and_resist_longest(solver: Solver, count: int) -> None:
    lengths = set()
    for found in mates(solver, count, seed=21):
        check_line(found)
        lengths.add(found.mate)
    assert lengths >= {1, 2, 3}


def test_lines_of_the_side_that_is_mated_resist_longest(solver: Solver) -> None:
    checked = 0
    for board in walks.small_positions(400, seed=22):
        if not board.is_checkmate() and chess.popcount(board.occupied) <= 4:
            found = solver.solve(Problem(board.fen()), Limits(), within=-2)
            if found.mate:
                check_line(found)
                checked += 1
    assert checked > 5


@sized("count", 5, 40)
def test_keys_are_those_of_the_definition(solver: Solver, count: int) -> None:
    more_than_one = 0
    for found in mates(solver, count, seed=23):
        assert found.mate is not None
        board = chess.Board(found.problem.fen)
        assert set(found.keys) == naive.keys(board, found.mate), board.fen()
        assert len(found.keys) == len(set(found.keys))
        assert found.pv[0] in found.keys
        assert found.keys_complete
        more_than_one += len(found.keys) > 1
    assert more_than_one > count // 8


def test_one_key_alone_is_the_first_move_of_the_line(solver: Solver) -> None:
    found = solver.solve(
        Problem("k7/8/1K6/8/8/8/7R/6R1 w - - 0 1"), Limits(), keys=False
    )
    assert found.status is Status.PROVED
    assert found.keys == found.pv[:1]
    assert not found.keys_complete
    assert found.stopped_by is None


@sized("piece", chess.ROOK, chess.QUEEN)
def test_endgames_are_solved_as_by_retrograde_analysis(
    solver: Solver, piece: chess.PieceType
) -> None:
    random = Random(24)
    endgame = endgames.solve_endgame(piece)
    for turn in chess.COLORS:
        won = [(b, plies) for b, plies in endgame.won(turn) if plies <= 11]
        for board, plies in random.sample(won, 12):
            found = solve_fen(solver, board.fen(), nodes=SEARCH_ONLY)
            moves = (plies + 1) // 2
            assert found.mate == (moves if turn else -moves), board.fen()
            lasts = [endgame.plies_to_mate(b) for b in play(board.fen(), found.pv)]
            assert lasts == list(range(plies, -1, -1)), found


def test_a_small_table_gives_the_same_answers(solver: Solver) -> None:
    small = Solver(hash_mib=1)
    tiny = Solver(hash_mib=1)
    workspaces.shrink(tiny.workspace)
    boards = [*walks.small_positions(60, 25), *walks.crowded_positions(40, 25)]
    for fen in (SEED, *(board.fen() for board in boards)):
        most = 8 if fen == SEED else 3
        answers = [
            solve_fen(any_size, fen, max_moves=most) for any_size in (solver, small)
        ]
        if fen != SEED:
            answers.append(solve_fen(tiny, fen, max_moves=most))
        for name in ("status", "mate", "lower_bound", "keys_complete"):
            assert len({getattr(answer, name) for answer in answers}) == 1, fen
        assert len({frozenset(answer.keys) for answer in answers}) == 1, fen
        assert len({len(answer.pv) for answer in answers}) == 1, fen


# Restricted questions: root moves, any mate within a length, restrictions.


def few_pieces(count: int, seed: int) -> Iterator[chess.Board]:
    for board in walks.small_positions(count, seed):
        if chess.popcount(board.occupied) <= 4:
            yield board


@sized("count", 30, 60)
def test_the_answer_covers_only_the_root_moves(solver: Solver, count: int) -> None:
    """Being mated is an answer about the position, whatever the root moves."""
    random, oracle = Random(31), Oracle()
    mates_found = set()
    for board in few_pieces(count, 31):
        legal = [move.uci() for move in board.legal_moves]
        if not legal:
            continue
        chosen = random.sample(legal, random.randint(1, len(legal)))
        found = solver.solve(
            Problem(board.fen()), Limits(max_moves=3), root_moves=chosen
        )
        by_length = {n: oracle.keys(board, n) & set(chosen) for n in (1, 2, 3)}
        mate = next((n for n, keys in by_length.items() if keys), None)
        if mate is not None:
            assert (found.status, found.mate) == (Status.PROVED, mate), board.fen()
            assert set(found.keys) == by_length[mate], board.fen()
            assert found.keys_complete
            assert found.pv[0] in chosen
            assert list(play(board.fen(), found.pv))[-1].is_checkmate()
        else:
            mate = next((-n for n in (1, 2, 3) if oracle.mated_in(board, n)), None)
            assert found.mate == mate, board.fen()
        mates_found.add(found.mate)
    assert {2, 3, None} <= mates_found
    assert min(n for n in mates_found if n) < 0


def test_root_moves_that_are_not_best_have_longer_mates(solver: Solver) -> None:
    fen = "k7/8/1K6/8/8/8/7R/6R1 w - - 0 1"
    assert solve_fen(solver, fen).mate == 1
    found = solver.solve(Problem(fen), Limits(), root_moves=["b6c6", "h2h3"])
    assert (found.status, found.mate) == (Status.PROVED, 2)
    assert set(found.keys) == naive.keys(chess.Board(fen), 2) & {"b6c6", "h2h3"}


@pytest.mark.parametrize("within", [3, 5])
def test_any_mate_within_the_length_is_an_answer(solver: Solver, within: int) -> None:
    oracle = Oracle()
    answered = 0
    for board in few_pieces(90, 32):
        shortest = next((n for n in range(1, 4) if oracle.mate_in(board, n)), None)
        if shortest is None:
            continue
        found = solver.solve(Problem(board.fen()), Limits(), within=within)
        assert found.status in {Status.FOUND, Status.PROVED}
        assert found.mate is not None
        assert found.lower_bound <= shortest <= found.mate <= within, board.fen()
        assert (found.status is Status.PROVED) == (found.lower_bound == found.mate)
        assert found.stopped_by is None
        assert len(found.pv) == 2 * found.mate - 1
        assert list(play(board.fen(), found.pv))[-1].is_checkmate()
        answered += 1
    assert answered > 5


@pytest.mark.parametrize("claim", [1, 2, 3, 4, 9])
def test_a_claim_of_any_length_changes_no_answer(solver: Solver, claim: int) -> None:
    for found in mates(solver, 25, seed=33):
        problem = Problem(found.problem.fen, claim=Claim(claim))
        claimed = solver.solve(problem, Limits(max_moves=3))
        assert (claimed.status, claimed.mate) == (found.status, found.mate), problem
        assert claimed.lower_bound == found.lower_bound
        assert set(claimed.keys) == set(found.keys)


RESTRICTIONS = [
    Restriction(checks_only=True),
    Restriction(king_flights=1),
    Restriction(replies=3),
    Restriction(threat=1),
    Restriction(king_flights=2, replies=4),
]


@sized("count", 30, 80)
@pytest.mark.parametrize("restriction", RESTRICTIONS, ids=Restriction.words)
def test_the_answer_holds_under_the_restriction(
    solver: Solver, restriction: Restriction, count: int
) -> None:
    game = RestrictedGame(
        restriction.checks_only,
        restriction.king_flights,
        restriction.replies,
        restriction.threat,
    )
    mates_found = set()
    for board in few_pieces(count, 34):
        if board.is_checkmate():
            continue
        found = solver.solve(
            Problem(board.fen()), Limits(max_moves=3), restriction=restriction
        )
        bare = chess.popcount(board.occupied_co[board.turn]) == 1
        decide = game.mated_in if bare else game.mate_in
        mate = next((n for n in (1, 2, 3) if decide(board, n)), None)
        assert found.restriction == restriction
        assert found.stopped_by is None
        assert found.lower_bound == (mate or 4), board.fen()
        if mate is None:
            assert (found.status, found.mate) == (Status.DISPROVED, None), board.fen()
        else:
            assert found.status is Status.PROVED, board.fen()
            assert found.mate == (-mate if bare else mate), board.fen()
            boards = list(play(board.fen(), found.pv))
            assert boards[-1].is_checkmate()
            assert all(map(game.admits, boards[2 if bare else 1 :: 2])), board.fen()
        mates_found.add(found.mate)
    assert {1, 2, None} <= mates_found


@pytest.mark.parametrize("restriction", RESTRICTIONS[:2], ids=Restriction.words)
def test_keys_under_a_restriction_are_admitted_moves(
    solver: Solver, restriction: Restriction
) -> None:
    game = RestrictedGame(
        restriction.checks_only,
        restriction.king_flights,
        restriction.replies,
        restriction.threat,
    )
    for board in few_pieces(110, 34):
        found = solver.solve(
            Problem(board.fen()), Limits(max_moves=3), restriction=restriction
        )
        if found.mate is not None and found.mate > 0:
            assert set(found.keys) == game.keys(board, found.mate), board.fen()


def test_a_root_move_outside_the_restriction_never_mates(
    solver: Solver,
) -> None:
    """1. Kc3 is no check, though 1... Ka1 2. Ra7 or 2. Qb2 would mate."""
    found = solver.solve(
        Problem("8/1Q2R3/8/8/1K6/8/k7/8 w - - 0 1"),
        Limits(max_moves=2),
        restriction=Restriction(checks_only=True),
        root_moves=["b4c3"],
    )
    assert found.status is Status.DISPROVED


# Long mates: found from above, proved from below.


def test_keys_of_long_mates_are_all_that_mate_as_fast(solver: Solver) -> None:
    """Checked by retrograde analysis; a claim lets the df-pn search start there."""
    endgame = endgames.solve_endgame(chess.ROOK)
    won = [(b, n) for b, n in endgame.won(chess.WHITE) if n in {11, 13}]
    more_than_one = 0
    for board, plies in Random(35).sample(won, 12):
        mate = (plies + 1) // 2
        found = solver.solve(Problem(board.fen(), claim=Claim(mate + 1)), Limits())
        assert (found.status, found.mate) == (Status.PROVED, mate), board.fen()
        keys = set()
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            if endgame.plies_to_mate(after) == plies - 1:
                keys.add(move.uci())
        assert set(found.keys) == keys, board.fen()
        assert found.keys_complete
        more_than_one += len(keys) > 1
    assert more_than_one


class Diary(Control):
    """Keeps every bound and every mate that a search reports."""

    def __init__(self) -> None:
        self.bounds: list[int] = []
        self.mates: list[tuple[int, tuple[str, ...]]] = []
        super().__init__()

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "lower_bound":
            self.bounds.append(self.lower_bound)
        elif name == "best" and self.best is not None:
            self.mates.append(self.best)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_reports_whole_lines_and_better_bounds(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    workspaces.set_first_budget(monkeypatch, 1000)
    mates_found = 0
    fens = [
        SEED,
        "8/8/8/8/3k4/8/8/KQ6 w - - 0 1",
        "7k/8/5K2/8/8/8/6p1/R7 b - - 0 1",
        "8/8/8/4k3/8/8/1R6/KR6 w - - 0 1",
    ]
    for fen in fens:
        diary = Diary()
        solver = Solver(hash_mib=16, threads=threads)
        found = solver.solve(Problem(fen), Limits(), control=diary)
        assert diary.bounds == sorted(diary.bounds)
        assert diary.bounds[-1] == found.lower_bound or (found.mate or 0) < 0
        lengths = [abs(mate) for mate, _ in diary.mates]
        assert lengths == sorted(lengths, reverse=True), fen
        for mate, line in diary.mates:
            assert len(line) == (2 * mate - 1 if mate > 0 else -2 * mate)
            assert list(play(fen, line))[-1].is_checkmate()
        assert diary.mates[-1] == (found.mate, found.pv)
        mates_found += len(diary.mates)
    assert mates_found >= len(fens)


# What one problem costs.


def test_node_signature(solver: Solver) -> None:
    boards = [*walks.small_positions(30, 26), *walks.crowded_positions(30, 26)]
    questions = [(SEED, 8), *((board.fen(), 3) for board in boards)]
    answers = [solve_fen(solver, fen, max_moves=most) for fen, most in questions]
    nodes = sum(answer.stats.nodes for answer in answers)
    assert nodes == signatures.MATES


def test_problems_do_not_change_what_the_next_ones_cost() -> None:
    """With a node limit, which holds in small endgames too."""
    limits = {"max_moves": 5, "nodes": SEARCH_ONLY}
    fens = [board.fen() for board in walks.small_positions(40, 27)]
    fens.append(SEED)
    one_after_another = Solver(hash_mib=4)
    first = [solve_fen(one_after_another, fen, **limits) for fen in fens]
    again = [solve_fen(one_after_another, fen, **limits) for fen in reversed(fens)]
    for before, after in zip(first, reversed(again), strict=True):
        assert before.stats.nodes == after.stats.nodes, before.problem.fen
        assert before.pv == after.pv
        assert before.keys == after.keys
    alone = solve_fen(Solver(hash_mib=4), fens[7], **limits)
    assert alone.stats.nodes == first[7].stats.nodes


def test_generations_start_again_before_they_overflow() -> None:
    solver = Solver(hash_mib=1)
    expected = solve_fen(solver, SEED, max_moves=5)
    solver._workspace.search.generation = (1 << 12) - 2
    for _ in range(3):
        found = solve_fen(solver, SEED, max_moves=5)
        assert found.stats.nodes == expected.stats.nodes
        assert found.status is Status.DISPROVED
    assert solver._workspace.search.generation == 2


# Limits: never taken for "no mate".


@pytest.mark.parametrize("within", [3, -3], ids=["attacker", "defender"])
def test_a_node_limit_never_says_no_mate_and_keeps_a_true_bound(
    solver: Solver, within: int
) -> None:
    random = Random(28)
    boards = [*walks.small_positions(120, 28), *walks.crowded_positions(60, 28)]
    statuses = set()
    for board in boards:
        problem = Problem(board.fen())
        whole = solver.solve(problem, Limits(), within=within)
        for _ in range(4):
            limit = random.randint(1, max(1, whole.stats.nodes))
            found = solver.solve(problem, Limits(nodes=limit), within=within)
            statuses.add(found.status)
            if found.status is Status.UNDECIDED:
                assert found.mate is None
                assert found.pv == found.keys == ()
                assert found.lower_bound <= whole.lower_bound, problem
                assert found.stopped_by is StoppedBy.NODES
                assert found.stats.nodes < limit + OVERRUN
            else:
                assert found.status == whole.status, problem
                assert found.mate == whole.mate
                assert found.lower_bound == whole.lower_bound
                assert len(found.pv) == len(whole.pv)
                assert set(found.keys) <= set(whole.keys)
                cut_short = found.keys != whole.keys
                assert cut_short <= (found.stopped_by is StoppedBy.NODES)
                assert found.keys_complete <= (not cut_short)
    assert statuses == {Status.PROVED, Status.DISPROVED, Status.UNDECIDED}


def test_a_node_limit_leaves_no_false_answer_about_either_side(solver: Solver) -> None:
    """If the attacker is not given, DISPROVED concerns only the side to move."""
    random = Random(30)
    statuses = set()
    for board in walks.small_positions(150, 30):
        fen = board.fen()
        whole = solve_fen(solver, fen, max_moves=3)
        for _ in range(4):
            limit = random.randint(1, max(1, whole.stats.nodes))
            found = solve_fen(solver, fen, max_moves=3, nodes=limit)
            statuses.add(found.status)
            if found.mate is not None:
                assert found.mate == whole.mate, fen
            if found.status is Status.DISPROVED:
                own = chess.popcount(board.occupied_co[board.turn]) > 1
                assert (whole.mate or 0) <= 0 if own else whole.mate is None, fen
    assert statuses == {Status.PROVED, Status.DISPROVED, Status.UNDECIDED}


def test_the_bound_of_a_stopped_search_grows_with_its_nodes(solver: Solver) -> None:
    bounds = [
        solve_fen(solver, SEED, nodes=nodes).lower_bound
        for nodes in (1, 500, 5000, 50_000)
    ]
    assert bounds == sorted(bounds)
    assert 4 < bounds[-1] <= 8


def test_a_time_limit_leaves_it_undecided(solver: Solver) -> None:
    found = solver.solve(Problem(HARD), Limits(time_s=0.05))
    assert found.status is Status.UNDECIDED
    assert found.stopped_by is StoppedBy.TIME
    assert found.mate is None
    assert found.lower_bound > 1
    assert found.stats.nodes > 0
    assert found.stats.time_s >= 0.05


def test_a_stop_from_another_thread_ends_the_search(solver: Solver) -> None:
    control = Control()
    answers: list[Solution] = []

    def work() -> None:
        answers.append(solver.solve(Problem(HARD), Limits(), control=control))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while control.lower_bound < 3:
        thread.join(0.005)
        assert thread.is_alive()
    assert control.nodes > 0
    control.stop()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert answers[0].status is Status.UNDECIDED
    assert answers[0].stopped_by is StoppedBy.INTERRUPT
    assert answers[0].lower_bound >= 3


def test_a_search_that_was_stopped_before_it_began_decides_nothing(
    solver: Solver,
) -> None:
    control = Control()
    control.stop()
    found = solver.solve(Problem(HARD), Limits(), control=control)
    assert found.status is Status.UNDECIDED
    assert found.stopped_by is StoppedBy.INTERRUPT
    assert solve_fen(solver, SEED, max_moves=3).status is Status.DISPROVED


def test_ctrl_c_reaches_the_waiting_caller_and_ends_the_search() -> None:
    control = Control()

    def interrupt() -> None:
        while control.nodes < 100_000:
            ticking.wait(0.005)
        _thread.interrupt_main()

    ticking = threading.Event()
    before = set(threading.enumerate())
    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        solve(HARD, Limits(hash_mib=1), control=control)
    thread.join()
    assert control.reason is StoppedBy.INTERRUPT
    assert not any(left.is_alive() for left in {*threading.enumerate()} - before)


# The arguments of `solve`.


def test_a_problem_keeps_its_name_and_the_solver_its_table() -> None:
    solver = Solver(hash_mib=1)
    problem = Problem(SEED, id="a rook", source="x.epd:1")
    found = solve(problem, Limits(max_moves=1, hash_mib=1000), solver=solver)
    assert found.problem is problem
    assert found.status is Status.DISPROVED


# A collection of others, where it is at hand.


def mates_in_two() -> list[tuple[str, str]]:
    """Return each FEN with the collection's first move."""
    if not MATES_IN_TWO.exists():
        pytest.skip("the collection of mates in 2 is not here")
    read = []
    for line in MATES_IN_TWO.read_text(encoding="utf-8").splitlines():
        position, line_of_play = line.split("bm #2; PV: ")
        read.append((f"{position.strip()} 0 1", line_of_play.split()[0].rstrip(";")))
    return read


def check_mates_in_two(solver: Solver, sample: list[tuple[str, str]]) -> None:
    for fen, key in sample:
        found = solve_fen(solver, fen)
        assert (found.status, found.mate) == (Status.PROVED, 2), fen
        assert key in found.keys, fen
        assert list(play(fen, found.pv))[-1].is_checkmate(), fen


def test_a_sample_of_mates_in_two_is_proved(solver: Solver) -> None:
    check_mates_in_two(solver, Random(29).sample(mates_in_two(), 200))


@pytest.mark.slow
def test_all_mates_in_two_are_proved(solver: Solver) -> None:
    check_mates_in_two(solver, mates_in_two())
