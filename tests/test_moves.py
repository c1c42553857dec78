"""Positions and lines of records are read as by python-chess."""

from __future__ import annotations

import sys
from random import Random

import chess
import pytest

from solver import grade_many
from solver.board import parse_fen
from solver.errors import FenError, InputError
from solver.position_text import (
    TEXT_BYTES,
    GivenPosition,
    first_moves,
    legal_moves,
    read_compiled,
    write_lines,
)
from solver.search.queries import read_question
from tests.oracles import walks
from tests.processes import run
from tests.sizes import sized

pytestmark = pytest.mark.usefixtures("kernel")

START = chess.STARTING_FEN


def played_lines(count: int, seed: int) -> list[tuple[str, list[chess.Move]]]:
    """Return positions, each with a line of one to six random moves."""
    random = Random(seed)
    lines = []
    for board in walks.random_positions(count, seed):
        fen, line = board.fen(en_passant="fen"), []
        for _ in range(random.randint(1, 6)):
            moves = list(board.legal_moves)
            if not moves:
                break
            line.append(random.choice(moves))
            board.push(line[-1])
        lines.append((fen, line))
    return lines


def test_lines_and_keys_are_read_in_any_notation() -> None:
    for fen, moves in played_lines(300, seed=1):
        board = chess.Board(fen)
        san = [board.san_and_push(move) for move in moves]
        uci = [move.uci() for move in moves]
        position = GivenPosition(fen)
        for text in (" ".join(san), " ".join(uci)):
            assert position.line("line", text) == tuple(uci)
        assert "board" not in vars(position)  # it was not needed
        start = chess.Board(fen)
        legal = [*start.legal_moves]
        keys = " ".join(map(start.san, legal))
        assert position.keys("key", keys) == tuple(move.uci() for move in legal)


@sized("count", 100, 5000)
def test_a_line_is_read_up_to_its_first_illegal_move(count: int) -> None:
    random = Random(3)
    for fen, moves in played_lines(count, seed=3):
        line = [move.uci() for move in moves]
        at = random.randint(0, len(line))
        faults = random.choice((["e2e9"], ["a1a1", *line], ["--", "?"], []))
        assert legal_moves(fen, [*line[:at], *faults]) == tuple(line[:at])


def test_duplicate_keys_are_read_once() -> None:
    position = GivenPosition(START)
    assert position.keys("bm", "e4, e2e4 Nf3!") == ("e2e4", "g1f3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e5", "a legal, unambiguous move in SAN or UCI, found 'e5'"),
        ("e2e4 e2e4", "a legal, unambiguous move in SAN or UCI, found 'e2e4'"),
        ("1. e4 é5", "a move in SAN or UCI, found '\\xe95'"),
        ("e4\ud800", "a move in SAN or UCI, found 'e4\\ud800'"),
        ("e4 -- e5", "a move in SAN or UCI, found '--'"),
    ],
)
def test_the_error_of_a_wrong_line_quotes_its_first_wrong_word(
    text: str, expected: str
) -> None:
    with pytest.raises(InputError) as error:
        GivenPosition(START).line("line", text)
    assert str(error.value) == f"line: expected {expected}"


@pytest.mark.parametrize(
    "fen", ["", "8/8/8/8/8/8/8/8 w - -", "\xe9", START.replace("w", "x"), "k" * 9000]
)
def test_a_wrong_fen_is_refused_alike_everywhere(fen: str) -> None:
    with pytest.raises(FenError) as error:
        parse_fen(fen)
    with pytest.raises(FenError) as found:
        GivenPosition(fen)
    assert str(found.value) == str(error.value)
    with pytest.raises(FenError) as found:
        read_question(fen)
    assert str(found.value) == str(error.value)
    (answer,) = grade_many([fen], ["e4"], 1)
    assert answer.reason == str(error.value)
    assert read_compiled(fen) is None
    assert write_lines(fen, [["e2e4"], []]) == [["e2e4"], []]


@pytest.mark.parametrize("word", ["", " ", "Nf3 Nc6", "Nf3\nNc6"])
def test_lines_with_a_word_that_is_no_word_stay_as_given(word: str) -> None:
    assert write_lines(START, [["e2e4"], [word]]) == [["e2e4"], [word]]
    assert first_moves(START, ["e2e4", word]) == ["e2e4", word]


def test_texts_of_any_length_are_read() -> None:
    there, back = ["g1f3", "g8f6"], ["f3g1", "f6g8"]
    words = (there + back) * (TEXT_BYTES // 20)
    text = " ".join(words)
    assert len(text) < TEXT_BYTES < 2 * len(text)
    assert GivenPosition(START).line("line", text) == tuple(words)
    assert GivenPosition(START).line("line", f"{text} {text}") == (*words, *words)
    assert GivenPosition(START + " " * 100_000).fen == START
    assert GivenPosition(START).line("line", "1. e4") == ("e2e4",)
    assert write_lines(START, [["g1f3"]], [*words, *words]) == [["Nf3"]]


def test_black_begins_where_the_caller_says_so() -> None:
    position = GivenPosition("7k/8/8/8/8/8/8/K7", chess.BLACK)
    assert position.fen == "7k/8/8/8/8/8/8/K7 b - - 0 1"
    assert position.board.turn == chess.BLACK


def test_the_position_after_played_moves_has_their_counters() -> None:
    assert read_compiled(START, "e2e4 e7e5 g1f3", played=2) == (
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "g1f3",
    )


READING_AT_EXIT = """
import threading, time
from solver.position_text import read_compiled
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_part
load_part(SEARCH)
def read():
    while True:
        read_compiled("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8")
for _ in range(3):
    threading.Thread(target=read, daemon=True).start()
time.sleep(0.05)
"""


@pytest.mark.slow
def test_a_thread_that_reads_does_not_crash_the_end_of_the_process() -> None:
    # One of 20 crashed when the thread's memory was freed under it.
    for _ in range(60):
        assert run([sys.executable, "-c", READING_AT_EXIT]).returncode == 0
