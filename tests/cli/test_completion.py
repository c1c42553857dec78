"""Shells complete commands, options, files and words, as docs/share/ installs it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.cli.main import SUMMARIES
from tests.cli.conftest import COMMAND
from tests.cli.processes import ENVIRONMENT
from tests.processes import run

if TYPE_CHECKING:
    from tests.cli.conftest import Matesolve

SHARE = Path(__file__).parents[2] / "docs" / "share"
"""What a wheel installs beside the program."""

CASES = [
    ("matesolve mip b", {"build"}),
    ("matesolve verify --time 5 --fo", {"--follow", "--format"}),
    ("matesolve verify --fail-on cooked,re", {"cooked,refuted"}),
    ("matesolve verify a.epd mat", {"mates.epd"}),
]

BASH = """
compopt() {{ :; }}
{script}
COMP_WORDS=({line})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_matesolve_completion matesolve
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file, and with the program on the path."""
    program = tmp_path / "bin" / "matesolve"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {COMMAND[0]} -m solver "$@"\n')
    program.chmod(0o755)
    (tmp_path / "mates.epd").touch()
    return tmp_path


def script_for(shell: str, help_text: str) -> str:
    """Return the line for the start-up file from the help."""
    (line,) = re.findall(rf"^ +{shell} +(.*)$", help_text, re.MULTILINE)
    return str(line)


def shown_by(shell: str, commands: str, folder: Path) -> list[str]:
    """Run commands in a shell that finds the program, and return the lines printed."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    ended = run(
        [program, *(["-f"] if shell == "zsh" else []), "-c", commands],
        check=True,
        cwd=folder,
        env={**ENVIRONMENT, "PATH": path, "HOME": str(folder)},
    )
    assert ended.stderr == ""
    return [line for line in ended.stdout.splitlines() if line]


def completed(shell: str, script: str, line: str, folder: Path) -> list[str]:
    """Complete a line in a shell that has run a script; return the completions."""
    if shell == "bash":
        commands = BASH.format(script=script, line=line)
    else:
        commands = f"{script}\ncomplete -C '{line}'"
    return [offer.split("\t")[0] for offer in shown_by(shell, commands, folder)]


@pytest.mark.parametrize(("line", "offers"), CASES)
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_completes(
    shell: str, line: str, offers: set[str], folder: Path, matesolve: Matesolve
) -> None:
    script = script_for(shell, matesolve("--help").out)
    offered = set(completed(shell, script, line, folder))
    if shell == "bash" and offers == {"mates.epd"}:
        offers = set()  # bash itself completes file names if there are no others
    assert offered == offers


def test_zsh_gets_its_script_and_completions(
    matesolve: Matesolve, environment: dict[str, str]
) -> None:
    line = script_for("zsh", matesolve("--help").out)
    assert "_MATESOLVE_COMPLETE=zsh_source matesolve" in line
    script = matesolve(env={"_MATESOLVE_COMPLETE": "zsh_source"})
    assert (script.code, script.err) == (0, "")
    assert script.out.startswith("#compdef matesolve\n")
    if zsh := shutil.which("zsh"):
        run([zsh, "-n"], stdin=script.out, check=True, env=environment)
    asked = {
        "_MATESOLVE_COMPLETE": "zsh_complete",
        "COMP_WORDS": "matesolve verify mat",
        "COMP_CWORD": "2",
    }
    assert matesolve(env=asked) == (0, "file\nmat\n_\n", "")


def test_fish_shows_whole_descriptions(folder: Path, matesolve: Matesolve) -> None:
    script = script_for("fish", matesolve("--help").out)
    lines = f"{script}\ncomplete -C 'matesolve export'"
    (offer,) = shown_by("fish", lines, folder)
    assert offer == f"export\t{SUMMARIES['export']}"


def test_bash_completes_with_the_installed_file(folder: Path) -> None:
    script = f"source {SHARE}/bash-completion/completions/matesolve"
    assert completed("bash", script, "matesolve ver", folder) == ["verify"]
    assert shown_by("bash", f"{script}\ncomplete -p matesolve", folder) == [
        "complete -o nosort -F _matesolve_completion matesolve"
    ]


def test_fish_completes_with_the_installed_file(folder: Path) -> None:
    script = f"set --prepend fish_complete_path {SHARE}/fish/vendor_completions.d"
    assert completed("fish", script, "matesolve ver", folder) == ["verify"]


def test_zsh_completes_with_the_installed_file_from_the_first_time_on(
    folder: Path,
) -> None:
    lines = f"""
        fpath=({SHARE}/zsh/site-functions $fpath)
        autoload -Uz compinit _matesolve
        compinit -D -u
        [[ $_comps[matesolve] == _matesolve ]] && print found
        _describe() {{ print -l $completions_with_descriptions }}
        words=(matesolve ver) CURRENT=2
        _matesolve
        $_comps[matesolve]
    """
    described = f"verify:{SUMMARIES['verify']}"
    assert shown_by("zsh", lines, folder) == ["found", described, described]


def test_commands_options_and_values_are_completed(matesolve: Matesolve) -> None:
    for words, offers in (
        ("matesolve s", ["solve"]),
        ("matesolve verify --format p", ["pgn", "popeye", "parquet"]),
        ("matesolve convert --to c", ["csv"]),
        ("matesolve verify --retry und", ["undecided"]),
        ("matesolve solve --max", ["--max-solutions"]),
    ):
        asked = {"_MATESOLVE_COMPLETE": "bash_complete", "COMP_WORDS": words}
        ended = matesolve(env={**asked, "COMP_CWORD": str(words.count(" "))})
        lines = "".join(f"plain,{offer}\n" for offer in offers)
        assert ended == (0, lines, ""), words


def test_files_are_left_to_the_shell(matesolve: Matesolve) -> None:
    asked = {"_MATESOLVE_COMPLETE": "bash_complete", "COMP_CWORD": "3"}
    for words, kind in (
        ("matesolve verify a.epd mat", "file"),
        ("matesolve verify --store mat", "file"),
        ("matesolve verify --certificates mat", "dir"),
        ("matesolve solve --tablebases mat", "dir"),
        ("matesolve table --html mat", "file"),
        ("matesolve report -o mat", "file"),
    ):
        ended = matesolve(env={**asked, "COMP_WORDS": words})
        assert ended == (0, f"{kind},mat\n", ""), words


def test_an_unknown_shell_is_a_usage_error(matesolve: Matesolve) -> None:
    assert matesolve(env={"_MATESOLVE_COMPLETE": "tcsh_source"}).code == 2
