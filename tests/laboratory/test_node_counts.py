"""Comparisons of variants: ratios, contradictions, records and tables."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import chess
import pytest
from rich.console import Console

from solver import __version__
from solver.kernel.border.scored_struct import Horizon, RootOrder
from solver.laboratory import count_tables as tables
from solver.laboratory import node_counts
from solver.laboratory.node_counts import ProblemCounts, Series, Total
from solver.laboratory.techniques import NodeCount
from solver.output.columns import fit
from solver.problem import Problem
from tests.laboratory.counts import (
    CHECKS,
    COLLECTION,
    CPW,
    CUT_POSITION,
    EFP,
    ELSEWHERE,
    FOUND,
    GLASS_POSITION,
    M2,
    MATED_IN_2,
    MIXED_POSITION,
    NONE,
    OFF,
    OPEN,
    POSITION,
    SEVERAL_FILES,
    STOPPED,
    UNPROVED,
    problem_counts,
    series,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.laboratory.techniques import Outcome
    from solver.output.columns import Column


def test_only_sound_variants_with_different_mates_contradict() -> None:
    off, _ = POSITION.series

    def contradicts(*others: Series) -> bool:
        return replace(POSITION, series=(off, *others)).is_contradictory

    assert contradicts(series(CPW, *[(596, 1, 1)] * 4))
    # Extensions may see a mate earlier; unsound variants may miss or invent one.
    assert not contradicts(series(CPW, *[(596, 1, 1)] * 3), series(CHECKS, (M2, 9, 9)))
    for score in (596, MATED_IN_2):
        assert not contradicts(series(EFP, *[(score, 1, 1)] * 6))


@pytest.mark.parametrize(
    ("outcomes", "same"),
    [
        ((FOUND, FOUND), True),
        ((FOUND, NONE), False),
        ((NONE, UNPROVED), True),
        ((FOUND, UNPROVED), False),
        ((FOUND, OPEN), False),
        ((FOUND, STOPPED), True),
        ((FOUND, STOPPED, NONE), False),
        ((replace(FOUND, complete=False), NONE), False),
        ((replace(OPEN, complete=False), FOUND), True),
    ],
)
def test_the_answer_is_the_same_if_no_two_answers_differ(
    outcomes: tuple[Outcome, ...], same: bool
) -> None:
    assert problem_counts("x", 2, *outcomes).same_answer is same


def test_totals_count_proved_mates_and_compare_equal_ones() -> None:
    first, second = COLLECTION.totals()
    assert first == Total(OFF, 5, 0, 0, 0, 5 * 1500 + 900, first.ratio, 5)
    nodes = 1500 + 4100 + 900 + 90 + 5000 + 99
    assert second == Total(EFP, 3, 1, 1, 2, nodes, second.ratio, 2)
    assert first.ratio == pytest.approx(1.0)
    assert second.ratio == pytest.approx(1.0)  # a quarter and four times
    nothing = replace(COLLECTION, rows=(problem_counts("x", 2, NONE, NONE),))
    assert [total.ratio for total in nothing.totals()] == [None, None]


@pytest.mark.parametrize(
    ("claim", "outcomes", "contradicts"),
    [
        (2, (FOUND, NONE), False),  # the second variant is not sound
        (2, (NONE, NONE), True),
        (1, (FOUND, FOUND), True),
        (3, (FOUND, FOUND), True),
        (-2, (FOUND, FOUND), True),
        (3, (NONE, NONE), False),  # depth 4 sees no mate in 3
        (2, (STOPPED, STOPPED), False),
        (3, (OPEN, OPEN), False),
        (2, (STOPPED, OPEN), False),
        (4, (STOPPED, OPEN), True),  # proved, whichever variant found it
        (None, (NONE, UNPROVED), False),
        (None, (NONE, replace(FOUND, mate=3)), False),
        (None, (NONE, FOUND), True),
    ],
)
def test_proved_answers_are_checked_against_the_claim_and_each_other(
    claim: int | None, outcomes: tuple[Outcome, ...], contradicts: bool
) -> None:
    rows = (problem_counts("x", claim, *outcomes),)
    collection = replace(COLLECTION, rows=rows, problems=1)
    assert collection.is_contradictory is contradicts
    assert list(collection.contradictions()) == list(collection.rows) * contradicts


def test_a_claim_of_no_mate_is_checked_as_well() -> None:
    cases = ((1, FOUND, False), (2, FOUND, True), (2, NONE, False))
    for none_in, outcome, contradicts in cases:
        rows = (ProblemCounts(Problem(ELSEWHERE, no_mate=none_in), 4, (outcome,)),)
        collection = replace(COLLECTION, variants=(OFF,), rows=rows, problems=1)
        assert collection.is_contradictory is contradicts


PLAIN: dict[str, Any] = {
    **dict.fromkeys(("mdp", "check_extension", "efp", "mip"), "off"),
    "aspiration": 50,
    "sound": True,
}
OUTCOME = ("mate", "nodes", "nodes_total", "settled", "proved", "complete")
ITERATION = ("score", "nodes", "nodes_total", "settled", "proved", "move")
PROBLEMS = ["alike", "dearer", "overlooked", "invented", "cut", "longer"]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def named(names: tuple[str, ...], *values: object) -> dict[str, object]:
    return dict(zip(names, values, strict=True))


def test_a_position_has_the_documented_fields() -> None:
    record: dict[str, Any] = node_counts.position_record(GLASS_POSITION)
    assert json.loads(json.dumps(record)) == record
    rows, techniques = record.pop("rows"), record.pop("techniques")
    assert list(record.items()) == [
        *(("schema", 1), ("fen", node_counts.GLASS_FEN), ("depth", 4)),
        *(("node_limit", None), ("table_entries", 262_144), ("complete", True)),
        *(("contradictory", False), ("solver", __version__)),
    ]
    assert list(techniques) == ["off", "cpw"]
    assert [row["depth"] for row in rows] == [1, 2, 3, 4]
    assert rows[3] == {
        "depth": 4,
        "variants": {
            "off": named(ITERATION, "M2", 12_345, 20_000, True, True, "h7g6"),
            "cpw": named(ITERATION, "M2", 9_876, 10_000, True, True, "h7g6"),
        },
        "glass": {"score": 1051, "off": 551, "on": 551},
    }
    centipawns = rows[2]["variants"]["cpw"]
    assert (centipawns["score"], centipawns["settled"]) == (-5, None)


def test_limits_and_unproved_mates_show_in_the_rows_of_a_position() -> None:
    record: dict[str, Any] = node_counts.position_record(CUT_POSITION)
    assert list(record["rows"][3]["variants"]) == ["off"]
    assert "glass" not in record["rows"][3]
    assert record["complete"] is False
    record = node_counts.position_record(MIXED_POSITION)
    last = record["rows"][1]["variants"]
    assert (last["all"]["score"], last["all"]["settled"]) == ("M2", True)
    assert (last["on"]["score"], last["on"]["settled"]) == ("M2", False)
    numbers = {"null_reduction": 2, "cuts": 3, "tries": 6}
    assert record["techniques"] == {
        "off": PLAIN,
        "all": PLAIN | {"check_extension": "all"},
        "on": PLAIN | numbers | {"efp": "on", "sound": False},
    }


def test_the_csv_of_a_position_has_a_row_per_depth() -> None:
    rows = rows_of(node_counts.position_csv(GLASS_POSITION))
    columns = ("score", "nodes", "nodes_total", "settled", "proved")
    assert list(rows[0]) == [
        "depth",
        *(f"off.{name}" for name in columns),
        *(f"cpw.{name}" for name in columns),
        *("glass.score", "glass.off", "glass.on"),
    ]
    assert [",".join(row.values()) for row in rows[2:]] == [
        "3,-5,1234,2000,,,-5,1234,2000,,,1051,103,103",
        "4,M2,12345,20000,true,true,M2,9876,10000,true,true,1051,551,551",
    ]
    cut = rows_of(node_counts.position_csv(CUT_POSITION))
    assert "glass.off" not in cut[0]
    assert [cut[3][f"cpw.{name}"] for name in ("score", "nodes")] == ["", ""]


def test_a_collection_has_the_documented_fields() -> None:
    record: dict[str, Any] = node_counts.collection_record(COLLECTION)
    assert json.loads(json.dumps(record)) == record
    assert list(record) == [
        *("schema", "table_entries", "complete", "contradictory", "techniques"),
        *("problems", "totals", "files", "solver"),
    ]
    assert (record["schema"], record["complete"]) == (1, False)
    assert list(record["techniques"]) == ["off", "on"]
    assert record["problems"][2] == {
        "id": "overlooked",
        "fen": ELSEWHERE,
        "claim": 2,
        "depth": 4,
        "variants": {
            "off": named(OUTCOME, 2, 1000, 1500, True, True, True),
            "on": named(OUTCOME, None, 0, 900, False, False, True),
        },
        "same_answer": False,
        "source": "x.epd:overlooked",
    }
    assert record["problems"][3]["claim"] is None
    total = record["totals"]["on"]
    assert list(total.items()) == [
        *(("found", 3), ("unproved", 1), ("stopped", 1), ("differing", 2)),
        *(("nodes_total", 11_689), ("ratio", total["ratio"]), ("compared", 2)),
    ]
    assert record["files"] == [
        {"file": "x.epd", "problems": 6, "totals": record["totals"]}
    ]


def test_the_csv_of_a_collection_has_a_row_per_problem() -> None:
    rows = rows_of(node_counts.collection_csv(COLLECTION))
    assert [row["id"] for row in rows] == PROBLEMS
    columns = [f"{variant}.{name}" for variant in ("off", "on") for name in OUTCOME]
    assert list(rows[3]) == ["id", "fen", "claim", *columns, "same_answer", "source"]
    outcomes = ",0,900,false,false,true,3,70,90,false,false,true"
    written = f"invented,{ELSEWHERE},,{outcomes},true,x.epd:invented"
    assert ",".join(rows[3].values()) == written
    one = problem_counts('a, "b"', 2, FOUND)
    quoted = replace(COLLECTION, variants=(OFF,), rows=(one,))
    assert rows_of(node_counts.collection_csv(quoted))[0]["id"] == 'a, "b"'


def test_the_sums_in_csv_have_the_documented_columns() -> None:
    rows = rows_of(node_counts.summary_csv(SEVERAL_FILES))
    files = ("x.epd", '"b", <i>.epd', "")
    assert [(row.pop("file"), row.pop("variant")) for row in rows] == [
        (file, variant) for file in files for variant in ("off", "on")
    ]
    record: dict[str, Any] = node_counts.collection_record(SEVERAL_FILES)
    parts = [*(file["totals"] for file in record["files"]), record["totals"]]
    totals = [total for part in parts for total in part.values()]
    assert [list(row.values()) for row in rows] == [
        ["" if value is None else str(value) for value in total.values()]
        for total in totals
    ]


PUBLISHED = """
1: 3/3; 2: 23/23; 3: 103/103; 4: 551/551; 5: 2151/2151; 6: 7638/7638; 7: 24353/24353;
8: 62692/62692; 9: 139241/139241; 10: 253338/253338; 11: 409101/409101;
12: 610285/610285; 13: 873959/873959; 14: 1417047/1417047; 15: 1907578/1907578;
16: 2846864/2547293; 17: 3715208/2819164; 18: 4842666/3092833; 19: 6181827/3368068;
20: 7774698/3643489
"""

SCORES = "1041 1041 1051 1051 1055 1051 1055 1065 1065 1085 1085 1105 1105 1105 1105"


def test_glass_counts_and_scores_are_those_published() -> None:
    published = [
        tuple(map(int, row)) for row in re.findall(r"(\d+): (\d+)/(\d+)", PUBLISHED)
    ]
    rows = node_counts.GLASS_ROWS
    assert [(row.depth, row.off, row.on) for row in rows] == published
    assert [row.score for row in rows] == [*map(int, SCORES.split()), *["M8"] * 5]


def test_glass_rows_are_found_by_position_and_depth() -> None:
    fen = node_counts.GLASS_FEN
    assert chess.Board(fen).fen() == fen
    found = [node_counts.glass_row(fen, depth) for depth in (1, 16, 20)]
    assert found == [node_counts.GLASS_ROWS[index] for index in (0, 15, 19)]
    assert node_counts.glass_row(fen, 0) is node_counts.glass_row(fen, 21) is None
    assert node_counts.glass_row(fen.replace(" w ", " b "), 5) is None


def drawn(
    table: Callable[[Any], list[Column] | tables.Summary],
    data: object,
    width: int = 200,
) -> list[str]:
    paper = io.StringIO()
    console = Console(file=paper, width=width)
    made = table(data)
    console.print(
        made.draw(console) if isinstance(made, tables.Summary) else fit(console, made)
    )
    return [line.rstrip() for line in paper.getvalue().splitlines()]


# --- one position, a row per depth

WHOLE_POSITION = """\
                 off     off    cpw     cpw    cpw  Glass  Glass  Glass  Glass
depth  score   to PV  in all  to PV  in all  ratio  score    off     on  ratio
    1    596       4      19      4      19  1.000   1041      3      3  1.000
    2    586      30      58     30      58  1.000   1041     23     23  1.000
    3     -5   1,234   2,000  1,234   2,000  1.000   1051    103    103  1.000
    4     M2  12,345  20,000  9,876  10,000  0.800   1051    551    551  1.000
""".splitlines()


def test_each_depth_has_a_row_with_counts_ratios_and_the_published_figures() -> None:
    assert drawn(tables.position_columns, GLASS_POSITION) == WHOLE_POSITION
    last_rows = {
        78: WHOLE_POSITION[-1],
        77: "    4     M2  12,345  9,876  0.800   1051    551    551  1.000",
        54: "    4     M2  12,345  9,876  0.800  1.000",
    }
    for width, last_row in last_rows.items():
        assert drawn(tables.position_columns, GLASS_POSITION, width)[-1] == last_row
    assert " ".join(drawn(tables.position_columns, GLASS_POSITION, 40)).endswith(
        " 4: score M2, off to PV 12,345, cpw to PV 9,876, cpw ratio 0.800, "
        "Glass ratio 1.000"
    )


def test_cells_that_a_limit_left_out_are_blank() -> None:
    assert (
        drawn(tables.position_columns, CUT_POSITION)[-1]
        == "    4     M2  12,345  20,000"
    )
    assert " ".join(drawn(tables.position_columns, CUT_POSITION, 20)).endswith(
        " 4: score M2, off to PV 12,345"
    )
    nothing = replace(POSITION, series=(Series(OFF, ()), Series(EFP, ())))
    assert len(drawn(tables.position_columns, nothing)) == 2


def test_differing_scores_have_columns_and_marks_of_their_own() -> None:
    off, _, efp = MIXED_POSITION.series
    sooner = series(CHECKS, (M2, 22, 33), (M2, 150, 300))
    position = replace(MIXED_POSITION, series=(off, sooner, efp))
    assert drawn(tables.position_columns, position, 80) == [
        "         off    off    all    all    all     on     on     on",
        "depth  score  to PV  score  to PV  ratio  score  to PV  ratio",
        "    1     10     20   <=M2     22  1.100     10     20  1.000",
        "    2     20    200     M2    150  0.750    M2?    100  0.500",
    ]


def test_a_ratio_is_never_rounded_to_zero() -> None:
    ratios = [None, 1, 0.0123, 0.00123, 5790.61]
    written = ["", "1.000", "0.012", "0.0012", "5,790.610"]
    assert [*map(tables.ratio_cell, ratios)] == written


# --- one position, a row per variant


def test_the_summary_has_the_last_iterations_and_bars() -> None:
    assert drawn(tables.position_summary, GLASS_POSITION, 60) == [
        "variant    depth  score   to PV  in all  ratio",
        "off            4     M2  12,345  20,000  1.000  ████████████",
        "cpw            4     M2   9,876  10,000  0.800  █████████▋",
        "Glass off      4   1051     551          1.000  ████████████",
        "Glass on       4   1051     551          1.000  ████████████",
    ]
    last_rows = {
        56: "cpw          4     M2   9,876  10,000  0.800  ████████",
        55: "cpw          4     M2   9,876  10,000  0.800",
        36: "cpw         M2   9,876  0.800",
        26: "9,876, ratio 0.800",
    }
    for width, last_row in last_rows.items():
        assert drawn(tables.position_summary, POSITION, width)[-1] == last_row


def test_variants_are_compared_at_the_last_depth_both_reached() -> None:
    assert drawn(tables.position_summary, CUT_POSITION, 46)[1:] == [
        "off          4     M2  12,345  20,000  1.000",
        "cpw          3     -5   1,234   2,000  1.000",
    ]
    nowhere = replace(POSITION, series=(POSITION.series[0], Series(EFP, ())))
    for width in (200, 20):
        assert drawn(tables.position_summary, nowhere, width)[-1] == "on"


# --- a collection

PROBLEM_ROWS = """\
problem     mate    off       on  same answer
alike         M2  1,000      250          yes
dearer        M2  1,000    4,000          yes
overlooked    M2  1,000     none           no
invented    none   none   M3? 70          yes
cut           M2  1,000  stopped          yes
longer        M2  1,000  <=M3 80           no
"""


def test_each_problem_has_a_row_with_nodes_and_answers_that_differ() -> None:
    assert drawn(tables.collection_columns, COLLECTION) == PROBLEM_ROWS.splitlines()
    assert " ".join(drawn(tables.collection_columns, COLLECTION, 44)).startswith(
        "alike: mate M2, off 1,000, on 250, same answer yes "
        "dearer: mate M2, off 1,000, on 4,000, same answer yes "
        "overlooked: mate M2, off 1,000, on none, same answer no "
    )


def test_the_mate_column_has_the_claim_or_the_first_answer() -> None:
    for claim, outcome, row in (
        (-2, replace(FOUND, mate=-2), "x -M2 1,000 yes"),
        (None, replace(FOUND, mate=0), "x -M0 1,000 yes"),
        (3, FOUND, "x M3 M2 1,000 yes"),
        (None, STOPPED, "x stopped stopped yes"),
    ):
        problem = problem_counts("x", claim, outcome)
        collection = replace(COLLECTION, variants=(OFF,), rows=(problem,))
        assert drawn(tables.collection_columns, collection)[-1].split() == row.split()
    unnamed = replace(problem_counts("x", None, NONE), problem=Problem(ELSEWHERE))
    collection = replace(COLLECTION, variants=(OFF,), rows=(unnamed,))
    row = drawn(tables.collection_columns, collection)[-1]
    assert row.startswith(f"{ELSEWHERE}  none")


def test_totals_have_mates_found_and_nodes() -> None:
    assert [
        line.rstrip(" █") for line in drawn(tables.collection_summary, COLLECTION, 90)
    ] == [
        "variant  unproved  stopped  differing   nodes  compared  found  ratio",
        "off             0        0          0   8,400         5      5  1.000",
        "on              1        1          2  11,689         2      3  1.000",
    ]
    some = replace(COLLECTION, rows=COLLECTION.rows[:3], problems=3)
    assert drawn(tables.collection_summary, some, 60)[0] == (
        "variant  differing  nodes  compared  found  ratio"
    )
    assert " ".join(drawn(tables.collection_summary, COLLECTION, 35)) == (
        "off: unproved 0, stopped 0, differing 0, found 5, ratio 1.000 "
        "on: unproved 1, stopped 1, differing 2, found 3, ratio 1.000"
    )


def test_each_of_several_files_has_its_mates_and_ratio() -> None:
    narrow = [
        line.split() for line in drawn(tables.collection_summary, SEVERAL_FILES, 88)[1:]
    ]
    assert [line[-3] for line in narrow] == ["differing", "0", "2"]
    first = " ".join(drawn(tables.collection_summary, SEVERAL_FILES, 60))
    assert first.startswith(
        'off: x found 3, ratio 1.000, "b", <i> found 2, ratio 1.000, total unproved 0, '
        "stopped 0, differing 0, found 5, ratio 1.000 on: "
    )


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["puzzles/a.epd", "b.pgn"], ["a", "b"]),
        (["x/a.epd", "x/a.pgn"], ["a.epd", "a.pgn"]),
        (["x/a.epd", "y/a.epd"], ["x/a.epd", "y/a.epd"]),
        (["x/a.epd", "x/a.epd", "stdin"], ["a", "a", "stdin"]),
        (["a\x1b[1m.epd", "b\udcff.epd"], ["a\ufffd[1m", "b\ufffd"]),
    ],
)
def test_files_have_the_shortest_names_that_differ(
    names: list[str], labels: list[str]
) -> None:
    assert tables.file_labels(names) == labels


# --- the notes below a table

SETTING = (
    "Transposition table: 262,144 entries, empty at first. Root searched within 50 of "
    "the last score. Move order: table move, captures and promotions, killers, "
    "history."
)
UNPROVED_NOTE = "M?: found by an unsound technique and not proved."
AT_MOST_NOTE = "<=M: there may be a shorter mate."


def test_the_notes_of_a_position_name_its_source_and_stopped_variants() -> None:
    assert list(tables.position_notes(GLASS_POSITION, brief=False))[-1] == (
        "Glass 1.0: score, and nodes to PV without and with mate-distance pruning, "
        "from the Chess Programming Wiki; its evaluation, table and move "
        "order differ."
    )
    assert list(tables.position_notes(CUT_POSITION, brief=False))[1:] == [
        "ratio: nodes to PV compared with off; in a variant's row, at the last "
        "depth that both reached.",
        SETTING,
        "Stopped before depth 4: cpw.",
    ]


def test_marks_are_explained_where_they_are_shown() -> None:
    sooner = series(CHECKS, (M2, 1, 1), (M2, 2, 2))
    position = replace(POSITION, depth=2, series=(sooner,))
    assert list(tables.position_notes(position, brief=False))[-1] == AT_MOST_NOTE
    assert AT_MOST_NOTE not in list(tables.position_notes(position, brief=True))
    assert list(tables.position_notes(MIXED_POSITION, brief=True))[-1] == UNPROVED_NOTE


def test_the_notes_say_if_there_is_no_transposition_table_or_root_window() -> None:
    plain = replace(OFF, techniques=replace(OFF.techniques, aspiration=0))
    position = replace(POSITION, table_entries=0, series=(series(plain, (1, 1, 1)),))
    assert list(tables.position_notes(position, brief=False))[1].startswith(
        "No transposition table. Root searched in the full window. "
    )


@pytest.mark.parametrize(
    ("condition", "number", "note"),
    [
        ({"horizon": Horizon.MATE}, 1, " Horizon: mate test. Move order: "),
        ({"horizon": Horizon.QUIESCENCE}, 1, " Horizon: quiescence search. Move "),
        ({"root_order": RootOrder.GENERATED}, 1, "; at the root, table move, then as "),
        ({"root_order": RootOrder.NODES}, 1, "; at the root, best move of the last "),
        ({"count": NodeCount.CALLS}, 0, "A node is a call of the search function: "),
        ({"count": NodeCount.INTERIOR}, 0, "A node is a position above the horizon "),
        ({"count": NodeCount.AGAIN}, 0, "A node is a move that is searched again, "),
    ],
)
def test_the_notes_state_conditions_that_are_not_the_usual_ones(
    condition: dict[str, Any], number: int, note: str
) -> None:
    unusual = replace(OFF, techniques=replace(OFF.techniques, **condition))
    for variant, has_note in ((unusual, True), (OFF, False)):
        position = replace(POSITION, series=(series(variant, (1, 1, 1)),))
        notes = list(tables.position_notes(position, brief=False))
        assert (note in notes[number]) == has_note
    collection = replace(COLLECTION, variants=(unusual, EFP))
    assert any(note in line for line in tables.collection_notes(collection, brief=True))


def test_the_notes_of_a_collection_explain_its_counts() -> None:
    first, _, *others = tables.collection_notes(COLLECTION, brief=False)
    assert first.endswith(
        " Counts are sums from depth 1, without the nodes of the prover that "
        "confirms the mates."
    )
    assert others == [SETTING, AT_MOST_NOTE, UNPROVED_NOTE]
    assert list(tables.collection_notes(COLLECTION, brief=True))[-1] == SETTING


def test_each_contradiction_is_listed_with_its_source_and_answers() -> None:
    rows = (
        problem_counts("1", 1, FOUND, FOUND, NONE),
        problem_counts("2", 2, FOUND, FOUND, NONE),
        replace(
            problem_counts("3", None, FOUND, NONE, NONE),
            problem=Problem(ELSEWHERE, no_mate=2),
        ),
    )
    collection = replace(COLLECTION, variants=(OFF, CHECKS, EFP), rows=rows)
    assert list(tables.collection_notes(collection, brief=True))[-2:] == [
        "x.epd:1: contradiction: claimed M1, M2 by off",
        f"{ELSEWHERE}: contradiction: claimed none in 2, M2 by off, none by all",
    ]
