"""The laboratory's switches: which techniques a scored search uses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, StrEnum
from itertools import product
from typing import TypeVar

from solver.errors import InputError
from solver.kernel.switches import Extension, MipUse

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
