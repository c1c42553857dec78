from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from solver import __version__
from solver.audit.results import audit_result
from solver.audit.store import Store
from solver.cli import main
from solver.errors import AllocationError, CacheError, FenError, FormatError
from tests.cli.conftest import COMMAND, without_summaries
from tests.cli.processes import run_and_list_heavy
from tests.processes import run
from tools.listing import commands

if TYPE_CHECKING:
    from tests.cli.conftest import Matesolve

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"


def end_with(monkeypatch: pytest.MonkeyPatch, exception: BaseException) -> int:
    """Run a command that ends with the exception."""

    @click.command
    def command() -> None:
        raise exception

    monkeypatch.setattr(main.matesolve, "get_command", lambda _ctx, _name: command)
    return main.run(["anything"])


def test_the_version_is_printed(matesolve: Matesolve) -> None:
    assert matesolve("--version") == (0, f"matesolve {__version__}\n", "")


def test_without_arguments_help_is_shown(matesolve: Matesolve) -> None:
    ended = matesolve()

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == matesolve("--help").out


@pytest.mark.parametrize("name", main.SUMMARIES)
def test_every_command_exists_and_its_help_begins_with_its_summary(
    name: str, matesolve: Matesolve
) -> None:
    listed, ended = matesolve("--help").out, matesolve(name, "--help")

    assert f"  {name} " in listed
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"Usage: matesolve {name} ")
    assert ended.out.split("\n\n")[1].strip() == main.SUMMARIES[name]


@pytest.mark.parametrize("name", main.SUMMARIES)
def test_the_help_of_every_command_ends_with_examples(
    name: str, matesolve: Matesolve
) -> None:
    *_, last = matesolve(name, "--help").out.rstrip().split("\n\n")
    assert last.startswith("  Example")
    assert f"  matesolve {name}" in last


def test_help_version_and_usage_errors_load_nothing_heavy() -> None:
    helps = [f"{name} --help" for name, _ in commands()]
    calls = ["--help", "--version", "solve -n 0 x", *helps]
    program = (
        "import solver; solver.Limits(); solver.Problem('8/8', claim=solver.Claim(2))\n"
        "from solver.cli.main import run\n"
        f"for call in {calls}: run(call.split())"
    )
    printed, heavy = run_and_list_heavy(program)
    assert printed.count("Usage: ") == len(helps) + 1
    assert heavy == set()


def test_an_unknown_command_is_a_usage_error(matesolve: Matesolve) -> None:
    ended = matesolve("slove")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.endswith("No such command 'slove'. Did you mean 'solve'?\n")
    assert matesolve("xyz").err.endswith("No such command 'xyz'.\n")


@pytest.mark.parametrize(
    ("words", "solving"),
    [
        (["8/7K/8/8/8/8/R7/7k"], "8/7K/8/8/8/8/R7/7k"),
        (
            ["8/7K/8/8/8/8/R7/7k", "w", "-", "-", "--json"],
            "8/7K/8/8/8/8/R7/7k w - - --json",
        ),
        (["8/7K/8/8/8/8/R7/7k w"], "'8/7K/8/8/8/8/R7/7k w'"),
    ],
)
def test_a_position_without_a_command_suggests_solve(
    words: list[str], solving: str, matesolve: Matesolve
) -> None:
    ended = matesolve(*words)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.endswith(f". To solve a position: matesolve solve {solving}\n")


@pytest.mark.parametrize(
    ("exception", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (
            FenError("expected a king\n of White"),
            65,
            "error: expected a king of White\n",
        ),
        (CacheError("others can write to it"), 74, "error: others can write to it\n"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 74, ""),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "a.epd"),
            74,
            "error: a.epd: No such file or directory\n",
        ),
        (OSError("closed"), 74, "error: closed\n"),
        (
            AllocationError("--hash: expected 9 MiB"),
            74,
            "error: --hash: expected 9 MiB\n",
        ),
        (
            ZeroDivisionError("by\nzero"),
            70,
            "internal error: ZeroDivisionError: by zero; please report it\n",
        ),
        (AssertionError(), 70, "internal error: AssertionError; please report it\n"),
        (MemoryError(), 70, "error: out of memory; try a smaller --hash\n"),
    ],
)
def test_each_exception_has_an_exit_code_and_one_line(
    exception: BaseException,
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv(main.DEBUG, raising=False)

    assert end_with(monkeypatch, exception) == code
    assert capsys.readouterr() == ("", message)


def test_debugging_shows_the_traceback_of_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(main.DEBUG, "1")

    assert end_with(monkeypatch, ZeroDivisionError("zero")) == 70
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback (most recent call last):\n")
    assert shown.endswith("internal error: ZeroDivisionError: zero; please report it\n")


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["solve", "--json", MATE_IN_ONE],
        ["verify", "one.epd", "--jsonl"],
        ["verify", "one.epd"],
        ["convert", "one.epd", "--to", "csv", "-"],
        ["export", "run.db", "--to", "csv", "-o", "-"],
        ["export", "run.db", "--to", "jsonl", "-o", "-"],
    ],
    ids=" ".join,
)
def test_a_pipe_that_closes_early_ends_every_command_without_a_message(
    environment: dict[str, str], tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "one.epd").write_text(f"{MATE_IN_ONE} dm 1;\n")
    with Store(tmp_path / "run.db") as store:
        store.put_record(audit_result(FormatError("a.epd:1", "no position")), None)
    reading, writing = os.pipe()
    os.close(reading)

    with os.fdopen(writing, "wb") as pipe:
        ended = run([*COMMAND, *words], stdout=pipe, cwd=tmp_path, env=environment)

    assert (ended.returncode, without_summaries(ended.stderr)) == (74, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(environment: dict[str, str]) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = run([*COMMAND, "--help"], stdout=full, env=environment)

    assert ended.returncode == 74
    assert ended.stderr == "error: standard output: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_closed_streams_are_no_error(environment: dict[str, str]) -> None:
    ended = run(
        ["/bin/sh", "-c", '"$@" >&- 2>&-', "sh", *COMMAND, "--version"],
        env=environment,
    )

    assert ended.returncode == 0
