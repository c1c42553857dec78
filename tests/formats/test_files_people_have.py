"""Small files as people write them, read to the end as `verify` reads them.

Each row is a file, and what a person reads in it: a claim, no claim, or nothing. The
readers have their own tests; this table holds what was once misread, and the like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from solver.errors import FormatError
from solver.formats.claims import FileSummary
from solver.formats.registry import read_collection
from solver.problem import Problem

if TYPE_CHECKING:
    from pathlib import Path

QUEEN = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
"""Mate in two by Kf7, and by no other first move."""

MATE_IN_2 = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
KNIGHT = "6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1"
"""Mate in one by Nf7."""

ARRAY = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class Row(NamedTuple):
    """A file, and what it says: each record's claim, `None`, or part of the refusal."""

    text: str
    records: tuple[int | str | None, ...]
    keys: tuple[str, ...] | None = None
    warnings: int = 0


def pgn(*tags: str, moves: str = "*", fen: str = QUEEN) -> str:
    return "\n".join([*tags, f'[FEN "{fen}"]', "", moves, ""])


DETECTED = {
    "array": Row(f'[{{"fen":"{QUEEN}","claim":2}}]', (2,)),
    "pretty array": Row(
        f'[\n  {{\n    "fen": "{QUEEN}",\n    "mate": 2\n  }}\n]\n', (2,)
    ),
    "nested": Row(f'{{"a":1,"puzzles":[{{"FEN":"{QUEEN}","mate_in":"2"}}]}}', (2,)),
    "keyed by id": Row(f'{{"p1":{{"fen":"{QUEEN}","dm":2}}}}', (2,)),
    "no json": Row('[kj90"x"yl]\n', ("",)),
    "titles": Row('["first title", "second title"]\n', ("",)),
    "no position": Row('{"name": "x", "count": 3}\n', ("",)),
    "short popeye": Row("beg\nstip #2\npie white kf6 qg1 black kh8\nend\n", (2,)),
    "shorter popeye": Row("begin\nsti #2\npieces whi kf6 qg1 bla kh8\nendp\n", (2,)),
    "remark first": Row(
        "remark a file\nbeginproblem\npieces white kf6 qg1 black kh8\n"
        "stipulation #2\nendproblem\n",
        (2,),
    ),
    "german popeye": Row(
        "anfang\nsteine weiss kf6 dg1 schwarz kh8\nforderung #2\nende\n", (2,)
    ),
    "comma": Row(f"FEN,claim\n{QUEEN},2\n", (2,)),
    "semicolon": Row(f"fen;claim\n{QUEEN};2\n", (2,)),
    "tabs": Row(f"fen\tclaim\n{QUEEN}\t2\n", (2,)),
    "excel": Row(f"sep=;\nFEN;mate\n{QUEEN};2\n", (2,)),
    "more columns": Row(f"ID,FEN,mate\n7,{QUEEN},2\n", (2,)),
    "no game": Row('[Event "x"]\n[Site "y"]\n\n*\n', ("",)),
    "no game twice": Row('[Event "x"]\n\n*\n\n[Event "y"]\n\n*\n', ("", "")),
}

ROWS = {
    "best move": Row(f"FEN,mate_in,best_move\n{QUEEN},2,Kf7\n", (2,), ("f6f7",)),
    "squares": Row(f"position,mate,answer\n{QUEEN},2,f6-f7\n", (2,), ("f6f7",)),
    "numbered": Row(f'FEN,Mate In,Solution\n{QUEEN},2,"1. Kf7"\n', (2,), ("f6f7",)),
    "words": Row(f'[{{"fen":"{QUEEN}","type":"Mate in Two"}}]', (2,)),
    "bm number": Row(f"fen,bm\n{QUEEN},#2\n", (2,)),
    "theme": Row(f'[{{"fen":"{QUEEN}","themes":["mateIn2"],"moves":["Kf7"]}}]', (2,)),
    "line that mates": Row(f'[{{"fen":"{BACK_RANK}","moves":["a1a8"]}}]', (1,)),
    "case": Row(f'{{"Fen":"{QUEEN}","Mate-In":2}}\n', (2,)),
    "contradiction": Row(
        "PuzzleId,FEN,Moves,Themes\n"
        "a,7k/8/8/8/8/8/R7/1R4K1 b - - 0 1,h8g8 a2a7 g8h8 b1b8,mate mateIn3\n",
        (3,),
        warnings=1,
    ),
    "bad line": Row(f"fen,claim,moves\n{QUEEN},2,Kf7 K\n", (2,), warnings=1),
}

GAMES = {
    "number in a list": Row(
        pgn(
            '[Event "#201 a title"]',
            '[White "Mate in one"]',
            moves="1. Ra8# *",
            fen=BACK_RANK,
        ),
        (1,),
        ("a1a8",),
    ),
    "tags before Event": Row(
        pgn('[Termination "mate in 2"]', '[Event "a title"]'), (2,)
    ),
    "Fen": Row(f'[Event "mate in 2"]\n[Fen "{QUEEN}"]\n\n*\n', (2,)),
    "spaces": Row(f'[Event "mate in 2"]\n[  FEN "{QUEEN}" ]\n\n*\n', (2,)),
    "no space": Row(f'[Event "mate in 2"]\n[FEN"{QUEEN}"]\n\n*\n', (2,)),
    "two on a line": Row(f'[Event "mate in 2"] [FEN "{QUEEN}"]\n\n*\n', (2,)),
    "over two lines": Row(f'[Event "mate in 2"]\n[FEN\n"{QUEEN}"]\n\n*\n', (2,)),
    "a note": Row(f'[Event "mate in 2"]\n[FEN "{QUEEN}"] ; a note\n\n*\n', (2,)),
    "SetUp alone": Row('[Event "mate in 2"]\n[SetUp "1"]\n\n1. e4 *\n', ("SetUp",)),
    "other quotes": Row(f"[Event \"mate in 2\"]\n[FEN '{QUEEN}']\n\n*\n", ("FEN",)),
    "no bracket": Row(f'[Event "mate in 2"]\n[FEN "{QUEEN}"\n\n*\n', ("FEN",)),
    "german knight": Row(pgn(moves="1. Sf7# *", fen=KNIGHT), ("Sf7#",)),
    "french knight": Row(pgn(moves="1. Cf7# *", fen=KNIGHT), ("Cf7#",)),
    "figurine": Row(
        pgn(moves="1. \N{WHITE CHESS KNIGHT}f7# *", fen=KNIGHT), (1,), ("g5f7",)
    ),
    "unknown fairy": Row(pgn('[Event "Circe, #2"]'), ("Circe",)),
    "series": Row(pgn('[Event "Series help mate in 3"]'), ("eries",)),
    "double mate": Row(pgn('[Event "double mate in 2"]'), ("ouble",)),
    "negation": Row(pgn('[Event "Not a mate in 2, but mate in 3"]'), (3,)),
    "whole game": Row(
        pgn(moves="1. f3 e5 2. g4 Qh4# 0-1", fen=ARRAY),
        (None,),
    ),
    "odds game": Row(
        pgn(
            moves="1. f3 e5 2. g4 Qh4# 0-1",
            fen=ARRAY.replace("RNBQKBNR w KQ", "1NBQKBNR w K"),
        ),
        (None,),
    ),
}

LINES = {
    "bm after ;": Row("8/7K/8/8/8/8/R7/7k w - - ; bm Kg6\n", (None,), ("",)),
    "; on the field": Row("8/7K/8/8/8/8/R7/7k w - -; bm Kg6;\n", (None,), ("",)),
    "a value": Row("8/7K/8/8/8/8/R7/7k w - - 0 4; v=-385\n", (None,)),
    "no ;": Row(f"{BACK_RANK} bm Ra8# dm 1\n", (1,), ("a1a8",)),
    "bad pv": Row(f"{QUEEN} dm 2; bm Kf7; pv Kf7 K;\n", (2,), ("f6f7",), 1),
    "dm3": Row("7k/8/5K2/8/8/8/8/6Q1 w - - dm2;\n", (2,)),
    "bm#3": Row("7k/8/5K2/8/8/8/8/6Q1 w - - bm#2;\n", (2,)),
    "mate 3": Row("7k/8/5K2/8/8/8/8/6Q1 w - - mate 2;\n", (2,)),
    "right without rook": Row("7k/8/5K2/8/8/8/8/6Q1 w K - dm 2;\n", (2,), warnings=1),
    "ce": Row("7k/8/5K2/8/8/8/8/6Q1 w - - ce 32764;\n", (2,)),
    "quoted": Row(f'"{QUEEN}"\n', (None,)),
    "underscores": Row(QUEEN.replace(" ", "_") + "\n", (None,)),
    "url": Row(f"https://lichess.org/analysis/{QUEEN.replace(' ', '_')}\n", (None,)),
}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=name)
        for table in (DETECTED, ROWS, GAMES, LINES)
        for name, row in table.items()
    ],
)
def test_a_file_is_read_as_a_person_reads_it(row: Row, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(row.text, encoding="utf-8")
    summary = FileSummary()
    records = list(read_collection(path, summary=summary))
    assert len(records) == len(row.records), records
    for record, expected in zip(records, row.records, strict=True):
        if isinstance(expected, str):
            assert isinstance(record, FormatError), record
            assert expected in record.reason
            assert "\n" not in record.reason
            continue
        assert isinstance(record, Problem), record
        assert (record.claim and record.claim.mate) == expected
        assert len(record.warnings) == row.warnings, record.warnings
        if row.keys and row.keys[0]:
            assert record.claim
            assert record.claim.keys == row.keys
    assert summary.title


def test_a_latin_1_letter_in_a_name_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    path.write_bytes(f'{QUEEN} dm 2; id "Caf\xe9";\n'.encode("latin-1"))
    (problem,) = read_collection(path)
    assert isinstance(problem, Problem)
    assert problem.id == "Caf\xe9"
