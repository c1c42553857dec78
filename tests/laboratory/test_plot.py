"""Plots of node counts: complete and reproducible files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from solver.laboratory.comparison import Series
from solver.laboratory.techniques import Settings, ablation
from tests.laboratory.counts import GLASS_POSITION, OFF, POSITION, series

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("matplotlib")

from solver.laboratory.plot import plot_position

CROWD = replace(
    POSITION,
    series=tuple(series(variant, (1, 10, 20)) for variant in ablation(Settings())),
)


def test_a_png_is_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "nodes.png"
    plot_position(POSITION, path)
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert path.stat().st_size > 10_000


def test_an_svg_names_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "nodes.SVG"
    plot_position(GLASS_POSITION, path)
    text = path.read_text()
    assert "<svg" in text
    for name in (">off<", ">cpw<", ">Glass off<", ">Glass on<", GLASS_POSITION.fen):
        assert name in text


def test_the_published_figures_are_drawn_for_their_position_only(
    tmp_path: Path,
) -> None:
    plot_position(POSITION, tmp_path / "nodes.svg")
    assert "Glass" not in (tmp_path / "nodes.svg").read_text()


def test_the_same_counts_give_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        plot_position(GLASS_POSITION, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(
    "position",
    [
        CROWD,
        replace(POSITION, series=(Series(OFF, ()),)),
        replace(POSITION, series=(series(OFF, (0, 0, 0)),)),
    ],
    ids=["crowd", "nothing", "no nodes"],
)
def test_many_variants_and_empty_series_are_drawn_without_warnings(
    position: object, tmp_path: Path
) -> None:
    plot_position(position, tmp_path / "nodes.png")  # type: ignore[arg-type]
    assert (tmp_path / "nodes.png").stat().st_size > 5_000
