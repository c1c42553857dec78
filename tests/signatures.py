"""What searches cost: the only node counts that tests know by heart.

A change of a search changes them here, and its commit says why. Any other test compares
a count with what the program, or an oracle, returns for the same question.
"""

from __future__ import annotations

from solver.kernel.border.scored_struct import Mdp

MATES = 365_911
"""Nodes of all questions of `test_node_signature`."""

GLASS = {
    Mdp.OFF: (2_394_958, 2_549_061),
    Mdp.UPPER: (2_391_229, 2_547_520),
    Mdp.LOWER: (2_392_811, 2_538_023),
    Mdp.CPW: (2_390_265, 2_539_258),
    Mdp.TIGHT: (2_364_513, 2_466_694),
    Mdp.VIPERMATE: (2_390_265, 2_539_258),
}
"""The laboratory's nodes until it finds Glass's mate in 8 at depth 16, and in all.

They depend on the move order, the evaluation and the table.
"""
