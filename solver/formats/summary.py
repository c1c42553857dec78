"""What was understood of a file: its format, the fields that were read, and the others.

Every reader fills in the `FileSummary` of its file while it reads. Commands print it,
so that a claim which was not read is never taken for one that holds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from solver.problem import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.problem import Problem

_SHOWN_FIELDS = 12
"""At most this many names of ignored fields are printed."""


class FileSummary:
    """What was read from a file; other threads may read the counts at any time.

    Parameters
    ----------
    name : str
        The file's name in `file:line`.

    Attributes
    ----------
    title : str
        What messages call its format, such as `CSV with ;`.
    format : str
        One of `registry.FORMATS`.
    head : bytes
        The first line that is neither blank nor a comment.
    looks : str
        What it looks like and what to do, for a file that cannot be read.
    problems, unreadable : int
        Records yielded so far: problems, and records that could not be read.
    not_selected : int
        Records outside the selection, and lichess puzzles that claim no mate.
    claims : int
        Problems that claim something.
    fields : dict of str to dict
        For each part of a problem, such as `claim`, the fields it was read from.
    ignored : dict of str to bool
        The fields that were not read, and whether each may hold a claim.
    warnings : Counter of str
        How many warnings there were about each field.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.title = self.looks = self.format = ""
        self.head = b""
        self.problems = self.unreadable = self.not_selected = self.claims = 0
        self.fields: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.ignored: dict[str, bool] = {}
        self.warnings: Counter[str] = Counter()
        self._progress: tuple[Callable[[], int], int] | None = None

    @property
    def records(self) -> int:
        """Records yielded so far, unreadable ones included."""
        return self.problems + self.unreadable

    @property
    def unread(self) -> list[str]:
        """The fields that are ignored in every record."""
        read = set().union(*self.fields.values())
        return [name for name in self.ignored if name not in read]

    @property
    def unread_claims(self) -> list[str]:
        """The fields that may hold claims, if there are problems and none claims."""
        if self.claims or not self.problems:
            return []
        return [name for name, may_claim in self.ignored.items() if may_claim]

    def read(self, part: str, field: str) -> None:
        """Note that a part of a problem, such as `claim`, is read from a field."""
        self.fields[part][field] = None

    def ignore(self, field: str, *, may_claim: bool = False) -> None:
        """Note that a field is not read, and whether it may hold a claim."""
        self.ignored[field] = may_claim or self.ignored.get(field, False)

    def count(self, problem: Problem) -> None:
        """Count a problem that is yielded."""
        self.problems += 1
        if problem.claim is not None or problem.no_mate is not None:
            self.claims += 1
        for warning in problem.warnings:
            self.warnings[warning.partition(":")[0]] += 1

    def begin(self, read: Callable[[], int], size: int | None) -> None:
        """Start measuring the progress through the file.

        Parameters
        ----------
        read : callable
            Returns the number of its bytes that have been read.
        size : int or None
            The size of the file in bytes; None if it is unknown.
        """
        self._progress = None if size is None else (read, size)

    def fraction(self) -> float | None:
        """Return the fraction of the file that has been read, from 0 to 1.

        Returns
        -------
        float or None
            None before it is opened, and if its size is unknown.
        """
        if self._progress is None:
            return None
        read, size = self._progress
        return min(read() / size, 1.0) if size else 1.0

    def record(self) -> dict[str, Any]:
        """Return the summary as an object of JSON."""
        return {
            "file": self.name,
            "format": self.title,
            "records": self.records,
            "unreadable": self.unreadable,
            "not_selected": self.not_selected,
            "without_claim": self.problems - self.claims,
            "fields": {part: list(names) for part, names in self.fields.items()},
            "ignored": self.unread,
            "warnings": dict(self.warnings),
        }

    def __str__(self) -> str:
        """Return the summary as a line of text."""
        counted = "record" if self.records == 1 else "records"
        title = f"{self.title}, " if self.title else ""
        fields = self.fields.items()
        sources = ", ".join(f"{part} from {', '.join(names)}" for part, names in fields)
        parts = [f"{title}{self.records:,} {counted}", sources]
        if names := self.unread:
            if (more := len(names) - _SHOWN_FIELDS) > 0:
                names[_SHOWN_FIELDS:] = [f"{more} more"]
            parts.append(f"ignored {', '.join(names)}")
        without = self.problems - self.claims
        parts.append(f"{without:,} without a claim" if without else "")
        parts.append(f"{self.unreadable:,} unreadable" if self.unreadable else "")
        parts.append(f"{self.not_selected:,} not selected" if self.not_selected else "")
        if self.warnings:
            counts = (f"{field} {count:,}" for field, count in self.warnings.items())
            parts.append(f"warnings about {', '.join(counts)}")
        return f"{printable(self.name)}: {'; '.join(filter(None, parts))}"
