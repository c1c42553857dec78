"""The attacker's moves in a claimed line, and the other moves that mate as fast.

`AuditResult.plies` is a JSON array of them, which this module writes and reads.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from solver.stipulations.kind import allows_all_mates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.problem import Claim


class Ply(NamedTuple):
    """One of the attacker's moves in a claimed line, with all moves that mate as fast.

    Attributes
    ----------
    move : str
        The move of the line, in UCI notation.
    mate : int or None
        Moves to mate in the position before the move; None if a limit was hit first or
        there is no mate.
    keys : tuple of str
        All moves that mate as fast, in UCI notation; empty if a limit was hit before
        all were known.
    only : bool or None
        Whether this move mates as fast as any, and no other move does except those that
        the claim allows; see `is_only`. None if unknown.
    holds : bool or None
        Whether the move is proved to mate within the moves that the claim leaves. None
        if the line was not followed, or a limit was hit first.
    """

    move: str
    mate: int | None
    keys: tuple[str, ...]
    only: bool | None = None
    holds: bool | None = None

    @property
    def is_slow(self) -> bool:
        """Whether other moves mate faster than the line's move."""
        return bool(self.keys) and self.move not in self.keys

    @property
    def is_dual(self) -> bool:
        """Whether the move is one of several that mate fastest."""
        return self.only is False and not self.is_slow


def mark_only_moves(claim: Claim, plies: Sequence[Ply]) -> tuple[Ply, ...]:
    """Return the plies of a claimed line with `only` filled in."""
    return tuple(
        ply._replace(only=is_only(claim, ply, is_first=number == 0))
        for number, ply in enumerate(plies)
    )


def is_only(claim: Claim, ply: Ply, *, is_first: bool) -> bool | None:
    """Decide whether no other move mates as fast.

    Moves that the claim allows do not count: the other claimed keys at the first move,
    and other mates in one if the source accepts them all.

    Returns
    -------
    bool or None
        None if a limit was hit before that was known.
    """
    if not ply.keys:
        return None
    if ply.move not in ply.keys:
        return False
    allowed = {ply.move, *(claim.keys if is_first else ())}
    return allows_all_mates(claim, ply.mate) or allowed.issuperset(ply.keys)


def only_moves(plies: Sequence[Ply]) -> bool | None:
    """Decide for every move of a line whether no other move mates as fast.

    Parameters
    ----------
    plies : sequence of Ply
        Each with `only`; see `mark_only_moves`.

    Returns
    -------
    bool or None
        None if the line was not searched, or a limit was hit before that was known.
    """
    only = [ply.only for ply in plies]
    if False in only:
        return False
    return True if only and None not in only else None


def with_holds(
    plies: Sequence[Ply], claim: Claim | None, holds: Sequence[bool | None]
) -> list[Ply]:
    """Return the attacker's moves of a claimed line with `Ply.holds`.

    Parameters
    ----------
    plies : sequence of Ply
        The moves that `every_ply` has searched, or none.
    claim : Claim
        Its line has at least as many moves of the attacker as `holds`.
    holds : sequence of (bool or None)
        For each of these moves; see `Followed`.
    """
    assert claim
    moves = claim.line[0 if claim.mate > 0 else 1 :: 2]
    known = [*plies, *(Ply(move, None, ()) for move in moves[len(plies) :])]
    return [ply._replace(holds=held) for ply, held in zip(known, holds, strict=True)]


def write_plies(plies: Sequence[Ply]) -> str:
    """Return `AuditResult.plies` for the moves of a claimed line."""
    return json.dumps([_written(ply) for ply in plies]) if plies else ""


def _written(ply: Ply) -> dict[str, object]:
    fields = ply._asdict()
    if ply.holds is None:
        del fields["holds"]
    return fields


def read_plies(text: str) -> tuple[Ply, ...]:
    """Return the moves of a claimed line from `AuditResult.plies`."""
    return tuple(
        Ply(
            ply["move"], ply["mate"], (*ply["keys"],), ply.get("only"), ply.get("holds")
        )
        for ply in json.loads(text or "[]")
    )
