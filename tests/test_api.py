"""The public API: what it accepts, what it refuses by name, what it returns."""

from __future__ import annotations

import ast
import doctest
import json
import math
import pydoc
import re
from collections import Counter
from decimal import Decimal
from functools import partial
from inspect import signature
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import chess.variant
import numpy as np
import pytest

import solver as package
from solver import (
    Claim,
    InputError,
    Limits,
    MatesolveError,
    Problem,
    Restriction,
    solve,
    variations,
)
from solver.cli.main import run
from solver.movetext import ILLEGAL
from solver.problem import Goal, Play, Stipulation
from solver.search.threads import Control
from solver.solving import Solver

if TYPE_CHECKING:
    from collections.abc import Callable

SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
BLACK_MATES = "6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 1"
CASTLES = "8/8/7p/8/5R1p/6k1/8/4K2R w K - 0 1"
SMALL = Limits(max_moves=3, hash_mib=1)


SOLVER = Solver(hash_mib=1)


def call(*arguments: Any, **options: Any) -> Any:
    """Solve; `Solver.solve` takes the same arguments."""
    return solve(*arguments, solver=SOLVER, **options)


def refused(reason: str, make: Callable[[], object]) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == reason
    assert isinstance(caught.value, MatesolveError)


def test_a_position_may_be_given_in_any_way() -> None:
    four = f"  {' '.join(SMOTHERED.split()[:4])} "
    for problem in (four, chess.Board(SMOTHERED), Problem(four)):
        for solving in (call, SOLVER.solve):
            solution = solving(problem, SMALL)
            assert solution.problem.fen == SMOTHERED
            assert solution.pv == ("c4g8", "f8g8", "h6f7")


def test_the_longest_mate_may_be_said_beside_the_limits() -> None:
    assert call(SMOTHERED).mate == 2
    assert call(SMOTHERED, max_moves=1).mate is None
    assert call(SMOTHERED, SMALL, max_moves=3).mate == 2
    reason = "max_moves: expected 3 as in limits, found 2"
    refused(reason, lambda: call(SMOTHERED, SMALL, max_moves=2))


@pytest.mark.parametrize("moves", ["Nf7+", ["h6f7"], "1. Nf7+? (1. Qg8+!)"])
def test_one_first_move_is_asked_as_it_is_written(moves: object) -> None:
    solution = call(SMOTHERED, max_moves=3, root_moves=moves)
    assert solution.mate is None
    assert call(SMOTHERED, SMALL, root_moves=["Nf7+", "Qg8"]).keys_san == ("Qg8+",)


def test_a_position_may_be_given_with_the_moves_that_lead_to_it() -> None:
    for text, moves in (
        ("startpos moves f2f3 e7e5", "g4"),
        (chess.Board(), ["f3", "e5", "g4"]),
    ):
        solution = call(text, SMALL, moves=moves)
        assert solution.pv_san == ("Qh4#",)
        assert solution.problem.fen.endswith("b KQkq - 0 2")
    reason = "moves: expected none with a Problem, found 'Qg8+'"
    refused(reason, lambda: call(Problem(SMOTHERED), SMALL, moves="Qg8+"))


def test_a_position_is_repaired_only_on_request() -> None:
    fen = SMOTHERED.replace("- -", "K -")
    for problem in (fen, Problem(fen)):
        with pytest.raises(package.FenError, match=r"^castling right K: "):
            call(problem, SMALL)
        solution = call(problem, SMALL, repair=True)
        assert solution.problem.fen == SMOTHERED
        (warning,) = solution.problem.warnings
        assert warning.startswith("castling right")
        assert solution.to_dict()["warnings"] == [warning]


def test_a_solution_keeps_the_problem_with_its_rights_in_order() -> None:
    problem = Problem(SMOTHERED, "a", Claim(2, ("c4g8",)), "x:1")
    assert call(problem, SMALL).problem is problem
    fen = "4k3/8/8/8/8/8/8/R3K2R w {} - 0 1"
    solution = call(Problem(fen.format("QK")), max_moves=1)
    assert solution.problem.fen == solution.to_dict()["fen"] == fen.format("KQ")


def test_a_board_of_another_variant_is_refused() -> None:
    reason = "problem: expected a board of orthodox chess, found one of "
    for variant in {*chess.variant.VARIANTS} - {chess.Board}:
        refused(reason + variant.__name__, partial(call, variant(), SMALL))
    board = chess.Board(SMOTHERED, chess960=True)
    refused(f"{reason}Chess960", lambda: call(board, SMALL))


# fmt: off
WRONG_ARGUMENTS: list[tuple[str, object, str]] = [
    ("within", True, "expected a whole number from -200 to 200, found True"),
    ("within", 201, "expected -200 to 200, found 201"),
    ("within", 0, "expected another number of moves than 0, found 0"),
    ("keys", 1, "expected True or False, found 1"),
    ("root_moves", [3], "expected moves in one string or in several, found 3"),
    ("root_moves", "e9e9", "expected a move in SAN or UCI, found 'e9e9'"),
    ("root_moves", ["Nf7", "Qh8"], f"expected {ILLEGAL}, found 'Qh8'"),
    ("root_moves", (), "expected at least one move, found ''"),
    ("max_moves", 0, "expected 1 to 200, found 0"),
]
# fmt: on


@pytest.mark.parametrize(("name", "value", "reason"), WRONG_ARGUMENTS)
def test_an_argument_is_refused_by_its_name(
    name: str, value: object, reason: str
) -> None:
    refused(f"{name}: {reason}", lambda: call(SMOTHERED, **{name: value}))


MISUSES: list[Any] = [
    *(-1, 1.5, math.nan, math.inf, 10**5000, 1j, b"x", "x", "\ud800", "\0"),
    *([[]], [None], {0: 1}, (1, 2), object(), len, Claim, Limits(max_moves=2)),
]
ASKED = {"problem": SMOTHERED, "limits": SMALL}
MATCHED: dict[str, tuple[Any, dict[str, Any]]] = {
    "solve": (solve, ASKED),
    "Solver.solve": (lambda **given: Solver(1).solve(**given), ASKED),
    "Solver": (Solver, {}),
    "variations": (variations, ASKED),
    "solve_many": (package.solve_many, {"fens": [SMOTHERED], "max_moves": 2}),
    "grade": (package.grade, {"fen": SMOTHERED, "line": "Nf7", "within": 2}),
    "grade_many": (
        package.grade_many,
        {"fens": [SMOTHERED], "lines": ["Nf7"], "within": 2},
    ),
    "generate": (package.generate, {"mate": 1, "count": 1}),
    "Problem": (Problem, {"fen": SMOTHERED}),
    "Claim": (Claim, {"mate": 2}),
    "Stipulation": (
        package.Stipulation,
        {"play": Play.DIRECT, "goal": Goal.MATE, "length": 2},
    ),
    "Limits": (Limits, {}),
    "Restriction": (Restriction, {}),
}
"""Public functions and classes, with what makes a good call."""


@pytest.mark.parametrize("name", MATCHED)
def test_any_misuse_is_refused_in_one_line_that_names_the_argument(name: str) -> None:
    function, good = MATCHED[name]
    function(**good)
    owner = Solver.solve if name == "Solver.solve" else getattr(package, name)
    parameters = [each for each in signature(owner).parameters if each != "self"]
    refusals = Counter[str]()
    for parameter, value in product(parameters, MISUSES):
        reason = ""
        try:
            function(**{**good, parameter: value})
        except MatesolveError as error:
            reason = str(error)
        is_fen = parameter in {"fen", "problem"}  # what is wrong in it is named
        named = "board: |expected plain" if is_fen else "lines: "
        assert re.fullmatch(f"|({parameter}: |{named}).+", reason), value
        refusals[parameter] += bool(reason)
    assert refusals.keys() == {*parameters}
    assert min(refusals.values()) > 4


WHOLE = {
    "max_moves": (1, 200),
    "nodes": (1, 2**63 - 1),
    "hash_mib": (1, 1 << 20),
    "threads": (1, 256),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_limit_is_refused_by_its_name(name: str) -> None:
    least, most = WHOLE[name]
    for value in (0, most + 1, 10**5000):
        reason = f"^{name}: expected {least} to {most}, found"
        with pytest.raises(InputError, match=reason):
            Limits(**{name: value})
    none = [None] * (name in {"hash_mib", "threads"})  # others have no limit then
    for other in ("1", 1.0, math.nan, True, Decimal(1), *none):
        with pytest.raises(InputError, match=f"^{name}: expected a whole number from "):
            Limits(**{name: other})  # type: ignore[arg-type]
    assert getattr(Limits(**{name: most}), name) == most


def test_a_time_that_is_no_number_or_out_of_range_is_refused() -> None:
    wrong: dict[Any, str] = dict.fromkeys(("x", True, 1j), "a number of seconds, ")
    wrong |= dict.fromkeys((-0.1, math.nan, 10**400), "0 to [0-9]+ seconds, ")
    for value, reason in wrong.items():
        with pytest.raises(InputError, match=f"^time_s: expected {reason}"):
            Limits(time_s=value)


MOVES = "expected moves in UCI notation, found"

# fmt: off
WRONG_FIELDS: list[tuple[Any, str, object, str]] = [
    (Claim, "mate", "2", "expected a whole number from -200 to 200, found '2'"),
    (Claim, "mate", 0, "expected another number of moves than 0, found 0"),
    (Claim, "keys", "c4g8", f"{MOVES} 'c4g8'"),
    (Claim, "line", [1], f"{MOVES} 1"),
    (Claim, "any_last_move", None, "expected True or False, found None"),
    (Problem, "fen", None, "expected text, found None"),
    (Problem, "claim", 2, "expected a Claim or None, found 2"),
    (Problem, "no_mate", 0, "expected 1 to 200, found 0"),
    (Restriction, "checks_only", 1, "expected True or False, found 1"),
    (Restriction, "replies", 1.5, "expected a whole number from 0 to 255, found 1.5"),
]
# fmt: on


@pytest.mark.parametrize(("kind", "field", "value", "reason"), WRONG_FIELDS)
def test_a_field_is_refused_by_its_name(
    kind: Any, field: str, value: object, reason: str
) -> None:
    required: Any = {Claim: {"mate": 2}, Problem: {"fen": SMOTHERED}, Restriction: {}}
    refused(f"{field}: {reason}", lambda: kind(**(required[kind] | {field: value})))


def test_a_problem_shows_what_it_has() -> None:
    claim = Claim(2, ("c4g8",), ("c4g8", "f8g8", "h6f7"))
    assert repr(Problem("8/8")) == "<Problem fen='8/8'>"
    assert repr(Problem("8/8", "a", claim)) == "<Problem fen='8/8', id='a', claim=2>"
    shown = "<Problem fen='8/8', stipulation='h#2', claim=2>"
    assert repr(Problem("8/8", stipulation="h#2")) == shown


def test_fields_may_be_lists_and_numpy_numbers() -> None:
    assert Limits(time_s=np.float32(1), max_moves=np.int64(1)) == Limits(1, time_s=1)  # type: ignore[arg-type]
    line: Any = ["c4g8", "f8g8"]
    two: Any = np.int8(2)
    claim = Claim(two, line[:1], line)
    assert claim == Claim(2, ("c4g8",), ("c4g8", "f8g8"))
    assert hash(claim) == hash(Claim(2, ("c4g8",), ("c4g8", "f8g8")))
    assert json.dumps(claim.mate) == "2"
    assert Restriction(replies=two) == Restriction(replies=2)


def test_the_line_in_san_is_the_line() -> None:
    for fen in (SMOTHERED, BLACK_MATES, CASTLES):
        solution = call(fen, SMALL)
        board = solution.board  # each time a new one
        assert board == chess.Board(fen)
        for san in solution.pv_san:
            board.push_san(san)
        assert tuple(move.uci() for move in board.move_stack) == solution.pv
        assert board.is_checkmate()
        keys = [solution.board.parse_san(san).uci() for san in solution.keys_san]
        assert tuple(keys) == solution.keys


def test_an_answer_and_a_play_as_dicts_are_the_records_of_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "--json", "-n", "3", "--hash", "1"
    run(["solve", SMOTHERED, *words, "--checks-only"])
    printed = json.loads(capsys.readouterr().out)
    restriction = Restriction(checks_only=True)
    record = solve(SMOTHERED, SMALL, restriction=restriction, control=Control())
    assert list(record.to_dict()) == list(printed)
    timeless = {"time_s": 0.0}
    assert json.loads(json.dumps(record.to_dict() | timeless)) == printed | timeless
    run(["solve", CASTLES, *words, "--variations"])
    printed = json.loads(capsys.readouterr().out)
    play = variations(Problem(CASTLES, claim=Claim(printed["mate"]))).to_dict()
    assert list(play) == list(printed["play"])
    assert json.loads(json.dumps(play)) == printed["play"]
    without = variations(SMOTHERED, Limits(max_moves=1)).to_dict()
    assert (without["stipulation"], without["keys"]) == (None, [])


def test_the_example_in_the_package_s_help_runs_as_shown() -> None:
    example = ">>> from solver import Limits, solve"
    assert example in pydoc.render_doc(package, renderer=pydoc.TextDoc())
    outcome = doctest.testmod(package)
    assert outcome.attempted >= 5
    assert outcome.failed == 0


def test_type_checkers_see_the_names_that_are_imported_on_first_use() -> None:
    stub = Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    imported = {
        alias.asname: (node.module, alias.name)
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = {name: f"solver.{home}" for name, home in vars(package)["_HOMES"].items()}
    assert imported == {name: (home, name) for name, home in homes.items()}
    assert set(package.__all__) == {*imported, "__version__"}


# Stipulations and restrictions

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"

LENGTHS = """
#3 5 3 | =2 3 2 | s#2 4 2 | s=3 6 3 | r#2 4 2 | semi-r=1 2 1 | h#2 4 2 | h#2.5 5 3
h=3 6 3 | h#0.5 1 1 | exact-#3 5 3 | exact-h=2 4 2 | exact-h#2.5 5 3
"""
"""As written; half-moves to the goal; the attacker's own moves."""


def test_a_stipulation_keeps_its_text_and_its_length() -> None:
    for row in LENGTHS.strip().replace("\n", "|").split("|"):
        text, plies, moves = row.split()
        stipulation = Stipulation.parse(text)
        assert str(stipulation) == text
        assert stipulation.plies == int(plies), text
        assert stipulation.attacker_moves == int(moves), text
    assert Stipulation.parse(" H#2.5 ") == Stipulation(Play.HELP, Goal.MATE, 2, True)
    assert Stipulation.parse("Semi-R# 2") == Stipulation.parse("semi-r#2")


REFUSED = ["", "#", "#0", "#2.5", "s#1.5", "h#0", "ser-h#3", "ser-r=2", "+1", "#201"]


@pytest.mark.parametrize("value", [*REFUSED, "exact-s#2", "exact-=2", None, 2, b"h#2"])
def test_other_stipulations_are_refused(value: Any) -> None:
    with pytest.raises(
        InputError, match=r"^stipulation: expected (#n, .*|1 to 200 moves), found "
    ):
        Stipulation.parse(value)


def test_a_stipulation_claims_a_solution_of_its_length() -> None:
    problem = Problem(ROOK, stipulation=Stipulation.parse("h#2.5"))
    assert problem.claim == Claim(3)
    with pytest.raises(InputError, match=r"claim: expected 2 moves for s#2, found 3"):
        Problem(ROOK, claim=Claim(3), stipulation=Stipulation.parse("s#2"))
    reason = "^stipulation: expected a Stipulation, its text or None, found "
    with pytest.raises(InputError, match=reason):
        Problem(ROOK, stipulation=2)  # type: ignore[arg-type]


def test_a_restriction_has_a_range() -> None:
    ranges = {"king_flights": (0, 8), "replies": (0, 255), "threat": (1, 20)}
    for name, (least, most) in ranges.items():
        for value in (least - 1, most + 1):
            reason = f"^{name}: expected {least} to {most}, found {value}$"
            with pytest.raises(InputError, match=reason):
                Restriction(**{name: value})  # type: ignore[arg-type]
        for value in (least, most):
            assert not Restriction(**{name: value}).is_open  # type: ignore[arg-type]


def test_restrictions_have_different_numbers_and_the_open_one_has_none() -> None:
    flights, replies = (None, 0, 1, 7, 8), (None, 0, 1, 2, 218, 255)
    every = product((False, True), flights, replies, (None, 1, 2, 19, 20))
    restrictions = [Restriction(*fields) for fields in every]
    numbers = [restriction.number for restriction in restrictions]
    assert len({*numbers}) == len(numbers)
    assert restrictions[numbers.index(0)] == Restriction()
    assert [each for each in restrictions if each.is_open] == [Restriction()]


def test_the_words_describe_every_field() -> None:
    assert Restriction().words() == ""
    assert Restriction(king_flights=1).words() == "at most 1 king flight"
    assert Restriction(replies=3).words() == "at most 3 replies"
    assert Restriction(True, king_flights=2, replies=1, threat=3).words() == (
        "checks only, at most 2 king flights, at most 1 reply, threats of mate in 3"
    )
