"""Audit results: they hold the whole answer, and sources split as they were joined."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver import __version__
from solver.audit.results import (
    AuditResult,
    Ply,
    audit_result,
    find_soundness,
    find_verdict,
    find_wrong_keys,
    mark_only_moves,
    split_source,
)
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
    st.builds(Ply, st.just("a1a8"), st.none() | LENGTHS, MOVES.map(tuple)), max_size=3
)


def moves(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first draw loads code
@given(ANSWERS, PLIES, st.booleans())
def test_a_result_holds_the_whole_answer(
    answer: Solution, plies: list[Ply], within: bool
) -> None:
    problem, claim = answer.problem, answer.problem.claim
    flat = audit_result(answer, within=within, plies=plies)
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
    verdict = find_verdict(answer, within=within)
    assert flat.verdict == verdict
    assert flat.soundness == find_soundness(verdict, answer, plies)
    assert (flat.mate, flat.lower_bound) == (answer.mate, answer.lower_bound)
    assert (moves(flat.keys), bool(flat.keys_complete)) == (
        answer.keys,
        answer.keys_complete,
    )
    assert moves(flat.pv) == answer.pv
    assert moves(flat.wrong_keys) == find_wrong_keys(answer)
    assert flat.stopped_by == answer.stopped_by
    assert flat.tablebase == answer.tablebase
    assert flat.nodes == answer.stats.nodes
    assert flat.time_s == pytest.approx(answer.stats.time_s, abs=1e-6)
    marked = mark_only_moves(claim, plies) if claim else ()
    stored = [
        Ply(
            ply["move"],
            ply["mate"],
            tuple(ply["keys"]),
            ply["only"],
            ply.get("holds"),
        )
        for ply in json.loads(flat.plies or "[]")
    ]
    assert tuple(stored) == flat.claimed_plies() == marked
    assert flat.word == (verdict or answer.status)
    assert (flat.error, flat.solver) == (None, __version__)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(ANSWERS, PLIES)
def test_a_row_holds_only_what_every_program_can_store(
    answer: Solution, plies: list[Ply]
) -> None:
    result = audit_result(answer, plies=plies)
    assert {type(value) for value in result.row()} <= {str, int, float, type(None)}
    assert dict(zip(COLUMNS, result.row(), strict=True)).items() <= (
        result._asdict().items()
    )


def test_an_unreadable_record_keeps_its_reason() -> None:
    error = FormatError("a.epd:7", "expected a FEN, found nothing")
    assert audit_result(error) == AuditResult(
        "a.epd:7", "a.epd:7", verdict="unreadable", error=error.reason
    )


def test_a_result_for_another_record_differs_only_in_the_record() -> None:
    first = Problem(FEN, "one", Claim(1), "a.epd:1")
    again = Problem(FEN.replace("0 1", "5 40"), "two", Claim(1), "b.epd:2")
    flat = audit_result(Solution(first, Status.PROVED, 1, 1, ("a1a8",)))
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
    assert split_source(source) == expected


@given(st.text(), st.integers(1, 10**18 - 1))
def test_a_joined_source_is_split_again(file: str, line: int) -> None:
    assert split_source(f"{file}:{line}") == (file, line)


@given(st.text(alphabet="ab:0123456789٣ ."))
def test_a_split_source_can_be_joined_again(source: str) -> None:
    file, line = split_source(source)
    assert (f"{file}:{line}" if line else file) == source
