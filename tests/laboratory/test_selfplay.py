"""Self-play: legal, complete and reproducible games."""

from __future__ import annotations

import io

import chess
import chess.pgn
import pytest

from solver.formats.pgn import RESULTS
from solver.laboratory.imbalance import ImbalanceTable, shipped
from solver.laboratory.material import count_pieces, find_cell
from solver.laboratory.selfplay import Rules, play
from solver.search.threads import Control

pytestmark = pytest.mark.usefixtures("kernel")

RULES = Rules(depth=2)


def texts(games: int, first: int = 1, seed: int = 1) -> list[str]:
    return [str(game) for game in play(games, seed, RULES, first=first)]


def test_the_same_seed_gives_the_same_games_from_any_first_game() -> None:
    games = texts(4)
    assert texts(4) == games
    assert texts(2, first=3) == games[2:]
    assert len(set(games)) == 4
    assert not set(texts(4, seed=2)) & set(games)


def test_games_are_legal_and_their_results_are_the_boards() -> None:
    results = set()
    for text in texts(12):
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None
        assert not game.errors
        board = game.end().board()
        result = game.headers["Result"]
        results.add(result)
        if board.is_repetition() or board.is_fifty_moves():
            assert result == "1/2-1/2"
        else:
            assert result == board.result()
    assert {"1-0", "0-1"} <= results


def test_a_game_that_lasts_too_long_is_left_unfinished() -> None:
    (game,) = play(1, 1, Rules(depth=1, most_plies=10))
    assert game.headers["Result"] == "*"
    assert game.end().ply() == 10


def test_the_winning_side_avoids_repetition() -> None:
    drawn = [text for text in texts(30) if '"1/2-1/2"' in text]
    for text in drawn:
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None
        assert abs(balance(game.end().board())) < 9, text


def balance(board: chess.Board) -> int:
    worth = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5}
    pieces = board.piece_map().values()
    return sum(
        worth.get(piece.piece_type, 9 * (piece.piece_type == chess.QUEEN))
        * (1 if piece.color else -1)
        for piece in pieces
    )


def test_a_stopped_game_is_not_yielded() -> None:
    control = Control()
    control.stop()
    assert list(play(3, 1, RULES, control=control)) == []


def test_the_shipped_table_counts_the_games_that_its_source_names() -> None:
    table = shipped()
    assert "mip play --games 10000 --seed 1 --depth 4" in table.source
    for game in play(20, 1, Rules(depth=4), first=9_981):
        result = RESULTS[game.headers["Result"]]
        replayed = ImbalanceTable()
        for node in [game, *game.mainline()]:
            replayed.add(find_cell(count_pieces(node.board())), result)
        for cell, outcomes in replayed.filled_cells():
            held = table.outcomes(cell)
            assert all(some <= all_ for some, all_ in zip(outcomes, held, strict=True))
