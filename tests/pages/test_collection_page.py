"""The page of a collection: what it counts and lists, and what it refuses."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit.results import audit_result
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
    made = rendered(*records)
    require_own_style_and_script(made)
    assert made == rendered(*records)
    listed = records_of(made)
    assert listed == records_of(render_page(results, title="An audit"))
    for given, shown in zip(records, listed, strict=True):
        assert shown.items() >= given.items()
        added = {"row", "san", "shown"} | ({"fault"} if given["fen"] is None else set())
        assert shown.keys() - given.keys() == added
    assert listed[0]["row"] == ["#2", "#2", True, ["sound"]]


def test_records_are_counted_by_claim_and_verdict_in_the_claims_order() -> None:
    counted = tally(
        UNREADABLE,
        record(claim=None, nomate=4, verdict="refuted"),
        record(claim=-2, verdict="undecided"),
        record(claim=10, time_s=None),
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
    assert list(counted.claims[0].bars) == [("proved", 0, 50), ("shorter", 50, 50)]
    assert counted.claims[1].time == ""


def test_a_share_is_0_or_100_per_cent_only_if_it_is_exact() -> None:
    shares = [(0, 5), (5, 5), (1, 3), (1, 9999), (9998, 9999), (0, 0)]
    shown = ["0%", "100%", "33.3%", "0.1%", "99.9%", "0%"]
    assert [per_cent(*share) for share in shares] == shown


def test_the_headline_names_soundness() -> None:
    cooked, sound = {"soundness": "cooked"}, {"soundness": "sound"}
    for fields, headline in (
        ([], "There are no records."),
        ([{}], "1 record; claims: all proved"),
        ([sound, sound], "2 records: 2 sound; claims: all proved"),
        ([cooked, sound, sound], "2 of 3 records agree"),
        ([{}, {"verdict": "refuted"}], "1 of 2 records agrees"),
    ):
        made = rendered(*(record(**each) for each in fields))
        assert headline_of(made) == headline


def test_moves_are_named_in_san() -> None:
    line, keys = ["c5f2", "f1f2", "a1a1"], ["c5f2", "c5c6"]
    claimed = {"claimed_line": line, "claimed_keys": keys, "wrong_keys": ["c5f2"]}
    pv = ["c5g1", "f1g1", "h3f2"]
    listed = only_record(record(fen=SMOTHERED_BY_BLACK, pv=pv, keys=[], **claimed))
    assert listed["san"] == {
        "pv": ["Qg1+", "Rxg1", "Nf2#"],
        "claimed_line": ["Qf2", "Rxf2", "a1a1"],
        "claimed_keys": ["Qf2", "Qc6"],
        "wrong_keys": ["Qf2"],
    }


DAMAGED: list[tuple[Mapping[str, object], str]] = [
    ({}, "verdict or status: expected one of proved, holds, found, "),
    (record(schema=2), "schema: expected 1, found '2'"),
    (record(verdict="fine"), "found 'fine'"),
    (record(claim=True), "claim: expected a whole number, found 'True'"),
    (record(id=3), "id: expected a text, found '3'"),
    (record(fen=None), "fen: expected a position, found none"),
    (record(pv=[1]), "pv: expected a list of texts, found '[1]'"),
    (record(keys=["e4"]), "keys: expected a list of objects"),
    (record(time_s=float("nan")), "time_s: expected a"),
    (record(nodes=10**4299), "nodes: expected at most 63 bits, found 14281"),
    (record(time_s=-1), "time_s: expected a finite number of seconds, found '-1'"),
    ({**UNREADABLE, "pv": ["e2e4"]}, "fen: expected a position, found none"),
]


@pytest.mark.parametrize(("damaged", "reason"), DAMAGED)
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


def test_nothing_in_a_collection_becomes_markup() -> None:
    given = record(id=HOSTILE, source=HOSTILE, verdict="shorter", solver=HOSTILE)
    made = render_page([given, {**UNREADABLE, "error": HOSTILE}], title=HOSTILE)
    assert not Page(made).attributes("img")
    assert unescape(made.decode()).count("<b>bold</b>") >= 4
    listed, failed = records_of(made)
    assert (listed["id"], failed["error"]) == (HOSTILE, HOSTILE)


def test_names_are_isolated_and_show_no_control_characters() -> None:
    name = "a\u202eb\x1b[2J\u05d0\u2066\0"
    shown = "a\ufffdb\ufffd[2J\u05d0\ufffd\ufffd"
    given = record(id=name, source=f"{name}:1", verdict="shorter")
    unreadable = {**UNREADABLE, "id": name, "error": name}
    made = render_page([given, unreadable], title=f"{name}caf\udce9")
    text = made.decode()
    assert f"<title>{shown}caf\ufffd</title>" in text
    assert text.count(f"<bdi>{shown}</bdi>") == 2  # a cell with an error is isolated
    assert not {*"\u202e\u2066\x1b\0"} & {*text}
    listed, failed = records_of(made)
    assert listed["id"] == failed["error"] == name  # as an editor exports it
    assert listed["shown"] == {"id": shown, "source": f"{shown}:1"}
    assert failed["shown"] == {"id": shown, "error": shown}
