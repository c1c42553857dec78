"""Progress of counted work: done, time left, rate, and what it has come to."""

from __future__ import annotations

import time
from queue import Empty, SimpleQueue

import pytest

from solver.audit.results import AuditResult
from solver.cli import console as module
from solver.cli import console as streams
from solver.cli.console import RECENT_S, AuditProgress, TimedProgress
from tests.processes import PATIENCE_S


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def add(progress: AuditProgress, *words: str) -> None:
    for word in words:
        progress.add(AuditResult("x.epd:1", "x", "8/8", verdict=word))


def test_the_line_has_everything(clock: list[float]) -> None:
    progress = AuditProgress(lambda: 1_234)
    add(progress, *["proved"] * 30, "refuted", "refuted")
    clock[0] += 2
    assert progress.line() == ("32/1,234, 0:01:15 left, 16/s: 30 proved, 2 refuted")


def test_games_have_the_same_line(clock: list[float]) -> None:
    progress = TimedProgress(lambda: "+3 -1 =4, Elo 8.0 +- 2.1", lambda: 1000)
    assert progress.line() == "0/1,000, 0.0/s: +3 -1 =4, Elo 8.0 +- 2.1"
    progress.done = 8
    clock[0] += 16
    assert progress.line() == "8/1,000, 0:33:04 left, 0.5/s: +3 -1 =4, Elo 8.0 +- 2.1"


def test_without_an_estimate_nothing_is_said_of_what_is_left(
    clock: list[float],
) -> None:
    progress = AuditProgress(lambda: None)
    assert progress.line() == "0 done, 0.0/s"
    add(progress, "proved")
    clock[0] += 4
    assert progress.line() == "1 done, 0.2/s: 1 proved"


def test_nothing_is_left_once_the_estimate_is_exceeded(clock: list[float]) -> None:
    progress = AuditProgress(lambda: 1)
    add(progress, "proved", "proved")
    clock[0] += 1
    assert progress.line() == "2/1, 0:00:00 left, 2.0/s: 2 proved"


def test_the_rate_covers_recent_results_only(clock: list[float]) -> None:
    progress = AuditProgress(lambda: 10_100)
    add(progress, *["proved"] * 10_000)  # such as from a store
    clock[0] += 1
    assert "10,000/s" in progress.line()
    for _ in range(5):
        clock[0] += RECENT_S / 2
        add(progress, "proved")
        progress.line()
    assert ", 0.1/s: " in progress.line()


def test_off_a_terminal_a_line_is_printed_at_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines: SimpleQueue[str] = SimpleQueue()
    monkeypatch.setattr(module, "EVERY_S", 0.001)
    monkeypatch.setattr(streams, "notify", lines.put)
    with AuditProgress(lambda: None):
        assert lines.get(timeout=PATIENCE_S).startswith("0 done, ")
    while not lines.empty():
        lines.get()
    with AuditProgress(lambda: None, hidden=True), pytest.raises(Empty):
        lines.get(timeout=0.05)
