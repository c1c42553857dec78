"""The command in this process, and what tests that start it need."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from solver.cli.main import run
from solver.kernel.border import parts
from solver.kernel.build import loader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Cli = Callable[..., "Ended"]

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "solver")

SHOWN_BY = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "MATESOLVE_DEBUG")
"""Environment variables that change what is printed; tests unset them."""

SUMMARY = re.compile(r"^.*: (?:[^:\n]+, )?[0-9,]+ records?(?:;.*)?\n", re.MULTILINE)
"""What a command prints about each file that it has read."""

COSTS = re.compile(r" +(nodes +time|[\d,]+ +[\d.]+ m?s)$", re.MULTILINE)
"""Columns of the table of an audit that differ from run to run."""


def without_summaries(text: str) -> str:
    """Return what was printed on stderr besides the `SUMMARY` of each file."""
    return SUMMARY.sub("", text)


def rows(text: str) -> list[tuple[str, ...]]:
    """Return the cells of a table with a row a line and bars between the cells."""
    lines = text.strip().splitlines()
    return [tuple(cell.strip() for cell in line.split("|")) for line in lines]


def records(text: str) -> list[dict[str, Any]]:
    """Return what JSON lines hold."""
    return [json.loads(line) for line in text.splitlines()]


def names(folder: str = ".") -> list[str]:
    """Return the names of the files in a folder."""
    return sorted(path.name for path in Path(folder).iterdir())


class _Printed(NamedTuple):
    code: int
    out: str
    err: str


class Ended(_Printed):
    """How a command ended, and what it printed.

    `err` is stderr without the `summaries` of the files that were read.
    """

    summaries: list[str]


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile all parts, or the first command that needs one would say that it does."""
    for part in parts.PARTS:
        loader.load_part(part)


@pytest.fixture(autouse=True)
def _workers(compiled: None, worker_processes: None) -> None:
    """Let each test run commands that solve or start workers."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put each test into its own folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def modules() -> None:
    """Compile the parts for pages, or the first page would print that it does."""
    for part in parts.PARTS:
        loader.load_module(part)


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    variables = {k: v for k, v in os.environ.items() if k not in SHOWN_BY}
    return {**variables, "PYTHONUTF8": "1"}


@pytest.fixture(scope="session")
def matesolve(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """Return a function that runs the command to its end, in this process.

    Its streams are files. A process would take half a second; tests of signals, pipes,
    terminals and of what a command loads start one (`tests/cli/processes.py`).
    """
    folder = tmp_path_factory.mktemp("streams")

    def call(
        *arguments: str,
        stdin: str | bytes = "",
        env: Mapping[str, str] | None = None,
    ) -> Ended:
        paths = [folder / name for name in ("stdin", "stdout", "stderr")]
        paths[0].write_bytes(stdin.encode() if isinstance(stdin, str) else stdin)
        with pytest.MonkeyPatch.context() as patch, ExitStack() as streams:
            for name in SHOWN_BY:
                patch.delenv(name, raising=False)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            for path, mode in zip(paths, "rww", strict=True):
                stream = streams.enter_context(path.open(mode, encoding="utf-8"))
                patch.setattr(sys, path.name, stream)
            code = run(arguments)
        out, err = (path.read_bytes().decode() for path in paths[1:])
        ended = Ended(code, out, without_summaries(err))
        ended.summaries = SUMMARY.findall(err)
        return ended

    return call


@pytest.fixture(scope="session")
def cli(matesolve: Cli) -> Cli:
    """Return `matesolve` with a line of several words as its first argument."""

    def call(line: str, *arguments: str, **settings: Any) -> Ended:
        return matesolve(*shlex.split(line), *arguments, **settings)

    return call
