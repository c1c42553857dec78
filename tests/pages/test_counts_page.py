"""The page of a comparison: what it says, what it may load, and in a browser."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from solver.laboratory.count_tables import describe_variant
from solver.laboratory.node_counts import CollectionFile, Series
from solver.laboratory.techniques import ablation, combine
from solver.pages.laboratory_pages import encode_counts
from tests.laboratory.counts import (
    CHECKS,
    COLLECTION,
    CPW,
    EFP,
    ELSEWHERE,
    FOUND,
    GLASS_POSITION,
    NONE,
    OFF,
    POSITION,
    SEVERAL_FILES,
    problem_counts,
    series,
)
from tests.pages.html import Page, require_own_style_and_script
from tests.pages.live import PHONE, needs_chromium
from tests.pages.records import HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Page as Browsed

    from solver.laboratory.node_counts import CollectionCounts, PositionCounts
    from tests.pages.live import Look

COMMAND = "matesolve table --mdp off,cpw"


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


TITLES = {
    (CPW,): "Nodes of a search with mate-distance pruning",
    (CPW, OFF): "Mate-distance pruning: nodes of 2 variants",
    (OFF, CHECKS): "Check extension: nodes with and without",
    (OFF, CPW, EFP): "Mate-distance pruning and forward pruning: nodes of 3",
    (*ablation(),): "Search techniques: nodes of 20 variants",
}


def test_the_title_and_the_headline_follow_from_the_rows() -> None:
    for variants, title in TITLES.items():
        rows = tuple(series(variant, (596, 4, 19)) for variant in variants)
        page = shown(replace(POSITION, depth=1, series=rows))
        assert page.lines[0].startswith(title)
    cheap, dear = replace(FOUND, nodes=100), replace(FOUND, nodes=900)
    variants = (OFF, EFP, CHECKS)  # of which the second misses a mate
    answers = (FOUND, cheap, dear), (FOUND, NONE, dear)
    made = tuple(problem_counts("x", 2, *each) for each in answers)
    page = shown(replace(COLLECTION, variants=variants, rows=made, problems=2))
    assert page.lines[1].startswith(
        "Check extension finds a mate with 1.11 times fewer"
    )
    bars = re.findall(r'<rect width="([^"]*)"', page.text)
    assert bars == ["100.0", "90.0", "100.0", "10.0", "90.0"]


def test_every_page_is_well_formed_and_its_cells_have_headings() -> None:
    nothing = replace(POSITION, series=(Series(OFF, ()),))
    no_rows = replace(COLLECTION, rows=())
    for counts in (POSITION, GLASS_POSITION, nothing, SEVERAL_FILES, no_rows):
        page = shown(counts)
        require_own_style_and_script(page.text.encode())
        assert page.text == shown(counts).text
        assert all(head["scope"] for head in page.attributes("th"))
        ids = re.findall(r'\sid="([^"]*)"', page.text)
        assert len(set(ids)) == len(ids)


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
    assert "table caf?.epd" in shown(COLLECTION, "table caf\udce9.epd").text
    assert f"<title>White to move: {ELSEWHERE}</title>" in shown(POSITION).text


DESCRIBED = """
off off off off
tight all+promotions off off
| both bounds, with beta at a mate on the next ply, as in Stockfish
| checks and promotions cost no depth
off off 14 prune+lazy
| a null move, 2 plies shallower, and multi-cut with 3 of 6 moves at expected cut and \
all nodes, with the additions 1, 4
| no search if the material table has only wins or only losses; results of the \
material instead of the evaluation
off uncapped off correct+white+curve
| checks, however long the line, cost no depth
| results of the material added to the evaluation; White's results alone; material \
with few positions weighs less
"""
"""A choice of each kind of technique, and a line for each that is one."""


def test_a_variant_is_described_in_words() -> None:
    for described in re.split(r"\n(?!\|)", DESCRIBED.strip()):
        choice, *words = described.split("\n| ")
        mdp, extension, efp, mip = ([value] for value in choice.split())
        (variant,) = combine(mdp, extension, efp, mip)
        assert [said for _, said in describe_variant(variant)] == words


def lines_of(page: Browsed, chart: int) -> list[str]:
    """The names of the lines of a chart."""
    drawing = page.locator(".chart [role=img]").nth(chart)
    return drawing.locator("text.name title").all_text_contents()


def test_a_depth_is_read_and_a_variant_hidden_and_the_first_mate_marked(
    look: Look,
) -> None:
    page = look(encode_counts(GLASS_POSITION, HOSTILE), viewport=PHONE).page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    said = page.locator(".chart > div > p").first
    page.locator(".strip").nth(3).hover()
    assert said.inner_text() == (
        "depth 4 · off M2 12,345 · cpw M2 9,876 (0.800) · Glass off 1051 551 · "
        "Glass on 1051 551 (1.000)"
    )
    assert page.get_by_text("first mate: M2 at depth 4").count() == 2
    assert lines_of(page, 0) == ["off", "cpw", "Glass off", "Glass on"]
    page.get_by_role("checkbox", name="cpw").uncheck()
    assert lines_of(page, 0) == ["off", "Glass off", "Glass on"]
    assert lines_of(page, 1) == ["Glass on"]
    assert page.locator("tbody th", has_text="cpw").count() == 1


@needs_chromium("printing to PDF")
def test_a_page_is_read_in_the_dark_on_paper_and_without_scripts(look: Look) -> None:
    for options in ({"color_scheme": "dark"}, {"java_script_enabled": False}):
        page = look(encode_counts(GLASS_POSITION, HOSTILE), **options).page
        curves = page.locator("h2", has_text="Curves")
        assert curves.is_visible() == ("color_scheme" in options)
        page.emulate_media(media="print")
        assert page.get_by_text("The two compared").count() == 1
        assert page.get_by_role("table").count() == 3
        assert page.inner_text("code >> nth=-1") == HOSTILE
        assert page.pdf().startswith(b"%PDF")
