"""The df-pn search under a restriction is exact about the restriction only."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import Decision
from solver.kernel.mate.bounds import NARROW
from solver.problem import Restriction
from solver.search.workspaces import Workspace
from tests.oracles import walks
from tests.oracles.remembering import Oracle
from tests.oracles.restrictions import RestrictedGame
from tests.search import workspaces
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

RESTRICTIONS = {
    "checks": Restriction(checks_only=True),
    "no flight": Restriction(king_flights=0),
    "a flight": Restriction(king_flights=1),
    "two flights": Restriction(king_flights=2),
    "a reply": Restriction(replies=1),
    "three replies": Restriction(replies=3),
    "threats": Restriction(threat=1),
    "longer threats": Restriction(threat=2),
    "checks with few flights": Restriction(checks_only=True, king_flights=1),
    "threats with few flights": Restriction(king_flights=2, threat=1),
    "all but checks": Restriction(king_flights=3, replies=4, threat=2),
}


@contextmanager
def narrowed(workspace: Workspace, restriction: Restriction) -> Iterator[None]:
    """Restrict the df-pn search in the block; the question itself stays open."""
    workspace.limit(None, restriction)
    workspace.search.restricted_only = 0
    try:
        yield
    finally:
        workspace.limit(None)


@pytest.fixture(params=list(RESTRICTIONS.values()), ids=list(RESTRICTIONS))
def restriction(request: pytest.FixtureRequest) -> Restriction:
    restriction: Restriction = request.param
    return restriction


def game_of(restriction: Restriction) -> RestrictedGame:
    return RestrictedGame(
        restriction.checks_only,
        restriction.king_flights,
        restriction.replies,
        restriction.threat,
    )


def verdict_of(*, is_mate: bool) -> Decision:
    return Decision.MATE if is_mate else Decision.NO_MATE


def is_small(board: chess.Board) -> bool:
    return chess.popcount(board.occupied) <= 4


def questions(
    board: chess.Board, restriction: Restriction
) -> Iterator[tuple[int, bool]]:
    """Yield numbers of moves and roles that the definition can answer quickly."""
    most = 3 if is_small(board) else 2
    for n in range(1, most + 1):
        yield n, True
    for n in range(most if is_small(board) and not restriction.threat else 2):
        yield n, False


def is_quiet(board: chess.Board) -> bool:
    """Return whether no move gives check, so that every move must threaten mate."""
    return not any(map(board.gives_check, board.legal_moves))


def is_narrow(restriction: Restriction) -> bool:
    """Return whether the restriction should hide some mates of the sample."""
    return (
        restriction.checks_only
        or restriction.king_flights == 0
        or restriction.replies == 1
    )


def boards_for(restriction: Restriction, count: int) -> Iterator[chess.Board]:
    """Yield positions; fewer and smaller ones if the oracle must search threats."""
    if restriction.threat:
        small = filter(
            is_small, walks.small_positions(count // restriction.threat**2, seed=61)
        )
        yield from small
        yield from walks.crowded_positions(2 if restriction.threat == 1 else 0, seed=61)
    else:
        yield from walks.small_positions(count, seed=61)
        yield from walks.crowded_positions(10, seed=61)


@sized("count", 24, 80)
def test_answers_under_a_restriction_follow_its_definition(
    restriction: Restriction, count: int
) -> None:
    """With a large and a tiny table; the bounds that remain are correct too."""
    game, anywhere = game_of(restriction), Oracle()
    roomy, tiny = Workspace(hash_mib=4), workspaces.tiny()
    mates = hidden = 0
    for board in boards_for(restriction, count):
        position = pack_board(board)
        roomy.begin(None, restriction)
        for n, attacking in questions(board, restriction):
            expected = (game.mate_in if attacking else game.mated_in)(board, n)
            tiny.begin(None, restriction)
            for workspace in (roomy, tiny):
                found = workspace.search_dfpn(position, n, attacking=attacking)
                assert found is verdict_of(is_mate=expected), (board.fen(), n)
            mates += expected
            if attacking and is_small(board):
                is_mate = anywhere.mate_in(board, n)
                assert expected <= is_mate, board.fen()
                hidden += is_mate and not expected
        if is_small(board):
            bounds = roomy.kernel.bounds(position, roomy.search, attacking=True)
            assert not game.mate_in(board, min(bounds.no_mate, 3)), board.fen()
            assert bounds.mate is None or game.mate_in(board, bounds.mate), board.fen()
    assert mates > count // 16
    assert hidden or not is_narrow(restriction)


@pytest.mark.parametrize("most_restriction", ["no flight", "a reply", "threats"])
def test_bounds_of_a_restriction_are_not_used_without_it(most_restriction: str) -> None:
    """Restricted and unrestricted searches alternate in one generation."""
    restriction = RESTRICTIONS[most_restriction]
    workspace = Workspace(hash_mib=4)
    oracle = Oracle()
    missed = 0
    for board in chain(
        filter(is_small, walks.small_positions(90, seed=62)),
        walks.crowded_positions(8, seed=62),
    ):
        workspace.begin(None)
        position = pack_board(board)
        most = 3 if is_small(board) else 2
        expected = {n: oracle.mate_in(board, n) for n in range(1, most + 1)}
        for n in range(most, 0, -1):
            with narrowed(workspace, restriction):
                found = workspace.search_dfpn(position, n, attacking=True)
            if found is Decision.MATE:
                assert expected[n], (board.fen(), n)
            missed += expected[n] and found is not Decision.MATE
            assert not expected[1] or found is Decision.MATE
        bounds = workspace.kernel.bounds(position, workspace.search, attacking=True)
        assert not expected.get(min(bounds.no_mate, most), False), board.fen()
        for n, is_mate in expected.items():
            for engine in (Workspace.search_dfpn, Workspace.prove):
                found = engine(workspace, position, n, attacking=True)
                assert found is verdict_of(is_mate=is_mate), (board.fen(), n)
    assert missed


def test_alternating_restrictions_share_only_what_is_true() -> None:
    """All restrictions run one after another in one generation."""
    workspace = Workspace(hash_mib=4)
    prover = Workspace(hash_mib=4)
    boards = [
        *walks.small_positions(80, seed=63),
        *walks.crowded_positions(40, seed=63),
    ]
    for board in boards:
        workspace.begin(None)
        prover.begin(None)
        position = pack_board(board)
        for n in (4, 3, 2):
            expected = prover.prove(position, n, attacking=True)
            for restriction in RESTRICTIONS.values():
                if restriction.threat != 2:
                    with narrowed(workspace, restriction), workspace.budget(20_000):
                        found = workspace.search_dfpn(position, n, attacking=True)
                    assert found is not Decision.MATE or expected is Decision.MATE
            with workspace.budget(20_000):
                found = workspace.search_dfpn(position, n, attacking=True)
            assert found in {Decision.STOPPED, expected}, (board.fen(), n)


@pytest.mark.parametrize("name", ["threats", "longer threats", "all but checks"])
def test_a_limit_within_a_threat_gives_the_truth_or_nothing(name: str) -> None:
    restriction = RESTRICTIONS[name]
    workspace = Workspace(hash_mib=4)
    tiny = workspaces.tiny()
    stopped = decided = 0
    for board in chain(
        walks.small_positions(24, seed=64),
        walks.crowded_positions(8, seed=64),
        filter(is_quiet, walks.small_positions(400, seed=65)),
    ):
        position = pack_board(board)
        for n in (2, 3):
            workspace.begin(None, restriction)
            whole = workspace.search_dfpn(position, n, attacking=True)
            assert whole is not Decision.STOPPED
            for limit in chain(range(1, 60, 2), range(60, 300, 11)):
                for other in (workspace, tiny):
                    other.begin(limit, restriction)
                    found = other.search_dfpn(position, n, attacking=True)
                    assert found in {Decision.STOPPED, whole}, (board.fen(), n, limit)
                    stopped += found is Decision.STOPPED
                    decided += found is not Decision.STOPPED
            # The bounds that stopped searches of this generation leave behind.
            workspace.begin(None, restriction)
            for limit in range(1, 300, 7):
                with workspace.budget(limit):
                    found = workspace.search_dfpn(position, n, attacking=True)
                assert found in {Decision.STOPPED, whole}, (board.fen(), n, limit)
    assert stopped > 100
    assert decided > 100


def test_castling_is_no_flight() -> None:
    """After 1. Rh7 the king can move to one square, and can castle."""
    board = chess.Board("r3k3/8/8/8/1Q6/p6R/7K/8 w q - 0 1")
    workspace = Workspace(hash_mib=1)
    for flights, expected in ((0, Decision.NO_MATE), (1, Decision.MATE)):
        workspace.begin(None, Restriction(king_flights=flights))
        assert workspace.search_dfpn(pack_board(board), 2, attacking=True) is expected


def test_the_narrow_search_has_the_word_of_its_restriction() -> None:
    workspace = Workspace(hash_mib=1)
    workspace.begin(None, Restriction(king_flights=1))
    assert workspace.search.restriction == NARROW
