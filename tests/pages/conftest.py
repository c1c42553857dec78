"""Pages in Chromium, driven by Playwright; what a page reports fails its test."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.pages.live import COPIED, Live, Look, Opener

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def modules(kernel: object) -> dict[str, bytes]:  # noqa: ARG001
    """The compiled search as pages have it, by the names of its parts."""
    from solver.kernel.border.parts import PARTS
    from solver.kernel.build.loader import load_module

    return {part.name: load_module(part).code for part in PARTS}


@pytest.fixture(scope="session")
def board_page(modules: dict[str, bytes]) -> bytes:
    """The page that `matesolve board` writes; it begins with a mate in 2."""
    from solver.pages.viewer_pages import encode_board

    return encode_board(modules, "7k/8/5K2/8/8/8/8/R7 w - - 0 1")


@pytest.fixture
def look(chromium: Browser, tmp_path: Path) -> Iterator[Look]:
    """Opens any page."""
    opener = Opener(chromium, tmp_path)
    yield opener.open
    opener.close()


@pytest.fixture
def live(look: Look, board_page: bytes) -> Look:
    """Opens the live board."""
    return partial(look, board_page)


@pytest.fixture(scope="module")
def board(
    chromium: Browser, board_page: bytes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Live]:
    """A live board that several tests use; it keeps what is copied."""
    opener = Opener(chromium, tmp_path_factory.mktemp("board"))
    live = opener.open(board_page, before=COPIED)
    live.wait()
    yield live
    opener.close()
