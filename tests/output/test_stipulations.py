"""Audits of other stipulations than mate: rows, disagreements, records and the page."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from solver.audit.results import AuditResult, audit_result
from solver.formats.claims import FileSummary
from solver.formats.epd import read_epd
from solver.output.audit_records import (
    audit_record,
    export_csv,
    export_epd,
    read_record,
    write_parquet,
)
from solver.output.audit_text import AuditTable, disagreement
from solver.pages.collection_page import render_page
from solver.problem import Claim, Problem, Stipulation
from solver.record import COLUMNS
from solver.solution import Solution, Stats, Status
from solver.stipulations import genre_of
from tests.pages.records import record, records_of

if TYPE_CHECKING:
    from collections.abc import Sequence

SELFMATE = "4R3/7K/5k2/Bp3r2/8/7Q/8/8 w - - 0 1"
SELFMATE_LINK = (
    "https://lichess.org/analysis/standard/4R3/7K/5k2/Bp3r2/8/7Q/8/8_w_-_-_0_1"
)
HELPMATE = "7k/8/5K2/8/8/8/8/R7 b - - 0 1"
HELPMATE_LINK = "https://lichess.org/analysis/standard/7k/8/5K2/8/8/8/8/R7_b_-_-_0_1"
LINES = (
    ("h8g8", "f6g6", "g8h8", "a1a8"),
    ("h8h7", "f6f7", "h7h6", "a1h1"),
    ("h8h7", "f6f7", "h7h8", "a1h1"),
    ("h8g8", "a1a7", "g8h8", "a7a8"),
)


def selfmate(claim: Claim | None = None, mate: int | None = 2) -> Solution:
    return Solution(
        Problem(SELFMATE, "x.olv:3", claim, "x.olv:3", stipulation=of("s#2")),
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
    problem = Problem(
        HELPMATE, "x.olv:3", claim, "x.olv:3", stipulation=of(stipulation)
    )
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


def of(text: str) -> Stipulation:
    return Stipulation.parse(text)


# --- the table


def test_claims_are_sorted_by_kind_and_then_by_length() -> None:
    mixed = ["h#2.5", "s#10", "h=2", "=3", "h#2", "#3", "r#2", "s#2", "h#3", "s=2"]
    mixed += ["semi-r#2", "h#0.5", "=2", "#2"]
    table = AuditTable()
    for text in mixed:
        problem = Problem(SELFMATE, stipulation=of(text))
        answer = Solution(problem, Status.UNDECIDED, None, 1, stats=Stats(1, 0.0))
        table.add(audit_result(answer))
    for claim, no_mate in (
        (Claim(3), None),
        (Claim(-4), None),
        (None, 2),
        (None, None),
    ):
        problem = Problem(SELFMATE, claim=claim, no_mate=no_mate)
        table.add(audit_result(Solution(problem, Status.UNDECIDED, None, 1)))
    paper = io.StringIO()
    console = Console(file=paper, width=100)
    console.print(table.draw(console))
    lines = paper.getvalue().splitlines()[1:]
    names = [line.strip().partition("   ")[0] for line in lines]
    assert names == [
        *("#2", "#3", "#-4", "no #2", "=2", "=3", "s#2", "s#10", "s=2", "r#2"),
        *("semi-r#2", "h#0.5", "h#2", "h#2.5", "h#3", "h=2", "none", "all"),
    ]


# --- disagreements


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        (selfmate(), None),
        (
            selfmate(mate=None),
            ["x.olv:3: claimed s#2, but no s#2 exists", f"  {SELFMATE_LINK}"],
        ),
        (
            selfmate(mate=1),
            ["x.olv:3: claimed s#2, found s#1: 1. Bd8+ Kf7", f"  {SELFMATE_LINK}"],
        ),
        (
            selfmate(Claim(2, ("a5c7",))),
            [
                "x.olv:3: claimed s#2, but the claimed key Bc7 does not solve; "
                "Bd8+ does",
                f"  {SELFMATE_LINK}",
            ],
        ),
        (
            replace(selfmate(), keys=("a5d8", "a5c7")),
            ["x.olv:3: claimed s#2, but 2 keys solve: Bd8+, Bc7", f"  {SELFMATE_LINK}"],
        ),
        (helpmate(LINES[:1]), None),
        (
            helpmate(()),
            [
                "x.olv:3: claimed h#2 with 1 solution, but no h#2 exists",
                f"  {HELPMATE_LINK}",
            ],
        ),
        (
            helpmate((), Claim(3, solutions=2), "h#2.5"),
            [
                "x.olv:3: claimed h#2.5 with 2 solutions, but no h#2.5 exists "
                "(Black begins, so the roles are exchanged)",
                f"  {HELPMATE_LINK}",
            ],
        ),
        (
            helpmate(LINES[:2]),
            [
                "x.olv:3: claimed h#2 with 1 solution, found 2: "
                "1. Kg8 Kg6 2. Kh8 Ra8#; 1. Kh7 Kf7 2. Kh6 Rh1+",
                f"  {HELPMATE_LINK}",
            ],
        ),
        (
            helpmate(LINES, Claim(2, solutions=2), complete=False),
            [
                "x.olv:3: claimed h#2 with 2 solutions, found at least 4: "
                "1. Kg8 Kg6 2. Kh8 Ra8#; 1. Kh7 Kf7 2. Kh6 Rh1+; "
                "1. Kh7 Kf7 2. Kh8 Rh1#; ...",
                f"  {HELPMATE_LINK}",
            ],
        ),
        (
            helpmate(LINES[:1], Claim(2, solutions=3)),
            [
                "x.olv:3: claimed h#2 with 3 solutions, found 1: "
                "1. Kg8 Kg6 2. Kh8 Ra8#",
                f"  {HELPMATE_LINK}",
            ],
        ),
        (
            helpmate(LINES[:1], Claim(2, solutions=0)),
            [
                "x.olv:3: claimed h#2 with no solution, found 1: "
                "1. Kg8 Kg6 2. Kh8 Ra8#",
                f"  {HELPMATE_LINK}",
            ],
        ),
        (
            helpmate(LINES[:1], Claim(2, ("h8h7",), line=LINES[1])),
            [
                "x.olv:3: claimed h#2 with 1 solution by Kh7, found 1: "
                "1. Kg8 Kg6 2. Kh8 Ra8#",
                "  claimed: 1. Kh7 Kf7 2. Kh6 Rh1+",
                f"  {HELPMATE_LINK}",
            ],
        ),
        (
            helpmate((LINES[0], LINES[0][:2])),
            [
                "x.olv:3: claimed h#2 with 1 solution, found h#1: 1. Kg8 Kg6",
                f"  {HELPMATE_LINK}",
            ],
        ),
    ],
)
def test_a_disagreement_names_the_stipulation_and_what_was_found(
    answer: Solution, lines: list[str] | None
) -> None:
    paragraph = disagreement(audit_result(answer))
    assert (None if paragraph is None else paragraph.splitlines()) == lines


@pytest.mark.parametrize(
    ("moves", "stipulation", "expected"),
    [
        (LINES[0], "h#2", "1. Kg8 Kg6 2. Kh8 Ra8#"),
        (LINES[0][:3], "h#2.5", "1... Kg8 2. Kg6 Kh8"),
        (LINES[0][:1], "h#2.5", "1... Kg8"),
        ((), "h#2", ""),
    ],
)
def test_the_side_that_is_mated_begins_each_number_of_help_play(
    moves: tuple[str, ...], stipulation: str, expected: str
) -> None:
    kind = genre_of(of(stipulation))
    assert " ".join(kind.numbered_line(HELPMATE, moves)) == expected


# --- records and exports


def test_a_record_names_the_stipulation() -> None:
    made = audit_record(audit_result(selfmate()))
    assert (made["stipulation"], made["claim"], made["mate"]) == ("s#2", 2, 2)
    assert not {"claimed_solutions", "solutions", "solutions_complete"} & made.keys()


def test_a_record_of_help_play_lists_the_solutions() -> None:
    answer = helpmate(LINES[:2], Claim(2, solutions=3), complete=False)
    made = audit_record(audit_result(answer))
    assert made["stipulation"] == "h#2"
    assert made["claimed_solutions"] == 3
    assert made["solutions"] == [list(line) for line in LINES[:2]]
    assert made["solutions_complete"] is False
    of_solution = answer.to_dict()
    for name in ("stipulation", "solutions", "solutions_complete"):
        assert made[name] == of_solution[name]


def test_without_solutions_the_list_is_empty() -> None:
    made = audit_record(audit_result(helpmate(())))
    assert (made["solutions"], made["solutions_complete"]) == ([], True)


def test_a_record_of_a_mate_has_no_such_fields() -> None:
    answer = Solution(Problem(SELFMATE, claim=Claim(2)), Status.PROVED, 2, 2)
    assert "stipulation" not in audit_record(audit_result(answer))


@pytest.mark.parametrize(
    "answer",
    [
        selfmate(Claim(2, ("a5c7",))),
        selfmate(mate=None),
        helpmate(LINES[:2], Claim(2, solutions=2)),
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


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (
            selfmate(Claim(2, ("a5c7",))),
            'stipulation "s#2"; bm Bd8+; pv Bd8+ Kf7 Qh5+ Rxh5#; ',
        ),
        (selfmate(mate=1), 'stipulation "s#1"; bm Bd8+; pv Bd8+ Kf7; '),
        (
            helpmate(LINES[:2], Claim(2, solutions=1)),
            'stipulation "h#2"; solutions 2; ',
        ),
        (helpmate(LINES[:2], complete=False), 'stipulation "h#2"; '),
        (helpmate(()), 'stipulation "h#2"; solutions 0; '),
        (
            helpmate((LINES[0][:2], *LINES), Claim(2)),
            'stipulation "h#1"; solutions 1; ',
        ),
        (
            replace(
                helpmate((LINES[0][:1],), Claim(2), "h#1.5"), mate=1, lower_bound=1
            ),
            'stipulation "h#0.5"; solutions 1; ',
        ),
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


@pytest.mark.parametrize(
    "answer",
    [
        selfmate(mate=None),
        replace(helpmate(()), lower_bound=1, status=Status.UNDECIDED),
    ],
)
def test_epd_leaves_out_what_it_cannot_express(answer: Solution) -> None:
    file = io.BytesIO()
    assert export_epd([audit_result(answer)], file) == 0
    assert file.getvalue() == b""


# --- the page


def test_the_page_counts_and_lists_stipulations() -> None:
    results = [
        audit_result(helpmate(LINES[:2])),
        audit_result(selfmate()),
        audit_result(helpmate((), Claim(3, solutions=2), "h#2.5")),
    ]
    page = render_page(results, title="An audit")
    claims = re.findall('<th scope="row">(.*?)</th>', page.decode())
    assert claims == ["s#2", "h#2", "h#2.5", "all"]
    cooked, sound, none = records_of(page)
    assert cooked["row"] == ["h#2", "h#2, 2", False, ["cooked"]]
    assert (cooked["claimed_solutions"], cooked["solutions_complete"]) == (1, True)
    assert cooked["san"]["solutions"] == [
        ["Kg8", "Kg6", "Kh8", "Ra8#"],
        ["Kh7", "Kf7", "Kh6", "Rh1+"],
    ]
    assert sound["row"][:2] == ["s#2", "s#2"]
    assert sound["san"]["pv"] == ["Bd8+", "Kf7", "Qh5+", "Rxh5#"]
    assert none["row"][:2] == ["h#2.5", "no h#2.5"]
    assert (none["claimed_solutions"], none["verdict"]) == (2, "refuted")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"stipulation": "x#2"}, "stipulation: expected"),
        ({"stipulation": 2}, "stipulation: expected a text"),
        ({"claimed_solutions": "1"}, "claimed_solutions: expected a whole number"),
        ({"solutions": ["e2e4"]}, "solutions: expected a list of lists of texts"),
        ({"solutions": [[1]]}, "solutions: expected a list of lists of texts"),
        ({"solutions_complete": 1}, "solutions_complete: expected true or false"),
    ],
)
def test_a_damaged_field_is_reported(fields: dict[str, object], reason: str) -> None:
    errors: list[str] = []
    render_page([record(**fields)], title="x", on_damaged=errors.append)
    assert len(errors) == 1
    assert errors[0].startswith(f"record 1: {reason}")


def test_an_illegal_move_of_a_solution_is_shown_as_given() -> None:
    given = record(
        fen=HELPMATE, stipulation="h#2", solutions=[["h8g8", "a1h8", "h8g8"], []]
    )
    given |= {"pv": [], "keys": []}
    (listed,) = records_of(render_page([given], title="x"))
    assert listed["san"]["solutions"] == [["Kg8", "a1h8", "h8g8"], []]
