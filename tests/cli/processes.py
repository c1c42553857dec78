"""Commands in their own processes, observed while they run."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.cli.conftest import COMMAND
from tests.processes import run, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}

HEAVY = {"numba", "numpy", "llvmlite", "chess", "rich", "dask", "jinja2"}


def process(
    *arguments: str, **settings: Any
) -> AbstractContextManager[subprocess.Popen[str]]:
    """Start the command; `settings` are streams and environment variables.

    See `started`: the process is killed at the end of the block.
    """
    return started(
        [*COMMAND, *arguments],
        stdin=settings.pop("stdin", subprocess.PIPE),
        stdout=settings.pop("stdout", subprocess.PIPE),
        stderr=settings.pop("stderr", subprocess.PIPE),
        env={**ENVIRONMENT, **settings},
    )


OFTEN = """
import sys
from solver.search import checkpoints

checkpoints.FIRST_WAIT_S, checkpoints.COST = 0.05, 1.0
sys.argv = ["matesolve", *{arguments!r}]
from solver.__main__ import main
main()
"""
"""The command, which saves its search soon, and whatever that costs."""


@contextmanager
def saving_often(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start the command, which saves its checkpoint often."""
    program = OFTEN.format(arguments=arguments)
    words = [sys.executable, "-c", program]
    with started(words, stdout=-1, stderr=-1, env=ENVIRONMENT) as running:
        yield running


def run_and_list_heavy(program: str) -> tuple[str, set[str]]:
    """Run Python; return what it prints, and the heavy modules that it loads."""
    listing = f"import sys; print(*sorted({HEAVY} & set(sys.modules)))"
    words = [sys.executable, "-c", f"{program}\n{listing}"]
    done = run(words, check=True, env=ENVIRONMENT)
    *printed, heavy = done.stdout.splitlines(keepends=True)
    return "".join(printed), set(heavy.split())
