"""The laboratory's search: iterations, mates, limits, and Glass's counts."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.errors import InputError
from solver.kernel.border.scored_struct import Extension, Mdp, MipUse, PrunedNodes
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.techniques import (
    MAX_DEPTH,
    Iteration,
    Outcome,
    Techniques,
    format_score,
    is_mate,
    mate_distance,
    parse_extension,
    parse_mdp,
    parse_mip,
    parse_pruning,
    parse_variant,
)
from solver.search.threads import Control
from tests import signatures

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.kernel.border.scored_struct import Experiment
    from solver.kernel.border.search_struct import PositionStruct, Search

pytestmark = pytest.mark.usefixtures("kernel")

Rows = dict[Mdp, list[Iteration]]

GLASS = "8/7K/8/8/8/8/R7/7k w - - 0 1"
MATE_IN_TWO = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
"""1. Qg8+ Rxg8 2. Nf7#"""
LOPSIDED = "5R2/4B2P/3K4/8/1k6/8/8/8 w - - 0 1"
"""Many materials that can arise from it were won in every game."""
MATED_IN_ONE = "k7/8/1K6/8/8/8/8/7R b - - 0 1"


def deepen(
    fen: str, depth: int, techniques: Techniques | None = None, **limits: Any
) -> list[Iteration]:
    laboratory = Laboratory()
    board = chess.Board(fen)
    return list(laboratory.deepen(board, techniques or Techniques(), depth, **limits))


@pytest.fixture(scope="module")
def rows() -> Rows:
    """The iterations of every form on Glass's position."""
    return {form: deepen(GLASS, 20, Techniques(mdp=form)) for form in Mdp}


def test_glass_counts_are_equal_until_the_mate_is_found(rows: Rows) -> None:
    for form in Mdp:
        for plain, pruned in zip(rows[Mdp.OFF][:15], rows[form][:15], strict=True):
            assert pruned == plain


def test_glass_mate_in_eight_is_found_at_depth_sixteen(rows: Rows) -> None:
    for form in Mdp:
        words = [format_score(row.score) for row in rows[form]]
        assert words[15:] == ["M8"] * 5
        assert not any(word.startswith("M") for word in words[:15])
        assert {row.move for row in rows[form][15:]} == {"h7g6"}


def test_glass_every_form_saves_nodes_once_the_mate_is_found(rows: Rows) -> None:
    for form in Mdp:
        if form is not Mdp.OFF:
            for plain, pruned in zip(rows[Mdp.OFF][15:], rows[form][15:], strict=True):
                assert pruned.nodes < plain.nodes
                assert pruned.nodes_total < plain.nodes_total


def test_node_signature(rows: Rows) -> None:
    found = {form: rows[form][15] for form in Mdp}
    counts = {form: (row.nodes, row.nodes_total) for form, row in found.items()}
    assert counts == signatures.GLASS


def test_counts_do_not_depend_on_earlier_searches() -> None:
    laboratory = Laboratory()
    board = chess.Board(MATE_IN_TWO)
    first = list(laboratory.deepen(board, Techniques(), 4))
    list(laboratory.deepen(chess.Board(GLASS), Techniques(mdp=Mdp.TIGHT), 8))
    assert list(laboratory.deepen(board, Techniques(), 4)) == first


@pytest.mark.parametrize("margin", [0, 1, 50, 5_000])
def test_the_root_window_changes_no_score(margin: int) -> None:
    narrow = deepen(MATE_IN_TWO, 5, Techniques(aspiration=margin))
    assert [row.score for row in narrow] == [
        row.score for row in deepen(MATE_IN_TWO, 5)
    ]


def test_a_finished_game_has_a_score_and_no_move() -> None:
    mated = deepen("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", 2)
    assert [(row.move, format_score(row.score)) for row in mated] == [("", "-M0")] * 2
    stalemate = deepen("k7/8/1Q6/8/8/8/8/K7 b - - 0 1", 2)
    assert [(row.move, row.score) for row in stalemate] == [("", 0)] * 2


def test_a_limit_ends_the_search_and_incomplete_iterations_are_not_returned() -> None:
    rows = deepen(GLASS, 20)
    limit = rows[8].nodes_total + 1
    assert deepen(GLASS, 20, nodes=limit) == rows[:9]


def test_a_stopped_search_returns_nothing() -> None:
    control = Control()
    control.stop()
    assert deepen(GLASS, 20, control=control) == []


@pytest.mark.parametrize("depth", [0, MAX_DEPTH + 1])
def test_a_depth_out_of_range_is_refused(depth: int) -> None:
    with pytest.raises(InputError, match=f"expected 1 to 100 plies, found {depth}"):
        deepen(GLASS, depth)


@pytest.mark.parametrize("entries", [1, 2, 3, 6, 1000, -4])
def test_a_table_that_is_no_power_of_two_is_refused(entries: int) -> None:
    with pytest.raises(InputError, match=f"found {entries}"):
        Laboratory(entries)


def find(
    fen: str, depth: int, techniques: Techniques | None = None, **limits: Any
) -> Outcome:
    laboratory, techniques = Laboratory(), techniques or Techniques()
    iterations = laboratory.deepen(chess.Board(fen), techniques, depth, **limits)
    return laboratory.find_mate(iterations, techniques, depth)


def test_a_mate_is_found_and_shorter_ones_excluded() -> None:
    outcome = find(MATE_IN_TWO, 10)
    assert (outcome.mate, outcome.settled, outcome.proved) == (2, True, True)
    assert outcome.complete
    assert 0 < outcome.nodes <= outcome.nodes_total


def test_being_mated_is_found() -> None:
    outcome = find(MATED_IN_ONE, 10)
    assert (outcome.mate, outcome.settled) == (-1, True)


def test_no_mate_within_the_depth_is_none() -> None:
    outcome = find(MATE_IN_TWO, 3)
    assert (outcome.mate, outcome.settled, outcome.proved) == (None, False, False)
    assert outcome.complete


def test_a_limit_makes_an_outcome_incomplete() -> None:
    outcome = find(GLASS, 20, nodes=10_000)
    assert (outcome.mate, outcome.complete) == (None, False)


def test_the_check_extension_sees_a_mate_by_checks_at_half_the_depth() -> None:
    checks = Techniques(extension=Extension.CHECKS)
    plain, extended = (
        [format_score(row.score) for row in deepen(SMOTHERED, 4, techniques)]
        for techniques in (Techniques(), checks)
    )
    assert plain.index("M2") == 3
    assert extended.index("M2") == 1


def test_a_mate_of_forward_pruning_is_proved_before_it_is_returned() -> None:
    outcome = find(MATE_IN_TWO, 8, parse_variant("efp=on").techniques)
    assert outcome.mate == 2
    assert outcome.proved
    assert outcome.settled


def test_a_stopped_proof_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.laboratory.iterative_deepening.PROOF_NODES", 1)
    outcome = find(MATE_IN_TWO, 8, parse_variant("efp=on").techniques)
    assert outcome.mate == 2
    assert not outcome.proved
    assert not outcome.settled


@pytest.mark.parametrize(
    ("score", "moves", "word"),
    [
        (29_999, 1, "M1"),
        (29_985, 8, "M8"),
        (-30_000, 0, "-M0"),
        (-29_998, -1, "-M1"),
        (28_999, None, "28,999"),
        (-7, None, "-7"),
    ],
)
def test_scores_are_written_as_mates_or_centipawns(
    score: int, moves: int | None, word: str
) -> None:
    assert mate_distance(score) == moves
    assert format_score(score) == word


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (parse_mdp, "on"),
        (parse_extension, "checks"),
        (parse_extension, ""),
        (parse_mip, "prune+"),
        (parse_mip, "prune+black"),
        (parse_pruning, "5"),
        (parse_pruning, ""),
        (parse_pruning, "1²"),
    ],
)
def test_an_unknown_value_is_refused(read: Callable[[str], object], text: str) -> None:
    with pytest.raises(InputError, match="expected one of"):
        read(text)


def test_values_of_techniques_are_read() -> None:
    assert parse_extension("captures+promotions") == (
        Extension.CAPTURING_CHECKS | Extension.PROMOTIONS
    )
    assert parse_pruning("13") == (PrunedNodes.CUT_AND_ALL, frozenset({1, 3}))
    assert parse_pruning("all") == (PrunedNodes.ALL, frozenset())
    assert parse_pruning("on") == parse_pruning("1234")
    assert parse_pruning("off") == (PrunedNodes.NONE, frozenset())
    assert parse_mip("prune") == MipUse.PRUNING
    assert parse_mip("prune+lazy") == MipUse.PRUNING | MipUse.LAZY
    assert parse_mip("correct+reduce") == MipUse.REDUCTION | MipUse.CORRECTION
    assert parse_mip("lazy+curve") == MipUse.LAZY | MipUse.CURVE
    forms = MipUse.WHITE | MipUse.ROUNDED
    assert parse_mip("prune+lazy+white+rounded") == (
        MipUse.PRUNING | MipUse.LAZY | forms
    )
    assert parse_mip("rounded+prune+white") == MipUse.PRUNING | forms


@pytest.mark.parametrize(
    "text",
    [
        *("all", "", "off+curve", "prune+off", "prune+prune", "prune+white+white"),
        *("reduce+prune", "lazy+correct", "prune+lazy+correct", "lazy+rounded+curve"),
        *("white", "rounded+white"),
    ],
)
def test_uses_and_forms_of_the_material_table_exclude_each_other(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_mip(text)
    assert str(caught.value) == (
        "expected one of off, reduce or prune, lazy or correct, or one of each, such "
        "as prune+lazy (white, and rounded or curve, may be joined to these), "
        f"found {text!r}"
    )


def test_a_form_changes_no_search_without_the_material_table() -> None:
    rows = deepen(LOPSIDED, 4)
    assert rows == deepen(LOPSIDED, 4, Techniques(mip=MipUse.WHITE))


def test_forms_can_alternate_in_one_laboratory() -> None:
    """The words of a form are made once, and replaced when another form is searched."""
    board, laboratory = chess.Board(LOPSIDED), Laboratory()
    uses = [parse_mip(value) for value in ("lazy", "lazy+white", "lazy+curve", "lazy")]
    for use in uses:
        for seen in (board, board.mirror()):
            expected = list(Laboratory().deepen(seen, Techniques(mip=use), 3))
            assert list(laboratory.deepen(seen, Techniques(mip=use), 3)) == expected


def test_a_curve_needs_no_number_of_positions() -> None:
    few, many = (
        Techniques(mip=MipUse.LAZY, mip_positions=number) for number in (1, 2**25 - 1)
    )
    assert deepen(LOPSIDED, 3, few) != deepen(LOPSIDED, 3, many)
    curve = replace(few, mip=MipUse.LAZY | MipUse.CURVE)
    assert deepen(LOPSIDED, 3, curve) != deepen(LOPSIDED, 3)


@pytest.mark.parametrize(
    ("both", "one"),
    [
        (MipUse.REDUCTION | MipUse.PRUNING, MipUse.PRUNING),
        (MipUse.LAZY | MipUse.CORRECTION, MipUse.LAZY),
    ],
)
def test_the_search_uses_one_of_two_uses_that_exclude_each_other(
    both: MipUse, one: MipUse
) -> None:
    """This is why no value selects both."""
    rows = deepen(LOPSIDED, 5, Techniques(mip=both))
    assert rows == deepen(LOPSIDED, 5, Techniques(mip=one))
    assert rows != deepen(LOPSIDED, 5, Techniques(mip=both ^ one))


def test_a_use_at_nodes_combines_with_one_at_the_horizon() -> None:
    uses = [MipUse.PRUNING, MipUse.LAZY, MipUse.PRUNING | MipUse.LAZY]
    rows = [deepen(LOPSIDED, 5, Techniques(mip=use)) for use in uses]
    assert rows[2] not in rows[:2]


def test_the_prover_checks_each_mate_of_an_unsound_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pruned = parse_variant("efp=on").techniques
    rows = deepen(MATE_IN_TWO, 8, pruned)
    assert format_score(rows[-1].score) == "M2"
    assert all(row.proved for row in rows)
    assert [row.settled for row in rows] == [is_mate(row.score) for row in rows]
    monkeypatch.setattr("solver.laboratory.iterative_deepening.PROOF_NODES", 1)
    for row in deepen(MATE_IN_TWO, 8, pruned):
        assert row.proved == (not is_mate(row.score))
        assert not row.settled


def test_a_mate_is_shortest_from_the_depth_that_would_show_a_shorter_one() -> None:
    checks = Techniques(extension=Extension.CHECKS)
    for techniques, first in ((Techniques(), 4), (checks, 2)):
        rows = deepen(SMOTHERED, 5, techniques)
        assert [row.settled for row in rows] == [row.depth >= first for row in rows]


def test_a_failed_window_is_widened_until_it_holds_the_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laboratory = Laboratory(0)
    kernel = laboratory._kernel
    windows = []

    def search_score(
        position: PositionStruct, search: Search, experiment: Experiment
    ) -> bool:
        complete = kernel.search_score(position, search, experiment)
        windows.append((experiment.depth, experiment.alpha, experiment.beta))
        return complete

    monkeypatch.setattr(
        laboratory, "_kernel", SimpleNamespace(search_score=search_score)
    )
    lost_queen = chess.Board("7K/4q3/8/6k1/8/8/p7/8 w - - 0 1")
    scores = [row.score for row in laboratory.deepen(lost_queen, Techniques(), 2)]
    assert scores == [-1109, -1894]
    assert windows == [(1, -32_000, 32_000), (2, -1159, -1059), (2, -1909, -1893)]
