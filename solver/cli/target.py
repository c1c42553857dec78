"""What a command writes to: a file, whole or not at all, or standard output."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

import click

from solver.formats.writing import GZIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STDOUT = "-"
"""The path that stands for standard output, and for standard input."""


def prepare_outputs(
    *outputs: str | None, reads: Iterable[str] = (), stdout: bool = False
) -> None:
    """Refuse, before hours of work, outputs that cannot or must not be written.

    Parameters
    ----------
    outputs : str or None
        The files that the command will write; None: that one is not wanted.
    reads : iterable of str
        The files that the command reads.
    stdout : bool
        Whether `-` stands for standard output; else it is refused.

    Raises
    ------
    click.UsageError
        See `require_apart`.
    OSError
        As the system reports it, about the output.
    """
    from solver.files import require_writable

    wanted = [output for output in outputs if output is not None]
    require_apart(wanted, reads, stdout=stdout)
    for output in wanted:
        if output != STDOUT:
            require_writable(output)


def require_apart(
    outputs: Iterable[str], reads: Iterable[str] = (), *, stdout: bool = False
) -> None:
    """Refuse to overwrite an input, or to write two outputs to one file.

    Files are compared by inode, so that links do not hide that they are the same.
    Terminals, pipes and devices such as /dev/null are never the same.

    Raises
    ------
    click.UsageError
        An output is also an input, or another output, or not the name of a file.
    """
    inputs = identify_inputs(reads)
    written: dict[object, str] = {}
    for output in outputs:
        if output == STDOUT and not stdout:
            msg = f"{output}: expected the name of a file."
            raise click.UsageError(msg)
        identity = identify_file(output, sys.stdout)
        if identity is None:
            continue
        if identity in inputs:
            msg = f"{output}: expected an output that is no input, found an input."
            raise click.UsageError(msg)
        if identity in written:
            msg = (
                f"{output}: expected a file for each output, found the same file "
                f"twice ({written[identity]})."
            )
            raise click.UsageError(msg)
        written[identity] = output


def store_files(path: str) -> tuple[str, str, str]:
    """List a store and the two files that SQLite keeps beside it."""
    real = os.path.realpath(path)
    return path, f"{real}-wal", f"{real}-shm"


@contextmanager
def open_target(path: str) -> Iterator[BinaryIO]:
    """Open what is written: whole or not at all, compressed if its name says so."""
    from solver.files import open_whole

    if path == STDOUT:
        if sys.stdout is None:
            msg = "standard output is closed"
            raise OSError(msg)
        yield sys.stdout.buffer
        return
    with open_whole(path) as file:
        if not path.endswith(GZIPPED):
            yield file
            return
        # Neither name nor time: the same problems make the same file.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed:
            yield cast("BinaryIO", compressed)


def identify_inputs(reads: Iterable[str]) -> frozenset[object]:
    """Give the identities of the files that a command reads; see `identify_file`."""
    return frozenset(identify_file(path, sys.stdin) for path in reads) - {None}


def identify_file(path: str, stream: TextIO | None = None) -> object:
    """Give what two paths of one file have in common; `stream` is what `-` stands for.

    Returns
    -------
    object
        Hashable; None for terminals, pipes and devices.
    """
    try:
        if path == STDOUT:
            if stream is None:
                return None
            status = os.fstat(stream.fileno())
        else:
            status = Path(path).stat()
    except io.UnsupportedOperation:  # a stream without a file
        return None
    except OSError:  # it is not there yet
        return os.path.realpath(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino
