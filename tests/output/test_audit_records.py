"""JSON records of answers and of unreadable lines."""

import json

import pytest

from solver import __version__
from solver.audit.results import AuditResult
from solver.errors import FormatError
from solver.output.audit_records import unreadable_record
from solver.record import FIELDS, Of
from solver.solution import Solution
from tests.output.answers import (
    MATED,
    ROOK_BY_TABLE,
    ROOK_FOUND,
    ROOK_UNDECIDED,
    SMOTHERED,
)


def test_a_record_holds_the_documented_fields_in_order() -> None:
    assert json.dumps(SMOTHERED.to_dict()) == json.dumps(
        {
            "schema": 1,
            "id": "smothered",
            "fen": "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
            "claim": 2,
            "status": "proved",
            "mate": 2,
            "lower_bound": 2,
            "keys": [{"uci": "c4g8", "san": "Qg8+"}],
            "keys_complete": True,
            "pv": ["c4g8", "f8g8", "h6f7"],
            "nodes": 1234567,
            "time_s": 0.412346,
            "stopped_by": None,
            "solver": __version__,
        }
    )


def test_a_mate_that_may_not_be_the_shortest_keeps_both_bounds() -> None:
    record = ROOK_FOUND.to_dict()

    assert (record["status"], record["lower_bound"], record["mate"]) == ("found", 2, 3)
    assert (record["keys_complete"], record["stopped_by"]) == (False, "time")


def test_a_limit_leaves_the_mate_empty() -> None:
    record = ROOK_UNDECIDED.to_dict()

    assert (record["status"], record["mate"]) == ("undecided", None)
    assert (record["stopped_by"], record["claim"]) == ("nodes", None)


def test_the_mated_side_to_move_has_a_negative_mate_and_claim() -> None:
    record = MATED.to_dict()

    assert (record["mate"], record["claim"], record["keys"]) == (-1, -1, [])


@pytest.mark.parametrize("solution", [SMOTHERED, MATED, ROOK_FOUND, ROOK_UNDECIDED])
def test_a_record_survives_json(solution: Solution) -> None:
    record = solution.to_dict()

    assert json.loads(json.dumps(record)) == record


def test_an_unreadable_line_has_a_record_of_its_own() -> None:
    assert unreadable_record(FormatError("a.epd:7", "expected x, found 'y'")) == {
        "schema": 1,
        "id": "a.epd:7",
        "fen": None,
        "claim": None,
        "status": None,
        "error": "expected x, found 'y'",
        "solver": __version__,
    }


def test_a_result_of_a_tablebase_is_labelled_at_the_end() -> None:
    record = ROOK_BY_TABLE.to_dict()

    assert list(record)[-1] == "tablebase"
    assert record["tablebase"] == "gaviota"
    assert (record["status"], record["stopped_by"]) == ("found", "tablebase")
    assert "tablebase" not in ROOK_FOUND.to_dict()


def test_a_column_is_empty_in_a_result_without_it() -> None:
    names = {name for name, field in FIELDS.items() if field.of is Of.SOME}
    nothing = AuditResult("x", "x:1")
    assert {getattr(nothing, name) for name in names} <= {None, "", ()}
