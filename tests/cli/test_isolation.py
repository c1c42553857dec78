"""What a command may do and load: no connection, no program, no code of its inputs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from solver.cli import main
from solver.problem import escape_controls
from tests.hostile_folder import make_hostile
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Cli

FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"

FORBIDDEN = (
    *("os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.system"),
    *("sqlite3.enable_load_extension", "sqlite3.load_extension"),
    *("pickle.", "socket.", "subprocess.", "urllib."),
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
    words = [sys.executable, "-c", WATCHED + program, *arguments]
    ended = run(words, stdin=stdin, cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return [x for x in ended.stderr.splitlines() if x.startswith("forbidden")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    text = f"{FEN} dm 1;\n{FEN.replace('R5', '1R4')} dm 1;\n"
    (tmp_path / "a.epd").write_text(text)
    return tmp_path


def test_a_command_opens_no_connection_and_starts_no_program(folder: Path) -> None:
    for command in (
        f"solve {FEN} --certificate proof.json --html page.html",
        "check proof.json",
        "verify a.epd --store run.db --certificates proofs",
        "report run.db -o report.html",
        "export run.db --verdict proved -o out.jsonl",
        "convert a.epd out.pgn",
        f"table {FEN} -d 2",
    ):
        assert forbidden_events(folder, *command.split()) == [], command
    assert forbidden_events(folder, "uci", stdin="isready\ngo depth 1\nquit\n") == []


def test_the_watch_notices(folder: Path) -> None:
    program = "import os, pickle, socket, subprocess; socket.socket().close();"
    program += "os.system('true'); subprocess.run(['true']);"
    program += "pickle.loads(pickle.dumps(print))"
    found = " ".join(forbidden_events(folder, program=program))
    for name in ("socket", "subprocess", "os.system", "pickle"):
        assert f"forbidden: {name}" in found


SCRIPT = Path(sys.executable).with_name("matesolve")
"""The command as it is installed."""

LOADING = [
    f"solve {FEN} --certificate proof.json",
    "verify a.epd --jobs 2 --store run.db --certificates proofs",
    "uci",
]


@pytest.mark.skipif(not SCRIPT.exists(), reason="needs the installed command")
def test_a_command_runs_no_code_of_the_current_folder(
    folder: Path,
) -> None:
    work, marks = folder / "work", folder / "marks"
    work.mkdir()
    shutil.copy(folder / "a.epd", work)
    make_hostile(work, marks)
    for command in LOADING:
        ended = run([SCRIPT, *command.split()], stdin="uci\nquit\n", cwd=work)
        assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), command
        assert not marks.exists(), sorted(path.name for path in marks.iterdir())
    # Python itself, started with `-c`, imports from the folder.
    run([sys.executable, "-c", "import struct, solver"], cwd=work)
    assert {"struct", "solver, a folder"} <= {path.name for path in marks.iterdir()}


# --- No name prints a control character: not of a file, an option or a record

NAME = "nl\n::error file=z::x\x1b[31m\x07\x9b1m\u2028\u202e.epd"

CERTIFICATE = "--certificate"
"""Stands for the content of a file that is a certificate."""

CALLS = f"""
solve [] {FEN}
verify [] good.epd
check [] good.epd
convert [] good.epd out.pgn
inspect [] good.epd
generate [] 1
improve [-o out.epd] good.epd
report [-o out.html] good.epd
export [-o out.csv] good.epd
table [--depth 2] {FEN}
trace [--depth 2] {FEN}
match [--a mdp=cpw --games 2 --depth 1]
board [-o out.html]
perft [--depth 1]
mip build [-o out.npz] good.epd
mip play [--games 1 --depth 1]
mip show [] KQK
"""
"""Commands with the options that they need, or that end them soon, and arguments."""


def needed(name: str) -> tuple[list[str], list[str]]:
    """Return the options and the arguments that `CALLS` has for a command."""
    for line in CALLS.strip().splitlines():
        begin, _, rest = line.partition(" [")
        options, _, arguments = rest.partition("]")
        if begin == name:
            given = [FEN] if FEN in arguments else arguments.split()
            return options.split(), given
    return [], []


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command that ends by itself, with its name."""
    context = click.Context(main.matesolve)
    for name in sorted(main.SUMMARIES.keys() - {"uci", "mcp"}):
        command = main.matesolve.get_command(context, name)
        assert command
        below = command.commands if isinstance(command, click.Group) else {}
        yield from ((f"{name} {each}", found) for each, found in below.items())
        if not below:
            yield name, command


def calls(name: str, command: click.Command) -> Iterator[list[str]]:
    """Yield command lines with the name in each place that takes a text."""
    required, given = needed(name)
    begin = [*name.split(), *required]
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            place = [each.name for each in command.params].index(parameter.name)
            for word in (NAME, f"missing/{NAME}", f"-{NAME}"):
                yield [*begin, *given[:place], word, *given[place + 1 :]]
        elif isinstance(parameter, click.Option) and not parameter.is_flag:
            option = max(parameter.opts, key=len)
            for word in (NAME, f"missing/{NAME}"):
                pair = [f"{option}={word}"] if option[:2] == "--" else [option, word]
                yield [*begin, *pair, *given]


@pytest.mark.parametrize("content", ["", f"{FEN} dm 2;\nno position\n", CERTIFICATE])
@pytest.mark.parametrize(("name", "command"), [*commands()])
def test_a_name_prints_no_control_character(
    name: str, command: click.Command, content: str, matesolve: Cli
) -> None:
    Path("good.epd").write_text(f"{FEN} dm 1;\n")
    for call in calls(name, command):
        if content == CERTIFICATE:
            matesolve("solve", FEN, CERTIFICATE, NAME)
        elif content:
            Path(NAME).write_text(content)
        _, out, err = ended = matesolve(*call)
        lines = "\n".join([out, err, *ended.summaries]).split("\n")
        assert [line for line in lines if line.startswith("::")] == [], call
        letters = {letter for line in lines for letter in line} - {"\t"}
        assert {each for each in letters if escape_controls(each) != each} == set()


def test_only_control_characters_are_escaped() -> None:
    plain = "a  b\u3000\xa0é\U0001f600.epd"
    assert escape_controls(plain) == plain
    assert escape_controls("a\nb\x1b\x9b\u2028\udc80") == r"a\nb\x1b\x9b\u2028\udc80"
