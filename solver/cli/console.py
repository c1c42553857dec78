"""Exit codes, the standard streams, output files, interrupts."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import signal
import stat
import sys
import threading
from contextlib import contextmanager
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TextIO, cast

import click

from solver.cli import signals
from solver.cli.signals import INTERRUPTED, ending_at_once
from solver.files import GZIPPED
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from types import FrameType

    from rich.console import Console

    from solver.kernel.loader import Build


# What the command exits with.


class Exit(IntEnum):
    """Exit codes; those from 64 on are the ones of sysexits.h.

    A command that answers several positions exits with the highest code of its
    answers, so the order of the values is their precedence.
    """

    PROVED = 0
    """Everything asked was answered with a proof."""

    NEGATIVE = 1
    """A clean negative: proved, and not what was hoped for."""

    USAGE = 2
    """The command line cannot be understood."""

    LIMIT = 3
    """A limit left something undecided."""

    BAD_INPUT = 65
    """A position or a file cannot be read."""

    INTERNAL = 70
    """A fault of the program."""

    IO = 74
    """Reading or writing failed."""

    INTERRUPTED = INTERRUPTED
    """Ctrl-C, SIGTERM or SIGHUP."""


PRECEDENCE = (
    Exit.INTERRUPTED,
    Exit.IO,
    Exit.BAD_INPUT,
    Exit.NEGATIVE,
    Exit.LIMIT,
    Exit.PROVED,
)
"""Of what happened to files: what was not read, then disagreements, then limits."""


def foremost(codes: Collection[Exit]) -> Exit:
    """Choose what a command that reads files exits with."""
    return next(code for code in PRECEDENCE if code in codes)


# The standard streams, any of which may be closed or break off.


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether people watch this stream; one that was closed is None."""
    return stream is not None and stream.isatty()


def notify(message: str) -> None:
    """Print one line of notice or error on stderr."""
    # With stderr gone as well there is nobody left to tell.
    with contextlib.suppress(OSError):
        click.echo(message, err=True)


def let_go(stream: TextIO | None) -> None:
    """Drop what a broken stream still holds, or the interpreter complains at exit."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


# What a command writes to: a file, whole or not at all, or standard output.

STDIN = STDOUT = "-"
"""The path that stands for standard input or standard output."""


def prepare_outputs(
    *outputs: str | None, reads: Iterable[str] = (), stdout: bool = False
) -> None:
    """Refuse, before hours of work, outputs that cannot or must not be written.

    Parameters
    ----------
    outputs : str or None
        The files that the command will write; None: that one is not wanted.
    reads : iterable of str
        The files that the command reads.
    stdout : bool
        Whether `-` stands for standard output; else it is refused.

    Raises
    ------
    click.UsageError
        See `require_apart`.
    OSError
        As the system reports it, about the output.
    """
    from solver.files import require_writable

    wanted = [output for output in outputs if output is not None]
    require_apart(wanted, reads, stdout=stdout)
    for output in wanted:
        if output != STDOUT:
            require_writable(output)


def require_apart(
    outputs: Iterable[str], reads: Iterable[str] = (), *, stdout: bool = False
) -> None:
    """Refuse to overwrite an input, or to write two outputs to one file.

    Files are compared by inode, so that links do not hide that they are the same.
    Terminals, pipes and devices such as /dev/null are never the same.

    Raises
    ------
    click.UsageError
        An output is also an input, or another output, or not the name of a file.
    """
    inputs = identify_inputs(reads)
    written: dict[object, str] = {}
    for output in outputs:
        if output == STDOUT and not stdout:
            msg = f"{output}: expected the name of a file."
            raise click.UsageError(msg)
        identity = identify_file(output, sys.stdout)
        if identity is None:
            continue
        if identity in inputs:
            msg = f"{output}: expected an output that is no input, found an input."
            raise click.UsageError(msg)
        if identity in written:
            msg = (
                f"{output}: expected a file for each output, found the same file "
                f"twice ({written[identity]})."
            )
            raise click.UsageError(msg)
        written[identity] = output


def store_files(path: str) -> tuple[str, str, str]:
    """List a store and the two files that SQLite keeps beside it."""
    real = os.path.realpath(path)
    return path, f"{real}-wal", f"{real}-shm"


@contextmanager
def open_target(path: str) -> Iterator[BinaryIO]:
    """Open what is written: whole or not at all, compressed if its name says so."""
    from solver.files import open_whole

    if path == STDOUT:
        if sys.stdout is None:
            msg = "standard output is closed"
            raise OSError(msg)
        yield sys.stdout.buffer
        return
    with open_whole(path) as file:
        if not path.endswith(GZIPPED):
            yield file
            return
        # Neither name nor time: the same problems make the same file.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed:
            yield cast("BinaryIO", compressed)


def identify_inputs(reads: Iterable[str]) -> frozenset[object]:
    """Give the identities of the files that a command reads; see `identify_file`."""
    return frozenset(identify_file(path, sys.stdin) for path in reads) - {None}


def identify_file(path: str, stream: TextIO | None = None) -> object:
    """Give what two paths of one file have in common; `stream` is what `-` stands for.

    Returns
    -------
    object
        Hashable; None for terminals, pipes and devices.
    """
    try:
        if path == STDOUT:
            if stream is None:
                return None
            status = os.fstat(stream.fileno())
        else:
            status = Path(path).stat()
    except io.UnsupportedOperation:  # a stream without a file
        return None
    except OSError:  # it is not there yet
        return os.path.realpath(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino


# An interrupt during a search: stop the search, and print what it has.


class Stoppable(Protocol):
    """Anything that runs until told to end, such as `solving.Control`."""

    def stop(self, reason: StoppedBy = ...) -> None:
        """Ask it to end soon, and give the reason to tell."""


@contextmanager
def interruptible(search: Stoppable) -> Iterator[None]:
    """Let the first interrupt stop `search`; Ctrl-C after it raises KeyboardInterrupt.

    Outside the main thread, where Python lets nobody handle signals, nothing is
    changed, nor for signals that the process was started to ignore (`nohup`, a
    script's `&`).
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        signals.raise_interrupts()
        if number != signal.SIGINT:
            signals.ignore_repeats()
        search.stop(StoppedBy.INTERRUPT)

    previous = {number: signal.signal(number, stop) for number in signals.heard()}
    try:
        yield
    finally:
        for number, handler in previous.items():
            if signal.getsignal(number) is not signals.ignore:
                signal.signal(number, handler)


# The compiled kernel, made ready before a command's clock starts.


def prepare_kernel() -> Build:
    """Load the kernel; a user who has to wait for it, or should know more, is told."""
    from solver.kernel.loader import load_kernel

    with ending_at_once():
        return load_kernel(notify)


# Rich consoles for what people read on a terminal; rich is loaded only then.

UNWRAPPED = 10_000
"""Columns when stdout is not a terminal: a pipe gets each line whole."""


@cache
def _console_class() -> type[Console]:
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            """Leave a closed pipe to `main`; rich itself would exit with 1."""
            raise BrokenPipeError

    return _Console


def _console(stream: TextIO | None, *, stderr: bool) -> Console:
    terminal = is_terminal(stream)
    return _console_class()(
        stderr=stderr,
        force_terminal=terminal,
        width=None if terminal else UNWRAPPED,
        markup=False,
        emoji=False,
        highlight=False,
    )


def stdout_console() -> Console:
    """Console for answers: no colour off a terminal, `NO_COLOR` honoured."""
    return _console(sys.stdout, stderr=False)


def stderr_console() -> Console:
    """Console for progress and notices."""
    return _console(sys.stderr, stderr=True)


def paints(console: Console) -> bool:
    """Whether the console shows the figurines and colours of a painted board."""
    colours = not console.no_color and console.color_system in {"256", "truecolor"}
    return colours and console.encoding.startswith("utf")
