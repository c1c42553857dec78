"""What is understood of files as people write them: a case is data.

In a text, `@A` is a FEN of `FENS`, `@4A` its four first fields and `@1A` its board; of
a name in lower case, the position one move of the opponent before it. What is expected
is a list of positions: `A1` claims a mate in 1 by the key of `KEYS`, `A1-` claims it
without a key, and `A` claims nothing.
"""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from solver.formats import registry
from solver.formats.claims import FileSummary
from solver.problem import Problem
from tests.formats.cases import arrows, read_with

if TYPE_CHECKING:
    from pathlib import Path

    from solver.errors import FormatError

FENS = {
    "A": "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "a": "5k2/5ppp/8/8/8/8/8/R5K1 b - - 0 1",
    "L": "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1",
    "l": "6k1/8/8/8/8/8/R7/1R4K1 b - - 0 1",
    "Q": "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1",
    "q": "6k1/8/5K2/8/8/8/8/6Q1 b - - 0 1",
    "P": "6k1/5ppp/2p5/8/8/8/8/1R4K1 w - - 0 1",
    "p": "6k1/2p2ppp/8/8/8/8/8/1R4K1 b - - 0 1",
    "B": "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1",
    "F": "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
}
KEYS = {"A": "a1a8", "L": "a2a7", "Q": "g1g7", "P": "b1b8", "B": "a8a1", "F": "d8h4"}
"""1. Ra8#, 1. Ra7 Kg8 2. Rb8#, 1. Qg7#, 1. Rb8#, 1... Ra1#, 2... Qh4#."""

CLAIMS = (
    "#2 | 2# | (#2) | M2 | mate in 2 | Mate in two. | (mate in 2 moves) | 2-mover | "
    "White to play and mate in two | Matt in 2 | Mat en 2 coups | mate en 2 jugadas | "
    "Weiß zieht und setzt in 2 Zügen matt | - checkmate in 2 | matto in due mosse | "
    "il Bianco muove e matta in 2 mosse | mat in twee zetten | mate em 2 lances | "
    "Mat w 2 posunięciach | Мат в 2 хода | \\#2 | Kein Matt in 1, aber Matt in 2"
)
KEYED = (
    "1.Ra7! zugzwang | 1.Ra7! ~ 2.Rb8# | [1.Ra7 Kg8 2.Rb8#] | Key: Ra7 | 1.Ta7! | "
    "0. Ra7 | 1: Ra7 Kg8 2: Rb8# | I. Ra7 | (Ra7) | \\boxed{Ra7} | ra7 | Ra7 or Rb7 | "
    "1. Ra2-a7 Kh8-g8 2. Rb1-b8# | 1. \u2656a7 \u2654g8 2. \u2656b8# | "
    "Solution: a2a7 h8g8 b1b8 | 1.Kh2? Kg8! 1.Ra7! | 1.Wa7 Kg8 2.Wb8# | "
    "1.Лa7 Крg8 2.Лb8\u00d7 | Chiave: 1. Ta7! | Rozwiązanie: 1.Wa7"
)

ROWS = r"""
csv -> fen,mate,key\n@A,1,Ra8#\n@L,2,Ra7 -> A1 L2
csv -> posición;mate en;clave\n@L;2;Ta7\n@Q;1;Dg7 -> L2 Q1
txt -> @L | a2 a7 h8 g8 b1 b8\n@A | a1 a8 -> L2 A1
csv -> fen,solution\n@L,"1. Ra7 Kg8\n2. Rb8#" -> L2
csv -> #fen,dm,bm\n@A,1,Ra8\n@L,2,Ra7 -> A1 L2
csv -> PuzzleId,FEN,Moves,Rating,Themes\n1,@a,f8g8 a1a8,900,mate mateIn1 -> A1
csv -> PuzzleId,FEN,Moves,Rating,Themes\n1,@A,a1a8,900,mate mateIn1 -> A1
csv -> No,Diagram,Line\n1,@a,f8g8 a1a8\n2,@q,g8h8 g1g7 -> A1 Q1
csv -> fen,moves\n@A,f8g8 a1a8\n@Q,g8h8 g1g7 -> A1 Q1
csv -> a,fen,b\nMate in 2,,\n,@L,x\nMate in 1,,\n,@A,y -> L2- A1-
csv -> fen,eval\n@L,#2\n@1A,+0.84\n@Q,#1\n@1L,-12 -> L2- A Q1- L
csv -> fen,stip,key\n@A,#1,Ra8\n@B,h#2,Ra1 -> A1 B2
csv -> n,from,to,promo,fen\n1,a1,a8,,@A -> A1
csv -> fen,line\n@a,f8g8 a1a8\n@L,a2a7 h8g8 b1b8\n@l,g8h8 a2a7\n@L,a2a7 -> A1 L2 L L
csv -> fen,m1,r1,m2\n@L,Ra7,Kg8,Rb8# -> L2
csv -> no,fen,a\n7,@a,f8g8 a1a2\n9,@q,g8h8 g1g2 -> A Q
csv -> fen,dm,a\n@L,2,Ra7\n@A,1,Ra8\n@Q,1,\n@A,,Ra8# -> L2 A1 Q1- A
csv -> board,turn,mate\n@1A,w,1\n@1B,b,1 -> A1- B1-
csv -> id,pgn\n1,"[FEN ""@A""]\n\n1. Ra8# *" -> A1
"""

JSON = r"""
json -> [{"puzzle_id": 7, "fen": "@A", "moves": ["a1a8"], "themes": "mateIn1"}] -> A1
json -> {"fen": "@A", "moves": [{"from": "a1", "to": "a8"}]} -> A1
json -> {"fen": "@A", "goal": "White mates in one"} -> A1-
jsonl -> {"fen": "@L", "mateIn": {"$numberInt": "2"}} -> L2-
json -> [{"fen": "@l", "text": "Black is mated in 2"}] -> l-2
json -> {"fen": "@1B", "active_color": "b", "mate": 1} -> B1-
json -> [{"fen": "@L", "plies_to_mate": 3, "key": "a2a7"}] -> L2
json -> {"fen": "@1A w", "solutions": [["Ra8#"]]} -> A1
json -> {"n": 7, "fens": ["@L", "@A"], "matein": [2, 1]} -> L2- A1-
json -> {"fen": {"0": "@L", "1": "@A"}, "mate_in": {"0": 2, "1": 1}} -> L2- A1-
ipynb -> {"cells": [{"source": ["# Mate in 2\\n", "@L\\n"]}]} -> L2-
json -> {"mate_in": {"1": ["@A", "@Q"], "2": ["@L"]}} -> A1- Q1- L2-
json -> [{"position": "position startpos moves f2f3 e7e5 g2g4"}] -> F
json -> [{"position": "position fen @a moves f8g8"}] -> A
json -> [{"fen": "@l", "blunder": "Kh8", "best": ["Ra7", "Kg8", "Rb8#"]}] -> L2
json -> [{"fen": "@A", "options": ["Ra7", "Ra8#"], "answer": "Ra8#"}] -> A1
json -> [{"fen": "@p", "x": "c6", "y": ["Rb8#"]}] -> P1
jsonl -> {"input": "1. f3 e5 2. g4", "target": "Qh4#"} -> F1
"""

PGN = r"""
pgn -> [FEN "@a"]\n\n1... Kg8 2. Ra8# *\n\n[FEN "@q"]\n\n1... Kh8 2. Qg7# *\n -> A1 Q1
pgn -> [Event "Mate in 2"]\n[FEN "@l"]\n\n1... Kh8 2. Ra7 Kg8 3. Rb8# *\n -> L2
pgn -> [Themes "mateIn1"]\n[FEN "@a"]\n\n1... Kg8 2. Ra8# *\n -> A1
pgn -> [Event "Mate in 2"]\n[FEN "@L"]\n\n *\n -> L2-
pgn -> [Event "Mate in 1"]\n\n1. f3 e5 2. g4 * -> F1-
pgn -> [MateIn "2"]\n[Solution "1. Ra7 Kg8 2. Rb8#"]\n[FEN "@L"]\n\n *\n -> L2
pgn -> [FEN "@B"]\n\n1... Ra1# *\n -> B1
"""

TEXT = r"""
epd -> @4A dm 1; bm ra8;\n@4Q dm 1; bm (Qg7); -> A1 Q1
txt -> Mates in two\n\n@4L bm Ra7; id "x";\n\nMates in one\n\n@4A bm Ra8#; -> L2 A1
txt -> @L #2\nA) Kf2 B) Ra7 C) Rb7\nAnswer: B -> L2
txt -> @L 2‡\n\n@A ≠1 -> L2- A1-
txt -> Loyd\n\n@L\n\n2#  (3+1)\n1.Ta7! -> L2
txt -> @L\n#2. Set play: 1...Kg7 2.Rb8. Key: 1.Ra7! -> L2
txt -> 1) @A\n2) @Q\n\nAnswers\n\n1) 1.Ra8#\n2) 1.Qg7# -> A1 Q1
txt -> [x] #2  @L\n[ ] #1  @A\n[ ] #1  @Q -> L2- A1- Q1-
txt -> 7  2#  @L  Ra7\n8  1#  @A  Ra8\n9  1#  @Q -> L2 A1 Q1-
txt -> WHITE TO PLAY\n\n@1A #1\n\nBLACK TO PLAY\n\n@1B #1 -> A1- B1-
md -> ## Mate in 1\n\n### Old\n\n@A\n\n## Others\n\n@Q -> A1- Q
txt -> *** MATE IN 1 ***\n@A\n@Q\n\n*** OTHERS ***\n@L -> A1- Q1- L
txt -> Mate in 2. `@L`\n\nSolution: >!1. Ra7 Kg8 2. Rb8#!< -> L2
txt -> > @L\n> Mate in 2.\n\nEasy: 1. Ra7 Kg8 2. Rb8# -> L2
txt -> @L\nMate en 2.\nClave: 1.Ta7! con la idea 2.Tb8 -> L2
txt -> @L\nMate in 2. Not 1.Kh2?, but 1.Ra7! -> L2
txt -> Anna\n@A\n1. Ra8#\n\nBo\n@L\n1. Ra7 Kg8 2. Rb8# -> A1 L2
txt -> FEN: @A\nMate in: 1\nKey: Ra8#\n\nFEN: @L\nMate in: 2\nKey: Ra7 -> A1 L2
txt -> @1B Black to play and mate in 1 -> B1-
"""

MARKUP = r"""
swift -> [.init(board: "@1B", turn: .black, mateIn: 1)] -> B1-
md -> |FEN|Mate|\n|---|---|\n|`@A`|1|\n|`@L`|2| -> A1- L2-
html -> <ul><li>@A mate in 1</li><li>@L mate in 2</li></ul> -> A1- L2-
xml -> <a><b name='mate_in_2'><i>@L</i><i>@B</i></b></a> -> L2- B2-
html -> <h2>Mate in 2</h2><p>@L</p><p>@L</p> -> L2- L2-
html -> <dl><dt>@L</dt><dd>Mate in 2</dd></dl> -> L2-
html -> <p data-fen="@L" data-mate="2">x</p><p>y</p> -> L2-
xml -> <p id='2'><mate moves='2'/><fen>@L</fen></p> -> L2-
toml -> [[p]]\nfen = "@A"\nmate = 1\n[[p]]\nfen = "@Q" -> A1- Q
ts -> const P: T[] = [{fen: `@A`, moves: ['Ra8#']}]; -> A1
py -> P = [\n  ("@A", "Ra8#"),\n  ("@Q", "Qg7#"),\n] -> A1 Q1
js -> const mateIn2 = ['@L']; -> L2-
js -> const p = [\n  // mate in 2\n  '@L',\n]; -> L2-
py -> P = [\n  D("@A", points=3),  # 1. Ra8#\n] -> A1
py -> MATE_IN_1 = {\n '@A': 'Ra8', '@Q': 1}\nX = {'@L': 2} -> A1 Q1- L
java -> // position, first move, mate in\nadd(new P("@L", "a2a7", 2)); -> L2
tex -> \\section*{Mate in two}\n% no. 1\nx[setfen=@L] -> L2-
tex -> \\begin{p}\n[setfen=@L]\nMate in 2: {1.Ra7}\n\\end{p} -> L2
dart -> [P(fen: '@L', moves: [['a2', 'a7'], {'from': 'h8', 'to': 'g8'}, 'Rb8#'])] -> L2
sql -> INSERT INTO p VALUES\n(1, '@A', 'Ra8#'),\n(2, '@Q', 'Qg7#'); -> A1 Q1
"""

TRAPS = r"""
txt -> @A There is no mate in 3 here. -> A
txt -> @B White threatens mate in 2 -> B
txt -> @A mate in 2 or 3 -> A
txt -> @A found mate in 2 seconds -> A
txt -> #1 @A\n#2 @L\n#3 @Q -> A L Q
txt -> @A #1\n@L #2\n@Q #3 -> A L Q
csv -> fen,n\n@L,1\n@A,2\n@Q,3 -> L A Q
csv -> fen,mate\n@A,0\n@L,1\n@Q,1 -> A L Q
csv -> fen,depth\n@A,20\n@L,24\n@Q,20 -> A L Q
txt -> @L White to play and win\n1. Ra7 Kg8 2. Rb8# -> L
pgn -> [FEN "@L"]\n\n{White to draw} 1. Ra7 *\n\n[FEN "@A"]\n\n1. Ra8# *\n -> L A
pgn -> [Event "Puzzle #3"]\n[FEN "@L"]\n\n *\n -> L
txt -> @L\n\n## Mate in 1\n\n@A -> L A1-
txt -> @A b4 is a square -> A
txt -> No position is here; 1. e4 e5 is none. ->
txt -> Mate in 2 of the 4 corners only.\n\n@L -> L
json -> [{"fen": "@L", "comment": "Kh8 allows mate in 2"}] -> L
json -> [{"fen": "@L", "next": {"title": "Mate in 3"}}] -> L
tsv -> A00\tGrob\t1. f3 e5 2. g4\tf2f3 e7e5 g2g4\t@4F -> F
txt -> @L #2\n1.Da7 Kg8 2.Rb8# -> L2-
txt -> @L\nSuppose if h2 is empty then you can mate in one. -> L
txt -> @L #2\nA) Kf2 B) Ra7 C) Rb7 -> L2-
json -> [{"fen": "@L", "move": "a2a7"}] -> L
"""
"""What claims nothing, or less than it seems to."""


def filled(text: str) -> str:
    """Return a text with its FENs."""

    def fen(found: re.Match[str]) -> str:
        return " ".join(FENS[found[2]].split()[: int(found[1] or 6)])

    return re.sub("@([14]?)([A-Za-z])(?![A-Za-z])", fen, text)


def unescaped(text: str) -> str:
    """Replace the escapes of a table."""
    ends = {"n": "\n", "r": "\r", "t": "\t"}
    return re.sub(r"\\(.)", lambda found: ends.get(found[1], found[1]), text)


def read(path: Path, text: str, **options: Any) -> tuple[list[Any], FileSummary]:
    path.write_text(filled(text), encoding="utf-8")
    summary = FileSummary()
    return [*read_with(path, summary, **options)], summary


def spelled(record: Problem | FormatError) -> tuple[str, int | None, str]:
    """Return the position, the claim and the key of a record."""
    if not isinstance(record, Problem):
        return str(record), None, ""
    board = " ".join(record.fen.split()[:3])
    if (claim := record.claim) is None:
        return board, None, ""
    return board, claim.mate, (*claim.keys, *claim.line, "")[0]


def meant(expected: str) -> list[tuple[str, int | None, str]]:
    """Return the same of what is expected."""
    found = []
    for word in expected.split():
        board = " ".join(FENS[word[0]].split()[:3])
        mate = int(word[1:].rstrip("-")) if word[1:] else None
        found.append((board, mate, KEYS[word[0]] if len(word) == 2 else ""))
    return found


OTHERS = [
    *(("txt", f"@L {claim}\n", "L2-") for claim in CLAIMS.split(" | ")),
    *(("txt", f"@L mate in 2\n{text}\n", "L2") for text in KEYED.split(" | ")),
    ("txt", f"White mates in 2: https://x.org/?fen={quote(FENS['L'])}&y=z", "L2-"),
    ("txt", "\ufeff@A mate in 1", "A1-"),
]
TABLES = ROWS, JSON, PGN, TEXT, MARKUP, TRAPS
CASES = [
    (name, unescaped(text), read) for x in TABLES for name, text, read in arrows(x)
]


@pytest.mark.parametrize(("name", "text", "expected"), CASES + OTHERS)
def test_texts_are_read(name: str, text: str, expected: str, tmp_path: Path) -> None:
    found, summary = read(tmp_path / f"x.{name}", text)
    problems = [spelled(one) for one in found if isinstance(one, Problem)]
    assert problems == meant(expected)
    again, same = read(tmp_path / f"x.{name}", text)
    assert (again, same.record()) == (found, summary.record())


VARIATIONS = """
1.Ra7 Kg8 2.Rb8# ->
1.Ra7! zugzwang 1...Kg8 2.Rb8# ->
1.Ra7! or 2.Rb8# 1...Kg8 2.Rb8# ->
1.Ra7 Kg8 2.Rb8# 1...Kh7 -> in part: it is illegal
1.Ra7 Kg8 2.Rb8# 1...Kg8 2.Rb6 -> a2a7 h8g8 b1b6
1.Ra7 Kg8 2.Rb8/Rb6 -> a2a7 h8g8 b1b6
1.Ta7! droht 2.Tb8# 1...Kg8 2.Tb8# 2.Tb6 -> a2a7 h8g8 b1b6
1.Ra7! threatens 2.Rb8# 1...Kg8 2.Rb6 and wins -> in part
"""


def test_variations_are_read_or_the_solution_in_part(tmp_path: Path) -> None:
    for solution, expected in arrows(VARIATIONS):
        text = f"fen,mate,solution\n@L,2,{solution.replace(' or ', ' ~ ')}\n"
        (problem,), _ = read(tmp_path / "x.csv", text)
        assert problem.claim.keys == ("a2a7",)
        assert problem.claim.partly_read == expected.startswith("in part")
        if not problem.claim.partly_read:
            variations = [" ".join(line) for line in problem.claim.variations]
            assert variations == ([expected] if expected else [])


# Who begins


def jsonl(*lines: str) -> str:
    pairs = (line.split(" ", 1) for line in lines)
    return "".join(
        f'{{"fen": "@{name}", "moves": "{moves}"}}\n' for name, moves in pairs
    )


BEFORE = ("a f8g8 a1a8", "l g8h8 a2a7 h8g8 b1b8", "q g8h8 g1g7")
AFTER = ("A a1a8", "L a2a7 h8g8 b1b8")


def test_the_summary_says_who_begins(tmp_path: Path) -> None:
    cases: list[tuple[tuple[str, ...], str, str]] = [
        (AFTER, "A1 L2", ""),
        (BEFORE, "A1 L2 Q1", "3 of 3 lines end in mate that way, 0 the other way"),
        ((*BEFORE, *AFTER), "A1 L2 Q1 A1 L2", "3 of 5 lines end in mate that way, 2 t"),
        ((*BEFORE, "l g8h8 a2a7"), "A1 L2 Q1 L", "3 of 3 lines"),
        (("l g8h8 a2a7",) * 3, "L L L", ""),
        (("L a2a7",) * 3, "L L L", ""),
    ]
    for lines, expected, words in cases:
        found, summary = read(tmp_path / "x.jsonl", jsonl(*lines))
        assert [*map(spelled, found)] == meant(expected)
        stated = "moves begin one move before the position"
        assert (stated in str(summary)) == bool(words)
        assert words in str(summary)


# The sample, and the rest


def many(count: int) -> str:
    """Return records of which the opponent begins in all but every tenth."""
    return jsonl(*(AFTER[1] if at % 10 == 9 else BEFORE[at % 3] for at in range(count)))


def test_mostly_illegal_lines_may_be_of_another_variant(tmp_path: Path) -> None:
    for illegal in (2, 3):
        text = jsonl(*AFTER, *(illegal * ("A a1h8 g8h8",)))
        _, summary = read(tmp_path / "x.jsonl", text)
        fault = f"illegal ones in {illegal} of {illegal + 2} lines: another variant"
        assert any(fault in each for each in summary.faults()) == (illegal == 3)


def test_records_after_the_sample_are_read_like_those_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = many(300) + jsonl("l g8h8 a2a7")
    found, summary = read(tmp_path / "x.jsonl", text)
    names = ["L2" if at % 10 == 9 else ["A1", "L2", "Q1"][at % 3] for at in range(300)]
    assert [*map(spelled, found)] == meant(" ".join([*names, "L"]))
    assert (summary.problems, summary.claims) == (301, 300)
    # What arrives from a pipe is read alike.
    given = io.TextIOWrapper(io.BytesIO(filled(text).encode()))
    monkeypatch.setattr(sys, "stdin", given)
    assert [*map(spelled, registry.read_collection("-"))] == [*map(spelled, found)]


def test_a_line_corrects_no_wrong_sign(tmp_path: Path) -> None:
    for record in ("@A,-1,Ra8#", "@B,-1,Ra1#"):
        (problem,), _ = read(tmp_path / "x.csv", f"fen,claim,line\n{record}\n")
        assert problem.claim.mate == -1
        assert problem.warnings
