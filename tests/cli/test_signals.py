"""Ctrl-C, SIGTERM and SIGHUP: partial results are printed and stored, exit code 130."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.conftest import COMMAND, without_summaries
from tests.cli.processes import ENVIRONMENT, process
from tests.cpu_time import ending_within, wait_for_work
from tests.processes import run, started

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals"),
]

MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
LONG = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -"
EVERY = ["SIGINT", "SIGTERM", "SIGHUP"]


def each_signal(*cases: object) -> list[Any]:
    """Pair each case with each signal; all pairs but one in turn are slow."""
    return [
        pytest.param(case, how, marks=() if turn % 3 == number else pytest.mark.slow)
        for turn, case in enumerate(cases)
        for number, how in enumerate(EVERY)
    ]


INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            try:
                os.kill(os.getpid(), signal.{how})
                while True:
                    pass
            except KeyboardInterrupt:
                if {hidden}:
                    raise SyntaxError("what an import made of it") from None
                raise

sys.meta_path.insert(0, Interrupting())
sys.argv = ["matesolve", "solve", {fen!r}]
from solver.__main__ import main
main()
"""


INTERRUPTED_END = """
import os, signal, sys

class Last:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.{how}):
        kill(pid, number)

sys.modules["last"] = Last()
sys.argv = ["matesolve", *{arguments!r}]
from solver.__main__ import main
main()
"""


INTERRUPTED_COMPILER = """
import ctypes, os, signal, sys
from solver.kernel.build import loader

@ctypes.CFUNCTYPE(None)
def call_back():
    os.kill(os.getpid(), signal.{how})
    for _ in range(1000):
        pass

loader.load_part = lambda *_: call_back()
loader.loaded_part = lambda _: None
sys.argv = ["matesolve", *{arguments!r}]
from solver.__main__ import main
main()
"""


def write(running: subprocess.Popen[str], *lines: str) -> None:
    assert running.stdin is not None
    running.stdin.write("".join(f"{line}\n" for line in lines))
    running.stdin.flush()


@pytest.mark.parametrize(
    ("options", "how"), each_signal([], ["--jobs", "2", "--ordered"])
)
def test_an_interrupted_audit_prints_the_complete_results(
    options: list[str], how: str
) -> None:
    words = ["--format", "epd", "--time", "3000", *options]
    with process("verify", "-", *words) as running:
        write(running, f"{MATE_IN_1} dm 1;", "no position", LONG)
        assert running.stderr is not None
        assert (
            "stdin:2" in running.stderr.readline()
        )  # in order, so the first is complete
        # Terminals and `timeout` signal the whole group; `timeout` does it twice.
        os.killpg(running.pid, getattr(signal, how))
        if how != "SIGINT":
            os.killpg(running.pid, getattr(signal, how))
        out, err = running.communicate()

    assert running.returncode == 130
    assert out.splitlines()[-1].split()[:4] == ["all", "1", "1", "2"]
    assert without_summaries(err) == "interrupted\n"


@pytest.mark.parametrize(("option", "how"), each_signal("--store"))
def test_an_interrupted_audit_stores_the_complete_results(
    option: str, how: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.db"
    words = [option, str(path), "--jsonl", "--time", "3000", "--format", "epd"]
    with process("verify", "-", *words) as running:
        write(running, f"{MATE_IN_1} dm 1;", LONG)
        assert running.stdout is not None
        assert json.loads(running.stdout.readline())["verdict"] == "proved"
        os.killpg(running.pid, getattr(signal, how))
        _, err = running.communicate()

    assert (running.returncode, without_summaries(err)) == (130, "interrupted\n")
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("SELECT verdict FROM results").fetchall() == [("proved",)]
    assert [file.name for file in tmp_path.iterdir()] == ["run.db"]


@pytest.mark.parametrize(("option", "how"), each_signal("--jsonl"))
def test_an_interrupted_search_prints_its_partial_result(option: str, how: str) -> None:
    with process("solve", "-", option) as running:
        write(running, MATE_IN_1, LONG)
        assert running.stdout is not None
        assert json.loads(running.stdout.readline())["mate"] == 1
        wait_for_work(running)
        running.send_signal(getattr(signal, how))
        if how != "SIGINT":
            running.send_signal(getattr(signal, how))
        out, err = running.communicate()

    assert (running.returncode, err) == (130, "")
    assert json.loads(out)["stopped_by"] == "interrupt"


@pytest.mark.parametrize(("command", "how"), each_signal("uci"))
def test_an_interrupted_engine_ends_silently(command: str, how: str) -> None:
    with process(command) as running:
        write(running, "isready")
        assert running.stdout is not None
        assert running.stdout.readline() == "readyok\n"
        running.send_signal(getattr(signal, how))
        assert running.communicate() == ("", "")

    assert running.returncode == 130


@pytest.mark.parametrize(
    ("module", "how"),
    each_signal("solver.cli.main", "click", "solver.cli.solve", "solver.solving"),
)
@pytest.mark.parametrize("hidden", [False, True])
def test_an_interrupt_during_imports_is_one_line(
    module: str, how: str, hidden: bool
) -> None:
    program = INTERRUPTED_IMPORT.format(
        module=module, how=how, hidden=hidden, fen=MATE_IN_1
    )
    ended = run([sys.executable, "-c", program], env=ENVIRONMENT)

    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr == "interrupted\n"


@pytest.mark.parametrize(
    ("arguments", "how"), each_signal(["--version"], ["solve"], ["solve", MATE_IN_1])
)
def test_an_interrupt_while_the_interpreter_ends_keeps_the_exit_code(
    arguments: list[str], how: str
) -> None:
    program = INTERRUPTED_END.format(how=how, arguments=arguments)
    ended = run([sys.executable, "-c", program], env=ENVIRONMENT)
    assert ended.returncode == (2 if arguments == ["solve"] else 0)
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "how"),
    each_signal(["warmup"], ["solve", MATE_IN_1], ["verify", "-"], ["table"]),
)
def test_an_interrupt_during_compilation_is_one_line(
    arguments: list[str], how: str
) -> None:
    program = INTERRUPTED_COMPILER.format(how=how, arguments=arguments)
    ended = run([sys.executable, "-c", program], env=ENVIRONMENT)

    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr == "interrupted\n"


def test_a_signal_that_is_ignored_from_the_start_stays_ignored() -> None:
    shell = ["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]
    words = [*shell, *COMMAND, "verify", "-", "--jsonl", "--format", "epd"]
    pipes = {"stdin": -1, "stdout": -1, "stderr": -1}
    with started(words, env=ENVIRONMENT, **pipes) as running:
        assert running.stdout is not None
        for _ in range(2):
            write(running, f"{MATE_IN_1} dm 1;")
            assert json.loads(running.stdout.readline())["verdict"] == "proved"
            running.send_signal(signal.SIGHUP)
        running.send_signal(signal.SIGTERM)
        out, err = running.communicate()
        assert (out, without_summaries(err)) == ("", "interrupted\n")

    assert running.returncode == 130


ENOUGH_S = 2.0
"""Seconds of CPU time; the slowest of these commands needs 0.5."""

SLOW_COMPILER = """
import hashlib, sys
import solver.kernel.build.loader

solver.kernel.build.loader.load_part = (
    lambda *_: hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000_000)
)
sys.argv = ["matesolve", "warmup"]
from solver.__main__ import main
main()
"""
"""A call that works for a minute without coming back to Python, as LLVM does."""


@pytest.mark.parametrize(("program", "how"), each_signal(SLOW_COMPILER))
def test_an_interrupt_does_not_wait_for_the_compiler(program: str, how: str) -> None:
    words = [sys.executable, "-c", program]
    with started(words, env=ENVIRONMENT, stderr=-1) as running:
        wait_for_work(running, 1)
        with ending_within(running, ENOUGH_S):
            running.send_signal(getattr(signal, how))
            _, err = running.communicate()
    assert (running.returncode, without_summaries(err)) == (130, "interrupted\n")


PRINTED = 1 << 20
"""Bytes of a long output that are printed before the signal."""

MANY = "8/8/8/4k3/8/2n5/4P3/4K2B b - - 0 1"
HELP = ["solve", MANY, "--stipulation", "h#8"]
MOST = 500_000
PRINTING = [*HELP, "--max-solutions", f"{MOST}"]
NO_LIMIT = ["--time", "3000"]

BUSY = {
    "solve": (["solve", LONG], 0),
    "solve-help-mates": (HELP, 0),
    "solve-prints-text": (PRINTING, PRINTED),
    "solve-prints-json": ([*PRINTING, "--jsonl"], PRINTED),
    "popeye": (["popeye", "many.inp"], PRINTED),
    "verify": (["verify", "long.epd", "--store", "run.db", *NO_LIMIT], 0),
    "improve": (["improve", "long.epd", "-o", "better.epd", *NO_LIMIT], 0),
    "convert": (["convert", "short.epd", "short.csv"], 0),
    "table": (["table", "--depth", "30"], 0),
    "trace": (["trace", LONG, "--depth", "9"], 0),
    "match": (["match", "--a", "check-extension=all", "--games", "5000"], 0),
    "mip": (["mip", "build", "short.epd", "-o", "table.npz"], 0),
    "perft": (["perft", "--depth", "8"], 0),
}
"""Commands at work: their arguments, and the bytes of output to wait for."""

SAMPLE = {
    ("solve-help-mates", "SIGINT"),
    ("solve-prints-text", "SIGINT"),
    ("solve-prints-json", "SIGTERM"),
    ("popeye", "SIGHUP"),
}


@pytest.fixture(scope="module")
def all_parts() -> None:
    """Let no command compile."""
    run([*COMMAND, "warmup"], env=ENVIRONMENT, check=True)


@pytest.mark.usefixtures("all_parts")
@pytest.mark.parametrize(
    ("command", "how"),
    [
        pytest.param(*pair, marks=() if pair in SAMPLE else pytest.mark.slow)
        for pair in product(BUSY, EVERY)
    ],
)
def test_one_signal_ends_a_busy_command_at_once(
    command: str, how: str, tmp_path: Path
) -> None:
    (tmp_path / "long.epd").write_text(f"{LONG} dm 9;\n" * 9)
    if "short.epd" in BUSY[command][0]:
        record = f'{MATE_IN_1} dm 1; c9 "1-0";\n'
        (tmp_path / "short.epd").write_text(record * 300_000)
    forsyth = MANY.split(maxsplit=1)[0].replace("n", "s")
    (tmp_path / "many.inp").write_text(
        f"BeginProblem\nForsyth {forsyth}\nStipulation h#8\nEndProblem\n"
    )
    arguments, size = BUSY[command]
    output = tmp_path / "output"
    with (
        output.open("w") as file,
        started(
            [*COMMAND, *arguments],
            stdout=file,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=ENVIRONMENT,
        ) as running,
    ):
        wait_for_work(running, 1.5)
        while running.poll() is None and output.stat().st_size < size:
            wait_for_work(running, 0.02)
        assert running.poll() is None
        with ending_within(running, ENOUGH_S):
            running.send_signal(getattr(signal, how))
            _, err = running.communicate()

    assert running.returncode == 130, err
    err = without_summaries(err)
    assert err == "" or err.startswith("interrupted"), err
    printed = output.read_text()
    if command == "solve-prints-text":
        assert f"of {MOST:,} solutions are shown" in " ".join(printed.split())
    if command == "solve-prints-json":
        record = json.loads(printed)
        assert record["solutions_found"] == MOST
        assert not record["solutions_complete"]
        assert len(record["solutions"]) % 1000 == 0
