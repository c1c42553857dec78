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


def test_without_a_number_help_play_claims_a_solution() -> None:
    solution = "solution: |\n  1.Kh8-h7 Rb1-b7 + 2.Kh7-h8 Ra2-a8 #\n"
    assert read_one(f"{PIECES}stipulation: h#2\n{solution}").claim == Claim(2)


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
