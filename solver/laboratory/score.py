"""Scores of the laboratory's search: centipawns, or the distance to a mate.

A score is from the point of view of the side to move. A mate at `ply` is worth
`MATE - ply` to who gives it, so that the sooner one is worth more.
"""

from __future__ import annotations

from solver.kernel.interface import MATE_SCORE, MATE_ZONE


def is_mate(score: int) -> bool:
    """Whether a score tells a mate."""
    return abs(score) >= MATE_ZONE


def mate_distance(score: int) -> int | None:
    """Moves to mate; negative when the side to move is mated, None without a mate.

    Notes
    -----
    Being mated already is 0.
    """
    if not is_mate(score):
        return None
    plies = MATE_SCORE - abs(score)
    return (plies + 1) // 2 if score > 0 else -(plies // 2)


def score_word(score: int) -> str:
    """Give `M8` for a mate in 8 moves, `-M8` for being mated, else centipawns."""
    moves = mate_distance(score)
    if moves is None:
        return str(score)
    return f"M{moves}" if score > 0 else f"-M{-moves}"
