"""The needs of nets: no play spends less, and on an empty board they are exact."""

from __future__ import annotations

import ctypes
from collections import Counter
from functools import cache
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import chess
import numpy as np
import pytest

from solver.board import pack_board
from solver.kernel.border import search_struct
from tests.kernel.compositions.help_lines import starts
from tests.kernel.compositions.test_nets import CAPTURED, FAR, FREE, LAST
from tests.oracles import needs as oracle
from tests.oracles import special
from tests.sizes import sized

if TYPE_CHECKING:
    from solver.kernel.border.interface import Kernel

GONE = 12
NEVER = search_struct.MOST_NET_MOVES + 1

HOME = "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1"
CORNERS = [chess.A1, chess.H1, chess.A8, chess.H8]
ALL_RIGHTS = [
    sum(chess.BB_SQUARES[corner] for corner in chosen)
    for size in range(5)
    for chosen in combinations(CORNERS, size)
]


class Table(NamedTuple):
    """The counters of all needs, by kind, square and code; see `net_needs`.

    `moves` and `takes` have a side each, the attacker's and the defender's; what a
    piece that has a place takes off the other side's captures is in these.
    """

    moves: tuple[np.ndarray, np.ndarray]
    takes: tuple[np.ndarray, np.ndarray]
    taken: np.ndarray


def needs_of(
    kernel: Kernel,
    nets: search_struct.Nets,
    board: chess.Board,
    attacker: chess.Color,
    *,
    every: bool,
) -> Table:
    """Return the needs of the pieces of a position, or those of every kind."""
    position = pack_board(board)
    nets.set_up(position, is_attacking=board.turn == attacker)
    if every:
        nets.all_kinds = (1 << GONE) - 1
        nets.pawn_squares[:] = (chess.BB_ALL, chess.BB_ALL)
    play = search_struct.HelpPlay.of(position, 2)
    play.nets, nets.budget = ctypes.addressof(nets), 1
    kernel.list_nets(play, search_struct.Search())
    size = search_struct.NEED_KINDS * 64 * search_struct.NEED_CODES
    words = np.array((ctypes.c_uint32 * size).from_address(nets.needs))
    words = words.reshape(search_struct.NEED_KINDS, 64, search_struct.NEED_CODES)
    moves = (words & 31, words >> 6 & 31)
    return Table(moves, (words >> 12 & 31, words >> 17 & 31), words >> 22 & 31)


def kind_of(piece: chess.Piece, attacker: chess.Color) -> int:
    """Return the kind of a slot that is this piece."""
    return piece.piece_type - 1 + (0 if piece.color == attacker else 6)


# Each entry


@cache
def expected(
    kind: chess.PieceType,
    square: chess.Square,
    colour: chess.Color,
    rights: chess.Bitboard,
    turn: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what the oracle needs for each code; `turn` turns it to the table's view.

    That is: moves, captures, and whether it then is a piece that the other side has not
    captured. What cannot be has NEVER moves.
    """
    moves = np.full(search_struct.NEED_CODES, NEVER)
    takes = np.zeros(search_struct.NEED_CODES, int)
    for price, needed in enumerate((moves, takes)):
        least = oracle.cheapest(kind, square, colour, rights, price)
        for place, spent in sorted(least.items(), key=lambda item: -item[1]):
            code = (place.kind - 1) * 64 + (place.square ^ turn)
            needed[code] = spent
            if place.is_last and place.kind != chess.KING:
                needed[code + LAST * 64] = spent
    if kind == chess.KING:
        leaves = oracle.leaves(square, colour, rights)
        for other, spent in enumerate(leaves):
            moves[FAR * 64 + (other ^ turn)] = min(spent, 1)  # a second is not counted
    stays = moves < (0 if kind == chess.KING else NEVER)
    moves[[FREE, CAPTURED]] = 0
    return moves, takes, stays


def rights_of(
    kind: chess.PieceType, square: chess.Square, rights: chess.Bitboard
) -> chess.Bitboard:
    """Return the rights that concern a piece there."""
    return sum(
        chess.BB_SQUARES[corner]
        for corner, (_, king, _) in oracle.CASTLING.items()
        if rights & chess.BB_SQUARES[corner]
        and (kind, square) in {(chess.ROOK, corner), (chess.KING, king)}
    )


@pytest.mark.parametrize("attacker", chess.COLORS, ids=["White", "Black"])
@sized("step", 9, 1)
def test_each_need_is_what_the_piece_spends_on_an_empty_board(
    help_kernel: Kernel, nets: search_struct.Nets, attacker: chess.Color, step: int
) -> None:
    turn = 0 if attacker else 56
    castling = [*CORNERS, chess.E1, chess.E8]
    compared: Counter[chess.PieceType] = Counter()
    for rights in ALL_RIGHTS:
        board = chess.Board(HOME)
        board.turn, board.castling_rights = attacker, rights
        table = needs_of(help_kernel, nets, board, attacker, every=True)
        # What was captured can only be free or captured.
        assert (table.moves[0][GONE][:, :FREE] == NEVER).all()
        for counter in (*table.moves, *table.takes, table.taken):
            assert not counter[GONE][:, FREE:].any()
        for colour in chess.COLORS:
            side = int(colour != attacker)
            for kind in chess.PIECE_TYPES:
                squares = range(8, 56) if kind == chess.PAWN else range(64)
                for square in squares:
                    if (square + rights.bit_count()) % step and square not in castling:
                        continue
                    own = rights_of(kind, square, rights)
                    moves, takes, stays = expected(kind, square, colour, own, turn)
                    row = kind_of(chess.Piece(kind, colour), attacker), square ^ turn
                    at = (kind, square, colour, rights)
                    assert np.array_equal(table.moves[side][row], moves), at
                    assert not table.moves[not side][row].any(), at
                    possible = moves < NEVER
                    for counters, needed in ((side, takes), (1 - side, stays)):
                        found = table.takes[counters][row]
                        assert np.array_equal(found[possible], needed[possible]), at
                    taken = np.zeros(search_struct.NEED_CODES, int)
                    taken[CAPTURED] = side
                    assert np.array_equal(table.taken[row], taken), at
                    compared[kind] += 1
    assert len(compared) == len(chess.PIECE_TYPES)
    assert min(compared.values()) > 2 * len(ALL_RIGHTS)


def king_codes(square: chess.Square, turn: int) -> list[int]:
    """Return the codes of a king on a square."""
    return [
        (chess.KING - 1) * 64 + (square ^ turn),
        *(
            FAR * 64 + (other ^ turn)
            for other in chess.SQUARES
            if chess.square_distance(square, other) > 1
        ),
    ]


# Play


def name_move(board: chess.Board, move: chess.Move) -> str:
    """Return what is special about a move, a double step too; empty if nothing is."""
    is_pawn = board.piece_type_at(move.from_square) == chess.PAWN
    is_double = is_pawn and abs(move.from_square - move.to_square) == 16
    return special.name_special(board, move) or "double step" * is_double


class Ply(NamedTuple):
    """A position, its pieces' squares by those where they began, and what moved there.

    Pieces that were captured are left out.
    """

    board: chess.Board
    places: dict[chess.Square, chess.Square]
    moved: set[chess.Square]


def random_play(board: chess.Board, random: Random, seen: Counter[str]) -> list[Ply]:
    """Play, with more special moves than by chance."""
    play = [Ply(board, {square: square for square in board.piece_map()}, set())]
    for _ in range(random.randint(1, 12)):
        moves = list(board.legal_moves)
        if not moves:
            break
        passing = [move for move in moves if board.is_en_passant(move)]
        chosen = passing or [move for move in moves if name_move(board, move)]
        move = random.choice(chosen if chosen and random.random() < 0.7 else moves)
        seen[name_move(board, move)] += 1
        ends = {move.from_square: move.to_square}
        if board.is_castling(move):
            for corner, (rook_end, _, king_end) in oracle.CASTLING.items():
                if king_end == move.to_square:
                    ends[corner] = rook_end
        taken = move.to_square ^ 8 * board.is_en_passant(move)
        left = {piece: at for piece, at in play[-1].places.items() if at != taken}
        moved = {piece for piece, at in left.items() if at in ends}
        places = {piece: ends.get(at, at) for piece, at in left.items()}
        board = board.copy(stack=False)
        board.push(move)
        play.append(Ply(board, places, moved))
    return play


def codes_of(piece: chess.Square, first: Ply, end: Ply) -> list[int]:
    """Return the codes that agree with where a piece is at the end."""
    attacker = not end.board.turn
    turn = 0 if attacker else 56
    if piece not in end.places:
        is_own = first.board.color_at(piece) == attacker
        return [FREE if is_own else CAPTURED]
    square = end.places[piece]
    kind = end.board.piece_type_at(square) or 0
    if kind == chess.KING:
        return king_codes(square, turn)
    code = (kind - 1) * 64 + (square ^ turn)
    return [code, code + LAST * 64] if piece in end.moved else [code]


@sized("count", 20, 1_000)
def test_no_play_spends_less_than_the_needs_of_its_end(
    help_kernel: Kernel, nets: search_struct.Nets, count: int
) -> None:
    random, seen = Random(75), Counter[str]()
    for board in (*starts(count, 75), *special.all_kinds(count, 75)):
        play = random_play(board, random, seen)
        first, end = play[0], play[-1]
        attacker = not end.board.turn
        turn = 0 if attacker else 56
        codes = {piece: codes_of(piece, first, end) for piece in first.places}
        if len(play) == 1:
            continue
        table = needs_of(help_kernel, nets, board, attacker, every=False)
        counters = (*table.moves, *table.takes, table.taken)
        for left, (here, places, _) in zip(
            range(len(play) - 1, 0, -1), play, strict=False
        ):
            needed = np.zeros(len(counters), int)
            for piece, own in codes.items():
                row = GONE, 0
                if piece in places:
                    found = here.piece_at(places[piece])
                    assert found
                    row = kind_of(found, attacker), places[piece] ^ turn
                needed += [counter[row][own].max() for counter in counters]
            ours, theirs = (
                chess.popcount(here.occupied_co[side]) - 1
                for side in (attacker, not attacker)
            )
            moves = (left + 1) // 2
            limits = [moves, left // 2, theirs, ours, moves]
            assert (needed <= limits).all(), (board.fen(), end.board.fen(), left)
            seen["plies"] += 1
    assert seen["plies"] > 10 * count
    for what in ("castling", "double step", "promotion", "en passant"):
        assert seen[what] > count / 4, what
