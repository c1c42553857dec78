"""The page of a collection: what it counts and lists, and what it refuses."""

from __future__ import annotations

import random
import statistics
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit.results import AuditResult, audit_result
from solver.errors import FormatError
from solver.output.audit_records import audit_record, read_record
from solver.pages import collection_page as page
from solver.pages.collection_page import Tally, per_cent, render_page
from solver.problem import Claim, Problem
from tests.output.answers import SMOTHERED as SMOTHERED_ANSWER
from tests.pages.html import Page, require_own_style_and_script
from tests.pages.records import (
    HOSTILE,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
    UNREADABLE,
    headline_of,
    record,
    records_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


def rendered(*records: Mapping[str, object]) -> bytes:
    return render_page(records, title="An audit")


def only_record(given: Mapping[str, object]) -> dict[str, Any]:
    (listed,) = records_of(rendered(given))
    return listed


def tally(*records: Mapping[str, object]) -> Tally:
    counted = Tally()
    for given in records:
        result = read_record(given)
        counted.add(result, agrees=result.agrees)
    return counted


def test_a_page_has_the_records_that_the_program_prints() -> None:
    unreadable = FormatError("x.epd:2", "expected a FEN")
    results = [audit_result(SMOTHERED_ANSWER), audit_result(unreadable)]
    records = [*map(audit_record, results)]

    listed = records_of(rendered(*records))

    assert listed == records_of(render_page(results, title="An audit"))
    for given, shown in zip(records, listed, strict=True):
        assert shown.items() >= given.items()
        added = {"row", "san", "shown"} | ({"fault"} if given["fen"] is None else set())
        assert shown.keys() - given.keys() == added
    assert listed[0]["row"] == ["#2", "#2", True, ["sound"]]


def test_a_page_that_is_written_twice_is_the_same() -> None:
    assert rendered(record(), UNREADABLE) == rendered(record(), UNREADABLE)


def test_records_are_counted_by_claim_and_verdict_in_the_claims_order() -> None:
    counted = tally(
        UNREADABLE,
        record(claim=None, nomate=4, verdict="refuted"),
        record(claim=-2, verdict="undecided"),
        record(claim=10),
        record(claim=2),
        record(claim=2, verdict="shorter"),
        record(claim=None, verdict=None, status="found"),
    )

    assert [(row.name, row.verdicts, row.share) for row in counted.claims] == [
        ("#2", {"proved": 1, "shorter": 1}, "50.0%"),
        ("#10", {"proved": 1}, "100%"),
        ("#-2", {"undecided": 1}, "0%"),
        ("no #4", {"refuted": 1}, "0%"),
        ("none", {"unreadable": 1, "found": 1}, "50.0%"),
    ]
    assert counted.all.total == 7
    bars = list(counted.claims[0].bars)
    assert bars == [("proved", 0, 50), ("shorter", 50, 50)]


@pytest.mark.parametrize("number", [1, 2, 999, 1000])
def test_the_median_of_skewed_times_is_exact(number: int) -> None:
    dice = random.Random(number)
    times = [round(dice.lognormvariate(-6, 3), 6) for _ in range(number)]
    counted = tally(*(record(time_s=time) for time in times), record(time_s=None))

    (row,) = counted.claims

    assert statistics.median(row.times_s) == statistics.median(times)


@pytest.mark.parametrize(
    ("part", "whole", "share"),
    [
        (0, 5, "0%"),
        (5, 5, "100%"),
        (1, 3, "33.3%"),
        (1, 9999, "0.1%"),
        (9998, 9999, "99.9%"),
        (0, 0, "0%"),
    ],
)
def test_a_share_is_0_or_100_per_cent_only_if_it_is_exact(
    part: int, whole: int, share: str
) -> None:
    assert per_cent(part, whole) == share


@pytest.mark.parametrize(
    ("fields", "headline"),
    [
        ([], "There are no records."),
        ([{}], "1 record; claims: all proved"),
        (
            [{"soundness": "cooked"}, {"soundness": "sound"}, {"soundness": "sound"}],
            "2 of 3 records agree",
        ),
        ([{}, {"verdict": "refuted"}], "1 of 2 records agrees"),
    ],
)
def test_the_headline_names_soundness(
    fields: list[dict[str, object]], headline: str
) -> None:
    made = rendered(*(record(**each) for each in fields))
    assert headline_of(made) == headline


def with_plies(*keys: list[str], only_moves: bool) -> dict[str, object]:
    """Plies of a line that begins with h6f7."""
    plies = [
        {"move": "h6f7", "mate": 1, "keys": moves, "only": moves == ["h6f7"]}
        for moves in keys
    ]
    line = ["h6f7", "f8f7", "h6f7"]
    return {"only_moves": only_moves, "plies": plies, "claimed_line": line}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, []),
        ({"wrong_keys": []}, []),
        (with_plies(["h6f7"], ["h6f7"], only_moves=True), []),
        ({"verdict": "shorter"}, ["shorter"]),
        ({"soundness": "cooked"}, ["cooked"]),
        ({"wrong_keys": ["h6f7"]}, ["keys"]),
        (with_plies(["h6f7"], ["h6f7", "c4g8"], only_moves=False), ["dual"]),
        ({"claim": 1, "claimed_line": ["c4g8", "f8g8", "h6f7"]}, ["line"]),
    ],
)
def test_a_result_that_contradicts_its_claim_disagrees(
    fields: Mapping[str, object], words: list[str]
) -> None:
    """As in every other form of an audit: tests/cli/test_one_disagreement.py."""
    listed = only_record(record(**fields))

    assert listed.get("disagreements", []) == words
    assert listed["row"][2] is not bool(words)


@pytest.mark.parametrize(
    "fields",
    [
        {"verdict": "undecided"},
        {"verdict": None, "status": "undecided"},
        {"verdict": "proved", "stopped_by": "time"},
        UNREADABLE,
    ],
)
def test_undecided_and_unreadable_records_neither_agree_nor_disagree(
    fields: Mapping[str, object],
) -> None:
    listed = only_record(record(**fields))

    assert "disagreements" not in listed
    assert listed["row"][2] is False


@pytest.mark.parametrize(("claim", "found"), [(7, "no #7"), (-7, "no #-7")])
def test_the_side_that_does_not_mate_is_that_of_the_claim(
    claim: int, found: str
) -> None:
    answer = {"status": "disproved", "verdict": "refuted", "mate": None}
    listed = only_record(record(claim=claim, lower_bound=8, keys=[], pv=[], **answer))
    assert listed["row"][:2] == [f"#{claim}", found]


def test_moves_are_named_in_san() -> None:
    listed = only_record(
        record(
            fen=SMOTHERED_BY_BLACK,
            pv=["c5g1", "f1g1", "h3f2"],
            claimed_line=["c5f2", "f1f2", "a1a1"],
            claimed_keys=["c5f2", "c5c6"],
            wrong_keys=["c5f2"],
            keys=[],
        )
    )

    assert listed["san"] == {
        "pv": ["Qg1+", "Rxg1", "Nf2#"],
        "claimed_line": ["Qf2", "Rxf2", "a1a1"],
        "claimed_keys": ["Qf2", "Qc6"],
        "wrong_keys": ["Qf2"],
    }


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ({}, "verdict or status: expected one of proved, holds, found, "),
        (record(schema=2), "schema: expected 1, found '2'"),
        (record(verdict="fine"), "found 'fine'"),
        (record(claim="2"), "claim: expected a whole number, found \"'2'\""),
        (record(claim=True), "claim: expected a whole number, found 'True'"),
        (record(id=3), "id: expected a text, found '3'"),
        (record(fen=None), "fen: expected a position, found none"),
        (record(fen="8/8"), "board: expected 8 ranks"),
        (record(pv=[1]), "pv: expected a list of texts, found '[1]'"),
        (record(keys=["e4"]), "keys: expected a list of objects"),
        (record(time_s=float("nan")), "time_s: expected a"),
        (record(time_s=10**400), "time_s: expected a finite number of seconds, found"),
        (record(nodes=10**4299), "nodes: expected at most 63 bits, found 14281"),
        (record(time_s=-1), "time_s: expected a finite number of seconds, found '-1'"),
        ({**UNREADABLE, "pv": ["e2e4"]}, "fen: expected a position, found none"),
    ],
)
def test_a_damaged_record_is_listed_as_unreadable_and_the_others_are_kept(
    damaged: Mapping[str, object], reason: str
) -> None:
    before, listed, after = records_of(rendered(record(), damaged, record()))

    assert (listed["verdict"], listed["id"]) == ("unreadable", "record 2")
    assert reason in listed["error"]
    assert before == after


def test_records_beyond_the_longest_list_are_still_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page, "MAX_ROWS", 3)
    verdicts = ["proved", "shorter"] * 5
    left_out: list[str] = []

    made = render_page(
        (record(id=str(n), verdict=v) for n, v in enumerate(verdicts)),
        title="x",
        most_agreeing=2,
        on_left_out=left_out.append,
    )

    assert [listed["id"] for listed in records_of(made)] == ["0", "1", "2", "3", "5"]
    assert headline_of(made) == "5 of 10 records agree"
    assert left_out == ["5 records are listed; 5 more records are counted, not listed."]
    assert "5 more records are counted, not listed." in made.decode()


def test_a_collection_that_was_not_solved_is_listed() -> None:
    problem = Problem(SMOTHERED, "a", Claim(2, ("c4g8",)), "x.epd:1")
    unreadable = FormatError("x.epd:2", "expected a FEN")

    made = render_page([problem, problem], title="x")
    first, other = records_of(render_page([problem, unreadable], title="x"))

    assert headline_of(made) == "2 records, not solved yet"
    assert (first["status"], first["verdict"], first["mate"]) == (None, None, None)
    assert first["row"] == ["#2", "", False, []]
    assert first["san"]["claimed_keys"] == ["Qg8+"]
    assert other["error"] == "expected a FEN"


def test_the_first_rows_and_their_diagrams_need_no_script() -> None:
    agreeing = [record(id=f"fine {number}") for number in range(60)]
    made = rendered(*agreeing, record(id="wrong", soundness="cooked"), UNREADABLE)

    table = made.decode().partition('id="list"')[2].partition("</table>")[0]

    assert table.count("<tr>") == 51
    assert table.count('class="diagram"') == 49
    assert table.index("wrong") < table.index("x.epd:7") < table.index("fine 0")
    assert "fine 48" not in table


def test_nothing_in_a_collection_becomes_markup() -> None:
    given = record(id=HOSTILE, source=HOSTILE, verdict="shorter", solver=HOSTILE)

    made = render_page([given, {**UNREADABLE, "error": HOSTILE}], title=HOSTILE)

    shown = Page(made)
    assert not shown.attributes("img")
    assert unescape(made.decode()).count("<b>bold</b>") >= 4
    listed, failed = records_of(made)
    assert (listed["id"], failed["error"]) == (HOSTILE, HOSTILE)


def test_undecodable_bytes_in_a_title_are_replaced() -> None:
    made = render_page([], title="caf\udce9").decode()
    assert "<title>caf\ufffd</title>" in made


def test_names_are_isolated_and_show_no_control_characters() -> None:
    name, shown = "a\u202eb\x1b[2J\u05d0\u2066\0", "a\ufffdb\ufffd[2J\u05d0\ufffd\ufffd"
    given = [
        record(id=name, source=f"{name}:1", verdict="shorter"),
        {**UNREADABLE, "id": name, "error": name},
    ]

    made = render_page(given, title=name)

    page = made.decode()
    assert f"<title>{shown}</title>" in page
    assert page.count(f"<bdi>{shown}</bdi>") == 2  # a cell with an error is isolated
    assert not {*"\u202e\u2066\x1b\0"} & {*page}
    listed, failed = records_of(made)
    assert listed["id"] == failed["error"] == name  # as an editor exports it
    assert listed["shown"] == {"id": shown, "source": f"{shown}:1"}
    assert failed["shown"] == {"id": shown, "error": shown}


def test_a_page_loads_nothing_and_runs_only_its_own_script() -> None:
    require_own_style_and_script(rendered(record()))


def test_a_result_without_a_time_has_none_in_the_table() -> None:
    (row,) = tally(record(time_s=None)).claims
    assert row.time == ""
    assert isinstance(read_record(record()), AuditResult)
