"""Written problems are read again, except for what a format cannot express."""

from __future__ import annotations

import random
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import accepted
from solver.board import parse_fen
from solver.errors import InputError
from solver.formats import detection, registry
from solver.formats.claims import ReadOptions, Selection
from solver.formats.en_croissant import take_back
from solver.formats.rows import CSV_HEAD
from solver.problem import EXPECTED, Claim, Problem, Stipulation, printable
from tests.formats.cases import (
    SEEDS,
    Records,
    cases,
    play,
    play_line,
    problems_of,
    said,
    warned,
    write_whole,
)
from tests.sizes import sized

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
CLAIM = Claim(8, ("h7g6",), ("h7g6", "h1g1", "g6f5"))
FULL = Problem(ROOK, 'a "b", né', replace(CLAIM, any_last_move=True))
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
PLACED = "7k/8/8/8/8/8/R7/1R4K1"


BARE = "8/7K/8/8/8/8/R7/7k"
OWN = (
    f'{{"id":"a \\"b\\", né","fen":"{ROOK}","claim":8,"claimed_keys":["h7g6"],'
    '"claimed_line":["h7g6","h1g1","g6f5"],"any_last_move":true}'
)
WRITTEN = [
    (
        "epd",
        Problem(ROOK, 'a "b"\\; c', CLAIM),
        f'{BARE} w - - dm 8; bm Kg6; pv Kg6 Kg1 Kf5; id "a \\"b\\"\\\\; c";',
    ),
    (
        "epd",
        Problem(f"{BARE} b - - 3 40", "x", Claim(-7)),
        f'{BARE} b - - hmvc 3; fmvn 40; dm -7; id "x";',
    ),
    ("epd", Problem(ROOK, "x", no_mate=3), f'{BARE} w - - nomate 3; id "x";'),
    (
        "epd",
        Problem(LADDER, "A", Claim(2, solutions=3), stipulation="h#2"),
        f'{PLACED} w - - stipulation "h#2"; solutions 3; id "A";',
    ),
    ("fen", Problem(ROOK, "x", CLAIM), ROOK),
    ("jsonl", Problem(ROOK, "x"), f'{{"id":"x","fen":"{ROOK}"}}'),
    ("jsonl", FULL, OWN),
    ("csv", FULL, f'"a ""b"", né",{ROOK},8,,h7g6,h7g6 h1g1 g6f5,true,,'),
]


@pytest.mark.parametrize(("name", "problem", "text"), WRITTEN)
def test_what_is_written(name: str, problem: Problem, text: str) -> None:
    assert registry.find_writer(name).write(problem) == f"{text}\n"
    assert CSV_HEAD.count(",") == 8  # as many as in each row


def test_the_format_is_derived_from_the_name() -> None:
    names = {"x.epd": "epd", "a.b/x.fen.gz": "fen", "x.jsonl.gz": "jsonl"}
    names |= {"x.inp": "popeye", "x.parquet.gz": "parquet"}
    for path, expected in names.items():
        assert registry.format_of(path) == expected
    for path in ("x", "x.gz", "x.txt", "-", "epd"):
        assert registry.format_of(path) is None
    assert set(registry.WRITABLE) < set(registry.FORMATS)


def test_written_epd_is_read_by_python_chess() -> None:
    text = registry.find_writer("epd").write(Problem(ROOK, 'a "b"; c', CLAIM))
    board, line = chess.Board(), [*map(chess.Move.from_uci, CLAIM.line)]
    expected = {"dm": 8, "bm": line[:1], "pv": line, "id": 'a "b"; c'}
    assert board.set_epd(text.strip()) == expected
    assert board.fen() == ROOK


def records(folder: Path, name: str, text: str | bytes) -> Records:
    path = folder / "written"
    path.write_bytes(text if isinstance(text, bytes) else f"{text}\n".encode())
    return list(registry.read_collection(path, ReadOptions(source_format=name)))


def written(folder: Path, name: str, problem: Problem) -> Problem:
    whole = write_whole(name, problem)
    if name not in {"fen", "parquet"}:
        assert detection.detect(whole.splitlines()[0]) == name
    (record,) = problems_of(records(folder, name, whole))
    return replace(record, source="")


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    seed = draw(SEEDS)
    board = play(seed)
    name = draw(st.text(min_size=1, max_size=20))
    problem = Problem(board.fen(en_passant="fen"), name)
    distance = draw(st.integers(1, 200)) * draw(st.sampled_from([1, -1]))
    match draw(st.sampled_from(["claim", "no mate", "nothing"])):
        case "nothing":
            return problem
        case "no mate":
            return replace(problem, no_mate=abs(distance))
    line = play_line(board, seed, draw(st.integers(0, 5)))
    keys = tuple(move.uci() for move in board.legal_moves)[: draw(st.integers(0, 3))]
    return replace(problem, claim=Claim(distance, keys, line, draw(st.booleans())))


@sized("count", 20, 1000)
def test_written_problems_are_read_again_unchanged(tmp_path: Path, count: int) -> None:
    @settings(derandomize=True, max_examples=count)
    @given(problem=problems())
    def check(problem: Problem) -> None:
        assert written(tmp_path, "jsonl", problem) == problem
        line = re.sub(r"\r\n|\r|\n", " ", problem.id)
        assert written(tmp_path, "csv", problem) == replace(problem, id=line)
        if find_spec("pyarrow"):
            assert written(tmp_path, "parquet", problem) == problem
        claim = problem.claim and replace(problem.claim, any_last_move=False)
        name = printable(problem.id) or "written:1"
        expected = replace(problem, id=name, claim=claim)
        assert written(tmp_path, "epd", problem) == expected

    check()


def test_a_name_is_kept_to_the_character_or_written_as_one_line(tmp_path: Path) -> None:
    kept = ["jsonl", "csv", *["parquet"] * (find_spec("pyarrow") is not None)]
    for name in ("\ttab  and\u00a0spaces ", " ", "\x1b[2J", "\x85", "\0"):
        problem = Problem(chess.STARTING_FEN, name)
        for target in kept:
            assert written(tmp_path, target, problem) == problem
    for target in ("epd", "pgn", "popeye"):
        problem = Problem(LADDER, " a\n\tname\x1b ", Claim(2))
        assert written(tmp_path, target, problem).id == "a name\ufffd"
    whole = write_whole("jsonl", Problem(chess.STARTING_FEN, "é\x1b\x9b\u202e"))
    assert whole.startswith(rb'{"id":"\u00e9\u001b\u009b\u202e",')


# --- stipulations


def remains(problem: Problem, name: str) -> Problem:
    """Return what is left of a problem after it was written."""
    claim = problem.claim
    assert claim
    if name == "popeye":
        fen = f"{problem.position} 0 1"
        return replace(problem, fen=fen, claim=Claim(claim.mate))
    if name == "fen":
        return Problem(problem.fen, "written:1")
    if name == "pgn" and str(problem.stipulation) == "=1":  # the key is the line
        return replace(problem, claim=replace(claim, line=claim.line or claim.keys[:1]))
    return problem


def stipulated(text: str, seed: int) -> Problem:
    """A random position with keys, a line, or a number of solutions."""
    stipulation = Stipulation.parse(text)
    while not any((board := play(seed)).legal_moves):
        seed += 1
    choice = random.Random(seed)
    line = play_line(board, seed, choice.choice([0, 2, 4]))
    moves = stipulation.attacker_moves
    if stipulation.is_help:
        claim = Claim(moves, (), line, solutions=choice.choice([None, 0, 1, 1000]))
    else:
        keys = tuple(move.uci() for move in board.legal_moves)[: choice.randrange(3)]
        claim = Claim(moves, keys, line)
    return Problem(board.fen(en_passant="fen"), "A", claim, "", None, stipulation)


@pytest.mark.parametrize(
    "name", [name for name in registry.WRITABLE if name != "sqlite"]
)
def test_a_written_stipulation_is_read_again(name: str, tmp_path: Path) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    texts = "=1 =4 s#1 s#3 s=2 r#2 semi-r#3 h#1 h#2 h#0.5 h#2.5 h#12 h=2 h=3.5"
    for text in texts.split():
        for seed in range(3):
            problem = stipulated(text, seed)
            assert written(tmp_path, name, problem) == remains(problem, name)


HELP = "solutions: expected a help stipulation, found"
COUNT = "expected 0 to 1,000 solutions, found"
CONFLICT = "claims: expected one, found"


@pytest.mark.parametrize(
    ("name", "text", "expected", "warning"),
    cases(rf"""
        epd | stipulation "#2";       | #2
        epd | stipulation  H#2.5 ;    | h#2.5
        epd | stipulation "s#2"; dm 2; bm Rb7; | s#2 keys b1b7
        json | "stipulation":"#2"     | #2
        json | "stipulation":"s#2","claim":2,"claimed_keys":["b1b7"],"solutions":[["a2a3"]] | s#2 keys b1b7
        # Another stipulation is refused by its name.
        epd | stipulation "hs#2";     | stipulation: expected {EXPECTED}, found 'hs#2'
        epd | dm 2; stipulation ser-h#4; | stipulation: expected {EXPECTED}, found 'ser-h#4'
        # The stipulation is kept, and what contradicts it is named.
        epd | stipulation "s#2"; dm 3;           | s#2 | {CONFLICT} s#2 and a mate in 3
        epd | stipulation "s#2"; solutions 2;    | s#2 | {HELP} s#2
        epd | dm 2; solutions 2;                 | #2  | {HELP} none
        epd | stipulation "h#2"; solutions 1001; | h#2 | solutions: {COUNT} '1001'
        csv | stipulation,claimed_solutions\n,h#2,-1 | h#2 | claimed_solutions: {COUNT} '-1'
        csv | stipulation,claim\n,h#2.5,2 | h#2.5 | {CONFLICT} h#2.5 and a mate in 2
    """),  # noqa: E501
)
def test_a_stipulation_is_read_in_every_format(
    name: str, text: str, expected: str, warning: str, tmp_path: Path
) -> None:
    whole = {
        "epd": f"{LADDER} {text}",
        "csv": f"fen,{text}".replace("\n,", f"\n{LADDER},"),
        "pgn": f'[FEN "{LADDER}"]\n[{text}]\n\n*',
        "json": f'{{"fen":"{LADDER}",{text}}}',
    }[name]
    found = name.replace("json", "jsonl")
    (record,) = records(tmp_path, found, whole)
    assert said(record) == expected
    if isinstance(record, Problem):
        assert (record.fen, warned(record)) == (LADDER, warning)


def test_a_fen_without_a_side_to_move_has_the_one_that_begins(tmp_path: Path) -> None:
    for text, side in (("h#2", "b"), ("h=3", "b"), ("h#2.5", "w"), ("s#2", "w")):
        json = f'{{"fen":"{PLACED}","stipulation":"{text}"}}'
        row = f"fen,stipulation\n{PLACED},{text}"
        for name, whole in (("jsonl", json), ("csv", row)):
            (problem,) = problems_of(records(tmp_path, name, whole))
            assert problem.fen == f"{PLACED} {side} - - 0 1"
    for color in (chess.WHITE, chess.BLACK):
        assert parse_fen(LADDER, color).turn == chess.WHITE
        assert parse_fen(LADDER.replace(" w ", " b "), color).turn == chess.BLACK
    with pytest.raises(InputError):
        parse_fen("", chess.BLACK)


def test_a_selection_counts_the_attackers_moves(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    texts = ["#3", "s#2", "h#2", "h#2.5", "h#3", "=4", "r#1"]
    path.write_text(
        "".join(f'{{"fen":"{LADDER}","stipulation":"{text}"}}\n' for text in texts)
    )
    options = ReadOptions(selection=Selection(min_claim=2, max_claim=3))
    found = problems_of(list(registry.read_collection(path, options)))
    assert [*map(said, found)] == ["#3", "s#2", "h#2", "h#2.5", "h#3"]


# --- En Croissant's databases: each row is a game that ends in the solver's mate

PUZZLES = Path(__file__).parents[2] / "puzzles"
PHILIDOR = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
LINE = "c4g8", "f8g8", "h6f7"
BEFORE = "5k2/5ppp/8/8/8/8/8/R5K1 b - - 4 30"
"""After Kg8, Ra8 mates."""


def rows_of(path: Path, problem: Problem) -> list[tuple[object, ...]]:
    path.write_bytes(write_whole("sqlite", problem))
    with closing(sqlite3.connect(path)) as base:
        columns = "puzzles.*, puzzle_id, name"
        join = "puzzles JOIN puzzle_themes JOIN themes ON themes.id = theme_id"
        return base.execute(f"SELECT {columns} FROM {join}").fetchall()


def test_a_problem_begins_with_a_move_that_is_taken_back(tmp_path: Path) -> None:
    problem = Problem(PHILIDOR, "philidor", Claim(2, LINE[:1], LINE))
    fen, moves = "7k/6pp/7N/8/2Q5/8/5r2/6K1 b - - 0 1", "f2f8 c4g8 f8g8 h6f7"
    expected = (1, fen, moves, 1500, 500, 0, 0, 1, "mateIn2")
    assert rows_of(tmp_path / "x.db3", problem) == [expected]


def test_the_source_s_own_move_is_kept(tmp_path: Path) -> None:
    moves = "f8g8 a1a8"
    for text in (
        f"PuzzleId,FEN,Moves,Themes\none,{BEFORE},{moves},mate mateIn1\n",
        f"id,fen,line,claim\none,{BEFORE},Kg8 Ra8#,1\n",
        f'[FEN "{BEFORE}"]\n[Event "mate in 1"]\n\n30... Kg8 31. Ra8# 1-0\n',
    ):
        (problem,) = registry.read_text(text)
        assert isinstance(problem, Problem)
        ((_, *row),) = rows_of(tmp_path / "x.db3", problem)
        assert row[:2] == [BEFORE, moves]


@pytest.mark.usefixtures("kernel")
def test_mates_get_their_lines_from_trees_and_are_read_again(tmp_path: Path) -> None:
    path, writer = tmp_path / "mates.db3", registry.find_writer("sqlite")
    source = registry.read_collection(PUZZLES / "generated-3.epd")
    problems = [one for one in source if isinstance(one, Problem)]
    rows = [writer.write(one, accepted(one.fen, 3)) for one in problems]
    with path.open("wb") as file:
        writer.save(rows, file)
    for problem, (fen, moves, length) in zip(problems, rows, strict=True):
        board = chess.Board(fen)
        assert board.is_valid()
        for ply, move in enumerate(map(chess.Move.from_uci, moves.split())):
            if ply == 1:
                assert board.epd() == chess.Board(problem.fen).epd()
                assert problem.claim
                assert move.uci() in problem.claim.keys
            assert move in board.legal_moves
            board.push(move)
        assert (board.is_checkmate(), len(board.move_stack), length) == (True, 6, 3)
    read = [one for one in registry.read_collection(path) if isinstance(one, Problem)]
    assert [one.position for one in read] == [one.position for one in problems]
    assert {one.claim and one.claim.mate for one in read} == {3}


def test_a_move_is_taken_back_from_almost_any_position() -> None:
    taken = 0
    for seed in range(30):
        board = play(seed)
        try:
            fen, move = take_back(board.fen())
        except InputError:
            continue
        before = chess.Board(fen)
        assert before.is_valid()
        assert not before.is_capture(before.parse_uci(move))
        before.push_uci(move)
        assert before.epd() == board.epd()
        taken += 1
    assert taken > 25
    for fen, expected in (
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d7d5"),  # en passant is still possible
        ("4k3/8/8/8/1b6/8/7p/4K3 w - - 0 1", "a3b4"),  # it has just given check
    ):
        earlier, move = take_back(fen)
        assert move == expected
        board = chess.Board(earlier)
        board.push_uci(move)
        assert board.epd() == chess.Board(fen).epd()


UP_TO_MATE = "line: expected moves up to the solver's mate, found"
FINDS = "--accepted finds them"
NO_MOVE = "position: expected one that a quiet move leads to, found none to take back"
STUCK = "5brk/4p1pp/8/4N3/8/8/8/6K1 w - -"
"""None of Black's pieces can have moved last."""


def test_what_cannot_be_played_is_refused() -> None:
    short = Problem(PHILIDOR, claim=Claim(2, (), LINE[:2]))
    for problem, fault in (
        (Problem(PHILIDOR), f"{UP_TO_MATE} none; {FINDS}"),
        (short, f"{UP_TO_MATE} c4g8 f8g8; {FINDS}"),
        (Problem(PHILIDOR, stipulation="h#2"), f"{UP_TO_MATE} h#2"),
        (Problem(STUCK, "", Claim(1, (), ("e5f7",))), NO_MOVE),
    ):
        with pytest.raises(InputError) as refused:
            registry.find_writer("sqlite").write(problem)
        assert str(refused.value) == fault
