from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import pytest

from solver.cli.signals import INTERRUPTS, interruptible, raise_interrupts
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Iterator


class Search:
    def __init__(self) -> None:
        self.stopped: list[StoppedBy] = []

    def stop(self, reason: StoppedBy = StoppedBy.TIME) -> None:
        self.stopped.append(reason)


def test_the_first_interrupt_stops_the_search_and_the_second_ends_the_program() -> None:
    search = Search()

    with interruptible(search), pytest.raises(KeyboardInterrupt):  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        assert search.stopped == [StoppedBy.INTERRUPT]
        signal.raise_signal(signal.SIGINT)

    assert search.stopped == [StoppedBy.INTERRUPT]


@pytest.fixture
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", [n for n in INTERRUPTS if n != signal.SIGINT])
def test_a_request_to_end_is_heard_once_and_ctrl_c_after_it_ends_the_program(
    number: signal.Signals,
) -> None:
    search = Search()

    with interruptible(search):
        signal.raise_signal(number)
        signal.raise_signal(number)
    signal.raise_signal(number)
    assert search.stopped == [StoppedBy.INTERRUPT]

    raise_interrupts()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    signal.raise_signal(number)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_interrupts_are_handled_as_before_once_the_search_is_over() -> None:
    before = signal.getsignal(signal.SIGINT)

    with interruptible(Search()):
        assert signal.getsignal(signal.SIGINT) != before

    assert signal.getsignal(signal.SIGINT) == before


def test_an_interrupted_search_gives_the_handler_back_as_well() -> None:
    before = signal.getsignal(signal.SIGINT)

    with interruptible(Search()):
        signal.raise_signal(signal.SIGINT)

    assert signal.getsignal(signal.SIGINT) == before


def test_ignored_interrupts_stay_ignored() -> None:
    search = Search()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible(search):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)

    assert search.stopped == []


def test_another_thread_searches_without_handling_signals() -> None:
    before = signal.getsignal(signal.SIGINT)
    during = []

    def work() -> None:
        with interruptible(Search()):
            during.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert during == [before]
