"""Limits of CPU time, for tests that must pass on a busy machine too.

A wall clock also counts what other processes do; CPU time counts this process alone.
A limit is a wide multiple of what the work usually takes.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator


@contextmanager
def spending_less_than(cpu_s: float) -> Iterator[None]:
    """Fail if the block takes this many seconds of CPU time or more, in all threads."""
    started = time.process_time()
    yield
    spent = time.process_time() - started
    assert spent < cpu_s, f"expected less than {cpu_s:g} s of CPU time, found {spent:g}"


def wait_for_work(process: subprocess.Popen[Any], cpu_s: float = 0.5) -> None:
    """Wait until a process that searches has spent further seconds of CPU time."""
    child = psutil.Process(process.pid)

    def spent() -> float:
        used = child.cpu_times()
        return float(used.user + used.system)

    enough = spent() + cpu_s
    while process.poll() is None and spent() < enough:
        time.sleep(0.02)
