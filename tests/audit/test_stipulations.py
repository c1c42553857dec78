"""Verdict, soundness and result of problems with another stipulation than mate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solver.audit.job import AuditOptions
from solver.audit.results import AuditResult, audit_result
from solver.problem import Claim, Limits, Problem, Stipulation
from solver.solution import Solution, Status
from solver.stipulations import SPARE_SOLUTIONS

SELFMATE = "4R3/7K/5k2/Bp3r2/8/7Q/8/8 w - - 0 1"
SELFMATE_LINE = ("a5d8", "f6f7", "h3h5", "f5h5")
STALEMATE = "4Q3/k7/7K/8/7N/8/8/8 w - - 0 1"
STALEMATE_LINE = ("e8b5", "a7a8", "b5b6")
BATTLE = ("=2", "s#2", "s=2", "r#2", "semi-r#2")

CORNERED = "7k/8/5K2/8/8/8/8/R7 b - - 0 1"
LINES = {
    "g8": ("h8g8", "f6g6", "g8h8", "a1a8"),
    "h7": ("h8h7", "a1a8", "h7h8", "f6g6"),
    "h7 too": ("h8h7", "f6f7", "h7h8", "a1h1"),
    "short": ("h8g8", "a1a8"),
}


def of(text: str) -> Stipulation:
    return Stipulation.parse(text)


# --- battle play: as for mates


@pytest.mark.parametrize("stipulation", BATTLE)
@pytest.mark.parametrize(
    ("mate", "lower_bound", "verdict", "soundness"),
    [
        (2, 2, "proved", "sound"),
        (1, 1, "shorter", "short-solution"),
        (None, 3, "refuted", "no-solution"),
        (None, 2, "undecided", None),
        (None, 1, "undecided", None),
    ],
)
def test_verdict_and_soundness_follow_from_the_bounds(
    stipulation: str,
    mate: int | None,
    lower_bound: int,
    verdict: str,
    soundness: str | None,
) -> None:
    problem = Problem(SELFMATE, claim=Claim(2), stipulation=of(stipulation))
    status = Status.PROVED if mate else Status.UNDECIDED
    answer = Solution(
        problem, status, mate, lower_bound, keys=("a5d8",), keys_complete=True
    )
    result = audit_result(answer)
    assert (result.verdict, result.soundness) == (verdict, soundness)
    assert result.stipulation == stipulation
    assert (result.claimed_solutions, result.solutions) == (None, None)
    assert result.solutions_complete is None


@pytest.mark.parametrize("stipulation", BATTLE)
@pytest.mark.parametrize(
    ("claimed", "keys", "expected"),
    [
        ((), ("a5d8",), "sound"),
        ((), ("a5d8", "a5c7"), "cooked"),
        (("a5d8",), ("a5d8", "a5c7"), "cooked"),
        (("a5d8", "a5c7"), ("a5d8", "a5c7"), "sound"),
        (("a5c7",), ("a5d8",), "missing-solution"),
    ],
)
def test_claimed_keys_are_compared_with_those_found(
    stipulation: str, claimed: tuple[str, ...], keys: tuple[str, ...], expected: str
) -> None:
    problem = Problem(SELFMATE, claim=Claim(2, claimed), stipulation=of(stipulation))
    answer = Solution(problem, Status.PROVED, 2, 2, keys=keys, keys_complete=True)
    assert audit_result(answer).soundness == expected
    incomplete = replace(answer, keys_complete=False)
    assert audit_result(incomplete).soundness is None


@pytest.mark.parametrize(
    ("stipulation", "fen", "line", "expected"),
    [
        ("s#2", SELFMATE, SELFMATE_LINE, "sound"),
        ("s#2", SELFMATE, SELFMATE_LINE[:3], "sound"),
        ("s#2", SELFMATE, (*SELFMATE_LINE[:2], "h3h6", "f5h5"), "not-shortest-line"),
        ("s#2", SELFMATE, (*SELFMATE_LINE, "h7g8"), "not-shortest-line"),
        ("r#2", SELFMATE, SELFMATE_LINE, "sound"),
        ("=2", STALEMATE, STALEMATE_LINE, "sound"),
        ("=2", STALEMATE, STALEMATE_LINE[:2], "sound"),
        ("=2", STALEMATE, (*STALEMATE_LINE[:2], "b5a6"), "not-shortest-line"),
        ("=2", STALEMATE, (*STALEMATE_LINE[:2], "b5c6"), "not-shortest-line"),
    ],
)
def test_a_claimed_line_must_reach_the_goal_in_time(
    stipulation: str, fen: str, line: tuple[str, ...], expected: str
) -> None:
    problem = Problem(fen, claim=Claim(2, line=line), stipulation=of(stipulation))
    keys = (line[0],)
    answer = Solution(problem, Status.PROVED, 2, 2, keys=keys, keys_complete=True)
    assert audit_result(answer).soundness == expected


def test_a_mate_in_n_with_a_stipulation_is_audited_as_without() -> None:
    plain = Problem(SELFMATE, claim=Claim(3))
    stipulated = Problem(SELFMATE, stipulation=of("#3"))
    for mate, lower_bound in ((3, 3), (3, 1), (2, 2), (None, 4), (None, 2)):
        results = [
            audit_result(Solution(problem, Status.PROVED, mate, lower_bound))
            for problem in (plain, stipulated)
        ]
        assert results[0].stipulation is None
        assert results[1]._replace(stipulation=None) == results[0]


# --- help play: the number of solutions


def help_answer(
    claim: Claim | None,
    found: tuple[str, ...],
    *,
    complete: bool = True,
    lower_bound: int | None = None,
    stipulation: str = "h#2",
) -> Solution:
    solutions = tuple(LINES[name] for name in found)
    mate = min((len(line) // 2 for line in solutions), default=None)
    if lower_bound is None:
        lower_bound = mate or 3
    return Solution(
        Problem(CORNERED, claim=claim, stipulation=of(stipulation)),
        Status.PROVED if found else Status.DISPROVED,
        mate,
        lower_bound,
        solutions=solutions,
        solutions_complete=complete,
    )


ONE, TWO, THREE = ("g8",), ("g8", "h7"), ("g8", "h7", "h7 too")


@pytest.mark.parametrize(
    ("claimed", "found", "verdict", "soundness"),
    [
        (None, ONE, "proved", "sound"),
        (None, TWO, "proved", "cooked"),
        (None, (), "refuted", "no-solution"),
        (1, ONE, "proved", "sound"),
        (2, ONE, "proved", "missing-solution"),
        (2, TWO, "proved", "sound"),
        (2, THREE, "proved", "cooked"),
        (2, (), "refuted", "no-solution"),
        (0, (), "proved", "sound"),
        (0, ONE, "refuted", "cooked"),
        (1, ("short",), "shorter", "short-solution"),
        (2, ("short", "g8"), "shorter", "short-solution"),
    ],
)
def test_all_solutions_of_a_help_problem_are_counted(
    claimed: int | None, found: tuple[str, ...], verdict: str, soundness: str
) -> None:
    result = audit_result(help_answer(Claim(2, solutions=claimed), found))
    assert (result.verdict, result.soundness) == (verdict, soundness)
    assert result.claimed_solutions == (1 if claimed is None else claimed)
    assert result.found_solutions() == tuple(LINES[name] for name in found)
    assert result.solutions_complete == 1
    assert result.agrees is (soundness == "sound")


@pytest.mark.parametrize(
    ("claimed", "found", "lower_bound", "verdict", "soundness"),
    [
        (1, (), 1, "undecided", None),
        (1, (), 2, "undecided", None),
        (0, (), 2, "undecided", None),
        (2, ONE, 2, "undecided", None),
        (1, ONE, 2, "holds", None),
        (1, ONE, 1, "holds", None),
        (2, TWO, 2, "holds", None),
        (1, TWO, 2, "proved", "cooked"),
        (2, THREE, 2, "proved", "cooked"),
        (1, TWO, 1, "holds", "cooked"),
        (0, ONE, 1, "refuted", "cooked"),
        (1, ("short",), 1, "shorter", "short-solution"),
    ],
)
def test_solutions_that_may_have_others_decide_only_what_they_can(
    claimed: int,
    found: tuple[str, ...],
    lower_bound: int,
    verdict: str,
    soundness: str | None,
) -> None:
    answer = help_answer(
        Claim(2, solutions=claimed), found, complete=False, lower_bound=lower_bound
    )
    result = audit_result(answer)
    assert (result.verdict, result.soundness) == (verdict, soundness)
    assert result.solutions_complete == 0


@pytest.mark.parametrize(
    ("claim", "found", "soundness", "wrong_keys"),
    [
        (Claim(2, ("h8g8",)), ONE, "sound", ""),
        (Claim(2, ("h8h7",)), ONE, "missing-solution", "h8h7"),
        (Claim(2, ("h8g8", "h8h7")), TWO, "sound", ""),
        (Claim(2, ("h8g8", "h8h7")), ONE, "missing-solution", "h8h7"),
        (Claim(2, line=LINES["g8"]), ONE, "sound", ""),
        (Claim(2, line=LINES["g8"][:1]), ONE, "sound", ""),
        (Claim(2, line=LINES["h7"], solutions=2), TWO, "sound", ""),
        (Claim(2, line=LINES["h7 too"], solutions=2), TWO, "missing-solution", ""),
        (Claim(2, line=(*LINES["g8"], "h8g8")), ONE, "missing-solution", ""),
    ],
)
def test_the_moves_that_a_help_problem_claims_must_be_solutions(
    claim: Claim, found: tuple[str, ...], soundness: str, wrong_keys: str
) -> None:
    result = audit_result(help_answer(claim, found))
    assert (result.soundness, result.wrong_keys) == (soundness, wrong_keys)
    incomplete = audit_result(help_answer(claim, found, complete=False))
    assert (incomplete.soundness, incomplete.wrong_keys) == (None, "")


def test_half_a_move_more_counts_as_a_move_of_the_side_that_mates() -> None:
    problem = Problem(CORNERED, stipulation=of("h#1.5"))
    line = ("h8g8", "f6g6", "g8h8")
    answer = Solution(
        problem, Status.PROVED, 2, 2, solutions=(line,), solutions_complete=True
    )
    result = audit_result(answer)
    assert (result.claim, result.verdict, result.soundness) == (2, "proved", "sound")
    assert result.found_solutions() == (line,)


def test_within_accepts_a_shorter_solution() -> None:
    selfmate = Solution(
        Problem(SELFMATE, stipulation=of("s#2")), Status.PROVED, 1, 1, keys=("a5d8",)
    )
    one, two = help_answer(None, ("short",)), help_answer(None, ("short", "g8"))
    for answer in (selfmate, one, two):
        result = audit_result(answer, within=True)
        assert (result.verdict, result.soundness) == ("holds", None)


# --- how far to search


@pytest.mark.parametrize("stipulation", [*BATTLE, "h#2", "h#1.5", "h=2"])
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("max_moves", [None, 1, 9])
def test_options_change_no_stipulation(
    stipulation: str, within: bool, max_moves: int | None
) -> None:
    options = AuditOptions(Limits(max_moves=max_moves, nodes=7), within=within)
    problem = Problem(SELFMATE, stipulation=of(stipulation))
    most = 1 + SPARE_SOLUTIONS if stipulation.startswith("h") else None
    question = options.question(problem)
    assert question.limits == Limits(nodes=7, max_solutions=most)
    assert question.within is None


@pytest.mark.parametrize(("claimed", "expected"), [(None, 1), (0, 0), (3, 3)])
def test_help_play_is_searched_for_more_solutions_than_claimed(
    claimed: int | None, expected: int
) -> None:
    claim = Claim(2, solutions=claimed)
    problem = Problem(CORNERED, claim=claim, stipulation=of("h#2"))
    limits = AuditOptions(Limits()).question(problem).limits
    assert limits.max_solutions == expected + SPARE_SOLUTIONS


def test_a_stipulated_mate_is_searched_as_a_claimed_one() -> None:
    problem = Problem(SELFMATE, stipulation=of("#3"))
    question = AuditOptions(Limits()).question(problem)
    assert (question.limits, question.within) == (Limits(max_moves=3), None)
    question = AuditOptions(Limits(), within=True).question(problem)
    assert (question.limits, question.within) == (Limits(), 3)


def test_results_without_a_stipulation_have_none_of_its_fields() -> None:
    result = audit_result(Solution(Problem(SELFMATE), Status.PROVED, 1, 1))
    names = ("stipulation", "claimed_solutions", "solutions", "solutions_complete")
    for one in (result, AuditResult("", "")):
        assert [getattr(one, name) for name in names] == [None, None, None, None]
