"""A table grows with its search: no entry is lost, and no answer changes.

Entries are read from memory here, by the layout in `solver.kernel.mate.transposition`.
What the table knows of a position is read with the kernel's operation BOUNDS.
"""

from __future__ import annotations

import ctypes
import threading
from random import Random
from typing import NamedTuple

import chess
import numpy as np
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT, Decision
from solver.kernel.border.search_struct import Search, Stop
from solver.problem import Limits, Problem
from solver.search.workspaces import (
    BUCKET_BYTES,
    FIRST_BITS,
    MIB,
    Workspace,
)
from solver.solving import Solver
from tests.oracles import walks
from tests.search import workspaces
from tests.search.workspaces import NOTHING, fill, known, table_of, workspace_of

NODES_PER_BUCKET = 16
"""Of a table below 16 MiB; then it has four times as many."""
LONG = chess.STARTING_FEN


class Stored(NamedTuple):
    """An entry, and the index of its bucket as far as it is known."""

    half: int
    slot: int
    home: int
    words: tuple[int, int]


def entries_of(search: Search) -> set[Stored]:
    """Return the entries of the current problem; each must be in its bucket."""
    table = table_of(search)[:, : search.buckets]
    stamps = table[..., 1] >> np.uint64(40)
    found = set()
    for at in np.argwhere(stamps & np.uint64(4095) == search.generation):
        half, bucket, slot = map(int, at)
        low = bucket & ((1 << search.first_bits) - 1)
        index = low | int(stamps[half, bucket, slot]) >> 12 << search.first_bits
        assert index & (search.buckets - 1) == bucket
        first, second = map(int, table[half, bucket, slot])
        found.add(Stored(half, slot, index, (first, second)))
    return found


@pytest.mark.parametrize(
    ("first", "before", "after"),
    [(0, 3, 8), (4, 7, 16), (10, 10, 11), (14, 14, 16)],
)
def test_a_table_that_grows_keeps_each_entry(
    first: int, before: int, after: int
) -> None:
    """Entries of another problem beyond the old size are not in the way."""
    boards = workspaces.mates_in_five(8)
    workspace = workspace_of(first, after)
    fill(workspace, 1 << after, boards)
    fill(workspace, 1 << before, boards)
    entries, bounds = entries_of(workspace.search), known(workspace, boards)
    assert {entry.half for entry in entries} == {0, 1}
    assert len(set(bounds)) > 1

    workspace.grow(1 << after - before)
    assert workspace.search.buckets == 1 << after
    assert entries_of(workspace.search) == entries
    assert known(workspace, boards) == bounds


def test_growth_in_the_middle_of_a_search_changes_no_verdict() -> None:
    """From one bucket on, so that most entries are replaced and many are moved."""
    boards = [
        *walks.small_positions(60, seed=92),
        *walks.crowded_positions(30, seed=92),
        *workspaces.mates_in_five(6),
    ]
    reference, random = Workspace(hash_mib=16), Random(57)
    for board in boards:
        position = pack_board(board)
        reference.begin(None)
        workspace = workspace_of(0, 12)
        workspace.begin(None)
        for moves in (3, 2, 4):
            expected = reference.prove(position, moves, attacking=True)
            for decide in (workspace.search_dfpn, workspace.prove):
                with workspace.budget(random.randint(1, 4000)):
                    found = decide(position, moves, attacking=True)
                assert found in {expected, Decision.STOPPED}, board.fen()
                entries_of(workspace.search)
            assert workspace.prove(position, moves, attacking=True) is expected
        search = workspace.search
        if search.nodes > 4096 * NODES_PER_BUCKET:
            assert search.buckets == 4096
        assert search.buckets < 4 + 2 * search.nodes // NODES_PER_BUCKET


@pytest.mark.parametrize("hash_mib", [2, 128])
def test_a_search_has_buckets_for_its_nodes_as_far_as_there_is_memory(
    hash_mib: int,
) -> None:
    solver = Solver(hash_mib)
    most = hash_mib * MIB // BUCKET_BYTES // 2
    first = min(most, 1 << FIRST_BITS)
    for nodes, larger in (
        *((1000, 1), (250_000, 1), (300_000, 2), (600_000, 4), (1_200_000, 8)),
    ):
        found = solver.solve(Problem(LONG), Limits(nodes=nodes, max_moves=30))
        search = solver.workspace.search
        assert search.buckets == min(first * larger, most), nodes
        if nodes == 1_200_000:  # counts repeat when tables grow
            again = solver.solve(Problem(LONG), Limits(nodes=nodes, max_moves=30))
            assert again.stats.nodes == found.stats.nodes


def test_hashfull_is_the_part_of_the_largest_table() -> None:
    solvers = [Solver(hash_mib) for hash_mib in (1, 2, 256)]
    for solver in solvers:
        solver.solve(Problem(LONG), Limits(nodes=250_000, max_moves=30))
    small, first, large = (solver.hashfull() for solver in solvers)
    assert 1000 >= small > first > 100
    assert large == pytest.approx(first / 128, abs=1)


def test_a_stop_while_a_table_grows_leaves_true_entries_only() -> None:
    boards = workspaces.mates_in_five(12)
    workspace = workspace_of(14, 18)
    sizes = set()
    for delay_s in (0.0, 0.0005, 0.001, 0.002, 0.004, 0.008, 1.0):
        fill(workspace, 1 << 17, boards)
        search = workspace.search
        entries, bounds = entries_of(search), known(workspace, boards)
        timer = threading.Timer(delay_s, setattr, (search, "stop", Stop.LIMIT))
        if delay_s:
            timer.start()
        else:
            search.stop = Stop.LIMIT
        workspace.grow(2)
        timer.cancel()
        sizes.add(search.buckets)
        search.stop = Stop.NONE
        assert entries_of(search) <= entries
        for found, before in zip(known(workspace, boards), bounds, strict=True):
            assert found in {before, NOTHING}
        if search.buckets == 1 << 18:
            assert entries_of(search) == entries
    assert sizes == {1 << 17, 1 << 18}


def test_new_generations_clear_what_was_used_and_no_more() -> None:
    workspace = workspace_of(4, 12)
    search = workspace.search
    boards = workspaces.mates_in_five(2)
    fill(workspace, 1 << 6, boards)
    search.used_buckets = 1 << 6
    table = table_of(search)
    table[:, 1 << 6 :] = 1 << 39
    search.generation = 4095
    workspace.begin(None)
    assert search.generation == 1
    assert not table[:, : 1 << 6].any()
    assert (table[:, 1 << 6 :] == 1 << 39).all()
    workspace.grow(1 << 20)
    assert search.buckets == search.used_buckets == 1 << 12


def test_no_table_grows_that_threads_share() -> None:
    leader = workspace_of(4, 12)
    leader.begin(None)
    assert leader.grow(8) == 128 * NODES_PER_BUCKET
    helper = leader.helper()
    helper.join(leader, NO_LIMIT)
    for search in (leader.search, helper.search):
        assert search.buckets == 128
        assert search.grow_at == NO_LIMIT
    assert helper.search.generation == leader.search.generation
    assert helper.search.table == leader.search.table
    assert leader.grow(1 << 20) == NO_LIMIT
    assert leader.search.buckets == 1 << 12
    # What follows a search counts on to the next growth.
    workspace, position = workspace_of(4, 12), pack_board(chess.Board(LONG))
    workspace.begin(200)
    workspace.search_dfpn(position, 20, attacking=True)
    workspace.resume(200)
    assert workspace.search.buckets == 16
    workspace.search_dfpn(position, 20, attacking=True)
    assert workspace.search.buckets == 32


def test_a_search_with_memory_from_elsewhere_does_not_grow() -> None:
    """It says nothing of growth, so all it may use is what it says it has."""
    memory = (ctypes.c_uint64 * (16 * 8))()
    search = Search(node_limit=NO_LIMIT, generation=1, buckets=8)
    search.table = ctypes.addressof(memory)
    kernel = Workspace(hash_mib=1).kernel
    kernel.mates_within(pack_board(workspaces.mates_in_five(1)[0]), search, 4)
    assert search.nodes > 8 * NODES_PER_BUCKET
    assert search.buckets == 8
    assert any(memory[:64])
    assert not any(memory[64:])
