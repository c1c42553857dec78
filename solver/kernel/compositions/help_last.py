"""The last moves of help play, and which of them a mate may follow.

In a mate, every square of the king's field (the king's square and its neighbours) is
*attended to*: the attacker attacks it, or a piece of the defender blocks it. The king's
own square must be attacked. With one move of the attacker left, and at most one of the
defender before it, `is_hopeless` looks for moves that attend to a field. It errs on one
side only:

- A piece that stays attacks what it attacks now, and along a line also the squares
  behind as many pieces as can leave the line.
- A piece that moves reaches its square, and attacks from there, through as many pieces
  as can leave its lines. Its square may have a piece of its own side now, if the reply
  can take that piece.
- The attacker's king, and replies to the last check, are ignored.

The squares are those of the attacker's view: its pawns move up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.build.jit import (
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
    diagonal_attacks,
    king_attacks,
    knight_attacks,
    knights_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
    pawns_attacks_up,
)
from solver.kernel.rules.position import Position, flipped, position_t

RANK_7 = np.uint64(0xFF) << np.uint64(48)
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


@jit(void(position_t, i64, i64, help_play_t))
def find_blocks(
    position: Position, replies: Number, leaving: Number, play: Any
) -> None:
    """Write where the defender's pieces can be after none of its moves, and after one.

    The king is not one of them. Without `replies`, both are the same.
    """
    pieces = position.them & ~position.kings
    blocks = pieces
    if position.rights & RANK_8:  # the rook's move is part of castling
        blocks |= D8 | F8
    play.blocks[0] = blocks
    play.blocks[1] = blocks
    if replies == 0:
        return
    pawns = position.pawns & position.them
    blocks |= (pawns >> EIGHT) | ((pawns & RANK_7) >> SIXTEEN)
    blocks |= pawns_attacks_down(pawns)
    blocks |= knights_attacks(position.knights & position.them)
    occupied = position.us | position.them
    sliders = (position.diagonal | position.orthogonal) & position.them
    while sliders:
        slider = sliders & (ZERO - sliders)
        sliders ^= slider
        kind = kind_on(position, slider)
        blocks |= attacks_through(kind, first_square(slider), occupied, leaving)
    play.blocks[1] = blocks


# The last move of each side


@jit(void(position_t, i64, i64, help_play_t))
def list_movers(
    position: Position, replies: Number, leaving: Number, play: Any
) -> None:
    """List what each of the attacker's pieces can do with the only move left.

    A pawn that can promote is listed twice, since it then moves as another piece.
    `mover_others` is what the other pieces attack without moving.
    """
    occupied = (position.us | position.them) & ~(position.kings & position.them)
    king = position.kings & position.us
    allowed = ~position.us | play.blocks[replies]
    allowed |= (position.rights & RANK_3) << EIGHT  # a pawn that is taken en passant
    takeable = play.blocks[replies] | (position.rights & RANK_6)
    movers = 0
    always: Bitboard = ZERO  # what a rook attacks after castling
    if position.rights & A1:
        always |= ORTHOGONAL_LINES[first_square(D1)]
    if position.rights & H1:
        always |= ORTHOGONAL_LINES[first_square(F1)]
    before = always
    pieces = position.us
    while pieces:
        piece = pieces & (ZERO - pieces)
        pieces ^= piece
        square = first_square(piece)
        kind = kind_on(position, piece)
        play.mover_pieces[movers] = piece
        play.mover_others[movers] = before
        if position.pawns & piece:
            standing = pawns_attacks_up(piece)
            pushed = (piece << EIGHT) & ~position.us
            pushed |= ((pushed & RANK_3) << EIGHT) & ~position.us
            targets = pushed | (standing & takeable)
            promoting = targets & RANK_8
            play.mover_standing[movers] = standing
            play.mover_kinds[movers] = 0
            play.mover_targets[movers] = targets ^ promoting
            if promoting:
                movers += 1
                play.mover_pieces[movers] = piece
                play.mover_others[movers] = before
                play.mover_kinds[movers] = (
                    KNIGHT_PIECE | DIAGONAL_PIECE | ORTHOGONAL_PIECE
                )
                play.mover_targets[movers] = promoting
        elif piece & king:
            standing = king_attacks(square)
            play.mover_kinds[movers] = 0
            targets = standing
            if position.rights & RANK_1:
                targets |= C1 | G1
            play.mover_targets[movers] = targets & allowed
        else:
            standing = attacks_through(kind, square, occupied, leaving + 1)
            play.mover_kinds[movers] = kind
            targets = attacks_through(kind, square, occupied, leaving)
            play.mover_targets[movers] = targets & allowed
        play.mover_standing[movers] = standing
        before |= standing
        movers += 1
    play.movers = movers
    after = ZERO
    for step in range(movers):
        index = movers - 1 - step
        play.mover_others[index] |= after
        # The two entries of a promoting pawn are one piece.
        if index == 0 or play.mover_pieces[index - 1] != play.mover_pieces[index]:
            after |= play.mover_standing[index]


@jit(u64(position_t, u64, i64, i64, help_play_t))
def blocks_for_mate(
    position: Position, mated: Bitboard, replies: Number, leaving: Number, play: Any
) -> Bitboard:
    """Return where the defender must move for a mate of its king on a square.

    Returns
    -------
    uint64
        NOWHERE: no mate can arise. ALL: one may arise whatever the defender plays.
        Otherwise a piece, not the king, must move to one of these squares.
    """
    square = first_square(mated)
    field = king_attacks(square) | mated
    blocked = play.blocks[0] & field & ~mated
    king = position.kings & position.us
    occupied = (position.us | position.them) & ~(position.kings & position.them)
    blockable = ZERO
    if replies:
        blockable = play.blocks[1] & field & ~mated
    found = ZERO
    for index in range(play.movers):
        piece = play.mover_pieces[index]
        if king & field and piece != king:
            continue
        others = play.mover_others[index]
        open_squares = field & ~(blocked | others)
        kind = play.mover_kinds[index]
        targets = play.mover_targets[index] & ~mated
        if piece == king:
            targets &= ~field
        if open_squares & mated:  # this piece must check
            if kind:
                targets &= empty_attacks(kind, square)
            elif piece == king:
                continue
            else:
                targets &= pawns_attacks_down(mated)
        while targets:
            target = targets & (ZERO - targets)
            targets ^= target
            end = first_square(target)
            attacked = ZERO
            if kind:
                attacked = empty_attacks(kind, end)
            elif piece == king:
                attacked = king_attacks(end)
            else:
                attacked = pawns_attacks_up(target)
            left = (open_squares | (target & blocked & ~others)) & ~attacked
            if left & (left - ONE) or left & ~blockable:
                continue
            if kind:  # look again, with the pieces on the lines
                attacked = attacks_through(kind, end, occupied & ~piece, leaving)
                left = (open_squares | (target & blocked & ~others)) & ~attacked
                if left & (left - ONE) or left & ~blockable:
                    continue
            if not left:
                return ALL
            found |= left
    return found


@jit(boolean(position_t, i64, i64, help_play_t))
def is_hopeless_at_last(
    position: Position, replies: Number, leaving: Number, play: Any
) -> bool:
    """Return whether no mate can arise in the attacker's only move left.

    Writes to `play.mated_on` where the king may be mated, and to `play.block_targets`
    where another piece of the defender must move if the king stays.
    """
    list_movers(position, replies, leaving, play)
    king = position.kings & position.them
    play.block_targets = blocks_for_mate(position, king, replies, leaving, play)
    play.mated_on = king if play.block_targets else ZERO
    if replies:
        squares = king_attacks(first_square(king)) & ~position.them
        if position.rights & RANK_8:
            squares |= C8 | G8
        while squares:
            square = squares & (ZERO - squares)
            squares ^= square
            if blocks_for_mate(position, square, 0, leaving, play):
                play.mated_on |= square
    return play.mated_on == ZERO


@jit(boolean(position_t, i64, help_play_t))
def is_hopeless(position: Position, plies: Number, play: Any) -> bool:
    """Return whether the goal is proved to be out of reach in `plies` plies.

    Parameters
    ----------
    position : Position
    plies : int64
        At least 1; the attacker makes the last move. With more than 2 plies left, only
        a lone king is known to be unable to mate.
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
    if plies > 2:
        return False
    replies = plies >> 1
    # En passant, if it is possible now, takes two pieces from a line. Castling takes
    # one, for the rook stands at the end of its lines. After a double step the captured
    # pawn counts once, for it stands elsewhere now.
    twice = 1 if view.rights & ~CORNERS else 0
    find_blocks(view, replies, twice, play)
    return is_hopeless_at_last(view, replies, replies + twice, play)
