"""Fixtures that run the command as its users do, in its own process."""

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
"""Environment variables that change what is printed; tests unset them."""


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
    """Let each test run commands that solve or start workers."""


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    variables = {k: v for k, v in os.environ.items() if k not in SHOWN_BY}
    return {**variables, "PYTHONUTF8": "1"}


@pytest.fixture(scope="session")
def matesolve(pytestconfig: pytest.Config, environment: dict[str, str]) -> Matesolve:
    """Return a function that runs the command to its end."""
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
