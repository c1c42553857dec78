"""JSON lines: the output of `verify --jsonl` is read, and types are checked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from solver.errors import FormatError
from solver.formats.claims import FileSummary, ReadOptions
from solver.formats.json_records import read_jsonl
from solver.problem import Claim, Problem

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"


def read(*lines: str | bytes) -> list[Problem | FormatError]:
    texts = (line if isinstance(line, bytes) else line.encode() for line in lines)
    return list(
        read_jsonl(enumerate(texts, 1), FileSummary("dir/x.jsonl"), ReadOptions())
    )


def record(**fields: Any) -> str:
    return json.dumps({"id": "rook", "fen": ROOK} | fields)


def test_a_record_is_a_problem() -> None:
    text = record(
        claim=8,
        claimed_keys=["h7g6"],
        claimed_line=["h7g6", "h1g1"],
        any_last_move=True,
    )
    claim = Claim(8, ("h7g6",), ("h7g6", "h1g1"), any_last_move=True)
    assert read(text) == [Problem(ROOK, "rook", claim, "dir/x.jsonl:1")]


@pytest.mark.parametrize(
    ("fields", "claim", "no_mate"),
    [
        ({}, None, None),
        ({"claim": None, "nomate": None, "claimed_keys": None}, None, None),
        ({"claim": -3}, Claim(-3), None),
        ({"nomate": 4}, None, 4),
        ({"claimed_keys": ["h7g6"]}, None, None),
        ({"claim": 8, "claimed_keys": ["Kg6", "h7g6"]}, Claim(8, ("h7g6",)), None),
        ({"claim": 8, "claimed_keys": [], "any_last_move": False}, Claim(8), None),
        ({"schema": 1, "mate": 8, "keys": [{"uci": "h7g6"}], "pv": []}, None, None),
    ],
)
def test_missing_fields_claim_nothing_and_other_fields_are_ignored(
    fields: dict[str, Any], claim: Claim | None, no_mate: int | None
) -> None:
    expected = Problem(ROOK, "rook", claim, "dir/x.jsonl:1", no_mate)
    assert read(record(**fields)) == [expected]


def test_only_the_position_is_required() -> None:
    assert read('{"fen":"8/7K/8/8/8/8/R7/7k"}') == [
        Problem(ROOK, "x.jsonl:1", None, "dir/x.jsonl:1")
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (" red \x1b[31m\n\trook ", " red \x1b[31m\n\trook "),
        (" ", " "),
        ("\U0001f40e", "\U0001f40e"),
        ("\ud83d", "\ufffd"),
    ],
)
def test_a_name_is_kept_to_the_character(name: str, expected: str) -> None:
    (problem,) = read(record(id=name))
    assert isinstance(problem, Problem)
    assert problem.id == expected


def test_no_record_of_a_line_is_lost_where_the_sample_ends() -> None:
    rows = [{"id": f"m{number}", "fen": ROOK, "mate": 8} for number in range(330)]
    parts = (rows[:100], rows[100:300], rows[300:])
    records = read(*(json.dumps(part) for part in parts))
    assert [getattr(one, "id", one) for one in records] == [row["id"] for row in rows]


def test_blank_lines_and_comments_are_skipped() -> None:
    records = read("", "# a comment", record(), "  \r\n", record())
    assert [found.source for found in records] == ["dir/x.jsonl:3", "dir/x.jsonl:5"]


DISTANCE = "expected 1 to 200 moves"
SIGNED = f"{DISTANCE}, negative when the side to move is mated"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (record(fen=None), "expected a FEN, found nothing"),
        ('{"id":"x"}', "expected a FEN, found nothing"),
        (record(fen=3), "board: expected 8 ranks with / between them, found 1 in '3'"),
        (record(claim=True), f"claim: {SIGNED}, found 'true'"),
        (record(claim=3.5), f"claim: {SIGNED}, found '3.5'"),
        (record(claim=0), f"claim: {SIGNED}, found '0'"),
        (record(claim=201), f"claim: {SIGNED}, found '201'"),
        (record(nomate=-3), f"nomate: {DISTANCE}, found '-3'"),
        ("[1]", "record: expected objects, lists or texts with a FEN, found [1]"),
        ("null", "expected a JSON object, found 'null'"),
        ("8/8", "expected a JSON object, found '8/8': Extra data"),
        (f'{{"claim":{"9" * 5000}}}', 'expected a JSON object, found \'{"claim":999'),
        ("[" * 60_000, "expected a JSON object, found '[[["),
        (" " * 65_537, "expected a line of at most 65,536 bytes, found a longer one"),
    ],
)
def test_a_bad_record_is_reported_in_one_line_and_skipped(
    bad: str | bytes, reason: str
) -> None:
    first, error, last = read(record(), bad, record())
    assert isinstance(first, Problem)
    assert isinstance(last, Problem)
    assert isinstance(error, FormatError)
    assert error.source == "dir/x.jsonl:2"
    assert error.reason.startswith(reason)
    assert error.reason.isprintable()


MOVE = "expected a legal, unambiguous move in SAN or UCI"


@pytest.mark.parametrize(
    ("fields", "claim", "warning"),
    [
        (
            {"claim": 3, "nomate": 3},
            Claim(3),
            "claims: expected one, found a mate in 3 and nomate 3; kept mate in 3",
        ),
        (
            {"claim": 8, "claimed_line": ["h7g6", "x"]},
            Claim(8),
            "claimed_line: expected a move in SAN or UCI, found",
        ),
        (
            {"claim": 8, "any_last_move": 1},
            Claim(8),
            "any_last_move: expected true, false or nothing, found '1'",
        ),
        (
            {"claim": 8, "claimed_keys": ["h7h5"], "claimed_line": ["h7g6"]},
            Claim(8, (), ("h7g6",)),
            f"claimed_keys: {MOVE}, found 'h7h5'; kept mate in 8, the line",
        ),
        (
            {"claim": 8, "claimed_keys": ["h7g6"], "claimed_line": ["h7g6", "h7g6"]},
            Claim(8, ("h7g6",)),
            f"claimed_line: {MOVE}, found 'h7g6'; kept mate in 8, key h7g6",
        ),
    ],
)
def test_a_bad_optional_field_is_a_warning(
    fields: dict[str, Any], claim: Claim, warning: str
) -> None:
    (problem,) = read(record(**fields))
    assert isinstance(problem, Problem)
    assert (problem.fen, problem.id, problem.claim) == (ROOK, "rook", claim)
    assert len(problem.warnings) == 1
    assert problem.warnings[0].startswith(warning)


ANSWER = {"mate": 2, "keys": [{"uci": "h7g6", "san": "Kg6"}], "pv": ["h7g6", "h1g1"]}


@pytest.mark.parametrize("mark", [{"schema": 1}, {"verdict": "shorter"}])
def test_an_answer_of_the_program_is_read_for_what_was_claimed(
    mark: dict[str, Any],
) -> None:
    claims = {"claim": 8, "claimed_keys": ["h7g7"], "claimed_line": None}
    (problem,) = read(record(**mark, **claims, **ANSWER))
    assert isinstance(problem, Problem)
    assert (problem.claim, problem.warnings) == (Claim(8, ("h7g7",)), ())
    (other,) = read(record(**ANSWER))
    assert isinstance(other, Problem)
    assert other.claim == Claim(2, ("h7g6",), ("h7g6", "h1g1"))
