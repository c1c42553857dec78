"""Distances and claims, parsed alike in every format.

`Selection` says which claims to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from solver.errors import InputError, quote
from solver.problem import Claim, Problem, claim_of
from solver.stipulation import MATE, MAX_MOVES

if TYPE_CHECKING:
    from collections.abc import Container

    from solver.stipulation import Stipulation


def printable(name: str) -> str:
    """Make the name of a problem safe to print on a terminal.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        One line with single spaces, and U+FFFD for unprintable characters.
    """
    words = " ".join(name.split())
    if words.isprintable():
        return words
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)


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

MAX_SOLUTIONS = 1000
"""The most solutions of help play that a record may claim."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_DISTANCES = frozenset(range(-MAX_MOVES, MAX_MOVES + 1)) - {0}


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
    moves = f"1 to {MAX_MOVES} moves, negative when the side to move is mated"
    return _parse_number(name, text, _DISTANCES, moves)


def parse_no_mate(name: str, text: str) -> int:
    """Parse the number of moves in which there is no mate.

    Raises
    ------
    InputError
        If it is not a number from 1 to `MAX_MOVES`.
    """
    allowed = range(1, MAX_MOVES + 1)
    return _parse_number(name, text, allowed, f"1 to {MAX_MOVES} moves")


def parse_solutions(name: str, text: str) -> int:
    """Parse the number of solutions that help play has.

    Raises
    ------
    InputError
        If it is not a number from 0 to `MAX_SOLUTIONS`.
    """
    allowed = range(MAX_SOLUTIONS + 1)
    return _parse_number(name, text, allowed, f"0 to {MAX_SOLUTIONS:,} solutions")


def _parse_number(name: str, text: str, allowed: Container[int], expected: str) -> int:
    if not _NUMBER.fullmatch(text) or int(text) not in allowed:
        msg = f"{name}: expected {expected}, found {quote(text)}"
        raise InputError(msg)
    return int(text)


def make_problem(
    fen: str,
    name: str,
    source: str,
    claim: Claim | None,
    no_mate: int | None,
    stipulation: Stipulation = MATE,
    *,
    solutions: int | None = None,
    names_side: bool = True,
) -> Problem:
    """Make the problem that a record describes.

    Parameters
    ----------
    fen : str
        Six fields.
    name : str
        The record's own name; if it is empty, `file:line` is used.
    source : str
        `file:line`.
    claim : Claim or None
        None with a numbered stipulation: that there is a solution.
    no_mate : int or None
    stipulation : Stipulation
        `#n` is the same as a claim of n moves.
    solutions : int or None
        The number of solutions that help play has, if the claim does not have it.
    names_side : bool
        Whether the record says who is to move.

    Raises
    ------
    InputError
        If it claims both a mate and none, a number of moves that differs from the
        stipulation's, or a number of solutions without help play.
    """
    claim = claim or claim_of(stipulation)
    if claim and stipulation.is_help:  # where there are solutions, but no keys
        number = claim.solutions if solutions is None else solutions
        claim = replace(claim, keys=(), solutions=number)
    elif solutions is not None:
        found = stipulation.text or "none"
        msg = f"solutions: expected a help stipulation, found {found}"
        raise InputError(msg)
    if claim and not stipulation.allows(claim.mate):
        msg = (
            f"expected one claim, found {stipulation} and a claim of {claim.mate} moves"
        )
        raise InputError(msg)
    if claim and no_mate:
        found = stipulation.text or f"a mate in {claim.mate}"
        msg = f"expected one claim, found {found} and nomate {no_mate}"
        raise InputError(msg)
    return Problem(
        fen=fen,
        id=name or default_name(source),
        claim=claim,
        source=source,
        no_mate=no_mate,
        stipulation=stipulation.beside_claim,
        names_side=names_side,
    )


def default_name(source: str) -> str:
    """Return a name for a record without one: `file:line` without directories."""
    path, _, line = source.rpartition(":")
    return f"{_file_name(path)}:{line}"


@lru_cache
def _file_name(path: str) -> str:
    return PurePath(path).name
