"""Help play: all solutions, short ones too, within limits."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from solver import Limits, Problem, Restriction, Status, solve
from solver.errors import InputError
from solver.problem import Stipulation
from solver.search.queries import read_question
from solver.solution import StoppedBy
from solver.solving import Control, Solver
from solver.stipulations.solving_moves import set_play
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
    assert answer.pv == answer.solutions[0]
    assert answer.keys == ()


def test_half_a_move_more_lets_the_mating_side_begin() -> None:
    answer = solve(problem_of(f"{ROOK} w - -", "h#1.5"))
    assert set(answer.solutions) == {("f6g6", "h8g8", "a1a8"), ("f6f7", "h8h7", "a1h1")}
    assert answer.mate == 2


def test_short_solutions_are_reported_first() -> None:
    short = solve(problem_of(f"{ROOK} b - -", "h#2"))
    answer = solve(problem_of(f"{ROOK} b - -", "h#3"))
    assert answer.solutions[:22] == short.solutions
    assert {len(line) for line in answer.solutions[22:]} == {6}
    assert (answer.mate, answer.lower_bound) == (2, 2)


@pytest.mark.parametrize("length", ["#2", "#3", "#1.5", "#2.5", "=2"])
def test_an_exact_length_has_no_shorter_solutions(length: str) -> None:
    side = "w" if length.endswith(".5") else "b"
    whole = solve(problem_of(f"{ROOK} {side} - -", f"h{length}"))
    exact = solve(problem_of(f"{ROOK} {side} - -", f"exact-h{length}"))
    plies = exact.problem.stipulation.plies
    assert exact.solutions == tuple(s for s in whole.solutions if len(s) == plies)
    moves = exact.problem.stipulation.attacker_moves
    assert exact.mate == (moves if exact.solutions else None)
    assert exact.lower_bound == (moves if exact.solutions else moves + 1)


def test_the_sentence_on_an_exact_length_says_so() -> None:
    answer = solve(problem_of(f"{ROOK} b - -", "exact-h#1"))
    assert str(answer).splitlines()[0] == "No helpmate in exactly 1."


def test_the_set_play_of_an_exact_length_is_exact() -> None:
    other = set_play(read_question(problem_of(f"{ROOK} b - -", "exact-h#3")))
    assert other is not None
    assert str(other.problem.stipulation) == "exact-h#2.5"


def test_no_solution_is_proved() -> None:
    answer = solve(problem_of(f"{ROOK} b - -", "h#1"))
    assert (answer.status, answer.mate, answer.lower_bound) == (
        Status.DISPROVED,
        None,
        2,
    )
    assert answer.solutions == ()
    assert answer.solutions_complete
    assert answer.pv == ()


@pytest.mark.parametrize(
    "fen", ["7k/6Q1/6K1/8/8/8/8/8 b - -", "7k/5K2/6Q1/8/8/8/8/8 b - -"]
)
@pytest.mark.parametrize("stipulation", ["h#2", "h=2"])
def test_a_position_without_moves_has_no_solution(fen: str, stipulation: str) -> None:
    answer = solve(problem_of(fen, stipulation))
    assert answer.status is Status.DISPROVED


def test_the_number_of_solutions_can_be_limited() -> None:
    problem = problem_of(f"{ROOK} b - -", "h#3")
    everything = solve(problem).solutions
    for most in (1, 21, 22, 23):
        answer = solve(problem, Limits(max_solutions=most))
        assert answer.solutions == everything[:most]
        assert not answer.solutions_complete
        assert answer.stopped_by is StoppedBy.SOLUTIONS
        assert (answer.status, answer.mate, answer.lower_bound) == (Status.FOUND, 2, 2)
    answer = solve(problem, Limits(max_solutions=len(everything) + 1))
    assert answer.solutions_complete
    assert answer.status is Status.PROVED


@pytest.mark.parametrize("most", [0, -1, "2", 1.5, True])
def test_a_wrong_number_of_solutions_is_refused(most: object) -> None:
    with pytest.raises(InputError, match="max_solutions: expected"):
        Limits(max_solutions=most)  # type: ignore[arg-type]


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


def test_a_limit_before_any_solution_leaves_the_question_undecided() -> None:
    problem = problem_of("k7/8/8/8/8/8/6PP/7K b - -", "h#9")
    answer = solve(problem, Limits(nodes=2_000))
    assert (answer.status, answer.mate) == (Status.UNDECIDED, None)
    assert 1 < answer.lower_bound <= 7  # h#7 is the shortest
    assert not answer.solutions_complete


def test_a_time_limit_ends_the_search() -> None:
    problem = problem_of(chess.STARTING_FEN.replace(" w ", " b "), "h#6")
    answer = solve(problem, Limits(time_s=0.2, hash_mib=1))
    assert answer.stopped_by is StoppedBy.TIME
    assert not answer.solutions_complete


def test_a_stop_from_another_thread_ends_the_search() -> None:
    problem = problem_of(chess.STARTING_FEN.replace(" w ", " b "), "h#6")
    control = Control()
    with after_work(control.stop):
        answer = solve(problem, Limits(hash_mib=1), control=control)
    assert answer.stopped_by is StoppedBy.INTERRUPT


def test_max_moves_limits_the_lengths_that_are_searched() -> None:
    problem = problem_of(f"{ROOK} b - -", "h#4")
    answer = solve(problem, Limits(max_moves=1))
    assert (answer.status, answer.lower_bound) == (Status.DISPROVED, 2)


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


def test_set_play_lets_the_other_side_begin() -> None:
    question = read_question(problem_of(f"{ROOK} b - -", "h#2"))
    other = set_play(question)
    assert other is not None
    assert str(other.problem.stipulation) == "h#1.5"
    answer = Solver(1).answer(other, Control())
    expected = help_play.solutions(chess.Board(f"{ROOK} w - - 0 1"), 3)
    assert set(answer.solutions) == expected
    back = set_play(other)
    assert back is not None
    assert str(back.problem.stipulation) == "h#1"
    assert back.board.turn == chess.BLACK


def test_set_play_forgets_the_right_to_capture_en_passant() -> None:
    fen = "8/8/8/8/3pP2k/8/8/K4R2 b - e3 0 1"
    other = set_play(read_question(problem_of(fen, "h#2")))
    assert other is not None
    assert other.board.ep_square is None
    assert other.problem.fen.split()[3] == "-"


def test_there_is_no_set_play_from_check_or_without_plies() -> None:
    checked = problem_of("7k/8/5K2/8/8/8/8/R6R b - -", "h#2")
    assert set_play(read_question(checked)) is None
    shortest = problem_of(f"{ROOK} w - -", "h#0.5")
    assert set_play(read_question(shortest)) is None


@pytest.mark.parametrize(
    "argument",
    [
        {"within": 2},
        {"restriction": Restriction(checks_only=True)},
        {"root_moves": ["h8g8"]},
    ],
    ids=["within", "restriction", "root_moves"],
)
def test_arguments_for_battle_play_are_refused(argument: dict[str, object]) -> None:
    problem = problem_of(f"{ROOK} b - -", "h#2")
    with pytest.raises(InputError, match="expected None with the stipulation h"):
        solve(problem, **argument)  # type: ignore[arg-type]


def test_the_record_has_every_solution() -> None:
    answer = solve(problem_of(f"{ROOK} w - -", "h#1.5"))
    record = answer.to_dict()
    assert record["stipulation"] == "h#1.5"
    assert record["solutions"] == [list(line) for line in answer.solutions]
    assert record["solutions_complete"] is True
