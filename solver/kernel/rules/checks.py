"""Which moves give check, found without making them where possible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.build.jit import (
    ROW,
    Bitboard,
    Move,
    Number,
    boolean,
    first_square,
    i64,
    jit,
    named_words,
    u64,
)
from solver.kernel.rules.bitboards import (
    BETWEEN,
    C1,
    DIAGONAL_LINES,
    E1,
    G1,
    ONE,
    ORTHOGONAL_LINES,
    RANK_6,
    ZERO,
    diagonal_attacks,
    knight_attacks,
    orthogonal_attacks,
    pawns_attacks_down,
)
from solver.kernel.rules.movegen import generate
from solver.kernel.rules.position import (
    DIAGONAL,
    KING,
    KNIGHT,
    ORTHOGONAL,
    PAWN,
    Position,
    arrival,
    checkers,
    make,
    origin,
    position_t,
    target,
)


class Checks(NamedTuple):
    """How our pieces can give check.

    The first four fields are the squares from which a piece of each kind checks.
    `discoverers` are our pieces that stand alone between one of our sliders and the
    king.
    """

    pawn: Bitboard
    knight: Bitboard
    diagonal: Bitboard
    orthogonal: Bitboard
    discoverers: Bitboard


checks_t = named_words(Checks)


@jit(checks_t(position_t), inline=True)
def find_checks(position: Position) -> Checks:
    """Find the squares from which their king can be checked, and our discoverers."""
    king = position.kings & position.them
    square = first_square(king)
    occupied = position.us | position.them
    snipers = position.us & (
        (DIAGONAL_LINES[square] & position.diagonal)
        | (ORTHOGONAL_LINES[square] & position.orthogonal)
    )
    discoverers = ZERO
    while snipers:
        blockers = BETWEEN[square, first_square(snipers)] & occupied
        if not (blockers & (blockers - ONE)):
            discoverers |= blockers & position.us
        snipers &= snipers - ONE
    return Checks(
        pawns_attacks_down(king),
        knight_attacks(square),
        diagonal_attacks(square, occupied),
        orthogonal_attacks(square, occupied),
        discoverers,
    )


@jit(boolean(position_t, checks_t, u64), inline=True)
def gives_check(position: Position, checks: Checks, move: Move) -> bool:
    """Return whether a legal move gives check."""
    start = ONE << origin(move)
    arrived = ONE << target(move)
    kind = arrival(move)
    direct = checks.pawn if kind & PAWN else ZERO
    direct |= checks.knight if kind & KNIGHT else ZERO
    direct |= checks.diagonal if kind & DIAGONAL else ZERO
    direct |= checks.orthogonal if kind & ORTHOGONAL else ZERO
    if direct & arrived:
        return True
    if start & checks.discoverers:
        king = first_square(position.kings & position.them)
        stays_on_line = (BETWEEN[king, target(move)] & start) | (
            BETWEEN[king, origin(move)] & arrived
        )
        if not stays_on_line:
            return True
    # Castling, en passant and promotions change lines beyond these squares.
    castles = kind & KING and start == E1 and arrived & (C1 | G1)
    takes_in_passing = kind & PAWN and arrived & position.rights & RANK_6
    promotes = not kind & PAWN and position.pawns & start
    if castles or takes_in_passing or promotes:
        return checkers(make(position, move)) != ZERO
    return False


@jit(i64(position_t, ROW))
def generate_checks(position: Position, moves: np.ndarray) -> Number:
    """Write the legal moves that give check to a row and return their number."""
    checks = find_checks(position)
    size = generate(position, moves)
    kept = 0
    for index in range(size):
        move = moves[index]
        if gives_check(position, checks, move):
            moves[kept] = move
            kept += 1
    return kept
