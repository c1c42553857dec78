"""What a command writes to: a file, whole or not at all, or standard output."""

from __future__ import annotations

import gzip
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

from solver.formats.writing import GZIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

STDOUT = "-"
"""The path that stands for standard output, and for standard input."""


@contextmanager
def open_target(path: str) -> Iterator[BinaryIO]:
    """Open what is written: whole or not at all, compressed if its name says so."""
    from solver.whole_file import open_whole, require_writable

    if path == STDOUT:
        if sys.stdout is None:
            msg = "standard output is closed"
            raise OSError(msg)
        yield sys.stdout.buffer
        return
    require_writable(path)
    with open_whole(path) as file:
        if not path.endswith(GZIPPED):
            yield file
            return
        # Neither name nor time: the same problems make the same file.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed:
            yield cast("BinaryIO", compressed)
