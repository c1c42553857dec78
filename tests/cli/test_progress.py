"""Progress of searches and of counted work, on a terminal and off it."""

from __future__ import annotations

import io
import threading
import time
from contextlib import redirect_stderr
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

import pytest

from solver.audit.results import AuditResult
from solver.cli import console
from solver.cli.console import AuditProgress, TimedProgress, run_interruptible
from solver.search.threads import Control
from tests.processes import PATIENCE_S

SHOWN = "1,234 nodes"
ERASE_LINE = "\x1b[2K"
NOTICE = "error: a.pgn:7: no result"


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


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (Search(), "no mate in 3 or fewer moves, "),
        (Search(detail="3 of 9 done"), "3 of 9 done, "),
        (Search(best=(9, ("a1a2",))), "no mate in 3 or fewer moves, mate in 9 found, "),
        (Search(best=(9, ("a1a2",)), work="tries: 3 of 24"), "tries: 3 of 24, "),
    ],
)
def test_a_long_search_shows_progress(search: Any, words: str, screen: Screen) -> None:
    with redirect_stderr(screen), console.SearchProgress(search):
        assert screen.showing.wait(60)
    assert f"{words}{SHOWN}" in screen.getvalue()
    assert ("no mate" in screen.getvalue()) is not bool(search.work)
    assert ERASE_LINE in screen.getvalue().rpartition(SHOWN)[2]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_progress_of_a_search_is_shown_on_a_terminal_only_and_after_a_while(
    is_terminal: bool, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = threading.Event()
    with redirect_stderr(screen), console.SearchProgress(Search(nodes=0)):
        assert not screen.showing.wait(0.1)
    assert screen.getvalue() == ""
    monkeypatch.setattr(screen, "isatty", lambda: is_terminal)
    monkeypatch.setattr(console.SearchProgress, "_start_late", lambda _: shown.set())
    with redirect_stderr(screen):
        assert run_interruptible(lambda: "answer", Control()) == "answer"
    assert shown.is_set() == is_terminal


@pytest.mark.parametrize("is_terminal", [True, False])
def test_notices_stay_above_the_line_and_are_all_that_is_printed_off_a_terminal(
    is_terminal: bool, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "isatty", lambda: is_terminal)
    shown = TimedProgress()
    shown.done = 5678
    with redirect_stderr(screen), shown:
        shown.notify(NOTICE)
    before, _, after = screen.getvalue().partition(f"{NOTICE}\n")
    assert (ERASE_LINE in before, "5,678 done, " in after) == (is_terminal,) * 2
    assert is_terminal or screen.getvalue() == f"{NOTICE}\n"


# --- the line of counted work


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


LINE = [
    (1_234, 30, 2, "32/1,234, 0:01:15 left, 16/s: 30 proved, 2 refuted"),
    (None, 1, 0, "1 done, 0.5/s: 1 proved"),
    (None, 0, 0, "0 done, 0.0/s"),
    (1, 2, 0, "2/1, 0:00:00 left, 1.0/s: 2 proved"),
]


@pytest.mark.parametrize(("total", "proved", "refuted", "line"), LINE)
def test_the_line_has_what_is_done_the_time_left_the_rate_and_the_verdicts(
    total: int | None, proved: int, refuted: int, line: str, clock: list[float]
) -> None:
    progress = AuditProgress(lambda: total)
    for verdict in (*["proved"] * proved, *["refuted"] * refuted):
        progress.add(AuditResult("x.epd:1", "x", "8/8", verdict=verdict))
    clock[0] += 2
    assert progress.line() == line


def test_a_pipe_gets_a_line_at_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: SimpleQueue[str] = SimpleQueue()
    monkeypatch.setattr(console, "EVERY_S", 0.001)
    monkeypatch.setattr(console, "notify", lines.put)
    with AuditProgress(lambda: None):
        assert lines.get(timeout=PATIENCE_S).startswith("0 done, ")
    while not lines.empty():
        lines.get()
    with AuditProgress(lambda: None, hidden=True), pytest.raises(Empty):
        lines.get(timeout=0.05)
