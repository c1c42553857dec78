"""The command as its users have it: a process of its own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple, Protocol

import pytest

from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COMMAND = (sys.executable, "-m", "solver")

SHOWN_BY = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "MATESOLVE_DEBUG")
"""Variables of the tester's own that change what is printed."""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


class Matesolve(Protocol):
    def __call__(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] = ...
    ) -> Ended: ...


@pytest.fixture(autouse=True)
def _workers(worker_processes: None) -> None:
    """Each test may run a command that solves, and one that starts workers."""


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    variables = {k: v for k, v in os.environ.items() if k not in SHOWN_BY}
    return {**variables, "PYTHONUTF8": "1"}


@pytest.fixture(scope="session")
def matesolve(pytestconfig: pytest.Config, environment: dict[str, str]) -> Matesolve:
    """Run the command to its end."""
    root: Path = pytestconfig.rootpath

    def call(
        *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
    ) -> Ended:
        done = run(
            [*COMMAND, *arguments],
            stdin=stdin.encode(),
            text=False,
            cwd=root,
            env={**environment, **(env or {})},
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
