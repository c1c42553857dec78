"""The tables against slow oracles, against the rules, and against known results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import numpy as np
import pytest

from solver.board import pack
from solver.endgames import find_ending
from solver.endgames.endgame_table import ILLEGAL, NO_MATE, REFLECTIONS, Table
from solver.endgames.probe import Piece, get_tables, read_placement
from solver.kernel.border.interface import Verdict
from solver.search.workspace import Workspace
from tests.endgames.boards import ENDINGS, random_boards
from tests.oracles import endgames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.endgames.endgame_table import Moves

LONGEST = {
    "KQvK": 10,
    "KRvK": 16,
    "KBvK": 0,
    "KNvK": 0,
    "KBBvK": 19,
    "KBNvK": 33,
    "KQvKR": 35,
    "KQvKB": 17,
    "KQvKN": 21,
    "KRvKB": 29,
    "KRvKN": 40,
    "KRvKR": 19,
    "KQvKQ": 13,
}
"""Longest mates, as all published endgame tables have them."""

MOST_PROVED = 4
"""Mates of up to this many moves are compared with the prover."""


def never() -> bool:
    return False


def table_of(name: str) -> Table:
    ours, theirs = (
        [chess.Piece.from_symbol(symbol).piece_type for symbol in side[1:]]
        for side in name.split("v")
    )
    pieces = tuple(Piece(attacks=True, kind=kind) for kind in ours)
    pieces += tuple(Piece(attacks=False, kind=kind) for kind in theirs)
    tables = get_tables(pieces, never)
    assert tables is not None
    return tables[pieces]


def moves_of(board: chess.Board, attacker: chess.Color) -> int:
    placement = read_placement(board, attacker)
    tables = get_tables(placement.pieces, never)
    assert tables is not None
    return tables[placement.pieces].moves(placement, attacking=board.turn == attacker)


def by_rules(board: chess.Board, attacker: chess.Color) -> int:
    """Work out a position's moves from those of all positions that follow it."""
    after = []
    for move in board.legal_moves:
        board.push(move)
        after.append(moves_of(board, attacker))
        board.pop()
    if board.turn == attacker:
        return min((1 + moves for moves in after if moves != NO_MATE), default=NO_MATE)
    if not after:
        return 0 if board.is_check() else NO_MATE
    return max(after)


def follow_from_each_other(name: str, count: int, seed: int) -> None:
    for board, attacker in random_boards(name, count, seed):
        found = moves_of(board, attacker)
        assert found == by_rules(board, attacker), f"{board.fen()}: found {found}"


def near_mates(
    name: str, count: int, seed: int
) -> Iterator[tuple[chess.Board, chess.Color]]:
    """Yield the last positions of some mating lines, and all that follow each."""
    for board, attacker in random_boards(name, count, seed):
        answer = find_ending(board, attacker, is_stopped=never)
        assert answer is not None
        for uci in answer.line:
            board.push_uci(uci)
            if moves_of(board, attacker) > MOST_PROVED:
                continue
            yield board, attacker
            for move in board.legal_moves:
                board.push(move)
                if chess.popcount(board.occupied_co[attacker]) > 1:
                    yield board, attacker
                board.pop()


def unfolded(nodes: Moves) -> Moves:
    """Return all values of a table of three pieces: king, piece, other king."""
    return np.stack(
        [
            nodes[reflection.place][reflection.images][:, reflection.images]
            for reflection in REFLECTIONS
        ]
    )


def as_cube(distances: list[int]) -> Moves:
    """Bring the oracle's plies into the order of `unfolded`, in moves."""
    plies = np.array(distances).reshape(64, 64, 64).transpose(2, 1, 0)
    return np.where(plies >= 0, (plies + 1) // 2, NO_MATE)


@pytest.mark.parametrize(
    ("name", "piece"), [("KQvK", chess.QUEEN), ("KRvK", chess.ROOK)]
)
def test_every_position_of_three_pieces_agrees_with_the_oracle(
    name: str, piece: chess.PieceType
) -> None:
    endgame = endgames.solve_endgame(piece)
    table = table_of(name)
    attacking, defending = (
        unfolded(nodes) for nodes in (table.attacker_nodes, table.defender_nodes)
    )
    legal = np.array(endgame.white_to_move).reshape(64, 64, 64).transpose(2, 1, 0)
    assert np.array_equal(attacking == ILLEGAL, legal == endgames.ILLEGAL)
    expected = np.where(legal >= 0, as_cube(endgame.white_to_move), ILLEGAL)
    assert np.array_equal(attacking, expected)
    # The oracle counts illegal positions with Black to move as escapes.
    defending[defending == ILLEGAL] = NO_MATE
    assert np.array_equal(defending, as_cube(endgame.black_to_move))


@pytest.mark.parametrize("name", ENDINGS)
def test_positions_follow_from_each_other_by_the_rules(name: str) -> None:
    follow_from_each_other(name, 60, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDINGS)
def test_many_positions_follow_from_each_other_by_the_rules(name: str) -> None:
    follow_from_each_other(name, 3000, seed=2)


@pytest.mark.parametrize("name", LONGEST)
def test_longest_mates_are_the_known_ones(name: str) -> None:
    assert table_of(name).longest == LONGEST[name]


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace(16)


@pytest.mark.parametrize(
    "name", ["KBBvK", "KBNvK", "KRRvK", "KQvKR", "KQvKN", "KRvKB", "KRvKN"]
)
def test_the_prover_finds_the_same_mates_and_no_shorter_ones(
    name: str, workspace: Workspace
) -> None:
    mates = 0
    for board, attacker in near_mates(name, 12, seed=3):
        moves = moves_of(board, attacker)
        for within in range(1, MOST_PROVED + 1):
            workspace.begin(None)
            verdict = workspace.prove(
                pack(board), within, attacking=board.turn == attacker
            )
            assert verdict is not Verdict.STOPPED
            assert (verdict is Verdict.MATE) == (moves <= within), board.fen()
        mates += 1 < moves <= MOST_PROVED
    assert mates >= 20
