"""The first cuts of mate-distance pruning, as the docs show them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import chess
import pytest

from solver.kernel.border.experiment import Mdp
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.node_counts import GLASS_FEN
from solver.laboratory.techniques import Techniques
from tests import first_cuts
from tests.oracles.recorded import Frame, Recorder, frames
from tests.oracles.scored import MATE

PAGE = Path(__file__).parents[2] / "docs/explanation/mate-scores.md"
KING_AND_ROOK = "8/8/8/8/8/5K2/R7/7k w - - 0 1"
KEEPING_ALL = 1 << 22


def recorded(fen: str, depth: int) -> Recorder:
    recorder = Recorder()
    recorder.run(fen, depth)
    return recorder


def lines(fen: str, depth: int) -> dict[str, list[Frame]]:
    cuts = recorded(fen, depth).cuts
    return {bound: frames(cut, fen) for bound, cut in cuts.items()}


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(("fen", "depth"), [(GLASS_FEN, 6), (KING_AND_ROOK, 8)])
def test_the_recorder_counts_the_nodes_of_the_kernel(fen: str, depth: int) -> None:
    searched = Laboratory(KEEPING_ALL).deepen(
        chess.Board(fen), Techniques(mdp=Mdp.CPW), depth
    )
    totals = [iteration.nodes_total for iteration in searched]
    assert recorded(fen, depth).totals == totals


def test_the_lower_bound_cuts_once_a_mate_is_known() -> None:
    line = lines(KING_AND_ROOK, 8)["lower"]
    *above, cut = line
    assert [frame.ply for frame in line] == list(range(len(line)))
    assert all(frame.narrowed[0] < frame.narrowed[1] for frame in above)
    assert cut.returned == cut.ply - MATE >= cut.window[1]
    board = chess.Board(KING_AND_ROOK)
    for frame in line[1:]:
        board.push_san(frame.move)
        assert frame.fen == board.fen()


def test_the_picture_has_a_rung_for_each_node_and_three_boards() -> None:
    lower = lines(KING_AND_ROOK, 8)["lower"]
    upper = [*lower[:-1], lower[-1]._replace(fen=KING_AND_ROOK)]
    picture = ET.fromstring(first_cuts.draw(lower, upper))
    svg = "{http://www.w3.org/2000/svg}"
    assert len(picture.findall(f"{svg}circle")) == len(lower) + 1
    assert len(picture.findall(f"{svg}use")) == 3 * 3
    assert len(picture.findall(f"{svg}line[@class='cut']")) == 2


@pytest.mark.slow
def test_the_docs_have_the_lines_and_the_picture() -> None:
    found = lines(GLASS_FEN, first_cuts.DEPTH)
    text = PAGE.read_text(encoding="utf-8")
    assert first_cuts.table_of(found["lower"]) in text
    cut = found["upper"][-1]
    assert cut.returned == MATE - cut.ply <= cut.window[0]
    for row in first_cuts.table_of(found["upper"]).splitlines()[-4:]:
        assert row in text
    picture = first_cuts.draw(found["lower"], found["upper"])
    assert first_cuts.PICTURE.read_text(encoding="utf-8") == picture
