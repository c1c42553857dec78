"""Seeded positions in which a special move is possible and a mate is near.

In random positions castling, captures en passant and promotions are rarely part of a
solution. Here one of the sides has such a move by design: the strong one, which then
often mates with it, or the other, which then often moves into a mate.
"""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("castling", "en passant", "double step", "promotion")

STRONG = (chess.QUEEN, chess.ROOK, chess.ROOK, chess.BISHOP, chess.KNIGHT)
WEAK = (chess.PAWN, chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK)


def special_positions(kind: str, count: int, seed: int) -> Iterator[chess.Board]:
    """Yield legal positions of one of `KINDS`; the same seed gives the same ones.

    The side with the special move is to move; if it may castle or promote, sometimes
    the other side, which may be able to capture the rook or the pawn. A double step is
    one that may be taken en passant.
    """
    return islice(_positions(kind, Random(f"{kind} {seed}")), count)


def all_kinds(count: int, seed: int) -> list[chess.Board]:
    """Return `count` positions of each kind."""
    return [b for kind in KINDS for b in special_positions(kind, count, seed)]


def name_special(board: chess.Board, move: chess.Move) -> str:
    """Return what is special about a move; empty if nothing is."""
    if board.is_castling(move):
        return "castling"
    if board.is_en_passant(move):
        return "en passant"
    return "promotion" if move.promotion else ""


def specials_of(board: chess.Board, line: tuple[str, ...]) -> set[tuple[int, str]]:
    """Return the special moves of a line, with the plies from each to the end."""
    board, found = board.copy(stack=False), set()
    for ply, uci in enumerate(line):
        move = chess.Move.from_uci(uci)
        if name := name_special(board, move):
            found.add((len(line) - ply - 1, name))
        board.push(move)
    return found


class _Move(NamedTuple):
    """White's special move: the squares it needs empty, and where it checks."""

    empty: chess.SquareSet
    checked: chess.SquareSet


def _positions(kind: str, random: Random) -> Iterator[chess.Board]:
    while True:
        board = chess.Board(None)
        special = _place_special(kind, board, random)
        strong = random.random() < 0.6
        free = list(~special.empty - board.occupied)
        for color in (not strong, strong):
            if board.king(color) is None:
                near = [s for s in free if s in special.checked]
                is_near = near and color != strong and random.random() < 0.8
                king = random.choice(near if is_near else free)
                board.set_piece_at(king, chess.Piece(chess.KING, color))
                free.remove(king)
        mated = board.king(not strong)
        assert mated is not None
        field = [s for s in free if chess.square_distance(s, mated) == 1]
        for square in random.sample(field, random.randint(0, min(5, len(field)))):
            _put(board, square, random.choice(WEAK), not strong)
            free.remove(square)
        for _ in range(random.randint(1, 4)):
            _put_near(board, mated, free, random, strong)
        if kind in {"castling", "promotion"}:
            board.turn = random.random() < 0.6
        if random.random() < 0.5:
            board = board.mirror()
        if board.is_valid():
            yield board


def _place_special(kind: str, board: chess.Board, random: Random) -> _Move:
    """Place the pieces of the special move, and say who is to move."""
    file = random.randrange(8)
    beside = random.choice([f for f in (file - 1, file + 1) if 0 <= f < 8])
    if kind == "castling":
        # The rook checks on its file, near the king, or on the rank past its square.
        rook, end, king, past = random.choice(
            ((chess.A1, 3, chess.D3, (5, 6, 7)), (chess.H1, 5, chess.F3, (0, 1, 2, 3)))
        )
        _put(board, chess.E1, chess.KING, chess.WHITE)
        _put(board, rook, chess.ROOK, chess.WHITE)
        board.castling_rights = chess.BB_SQUARES[rook]
        between = chess.SquareSet.between(chess.E1, rook)
        checked = chess.SquareSet(random.choice((chess.BB_FILES[end], 1 << king)))
        if random.random() < 0.3:
            checked = chess.SquareSet(past)
        return _Move(between, checked - between)
    if kind == "promotion":
        _put(board, chess.square(file, 6), chess.PAWN, chess.WHITE)
        end = chess.square(file, 7)
        empty = chess.SquareSet([end])
        if random.random() < 0.5:
            end, empty = chess.square(beside, 7), chess.SquareSet()
            _put(board, end, random.choice(WEAK), chess.BLACK)
        near = [s for s in chess.SQUARES if chess.square_distance(s, end) <= 2]
        return _Move(empty, chess.SquareSet([*near, *chess.SquareSet(chess.BB_RANK_8)]))
    start, passed, end = (chess.square(beside, rank) for rank in (6, 5, 4))
    _put(board, chess.square(file, 4), chess.PAWN, chess.WHITE)
    near = [s for s in chess.SQUARES if 0 < chess.square_distance(s, passed) <= 2]
    checked = chess.SquareSet([*near, *chess.SquareSet(chess.BB_RANK_5)])
    if random.random() < 0.5:
        checked = chess.SquareSet(chess.BB_PAWN_ATTACKS[chess.WHITE][passed])
    if kind == "en passant":
        _put(board, end, chess.PAWN, chess.BLACK)
        board.ep_square = passed
        return _Move(chess.SquareSet([start, passed]), checked)
    _put(board, start, chess.PAWN, chess.BLACK)
    board.turn = chess.BLACK
    return _Move(chess.SquareSet([passed, end]), checked)


def _put_near(
    board: chess.Board,
    mated: chess.Square,
    free: list[chess.Square],
    random: Random,
    color: chess.Color,
) -> None:
    """Place a piece where it attacks more squares beside a king than elsewhere."""
    kind, field = random.choice(STRONG), chess.BB_KING_ATTACKS[mated]

    def worth(square: chess.Square) -> int:
        _put(board, square, kind, color)
        attacked = board.attacks_mask(square)
        board.remove_piece_at(square)
        return chess.popcount(attacked & field) - 9 * (attacked >> mated & 1)

    square = max(random.sample(free, 5), key=worth)
    _put(board, square, kind, color)
    free.remove(square)


def _put(
    board: chess.Board, square: chess.Square, kind: chess.PieceType, color: chess.Color
) -> None:
    """Place a piece; on the first and the last rank, a knight instead of a pawn."""
    if kind == chess.PAWN and chess.square_rank(square) in (0, 7):
        kind = chess.KNIGHT
    board.set_piece_at(square, chess.Piece(kind, color))
