"""The page of a comparison: what it says, what it may load, and in a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from solver.laboratory.count_notes import describe_variant
from solver.laboratory.node_counts import CollectionFile, Series
from solver.laboratory.techniques import ablation, combine
from solver.pages.counts_page import encode_page
from tests.laboratory.counts import (
    CHECKS,
    COLLECTION,
    CUT_POSITION,
    EFP,
    ELSEWHERE,
    FOUND,
    GLASS_POSITION,
    MIXED_POSITION,
    NONE,
    OFF,
    POSITION,
    SEVERAL_FILES,
    problem_counts,
    series,
)
from tests.pages.html import Page, browser, opened, require_own_style_and_script

if TYPE_CHECKING:
    from pathlib import Path

    from solver.laboratory.node_counts import CollectionCounts, PositionCounts

COMMAND = "matesolve table --mdp off,cpw"
HOSTILE = "</script><b>bold</b><img src=x onerror=\"document.title='run'\">"
MANY = replace(
    GLASS_POSITION,
    series=tuple(
        series(variant, (596, 4, 19), (586, 30 + index, 58))
        for index, variant in enumerate(ablation())
    ),
)
NOTHING = replace(POSITION, series=(Series(OFF, ()),))


def shown(counts: PositionCounts | CollectionCounts, command: str = COMMAND) -> Page:
    return Page(encode_page(counts, command))


def test_the_page_of_a_position_explains_the_comparison() -> None:
    page = shown(GLASS_POSITION)
    text = " ".join(page.lines)
    for words in (
        "Node counts: off, cpw",
        "8/7K/8/8/8/8/R7/7k w - - 0 1 to depth 4, a table of 262,144 entries",
        "At depth 4, cpw needs 0.800 times the nodes of off to find the principal "
        "variation.",
        "off plain principal variation search, with none of the techniques",
        "cpw --mdp cpw both bounds, as on the Chess Programming Wiki",
        f"Made by {COMMAND} ",
        "depth score to PV in all to PV in all ratio off on ratio",
        "4 M2 12,345 20,000 9,876 10,000 0.800 551 551 1.000",
        "Glass 1.0: nodes to PV without and with mate-distance pruning",
    ):
        assert words in text, words
    drawings = re.findall(r'<desc id="chart0-wide-desc">(.*?)</desc>', page.text)
    assert drawings == [
        "off: 12,345 nodes at depth 4; cpw: 9,876 nodes at depth 4; Glass off: 551 "
        "nodes at depth 4; Glass on: 551 nodes at depth 4. The table below has all "
        "numbers."
    ]
    assert "M2 found at depth 4</text>" in page.text


def test_the_page_of_a_collection_has_its_files_problems_and_bars() -> None:
    page = shown(SEVERAL_FILES)
    text = " ".join(page.lines)
    for words in (
        '6 problems of x, "b", <i>',
        "on finds 3 mates in 6 problems. To find the same ones as off, it needs 1.000 "
        "times the nodes.",
        "found ratio found ratio unproved stopped differing nodes compared found ratio",
        "Nodes until the mate, relative to off",
        "problem mate off on same answer",
        "overlooked M2 1,000 none no",
        "M?: found by an unsound technique, and not proved.",
    ):
        assert words in text, words
    groups = [
        (head["colspan"], head["scope"])
        for head in page.attributes("th")
        if head["scope"] == "colgroup"
    ]
    assert groups == [("2", "colgroup"), ("2", "colgroup"), ("7", "colgroup")]


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
        "all finds 2 mates in 2 problems. To find the same ones as off, it needs 0.900 "
        "times the nodes, the fewest of the variants that find so many."
    ) in " ".join(page.lines)
    assert "0.100, 1 found</text>" in page.text
    assert "0.900, 2 found</text>" in page.text


def test_a_variant_that_misses_the_mate_of_a_position_is_not_ranked_first() -> None:
    blind = series(EFP, (596, 4, 19), (586, 30, 58), (-5, 1, 2), (0, 7, 8))
    _, dearer = POSITION.series
    for found, words in (
        (
            dearer,
            "cpw needs 0.800 times the nodes of off to find the principal "
            "variation, the fewest of the variants that find a mate.",
        ),
        (
            blind,
            "on needs 0.00057 times the nodes of off to find the principal "
            "variation, the fewest of the variants.",
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
    for drawing in page.attributes("svg"):
        named = str(drawing.get("aria-labelledby", "")).split()
        assert set(named) <= set(ids)
        assert named or "aria-hidden" in drawing or "viewbox" in drawing


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
    assert page.attributes("script") == [{}]
    assert HOSTILE in page.lines


def test_undecodable_bytes_in_a_command_are_replaced() -> None:
    assert "table caf?.epd" in shown(COLLECTION, "table caf\udce9.epd").text


def test_the_same_counts_give_the_same_bytes() -> None:
    assert encode_page(MANY, COMMAND) == encode_page(MANY, COMMAND)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (("off", "off", "off", "off"), []),
        (
            ("tight", "all+promotions", "off", "off"),
            [
                "both bounds, beta to a mate on the next ply, as in Stockfish",
                "checks and promotions cost no depth",
            ],
        ),
        (
            ("off", "off", "14", "prune+lazy"),
            [
                "a null move, 2 plies shallower, and multi-cut with 3 of 6 moves at "
                "expected cut and all nodes, with the additions 1, 4",
                "no search where the material table says all won or all lost; results "
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


@browser
@pytest.mark.parametrize("counts", [GLASS_POSITION, SEVERAL_FILES])
def test_a_browser_reports_no_errors(
    counts: PositionCounts | CollectionCounts, tmp_path: Path
) -> None:
    document = opened(encode_page(counts, COMMAND), tmp_path)
    boxes = document.count('<input type="checkbox">')
    assert boxes == (2 if counts is GLASS_POSITION else 0)


ACTIONS = """
addEventListener("load", () => {
  document.querySelector("[data-variant='1'] input").click();
  const strip = document.querySelector(".depth[data-depth='4']");
  strip.dispatchEvent(new PointerEvent("pointerenter"));
});
"""


@browser
def test_a_variant_can_be_hidden_and_a_depth_read(tmp_path: Path) -> None:
    page = encode_page(GLASS_POSITION, COMMAND).decode()
    page = re.sub(r"script-src '[^']*'", "script-src 'unsafe-inline'", page, count=1)
    page = page.replace("</body>", f"<script>{ACTIONS}</script></body>")
    document = opened(page.encode(), tmp_path)
    assert '<tr data-key="1" hidden="">' in document
    assert document.count('data-key="1" hidden=""') == 5  # and in four charts
    assert (
        "depth 4 · off 12,345 · cpw 9,876 (0.800) · Glass off 551 · "
        "Glass on 551 (1.000)</p>" in document
    )
    assert '<tr class="pointed"><th scope="row">4</th>' in document


def test_the_board_of_the_page_is_the_position_compared() -> None:
    assert f"<title>White to move: {ELSEWHERE}</title>" in shown(POSITION).text
