"""Bounds that leave a table and enter another: none is lost, and none gets stronger.

The exported bounds are compared with the table's memory, which is read here by the
layout in `solver.kernel.mate.transposition`.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from itertools import permutations
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_BOUND, TableBounds
from solver.problem import Limits, Problem
from solver.search.checkpoints import FORMAT
from solver.search.workspaces import LEAST_NODES, Workspace
from solver.solving import Solver
from tests.oracles import endgames, naive, walks
from tests.search.workspaces import (
    NOTHING,
    fill,
    known,
    mates_in_five,
    table_of,
    workspace_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.kernel.border.search_struct import PositionStruct, Search

pytestmark = pytest.mark.usefixtures("kernel")

Entry = tuple[int, int]
"""The two words of an exported bound."""

EFFORT = 5
KEY_BITS = 25
PROVED_BITS = 33
MOST_EXPORTED = 31
ROOM = 1 << 18
"""More than any table of these tests has."""

LONG = chess.STARTING_FEN
RICH = "r3k2r/p1p2ppp/8/3pPb2/1b6/2N5/PPP2PPP/R3KB1R w KQkq d6 0 1"
"""Both sides may castle, and a pawn may capture en passant."""


class Key(NamedTuple):
    """A position's key, as exported: the check word, and bits of the bucket's word."""

    check: int
    bits: int

    def entry(
        self, no_mate: int, mate: int | None, move: int, effort: int = EFFORT
    ) -> Entry:
        """Return an exported bound of this position."""
        proved = no_mate | (NO_BOUND if mate is None else mate) << 8 | move << 16
        return self.check, proved | effort << PROVED_BITS | self.bits << 38


PINNED = {
    (LONG, True): Key(0xCD6807E3C6974DA0, 0x2DF4F53),
    (LONG, False): Key(0xF91D105C3F7995EB, 0x3DAD18A),
    (RICH, True): Key(0xBDC9772C8B71679B, 0x90C0C0),
    (RICH, False): Key(0xDE89CD25F83B0385, 0x1955E19),
}
"""The keys of format 1, by FEN and whether the side to move attacks."""

START = PINNED[LONG, True]


def exported(workspace: Workspace, least: int = 1, room: int = ROOM) -> list[Entry]:
    """Return the exported bounds; there must be room for them."""
    words = (ctypes.c_uint64 * (2 * room))()
    address, efforts = ctypes.addressof(words), (least, 127)
    size = workspace.kernel.export_entries(workspace.search, address, room, efforts)
    assert size <= room
    return list(zip(words[: 2 * size : 2], words[1 : 2 * size : 2], strict=True))


def merge(workspace: Workspace, entries: Sequence[Entry]) -> int:
    """Add bounds to a table; return how many were merged."""
    words = (ctypes.c_uint64 * (2 * len(entries)))()
    for index, entry in enumerate(entries):
        words[2 * index], words[2 * index + 1] = entry
    address = ctypes.addressof(words)
    return workspace.kernel.merge_bounds(workspace.search, address, len(entries))


def in_memory(search: Search, least: int) -> list[Entry]:
    """Return what is to be exported, bucket by bucket, by the layout of the table."""
    found = []
    low = (1 << search.first_bits) - 1
    for number, bucket in enumerate(table_of(search)[0, : search.used_buckets]):
        for first, second in bucket.tolist():
            stamp, effort = second >> 40, second >> PROVED_BITS & 127
            if stamp & 4095 != search.generation or effort < least:
                continue
            bits = number & low | stamp >> 12 << search.first_bits
            proved = second & (1 << PROVED_BITS) - 1
            proved |= min(effort, MOST_EXPORTED) << PROVED_BITS
            data = proved | bits << 38
            found.append((first ^ second, data & (1 << 64) - 1))
    return found


def bounds_of(
    workspace: Workspace, places: Iterable[tuple[PositionStruct, bool]]
) -> list[TableBounds]:
    return [
        workspace.kernel.bounds(position, workspace.search, attacking=attacking)
        for position, attacking in places
    ]


def lines_from(
    boards: Iterable[chess.Board], count: int, seed: int
) -> list[tuple[PositionStruct, bool]]:
    """Return positions of random play, and whether the first side is to move."""
    random, found = Random(seed), []
    for start in boards:
        for _ in range(count):
            board = start.copy(stack=False)
            for ply in range(7):
                found.append((pack_board(board), ply % 2 == 0))
                moves = list(board.legal_moves)
                if not moves:
                    break
                # Checks are what a search for mate plays most.
                checks = [move for move in moves if board.gives_check(move)]
                board.push(random.choice(checks or moves))
    return found


# What is exported


@pytest.mark.parametrize(
    ("first", "buckets", "most"),
    [(0, 8, 8), (0, 4, 12), (4, 11, 12), (13, 13, 13), (14, 14, 16), (14, 16, 16)],
)
def test_the_entries_of_enough_effort_are_exported(
    first: int, buckets: int, most: int
) -> None:
    workspace = workspace_of(first, most)
    fill(workspace, 1 << most, walks.small_positions(4, seed=3))  # another problem's
    fill(workspace, 1 << buckets, mates_in_five(10))
    sizes = []
    for least in (1, 2, 3, 4, 127):
        expected = in_memory(workspace.search, least)
        assert exported(workspace, least) == expected
        sizes.append(len(expected))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > sizes[-1] == 0


def test_what_has_no_room_is_counted_and_not_written() -> None:
    workspace = workspace_of(10, 10)
    fill(workspace, 1 << 10, mates_in_five(6))
    expected = in_memory(workspace.search, 3)
    assert len(expected) > 57
    for room in (0, 1, 57, len(expected) - 1, len(expected), len(expected) + 1):
        words = (ctypes.c_uint64 * (2 * room + 2))()
        words[2 * room] = words[2 * room + 1] = 77
        search, address = workspace.search, ctypes.addressof(words)
        size = workspace.kernel.export_entries(search, address, room, (3, 127))
        assert size == len(expected)
        written = min(room, size)
        flat = [word for entry in expected[:written] for word in entry]
        assert words[: 2 * written] == flat
        assert words[2 * room :] == [77, 77]


NUMBER = (1 << 20) - 1
"""The bits of a proof number."""


def effort_of(entry: Entry) -> int:
    """Return the effort of an exported bound."""
    return entry[1] >> PROVED_BITS & MOST_EXPORTED


def test_the_bounds_of_the_most_effort_are_kept_where_room_is_short() -> None:
    """All of some effort and more, and as many of the next as there is room for."""
    workspace = workspace_of(10, 10)
    fill(workspace, 1 << 10, mates_in_five(6))
    everything = exported(workspace, 2)
    for room in (0, 1, 2, len(everything) // 2, len(everything), len(everything) + 9):
        words = struct.iter_unpack("<QQ", workspace.export(room))
        found = [(check, word) for check, word in words]
        assert len(found) == min(room, len(everything))
        assert set(found) <= set(everything)
        efforts = sorted((effort_of(entry) for entry in everything), reverse=True)
        assert sorted(map(effort_of, found), reverse=True) == efforts[:room]


def numbers_of(workspace: Workspace) -> set[Entry]:
    """Return exported proof numbers that took any effort."""
    data = workspace.export(ROOM, of_numbers=True)
    return {(check, word) for check, word in struct.iter_unpack("<QQ", data)}


def test_proof_numbers_are_the_same_in_a_table_of_another_size() -> None:
    workspace = workspace_of(12, 13)
    fill(workspace, 1 << 13, mates_in_five(6))
    numbers = numbers_of(workspace)
    assert len(numbers) > 100
    assert all(word & NUMBER and word >> 20 & NUMBER for _, word in numbers)
    stored = {int(first) for first in table_of(workspace.search)[1, ..., 0].ravel()}
    assert {check for check, _ in numbers} <= stored
    assert min(check & 63 for check, _ in numbers) == LEAST_NODES
    data = workspace.export(ROOM, of_numbers=True)
    for first, most in ((12, 14), (14, 15)):
        other = workspace_of(first, most)
        other.begin_with(b"", data)
        other.begin(None)
        assert numbers_of(other) == numbers
        assert other.export(ROOM) == b""


def test_proof_numbers_that_would_be_a_proof_are_left_out() -> None:
    """A number of 0 is a proof, and no checkpoint has one."""
    check, both = 1 << 40 | 20, 7 << 20 | 5
    words = [both, 5, 7 << 20, 0]
    data = b"".join(
        struct.pack("<QQ", check + 64 * at, w) for at, w in enumerate(words)
    )
    workspace = workspace_of(10, 10)
    workspace.begin_with(b"", data)
    workspace.begin(None)
    assert numbers_of(workspace) == {(check, both)}


@pytest.mark.parametrize(("first", "before", "after"), [(0, 3, 9), (14, 14, 16)])
def test_growth_changes_no_exported_bound(first: int, before: int, after: int) -> None:
    workspace = workspace_of(first, after)
    fill(workspace, 1 << before, mates_in_five(8))
    expected = exported(workspace)
    workspace.grow(1 << after - before)
    assert workspace.search.buckets == 1 << after
    found = exported(workspace)
    assert found == in_memory(workspace.search, 1)
    assert sorted(found) == sorted(expected)


def test_exports_during_a_search_contradict_neither_each_other_nor_its_end() -> None:
    """While its table grows from one bucket on, so that most entries are moved."""
    solver = Solver(hash_mib=64)
    solver.workspace.search.first_bits = 0
    solver.workspace.search.most_buckets = 1 << 12
    question = Problem(mates_in_five(1)[0].fen()), Limits(nodes=600_000)
    searching = threading.Thread(
        target=lambda: solver.solve(Problem(LONG), question[1], max_moves=30)
    )
    searching.start()
    taken = []
    while searching.is_alive():
        taken.append(exported(solver.workspace))
        searching.join(0.01)
    taken.append(exported(solver.workspace))
    target = workspace_of(0, 14)
    target.begin(None)
    for entries in taken:
        assert merge(target, entries) == len(entries)
    assert len(taken[-1]) > 1000


# What other tables make of it

TABLES = [(1, 13, 13), (8, 14, 16), (8, 8, 16), (64, 14, 19), (64, 16, 19)]
"""Their MiB, first bits and most bits."""

WHOLE = [table for table in TABLES if table[1] >= 13]
"""Their entries have all bits of a key."""

LARGE = [table for table in TABLES if table[2] == 19]
"""In these, hardly any bucket is full."""


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    return [
        *mates_in_five(12),
        *walks.small_positions(12, seed=41),
        *walks.random_positions(8, seed=42),
    ]


def of(table: tuple[int, int, int]) -> Workspace:
    return workspace_of(table[1], table[2])


@pytest.mark.parametrize("source", TABLES)
def test_a_bound_is_the_same_in_each_table_or_unknown(
    source: tuple[int, int, int], boards: list[chess.Board]
) -> None:
    first = of(source)
    fill(first, min(1 << source[2], 1 << 16), boards)
    places = lines_from(boards, 6, seed=5)
    before = [*known(first, boards), *bounds_of(first, places)]
    assert sum(bounds != NOTHING for bounds in before) > 500
    entries, costly = exported(first), exported(first, 3)
    assert 0 < len(costly) < len(entries)
    for table in TABLES:
        for chosen in (entries, costly):
            target = of(table)
            target.begin(None)
            target.grow(1 << table[2] - table[1])
            assert merge(target, chosen) == len(chosen)
            after = [*known(target, boards), *bounds_of(target, places)]
            pairs = list(zip(before, after, strict=True))
            assert all(new in {old, NOTHING} for old, new in pairs)
            found = sum(new != NOTHING for _, new in pairs)
            assert found > 20 or source not in WHOLE
            if chosen is entries and source in WHOLE and table in LARGE:
                assert after == before


def test_bounds_go_from_table_to_table_and_back(boards: list[chess.Board]) -> None:
    first, second, third = (of(table) for table in ((8, 14, 16), *LARGE))
    fill(first, 1 << 15, boards)
    entries = exported(first)
    for workspace in (second, third):
        workspace.begin(None)
        workspace.grow(32)
        assert merge(workspace, entries) == len(entries)
        assert sorted(exported(workspace)) == sorted(entries)
        entries = exported(workspace)


def test_a_table_grows_for_what_is_merged(boards: list[chess.Board]) -> None:
    source = workspace_of(14, 16)
    fill(source, 1 << 16, boards)
    entries = exported(source)
    target = workspace_of(4, 18)
    target.begin(None)
    merge(target, entries)
    size = target.search.buckets
    assert 4 * size >= 2 * len(entries) > 2 * size
    assert target.search.nodes == 0


# The better of two bounds

MOVES = 4001, 4002
"""Any two; the table does not play them."""


def merged(*entries: Entry) -> TableBounds:
    """Return the bounds of the starting position after a merge."""
    workspace = Workspace(hash_mib=2)
    workspace.begin(None)
    assert merge(workspace, entries) == len(entries)
    (found,) = bounds_of(workspace, [(pack_board(chess.Board(LONG)), True)])
    assert len(exported(workspace)) == 1
    return found


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ([(3, None), (5, None)], (5, None, 1)),
        ([(0, 9), (0, 7)], (0, 7, 1)),
        ([(3, None), (0, 7)], (3, 7, 1)),
        ([(6, None), (2, 7)], (6, 7, 1)),
        ([(6, 20), (2, 7)], (6, 7, 1)),
        ([(2, 7), (5, 7)], (5, 7, 1)),
        ([(0, 255), (1, 254)], (1, 254, 1)),
        ([(253, None), (0, 254)], (253, 254, 1)),
    ],
)
def test_the_better_of_both_bounds_is_merged_in_either_order(
    pair: list[tuple[int, int | None]], expected: tuple[int, int | None, int]
) -> None:
    """The move is that of the shorter mate, else that of the larger bound."""
    entries = [
        START.entry(*bounds, move) for bounds, move in zip(pair, MOVES, strict=True)
    ]
    no_mate, mate, mover = expected
    for order in permutations(entries):
        assert merged(*order) == TableBounds(no_mate, mate, MOVES[mover])


def test_a_bound_merged_twice_is_that_bound() -> None:
    entry = START.entry(4, 6, MOVES[0])
    assert merged(entry, entry) == TableBounds(4, 6, MOVES[0])


@pytest.mark.parametrize("wrong", [(7, None), (7, 9), (200, 201)])
def test_a_bound_that_contradicts_another_is_reported_by_its_index(
    wrong: tuple[int, int | None],
) -> None:
    right = [key.entry(2, 7, MOVES[0]) for key in PINNED.values()]
    assert PINNED[LONG, True] is START
    for place in range(1, len(right) + 1):
        entries = [*right[:place], START.entry(*wrong, MOVES[1]), *right[place:]]
        workspace = Workspace(hash_mib=1)
        workspace.begin(None)
        assert merge(workspace, entries) == place


@pytest.mark.parametrize("wrong", [(7, 7), (9, 3), (255, None)])
def test_a_bound_that_contradicts_itself_is_reported(
    wrong: tuple[int, int | None],
) -> None:
    workspace = Workspace(hash_mib=1)
    workspace.begin(None)
    assert merge(workspace, [START.entry(*wrong, MOVES[0])]) == 0
    assert exported(workspace) == []


# Truth


def is_true(bounds: TableBounds, plies: int | None, *, attacking: bool) -> bool:
    """Compare bounds with a distance to mate in plies; None: there is no mate."""

    def within(moves: int) -> bool:
        return plies is not None and plies <= 2 * moves - attacking

    return not (bounds.no_mate and within(bounds.no_mate)) and (
        bounds.mate is None or within(bounds.mate)
    )


@pytest.mark.parametrize("piece", [chess.ROOK, chess.QUEEN])
def test_each_merged_bound_of_an_endgame_is_true(piece: chess.PieceType) -> None:
    """The oracle solves the endgame backwards."""
    random, endgame = Random(piece), endgames.solve_endgame(piece)
    workspace = workspace_of(14, 16)
    roots: list[chess.Board] = []
    while len(roots) < 12:
        board = chess.Board(None)
        kinds = (chess.KING, True), (piece, True), (chess.KING, False)
        for square, kind in zip(random.sample(chess.SQUARES, 3), kinds, strict=True):
            board.set_piece_at(square, chess.Piece(*kind))
        if board.is_valid() and (endgame.plies_to_mate(board) or 99) < 16:
            roots.append(board)
    workspace.begin(None)
    workspace.grow(4)
    for board in roots:
        for moves in (2, 3, 4, 5, 6):
            with workspace.budget(4000):
                workspace.prove(pack_board(board), moves, attacking=True)
            with workspace.budget(4000):
                workspace.search_dfpn(pack_board(board), moves, attacking=True)
    entries = exported(workspace)
    target = workspace_of(14, 17)
    target.begin(None)
    assert merge(target, entries) == len(entries)

    found = 0
    near = within_plies(roots, 2)
    for board in random.sample(near, min(len(near), 1500)):
        if piece not in {each.piece_type for each in board.piece_map().values()}:
            continue  # it was captured
        attacking = board.turn == chess.WHITE
        (bounds,) = bounds_of(target, [(pack_board(board), attacking)])
        plies = endgame.plies_to_mate(board)
        assert is_true(bounds, plies, attacking=attacking), (board.fen(), bounds)
        found += bounds != NOTHING
    assert found > 200


def test_each_merged_bound_of_small_positions_is_true() -> None:
    """The oracle answers by the definition of a mate, for one and two moves."""
    target, found = workspace_of(14, 17), 0
    for root in walks.small_positions(14, seed=77):
        workspace = workspace_of(14, 14)
        fill(workspace, 1 << 14, [root])
        entries = exported(workspace)
        target.begin(None)
        assert merge(target, entries) == len(entries)
        for board in Random(found).sample(sorted_boards(within_plies([root], 2)), 12):
            attacking = board.turn == root.turn
            (bounds,) = bounds_of(target, [(pack_board(board), attacking)])
            solves = naive.mate_in if attacking else naive.mated_in
            about = board.fen(), bounds
            if bounds.no_mate:
                assert not solves(board, min(bounds.no_mate, 2)), about
            if bounds.mate is not None and bounds.mate <= 2:
                assert solves(board, bounds.mate), about
            found += bounds != NOTHING
    assert found > 30


def within_plies(roots: Iterable[chess.Board], plies: int) -> list[chess.Board]:
    """Return the positions that can be reached in so many plies, each once."""
    layer = {board.fen(): board for board in roots}
    seen = dict(layer)
    for _ in range(plies):
        layer = {
            after.fen(): after
            for board in layer.values()
            for _, after in naive.successors(board)
            if after.fen() not in seen
        }
        seen |= layer
    return list(seen.values())


def sorted_boards(boards: Iterable[chess.Board]) -> list[chess.Board]:
    found = sorted(boards, key=chess.Board.fen)
    return found * (1 + 12 // len(found))


# Hash keys


@pytest.mark.parametrize(("fen", "attacking"), PINNED)
def test_hash_keys_are_those_of_the_format(fen: str, attacking: bool) -> None:
    """Files that were saved before a change of the keys must be refused after it."""
    changed = (
        "the hash keys of positions have changed: raise FORMAT in "
        "solver/search/checkpoints.py, and pin the new keys here"
    )
    assert FORMAT == 1, changed
    workspace = Workspace(hash_mib=8)
    board = chess.Board(fen)
    for place in PINNED.values():
        workspace.begin(None)
        merge(workspace, [place.entry(3, 8, MOVES[0])])
        for side in (board, board.mirror()):
            (found,) = bounds_of(workspace, [(pack_board(side), attacking)])
            is_own = place == PINNED[fen, attacking]
            expected = TableBounds(3, 8, MOVES[0]) if is_own else NOTHING
            assert found == expected, changed
