"""Audit results: they hold the whole answer, and sources split as they were joined."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver import __version__
from solver.audit import results
from solver.errors import FormatError
from solver.problem import Claim, Problem
from solver.record import COLUMNS
from solver.solution import Solution, Stats, Status, StoppedBy, TableFormat

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"

MOVES = st.lists(st.sampled_from(["a1a8", "g8f8", "e7e8q", "e1g1"]), max_size=5)
LENGTHS = st.integers(1, 200)
CLAIMS = (
    st.builds(Claim, LENGTHS, MOVES.map(tuple), MOVES.map(tuple), st.booleans())
    # A line as long as the claim must be legal: soundness plays it.
    .filter(lambda claim: len(claim.line) != 2 * claim.mate - 1)
    | st.none()
)
ANSWERS = st.builds(
    Solution,
    st.builds(Problem, st.just(FEN), st.text(), CLAIMS, st.text(), st.none() | LENGTHS),
    st.sampled_from(Status),
    st.none() | st.integers(-200, 200),
    LENGTHS,
    MOVES.map(tuple),
    MOVES.map(tuple),
    st.booleans(),
    st.none() | st.sampled_from(StoppedBy),
    st.builds(Stats, st.integers(0, 2**63 - 1), st.floats(0, 1e6)),
    st.none(),
    st.none() | st.sampled_from(TableFormat),
)
PLIES = st.lists(
    st.builds(results.Ply, st.just("a1a8"), st.none() | LENGTHS, MOVES.map(tuple)),
    max_size=3,
)


def moves(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first draw loads code
@given(ANSWERS, PLIES, st.booleans())
def test_a_result_holds_the_whole_answer(
    answer: Solution, plies: list[results.Ply], within: bool
) -> None:
    problem, claim = answer.problem, answer.problem.claim
    flat = results.audit_result(answer, within=within, plies=plies)
    if claim:
        read = Claim(
            flat.claim or 0,
            moves(flat.claimed_keys),
            moves(flat.claimed_line),
            claim.any_last_move,  # part of the question; the verdict has used it
        )
        assert read == claim
    else:
        assert (flat.claim, flat.claimed_keys, flat.claimed_line) == (None, "", "")
    assert (flat.fen, flat.id, flat.source) == (problem.fen, problem.id, problem.source)
    assert flat.nomate == problem.no_mate
    assert Status(flat.status or "") is answer.status
    verdict = results.find_verdict(answer, within=within)
    assert flat.verdict == verdict
    assert flat.soundness == results.find_soundness(verdict, answer, plies)
    assert (flat.mate, flat.lower_bound) == (answer.mate, answer.lower_bound)
    assert (moves(flat.keys), bool(flat.keys_complete)) == (
        answer.keys,
        answer.keys_complete,
    )
    assert moves(flat.pv) == answer.pv
    assert moves(flat.wrong_keys) == results.find_wrong_keys(answer)
    assert flat.stopped_by == answer.stopped_by
    assert flat.tablebase == answer.tablebase
    assert flat.nodes == answer.stats.nodes
    assert flat.time_s == pytest.approx(answer.stats.time_s, abs=1e-6)
    marked = results.mark_only_moves(claim, plies) if claim else ()
    stored = [
        results.Ply(
            ply["move"], ply["mate"], tuple(ply["keys"]), ply["only"], ply.get("holds")
        )
        for ply in json.loads(flat.plies or "[]")
    ]
    assert tuple(stored) == flat.claimed_plies() == marked
    assert flat.word == (verdict or answer.status)
    assert (flat.error, flat.solver) == (None, __version__)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(ANSWERS, PLIES)
def test_a_row_holds_only_what_every_program_can_store(
    answer: Solution, plies: list[results.Ply]
) -> None:
    result = results.audit_result(answer, plies=plies)
    assert {type(value) for value in result.row()} <= {str, int, float, type(None)}
    assert dict(zip(COLUMNS, result.row(), strict=True)).items() <= (
        result._asdict().items()
    )


def test_a_result_for_another_record_differs_only_in_the_record() -> None:
    first = Problem(FEN, "one", Claim(1), "a.epd:1")
    again = Problem(FEN.replace("0 1", "5 40"), "two", Claim(1), "b.epd:2")
    flat = results.audit_result(Solution(first, Status.PROVED, 1, 1, ("a1a8",)))
    copy = flat.for_record(again, "searched")
    assert (copy.source, copy.id, copy.fen) == (again.source, "two", again.fen)
    assert copy[3:] == flat[3:]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a.epd:3", ("a.epd", 3)),
        ("stdin:12", ("stdin", 12)),
        (r"C:\x.epd:3", (r"C:\x.epd", 3)),
        (r"C:\x.epd", (r"C:\x.epd", 0)),
        ("C:", ("C:", 0)),
        ("12:30.epd:4", ("12:30.epd", 4)),
        ("12:30:4", ("12:30", 4)),
        ("a\nb.epd:4", ("a\nb.epd", 4)),
        ("a.epd:", ("a.epd:", 0)),
        ("a.epd:-1", ("a.epd:-1", 0)),
        ("a.epd:0", ("a.epd:0", 0)),
        ("a.epd:007", ("a.epd:007", 0)),
        ("a.epd:3 ", ("a.epd:3 ", 0)),
        ("a.epd:٣", ("a.epd:٣", 0)),
        ("a.epd:²", ("a.epd:²", 0)),
        (f"a.epd:{10**18 - 1}", ("a.epd", 10**18 - 1)),
        (f"a.epd:{10**30}", (f"a.epd:{10**30}", 0)),
        ("", ("", 0)),
        (":5", ("", 5)),
    ],
)
def test_a_source_is_split_at_the_number_of_its_line(
    source: str, expected: tuple[str, int]
) -> None:
    assert results.split_source(source) == expected


@given(st.text(), st.integers(1, 10**18 - 1))
def test_a_joined_source_is_split_again(file: str, line: int) -> None:
    assert results.split_source(f"{file}:{line}") == (file, line)


@given(st.text(alphabet="ab:0123456789٣ ."))
def test_a_split_source_can_be_joined_again(source: str) -> None:
    file, line = results.split_source(source)
    assert (f"{file}:{line}" if line else file) == source


# --- verdicts: every combination of a claim and an answer


ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"


def answer(claim: Claim | None, mate: int | None, lower_bound: int) -> Solution:
    moves = abs(mate) if mate is not None else None
    status = Status.PROVED if moves == lower_bound else Status.FOUND
    if mate is None:
        status = Status.UNDECIDED
    return Solution(Problem(ROOK, claim=claim), status, mate, lower_bound)


@pytest.mark.parametrize(
    ("claimed", "mate", "lower_bound", "verdict", "within"),
    [
        (3, 3, 3, "proved", "proved"),
        (3, 3, 2, "holds", "holds"),
        (3, 3, 1, "holds", "holds"),
        (3, 2, 2, "shorter", "holds"),
        (3, 2, 1, "shorter", "holds"),
        (3, 4, 4, "refuted", "refuted"),
        (3, 5, 4, "refuted", "refuted"),
        (3, 5, 3, "undecided", "undecided"),
        (3, None, 4, "refuted", "refuted"),
        (3, None, 9, "refuted", "refuted"),
        (3, None, 3, "undecided", "undecided"),
        (3, None, 1, "undecided", "undecided"),
        (3, 0, 0, "refuted", "refuted"),
        (3, -3, 3, "refuted", "refuted"),
        (-3, -3, 3, "proved", "proved"),
        (-3, -3, 1, "holds", "holds"),
        (-3, -2, 2, "shorter", "holds"),
        (-1, 0, 0, "shorter", "holds"),
        (-3, -4, 4, "refuted", "refuted"),
        (-3, None, 4, "refuted", "refuted"),
        (-3, None, 3, "undecided", "undecided"),
        (-3, 3, 3, "refuted", "refuted"),
    ],
)
def test_a_verdict_follows_from_the_two_bounds(
    claimed: int, mate: int | None, lower_bound: int, verdict: str, within: str
) -> None:
    solution = answer(Claim(claimed), mate, lower_bound)
    assert results.audit_result(solution).verdict == verdict
    assert results.audit_result(solution, within=True).verdict == within
    assert results.audit_result(solution).word == verdict


@pytest.mark.parametrize(
    ("mate", "lower_bound", "word"),
    [(3, 3, "proved"), (3, 2, "found"), (None, 4, "undecided")],
)
def test_without_a_claim_the_word_is_the_status(
    mate: int | None, lower_bound: int, word: str
) -> None:
    result = results.audit_result(answer(None, mate, lower_bound))
    assert result.verdict is None
    assert result.claim is None
    assert result.word == word


def test_an_unreadable_record_has_its_own_verdict() -> None:
    error = FormatError("x.epd:3", "expected a ROOK, found nothing")
    result = results.audit_result(error)
    assert result == results.AuditResult(
        error.source, error.source, verdict="unreadable", error=error.reason
    )
    assert result.verdict == result.word == "unreadable"
    assert result.claim is None


@pytest.mark.parametrize(
    ("claimed", "mate", "complete", "wrong"),
    [
        (2, 2, True, ("a2a4", "h7h8")),
        (2, 2, False, ()),
        (3, 2, True, ()),
        (-2, -2, True, ()),
    ],
)
def test_claimed_keys_are_compared_if_all_keys_of_the_claim_are_known(
    claimed: int, mate: int, complete: bool, wrong: tuple[str, ...]
) -> None:
    solution = Solution(
        Problem(ROOK, claim=Claim(claimed, ("a2a4", "h7g6", "h7h8"))),
        Status.PROVED,
        mate,
        2,
        keys=("h7g6", "a2a3"),
        keys_complete=complete,
    )
    assert tuple(results.audit_result(solution).wrong_keys.split()) == wrong
