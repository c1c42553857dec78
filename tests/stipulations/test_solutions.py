"""Kinds of stipulations, and help play: all solutions, within limits."""

from __future__ import annotations

import re
from dataclasses import replace

import chess
import pytest

from solver import Limits, Problem, Restriction, Status, solve
from solver.errors import AllocationError, InputError
from solver.kernel.border import interface
from solver.problem import MATE, Stipulation
from solver.search.queries import Question, read_question
from solver.search.workspaces import Workspace
from solver.solution import StoppedBy
from solver.solving import Control, Solver
from solver.stipulations import genre_of
from solver.stipulations.solving_moves import NODES_BEFORE, Enumeration, set_play
from tests.cpu_time import after_work
from tests.oracles import help_play, walks
from tests.sizes import sized

ROOK = "7k/8/5K2/8/8/8/8/R7"
"""A rook's mate in the corner; 22 solutions of h#2, none of h#1."""


def problem_of(fen: str, stipulation: str) -> Problem:
    return Problem(fen, stipulation=Stipulation.parse(stipulation))


pytestmark = pytest.mark.usefixtures("kernel")


@pytest.mark.parametrize("stipulation", ["h#1", "h#1.5", "h#2", "h=1", "h=1.5", "h=2"])
@pytest.mark.parametrize("turn", chess.COLORS)
@sized("count", 1, 2)
def test_solutions_equal_the_oracle_whoever_begins(
    stipulation: str, turn: chess.Color, count: int
) -> None:
    solver = Solver(1)
    plies = 2 * int(stipulation[2]) + stipulation.endswith(".5")
    boards = [board for board in walks.small_positions(80, 41) if board.turn is turn]
    for board in boards[: 10 * count if plies < 4 else count]:
        expected = help_play.solutions(board, plies, stalemate=stipulation[1] == "=")
        answer = solver.solve(problem_of(board.fen(), stipulation))
        assert set(answer.solutions) == expected
        assert len(answer.solutions) == len(expected)
        assert answer.solutions_complete
        assert answer.stopped_by is None
        assert answer.status is (Status.PROVED if expected else Status.DISPROVED)
        shortest = min((len(line) for line in expected), default=None)
        assert answer.mate == (None if shortest is None else (shortest + 1) // 2)
        assert answer.lower_bound == answer.mate or not expected


def test_a_proved_solution_counts_moves_of_the_side_that_ends_the_play() -> None:
    answer = solve(problem_of(f"{ROOK} b - -", "h#2"))
    assert len(answer.solutions) == 22
    assert (answer.mate, answer.lower_bound, answer.status) == (2, 2, Status.PROVED)
    assert (answer.pv, answer.keys) == (answer.solutions[0], ())
    # Half a move more lets the mating side begin.
    answer = solve(problem_of(f"{ROOK} w - -", "h#1.5"))
    solutions = [("f6f7", "h8h7", "a1h1"), ("f6g6", "h8g8", "a1a8")]
    assert (answer.mate, sorted(answer.solutions)) == (2, solutions)
    record = answer.to_dict()
    assert record["stipulation"] == "h#1.5"
    assert record["solutions"] == [list(line) for line in answer.solutions]
    assert record["solutions_complete"] is True


@pytest.mark.parametrize("length", ["#3", "#2.5", "=2"])
def test_an_exact_length_has_no_shorter_solutions(length: str) -> None:
    side = "w" if length.endswith(".5") else "b"
    whole = solve(problem_of(f"{ROOK} {side} - -", f"h{length}"))
    exact = solve(problem_of(f"{ROOK} {side} - -", f"exact-h{length}"))
    plies = exact.problem.stipulation.plies
    assert exact.solutions == tuple(s for s in whole.solutions if len(s) == plies)
    moves = exact.problem.stipulation.attacker_moves
    assert exact.mate == (moves if exact.solutions else None)
    assert exact.lower_bound == (moves if exact.solutions else moves + 1)


def test_no_solution_is_proved_also_of_an_exact_length() -> None:
    answer = solve(problem_of(f"{ROOK} b - -", "h#1"))
    assert (answer.status, answer.mate) == (Status.DISPROVED, None)
    assert (answer.lower_bound, answer.pv) == (2, ())
    assert (answer.solutions, answer.solutions_complete) == ((), True)
    answer = solve(problem_of(f"{ROOK} b - -", "exact-h#1"))
    assert str(answer).splitlines()[0] == "No helpmate in exactly 1."
    other = set_play_of(f"{ROOK} b - -", "exact-h#3")
    assert other is not None
    assert str(other.problem.stipulation) == "exact-h#2.5"


def test_the_number_of_solutions_can_be_limited() -> None:
    problem = problem_of(f"{ROOK} b - -", "h#3")
    everything = solve(problem).solutions
    for most in (1, 21, 22, 23):
        answer = solve(problem, Limits(max_solutions=most))
        assert answer.solutions == everything[:most]
        assert not answer.solutions_complete
        assert answer.stopped_by is StoppedBy.SOLUTIONS
        assert (answer.status, answer.mate, answer.lower_bound) == (Status.FOUND, 2, 2)
    short = solve(problem_of(f"{ROOK} b - -", "h#2")).solutions
    assert everything[: len(short)] == short  # they are reported first
    assert {len(line) for line in everything[len(short) :]} == {6}
    answer = solve(problem, Limits(max_solutions=len(everything) + 1))
    assert answer.solutions_complete
    assert answer.status is Status.PROVED


def test_a_node_limit_leaves_what_was_found() -> None:
    problem = problem_of(f"{ROOK} b - -", "h#4")
    everything = solve(problem)
    answer = solve(problem, Limits(nodes=everything.stats.nodes // 2))
    assert answer.stopped_by is StoppedBy.NODES
    assert answer.status is Status.FOUND
    assert not answer.solutions_complete
    assert answer.solutions == everything.solutions[: len(answer.solutions)]
    assert 22 < len(answer.solutions) < len(everything.solutions)
    assert answer.stats.nodes == everything.stats.nodes // 2
    # Before any solution, the question is undecided; h#7 is the shortest.
    distant = problem_of("k7/8/8/8/8/8/6PP/7K b - -", "h#9")
    answer = solve(distant, Limits(nodes=2_000))
    assert (answer.status, answer.mate) == (Status.UNDECIDED, None)
    assert (1 < answer.lower_bound <= 7, answer.solutions_complete) == (True, False)
    answer = solve(problem, Limits(max_moves=1))
    assert (answer.status, answer.lower_bound) == (Status.DISPROVED, 2)


def test_a_time_limit_and_a_stop_from_another_thread_end_the_search() -> None:
    problem = problem_of(chess.STARTING_FEN.replace(" w ", " b "), "h#6")
    answer = solve(problem, Limits(time_s=0.2, hash_mib=1))
    assert answer.stopped_by is StoppedBy.TIME
    assert not answer.solutions_complete
    control = Control()
    with after_work(control.stop):
        answer = solve(problem, Limits(hash_mib=1), control=control)
    assert answer.stopped_by is StoppedBy.INTERRUPT


def test_the_size_of_the_table_changes_no_solution() -> None:
    # R. McKay, 2021, a move longer. Enough nodes for the table to become larger.
    fen = "8/1B6/3p1P1q/4ppB1/1p3b2/1Pk3p1/2P4p/1K6 b - -"
    problem = problem_of(fen, "h#3")
    answers = [solve(problem, Limits(hash_mib=size)) for size in (1, 4, 32)]
    assert all(answer.stats.nodes > 1 << 17 for answer in answers)
    assert answers[0].stats.nodes != answers[1].stats.nodes
    assert answers[0].solutions == answers[1].solutions == answers[2].solutions
    # As many as Popeye 4.104 finds.
    assert len(set(answers[0].solutions)) == len(answers[0].solutions) == 2462


def test_a_solver_solves_mates_before_and_after_help_play() -> None:
    mate = "8/7K/8/8/8/8/R7/7k w - -"
    fresh = Solver(1).solve(mate)
    solver = Solver(1)
    helpmate = problem_of(f"{ROOK} b - -", "h#3")
    first = solver.solve(helpmate)
    again = solver.solve(mate)
    assert replace(again, stats=fresh.stats) == fresh
    assert again.stats.nodes == fresh.stats.nodes
    assert replace(solver.solve(helpmate), stats=first.stats) == first


def set_play_of(fen: str, stipulation: str) -> Question | None:
    return set_play(read_question(problem_of(fen, stipulation)))


def test_set_play_lets_the_other_side_begin() -> None:
    other = set_play_of(f"{ROOK} b - -", "h#2")
    assert other is not None
    assert str(other.problem.stipulation) == "h#1.5"
    answer = Solver(1).answer(other, Control())
    expected = help_play.solutions(chess.Board(f"{ROOK} w - - 0 1"), 3)
    assert set(answer.solutions) == expected
    back = set_play(other)
    assert back is not None
    assert (str(back.problem.stipulation), back.board.turn) == ("h#1", chess.BLACK)
    # It forgets the right to capture en passant.
    other = set_play_of("8/8/8/8/3pP2k/8/8/K4R2 b - e3 0 1", "h#2")
    assert other is not None
    assert (other.board.ep_square, other.problem.fen.split()[3]) == (None, "-")
    # There is none from check or without plies.
    assert set_play_of("7k/8/5K2/8/8/8/8/R6R b - -", "h#2") is None
    assert set_play_of(f"{ROOK} w - -", "h#0.5") is None


def test_arguments_for_battle_play_and_wrong_limits_are_refused() -> None:
    problem = problem_of(f"{ROOK} b - -", "h#2")
    for argument in (
        {"within": 2},
        {"restriction": Restriction(checks_only=True)},
        {"root_moves": ["h8g8"]},
    ):
        with pytest.raises(InputError, match="expected None with the stipulation h"):
            solve(problem, **argument)
    for most in (0, "2", True):
        with pytest.raises(InputError, match="max_solutions: expected"):
            Limits(max_solutions=most)  # type: ignore[arg-type]


# --- long help play, which is solved with its final positions

EXAMPLES = {
    "intell.inp:50": ("8/7K/8/2kb2p1/2pq1p2/2prp3/5P2/8 b - - 0 1", "h#6", 1),
    "hpint.inp:365": ("8/8/8/1N1k2K1/5p2/2b5/8/8 b - - 0 1", "h=4", 2),
    "hpint.inp:487": ("8/8/8/4ppp1/4pkp1/4ppp1/5B2/5K2 w - - 0 1", "h=3.5", 1),
    "hpint.inp:425 b)": ("8/1b6/2p5/2K5/3p4/8/3P4/1q5k b - - 0 1", "h=7", 1),
}
"""Examples of Popeye's with their numbers of solutions."""


@pytest.mark.parametrize(("fen", "stipulation", "number"), EXAMPLES.values())
def test_long_help_play_is_solved_with_few_nodes(
    fen: str, stipulation: str, number: int
) -> None:
    solution = Solver().solve(problem_of(fen, stipulation), Limits(nodes=100_000))
    assert solution.solutions_complete
    assert solution.stopped_by is None
    assert len(solution.solutions) == number


def test_a_limit_keeps_the_solutions_found_with_nets() -> None:
    problem = problem_of(*EXAMPLES["hpint.inp:365"][:2])
    whole = Solver().solve(problem)
    assert whole.stats.nodes > NODES_BEFORE
    numbers = set()
    for limit in range(NODES_BEFORE, whole.stats.nodes, 40):
        solution = Solver().solve(problem, Limits(nodes=limit))
        assert solution.status in {Status.FOUND, Status.UNDECIDED}
        assert solution.stopped_by is StoppedBy.NODES
        assert set(solution.solutions) <= set(whole.solutions)
        numbers.add(len(solution.solutions))
    assert numbers >= {0, 1}


def test_the_progress_counts_final_positions() -> None:
    question = Question(problem_of(*EXAMPLES["hpint.inp:425 b)"][:2]), Limits())
    enumeration = Enumeration(Workspace(1), question)
    texts = {enumeration.progress() for _ in enumeration.pieces()}
    assert re.search(r"(\d+) of (\d+) final positions done", " ".join(texts))


def test_too_little_memory_for_final_positions_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solver = Solver()

    def fail(_size: int) -> None:
        raise MemoryError

    monkeypatch.setattr(interface, "map_memory", fail)
    with pytest.raises(AllocationError, match="memory for final positions, found"):
        solver.solve(problem_of(*EXAMPLES["hpint.inp:365"][:2]))


def test_claims_are_sorted_by_kind_and_then_by_length() -> None:
    ranks = [genre_of(MATE).claim_name(moves) for moves in (1, 3, -1, -3)]
    texts = ("=3", "s#2", "s#10", "s=1", "r#2", "r=1", "semi-r#1", "h#1.5", "h#2")
    for stipulation in map(Stipulation.parse, texts):
        moves = stipulation.attacker_moves
        ranks.append(genre_of(stipulation).claim_name(moves))
    assert ranks == sorted(ranks)
    assert [name for _, name in ranks] == ["#1", "#3", "#-1", "#-3", *texts]
