"""What a process loads that only solves, and how it leaves."""

from __future__ import annotations

import json
import sys

import pytest

from tests.cli.processes import ENVIRONMENT
from tests.processes import run

SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
EN_PASSANT = "7k/8/5K2/3pP3/8/8/8/R7 w - d6 0 1"
ENDING = "7k/8/5K2/8/8/8/8/R7 w - - 0 1"

UNNEEDED = {
    *("chess", "numba", "numpy", "rich"),
    *("json", "solver.movetext", "solver.formats", "solver.endgames.probe"),
    *("click", "datetime", "gzip", "sqlite3", "traceback"),
    *("bisect", "encodings.ascii", "importlib.util", "signal", "solver.play"),
    *("solver.kernel.border.scored_struct", "solver.kernel.build.linker"),
}
"""Modules that a plain answer does not need. What click imports is left out of this."""

if sys.platform == "linux":  # elsewhere, llvmlite links the stored code
    UNNEEDED |= {
        *("llvmlite", "platformdirs", "importlib.metadata", "hashlib"),
        *("email", "pathlib", "socket", "tempfile"),
    }

PROGRAM = """
import sys
before = set()
if {command!r}:
    import click
    before = set(sys.modules)
{call}
print(*sorted({unneeded!r} & set(sys.modules) - before))
"""


def unneeded(call: str, *, command: bool) -> tuple[str, set[str]]:
    """Run a call; return what it prints, and the unneeded modules that it loads."""
    program = PROGRAM.format(command=command, call=call, unneeded=UNNEEDED)
    done = run([sys.executable, "-c", program], check=True, env=ENVIRONMENT)
    *printed, loaded = done.stdout.splitlines(keepends=True)
    return "".join(printed), set(loaded.split())


@pytest.mark.parametrize(
    ("fen", "headline"),
    [
        (SMOTHERED, "White mates in 2."),
        (EN_PASSANT, "White mates in 2."),
        (ENDING, "White mates in 2."),
        ("7k/8/8/8/8/8/8/K7 w - - 0 1", "No mate"),
    ],
    ids=["mate", "en passant", "small endgame", "no mate"],
)
def test_an_answer_in_words_loads_nothing_that_it_does_not_need(
    fen: str, headline: str
) -> None:
    call = f"from solver.cli.main import run; run(['solve', {fen!r}, '-n', '3'])"
    printed, loaded = unneeded(call, command=True)
    assert headline in printed
    assert loaded == set()


def test_a_record_loads_json_and_nothing_else_that_it_does_not_need() -> None:
    call = f"from solver.cli.main import run; run(['solve', {SMOTHERED!r}, '--jsonl'])"
    printed, loaded = unneeded(call, command=True)
    assert json.loads(printed)["mate"] == 2
    assert loaded == {"json"}


def test_an_answer_in_python_loads_nothing_that_it_does_not_need() -> None:
    call = f"import solver; print(solver.solve({SMOTHERED!r}).mate)"
    printed, loaded = unneeded(call, command=False)
    assert printed == "2\n"
    assert loaded == set()
    assert unneeded("import solver", command=False) == ("", set())


def test_a_command_leaves_at_once_but_runs_what_was_registered_for_its_end() -> None:
    program = f"""
import atexit, sys
from solver.__main__ import main

class Last:
    def __del__(self):
        print("freed")

last = Last()
last.itself = last
atexit.register(print, "registered")
sys.argv = ["matesolve", "solve", {SMOTHERED!r}, "--jsonl"]
main()
"""
    env = {**ENVIRONMENT, "PYTHONUNBUFFERED": ""}
    done = run([sys.executable, "-c", program], env=env)
    assert done.returncode == 0
    assert done.stdout.endswith("}\nregistered\n")


def test_a_thread_that_still_runs_is_waited_for() -> None:
    program = """
import sys, threading
from solver.__main__ import main

def end():
    go_on.wait()
    print("ended")

go_on = threading.Event()
threading.Thread(target=end).start()
threading._register_atexit(go_on.set)
sys.argv = ["matesolve", "--version"]
main()
"""
    env = {**ENVIRONMENT, "PYTHONUNBUFFERED": ""}
    done = run([sys.executable, "-c", program], env=env)
    assert done.returncode == 0
    assert done.stdout.endswith("ended\n")
