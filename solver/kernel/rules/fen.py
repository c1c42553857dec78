"""FENs, read and written; and what problemists remark about a mate or a key."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.kernel.border.interface import KeyFeature
from solver.kernel.border.query_struct import MAX_DIGITS, MAX_FEN_BYTES, FenFault
from solver.kernel.build.jit import (
    Bitboard,
    Move,
    Number,
    Row,
    Search,
    Text,
    Words,
    bytes_at,
    first_square,
    flip,
    inlined,
    jit,
    population,
    query_at,
    words_at,
)
from solver.kernel.rules.bitboards import (
    A1,
    BETWEEN,
    C1,
    CORNERS,
    DIAGONAL,
    DIAGONAL_LINES,
    E1,
    EIGHT,
    G1,
    H1,
    KNIGHT,
    ONE,
    ORTHOGONAL,
    ORTHOGONAL_LINES,
    PAWN,
    RANK_1,
    RANK_6,
    RANK_8,
    ZERO,
    Position,
    after_null_move,
    arrival,
    attackers_of_us,
    checkers,
    flipped,
    king_attacks,
    leaves_king_attacked,
    make,
    origin,
    pawns_attacks_down,
    position_at,
    target,
    write_position,
)
from solver.kernel.rules.mating import is_checkmate
from solver.kernel.rules.movegen import find_pins, generate
from solver.kernel.rules.notation import (
    BLANK,
    BOARDS,
    CODES,
    DASH,
    DIGIT_0,
    DIGIT_9,
    GAP,
    LETTER_B,
    LETTER_W,
    OTHER_CASE,
    PIECE_LETTERS,
    SLASH,
    SPACE,
    SQUARES_BITS,
    SQUARES_SHIFT,
    read_square,
    skip,
    write_letter,
    write_square,
)

# --------------------------------------------------------------------------------------
# Reading and writing a FEN.
#
# This module decides which texts are FENs and which positions are legal, and names the
# first fault of the others; `solver.fen_faults` explains it in words.
#
# Positions that no game reaches are legal, as composers need them: any promoted pieces,
# as long as a side has at most eight pawns and sixteen pieces. A position that no last
# move can explain is illegal: the side not to move is in check, or several checks
# cannot have arisen together.

LAST_OF_ASCII = 127

RIGHTS = 4
CASTLING_LETTERS = np.frombuffer(b"KQkq", dtype=np.uint8)
TOP = np.uint64(56)
ROOK_HOMES = np.array([H1, A1, H1 << TOP, A1 << TOP], dtype=np.uint64)
KING_HOMES = np.array([E1, E1, E1 << TOP, E1 << TOP], dtype=np.uint64)
"""For each castling right, in the order of a FEN."""


# Fields


@jit
def _read_counter(text: Text, at: Number, end: Number) -> Number:
    """Return the value of a field of digits; -1 for any other field."""
    if not 0 < end - at <= MAX_DIGITS:
        return -1
    value = 0
    while at < end:
        if not DIGIT_0 <= text[at] <= DIGIT_9:
            return -1
        value = 10 * value + (text[at] - DIGIT_0)
        at += 1
    return value


@jit
def _read_castling(words: Words, text: Text, at: Number, end: Number) -> bool:
    """Read the castling rights of an absolute position that has none yet.

    Returns
    -------
    bool
        Whether it is a dash or different letters of KQkq.
    """
    if end - at == 1 and text[at] == DASH:
        return True
    while at < end:
        right = 0
        while right < RIGHTS and text[at] != CASTLING_LETTERS[right]:
            right += 1
        if right == RIGHTS or words[7] & ROOK_HOMES[right]:
            return False
        words[7] |= ROOK_HOMES[right]
        at += 1
    return True


@jit
def _find_board_fault(text: Text, at: Number, end: Number) -> Number:
    """Return the fault of a first field that `_read_board` refuses.

    The number of ranks is checked first, then each rank: its letters, its digits, its
    squares.
    """
    ranks, squares = 1, 0
    before = ZERO
    found, fault = FenFault.NONE, FenFault.NONE
    while True:
        is_end = at == end or CODES[text[at]] == SPACE
        if is_end or text[at] == SLASH:
            if fault == FenFault.NONE and squares != 8:
                fault = FenFault.SQUARES
            if found == FenFault.NONE:
                found = fault
            if is_end:
                return FenFault.RANKS if ranks != 8 else found
            ranks += 1
            squares = 0
            before = ZERO
            fault = FenFault.NONE
        else:
            code = CODES[text[at]]
            count: Number = np.int64((code >> SQUARES_SHIFT) & SQUARES_BITS)
            squares += count
            if count == 0:
                fault = FenFault.LETTER
            elif fault == FenFault.NONE and code & before & GAP:
                fault = FenFault.DIGITS
            before = code
        at += 1


@jit
def _name_fault(fault: Number, text: Text, at: Number, end: Number) -> Number:
    """Return the fault to report: one of the whole text, or else the one found."""
    fields = 0
    was_space = True
    for place in range(at, end):
        if text[place] > LAST_OF_ASCII:
            return FenFault.NOT_ASCII
        is_space = CODES[text[place]] == SPACE
        fields += 1 if was_space and not is_space else 0
        was_space = is_space
    if fields > 6 or (fields > 1 and fields & 1):
        return FenFault.FIELDS
    if fault == FenFault.SQUARES:
        return _find_board_fault(text, at, end)
    return fault


# Positions


@jit
def _find_piece_fault(words: Words) -> Number:
    """Return what is wrong with the pieces of an absolute position.

    Each side needs one king, no more pawns and pieces than in a game, and no pawn on
    the first or last rank. A castling right needs its king and its rook.
    """
    pawns, kings = words[0], words[4]
    for black in range(2):
        side = words[5 + black]
        if population(kings & side) != 1:
            return FenFault.WHITE_KING + black
        if pawns & side & (RANK_1 | RANK_8):
            return FenFault.EDGE_PAWN
        if population(pawns & side) > 8:
            return FenFault.WHITE_PAWNS + black
        if population(side) > 16:
            return FenFault.WHITE_PIECES + black
    for right in range(RIGHTS):
        side = words[5 + right // 2]
        rooks = words[3] & ~words[2] & side
        if words[7] & ROOK_HOMES[right] and not (
            rooks & ROOK_HOMES[right] and kings & side & KING_HOMES[right]
        ):
            return FenFault.CASTLING_PIECES
    return FenFault.NONE


@jit
def _find_check_fault(position: Position, skipped: Bitboard) -> Number:
    """Return NONE if a last move can explain the checks.

    Parameters
    ----------
    position : Position
        With one king a side.
    skipped : uint64
        The en passant square; 0: none.
    """
    if leaves_king_attacked(position):
        return FenFault.OPPOSITE_CHECK
    checking = checkers(position)
    count = population(checking)
    if count > 2:
        return FenFault.TOO_MANY_CHECKS
    king = position.kings & position.us
    if skipped and count:
        # The pawn's double step gave the check, or opened its line.
        pushed = skipped >> EIGHT
        before = ((position.us | position.them) ^ pushed) | (skipped << EIGHT)
        if count == 1 and (
            checking == pushed
            or not attackers_of_us(position, first_square(king), before)
        ):
            return FenFault.NONE
        return FenFault.IMPOSSIBLE_CHECKS
    if count == 2:
        first = first_square(checking)
        second = first_square(checking & (checking - ONE))
        if BETWEEN[first, second] & king:
            return FenFault.IMPOSSIBLE_CHECKS
    return FenFault.NONE


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
    before = ZERO
    while at < end:
        code = CODES[text[at]]
        squares: Number = np.int64((code >> SQUARES_SHIFT) & SQUARES_BITS)
        if squares:
            if place >= 64 or code & before & GAP:
                return -1
            square = np.uint64(place ^ 56)
            for board in range(BOARDS):
                words[board] |= ((code >> np.uint64(board)) & ONE) << square
            place += squares
        elif text[at] == SLASH and place == 8 * ranks:
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
    if field < 0 or field != skip(text, field, end, False):
        return FenFault.SQUARES
    skipped = ZERO
    fields = 1
    while True:
        at = skip(text, field, end, True)
        if at == end:
            break
        field = skip(text, at, end, False)
        size = field - at
        if fields == 1:
            row.black = 1 if text[at] == LETTER_B else 0
            if size != 1 or not (row.black or text[at] == LETTER_W):
                return FenFault.SIDE
        elif fields == 2:
            if not _read_castling(words, text, at, field):
                return FenFault.CASTLING_LETTERS
        elif fields == 3:
            if size == 2:
                row.en_passant = read_square(text, at)
                skipped = ONE << np.uint64(row.en_passant & 63)
            if row.en_passant < 0 and (size != 1 or text[at] != DASH):
                return FenFault.EN_PASSANT
        elif fields < 6:
            counter = _read_counter(text, at, field)
            if counter < 0:
                return FenFault.CLOCK + (fields - 4)
            if fields == 4:
                row.clock = counter
            else:
                row.number = max(counter, 1)
        else:
            return FenFault.FIELDS
        fields += 1
    if fields > 1 and fields & 1:  # a FEN has 1, 2, 4 or 6
        return FenFault.FIELDS
    fault = _find_piece_fault(words)
    if fault != FenFault.NONE:
        return fault

    # 2. The same as the side to move sees it, with a possible capture en passant.
    position = position_at(words)
    if row.black:
        position = flipped(position)
        skipped = flip(skipped)
        write_position(words, position)
    if skipped:
        # The pawn has gone over two empty squares.
        if not skipped & RANK_6:
            return FenFault.EN_PASSANT_RANK
        if not (skipped >> EIGHT) & position.pawns & position.them:
            return FenFault.EN_PASSANT_PAWN
        if (skipped | (skipped << EIGHT)) & (position.us | position.them):
            return FenFault.EN_PASSANT_BLOCKED
        if pawns_attacks_down(skipped) & position.pawns & position.us:
            words[7] |= skipped
    return _find_check_fault(position, skipped)


@jit
def read_fen(address: Number) -> bool:
    """Read a row's FEN and set its position, side to move and counters.

    Parameters
    ----------
    address : int64
        The address of a `Query`. `fen`, `fen_size` and `black` are given; `position`,
        `black`, `en_passant`, `clock`, `number` and `fen_fault` are set.

    Returns
    -------
    bool
        Whether it is a legal position of orthodox chess; otherwise `fen_fault` has the
        reason, and what else was set means nothing.
    """
    row, words = query_at(address), words_at(address)
    for word in range(BOARDS + 1):
        words[word] = ZERO
    row.en_passant = -1
    row.clock = 0
    row.number = 1

    # 1. Leave out the white space around the text.
    text = bytes_at(row.fen)
    end = row.fen_size
    at = skip(text, 0, end, True)
    while at < end and CODES[text[end - 1]] == SPACE:
        end -= 1

    # 2. Read it, or name what is wrong.
    if at == end:
        row.fen_fault = FenFault.EMPTY
    elif end - at > MAX_FEN_BYTES:
        row.fen_fault = FenFault.TOO_LONG
    else:
        row.fen_fault = _read_fields(address, text, at, end)
        if row.fen_fault != FenFault.NONE:
            row.fen_fault = _name_fault(row.fen_fault, text, at, end)
    return row.fen_fault == FenFault.NONE


# Writing


@jit
def _write_counter(text: Text, at: Number, value: Number) -> Number:
    """Write a space and a number of at least 0; return where it ends."""
    text[at] = np.uint8(BLANK)
    end = at + 2
    left = value // 10
    while left:
        left //= 10
        end += 1
    place = end
    while place > at + 1:
        place -= 1
        text[place] = np.uint8(DIGIT_0 + value % 10)
        value //= 10
    return end


@jit
def write_fen(address: Number, text: Text, at: Number) -> Number:
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
    turn, case = (56, OTHER_CASE) if row.black else (0, 0)
    occupied = words[5] | words[6]
    gap = 0
    for place in range(64):
        square = np.uint64(place ^ 56 ^ turn)
        if place and place & 7 == 0:
            if gap:
                at = write_letter(text, at, DIGIT_0 + gap)
            gap = 0
            at = write_letter(text, at, SLASH)
        if not (occupied >> square) & ONE:
            gap += 1
            continue
        if gap:
            at = write_letter(text, at, DIGIT_0 + gap)
        gap = 0
        code = ZERO
        for board in range(BOARDS):
            code |= ((words[board] >> square) & ONE) << np.uint64(board)
        at = write_letter(text, at, PIECE_LETTERS[code] ^ case)
    if gap:
        at = write_letter(text, at, DIGIT_0 + gap)

    at = write_letter(text, at, BLANK)
    at = write_letter(text, at, LETTER_B if row.black else LETTER_W)
    at = write_letter(text, at, BLANK)
    rights = flip(words[7]) if row.black else words[7]
    if not rights & CORNERS:
        at = write_letter(text, at, DASH)
    for right in range(RIGHTS):
        if rights & ROOK_HOMES[right]:
            at = write_letter(text, at, CASTLING_LETTERS[right])
    at = write_letter(text, at, BLANK)
    if row.en_passant < 0:
        at = write_letter(text, at, DASH)
    else:
        at = write_square(text, at, row.en_passant)
    at = _write_counter(text, at, row.clock)
    return _write_counter(text, at, row.number)


# --------------------------------------------------------------------------------------
# What problemists note: how pure a mate is, and what a key does.
#
# `solver.play.record` has the definitions.

# Mates

PLAIN, PURE, MODEL, IDEAL = range(4)
"""The members of `MateMark`, in its order."""


@jit
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


@jit
def _could_parry(
    position: Position, movers: Bitboard, absent: Bitboard, moves: Row
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


@jit
def mark_mate(position: Position, moves: Row) -> Number:
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


@jit
def _find_exposed(position: Position, moves: Row) -> Exposed:
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


@inlined
def _kind(position: Position, piece: Bitboard) -> Number:
    """Return the boards that have a piece, as a move's arrival has them."""
    kind = PAWN if position.pawns & piece else ZERO
    kind |= KNIGHT if position.knights & piece else ZERO
    kind |= DIAGONAL if position.diagonal & piece else ZERO
    kind |= ORTHOGONAL if position.orthogonal & piece else ZERO
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
        if squares & (ONE << np.uint64(square ^ turn)):
            if at > search.text_written:
                at = write_letter(text, at, COMMA)
                at = write_letter(text, at, BLANK)
            at = write_square(text, at, square)
    search.text_written = write_letter(text, at, LINE_END)


@jit
def list_key_features(
    position: Position, move: Move, black: Number, search: Search
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
