"""A composer at the live board: texts, links, twins, names and copies."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import chess
import chess.pgn
import pytest

from solver import Problem, solve
from solver.formats.claims import FileSummary
from solver.formats.popeye import read_popeye
from tests.pages.live import COPIED

if TYPE_CHECKING:
    from tests.pages.live import Live, Look

pytestmark = pytest.mark.browser

ROOK = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
MATE_IN_2 = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
TWO_MOVER = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
HELP = "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1"

IS_AT_REST = "!['searching', 'reading'].includes(viewer.state.doing)"

PASTE = """([id, text]) => {
  const field = document.getElementById(id);
  field.focus();
  field.select();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, cancelable: true });
  if (field.dispatchEvent(event)) document.execCommand("insertText", false, text);
}"""


def paste(board: Live, text: str) -> None:
    """Paste a text over what the field of the position holds, as Ctrl-V does."""
    board.page.evaluate(PASTE, ["setup-fen", text])


# What the page is given


FINDS = """
 # 2   | White mates in 2.
S#1    | No selfmate in 1 move.
h#1½   | Helpmate in 1.5: 2 solutions.
=      | =: expected 1 to 200 whole moves, found none
=2.5   | =: expected 1 to 200 whole moves, found 2.5
h#2.3  | h#: expected 0.5 to 200 moves, in steps of 0.5, found 2.3
ser-h#3 | Expected #2, s#3, r#2, h#2.5 or another stipulation of the list, found ser-h#3
"""


def test_a_stipulation_is_typed_or_linked_as_one_text(live: Look) -> None:
    board = live(MATE_IN_2, before=COPIED)
    board.wait()
    for line in FINDS.strip().splitlines():
        find, headline = line.split("|")
        board.find(find.rstrip())
        board.until(f"answer.dataset.fen === '{MATE_IN_2}' || viewer.state.fault")
        board.until(IS_AT_REST)
        assert board.headline == headline.strip()
        if "expected" in headline.lower():
            assert board.text("tree-play") == ""
            board.page.click("#answer-json")
            assert board.text("answer-note") == "There is nothing to copy yet."
        board.go(f"fen={quote(MATE_IN_2)}")
        board.go(f"fen={quote(MATE_IN_2)}&find={quote(find.strip())}")
        board.until("viewer.state.asked !== null")
        board.until(IS_AT_REST)
        assert board.headline == headline.strip()


NAMES = ("title", "author", "origin")


def test_the_page_reads_each_of_its_own_copies(live: Look) -> None:
    fragment = f"{TWO_MOVER}&find=%232&title=One&author=Two&origin=Three"
    board = live(fragment, before=COPIED)
    board.wait()
    nameless = ("setup-copy-fen", "setup-copy-svg", "answer-popeye")
    named = ("setup-copy-link", "setup-copy-input", "answer-json", "answer-pgn")
    texts = {name: board.copied(name) for name in nameless + named}
    for name, text in texts.items():
        paste(board, ROOK)
        board.wait(fen=ROOK)
        shown = [board.page.input_value(f"#setup-{each}") for each in NAMES]
        assert shown == ["", "", ""]
        paste(board, text)
        board.wait(fen=TWO_MOVER)
        assert board.page.input_value("#answer-find") == "#2", name
        shown = [board.page.input_value(f"#setup-{each}") for each in NAMES]
        assert shown == ["One", "Two", "Three"] or name in nameless


# What is copied


def test_copies_are_of_the_position_shown_or_of_the_problem(live: Look) -> None:
    board = live(f"{MATE_IN_2}&find=%232", before=COPIED)
    board.wait()
    board.page.click("#answer-line .move >> nth=0")
    after = chess.Board(MATE_IN_2)
    after.push_san(solve(MATE_IN_2).pv_san[0])
    board.until(f"viewer.state.here.fen.startsWith('{after.board_fen()} b')")
    assert board.text("board-side") == "Black to move (2+1)"
    for of, fen, found in (
        ("problem", MATE_IN_2, "FEN of the problem."),
        ("shown", after.fen(), "FEN of the position shown."),
    ):
        board.page.select_option("#setup-of", of)
        assert board.copied("setup-copy-fen") == fen
        assert board.text("setup-said").endswith(found)
        link = parse_qs(urlsplit(board.copied("setup-copy-link")).fragment)
        assert link == {"fen": [fen]} | ({"find": ["#2"]} if of == "problem" else {})
        assert f"<title>{fen}</title>" in board.copied("setup-copy-svg")
    assert board.fen == MATE_IN_2
    board.type_fen("n/6k1/8")
    board.wait("error")
    board.page.evaluate("globalThis.copied = null")
    board.page.click("#setup-copy-link")
    assert board.text("setup-said") == "Nothing is copied: the FEN is unreadable."
    assert board.page.evaluate("globalThis.copied") is None


def test_a_diagram_has_a_caption_and_its_solution_only_on_demand(live: Look) -> None:
    board = live(f"{TWO_MOVER}&find=%232", before=COPIED)
    board.wait()
    drawing = board.copied("setup-copy-svg")
    assert ">#2 (6+10) C+</text>" in drawing
    assert "board-arrow" not in drawing
    assert 'fill="#b3926b"' in drawing
    board.page.check("#setup-key")
    board.page.check("#setup-mono")
    drawing = board.copied("setup-copy-svg")
    assert "board-arrow" in drawing
    assert 'fill="#b3926b"' not in drawing
    assert 'stroke="#000"' in drawing
    board.go(f"fen={quote(MATE_IN_2)}&find=%23")
    board.wait(fen=MATE_IN_2)
    assert ">#2 (2+1)" in board.copied("setup-copy-svg")  # the length that was proved


# Compositions


def problems(text: str) -> list[Problem]:
    """Read Popeye's input as the program does."""
    lines = enumerate(text.encode().splitlines(keepends=True), 1)
    found = [*read_popeye(lines, FileSummary("x.inp"))]
    assert all(isinstance(each, Problem) for each in found), found
    return found  # type: ignore[return-value]


def asked(problem: Problem) -> tuple[str, str]:
    """The position without its counters, and the stipulation with its number."""
    moves = problem.claim.mate if problem.claim else 0
    stipulation = problem.stipulation.numbered(moves)
    return " ".join(problem.fen.split()[:4]), str(stipulation)


MOVED = HELP.replace("5R2", "4R3")
OTHER = "8/8/8/8/8/2K5/1R6/k7 w - - 0 1"


def test_twins_are_edited_one_by_one_and_kept_in_link_and_input(live: Look) -> None:
    board = live(f"{HELP}&find=h%232&title=Twins", before=COPIED)
    board.wait()
    for fen, find in ((MOVED, "h#2"), (HELP, "h#1.5"), (OTHER, "#3")):
        board.page.click("#setup-add")
        board.find(find)
        paste(board, fen)
        board.wait(fen=fen)
    labels = board.page.locator("#setup-twins button").all_inner_texts()
    assert labels == ["a) h#2", "b) h#2", "c) h#1.5", "d) #3"]
    board.page.click("#setup-twins button >> nth=0")
    board.wait(fen=HELP)
    board.page.click("#setup-duplex")
    turned = HELP.replace(" b ", " w ")
    board.wait(fen=turned)
    twins = [(HELP, "h#2"), (MOVED, "h#2"), (HELP, "h#1.5"), (OTHER, "#3")]
    twins += [(turned, "h#2")]
    written = board.copied("setup-copy-input")
    assert [asked(each) for each in problems(written)] == [
        (fen.removesuffix(" 0 1"), find) for fen, find in twins
    ]
    link = board.copied("setup-copy-link")
    for again in (link, written):
        paste(board, again)
        board.wait(fen=HELP)
        assert board.copied("setup-copy-link") == link
    board.page.click("#setup-twins button >> nth=4")
    board.wait(fen=turned)
    # White begins a helpmate: the page says so, and offers Black.
    assert "roles are exchanged" in board.text("answer-roles")
    board.page.click("#setup-remove")
    board.wait(fen=OTHER)
    assert board.page.locator("#setup-twins button").count() == 4


def test_names_stay_with_the_position_and_are_in_every_copy(live: Look) -> None:
    board = live(f"{TWO_MOVER}&find=%232", before=COPIED)
    board.wait()
    given = dict(zip(NAMES, ('One "quoted"', "Two", "Three 1900"), strict=True))
    for name, text in given.items():
        board.page.fill(f"#setup-{name}", text)
    record = json.loads(board.copied("answer-json"))
    assert {name: record[name] for name in given} == given
    headers = chess.pgn.read_headers(StringIO(board.copied("answer-pgn")))
    assert headers is not None
    tags = [headers[tag].replace('\\"', '"') for tag in ("Event", "White", "Site")]
    assert tags == [*given.values()]
    lines = [line.strip() for line in board.copied("answer-popeye").splitlines()]
    shown = [given[name] for name in ("author", "origin", "title")]
    assert [*filter(None, lines)][:3] == shown
    (problem,) = problems(board.copied("setup-copy-input"))
    assert problem.id == given["title"]
    link = parse_qs(urlsplit(board.copied("setup-copy-link")).fragment)
    assert {name: link[name] for name in given} == {k: [v] for k, v in given.items()}
    board.page.click("#setup-toggle")
    board.drag("c8", "b8")  # the composer's own change
    board.until("!viewer.state.asked.fen.startsWith('2b')")
    board.page.fill("#setup-title", "Later")
    board.page.click("#setup-undo")  # which keeps what was written in between
    board.wait(fen=TWO_MOVER)
    assert board.page.input_value("#setup-title") == "Later"
