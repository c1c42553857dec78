"""Improvements: a row changes only where a proved answer is better than its claim."""

from __future__ import annotations

import pytest

from solver.audit.results import AuditResult, Ply, audit_result, write_plies
from solver.cli.improve import (
    Gain,
    LineStatus,
    Replacement,
    describe_change,
    describe_kept,
    describe_line,
    find_change,
    find_line_status,
    is_disproved,
    mates_other_side,
    other_side,
    own_side,
    turned,
)
from solver.formats.claims import FileSummary
from solver.formats.epd import Row, read_matetrack_row
from solver.problem import Claim, Problem
from solver.solution import Solution, Status, StoppedBy, TableFormat

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
MATED = "7k/8/6K1/8/8/8/8/R7 b - -"


def read(text: str) -> Row:
    row = read_matetrack_row(f"{text}\n".encode(), "mates.epd:7", FileSummary())
    assert isinstance(row, Row)
    return row


def result_of(
    row: Row,
    mate: int | None,
    lower_bound: int,
    *line: str,
    tablebase: TableFormat | None = None,
) -> AuditResult:
    status = Status.UNDECIDED
    if mate is not None:
        status = Status.PROVED if abs(mate) == lower_bound else Status.FOUND
    stopped_by = StoppedBy.TIME if mate is None else None
    return audit_result(
        Solution(
            row.problem,
            status,
            mate,
            lower_bound,
            pv=line,
            stopped_by=stopped_by,
            tablebase=tablebase,
        )
    )


def test_a_shorter_mate_is_written_with_its_line() -> None:
    row = read(f"{BACK_RANK} bm #2; PV: a1d1 g8h8 d1d8;")
    result = result_of(row, 1, 1, "a1a8")
    change = find_change(row, result)
    assert change == Replacement(Gain.SHORTER, 1, ("a1a8",))
    assert describe_change(row, change, result) == (
        "mates.epd:7: mate in 2 is now mate in 1 (proved shortest): 1. Ra8#"
    )


def test_a_mate_that_is_found_but_may_not_be_the_shortest_is_written_too() -> None:
    row = read(f"{BACK_RANK} bm #3;")
    result = result_of(row, 2, 1, "a1d1", "g8h8", "d1d8")
    change = find_change(row, result)
    assert change is not None
    assert "mate in 2 (a shorter one is not excluded)" in describe_change(
        row, change, result
    )


def test_the_mate_of_the_other_side_replaces_the_claim() -> None:
    row = read(f"{MATED} bm #1; PV: h8g8 a1a8;")
    assert mates_other_side(row)
    change = find_change(row, result_of(row, -1, 1, "h8g8", "a1a8"))
    assert change == Replacement(Gain.SIDE, -1, ("h8g8", "a1a8"))


@pytest.mark.parametrize(
    ("tail", "what"),
    [
        ("", "line added"),
        (" PV: a1z8;", "line replaced (pv: expected a move in SAN or UCI"),
        (" PV: a1a7;", "line replaced (pv: expected mate at the end, found none)"),
    ],
)
def test_a_missing_or_broken_line_is_completed(tail: str, what: str) -> None:
    row = read(f"{BACK_RANK} bm #1;{tail}")
    result = result_of(row, 1, 1, "a1a8")
    change = find_change(row, result)
    assert change == Replacement(Gain.LINE, 1, ("a1a8",))
    assert f"mates.epd:7: mate in 1, {what}" in describe_change(row, change, result)


@pytest.mark.parametrize(
    ("claim", "mate", "line", "tablebase"),
    [
        ("bm #1; PV: a1a8;", 1, ["a1a8"], None),
        ("bm #2; PV: a1d1 g8h8 d1d8;", 2, ["a1c1", "g8h8", "c1c8"], None),
        ("bm #1;", 2, ["a1c1", "g8h8", "c1c8"], None),
        ("bm #2;", None, [], None),
        ("bm #2;", 0, [], None),
        ("bm #2;", 1, [], None),
        ("bm #2;", 1, ["a1a7"], None),
        ("bm #3;", 2, ["a1a8"], None),
        ("bm #2;", 1, ["a1a8"], TableFormat.GAVIOTA),
    ],
    ids=[
        "its line is complete",
        "another line is no better",
        "the mate is longer",
        "no mate was found",
        "it is checkmate",
        "the line was not read",
        "the line does not mate",
        "the line has another length",
        "a tablebase alone knows it",
    ],
)
def test_a_row_stays_as_it_is_where_nothing_better_is_proved(
    claim: str, mate: int | None, line: list[str], tablebase: TableFormat | None
) -> None:
    row = read(f"{BACK_RANK} {claim}")
    assert find_change(row, result_of(row, mate, 1, *line, tablebase=tablebase)) is None


def followed(row: Row, *holds: bool | None) -> AuditResult:
    moves = row.claim.line[0 if row.claim.mate > 0 else 1 :: 2]
    plies = [
        Ply(move, None, (), holds=held) for move, held in zip(moves, holds, strict=True)
    ]
    return result_of(row, None, 1)._replace(plies=write_plies(plies))


LINE = f"{BACK_RANK} bm #2; PV: a1d1 g8h8 d1d8;"


@pytest.mark.parametrize(
    ("text", "holds", "status", "words"),
    [
        (LINE, (True, True), LineStatus.PROOF, "a proof"),
        (LINE, (None, True), LineStatus.ENDING, "a forced ending from move 2, Rd8#"),
        (LINE, (None, None), LineStatus.OPEN, "open"),
        (
            LINE,
            (False, True),
            LineStatus.WRONG,
            "wrong: move 1, Rd1, does not mate in 2",
        ),
        (
            LINE,
            (None, False),
            LineStatus.WRONG,
            "wrong: move 2, Rd8#, does not mate in 1",
        ),
        (
            f"{BACK_RANK} bm #2; PV: a1d1;",
            (True,),
            LineStatus.BEGINNING,
            "a forced beginning",
        ),
        (
            f"{BACK_RANK} bm #1; PV: a1d1 g8h8 d1d8;",
            (),
            LineStatus.WRONG,
            "wrong (pv: expected 1 plies, found 3)",
        ),
    ],
)
def test_a_followed_line_has_a_status(
    text: str, holds: tuple[bool | None, ...], status: LineStatus, words: str
) -> None:
    row = read(text)
    result = followed(row, *holds) if holds else result_of(row, None, 1)
    assert find_line_status(row, result) is status
    claim = f"mate in {row.claim.mate}"
    assert describe_line(row, result) == f"mates.epd:7: {claim}, its line is {words}"


def test_a_row_without_a_line_has_no_status() -> None:
    row = read(f"{BACK_RANK} bm #2;")
    assert find_line_status(row, result_of(row, None, 1)) is None
    assert describe_line(row, result_of(row, None, 1)) == ""


def test_a_line_that_is_proved_wrong_is_replaced() -> None:
    row = read(LINE)
    line = ("a1c1", "g8h8", "c1c8")
    result = result_of(row, 2, 2, *line)._replace(
        plies=followed(row, None, False).plies
    )
    change = find_change(row, result)
    assert change == Replacement(Gain.LINE, 2, line)
    assert "line replaced (proved wrong): 1. Rc1" in describe_change(
        row, change, result
    )
    held = result_of(row, 2, 2, *line)._replace(plies=followed(row, True, True).plies)
    assert find_change(row, held) is None


def test_a_disproved_claim_is_reported_and_kept() -> None:
    row = read(f"{BACK_RANK} bm #1; PV: a1a7;")
    result = result_of(row, None, 2)
    assert is_disproved(result)
    assert find_change(row, result) is None
    assert describe_kept(row, result) == (
        "mates.epd:7: mate in 1, kept, but disproved: no mate in 1"
    )
    longer = result_of(row, 2, 2, "a1c1", "g8h8", "c1c8")
    assert describe_kept(row, longer) == (
        "mates.epd:7: mate in 1, kept, but disproved: no mate in 1, but mate in 2: "
        "1. Rc1 Kh8 2. Rc8#"
    )


def test_a_claim_to_be_mated_is_disproved_in_its_own_words() -> None:
    row = read(f"{BACK_RANK} bm #-7;")
    assert describe_kept(row, result_of(row, None, 8)) == (
        "mates.epd:7: mated in 7, kept, but disproved: not mated in 7"
    )


def test_a_line_belongs_to_the_claim_of_the_side_that_it_mates() -> None:
    line = ("h8g8", "a1a8")
    row = read(f"{MATED} bm #1; PV: {' '.join(line)};")
    assert own_side(row).claim == Claim(1)
    other = other_side(row)
    assert other.claim == Claim(-1, line=line)
    assert other.source == "mates.epd (other side):7"
    assert (turned(row).claim.mate, turned(row).fault) == (-1, "")

    row = read(f"{MATED} bm #-1; PV: {' '.join(line)};")
    assert own_side(row) == row.problem
    assert other_side(row).claim == Claim(1)
    assert turned(row).fault == "missing"


def test_a_mate_that_only_the_row_knows_is_kept_without_a_word() -> None:
    row = read(f"{BACK_RANK} bm #2; PV: a1c1 g8h8 c1c8;")
    result = result_of(row, None, 1)
    assert find_change(row, result) is None
    assert not is_disproved(result)
    assert describe_kept(row, result) == ""


def test_a_broken_line_that_stays_is_reported() -> None:
    row = read(f"{BACK_RANK} bm #2; PV: a1c1;")
    assert describe_kept(row, result_of(row, None, 1)) == (
        "mates.epd:7: mate in 2, kept with its broken line "
        "(pv: expected 3 plies, found 1), because no mate was found"
    )


def test_the_problem_of_a_row_has_no_line_that_is_illegal() -> None:
    row = read(f"{BACK_RANK} bm #1; PV: a1z1;")
    assert row.problem == Problem(
        f"{BACK_RANK} 0 1", "mates.epd:7", row.problem.claim, "mates.epd:7"
    )
    assert row.claim.line == ()
