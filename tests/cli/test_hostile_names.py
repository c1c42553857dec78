"""No name prints a control character: not of a file, an option or a record."""

from __future__ import annotations

import ast
import io
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from solver.cli import main
from solver.problem import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

FORGED = "::error file=z::x"
NAME = f"nl\n{FORGED}\x1b[31m\x07\x9b1m\u2028\u202e.epd"
FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"

CERTIFICATE = "--certificate"
"""Stands for the content of a file that is a certificate."""

REQUIRED = {
    "trace": ["--depth", "2"],
    "match": ["--a", "mdp=cpw", "--games", "2", "--depth", "1"],
    "report": ["-o", "out.html"],
    "export": ["-o", "out.csv"],
    "improve": ["-o", "out.epd"],
    "mip build": ["-o", "out.npz"],
    "mip play": ["--games", "1", "--depth", "1"],
    "perft": ["--depth", "1"],
    "board": ["-o", "out.html"],
    "table": ["--depth", "2"],
}
"""Options that make a command end soon, and those that it requires."""

ARGUMENTS = {
    "solve": [FEN],
    "verify": ["good.epd"],
    "check": ["good.epd"],
    "convert": ["good.epd", "out.pgn"],
    "inspect": ["good.epd"],
    "generate": ["1"],
    "improve": ["good.epd"],
    "report": ["good.epd"],
    "export": ["good.epd"],
    "table": [FEN],
    "trace": [FEN],
    "mip build": ["good.epd"],
    "mip show": ["KQK"],
}


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command that ends by itself, with its name."""
    context = click.Context(main.matesolve)
    for name in main.SUMMARIES.keys() - {"uci", "mcp"}:
        command = main.matesolve.get_command(context, name)
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                found = command.get_command(context, below)
                assert found
                yield f"{name} {below}", found
        else:
            assert command
            yield name, command


def calls() -> Iterator[list[str]]:
    """Yield command lines with the name in each place that takes a text."""
    for name, command in sorted(commands()):
        required, given = REQUIRED.get(name, []), ARGUMENTS.get(name, [])
        for parameter in command.params:
            if isinstance(parameter, click.Argument):
                place = [each.name for each in command.params].index(parameter.name)
                for word in (NAME, f"missing/{NAME}", f"-{NAME}", f"{NAME}x"):
                    words = [*given[:place], word, *given[place + 1 :]]
                    yield [*name.split(), *required, *words]
            elif isinstance(parameter, click.Option) and not parameter.is_flag:
                option = max(parameter.opts, key=len)
                equals = "" if option.startswith("--") else None
                for word in (NAME, f"missing/{NAME}"):
                    pair = [option, word] if equals is None else [f"{option}={word}"]
                    yield [*name.split(), *required, *pair, *given]


CALLS = [*calls()]


@pytest.mark.parametrize(
    "content", ["", f"{FEN} dm 2;\nno position\n", "{", "\0\0", CERTIFICATE], ids=repr
)
@pytest.mark.parametrize("name", sorted({" ".join(call[:1]) for call in CALLS}))
def test_a_name_prints_no_control_character(
    name: str,
    content: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    Path("good.epd").write_text(f"{FEN} dm 1;\n")
    asked = [call for call in CALLS if call[0] == name]
    assert len(asked) >= 2
    for call in asked:
        if content == CERTIFICATE:
            main.run(["solve", FEN, CERTIFICATE, NAME])
        elif content:
            Path(NAME).write_text(content)
        main.run(call)
        out, err = capsys.readouterr()
        lines = [*out.split("\n"), *err.split("\n")]
        assert [line for line in lines if line.startswith("::")] == [], call
        unprintable = {letter for line in lines for letter in line} - {"\t"}
        assert {each for each in unprintable if escape_controls(each) != each} == set()


def test_only_control_characters_are_escaped() -> None:
    plain = "a  b\u3000\xa0é\U0001f600.epd"
    assert escape_controls(plain) == plain
    assert escape_controls("a\nb\x1b\x9b\u2028\udc80") == r"a\nb\x1b\x9b\u2028\udc80"


def test_nothing_but_notify_prints_on_stderr() -> None:
    """So each line of stderr is escaped; `main` prints its own help there."""
    room = Path(main.__file__).parent
    found = set()
    for path in room.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (
                any(word.arg == "err" for word in node.keywords)
                or ast.unparse(node.func) in {"print", "sys.stderr.write", "secho"}
            ):
                found.add((path.name, ast.unparse(node)))
    assert found == {
        ("console.py", "click.echo(one_line(message), err=True)"),
        ("main.py", "click.echo(ctx.get_help(), err=True)"),
    }
