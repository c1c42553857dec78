"""Records of node counts: the documented fields, and CSV."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

from solver import __version__
from solver.kernel.border.query_struct import Horizon, RootOrder
from solver.laboratory.node_counts import (
    GLASS_FEN,
    Series,
    collection_csv,
    collection_record,
    position_csv,
    position_record,
    summary_csv,
)
from solver.laboratory.techniques import NodeCount, Techniques, combine
from tests.laboratory import counts
from tests.laboratory.counts import (
    COLLECTION,
    CUT_POSITION,
    EFP,
    GLASS_POSITION,
    MIXED_POSITION,
    OFF,
    POSITION,
    SEVERAL_FILES,
)

PLAIN_WORDS = {"mdp": "off", "check_extension": "off", "efp": "off", "mip": "off"}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_position_has_the_documented_fields() -> None:
    record: dict[str, Any] = position_record(GLASS_POSITION)
    assert json.loads(json.dumps(record)) == record
    assert list(record) == [
        "schema",
        "fen",
        "depth",
        "node_limit",
        "table_entries",
        "complete",
        "contradictory",
        "techniques",
        "rows",
        "solver",
    ]
    assert (record["schema"], record["fen"]) == (1, GLASS_FEN)
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
    record: dict[str, Any] = position_record(POSITION)
    third = record["rows"][2]
    assert "glass" not in third
    assert (third["variants"]["cpw"]["score"], third["variants"]["cpw"]["settled"]) == (
        -5,
        None,
    )


def test_an_unproved_mate_is_not_settled() -> None:
    record: dict[str, Any] = position_record(MIXED_POSITION)
    last = record["rows"][1]["variants"]
    assert (last["all"]["score"], last["all"]["settled"]) == ("M2", True)
    assert (last["on"]["score"], last["on"]["settled"]) == ("M2", False)


def test_a_limit_leaves_variants_out_of_rows() -> None:
    record: dict[str, Any] = position_record(CUT_POSITION)
    assert list(record["rows"][3]["variants"]) == ["off"]
    assert record["complete"] is False


def test_settings_are_named_as_on_the_command_line() -> None:
    assert position_record(MIXED_POSITION)["techniques"] == {
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
    counted = replace(POSITION, series=(replace(POSITION.series[0], variant=variant),))
    assert position_record(counted)["techniques"] == {
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
    rows = rows_of(position_csv(GLASS_POSITION))
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
    rows = rows_of(position_csv(CUT_POSITION))
    assert "glass.off" not in rows[0]
    assert [rows[3][f"cpw.{name}"] for name in ("score", "nodes")] == ["", ""]
    beyond = replace(GLASS_POSITION.series[0], iterations=())
    deep = replace(
        GLASS_POSITION,
        series=(
            beyond,
            Series(EFP, tuple(GLASS_POSITION.series[0].iterations[:1]) * 21),
        ),
    )
    assert rows_of(position_csv(deep))[20]["glass.off"] == ""


def test_a_collection_has_the_documented_fields() -> None:
    record: dict[str, Any] = collection_record(COLLECTION)
    assert json.loads(json.dumps(record)) == record
    assert list(record) == [
        "schema",
        "table_entries",
        "complete",
        "contradictory",
        "techniques",
        "problems",
        "totals",
        "files",
        "solver",
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
    rows = rows_of(collection_csv(COLLECTION))
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
    rows = rows_of(summary_csv(SEVERAL_FILES))
    assert [(row.pop("file"), row.pop("variant")) for row in rows] == [
        ("x.epd", "off"),
        ("x.epd", "on"),
        ('"b", <i>.epd', "off"),
        ('"b", <i>.epd', "on"),
        ("", "off"),
        ("", "on"),
    ]
    record: dict[str, Any] = collection_record(SEVERAL_FILES)
    parts = [*(file["totals"] for file in record["files"]), record["totals"]]
    totals = [total for part in parts for total in part.values()]
    assert [list(row.values()) for row in rows] == [
        ["" if value is None else str(value) for value in total.values()]
        for total in totals
    ]


def test_csv_keeps_names_with_commas_and_quotes() -> None:
    problem_counts = counts.problem_counts('a, "b"', 2, counts.FOUND)
    collection = replace(COLLECTION, variants=(OFF,), rows=(problem_counts,))
    assert [row["id"] for row in rows_of(collection_csv(collection))] == ['a, "b"']
