"""What problemists remark about a mate or a key."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.border import interface
from solver.kernel.build.jit import bytes_at, first_square, flip, inlined, jit
from solver.kernel.build.words import Bitboard, Move, Number, Row, Search
from solver.kernel.rules import bitboards, mating, movegen, notation

# --------------------------------------------------------------------------------------
# What problemists note: how pure a mate is, and what a key does.
#
# `solver.play.record` has the definitions.

# Mates

PLAIN, PURE, MODEL, IDEAL = range(4)
"""The members of `MateMark`, in its order."""


@jit
def _pinner(position: bitboards.Position, piece: Bitboard) -> Bitboard:
    """Return their slider that pins one of our pieces; ZERO if none does."""
    king = first_square(position.kings & position.us)
    snipers = position.them & (
        (bitboards.DIAGONAL_LINES[king] & position.diagonal)
        | (bitboards.ORTHOGONAL_LINES[king] & position.orthogonal)
    )
    while snipers:
        between = bitboards.BETWEEN[king, first_square(snipers)]
        if between & (position.us | position.them) == piece:
            return snipers & (bitboards.ZERO - snipers)
        snipers &= snipers - bitboards.ONE
    return bitboards.ZERO


@jit
def _could_parry(
    position: bitboards.Position, movers: Bitboard, absent: Bitboard, moves: Row
) -> bool:
    """Return whether `movers` had a legal move if their pieces `absent` were not there.

    A pawn that is absent cannot be taken en passant.
    """
    left = ~absent
    without = bitboards.Position(
        position.pawns & left,
        position.knights & left,
        position.diagonal & left,
        position.orthogonal & left,
        position.kings,
        position.us,
        position.them & left,
        position.rights & ~(absent << bitboards.EIGHT),
    )
    for index in range(movegen.generate(without, moves)):
        if (bitboards.ONE << bitboards.origin(moves[index])) & movers:
            return True
    return False


@jit
def mark_mate(position: bitboards.Position, moves: Row) -> Number:
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
    if not mating.is_checkmate(position):
        return PLAIN
    king = position.kings & position.us
    pieces = position.us ^ king

    # 1. Each of two checks alone could be parried without a king move.
    checking = bitboards.checkers(position)
    if checking & (checking - bitboards.ONE):
        left = checking
        while left:
            one = left & (bitboards.ZERO - left)
            if not _could_parry(position, pieces, checking ^ one, moves):
                return PLAIN
            left ^= one

    # 2. Each square of the king's field is barred in one way.
    guards, blocks = checking, bitboards.king_attacks(first_square(king)) & position.us
    without_king = (position.us | position.them) ^ king
    left = bitboards.king_attacks(first_square(king))
    while left:
        square = left & (bitboards.ZERO - left)
        left ^= square
        here = bitboards.attackers_of_us(position, first_square(square), without_king)
        if square & blocks:
            is_pure = not here or (
                here == _pinner(position, square)
                and _could_parry(position, square, here, moves)
            )
        else:
            is_pure = not here & (here - bitboards.ONE)
        if not is_pure:
            return PLAIN
        guards |= here

    # 3. Pins of pieces that do not stand beside the king.
    others = pieces & ~blocks
    left = others
    while left:
        piece = left & (bitboards.ZERO - left)
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


@jit
def _find_exposed(position: bitboards.Position, moves: Row) -> Exposed:
    pins = movegen.find_pins(position)
    king = first_square(position.kings & position.us)
    takeable = bitboards.ZERO
    for index in range(movegen.generate(position, moves)):
        arrived = bitboards.ONE << bitboards.target(moves[index])
        takeable |= arrived
        if (
            bitboards.arrival(moves[index]) & bitboards.PAWN
            and arrived & position.rights & bitboards.RANK_6
        ):
            takeable |= arrived >> bitboards.EIGHT
    return Exposed(
        bitboards.king_attacks(king) & ~position.us & ~pins.danger,
        position.us & (pins.diagonal | pins.orthogonal),
        takeable & position.them & ~position.kings,
    )


@inlined
def _kind(position: bitboards.Position, piece: Bitboard) -> Number:
    """Return the boards that have a piece, as a move's arrival has them."""
    kind = bitboards.PAWN if position.pawns & piece else bitboards.ZERO
    kind |= bitboards.KNIGHT if position.knights & piece else bitboards.ZERO
    kind |= bitboards.DIAGONAL if position.diagonal & piece else bitboards.ZERO
    kind |= bitboards.ORTHOGONAL if position.orthogonal & piece else bitboards.ZERO
    return np.int64(kind)


COMMA, LINE_END = ord(","), ord("\n")


@inlined
def _note(size: Number, feature: Number, squares: Bitboard, search: Search) -> Number:
    """Append a feature if it has squares; return the new size."""
    search.rows[0, size] = np.uint64(feature)
    search.rows[1, size] = squares
    return size + 1 if squares else size


@jit
def _write_squares(squares: Bitboard, turn: Number, search: Search) -> None:
    """Append squares to the text, sorted by name, and a line end."""
    text, at = bytes_at(search.text), search.text_written
    for place in range(64):
        square = ((place & 7) << 3) | (place >> 3)
        if squares & (bitboards.ONE << np.uint64(square ^ turn)):
            if at > search.text_written:
                at = notation.write_letter(text, at, COMMA)
                at = notation.write_letter(text, at, notation.BLANK)
            at = notation.write_square(text, at, square)
    search.text_written = notation.write_letter(text, at, LINE_END)


@jit
def list_key_features(
    position: bitboards.Position, move: Move, black: Number, search: Search
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
    child = bitboards.make(position, move)
    if mating.is_checkmate(child):
        return 0
    # All squares are seen by the defender, as those of `child` are.
    before = _find_exposed(bitboards.after_null_move(position), search.rows[1])
    after = _find_exposed(child, search.rows[1])
    start, arrived, kind = (
        bitboards.ONE << bitboards.origin(move),
        bitboards.ONE << bitboards.target(move),
        bitboards.arrival(move),
    )
    moved = flip(arrived)
    captured = arrived & position.them
    if kind & bitboards.PAWN and arrived & position.rights & bitboards.RANK_6:
        captured = arrived >> bitboards.EIGHT

    size = _note(0, interface.KeyFeature.CHECK, bitboards.checkers(child), search)
    feature = interface.KeyFeature.CAPTURES + _kind(position, captured)
    size = _note(size, feature, flip(captured), search)
    taken = before.flights & ~after.flights
    feature = interface.KeyFeature.TAKES_FLIGHT
    if taken & (taken - bitboards.ONE):
        feature = interface.KeyFeature.TAKES_FLIGHTS
    size = _note(size, feature, taken, search)
    size = _note(size, interface.KeyFeature.PINS, after.pinned & ~before.pinned, search)
    if start & position.pawns and not kind & bitboards.PAWN:
        feature = interface.KeyFeature.PROMOTES + np.int64(kind)
        size = _note(size, feature, moved, search)
    if start & position.kings & bitboards.E1 and arrived & (
        bitboards.C1 | bitboards.G1
    ):
        size = _note(size, interface.KeyFeature.CASTLING, moved, search)
    size = _note(
        size, interface.KeyFeature.UNPINS, before.pinned & ~after.pinned, search
    )
    given = after.flights & ~before.flights
    feature = interface.KeyFeature.GIVES_FLIGHT
    if given & (given - bitboards.ONE):
        feature = interface.KeyFeature.GIVES_FLIGHTS
    size = _note(size, feature, given, search)
    size = _note(size, interface.KeyFeature.SACRIFICE, after.takeable & moved, search)
    en_prise = after.takeable & ~before.takeable & ~moved
    size = _note(size, interface.KeyFeature.EN_PRISE, en_prise, search)
    for index in range(size):
        _write_squares(search.rows[1, index], 0 if black else 56, search)
    return size
