"""Lines of mates that the df-pn search proved, with loose bounds or lost proofs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import Decision
from solver.position_text import uci_line
from solver.problem import Restriction
from solver.search.workspaces import Workspace
from tests.oracles import walks
from tests.oracles.remembering import Oracle
from tests.oracles.restrictions import RestrictedGame
from tests.search import workspaces

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")


ROOK_ENDING = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""Mate in 8."""


@pytest.fixture(params=["roomy", "tiny"])
def workspace(request: pytest.FixtureRequest) -> Workspace:
    return Workspace(hash_mib=4) if request.param == "roomy" else workspaces.tiny()


def found_line(
    workspace: Workspace, board: chess.Board, moves: int, *, attacking: bool
) -> tuple[str, ...] | None:
    """Prove a mate by df-pn search and return its line; None: there is no mate."""
    position = pack_board(board)
    workspace.begin(None)
    if workspace.search_dfpn(position, moves, attacking=attacking) is not Decision.MATE:
        return None
    words = workspace.kernel.proved_line(
        position, workspace.search, moves, attacking=attacking
    )
    assert words is not None
    return uci_line(pack_board(board), words, black=not board.turn)


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
            assert line is not None, board.fen()
            check(board, line, most, attacking, reference)
            lines += 1
    assert lines > 30


@pytest.mark.parametrize("longer", [0, 2])
def test_lost_lines_of_longer_mates_are_proved_again(longer: int) -> None:
    reference = Workspace(hash_mib=16)
    for workspace in (Workspace(hash_mib=4), workspaces.tiny()):
        for board in workspaces.mates_in_five(12):
            line = found_line(workspace, board, 5 + longer, attacking=True)
            assert line is not None
            check(board, line, 5 + longer, True, reference)


def test_a_line_of_a_shortest_mate_has_its_length() -> None:
    oracle = Oracle()
    workspace = Workspace(hash_mib=4)
    for board in workspaces.mates_in_five(25):
        line = found_line(workspace, board, 5, attacking=True)
        assert line is not None
        assert len(line) == 9, board.fen()
    shorter = 0
    for board in walks.small_positions(60, seed=72):
        if oracle.mate_in(board, 2):
            line = found_line(workspace, board, 2, attacking=True)
            assert line is not None
            assert len(line) == (1 if oracle.mate_in(board, 1) else 3)
            shorter += len(line) == 1
    assert shorter


def test_an_interrupt_leaves_a_whole_line_or_none() -> None:
    """What the table holds may be enough; what it lost cannot be proved again."""
    reference = Workspace(hash_mib=16)
    kept = lost = 0
    for workspace in (Workspace(hash_mib=4), workspaces.tiny()):
        for board in workspaces.mates_in_five(20):
            position = pack_board(board)
            workspace.begin(None)
            workspace.search_dfpn(position, 7, attacking=True)
            workspace.search.stop = 1
            words = workspace.kernel.proved_line(
                position, workspace.search, 7, attacking=True
            )
            workspace.search.stop = 0
            if words is None:
                lost += 1
            else:
                check(
                    board,
                    uci_line(pack_board(board), words, black=not board.turn),
                    7,
                    True,
                    reference,
                )
                kept += 1
    assert kept
    assert lost


def test_a_limit_while_the_line_is_read_leaves_a_whole_line_or_none() -> None:
    reference = Workspace(hash_mib=16)
    workspace = workspaces.tiny()
    board = chess.Board(ROOK_ENDING)
    position = pack_board(board)
    whole = 0
    for nodes in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000):
        workspace.begin(None)
        assert workspace.search_dfpn(position, 9, attacking=True) is Decision.MATE
        with workspace.budget(nodes):
            words = workspace.kernel.proved_line(
                position, workspace.search, 9, attacking=True
            )
        if words is not None:
            check(
                board,
                uci_line(pack_board(board), words, black=not board.turn),
                9,
                True,
                reference,
            )
            whole += 1
    assert 0 < whole < 7


@pytest.mark.parametrize(
    "restriction",
    [
        Restriction(checks_only=True),
        Restriction(king_flights=1),
        Restriction(replies=3),
    ],
)
def test_lines_under_a_restriction_keep_to_it(restriction: Restriction) -> None:
    game = RestrictedGame(
        restriction.checks_only,
        restriction.king_flights,
        restriction.replies,
        restriction.threat,
    )
    lines = 0
    for workspace in (Workspace(hash_mib=4), workspaces.tiny()):
        for board in walks.small_positions(100, seed=73):
            position = pack_board(board)
            workspace.begin(None, restriction)
            if workspace.search_dfpn(position, 4, attacking=True) is Decision.MATE:
                words = workspace.kernel.proved_line(
                    position, workspace.search, 4, attacking=True
                )
                assert words is not None
                boards = list(
                    played(
                        board, uci_line(pack_board(board), words, black=not board.turn)
                    )
                )
                assert boards[-1].is_checkmate()
                assert len(boards) <= 8
                assert all(map(game.admits, boards[1::2])), board.fen()
                lines += len(words) > 1
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
    line = found_line(Workspace(hash_mib=16), board, moves, attacking=True)
    assert line is not None
    positions = [after.epd() for after in played(board, line)]
    assert len(set(positions)) == len(positions) == len(line) + 1
    assert len(line) <= 2 * moves - 1
