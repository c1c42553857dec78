"""A command opens no connection, starts no program and runs no code of its inputs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND
from tests.hostile_folder import make_hostile
from tests.processes import run

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
OTHER = "6k1/5ppp/8/8/8/8/8/1R4K1 w - - 0 1"

FORBIDDEN = (
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pickle.",
    "socket.",
    "sqlite3.enable_load_extension",
    "sqlite3.load_extension",
    "subprocess.",
    "urllib.",
)
"""Beginnings of the names of Python's audit events."""

WATCHED = f"""
import sys

def watch(event, arguments):
    if event.startswith({FORBIDDEN!r}):
        sys.stderr.write(f"forbidden: {{event}}\\n")

sys.addaudithook(watch)
"""

MAIN = "from solver.__main__ import main; main()"


def forbidden_events(
    folder: Path, *arguments: str, stdin: str = "", program: str = MAIN
) -> list[str]:
    """Run a command in a folder, and return the forbidden events that it raises."""
    ended = run(
        [sys.executable, "-c", WATCHED + program, *arguments], stdin=stdin, cwd=folder
    )
    assert ended.returncode == 0, ended.stderr
    return [x for x in ended.stderr.splitlines() if x.startswith("forbidden")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("isolation")
    (folder / "a.epd").write_text(f"{FEN} dm 1;\n{OTHER} dm 1;\n")
    prove = [*COMMAND, "solve", FEN, "--certificate", str(folder / "good.json")]
    assert run(prove).returncode == 0
    return folder


def test_a_command_opens_no_connection_and_starts_no_program(folder: Path) -> None:
    for command in (
        f"solve {FEN} --certificate proof.json --html page.html",
        "check proof.json",
        "verify a.epd --store run.db --certificates proofs",
        "report run.db -o report.html",
        "export run.db --verdict proved -o out.jsonl",
        "convert a.epd out.pgn",
        "verify out.pgn out.jsonl",
        f"table {FEN} -d 2",
    ):
        assert forbidden_events(folder, *command.split()) == [], command
    assert forbidden_events(folder, "uci", stdin="isready\ngo depth 1\nquit\n") == []


@pytest.mark.parametrize(
    "program",
    [
        "import socket; socket.socket().close()",
        "import subprocess; subprocess.run(sys.executable, input=b'')",
        "import os; os.system('true')",
        "import pickle; pickle.loads(pickle.dumps(print))",
    ],
)
def test_the_watch_notices(program: str, folder: Path) -> None:
    assert forbidden_events(folder, program=program) != []


SCRIPT = Path(sys.executable).with_name("matesolve")
"""The command as it is installed."""


@pytest.mark.skipif(not SCRIPT.exists(), reason="needs the installed command")
@pytest.mark.parametrize(
    "command",
    [
        f"solve {FEN} --certificate proof.json",
        "check good.json",
        "verify a.epd --jobs 2 --store run.db --certificates proofs",
        "mip play --games 2 --depth 1 --jobs 2",
        "match --a mdp=cpw --games 2 --depth 1 --jobs 2",
        "convert a.epd out.pgn",
        "uci",
    ],
)
def test_a_command_runs_no_code_of_the_current_folder(
    command: str, tmp_path: Path, folder: Path
) -> None:
    work, marks = tmp_path / "work", tmp_path / "marks"
    work.mkdir()
    for name in ("a.epd", "good.json"):
        shutil.copy(folder / name, work)
    make_hostile(work, marks)
    ended = run([SCRIPT, *command.split()], stdin="uci\nquit\n", cwd=work)
    assert (ended.returncode, ended.stderr.count("Traceback")) == (0, 0), ended.stderr
    assert not marks.exists(), sorted(path.name for path in marks.iterdir())


def test_a_hostile_folder_is_noticed(tmp_path: Path) -> None:
    """Python itself, started with `-c`, imports from it."""
    make_hostile(tmp_path, tmp_path / "marks")
    run([sys.executable, "-c", "import struct, solver"], cwd=tmp_path)
    assert {"struct", "solver, a folder"} <= {
        path.name for path in (tmp_path / "marks").iterdir()
    }
