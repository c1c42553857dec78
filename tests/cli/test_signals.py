"""Ctrl-C, SIGTERM and SIGHUP: partial results are printed and stored, exit code 130."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from solver.cli.signals import interruptible
from solver.solution import StoppedBy
from tests.cli.conftest import COMMAND, names, rows, without_summaries
from tests.cli.processes import ENVIRONMENT, process
from tests.cpu_time import ending_within, wait_for_work
from tests.processes import run, started
from tests.sizes import sized

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")

MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
LONG = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -"
EVERY = ["SIGINT", "SIGTERM", "SIGHUP"]


# --- The handlers, in this process


class Search:
    def __init__(self) -> None:
        self.stopped: list[StoppedBy] = []

    def stop(self, reason: StoppedBy = StoppedBy.TIME) -> None:
        self.stopped.append(reason)


def test_the_first_interrupt_stops_the_search_and_the_second_ends_the_program() -> None:
    search, before = Search(), signal.getsignal(signal.SIGINT)
    with interruptible(search):
        assert signal.getsignal(signal.SIGINT) != before
        signal.raise_signal(signal.SIGINT)
        assert search.stopped == [StoppedBy.INTERRUPT]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert search.stopped == [StoppedBy.INTERRUPT]
    assert signal.getsignal(signal.SIGINT) == before


def test_ignored_interrupts_stay_ignored_and_other_threads_handle_none() -> None:
    search, during = Search(), []

    def work() -> None:
        with interruptible(Search()):
            during.append(signal.getsignal(signal.SIGINT))

    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible(search):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (during, search.stopped) == ([before], [])


# --- At the beginning and the end of a program

PROGRAM = """
import os, signal, sys

number = signal.{how}
sys.argv = ["matesolve", *sys.argv[1:]]
{what}
from solver.__main__ import main
main()
"""

IMPORTS = """
import sys

found = []

class Listing:
    def find_spec(self, name, path=None, target=None):
        found.append(name)

sys.meta_path.insert(0, Listing())
from solver.__main__ import main
from solver.cli.main import run
run(sys.argv[1:])
print(*found)
"""
"""Runs a command, and prints what it imports."""

AT_AN_IMPORT = """
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            sys.meta_path.remove(self)
            try:
                os.kill(os.getpid(), number)
                while True:
                    pass
            except KeyboardInterrupt:
                if {hidden}:
                    raise SyntaxError("what an import made of it") from None
                raise

sys.meta_path.insert(0, Interrupting())
"""

AT_THE_END = """
class Last:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=number):
        kill(pid, number)

sys.modules["last"] = Last()
"""


def python(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-c", program, *words], env=ENVIRONMENT)


@sized("step", 30, 1)
def test_an_interrupt_during_any_import_is_one_line(step: int) -> None:
    words = ["solve", MATE_IN_1, "--jsonl"]
    names = python(IMPORTS, *words).stdout.splitlines()[-1].split()
    assert len(names) > 60
    handled = names[names.index("solver.cli") + 1 :]
    for turn, module in enumerate(handled[::step]):
        what = AT_AN_IMPORT.format(module=module, hidden=turn % 2)
        ended = python(PROGRAM.format(what=what, how=EVERY[turn % 3]), *words)
        printed = ended.returncode, ended.stdout, ended.stderr
        assert printed == (130, "", "interrupted\n"), module


def test_a_late_interrupt_keeps_the_exit_code() -> None:
    for option, how in (("--version", "SIGINT"), ("--x", "SIGHUP")):
        ended = python(PROGRAM.format(what=AT_THE_END, how=how), option)
        assert ended.returncode == (2 if option == "--x" else 0)
        assert "Traceback" not in ended.stderr


LEAVING = """
import atexit, sys, threading
from solver.__main__ import main

class Last:
    def __del__(self):
        print("freed")

def end():
    go_on.wait()
    print("ended")

last = Last()
last.itself = last
go_on = threading.Event()
if {has_thread}:
    threading.Thread(target=end).start()
    threading._register_atexit(go_on.set)
atexit.register(print, "registered")
main()
"""


def test_a_command_leaves_at_once_but_waits_for_threads() -> None:
    for has_thread, end in ((False, "}\nregistered\n"), (True, "registered\nfreed\n")):
        ended = python(
            LEAVING.format(has_thread=has_thread), "solve", MATE_IN_1, "--jsonl"
        )
        assert ended.returncode == 0
        assert ended.stdout.endswith(end)
        assert ("\nended\n" in ended.stdout) == has_thread


# --- Commands at work


def write(running: subprocess.Popen[str], *lines: str) -> None:
    assert running.stdin is not None
    running.stdin.write("".join(f"{line}\n" for line in lines))
    running.stdin.flush()


@pytest.mark.parametrize(("jobs", "how"), [("1", "SIGINT"), ("2", "SIGTERM")])
def test_an_interrupt_keeps_results(jobs: str, how: str) -> None:
    words = ["--format", "epd", "--time", "3000", "--ordered", "--jobs", jobs]
    with process("verify", "-", *words, "--store", "run.db") as running:
        write(running, f"{MATE_IN_1} dm 1;", "no position", LONG)
        assert running.stderr is not None
        # In order, so the first is complete.
        assert "stdin:2" in running.stderr.readline()
        # Terminals and `timeout` signal the whole group; `timeout` does it twice.
        for _ in range(1 if how == "SIGINT" else 2):
            os.killpg(running.pid, getattr(signal, how))
        out, err = running.communicate()
    assert running.returncode == 130
    assert out.splitlines()[-1].split()[:4] == ["all", "1", "1", "2"]
    assert without_summaries(err) == "interrupted\n"
    with closing(sqlite3.connect("run.db")) as base:
        stored = base.execute("SELECT verdict FROM results ORDER BY line").fetchall()
    assert stored == [("proved",), ("unreadable",)]
    assert names() == ["run.db"]


def test_an_interrupted_search_prints_its_partial_result() -> None:
    with process("solve", "-", "--jsonl") as running:
        write(running, MATE_IN_1, LONG)
        assert running.stdout is not None
        assert json.loads(running.stdout.readline())["mate"] == 1
        wait_for_work(running)
        for _ in range(2):
            running.send_signal(signal.SIGTERM)
        out, err = running.communicate()
    assert (running.returncode, err) == (130, "")
    assert json.loads(out)["stopped_by"] == "interrupt"


ENOUGH_S = 2.0
"""Seconds of CPU time; the slowest of these commands needs 0.5."""

SLOW_COMPILER = """
import hashlib
import solver.kernel.build.loader

solver.kernel.build.loader.load_part = (
    lambda *_: hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000_000)
)
"""
"""A call that works for a minute without coming back to Python, as LLVM does."""


def test_an_interrupt_does_not_wait_for_the_compiler() -> None:
    program = PROGRAM.format(what=SLOW_COMPILER, how="SIGTERM")
    words = [sys.executable, "-c", program, "warmup"]
    with started(words, env=ENVIRONMENT, stderr=-1) as running:
        wait_for_work(running, 1)
        with ending_within(running, ENOUGH_S):
            running.send_signal(signal.SIGTERM)
            _, err = running.communicate()
    assert (running.returncode, without_summaries(err)) == (130, "interrupted\n")


PRINTED = 1 << 20
"""Bytes of a long output that are printed before the signal."""

MANY = "8/8/8/4k3/8/2n5/4P3/4K2B b - - 0 1"
HELP = f"{MANY} --stipulation h#8"
MOST = 500_000
PRINTING = f"{HELP} --max-solutions {MOST}"

BUSY = """
solve | {LONG} | 0 | SIGHUP
solve-prints-text | {PRINTING} | {PRINTED} | SIGINT
solve-prints-json | {PRINTING} --jsonl | {PRINTED} | SIGTERM
popeye | many.inp | {PRINTED} | SIGHUP
verify | long.epd --store run.db --time 3000 | 0 | SIGTERM
"""
"""Commands at work: their arguments, and the bytes of output to wait for."""

FEW = ("solve-prints-text", "solve-prints-json", "popeye")


@pytest.mark.parametrize(
    ("command", "arguments", "size", "how"),
    [
        pytest.param(*row, marks=() if row[0] in FEW else pytest.mark.slow)
        for row in rows(BUSY.format(LONG=LONG, PRINTING=PRINTING, PRINTED=PRINTED))
    ],
)
def test_one_signal_ends_a_command(
    command: str, arguments: str, size: str, how: str
) -> None:
    Path("long.epd").write_text(f"{LONG} dm 9;\n" * 9)
    forsyth = MANY.split(maxsplit=1)[0].replace("n", "s")
    problem = f"BeginProblem\nForsyth {forsyth}\nStipulation h#8\nEndProblem\n"
    Path("many.inp").write_text(problem)
    output = Path("output")
    words = [*COMMAND, command.partition("-")[0], *arguments.split()]
    streams: dict[str, Any] = {"stderr": -1, "env": ENVIRONMENT}
    with output.open("w") as file, started(words, stdout=file, **streams) as running:
        wait_for_work(running, 1.5)
        while running.poll() is None and output.stat().st_size < int(size):
            wait_for_work(running, 0.02)
        assert running.poll() is None
        with ending_within(running, ENOUGH_S):
            running.send_signal(getattr(signal, how))
            _, err = running.communicate()
    err = without_summaries(err)
    assert running.returncode == 130, err
    assert err == "" or err.startswith("interrupted"), err
    printed = output.read_text()
    if command == "solve-prints-text":
        assert f"of {MOST:,} solutions are shown" in " ".join(printed.split())
    if command == "solve-prints-json":
        record = json.loads(printed)
        assert record["solutions_found"] == MOST
        assert not record["solutions_complete"]
        assert len(record["solutions"]) % 1000 == 0
