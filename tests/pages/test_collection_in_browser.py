"""The page of a collection in Chromium: what its scripts make of the records."""

from __future__ import annotations

import json
import re
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from solver.audit.results import audit_result
from solver.cli.verify import Marks
from solver.output import audit_records
from solver.output.audit_records import audit_record, read_record
from solver.pages.collection_page import render_page
from solver.problem import Claim, Problem, Stipulation
from solver.solution import Solution, Status
from solver.stipulations import Verdict
from tests.pages.live import Live, Opener
from tests.pages.records import (
    HOSTILE,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
    UNREADABLE,
    data_of,
    record,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    from solver.pages.collection_page import Record

MIXED = [
    record(id="fine", soundness="sound"),
    record(id=HOSTILE, verdict="shorter", claim=3, nodes=5, soundness="short-solution"),
    record(
        id="black",
        fen=SMOTHERED_BY_BLACK,
        keys=[{"uci": "c5g1", "san": "Qg1+"}],
        pv=["c5g1", "f1g1", "h3f2"],
        verdict="refuted",
        claim=-2,
        nodes=9,
        wrong_keys=["c5f2"],
    ),
    UNREADABLE,
    record(id="cooked", soundness="cooked", nodes=7, source="two.epd:4", mark="cook"),
]

REFUSED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("refused", "SecurityError"); } })"""


WITHOUT_WASM = "delete globalThis.WebAssembly"
SELFMATE = "8/8/Q7/8/8/1q6/2Q5/K5kr w - - 0 1"
SELFMATE_IN_2, HELP = map(Stipulation.parse, ("s#2", "h#2"))
CLAIM = Claim(2, ("c4g8",), ("c4g8", "f8g8", "h6f7"))


@pytest.fixture(scope="session")
def modules(kernel: object) -> dict[str, bytes]:  # noqa: ARG001
    """What `matesolve board FILE` puts into the page."""
    from solver.kernel.border.parts import SEARCH
    from solver.kernel.build.loader import load_module

    return {SEARCH.name: load_module(SEARCH).code}


class Look(Protocol):
    def __call__(
        self,
        records: Sequence[Record],
        modules: dict[str, bytes] | None = None,
        changes: Mapping[str, str] = ...,
        **options: Any,
    ) -> Page: ...


@pytest.fixture
def look(chromium: Browser, tmp_path: Path) -> Iterator[Look]:
    """Opens the page of records; it must report nothing to the console."""
    openers: list[Opener] = []

    def open_page(
        records: Sequence[Record],
        modules: dict[str, bytes] | None = None,
        changes: Mapping[str, str] = MappingProxyType({}),
        **options: Any,
    ) -> Page:
        made = render_page(
            records,
            title=f"Audit of {HOSTILE}",
            modules=modules,
            changes=changes,
        )
        openers.append(Opener(chromium, made, tmp_path))
        live = openers[-1].open(**options)
        if options.get("java_script_enabled", True):
            until(live.page, "document.querySelector('#list tr[data-place]')")
        return live.page

    yield open_page
    for opener in openers:
        opener.close()
        assert opener.messages == []


def until(page: Page, condition: str) -> None:
    Live(page).until(f"Boolean({condition})")


def names(page: Page) -> list[str]:
    """The records of the visible rows."""
    return page.locator("#list tbody .record b").all_text_contents()


def row(page: Page) -> list[str]:
    """The open record's row, without its time and mark."""
    return page.locator("#list [aria-current] td").all_text_contents()[:5]


def opened(page: Page) -> str:
    """The record on the board."""
    return page.inner_text("#record-title")


def marks(page: Page, export: str) -> str:
    """What is downloaded."""
    with page.expect_download() as download:
        page.click(f"[data-export={export}]")
    return download.value.path().read_text(encoding="utf-8")


def test_names_from_a_file_are_text(look: Look) -> None:
    page = look(MIXED)

    assert names(page) == [HOSTILE, "black", "x.epd:7", "cooked"]
    assert opened(page) == HOSTILE
    assert page.title() == f"Audit of {HOSTILE}"
    assert page.locator("main img").count() == 0


def test_the_address_filters_and_sorts(look: Look) -> None:
    page = look(MIXED)
    shown = "[...document.querySelectorAll('#list b')].map((each) => each.textContent)"
    for fragment, listed in (
        ("verdict=refuted", ["black"]),
        ("soundness=cooked&claim=%232", ["cooked"]),
        ("all=1&soundness=sound", ["fine"]),
        ("all=1&sort=-nodes&q=5R1K+b", ["black"]),
        ("all=1&sort=-claim&claim=%232", ["fine", "cooked"]),
        ("q=TWO.epd&verdict=nonsense", ["cooked"]),
        ("sort=nodes", [HOSTILE, "cooked", "black", "x.epd:7"]),
        ("mark=cook", ["cooked"]),
        ("mark=unmarked&q=black", ["black"]),
        ("all=1", ["fine", HOSTILE, "black", "x.epd:7", "cooked"]),
    ):
        page.evaluate(f"location.hash = '{fragment}'")
        until(page, f"{shown}.join() === {json.dumps(','.join(listed))}")


def test_a_total_opens_its_records_and_a_click_on_a_column_sorts(look: Look) -> None:
    page = look(MIXED)

    page.click("#soundness-totals .cooked a")
    until(page, "document.querySelectorAll('#list b').length === 1")
    assert names(page) == ["cooked"]
    assert "soundness=cooked" in page.url

    page.click("#filters button[type=reset]")
    until(page, "document.querySelectorAll('#list b').length === 4")
    page.click("[data-sort=nodes]")
    assert names(page)[0] == HOSTILE
    page.click("[data-sort=nodes]")
    assert names(page)[:2] == ["x.epd:7", "black"]
    assert page.get_attribute("th:has([data-sort=nodes])", "aria-sort") == "descending"
    page.fill("[name=q]", "nothing has this")
    assert page.inner_text("#shown").endswith("none matches the filters.")


def test_all_records_are_listed_if_all_agree(look: Look) -> None:
    page = look([record(id="a"), record(id="b")])
    assert names(page) == ["a", "b"]


def test_keys_step_through_the_records_and_mark_them(look: Look) -> None:
    page = look(MIXED)

    page.keyboard.press("j")
    assert opened(page) == "black"
    page.keyboard.press("x")
    page.keyboard.press("j")
    assert "expected a FEN" in page.inner_text("#record-said")
    page.keyboard.press("k")
    assert page.get_attribute("[data-mark=reject]", "aria-pressed") == "true"
    page.click("[data-mark=reject] kbd")
    assert page.get_attribute("[data-mark=reject]", "aria-pressed") == "false"
    page.click("#list tr:has-text('cooked')")
    assert opened(page) == "cooked"
    page.focus("[name=q]")
    page.keyboard.type("jack")
    assert page.input_value("[name=q]") == "jack"


def test_marks_outlive_the_page_and_are_read_by_verify(
    look: Look, tmp_path: Path
) -> None:
    named = record(id='of, "two"\nlines', claim=3, verdict="shorter")
    page = look([named, *MIXED])
    page.keyboard.press("a")
    page.fill("#mark-note", "by the author")
    page.press("#mark-note", "Enter")
    page.reload()
    until(page, "document.querySelector('#list tr[data-place]')")
    assert page.inner_text("#marked") == "2 of 5 marked"

    for export in ("jsonl", "csv"):
        path = tmp_path / export
        path.write_text(marks(page, export), encoding="utf-8")
        read = Marks(str(path))
        for other in MIXED[:4]:
            read.put_on(read_record(other))
        accepted = read.put_on(read_record(named))
        assert (accepted.mark, accepted.note) == ("accept", "by the author")
        assert read.put_on(read_record(MIXED[4])).mark == "cook"
        assert read.unused == 0
    page.click("#list tr:has-text('cooked')")
    page.keyboard.press("c")  # taken back
    assert page.inner_text("#marked") == "1 of 5 marked"
    first, *_, last = marks(page, "jsonl").splitlines()
    assert json.loads(last)["mark"] == ""
    assert json.loads(first) == {
        "schema": 1,
        "fen": named["fen"],
        "stipulation": None,
        "claim": 3,
        "nomate": None,
        "id": named["id"],
        "source": "",
        "mark": "accept",
        "note": "by the author",
    }


def asks_before_it_closes(page: Page) -> bool:
    """Whether the page would lose something."""
    script = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    return not page.evaluate(script)


def test_the_fault_is_said_first_and_in_the_row(look: Look) -> None:
    keys = [{"uci": uci, "san": san} for uci, san in (("c4g8", "Qg8+"), ("h6f7", "N"))]
    cooked = record(soundness="cooked", keys=keys, claimed_keys=["c4g8"])
    page = look([cooked, UNREADABLE, record(id="fine", soundness="sound")])

    assert page.inner_text("#record-said") == "a second key, Nf7+, also solves"
    assert row(page)[3] == "a second key, Nf7+, also solves"
    page.keyboard.press("j")
    assert page.inner_text("#record-said") == row(page)[3] == UNREADABLE["error"]
    page.check("#agreeing input")
    page.click("#list tr:has-text('fine')")
    assert page.inner_text("#record-said") == ""
    assert row(page)[3] == "proved, sound"


def test_a_key_opens_the_next_failure_without_a_mark(look: Look) -> None:
    page = look([*MIXED, record(id="undecided", verdict="undecided")])
    page.click("#list tr:has-text('black')")

    page.keyboard.press("u")
    assert page.inner_text("#record-said") == UNREADABLE["error"]
    page.keyboard.press("a")
    assert page.inner_text("#marked") == "2 of 4 marked"
    for name in (HOSTILE, "black"):  # not what is marked, nor what is undecided
        page.keyboard.press("u")
        assert opened(page) == name
        page.keyboard.press("x")
    assert page.inner_text("#marked") == "4 of 4 marked"
    page.keyboard.press("u")
    assert opened(page) == "black"


def test_headings_are_above_their_cells(look: Look) -> None:
    page = look(MIXED)
    lefts = """(cells) => [...document.querySelectorAll(cells)].map((each) => [
      each.className.split(" ")[0], Math.round(each.getBoundingClientRect().left)])"""

    for width in (390, 700, 900, 1280, 1700):
        page.set_viewport_size({"width": width, "height": 844})
        headings = page.evaluate(lefts, "#list th")
        assert len(headings) == 7
        for place in range(4):
            row = f"#list tr[data-place='{place}'] td"
            assert page.evaluate(lefts, row) == headings, width


def test_duplicates_have_their_sentence_and_a_filter(look: Look) -> None:
    given = [
        record(id="a", source="x:1"),
        record(id="b", source="x:2", fen="k7/8/K7/8/8/8/8/R7 w - -", pv=[]),
        record(id="c", source="x:3", claim=3),
    ]
    page = look(given, changes={"x:3": "changed mate 3 -> 2"})
    page.check("#duplicates input")

    assert names(page) == ["a", "c"]
    assert "duplicate=1" in page.url
    assert page.inner_text("#repeats") == "repeated by x:3"
    said = "repeats x:1: the same position, with another claim"
    page.click("#list tr[data-place='1']")
    assert page.inner_text("#repeats") == said
    assert row(page)[3] == "changed mate 3 -> 2; proved; duplicate"
    assert not look(given[:2]).is_visible("#duplicates")


def test_the_text_of_an_unreadable_record_is_shown_and_searched(
    look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "8/8 w - - dm 2; <b>"
    with_text = lambda result: audit_record(result) | {"text": f"{text}\u202e"}  # noqa: E731
    monkeypatch.setattr(audit_records, "audit_record", with_text)
    page = look([UNREADABLE])

    assert page.inner_text("#record-said code") == row(page)[0].split(" ", 1)[1]
    assert page.inner_text("#record-said code") == f"{text}\ufffd"
    page.fill("[name=q]", "dm 2")
    assert names(page) == ["x.epd:7"]


def test_a_mark_belongs_to_one_record(look: Look) -> None:
    lines = [UNREADABLE | {"id": f"x.epd:{number}"} for number in range(1, 4)]
    page = look([*lines, record(id="a", verdict="shorter"), record(id="b")])

    page.keyboard.press("j")
    page.keyboard.press("x")
    assert page.inner_text("#marked") == "1 of 4 marked"
    marked = [json.loads(line) for line in marks(page, "jsonl").splitlines()]
    assert [(each["id"], each["mark"]) for each in marked] == [("x.epd:2", "reject")]

    page.select_option("[name=mark]", "unmarked")
    assert names(page) == ["x.epd:1", "x.epd:3", "a"]


def test_a_note_belongs_to_a_mark_and_goes_with_it(look: Look) -> None:
    page = look(MIXED)
    assert not page.is_visible("#mark-note")
    page.keyboard.press("c")
    page.fill("#mark-note", 'a "dual", x')
    page.click("[data-step='1']")
    assert not page.is_visible("#mark-note")
    page.keyboard.press("k")
    assert page.input_value("#mark-note") == 'a "dual", x'
    assert '"a ""dual"", x"' in marks(page, "csv")

    page.keyboard.press("x")  # another mark keeps the note
    assert page.input_value("#mark-note") == 'a "dual", x'
    page.keyboard.press("x")
    page.keyboard.press("a")
    assert page.input_value("#mark-note") == ""


def test_the_note_of_an_earlier_audit_is_shown(look: Look) -> None:
    page = look([record(verdict="shorter", mark="cook", note="see No. 7")])
    assert page.input_value("#mark-note") == "see No. 7"


def test_without_storage_marks_last_as_long_as_the_page(look: Look) -> None:
    page = look(MIXED, before=REFUSED)
    assert not asks_before_it_closes(page)
    page.keyboard.press("c")
    assert page.get_attribute("[data-mark=cook]", "aria-pressed") == "true"
    assert "stores nothing" in page.inner_text("#note")
    assert asks_before_it_closes(page)
    marks(page, "csv")
    assert not asks_before_it_closes(page)


def test_the_claimed_line_is_beside_the_keys_and_its_duals_are_named(
    look: Look,
) -> None:
    plies = [
        {"move": "c4c7", "mate": 3, "keys": ["c4g8"], "only": False},
        {"move": "c7e5", "mate": 2, "keys": ["c7e5", "h6f7"], "only": False},
    ]
    line = ["c4c7", "f8g8", "c7e5"]
    page = look([record(claimed_line=line, only_moves=False, plies=plies)])

    assert "1.Qc7" in page.inner_text("#answer-claim")
    assert page.locator("#record-said p").all_inner_texts()[1:] == [
        "Other moves: move 1: Qc7 (faster Qg8+); move 2: Qe5 (also Nf7#)"
    ]
    page.click("#answer-claim .move >> nth=1")
    assert page.get_attribute("[data-square=g8]", "aria-label") == "g8, black rook"


def test_an_unreadable_record_says_why_in_place_of_a_board(look: Look) -> None:
    page = look([UNREADABLE, *MIXED])

    assert page.is_visible("#record-said")
    assert page.inner_text("#record-said") == UNREADABLE["error"]
    assert not page.is_visible("#board")
    assert not page.is_visible("#answer")

    page.mouse.move(300, 300)  # the hidden board has no size, and must not mind
    page.keyboard.press("j")
    assert page.is_visible("#board")


def test_a_verdict_that_is_a_disagreement_too_is_said_once(look: Look) -> None:
    refuted = ["refuted", "no-solution"]
    page = look([record(verdict="refuted", soundness="no-solution")])

    said = page.inner_text("#answer-claim p >> nth=0")
    assert said.endswith("; " + ", ".join(refuted))


def test_a_claim_of_another_stipulation_is_named_by_it(look: Look) -> None:
    page = look([record(stipulation="s#2", verdict="shorter")])

    assert page.inner_text("#answer-claim p >> nth=0").startswith("Claimed: s#2; ")


def test_a_disproved_claim_to_be_mated_is_named_as_one(look: Look) -> None:
    answer = {"status": "disproved", "verdict": "refuted", "mate": None}
    page = look([record(claim=-7, lower_bound=8, keys=[], pv=[], **answer)])
    assert (
        page.inner_text("#answer-headline") == "White is not mated in 7 or fewer moves."
    )


def test_a_claim_that_there_is_no_mate_limits_the_search(
    look: Look, modules: dict[str, bytes]
) -> None:
    page = look([Problem(SMOTHERED, no_mate=1)], modules)

    until(page, "document.querySelector('#list .proved')")
    assert page.inner_text("#answer-headline") == "No mate in 1 move."


def test_a_record_that_was_not_solved_is_solved_when_it_is_opened(
    look: Look, modules: dict[str, bytes]
) -> None:
    wrong = Problem(SMOTHERED, "wrong", Claim(1))
    page = look([Problem(SMOTHERED, "a", CLAIM), wrong, UNREADABLE], modules)

    until(page, "document.querySelector('#list .proved')")  # the first, at the start
    assert page.inner_text("#answer-headline") == "White mates in 2."
    assert page.inner_text("#headline") == "3 records, 1 solved here"
    assert row(page) == ["a", "#2", "#2", "proved", "72"]
    assert not asks_before_it_closes(page)  # the next visit finds this answer, too

    page.keyboard.press("j")
    until(page, "document.querySelector('#list .refuted')")
    assert row(page)[1:4] == ["#1", "no #1", "refuted"]
    assert page.inner_text("#headline") == "3 records, 2 solved here"
    totals = page.locator("#verdict-totals li").all_inner_texts()
    assert totals == ["1 proved", "1 refuted", "1 unreadable"]
    assert asks_before_it_closes(page)

    page.keyboard.press("k")  # shows what was found, without another search
    assert page.inner_text("#answer-headline") == "White mates in 2."
    assert page.get_attribute("#answer", "data-state") == "closed"
    assert page.inner_text("#answer-solve") == "Solve here"
    page.click("#verdict-totals .refuted a")
    until(page, "document.querySelectorAll('#list b').length === 1")
    assert names(page) == ["wrong"]


def test_an_answer_to_another_question_leaves_the_row(
    look: Look, modules: dict[str, bytes]
) -> None:
    from solver.kernel.border.parts import BATTLE
    from solver.kernel.build.loader import load_module

    parts = modules | {BATTLE.name: load_module(BATTLE).code}
    page = look([Problem(SMOTHERED, "a", CLAIM)], parts)
    until(page, "document.querySelector('#list .proved')")
    headline = "document.getElementById('answer-headline').textContent"

    for stipulation, said in (("s#2", "selfmate"), ("#1", "in 1")):
        page.fill("#answer-find", stipulation)
        page.press("#answer-find", "Enter")
        until(page, f"{headline}.includes('{said}') && !{headline}.includes('...')")
        assert row(page)[1:4] == ["#2", "#2", "proved"]


def test_a_longer_search_adds_the_true_length_to_a_refuted_claim(
    look: Look, modules: dict[str, bytes]
) -> None:
    page = look([Problem(SMOTHERED, "a", Claim(1))], modules)
    until(page, "document.querySelector('#list .refuted')")
    assert row(page)[1:4] == ["#1", "no #1", "refuted"]

    page.fill("#answer-find", "#5")
    page.press("#answer-find", "Enter")
    until(
        page, "document.querySelector('#list [aria-current]').innerText.includes('#2')"
    )
    assert row(page)[1:4] == ["#1", "#2", "refuted"]


def test_a_record_that_cannot_be_solved_does_not_stop_the_others(
    look: Look, modules: dict[str, bytes]
) -> None:
    selfmate = Problem(SELFMATE, "s", stipulation=Stipulation.parse("s#3"))
    first, last = (Problem(SMOTHERED, name, CLAIM) for name in ("first", "last"))
    page = look([first, selfmate, last], modules)  # without the part of selfmates
    until(page, "document.querySelector('#list .proved')")

    page.click("text=Solve all")
    until(page, "document.getElementById('headline').textContent.includes(' 2 ')")
    assert page.inner_text("#solved").startswith("1 of 2 solved; s: ")


ENDLESS = "8/8/8/3k4/8/8/3BN3/3K4 w - - 0 1"


def test_all_listed_records_are_solved_in_a_worker_of_their_own(
    look: Look, modules: dict[str, bytes]
) -> None:
    problems = [Problem(SMOTHERED, f"n{number}", CLAIM) for number in range(20)]
    page = look([*problems, UNREADABLE], modules)

    page.click("text=Solve all")
    until(page, "document.getElementById('headline').textContent.includes(' 20 ')")

    assert page.inner_text("#headline") == "21 records, 20 solved here"
    assert re.fullmatch(r"(19|20) of \1 solved", page.inner_text("#solved"))
    totals = page.locator("#verdict-totals li").all_inner_texts()
    assert totals == ["20 proved", "1 unreadable"]
    assert page.is_visible("text=Solve all")
    page.keyboard.press("j")
    assert page.inner_text("#answer-headline") == "White mates in 2."


def test_solving_all_can_be_stopped_and_goes_on_with_the_rest(
    look: Look, modules: dict[str, bytes]
) -> None:
    first = [Problem(SMOTHERED, f"n{number}", CLAIM) for number in range(3)]
    last = Problem(SMOTHERED, "last", CLAIM)
    page = look([*first, Problem(ENDLESS, "endless"), last], modules)

    page.click("text=Solve all")
    until(page, "document.getElementById('headline').textContent.includes(' 3 ')")
    page.click("#solving >> text=Stop")
    until(page, "document.querySelector('#solving button').textContent === 'Solve all'")
    assert page.inner_text("#headline") == "5 records, 3 solved here"
    assert re.fullmatch(r"[23] of [45] solved", page.inner_text("#solved"))

    page.fill("[name=q]", "last")  # only what is listed, and the open one
    page.click("text=Solve all")
    until(page, "document.getElementById('headline').textContent.includes(' 4 ')")


def test_a_page_without_the_search_does_not_offer_to_solve_all(look: Look) -> None:
    assert not look([Problem(SMOTHERED, "a", CLAIM)]).is_visible("#solving")


def answers() -> Iterator[Solution]:
    """All small claims with all small answers, of mates and of help play."""
    directs = [Problem(SMOTHERED, claim=Claim(moves)) for moves in (1, 2, 3, -1, -2)]
    directs += [Problem(SMOTHERED, no_mate=moves) for moves in (1, 2)]
    directs += [Problem(SMOTHERED), Problem(SMOTHERED, stipulation=SELFMATE_IN_2)]
    for problem, mate, lower in product(directs, (None, -2, -1, 0, 1, 2, 3), (1, 2, 3)):
        status = Status.UNDECIDED if mate is None else Status.FOUND
        yield Solution(problem, status, mate, lower)
    helps = [
        Problem(SMOTHERED, claim=Claim(2, keys, solutions=count), stipulation=HELP)
        for keys in ((), ("c4g8", "c4c7"))
        for count in (None, 0, 1, 2)
    ]
    for problem, mate, lower in product(helps, (None, 1, 2), (1, 2, 3)):
        for found, are_all in product(range(4 if mate else 1), (True, False)):
            yield Solution(
                problem,
                Status.FOUND,
                mate,
                lower,
                solutions=(("c4g8",),) * found,
                solutions_complete=are_all,
            )


def test_the_page_has_the_verdicts_of_an_audit(look: Look) -> None:
    records = [audit_record(audit_result(answer)) for answer in answers()]
    assert len(records) > 400
    page = look(MIXED)

    judged = page.evaluate("(all) => all.map((each) => verdictOf(each, each))", records)

    expected = [each["verdict"] or each["status"] for each in records]
    assert judged == expected
    # A record does not say that its line alone claims a mate, as unforced needs.
    assert {*expected} == {*Verdict, *Status} & {*expected}
    assert {*expected} >= {*Verdict} - {Verdict.UNREADABLE, Verdict.UNFORCED}


def test_what_a_search_finds_in_a_selfmate_is_named_by_its_stipulation(
    look: Look, modules: dict[str, bytes]
) -> None:
    from solver.kernel.border.parts import BATTLE
    from solver.kernel.build.loader import load_module

    parts = modules | {BATTLE.name: load_module(BATTLE).code}
    selfmate = Problem(SELFMATE, "a", stipulation=Stipulation.parse("s#3"))
    page = look([selfmate], parts)

    until(page, "document.querySelector('#list .shorter')")

    assert row(page)[1:4] == ["s#3", "s#2", "shorter"]


def test_a_sorted_list_begins_with_the_first_row_of_its_order(look: Look) -> None:
    rows = [
        record(id=f"n{nodes}", nodes=nodes, soundness="cooked") for nodes in range(90)
    ]
    page = look(rows)

    for _ in range(2):
        page.click("[data-sort=nodes]")

    assert page.locator("#list tr[data-place]").first.inner_text().startswith("n89")


def test_a_recorded_answer_is_searched_again_with_another_limit(
    look: Look, modules: dict[str, bytes]
) -> None:
    undecided = record(
        id="a", verdict="undecided", status="undecided", mate=None, lower_bound=2,
        keys=[], pv=[], stopped_by="nodes", claim=None,
    )  # fmt: skip
    page = look([undecided], modules)
    assert "the node limit" in page.inner_text("#answer-proof")
    page.fill("#answer-nodes", "1")

    page.click("#answer-solve")
    until(page, "document.getElementById('record-said').textContent")

    assert page.inner_text("#record-said") == "Recorded: no #1; here: #2"
    assert page.inner_text("#answer-headline") == "White mates in 2."


def test_a_page_offers_nothing_that_it_cannot_do(look: Look) -> None:
    page = look(MIXED)
    for place in range(len(MIXED) - 1):
        assert not page.is_visible("#answer-solve")
        assert not page.is_visible("#answer-popeye")  # which has the play
        enabled = [page.is_enabled(f"[data-step='{step}']") for step in (-1, 1)]
        assert enabled == [place > 0, place < 3]
        page.keyboard.press("j")
    page.keyboard.press("c")  # taken back, which a store must learn
    assert page.is_enabled("[data-export=csv]")

    page = look([record(verdict="shorter")])
    assert page.is_enabled("[data-step=unmarked]")
    assert not page.is_enabled("[data-export=csv]")
    page.keyboard.press("a")
    assert not page.is_enabled("[data-step=unmarked]")
    assert page.is_enabled("[data-export=csv]")


def test_20_000_records_have_few_rows_in_the_document(look: Look) -> None:
    many = [record(id=f"n{number}", verdict="shorter") for number in range(20_000)]
    page = look(many)

    assert page.inner_text("#shown") == "20,000 of 20,000 records."
    page.evaluate("document.getElementById('list').scrollTop = 1e9")
    until(page, "document.getElementById('list').textContent.includes('n19999')")
    assert page.locator("#list tbody tr").count() < 60
    most, made = page.evaluate(
        """async () => {
        const [list, seen] = [document.getElementById("list"), new Set()];
        let most = 0;
        list.scrollTop = 0;
        for (let step = 0; step < 100; step++) {
          list.scrollTop += 30;
          await new Promise((done) => {
            list.addEventListener("scroll", done, {once: true});
          });
          const rows = [...list.querySelectorAll("tbody tr")];
          most = Math.max(most, rows.length);
          rows.forEach((row) => seen.add(row));
        }
        return [most, seen.size];
      }"""
    )
    assert most < 60
    assert made < 1000  # while 3,000 pixels went by: not all rows anew at each step
    page.keyboard.press("j")
    assert opened(page) == "n1"
    assert page.locator("#list [aria-current]").inner_text().startswith("n1\n")


def test_records_of_another_schema_are_refused_in_a_line(
    chromium: Browser, tmp_path: Path
) -> None:
    made = render_page([record(id="a")], title="x")
    packed = data_of(made)["records"]
    opener = Opener(chromium, made, tmp_path)
    page = opener.open(replaced=(re.escape(packed[:40]), "A" * 40)).page
    until(page, "document.getElementById('note').textContent")
    assert "cannot be read" in page.inner_text("#note")
    assert names(page) == ["a"]
    opener.close()
    assert opener.messages == []


def test_a_browser_without_webassembly_shows_everything_except_solving(
    look: Look, modules: dict[str, bytes]
) -> None:
    page = look([*MIXED, Problem(SMOTHERED, "new")], modules, before=WITHOUT_WASM)
    assert page.inner_text("#shown") == "5 of 6 records."
    page.click("#list tr:has-text('new')")
    assert page.inner_text("#answer-headline") == "Not solved yet"
    assert not page.is_visible("#answer-solve")
    assert "does not run WebAssembly" in page.inner_text("#answer-note")


def test_an_empty_collection_has_a_page(
    chromium: Browser, modules: dict[str, bytes], tmp_path: Path
) -> None:
    made = render_page([], title="x", modules=modules)
    opener = Opener(chromium, made, tmp_path)
    page = opener.open().page
    assert page.inner_text("#headline") == "There are no records."
    opener.close()
    assert opener.messages == []


def test_without_scripts_the_page_has_totals_and_the_first_rows(look: Look) -> None:
    page = look(MIXED, java_script_enabled=False)

    assert page.inner_text("#headline").startswith("1 of 5 records agrees")
    totals = page.locator("#soundness-totals li").all_inner_texts()
    assert totals == ["1 sound", "1 cooked", "1 short-solution"]
    assert names(page) == [HOSTILE, "black", "x.epd:7", "cooked", "fine"]
    assert page.locator("#list .diagram:visible").count() == 4
    assert not page.is_visible("#filters")
    assert not page.is_visible("#viewer")


def test_all_rows_are_printed(look: Look) -> None:
    page = look([record(id=f"n{number}", verdict="shorter") for number in range(600)])

    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")

    assert len(names(page)) == 600
    assert page.locator("#list .diagram").count() == 500
    assert not page.is_visible("#viewer")
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(names(page)) < 100


def test_the_page_is_no_wider_than_the_window(look: Look) -> None:
    page = look(MIXED)
    page.keyboard.press("j")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_name_cannot_reorder_what_is_beside_it(look: Look) -> None:
    name = "\u202eabc\u05d0"
    page = look([record(id=name, verdict="shorter", mate=1), UNREADABLE | {"id": name}])

    listed = page.locator("#list .record bdi").all_inner_texts()
    assert listed == ["\ufffdabc\u05d0"] * 2
    assert page.inner_text("#record-title") == "\ufffdabc\u05d0"
    assert page.locator("#answer-title bdi").first.inner_text() == "\ufffdabc\u05d0"
