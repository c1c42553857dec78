"""matetrack's lines: read whole, and written back with nothing else changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.errors import FormatError
from solver.formats.claims import FileSummary
from solver.formats.epd import MISSING, Row, parse_record, read_matetrack_row
from solver.problem import Problem

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
MATED = "7k/8/6K1/8/8/8/8/R7 b - -"


def read(text: str) -> Row:
    row = read_matetrack_row(text.encode(), "some/mates.epd:7", FileSummary())
    assert isinstance(row, Row), row
    return row


@pytest.mark.parametrize(
    ("tail", "claimed", "line", "fault"),
    [
        ("bm #1;", 1, (), MISSING),
        ("bm #1", 1, (), MISSING),
        ("bm #1; PV: ;", 1, (), MISSING),
        ("bm #1; 00:00 @ C0/R-2/K4/P15/X47;", 1, (), MISSING),
        ("bm #1; PV: a1a8;", 1, ("a1a8",), ""),
        ("bm #1; PV: Ra8#; 00:00;", 1, ("a1a8",), ""),
        ("dm 1; pv 1. Ra8#;", 1, ("a1a8",), ""),
        ("mate in 1; pv Ra8;", 1, ("a1a8",), ""),
        ("bm Ra8; dm 1;", 1, (), MISSING),
        ("bm #1 Ra8; PV: a1a8;", 1, ("a1a8",), ""),
        ("dm 1; bm #2;", 1, (), MISSING),
        ("bm #1; ce 12; \xff;", 1, (), MISSING),
        ("pv Ra8; dm 1;", 1, ("a1a8",), ""),
        ("bm #1; PV: a1a9;", 1, (), "pv: expected a move in SAN or UCI, found 'a1a9'"),
        ("bm #2; PV: a1a8;", 2, ("a1a8",), "pv: expected 3 plies, found 1"),
        ("bm #1; PV: a1a7;", 1, ("a1a7",), "pv: expected mate at the end, found none"),
        ("bm #-1; PV: a1a7;", -1, ("a1a7",), "pv: expected 2 plies, found 1"),
    ],
)
def test_a_row_has_its_claim_and_what_is_wrong_with_its_line(
    tail: str, claimed: int, line: tuple[str, ...], fault: str
) -> None:
    row = read(f"{BACK_RANK} {tail}\n")
    assert (row.claim.mate, row.claim.line, row.fault) == (claimed, line, fault)
    assert row.problem.source == "some/mates.epd:7"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("bm #2;", "bm #1; PV: a1a8;"),
        ("bm #2", "bm #1; PV: a1a8;"),
        ("bm #2; c0; 00:01", "bm #1; PV: a1a8; c0; 00:01"),
        ("bm #2;PV: a1a7;c", "bm #1;PV: a1a8;c"),
        ("bm #2;x:y;", "bm #1; PV: a1a8;x:y;"),
        ("bm #2;   PV:  a1a7  h7h6 ; ;;", "bm #1;   PV:  a1a8 ; ;;"),
        ("bm #2; PV:;", "bm #1; PV: a1a8;"),
        ("bm #2; PV: a1z9", "bm #1; PV: a1a8"),
        ("PV: a1a7; bm #2; dm 2;", "PV: a1a8; bm #1; dm 1;"),
        ("dm 2;", "dm 1; pv Ra8#;"),
        ("dm +2; pv Ra7;", "dm 1; pv Ra8#;"),
        ('dm 2; pv "Ra7 Kh8"; c', "dm 1; pv Ra8#; c"),
        ("dm2;", "dm1; pv Ra8#;"),
        ("bm#2; PV: a1a7;", "bm#1; PV: a1a8;"),
        ("mate in 2 moves;", "mate in 1 moves; pv Ra8#;"),
        ("#2", "#1; pv Ra8#;"),
        ("M2; pv Ra7;", "M1; pv Ra8#;"),
        ("dm 2 pv Ra7", "dm 1 pv Ra8#"),
        ("acd 3 dm 2", "acd 3 dm 1; pv Ra8#;"),
        ("dm 2 acd 3", "dm 1; pv Ra8#; acd 3"),
        ("dm 2; ce 32764;", "dm 1; pv Ra8#; ce 32764;"),
        ('dm 2; id "M\xfcller";', 'dm 1; pv Ra8#; id "M\xfcller";'),
        ('bm #2; c0 "open', 'bm #1; PV: a1a8; c0 "open'),
        ('bm #2; c1 "bm #2; PV: x";', 'bm #1; PV: a1a8; c1 "bm #2; PV: x";'),
        ('id "#2 dm 2;"; dm 2;', 'id "#2 dm 2;"; dm 1; pv Ra8#;'),
    ],
)
@pytest.mark.parametrize("counters", ["", " 3 17"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", " \t\r\n", "", "\0\n"])
def test_only_distance_and_moves_are_replaced(
    before: str, after: str, counters: str, end: str
) -> None:
    row = read(f"{BACK_RANK}{counters} {before}{end}")
    written = row.rewrite(1, ["a1a8"]).decode()
    assert written == f"{BACK_RANK}{counters} {after}{end}"
    again = read(written)
    assert (again.claim.mate, again.claim.line, again.fault) == (1, ("a1a8",), "")


@pytest.mark.parametrize("other", [b"M\xfcller", b"\x84\x81\x94", b"\xff\xfe"])
def test_bytes_that_are_not_utf_8_stay_as_they_are(other: bytes) -> None:
    before = f"{BACK_RANK} bm #2; ".encode() + other + b"; PV: a1a7;\xa0\n"
    row = read_matetrack_row(before, "x:1", FileSummary())
    assert isinstance(row, Row)
    expected = before.replace(b"#2", b"#1").replace(b"a1a7", b"a1a8")
    assert row.rewrite(1, ["a1a8"]) == expected


def test_a_row_has_its_keys_and_warnings() -> None:
    row = read(f"{BACK_RANK} bm Ra8; dm 1; hmvc x; pv Ra9;")
    assert row.claim.keys == ("a1a8",)
    assert [text.partition(":")[0] for text in row.problem.warnings] == ["hmvc", "pv"]
    assert row.fault == "pv: expected a move in SAN or UCI, found 'Ra9'"


def test_the_mated_side_has_a_negative_distance() -> None:
    row = read(f"{MATED} bm #1;\n")
    text = row.rewrite(-1, ["h8g8", "a1a8"]).decode()
    assert text == f"{MATED} bm #-1; PV: h8g8 a1a8;\n"


TEXT = st.text(
    st.characters(exclude_characters='";\r\n', exclude_categories=["Cc", "Cs"]),
    max_size=9,
)
SPACE = st.text(" \t", min_size=1, max_size=3)


@given(SPACE, SPACE, TEXT, TEXT, SPACE, st.sampled_from(["\n", "\r\n", ""]))
def test_every_other_byte_stays_where_it_was(
    first: str, second: str, between: str, last: str, third: str, end: str
) -> None:
    between, last = f"c0 {between}", f"c1 {last}"

    def row(mate: int, line: str) -> str:
        start = f"{BACK_RANK}{first}bm #{mate};{second}{between}"
        return f"{start}; PV:{third}{line}; {last};{end}"

    text = row(2, "a1b1 h7h6 a1z1")
    assert read(text).rewrite(1, ["a1a8"]).decode() == row(1, "a1a8")
    rewritten = parse_record(row(1, "a1a8").strip(), "x:1").claim
    assert rewritten
    assert (rewritten.mate, rewritten.line) == (1, ("a1a8",))


@pytest.mark.parametrize(
    ("tail", "mate"),
    [
        ("", None),
        ("nomate 3;", None),
        ('stipulation "s#2";', 2),
        ("bm Ra8;", None),
        ("c0 bm #1;", None),
        ("ce 32766;", 1),
        ("mated in 1;", -1),
    ],
)
def test_a_row_without_a_mate_that_can_be_rewritten_is_only_a_problem(
    tail: str, mate: int | None
) -> None:
    problem = read_matetrack_row(f"{BACK_RANK} {tail}\n".encode(), "x:1", FileSummary())
    assert isinstance(problem, Problem)
    assert (problem.claim and problem.claim.mate) == mate


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"hello w - - bm #1;", "expected 8 ranks"),
        (
            f"{BACK_RANK} bm #1; \xff\0".encode("latin-1"),
            "expected text, found a NUL byte",
        ),
        (f"{BACK_RANK} bm #0;".encode(), "bm #: expected 1 to 200 moves"),
        (f"{BACK_RANK} bm #1; pv a1a8; PV: a1a8;".encode(), "expected one line"),
        (f'{BACK_RANK} c0 "open; bm #1;'.encode(), "expected a closing quote"),
        (
            f'{BACK_RANK} bm #1; PV: a1a8 "g8f8; c0 "x;'.encode(),
            "pv: expected moves, found 'a1a8 \"g8f8; c0 \"x'",
        ),
    ],
)
def test_an_unreadable_row_is_one_error(raw: bytes, reason: str) -> None:
    error = read_matetrack_row(raw, "x:1", FileSummary())
    assert isinstance(error, FormatError)
    assert reason in error.reason
