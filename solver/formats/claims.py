"""Distances and claims, parsed alike in every format.

`Draft` makes a problem of the fields of a record; `Selection` says which to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from solver.errors import InputError, quote
from solver.problem import Claim, Problem
from solver.stipulation import MATE, MAX_MOVES

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

    from solver.formats.summary import FileSummary
    from solver.position_text import GivenPosition
    from solver.stipulation import Stipulation

Read = TypeVar("Read")
"""What a field is parsed to."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records of a collection to read; a field of None does not restrict them.

    Attributes
    ----------
    theme : str or None
        A theme that a lichess row must have.
    min_claim, max_claim : int or None
        The least and the greatest number of moves claimed, whoever mates; if a record
        claims that there is no mate, in that number of moves. Either one excludes
        records without a claim.
    min_rating : int or None
        The least rating of a lichess row.
    all_rows : bool
        Also read lichess rows that claim no mate, as problems without a claim.
    """

    theme: str | None = None
    min_claim: int | None = None
    max_claim: int | None = None
    min_rating: int | None = None
    all_rows: bool = False

    @property
    def limits_length(self) -> bool:
        """Whether records without a claim are excluded."""
        return self.min_claim is not None or self.max_claim is not None

    def has_length(self, moves: int) -> bool:
        """Return whether a claim of this many moves is selected."""
        return (self.min_claim is None or moves >= self.min_claim) and (
            self.max_claim is None or moves <= self.max_claim
        )

    def includes(self, problem: Problem) -> bool:
        """Return whether a problem's claim has a selected length."""
        if not self.limits_length:
            return True
        moves = abs(problem.claim.mate) if problem.claim else problem.no_mate
        return moves is not None and self.has_length(moves)


EVERYTHING = Selection()
"""All records, except lichess rows that claim no mate."""

AUTO = "auto"
"""Detect the format from the content."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a collection.

    Attributes
    ----------
    source_format : str
        One of `registry.FORMATS`, or `AUTO`.
    selection : Selection
        Which records to yield. Unreadable ones are always yielded.
    columns : mapping of str to str
        Names of columns by the part of a problem that they have, such as `fen` or
        `claim`; other columns are found by their usual names.
    strict : bool
        Refuse a record with a warning, instead of keeping what could be read of it.
    claims : bool
        Read claims; otherwise only positions and stipulations.
    """

    source_format: str = AUTO
    selection: Selection = EVERYTHING
    columns: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False
    claims: bool = True


OTHER_TEXT = "other text"
"""The name of what stands after a position and has no name."""


def no_claims(fields: Sequence[str]) -> str:
    """Return the error for a file of which no claim was read.

    Parameters
    ----------
    fields : sequence of str
        The fields that were not read and may hold claims.
    """
    is_named = fields[0] != OTHER_TEXT  # otherwise perhaps a table without a header
    return (
        f"expected claims, found none in the fields that are known, and "
        f"{', '.join(fields)}; name the one with claims, as in --columns "
        f"{f'claim={fields[0]}' if is_named else 'fen=1,claim=2'}, or read positions "
        "only with --no-claims"
    )


KEPT = "; kept "
"""In a warning, between what was wrong and what was kept of the record."""

MAX_SOLUTIONS = 1000
"""The most solutions of help play that a record may claim."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_NO_MATE = range(1, MAX_MOVES + 1), f"1 to {MAX_MOVES} moves"
_SOLUTIONS = range(MAX_SOLUTIONS + 1), f"0 to {MAX_SOLUTIONS:,} solutions"
_MATE = (
    frozenset(range(-MAX_MOVES, MAX_MOVES + 1)) - {0},
    f"1 to {MAX_MOVES} moves, negative when the side to move is mated",
)
"""Of each number that is claimed: what it may be, and how the error says so."""


def parse_distance(name: str, text: str) -> int:
    """Parse a distance to mate in moves, negative if the side to move is mated.

    Parameters
    ----------
    name : str
        The field's name in the error.
    text : str
        Decimal digits, with or without a sign.

    Raises
    ------
    InputError
        If it is not a number from 1 to `MAX_MOVES` or from -`MAX_MOVES` to -1.
    """
    return _parse_number(name, text, *_MATE)


def _parse_number(name: str, text: str, allowed: Container[int], expected: str) -> int:
    if not _NUMBER.fullmatch(text) or int(text) not in allowed:
        msg = f"{name}: expected {expected}, found {quote(text)}"
        raise InputError(msg)
    return int(text)


@dataclass
class Draft:
    """A problem that is being read, field by field.

    A field that cannot be read is dropped with a warning, so that it does not cost the
    position and the other claims. But a record whose claim cannot be read is refused
    if it has no other, so that its position is not taken for one that claims nothing.

    Attributes
    ----------
    position : GivenPosition
        The position of the record.
    summary : FileSummary
        Notes which field each part is read from.
    stipulation : Stipulation
        What is demanded.
    mates : list of int
        The mates that are claimed, the clearest claim first.
    no_mate : int or None
    keys, line : tuple of str
    solutions : int or None
    any_last_move : bool
        See `Claim` and `Problem`.
    warnings : list of str
        What was dropped: what was expected, and what was found.
    """

    position: GivenPosition
    summary: FileSummary
    stipulation: Stipulation = MATE
    mates: list[int] = field(default_factory=list)
    no_mate: int | None = None
    keys: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    solutions: int | None = None
    any_last_move: bool = False
    _lost: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.warnings = [*self.position.warnings]

    def read(
        self, part: str, field: str, parse: Callable[..., Read], *given: object
    ) -> Read | None:
        """Parse a field.

        Parameters
        ----------
        part : str
            What it is part of, for the summary: `claim`, `keys`, `line`, ...
        field : str
            Its name in the file.
        parse : callable
            Called with the field's name and what is given; raises InputError.

        Returns
        -------
        object or None
            What `parse` returns; None, with a warning, if it cannot be read.
        """
        self.summary.read(part, field)
        try:
            return parse(field, *given)
        except InputError as error:
            self.lose(str(error), part)
            return None

    def lose(self, fault: str, part: str = "claim") -> None:
        """Note a fault that costs a claim, or another part."""
        self.warnings.append(fault)
        self._lost[part] = fault

    def read_mate(self, field: str, text: str) -> None:
        """Read a claimed mate, see `parse_distance`."""
        if mate := self.read("claim", field, _parse_number, text, *_MATE):
            self.mates.append(mate)

    def read_no_mate(self, field: str, text: str) -> None:
        """Read a claim that there is no mate in 1 to `MAX_MOVES` moves."""
        no_mate = self.read("claim", field, _parse_number, text, *_NO_MATE)
        self.no_mate = no_mate or self.no_mate

    def read_solutions(self, field: str, text: str) -> None:
        """Read a number of solutions, from 0 to `MAX_SOLUTIONS`."""
        self.solutions = self.read("solutions", field, _parse_number, text, *_SOLUTIONS)

    def read_keys(self, field: str, moves: str) -> None:
        """Read keys, see `GivenPosition.keys`; they are added to those read before."""
        keys = self.read("keys", field, self.position.keys, moves) or ()
        self.keys = tuple(dict.fromkeys(self.keys + keys))

    def read_line(self, field: str, moves: str) -> None:
        """Read a line of moves, see `GivenPosition.line`."""
        self.line = self.read("line", field, self.position.line, moves) or self.line

    def problem(self, name: str, source: str, fen: str = "") -> Problem:
        """Return the problem; of claims that contradict each other, the clearest.

        Parameters
        ----------
        name : str
            The record's own name; if it is empty, `file:line` is used.
        source : str
            `file:line`.
        fen : str
            Replaces the position's FEN if its counters are written elsewhere.

        Raises
        ------
        InputError
            It claims something, but nothing that can be read.
        """
        claim, no_mate = self._claim(), self.no_mate
        if not (claim or no_mate):
            has_moves = self.keys or self.line
            for part in ("claim",) if has_moves else ("claim", "keys", "line"):
                if part in self._lost:
                    raise InputError(self._lost[part])
        if claim and no_mate:
            self._drop(f"nomate {no_mate}", claim.mate)
            no_mate = None
        warnings: tuple[str, ...] = ()
        if self.warnings:
            kept = self._describe(claim, no_mate)
            warnings = tuple(f"{warning}{KEPT}{kept}" for warning in self.warnings)
        return Problem(
            fen=fen or self.position.fen,
            id=name or default_name(source),
            claim=claim,
            source=source,
            no_mate=no_mate,
            stipulation=self.stipulation.beside_claim,
            names_side=self.position.names_side,
            warnings=warnings,
        )

    def _claim(self) -> Claim | None:
        """Return the clearest claim: the stipulation, or the first mate."""
        asked = self.stipulation
        mates = self.mates if asked is MATE else [asked.attacker_moves, *self.mates]
        mate, *others = mates or [0]
        for other in dict.fromkeys(others):
            if other != mate:
                self._drop(f"a mate in {other}", mate)
        if asked.is_help:
            return Claim(mate, (), self.line, self.any_last_move, self.solutions)
        if self.solutions is not None:
            found = f"found {asked.text or 'none'}"
            self.warnings.append(f"solutions: expected a help stipulation, {found}")
        if not mate:
            return None
        return Claim(mate, self.keys, self.line, self.any_last_move)

    def _drop(self, other: str, mate: int) -> None:
        first = self.stipulation.text or f"a mate in {mate}"
        self.warnings.append(f"claims: expected one, found {first} and {other}")

    def _describe(self, claim: Claim | None, no_mate: int | None) -> str:
        """Return what is kept of a record, in a few words."""
        if claim is None:
            return "the position" if no_mate is None else f"no mate in {no_mate}"
        parts = [self.stipulation.text or f"mate in {claim.mate}"]
        if claim.keys:
            name = "key" if len(claim.keys) == 1 else "keys"
            parts.append(f"{name} {' '.join(claim.keys)}")
        if claim.line:
            parts.append("the line")
        return ", ".join(parts)


def default_name(source: str) -> str:
    """Return a name for a record without one: `file:line` without directories."""
    path, _, line = source.rpartition(":")
    return f"{_file_name(path)}:{line}"


@lru_cache
def _file_name(path: str) -> str:
    return PurePath(path).name
