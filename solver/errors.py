"""Errors that users can cause, each with the exit code of the command."""

from __future__ import annotations

import reprlib
from typing import ClassVar, NamedTuple, NoReturn

_SHOWN_CHARACTERS = 60


class MatesolveError(Exception):
    """Base class of all errors that the program raises on purpose.

    Attributes
    ----------
    exit_code : int
        The exit code of a command that this error ends; see sysexits.h.
    """

    exit_code: ClassVar[int] = 70


class InputError(MatesolveError):
    """The input cannot be read; the message says what was expected."""

    exit_code: ClassVar[int] = 65


class FenError(InputError):
    """A position is not a legal position of orthodox chess."""


class ImbalanceError(InputError):
    """A file is not a material-imbalance table, or a table cannot be written."""


class TablebaseError(InputError):
    """A directory has no tablebases, or a tablebase is damaged."""


class CertificateError(InputError):
    """A file is not a certificate: it is damaged or has another format."""


class CheckpointError(InputError):
    """A file is not a checkpoint of this search that the user's key has signed."""


class ForgeryError(MatesolveError):
    """A certificate does not prove what it states."""

    exit_code: ClassVar[int] = 1


class CacheError(MatesolveError):
    """The folder for compiled code cannot be used safely."""

    exit_code: ClassVar[int] = 74


class AllocationError(MatesolveError, MemoryError):
    """The system does not have the memory for a table."""

    exit_code: ClassVar[int] = 74


class InUseError(MatesolveError):
    """A solver or a control serves one search at a time, and is already in use."""


class StoreError(MatesolveError):
    """A store cannot be used: another file or version, a lock, or a full disk."""

    exit_code: ClassVar[int] = 74


class TooLargeError(MatesolveError):
    """What is built exceeds a limit; the message says which."""


class BuildingStoppedError(MatesolveError):
    """The search that a certificate or the play is built with was stopped."""


class ClusterError(MatesolveError):
    """A cluster cannot be reached, or its workers cannot run an audit."""

    exit_code: ClassVar[int] = 74


def quote(text: str) -> str:
    """Quote the beginning of a text for a message.

    Parameters
    ----------
    text : str
        Text of any length.

    Returns
    -------
    str
        At most the first 60 characters in quotes, escaped to one line of ASCII, and
        dots if there are more.
    """
    shown = ascii(text[:_SHOWN_CHARACTERS])
    return shown + "..." if len(text) > _SHOWN_CHARACTERS else shown


def refusal(name: str, expected: str, found: object) -> InputError:
    """Return the error for an argument that is not what was expected."""
    try:
        shown = " ".join(reprlib.repr(found).split())
    except ValueError:  # an int of more digits than Python prints
        shown = f"one of type {type(found).__name__}"
    return InputError(f"{name}: expected {expected}, found {shown}")


def refuse(
    expected: str, found: object, error: type[MatesolveError] = InputError
) -> NoReturn:
    """Raise the error that says what was expected and what was found."""
    msg = f"{expected}, found {found}"
    raise error(msg) from None


def missing_package(what: str, package: str) -> str:
    """Return the message that says which package is needed and how to install it.

    Installing the package by its name works in a checkout too; an extra does not.
    """
    return f"{what} needs {package}, which is not installed: pip install {package}"


class FormatError(NamedTuple):
    """One unreadable record of a file; a value, so that reading continues.

    Attributes
    ----------
    source : str
        `file:line` of the record.
    reason : str
        What was expected and what was found, in one line.
    text : str
        The beginning of the record as the file has it; empty if it is not known.
    name : str
        The record's name, if it can be read.
    """

    source: str
    reason: str
    text: str = ""
    name: str = ""

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}"
