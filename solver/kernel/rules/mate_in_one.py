"""The mate-in-one test, which is half of the nodes of a mate search.

A mating move must give check and take the king's last flights away. So the test first
finds the squares around the king that we do not cover (`Cover`), and then the moves
that check and cover these squares. Only such moves are made and tested completely.
docs/explanation/tried.md compares the speed with making every move.
"""

from __future__ import annotations

from typing import NamedTuple

from solver.kernel.build.jit import (
    Bitboard,
    Move,
    Square,
    boolean,
    first_square,
    jit,
    named_words,
    u64,
)
from solver.kernel.rules.bitboards import (
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
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    orthogonal_attacks,
    pawns_attacks_up,
)
from solver.kernel.rules.checks import find_checks
from solver.kernel.rules.movegen import (
    castling_targets,
    count,
    en_passant_takers,
    find_pins,
)
from solver.kernel.rules.position import (
    DIAGONAL,
    KING,
    KNIGHT,
    NO_MOVE,
    ORTHOGONAL,
    PAWN,
    QUEEN,
    Position,
    checkers,
    encode,
    leaves_king_attacked,
    make,
    position_t,
)


@jit(boolean(position_t), inline=True)
def is_checkmate(position: Position) -> bool:
    """Return whether the side to move is checkmated."""
    return checkers(position) != ZERO and count(position) == 0


@jit(boolean(position_t), inline=True)
def is_stalemate(position: Position) -> bool:
    """Return whether the side to move has no move and is not in check."""
    return checkers(position) == ZERO and count(position) == 0


@jit(boolean(position_t, u64))
def mates(position: Position, move: Move) -> bool:
    """Return whether a pseudo-legal move is legal and mates."""
    child = make(position, move)
    return (
        checkers(child) != ZERO
        and not leaves_king_attacked(child)
        and count(child) == 0
    )


class Cover(NamedTuple):
    """Squares that we attack when their king is taken off the board.

    The squares attacked at all, by at least two pieces, and by at least one slider.
    """

    once: Bitboard
    twice: Bitboard
    by_sliders: Bitboard


cover_t = named_words(Cover)


@jit(u64(position_t, u64, u64), inline=True)
def slider_attacks(
    position: Position, slider: Bitboard, occupied: Bitboard
) -> Bitboard:
    """Return the squares that a bishop, rook or queen attacks."""
    square = first_square(slider)
    reached = ZERO
    if position.diagonal & slider:
        reached |= diagonal_attacks(square, occupied)
    if position.orthogonal & slider:
        reached |= orthogonal_attacks(square, occupied)
    return reached


@jit(cover_t(position_t, u64), inline=True)
def find_cover(position: Position, occupied: Bitboard) -> Cover:
    """Collect the attacks of our pieces, given the occupancy."""
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
    """Return the squares that our piece of a kind attacks from `square`."""
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
    """Return the flights that are open without our piece on `start`."""
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
    """Return whether a piece that arrives on `end` covers all `uncovered` flights.

    Lines that the piece closes are ignored, so True may be wrong; False never is.
    """
    king = position.kings & position.them
    occupied = (position.us | position.them) & ~(king | (ONE << start))
    # The king may take the piece itself unless another one guards it.
    flights = uncovered & (~position.them | (ONE << end))
    return not (flights & ~attacks_of_kind(kind, end, occupied))


@jit(u64(position_t, u64, u64, u64))
def _mate_by_pawn(
    position: Position, ring: Bitboard, targets: Bitboard, step: Square
) -> Move:
    """Find a mate among pawn moves whose targets are `step` above their origins."""
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
    """Find a mate by a king move that opens a line, or by castling."""
    king = position.kings & position.us
    start = first_square(king)
    targets = ZERO
    if king & batteries:
        targets = king_attacks(start) & ~position.us
    if position.rights & RANK_1:
        targets |= castling_targets(position, find_pins(position))
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

    # 1. The squares from which pieces check, and the pieces in front of a battery.
    checks = find_checks(position)
    batteries = checks.discoverers

    # 2. The squares that we cover.
    cover = find_cover(position, bare)

    # 3. Knights and sliders: targets that check, or any target if a line opens.
    pieces = position.us & (position.knights | position.diagonal | position.orthogonal)
    while pieces:
        piece = pieces & (ZERO - pieces)
        pieces ^= piece
        start = first_square(piece)
        kind = KNIGHT
        reached = knight_attacks(start)
        checked = checks.knight
        if not position.knights & piece:
            kind = ZERO
            reached = ZERO
            checked = ZERO
            if position.diagonal & piece:
                kind |= DIAGONAL
                reached |= diagonal_attacks(start, bare)
                checked |= checks.diagonal
            if position.orthogonal & piece:
                kind |= ORTHOGONAL
                reached |= orthogonal_attacks(start, bare)
                checked |= checks.orthogonal
        targets = reached & ~position.us
        if not piece & batteries:
            targets &= checked
        if not targets:
            continue
        if piece & (batteries | cover.by_sliders):
            uncovered = open_flights(position, ring, piece)
        else:
            uncovered = ring & ~(cover.twice | (cover.once & ~reached))
        while targets:
            end = first_square(targets)
            targets &= targets - ONE
            if leaves_no_flight(position, uncovered, start, end, kind):
                move = encode(start, end, kind)
                if mates(position, move):
                    return move

    # 4. Pawns that check, promote or open a line.
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

    # 5. Captures en passant, king moves and castling.
    takers = en_passant_takers(position)
    if takers:
        move = _mate_in_passing(position, takers)
        if move:
            return move
    if position.kings & position.us & batteries or position.rights & RANK_1:
        return _mate_by_king(position, batteries)
    return NO_MOVE
