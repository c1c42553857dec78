"""Small endgames: mates, keys and lines, and the building of tables."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import chess
import pytest

from solver.endgames import endgame_table, probe
from solver.endgames.probe import EndingAnswer, find_ending
from tests.endgames.boards import random_boards
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from solver.endgames.endgame_table import Table
    from solver.endgames.ending import Pieces


def never() -> bool:
    return False


def solve(fen: str, attacker: chess.Color = chess.WHITE) -> EndingAnswer | None:
    return find_ending(chess.Board(fen), attacker, is_stopped=never)


def play(board: chess.Board, line: tuple[str, ...]) -> chess.Board:
    board = board.copy()
    for uci in line:
        board.push(chess.Move.from_uci(uci))
        assert board.is_valid()
    return board


@pytest.mark.parametrize("name", ["KRvK", "KBNvK", "KQvKR", "KRvKN"])
def test_lines_are_complete_and_end_in_mate(name: str) -> None:
    mates = 0
    for board, attacker in random_boards(name, 25, seed=4):
        answer = find_ending(board, attacker, is_stopped=never)
        assert answer is not None
        if answer.moves is None:
            assert answer == EndingAnswer(None)
            continue
        attacking = board.turn == attacker
        assert len(answer.line) == 2 * answer.moves - attacking
        assert play(board, answer.line).is_checkmate()
        mates += 1
    assert mates >= 5


def test_keys_are_exactly_the_first_moves_that_keep_the_mate() -> None:
    for board, attacker in random_boards("KBNvK", 8, seed=5):
        answer = find_ending(board, attacker, is_stopped=never)
        assert answer is not None
        if board.turn != attacker or answer.moves is None:
            assert answer.keys == ()
            continue
        keeping = []
        for move in board.legal_moves:
            board.push(move)
            after = find_ending(board, attacker, is_stopped=never)
            board.pop()
            if after and after.moves == answer.moves - 1:
                keeping.append(move.uci())
        assert list(answer.keys) == keeping
        assert answer.line[0] in keeping


def test_reflections_and_colours_change_nothing() -> None:
    turns = (chess.flip_horizontal, chess.flip_vertical, chess.flip_diagonal)
    for board, attacker in random_boards("KQvKR", 15, seed=6):
        answer = find_ending(board, attacker, is_stopped=never)
        assert answer is not None
        mirrored = find_ending(board.mirror(), not attacker, is_stopped=never)
        images = [board.transform(turn) for turn in turns]
        answers = [find_ending(b, attacker, is_stopped=never) for b in images]
        for other in (mirrored, *answers):
            assert other is not None
            assert other.moves == answer.moves
            assert len(other.keys) == len(answer.keys)


def test_the_board_is_left_as_it_is() -> None:
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 3 9")
    fen = board.fen()
    find_ending(board, chess.WHITE, is_stopped=never)
    assert board.fen() == fen


def test_checkmate_is_mate_in_nought() -> None:
    assert solve("R3k3/8/4K3/8/8/8/8/8 b - - 0 1") == EndingAnswer(0)


def test_stalemate_is_an_escape() -> None:
    assert solve("k7/2Q5/8/8/8/8/8/4K3 b - - 0 1") == EndingAnswer(None)


def test_a_side_that_captures_the_last_piece_is_never_mated() -> None:
    assert solve("8/8/8/3k4/3R4/8/8/K7 b - - 0 1") == EndingAnswer(None)


def test_two_knights_cannot_force_mate() -> None:
    answer = solve("8/8/4k3/8/8/2NNK3/8/8 w - - 0 1")
    assert answer == EndingAnswer(None)


def test_a_bare_king_never_mates() -> None:
    assert solve("8/8/8/4k3/8/8/8/R3K3 b - - 0 1", chess.BLACK) == EndingAnswer(None)


@pytest.mark.parametrize(
    "fen",
    [
        pytest.param("8/8/8/4k3/8/8/P7/R3K3 w - - 0 1", id="pawn"),
        pytest.param("8/8/8/4k3/8/8/8/R3K3 w Q - 0 1", id="castling"),
        pytest.param("8/8/8/4k3/8/8/8/RNB1K3 w - - 0 1", id="five pieces"),
    ],
)
def test_other_positions_are_not_small_endgames(fen: str) -> None:
    assert solve(fen) is None


def test_a_stopped_build_returns_nothing_and_harms_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probe, "_TABLES", {})
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    for most in range(8):
        polls = iter([False] * most + [True])
        assert find_ending(board, chess.WHITE, is_stopped=polls.__next__) is None
    answer = find_ending(board, chess.WHITE, is_stopped=never)
    assert answer is not None
    assert play(board, answer.line).is_checkmate()


def test_threads_share_the_tables_that_one_of_them_builds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[Pieces] = []
    build = endgame_table.build_table

    def count(
        pieces: Pieces, smaller: Mapping[int, Table], is_stopped: Callable[[], bool]
    ) -> Table | None:
        built.append(pieces)
        return build(pieces, smaller, is_stopped)

    monkeypatch.setattr(probe, "_TABLES", {})
    monkeypatch.setattr(endgame_table, "build_table", count)
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    answers = []

    def run() -> None:
        answers.append(find_ending(board, chess.WHITE, is_stopped=never))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    assert len(set(answers)) == 1
    assert len(built) == len(set(built)) == 2  # KRvK, and the kings alone


def test_a_thread_that_waits_for_another_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probe, "_TABLES", {})
    answers = iter([False, False, True])
    board = chess.Board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    with probe._BUILDING:
        stopped = find_ending(board, chess.WHITE, is_stopped=lambda: next(answers))
    assert stopped is None
    assert next(answers, None) is None


def test_numpy_is_loaded_only_for_a_small_endgame() -> None:
    program = """
import chess, sys
from solver.endgames.probe import find_ending
assert find_ending(chess.Board(), chess.WHITE, is_stopped=bool) is None
assert "numpy" not in sys.modules
"""
    run([sys.executable, "-c", program], check=True)
