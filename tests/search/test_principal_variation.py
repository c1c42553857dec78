"""Lines of mates that the df-pn search proved, with loose bounds or lost proofs."""

from __future__ import annotations

from dataclasses import asdict
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import Decision
from solver.position_text import uci_line
from solver.problem import Claim, Limits, Problem, Restriction
from solver.search.follow import Followed, follow_line
from solver.search.threads import Control
from solver.search.workspaces import Workspace
from solver.solution import Solution, Status, StoppedBy
from tests.oracles import walks
from tests.oracles.remembering import Oracle
from tests.oracles.restrictions import RestrictedGame
from tests.search import workspaces
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator


pytestmark = pytest.mark.usefixtures("kernel")


ROOK_ENDING = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8."""


@pytest.fixture(params=["roomy", "tiny"])
def workspace(request: pytest.FixtureRequest) -> Workspace:
    return Workspace(hash_mib=4) if request.param == "roomy" else workspaces.tiny()


def line_of(
    workspace: Workspace, board: chess.Board, moves: int, *, attacking: bool = True
) -> tuple[str, ...] | None:
    """Return the line of a proved mate; None if it is lost."""
    words = workspace.kernel.proved_line(
        pack_board(board), workspace.search, moves, attacking=attacking
    )
    if words is None:
        return None
    return uci_line(pack_board(board), words, black=not board.turn)


def found_line(
    workspace: Workspace, board: chess.Board, moves: int, *, attacking: bool = True
) -> tuple[str, ...]:
    """Prove a mate by df-pn search and return its line."""
    workspace.begin(None)
    found = workspace.search_dfpn(pack_board(board), moves, attacking=attacking)
    assert found is Decision.MATE, board.fen()
    line = line_of(workspace, board, moves, attacking=attacking)
    assert line is not None, board.fen()
    return line


def played(board: chess.Board, line: tuple[str, ...]) -> Iterator[chess.Board]:
    """Yield the board before each move, which is legal, and after the last."""
    board = board.copy(stack=False)
    for uci in line:
        yield board.copy(stack=False)
        move = chess.Move.from_uci(uci)
        assert move in board.legal_moves, (board.fen(), uci)
        board.push(move)
    yield board


def check(
    board: chess.Board,
    line: tuple[str, ...],
    most: int,
    attacking: bool,
    reference: Workspace,
) -> None:
    """The line mates within `most` moves, and the mate is forced all along it."""
    boards = list(played(board, line))
    assert boards[-1].is_checkmate(), (board.fen(), line)
    assert len(line) % 2 == attacking
    assert len(line) <= 2 * most - attacking, (board.fen(), line)
    for ply, before in enumerate(boards):
        attacks = attacking == (ply % 2 == 0)
        left = (len(line) - ply + 1) // 2
        reference.begin(None)
        forced = reference.prove(pack_board(before), left, attacking=attacks)
        assert forced is Decision.MATE, (board.fen(), line, ply)


@pytest.mark.parametrize("longer", [0, 2, 4])
def test_lines_mate_in_time_and_by_force(workspace: Workspace, longer: int) -> None:
    reference = Workspace(hash_mib=4)
    lines = 0
    boards = [
        *walks.small_positions(90, seed=71),
        *walks.crowded_positions(20, seed=71),
    ]
    for board in boards:
        for attacking in (True, False):
            reference.begin(None)
            position = pack_board(board)
            shortest = next(
                (
                    n
                    for n in range(attacking, 4)
                    if reference.prove(position, n, attacking=attacking)
                    is Decision.MATE
                ),
                None,
            )
            if shortest is None:
                continue
            most = shortest + longer
            line = found_line(workspace, board, most, attacking=attacking)
            check(board, line, most, attacking, reference)
            lines += 1
    assert lines > 30


def test_lost_lines_of_longer_mates_are_proved_again_unless_they_are_stopped() -> None:
    """What the table holds may be enough; what it lost cannot be proved again."""
    reference, kept = Workspace(hash_mib=16), {True: 0, False: 0}
    for workspace in (Workspace(hash_mib=4), workspaces.tiny()):
        for board in workspaces.mates_in_five(16):
            line = found_line(workspace, board, 5)
            assert len(line) == 9, board.fen()
            check(board, line, 5, True, reference)
            line = found_line(workspace, board, 7)
            check(board, line, 7, True, reference)
            workspace.begin(None)
            workspace.search_dfpn(pack_board(board), 7, attacking=True)
            for stop, nodes in ((1, 1 << 40), (0, 50)):
                workspace.search.stop = stop
                with workspace.budget(nodes):
                    stopped = line_of(workspace, board, 7)
                workspace.search.stop = 0
                kept[stopped is not None] += 1
                if stopped is not None:
                    check(board, stopped, 7, True, reference)
    assert all(kept.values())


RESTRICTIONS = [Restriction(checks_only=True), Restriction(king_flights=1)]


@pytest.mark.parametrize("restriction", [*RESTRICTIONS, Restriction(replies=3)])
def test_lines_under_a_restriction_keep_to_it(restriction: Restriction) -> None:
    game, lines = RestrictedGame(**asdict(restriction)), 0
    for workspace in (Workspace(hash_mib=4), workspaces.tiny()):
        for board in walks.small_positions(100, seed=73):
            position = pack_board(board)
            workspace.begin(None, restriction)
            if workspace.search_dfpn(position, 4, attacking=True) is Decision.MATE:
                line = line_of(workspace, board, 4)
                assert line is not None
                boards = list(played(board, line))
                assert boards[-1].is_checkmate()
                assert len(boards) <= 8
                assert all(map(game.admits, boards[1::2])), board.fen()
                lines += len(line) > 1
    assert lines > 5


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        (ROOK_ENDING, 24),
        ("8/8/8/3k4/8/8/Q7/7K w - - 0 1", 14),
        ("8/8/8/3k4/8/8/QR6/7K w - - 0 1", 16),
        ("8/8/8/3k4/8/8/QR6/7K w - - 0 1", 30),
    ],
)
def test_a_line_with_a_loose_bound_repeats_no_position(fen: str, moves: int) -> None:
    # Read once, each of these lines passes some position twice.
    board = chess.Board(fen)
    line = found_line(Workspace(hash_mib=16), board, moves)
    positions = [after.epd() for after in played(board, line)]
    assert len(set(positions)) == len(positions) == len(line) + 1
    assert len(line) <= 2 * moves - 1


# Following a line: every verdict is true, and a known mate becomes a proved one


ROOK_LINE = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4d3 e1f1 d3e3 f1g1 e3f3 g1h1 f3g3 h1g1 a2a1"
MATED = "7k/8/6K1/8/8/8/8/R7 b - - 0 1"


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


def followed(workspace: Workspace, answer: Solution) -> Followed:
    workspace.begin(None)
    return follow_line(answer, workspace, Limits(), Control())


def test_a_line_that_keeps_the_mate_proves_it(workspace: Workspace) -> None:
    found = followed(workspace, unanswered(ROOK_ENDING, 8, ROOK_LINE))
    assert found.holds == (True,) * 8
    assert found.stopped_by is None
    solution = found.solution
    assert (solution.status, solution.mate) == (Status.FOUND, 8)
    assert len(solution.pv) == 15
    assert plays_to_mate(ROOK_ENDING, solution.pv)
    assert solution.keys == solution.pv[:1]
    assert solution.stats.nodes > 0
    shortest = followed(workspace, unanswered(ROOK_ENDING, 8, ROOK_LINE, lower_bound=8))
    assert shortest.solution.status is Status.PROVED
    beginning = " ".join(ROOK_LINE.split()[:6])
    found = followed(workspace, unanswered(ROOK_ENDING, 8, beginning))
    assert (found.holds, found.solution.mate) == ((True,) * 3, 8)
    found = followed(workspace, unanswered(MATED, -1, "h8g8 a1a8"))
    assert found.holds == (True,)
    assert (found.solution.mate, found.solution.pv) == (-1, ("h8g8", "a1a8"))
    problem = Problem(ROOK_ENDING, claim=Claim(9, line=("h7g6",)))
    known = Solution(problem, Status.PROVED, 8, 8, pv=tuple(ROOK_LINE.split()))
    found = followed(workspace, known)
    assert (found.solution.pv, found.solution.mate) == (known.pv, 8)
    assert found.holds == (True,)


def test_a_line_that_mates_too_late_or_without_the_attacker_proves_nothing(
    workspace: Workspace,
) -> None:
    # 4. Ke3 loses a move, so the mate that follows it comes too late.
    line = "h7g6 h1g1 g6f5 g1f1 f5e4 f1e1 e4e3 e1d1"
    found = followed(workspace, unanswered(ROOK_ENDING, 8, line))
    assert found.holds[:-1] == (None,) * (len(found.holds) - 1)
    assert found.holds[-1] is False
    assert found.solution.mate is None
    for line in ("", "h8g8", "h8g8 a1b1 g8h8 b1a1"):
        answer = unanswered(MATED, -1, line)
        found = followed(workspace, answer)
        assert (found.solution, found.holds) == (answer, ())


def test_a_limit_or_an_interrupt_leaves_moves_open() -> None:
    workspace, control = Workspace(4), Control()
    workspace.begin(None)
    answer = unanswered(ROOK_ENDING, 8, ROOK_LINE.rsplit(" ", 8)[0])
    found = follow_line(answer, workspace, Limits(nodes=10), control)
    assert (found.stopped_by, found.solution.mate) == (StoppedBy.NODES, None)
    assert None in found.holds
    control.stop()
    found = follow_line(answer, workspace, Limits(), control)
    assert (found.stopped_by, found.solution.mate) == (StoppedBy.INTERRUPT, None)


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


@sized("count", 200, 800)
def test_each_verdict_agrees_with_the_definition(
    count: int, workspace: Workspace
) -> None:
    random, oracle = Random(0), Oracle()
    verdicts: list[bool] = []
    for board in walks.small_positions(count, seed=0):
        mate = random.choice([-2, -1, 1, 2, 3])
        line = random_line(board, mate, random, oracle)
        found = followed(workspace, unanswered(board.fen(), mate, " ".join(line)))
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
