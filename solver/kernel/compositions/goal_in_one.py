"""The last move of battle play: most of the nodes of its search.

`s#`: every reply must mate the attacker, so a reply without check refutes. Most attacks
allow one, often a king move. So attacks that leave the king a flight are skipped before
they are made. The others are tested for a reply without check (`has_quiet_move`), and
the few that remain are searched completely. `=`: an attack that leaves a flight is
skipped too, and the others must leave no move at all.
"""

from __future__ import annotations

import numpy as np

from solver.kernel.border import search_struct
from solver.kernel.build.jit import first_square, inlined, jit
from solver.kernel.build.words import Move, Number, Search
from solver.kernel.rules import bitboards, mating, movegen

SQUARES = np.uint64(64)

# Replies


@jit
def has_quiet_move(position: bitboards.Position) -> bool:
    """Return whether a legal move without check is found.

    Captures en passant, castling and moves of pieces in front of a slider of their own
    side are left out, so False may be wrong; True never is.
    """
    pins = movegen.find_pins(position)
    checks = mating.find_checks(position)
    us = position.us
    still = us & ~checks.discoverers
    king = position.kings & us
    if king & still and bitboards.king_attacks(first_square(king)) & ~us & ~pins.danger:
        return True
    if not pins.parries:
        return False
    allowed = ~us & pins.parries
    pieces = position.knights & still & ~(pins.diagonal | pins.orthogonal)
    while pieces:
        if bitboards.knight_attacks(first_square(pieces)) & allowed & ~checks.knight:
            return True
        pieces &= pieces - bitboards.ONE
    pawns = movegen.pawn_targets(position, pins)
    # A promotion cannot check both as a knight and as a queen.
    origins = (
        ((pawns.single & ~checks.pawn) >> bitboards.EIGHT)
        | ((pawns.double & ~checks.pawn) >> bitboards.SIXTEEN)
        | ((pawns.left & ~checks.pawn) >> bitboards.SEVEN)
        | ((pawns.right & ~checks.pawn) >> bitboards.NINE)
    )
    if origins & still:
        return True
    pieces = position.diagonal & still & ~pins.orthogonal
    while pieces:
        slider = pieces & (bitboards.ZERO - pieces)
        pieces ^= slider
        checking = checks.diagonal
        if position.orthogonal & slider:
            checking |= checks.orthogonal
        if movegen.diagonal_targets(position, pins, slider) & allowed & ~checking:
            return True
    pieces = position.orthogonal & still & ~pins.diagonal
    while pieces:
        slider = pieces & (bitboards.ZERO - pieces)
        pieces ^= slider
        checking = checks.orthogonal
        if position.diagonal & slider:
            checking |= checks.diagonal
        if movegen.orthogonal_targets(position, pins, slider) & allowed & ~checking:
            return True
    return False


@inlined
def is_reflex(play: Number) -> bool:
    """Return whether the defender must reach the goal when it can."""
    return play >= search_struct.BattlePlay.REFLEX


@inlined
def attacker_must_end(play: Number) -> bool:
    """Return whether the attacker, too, must reach the goal when it can."""
    return (
        play == search_struct.BattlePlay.REFLEX
        or play == search_struct.BattlePlay.REFLEX_STALEMATE
    )


@inlined
def attacker_ends(play: Number) -> bool:
    """Return whether the attacker's last move reaches the goal."""
    return (
        play == search_struct.BattlePlay.STALEMATE
        or play == search_struct.BattlePlay.EXACT_MATE
    )


@jit
def ends_play(position: bitboards.Position, play: Number) -> bool:
    """Return whether the defender's last move reached the goal."""
    if play == search_struct.BattlePlay.SELF_MATE:
        return mating.is_checkmate(position)
    if play == search_struct.BattlePlay.SELF_STALEMATE:
        return mating.is_stalemate(position)
    return False


@jit
def every_reply_ends(
    position: bitboards.Position, play: Number, ply: Number, search: Search
) -> bool:
    """Return whether the defender can move, and each of its moves reaches the goal."""
    replies = search.rows[ply]
    size = movegen.generate(position, replies)
    for index in range(size):
        if not ends_play(bitboards.make(position, replies[index]), play):
            return False
    return size > 0


# Attacks


@jit
def may_move_with_check(position: bitboards.Position) -> bool:
    """Return whether their king stands between one of their sliders and our king."""
    ours = first_square(position.kings & position.us)
    king = position.kings & position.them
    snipers = position.them & (
        (bitboards.DIAGONAL_LINES[ours] & position.diagonal)
        | (bitboards.ORTHOGONAL_LINES[ours] & position.orthogonal)
    )
    while snipers:
        if bitboards.BETWEEN[ours, first_square(snipers)] & king:
            return True
        snipers &= snipers - bitboards.ONE
    return False


@jit
def forced_in_one(
    position: bitboards.Position, play: Number, ply: Number, search: Search
) -> Move:
    """Find a move that stalemates, or to which every reply is the goal of self-play."""
    moves = search.rows[ply]
    size = movegen.generate(position, moves)
    king = position.kings & position.them
    ring = bitboards.king_attacks(first_square(king))

    # 1. A lone king never mates. In a selfmate a king move with check is no escape, so
    #    there flights count only for a king that never moves with check. In a
    #    selfstalemate any king move may stalemate, so flights do not count.
    if play == search_struct.BattlePlay.SELF_MATE:
        if position.them == king:
            return bitboards.NO_MOVE
        if may_move_with_check(position):
            ring = bitboards.ZERO
    if play == search_struct.BattlePlay.SELF_STALEMATE:
        ring = bitboards.ZERO

    # 2. Skip the attacks that leave a flight; test the others.
    last = SQUARES
    uncovered = bitboards.ZERO
    for index in range(size):
        move = moves[index]
        kind = bitboards.arrival(move)
        end = bitboards.target(move)
        in_passing = kind & bitboards.PAWN and position.rights & bitboards.RANK_6 & (
            bitboards.ONE << end
        )
        if ring and not kind & bitboards.KING and not in_passing:
            start = bitboards.origin(move)
            if start != last:
                last = start
                uncovered = mating.open_flights(position, ring, bitboards.ONE << start)
            if not mating.leaves_no_flight(position, uncovered, start, end, kind):
                continue
        child = bitboards.make(position, move)
        if play == search_struct.BattlePlay.STALEMATE:
            if mating.is_stalemate(child):
                return move
        elif play == search_struct.BattlePlay.SELF_MATE and has_quiet_move(child):
            continue
        elif every_reply_ends(child, play, ply + 1, search):
            return move
    return bitboards.NO_MOVE


@jit
def end_in_one(
    position: bitboards.Position, play: Number, ply: Number, search: Search
) -> Move:
    """Find a move with which the side to move reaches the goal of reflex play.

    It may use `search.rows[ply]`.
    """
    if play >= search_struct.BattlePlay.REFLEX_STALEMATE:
        return forced_in_one(position, search_struct.BattlePlay.STALEMATE, ply, search)
    return mating.mate_in_one(position)


@jit
def reflex_in_one(
    position: bitboards.Position, play: Number, ply: Number, search: Search
) -> Move:
    """Find a move that lets the defender reach the goal in one."""
    moves = search.rows[ply]
    size = movegen.generate(position, moves)
    for index in range(size):
        child = bitboards.make(position, moves[index])
        if end_in_one(child, play, ply + 1, search) != bitboards.NO_MOVE:
            return moves[index]
    return bitboards.NO_MOVE


@jit
def goal_in_one(position: bitboards.Position, ply: Number, search: Search) -> Move:
    """Find an attacker's move after which nothing can prevent the goal any more.

    Parameters
    ----------
    position : Position
        The attacker is to move; in reflex play it cannot reach the goal itself.
    ply : int64
        The row of moves to use; the next one is used too.
    search : Search
        Counts a node.

    Returns
    -------
    uint64
        A legal move, or NO_MOVE when there is none.
    """
    search.nodes += 1
    play = search.play
    if play == search_struct.BattlePlay.EXACT_MATE:
        return mating.mate_in_one(position)
    if is_reflex(play):
        return reflex_in_one(position, play, ply, search)
    return forced_in_one(position, play, ply, search)
