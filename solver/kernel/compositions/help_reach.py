"""What each side can reach in the moves left of help play, or more, but never less.

`solver.kernel.compositions.help_targets` uses it to decide whether a mate can still
arise. The squares are those of the attacker's view: its pawns move up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.build.jit import (
    Bitboard,
    Number,
    Square,
    first_square,
    help_play_t,
    i64,
    jit,
    u64,
    void,
)
from solver.kernel.rules.bitboards import (
    A1,
    ALL,
    C1,
    CORNERS,
    D1,
    DIAGONAL_LINES,
    EIGHT,
    F1,
    G1,
    H1,
    ONE,
    ORTHOGONAL_LINES,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    SIXTEEN,
    ZERO,
    beside,
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    knights_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
    pawns_attacks_up,
)
from solver.kernel.rules.position import Position, position_t

RANK_2 = np.uint64(0xFF) << np.uint64(8)
RANK_4 = np.uint64(0xFF) << np.uint64(24)
RANK_5 = np.uint64(0xFF) << np.uint64(32)
RANK_7 = np.uint64(0xFF) << np.uint64(48)
BELOW_RANK_6 = np.uint64((1 << 40) - 1)
ABOVE_RANK_3 = ~np.uint64((1 << 24) - 1)
LIGHT = np.uint64(0x55AA_55AA_55AA_55AA)
C8, D8, F8, G8 = (square << np.uint64(56) for square in (C1, D1, F1, G1))
MANY = 4
"""With this many pieces able to leave it, a line counts as empty."""

DIAGONAL_PIECE, ORTHOGONAL_PIECE, KNIGHT_PIECE = 1, 2, 4


# Sets of squares


@jit(u64(i64, u64), inline=True)
def empty_attacks(kind: Number, square: Square) -> Bitboard:
    """Return what a piece attacks on an empty board, or the squares that attack it."""
    reached: Bitboard = ZERO
    if kind & KNIGHT_PIECE:
        reached |= knight_attacks(square)
    if kind & DIAGONAL_PIECE:
        reached |= DIAGONAL_LINES[square]
    if kind & ORTHOGONAL_PIECE:
        reached |= ORTHOGONAL_LINES[square]
    return reached


@jit(u64(i64, u64, u64), inline=True)
def occupied_attacks(kind: Number, square: Square, occupied: Bitboard) -> Bitboard:
    """Return what a piece attacks, given the occupancy."""
    reached = ZERO
    if kind & KNIGHT_PIECE:
        reached |= knight_attacks(square)
    if kind & DIAGONAL_PIECE:
        reached |= diagonal_attacks(square, occupied)
    if kind & ORTHOGONAL_PIECE:
        reached |= orthogonal_attacks(square, occupied)
    return reached


@jit(u64(i64, u64, u64, i64), inline=True)
def attacks_through(
    kind: Number, square: Square, occupied: Bitboard, leaving: Number
) -> Bitboard:
    """Return what a piece attacks once `leaving` pieces have left each line."""
    if leaving >= MANY:
        return empty_attacks(kind, square)
    reached = occupied_attacks(kind, square, occupied)
    for _ in range(leaving):
        occupied &= ~reached
        reached = occupied_attacks(kind, square, occupied)
    return reached


@jit(i64(position_t, u64), inline=True)
def kind_on(position: Position, piece: Bitboard) -> Number:
    """Return the kind of a piece that is neither pawn nor king."""
    kind = 0
    if position.knights & piece:
        kind |= KNIGHT_PIECE
    if position.diagonal & piece:
        kind |= DIAGONAL_PIECE
    if position.orthogonal & piece:
        kind |= ORTHOGONAL_PIECE
    return kind


@jit(i64(position_t, i64, i64), inline=True)
def moves_of_two(position: Position, attacks: Number, replies: Number) -> Number:
    """Return how many moves may clear two squares at once: en passant and castling."""
    ours = position.pawns & position.us
    theirs = position.pawns & position.them
    found = 0
    if attacks > 1:
        if ours & BELOW_RANK_6 and theirs & RANK_7:
            found += 2
        if ours & RANK_2 and theirs & (RANK_4 if replies == 1 else ABOVE_RANK_3):
            found += 2
    elif beside((ours & RANK_5) << SIXTEEN) & theirs & RANK_7:
        found += 1
    if position.rights & ~CORNERS:
        found += 1
    if position.rights & RANK_1:
        found += 1
    if position.rights & RANK_8:
        found += 1
    return found


# What the defender can do


@jit(u64(u64), inline=True)
def _pawn_steps_down(pawns: Bitboard) -> Bitboard:
    """Return where the defender's pawns may be after a move, captures included."""
    return (pawns >> EIGHT) | ((pawns & RANK_7) >> SIXTEEN) | pawns_attacks_down(pawns)


@jit(void(position_t, i64, i64, help_play_t))
def find_blocks(
    position: Position, replies: Number, leaving: Number, play: Any
) -> None:
    """Write where the defender's pieces can be after each number of its moves.

    For each n up to `replies`, `play.blocks[n]` receives the squares that take at most
    n moves, in the attacker's view: the defender's pawns move down.
    """
    pieces = position.them & ~position.kings
    blocks = pieces
    if position.rights & RANK_8:  # the rook's move is part of castling
        blocks |= D8 | F8
    play.blocks[0] = blocks
    if replies == 0:
        return
    # 1. One move.
    occupied = position.us | position.them
    knights = position.knights & position.them
    pawns = position.pawns & position.them
    sliders = (position.diagonal | position.orthogonal) & position.them
    knights = knights_attacks(knights)
    blocks |= knights
    while sliders:
        slider = sliders & (ZERO - sliders)
        sliders ^= slider
        kind = kind_on(position, slider)
        blocks |= attacks_through(kind, first_square(slider), occupied, leaving)
    pawns = _pawn_steps_down(pawns)
    blocks |= pawns
    play.blocks[1] = blocks
    # 2. More moves: a rook or a queen reaches every square with two, a bishop those of
    #    its colour, and a pawn that has promoted every square with one.
    far = ZERO
    if position.orthogonal & position.them or position.rights & RANK_8:
        far = ALL
    bishops = position.diagonal & position.them
    if bishops & LIGHT:
        far |= LIGHT
    if bishops & ~LIGHT:
        far |= ~LIGHT
    blocks |= far
    for moves in range(2, replies + 1):
        if pawns & RANK_1:
            blocks = ALL
        knights = knights_attacks(knights)
        pawns = _pawn_steps_down(pawns)
        blocks |= knights | pawns
        play.blocks[moves] = blocks


# What the attacker can do


@jit(void(u64, u64, i64, u64, help_play_t), inline=True)
def _add(
    square: Bitboard, attacked: Bitboard, cost: Number, piece: Bitboard, play: Any
) -> None:
    """Add these squares, attacked from a square that a piece can reach, to the list."""
    index = play.guards
    play.guard_squares[index] = square
    play.guard_attacks[index] = attacked
    play.guard_costs[index] = cost
    play.guard_pieces[index] = piece
    play.guards = index + 1


@jit(void(position_t, u64, i64, i64, help_play_t))
def _add_piece(
    position: Position, piece: Bitboard, attacks: Number, leaving: Number, play: Any
) -> None:
    """List where a knight, bishop, rook or queen can be within `attacks` moves."""
    kind = kind_on(position, piece)
    square = first_square(piece)
    occupied = (position.us | position.them) & ~(piece | position.kings & position.them)
    standing = attacks_through(kind, square, occupied, leaving + 1)
    _add(piece, standing, 0, piece, play)
    known = piece
    reached = attacks_through(kind, square, occupied, leaving)
    # Castling is counted as the king's move, and the rook's is free.
    if position.rights & A1 & piece:
        _add(D1, empty_attacks(kind, first_square(D1)), 0, piece, play)
        reached |= empty_attacks(kind, first_square(D1))
    if position.rights & H1 & piece:
        _add(F1, empty_attacks(kind, first_square(F1)), 0, piece, play)
        reached |= empty_attacks(kind, first_square(F1))
    for cost in range(1, attacks + 1):
        targets = reached & ~known
        known |= reached
        while targets:
            target = targets & (ZERO - targets)
            targets ^= target
            attacked = empty_attacks(kind, first_square(target))
            _add(target, attacked, cost, piece, play)
        if kind & ORTHOGONAL_PIECE:
            reached = ALL
        elif kind & DIAGONAL_PIECE:
            reached = LIGHT if piece & LIGHT else ~LIGHT
        else:
            reached = knights_attacks(known)


@jit(void(u64, i64, u64, help_play_t))
def _add_pawn(pawn: Bitboard, attacks: Number, takeable: Bitboard, play: Any) -> None:
    """List where a pawn can be within `attacks` moves, promoted or not."""
    _add(pawn, pawns_attacks_up(pawn), 0, pawn, play)
    pawns = pawn
    for cost in range(1, attacks + 1):
        pushed = pawns << EIGHT
        if cost == 1:
            pushed |= (pushed & RANK_3) << EIGHT
        pawns = pushed | (pawns_attacks_up(pawns) & takeable)
        targets = pawns
        while targets:
            target = targets & (ZERO - targets)
            targets ^= target
            if not target & RANK_8:
                _add(target, pawns_attacks_up(target), cost, pawn, play)
                continue
            square = first_square(target)
            lines = DIAGONAL_LINES[square] | ORTHOGONAL_LINES[square]
            lines |= knight_attacks(square)
            _add(target, lines, cost, pawn, play)
            if cost < attacks:
                onward = lines if cost + 1 == attacks else ALL
                while onward:
                    end = first_square(onward)
                    attacked = DIAGONAL_LINES[end] | ORTHOGONAL_LINES[end]
                    attacked |= knight_attacks(end)
                    _add(ONE << end, attacked, cost + 1, pawn, play)
                    onward &= onward - ONE
        pawns &= ~RANK_8


@jit(void(position_t, i64, help_play_t))
def _add_king(position: Position, attacks: Number, play: Any) -> None:
    """List where the attacker's king can be within `attacks` moves."""
    king = position.kings & position.us
    _add(king, king_attacks(first_square(king)), 0, king, play)
    known = king
    for cost in range(1, attacks + 1):
        reached = beside(known)
        if cost == 1 and position.rights & RANK_1:
            reached |= C1 | G1
        targets = reached & ~known
        known |= reached
        while targets:
            target = targets & (ZERO - targets)
            targets ^= target
            _add(target, king_attacks(first_square(target)), cost, king, play)


@jit(void(position_t, i64, i64, i64, help_play_t))
def find_guards(
    position: Position, attacks: Number, replies: Number, leaving: Number, play: Any
) -> None:
    """List what each of the attacker's pieces can attack, and from where.

    Parameters
    ----------
    position : Position
        The attacker's view.
    attacks, replies : int64
        The moves that the attacker and the defender have left.
    leaving : int64
        How many pieces may leave a line before a piece moves along it.
    play : HelpPlay
        Receives the guards; its blocks are known.
    """
    play.guards = 0
    _add_king(position, attacks, play)
    pieces = position.us & ~(position.pawns | position.kings)
    while pieces:
        _add_piece(position, pieces & (ZERO - pieces), attacks, leaving, play)
        pieces &= pieces - ONE
    takeable = play.blocks[replies] | (position.rights & RANK_6)
    pawns = position.pawns & position.us
    while pawns:
        _add_pawn(pawns & (ZERO - pawns), attacks, takeable, play)
        pawns &= pawns - ONE
    guardable = ZERO
    for index in range(play.guards):
        guardable |= play.guard_attacks[index]
    play.guardable = guardable
