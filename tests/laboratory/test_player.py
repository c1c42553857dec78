"""Players: legal, complete and reproducible games."""

from __future__ import annotations

import io
import random

import chess
import chess.pgn
import pytest

from solver.formats.pgn import RESULTS
from solver.laboratory.imbalance import (
    ImbalanceTable,
    count_material,
    find_material_cell,
    shipped,
)
from solver.laboratory.player import (
    Player,
    Rules,
    SelfPlay,
    repeats_position,
    result_of,
)
from solver.laboratory.techniques import Techniques
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("worker_processes", "laboratory_kernel")

RULES = Rules(depth=2)


def texts(games: int, first: int = 1, seed: int = 1, rules: Rules = RULES) -> list[str]:
    play = SelfPlay(seed, rules).begin()
    return [play(number) for number in range(first, first + games)]


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    return game


def test_the_same_seed_gives_the_same_games_from_any_first_game() -> None:
    games = texts(4)
    assert texts(4) == games
    assert texts(2, first=3) == games[2:]
    assert len(set(games)) == 4
    assert not set(texts(4, seed=2)) & set(games)


def test_games_are_legal_and_their_results_are_the_boards() -> None:
    results = set()
    for text in texts(12):
        game = read(text)
        board = game.end().board()
        result = game.headers["Result"]
        results.add(result)
        if board.is_repetition() or board.is_fifty_moves():
            assert result == "1/2-1/2"
        else:
            assert result == board.result()
    assert {"1-0", "0-1"} <= results


def test_a_game_that_lasts_too_long_is_left_unfinished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.laboratory.player.MOST_PLIES", 10)
    (text,) = texts(1, rules=Rules(depth=1))
    game = read(text)
    assert game.headers["Result"] == "*"
    assert game.end().ply() == 10


def test_the_winning_side_avoids_repetition() -> None:
    for text in texts(30):
        if '"1/2-1/2"' in text:
            assert abs(balance(read(text).end().board())) < 9, text


def balance(board: chess.Board) -> int:
    worth = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5}
    pieces = board.piece_map().values()
    return sum(
        worth.get(piece.piece_type, 9 * (piece.piece_type == chess.QUEEN))
        * (1 if piece.color else -1)
        for piece in pieces
    )


@sized("games", 5, 20)
def test_repetitions_and_results_are_those_of_python_chess(games: int) -> None:
    for seed in range(games):
        chance = random.Random(seed)
        board = chess.Board("4k2r/5p2/8/4P3/8/8/8/R3K3 b Qk - 0 1")
        while result_of(board) == "*" and board.ply() < 300:
            for move in board.legal_moves:
                after = board.copy()
                after.push(move)
                assert repeats_position(board, move) == after.is_repetition(2)
            board.push(chance.choice(list(board.legal_moves)))
            drawn = board.is_repetition() or board.is_fifty_moves()
            assert result_of(board) == ("1/2-1/2" if drawn else board.result())


def test_a_player_without_nodes_for_one_iteration_plays_a_legal_move() -> None:
    player = Player(Techniques(), Rules(nodes=1))
    assert chess.Board().is_legal(player.choose(chess.Board()))
    assert player.mate is None


def test_more_nodes_never_search_less_deep() -> None:
    board = chess.Board()
    depths = []
    for nodes in (100, 1_000, 10_000, 100_000):
        last = Player(Techniques(), Rules()).search(board, 100, nodes)
        assert last is not None
        assert last.nodes_total <= nodes
        depths.append(last.depth)
    assert depths == sorted(set(depths))


@pytest.mark.parametrize(
    ("fen", "proves"),
    [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", True),
        ("6k1/5ppp/8/8/8/8/6P1/6K1 w - - 0 1", False),
        ("r5k1/8/8/8/8/8/5PPP/6K1 w - - 0 1", False),  # it will not be mated by force
    ],
)
def test_the_prover_confirms_only_a_mate_that_the_player_saw(
    fen: str, *, proves: bool
) -> None:
    player = Player(Techniques(), Rules(depth=4))
    board = chess.Board(fen)
    player.choose(board)
    assert player.proves_mate(board) is proves


def test_a_mate_that_does_not_exist_is_not_confirmed() -> None:
    player = Player(Techniques(), Rules(depth=4))
    player.mate = 1
    assert not player.proves_mate(chess.Board())


def test_the_shipped_table_counts_the_games_that_its_source_names() -> None:
    table = shipped()
    assert "mip play --games 60000 --seed 1 --depth 4" in table.source
    for text in texts(20, first=59_981, rules=Rules(depth=4)):
        game = read(text)
        result = RESULTS[game.headers["Result"]]
        replayed = ImbalanceTable()
        for node in [game, *game.mainline()]:
            replayed.add(find_material_cell(count_material(node.board())), result)
        for cell, outcomes in replayed.filled_cells():
            held = table.outcomes(cell)
            assert all(some <= all_ for some, all_ in zip(outcomes, held, strict=True))
