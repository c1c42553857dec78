"""Material: pieces are counted, and each material in range has a cell."""

from __future__ import annotations

from collections import Counter
from itertools import product

import chess
import pytest

from solver.errors import InputError
from solver.laboratory.imbalance import (
    CELLS,
    MIRROR,
    Material,
    count_pieces,
    find_cell,
    material_of,
    parse_material,
)

ONE, TWO, EIGHT = range(2), range(3), range(9)
IN_ORDER = product(ONE, ONE, TWO, TWO, TWO, TWO, TWO, TWO, EIGHT, EIGHT)
ROOK_ENDING = Material(white_rooks=1, black_rooks=1, white_pawns=1)


def test_cells_number_all_materials_in_order() -> None:
    number = -1
    for number, pieces in enumerate(IN_ORDER):
        material = Material(*pieces)
        assert find_cell(material) == number
        assert material_of(number) == material
    assert number == CELLS - 1 == 236_195


@pytest.mark.parametrize(
    ("material", "cell"),
    [
        (Material(), 0),
        (Material(black_pawns=1), 1),
        (Material(white_pawns=1), 9),
        (Material(black_knights=1), 81),
        (Material(white_queens=1), CELLS // 2),
        (ROOK_ENDING, 3**4 * 81 * 3 + 3**4 * 81 + 9),
    ],
)
def test_a_cell_has_the_number_that_the_search_uses(
    material: Material, cell: int
) -> None:
    assert find_cell(material) == cell


@pytest.mark.parametrize("place", range(10))
def test_material_with_too_many_pieces_has_no_cell(place: int) -> None:
    most = Material(1, 1, 2, 2, 2, 2, 2, 2, 8, 8)
    assert find_cell(most) == CELLS - 1
    assert find_cell(Material(*(n + (i == place) for i, n in enumerate(most)))) is None


@pytest.mark.parametrize("cell", [-1, CELLS])
def test_an_invalid_cell_has_no_material(cell: int) -> None:
    with pytest.raises(ValueError, match="out of bounds"):
        material_of(cell)


def test_a_mirrored_cell_has_the_colours_exchanged() -> None:
    for cell in range(0, CELLS, 7):
        pieces = material_of(cell)
        swapped = [pieces[place ^ 1] for place in range(10)]
        assert MIRROR[cell] == find_cell(Material(*swapped))


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "8/7K/8/8/8/8/R7/7k w - - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "QQQ4k/8/8/8/8/8/8/K4bbb w - - 0 1",
        "8/P1k5/K7/8/8/8/8/8 b - - 0 1",
    ],
)
def test_pieces_on_a_board_are_counted(fen: str) -> None:
    letters = Counter(fen.partition(" ")[0])
    counted = count_pieces(chess.Board(fen))
    assert counted == Material(*(letters[letter] for letter in "QqRrBbNnPp"))
    assert find_cell(count_pieces(chess.Board(fen))) == find_cell(counted)


@pytest.mark.parametrize(
    ("name", "material", "balance"),
    [
        ("KvK", Material(), 0),
        ("KRPvKR", ROOK_ENDING, 1),
        ("KvKQ", Material(black_queens=1), -9),
        ("KQRRvKBBNNPP", Material(1, 0, 2, 0, 0, 2, 0, 2, 0, 2), 5),
    ],
)
def test_a_material_has_a_name_and_a_balance_in_pawns(
    name: str, material: Material, balance: int
) -> None:
    assert str(material) == name
    assert parse_material(name) == material
    assert material.balance() == balance


def test_every_name_is_read_back() -> None:
    for cell in range(0, CELLS, 101):
        material = material_of(cell)
        assert parse_material(str(material)) == material


@pytest.mark.parametrize("name", ["krpvkr", " KRPvKR\n", "KPRVKR"])
def test_names_are_read_in_any_case_and_with_spaces(name: str) -> None:
    assert parse_material(name) == ROOK_ENDING


@pytest.mark.parametrize(
    "name", ["", "KRP", "KRPvRK", "KRKvK", "KRPKR", "K0vK", "x" * 99]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="expected material such as KRPvKR") as refused:
        parse_material(name)
    assert len(str(refused.value)) <= 120
