"""The operations of the search for C: solve, read rows, grade lines, list play."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.kernel.border import interface, parts, query_struct, search_struct
from solver.kernel.build.jit import (
    bytes_at,
    first_square,
    fold_product,
    jit,
    native,
    query_at,
    record_at,
    words_at,
)
from solver.kernel.build.words import (
    ENTRY,
    QUERY_BYTES,
    Move,
    Number,
    Search,
    Words,
)
from solver.kernel.mate import (
    dfpn,
    grading,
    levels,
    ordering,
    prover,
    transposition,
)
from solver.kernel.mate.bounds import (
    read_proved_line,
    solve_queries,
    take_turn,
)
from solver.kernel.rules import bitboards, fen, marks, mating, movegen, notation

# --------------------------------------------------------------------------------------
# Reading many positions and lines in one call: the texts of a batch's rows.
#
# `solver.kernel.border.query_struct.Query` has the layout. `read_rows` sets up each
# row's position and writes the texts that a problem is made of, without a Python object
# for each row. `write_lines` writes lines of a row's position.

LINE_END = ord("\n")

REFUSED, READ = (
    int(state)
    for state in (query_struct.QueryState.REFUSED, query_struct.QueryState.READ)
)


@jit
def _read_row(address: Number, search: Search) -> bool:
    """Read a row; see `read_rows`. Return whether it is plainly correct."""
    if not fen.read_fen(address):
        return False
    row = query_at(address)
    position = bitboards.position_at(words_at(address))
    line = bytes_at(row.line)
    row.fen_at = search.text_written
    black, clock, number = row.black, row.clock, row.number
    place, plies = 0, 0
    while True:
        if plies == row.played:
            # The position in question: before this move, or at the end of the line.
            if plies:
                fen.set_played(address, position)
                black, clock, number = row.black, row.clock, row.number
            row.line_at = fen.write_fen_text(address, bytes_at(search.text), row.fen_at)
            search.text_written = row.line_at
        place = notation.skip(line, place, row.line_size, True)
        if place == row.line_size:
            break
        end = notation.skip(line, place, row.line_size, False)
        move = notation.read_move(
            position, row.black, line, place, end, row.uci_only != 0, search.rows[0]
        )
        if move == bitboards.NO_MOVE:
            return False
        if plies >= row.played:
            notation.write_move(position, move, row.black, search)
        position = fen.play_move(row, position, move)
        place = end
        plies += 1
    row.black, row.clock, row.number = black, clock, number
    row.fen_written = row.line_at - row.fen_at
    if plies > row.played:
        search.text_written -= 1  # no space after the last move
    row.line_written = search.text_written - row.line_at
    return plies >= row.played


@jit
def read_rows(address: Number, count: Number, search: Search) -> Number:
    """Read the FENs and lines of rows.

    Parameters
    ----------
    address : int64
        The address of the rows. Each gives `fen`, `fen_size`, `black`, `line`,
        `line_size`, `played` and `uci_only`.

        If all is plainly correct, its state becomes READ, `position`, `black`,
        `en_passant`, `clock` and `number` describe the position after the played moves,
        `fen_at` its FEN and `line_at` the rest of the line in UCI. After a played move
        the en passant square is left out unless a capture there is legal. Otherwise
        its state becomes REFUSED, and all of these mean nothing; `fen_fault` then says
        whether the FEN is at fault.
    count : int64
        The number of rows.
    search : Search
        Its `text` receives what is written; its first row of moves is overwritten.

    Returns
    -------
    int64
        The index of the first row that was not read because `text` may have too little
        room for it, `count` if all were. A row needs FEN_TEXT_BYTES and, for every
        three bytes of its line, MOVE_TEXT_BYTES.
    """
    for index in range(count):
        row = query_at(address)
        needed = (
            query_struct.FEN_TEXT_BYTES
            + (row.line_size + 1) // 3 * query_struct.MOVE_TEXT_BYTES
        )
        written = search.text_written
        if search.text_size - written < needed:
            return index
        if _read_row(address, search):
            row.state = READ
        else:
            row.state = REFUSED
            search.text_written = written
        address += QUERY_BYTES
    return count


# Lines of moves


GIVEN_END, WRITTEN_END = search_struct.POSITION_WORDS, search_struct.POSITION_WORDS + 1
"""After a position in a row of `Search`: where the move before it ends in the given
line, and where its name ends in the written one."""

SAN, WITH_END, LONG = (int(style) for style in query_struct.LineStyle)


@jit
def shared_moves(
    address: Number, before: Number, at: Number, known: Number, search: Search
) -> Number:
    """Return how many moves a line has in common with the beginning of the one before.

    Parameters
    ----------
    address : int64
        The address of the row.
    before, at : int64
        Where the two lines begin in the row's `line`.
    known : int64
        The legal moves of the line before. `search.rows[1]` and on say where they end.
    search : Search
    """
    row = query_at(address)
    given, size = bytes_at(row.line), row.line_size
    place = 0
    for shared in range(known):
        end = np.int64(search.rows[shared + 1, GIVEN_END])
        if at + end > size or notation.skip(given, at + end, size, False) != at + end:
            return shared
        while place < end:
            if given[before + place] != given[at + place]:
                return shared
            place += 1
    return known


@jit
def write_name(
    position: bitboards.Position,
    move: Move,
    black: Number,
    style: Number,
    search: Search,
) -> bitboards.Position:
    """Write the name of a legal move; return the position after it."""
    moves = search.rows[0]
    size = 0 if style == LONG else movegen.generate(position, moves)
    notation.write_spelling(position, move, moves, size, black, style == LONG, search)
    return bitboards.make(position, move)


@jit
def write_row_lines(address: Number, style: Number, search: Search) -> None:
    """Write lines of a row's position.

    The names of moves that a line shares with the line before are copied.

    Parameters
    ----------
    address : int64
        The address of the row, which is READ. Its `line` is the lines, with a line end
        between them; each begins in its position. Moves from the first illegal one on
        are copied. Its position, side to move and en passant square are overwritten.
    style : int64
        A `LineStyle`.
    search : Search
        Its `text` receives the lines, with a space after each word and a line end after
        each line. Its rows of moves are overwritten.
    """
    row, words = query_at(address), words_at(address)
    first, first_black = bitboards.position_at(words), row.black
    given, written, size = bytes_at(row.line), bytes_at(search.text), row.line_size
    row.en_passant = -1
    before, before_text, at, known = 0, 0, 0, 0
    while at <= size:
        # 1. Copy the names that the line before begins with too.
        begun, place, position = search.text_written, at, first
        known = shared_moves(address, before, at, known, search)
        if known:
            for word in range(search_struct.POSITION_WORDS):
                words[word] = search.rows[known, word]
            position = bitboards.position_at(words)
            place = at + int(search.rows[known, GIVEN_END])
            length = int(search.rows[known, WRITTEN_END])
            for index in range(length):
                written[begun + index] = written[before_text + index]
            search.text_written += length
        row.black = first_black ^ (known & 1)

        # 2. Write the other words.
        is_legal = True
        while place < size and given[place] != LINE_END:
            end = notation.skip(given, place, size, False)
            move = bitboards.NO_MOVE
            if is_legal and end > place:
                moves = search.rows[0]
                move = notation.read_move(
                    position, row.black, given, place, end, False, moves
                )
            if move != bitboards.NO_MOVE:
                position = write_name(position, move, row.black, style, search)
                row.black ^= 1
                if known + 1 < search_struct.MAX_PLIES:
                    known += 1
                    bitboards.write_position(words, position)
                    for word in range(search_struct.POSITION_WORDS):
                        search.rows[known, word] = words[word]
                    search.rows[known, GIVEN_END] = np.uint64(end - at)
                    length = search.text_written - begun
                    search.rows[known, WRITTEN_END] = np.uint64(length)
            elif end > place:
                is_legal = False
                text_at = search.text_written
                for index in range(place, end):
                    text_at = notation.write_letter(written, text_at, given[index])
                search.text_written = notation.write_letter(
                    written, text_at, notation.BLANK
                )
            place = max(end, place + 1)

        # 3. The final position.
        text_at = search.text_written
        if style == WITH_END:
            bitboards.write_position(words, position)
            text_at = notation.write_letter(written, text_at, LINE_END)
            text_at = fen.write_fen_text(address, written, text_at)
        search.text_written = notation.write_letter(written, text_at, LINE_END)
        before, before_text, at = at, begun, place + 1


@jit
def name_rows(address: Number, count: Number, search: Search) -> Number:
    """Write the moves of many positions in SAN.

    Parameters
    ----------
    address : int64
        The address of the rows. Each gives `fen`, `fen_size`, `black`, `line`,
        `line_size` and `played`: so many moves are played before the next, and the
        others are moves of the position after them. `line_at` and `line_written` say
        where the names are, with a space after each: none in an illegal position, or
        from the first illegal move on.
    count : int64
        The number of rows.
    search : Search
        Its `text` receives the names. Its first row of moves is overwritten.

    Returns
    -------
    int64
        The index of the first row that was not written because `text` may have too
        little room; `count` if all were. A row needs SAN_TEXT_BYTES for every three
        bytes of its line.
    """
    for index in range(count):
        row = query_at(address)
        needed = (row.line_size + 1) // 3 * query_struct.SAN_TEXT_BYTES
        if search.text_size - search.text_written < needed:
            return index
        row.line_at = search.text_written
        line, place, plies = bytes_at(row.line), 0, 0
        is_legal = fen.read_fen(address)
        position, black = bitboards.position_at(words_at(address)), row.black
        while is_legal:
            place = notation.skip(line, place, row.line_size, True)
            if place == row.line_size:
                break
            end = notation.skip(line, place, row.line_size, False)
            move = notation.read_move(
                position, black, line, place, end, False, search.rows[0]
            )
            if move == bitboards.NO_MOVE:
                break
            child = write_name(position, move, black, SAN, search)
            if plies < row.played:
                position, black = child, black ^ 1
            plies += 1
            place = end
        row.line_written = search.text_written - row.line_at
        address += QUERY_BYTES
    return count


# --------------------------------------------------------------------------------------
# Which positions pose the same problem: a form that they share, and the first of each.
#
# A position is seen by the side to move, so its form is the same with the colours
# exchanged. Without castling rights, it is mirrored if our king is on the files e to h,
# so no position is its own mirror image. Counters and an en passant square that no pawn
# can use are left out.
#
# A form is exact: no two problems share one. Its first word has the occupied squares;
# the other two have four bits for each of them, from a1 to h8: three name the piece,
# one says whose it is. A rook that may castle and a pawn that can be taken en passant
# count as pieces of other kinds.

FORM_WORDS = query_struct.FORM_WORDS
MIRRORED, BLACK = np.uint64(query_struct.MIRRORED), np.uint64(query_struct.BLACK)
FIRST_SHIFT = np.uint64(query_struct.FIRST_SHIFT)


@jit
def _write_form(address: Number, form: Words) -> None:
    """Write the form of a row's position, at most 32 pieces; see `write_forms`."""
    position = bitboards.position_at(words_at(address))
    skipped = movegen.usable_en_passant(position)
    castling = position.rights & bitboards.CORNERS
    form[3] = BLACK if query_at(address).black else bitboards.ZERO
    if not castling and position.kings & position.us & bitboards.FILES_EFGH:
        position, skipped = bitboards.mirrored(position), bitboards.mirror(skipped)
        form[3] |= MIRRORED
    taken = skipped >> bitboards.EIGHT
    occupied = position.us | position.them
    diagonal = position.diagonal | position.kings | taken
    orthogonal = position.orthogonal | position.kings
    special = position.knights | position.kings | taken | castling
    form[0] = left = occupied
    count = 0
    while left:
        square = first_square(left)
        left &= left - bitboards.ONE
        code = (diagonal >> square) & bitboards.ONE
        code |= ((orthogonal >> square) & bitboards.ONE) << bitboards.ONE
        code |= ((special >> square) & bitboards.ONE) << bitboards.TWO
        code |= ((position.us >> square) & bitboards.ONE) << bitboards.THREE
        form[1 + (count >> 4)] |= code << np.uint64(4 * (count & 15))
        count += 1


@jit
def write_forms(address: Number, search: Search) -> None:
    """Write the forms of positions.

    Parameters
    ----------
    address : int64
        The address of a `Query`, whose `fen` is FENs with a line end between them.
        What is read of them is overwritten.
    search : Search
        Its `text` receives FORM_WORDS words for each: three of its form, and the sum of
        MIRRORED and BLACK, as far as they apply. They are zeros if it is no position.
    """
    row = query_at(address)
    first, size, at = row.fen, row.fen_size, 0
    given = bytes_at(first)
    while at <= size:
        end = at
        while end < size and given[end] != LINE_END:
            end += 1
        row.fen, row.fen_size, row.black = first + at, end - at, 0
        form = words_at(search.text + np.uint64(search.text_written))
        for word in range(FORM_WORDS):
            form[word] = bitboards.ZERO
        if fen.read_fen(address):
            _write_form(address, form)
        search.text_written += 8 * FORM_WORDS
        at = end + 1
    row.fen, row.fen_size = first, size


@jit
def find_first_forms(count: Number, search: Search) -> None:
    """Find for each of many positions the first with the same form.

    Parameters
    ----------
    count : int64
        How many they are.
    search : Search
        Its `text` is what `write_forms` wrote; the last word of each receives the index
        of the first, from bit FIRST_SHIFT on. Its `table` has zeros in `buckets`
        buckets, a power of two, with more words than `count`; they are overwritten.
    """
    forms, slots = words_at(search.text), words_at(search.table)
    last = search.buckets * transposition.BUCKET_WORDS - bitboards.ONE
    for index in range(count):
        at = FORM_WORDS * index
        first: Number = index
        key = fold_product(
            forms[at] ^ transposition.MIX_PAWNS,
            (forms[at + 1] ^ transposition.MIX_KNIGHTS)
            + fold_product(forms[at + 2], transposition.MIX_DIAGONAL),
        )
        while forms[at]:
            slot = np.int64(key & last)
            if not slots[slot]:
                slots[slot] = np.uint64(index + 1)
                break
            other = FORM_WORDS * (np.int64(slots[slot]) - 1)
            if (
                forms[at] == forms[other]
                and forms[at + 1] == forms[other + 1]
                and forms[at + 2] == forms[other + 2]
            ):
                first = other // FORM_WORDS
                break
            key += bitboards.ONE
        forms[at + 3] |= np.uint64(first) << FIRST_SHIFT


# --------------------------------------------------------------------------------------
# The C function of the search; `border.interface.Kernel` is its Python side.
#
# Importing this module translates the kernel's functions. numba compiles the members of
# `Operation` as numbers, so both sides can use their names.

# The play of mates; see `levels.compile_lists`


@jit
def may_solve(
    position: bitboards.Position, moves: Number, ply: Number, search: Search
) -> Number:
    """Search once, in the best order, whether any move mates."""
    return prover.mates_within(position, moves, ply, ordering.ATTACKING, search)


@jit
def loses_within(
    position: bitboards.Position,
    moves: Number,
    ply: Number,
    attack: Move,
    search: Search,
) -> Number:
    """Decide whether the defender is mated within `moves` after an attack."""
    if moves == 1:
        return prover.mated_in_one(position, ply, attack, search)
    return prover.mates_within(position, moves, ply, ordering.DEFENDING, search)


@jit
def may_pass(position: bitboards.Position, search: Search) -> bool:
    """Return whether no check forces the reply."""
    return not bitboards.checkers(position)


@jit
def list_replies(
    position: bitboards.Position, refuting: bool, search: Search
) -> Number:
    """Write all replies to the first row."""
    moves = search.rows[0]
    size = movegen.generate(position, moves)
    if refuting:
        known = transposition.probe(
            search, transposition.hash_key(position, ordering.DEFENDING)
        ).move
        ordering.rank_replies(position, moves, size, 0, known, search)
        for index in range(size):
            ordering.bring_best(moves, index, size)
    return size


list_solving_moves, list_refutations, list_continuations = levels.compile_lists(
    may_solve,
    loses_within,
    prover.mates_within,
    may_pass,
    list_replies,
    prover.never_ends,
    prover.least_moves,
)


# The C function


@native(ENTRY)
def entry(
    operation: Number, words: Any, search_pointer: Any, number: Number, flag: Number
) -> Number:
    """Run one operation on rows, or on a position given by its eight words.

    Parameters
    ----------
    operation : int64
        An `Operation`.
    words : pointer to uint64
        The fields of a `Position`; MAKE overwrites them. NULL for rows and
        what is done to the table.
    search_pointer : pointer to Search
    number : int64
        The operation's number of moves or plies, or its move; NO_MOVE: a null move. Or
        the address of rows, or a number of buckets or forms.
    flag : int64
        Whether the attacker is to move, or threats are wanted, or perft lists the last
        moves, or Black is to move; or how many refutations are wanted. Or the number of
        rows or bounds, the style of lines, or what entries are wanted.

    Returns
    -------
    int64
        See the methods of `solver.kernel.border.interface.Kernel`.
    """
    search = record_at(search_pointer)
    if operation == parts.Operation.BEGIN:
        ordering.begin(search)
        return 0
    if operation == parts.Operation.GROW:
        transposition.grow(search, np.uint64(number))
        return 0
    if operation == parts.Operation.EXPORT_ENTRIES:
        limit, shift = (1 << interface.EFFORT_BITS) - 1, interface.EFFORT_BITS
        efforts = flag & limit, (flag >> shift) & limit
        rest = flag >> (2 * shift)
        of_numbers = rest & 1 != 0
        return transposition.export_entries(
            search, number, rest >> 1, of_numbers, efforts
        )
    if operation == parts.Operation.MERGE_BOUNDS:
        return transposition.merge_bounds(search, number, flag)
    if operation == parts.Operation.READ_ROWS:
        return read_rows(number, flag, search)
    if operation == parts.Operation.WRITE_LINES:
        write_row_lines(number, flag, search)
        return 0
    if operation == parts.Operation.NAME_ROWS:
        return name_rows(number, flag, search)
    if operation == parts.Operation.WRITE_FORMS:
        write_forms(number, search)
        return 0
    if operation == parts.Operation.FIND_FIRST_FORMS:
        find_first_forms(number, search)
        return 0
    if operation == parts.Operation.TAKE_TURN:
        return take_turn(number, search)
    if operation == parts.Operation.SOLVE_QUERIES:
        return solve_queries(number, flag, search)
    if operation == parts.Operation.GRADE_ROWS:
        return grading.grade_rows(number, flag, search)
    position = bitboards.position_at(words)
    if operation == parts.Operation.MATES_WITHIN:
        return prover.mates_within(position, number, 0, flag != 0, search)
    if operation == parts.Operation.FIND_MATE:
        return dfpn.find_mate(position, number, flag != 0, search)
    if operation == parts.Operation.LINE:
        return prover.find_line(position, number, flag != 0, search)
    if operation == parts.Operation.PROVED_LINE:
        return read_proved_line(position, number, flag != 0, search)
    if operation == parts.Operation.SOLVING_MOVES:
        return list_solving_moves(position, number, 0, search)
    if operation == parts.Operation.REFUTATIONS:
        return list_refutations(position, number, flag, search)
    if operation == parts.Operation.CONTINUATIONS:
        return list_continuations(position, number, flag != 0, search)
    if operation == parts.Operation.HAS_TRIES:
        return 1 if number > 1 else 0
    if operation == parts.Operation.BOUNDS:
        bounds = dfpn.known_bounds(transposition.hash_key(position, flag != 0), search)
        answer = np.int64(bounds.move)
        return (
            (answer << interface.MOVE_SHIFT)
            | (bounds.mate << interface.MATE_SHIFT)
            | bounds.no_mate
        )
    if operation == parts.Operation.MATE_IN_ONE:
        return np.int64(mating.mate_in_one(position))
    if operation == parts.Operation.PERFT:
        return movegen.perft(position, number, search, flag != 0)
    if operation == parts.Operation.MOVES:
        return movegen.generate(position, search.rows[0])
    if operation == parts.Operation.WRITE_MOVES:
        levels.write_moves(position, np.uint64(number), flag, search)
        return 0
    if operation == parts.Operation.WRITE_LEVEL:
        return levels.write_level(position, number, flag, search)
    if operation == parts.Operation.CHECKING_MOVES:
        return mating.generate_checks(position, search.rows[0])
    if operation == parts.Operation.IS_CHECK:
        return 1 if bitboards.checkers(position) else 0
    if operation == parts.Operation.MATE_MARK:
        return marks.mark_mate(position, search.rows[0])
    if operation == parts.Operation.KEY_FEATURES:
        return marks.list_key_features(position, np.uint64(number), flag, search)
    if operation == parts.Operation.MAKE:
        move = np.uint64(number)
        child = (
            bitboards.make(position, move)
            if move
            else bitboards.after_null_move(position)
        )
        bitboards.write_position(words, child)
        return 0
    return parts.UNKNOWN_OPERATION
