"""Child processes of tests and benchmarks: default signals, a time limit, no orphans.

Start each process through `started` or `run`; `limited` and `limited_workers` are for
processes that a library starts. A child inherits the signals that its parent ignores,
so under `nohup`, in a shell's `&` and on some runners it would never hear Ctrl-C, and
whoever waits for its end would wait for ever.
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

    Ctrl-C raises KeyboardInterrupt again. SIGTERM, SIGHUP and SIGQUIT do nothing here,
    as before (`nohup` protects the tests as a whole), but are handled, and what its
    parent handles has its default in a child. Signals that are not ignored stay as
    they are.
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

    Parameters
    ----------
    pid : int
        The group's leader; a child of this process.
    patience_s : float
        How long the block may last, in seconds. When the time is up, reading from the
        group's pipes and waiting for its leader come to an end.

    Raises
    ------
    TimeoutError
        At the end of the block: its time was up. An error of the block is the cause.
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

    The process leads a new session and group. When the block ends, however it
    ends, the whole group is killed, pipes are closed, and the process is waited for:
    wait for its own end inside the block.

    Parameters
    ----------
    words : sequence of str or path
        The program and its arguments.
    patience_s : float
        The group is killed after this many seconds.
    **settings
        What `subprocess.Popen` takes. Streams are text unless `text=False` is given.

    Yields
    ------
    subprocess.Popen
        The process, running.

    Raises
    ------
    TimeoutError
        It was killed since it took too long.

    Examples
    --------
    >>> with started([sys.executable, "-m", "solver", "uci"], stdin=PIPE) as engine:
    ...     engine.send_signal(signal.SIGINT)
    ...     assert engine.wait() == 130
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
    """Run a process with default signals to its end, as `subprocess.run` does.

    Parameters
    ----------
    words : sequence of str or path
        The program and its arguments.
    stdin : str or bytes, optional
        What it reads; without it, nothing. Bytes need `text=False`.
    check : bool
        Whether an exit code other than 0 is an error.
    patience_s : float
        It is killed with all its processes after this many seconds.
    **settings
        What `subprocess.Popen` takes. Both output streams are captured as text unless
        `stdout`, `stderr` or `text` say otherwise.

    Raises
    ------
    TimeoutError
        It was killed since it took too long.
    subprocess.CalledProcessError
        `check` is set, and the exit code is not 0.
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
