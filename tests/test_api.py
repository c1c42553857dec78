"""The public API: what it accepts, what it refuses by name, what it returns."""

from __future__ import annotations

import ast
import doctest
import json
import math
import pydoc
import re
import sys
from collections import Counter
from decimal import Decimal
from inspect import signature
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import chess.variant
import jedi
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
from solver.problem import Goal, Play
from solver.search.threads import Control
from solver.solving import Solver
from tests.processes import run as run_process

if TYPE_CHECKING:
    from collections.abc import Callable

SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
BLACK_MATES = "6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 1"
CASTLES = "8/8/7p/8/5R1p/6k1/8/4K2R w K - 0 1"
SMALL = Limits(max_moves=3, hash_mib=1)


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(hash_mib=1)


@pytest.fixture(params=["solve", "Solver.solve"])
def call(request: pytest.FixtureRequest, solver: Solver) -> Callable[..., Any]:
    """Both ways to solve."""
    if request.param == "solve":
        return lambda *args, **options: solve(*args, solver=solver, **options)
    return solver.solve


def refused(reason: str, make: Callable[[], object]) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == reason
    assert isinstance(caught.value, MatesolveError)


@pytest.mark.parametrize(
    "problem",
    [
        SMOTHERED,
        f"  {' '.join(SMOTHERED.split()[:4])} ",
        chess.Board(SMOTHERED),
        Problem(SMOTHERED),
        Problem(f" {' '.join(SMOTHERED.split()[:4])}"),
    ],
    ids=["FEN", "four fields", "board", "problem", "problem of four fields"],
)
def test_a_position_may_be_given_in_any_way(
    call: Callable[..., Any], problem: object
) -> None:
    solution = call(problem, SMALL)
    assert solution.problem.fen == SMOTHERED
    assert solution.pv == ("c4g8", "f8g8", "h6f7")


def test_limits_may_be_left_out(call: Callable[..., Any]) -> None:
    assert call(SMOTHERED).mate == 2


def test_the_longest_mate_may_be_said_beside_the_limits(
    call: Callable[..., Any],
) -> None:
    assert call(SMOTHERED, max_moves=1).mate is None
    assert call(SMOTHERED, SMALL, max_moves=3).mate == 2
    reason = "max_moves: expected 3 as in limits, found 2"
    refused(reason, lambda: call(SMOTHERED, SMALL, max_moves=2))


@pytest.mark.parametrize("moves", ["Nf7+", ["h6f7"], "1. Nf7+? (1. Qg8+!)"])
def test_one_first_move_is_asked_as_it_is_written(
    call: Callable[..., Any], moves: object
) -> None:
    solution = call(SMOTHERED, max_moves=3, root_moves=moves)
    assert solution.mate is None
    assert call(SMOTHERED, SMALL, root_moves=["Nf7+", "Qg8"]).keys_san == ("Qg8+",)


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        (chess.STARTING_FEN, "1. f3 e5 2. g4"),
        ("startpos", ["f2f3", "e7e5", "g2g4"]),
        ("startpos moves f2f3 e7e5", "g4"),
        ("1. f3 e5 2. g4 *", ""),
        (chess.Board(), ["f3", "e5", "g4"]),
    ],
)
def test_a_position_may_be_given_with_the_moves_that_lead_to_it(
    call: Callable[..., Any], text: object, moves: object
) -> None:
    solution = call(text, SMALL, moves=moves)
    assert solution.pv_san == ("Qh4#",)
    assert solution.problem.fen.endswith("b KQkq - 0 2")


def test_a_wrong_move_before_the_position_is_named(call: Callable[..., Any]) -> None:
    reason = f"moves: expected {ILLEGAL}, found 'Qh6'"
    refused(reason, lambda: call("startpos", SMALL, moves="e4 e5 Qg4 Nc6 Qh6"))
    reason = "moves: expected none with a Problem, found 'Qg8+'"
    refused(reason, lambda: call(Problem(SMOTHERED), SMALL, moves="Qg8+"))


def test_a_position_is_repaired_only_on_request(call: Callable[..., Any]) -> None:
    fen = SMOTHERED.replace("- -", "K -")
    for problem in (fen, Problem(fen)):
        with pytest.raises(package.FenError, match=r"^castling right K: "):
            call(problem, SMALL)
        solution = call(problem, SMALL, repair=True)
        assert solution.problem.fen == SMOTHERED
        (warning,) = solution.problem.warnings
        assert warning.startswith("castling right")
        assert solution.to_dict()["warnings"] == [warning]


def test_rights_to_castle_may_stand_in_any_order(call: Callable[..., Any]) -> None:
    fen = "4k3/8/8/8/8/8/8/R3K2R w {} - 0 1"
    solution = call(Problem(fen.format("QK")), Limits(max_moves=1, hash_mib=1))
    assert solution.problem.fen == solution.to_dict()["fen"] == fen.format("KQ")


def test_a_solution_keeps_the_problem(call: Callable[..., Any]) -> None:
    problem = Problem(SMOTHERED, "a", Claim(2, ("c4g8",)), "x:1")
    assert call(problem, SMALL).problem is problem


VARIANTS = [variant for variant in chess.variant.VARIANTS if variant is not chess.Board]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.__name__)
def test_a_board_of_another_variant_is_refused(
    call: Callable[..., Any], variant: type[chess.Board]
) -> None:
    reason = "problem: expected a board of orthodox chess, found one of "
    refused(reason + variant.__name__, lambda: call(variant(), SMALL))


def test_a_board_of_chess960_is_refused(call: Callable[..., Any]) -> None:
    reason = "problem: expected a board of orthodox chess, found one of Chess960"
    refused(reason, lambda: call(chess.Board(SMOTHERED, chess960=True), SMALL))


@pytest.mark.parametrize(
    ("problem", "found"),
    [
        (None, "None"),
        (3, "3"),
        (True, "True"),
        (b"8/8", "b'8/8'"),
        ([SMOTHERED], None),
        (chess.BaseBoard(), None),
        (chess, None),
    ],
)
def test_an_argument_that_is_not_a_position_is_refused(
    call: Callable[..., Any], problem: object, found: str | None
) -> None:
    with pytest.raises(InputError) as caught:
        call(problem, SMALL)
    expected = "problem: expected a FEN, a chess.Board or a Problem, found "
    assert str(caught.value).startswith(expected)
    assert "\n" not in str(caught.value)
    assert found is None or str(caught.value) == expected + found


@pytest.mark.parametrize("fen", ["", "hello", "8/8/8/8/8/8/8/8 w - - 0 1"])
def test_a_position_that_is_not_legal_is_refused_however_it_is_given(
    call: Callable[..., Any], fen: str
) -> None:
    for problem in (fen, Problem(fen)):
        with pytest.raises(package.FenError):
            call(problem, SMALL)
    with pytest.raises(package.FenError):
        call(chess.Board(None), SMALL)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("limits", 5, "expected Limits or None, found 5"),
        ("limits", 0, "expected Limits or None, found 0"),
        ("within", "2", "expected a whole number from -200 to 200, found '2'"),
        ("within", 2.0, "expected a whole number from -200 to 200, found 2.0"),
        ("within", True, "expected a whole number from -200 to 200, found True"),
        ("within", 201, "expected -200 to 200, found 201"),
        ("within", 0, "expected another number of moves than 0, found 0"),
        ("keys", 1, "expected True or False, found 1"),
        ("control", 1, "expected a Control or None, found 1"),
        ("restriction", "checks", "expected a Restriction or None, found 'checks'"),
        ("root_moves", 3, "expected moves in one string or in several, found 3"),
        ("root_moves", [3], "expected moves in one string or in several, found 3"),
        ("root_moves", "e9e9", "expected a move in SAN or UCI, found 'e9e9'"),
        ("root_moves", ["Nf7", "Qh8"], f"expected {ILLEGAL}, found 'Qh8'"),
        ("root_moves", (), "expected at least one move, found ''"),
        ("max_moves", 0, "expected 1 to 200, found 0"),
        ("max_moves", "3", "expected a whole number from 1 to 200, found '3'"),
    ],
)
def test_an_argument_is_refused_by_its_name(
    call: Callable[..., Any], name: str, value: object, reason: str
) -> None:
    refused(f"{name}: {reason}", lambda: call(SMOTHERED, **{name: value}))


MISUSES: list[Any] = [
    *(-1, 1.5, math.nan, math.inf, 10**5000, -(10**30), 1j, Decimal(1)),
    *(b"x", "x", "\ud800", "\0", [[]], [None], {0: 1}, {1}, (1, 2), range(3)),
    *(object(), len, int, Claim, Limits(max_moves=2)),
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
    assert refusals.total() > 20


def limits(name: str, value: Any) -> Limits:
    return Limits(**{name: value})


WHOLE = {
    "max_moves": (1, 200),
    "nodes": (1, 2**63 - 1),
    "hash_mib": (1, 1 << 20),
    "threads": (1, 256),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_limit_is_refused_by_its_name(name: str) -> None:
    least, most = WHOLE[name]
    for value in (0, -1, most + 1):
        with pytest.raises(InputError) as caught:
            limits(name, value)
        assert str(caught.value) == f"{name}: expected {least} to {most}, found {value}"
    for other in ("1", 1.5, 1.0, math.nan, math.inf, True, b"1", [1], Decimal(1)):
        with pytest.raises(InputError, match=f"^{name}: expected a whole number from "):
            limits(name, other)
    with pytest.raises(InputError, match=f"^{name}: expected {least} to {most}, found"):
        limits(name, 10**5000)
    assert getattr(limits(name, most), name) == most


@pytest.mark.parametrize("name", WHOLE)
def test_a_limit_may_be_a_numpy_number(name: str) -> None:
    given = getattr(limits(name, np.int32(1)), name)
    assert (given, type(given)) == (1, int)


@pytest.mark.parametrize("name", ["hash_mib", "threads"])
@pytest.mark.parametrize("value", [None, 0, "1"])
def test_an_argument_with_a_default_cannot_be_none(name: str, value: Any) -> None:
    for kind in (Limits, Solver):
        with pytest.raises(InputError, match=f"^{name}: expected "):
            kind(**{name: value})


@pytest.mark.parametrize("value", ["x", b"1", True, [1], 1j, Decimal(1)])
def test_a_time_that_is_not_a_number_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match=r"^time_s: expected a number of seconds, "):
        Limits(time_s=value)


@pytest.mark.parametrize("value", [-1, -0.1, math.nan, math.inf, -math.inf, 10**400])
def test_a_time_out_of_range_is_refused(value: float) -> None:
    with pytest.raises(InputError, match=r"^time_s: expected 0 to [0-9]+ seconds, "):
        Limits(time_s=value)


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int64(1)])
def test_a_time_may_be_any_real_number(value: Any) -> None:
    assert Limits(time_s=value).time_s == 1.0


TEXT = "expected text, found"
MOVES = "expected moves in UCI notation, found"


@pytest.mark.parametrize(
    ("kind", "field", "value", "reason"),
    [
        (Claim, "mate", "2", "expected a whole number from -200 to 200, found '2'"),
        (Claim, "mate", 0, "expected another number of moves than 0, found 0"),
        (Claim, "mate", -201, "expected -200 to 200, found -201"),
        (Claim, "keys", "c4g8", f"{MOVES} 'c4g8'"),
        (Claim, "keys", None, f"{MOVES} None"),
        (Claim, "line", [1], f"{MOVES} 1"),
        (Claim, "any_last_move", None, "expected True or False, found None"),
        (Problem, "fen", None, f"{TEXT} None"),
        (Problem, "id", 3, f"{TEXT} 3"),
        (Problem, "source", b"", f"{TEXT} b''"),
        (Problem, "claim", 2, "expected a Claim or None, found 2"),
        (Problem, "no_mate", 0, "expected 1 to 200, found 0"),
        (Restriction, "checks_only", 1, "expected True or False, found 1"),
        (
            Restriction,
            "replies",
            1.5,
            "expected a whole number from 0 to 255, found 1.5",
        ),
        (
            Restriction,
            "king_flights",
            "1",
            "expected a whole number from 0 to 8, found '1'",
        ),
        (
            Restriction,
            "threat",
            True,
            "expected a whole number from 1 to 20, found True",
        ),
    ],
)
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
    line: Any = ["c4g8", "f8g8"]
    two: Any = np.int8(2)
    claim = Claim(two, line[:1], line)
    assert claim == Claim(2, ("c4g8",), ("c4g8", "f8g8"))
    assert hash(claim) == hash(Claim(2, ("c4g8",), ("c4g8", "f8g8")))
    assert json.dumps(claim.mate) == "2"
    assert Restriction(replies=two) == Restriction(replies=2)


@pytest.mark.parametrize("fen", [SMOTHERED, BLACK_MATES, CASTLES])
def test_the_line_in_san_is_the_line(fen: str, solver: Solver) -> None:
    solution = solver.solve(fen, SMALL)
    board = solution.board
    assert board == chess.Board(fen)
    assert solution.pv
    for san in solution.pv_san:
        board.push_san(san)
    assert tuple(move.uci() for move in board.move_stack) == solution.pv
    assert board.is_checkmate()
    keys = [solution.board.parse_san(san).uci() for san in solution.keys_san]
    assert tuple(keys) == solution.keys


def test_without_a_mate_the_line_is_empty(solver: Solver) -> None:
    assert solver.solve(SMOTHERED, Limits(max_moves=1)).pv_san == ()


def test_each_board_of_a_solution_is_a_new_one(solver: Solver) -> None:
    solution = solver.solve(SMOTHERED, SMALL)
    solution.board.push_san("Qg8+")
    assert solution.board == chess.Board(SMOTHERED)


@pytest.mark.parametrize("fen", [SMOTHERED, BLACK_MATES, CASTLES])
def test_a_solution_as_a_dict_is_the_record_of_the_command(
    fen: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["solve", fen, "--json", "--checks-only", "-n", "3", "--hash", "1"])
    printed = json.loads(capsys.readouterr().out)
    restriction = Restriction(checks_only=True)
    record = solve(fen, SMALL, restriction=restriction, control=Control()).to_dict()
    assert list(record) == list(printed)
    timeless = {"time_s": 0.0}
    assert json.loads(json.dumps(record | timeless)) == printed | timeless


def test_a_play_as_a_dict_is_the_record_of_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for fen in (SMOTHERED, BLACK_MATES, CASTLES):
        run(["solve", fen, "--variations", "--json", "-n", "3", "--hash", "1"])
        printed = json.loads(capsys.readouterr().out)
        record = variations(Problem(fen, claim=Claim(printed["mate"]))).to_dict()
        assert list(record) == list(printed["play"])
        assert json.loads(json.dumps(record)) == printed["play"]
    without = variations(SMOTHERED, Limits(max_moves=1)).to_dict()
    assert (without["stipulation"], without["keys"]) == (None, [])


def test_the_example_in_the_package_s_help_runs_as_shown() -> None:
    example = ">>> from solver import Limits, solve"
    assert example in pydoc.render_doc(package, renderer=pydoc.TextDoc())
    outcome = doctest.testmod(package)
    assert outcome.attempted >= 5
    assert outcome.failed == 0


# What type checkers and editors see

USER_SCRIPT = """
import chess
import numpy as np

import solver
from solver import Grade, Limits, MateTable, Problem, Solution, Stipulation, Variations

FEN = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -"
problem = Problem(FEN, stipulation="h#2")
stipulation: Stipulation = problem.stipulation
Problem(FEN, stipulation=stipulation).fen.split()
Problem(FEN, stipulation=None).id.split()

solution: Solution = solver.solve(problem, Limits(max_moves=3))
if solution.status is solver.Status.PROVED:
    print(solution.mate, solution.to_dict()["keys"])

table: MateTable = solver.solve_many([FEN, chess.Board(), problem], max_moves=2)
print([row.keys[0] for row in table], solver.__version__.split("."))
solver.solve_many(np.array([FEN]), max_moves=2)

grade: Grade = solver.grade(FEN, "Qg8+", 2)
grades: solver.GradeTable = solver.grade_many([FEN.encode()], [["c4g8", "f8g8"]], [2])
grades[0].to_dict()
print(grades.to_arrow().num_rows, grades.to_pandas()["reason"], grades.reason[0])
print(table.to_polars().height, table.pv_san[0][:1], [key for key, in table.keys])
play: Variations = solver.variations(chess.Board(FEN), set_play=True)
print(play.to_dict()["keys"], play.keys[0]["defences"][0]["san"])
"""


def test_a_user_s_script_has_no_type_errors(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(USER_SCRIPT)
    words = ["--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}"]
    done = run_process([sys.executable, "-m", "mypy", *words, str(script)])
    assert done.stdout == "Success: no issues found in 1 source file\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import solver\nsolver.sol", {"solve", "solve_many", "Solution", "Solver"}),
        (
            "import solver\nsolver.solve('8/8').",
            {"status", "mate", "lower_bound", "keys", "pv", "to_dict", "pv_san"},
        ),
        ("from solver import Problem\nProblem(", {"fen=", "claim=", "stipulation="}),
    ],
)
def test_an_editor_completes_names(source: str, expected: set[str]) -> None:
    names = {completion.name for completion in jedi.Script(source).complete()}
    assert names >= expected


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
