"""What the panel "Count" compares: techniques as fields of the kernel's `Experiment`.

Material-imbalance pruning is left out: its table of 264 kB would have to be in the
page.
"""

from __future__ import annotations

from typing import Any

from solver.kernel.border.experiment import INFINITE_SCORE, MATE_SCORE, MATE_ZONE
from solver.laboratory.iterative_deepening import (
    DEFAULT_TABLE_ENTRIES,
    WIDENING,
    WIDEST_MARGIN,
)
from solver.laboratory.mate_scores import MAX_DEPTH
from solver.laboratory.node_counts import GLASS_FEN, GLASS_ROWS
from solver.laboratory.techniques import OFF, SETTINGS, parse_variant

TECHNIQUES = {
    OFF: "no technique",
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
    techniques = []
    for name, title in TECHNIQUES.items():
        chosen = parse_variant(name).techniques
        technique = {"name": name, "title": title, "fields": chosen.fields}
        techniques.append(technique | {"sound": chosen.is_sound})
    return {
        "glass": GLASS_FEN,
        "depth": len(GLASS_ROWS),
        "mostDepth": MAX_DEPTH,
        "entries": DEFAULT_TABLE_ENTRIES,
        "infinite": INFINITE_SCORE,
        "mate": MATE_SCORE,
        "mateZone": MATE_ZONE,
        "margin": SETTINGS.aspiration,
        "widening": WIDENING,
        "widest": WIDEST_MARGIN,
        "techniques": techniques,
    }
