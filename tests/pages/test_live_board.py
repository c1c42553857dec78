"""The live board: set up, watch, play and count, as a user does in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from solver import solve
from tests.pages.live import PATIENCE_MS, PHONE, needs_chromium
from tests.pages.records import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.pages.live import Live, Look

pytestmark = pytest.mark.browser

REST_MS = 300

MATE_IN_2 = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
MOVED = "7k/5K2/8/8/8/8/8/R7 b - - 1 1"
"""After a move in `MATE_IN_2`: Black is mated in 1."""
ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
NO_KING = "8/8/8/8/8/5K2/R7/8 w - - 0 1"
"""An illegal position, opened first, keeps the table empty, as that of `solve` is."""
LONG = "8/8/8/8/1p6/1P1k4/P7/K6R w - - 0 1"
HELP = "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1"


def wait_until_moved(board: Live) -> None:
    board.page.wait_for_selector('#answer[data-state="closed"][data-mate="-1"]')
    assert board.fen == MOVED
    assert board.headline == "Black is mated in 1."


def test_the_page_solves_what_its_link_has(live: Look) -> None:
    board = live(ROOK)
    board.wait()
    assert board.headline == "White mates in 8."
    assert board.text("answer-keys") == "Only key: Kg6"
    assert (board.answer("mate"), board.answer("lower")) == ("8", "8")
    solution = solve(ROOK)
    assert board.answer("nodes") == str(solution.stats.nodes)
    assert board.text("answer-line").split() == [
        f"{ply // 2 + 1}.{san}" if ply % 2 == 0 else san
        for ply, san in enumerate(solution.pv_san)
    ]


def test_a_moved_piece_is_searched_at_once_and_back_returns(live: Look) -> None:
    board = live(MATE_IN_2)
    board.wait()
    before = board.text("answer"), board.fen
    board.drag("f6", "f7")
    wait_until_moved(board)
    board.page.click("#board-back")
    assert (board.text("answer"), board.fen) == before
    board.page.click("#answer-first summary")  # another first move is refuted
    board.page.click("#answer-first-moves button:text-is('Ra2')")
    text = "refuted by Kg8, Kh7: no mate in 2; mate in 3"
    board.page.wait_for_selector(f"#answer-first-answer:has-text('{text}')")


def test_the_board_is_played_by_keyboard_alone(live: Look) -> None:
    board = live(MATE_IN_2)
    board.wait()
    board.page.focus('[data-square][tabindex="0"]')
    for key in ["ArrowLeft", "ArrowDown"] * 8 + ["ArrowRight", "ArrowUp"] * 5:
        board.page.keyboard.press(key)
    for key in ("Enter", "ArrowUp", "Enter"):
        board.page.keyboard.press(key)
    wait_until_moved(board)


def test_an_illegal_position_says_what_is_wrong(live: Look) -> None:
    board = live()
    board.wait()
    for fen, words in (
        (NO_KING, "black king"),
        ("7k/8/8/8/8/5K2/8/7R w - - 0 1", "check"),
        (f"https://lichess.org/analysis/chess960/{MATE_IN_2[:-10]}", "address"),
    ):
        board.type_fen(fen)
        board.wait("error")
        board.until(f"document.body.innerText.toLowerCase().includes('{words}')")
        board.page.click("#tree-show")
        board.page.click("#answer-json")
        assert board.text("answer-note") == "There is nothing to copy yet."
    board.type_fen(ROOK)
    board.wait(fen=ROOK)
    assert board.text("setup-fault") == ""


def at_rest(board: Live) -> str:
    """Wait until the nodes stay as they are; reports may still be on their way."""
    nodes = board.answer("nodes")
    for _ in range(PATIENCE_MS // REST_MS):
        board.page.wait_for_timeout(REST_MS)
        before, nodes = nodes, board.answer("nodes")
        if nodes == before:
            return nodes
    raise AssertionError(nodes)


def test_a_search_stops_and_goes_on_and_a_first_move_is_asked_for(live: Look) -> None:
    board = live(LONG)
    board.wait("searching")
    board.until("Number(answer.dataset.nodes) > 0")
    board.page.click("#answer-stop")
    board.wait("stopped")
    nodes = at_rest(board)
    board.page.click("#answer-stop:text-is('Go on')")
    board.until(f"Number(answer.dataset.nodes) > {nodes}")
    board.page.click("#answer-first summary")
    board.page.click("#answer-first-moves button:text-is('Rh3+')")
    board.page.wait_for_selector("#answer-first-answer:has-text('no mate in fewer')")
    assert board.answer("state") == "stopped"


@needs_chromium("silence about a worker that is ended")
def test_a_worker_that_does_not_listen_is_replaced(live: Look) -> None:
    deaf = (r"REPORT_NODES = \d[\d_]*;", "REPORT_NODES = 2 ** 50;")
    board = live(LONG, replaced=deaf)
    board.until("Number(answer.dataset.lower) > 1")
    board.type_fen(ROOK)
    board.wait(fen=ROOK)
    assert board.answer("mate") == "8"


def test_without_webassembly_positions_can_be_set_up(live: Look) -> None:
    board = live(before="delete globalThis.WebAssembly")
    board.wait("error")
    assert "WebAssembly" in board.headline
    assert board.page.locator('[data-square="h8"]').count() == 1


CRASHING = " if (data.name === 'search' && data.job === 1) throw data.name;"


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        (r'"tableBytes": ?\d+', f'"tableBytes": {1 << 33}', "did not give 8192"),
        (r"(self\.onmessage = .*)", rf"\1{CRASHING}", "started again"),
    ],
)
def test_a_table_too_large_and_a_worker_that_dies_are_replaced(
    live: Look, pattern: str, replacement: str, said: str
) -> None:
    board = live(replaced=(pattern, replacement))
    board.wait()
    assert board.answer("mate") == "2"
    assert said in board.text("answer-note")


def test_what_a_link_calls_a_position_is_text(live: Look) -> None:
    board = live(quote(HOSTILE))
    board.wait("error")
    assert board.fen == HOSTILE
    assert board.page.locator("main :is(b, img, script)").count() == 0
    assert board.page.title() == "matesolve: live board"


# A finger on a phone

TOP = 20
"""Where the page is scrolled to, so that it can scroll up and down."""


def swipe(page: Page, *squares: str) -> float:
    """Move a finger from one to another; return how far the page has scrolled."""
    page.evaluate(f"scrollTo(0, {TOP})")
    places = []
    for name in squares:
        box = page.locator(f'[data-square="{name}"]').bounding_box()
        assert box
        places.append((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    (x, y), (to_x, to_y) = places
    before = page.evaluate("scrollY")
    session = page.context.new_cdp_session(page)
    for step in range(11):
        place = {"x": x + (to_x - x) * step / 10, "y": y + (to_y - y) * step / 10}
        touch = {"type": "touchMove" if step else "touchStart", "touchPoints": [place]}
        session.send("Input.dispatchTouchEvent", touch)
        page.wait_for_timeout(20)
    scrolled: float = page.evaluate("scrollY") - before
    page.wait_for_timeout(100)  # a finger at rest does not fling the page
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    return scrolled


@needs_chromium("touch events")
def test_a_finger_moves_pieces_and_scrolls_only_from_an_empty_square(
    live: Look,
) -> None:
    board = live(MATE_IN_2, viewport=PHONE, has_touch=True, is_mobile=True)
    board.wait()
    page = board.page
    assert swipe(page, "d2", "d7") > 50
    assert board.fen == MATE_IN_2

    assert swipe(page, "a1", "a7") == 0  # in play
    board.wait(fen="7k/R7/5K2/8/8/8/8/8 b - - 1 1")
    assert page.evaluate("scrollY") == TOP

    board.type_fen(MATE_IN_2)
    board.wait(fen=MATE_IN_2)
    page.click("#setup-toggle")
    assert swipe(page, "a1", "c5") == 0
    board.wait(fen="7k/8/5K2/2R5/8/8/8/8 w - - 0 1")
    page.tap('#setup-palette [data-tool="P"]')  # pieces are painted
    assert swipe(page, "d2", "d4") == 0
    board.wait(fen="7k/8/5K2/2R5/3P4/3P4/3P4/8 w - - 0 1")
