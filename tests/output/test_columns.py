"""Tables on consoles of any width, with bars or without."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from solver.output.columns import Column, bar, bars, fit, table_of

COLUMNS = [
    Column("name", ["a", "bcd"], left=True),
    Column("some\nnodes", ["1,234", "5"]),
    Column("extra", ["x", "y"], rank=1),
    Column("more", ["z", ""], rank=2),
]


def printed(width: int, *, encoding: str = "utf-8") -> tuple[Console, io.TextIOWrapper]:
    paper = io.TextIOWrapper(io.BytesIO(), encoding)
    return Console(file=paper, width=width), paper


def lines_of(paper: io.TextIOWrapper) -> list[str]:
    paper.flush()
    paper.seek(0)
    return [line.rstrip() for line in paper.read().splitlines()]


def fitted(width: int) -> list[str]:
    console, paper = printed(width)
    console.print(fit(console, COLUMNS, ["in words", "line by line"]))
    return lines_of(paper)


def test_a_table_for_a_file_is_the_same_as_on_a_wide_terminal() -> None:
    console, paper = printed(80)
    console.print(fit(console, COLUMNS))
    paper.flush()
    paper.seek(0)
    assert fit(None, COLUMNS) == paper.read().removesuffix("\n")


def test_a_table_has_names_at_the_left_and_figures_at_the_right() -> None:
    assert fitted(80) == [
        "       some",
        "name  nodes  extra  more",
        "a     1,234      x     z",
        "bcd       5      y",
    ]


@pytest.mark.parametrize(
    ("width", "first_row"),
    [
        (24, "a     1,234      x     z"),
        (23, "a     1,234      x"),
        (18, "a     1,234      x"),
        (17, "a     1,234"),
        (11, "a     1,234"),
    ],
)
def test_the_columns_of_the_highest_rank_are_dropped_first(
    width: int, first_row: str
) -> None:
    assert fitted(width)[2] == first_row


def test_lines_replace_a_table_that_does_not_fit() -> None:
    assert fitted(10) == ["in words", "line by", "line"]


@pytest.mark.parametrize(
    ("length", "drawn"),
    [
        (0, ""),
        (0.01, ""),
        (0.125, "▏"),
        (0.5, "▌"),
        (1, "█"),
        (2.9, "██▉"),
        (2.99, "███"),
    ],
)
def test_a_bar_is_exact_to_an_eighth(length: float, drawn: str) -> None:
    assert bar(length) == drawn


@pytest.mark.parametrize(
    ("length", "drawn"), [(0, ""), (0.4, ""), (0.6, "#"), (3, "###")]
)
def test_a_bar_in_ascii_is_exact_to_a_half(length: float, drawn: str) -> None:
    assert bar(length, ascii_only=True) == drawn


def drawn_bars(width: int, lengths: list[float | None], encoding: str) -> list[str]:
    console, paper = printed(width, encoding=encoding)
    columns = COLUMNS[:1]
    console.print(table_of(columns + bars(console, columns, lengths)))
    return lines_of(paper)[1:]


def test_the_longest_bar_fills_the_room() -> None:
    assert drawn_bars(18, [3, 1.5], "utf-8") == ["a     " + 12 * "█", "bcd   ██████"]
    assert drawn_bars(18, [1.5, 3], "ascii") == ["a     ######", "bcd   " + 12 * "#"]


def test_bars_have_a_greatest_width() -> None:
    assert drawn_bars(500, [1, None], "utf-8") == ["a     " + 40 * "█", "bcd"]


@pytest.mark.parametrize("lengths", [[None, None], [0.0, None]])
def test_there_are_no_bars_without_lengths(lengths: list[float | None]) -> None:
    assert drawn_bars(500, lengths, "utf-8") == ["a", "bcd"]


def test_there_are_no_bars_without_room() -> None:
    assert drawn_bars(16, [1, 1], "utf-8") == ["a     " + 10 * "█", "bcd   " + 10 * "█"]
    assert drawn_bars(15, [1, 1], "utf-8") == ["a", "bcd"]
