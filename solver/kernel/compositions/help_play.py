"""Help play: every line of play that ends with mate or stalemate.

Both sides help each other, so there is no best play: `enumerate_solutions` walks the
tree of legal moves to a fixed number of plies. Three things keep that tree small.

- The last ply is not searched. The mate-in-one test says whether any move mates, and
  only then are the moves made one by one.
- The transposition table holds positions that have no solution in the plies left.
  Moves of one side can mostly be played in another order, so most positions are met
  many times.
- A position is skipped if the goal cannot be reached in the plies left. For the last
  moves before a mate, `is_hopeless` decides that from the position alone. If the caller
  asks for it, `solver.kernel.compositions.net_list` lists the final positions that can
  arise at all, as far as they are needed, and keeps those in reach on the line.

The walk keeps its state in a `HelpPlay`, not on the stack. It pauses when the buffer of
solutions is full, and continues there with the next call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border import parts, search_struct
from solver.kernel.build.jit import (
    first_square,
    flip,
    help_play_at,
    inlined,
    jit,
    native,
    nets_at,
    record_at,
    report_if_due,
)
from solver.kernel.build.words import (
    ENTRY,
    Bitboard,
    HelpPlay,
    Number,
    Row,
    Search,
    Square,
)
from solver.kernel.compositions import net_list
from solver.kernel.mate import ordering, transposition
from solver.kernel.rules import bitboards, mating, movegen

# The last moves, and which of them a mate may follow
#
# In a mate, every square of the king's field (the king's square and its neighbours) is
# *attended to*: the attacker attacks it, or a piece of the defender blocks it. The
# king's own square must be attacked. With one move of the attacker left, and at most
# one of the defender before it, `is_hopeless` looks for moves that attend to a field.
# It errs on one side only:
#
# - A piece that stays attacks what it attacks now, and along a line also the squares
#   behind as many pieces as can leave the line.
# - A piece that moves reaches its square, and attacks from there, through as many
#   pieces as can leave its lines. Its square may have a piece of its own side now, if
#   the reply can take that piece.
# - The attacker's king, and replies to the last check, are ignored.
#
# The squares are those of the attacker's view: its pawns move up.

RANK_7 = np.uint64(0xFF) << np.uint64(48)
C8, D8, F8, G8 = (
    square << np.uint64(56)
    for square in (bitboards.C1, bitboards.D1, bitboards.F1, bitboards.G1)
)
MANY = 4
"""With this many pieces able to leave it, a line counts as empty."""

DIAGONAL_PIECE, ORTHOGONAL_PIECE, KNIGHT_PIECE = 1, 2, 4


# Sets of squares


@inlined
def empty_attacks(kind: Number, square: Square) -> Bitboard:
    """Return what a piece attacks on an empty board, or the squares that attack it."""
    reached: Bitboard = bitboards.ZERO
    if kind & KNIGHT_PIECE:
        reached |= bitboards.knight_attacks(square)
    if kind & DIAGONAL_PIECE:
        reached |= bitboards.DIAGONAL_LINES[square]
    if kind & ORTHOGONAL_PIECE:
        reached |= bitboards.ORTHOGONAL_LINES[square]
    return reached


@inlined
def occupied_attacks(kind: Number, square: Square, occupied: Bitboard) -> Bitboard:
    """Return what a piece attacks, given the occupancy."""
    reached = bitboards.ZERO
    if kind & KNIGHT_PIECE:
        reached |= bitboards.knight_attacks(square)
    if kind & DIAGONAL_PIECE:
        reached |= bitboards.diagonal_attacks(square, occupied)
    if kind & ORTHOGONAL_PIECE:
        reached |= bitboards.orthogonal_attacks(square, occupied)
    return reached


@inlined
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


@inlined
def kind_on(position: bitboards.Position, piece: Bitboard) -> Number:
    """Return the kind of a piece that is neither pawn nor king."""
    kind = 0
    if position.knights & piece:
        kind |= KNIGHT_PIECE
    if position.diagonal & piece:
        kind |= DIAGONAL_PIECE
    if position.orthogonal & piece:
        kind |= ORTHOGONAL_PIECE
    return kind


@jit
def find_blocks(
    position: bitboards.Position, replies: Number, leaving: Number, play: HelpPlay
) -> None:
    """Write where the defender's pieces can be after none of its moves, and after one.

    The king is not one of them. Without `replies`, both are the same.
    """
    pieces = position.them & ~position.kings
    blocks = pieces
    if position.rights & bitboards.RANK_8:  # the rook's move is part of castling
        blocks |= D8 | F8
    play.blocks[0] = blocks
    play.blocks[1] = blocks
    if replies == 0:
        return
    pawns = position.pawns & position.them
    blocks |= (pawns >> bitboards.EIGHT) | ((pawns & RANK_7) >> bitboards.SIXTEEN)
    blocks |= bitboards.pawns_attacks_down(pawns)
    blocks |= bitboards.knights_attacks(position.knights & position.them)
    occupied = position.us | position.them
    sliders = (position.diagonal | position.orthogonal) & position.them
    while sliders:
        slider = sliders & (bitboards.ZERO - sliders)
        sliders ^= slider
        kind = kind_on(position, slider)
        blocks |= attacks_through(kind, first_square(slider), occupied, leaving)
    play.blocks[1] = blocks


# The last move of each side


@jit
def list_movers(
    position: bitboards.Position, replies: Number, leaving: Number, play: HelpPlay
) -> None:
    """List what each of the attacker's pieces can do with the only move left.

    A pawn that can promote is listed twice, since it then moves as another piece.
    `mover_others` is what the other pieces attack without moving.
    """
    occupied = (position.us | position.them) & ~(position.kings & position.them)
    king = position.kings & position.us
    allowed = ~position.us | play.blocks[replies]
    allowed |= (
        position.rights & bitboards.RANK_3
    ) << bitboards.EIGHT  # a pawn that is taken en passant
    takeable = play.blocks[replies] | (position.rights & bitboards.RANK_6)
    movers = 0
    always: Bitboard = bitboards.ZERO  # what a rook attacks after castling
    if position.rights & bitboards.A1:
        always |= bitboards.ORTHOGONAL_LINES[first_square(bitboards.D1)]
    if position.rights & bitboards.H1:
        always |= bitboards.ORTHOGONAL_LINES[first_square(bitboards.F1)]
    before = always
    pieces = position.us
    while pieces:
        piece = pieces & (bitboards.ZERO - pieces)
        pieces ^= piece
        square = first_square(piece)
        kind = kind_on(position, piece)
        play.mover_pieces[movers] = piece
        play.mover_others[movers] = before
        if position.pawns & piece:
            standing = bitboards.pawns_attacks_up(piece)
            pushed = (piece << bitboards.EIGHT) & ~position.us
            pushed |= ((pushed & bitboards.RANK_3) << bitboards.EIGHT) & ~position.us
            targets = pushed | (standing & takeable)
            promoting = targets & bitboards.RANK_8
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
            standing = bitboards.king_attacks(square)
            play.mover_kinds[movers] = 0
            targets = standing
            if position.rights & bitboards.RANK_1:
                targets |= bitboards.C1 | bitboards.G1
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
    after = bitboards.ZERO
    for step in range(movers):
        index = movers - 1 - step
        play.mover_others[index] |= after
        # The two entries of a promoting pawn are one piece.
        if index == 0 or play.mover_pieces[index - 1] != play.mover_pieces[index]:
            after |= play.mover_standing[index]


@jit
def blocks_for_mate(
    position: bitboards.Position,
    mated: Bitboard,
    replies: Number,
    leaving: Number,
    play: HelpPlay,
) -> Bitboard:
    """Return where the defender must move for a mate of its king on a square.

    Returns
    -------
    uint64
        NOWHERE: no mate can arise. ALL: one may arise whatever the defender plays.
        Otherwise a piece, not the king, must move to one of these squares.
    """
    square = first_square(mated)
    field = bitboards.king_attacks(square) | mated
    blocked = play.blocks[0] & field & ~mated
    king = position.kings & position.us
    occupied = (position.us | position.them) & ~(position.kings & position.them)
    blockable = bitboards.ZERO
    if replies:
        blockable = play.blocks[1] & field & ~mated
    found = bitboards.ZERO
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
                targets &= bitboards.pawns_attacks_down(mated)
        while targets:
            target = targets & (bitboards.ZERO - targets)
            targets ^= target
            end = first_square(target)
            attacked = bitboards.ZERO
            if kind:
                attacked = empty_attacks(kind, end)
            elif piece == king:
                attacked = bitboards.king_attacks(end)
            else:
                attacked = bitboards.pawns_attacks_up(target)
            left = (open_squares | (target & blocked & ~others)) & ~attacked
            if left & (left - bitboards.ONE) or left & ~blockable:
                continue
            if kind:  # look again, with the pieces on the lines
                attacked = attacks_through(kind, end, occupied & ~piece, leaving)
                left = (open_squares | (target & blocked & ~others)) & ~attacked
                if left & (left - bitboards.ONE) or left & ~blockable:
                    continue
            if not left:
                return bitboards.ALL
            found |= left
    return found


@jit
def is_hopeless_at_last(
    position: bitboards.Position, replies: Number, leaving: Number, play: HelpPlay
) -> bool:
    """Return whether no mate can arise in the attacker's only move left.

    Writes to `play.mated_on` where the king may be mated, and to `play.block_targets`
    where another piece of the defender must move if the king stays.
    """
    list_movers(position, replies, leaving, play)
    king = position.kings & position.them
    play.block_targets = blocks_for_mate(position, king, replies, leaving, play)
    play.mated_on = king if play.block_targets else bitboards.ZERO
    if replies:
        squares = bitboards.king_attacks(first_square(king)) & ~position.them
        if position.rights & bitboards.RANK_8:
            squares |= C8 | G8
        while squares:
            square = squares & (bitboards.ZERO - squares)
            squares ^= square
            if blocks_for_mate(position, square, 0, leaving, play):
                play.mated_on |= square
    return play.mated_on == bitboards.ZERO


@jit
def is_hopeless(position: bitboards.Position, plies: Number, play: HelpPlay) -> bool:
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
        view = bitboards.flipped(position)
    if view.us == view.kings & view.us:
        return True
    if plies > 2:
        return False
    replies = plies >> 1
    # En passant, if it is possible now, takes two pieces from a line. Castling takes
    # one, for the rook stands at the end of its lines. After a double step the captured
    # pawn counts once, for it stands elsewhere now.
    twice = 1 if view.rights & ~bitboards.CORNERS else 0
    find_blocks(view, replies, twice, play)
    return is_hopeless_at_last(view, replies, replies + twice, play)


# Positions without a solution


UNSOLVED = transposition.Bounds(np.int64(1), transposition.UNKNOWN, bitboards.NO_MOVE)
"""The bounds stored with the key of a question that has no solution."""

MIX_PLIES = np.uint64(0x9E3779B97F4A7C15)
"""The fractional part of the golden ratio, made odd."""
MIX_SHIFT = np.uint64(20)


@inlined
def question_key(position: bitboards.Position, plies: Number) -> transposition.HashKey:
    """Return the key of a position and the plies left."""
    key = transposition.hash_key(position, True)
    mixed = np.uint64(plies) * MIX_PLIES
    bucket = key.bucket ^ (mixed >> MIX_SHIFT)
    return transposition.complete_key(key.check ^ mixed, bucket)


# The last ply


@jit
def final_moves(
    position: bitboards.Position, moves: Row, for_stalemate: bool
) -> Number:
    """Write the moves that reach the goal to a row; return their number."""
    if not for_stalemate and not mating.mate_in_one(position):
        return 0
    size = movegen.generate(position, moves)
    kept = 0
    for index in range(size):
        move = moves[index]
        child = bitboards.make(position, move)
        if mating.is_stalemate(child) if for_stalemate else mating.is_checkmate(child):
            moves[kept] = move
            kept += 1
    return kept


# The enumeration


@inlined
def current_position(play: HelpPlay, ply: Number) -> bitboards.Position:
    """Read the position at a ply of the current line."""
    words = play.positions[ply]
    return bitboards.Position(
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]
    )


@inlined
def keep_last_targets(
    position: bitboards.Position, moves: Row, size: Number, play: HelpPlay
) -> Number:
    """Keep the defender's last moves after which a mate may arise; return their number.

    `is_hopeless` must have been called for the position just before.
    """
    king = position.kings & position.us
    mated_on = flip(play.mated_on)
    block_targets = flip(play.block_targets) if king & mated_on else bitboards.ZERO
    kept = 0
    for index in range(size):
        move = moves[index]
        wanted = mated_on if bitboards.arrival(move) & bitboards.KING else block_targets
        if wanted & (bitboards.ONE << bitboards.target(move)):
            moves[kept] = move
            kept += 1
    return kept


@jit
def keep_useful(
    position: bitboards.Position, moves: Row, size: Number, ply: Number, play: HelpPlay
) -> Number:
    """Keep the moves after which a net may still be in reach; return their number."""
    nets = nets_at(play.nets)
    kept = 0
    for index in range(size):
        if net_list.keeps_any(moves[index], position, ply, play.plies - ply - 1, nets):
            moves[kept] = moves[index]
            kept += 1
    return kept


@jit
def is_net_in_reach(ply: Number, search: Search, play: HelpPlay) -> bool:
    """List the nets in reach at a ply; return whether there are any."""
    nets = nets_at(play.nets)
    if ply == 0:
        return nets.starts[1] > 0
    before = ply - 1
    move = search.rows[before, play.cursors[before]]
    left = play.plies - ply
    return net_list.narrow(current_position(play, before), move, before, left, nets) > 0


@jit
def list_reachable_nets(ply: Number, search: Search, play: HelpPlay) -> Number:
    """List the nets in reach on the line so far; return its last ply with any."""
    nets = nets_at(play.nets)
    if nets.listed >= 0:
        return ply
    nets.listed = 0
    for at in range(ply):
        move = search.rows[at, play.cursors[at] - 1]
        position = current_position(play, at)
        if not net_list.narrow(position, move, at, play.plies - at - 1, nets):
            return at
    return ply


@jit
def enter(
    position: bitboards.Position, ply: Number, search: Search, play: HelpPlay
) -> Number:
    """Enter the position at a ply and list its moves.

    Returns
    -------
    int64
        The number of moves that are worth playing, 0 if the position has no solution;
        STOPPED if a limit was hit.
    """
    report_if_due(search)
    if search.stop or search.nodes >= search.node_limit:
        return search_struct.HelpState.STOPPED
    search.nodes += 1
    left = play.plies - ply
    moves = search.rows[ply]
    key = question_key(position, left)
    if left > 1 and transposition.probe(search, key).no_mate:
        return 0

    # 1. The goal is out of reach.
    is_listed = play.nets != bitboards.ZERO
    is_useless = is_listed and not is_net_in_reach(ply, search, play)
    if not is_useless and left > 1 and play.is_pruned:
        is_useless = is_hopeless(position, left, play)
    if is_useless:
        if left > 2:
            transposition.store(search, key, UNSOLVED, left)
        return 0

    # 2. The moves that may lead to it.
    if left == 1:
        size = final_moves(position, moves, play.is_stalemate != 0)
    else:
        size = movegen.generate(position, moves)
        if left == 2 and play.is_pruned and not play.is_stalemate:
            size = keep_last_targets(position, moves, size, play)
        if is_listed:
            size = keep_useful(position, moves, size, ply, play)
    if size:
        play.positions[ply, 0] = position.pawns
        play.positions[ply, 1] = position.knights
        play.positions[ply, 2] = position.diagonal
        play.positions[ply, 3] = position.orthogonal
        play.positions[ply, 4] = position.kings
        play.positions[ply, 5] = position.us
        play.positions[ply, 6] = position.them
        play.positions[ply, 7] = position.rights
        play.sizes[ply] = size
        play.cursors[ply] = 0
        play.solved[ply] = 0
    return size


@jit
def enumerate_solutions(search: Search, play: HelpPlay) -> Number:
    """Write the next solutions of exactly `play.plies` plies to the buffer.

    Parameters
    ----------
    search : Search
        Its rows belong to the enumeration until it is complete. Counts nodes. Its table
        receives positions without a solution.
    play : HelpPlay
        What to look for, and the state. The solutions are added to its buffer.

    Returns
    -------
    int64
        COMPLETE if all solutions have been written. Otherwise the next call goes on:
        PAUSED if the buffer has `play.most` solutions, STOPPED if a limit was hit.
    """
    ply = play.ply
    if play.nets:
        ply = list_reachable_nets(ply, search, play)

    # 1. The first call enters the root.
    if ply < 0:
        size = enter(current_position(play, 0), 0, search, play)
        if size == search_struct.HelpState.STOPPED:
            return search_struct.HelpState.STOPPED
        ply = 0 if size else -1

    while ply >= 0:
        # 2. All moves are played: remember a failure and go back.
        index = play.cursors[ply]
        if index == play.sizes[ply]:
            left = play.plies - ply
            if play.solved[ply]:
                play.solved[max(0, ply - 1)] = 1
            elif left > 1:
                position = current_position(play, ply)
                key = question_key(position, left)
                transposition.store(search, key, UNSOLVED, left)
            ply -= 1
            continue

        # 3. A move of the last ply completes a solution.
        if ply == play.plies - 1:
            start = play.written * play.plies
            for before in range(ply):
                move = search.rows[before][play.cursors[before] - 1]
                play.lines[start + before] = move
            play.lines[start + ply] = search.rows[ply][index]
            play.written += 1
            play.solved[ply] = 1
            play.cursors[ply] = index + 1
            if play.written == play.most:
                play.ply = ply
                return search_struct.HelpState.PAUSED
            continue

        # 4. Any other move leads to the next position. A limit leaves the state as it
        #    was before the move.
        child = bitboards.make(current_position(play, ply), search.rows[ply][index])
        size = enter(child, ply + 1, search, play)
        if size == search_struct.HelpState.STOPPED:
            play.ply = ply
            return search_struct.HelpState.STOPPED
        play.cursors[ply] = index + 1
        if size:
            ply += 1
    play.ply = -1
    return search_struct.HelpState.COMPLETE


@native(ENTRY)
def entry(
    operation: Number, _words: Any, search_pointer: Any, number: Number, _flag: Number
) -> Number:
    """Run one `HelpOperation` on the `HelpPlay` whose address is `number`."""
    if operation == parts.HelpOperation.BEGIN:
        ordering.begin(record_at(search_pointer))
        return 0
    play = help_play_at(number)
    if operation == parts.HelpOperation.ENUMERATE:
        return enumerate_solutions(record_at(search_pointer), play)
    if operation == parts.HelpOperation.LIST_NETS:
        nets, search = nets_at(play.nets), record_at(search_pointer)
        return 1 if net_list.list_nets(play.plies, search, nets) else 0
    if operation == parts.HelpOperation.COUNT_LEFT:
        first, moves = current_position(play, 0), record_at(search_pointer).rows[0]
        next_, size, left = play.cursors[0], play.sizes[0], play.plies - 1
        return net_list.count_left(first, moves, next_, size, left, nets_at(play.nets))
    if operation == parts.HelpOperation.IS_HOPELESS:
        position = current_position(play, 0)
        return 1 if is_hopeless(position, play.plies, play) else 0
    return parts.UNKNOWN_OPERATION
