"""The SAN of a record's moves."""

from __future__ import annotations

from solver.output.move_names import san_of

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
