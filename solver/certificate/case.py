"""What a proof is built of: the position, who attacks, and who proves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import chess

    from solver.certificate.moves import Moves
    from solver.certificate.prover import Prover


@dataclass(frozen=True, slots=True)
class Case:
    """A position whose proofs are to be built.

    Attributes
    ----------
    packed : bytes
        The position, a `Position` as the side to move sees it.
    attacker : bool
        Who mates or does not; `chess.WHITE` or `chess.BLACK`.
    attacking : bool
        The attacker is to move.
    moves : Moves
        Plays them.
    prover : Prover
        Tells what mates.
    """

    packed: bytes
    attacker: chess.Color
    attacking: bool
    moves: Moves
    prover: Prover
