"""Olive's collections: stipulations other than mate, twins, and options."""

from __future__ import annotations

from pathlib import Path

import pytest

from solver.errors import FormatError
from solver.problem import Claim, Problem
from tests.formats.olive_entries import GOOD, LADDER, PIECES, read, read_one


@pytest.mark.parametrize(
    ("text", "side", "moves"), [("s#3", "w", 3), ("h#2", "b", 2), ("h#2.5", "w", 3)]
)
def test_every_stipulation_is_read(text: str, side: str, moves: int) -> None:
    problem = read_one(f"{PIECES}stipulation: '{text}'\n")
    assert str(problem.stipulation) == text
    assert problem.fen.split()[1] == side
    assert problem.claim == Claim(moves)


def test_the_keys_of_self_play_are_read() -> None:
    text = PIECES + "stipulation: s#3\nsolution: '1.Rb7 ! (2.Ra8+) Kg8 2.Ra8#'\n"
    assert read_one(text).claim == Claim(3, ("b1b7",))


@pytest.mark.parametrize(
    ("intended", "solutions"),
    [
        ("2", 2),
        ("'4'", 4),
        ("2.1.1", 2),
        ("2.1.1...", 2),
        ("2.2.1.1", 4),
        ("0", 0),
        ("2...", 2),
        ("many", None),
        ("2.", None),
        ("2,1", None),
        ("100.100", None),
        ("9999999999999999999999", None),
    ],
)
def test_help_play_has_the_intended_number_of_solutions(
    intended: str, solutions: int | None
) -> None:
    text = f"{PIECES}stipulation: h#2\nintended-solutions: {intended}\n"
    assert read_one(text).claim == Claim(2, solutions=solutions)


ONE = "1.Kh8-h7 Rb1-b7 + 2.Kh7-h8 Ra2-a8 #"
OTHER = "1.Kh8-g8 Ra2-a7 2.Kg8-h8 Rb1-b8 #"


@pytest.mark.parametrize(
    ("solution", "solutions"),
    [
        (ONE, 1),
        (f"{ONE}\n{OTHER}", 2),
        (f"{ONE} {OTHER}", 2),
        (f'"{ONE}\n{OTHER}"', 2),
        (f"{ONE} {{model mate}}\n{OTHER} {{1.Kh7 Kh1}}", 2),
        (f"1...Rb1-b7 2.Kh8-g8 Ra2-a8 #\n{ONE}\n{OTHER}", 2),
        ("1.Kh7 Rb7+ 2.Kh8 Ra8#\n1.Kg8 Ra7 2.Kh8 Rb8#\n1.Kg8 Rab2 2.Kf8 R1b8#", 3),
        ("1.Sg8-f6 b7-b8=S 2.0-0 e5*d6 ep. #", 1),
        ("1.Sg8xf6+ b8=S 2.0-0-0 exd6 e.p. #", 1),
        ("1. ... Rb1-b7 2.Kh8-g8 Ra2-a8 #\n1.Kh8-h7 Rb1-b7 {\n} 2.Kh7-h8 Ra2-a8#", 1),
        ("", None),
        ("None", None),
    ],
)
def test_help_play_has_as_many_solutions_as_are_listed(
    solution: str, solutions: int | None
) -> None:
    body = "".join(f"  {line}\n" for line in solution.splitlines())
    problem = read_one(f"{PIECES}stipulation: h#2\nsolution: |\n{body or '  ~'}\n")
    if solution:
        assert problem.claim == Claim(2, solutions=solutions)
        assert not problem.warnings


@pytest.mark.parametrize(
    ("stipulation", "solution", "solutions"),
    [
        ("h#1.5", "1...Rb1-b7 2.Kh8-g8 Ra2-a8 #\n1...Ra2-a7 2.Kh8-g8 Rb1-b8 #", 2),
        ("h=2", "1.Kh8-h7 Rb1-b6 2.Kh7-h8 Ra2-a7 =", 1),
        ("h=1", "1.a7-a8=Q Ra2-a7 =\n1.a7-a8=R Ra2-a7 ==", 2),
    ],
)
def test_the_length_of_listed_solutions_is_that_of_the_stipulation(
    stipulation: str, solution: str, solutions: int
) -> None:
    body = "".join(f"  {line}\n" for line in solution.splitlines())
    text = f"{PIECES}stipulation: {stipulation}\nsolution: |\n{body}"
    claim = read_one(text).claim
    assert claim is not None
    assert claim.solutions == solutions


@pytest.mark.parametrize(
    ("solution", "found"),
    [
        ("1.Kh8-h7 Rb1-b7 + 2.Kh7-h8 Ra2-a8", "1.Kh8-h7 Rb1-b7 + 2.Kh7-h8 Ra2-a8"),
        (f"{ONE} 2.Kh7-h6 Ra2-a6 #", "2.Kh7-h6 Ra2-a6 #"),
        (f"{ONE} and others", "and others"),
        (f"Solution: {ONE}", "Solution:"),
        ("1.Kh8-h7 Rb1-b7 #", "1.Kh8-h7 Rb1-b7 #"),
        ("1.Kh7 Tb7 2.Kh8 Ta8#", "1.Kh7 Tb7 2.Kh8 Ta8#"),
        ("1...Rb1-b7 2.Kh8-g8 Ra2-a8 #", ""),
        (f"{ONE} 1.Kh8-g8 ?", "1.Kh8-g8 ?"),
    ],
)
def test_an_unclear_number_of_solutions_is_a_warning(solution: str, found: str) -> None:
    problem = read_one(f"{PIECES}stipulation: h#2\nsolution: |\n  {solution}\n")
    assert problem.claim == Claim(2)
    assert problem.warnings == (
        "solution: expected 4 half-moves and # in each line, "
        f"found '{found}'; kept h#2",
    )


@pytest.mark.parametrize(
    "unit", ["{", "1.", "1.Kh8-h7 Rb1-b7 ", " ", "1. ", "1...", "a1", "1.a1", "1.a1 ep"]
)
@pytest.mark.parametrize("stipulation", ["h#2", "h#2.5", "h#200"])
def test_long_lists_are_counted_in_linear_time(unit: str, stipulation: str) -> None:
    solution = f"1.Kh8-h7 {unit * (100_000 // len(unit))}x"
    text = f"{PIECES}stipulation: {stipulation}\nsolution: '{solution}'\n"
    assert read_one(text).warnings


def test_an_intended_number_counts_more_than_a_list() -> None:
    text = f"{PIECES}stipulation: h#2\nintended-solutions: 2\nsolution: {ONE!r}\n"
    assert read_one(text).claim == Claim(2, solutions=2)


def test_each_twin_has_its_own_list() -> None:
    text = (
        f"{PIECES}stipulation: h#2\ntwins: {{b: Move a2 c2}}\nsolution: |\n"
        f"  a)\n  {ONE}\n  {OTHER}\n  b)\n  {ONE}\n"
    )
    claims = [one.claim for one in read(text) if isinstance(one, Problem)]
    assert claims == [Claim(2, solutions=2), Claim(2, solutions=1)]


def test_a_list_of_a_duplex_is_not_counted() -> None:
    text = f"{PIECES}stipulation: h#2\noptions: [Duplex]\nsolution: |\n  {ONE}\n"
    claims = [one.claim for one in read(text) if isinstance(one, Problem)]
    assert claims == [Claim(2), Claim(2)]


@pytest.mark.parametrize("intended", ["many", "2.", "2,1", "100.100", "-1", "1001"])
def test_an_unreadable_number_of_solutions_is_a_warning(intended: str) -> None:
    text = f"{PIECES}stipulation: h#2\nintended-solutions: '{intended}'\n"
    assert read_one(text).warnings == (
        "intended-solutions: expected a number, or one a move as in 2.1.1, "
        f"found '{intended}'; kept h#2",
    )


def test_each_twin_is_a_problem() -> None:
    text = GOOD + (
        "authors: [Loyd]\ntwins:\n  c: Continued Move b1 c1\n  b: Remove a2 \n"
        "  d: Stipulation h#2\n"
    )
    found = [one for one in read(text) if isinstance(one, Problem)]
    assert [(one.id, one.fen.split()[0]) for one in found] == [
        ("Loyd a)", "7k/8/8/8/8/8/R7/1R4K1"),
        ("Loyd b)", "7k/8/8/8/8/8/8/1R4K1"),
        ("Loyd c)", "7k/8/8/8/8/8/8/2R3K1"),
        ("Loyd d)", "7k/8/8/8/8/8/R7/1R4K1"),
    ]
    assert [str(one.stipulation) for one in found] == ["#", "#", "#", "h#2"]


def test_a_twin_a_makes_the_diagram_a_zero_position() -> None:
    text = GOOD + "twins: {a: Move b1 c1, b: Move b1 d1}\n"
    found = [one for one in read(text) if isinstance(one, Problem)]
    assert [(one.id, one.fen.split()[0]) for one in found] == [
        ("x.olv:1 a)", "7k/8/8/8/8/8/R7/2R3K1"),
        ("x.olv:1 b)", "7k/8/8/8/8/8/R7/3R2K1"),
    ]


def test_twins_are_in_the_order_of_their_labels() -> None:
    twins = ", ".join(f"{label}: Move b1 c1" for label in ("z10", "z2", "z1", "b"))
    found = read(f"{GOOD}twins: {{{twins}}}\n")
    assert [one.id for one in found if isinstance(one, Problem)] == [
        f"x.olv:1 {label})" for label in ("a", "b", "z1", "z2", "z10")
    ]


def test_an_empty_twin_is_the_diagram() -> None:
    for twins in ("{a: '', b: Move b1 c1}", "{a: , b: Move b1 c1}"):
        first, _ = read(f"{GOOD}twins: {twins}\n")
        assert isinstance(first, Problem)
        assert (first.id, first.fen) == ("x.olv:1 a)", LADDER)


def test_each_twin_has_the_keys_of_its_part_of_the_solution() -> None:
    text = GOOD + (
        "twins: {b: Move a2 a3, c: Continued Move b1 c1, d: Remove a2}\n"
        "solution: |\n  a)\n  1.Rb7 ! zugzwang.\n  b) wRa2-->a3\n  1.Rb1-b7 !\n"
        "  +c) wRb1-->c1\n\n  1.Rc7 !\n"
    )
    found = [one for one in read(text) if isinstance(one, Problem)]
    assert [one.claim and one.claim.keys for one in found] == [
        ("b1b7",),
        ("b1b7",),
        ("c1c7",),
        (),
    ]


@pytest.mark.parametrize(
    ("twin", "reason"),
    [
        ("Move a1 a3", "twin b): expected a piece on a1, found none"),
        ("Condition Circe", "twin b): conditions: expected none, found 'Circe'"),
        ("Move a2 a3 please", "twin b): expected a change, found 'please'"),
        ("Remove h8", "twin b): expected one black king, found none"),
    ],
)
def test_a_refused_twin_costs_no_other(twin: str, reason: str) -> None:
    found = read(f"{GOOD}twins: {{b: {twin}, c: Move a2 a4}}\n")
    assert [type(one) for one in found] == [Problem, FormatError, Problem]
    assert found[1] == FormatError("dir/x.olv:1", reason)


def test_a_twin_that_continues_a_refused_one_is_refused() -> None:
    twins = "{b: Move a1 a3, c: Cont Move a3 a4, d: Move a2 a4, e: Cont Remove b1}"
    found = read(f"{GOOD}twins: {twins}\n")
    assert [type(one) for one in found] == [
        Problem,
        FormatError,
        FormatError,
        Problem,
        Problem,
    ]
    assert found[2] == FormatError(
        "dir/x.olv:1", "twin c): expected a readable twin before this one, found none"
    )


def test_duplex_is_two_problems() -> None:
    text = f"{PIECES}stipulation: h#2\noptions: [SetPlay, Duplex]\n"
    found = [one for one in read(text) if isinstance(one, Problem)]
    assert [(one.id, one.fen.split()[1]) for one in found] == [
        ("x.olv:1", "b"),
        ("x.olv:1 duplex", "w"),
    ]


def test_the_key_is_not_that_of_the_other_side_of_a_duplex() -> None:
    pieces = "algebraic: {white: [Kg1, Ra2], black: [Kg8, Ra7]}\nstipulation: s#2\n"
    text = f"{pieces}options: [Duplex]\nsolution: 1.Ra3!\n"
    assert [one.claim for one in read(text) if isinstance(one, Problem)] == [
        Claim(2, ("a2a3",)),
        Claim(2),
    ]


def test_the_puzzles_with_other_stipulations_claim_keys_or_solutions() -> None:
    path = Path(__file__).parents[2] / "puzzles" / "stipulations.olv"
    found = read(path.read_bytes())
    problems = [one for one in found if isinstance(one, Problem)]
    assert len(found) == len(problems) == 135
    assert len({(one.fen, one.stipulation) for one in problems}) == 135
    assert len({one.id for one in problems}) == 135
    for one in problems:
        assert one.claim
        is_help = one.stipulation.is_help
        assert len(one.claim.keys) == (not is_help), one.id
    solutions = [one.claim.solutions for one in problems if one.claim]
    assert sum(number for number in solutions if number) == 34
