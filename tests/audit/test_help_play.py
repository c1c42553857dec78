"""Audits of help problems with the real solver, compared with the oracle."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import pytest

from solver.audit.job import AuditJob, AuditOptions, TimeSlice
from solver.audit.store import ResumeStore, Store
from solver.audit.workers import audit, local_workers
from solver.problem import Claim, Goal, Limits, Problem, Stipulation
from solver.search.threads import Control
from solver.stipulations import SPARE_SOLUTIONS
from tests.oracles import help_play

if TYPE_CHECKING:
    from pathlib import Path

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("worker_processes", "help_kernel")

POSITIONS = {
    ("h#2", 0): "8/2P5/8/8/8/3K4/1p6/6k1 b - - 0 1",
    ("h#2", 1): "3K4/8/8/1k3p2/4R3/8/8/8 b - - 0 1",
    ("h#1.5", 0): "6B1/8/4N3/5K2/8/8/8/2k5 w - - 0 1",
    ("h#1.5", 1): "8/8/8/p7/7K/4R3/8/5k2 w - - 0 1",
    ("h#1.5", 2): "8/4K2k/5R2/6r1/8/8/8/8 w - - 0 1",
    ("h=2", 0): "8/1K3p2/8/5k2/8/8/P7/8 b - - 0 1",
    ("h=2", 1): "8/K5P1/8/8/8/8/2p5/k7 b - - 0 1",
    ("h=2", 2): "8/8/7p/8/6k1/8/1R3K2/8 b - - 0 1",
}
"""Positions by stipulation and number of solutions, all of the full length."""

SHORT = "7k/8/6K1/8/8/8/8/R7 b - - 0 1"
"""A helpmate in one move, and so in two."""

MANY = "7k/8/4K3/8/8/8/1R6/R1Q5 b - - 0 1"
"""A position with 111 helpmates in two moves."""

SMALL = Limits(hash_mib=1)
OPTIONS = AuditOptions(SMALL)


def claiming(
    stipulation: str, fen: str, solutions: int | None = None, name: str = "x"
) -> Problem:
    asked = Stipulation.parse(stipulation)
    claim = Claim(asked.attacker_moves, solutions=solutions)
    return Problem(fen, name, claim, f"x.olv:{name}", stipulation=asked)


def run(problem: Problem, options: AuditOptions = OPTIONS) -> AuditResult:
    result = AuditJob(options).run_batch([problem])[0]
    assert result is not None
    return result


def solutions(problem: Problem) -> set[tuple[str, ...]]:
    """What the oracle finds."""
    asked, board = problem.stipulation, chess.Board(problem.fen)
    assert asked is not None
    is_stalemate = asked.goal is Goal.STALEMATE
    return help_play.solutions(board, asked.plies, stalemate=is_stalemate)


@pytest.mark.parametrize(("stipulation", "number"), POSITIONS)
@pytest.mark.parametrize("claimed", [None, 0, 1, 2, 3])
@pytest.mark.parametrize("all_keys", [False, True])
def test_the_solutions_are_counted(
    stipulation: str, number: int, claimed: int | None, all_keys: bool
) -> None:
    problem = claiming(stipulation, POSITIONS[stipulation, number], claimed)
    result = run(problem, replace(OPTIONS, all_keys=all_keys))
    found = set(result.found_solutions())
    assert found == solutions(problem)
    assert (len(found), result.solutions_complete) == (number, 1)
    expected = 1 if claimed is None else claimed
    if number == expected:
        soundness = "sound"
    elif number == 0:
        soundness = "no-solution"
    else:
        soundness = "cooked" if number > expected else "missing-solution"
    assert result.soundness == soundness
    is_refuted = (number == 0) != (expected == 0)
    assert result.verdict == ("refuted" if is_refuted else "proved")


def test_a_shorter_solution_is_a_short_solution() -> None:
    problem = claiming("h#2", SHORT, 5)
    result = run(problem)
    assert (result.verdict, result.soundness) == ("shorter", "short-solution")
    assert (result.mate, result.lower_bound) == (1, 1)
    assert min(map(len, solutions(problem))) == 2
    within = run(problem, replace(OPTIONS, within=True))
    assert within.verdict == "holds"


def test_counting_ends_well_above_the_claimed_number() -> None:
    problem = claiming("h#2", MANY, 2)
    assert len(solutions(problem)) > 2 + SPARE_SOLUTIONS
    result = run(problem)
    assert len(result.found_solutions()) == 2 + SPARE_SOLUTIONS
    assert set(result.found_solutions()) <= solutions(problem)
    assert (result.solutions_complete, result.stopped_by) == (0, "solutions")
    assert (result.soundness, result.agrees) == ("cooked", False)
    assert not result.is_undecided


def test_as_many_solutions_as_are_claimed_are_always_counted() -> None:
    number = len(solutions(claiming("h#2", MANY)))
    result = run(claiming("h#2", MANY, number))
    assert (result.verdict, result.soundness) == ("proved", "sound")
    assert result.solutions_complete == 1


def test_a_limit_leaves_the_number_undecided() -> None:
    problem = claiming("h#2", POSITIONS["h#2", 1])
    seen = []
    for nodes in range(1, 1000):
        options = replace(OPTIONS, limits=replace(SMALL, nodes=nodes))
        result = run(problem, options)
        is_complete = result.stopped_by is None
        assert result.solutions_complete == is_complete
        assert result.is_undecided is not is_complete
        assert result.agrees is is_complete
        word = (result.verdict, result.soundness, len(result.found_solutions()))
        if word not in seen:
            seen.append(word)
        if is_complete:
            break
    assert seen == [("undecided", None, 0), ("holds", None, 1), ("proved", "sound", 1)]


def test_a_slow_problem_is_returned_unfinished() -> None:
    slow = claiming("h=8", chess.STARTING_FEN.replace(" w ", " b "))
    quick = claiming("h#2", POSITIONS["h#2", 1])
    results = AuditJob(OPTIONS).run_batch([quick, slow, quick], TimeSlice(0.3, 60.0))
    assert [result and result.soundness for result in results] == [
        *("sound", None, "sound")
    ]


def test_several_workers_give_the_same_results(tmp_path: Path) -> None:
    problems = [
        claiming(stipulation, fen, name=f"{stipulation} {number}")
        for (stipulation, number), fen in POSITIONS.items()
    ]
    results = {}
    for jobs in (1, 2):
        with Store(tmp_path / f"{jobs}.db") as store:
            resume = ResumeStore(store, OPTIONS)
            pool = local_workers(OPTIONS, jobs)
            for result in audit(problems, OPTIONS, pool, resume=resume):
                results[jobs, result.id] = result._replace(time_s=0.0, nodes=0)
            stored = [one._replace(time_s=0.0, nodes=0) for one in store.results()]
        assert sorted(stored) == sorted(
            result for (by, _), result in results.items() if by == jobs
        )
    for problem in problems:
        assert results[1, problem.id] == results[2, problem.id]


def test_the_number_of_solutions_and_the_stipulation_make_the_question(
    tmp_path: Path,
) -> None:
    fen = POSITIONS["h#1.5", 2]
    problems = [
        claiming("h#1.5", fen, 1, "one"),
        claiming("h#1.5", fen, 2, "two"),
        claiming("s#2", fen, None, "selfmate"),
        claiming("#2", fen, None, "mate"),
        claiming("h#1.5", fen, 2, "two again"),
    ]
    given: list[str] = []
    with Store(tmp_path / "run.db") as store:
        results = {
            result.id: result
            for result in audit(
                problems,
                OPTIONS,
                local_workers(OPTIONS, 1),
                resume=ResumeStore(store, OPTIONS),
                on_result=lambda result: given.append(result.id),
            )
        }
    assert given == ["one", "two", "selfmate", "mate"]
    words = [results[problem.id].soundness for problem in problems]
    assert words[:2] == ["cooked", "sound"]
    assert words[4] == "sound"
    assert results["selfmate"].solutions is None
    assert results["mate"].stipulation == "#2"


def test_an_interrupted_help_problem_has_no_result() -> None:
    control = Control()
    control.stop()
    job = AuditJob(OPTIONS, searching=lambda: nullcontext(control))
    assert job.run_batch([claiming("h#8", MANY)])[0] is None


def test_lines_and_certificates_are_for_mates_only() -> None:
    options = replace(OPTIONS, every_ply=True, certify=True)
    fen = POSITIONS["h#1.5", 1]
    asked = Stipulation.parse("h#1.5")
    for line, soundness in (
        (("h4g3", "f1g1", "e3e1"), "sound"),
        (("h4g3", "f1e1"), "missing-solution"),
    ):
        claim = Claim(2, line=line)
        result = run(Problem(fen, claim=claim, stipulation=asked), options)
        assert (result.soundness, result.plies) == (soundness, "")
        assert (result.certificate, result.notices) == (None, ())
