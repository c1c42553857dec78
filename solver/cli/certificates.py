"""Certificates of answers, built and written where the user wants them."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from solver.background import run_stoppable
from solver.certificate import BuildingStoppedError, WorkspaceProver, certify
from solver.certificate.document import write
from solver.cli.exits import Exit
from solver.cli.interrupt import interruptible
from solver.cli.progress import progress
from solver.cli.streams import tell
from solver.cli.table_builder import require_writable
from solver.control import Control
from solver.errors import FormatError
from solver.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.audit import AuditControl
    from solver.certificate import Certification
    from solver.solution import Solution

LARGE_BYTES = 1 << 16
"""From here on a file whose name is ours to choose is compressed."""

NAME_CHARACTERS = 80
"""So much of an id goes into a file's name."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]+")


class Certifier:
    """Builds certificates, in memory of its own.

    Parameters
    ----------
    hash_mib : int
        Size of its transposition table in MiB.
    """

    def __init__(self, hash_mib: int) -> None:
        self._workspace = Workspace(hash_mib)

    def certify(self, solution: Solution, control: Control) -> Certification:
        """Build what can be built.

        Raises
        ------
        BuildingStoppedError
            `control` stopped it.
        """
        self._workspace.begin(None)
        control.attach(self._workspace.search)
        prover = WorkspaceProver(self._workspace)
        return run_stoppable(lambda: certify(solution, prover), control)


class CertificateFile:
    """The one file of `solve --certificate`.

    Parameters
    ----------
    path : str
        Compressed where it ends in .gz.
    hash_mib : int
        Size of the transposition table for building, in MiB.

    Raises
    ------
    OSError
        No file can be written there.
    """

    def __init__(self, path: str, hash_mib: int) -> None:
        self._path = Path(path)
        self._hash_mib = hash_mib
        if self._path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        require_writable(path)

    def write(self, solution: Solution) -> Exit:
        """Build the certificate and write it; Ctrl-C ends it without a file.

        Returns
        -------
        Exit
            LIMIT where there is nothing to write.
        """
        control = Control()
        control.lower_bound = solution.lower_bound
        try:
            with interruptible(control), progress(control):
                certification = Certifier(self._hash_mib).certify(solution, control)
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
    hash_mib : int
        Size of the transposition table for building, in MiB.
    tell : callable
        Told, in a line, what is left out or could not be written.

    Raises
    ------
    OSError
        It cannot be made, or no file can be written in it.
    """

    def __init__(self, path: str, hash_mib: int, tell: Callable[[str], None]) -> None:
        self._path = Path(path)
        self._path.mkdir(parents=True, exist_ok=True)
        require_writable(str(self._path / "certificate"))
        self._certifier = Certifier(hash_mib)
        self._tell = tell
        self._taken: set[str] = set()

    def add(self, answer: Solution | FormatError, audit: AuditControl) -> Exit:
        """Write the certificate of an answer; nothing is, once the audit is stopped.

        Returns
        -------
        Exit
            IO where it could not be written, which costs no other.
        """
        if isinstance(answer, FormatError):
            return Exit.PROVED
        name = self._choose(answer.problem.id)
        try:
            with audit.search() as control:
                certification = self._certifier.certify(answer, control)
        except BuildingStoppedError:
            return Exit.PROVED  # the audit itself tells that it was interrupted
        for notice in certification.left_out:
            self._tell(f"{name}: {notice}")
        if certification.certificate is None:
            return Exit.PROVED
        try:
            self._write(certification.certificate.encode(), name)
        except OSError as error:
            self._tell(f"error: {name}: {error.strerror or error}")
            return Exit.IO
        return Exit.PROVED

    def _write(self, data: bytes, name: str) -> None:

        suffix = ".json.gz" if len(data) >= LARGE_BYTES else ".json"
        write(data, self._path / (name + suffix))

    def _choose(self, id_: str) -> str:
        """Make a name of an id that any file system takes, and no other has."""
        stem = _UNSAFE.sub("-", id_).strip(".-")[:NAME_CHARACTERS] or "position"
        name, count = stem, 1
        while name.casefold() in self._taken:
            count += 1
            name = f"{stem}-{count}"
        self._taken.add(name.casefold())
        return name
