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
from solver.stipulations.solving_moves import make_nets
from tests.kernel.compositions.test_help_play import starts
from tests.kernel.compositions.test_nets import CAPTURED, FAR, FREE, LAST
from tests.oracles import needs as oracle
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


@pytest.fixture(scope="module")
def nets() -> search_struct.Nets:
    return make_nets(is_stalemate=False)


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


def test_what_was_captured_can_only_be_free_or_captured(
    help_kernel: Kernel, nets: search_struct.Nets
) -> None:
    table = needs_of(help_kernel, nets, chess.Board(HOME), chess.WHITE, every=True)
    moves = table.moves[0][GONE]
    assert (moves[:, :FREE] == NEVER).all()
    rest = (*table.moves, *table.takes, table.taken)
    assert not any(counter[GONE][:, FREE:].any() for counter in rest)


# King and rooks together


@pytest.mark.parametrize("attacker", chess.COLORS, ids=["White", "Black"])
@pytest.mark.parametrize("colour", chess.COLORS, ids=["White", "Black"])
@pytest.mark.parametrize(
    ("files", "longest"),
    [
        *(((0,), 3), ((7,), 3), ((0, 7), 2)),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (((0,), 99), ((7,), 99), ((0, 7), 4))
        ),
    ],
)
def test_king_and_rooks_spend_together_what_they_need(
    help_kernel: Kernel,
    nets: search_struct.Nets,
    colour: chess.Color,
    attacker: chess.Color,
    files: tuple[int, ...],
    longest: int,
) -> None:
    # 1. Their needs.
    rank = 0 if colour else 56
    rooks = [rank + file for file in files]
    board = chess.Board(HOME)
    board.turn, board.castling_rights = colour, chess.SquareSet(rooks).mask
    table = needs_of(help_kernel, nets, board, attacker, every=False)
    side, turn = int(colour != attacker), 0 if attacker else 56
    needs = table.moves[side][6 * side : 6 * side + 6]
    rook_needs = [needs[3, rook ^ turn] for rook in rooks]
    king_needs = [
        max(needs[5, (rank + 4) ^ turn, code] for code in king_codes(square, turn))
        for square in chess.SQUARES
    ]

    # 2. No place costs less than its pieces need.
    for spent, (king, *others), last in oracle.together(colour, rooks, longest):
        needed = int(king_needs[king])
        for rook, (own, square) in enumerate(zip(rook_needs, others, strict=True), 1):
            needed += int(own[(3 + LAST * (rook == last)) * 64 + (square ^ turn)])
        assert needed <= spent, (king, others, last)


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

Slots = dict[int, tuple[chess.Piece, chess.Square]]
"""The pieces that are left, and their squares, by their squares in the first position.
"""


class Ply(NamedTuple):
    """A ply of play: who moves, where the slots are, and which move then."""

    turn: chess.Color
    slots: Slots
    moved: set[int]


def after(slots: Slots, board: chess.Board, move: chess.Move) -> tuple[Slots, set[int]]:
    """Make a move on the board; return the slots then, and which of them it moved."""
    ends = {move.from_square: move.to_square}
    if board.is_castling(move):
        for corner, (rook_end, _, king_end) in oracle.CASTLING.items():
            if king_end == move.to_square:
                ends[corner] = rook_end
    taken = move.to_square
    if board.is_en_passant(move):
        taken += -8 if board.turn else 8
    board.push(move)
    left = {}
    for slot, (piece, square) in slots.items():
        if square in ends:
            left[slot] = board.piece_map()[ends[square]], ends[square]
        elif square != taken:
            left[slot] = piece, square
    return left, {slot for slot, (_, square) in slots.items() if square in ends}


def special(board: chess.Board, move: chess.Move) -> str:
    """Return what is special about a move; empty if nothing is."""
    if move.promotion:
        return "promotion"
    if board.is_castling(move):
        return "castling"
    if board.is_en_passant(move):
        return "en passant"
    is_pawn = board.piece_type_at(move.from_square) == chess.PAWN
    is_double = is_pawn and abs(move.from_square - move.to_square) == 16
    return "double step" if is_double else ""


def random_play(
    board: chess.Board, random: Random, seen: Counter[str]
) -> tuple[list[Ply], Slots]:
    """Play, with more special moves than by chance; return the plies and the end."""
    plies = []
    slots = {square: (piece, square) for square, piece in board.piece_map().items()}
    for _ in range(random.randint(1, 12)):
        moves = list(board.legal_moves)
        if not moves:
            break
        passing = [move for move in moves if board.is_en_passant(move)]
        chosen = passing or [move for move in moves if special(board, move)]
        move = random.choice(chosen if chosen and random.random() < 0.7 else moves)
        seen[special(board, move)] += 1
        turn = board.turn
        then, moved = after(slots, board, move)
        plies.append(Ply(turn, slots, moved))
        slots = then
    return plies, slots


def codes_of_end(plies: list[Ply], end: Slots, turn: int) -> dict[int, list[int]]:
    """Return the codes that agree with the end of play, by slot."""
    attacker = plies[-1].turn
    codes = {}
    for slot, (first, _) in plies[0].slots.items():
        if slot not in end:
            codes[slot] = [FREE if first.color == attacker else CAPTURED]
            continue
        piece, square = end[slot]
        if piece.piece_type == chess.KING:
            codes[slot] = king_codes(square, turn)
            continue
        code = (piece.piece_type - 1) * 64 + (square ^ turn)
        is_last = slot in plies[-1].moved
        codes[slot] = [code, code + LAST * 64] if is_last else [code]
    return codes


@sized("count", 20, 1_000)
def test_no_play_spends_less_than_the_needs_of_its_end(
    help_kernel: Kernel, nets: search_struct.Nets, count: int
) -> None:
    random, seen = Random(75), Counter[str]()
    for board in starts(count, 75):
        first = board.copy(stack=False)
        plies, end = random_play(board, random, seen)
        if not plies:
            continue
        attacker = plies[-1].turn
        turn = 0 if attacker else 56
        table = needs_of(help_kernel, nets, first, attacker, every=False)
        counters = (*table.moves, *table.takes, table.taken)
        codes = codes_of_end(plies, end, turn)
        for ply, (_, slots, _) in enumerate(plies):
            needed = np.zeros(len(counters), int)
            for slot, own in codes.items():
                row = GONE, 0
                if slot in slots:
                    piece, square = slots[slot]
                    row = kind_of(piece, attacker), square ^ turn
                needed += [counter[row][own].max() for counter in counters]
            moves = Counter(later.turn for later in plies[ply:])
            pieces = Counter(piece.color for piece, _ in slots.values())
            limits = [
                *(moves[attacker], moves[not attacker]),
                *(pieces[not attacker] - 1, pieces[attacker] - 1),
                moves[attacker],
            ]
            assert (needed <= limits).all(), (first.fen(), board.fen(), ply)
            seen["plies"] += 1
    assert seen["plies"] > 10 * count
    for what in ("castling", "double step", "promotion"):
        assert seen[what] > count / 2, what
    assert seen["en passant"] > count / 20
