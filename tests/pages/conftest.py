"""The live board in Chromium, driven by Playwright."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.pages.live import Opener


@pytest.fixture(scope="session")
def board_modules(kernel: object) -> dict[str, bytes]:  # noqa: ARG001
    """The compiled search as pages have it."""
    from solver.kernel.border.parts import PARTS
    from solver.kernel.build.loader import load_module

    return {part.name: load_module(part).code for part in PARTS}


@pytest.fixture(scope="session")
def board_page(board_modules: dict[str, bytes]) -> bytes:
    """The page that `matesolve board` writes; it begins with a mate in 2."""
    from solver.pages.viewer_pages import encode_board

    return encode_board(board_modules, "7k/8/5K2/8/8/8/8/R7 w - - 0 1")


@pytest.fixture
def live(chromium: Browser, board_page: bytes, tmp_path: Path) -> Iterator[Opener]:
    """Opens the board; the test fails if the page reports anything to the console."""
    from tests.pages.live import Opener

    opener = Opener(chromium, board_page, tmp_path)
    yield opener
    opener.close()
    assert opener.messages == []
