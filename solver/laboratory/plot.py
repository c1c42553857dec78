"""Plots of node counts: nodes by depth, one line per variant.

Loading this module loads matplotlib, which the extra `plot` installs.
"""

from __future__ import annotations

import logging
from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING

from solver.files import open_whole
from solver.laboratory.comparison import glass_row

# Warnings about settings or fonts that cannot be cached do not affect the plot.
logging.getLogger("matplotlib").setLevel(logging.ERROR)

import matplotlib as mpl  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402

if TYPE_CHECKING:
    import os

    from solver.laboratory.comparison import PositionCounts

_SIZE_INCHES = (8.0, 5.0)
_DOTS_PER_INCH = 150
_STYLES = ("-", "--", "-.")
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
"""Okabe and Ito's palette, which colour-blind readers can distinguish."""

_FIRST_WIDTH, _WIDTH = 3.5, 1.5

_LARGEST_LEGEND = 12
"""A legend with more lines has small print."""


def plot_position(counts: PositionCounts, path: str | os.PathLike[str]) -> None:
    """Plot one position's nodes until the principal variation, on a log scale.

    With the same version of matplotlib, the same counts give the same file.

    Parameters
    ----------
    counts : PositionCounts
    path : str or PathLike
        The file to write. Its suffix chooses the format, such as `.png` or `.svg`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    metadata = {"Date": None} if kind == "svg" else None
    # Without a fixed salt, the ids in an SVG are random.
    with mpl.rc_context({"svg.hashsalt": "matesolve", "svg.fonttype": "none"}):
        figure = _draw(counts)
        with open_whole(path) as file:
            figure.savefig(file, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)


def _draw(counts: PositionCounts) -> Figure:
    figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
    axes = figure.add_subplot()
    looks = cycle(product(_STYLES, _COLOURS))
    for series, (style, colour) in zip(counts.series, looks, strict=False):
        axes.plot(
            [iteration.depth for iteration in series.iterations],
            # A finished game has no nodes, and a log scale has no 0.
            [max(iteration.nodes, 1) for iteration in series.iterations],
            linestyle=style,
            # Other lines lie on the first one until they diverge.
            linewidth=_FIRST_WIDTH if series is counts.series[0] else _WIDTH,
            color=colour,
            label=series.variant.name,
        )
    glass = [row for depth in counts.depths if (row := glass_row(counts.fen, depth))]
    if glass:
        depths = [row.depth for row in glass]
        for name, nodes, colour in (
            ("Glass off", [row.off for row in glass], "black"),
            ("Glass on", [row.on for row in glass], "grey"),
        ):
            axes.plot(depths, nodes, linestyle=":", color=colour, label=name)
    axes.set_yscale("log")
    axes.set_title(counts.fen, fontsize="medium")
    axes.set_xlabel("depth (plies)")
    axes.set_ylabel("nodes until the principal variation was found")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.grid(visible=True, alpha=0.3)
    crowded = len(axes.lines) > _LARGEST_LEGEND
    axes.legend(fontsize="x-small" if crowded else "small", frameon=False)
    return figure
