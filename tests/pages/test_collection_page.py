"""The page of an audit: what it counts and lists, and what it refuses."""

from __future__ import annotations

import base64
import hashlib
import random
import re
import statistics
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit.result import audit_result
from solver.errors import FormatError
from solver.output.audit_records import audit_record
from solver.pages import collection_page as page
from solver.pages.collection_page import render_page, write_page
from tests.output.answers import SMOTHERED as SMOTHERED_ANSWER
from tests.pages.records import (
    HOSTILE,
    SMOTHERED_BY_BLACK,
    UNREADABLE,
    data_of,
    entries_of,
    record,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def rendered(*records: Mapping[str, object]) -> bytes:
    return render_page(records, title="An audit")


def only_entry(given: Mapping[str, object]) -> dict[str, Any]:
    (entry,) = entries_of(rendered(given))
    return entry


def test_the_page_reads_the_records_of_an_audit() -> None:
    unreadable = FormatError("x.epd:2", "expected a FEN")
    results = [audit_result(SMOTHERED_ANSWER), audit_result(unreadable)]

    made, failed = entries_of(rendered(*map(audit_record, results)))

    assert (made["word"], made["claim"], made["keys"]) == ("proved", "#2", "Qg8+")
    assert (failed["word"], failed["error"]) == ("unreadable", "expected a FEN")


def test_records_are_counted_by_claim_and_verdict_in_the_claims_order() -> None:
    page = rendered(
        UNREADABLE,
        record(claim=None, nomate=4, verdict="refuted"),
        record(claim=-2, verdict="undecided"),
        record(claim=10),
        record(claim=2),
        record(claim=2, verdict="shorter", nodes=7, time_s=1.0),
        record(claim=None, verdict=None, status="found"),
    )

    claims = data_of(page)["claims"]

    assert [(claim["name"], claim["words"]) for claim in claims] == [
        ("#2", {"proved": 1, "shorter": 1}),
        ("#10", {"proved": 1}),
        ("#-2", {"undecided": 1}),
        ("no #4", {"refuted": 1}),
        ("none", {"unreadable": 1, "found": 1}),
    ]
    assert (claims[0]["nodes"], claims[0]["time_s"]) == (107, 1.002)
    assert data_of(page)["solvers"] == ["1.2.3"]
    assert data_of(page)["agreeing"] == 3
    assert data_of(page)["disagreements"] == 2


def test_times_are_counted_in_tenths_of_a_decade() -> None:
    times = (0, 0.000001, 0.001, 0.00125, 0.00126, 1, 12)
    page = rendered(*(record(time_s=time) for time in times), record(time_s=None))

    (claim,) = data_of(page)["claims"]

    assert claim["times"] == [[-60, 2], [-30, 2], [-29, 1], [0, 1], [10, 1]]


@pytest.mark.parametrize("number", [1, 2, 999, 1000])
def test_the_median_of_skewed_times_is_exact(number: int) -> None:
    dice = random.Random(number)
    times = [round(dice.lognormvariate(-6, 3), 6) for _ in range(number)]
    page = rendered(*(record(time_s=time) for time in times), record(time_s=None))

    (row,) = data_of(page)["rows"]

    assert row == {"name": "#2", "claims": [0], "median_s": statistics.median(times)}


def test_few_claims_have_a_row_each_and_no_median_without_times() -> None:
    page = rendered(record(claim=17, time_s=None), record(claim=18, time_s=0))

    assert data_of(page)["rows"] == [
        {"name": "#17", "claims": [0], "median_s": None},
        {"name": "#18", "claims": [1], "median_s": 0},
    ]


def test_the_long_ones_of_many_claims_share_rows_and_medians() -> None:
    claims = [*range(1, 11), 11, 15, 16, 100, 101, 500, -11, -15]
    times = {claim: abs(claim) ** 2 / 1000 for claim in claims}
    given = [record(claim=claim, time_s=times[claim]) for claim in claims]
    page = rendered(*given, record(claim=None, nomate=12, time_s=9))

    rows = data_of(page)["rows"]

    assert {row["name"]: row["median_s"] for row in rows[9:]} == {
        "#10": times[10],
        "#11 to 15": (times[11] + times[15]) / 2,
        "#16 to 20": times[16],
        "#51 to 100": times[100],
        "over #100": (times[101] + times[500]) / 2,
        "#-11 to -15": (times[11] + times[15]) / 2,
        "no #11 to 15": 9,
    }
    assert [row["claims"] for row in rows[8:11]] == [[8], [9], [10, 11]]


def test_soundness_is_counted_the_most_frequent_first() -> None:
    words = ("cooked", "sound", "sound", None)

    page = rendered(*(record(soundness=word) for word in words))

    assert list(data_of(page)["soundness"].items()) == [("sound", 2), ("cooked", 1)]


def with_plies(*keys: list[str], only_moves: bool) -> dict[str, object]:
    """Plies as an earlier version recorded them, of a line that begins with h6f7."""
    plies = [{"move": "h6f7", "mate": 1, "keys": moves} for moves in keys]
    return {"only_moves": only_moves, "plies": plies}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, []),
        ({"verdict": "holds"}, []),
        ({"verdict": None, "status": "found"}, []),
        ({"verdict": None, "status": "disproved", "mate": None}, []),
        ({"soundness": "sound"}, []),
        ({"wrong_keys": []}, []),
        (with_plies(["h6f7"], ["h6f7"], only_moves=True), []),
        (with_plies(["h6f7"], ["h6f7", "c4g8"], only_moves=True), []),
        ({"verdict": "shorter"}, ["shorter"]),
        ({"verdict": "refuted"}, ["refuted"]),
        ({"soundness": "cooked"}, ["cooked"]),
        ({"wrong_keys": ["h6f7"]}, ["keys"]),
        (with_plies(["h6f7"], ["h6f7", "c4g8"], only_moves=False), ["dual"]),
    ],
)
def test_a_result_that_contradicts_its_claim_disagrees(
    fields: Mapping[str, object], words: list[str]
) -> None:
    page = rendered(record(**fields))

    (entry,) = entries_of(page)
    assert data_of(page)["disagreements"] == int(bool(words))
    assert data_of(page)["agreeing"] == entry["agrees"] == int(not words)
    assert entry.get("disagreements", []) == words


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
    page = rendered(record(**fields))

    assert data_of(page)["agreeing"] == data_of(page)["disagreements"] == 0
    assert entries_of(page)[0]["agrees"] == 0


def test_lines_and_keys_are_written_in_san() -> None:
    entry = only_entry(
        record(
            fen=SMOTHERED_BY_BLACK,
            pv=["c5g1", "f1g1", "h3f2"],
            claimed_line=["c5f2", "f1f2", "h3f2"],
            claimed_keys=["c5f2", "c5c6"],
            wrong_keys=["c5f2"],
        )
    )

    assert entry["foundLine"] == "1... Qg1+ 2. Rxg1 Nf2#"
    assert entry["claimedLine"] == "1... Qf2 2. Rxf2 Nxf2+"
    assert (entry["claimedKeys"], entry["wrongKeys"]) == ("Qf2 Qc6", "Qf2")
    assert (entry["foundMove"], entry["claimedMove"]) == ("c5g1", "c5f2")


@pytest.mark.parametrize(
    ("reply", "duals"),
    [
        ("f8g8", ["move 1: Qc7 (faster: Qg8+)", "move 2: Qe5 (also: Qb7 Nf7#)"]),
        ("h8g8", ["move 1: Qc7 (faster: Qg8+)"]),  # illegal: nothing comes after it
    ],
)
def test_moves_that_are_not_the_only_ones_are_listed_with_their_number(
    reply: str, duals: list[str]
) -> None:
    entry = only_entry(
        record(
            claimed_line=["c4c7", reply, "c7e5"],
            only_moves=False,
            plies=[
                {"move": "c4c7", "mate": 3, "keys": ["c4g8"]},
                {"move": "c7e5", "mate": 2, "keys": ["c7e5", "c7b7", "h6f7"]},
            ],
        )
    )

    assert entry["duals"] == duals


def test_a_line_is_shown_as_given_from_an_illegal_move_on() -> None:
    entry = only_entry(record(claimed_line=["c4g8", "a1a1", "x"], claimed_keys=["a1"]))

    assert entry["claimedLine"] == "1. Qg8+ a1a1 x (illegal)"
    assert entry["claimedKeys"] == "a1"


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        ({}, "verdict or status: expected one of proved, holds, found, "),
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
        (record(time_s=-1), "time_s: expected a number of seconds, found '-1'"),
        ({**UNREADABLE, "pv": ["e2e4"]}, "fen: expected a position, found none"),
    ],
)
def test_a_damaged_record_is_listed_as_unreadable_and_the_others_are_kept(
    damaged: Mapping[str, object], reason: str
) -> None:
    before, entry, after = entries_of(rendered(record(), damaged, record()))

    assert (entry["word"], entry["id"]) == ("unreadable", "record 2")
    assert reason in entry["error"]
    assert before == after


def test_records_beyond_the_longest_list_are_still_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page, "MAX_DISAGREEMENTS", 3)
    monkeypatch.setattr(page, "MAX_AGREEING", 2)
    verdicts = ["proved", "shorter"] * 5

    made = rendered(*(record(id=str(n), verdict=v) for n, v in enumerate(verdicts)))

    assert [entry["id"] for entry in entries_of(made)] == ["0", "1", "2", "3", "5"]
    assert data_of(made)["disagreements"] == 5
    assert data_of(made)["claims"][0]["words"] == {"proved": 5, "shorter": 5}


def test_nothing_in_a_collection_becomes_markup() -> None:
    given = record(id=HOSTILE, source=HOSTILE, verdict="shorter", soundness=HOSTILE)

    made = render_page([given, {**UNREADABLE, "error": HOSTILE}], title=HOSTILE)

    assert b"<b>" not in made
    assert b"<img" not in made
    assert entries_of(made)[0]["id"] == HOSTILE
    assert entries_of(made)[1]["error"] == HOSTILE


def test_undecodable_bytes_in_a_title_are_replaced() -> None:
    assert b"<title>caf?</title>" in render_page([], title="caf\udce9")


def test_the_policy_allows_only_the_pages_own_style_and_script() -> None:
    text = rendered(record()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    script = re.search(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert policy
    assert style
    assert script

    hashes = [
        base64.b64encode(hashlib.sha256(part[1].encode()).digest()).decode()
        for part in (style, script)
    ]

    assert policy[1].split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{hashes[0]}'",
        f"script-src 'sha256-{hashes[1]}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_the_page_refers_to_no_other_file() -> None:
    text = rendered(record()).decode()

    assert not re.search(r"<[^>]* (?:src|style|on\w+)=", text)
    assert not re.search(r"@import|url\(|\bimport\b|\bfetch\(", text)
    addresses = set(re.findall(r"https?://[^/\s\"]+", text))
    assert addresses == {"http://www.w3.org", "https://lichess.org"}


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("what was there")

    def breaking() -> Iterator[Mapping[str, object]]:
        yield record()
        msg = "the disk is gone"
        raise OSError(msg)

    with pytest.raises(OSError, match="the disk is gone"):
        write_page(breaking(), path, title="An audit")
    assert path.read_text() == "what was there"

    write_page([record()], path, title="An audit")
    assert path.read_bytes() == rendered(record())
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_audit_has_a_page() -> None:
    assert data_of(rendered())["claims"] == []
