"""Letters, squares and moves in text: UCI and SAN are read and written.

The moves are those that python-chess accepts: SAN may give more of the origin than
needed, and `x`, `-` and the marks after a move are ignored. A move with a complete
origin needs no piece letter: that is UCI, but also `e2-e4` and `e7xd8=Q`.
"""

from __future__ import annotations

import numpy as np

from solver.kernel.build.jit import bytes_at, inlined, jit
from solver.kernel.build.words import Bitboard, Move, Number, Row, Search, Text
from solver.kernel.rules import bitboards, movegen

# Characters

GAP = np.uint64(1 << 7)
SQUARES_SHIFT = bitboards.EIGHT
SQUARES_BITS = np.uint64(15)
SPACE = np.uint64(1 << 12)
MARK = np.uint64(1 << 13)

BOARDS = 7
"""The first words of a position: five kinds of boards and a board for each side."""

PIECES = {
    "P": bitboards.PAWN,
    "N": bitboards.KNIGHT,
    "B": bitboards.DIAGONAL,
    "R": bitboards.ORTHOGONAL,
    "Q": bitboards.QUEEN,
    "K": bitboards.KING,
}
WHITE_PIECE = np.uint64(1 << 5)
BLACK_PIECE = np.uint64(1 << 6)


def _character_codes() -> np.ndarray:
    """Return what each character of a FEN's board means; shape (256,), uint64.

    Bits 0 to 6 are the `BOARDS` that a piece is on. Bit 7 stands for empty squares,
    bits 8 to 11 are the number of squares. White space and the marks after a move have
    a bit each.
    """
    codes = np.zeros(256, dtype=np.uint64)
    for letter, kind in PIECES.items():
        codes[ord(letter)] = kind | WHITE_PIECE | (bitboards.ONE << SQUARES_SHIFT)
        codes[ord(letter.lower())] = (
            kind | BLACK_PIECE | (bitboards.ONE << SQUARES_SHIFT)
        )
    for squares in range(1, 9):
        codes[ord("0") + squares] = GAP | (np.uint64(squares) << SQUARES_SHIFT)
    for space in range(128):
        if chr(space).isspace():
            codes[space] = SPACE
    for mark in "+#!?":
        codes[ord(mark)] = MARK
    return codes


def _piece_letters() -> np.ndarray:
    """Return the letter of each piece by its boards; shape (128,), uint8."""
    letters = np.zeros(128, dtype=np.uint8)
    for code, meaning in enumerate(_character_codes()):
        if meaning & (WHITE_PIECE | BLACK_PIECE):
            letters[meaning & (GAP - bitboards.ONE)] = code
    return letters


CODES = _character_codes()
PIECE_LETTERS = _piece_letters()
BLANK, DASH, SLASH = ord(" "), ord("-"), ord("/")
DIGIT_0, DIGIT_9 = ord("0"), ord("9")
FILE_A, RANK_ONE = ord("a"), ord("1")
LETTER_B, LETTER_W = ord("b"), ord("w")
OTHER_CASE = ord("a") - ord("A")

LETTER_O, LETTER_S = ord("O"), ord("S")
CAPTURE, PROMOTES, STAR = ord("x"), ord("="), ord("*")
LETTER_E, LETTER_P, DOT = ord("e"), ord("p"), ord(".")
CHECK, MATE = ord("+"), ord("#")


@jit
def skip(text: Text, at: Number, end: Number, spaces: bool) -> Number:
    """Return where white space ends, or where a field ends, as in `str.split`."""
    while at < end and (CODES[text[at]] == SPACE) == spaces:
        at += 1
    return at


@jit
def coordinate(letter: Number, first: Number) -> Number:
    """Return the file of a letter (`first` is a) or the rank of a digit; -1: none."""
    return letter - first if 0 <= letter - first < 8 else -1


@jit
def read_square(text: Text, at: Number) -> Number:
    """Return the square that two characters name, 0 (a1) to 63; -1: none."""
    file = coordinate(text[at], FILE_A)
    rank = coordinate(text[at + 1], RANK_ONE)
    return (rank << 3) | file


@inlined
def write_letter(text: Text, at: Number, letter: Number) -> Number:
    """Write one character; return where it ends."""
    text[at] = np.uint8(letter)
    return at + 1


@jit
def write_square(text: Text, at: Number, square: Number) -> Number:
    """Write the name of a square, 0 (a1) to 63; return where it ends."""
    text[at] = np.uint8(FILE_A + (square & 7))
    text[at + 1] = np.uint8(RANK_ONE + (square >> 3))
    return at + 2


# Moves


@inlined
def _of_kind(position: bitboards.Position, kind: Move) -> Bitboard:
    """Return the pieces of one kind, of both sides."""
    if kind == bitboards.KNIGHT:
        return position.knights
    if kind == bitboards.DIAGONAL:
        return position.diagonal & ~position.orthogonal
    if kind == bitboards.ORTHOGONAL:
        return position.orthogonal & ~position.diagonal
    if kind == bitboards.QUEEN:
        return position.diagonal & position.orthogonal
    return position.kings


@jit
def _read_castling(text: Text, at: Number, end: Number) -> Bitboard:
    """Return the king's target in O-O or O-O-O (or with zeros); 0 if it is neither."""
    letter = text[at]
    if letter != LETTER_O and letter != DIGIT_0:
        return bitboards.ZERO
    for place in range(at, end):
        if text[place] != (DASH if (place - at) & 1 else letter):
            return bitboards.ZERO
    if end - at == 3:
        return bitboards.G1
    return bitboards.C1 if end - at == 5 else bitboards.ZERO


@jit
def _find_legal(
    position: bitboards.Position,
    movers: Bitboard,
    end: Bitboard,
    promotion: Move,
    castles: bool,
    moves: Row,
) -> Move:
    """Return the only legal move of `movers` to a square; NO_MOVE if it is not one.

    Parameters
    ----------
    position : Position
    movers : uint64
        Pieces of the side to move.
    end : uint64
        The target's bit, seen by the side to move.
    promotion : uint64
        The piece that a pawn becomes; 0: the move is no promotion.
    castles : bool
        Whether it may be castling.
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        Overwritten.
    """
    if not movers:
        return bitboards.NO_MOVE
    found = bitboards.NO_MOVE
    for index in range(movegen.generate(position, moves)):
        move = moves[index]
        mover, arrived = (
            bitboards.ONE << bitboards.origin(move),
            bitboards.ONE << bitboards.target(move),
        )
        if arrived != end or not mover & movers:
            continue
        kind = bitboards.arrival(move)
        promoted = (
            kind
            if mover & position.pawns and kind != bitboards.PAWN
            else bitboards.ZERO
        )
        if promoted != promotion:
            continue
        # From its home the king goes to these squares only by castling.
        if (
            mover & position.kings & bitboards.E1
            and arrived & (bitboards.C1 | bitboards.G1)
            and not castles
        ):
            continue
        if found:
            return bitboards.NO_MOVE
        found = move
    return found


@jit
def read_move(
    position: bitboards.Position,
    black: Number,
    text: Text,
    at: Number,
    end: Number,
    uci_only: bool,
    moves: Row,
) -> Move:
    """Read a legal move.

    Parameters
    ----------
    position : Position
    black : int64
        Whether Black is to move.
    text : pointer to uint8
        The move's first byte is at index `at`, and its last before `end`.
    at, end : int64
    uci_only : bool
        Accept neither SAN nor marks after the move nor castling as king takes rook.
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        Overwritten.

    Returns
    -------
    uint64
        NO_MOVE if it is unreadable, illegal or ambiguous.
    """
    # 1. Leave out the marks. A move in UCI has none.
    if uci_only and end - at != 4 and (end - at != 5 or text[end - 1] < FILE_A):
        return bitboards.NO_MOVE
    while end > at and not uci_only and CODES[text[end - 1]] == MARK:
        end -= 1
    if end - at < 2:
        return bitboards.NO_MOVE

    # 2. Castling in SAN.
    castling = _read_castling(text, at, end)
    if castling:
        king = position.kings & position.us & bitboards.E1
        return _find_legal(position, king, castling, bitboards.ZERO, True, moves)

    # 3. From the end: the promotion and the target.
    promotion = bitboards.ZERO
    if coordinate(text[end - 1], RANK_ONE) < 0:
        promotion = CODES[text[end - 1]] & bitboards.ARRIVAL_BITS
        if not promotion or promotion == bitboards.PAWN:
            return bitboards.NO_MOVE
        end -= 1
        if text[end - 1] == PROMOTES:
            end -= 1
        if end - at < 2:
            return bitboards.NO_MOVE
    end -= 2
    square = read_square(text, end)
    if square < 0:
        return bitboards.NO_MOVE

    # 4. Before the target: the rank, the file and the piece.
    if end > at and (text[end - 1] == CAPTURE or text[end - 1] == DASH):
        end -= 1
    rank, file = -1, -1
    if end > at:
        rank = coordinate(text[end - 1], RANK_ONE)
        end -= 1 if rank >= 0 else 0
    if end > at:
        file = coordinate(text[end - 1], FILE_A)
        end -= 1 if file >= 0 else 0
    kind = bitboards.ZERO
    if end > at:
        kind = CODES[text[at]]
        if end - at > 1 or not kind & WHITE_PIECE or kind & bitboards.PAWN:
            return bitboards.NO_MOVE
        kind &= bitboards.ARRIVAL_BITS

    # 5. The pieces that may be meant, seen by the side to move.
    is_complete = not kind and file >= 0 and rank >= 0
    if uci_only and not is_complete:
        return bitboards.NO_MOVE
    movers = position.us
    if kind:
        movers &= _of_kind(position, kind)
    elif not is_complete:
        movers &= position.pawns
        if file < 0:
            file = square & 7
    if black:
        square ^= 56
        rank ^= 7 if rank >= 0 else 0
    if file >= 0:
        movers &= ~bitboards.NOT_FILE_A << np.uint64(file)
    if rank >= 0:
        movers &= bitboards.RANK_1 << np.uint64(8 * rank)

    # 6. UCI may write castling as king takes rook.
    arrived = bitboards.ONE << np.uint64(square)
    if (
        is_complete
        and not uci_only
        and not promotion
        and movers & position.kings & bitboards.E1
    ):
        if arrived == bitboards.H1:
            arrived = bitboards.G1
        elif arrived == bitboards.A1:
            arrived = bitboards.C1
    return _find_legal(position, movers, arrived, promotion, is_complete, moves)


@jit
def write_move(
    position: bitboards.Position, move: Move, black: Number, search: Search
) -> None:
    """Append a legal move in UCI, and a space, to the text of a batch.

    Parameters
    ----------
    position : Position
        The position before the move.
    move : uint64
    black : int64
        Whether Black is to move.
    search : Search
        Its `text` has room for MOVE_TEXT_BYTES.
    """
    text, at = bytes_at(search.text), search.text_written
    turn = 56 if black else 0
    at = write_square(text, at, bitboards.origin(move) ^ turn)
    at = write_square(text, at, bitboards.target(move) ^ turn)
    kind = bitboards.arrival(move)
    if (
        kind != bitboards.PAWN
        and (bitboards.ONE << bitboards.origin(move)) & position.pawns
    ):
        at = write_letter(text, at, PIECE_LETTERS[kind | BLACK_PIECE])
    search.text_written = write_letter(text, at, BLANK)


@jit
def name_order(move: Move, black: Number) -> Number:
    """Return a number that sorts a position's moves by their names in UCI notation."""
    turn = 56 if black else 0
    start, end = (
        np.int64(bitboards.origin(move)) ^ turn,
        np.int64(bitboards.target(move)) ^ turn,
    )
    names = ((start & 7) << 9) | ((start >> 3) << 6) | ((end & 7) << 3) | (end >> 3)
    piece = PIECE_LETTERS[bitboards.arrival(move) | BLACK_PIECE]
    return (names << 8) | np.int64(piece)


@jit
def _write_origin(
    position: bitboards.Position,
    move: Move,
    moves: Row,
    size: Number,
    turn: Number,
    text: Text,
    at: Number,
) -> Number:
    """Write as much of a piece's origin as SAN needs to exclude other legal moves.

    Parameters
    ----------
    position : Position
    move : uint64
        Of a piece, not of a pawn.
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        All legal moves.
    size : int64
        Their number.
    turn : int64
        56 if Black is to move, else 0.
    text : pointer to uint8
    at : int64
        Where to write.

    Returns
    -------
    int64
        Where it ends.
    """
    start = np.int64(bitboards.origin(move))
    is_alone, same_file, same_rank = True, False, False
    for index in range(size):
        other = moves[index]
        if other == move or bitboards.without_origin(other) != bitboards.without_origin(
            move
        ):
            continue
        if (bitboards.ONE << bitboards.origin(other)) & position.pawns:
            continue
        between = np.int64(bitboards.origin(other)) ^ start
        is_alone = False
        same_file |= between & 7 == 0
        same_rank |= between >> 3 == 0
    if same_rank or not (is_alone or same_file):
        at = write_letter(text, at, FILE_A + (start & 7))
    if same_file:
        at = write_letter(text, at, RANK_ONE + ((start ^ turn) >> 3))
    return at


@jit
def _write_castling(text: Text, at: Number, end: Bitboard, letter: Number) -> Number:
    """Write castling, by the square where the king ends; return where it ends."""
    for place in range(3 if end == bitboards.G1 else 5):
        at = write_letter(text, at, DASH if place & 1 else letter)
    return at


@jit
def write_spelling(
    position: bitboards.Position,
    move: Move,
    moves: Row,
    size: Number,
    black: Number,
    is_long: Number,
    search: Search,
) -> None:
    """Append a legal move in SAN or in Popeye's notation, and a space, to the text.

    SAN is as python-chess writes it. Popeye's has both squares: `Qh5*a5`, `e7-e8=S`,
    `e5*d6ep.`, `0-0`. Its knights are `S`, from the German Springer.

    Parameters
    ----------
    position : Position
        The position before the move.
    move : uint64
    moves : uint64 array, shape (MAX_LEGAL_MOVES,)
        All legal moves; for SAN alone.
    size : int64
        Their number.
    black : int64
        Whether Black is to move.
    is_long : int64
        Whether to write Popeye's notation.
    search : Search
        Its `text` has room for LONG_TEXT_BYTES.
    """
    text, at = bytes_at(search.text), search.text_written
    turn = 56 if black else 0
    start, end = (
        bitboards.ONE << bitboards.origin(move),
        bitboards.ONE << bitboards.target(move),
    )
    kind = bitboards.arrival(move)
    if start & position.kings & bitboards.E1 and end & (bitboards.C1 | bitboards.G1):
        at = _write_castling(text, at, end, DIGIT_0 if is_long else LETTER_O)
    else:
        is_pawn = start & position.pawns != bitboards.ZERO
        first, last = np.int64(bitboards.origin(move)), np.int64(bitboards.target(move))
        takes_piece = end & position.them != bitboards.ZERO
        takes_in_passing = is_pawn and not takes_piece and (first ^ last) & 7 != 0
        takes = takes_piece or takes_in_passing
        letter = PIECE_LETTERS[kind | WHITE_PIECE]
        if is_long and kind == bitboards.KNIGHT:
            letter = LETTER_S

        # 1. The piece and its origin.
        if not is_pawn:
            at = write_letter(text, at, letter)
        if is_long:
            at = write_square(text, at, first ^ turn)
            at = write_letter(text, at, STAR if takes else DASH)
        elif is_pawn:
            if takes:
                at = write_letter(text, at, FILE_A + (first & 7))
        else:
            at = _write_origin(position, move, moves, size, turn, text, at)
        if takes and not is_long:
            at = write_letter(text, at, CAPTURE)

        # 2. The target and what becomes of a pawn.
        at = write_square(text, at, last ^ turn)
        if is_pawn and kind != bitboards.PAWN:
            at = write_letter(text, at, PROMOTES)
            at = write_letter(text, at, letter)
        elif is_long and takes_in_passing:
            at = write_letter(text, at, LETTER_E)
            at = write_letter(text, at, LETTER_P)
            at = write_letter(text, at, DOT)

    # 3. A sign if it gives check or mate.
    child = bitboards.make(position, move)
    if bitboards.checkers(child):
        at = write_letter(text, at, CHECK if movegen.count(child) else MATE)
    search.text_written = write_letter(text, at, BLANK)
