"""Open a file, or standard input, for reading bytes."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

STDIN = "-"
"""The path that stands for standard input."""


def name_of(path: str | os.PathLike[str]) -> str:
    """Name a file in messages and sources of records; standard input is `stdin`."""
    return "stdin" if path == STDIN else os.fspath(path)


def open_collection(path: str | os.PathLike[str]) -> io.BufferedReader | io.BytesIO:
    """Open a file, or standard input for `-`, for reading bytes.

    Raises
    ------
    OSError
        If it cannot be opened.
    """
    if path != STDIN:
        return Path(path).open("rb")
    if sys.stdin is None:
        msg = "standard input is closed"
        raise OSError(msg)
    try:
        # A reader of our own: a thread that waits for input inside `sys.stdin` would
        # keep the interpreter from closing that, and so from exiting.
        return open(sys.stdin.fileno(), "rb", closefd=False)
    except io.UnsupportedOperation:
        return io.BytesIO(sys.stdin.buffer.read())
