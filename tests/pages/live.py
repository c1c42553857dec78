"""Pages as a user has them: opened from disk, looked at, clicked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from tests.pages.html import IS_FIREFOX

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

WIDE = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}

PATIENCE_MS = 15_000
"""How long any browser test waits for one thing: a page that hangs is given up."""

PAUSE_MS = 20

COPIED = """
Object.defineProperty(navigator, "clipboard", {
  value: { writeText: async (text) => { globalThis.copied = text; } },
});
"""
"""Keeps what the page copies, where no clipboard is."""

GO = """(hash) => new Promise((resolve) => {
  const before = location.hash;
  addEventListener("hashchange", resolve, { once: true });
  location.hash = hash;
  if (location.hash === before) resolve();
})"""


def needs_chromium(what: str) -> pytest.MarkDecorator:
    """Leave a test out in Firefox, which does not have what it needs."""
    return pytest.mark.skipif(IS_FIREFOX, reason=f"needs Chromium's {what}")


def new_page(browser: Browser, messages: list[str], **options: Any) -> Page:
    """Open an empty page; what it reports is added to `messages`.

    `options` are those of a context of Playwright, such as its viewport.
    """
    context = browser.new_context(
        **{"viewport": {"width": 1280, "height": 900}} | options
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    return page


Look: TypeAlias = "Callable[..., Live]"
"""Takes what `Opener.open` takes."""


class Opener:
    """Opens pages with changes; in the end they must have reported nothing."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self._folder = folder
        self._pages: list[Page] = []
        self._messages: list[str] = []

    def open(
        self,
        data: bytes,
        fen: str | None = None,
        *,
        replaced: tuple[str, str] = ("", ""),
        before: str = "",
        **options: Any,
    ) -> Live:
        """Open a page; `before` is a script that runs first, in the page itself.

        `replaced` is a pattern and what it becomes, in the page's data.
        """
        path = self._folder / "page.html"
        text = data.decode()
        pattern, replacement = replaced
        if pattern:
            text, count = re.subn(pattern, replacement, text)
            assert count
        path.write_text(text, encoding="utf-8")
        page = new_page(self._browser, self._messages, **options)
        self._pages.append(page)
        if before:
            page.add_init_script(before)
        fragment = "" if fen is None else "#fen=" + fen.replace(" ", "%20")
        page.goto(path.as_uri() + fragment)
        return Live(page)

    def close(self) -> None:
        for page in self._pages:
            page.context.close()
        assert self._messages == []


class Live:
    """The opened page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def wait(self, state: str = "closed", fen: str = "") -> None:
        """Wait until the answer, of a position if one is given, is in a state."""
        of = f'[data-fen="{fen}"]' if fen else ""
        self.page.wait_for_selector(f'#answer[data-state="{state}"]{of}')

    def until(self, condition: str) -> None:
        """Wait until a JavaScript expression is true; the policy refuses to poll it."""
        for _ in range(PATIENCE_MS // PAUSE_MS):
            if self.page.evaluate(f"Boolean({condition})"):
                return
            self.page.wait_for_timeout(PAUSE_MS)
        raise AssertionError(condition)

    def answer(self, name: str) -> str:
        """Return a machine-readable attribute of the answer."""
        value = self.page.get_attribute("#answer", f"data-{name}")
        assert value is not None
        return value

    def text(self, element: str) -> str:
        """Return what an element with this `id` shows."""
        return self.page.inner_text(f"#{element}")

    @property
    def headline(self) -> str:
        return self.text("answer-headline")

    @property
    def fen(self) -> str:
        return self.page.input_value("#setup-fen")

    def go(self, fragment: str) -> None:
        """Follow a link to the same page."""
        self.page.evaluate(GO, fragment)

    def type_fen(self, fen: str) -> None:
        """Write a FEN into its field, as a user does."""
        self.page.fill("#setup-fen", fen)
        self.page.press("#setup-fen", "Enter")

    def drag(self, start: str, end: str) -> None:
        """Drag a piece with the mouse."""
        self.page.drag_and_drop(
            f'[data-square="{start}"]', f'[data-square="{end}"]', force=True
        )

    def find(self, stipulation: str) -> None:
        """Write what to find into its field, as a user does."""
        self.page.fill("#answer-find", stipulation)
        self.page.press("#answer-find", "Enter")

    def solve(self, fen: str, stipulation: str) -> None:
        """Ask for a stipulation, and wait for the answer."""
        self.find(stipulation)
        self.type_fen(fen)
        self.wait(fen=fen)

    def copied(self, button: str) -> str:
        """Press a button that copies; return the text."""
        self.page.evaluate("globalThis.copied = null")
        self.page.click(f"#{button}")
        self.until("globalThis.copied !== null")
        return str(self.page.evaluate("globalThis.copied"))
