"""Legal move generation, and perft to test it.

Checks, pins and the squares that the king must not enter are found first (`Pins`). So
every generated move is legal; only a capture en passant needs another test. `generate`
lists the moves, `count` only counts them.
"""

from __future__ import annotations

from typing import NamedTuple

from solver.kernel.border import interface
from solver.kernel.build.jit import (
    first_square,
    inlined,
    jit,
    population,
    report_if_due,
)
from solver.kernel.build.words import Bitboard, Move, Number, Row, Search, Square
from solver.kernel.rules import bitboards

# Checks and pins


class Pins(NamedTuple):
    """What limits our moves.

    Attributes
    ----------
    checkers : uint64
        Their pieces that give check.
    parries : uint64
        Squares that parry the check; all without a check, none in a double check.
    diagonal, orthogonal : uint64
        The pin lines of each direction, including the pinning pieces.
    danger : uint64
        Squares that our king must not enter.
    """

    checkers: Bitboard
    parries: Bitboard
    diagonal: Bitboard
    orthogonal: Bitboard
    danger: Bitboard


@inlined
def attacked_by_them(position: bitboards.Position, occupied: Bitboard) -> Bitboard:
    """Return all squares that their pieces attack, given the occupancy."""
    attacked = bitboards.pawns_attacks_down(position.pawns & position.them)
    attacked |= bitboards.knights_attacks(position.knights & position.them)
    attacked |= bitboards.king_attacks(first_square(position.kings & position.them))
    sliders = position.diagonal & position.them
    while sliders:
        attacked |= bitboards.diagonal_attacks(first_square(sliders), occupied)
        sliders &= sliders - bitboards.ONE
    sliders = position.orthogonal & position.them
    while sliders:
        attacked |= bitboards.orthogonal_attacks(first_square(sliders), occupied)
        sliders &= sliders - bitboards.ONE
    return attacked


class Snipers(NamedTuple):
    """Their sliders of one direction that check our king, and their pin lines."""

    checkers: Bitboard
    pins: Bitboard


@inlined
def _split_snipers(
    position: bitboards.Position, king: Square, snipers: Bitboard
) -> Snipers:
    """Split the sliders on our king's lines into those that check and that pin."""
    occupied = position.us | position.them
    checkers = bitboards.ZERO
    pins = bitboards.ZERO
    while snipers:
        line = bitboards.BETWEEN[king, first_square(snipers)]
        sniper = snipers & (bitboards.ZERO - snipers)
        snipers ^= sniper
        blockers = line & occupied
        if not blockers:
            checkers |= sniper
        elif not (blockers & (blockers - bitboards.ONE)) and blockers & position.us:
            pins |= line | sniper
    return Snipers(checkers, pins)


@inlined
def find_pins(position: bitboards.Position) -> Pins:
    """Find what limits the moves of the side to move."""
    king = position.kings & position.us
    square = first_square(king)
    diagonal = _split_snipers(
        position,
        square,
        bitboards.DIAGONAL_LINES[square] & position.diagonal & position.them,
    )
    orthogonal = _split_snipers(
        position,
        square,
        bitboards.ORTHOGONAL_LINES[square] & position.orthogonal & position.them,
    )
    checkers = diagonal.checkers | orthogonal.checkers
    checkers |= position.them & (
        (bitboards.pawns_attacks_up(king) & position.pawns)
        | (bitboards.knight_attacks(square) & position.knights)
    )
    parries = bitboards.ALL
    if checkers:
        parries = bitboards.ZERO
        if not (checkers & (checkers - bitboards.ONE)):
            parries = checkers | bitboards.BETWEEN[square, first_square(checkers)]
    occupied = position.us | position.them
    danger = attacked_by_them(position, occupied ^ king)
    return Pins(checkers, parries, diagonal.pins, orthogonal.pins, danger)


# Targets


class PawnTargets(NamedTuple):
    """Where our pawns may go: a board for each kind of move, which gives the origin."""

    single: Bitboard
    double: Bitboard
    left: Bitboard
    right: Bitboard


@inlined
def pawn_targets(position: bitboards.Position, pins: Pins) -> PawnTargets:
    """Return the legal pawn moves without captures en passant."""
    empty = ~(position.us | position.them)
    pawns = position.pawns & position.us
    unpinned = pawns & ~(pins.diagonal | pins.orthogonal)
    # A pinned pawn may move along its pin line.
    along = ((pawns & pins.orthogonal) << bitboards.EIGHT) & pins.orthogonal
    single = ((unpinned << bitboards.EIGHT) | along) & empty
    double = ((single & bitboards.RANK_3) << bitboards.EIGHT) & empty
    pinned = pawns & pins.diagonal
    left = ((unpinned & bitboards.NOT_FILE_A) << bitboards.SEVEN) | (
        ((pinned & bitboards.NOT_FILE_A) << bitboards.SEVEN) & pins.diagonal
    )
    right = ((unpinned & bitboards.NOT_FILE_H) << bitboards.NINE) | (
        ((pinned & bitboards.NOT_FILE_H) << bitboards.NINE) & pins.diagonal
    )
    takeable = position.them & pins.parries
    return PawnTargets(
        single & pins.parries,
        double & pins.parries,
        left & takeable,
        right & takeable,
    )


@inlined
def en_passant_is_legal(
    position: bitboards.Position, pawn: Bitboard, end: Bitboard
) -> bool:
    """Return whether our king is safe after `pawn` captures en passant on `end`.

    Two pieces leave their squares at once, which the pin lines do not cover.
    """
    taken = end >> bitboards.EIGHT
    occupied = ((position.us | position.them) ^ pawn ^ taken) | end
    king = first_square(position.kings & position.us)
    return not (bitboards.attackers_of_us(position, king, occupied) & ~taken)


@inlined
def en_passant_takers(position: bitboards.Position) -> Bitboard:
    """Return our pawns beside the pawn that can be taken en passant."""
    return (
        bitboards.pawns_attacks_down(position.rights & bitboards.RANK_6)
        & position.pawns
        & position.us
    )


@jit
def usable_en_passant(position: bitboards.Position) -> Bitboard:
    """Return the en passant square if a capture there is legal, else ZERO."""
    skipped = position.rights & bitboards.RANK_6
    takers = en_passant_takers(position)
    while takers:
        pawn = takers & (bitboards.ZERO - takers)
        takers ^= pawn
        if en_passant_is_legal(position, pawn, skipped):
            return skipped
    return bitboards.ZERO


@inlined
def castling_targets(position: bitboards.Position, pins: Pins) -> Bitboard:
    """Return the squares where our king arrives by castling."""
    targets = bitboards.ZERO
    occupied = position.us | position.them
    if position.rights & bitboards.H1 and not (
        occupied & bitboards.SHORT_CASTLING_EMPTY
        | pins.danger & bitboards.SHORT_CASTLING_SAFE
    ):
        targets |= bitboards.G1
    if position.rights & bitboards.A1 and not (
        occupied & bitboards.LONG_CASTLING_EMPTY
        | pins.danger & bitboards.LONG_CASTLING_SAFE
    ):
        targets |= bitboards.C1
    return targets


@inlined
def _emit(
    moves: Row, size: Number, start: Square, targets: Bitboard, kind: Move
) -> Number:
    """Append a move to each target and return the new size."""
    while targets:
        moves[size] = bitboards.encode(start, first_square(targets), kind)
        size += 1
        targets &= targets - bitboards.ONE
    return size


@inlined
def _emit_pawns(moves: Row, size: Number, targets: Bitboard, step: Square) -> Number:
    """Append the pawn moves to the targets, each `step` squares above its origin."""
    promoting = targets & bitboards.RANK_8
    targets ^= promoting
    while targets:
        end = first_square(targets)
        moves[size] = bitboards.encode(end - step, end, bitboards.PAWN)
        size += 1
        targets &= targets - bitboards.ONE
    while promoting:
        end = first_square(promoting)
        moves[size] = bitboards.encode(end - step, end, bitboards.QUEEN)
        moves[size + 1] = bitboards.encode(end - step, end, bitboards.KNIGHT)
        moves[size + 2] = bitboards.encode(end - step, end, bitboards.ORTHOGONAL)
        moves[size + 3] = bitboards.encode(end - step, end, bitboards.DIAGONAL)
        size += 4
        promoting &= promoting - bitboards.ONE
    return size


@inlined
def diagonal_targets(
    position: bitboards.Position, pins: Pins, slider: Bitboard
) -> Bitboard:
    """Return the targets of a bishop or queen that no orthogonal pin holds."""
    reached = bitboards.diagonal_attacks(
        first_square(slider), position.us | position.them
    )
    return reached & pins.diagonal if slider & pins.diagonal else reached


@inlined
def orthogonal_targets(
    position: bitboards.Position, pins: Pins, slider: Bitboard
) -> Bitboard:
    """Return the targets of a rook or queen that no diagonal pin holds."""
    reached = bitboards.orthogonal_attacks(
        first_square(slider), position.us | position.them
    )
    return reached & pins.orthogonal if slider & pins.orthogonal else reached


class Wanted(NamedTuple):
    """The targets wanted for each kind of piece; `movers` may go anywhere.

    A queen has the targets of both sliders.
    """

    pawn: Bitboard
    knight: Bitboard
    diagonal: Bitboard
    orthogonal: Bitboard
    king: Bitboard
    movers: Bitboard


ALL_WANTED = Wanted(
    bitboards.ALL,
    bitboards.ALL,
    bitboards.ALL,
    bitboards.ALL,
    bitboards.ALL,
    bitboards.ALL,
)


@inlined
def generate_wanted(position: bitboards.Position, moves: Row, wanted: Wanted) -> Number:
    """Write the legal moves to wanted targets to a row, and return their number.

    Castling, promotions and captures by pawns are always written.
    """
    pins = find_pins(position)
    king = first_square(position.kings & position.us)
    targets = bitboards.king_attacks(king) & ~position.us & ~pins.danger
    if not position.kings & wanted.movers:
        targets &= wanted.king
    if not pins.checkers:
        targets |= castling_targets(position, pins)
    size = _emit(moves, 0, king, targets, bitboards.KING)
    if not pins.parries:  # double check
        return size

    pawns = pawn_targets(position, pins)
    movers = position.pawns & wanted.movers
    single = pawns.single & (
        wanted.pawn | bitboards.RANK_8 | (movers << bitboards.EIGHT)
    )
    double = pawns.double & (wanted.pawn | (movers << bitboards.SIXTEEN))
    size = _emit_pawns(moves, size, single, bitboards.EIGHT)
    size = _emit_pawns(moves, size, double, bitboards.SIXTEEN)
    size = _emit_pawns(moves, size, pawns.left, bitboards.SEVEN)
    size = _emit_pawns(moves, size, pawns.right, bitboards.NINE)
    takers = en_passant_takers(position)
    while takers:
        end = position.rights & bitboards.RANK_6
        pawn = takers & (bitboards.ZERO - takers)
        takers ^= pawn
        if en_passant_is_legal(position, pawn, end):
            size = _emit(moves, size, first_square(pawn), end, bitboards.PAWN)

    allowed = ~position.us & pins.parries
    knights = position.knights & position.us
    knights &= ~(pins.diagonal | pins.orthogonal)
    while knights:
        knight = knights & (bitboards.ZERO - knights)
        knights ^= knight
        start = first_square(knight)
        targets = bitboards.knight_attacks(start) & allowed
        if not knight & wanted.movers:
            targets &= wanted.knight
        size = _emit(moves, size, start, targets, bitboards.KNIGHT)
    sliders = position.diagonal & position.us & ~pins.orthogonal
    while sliders:
        slider = sliders & (bitboards.ZERO - sliders)
        sliders ^= slider
        targets = diagonal_targets(position, pins, slider) & allowed
        kind = bitboards.QUEEN if position.orthogonal & slider else bitboards.DIAGONAL
        if not slider & wanted.movers:
            targets &= wanted.diagonal | (
                wanted.orthogonal if kind == bitboards.QUEEN else bitboards.ZERO
            )
        size = _emit(moves, size, first_square(slider), targets, kind)
    sliders = position.orthogonal & position.us & ~pins.diagonal
    while sliders:
        slider = sliders & (bitboards.ZERO - sliders)
        sliders ^= slider
        targets = orthogonal_targets(position, pins, slider) & allowed
        kind = bitboards.QUEEN if position.diagonal & slider else bitboards.ORTHOGONAL
        if not slider & wanted.movers:
            targets &= wanted.orthogonal | (
                wanted.diagonal if kind == bitboards.QUEEN else bitboards.ZERO
            )
        size = _emit(moves, size, first_square(slider), targets, kind)
    return size


@jit
def generate(position: bitboards.Position, moves: Row) -> Number:
    """Write the legal moves to a row.

    Parameters
    ----------
    position : Position
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        Overwritten from its start.

    Returns
    -------
    int64
        The number of moves.
    """
    return generate_wanted(position, moves, ALL_WANTED)


@inlined
def count_within(position: bitboards.Position, pins: Pins) -> Number:
    """Count the legal moves of a position whose pins are known."""
    king = first_square(position.kings & position.us)
    targets = bitboards.king_attacks(king) & ~position.us & ~pins.danger
    if not pins.checkers:
        targets |= castling_targets(position, pins)
    size = population(targets)
    if not pins.parries:
        return size

    pawns = pawn_targets(position, pins)
    size += population(pawns.single) + population(pawns.double)
    size += population(pawns.left) + population(pawns.right)
    promoting = (pawns.single | pawns.left | pawns.right) & bitboards.RANK_8
    if promoting:
        size += 3 * (
            population(pawns.single & bitboards.RANK_8)
            + population(pawns.left & bitboards.RANK_8)
            + population(pawns.right & bitboards.RANK_8)
        )
    takers = en_passant_takers(position)
    while takers:
        pawn = takers & (bitboards.ZERO - takers)
        takers ^= pawn
        if en_passant_is_legal(position, pawn, position.rights & bitboards.RANK_6):
            size += 1

    allowed = ~position.us & pins.parries
    knights = position.knights & position.us
    knights &= ~(pins.diagonal | pins.orthogonal)
    while knights:
        size += population(bitboards.knight_attacks(first_square(knights)) & allowed)
        knights &= knights - bitboards.ONE
    sliders = position.diagonal & position.us & ~pins.orthogonal
    while sliders:
        slider = sliders & (bitboards.ZERO - sliders)
        sliders ^= slider
        size += population(diagonal_targets(position, pins, slider) & allowed)
    sliders = position.orthogonal & position.us & ~pins.diagonal
    while sliders:
        slider = sliders & (bitboards.ZERO - sliders)
        sliders ^= slider
        size += population(orthogonal_targets(position, pins, slider) & allowed)
    return size


@jit
def count(position: bitboards.Position) -> Number:
    """Count the legal moves without listing them."""
    return count_within(position, find_pins(position))


NEAR_THE_LEAVES = 3
"""At this depth and below, perft does not test for a stop, because it ends soon
anyway."""


@jit
def perft(
    position: bitboards.Position, depth: Number, search: Search, listed: bool
) -> Number:
    """Count the leaves of the tree of legal moves, the test of a move generator.

    Parameters
    ----------
    position : Position
    depth : int64
        Plies, at least 1.
    search : Search
        Its rows of moves are overwritten.
    listed : bool
        List the last ply's moves, as a search does, instead of only counting them.

    Returns
    -------
    int64
        The number of leaves, or STOPPED if `search.stop` was set.
    """
    if depth == 1 and not listed:
        return count(position)
    if depth > NEAR_THE_LEAVES:
        report_if_due(search)
        if search.stop:
            return interface.STOPPED
    moves = search.rows[depth]
    size = generate(position, moves)
    if depth == 1:
        return size
    leaves = 0
    for index in range(size):
        below = perft(bitboards.make(position, moves[index]), depth - 1, search, listed)
        if below == interface.STOPPED:
            return interface.STOPPED
        leaves += below
    return leaves
