from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

from solver import __version__
from tests.cli.conftest import COMMAND
from tests.cli.processes import ENVIRONMENT, on_a_terminal, visible
from tests.processes import PATIENCE_S, started
from tests.processes import run as run_process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Matesolve

SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
"""Mate in 2: each side has one move that lasts."""

BARE = "8/8/8/8/8/5K2/R7/7k w - - 0 1"
FAR = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8: long enough that several threads take part."""

MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
LONG = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
"""Takes longer than any test waits."""

OPENING = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w - - 0 1"
"""No mate is known."""

ANSWER = """\
White to move
White mates in 2.
1. Qg8+ Rxg8 2. Nf7#
Only key: Qg8+
Proved: mate in 2 is forced, and none is shorter.
N nodes in T
"""

BOARD = """\
. . . . . r . k
. . . . . . p p
. . . . . . . N
. . . . . . . .
. . Q . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . K .

"""


@pytest.fixture(autouse=True, scope="module")
def _compiled(matesolve: Matesolve) -> None:
    """Compile before the tests, so that none of them gets the notice."""
    matesolve("solve", SMOTHERED)


def without_costs(text: str) -> str:
    text = re.sub(r"[\d,]+ nodes? in [\d.]+ m?s", "N nodes in T", text)
    return re.sub(r'"nodes":\d+,"time_s":[\d.e-]+', '"nodes":0,"time_s":0', text)


def record(**fields: Any) -> dict[str, Any]:
    """A record of `SMOTHERED` as expected, with the given fields replaced."""
    expected: dict[str, Any] = {
        "schema": 1,
        "id": "",
        "fen": SMOTHERED,
        "claim": None,
        "status": "proved",
        "mate": 2,
        "lower_bound": 2,
        "keys": [{"uci": "c4g8", "san": "Qg8+"}],
        "keys_complete": True,
        "pv": ["c4g8", "f8g8", "h6f7"],
        "nodes": 0,
        "time_s": 0,
        "stopped_by": None,
        "solver": __version__,
    }
    return {**expected, **fields}


@pytest.mark.parametrize(
    "arguments",
    [
        [SMOTHERED],
        SMOTHERED.split(),
        SMOTHERED.split()[:1],
        SMOTHERED.split()[:2],
        SMOTHERED.split()[:4],
        ["-n", "2", *SMOTHERED.split(), "--time", "60"],
        [*SMOTHERED.split()[:3], "--san", *SMOTHERED.split()[3:]],
        ["--", *SMOTHERED.split()],
    ],
)
def test_a_position_is_read_with_and_without_quotes(
    arguments: list[str], matesolve: Matesolve
) -> None:
    code, out, err = matesolve("solve", *arguments)

    assert (code, without_costs(out), err) == (0, ANSWER, "")


@pytest.mark.parametrize(
    ("words", "code", "answer"),
    [
        (["-n", "1", SMOTHERED], 1, "No mate in 1 move."),
        ([MATED], 0, "Black is checkmated."),
        ([STALEMATED], 1, "Black is stalemated."),
    ],
)
def test_the_exit_code_is_that_of_the_answer(
    words: list[str], code: int, answer: str, matesolve: Matesolve
) -> None:
    ended = matesolve("solve", *words)

    assert (ended.code, ended.err) == (code, "")
    assert ended.out.splitlines()[1].startswith(answer)


def test_a_board_is_drawn_in_letters(matesolve: Matesolve) -> None:
    out = matesolve("solve", SMOTHERED, "--board").out

    assert without_costs(out) == BOARD + ANSWER


def test_moves_are_printed_in_uci_notation_on_request(matesolve: Matesolve) -> None:
    out = matesolve("solve", "--uci-moves", SMOTHERED).out

    assert "\nc4g8 f8g8 h6f7\nOnly key: c4g8\n" in out


def test_a_record_is_printed_in_one_line(matesolve: Matesolve) -> None:
    code, out, err = matesolve("solve", SMOTHERED, "--jsonl")

    expected = json.dumps(record(), separators=(",", ":"))
    assert (code, without_costs(out), err) == (0, expected + "\n", "")


def test_a_record_is_printed_with_indents(matesolve: Matesolve) -> None:
    code, out, err = matesolve("solve", SMOTHERED, "--json")

    assert (code, err) == (0, "")
    assert out.startswith('{\n  "schema": 1,\n  "id": "",\n')
    assert record(**{k: json.loads(out)[k] for k in ("nodes", "time_s")}) == json.loads(
        out
    )


def test_first_prints_a_single_key(matesolve: Matesolve) -> None:
    code, out, _ = matesolve("solve", "8/8/8/8/8/5K2/R7/6k1", "--first", "--jsonl")

    answer = json.loads(out)
    assert (code, answer["mate"], len(answer["keys"])) == (0, 3, 1)
    assert answer["pv"][0] == answer["keys"][0]["uci"]


@pytest.mark.parametrize(
    ("limit", "value", "stopped"),
    [("--time", "0.3", "time"), ("--nodes", "5000", "node")],
)
def test_a_limit_leaves_the_answer_undecided(
    limit: str, value: str, stopped: str, matesolve: Matesolve
) -> None:
    code, out, err = matesolve("solve", OPENING, limit, value)

    assert (code, err) == (3, "")
    assert out.startswith("White to move\nUndecided: no mate found so far.\nProved: ")
    assert f"\nStopped by the {stopped} limit.\n" in out


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "nonsense",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "7k/8/8/8/8/8/8/K7 w HAha - 0 1",
        "https://lichess.org/analysis/chess960/7k/8/8/8/8/8/8/K7_w_-_-_0_1",
        "7k/8/8/8/8/8/8/K7 w - - 0 1 9 9 9",
        "7k/8/8/8/8/8/8/Kж6 w - - 0 1",
        "\x1b[31m",
        "7" * 100_000,
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_invalid_position_is_one_line_and_exits_with_65(
    fen: str, form: tuple[str, ...], matesolve: Matesolve
) -> None:
    code, out, err = matesolve("solve", fen, *form)

    assert (code, out) == (65, "")
    assert re.fullmatch(r"error: [ -~]{1,300}\n", err)


QUEEN = "7k/8/5K2/8/8/8/8/6Q1"


@pytest.mark.parametrize(
    "text",
    [
        f"https://lichess.org/analysis/standard/{QUEEN}_w_-_-_0_1",
        f"https://lichess.org/editor/{QUEEN}_w_-_-_0_1?color=white",
        f"lichess.org/analysis/fromPosition/{QUEEN}_w_-_-",
        f"https://www.chess.com/analysis?fen={QUEEN.replace('/', '%2F')}%20w%20-%20-",
        f'"{QUEEN} w - - 0 1"',
        f"{QUEEN}_w_-_-_0_1",
        f"{QUEEN} w - - 0 1;",
    ],
)
def test_what_other_programs_print_is_the_same_position(
    text: str, matesolve: Matesolve
) -> None:
    plain = matesolve("solve", QUEEN, "w", "-", "-", "--json")
    assert json.loads(plain.out)["mate"] == 1
    for answer in (
        matesolve("solve", text, "--json"),
        matesolve("solve", "-", "--jsonl", stdin=f"{text}\n"),
    ):
        assert (answer.code, answer.err) == (0, "")
        record = json.loads(answer.out)
        assert record["fen"] == f"{QUEEN} w - - 0 1"
        assert record["keys"] == json.loads(plain.out)["keys"]


def test_what_is_mended_is_printed_and_the_answer_is_about_the_rest(
    matesolve: Matesolve,
) -> None:
    fault = "castling right K: expected a white king on e1 and a white rook on h1"
    ended = matesolve("solve", QUEEN, "w", "K", "-", "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["fen"] == f"{QUEEN} w - - 0 1"
    assert ended.err.startswith(f"warning: {fault}")
    assert ended.err.count("\n") == 1
    ended = matesolve("solve", "-", "--jsonl", stdin=f"{QUEEN} w K - dm 1; pv K;\n")
    assert ended.code == 0
    assert json.loads(ended.out)["fen"] == f"{QUEEN} w - - 0 1"
    first, second = ended.err.splitlines()
    assert first.startswith(f"warning: stdin:1: {fault}")
    assert second == (
        "warning: stdin:1: pv: expected a move in SAN or UCI, found 'K'; kept mate in 1"
    )


def test_help_play_begins_by_convention_in_a_fen_in_quotes(
    matesolve: Matesolve,
) -> None:
    words = ["--stipulation", "h#1", "--json"]
    ended = matesolve("solve", '"8/8/8/8/8/5k2/8/K6R"', *words)
    assert json.loads(ended.out)["fen"] == "8/8/8/8/8/5k2/8/K6R b - - 0 1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'FEN...'."),
        (["-n", "0", BARE], "expected a whole number from 1 to 200, found '0'"),
        (["-n", "201", BARE], "expected a whole number from 1 to 200, found '201'"),
        (["-n", "two", BARE], "expected a whole number from 1 to 200, found 'two'"),
        (["--time", "0", BARE], "expected a positive number of seconds, found '0'"),
        (["--time", "nan", BARE], "expected a positive number of seconds, found 'nan'"),
        (["--time", "inf", BARE], "expected a positive number of seconds, found 'inf'"),
        (["--nodes", "1e6", BARE], f"from 1 to {2**63 - 1:,}, found '1e6'"),
        (["--hash", "0", BARE], "from 1 to 1,048,576, found '0'"),
        (["--json", "--jsonl", BARE], "--json and --jsonl cannot be combined."),
        (["--json", "--board", BARE], "needs text output, not --json or --jsonl."),
        (["--jsonl", "--board", BARE], "needs text output, not --json or --jsonl."),
        (["--plies", "3", BARE], "No such option"),
    ],
)
def test_an_invalid_option_is_a_usage_error(
    arguments: list[str], message: str, matesolve: Matesolve
) -> None:
    code, out, err = matesolve("solve", *arguments)

    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("Usage: matesolve solve [OPTIONS] FEN...\n")


def test_each_line_of_stdin_is_answered_in_text(matesolve: Matesolve) -> None:
    lines = f'{SMOTHERED}\n\n# a comment\n{" ".join(SMOTHERED.split()[:4])} id "B";\n'

    code, out, err = matesolve("solve", "-", stdin=lines)

    assert (code, err) == (0, "")
    assert without_costs(out) == (
        f"stdin:1: {SMOTHERED}\n{ANSWER}\nB: {SMOTHERED}\n{ANSWER}\n"
    )


def test_each_line_of_stdin_is_answered_by_a_record(matesolve: Matesolve) -> None:
    lines = f'{" ".join(SMOTHERED.split()[:4])} dm 2; id "B";\n{SMOTHERED}'

    code, out, err = matesolve("solve", "-", "--jsonl", stdin=lines)

    records = [json.loads(line) for line in without_costs(out).splitlines()]
    assert (code, err) == (0, "")
    assert records == [record(id="B", claim=2), record(id="stdin:2")]


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_a_line_of_stdin_may_have_any_line_end(end: str, matesolve: Matesolve) -> None:
    lines = f"# a comment\n{SMOTHERED}\nnonsense\n{SMOTHERED}\n".replace("\n", end)

    code, out, err = matesolve("solve", "-", stdin=lines)

    assert code == 65
    assert without_costs(out) == (
        f"stdin:2: {SMOTHERED}\n{ANSWER}\nstdin:4: {SMOTHERED}\n{ANSWER}\n"
    )
    assert err.startswith("error: stdin:3: ")


def test_an_invalid_line_does_not_affect_the_others(matesolve: Matesolve) -> None:
    lines = f"nonsense\n{SMOTHERED}\n"

    code, out, err = matesolve("solve", "-", stdin=lines)

    assert code == 65
    assert without_costs(out) == f"stdin:2: {SMOTHERED}\n{ANSWER}\n"
    assert re.fullmatch(r"error: stdin:1: [ -~]+\n", err)


def test_an_invalid_line_has_a_record_in_its_place(matesolve: Matesolve) -> None:
    lines = f"nonsense\n{SMOTHERED}\n"

    code, out, err = matesolve("solve", "-", "--jsonl", stdin=lines)

    unreadable, answered = map(json.loads, out.splitlines())
    assert (code, err) == (65, "")
    assert (unreadable["id"], unreadable["status"]) == ("stdin:1", None)
    assert unreadable["error"].startswith("board: expected ")
    assert answered["status"] == "proved"


@pytest.mark.parametrize(
    ("lines", "highest"),
    [
        ("", 65),
        (f"{SMOTHERED}\n", 0),
        (f"{STALEMATED}\n{SMOTHERED}\n", 1),
        (f"{LONG}\n{STALEMATED}\n{SMOTHERED}\n", 3),
        (f"{LONG}\nnonsense\n{STALEMATED}\n", 65),
    ],
)
def test_the_exit_code_is_the_highest_of_the_lines(
    lines: str, highest: int, matesolve: Matesolve
) -> None:
    assert matesolve("solve", "-", "--nodes", "5000", stdin=lines).code == highest


def test_standard_input_without_a_position_is_an_error(matesolve: Matesolve) -> None:
    ended = matesolve("solve", "-", stdin="\n")
    assert ended == (65, "", "error: stdin: expected a position, found none\n")


def test_a_file_instead_of_a_position_suggests_verify(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    path = tmp_path / "mates in 2.epd"
    path.write_text(f"{SMOTHERED} bm #1;\n")
    ended = matesolve("solve", str(path))
    expected = f"expected a FEN, found a file: try matesolve verify '{path}'"
    assert ended == (65, "", f"error: {expected}\n")


def test_a_missing_file_instead_of_a_position_is_named(matesolve: Matesolve) -> None:
    ended = matesolve("solve", "problems.epd")
    expected = "expected a FEN, found 'problems.epd', and there is no such file"
    assert ended == (65, "", f"error: {expected}\n")


@pytest.fixture
def stream(
    environment: dict[str, str], pytestconfig: pytest.Config
) -> Iterator[subprocess.Popen[bytes]]:
    """`solve -` with its three streams as pipes."""
    with started(
        [*COMMAND, "solve", "-", "--jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=False,
        cwd=pytestconfig.rootpath,
        env=environment,
    ) as process:
        yield process


def send(process: subprocess.Popen[bytes], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n".encode())
    process.stdin.flush()


def receive(stream: IO[bytes] | None) -> dict[str, Any]:
    assert stream is not None
    ready, _, _ = select.select([stream], [], [], PATIENCE_S)
    assert ready, "no answer came"
    answer: dict[str, Any] = json.loads(stream.readline())
    return answer


posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and pipes")


@posix
def test_a_line_is_answered_before_the_next_is_sent(
    stream: subprocess.Popen[bytes],
) -> None:
    for number in (1, 2):
        send(stream, SMOTHERED)
        assert receive(stream.stdout)["id"] == f"stdin:{number}"


@posix
def test_an_interrupt_between_searches_ends_the_command(
    stream: subprocess.Popen[bytes],
) -> None:
    send(stream, SMOTHERED)
    receive(stream.stdout)
    send(stream, "hello")  # its error is printed when no search runs
    receive(stream.stdout)

    stream.send_signal(signal.SIGINT)

    assert stream.wait() == 130
    assert stream.stderr is not None
    assert stream.stderr.read() == b"interrupted\n"


@posix
def test_a_closed_pipe_ends_the_command_silently(
    stream: subprocess.Popen[bytes],
) -> None:
    send(stream, SMOTHERED)
    receive(stream.stdout)
    assert stream.stdout is not None
    stream.stdout.close()

    send(stream, SMOTHERED)

    assert stream.wait() == 74
    assert stream.stderr is not None
    assert stream.stderr.read() == b""


@pytest.fixture
def terminal(environment: dict[str, str]) -> dict[str, str]:
    return {**environment, "TERM": "xterm-256color", "COLUMNS": "80"}


@posix
def test_a_narrow_terminal_breaks_lines_between_moves(
    terminal: dict[str, str], pytestconfig: pytest.Config
) -> None:
    _, shown = on_a_terminal(
        SMOTHERED,
        "--board",
        env={**terminal, "COLUMNS": "40"},
        root=pytestconfig.rootpath,
    )

    lines = visible(shown).splitlines()
    assert max(map(len, lines)) <= 40
    assert "Proved: mate in 2 is forced, and none is" in lines
    assert "  shorter." in lines


def test_lines_in_a_pipe_are_not_wrapped(matesolve: Matesolve) -> None:
    out = matesolve("solve", SMOTHERED, env={"COLUMNS": "20"}).out

    assert without_costs(out) == ANSWER


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--checks-only"], "checks only"),
        (["--replies", "1"], "at most 1 reply"),
        (["--king-flights", "0", "--threat", "2"], "at most 0 king flights, threats"),
    ],
)
def test_an_answer_names_the_restriction(
    options: list[str], words: str, matesolve: Matesolve
) -> None:
    code, out, err = matesolve("solve", SMOTHERED, *options)

    assert (code, err) == (0, "")
    assert f"Restricted: {words}" in out
    assert "mate in 2 is forced, and none is shorter under this restriction." in out


def test_a_record_has_its_restriction(matesolve: Matesolve) -> None:
    record = json.loads(matesolve("solve", SMOTHERED, "--checks-only", "--jsonl").out)

    assert record["restriction"] == {
        "checks_only": True,
        "king_flights": None,
        "replies": None,
        "threat": None,
    }
    assert "restriction" not in json.loads(matesolve("solve", SMOTHERED, "--jsonl").out)


@pytest.mark.parametrize(
    "option", [["--king-flights", "9"], ["--replies", "x"], ["--threat", "0"]]
)
def test_a_restriction_out_of_range_is_a_usage_error(
    option: list[str], matesolve: Matesolve
) -> None:
    code, out, err = matesolve("solve", SMOTHERED, *option)

    assert (code, out) == (2, "")
    assert option[0] in err


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_threads_do_not_change_the_answer(threads: str, matesolve: Matesolve) -> None:
    record = json.loads(matesolve("solve", FAR, "--threads", threads, "--jsonl").out)

    assert (record["status"], record["mate"], record["lower_bound"]) == ("proved", 8, 8)
    assert [key["san"] for key in record["keys"]] == ["Kg6"]


@pytest.mark.parametrize(
    ("arguments", "most"),
    [([], 17), (["solve", SMOTHERED, "--set-play", "--tries", "2"], 27)],
    ids=["answer", "play"],
)
def test_one_fen_runs_code_in_few_files(arguments: list[str], most: int) -> None:
    words = [sys.executable, "-m", "benchmarks.trace", *arguments]
    listed = run_process(words, cwd=Path(__file__).parents[2], env=ENVIRONMENT).stdout
    *files, count = re.findall(r"^(?:[\w/]+\.py|[0-9]+ files)$", listed, re.MULTILINE)
    assert count == f"{len(files)} files"
    assert len(files) <= most
    expected = {"solving.py", "search/queries.py", "kernel/border/interface.py"}
    assert expected <= {*files}
