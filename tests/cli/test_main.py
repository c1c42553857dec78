"""The command: its help, its options, and how it ends."""

from __future__ import annotations

import errno
import os
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import click
import pytest

from solver import __version__
from solver.audit.results import audit_result
from solver.audit.store import Store
from solver.cli import main
from solver.cli.kernel import divide
from solver.cli.options import FEW, GROUPS, Cores
from solver.errors import AllocationError, CacheError, FenError, FormatError
from solver.problem import Limits
from solver.search.threads import Control
from solver.solution import StoppedBy
from tests.cli.conftest import COMMAND, without_summaries
from tests.cli.processes import run_and_list_heavy
from tests.processes import run
from tools import listing

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"


def test_the_version_and_the_help_are_printed(matesolve: Cli) -> None:
    assert matesolve("--version") == (0, f"matesolve {__version__}\n", "")
    assert matesolve() == (2, "", matesolve("--help").out)


def test_help_has_a_summary_and_examples(matesolve: Cli) -> None:
    for name in main.SUMMARIES:
        assert f"  {name} " in matesolve("--help").out
        code, out, err = matesolve(name, "--help")
        assert (code, err) == (0, "")
        usage, summary, *_, last = out.rstrip().split("\n\n")
        assert usage.startswith(f"Usage: matesolve {name} ")
        assert summary.strip() == main.SUMMARIES[name]
        assert last.startswith("  Example")
        assert f"  matesolve {name}" in last


def test_help_version_and_usage_errors_load_nothing_heavy() -> None:
    helps = [f"{name} --help" for name, _ in listing.commands()]
    calls = ["--help", "--version", "solve -n 0 x", *helps]
    program = (
        "import solver; solver.Limits(); solver.Problem('8/8', claim=solver.Claim(2))\n"
        "from solver.cli.main import run\n"
        f"for call in {calls}: run(call.split())"
    )
    printed, heavy = run_and_list_heavy(program)
    assert printed.count("Usage: ") == len(helps) + 1
    assert heavy == set()


ROOK = "8/7K/8/8/8/8/R7/7k"
UNKNOWN = [
    (["slove"], "No such command 'slove'. Did you mean 'solve'?"),
    (["xyz"], "No such command 'xyz'."),
    ([ROOK, "w", "-", "-", "--json"], f": matesolve solve {ROOK} w - - --json"),
    ([f"{ROOK} w"], f". To solve a position: matesolve solve '{ROOK} w'"),
]


def test_an_unknown_command_is_a_usage_error_that_suggests_another(
    matesolve: Cli,
) -> None:
    for words, message in UNKNOWN:
        ended = matesolve(*words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.endswith(f"{message}\n")


# --- Options

LISTED = listing.listing()
SHARED: dict[str, list[listing.Listed]] = defaultdict(list)
for one in LISTED:
    for option_name in one.names:
        SHARED[option_name].append(one)

OF_SOLVE = {"--depth": "Show the play of the first D moves only"}
"""Composers expect this name, and `solve` has no depth of a search."""


def test_a_shared_option_means_the_same_in_each_command() -> None:
    assert {"-n", "--time", "--nodes", "--json", "-o"} <= SHARED.keys()
    for name, options in SHARED.items():
        forms = defaultdict(set)
        for one in options:
            is_own = one.command == "solve" and one.meaning == OF_SOLVE.get(name)
            option = one.option
            form = (one.names, one.meaning, option.metavar, option.is_flag)
            forms[is_own].add(form)
        assert len(forms[False]) == 1, name
        assert (True in forms) == (name in OF_SOLVE), name


def test_the_help_of_every_option_is_a_sentence_in_a_group() -> None:
    counts = Counter(listed.command for listed in LISTED)
    grouped = [name for group in GROUPS.values() for name in group]
    for listed in LISTED:
        help_text = listed.option.help or ""
        assert re.fullmatch(r"(\.\.\. [a-z]|[A-Z]).*[.)]", help_text), help_text
        if counts[listed.command] >= FEW:  # `--help` is one more
            assert {*grouped} & {*listed.names}, listed
    assert len(grouped) == len(set(grouped))
    assert {*grouped} <= SHARED.keys()


def test_all_cores_are_used_by_default_except_within_a_limit_of_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.search.threads.usable_cores", lambda: 6)
    for given, nodes, on_cluster, threads in (
        (Cores(None), None, False, 6),  # all cores
        (Cores(None, jobs=3), None, False, 3),  # as many as there are processes
        (Cores(4, jobs=3), None, False, 4),
        (Cores(None), 5_000_000, False, 1),  # a limit of nodes is exact
        (Cores(2), 5_000_000, False, 2),
        (Cores(None), None, True, 1),  # the cluster says how many searches it runs
    ):
        limits = given.limits(Limits(nodes=nodes), on_cluster=on_cluster)
        assert limits == Limits(nodes=nodes, threads=threads), given


# --- How it ends


NO_FILE = FileNotFoundError(errno.ENOENT, "No such file or directory", "a.epd")
REPORT = "; please report it"


@pytest.mark.parametrize(
    ("exception", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (FenError("expected a\n king"), 65, "error: expected a king\n"),
        (CacheError("others can write"), 74, "error: others can write\n"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 74, ""),
        (NO_FILE, 74, "error: a.epd: No such file or directory\n"),
        (OSError("closed"), 74, "error: closed\n"),
        (AllocationError("--hash: 9 MiB"), 74, "error: --hash: 9 MiB\n"),
        (ValueError("by\nzero"), 70, f"internal error: ValueError: by zero{REPORT}\n"),
        (AssertionError(), 70, f"internal error: AssertionError{REPORT}\n"),
        (MemoryError(), 70, "error: out of memory; try a smaller --hash\n"),
    ],
)
def test_each_exception_has_an_exit_code_and_one_line_and_a_traceback_on_request(
    exception: BaseException,
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    matesolve: Cli,
) -> None:
    @click.command
    def command() -> None:
        raise exception

    monkeypatch.setattr(main.matesolve, "get_command", lambda _ctx, _name: command)
    assert matesolve("anything") == (code, "", message)
    shown = matesolve("anything", env={main.DEBUG: "1"}).err
    assert shown.startswith("Traceback (most") == message.startswith("internal")
    assert shown.endswith(message)


CLOSED_PIPES = """
--help
solve --json {MATE_IN_ONE}
verify one.epd --jsonl
inspect one.epd
convert one.epd --to csv -
export run.db --to jsonl -o -
generate 1 --puzzles 1000000
"""


def test_a_pipe_that_closes_early_ends_every_command_without_a_message(
    environment: dict[str, str],
) -> None:
    for line in CLOSED_PIPES.strip().splitlines():
        Path("one.epd").write_text(f"{MATE_IN_ONE} dm 1;\n")
        with Store(Path("run.db")) as store:
            store.put_record(audit_result(FormatError("a.epd:1", "no position")), None)
        reading, writing = os.pipe()
        os.close(reading)
        words = line.format(MATE_IN_ONE=MATE_IN_ONE).split()
        with os.fdopen(writing, "wb") as pipe:
            ended = run([*COMMAND, *words], stdout=pipe, env=environment)
        assert (ended.returncode, without_summaries(ended.stderr)) == (74, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(environment: dict[str, str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = run([*COMMAND, "--help"], stdout=full, env=environment)
    assert ended.returncode == 74
    assert ended.stderr == "error: standard output: No space left on device\n"
    shell = ["/bin/sh", "-c", '"$@" >&- 2>&-', "sh"]
    assert run([*shell, *COMMAND, "--version"], env=environment).returncode == 0


# --- Perft, whose published counts are in tests/kernel


def test_divide_lists_each_legal_move_with_its_leaves_until_it_is_stopped() -> None:
    for fen in ("8/P5k1/8/8/8/8/1K6/8 w - - 0 1", "4k3/1p6/8/8/8/8/6p1/4K3 b - - 0 1"):
        board, control = chess.Board(fen), Control()
        counts = dict(divide(board, 2, control, listed=board.turn))
        assert set(counts) == set(board.legal_moves)
        for move, leaves in counts.items():
            board.push(move)
            assert leaves == board.legal_moves.count()
            board.pop()
        control.stop(StoppedBy.INTERRUPT)
        assert list(divide(board, 5, control, listed=False)) == []
