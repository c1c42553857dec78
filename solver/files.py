"""Write files atomically, whole or not at all; lock files against other programs."""

from __future__ import annotations

import errno
import io
import os
import sys
import tempfile
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer

GZIPPED = ".gz"
"""Files with this suffix are written compressed."""

STORE_ID = 0x6D617465
"""The application id of an SQLite file that is a store of an audit: `mate` in ASCII."""

PRIVATE = 0o600
PUBLIC = 0o666
"""File modes, from which the process's umask removes permissions."""


@contextmanager
def open_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file piece by piece; it replaces an old one when the block ends.

    If the block raises, KeyboardInterrupt included, the old file is kept. If the path
    is a link, its target is replaced; a device is written to directly.

    Yields
    ------
    BinaryIO
        The file to write to.

    Raises
    ------
    OSError
        The file cannot be written; it names `path`.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        with open_named(target, "wb", path) as file:
            yield file
        return
    with _replace(target.resolve(), path, PUBLIC) as file:  # also /dev/stdout
        yield file


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file at once; see `open_whole`."""
    with open_whole(path) as file:
        file.write(data)


def write_private(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file that only the user can read and write; a link is replaced too."""
    with _replace(Path(path), path, PRIVATE) as file:
        file.write(data)


@contextmanager
def _replace(
    target: Path, path: str | os.PathLike[str], mode: int
) -> Iterator[BinaryIO]:
    """Write a new file under a temporary name, and rename it when it is complete."""
    file, written = _create_beside(target, path, mode)
    try:
        yield file
        file.flush()
        if not _MOVES_OPEN_FILES:
            file.close()
        written.replace(target)
    except BaseException:  # also an interrupt leaves no part behind
        with suppress(OSError):
            if not _MOVES_OPEN_FILES:
                file.close()
        written.unlink(missing_ok=True)
        with suppress(OSError):
            file.close()
        raise
    file.close()


_MOVES_OPEN_FILES = os.name == "posix"
"""Whether an open file can be renamed and deleted; its lock then lasts until it is."""


def _create_beside(
    target: Path, path: str | os.PathLike[str], mode: int
) -> tuple[BinaryIO, Path]:
    """Create the temporary file for a target, and lock it while it is open.

    Without its lock, it was left behind by a program that was killed: the next one that
    writes the same target deletes it.
    """
    numbers = count(1)
    while True:
        written = target.with_name(f".{target.name}.part{next(numbers)}")
        _delete_abandoned(written)
        try:
            file = open_named(written, "xb", path, mode)
        except FileExistsError:
            continue  # another program is writing it
        with suppress(OSError):  # some file systems have no locks
            try:
                lock(file, path)
            except BlockingIOError:  # another program took it for abandoned
                file.close()
                continue
        if _leads_to(written, file):
            return file, written
        file.close()


def _delete_abandoned(written: Path) -> None:
    """Delete the temporary file of a program that no longer runs, if there is one."""
    with suppress(OSError):
        if not _MOVES_OPEN_FILES:
            written.unlink()  # fails while the file is open
            return
        with written.open("r+b") as file:
            lock(file, written)
            if _leads_to(written, file):
                written.unlink()


class _NamedFile(io.FileIO):
    """A file whose write errors name `path`, as the system's open errors do."""

    def __init__(
        self, file: Path, flags: str, path: str | os.PathLike[str], mode: int
    ) -> None:
        super().__init__(file, flags, opener=lambda name, how: os.open(name, how, mode))
        self._path = os.fspath(path)

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._path) from None


def open_named(
    file: Path, flags: str, path: str | os.PathLike[str], mode: int = PUBLIC
) -> BinaryIO:
    """Open a file for writing; all errors name it, not those of `open` alone.

    Parameters
    ----------
    file : Path
        The file to open.
    flags : str
        Those of `io.FileIO`, such as `wb`; with `+`, the file can be read too.
    path : str or PathLike
        What errors call it: the path that the user knows.
    mode : int
        The permissions of a new file.
    """
    try:
        raw = _NamedFile(file, flags, path, mode)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    buffered = io.BufferedRandom(raw) if "+" in flags else io.BufferedWriter(raw)
    return cast("BinaryIO", buffered)


def require_writable(path: str | os.PathLike[str]) -> None:
    """Check, before the work begins, that a file can be written to `path`.

    Raises
    ------
    OSError
        It cannot; the error is the system's and names `path`.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(
            errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path)
        )
    if target.exists() and not target.is_file():
        return
    try:
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Create a folder and those above it, unless it is there.

    Raises
    ------
    OSError
        It cannot be created; the error names the path.
    """
    try:
        path.mkdir(mode, parents=True, exist_ok=True)
    except FileExistsError:
        reason = "expected a folder, found a file"
        raise NotADirectoryError(errno.ENOTDIR, reason, str(path)) from None


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Lock a file that other code opens, by creating and locking `PATH-lock`.

    A lock file left behind by a killed process is not locked, and is used again.

    Raises
    ------
    OSError
        See `lock`; or the lock file cannot be created.
    """
    beside = Path(f"{os.path.realpath(path)}-lock")
    while True:
        with beside.open("ab") as file:
            lock(file, path)
            if not _leads_to(beside, file):
                continue  # the program before has just deleted it
            try:
                yield
            finally:
                with suppress(PermissionError):  # Windows deletes no open file
                    beside.unlink(missing_ok=True)
            return


def lock(file: BinaryIO, path: str | os.PathLike[str]) -> None:
    """Lock an open file until it is closed or the process ends, however it ends.

    Only `lock` notices the lock: other programs may read and write the file.

    Raises
    ------
    BlockingIOError
        Another program has locked it; the error names `path`.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file.fileno(), _BEYOND, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        reason = "another program is writing to it"
        raise BlockingIOError(errno.EAGAIN, reason, os.fspath(path)) from None


_BEYOND = 1 << 40
"""Windows locks bytes against reading and writing; a file never has this one."""


def _leads_to(path: Path, file: BinaryIO) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    return False
