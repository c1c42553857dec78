"""`matesolve solve`: what it reads, its answers, and tablebases beside the search."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import __version__
from tests.cli.conftest import Ended, rows
from tests.cli.processes import process
from tests.endgames.gaviota import write_table
from tests.oracles.endgames import solve_endgame

if TYPE_CHECKING:
    from tests.cli.conftest import Cli


SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
"""Mate in 2: each side has one move that lasts."""

FAR = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8: long enough that several threads take part."""

MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
LONG = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
"""Takes longer than any test waits."""

OPENING = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w - - 0 1"
"""No mate is known."""

QUEEN = "7k/8/5K2/8/8/8/8/6Q1"

ANSWER = """\
White to move
White mates in 2.
1. Qg8+ Rxg8 2. Nf7#
Only key: Qg8+
Proved: mate in 2 is forced, and none is shorter.
N nodes in T
"""


@pytest.fixture
def solve(cli: Cli) -> Cli:
    """Return the command; its output is without nodes and times."""

    def call(words: str, *arguments: str, **settings: Any) -> Ended:
        code, out, err = cli(f"solve {words}", *arguments, **settings)
        out = re.sub(r"[\d,]+ nodes? in [\d.]+ m?s", "N nodes in T", out)
        costs = r'"nodes": ?\d+,(\s*)"time_s": ?[\d.e-]+'
        return Ended(code, re.sub(costs, r'"nodes":0,\1"time_s":0', out), err)

    return call


def record(**fields: Any) -> dict[str, Any]:
    """A record of `SMOTHERED` as expected, with the given fields replaced."""
    expected: dict[str, Any] = {
        "schema": 1, "id": "", "fen": SMOTHERED, "claim": None, "status": "proved",
        "mate": 2, "lower_bound": 2, "keys": [{"uci": "c4g8", "san": "Qg8+"}],
        "keys_complete": True, "pv": ["c4g8", "f8g8", "h6f7"], "nodes": 0, "time_s": 0,
        "stopped_by": None, "solver": __version__,
    }  # fmt: skip
    return {**expected, **fields}


# --- what is read


def test_a_position_is_read_with_and_without_quotes(solve: Cli) -> None:
    for words in (
        f"'{SMOTHERED}'",
        SMOTHERED.partition(" ")[0],
        f"-n 2 {SMOTHERED} --time 60",
        SMOTHERED.replace(" w - ", " w - --san "),
        f"-- {SMOTHERED}",
    ):
        assert solve(words) == (0, ANSWER, ""), words


def test_an_invalid_position_is_one_line_and_exits_with_65(solve: Cli) -> None:
    for fen in (
        "",
        "https://lichess.org/analysis/chess960/7k/8/8/8/8/8/8/K7_w_-_-_0_1",
        "7k/8/8/8/8/8/8/Kж6 w - - 0 1 9 9 9",
        "\x1b[31m",
        "7" * 100_000,
    ):
        for form in ("", "--json"):
            code, out, err = solve(form, fen)
            assert (code, out) == (65, "")
            assert re.fullmatch(r"error: [ -~]{1,300}\n", err)


def test_what_other_programs_print_is_the_same_position(solve: Cli) -> None:
    for text in (
        f"https://lichess.org/analysis/standard/{QUEEN}_w_-_-_0_1",
        f"https://www.chess.com/analysis?fen={QUEEN.replace('/', '%2F')}%20w%20-%20-",
        f'"{QUEEN} w - - 0 1"',
    ):
        for ended in (solve("--json", text), solve("- --jsonl", stdin=f"{text}\n")):
            answer = json.loads(ended.out)
            assert (ended.code, ended.err, answer["mate"]) == (0, "", 1)
            assert answer["fen"] == f"{QUEEN} w - - 0 1"


def test_what_is_corrected_is_printed_and_the_answer_is_about_the_rest(
    solve: Cli,
) -> None:
    fault = "castling right K: expected a white king on e1 and a white rook on h1"
    alone = solve(f"{QUEEN} w K - --json")
    (warning,) = alone.err.splitlines()
    assert warning.startswith(f"warning: {fault}")
    line = solve("- --jsonl", stdin=f"{QUEEN} w K - dm 1; pv K;\n")
    first, second = line.err.splitlines()
    assert first.startswith(f"warning: stdin:1: {fault}")
    assert second == (
        "warning: stdin:1: pv: expected a move in SAN or UCI, found 'K'; kept mate in 1"
    )
    for ended in (alone, line):
        assert (ended.code, json.loads(ended.out)["fen"]) == (0, f"{QUEEN} w - - 0 1")
    fen = '"8/8/8/8/8/5k2/8/K6R"'
    ended = solve("--stipulation h#1 --json", fen)
    assert json.loads(ended.out)["fen"] == "8/8/8/8/8/5k2/8/K6R b - - 0 1"


def test_a_file_instead_of_a_position_suggests_verify(solve: Cli) -> None:
    Path("mates in 2.epd").write_text(f"{SMOTHERED} bm #1;\n")
    expected = "expected a FEN, found a file: try matesolve verify 'mates in 2.epd'"
    assert solve("'mates in 2.epd'") == (65, "", f"error: {expected}\n")
    expected = "expected a FEN, found 'problems.epd', and there is no such file"
    assert solve("problems.epd") == (65, "", f"error: {expected}\n")


def test_an_invalid_option_is_a_usage_error(solve: Cli) -> None:
    for words, message in rows(f"""
                   | Missing argument 'FEN...'.
-n 201 {FAR}       | expected a whole number from 1 to 200, found '201'
--time nan {FAR}   | expected a positive number of seconds, found 'nan'
--nodes 1e6 {FAR}  | from 1 to {2**63 - 1:,}, found '1e6'
--hash 0 {FAR}     | from 1 to 1,048,576, found '0'
--json --jsonl {FAR}     | --json and --jsonl cannot be combined.
--json --board {FAR}     | needs text output, not --json or --jsonl.
--plies 3 {FAR}          | No such option
--king-flights 9 {FAR}   | --king-flights
--replies x {FAR}        | --replies
"""):
        code, out, err = solve(words)
        assert (code, out) == (2, "")
        assert message in err.splitlines()[-1]
        assert err.startswith("Usage: matesolve solve [OPTIONS] FEN...\n")


# --- answers


def test_the_exit_code_is_that_of_the_answer(solve: Cli) -> None:
    for words, code, answer in (
        (f"{SMOTHERED} -n 1", 1, "No mate in 1 move."),
        (MATED, 0, "Black is checkmated."),
        (STALEMATED, 1, "Black is stalemated."),
    ):
        ended = solve(words)
        assert (ended.code, ended.err) == (code, "")
        assert ended.out.splitlines()[1].startswith(answer)


def test_the_board_and_the_moves_have_other_forms(solve: Cli) -> None:
    board = chess.Board(SMOTHERED)
    assert solve("--board", SMOTHERED).out == f"{board}\n\n{ANSWER}"
    assert "\nc4g8 f8g8 h6f7\nOnly key: c4g8\n" in solve("--uci-moves", SMOTHERED).out
    # Lines in a pipe are not wrapped.
    assert solve("", SMOTHERED, env={"COLUMNS": "20"}).out == ANSWER


def test_a_record_is_printed_in_one_line_or_with_indents(solve: Cli) -> None:
    expected = json.dumps(record(), separators=(",", ":"))
    assert solve("--jsonl", SMOTHERED) == (0, f"{expected}\n", "")
    code, out, err = solve("--json", SMOTHERED)
    assert (code, err) == (0, "")
    assert out.startswith('{\n  "schema": 1,\n  "id": "",\n')
    assert json.loads(out) == record()


def test_a_limit_leaves_the_answer_undecided(solve: Cli) -> None:
    for limit, stopped in (("--time 0.3", "time"), ("--nodes 5000", "node")):
        code, out, err = solve(limit, OPENING)
        assert (code, err) == (3, "")
        answer = "White to move\nUndecided: no mate found so far.\nProved: "
        assert out.startswith(answer)
        assert f"\nStopped by the {stopped} limit.\n" in out


def test_an_answer_names_the_restriction(solve: Cli) -> None:
    for options, words in (
        ("--checks-only", "checks only"),
        ("--replies 1", "at most 1 reply"),
        ("--king-flights 0 --threat 2", "at most 0 king flights, threats"),
    ):
        code, out, err = solve(options, SMOTHERED)
        assert (code, err) == (0, "")
        assert f"Restricted: {words}" in out
        assert "forced, and none is shorter under this restriction." in out
    answer = json.loads(solve("--checks-only --jsonl", SMOTHERED).out)
    others = {"king_flights": None, "replies": None, "threat": None}
    assert answer == record(restriction={"checks_only": True, **others})


# --- lines of standard input


def test_each_line_of_stdin_is_answered_in_text(solve: Cli) -> None:
    for end in ("\n", "\r", "\r\n"):
        named = SMOTHERED.replace("0 1", 'id "B";')
        lines = f"{SMOTHERED}\n\n# a comment\nnonsense\n{named}\n".replace("\n", end)
        code, out, err = solve("-", stdin=lines)
        assert code == 65
        assert out == f"stdin:1: {SMOTHERED}\n{ANSWER}\nB: {SMOTHERED}\n{ANSWER}\n"
        assert re.fullmatch(r"error: stdin:4: [ -~]+\n", err)


def test_each_line_of_stdin_is_answered_by_a_record(solve: Cli) -> None:
    lines = f'{SMOTHERED[:-4]} dm 2; id "B";\nnonsense\n{SMOTHERED}'
    code, out, err = solve("- --jsonl", stdin=lines)
    first, unreadable, last = (json.loads(line) for line in out.splitlines())
    assert (code, err) == (65, "")
    assert [first, last] == [record(id="B", claim=2), record(id="stdin:3")]
    assert (unreadable["id"], unreadable["status"]) == ("stdin:2", None)
    assert unreadable["error"].startswith("board: expected ")


def test_the_exit_code_is_the_highest_of_the_lines(solve: Cli) -> None:
    for lines, highest in (
        (f"{STALEMATED}\n{SMOTHERED}\n", 1),
        (f"{LONG}\n{STALEMATED}\n{SMOTHERED}\n", 3),
        (f"{LONG}\nnonsense\n{STALEMATED}\n", 65),
    ):
        assert solve("- --nodes 5000", stdin=lines).code == highest
    error = "error: stdin: expected a position, found none\n"
    assert solve("-", stdin="\n") == (65, "", error)


def test_a_terminal_gets_colours_and_lines_of_its_width() -> None:
    pty = pytest.importorskip("pty", reason="terminals are drawn on POSIX only")
    watching, terminal = pty.openpty()
    shown_by = {"TERM": "xterm-256color", "COLUMNS": "24"}
    with process("solve", SMOTHERED, stdout=terminal, **shown_by) as running:
        assert running.communicate()[1] == ""
    shown = os.read(watching, 65_536).decode()
    os.close(watching)
    os.close(terminal)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(map(len, plain)) <= 24
    assert " ".join(plain[:3]) == "White to move White mates in 2. 1. Qg8+ Rxg8 2. Nf7#"
    assert "\x1b[1" in shown


# --- tablebases beside the search

LONGEST = "8/8/R7/1k6/8/8/8/7K w - - 0 1"
MOVES = 16
SHORT = "8/8/8/8/8/5K2/R7/6k1 w - - 0 1"
"""A mate in 3."""

FEW_NODES = ("--nodes", "1000")
"""Too few nodes to prove anything about 15 moves."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory with the Gaviota table KRvK."""
    directory = tmp_path_factory.mktemp("gaviota")
    write_table(solve_endgame(chess.ROOK), directory)
    return str(directory)


def test_a_mate_beyond_the_search_is_found(tables: str, matesolve: Cli) -> None:
    words = ("--tablebases", tables, *FEW_NODES, "--jsonl")
    code, out, err = matesolve("solve", LONGEST, *words)
    record = json.loads(out)
    board = chess.Board(LONGEST)
    for move in record["pv"]:
        board.push_uci(move)
    assert (code, err) == (3, "")
    assert (record["status"], record["mate"]) == ("found", MOVES)
    assert (record["tablebase"], record["keys_complete"]) == ("gaviota", True)
    assert 1 <= record["lower_bound"] < MOVES
    assert len(record["pv"]) == 2 * MOVES - 1
    assert board.is_checkmate()


PROVED = (0, "proved", 3, None)
DISPROVED = (1, "disproved", None, None)
DENIED = (3, "undecided", None, "gaviota")
SHORTER = ("-n", str(MOVES - 1), *FEW_NODES)


def test_the_search_proves_and_a_tablebase_only_denies(
    tables: str, matesolve: Cli
) -> None:
    for fen, options, expected in (
        (SHORT, (), PROVED),  # a proof needs no tablebase
        # A mate with all moves is none under a restriction, but no mate is none.
        (SHORT, ("--checks-only",), DISPROVED),
        (LONGEST, (*SHORTER, "--king-flights", "6"), DENIED),
        (LONGEST, SHORTER, DENIED),  # denied, not disproved
    ):
        words = ("--tablebases", tables, "--jsonl")
        code, out, err = matesolve("solve", fen, *options, *words)
        record = json.loads(out)
        found = [record.get(name) for name in ("status", "mate", "tablebase")]
        assert ((code, *found), err) == (expected, "")


def test_an_audit_probes_tablebases_too(tables: str, matesolve: Cli) -> None:
    for claim, verdict in (
        (MOVES, "holds"),
        (MOVES + 1, "shorter"),
        (MOVES - 1, "undecided"),
    ):
        words = ("--tablebases", tables, *FEW_NODES, "--jsonl")
        line = f"{LONGEST.removesuffix(' 0 1')} dm {claim};\n"
        _, out, err = matesolve("verify", "-", *words, stdin=line)
        record = json.loads(out)
        assert (record["verdict"], record["tablebase"], err) == (verdict, "gaviota", "")


def test_what_is_missing_or_no_tablebase_is_one_line(cli: Cli) -> None:
    Path("empty").mkdir()
    Path("damaged").mkdir()
    Path("damaged", "krk.gtb.cp4").write_bytes(b"no table")
    for name, code, words in (
        ("missing", 74, ": "),
        ("empty", 65, ": expected tables, "),
        ("damaged", 65, r"/krk\.gtb\.cp4: expected a whole table, "),
    ):
        for command in ("solve", "verify"):
            ended = cli(f"{command} - --tablebases {name}", stdin=LONGEST)
            assert (ended.code, ended.out) == (code, "")
            assert re.fullmatch(rf"error: \S*{name}{words}[ -~]+\n", ended.err)
