"""CPU time, for tests that must pass on a busy machine too.

A limit is a wide multiple of what the work usually takes.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator


@contextmanager
def spending_less_than(cpu_s: float) -> Iterator[None]:
    """Fail if the block takes this many seconds of CPU time or more, in all threads."""
    started = time.process_time()
    yield
    spent = time.process_time() - started
    assert spent < cpu_s, f"expected less than {cpu_s:g} s of CPU time, found {spent:g}"


def wait_for_work(process: subprocess.Popen[Any], cpu_s: float = 0.5) -> None:
    """Wait until a process that searches has spent further seconds of CPU time."""
    enough = _spent_s(process.pid) + cpu_s
    while process.poll() is None and _spent_s(process.pid) < enough:
        time.sleep(0.02)


@contextmanager
def ending_within(process: subprocess.Popen[Any], cpu_s: float) -> Iterator[None]:
    """Fail if a process, the only child to end in it, spends so much CPU time."""
    before = sum(os.times()[2:4]) + _spent_s(process.pid)
    yield
    spent = sum(os.times()[2:4]) - before
    assert spent < cpu_s, f"expected less than {cpu_s:g} s of CPU time, found {spent:g}"


@contextmanager
def after_work(
    act: Callable[[], object], cpu_s: float = 0.3, pid: int | None = None
) -> Iterator[None]:
    """Act in another thread, once a process (or this one) has spent CPU time."""
    pid = pid or os.getpid()
    enough, is_over = _spent_s(pid) + cpu_s, threading.Event()

    def watch() -> None:
        while not is_over.wait(0.01):
            if _spent_s(pid) >= enough:
                act()
                return

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        is_over.set()
        watching.join()


def _spent_s(pid: int) -> float:
    """Return the CPU time of a process and of all that it started, in seconds."""
    spent = 0.0
    with suppress(psutil.NoSuchProcess):  # one has just ended
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            spent += sum(one.cpu_times()[:4])  # those that ended are in the last two
    return spent
