"""Which moves give check, and which mate."""

from __future__ import annotations

from typing import NamedTuple

from solver.kernel.build.jit import (
    Bitboard,
    Move,
    Number,
    Row,
    Square,
    first_square,
    inlined,
    jit,
)
from solver.kernel.rules.bitboards import (
    BETWEEN,
    C1,
    DIAGONAL,
    DIAGONAL_LINES,
    E1,
    EIGHT,
    G1,
    KING,
    KNIGHT,
    NINE,
    NO_MOVE,
    NOT_FILE_A,
    NOT_FILE_H,
    ONE,
    ORTHOGONAL,
    ORTHOGONAL_LINES,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    SEVEN,
    SIXTEEN,
    ZERO,
    Position,
    arrival,
    attacks_of_kind,
    checkers,
    diagonal_attacks,
    encode,
    king_attacks,
    knight_attacks,
    leaves_king_attacked,
    make,
    origin,
    orthogonal_attacks,
    pawns_attacks_down,
    target,
)
from solver.kernel.rules.movegen import (
    castling_targets,
    count,
    en_passant_takers,
    find_pins,
    generate,
)

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


@inlined
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


@jit
def generate_checks(position: Position, moves: Row) -> Number:
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


# --------------------------------------------------------------------------------------
# The mate-in-one test, which is half of the nodes of a mate search.
#
# A mating move must give check and take the king's last flights away. So the test first
# finds the squares around the king that we do not cover (`Cover`), and then the moves
# that check and cover these squares. Only such moves are made and tested completely.
# docs/explanation/tried.md compares the speed with making every move.


@inlined
def is_checkmate(position: Position) -> bool:
    """Return whether the side to move is checkmated."""
    return checkers(position) != ZERO and count(position) == 0


@inlined
def is_stalemate(position: Position) -> bool:
    """Return whether the side to move has no move and is not in check."""
    return checkers(position) == ZERO and count(position) == 0


@jit
def mates(position: Position, move: Move) -> bool:
    """Return whether a pseudo-legal move is legal and mates."""
    child = make(position, move)
    return (
        checkers(child) != ZERO
        and not leaves_king_attacked(child)
        and count(child) == 0
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
    position: Position, slider: Bitboard, occupied: Bitboard
) -> Bitboard:
    """Return the squares that a bishop, rook or queen attacks."""
    square = first_square(slider)
    reached = ZERO
    if position.diagonal & slider:
        reached |= diagonal_attacks(square, occupied)
    if position.orthogonal & slider:
        reached |= orthogonal_attacks(square, occupied)
    return reached


@inlined
def find_cover(position: Position, occupied: Bitboard) -> Cover:
    """Collect the attacks of our pieces, given the occupancy."""
    pawns = position.pawns & position.us
    left = (pawns & NOT_FILE_A) << SEVEN
    right = (pawns & NOT_FILE_H) << NINE
    once = left | right
    twice = left & right
    reached = king_attacks(first_square(position.kings & position.us))
    twice |= once & reached
    once |= reached
    knights = position.knights & position.us
    while knights:
        reached = knight_attacks(first_square(knights))
        twice |= once & reached
        once |= reached
        knights &= knights - ONE
    by_sliders = ZERO
    sliders = (position.diagonal | position.orthogonal) & position.us
    while sliders:
        slider = sliders & (ZERO - sliders)
        sliders ^= slider
        reached = slider_attacks(position, slider, occupied)
        twice |= once & reached
        once |= reached
        by_sliders |= reached
    return Cover(once, twice, by_sliders)


@inlined
def open_flights(position: Position, ring: Bitboard, start: Bitboard) -> Bitboard:
    """Return the flights that are open without our piece on `start`."""
    king = position.kings & position.them
    occupied = (position.us | position.them) ^ king ^ start
    rest = Position(
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
    position: Position, uncovered: Bitboard, start: Square, end: Square, kind: Move
) -> bool:
    """Return whether a piece that arrives on `end` covers all `uncovered` flights.

    Lines that the piece closes are ignored, so True may be wrong; False never is.
    """
    king = position.kings & position.them
    occupied = (position.us | position.them) & ~(king | (ONE << start))
    # The king may take the piece itself unless another one guards it.
    flights = uncovered & (~position.them | (ONE << end))
    return not (flights & ~attacks_of_kind(kind, end, occupied))


@jit
def _mate_by_pawn(
    position: Position, ring: Bitboard, targets: Bitboard, step: Square
) -> Move:
    """Find a mate among pawn moves whose targets are `step` above their origins."""
    while targets:
        end = first_square(targets)
        targets &= targets - ONE
        start = end - step
        uncovered = open_flights(position, ring, ONE << start)
        if not RANK_8 & (ONE << end):
            if leaves_no_flight(position, uncovered, start, end, PAWN):
                move = encode(start, end, PAWN)
                if mates(position, move):
                    return move
            continue
        # A rook or a bishop mates only where a queen does.
        for kind in (QUEEN, KNIGHT):
            if leaves_no_flight(position, uncovered, start, end, kind):
                move = encode(start, end, kind)
                if mates(position, move):
                    return move
    return NO_MOVE


@jit
def _mate_by_king(position: Position, batteries: Bitboard) -> Move:
    """Find a mate by a king move that opens a line, or by castling."""
    king = position.kings & position.us
    start = first_square(king)
    targets = ZERO
    if king & batteries:
        targets = king_attacks(start) & ~position.us
    if position.rights & RANK_1:
        targets |= castling_targets(position, find_pins(position))
    while targets:
        move = encode(start, first_square(targets), KING)
        targets &= targets - ONE
        if mates(position, move):
            return move
    return NO_MOVE


@jit
def _mate_in_passing(position: Position, takers: Bitboard) -> Move:
    """Find a mate by a capture en passant."""
    end = first_square(position.rights & RANK_6)
    while takers:
        move = encode(first_square(takers), end, PAWN)
        takers &= takers - ONE
        if mates(position, move):
            return move
    return NO_MOVE


@jit
def mate_in_one(position: Position) -> Move:
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
    ring = king_attacks(square)

    # 1. The squares from which pieces check, and the pieces in front of a battery.
    checks = find_checks(position)
    batteries = checks.discoverers

    # 2. The squares that we cover.
    cover = find_cover(position, bare)

    # 3. Knights and sliders: targets that check, or any target if a line opens.
    pieces = position.us & (position.knights | position.diagonal | position.orthogonal)
    while pieces:
        piece = pieces & (ZERO - pieces)
        pieces ^= piece
        start = first_square(piece)
        kind = KNIGHT
        reached = knight_attacks(start)
        checked = checks.knight
        if not position.knights & piece:
            kind = ZERO
            reached = ZERO
            checked = ZERO
            if position.diagonal & piece:
                kind |= DIAGONAL
                reached |= diagonal_attacks(start, bare)
                checked |= checks.diagonal
            if position.orthogonal & piece:
                kind |= ORTHOGONAL
                reached |= orthogonal_attacks(start, bare)
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
            targets &= targets - ONE
            if leaves_no_flight(position, uncovered, start, end, kind):
                move = encode(start, end, kind)
                if mates(position, move):
                    return move

    # 4. Pawns that check, promote or open a line.
    pawns = position.pawns & position.us
    wanted = checks.pawn | RANK_8
    opening = pawns & batteries
    pushed = (pawns << EIGHT) & ~occupied
    targets = pushed & (wanted | (opening << EIGHT))
    if targets:
        move = _mate_by_pawn(position, ring, targets, EIGHT)
        if move:
            return move
    targets = ((pushed & RANK_3) << EIGHT) & ~occupied & (wanted | opening << SIXTEEN)
    if targets:
        move = _mate_by_pawn(position, ring, targets, SIXTEEN)
        if move:
            return move
    takeable = position.them & ~king
    targets = ((pawns & NOT_FILE_A) << SEVEN) & takeable & (wanted | opening << SEVEN)
    if targets:
        move = _mate_by_pawn(position, ring, targets, SEVEN)
        if move:
            return move
    targets = ((pawns & NOT_FILE_H) << NINE) & takeable & (wanted | opening << NINE)
    if targets:
        move = _mate_by_pawn(position, ring, targets, NINE)
        if move:
            return move

    # 5. Captures en passant, king moves and castling.
    takers = en_passant_takers(position)
    if takers:
        move = _mate_in_passing(position, takers)
        if move:
            return move
    if position.kings & position.us & batteries or position.rights & RANK_1:
        return _mate_by_king(position, batteries)
    return NO_MOVE
