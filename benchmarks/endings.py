"""Small endings one after the other: what each position costs, by the API and `verify`.

usage: python -m benchmarks.endings ENDING|FILE... [--count N] [--seed S]

An ending such as KQvKR stands for N random legal positions of it, either side to move;
a FILE for the first N of a collection. `verify` gets them with the mates that the API
has found. All keys are searched. It prints the cost of each position that takes longer
than 10 ms, and of the others the median and the most. Each line is replayed to its
mate, and all ways have the same mates and keys.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import chess

from solver.formats.registry import read_collection
from solver.problem import Limits, Problem
from solver.solving import Solver
from tests.endgames.boards import random_boards
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Sequence

    Answer: TypeAlias = tuple[int | None, tuple[str, ...]]
    """Moves to mate, and all keys."""

ROOT = Path(__file__).parents[1]
SLOW_S = 0.01


def positions(name: str, count: int, seed: int) -> list[str]:
    """Give the FENs of a collection, or of random positions of an ending."""
    if Path(name).suffix:
        records = (record for record in read_collection(name))
        fens = [record.fen for record in records if isinstance(record, Problem)]
        return fens[:count]
    return [board.fen() for board, _attacker in random_boards(name, count, seed)]


def check(fen: str, mate: int | None, line: Sequence[str]) -> None:
    """Replay a line to its mate."""
    if mate is not None:
        board = chess.Board(fen)
        for move in line:
            board.push_uci(move)
        assert board.is_checkmate(), fen
        assert len(line) == (2 * mate - 1 if mate > 0 else -2 * mate), fen


def ask(fens: Sequence[str]) -> tuple[list[float], list[Answer]]:
    """Solve all with one solver; give seconds and answers."""
    solver = Solver()
    solutions = [solver.solve(Problem(fen), Limits()) for fen in fens]
    for solution in solutions:
        check(solution.problem.fen, solution.mate, solution.pv)
        assert solution.keys_complete or solution.mate is None
    return (
        [solution.stats.time_s for solution in solutions],
        [(solution.mate, solution.keys) for solution in solutions],
    )


def verify(
    fens: Sequence[str], answers: Sequence[Answer], jobs: int
) -> tuple[list[float], list[Answer]]:
    """Audit all with the mates claimed; give seconds and answers."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "endings.epd"
        with file.open("w", encoding="utf-8") as lines:
            for fen, (mate, _keys) in zip(fens, answers, strict=True):
                claim = f" dm {mate};" if mate else ""
                lines.write(f"{' '.join(fen.split()[:4])}{claim}\n")
        words = ("--keys", "--jsonl", "--ordered", "--quiet", "--jobs", str(jobs))
        printed = run(
            [sys.executable, "-m", "solver", "verify", *words, str(file)],
            check=True,
            patience_s=3600,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ).stdout
    records = [json.loads(line) for line in printed.splitlines()]
    for record in records:
        check(record["fen"], record["mate"], record["pv"])
    return (
        [record["time_s"] for record in records],
        [
            (record["mate"], tuple(key["uci"] for key in record["keys"]))
            for record in records
        ],
    )


def measure(name: str, fens: Sequence[str]) -> None:
    """Print a line for each way."""
    seconds, answers = ask(fens)
    show(f"{name}, API", seconds)
    for jobs in (1, 2):
        seconds, found = verify(fens, answers, jobs)
        assert found == answers
        show(f"{name}, verify --jobs {jobs}", seconds)


def show(title: str, seconds: Sequence[float]) -> None:
    """Print what the slow positions cost, by their numbers, and the others."""
    slow = [
        f"{number}: {second:.2f} s"
        for number, second in enumerate(seconds, 1)
        if second > SLOW_S
    ]
    rest = [1000 * second for second in seconds if second <= SLOW_S]
    print(
        f"{title}: {', '.join(slow) or 'none is slow'}; the other {len(rest)} "
        f"median {statistics.median(rest):.1f} ms, most {max(rest):.1f} ms",
        flush=True,
    )


def main() -> None:
    """Read the command line, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("endings", nargs="+", metavar="ENDING|FILE")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name in asked.endings:
        measure(Path(name).name, positions(name, asked.count, asked.seed))


if __name__ == "__main__":
    main()
