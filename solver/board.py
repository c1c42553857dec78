"""Convert between `chess.Board` and the kernel's positions and moves."""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.kernel.border import interface, parts, query_struct, search_struct
from solver.kernel.build.loader import load_part
from solver.position_text import load_fen, own_memory, uci_move

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def parse_fen(text: str, side: chess.Color = chess.WHITE) -> chess.Board:
    """Read a FEN; `side` is to move if it does not say.

    Returns
    -------
    chess.Board
        The position, without history.

    Raises
    ------
    FenError
        It is not a legal position of orthodox chess.
    """
    query = load_fen(text, black=not side).query
    *pieces, rights = query.position
    board = _set_up(pieces, not query.black)
    board.castling_rights = chess.BB_CORNERS & (
        chess.flip_vertical(rights) if query.black else rights
    )
    board.ep_square = None if query.en_passant < 0 else query.en_passant
    board.halfmove_clock, board.fullmove_number = query.clock, query.number
    return board


def mate_mark(board: chess.Board) -> int:
    """Return what `Kernel.mate_mark` returns; compile the search if need be."""
    kernel = load_part(parts.SEARCH).kernel
    return kernel.mate_mark(pack_board(board), own_memory().search)


def pack_board(board: chess.Board) -> search_struct.PositionStruct:
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
    return search_struct.PositionStruct(*boards)


def unpack_pieces(position: search_struct.PositionStruct) -> chess.Board:
    """Return the pieces of a kernel position with White to move, without its rights."""
    words = (ctypes.c_uint64 * search_struct.POSITION_WORDS).from_buffer(position)
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
    """Return a move of the kernel as a move of this board."""
    return chess.Move.from_uci(uci_move(pack_board(board), word, black=not board.turn))


# Positions of the kernel, whose moves it names


class MoveRow(NamedTuple):
    """A row of text that the kernel writes for a move, in strings.

    Attributes
    ----------
    head : str
        A `LevelRole`, and the attacker's moves that are left after the move.
    word : str
        Its number in the kernel.
    uci, san, long : str
        Its names; `long` is Popeye's notation.
    mark : str
        The index of the final position's `MateMark`, if no move is left.
    """

    head: str
    word: str = ""
    uci: str = ""
    san: str = ""
    long: str = ""
    mark: str = ""


class MoveWriter:
    """Names moves, by the kernel.

    Parameters
    ----------
    search : Search, optional
        Where a list of replies is made before `level`.
    """

    def __init__(self, search: search_struct.Search | None = None) -> None:
        self.kernel = load_part(parts.SEARCH).kernel
        self.search = search or interface.new_search()
        self._text = ctypes.create_string_buffer(query_struct.MOVES_TEXT_BYTES)

    def legal(
        self, position: search_struct.PositionStruct, word: int = 0, *, black: bool
    ) -> list[MoveRow]:
        """Return the legal moves, or only the one with a number of the kernel."""
        self._begin()
        self.kernel.run("WRITE_MOVES", position, self.search, word, black)
        return [*self._rows()]

    def level(
        self,
        position: search_struct.PositionStruct,
        size: int,
        *,
        black: bool,
        all_defences: bool,
    ) -> list[MoveRow]:
        """Return the rows of a list of replies; see `Kernel.write_level`."""
        rows: list[MoveRow] = []
        first = None
        while first != 0:
            self._begin()
            first = self.kernel.write_level(
                position,
                self.search,
                size,
                first or 0,
                black=black,
                all_defences=all_defences,
            )
            rows += self._rows()
        return rows

    def key_features(
        self, position: search_struct.PositionStruct, word: int, *, black: bool
    ) -> list[tuple[int, str]]:
        """List what a legal move does.

        Returns
        -------
        list of tuple
            A `KeyFeature`, and the names of its squares with commas between.
        """
        self._begin()
        found = self.kernel.key_features(position, self.search, word, black=black)
        return list(zip(found, self._written().splitlines(), strict=True))

    def _begin(self) -> None:
        search = self.search
        search.text, search.text_written = ctypes.addressof(self._text), 0
        search.text_size = len(self._text)

    def _rows(self) -> Iterator[MoveRow]:
        words = self._written().split()
        if words[:1] == [query_struct.LevelRole.ZUGZWANG]:
            yield MoveRow(words.pop(0))
        fields = [iter(words)] * len(MoveRow._fields)
        yield from map(MoveRow._make, zip(*fields, strict=True))

    def _written(self) -> str:
        return ctypes.string_at(self._text, self.search.text_written).decode("ascii")


class Place:
    """A position of a line, whose moves are named when they are needed.

    Parameters
    ----------
    writer : MoveWriter
        Names its moves.
    position : Position or callable
        The kernel's position, or a function that returns it.
    black : bool
        Whether Black is to move.
    """

    def __init__(
        self,
        writer: MoveWriter,
        position: search_struct.PositionStruct
        | Callable[[], search_struct.PositionStruct],
        *,
        black: bool,
    ) -> None:
        self._writer = writer
        self._position = position
        self.black = black

    @classmethod
    def of(cls, board: chess.Board, writer: MoveWriter | None = None) -> Place:
        """Return the place of a board, which is not changed."""
        return cls(writer or MoveWriter(), pack_board(board), black=not board.turn)

    @cached_property
    def position(self) -> search_struct.PositionStruct:
        """The kernel's position."""
        return self._position() if callable(self._position) else self._position

    @cached_property
    def moves(self) -> dict[str, MoveRow]:
        """Its legal moves by their names in UCI."""
        rows = self._writer.legal(self.position, black=self.black)
        return {row.uci: row for row in rows}

    def name(self, word: int) -> MoveRow:
        """Return the legal move with a number of the kernel."""
        (row,) = self._writer.legal(self.position, word, black=self.black)
        return row

    @property
    def is_check(self) -> bool:
        """Whether the side to move is in check."""
        return self._writer.kernel.is_check(self.position, self._writer.search)

    @property
    def is_stalemate(self) -> bool:
        """Whether the side to move has no move and is not in check."""
        return not (self.moves or self.is_check)

    def key_features(self, uci: str) -> list[tuple[int, str]]:
        """List what a legal move does; see `MoveWriter.key_features`."""
        word = int(self.moves[uci].word)
        return self._writer.key_features(self.position, word, black=self.black)

    def after(self, word: int | str) -> Place:
        """Return the place after a legal move, or after a null move, 0."""
        writer = self._writer
        return Place(
            writer,
            lambda: writer.kernel.made(self.position, writer.search, int(word)),
            black=not self.black,
        )
