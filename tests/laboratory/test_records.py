"""Records of node counts: the documented schema, and CSV that is read back."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

from solver import __version__
from solver.laboratory import comparison as glass
from solver.laboratory.comparison import Series
from solver.laboratory.records import (
    ladder_csv,
    ladder_record,
    survey_csv,
    survey_record,
)
from tests.laboratory import counts
from tests.laboratory.counts import (
    CUT_LADDER,
    EFP,
    GLASS_LADDER,
    LADDER,
    MIXED_LADDER,
    OFF,
    SURVEY,
)

PLAIN_WORDS = {"mdp": "off", "check_extension": "off", "efp": "off", "mip": "off"}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_position_has_the_documented_fields() -> None:
    record: dict[str, Any] = ladder_record(GLASS_LADDER)
    assert json.loads(json.dumps(record)) == record
    assert list(record) == [
        "schema",
        "fen",
        "table_entries",
        "complete",
        "contradictory",
        "techniques",
        "rows",
        "solver",
    ]
    assert (record["schema"], record["fen"]) == (1, glass.FEN)
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


def test_centipawns_are_a_number_and_not_settled() -> None:
    record: dict[str, Any] = ladder_record(LADDER)
    third = record["rows"][2]
    assert "glass" not in third
    assert (third["variants"]["cpw"]["score"], third["variants"]["cpw"]["settled"]) == (
        -5,
        None,
    )


def test_a_mate_that_nothing_proves_is_not_settled() -> None:
    record: dict[str, Any] = ladder_record(MIXED_LADDER)
    last = record["rows"][1]["variants"]
    assert (last["all"]["score"], last["all"]["settled"]) == ("M2", True)
    assert (last["on"]["score"], last["on"]["settled"]) == ("M2", False)


def test_a_limit_leaves_variants_out_of_rows() -> None:
    record: dict[str, Any] = ladder_record(CUT_LADDER)
    assert list(record["rows"][3]["variants"]) == ["off"]
    assert record["complete"] is False


def test_names_are_explained_in_the_words_of_the_command() -> None:
    assert ladder_record(MIXED_LADDER)["techniques"] == {
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


def test_a_positions_csv_has_a_row_a_depth() -> None:
    rows = rows_of(ladder_csv(GLASS_LADDER))
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


def test_csv_leaves_what_is_not_there_empty() -> None:
    rows = rows_of(ladder_csv(CUT_LADDER))
    assert "glass.off" not in rows[0]
    assert [rows[3][f"cpw.{name}"] for name in ("score", "nodes")] == ["", ""]
    beyond = replace(GLASS_LADDER.series[0], iterations=())
    deep = replace(
        GLASS_LADDER,
        series=(
            beyond,
            Series(EFP, tuple(GLASS_LADDER.series[0].iterations[:1]) * 21),
        ),
    )
    assert rows_of(ladder_csv(deep))[20]["glass.off"] == ""


def test_a_collection_has_the_documented_fields() -> None:
    record: dict[str, Any] = survey_record(SURVEY)
    assert json.loads(json.dumps(record)) == record
    assert list(record) == [
        "schema",
        "table_entries",
        "complete",
        "contradictory",
        "techniques",
        "problems",
        "totals",
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


def test_a_collections_csv_has_a_row_a_problem() -> None:
    rows = rows_of(survey_csv(SURVEY))
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
    }


def test_csv_keeps_names_with_commas_and_quotes() -> None:
    trial = counts.trial('a, "b"', 2, counts.FOUND)
    survey = replace(SURVEY, variants=(OFF,), trials=(trial,))
    assert [row["id"] for row in rows_of(survey_csv(survey))] == ['a, "b"']
