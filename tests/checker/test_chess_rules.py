"""The checker's own rules: mates in one, and which positions are the same."""

from __future__ import annotations

import chess
import pytest

from solver.checker.chess_rules import has_mate_in_one, key_of
from tests.checker.documents import CASTLING, EN_PASSANT
from tests.oracles.special import all_kinds
from tests.oracles.walks import random_positions, small_positions
from tests.sizes import sized


@sized("count", 300, 3000)
def test_a_mate_in_one_is_found_exactly_if_there_is_one(count: int) -> None:
    positions = [*random_positions(count, seed=11), *small_positions(count, seed=12)]
    positions += all_kinds(count // 6, seed=13)
    found = 0
    for board in positions:
        mates = []
        for move in board.legal_moves:
            board.push(move)
            if board.is_checkmate():
                mates.append(move)
            board.pop()
        mating = has_mate_in_one(board)
        assert mating in mates if mates else mating is None, board.fen()
        found += bool(mates)
    assert found > count // 15


@pytest.mark.parametrize(("fen", "mating"), [(CASTLING, "e1c1"), (EN_PASSANT, "e5d6")])
def test_castling_and_en_passant_may_mate(fen: str, mating: str) -> None:
    assert has_mate_in_one(chess.Board(fen)) == chess.Move.from_uci(mating)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("r3k3/8/8/8/8/8/8/4K3 w q - 0 1", "r3k3/8/8/8/8/8/8/4K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 0 1", False),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 9 7", True),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
            False,
        ),
        # The pawn is pinned, or there is none.
        ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "8/8/8/K2pP2r/8/8/8/7k w - - 0 1", True),
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", True),
    ],
)
def test_positions_with_the_same_continuations_have_the_same_key(
    one: str, other: str, same: bool
) -> None:
    assert (key_of(chess.Board(one)) == key_of(chess.Board(other))) is same
