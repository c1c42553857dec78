"""The nets of help play: no final position that can be reached is without one."""

from __future__ import annotations

import ctypes
from collections import Counter
from itertools import chain, product
from typing import TYPE_CHECKING

import chess
import numpy as np
import pytest

from solver.board import pack_board
from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.search_struct import (
    NEED_CODES,
    HelpPlay,
    HelpState,
    Nets,
    PositionStruct,
    Search,
)
from solver.kernel.build.loader import load_part
from tests.kernel.compositions.help_lines import (
    EASILY_LEFT_OUT,
    MATES,
    STALEMATES,
    ends_by_chance,
    lengths,
    named,
    solutions,
    starts,
)
from tests.oracles import special
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.kernel.border.interface import Kernel

BOARDS = (1, 2, 4, 8, 12, 16)
"""The boards of a kind in a move: pawn, knight, bishop, rook, queen, king."""

KING = 5
FAR, LAST, FREE, CAPTURED = 6, 7, NEED_CODES - 2, NEED_CODES - 1
"""Parts of codes, as in `solver.kernel.compositions.net_needs`."""

MANY = 500
STEPS = 300_000
"""Positions whose list takes longer are left out."""


def play_with_nets(
    kernel: Kernel, position: PositionStruct, plies: int, nets: Nets, *, stalemate: bool
) -> HelpPlay | None:
    """Return the state before an enumeration with nets; None if they take too long."""
    play = HelpPlay.of(position, plies, is_stalemate=stalemate)
    play.nets = ctypes.addressof(nets)
    nets.set_up(position, is_attacking=plies % 2 == 1)
    nets.is_stalemate, nets.budget = stalemate, STEPS
    return play if kernel.list_nets(play, Search()) else None


def agree_with_the_plain_search(
    kernel: Kernel,
    search: Search,
    nets: Nets,
    boards: Iterable[chess.Board],
    leaves: int,
) -> Counter[str]:
    """Compare solutions with and without nets; return how many there are, and nodes."""
    seen: Counter[str] = Counter()
    for board, stalemate in product(boards, (False, True)):
        position = pack_board(board)
        for plies in lengths(board, leaves):
            play = play_with_nets(kernel, position, plies, nets, stalemate=stalemate)
            if play is None:
                continue
            search.nodes = 0
            found = solutions(kernel, search, play)
            seen["nodes"] += search.nodes
            search.nodes = 0
            plain = HelpPlay.of(
                position, plies, is_stalemate=stalemate, is_pruned=False
            )
            expected = solutions(kernel, search, plain)
            seen["plain nodes"] += search.nodes
            assert found == expected, (board.fen(), plies, stalemate)
            seen["compared"] += 1
            seen["solutions"] += len(expected)
            for line in named(board, expected[:8]):
                seen.update(what for _, what in special.specials_of(board, line))
    return seen


@sized("count", 10, MANY)
def test_the_solutions_are_those_of_the_search_without_nets(
    help_kernel: Kernel, search: Search, nets: Nets, count: int
) -> None:
    leaves = 100_000 if count == MANY else 8_000
    boards = starts(count, 71)
    seen = agree_with_the_plain_search(help_kernel, search, nets, boards, leaves)
    assert seen["compared"] > 5 * count
    assert seen["solutions"] > (1_000_000 if count == MANY else count)
    assert seen["nodes"] < seen["plain nodes"] / 2

    boards = iter(special.all_kinds(10 * count if count == MANY else 60, seed=77))
    seen = agree_with_the_plain_search(help_kernel, search, nets, boards, 20_000)
    for what in ("castling", "en passant", "promotion"):
        assert seen[what] > 20, seen


def is_listed(nets: Nets, moves: list[int]) -> bool:
    """Return whether a net agrees with the position after these moves.

    That is: each of its pieces is where it says, and no piece where it says none is.
    """
    # 1. Play the moves with the slots, in the attacker's view.
    slots = {square: slot for square, slot in enumerate(nets.slot_at[0]) if slot != 255}
    kinds = list(nets.kinds[: nets.slots])
    for ply, move in enumerate(moves):
        turn = 0 if (len(moves) - ply) % 2 else 56
        start, end = (move & 63) ^ turn, (move >> 6 & 63) ^ turn
        slot = slots.pop(start)
        if kinds[slot] % 6 == 0 and end not in slots and (start ^ end) & 7:
            del slots[start & 56 | end & 7]  # en passant
        slots[end] = slot
        kinds[slot] = kinds[slot] // 6 * 6 + BOARDS.index(move >> 12)
        if kinds[slot] % 6 == KING and abs(start - end) == 2:
            rook = slots.pop(start & 56 | (7 if end > start else 0))
            slots[(start + end) // 2] = rook

    # 2. Look for a net that agrees.
    squares = {slot: square for square, slot in slots.items()}
    mated = squares[kinds.index(6 + KING)]
    size, most = nets.size, nets.most
    codes = (ctypes.c_uint16 * (nets.slots * most)).from_address(nets.codes)
    clear = (ctypes.c_uint64 * size).from_address(nets.clear)
    occupied = np.uint64(sum(1 << square for square in slots))
    agrees = np.frombuffer(clear, np.uint64) & occupied == 0
    for slot, column in enumerate(np.frombuffer(codes, np.uint16).reshape(-1, most)):
        allowed = [FREE, CAPTURED]
        if slot in squares:
            kind, square = kinds[slot] % 6, squares[slot]
            allowed = [FREE, kind * 64 + square, (kind + LAST) * 64 + square]
            if kinds[slot] == KING:
                allowed.append(FAR * 64 + mated)
        agrees &= np.isin(column[:size], allowed)
    return bool(agrees.any())


def last_ply_in_reach(
    kernel: Kernel,
    search: Search,
    nets: Nets,
    line: list[tuple[PositionStruct, int]],
    *,
    stalemate: bool,
) -> int | None:
    """Return the last ply, before the last move, at which a net is in reach.

    None: not listed. -1: none is, or none agrees with the final position. The line has
    positions and the moves from them; the last is the final position.
    """
    plies = len(line) - 1
    play = play_with_nets(kernel, line[0][0], plies, nets, stalemate=stalemate)
    if play is None:
        return None
    if not is_listed(nets, [move for _, move in line[:-1]]):
        return -1
    if not nets.size:
        return -1
    for ply, (position, move) in enumerate(line):
        ctypes.memmove(play.positions[ply], ctypes.byref(position), 64)
        search.rows[ply][0] = move
        play.sizes[ply] = play.cursors[ply] = 1
    play.ply, play.cursors[plies - 1] = plies - 1, 0
    search.node_limit = search.nodes  # the walk stops where it stands
    kernel.solutions(play, search, 1)
    last: int = play.ply
    return last


def line_of(
    kernel: Kernel, search: Search, fen: str, moves: str
) -> list[tuple[PositionStruct, int]]:
    """Return a line in UCI notation as positions and moves."""
    board = chess.Board(fen)
    line: list[tuple[PositionStruct, int]] = []
    for word in moves.split():
        position = pack_board(board)
        board.push(board.parse_uci(word))
        made = bytes(pack_board(board))
        (move,) = [
            move
            for move in kernel.moves(position, search)
            if bytes(kernel.made(position, search, move)) == made
        ]
        line.append((position, move))
    return [*line, (pack_board(board), 0)]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("fen", "moves", "stalemate"),
    [
        *((*case, False) for case in chain(EASILY_LEFT_OUT.values(), MATES.values())),
        *((*case, True) for case in STALEMATES.values()),
    ],
    ids=[*EASILY_LEFT_OUT, *MATES, *STALEMATES],
)
def test_a_net_is_in_reach_to_the_end_of_a_line(
    help_kernel: Kernel,
    search: Search,
    nets: Nets,
    fen: str,
    moves: str,
    stalemate: bool,
) -> None:
    line = line_of(load_part(SEARCH).kernel, search, fen, moves)
    board = chess.Board(fen)
    for word in moves.split():
        board.push_uci(word)
    assert board.is_stalemate() if stalemate else board.is_checkmate(), board.fen()
    for first in range(len(line) - 1):
        rest = line[first:]
        last = last_ply_in_reach(help_kernel, search, nets, rest, stalemate=stalemate)
        assert last == len(rest) - 2, first


@pytest.mark.usefixtures("kernel")
@sized("count", 25, 3_000)
def test_mates_and_stalemates_found_by_chance_have_a_net(
    help_kernel: Kernel, search: Search, nets: Nets, count: int
) -> None:
    tested = [0, 0]
    for line, is_stalemate in ends_by_chance(starts(count, 72), 72, 6):
        last = last_ply_in_reach(
            help_kernel, search, nets, line, stalemate=is_stalemate
        )
        assert last in {None, len(line) - 2}, (bytes(line[0][0]).hex(), len(line))
        tested[is_stalemate] += last is not None
    assert tested[False] > 2 * count
    assert tested[True] > count // 5


def test_nets_that_are_listed_midway_or_not_at_all_change_no_solution(
    help_kernel: Kernel, search: Search, nets: Nets
) -> None:
    fen = "8/8/8/1N1k2K1/5p2/2b5/8/8 b - - 0 1"
    position = pack_board(chess.Board(fen))
    for budget, stop, most in ((100, 0, 200), (NO_LIMIT, 1, 100)):
        play = HelpPlay.of(position, 8, is_stalemate=True)
        play.nets = ctypes.addressof(nets)
        nets.set_up(position, is_attacking=False)
        nets.is_stalemate, nets.budget = 1, budget
        assert not help_kernel.list_nets(play, Search(stop=stop))
        assert nets.steps < most
    for before in (1, 10, 1_000, 100_000):
        search.nodes, search.generation = 0, search.generation + 1
        play = HelpPlay.of(position, 8, is_stalemate=True)
        search.node_limit = before
        found, state = help_kernel.solutions(play, search)
        assert state is HelpState.STOPPED
        search.node_limit = NO_LIMIT
        play.nets = ctypes.addressof(nets)
        nets.set_up(position, is_attacking=False)
        nets.is_stalemate, nets.budget = 1, STEPS
        assert help_kernel.list_nets(play, search)
        rest, state = help_kernel.solutions(play, search)
        assert state is HelpState.COMPLETE
        assert len(found + rest) == 2
        assert search.nodes < before + 5_000
