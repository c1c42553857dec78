"""Small endgames in whole answers: proved where a search alone would not get there."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.endgames import probe
from solver.endgames.probe import find_ending
from solver.problem import Claim, Limits, Problem, Restriction
from solver.search import endgame
from solver.search.threads import Control
from solver.solution import Status, StoppedBy
from solver.solving import Solver
from tests.endgames.boards import random_boards
from tests.search.workspaces import untimed

if TYPE_CHECKING:
    from solver.endgames.probe import EndingAnswer
    from solver.solution import Solution

pytestmark = pytest.mark.usefixtures("kernel")

BISHOP_AND_KNIGHT = "7k/8/5K2/8/4N3/8/8/5B2 w - - 0 1"
"""Mate in 22."""

QUEEN_AGAINST_ROOK = "8/8/8/8/8/2k5/1r6/K2Q4 b - - 0 1"
"""Black is mated in 34, and has nothing to mate with in time."""


def replay(fen: str, line: tuple[str, ...]) -> chess.Board:
    board = chess.Board(fen)
    for move in line:
        board.push_uci(move)
    return board


def test_a_small_endgame_is_proved_with_its_line_and_keys() -> None:
    solver = Solver(hash_mib=16)
    for fen in (BISHOP_AND_KNIGHT, QUEEN_AGAINST_ROOK):
        stopped = solver.solve(Problem(fen), Limits(nodes=20_000))
        assert stopped.stopped_by is StoppedBy.NODES
    found = solver.solve(Problem(BISHOP_AND_KNIGHT), Limits())
    assert (found.status, found.mate, found.lower_bound) == (Status.PROVED, 22, 22)
    assert found.keys_complete
    assert found.pv[0] in found.keys
    assert len(found.pv) == 43
    assert replay(BISHOP_AND_KNIGHT, found.pv).is_checkmate()
    none = solver.solve(Problem(BISHOP_AND_KNIGHT), Limits(max_moves=21))
    assert (none.status, none.mate, none.lower_bound) == (Status.DISPROVED, None, 22)
    longer = solver.solve(Problem(BISHOP_AND_KNIGHT), Limits(), within=30)
    assert longer.mate is not None
    assert 22 <= longer.mate <= 30
    assert none.stopped_by is longer.stopped_by is None
    mated = solver.solve(Problem(QUEEN_AGAINST_ROOK), Limits())
    assert (mated.status, mated.mate) == (Status.PROVED, -34)
    assert len(mated.pv) == 68
    assert replay(QUEEN_AGAINST_ROOK, mated.pv).is_checkmate()


# Further positions of the same pieces.

NAMES = ("KQvK", "KRvK", "KQRvK", "KQvKR", "KBvKN")

SEARCH_NODES = 2_000_000
"""With this node limit no small endgame is answered from a table."""

KING_AND_ROOK = (
    "7k/8/8/8/7K/8/3R4/8 w - - 0 1",
    "8/8/8/8/1R6/3K4/8/7k w - - 0 1",
    "8/4K3/6k1/8/8/1R6/8/8 w - - 0 1",
)
"""Mates in 5, of 20,000 to 40,000 nodes."""

QUEEN_AND_ROOK = (
    "7K/R7/6Q1/8/8/8/3k4/8 b - - 0 1",
    "8/6Q1/8/8/8/8/5R2/2K1k3 b - - 0 1",
    "8/8/1K6/8/8/8/2kq4/r7 w - - 0 1",
)
"""Mated in 4 and 5, after 25,000 to 50,000 nodes."""


@pytest.fixture
def fresh() -> Solver:
    """A solver that has met no small endgame."""
    return Solver(hash_mib=16)


@pytest.fixture(scope="module")
def probing() -> Solver:
    """A solver that has probed the tables of `NAMES`, whoever attacks."""
    solver = Solver(hash_mib=16)
    for name, attacks in product(NAMES, (True, False)):
        for board, attacker in random_boards(name, 1000, seed=60):
            mate = 200 if (board.turn == attacker) is attacks else -200
            problem = Problem(board.fen(), claim=Claim(mate))
            if solver.solve(problem, Limits()).stats.nodes == 0:
                break
    return solver


def near_mates(solver: Solver, name: str, count: int, seed: int) -> list[chess.Board]:
    """Return random positions, and those up to six plies before their mates."""
    boards: dict[str, chess.Board] = {}
    for board, _attacker in random_boards(name, count, seed):
        line = solver.solve(Problem(board.fen()), Limits()).pv
        for end in (0, *range(max(0, len(line) - 6), len(line))):
            later = replay(board.fen(), line[:end])
            boards[later.fen()] = later
    return [board for board in boards.values() if not board.is_checkmate()]


def nodes_in_turn(solver: Solver, fens: tuple[str, ...], limits: Limits) -> list[int]:
    return [solver.solve(Problem(fen), limits).stats.nodes for fen in fens]


def assert_alike(searched: Solution, probed: Solution) -> None:
    """Whether a table says what the search has proved, perhaps with another line."""
    fen = searched.problem.fen
    assert probed.stats.nodes == 0, fen
    assert searched.stopped_by is None, fen
    for name in ("status", "mate", "lower_bound", "keys_complete", "stopped_by"):
        assert getattr(probed, name) == getattr(searched, name), (name, fen)
    assert len(probed.pv) == len(searched.pv), fen
    if probed.keys_complete:
        assert probed.keys == searched.keys, fen
    else:
        assert probed.keys == probed.pv[:1], fen
    if probed.pv:
        assert replay(fen, probed.pv).is_checkmate()


@pytest.mark.parametrize("keys", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_a_table_answers_what_the_search_proves(
    fresh: Solver, probing: Solver, name: str, keys: bool
) -> None:
    found = set()
    for board in near_mates(probing, name, 8, seed=61):
        fen = board.fen()
        for problem, most in (
            (Problem(fen), 3),
            (Problem(fen, claim=Claim(2)), 2),
            (Problem(fen, claim=Claim(-2)), 2),
            (Problem(fen, no_mate=2), 2),
        ):
            limits = Limits(max_moves=most)
            searched = fresh.solve(
                problem, replace(limits, nodes=SEARCH_NODES), keys=keys
            )
            probed = probing.solve(problem, limits, keys=keys)
            assert_alike(searched, probed)
            found.add(probed.mate)
        for within in (3, -3):
            limits = Limits(nodes=SEARCH_NODES)
            searched = fresh.solve(Problem(fen), limits, within=within)
            probed = probing.solve(Problem(fen), Limits(), within=within)
            assert probed.stats.nodes == 0
            assert searched.stopped_by is probed.stopped_by is None
            assert (searched.mate is None) == (probed.mate is None)
            if searched.mate is not None and probed.mate is not None:
                assert searched.lower_bound <= abs(probed.mate) <= abs(searched.mate)
                assert abs(searched.mate) <= 3
                assert probed.status is Status.PROVED
                assert replay(fen, probed.pv).is_checkmate()
    assert found == ({None} if name == "KBvKN" else {1, -1, 2, -2, 3, -3, None})


@pytest.mark.parametrize("nodes", [1, 1000, 50_000, 2_000_000])
def test_a_node_limit_means_the_same_after_any_problems(
    fresh: Solver, probing: Solver, nodes: int
) -> None:
    for fen in (*KING_AND_ROOK, QUEEN_AGAINST_ROOK):
        alone = fresh.solve(Problem(fen), Limits(nodes=nodes))
        after_others = probing.solve(Problem(fen), Limits(nodes=nodes))
        assert untimed(after_others) == untimed(alone)


def test_a_restricted_question_is_not_answered_by_a_table(
    fresh: Solver, probing: Solver
) -> None:
    for fen in KING_AND_ROOK[:2]:
        for asked in (
            {"restriction": Restriction(checks_only=True)},
            {"root_moves": [next(iter(chess.Board(fen).legal_moves)).uci()]},
        ):
            limits = Limits(max_moves=4)
            alone = fresh.solve(Problem(fen), limits, **asked)
            after_others = probing.solve(Problem(fen), limits, **asked)
            assert after_others.stats.nodes > 0
            assert untimed(after_others) == untimed(alone)


@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        ("8/8/8/8/8/8/5Q2/1k2K2R w K - 0 1", 1),
        ("8/8/8/8/8/2R5/8/R3K2k w Q - 0 1", 2),
        ("8/8/8/8/3R4/8/8/R3K1k1 w Q - 0 1", 2),
        ("8/8/8/8/8/4k3/8/R3K3 w Q - 0 1", None),
    ],
)
def test_positions_with_castling_rights_are_searched(
    fresh: Solver, probing: Solver, fen: str, mate: int | None
) -> None:
    """Without the right, which no table has, the mates take a move more."""
    for board in (chess.Board(fen), chess.Board(fen).mirror()):
        assert find_ending(board, board.turn, is_stopped=bool) is None
        castling = Problem(board.fen())
        alone = fresh.solve(castling, Limits(max_moves=3))
        after_others = probing.solve(castling, Limits(max_moves=3))
        assert alone.mate == mate
        assert untimed(after_others) == untimed(alone)
        board.castling_rights = chess.BB_EMPTY
        without = fresh.solve(Problem(board.fen()), Limits(max_moves=3))
        assert without.mate == (mate and mate + 1)


# When a table is built.


def test_a_table_is_built_at_the_second_position_and_then_probed_first(
    fresh: Solver, probing: Solver
) -> None:
    """A mirrored position has the same pieces, and each solver counts its own."""
    mirrored = chess.Board(KING_AND_ROOK[1]).mirror().fen()
    assert probing.solve(Problem(KING_AND_ROOK[0]), Limits()).stats.nodes == 0
    for solver in (fresh, Solver(hash_mib=16, threads=2)):
        nodes = nodes_in_turn(solver, KING_AND_ROOK[:1] * 3, Limits())
        assert nodes[0] == nodes[1] == nodes[2] > 0
        nodes += nodes_in_turn(solver, (mirrored, KING_AND_ROOK[2]), Limits())
        assert nodes[0] > nodes[-2] > nodes[-1] == 0
        assert solver.solve(Problem(KING_AND_ROOK[2]), Limits()).mate == 5
    control = Control()
    control.stop()
    found = probing.solve(Problem(KING_AND_ROOK[0]), Limits(), control=control)
    assert (found.status, found.stopped_by) == (Status.UNDECIDED, StoppedBy.INTERRUPT)


def test_little_time_or_a_node_limit_builds_no_table_of_four_pieces_any_sooner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So much time that no search gets near it, on a busy machine either."""
    usual = endgame.BUILDING_S
    longer = {pieces: 1000 * seconds for pieces, seconds in usual.items()}
    monkeypatch.setattr(endgame, "BUILDING_S", longer)
    little = Limits(time_s=(longer[3] + longer[4]) / 2)
    expected = [
        Solver(hash_mib=16).solve(Problem(fen), Limits()).stats.nodes
        for fen in QUEEN_AND_ROOK
    ]
    for limits in (little, Limits(nodes=2_000_000), Limits(nodes=3_000_000)):
        solver = Solver(hash_mib=16)
        assert nodes_in_turn(solver, QUEEN_AND_ROOK, limits) == expected
    assert min(expected) > 20_000
    assert nodes_in_turn(Solver(hash_mib=16), KING_AND_ROOK, little)[-1] == 0


def test_a_stop_while_a_table_is_built_keeps_what_was_searched(
    fresh: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_then_build(*asked: Any, **more: Any) -> EndingAnswer | None:
        control.stop()
        return find_ending(*asked, **more)

    monkeypatch.setattr(probe, "_TABLES", {})
    fresh.solve(Problem(KING_AND_ROOK[0]), Limits())
    control = Control()
    with monkeypatch.context() as patched:
        patched.setattr(probe, "find_ending", stop_then_build)
        stopped = fresh.solve(Problem(KING_AND_ROOK[1]), Limits(), control=control)
    assert (stopped.status, stopped.stopped_by) == (
        Status.UNDECIDED,
        StoppedBy.INTERRUPT,
    )
    assert 1 < stopped.lower_bound <= 5
    assert fresh.solve(Problem(KING_AND_ROOK[1]), Limits()).mate == 5
