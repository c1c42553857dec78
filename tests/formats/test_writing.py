"""Written problems are read again, except for what a format cannot express."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.formats import claims, detection, registry
from solver.problem import MAX_MOVES, Claim, Problem, printable
from tests.formats.whole_files import write_whole
from tests.sizes import sized

if TYPE_CHECKING:
    from pathlib import Path

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
CLAIM = Claim(8, ("h7g6",), ("h7g6", "h1g1", "g6f5"))


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem(ROOK), "8/7K/8/8/8/8/R7/7k w - -\n"),
        (
            Problem(ROOK, 'a "b"\\; c', CLAIM),
            "8/7K/8/8/8/8/R7/7k w - - dm 8; bm Kg6; pv Kg6 Kg1 Kf5; "
            'id "a \\"b\\"\\\\; c";\n',
        ),
        (
            Problem("8/7K/8/8/8/8/R7/7k b - - 3 40", "x", Claim(-7)),
            '8/7K/8/8/8/8/R7/7k b - - hmvc 3; fmvn 40; dm -7; id "x";\n',
        ),
        (
            Problem("8/7K/8/8/8/8/R7/7k b - - 0 40", "x", no_mate=3),
            '8/7K/8/8/8/8/R7/7k b - - fmvn 40; nomate 3; id "x";\n',
        ),
    ],
)
def test_epd_has_moves_in_san_and_names_in_quotes(problem: Problem, text: str) -> None:
    assert registry.find_writer("epd").write(problem) == text


def test_written_epd_is_read_by_python_chess() -> None:
    text = registry.find_writer("epd").write(Problem(ROOK, 'a "b"; c', CLAIM))
    board = chess.Board()
    operations = board.set_epd(text.strip())
    assert board.fen() == ROOK
    assert operations["dm"] == 8
    assert operations["id"] == 'a "b"; c'
    assert operations["bm"] == [chess.Move.from_uci("h7g6")]
    assert operations["pv"] == list(map(chess.Move.from_uci, CLAIM.line))


def test_a_fen_is_written_without_its_claim() -> None:
    assert registry.find_writer("fen").write(Problem(ROOK, "x", CLAIM)) == f"{ROOK}\n"


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem(ROOK, "x"), f'{{"id":"x","fen":"{ROOK}"}}\n'),
        (
            Problem(ROOK, "né", replace(CLAIM, any_last_move=True)),
            f'{{"id":"né","fen":"{ROOK}","claim":8,"claimed_keys":["h7g6"],'
            '"claimed_line":["h7g6","h1g1","g6f5"],"any_last_move":true}\n',
        ),
        (Problem(ROOK, "x", no_mate=3), f'{{"id":"x","fen":"{ROOK}","nomate":3}}\n'),
    ],
)
def test_json_omits_empty_fields(problem: Problem, text: str) -> None:
    assert registry.find_writer("jsonl").write(problem) == text


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem(ROOK, "x"), f"x,{ROOK},,,,,,,\n"),
        (
            Problem(ROOK, 'a "b", c', replace(CLAIM, any_last_move=True)),
            f'"a ""b"", c",{ROOK},8,,h7g6,h7g6 h1g1 g6f5,true,,\n',
        ),
        (Problem(ROOK, "x", no_mate=3), f"x,{ROOK},,3,,,,,\n"),
    ],
)
def test_csv_quotes_cells_if_necessary(problem: Problem, text: str) -> None:
    assert registry.find_writer("csv").write(problem) == text


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x.epd", "epd"),
        ("a.b/x.fen.gz", "fen"),
        ("x.pgn", "pgn"),
        ("x.jsonl.gz", "jsonl"),
        ("x.csv", "csv"),
        ("x.inp", "popeye"),
        ("x.parquet", "parquet"),
        ("x.parquet.gz", "parquet"),
        ("x", None),
        ("x.gz", None),
        ("x.txt", None),
        ("-", None),
        ("epd", None),
    ],
)
def test_the_format_is_derived_from_the_name(path: str, expected: str | None) -> None:
    assert registry.format_of(path) == expected


def test_every_writable_format_can_be_read() -> None:
    assert set(registry.WRITABLE) < set(registry.FORMATS)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    moves = random.Random(draw(st.integers(0, 1 << 32)))
    board = chess.Board()
    for _ in range(moves.randrange(100)):
        if (reply := next(iter(board.legal_moves), None)) is None:
            break
        board.push(moves.choice([reply, *board.legal_moves]))
    fen = board.fen(en_passant="fen")
    legal = [move.uci() for move in board.legal_moves]
    keys = (
        draw(st.lists(st.sampled_from(legal), unique=True, max_size=3)) if legal else []
    )
    line = []
    for _ in range(draw(st.integers(0, 5))):
        if not any(board.legal_moves):
            break
        move = moves.choice(list(board.legal_moves))
        line.append(move.uci())
        board.push(move)
    distance = draw(st.integers(1, MAX_MOVES)) * draw(st.sampled_from([1, -1]))
    name = draw(st.text(min_size=1, max_size=20))
    claim = Claim(distance, tuple(keys), tuple(line), draw(st.booleans()))
    kind = draw(st.sampled_from(["claim", "no mate", "nothing"]))
    return Problem(
        fen,
        name,
        claim if kind == "claim" else None,
        no_mate=abs(distance) if kind == "no mate" else None,
    )


def written(folder: Path, name: str, problem: Problem) -> Problem:
    path = folder / "written"
    whole = write_whole(name, problem)
    path.write_bytes(whole)
    if name != "parquet":
        assert detection.detect(whole.splitlines()[0]) == name
    (record,) = registry.read_collection(path, claims.ReadOptions(source_format=name))
    assert isinstance(record, Problem)
    return replace(record, source="")


@sized("count", 50, 1000)
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
        assert written(tmp_path, "epd", problem) == replace(
            problem, id=name, claim=claim
        )

    check()


@pytest.mark.parametrize(
    "name", ["\ttab  and\u00a0spaces ", " ", "\x1b[2J", "\x85", "\0"]
)
@pytest.mark.parametrize("target", ["jsonl", "csv", "parquet"])
def test_a_name_is_kept_to_the_character(
    tmp_path: Path, target: str, name: str
) -> None:
    if target == "parquet":
        pytest.importorskip("pyarrow")
    problem = Problem(chess.STARTING_FEN, name)
    assert written(tmp_path, target, problem) == problem


@pytest.mark.parametrize("target", ["epd", "pgn", "popeye"])
def test_other_formats_write_a_name_as_one_line_of_words(
    tmp_path: Path, target: str
) -> None:
    fen = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
    problem = Problem(fen, " a\n\tname\x1b ", Claim(2))
    assert written(tmp_path, target, problem).id == "a name\ufffd"


def test_json_lines_write_control_characters_as_escapes() -> None:
    whole = write_whole("jsonl", Problem(chess.STARTING_FEN, "é\x1b\x9b\u202e"))
    assert whole.startswith(rb'{"id":"\u00e9\u001b\u009b\u202e",')
