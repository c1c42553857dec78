"""The kernel and the material-imbalance table use the same cells."""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, c_int64
from typing import Any

import chess
import pytest

from solver.board import pack_board
from solver.kernel.border.scored_struct import MATERIAL_CELLS
from solver.kernel.border.search_struct import PositionStruct
from solver.kernel.build.jit import native
from solver.kernel.build.words import i64, pointer, u64
from solver.kernel.laboratory import evaluation
from solver.kernel.laboratory.evaluation import count_pieces
from solver.kernel.rules.bitboards import position_at
from solver.laboratory.imbalance import CELLS, Material, find_material_cell, material_of
from tests.kernel import linked
from tests.sizes import sized

find_kernel_cell = evaluation.find_cell


@native(i64(pointer(u64)))
def cell_of(words: Any) -> Any:
    """Return the cell of a position as the side to move sees it; -1 if none."""
    position = position_at(words)
    ours = count_pieces(position, position.us)
    return find_kernel_cell(ours, count_pieces(position, position.them))


kernel_cell = CFUNCTYPE(c_int64, POINTER(PositionStruct))(linked(cell_of))


def with_pieces(material: Material) -> PositionStruct:
    """Return a position with these pieces anywhere; only their numbers matter."""
    queens, rooks, bishops, knights, pawns = range(5)
    free = iter(range(64))

    def place(pieces: int) -> int:
        return sum(1 << next(free) for _ in range(pieces))

    sides = [
        [place(pieces) for pieces in side] for side in (material.white, material.black)
    ]
    boards = [sum(both) for both in zip(*sides, strict=True)]
    kings = [place(1), place(1)]
    return PositionStruct(
        pawns=boards[pawns],
        knights=boards[knights],
        diagonal=boards[bishops] | boards[queens],
        orthogonal=boards[rooks] | boards[queens],
        kings=sum(kings),
        us=sum(sides[0]) | kings[0],
        them=sum(sides[1]) | kings[1],
    )


@sized("every", 11, 1)
def test_kernel_and_table_agree_on_every_cell(every: int) -> None:
    assert CELLS == MATERIAL_CELLS
    for cell in range(0, CELLS, every):
        position = with_pieces(material_of(cell))
        assert kernel_cell(position) == cell


def test_the_cell_depends_on_the_side_to_move_not_on_colour() -> None:
    white = chess.Board("4k3/pp6/8/8/8/8/P7/R3K3 w - - 0 1")
    black = chess.Board("4k3/pp6/8/8/8/8/P7/R3K3 b - - 0 1")
    seen = [kernel_cell(pack_board(board)) for board in (white, black)]
    assert seen == [
        find_material_cell(Material(white_rooks=1, white_pawns=1, black_pawns=2)),
        find_material_cell(Material(black_rooks=1, black_pawns=1, white_pawns=2)),
    ]


@pytest.mark.parametrize(
    "pieces",
    [
        Material(white_queens=2),
        Material(black_queens=2),
        Material(white_rooks=3),
        Material(black_bishops=3),
        Material(white_knights=3),
    ],
)
def test_too_many_pieces_have_no_cell(pieces: Material) -> None:
    assert kernel_cell(with_pieces(pieces)) == -1
    assert find_material_cell(pieces) is None
