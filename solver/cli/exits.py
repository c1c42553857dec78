"""What the command exits with."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from solver.cli.signals import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Collection


class Exit(IntEnum):
    """Exit codes; those from 64 on are the ones of sysexits.h.

    A command that answers several positions exits with the highest code of its
    answers, so the order of the values is their precedence.
    """

    PROVED = 0
    """Everything asked was answered with a proof."""

    NEGATIVE = 1
    """A clean negative: proved, and not what was hoped for."""

    USAGE = 2
    """The command line cannot be understood."""

    LIMIT = 3
    """A limit left something undecided."""

    BAD_INPUT = 65
    """A position or a file cannot be read."""

    INTERNAL = 70
    """A fault of the program."""

    IO = 74
    """Reading or writing failed."""

    INTERRUPTED = INTERRUPTED
    """Ctrl-C, SIGTERM or SIGHUP."""


PRECEDENCE = (
    Exit.INTERRUPTED,
    Exit.IO,
    Exit.BAD_INPUT,
    Exit.NEGATIVE,
    Exit.LIMIT,
    Exit.PROVED,
)
"""Of what happened to files: what was not read, then disagreements, then limits."""


def foremost(codes: Collection[Exit]) -> Exit:
    """Choose what a command that reads files exits with."""
    return next(code for code in PRECEDENCE if code in codes)
