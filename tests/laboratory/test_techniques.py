from __future__ import annotations

from dataclasses import replace

import pytest

from solver.errors import InputError
from solver.kernel.border.query_struct import (
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
    NodeCount,
    Techniques,
    Variant,
    ablation,
    combine,
    conditions_of,
    parse_extension,
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
        "plain",
        "mdp=upper",
        "mdp=lower",
        "mdp=cpw",
        "mdp=tight",
        "mdp=vipermate",
        "check-extension=all",
        "check-extension=uncapped",
        "check-extension=captures",
        "check-extension=promotions",
        "efp=cut",
        "efp=all",
        "efp=none",
        "efp=on",
        "mip=reduce",
        "mip=prune",
        "mip=lazy",
        "mip=correct",
        "sound",
        "combined",
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
