"""What is understood of files as people write them: a case is data.

In a text, `@A` is a FEN of `FENS`, `@4A` its four first fields and `@1A` its board; of
a name in lower case, the position one move of the opponent before it. What is expected
is a list of positions: `A1` claims a mate in 1 by the key of `KEYS`, `A1-` claims it
without a key, and `A` claims nothing.
"""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from solver.formats import registry
from solver.formats.claims import FileSummary
from solver.problem import Problem
from tests.formats.whole_files import read_with

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

GAME = "1. f3 e5 2. g4"
UCI = "f2f3 e7e5 g2g4"
ADDRESS = quote(FENS["L"], safe="")
PGN = '[FEN "@{}"]\n\n{} *\n\n'
JSONL = '{{"fen": "@{}", "moves": {}}}\n'

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

CASES = [
    # Rows
    ("usual names", "csv", "fen,mate,key\n@A,1,Ra8#\n@L,2,Ra7", "A1 L2"),
    ("German", "csv", "Stellung;Matt in;Lösung\n@A;1;Ta8\n@L;2;Ta7", "A1 L2"),
    ("French", "csv", "Position;Mat en;Clé\n@A;1;Ta8\n@Q;1;Dg7", "A1 Q1"),
    ("Spanish", "csv", "posición;mate en;clave\n@L;2;Ta7\n@Q;1;Dg7\n", "L2 Q1"),
    ("no header, sign", "csv", "@A,#1,Ra8#\n@L,#2,Ra7", "A1 L2"),
    ("no header, words", "csv", "@A,mate in 1\n@L,mate in 2", "A1- L2-"),
    ("tabs", "tsv", "@A\tmate in one\n@L\tmate in two", "A1- L2-"),
    ("squares apart", "txt", "@L | a2 a7 h8 g8 b1 b8\n@A | a1 a8\n", "L2 A1"),
    ("bars", "txt", "@A|#1|Ra8#\n@L|#2|Ra7", "A1 L2"),
    ("a long cell", "csv", 'fen,solution\n@L,"1. Ra7 Kg8\n2. Rb8#"\n', "L2"),
    ("# before the header", "csv", "#fen,dm,bm\n@A,1,Ra8\n@L,2,Ra7", "A1 L2"),
    ("2,0", "csv", "FEN;Matt\n@A;1,0\n@L;2,0", "A1- L2-"),
    ("2.0", "csv", "fen,mate\n@A,1.0\n@L,2.0", "A1- L2-"),
    ("stip", "csv", "fen,stip\n@A,#1\n@L,#2", "A1- L2-"),
    (
        "lichess's names, opponent first",
        "csv",
        "PuzzleId,FEN,Moves,Rating,Themes\n1,@a,f8g8 a1a8,900,mate mateIn1\n"
        "2,@l,g8h8 a2a7 h8g8 b1b8,950,mate mateIn2\n",
        "A1 L2",
    ),
    (
        "lichess's names, solver first",
        "csv",
        "PuzzleId,FEN,Moves,Rating,Themes\n1,@A,a1a8,900,mate mateIn1\n"
        "2,@L,a2a7 h8g8 b1b8,950,mate mateIn2\n",
        "A1 L2",
    ),
    ("other names", "csv", "No,Diagram,Line\n1,@a,f8g8 a1a8\n2,@q,g8h8 g1g7", "A1 Q1"),
    ("other names, solver first", "csv", "ref,pos,play\n7,@A,a1a8", "A1"),
    ("a blunder first", "csv", "fen,moves\n@q,1... Kh8?? 2. Qg7#\n", "Q1"),
    ("the first move played", "csv", "fen,moves\n@A,f8g8 a1a8\n@Q,g8h8 g1g7", "A1 Q1"),
    ("columns by values", "csv", "c1,c2,c3\n@A,x,Ra8#\n@Q,y,Qg7#", "A1 Q1"),
    ("sections", "csv", "a,fen,b\nMate in 2,,\n,@L,x\nMate in 1,,\n,@A,y", "L2- A1-"),
    ("an ended section", "csv", "fen,b\n,Mate in 2\n@L,x\n,Others\n@A,y", "L2- A"),
    ("evaluations", "csv", "fen,eval\n@L,#2\n@1A,+0.84\n@Q,#1\n@1L,-12", "L2- A Q1- L"),
    ("help play", "csv", "fen,stip,key\n@A,#1,Ra8\n@B,h#2,Ra1", "A1 B2"),
    ("three columns of a move", "csv", "n,from,to,promo,fen\n1,a1,a8,,@A", "A1"),
    (
        "mixed, not all mate",
        "csv",
        "fen,line\n@a,f8g8 a1a8\n@L,a2a7 h8g8 b1b8\n@l,g8h8 a2a7\n@L,a2a7",
        "A1 L2 L L",
    ),
    ("a column a move", "csv", "fen,m1,r1,m2\n@L,Ra7,Kg8,Rb8#\n", "L2"),
    ("numbers of moves", "csv", "pos,n_moves,a\n@A,1,Ra8#\n@L,2,Ra7\n", "A1 L2"),
    ("even, no mates", "csv", "no,fen,a\n7,@a,f8g8 a1a2\n9,@q,g8h8 g1g2\n", "A Q"),
    (
        "half are stated",
        "csv",
        "fen,dm,a\n@L,2,Ra7\n@A,1,Ra8\n@Q,1,\n@A,,Ra8#",
        "L2 A1 Q1- A",
    ),
    ("side apart", "csv", "board,turn,mate\n@1A,w,1\n@1B,b,1", "A1- B1-"),
    ("PGN in a field", "csv", 'id,pgn\n1,"[FEN ""@A""]\n\n1. Ra8# *"\n', "A1"),
    # JSON
    ("solver first", "jsonl", JSONL.format("A", '["a1a8"]'), "A1"),
    ("opponent first", "jsonl", JSONL.format("a", '"f8g8 a1a8"'), "A1"),
    (
        "a mixed file",
        "jsonl",
        JSONL.format("a", '"f8g8 a1a8"')
        + JSONL.format("L", '"a2a7 h8g8 b1b8"')
        + JSONL.format("q", '["g8h8", "g1g7"]'),
        "A1 L2 Q1",
    ),
    (
        "lichess's names, solver first in JSON",
        "json",
        '[{"puzzle_id": 7, "fen": "@A", "moves": ["a1a8"], "themes": ["mateIn1"]}]',
        "A1",
    ),
    ("camel", "json", '[{"position": "@L", "mateIn": 2, "bestMove": "a2a7"}]', "L2"),
    ("nested", "json", '{"a": [{"b": {"fen": "@L", "line": "Ra7 Kg8 Rb8#"}}]}', "L2"),
    ("objects", "json", '{"fen": "@A", "moves": [{"from": "a1", "to": "a8"}]}', "A1"),
    ("SAN", "json", '[{"fen": "@A", "moves": [{"san": "Ra8#", "n": 1}]}]', "A1"),
    ("keys of an object", "json", '{"@A": "Ra8#", "@Q": "Qg7#"}', "A1 Q1"),
    ("one in words", "json", '{"fen": "@A", "goal": "White mates in one"}', "A1-"),
    ("tags", "json", '{"fen": "@L", "solution": "a2a7", "tags": "mateIn2"}', "L2"),
    ("MongoDB", "jsonl", '{"fen": "@L", "mateIn": {"$numberInt": "2"}}', "L2-"),
    ("to be mated", "json", '[{"fen": "@l", "text": "Black is mated in 2"}]', "l-2"),
    ("a question", "json", '[{"fen": "@L", "q": "White mates in 2. How?"}]', "L2-"),
    ("active", "json", '{"fen": "@1B", "active_color": "b", "mate": 1}', "B1-"),
    ("player", "jsonl", '{"fen": "@1B", "player": "b", "mate": 1}', "B1-"),
    ("toPlay", "jsonl", '{"fen": "@1B", "toPlay": "Black", "mate": 1}', "B1-"),
    (
        "white_to_move",
        "jsonl",
        '{"fen": "@1B", "white_to_move": false, "mate": 1}\n'
        '{"fen": "@1A", "white_to_move": true, "mate": 1}\n',
        "B1- A1-",
    ),
    ("the line's mover", "json", '[{"fen": "@1B", "solution": "Ra1#"}]', "B1"),
    ("plies", "json", '[{"fen": "@L", "plies_to_mate": 3, "key": "a2a7"}]', "L2"),
    ("other mates", "json", '{"fen": "@1A w", "solutions": [["Ra8#"]]}', "A1"),
    ("a flag", "json", '[{"fen": "@L", "mateIn2": true}, {"fen": "@A"}]', "L2- A"),
    ("mate 2", "json", '[{"fen": "@L", "score": "mate 2"}]', "L2-"),
    ("lists", "json", '{"n": 7, "fens": ["@L", "@A"], "matein": [2, 1]}', "L2- A1-"),
    (
        "columns of a frame",
        "json",
        '{"fen": {"0": "@L", "1": "@A"}, "mate_in": {"0": 2, "1": 1}}',
        "L2- A1-",
    ),
    ("in 2", "json", '[{"fen": "@L", "mate": "in 2"}]', "L2-"),
    (
        "commas",
        "jsonl",
        '{"fen": "@L", "mate": 2},\n{"fen": "@A", "mate": 1}\n',
        "L2- A1-",
    ),
    (
        "lines of a notebook",
        "ipynb",
        '{"cells": [{"source": ["# Mate in 2\\n", "@L\\n"]}, {"source": ["@A #1"]}]}',
        "L2- A1-",
    ),
    ("groups", "json", '{"mate_in": {"1": ["@A", "@Q"], "2": ["@L"]}}', "A1- Q1- L2-"),
    ("UCI", "json", f'[{{"position": "position startpos moves {UCI}"}}]', "F"),
    ("UCI's FEN", "json", '[{"position": "position fen @a moves f8g8"}]', "A"),
    ("its player", "swift", '[.init(board: "@1B", turn: .black, mateIn: 1)]', "B1-"),
    (
        "PGN beside the FEN",
        "json",
        '[{"fen": "@A", "pgn": "[FEN \\"@A\\"]\\r\\n\\r\\n1. Ra8# *", "url": "x/@A"}]',
        "A1",
    ),
    (
        "the opponent's move apart",
        "json",
        '[{"fen": "@l", "blunder": "Kh8", "best": ["Ra7", "Kg8", "Rb8#"]}]',
        "L2",
    ),
    (
        "answers to choose from",
        "json",
        '[{"fen": "@A", "options": ["Ra7", "Ra8#", "Ra6"], "answer": "Ra8#"}]',
        "A1",
    ),
    ("a pawn's blunder", "json", '[{"fen": "@p", "x": "c6", "y": ["Rb8#"]}]', "P1"),
    ("a game", "jsonl", f'{{"input": "{GAME}", "target": "Qh4#"}}\n', "F1"),
    ("both", "json", '{"game": {"pgn": "f3 e5 g4"}, "puzzle": {"a": ["d8h4"]}}', "F1"),
    # PGN
    ("PGN", "pgn", PGN.format("A", "1. Ra8#"), "A1"),
    (
        "PGN, opponent first",
        "pgn",
        PGN.format("a", "1... Kg8 2. Ra8#") + PGN.format("q", "1... Kh8 2. Qg7#"),
        "A1 Q1",
    ),
    (
        "PGN, opponent first, words",
        "pgn",
        '[Event "Mate in 2"]\n' + PGN.format("l", "1... Kh8 2. Ra7 Kg8 3. Rb8#"),
        "L2",
    ),
    (
        "themes",
        "pgn",
        '[Themes "mateIn1"]\n' + PGN.format("a", "1... Kg8 2. Ra8#"),
        "A1",
    ),
    ("words in a tag", "pgn", '[Event "Mate in 2"]\n' + PGN.format("L", ""), "L2-"),
    ("PGN's comment", "pgn", PGN.format("L", "{mate in two} 1. Ra7"), "L2"),
    ("a game of PGN", "pgn", f'[Event "Mate in 1"]\n\n{GAME} *\n', "F1-"),
    (
        "tags for all",
        "pgn",
        '[MateIn "2"]\n[Solution "1. Ra7 Kg8 2. Rb8#"]\n' + PGN.format("L", ""),
        "L2",
    ),
    ("solver first and mixed", "pgn", PGN.format("B", "1... Ra1#"), "B1"),
    # EPD
    ("dm and bm", "epd", '@4A dm 1; bm Ra8#; id "a";\n@4L dm 2; bm Ra7;\n', "A1 L2"),
    ("pv", "epd", "@4A dm 1; pv a1a8;\n@4L dm 2; pv a2a7 h8g8 b1b8;", "A1 L2"),
    ("a score", "epd", "@4A bm #1;\n@4L bm #2;", "A1- L2-"),
    ("a key in brackets", "epd", "@4A dm 1; bm ra8;\n@4Q dm 1; bm (Qg7);", "A1 Q1"),
    ("six fields", "epd", "@A bm Ra8; dm 1;\n@L bm Ra7; dm 2;", "A1 L2"),
    (
        "below headings",
        "txt",
        'Mates in two\n\n@4L bm Ra7; id "x";\n\nMates in one\n\n@4A bm Ra8#;\n',
        "L2 A1",
    ),
    ("options", "txt", "@L #2\nA) Kf2 B) Ra7 C) Rb7\nAnswer: B\n", "L2"),
    ("other signs", "txt", "@L 2\u2021\n\n@A \u22601\n", "L2- A1-"),
    ("a sign below", "txt", "Loyd\n\n@L\n\n2#  (3+1)\n1.Ta7!\n", "L2"),
    ("set play", "txt", "@L\n#2. Set play: 1...Kg7 2.Rb8. Key: 1.Ra7!\n", "L2"),
    ("answers", "txt", "1) @A\n2) @Q\n\nAnswers\n\n1) 1.Ra8#\n2) 1.Qg7#\n", "A1 Q1"),
    # Claims in text
    *((claim, "txt", f"@L {claim}\n", "L2-") for claim in CLAIMS.split(" | ")),
    ("words above", "txt", "White mates in 2\n@L\n", "L2-"),
    ("see if", "txt", "@L See if you can mate in 2.", "L2-"),
    ("words below", "txt", "@L\nWhite mates in 2\n", "L2-"),
    # Solutions in text
    *((text, "txt", f"@L mate in 2\n{text}\n", "L2") for text in KEYED.split(" | ")),
    # Records of text
    ("between dashes", "txt", "7 \u2014 @L \u2014 Loyd \u2014 #2 \u2014 1.Ra7", "L2"),
    ("boxes", "txt", "[x] #2  @L\n[ ] #1  @A\n[ ] #1  @Q", "L2- A1- Q1-"),
    ("blanks", "txt", "7  2#  @L  Ra7\n8  1#  @A  Ra8\n9  1#  @Q", "L2 A1 Q1-"),
    (
        "sides above",
        "txt",
        "WHITE TO PLAY\n\n@1A #1\n\nBLACK TO PLAY\n\n@1B #1",
        "A1- B1-",
    ),
    ("parts", "md", "## Mate in 1\n\n### Old\n\n@A\n\n## Others\n\n@Q", "A1- Q"),
    ("stars", "txt", "*** MATE IN 1 ***\n@A\n@Q\n\n*** OTHERS ***\n@L", "A1- Q1- L"),
    ("a spoiler", "txt", "Mate in 2. `@L`\n\nSolution: >!1. Ra7 Kg8 2. Rb8#!<", "L2"),
    ("mail", "txt", "> @L\n> Mate in 2.\n\nEasy: 1. Ra7 Kg8 2. Rb8#\n", "L2"),
    ("a try in French", "txt", "@L\nMat en 2. Essai : 1.Rh2? Rg8! Clé : 1.Ta7!", "L2"),
    (
        "a key in Spanish",
        "txt",
        "@L\nMate en 2.\nClave: 1.Ta7! con la idea 2.Tb8",
        "L2",
    ),
    ("words before", "txt", "@L\nMate in 2. Not 1.Kh2?, but 1.Ra7!", "L2"),
    ("address", "txt", f"White mates in 2: https://x.org/?fen={ADDRESS}&y=z", "L2-"),
    (
        "another's sign",
        "html",
        "<p>@L</p><p>Mate in&nbsp;2&nbsp;&ndash; 1.Ra7</p>",
        "L2",
    ),
    ("three lines", "txt", "Anna\n@A\n1. Ra8#\n\nBo\n@L\n1. Ra7 Kg8 2. Rb8#", "A1 L2"),
    ("no blank lines", "txt", "Anna\n@A\n1. Ra8#\nBo\n@Q\n1. Qg7#", "A1 Q1"),
    ("a numbered list", "txt", "1. @A mate in 1\n2. @L mate in 2", "A1- L2-"),
    ("1) and keys", "txt", "1) @A Ra8#\n2) @Q Qg7#", "A1 Q1"),
    ("headings", "txt", "Mate in one\n\n@A\n@Q\n\nMate in two\n\n@L\n", "A1- Q1- L2-"),
    ("marked headings", "md", "## Mate in 1\n\n@A\n\n## Mate in 2\n\n@L\n", "A1- L2-"),
    (
        "labels",
        "txt",
        "FEN: @A\nMate in: 1\nSolution: Ra8#\n\nFEN: @L\nMate in: 2\nSolution: Ra7\n",
        "A1 L2",
    ),
    ("labels after a bar", "txt", "FEN: @L | Mate in: 2 | Key: Ra7\n", "L2"),
    ("after a semicolon", "txt", "@A ; Ra8#\n@Q ; Qg7#", "A1 Q1"),
    ("side in words", "txt", "@1B Black to play and mate in 1\n", "B1-"),
    ("UTF-8 with a mark", "txt", "\ufeff@A mate in 1", "A1-"),
    # Markup and code
    ("Markdown", "md", "|FEN|Mate|\n|---|---|\n|`@A`|1|\n|`@L`|2|\n", "A1- L2-"),
    ("a list of Markdown", "md", "- **Anna** `@A` mate in 1\n- `@L` #2", "A1- L2-"),
    ("HTML", "html", "<ul><li>@A mate in 1</li><li>@L mate in 2</li></ul>", "A1- L2-"),
    ("HTML's table", "html", "<table><tr><td>@A</td><td>#1</td></tr></table>", "A1-"),
    ("arrays", "xml", "<a><b name='mate_in_2'><i>@L</i><i>@B</i></b></a>", "L2- B2-"),
    ("headings of HTML", "html", "<h2>Mate in 2</h2><p>@L</p><p>@L</p>", "L2- L2-"),
    ("equal boards", "html", "<ol><li>@L #2</li><li>@L (#2)</li></ol>", "L2- L2-"),
    ("equal ones", "xml", "<ps><z><f>@L</f></z><z><f>@L</f></z></ps>", "L L"),
    ("HTML's terms", "html", "<dl><dt>@L</dt><dd>Mate in 2</dd></dl>", "L2-"),
    ("attributes", "html", '<p data-fen="@L" data-mate="2">x</p><p>y</p>', "L2-"),
    ("XML", "xml", "<ps><p><fen>@L</fen><mate>2</mate></p></ps>", "L2-"),
    ("attributes within", "xml", "<p id='2'><mate moves='2'/><fen>@L</fen></p>", "L2-"),
    ("attributes of XML", "xml", "<ps><p fen='@L' mate='2'/></ps>", "L2-"),
    ("YAML", "yaml", "- fen: @A\n  mate: 1\n- fen: @L\n  mate: 2", "A1- L2-"),
    ("TOML", "toml", '[[p]]\nfen = "@A"\nmate = 1\n[[p]]\nfen = "@Q"', "A1- Q"),
    ("JS", "js", "p = [\n {fen: '@A', mateIn: 1},\n {fen: '@Q'},\n];\n", "A1- Q"),
    ("TypeScript", "ts", "const P: T[] = [{fen: `@A`, moves: ['Ra8#']}];", "A1"),
    ("Python", "py", 'P = [\n  ("@A", "Ra8#"),\n  ("@Q", "Qg7#"),\n]\n', "A1 Q1"),
    ("keywords", "py", "P = [\n  dict(fen='@A', mate_in=1),\n]\n", "A1-"),
    (
        "JSX",
        "jsx",
        "<P fen='@A' to={['Ra8#']} />\n<P fen='@Q' to={['Qg7#']} />",
        "A1 Q1",
    ),
    ("a name around", "js", "const mateIn2 = ['@L'];\n", "L2-"),
    ("a comment above", "js", "const p = [\n  // mate in 2\n  '@L',\n];\n", "L2-"),
    ("moves in a comment", "py", 'P = [\n  D("@A", points=3),  # 1. Ra8#\n]', "A1"),
    ("a test", "ts", "describe('mate in 2', () => {\n  f('@L');\n});\n", "L2-"),
    (
        "names of groups",
        "py",
        "MATE_IN_1 = {\n '@A': 'Ra8', '@Q': 1}\nX = {'@L': 2}",
        "A1 Q1- L",
    ),
    ("PHP", "php", "return [\n  ['fen' => '@A', 'mate' => 1],\n];", "A1-"),
    (
        "a comment with names",
        "java",
        '// position, first move, mate in\nadd(new P("@L", "a2a7", 2));\n',
        "L2",
    ),
    ("LaTeX", "tex", "\\section*{Mate in two}\n% no. 1\nx[setfen=@L]\n", "L2-"),
    (
        "LaTeX's blocks",
        "tex",
        "\\begin{p}\n[setfen=@L]\nMate in 2: {1.Ra7}\n\\end{p}\n" * 2,
        "L2 L2",
    ),
    ("LaTeX's table", "tex", "1 & \\texttt{@L} & \\#2 & 1.Ta7! \\\\\n", "L2"),
    ("MediaWiki", "txt", "| 1 || <code>@L</code> || #2 || Ra7\n", "L2"),
    (
        "moves in three ways",
        "dart",
        "p = [\n P(fen: '@L', moves: "
        "[['a2', 'a7'], {'from': 'h8', 'to': 'g8'}, 'Rb8#']),\n];",
        "L2",
    ),
    ("Dart", "dart", "p = [\n  P(fen: '@L', mateIn: 2, key: 'a2a7'),\n];", "L2"),
    (
        "SQL",
        "sql",
        "INSERT INTO p VALUES\n(1, '@A', 'Ra8#'),\n(2, '@Q', 'Qg7#');",
        "A1 Q1",
    ),
]

TRAPS = [
    ("no mate", "txt", "@A There is no mate in 3 here.\n", "A"),
    ("not", "txt", "@A This is not mate in 2.\n", "A"),
    ("a threat", "txt", "@B White threatens mate in 2\n", "B"),
    ("a range", "txt", "@A mate in 2-3\n", "A"),
    ("or", "txt", "@A mate in 2 or 3\n", "A"),
    ("seconds", "txt", "@A found mate in 2 seconds\n", "A"),
    ("numbers of a list", "txt", "#1 @A\n#2 @L\n#3 @Q\n", "A L Q"),
    ("numbers after", "txt", "@A #1\n@L #2\n@Q #3\n", "A L Q"),
    ("running column", "csv", "fen,n\n@L,1\n@A,2\n@Q,3\n", "L A Q"),
    ("flags", "csv", "fen,mate\n@A,0\n@L,1\n@Q,1\n", "A L Q"),
    ("years", "csv", "fen,year\n@A,1901\n@L,1902\n", "A L"),
    ("ratings", "csv", "fen,rating\n@A,120\n@L,90\n", "A L"),
    ("depth", "csv", "fen,depth\n@A,20\n@L,24\n@Q,20\n", "A L Q"),
    ("an engine's depth", "txt", "@L depth 12 nodes 20000\n", "L"),
    ("a study", "txt", "@L White to play and win\n1. Ra7 Kg8 2. Rb8#\n", "L"),
    (
        "studies",
        "pgn",
        PGN.format("L", "{White to play and draw} 1. Ra7") + PGN.format("A", "1. Ra8#"),
        "L A",
    ),
    ("a drawn study", "pgn", '[Event "Draw"]\n' + PGN.format("L", "1. Ra7"), "L"),
    ("a won study", "pgn", '[Event "Win"]\n' + PGN.format("A", "1. Ra8#"), "A"),
    ("a puzzle's number", "pgn", '[Event "Puzzle #3"]\n' + PGN.format("L", ""), "L"),
    ("another's heading", "txt", "@L\n\n## Mate in 1\n\n@A\n", "L A1-"),
    ("an ended heading", "md", "## Mate in 1\n\n@A\n\n## Others\n\n@L", "A1- L"),
    ("a move is no side", "txt", "@A b4 is a square\n", "A"),
    ("nothing", "txt", "No position is here; 1. e4 e5 is none.\n", ""),
    ("a date", "txt", "2024/01/02 3/4/5/6/7/8 w\n", ""),
    ("an empty list", "json", "[]\n", ""),
    ("moves played", "csv", "fen,moves\n@A,2\n@L,4\n@Q,59\n", "A L Q"),
    ("corners", "txt", "Mate in 2 of the 4 corners only.\n\n@L\n", "L"),
    ("allowed", "json", '[{"fen": "@L", "comment": "Kh8 allows mate in 2"}]', "L"),
    ("users", "json", '[{"user": "mate_in_3", "fen": "@L"}]', "L"),
    ("the next", "json", '[{"fen": "@L", "next": {"title": "Mate in 3"}}]', "L"),
    ("openings", "tsv", f"A00\tGrob\t1. f3 e5 2. g4\t{UCI}\t@4F\n" * 2, "F F"),
    ("to resign", "csv", "FEN;Züge bis zur Aufgabe\n@A;2\n@L;3\n", "A L"),
    ("two languages", "txt", "@L #2\n1.Da7 Kg8 2.Rb8#\n", "L2-"),
    ("tries alone", "txt", "@L #2\n1.Kh2? Kg8!\n", "L2-"),
    ("a condition", "txt", "@L\nSuppose if h2 is empty then you can mate in one.", "L"),
    ("overlooked", "txt", "@L Both overlooked a mate in 4.\n", "L"),
    ("a letter too many", "txt", "@L #2\nA) Kf2 B) Ra7 C) Rb7\n", "L2-"),
    ("a key alone", "json", '[{"fen": "@L", "move": "a2a7"}]', "L"),
]


def filled(text: str) -> str:
    """Return a text with its FENs."""

    def fen(found: re.Match[str]) -> str:
        return " ".join(FENS[found[2]].split()[: int(found[1] or 6)])

    return re.sub("@([14]?)([A-Za-z])(?![A-Za-z])", fen, text)


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


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [pytest.param(*case[1:], id=case[0]) for case in CASES + TRAPS],
)
def test_a_text_is_understood(
    name: str, text: str, expected: str, tmp_path: Path
) -> None:
    found, _ = read(tmp_path / f"x.{name}", text)
    assert [spelled(one) for one in found if isinstance(one, Problem)] == meant(
        expected
    )


@pytest.mark.parametrize(
    ("solution", "variations", "is_read"),
    [
        ("1.Ra7 Kg8 2.Rb8#", [], True),
        ("1.Ra7! zugzwang 1...Kg8 2.Rb8#", [], True),
        ("1.Ra7 Kg8 2.Rb8# 1...Kh7", ["a2a7 h8h7"], False),  # it is illegal
        ("1.Ra7 Kg8 2.Rb8# 1...Kg8 2.Rb6", ["a2a7 h8g8 b1b6"], True),
        ("1.Ra7 Kg8 2.Rb8/Rb6", ["a2a7 h8g8 b1b6"], True),
        ("1.Ra7! ~ 2.Rb8# 1...Kg8 2.Rb8#", [], True),
        ("1.Ta7! droht 2.Tb8# 1...Kg8 2.Tb8# 2.Tb6", ["a2a7 h8g8 b1b6"], True),
        ("1.Ra7! threatens 2.Rb8# 1...Kg8 2.Rb6 and wins", [], False),
    ],
)
def test_the_variations_of_a_solution_are_read_or_it_is_read_in_part(
    solution: str, variations: list[str], is_read: bool, tmp_path: Path
) -> None:
    found, _ = read(tmp_path / "x.csv", f"fen,mate,solution\n@L,2,{solution}\n")
    (problem,) = found
    assert isinstance(problem, Problem)
    assert problem.claim
    assert problem.claim.keys == ("a2a7",)
    assert problem.claim.partly_read is not is_read
    if is_read:
        assert [" ".join(line) for line in problem.claim.variations] == variations


def test_a_heading_claims_nothing_of_the_positions_after_the_first(
    tmp_path: Path,
) -> None:
    states = ", ".join(
        f'{{"fen": "{fen}", "move": "{move}"}}'
        for fen, move in (
            (FENS["L"], "Ra7"),
            ("7k/R7/8/8/8/8/8/1R4K1 b - - 1 1", "Kg8"),
            ("6k1/R7/8/8/8/8/8/1R4K1 w - - 2 2", "Rb2"),
        )
    )
    text = f'[{{"title": "Mate in 2", "states": [{states}]}}]'
    found, _ = read(tmp_path / "x.json", text)
    claims = [one.claim.mate if one.claim else 0 for one in found]
    assert claims == [2, 0, 0]


# Who begins


def jsonl(*lines: str) -> str:
    pairs = (line.split(" ", 1) for line in lines)
    return "".join(
        f'{{"fen": "@{name}", "moves": "{moves}"}}\n' for name, moves in pairs
    )


BEFORE = ("a f8g8 a1a8", "l g8h8 a2a7 h8g8 b1b8", "q g8h8 g1g7")
AFTER = ("A a1a8", "L a2a7 h8g8 b1b8")


@pytest.mark.parametrize(
    ("lines", "expected", "words"),
    [
        (AFTER, "A1 L2", ""),
        (BEFORE, "A1 L2 Q1", "3 of 3 lines end in mate that way, 0 the other way"),
        (
            (*BEFORE, *AFTER),
            "A1 L2 Q1 A1 L2",
            "3 of 5 lines end in mate that way, 2 the other way",
        ),
        ((*BEFORE, "l g8h8 a2a7"), "A1 L2 Q1 L", "3 of 3 lines"),
        (("l g8h8 a2a7",) * 3, "L L L", ""),
        (("L a2a7",) * 3, "L L L", ""),
    ],
)
def test_the_summary_says_who_begins(
    lines: tuple[str, ...], expected: str, words: str, tmp_path: Path
) -> None:
    found, summary = read(tmp_path / "x.jsonl", jsonl(*lines))
    assert [*map(spelled, found)] == meant(expected)
    stated = "moves begin one move before the position"
    assert (stated in str(summary)) == bool(words)
    assert words in str(summary)


@pytest.mark.parametrize(
    ("columns", "name", "text", "expected"),
    [
        ({"moves": "after-first"}, "csv", "fen,moves\n@l,g8h8 a2a7\n", "L"),
        ({"claim": "depth"}, "csv", "fen,depth\n@L,2\n@A,1\n", "L2- A1-"),
        ({"fen": "b"}, "csv", "a,b,mate\n@Q,@L,2\n", "L2-"),
        ({"claim": "level"}, "json", '[{"fen": "@L", "level": 2}]', "L2-"),
        ({"keys": "note"}, "json", '[{"fen": "@L", "note": "a2a7", "dm": 2}]', "L2"),
    ],
)
def test_columns_state_the_reading(
    columns: dict[str, str], name: str, text: str, expected: str, tmp_path: Path
) -> None:
    found, _ = read(tmp_path / f"x.{name}", text, columns=columns)
    assert [*map(spelled, found)] == meant(expected)


@pytest.mark.parametrize(
    ("name", "text"), [("csv", "fen,mate\n@L,2\n"), ("jsonl", jsonl(*AFTER))]
)
@pytest.mark.parametrize("columns", [{"claim": "zzz"}, {"zzz": "fen"}])
def test_columns_that_do_not_occur_are_an_error(
    name: str, text: str, columns: dict[str, str], tmp_path: Path
) -> None:
    found, summary = read(tmp_path / f"x.{name}", text, columns=columns)
    assert not summary.problems
    assert all("--columns" in str(one) and "zzz" in str(one) for one in found)
    assert found


# The sample, and the rest


def many(count: int) -> str:
    """Return records of which the opponent begins in all but every tenth."""
    return jsonl(*(AFTER[1] if at % 10 == 9 else BEFORE[at % 3] for at in range(count)))


@pytest.mark.parametrize(("illegal", "is_named"), [(2, False), (3, True)])
def test_lines_that_are_mostly_illegal_may_be_of_another_variant(
    illegal: int, is_named: bool, tmp_path: Path
) -> None:
    text = jsonl(*AFTER, *(illegal * ("A a1h8 g8h8",)))
    _, summary = read(tmp_path / "x.jsonl", text)
    fault = f"illegal ones in {illegal} of {illegal + 2} lines: another variant"
    assert any(fault in each for each in summary.faults()) == is_named


def test_records_after_the_sample_are_read_like_those_in_it(tmp_path: Path) -> None:
    found, summary = read(tmp_path / "x.jsonl", many(300))
    expected = [
        "L2" if at % 10 == 9 else ["A1", "L2", "Q1"][at % 3] for at in range(300)
    ]
    assert [*map(spelled, found)] == meant(" ".join(expected))
    assert summary.problems == summary.claims == 300


def test_a_line_without_a_mate_after_the_sample_begins_as_the_others(
    tmp_path: Path,
) -> None:
    found, _ = read(tmp_path / "x.jsonl", many(300) + jsonl("l g8h8 a2a7"))
    assert spelled(found[-1]) == meant("L")[0]


@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case[0])
def test_the_same_bytes_give_the_same_reading(
    case: tuple[str, str, str, str], tmp_path: Path
) -> None:
    first, second = (read(tmp_path / f"x.{case[1]}", case[2]) for _ in range(2))
    assert first[0] == second[0]
    assert first[1].record() == second[1].record()


@pytest.mark.parametrize("text", [many(300), jsonl(*BEFORE)])
def test_a_pipe_is_read_like_a_file(text: str, tmp_path: Path) -> None:
    expected, _ = read(tmp_path / "x.jsonl", text)
    reader, writer = os.pipe()

    def write() -> None:
        with open(writer, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
            file.write(filled(text))

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        found = [*registry.read_collection(f"/dev/fd/{reader}")]
    finally:
        os.close(reader)
    thread.join()
    assert [*map(spelled, found)] == [*map(spelled, expected)]


@pytest.mark.parametrize("record", ["@A,-1,Ra8#", "@B,-1,Ra1#"])
def test_a_line_corrects_no_wrong_sign(record: str, tmp_path: Path) -> None:
    (problem,), _ = read(tmp_path / "x.csv", f"fen,claim,line\n{record}\n")
    assert problem.claim
    assert problem.claim.mate == -1
    assert problem.warnings


def test_a_value_of_some_type_is_not_read_as_another(tmp_path: Path) -> None:
    record = '[{"fen": "@B", "pv": "a8a1", "x": {"type": "rating", "value": 150}}]'
    (problem,), _ = read(tmp_path / "x.json", record)
    assert problem.claim
    assert problem.claim.mate == 1
    assert not problem.warnings
