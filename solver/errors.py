"""Errors that a user can cause, each with the exit code that it leads to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


class MatesolveError(Exception):
    """The root of all errors that the program raises on purpose.

    Attributes
    ----------
    exit_code : int
        What the command exits with when this error ends it (sysexits.h).
    """

    exit_code: ClassVar[int] = 70


class InputError(MatesolveError):
    """What the user gave cannot be read; the message says what was expected."""

    exit_code: ClassVar[int] = 65


class FenError(InputError):
    """A position that is no legal position of orthodox chess."""


class ImbalanceError(InputError):
    """A file that is no material-imbalance table, or one that cannot be written."""


class TablebaseError(InputError):
    """A directory without endgame tables, or a table that is damaged."""


class CertificateError(InputError):
    """A file that is no certificate: damaged, or not in the format."""


class ForgeryError(MatesolveError):
    """A certificate that does not prove what it says."""

    exit_code: ClassVar[int] = 1


class CacheError(MatesolveError):
    """The folder for compiled code cannot be used safely."""

    exit_code: ClassVar[int] = 74


class AllocationError(MatesolveError, MemoryError):
    """The system has not got as much memory as a table was to have."""

    exit_code: ClassVar[int] = 74


class StoreError(MatesolveError):
    """A store of audits that is none, of another version, full or locked."""

    exit_code: ClassVar[int] = 74


class StoreQueryError(MatesolveError):
    """What a store is asked is no SQL expression."""

    exit_code: ClassVar[int] = 2


class ClusterError(MatesolveError):
    """A cluster that cannot be reached, or whose workers cannot do an audit."""

    exit_code: ClassVar[int] = 74


def missing_package(what: str, package: str) -> str:
    """Say which package something needs, and how to install it.

    Its own name works in a checkout and beside an installed wheel, an extra's does not.
    """
    return f"{what} needs {package}, which is not installed: pip install {package}"


@dataclass(frozen=True, slots=True)
class FormatError:
    """One unreadable record of a file; a value, so that the next record is read.

    Attributes
    ----------
    source : str
        `file:line` of the record.
    reason : str
        What was expected and what was found, one line.
    """

    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}"
