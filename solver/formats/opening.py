"""Open a file, or standard input, for reading bytes."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

STDIN = "-"
"""The path that stands for standard input."""


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
