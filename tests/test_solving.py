"""Whole answers: mates with their lines and keys, limits that never say no mate."""

from __future__ import annotations

import _thread
import threading
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

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
from tests.search import workspaces
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

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


# fmt: off
ONLY_KEYS = {
    "rook ending": (SEED, 8, "h7g6"),
    "short castling": ("8/8/8/8/1p6/8/6QN/2k1K2R w K - 0 1", 1, "e1g1"),
    "castling first": ("8/8/7p/8/5R1p/6k1/8/4K2R w K - 0 1", 2, "e1g1"),
    "long castling first": ("8/8/8/5r2/2N5/8/1Q6/R3K2k w Q - 0 1", 2, "e1c1"),
    "en passant": ("8/3p1K1k/2n5/6pP/8/7Q/2P1r3/8 w - g6 0 1", 1, "h5g6"),
    "promotion to a rook": ("8/5P1k/5K2/8/8/8/8/8 w - - 0 1", 2, "f7f8r"),
    "to a knight": ("8/1RP1k1b1/4N3/5K2/2r5/5p2/8/7N w - - 0 1", 2, "c7c8n"),
    "double check": ("5K2/b4PNk/2n5/p7/P7/r2R4/2Q5/8 w - - 0 1", 1, "d3h3"),
    "en passant is the only reply to what would mate":
        ("1R6/8/8/k7/p7/2K5/1P6/5B2 w - - 0 1", 2, "f1b5"),
    "no en passant there": ("1R6/8/8/k7/b7/2K5/1P6/5B2 w - - 0 1", 1, "b2b4"),
}
# fmt: on


@pytest.mark.parametrize(("fen", "mate", "key"), ONLY_KEYS.values(), ids=ONLY_KEYS)
def test_the_only_key_is_found(solver: Solver, fen: str, mate: int, key: str) -> None:
    flip = str.maketrans("12345678", "87654321")
    board = chess.Board(fen)
    for asked, expected in ((board, key), (board.mirror(), key.translate(flip))):
        found = solve_fen(solver, asked.fen())
        assert (found.status, found.mate, found.lower_bound) == ("proved", mate, mate)
        assert found.keys == (expected,)
        assert found.keys_complete
        assert found.stopped_by is None


# fmt: off
DISPROVED = {
    "castling without the right": ("8/8/8/8/1p6/8/6QN/2k1K2R w - - 0 1", 1),
    "en passant too late": ("8/3p1K1k/2n5/6pP/8/7Q/2P1r3/8 w - - 0 1", 2),
    "stalemate is an escape": ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", -9),
    "attacker's king alone": ("7k/8/5q2/8/8/8/8/K7 w - - 0 1", 200),
    "defender to move": ("7k/8/8/5q2/8/8/8/K7 b - - 0 1", -9),
    "one move too few": (SEED, 7),
}
# fmt: on


@pytest.mark.parametrize(("fen", "within"), DISPROVED.values(), ids=DISPROVED)
def test_a_mate_that_does_not_exist_is_disproved(
    solver: Solver, fen: str, within: int
) -> None:
    found = solver.solve(Problem(fen), Limits(), within=within)
    assert found.status is Status.DISPROVED
    assert found.mate is None
    assert found.lower_bound == abs(within) + 1
    assert found.pv == found.keys == ()
    assert found.stopped_by is None


def test_a_position_that_is_mate_is_mate_in_none(solver: Solver) -> None:
    for claim in (None, Claim(-3)):
        problem = Problem("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1", claim=claim)
        found = solver.solve(problem, Limits(max_moves=1))
        assert (found.status, found.mate, found.lower_bound) == ("proved", 0, 0)
        assert found.pv == ()


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


def few_pieces(count: int, seed: int) -> Iterator[chess.Board]:
    for board in walks.small_positions(count, seed):
        if chess.popcount(board.occupied) <= 4:
            yield board


def mates(solver: Solver, wanted: int, seed: int) -> Iterator[Solution]:
    """Solve small positions until this many are mates in one to three."""
    answers = (
        solve_fen(solver, board.fen(), max_moves=3)
        for board in few_pieces(10_000, seed)
    )
    yield from islice((found for found in answers if (found.mate or 0) > 0), wanted)


@sized("count", 6, 40)
def test_lines_and_keys_are_those_of_the_definition(solver: Solver, count: int) -> None:
    lengths, more_than_one = set(), 0
    for found in mates(solver, count, seed=21):
        check_line(found)
        assert found.mate is not None
        board = chess.Board(found.problem.fen)
        assert set(found.keys) == naive.keys(board, found.mate), board.fen()
        assert len(found.keys) == len(set(found.keys))
        assert found.pv[0] in found.keys
        assert found.keys_complete
        lengths.add(found.mate)
        more_than_one += len(found.keys) > 1
    assert lengths >= {1, 2, 3}
    assert more_than_one > count // 8


def test_lines_of_the_side_that_is_mated_resist_longest(solver: Solver) -> None:
    checked = 0
    for board in few_pieces(400, 22):
        if not board.is_checkmate():
            found = solver.solve(Problem(board.fen()), Limits(), within=-2)
            if found.mate:
                check_line(found)
                checked += 1
    assert checked > 5


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
    small, tiny = Solver(hash_mib=1), Solver(hash_mib=1)
    workspaces.shrink(tiny.workspace)
    boards = [*walks.small_positions(40, 25), *walks.crowded_positions(30, 25)]
    for fen, most in ((SEED, 8), *((board.fen(), 3) for board in boards)):
        solvers = (solver, small) if fen == SEED else (solver, small, tiny)
        answers = {
            (
                *(found.status, found.mate, found.lower_bound, found.keys_complete),
                *(frozenset(found.keys), len(found.pv)),
            )
            for found in (solve_fen(each, fen, max_moves=most) for each in solvers)
        }
        assert len(answers) == 1, fen


# Restricted questions: root moves, any mate within a length, restrictions.


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


def test_a_claim_or_a_longer_mate_asked_for_changes_no_answer(solver: Solver) -> None:
    for number, found in enumerate(mates(solver, 30, seed=33)):
        problem = Problem(found.problem.fen, claim=Claim((1, 2, 9)[number % 3]))
        claimed = solver.solve(problem, Limits(max_moves=3))
        assert (claimed.status, claimed.mate) == (found.status, found.mate), problem
        assert claimed.lower_bound == found.lower_bound
        assert set(claimed.keys) == set(found.keys)
        one = solver.solve(problem, Limits(max_moves=3), keys=False)
        assert (one.mate, one.keys) == (found.mate, one.pv[:1])
        within = solver.solve(Problem(problem.fen), Limits(), within=5)
        assert within.mate is not None
        assert within.lower_bound <= (found.mate or 0) <= within.mate <= 5
        proved = within.lower_bound == within.mate
        assert within.status == (Status.PROVED if proved else Status.FOUND)
        assert within.stopped_by is None
        assert len(within.pv) == 2 * within.mate - 1
        assert list(play(problem.fen, within.pv))[-1].is_checkmate()


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_reports_whole_lines_and_better_bounds(
    monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    class Diary(Control):
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            kept.setdefault(name, []).append(value)

    workspaces.set_first_budget(monkeypatch, 1000)
    for fen in (SEED, "7k/8/5K2/8/8/8/6p1/R7 b - - 0 1"):
        kept: dict[str, list[Any]] = {}
        solver = Solver(hash_mib=16, threads=threads)
        found = solver.solve(Problem(fen), Limits(), control=Diary())
        bounds, mates_found = kept["lower_bound"], [*filter(None, kept["best"])]
        assert bounds == sorted(bounds)
        assert bounds[-1] == found.lower_bound or (found.mate or 0) < 0
        lengths = [abs(mate) for mate, _ in mates_found]
        assert lengths == sorted(lengths, reverse=True), fen
        for mate, line in mates_found:
            assert len(line) == (2 * mate - 1 if mate > 0 else -2 * mate)
            assert list(play(fen, line))[-1].is_checkmate()
        assert mates_found[-1] == (found.mate, found.pv)


RESTRICTIONS = [
    Restriction(checks_only=True),
    Restriction(king_flights=1),
    Restriction(replies=3),
    Restriction(threat=1),
    Restriction(king_flights=2, replies=4),
]


def game_of(restriction: Restriction) -> RestrictedGame:
    return RestrictedGame(
        restriction.checks_only,
        restriction.king_flights,
        restriction.replies,
        restriction.threat,
    )


@sized("count", 30, 80)
@pytest.mark.parametrize("restriction", RESTRICTIONS, ids=Restriction.words)
def test_the_answer_holds_under_the_restriction(
    solver: Solver, restriction: Restriction, count: int
) -> None:
    game = game_of(restriction)
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
            if not bare:
                assert set(found.keys) == game.keys(board, mate), board.fen()
        mates_found.add(found.mate)
    assert {1, 2, None} <= mates_found


def test_a_root_move_outside_the_restriction_never_mates(solver: Solver) -> None:
    """1. Kc3 is no check, though 1... Ka1 2. Ra7 or 2. Qb2 would mate."""
    problem, checks = Problem("8/1Q2R3/8/8/1K6/8/k7/8 w - - 0 1"), RESTRICTIONS[0]
    asked = {"restriction": checks, "root_moves": ["b4c3"]}
    found = solver.solve(problem, Limits(max_moves=2), **asked)  # type: ignore[arg-type]
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


# What one problem costs.


def test_node_signature(solver: Solver) -> None:
    boards = [*walks.small_positions(30, 26), *walks.crowded_positions(30, 26)]
    questions = [(SEED, 8), *((board.fen(), 3) for board in boards)]
    answers = [solve_fen(solver, fen, max_moves=most) for fen, most in questions]
    nodes = sum(answer.stats.nodes for answer in answers)
    assert nodes == signatures.MATES


def test_problems_do_not_change_what_the_next_ones_cost() -> None:
    """With a node limit, which holds in small endgames too."""
    fens = [*(board.fen() for board in walks.small_positions(30, 27)), SEED]
    solver = Solver(hash_mib=4)
    first, again, alone = (
        {
            fen: (found.stats.nodes, found.pv, found.keys)
            for fen in order
            for found in [solve_fen(any_one, fen, max_moves=5, nodes=SEARCH_ONLY)]
        }
        for any_one, order in (
            *((solver, fens), (solver, fens[::-1])),
            (Solver(hash_mib=4), fens[7:8]),
        )
    )
    assert first == again == first | alone


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
    boards = [*walks.small_positions(80, 28), *walks.crowded_positions(30, 28)]
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
            either = solve_fen(solver, board.fen(), max_moves=3, nodes=limit)
            if either.mate is not None and whole.mate is not None:
                assert either.mate == whole.mate, problem
            if either.status is Status.DISPROVED:  # for the side to move alone
                assert (whole.mate or 0) <= 0, problem
    assert statuses == {Status.PROVED, Status.DISPROVED, Status.UNDECIDED}


def test_a_time_limit_leaves_it_undecided(solver: Solver) -> None:
    found = solver.solve(Problem(HARD), Limits(time_s=0.05))
    assert (found.status, found.mate) == (Status.UNDECIDED, None)
    assert found.stopped_by is StoppedBy.TIME
    assert found.lower_bound > 1
    assert found.stats.nodes > 0
    assert found.stats.time_s >= 0.05


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
