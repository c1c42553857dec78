"""Charts of node counts as SVG elements: lines by depth, and bars.

A line is known by its colour, its dashes and the label at its end, so that it can be
distinguished without colours. Colours and fonts come from the style of the page; no
element has a style of its own. The same values give the same drawing.

A length is in pixels of the drawing, with y downwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COLOURS = 6
DASHES = 3
"""How many colours and dashes the style has."""

NARROW = 480
"""Drawings below this width are for telephones: less room for names."""

_LETTER = 7.8
"""The width of an average letter of a label."""

_LINE = 16
"""The least distance of two labels."""

_TOP, _LEFT, _BOTTOM = 12, 46, 40
_LEAST_HEIGHT = 150
_SWATCH = 16
_LEADER = 14

_LOG_RATIO = 5
"""Ratios above this are drawn on a log scale, or the smaller ones could not be read."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart.

    Attributes
    ----------
    name : str
    look : str
        Classes of the style, such as those of `look_of`.
    points : tuple of (int, float)
        Depth and value, by depth.
    key : str
        The script hides all elements with this key together; empty: none.
    """

    name: str
    look: str
    points: tuple[tuple[int, float], ...]
    key: str = ""


class Mark(NamedTuple):
    """A depth to point out, and why."""

    depth: int
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart shows, apart from its size.

    Attributes
    ----------
    title : str
    description : str
        What a reader who cannot see the chart should know.
    lines : tuple of Line
        Lines without points are left out.
    is_log : bool
        The values are on a log scale, and at least 1.
    tips : dict
        For a depth, the lines of text that are shown where it is pointed at.
    mark : Mark or None
    aspect : float
        Height divided by width, if there is room for the labels.
    """

    title: str
    description: str
    lines: tuple[Line, ...]
    is_log: bool
    tips: dict[int, list[str]]
    mark: Mark | None = None
    aspect: float = 0.46


class _Scale(NamedTuple):
    """Maps values to pixels, linearly or by their logarithm."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        low, high, at = self.low, self.high, value
        if self.is_log:
            low, high, at = math.log10(low), math.log10(high), math.log10(value)
        share = (at - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 2)


def look_of(index: int) -> str:
    """Return the classes of the line of a variant; the first is drawn broad."""
    broad = " first" if index == 0 else ""
    return f"c{index % COLOURS} d{index // COLOURS % DASHES}{broad}"


def draw_lines(chart: Chart, width: int, name: str) -> str:
    """Draw lines by depth, each with its label at the right.

    Parameters
    ----------
    chart : Chart
        At least one of its lines has points.
    width : int
        In pixels; the height follows.
    name : str
        A prefix for ids, unique in the page.

    Returns
    -------
    str
        An `svg` element.
    """
    lines = [line for line in chart.lines if line.points]
    depths = [depth for line in lines for depth, _ in line.points]
    values = [value for line in lines for _, value in line.points]
    longest = max(len(line.name) for line in lines)
    room = min(longest * _LETTER, width * (0.3 if width < NARROW else 0.4))
    right = width - room - _SWATCH - _LEADER - 8
    bottom = _TOP + max(width * chart.aspect, _LEAST_HEIGHT, len(lines) * _LINE)
    x = _Scale(min(depths), max(depths), _LEFT, right)
    y, ticks = _value_scale(values, bottom, is_log=chart.is_log)
    parts = [
        *_grid(ticks, y, _LEFT, right),
        *_depth_axis(range(min(depths), max(depths) + 1), x, bottom),
        *_pointing(chart.tips, x, bottom),
        *_mark(chart.mark, x, bottom),
    ]
    ends = _spread([y(line.points[-1][1]) for line in lines], _TOP, bottom)
    for line, end in zip(lines, ends, strict=True):
        key = f' data-key="{escape(line.key)}"' if line.key else ""
        corners = [(x(depth), y(value)) for depth, value in line.points]
        last_x, last_y = corners[-1]
        start = right + _LEADER
        parts += [
            f'<g class="series {line.look}"{key}>',
            f"<title>{escape(line.name)}</title>",
            f'<polyline class="leader" points="{last_x},{last_y} {start},{end}"/>',
            f'<polyline points="{" ".join(f"{a},{b}" for a, b in corners)}"/>',
            *(f'<circle cx="{a}" cy="{b}" r="2"/>' for a, b in corners),
            f'<line x1="{start}" y1="{end}" x2="{start + _SWATCH}" y2="{end}"/>',
            f'<text class="name" x="{start + _SWATCH + 5}" y="{end + 4}">'
            f"{escape(shorten(line.name, room))}</text>",
            "</g>",
        ]
    return _svg(chart.title, chart.description, width, bottom + _BOTTOM, name, parts)


def draw_bars(
    bars: Sequence[tuple[str, float | None, str]],
    width: int,
    name: str,
    *,
    title: str,
    description: str,
) -> str:
    """Draw a bar for each name, and a line at 1.

    Parameters
    ----------
    bars : sequence of (str, float or None, str)
        Name, value and the text of the value; None: no bar.
    width, name, title, description
        As for `draw_lines`.

    Returns
    -------
    str
        An `svg` element.
    """
    is_narrow = width < NARROW
    room = max(len(bar[0]) for bar in bars) * _LETTER
    left = 0 if is_narrow else room + 10
    row = 2.2 * _LINE if is_narrow else 1.4 * _LINE
    height = len(bars) * row
    longest = max([1.0, *(value for _, value, _ in bars if value is not None)])
    letters = max(len(text) for _, _, text in bars)
    x = _Scale(0, longest, left, width - (letters + 2) * _LETTER)
    parts = [
        f'<line class="base" x1="{x(1)}" y1="0" x2="{x(1)}" y2="{height:.1f}"/>',
    ]
    for index, (label, value, text) in enumerate(bars):
        top = index * row
        middle = round(top + row - 0.7 * _LINE, 1)
        if is_narrow:
            at = f'x="0" y="{top + 12:.1f}"'
        else:
            at = f'x="{room:.1f}" y="{middle + 4}" text-anchor="end"'
        parts.append(f'<text class="name" {at}>{escape(label)}</text>')
        end = x(value) if value is not None else x(0)
        if value is not None:
            parts.append(
                f'<rect class="bar" x="{x(0)}" y="{middle - 6:.1f}" '
                f'width="{end - x(0):.2f}" height="12"/>'
            )
        parts.append(
            f'<text x="{end + 6:.2f}" y="{middle + 4:.1f}">{escape(text)}</text>'
        )
    return _svg(title, description, width, height + 4, name, parts)


def shorten(name: str, room: float) -> str:
    """Cut the beginning of a name that is too long for its room in pixels."""
    letters = max(2, int(room / _LETTER))
    return name if len(name) <= letters else "…" + name[1 - letters :]


def _svg(
    title: str,
    description: str,
    width: float,
    height: float,
    name: str,
    parts: Sequence[str],
) -> str:
    return "\n".join(
        [
            f'<svg viewBox="0 0 {width} {height:.0f}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc">',
            f'<title id="{name}-title">{escape(title)}</title>',
            f'<desc id="{name}-desc">{escape(description)}</desc>',
            *parts,
            "</svg>",
        ]
    )


def _value_scale(
    values: Sequence[float], bottom: float, *, is_log: bool
) -> tuple[_Scale, list[float]]:
    """Return the scale of the values, and its ticks."""
    highest = max(values)
    if is_log or highest > _LOG_RATIO:
        # No log scale has a 0; counts begin with 1, ratios far below it.
        lowest = max(min(values), 1 if is_log else 1e-4)
        first = math.floor(math.log10(lowest))
        last = max(math.ceil(math.log10(max(highest, 1))), first + 1)
        ticks = [10.0**power for power in range(first, last + 1)]
        floor = ticks[0]
        scale = _Scale(floor, ticks[-1], bottom, _TOP, is_log=True)
        return scale, ticks
    step = 0.25 if highest <= 1.25 else 0.5 if highest <= 3 else 1
    steps = max(1, math.ceil(highest / step - 1e-9))
    ticks = [step * number for number in range(steps + 1)]
    return _Scale(0, ticks[-1], bottom, _TOP), ticks


def _grid(
    ticks: Sequence[float], y: _Scale, left: float, right: float
) -> Iterator[str]:
    for tick in ticks:
        at = y(tick)
        yield f'<line class="grid" x1="{left}" y1="{at}" x2="{right:.1f}" y2="{at}"/>'
        yield (
            f'<text x="{left - 8}" y="{at + 4}" text-anchor="end">{_short(tick)}</text>'
        )


def _depth_axis(depths: range, x: _Scale, bottom: float) -> Iterator[str]:
    pixels = (x.end - x.start) / max(len(depths) - 1, 1)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if step * pixels >= 24)
    for depth in depths:
        if depth % step == 0 or len(depths) == 1:
            yield (
                f'<text x="{x(depth)}" y="{bottom + 17:.1f}" text-anchor="middle">'
                f"{depth}</text>"
            )
    middle = (x.start + x.end) / 2
    yield (
        f'<text x="{middle:.1f}" y="{bottom + 35:.1f}" text-anchor="middle">'
        "depth (plies)</text>"
    )


def _pointing(tips: dict[int, list[str]], x: _Scale, bottom: float) -> Iterator[str]:
    """Draw a strip for each depth, whose title a browser shows under the pointer."""
    for depth, lines in tips.items():
        half = (x.end - x.start) / max(x.high - x.low, 1) / 2
        at = x(depth)
        text = escape("\n".join(lines))
        yield (
            f'<g class="depth" data-depth="{depth}"><title>{text}</title>'
            f'<rect x="{at - half:.2f}" y="{_TOP}" width="{2 * half:.2f}" '
            f'height="{bottom - _TOP:.1f}"/>'
            f'<line x1="{at}" y1="{_TOP}" x2="{at}" y2="{bottom:.1f}"/></g>'
        )


def _mark(mark: Mark | None, x: _Scale, bottom: float) -> Iterator[str]:
    if mark is None:
        return
    at = x(mark.depth)
    is_late = at > (x.start + x.end) / 2
    anchor, offset = ("end", -6) if is_late else ("start", 6)
    yield f'<line class="mark" x1="{at}" y1="{_TOP}" x2="{at}" y2="{bottom:.1f}"/>'
    yield (
        f'<text class="mark" x="{at + offset}" y="{bottom - 8:.1f}" '
        f'text-anchor="{anchor}">{escape(mark.text)}</text>'
    )


def _spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Move labels apart, no farther than needed, and keep them between two ends.

    There is room for all: `high - low` is at least `_LINE` for each.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    placed = [0.0] * len(wanted)
    at = low
    for index in order:
        placed[index] = at = max(at, wanted[index])
        at += _LINE
    at = high
    for index in reversed(order):
        placed[index] = at = round(min(at, placed[index]), 2)
        at -= _LINE
    return placed


def _short(value: float) -> str:
    """Write a tick: 0.25, 1, 10k, 1M."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"
