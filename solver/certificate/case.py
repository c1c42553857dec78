"""What a proof is built of: the position, who attacks, and who proves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from solver.board import pack
from solver.certificate.moves import Moves
from solver.problem import Limits
from solver.search.question import understand

if TYPE_CHECKING:
    from solver.certificate.prover import Prover
    from solver.solution import Solution


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


def understand_case(solution: Solution, prover: Prover) -> Case:
    """Tell from an answer who attacks."""
    board = chess.Board(solution.problem.fen)
    if solution.mate is None:
        attacking = understand(solution.problem, board, Limits(), None).attacking
    else:
        attacking = solution.mate > 0
    attacker = board.turn if attacking else not board.turn
    return Case(bytes(pack(board)), attacker, attacking, Moves(), prover)
