"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        with target.open("wb") as file:
            yield file
        return
    target = target.resolve()  # a link stays one; /dev/stdout may lead to a file
    written = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with written.open("xb") as file:
            yield file
        written.replace(target)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


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
