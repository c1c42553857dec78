from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from solver.cli import INTERRUPTS
from solver.cli.signals import interruptible, raise_interrupts
from solver.solution import StoppedBy
from tests.processes import run
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import CompletedProcess


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
def test_repeated_sigterm_counts_once_and_ctrl_c_after_it_ends_the_program(
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


def test_the_handlers_are_restored_after_the_search() -> None:
    before = signal.getsignal(signal.SIGINT)

    with interruptible(Search()):
        assert signal.getsignal(signal.SIGINT) != before

    assert signal.getsignal(signal.SIGINT) == before


def test_the_handler_is_restored_after_an_interrupted_search() -> None:
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


def test_another_thread_does_not_handle_signals() -> None:
    before = signal.getsignal(signal.SIGINT)
    during = []

    def work() -> None:
        with interruptible(Search()):
            during.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert during == [before]


IMPORTED = """
import os, signal, sys

number, imported = int(sys.argv.pop(1)), []

def count(event, arguments):
    if event == "import":
        imported.append(arguments[0])
        if len(imported) == number:
            os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(count)
from solver.__main__ import main
if number == 0:
    sys.stdout = open(os.devnull, "w")
    import atexit
    atexit.register(lambda: os.write(1, "\\n".join(imported).encode()))
main()
"""
"""Runs a command; interrupts it at its import of this number, or prints them all."""

EARLY = {"solver", "solver.__main__", "solver.cli"}
"""What is imported before an interrupt can be handled."""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("command", ["--help", "table 7k/8/8/8/8/8/R7/1R4K1 -d 1"])
@sized("step", 29, 1)
def test_an_interrupt_during_any_import_ends_with_one_line(
    command: str, step: int
) -> None:
    def interrupted_at(number: int) -> CompletedProcess[str]:
        return run([sys.executable, "-c", IMPORTED, str(number), *command.split()])

    whole = interrupted_at(0)
    names = whole.stdout.split("\n")
    assert (whole.returncode, {*names[: len(EARLY)]}) == (0, EARLY)
    assert len(names) > 60
    first = len(EARLY) + 1
    for number in (first, *range(first + step, len(names), step)):
        ended = interrupted_at(number)
        name = names[number - 1]
        assert (ended.returncode, ended.stderr) == (130, "interrupted\n"), name
