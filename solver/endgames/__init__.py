"""Endgame tables: our own for small endgames, and the user's Gaviota and Syzygy."""

from solver.endgames.probe import EndingAnswer, EndingHistory, find_ending, is_ending

__all__ = ["EndingAnswer", "EndingHistory", "find_ending", "is_ending"]
