"""Where answers go: sentences for people, records for programs, both on stdout."""

from __future__ import annotations

import errno
import json
import re
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

from solver.certificate import (
    BuildingStoppedError,
    WorkspaceProver,
    certify_last,
)
from solver.certificate.build import write
from solver.cli.console import (
    Exit,
    identify_file,
    identify_inputs,
    interruptible,
    is_terminal,
    notify,
)
from solver.cli.progress import progress
from solver.files import require_writable, write_whole
from solver.output.records import unreadable_record
from solver.output.text import describe, lettered_board, painted_board
from solver.search.threads import Control, run_stoppable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.audit.result import AuditResult
    from solver.errors import FormatError
    from solver.search.workspace import Workspace
    from solver.solution import Solution
    from solver.variations.tree import Variations


# What is built of an answer once it is printed, while Ctrl-C is heard.

Built = TypeVar("Built")


def build_of(solution: Solution, build: Callable[[Control], Built]) -> Built:
    """Build something of an answer, with its progress shown, until Ctrl-C ends it.

    Parameters
    ----------
    solution : Solution
        The answer.
    build : callable
        Runs in a thread of its own. What it is given is to take charge of the search.

    Raises
    ------
    BuildingStoppedError
        Ctrl-C came, be it at the last moment.
    """
    control = Control()
    control.lower_bound = solution.lower_bound
    with interruptible(control), progress(control):
        built = run_stoppable(lambda: build(control), control)
    if control.reason:
        raise BuildingStoppedError
    return built


# Certificates of answers, built and written where the user wants them.

LARGE_BYTES = 1 << 16
"""From here on a file whose name is ours to choose is compressed."""

NAME_CHARACTERS = 80
"""So much of an id goes into a file's name."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")


class CertificateFile:
    """The one file of `solve --certificate`.

    Parameters
    ----------
    path : str
        Compressed where it ends in .gz.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def write(self, solution: Solution, workspace: Workspace) -> Exit:
        """Build the certificate and write it; Ctrl-C ends it without a file.

        Returns
        -------
        Exit
            LIMIT where there is nothing to write.
        """
        try:
            certification = build_of(
                solution, lambda control: certify_last(solution, workspace, control)
            )
        except BuildingStoppedError:
            notify(f"interrupted: {self._path} is not written")
            return Exit.INTERRUPTED
        for notice in certification.left_out:
            notify(f"{self._path}: {notice}")
        if certification.certificate is None:
            notify(f"{self._path}: not written, nothing is proved in it")
            return Exit.LIMIT
        write(certification.certificate.encode(), self._path)
        return Exit.PROVED


class CertificateFolder:
    """The folder of `verify --certificates`: a file for each position.

    Parameters
    ----------
    path : str
        Is made if there is none.
    tell : callable
        Told, in a line, what is left out or could not be written.
    reads : iterable of str
        Files that the command reads: none of them is overwritten.

    Raises
    ------
    OSError
        It cannot be made, or no file can be written in it.
    """

    def __init__(
        self, path: str, notify: Callable[[str], None], reads: Iterable[str] = ()
    ) -> None:
        self._path = Path(path)
        self._inputs = identify_inputs(reads)
        self._path.mkdir(parents=True, exist_ok=True)
        require_writable(str(self._path / "certificate"))
        self._tell = notify
        self._taken: set[str] = set()
        self._choosing = threading.Lock()
        self.code = Exit.PROVED
        """IO once a file could not be written, which costs no other."""

    def add(self, result: AuditResult) -> None:
        """Write the certificate of an answer, and tell what is left out of it.

        Threads may call it at once.
        """
        name = self._choose(result.id)
        for notice in result.notices:
            self._tell(f"{name}: {notice}")
        if result.certificate is None:
            return
        try:
            self._write(result.certificate, name)
        except OSError as error:
            self._tell(f"error: {name}: {error.strerror or error}")
            self.code = Exit.IO

    def _write(self, data: bytes, name: str) -> None:
        suffix = ".json.gz" if len(data) >= LARGE_BYTES else ".json"
        target = self._path / (name + suffix)
        if identify_file(str(target)) in self._inputs:
            raise FileExistsError(errno.EEXIST, "expected a new file, found an input")
        write(data, target)

    def _choose(self, id_: str) -> str:
        """Make a name of an id that any file system takes, and no other has."""
        stem = _UNSAFE.sub("-", id_).strip(".-")[:NAME_CHARACTERS] or "position"
        name, count = stem, 1
        with self._choosing:
            while name.casefold() in self._taken:
                count += 1
                name = f"{stem}-{count}"
            self._taken.add(name.casefold())
        return name


# What `solve` writes for people besides its answer: diagram, game and page.


class Drawings:
    """The files of `solve --svg`, `--pgn` and `--html`; None: it is not wanted."""

    def __init__(
        self, *, svg: str | None = None, pgn: str | None = None, html: str | None = None
    ) -> None:
        self._svg, self._pgn, self._html = svg, pgn, html

    def write(self, solution: Solution, workspace: Workspace) -> Exit:
        """Write the files; Ctrl-C leaves out those that show variations.

        Raises
        ------
        OSError
            One of them cannot be written.
        """
        from solver.output.pgn import encode_pgn
        from solver.output.solution_page import encode_page, encode_svg
        from solver.variations.tree import build_variations

        if self._svg is not None:
            write_whole(self._svg, encode_svg(solution))
        files = [
            (path, encode)
            for path, encode in ((self._pgn, encode_pgn), (self._html, encode_page))
            if path is not None
        ]
        if not files:
            return Exit.PROVED

        def build(control: Control) -> Variations:
            workspace.resume()
            control.attach(workspace.search)
            return build_variations(solution, WorkspaceProver(workspace))

        try:
            variations = build_of(solution, build)
        except BuildingStoppedError:
            for path, _ in files:
                notify(f"interrupted: {path} is not written")
            return Exit.INTERRUPTED
        for path, encode in files:
            write_whole(path, encode(solution, variations))
        return Exit.PROVED


class Answers(Protocol):
    """Prints each answer when it is known, and does not keep it back."""

    def answer(self, solution: Solution) -> None:
        """Print an answer."""

    def refuse(self, error: FormatError) -> None:
        """Print why a line got no answer."""


@dataclass(frozen=True, slots=True)
class Records:
    """Answers as JSON.

    Attributes
    ----------
    indent : int or None
        Spaces a level; None: one record a line.
    """

    indent: int | None

    def answer(self, solution: Solution) -> None:
        """Print the record of an answer."""
        self._print(solution.to_dict())

    def refuse(self, error: FormatError) -> None:
        """Print a record with the reason, in the place of the answer."""
        self._print(unreadable_record(error))

    def _print(self, record: dict[str, object]) -> None:
        separators = (",", ":") if self.indent is None else None
        click.echo(json.dumps(record, indent=self.indent, separators=separators))


@dataclass(frozen=True, slots=True)
class Sentences:
    """Answers in words.

    Attributes
    ----------
    uci : bool
        Write moves in UCI notation rather than in SAN.
    board : bool
        Draw the position first.
    letters : bool
        Draw it in ASCII, whatever the terminal can show.
    spaced : bool
        Leave a blank line after each answer.
    """

    uci: bool
    board: bool
    letters: bool
    spaced: bool

    def answer(self, solution: Solution) -> None:
        """Print an answer: in colour and wrapped on a terminal, plain elsewhere."""
        if is_terminal(sys.stdout):
            self._show(solution)
        else:
            self._write(solution)

    def refuse(self, error: FormatError) -> None:
        """Tell on stderr which line got no answer, and why."""
        notify(f"error: {error}")

    def _show(self, solution: Solution) -> None:
        from solver.cli.console import paints, stdout_console

        console = stdout_console()
        fen = solution.problem.fen
        if self.board:
            painted = paints(console) and not self.letters
            drawing = painted_board(fen) if painted else "\n".join(lettered_board(fen))
            console.print(drawing, end="\n\n", soft_wrap=True)
        for sentence in describe(solution, uci=self.uci):
            for line in sentence.lines(console.width):
                console.print(line, style=sentence.style, soft_wrap=True)
        if self.spaced:
            console.print()

    def _write(self, solution: Solution) -> None:
        lines: list[str] = []
        if self.board:
            lines += [*lettered_board(solution.problem.fen), ""]
        for sentence in describe(solution, uci=self.uci):
            lines += sentence.lines()
        if self.spaced:
            lines.append("")
        click.echo("\n".join(lines))
