"""What the command exits with."""

from __future__ import annotations

from enum import IntEnum


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

    INTERRUPTED = 130
    """Ctrl-C."""
