"""Batches: many problems in one call have the answers that each has alone."""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from solver.errors import FenError
from solver.problem import Claim, Limits, Problem, Stipulation
from solver.search.queries import Question, Questions
from solver.search.threads import Control
from solver.solution import Solution, Status, StoppedBy
from solver.solving import Solver
from tests.oracles import naive, walks
from tests.search.workspaces import untimed
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

pytestmark = pytest.mark.usefixtures("kernel")

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
CHECKMATE = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1"
BARE_KING = "8/8/8/8/4k3/8/3q4/5K2 w - - 0 1"
SMALL_ENDING = "8/8/8/8/8/2k5/3q4/K6R w - - 0 1"
LONG = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
KEYS_MISSING = "7k/8/6R1/B1n5/5NP1/8/3K4/8 w - - 0 1"
"""A mate in three, whose keys take more than 150 nodes."""

LIMITS = Limits(max_moves=3, nodes=200_000)


def uncontrolled() -> AbstractContextManager[Control]:
    return nullcontext(Control())


def problems() -> list[Question]:
    """Return problems of all kinds, each asked in several ways."""
    boards = [*walks.random_positions(150, seed=1), *walks.small_positions(150, seed=2)]
    fens = [board.fen(en_passant="fen") for board in boards]
    asked = [Question(Problem(LONG), replace(LIMITS, max_moves=None))]
    for fen in [*fens, MATE_IN_ONE, CHECKMATE, BARE_KING, SMALL_ENDING, LONG]:
        asked += [
            Question(Problem(fen), LIMITS),
            Question(Problem(fen, claim=Claim(2)), replace(LIMITS, max_moves=2)),
            Question(Problem(fen, claim=Claim(-1)), replace(LIMITS, max_moves=1)),
            Question(Problem(fen, no_mate=2), replace(LIMITS, max_moves=2)),
            Question(Problem(fen, claim=Claim(4)), LIMITS, within=2),
        ]
    return asked


def answers_to(asked: list[Question]) -> list[Solution]:
    solver = Solver(hash_mib=1)
    return list(answers_of(solver, asked))


def answers_of(
    solver: Solver,
    asked: list[Question],
    searching: Callable[[], AbstractContextManager[Control]] = uncontrolled,
) -> Iterator[Solution]:
    batch = Questions(solver.workspace, asked)
    for answered in solver.answers(batch, searching):
        yield from batch.solutions(answered)


@pytest.mark.parametrize("keys", [True, False])
def test_problems_of_a_batch_have_the_answers_that_each_has_alone(keys: bool) -> None:
    asked = [replace(question, all_keys=keys) for question in problems()]
    solver = Solver(hash_mib=1)
    together = answers_to(asked)
    assert len(together) == len(asked)
    for question, answer in zip(asked, together, strict=True):
        alone = solver.solve(
            question.problem, question.limits, within=question.within, keys=keys
        )
        assert untimed(answer) == untimed(alone), question
    assert {answer.status for answer in together} == {*Status} - {Status.FOUND}


@sized("count", 100, 300)
def test_mates_in_two_and_their_keys_are_those_of_a_naive_oracle(count: int) -> None:
    boards = [b for b in walks.small_positions(count, seed=3) if not b.is_checkmate()]
    asked = [
        Question(Problem(board.fen(), claim=Claim(2)), Limits(max_moves=2))
        for board in boards
    ]
    found = 0
    for board, answer in zip(boards, answers_to(asked), strict=True):
        mate = naive.shortest_mate(board, 2)
        assert answer.mate == mate, board.fen()
        if mate:
            found += 1
            assert set(answer.keys) == naive.keys(board, mate), board.fen()
            assert answer.keys_complete
    assert found > count // 15


def test_other_stipulations_and_unusual_fens_are_answered_too() -> None:
    asked = [
        Question(Problem(MATE_IN_ONE), LIMITS),
        Question(
            Problem(
                "8/8/8/8/8/5k2/7p/5K1B b - - 0 1", stipulation=Stipulation.parse("h#1")
            ),
            Limits(),
        ),
        Question(Problem("6k1/5ppp/8/8/8/8/8/R5K1 w - -"), LIMITS),
        Question(Problem(MATE_IN_ONE), LIMITS),
    ]
    first, helped, unusual, last = answers_to(asked)
    assert first.mate == unusual.mate == last.mate == 1
    assert unusual.problem.fen == MATE_IN_ONE
    assert helped.solutions_complete


def test_a_wrong_fen_raises_the_error_of_one_position() -> None:
    asked = [Question(Problem(fen), LIMITS) for fen in (MATE_IN_ONE, "8/8 w - -")]
    with pytest.raises(FenError, match="expected 8 ranks"):
        answers_to(asked)


def test_a_batch_that_a_time_limit_stops_still_answers_every_problem() -> None:
    limits = replace(LIMITS, time_s=0.0)
    asked = [Question(Problem(fen), limits) for fen in (LONG, LONG, MATE_IN_ONE)]
    *long, short = answers_to(asked)
    # An answer that comes before the clock is heard is an answer all the same.
    for answer in long:
        assert (answer.status, answer.stopped_by) in {
            (Status.UNDECIDED, StoppedBy.TIME),
            (Status.DISPROVED, None),
        }
    assert (short.status, short.mate) in {(Status.UNDECIDED, None), (Status.PROVED, 1)}


def test_a_stop_in_the_problem_after_a_node_limit_changes_no_answer() -> None:
    class StoppedAtTheEnd(Control):
        """The time is over when the kernel has just returned."""

        reason = StoppedBy.TIME

    limits = replace(LIMITS, nodes=150)
    keys_missing, open_row = Problem(KEYS_MISSING), Problem(LONG)
    asked = [Question(problem, limits) for problem in (keys_missing, open_row)]
    controls = iter([StoppedAtTheEnd()])
    answers = answers_of(
        Solver(hash_mib=1), asked, lambda: nullcontext(next(controls, Control()))
    )
    alone = [Solver(hash_mib=1).solve(each.problem, each.limits) for each in asked]
    assert [untimed(answer) for answer in answers] == [untimed(one) for one in alone]
    assert [answer.stopped_by for answer in alone] == [StoppedBy.NODES] * 2
    assert [answer.mate for answer in alone] == [3, None]


def test_an_interrupted_batch_decides_nothing_more() -> None:
    @contextmanager
    def interrupted() -> Iterator[Control]:
        control = Control()
        control.stop()
        yield control

    asked = [Question(Problem(LONG), Limits()) for _ in range(3)]
    answers = list(answers_of(Solver(hash_mib=1), asked, interrupted))
    assert [answer.stopped_by for answer in answers] == [StoppedBy.INTERRUPT] * 3
    assert {answer.status for answer in answers} == {Status.UNDECIDED}


def test_the_time_of_a_batch_is_shared_out_among_its_own_nodes() -> None:
    solver = Solver(hash_mib=1)
    wrong = Question(Problem(f"{MATE_IN_ONE} "), LIMITS)  # no batch can answer it

    def times(asked: list[Question]) -> list[float]:
        return [answer.stats.time_s for answer in answers_of(solver, asked)]

    many = Question(Problem(LONG), replace(LIMITS, max_moves=None))
    times([many] * 2)
    started = time.perf_counter()
    first, _ = times([Question(Problem(MATE_IN_ONE), LIMITS), wrong])
    assert 0 < first <= time.perf_counter() - started
    assert (
        first > 1e-7
    )  # with the nodes of the batch before, it would be next to nothing


def test_a_batch_without_problems_has_no_answers() -> None:
    assert answers_to([]) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_easy_problems_share_a_search_whatever_the_number_of_threads(
    threads: int,
) -> None:
    controls: list[Control] = []

    def searching() -> AbstractContextManager[Control]:
        controls.append(Control())
        return nullcontext(controls[-1])

    fens = [MATE_IN_ONE, KEYS_MISSING, CHECKMATE, f"{MATE_IN_ONE} "]
    asked = [Question(Problem(fen), LIMITS) for fen in fens]
    solver = Solver(hash_mib=1, threads=threads)
    answers = [untimed(answer) for answer in answers_of(solver, asked, searching)]
    assert [answer.mate for answer in answers] == [1, 3, 0, 1]
    assert len(controls) == 1
    assert answers == [untimed(Solver(1).solve(each.problem, LIMITS)) for each in asked]
