"""`matesolve verify`: exact output and exit codes for every kind of input."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import solver
from solver import solving
from solver.cli.main import run
from solver.search.queries import Answered
from solver.search.workspaces import Workspace
from solver.solution import Solution, Status, StoppedBy
from tests.cli.conftest import without_summaries
from tests.cli.processes import process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from solver.search.queries import Batch, Question
    from solver.search.threads import Control

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
COSTS = re.compile(r" +(nodes +time|[\d,]+ +[\d.]+ m?s)$", re.MULTILINE)

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

UNREADABLE = """\
error: mixed.epd:7: dm: expected 1 to 200 moves, negative when the side to move is \
mated, found 'x'
error: mixed.epd:9: board: expected 8 ranks with / between them, found 1 in 'hello'
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixed.epd").write_text(MIXED)
    (tmp_path / "good.epd").write_text(f"{BACK_RANK} dm 1;\n")
    (tmp_path / "short.epd").write_text(f"{BACK_RANK} dm 2;\n")
    return tmp_path


def verify(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command in this process; remove nodes and times from its table."""
    code = run(["verify", *arguments])
    printed = capsys.readouterr()
    return code, COSTS.sub("", printed.out), without_summaries(printed.err)


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_table_then_disagreements_and_unreadable_lines_apart(
    capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    table = """\
claim  proved  shorter  refuted  unreadable  total
   #1       2                 1                  3
   #2                1                           1
 none       1                             2      3
  all       3        1        1           2      7
3 records repeat an earlier position (2 with another claim, 1 with other first moves): \
inspect --duplicates names them
soundness: 1 sound, 1 short-solution, 1 no-solution, 1 missing-solution
"""
    code, out, err = verify(capsys, "mixed.epd", "--keys", "--jobs", jobs)
    assert out == table + DISAGREEMENTS
    assert err == UNREADABLE
    assert code == 65


def test_quiet_prints_only_disagreements(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(capsys, "mixed.epd", "--keys", "-q") == (
        65,
        DISAGREEMENTS,
        UNREADABLE,
    )


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_jsonl_prints_a_record_for_each_line_in_order(
    capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    code, out, err = verify(
        capsys, "mixed.epd", "--keys", "--jsonl", "--ordered", "-j", jobs
    )
    assert code == 65
    assert err == ""
    printed = records(out)
    assert [
        (record["id"], record["claim"], record["verdict"]) for record in printed
    ] == [
        ("fine", 1, "proved"),
        ("mixed.epd:4", 2, "shorter"),
        ("too soon", 1, "refuted"),
        ("[red]wrong key", 1, "proved"),
        ("mixed.epd:7", None, "unreadable"),
        ("mixed.epd:8", None, None),
        ("mixed.epd:9", None, "unreadable"),
    ]
    assert [record.get("wrong_keys") for record in printed] == [
        None, None, None, ["a1a7"], None, None, None
    ]  # fmt: skip
    del printed[0]["nodes"], printed[0]["time_s"]
    assert printed[0] == {
        "schema": 1,
        "id": "fine",
        "source": "mixed.epd:2",
        "fen": f"{BACK_RANK} 0 1",
        "claim": 1,
        "status": "proved",
        "verdict": "proved",
        "soundness": "sound",
        "mate": 1,
        "lower_bound": 1,
        "keys": [{"uci": "a1a8", "san": "Ra8#"}],
        "keys_complete": True,
        "pv": ["a1a8"],
        "stopped_by": None,
        "solver": solver.__version__,
        "claimed_keys": ["a1a8"],
    }
    assert out.splitlines()[6] == (
        '{"schema":1,"id":"mixed.epd:9","source":"mixed.epd:9","fen":null,"claim":null,"status":null,'
        '"verdict":"unreadable","error":"board: expected 8 ranks with / between them, '
        f'found 1 in \'hello\'","solver":"{solver.__version__}","text":"hello"}}'
    )


def test_with_within_a_shorter_mate_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = verify(capsys, "short.epd", "--within", "--jsonl")
    assert (code, err) == (0, "")
    (record,) = records(out)
    assert record["verdict"] == "holds"
    assert record["claim"] == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["good.epd"], 0),
        (["good.epd", "good.epd"], 0),
        (["short.epd"], 1),
        (["good.epd", "short.epd"], 1),
        (["short.epd", "--within"], 0),
        (["short.epd", "--fail-on", "refuted"], 0),
        (["short.epd", "--fail-on", "none"], 0),
        (["short.epd", "--fail-on", "refuted, shorter"], 1),
        (["good.epd", "--fail-on", "proved"], 1),
        (["mixed.epd"], 65),
        (["mixed.epd", "--fail-on", "unreadable"], 1),
        (["good.epd", "missing.epd"], 74),
        (["missing.epd", "mixed.epd"], 74),
        ([], 2),
        (["good.epd", "--fail-on", "wrong"], 2),
        (["good.epd", "--fail-on", ""], 2),
        (["good.epd", "--jobs", "0"], 2),
        (["good.epd", "--time", "0"], 2),
    ],
)
def test_the_exit_code_follows_from_the_results(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int
) -> None:
    assert verify(capsys, *arguments)[0] == code


def test_an_unknown_verdict_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = verify(capsys, "good.epd", "--fail-on", "shorter,wrong")
    assert err.splitlines()[-1] == (
        "Error: Invalid value for '--fail-on': 'wrong' is not one of proved, holds, "
        "shorter, refuted, unforced, undecided, unreadable, sound, "
        "partly-read, cooked, short-solution, "
        "no-solution, missing-solution, not-shortest-line, keys, dual, line, unmarked, "
        "none."
    )


def test_a_file_that_cannot_be_read_is_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = verify(capsys, "missing.epd", ".", "short.epd", "-q")
    assert code == 74
    assert out == f"short.epd:1: claimed mate in 2, found mate in 1: 1. Ra8#\n{LINK}"
    assert err == (
        "error: missing.epd: No such file or directory\nerror: .: Is a directory\n"
    )


@pytest.mark.parametrize(
    ("limit", "verdict", "fail_on", "code"),
    [
        (StoppedBy.TIME, "undecided", "shorter", 3),
        (StoppedBy.NODES, "undecided", "shorter", 3),
        (StoppedBy.TIME, "undecided", "undecided", 1),
        (None, "undecided", "shorter", 3),
    ],
)
def test_an_undecided_claim_is_reported_and_does_not_agree(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    limit: StoppedBy | None,
    verdict: str,
    fail_on: str,
    code: int,
) -> None:
    answer_with(monkeypatch, Status.UNDECIDED, None, 1, stopped_by=limit)
    got, out, err = verify(capsys, "good.epd", "--jsonl", "--fail-on", fail_on)
    assert (got, err) == (code, "")
    assert [record["verdict"] for record in records(out)] == [verdict]


def test_a_mate_that_may_not_be_the_shortest_holds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, Status.FOUND, 2, 1, stopped_by=StoppedBy.TIME)
    code, out, err = verify(capsys, "short.epd")
    assert (code, err) == (3, "")
    assert out == "claim  holds  total\n   #2      1      1\n  all      1      1\n"


def test_a_long_mate_holds_once_its_line_is_followed(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    line = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4d3 e1f1 d3e3 f1g1 e3f3 g1h1 f3g3 h1g1 a2a1"
    (folder / "long.epd").write_text(
        f"8/7K/8/8/8/8/R7/7k w - - bm #8; PV: {line};\n"
        "8/7K/8/8/8/8/R7/7k w - - bm #8; PV: h7g7;\n"
    )
    words = ["long.epd", "--within", "--nodes", "2000", "--jsonl"]
    _, out, _ = verify(capsys, *words)
    assert [record["verdict"] for record in records(out)] == ["undecided"] * 2
    code, out, err = verify(capsys, *words, "--follow")
    assert (code, err) == (3, "")
    first, second = records(out)
    assert (first["verdict"], first["mate"]) == ("holds", 8)
    assert [ply["holds"] for ply in first["plies"]] == [True] * 8
    assert second["verdict"] == "undecided"
    assert "holds" not in second["plies"][0]
    _, out, _ = verify(capsys, "long.epd", "--follow", "--jsonl")
    assert records(out)[1]["plies"][0]["holds"] is False


def test_claims_that_the_side_to_move_is_mated_come_last(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
) -> None:
    claims = (-1, 3, -12, 1, 2)
    lines = [f"{BACK_RANK} dm {claim};\n" for claim in claims]
    (folder / "many.epd").write_text("".join(lines))
    answer_with(monkeypatch, Status.UNDECIDED, None, 1)
    _, out, _ = verify(capsys, "many.epd")
    *table, counted = out.splitlines()
    order = [line.split()[0] for line in table]
    assert order == ["claim", "#1", "#2", "#3", "#-1", "#-12", "all"]
    assert counted.startswith("4 records repeat an earlier position (4 with another cl")


def test_an_internal_error_is_one_line_after_the_results_before_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        solving, "Solver", lambda hash_mib, *_, **__: 1 // (hash_mib - 7)
    )
    Path("x.epd").write_text(f"{BACK_RANK} dm 0;\n{BACK_RANK} dm 1;\n")
    code, out, err = verify(capsys, "x.epd", "--jsonl", "--hash", "7")
    assert code == 70
    assert [record["verdict"] for record in records(out)] == ["unreadable"]
    assert err.count("\n") == 1
    assert err.startswith("internal error: ZeroDivisionError")


@pytest.mark.parametrize("options", [(), ("--jsonl",), ("--quiet",)])
def test_a_call_of_which_no_file_gives_a_record_is_an_error(
    capsys: pytest.CaptureFixture[str], folder: Path, options: tuple[str, ...]
) -> None:
    (folder / "empty.epd").write_text("# nothing yet\n\n")
    nothing = "error: expected records, found none: empty.epd"
    assert verify(capsys, "empty.epd", *options) == (65, "", f"{nothing}\n")
    (folder / "one.epd").write_text(f"{BACK_RANK} dm 1;\n")
    files = "empty.epd", "one.epd"
    assert verify(capsys, *files, "--min-claim", "2", *options) == (
        65,
        "",
        f"{nothing}, one.epd (1 not selected)\n",
    )


def test_there_is_no_table_if_no_file_can_be_read(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, out, err = verify(capsys, "missing.epd", str(folder))
    assert (code, out) == (74, "")
    assert err == (
        "error: missing.epd: No such file or directory\n"
        f"error: {folder}: Is a directory\n"
    )


@pytest.mark.parametrize(
    ("options", "is_warned"), [((), True), (("--jsonl",), True), (("-q",), False)]
)
def test_a_draw_by_rule_is_warned_of_as_improve_does(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    options: tuple[str, ...],
    is_warned: bool,
) -> None:
    (folder / "rook.epd").write_text("8/7K/8/8/8/8/R7/7k w - - 95 120 bm #8;\n")
    code, _, err = verify(capsys, "rook.epd", *options)
    warning = "rook.epd:1: warning: 50 moves without a pawn move or capture at move 3\n"
    assert (code, err) == (0, warning * is_warned)


def test_a_file_without_records_beside_another_is_a_warning(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "empty.epd").touch()
    (folder / "one.epd").write_text(f"{BACK_RANK} dm 1;\n")
    code, out, err = verify(capsys, "empty.epd", "one.epd")
    assert (code, err) == (0, "warning: empty.epd: no records\n")
    assert out.splitlines()[-1].split()[:3] == ["all", "1", "1"]


@pytest.mark.parametrize("options", [(), ("--quiet",)])
def test_a_file_without_selected_records_beside_another_is_a_warning(
    capsys: pytest.CaptureFixture[str], folder: Path, options: tuple[str, ...]
) -> None:
    (folder / "one.epd").write_text(f"{BACK_RANK} dm 1;\n")
    (folder / "two.epd").write_text("7k/8/8/8/8/8/R7/1R4K1 w - - dm 2;\n")
    code, _, err = verify(capsys, "one.epd", "two.epd", "--min-claim", "2", *options)
    assert (code, err) == (0, "warning: one.epd (1 not selected): no records\n")


class OneByOne:
    """Answers the questions of a batch one after the other."""

    answer: Callable[[Question, Control], Solution]

    def __init__(self, hash_mib: int, *_: Any, **__: Any) -> None:
        self.workspace = Workspace(hash_mib)

    def answers(
        self,
        batch: Batch,
        searching: Callable[[], AbstractContextManager[Control]],
        **_: Any,
    ) -> Iterator[Answered]:
        for index in range(len(batch.rows)):
            with searching() as control:
                solution = self.answer(batch.question(index), control)
                yield Answered(index, index + 1, 0.0, solution)


def answer_with(
    monkeypatch: pytest.MonkeyPatch,
    status: Status,
    mate: int | None,
    lower_bound: int,
    *,
    stopped_by: StoppedBy | None = None,
) -> None:
    """Make each search return the same answer."""

    class Same(OneByOne):
        def answer(self, question: Question, _control: Control) -> Solution:
            problem = question.problem
            return Solution(problem, status, mate, lower_bound, stopped_by=stopped_by)

    monkeypatch.setattr(solving, "Solver", Same)


# --- in a process of its own


def test_standard_input_is_answered_line_by_line_until_ctrl_c() -> None:
    with process("verify", "-", "--jsonl", "--format", "epd") as running:
        assert running.stdin
        assert running.stdout
        assert running.stderr
        for number in (1, 2):
            running.stdin.write(f"{BACK_RANK} dm 1;\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["id"] == f"stdin:{number}"
        running.send_signal(signal.SIGINT)  # while it waits for the third line
        assert running.wait() == 130
        assert running.stdout.read() == ""
        assert without_summaries(running.stderr.read()) == "interrupted\n"


def test_a_closed_pipe_ends_the_command_quietly() -> None:
    with process("verify", "-", "--jsonl", "--format", "epd") as running:
        assert running.stdin
        assert running.stdout
        assert running.stderr
        running.stdin.write(f"{BACK_RANK} dm 1;\n" * 2)
        running.stdin.flush()
        running.stdout.readline()
        running.stdout.close()
        running.stdin.write(f"{BACK_RANK} dm 1;\n" * 200)
        running.stdin.close()
        assert running.wait() == 74
        assert without_summaries(running.stderr.read()) == ""


def test_a_narrow_terminal_does_not_cut_output_to_a_pipe() -> None:
    with process(
        "verify", "short.epd", COLUMNS="20", TERM="xterm", FORCE_COLOR="1"
    ) as running:
        out, err = running.communicate()
    assert out.splitlines()[-2:] == [
        "short.epd:1: claimed mate in 2, found mate in 1: 1. Ra8#",
        LINK.rstrip(),
    ]
    assert (without_summaries(err), running.returncode) == ("", 1)


def test_a_terminal_shows_progress_on_stderr_and_nothing_else() -> None:
    pty = pytest.importorskip("pty", reason="terminals are drawn on POSIX only")
    watching, terminal = pty.openpty()
    try:
        with process("verify", "good.epd", stderr=terminal, TERM="xterm") as running:
            out, _ = running.communicate()
        shown = os.read(watching, 65_536).decode()
    finally:
        os.close(watching)
        os.close(terminal)
    assert out.startswith("claim  proved  total")
    assert "1/1, 0:00:00 left, " in shown
    assert running.returncode == 0
