from __future__ import annotations

import io
import re
import threading
from contextlib import redirect_stderr
from dataclasses import dataclass
from typing import Any

import pytest

from solver.cli import console
from solver.cli.console import run_interruptible
from solver.search.threads import Control

SHOWN = "1,234 nodes"


class Screen(io.StringIO):
    """A terminal that sets an event when `SHOWN` is first written."""

    def __init__(self) -> None:
        super().__init__()
        self.showing = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if SHOWN in text:
            self.showing.set()
        return super().write(text)


def frames(screen: Screen) -> list[str]:
    """Return all lines that were drawn, without colours."""
    drawn = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
    return [frame for frame in re.split(r"[\r\n]+", drawn) if frame]


@dataclass
class _Search:
    nodes: int = 1234
    detail: str = ""
    lower_bound: int = 4
    best: tuple[int, tuple[str, ...]] | None = None
    work: str = ""


Search: Any = _Search
"""Stands for the control of a search."""


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(console, "PATIENCE_S", 0.01)
    return Screen()


def test_a_long_search_shows_progress_and_erases_it(screen: Screen) -> None:
    with redirect_stderr(screen), console.SearchProgress(Search()):
        assert screen.showing.wait(60)

    erase_line = "\x1b[2K"
    after = screen.getvalue().rpartition(SHOWN)[2]
    assert erase_line in after


def test_the_final_positions_that_are_done_are_shown(screen: Screen) -> None:
    found = Search(detail="3 of 9 final positions done")
    with redirect_stderr(screen), console.SearchProgress(found):
        assert screen.showing.wait(60)

    assert "no mate in 3 or fewer moves, 3 of 9 final positions done, 1,234 nodes" in (
        screen.getvalue()
    )


def test_both_bounds_are_shown_once_a_mate_is_found(screen: Screen) -> None:
    found = Search(best=(9, ("a1a2",)))
    with redirect_stderr(screen), console.SearchProgress(found):
        assert screen.showing.wait(60)

    assert "no mate in 3 or fewer moves, mate in 9 found, 1,234 nodes" in (
        screen.getvalue()
    )


def test_what_is_built_takes_the_place_of_the_bounds(screen: Screen) -> None:
    building = Search(best=(9, ("a1a2",)), work="tries: move 3 of 24")
    with redirect_stderr(screen), console.SearchProgress(building):
        assert screen.showing.wait(60)

    assert "tries: move 3 of 24, 1,234 nodes" in screen.getvalue()
    assert "no mate" not in screen.getvalue()


def test_a_short_search_shows_nothing(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "PATIENCE_S", 60)

    with redirect_stderr(screen), console.SearchProgress(Search()):
        pass

    assert screen.getvalue() == ""


def test_nothing_is_shown_before_the_search_starts(screen: Screen) -> None:
    with redirect_stderr(screen), console.SearchProgress(Search(nodes=0)):
        assert not screen.showing.wait(0.1)

    assert screen.getvalue() == ""


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_progress_of_a_search_is_shown_on_a_terminal_only(
    is_terminal: bool, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = threading.Event()
    monkeypatch.setattr(screen, "isatty", lambda: is_terminal)
    monkeypatch.setattr(console.SearchProgress, "_start_late", lambda _: shown.set())

    with redirect_stderr(screen):
        assert run_interruptible(lambda: "answer", Control()) == "answer"

    assert shown.is_set() == is_terminal


def test_an_experiment_shows_its_step_a_bar_and_its_nodes(screen: Screen) -> None:
    words = "mdp cpw: depth 3, 1,234 nodes"
    shown = console.Progress(lambda: words, lambda: 5000)
    shown.done = 2
    with redirect_stderr(screen), shown:
        assert screen.showing.wait(60)

    assert f"{'━' * 13} 2/5,000: {words}" in frames(screen)


def test_a_narrow_terminal_shows_the_time_left_and_no_second_line(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = console.TimedProgress(lambda: f"{SHOWN}, {SHOWN}", lambda: 9_999)
    with redirect_stderr(screen), shown:
        shown.done = 1_234
    assert re.search(r"━ 1,234/9,999, \d+:\d\d:\d\d left", frames(screen)[-1])
    assert max(map(len, frames(screen))) == 40


def test_notices_are_printed_above_the_line_and_stay(screen: Screen) -> None:
    shown = console.TimedProgress()
    shown.done = 5678
    with redirect_stderr(screen), shown:
        shown.notify("error: a.pgn:7: no result")

    before, _, after = screen.getvalue().partition("error: a.pgn:7: no result\n")
    assert "\x1b[2K" in before  # the line is erased first
    assert "5,678 done, " in after


def test_notices_are_all_that_is_printed_off_a_terminal(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "isatty", lambda: False)

    shown = console.TimedProgress()
    shown.done = 5678
    with redirect_stderr(screen), shown:
        shown.notify("error: a.pgn:7: no result")

    assert screen.getvalue() == "error: a.pgn:7: no result\n"
