"""`matesolve popeye`: what programs that call Popeye pass to it and read from it."""

from __future__ import annotations

import gzip
import json
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from solver.cli.main import matesolve as commands
from solver.kernel.border.parts import BATTLE, HELP
from solver.kernel.build.loader import load_part
from tests.cli.conftest import Ended
from tests.cli.processes import process
from tests.popeye_sets import Entry, as_input
from tests.popeye_trees import difference, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.cli.conftest import Matesolve

DATA = Path(__file__).parents[1] / "data" / "popeye_trees.json.gz"

ROWS = [json.loads(row) for row in gzip.decompress(DATA.read_bytes()).splitlines()]
"""Problems, and the trees that Popeye 4.104 prints; see benchmarks.popeye."""

EVERY = 2
"""One row in this many is tested by default."""

ROOK = "Forsyth 8/8/8/8/8/5K2/R7/7k"
MATED = "Forsyth 8/8/8/8/8/6K1/R7/7k"


@pytest.fixture(scope="session")
def matesolve(kernel: None) -> Matesolve:  # noqa: ARG001
    """Return a function that runs the command in this process."""
    load_part(BATTLE)  # compiling them would be announced on stderr
    load_part(HELP)

    def call(
        *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Ended:
        done = CliRunner().invoke(commands, arguments, input=stdin, env=env)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Ended(done.exit_code, done.stdout, done.stderr)

    return call


def solve(matesolve: Matesolve, *problems: str, code: int = 0) -> Ended:
    """Solve problems from standard input, without boards."""
    text = "\nNextProblem\n".join(f"Option NoBoard\n{problem}" for problem in problems)
    ended = matesolve("popeye", stdin=f"BeginProblem\n{text}\nEndProblem\n")
    assert ended.code == code
    return ended


def play(matesolve: Matesolve, problem: str) -> dict[str, Any]:
    (answer,) = parse(solve(matesolve, problem).out)
    assert answer["ending"] == "finished"
    tree: dict[str, Any] = answer["play"][""]
    return tree


def compare(matesolve: Matesolve, rows: list[dict[str, Any]]) -> None:
    entries = [
        Entry(row["name"], row["fen"], row["stipulation"], row["options"])
        for row in rows
    ]
    ended = matesolve("popeye", "-", stdin=as_input(entries))
    assert ended.err == ""
    assert ended.code == 0
    found = [
        (entry.name, entry.fen, where)
        for entry, row, answer in zip(entries, rows, parse(ended.out), strict=True)
        if answer["ending"] != "finished"
        or (where := difference(answer["play"][""], row["play"]))
    ]
    assert found == []


def test_the_expected_trees_are_of_500_problems_of_every_kind_of_play() -> None:
    assert len(ROWS) >= 500
    stipulations = {row["stipulation"] for row in ROWS}
    assert stipulations >= {"#2", "#3", "=2", "s#2", "r#2", "semi-r#2", "h#2", "h#2.5"}
    options = {option for row in ROWS for option in row["options"].split()}
    assert options >= {"SetPlay", "Try", "Variation", "NoThreat", "PostKeyPlay"}


def test_trees_equal_those_of_popeye(matesolve: Matesolve) -> None:
    compare(matesolve, ROWS[::EVERY])


@pytest.mark.slow
def test_all_trees_equal_those_of_popeye(matesolve: Matesolve) -> None:
    compare(matesolve, ROWS)


# What programs pass


def test_a_file_a_hyphen_and_no_argument_are_read_alike(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    text = f"BeginProblem\n{ROOK}\nStipulation #2\nEndProblem\n"
    path = tmp_path / "problem.inp"
    path.write_text(text)
    from_file = matesolve("popeye", "-regression", str(path))
    assert from_file.code == 0
    assert "   1.Kf3-g3 !" in from_file.out.splitlines()
    assert matesolve("popeye", "-regression", "-", stdin=text) == from_file
    assert matesolve("popeye", "-regression", stdin=text) == from_file


@pytest.mark.parametrize(
    "arguments",
    [
        "-maxmem 40960",
        "-maxmem 64M -maxtime 60",
        "-maxmem 0",
        "-heartbeat",
        "-heartbeat 1000 -maxmem 1G",
    ],
)
def test_popeyes_parameters_are_taken(matesolve: Matesolve, arguments: str) -> None:
    text = f"BeginProblem\n{ROOK}\nStipulation #2\nEndProblem\n"
    ended = matesolve("popeye", *arguments.split(), "-", stdin=text)
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize("arguments", ["-maxmem x", "-maxtime -1", "-maxtime x", "-x"])
def test_other_parameters_are_refused(matesolve: Matesolve, arguments: str) -> None:
    assert matesolve("popeye", *arguments.split()).code == 2


def test_a_missing_file_is_an_error_of_the_system(matesolve: Matesolve) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.inp"):
        matesolve("popeye", "missing.inp")


def test_an_input_without_problems_is_an_error(matesolve: Matesolve) -> None:
    ended = matesolve("popeye", "-regression", stdin="\n")
    assert ended == (65, "", "error: expected problems, found none: stdin\n")


# What is honoured


def test_the_diagram_is_drawn_unless_noboard(matesolve: Matesolve) -> None:
    text = f"BeginProblem\nAuthor A. Author\n{ROOK}\nStipulation #2\nEndProblem\n"
    lines = matesolve("popeye", stdin=text).out.splitlines()
    assert lines[2].strip() == "A. Author"
    assert "2   R   .   .   .   .   .   .   .   2" in lines
    assert "+---" not in solve(matesolve, f"{ROOK}\nStipulation #2").out


def test_max_solutions_makes_the_solution_partial(matesolve: Matesolve) -> None:
    problem = f"{MATED}\nStipulation #2\nOption MaxSolutions"
    (partial,) = parse(solve(matesolve, f"{problem} 3").out)
    assert partial["ending"] == "partial"
    assert len(partial["play"][""]["first"]) == 3
    (whole,) = parse(solve(matesolve, f"{problem} 50").out)
    assert whole["ending"] == "finished"


def test_trivial_tries_give_check(matesolve: Matesolve) -> None:
    problem = f"{ROOK}\nStipulation #2\nOption Try"
    every = play(matesolve, problem)["first"]
    quiet = play(matesolve, f"{problem} TrivialTriesAvoid")["first"]
    assert set(every) - set(quiet) == {"Ra2-a1+"}


def test_the_sides_are_exchanged_by_half_duplex_and_both_solved_by_duplex(
    matesolve: Matesolve,
) -> None:
    problem = "Forsyth 8/8/8/8/8/5k2/r7/7K\nStipulation #2\nOption Variation"
    one = play(matesolve, f"{problem} HalfDuplex")
    assert list(one["first"]) == ["Kf3-g3"]
    assert play(matesolve, f"{problem} Duplex") == one


def test_each_twin_has_its_heading_and_play(matesolve: Matesolve) -> None:
    problem = f"{MATED}\nStipulation #2\nOption NoBoard\nTwin remove a2\n"
    ended = solve(matesolve, f"{problem}Twin move g3 f3\nTwin continued move a2 b2")
    (answer,) = parse(ended.out)
    assert {label: len(twin.get("first", ())) for label, twin in answer["play"].items()}
    headings = [line for line in ended.out.splitlines() if ")" in line[:3]]
    assert headings == ["a) ", "b) -wRa2  ", "c) wKg3-->f3  ", "+d) wRa2-->b2  "]


def test_a_bad_twin_costs_only_itself(matesolve: Matesolve) -> None:
    problem = f"{MATED}\nStipulation #2\nOption NoBoard\nTwin remove a1\n"
    ended = solve(matesolve, f"{problem}Twin move g3 f3", code=65)
    (answer,) = parse(ended.out)
    assert answer["ending"] == "partial"
    assert list(answer["play"]) == ["a", "c"]
    assert ended.err.endswith("twin b): expected a piece on a1, found none\n")


def test_the_play_after_a_key_is_whole_without_the_option_variation(
    matesolve: Matesolve,
) -> None:
    problem = "Forsyth 8/8/8/8/8/5K2/1R6/7k\nStipulation #3\nOption PostKeyPlay"
    whole = play(matesolve, problem)
    assert whole == play(matesolve, f"{problem} Variation")
    (threat,) = whole["after"]["threats"].values()
    assert threat["threats"] == {"Rb2-b1#": {}}


LOCKED = "Forsyth 8/8/7p/8/pp6/kp3P2/p7/K7"
OPEN = "Forsyth 4B3/4r1p1/1p1B4/3P4/1ppK4/5k1P/3Q3R/8"
PASSING = "Forsyth 8/8/8/4pP2/3b1kbK/8/8/B7"
CORNER = "Forsyth 4k2r/4P1P1/5K2/3Q4/8/8/8/8"


@pytest.mark.parametrize("options", ["", "Variation", "NoThreat", "NoShortVariations"])
@pytest.mark.parametrize(
    ("problem", "option", "forced"),
    [
        *((f"{LOCKED}\nStipulation r#{n}", "", ["b3-b2#"]) for n in (1, 2, 3)),
        (f"{OPEN}\nStipulation semi-r#2", "", ["Re7-e4#"]),
        (f"{PASSING}\nStipulation semi-r#2", "EnPassant e7e6e5", ["Bd4-f2#"]),
        (f"{CORNER}\nStipulation r=2", "HalfDuplex", ["g7*h8=B=", "g7*h8=S="]),
    ],
)
def test_nothing_is_threatened_where_the_defender_must_reach_the_goal(
    matesolve: Matesolve, problem: str, option: str, forced: list[str], options: str
) -> None:
    tree = play(matesolve, f"{problem}\nOption PostKeyPlay {option} {options}")
    assert tree == {"set": {move: {} for move in forced}}


def test_a_selfmate_has_threats_where_the_defender_can_mate_at_once(
    matesolve: Matesolve,
) -> None:
    problem = "Forsyth 8/2SS4/8/8/8/2p1Q3/PSk5/K7\nStipulation s#2\nOption PostKeyPlay"
    assert len(play(matesolve, problem)["after"]["threats"]) == 16


@pytest.mark.parametrize(
    ("stipulation", "options", "unused"),
    [("#2", "PostKeyPlay Try", "Try"), ("h#2", "PostKeyPlay", "PostKeyPlay")],
)
def test_options_that_do_not_apply_are_ignored_with_a_warning(
    matesolve: Matesolve, stipulation: str, options: str, unused: str
) -> None:
    ended = solve(matesolve, f"{ROOK}\nStipulation {stipulation}\nOption {options}")
    assert ended.err == f"warning: stdin:2: {unused} does not apply\n"


# What is refused


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        ("Pieces White Ka1 Gb3 Black Kh8\nStipulation #2", "found 'G'"),
        (f"{ROOK}\nCondition Circe\nStipulation #2", "conditions: expected none"),
        (f"{ROOK}\nStipulation ser-h#2", "found 'ser-h#2'"),
        (f"{ROOK}\nStipulation #2\nOption Quodlibet", "found 'Quodlibet'"),
        (f"{ROOK}\nStipulation #2\nOption Threat 1", "found 'Threat'"),
        ("Forsyth 8/8/8/8/8/5K2/R6k\nStipulation #2", "found it attacked from a2"),
    ],
)
def test_what_is_refused_is_one_line_and_the_next_problem_is_solved(
    matesolve: Matesolve, problem: str, reason: str
) -> None:
    ended = solve(matesolve, problem, f"{ROOK}\nStipulation #2", code=65)
    assert ended.err.count("\n") == 1
    assert reason in ended.err
    endings = [answer["ending"] for answer in parse(ended.out)]
    assert endings == ["partial", "finished"]


# Limits and interrupts

LONG = f"BeginProblem\n{MATED}\nStipulation #2\nNextProblem\n" + (
    "Forsyth 3k4/8/8/8/8/1r6/8/3KQ3\nStipulation #20\nOption Variation Try\n"
)


@pytest.mark.parametrize("option", [True, False])
def test_a_limit_of_time_ends_a_problem_only(
    matesolve: Matesolve, *, option: bool
) -> None:
    text = f"{LONG}{'Option MaxTime 1' if option else ''}\n"
    text += f"NextProblem\n{ROOK}\nStipulation #2\nEndProblem\n"
    arguments = [] if option else ["-maxtime", "1"]
    ended = matesolve("popeye", *arguments, stdin=text)
    assert ended.code == 3
    endings = [answer["ending"] for answer in parse(ended.out)]
    assert endings == ["finished", "interrupted", "finished"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interrupt_prints_what_there_is(name: str) -> None:
    with process("popeye", "-") as child:
        assert child.stdin
        assert child.stdout
        child.stdin.write(f"{LONG}EndProblem\n")
        child.stdin.close()
        printed = ""
        while "#20" not in printed:  # below the board of the second problem
            printed += child.stdout.readline()
        child.send_signal(getattr(signal, name))
        printed += child.stdout.read()
        assert child.wait() == 130
    endings = [answer["ending"] for answer in parse(printed)]
    assert endings == ["finished", "interrupted"]


# What programs read: Olive drops the first and the last line, splits the rest at the
# headings of twins, and reads moves, whose numbers and signs it needs.

HEADING = re.compile(r"\+?[a-z]\)")
NUMBER = re.compile(r"[0-9]+\.(?:\.\.)?")
MOVE = re.compile(
    r"(?:0-0(?:-0)?|[KQRBS]?[a-h][1-8][-*][a-h][1-8](?:=[QRBS])?(?: ep\.)?)"
    r"(?: [+#=])?(?: [!?])?"
)
WORDS = ("threat:", "zugzwang.", "but", "")


OLIVE = (
    # An en passant key, and a twin; castling; threat, check and a try; zugzwang.
    "Forsyth 7k/8/6B1/3pP3/8/7K/Q6R/B7\nStipulation #2\n"
    "Option SetPlay Defence 1 Variation EnPassant d7d6d5\nTwin remove a2",
    "Forsyth 2S2B2/2S1r3/8/3sQ2R/1k6/8/2B5/R3K3\nStipulation #2\nOption Variation",
    f"{ROOK}\nStipulation #3\nOption SetPlay Defence 1 Variation",
)


def test_what_olive_reads_is_there(matesolve: Matesolve) -> None:
    seen = set()
    for problem in OLIVE:
        output = solve(matesolve, problem).out
        first, *lines, last = output.strip().splitlines()
        assert first.startswith("matesolve ")
        assert last.startswith("solution finished. Time = ")
        headings = [line[0] for line in lines if HEADING.match(line)]
        assert headings == (["a", "b"] if "Twin" in problem else [])
        for line in filter(None, lines):
            if HEADING.match(line):
                continue
            rest = NUMBER.sub("", line.strip(), count=1)
            move = MOVE.match(rest)
            after = rest[move.end() :].strip() if move else rest
            assert after in WORDS, line
            seen |= set(rest.split())
    assert {*WORDS[:3], "0-0-0", "ep.", "#", "+", "!", "?"} <= seen


def test_each_problem_is_printed_before_the_next_is_read() -> None:
    with process("popeye", "-") as child:
        assert child.stdin
        assert child.stdout
        for _ in range(2):
            child.stdin.write(f"BeginProblem\n{ROOK}\nStipulation #2\n")
            child.stdin.write("NextProblem\n")
            child.stdin.flush()
            break
        printed = ""
        while "solution finished." not in printed:
            printed += child.stdout.readline()
        child.stdin.write(f"{ROOK}\nStipulation #2\nEndProblem\n")
        child.stdin.close()
        assert child.stdout.read().count("solution finished.") == 1
