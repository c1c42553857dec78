"""What an audit asks of each problem, the same in every thread, process and machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.problem import Limits, Problem


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The question to all problems.

    Attributes
    ----------
    limits : Limits
        What one search may cost; the table's size is that of each worker.
    within : bool
        Ask of each claim only whether there is a mate in at most so many moves.
    all_keys : bool
        Look for all keys, and compare them with the claimed ones.
    every_ply : bool
        Look at each of the solver's moves in the claimed line, too.
    certify : bool
        Build a certificate of each answer.
    directories : tuple of str
        Where endgame tables are to be asked as well.
    """

    limits: Limits
    within: bool = False
    all_keys: bool = False
    every_ply: bool = False
    certify: bool = False
    directories: tuple[str, ...] = ()

    def limits_for(self, problem: Problem) -> tuple[Limits, int | None]:
        """Say how far to search: as far as claimed, or as the limits say.

        Returns
        -------
        limits : Limits
            With the number of moves to look for, unless it is given by the next.
        within : int or None
            A mate within so many moves is all that is asked for.
        """
        claimed = problem.claim.mate if problem.claim else problem.no_mate
        if problem.claim and self.within:
            return self.limits, claimed
        if claimed and self.limits.max_moves is None:
            return replace(self.limits, max_moves=abs(claimed)), None
        return self.limits, None

    def words(self) -> str:
        """Name what changes an answer, apart from limits that leave it open."""
        told = {
            "within": self.within,
            "keys": self.all_keys,
            "every-ply": self.every_ply,
            "certificates": self.certify,
            "tablebases": bool(self.directories),
            f"moves={self.limits.max_moves}": self.limits.max_moves is not None,
        }
        return " ".join(word for word, is_asked in told.items() if is_asked)
