"""Claims of any stipulation, audited by the real solver and compared with oracles."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.audit.job import AuditJob, AuditOptions
from solver.problem import Claim, Goal, Limits, Problem, Stipulation
from solver.stipulations import SPARE_SOLUTIONS
from tests.oracles import battle_play, help_play, naive
from tests.sizes import sized

if TYPE_CHECKING:
    from solver.audit.results import AuditResult

pytestmark = pytest.mark.usefixtures("worker_processes", "battle_kernel", "help_kernel")

SMALL = Limits(hash_mib=1)
OPTIONS = AuditOptions(SMALL)
KEYS = AuditOptions(SMALL, all_keys=True)


@cache
def job(options: AuditOptions) -> AuditJob:
    return AuditJob(options)


def run(problem: Problem, options: AuditOptions = KEYS) -> AuditResult:
    result = job(options).run_batch([problem])[0]
    assert result is not None
    return result


def asking(stipulation: str, fen: str, **claimed: Any) -> Problem:
    asked = Stipulation.parse(stipulation)
    claim = Claim(asked.attacker_moves, **claimed)
    return Problem(fen, claim=claim, stipulation=asked)


# --- mates

MATES = (
    *("5k2/8/8/5P2/6Q1/2R5/7K/8", "8/8/8/5K2/3P4/8/4k3/Q4R2"),
    *("k7/4Q3/8/8/K7/6P1/8/5R2", "3K4/8/3P4/3Q4/8/8/3R4/k7"),
    *("8/8/8/8/Pk6/8/2R1Q3/4K3", "8/8/4P2K/3Q4/7k/R7/8/8"),
)
"""White mates in 1 or 2, with one key or with several; taken at random."""


@sized("every", 5, 1)
def test_the_soundness_of_claimed_mates_agrees_with_the_oracle(every: int) -> None:
    kinds = set()
    for placement in MATES:
        fen = f"{placement} w - - 0 1"
        board = chess.Board(fen)
        mate = naive.shortest_mate(board, 2)
        assert mate
        keys = naive.keys(board, mate)

        def solved(moves: int, *claimed: str, fen: str = fen) -> AuditResult:
            return run(Problem(fen, claim=Claim(moves, claimed)))

        best = "sound" if len(keys) == 1 else "cooked"
        kinds.add((mate, best))
        for move in list(map(str, board.legal_moves))[::every]:
            expected = best if move in keys else "missing-solution"
            assert solved(mate, move).soundness == expected
        assert solved(mate).soundness == best
        assert {*solved(mate).keys.split()} == keys
        assert solved(mate, *keys).soundness == "sound"
        assert solved(mate + 1, *keys).soundness == "short-solution"
        if mate > 1:
            assert solved(mate - 1, *keys).soundness == "no-solution"
    assert len(kinds) == 4


# --- battle play

BATTLE = """
=2       | sound            | 4Q3/k7/7K/8/7N/8/8/8      | e8b5
=2       | cooked           | 8/8/3Q4/6k1/8/2N2K2/8/8   | f3g3
=2       | missing-solution | 4Q3/k7/7K/8/7N/8/8/8      | e8b8
=2       | short-solution   | 8/3N4/8/8/8/8/2Q5/4k1K1   | g1h1
=2       | no-solution      | k7/8/8/8/8/1N2K3/1Q6/8    | b2b4
s#2      | sound            | 4R3/7K/5k2/Bp3r2/8/7Q/8/8 | a5d8
s#2      | short-solution   | 8/8/2Q1p1Q1/q6K/5k2/8/8/8 | g6g5
s=2      | no-solution      | 8/3K4/5Q2/5Q2/2k5/2p5/8/8 | f6c3
r#2      | sound            | 6KR/8/6k1/Q7/8/8/8/5r2    | h8h6
r#2      | cooked           | 2Q5/8/8/8/k1r5/1R6/8/1K6  | c8a6
r#2      | no-solution      | 2K5/6k1/8/5p2/2r5/8/2P4P/8 | h2h4
semi-r#2 | sound            | 2k5/K7/8/8/1r6/4Q1P1/5p2/8 | e3e8
semi-r#2 | cooked           | 8/1r6/7K/2Q5/5k2/2R5/8/8  | c5f5
semi-r#2 | short-solution   | 8/8/2P1k3/8/8/8/2Krp3/Q7  | c2b1
"""
"""Problems with a claimed key, by stipulation and soundness."""


@pytest.mark.parametrize("row", BATTLE.strip().splitlines())
def test_soundness_is_what_the_oracle_says(row: str) -> None:
    stipulation, soundness, placement, key = map(str.strip, row.split("|"))
    problem = asking(stipulation, f"{placement} w - - 0 1", keys=(key,))
    result = run(problem)
    assert result.soundness == soundness
    board, asked = chess.Board(problem.fen), problem.stipulation
    shortest = battle_play.shortest(board, asked)
    assert result.mate == shortest
    words = {None: "no-solution", 1: "short-solution"}
    if shortest == 2:
        keys = battle_play.keys(board, asked, 2)
        words[2] = "sound" if keys == {key} else "cooked"
        if key not in keys:
            words[2] = "missing-solution"
        assert set(result.keys.split()) == keys
    assert words[shortest] == soundness
    verdicts = {"no-solution": "refuted", "short-solution": "shorter"}
    assert result.verdict == verdicts.get(soundness, "proved")


# --- help play

HELP = {
    ("h#2", 0): "8/2P5/8/8/8/3K4/1p6/6k1 b - - 0 1",
    ("h#2", 1): "3K4/8/8/1k3p2/4R3/8/8/8 b - - 0 1",
    ("h#1.5", 1): "8/8/8/p7/7K/4R3/8/5k2 w - - 0 1",
    ("h#1.5", 2): "8/4K2k/5R2/6r1/8/8/8/8 w - - 0 1",
    ("h=2", 0): "8/1K3p2/8/5k2/8/8/P7/8 b - - 0 1",
    ("h=2", 2): "8/8/7p/8/6k1/8/1R3K2/8 b - - 0 1",
}
"""Positions by stipulation and number of solutions, all of the full length."""


MANY = "7k/8/4K3/8/8/8/1R6/R1Q5 b - - 0 1"
"""A position with 111 helpmates in two moves."""


def helping(stipulation: str, fen: str, solutions: int | None = None) -> Problem:
    return asking(stipulation, fen, solutions=solutions)


def solutions(problem: Problem) -> set[tuple[str, ...]]:
    """What the oracle finds."""
    asked, board = problem.stipulation, chess.Board(problem.fen)
    assert asked is not None
    is_stalemate = asked.goal is Goal.STALEMATE
    return help_play.solutions(board, asked.plies, stalemate=is_stalemate)


@pytest.mark.parametrize(("stipulation", "number"), HELP)
def test_the_solutions_are_counted(stipulation: str, number: int) -> None:
    fen = HELP[stipulation, number]
    expected = solutions(helping(stipulation, fen))
    assert len(expected) == number
    for claimed in (None, 0, 1, 3):
        result = run(
            helping(stipulation, fen, claimed), KEYS if claimed == 1 else OPTIONS
        )
        assert set(result.found_solutions()) == expected
        assert result.solutions_complete == 1
        wanted = 1 if claimed is None else claimed
        soundness = "cooked" if number > wanted else "missing-solution"
        if number == wanted:
            soundness = "sound"
        elif number == 0:
            soundness = "no-solution"
        assert result.soundness == soundness
        is_refuted = (number == 0) != (wanted == 0)
        assert result.verdict == ("refuted" if is_refuted else "proved")


def test_counting_ends_well_above_the_claimed_number_and_not_below() -> None:
    problem = helping("h#2", MANY, 2)
    every = solutions(problem)
    assert len(every) > 2 + SPARE_SOLUTIONS
    result = run(problem, OPTIONS)
    assert len(result.found_solutions()) == 2 + SPARE_SOLUTIONS
    assert set(result.found_solutions()) <= every
    assert (result.solutions_complete, result.stopped_by) == (0, "solutions")
    assert (result.soundness, result.agrees) == ("cooked", False)
    assert not result.is_undecided
    result = run(helping("h#2", MANY, len(every)), OPTIONS)
    assert (result.verdict, result.soundness) == ("proved", "sound")
    assert result.solutions_complete == 1
