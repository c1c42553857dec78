"""Long help play, which is solved with its final positions."""

from __future__ import annotations

import re

import pytest

from solver import Limits, Problem, Solver
from solver.errors import AllocationError
from solver.kernel.border import interface
from solver.problem import Stipulation
from solver.search.queries import Question
from solver.search.workspaces import Workspace
from solver.solution import Status, StoppedBy
from solver.stipulations.solving_moves import NODES_BEFORE, Enumeration

EXAMPLES = {
    "intell.inp:50": ("8/7K/8/2kb2p1/2pq1p2/2prp3/5P2/8 b - - 0 1", "h#6", 1),
    "intell.inp:125": ("B7/2bp4/1krr4/1p6/8/5p2/8/7K b - - 0 1", "h#6", 1),
    "hpint.inp:365": ("8/8/8/1N1k2K1/5p2/2b5/8/8 b - - 0 1", "h=4", 2),
    "hpint.inp:487": ("8/8/8/4ppp1/4pkp1/4ppp1/5B2/5K2 w - - 0 1", "h=3.5", 1),
    "hpint.inp:580": ("8/p6k/8/7P/8/1p6/1Pp2P2/2K5 b - - 0 1", "h=5", 1),
    "hpint.inp:712": ("8/5p1p/4p3/3p3K/2p5/1p6/Pk6/8 b - - 0 1", "h=6", 1),
    "hpint.inp:425 b)": ("8/1b6/2p5/2K5/3p4/8/3P4/1q5k b - - 0 1", "h=7", 1),
}
"""Examples of Popeye's with their numbers of solutions."""


def problem(name: str) -> Problem:
    fen, stipulation, _number = EXAMPLES[name]
    return Problem(fen, stipulation=Stipulation.parse(stipulation))


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("name", EXAMPLES)
def test_long_help_play_is_solved_with_few_nodes(name: str) -> None:
    solution = Solver().solve(problem(name), Limits(nodes=100_000))
    assert solution.solutions_complete
    assert solution.stopped_by is None
    assert len(solution.solutions) == EXAMPLES[name][2]


@pytest.mark.usefixtures("kernel")
def test_a_limit_keeps_the_solutions_found_with_nets() -> None:
    name = "hpint.inp:365"
    whole = Solver().solve(problem(name))
    assert whole.stats.nodes > NODES_BEFORE
    numbers = set()
    for limit in range(NODES_BEFORE, whole.stats.nodes, 40):
        solution = Solver().solve(problem(name), Limits(nodes=limit))
        assert solution.status in {Status.FOUND, Status.UNDECIDED}
        assert solution.stopped_by is StoppedBy.NODES
        assert set(solution.solutions) <= set(whole.solutions)
        numbers.add(len(solution.solutions))
    assert numbers >= {0, 1}


@pytest.mark.usefixtures("kernel")
def test_the_progress_counts_final_positions() -> None:
    question = Question(problem("hpint.inp:425 b)"), Limits())
    enumeration = Enumeration(Workspace(1), question)
    texts = set()
    for _ in enumeration.pieces():
        texts.add(enumeration.progress())
    counts = [
        re.findall(r"(\d+) of (\d+) final positions done", text) for text in texts
    ]
    assert any(counts)


@pytest.mark.usefixtures("kernel")
def test_too_little_memory_for_final_positions_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solver = Solver()

    def fail(_size: int) -> None:
        raise MemoryError

    monkeypatch.setattr(interface, "map_memory", fail)
    with pytest.raises(AllocationError, match="memory for final positions, found"):
        solver.solve(problem("hpint.inp:365"))
