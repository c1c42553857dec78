"""Records of audits and answers, and audits of other stipulations than mate."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from solver import __version__
from solver.audit.results import AuditResult, audit_result
from solver.errors import FormatError
from solver.formats.claims import FileSummary
from solver.formats.epd import read_epd
from solver.output.answer_record import dump, dump_solutions, san_of
from solver.output.audit_records import (
    audit_record,
    export_csv,
    export_epd,
    read_record,
    unreadable_record,
    write_parquet,
)
from solver.output.audit_text import disagreement
from solver.pages.collection_page import render_page
from solver.problem import Claim, Problem, Stipulation
from solver.record import COLUMNS, FIELDS, Of
from solver.solution import Solution, Status
from solver.stipulations import genre_of
from tests.output.answers import (
    MATED,
    ROOK_BY_TABLE,
    ROOK_FOUND,
    ROOK_UNDECIDED,
    SMOTHERED,
)
from tests.pages.records import record, records_of

if TYPE_CHECKING:
    from collections.abc import Sequence

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1"


def test_a_record_holds_the_documented_fields_in_order() -> None:
    record = SMOTHERED.to_dict()
    assert json.loads(json.dumps(record)) == record
    assert list(record.items()) == [
        *(("schema", 1), ("id", "smothered")),
        *(("fen", "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"), ("claim", 2)),
        *(("status", "proved"), ("mate", 2), ("lower_bound", 2)),
        *(("keys", [{"uci": "c4g8", "san": "Qg8+"}]), ("keys_complete", True)),
        *(("pv", ["c4g8", "f8g8", "h6f7"]), ("nodes", 1234567), ("time_s", 0.412346)),
        *(("stopped_by", None), ("solver", __version__)),
    ]
    found, undecided, mated = (
        answer.to_dict() for answer in (ROOK_FOUND, ROOK_UNDECIDED, MATED)
    )
    assert (found["status"], found["lower_bound"], found["mate"]) == ("found", 2, 3)
    assert (found["keys_complete"], found["stopped_by"]) == (False, "time")
    assert (undecided["status"], undecided["mate"]) == ("undecided", None)
    assert (undecided["stopped_by"], undecided["claim"]) == ("nodes", None)
    assert (mated["mate"], mated["claim"], mated["keys"]) == (-1, -1, [])


def test_a_result_of_a_tablebase_is_labelled_at_the_end() -> None:
    record = ROOK_BY_TABLE.to_dict()
    assert list(record.items())[-1] == ("tablebase", "gaviota")
    assert (record["status"], record["stopped_by"]) == ("found", "tablebase")
    assert "tablebase" not in ROOK_FOUND.to_dict()


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


def test_a_column_is_empty_in_a_result_without_it() -> None:
    names = {name for name, field in FIELDS.items() if field.of is Of.SOME}
    nothing = AuditResult("x", "x:1")
    assert {getattr(nothing, name) for name in names} <= {None, "", ()}


def test_the_moves_of_a_record_are_named() -> None:
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
        "solutions": [["g1h1", "g8h8"], ["e1e8"]],
    }
    assert san_of(record) == {
        "pv": ["Re8#"],
        "claimed_keys": ["Ra8#", "a1a9"],
        "claimed_line": ["Ra3", "g6", "Re8+", "e8e8", "g1f1"],
        "wrong_keys": ["Ra3"],
        "plies": [["Ra8#", "Re8#"], ["Re7", "Ra8+"]],
        "solutions": [["Kh1", "Kh8"], ["Re8#"]],
    }
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
    written = {**record, "solutions": [[*line] for line in lines[:2000]]}
    written |= {"solutions_complete": False, "solutions_found": 2500}
    assert json.loads(text) == written


SELFMATE = "4R3/7K/5k2/Bp3r2/8/7Q/8/8 w - - 0 1"
HELPMATE = "7k/8/5K2/8/8/8/8/R7 b - - 0 1"
LINES = (
    ("h8g8", "f6g6", "g8h8", "a1a8"),
    ("h8h7", "f6f7", "h7h6", "a1h1"),
    ("h8h7", "f6f7", "h7h8", "a1h1"),
    ("h8g8", "a1a7", "g8h8", "a7a8"),
)


def asking(fen: str, stipulation: str, claim: Claim | None = None) -> Problem:
    asked = Stipulation.parse(stipulation)
    return Problem(fen, "x.olv:3", claim, "x.olv:3", stipulation=asked)


def selfmate(claim: Claim | None = None, mate: int | None = 2) -> Solution:
    return Solution(
        asking(SELFMATE, "s#2", claim),
        Status.PROVED if mate else Status.DISPROVED,
        mate,
        mate or 3,
        pv=("a5d8", "f6f7", "h3h5", "f5h5")[: 2 * (mate or 0)],
        keys=("a5d8",) if mate else (),
        keys_complete=True,
    )


def helpmate(
    found: Sequence[Sequence[str]],
    claim: Claim | None = None,
    stipulation: str = "h#2",
    *,
    complete: bool = True,
) -> Solution:
    problem = asking(HELPMATE, stipulation, claim)
    shortest = min((len(line) // 2 for line in found), default=None)
    return Solution(
        problem,
        Status.PROVED if found else Status.DISPROVED,
        shortest,
        shortest or problem.stipulation.attacker_moves + 1,
        pv=tuple(found[0]) if found else (),
        solutions=tuple(map(tuple, found)),
        solutions_complete=complete,
    )


FIRST = "1. Kg8 Kg6 2. Kh8 Ra8#"
SECOND = "1. Kh7 Kf7 2. Kh6 Rh1+"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (selfmate(), None),
        (
            replace(selfmate(), keys=("a5d8", "a5c7")),
            "s#2, but 2 keys solve: Bd8+, Bc7",
        ),
        (helpmate(LINES[:1]), None),
        (
            helpmate((), Claim(3, solutions=2), "h#2.5"),
            "h#2.5 with 2 solutions, but no h#2.5 exists "
            "(Black begins, so the roles are exchanged)",
        ),
        (
            helpmate(LINES, Claim(2, solutions=2), complete=False),
            f"h#2 with 2 solutions, found at least 4: {FIRST}; {SECOND}; "
            "1. Kh7 Kf7 2. Kh8 Rh1#; ...",
        ),
        (
            helpmate(LINES[:1], Claim(2, solutions=0)),
            f"h#2 with no solution, found 1: {FIRST}",
        ),
        (
            helpmate(LINES[:1], Claim(2, ("h8h7",), line=LINES[1])),
            f"h#2 with 1 solution by Kh7, found 1: {FIRST}\n  claimed: {SECOND}",
        ),
    ],
)
def test_a_disagreement_names_the_stipulation_and_what_was_found(
    answer: Solution, text: str | None
) -> None:
    paragraph = disagreement(audit_result(answer))
    fen = answer.problem.fen.replace(" ", "_")
    link = f"  https://lichess.org/analysis/standard/{fen}"
    assert paragraph == (text and f"x.olv:3: claimed {text}\n{link}")


def test_the_side_that_is_mated_begins_each_number_of_help_play() -> None:
    whole, half = (genre_of(Stipulation.parse(text)) for text in ("h#2", "h#2.5"))
    line = half.numbered_line(HELPMATE, LINES[0][:3])
    assert [*line] == ["1... Kg8", "2. Kg6 Kh8"]
    assert [*whole.numbered_line(HELPMATE, ())] == []


# --- records and exports


def test_a_record_names_the_stipulation_and_of_help_play_the_solutions() -> None:
    made = audit_record(audit_result(selfmate()))
    assert (made["stipulation"], made["claim"], made["mate"]) == ("s#2", 2, 2)
    assert not {"claimed_solutions", "solutions", "solutions_complete"} & made.keys()
    answer = helpmate(LINES[:2], Claim(2, solutions=3), complete=False)
    made = audit_record(audit_result(answer))
    expected = {
        "stipulation": "h#2",
        "solutions": [list(line) for line in LINES[:2]],
        "solutions_complete": False,
    }
    assert made.items() >= (expected | {"claimed_solutions": 3}).items()
    assert answer.to_dict().items() >= expected.items()
    made = audit_record(audit_result(helpmate(())))
    assert (made["solutions"], made["solutions_complete"]) == ([], True)
    plain = Solution(Problem(SELFMATE, claim=Claim(2)), Status.PROVED, 2, 2)
    assert "stipulation" not in audit_record(audit_result(plain))


@pytest.mark.parametrize(
    "answer",
    [
        selfmate(Claim(2, ("a5c7",))),
        selfmate(mate=None),
        helpmate((), Claim(2, solutions=0)),
        helpmate(LINES, complete=False),
        helpmate((), Claim(3, solutions=2), "h#2.5"),
    ],
)
def test_a_record_is_read_back_as_the_same_result(answer: Solution) -> None:
    result = audit_result(answer)
    made = json.loads(json.dumps(audit_record(result)))
    assert read_record(made) == result


def test_csv_and_parquet_have_the_columns() -> None:
    results = [audit_result(helpmate(LINES[:2])), audit_result(selfmate())]
    file = io.BytesIO()
    export_csv(results, file)
    rows = list(csv.DictReader(io.StringIO(file.getvalue().decode())))
    wanted = ("stipulation", "claimed_solutions", "solutions", "solutions_complete")
    assert [tuple(row[name] for name in wanted) for row in rows] == [
        ("h#2", "1", json.dumps([" ".join(line) for line in LINES[:2]]), "1"),
        ("s#2", "", "", ""),
    ]
    parquet = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    write_parquet(results, file)
    read = parquet.read_table(file).to_pylist()
    assert [AuditResult(**row) for row in read] == results
    assert tuple(read[0]) == COLUMNS


HALF = helpmate((LINES[0][:1],), Claim(2), "h#1.5")


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (selfmate(mate=1), 'stipulation "s#1"; bm Bd8+; pv Bd8+ Kf7; '),
        (helpmate(LINES[:2]), 'stipulation "h#2"; solutions 2; '),
        (helpmate(LINES[:2], complete=False), 'stipulation "h#2"; '),
        (helpmate(()), 'stipulation "h#2"; solutions 0; '),
        (helpmate((LINES[0][:2], *LINES)), 'stipulation "h#1"; solutions 1; '),
        (replace(HALF, mate=1, lower_bound=1), 'stipulation "h#0.5"; solutions 1; '),
    ],
)
def test_epd_has_what_was_found_in_place_of_the_claim(
    answer: Solution, claims: str
) -> None:
    file = io.BytesIO()
    assert export_epd([audit_result(answer)], file) == 1
    position = " ".join(answer.problem.fen.split()[:4])
    assert file.getvalue().decode() == f'{position} {claims}id "x.olv:3";\n'
    (problem,) = read_epd(enumerate(file.getvalue().splitlines(), 1), FileSummary("x"))
    assert isinstance(problem, Problem)
    assert problem.stipulation.has_number
    assert (problem.claim and problem.claim.solutions == 0) is ("ons 0" in claims)


def test_epd_leaves_out_what_it_cannot_express() -> None:
    undecided = replace(helpmate(()), lower_bound=1, status=Status.UNDECIDED)
    file = io.BytesIO()
    results = [audit_result(answer) for answer in (selfmate(mate=None), undecided)]
    assert export_epd(results, file) == 0
    assert file.getvalue() == b""


# --- the page


def test_the_page_counts_and_lists_stipulations() -> None:
    answers = (
        helpmate(LINES[:2]),
        selfmate(),
        helpmate((), Claim(3, solutions=2), "h#2.5"),
    )
    page = render_page([audit_result(answer) for answer in answers], title="An audit")
    claims = re.findall('<th scope="row">(.*?)</th>', page.decode())
    assert claims == ["s#2", "h#2", "h#2.5", "all"]
    cooked, sound, none = records_of(page)
    assert cooked["row"] == ["h#2", "h#2, 2", False, ["cooked"]]
    assert (cooked["claimed_solutions"], cooked["solutions_complete"]) == (1, True)
    named = [" ".join(moves) for moves in cooked["san"]["solutions"]]
    assert named == ["Kg8 Kg6 Kh8 Ra8#", "Kh7 Kf7 Kh6 Rh1+"]
    assert sound["row"][:2] == ["s#2", "s#2"]
    assert none["row"][:2] == ["h#2.5", "no h#2.5"]
    assert (none["claimed_solutions"], none["verdict"]) == (2, "refuted")


def test_a_damaged_field_is_reported_and_an_illegal_move_shown_as_given() -> None:
    for name, value, reason in (
        ("stipulation", "x#2", "expected"),
        ("claimed_solutions", "1", "expected a whole number"),
        ("solutions", ["e2e4"], "expected a list of lists of texts"),
        ("solutions", [[1]], "expected a list of lists of texts"),
        ("solutions_complete", 1, "expected true or false"),
    ):
        errors: list[str] = []
        render_page([record(**{name: value})], title="x", on_damaged=errors.append)
        assert len(errors) == 1
        assert errors[0].startswith(f"record 1: {name}: {reason}")
    moves = [["h8g8", "a1h8", "h8g8"], []]
    given = record(fen=HELPMATE, stipulation="h#2", solutions=moves, pv=[], keys=[])
    (listed,) = records_of(render_page([given], title="x"))
    assert listed["san"]["solutions"] == [["Kg8", "a1h8", "h8g8"], []]
