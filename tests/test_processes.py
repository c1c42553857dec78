"""Child processes of tests receive signals, and none outlives its test."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import limited, limited_workers, run, started

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

DEAF = ("/bin/sh", "-c", "trap '' INT HUP QUIT TERM; exec \"$@\"", "sh")
"""Runs a command as `nohup` and a script's `&` do: with signals ignored."""

SIGNALS = """
import json, signal
names = "SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE"
print(json.dumps([str(signal.getsignal(getattr(signal, name))) for name in names]))
"""

HELPER = f"""
import sys
from tests.processes import run
print(run([sys.executable, "-c", {SIGNALS!r}], check=True).stdout)
"""

PYTEST = """
import sys, pytest
code = pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]])
from solver.kernel.border.parts import PARTS
from solver.kernel.build.loader import loaded_part
parts = [part.name for part in PARTS if loaded_part(part)]
print("loaded:", *sorted({"llvmlite", "numba"} & set(sys.modules)), *parts)
sys.exit(code)
"""

PARENT = ("/bin/sh", "-c", "sleep 600 & echo $!; wait")
"""Starts a child and prints its process id."""


def number_of_child(parent: subprocess.Popen[str]) -> int:
    assert parent.stdout is not None
    return int(parent.stdout.readline())


def has_ended(pid: int) -> bool:
    """Wait until a killed process is gone, or is a zombie of its parent."""
    for _ in range(1000):
        state = run(["ps", "-o", "stat=", "-p", str(pid)]).stdout
        if not state or state.startswith("Z"):
            return True
        time.sleep(0.01)
    return False


def test_a_child_has_default_signals_where_its_parent_ignores_them() -> None:
    plain, deaf, helped = (
        json.loads(run([*words, program], cwd=ROOT, check=True).stdout)
        for words, program in (
            ((sys.executable, "-c"), SIGNALS),
            ((*DEAF, sys.executable, "-c"), SIGNALS),
            ((*DEAF, sys.executable, "-c"), HELPER),
        )
    )
    assert deaf != plain
    assert helped == plain


def test_a_process_that_takes_too_long_is_killed_with_its_children() -> None:
    children = []

    def wait_for_ever() -> None:
        with started(PARENT, stdout=subprocess.PIPE) as parent:
            children.append(number_of_child(parent))
            assert parent.stdout is not None
            with limited(parent.pid, patience_s=0.1):
                assert parent.stdout.read() == ""  # the last of the group has ended
                assert parent.wait() == -signal.SIGKILL

    with pytest.raises(TimeoutError, match=r"process \d+ was killed: it took over 0.1"):
        wait_for_ever()
    assert has_ended(*children)


def test_a_test_that_fails_leaves_no_process_behind() -> None:
    children = []

    def fail() -> None:
        with started(PARENT, stdout=subprocess.PIPE) as parent:
            children.append(number_of_child(parent))
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        fail()
    assert has_ended(*children)


def test_workers_that_take_too_long_are_killed() -> None:
    worker = multiprocessing.get_context("spawn").Process(target=time.sleep, args=[600])
    worker.start()

    def wait_for_ever() -> None:
        with limited_workers(patience_s=0.1):
            worker.join()

    with pytest.raises(TimeoutError, match=r"the workers were killed: it took over"):
        wait_for_ever()
    assert worker.exitcode == -signal.SIGKILL


def run_tests(*arguments: str, through: tuple[str, ...] = (), **variables: str) -> str:
    """Run tests, which must pass, in another process; return its last line."""
    done = run(
        [*through, sys.executable, "-c", PYTEST, *arguments],
        cwd=ROOT,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stdout  # it is not when no test is found
    last: str = done.stdout.splitlines()[-1]
    return last


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("file", ["test_verify.py", "test_interrupt.py"])
def test_tests_receive_ctrl_c_where_their_runner_ignores_it(file: str) -> None:
    run_tests(f"tests/cli/{file}", "-k", "interrupt or ctrl_c", through=DEAF)


def test_tests_that_read_no_position_compile_nothing(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    room = "tests/formats/test_streams.py"
    assert run_tests(room, MATESOLVE_CACHE_DIR=str(cache)) == "loaded:"
    assert not cache.exists()


@pytest.mark.usefixtures("kernel")
def test_tests_that_solve_load_the_kernel() -> None:
    expected = "loaded: search battle laboratory help"
    assert run_tests("tests/cli/test_perft.py") == expected


def test_a_run_returns_output_and_error_text() -> None:
    program = "import sys; print(input()); print(2, file=sys.stderr); sys.exit(3)"
    done = run([sys.executable, "-c", program], stdin="1\n")
    assert (done.returncode, done.stdout, done.stderr) == (3, "1\n", "2\n")
    with pytest.raises(subprocess.CalledProcessError):
        run([sys.executable, "-c", "raise SystemExit(1)"], check=True)
