"""The df-pn search agrees with the definition of mate and with the prover."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

import chess
import numpy as np
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT, Decision
from solver.problem import Restriction
from solver.search.workspaces import Workspace
from tests.oracles import naive, walks
from tests.oracles.remembering import Oracle
from tests.oracles.restrictions import RestrictedGame
from tests.search import workspaces
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


@pytest.fixture(params=["roomy", "tiny"])
def workspace(request: pytest.FixtureRequest) -> Workspace:
    return Workspace(hash_mib=4) if request.param == "roomy" else workspaces.tiny()


def agree_with_the_definition(
    boards: Iterable[chess.Board],
    attacking: range,
    defending: range,
    mate_in: Callable[[chess.Board, int], bool] = naive.mate_in,
    mated_in: Callable[[chess.Board, int], bool] = naive.mated_in,
) -> int:
    """Compare the answers for these numbers of moves; return the number of mates."""
    mates = 0
    sizes = {"roomy": Workspace(hash_mib=4), "tiny": workspaces.tiny()}
    for board in boards:
        position = pack_board(board)
        questions = [(n, True) for n in attacking] + [(n, False) for n in defending]
        for n, attacks in questions:
            expected = (mate_in if attacks else mated_in)(board, n)
            for size, workspace in sizes.items():
                workspace.begin(None)
                found = workspace.search_dfpn(position, n, attacking=attacks)
                assert found is Decision(expected), (
                    f"{board.fen()}: {n} moves, attacking: {attacks}, {size} table"
                )
            mates += expected
    return mates


@sized("count", 8, 40)
def test_mates_are_those_of_the_definition(count: int) -> None:
    small = walks.small_positions(3 * count, seed=51)
    assert agree_with_the_definition(small, range(1, 3), range(3)) > count // 2
    crowds = walks.crowded_positions(20, seed=51)
    assert agree_with_the_definition(crowds, range(1, 3), range(2)) > 3
    played = walks.random_positions(3 * count, seed=51)
    agree_with_the_definition(played, range(1, 2), range(2))
    oracle, boards = Oracle(), walks.small_positions(10 * count, seed=52)
    few = [board for board in boards if chess.popcount(board.occupied) <= 4][:count]
    longer = range(3, 5), range(3, 4)
    mates = agree_with_the_definition(few, *longer, oracle.mate_in, oracle.mated_in)
    assert mates > count // 3


QUESTIONS = [(n, True) for n in range(1, 5)] + [(n, False) for n in range(4)]
"""Moves, and whether the attacker is to move."""


@cache
def varied() -> tuple[tuple[chess.Board, tuple[Decision, ...]], ...]:
    """Return small, crowded and played positions with the prover's answers."""
    boards = [
        *walks.small_positions(80, seed=53),
        *walks.crowded_positions(25, seed=53),
        *walks.random_positions(20, seed=53),
    ]
    prover = Workspace(hash_mib=16)
    answered = []
    for board in boards:
        prover.begin(None)
        position = pack_board(board)
        answers = [
            prover.prove(position, n, attacking=attacking) for n, attacking in QUESTIONS
        ]
        answered.append((board, tuple(answers)))
    return tuple(answered)


@pytest.mark.parametrize("shared", [0, 1, 2, 3])
def test_what_is_kept_from_other_questions_changes_no_answer(shared: int) -> None:
    """Prover and df-pn search run in any order in one generation.

    Where lengths share their numbers, each meets the numbers of the others.
    """
    workspace = Workspace(hash_mib=16)
    workspace.search.shared_lengths = shared
    workspace.begin(None)
    questions = [
        (board, *question, answer, engine)
        for board, answers in varied()
        for question, answer in zip(QUESTIONS, answers, strict=True)
        for engine in (Workspace.search_dfpn, Workspace.prove)[: 1 if shared else 2]
    ]
    Random(54).shuffle(questions)
    decided = 0
    for board, n, attacking, expected, engine in questions:
        with workspace.budget(20_000 if shared else 1 << 40):
            found = engine(workspace, pack_board(board), n, attacking=attacking)
        assert found is expected or (shared and found is Decision.STOPPED), board.fen()
        decided += found is expected
    assert decided > 0.9 * len(questions)


def test_a_node_limit_of_any_size_gives_the_truth_or_nothing(
    workspace: Workspace,
) -> None:
    """The limit grows by a node each time, and the table keeps its entries."""
    stopped = decided = 0
    for board, answers in varied()[::3]:
        workspace.begin(None)
        position = pack_board(board)
        for limit in range(1, 200, 3):
            for (n, attacking), expected in zip(QUESTIONS, answers, strict=True):
                with workspace.budget(limit):
                    found = workspace.search_dfpn(position, n, attacking=attacking)
                stopped += found is Decision.STOPPED
                decided += found is not Decision.STOPPED
                assert found in {Decision.STOPPED, expected}, (board.fen(), limit, n)
    assert stopped > 1000
    assert decided > 1000
    workspace = Workspace(hash_mib=1)
    workspace.begin(None)
    workspace.search.stop = 1
    position = pack_board(chess.Board("8/7K/8/8/8/8/R7/7k w - - 0 1"))
    assert workspace.search_dfpn(position, 8, attacking=True) is Decision.STOPPED
    workspace.search.stop = 0
    assert workspace.search_dfpn(position, 8, attacking=True) is Decision.MATE
    assert workspace.search_dfpn(position, 7, attacking=True) is Decision.NO_MATE


# Proof numbers guide the search and prove nothing


def spoil(workspace: Workspace, new: Callable[[int], int]) -> int:
    """Replace the words of all stored proof numbers; return how many there are."""
    numbers = workspaces.table_of(workspace.search)[1, ..., 1]
    stored = numbers.nonzero()
    changed = [new(int(word)) for word in numbers[stored]]
    numbers[stored] = np.array(changed, np.uint64)
    return len(stored[0])


@sized("count", 3, 12)
@pytest.mark.parametrize("largest", [1, 100, (1 << 20) - 1])
def test_wrong_proof_numbers_change_no_answer(largest: int, count: int) -> None:
    """Nor do the largest that an entry can hold: these are not infinite."""
    workspace, random, changed = Workspace(hash_mib=1), Random(55), 0

    def scrambled(word: int) -> int:
        phi, delta = random.randint(1, largest), random.randint(1, largest)
        return word >> 40 << 40 | phi << 20 | delta

    for board in workspaces.mates_in_five(count):
        position = pack_board(board)
        for moves, expected in ((4, Decision.NO_MATE), (5, Decision.MATE)):
            workspace.begin(None)
            for _ in range(4):
                with workspace.budget(3000):
                    found = workspace.search_dfpn(position, moves, attacking=True)
                assert found in {Decision.STOPPED, expected}, board.fen()
                changed += spoil(workspace, scrambled)
            found = workspace.search_dfpn(position, moves, attacking=True)
            assert found is expected, (board.fen(), moves)
        workspace.begin(2000)
        workspace.search_dfpn(position, 5, attacking=True)
        spoil(workspace, lambda word: word | (1 << 40) - 1)
        workspace.search.node_limit = NO_LIMIT
        found = workspace.search_dfpn(position, 5, attacking=True)
        assert found is Decision.MATE, board.fen()
    assert changed > 80 * count


# Restrictions


RESTRICTIONS = {
    "checks": Restriction(checks_only=True),
    "no flight": Restriction(king_flights=0),
    "two flights": Restriction(king_flights=2),
    "a reply": Restriction(replies=1),
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


def is_small(board: chess.Board) -> bool:
    return chess.popcount(board.occupied) <= 4


def questions(
    restriction: Restriction, count: int
) -> Iterator[tuple[chess.Board, list[tuple[int, bool]]]]:
    """Yield positions, with the numbers of moves and roles that are quickly defined.

    There are fewer and smaller ones if the oracle must search threats.
    """
    threat = restriction.threat
    boards = [*walks.small_positions(count // (threat or 1) ** 2, seed=61)]
    crowds = 10 if threat is None else 2 if threat == 1 else 0
    for board in (*boards, *walks.crowded_positions(crowds, seed=61)):
        if is_small(board) or threat is None:
            most = 3 if is_small(board) else 2
            fewer = range(most if is_small(board) and not threat else 2)
            attacking = [(n, True) for n in range(1, most + 1)]
            yield board, attacking + [(n, False) for n in fewer]


@sized("count", 24, 80)
@pytest.mark.parametrize("name", RESTRICTIONS)
def test_answers_under_a_restriction_follow_its_definition(
    name: str, count: int
) -> None:
    """With a large and a tiny table; the bounds that remain are correct too."""
    restriction, anywhere = RESTRICTIONS[name], Oracle()
    game = RestrictedGame(**asdict(restriction))
    roomy, tiny = Workspace(hash_mib=4), workspaces.tiny()
    mates = hidden = 0
    for board, asked in questions(restriction, count):
        position = pack_board(board)
        roomy.begin(None, restriction)
        for n, attacking in asked:
            expected = (game.mate_in if attacking else game.mated_in)(board, n)
            tiny.begin(None, restriction)
            for workspace in (roomy, tiny):
                found = workspace.search_dfpn(position, n, attacking=attacking)
                assert found is Decision(expected), (board.fen(), n)
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
    assert hidden or name not in {"checks", "no flight", "a reply"}
    # Castling is no flight: after 1. Rh7 the king has one square, and can castle.
    board = chess.Board("r3k3/8/8/8/1Q6/p6R/7K/8 w q - 0 1")
    for flights, decision in ((0, Decision.NO_MATE), (1, Decision.MATE)):
        roomy.begin(None, Restriction(king_flights=flights))
        assert roomy.search_dfpn(pack_board(board), 2, attacking=True) is decision


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
                assert found is Decision(is_mate), (board.fen(), n)
    assert missed


@pytest.mark.parametrize("name", ["threats", "longer threats", "all but checks"])
def test_a_limit_within_a_threat_gives_the_truth_or_nothing(name: str) -> None:
    """Where no move gives check, every move must threaten mate."""
    restriction, verdicts = RESTRICTIONS[name], Counter[bool]()
    kept, tiny = Workspace(hash_mib=4), workspaces.tiny()
    boards = [*walks.small_positions(100, 65), *walks.crowded_positions(8, 64)]
    quiet = [b for b in boards if not any(map(b.gives_check, b.legal_moves))]
    for board in (*boards[::9], *quiet):
        position = pack_board(board)
        for n in (2, 3):
            kept.begin(None, restriction)
            whole = kept.search_dfpn(position, n, attacking=True)
            assert whole is not Decision.STOPPED
            kept.begin(None, restriction)  # bounds of stopped searches stay behind
            for limit in chain(range(1, 60, 4), range(60, 300, 31)):
                tiny.begin(None, restriction)
                for workspace in (kept, tiny):
                    with workspace.budget(limit):
                        found = workspace.search_dfpn(position, n, attacking=True)
                    assert found in {Decision.STOPPED, whole}, (board.fen(), n, limit)
                    verdicts[found is whole] += 1
    assert min(verdicts[True], verdicts[False]) > 100
