"""Stipulations in every format: what is written is read again unchanged."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import parse_fen
from solver.errors import FormatError, InputError
from solver.formats.claims import ReadOptions, Selection
from solver.formats.epd import parse_record
from solver.formats.registry import WRITABLE, find_writer, read_collection
from solver.formats.rows import CSV_HEAD
from solver.problem import EXPECTED, MATE, Claim, Problem, Stipulation
from tests.formats import random_positions, whole_files

if TYPE_CHECKING:
    from pathlib import Path

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
STIPULATIONS = [
    *("=1", "=4", "s#1", "s#3", "s=2", "r#2", "r#1", "semi-r#3"),
    *("h#1", "h#2", "h#0.5", "h#2.5", "h#12", "h=1", "h=2", "h=0.5", "h=3.5"),
]


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
    board = random_positions.play(seed)
    while not any(board.legal_moves):
        seed += 1
        board = random_positions.play(seed)
    choice = random.Random(seed)
    line = random_positions.play_line(board, seed, choice.choice([0, 2, 4]))
    moves = stipulation.attacker_moves
    if stipulation.is_help:
        claim = Claim(moves, (), line, solutions=choice.choice([None, 0, 1, 7, 1000]))
    else:
        keys = tuple(move.uci() for move in board.legal_moves)[: choice.randrange(3)]
        claim = Claim(moves, keys, line)
    return Problem(board.fen(en_passant="fen"), "A", claim, "", None, stipulation)


def read(folder: Path, name: str, text: str | bytes) -> Problem:
    path = folder / "written"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    (found,) = read_collection(path, ReadOptions(source_format=name))
    assert isinstance(found, Problem), found
    return replace(found, source="")


@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "sqlite"])
@pytest.mark.parametrize("text", STIPULATIONS)
def test_a_written_stipulation_is_read_again(
    name: str, text: str, tmp_path: Path
) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    for seed in range(8):
        problem = stipulated(text, seed)
        whole = whole_files.write_whole(name, problem)
        assert read(tmp_path, name, whole) == remains(problem, name)


def test_epd_has_operations_of_its_own() -> None:
    text = '7k/8/8/8/8/8/R7/1R4K1 b - - stipulation "h#2"; solutions 3; id "A";\n'
    problem = parse_record(text, "x.epd:1")
    assert str(problem.stipulation) == "h#2"
    assert problem.claim == Claim(2, solutions=3)
    assert find_writer("epd").write(problem) == text
    board = chess.Board()
    operations = board.set_epd(text.strip())
    assert operations == {"stipulation": "h#2", "solutions": 3, "id": "A"}


@pytest.mark.parametrize("operand", ["h#2.5", '"h#2.5"', "H#2.5", " h#2.5 "])
def test_the_operation_may_have_quotes(operand: str) -> None:
    record = f"7k/8/8/8/8/8/R7/1R4K1 w - - stipulation {operand};"
    assert str(parse_record(record, "x:1").stipulation) == "h#2.5"


def test_a_direct_mate_is_a_claim_in_every_format(tmp_path: Path) -> None:
    expected = Problem(LADDER, "A", Claim(2))
    epd = f'{LADDER} stipulation "#2"; id "A";\n'
    json = f'{{"fen":"{LADDER}","id":"A","stipulation":"#2"}}\n'
    row = f"id,fen,stipulation\nA,{LADDER},#2\n"
    pgn = f'[Event "A"]\n[FEN "{LADDER}"]\n[Stipulation "#2"]\n\n*\n'
    assert read(tmp_path, "epd", epd) == expected
    assert read(tmp_path, "jsonl", json) == expected
    assert read(tmp_path, "csv", row) == expected
    assert read(tmp_path, "pgn", pgn) == expected


def test_a_stipulation_may_repeat_the_claim(tmp_path: Path) -> None:
    epd = f'{LADDER} stipulation "s#2"; dm 2; bm Rb7; id "A";\n'
    stipulation = Stipulation.parse("s#2")
    expected = Problem(LADDER, "A", Claim(2, ("b1b7",)), "", None, stipulation)
    assert read(tmp_path, "epd", epd) == expected
    json = f'{{"fen":"{LADDER}","id":"A","stipulation":"s#2","claim":2,'
    json += '"claimed_keys":["b1b7"],"solutions":[["a2a3"]]}\n'
    assert read(tmp_path, "jsonl", json) == expected


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("epd", f'{LADDER} stipulation "hs#2";', "'hs#2'"),
        ("epd", f"{LADDER} dm 2; stipulation ser-h#4;", "'ser-h#4'"),
        ("csv", f"fen,claim,stipulation\n{LADDER},2,+", "'+'"),
    ],
)
def test_another_stipulation_is_refused_by_its_name(
    name: str, text: str, found: str, tmp_path: Path
) -> None:
    (error,) = records(tmp_path / "x", name, text)
    assert isinstance(error, FormatError)
    assert error.reason == f"stipulation: expected {EXPECTED}, found {found}"


@pytest.mark.parametrize(
    ("name", "text", "warning"),
    [
        (
            "epd",
            f'{LADDER} stipulation "s#2"; dm 3;',
            "claims: expected one, found s#2 and a mate in 3; kept s#2",
        ),
        (
            "epd",
            f'{LADDER} stipulation "s#2"; nomate 2;',
            "claims: expected one, found s#2 and nomate 2; kept s#2",
        ),
        (
            "epd",
            f'{LADDER} stipulation "s#2"; solutions 2;',
            "solutions: expected a help stipulation, found s#2; kept s#2",
        ),
        (
            "epd",
            f"{LADDER} dm 2; solutions 2;",
            "solutions: expected a help stipulation, found none; kept mate in 2",
        ),
        (
            "epd",
            f'{LADDER} stipulation "h#2"; solutions 1001;',
            "solutions: expected 0 to 1,000 solutions, found '1001'; kept h#2",
        ),
        (
            "csv",
            f"fen,stipulation,claimed_solutions\n{LADDER},h#2,-1",
            "claimed_solutions: expected 0 to 1,000 solutions, found '-1'; kept h#2",
        ),
        (
            "csv",
            f"fen,stipulation,claim\n{LADDER},h#2.5,2",
            "claims: expected one, found h#2.5 and a mate in 2; kept h#2.5",
        ),
    ],
)
def test_the_stipulation_is_kept_and_what_contradicts_it_is_named(
    name: str, text: str, warning: str, tmp_path: Path
) -> None:
    (problem,) = records(tmp_path / "x", name, text)
    assert isinstance(problem, Problem)
    assert problem.warnings == (warning,)


def records(path: Path, name: str, text: str) -> list[Problem | FormatError]:
    path.write_text(text + "\n", encoding="utf-8")
    return list(read_collection(path, ReadOptions(source_format=name)))


@pytest.mark.parametrize(
    ("text", "side"),
    [("h#2", "b"), ("h=3", "b"), ("h#2.5", "w"), ("s#2", "w"), ("#2", "w")],
)
def test_a_fen_without_a_side_to_move_has_the_one_that_begins(
    text: str, side: str, tmp_path: Path
) -> None:
    placement = LADDER.split(maxsplit=1)[0]
    board = parse_fen(placement, Stipulation.parse(text).white_begins)
    assert board.fen() == f"{placement} {side} - - 0 1"
    json = f'{{"fen":"{placement}","stipulation":"{text}"}}\n'
    assert read(tmp_path, "jsonl", json).fen == board.fen()
    row = f"fen,stipulation\n{placement},{text}\n"
    assert read(tmp_path, "csv", row).fen == board.fen()


def test_a_fen_with_a_side_to_move_keeps_it() -> None:
    for side in (chess.WHITE, chess.BLACK):
        assert parse_fen(LADDER, side).turn == chess.WHITE
        assert parse_fen(LADDER.replace(" w ", " b "), side).turn == chess.BLACK
    assert MATE.white_begins
    with pytest.raises(InputError):
        parse_fen("", chess.BLACK)


def test_a_selection_counts_the_attackers_moves(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    texts = ["#3", "s#2", "h#2", "h#2.5", "h#3", "=4", "r#1"]
    path.write_text(
        "".join(f'{{"fen":"{LADDER}","stipulation":"{text}"}}\n' for text in texts)
    )
    selection = Selection(min_claim=2, max_claim=3)
    found = [
        one.stipulation
        for one in read_collection(path, ReadOptions(selection=selection))
        if isinstance(one, Problem)
    ]
    assert list(map(str, found)) == ["#", "s#2", "h#2", "h#2.5", "h#3"]


def test_the_header_of_csv_names_every_column() -> None:
    problem = stipulated("h#2", 1)
    row = find_writer("csv").write(problem)
    assert len(row.split(",")) == len(CSV_HEAD.split(","))
