"""`matesolve solve` with the options about compositions."""

from __future__ import annotations

import io
import json
import re
import signal
import sys
from typing import TYPE_CHECKING, Protocol

import chess
import chess.pgn
import pytest

from solver.certificate.build import BuildingStoppedError
from solver.cli.main import run
from solver.output import popeye_text
from solver.problem import EXPECTED, Claim, Problem
from tests.cli.conftest import Ended
from tests.cli.processes import on_a_terminal, process, run_and_list_heavy, visible
from tests.cpu_time import wait_for_work
from tests.output.play_trees import BLOCK

if TYPE_CHECKING:
    from pathlib import Path

    from solver.play.record import PlayOptions
    from solver.solution import Solution
    from tests.cli.conftest import Matesolve

SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
LONG = "8/8/7p/5K1k/8/6p1/5bPP/4N3 w - - 0 1"
"""Mate in 6."""

ENDLESS = "8/8/8/3k4/8/8/1Q5K/R7 w - - 0 1"
"""Mate in 5; the play of a mate in seven takes longer than any test waits."""

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


@pytest.fixture(autouse=True, scope="module")
def _compiled(matesolve: Matesolve) -> None:
    """Compile before the tests, so that none of them gets the notice."""
    matesolve("solve", BLOCK)
    matesolve("solve", BLOCK, "--stipulation", "=1")
    matesolve("solve", BLOCK, "--stipulation", "h#0.5")


class Solve(Protocol):
    def __call__(self, *arguments: str) -> Ended: ...


@pytest.fixture
def solve(capsys: pytest.CaptureFixture[str]) -> Solve:
    """Return a function that runs `solve` in this process."""

    def call(*arguments: str) -> Ended:
        code = run(["solve", *arguments])
        return Ended(code, *capsys.readouterr())

    return call


def without_costs(text: str) -> str:
    text = re.sub(r"[\d,]+ nodes? in [\d.]+ m?s", "N nodes in T", text)
    text = re.sub(r"(?m)^Key\b.*$", "Key", text)
    return re.sub(r"\(\d[\d.]* m?s\)", "(T)", text)


def play_of(out: str) -> list[str]:
    """Return the lines below the answer's blank line."""
    return without_costs(out).partition("N nodes in T\n\n")[2].splitlines()


@pytest.mark.parametrize(
    ("fen", "play"),
    [
        ("8/8/8/8/8/6K1/R7/7k b - -", ["", " threat:", "          2.Ra2-a1 #"]),
        (
            "R6k/1R6/6K1/2b5/8/8/8/2r5 b - -",
            [" +", "      1...Bc5-f8", "          2.Ra8*f8 #"],
        ),
    ],
)
def test_popeye_s_notation_has_play_that_the_defender_begins(
    solve: Solve, fen: str, play: list[str]
) -> None:
    out = solve(fen, "--variations", "--notation", "popeye").out
    assert out.splitlines()[-3:] == play


def test_the_whole_play_is_printed_below_the_answer(solve: Solve) -> None:
    code, out, err = solve(BLOCK, "--set-play", "--tries")

    assert (code, without_costs(out), err) == (0, f"{ANSWER}{PLAY}Key\n{KEY}", "")


def test_variations_alone_are_keys_and_defences(solve: Solve) -> None:
    code, out, err = solve(BLOCK, "--variations")

    assert (code, without_costs(out), err) == (0, f"{ANSWER}Key\n{KEY}", "")


@pytest.mark.parametrize(
    ("number", "least"), [((), 4), (("1",), 4), (("2",), 5), (("20",), 25)]
)
def test_tries_have_as_many_refutations_as_asked(
    number: tuple[str, ...], least: int, solve: Solve
) -> None:
    out = solve(BLOCK, "--jsonl", "--tries", *number).out

    found = json.loads(out)["play"]["tries"]
    most = int(number[0]) if number else 1
    assert all(0 < len(attempt["refutations"]) <= most for attempt in found)
    assert len(found) >= least
    assert len(found) == 4 or most > 1


def test_depth_cuts_the_play_and_says_so(solve: Solve) -> None:
    out = solve(BLOCK, "--variations", "--depth", "1").out

    assert play_of(out)[:2] == [
        "Key",
        "  1.Qa5! Bb7 2.Nf5# (main line only)",
    ]
    assert "  Only the defences of the main line are shown." in play_of(out)
    out = solve(BLOCK, "--depth", "1", "--notation", "popeye").out
    assert play_of(out)[-1] == "Only the defences of the main line are shown."


def test_all_defences_and_no_threats_change_what_is_shown(
    solve: Solve,
) -> None:
    def tries(*options: str) -> str:
        out = solve(BLOCK, "--tries", *options).out
        return "\n".join(play_of(out)).partition("\n\n")[0]

    assert "threat: 2.Qc4#\n    1...Be6 2.Qe5#\n    but" in tries()
    every = tries("--all-defences")
    assert "threat: 2.Qc4#" in every
    assert len(every) > len(tries())
    assert "Bb7" in every
    assert "threat" not in tries("--no-threats")
    assert "zugzwang" not in solve(BLOCK, "--variations", "--no-threats")


def test_notations(solve: Solve) -> None:
    uci = solve(BLOCK, "--variations", "--notation", "uci").out
    assert "\nh5a5 c8b7 e3f5\n" in uci
    assert play_of(uci)[1:3] == [
        "  1.h5a5! zugzwang",
        "    1...c8b7, c8f5, d8d7, e8e6 2.e3f5",
    ]
    assert solve(BLOCK, "--variations", "--uci-moves").out.count("1.h5a5!")
    popeye = solve(BLOCK, "--notation", "popeye").out
    board = popeye_text.draw(BLOCK, "#2", (), "C+")
    assert f"\n{board}\n" in popeye
    assert popeye.partition(f"{board}\n")[2].splitlines()[:3] == [
        "   1.Qh5-a5 ! zugzwang.",
        "      1...Bc8-b7",
        "          2.Se3-f5 #",
    ]
    san = solve(SMOTHERED, "--notation", "san").out
    assert san.splitlines()[2] == "1. Qg8+ Rxg8 2. Nf7#"


def test_a_record_has_the_play_if_asked_for(solve: Solve) -> None:
    code, out, err = solve(SMOTHERED, "--variations", "--jsonl")
    record = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert list(record)[-1] == "play"
    assert [key["san"] for key in record["play"]["keys"]] == ["Qg8+"]
    assert "play" not in json.loads(solve(SMOTHERED, "--jsonl").out)
    indented = solve(SMOTHERED, "--variations", "--json").out
    assert json.loads(indented)["play"] == record["play"]


def test_keys_and_mates_have_the_marks_of_problemists(solve: Solve) -> None:
    out = solve(SMOTHERED, "--variations").out
    assert out.splitlines()[7:10] == [
        "Key: check, sacrifice",
        "  1.Qg8+!",
        "    1...Rxg8 2.Nf7# (model)",
    ]
    (key,) = json.loads(solve(SMOTHERED, "--variations", "--jsonl").out)["play"]["keys"]
    assert key["features"] == ["check", "sacrifice"]
    assert key["defences"][0]["continuations"][0]["mark"] == "model"


def test_each_line_of_stdin_has_its_play(matesolve: Matesolve) -> None:
    lines = f"{SMOTHERED}\n{SMOTHERED}\n"
    code, out, _ = matesolve("solve", "-", "--variations", stdin=lines)
    answers = without_costs(out).split("stdin:")[1:]
    assert code == 0
    assert [answer.partition(":")[0] for answer in answers] == ["1", "2"]
    for answer in answers:
        assert answer.endswith("1...Rxg8 2.Nf7# (model)\n\nC+ matesolve 0.1.0 (T)\n\n")
    code, out, _ = matesolve("solve", "-", "--variations", "--jsonl", stdin=lines)
    assert [bool(json.loads(line)["play"]["keys"]) for line in out.splitlines()] == [
        True,
        True,
    ]


def test_a_mated_side_has_its_defences(solve: Solve) -> None:
    fen = "7k/8/p5K1/8/8/8/8/1R6 b - -"
    out = solve(fen, "--variations").out
    assert play_of(out) == ["Play", "  threat: 2.Rb8# (model)"]
    out = solve(fen, "--variations", "--all-defences").out
    assert play_of(out) == [
        "Play",
        "  threat: 2.Rb8# (model)",
        "  1...Kg8, a5 2.Rb8# (model)",
    ]
    out = solve("7k/8/6K1/8/8/8/8/1R6 b - -", "--variations").out
    assert play_of(out) == ["Play", "  threat: 2.Rb8# (ideal)"]


def test_without_a_mate_there_is_no_play(solve: Solve) -> None:
    code, out, err = solve(SMOTHERED, "--variations", "-n", "1")
    assert (code, err) == (1, "")
    assert "1." not in without_costs(out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--no-threats"], "--no-threats needs --variations, --pgn or --html."),
        (["--all-defences"], "--all-defences needs --variations, --pgn or --html."),
        (["--depth", "2"], "--depth needs --variations, --pgn or --html."),
        (["--tries", "0"], "expected a whole number from 1 to 20, found '0'"),
        (["--tries", "21"], "expected a whole number from 1 to 20, found '21'"),
        (["--depth", "0"], "expected a whole number from 1 to 200, found '0'"),
        (["--notation", "german"], "is not one of 'san', 'uci', 'popeye'"),
        (
            ["--uci-moves", "--notation", "san"],
            "--uci-moves and --notation san cannot be combined.",
        ),
        (
            ["--max-solutions", "2"],
            "--max-solutions needs help play, such as --stipulation h#2.",
        ),
        (
            ["--san", "--notation", "popeye"],
            "--san and --notation popeye cannot be combined.",
        ),
        (
            ["--notation", "popeye", "--jsonl"],
            "--notation popeye needs text output, not --json or --jsonl.",
        ),
        (
            ["--stipulation", "ser-#2"],
            f"expected {EXPECTED}, found 'ser-#2'",
        ),
        (["--stipulation", "#0"], "expected 1 to 200 moves, found '#0'"),
        (
            ["--stipulation", "s#2", "-n", "3"],
            "--stipulation and --search-moves cannot be combined.",
        ),
        (
            ["--stipulation", "s#2", "--certificate", "a.json"],
            "--certificate cannot be combined with --stipulation s#2.",
        ),
        (
            ["--stipulation", "=2", "--checks-only"],
            "--checks-only, --king-flights, --replies and --threat cannot be combined "
            "with --stipulation =2.",
        ),
        (
            ["--stipulation", "h#2", "--tries"],
            "--tries cannot be combined with --stipulation h#2.",
        ),
        (
            ["--stipulation", "s#2", "--max-solutions", "1"],
            "--max-solutions cannot be combined with --stipulation s#2.",
        ),
        (
            ["--stipulation", "h#2", "--variations", "--depth", "1"],
            "--depth cannot be combined with --stipulation h#2.",
        ),
    ],
)
def test_contradictory_options_are_a_usage_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tries_last = arguments[-1] == "--tries"
    words = [SMOTHERED, *arguments] if tries_last else [*arguments, SMOTHERED]
    code = run(["solve", *words])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


@posix
def test_a_terminal_wraps_the_play_to_its_width(
    environment: dict[str, str], pytestconfig: pytest.Config
) -> None:
    terminal = {
        **environment,
        "TERM": "xterm-256color",
        "COLUMNS": "24",
    }
    words = (BLOCK, "--set-play", "--tries")
    code, shown = on_a_terminal(*words, env=terminal, root=pytestconfig.rootpath)
    assert code == 0
    lines = visible(shown).splitlines()
    play = lines[lines.index("Set play") :]
    assert max(map(len, play)) <= 24
    assert "\x1b[1mSet play" in shown
    words_shown = without_costs(" ".join(" ".join(play).split()))
    assert words_shown.endswith(" ".join(KEY.split()))


def test_the_play_in_a_pipe_is_plain_and_has_80_columns(matesolve: Matesolve) -> None:
    far = "5bk1/p3p1p1/p3P1P1/p7/p7/8/P7/5K2 w - -"
    out = matesolve("solve", far, "--variations", "--first", env={"COLUMNS": "20"}).out
    play = play_of(out)
    assert "\x1b" not in out
    assert 70 < max(map(len, play)) <= 80
    assert (
        play[-1]
        == "  The play of the first 12 moves is shown; after them only the main line."
    )


@pytest.fixture
def interrupted_building(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise BuildingStoppedError

    monkeypatch.setattr("solver.play.builder.build_variations", stop)


@pytest.mark.usefixtures("interrupted_building")
def test_an_interrupt_while_the_play_is_built_leaves_the_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = run(["solve", BLOCK, "--variations"])
    out, err = capsys.readouterr()
    assert (code, err) == (130, "interrupted: the play is not shown\n")
    assert without_costs(out) == ANSWER.rstrip("\n") + "\n"

    code = run(["solve", BLOCK, "--variations", "--jsonl"])
    out, err = capsys.readouterr()
    assert (code, err) == (130, "interrupted: the play is not shown\n")
    record = json.loads(out)
    assert record["mate"] == 2
    assert "play" not in record


def test_the_time_of_the_search_is_part_of_the_time_limit(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = []

    def build(solution: Solution, _: object, options: PlayOptions, *__: object) -> None:
        left.append(options.time_s + solution.stats.time_s)
        raise BuildingStoppedError

    monkeypatch.setattr("solver.play.builder.build_variations", build)
    assert solve(BLOCK, "--variations", "--time", "1000").code == 130
    assert left == [pytest.approx(1000)]


def test_a_limit_cuts_first_what_was_asked_for_besides(solve: Solve) -> None:
    words = (LONG, "--tries", "20", "--set-play")
    whole = play_of(solve(*words).out)
    code, out, err = solve(*words, "--nodes", "60000")
    cut = play_of(out)
    assert (code, err) == (0, "")
    assert cut[cut.index("Tries") :][:2] == ["Tries", "  There may be tries."]
    key = next(line for line in whole if line.startswith("Key"))
    assert cut[cut.index(key) :] == whole[whole.index(key) :]
    assert len(whole) > 2 * len(cut)


@posix
def test_ctrl_c_stops_the_building_of_a_large_tree() -> None:
    words = ("--stipulation", "#7", "--variations", "--set-play")
    with process("solve", ENDLESS, *words) as running:
        assert running.stdout is not None
        lines = [running.stdout.readline() for _ in range(6)]
        assert "White mates in 5." in " ".join(lines)
        wait_for_work(running)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert running.returncode == 130
    assert err.endswith("interrupted: the play is not shown\n")
    assert "1." not in out


def test_the_game_of_the_whole_play_is_read_without_errors(
    tmp_path: Path, solve: Solve
) -> None:
    path = tmp_path / "block.pgn"
    solve(BLOCK, "--set-play", "--tries", "--pgn", str(path))
    game = chess.pgn.read_game(io.StringIO(path.read_text()))
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
    assert {node.san() for node in first["--"].variations} == {
        *("Bd7", "Bd6", "Be6", "Be7", "Rd5", "Re5"),
    }
    duals = next(node for node in first["Qa5"].variations if node.san() == "Re7")
    assert [node.san() for node in duals.variations] == ["Qxb4#", "Qb6#"]
    # Our own reader finds the same claim and key again.
    from solver.formats.registry import read_collection

    (problem,) = read_collection(str(path))
    assert isinstance(problem, Problem)
    assert problem.claim == Claim(2, ("h5a5",), ("h5a5", "c8b7", "e3f5"))


def test_without_options_about_the_play_its_modules_are_not_loaded() -> None:
    program = (
        "from solver.cli.main import run\n"
        f"run(['solve', {SMOTHERED!r}, '--jsonl'])\n"
        "import sys\n"
        "names = {'output.play_text', 'output.popeye_text', "
        "'play.record'}\n"
        "print(*{f'solver.{name}' for name in names} & set(sys.modules))"
    )
    printed, _ = run_and_list_heavy(program)
    assert printed.splitlines()[1:] == [""]


# Stipulations

STALEMATE = "8/8/8/8/8/1K6/7R/k7 w - - 0 1"
"""1.Rb2 stalemates."""


@pytest.mark.parametrize(
    ("fen", "stipulation", "code", "headline"),
    [
        (STALEMATE, "=1", 0, "White stalemates in 1."),
        (STALEMATE, "s#1", 1, "No selfmate in 1 move."),
        (STALEMATE, "s=2", 1, "No selfstalemate in 2 or fewer moves."),
        (STALEMATE, "r#2", 1, "No reflexmate in 2 or fewer moves."),
        (STALEMATE, "semi-r#1", 1, "No semi-reflexmate in 1 move."),
        (SMOTHERED, "=2", 1, "No stalemate in 2 or fewer moves."),
        (SMOTHERED, "#2", 0, "White mates in 2."),
        (SMOTHERED, "#1", 1, "No mate in 1 move."),
    ],
)
def test_each_stipulation_is_answered_in_its_own_words(
    fen: str, stipulation: str, code: int, headline: str, solve: Solve
) -> None:
    ended = solve(fen, "--stipulation", stipulation)
    assert ended.code == code
    assert ended.out.splitlines()[1] == headline
    if "mate" not in headline.replace("stalemate", ""):
        assert not re.search(r"\bmate(?!solve)", ended.out)
    record = json.loads(solve(fen, "--stipulation", stipulation, "--jsonl").out)
    assert record["stipulation"] == stipulation
    assert (record["status"] == "proved") == (code == 0)


def test_a_limit_leaves_a_stipulation_undecided(solve: Solve) -> None:
    fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1"
    code, out, _ = solve(fen, "--stipulation", "s#5", "--nodes", "5000")
    assert code == 3
    assert "\nUndecided: no selfmate found so far.\n" in out
    assert "\nStopped by the node limit.\n" in out


def test_a_stipulation_applies_to_each_line_of_stdin(matesolve: Matesolve) -> None:
    lines = f"{STALEMATE}\n{SMOTHERED} dm 2;\n".replace(" 0 1 dm", " dm")
    code, out, _ = matesolve(
        "solve", "-", "--stipulation", "=1", "--jsonl", stdin=lines
    )
    records = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [record["mate"] for record in records] == [1, None]
    assert [record["claim"] for record in records] == [1, 1]


HELPMATE = "8/5K2/2r5/7p/5R2/6B1/8/7k"
"""h#2: 1.Rc1 Rf2 2.Rg1 Rh2#, without set play."""


def test_all_solutions_of_a_helpmate_are_printed(solve: Solve) -> None:
    code, out, err = solve(HELPMATE, "--stipulation", "h#2")
    assert (code, err) == (0, "")
    assert without_costs(out) == (
        "Black to move\n"
        "Helpmate in 2: 1 solution.\n"
        "Proved: there are no others.\n"
        "N nodes in T\n"
        "\n"
        "  1.Rc1 Rf2 2.Rg1 Rh2# (model)\n"
        "\n"
        "C+ matesolve 0.1.0 (T)\n"
    )
    popeye = solve(HELPMATE, "--stipulation", "h#2", "--notation", "popeye").out
    assert popeye.splitlines()[-1] == "  1.Rc6-c1 Rf4-f2   2.Rc1-g1 Rf2-h2 #"
    assert "\n  h#2                         3 + 3\n                 C+\n\n" in popeye
    uci = solve(HELPMATE, "--stipulation", "h#2", "--uci-moves").out
    assert "  1.c6c1 f4f2 2.c1g1 f2h2 (model)\n" in uci


def test_a_sound_problem_with_a_stipulation_is_marked_without_its_play_too(
    solve: Solve,
) -> None:
    out = without_costs(solve(BLOCK, "--stipulation", "#2").out)
    assert out.endswith("N nodes in T\n\nC+ matesolve 0.1.0 (T)\n")
    assert "C+" not in solve(BLOCK).out
    assert "C+" not in solve(BLOCK, "--stipulation", "#3").out


def test_help_play_that_the_other_side_begins_offers_the_usual_roles(
    solve: Solve,
) -> None:
    code, out, _ = solve(f"{HELPMATE} w - -", "--stipulation", "h#2")
    said = "White begins, so the roles are exchanged: White helps Black to mate."
    assert code == 1
    assert said in out.splitlines()
    (usual,) = re.findall("The usual roles need Black to move: (.*)", out)
    again = solve(*usual.split(), "--stipulation", "h#2").out
    assert "Helpmate in 2: 1 solution." in again
    assert "roles" not in again


def test_a_fen_without_a_side_to_move_begins_as_composers_expect(solve: Solve) -> None:
    for stipulation, side in (
        ("h#1", "Black"),
        ("h=1", "Black"),
        ("h#1.5", "White"),
        ("h=0.5", "White"),
        ("#1", "White"),
        ("s#1", "White"),
    ):
        out = solve(HELPMATE, "--stipulation", stipulation).out
        assert out.startswith(f"{side} to move\n")
    out = solve(f"{HELPMATE} w", "--stipulation", "h#1").out
    assert out.startswith("White to move\n")


@pytest.mark.parametrize(
    "record",
    [
        HELPMATE,
        f'{{"fen": "{HELPMATE}"}}',
        f"fen\n{HELPMATE}",
        f'{{"fen": "{HELPMATE}", "stipulation": "s#2"}}',
    ],
    ids=["FEN", "JSON lines", "CSV", "other stipulation"],
)
def test_a_record_without_a_side_to_move_begins_as_on_the_command_line(
    record: str, matesolve: Matesolve
) -> None:
    for stipulation, side in (("h#1", "b"), ("h#1.5", "w"), ("#1", "w")):
        words = ("solve", "-", "--jsonl", "--stipulation", stipulation)
        out = matesolve(*words, stdin=f"{record}\n").out
        assert json.loads(out)["fen"].split()[1] == side, stipulation
    words = ("solve", "-", "--jsonl", "--stipulation", "h#1")
    out = matesolve(*words, stdin=f"{HELPMATE} w\n").out
    assert json.loads(out)["fen"].split()[1] == "w"


def test_a_record_that_cannot_be_asked_costs_only_its_line(
    matesolve: Matesolve,
) -> None:
    in_check = "k7/8/8/8/8/8/8/K6r"  # Black begins h#1, and White is in check
    code, out, err = matesolve(
        *("solve", "-", "--stipulation", "h#1"), stdin=f"{in_check}\n{HELPMATE}\n"
    )
    assert code == 65
    assert err == (
        "error: stdin:1: expected the white king out of check (Black is to move), "
        "found it attacked from h1\n"
    )
    assert "No helpmate in 1." in out


def test_set_play_and_solutions_of_help_play_have_titles(solve: Solve) -> None:
    fen = "8/8/8/8/8/1K6/7R/k7 b - - 0 1"
    code, out, _ = solve(fen, "--stipulation", "h#1", "--set-play")
    assert code == 0
    assert play_of(out) == [
        "Set play",
        "  1...Rh1# (ideal)",
        "",
        "Solutions",
        "  1.Kb1 Rh1# (ideal)",
        "",
        "C+ matesolve 0.1.0 (T)",
    ]
    record = json.loads(solve(fen, "--stipulation", "h#1", "--set-play", "--jsonl").out)
    assert record["solutions"] == [["a1b1", "h2h1"]]
    assert record["solutions_complete"] is True
    assert record["play"] == {
        "stipulation": "h#1",
        "set_play": [["h2h1"]],
        "set_play_complete": True,
    }


def test_set_play_of_help_play_gets_the_nodes_that_are_left(
    solve: Solve, tmp_path: Path
) -> None:
    words = (HELPMATE, "--stipulation", "h#3", "--set-play")
    out = solve(*words, "--nodes", "200").out
    assert play_of(out)[:2] == ["Set play", "  There may be set play."]
    path = tmp_path / "a.pgn"
    out = solve(*words, "--max-solutions", "2", "--pgn", str(path)).out
    assert play_of(out)[:4] == [
        "Set play",
        "  1) 1...Ke7 2.Rc1 Rf2 3.Rg1 Rh2# (model)",
        "  2) 1...Kg7 2.Rc1 Rf2 3.Rg1 Rh2# (model)",
        "  There may be other set play.",
    ]
    assert "There may be other set play." in path.read_text()
    popeye = solve(*words, "--max-solutions", "2", "--notation", "popeye").out
    assert popeye.endswith("There may be other set play.\n")
    out = solve(*words, "--max-solutions", "2", "--jsonl").out
    assert json.loads(out)["play"]["set_play_complete"] is False


def test_solutions_in_fewer_moves_are_marked(solve: Solve) -> None:
    out = solve("8/8/8/8/8/1K6/7R/k7 b", "--stipulation", "h#2").out
    lines = play_of(out)
    assert lines[0].lstrip() == "1) 1.Kb1 Rh1# (ideal) (short)"
    assert sum("(short)" in line for line in lines) == 1
    assert "C+" not in out


def test_help_play_stops_after_as_many_solutions_as_asked(solve: Solve) -> None:
    code, out, _ = solve(HELPMATE, "--stipulation", "h#2.5", "--max-solutions", "3")
    assert code == 3
    assert out.splitlines()[1:4] == [
        "Helpmate in 2.5: 3 solutions found so far.",
        "There may be others.",
        "Stopped by the requested number of solutions.",
    ]
    assert len(play_of(out)) == 3


def test_help_play_without_a_solution_exits_with_1(solve: Solve) -> None:
    code, out, _ = solve(HELPMATE, "--stipulation", "h#1", "--variations")
    assert code == 1
    assert without_costs(out) == (
        "Black to move\nNo helpmate in 1.\nProved.\nN nodes in T\n"
    )


def test_twins_on_stdin_are_problems_of_their_own(matesolve: Matesolve) -> None:
    lines = (
        "BeginProblem\nTitle Two\n"
        f"Forsyth {HELPMATE}\nStipulation h#2\nTwin Move h5 h4\nEndProblem\n"
    )
    code, out, err = matesolve("solve", "-", stdin=lines)
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("Two")] == [
        "Two a): 8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1",
        "Two b): 8/5K2/2r5/8/5R1p/6B1/8/7k b - - 0 1",
    ]
    assert out.count("Helpmate in 2: 1 solution.\n") + out.count("solutions.\n") == 2


def test_help_play_is_written_as_games_and_a_page(tmp_path: Path, solve: Solve) -> None:
    pgn, page = tmp_path / "a.pgn", tmp_path / "a.html"
    words = ("--stipulation", "h#2", "--pgn", str(pgn), "--html", str(page))
    assert solve(HELPMATE, *words).code == 0
    game = chess.pgn.read_game(io.StringIO(pgn.read_text()))
    assert game is not None
    assert game.end().board().is_checkmate()
    assert ">1.Rc1</span>" in page.read_text(encoding="utf-8")


def test_a_selfmate_has_its_whole_play(solve: Solve) -> None:
    fen = "8/8/4BQ1Q/8/5b2/4R1p1/8/5k1K w - -"
    code, out, _ = solve(fen, "--stipulation", "s#2", "--variations")
    assert code == 0
    assert out.splitlines()[1:4] == [
        "White forces selfmate in 2.",
        "1. Qh7 Kf2 2. Qd3 g2#",
        "Only key: Qh7",
    ]
    assert play_of(out) == [
        "Key",
        "  1.Qh7! zugzwang",
        "    1...Kf2 2.Qd3 g2# (model)",
        "",
        "C+ matesolve 0.1.0 (T)",
    ]


def test_nothing_is_said_of_a_key_that_mates(matesolve: Matesolve) -> None:
    out = matesolve("solve", "8/8/8/8/8/1K6/2Q5/k7 w - -", "--variations").out
    assert "  1.Qb2#!\n" in out
    assert "check" not in out
