"""The standard streams, any of which may be closed or break off."""

from __future__ import annotations

import contextlib
import os
from typing import TextIO

import click


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether people watch this stream; one that was closed is None."""
    return stream is not None and stream.isatty()


def tell(message: str) -> None:
    """Print one line of notice or error on stderr."""
    # With stderr gone as well there is nobody left to tell.
    with contextlib.suppress(OSError):
        click.echo(message, err=True)


def let_go(stream: TextIO | None) -> None:
    """Drop what a broken stream still holds, or the interpreter complains at exit."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
