"""`matesolve improve`: the same file, with what is better; whole or not at all."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from tests.cli.conftest import Ended
from tests.cli.processes import process

if TYPE_CHECKING:
    from typing import Protocol

    from tests.cli.conftest import Matesolve

    class Here(Protocol):
        def __call__(self, *arguments: str, stdin: str = "") -> Ended: ...


BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
ROOK = "8/7K/8/8/8/8/R7/7k w - -"
MATED = "7k/8/6K1/8/8/8/8/R7 b - -"
CHECKMATE = "R6k/8/6K1/8/8/8/8/8 b - -"
LONG = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -"

BEFORE = f"""\
# A collection; bm #9;

{BACK_RANK} bm #3; PV: a1d1 g8h8 d1d8; note  one;
{BACK_RANK} bm #1
{BACK_RANK} bm #1; PV: a1a9;  x y ;;
{BACK_RANK} bm #1; PV: a1a8; complete; \t
{MATED} bm #1; sign;
{ROOK} bm #3; disproved;
{CHECKMATE} bm #-1;
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
{CHECKMATE} bm #-1;
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


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.epd").write_text(BEFORE)


@pytest.fixture
def here(matesolve: Matesolve, tmp_path: Path) -> Here:
    """Run the command on files of the temporary folder, named without it."""

    def call(*arguments: str, stdin: str = "") -> Ended:
        words = [
            str(tmp_path / word) if word.startswith(("x.", "y.", "run.")) else word
            for word in arguments
        ]
        code, out, err = matesolve(*words, stdin=stdin)
        folder = f"{tmp_path}{os.sep}"
        return Ended(code, out.replace(folder, ""), err.replace(folder, ""))

    return call


def names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_only_what_is_better_changes(here: Here, jobs: str) -> None:
    assert here("improve", "x.epd", "-o", "y.epd", "--jobs", jobs) == (65, OUT, ERR)
    assert Path("y.epd").read_bytes() == AFTER.encode()
    assert Path("x.epd").read_bytes() == BEFORE.encode()
    assert names() == ["x.epd", "y.epd"]


def test_an_improved_file_does_not_change_again(here: Here) -> None:
    Path("x.epd").write_text(AFTER)
    ended = here("improve", "x.epd", "-o", "y.epd")
    assert Path("y.epd").read_bytes() == AFTER.encode()
    assert "line added" not in ended.out
    assert ended.err.endswith(
        "0 shorter mates, 0 sides corrected, 0 lines completed, 7 unchanged, "
        "2 disproved, 0 undecided, 1 unreadable; 1 without a mate to search\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_the_byte_order_mark_are_kept(
    here: Here, end: str, mark: str
) -> None:
    Path("x.epd").write_bytes((mark + BEFORE.replace("\n", end)).encode())
    here("improve", "x.epd", "-o", "y.epd")
    assert Path("y.epd").read_bytes() == (mark + AFTER.replace("\n", end)).encode()


def test_bytes_that_are_not_utf_8_are_copied(here: Here) -> None:
    row = f"{BACK_RANK} bm #2; c0 ".encode() + b"M\xfcller\xff\xfe;\n\n\xff\x00\n"
    Path("x.epd").write_bytes(row)
    ended = here("improve", "x.epd", "-o", "y.epd")
    assert ended.code == 65
    assert "x.epd:3: expected text, found a NUL byte at byte 2" in ended.err
    better = row.replace(b"bm #2;", b"bm #1; PV: a1a8;")
    assert Path("y.epd").read_bytes() == better


KEYS = f"""\
{BACK_RANK} dm 1; bm Ra8;
{BACK_RANK} dm 1; bm Ra8; pv Ra7;
{BACK_RANK} dm 1; bm Rb1; pv Ra7;
{BACK_RANK} dm 2; bm Rd1; pv Rd1 h6 Rd8#;
{BACK_RANK} ce 32766;
{BACK_RANK} bm Ra8;
7k/8/5K2/8/8/8/8/6Q1 w K - dm 1; bm Qg7;
{BACK_RANK} bm Ra8; hmvc x;
"""


def test_keys_stay_and_lines_that_begin_with_one_are_written(here: Here) -> None:
    Path("x.epd").write_text(KEYS)
    ended = here("improve", "x.epd", "-o", "y.epd")
    first, second, third, fourth, *others = Path("y.epd").read_text().splitlines()
    assert first == f"{BACK_RANK} dm 1; pv Ra8#; bm Ra8;"
    assert second == f"{BACK_RANK} dm 1; bm Ra8; pv Ra8#;"
    assert others[2] == "7k/8/5K2/8/8/8/8/6Q1 w K - dm 1; pv Qg7#; bm Qg7;"
    kept = [third, fourth, others[0], others[1], others[3]]
    before = KEYS.splitlines()
    assert kept == [before[row] for row in (2, 3, 4, 5, 7)]
    assert ended.code == 1
    reports = ended.out.splitlines()
    assert reports[0] == "x.epd:1: mate in 1, line added: 1. Ra8#"
    assert reports[2:4] == [
        "x.epd:3: mate in 1, kept with its keys (Rb1), but mate in 1: 1. Ra8#",
        "x.epd:4: mate in 2, kept with its keys (Rd1), but mate in 1 (proved "
        "shortest): 1. Ra8#",
    ]
    assert reports[5].startswith("x.epd:7: warning: castling right K: expected a wh")
    assert reports[6].startswith("x.epd:8: warning: hmvc: expected a whole number")
    assert ended.err == (
        "0 shorter mates, 0 sides corrected, 3 lines completed, 1 unchanged, "
        "0 disproved, 0 undecided, 0 unreadable, 1 kept with their keys; "
        "2 without a mate to search, "
        "1 with one only in an engine's score or as mated in n\n"
    )


def test_standard_streams_and_compressed_files(here: Here) -> None:
    ended = here("improve", "-", "-o", "-", stdin=BEFORE)
    assert (ended.code, ended.out) == (65, AFTER)
    assert "stdin:4: mate in 1, line added: 1. Ra8#" in ended.err
    Path("x.epd.gz").write_bytes(gzip.compress(BEFORE.encode()))
    here("improve", "x.epd.gz", "-o", "y.epd.gz")
    assert gzip.decompress(Path("y.epd.gz").read_bytes()) == AFTER.encode()


@pytest.mark.parametrize(
    ("row", "options", "code"),
    [
        (f"{BACK_RANK} bm #1; PV: a1a8;", [], 0),
        (f"{BACK_RANK} bm #2;", [], 0),
        (f"{BACK_RANK}", [], 0),
        ("# nothing", [], 65),
        (f"{ROOK} bm #3;", [], 1),
        (f"{LONG} bm #9;", ["--nodes", "1000"], 3),
        (f"{BACK_RANK} bm #x;", [], 65),
    ],
)
def test_the_exit_code_is_the_worst_row(
    here: Here, row: str, options: list[str], code: int
) -> None:
    Path("x.epd").write_text(f"{row}\n")
    assert here("improve", "x.epd", "-o", "y.epd", *options).code == code


def test_a_claim_that_is_not_found_stays_with_its_line(here: Here) -> None:
    row = f"{LONG} bm #2; PV: e1g1 a7a6 f1e1;\n"
    Path("x.epd").write_text(row.replace("#2", "#9"))
    ended = here("improve", "x.epd", "-o", "y.epd", "--nodes", "1000")
    assert Path("y.epd").read_text() == row.replace("#2", "#9")
    assert ended.code == 3
    assert "kept with its broken line (pv: expected 17 plies, found 3)" in ended.out


def test_a_farther_search_reports_the_true_length_of_a_disproved_mate(
    here: Here,
) -> None:
    Path("x.epd").write_text(f"{ROOK} bm #3;\n")
    ended = here("improve", "x.epd", "-o", "y.epd", "--search-moves", "8")
    assert ended.out.startswith(
        "x.epd:1: mate in 3, kept, but disproved: no mate in 7, but mate in 8: 1. Kg6"
    )
    assert Path("y.epd").read_text() == f"{ROOK} bm #3;\n"


def test_every_written_line_is_legal_and_ends_in_mate(here: Here) -> None:
    # The oracle plays the moves; it does not share the program's reader.
    puzzles = Path(__file__).parents[2] / "puzzles" / "classics.epd"
    rows = [
        f"{' '.join(line.split()[:4])} bm #{2 + number % 3};"
        for number, line in enumerate(puzzles.read_text().splitlines())
        if line.count("/") == 7
    ]
    Path("x.epd").write_text("\n".join(rows))
    ended = here("improve", "x.epd", "-o", "y.epd", "--nodes", "200000")
    written = Path("y.epd").read_text().split("\n")
    assert len(written) == len(rows)
    checked = 0
    for before, after in zip(rows, written, strict=True):
        if before == after:
            continue
        fen, _, tail = after.partition(" bm #")
        length, _, line = tail.partition("; PV: ")
        board = chess.Board(f"{fen} 0 1")
        moves = line.removesuffix(";").split()
        for move in moves:
            board.push(board.parse_uci(move))
        assert board.is_checkmate()
        assert len(moves) == 2 * int(length) - 1
        assert int(length) <= int(before.rpartition("#")[2].strip(";"))
        checked += 1
    assert checked == ended.out.count("line added") + ended.out.count("is now")
    assert checked > 5


def test_a_second_run_resumes_from_the_store(here: Here) -> None:
    words = ["improve", "x.epd", "-o", "y.epd", "--store", "run.db"]
    assert here(*words) == (65, OUT, ERR)
    # With one node a search finds nothing, so these answers come from the store.
    assert here(*words, "--nodes", "1") == (65, OUT, ERR)
    assert Path("y.epd").read_text() == AFTER


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_after_an_interrupt_nothing_is_written_and_the_store_resumes(
    how: str, here: Here, tmp_path: Path
) -> None:
    source, target, store = (
        str(tmp_path / name) for name in ("x.epd", "y.epd", "r.db")
    )
    Path("x.epd").write_text(f"{BACK_RANK} bm #2;\n{LONG} bm #30;\n")
    Path("y.epd").write_text("what was there\n")
    words = ["improve", source, "-o", target, "--store", store]
    with process(*words, "--time", "3000") as running:
        assert running.stdout is not None
        assert "is now mate in 1" in running.stdout.readline()
        os.killpg(running.pid, getattr(signal, how))
        out, err = running.communicate()
    assert (running.returncode, out) == (130, "")
    assert (
        err == f"interrupted: {target} is not written; run the same command to resume\n"
    )
    assert Path("y.epd").read_text() == "what was there\n"
    assert names() == ["r.db", "x.epd", "y.epd"]

    ended = here(*words, "--nodes", "100")
    assert ended.code == 3
    first, second = Path("y.epd").read_text().splitlines()
    assert first == f"{BACK_RANK} bm #1; PV: a1a8;"
    assert second == f"{LONG} bm #30;"


def test_certificates_prove_each_change_and_each_disproof(
    here: Here, tmp_path: Path
) -> None:
    folder = str(tmp_path / "proofs")
    assert here("improve", "x.epd", "-o", "y.epd", "--certificates", folder).code == 65
    names = sorted(path.name.partition(".json")[0] for path in Path(folder).iterdir())
    rows = ["3", "4", "5", "7", "7-2", "8", "9", "11", "13"]
    assert names == sorted(f"x.epd-{row}" for row in rows)
    for path in Path(folder).iterdir():
        assert here("check", str(path)).code == 0


def test_a_mate_beyond_fifty_moves_is_warned_of(here: Here) -> None:
    Path("x.epd").write_text(f"{ROOK} 95 120 bm #8;\n")
    ended = here("improve", "x.epd", "-o", "y.epd")
    added, warning = ended.out.splitlines()
    assert "line added" in added
    assert warning == (
        "x.epd:1: warning: 50 moves without a pawn move or capture at move 3"
    )


FOLLOWED = """\
x.epd:1: mate in 8, its line is a proof
x.epd:2: mate in 8, its line is a forced beginning
x.epd:3: mate in 8, its line is wrong: move 1, Kg7, does not mate in 8
x.epd:5: mated in 1, its line is a proof
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_lines_are_followed(here: Here, jobs: str) -> None:
    whole = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4d3 e1f1 d3e3 f1g1 e3f3 g1h1 f3g3 h1g1 a2a1"
    rows = (whole, "h7g6 h1g1 g6f5", "h7g7 h1g1")
    text = "".join(f"{ROOK} bm #8; PV: {line};\n" for line in rows)
    text += f"{BACK_RANK} bm #1;\n{MATED} bm #-1; PV: h8g8 a1a8;\n"
    Path("x.epd").write_text(text)
    words = ["improve", "x.epd", "-o", "y.epd", "--follow", "--jobs", jobs]
    ended = here(*words, "--time", "900", "--store", "run.db")
    reports = [line for line in ended.out.splitlines() if "its line is" in line]
    assert "\n".join(reports) + "\n" == FOLLOWED
    assert ended.err.endswith("lines: proof 2, beginning 1, wrong 1\n")
    first, *others, _ = Path("y.epd").read_text().splitlines()
    assert first == text.splitlines()[0]
    assert all(line.count(" ") > 4 for line in others)
    assert ended.code == 0
    # Resumed from the store, with limits that leave everything open.
    again = here(*words, "--nodes", "1", "--store", "run.db")
    assert again == ended


def test_a_line_is_followed_for_the_side_that_it_mates(here: Here) -> None:
    line = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4d3 e1f1 d3e3 f1g1 e3f3 g1h1 f3g3 h1g1 a2a1"
    Path("x.epd").write_text(f"{ROOK} bm #-8; PV: {line};\n{ROOK} bm #-7;\n")
    ended = here("improve", "x.epd", "-o", "y.epd", "--follow", "--within")
    proof, change, kept = ended.out.splitlines()
    assert proof == "x.epd:1: mate in 8, its line is a proof"
    assert change.startswith("x.epd:1: mated in 8 is now mate in 8 (a shorter one is n")
    assert kept == "x.epd:2: mated in 7, kept, but disproved: not mated in 7"
    assert ended.err.endswith("lines: proof 1\n")
    assert Path("y.epd").read_text().startswith(f"{ROOK} bm #8; PV: {line};\n")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"PuzzleId,FEN,Moves\n", "x.epd: expected EPD, found CSV"),
        (b'{"fen": "x"}\n', "x.epd: expected EPD, found JSON lines"),
        (
            gzip.compress(BEFORE.encode() * 9, mtime=0)[:60],
            "gzip: expected more compressed data",
        ),
    ],
)
def test_a_file_that_cannot_be_read_whole_is_an_error(
    here: Here, content: bytes, error: str
) -> None:
    Path("x.epd").write_bytes(content)
    ended = here("improve", "x.epd", "-o", "y.epd")
    assert (ended.code, ended.out) == (65, "")
    assert ended.err.startswith("error: ")
    assert error in ended.err
    assert ended.err.count("\n") == 1
    assert names() == ["x.epd"]
