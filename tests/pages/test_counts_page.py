"""The page of a comparison: what it says, what it may load, and in a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from solver.laboratory.count_tables import describe_variant
from solver.laboratory.node_counts import CollectionFile, Series
from solver.laboratory.techniques import ablation, combine
from solver.pages.laboratory_pages import encode_counts
from tests.laboratory.counts import (
    CHECKS,
    COLLECTION,
    CPW,
    CUT_POSITION,
    EFP,
    ELSEWHERE,
    FOUND,
    GLASS_POSITION,
    M2,
    MIXED_POSITION,
    NONE,
    OFF,
    POSITION,
    SEVERAL_FILES,
    problem_counts,
    series,
)
from tests.pages.html import Page, require_own_style_and_script
from tests.pages.live import NARROW, WIDE, needs_chromium, new_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Browsed

    from solver.laboratory.node_counts import CollectionCounts, PositionCounts
    from solver.laboratory.techniques import Variant

COMMAND = "matesolve table --mdp off,cpw"
HOSTILE = "</script><b>bold</b><img src=x onerror=\"document.title='run'\">"
(TIGHT,) = combine(["tight"], ["off"], ["off"], ["off"])
MANY = replace(
    GLASS_POSITION,
    series=tuple(
        series(variant, (596, 4, 19), (586, 30 + index, 58))
        for index, variant in enumerate(ablation())
    ),
)
NOTHING = replace(POSITION, series=(Series(OFF, ()),))


def shown(counts: PositionCounts | CollectionCounts, command: str = COMMAND) -> Page:
    return Page(encode_counts(counts, command))


def test_the_page_of_a_position_explains_the_comparison() -> None:
    page = shown(GLASS_POSITION)
    text = " ".join(page.lines)
    for words in (
        "Mate-distance pruning: nodes with and without",
        "At depth 4, mate-distance pruning finds the mate in 2 with 1.25 times fewer "
        "nodes than the search without it: 9,876 instead of 12,345.",
        "Glass 1.0 needs about as many nodes with mate-distance pruning as without. "
        "Its score is 1051; off's is M2.",
        "8/7K/8/8/8/8/R7/7k w - - 0 1, to a depth of 4 plies, a table of 262,144 "
        "entries",
        "White to move (2+1)",
        "variant nodes to PV nodes in all ratio no technique 12,345 20,000 1.000 "
        "mate-distance pruning 9,876 10,000 0.800 What was compared",
        "variant depth, plies score, cp nodes to PV nodes in all ratio",
        "off plain principal variation search, with none of the techniques",
        "cpw --mdp cpw both bounds, as on the Chess Programming Wiki",
        f"Made by {COMMAND} ",
        "depth score to PV in all to PV in all ratio score off on ratio",
        "4 M2 12,345 20,000 9,876 10,000 0.800 1051 551 551 1.000",
        "Glass 1.0: score, and nodes to PV without and with mate-distance pruning",
    ):
        assert words in text, words


def test_the_page_of_a_collection_has_its_files_and_problems() -> None:
    page = shown(SEVERAL_FILES)
    text = " ".join(page.lines)
    for words in (
        '6 problems of x, "b", <i>',
        "Forward pruning: nodes with and without",
        "Forward pruning finds a mate with about as many nodes as the search without "
        "it: the geometric mean over 2 problems. It finds 3 mates in 6 problems; off "
        "finds 5.",
        "found ratio found ratio unproved stopped differing nodes compared found ratio",
        "problem mate off on same answer",
        "overlooked M2 1,000 none no",
        "M?: found by an unsound technique and not proved.",
    ):
        assert words in text, words
    groups = [
        (head["colspan"], head["scope"])
        for head in page.attributes("th")
        if head["scope"] == "colgroup"
    ]
    assert groups == [("2", "colgroup"), ("2", "colgroup"), ("7", "colgroup")]


def test_the_rows_of_the_headline_come_first_and_are_named_in_words() -> None:
    lines = shown(MANY).lines
    headline = lines[lines.index("The two compared") : lines.index("What was compared")]
    assert headline[1:5] == ["variant", "nodes to PV", "nodes in all", "ratio"]
    assert (headline[5], headline[8]) == ("no technique", "1.000")
    own, other = (headline[row] for row in (10, 6))
    assert f"{own} instead of {other}." in lines[1]


def test_a_variant_that_misses_mates_is_not_ranked_first() -> None:
    cheap = replace(FOUND, nodes=100)
    collection = replace(
        COLLECTION,
        variants=(OFF, EFP, CHECKS),
        rows=(
            problem_counts("1", 2, FOUND, cheap, replace(FOUND, nodes=900)),
            problem_counts("2", 2, FOUND, NONE, replace(FOUND, nodes=900)),
        ),
        problems=2,
    )
    page = shown(collection)
    assert (
        "Check extension finds a mate with 1.11 times fewer nodes than off, the fewest "
        "of all variants that find so many: the geometric mean over 2 problems."
    ) in " ".join(page.lines)
    bars = re.findall(r'<rect width="([^"]*)"', page.text)
    assert bars == ["100.0", "90.0", "100.0", "10.0", "90.0"]


def test_a_variant_that_misses_the_mate_of_a_position_is_not_ranked_first() -> None:
    blind = series(EFP, (596, 4, 19), (586, 30, 58), (-5, 1, 2), (0, 7, 8))
    _, dearer = POSITION.series
    for found, words in (
        (
            dearer,
            "mate-distance pruning finds the mate in 2 with 1.25 times fewer nodes "
            "than off, the fewest of all variants that find a mate: 9,876 instead of "
            "12,345.",
        ),
        (
            blind,
            "forward pruning finds the principal variation with 1,764 times fewer "
            "nodes than off, the fewest of all variants: 7 instead of 12,345.",
        ),
    ):
        position = replace(POSITION, series=(*POSITION.series[:1], blind, found))
        assert words in " ".join(shown(position).lines)


@pytest.mark.parametrize(
    "counts",
    [
        POSITION,
        GLASS_POSITION,
        CUT_POSITION,
        MIXED_POSITION,
        MANY,
        NOTHING,
        COLLECTION,
        SEVERAL_FILES,
        replace(COLLECTION, rows=()),
    ],
)
def test_every_page_is_well_formed_and_its_cells_have_headings(
    counts: PositionCounts | CollectionCounts,
) -> None:
    page = shown(counts)
    require_own_style_and_script(page.text.encode())
    assert [tag for tag, _ in page.tags].count("h1") == 1
    assert all(head["scope"] for head in page.attributes("th"))
    ids = re.findall(r'\sid="([^"]*)"', page.text)
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("variants", "title"),
    [
        ((OFF,), "Nodes of a search with no technique"),
        ((CPW,), "Nodes of a search with mate-distance pruning"),
        ((CPW, OFF), "Mate-distance pruning: nodes of 2 variants"),
        ((OFF, CPW, TIGHT), "Mate-distance pruning: nodes of 3 variants"),
        ((OFF, CHECKS), "Check extension: nodes with and without"),
        ((OFF, CPW, EFP), "Mate-distance pruning and forward pruning: nodes of 3"),
        (tuple(ablation()), "Search techniques: nodes of 20 variants"),
    ],
)
def test_a_title_names_the_techniques_that_differ_in_words(
    variants: tuple[Variant, ...], title: str
) -> None:
    rows = tuple(series(variant, (596, 4, 19)) for variant in variants)
    page = shown(replace(POSITION, depth=1, series=rows))
    assert page.lines[0].startswith(title)


def test_the_headline_follows_from_the_rows() -> None:
    for nodes, words in (
        (12_345, "about as many nodes as the search without it"),
        (24_690, "2.00 times as many nodes as the search without it"),
        (100, "123 times fewer nodes than the search without it"),
    ):
        rows = (*[(596, 4, 19)] * 3, (M2, nodes, nodes))
        page = shown(replace(POSITION, series=(POSITION.series[0], series(CPW, *rows))))
        assert f"{words}: {nodes:,} instead of 12,345." in page.lines[1]


def test_names_and_commands_are_only_text() -> None:
    collection = replace(
        COLLECTION,
        rows=(problem_counts(HOSTILE, 2, FOUND, FOUND),),
        problems=1,
        files=(CollectionFile(HOSTILE, 1),),
    )
    page = shown(collection, HOSTILE)
    assert not page.attributes("b")[2:]  # the names of the variants
    assert not page.attributes("img")
    assert not page.scripts
    assert HOSTILE in page.lines


def test_undecodable_bytes_in_a_command_are_replaced() -> None:
    assert "table caf?.epd" in shown(COLLECTION, "table caf\udce9.epd").text


def test_the_same_counts_give_the_same_bytes() -> None:
    assert encode_counts(MANY, COMMAND) == encode_counts(MANY, COMMAND)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (("off", "off", "off", "off"), []),
        (
            ("tight", "all+promotions", "off", "off"),
            [
                "both bounds, with beta at a mate on the next ply, as in Stockfish",
                "checks and promotions cost no depth",
            ],
        ),
        (
            ("off", "off", "14", "prune+lazy"),
            [
                "a null move, 2 plies shallower, and multi-cut with 3 of 6 moves at "
                "expected cut and all nodes, with the additions 1, 4",
                "no search if the material table has only wins or only losses; results "
                "of the material instead of the evaluation",
            ],
        ),
        (
            ("off", "uncapped", "off", "correct+white+curve"),
            [
                "checks, however long the line, cost no depth",
                "results of the material added to the evaluation; White's results "
                "alone; material with few positions weighs less",
            ],
        ),
    ],
)
def test_a_variant_is_described_in_words(
    choice: tuple[str, str, str, str], words: list[str]
) -> None:
    mdp, extension, efp, mip = ([value] for value in choice)
    (variant,) = combine(mdp, extension, efp, mip)
    assert [words for _, words in describe_variant(variant)] == words


def test_every_technique_of_an_ablation_is_described() -> None:
    for variant in ablation():
        assert all(words for _, words in describe_variant(variant))


def test_the_board_of_the_page_is_the_position_compared() -> None:
    assert f"<title>White to move: {ELSEWHERE}</title>" in shown(POSITION).text


Opener: TypeAlias = "Callable[..., Browsed]"


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens pages in Chromium, which reports nothing to the console."""
    messages: list[str] = []

    def open_page(counts: PositionCounts | CollectionCounts, **options: Any) -> Browsed:
        path = tmp_path / "page.html"
        path.write_bytes(encode_counts(counts, HOSTILE))
        page = new_page(chromium, messages, **options)
        page.goto(path.as_uri())
        return page

    yield open_page
    assert messages == []


def lines_of(page: Browsed, chart: int) -> dict[str, list[list[float]]]:
    """The points of each line of a chart, by its name."""
    found: dict[str, list[list[float]]] = page.evaluate(
        """chart => {
          const svg = document.querySelectorAll(".chart [role=img]")[chart];
          const names = [...svg.querySelectorAll("text.name title")];
          const points = [...svg.querySelectorAll("g")].map((g) =>
            [...g.querySelectorAll("circle")].map((circle) =>
              ["cx", "cy"].map((name) => Number(circle.getAttribute(name)))));
          return Object.fromEntries(names.map((name, n) =>
            [name.textContent, points[n]]));
        }""",
        chart,
    )
    return found


CROSSED = """() =>
  [...document.querySelectorAll(".chart [role=img]")].flatMap((svg) => {
    const texts = [...svg.querySelectorAll("text")];
    const boxes = texts.map((text) => text.getBBox())
      .map(({ x, y, width, height }) => [x, y + 3, x + width, y + height - 3]);
    const places = [...svg.querySelectorAll("[points], [d]")].flatMap((line) =>
      Array.from({ length: line.getTotalLength() + 1 }, (_, at) =>
        line.getPointAtLength(at))).map(({ x, y }) => [x, y, x, y]);
    const right = svg.viewBox.baseVal.width;
    return texts.filter((_, n) => boxes[n][0] < 0 || boxes[n][2] > right
      || [...boxes, ...places].some((other, m) => m !== n
        && other[0] < boxes[n][2] && boxes[n][0] < other[2]
        && other[1] < boxes[n][3] && boxes[n][1] < other[3]))
      .map((text) => text.textContent);
  })
"""
"""The texts of all charts that another text or a line crosses, or that are cut."""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("counts", [GLASS_POSITION, CUT_POSITION, MIXED_POSITION, MANY])
def test_no_text_of_a_chart_is_crossed_or_cut(
    opened: Opener, counts: PositionCounts, width: int
) -> None:
    page = opened(counts, viewport={"width": width, "height": 800})
    assert page.locator(".chart text.name").count() >= len(counts.series)
    assert page.evaluate(CROSSED) == []


def test_a_factor_is_the_same_distance_everywhere_on_the_scale_of_nodes(
    opened: Opener,
) -> None:
    rows = (596, 10, 10), (586, 100, 100), (M2, 10_000, 10_000)
    page = opened(replace(POSITION, series=(series(OFF, *rows),)))
    ((ten, hundred, ten_thousand),) = lines_of(page, 0).values()
    assert ten[1] - hundred[1] == pytest.approx((hundred[1] - ten_thousand[1]) / 2)
    assert hundred[0] - ten[0] == pytest.approx(ten_thousand[0] - hundred[0])


def test_ratios_begin_at_zero_or_are_on_a_log_scale_and_one_is_marked(
    opened: Opener,
) -> None:
    for least, is_log in ((50, False), (1, True)):
        dearer = series(CPW, (596, least, 99), (586, 100, 100), (M2, 10_000, 10_000))
        base = series(
            OFF, (596, 100, 100), (586, 100, 100), (M2, 100 if is_log else 5000, 1)
        )
        page = opened(replace(POSITION, series=(base, dearer)))
        (line,) = lines_of(page, 1).values()
        (least_y, one, most) = (y for _, y in line)
        assert least_y - one == pytest.approx((one - most) / (1 if is_log else 2))
        reference = page.locator(".chart [role=img]").nth(1).locator(".reference")
        assert f" {one}H" in str(reference.first.get_attribute("d"))


def test_a_depth_is_read_and_a_variant_hidden_and_the_first_mate_marked(
    opened: Opener,
) -> None:
    page = opened(GLASS_POSITION)
    said = page.locator(".chart > div > p").first
    assert said.inner_text() == "Point at a depth to read it."
    page.locator(".strip").nth(3).hover()
    assert said.inner_text() == (
        "depth 4 · off M2 12,345 · cpw M2 9,876 (0.800) · Glass off 1051 551 · "
        "Glass on 1051 551 (1.000)"
    )
    assert page.get_by_text("first mate: M2 at depth 4").count() == 2
    assert list(lines_of(page, 0)) == ["off", "cpw", "Glass off", "Glass on"]
    assert list(lines_of(page, 1)) == ["cpw", "Glass on"]
    page.get_by_role("checkbox", name="cpw").uncheck()
    assert list(lines_of(page, 0)) == ["off", "Glass off", "Glass on"]
    assert list(lines_of(page, 1)) == ["Glass on"]
    assert page.locator("tbody th", has_text="cpw").count() == 1


@pytest.mark.parametrize("counts", [GLASS_POSITION, MANY, SEVERAL_FILES])
def test_title_headline_and_the_summary_s_first_rows_are_in_the_first_view(
    opened: Opener, counts: PositionCounts | CollectionCounts
) -> None:
    page = opened(counts, viewport={"width": 1280, "height": 720})
    first = "h1, .lead, .diagram, .side, .counts tbody tr:nth-child(2)"
    boxes = [each.bounding_box() for each in page.locator(first).all()[:5]]
    assert all(box and box["y"] + box["height"] <= 720 for box in boxes)
    assert page.locator(".compared .scroll").evaluate(
        "each => each.scrollWidth <= each.clientWidth"
    )


def test_four_variants_and_glass_fit_and_nothing_is_wider_than_the_window(
    opened: Opener,
) -> None:
    """The widest numbers of a search of some minutes."""
    variants = combine(["off", "cpw"], ["off", "all"], ["off"], ["off"])
    four = tuple(
        series(
            variant,
            *((1105 + n + row, 1_234_567 * row, 98_765_432) for row in range(1, 21)),
        )
        for n, variant in enumerate(variants)
    )
    wide = replace(GLASS_POSITION, depth=20, series=four)
    for viewport in (WIDE, NARROW):
        page = opened(wide, viewport=viewport)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if viewport == WIDE:
            assert page.locator(".scroll").evaluate_all(
                "all => all.every((one) => one.scrollWidth <= one.clientWidth)"
            )


@pytest.mark.parametrize("counts", [GLASS_POSITION, MANY, NOTHING, SEVERAL_FILES])
def test_a_page_is_read_in_the_dark_on_paper_and_without_scripts(
    opened: Opener, counts: PositionCounts | CollectionCounts
) -> None:
    for options in ({"color_scheme": "dark"}, {"java_script_enabled": False}):
        page = opened(counts, **options)
        assert page.locator("h2", has_text="Curves").is_visible() == (
            "color_scheme" in options and counts is not SEVERAL_FILES
        )
        page.emulate_media(media="print")
        headline = page.get_by_text("The two compared").count()
        assert headline == (counts in (GLASS_POSITION, MANY))
        assert page.get_by_role("table").count() == 2 + headline
        assert page.inner_text("code >> nth=-1") == HOSTILE
        assert "nodes" in page.title().lower()


@needs_chromium("printing to PDF")
@pytest.mark.parametrize("counts", [GLASS_POSITION, MANY, NOTHING, SEVERAL_FILES])
def test_a_page_is_printed_with_and_without_scripts(
    opened: Opener, counts: PositionCounts | CollectionCounts
) -> None:
    for scripts in (True, False):
        page = opened(counts, java_script_enabled=scripts)
        assert page.pdf().startswith(b"%PDF")
