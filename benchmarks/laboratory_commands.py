"""How tables are measured and written: commands, ratios, Markdown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).parents[1]


class Work(NamedTuple):
    """Where the games are kept, and how many processes play them."""

    games: Path
    jobs: int


def matesolve(*arguments: object, program: Path = ROOT) -> str:
    """Run a command and return what it prints.

    `program` may be a changed copy, which keeps its own kernel.
    """
    words = [sys.executable, "-m", "solver", *map(str, arguments)]
    own = {} if program == ROOT else {"MATESOLVE_CACHE_DIR": str(program / "cache")}
    done = subprocess.run(
        words,
        check=False,
        cwd=program,
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
    )
    if done.returncode not in (0, 3):  # 3: a limit stopped a search
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}")
    return done.stdout.decode()


def record(*arguments: object, program: Path = ROOT) -> dict[str, Any]:
    """Run a command with `--json` and return its record."""
    found: dict[str, Any] = json.loads(matesolve(*arguments, "--json", program=program))
    return found


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table as Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def ratio(value: float | None) -> str:
    """Write a ratio of nodes with three decimals."""
    return "" if value is None else f"{value:.3f}"


def compare(off: int | None, on: int | None) -> tuple[str, str, str]:
    """Write two counts and their ratio; a search that did not get there is `-`."""
    shown = ["-" if count is None else f"{count:,}" for count in (off, on)]
    return shown[0], shown[1], ratio(on / off) if on and off else "-"
