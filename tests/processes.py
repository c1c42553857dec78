"""Child processes of tests and benchmarks: default signals, a time limit, no orphans.

Start each process through `started` or `run`; `limited` and `limited_workers` are for
processes that a library starts. A child inherits the signals that its parent ignores,
so under `nohup` and on some runners it would never hear Ctrl-C.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import threading
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PATIENCE_S = 600.0
"""Ends what hangs, and nothing that is merely slow; no test measures time."""


def restore_signals() -> None:
    """Hear the signals that this process was started to ignore.

    The others do nothing here, but what a parent handles has its default in a child.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)  # Windows lacks the last two
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            is_interrupt = number == signal.SIGINT
            signal.signal(
                number, signal.default_int_handler if is_interrupt else _do_nothing
            )


def _do_nothing(_number: int, _frame: object) -> None:
    pass


@contextmanager
def limited(pid: int, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Kill a process group when its time is up, and what is left of it at the end.

    When the time is up, reading from the group's pipes and waiting for its leader end,
    and the block raises TimeoutError; an error of the block is its cause.
    """
    with _limited(partial(kill_group, pid), f"process {pid} was killed", patience_s):
        yield


@contextmanager
def limited_workers(patience_s: float = 5 * PATIENCE_S) -> Iterator[None]:
    """Do as `limited` does for all that `multiprocessing` starts in this process."""
    with _limited(_kill_workers, "the workers were killed", patience_s):
        yield


@contextmanager
def _limited(
    kill: Callable[[], None], message: str, patience_s: float
) -> Iterator[None]:
    is_over, is_late = threading.Event(), threading.Event()

    def watch() -> None:
        if is_over.wait(patience_s):
            return
        is_late.set()
        kill()
        while not is_over.wait(1):
            kill()  # what was started in the meantime

    late = TimeoutError(f"{message}: it took over {patience_s:g} s")
    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    except BaseException as error:  # raised again, perhaps as the cause of another
        if is_late.is_set():
            raise late from error
        raise
    else:
        if is_late.is_set():
            raise late
    finally:
        is_over.set()
        watching.join()
        kill()


def _kill_workers() -> None:
    for worker in multiprocessing.active_children():
        worker.kill()


def kill_group(pid: int) -> None:
    """Kill a process and all of its group (SIGKILL); it may have ended already."""
    # macOS refuses to kill a group of which only its ended leader is left.
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)


@contextmanager
def started(
    words: Sequence[str | os.PathLike[str]],
    *,
    patience_s: float = PATIENCE_S,
    **settings: Any,
) -> Iterator[subprocess.Popen[Any]]:
    """Start a process with default signals, and leave nothing of it behind.

    The process leads a new session and group. When the block ends, however it ends, or
    after `patience_s` seconds (then with TimeoutError), the whole group is killed:
    wait for its own end inside the block. `settings` are those of `subprocess.Popen`;
    streams are text unless `text=False` is given.
    """
    restore_signals()
    process = subprocess.Popen(
        words, start_new_session=True, **{"text": True, **settings}
    )
    try:
        with limited(process.pid, patience_s):
            yield process
    finally:
        # Closing a pipe writes what is left in it, which nobody is there to read.
        with suppress(BrokenPipeError), process:
            pass


def run(
    words: Sequence[str | os.PathLike[str]],
    *,
    stdin: str | bytes | None = None,
    check: bool = False,
    patience_s: float = PATIENCE_S,
    **settings: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a process as `started` to its end; it reads `stdin`, or nothing.

    Both output streams are captured unless `settings` say otherwise.
    """
    captured = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    pipe = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    with started(
        words, patience_s=patience_s, **{"stdin": pipe, **captured, **settings}
    ) as process:
        out, err = process.communicate(stdin)
    done = subprocess.CompletedProcess(words, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done
