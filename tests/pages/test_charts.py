"""Charts: where points, bars and labels are, and what a reader without eyes gets."""

from __future__ import annotations

import math
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from solver.pages.charts import (
    Chart,
    Line,
    Mark,
    draw_bars,
    draw_lines,
    look_of,
    shorten,
)

OFF = Line("off", look_of(0), ((1, 10), (2, 100), (3, 10_000)), "0")
CPW = Line("<b>&cpw", look_of(1), ((1, 10), (2, 100), (3, 1_000)), "1")


def chart(*lines: Line, is_log: bool = True, mark: Mark | None = None) -> Chart:
    tips = {depth: [f"depth {depth}", "<i>"] for depth in (1, 2, 3)}
    return Chart("a <title>", "a & b", lines, is_log, tips, mark)


def drawn(drawing: str) -> ET.Element:
    return ET.fromstring(drawing)


def corners(line: ET.Element) -> list[tuple[float, float]]:
    """The points of a line, which is drawn after the leader of its label."""
    _, polyline = line.findall("polyline")
    points = polyline.attrib["points"].split()
    return [(float(x), float(y)) for x, y in (point.split(",") for point in points)]


def series(picture: ET.Element) -> list[ET.Element]:
    return [g for g in picture.findall("g") if "series" in g.attrib["class"]]


def labels(picture: ET.Element) -> list[tuple[float, float, str]]:
    return [
        (float(text.attrib["x"]), float(text.attrib["y"]), text.text or "")
        for g in series(picture)
        for text in g.findall("text")
    ]


def test_a_factor_is_the_same_distance_everywhere_on_a_log_scale() -> None:
    first, second = map(corners, series(drawn(draw_lines(chart(OFF, CPW), 900, "a"))))
    assert first[:2] == second[:2]
    ten, hundred, ten_thousand = (y for _, y in first)
    assert ten - hundred == pytest.approx((hundred - ten_thousand) / 2, abs=0.02)
    assert second[2][1] - first[2][1] == pytest.approx(ten - hundred, abs=0.02)
    one, two, three = (x for x, _ in first)
    assert two - one == pytest.approx(three - two, abs=0.02)


def test_ratios_are_on_a_linear_scale_from_zero() -> None:
    ratios = Line("x", look_of(0), ((1, 1.0), (2, 0.5), (3, 0.25)))
    picture = drawn(draw_lines(chart(ratios, is_log=False), 900, "a"))
    (line,) = series(picture)
    one, half, quarter = (y for _, y in corners(line))
    assert half - one == pytest.approx(2 * (quarter - half), abs=0.05)
    ticks = [text.text for text in picture.findall("text[@text-anchor='end']")]
    assert ticks == ["0", "0.25", "0.5", "0.75", "1"]


def test_ratios_of_many_sizes_are_on_a_log_scale() -> None:
    ratios = Line("x", look_of(0), ((1, 0.01), (2, 1.0), (3, 100.0)))
    picture = drawn(draw_lines(chart(ratios, is_log=False), 900, "a"))
    ticks = [text.text for text in picture.findall("text[@text-anchor='end']")]
    assert ticks == ["0.01", "0.1", "1", "10", "100"]


@pytest.mark.parametrize("width", [360, 900])
@pytest.mark.parametrize("number", [1, 2, 20, 60])
def test_labels_neither_overlap_nor_leave_the_drawing(width: int, number: int) -> None:
    lines = [
        Line(
            f"check-extension={index}", look_of(index), ((1, 1), (2, 1000 + index % 3))
        )
        for index in range(number)
    ]
    picture = drawn(draw_lines(chart(*lines), width, "a"))
    _, _, right, bottom = map(float, picture.attrib["viewBox"].split())
    found = sorted(labels(picture), key=lambda label: label[1])
    assert len(found) == number
    assert all(0 < y < bottom for _, y, _ in found)
    assert all(x + 7.5 * len(text) <= right for x, _, text in found)
    assert all(b[1] - a[1] >= 15.9 for a, b in pairwise(found))


def test_a_label_is_beside_the_end_of_its_line_if_there_is_room() -> None:
    picture = drawn(draw_lines(chart(OFF, CPW), 900, "a"))
    for line, (_, y, _) in zip(series(picture), labels(picture), strict=True):
        assert corners(line)[-1][1] == pytest.approx(y - 4, abs=0.02)


def test_lines_differ_in_colour_or_dashes() -> None:
    assert len({look_of(index).removesuffix(" first") for index in range(18)}) == 18


def test_a_chart_has_a_title_a_description_and_tips_and_escapes_them() -> None:
    drawing = draw_lines(chart(OFF, CPW, mark=Mark(2, "M8 & more")), 900, "name")
    picture = drawn(drawing)
    assert picture.attrib["role"] == "img"
    assert picture.attrib["aria-labelledby"] == "name-title name-desc"
    title, description = picture[0], picture[1]
    assert (title.attrib["id"], title.text) == ("name-title", "a <title>")
    assert (description.attrib["id"], description.text) == ("name-desc", "a & b")
    tips = [g.findtext("title") for g in picture.findall("g[@class='depth']")]
    assert tips == [f"depth {depth}\n<i>" for depth in (1, 2, 3)]
    assert "M8 & more" in [text.text for text in picture.iter("text")]
    assert labels(picture)[1][2] == "<b>&cpw"
    assert [g.attrib["data-key"] for g in series(picture)] == ["0", "1"]
    assert " style=" not in drawing


def test_a_single_point_is_a_dot_and_a_line_without_points_is_left_out() -> None:
    alone = Line("one", look_of(0), ((1, 1),))
    picture = drawn(draw_lines(chart(alone, Line("none", look_of(1), ())), 360, "a"))
    (line,) = series(picture)
    assert len(line.findall("circle")) == 1
    assert all(math.isfinite(part) for point in corners(line) for part in point)


@pytest.mark.parametrize("width", [360, 900])
def test_bars_are_as_long_as_their_values(width: int) -> None:
    bars = [("a", 1.0, "1.000"), ("<b>", 0.5, "0.500"), ("c", None, "nothing")]
    picture = drawn(draw_bars(bars, width, "a", title="t", description="d"))
    longest, half = (float(rect.attrib["width"]) for rect in picture.findall("rect"))
    assert half == pytest.approx(longest / 2, abs=0.02)
    words = [text.text for text in picture.iter("text")]
    assert words == ["a", "1.000", "<b>", "0.500", "c", "nothing"]


@pytest.mark.parametrize(
    ("name", "room", "short"),
    [("mdp=cpw", 100, "mdp=cpw"), ("check-extension=all", 80, "…nsion=all")],
)
def test_the_end_of_a_long_name_is_kept(name: str, room: float, short: str) -> None:
    assert shorten(name, room) == short
