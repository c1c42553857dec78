"""`matesolve solve` with the options about compositions."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import chess.pgn
import pytest

from solver.errors import BuildingStoppedError
from solver.formats.registry import read_collection
from solver.output import popeye_text
from solver.problem import EXPECTED, Claim, Problem
from tests.cli.conftest import Ended, rows
from tests.output.play_trees import BLOCK

if TYPE_CHECKING:
    from solver.play.record import PlayOptions
    from solver.solution import Solution
    from tests.cli.conftest import Cli

SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"


STALEMATE = "8/8/8/8/8/1K6/7R/k7 w - - 0 1"
"""1.Rb2 stalemates."""

HELPMATE = "8/5K2/2r5/7p/5R2/6B1/8/7k"
"""h#2: 1.Rc1 Rf2 2.Rg1 Rh2#, without set play."""

HELPMATE_IN_1 = "8/8/8/8/8/1K6/7R/k7 b - - 0 1"

ANSWER = """\
White to move
White mates in 2.
1. Qa5 Bb7 2. Nf5#
Only key: Qa5
Proved: mate in 2 is forced, and none is shorter.
N nodes in T

"""

PLAY = """\
Set play
  1...Bd7, Bd6 2.Qd5#
  1...Be6, Be7 2.Qe5#
  1...Rd5 2.Qxd5#
  1...Re5 2.Qxe5#

Tries
  1.Nc2+? dxc2!
  1.Qb5? threat: 2.Qc4#
    1...Be6 2.Qe5#
    but 1...axb5!
  1.Qd5+? Rxd5!
  1.Qe5+? Rxe5!

"""

KEY = """\
  1.Qa5! zugzwang
    1...Bb7, Rd7, Re6 2.Nf5#
    1...Bd7, Bd6 2.Qd5#
    1...Be6, Be7 2.Qe5#
    1...Bf5 2.Nxf5#
    1...Rd5 2.Qxd5#
    1...Rd6 2.Qxb4#
    1...Re5 2.Qxe5#
    1...Re7, Bg7, Bh6 2.Qxb4# or 2.Qb6# (dual)
    1...Bc5 2.Qa1#

C+ matesolve 0.1.0 (T)
"""
MARK = "C+ matesolve 0.1.0 (T)"


@pytest.fixture
def solve(cli: Cli) -> Cli:
    """Return the command; its output is without nodes and times."""

    def call(fen: str, options: str = "", **settings: Any) -> Ended:
        code, out, err = cli(f"solve '{fen}' {options}", **settings)
        return Ended(code, without_costs(out), err)

    return call


def without_costs(text: str) -> str:
    text = re.sub(r"[\d,]+ nodes? in [\d.]+ m?s", "N nodes in T", text)
    text = re.sub(r"(?m)^Key\b.*$", "Key", text)
    return re.sub(r"\(\d[\d.]* m?s\)", "(T)", text)


def play_of(ended: Ended) -> list[str]:
    """Return the lines below the answer's blank line."""
    return ended.out.partition("N nodes in T\n\n")[2].splitlines()


# --- the play of a mate


def test_the_whole_play_is_printed_below_the_answer(solve: Cli) -> None:
    whole = f"{ANSWER}{PLAY}Key\n{KEY}"
    assert solve(BLOCK, "--set-play --tries") == (0, whole, "")
    assert solve(BLOCK, "--variations") == (0, f"{ANSWER}Key\n{KEY}", "")


def test_depth_cuts_the_play_and_says_so(solve: Cli) -> None:
    cut = "Only the defences of the main line are shown."
    play = play_of(solve(BLOCK, "--variations --depth 1"))
    assert play[:2] == ["Key", "  1.Qa5! Bb7 2.Nf5# (main line only)"]
    assert f"  {cut}" in play
    assert play_of(solve(BLOCK, "--depth 1 --notation popeye"))[-1] == cut


def test_all_defences_and_no_threats_change_what_is_shown(solve: Cli) -> None:
    def tries(options: str = "") -> str:
        play = play_of(solve(BLOCK, f"--tries 1 {options}"))
        return "\n".join(play).partition("\n\n")[0]

    assert "threat: 2.Qc4#\n    1...Be6 2.Qe5#\n    but" in tries()
    assert "Bb7" not in tries()
    assert "threat: 2.Qc4#" in tries("--all-defences")
    assert "Bb7" in tries("--all-defences")
    assert "threat" not in tries("--no-threats")
    assert "zugzwang" not in solve(BLOCK, "--variations --no-threats").out


def test_notations(solve: Cli) -> None:
    uci = solve(BLOCK, "--variations --notation uci")
    assert "\nh5a5 c8b7 e3f5\n" in uci.out
    assert "  1.h5a5! zugzwang\n    1...c8b7, c8f5, d8d7, e8e6 2.e3f5\n" in uci.out
    assert solve(BLOCK, "--variations --uci-moves") == uci
    popeye = solve(BLOCK, "--notation popeye").out
    board = popeye_text.draw(BLOCK, "#2", (), "C+")
    play = "   1.Qh5-a5 ! zugzwang.\n      1...Bc8-b7\n          2.Se3-f5 #\n"
    assert popeye.partition(f"\n{board}\n")[2].startswith(play)
    san = solve(SMOTHERED, "--notation san").out
    assert san.splitlines()[2] == "1. Qg8+ Rxg8 2. Nf7#"


def test_a_record_has_the_play_if_asked_for_with_problemists_marks(solve: Cli) -> None:
    code, out, err = solve(SMOTHERED, "--variations --jsonl")
    record = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert list(record)[-1] == "play"
    (key,) = record["play"]["keys"]
    assert (key["san"], key["features"]) == ("Qg8+", ["check", "sacrifice"])
    assert key["defences"][0]["continuations"][0]["mark"] == "model"
    assert "play" not in json.loads(solve(SMOTHERED, "--jsonl").out)
    indented = solve(SMOTHERED, "--variations --json").out
    assert json.loads(indented)["play"] == record["play"]


def test_contradictory_options_are_a_usage_error(solve: Cli) -> None:
    for options, message in rows(f"""
--no-threats                | --no-threats needs --variations, --pgn or --html.
--depth 2                   | --depth needs --variations, --pgn or --html.
--tries 0                   | expected a whole number from 1 to 20, found '0'
--notation german           | is not one of 'san', 'uci', 'popeye'
--uci-moves --notation san  | --uci-moves and --notation san cannot be combined.
--notation popeye --jsonl   | --notation popeye needs text output, not --json or
--max-solutions 2           | --max-solutions needs help play, such as --stipulation
--stipulation ser-#2        | expected {EXPECTED}, found 'ser-#2'
--stipulation s#2 -n 3      | --stipulation and --search-moves cannot be combined.
--stipulation s#2 --certificate a.json | --certificate cannot be combined with
--stipulation h#2 --tries 1    | --tries cannot be combined with --stipulation h#2.
"""):
        code, out, err = solve(SMOTHERED, options)
        assert (code, out) == (2, "")
        assert message in " ".join(err.split())


# --- its layout, its limits, and its files


def test_an_interrupt_while_the_play_is_built_leaves_the_answer(
    solve: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []

    def build(solution: Solution, _: object, options: PlayOptions, *__: object) -> None:
        left.append(options.time_s + solution.stats.time_s)
        raise BuildingStoppedError

    monkeypatch.setattr("solver.play.builder.build_variations", build)
    stopped = "interrupted: the play is not shown\n"
    words = "--variations --time 1000"
    assert solve(BLOCK, words) == (130, ANSWER.removesuffix("\n"), stopped)
    code, out, err = solve(BLOCK, f"{words} --jsonl")
    assert (code, err, "play" in json.loads(out)) == (130, stopped, False)
    # The time of the search is part of the limit.
    assert left == [pytest.approx(1000)] * 2


def test_the_game_of_the_whole_play_is_read_without_errors(solve: Cli) -> None:
    solve(BLOCK, "--set-play --pgn block.pgn --tries")
    game = chess.pgn.read_game(io.StringIO(Path("block.pgn").read_text()))
    assert game is not None
    assert game.errors == []
    first = {node.san(): node for node in game.variations}
    assert list(first) == ["Qa5", "Nc2+", "Qb5", "Qd5+", "Qe5+", "--"]
    assert first["Qa5"].nags == {chess.pgn.NAG_GOOD_MOVE}
    assert "zugzwang" in first["Qa5"].comment
    attempt = first["Qb5"]
    assert attempt.nags == {chess.pgn.NAG_MISTAKE}
    assert "threat: 2. Qc4#" in " ".join(attempt.comment.split())
    replies = {node.san(): node.nags for node in attempt.variations}
    assert replies == {"axb5": {chess.pgn.NAG_GOOD_MOVE}, "Be6": set()}
    assert first["--"].comment == "set play"
    assert len(first["--"].variations) == 6
    # Our own reader finds the same claim and key again.
    (problem,) = read_collection("block.pgn")
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(2, ("h5a5",), ("h5a5", "c8b7", "e3f5"))


# --- stipulations


def test_each_stipulation_is_answered_in_its_own_words(solve: Cli) -> None:
    for fen, stipulation, code, headline in rows(f"""
        {STALEMATE} | =1       | 0 | White stalemates in 1.
        {STALEMATE} | s=2      | 1 | No selfstalemate in 2 or fewer moves.
        {STALEMATE} | semi-r#1 | 1 | No semi-reflexmate in 1 move.
        {SMOTHERED} | #2       | 0 | White mates in 2.
    """):
        ended = solve(fen, f"--stipulation {stipulation}")
        assert ended.code == int(code)
        assert ended.out.splitlines()[1] == headline
        record = json.loads(solve(fen, f"--stipulation {stipulation} --jsonl").out)
        assert record["stipulation"] == stipulation
        assert (record["status"] == "proved") == (code == "0")


# --- help play


HELP_ANSWER = f"""\
Black to move
Helpmate in 2: 1 solution.
Proved: there are no others.
N nodes in T

  1.Rc1 Rf2 2.Rg1 Rh2# (model)

{MARK}
"""


def test_all_solutions_of_a_helpmate_are_printed(solve: Cli) -> None:
    assert solve(HELPMATE, "--stipulation h#2") == (0, HELP_ANSWER, "")
    popeye = solve(HELPMATE, "--stipulation h#2 --notation popeye").out
    assert popeye.splitlines()[-1] == "  1.Rc6-c1 Rf4-f2   2.Rc1-g1 Rf2-h2 #"
    assert "\n  h#2                         3 + 3\n                 C+\n\n" in popeye
    uci = solve(HELPMATE, "--stipulation h#2 --uci-moves").out
    assert "  1.c6c1 f4f2 2.c1g1 f2h2 (model)\n" in uci
    none = "Black to move\nNo helpmate in 1.\nProved.\nN nodes in T\n"
    assert solve(HELPMATE, "--stipulation h#1 --variations") == (1, none, "")


SIDES = {"h#1": "b", "h=1": "b", "h#1.5": "w", "h=0.5": "w", "#1": "w", "s#1": "w"}


@pytest.mark.parametrize(("stipulation", "side"), SIDES.items())
def test_a_position_without_a_side_to_move_begins_as_composers_expect(
    stipulation: str, side: str, solve: Cli
) -> None:
    def begins(fen: str, stdin: str = "") -> str:
        ended = solve(fen, f"--jsonl --stipulation {stipulation}", stdin=stdin)
        text: str = json.loads(ended.out)["fen"]
        return text.split()[1]

    json_line = f'{{"fen": "{HELPMATE}", "stipulation": "s#2"}}'
    for record in (HELPMATE, json_line, f"fen\n{HELPMATE}"):
        assert begins("-", f"{record}\n") == side
    assert begins(HELPMATE) == side
    assert begins(f"{HELPMATE} w") == begins("-", f"{HELPMATE} w\n") == "w"


def test_set_play_and_solutions_of_help_play_have_titles(solve: Cli) -> None:
    words = "--stipulation h#1 --set-play"
    ended = solve(HELPMATE_IN_1, words)
    set_play = ["Set play", "  1...Rh1# (ideal)", ""]
    solutions = ["Solutions", "  1.Kb1 Rh1# (ideal)", "", MARK]
    assert (ended.code, play_of(ended)) == (0, set_play + solutions)
    record = json.loads(solve(HELPMATE_IN_1, f"{words} --jsonl").out)
    assert record["solutions"] == [["a1b1", "h2h1"]]
    assert record["solutions_complete"] is True
    play = {"set_play": [["h2h1"]], "set_play_complete": True}
    assert record["play"] == {"stipulation": "h#1", **play}
