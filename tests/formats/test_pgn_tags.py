"""Tags in the spellings of PGN's import format, and lines that should be tags."""

from __future__ import annotations

import io

import pytest

from solver.errors import FormatError
from solver.formats import detection, pgn
from solver.formats.claims import FileSummary
from solver.problem import Claim, Problem
from tests.cpu_time import spending_less_than

FEN = "6rk/6pp/8/6N1/8/8/8/K7 w - - 0 1"
TAG = f'[FEN "{FEN}"]'
NEITHER = "expected a FEN tag or moves, found neither"
MATE = Claim(1, ("g5f7",), ("g5f7",))
MOVES = "\n\n1. Nf7# 1-0\n\n"
GOOD = f'[Event "good"]\n{TAG}{MOVES}'


def read(text: str) -> list[Problem | FormatError]:
    lines = enumerate(io.BytesIO(text.encode()), start=1)
    return list(pgn.read_pgn(lines, FileSummary("x.pgn")))


@pytest.mark.parametrize(
    "tags",
    [
        TAG,
        f'[Fen "{FEN}"]',
        f'[fen "{FEN}"]',
        f'[  FEN "{FEN}" ]',
        f'[FEN"{FEN}"]',
        f'\t[\tFEN\t\t"{FEN}"\t]\t',
        f'[Event "x"] {TAG}',
        f'{TAG}[Event "x"][White "y"]',
        f'[Event "x"]\t[Site "y"] [Round\n"1"] {TAG}',
        f'[FEN\n"{FEN}"]',
        f'[FEN "{FEN}"\n]',
        f'[\nFEN "{FEN}"]',
        f'[FEN\n"{FEN}"\n]\n[White "x"]',
        f'[FEN "{FEN.replace(" w", chr(10) + "w")}"]',
        f'[Event "a long\nname"]\n{TAG}',
        f"{TAG} ; a note\n",
        f"{TAG};a note [x\n",
        f"{TAG} {{a note}}",
        f'[Event "x"]\n; a note\n{TAG}',
        f'[Event "x"]\n% [FEN "8/8"]\n{TAG}',
        f'[Event "x"]\n{{ a note\nover two lines }}\n{TAG}',
        f'{{ all mates in 2 }}\n[Event "x"]\n{TAG}',
        f'[Event "x"]\n\n{TAG}',
        f'[Event "x"]\r\n{TAG}\r',
        f'[Event "The "great" game"]\n{TAG}',
        f'[Event "\\"x\\" \\\\"]\n{TAG}',
        f'[Event "[\\"x\\"]"]\n{TAG}',
        f'[Event ""]\n{TAG}',
        f'[Event "x]"]\n{TAG}',
        f'[Event_2:a+b=c#-1 "x"]\n{TAG}',
        f'{TAG}\n[SetUp "1"]',
        f'[setup "1"]\n{TAG}',
        f'[White "x"]\n[White "x"]\n{TAG}',
    ],
)  # fmt: skip
def test_the_position_is_read_from_every_spelling_of_its_tag(tags: str) -> None:
    for moves in (MOVES, " 1. Nf7# *\n", MOVES.replace("\n", "\r\n")):
        problem, good = read(tags + moves + GOOD)
        assert isinstance(problem, Problem), problem
        assert (problem.fen, problem.claim, problem.warnings) == (FEN, MATE, ())
        assert isinstance(good, Problem)
        assert (good.id, good.claim) == ("good", MATE)


@pytest.mark.parametrize(
    ("tags", "line"),
    [
        (f"[FEN '{FEN}']", f"[FEN '{FEN}']"),
        (f'[FEN "{FEN}"', f'[FEN "{FEN}"'),
        (f'[FEN "{FEN}]', f'[FEN "{FEN}]'),
        (f"[FEN {FEN}]", f"[FEN {FEN}]"),
        (f'[Event "x"]\n[FEN: {FEN}]\n[White "y"]', f"[FEN: {FEN}]"),
        (f"[fen \u201c{FEN}\u201d]", f"[fen \u201c{FEN}\u201d]"),
        (f'{TAG}\n[FEN "8/8', '[FEN "8/8'),
        ('[Event "x"]\n[FEN]', "[FEN]"),
        ("[Event x]", "[Event x]"),
        ('[Event "x]', '[Event "x]'),
        ("[Site Rome][Date 1619]", "[Site Rome][Date 1619]"),
        (f"{TAG}\n[Variant Atomic]", "[Variant Atomic]"),
    ],
)
def test_a_line_that_should_be_a_tag_is_quoted_and_not_the_initial_position(
    tags: str, line: str
) -> None:
    for moves in (MOVES, "\n1. e4 *\n\n", "\n\n*\n\n"):
        error, good = read(tags + moves + GOOD)
        assert isinstance(error, FormatError)
        expected, _, found = error.reason.partition(", found ")
        assert expected == 'expected a tag such as [FEN "..."]'
        assert found[1:].startswith(ascii(line)[1:-1][:59])
        assert isinstance(good, Problem)
        assert (good.id, good.claim) == ("good", MATE)


@pytest.mark.parametrize("line", ["[Site Rome]", "[Annotator 'x']", '[White "Loyd]'])
def test_another_bad_tag_costs_no_position_that_claims_something(line: str) -> None:
    (problem,) = read(f"{line}\n{TAG}{MOVES}")
    assert isinstance(problem, Problem)
    assert problem.claim == MATE
    (warning,) = problem.warnings
    assert warning.startswith(f'tag: expected [Name "value"], found {line!r}; kept')
    (error,) = read(f"{line}\n{TAG}\n\n*\n")  # it may be the claim
    assert isinstance(error, FormatError)
    assert error.reason == f'tag: expected [Name "value"], found {line!r}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[SetUp "1"]\n\n1. Nf3 *\n', 'expected a FEN tag, found only [SetUp "1"]'),
        ('[Event "x"]\n[setup "1"]\n*', 'expected a FEN tag, found only [SetUp "1"]'),
        ('[Event "x"]\n[Site "y"]\n\n*\n', NEITHER),
        ('[Result "1-0"]\n\n1-0\n', NEITHER),
        ("{ Mate in 2 } *\n", NEITHER),
        ('[SetUp "0"]\n\n{#2} *\n', NEITHER),
        ("*\n", NEITHER),
    ],
)
def test_what_has_neither_a_position_nor_moves_is_no_problem(
    text: str, reason: str
) -> None:
    error, good = read(f"{text}\n{GOOD}")
    assert isinstance(error, FormatError)
    assert error.reason == reason
    assert isinstance(good, Problem)


def test_two_positions_of_one_game_are_refused() -> None:
    (error,) = read(f'{TAG} [FEN "{FEN.replace(" w", " b")}"]{MOVES}')
    assert isinstance(error, FormatError)


@pytest.mark.parametrize("first", ["Termination", "White", "Zz9", "Result", "Round"])
@pytest.mark.parametrize("between", ["\n*\n\n", "\n1. Nf7# 1-0\n", "\n\n"])
def test_tags_in_any_order_belong_to_one_game(first: str, between: str) -> None:
    names = ("A", "B", "C")
    text = "".join(
        f'[{first} "mate in {n}"]\n[Event "{name}"]\n{TAG}\n{between}'
        for n, name in enumerate(names, start=4)
    )
    problems = [one for one in read(text) if isinstance(one, Problem)]
    assert [one.id for one in problems] == [*names]
    assert [one.source for one in problems] == [
        f"x.pgn:{1 + number * text.count(chr(10)) // 3}" for number in range(3)
    ]
    claims = [one.claim and one.claim.mate for one in problems]
    line = 1 if "Nf7" in between else None
    assert claims == ([line] * 3 if first == "Round" else [4, 5, 6])


@pytest.mark.parametrize("name", ["Event", "FEN", "event", "Fen"])
def test_a_game_has_one_event_and_one_position(name: str) -> None:
    value = FEN if "fen" in name.lower() else "x"
    text = f'[{name} "{value}"]\n' * 3 + (TAG + MOVES if value == "x" else MOVES)
    found = read(text)
    assert len(found) == 3
    assert isinstance(found[2], Problem)
    assert found[2].source == "x.pgn:3"


def test_an_unclosed_comment_before_the_moves_spoils_its_own_game_only() -> None:
    error, good = read(f"{TAG}\n\n{{ Mate in 2\n\n1. Nf7# *\n\n{GOOD}")
    assert isinstance(error, FormatError)
    assert error.reason.startswith("expected a move at 1., found '{ Mate in 2")
    assert isinstance(good, Problem)
    assert good.claim == MATE


@pytest.mark.parametrize(
    "unit", ['[x "', '[x "a"]', "[", '"', "\\", "{a}", "{ ", "[x\n", "; ", " ;", "a\n"]
)
def test_tags_are_read_in_linear_time(unit: str) -> None:
    with spending_less_than(8):  # 1 s
        for between in ("", "\n"):
            for begun in (TAG, f'{TAG}\n[Event "'):
                assert read((f"{begun}\n" + (unit + between) * 100_000)[:300_000])


@pytest.mark.parametrize(
    "beginning",
    [
        *(TAG, '[Event "x"]', '[  FEN "x" ]', '[FEN"8/8"]', '[Event "x"] [Site "y"]'),
        *('[White "The "great" game"]', '[Event "x"] ; note', '[Event "a long'),
        *("[Event", "[FEN '8/8']", "[FEN 8/8]", '[Event "x', "{ Mate in 2 }", "1. e4"),
        *("1.e4 e5", "12 ... Kg8"),
    ],
)
def test_pgn_is_detected(beginning: str) -> None:
    assert detection.detect(f"{beginning}\n".encode()) == "pgn"


@pytest.mark.parametrize(
    "beginning",
    ['[{"fen": "8/8"}]', "[{", '["a title", "b"]', '[kj90"x"yl]', "[1, 2]", "[]", "["],
)
def test_lists_are_not_pgn(beginning: str) -> None:
    assert detection.detect(f"{beginning}\n".encode()) != "pgn"
