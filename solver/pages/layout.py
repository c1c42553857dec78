"""What JavaScript must know about the kernel: where fields are, and what numbers mean.

All of it is read from the ctypes structs and the enums that Python itself uses, and
from the laboratory's techniques, which pages of traces compare. Material-imbalance
pruning is left out there: its table of 264 kB would have to be in the page.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from solver import movetext
from solver.kernel.border import (
    interface,
    parts,
    query_struct,
    scored_struct,
    search_struct,
)
from solver.laboratory import iterative_deepening, techniques
from solver.play.record import KEY_FEATURES, MateMark
from solver.problem import MAX_MOVES, Stipulation
from solver.search.workspaces import BUCKET_BYTES, FIRST_BITS
from solver.stipulations import genre_of

if TYPE_CHECKING:
    from enum import IntEnum

STRUCTS = (
    search_struct.Search,
    search_struct.LoggedNode,
    query_struct.Query,
    search_struct.HelpPlay,
    scored_struct.Experiment,
)

ENUMS: tuple[type[IntEnum], ...] = (
    query_struct.Answer,
    query_struct.FenFault,
    query_struct.LineFault,
    query_struct.QueryState,
    query_struct.LevelFlag,
    query_struct.Turn,
    search_struct.HelpState,
    search_struct.LogEnd,
    search_struct.LogKind,
    search_struct.Stop,
)

STIPULATIONS = (
    *("#", "exact-#", "=", "s#", "s=", "r#", "r=", "semi-r#", "semi-r="),
    *("h#", "h=", "exact-h#", "exact-h="),
)
"""Stipulations without their number; `#` alone is the shortest mate."""


def describe_kernel() -> dict[str, Any]:
    """Return the layout of the kernel's structs, its operations and its constants.

    Returns
    -------
    dict
        Ready for JSON. A field is a list: its offset, the bytes of a number, and how
        many there are.
    """
    return {
        "structs": {struct.__name__: describe_struct(struct) for struct in STRUCTS},
        "operations": {part.name: _members(part.operations) for part in parts.PARTS},
        "enums": {enum.__name__: _members(enum) for enum in ENUMS},
        "stackTop": search_struct.STACK_TOP,
        "positionBytes": ctypes.sizeof(search_struct.PositionStruct),
        "bucketBytes": BUCKET_BYTES,
        "firstBits": FIRST_BITS,
        "noLimit": str(interface.NO_LIMIT),
        "stopped": interface.STOPPED,
        "levelShift": interface.LEVEL_SHIFT,
        "mostMoves": MAX_MOVES,
        "scoredTableBytes": iterative_deepening.DEFAULT_TABLE_ENTRIES
        * iterative_deepening.ENTRY_BYTES,
        "mateMarks": [*MateMark],
        "keyFeatures": KEY_FEATURES,
        "patterns": movetext.PATTERNS,
        "faults": {fault.name: text for fault, text in query_struct.FEN_FAULTS.items()},
    }


def describe_struct(struct: type[ctypes.Structure]) -> dict[str, Any]:
    """Return the size of a struct and the place of each of its fields."""
    fields = {}
    for name, kind in struct._fields_:  # type: ignore[misc]
        place = getattr(struct, name)
        element: Any = kind
        while issubclass(element, ctypes.Array):
            element = element._type_
        width = ctypes.sizeof(element)
        fields[name] = [place.offset, width, place.size // width]
    return {"size": ctypes.sizeof(struct), "fields": fields}


def describe_stipulations() -> list[dict[str, Any]]:
    """Return what a page must know about each stipulation, without its number."""
    return [_describe(name) for name in STIPULATIONS]


def _describe(name: str) -> dict[str, Any]:
    stipulation = Stipulation.parse(f"{name}2")
    kind = genre_of(stipulation)
    return {
        "name": name,
        "part": kind.part().name,
        "play": int(getattr(kind, "play", 0)),
        **kind.facts,
        "isStalemate": stipulation.goal == "=",
        "defenderEnds": kind.defender_ends,
    }


def _members(enum: type[IntEnum]) -> dict[str, int]:
    return {member.name: member.value for member in enum}


TECHNIQUES = {
    techniques.OFF: "no technique",
    "mdp=cpw": "mate-distance pruning",
    "mdp=upper": "mate-distance pruning, beta only",
    "mdp=lower": "mate-distance pruning, alpha only",
    "mdp=tight": "mate-distance pruning, tight",
    "mdp=vipermate": "mate-distance pruning as in ViperMate",
    "check-extension=all": "check extension",
    "check-extension=uncapped": "check extension, lines of any length",
    "check-extension=captures": "extension of capturing checks",
    "check-extension=promotions": "extension of promotions",
    "efp=cut": "null move and multi-cut at cut nodes",
    "efp=all": "null move and multi-cut at all nodes",
    "efp=none": "null move and multi-cut at cut and all nodes",
    **{f"efp={n}": f"Enhanced Forward Pruning, addition {n}" for n in "1234"},
    "efp=on": "Enhanced Forward Pruning",
}
"""Variants by their names in `table`, with their titles. The first is the basis of the
comparison."""


def experiments() -> dict[str, Any]:
    """Return the techniques to compare, and the windows of the root.

    Returns
    -------
    dict
        Ready for JSON. `fields` of a technique are those of `Experiment`; `sound` says
        whether its mates exist. `margin`, `widening` and `widest` belong to the root's
        windows, as `Laboratory` widens them.
    """
    compared = []
    for name, title in TECHNIQUES.items():
        chosen = techniques.parse_variant(name).techniques
        technique = {"name": name, "title": title, "fields": chosen.fields}
        compared.append(technique | {"sound": chosen.is_sound})
    return {
        "infinite": scored_struct.INFINITE_SCORE,
        "mate": scored_struct.MATE_SCORE,
        "mateZone": scored_struct.MATE_ZONE,
        "margin": techniques.SETTINGS.aspiration,
        "widening": iterative_deepening.WIDENING,
        "widest": iterative_deepening.WIDEST_MARGIN,
        "techniques": compared,
    }
