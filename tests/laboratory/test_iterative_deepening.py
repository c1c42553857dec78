"""The laboratory's search, its techniques and its runner."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.errors import InputError
from solver.kernel.border.scored_struct import (
    Extension,
    Horizon,
    Mdp,
    MipUse,
    PrunedNodes,
)
from solver.laboratory.iterative_deepening import Laboratory, Runner
from solver.laboratory.techniques import (
    MAX_DEPTH,
    Choice,
    Iteration,
    MateBounds,
    Outcome,
    Techniques,
    ablation,
    bounds_of_shortest,
    bounds_when_seen,
    combine,
    contradict,
    excludes_shorter,
    format_score,
    is_mate,
    mate_distance,
    parse_extension,
    parse_mdp,
    parse_mip,
    parse_pruning,
    parse_variant,
    plies_of,
)
from solver.search.threads import Control
from solver.solution import StoppedBy
from tests import signatures

if TYPE_CHECKING:
    from collections.abc import Callable


pytestmark = pytest.mark.usefixtures("kernel")

GLASS = "8/7K/8/8/8/8/R7/7k w - - 0 1"
MATE_IN_TWO = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
"""1. Qg8+ Rxg8 2. Nf7#"""
LOPSIDED = "5R2/4B2P/3K4/8/1k6/8/8/8 w - - 0 1"
"""Many materials that can arise from it were won in every game."""

CHECKS = Techniques(extension=Extension.CHECKS)
PRUNED = parse_variant("efp=on").techniques


def deepen(
    fen: str, depth: int, techniques: Techniques | None = None, **limits: Any
) -> list[Iteration]:
    laboratory = Laboratory()
    board = chess.Board(fen)
    return list(laboratory.deepen(board, techniques or Techniques(), depth, **limits))


def find(
    fen: str, depth: int, techniques: Techniques | None = None, **limits: Any
) -> Outcome:
    laboratory, techniques = Laboratory(), techniques or Techniques()
    iterations = laboratory.deepen(chess.Board(fen), techniques, depth, **limits)
    return laboratory.find_mate(iterations, techniques, depth)


def test_glass_every_form_saves_nodes_once_the_mate_is_found() -> None:
    rows = {form: deepen(GLASS, 20, Techniques(mdp=form)) for form in Mdp}
    found = {form: (rows[form][15].nodes, rows[form][15].nodes_total) for form in Mdp}
    assert found == signatures.GLASS
    for form in Mdp:
        words = [format_score(row.score) for row in rows[form]]
        assert words[15:] == ["M8"] * 5
        assert not any(word.startswith("M") for word in words[:15])
        assert {row.move for row in rows[form][15:]} == {"h7g6"}
        assert rows[form][:15] == rows[Mdp.OFF][:15]
        if form is not Mdp.OFF:
            for plain, pruned in zip(rows[Mdp.OFF][15:], rows[form][15:], strict=True):
                assert pruned.nodes < plain.nodes
                assert pruned.nodes_total < plain.nodes_total


@pytest.mark.parametrize("margin", [0, 1, 5_000])
def test_the_root_window_changes_no_score(margin: int) -> None:
    narrow = deepen(MATE_IN_TWO, 5, Techniques(aspiration=margin))
    usual = deepen(MATE_IN_TWO, 5)
    assert [row.score for row in narrow] == [row.score for row in usual]


def test_a_finished_game_has_a_score_and_no_move() -> None:
    mated = deepen("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", 2)
    assert [(row.move, format_score(row.score)) for row in mated] == [("", "-M0")] * 2
    stalemate = deepen("k7/8/1Q6/8/8/8/8/K7 b - - 0 1", 2)
    assert [(row.move, row.score) for row in stalemate] == [("", 0)] * 2


def test_a_limit_or_a_stop_ends_the_search_after_a_complete_iteration() -> None:
    rows = deepen(GLASS, 10)
    assert deepen(GLASS, 10, nodes=rows[8].nodes_total + 1) == rows[:9]
    control = Control()
    control.stop()
    assert deepen(GLASS, 20, control=control) == []


def test_a_depth_or_a_table_out_of_range_is_refused() -> None:
    for depth in (0, MAX_DEPTH + 1):
        with pytest.raises(InputError, match=f"expected 1 to 100 plies, found {depth}"):
            deepen(GLASS, depth)
    for entries in (2, 6, 1000, -4):
        with pytest.raises(InputError, match=f"found {entries}"):
            Laboratory(entries)


def test_a_mate_is_found_and_shorter_ones_excluded() -> None:
    outcome = find(MATE_IN_TWO, 10)
    assert (outcome.mate, outcome.settled, outcome.proved) == (2, True, True)
    assert outcome.complete
    assert 0 < outcome.nodes <= outcome.nodes_total
    mated = find("k7/8/1K6/8/8/8/8/7R b - - 0 1", 10)
    assert (mated.mate, mated.settled) == (-1, True)
    none = find(MATE_IN_TWO, 3)
    assert (none.mate, none.settled, none.proved) == (None, False, False)
    assert none.complete
    limited = find(GLASS, 20, nodes=10_000)
    assert (limited.mate, limited.complete) == (None, False)


def test_the_check_extension_sees_a_mate_by_checks_at_half_the_depth() -> None:
    """A mate is the shortest from the depth that would show a shorter one."""
    for techniques, first in ((Techniques(), 4), (CHECKS, 2)):
        rows = deepen(SMOTHERED, 5, techniques)
        words = [format_score(row.score) for row in rows]
        assert words.index("M2") + 1 == first
        assert [row.settled for row in rows] == [row.depth >= first for row in rows]


def test_the_prover_checks_each_mate_of_an_unsound_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = deepen(MATE_IN_TWO, 8, PRUNED)
    assert format_score(rows[-1].score) == "M2"
    assert all(row.proved for row in rows)
    assert [row.settled for row in rows] == [is_mate(row.score) for row in rows]
    proved = find(MATE_IN_TWO, 8, PRUNED)
    assert (proved.mate, proved.proved, proved.settled) == (2, True, True)
    monkeypatch.setattr("solver.laboratory.iterative_deepening.PROOF_NODES", 1)
    for row in deepen(MATE_IN_TWO, 8, PRUNED):
        assert row.proved == (not is_mate(row.score))
        assert not row.settled
    stopped = find(MATE_IN_TWO, 8, PRUNED)
    assert (stopped.mate, stopped.proved, stopped.settled) == (2, False, False)


def test_scores_are_written_as_mates_or_centipawns() -> None:
    scores = [29_999, 29_985, -30_000, -29_998, 28_999, -7]
    assert [*map(mate_distance, scores)] == [1, 8, 0, -1, None, None]
    words = [format_score(score) for score in scores]
    assert words == ["M1", "M8", "-M0", "-M1", "28,999", "-7"]


def test_values_of_techniques_are_read_and_others_refused() -> None:
    readers: dict[Callable[[str], object], str] = {
        parse_mdp: "on",
        parse_extension: "checks,",
        parse_mip: "prune+,prune+black",
        parse_pruning: "5,,1²",
    }
    for read, texts in readers.items():
        for text in texts.split(","):
            with pytest.raises(InputError, match="expected one of"):
                read(text)
    assert parse_extension("captures+promotions") == (
        Extension.CAPTURING_CHECKS | Extension.PROMOTIONS
    )
    assert parse_pruning("13") == (PrunedNodes.CUT_AND_ALL, frozenset({1, 3}))
    assert parse_pruning("all") == (PrunedNodes.ALL, frozenset())
    assert parse_pruning("on") == parse_pruning("1234")
    assert parse_pruning("off") == (PrunedNodes.NONE, frozenset())
    assert parse_mip("prune") == MipUse.PRUNING
    assert parse_mip("correct+reduce") == MipUse.REDUCTION | MipUse.CORRECTION
    assert parse_mip("lazy+curve") == MipUse.LAZY | MipUse.CURVE
    forms = MipUse.WHITE | MipUse.ROUNDED
    assert parse_mip("prune+lazy+white+rounded") == MipUse.PRUNING | MipUse.LAZY | forms
    assert parse_mip("rounded+prune+white") == MipUse.PRUNING | forms


EXCLUDING = """
all off+curve prune+off prune+prune prune+white+white reduce+prune lazy+correct
prune+lazy+correct lazy+rounded+curve white rounded+white
"""


@pytest.mark.parametrize("text", ["", *EXCLUDING.split()])
def test_uses_and_forms_of_the_material_table_exclude_each_other(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_mip(text)
    assert str(caught.value) == (
        "expected one of off, reduce or prune, lazy or correct, or one of each, such "
        "as prune+lazy (white, and rounded or curve, may be joined to these), "
        f"found {text!r}"
    )


def test_forms_can_alternate_in_one_laboratory() -> None:
    """The words of a form are made once, and replaced when another form is searched."""
    board, laboratory = chess.Board(LOPSIDED), Laboratory()
    for value in ("lazy", "lazy+white", "lazy+curve", "lazy"):
        techniques = Techniques(mip=parse_mip(value))
        for seen in (board, board.mirror()):
            expected = list(Laboratory().deepen(seen, techniques, 3))
            assert list(laboratory.deepen(seen, techniques, 3)) == expected


BOARD = chess.Board()
MATE_IN_1 = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")


def depths_of(runner: Runner, depth: int) -> list[int]:
    return [each.depth for each in runner.deepen(BOARD, Techniques(), depth)]


def test_iterations_arrive_one_by_one_while_the_search_goes_on() -> None:
    runner = Runner(Laboratory(4))
    assert runner.nodes == 0
    iterations = runner.deepen(BOARD, Techniques(), 2)
    assert next(iterations).nodes_total == runner.nodes
    assert [each.depth for each in iterations] == [2]
    assert not runner.is_stopped()


def test_a_limit_ends_one_search_and_not_the_next() -> None:
    for runner in (
        Runner(Laboratory(), time_s=0.05),
        Runner(Laboratory(), nodes=9_000),
    ):
        reached = depths_of(runner, 90)
        assert reached == [*range(1, len(reached) + 1)]
        assert len(reached) < 90
        assert not runner.is_stopped()
        assert depths_of(runner, 2) == [1, 2]
        outcome = runner.find_mate(MATE_IN_1, Techniques(), 3)
        assert outcome is not None
        assert outcome.mate == 1


@pytest.mark.parametrize("finding", [False, True])
def test_a_stop_ends_the_running_search_and_all_later_ones(*, finding: bool) -> None:
    runner = Runner(Laboratory())
    stopper = threading.Timer(0.2, runner.stop, [StoppedBy.INTERRUPT])
    stopper.start()
    if finding:  # an answer that is cut short is not returned
        assert runner.find_mate(BOARD, Techniques(), 90) is None
    else:
        assert len(depths_of(runner, 90)) < 90
    stopper.join()
    assert runner.is_stopped()
    assert depths_of(runner, 2) == []
    assert runner.find_mate(MATE_IN_1, Techniques(), 3) is None


def test_an_error_of_a_search_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Laboratory, "deepen", fail)
    with pytest.raises(ZeroDivisionError):
        Runner(Laboratory()).find_mate(BOARD, Techniques(), 1)


NONE = ["off"]


def test_techniques_are_combined_with_the_last_changing_fastest() -> None:
    forms = combine(["off", "cpw", "tight"], NONE, NONE, NONE)
    assert [variant.name for variant in forms] == ["off", "cpw", "tight"]
    mdp = [variant.techniques.mdp for variant in forms]
    assert mdp == [Mdp.OFF, Mdp.CPW, Mdp.TIGHT]
    variants = combine(["off", "cpw"], ["all"], NONE, ["off", "lazy"])
    names = [variant.name for variant in variants]
    assert names == ["off/off", "off/lazy", "cpw/off", "cpw/lazy"]
    assert variants[3].choice == Choice("cpw", "all", "off", "lazy")
    assert variants[3].techniques == Techniques(
        mdp=Mdp.CPW, extension=Extension.CHECKS, mip=MipUse.LAZY
    )
    (single,) = combine(["tight"], ["all+promotions"], NONE, ["lazy"])
    assert single.name == "tight/all+promotions/lazy"


@pytest.mark.parametrize("horizon", Horizon)
def test_a_mate_is_seen_at_every_horizon_but_the_static_one(horizon: Horizon) -> None:
    is_seen = horizon is not Horizon.STATIC
    seen = [Techniques(horizon=horizon).plies_seen(depth) for depth in range(4)]
    assert seen == ([-1, 1, 2, 3] if is_seen else [-1, 0, 1, 2])


def test_the_uncapped_extension_is_of_all_checks() -> None:
    uncapped = Extension.CHECKS | Extension.UNCAPPED
    assert parse_extension("uncapped") == parse_extension("all+uncapped") == uncapped
    promotions = parse_extension("uncapped+promotions")
    assert promotions == uncapped | Extension.PROMOTIONS


def test_the_ablation_shows_each_technique_alone_and_together() -> None:
    variants = ablation()  # tests of `matesolve table` have all names
    assert variants[0].techniques == Techniques()
    assert variants[-1].choice == Choice("tight", "all+promotions", "on", "prune+lazy")
    changed = [sum(word != "off" for word in v.choice) for v in variants]
    assert changed == [0] + 17 * [1] + [2, 4]
    assert len({variant.techniques for variant in variants}) == len(variants)
    unsound = {variant.name for variant in variants if not variant.techniques.is_sound}
    efp = {f"efp={nodes}" for nodes in ("cut", "all", "none", "on")}
    assert unsound == {"combined", "mip=reduce", "mip=prune", *efp}


# --- which mates a completed depth excludes, against a plain definition


MATES = range(-6, 7)
SEEN = range(-1, 14)


def test_plies_are_counted_to_the_mate() -> None:
    assert [plies_of(mate) for mate in (1, 2, 8)] == [1, 3, 15]
    assert [plies_of(mate) for mate in (0, -1, -2)] == [0, 2, 4]


def is_excluded(mate: int, known: MateBounds) -> bool:
    if mate > 0:
        return mate <= known.no_mate_within
    return -mate <= known.not_mated_within


@pytest.mark.parametrize("mate", MATES)
def test_a_mate_excludes_shorter_ones_that_would_be_seen_and_those_of_the_other_side(
    mate: int,
) -> None:
    shorter = [
        other
        for other in range(-9, 10)
        if (other > 0) == (mate > 0) and plies_of(other) < plies_of(mate)
    ]
    assert bounds_of_shortest(mate) == bounds_when_seen(mate, 1000)
    for seen in SEEN:
        found = [plies_of(other) <= seen for other in shorter]
        assert excludes_shorter(mate, seen) == all(found)
        assert is_excluded(mate, bounds_when_seen(None, seen)) == (
            plies_of(mate) <= seen
        )
        known = bounds_when_seen(mate, seen)
        assert known.mate == mate
        for other in MATES:
            opposite = (other > 0) != (mate > 0)
            shown = other in shorter and plies_of(other) <= seen
            assert is_excluded(other, known) == (opposite or shown)


def test_the_side_that_mates_is_never_mated() -> None:
    assert bounds_when_seen(4, -1).not_mated_within == math.inf
    assert bounds_when_seen(-4, -1).no_mate_within == math.inf


SEEN_8 = bounds_when_seen(8, 15)
ALLOWED = [
    [],
    [SEEN_8, bounds_when_seen(None, 14), bounds_when_seen(8, 13)],
    [bounds_when_seen(9, 8), SEEN_8],
    [bounds_when_seen(-3, 6), bounds_when_seen(-5, 3), bounds_when_seen(None, 5)],
    [bounds_when_seen(0, 0)],
    [MateBounds(None, 5, -1), bounds_when_seen(6, 2)],
]
EXCLUDED = [
    [SEEN_8, bounds_when_seen(None, 15)],
    [bounds_when_seen(7, 2), bounds_when_seen(8, 13)],
    [bounds_when_seen(3, -1), bounds_when_seen(-3, -1)],
    [bounds_when_seen(-3, 6), bounds_when_seen(None, 6)],
    [bounds_when_seen(-2, 1), bounds_when_seen(-3, 6)],
    [bounds_when_seen(0, 0), bounds_when_seen(None, 0)],
    [MateBounds(None, 5, -1), bounds_when_seen(5, 2)],
]


@pytest.mark.parametrize("bounds", [*ALLOWED, *EXCLUDED])
def test_a_mate_that_another_search_excludes_contradicts_it(
    bounds: list[MateBounds],
) -> None:
    assert contradict(bounds) == (bounds in EXCLUDED)
    assert contradict(reversed(bounds)) == (bounds in EXCLUDED)
