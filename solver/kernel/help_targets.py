"""Hopeless positions of help play: a proof that no mate can arise in the moves left.

In a mate, every square of the king's field (the king's square and those beside it) is
*attended to*: the attacker attacks it, or it has a piece of the defender on it, except
for the king's own square, which must be attacked. `is_hopeless` looks for a way to
attend to a field within the moves that each side has left. If there is none for any
square that the king can reach, there is no mate. It errs on one side only:

- A piece that stays attacks what it attacks now, and along a line also what is behind
  as many pieces as can leave the line.
- A piece that moves reaches its square as on an empty board, captures of pawns aside,
  and attacks from there as on an empty board.
- Nothing is asked about the order of the moves, checks on the way, the attacker's
  king, or replies to the last check.

Popeye's "intelligent mode" (Torsten Linss) rests on the same thought, but sets up the
final positions first and then plays towards them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.bitboards import (
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
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    ORTHOGONAL_LINES,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    SIXTEEN,
    ZERO,
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    knights_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
    pawns_attacks_up,
)
from solver.kernel.jit import (
    Bitboard,
    Number,
    Square,
    boolean,
    first_square,
    help_play_t,
    i64,
    jit,
    u64,
    void,
)
from solver.kernel.position import Position, flipped, position_t

RANK_2 = np.uint64(0xFF) << np.uint64(8)
RANK_4 = np.uint64(0xFF) << np.uint64(24)
RANK_5 = np.uint64(0xFF) << np.uint64(32)
RANK_7 = np.uint64(0xFF) << np.uint64(48)
BELOW_RANK_6 = np.uint64((1 << 40) - 1)
ABOVE_RANK_3 = ~np.uint64((1 << 24) - 1)
LIGHT = np.uint64(0x55AA_55AA_55AA_55AA)
C8, D8, F8, G8 = (square << np.uint64(56) for square in (C1, D1, F1, G1))
MANY = 4
"""So many pieces can leave a line that it counts as empty."""

MOST_ATTACKS = 6
"""With more moves left nothing is looked for."""

MOST_STEPS = 2_000
"""The search for a way to attend to one field gives up after this many steps."""

DIAGONAL_PIECE, ORTHOGONAL_PIECE, KNIGHT_PIECE = 1, 2, 4


# Sets of squares


@jit(u64(u64), inline=True)
def beside(squares: Bitboard) -> Bitboard:
    """Return the squares and all that a king on one of them attacks."""
    wide = squares | ((squares & NOT_FILE_A) >> ONE) | ((squares & NOT_FILE_H) << ONE)
    return wide | (wide << EIGHT) | (wide >> EIGHT)


@jit(u64(u64, u64, i64), inline=True)
def diagonal_through(square: Square, occupied: Bitboard, leaving: Number) -> Bitboard:
    """Return what a bishop attacks once `leaving` pieces have left each line."""
    if leaving >= MANY:
        return DIAGONAL_LINES[square]
    reached = diagonal_attacks(square, occupied)
    for _ in range(leaving):
        occupied &= ~reached
        reached = diagonal_attacks(square, occupied)
    return reached


@jit(u64(u64, u64, i64), inline=True)
def orthogonal_through(square: Square, occupied: Bitboard, leaving: Number) -> Bitboard:
    """Return what a rook attacks once `leaving` pieces have left each line."""
    if leaving >= MANY:
        return ORTHOGONAL_LINES[square]
    reached = orthogonal_attacks(square, occupied)
    for _ in range(leaving):
        occupied &= ~reached
        reached = orthogonal_attacks(square, occupied)
    return reached


@jit(u64(i64, u64, u64, i64), inline=True)
def attacks_through(
    kind: Number, square: Square, occupied: Bitboard, leaving: Number
) -> Bitboard:
    """Return what a piece attacks once `leaving` pieces have left each line."""
    reached = ZERO
    if kind & KNIGHT_PIECE:
        reached |= knight_attacks(square)
    if kind & DIAGONAL_PIECE:
        reached |= diagonal_through(square, occupied, leaving)
    if kind & ORTHOGONAL_PIECE:
        reached |= orthogonal_through(square, occupied, leaving)
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

    `play.blocks[n]` receives the squares that take at most n moves, for each n up to
    `replies`, in the attacker's view: the defender's pawns move down.
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
    """List that a piece attacks these squares from a square that it can reach."""
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
    allowed = ~position.us if attacks == 1 else ~piece
    known = piece
    reached = attacks_through(kind, square, occupied, leaving) & allowed
    for cost in range(1, attacks + 1):
        targets = reached & ~known
        known |= reached
        while targets:
            target = targets & (ZERO - targets)
            targets ^= target
            attacked = attacks_through(kind, first_square(target), occupied, leaving)
            _add(target, attacked, cost, piece, play)
        if kind & ORTHOGONAL_PIECE:
            reached = ALL
        elif kind & DIAGONAL_PIECE:
            reached = LIGHT if piece & LIGHT else ~LIGHT
        else:
            reached = knights_attacks(known)


@jit(void(position_t, u64, i64, u64, help_play_t))
def _add_pawn(
    position: Position, pawn: Bitboard, attacks: Number, takeable: Bitboard, play: Any
) -> None:
    """List where a pawn can be within `attacks` moves, promoted or not."""
    allowed = ~position.us if attacks == 1 else ALL
    pawns = pawn
    for cost in range(1, attacks + 1):
        pushed = (pawns << EIGHT) & allowed
        double = ((pushed & RANK_3) << EIGHT) & allowed if cost == 1 else ZERO
        pawns = pushed | double | (pawns_attacks_up(pawns) & takeable)
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


@jit(u64(position_t, i64), inline=True)
def standing_attacks(position: Position, leaving: Number) -> Bitboard:
    """Return what the attacker's pieces can attack from where they stand."""
    occupied = (position.us | position.them) & ~(position.kings & position.them)
    attacked = pawns_attacks_up(position.pawns & position.us)
    attacked |= knights_attacks(position.knights & position.us)
    attacked |= king_attacks(first_square(position.kings & position.us))
    sliders = position.diagonal & position.us
    while sliders:
        attacked |= diagonal_through(first_square(sliders), occupied, leaving)
        sliders &= sliders - ONE
    sliders = position.orthogonal & position.us
    while sliders:
        attacked |= orthogonal_through(first_square(sliders), occupied, leaving)
        sliders &= sliders - ONE
    if position.rights & A1:
        attacked |= orthogonal_through(first_square(D1), occupied, leaving)
    if position.rights & H1:
        attacked |= orthogonal_through(first_square(F1), occupied, leaving)
    return attacked


# The search for a way


@jit(boolean(u64, u64, i64, i64, u64, help_play_t))
def can_attend(
    open_squares: Bitboard,
    mated: Bitboard,
    attacks: Number,
    replies: Number,
    used: Bitboard,
    play: Any,
) -> bool:
    """Return whether the moves left suffice to attend to all open squares.

    Parameters
    ----------
    open_squares : uint64
        Squares of the field that are not attended to.
    mated : uint64
        The square of the king that is mated, which cannot be blocked.
    attacks, replies : int64
        The moves that the attacker has left, and the defender for its blocks.
    used : uint64
        The attacker's pieces that have moved.
    play : HelpPlay
        The relevant guards and the blocks. Counts steps.

    Returns
    -------
    bool
        False is a proof. True may also mean that the steps are used up.
    """
    if not open_squares:
        return True
    play.steps += 1
    if play.steps > MOST_STEPS:
        return True
    square = open_squares & (ZERO - open_squares)
    if open_squares & mated:
        square = mated
    for index in range(play.relevant):
        if not play.field_attacks[index] & square:
            continue
        cost = play.field_costs[index]
        piece = play.field_pieces[index]
        if cost <= attacks and not piece & used:
            left = open_squares & ~play.field_attacks[index]
            if can_attend(left, mated, attacks - cost, replies, used | piece, play):
                return True
    if square != mated:
        for moves in range(1, replies + 1):
            if play.blocks[moves] & square:
                left = open_squares ^ square
                return can_attend(left, mated, attacks, replies - moves, used, play)
    return False


@jit(boolean(position_t, u64, u64, i64, i64, help_play_t))
def can_be_mated_on(
    position: Position,
    mated: Bitboard,
    standing: Bitboard,
    attacks: Number,
    replies: Number,
    play: Any,
) -> bool:
    """Return whether a mate of the king on a square may arise.

    `replies` are the defender's moves besides those of its king to this square.
    """
    field = king_attacks(first_square(mated)) | mated
    open_squares = field & ~standing & ~(play.blocks[0] & ~mated)
    if not open_squares:
        return True
    if open_squares & ~(play.guardable | (play.blocks[replies] & ~mated)):
        return False
    king = position.kings & position.us
    relevant = 0
    for index in range(play.guards):
        attacked = play.guard_attacks[index] & open_squares
        if not attacked or play.guard_squares[index] & mated:
            continue
        if play.guard_pieces[index] & king and play.guard_squares[index] & field:
            continue
        play.field_attacks[relevant] = attacked
        play.field_costs[relevant] = play.guard_costs[index]
        play.field_pieces[relevant] = play.guard_pieces[index]
        relevant += 1
    play.relevant = relevant
    play.steps = 0
    return can_attend(open_squares, mated, attacks, replies, ZERO, play)


@jit(boolean(position_t, i64, help_play_t))
def is_hopeless(position: Position, plies: Number, play: Any) -> bool:
    """Return whether it is proved that the goal is out of reach in `plies` plies.

    Parameters
    ----------
    position : Position
    plies : int64
        At least 1; the attacker makes the last move.
    play : HelpPlay
        The goal, and scratch memory.
    """
    if play.is_stalemate:
        return False
    view = position
    if plies & 1 == 0:
        view = flipped(position)
    if view.us == view.kings & view.us:
        return True
    attacks = (plies + 1) >> 1
    replies = plies >> 1
    if attacks > MOST_ATTACKS:
        return False

    # 1. What each side can do with its moves, wherever the king is mated.
    twice = moves_of_two(view, attacks, replies)
    standing = standing_attacks(view, attacks + replies + twice)
    find_blocks(view, replies, max(0, attacks + replies - 2) + twice, play)
    leaving = attacks - 1 + replies + twice
    play.guards = 0
    pieces = view.us & ~(view.pawns | view.kings)
    while pieces:
        _add_piece(view, pieces & (ZERO - pieces), attacks, leaving, play)
        pieces &= pieces - ONE
    takeable = play.blocks[replies] | (view.rights & RANK_6)
    pawns = view.pawns & view.us
    while pawns:
        _add_pawn(view, pawns & (ZERO - pawns), attacks, takeable, play)
        pawns &= pawns - ONE
    _add_king(view, attacks, play)
    guardable = ZERO
    for index in range(play.guards):
        guardable |= play.guard_attacks[index]
    play.guardable = guardable

    # 2. Each square that the king can reach, with the moves that are then left.
    known = ZERO
    reached = view.kings & view.them
    for steps in range(replies + 1):
        squares = reached & ~known
        known |= reached
        while squares:
            square = squares & (ZERO - squares)
            squares ^= square
            if can_be_mated_on(view, square, standing, attacks, replies - steps, play):
                return False
        reached = beside(known)
        if steps == 0 and view.rights & RANK_8:
            reached |= C8 | G8
    return True
