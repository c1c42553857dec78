from __future__ import annotations

import io
import threading
from contextlib import redirect_stderr
from dataclasses import dataclass

import pytest

from solver.cli import progress

SHOWN = "1,234 nodes"


class Screen(io.StringIO):
    """A terminal that tells when a text is first shown."""

    def __init__(self) -> None:
        super().__init__()
        self.showing = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if SHOWN in text:
            self.showing.set()
        return super().write(text)


@dataclass
class Search:
    nodes: int = 1234
    lower_bound: int = 4
    best: tuple[int, tuple[str, ...]] | None = None


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(progress, "PATIENCE_S", 0.01)
    return Screen()


def test_a_long_search_shows_how_far_it_is_and_erases_it(screen: Screen) -> None:
    with redirect_stderr(screen), progress.progress(Search()):
        assert screen.showing.wait(60)

    erase_line = "\x1b[2K"
    after = screen.getvalue().rpartition(SHOWN)[2]
    assert erase_line in after


def test_both_bounds_are_shown_once_a_mate_is_found(screen: Screen) -> None:
    found = Search(best=(9, ("a1a2",)))
    with redirect_stderr(screen), progress.progress(found):
        assert screen.showing.wait(60)

    assert "no mate in 3 or fewer moves, mate in 9 found, 1,234 nodes" in (
        screen.getvalue()
    )


def test_a_short_search_shows_nothing(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 60)

    with redirect_stderr(screen), progress.progress(Search()):
        pass

    assert screen.getvalue() == ""


def test_nothing_is_shown_before_the_search_begins(screen: Screen) -> None:
    with redirect_stderr(screen), progress.progress(Search(nodes=0)):
        assert not screen.showing.wait(0.1)

    assert screen.getvalue() == ""


def test_nothing_is_shown_off_a_terminal(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "isatty", lambda: False)

    with redirect_stderr(screen), progress.progress(Search()):
        assert not screen.showing.wait(0.1)

    assert screen.getvalue() == ""
