"""Searches killed at random moments have the same answer, at little cost.

A kill is simulated by a limit of nodes: what was searched after the last save, at most
a fiftieth, counts as lost. `test_checkpoint.py` kills a process.
"""

from __future__ import annotations

import statistics
from random import Random
from typing import TYPE_CHECKING

import pytest

from solver import Limits, Status
from solver.search.checkpoints import LOSS
from solver.solving import Solver

if TYPE_CHECKING:
    from pathlib import Path

    from solver import Solution

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernel")]

MATES = {
    "8/1bN4p/3p3p/1p5r/B1p1kPP1/4B1P1/4K1P1/n5N1 w - - 0 1": 7,
    "8/8/2N1p3/5p2/5k1K/6Rp/q1p5/2n1N2B w - - 0 1": 7,
    "1R6/8/8/p7/kpKN4/b7/8/8 w - - 0 1": 7,
    "2K2n1b/1p5n/kBPNpP2/P2P4/pp6/1p5N/1PpP4/8 w - - 0 1": 7,
    "5N1K/p4P2/3BNp1p/3B1k1n/5pbP/4Pp1n/8/q3r3 w - - 0 1": 7,
    "8/2p5/p1P1p3/4P2R/B4kP1/P2P1p1P/5B1K/n7 w - - 0 1": 7,
    "8/p5p1/p2p1nBk/p2P1P2/4nP1B/p7/7N/K7 w - - 0 1": 8,
}
"""Of 3 to 14 million nodes, with the moves of their mates."""

RUNS = 10
"""Of each mate, each killed once."""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    key = tmp_path / "key"
    key.touch(0o600)
    key.write_bytes(bytes(range(32)))
    return key


def run_with_a_kill(
    fen: str, nodes: int, random: Random, key: Path
) -> tuple[Solution, int]:
    """Stop after this number of nodes; return the answer and its cost."""
    path = key.with_name("one")
    path.unlink(missing_ok=True)
    solver = Solver(128)
    kept = max(1, int(nodes * (1 - LOSS * random.random())))
    solution = solver.solve(fen, Limits(nodes=kept))
    if not solution.stopped_by:
        return solution, solution.stats.nodes
    spent = max(nodes, solution.stats.nodes)
    solver.save(path, key)
    solver = Solver(128)
    solver.load(path, key)
    solution = solver.solve(fen)
    return solution, spent + solution.stats.nodes


def answered(solution: Solution) -> tuple[object, ...]:
    return solution.status, solution.mate, solution.lower_bound, solution.keys


def test_a_hundred_runs_killed_once_cost_little(key: Path) -> None:
    """Their median and their worst are bounded; a worse moment is always possible."""
    costs = []
    for index, (fen, moves) in enumerate(MATES.items()):
        whole = Solver(128).solve(fen)
        assert (whole.status, whole.mate) == (Status.PROVED, moves)
        random = Random(index)
        for _ in range(RUNS):
            kill = random.randrange(whole.stats.nodes)
            solution, nodes = run_with_a_kill(fen, kill, random, key)
            assert answered(solution) == answered(whole)
            costs.append(nodes / whole.stats.nodes)
    assert statistics.median(costs) <= 1.1
    assert max(costs) <= 1.6
