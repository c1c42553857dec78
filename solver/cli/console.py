"""What all commands share: exit codes, streams, files, progress, the kernel."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
import threading
import time
from collections import Counter, deque
from contextlib import contextmanager
from enum import IntEnum
from functools import cache
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, BinaryIO, NoReturn, Self, TextIO, TypeVar, cast

import click

from solver import errors
from solver.cli import INTERRUPTED, signals

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from rich.console import Console, RenderableType
    from rich.progress import Progress as RichProgress
    from rich.progress import Task

    from solver import position_text, problem
    from solver.audit import results
    from solver.kernel.border.parts import Part
    from solver.kernel.build import loader
    from solver.output import play_text
    from solver.output.text import Sentence
    from solver.search import threads


# --------------------------------------------------------------------------------------
# Progress on stderr: a line that a terminal redraws and erases at the end.
#
# Work that can be counted has a bar and shows how much is done; if all steps take about
# as long, it also shows the time left and the rate. Without a terminal, an audit and a
# node-count table print their line once a minute.

PATIENCE_S = 1.0
"""A search that ends within this time shows no progress."""

EVERY_S = 60.0
"""How often progress is printed without a terminal, where it is."""

RECENT_S = 30.0
"""A rate covers this time, because stored results come faster than new ones."""

_REFRESHES_PER_S = 4

_BAR = 6
"""A bar takes this part of the terminal's width."""


class Progress:
    """Shows progress while a `with` block runs.

    Parameters
    ----------
    words : callable
        Returns what is said of the work; another thread calls this while it goes on.
    total : callable
        Returns how many steps there are; None: this is unknown, and there is no bar.

    Attributes
    ----------
    done : int
        How many steps are done.
    """

    def __init__(
        self,
        words: Callable[[], str] = lambda: "",
        total: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._words = words
        self._total = total
        self._display: RichProgress | None = None
        self._marks = deque([(time.monotonic(), 0)])
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.done = 0

    def __enter__(self) -> Self:
        """Show the line if stderr is a terminal."""
        if is_terminal(sys.stderr):
            display = self._make_display()
            display.add_task("")
            display.start()
            self._display = display
        return self

    def __exit__(self, *_error: object) -> None:
        """Erase the line, or stop what would show or print it."""
        self._ended.set()
        if self._thread:
            self._thread.join()
        if self._display:
            display, self._display = self._display, None
            display.stop()

    def _start(self, work: Callable[[], None]) -> None:
        """Show or print the line in a thread, which ends with the block."""
        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()

    def notify(self, message: str) -> None:
        """Print a notice or an error above the line, or on stderr without one."""
        if self._display:
            self._display.console.print(one_line(message), soft_wrap=True)
        else:
            notify(message)

    def line(self) -> str:
        """Return how much is done, and the text that describes it."""
        return ": ".join(filter(None, (self._counts(), self._words())))

    def _counts(self) -> str:
        total = self._total()
        return "" if total is None else f"{self.done:,}/{total:,}"

    def _make_display(self) -> RichProgress:
        from rich.progress import Progress as Display
        from rich.progress import ProgressColumn
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        shown_on = stderr_console()

        class Line(ProgressColumn):
            def render(_self, _task: Task) -> RenderableType:  # noqa: N805 -- self is outside
                text = Text(self.line(), "dim", no_wrap=True, overflow="ellipsis")
                total = self._total()
                if total is None:
                    return text
                bar = ProgressBar(max(total, 1), self.done, shown_on.width // _BAR)
                row = Table.grid(padding=(0, 1, 0, 0))
                row.add_row(bar, text)
                return row

        return Display(
            Line(),
            console=shown_on,
            transient=True,
            refresh_per_second=_REFRESHES_PER_S,
            redirect_stdout=False,
            redirect_stderr=False,
        )


class SearchProgress(Progress):
    """Progress of the search for one position, shown once it takes a while."""

    def __init__(self, search: threads.Control) -> None:
        super().__init__(self._known)
        self._search = search

    def _known(self) -> str:
        from solver.output.text import known_so_far

        return known_so_far(self._search)

    def __enter__(self) -> Self:
        """Show the line after a delay, so that a short search does not load rich."""
        self._start(self._start_late)
        return self

    def _start_late(self) -> None:
        # A search without nodes has not begun: its code is still being compiled.
        while not self._ended.wait(PATIENCE_S):
            if self._search.nodes:
                super().__enter__()
                return


class TimedProgress(Progress):
    """Progress of steps that take about as long: a bar, the time left and the rate."""

    def _counts(self) -> str:
        done, total, rate = self.done, self._total(), self._recent_rate()
        parts = [f"{done:,} done" if total is None else f"{done:,}/{total:,}"]
        if total is not None and rate:
            parts.append(f"{_clock(max(total - done, 0) / rate)} left")
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
        return ", ".join(parts)

    def _recent_rate(self) -> float:
        """Return the steps a second over the last `RECENT_S`."""
        now = time.monotonic()
        self._marks.append((now, self.done))
        while len(self._marks) > 2 and now - self._marks[1][0] > RECENT_S:
            self._marks.popleft()
        since, before = self._marks[0]
        return (self.done - before) / max(now - since, 1e-9)


class PrintedProgress(Progress):
    """Progress that is printed once a minute where there is no terminal."""

    def __enter__(self) -> Self:
        """Show the line on a terminal, or print it once a minute elsewhere."""
        if not is_terminal(sys.stderr):
            self._start(self._print_lines)
        return super().__enter__()

    def _print_lines(self) -> None:
        while not self._ended.wait(EVERY_S):
            notify(self.line())


class AuditProgress(PrintedProgress, TimedProgress):
    """Progress of an audit, with counts by verdict.

    Parameters
    ----------
    expected : callable
        Returns an estimate of how many records there are, or None.
    hidden : bool
        Only print notices.
    """

    def __init__(
        self, expected: Callable[[], int | None], *, hidden: bool = False
    ) -> None:
        super().__init__(self._verdicts, expected)
        self._hidden = hidden
        self._counted: Counter[str] = Counter()

    def add(self, result: results.AuditResult) -> None:
        """Count one more result, and print its notices."""
        for notice in result.notices:
            self.notify(f"{result.source}: {notice}")
        self._counted[result.word] += 1
        self.done += 1

    def __enter__(self) -> Self:
        """Show the line, if it is not hidden."""
        return self if self._hidden else super().__enter__()

    def _verdicts(self) -> str:
        counts = self._counted.most_common()
        return ", ".join(f"{count:,} {word}" for word, count in counts)


def time_progress(work: str) -> Progress:
    """Return the progress of work that cannot be measured: the time taken so far."""
    started = time.monotonic()
    return Progress(lambda: f"{work}, {time.monotonic() - started:.1f} s")


def _clock(seconds: float) -> str:
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}"


# --------------------------------------------------------------------------------------
# What all commands share: exit codes, standard streams, output files, the kernel.
#
# A standard stream may be closed, broken or full. An output file is checked before the
# work begins, and appears whole or not at all. Rich is only loaded for a terminal.

Result = TypeVar("Result")


class Exit(IntEnum):
    """Exit codes; those from 64 on are from sysexits.h.

    A command that answers several positions exits with the highest code of its
    answers, so the order of the values is their precedence.
    """

    PROVED = 0
    """Every question was answered with a proof, or every claim holds."""

    NEGATIVE = 1
    """It is proved that there is no mate, or that a claim is wrong."""

    USAGE = 2
    """The command line is invalid."""

    LIMIT = 3
    """A limit left something undecided."""

    BAD_INPUT = 65
    """A position or a file cannot be read."""

    INTERNAL = 70
    """A bug in the program."""

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
"""For commands that read files: unreadable files, then disagreements, then limits."""


def foremost(codes: Collection[Exit]) -> Exit:
    """Return the exit code of a command that reads files, by `PRECEDENCE`."""
    return next(code for code in PRECEDENCE if code in codes)


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether the stream is a terminal; a closed stream is None."""
    return stream is not None and stream.isatty()


def one_line(message: str) -> str:
    """Return a message as it may be printed; see `problem.escape_controls`."""
    from solver import problem  # the help of the program prints no name

    return problem.escape_controls(message)


def notify(message: str) -> None:
    """Print a notice or an error on stderr, as one line whatever it contains."""
    # If stderr is broken as well, nobody can read the message.
    with contextlib.suppress(OSError):
        click.echo(one_line(message), err=True)


def refuse_use(message: str) -> NoReturn:
    """Raise the error for a command line that makes no sense."""
    raise click.UsageError(message)


def read_position(
    words: Sequence[str], moves: str = "", *, black: bool = False
) -> position_text.GivenPosition:
    """Read the position in the words of a command, and print what was repaired.

    Parameters
    ----------
    words : sequence of str
        They are joined by spaces. See `solver.position_text.read_position`, also for
        `moves` and `black`.

    Raises
    ------
    InputError
        It cannot be read.
    """
    from solver import position_text

    prepare_kernel()
    text = " ".join(words)
    try:
        position = position_text.read_position(text, moves, repair=True, black=black)
    except errors.FenError:
        if re.search(r"\.\w+$", text):  # no FEN ends so, but most names of files do
            found = errors.quote(text)
            msg = f"expected a FEN, found {found}, and there is no such file"
            raise errors.FenError(msg) from None
        raise
    for warning in position.warnings:
        notify(f"warning: {warning}")
    return position


def echo_json(record: Mapping[str, object], indent: int | None = None) -> None:
    """Print a record; without `indent`, on one line without spaces."""
    import json

    separators = (",", ":") if indent is None else None
    click.echo(json.dumps(record, indent=indent, separators=separators))


def discard_unwritten(stream: TextIO | None) -> None:
    """Drop the buffer of a broken stream, or the interpreter complains at exit."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


STDIN = STDOUT = "-"
"""The path that stands for standard input or standard output."""


def prepare_outputs(
    *outputs: str | None, reads: Iterable[str] = (), stdout: bool = False
) -> None:
    """Check, before the work begins, that the outputs can and may be written.

    Parameters
    ----------
    outputs : str or None
        The files that the command will write; None is skipped.
    reads : iterable of str
        The files that the command reads.
    stdout : bool
        Whether `-` stands for standard output; otherwise it is an error.

    Raises
    ------
    click.UsageError
        See `require_apart`.
    OSError
        The output cannot be written.
    """
    wanted = [output for output in outputs if output is not None]
    require_apart(wanted, reads, stdout=stdout)
    for output in wanted:
        if output != STDOUT:
            from solver import files

            files.require_writable(output)


def require_apart(
    outputs: Iterable[str], reads: Iterable[str] = (), *, stdout: bool = False
) -> None:
    """Check that no output overwrites an input or another output.

    Files are compared by inode, so links to the same file are found. Terminals, pipes
    and devices such as /dev/null never count as the same file.

    Raises
    ------
    click.UsageError
        An output is also an input or another output, or is not a file name.
    """
    inputs = identify_inputs(reads)
    written: dict[object, str] = {}
    for output in outputs:
        if output == STDOUT and not stdout:
            refuse_use(f"{output}: expected the name of a file.")
        identity = identify_file(output, sys.stdout)
        if identity is None:
            continue
        if identity in inputs:
            msg = f"{output}: expected an output that is not an input, found an input."
            raise click.UsageError(msg)
        if identity in written:
            refuse_use(
                f"{output}: expected a different file for each output, found the "
                f"same file twice ({written[identity]})."
            )
        written[identity] = output


def require_format(path: str, found: str | None, formats: Collection[str]) -> str:
    """Check that a file can be written in a format.

    Parameters
    ----------
    path : str
    found : str or None
        The format that was chosen or that the suffix of the path means.
    formats : collection of str
        The formats that can be written; Parquet also needs pyarrow.

    Returns
    -------
    str
        The format.

    Raises
    ------
    click.UsageError
        There is no such format, or pyarrow is not installed.
    """
    from importlib.util import find_spec

    if found is None or found not in formats:
        names = ", ".join(formats)
        msg = f"{path}: unknown suffix; choose one of these formats with --to: {names}."
        raise click.UsageError(msg)
    if found == "parquet" and find_spec("pyarrow") is None:
        raise click.UsageError(errors.missing_package("Parquet", "pyarrow"))
    return found


def store_files(path: str) -> tuple[str, ...]:
    """Return the path of a store, and of the files beside it while it is open."""
    real = os.path.realpath(path)
    return path, f"{real}-wal", f"{real}-shm", f"{real}-lock"


@contextmanager
def open_target(path: str) -> Iterator[BinaryIO]:
    """Open an output file, which appears whole or not at all; .gz is compressed.

    Raises
    ------
    OSError
        It cannot be opened, or standard output is closed.
    """
    from solver import files

    if path == STDOUT:
        if sys.stdout is None:
            msg = "standard output is closed"
            raise OSError(msg)
        yield sys.stdout.buffer
        return
    with files.open_whole(path) as file:
        if not path.endswith(files.GZIPPED):
            yield file
            return
        import gzip

        # Without name and time, the same content makes the same file.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed:
            yield cast("BinaryIO", compressed)


def identify_inputs(reads: Iterable[str]) -> frozenset[object]:
    """Return the identities of the files that a command reads; see `identify_file`."""
    return frozenset(identify_file(path, sys.stdin) for path in reads) - {None}


def identify_file(path: str, stream: TextIO | None = None) -> object:
    """Return a value that all paths of one file share; `-` stands for `stream`.

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
            from pathlib import Path

            status = Path(path).stat()
    except io.UnsupportedOperation:  # a stream without a file
        return None
    except OSError:  # it does not exist yet
        return os.path.realpath(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino


def prepare_kernel() -> None:
    """Load the search before the clock starts; show it if it must be compiled."""
    from solver.kernel.border.parts import SEARCH

    prepare_part(SEARCH)


def prepare_stipulation(stipulation: problem.Stipulation) -> None:
    """Load the search that a stipulation needs, besides the search for mates."""
    from solver.stipulations import genre_of

    prepare_part(genre_of(stipulation).part())


def prepare_laboratory() -> None:
    """Load the laboratory's search, and the mate search that checks its mates."""
    from solver.kernel.border.parts import LABORATORY

    prepare_kernel()
    prepare_part(LABORATORY)


def prepare_part(part: Part) -> loader.Build:
    """Load a part of the kernel; show a message if it must be compiled."""
    from solver.kernel.build import loader

    return loader.loaded_part(part) or _load(loader.load_part, part)


def prepare_module(part: Part) -> loader.Module:
    """Load a part as a WebAssembly module; show a message if it must be compiled."""
    from solver.kernel.build import loader

    return _load(loader.load_module, part)


def _load(load: Callable[..., Result], part: Part) -> Result:
    """Load a part that may have to be compiled; an interrupt ends the process.

    LLVM works for seconds without coming back to Python, so it has its own thread.
    """
    from solver.search import threads

    with signals.ending_at_once():
        return threads.run_stoppable(
            lambda: load(part, notify, _compiling), threads.Control()
        )


def prepare_modules(parts: Iterable[Part]) -> dict[str, bytes]:
    """Load parts as WebAssembly modules, by their names, for a page that solves."""
    return {part.name: prepare_module(part).code for part in parts}


def run_interruptible(work: Callable[[], Result], control: threads.Control) -> Result:
    """Run a search, with progress shown on a terminal; an interrupt stops it."""
    from solver.search import threads

    with contextlib.ExitStack() as shown:
        shown.enter_context(signals.interruptible(control))
        if is_terminal(sys.stderr):
            shown.enter_context(SearchProgress(control))
        return threads.run_stoppable(work, control)


def build_stoppable(work: str, build: Callable[[threads.Control], Result]) -> Result:
    """Build something from an answer, with progress shown, until Ctrl-C stops it.

    Parameters
    ----------
    work : str
        What is built, for the progress.
    build : callable
        Called in a separate thread. It attaches its argument to the search that it
        runs, so that an interrupt stops this search.

    Raises
    ------
    BuildingStoppedError
        An interrupt came, even if only at the last moment.
    """
    from solver import solution
    from solver.search import threads

    control = threads.Control()
    control.describe(work)
    built = run_interruptible(lambda: build(control), control)
    if control.reason is solution.StoppedBy.INTERRUPT:
        raise errors.BuildingStoppedError
    return built


@contextmanager
def _compiling(line: str) -> Iterator[None]:
    notify(line)
    with time_progress("compiling"):
        yield


UNWRAPPED = 10_000
"""Columns if there is no terminal: lines written to a pipe are never wrapped."""


@cache
def _console_class() -> type[Console]:
    from rich.console import Console

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            """Raise for a closed pipe; rich itself would exit with 1."""
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
    """Return a console for answers; only a terminal without `NO_COLOR` has colours."""
    return _console(sys.stdout, stderr=False)


PRINTED_TOGETHER = 1000
"""Parts of a long output that are written at once."""


def print_parts(parts: Iterable[Sentence | play_text.PlayLine]) -> None:
    """Print texts as they come; a terminal gets colours and lines of its width."""
    console = stdout_console() if is_terminal(sys.stdout) else None
    remaining = iter(parts)
    while some := list(islice(remaining, PRINTED_TOGETHER)):
        if console is None:
            click.echo("\n".join(text for part in some for text in part.lines()))
            continue
        for style, group in groupby(some, attrgetter("style")):
            texts = [text for part in group for text in part.lines(console.width)]
            if not style:  # rich is slow
                click.echo("\n".join(texts))
                continue
            for text in texts:
                console.print(text, style=style, soft_wrap=True)


def stderr_console() -> Console:
    """Return a console for progress and notices."""
    return _console(sys.stderr, stderr=True)
