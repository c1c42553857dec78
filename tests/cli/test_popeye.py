"""`matesolve popeye`: what programs that call Popeye pass to it and read from it."""

from __future__ import annotations

import gzip
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import rows
from tests.cli.processes import process
from tests.popeye_trees import Entry, as_input, difference, parse
from tests.sizes import sized

if TYPE_CHECKING:
    from tests.cli.conftest import Cli, Ended

DATA = Path(__file__).parents[1] / "data" / "popeye_trees.json.gz"

ROWS = [json.loads(row) for row in gzip.decompress(DATA.read_bytes()).splitlines()]
"""Problems, and the trees that Popeye 4.104 prints; see benchmarks.popeye."""

ROOK = "Forsyth 8/8/8/8/8/5K2/R7/7k"
MATED = "Forsyth 8/8/8/8/8/6K1/R7/7k"
INPUT = f"BeginProblem\n{ROOK}\nStipulation #2\nEndProblem\n"


def solve(matesolve: Cli, *problems: str, code: int = 0) -> Ended:
    """Solve problems from standard input, without boards."""
    text = "\nNextProblem\n".join(f"Option NoBoard\n{problem}" for problem in problems)
    ended = matesolve("popeye", stdin=f"BeginProblem\n{text}\nEndProblem\n")
    assert ended.code == code
    return ended


def endings(out: str) -> list[str]:
    return [answer["ending"] for answer in parse(out)]


@sized("every", 3, 1)
def test_trees_equal_those_of_popeye(matesolve: Cli, every: int) -> None:
    expected = ROWS[::every]
    entries = [
        Entry(row["name"], row["fen"], row["stipulation"], row["options"])
        for row in expected
    ]
    ended = matesolve("popeye", "-", stdin=as_input(entries))
    assert (ended.code, ended.err) == (0, "")
    for row, answer in zip(expected, parse(ended.out), strict=True):
        assert answer["ending"] == "finished", row["name"]
        assert not difference(answer["play"][""], row["play"]), row["name"]


# What programs pass


def test_files_and_streams_are_read_alike(matesolve: Cli) -> None:
    Path("problem.inp").write_text(INPUT)
    from_file = matesolve("popeye", "-regression", "problem.inp")
    assert from_file.code == 0
    assert "   1.Kf3-g3 !" in from_file.out.splitlines()
    assert matesolve("popeye", "-regression", "-", stdin=INPUT) == from_file
    assert matesolve("popeye", "-regression", stdin=INPUT) == from_file
    empty = "error: expected problems, found none: stdin\n"
    assert matesolve("popeye", "-regression", stdin="\n") == (65, "", empty)


PARAMETERS = """
-maxmem 64M -maxtime 60 | 0
-heartbeat | 0
-heartbeat 1000 -maxmem 1G | 0
-maxmem x | 2
-x | 2
missing.inp | 74
"""


def test_popeyes_parameters_are_taken_and_others_are_refused(matesolve: Cli) -> None:
    for arguments, code in rows(PARAMETERS):
        ended = matesolve("popeye", *arguments.split(), stdin=INPUT)
        assert (ended.code, ended.err == "") == (int(code), code == "0")


# What is honoured


def test_the_diagram_is_drawn_unless_noboard(matesolve: Cli) -> None:
    text = INPUT.replace("Forsyth", "Author A. Author\nForsyth")
    lines = matesolve("popeye", stdin=text).out.splitlines()
    assert lines[2].strip() == "A. Author"
    assert "2   R   .   .   .   .   .   .   .   2" in lines
    assert "+---" not in solve(matesolve, f"{ROOK}\nStipulation #2").out


def test_max_solutions_makes_the_solution_partial(matesolve: Cli) -> None:
    problem = f"{MATED}\nStipulation #2\nOption MaxSolutions"
    (partial,) = parse(solve(matesolve, f"{problem} 3").out)
    assert (partial["ending"], len(partial["play"][""]["first"])) == ("partial", 3)
    assert endings(solve(matesolve, f"{problem} 50").out) == ["finished"]


def test_each_twin_has_its_heading_and_play(matesolve: Cli) -> None:
    problem = f"{MATED}\nStipulation #2\nOption NoBoard\nTwin remove"
    more = "Twin move g3 f3\nTwin continued move a2 b2"
    ended = solve(matesolve, f"{problem} a2\n{more}")
    headings = [line for line in ended.out.splitlines() if ")" in line[:3]]
    assert headings == ["a) ", "b) -wRa2  ", "c) wKg3-->f3  ", "+d) wRa2-->b2  "]
    ended = solve(matesolve, f"{problem} a1\n{more}", code=65)
    (answer,) = parse(ended.out)
    assert (answer["ending"], [*answer["play"]]) == ("partial", ["a", "c", "d"])
    assert ended.err.endswith("twin b): expected a piece on a1, found none\n")


def test_options_that_do_not_apply_are_ignored_with_a_warning(matesolve: Cli) -> None:
    for stipulation, options, unused in (
        ("#2", "PostKeyPlay Try", "Try"),
        ("h#2", "PostKeyPlay", "PostKeyPlay"),
    ):
        problem = f"{ROOK}\nStipulation {stipulation}\nOption {options}"
        warning = f"warning: stdin:2: {unused} does not apply\n"
        assert solve(matesolve, problem).err == warning


# What is refused

REFUSED = [
    ("Pieces White Ka1 Gb3 Black Kh8\nStipulation #2", "found 'G'"),
    (f"{ROOK}\nCondition Circe\nStipulation #2", "conditions: expected none"),
    (f"{ROOK}\nStipulation #2\nOption Threat 1", "found 'Threat'"),
    ("Forsyth 8/8/8/8/8/5K2/R6k\nStipulation #2", "found it attacked from a2"),
]


def test_what_is_refused_is_one_line_and_the_next_problem_is_solved(
    matesolve: Cli,
) -> None:
    for problem, reason in REFUSED:
        ended = solve(matesolve, problem, f"{ROOK}\nStipulation #2", code=65)
        assert ended.err.count("\n") == 1
        assert reason in ended.err
        assert endings(ended.out) == ["partial", "finished"]


# Limits and interrupts

LONG = f"BeginProblem\n{MATED}\nStipulation #2\nNextProblem\n" + (
    "Forsyth 3k4/8/8/8/8/1r6/8/3KQ3\nStipulation #20\nOption Variation Try\n"
)


@pytest.mark.parametrize("option", [True, False])
def test_a_limit_of_time_ends_a_problem_only(matesolve: Cli, *, option: bool) -> None:
    text = f"{LONG}{'Option MaxTime 1' if option else ''}\nNextProblem\n"
    text += INPUT.removeprefix("BeginProblem\n")
    ended = matesolve("popeye", *([] if option else ["-maxtime", "1"]), stdin=text)
    assert ended.code == 3
    assert endings(ended.out) == ["finished", "interrupted", "finished"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
def test_problems_are_printed_one_by_one_and_at_an_interrupt() -> None:
    first, *_ = LONG.partition("Forsyth 3k4")
    with process("popeye", "-") as child:
        assert child.stdin
        assert child.stdout
        child.stdin.write(first)
        child.stdin.flush()
        printed = ""
        while "solution finished." not in printed:
            printed += child.stdout.readline()
        child.stdin.write(f"{LONG.removeprefix(first)}EndProblem\n")
        child.stdin.close()
        while "#20" not in printed:  # below the board of the second problem
            printed += child.stdout.readline()
        child.send_signal(signal.SIGTERM)
        printed += child.stdout.read()
        assert child.wait() == 130
    assert endings(printed) == ["finished", "interrupted"]
