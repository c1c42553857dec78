"""Glass's counts equal the published text."""

from __future__ import annotations

import re

import chess
import pytest

from solver.laboratory.node_counts import GLASS_FEN, GLASS_ROWS, glass_row

PUBLISHED = """
1: 3/3; 2: 23/23; 3: 103/103; 4: 551/551; 5: 2151/2151; 6: 7638/7638; 7: 24353/24353;
8: 62692/62692; 9: 139241/139241; 10: 253338/253338; 11: 409101/409101;
12: 610285/610285; 13: 873959/873959; 14: 1417047/1417047; 15: 1907578/1907578;
16: 2846864/2547293; 17: 3715208/2819164; 18: 4842666/3092833; 19: 6181827/3368068;
20: 7774698/3643489
"""

SCORES = "1041 1041 1051 1051 1055 1051 1055 1065 1065 1085 1085 1105 1105 1105 1105"


def test_glass_counts_are_those_published() -> None:
    published = [
        tuple(map(int, row)) for row in re.findall(r"(\d+): (\d+)/(\d+)", PUBLISHED)
    ]
    assert [(row.depth, row.off, row.on) for row in GLASS_ROWS] == published


def test_glass_scores_are_those_published() -> None:
    scores = [*map(int, SCORES.split()), *["M8"] * 5]
    assert [row.score for row in GLASS_ROWS] == scores


def test_glass_fen_is_normalised() -> None:
    assert chess.Board(GLASS_FEN).fen() == GLASS_FEN


@pytest.mark.parametrize("depth", [1, 16, 20])
def test_glass_rows_are_found_by_depth(depth: int) -> None:
    row = glass_row(GLASS_FEN, depth)
    assert row
    assert row.depth == depth


@pytest.mark.parametrize(
    ("fen", "depth"),
    [(GLASS_FEN, 0), (GLASS_FEN, 21), (GLASS_FEN.replace(" w ", " b "), 5)],
)
def test_other_positions_and_depths_have_no_glass_row(fen: str, depth: int) -> None:
    assert glass_row(fen, depth) is None
