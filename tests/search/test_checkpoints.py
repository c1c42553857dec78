"""Bounds that leave a table and enter another: none is lost, and none gets stronger.

The exported bounds are compared with the table's memory, which is read here by the
layout in `solver.kernel.mate.transposition`.
"""

from __future__ import annotations

import ctypes
import struct
from itertools import permutations
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_BOUND, TableBounds
from solver.search.checkpoints import FORMAT
from solver.search.workspaces import LEAST_NODES, Workspace
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

    from solver.kernel.border.search_struct import Search

pytestmark = pytest.mark.usefixtures("kernel")

Entry = tuple[int, int]
"""The two words of an exported bound."""

EFFORT = 5
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
    workspace: Workspace, board: chess.Board, *, attacking: bool
) -> TableBounds:
    position = pack_board(board)
    return workspace.kernel.bounds(position, workspace.search, attacking=attacking)


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


def test_where_room_is_short_the_bounds_of_the_most_effort_are_written() -> None:
    """All of some effort and more, and as many of the next as there is room for."""

    def effort_of(entry: Entry) -> int:
        return entry[1] >> PROVED_BITS & MOST_EXPORTED

    workspace = workspace_of(10, 10)
    fill(workspace, 1 << 10, mates_in_five(6))
    everything, costly = exported(workspace, 2), in_memory(workspace.search, 3)
    for room in (0, 57, len(costly), len(costly) + 1):
        flat = (ctypes.c_uint64 * (2 * room + 2))(*[77] * (2 * room + 2))
        search, address = workspace.search, ctypes.addressof(flat)
        size = workspace.kernel.export_entries(search, address, room, (3, 127))
        assert size == len(costly)
        written = [word for entry in costly[:room] for word in entry]
        assert flat[:] == written + [77] * (len(flat) - len(written))
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
    number = (1 << 20) - 1
    assert all(word & number and word >> 20 & number for _, word in numbers)
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

    # A number of 0 would be a proof, and no checkpoint has one.
    check, both = 1 << 40 | 20, 7 << 20 | 5
    words = enumerate([both, 5, 7 << 20, 0])
    entries = (struct.pack("<QQ", check + 64 * at, word) for at, word in words)
    workspace.begin_with(b"", b"".join(entries))
    workspace.begin(None)
    assert numbers_of(workspace) == {(check, both)}


# What other tables make of it

TABLES = [(13, 13), (14, 16), (8, 16), (14, 19)]
"""Their first and most bits: entries have all bits of a key from 13 first bits on."""


@pytest.fixture(scope="module")
def boards() -> list[chess.Board]:
    return [
        *mates_in_five(12),
        *walks.small_positions(12, seed=41),
        *walks.random_positions(8, seed=42),
    ]


@pytest.mark.parametrize(("first", "most"), TABLES)
def test_a_bound_is_the_same_in_each_table_or_unknown(
    first: int, most: int, boards: list[chess.Board]
) -> None:
    """In a table of 2^19 buckets hardly any is full, and so nothing is lost."""
    source = workspace_of(first, most)
    fill(source, min(1 << most, 1 << 16), boards)
    before = known(source, boards)
    assert sum(bounds != NOTHING for bounds in before) > 100
    entries, costly = exported(source), exported(source, 3)
    assert 0 < len(costly) < len(entries)
    for size in TABLES:
        for chosen in (entries, costly):
            target = workspace_of(*size)
            target.begin(None)
            target.grow(1 << size[1] - size[0])
            assert merge(target, chosen) == len(chosen)
            after = known(target, boards)
            pairs = list(zip(before, after, strict=True))
            assert all(new in {old, NOTHING} for old, new in pairs)
            if chosen is entries and first >= 13 and size[1] == 19:
                assert after == before
                if first == 14:
                    assert sorted(exported(target)) == sorted(entries)


# The better of two bounds

MOVES = 4001, 4002
"""Any two; the table does not play them."""


def merged(*entries: Entry) -> TableBounds:
    """Return the bounds of the starting position after a merge."""
    workspace = Workspace(hash_mib=2)
    workspace.begin(None)
    assert merge(workspace, entries) == len(entries)
    found = bounds_of(workspace, chess.Board(LONG), attacking=True)
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
        ([(4, 6)], (4, 6, 0)),
    ],
)
def test_the_better_of_both_bounds_is_merged_in_either_order(
    pair: list[tuple[int, int | None]], expected: tuple[int, int | None, int]
) -> None:
    """The move is that of the shorter mate, else that of the larger bound."""
    entries = [
        START.entry(*bounds, move) for bounds, move in zip(pair, MOVES, strict=False)
    ]
    no_mate, mate, mover = expected
    for order in permutations(entries):
        assert merged(*order, *order) == TableBounds(no_mate, mate, MOVES[mover])


@pytest.mark.parametrize("wrong", [(7, None), (7, 9), (200, 201)])
def test_a_bound_that_contradicts_another_or_itself_is_reported_by_its_index(
    wrong: tuple[int, int | None],
) -> None:
    right = [key.entry(2, 7, MOVES[0]) for key in PINNED.values()]
    assert PINNED[LONG, True] is START
    for place in range(1, len(right) + 1):
        entries = [*right[:place], START.entry(*wrong, MOVES[1]), *right[place:]]
        workspace = Workspace(hash_mib=1)
        workspace.begin(None)
        assert merge(workspace, entries) == place
    for no_mate, mate in ((7, 7), (9, 3), (255, None)):
        workspace = Workspace(hash_mib=1)
        workspace.begin(None)
        assert merge(workspace, [START.entry(no_mate, mate, MOVES[0])]) == 0
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
        bounds = bounds_of(target, board, attacking=attacking)
        plies = endgame.plies_to_mate(board)
        assert is_true(bounds, plies, attacking=attacking), (board.fen(), bounds)
        found += bounds != NOTHING
    assert found > 200


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
            found = bounds_of(workspace, side, attacking=attacking)
            is_own = place == PINNED[fen, attacking]
            expected = TableBounds(3, 8, MOVES[0]) if is_own else NOTHING
            assert found == expected, changed
