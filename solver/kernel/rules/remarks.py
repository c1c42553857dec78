"""What problemists note: how pure a mate is, and what a key does.

`solver.play.marks` has the definitions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.kernel.border.interface import KeyFeature
from solver.kernel.build.jit import (
    ROW,
    Bitboard,
    Move,
    Number,
    boolean,
    bytes_at,
    first_square,
    flip,
    i64,
    jit,
    named_words,
    search_t,
    u64,
    void,
)
from solver.kernel.rules.bitboards import (
    BETWEEN,
    C1,
    DIAGONAL_LINES,
    E1,
    EIGHT,
    G1,
    ONE,
    ORTHOGONAL_LINES,
    RANK_6,
    ZERO,
    king_attacks,
)
from solver.kernel.rules.mate_in_one import is_checkmate
from solver.kernel.rules.movegen import find_pins, generate
from solver.kernel.rules.notation import BLANK, write_letter, write_square
from solver.kernel.rules.position import (
    DIAGONAL,
    KNIGHT,
    ORTHOGONAL,
    PAWN,
    Position,
    after_null_move,
    arrival,
    attackers_of_us,
    checkers,
    make,
    origin,
    position_t,
    target,
)

# Mates

PLAIN, PURE, MODEL, IDEAL = range(4)
"""The members of `MateMark`, in its order."""


@jit(u64(position_t, u64))
def _pinner(position: Position, piece: Bitboard) -> Bitboard:
    """Return their slider that pins one of our pieces; ZERO if none does."""
    king = first_square(position.kings & position.us)
    snipers = position.them & (
        (DIAGONAL_LINES[king] & position.diagonal)
        | (ORTHOGONAL_LINES[king] & position.orthogonal)
    )
    while snipers:
        between = BETWEEN[king, first_square(snipers)]
        if between & (position.us | position.them) == piece:
            return snipers & (ZERO - snipers)
        snipers &= snipers - ONE
    return ZERO


@jit(boolean(position_t, u64, u64, ROW))
def _could_parry(
    position: Position, movers: Bitboard, absent: Bitboard, moves: np.ndarray
) -> bool:
    """Return whether `movers` had a legal move if their pieces `absent` were not there.

    A pawn that is absent cannot be taken en passant.
    """
    left = ~absent
    without = Position(
        position.pawns & left,
        position.knights & left,
        position.diagonal & left,
        position.orthogonal & left,
        position.kings,
        position.us,
        position.them & left,
        position.rights & ~(absent << EIGHT),
    )
    for index in range(generate(without, moves)):
        if (ONE << origin(moves[index])) & movers:
            return True
    return False


@jit(i64(position_t, ROW))
def mark_mate(position: Position, moves: np.ndarray) -> Number:
    """Return whether a checkmate is pure, a model mate or an ideal mate.

    Parameters
    ----------
    position : Position
        The mated side is to move.
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        Overwritten.

    Returns
    -------
    int64
        PLAIN also if it is not checkmate.
    """
    if not is_checkmate(position):
        return PLAIN
    king = position.kings & position.us
    pieces = position.us ^ king

    # 1. Each of two checks alone could be parried without a king move.
    checking = checkers(position)
    if checking & (checking - ONE):
        left = checking
        while left:
            one = left & (ZERO - left)
            if not _could_parry(position, pieces, checking ^ one, moves):
                return PLAIN
            left ^= one

    # 2. Each square of the king's field is barred in one way.
    guards, blocks = checking, king_attacks(first_square(king)) & position.us
    without_king = (position.us | position.them) ^ king
    left = king_attacks(first_square(king))
    while left:
        square = left & (ZERO - left)
        left ^= square
        here = attackers_of_us(position, first_square(square), without_king)
        if square & blocks:
            is_pure = not here or (
                here == _pinner(position, square)
                and _could_parry(position, square, here, moves)
            )
        else:
            is_pure = not here & (here - ONE)
        if not is_pure:
            return PLAIN
        guards |= here

    # 3. Pins of pieces that do not stand beside the king.
    others = pieces & ~blocks
    left = others
    while left:
        piece = left & (ZERO - left)
        left ^= piece
        pinner = _pinner(position, piece)
        if pinner and _could_parry(position, piece, pinner, moves):
            guards |= pinner

    # 4. Who takes part.
    idle = position.them & ~guards
    if idle & ~(position.kings | position.pawns):
        return PURE
    return MODEL if idle or others else IDEAL


# Keys


class Exposed(NamedTuple):
    """What a key can change for the defender, who is to move.

    Attributes
    ----------
    flights : uint64
        Squares that the king can move to, except by castling.
    pinned : uint64
        The defender's pinned pieces.
    takeable : uint64
        The attacker's pieces that can be taken.
    """

    flights: Bitboard
    pinned: Bitboard
    takeable: Bitboard


exposed_t = named_words(Exposed)


@jit(exposed_t(position_t, ROW))
def _find_exposed(position: Position, moves: np.ndarray) -> Exposed:
    pins = find_pins(position)
    king = first_square(position.kings & position.us)
    takeable = ZERO
    for index in range(generate(position, moves)):
        arrived = ONE << target(moves[index])
        takeable |= arrived
        if arrival(moves[index]) & PAWN and arrived & position.rights & RANK_6:
            takeable |= arrived >> EIGHT
    return Exposed(
        king_attacks(king) & ~position.us & ~pins.danger,
        position.us & (pins.diagonal | pins.orthogonal),
        takeable & position.them & ~position.kings,
    )


@jit(i64(position_t, u64), inline=True)
def _kind(position: Position, piece: Bitboard) -> Number:
    """Return the boards that have a piece, as a move's arrival has them."""
    kind = PAWN if position.pawns & piece else ZERO
    kind |= KNIGHT if position.knights & piece else ZERO
    kind |= DIAGONAL if position.diagonal & piece else ZERO
    kind |= ORTHOGONAL if position.orthogonal & piece else ZERO
    return np.int64(kind)


COMMA, LINE_END = ord(","), ord("\n")


@jit(i64(i64, i64, u64, search_t), inline=True)
def _note(size: Number, feature: Number, squares: Bitboard, search: Any) -> Number:
    """Append a feature if it has squares; return the new size."""
    search.rows[0, size] = np.uint64(feature)
    search.rows[1, size] = squares
    return size + 1 if squares else size


@jit(void(u64, i64, search_t))
def _write_squares(squares: Bitboard, turn: Number, search: Any) -> None:
    """Append squares to the text, sorted by name, and a line end."""
    text, at = bytes_at(search.text), search.text_written
    for place in range(64):
        square = ((place & 7) << 3) | (place >> 3)
        if squares & (ONE << np.uint64(square ^ turn)):
            if at > search.text_written:
                at = write_letter(text, at, COMMA)
                at = write_letter(text, at, BLANK)
            at = write_square(text, at, square)
    search.text_written = write_letter(text, at, LINE_END)


@jit(i64(position_t, u64, i64, search_t))
def list_key_features(
    position: Position, move: Move, black: Number, search: Any
) -> Number:
    """List what a key does, the worst first; nothing if it mates.

    Parameters
    ----------
    position : Position
        The position before it.
    move : uint64
        A legal move.
    black : int64
        Whether Black is to move.
    search : Search
        `rows[0]` receives each `KeyFeature`, `text` its squares, with a line end after
        each list of squares. `text` has room for 256 bytes. `rows[1]` is overwritten.

    Returns
    -------
    int64
        The number of features.
    """
    child = make(position, move)
    if is_checkmate(child):
        return 0
    # All squares are seen by the defender, as those of `child` are.
    before = _find_exposed(after_null_move(position), search.rows[1])
    after = _find_exposed(child, search.rows[1])
    start, arrived, kind = ONE << origin(move), ONE << target(move), arrival(move)
    moved = flip(arrived)
    captured = arrived & position.them
    if kind & PAWN and arrived & position.rights & RANK_6:
        captured = arrived >> EIGHT

    size = _note(0, KeyFeature.CHECK, checkers(child), search)
    feature = KeyFeature.CAPTURES + _kind(position, captured)
    size = _note(size, feature, flip(captured), search)
    taken = before.flights & ~after.flights
    feature = KeyFeature.TAKES_FLIGHT
    if taken & (taken - ONE):
        feature = KeyFeature.TAKES_FLIGHTS
    size = _note(size, feature, taken, search)
    size = _note(size, KeyFeature.PINS, after.pinned & ~before.pinned, search)
    if start & position.pawns and not kind & PAWN:
        feature = KeyFeature.PROMOTES + np.int64(kind)
        size = _note(size, feature, moved, search)
    if start & position.kings & E1 and arrived & (C1 | G1):
        size = _note(size, KeyFeature.CASTLING, moved, search)
    size = _note(size, KeyFeature.UNPINS, before.pinned & ~after.pinned, search)
    given = after.flights & ~before.flights
    feature = KeyFeature.GIVES_FLIGHT
    if given & (given - ONE):
        feature = KeyFeature.GIVES_FLIGHTS
    size = _note(size, feature, given, search)
    size = _note(size, KeyFeature.SACRIFICE, after.takeable & moved, search)
    en_prise = after.takeable & ~before.takeable & ~moved
    size = _note(size, KeyFeature.EN_PRISE, en_prise, search)
    for index in range(size):
        _write_squares(search.rows[1, index], 0 if black else 56, search)
    return size
