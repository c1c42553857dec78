"""The SAN of a record's moves, and long records as JSON."""

from __future__ import annotations

import json

import pytest

from solver.output.answer_record import dump, dump_solutions, san_of

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1"


def test_the_moves_of_an_audits_record_are_named() -> None:
    record = {
        "fen": BACK_RANK,
        "pv": ["e1e8"],
        "claimed_keys": ["a1a8", "a1a9"],
        "claimed_line": ["a1a3", "g7g6", "e1e8", "e8e8", "g1f1"],
        "wrong_keys": ["a1a3"],
        "plies": [
            {"move": "a1a3", "mate": 1, "keys": ["a1a8", "e1e8"]},
            {"move": "e1e8", "mate": 2, "keys": ["e1e7", "a3a8"]},
        ],
    }
    assert san_of(record) == {
        "pv": ["Re8#"],
        "claimed_keys": ["Ra8#", "a1a9"],
        "claimed_line": ["Ra3", "g6", "Re8+", "e8e8", "g1f1"],
        "wrong_keys": ["Ra3"],
        "plies": [["Ra8#", "Re8#"], ["Re7", "Ra8+"]],
    }


def test_the_solutions_of_help_play_are_named() -> None:
    record = {"fen": BACK_RANK, "pv": [], "solutions": [["g1h1", "g8h8"], ["e1e8"]]}
    assert san_of(record) == {"pv": [], "solutions": [["Kh1", "Kh8"], ["Re8#"]]}


def test_an_unreadable_record_has_no_moves() -> None:
    assert san_of({"fen": None, "error": "expected a FEN"}) == {}


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("count", [0, 1, 1000, 1001, 2500])
def test_solutions_are_written_in_parts_as_json_writes_them(
    count: int, indent: int | None
) -> None:
    lines = [(f"a1a{index % 8 + 1}", "h7h8q") for index in range(count)]
    record = {"id": '"solutions":[]', "solutions": lines, "solutions_complete": True}
    assert "".join(dump_solutions(record, indent)) == dump(record, indent)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_record_without_all_solutions_says_how_many_there_are(
    indent: int | None,
) -> None:
    lines = [("a1a2", "h7h8q")] * 2500
    record = {"solutions": lines, "solutions_complete": True, "solver": "0"}
    answers = iter([False, True])
    text = "".join(dump_solutions(record, indent, lambda: next(answers)))
    assert json.loads(text) == {
        "solutions": [list(line) for line in lines[:2000]],
        "solutions_complete": False,
        "solver": "0",
        "solutions_found": 2500,
    }
