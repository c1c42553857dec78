"""A finger on a phone moves pieces; it scrolls the page only where it holds none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pages.live import needs_chromium
from tests.pages.test_first_view import PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.pages.live import Live, Opener

pytestmark = [pytest.mark.browser, needs_chromium("touch events")]

ROOK = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
TOP = 20
"""Where the page is scrolled to, so that it can scroll up and down."""


def phone(live: Opener) -> Live:
    board = live.open(ROOK, viewport=PHONE, has_touch=True, is_mobile=True)
    board.wait()
    return board


def square(board: Live, name: str) -> Locator:
    return board.page.locator(f'[data-square="{name}"]')


def swipe(page: Page, start: Locator, end: Locator) -> float:
    """Put a finger on one place, move it to another and lift it.

    Returns
    -------
    float
        How far that has scrolled the page when the finger is lifted, in pixels.
    """
    places = []
    for each in (start, end):
        box = each.bounding_box()
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
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    return scrolled


def test_in_play_a_piece_is_dragged_and_the_page_does_not_scroll(live: Opener) -> None:
    board = phone(live)
    board.page.evaluate(f"scrollTo(0, {TOP})")
    assert swipe(board.page, square(board, "a1"), square(board, "a7")) == 0
    board.wait(fen="7k/R7/5K2/8/8/8/8/8 b - - 1 1")
    assert board.page.evaluate("scrollY") == TOP


def test_in_set_up_a_piece_is_dragged_and_the_page_does_not_scroll(
    live: Opener,
) -> None:
    board = phone(live)
    board.page.click("#setup-toggle")
    board.page.evaluate(f"scrollTo(0, {TOP})")
    assert swipe(board.page, square(board, "a1"), square(board, "c5")) == 0
    board.wait(fen="7k/8/5K2/2R5/8/8/8/8 w - - 0 1")
    assert board.page.evaluate("scrollY") == TOP


def test_in_set_up_pieces_are_painted_and_the_page_does_not_scroll(
    live: Opener,
) -> None:
    board = phone(live)
    board.page.click("#setup-toggle")
    board.page.tap('#setup-palette [data-tool="P"]')
    board.page.evaluate(f"scrollTo(0, {TOP})")
    assert swipe(board.page, square(board, "d2"), square(board, "d4")) == 0
    board.wait(fen="7k/8/5K2/8/3P4/3P4/3P4/R7 w - - 0 1")


def test_a_piece_is_dragged_from_the_palette_and_the_page_does_not_scroll(
    live: Opener,
) -> None:
    board = phone(live)
    board.page.click("#setup-toggle")
    palette = board.page.locator("#setup-palette")
    palette.evaluate("(each) => each.scrollIntoView({ block: 'end' })")
    queen = palette.locator('[data-tool="Q"]')
    assert swipe(board.page, queen, square(board, "c3")) == 0
    board.wait(fen="7k/8/5K2/8/8/2Q5/8/R7 w - - 0 1")


def test_a_finger_on_an_empty_square_scrolls_the_page(live: Opener) -> None:
    board = phone(live)
    board.page.evaluate(f"scrollTo(0, {TOP})")
    assert swipe(board.page, square(board, "d2"), square(board, "d7")) > 50
    assert board.fen == ROOK
