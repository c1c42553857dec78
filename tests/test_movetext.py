"""Written lines: every spelling means the same, and nothing is silently dropped."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver import GradeStatus, InputError, grade, grade_many, solve_many
from solver.board import parse_fen
from solver.errors import FenError, quote
from solver.formats.claims import ReadOptions
from solver.formats.registry import read_collection
from solver.movetext import PartKind, is_move, plain_moves, read_moves, read_movetext
from solver.position_text import (
    TEXT_BYTES,
    GivenPosition,
    legal_moves,
    read_compiled,
    write_lines,
)
from solver.problem import Problem
from solver.search.queries import read_question
from tests.columns.test_grade import MATE_IN_TWO, generated
from tests.oracles import walks
from tests.oracles.reading import read_move
from tests.sizes import sized
from tests.written_lines import fuzzed, spellings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("kernel")


def parts(text: str) -> list[str]:
    """Return moves as they are written, and other parts after their kind's letter."""
    return [
        part.text if part.kind is PartKind.MOVE else f"{part.kind.name[0]}:{part.text}"
        for part in read_movetext(text)
        if part.kind is not PartKind.NOTATION
    ]


def moves_or_fault(fen: str, text: str) -> tuple[str, ...] | str:
    """Return a line's moves as python-chess reads them, or the expected message."""
    board, line = chess.Board(fen), []
    for part in read_moves(text):
        move = read_move(board, part.move)
        if move is None:
            expected = "a legal, unambiguous move" if part.move else "a move"
            return f"line: expected {expected} in SAN or UCI, found {quote(part.text)}"
        line.append(move.uci())
        board.push(move)
    return tuple(line)


def special_lines(count: int, seed: int) -> Iterator[tuple[str, list[chess.Move]]]:
    """Yield positions with lines that prefer castling, promotion and en passant."""
    random = Random(seed)
    for _ in range(count):
        fen = random.choice(walks.STARTS)
        board = chess.Board(fen)
        line: list[chess.Move] = []
        while len(line) < 6 and (moves := list(board.legal_moves)):
            special = [
                move
                for move in moves
                if move.promotion
                or board.is_castling(move)
                or board.is_en_passant(move)
            ]
            line.append(random.choice(random.choice((special, moves)) or moves))
            board.push(line[-1])
        yield fen, line


@sized("count", 30, 1000)
def test_every_spelling_of_a_line_is_the_same_line(count: int) -> None:
    written = ""
    for fen, moves in special_lines(count, seed=41):
        board = chess.Board(fen)
        texts = spellings(board, moves)
        expected = tuple(move.uci() for move in moves)
        written += f" {texts['en passant']}"
        for name, text in texts.items():
            assert moves_or_fault(fen, text) == expected, (name, text)
            assert GivenPosition(fen).line("line", text) == expected, (name, text)
    found = [written.count(each) for each in ("O-O", "e.p.", "=N")]
    assert min(found) > count // 100, found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Qg8+ Rxg8 2. Nf7#", ["Qg8+", "Rxg8", "Nf7#"]),
        ("1.Qg8+!? $2 Rxg8{so}2.Nf7#.1-0", ["Qg8+!?", "Rxg8", "C:so", "U:2.Nf7#.1-0"]),
        ("1... Rd1+ 2. Ke2, Re1 mate *", ["Rd1+", "Ke2", "Re1", "R:*"]),
        ("0-0-0 O-O O-0 O-O-0 o-o", ["0-0-0", "O-O", "U:O-0", "U:O-O-0", "U:o-o"]),
        ("e4; e5 ; Nf3 (Nc6\nNc3", ["e4", "e5", "Nc3"]),
        ("%e4\ne5 %e6", ["e5", "U:%e6"]),
        ("e4 +- e5 = +/- ± ! ?? + 12 3) $7 {a}", ["e4", "e5", "C:a"]),
        ("1-0 0-1 1/2-1/2 1/2 1-1", ["R:1-0", "R:0-1", "R:1/2-1/2", "R:1/2", "U:1-1"]),
        ("", []),
        ("1. ... … 12 3) $7", []),
        ("-- 0000 Sf3 Pe4 e8=K", ["U:--", "U:0000", "U:Sf3", "U:Pe4", "U:e8=K"]),
        ("Qg8 {no end Rxg8", ["Qg8", "U:{no end Rxg8"]),
        ("Qg8 (no (end) Rxg8", ["Qg8", "U:(no (end) Rxg8"]),
        ("Qg8} a$b $", ["Qg8", "U:}", "U:a", "U:$b", "U:$"]),
        ("Ra8\ud800 Ra8\u200b \ud800", ["U:Ra8\ud800", "U:Ra8\u200b", "U:\ud800"]),
    ],
)  # fmt: skip
def test_parts_of_a_line(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


def test_white_space_is_what_python_or_javascript_calls_so() -> None:
    spaces = [letter for letter in map(chr, range(0x11000)) if letter.isspace()]
    for space in [*spaces, "\ufeff"]:
        assert parts(f"e4{space}e5") == ["e4", "e5"]
    assert len(parts("e4\u200be5")) == len(parts("e4\x00e5")) == 1


@sized("count", 200, 20_000)
def test_a_quick_reading_is_that_of_the_whole_reader(count: int) -> None:
    """Compiled code gets a plain line as it is: it must find the same words in it."""
    random = Random(43)
    whole = 0
    for fen, moves in special_lines(count, seed=44):
        texts = [*spellings(chess.Board(fen), moves).values()]
        text = fuzzed(random.choice(texts), random)
        given = [part.move or "?" for part in read_moves(text)]
        plain = plain_moves(text)
        if plain is not text:
            assert plain.split() == given
        else:
            whole += 1
            words = [part.text for part in read_moves(text)]
            assert words == text.split()
            assert list(map(is_move, words)) == [word != "?" for word in given]
        found: tuple[str, ...] | str
        try:
            found = GivenPosition(fen).line("line", text)
        except InputError as error:
            found = str(error)
        assert found == moves_or_fault(fen, text), text
    assert count // 20 < whole < count


def test_a_word_that_is_no_move_is_unreadable() -> None:
    for text, ply in (("Qg8+ hmm", 1), ("1. Qg8\ud800", 0), ("Qg8+ {and", 1)):
        answer = grade(MATE_IN_TWO, text, 2)
        assert (answer.status, answer.ply) == (GradeStatus.UNREADABLE, ply), text
        assert answer.reason.startswith("expected a move in SAN or UCI, found '")
    assert grade(MATE_IN_TWO, "hmm", 2).right_moves == ("c4g8",)
    for text in ("Nf7+ hmm", "Qg8+ Kxg8 hmm", "Qg8+ Rxg8 Nf7# Kh7 hmm"):
        assert grade(MATE_IN_TWO, text, 2).status is GradeStatus.WRONG


def written(name: str, fen: str, text: str) -> str | None:
    """Return a record that claims a mate with this line; None if it cannot have it."""
    if name == "epd" and not set('";\r\n') & set(text):
        return f"{fen} dm 3; pv {text};"
    if name == "csv" and not set("\r\n") & set(text):
        return f'fen,claim,claimed_line\n{fen},3,"{text}"'
    if name == "jsonl":
        line = json.dumps([*text.split(" ")])
        return f'{{"fen":"{fen}","claim":3,"claimed_line":{line}}}'
    if name == "pgn":
        return f'[Event "x"]\n[FEN "{fen}"]\n[Stipulation "#3"]\n\n{text}\n'
    return None


@pytest.mark.parametrize("name", ["epd", "csv", "jsonl", "pgn"])
def test_every_format_reads_every_spelling(name: str, tmp_path: Path) -> None:
    (fen,) = generated(3, 1)
    fen = f"{fen} 0 1"
    (pv,) = solve_many([fen], max_moves=3).pv
    line = [chess.Move.from_uci(move) for move in pv]
    path = tmp_path / f"x.{name}"
    spelled = 0
    for spelling, text in spellings(chess.Board(fen), line).items():
        if record := written(name, fen, text):
            path.write_text(record, encoding="utf-8", newline="")
            (problem,) = read_collection(path, ReadOptions(source_format=name))
            assert isinstance(problem, Problem), (spelling, problem)
            assert problem.claim
            assert problem.claim.line == pv, spelling
            spelled += 1
    assert spelled > 20


START = chess.STARTING_FEN

# Positions and lines of records are read as by python-chess.


START = chess.STARTING_FEN


def test_lines_and_keys_are_read_in_any_notation() -> None:
    for fen, moves in special_lines(150, seed=1):
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
    for fen, moves in special_lines(count, seed=3):
        line = [move.uci() for move in moves]
        at = random.randint(0, len(line))
        faults = random.choice((["e2e9"], ["a1a1", *line], ["--", "?"], []))
        assert legal_moves(fen, [*line[:at], *faults]) == tuple(line[:at])


def test_a_wrong_fen_is_refused_alike_everywhere() -> None:
    for fen in ("", "8/8/8/8/8/8/8/8 w - -", "\xe9", "k" * 9000):
        messages = {grade_many([fen], ["e4"], 1)[0].reason}
        for read in (parse_fen, GivenPosition, read_question):
            with pytest.raises(FenError) as error:
                read(fen)
            messages.add(str(error.value))
        assert len(messages) == 1
        assert read_compiled(fen) is None
        assert write_lines(fen, [["e2e4"], []]) == [["e2e4"], []]


def test_texts_of_any_length_are_read() -> None:
    there, back = ["g1f3", "g8f6"], ["f3g1", "f6g8"]
    words = (there + back) * (TEXT_BYTES // 20)
    text = " ".join(words)
    assert len(text) < TEXT_BYTES < 2 * len(text)
    assert GivenPosition(START).keys("bm", "e4, e2e4 Nf3!") == ("e2e4", "g1f3")
    assert GivenPosition(START).line("line", text) == tuple(words)
    assert GivenPosition(START).line("line", f"{text} {text}") == (*words, *words)
    assert GivenPosition(START + " " * 100_000).fen == START
    assert GivenPosition(START).line("line", "1. e4") == ("e2e4",)
    assert write_lines(START, [["g1f3"]], [*words, *words]) == [["Nf3"]]


def test_the_position_after_played_moves_has_their_counters() -> None:
    assert read_compiled(START, "e2e4 e7e5 g1f3", played=2) == (
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "g1f3",
    )
