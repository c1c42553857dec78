"""Tables of node counts, exactly, at any width."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from solver.kernel.border.scored_struct import Horizon, RootOrder
from solver.laboratory.count_tables import (
    Summary,
    collection_columns,
    collection_notes,
    collection_summary,
    file_labels,
    name_techniques,
    position_columns,
    position_notes,
    position_summary,
    ratio_cell,
)
from solver.laboratory.node_counts import Series
from solver.laboratory.techniques import NodeCount, ablation
from solver.output.columns import fit
from solver.problem import Problem
from tests.laboratory import counts
from tests.laboratory.counts import (
    CHECKS,
    COLLECTION,
    CUT_POSITION,
    EFP,
    FOUND,
    GLASS_POSITION,
    M2,
    MIXED_POSITION,
    NONE,
    OFF,
    POSITION,
    SEVERAL_FILES,
    STOPPED,
    problem_counts,
    series,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.output.columns import Column

WIDE = 200


def drawn(
    table: Callable[[Any], list[Column] | Summary], data: object, width: int = WIDE
) -> list[str]:
    paper = io.StringIO()
    console = Console(file=paper, width=width)
    made = table(data)
    console.print(
        made.draw(console) if isinstance(made, Summary) else fit(console, made)
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
"""


def test_each_depth_has_a_row_with_counts_ratios_and_the_published_figures() -> None:
    assert drawn(position_columns, GLASS_POSITION) == WHOLE_POSITION.splitlines()


def test_another_position_has_no_published_figures() -> None:
    assert drawn(position_columns, POSITION) == [
        line[:50].rstrip() for line in WHOLE_POSITION.splitlines()
    ]


@pytest.mark.parametrize(
    ("width", "last_row"),
    [
        (78, WHOLE_POSITION.splitlines()[-1]),
        (77, "    4     M2  12,345  9,876  0.800   1051    551    551  1.000"),
        (54, "    4     M2  12,345  9,876  0.800  1.000"),
    ],
)
def test_a_narrow_terminal_keeps_scores_nodes_and_ratios(
    width: int, last_row: str
) -> None:
    assert drawn(position_columns, GLASS_POSITION, width)[-1] == last_row


def test_a_terminal_too_narrow_for_the_table_gets_a_line_per_depth() -> None:
    assert " ".join(drawn(position_columns, GLASS_POSITION, 40)).endswith(
        " 4: score M2, off to PV 12,345, cpw to PV 9,876, cpw ratio 0.800, "
        "Glass ratio 1.000"
    )


def test_cells_that_a_limit_left_out_are_blank() -> None:
    assert drawn(position_columns, CUT_POSITION)[-1] == "    4     M2  12,345  20,000"
    assert " ".join(drawn(position_columns, CUT_POSITION, 20)).endswith(
        " 4: score M2, off to PV 12,345"
    )


def test_differing_scores_have_columns_and_marks_of_their_own() -> None:
    sooner = series(CHECKS, (M2, 22, 33), (M2, 150, 300))
    position = replace(
        MIXED_POSITION,
        series=(MIXED_POSITION.series[0], sooner, MIXED_POSITION.series[2]),
    )
    assert drawn(position_columns, position, 80) == [
        "         off    off    all    all    all     on     on     on",
        "depth  score  to PV  score  to PV  ratio  score  to PV  ratio",
        "    1     10     20   <=M2     22  1.100     10     20  1.000",
        "    2     20    200     M2    150  0.750    M2?    100  0.500",
    ]


def test_without_iterations_the_table_has_no_rows() -> None:
    nothing = replace(POSITION, series=(Series(OFF, ()), Series(EFP, ())))
    assert len(drawn(position_columns, nothing)) == 2


@pytest.mark.parametrize(
    ("ratio", "written"),
    [
        (None, ""),
        (1, "1.000"),
        (0.0123, "0.012"),
        (0.00123, "0.0012"),
        (25, "25.000"),
        (5790.61, "5,790.610"),
    ],
)
def test_a_ratio_is_never_rounded_to_zero(ratio: float | None, written: str) -> None:
    assert ratio_cell(ratio) == written


# --- one position, a row per variant


def test_the_summary_has_the_last_iterations_and_bars() -> None:
    assert drawn(position_summary, GLASS_POSITION, 60) == [
        "variant    depth  score   to PV  in all  ratio",
        "off            4     M2  12,345  20,000  1.000  ████████████",
        "cpw            4     M2   9,876  10,000  0.800  █████████▋",
        "Glass off      4   1051     551          1.000  ████████████",
        "Glass on       4   1051     551          1.000  ████████████",
    ]


@pytest.mark.parametrize(
    ("width", "last_row"),
    [
        (56, "cpw          4     M2   9,876  10,000  0.800  ████████"),
        (55, "cpw          4     M2   9,876  10,000  0.800"),
        (43, "cpw         M2   9,876  10,000  0.800"),
        (36, "cpw         M2   9,876  0.800"),
        (26, "9,876, ratio 0.800"),
    ],
)
def test_a_narrow_summary_drops_bars_and_then_columns(
    width: int, last_row: str
) -> None:
    assert drawn(position_summary, POSITION, width)[-1] == last_row


def test_variants_are_compared_at_the_last_depth_both_reached() -> None:
    assert drawn(position_summary, CUT_POSITION, 46)[1:] == [
        "off          4     M2  12,345  20,000  1.000",
        "cpw          3     -5   1,234   2,000  1.000",
    ]


def test_a_variant_without_iterations_has_its_name_only() -> None:
    nowhere = replace(POSITION, series=(POSITION.series[0], Series(EFP, ())))
    assert drawn(position_summary, nowhere)[-1] == "on"
    assert drawn(position_summary, nowhere, 20)[-1] == "on"


# --- a collection

PROBLEMS = """\
problem     mate    off       on  same answer
alike         M2  1,000      250          yes
dearer        M2  1,000    4,000          yes
overlooked    M2  1,000     none           no
invented    none   none   M3? 70          yes
cut           M2  1,000  stopped          yes
longer        M2  1,000  <=M3 80           no
"""


def test_each_problem_has_a_row_with_nodes_and_answers_that_differ() -> None:
    assert drawn(collection_columns, COLLECTION) == PROBLEMS.splitlines()


def test_a_narrow_terminal_has_a_line_per_problem() -> None:
    assert " ".join(drawn(collection_columns, COLLECTION, 44)).startswith(
        "alike: mate M2, off 1,000, on 250, same answer yes "
        "dearer: mate M2, off 1,000, on 4,000, same answer yes "
        "overlooked: mate M2, off 1,000, on none, same answer no "
    )


@pytest.mark.parametrize(
    ("claim", "outcome", "row"),
    [
        (-2, replace(FOUND, mate=-2), "x -M2 1,000 yes"),
        (None, replace(FOUND, mate=0), "x -M0 1,000 yes"),
        (3, FOUND, "x M3 M2 1,000 yes"),
        (None, STOPPED, "x stopped stopped yes"),
    ],
)
def test_the_mate_column_has_the_claim_or_the_first_answer(
    claim: int | None, outcome: object, row: str
) -> None:
    problem = problem_counts("x", claim, outcome)  # type: ignore[arg-type]
    collection = replace(COLLECTION, variants=(OFF,), rows=(problem,))
    assert drawn(collection_columns, collection)[-1].split() == row.split()


def test_a_problem_without_an_id_is_named_by_its_position() -> None:
    unnamed = replace(
        problem_counts("x", None, NONE), problem=Problem(counts.ELSEWHERE)
    )
    collection = replace(COLLECTION, variants=(OFF,), rows=(unnamed,))
    assert drawn(collection_columns, collection)[-1].startswith(
        counts.ELSEWHERE + "  none"
    )


def test_totals_have_mates_found_and_nodes() -> None:
    assert drawn(collection_summary, COLLECTION, 90) == [
        "variant  unproved  stopped  differing   nodes  compared  found  ratio",
        "off             0        0          0   8,400         5      5  1.000  "
        + 19 * "█",
        "on              1        1          2  11,689         2      3  1.000  "
        + 19 * "█",
    ]


def test_counts_that_are_all_zero_have_no_column() -> None:
    collection = replace(COLLECTION, rows=COLLECTION.rows[:3], problems=3)
    assert drawn(collection_summary, collection, 60)[0] == (
        "variant  differing  nodes  compared  found  ratio"
    )


def test_all_counts_of_a_collection_have_separators() -> None:
    many = replace(COLLECTION, rows=COLLECTION.rows * 1000, problems=7000)
    plain, other = (line.split() for line in drawn(collection_summary, many)[1:])
    assert plain[1:-1] == ["0", "0", "0", "8,400,000", "5,000", "5,000", "1.000"]
    assert other[1:-1] == (
        ["1,000", "1,000", "2,000", "11,689,000", "2,000", "3,000", "1.000"]
    )
    assert list(collection_notes(many, brief=True))[-1] == (
        "Stopped after 6,000 of 7,000 problems."
    )


def test_totals_on_a_narrow_terminal_are_lines() -> None:
    assert " ".join(drawn(collection_summary, COLLECTION, 35)) == (
        "off: unproved 0, stopped 0, differing 0, found 5, ratio 1.000 "
        "on: unproved 1, stopped 1, differing 2, found 3, ratio 1.000"
    )


FILES = """\
             x         "b", <i>            total
variant  found  ratio     found  ratio  unproved  stopped  differing   nodes  compared  found  ratio
off          3  1.000         2  1.000         0        0          0   8,400         5      5  1.000
on           2  1.000         1                1        1          2  11,689         2      3  1.000
"""  # noqa: E501


def test_each_of_several_files_has_its_mates_and_ratio() -> None:
    drawn_wide = drawn(collection_summary, SEVERAL_FILES, 100)
    assert drawn_wide == FILES.splitlines()
    narrow = drawn(collection_summary, SEVERAL_FILES, 88)
    assert [line.split()[-3:] for line in narrow[1:]] == [
        ["differing", "found", "ratio"],
        ["0", "5", "1.000"],
        ["2", "3", "1.000"],
    ]


def test_the_sums_of_several_files_on_a_narrow_terminal_are_lines() -> None:
    first = " ".join(drawn(collection_summary, SEVERAL_FILES, 60))
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
        (["a\x1b[1m.epd"], ["a\ufffd[1m"]),
        (["a\udcff.epd"], ["a\ufffd"]),
    ],
)
def test_files_have_the_shortest_names_that_differ(
    names: list[str], labels: list[str]
) -> None:
    assert file_labels(names) == labels


# --- the notes below a table

NODES = "A node is a move made, null moves included. "
TO_PV = (
    NODES + "to PV: until the principal variation was found; in all: until the "
    "iteration was complete; both are sums from depth 1."
)
SETTING = (
    "Transposition table: 262,144 entries, empty at first. Root searched within 50 of "
    "the last score. Move order: table move, captures and promotions, killers, "
    "history."
)
UNPROVED_NOTE = "M?: found by an unsound technique and not proved."
AT_MOST_NOTE = "<=M: there may be a shorter mate."


def test_the_notes_of_a_position_explain_counts_and_settings() -> None:
    assert list(position_notes(POSITION, brief=False)) == [
        TO_PV,
        "ratio: nodes to PV compared with off.",
        SETTING,
    ]


def test_the_notes_of_a_position_name_the_source_of_published_counts() -> None:
    assert list(position_notes(GLASS_POSITION, brief=False))[-1] == (
        "Glass 1.0: score, and nodes to PV without and with mate-distance pruning, "
        "from the Chess Programming Wiki; its evaluation, table and move "
        "order differ."
    )


def test_the_notes_of_a_position_name_stopped_variants() -> None:
    assert list(position_notes(CUT_POSITION, brief=False))[1:] == [
        "ratio: nodes to PV compared with off; in a variant's row, at the last "
        "depth that both reached.",
        SETTING,
        "Stopped before depth 4: cpw.",
    ]


def test_marks_are_explained_where_they_are_shown() -> None:
    sooner = series(CHECKS, (M2, 1, 1), (M2, 2, 2))
    position = replace(POSITION, depth=2, series=(sooner,))
    assert list(position_notes(position, brief=False))[-1] == AT_MOST_NOTE
    assert AT_MOST_NOTE not in list(position_notes(position, brief=True))
    assert list(position_notes(MIXED_POSITION, brief=True))[-1] == UNPROVED_NOTE


def test_the_notes_say_if_there_is_no_transposition_table_or_root_window() -> None:
    plain = replace(OFF, techniques=replace(OFF.techniques, aspiration=0))
    position = replace(POSITION, table_entries=0, series=(series(plain, (1, 1, 1)),))
    assert list(position_notes(position, brief=False))[1].startswith(
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
        notes = list(position_notes(position, brief=False))
        assert (note in notes[number]) == has_note
    collection = replace(COLLECTION, variants=(unusual, EFP))
    assert any(note in line for line in collection_notes(collection, brief=True))


def test_the_notes_of_a_position_report_a_contradiction() -> None:
    blind = series(OFF, *[(0, 1, 1)] * 4)
    position = replace(POSITION, series=(*POSITION.series, blind))
    assert list(position_notes(position, brief=True))[-1] == (
        "Sound variants contradict each other: please report this position."
    )


def test_the_notes_of_a_collection_explain_counts_and_ratios() -> None:
    assert list(collection_notes(COLLECTION, brief=False)) == [
        NODES + "Counts are sums from depth 1, without the nodes of the prover "
        "that confirms the mates.",
        "ratio: nodes until the mate was found compared with off, as a geometric mean "
        "over the problems in which both found the same mate. "
        "differing: answers that differ from off's although no limit was hit.",
        SETTING,
        AT_MOST_NOTE,
        UNPROVED_NOTE,
    ]
    assert list(collection_notes(COLLECTION, brief=True))[-1] == SETTING


def test_the_notes_of_a_collection_say_where_it_stopped() -> None:
    collection = replace(COLLECTION, rows=COLLECTION.rows[:1], problems=7)
    assert (
        list(collection_notes(collection, brief=True))[-1]
        == "Stopped after 1 of 7 problems."
    )


def test_each_contradiction_is_listed_with_its_source_and_answers() -> None:
    collection = replace(
        COLLECTION,
        variants=(OFF, CHECKS, EFP),
        rows=(
            problem_counts("1", 1, FOUND, FOUND, NONE),
            problem_counts("2", 2, FOUND, FOUND, NONE),
            replace(
                problem_counts("3", None, FOUND, NONE, NONE),
                problem=Problem(counts.ELSEWHERE, no_mate=2),
            ),
        ),
    )
    assert list(collection_notes(collection, brief=True))[-2:] == [
        "x.epd:1: contradiction: claimed M1, M2 by off",
        f"{counts.ELSEWHERE}: contradiction: claimed none in 2, M2 by off, none by all",
    ]


def test_each_variant_of_an_ablation_is_named_in_words() -> None:
    lines = dict(line.split(": ", 1) for line in name_techniques(ablation()))
    assert list(lines) == [variant.name for variant in ablation()]
    assert lines["plain"] == "no technique."
    assert lines["efp=cut"].startswith("forward pruning: a null move, 2 plies ")
    assert lines["sound"] == (
        "mate-distance pruning (mdp=tight): both bounds, with beta at a mate on the "
        "next ply, as in Stockfish; check extension (check-extension=all): checks cost "
        "no depth."
    )
    for option in ("check-extension=all+promotions", "efp=on", "mip=prune+lazy"):
        assert f"({option}): " in lines["combined"]
