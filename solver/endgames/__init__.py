"""Pawnless endings of at most four men, solved backwards over all their positions.

A set of positions is an array of 64-bit words: its first axis is the square of the
attacker's king, one axis follows for each other man, and the bits of a word are the
squares of the defender's king. The men do not know left from right, so the attacker's
king is kept to the ten squares of the triangle a1-d1-d4 and the others are reflected
with it. See docs/explanation/endgames.md.
"""

from solver.endgames.probe import EndingAnswer, EndingHistory, find_ending, is_ending

__all__ = ["EndingAnswer", "EndingHistory", "find_ending", "is_ending"]
