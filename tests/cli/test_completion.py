"""Shells complete commands, options, files and words, as docs/share/ installs it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.cli.main import SUMMARIES
from tests.cli.conftest import COMMAND, ROOT, rows
from tests.cli.processes import ENVIRONMENT
from tests.processes import run

if TYPE_CHECKING:
    from tests.cli.conftest import Cli


SHARE = ROOT / "docs" / "share"
"""What a wheel installs beside the program."""

BASH = """
compopt() {{ :; }}
{script}
COMP_WORDS=({line})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_matesolve_completion matesolve
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(autouse=True)
def _files(_folder: None) -> None:
    """A file to complete, and the program in a folder of the path."""
    Path("mates.epd").touch()
    program = Path("bin", "matesolve")
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {COMMAND[0]} -m solver "$@"\n')
    program.chmod(0o755)


def shown_by(shell: str, commands: str) -> list[str]:
    """Run commands in a shell that finds the program, and return the lines printed."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    path = f"{Path('bin').absolute()}{os.pathsep}{os.environ['PATH']}"
    env = {**ENVIRONMENT, "PATH": path, "HOME": str(Path.cwd())}
    words = [program, *(["-f"] if shell == "zsh" else []), "-c", commands]
    ended = run(words, check=True, env=env)
    assert ended.stderr == ""
    return [line for line in ended.stdout.splitlines() if line]


def script_for(shell: str, matesolve: Cli) -> str:
    """Return the line for the start-up file from the help."""
    help_text = matesolve("--help").out
    (line,) = re.findall(rf"^ +{shell} +(.*)$", help_text, re.MULTILINE)
    return str(line)


def test_bash_completes_with_the_line_of_the_help_or_the_installed_file(
    matesolve: Cli,
) -> None:
    installed = f"source {SHARE}/bash-completion/completions/matesolve"
    for script in (script_for("bash", matesolve), installed):
        for line, offers in (
            ("matesolve ver", ["verify"]),
            ("matesolve verify --time 5 --fo", ["--follow", "--format"]),
            # bash itself completes file names if there are no others
            ("matesolve verify a.epd mat", []),
        ):
            shown = shown_by("bash", BASH.format(script=script, line=line))
            assert sorted(shown) == offers
    assert shown_by("bash", f"{installed}\ncomplete -p matesolve") == [
        "complete -o nosort -F _matesolve_completion matesolve"
    ]


def test_zsh_gets_its_script_and_completions(matesolve: Cli) -> None:
    assert "_MATESOLVE_COMPLETE=zsh_source matesolve" in script_for("zsh", matesolve)
    script = matesolve(env={"_MATESOLVE_COMPLETE": "zsh_source"})
    assert (script.code, script.err) == (0, "")
    assert script.out.startswith("#compdef matesolve\n")
    asked = {"COMP_WORDS": "matesolve verify mat", "COMP_CWORD": "2"}
    ended = matesolve(env={"_MATESOLVE_COMPLETE": "zsh_complete", **asked})
    assert ended == (0, "file\nmat\n_\n", "")


def test_fish_completes_with_the_installed_file() -> None:
    script = f"set --prepend fish_complete_path {SHARE}/fish/vendor_completions.d"
    (offer,) = shown_by("fish", f"{script}\ncomplete -C 'matesolve export'")
    assert offer == f"export\t{SUMMARIES['export']}"


def test_zsh_completes_with_the_installed_file() -> None:
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
    assert shown_by("zsh", lines) == ["found", described, described]


OFFERED = """
matesolve s | plain,solve
matesolve verify --format p | plain,pgn plain,popeye plain,parquet
matesolve solve --max | plain,--max-solutions
matesolve verify a.epd mat | file,mat
matesolve solve --tablebases mat | dir,mat
matesolve report -o mat | file,mat
"""


def test_words_are_completed_and_files_left_to_the_shell(matesolve: Cli) -> None:
    for words, offers in rows(OFFERED):
        asked = {"_MATESOLVE_COMPLETE": "bash_complete", "COMP_WORDS": words}
        ended = matesolve(env={**asked, "COMP_CWORD": str(words.count(" "))})
        lines = "".join(f"{offer}\n" for offer in offers.split())
        assert ended == (0, lines, ""), words
    assert matesolve(env={"_MATESOLVE_COMPLETE": "tcsh_source"}).code == 2
