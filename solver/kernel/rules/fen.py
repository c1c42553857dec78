"""FENs, read and written."""

from __future__ import annotations

import numpy as np

from solver.kernel.border import query_struct
from solver.kernel.build.jit import (
    bytes_at,
    first_square,
    flip,
    jit,
    population,
    query_at,
    words_at,
)
from solver.kernel.build.words import Bitboard, Move, Number, Query, Text, Words
from solver.kernel.rules import bitboards, movegen, notation

# --------------------------------------------------------------------------------------
# Reading and writing a FEN.
#
# This module decides which texts are FENs and which positions are legal, and names the
# first fault of the others; `solver.fen_faults` explains it in words.
#
# On request it repairs what leaves no doubt about the position: a castling right
# without its king and rook goes, and so does an en passant square without its pawn; a
# counter that is no number or is missing, and a missing field, get their defaults.
# Letters of Chess960 and every fault of the board are refused.
#
# Positions that no game reaches are legal, as composers need them: any promoted pieces,
# as long as a side has at most eight pawns and sixteen pieces. A position that no last
# move can explain is illegal: the side not to move is in check, or several checks
# cannot have arisen together.

LAST_OF_ASCII = 127
LOWER = 32
"""The bit of a letter that is set if it is a small one."""
LETTERS = 26
SIDE_NAMES = np.frombuffer(b"whiteblack", dtype=np.uint8)

RIGHTS = 4
CASTLING_LETTERS = np.frombuffer(b"KQkq", dtype=np.uint8)
TOP = np.uint64(56)
ROOK_HOMES = np.array(
    [bitboards.H1, bitboards.A1, bitboards.H1 << TOP, bitboards.A1 << TOP],
    dtype=np.uint64,
)
KING_HOMES = np.array(
    [bitboards.E1, bitboards.E1, bitboards.E1 << TOP, bitboards.E1 << TOP],
    dtype=np.uint64,
)
"""For each castling right, in the order of a FEN."""


# Fields


@jit
def _repairs(address: Number, fault: Number) -> bool:
    """Return whether a row's faults are to be repaired, and then note this one."""
    row = query_at(address)
    if row.repair:
        row.repaired |= 1 << fault
    return row.repair != 0


@jit
def _read_counter(text: Text, at: Number, end: Number) -> Number:
    """Return the value of a field of digits; -1 for any other field."""
    if not 0 < end - at <= query_struct.MAX_DIGITS:
        return -1
    value = 0
    while at < end:
        if not notation.DIGIT_0 <= text[at] <= notation.DIGIT_9:
            return -1
        value = 10 * value + (text[at] - notation.DIGIT_0)
        at += 1
    return value


@jit
def _read_side(text: Text, at: Number, end: Number) -> Number:
    """Read a side to move in letters of any case.

    Returns
    -------
    int64
        0 for `w` and `white`, 1 for `b` and `black`; -1 for any other field.
    """
    if end - at == 1 or end - at == 5:
        for black in range(2):
            first, place = 5 * black, at
            while place < end and text[place] | LOWER == SIDE_NAMES[first + place - at]:
                place += 1
            if place == end:
                return black
    return -1


@jit
def _read_castling(address: Number, text: Text, at: Number, end: Number) -> bool:
    """Read the castling rights of an absolute position that has none yet.

    Returns
    -------
    bool
        Whether it is a dash or different letters of KQkq. A repair removes a dash
        beside letters, and a letter that is there twice.
    """
    words = words_at(address)
    if end - at == 1 and text[at] == notation.DASH:
        return True
    while at < end:
        right = 0
        while right < RIGHTS and text[at] != CASTLING_LETTERS[right]:
            right += 1
        if right < RIGHTS and not words[7] & ROOK_HOMES[right]:
            words[7] |= ROOK_HOMES[right]
        elif not (
            (right < RIGHTS or text[at] == notation.DASH)
            and _repairs(address, query_struct.FenFault.CASTLING_LETTERS)
        ):
            return False
        at += 1
    return True


@jit
def _repair_square(address: Number, text: Text, at: Number, end: Number) -> bool:
    """Repair the field of an en passant square: a letter and a digit.

    Its letter may be a capital. A field that is still no square is left out.
    """
    file = (np.int64(text[at]) | LOWER) - notation.FILE_A
    rank = np.int64(text[end - 1]) - notation.RANK_ONE
    is_letter, is_digit = 0 <= file < LETTERS, -1 <= rank <= 8
    if end - at != 2 or not (is_letter and is_digit):
        return False
    if 0 <= file < 8 and 0 <= rank < 8:
        query_at(address).en_passant = (rank << 3) | file
    return _repairs(address, query_struct.FenFault.EN_PASSANT)


@jit
def _count_fields(text: Text, at: Number, end: Number) -> Number:
    """Return the number of fields in a text without white space around it."""
    fields = 0
    while at < end:
        at = notation.skip(text, notation.skip(text, at, end, False), end, True)
        fields += 1
    return fields


@jit
def _find_clock(
    address: Number, fields: Number, text: Text, at: Number, end: Number
) -> Number:
    """Return where the clock begins if a repair finds it too early; -1 otherwise.

    Castling rights or the en passant square are then missing, or the latter's dash is
    glued to the clock.

    Parameters
    ----------
    address : int64
        The address of the row.
    fields : int64
        How many fields come before.
    text : pointer to uint8
    at, end : int64
        Where the field begins, and the end of the text.
    """
    count = fields + _count_fields(text, at, end)
    field = notation.skip(text, at, end, False)
    if count == 5 and fields == 3 and text[at] == notation.DASH:
        at += 1
    fault = query_struct.FenFault.CASTLING_LETTERS + (fields - 2)
    is_clock = count < 6 and _read_counter(text, at, field) >= 0
    return at if is_clock and _repairs(address, fault) else -1


@jit
def _find_board_fault(text: Text, at: Number, end: Number) -> Number:
    """Return the fault of a first field that `_read_board` refuses.

    The number of ranks is checked first, then each rank: its letters, its digits, its
    squares.
    """
    ranks, squares = 1, 0
    before = bitboards.ZERO
    found, fault = query_struct.FenFault.NONE, query_struct.FenFault.NONE
    while True:
        is_end = at == end or notation.CODES[text[at]] == notation.SPACE
        if is_end or text[at] == notation.SLASH:
            if fault == query_struct.FenFault.NONE and squares != 8:
                fault = query_struct.FenFault.SQUARES
            if found == query_struct.FenFault.NONE:
                found = fault
            if is_end:
                return query_struct.FenFault.RANKS if ranks != 8 else found
            ranks += 1
            squares = 0
            before = bitboards.ZERO
            fault = query_struct.FenFault.NONE
        else:
            code = notation.CODES[text[at]]
            count: Number = np.int64(
                (code >> notation.SQUARES_SHIFT) & notation.SQUARES_BITS
            )
            squares += count
            if count == 0:
                fault = query_struct.FenFault.LETTER
            elif fault == query_struct.FenFault.NONE and code & before & notation.GAP:
                fault = query_struct.FenFault.DIGITS
            before = code
        at += 1


@jit
def _name_fault(address: Number, text: Text, at: Number, end: Number) -> Number:
    """Return the fault to report: one of the whole text, or else the row's."""
    row = query_at(address)
    fault = row.fen_fault
    for place in range(at, end):
        if text[place] > LAST_OF_ASCII:
            return query_struct.FenFault.NOT_ASCII
    fields = _count_fields(text, at, end)
    if fields > 6 or (fields > 1 and fields & 1 and not row.repair):
        return query_struct.FenFault.FIELDS
    if fault == query_struct.FenFault.SQUARES:
        return _find_board_fault(text, at, end)
    return fault


# Positions


@jit
def _find_piece_fault(address: Number) -> Number:
    """Return what is wrong with the pieces of a row's absolute position.

    Each side needs one king, no more pawns and pieces than in a game, and no pawn on
    the first or last rank. A castling right needs its king and its rook; a repair
    removes it.
    """
    words = words_at(address)
    pawns, kings = words[0], words[4]
    for black in range(2):
        side = words[5 + black]
        if population(kings & side) != 1:
            return query_struct.FenFault.WHITE_KING + black
        if pawns & side & (bitboards.RANK_1 | bitboards.RANK_8):
            return query_struct.FenFault.EDGE_PAWN
        if population(pawns & side) > 8:
            return query_struct.FenFault.WHITE_PAWNS + black
        if population(side) > 16:
            return query_struct.FenFault.WHITE_PIECES + black
    for right in range(RIGHTS):
        side = words[5 + right // 2]
        rooks = words[3] & ~words[2] & side
        if words[7] & ROOK_HOMES[right] and not (
            rooks & ROOK_HOMES[right] and kings & side & KING_HOMES[right]
        ):
            if not _repairs(address, query_struct.FenFault.CASTLING_PIECES):
                return query_struct.FenFault.CASTLING_PIECES
            words[7] ^= ROOK_HOMES[right]
    return query_struct.FenFault.NONE


@jit
def _find_check_fault(position: bitboards.Position, checking: Bitboard) -> Number:
    """Return NONE if a last move can explain the checks; each side has one king."""
    if bitboards.leaves_king_attacked(position):
        return query_struct.FenFault.OPPOSITE_CHECK
    count = population(checking)
    if count > 2:
        return query_struct.FenFault.TOO_MANY_CHECKS
    if count == 2:
        first = first_square(checking)
        second = first_square(checking & (checking - bitboards.ONE))
        if bitboards.BETWEEN[first, second] & position.kings & position.us:
            return query_struct.FenFault.IMPOSSIBLE_CHECKS
    return query_struct.FenFault.NONE


@jit
def _find_en_passant_fault(
    position: bitboards.Position, checking: Bitboard, skipped: Bitboard
) -> Number:
    """Return NONE if the last move can have been a pawn's, over this square.

    Parameters
    ----------
    position : Position
        With one king a side.
    checking : uint64
        The pieces that give check.
    skipped : uint64
        The square.
    """
    # 1. The pawn has gone over two empty squares.
    pushed, left = skipped >> bitboards.EIGHT, skipped << bitboards.EIGHT
    if not skipped & bitboards.RANK_6:
        return query_struct.FenFault.EN_PASSANT_RANK
    if not pushed & position.pawns & position.them:
        return query_struct.FenFault.EN_PASSANT_PAWN
    if (skipped | left) & (position.us | position.them):
        return query_struct.FenFault.EN_PASSANT_BLOCKED

    # 2. It gave the check, or opened its line.
    if checking and checking != pushed:
        king = first_square(position.kings & position.us)
        before = ((position.us | position.them) ^ pushed) | left
        is_double = checking & (checking - bitboards.ONE)
        if is_double or bitboards.attackers_of_us(position, king, before):
            return query_struct.FenFault.EN_PASSANT_CHECKS
    return query_struct.FenFault.NONE


@jit
def _read_board(words: Words, text: Text, at: Number, end: Number) -> Number:
    """Read a FEN's first field, from a8 to h1.

    Parameters
    ----------
    words : pointer to uint64
        The boards of an absolute position, which are to be empty.
    text : pointer to uint8
    at, end : int64
        Where the field begins, and the end of the text.

    Returns
    -------
    int64
        Where the field ends; -1 if it is wrong.
    """
    place, ranks = 0, 1
    before = bitboards.ZERO
    while at < end:
        code = notation.CODES[text[at]]
        squares: Number = np.int64(
            (code >> notation.SQUARES_SHIFT) & notation.SQUARES_BITS
        )
        if squares:
            if place >= 64 or code & before & notation.GAP:
                return -1
            square = np.uint64(place ^ 56)
            for board in range(notation.BOARDS):
                words[board] |= ((code >> np.uint64(board)) & bitboards.ONE) << square
            place += squares
        elif text[at] == notation.SLASH and place == 8 * ranks:
            ranks += 1
        else:
            break
        before = code
        at += 1
    if place != 64 or ranks != 8:
        return -1
    return at


@jit
def _read_fields(address: Number, text: Text, at: Number, end: Number) -> Number:
    """Read a FEN without white space around it; see `read_fen`.

    Returns
    -------
    int64
        A `FenFault`; SQUARES stands for all faults of the board.
    """
    row, words = query_at(address), words_at(address)

    # 1. Read the fields: the board, then from one to five others.
    field = _read_board(words, text, at, end)
    if field < 0 or field != notation.skip(text, field, end, False):
        return query_struct.FenFault.SQUARES
    skipped = bitboards.ZERO
    fields = 1
    while True:
        at = notation.skip(text, field, end, True)
        if at == end:
            break
        field = notation.skip(text, at, end, False)
        size = field - at
        if fields == 1:
            row.black = 1 if text[at] == notation.LETTER_B else 0
            if size != 1 or not (row.black or text[at] == notation.LETTER_W):
                black = _read_side(text, at, field)
                if black < 0 or not _repairs(address, query_struct.FenFault.SIDE):
                    return query_struct.FenFault.SIDE
                row.black = black
        elif fields == 2:
            if not _read_castling(address, text, at, field):
                field = _find_clock(address, fields, text, at, end)
                if field < 0:
                    return query_struct.FenFault.CASTLING_LETTERS
                fields = 3
        elif fields == 3:
            if size == 2:
                row.en_passant = notation.read_square(text, at)
            is_right = row.en_passant >= 0 or (size == 1 and text[at] == notation.DASH)
            if not (is_right or _repair_square(address, text, at, field)):
                field = _find_clock(address, fields, text, at, end)
                if field < 0:
                    return query_struct.FenFault.EN_PASSANT
            if row.en_passant >= 0:
                skipped = bitboards.ONE << np.uint64(row.en_passant)
        elif fields < 6:
            counter = _read_counter(text, at, field)
            if counter < 0:
                if not _repairs(address, query_struct.FenFault.CLOCK + (fields - 4)):
                    return query_struct.FenFault.CLOCK + (fields - 4)
                counter = 0
            if fields == 4:
                row.clock = counter
            else:
                row.number = max(counter, 1)
        else:
            return query_struct.FenFault.FIELDS
        fields += 1
    has_odd = fields > 1 and fields & 1  # a FEN has 1, 2, 4 or 6
    if has_odd and not _repairs(address, query_struct.FenFault.FIELDS):
        return query_struct.FenFault.FIELDS
    fault = _find_piece_fault(address)
    if fault != query_struct.FenFault.NONE:
        return fault

    # 2. The same as the side to move sees it, with a possible capture en passant.
    position = bitboards.position_at(words)
    if row.black:
        position = bitboards.flipped(position)
        skipped = flip(skipped)
        bitboards.write_position(words, position)
    checking = bitboards.checkers(position)
    if skipped:
        fault = _find_en_passant_fault(position, checking, skipped)
        if fault == query_struct.FenFault.NONE:
            if bitboards.pawns_attacks_down(skipped) & position.pawns & position.us:
                words[7] |= skipped
        elif _repairs(address, fault):
            row.en_passant = -1
        else:
            return fault
    return _find_check_fault(position, checking)


@jit
def read_fen(address: Number) -> bool:
    """Read a row's FEN and set its position, side to move and counters.

    Parameters
    ----------
    address : int64
        The address of a `Query`. `fen`, `fen_size`, `black` and `repair` are given;
        `position`, `black`, `en_passant`, `clock`, `number`, `fen_fault` and `repaired`
        are set.

    Returns
    -------
    bool
        Whether it is a legal position of orthodox chess; otherwise `fen_fault` has the
        reason, and what else was set means nothing.
    """
    row, words = query_at(address), words_at(address)
    for word in range(notation.BOARDS + 1):
        words[word] = bitboards.ZERO
    row.en_passant = -1
    row.clock = 0
    row.number = 1
    row.repaired = 0

    # 1. Leave out the white space around the text.
    text = bytes_at(row.fen)
    end = row.fen_size
    at = notation.skip(text, 0, end, True)
    while at < end and notation.CODES[text[end - 1]] == notation.SPACE:
        end -= 1

    # 2. Read it, or name what is wrong.
    if at == end:
        row.fen_fault = query_struct.FenFault.EMPTY
    elif end - at > query_struct.MAX_FEN_BYTES:
        row.fen_fault = query_struct.FenFault.TOO_LONG
    else:
        row.fen_fault = _read_fields(address, text, at, end)
        if row.fen_fault != query_struct.FenFault.NONE or row.repaired:
            row.fen_fault = _name_fault(address, text, at, end)
    return row.fen_fault == query_struct.FenFault.NONE


# Writing


@jit
def _write_counter(text: Text, at: Number, value: Number) -> Number:
    """Write a space and a number of at least 0; return where it ends."""
    text[at] = np.uint8(notation.BLANK)
    end = at + 2
    left = value // 10
    while left:
        left //= 10
        end += 1
    place = end
    while place > at + 1:
        place -= 1
        text[place] = np.uint8(notation.DIGIT_0 + value % 10)
        value //= 10
    return end


@jit
def write_fen_text(address: Number, text: Text, at: Number) -> Number:
    """Write a row's position as a FEN of six fields, as python-chess does.

    Parameters
    ----------
    address : int64
        The address of a `Query`.
    text : pointer to uint8
        Has room for FEN_TEXT_BYTES.
    at : int64
        Where to begin.

    Returns
    -------
    int64
        Where the FEN ends.
    """
    row, words = query_at(address), words_at(address)
    # The board. Seen by Black, ranks are mirrored and the pieces' colours exchanged.
    turn, case = (56, notation.OTHER_CASE) if row.black else (0, 0)
    occupied = words[5] | words[6]
    gap = 0
    for place in range(64):
        square = np.uint64(place ^ 56 ^ turn)
        if place and place & 7 == 0:
            if gap:
                at = notation.write_letter(text, at, notation.DIGIT_0 + gap)
            gap = 0
            at = notation.write_letter(text, at, notation.SLASH)
        if not (occupied >> square) & bitboards.ONE:
            gap += 1
            continue
        if gap:
            at = notation.write_letter(text, at, notation.DIGIT_0 + gap)
        gap = 0
        code = bitboards.ZERO
        for board in range(notation.BOARDS):
            code |= ((words[board] >> square) & bitboards.ONE) << np.uint64(board)
        at = notation.write_letter(text, at, notation.PIECE_LETTERS[code] ^ case)
    if gap:
        at = notation.write_letter(text, at, notation.DIGIT_0 + gap)

    at = notation.write_letter(text, at, notation.BLANK)
    at = notation.write_letter(
        text, at, notation.LETTER_B if row.black else notation.LETTER_W
    )
    at = notation.write_letter(text, at, notation.BLANK)
    rights = flip(words[7]) if row.black else words[7]
    if not rights & bitboards.CORNERS:
        at = notation.write_letter(text, at, notation.DASH)
    for right in range(RIGHTS):
        if rights & ROOK_HOMES[right]:
            at = notation.write_letter(text, at, CASTLING_LETTERS[right])
    at = notation.write_letter(text, at, notation.BLANK)
    if row.en_passant < 0:
        at = notation.write_letter(text, at, notation.DASH)
    else:
        at = notation.write_square(text, at, row.en_passant)
    at = _write_counter(text, at, row.clock)
    return _write_counter(text, at, row.number)


# Playing


@jit
def play_move(
    row: Query, position: bitboards.Position, move: Move
) -> bitboards.Position:
    """Play a legal move, and set the row's side to move and counters.

    Parameters
    ----------
    row : Row
        Its position and its en passant square are left as they are.
    position : Position
        The position before the move.
    move : uint64

    Returns
    -------
    Position
        The position after it.
    """
    start, arrived = (
        bitboards.ONE << bitboards.origin(move),
        bitboards.ONE << bitboards.target(move),
    )
    row.clock += 1
    if start & position.pawns or arrived & position.them:
        row.clock = 0
    row.number += row.black
    row.black ^= 1
    return bitboards.make(position, move)


@jit
def set_played(address: Number, position: bitboards.Position) -> None:
    """Set a row's position after a move, and its en passant square.

    The square is left out unless a capture there is legal; otherwise transpositions
    would have different FENs.
    """
    row, words = query_at(address), words_at(address)
    bitboards.write_position(words, position)
    skipped = movegen.usable_en_passant(position)
    words[7] = (position.rights & bitboards.CORNERS) | skipped
    row.en_passant = -1
    if skipped:
        row.en_passant = np.int64(first_square(skipped)) ^ (56 * row.black)
