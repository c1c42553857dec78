"""Following a line: every verdict is true, and a known mate becomes a proved one."""

from __future__ import annotations

from random import Random

import chess
import pytest

from solver.problem import Claim, Limits, Problem
from solver.search.follow import follow_line
from solver.search.threads import Control
from solver.search.workspaces import Workspace
from solver.solution import Solution, Status, StoppedBy
from tests.oracles import walks
from tests.oracles.remembering import Oracle
from tests.search import workspaces

pytestmark = pytest.mark.usefixtures("kernel")

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
ROOK_LINE = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4d3 e1f1 d3e3 f1g1 e3f3 g1h1 f3g3 h1g1 a2a1"
MATED = "7k/8/6K1/8/8/8/8/R7 b - - 0 1"


@pytest.fixture(params=["roomy", "tiny"])
def workspace(request: pytest.FixtureRequest) -> Workspace:
    workspace = Workspace(4) if request.param == "roomy" else workspaces.tiny()
    workspace.begin(None)
    return workspace


def unanswered(fen: str, mate: int, line: str, lower_bound: int = 1) -> Solution:
    """Return the answer of a search that found nothing."""
    problem = Problem(fen, claim=Claim(mate, line=tuple(line.split())))
    return Solution(
        problem, Status.UNDECIDED, None, lower_bound, stopped_by=StoppedBy.NODES
    )


def plays_to_mate(fen: str, line: tuple[str, ...]) -> bool:
    board = chess.Board(fen)
    for move in line:
        assert board.parse_uci(move) in board.legal_moves
        board.push_uci(move)
    return board.is_checkmate()


def test_a_line_that_mates_proves_its_mate(workspace: Workspace) -> None:
    answer = unanswered(ROOK, 8, ROOK_LINE)
    found = follow_line(answer, workspace, Limits(), Control())
    assert found.holds == (True,) * 8
    assert found.stopped_by is None
    solution = found.solution
    assert (solution.status, solution.mate) == (Status.FOUND, 8)
    assert len(solution.pv) == 15
    assert plays_to_mate(ROOK, solution.pv)
    assert solution.keys == solution.pv[:1]
    assert solution.stats.nodes > 0


def test_a_mate_at_the_proved_lower_bound_is_the_shortest(workspace: Workspace) -> None:
    answer = unanswered(ROOK, 8, ROOK_LINE, lower_bound=8)
    found = follow_line(answer, workspace, Limits(), Control())
    assert found.solution.status is Status.PROVED


def test_the_side_to_move_may_be_mated(workspace: Workspace) -> None:
    answer = unanswered(MATED, -1, "h8g8 a1a8")
    found = follow_line(answer, workspace, Limits(), Control())
    assert found.holds == (True,)
    assert (found.solution.mate, found.solution.pv) == (-1, ("h8g8", "a1a8"))


def test_a_beginning_that_keeps_the_mate_is_proved(workspace: Workspace) -> None:
    line = " ".join(ROOK_LINE.split()[:6])
    found = follow_line(unanswered(ROOK, 8, line), workspace, Limits(), Control())
    assert found.holds == (True,) * 3
    assert found.solution.mate == 8


def test_a_move_that_takes_too_long_is_refuted(workspace: Workspace) -> None:
    # 4. Ke3 loses a move, so the mate that follows it comes too late.
    line = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4e3 e1d1"
    found = follow_line(unanswered(ROOK, 8, line), workspace, Limits(), Control())
    assert found.holds[:-1] == (None,) * (len(found.holds) - 1)
    assert found.holds[-1] is False
    assert found.solution.mate is None


def test_a_known_mate_is_kept(workspace: Workspace) -> None:
    problem = Problem(ROOK, claim=Claim(9, line=("h7g6",)))
    answer = Solution(problem, Status.PROVED, 8, 8, pv=tuple(ROOK_LINE.split()))
    found = follow_line(answer, workspace, Limits(), Control())
    assert found.solution.pv == answer.pv
    assert found.solution.mate == 8
    assert found.holds == (True,)


@pytest.mark.parametrize("line", ["", "h8g8", "h8g8 a1b1 g8h8 b1a1"])
def test_a_line_without_moves_of_the_attacker_or_with_too_many_is_not_followed(
    line: str, workspace: Workspace
) -> None:
    answer = unanswered(MATED, -1, line)
    found = follow_line(answer, workspace, Limits(), Control())
    assert found.solution == answer
    assert found.holds == ()


def test_a_node_limit_leaves_moves_open_and_is_reported() -> None:
    workspace = Workspace(4)
    workspace.begin(None)
    line = ROOK_LINE.rsplit(" ", 8)[0]
    answer = unanswered(ROOK, 8, line)
    found = follow_line(answer, workspace, Limits(nodes=10), Control())
    assert found.stopped_by is StoppedBy.NODES
    assert None in found.holds
    assert found.solution.mate is None


def test_an_interrupt_stops_it() -> None:
    workspace = Workspace(4)
    workspace.begin(None)
    control = Control()
    control.stop()
    found = follow_line(unanswered(ROOK, 8, ROOK_LINE), workspace, Limits(), control)
    assert found.stopped_by is StoppedBy.INTERRUPT
    assert found.solution.mate is None


def random_line(
    board: chess.Board, mate: int, random: Random, oracle: Oracle
) -> list[str]:
    """Return a legal line in which most of the attacker's moves solve if any does."""
    line: list[str] = []
    board, left, is_attackers = board.copy(), abs(mate), mate > 0
    for _ in range(random.randint(1, 2 * abs(mate) - is_attackers)):
        moves = [move.uci() for move in board.legal_moves]
        if is_attackers:
            if random.random() < 0.8 and left <= 2:
                moves = sorted(oracle.keys(board, left)) or moves
            left -= 1
        if not moves:
            break
        line.append(random.choice(moves))
        board.push_uci(line[-1])
        is_attackers = not is_attackers
    return line


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))]
)
def test_each_verdict_agrees_with_the_definition(
    seed: int, workspace: Workspace
) -> None:
    random, oracle = Random(seed), Oracle()
    verdicts: list[bool] = []
    for board in walks.small_positions(200, seed=seed):
        mate = random.choice([-2, -1, 1, 2, 3])
        line = random_line(board, mate, random, oracle)
        workspace.begin(None)
        answer = unanswered(board.fen(), mate, " ".join(line))
        found = follow_line(answer, workspace, Limits(), Control())
        after, holds = board.copy(), iter(found.holds)
        left = abs(mate)
        for ply, move in enumerate(line):
            after.push_uci(move)
            if ply % 2 == int(mate < 0) and found.holds:
                left -= 1
                held = next(holds)
                if held is not None:
                    assert held == oracle.mated_in(after, left), (board, line)
                    verdicts.append(held)
        assert next(holds, None) is None
        if found.solution.mate is not None:
            assert all(found.holds)
            assert plays_to_mate(board.fen(), found.solution.pv)
            is_mate = oracle.mate_in if mate > 0 else oracle.mated_in
            assert is_mate(board, abs(found.solution.mate))
    assert verdicts.count(False) > 50
    assert verdicts.count(True) > 10
