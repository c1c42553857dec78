"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file; until all of it is there, what was there before stays.

    Raises
    ------
    OSError
        It cannot be written; a file that was there is left as it was.
    """
    with open_whole(path) as file:
        file.write(data)


@contextmanager
def open_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Write a file piece by piece; until the block ends, what was there before stays.

    A block that ends with an exception, Ctrl-C included, leaves all as it was.

    Yields
    ------
    BinaryIO
        What the pieces are written to.

    Raises
    ------
    OSError
        It cannot be written; a file that was there is left as it was.
    """
    target = Path(path)
    if target.exists() and not target.is_file():  # a device is not to be replaced
        with _open_named(target, "wb", path) as file:
            yield file
        return
    target = target.resolve()  # a link stays one; /dev/stdout may lead to a file
    written = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with _open_named(written, "xb", path) as file:
            yield file
        written.replace(target)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


class _NamedFile(io.FileIO):
    """Names the file when writing fails, as the system does when opening fails."""

    def __init__(self, file: Path, mode: str, path: str | os.PathLike[str]) -> None:
        super().__init__(file, mode)
        self._path = os.fspath(path)

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._path) from None


def _open_named(file: Path, mode: str, path: str | os.PathLike[str]) -> BinaryIO:
    """Open `file` for writing; errors name `path`, by which the user knows it."""
    try:
        raw = _NamedFile(file, mode, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    return cast("BinaryIO", io.BufferedWriter(raw))


def require_writable(path: str | os.PathLike[str]) -> None:
    """Refuse, before hours of work, a path that no file can be written to.

    Raises
    ------
    OSError
        As the system tells it, about `path`.
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
