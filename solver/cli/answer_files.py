"""The files that `solve` and `verify` write: certificates, diagrams, games, pages.

A proof or a tree of variations can take longer to build than the answer, so progress is
shown; after an interrupt no file is written.
"""

from __future__ import annotations

import errno
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from solver.certificate.build import certify_last, write
from solver.certificate.proving import BuildingStoppedError
from solver.cli.console import (
    Exit,
    identify_file,
    identify_inputs,
    notify,
    prepare_modules,
    run_interruptible,
)
from solver.files import make_folder, require_writable, write_whole
from solver.search.threads import Control
from solver.solution import StoppedBy
from solver.stipulations import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.audit.result import AuditResult
    from solver.cli.console import Result
    from solver.cli.solve import AnswerFiles
    from solver.output.shown_play import ShownPlay
    from solver.search.workspace import Workspace
    from solver.solution import Solution


LARGE_BYTES = 1 << 16
"""Files of this size or more are compressed if the program chooses their names."""

NAME_CHARACTERS = 80
"""The most characters of an id in a file name."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")


def write_certificate(path: str, solution: Solution, workspace: Workspace) -> Exit:
    """Build the certificate of `solve --certificate`, and write it.

    After Ctrl-C there is no file.

    Parameters
    ----------
    path : str
        The file is compressed if this ends in .gz.
    solution : Solution
        The answer.
    workspace : Workspace
        The memory of its search.

    Returns
    -------
    Exit
        LIMIT if nothing is proved that could be written.
    """
    try:
        certification = build_stoppable(
            "certificate", lambda control: certify_last(solution, workspace, control)
        )
    except BuildingStoppedError:
        notify(f"interrupted: {path} is not written")
        return Exit.INTERRUPTED
    for notice in certification.left_out:
        notify(f"{path}: {notice}")
    if certification.certificate is None:
        notify(f"{path}: not written, because nothing was proved")
        return Exit.LIMIT
    write(certification.certificate.encode(), Path(path))
    return Exit.PROVED


class CertificateFolder:
    """The folder of `verify --certificates`, with a file for each position.

    Parameters
    ----------
    path : str
        The folder is created if it does not exist.
    notify : callable
        Prints, in one line, what is left out or could not be written.
    reads : iterable of str
        Files that the command reads; none of them is overwritten.

    Raises
    ------
    OSError
        The folder cannot be created or written to.
    """

    def __init__(
        self, path: str, notify: Callable[[str], None], reads: Iterable[str] = ()
    ) -> None:
        self._path = Path(path)
        self._inputs = identify_inputs(reads)
        make_folder(self._path)
        require_writable(str(self._path / "certificate"))
        self._notify = notify
        self._taken: set[str] = set()
        self._choosing = threading.Lock()
        self.code = Exit.PROVED
        """`IO` once a file could not be written. The other files are still written."""
        self.without = 0
        """How many answers have no certificate because they are not about a mate."""

    def add(self, result: AuditResult) -> None:
        """Write the certificate of an answer, and print what it leaves out.

        Several threads may call this at once.
        """
        if not kind_of(result.asked).has_certificates:
            with self._choosing:
                self.without += 1
            return
        name = self._choose(result.id)
        for notice in result.notices:
            self._notify(f"{name}: {notice}")
        if result.certificate is None:
            return
        try:
            self._write(result.certificate, name)
        except OSError as error:
            self._notify(f"error: {error.filename}: {error.strerror}")
            self.code = Exit.IO

    def _write(self, data: bytes, name: str) -> None:
        suffix = ".json.gz" if len(data) >= LARGE_BYTES else ".json"
        target = self._path / (name + suffix)
        if identify_file(str(target)) in self._inputs:
            reason = "expected a new file, found an input"
            raise FileExistsError(errno.EEXIST, reason, str(target))
        write(data, target)

    def _choose(self, id_: str) -> str:
        """Return a file name for an id: valid on any file system, and used once."""
        stem = _UNSAFE.sub("-", id_).strip(".-")[:NAME_CHARACTERS] or "position"
        name, count = stem, 1
        with self._choosing:
            while name.casefold() in self._taken:
                count += 1
                name = f"{stem}-{count}"
            self._taken.add(name.casefold())
        return name


def write_drawings(
    files: AnswerFiles, solution: Solution, play: ShownPlay | None
) -> Exit:
    """Write the files of `solve --svg`, `--pgn` and `--html`.

    Parameters
    ----------
    files : AnswerFiles
        Their names.
    solution : Solution
        The answer.
    play : ShownPlay or None
        Its play; None: an interrupt came, and only the diagram is written.

    Raises
    ------
    OSError
        A file cannot be written.
    """
    from solver.kernel.border.parts import SEARCH
    from solver.output.diagram import encode_svg
    from solver.pages.answer_page import encode_page

    if files.svg_path is not None:
        write_whole(files.svg_path, encode_svg(solution))
    if play is None:
        for path in filter(None, (files.pgn_path, files.html_path)):
            notify(f"interrupted: {path} is not written")
        return Exit.INTERRUPTED if files.shows_play else Exit.PROVED
    if files.pgn_path is not None:
        write_whole(files.pgn_path, play.pgn())
    if files.html_path is not None:
        parts = [SEARCH, kind_of(solution.problem.stipulation).part()]
        modules = prepare_modules(parts) if files.solver else {}
        write_whole(files.html_path, encode_page(solution, play.lines(), modules))
    return Exit.PROVED


def build_stoppable(work: str, build: Callable[[Control], Result]) -> Result:
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
    control = Control()
    control.describe(work)
    built = run_interruptible(lambda: build(control), control)
    if control.reason is StoppedBy.INTERRUPT:
        raise BuildingStoppedError
    return built
