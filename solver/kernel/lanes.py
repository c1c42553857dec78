"""Lanes: restrictions of the attacker, in which a search is narrow and goes far.

A lane hides mates and invents none: a mate found in it is a mate, and "no mate" speaks
of the lane alone. Every lane admits each mating move.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.attacks import king_attacks
from solver.kernel.intrinsics import first_square, population
from solver.kernel.jit import Number, boolean, i64, jit, search_t
from solver.kernel.movegen import count_within
from solver.kernel.position import Position, position_t
from solver.kernel.restrictions import Restrictions, restrictions, restrictions_t
from solver.kernel.transposition import Address, address_t


@jit(address_t(search_t, address_t), inline=True)
def in_lane(search: Any, where: Address) -> Address:
    """Where bounds of a position stand that hold in the lane alone."""
    return Address(where.key ^ search.lane, where.place ^ search.lane)


@jit(i64(position_t, restrictions_t), inline=True)
def flights(position: Position, limits: Restrictions) -> Number:
    """How many squares the king of the side to move can go to, castling aside."""
    king = first_square(position.kings & position.us)
    return population(king_attacks(king) & ~position.us & ~limits.danger)


@jit(boolean(position_t, search_t))
def admits(position: Position, search: Any) -> bool:
    """Whether the lane admits the attack that led here, defender to move.

    What the attack threatens is not asked here.
    """
    limits = restrictions(position)
    if search.checks_only and not limits.checkers:
        return False
    return (
        flights(position, limits) <= search.most_flights
        and count_within(position, limits) <= search.most_replies
    )
