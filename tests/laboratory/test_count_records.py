"""Records of node counts: the documented fields, and CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any

import chess
import pytest

from solver import __version__
from solver.kernel.border.scored_struct import Horizon, RootOrder
from solver.laboratory import node_counts
from solver.laboratory.techniques import NodeCount, Techniques, combine
from tests.laboratory import counts

PLAIN_WORDS = {"mdp": "off", "check_extension": "off", "efp": "off", "mip": "off"}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_position_has_the_documented_fields() -> None:
    record: dict[str, Any] = node_counts.position_record(counts.GLASS_POSITION)
    assert json.loads(json.dumps(record)) == record
    assert list(record) == [
        *("schema", "fen", "depth", "node_limit", "table_entries", "complete"),
        *("contradictory", "techniques", "rows", "solver"),
    ]
    assert (record["schema"], record["fen"]) == (1, node_counts.GLASS_FEN)
    assert (record["depth"], record["node_limit"]) == (4, None)
    assert (record["table_entries"], record["solver"]) == (262_144, __version__)
    assert (record["complete"], record["contradictory"]) == (True, False)
    assert [row["depth"] for row in record["rows"]] == [1, 2, 3, 4]
    assert record["rows"][3] == {
        "depth": 4,
        "variants": {
            "off": {
                "score": "M2",
                "nodes": 12_345,
                "nodes_total": 20_000,
                "settled": True,
                "proved": True,
                "move": "h7g6",
            },
            "cpw": {
                "score": "M2",
                "nodes": 9_876,
                "nodes_total": 10_000,
                "settled": True,
                "proved": True,
                "move": "h7g6",
            },
        },
        "glass": {"score": 1051, "off": 551, "on": 551},
    }


def test_centipawns_are_a_number_without_mate_fields() -> None:
    record: dict[str, Any] = node_counts.position_record(counts.POSITION)
    third = record["rows"][2]
    assert "glass" not in third
    assert (third["variants"]["cpw"]["score"], third["variants"]["cpw"]["settled"]) == (
        -5,
        None,
    )


def test_an_unproved_mate_is_not_settled() -> None:
    record: dict[str, Any] = node_counts.position_record(counts.MIXED_POSITION)
    last = record["rows"][1]["variants"]
    assert (last["all"]["score"], last["all"]["settled"]) == ("M2", True)
    assert (last["on"]["score"], last["on"]["settled"]) == ("M2", False)


def test_a_limit_leaves_variants_out_of_rows() -> None:
    record: dict[str, Any] = node_counts.position_record(counts.CUT_POSITION)
    assert list(record["rows"][3]["variants"]) == ["off"]
    assert record["complete"] is False


def test_settings_are_named_as_on_the_command_line() -> None:
    assert node_counts.position_record(counts.MIXED_POSITION)["techniques"] == {
        "off": {**PLAIN_WORDS, "aspiration": 50, "sound": True},
        "all": {
            **PLAIN_WORDS,
            "check_extension": "all",
            "aspiration": 50,
            "sound": True,
        },
        "on": {
            **PLAIN_WORDS,
            "efp": "on",
            "null_reduction": 2,
            "cuts": 3,
            "tries": 6,
            "aspiration": 50,
            "sound": False,
        },
    }


def test_only_unusual_conditions_are_in_the_record() -> None:
    settings = Techniques(
        horizon=Horizon.QUIESCENCE,
        root_order=RootOrder.GENERATED,
        count=NodeCount.CALLS,
    )
    (variant,) = combine(["off"], ["off"], ["off"], ["off"], settings)
    counted = replace(
        counts.POSITION, series=(replace(counts.POSITION.series[0], variant=variant),)
    )
    assert node_counts.position_record(counted)["techniques"] == {
        "plain": {
            **PLAIN_WORDS,
            "aspiration": 50,
            "horizon": "quiescence",
            "root_order": "generated",
            "count": "calls",
            "sound": True,
        }
    }


def test_the_csv_of_a_position_has_a_row_per_depth() -> None:
    rows = rows_of(node_counts.position_csv(counts.GLASS_POSITION))
    assert list(rows[0]) == [
        "depth",
        *("off.score", "off.nodes", "off.nodes_total", "off.settled", "off.proved"),
        *("cpw.score", "cpw.nodes", "cpw.nodes_total", "cpw.settled", "cpw.proved"),
        *("glass.score", "glass.off", "glass.on"),
    ]
    assert [row["depth"] for row in rows] == ["1", "2", "3", "4"]
    assert list(rows[3].values()) == [
        "4",
        *("M2", "12345", "20000", "true", "true"),
        *("M2", "9876", "10000", "true", "true"),
        *("1051", "551", "551"),
    ]
    assert rows[2]["off.score"] == "-5"
    assert rows[2]["off.settled"] == ""


def test_csv_cells_without_a_value_are_empty() -> None:
    rows = rows_of(node_counts.position_csv(counts.CUT_POSITION))
    assert "glass.off" not in rows[0]
    assert [rows[3][f"cpw.{name}"] for name in ("score", "nodes")] == ["", ""]
    beyond = replace(counts.GLASS_POSITION.series[0], iterations=())
    deep = replace(
        counts.GLASS_POSITION,
        series=(
            beyond,
            node_counts.Series(
                counts.EFP, tuple(counts.GLASS_POSITION.series[0].iterations[:1]) * 21
            ),
        ),
    )
    assert rows_of(node_counts.position_csv(deep))[20]["glass.off"] == ""


def test_a_collection_has_the_documented_fields() -> None:
    record: dict[str, Any] = node_counts.collection_record(counts.COLLECTION)
    assert json.loads(json.dumps(record)) == record
    assert list(record) == [
        *("schema", "table_entries", "complete", "contradictory", "techniques"),
        *("problems", "totals", "files", "solver"),
    ]
    assert (record["schema"], record["complete"]) == (1, False)
    assert record["problems"][2] == {
        "id": "overlooked",
        "fen": counts.ELSEWHERE,
        "claim": 2,
        "depth": 4,
        "variants": {
            "off": {
                "mate": 2,
                "nodes": 1000,
                "nodes_total": 1500,
                "settled": True,
                "proved": True,
                "complete": True,
            },
            "on": {
                "mate": None,
                "nodes": 0,
                "nodes_total": 900,
                "settled": False,
                "proved": False,
                "complete": True,
            },
        },
        "same_answer": False,
        "source": "x.epd:overlooked",
    }
    assert record["problems"][3]["claim"] is None
    assert record["totals"]["on"] == {
        "found": 3,
        "unproved": 1,
        "stopped": 1,
        "differing": 2,
        "nodes_total": 11_689,
        "ratio": record["totals"]["on"]["ratio"],
        "compared": 2,
    }
    assert list(record["techniques"]) == ["off", "on"]
    assert record["files"] == [
        {"file": "x.epd", "problems": 6, "totals": record["totals"]}
    ]


def test_the_csv_of_a_collection_has_a_row_per_problem() -> None:
    rows = rows_of(node_counts.collection_csv(counts.COLLECTION))
    assert [row["id"] for row in rows] == [
        "alike", "dearer", "overlooked", "invented", "cut", "longer"
    ]  # fmt: skip
    assert rows[3] == {
        "id": "invented",
        "fen": counts.ELSEWHERE,
        "claim": "",
        "off.mate": "",
        "off.nodes": "0",
        "off.nodes_total": "900",
        "off.settled": "false",
        "off.proved": "false",
        "off.complete": "true",
        "on.mate": "3",
        "on.nodes": "70",
        "on.nodes_total": "90",
        "on.settled": "false",
        "on.proved": "false",
        "on.complete": "true",
        "same_answer": "true",
        "source": "x.epd:invented",
    }


def test_the_sums_in_csv_have_the_documented_columns() -> None:
    rows = rows_of(node_counts.summary_csv(counts.SEVERAL_FILES))
    assert [(row.pop("file"), row.pop("variant")) for row in rows] == [
        ("x.epd", "off"),
        ("x.epd", "on"),
        ('"b", <i>.epd', "off"),
        ('"b", <i>.epd', "on"),
        ("", "off"),
        ("", "on"),
    ]
    record: dict[str, Any] = node_counts.collection_record(counts.SEVERAL_FILES)
    parts = [*(file["totals"] for file in record["files"]), record["totals"]]
    totals = [total for part in parts for total in part.values()]
    assert [list(row.values()) for row in rows] == [
        ["" if value is None else str(value) for value in total.values()]
        for total in totals
    ]


def test_csv_keeps_names_with_commas_and_quotes() -> None:
    problem_counts = counts.problem_counts('a, "b"', 2, counts.FOUND)
    collection = replace(
        counts.COLLECTION, variants=(counts.OFF,), rows=(problem_counts,)
    )
    assert [row["id"] for row in rows_of(node_counts.collection_csv(collection))] == [
        'a, "b"'
    ]


# --- Glass's counts equal the published text


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
    assert [(row.depth, row.off, row.on) for row in node_counts.GLASS_ROWS] == published


def test_glass_scores_are_those_published() -> None:
    scores = [*map(int, SCORES.split()), *["M8"] * 5]
    assert [row.score for row in node_counts.GLASS_ROWS] == scores


def test_glass_fen_is_normalised() -> None:
    assert chess.Board(node_counts.GLASS_FEN).fen() == node_counts.GLASS_FEN


@pytest.mark.parametrize("depth", [1, 16, 20])
def test_glass_rows_are_found_by_depth(depth: int) -> None:
    row = node_counts.glass_row(node_counts.GLASS_FEN, depth)
    assert row
    assert row.depth == depth


@pytest.mark.parametrize(
    ("fen", "depth"),
    [
        (node_counts.GLASS_FEN, 0),
        (node_counts.GLASS_FEN, 21),
        (node_counts.GLASS_FEN.replace(" w ", " b "), 5),
    ],
)
def test_other_positions_and_depths_have_no_glass_row(fen: str, depth: int) -> None:
    assert node_counts.glass_row(fen, depth) is None
