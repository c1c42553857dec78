"""Material-imbalance tables: exact counts, the search's words, and atomic files."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from fractions import Fraction
from importlib import resources
from itertools import product
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import ImbalanceError, InputError, MatesolveError
from solver.kernel.border.scored_struct import MipUse
from solver.laboratory.imbalance import (
    CELLS,
    MIRROR,
    Coverage,
    ImbalanceTable,
    Material,
    Outcomes,
    count_material,
    find_material_cell,
    material_of,
    parse_material,
    shipped,
)
from tests.laboratory.test_imbalance_file import counts_of, file_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RESULTS = (1.0, 0.5, 0.0)
ROOK = find_material_cell(Material(white_rooks=1))
ROOK_FOR_BLACK = find_material_cell(Material(black_rooks=1))
ROOKS = find_material_cell(Material(white_rooks=1, black_rooks=1))


def table_of(
    positions: Iterable[tuple[int | None, float]], source: str = ""
) -> ImbalanceTable:
    table = ImbalanceTable(source)
    for cell, result in positions:
        table.add(cell, result)
    return table


POSITIONS = st.lists(
    st.tuples(
        st.none() | st.sampled_from([0, 7, CELLS - 1]) | st.integers(0, CELLS - 1),
        st.sampled_from(RESULTS),
    ),
    max_size=12,
)


@pytest.mark.parametrize(
    ("outcomes", "per_cent"),
    [
        (Outcomes(0, 0, 0), None),
        (Outcomes(1, 0, 0), 100),
        (Outcomes(0, 0, 1), 0),
        (Outcomes(0, 1, 0), 50),
        (Outcomes(1, 1, 0), 75),
        (Outcomes(1, 0, 2), 33),
        (Outcomes(2, 0, 1), 67),
        (Outcomes(999_999, 1, 0), 99),
        (Outcomes(10**15, 0, 1), 99),
        (Outcomes(0, 1, 999_999), 1),
        (Outcomes(1, 0, 10**15), 1),
    ],
)
def test_a_score_is_0_or_100_only_if_every_position_was_lost_or_won(
    outcomes: Outcomes, per_cent: int | None
) -> None:
    assert outcomes.per_cent == per_cent
    assert outcomes.is_decided == (per_cent in {0, 100})


@pytest.mark.parametrize(
    ("outcomes", "word"),
    [
        (Outcomes(0, 0, 0), 0),
        (Outcomes(0, 0, 1), 128),
        (Outcomes(3, 0, 0), 3 * 128 + 100),
        (Outcomes(0, 2**25 - 1, 0), 0xFFFF_FF80 + 50),
        (Outcomes(0, 2**40, 0), 0xFFFF_FF80 + 50),
    ],
)
def test_a_word_counts_up_to_25_bits(outcomes: Outcomes, word: int) -> None:
    assert outcomes.word == word


def test_a_cell_holds_how_often_white_won_drew_and_lost() -> None:
    table = table_of([(ROOK, 1), (ROOK, 1), (ROOK, 0.5), (ROOKS, 0), (None, 1)])
    assert ROOK is not None
    assert ROOKS is not None
    assert table.outcomes(ROOK) == Outcomes(2, 1, 0)
    assert table.outcomes(ROOKS) == Outcomes(0, 0, 1)
    assert table.outcomes(5) == Outcomes(0, 0, 0)
    assert table.coverage() == Coverage(4, 1, CELLS, 2, 1, 1)
    assert table.most_frequent(1) == [ROOK]
    assert table.most_frequent(9) == [ROOK, ROOKS]


def test_a_folded_cell_counts_what_either_colour_scored() -> None:
    # White with the rook: a win and a draw; Black with it: two wins.
    table = table_of([(ROOK, 1), (ROOK, 0.5), (ROOK_FOR_BLACK, 0), (ROOK_FOR_BLACK, 0)])
    assert ROOK is not None
    assert ROOK_FOR_BLACK is not None
    assert table.folded().outcomes(ROOK) == Outcomes(3, 1, 0)
    assert table.folded().outcomes(ROOK_FOR_BLACK) == Outcomes(0, 1, 3)


def test_equal_material_is_folded_to_a_half_and_counted_once() -> None:
    table = table_of([(ROOKS, 1), (ROOKS, 1), (ROOKS, 0.5)])
    assert ROOKS is not None
    assert table.folded().outcomes(ROOKS) == Outcomes(0, 3, 0)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(POSITIONS, POSITIONS)
def test_a_merged_table_equals_the_table_of_all_positions(
    first: list[tuple[int | None, float]], second: list[tuple[int | None, float]]
) -> None:
    merged, other_way = table_of(first), table_of(second)
    merged.merge(table_of(second))
    other_way.merge(table_of(first))
    assert merged.to_bytes() == table_of(first + second).to_bytes()
    assert merged.to_bytes() == other_way.to_bytes()


def test_merging_keeps_the_source_and_the_other_table() -> None:
    merged, other = ImbalanceTable("mine"), table_of([(ROOK, 1)], "theirs")
    before = other.to_bytes()
    merged.merge(other)
    assert merged.source == "mine"
    assert other.to_bytes() == before


def test_a_table_comes_back_from_its_file(tmp_path: Path) -> None:
    chance = random.Random(3)
    positions = [
        (chance.choice([None, chance.randrange(CELLS)]), chance.choice(RESULTS))
        for _ in range(3000)
    ]
    table = table_of(positions, "3,000 positions, ½ of them ignored")
    path = tmp_path / "x.npz"
    table.save(path)
    loaded = ImbalanceTable.load(path)
    assert loaded.source == table.source
    assert loaded.ignored == table.ignored > 0
    assert list(loaded.filled_cells()) == list(table.filled_cells())
    assert loaded.to_bytes() == path.read_bytes() == table.to_bytes()
    with np.load(path, allow_pickle=False) as arrays:
        checksum = hashlib.sha256(arrays["counts"]).hexdigest()
    assert checksum == table.checksum() == loaded.checksum()


def test_saving_replaces_a_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_text("before")
    table_of([(ROOK, 1)]).save(path)
    assert ImbalanceTable.load(path).coverage().positions == 1
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_file_stays_if_it_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "x.npz"
    path.write_text("before")
    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        ImbalanceTable().save(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_names_the_file_that_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_text("[Event]")
    with pytest.raises(ImbalanceError) as refused:
        ImbalanceTable.load(path)
    assert str(refused.value) == (
        f"{path}: expected a material-imbalance table, found another kind of file"
    )
    assert isinstance(refused.value, InputError)


@pytest.mark.parametrize("name", ["missing.npz", "."])
def test_a_file_that_cannot_be_read_is_an_os_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=r"No such file|Is a directory"):
        ImbalanceTable.load(tmp_path / name)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("two\nlines", "one printable line, found U+000A"),
        ("\x1b[31mred", "one printable line, found U+001B"),
        ("\udc80", "one printable line, found U+DC80"),
        ("é" * 501, "at most 1000 bytes, found 1002"),
    ],
)
def test_a_source_is_one_printable_line(source: str, found: str) -> None:
    with pytest.raises(ImbalanceError, match="source: expected") as refused:
        ImbalanceTable(source)
    assert found in str(refused.value)


def test_counts_too_large_for_a_file_are_refused() -> None:
    many = file_of(counts=counts_of({0: (2**55, 0, 0)}))
    table, other = ImbalanceTable.from_bytes(many), ImbalanceTable.from_bytes(many)
    with pytest.raises(
        ImbalanceError, match=r"counts below 2\^56, found 72057594037927936"
    ):
        table.merge(other)


def test_the_shipped_table_is_read_from_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    with pytest.raises(MatesolveError, match="found none: reinstall it") as missing:
        shipped()
    assert missing.value.exit_code == 70

    table_of([(ROOK, 1)], "shipped").save(tmp_path / "imbalance.npz")
    assert shipped().source == "shipped"


# --- the words of the search: both colours folded or White's view, rounded or a curve


Words = dict[int | None, int]

FOLDED, WHITE = MipUse.NONE, MipUse.WHITE
ROUNDED, CURVE = MipUse.ROUNDED, MipUse.CURVE


def words_of(
    table: ImbalanceTable, form: MipUse, weight: int = 0
) -> tuple[Words, Words]:
    """Return the words that are not 0, as White and Black see them."""
    both = table.search_words(form, weight)
    for words in both:
        assert words.dtype == np.uint32
        assert words.shape == (CELLS,)
    return filled(both[0].tolist()), filled(both[1].tolist())


def filled(words: Sequence[int]) -> Words:
    return {cell: word for cell, word in enumerate(words) if word}


def with_rook(outcomes: Outcomes) -> ImbalanceTable:
    """Return a table with the results of White's rook against a bare king."""
    results = zip((1.0, 0.5, 0.0), outcomes, strict=True)
    return table_of((ROOK, result) for result, number in results for _ in range(number))


# Folded


def test_folded_words_count_both_colours_results() -> None:
    table = table_of(
        # White with the rook: a win and a draw; Black with it: two wins.
        [(ROOK, 1), (ROOK, 0.5), (ROOK_FOR_BLACK, 0), (ROOK_FOR_BLACK, 0)]
    )
    expected = {ROOK: 4 << 7 | 88, ROOK_FOR_BLACK: 4 << 7 | 13}
    assert words_of(table, FOLDED) == (expected, expected)


def test_folded_words_score_equal_material_as_a_half() -> None:
    table = table_of([(ROOKS, 1), (ROOKS, 1), (ROOKS, 0.5)])
    assert words_of(table, FOLDED)[0] == {ROOKS: 3 << 7 | 50}


def test_a_material_that_only_white_had_is_known_for_black_too() -> None:
    words = words_of(table_of([(ROOK, 1)] * 3), FOLDED)[0]
    assert words == {ROOK: 3 << 7 | 100, ROOK_FOR_BLACK: 3 << 7}


@settings(derandomize=True, deadline=None, max_examples=15)
@given(POSITIONS)
def test_games_with_colours_exchanged_give_the_same_folded_words(
    positions: list[tuple[int | None, float]],
) -> None:
    exchanged = [
        (None if cell is None else int(MIRROR[cell]), 1 - result)
        for cell, result in positions
    ]
    folded = words_of(table_of(positions), FOLDED)
    assert folded == words_of(table_of(exchanged), FOLDED)


# White's view


def test_in_whites_view_black_has_100_minus_whites_score() -> None:
    table = table_of([(ROOK, 1), (ROOK, 0.5), (ROOK, 0.5), (ROOKS, 0), (ROOKS, 0.5)])
    white = {ROOK: 3 << 7 | 67, ROOKS: 2 << 7 | 25}
    black = {ROOK_FOR_BLACK: 3 << 7 | 33, ROOKS: 2 << 7 | 75}
    assert words_of(table, WHITE) == (white, black)


def test_in_whites_view_blacks_results_with_a_material_are_not_whites() -> None:
    table = table_of([(ROOK, 1), (ROOK_FOR_BLACK, 1)])
    white, black = words_of(table, WHITE)
    assert white == {ROOK: 1 << 7 | 100, ROOK_FOR_BLACK: 1 << 7 | 100}
    assert black == {ROOK: 1 << 7, ROOK_FOR_BLACK: 1 << 7}
    both = {ROOK: 2 << 7 | 50, ROOK_FOR_BLACK: 2 << 7 | 50}
    assert words_of(table, FOLDED) == (both, both)


@settings(derandomize=True, deadline=None, max_examples=15)
@given(POSITIONS)
def test_games_with_colours_exchanged_give_whites_view_to_black(
    positions: list[tuple[int | None, float]],
) -> None:
    exchanged = [
        (None if cell is None else int(MIRROR[cell]), 1 - result)
        for cell, result in positions
    ]
    first = words_of(table_of(positions), WHITE | CURVE, 3)
    second = words_of(table_of(exchanged), WHITE | CURVE, 3)
    for words, others in zip(first, reversed(second), strict=True):
        assert words.keys() == others.keys()
        for cell, word in words.items():
            assert word >> 7 == others[cell] >> 7
            # Halves are rounded up for White, so the other side may have one less.
            assert abs(word % 128 - others[cell] % 128) <= 1


# Rounded, and the curve


@pytest.mark.parametrize(
    ("outcomes", "exact", "rounded"),
    [
        (Outcomes(0, 1, 99), 1, 1),
        (Outcomes(0, 1, 100), 1, 0),
        (Outcomes(100, 1, 0), 99, 100),
        (Outcomes(0, 0, 7), 0, 0),
        (Outcomes(3, 0, 0), 100, 100),
    ],
)
def test_rounded_words_have_0_and_100_per_cent_from_half_a_per_cent_on(
    outcomes: Outcomes, exact: int, rounded: int
) -> None:
    table, positions = with_rook(outcomes), outcomes.positions
    assert words_of(table, FOLDED)[0][ROOK] == positions << 7 | exact
    for form in (ROUNDED, ROUNDED | WHITE):
        assert words_of(table, form)[0][ROOK] == positions << 7 | rounded


@pytest.mark.parametrize("outcomes", [Outcomes(4, 0, 0), Outcomes(1, 3, 7)])
@pytest.mark.parametrize("weight", [0, 1, 4, 50, 10_000])
def test_a_curve_draws_the_score_to_50_by_the_number_of_positions(
    outcomes: Outcomes, weight: int
) -> None:
    positions = outcomes.positions
    score = Fraction(100 * (2 * outcomes.wins + outcomes.draws), 2 * positions)
    drawn = 50 + (score - 50) * Fraction(positions, positions + weight)
    per_cent = floor(drawn + Fraction(1, 2))
    table = with_rook(outcomes)
    assert words_of(table, CURVE, weight)[0][ROOK] == positions << 7 | per_cent


def test_a_curve_is_0_or_100_only_with_many_positions() -> None:
    for number, per_cent in ((98, 99), (99, 100)):
        words = words_of(with_rook(Outcomes(number, 0, 0)), CURVE, 1)[0]
        assert words[ROOK] == number << 7 | per_cent


# --- material: pieces are counted, and each material in range has a cell


ONE, TWO, EIGHT = range(2), range(3), range(9)
IN_ORDER = product(ONE, ONE, TWO, TWO, TWO, TWO, TWO, TWO, EIGHT, EIGHT)
ROOK_ENDING = Material(white_rooks=1, black_rooks=1, white_pawns=1)


def test_cells_number_all_materials_in_order() -> None:
    number = -1
    for number, pieces in enumerate(IN_ORDER):
        material = Material(*pieces)
        assert find_material_cell(material) == number
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
    assert find_material_cell(material) == cell


@pytest.mark.parametrize("place", range(10))
def test_material_with_too_many_pieces_has_no_cell(place: int) -> None:
    most = Material(1, 1, 2, 2, 2, 2, 2, 2, 8, 8)
    assert find_material_cell(most) == CELLS - 1
    assert (
        find_material_cell(Material(*(n + (i == place) for i, n in enumerate(most))))
        is None
    )


@pytest.mark.parametrize("cell", [-1, CELLS])
def test_an_invalid_cell_has_no_material(cell: int) -> None:
    with pytest.raises(ValueError, match="out of bounds"):
        material_of(cell)


def test_a_mirrored_cell_has_the_colours_exchanged() -> None:
    for cell in range(0, CELLS, 7):
        pieces = material_of(cell)
        swapped = [pieces[place ^ 1] for place in range(10)]
        assert MIRROR[cell] == find_material_cell(Material(*swapped))


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
    counted = count_material(chess.Board(fen))
    assert counted == Material(*(letters[letter] for letter in "QqRrBbNnPp"))
    assert find_material_cell(count_material(chess.Board(fen))) == find_material_cell(
        counted
    )


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
