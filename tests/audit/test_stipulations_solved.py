"""Audits of other stipulations with the real solver, compared with the oracle."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import pytest

from solver.audit.job import AuditJob, AuditOptions
from solver.audit.store import ResumeStore, Store
from solver.audit.workers import audit, local_workers
from solver.problem import Claim, Limits, Problem, Stipulation
from tests.oracles import battle_play

if TYPE_CHECKING:
    from pathlib import Path

    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("worker_processes", "battle_kernel")

BATTLE = {
    ("=2", "sound"): ("4Q3/k7/7K/8/7N/8/8/8 w - - 0 1", "e8b5"),
    ("=2", "cooked"): ("8/8/3Q4/6k1/8/2N2K2/8/8 w - - 0 1", "f3g3"),
    ("=2", "missing-solution"): ("4Q3/k7/7K/8/7N/8/8/8 w - - 0 1", "e8b8"),
    ("=2", "short-solution"): ("8/3N4/8/8/8/8/2Q5/4k1K1 w - - 0 1", "g1h1"),
    ("=2", "no-solution"): ("k7/8/8/8/8/1N2K3/1Q6/8 w - - 0 1", "b2b4"),
    ("s#2", "sound"): ("4R3/7K/5k2/Bp3r2/8/7Q/8/8 w - - 0 1", "a5d8"),
    ("s#2", "short-solution"): ("8/8/2Q1p1Q1/q6K/5k2/8/8/8 w - - 0 1", "g6g5"),
    ("s#2", "no-solution"): ("8/5Q2/7Q/6r1/5p1N/4k3/8/2K5 w - - 0 1", "h6g5"),
    ("s=2", "no-solution"): ("8/3K4/5Q2/5Q2/2k5/2p5/8/8 w - - 0 1", "f6c3"),
    ("r#2", "sound"): ("6KR/8/6k1/Q7/8/8/8/5r2 w - - 0 1", "h8h6"),
    ("r#2", "cooked"): ("2Q5/8/8/8/k1r5/1R6/8/1K6 w - - 0 1", "c8a6"),
    ("r#2", "short-solution"): ("4r3/8/8/P7/p3Q3/6k1/8/7K w - - 0 1", "e4c2"),
    ("r#2", "no-solution"): ("2K5/6k1/8/5p2/2r5/8/2P4P/8 w - - 0 1", "h2h4"),
    ("semi-r#2", "sound"): ("2k5/K7/8/8/1r6/4Q1P1/5p2/8 w - - 0 1", "e3e8"),
    ("semi-r#2", "cooked"): ("8/1r6/7K/2Q5/5k2/2R5/8/8 w - - 0 1", "c5f5"),
    ("semi-r#2", "short-solution"): ("8/8/2P1k3/8/8/8/2Krp3/Q7 w - - 0 1", "c2b1"),
    ("semi-r#2", "no-solution"): ("7Q/k3P3/2r5/5K2/4p3/8/8/8 w - - 0 1", "e7e8q"),
}
"""Problems with a claimed key, by stipulation and soundness."""

SMALL = Limits(hash_mib=1)
KEYS = AuditOptions(SMALL, all_keys=True)
LONG = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w - - 0 1"


def claiming(stipulation: str, fen: str, *keys: str, name: str = "") -> Problem:
    asked = Stipulation.parse(stipulation)
    claim = Claim(asked.attacker_moves, keys)
    return Problem(fen, name, claim, f"x.olv:{name or 1}", stipulation=asked)


def run(problem: Problem, options: AuditOptions = KEYS) -> AuditResult:
    result = AuditJob(options).run_batch([problem])[0]
    assert result is not None
    return result


PROBLEMS = [
    claiming(stipulation, *problem, name=str(number))
    for number, ((stipulation, _), problem) in enumerate(BATTLE.items(), 1)
]
EXPECTED = [soundness for _, soundness in BATTLE]


@pytest.mark.parametrize(
    ("problem", "soundness"), list(zip(PROBLEMS, EXPECTED, strict=True))
)
def test_soundness_is_what_the_oracle_says(problem: Problem, soundness: str) -> None:
    result = run(problem)
    assert result.soundness == soundness
    stipulation, board = problem.stipulation, chess.Board(problem.fen)
    shortest = battle_play.shortest(board, stipulation)
    keys = battle_play.keys(board, stipulation, 2)
    assert result.mate == shortest
    words = {None: "no-solution", 1: "short-solution"}
    if shortest == 2:
        assert problem.claim is not None
        (claimed,) = problem.claim.keys
        words[2] = "sound" if keys == {claimed} else "cooked"
        if claimed not in keys:
            words[2] = "missing-solution"
        assert set(result.keys.split()) == keys
    assert words[shortest] == soundness
    verdicts = {"no-solution": "refuted", "short-solution": "shorter"}
    assert result.verdict == verdicts.get(soundness, "proved")


@pytest.mark.parametrize("jobs", [1, 2])
def test_several_workers_give_the_same_results(jobs: int) -> None:
    results = list(audit(PROBLEMS, KEYS, local_workers(KEYS, jobs), ordered=True))
    assert [result.soundness for result in results] == EXPECTED
    assert [result.id for result in results] == [problem.id for problem in PROBLEMS]


def test_the_same_position_under_two_stipulations_is_two_questions(
    tmp_path: Path,
) -> None:
    fen, _ = BATTLE["s#2", "sound"]
    names = ("s#2", "r#2", "semi-r#2", "=2", "s=2", "#2")
    problems = [claiming(name, fen, name=name) for name in names]
    alone = {name: run(claiming(name, fen)).verdict for name in names}
    assert len(set(alone.values())) > 1
    path = tmp_path / "run.db"
    given: list[str] = []
    for _ in range(2):
        with Store(path) as store:
            resume = ResumeStore(store, KEYS)
            results = list(
                audit(
                    problems,
                    KEYS,
                    local_workers(KEYS, 1),
                    resume=resume,
                    on_result=lambda result: given.append(result.id),
                )
            )
        assert {r.stipulation: r.verdict for r in results} == alone
    assert given == list(names)  # the second audit searched nothing
    with Store(path, read_only=True) as store:
        assert {r.stipulation: r.verdict for r in store.results()} == alone


@pytest.mark.parametrize("stipulation", ["s#4", "r#4", "=4"])
def test_a_limit_leaves_a_stipulation_undecided(stipulation: str) -> None:
    options = replace(KEYS, limits=replace(SMALL, nodes=100))
    result = run(claiming(stipulation, LONG), options)
    assert (result.verdict, result.soundness) == ("undecided", None)
    assert (result.stopped_by, result.is_undecided) == ("nodes", True)
    assert result.stipulation == stipulation


def test_lines_and_certificates_are_for_mates_only() -> None:
    options = replace(KEYS, every_ply=True, certify=True)
    fen, _ = BATTLE["s#2", "sound"]
    line = ("a5d8", "f6f7", "h3h5", "f5h5")
    problem = Problem(
        fen, claim=Claim(2, line=line), stipulation=Stipulation.parse("s#2")
    )
    result = run(problem, options)
    assert (result.soundness, result.plies, result.only_moves) == ("sound", "", None)
    assert (result.certificate, result.notices) == (None, ())
    mate = Problem(
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
        claim=Claim(1, line=("a1a8",)),
        stipulation=Stipulation.parse("#1"),
    )
    result = run(mate, options)
    assert (result.only_moves, bool(result.certificate)) == (1, True)


def test_one_job_answers_mixed_stipulations_as_jobs_of_their_own_do() -> None:
    rng = random.Random(20)
    names = ["#2", "=2", "s#2", "s=2", "r#2", "semi-r#2"]
    fens = [fen for fen, _ in BATTLE.values()]
    asked = [claiming(name, fen, name=name) for fen in fens for name in names]
    rng.shuffle(asked)
    job = AuditJob(KEYS)
    for problem in asked:
        together = job.run_batch([problem])[0]
        assert together is not None
        alone = run(problem)
        fields = ("verdict", "soundness", "mate", "lower_bound", "keys")
        assert [getattr(together, name) for name in fields] == [
            getattr(alone, name) for name in fields
        ], (problem.fen, problem.id)
