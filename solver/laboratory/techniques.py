"""The techniques of the laboratory, and the mate scores that they find."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Flag, StrEnum
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from solver.errors import InputError, refuse
from solver.kernel.border import scored_struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# --------------------------------------------------------------------------------------
# The techniques of the laboratory's search, and the variants to compare.
#
# A value such as `cpw` or `prune+lazy` chooses a technique, as on the command line. A
# variant is a search with one value for each technique.

ALPHA_BETA, PROOF_NUMBER, CERTIFICATE = "alpha-beta", "proof-number", "certificate"
SEARCHES = (ALPHA_BETA, PROOF_NUMBER, CERTIFICATE)
"""The searches that can be traced."""

EXTENSION = "extension"
ENDS = {
    ALPHA_BETA: {
        "mate-distance": "mdp=cpw",
        "null-move": "efp=on",
        "multi-cut": "efp=on",
        "material": "mip=prune",
        EXTENSION: "check-extension=all",
        **dict.fromkeys(("beta", "table", "mate", "stalemate"), "mdp=cpw"),
    },
    PROOF_NUMBER: dict.fromkeys(("threshold", "proved", "disproved"), ""),
}
"""What a trace can look for: how a node ends, or `EXTENSION`, a move that costs no
depth. The values are variants that can cause it."""

OFF = "off"

_Flags = TypeVar("_Flags", bound=Flag)


class NodeCount(StrEnum):
    """What counts as a node in the output; limits always count moves made."""

    MOVES = "moves"
    """A move made; a move that is searched again counts once."""
    CALLS = "calls"
    """A call of the search function: for the root, a move, or a move again."""
    INTERIOR = "interior"
    """A position whose moves are generated, above the horizon."""
    AGAIN = "again"
    """A move that is searched again, because it has failed high in its null window."""


ADDITIONS = frozenset({1, 2, 3, 4})
"""The additions of Enhanced Forward Pruning, numbered as in the paper."""

UNSOUND_USES = scored_struct.MipUse.REDUCTION | scored_struct.MipUse.PRUNING
"""The uses that skip lines."""


@dataclass(frozen=True, slots=True)
class Techniques:
    """The techniques of one search; by default none, which is plain PVS.

    Attributes
    ----------
    mdp : Mdp
    extension : Extension
    pruned_nodes : PrunedNodes
        Where forward pruning tries the null move and multi-cut.
    additions : frozenset of int
        Which of the four additions of Enhanced Forward Pruning are used.
    null_reduction : int
        R: the null move is searched to `depth - 1 - R`; 0: no null move.
    cuts, tries : int
        C of M: a node is cut if C of its first M moves fail high in a search 2 plies
        shallower; 0 cuts: no multi-cut.
    mip : MipUse
    mip_positions : int
        Cells of the material table with fewer positions are not used. With
        `MipUse.CURVE`, the N of the curve.
    aspiration : int
        The root is searched within so many centipawns of the last iteration's score,
        and again in a wider window if that fails; 0: in the full window.
    horizon : Horizon
    root_order : RootOrder
    count : NodeCount
    """

    mdp: scored_struct.Mdp = scored_struct.Mdp.OFF
    extension: scored_struct.Extension = scored_struct.Extension.NONE
    pruned_nodes: scored_struct.PrunedNodes = scored_struct.PrunedNodes.NONE
    additions: frozenset[int] = frozenset()
    null_reduction: int = 2
    cuts: int = 3
    tries: int = 6
    mip: scored_struct.MipUse = scored_struct.MipUse.NONE
    mip_positions: int = 50
    aspiration: int = 50
    horizon: scored_struct.Horizon = scored_struct.Horizon.STATIC
    root_order: scored_struct.RootOrder = scored_struct.RootOrder.SEARCH
    count: NodeCount = NodeCount.MOVES

    def plies_seen(self, depth: int) -> int:
        """Return the last ply on which a search of that depth sees a mate.

        This is the horizon if it is searched, or else one ply above it.
        """
        sees_horizon = depth and self.horizon is not scored_struct.Horizon.STATIC
        return depth if sees_horizon else depth - 1

    @property
    def is_sound(self) -> bool:
        """Whether the search finds only mates that exist, and misses none.

        The uses of MIP at the horizon change evaluations, not mates.
        """
        return not (self.pruned_nodes or self.mip & UNSOUND_USES)

    @property
    def has_plain_horizon(self) -> bool:
        """Whether the score at the horizon is the evaluation and nothing else."""
        uses = scored_struct.MipUse.LAZY | scored_struct.MipUse.CORRECTION
        return self.horizon is scored_struct.Horizon.STATIC and not self.mip & uses

    @property
    def fields(self) -> dict[str, int]:
        """The fields of an `Experiment` that choose them, by name."""
        return {
            "mdp": int(self.mdp),
            "extension": self.extension.value,
            "pruned_nodes": int(self.pruned_nodes),
            "null_reduction": self.null_reduction,
            "cuts": self.cuts,
            "tries": self.tries,
            "additions": sum(1 << number for number in self.additions),
            "mip": self.mip.value,
            "is_plain_horizon": int(self.has_plain_horizon),
            "mip_positions": self.mip_positions,
            "horizon": int(self.horizon),
            "root_order": int(self.root_order),
        }


_EXTENSIONS = {
    "all": scored_struct.Extension.CHECKS,
    "captures": scored_struct.Extension.CAPTURING_CHECKS,
    "promotions": scored_struct.Extension.PROMOTIONS,
    "uncapped": scored_struct.Extension.CHECKS | scored_struct.Extension.UNCAPPED,
}
_MIP = {
    "reduce": scored_struct.MipUse.REDUCTION,
    "prune": scored_struct.MipUse.PRUNING,
    "lazy": scored_struct.MipUse.LAZY,
    "correct": scored_struct.MipUse.CORRECTION,
    "white": scored_struct.MipUse.WHITE,
    "rounded": scored_struct.MipUse.ROUNDED,
    "curve": scored_struct.MipUse.CURVE,
}
_MIP_APART = ({"reduce", "prune"}, {"lazy", "correct"}, {"rounded", "curve"})
"""At most one of each of these may be used. The first four are uses, the others
forms."""


_PRUNED = {
    "off": scored_struct.PrunedNodes.NONE,
    "cut": scored_struct.PrunedNodes.CUT,
    "all": scored_struct.PrunedNodes.ALL,
    "none": scored_struct.PrunedNodes.CUT_AND_ALL,
    "on": scored_struct.PrunedNodes.CUT_AND_ALL,
}


def parse_mdp(text: str) -> scored_struct.Mdp:
    """Read a form of mate-distance pruning.

    Raises
    ------
    InputError
        If there is no such form. The other functions here raise it likewise.
    """
    forms = {form.name.lower(): form for form in scored_struct.Mdp}
    if text not in forms:
        raise _unknown(text, [*forms])
    return forms[text]


def parse_extension(text: str) -> scored_struct.Extension:
    """Read `off`, or names of extensions joined by `+`.

    `uncapped` removes the cap from all extensions that it is joined to.
    """
    return _join(text, _EXTENSIONS, scored_struct.Extension.NONE)


def parse_mip(text: str) -> scored_struct.MipUse:
    """Read `off`, `reduce` or `prune`, `lazy` or `correct`, or one of each with `+`.

    The two uses at a node cannot be combined, since a pruned node is not searched at
    all; nor can the two uses at the horizon, since one score replaces the evaluation. A
    use may be joined with `white`, and with `rounded` or `curve`, which also rounds.
    """
    parts = set(text.split("+"))
    at_node, at_horizon, forms = (parts & apart for apart in _MIP_APART)
    is_one_each = all(len(share) <= 1 for share in (at_node, at_horizon, forms))
    is_known = _MIP.keys() >= parts and text.count("+") == len(parts) - 1
    if text != OFF and not (is_known and is_one_each and at_node | at_horizon):
        uses = "reduce or prune, lazy or correct, or one of each, such as prune+lazy"
        also = "white, and rounded or curve, may be joined to these"
        raise _unknown(text, [OFF, f"{uses} ({also})"])
    return _join(text, _MIP, scored_struct.MipUse.NONE)


def parse_pruning(text: str) -> tuple[scored_struct.PrunedNodes, frozenset[int]]:
    """Read a form of forward pruning: the nodes, and the additions.

    `off`; `cut`: expected cut nodes only, no additions (common practice); `all`:
    expected all nodes only, no additions; `none`: cut and all nodes, no additions;
    digits out of 1234: with those additions; `on`: with all four.
    """
    if text in _PRUNED:
        return _PRUNED[text], ADDITIONS if text == "on" else frozenset()
    digits = [int(digit) if digit.isdecimal() else 0 for digit in text]
    if not digits or not ADDITIONS.issuperset(digits):
        raise _unknown(text, [*_PRUNED, "digits out of 1234"])
    return scored_struct.PrunedNodes.CUT_AND_ALL, frozenset(digits)


def _join(text: str, values: dict[str, _Flags], nothing: _Flags) -> _Flags:
    if text == OFF:
        return nothing
    joined = nothing
    for value in text.split("+"):
        if value not in values:
            raise _unknown(value, [OFF, *values])
        joined |= values[value]
    return joined


def _unknown(found: str, expected: list[str]) -> InputError:
    return InputError(f"expected one of {', '.join(expected)}, found {found!r}")


SETTINGS = Techniques()
"""The defaults of the settings that all variants share."""

PLAIN = "plain"
"""The name of the variant without techniques."""

SOUND = "sound"
COMBINED = "combined"
"""The names of an ablation's variants with several techniques."""


_ALONE = (
    ("mdp", ("upper", "lower", "cpw", "tight", "vipermate")),
    ("check_extension", ("all", "uncapped", "captures", "promotions")),
    ("efp", ("cut", "all", "none", "on")),
    ("mip", ("reduce", "prune", "lazy", "correct")),
)
"""The values of each technique that an ablation shows alone."""


class Choice(NamedTuple):
    """One value for each technique, as the user writes it."""

    mdp: str = OFF
    check_extension: str = OFF
    efp: str = OFF
    mip: str = OFF


@dataclass(frozen=True, slots=True)
class Variant:
    """A named search to compare with others.

    Attributes
    ----------
    name : str
        Unique among the variants of a comparison.
    choice : Choice
        The techniques as the user writes them.
    techniques : Techniques
        The techniques themselves.
    """

    name: str
    choice: Choice
    techniques: Techniques


def combine(
    mdp: Sequence[str],
    check_extension: Sequence[str],
    efp: Sequence[str],
    mip: Sequence[str],
    settings: Techniques = SETTINGS,
) -> tuple[Variant, ...]:
    """Make a variant of each combination of values.

    Parameters
    ----------
    mdp, check_extension, efp, mip : sequence of str
        The values of each technique, at least one and none twice.
    settings : Techniques
        What all variants share: all that is not chosen by a value. The other functions
        here have it likewise.

    Returns
    -------
    tuple of Variant
        The last technique changes fastest. A name joins, with `/`, the values of the
        techniques that have several; if none has, the values other than `off`.

    Raises
    ------
    InputError
        If a technique has no such value.
    """
    several = [len(values) > 1 for values in (mdp, check_extension, efp, mip)]
    variants = []
    for values in product(mdp, check_extension, efp, mip):
        if any(several):
            named = [value for value, vary in zip(values, several, strict=True) if vary]
        else:
            named = [value for value in values if value != OFF]
        variants.append(_make("/".join(named) or PLAIN, Choice(*values), settings))
    return tuple(variants)


def parse_variant(text: str, settings: Techniques = SETTINGS) -> Variant:
    """Read a variant such as `check-extension=all,mdp=tight`; `off`: no technique.

    Raises
    ------
    InputError
        If there is no such technique or value, or a technique occurs twice.
    """
    values: dict[str, str] = {}
    for part in [] if text == OFF else text.split(","):
        name, _, value = part.strip().partition("=")
        field = name.replace("-", "_")
        if field not in Choice._fields or "_" in name:
            names = [field.replace("_", "-") for field in Choice._fields]
            raise _unknown(name, [OFF, *(f"{name}=VALUE" for name in names)])
        if field in values:
            refuse("expected each technique once", f"{name!r} twice")
        values[field] = value
    choice = Choice(**values)
    return _make(",".join(options_of(choice)) or OFF, choice, settings)


def ablation(settings: Techniques = SETTINGS) -> tuple[Variant, ...]:
    """Make the variants that show the effect of each technique alone.

    Returns
    -------
    tuple of Variant
        The plain search; each form of each technique alone; `sound`: the sound
        techniques together; `combined`: one form of each technique together, with one
        of MIP's uses at a node and one at the horizon (see `parse_mip`).
    """
    alone = [Choice(**{name: value}) for name, values in _ALONE for value in values]
    return (
        _make(PLAIN, Choice(), settings),
        *(_make(" ".join(options_of(choice)), choice, settings) for choice in alone),
        _make(SOUND, Choice("tight", "all"), settings),
        _make(
            COMBINED, Choice("tight", "all+promotions", "on", "prune+lazy"), settings
        ),
    )


def options_of(choice: Choice) -> list[str]:
    """Return the techniques of a choice as options: `mdp=cpw`."""
    return [
        f"{field.replace('_', '-')}={value}"
        for field, value in choice._asdict().items()
        if value != OFF
    ]


def conditions_of(techniques: Techniques) -> dict[str, str]:
    """Return the conditions of a search that are not the default, as options."""
    default = Techniques()
    return {
        name: getattr(techniques, name).name.lower()
        for name in ("horizon", "root_order", "count")
        if getattr(techniques, name) is not getattr(default, name)
    }


def _make(name: str, choice: Choice, settings: Techniques) -> Variant:
    pruned_nodes, additions = parse_pruning(choice.efp)
    techniques = replace(
        settings,
        mdp=parse_mdp(choice.mdp),
        extension=parse_extension(choice.check_extension),
        pruned_nodes=pruned_nodes,
        additions=additions,
        mip=parse_mip(choice.mip),
    )
    return Variant(name, choice, techniques)


# --------------------------------------------------------------------------------------
# What the laboratory's search returns, and what that proves about mates.
#
# A score is from the point of view of the side to move: centipawns, or a mate. A mate
# on ply `p` is worth `MATE_SCORE - p` to the side that gives it, so the sooner one is
# worth more.
#
# A mate in n moves takes 2n - 1 plies, and being mated in n moves takes 2n. The search
# finds a mate at a node without a legal move above its horizon: the former from depth
# 2n on, the latter from depth 2n + 1. With a mate test at the horizon it finds both one
# ply earlier (`Techniques.plies_seen`). So a completed depth also shows which mates do
# not exist (`MateBounds`).

MAX_DEPTH = 100
"""The deepest iteration, in plies."""

DEEPEST = 20
"""Without a depth, the last iteration unless a mate is found before."""

PLIES_AFTER = 4
"""Without a depth, a comparison goes this much deeper than the mate."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of a search; node counts are sums from the first iteration.

    Attributes
    ----------
    depth : int
        Plies searched in full.
    score : int
        For the side to move, in centipawns or as a mate score.
    move : str
        The first move of the principal variation in UCI notation; empty if the game is
        over.
    nodes : int
        Nodes until the principal variation was found: until the root's move raised
        alpha.
    nodes_total : int
        Nodes until the end of the iteration, without the prover's.
    proved : bool
        The score is reliable: the search is sound, the score is no mate, or the prover
        confirmed the mate.
    settled : bool
        The score is a mate and no shorter one exists, by the depth of a sound search or
        else by the prover.
    """

    depth: int
    score: int
    move: str
    nodes: int
    nodes_total: int
    proved: bool = True
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one variant on one problem.

    Attributes
    ----------
    mate : int or None
        Moves to mate; negative when the side to move is mated. None: no mate was found
        within the depth or the limits.
    settled : bool
        No shorter mate exists, by the depth of a sound search or else by the prover.
    proved : bool
        The mate exists: the search is sound, or the prover confirmed it.
    nodes : int
        Nodes until that mate was found.
    nodes_total : int
        All nodes, without the prover's.
    complete : bool
        No limit stopped the search.
    """

    mate: int | None
    settled: bool
    proved: bool
    nodes: int
    nodes_total: int
    complete: bool


def is_mate(score: int) -> bool:
    """Whether a score is a mate."""
    return abs(score) >= scored_struct.MATE_ZONE


def mate_distance(score: int) -> int | None:
    """Return the moves to mate: negative if the side to move is mated, None if no mate.

    Notes
    -----
    Being mated already is 0.
    """
    if not is_mate(score):
        return None
    plies = scored_struct.MATE_SCORE - abs(score)
    return (plies + 1) // 2 if score > 0 else -(plies // 2)


def format_mate(mate: int) -> str:
    """Write `M8` for a mate in 8 moves, `-M8` for being mated."""
    return f"M{mate}" if mate > 0 else f"-M{-mate}"


def format_score(score: int) -> str:
    """Write a mate, else centipawns."""
    mate = mate_distance(score)
    return f"{score:,}" if mate is None else format_mate(mate)


def score_value(score: int) -> int | str:
    """Return a score for a record: centipawns, or a mate such as `M8`."""
    return format_score(score) if is_mate(score) else score


def plies_of(mate: int) -> int:
    """Return the plies to a mate in moves; at most 0 if the side to move is mated."""
    return 2 * mate - 1 if mate > 0 else -2 * mate


def excludes_shorter(mate: int, plies_seen: int) -> bool:
    """Whether a full search that finds mates within these plies excludes shorter ones.

    Mates of one side are two plies apart.
    """
    return plies_seen >= plies_of(mate) - 2


class MateBounds(NamedTuple):
    """What is known about a position's mates.

    Attributes
    ----------
    mate : int or None
        Moves to a mate that exists; negative, or 0, when the side to move is mated.
    no_mate_within, not_mated_within : float
        The side to move does not mate, and is not mated, within so many moves;
        infinite: never.
    """

    mate: int | None
    no_mate_within: float
    not_mated_within: float


def bounds_when_seen(mate: int | None, plies_seen: int) -> MateBounds:
    """Return what a sound search proves once it has completed a depth.

    Parameters
    ----------
    mate : int or None
        The mate that it found.
    plies_seen : int
        The plies on which that depth sees mates; -1: only the mate is known.
    """
    given, suffered = (plies_seen + 1) // 2, plies_seen // 2
    if mate is None:
        return MateBounds(None, given, suffered)
    if mate > 0:
        return MateBounds(mate, min(given, mate - 1), math.inf)
    return MateBounds(mate, math.inf, min(suffered, -mate - 1))


def bounds_of_shortest(mate: int) -> MateBounds:
    """Return what is known if a mate is the shortest."""
    return bounds_when_seen(mate, plies_of(mate))


def contradict(results: Iterable[MateBounds]) -> bool:
    """Whether a mate of one result is excluded by another."""
    results = list(results)
    no_mate_within = max((result.no_mate_within for result in results), default=0)
    not_mated_within = max((result.not_mated_within for result in results), default=-1)
    return any(
        mate <= no_mate_within if mate > 0 else -mate <= not_mated_within
        for result in results
        if (mate := result.mate) is not None
    )
