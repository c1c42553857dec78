"""Node counts drawn: nodes by depth, a line a variant.

Loading this module loads matplotlib, which the extra `plot` installs.
"""

from __future__ import annotations

import logging
from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING

from solver.files import open_whole
from solver.laboratory.glass import glass_row

# It warns where it cannot keep settings or fonts; the plot is the same without them.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

import matplotlib as mpl  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402

if TYPE_CHECKING:
    import os

    from solver.laboratory.comparison import Ladder

_SIZE_INCHES = (8.0, 5.0)
_DOTS_PER_INCH = 150
_STYLES = ("-", "--", "-.")
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
"""Told apart by all eyes, after Okabe and Ito."""

_FIRST_WIDTH, _WIDTH = 3.5, 1.5

_LARGEST_LEGEND = 12
"""More lines have their names in small print."""


def plot_ladder(ladder: Ladder, path: str | os.PathLike[str]) -> None:
    """Draw one position's nodes until the principal variation, on a log scale.

    With one version of matplotlib, the same counts give the same file.

    Parameters
    ----------
    ladder : Ladder
    path : str or PathLike
        Where to write; its suffix tells the format, such as `.png` or `.svg`.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else None
    # Without a salt of ours an SVG's parts have other names each time.
    with mpl.rc_context({"svg.hashsalt": "matesolve", "svg.fonttype": "none"}):
        figure = _draw(ladder)
        with open_whole(path) as file:
            figure.savefig(file, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)


def _draw(ladder: Ladder) -> Figure:
    figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
    axes = figure.add_subplot()
    looks = cycle(product(_STYLES, _COLOURS))
    for series, (style, colour) in zip(ladder.series, looks, strict=False):
        axes.plot(
            [iteration.depth for iteration in series.iterations],
            # A game that is over has no nodes, and a log scale no place for that.
            [max(iteration.nodes, 1) for iteration in series.iterations],
            linestyle=style,
            # Others lie on the first one's line until they part from it.
            linewidth=_FIRST_WIDTH if series is ladder.series[0] else _WIDTH,
            color=colour,
            label=series.variant.name,
        )
    glass = [row for depth in ladder.depths if (row := glass_row(ladder.fen, depth))]
    if glass:
        depths = [row.depth for row in glass]
        for name, nodes, colour in (
            ("Glass off", [row.off for row in glass], "black"),
            ("Glass on", [row.on for row in glass], "grey"),
        ):
            axes.plot(depths, nodes, linestyle=":", color=colour, label=name)
    axes.set_yscale("log")
    axes.set_title(ladder.fen, fontsize="medium")
    axes.set_xlabel("depth (plies)")
    axes.set_ylabel("nodes until the principal variation was found")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.grid(visible=True, alpha=0.3)
    crowded = len(axes.lines) > _LARGEST_LEGEND
    axes.legend(fontsize="x-small" if crowded else "small", frameon=False)
    return figure
