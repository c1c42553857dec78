"""Charts of explanation pages, drawn from the tables of the same pages.

usage: python -m tools.charts

Writes docs/explanation/images, for light and for dark pages.
"""

from __future__ import annotations

from typing import Any

from tools.samples import ROOT

PAGES = ROOT / "docs" / "explanation"
SCHEMES = {
    "": ("#1d1f23", ("#0072b2", "#e69f00", "#a3a8b1")),
    "-dark": ("#e8e6e1", ("#56b4e9", "#e69f00", "#6b7280")),
}
"""For light and for dark pages: the colour of words, and those of a bar's parts."""

GAINS = {
    "Mate-in-one test without making moves": ("generate all", 1, "checks only, ", 1),
    "Checks and captures first": ("+ the same, only", 1, "+ replies: captures", 1),
    "Remembered replies first": ("plain", 1, "remembered replies", 1),
    "One reply tried on all attacks": ("as it was", 1, "+ the first reply", 1),
    "Table entries prefetched": ("table entries of", 2, "all children's", 2),
    "First proof numbers from replies": ("", 1, "seed 5, reporting half", 4),
    "Learnt first proof numbers": ("", 1, "reporting half, seed 5", 3),
    "Self-mates: checks first": ("replies: quiet ones", 3, "as it is", 3),
    "Self-mates: last moves not all made": ("attacks of the last", 3, "as it is", 3),
    "Help play: final positions first": ("h#4 without", 1, "h#4 with nets", 1),
    "Two threads": ("the second thread searches", 1, "", 1),
    "Compiling: LLVM once": ("numba alone", 1, "the garbage collector", 1),
    "Collections: records read by the kernel": ("FEN, moves", 1, "FEN, moves", 2),
    "Collections: one call for many rows": ("first turn", 1, "first turn", 2),
    "WebAssembly: bytes swapped by a shuffle": ("numba's IR", 2, "a shuffle of", 2),
}
"""The times before and after: how a row begins, its column. No row means 1."""

Bar = tuple[str, str, list[float]]
"""The words above a bar, on the left and on the right, and the lengths of its parts."""


def rows(page: str) -> list[list[str]]:
    """Return the rows of all tables of a page."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return [row[2:-2].split(" | ") for row in text.splitlines() if row[:2] == "| "]


def gains() -> list[Bar]:
    """Return how many times as fast the best changes made what they changed."""
    table = rows("tried.md")

    def number(start: str, column: int) -> float:
        found = [row[column].split()[0] for row in table if row[0].startswith(start)]
        return float(found[0].rstrip(",")) if start else 1

    ratios = [(number(*at[:2]) / number(*at[2:]), name) for name, at in GAINS.items()]
    return [(name, f"{ratio:.1f}", [ratio]) for ratio, name in sorted(ratios)[::-1]]


def reach() -> list[Bar]:
    """Return what part of the mates of each length is proved, met and exceeded."""
    bars: list[Bar] = []
    for length, *cells in rows("figures.md"):
        if length[0].isdigit() and len(cells) == 4:
            of, found, best, proved = map(int, cells)
            parts = [100 * n / of for n in (proved, best - proved, found - best)]
            bars.append((f"mate in {length}", f"{found} of {of} found", parts))
    return bars


def popeye() -> list[Bar]:
    """Return how many times as fast as by Popeye compositions are solved."""
    table = [row for row in rows("figures-compositions.md") if len(row) == 6][1:]
    return [(row[0].replace("`", ""), row[5], [float(row[5])]) for row in table]


CHARTS = {
    gains: ["times as fast as before (logarithmic)"],
    reach: ["per cent", "proved shortest", "best known", "a longer mate"],
    popeye: ["times as fast as Popeye, median (logarithmic)"],
}
"""Charts: what their axis shows, and what the parts of a bar are."""


def draw(bars: list[Bar], axis: str, parts: list[str], name: str, scheme: str) -> None:
    """Draw a chart on a transparent ground; without parts its axis begins at 1."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    ink, colours = SCHEMES[scheme]
    inked = ("text.color", "xtick.color", "axes.labelcolor", "axes.edgecolor")
    style: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": name}
    with mpl.rc_context(style | dict.fromkeys(inked, ink) | {"font.size": 9.5}):
        figure = Figure((4.6, 0.36 * len(bars) + 0.8), layout="constrained")
        axes = figure.add_subplot(xlabel=axis, yticks=[], ylim=(len(bars) - 0.6, -1))
        axes.spines[["left", "right", "top"]].set_visible(False)
        across = axes.get_yaxis_transform()
        for y, (label, text, lengths) in enumerate(bars):
            for i, (length, colour) in enumerate(zip(lengths, colours, strict=False)):
                axes.barh(y, length, 0.4, sum(lengths[:i]), color=colour)
            axes.text(0, y - 0.3, label, transform=across)
            axes.text(1, y - 0.3, text, transform=across, ha="right")
        if parts:
            keys = [mpl.patches.Patch(color=colour) for colour in colours]
            figure.legend(keys, parts, loc="outside upper left", ncols=3, frameon=False)
        else:
            axes.set_xscale("log", base=2)
            axes.set_xlim(1, max(lengths[0] for _, _, lengths in bars))
            axes.xaxis.set_major_formatter("{x:.0f}")
        path = PAGES / "images" / f"{name}{scheme}.chart.svg"
        figure.savefig(path, transparent=True, metadata={"Creator": None, "Date": None})


if __name__ == "__main__":
    for chart, (of, *kinds) in CHARTS.items():
        for shade in SCHEMES:
            draw(chart(), of, kinds, chart.__name__, shade)
