"""Records made to cost time, memory or a traceback are refused at once, or read."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING

import chess.pgn
import pytest

from solver.errors import FormatError
from solver.formats.claims import ReadOptions
from solver.formats.pgn import PgnGame
from solver.formats.registry import read_collection
from solver.problem import Problem
from tests.cpu_time import spending_less_than

if TYPE_CHECKING:
    from pathlib import Path

DIGITS = "9" * 10**6
DEEP = "[" * 10**5
FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"


def jsonl(**fields: str) -> str:
    """A record with further fields that are JSON text."""
    written = ",".join(f'"{name}":{value}' for name, value in fields.items())
    return f'{{"fen":"{FEN}",{written}}}'


def pgn(moves: str, *tags: str) -> str:
    return "\n".join(['[Event "x"]', f'[FEN "{FEN}"]', *tags, "", moves, ""])


def olive(*lines: str) -> str:
    pieces = "{white: [Kg1, Ra1], black: [Kg8, Pf7, Pg7, Ph7]}"
    return "\n".join(["---", f"algebraic: {pieces}", *lines, "stipulation: '#1'", ""])


def popeye(*lines: str) -> str:
    pieces = "Pieces White Kg1 Ra1 Black Kg8 Pf7g7h7"
    return "\n".join(["BeginProblem", pieces, "Sti #1", *lines, "EndProblem", ""])


def bomb() -> list[str]:
    """A few lines of YAML whose aliases expand to 8^18 texts."""
    lines = ["a: &a [x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefghijklmnopq", "bcdefghijklmnopqr", strict=True):
        lines.append(f"{name}: &{name} [{', '.join(8 * [f'*{before}'])}]")
    return lines


LONG = "9" * 60_000
"""A number that fits into a line."""

# fmt: off
REFUSED = {
    "epd: a long number": f"{FEN} dm {DIGITS};",
    "fen: a long number": f"6k1/5ppp/8/8/8/8/8/R5K1 w - - {LONG} 1",
    "lichess: a long number":
        f"PuzzleId,FEN,Moves,Rating,Themes\nx,{FEN},a1a2,{DIGITS},mate\n",
    "pgn: a long number": pgn("*", f'[Stipulation "#{DIGITS}"]'),
    "olive: a long number": olive(f"stipulation: '#{DIGITS}'"),
    "olive: a long rotation":
        olive(f"twins: {{b: Rotate {DIGITS[:100_000]}}}").replace("Ra1", "Ra1, Ra1"),
    "popeye: a long number": popeye(f"Stipulation h#1.{DIGITS}"),
    "popeye: a long rotation": popeye(f"Twin Rotate {DIGITS[:900_000]}"),
    "jsonl: a long number": jsonl(claim=DIGITS),
    "popeye: many twins": popeye("Twin cont PolishType\n" * 10_000),
    "olive: many moves": olive(f"twins: {{b: {'Move a1 a2 Move a2 a1 ' * 5_000}}}"),
    "olive: many twins":
        olive("twins: {", *(f"  zz{i}: Remove a1," for i in range(6_000)), "}"),
    "jsonl: deep nesting": jsonl(claim=DEEP),
    "olive: deep nesting": olive(f"title: {DEEP}"),
    "olive: aliases": olive(*bomb()),
    "olive: a character beyond Unicode": olive('title: "\\UFFFFFFFF"'),
    "fen: many quotes": f"{FEN};" + ' "a "b;' * 8_001,
    "popeye: a long option": popeye(f"Option EnPassant {'a1' * 450_000}"),
}
# fmt: on


@pytest.mark.parametrize("what", REFUSED)
def test_a_hostile_record_is_refused_at_once(what: str, tmp_path: Path) -> None:
    source_format, text = what.partition(":")[0], REFUSED[what]
    path = tmp_path / "hostile"
    path.write_text(text, encoding="utf-8")
    with spending_less_than(5):  # milliseconds; some once took a minute
        records = list(read_collection(path, ReadOptions(source_format=source_format)))
    # A twin of Popeye's that is refused does not cost the diagram.
    (error,) = (record for record in records if isinstance(record, FormatError))
    assert error.reason.isprintable()
    assert len(error.reason) < 400


@pytest.mark.parametrize("field", ["id", "claim", "claimed_keys", "x"])
def test_deep_json_affects_no_other_record(field: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    depths = range(900, 1000)  # Python's recursion limit is among them
    texts = [jsonl(**{field: "[" * depth + "]" * depth}) for depth in depths]
    path.write_text("\n".join([jsonl(id='"x"'), *texts]), encoding="utf-8")
    records = list(read_collection(path))
    assert len(records) == len(texts) + 1


MOVETEXTS = {
    "with semicolons": "{a;} 1. " * 40_000,
    "unclosed": "{" * 300_000,
    "marks": "e.p." * 80_000 + "x",
    "to the end of the line": " ;" * 150_000,
}


@pytest.mark.parametrize("moves", MOVETEXTS.values(), ids=MOVETEXTS)
def test_movetext_takes_linear_time(moves: str, tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(pgn(f"{moves}\n*"), encoding="utf-8")
    with spending_less_than(3):  # 0.4 s
        (record,) = read_collection(path)
    whole = not moves.startswith(("{{", "e."))
    assert isinstance(record, Problem if whole else FormatError)


UNITS = [" ", "a\n", ";", "*", "$1:\r", "x\nw "]
UNITS += ["\rO-O//", "\n\\boxed{and Qxf7", "\n|Qxf7-"]


@pytest.mark.parametrize("unit", UNITS)
def test_texts_are_read_in_linear_time(unit: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    long = f"x{(unit * 10_000)[:10_000]}"
    for text in (
        f"{FEN}\n{long}\n{FEN}\n",
        f"{long[1:]}\n{FEN} mate in 2\n",
        f"const a = {{fen: '{FEN}', x: '{long}'}}\n",
        f"<html><body><p>{FEN}</p><p>{long}</p></body></html>",
        f"| fen | b |\n|---|---|\n| {FEN} | {long} |\n",
    ):
        path.write_text(text, encoding="utf-8", newline="")
        with spending_less_than(4):  # 1 s
            assert FEN in [
                record.fen
                for record in read_collection(path)
                if isinstance(record, Problem)
            ]


def transcript(text: bytes) -> str:
    """The tags, comments, moves and the result of a game, in order."""
    game = PgnGame(text)
    found = [f"{name}: {value}" for name, value in game.tags.items()]
    found += [
        str(game.board.peek()) if comment is None else repr(comment)
        for comment in game.play()
    ]
    return " ".join([*found, game.ending])


class Expected(chess.pgn.BaseVisitor[str]):
    """The same from python-chess."""

    def begin_game(self) -> None:
        self._found: list[str] = []
        self._ending = ""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self._found.append(f"{tagname}: {tagvalue}")

    def visit_comment(self, comment: str) -> None:
        self._found.append(repr(comment))

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def visit_board(self, board: chess.Board) -> None:
        if board.move_stack:
            self._found.append(str(board.peek()))

    def visit_result(self, result: str) -> None:
        self._ending = result

    def result(self) -> str:
        return " ".join([*self._found, self._ending])


BETWEEN = (
    *("{}", "{ a }", "{b}", "{c;d}", "{%e}", "{ f (\n% g) }", "{1. e4 {h}", "{\n\n i}"),
    *("( 1. d4 {j)} d5 (1... e6) )", "(e4)", "(\n1... e5 $3)", "$4", "!?", "\n", " "),
    *(" ; k {\n", "\n;l (\n", "\n%m {\n", "1.", "2..."),
)


def test_comments_and_variations_are_read_as_by_python_chess() -> None:
    seeded = random.Random(11)
    commented = 0
    for _ in range(1000):
        moves = [" ".join(seeded.choices(BETWEEN[:5], k=seeded.randint(0, 2)))]
        for san in ("e4", "e5", "Nf3", "Nc6", "Bb5+", "a6")[: seeded.randint(1, 6)]:
            moves += [san, *seeded.choices(BETWEEN, k=seeded.randint(0, 3))]
        moves.append(seeded.choice(["", "1-0", "*"]))
        lines = ['[Event "{x} y"]', '[Site "z"]', *" ".join(moves).split("\n")]
        text = "".join(f"{line}\n" for line in lines if line.strip())
        expected = chess.pgn.read_game(io.StringIO(text), Visitor=Expected)
        assert transcript(text.encode()) == expected, text
        commented += "'" in str(expected)
    assert commented > 300
