"""Boards in a terminal: letters, or colours with enough contrast."""

import re

import pytest
from rich.console import Console

from solver.output.diagram import lettered_board, painted_board

FEN = "r3k2r/8/8/3pP3/8/8/8/R3K2N w Qkq d6 0 1"


def channel(level: int) -> float:
    value = level / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def luminance(number: int) -> float:
    """Relative luminance of a colour of the 256-colour palette's cube."""
    levels = [0, 95, 135, 175, 215, 255]
    cube = number - 16
    red, green, blue = (levels[cube // part % 6] for part in (36, 6, 1))
    return 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)


def contrast(one: int, other: int) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def cells() -> dict[str, tuple[str, int | None, int]]:
    """The figurine, its colour and its background, of each painted square."""
    board = painted_board(FEN)
    found = {}
    for row, line in enumerate(board.split("\n")[:8]):
        squares = line.spans[1:]
        for file, span in zip("abcdefgh", squares, strict=True):
            colours = [int(number) for number in re.findall(r"\d+", str(span.style))]
            found[f"{file}{8 - row}"] = (
                line.plain[span.start : span.end].strip(),
                colours[0] if len(colours) == 2 else None,
                colours[-1],
            )
    return found


def test_a_lettered_board_is_ascii() -> None:
    assert lettered_board(FEN) == [
        "8 r . . . k . . r",
        "7 . . . . . . . .",
        "6 . . . . . . . .",
        "5 . . . p P . . .",
        "4 . . . . . . . .",
        "3 . . . . . . . .",
        "2 . . . . . . . .",
        "1 R . . . K . . N",
        "  a b c d e f g h",
    ]


def test_a_painted_board_has_its_pieces_above_their_coordinates() -> None:
    lines = painted_board(FEN).plain.split("\n")

    assert lines[0] == "8  ♜           ♚        ♜ "
    assert lines[7] == "1  ♜           ♚        ♞ "
    assert lines[8] == "   a  b  c  d  e  f  g  h "
    assert {len(line) for line in lines} == {26}


def test_neighbouring_squares_differ_and_a1_is_dark() -> None:
    painted = cells()
    dark, light = painted["a1"][2], painted["b1"][2]

    assert luminance(dark) < luminance(light)
    for square, (_, _, background) in painted.items():
        parity = ("abcdefgh".index(square[0]) + int(square[1])) % 2
        assert background == (dark if parity else light), square


def test_the_sides_differ_in_the_colour_of_their_pieces() -> None:
    painted = cells()

    assert painted["e1"][:2] == ("♚", 231)
    assert painted["e8"][:2] == ("♚", 16)
    assert painted["d5"][:2] == ("♟", 16)
    assert painted["e5"][:2] == ("♟", 231)
    assert painted["e4"][:2] == ("", None)


def test_pieces_contrast_with_squares_of_both_colours() -> None:
    squares = {background for _, _, background in cells().values()}
    pieces = {colour for _, colour, _ in cells().values() if colour is not None}

    assert len(squares) == len(pieces) == 2
    for square in squares:
        for piece in pieces:
            assert contrast(piece, square) >= 3


@pytest.mark.parametrize("width", [26, 40, 80])
def test_no_square_uses_the_terminal_s_own_colours(width: int) -> None:
    console = Console(force_terminal=True, color_system="256", width=width)
    with console.capture() as capture:
        console.print(painted_board(FEN))

    rows = capture.get().splitlines()[:8]

    for row in rows:
        assert row.count("48;5;103") + row.count("48;5;60") == 8
