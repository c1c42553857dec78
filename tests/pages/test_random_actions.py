"""Random links and actions: the page goes on working, and copies what it says."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import chess
import pytest

from tests.pages.live import COPIED
from tests.pages.records import HOSTILE
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.pages.live import Live, Opener

pytestmark = pytest.mark.browser

MATE_IN_2 = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"
TEXTS = [
    MATE_IN_2,
    "8/7K/8/8/8/8/R7/7k b - - 0 1",
    "8/5K2/2r5/7p/5R2/6B1/8/7k",
    "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "8/8/8/8/8/5K2/R7/8 w - - 0 1",
    "1. e4 e5 2. Qh5",
    f"{MATE_IN_2} moves Ra2",
    '[FEN "7k/8/5K2/8/8/8/8/R7 w - - 0 1"]\n\n1. Kf7 *',
    '{"fen": "7k/8/5K2/8/8/8/8/R7 w - - 0 1", "stipulation": "s#2"}',
    '{"fen": [], "stipulation": {}}',
    "#fen=7k/8/5K2/8/8/8/8/R7%20w&find=h%232&fen=x&find=%23",
    "1r" * 40,
    "",
    " ",
    "k7/8",
    HOSTILE,
]
FINDS = ["#", "#2", "2", "s#1", "h#1", "h#1.5", "r#1", "=1", "exact-#2", "semi-r#1"]
UNKNOWN = ["ser-h#3", "z#3", "#x", "", "#0", "#201", "h#.3", "##", "½", "#1.2.3", "\0"]


def link(order: random.Random) -> str:
    """A fragment: of fields that the page knows and others, some of them damaged."""
    names = ["fen", "find", "title", "author", "origin", "fen", "find", "x", "", "at"]
    fields = []
    for _ in range(order.randrange(5)):
        name = order.choice(names)
        text = order.choice(TEXTS if name == "fen" else FINDS + UNKNOWN)
        if order.random() < 0.2:
            at = order.randrange(len(text) + 1)
            text = text[:at] + order.choice("/k8%#&=+ é\U0001f642") + text[at + 1 :]
        fields.append(f"{name}={quote(text) if order.random() < 0.8 else text}")
    return order.choice(["&", "&", ";", "#"]).join(fields)


GO = """(hash) => new Promise((resolve) => {
  const before = location.hash;
  addEventListener("hashchange", resolve, { once: true });
  location.hash = hash;
  if (location.hash === before) resolve();
})"""


def settle(board: Live, done: list[str]) -> None:
    """Wait until the position was read; a search may go on."""
    try:
        board.until("viewer.state.doing !== 'reading'")
    except AssertionError:
        raise AssertionError(done[-20:]) from None
    assert board.headline not in {"", "Reading the position ...", "matesolve"}, done


def require_life(board: Live) -> None:
    """The page still solves."""
    board.page.evaluate(GO, f"fen={quote(MATE_IN_2)}")
    board.wait(fen=MATE_IN_2)
    assert board.answer("mate") == "2"


@sized("count", 60, 2000)
def test_any_link_ends_in_a_page_that_works(live: Opener, count: int) -> None:
    board = live.open()
    address = board.page.url.split("#")[0]
    order = random.Random(63)
    done: list[str] = []
    for number in range(count):
        done.append(link(order))
        if number % 20 == 0:  # as a reader opens it
            board.page.goto("about:blank")
            board.page.goto(f"{address}#{done[-1]}")
        else:
            board.page.evaluate(GO, done[-1])
        settle(board, done)
    require_life(board)


ACT = """([number, chance, text, key]) => {
  const controls = [...document.querySelectorAll(
    "button, input, select, summary, .board-cell, details")].filter((each) =>
    each.checkVisibility() && !each.disabled &&
    !/^setup-(save|open|file)/.test(each.id)); // these open other windows
  const control = controls[number % controls.length];
  const fire = (type) => control.dispatchEvent(new Event(type, { bubbles: true }));
  control.focus();
  if (control.matches("select")) {
    control.selectedIndex = Math.floor(chance * control.options.length);
    fire("change");
  } else if (control.matches("input:is([type=text], [type=number])")) {
    control.value = control.type === "number" ? Math.floor(chance * 9) - 1 : text;
    fire("input");
    if (chance < 0.8) fire("change");
  } else if (control.matches(".board-cell")) {
    const { left, top, width } = control.getBoundingClientRect();
    const at = { clientX: left + width / 2, clientY: top + width / 2, bubbles: true,
      isPrimary: true, pointerId: 1, button: chance < 0.1 ? 2 : 0 };
    try { control.dispatchEvent(new PointerEvent("pointerdown", at)); } catch {}
    control.dispatchEvent(new PointerEvent("pointerup", at));
    control.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  } else control.click();
  return control.id || control.className || control.textContent;
}"""

KEYS = [
    "Enter",
    "Escape",
    "ArrowUp",
    "ArrowLeft",
    "Home",
    "End",
    "Delete",
    "Q",
    "k",
    "p",
]


def actions(board: Live, order: random.Random, done: list[str]) -> Iterator[None]:
    """Do one random thing after the other: with any control that is seen."""
    while True:
        text = order.choice(TEXTS + FINDS + UNKNOWN)
        given = [order.randrange(10_000), order.random(), text, order.choice(KEYS)]
        done.append(f"{board.page.evaluate(ACT, given)}: {given[1:]}")
        yield


@sized("count", 120, 2000)
def test_any_actions_leave_a_page_that_works(live: Opener, count: int) -> None:
    board = live.open(before=COPIED)
    board.wait()
    done: list[str] = []
    for _, number in zip(
        actions(board, random.Random(1), done), range(count), strict=False
    ):
        if number % 5 == 0:
            settle(board, done)
    settle(board, done)
    require_life(board)


SHOWN = """() => Object.fromEntries([...document.querySelectorAll(".board-cell")].map(
  (cell) => [cell.dataset.square, cell.getAttribute("aria-label").split(", ")[1]]))"""


def placement(board: Live) -> str:
    """The first field of a FEN, of what the squares are said to hold."""
    shown = chess.Board(None)
    for square, words in board.page.evaluate(SHOWN).items():
        if words != "empty":
            side, name = words.split()
            piece = chess.Piece(chess.PIECE_NAMES.index(name), side == "white")
            shown.set_piece_at(chess.parse_square(square), piece)
    return shown.board_fen()


def fen_of(name: str, text: str) -> str:
    """The position of a copy."""
    if name == "link":
        return parse_qs(urlsplit(text).fragment)["fen"][0]
    return re.findall("<title>(.*?)</title>", text)[0] if name == "svg" else text


@sized("count", 8, 500)
def test_a_copy_is_of_the_position_that_it_names(live: Opener, count: int) -> None:
    board = live.open(before=COPIED)
    board.wait()
    order = random.Random(2)
    done: list[str] = []
    walk = actions(board, order, done)
    compared = 0
    for _ in range(count):
        fen = order.choice(TEXTS[:4])
        board.page.evaluate(GO, f"fen={quote(fen)}&find=%232")
        for _ in range(order.randrange(4)):
            next(walk)
        board.until("viewer.state.doing !== 'reading'")
        moves = board.page.locator("#answer-line .move, #tree-play .move")
        if (found := moves.count()) and order.random() < 0.7:
            moves.nth(order.randrange(found)).evaluate("(move) => move.click()")
        board.page.evaluate("viewer.pause()")
        of = order.choice(["problem", "shown"])
        board.page.select_option("#setup-of", of)
        for name in ("fen", "link", "svg"):
            board.page.evaluate("globalThis.copied = ''")
            board.page.evaluate(f"element('setup-copy-{name}').click()")
            board.page.wait_for_timeout(5)
            text = board.page.evaluate("globalThis.copied")
            if not text:
                assert "Nothing is copied" in board.page.inner_text("#setup-said")
                continue
            copied = fen_of(name, text)
            said = board.page.inner_text("#setup-said")
            if of == "shown":
                assert said.endswith("of the position shown.")
                assert copied.split()[0] == placement(board), done[-9:]
                side = board.page.get_attribute("#board-side", "data-side")
                assert copied.split()[1] == (side or "")[0], done[-9:]
            elif name != "link" or board.page.is_hidden("#setup-remove"):
                assert said.endswith("of the problem.")
                assert copied == board.fen, done[-9:]
            compared += 1
        board.page.evaluate("globalThis.copied = ''")
        board.page.evaluate("viewer.play.copy('json')")
        if text := board.page.evaluate("globalThis.copied"):
            assert json.loads(text)["fen"] == board.fen
    assert compared > count
