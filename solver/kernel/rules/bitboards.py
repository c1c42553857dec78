"""Bitboards, positions and moves: the words that every kernel function works on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.build.jit import (
    deposit,
    extract,
    extracts_fast,
    first_square,
    flip,
    inlined,
    jit,
)
from solver.kernel.build.words import Bitboard, Move, Square, Words

# --------------------------------------------------------------------------------------
# Bitboards: typed constants, tables and the squares that pieces attack.
#
# Sliding pieces use hyperbola quintessence (Gerd Isenberg and Aleks Peshkov; Chess
# Programming Wiki). If o is the occupancy of a line and r a slider on it, o - 2r
# differs from o in the bits above r up to the first blocker, so o ^ (o - 2r) is the
# attack in that direction. The same on the flipped board is the attack in the other
# direction. Flipping does not change a rank, so attacks along ranks come from a table.
#
# Where PEXT is fast, all attacks come from a table: what stands on the inner squares of
# a slider's lines is a number, which counts the entries of its square. An entry has a
# bit for each square of the lines. 107,648 entries of 16 bits are enough.

# Small numbers for arithmetic with bitboards; `solver.kernel.build.jit` says why.
ZERO = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)
FOUR = np.uint64(4)
FIVE = np.uint64(5)
SIX = np.uint64(6)
SEVEN = np.uint64(7)
EIGHT = np.uint64(8)
NINE = np.uint64(9)
SIXTEEN = np.uint64(16)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)

NOT_FILE_A = np.uint64(0xFEFE_FEFE_FEFE_FEFE)
NOT_FILE_H = np.uint64(0x7F7F_7F7F_7F7F_7F7F)
FILES_EFGH = np.uint64(0xF0F0_F0F0_F0F0_F0F0)
NOT_FILES_AB = np.uint64(0xFCFC_FCFC_FCFC_FCFC)
NOT_FILES_GH = np.uint64(0x3F3F_3F3F_3F3F_3F3F)
RANK_1 = np.uint64(0xFF)
RANK_3 = np.uint64(0xFF) << np.uint64(16)
RANK_6 = np.uint64(0xFF) << np.uint64(40)
RANK_8 = np.uint64(0xFF) << np.uint64(56)

A1, C1, D1, E1, F1, G1, H1 = (ONE << np.uint64(file) for file in (0, 2, 3, 4, 5, 6, 7))
CORNERS = np.uint64(0x8100_0000_0000_0081)
LONG_CASTLING_EMPTY = np.uint64(0x0E)  # b1 c1 d1
LONG_CASTLING_SAFE = np.uint64(0x1C)  # c1 d1 e1
SHORT_CASTLING_EMPTY = np.uint64(0x60)  # f1 g1
SHORT_CASTLING_SAFE = np.uint64(0x70)  # e1 f1 g1

DIAGONAL_STEPS = ((1, 1), (-1, -1), (1, -1), (-1, 1))
ORTHOGONAL_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
KNIGHT_STEPS = (
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
)


def _walk(square: int, step: tuple[int, int], longest: int) -> list[int]:
    """Return the squares that a piece passes from `square`, at most `longest`."""
    file, rank = square % 8, square // 8
    passed = []
    for _ in range(longest):
        file, rank = file + step[0], rank + step[1]
        if not (0 <= file < 8 and 0 <= rank < 8):
            break
        passed.append(8 * rank + file)
    return passed


def _board(squares: list[int]) -> int:
    return sum(1 << square for square in squares)


def _reach(steps: tuple[tuple[int, int], ...], longest: int) -> np.ndarray:
    """Return the attacks on an empty board; shape (64,), uint64."""
    boards = [
        _board([target for step in steps for target in _walk(square, step, longest)])
        for square in range(64)
    ]
    return np.array(boards, dtype=np.uint64)


def _between() -> np.ndarray:
    """Return the squares between any two squares of a line; shape (64, 64), uint64."""
    between = np.zeros((64, 64), dtype=np.uint64)
    for square in range(64):
        for step in DIAGONAL_STEPS + ORTHOGONAL_STEPS:
            passed = _walk(square, step, 7)
            for count, target in enumerate(passed):
                between[square, target] = _board(passed[:count])
    return between


def _rank_attacks() -> np.ndarray:
    """Return the rook attacks along the first rank; shape (64, 8), uint64.

    The first index is the occupancy of the files b to g, the second the rook's file.
    """
    attacks = np.zeros((64, 8), dtype=np.uint64)
    for inner in range(64):
        for file in range(8):
            reached = []
            for step in ((1, 0), (-1, 0)):
                for square in _walk(file, step, 7):
                    reached.append(square)
                    if inner << 1 >> square & 1:
                        break
            attacks[inner, file] = _board(reached)
    return attacks


class Lookup(NamedTuple):
    """The attacks of a bishop or rook from each square, for any occupancy.

    Attributes
    ----------
    inner : uint64 array, shape (65,)
        The squares of its lines except the last in each direction, where a piece does
        not change the attacks.
    first : uint64 array, shape (65,)
        Its first entry. The bits of the occupancy on the inner squares count on. What
        is looked up for square 64, the `first_square` of a king that was captured in a
        position of no game, means nothing, but is in the table.
    entries : uint16 array
        A bit for each square of the lines, the lowest first.
    """

    inner: np.ndarray
    first: np.ndarray
    entries: np.ndarray


def _lookup(steps: tuple[tuple[int, int], ...]) -> Lookup:
    """Return the attacks of a slider that moves in these steps."""
    inner, first, entries = [], [0], []
    for square in range(64):
        ways = [_walk(square, step, 7) for step in steps]
        lines = sorted(target for way in ways for target in way)
        inside = sorted(target for way in ways for target in way[:-1])
        occupancy = np.arange(1 << len(inside), dtype=np.uint16)
        attacks = np.zeros_like(occupancy)
        for way in ways:
            reached = np.ones_like(occupancy)
            for target in way:
                attacks |= reached << lines.index(target)
                if target in inside:
                    reached &= ~(occupancy >> inside.index(target))
        inner.append(_board(inside))
        first.append(first[-1] + len(attacks))
        entries.append(attacks)
    return Lookup(
        np.array([*inner, 0], dtype=np.uint64),
        np.array([*first[:-1], 0], dtype=np.uint64),
        np.concatenate(entries),
    )


KING_ATTACKS = _reach(DIAGONAL_STEPS + ORTHOGONAL_STEPS, 1)
KNIGHT_ATTACKS = _reach(KNIGHT_STEPS, 1)
DIAGONAL_LINES = _reach(DIAGONAL_STEPS, 7)
ORTHOGONAL_LINES = _reach(ORTHOGONAL_STEPS, 7)
RISING_DIAGONALS = _reach(DIAGONAL_STEPS[:2], 7)
FALLING_DIAGONALS = _reach(DIAGONAL_STEPS[2:], 7)
FILES = _reach(ORTHOGONAL_STEPS[2:], 7)
RANK_ATTACKS = _rank_attacks()
BETWEEN = _between()
DIAGONAL_INNER, DIAGONAL_FIRST, DIAGONAL_ENTRIES = _lookup(DIAGONAL_STEPS)
ORTHOGONAL_INNER, ORTHOGONAL_FIRST, ORTHOGONAL_ENTRIES = _lookup(ORTHOGONAL_STEPS)


# Attacks

INNER_FILES = np.uint64(63)
RANK_OF = np.uint64(56)


@inlined
def king_attacks(square: Square) -> Bitboard:
    """Return the squares that a king on `square` attacks."""
    return KING_ATTACKS[square]


@inlined
def knight_attacks(square: Square) -> Bitboard:
    """Return the squares that a knight on `square` attacks."""
    return KNIGHT_ATTACKS[square]


@inlined
def knights_attacks(knights: Bitboard) -> Bitboard:
    """Return the squares that any of the knights attacks."""
    one_file = ((knights >> ONE) & NOT_FILE_H) | ((knights << ONE) & NOT_FILE_A)
    two_files = ((knights >> TWO) & NOT_FILES_GH) | ((knights << TWO) & NOT_FILES_AB)
    return (
        (one_file << SIXTEEN)
        | (one_file >> SIXTEEN)
        | (two_files << EIGHT)
        | (two_files >> EIGHT)
    )


@inlined
def pawns_attacks_up(pawns: Bitboard) -> Bitboard:
    """Return the squares that our pawns attack."""
    return ((pawns & NOT_FILE_A) << SEVEN) | ((pawns & NOT_FILE_H) << NINE)


@inlined
def pawns_attacks_down(pawns: Bitboard) -> Bitboard:
    """Return the squares that their pawns attack.

    These are also the squares from which one of our pawns attacks one of `pawns`.
    """
    return ((pawns & NOT_FILE_A) >> NINE) | ((pawns & NOT_FILE_H) >> SEVEN)


@inlined
def beside(squares: Bitboard) -> Bitboard:
    """Return the squares and all that a king on one of them attacks."""
    wide = squares | ((squares & NOT_FILE_A) >> ONE) | ((squares & NOT_FILE_H) << ONE)
    return wide | (wide << EIGHT) | (wide >> EIGHT)


@inlined
def _line_attacks(slider: Bitboard, occupied: Bitboard, line: Bitboard) -> Bitboard:
    # `line` leaves the slider out, so o - 2r is (o & line) - r.
    blockers = occupied & line
    upwards = blockers - slider
    downwards = flip(flip(blockers) - flip(slider))
    return (upwards ^ downwards) & line


@inlined
def diagonal_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that a bishop attacks, the first blockers included."""
    if extracts_fast():
        entry = DIAGONAL_FIRST[square] + extract(occupied, DIAGONAL_INNER[square])
        attacks = np.uint64(DIAGONAL_ENTRIES[entry])
        return deposit(attacks, DIAGONAL_LINES[square])
    slider = ONE << square
    return _line_attacks(slider, occupied, RISING_DIAGONALS[square]) | _line_attacks(
        slider, occupied, FALLING_DIAGONALS[square]
    )


@inlined
def orthogonal_attacks(square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that a rook attacks, the first blockers included."""
    if extracts_fast():
        entry = ORTHOGONAL_FIRST[square] + extract(occupied, ORTHOGONAL_INNER[square])
        attacks = np.uint64(ORTHOGONAL_ENTRIES[entry])
        return deposit(attacks, ORTHOGONAL_LINES[square])
    rank = square & RANK_OF
    inner = (occupied >> (rank + ONE)) & INNER_FILES
    along_rank = RANK_ATTACKS[inner, square & SEVEN] << rank
    return along_rank | _line_attacks(ONE << square, occupied, FILES[square])


# --------------------------------------------------------------------------------------
# A position as eight words, moves as 17 bits, and making a move.
#
# A move is its origin (6 bits), its target (6 bits) and the boards that have the piece
# after the move (5 bits). A queen is on both slider boards, and a promotion is an
# arrival like any other. Castling is the king's move over two squares; a capture en
# passant is a pawn's arrival on the en passant square. Neither needs a flag. No legal
# move is 0.

# Moves

PAWN = np.uint64(1)
KNIGHT = np.uint64(2)
DIAGONAL = np.uint64(4)
ORTHOGONAL = np.uint64(8)
QUEEN = np.uint64(12)
KING = np.uint64(16)

NO_MOVE = np.uint64(0)
SQUARE_BITS = np.uint64(63)
ARRIVAL_SHIFT = np.uint64(12)
ARRIVAL_BITS = np.uint64(31)
MOVE_BITS = np.uint64((1 << 17) - 1)


@inlined
def origin(move: Move) -> Square:
    """Return the square that the piece comes from."""
    return move & SQUARE_BITS


@inlined
def target(move: Move) -> Square:
    """Return the square that the piece goes to."""
    return (move >> SIX) & SQUARE_BITS


@inlined
def arrival(move: Move) -> Move:
    """Return the boards that have the piece after the move."""
    return (move >> ARRIVAL_SHIFT) & ARRIVAL_BITS


@inlined
def encode(start: Square, end: Square, kind: Move) -> Move:
    """Encode a move."""
    return start | (end << SIX) | (kind << ARRIVAL_SHIFT)


@inlined
def without_origin(move: Move) -> Move:
    """Return what arrives and where, without its origin; less than ARRIVALS."""
    return move >> SIX


# Positions


class Position(NamedTuple):
    """A position seen by the side to move, which moves up the board.

    Each field is a bitboard. `rights` has the rooks that may still castle (corner
    squares) and, on the sixth rank, the en passant square. That square is set only if a
    pawn is beside the pawn that can be taken.
    """

    pawns: Bitboard
    knights: Bitboard
    diagonal: Bitboard
    orthogonal: Bitboard
    kings: Bitboard
    us: Bitboard
    them: Bitboard
    rights: Bitboard


@inlined
def position_at(words: Words) -> Position:
    """Return the position whose eight words a pointer points to."""
    return Position(
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]
    )


@jit
def write_position(words: Words, position: Position) -> None:
    """Write a position's fields to the eight words that a pointer points to."""
    words[0] = position.pawns
    words[1] = position.knights
    words[2] = position.diagonal
    words[3] = position.orthogonal
    words[4] = position.kings
    words[5] = position.us
    words[6] = position.them
    words[7] = position.rights


@inlined
def flipped(position: Position) -> Position:
    """Return the same position seen by the other side, which is to move."""
    return Position(
        flip(position.pawns),
        flip(position.knights),
        flip(position.diagonal),
        flip(position.orthogonal),
        flip(position.kings),
        flip(position.them),
        flip(position.us),
        flip(position.rights),
    )


@inlined
def _swapped(board: Bitboard, low: Bitboard, distance: Bitboard) -> Bitboard:
    """Exchange the squares of a mask with those `distance` above them."""
    return ((board >> distance) & low) | ((board & low) << distance)


@inlined
def mirror(board: Bitboard) -> Bitboard:
    """Mirror the files: a1 becomes h1."""
    board = _swapped(board, np.uint64(0x5555_5555_5555_5555), ONE)
    board = _swapped(board, np.uint64(0x3333_3333_3333_3333), TWO)
    return _swapped(board, np.uint64(0x0F0F_0F0F_0F0F_0F0F), FOUR)


@jit
def mirrored(position: Position) -> Position:
    """Return the position with its files mirrored; without castling, it is as good."""
    return Position(
        mirror(position.pawns),
        mirror(position.knights),
        mirror(position.diagonal),
        mirror(position.orthogonal),
        mirror(position.kings),
        mirror(position.us),
        mirror(position.them),
        mirror(position.rights),
    )


@inlined
def after_null_move(position: Position) -> Position:
    """Return the position after a null move."""
    return flipped(
        Position(
            position.pawns,
            position.knights,
            position.diagonal,
            position.orthogonal,
            position.kings,
            position.us,
            position.them,
            position.rights & CORNERS,
        )
    )


@inlined
def _moved(pieces: Bitboard, left: Bitboard, arrived: Bitboard, kind: Move) -> Bitboard:
    """Return `pieces` without the squares `left`, with `arrived` if `kind` is set."""
    return (pieces & ~left) | (arrived if kind else ZERO)


@inlined
def make(position: Position, move: Move) -> Position:
    """Return the position after a move, seen by the other side.

    The move is pseudo-legal; see `leaves_king_attacked`.
    """
    start = ONE << origin(move)
    arrived = ONE << target(move)
    span = start | arrived
    kind = arrival(move)
    pawns = _moved(position.pawns, span, arrived, kind & PAWN)
    orthogonal = _moved(position.orthogonal, span, arrived, kind & ORTHOGONAL)
    us = (position.us & ~start) | arrived
    them = position.them & ~arrived
    # Any move from or to a rook's corner ends the right to castle with it.
    rights = position.rights & CORNERS & ~span
    if kind & PAWN:
        if arrived == start << SIXTEEN:
            beside = ((arrived & NOT_FILE_H) << ONE) | ((arrived & NOT_FILE_A) >> ONE)
            if beside & pawns & them:
                rights |= start << EIGHT
        elif arrived & position.rights & RANK_6:
            pawns &= ~(arrived >> EIGHT)
            them &= ~(arrived >> EIGHT)
    elif kind & KING:
        rights &= ~RANK_1
        if start == E1:
            rook = ZERO
            if arrived == G1 and position.rights & H1:
                rook = H1 | F1
            elif arrived == C1 and position.rights & A1:
                rook = A1 | D1
            orthogonal ^= rook
            us ^= rook
    return flipped(
        Position(
            pawns,
            _moved(position.knights, span, arrived, kind & KNIGHT),
            _moved(position.diagonal, span, arrived, kind & DIAGONAL),
            orthogonal,
            _moved(position.kings, span, arrived, kind & KING),
            us,
            them,
            rights,
        )
    )


@inlined
def attackers_of_us(position: Position, square: Square, occupied: Bitboard) -> Bitboard:
    """Return their pieces that attack `square`, given the occupancy."""
    return position.them & (
        (pawns_attacks_up(ONE << square) & position.pawns)
        | (knight_attacks(square) & position.knights)
        | (king_attacks(square) & position.kings)
        | (diagonal_attacks(square, occupied) & position.diagonal)
        | (orthogonal_attacks(square, occupied) & position.orthogonal)
    )


@inlined
def checkers(position: Position) -> Bitboard:
    """Return their pieces that give check to our king."""
    king = first_square(position.kings & position.us)
    return attackers_of_us(position, king, position.us | position.them)


@inlined
def leaves_king_attacked(position: Position) -> bool:
    """Return whether the side that has just moved left its king in check."""
    king = position.kings & position.them
    square = first_square(king)
    occupied = position.us | position.them
    return bool(
        position.us
        & (
            (pawns_attacks_down(king) & position.pawns)
            | (knight_attacks(square) & position.knights)
            | (king_attacks(square) & position.kings)
            | (diagonal_attacks(square, occupied) & position.diagonal)
            | (orthogonal_attacks(square, occupied) & position.orthogonal)
        )
    )


@inlined
def attacks_of_kind(kind: Move, square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that our piece of a kind attacks from `square`."""
    reached = ZERO
    if kind & DIAGONAL:
        reached |= diagonal_attacks(square, occupied)
    if kind & ORTHOGONAL:
        reached |= orthogonal_attacks(square, occupied)
    if kind & KNIGHT:
        reached = knight_attacks(square)
    if kind & PAWN:
        reached = pawns_attacks_up(ONE << square)
    if kind & KING:
        reached = king_attacks(square)
    return reached
