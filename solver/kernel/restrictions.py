"""What a side must respect when it moves: checks, pins, squares closed to its king."""

from __future__ import annotations

from typing import NamedTuple

from solver.kernel.attacks import (
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    knights_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
    pawns_attacks_up,
)
from solver.kernel.bitboards import (
    ALL,
    BETWEEN,
    DIAGONAL_LINES,
    ONE,
    ORTHOGONAL_LINES,
    ZERO,
)
from solver.kernel.intrinsics import first_square
from solver.kernel.jit import Bitboard, Square, jit, named_words, u64
from solver.kernel.position import Position, position_t


class Restrictions(NamedTuple):
    """What our men must respect.

    Each field is a bitboard: the men that give check; the squares that parry it (all
    when there is none); the pin lines with the pinning man, by direction; the squares
    forbidden to our king.
    """

    checkers: Bitboard
    parries: Bitboard
    diagonal_pins: Bitboard
    orthogonal_pins: Bitboard
    danger: Bitboard


restrictions_t = named_words(Restrictions)


@jit(u64(position_t, u64), inline=True)
def attacked_by_them(position: Position, occupied: Bitboard) -> Bitboard:
    """Every square that their men attack, given the occupancy."""
    attacked = pawns_attacks_down(position.pawns & position.them)
    attacked |= knights_attacks(position.knights & position.them)
    attacked |= king_attacks(first_square(position.kings & position.them))
    sliders = position.diagonal & position.them
    while sliders:
        attacked |= diagonal_attacks(first_square(sliders), occupied)
        sliders &= sliders - ONE
    sliders = position.orthogonal & position.them
    while sliders:
        attacked |= orthogonal_attacks(first_square(sliders), occupied)
        sliders &= sliders - ONE
    return attacked


class Snipers(NamedTuple):
    """What their sliders of one direction do to our king: check it, or pin to it."""

    checkers: Bitboard
    pins: Bitboard


snipers_t = named_words(Snipers)


@jit(snipers_t(position_t, u64, u64), inline=True)
def _look_along(position: Position, king: Square, snipers: Bitboard) -> Snipers:
    """Tell checks from pins, for their sliders that stand on our king's lines."""
    occupied = position.us | position.them
    checkers = ZERO
    pins = ZERO
    while snipers:
        line = BETWEEN[king, first_square(snipers)]
        sniper = snipers & (ZERO - snipers)
        snipers ^= sniper
        blockers = line & occupied
        if not blockers:
            checkers |= sniper
        elif not (blockers & (blockers - ONE)) and blockers & position.us:
            pins |= line | sniper
    return Snipers(checkers, pins)


@jit(restrictions_t(position_t), inline=True)
def restrictions(position: Position) -> Restrictions:
    """Find checks, pins and the squares that our king must not enter."""
    king = position.kings & position.us
    square = first_square(king)
    diagonal = _look_along(
        position, square, DIAGONAL_LINES[square] & position.diagonal & position.them
    )
    orthogonal = _look_along(
        position, square, ORTHOGONAL_LINES[square] & position.orthogonal & position.them
    )
    checkers = diagonal.checkers | orthogonal.checkers
    checkers |= position.them & (
        (pawns_attacks_up(king) & position.pawns)
        | (knight_attacks(square) & position.knights)
    )
    parries = ALL
    if checkers:
        parries = ZERO
        if not (checkers & (checkers - ONE)):
            parries = checkers | BETWEEN[square, first_square(checkers)]
    occupied = position.us | position.them
    danger = attacked_by_them(position, occupied ^ king)
    return Restrictions(checkers, parries, diagonal.pins, orthogonal.pins, danger)
