"""Stopping a search from outside, and the clock that does it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from solver.search.threads import Control, Watchdog
from solver.solution import StoppedBy
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from solver.kernel.border.search_struct import Search


class EventControl(Control):
    """A control with an event that is set when it is stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.stopped = threading.Event()

    def stop(self, reason: StoppedBy = StoppedBy.INTERRUPT) -> None:
        super().stop(reason)
        self.stopped.set()


@pytest.fixture
def control() -> Control:
    return Control()


def test_a_stop_reaches_the_search(control: Control, search: Search) -> None:
    control.attach(search)
    assert not search.stop
    assert control.reason is None
    control.stop()
    assert search.stop
    assert control.reason is StoppedBy.INTERRUPT


def test_a_stop_before_the_search_begins_is_kept(
    control: Control, search: Search
) -> None:
    control.stop(StoppedBy.TIME)
    control.attach(search)
    assert search.stop
    assert control.reason is StoppedBy.TIME


def test_a_new_search_begins_unstopped(search: Search) -> None:
    search.stop = 1
    Control().attach(search)
    assert not search.stop


def test_the_first_reason_is_kept(control: Control, search: Search) -> None:
    control.attach(search)
    control.stop(StoppedBy.TIME)
    control.stop(StoppedBy.INTERRUPT)
    assert control.reason is StoppedBy.TIME


def test_nodes_are_those_of_the_search(control: Control, search: Search) -> None:
    assert control.nodes == 0
    control.attach(search)
    search.nodes = 1234
    assert control.nodes == 1234


def is_heard(search: Search) -> bool:
    """Return whether a stop ends the search now."""
    return bool(search.stop > search.patience)


@pytest.mark.parametrize("reason", [StoppedBy.TIME, StoppedBy.NODES])
def test_a_limit_waits_until_a_proof_is_finished(
    control: Control, search: Search, reason: StoppedBy
) -> None:
    search.node_limit = 7
    control.attach(search)
    with control.finishing():
        control.stop(reason)
        assert not is_heard(search)
        assert search.node_limit > 1 << 60
    assert is_heard(search)
    assert search.node_limit == 7


def test_an_earlier_limit_does_not_stop_the_finishing(
    control: Control, search: Search
) -> None:
    control.attach(search)
    control.stop(StoppedBy.TIME)
    with control.finishing():
        assert not is_heard(search)
    assert is_heard(search)


@pytest.mark.parametrize("earlier", [True, False])
def test_an_interrupt_ends_the_finishing_too(
    control: Control, search: Search, earlier: bool
) -> None:
    control.attach(search)
    if earlier:
        control.stop()
    with control.finishing():
        if not earlier:
            control.stop()
        assert is_heard(search)


def test_finishing_without_a_stop_leaves_the_search_running(
    control: Control, search: Search
) -> None:
    control.attach(search)
    with control.finishing():
        pass
    assert not search.stop


def test_the_watchdog_stops_a_search_over_time() -> None:
    control, watchdog = EventControl(), Watchdog()
    with watchdog.limit(control, 0.01):
        assert control.stopped.wait(PATIENCE_S)
    assert control.reason is StoppedBy.TIME


def test_without_a_limit_no_thread_is_started() -> None:
    watchdog = Watchdog()
    before = threading.active_count()
    with watchdog.limit(Control(), None):
        assert threading.active_count() == before


def test_a_search_that_ends_in_time_is_not_stopped_later() -> None:
    watchdog, early, late = Watchdog(), EventControl(), EventControl()
    with watchdog.limit(early, 0.05):
        pass
    with watchdog.limit(late, 0.1):
        assert late.stopped.wait(PATIENCE_S)
    assert not early.stopped.is_set()


def test_the_shorter_of_two_limits_comes_first() -> None:
    watchdog, long, short = Watchdog(), EventControl(), EventControl()
    with watchdog.limit(long, PATIENCE_S), watchdog.limit(short, 0.01):
        assert short.stopped.wait(PATIENCE_S)
        assert not long.stopped.is_set()


def test_two_limits_at_the_same_moment_both_count() -> None:
    watchdog, one, other = Watchdog(), EventControl(), EventControl()
    with watchdog.limit(one, 0), watchdog.limit(other, 0):
        assert one.stopped.wait(PATIENCE_S)
        assert other.stopped.wait(PATIENCE_S)
