"""Techniques are named, combined and refused; the mates that a depth excludes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from solver.errors import InputError
from solver.kernel.border.scored_struct import (
    Extension,
    Horizon,
    Mdp,
    MipUse,
    PrunedNodes,
    RootOrder,
)
from solver.laboratory.techniques import (
    ADDITIONS,
    Choice,
    MateBounds,
    NodeCount,
    Techniques,
    Variant,
    ablation,
    bounds_of_shortest,
    bounds_when_seen,
    combine,
    conditions_of,
    contradict,
    excludes_shorter,
    parse_extension,
    plies_of,
)

NONE = ["off"]


def names(variants: tuple[Variant, ...]) -> list[str]:
    return [variant.name for variant in variants]


def test_variants_of_one_technique_are_named_by_its_values() -> None:
    variants = combine(["off", "cpw", "tight"], NONE, NONE, NONE)
    assert names(variants) == ["off", "cpw", "tight"]
    assert [variant.techniques.mdp for variant in variants] == [
        Mdp.OFF, Mdp.CPW, Mdp.TIGHT
    ]  # fmt: skip


def test_techniques_are_combined_with_the_last_changing_fastest() -> None:
    variants = combine(["off", "cpw"], ["all"], NONE, ["off", "lazy"])
    assert names(variants) == ["off/off", "off/lazy", "cpw/off", "cpw/lazy"]
    assert variants[3].choice == Choice("cpw", "all", "off", "lazy")
    assert variants[3].techniques == Techniques(
        mdp=Mdp.CPW, extension=Extension.CHECKS, mip=MipUse.LAZY
    )


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("off", "off", "off", "off"), "plain"),
        (("cpw", "off", "off", "off"), "cpw"),
        (("tight", "all+promotions", "off", "lazy"), "tight/all+promotions/lazy"),
    ],
)
def test_a_single_variant_is_named_by_its_techniques(
    words: tuple[str, str, str, str], name: str
) -> None:
    mdp, check_extension, efp, mip = words
    (variant,) = combine([mdp], [check_extension], [efp], [mip])
    assert variant.name == name


def test_settings_reach_the_techniques() -> None:
    settings = Techniques(
        null_reduction=3, cuts=2, tries=5, mip_positions=7, aspiration=9
    )
    plain, pruned = combine(NONE, NONE, ["off", "14"], ["lazy"], settings)
    assert plain.techniques == replace(settings, mip=MipUse.LAZY)
    assert pruned.techniques == replace(
        plain.techniques,
        pruned_nodes=PrunedNodes.CUT_AND_ALL,
        additions=frozenset({1, 4}),
    )


def test_conditions_reach_every_variant() -> None:
    settings = Techniques(
        horizon=Horizon.MATE, root_order=RootOrder.NODES, count=NodeCount.CALLS
    )
    for variant in ablation(settings):
        techniques = variant.techniques
        assert (techniques.horizon, techniques.root_order, techniques.count) == (
            Horizon.MATE, RootOrder.NODES, NodeCount.CALLS
        )  # fmt: skip


@pytest.mark.parametrize(
    ("techniques", "conditions"),
    [
        (Techniques(), {}),
        (Techniques(aspiration=0), {}),
        (Techniques(horizon=Horizon.QUIESCENCE), {"horizon": "quiescence"}),
        (
            Techniques(root_order=RootOrder.GENERATED, count=NodeCount.INTERIOR),
            {"root_order": "generated", "count": "interior"},
        ),
    ],
)
def test_only_unusual_conditions_are_named(
    techniques: Techniques, conditions: dict[str, str]
) -> None:
    assert conditions_of(techniques) == conditions


@pytest.mark.parametrize("horizon", Horizon)
def test_a_mate_is_seen_at_every_horizon_but_the_static_one(horizon: Horizon) -> None:
    is_seen = horizon is not Horizon.STATIC
    seen = [Techniques(horizon=horizon).plies_seen(depth) for depth in range(4)]
    assert seen == ([-1, 1, 2, 3] if is_seen else [-1, 0, 1, 2])


def test_the_uncapped_extension_is_of_all_checks() -> None:
    assert parse_extension("uncapped") == Extension.CHECKS | Extension.UNCAPPED
    assert parse_extension("uncapped") == parse_extension("all+uncapped")
    assert parse_extension("uncapped+promotions") == (
        Extension.CHECKS | Extension.UNCAPPED | Extension.PROMOTIONS
    )


def test_default_settings_are_those_of_the_techniques() -> None:
    (variant,) = combine(["off"], ["off"], ["on"], ["off"])
    assert variant.techniques == Techniques(
        pruned_nodes=PrunedNodes.CUT_AND_ALL, additions=ADDITIONS
    )


@pytest.mark.parametrize("technique", Choice._fields)
def test_a_value_that_no_technique_has_is_refused(technique: str) -> None:
    words = dict.fromkeys(Choice._fields, NONE)
    words[technique] = ["off", "maybe"]
    with pytest.raises(InputError, match="found 'maybe'"):
        combine(**words, settings=Techniques())


def test_the_ablation_shows_each_technique_alone_and_together() -> None:
    variants = ablation()
    assert names(variants) == [
        *("plain", "mdp=upper", "mdp=lower", "mdp=cpw", "mdp=tight", "mdp=vipermate"),
        *("check-extension=all", "check-extension=uncapped"),
        *("check-extension=captures", "check-extension=promotions", "efp=cut"),
        *("efp=all", "efp=none", "efp=on", "mip=reduce", "mip=prune", "mip=lazy"),
        *("mip=correct", "sound", "combined"),
    ]
    assert variants[0].techniques == Techniques()
    assert variants[-1].choice == Choice("tight", "all+promotions", "on", "prune+lazy")
    changed = [sum(word != "off" for word in v.choice) for v in variants]
    assert changed == [0] + 17 * [1] + [2, 4]
    assert len({variant.techniques for variant in variants}) == len(variants)


def test_the_variant_named_sound_is_sound() -> None:
    sound = {v.name for v in ablation() if v.techniques.is_sound}
    assert sound == {
        "plain",
        "mip=lazy",
        "mip=correct",
        "sound",
        *(f"mdp={form}" for form in ("upper", "lower", "cpw", "tight", "vipermate")),
        *(
            f"check-extension={form}"
            for form in ("all", "uncapped", "captures", "promotions")
        ),
    }


# --- which mates a completed depth excludes, against a plain definition


MATES = range(-6, 7)


SEEN = range(-1, 14)


def test_plies_are_counted_to_the_mate() -> None:
    assert [plies_of(mate) for mate in (1, 2, 8)] == [1, 3, 15]
    assert [plies_of(mate) for mate in (0, -1, -2)] == [0, 2, 4]


@pytest.mark.parametrize("mate", MATES)
def test_shorter_mates_are_excluded_if_the_next_shorter_one_would_be_seen(
    mate: int,
) -> None:
    shorter = [
        plies_of(other)
        for other in range(-9, 10)
        if (other > 0) == (mate > 0) and plies_of(other) < plies_of(mate)
    ]
    for seen in SEEN:
        assert excludes_shorter(mate, seen) == all(plies <= seen for plies in shorter)


def is_excluded(mate: int, known: MateBounds) -> bool:
    if mate > 0:
        return mate <= known.no_mate_within
    return -mate <= known.not_mated_within


@pytest.mark.parametrize("seen", SEEN)
def test_a_search_without_a_mate_excludes_exactly_the_mates_it_would_see(
    seen: int,
) -> None:
    known = bounds_when_seen(None, seen)
    for mate in MATES:
        assert is_excluded(mate, known) == (plies_of(mate) <= seen)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("mate", MATES)
def test_a_mate_excludes_shorter_ones_that_would_be_seen_and_those_of_the_other_side(
    mate: int, seen: int
) -> None:
    known = bounds_when_seen(mate, seen)
    assert known.mate == mate
    for other in MATES:
        opposite = (other > 0) != (mate > 0)
        shorter = plies_of(other) < plies_of(mate)
        excluded = opposite or (shorter and plies_of(other) <= seen)
        assert is_excluded(other, known) == excluded


@pytest.mark.parametrize("mate", MATES)
def test_the_shortest_mate_excludes_every_shorter_one(mate: int) -> None:
    assert bounds_of_shortest(mate) == bounds_when_seen(mate, 1000)


@pytest.mark.parametrize(
    "bounds",
    [
        [],
        [bounds_when_seen(8, 15), bounds_when_seen(None, 14), bounds_when_seen(8, 13)],
        [bounds_when_seen(9, 8), bounds_when_seen(8, 15)],
        [bounds_when_seen(-3, 6), bounds_when_seen(-5, 3), bounds_when_seen(None, 5)],
        [bounds_when_seen(0, 0)],
        [MateBounds(None, 5, -1), bounds_when_seen(6, 2)],
    ],
)
def test_results_that_one_position_allows_do_not_contradict(
    bounds: list[MateBounds],
) -> None:
    assert not contradict(bounds)


@pytest.mark.parametrize(
    "bounds",
    [
        [bounds_when_seen(8, 15), bounds_when_seen(None, 15)],
        [bounds_when_seen(7, 2), bounds_when_seen(8, 13)],
        [bounds_when_seen(3, -1), bounds_when_seen(-3, -1)],
        [bounds_when_seen(-3, 6), bounds_when_seen(None, 6)],
        [bounds_when_seen(-2, 1), bounds_when_seen(-3, 6)],
        [bounds_when_seen(0, 0), bounds_when_seen(None, 0)],
        [MateBounds(None, 5, -1), bounds_when_seen(5, 2)],
    ],
)
def test_a_mate_that_another_search_excludes_contradicts_it(
    bounds: list[MateBounds],
) -> None:
    assert contradict(bounds)
    assert contradict(reversed(bounds))


def test_the_side_that_mates_is_never_mated() -> None:
    assert bounds_when_seen(4, -1).not_mated_within == math.inf
    assert bounds_when_seen(-4, -1).no_mate_within == math.inf
