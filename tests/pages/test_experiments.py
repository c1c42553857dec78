"""The page's techniques count what `matesolve table` counts."""

from __future__ import annotations

import ctypes
import json
from typing import Any

import chess
import pytest

from solver.board import pack
from solver.kernel.border.experiment import Experiment
from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.memory import Search
from solver.kernel.border.parts import LABORATORY
from solver.kernel.build.loader import load_part
from solver.laboratory.iterative_deepening import ENTRY_BYTES, LEAST_ENTRIES, Laboratory
from solver.laboratory.techniques import parse_variant
from solver.pages.layout import experiments

DATA = experiments()

DEEPER = {"off": 17, "mdp=cpw": 17}
"""The mate is found at depth 16; only then do forms of mate-distance pruning differ."""


def counted(
    data: dict[str, Any], fields: dict[str, int], depth: int
) -> list[tuple[int, ...]]:
    """Deepen as the page's worker does, knowing only the data."""
    kernel = load_part(LABORATORY).kernel
    search = Search(buckets=data["entries"] // LEAST_ENTRIES, node_limit=NO_LIMIT)
    table = ctypes.create_string_buffer(data["entries"] * ENTRY_BYTES)
    search.table = ctypes.addressof(table)
    experiment = Experiment(**fields)
    position = pack(chess.Board(data["glass"]))
    rows: list[tuple[int, ...]] = []
    margin = 0
    for experiment.depth in range(1, depth + 1):
        experiment.last_best = experiment.pv_move
        experiment.last_nodes = experiment.root_nodes
        ctypes.memset(experiment.root_nodes, 0, ctypes.sizeof(experiment.root_nodes))
        centre, low, high, width = experiment.score, False, False, margin
        alpha, beta = window(data, centre, width)
        while True:
            experiment.alpha, experiment.beta = alpha, beta
            assert kernel.search_score(position, search, experiment)
            score = experiment.score
            if alpha < score < beta:
                break
            low, high = low or score <= alpha, high or score >= beta
            width *= data["widening"]
            while 0 < width <= min(abs(score - centre), data["widest"]):
                width *= data["widening"]
            alpha, beta = window(data, centre, 0 if low and high else width)
            if low and not high:
                beta = score + 1
            elif high and not low:
                alpha = score - 1
        margin = 0 if abs(score) >= data["mateZone"] else data["margin"]
        rows.append((experiment.depth, score, experiment.pv_nodes, search.nodes))
    return rows


def window(data: dict[str, Any], centre: int, width: int) -> tuple[int, int]:
    if not 0 < width <= data["widest"]:
        return -data["infinite"], data["infinite"]
    return centre - width, centre + width


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("technique", DATA["techniques"], ids=lambda t: t["name"])
def test_counts_equal_those_of_the_laboratory(technique: dict[str, Any]) -> None:
    techniques = parse_variant(technique["name"]).techniques
    depth = DEEPER.get(technique["name"], 10)
    board = chess.Board(DATA["glass"])
    iterations = Laboratory().deepen(board, techniques, depth, confirm=False)
    assert counted(DATA, technique["fields"], depth) == [
        (it.depth, it.score, it.nodes, it.nodes_total) for it in iterations
    ]


def test_every_field_is_one_of_the_experiment_and_the_base_comes_first() -> None:
    names = {name for name, *_ in Experiment._fields_}
    for technique in DATA["techniques"]:
        assert technique["fields"].keys() <= names
        assert not technique["fields"]["mip"]
    assert DATA["techniques"][0]["name"] == "off"
    assert json.loads(json.dumps(DATA)) == DATA
