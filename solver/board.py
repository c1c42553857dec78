"""Read FENs and moves; convert between `chess.Board` and the kernel.

If compiled code is loaded, it reads FENs and moves. python-chess reads what compiled
code refuses, and everything in a process without it (a FEN in `solver.strict_fen`): it
accepts the same texts, takes ten times as long, and explains what is wrong.
"""

from __future__ import annotations

import ctypes
import re
import sys
import threading
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import chess

from solver.errors import InputError, quote
from solver.kernel.border.memory import POSITION_WORDS, Position, Search
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.query import (
    FEN_TEXT_BYTES,
    LONG_TEXT_BYTES,
    LineStyle,
    Query,
    QueryState,
)
from solver.kernel.build.loader import load_part, loaded_part
from solver.movetext import ILLEGAL, UNREADABLE, Kind, Part, plain_moves, read_moves

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TEXT_BYTES = 4096
"""Room for a FEN and a line of 300 plies; longer ones are left to python-chess."""

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
SQUARE_BITS = 63
"""The bits of a square in a kernel move; its lowest bits are the origin."""

_FLIP_RANKS = 56
_ARRIVALS = {2: chess.KNIGHT, 4: chess.BISHOP, 8: chess.ROOK, 12: chess.QUEEN}
"""The pieces that a pawn may promote to, by their bitboards."""


def parse_fen(text: str, side: chess.Color = chess.WHITE) -> chess.Board:
    """Read a FEN; see `solver.strict_fen.parse_strictly`.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess.
    """
    if (memory := _read(text, black=not side)) is not None:
        return memory.board()
    from solver.strict_fen import parse_strictly

    return parse_strictly(text, side)


def read_compiled(
    fen: str,
    line: str = "",
    *,
    black: bool = False,
    played: int = 0,
    uci_only: bool = False,
) -> tuple[str, str] | None:
    """Read a FEN and a line of moves in compiled code.

    Parameters
    ----------
    fen : str
        A FEN of one, two, four or six fields.
    line : str
        Moves in UCI or SAN, separated by spaces; see `plain_moves`.
    black : bool
        Whether Black is to move if the FEN does not say.
    played : int
        How many moves come before the position in question.
    uci_only : bool
        Refuse moves in SAN; castling is a move of the king by two squares.

    Returns
    -------
    fen : str
        The position after the played moves, with six fields.
    line : str
        The other moves in UCI notation.

    None if they are refused, and if the kernel is not loaded.
    """
    memory = _read(fen, line, black=black, played=played, uci_only=uci_only)
    return None if memory is None else memory.texts()


class GivenPosition:
    """The position of a record.

    Parameters
    ----------
    text : str
        A FEN, or what `solver.strict_fen.mend` makes one of.
    side : chess.Color
        The side to move if the FEN does not say.

    Attributes
    ----------
    fen : str
        The position's FEN, with six fields.
    names_side : bool
        Whether the text says who is to move.
    warnings : tuple of str
        What the text says that makes no sense, and so was left out.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess, or cannot be mended.
    """

    def __init__(self, text: str, side: chess.Color = chess.WHITE) -> None:
        self.warnings: tuple[str, ...] = ()
        if plain := read_compiled(text, black=not side):
            self.fen = plain[0]
        else:
            from solver.strict_fen import mend

            text, board, self.warnings = mend(text, side)
            vars(self)["board"] = board
            self.fen = board.fen(en_passant="fen")
        self.names_side = len(text.split()) > 1

    @cached_property
    def board(self) -> chess.Board:
        """The position on a board."""
        return parse_fen(self.fen)

    def keys(self, name: str, moves: str) -> tuple[str, ...]:
        """Read first moves; see `parse_keys`."""
        read = [read_compiled(self.fen, move) for move in plain_moves(moves).split()]
        if all(read):
            return tuple(dict.fromkeys(plain[1] for plain in read if plain))
        return parse_keys(self.board, name, moves)

    def line(self, name: str, moves: str) -> tuple[str, ...]:
        """Read a line of moves; see `parse_line`."""
        plain = read_compiled(self.fen, plain_moves(moves))
        return tuple(plain[1].split()) if plain else parse_line(self.board, name, moves)


def parse_move(board: chess.Board, name: str, text: str) -> chess.Move:
    """Parse a written move; see `solver.movetext`.

    Raises
    ------
    InputError
        If it is unreadable, illegal or ambiguous, or not one move.
    """
    parts = read_moves(text)
    part = parts[0] if len(parts) == 1 else Part(Kind.UNREADABLE, text)
    return find_move(board, name, part)


def find_move(board: chess.Board, name: str, part: Part) -> chess.Move:
    """Return the legal move that a part of a line names.

    Raises
    ------
    InputError
        If it is unreadable, illegal or ambiguous.
    """
    plain = part.move
    try:
        read = board.parse_uci if _UCI.fullmatch(plain) else board.parse_san
        return read(plain)
    except ValueError:
        expected = ILLEGAL if plain else UNREADABLE
        msg = f"{name}: expected {expected}, found {quote(part.text)}"
        raise InputError(msg) from None


def parse_keys(board: chess.Board, name: str, moves: str) -> tuple[str, ...]:
    """Parse first moves and return them in UCI notation, without duplicates.

    Raises
    ------
    InputError
        If one is unreadable, illegal or ambiguous.
    """
    keys = (find_move(board, name, part).uci() for part in read_moves(moves))
    return tuple(dict.fromkeys(keys))


def parse_line(board: chess.Board, name: str, moves: str) -> tuple[str, ...]:
    """Parse a line of moves and return them in UCI notation.

    Raises
    ------
    InputError
        If one is unreadable, or illegal in its position, or ambiguous.
    """
    board = board.copy(stack=False)
    line = []
    for part in read_moves(moves):
        move = find_move(board, name, part)
        line.append(move.uci())
        board.push(move)
    return tuple(line)


def write_lines(
    fen: str,
    lines: Iterable[Sequence[str]],
    played: Sequence[str] = (),
    style: LineStyle = LineStyle.SAN,
) -> list[list[str]]:
    """Write lines of moves in SAN, or as `style` says.

    Parameters
    ----------
    fen : str
        A legal position.
    lines : iterable of sequence of str
        Moves in UCI or SAN, without white space.
    played : sequence of str
        The moves before each of the lines.
    style : LineStyle
        WITH_END adds one word to each line: the final position's FEN. LONG needs the
        compiled search.

    Returns
    -------
    list of list of str
        The same lines; moves from the first illegal one on stay as given.
    """
    is_long, lines = style is LineStyle.LONG, [*lines]
    if not lines:
        return []
    build = load_part(SEARCH) if is_long else loaded_part(SEARCH)
    memory = _read(fen, " ".join(played), black=False, played=len(played))
    if build is None or memory is None:
        assert not is_long
        board = chess.Board(fen)
        return [
            _write_line(board, [*played, *line], style)[len(played) :] for line in lines
        ]
    query, search = memory.query, memory.search
    text = "\n".join(map(" ".join, lines)).encode(errors="surrogatepass")
    given = ctypes.create_string_buffer(text)
    ends = len(lines) * FEN_TEXT_BYTES if style is LineStyle.WITH_END else 0
    written = ctypes.create_string_buffer(2 * len(text) + LONG_TEXT_BYTES + ends)
    query.line, query.line_size = ctypes.addressof(given), len(text)
    memory.write_to(written)
    build.kernel.write_lines(query, search, style)
    names = written.raw[: search.text_written].decode(errors="surrogatepass")
    rows = names.split("\n")
    if style is LineStyle.WITH_END:
        rows, finals = rows[::2], rows[1::2]
        return [
            [*row.split(" ")[:-1], final]
            for row, final in zip(rows[: len(lines)], finals, strict=True)
        ]
    return [row.split(" ")[:-1] for row in rows[: len(lines)]]


def first_moves(
    fen: str, moves: Iterable[str], played: Sequence[str] = ()
) -> list[str]:
    """Write alternative moves in SAN.

    Parameters
    ----------
    fen : str
        A position.
    moves : iterable of str
        Moves in UCI notation; an illegal one stays as given.
    played : sequence of str
        The moves that lead from this position to the one before each of them.

    Returns
    -------
    list of str
        The same moves in SAN, in the same order.
    """
    return [san for (san,) in write_lines(fen, ([move] for move in moves), played)]


def _write_line(board: chess.Board, line: Sequence[str], style: LineStyle) -> list[str]:
    """Write a line with python-chess; the board is not changed."""
    board = board.copy(stack=False)
    words: list[str] = []
    try:
        words.extend(
            board.san_and_push(parse_move(board, "move", move)) for move in line
        )
    except InputError:
        words += line[len(words) :]
    if style is LineStyle.WITH_END:
        words.append(board.fen())
    return words


class _Memory:
    """A query, and memory for its texts."""

    def __init__(self) -> None:
        self.given = ctypes.create_string_buffer(TEXT_BYTES)
        self.written = ctypes.create_string_buffer(TEXT_BYTES)
        self.queries = (Query * 1)()
        self.query = self.queries[0]
        self.query.fen = ctypes.addressof(self.given)
        self._text = memoryview(self.written)
        self.search = Search()

    def write_to(self, text: ctypes.Array[ctypes.c_char]) -> None:
        """Set where the kernel writes texts."""
        search = self.search
        search.text, search.text_size = ctypes.addressof(text), len(text)
        search.text_written = 0

    def written_text(self) -> str:
        """Return what the kernel wrote to `written`."""
        return str(self._text[: self.search.text_written], "ascii")

    def texts(self) -> tuple[str, str]:
        """Return the FEN and the line that were read."""
        written = self.written_text()
        return written[: self.query.line_at], written[self.query.line_at :]

    def board(self) -> chess.Board:
        """Return the position that was read."""
        query = self.query
        *pieces, rights = query.position
        board = _set_up(pieces, not query.black)
        board.castling_rights = chess.BB_CORNERS & (
            chess.flip_vertical(rights) if query.black else rights
        )
        board.ep_square = None if query.en_passant < 0 else query.en_passant
        board.halfmove_clock, board.fullmove_number = query.clock, query.number
        return board


class _Own(threading.local):
    """The memory of the calling thread."""

    def __init__(self) -> None:
        self.memory = _Memory()


_OWN = _Own()


def _read(
    fen: str,
    line: str = "",
    *,
    black: bool,
    played: int = 0,
    uci_only: bool = False,
) -> _Memory | None:
    """Read a FEN and a line as `read_compiled` does; return where they are."""
    if (build := loaded_part(SEARCH)) is None:
        return None
    # A local name keeps it alive: when the interpreter ends, it frees what belongs to
    # threads, although a daemon thread may still be reading.
    memory = _OWN.memory
    query, search = memory.query, memory.search
    # A lone surrogate becomes bytes that are part of no FEN and no move.
    given, moves = (text.encode(errors="surrogatepass") for text in (fen, line))
    if len(given) + len(moves) > TEXT_BYTES:
        return None
    ctypes.memmove(query.fen, given + moves, len(given) + len(moves))
    query.fen_size, query.line_size = len(given), len(moves)
    query.line = query.fen + len(given)
    query.black, query.played, query.uci_only = black, played, uci_only
    memory.write_to(memory.written)
    is_read = build.kernel.read_rows(memory.queries, search, 0, 1)
    return memory if is_read and query.state == QueryState.READ else None


def mate_mark(board: chess.Board) -> int:
    """Return what `Kernel.mate_mark` returns; compile the search if need be."""
    memory = _OWN.memory
    return load_part(SEARCH).kernel.mate_mark(pack(board), memory.search)


def key_features(board: chess.Board, move: chess.Move) -> list[tuple[int, str]]:
    """List what a legal move does; compile the search if need be.

    Returns
    -------
    list of tuple
        A `KeyFeature`, and the names of its squares with commas between.
    """
    memory, kernel, position = _OWN.memory, load_part(SEARCH).kernel, pack(board)
    memory.write_to(memory.written)
    words = kernel.moves(position, memory.search)
    word = next(word for word in words if unpack_move(board, word) == move)
    features = kernel.key_features(position, memory.search, word, black=not board.turn)
    return list(zip(features, memory.written_text().splitlines(), strict=True))


def pack(board: chess.Board) -> Position:
    """Return the kernel's position for a board, seen by the side to move.

    The halfmove clock and the history are left out: whether there is a forced mate does
    not depend on what was played before.

    Parameters
    ----------
    board : chess.Board
        A legal position of orthodox chess; not changed.
    """
    rights = board.castling_rights
    if board.ep_square is not None and board.has_pseudo_legal_en_passant():
        rights |= chess.BB_SQUARES[board.ep_square]
    boards: list[int] = [
        board.pawns,
        board.knights,
        board.bishops | board.queens,
        board.rooks | board.queens,
        board.kings,
        board.occupied_co[board.turn],
        board.occupied_co[not board.turn],
        rights,
    ]
    if board.turn == chess.BLACK:
        boards = [chess.flip_vertical(squares) for squares in boards]
    return Position(*boards)


def unpack_pieces(position: Position) -> chess.Board:
    """Return the pieces of a kernel position with White to move, without its rights."""
    words = (ctypes.c_uint64 * POSITION_WORDS).from_buffer(position)
    return _set_up(words[:-1], chess.WHITE)


def _set_up(boards: Sequence[int], turn: chess.Color) -> chess.Board:
    """Set up the bitboards of a kernel position, without its rights."""
    if turn == chess.BLACK:
        boards = [chess.flip_vertical(squares) for squares in boards]
    pawns, knights, diagonal, orthogonal, kings, us, them = boards
    board = chess.Board(None)
    board.turn = turn
    board.pawns, board.knights, board.kings = pawns, knights, kings
    board.bishops, board.rooks = diagonal & ~orthogonal, orthogonal & ~diagonal
    board.queens = diagonal & orthogonal
    board.occupied_co[turn], board.occupied_co[not turn] = us, them
    board.occupied = us | them
    return board


def unpack_move(board: chess.Board, word: int) -> chess.Move:
    """Return what a kernel move is on this board."""
    return unpack_word(word, board.turn, board.pawns)


def unpack_line(board: chess.Board, words: Iterable[int]) -> tuple[str, ...]:
    """Return a line of kernel moves in UCI notation; the board is not changed."""
    turn, pawns = board.turn, board.pawns
    line = []
    for word in words:
        name, pawns = _unpack_step(word, turn, pawns)
        line.append(name)
        turn = not turn
    return tuple(line)


@lru_cache(maxsize=1 << 16)
def _unpack_step(
    word: int, turn: chess.Color, pawns: chess.Bitboard
) -> tuple[str, chess.Bitboard]:
    """Return a kernel move in UCI notation, and the pawns after it.

    Lines of help play repeat few moves. Equal names are one object, which saves memory.
    """
    move = unpack_word(word, turn, pawns)
    start, end = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    stays_pawn = pawns & start and not move.promotion
    # A pawn captured en passant stays in `pawns`, which is harmless: no move starts
    # there until a piece has arrived.
    pawns = pawns & ~(start | end) | (end if stays_pawn else 0)
    return sys.intern(move.uci()), pawns


def unpack_word(word: int, turn: chess.Color, pawns: chess.Bitboard) -> chess.Move:
    """Return a kernel move of the side to move, by the pawns on the board."""
    start, end = word & SQUARE_BITS, (word >> 6) & SQUARE_BITS
    if turn == chess.BLACK:
        start ^= _FLIP_RANKS
        end ^= _FLIP_RANKS
    promotes = pawns & chess.BB_SQUARES[start] and chess.BB_SQUARES[end] & (
        chess.BB_BACKRANKS
    )
    return chess.Move(start, end, _ARRIVALS[word >> 12] if promotes else None)
