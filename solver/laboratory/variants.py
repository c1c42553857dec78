"""Variants of the laboratory's search that are compared: named sets of techniques."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from solver.laboratory.techniques import (
    OFF,
    ForwardPruning,
    Techniques,
    parse_extension,
    parse_mdp,
    parse_mip,
    parse_pruning,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAIN = "plain"
"""The name of a search without any technique."""

SOUND = "sound"
COMBINED = "combined"
"""Names of an ablation's searches that use several techniques."""


class Choice(NamedTuple):
    """One word for each technique, as `solver.laboratory.techniques` reads them."""

    mdp: str = OFF
    check_extension: str = OFF
    efp: str = OFF
    mip: str = OFF


@dataclass(frozen=True, slots=True)
class Settings:
    """Numbers that all variants share.

    Attributes
    ----------
    null_reduction : int
        R of the null move, where there is forward pruning.
    cuts, tries : int
        C and M of multi-cut, likewise.
    mip_positions : int
        Positions that a cell of the material table must hold to be used.
    aspiration : int
        Half the width of the root's window, in centipawns; 0: no bounds.
    """

    null_reduction: int = ForwardPruning().null_reduction
    cuts: int = ForwardPruning().cuts
    tries: int = ForwardPruning().tries
    mip_positions: int = Techniques().mip_positions
    aspiration: int = Techniques().aspiration


@dataclass(frozen=True, slots=True)
class Variant:
    """A search to be compared with others.

    Attributes
    ----------
    name : str
        Unlike those of the others.
    choice : Choice
        How the user says it.
    techniques : Techniques
        What it means.
    """

    name: str
    choice: Choice
    techniques: Techniques


def combine(
    mdp: Sequence[str],
    check_extension: Sequence[str],
    efp: Sequence[str],
    mip: Sequence[str],
    settings: Settings,
) -> tuple[Variant, ...]:
    """Make a variant of each combination.

    Parameters
    ----------
    mdp, check_extension, efp, mip : sequence of str
        Words for each technique, at least one and none twice.
    settings : Settings

    Returns
    -------
    tuple of Variant
        The last technique changes first. A name joins, by `/`, the words of those
        techniques that have several; where none has, the words that are not `off`.

    Raises
    ------
    InputError
        A word is none of its technique's.
    """
    several = [len(words) > 1 for words in (mdp, check_extension, efp, mip)]
    variants = []
    for words in product(mdp, check_extension, efp, mip):
        if any(several):
            told = [word for word, vary in zip(words, several, strict=True) if vary]
        else:
            told = [word for word in words if word != OFF]
        variants.append(_make("/".join(told) or PLAIN, Choice(*words), settings))
    return tuple(variants)


def ablation(settings: Settings) -> tuple[Variant, ...]:
    """Make the variants that show what each technique does by itself.

    Returns
    -------
    tuple of Variant
        The plain search; each form of each technique alone; `sound`: those together
        that invent no mate; `combined`: a form of each technique together. Of MIP that
        is two uses; the other two would go where these have gone, see `parse_mip`.
    """
    alone = [
        *(Choice(mdp=word) for word in ("upper", "lower", "cpw", "tight", "vipermate")),
        *(Choice(check_extension=word) for word in ("all", "captures", "promotions")),
        *(Choice(efp=word) for word in ("cut", "none", "on")),
        *(Choice(mip=word) for word in ("reduce", "prune", "lazy", "correct")),
    ]
    return (
        _make(PLAIN, Choice(), settings),
        *(_make(" ".join(options_of(choice)), choice, settings) for choice in alone),
        _make(SOUND, Choice("tight", "all"), settings),
        _make(
            COMBINED, Choice("tight", "all+promotions", "on", "prune+lazy"), settings
        ),
    )


def options_of(choice: Choice) -> list[str]:
    """Name the techniques of a choice by the options that choose them."""
    return [
        f"{field.replace('_', '-')}={word}"
        for field, word in choice._asdict().items()
        if word != OFF
    ]


def _make(name: str, choice: Choice, settings: Settings) -> Variant:
    pruning = parse_pruning(choice.efp)
    if pruning:
        pruning = replace(
            pruning,
            null_reduction=settings.null_reduction,
            cuts=settings.cuts,
            tries=settings.tries,
        )
    techniques = Techniques(
        mdp=parse_mdp(choice.mdp),
        extension=parse_extension(choice.check_extension),
        pruning=pruning,
        mip=parse_mip(choice.mip),
        mip_positions=settings.mip_positions,
        aspiration=settings.aspiration,
    )
    return Variant(name, choice, techniques)
