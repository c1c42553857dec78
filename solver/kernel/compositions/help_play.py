"""Help play: every line of play that ends with mate or stalemate.

Both sides help each other, so there is no best play: `enumerate_solutions` walks the
tree of legal moves to a fixed number of plies. Three things keep that tree small.

- The last ply is not searched. The mate-in-one test says whether any move mates, and
  only then are the moves made one by one.
- The transposition table holds positions that have no solution in the plies left.
  Moves of one side can mostly be played in another order, so most positions are met
  many times.
- A position is skipped if the goal cannot be reached in the plies left. For the last
  moves before a mate, `solver.kernel.compositions.help_last` decides that from the
  position alone. If the caller asks for it, `solver.kernel.compositions.net_list` lists
  the final positions that can arise at all, as far as they are needed, and
  `solver.kernel.compositions.net_reach` keeps those in reach on the line.

The walk keeps its state in a `HelpPlay`, not on the stack. It pauses when the buffer of
solutions is full, and continues there with the next call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border.help_memory import HelpState
from solver.kernel.border.parts import UNKNOWN_OPERATION, HelpOperation
from solver.kernel.build.jit import (
    ENTRY,
    ROW,
    Number,
    boolean,
    flip,
    help_play_at,
    help_play_t,
    i64,
    jit,
    native,
    nets_at,
    record_at,
    report_if_due,
    search_t,
    void,
    words_at,
)
from solver.kernel.compositions.help_last import is_hopeless
from solver.kernel.compositions.net_list import list_nets
from solver.kernel.compositions.net_reach import count_left, keeps_any, narrow
from solver.kernel.mate.transposition import HashKey, hash_key, hash_key_t
from solver.kernel.rules.bitboards import ONE, ZERO
from solver.kernel.rules.mate_in_one import is_checkmate, is_stalemate, mate_in_one
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.position import (
    KING,
    Position,
    arrival,
    make,
    position_t,
    target,
)

# Positions without a solution


ENTRIES = np.uint64(8)
"""Entries of a bucket: one word each, a cache line together."""

EFFORT_BITS = np.uint64(31)
CHECK_BITS = ~EFFORT_BITS
MOST_EFFORT = 31
MIX_PLIES = np.uint64(0x9E3779B97F4A7C15)
"""The fractional part of the golden ratio, made odd."""
MIX_SHIFT = np.uint64(20)


@jit(hash_key_t(position_t, i64, search_t), inline=True)
def question_key(position: Position, plies: Number, search: Any) -> HashKey:
    """Return the key of a position and the plies left.

    Its `bucket` is the index of the bucket's first word; the low bits of `check` are
    the effort.
    """
    key = hash_key(position, True)
    mixed = np.uint64(plies) * MIX_PLIES
    bucket = (key.bucket ^ (mixed >> MIX_SHIFT)) & (search.buckets - ONE)
    effort = np.uint64(min(plies, MOST_EFFORT))
    return HashKey(((key.check ^ mixed) & CHECK_BITS) | effort, bucket * ENTRIES)


@jit(boolean(hash_key_t, search_t), inline=True)
def is_stored(key: HashKey, search: Any) -> bool:
    """Return whether the table has this position as one without a solution."""
    table = words_at(search.table)
    for slot in range(ENTRIES):
        if table[key.bucket + np.uint64(slot)] == key.check:
            return True
    return False


@jit(void(hash_key_t, search_t), inline=True)
def store(key: HashKey, search: Any) -> None:
    """Store a position without a solution in place of the entry of the least effort.

    Among entries of the same effort, the key chooses, so that none stays forever.
    """
    table = words_at(search.table)
    effort = key.check & EFFORT_BITS
    first = (key.check >> MIX_SHIFT) & (ENTRIES - ONE)
    chosen = key.bucket + first
    least = table[chosen] & EFFORT_BITS
    if least >= effort:
        for step in range(1, ENTRIES):
            slot = key.bucket + ((first + np.uint64(step)) & (ENTRIES - ONE))
            if table[slot] & EFFORT_BITS < least:
                least = table[slot] & EFFORT_BITS
                chosen = slot
    table[chosen] = key.check


# The last ply


@jit(i64(position_t, ROW, boolean))
def final_moves(position: Position, moves: np.ndarray, for_stalemate: bool) -> Number:
    """Write the moves that reach the goal to a row; return their number."""
    if not for_stalemate and not mate_in_one(position):
        return 0
    size = generate(position, moves)
    kept = 0
    for index in range(size):
        move = moves[index]
        child = make(position, move)
        if is_stalemate(child) if for_stalemate else is_checkmate(child):
            moves[kept] = move
            kept += 1
    return kept


# The enumeration


@jit(position_t(help_play_t, i64), inline=True)
def current_position(play: Any, ply: Number) -> Position:
    """Read the position at a ply of the current line."""
    words = play.positions[ply]
    return Position(
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]
    )


@jit(i64(position_t, ROW, i64, help_play_t), inline=True)
def keep_last_targets(
    position: Position, moves: np.ndarray, size: Number, play: Any
) -> Number:
    """Keep the defender's last moves after which a mate may arise; return their number.

    `is_hopeless` must have been called for the position just before.
    """
    king = position.kings & position.us
    mated_on = flip(play.mated_on)
    block_targets = flip(play.block_targets) if king & mated_on else ZERO
    kept = 0
    for index in range(size):
        move = moves[index]
        wanted = mated_on if arrival(move) & KING else block_targets
        if wanted & (ONE << target(move)):
            moves[kept] = move
            kept += 1
    return kept


@jit(i64(position_t, ROW, i64, i64, help_play_t))
def keep_useful(
    position: Position, moves: np.ndarray, size: Number, ply: Number, play: Any
) -> Number:
    """Keep the moves after which a net may still be in reach; return their number."""
    nets = nets_at(play.nets)
    kept = 0
    for index in range(size):
        if keeps_any(moves[index], position, ply, play.plies - ply - 1, nets):
            moves[kept] = moves[index]
            kept += 1
    return kept


@jit(boolean(i64, search_t, help_play_t))
def is_net_in_reach(ply: Number, search: Any, play: Any) -> bool:
    """List the nets in reach at a ply; return whether there are any."""
    nets = nets_at(play.nets)
    if ply == 0:
        return nets.starts[1] > 0
    before = ply - 1
    move = search.rows[before, play.cursors[before]]
    left = play.plies - ply
    return narrow(current_position(play, before), move, before, left, nets) > 0


@jit(i64(i64, search_t, help_play_t))
def follow_line(ply: Number, search: Any, play: Any) -> Number:
    """List the nets in reach on the line so far; return its last ply with any."""
    nets = nets_at(play.nets)
    if nets.listed >= 0:
        return ply
    nets.listed = 0
    for at in range(ply):
        move = search.rows[at, play.cursors[at] - 1]
        position = current_position(play, at)
        if not narrow(position, move, at, play.plies - at - 1, nets):
            return at
    return ply


@jit(i64(position_t, i64, search_t, help_play_t))
def enter(position: Position, ply: Number, search: Any, play: Any) -> Number:
    """Enter the position at a ply and list its moves.

    Returns
    -------
    int64
        The number of moves that are worth playing, 0 if the position has no solution;
        STOPPED if a limit was hit.
    """
    report_if_due(search)
    if search.stop or search.nodes >= search.node_limit:
        return HelpState.STOPPED
    search.nodes += 1
    left = play.plies - ply
    moves = search.rows[ply]
    key = question_key(position, left, search)
    if left > 1 and is_stored(key, search):
        return 0

    # 1. The goal is out of reach.
    is_listed = play.nets != ZERO
    is_useless = is_listed and not is_net_in_reach(ply, search, play)
    if not is_useless and left > 1 and play.is_pruned:
        is_useless = is_hopeless(position, left, play)
    if is_useless:
        if left > 2:
            store(key, search)
        return 0

    # 2. The moves that may lead to it.
    if left == 1:
        size = final_moves(position, moves, play.is_stalemate != 0)
    else:
        size = generate(position, moves)
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


@jit(i64(search_t, help_play_t))
def enumerate_solutions(search: Any, play: Any) -> Number:
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
        ply = follow_line(ply, search, play)

    # 1. The first call enters the root.
    if ply < 0:
        size = enter(current_position(play, 0), 0, search, play)
        if size == HelpState.STOPPED:
            return HelpState.STOPPED
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
                store(question_key(position, left, search), search)
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
                return HelpState.PAUSED
            continue

        # 4. Any other move leads to the next position. A limit leaves the state as it
        #    was before the move.
        child = make(current_position(play, ply), search.rows[ply][index])
        size = enter(child, ply + 1, search, play)
        if size == HelpState.STOPPED:
            play.ply = ply
            return HelpState.STOPPED
        play.cursors[ply] = index + 1
        if size:
            ply += 1
    play.ply = -1
    return HelpState.COMPLETE


@native(ENTRY)
def entry(
    operation: Number, _words: Any, search_pointer: Any, number: Number, _flag: Number
) -> Number:
    """Run one `HelpOperation` on the `HelpPlay` whose address is `number`."""
    play = help_play_at(number)
    if operation == HelpOperation.ENUMERATE:
        return enumerate_solutions(record_at(search_pointer), play)
    if operation == HelpOperation.LIST_NETS:
        nets, search = nets_at(play.nets), record_at(search_pointer)
        return 1 if list_nets(play.plies, search, nets) else 0
    if operation == HelpOperation.COUNT_LEFT:
        first, moves = current_position(play, 0), record_at(search_pointer).rows[0]
        next_, size, left = play.cursors[0], play.sizes[0], play.plies - 1
        return count_left(first, moves, next_, size, left, nets_at(play.nets))
    if operation == HelpOperation.IS_HOPELESS:
        position = current_position(play, 0)
        return 1 if is_hopeless(position, play.plies, play) else 0
    return UNKNOWN_OPERATION
