"""How far an audit is: done, left, rate, time to go, and what was found."""

from __future__ import annotations

import time
from queue import Empty, SimpleQueue

import pytest

from solver.audit.result import AuditResult
from solver.cli import console as streams
from solver.cli import progress as watch_module
from solver.cli.progress import RECENT_S, Watch, showing

PATIENCE_S = 20.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def advance(watch: Watch, *words: str) -> None:
    for word in words:
        watch.advance(AuditResult("x.epd:1", "x", "8/8", verdict=word))


def test_the_line_has_everything(clock: list[float]) -> None:
    watch = Watch(lambda: 1_234)
    advance(watch, *["proved"] * 30, "refuted", "refuted")
    clock[0] += 2
    assert watch.line() == (
        "32 done, 1,202 left, 16/s, 0:01:15 to go: 30 proved, 2 refuted"
    )


def test_where_the_end_is_not_known_nothing_is_said_of_it(clock: list[float]) -> None:
    watch = Watch(lambda: None)
    assert watch.line() == "0 done, 0.0/s"
    advance(watch, "proved")
    clock[0] += 4
    assert watch.line() == "1 done, 0.2/s: 1 proved"


def test_an_estimate_that_was_passed_leaves_nothing(clock: list[float]) -> None:
    watch = Watch(lambda: 1)
    advance(watch, "proved", "proved")
    clock[0] += 1
    assert watch.line() == "2 done, 0 left, 2.0/s, 0:00:00 to go: 2 proved"


def test_the_rate_is_that_of_late(clock: list[float]) -> None:
    watch = Watch(lambda: 10_100)
    advance(watch, *["proved"] * 10_000)  # out of a store, say
    clock[0] += 1
    assert "10,000/s" in watch.line()
    for _ in range(5):
        clock[0] += RECENT_S / 2
        advance(watch, "proved")
        watch.line()
    assert ", 0.1/s, " in watch.line()


def test_off_a_terminal_a_line_is_told_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines: SimpleQueue[str] = SimpleQueue()
    monkeypatch.setattr(watch_module, "EVERY_S", 0.001)
    monkeypatch.setattr(streams, "notify", lines.put)
    watch = Watch(lambda: None)
    with showing(watch, hidden=False):
        assert lines.get(timeout=PATIENCE_S).startswith("0 done, ")
    while not lines.empty():
        lines.get()
    with showing(watch, hidden=True), pytest.raises(Empty):
        lines.get(timeout=0.05)
