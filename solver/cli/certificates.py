"""Certificates of answers, built and written where the user wants them."""

from __future__ import annotations

import errno
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from solver.certificate import BuildingStoppedError, certify_last
from solver.certificate.document import write
from solver.cli.exits import Exit
from solver.cli.proving import build_of
from solver.cli.streams import tell
from solver.cli.target import identify_file, identify_inputs
from solver.files import require_writable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.audit.job import Examined
    from solver.search.workspace import Workspace
    from solver.solution import Solution

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
            tell(f"interrupted: {self._path} is not written")
            return Exit.INTERRUPTED
        for notice in certification.left_out:
            tell(f"{self._path}: {notice}")
        if certification.certificate is None:
            tell(f"{self._path}: not written, nothing is proved in it")
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
        self, path: str, tell: Callable[[str], None], reads: Iterable[str] = ()
    ) -> None:
        self._path = Path(path)
        self._inputs = identify_inputs(reads)
        self._path.mkdir(parents=True, exist_ok=True)
        require_writable(str(self._path / "certificate"))
        self._tell = tell
        self._taken: set[str] = set()
        self._choosing = threading.Lock()
        self.code = Exit.PROVED
        """IO once a file could not be written, which costs no other."""

    def add(self, examined: Examined) -> None:
        """Write the certificate of an answer, and tell what is left out of it.

        Threads may call it at once.
        """
        name = self._choose(examined.finding.id)
        for notice in examined.notices:
            self._tell(f"{name}: {notice}")
        if examined.certificate is None:
            return
        try:
            self._write(examined.certificate, name)
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
