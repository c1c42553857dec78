"""Pages as texts: well-formed, and with nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
from html import unescape
from html.parser import HTMLParser

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)

IS_FIREFOX = os.environ.get("MATESOLVE_BROWSER") == "firefox"
"""Whether pages are opened in the Firefox that Playwright installs."""

VOID = {"meta", "link", "br", "input"}


class Page(HTMLParser):
    """A page whose elements are closed in their order."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.lines: list[str] = []
        self.scripts: list[str] = []
        self.text = data.decode()
        self.feed(self.text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self.open:
            if not self.attributes("script")[-1]:  # data has a type
                self.scripts.append(data)
        elif data.strip() and not {"style", "svg", "title"} & set(self.open):
            self.lines.append(data.strip())

    @property
    def play(self) -> list[str]:
        """The lines of the play, with its titles."""
        shown = re.sub(r"(?s)<(style|script|svg|title)\b.*?</\1>", "", self.text)
        _, _, section = shown.partition('<section id="tree-panel"')
        section, _, _ = section.partition("</section>")
        starts = r'<(?:h3|summary|p class="dim"|div class="leaf[^>]*)>'
        lines = re.findall(rf"(?s){starts}(.*?)</(?:h3|summary|p|div)>", section)
        return [unescape(re.sub("<[^>]*>", "", line)).strip() for line in lines]

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def require_own_style_and_script(data: bytes, *, solves: bool = False) -> None:
    """Hold a page to its policy: it loads nothing and runs at most its own script.

    A page that solves also runs its own WebAssembly, in a worker of its own.
    """
    page = Page(data)
    (policy,) = (
        attributes["content"]
        for attributes in page.attributes("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert page.attributes("script").count({}) == len(page.scripts) <= 1
    style = re.search(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert style
    styled, *run = (
        "sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        for part in (style[1], *page.scripts)
    )
    wasm, worker = (
        (" 'wasm-unsafe-eval'", "worker-src blob:; img-src blob:; ")
        if solves
        else ("", "")
    )
    assert policy == (
        f"default-src 'none'; style-src '{styled}'; "
        f"script-src '{run[0] if run else 'none'}'{wasm}; {worker}"
        "base-uri 'none'; form-action 'none'"
    )
    assert not {tag for tag, _ in page.tags} & {"img", "link", "iframe", "object"}
    assert not re.search(r"<[^>]* style=", page.text)
    assert not re.search(r"url\((?!#)|@import|innerHTML|\beval\(", page.text)
    assert solves or not re.search(r"\bon\w+=", page.text)
    links = re.findall(r"https?://([^/\"]+)", page.text)
    assert {*links} <= {"www.w3.org", "lichess.org"}
