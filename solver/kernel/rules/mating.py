"""Which moves give check, and which mate."""

from __future__ import annotations

from typing import NamedTuple

from solver.kernel.build.jit import first_square, inlined, jit
from solver.kernel.build.words import Bitboard, Move, Number, Row, Square
from solver.kernel.rules import bitboards, movegen

# --------------------------------------------------------------------------------------
# Which moves give check, found without making them where possible.


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


@inlined
def find_checks(position: bitboards.Position) -> Checks:
    """Find the squares from which their king can be checked, and our discoverers."""
    king = position.kings & position.them
    square = first_square(king)
    occupied = position.us | position.them
    snipers = position.us & (
        (bitboards.DIAGONAL_LINES[square] & position.diagonal)
        | (bitboards.ORTHOGONAL_LINES[square] & position.orthogonal)
    )
    discoverers = bitboards.ZERO
    while snipers:
        blockers = bitboards.BETWEEN[square, first_square(snipers)] & occupied
        if not (blockers & (blockers - bitboards.ONE)):
            discoverers |= blockers & position.us
        snipers &= snipers - bitboards.ONE
    return Checks(
        bitboards.pawns_attacks_down(king),
        bitboards.knight_attacks(square),
        bitboards.diagonal_attacks(square, occupied),
        bitboards.orthogonal_attacks(square, occupied),
        discoverers,
    )


@inlined
def gives_check(position: bitboards.Position, checks: Checks, move: Move) -> bool:
    """Return whether a legal move gives check."""
    start = bitboards.ONE << bitboards.origin(move)
    arrived = bitboards.ONE << bitboards.target(move)
    kind = bitboards.arrival(move)
    direct = checks.pawn if kind & bitboards.PAWN else bitboards.ZERO
    direct |= checks.knight if kind & bitboards.KNIGHT else bitboards.ZERO
    direct |= checks.diagonal if kind & bitboards.DIAGONAL else bitboards.ZERO
    direct |= checks.orthogonal if kind & bitboards.ORTHOGONAL else bitboards.ZERO
    if direct & arrived:
        return True
    if start & checks.discoverers:
        king = first_square(position.kings & position.them)
        stays_on_line = (bitboards.BETWEEN[king, bitboards.target(move)] & start) | (
            bitboards.BETWEEN[king, bitboards.origin(move)] & arrived
        )
        if not stays_on_line:
            return True
    # Castling, en passant and promotions change lines beyond these squares.
    castles = (
        kind & bitboards.KING
        and start == bitboards.E1
        and arrived & (bitboards.C1 | bitboards.G1)
    )
    takes_in_passing = (
        kind & bitboards.PAWN and arrived & position.rights & bitboards.RANK_6
    )
    promotes = not kind & bitboards.PAWN and position.pawns & start
    if castles or takes_in_passing or promotes:
        return bitboards.checkers(bitboards.make(position, move)) != bitboards.ZERO
    return False


@jit
def generate_checks(position: bitboards.Position, moves: Row) -> Number:
    """Write the legal moves that give check to a row and return their number."""
    checks = find_checks(position)
    size = movegen.generate(position, moves)
    kept = 0
    for index in range(size):
        move = moves[index]
        if gives_check(position, checks, move):
            moves[kept] = move
            kept += 1
    return kept


# --------------------------------------------------------------------------------------
# The mate-in-one test, which is half of the nodes of a mate search.
#
# A mating move must give check and take the king's last flights away. So the test first
# finds the squares around the king that we do not cover (`Cover`), and then the moves
# that check and cover these squares. Only such moves are made and tested completely.
# docs/explanation/tried.md compares the speed with making every move.


@inlined
def is_checkmate(position: bitboards.Position) -> bool:
    """Return whether the side to move is checkmated."""
    return (
        bitboards.checkers(position) != bitboards.ZERO and movegen.count(position) == 0
    )


@inlined
def is_stalemate(position: bitboards.Position) -> bool:
    """Return whether the side to move has no move and is not in check."""
    return (
        bitboards.checkers(position) == bitboards.ZERO and movegen.count(position) == 0
    )


@jit
def mates(position: bitboards.Position, move: Move) -> bool:
    """Return whether a pseudo-legal move is legal and mates."""
    child = bitboards.make(position, move)
    return (
        bitboards.checkers(child) != bitboards.ZERO
        and not bitboards.leaves_king_attacked(child)
        and movegen.count(child) == 0
    )


class Cover(NamedTuple):
    """Squares that we attack when their king is taken off the board.

    The squares attacked at all, by at least two pieces, and by at least one slider.
    """

    once: Bitboard
    twice: Bitboard
    by_sliders: Bitboard


@inlined
def slider_attacks(
    position: bitboards.Position, slider: Bitboard, occupied: Bitboard
) -> Bitboard:
    """Return the squares that a bishop, rook or queen attacks."""
    square = first_square(slider)
    reached = bitboards.ZERO
    if position.diagonal & slider:
        reached |= bitboards.diagonal_attacks(square, occupied)
    if position.orthogonal & slider:
        reached |= bitboards.orthogonal_attacks(square, occupied)
    return reached


@inlined
def find_cover(position: bitboards.Position, occupied: Bitboard) -> Cover:
    """Collect the attacks of our pieces, given the occupancy."""
    pawns = position.pawns & position.us
    left = (pawns & bitboards.NOT_FILE_A) << bitboards.SEVEN
    right = (pawns & bitboards.NOT_FILE_H) << bitboards.NINE
    once = left | right
    twice = left & right
    reached = bitboards.king_attacks(first_square(position.kings & position.us))
    twice |= once & reached
    once |= reached
    knights = position.knights & position.us
    while knights:
        reached = bitboards.knight_attacks(first_square(knights))
        twice |= once & reached
        once |= reached
        knights &= knights - bitboards.ONE
    by_sliders = bitboards.ZERO
    sliders = (position.diagonal | position.orthogonal) & position.us
    while sliders:
        slider = sliders & (bitboards.ZERO - sliders)
        sliders ^= slider
        reached = slider_attacks(position, slider, occupied)
        twice |= once & reached
        once |= reached
        by_sliders |= reached
    return Cover(once, twice, by_sliders)


@inlined
def open_flights(
    position: bitboards.Position, ring: Bitboard, start: Bitboard
) -> Bitboard:
    """Return the flights that are open without our piece on `start`."""
    king = position.kings & position.them
    occupied = (position.us | position.them) ^ king ^ start
    rest = bitboards.Position(
        position.pawns & ~start,
        position.knights & ~start,
        position.diagonal & ~start,
        position.orthogonal & ~start,
        position.kings,
        position.us & ~start,
        position.them,
        position.rights,
    )
    return ring & ~find_cover(rest, occupied).once


@inlined
def leaves_no_flight(
    position: bitboards.Position,
    uncovered: Bitboard,
    start: Square,
    end: Square,
    kind: Move,
) -> bool:
    """Return whether a piece that arrives on `end` covers all `uncovered` flights.

    Lines that the piece closes are ignored, so True may be wrong; False never is.
    """
    king = position.kings & position.them
    occupied = (position.us | position.them) & ~(king | (bitboards.ONE << start))
    # The king may take the piece itself unless another one guards it.
    flights = uncovered & (~position.them | (bitboards.ONE << end))
    return not (flights & ~bitboards.attacks_of_kind(kind, end, occupied))


@jit
def _mate_by_pawn(
    position: bitboards.Position, ring: Bitboard, targets: Bitboard, step: Square
) -> Move:
    """Find a mate among pawn moves whose targets are `step` above their origins."""
    while targets:
        end = first_square(targets)
        targets &= targets - bitboards.ONE
        start = end - step
        uncovered = open_flights(position, ring, bitboards.ONE << start)
        if not bitboards.RANK_8 & (bitboards.ONE << end):
            if leaves_no_flight(position, uncovered, start, end, bitboards.PAWN):
                move = bitboards.encode(start, end, bitboards.PAWN)
                if mates(position, move):
                    return move
            continue
        # A rook or a bishop mates only where a queen does.
        for kind in (bitboards.QUEEN, bitboards.KNIGHT):
            if leaves_no_flight(position, uncovered, start, end, kind):
                move = bitboards.encode(start, end, kind)
                if mates(position, move):
                    return move
    return bitboards.NO_MOVE


@jit
def _mate_by_king(position: bitboards.Position, batteries: Bitboard) -> Move:
    """Find a mate by a king move that opens a line, or by castling."""
    king = position.kings & position.us
    start = first_square(king)
    targets = bitboards.ZERO
    if king & batteries:
        targets = bitboards.king_attacks(start) & ~position.us
    if position.rights & bitboards.RANK_1:
        targets |= movegen.castling_targets(position, movegen.find_pins(position))
    while targets:
        move = bitboards.encode(start, first_square(targets), bitboards.KING)
        targets &= targets - bitboards.ONE
        if mates(position, move):
            return move
    return bitboards.NO_MOVE


@jit
def _mate_in_passing(position: bitboards.Position, takers: Bitboard) -> Move:
    """Find a mate by a capture en passant."""
    end = first_square(position.rights & bitboards.RANK_6)
    while takers:
        move = bitboards.encode(first_square(takers), end, bitboards.PAWN)
        takers &= takers - bitboards.ONE
        if mates(position, move):
            return move
    return bitboards.NO_MOVE


@jit
def mate_in_one(position: bitboards.Position) -> Move:
    """Find a move that mates at once.

    Returns
    -------
    uint64
        A legal mating move, or NO_MOVE when there is none.
    """
    king = position.kings & position.them
    square = first_square(king)
    occupied = position.us | position.them
    bare = occupied ^ king
    ring = bitboards.king_attacks(square)

    # 1. The squares from which pieces check, and the pieces in front of a battery.
    checks = find_checks(position)
    batteries = checks.discoverers

    # 2. The squares that we cover.
    cover = find_cover(position, bare)

    # 3. Knights and sliders: targets that check, or any target if a line opens.
    pieces = position.us & (position.knights | position.diagonal | position.orthogonal)
    while pieces:
        piece = pieces & (bitboards.ZERO - pieces)
        pieces ^= piece
        start = first_square(piece)
        kind = bitboards.KNIGHT
        reached = bitboards.knight_attacks(start)
        checked = checks.knight
        if not position.knights & piece:
            kind = bitboards.ZERO
            reached = bitboards.ZERO
            checked = bitboards.ZERO
            if position.diagonal & piece:
                kind |= bitboards.DIAGONAL
                reached |= bitboards.diagonal_attacks(start, bare)
                checked |= checks.diagonal
            if position.orthogonal & piece:
                kind |= bitboards.ORTHOGONAL
                reached |= bitboards.orthogonal_attacks(start, bare)
                checked |= checks.orthogonal
        targets = reached & ~position.us
        if not piece & batteries:
            targets &= checked
        if not targets:
            continue
        if piece & (batteries | cover.by_sliders):
            uncovered = open_flights(position, ring, piece)
        else:
            uncovered = ring & ~(cover.twice | (cover.once & ~reached))
        while targets:
            end = first_square(targets)
            targets &= targets - bitboards.ONE
            if leaves_no_flight(position, uncovered, start, end, kind):
                move = bitboards.encode(start, end, kind)
                if mates(position, move):
                    return move

    # 4. Pawns that check, promote or open a line.
    pawns = position.pawns & position.us
    wanted = checks.pawn | bitboards.RANK_8
    opening = pawns & batteries
    pushed = (pawns << bitboards.EIGHT) & ~occupied
    targets = pushed & (wanted | (opening << bitboards.EIGHT))
    if targets:
        move = _mate_by_pawn(position, ring, targets, bitboards.EIGHT)
        if move:
            return move
    targets = (
        ((pushed & bitboards.RANK_3) << bitboards.EIGHT)
        & ~occupied
        & (wanted | opening << bitboards.SIXTEEN)
    )
    if targets:
        move = _mate_by_pawn(position, ring, targets, bitboards.SIXTEEN)
        if move:
            return move
    takeable = position.them & ~king
    targets = (
        ((pawns & bitboards.NOT_FILE_A) << bitboards.SEVEN)
        & takeable
        & (wanted | opening << bitboards.SEVEN)
    )
    if targets:
        move = _mate_by_pawn(position, ring, targets, bitboards.SEVEN)
        if move:
            return move
    targets = (
        ((pawns & bitboards.NOT_FILE_H) << bitboards.NINE)
        & takeable
        & (wanted | opening << bitboards.NINE)
    )
    if targets:
        move = _mate_by_pawn(position, ring, targets, bitboards.NINE)
        if move:
            return move

    # 5. Captures en passant, king moves and castling.
    takers = movegen.en_passant_takers(position)
    if takers:
        move = _mate_in_passing(position, takers)
        if move:
            return move
    if position.kings & position.us & batteries or position.rights & bitboards.RANK_1:
        return _mate_by_king(position, batteries)
    return bitboards.NO_MOVE
