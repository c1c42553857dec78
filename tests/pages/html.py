"""Pages read and opened: well-formed, with nothing from elsewhere, in a browser."""

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
        self.tags.append((tag, dict(attrs)))
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


def require_own_style_and_script(data: bytes) -> None:
    """Hold a page to its policy: it loads nothing and runs at most its own script."""
    text = data.decode()
    shown = Page(data)
    policy = next(
        attributes["content"]
        for attributes in shown.attributes("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert shown.attributes("script").count({}) == len(shown.scripts) <= 1
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style
    styled, *run = (
        "sha256-" + base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        for part in (style[1], *shown.scripts)
    )
    assert policy == (
        f"default-src 'none'; style-src '{styled}'; "
        f"script-src '{run[0] if run else 'none'}'; base-uri 'none'; form-action 'none'"
    )
    tags = {tag for tag, _ in shown.tags}
    assert not tags & {"img", "link", "iframe", "object"}
    assert not re.search(r"<[^>]* style=", text)
    assert not re.search(r"\bon\w+=|url\((?!#)|@import|innerHTML|\beval\(", text)
    assert set(re.findall(r"https?://([^/\"]+)", text)) <= {"www.w3.org", "lichess.org"}
