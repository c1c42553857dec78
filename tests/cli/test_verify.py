"""`matesolve verify`: exact output and exit codes for every kind of input."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import solver
from solver import solving
from solver.search.queries import Answered
from solver.search.workspaces import Workspace
from solver.solution import Solution, Status, StoppedBy
from tests.cli.conftest import COSTS, Ended, records, rows
from tests.cli.processes import process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.search.queries import Batch
    from tests.cli.conftest import Cli

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"

MIXED = f"""\
# seven records
{BACK_RANK} dm 1; bm Ra8#; id "fine";

{BACK_RANK} bm #2; 00:00;
8/7K/8/8/8/8/R7/7k w - - dm 1; id "too soon";
{BACK_RANK} dm 1; bm Ra7; id "[red]wrong key";
{BACK_RANK} dm x; bm Ra8;
{BACK_RANK}
hello
"""

LINK = "  https://lichess.org/analysis/standard/6k1/5ppp/8/8/8/8/8/R5K1_w_-_-_0_1\n"

DISAGREEMENTS = f"""\
mixed.epd:4: claimed mate in 2, found mate in 1: 1. Ra8#
{LINK}mixed.epd:5: too soon: claimed mate in 1, but no mate in 1 exists, only \
mate in 8 (proved): 1. Kg6 Kg1 2. Kf5 Kf1 3. Ke4 Ke1 4. Kd3 Kf1 5. Ke3 Kg1 6. Kf3 Kh1 \
7. Kg3 Kg1 8. Ra1#
  https://lichess.org/analysis/standard/8/7K/8/8/8/8/R7/7k_w_-_-_0_1
mixed.epd:6: [red]wrong key: claimed mate in 1, but the claimed key Ra7 does not \
solve; Ra8# does
{LINK}"""

TABLE = """\
claim  proved  shorter  refuted  unreadable  total
   #1       2                 1                  3
   #2                1                           1
 none       1                             2      3
  all       3        1        1           2      7
3 records repeat an earlier position (2 with another claim, 1 with other first moves): \
inspect --duplicates names them
soundness: 1 sound, 1 short-solution, 1 no-solution, 1 missing-solution
"""

UNREADABLE = """\
error: mixed.epd:7: dm: expected 1 to 200 moves, negative when the side to move is \
mated, found 'x'
error: mixed.epd:9: board: expected 8 ranks with / between them, found 1 in 'hello'
"""


@pytest.fixture
def verify(cli: Cli) -> Cli:
    """Return the command, beside some files; its table is without nodes and times.

    What it prints to a pipe is not cut at the width of a terminal.
    """
    Path("mixed.epd").write_text(MIXED)
    Path("good.epd").write_text(f"{BACK_RANK} dm 1;\n")
    Path("short.epd").write_text(f"{BACK_RANK} dm 2;\n")
    Path("empty.epd").write_text("# nothing yet\n\n")

    narrow = {"COLUMNS": "20", "TERM": "xterm", "FORCE_COLOR": "1"}

    def call(words: str) -> Ended:
        code, out, err = cli(f"verify {words}", env=narrow)
        return Ended(code, COSTS.sub("", out), err)

    return call


def test_table_then_disagreements_and_unreadable_lines_apart(verify: Cli) -> None:
    expected = (65, TABLE + DISAGREEMENTS, UNREADABLE)
    assert verify("mixed.epd --keys") == expected
    assert verify("mixed.epd --keys -q") == (65, DISAGREEMENTS, UNREADABLE)


def test_jsonl_prints_a_record_for_each_line_in_order(verify: Cli) -> None:
    code, out, err = verify("mixed.epd --keys --jsonl --ordered -j 3")
    assert (code, err) == (65, "")
    printed = records(out)
    assert [one["id"] for one in printed[:4:3]] == ["fine", "[red]wrong key"]
    assert [(one["source"][10:], one["claim"], one["verdict"]) for one in printed] == [
        *(("2", 1, "proved"), ("4", 2, "shorter"), ("5", 1, "refuted")),
        *(("6", 1, "proved"), ("7", None, "unreadable"), ("8", None, None)),
        ("9", None, "unreadable"),
    ]
    wrong = {one["id"]: one["wrong_keys"] for one in printed if "wrong_keys" in one}
    assert wrong == {"[red]wrong key": ["a1a7"]}
    del printed[0]["nodes"], printed[0]["time_s"]
    assert printed[0] == {
        "schema": 1, "id": "fine", "source": "mixed.epd:2", "fen": f"{BACK_RANK} 0 1",
        "claim": 1, "status": "proved", "verdict": "proved", "soundness": "sound",
        "mate": 1, "lower_bound": 1, "keys": [{"uci": "a1a8", "san": "Ra8#"}],
        "keys_complete": True, "pv": ["a1a8"], "stopped_by": None,
        "solver": solver.__version__, "claimed_keys": ["a1a8"],
    }  # fmt: skip
    assert out.splitlines()[6] == (
        '{"schema":1,"id":"mixed.epd:9","source":"mixed.epd:9","fen":null,'
        '"claim":null,"status":null,'
        '"verdict":"unreadable","error":"board: expected 8 ranks with / between them, '
        f'found 1 in \'hello\'","solver":"{solver.__version__}","text":"hello"}}'
    )


def test_the_exit_code_follows_from_the_results(verify: Cli) -> None:
    for words, code in rows("""
        good.epd good.epd                      | 0
        good.epd short.epd                     | 1
        short.epd --fail-on refuted            | 0
        short.epd --fail-on 'refuted, shorter' | 1
        good.epd --fail-on proved              | 1
        mixed.epd --fail-on unreadable         | 1
        missing.epd mixed.epd                  | 74
                                               | 2
        good.epd --fail-on wrong               | 2
    """):
        assert verify(words).code == int(code)


# --- files without an answer


def test_a_file_that_cannot_be_read_is_skipped(verify: Cli) -> None:
    errors = "error: missing.epd: No such file or directory\nerror: .: Is a directory\n"
    disagreement = "short.epd:1: claimed mate in 2, found mate in 1: 1. Ra8#\n"
    expected = (74, f"{disagreement}{LINK}", errors)
    assert verify("missing.epd . short.epd -q") == expected
    assert verify("missing.epd .") == (74, "", errors)


def test_a_call_of_which_no_file_gives_a_record_is_an_error(verify: Cli) -> None:
    for options in ("", "--jsonl", "--quiet"):
        nothing = "error: expected records, found none: empty.epd"
        assert verify(f"empty.epd {options}") == (65, "", f"{nothing}\n")
        error = f"{nothing}, good.epd (1 not selected)\n"
        assert verify(f"empty.epd good.epd --min-claim 2 {options}") == (65, "", error)


def test_a_draw_by_rule_is_warned_of_as_improve_does(verify: Cli) -> None:
    Path("rook.epd").write_text("8/7K/8/8/8/8/R7/7k w - - 95 120 bm #8;\n")
    warning = "rook.epd:1: warning: 50 moves without a pawn move or capture at move 3\n"
    assert verify("rook.epd --jsonl")[::2] == (0, warning)
    assert verify("rook.epd -q") == (0, "", "")


# --- verdicts


def answer_with(
    monkeypatch: pytest.MonkeyPatch,
    status: Status,
    mate: int | None = None,
    *,
    stopped_by: StoppedBy | None = None,
) -> None:
    """Make each search return the same answer."""

    class Same:
        def __init__(self, hash_mib: int, *_: Any, **__: Any) -> None:
            self.workspace = Workspace(hash_mib)

        def answers(self, batch: Batch, *_: Any, **__: Any) -> Iterator[Answered]:
            for index in range(len(batch.rows)):
                problem = batch.question(index).problem
                found = Solution(problem, status, mate, 1, stopped_by=stopped_by)
                yield Answered(index, index + 1, 0.0, found)

    monkeypatch.setattr(solving, "Solver", Same)


def test_an_undecided_claim_is_reported_and_does_not_agree(
    verify: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fail_on, code in (("shorter", 3), ("undecided", 1)):
        for limit in (StoppedBy.TIME, None):
            answer_with(monkeypatch, Status.UNDECIDED, stopped_by=limit)
            got, out, err = verify(f"good.epd --jsonl --fail-on {fail_on}")
            assert (got, err) == (code, "")
            assert [record["verdict"] for record in records(out)] == ["undecided"]


def test_a_mate_that_may_not_be_the_shortest_holds(
    verify: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (record,) = records(verify("short.epd --within --jsonl").out)
    assert (record["verdict"], record["claim"]) == ("holds", 2)
    answer_with(monkeypatch, Status.FOUND, 2, stopped_by=StoppedBy.TIME)
    table = "claim  holds  total\n   #2      1      1\n  all      1      1\n"
    assert verify("short.epd") == (3, table, "")


@pytest.mark.usefixtures("verify")
def test_a_terminal_shows_progress_on_stderr_and_nothing_else() -> None:
    pty = pytest.importorskip("pty", reason="terminals are drawn on POSIX only")
    watching, terminal = pty.openpty()
    with process("verify", "good.epd", stderr=terminal, TERM="xterm") as running:
        out, _ = running.communicate()
    shown = os.read(watching, 65_536).decode()
    os.close(watching)
    os.close(terminal)
    assert running.returncode == 0
    assert out.startswith("claim  proved  total")
    assert "1/1, 0:00:00 left, " in shown
