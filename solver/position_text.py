"""Positions and moves as texts, read and written in compiled code.

`read_position` is the one reader of positions, for every command and page.
`solver.fen_faults` explains what is wrong with a FEN, and is imported only then.
"""

from __future__ import annotations

import ctypes
import re
import sys
import threading
from array import array
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from solver.kernel.border import interface, parts, query_struct, search_struct
from solver.kernel.build.loader import load_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import chess

    from solver.errors import FenError

TEXT_BYTES = 4096
"""Room at first for a FEN and a line, which grows with them: 300 plies fit."""

TEXT_ROUND = 1 << 15
"""Room for the texts of many rows is a multiple of this many bytes."""

FORM_BYTES = 8 * query_struct.FORM_WORDS
"""What `problem_forms` returns of each position: a form and a word of marks."""

FORM_END = FORM_BYTES - 8

QUERY_WORDS = ctypes.sizeof(query_struct.Query) // 8


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

    None if one of them is refused.
    """
    memory = read_query(fen, line, black=black, played=played, uci_only=uci_only)
    return None if memory is None else memory.texts()


def read_many(
    fens: Sequence[str],
    lines: Sequence[str] = (),
    *,
    played: int = 0,
    uci_only: bool = False,
) -> list[tuple[str, str] | None]:
    """Read many FENs, each with a line, in one call of compiled code.

    Parameters
    ----------
    fens, lines : sequence of str
        As many lines as FENs, or none.
    played, uci_only
        See `read_compiled`.

    Returns
    -------
    list of (tuple or None)
        What `read_compiled` returns for each.
    """
    count = len(fens)
    rows = (query_struct.Query * count)()
    given = [
        set_texts(rows, name, [text.encode(errors="surrogatepass") for text in texts])
        for name, texts in (("fen", fens), ("line", lines or [""] * count))
    ]
    for name, value in (("played", played), ("uci_only", uci_only)):
        column_of(rows, name)[:] = array("q", [value]) * count
    size = count * query_struct.FEN_TEXT_BYTES + 2 * (sum(map(len, given)) + count)
    # Each length is a type of its own, which the garbage collector frees late.
    written = ctypes.create_string_buffer(size + -size % TEXT_ROUND)
    memory = own_memory()
    memory.write_to(written)
    load_part(parts.SEARCH).kernel.read_rows(rows, memory.search, 0, count)
    text = str(memoryview(written)[: memory.search.text_written], "ascii")
    memory.write_to(memory.written)  # no longer to memory that ends here
    facts = (column_of(rows, name).tolist() for name in _READ_FACTS)
    return [
        (text[at:line_at], text[line_at : line_at + size]) if state == _READ else None
        for state, at, line_at, size in zip(*facts, strict=True)
    ]


_READ_FACTS = "state", "fen_at", "line_at", "line_written"
_READ = query_struct.QueryState.READ


class GivenPosition:
    """The position of a record, or of a text that `read_position` reads.

    Parameters
    ----------
    text : str
        A FEN, or what `solver.movetext.plain_fen` finds one in.
    side : chess.Color
        The side to move if the FEN does not say.
    repair : bool
        Whether to repair what leaves no doubt about the position, and to read more than
        a plain FEN.

    Attributes
    ----------
    fen : str
        The position's FEN, with six fields.
    names_side : bool
        Whether the text says who is to move.
    warnings : tuple of str
        What was wrong with the text and was repaired.
    before : tuple of str
        The FEN and the move that led to it, if a reader has played one.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess.
    """

    def __init__(
        self,
        text: str,
        side: chess.Color = True,  # noqa: FBT002
        *,
        repair: bool = True,
    ) -> None:
        self.warnings: tuple[str, ...] = ()
        self.before: tuple[str, ...] = ()
        memory = read_query(text, black=not side)
        if memory is None and repair:
            from solver.movetext import plain_fen

            text = plain_fen(text)
            memory = read_query(text, black=not side, repair=True)
        if memory is None:
            raise _explained(text, black=not side)
        if repaired := memory.query.repaired:
            from solver.fen_faults import explain_repairs

            self.warnings = explain_repairs(text, repaired, side)
        self.fen = memory.texts()[0]
        self.names_side = len(text.split()) > 1

    def play(self, name: str, moves: str) -> None:
        """Play a line of moves; the FEN is then that of the position at its end.

        Raises
        ------
        InputError
            See `line`.
        """
        from solver.movetext import plain_moves

        words = plain_moves(moves)
        played = read_compiled(self.fen, words, played=len(words.split()))
        if played is None:
            self.line(name, moves)  # its error names the move
        else:
            self.fen = played[0]

    @cached_property
    def board(self) -> chess.Board:
        """The position on a board."""
        from chess import Board

        return Board(self.fen)

    def keys(self, name: str, moves: str) -> tuple[str, ...]:
        """Read first moves, and return them in UCI notation, without duplicates.

        Raises
        ------
        InputError
            One is unreadable, illegal or ambiguous.
        """
        from solver.movetext import plain_moves, read_moves, refused_move

        keys: dict[str, None] = {}
        for at, move in enumerate(plain_moves(moves).split()):
            read = read_compiled(self.fen, move)
            if read is None:
                raise refused_move(name, read_moves(moves)[at])
            keys[read[1]] = None
        return tuple(keys)

    def line(self, name: str, moves: str) -> tuple[str, ...]:
        """Read a line of moves, and return them in UCI notation.

        Raises
        ------
        InputError
            One is unreadable, or illegal in its position, or ambiguous.
        """
        from solver.movetext import plain_moves, read_moves, refused_move

        words = plain_moves(moves).split()
        line = legal_moves(self.fen, words)
        if len(line) < len(words):
            raise refused_move(name, read_moves(moves)[len(line)])
        return line


def read_position(
    text: str,
    moves: str | Sequence[str] = "",
    *,
    repair: bool = False,
    black: bool = False,
) -> GivenPosition:
    """Read a position as people and programs give it.

    Parameters
    ----------
    text : str
        A FEN of one, two, four or six fields, or `startpos`, perhaps followed by
        `moves` and moves, as in UCI's command `position`; or a game in PGN, whose last
        position is meant. See `solver.movetext.split_text`.
    moves : str or sequence of str
        Moves that are played then, as `solver.movetext` reads them: in SAN, long
        algebraic or UCI notation, perhaps with numbers and marks.
    repair : bool
        Whether to repair a FEN where that leaves no doubt about the position, and to
        find one in quotes or in the address of a page.
    black : bool
        Whether Black is to move if the text does not say.

    Returns
    -------
    GivenPosition
        Its `warnings` say what was repaired.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess; the message names the field that
        is at fault.
    InputError
        A move is unreadable, illegal or ambiguous; the message names the move. Or
        `moves` is neither a text nor texts.
    """
    played = ""
    if read_query(text, black=black) is None:
        from solver.movetext import split_text

        text, played = split_text(text, repair=repair)
    position = GivenPosition(text, not black, repair=repair)
    if not isinstance(moves, str):
        from solver.problem import require_moves

        moves = require_moves("moves", moves)
    for line in (played, moves):
        if line:
            position.play("moves", line)
    return position


# Positions in a text

_RANK = "[1-8pnbrqkPNBRQK]{1,8}"
_SPACED = r"(?:[ \t]+|_|%20)"
_FIELDS = (
    r"(?P<side>white|black|White|Black|[wbWB])(?![A-Za-z0-9./])",
    r"(?P<castling>-|[KQkq]{1,4}|[A-HKQa-hkq]{1,4}(?=[ \t]+(?:-|[a-h][36])[ \t]))"
    r"(?![A-Za-z0-9=+#])",
    r"(?P<en_passant>-|[a-h][36])(?![A-Za-z0-9+#=-])",
    r"(?P<clock>\d{1,3})(?![A-Za-z0-9.)#])",
    r"(?P<number>\d{1,4})(?![A-Za-z0-9.)#])",
)
"""The fields after the board. A number with a full stop, a bracket or a letter after it
is the number of a move."""

_FEN = (
    rf"(?<!\w)(?P<board>(?:{_RANK}/){{7}}{_RANK})(?![A-Za-z0-9/])"
    + "".join(f"(?:{_SPACED}{field}" for field in _FIELDS)
    + ")?" * len(_FIELDS)
)
_NEARLY = (
    r"(?<![\w/.:-])(?P<nearly>(?:[0-9pnbrqkPNBRQK]{1,10}/){6,8}"
    r"[0-9pnbrqkPNBRQK]{1,10})(?![/\w-])"
)
_FEN_OR_NEARLY = f"{_FEN}|{_NEARLY}"
_SLASHES = 7
"""How many slashes the first field of a FEN has."""

_LONGEST_RANK = 10
"""The characters before a board that may be a ninth rank."""

_RUNS = {ord(str(count)): "." * count for count in range(1, 9)}
_ends_rank = re.compile(rf"(?:\A|[\s/\"']){_RANK}/\Z").search


class FoundFen(NamedTuple):
    """A FEN in a text.

    Attributes
    ----------
    start, end : int
        Where it is.
    fen : str
        Its fields, one to six, with single spaces between them.
    is_whole : bool
        Whether its board has eight ranks of eight squares, and one king of each colour;
        otherwise it only looks like a FEN.
    """

    start: int
    end: int
    fen: str
    is_whole: bool = True

    @property
    def names_side(self) -> bool:
        """Whether it says who is to move."""
        return " " in self.fen


def find_fens(text: str, *, nearly: bool = False) -> Iterator[FoundFen]:
    """Find the FENs in a text by their grammar; whether they are legal is not checked.

    Parameters
    ----------
    text : str
        Any text.
    nearly : bool
        Also yield what looks like a FEN and is none.
    """
    if text.count("/") < _SLASHES - nearly:
        return
    for found in re.finditer(_FEN_OR_NEARLY if nearly else _FEN, text):
        board = found["board"]
        before = text[max(found.start() - _LONGEST_RANK, 0) : found.start()]
        is_whole = bool(board) and _is_board(board) and not _ends_rank(before)
        if is_whole or nearly:
            fields = [field for field in found.groups()[:6] if field] or [found[0]]
            fields[1:2] = (side[0].lower() for side in fields[1:2])
            if len(fields) == 5:  # a clock whose next number belongs to a move
                fields.pop()
            yield FoundFen(found.start(), found.end(), " ".join(fields), is_whole)


def _is_board(board: str) -> bool:
    squares = board.translate(_RUNS)
    has_ranks = len(squares) == 8 * 8 + _SLASHES and squares[8::9] == "/" * _SLASHES
    return has_ranks and board.count("K") == board.count("k") == 1


def legal_moves(fen: str, moves: Sequence[str]) -> tuple[str, ...]:
    """Return a line in UCI notation, up to its first move that is not legal.

    Parameters
    ----------
    fen : str
        A legal position.
    moves : sequence of str
        Moves in UCI or SAN; see `plain_moves`.
    """

    def read(size: int) -> tuple[str, str] | None:
        return read_compiled(fen, " ".join(moves[:size]))

    found = read(len(moves))
    if found is None:
        from bisect import bisect

        sizes = range(1, len(moves))
        found = read(bisect(sizes, 0, key=lambda size: read(size) is None))
    assert found is not None  # the position is legal
    return tuple(found[1].split())


def write_lines(
    fen: str,
    lines: Iterable[Sequence[str]],
    played: Sequence[str] = (),
    style: query_struct.LineStyle = query_struct.LineStyle.SAN,
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
        WITH_END adds one word to each line: the final position's FEN.

    Returns
    -------
    list of list of str
        The same lines; moves from the first illegal one on stay as given. All do if
        the position or a move before them is not legal, or if a word is empty or has
        white space.
    """
    lines = [*lines]
    memory = read_query(fen, " ".join(played), played=len(played)) if lines else None
    text = "\n".join(map(" ".join, lines)).encode(errors="surrogatepass")
    if memory is None or len(text.split()) != sum(map(len, lines)):
        return [[*line] for line in lines]
    query, search = memory.query, memory.search
    given = ctypes.create_string_buffer(text)
    ends = (
        len(lines) * query_struct.FEN_TEXT_BYTES
        if style is query_struct.LineStyle.WITH_END
        else 0
    )
    written = ctypes.create_string_buffer(
        2 * len(text) + query_struct.LONG_TEXT_BYTES + ends
    )
    query.line, query.line_size = ctypes.addressof(given), len(text)
    memory.write_to(written)
    load_part(parts.SEARCH).kernel.write_lines(query, search, style)
    names = written.raw[: search.text_written].decode(errors="surrogatepass")
    memory.write_to(memory.written)  # no longer to memory that ends here
    rows = names.split("\n")
    if style is query_struct.LineStyle.WITH_END:
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


def named_moves(uci: Sequence[str], san: Sequence[str]) -> list[dict[str, str]]:
    """Return a record for each move, `{"uci": "c4g8", "san": "Qg8+"}`."""
    return [{"uci": one, "san": name} for one, name in zip(uci, san, strict=True)]


def problem_forms(fens: Sequence[str]) -> bytes:
    """Return the common form of positions that pose the same problem.

    They are the same, or have other counters or an en passant square that no pawn can
    use, or are mirrored without castling rights, or have exchanged colours.

    Parameters
    ----------
    fens : sequence of str
        FENs without line ends.

    Returns
    -------
    bytes
        FORM_BYTES for each. Up to FORM_END they are its form, which no other problem
        has; zeros if it is no legal position. See `solver.kernel.mate.entry`.
    """
    if not fens:
        return b""
    given = ctypes.create_string_buffer("\n".join(fens).encode())
    written = ctypes.create_string_buffer(len(fens) * FORM_BYTES)
    query = query_struct.Query(fen=ctypes.addressof(given), fen_size=len(given) - 1)
    memory = own_memory()
    memory.write_to(written)
    load_part(parts.SEARCH).kernel.write_forms(query, memory.search)
    memory.write_to(memory.written)  # no longer to memory that ends here
    return written.raw


# Queries as columns


def column_of(rows: ctypes.Array[query_struct.Query], name: str) -> memoryview[int]:
    """Return a field of queries as a column, an int64 for each; it shares memory."""
    words = memoryview(rows).cast("B").cast("q")
    return words[getattr(query_struct.Query, name).offset // 8 :: QUERY_WORDS]


def address_of(text: bytes) -> int:
    """Return the address of bytes; it is valid as long as the bytes object lives."""
    return ctypes.c_void_p.from_buffer(ctypes.c_char_p(text)).value or 0


def set_texts(
    rows: ctypes.Array[query_struct.Query], name: str, texts: Sequence[bytes]
) -> bytes:
    """Let a field of queries, `fen` or `line`, refer to their texts.

    Returns
    -------
    bytes
        The texts, which must live as long as they are read.
    """
    content, sizes = b"".join(texts), array("q", map(len, texts))
    ends = accumulate(sizes, initial=address_of(content))
    column_of(rows, f"{name}_size")[:] = sizes
    column_of(rows, name)[:] = array("q", ends)[:-1]
    return content


class Memory:
    """A query, and memory for its texts."""

    def __init__(self) -> None:
        self.queries = (query_struct.Query * 1)()
        self.query = self.queries[0]
        self.search = interface.new_search()
        self.reserve(TEXT_BYTES)

    def reserve(self, size: int) -> None:
        """Make room for a FEN and a line of this many bytes, and for the results."""
        self.given = ctypes.create_string_buffer(size)
        self.query.fen = ctypes.addressof(self.given)
        self.written = ctypes.create_string_buffer(
            query_struct.FEN_TEXT_BYTES + 2 * (size + 1)
        )
        self._text = memoryview(self.written)

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

    def position(self) -> search_struct.PositionStruct:
        """Return the position that was read."""
        return search_struct.PositionStruct.from_buffer_copy(self.query.position)


class _Own(threading.local):
    """The memory of the calling thread."""

    def __init__(self) -> None:
        self.memory = Memory()


_OWN = _Own()


def own_memory() -> Memory:
    """Return the memory of the calling thread, which every call here overwrites."""
    return _OWN.memory


def read_query(
    fen: str,
    line: str = "",
    *,
    black: bool = False,
    played: int = 0,
    uci_only: bool = False,
    repair: bool = False,
) -> Memory | None:
    """Read a FEN and a line as `read_compiled` does; return where they are.

    With `repair`, a FEN is repaired where that leaves no doubt about the position.
    """
    kernel = load_part(parts.SEARCH).kernel
    # A local name keeps it alive: when the interpreter ends, it frees what belongs to
    # threads, although a daemon thread may still be reading.
    memory = _OWN.memory
    query, search = memory.query, memory.search
    # A lone surrogate becomes bytes that are part of no FEN and no move.
    given, moves = (text.encode(errors="surrogatepass") for text in (fen, line))
    if len(given) + len(moves) > len(memory.given):
        memory.reserve(len(given) + len(moves))
    ctypes.memmove(query.fen, given + moves, len(given) + len(moves))
    query.fen_size, query.line_size = len(given), len(moves)
    query.line = query.fen + len(given)
    query.black, query.played, query.uci_only = black, played, uci_only
    query.repair = repair
    memory.write_to(memory.written)
    kernel.read_rows(memory.queries, search, 0, 1)
    return memory if query.state == query_struct.QueryState.READ else None


def load_fen(text: str, *, black: bool = False) -> Memory:
    """Read a FEN of one, two, four or six fields; return where the position is.

    The defaults of missing fields are the given side to move, no castling, no en
    passant, and the counters 0 and 1. The side to move may be mated or stalemated.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess.
    """
    if memory := read_query(text, black=black):
        return memory
    raise _explained(text, black=black)


def _explained(text: str, *, black: bool) -> FenError:
    """Return the error for a FEN that was refused just now."""
    from solver.fen_faults import explain

    fault = query_struct.FenFault(own_memory().query.fen_fault)
    return explain(text, fault, not black)


def has_stalemate(fen: str) -> bool:
    """Return whether the side to move is stalemated."""
    memory, kernel = load_fen(fen), load_part(parts.SEARCH).kernel
    position, search = memory.position(), memory.search
    return not (kernel.moves(position, search) or kernel.is_check(position, search))


# Moves of the kernel


SQUARE_BITS = 63
"""The bits of a square in a kernel move; its lowest bits are the origin."""

_SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]
_FLIP_RANKS = 56
_LAST_RANK = 56
"""The first square of the rank where the mover's pawns are promoted."""

_PROMOTIONS = {2: "n", 4: "b", 8: "r", 12: "q"}
"""The pieces that a pawn may promote to, by their bitboards."""


def uci_line(
    position: search_struct.PositionStruct, words: Iterable[int], *, black: bool
) -> tuple[str, ...]:
    """Return a line of kernel moves in UCI notation.

    Parameters
    ----------
    position : Position
        Where the line begins; not changed.
    words : iterable of int
        Its moves.
    black : bool
        Whether Black begins.
    """
    pawns: int = position.pawns
    line = []
    for word in words:
        name, pawns = _uci_step(word, pawns, black)
        line.append(name)
        black = not black
    return tuple(line)


@lru_cache(maxsize=1 << 16)
def _uci_step(word: int, pawns: int, black: bool) -> tuple[str, int]:  # noqa: FBT001
    """Return a kernel move in UCI notation, and the pawns as the next mover sees them.

    Lines of help play repeat few moves.
    """
    start, end = 1 << (word & SQUARE_BITS), 1 << (word >> 6 & SQUARE_BITS)
    is_pawn = bool(pawns & start)
    # A pawn captured en passant stays in `pawns`, which is harmless: no move starts
    # there until a piece has arrived.
    pawns &= ~(start | end)
    if is_pawn and end < 1 << _LAST_RANK:
        pawns |= end
    flipped = int.from_bytes(pawns.to_bytes(8, "little"), "big")
    return spell_move(word, black=black, is_pawn=is_pawn), flipped


@cache
def spell_move(word: int, *, black: bool, is_pawn: bool) -> str:
    """Return a kernel move in UCI notation; the cache keeps a name for each move.

    Parameters
    ----------
    word : int
        The move.
    black : bool
        Whether Black moves.
    is_pawn : bool
        Whether a pawn moves.
    """
    start, end = word & SQUARE_BITS, word >> 6 & SQUARE_BITS
    promotion = _PROMOTIONS[word >> 12] if is_pawn and end >= _LAST_RANK else ""
    turn = _FLIP_RANKS if black else 0
    return sys.intern(_SQUARES[start ^ turn] + _SQUARES[end ^ turn] + promotion)


def uci_move(position: search_struct.PositionStruct, word: int, *, black: bool) -> str:
    """Return a kernel move of a position in UCI notation."""
    is_pawn = bool(position.pawns >> (word & SQUARE_BITS) & 1)
    return spell_move(word, black=black, is_pawn=is_pawn)
