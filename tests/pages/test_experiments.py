"""The page's techniques count what `matesolve table` counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import chess
import pytest

from solver.kernel.border.scored_struct import Experiment
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.node_counts import GLASS_FEN
from solver.laboratory.techniques import parse_variant
from solver.pages.layout import experiments
from tests.sizes import sized

if TYPE_CHECKING:
    from tests.pages.live import Opener

DATA = experiments()

DEEPER = {"off": 17, "mdp=cpw": 17}
"""The mate is found at depth 16; only then do forms of mate-distance pruning differ."""

COUNT = """
async ([fen, fields, depth, windows]) => {
  const [worker, rows] = [viewer.engine(0), []];
  const asked = { fen, moves: [], fields, depth, nodes: null, windows };
  await worker.ask("count", asked, ({ row }) => row && rows.push(row), "laboratory");
  worker.end();
  return rows.map(({ depth, score, pvNodes, nodes }) => [depth, score, pvNodes, nodes]);
}
"""


@pytest.mark.browser
@sized("every", 4, 1)
def test_counts_equal_those_of_the_laboratory(live: Opener, every: int) -> None:
    board = live.open()
    board.wait()
    for technique in DATA["techniques"][::every]:
        depth = DEEPER.get(technique["name"], 10)
        asked = [GLASS_FEN, technique["fields"], depth, DATA]
        techniques = parse_variant(technique["name"]).techniques
        start = chess.Board(GLASS_FEN)
        assert board.page.evaluate(COUNT, asked) == [
            [each.depth, each.score, each.nodes, each.nodes_total]
            for each in Laboratory().deepen(start, techniques, depth, confirm=False)
        ], technique["name"]


def test_every_field_is_one_of_the_experiment_and_the_base_comes_first() -> None:
    names = {name for name, *_ in Experiment._fields_}
    for technique in DATA["techniques"]:
        assert technique["fields"].keys() <= names
        assert not technique["fields"]["mip"]
    assert DATA["techniques"][0]["name"] == "off"
    assert json.loads(json.dumps(DATA)) == DATA
