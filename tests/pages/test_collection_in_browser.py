"""The page of a collection in Chromium: what its scripts make of the records."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from solver.audit.results import audit_result
from solver.cli.verify import Marks
from solver.output.audit_records import audit_record, read_record
from solver.pages.collection_page import render_page
from solver.problem import Claim, Problem
from solver.solution import Solution, Status
from solver.stipulations import Verdict
from tests.pages.live import Live
from tests.pages.records import (
    HOSTILE,
    SMOTHERED,
    SMOTHERED_BY_BLACK,
    UNREADABLE,
    data_of,
    record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from solver.pages.collection_page import Record
    from tests.pages.live import Look

BLACK = {
    "fen": SMOTHERED_BY_BLACK,
    "keys": [{"uci": "c5g1", "san": "Qg1+"}],
    "pv": ["c5g1", "f1g1", "h3f2"],
    "wrong_keys": ["c5f2"],
}
MIXED = [
    record(id="fine", soundness="sound"),
    record(id=HOSTILE, verdict="shorter", claim=3, nodes=5, soundness="short-solution"),
    record(id="black", verdict="refuted", claim=-2, nodes=9, **BLACK),
    UNREADABLE,
    record(id="cooked", soundness="cooked", nodes=7, source="two.epd:4", mark="cook"),
]
SELFMATE = Problem("8/8/Q7/8/8/1q6/2Q5/K5kr w - - 0 1", "s", stipulation="s#3")
ENDLESS = Problem("8/8/8/3k4/8/8/3BN3/3K4 w - - 0 1", "endless")
CLAIM = Claim(2, ("c4g8",), ("c4g8", "f8g8", "h6f7"))
FIRST, LAST = (Problem(SMOTHERED, name, CLAIM) for name in ("first", "last"))
Listed: TypeAlias = "Callable[..., List]"

DAMAGE = "document.getElementById('note').textContent"
READY = "document.querySelector('#list tr[data-place]')"
HEADLINE = "document.getElementById('headline').textContent"


class List(Live):
    """The page of a collection, opened."""

    def names(self) -> list[str]:
        """The records of the visible rows."""
        return self.page.locator("#list tbody .record b").all_text_contents()

    def row(self) -> list[str]:
        """The open record's row, without its time and mark."""
        return self.page.locator("#list [aria-current] td").all_text_contents()[:5]

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def open_row(self, name: str) -> None:
        self.page.click(f"#list tr:has-text('{name}')")

    def exported(self, form: str) -> str:
        """What is downloaded."""
        with self.page.expect_download() as download:
            self.page.click(f"[data-export={form}]")
        return download.value.path().read_text(encoding="utf-8")

    def would_lose(self) -> bool:
        """Whether the page asks before it closes."""
        script = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
        return not self.page.evaluate(script)

    def until_row(self, verdict: str) -> None:
        self.until(f"document.querySelector('#list [aria-current] .{verdict}')")


@pytest.fixture
def listed(look: Look) -> Callable[..., List]:
    """Opens the page of records."""

    def open_page(
        records: Sequence[Record],
        modules: dict[str, bytes] | None = None,
        ready: str = READY,
        replaced: str = "",
        **options: Any,
    ) -> List:
        changes = {"x:3": "changed mate 3 -> 2"}
        title = f"Audit of {HOSTILE}"
        data = render_page(records, title=title, modules=modules, changes=changes)
        if replaced:
            options["replaced"] = re.escape(data_of(data)["records"][:40]), replaced
        page = List(look(data, **options).page)
        if options.get("java_script_enabled", True):
            page.until(ready)
        return page

    return open_page


def test_names_from_a_file_are_text_and_cannot_reorder_what_is_beside_them(
    listed: Listed,
) -> None:
    name, shown = "\u202eabc\u05d0", "\ufffdabc\u05d0"
    hidden = [record(id=name, verdict="shorter"), UNREADABLE | {"id": name}]
    page = listed([*MIXED, *hidden])
    names = [HOSTILE, "black", "x.epd:7", "cooked", shown, shown]
    assert page.names() == names
    assert page.text("record-title") == HOSTILE
    assert page.page.title() == f"Audit of {HOSTILE}"
    assert page.page.locator("main img").count() == 0
    page.press(*"jjjj")
    assert page.text("record-title") == shown
    assert page.page.locator("#answer-title bdi").first.inner_text() == shown


def test_the_address_filters_and_sorts(listed: Listed) -> None:
    page = listed(MIXED)
    shown = "[...document.querySelectorAll('#list b')].map((each) => each.textContent)"
    for fragment, names in (
        ("verdict=refuted", ["black"]),
        ("soundness=cooked&claim=%232", ["cooked"]),
        ("all=1&soundness=sound", ["fine"]),
        ("all=1&sort=-nodes&q=5R1K+b", ["black"]),
        ("all=1&sort=-claim&claim=%232", ["fine", "cooked"]),
        ("q=TWO.epd&verdict=nonsense", ["cooked"]),
        ("sort=nodes", [HOSTILE, "cooked", "black", "x.epd:7"]),
        ("mark=unmarked&q=black", ["black"]),
        ("all=1", ["fine", HOSTILE, "black", "x.epd:7", "cooked"]),
    ):
        page.go(fragment)
        page.until(f"{shown}.join() === {json.dumps(','.join(names))}")


def test_keys_step_through_the_records_mark_them_and_open_the_next_failure(
    listed: Listed,
) -> None:
    page = listed([*MIXED, record(id="undecided", verdict="undecided")])
    page.press("j")
    assert page.text("record-title") == "black"
    page.press("x", "j")
    assert page.text("record-said") == UNREADABLE["error"]
    assert not page.page.is_visible("#board")
    assert not page.page.is_visible("#answer")
    page.page.mouse.move(300, 300)  # the hidden board has no size
    page.press("k")
    reject = page.page.locator("[data-mark=reject]")
    assert reject.get_attribute("aria-pressed") == "true"
    page.page.click("[data-mark=reject] kbd")
    assert reject.get_attribute("aria-pressed") == "false"
    for name in ("x.epd:7", HOSTILE, "black"):  # neither marked nor undecided ones
        page.press("u")
        assert page.text("record-title") == name
        page.press("a")
    assert page.text("marked") == "4 of 4 marked"
    assert not page.page.is_enabled("[data-step=unmarked]")
    page.page.focus("[name=q]")
    page.page.keyboard.type("jack")
    assert page.page.input_value("[name=q]") == "jack"


def test_marks_and_notes_outlive_the_page_and_are_read_by_verify(
    listed: Listed, tmp_path: Path
) -> None:
    named = record(id='of, "two"\nlines', claim=3, verdict="shorter")
    page = listed([named, *MIXED])
    assert not page.page.is_visible("#mark-note")
    page.press("a")
    page.page.fill("#mark-note", "by the author")
    page.page.press("#mark-note", "Enter")
    page.page.reload()
    page.until(READY)
    assert page.text("marked") == "2 of 5 marked"
    assert page.page.input_value("#mark-note") == "by the author"
    for form in ("jsonl", "csv"):
        path = tmp_path / form
        path.write_text(page.exported(form), encoding="utf-8")
        read = Marks(str(path))
        for other in MIXED[:4]:
            read.put_on(read_record(other))
        accepted = read.put_on(read_record(named))
        assert (accepted.mark, accepted.note) == ("accept", "by the author")
        assert read.put_on(read_record(MIXED[4])).mark == "cook"
        assert read.unused == 0
    page.open_row("cooked")
    page.press("c")  # taken back
    assert page.text("marked") == "1 of 5 marked"
    *_, last = map(json.loads, page.exported("jsonl").splitlines())
    assert last["mark"] == ""


def test_a_record_is_solved_when_it_is_opened_and_only_its_own_answer_is_in_its_row(
    listed: Listed, modules: dict[str, bytes]
) -> None:
    wrong = Problem(SMOTHERED, "wrong", Claim(1))
    none = Problem(SMOTHERED, "none", no_mate=1)
    page = listed([FIRST, wrong, none, SELFMATE, UNREADABLE], modules)
    page.until_row("proved")  # the first, at the start
    assert page.headline == "White mates in 2."
    assert page.text("headline") == "5 records, 1 solved here"
    assert page.row() == ["first", "#2", "#2", "proved", "72"]
    assert not page.would_lose()  # the next visit finds this answer, too
    page.find("s#2")
    headline = "document.getElementById('answer-headline').textContent"
    page.until(f"{headline}.includes('selfmate') && !{headline}.includes('...')")
    assert page.row()[1:4] == ["#2", "#2", "proved"]

    page.open_row("wrong")
    page.until_row("refuted")
    assert page.row()[1:4] == ["#1", "no #1", "refuted"]
    assert page.would_lose()
    page.find("#5")  # a longer search adds the true length
    page.until(
        f"{READY.replace('data-place', 'aria-current')}.innerText.includes('#2')"
    )
    assert page.row()[1:4] == ["#1", "#2", "refuted"]
    page.open_row("none")
    page.until_row("proved")
    assert page.headline == "No mate in 1 move."
    page.press("j")
    page.until_row("shorter")
    assert page.row()[1:4] == ["s#3", "s#2", "shorter"]
    totals = page.page.locator("#verdict-totals li").all_inner_texts()
    assert totals == ["2 proved", "1 shorter", "1 refuted", "1 unreadable"]

    page.press("k", "k", "k")  # shows what was found, without another search
    assert (page.headline, page.answer("state")) == ("White mates in 2.", "closed")
    page.page.click("#verdict-totals .refuted a")
    page.until("document.querySelectorAll('#list b').length === 1")
    assert page.names() == ["wrong"]


def test_all_listed_records_are_solved_until_stopped_and_then_the_rest(
    listed: Listed, modules: dict[str, bytes]
) -> None:
    search = {"search": modules["search"]}  # without the part of selfmates
    page = listed([FIRST, SELFMATE, FIRST, FIRST, ENDLESS, LAST, UNREADABLE], search)
    page.page.click("text=Solve all")
    page.until(f"{HEADLINE}.includes(' 3 ')")
    page.page.click("#solving >> text=Stop")
    page.until("document.querySelector('#solving button').textContent === 'Solve all'")
    assert page.text("headline") == "7 records, 3 solved here"
    assert re.match(r"[23] of [56] solved; s: ", page.text("solved"))
    page.page.fill("[name=q]", "last")  # only what is listed, and the open one
    page.page.click("text=Solve all")
    page.until(f"{HEADLINE}.includes(' 4 ')")
    assert not listed([FIRST]).page.is_visible("#solving")


def answers() -> Iterator[Solution]:
    """All small claims with all small answers, of mates and of help play."""
    directs = [Problem(SMOTHERED, claim=Claim(moves)) for moves in (1, 2, 3, -1, -2)]
    directs += [Problem(SMOTHERED, no_mate=moves) for moves in (1, 2)]
    directs += [Problem(SMOTHERED), Problem(SMOTHERED, stipulation="s#2")]
    for problem, mate, lower in product(directs, (None, -2, -1, 0, 1, 2, 3), (1, 2, 3)):
        status = Status.UNDECIDED if mate is None else Status.FOUND
        yield Solution(problem, status, mate, lower)
    helps = [
        Problem(SMOTHERED, claim=Claim(2, keys, solutions=count), stipulation="h#2")
        for keys in ((), ("c4g8", "c4c7"))
        for count in (None, 0, 1, 2)
    ]
    for problem, mate, lower in product(helps, (None, 1, 2), (1, 2, 3)):
        for found, are_all in product(range(4 if mate else 1), (True, False)):
            lines = {"solutions": (("c4g8",),) * found, "solutions_complete": are_all}
            yield Solution(problem, Status.FOUND, mate, lower, **lines)  # type: ignore[arg-type]


def test_the_page_has_the_verdicts_of_an_audit(listed: Listed) -> None:
    records = [audit_record(audit_result(answer)) for answer in answers()]
    assert len(records) > 400
    script = "(all) => all.map((each) => verdictOf(each, each))"
    expected = [each["verdict"] or each["status"] for each in records]
    assert listed(MIXED).page.evaluate(script, records) == expected
    # A record does not say that its line alone claims a mate, as unforced needs.
    assert {*expected} == {*Verdict, *Status} & {*expected}
    assert {*expected} >= {*Verdict} - {Verdict.UNREADABLE, Verdict.UNFORCED}


def test_a_damaged_or_empty_page_says_so(listed: Listed, look: Look) -> None:
    page = listed([record(id="a")], ready=DAMAGE, replaced="A" * 40)
    assert "cannot be read" in page.text("note")
    assert page.names() == ["a"]
    empty = look(render_page([], title="x"))
    assert empty.text("headline") == "There are no records."


def test_without_scripts_the_page_has_totals_and_the_first_rows(listed: Listed) -> None:
    page = listed(MIXED, java_script_enabled=False)
    assert page.text("headline").startswith("1 of 5 records agrees")
    totals = page.page.locator("#soundness-totals li").all_inner_texts()
    assert totals == ["1 sound", "1 cooked", "1 short-solution"]
    assert page.names() == [HOSTILE, "black", "x.epd:7", "cooked", "fine"]
    assert page.page.locator("#list .diagram:visible").count() == 4
    assert not page.page.is_visible("#filters")
    assert not page.page.is_visible("#viewer")
