"""The laboratory's switches: which techniques a scored search uses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Flag, StrEnum
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from solver.errors import InputError
from solver.kernel.memory import Extension, MipUse

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = [
    "Extension",
    "ForwardPruning",
    "Mdp",
    "MipUse",
    "Techniques",
]

OFF = "off"

_Switches = TypeVar("_Switches", bound=Flag)


class Mdp(StrEnum):
    """Forms of mate-distance pruning."""

    OFF = "off"
    UPPER = "upper"
    """Only beta is lowered, to the score of mating at this node."""
    LOWER = "lower"
    """Only alpha is raised, to the score of being mated at this node."""
    CPW = "cpw"
    """Both, as the Chess Programming Wiki has it."""
    TIGHT = "tight"
    """Both, and beta to a mate on the next ply: none comes sooner."""
    VIPERMATE = "vipermate"
    """As ViperMate has it: not at the root; alpha first, beta only if alpha stood."""


ADDITIONS = frozenset({1, 2, 3, 4})
"""Of Enhanced Forward Pruning, by their numbers in the paper."""

LEAVING_OUT = MipUse.REDUCTION | MipUse.PRUNING
"""The uses that leave lines out."""


@dataclass(frozen=True, slots=True)
class ForwardPruning:
    """Null move and multi-cut, and which of EFP's provisions go with them.

    Attributes
    ----------
    all_nodes : bool
        Prune at expected all nodes too, not at expected cut nodes alone.
    additions : frozenset of int
        Which of the four additions are in force.
    null_reduction : int
        R: the null move's search is `depth - 1 - R` deep; 0: no null move.
    cuts, tries : int
        C of M: a node is cut when C of its first M moves fail high in a search 2
        plies shallower; no cuts: no multi-cut.
    """

    all_nodes: bool = True
    additions: frozenset[int] = ADDITIONS
    null_reduction: int = 2
    cuts: int = 3
    tries: int = 6


@dataclass(frozen=True, slots=True)
class Techniques:
    """What one search uses; nothing by default, which is plain PVS.

    Attributes
    ----------
    mdp : Mdp
    extension : Extension
    pruning : ForwardPruning or None
    mip : MipUse
    mip_positions : int
        Cells of the material table that hold fewer positions are not used.
    aspiration : int
        The root is searched within so many centipawns of the last iteration's score,
        and again in a wider window when that fails; 0: in the full window at once.
    """

    mdp: Mdp = Mdp.OFF
    extension: Extension = Extension.NONE
    pruning: ForwardPruning | None = None
    mip: MipUse = MipUse.NONE
    mip_positions: int = 50
    aspiration: int = 50

    @property
    def is_sound(self) -> bool:
        """Whether every mate that the search tells is there, and none is overlooked.

        Another evaluation at the horizon is no reason to doubt a mate.
        """
        return self.pruning is None and not self.mip & LEAVING_OUT


_EXTENSIONS = {
    "all": Extension.CHECKS,
    "captures": Extension.CAPTURING_CHECKS,
    "promotions": Extension.PROMOTIONS,
}
_MIP_AT_NODES = {"reduce": MipUse.REDUCTION, "prune": MipUse.PRUNING}
_MIP_AT_HORIZON = {"lazy": MipUse.LAZY, "correct": MipUse.CORRECTION}
_MIP_PAIRS = {
    f"{one}+{other}": use | another
    for first, second in (
        (_MIP_AT_NODES, _MIP_AT_HORIZON),
        (_MIP_AT_HORIZON, _MIP_AT_NODES),
    )
    for (one, use), (other, another) in product(first.items(), second.items())
}
_MIP_USES = {OFF: MipUse.NONE} | _MIP_AT_NODES | _MIP_AT_HORIZON | _MIP_PAIRS


def parse_mdp(text: str) -> Mdp:
    """Read a form of mate-distance pruning.

    Raises
    ------
    InputError
        It is none; as for the other readers here.
    """
    try:
        return Mdp(text)
    except ValueError:
        raise _unknown(text, [*Mdp]) from None


def parse_extension(text: str) -> Extension:
    """Read `off`, or words for extensions joined by `+`."""
    return _join(text, _EXTENSIONS, Extension.NONE)


def parse_mip(text: str) -> MipUse:
    """Read `off`, `reduce` or `prune`, `lazy` or `correct`, or one of each with `+`.

    Two of a kind exclude each other: a node that is pruned is not searched, so it is
    not searched less deep either, and one score replaces the evaluation at the
    horizon. The search would use one of the two, and the table would name both.
    """
    if text not in _MIP_USES:
        singles = [*_MIP_AT_NODES, *_MIP_AT_HORIZON]
        pair = "one of the first two joined to one of the last two, such as prune+lazy"
        raise _unknown(text, [OFF, *singles, f"or {pair}"])
    return _MIP_USES[text]


def parse_pruning(text: str) -> ForwardPruning | None:
    """Read a form of forward pruning.

    Parameters
    ----------
    text : str
        `off`; `cut`: expected cut nodes only, no additions, the common practice;
        `none`: cut and all nodes, no additions; digits out of 1234: with those
        additions; `on`: with all four.
    """
    match text:
        case "off":
            return None
        case "cut":
            return ForwardPruning(all_nodes=False, additions=frozenset())
        case "none":
            return ForwardPruning(additions=frozenset())
        case "on":
            return ForwardPruning()
    digits = [int(digit) if digit.isdecimal() else 0 for digit in text]
    if not digits or not ADDITIONS.issuperset(digits):
        raise _unknown(text, ["off", "cut", "none", "on", "digits out of 1234"])
    return ForwardPruning(additions=frozenset(digits))


def _join(text: str, words: dict[str, _Switches], nothing: _Switches) -> _Switches:
    if text == OFF:
        return nothing
    joined = nothing
    for word in text.split("+"):
        if word not in words:
            raise _unknown(word, [OFF, *words])
        joined |= words[word]
    return joined


def _unknown(found: str, expected: list[str]) -> InputError:
    return InputError(f"expected one of {', '.join(expected)}, found {found!r}")


# Variants of the laboratory's search that are compared: named sets of techniques.

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
