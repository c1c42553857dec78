"""Hopeless positions of help play: a proof that no mate can arise in the moves left.

In a mate, every square of the king's field (the king's square and its neighbours) is
*attended to*: the attacker attacks it, or a piece of the defender blocks it. The king's
own square must be attacked. `is_hopeless` looks for a way to attend to a field within
the moves that each side has left. If there is none for any square that the king can
reach, there is no mate. It errs on one side only:

- A piece that stays attacks what it attacks now, and along a line also the squares
  behind as many pieces as can leave the line.
- A piece that moves reaches its square as on an empty board, captures of pawns aside,
  and attacks from there as on an empty board.
- The order of the moves, checks on the way, the attacker's king, and replies to the
  last check are ignored.

Popeye's "intelligent mode" (Torsten Linss) uses the same idea, but sets up the final
positions first and then plays towards them.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.build.jit import (
    Bitboard,
    Number,
    boolean,
    first_square,
    help_play_t,
    i64,
    jit,
    population,
    u64,
    void,
)
from solver.kernel.compositions.help_reach import (
    C8,
    DIAGONAL_PIECE,
    G8,
    KNIGHT_PIECE,
    ORTHOGONAL_PIECE,
    attacks_through,
    empty_attacks,
    find_blocks,
    find_guards,
    kind_on,
    moves_of_two,
)
from solver.kernel.rules.bitboards import (
    A1,
    ALL,
    C1,
    D1,
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
    ZERO,
    beside,
    king_attacks,
    pawns_attacks_down,
    pawns_attacks_up,
)
from solver.kernel.rules.position import Position, flipped, position_t

MOST_ATTACKS = 6
"""With more moves left, nothing is searched for."""

MOST_STEPS = 2_000
"""The search for a way to attend to one field gives up after this many steps."""

# The search for a way


@jit(boolean(u64, u64, i64, i64, i64, u64, help_play_t))
def can_attend(
    open_squares: Bitboard,
    mated: Bitboard,
    attacks: Number,
    replies: Number,
    blockers: Number,
    used: Bitboard,
    play: Any,
) -> bool:
    """Return whether the moves left suffice to attend to all open squares.

    Parameters
    ----------
    open_squares : uint64
        Squares of the field that no move has attended to so far.
    mated : uint64
        The square of the king that is mated, which cannot be blocked.
    attacks, replies : int64
        The moves that the attacker has left, and the defender for its blocks.
    blockers : int64
        How many pieces of the defender may still come to block.
    used : uint64
        The attacker's pieces that have moved.
    play : HelpPlay
        The relevant guards and the blocks. Counts steps.

    Returns
    -------
    bool
        False is a proof. True may also mean that the steps are used up.
    """
    # 1. The pieces that have not moved attack what they attack.
    rest = open_squares
    for index in range(play.standers):
        if not play.stander_pieces[index] & used:
            rest &= ~play.stander_attacks[index]
    if not rest:
        return True
    play.steps += 1
    if play.steps > MOST_STEPS:
        return True

    # 2. The defender blocks what the attacker's last move has left open.
    if attacks <= 0 and not play.hurried & ~used:
        while rest:
            square = rest & (ZERO - rest)
            rest ^= square
            moves = 1
            while moves <= replies and not play.blocks[moves] & square:
                moves += 1
            replies -= moves
            blockers -= 1
            if replies < 0 or blockers < 0 or square == mated:
                return False
        return True

    # 3. Otherwise take a square, best one that cannot be blocked, and try each piece
    #    that may come to attack it.
    hard = rest & (mated | ~play.blocks[max(0, replies)])
    square = rest & (ZERO - rest)
    if rest & mated:
        square = mated
    elif hard:
        square = hard & (ZERO - hard)
    for index in range(play.relevant):
        if not play.field_attacks[index] & square:
            continue
        cost = play.field_costs[index]
        piece = play.field_pieces[index]
        if cost <= attacks and not piece & used:
            left = open_squares & ~play.field_attacks[index]
            moved = used | piece
            if can_attend(left, mated, attacks - cost, replies, blockers, moved, play):
                return True

    # 4. Or block it.
    if square != mated and blockers > 0:
        blockers -= 1
        left = open_squares ^ square
        for moves in range(1, replies + 1):
            if play.blocks[moves] & square:
                replies -= moves
                return can_attend(left, mated, attacks, replies, blockers, used, play)
    return False


@jit(boolean(position_t, u64, i64, i64, help_play_t))
def can_be_mated_on(
    position: Position, mated: Bitboard, attacks: Number, replies: Number, play: Any
) -> bool:
    """Return whether a mate of the king on a square may arise.

    `replies` are the defender's moves besides those of its king to this square.
    """
    field = king_attacks(first_square(mated)) | mated
    blocked = play.blocks[0] & field & ~mated
    open_squares = field & ~blocked
    # 1. Each square must be attended to somehow. Pieces that block what cannot be
    #    attacked have to stay.
    if open_squares & ~(play.guardable | (play.blocks[replies] & ~mated)):
        return False
    blockers = play.blockers - population(blocked & ~play.guardable)
    # 2. An attacker's king beside the square has to move: one move is spent, which
    #    its own guards then do not cost.
    king = position.kings & position.us
    play.hurried = king & field
    hurry = 1 if play.hurried else 0
    # 3. Several squares together.
    relevant = 0
    standers = 0
    for index in range(play.guards):
        attacked = play.guard_attacks[index] & open_squares
        cost = play.guard_costs[index]
        piece = play.guard_pieces[index]
        if not attacked or play.guard_squares[index] & mated:
            continue
        if cost == 0:
            if not piece & play.hurried:
                play.stander_attacks[standers] = attacked
                play.stander_pieces[standers] = piece
                standers += 1
            continue
        if piece & king:
            if play.guard_squares[index] & field:
                continue
            cost -= hurry
        play.field_attacks[relevant] = attacked
        play.field_costs[relevant] = cost
        play.field_pieces[relevant] = piece
        relevant += 1
    play.relevant = relevant
    play.standers = standers
    play.steps = 0
    attacks -= hurry
    return can_attend(open_squares, mated, attacks, replies, blockers, ZERO, play)


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
    position: Position, replies: Number, twice: Number, play: Any
) -> bool:
    """Return whether no mate can arise in the attacker's only move left.

    Writes to `play.mated_on` where the king may be mated, and to `play.block_targets`
    where another piece of the defender must move if the king stays.
    """
    leaving = replies + twice
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
    find_blocks(view, replies, max(0, attacks + replies - 2) + twice, play)
    if attacks == 1:
        return is_hopeless_at_last(view, replies, twice, play)
    find_guards(view, attacks, replies, attacks - 1 + replies + twice, play)
    play.blockers = population(view.them) - 1

    # 2. Each square that the king can reach, with the moves that are then left.
    known = ZERO
    reached = view.kings & view.them
    for steps in range(replies + 1):
        squares = reached & ~known
        known |= reached
        while squares:
            square = squares & (ZERO - squares)
            squares ^= square
            if can_be_mated_on(view, square, attacks, replies - steps, play):
                return False
        reached = beside(known)
        if steps == 0 and view.rights & RANK_8:
            reached |= C8 | G8
    return True
