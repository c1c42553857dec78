"""The df-pn search agrees with the definition of mate and with the prover."""

from __future__ import annotations

import ctypes
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT, Decision
from solver.search.workspaces import Workspace
from tests.oracles import naive, walks
from tests.oracles.remembering import Oracle
from tests.search import workspaces
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from solver.kernel.border.search_struct import PositionStruct

PROOFS = 8
"""Words of a bucket."""


def verdict_of(*, is_mate: bool) -> Decision:
    return Decision.MATE if is_mate else Decision.NO_MATE


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
                assert found is verdict_of(is_mate=expected), (
                    f"{board.fen()}: {n} moves, attacking: {attacks}, {size} table"
                )
            mates += expected
    return mates


@sized("count", 20, 110)
def test_mates_in_two_are_those_of_the_definition(count: int) -> None:
    small = walks.small_positions(count, seed=51)
    assert agree_with_the_definition(small, range(1, 3), range(3)) > count // 4
    crowds = walks.crowded_positions(20, seed=51)
    assert agree_with_the_definition(crowds, range(1, 3), range(2)) > 3
    played = walks.random_positions(30, seed=51)
    agree_with_the_definition(played, range(1, 2), range(2))


@sized("count", 8, 18)
def test_mates_in_three_and_four_are_those_of_the_definition(count: int) -> None:
    oracle = Oracle()
    mates = agree_with_the_definition(
        few_pieces(count, seed=52),
        range(3, 5),
        range(3, 4),
        oracle.mate_in,
        oracle.mated_in,
    )
    assert mates > count // 3


def few_pieces(count: int, seed: int) -> list[chess.Board]:
    boards = walks.small_positions(10 * count, seed)
    return [board for board in boards if chess.popcount(board.occupied) <= 4][:count]


QUESTIONS = [(n, True) for n in range(1, 5)] + [(n, False) for n in range(4)]
"""Moves, and whether the attacker is to move."""


@cache
def varied() -> tuple[tuple[chess.Board, tuple[Decision, ...]], ...]:
    """Return small, crowded and played positions with the prover's answers."""
    boards = [
        *walks.small_positions(120, seed=53),
        *walks.crowded_positions(40, seed=53),
        *walks.random_positions(30, seed=53),
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


def ask_all(workspace: Workspace, position: PositionStruct) -> tuple[Decision, ...]:
    return tuple(
        workspace.search_dfpn(position, n, attacking=attacking)
        for n, attacking in QUESTIONS
    )


def test_df_pn_search_and_prover_agree() -> None:
    workspace = Workspace(hash_mib=16)
    mates = 0
    for board, expected in varied():
        workspace.begin(None)
        assert ask_all(workspace, pack_board(board)) == expected, board.fen()
        mates += sum(expected)
    assert mates > 100


def test_bounds_kept_from_other_questions_change_no_answer() -> None:
    """Prover and df-pn search run in any order in one generation."""
    workspace = Workspace(hash_mib=16)
    workspace.begin(None)
    questions = [
        (board, *question, answer, engine)
        for board, answers in varied()
        for question, answer in zip(QUESTIONS, answers, strict=True)
        for engine in (Workspace.search_dfpn, Workspace.prove)
    ]
    Random(54).shuffle(questions)
    for board, n, attacking, expected, engine in questions:
        found = engine(workspace, pack_board(board), n, attacking=attacking)
        assert found is expected, (board.fen(), n)


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


def test_a_stop_leaves_it_undecided() -> None:
    workspace = Workspace(hash_mib=1)
    workspace.begin(None)
    workspace.search.stop = 1
    position = pack_board(chess.Board("8/7K/8/8/8/8/R7/7k w - - 0 1"))
    assert workspace.search_dfpn(position, 8, attacking=True) is Decision.STOPPED
    workspace.search.stop = 0
    assert workspace.search_dfpn(position, 8, attacking=True) is Decision.MATE
    assert workspace.search_dfpn(position, 7, attacking=True) is Decision.NO_MATE


# A full table costs time and changes no answer


@pytest.mark.parametrize("nodes", [500, 20_000])
def test_a_limit_never_means_no_mate_with_a_full_table(nodes: int) -> None:
    workspace = workspaces.tiny()
    verdicts = set()
    for board in workspaces.mates_in_five(60):
        for moves, never in ((5, Decision.NO_MATE), (4, Decision.MATE)):
            workspace.begin(nodes)
            found = workspace.search_dfpn(pack_board(board), moves, attacking=True)
            assert found is not never, (board.fen(), moves)
            verdicts.add(found)
    assert Decision.STOPPED in verdicts


def test_a_mate_of_known_length_is_found_in_as_many_moves_and_more() -> None:
    workspace = Workspace(hash_mib=4)
    for board in workspaces.mates_in_five(40):
        for moves in (4, 5, 6, 8):
            workspace.begin(None)
            found = workspace.search_dfpn(pack_board(board), moves, attacking=True)
            assert found is verdict_of(is_mate=moves >= 5), (board.fen(), moves)
            bounds = workspace.kernel.bounds(
                pack_board(board), workspace.search, attacking=True
            )
            if moves >= 5:
                assert bounds.mate is not None
                assert 5 <= bounds.mate <= moves
            else:
                assert bounds.no_mate == moves


# Proof numbers guide the search and prove nothing


def scramble(workspace: Workspace, random: Random, largest: int) -> int:
    """Replace all stored proof numbers; return their number."""
    search = workspace.search
    words = (ctypes.c_uint64 * (len(workspace._memory) // 8)).from_buffer(
        workspace._memory
    )
    changed = 0
    first = search.most_buckets * PROOFS
    for data in range(first + 1, first + search.buckets * PROOFS, 2):
        if words[data]:
            phi, delta = random.randint(1, largest), random.randint(1, largest)
            words[data] = words[data] >> 40 << 40 | phi << 20 | delta
            changed += 1
    return changed


@sized("count", 4, 12)
@pytest.mark.parametrize("largest", [1, 100, (1 << 20) - 1])
def test_wrong_proof_numbers_change_no_answer(largest: int, count: int) -> None:
    workspace = Workspace(hash_mib=1)
    random = Random(55)
    changed = 0
    for board in workspaces.mates_in_five(count):
        position = pack_board(board)
        for moves, expected in ((4, Decision.NO_MATE), (5, Decision.MATE)):
            workspace.begin(None)
            for _ in range(4):
                with workspace.budget(3000):
                    found = workspace.search_dfpn(position, moves, attacking=True)
                assert found in {Decision.STOPPED, expected}, board.fen()
                changed += scramble(workspace, random, largest)
            found = workspace.search_dfpn(position, moves, attacking=True)
            assert found is expected, (board.fen(), moves)
    assert changed > 80 * count


@pytest.mark.parametrize("shared", [1, 2, 3])
def test_numbers_that_lengths_share_change_no_answer(shared: int) -> None:
    """Lengths in any order, so that each meets the numbers of the others."""
    workspace = Workspace(hash_mib=4)
    workspace.search.shared_lengths = shared
    questions = [
        (board, *question, answer)
        for board, answers in varied()
        for question, answer in zip(QUESTIONS, answers, strict=True)
    ]
    Random(56).shuffle(questions)
    decided = 0
    workspace.begin(None)
    for board, n, attacking, expected in questions:
        with workspace.budget(20_000):
            found = workspace.search_dfpn(pack_board(board), n, attacking=attacking)
        assert found in {Decision.STOPPED, expected}, (board.fen(), n)
        decided += found is expected
    assert decided > 0.9 * len(questions)


@sized("count", 12, 60)
def test_a_longer_search_leaves_a_shorter_one_no_false_answer(count: int) -> None:
    """From a far length down to one that is too short, with shared numbers."""
    workspace = Workspace(hash_mib=4)
    found = []
    for board in workspaces.mates_in_five(count):
        workspace.begin(None)
        workspace.search.shared_lengths = 2
        for moves in (12, 8, 7, 6, 5, 4):
            with workspace.budget(30_000):
                verdict = workspace.search_dfpn(
                    pack_board(board), moves, attacking=True
                )
            never = Decision.MATE if moves < 5 else Decision.NO_MATE
            assert verdict is not never, (board.fen(), moves)
            found.append(verdict)
        workspace.search.shared_lengths = 0
        with workspace.budget(1_000_000):
            verdict = workspace.search_dfpn(pack_board(board), 5, attacking=True)
        assert verdict is Decision.MATE, board.fen()
    assert found.count(Decision.MATE) > 3 * count


def test_a_number_that_is_too_large_to_keep_is_not_infinite() -> None:
    """The largest number that an entry can hold proves nothing."""
    workspace = Workspace(hash_mib=1)
    for board in workspaces.mates_in_five(12):
        position = pack_board(board)
        workspace.begin(2000)
        workspace.search_dfpn(position, 5, attacking=True)
        words = (ctypes.c_uint64 * (len(workspace._memory) // 8)).from_buffer(
            workspace._memory
        )
        first = workspace.search.most_buckets * PROOFS
        for data in range(first + 1, len(words), 2):
            if words[data]:
                words[data] |= (1 << 40) - 1
        del words
        workspace.search.node_limit = NO_LIMIT
        assert workspace.search_dfpn(position, 5, attacking=True) is Decision.MATE, (
            board.fen()
        )
