"""Records made to cost time, memory or a traceback are refused at once, or read."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING

import chess.pgn
import pytest

from solver.errors import FormatError
from solver.formats.claims import ReadOptions
from solver.formats.epd import find_operations
from solver.formats.pgn import PgnGame
from solver.formats.registry import read_collection
from solver.formats.tables import name_columns
from solver.problem import Problem
from tests.cpu_time import spending_less_than

if TYPE_CHECKING:
    from pathlib import Path

BUDGET_S = 5.0
"""CPU time: the records take milliseconds; some once took up to a minute."""

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


REFUSED = {
    "a long number": {
        "epd": f"{FEN} dm {DIGITS};",
        "fen": f"6k1/5ppp/8/8/8/8/8/R5K1 w - - {DIGITS} 1",
        "lichess": f"PuzzleId,FEN,Moves,Rating,Themes\nx,{FEN},a1a2,{DIGITS},mate\n",
        "pgn": pgn("*", f'[Stipulation "#{DIGITS}"]'),
        "olive": olive(f"stipulation: '#{DIGITS}'"),
        "popeye": popeye(f"Stipulation #{DIGITS}"),
        "jsonl": jsonl(claim=DIGITS),
        "csv": f"fen,claim\n{FEN},{DIGITS}\n",
        "epd too": f'{FEN} stipulation "h#{DIGITS}";',
        "popeye too": popeye(f"Stipulation h#1.{DIGITS}"),
        "jsonl too": jsonl(stipulation='"h#2"', claimed_solutions=DIGITS),
        "csv too": f"fen,stipulation\n{FEN},s#{DIGITS}\n",
    },
    # Within the limits of a line or an entry.
    "a number that is long enough to be read": {
        "epd": f"{FEN} dm {DIGITS[:60_000]};",
        "fen": f"6k1/5ppp/8/8/8/8/8/R5K1 w - - {DIGITS[:60_000]} 1",
        "pgn": pgn(f"1. Ra2 {DIGITS[:900_000]} *"),
        "olive": olive(f"%YAML {DIGITS[:100_000]}.1"),
        "popeye": popeye(f"Stipulation # {DIGITS[:900_000]}"),
        "jsonl": jsonl(claim=DIGITS[:60_000]),
        "csv": f"fen,claim\n{FEN},{DIGITS[:60_000]}\n",
        "epd too": f'{FEN} stipulation "h#{DIGITS[:60_000]}";',
        "olive too": olive(f"twins: {{b: Rotate {DIGITS[:100_000]}}}").replace(
            "Ra1", "Ra1, Ra1"
        ),
        "popeye too": popeye(f"Twin Rotate {DIGITS[:900_000]}"),
        "jsonl too": jsonl(stipulation=f'"h#{DIGITS[:60_000]}"'),
    },
    "many twins": {
        "popeye": popeye("Twin cont PolishType\n" * 10_000),
        "popeye too": popeye(f"Twin {'move a1 a2 move a2 a1 ' * 10_000}"),
        "popeye as well": popeye(f"Twin add white {'Qa2' * 300_000}"),
        "olive": olive(f"twins: {{b: {'Move a1 a2 Move a2 a1 ' * 5_000}}}").replace(
            "Kg8", "Kg8, Kg8"
        ),
        "olive too": olive(
            "twins: {", *(f"  zz{i}: Remove a1," for i in range(6_000)), "}"
        ),
    },
    "deep nesting": {
        "jsonl": jsonl(claim=DEEP),
        "olive": olive(f"title: {DEEP}"),
        "olive too": olive(f"title:\n  {'- ' * 50_000}"),
    },
    "aliases": {"olive": olive(*bomb())},
    "a character beyond Unicode": {
        "olive": olive('title: "\\U00110000"'),
        "olive too": olive('title: "\\UFFFFFFFF"'),
    },
    "quotes that do not close": {
        "epd": f'{FEN}; {" " * 60_000}c0 "x; dm 1;',
        "epd too": f'{FEN}; {"c" * 60_000} "x; dm 1;',
        "fen": f"{FEN};" + ' "a "b;' * 8_001,
    },
    "a long message": {
        "olive": olive(f"title: !{'a' * 100_000}! x"),
        "olive too": olive(f"title: !<{'%0a' * 30_000}> x"),
        "popeye": popeye(f"Option EnPassant {'a1' * 450_000}"),
        "popeye too": popeye(f"Twin Mirror {'a1<-->h1 ' * 100_000}"),
        "popeye as well": popeye(f"Twin Mirror {'-' * 900_000}"),
    },
}


@pytest.mark.parametrize(
    ("source_format", "text"),
    [
        pytest.param(name.split()[0], text, id=f"{what}: {name}")
        for what, texts in REFUSED.items()
        for name, text in texts.items()
    ],
)
def test_a_hostile_record_is_refused_at_once_and_in_one_line(
    source_format: str, text: str, tmp_path: Path
) -> None:
    path = tmp_path / "hostile"
    path.write_text(text, encoding="utf-8")
    with spending_less_than(BUDGET_S):
        records = list(read_collection(path, ReadOptions(source_format=source_format)))
    # A twin of Popeye's that is refused does not cost the diagram.
    (error,) = (record for record in records if isinstance(record, FormatError))
    assert error.reason.isprintable()
    assert len(error.reason) < 400


@pytest.mark.parametrize("field", ["id", "claim", "claimed_keys", "any_last_move", "x"])
def test_json_nested_near_the_recursion_limit_affects_no_other_record(
    field: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.jsonl"
    depths = range(900, 1000)  # Python's recursion limit is among them
    texts = [jsonl(**{field: "[" * depth + "]" * depth}) for depth in depths]
    path.write_text("\n".join([jsonl(id='"x"'), *texts]), encoding="utf-8")
    records = list(read_collection(path))
    assert len(records) == len(texts) + 1


@pytest.mark.parametrize(
    "moves",
    [
        *("{} " * 100_000, "{a;} 1. " * 40_000, "{a}\n" * 80_000, "{" * 300_000),
        *("1.\n[" + "{} " * 100_000, "(" * 300_000, "()" * 150_000),
        *("e.p." * 80_000 + "x", " ;" * 150_000),
    ],
    ids=[
        *("comments", "with semicolons", "on lines", "unclosed", "after a bracket"),
        *("unclosed variations", "variations", "marks", "to the end of the line"),
    ],
)
def test_movetext_takes_linear_time(moves: str, tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(pgn(f"{moves}\n*"), encoding="utf-8")
    with spending_less_than(3):  # 0.4 s
        (record,) = read_collection(path)
    whole = not moves.startswith(("{{", "((", "e.", "1.\n["))
    assert isinstance(record, Problem if whole else FormatError)


@pytest.mark.parametrize(
    "unit",
    [
        *(" ", "\t", "\n", "  \n", "a\n", ";", "--", "-- ", "~", "*", "$1:\r", "x\nw "),
        *("\nmating", "\rO-O//", "\n\\boxed{and Qxf7", "mate in */\r", "\n|Qxf7-"),
    ],
)
def test_texts_are_read_in_linear_time(unit: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    long = f"x{(unit * 40_000)[:40_000]}"
    for text in (
        f"{FEN}\n{long}\n{FEN}\n",
        f"{long[1:]}\n{FEN} mate in 2\n",
        f"const a = {{fen: '{FEN}', x: '{long}'}}\n",
        f"<html><body><p>{FEN}</p><p>{long}</p></body></html>",
        f"| fen | b |\n|---|---|\n| {FEN} | {long} |\n",
    ):
        path.write_text(text, encoding="utf-8", newline="")
        with spending_less_than(8):  # 2 s
            assert FEN in [
                record.fen
                for record in read_collection(path)
                if isinstance(record, Problem)
            ]


def test_equal_names_of_columns_become_different_in_linear_time() -> None:
    with spending_less_than(1):
        assert name_columns(["x"] * 30_000)[-1] == "x (30000)"


def test_semicolons_after_a_record_are_skipped_in_linear_time() -> None:
    with spending_less_than(1):
        text = f"{FEN} dm 1{';' * 60_000}"
        assert [found[0] for found in find_operations(text)[1]] == ["dm 1;"]


def transcript(text: bytes) -> list[str]:
    """The tags, comments, moves and the result of a game, in order."""
    game = PgnGame(text)
    found = [f"{name}: {value}" for name, value in game.tags.items()]
    for comment in game.play():
        is_move = comment is None
        found.append(f"move {game.board.peek()}" if is_move else f"comment {comment!r}")
    return [*found, f"result {game.ending}"]


class Expected(chess.pgn.BaseVisitor[list[str]]):
    """The same from python-chess."""

    def begin_game(self) -> None:
        self._found: list[str] = []
        self._ending = ""

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self._found.append(f"{tagname}: {tagvalue}")

    def visit_comment(self, comment: str) -> None:
        self._found.append(f"comment {comment!r}")

    def begin_variation(self) -> chess.pgn.SkipType:
        return chess.pgn.SKIP

    def visit_board(self, board: chess.Board) -> None:
        if board.move_stack:
            self._found.append(f"move {board.peek()}")

    def visit_result(self, result: str) -> None:
        self._ending = result

    def result(self) -> list[str]:
        return [*self._found, f"result {self._ending}"]


BETWEEN = (
    *("{}", "{ a }", "{b}", "{c;d}", "{%e}", "{ f (\n% g) }", "{1. e4 {h}", "{\n\n i}"),
    *("( 1. d4 {j)} d5 (1... e6) )", "(e4)", "(\n1... e5 $3)", "$4", "!?", "\n", " "),
    *(" ; k {\n", "\n;l (\n", "\n%m {\n", "1.", "2..."),
)


def test_comments_and_variations_are_read_as_by_python_chess() -> None:
    seeded = random.Random(11)
    commented = 0
    for _ in range(3000):
        moves = [" ".join(seeded.choices(BETWEEN[:5], k=seeded.randint(0, 2)))]
        for san in ("e4", "e5", "Nf3", "Nc6", "Bb5+", "a6")[: seeded.randint(1, 6)]:
            moves += [san, *seeded.choices(BETWEEN, k=seeded.randint(0, 3))]
        moves.append(seeded.choice(["", "1-0", "*"]))
        lines = ['[Event "{x} y"]', '[Site "z"]', *" ".join(moves).split("\n")]
        text = "".join(f"{line}\n" for line in lines if line.strip())
        expected = chess.pgn.read_game(io.StringIO(text), Visitor=Expected)
        assert transcript(text.encode()) == expected, text
        commented += "comment" in str(expected)
    assert commented > 1000
