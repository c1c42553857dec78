"""Is there a mate on the move? Nearly every node of a mate search asks just this.

A mate must check and must take the king's last flights away, so the test never makes a
move that fails at either. First the squares around the king that we leave open are
found (`Cover`); a man that could check is then asked whether, from its new square, it
covers what is missing. Only what passes is made and looked at in full.
"""

from __future__ import annotations

from typing import NamedTuple

from solver.kernel.attacks import (
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    orthogonal_attacks,
    pawns_attacks_up,
)
from solver.kernel.bitboards import (
    EIGHT,
    NINE,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    SEVEN,
    SIXTEEN,
    ZERO,
)
from solver.kernel.checks import find_checks
from solver.kernel.intrinsics import first_square
from solver.kernel.jit import Bitboard, Move, Square, boolean, jit, named_words, u64
from solver.kernel.movegen import castling_targets, count, en_passant_takers
from solver.kernel.moves import (
    DIAGONAL,
    KING,
    KNIGHT,
    NO_MOVE,
    ORTHOGONAL,
    PAWN,
    QUEEN,
    encode,
)
from solver.kernel.position import (
    Position,
    checkers,
    leaves_king_attacked,
    make,
    position_t,
)
from solver.kernel.restrictions import restrictions


@jit(boolean(position_t), inline=True)
def is_checkmate(position: Position) -> bool:
    """Whether the side to move is checkmated."""
    return checkers(position) != ZERO and count(position) == 0


@jit(boolean(position_t, u64))
def mates(position: Position, move: Move) -> bool:
    """Whether a pseudo-legal move is legal and mates."""
    child = make(position, move)
    return (
        checkers(child) != ZERO
        and not leaves_king_attacked(child)
        and count(child) == 0
    )


class Cover(NamedTuple):
    """Squares that we attack, their king lifted off the board.

    Attacked at all, attacked by two men or more, attacked by a slider.
    """

    once: Bitboard
    twice: Bitboard
    by_sliders: Bitboard


cover_t = named_words(Cover)


@jit(u64(position_t, u64, u64), inline=True)
def slider_attacks(
    position: Position, slider: Bitboard, occupied: Bitboard
) -> Bitboard:
    """Squares that the bishop, rook or queen attacks."""
    square = first_square(slider)
    reached = ZERO
    if position.diagonal & slider:
        reached |= diagonal_attacks(square, occupied)
    if position.orthogonal & slider:
        reached |= orthogonal_attacks(square, occupied)
    return reached


@jit(cover_t(position_t, u64), inline=True)
def find_cover(position: Position, occupied: Bitboard) -> Cover:
    """Add up the attacks of our men, given the occupancy."""
    pawns = position.pawns & position.us
    left = (pawns & NOT_FILE_A) << SEVEN
    right = (pawns & NOT_FILE_H) << NINE
    once = left | right
    twice = left & right
    reached = king_attacks(first_square(position.kings & position.us))
    twice |= once & reached
    once |= reached
    knights = position.knights & position.us
    while knights:
        reached = knight_attacks(first_square(knights))
        twice |= once & reached
        once |= reached
        knights &= knights - ONE
    by_sliders = ZERO
    sliders = (position.diagonal | position.orthogonal) & position.us
    while sliders:
        slider = sliders & (ZERO - sliders)
        sliders ^= slider
        reached = slider_attacks(position, slider, occupied)
        twice |= once & reached
        once |= reached
        by_sliders |= reached
    return Cover(once, twice, by_sliders)


@jit(u64(u64, u64, u64), inline=True)
def attacks_of_kind(kind: Move, square: Square, occupied: Bitboard) -> Bitboard:
    """Squares that a man of ours of that kind attacks from `square`."""
    reached = ZERO
    if kind & DIAGONAL:
        reached |= diagonal_attacks(square, occupied)
    if kind & ORTHOGONAL:
        reached |= orthogonal_attacks(square, occupied)
    if kind & KNIGHT:
        reached = knight_attacks(square)
    if kind & PAWN:
        reached = pawns_attacks_up(ONE << square)
    if kind & KING:
        reached = king_attacks(square)
    return reached


@jit(u64(position_t, u64, u64), inline=True)
def open_flights(position: Position, ring: Bitboard, start: Bitboard) -> Bitboard:
    """Flights that stay open once our man on `start` is lifted off, lines and all."""
    king = position.kings & position.them
    occupied = (position.us | position.them) ^ king ^ start
    rest = Position(
        position.pawns & ~start,
        position.knights & ~start,
        position.diagonal & ~start,
        position.orthogonal & ~start,
        position.kings,
        position.us & ~start,
        position.them,
        position.rights,
    )
    return ring & ~find_cover(rest, occupied).once


@jit(boolean(position_t, u64, u64, u64, u64), inline=True)
def leaves_no_flight(
    position: Position, uncovered: Bitboard, start: Square, end: Square, kind: Move
) -> bool:
    """Whether a man that arrives on `end` covers what the rest leaves `uncovered`.

    Lines that it closes are not looked at: a yes may be wrong, a no is not.
    """
    king = position.kings & position.them
    occupied = (position.us | position.them) & ~(king | (ONE << start))
    # The king may take the man itself unless another guards it.
    flights = uncovered & (~position.them | (ONE << end))
    return not (flights & ~attacks_of_kind(kind, end, occupied))


@jit(u64(position_t, u64, u64, u64))
def _mate_by_pawn(
    position: Position, ring: Bitboard, targets: Bitboard, step: Square
) -> Move:
    """Find a mate among pawn moves to the targets, `step` above their origins."""
    while targets:
        end = first_square(targets)
        targets &= targets - ONE
        start = end - step
        uncovered = open_flights(position, ring, ONE << start)
        if not RANK_8 & (ONE << end):
            if leaves_no_flight(position, uncovered, start, end, PAWN):
                move = encode(start, end, PAWN)
                if mates(position, move):
                    return move
            continue
        # A rook or a bishop mates only where a queen does.
        for kind in (QUEEN, KNIGHT):
            if leaves_no_flight(position, uncovered, start, end, kind):
                move = encode(start, end, kind)
                if mates(position, move):
                    return move
    return NO_MOVE


@jit(u64(position_t, u64))
def _mate_by_king(position: Position, batteries: Bitboard) -> Move:
    """Find a mate by the king's opening a line, or by castling."""
    king = position.kings & position.us
    start = first_square(king)
    targets = ZERO
    if king & batteries:
        targets = king_attacks(start) & ~position.us
    if position.rights & RANK_1:
        targets |= castling_targets(position, restrictions(position))
    while targets:
        move = encode(start, first_square(targets), KING)
        targets &= targets - ONE
        if mates(position, move):
            return move
    return NO_MOVE


@jit(u64(position_t, u64))
def _mate_in_passing(position: Position, takers: Bitboard) -> Move:
    """Find a mate by a capture en passant."""
    end = first_square(position.rights & RANK_6)
    while takers:
        move = encode(first_square(takers), end, PAWN)
        takers &= takers - ONE
        if mates(position, move):
            return move
    return NO_MOVE


@jit(u64(position_t))
def mate_in_one(position: Position) -> Move:
    """Find a move that mates at once.

    Returns
    -------
    uint64
        A legal mating move, or NO_MOVE when there is none.
    """
    king = position.kings & position.them
    square = first_square(king)
    occupied = position.us | position.them
    bare = occupied ^ king
    ring = king_attacks(square)

    # 1. Where a man would check, and who stands before a battery.
    checks = find_checks(position)
    batteries = checks.discoverers

    # 2. What we cover.
    cover = find_cover(position, bare)

    # 3. Knights and sliders.
    men = position.us & (position.knights | position.diagonal | position.orthogonal)
    while men:
        man = men & (ZERO - men)
        men ^= man
        start = first_square(man)
        kind = KNIGHT
        reached = knight_attacks(start)
        checked = checks.knight
        if not position.knights & man:
            kind = ZERO
            reached = ZERO
            checked = ZERO
            if position.diagonal & man:
                kind |= DIAGONAL
                reached |= diagonal_attacks(start, bare)
                checked |= checks.diagonal
            if position.orthogonal & man:
                kind |= ORTHOGONAL
                reached |= orthogonal_attacks(start, bare)
                checked |= checks.orthogonal
        targets = reached & ~position.us
        if not man & batteries:
            targets &= checked
        if not targets:
            continue
        if man & (batteries | cover.by_sliders):
            uncovered = open_flights(position, ring, man)
        else:
            uncovered = ring & ~(cover.twice | (cover.once & ~reached))
        while targets:
            end = first_square(targets)
            targets &= targets - ONE
            if leaves_no_flight(position, uncovered, start, end, kind):
                move = encode(start, end, kind)
                if mates(position, move):
                    return move

    # 4. Pawns, where they check, promote or open a line.
    pawns = position.pawns & position.us
    wanted = checks.pawn | RANK_8
    opening = pawns & batteries
    pushed = (pawns << EIGHT) & ~occupied
    targets = pushed & (wanted | (opening << EIGHT))
    if targets:
        move = _mate_by_pawn(position, ring, targets, EIGHT)
        if move:
            return move
    targets = ((pushed & RANK_3) << EIGHT) & ~occupied & (wanted | opening << SIXTEEN)
    if targets:
        move = _mate_by_pawn(position, ring, targets, SIXTEEN)
        if move:
            return move
    takeable = position.them & ~king
    targets = ((pawns & NOT_FILE_A) << SEVEN) & takeable & (wanted | opening << SEVEN)
    if targets:
        move = _mate_by_pawn(position, ring, targets, SEVEN)
        if move:
            return move
    targets = ((pawns & NOT_FILE_H) << NINE) & takeable & (wanted | opening << NINE)
    if targets:
        move = _mate_by_pawn(position, ring, targets, NINE)
        if move:
            return move

    # 5. What moves two men, and the king.
    takers = en_passant_takers(position)
    if takers:
        move = _mate_in_passing(position, takers)
        if move:
            return move
    if position.kings & position.us & batteries or position.rights & RANK_1:
        return _mate_by_king(position, batteries)
    return NO_MOVE
