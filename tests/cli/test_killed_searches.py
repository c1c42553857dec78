"""Searches killed at random moments have the same answer, at little cost.

A kill is simulated by a limit of nodes: what was searched after the last save, at most
a fiftieth, counts as lost. The last test kills processes.
"""

from __future__ import annotations

import os
import signal
import statistics
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from solver import Limits, Status
from solver.search.checkpoints import LOSS
from solver.solving import Solver
from tests.cli.processes import saving_often
from tests.cpu_time import wait_for_work

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from solver import Solution

pytestmark = pytest.mark.usefixtures("kernel")

MATES = {
    "8/1bN4p/3p3p/1p5r/B1p1kPP1/4B1P1/4K1P1/n5N1 w - - 0 1": 7,
    "8/8/2N1p3/5p2/5k1K/6Rp/q1p5/2n1N2B w - - 0 1": 7,
    "1R6/8/8/p7/kpKN4/b7/8/8 w - - 0 1": 7,
    "2K2n1b/1p5n/kBPNpP2/P2P4/pp6/1p5N/1PpP4/8 w - - 0 1": 7,
    "5N1K/p4P2/3BNp1p/3B1k1n/5pbP/4Pp1n/8/q3r3 w - - 0 1": 7,
    "8/2p5/p1P1p3/4P2R/B4kP1/P2P1p1P/5B1K/n7 w - - 0 1": 7,
    "3r1q1b/3ppp2/7P/1p1P3R/7Q/pNkp3n/K1P1B2r/3nN2b w - - 0 1": 7,
    "8/8/8/p7/P3N3/B5p1/p5Pp/k2B3K w - - 0 1": 9,
    "8/p5p1/p2p1nBk/p2P1P2/4nP1B/p7/7N/K7 w - - 0 1": 8,
    "K2k2b1/5p2/2RB1N2/2pp3p/p2p3r/4p3/4R3/n6q w - - 0 1": 7,
}
"""Of 3 to 14 million nodes, with the moves of their mates."""

LONGEST = [*MATES][7]

RUNS = 10
"""Of each mate, each killed once."""

KILLS = 20
"""Of a single run."""


class Run(NamedTuple):
    """A search that was killed and went on.

    Attributes
    ----------
    solution : Solution
        Its last answer.
    nodes : int
        What it has cost, with what was lost.
    """

    solution: Solution
    nodes: int


def run_with_kills(fen: str, kills: Iterable[int], random: Random, folder: Path) -> Run:
    """Search, and stop after each of these numbers of nodes."""
    path, key = folder / "one", folder / "key"
    if not key.exists():
        key.touch(0o600)
        key.write_bytes(bytes(range(32)))
    path.unlink(missing_ok=True)
    spent = 0
    for nodes in kills:
        solver = loaded(path, key)
        kept = max(1, int(nodes * (1 - LOSS * random.random())))
        solution = solver.solve(fen, Limits(nodes=kept))
        if not solution.stopped_by:
            return Run(solution, spent + solution.stats.nodes)
        solver.save(path, key)
        spent += max(nodes, solution.stats.nodes)
    solution = loaded(path, key).solve(fen)
    return Run(solution, spent + solution.stats.nodes)


def loaded(path: Path, key: Path) -> Solver:
    """Return a new solver, with the file if there is one."""
    solver = Solver(128)
    if path.exists():
        solver.load(path, key)
    return solver


def answered(solution: Solution) -> tuple[object, ...]:
    return solution.status, solution.mate, solution.lower_bound, solution.keys


@pytest.mark.slow
def test_a_hundred_runs_killed_once_cost_little(tmp_path: Path) -> None:
    """Their median and their worst are bounded; a worse moment is always possible."""
    costs = []
    for index, (fen, moves) in enumerate(MATES.items()):
        whole = Solver(128).solve(fen)
        assert (whole.status, whole.mate) == (Status.PROVED, moves)
        random = Random(index)
        for _ in range(RUNS):
            kill = random.randrange(whole.stats.nodes)
            run = run_with_kills(fen, [kill], random, tmp_path)
            assert answered(run.solution) == answered(whole)
            costs.append(run.nodes / whole.stats.nodes)
    assert statistics.median(costs) <= 1.1
    assert max(costs) <= 1.6


@pytest.mark.slow
def test_a_run_killed_twenty_times_has_the_same_answer(tmp_path: Path) -> None:
    fen = [*MATES][3]
    whole, random = Solver(128).solve(fen), Random(20)
    kills = [random.randrange(whole.stats.nodes // 10) for _ in range(KILLS)]
    run = run_with_kills(fen, kills, random, tmp_path)
    assert answered(run.solution) == answered(whole)
    assert run.nodes <= 1.3 * whole.stats.nodes


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
@pytest.mark.parametrize("seed", range(4))
def test_a_command_killed_at_random_has_the_same_answer(
    seed: int, tmp_path: Path
) -> None:
    """Also while it writes its file: it saves its search all the time."""
    random, key = Random(seed), tmp_path / "key"
    key.touch(0o600)
    key.write_bytes(bytes(range(32)))
    words = [
        *(LONGEST, f"--checkpoint={tmp_path / 'one'}", f"--checkpoint-key={key}"),
        *("--threads", "1"),
    ]
    kills = 0
    for _ in range(5):
        with saving_often("solve", *words) as running:
            wait_for_work(running, random.uniform(0.3, 1.5))
            running.kill()
            running.communicate()
        kills += running.returncode == -signal.SIGKILL
    assert kills > 1
    with saving_often("solve", *words) as running:
        out, err = running.communicate()
    assert running.returncode == 0, err
    assert out.splitlines()[1] == f"White mates in {MATES[LONGEST]}."
    assert "Proved: " in out
