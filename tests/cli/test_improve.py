"""`matesolve improve`: the same file, with what is better; whole or not at all."""

from __future__ import annotations

import gzip
import os
import signal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from tests.cli.conftest import names
from tests.cli.processes import process

if TYPE_CHECKING:
    from tests.cli.conftest import Cli


BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
ROOK = "8/7K/8/8/8/8/R7/7k w - -"
MATED = "7k/8/6K1/8/8/8/8/R7 b - -"
LONG = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -"

BEFORE = f"""\
# A collection; bm #9;

{BACK_RANK} bm #3; PV: a1d1 g8h8 d1d8; note  one;
{BACK_RANK} bm #1
{BACK_RANK} bm #1; PV: a1a9;  x y ;;
{BACK_RANK} bm #1; PV: a1a8; complete; \t
{MATED} bm #1; sign;
{ROOK} bm #3; disproved;
R6k/8/6K1/8/8/8/8/8 b - - bm #-1;
hello bm #1;
{BACK_RANK} bm Ra8; dm 1;
{BACK_RANK}
{MATED} dm -1; pv Kg8 Ra7;
"""

AFTER = f"""\
# A collection; bm #9;

{BACK_RANK} bm #1; PV: a1a8; note  one;
{BACK_RANK} bm #1; PV: a1a8;
{BACK_RANK} bm #1; PV: a1a8;  x y ;;
{BACK_RANK} bm #1; PV: a1a8; complete; \t
{MATED} bm #-1; PV: h8g8 a1a8; sign;
{ROOK} bm #3; disproved;
R6k/8/6K1/8/8/8/8/8 b - - bm #-1;
hello bm #1;
{BACK_RANK} bm Ra8; dm 1; pv Ra8#;
{BACK_RANK}
{MATED} dm -1; pv Kg8 Ra8#;
"""

OUT = """\
x.epd:3: mate in 3 is now mate in 1 (proved shortest): 1. Ra8#
x.epd:4: mate in 1, line added: 1. Ra8#
x.epd:5: mate in 1, line replaced (pv: expected a move in SAN or UCI, found 'a1a9'): \
1. Ra8#
x.epd:11: mate in 1, line added: 1. Ra8#
x.epd:13: mated in 1, line replaced (pv: expected mate at the end, found none): \
1... Kg8 2. Ra8#
x.epd:7: mate in 1 is now mated in 1 (proved shortest): 1... Kg8 2. Ra8#
x.epd:8: mate in 3, kept, but disproved: no mate in 3
x.epd:9: mated in 1, kept, but disproved: checkmate on the board
"""

ERR = """\
error: x.epd:10: board: expected 8 ranks with / between them, found 1 in 'hello'
1 shorter mates, 1 sides corrected, 4 lines completed, 1 unchanged, 2 disproved, \
0 undecided, 1 unreadable; 1 without a mate to search
"""

X, Y = Path("x.epd"), Path("y.epd")


@pytest.fixture
def improve(matesolve: Cli) -> Cli:
    """Run the command on `X`; it writes `Y`."""
    X.write_text(BEFORE)
    return partial(matesolve, "improve", "x.epd", "-o", "y.epd")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_only_what_is_better_changes(improve: Cli, jobs: str) -> None:
    words = ("--jobs", jobs, "--store", "run.db")
    assert improve(*words) == (65, OUT, ERR)
    assert Y.read_bytes() == AFTER.encode()
    assert X.read_bytes() == BEFORE.encode()
    assert names() == ["run.db", "x.epd", "y.epd"]
    # With one node a search finds nothing, so these answers come from the store.
    assert improve(*words, "--nodes", "1") == (65, OUT, ERR)
    assert Y.read_text() == AFTER
    X.write_text(AFTER)
    assert "\n0 shorter mates, 0 sides corrected, 0 lines" in improve()[2]
    assert Y.read_text() == AFTER


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_other_bytes_are_kept(improve: Cli, end: str) -> None:
    row = f"{BACK_RANK} bm #2; c0 ".encode() + b"M\xfcller\xff\xfe;\n\n\xff\x00\n"
    before = b"\xef\xbb\xbf" + BEFORE.encode() + row
    X.write_bytes(before.replace(b"\n", end.encode()))
    assert "x.epd:16: expected text, found a NUL byte at byte 2" in improve()[2]
    better = row.replace(b"bm #2;", b"bm #1; PV: a1a8;")
    after = b"\xef\xbb\xbf" + AFTER.encode() + better
    assert Y.read_bytes() == after.replace(b"\n", end.encode())


KEYS = f"""\
{BACK_RANK} dm 1; bm Ra8;
{BACK_RANK} dm 1; bm Ra8; pv Ra7;
{BACK_RANK} dm 2; bm Rd1; pv Rd1 h6 Rd8#;
{BACK_RANK} ce 32766;
{BACK_RANK} bm Ra8; hmvc x;
7k/8/5K2/8/8/8/8/6Q1 w K - dm 1; bm Qg7;
"""


def test_keys_stay_and_lines_that_begin_with_one_are_written(improve: Cli) -> None:
    X.write_text(KEYS)
    code, out, err = improve()
    first, second, *others, last = Y.read_text().splitlines()
    assert first == f"{BACK_RANK} dm 1; pv Ra8#; bm Ra8;"
    assert second == f"{BACK_RANK} dm 1; bm Ra8; pv Ra8#;"
    assert others == KEYS.splitlines()[2:5]
    assert last == "7k/8/5K2/8/8/8/8/6Q1 w K - dm 1; pv Qg7#; bm Qg7;"
    assert code == 1
    assert "x.epd:1: mate in 1, line added: 1. Ra8#\n" in out
    found = "mate in 1 (proved shortest): 1. Ra8#"
    assert f"x.epd:3: mate in 2, kept with its keys (Rd1), but {found}\n" in out
    assert "x.epd:5: warning: hmvc: expected a whole number" in out
    assert "x.epd:6: warning: castling right K: expected a wh" in out
    assert "3 lines completed, 0 unchanged" in err
    assert "1 kept with their keys; 1 without a mate to search, 1 with one" in err


def test_streams_and_compressed_files(cli: Cli) -> None:
    ended = cli("improve - -o -", stdin=BEFORE)
    assert (ended.code, ended.out) == (65, AFTER)
    assert "stdin:4: mate in 1, line added: 1. Ra8#" in ended.err
    Path("x.epd.gz").write_bytes(gzip.compress(BEFORE.encode()))
    cli("improve x.epd.gz -o y.epd.gz")
    assert gzip.decompress(Path("y.epd.gz").read_bytes()) == AFTER.encode()


def test_every_written_line_is_legal_and_ends_in_mate(improve: Cli) -> None:
    # The oracle plays the moves; it does not share the program's reader.
    puzzles = Path(__file__).parents[2] / "puzzles" / "classics.epd"
    lines = [line for line in puzzles.read_text().splitlines() if line.count("/") == 7]
    before = [
        f"{' '.join(line.split()[:4])} bm #{2 + number % 3};"
        for number, line in enumerate(lines)
    ]
    X.write_text("\n".join(before))
    _, out, _ = improve("--nodes", "50000")
    pairs = zip(before, Y.read_text().split("\n"), strict=True)
    changed = [pair for pair in pairs if pair[0] != pair[1]]
    for claimed, after in changed:
        fen, _, tail = after.partition(" bm #")
        length, _, line = tail.partition("; PV: ")
        board = chess.Board(f"{fen} 0 1")
        moves = line.removesuffix(";").split()
        for move in moves:
            board.push(board.parse_uci(move))
        assert board.is_checkmate()
        assert len(moves) == 2 * int(length) - 1
        assert int(length) <= int(claimed.rpartition("#")[2].strip(";"))
    assert len(changed) == out.count("line added") + out.count("is now")
    assert len(changed) > 5


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_after_an_interrupt_the_same_command_resumes(improve: Cli) -> None:
    source, target = str(X.absolute()), str(Y.absolute())
    store = ["--store", str(Path("r.db").absolute())]
    X.write_text(f"{BACK_RANK} bm #2;\n{LONG} bm #30;\n")
    Y.write_text("what was there\n")
    words = ["improve", source, "-o", target, *store, "--time", "3000"]
    with process(*words) as running:
        assert running.stdout is not None
        assert "is now mate in 1" in running.stdout.readline()
        os.killpg(running.pid, signal.SIGTERM)
        out, err = running.communicate()
    assert (running.returncode, out) == (130, "")
    notice = f"interrupted: {target} is not written; run the same command to resume\n"
    assert err == notice
    assert Y.read_text() == "what was there\n"
    assert names() == ["r.db", "x.epd", "y.epd"]

    assert improve("--store", "r.db", "--nodes", "100")[0] == 3
    assert Y.read_text() == f"{BACK_RANK} bm #1; PV: a1a8;\n{LONG} bm #30;\n"


def test_certificates_prove_each_change_and_each_disproof(
    improve: Cli, matesolve: Cli
) -> None:
    assert improve("--certificates", "proofs").code == 65
    lines = ["3", "4", "5", "7", "7-2", "8", "9", "11", "13"]
    found = [name.partition(".json")[0] for name in names("proofs")]
    assert sorted(found) == sorted(f"x.epd-{line}" for line in lines)
    for name in names("proofs"):
        assert matesolve("check", f"proofs/{name}").code == 0
    err = improve("--certificates", "proofs", "--store", "run.db").err
    without = "1 without a certificate, because they repeat the question of an earlier"
    assert err.endswith(f"{without} record\n")


WHOLE = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4d3 e1f1 d3e3 f1g1 e3f3 g1h1 f3g3 h1g1 a2a1"
LINES = f"""\
{ROOK} bm #8; PV: {WHOLE};
{ROOK} bm #8; PV: h7g6 h1g1 g6f5;
{ROOK} bm #8; PV: h7g7 h1g1;
{BACK_RANK} bm #1;
{MATED} bm #-1; PV: h8g8 a1a8;
"""
FOLLOWED = [
    "x.epd:1: mate in 8, its line is a proof",
    "x.epd:2: mate in 8, its line is a forced beginning",
    "x.epd:3: mate in 8, its line is wrong: move 1, Kg7, does not mate in 8",
    "x.epd:5: mated in 1, its line is a proof",
]


def test_lines_are_followed(improve: Cli) -> None:
    X.write_text(LINES)
    words = ("--follow", "--jobs", "2", "--time", "900", "--store", "run.db")
    code, out, err = improve(*words)
    assert [line for line in out.splitlines() if "its line is" in line] == FOLLOWED
    assert err.endswith("lines: proof 2, beginning 1, wrong 1\n")
    first, *others, _ = Y.read_text().splitlines()
    assert first == LINES.splitlines()[0]
    assert all(line.count(" ") > 4 for line in others)
    assert code == 0
    # Resumed from the store, with limits that leave everything open.
    assert improve(*words, "--nodes", "1") == (code, out, err)


def test_a_file_that_cannot_be_read_whole_is_an_error(improve: Cli) -> None:
    for content, error in (
        (b"PuzzleId,FEN,Moves\n", "x.epd: expected EPD, found CSV"),
        (gzip.compress(BEFORE.encode() * 9)[:60], "gzip: expected more compressed"),
    ):
        X.write_bytes(content)
        code, out, err = improve()
        assert (code, out, err.count("\n")) == (65, "", 1)
        assert err.startswith("error: ")
        assert error in err
        assert not Y.exists()
