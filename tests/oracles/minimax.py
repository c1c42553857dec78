"""The laboratory's scores by plain minimax, without cutoffs and without a table."""

from __future__ import annotations

import chess

from solver.kernel.border.scored_struct import Horizon
from tests.oracles.naive import successors

MATE = 30_000
WORTH = {"p": 100, "n": 320, "b": 330, "r": 500, "q": 900, "k": 0}
OFF_CENTRE = (3, 2, 1, 0, 0, 1, 2, 3)


def score(
    board: chess.Board, depth: int, ply: int = 0, *, horizon: Horizon = Horizon.STATIC
) -> int:
    """Score a position for the side to move by all lines of `depth` plies."""
    if depth == 0 and horizon is Horizon.QUIESCENCE:
        return settled(board, ply)
    if depth == 0:
        is_mate = horizon is Horizon.MATE and board.is_checkmate()
        return ply - MATE if is_mate else evaluate(board)
    if not any(board.legal_moves):
        return ply - MATE if board.is_check() else 0
    return max(
        -score(after, depth - 1, ply + 1, horizon=horizon)
        for _, after in successors(board)
    )


def settled(board: chess.Board, ply: int) -> int:
    """Score a position by captures and promotions, in check by all moves."""
    if board.is_check():
        replies = (-settled(after, ply + 1) for _, after in successors(board))
        return max(replies, default=ply - MATE)
    scores = [evaluate(board)]
    for move in board.legal_moves:
        if move.promotion or board.is_capture(move):
            after = board.copy(stack=False)
            after.push(move)
            scores.append(-settled(after, ply + 1))
    return max(scores)


def evaluate(board: chess.Board) -> int:
    """Score a position at the horizon for the side to move."""
    kings = {True: 0, False: 0}
    material = {True: 0, False: 0}
    pieces = {True: 0, False: 0}
    for square, piece in board.piece_map().items():
        pieces[piece.color] += 1
        material[piece.color] += WORTH[piece.symbol().lower()]
        if piece.piece_type == chess.KING:
            kings[piece.color] = square
        elif piece.piece_type == chess.PAWN:
            rank = square // 8 if piece.color else 7 - square // 8
            material[piece.color] += 3 * (rank - 1)
    for side in (True, False):
        if pieces[side] > 1 and pieces[not side] == 1:
            file, rank = kings[not side] % 8, kings[not side] // 8
            steps = abs(kings[side] % 8 - file) + abs(kings[side] // 8 - rank)
            material[side] += 10 * (OFF_CENTRE[file] + OFF_CENTRE[rank])
            material[side] += 4 * (14 - steps)
    return material[board.turn] - material[not board.turn]
