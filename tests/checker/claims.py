"""True claims for MateBench, built from the rules by brute force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess

from tests.oracles.remembering import Oracle

if TYPE_CHECKING:
    from tests.checker.documents import Document


def claimed(board: chess.Board, most: int) -> Document:
    """Claim the shortest mate of the side to move, or none within `most`."""
    oracle = Oracle()
    lengths = range(1, most + 1)
    n = next((length for length in lengths if oracle.mate_in(board, length)), None)
    if n is None:
        return claim(board, "absence", most, absence(board, most, oracle))
    shorter = absence(board, n - 1, oracle) if n > 1 else None
    return claim(board, "minimality", n, minimality(n, mate(board, n, oracle), shorter))


def claim(board: chess.Board, kind: str, n: int, certificate: Any) -> Document:
    return {"fen": board.epd(), "claim": kind, "n": n, "certificate": certificate}


def minimality(n: int, tree: Document, shorter: Document | None) -> Document:
    proof = {"format": "matebench-minimality-1", "n": n, "mate": tree}
    return proof | {"no_shorter": shorter}


def mate(board: chess.Board, n: int, oracle: Oracle) -> Document:
    key = min(oracle.keys(board, n))
    after = played(board, key)
    replies = [
        {"r": move.uci(), "p": mate(played(after, move.uci()), n - 1, oracle)}
        for move in after.legal_moves
    ]
    return {"a": key, "d": replies} if replies else {"a": key, "mate": True}


def absence(board: chess.Board, k: int, oracle: Oracle) -> Document:
    node = _absent(board, k, oracle)
    return {"format": "matebench-absence-1", "k": k, "proof": node}


def _absent(board: chess.Board, left: int, oracle: Oracle) -> Document:
    entries: list[Document] = []
    for move in board.legal_moves:
        after = played(board, move.uci())
        entry: Document = {"a": move.uci()}
        if left > 1 and any(after.legal_moves):
            reply, then = next(
                (reply.uci(), then)
                for reply in after.legal_moves
                if not oracle.mate_in(then := played(after, reply.uci()), left - 1)
            )
            entry |= {"r": reply, "p": _absent(then, left - 1, oracle)}
        entries.append(entry)
    return {"m": entries}


def played(board: chess.Board, move: str) -> chess.Board:
    after = board.copy(stack=False)
    after.push_uci(move)
    return after


ROOK_ENDING = chess.Board("8/8/8/8/6R1/8/7k/5K2 w - - 0 1")
"""Mate in 3."""

SHORTEST = claimed(ROOK_ENDING, 3)
"""1. Kf2 Kh3 2. Ra4 Kh2 3. Rh4#, or another key."""
