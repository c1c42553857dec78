"""Material-imbalance tables: counts, the search's words, and files as documented."""

from __future__ import annotations

import io
import random
import tracemalloc
import zipfile
from collections import Counter
from fractions import Fraction
from importlib import resources
from itertools import product
from math import floor
from typing import TYPE_CHECKING, Any

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import ImbalanceError, InputError, MatesolveError
from solver.kernel.border.scored_struct import MipUse
from solver.laboratory.imbalance import (
    CELLS,
    MAX_FILE_BYTES,
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
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SMALL = {0: (1, 2, 3), 200: (0, 0, 1_000), CELLS - 1: (1, 0, 0)}
OTHER_KIND = "expected a material-imbalance table, found another kind of file"
DAMAGED = "expected a whole table, found a damaged one"
ANOTHER = "expected a material-imbalance table, found another .npz archive"


def counts_of(cells: dict[int, tuple[int, int, int]]) -> np.ndarray[Any, Any]:
    counts = np.zeros((CELLS, 3), "<u8")
    for cell, outcomes in cells.items():
        counts[cell] = outcomes
    return counts


def file_of(**arrays: Any) -> bytes:
    """Write a table's file with NumPy alone; None leaves an array out."""
    content: dict[str, Any] = {
        "version": np.array(2, "<u8"),
        "source": np.array(b"tiny"),
        "ignored": np.array(300, "<u8"),
        "counts": counts_of(SMALL),
        **arrays,
    }
    file = io.BytesIO()
    np.savez_compressed(
        file, **{name: array for name, array in content.items() if array is not None}
    )
    return file.getvalue()


def file_with(ignored: bytes) -> bytes:
    """Write a table's file in which a member holds the given bytes."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(file_of())) as table,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in table.namelist():
            content = ignored if name == "ignored.npy" else table.read(name)
            archive.writestr(name, content)
    return file.getvalue()


def content_of(table: ImbalanceTable) -> tuple[str, int, list[tuple[int, Outcomes]]]:
    return table.source, table.ignored, list(table.filled_cells())


def refusal_of(data: bytes) -> str:
    with pytest.raises(ImbalanceError) as refused:
        ImbalanceTable.from_bytes(data)
    message = str(refused.value)
    assert message.isprintable()
    return message


def test_a_file_is_read_and_written_as_documented() -> None:
    table = ImbalanceTable.from_bytes(file_of())
    assert content_of(table) == ("tiny", 300, list(SMALL.items()))
    with np.load(io.BytesIO(table.to_bytes()), allow_pickle=False) as arrays:
        assert [(n, arrays[n].dtype.str, arrays[n].shape) for n in arrays] == [
            *(("version", "<u8", ()), ("source", "|S4", ()), ("ignored", "<u8", ())),
            ("counts", "<u8", (CELLS, 3)),
        ]
        simple = [arrays[name][()] for name in ("version", "source", "ignored")]
        assert simple == [2, b"tiny", 300]
        assert (arrays["counts"] == counts_of(SMALL)).all()


def test_equal_tables_give_equal_bytes_at_any_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = ImbalanceTable.from_bytes(file_of())
    before = table.to_bytes()
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert table.to_bytes() == before


CELLS_AND_COUNTS = st.dictionaries(
    st.integers(0, CELLS - 1),
    st.tuples(*[st.integers(0, 2**56 - 1)] * 3).filter(any),
    max_size=6,
)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(
    st.text(st.characters(categories=["L", "N", "P"]), max_size=30),
    st.integers(0, 2**56 - 1),
    CELLS_AND_COUNTS,
)
def test_any_content_comes_back(
    source: str, ignored: int, cells: dict[int, tuple[int, int, int]]
) -> None:
    arrays = {
        "source": np.array(source.encode()),
        "ignored": np.array(ignored, "<u8"),
        "counts": counts_of(cells),
    }
    table = ImbalanceTable.from_bytes(file_of(**arrays))
    assert content_of(table) == (source, ignored, sorted(cells.items()))
    again = ImbalanceTable.from_bytes(table.to_bytes())
    assert content_of(again) == content_of(table)


@sized("every", 10, 1)
def test_damage_is_noticed_or_does_not_change_the_content(every: int) -> None:
    data = file_of()
    content = content_of(ImbalanceTable.from_bytes(data))
    chance = random.Random(1)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        start = archive.getinfo("counts.npy").header_offset + 80
    compressed = range(start, archive.start_dir - 1)
    others = [place for place in range(len(data)) if place not in compressed]
    for place in (others + chance.sample(compressed, 60))[::every]:
        damaged = bytearray(data)
        damaged[place] ^= chance.choice([0xFF, 1 << chance.randrange(8)])
        try:
            table = ImbalanceTable.from_bytes(bytes(damaged))
        except ImbalanceError:
            continue
        assert content_of(table) == content
        assert place not in compressed
    for size in range(4, len(data)):
        assert refusal_of(data[:size]) == DAMAGED


class Trap:
    """What a file must not make."""

    def __reduce__(self) -> tuple[object, ...]:
        return pytest.fail, ("the file was unpickled",)


LIMIT = "expected counts below 2^56, found"
VERSION = "expected a table of version 2, found version"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"version": np.array(3, "<u8")}, f"{VERSION} 3, of a newer program"),
        ({"version": np.array(0, "<u8")}, f"{VERSION} 0"),
        ({"version": None}, ANOTHER),
        ({"counts": None}, ANOTHER),
        ({"more": np.array(1)}, ANOTHER),
        ({"source": np.array(b"\xff")}, "source: expected UTF-8, found other bytes"),
        ({"source": np.array(b"a\x1b")}, "source: expected one printable line, found "),
        ({"source": np.array(b"a" * 1001)}, "source: expected at most 1000 bytes, fou"),
        ({"ignored": np.array(2**56, "<u8")}, f"{LIMIT} 72057594037927936"),
        ({"counts": counts_of({9: (0, 2**56, 0)})}, f"{LIMIT} 72057594037927936"),
        ({"counts": counts_of({9: (0, 2**64 - 1, 0)})}, f"{LIMIT} 1844674407370955161"),
        ({"source": np.array("tiny")}, ANOTHER),
        ({"ignored": np.array([1, 2], "<u8")}, ANOTHER),
        ({"ignored": np.array(Trap(), object)}, DAMAGED),
        ({"counts": np.zeros((CELLS, 2), "<u8")}, ANOTHER),
        ({"counts": np.zeros((CELLS, 3), "<i8")}, ANOTHER),
        ({"counts": np.zeros((CELLS, 3), ">u8")}, ANOTHER),
    ],
)
def test_content_that_no_table_has_is_refused(
    arrays: dict[str, Any], message: str
) -> None:
    assert refusal_of(file_of(**arrays)).startswith(message)


def test_a_file_of_another_kind_or_size_is_refused() -> None:
    for data in (b"", b"\x89PNG\r\n\x1a\n" + bytes(99), b"\0" + file_of()):
        assert refusal_of(data) == OTHER_KIND
    large = b"PK\x03\x04" + bytes(MAX_FILE_BYTES)
    assert refusal_of(large) == "expected at most 8,388,608 bytes, found more"


@pytest.mark.parametrize("shape", ["(1000000000,)", "(-1,)", "(" * 300])
def test_a_hostile_header_is_refused(shape: str) -> None:
    header = f"{{'descr': '<u8', 'fortran_order': False, 'shape': {shape}, }}\n"
    size = len(header).to_bytes(2, "little")
    member = b"\x93NUMPY\x01\x00" + size + header.encode() + bytes(8)
    assert refusal_of(file_with(member)) == DAMAGED


def test_a_file_that_unpacks_to_much_more_than_a_table_takes_little_memory() -> None:
    bomb = file_with(bytes(1 << 28))
    lying = bomb.replace((1 << 28).to_bytes(4, "little"), (136).to_bytes(4, "little"))
    assert len(bomb) == len(lying) < 1 << 20
    tracemalloc.start()
    try:
        said = refusal_of(bomb)
        assert said.startswith("expected arrays of at most 8,388,608 bytes, found 27")
        assert refusal_of(lying) == DAMAGED
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 25


@settings(derandomize=True, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_behind_a_head_are_refused(body: bytes) -> None:
    for head in (b"", b"PK\x03\x04", b"PK\x05\x06", b"\x89MIP\r\n\x1a\n"):
        refusal_of(head + body)


RESULTS = (1.0, 0.5, 0.0)
ROOK = 3**4 * 81 * 3
ROOK_FOR_BLACK = 3**4 * 81
ROOKS = ROOK + ROOK_FOR_BLACK

Positions = list[tuple[int | None, float]]


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
SOME = settings(derandomize=True, deadline=None, max_examples=15)


def test_a_score_is_0_or_100_only_if_every_position_was_lost_or_won() -> None:
    for outcomes, per_cent in (
        *((Outcomes(0, 0, 0), None), (Outcomes(1, 0, 0), 100), (Outcomes(0, 0, 1), 0)),
        *((Outcomes(1, 1, 0), 75), (Outcomes(1, 0, 2), 33), (Outcomes(2, 0, 1), 67)),
        *((Outcomes(10**15, 0, 1), 99), (Outcomes(1, 0, 10**15), 1)),
    ):
        assert outcomes.per_cent == per_cent
        assert outcomes.is_decided == (per_cent in {0, 100})


def test_a_word_counts_up_to_25_bits() -> None:
    assert Outcomes(0, 0, 0).word == 0
    assert Outcomes(0, 0, 1).word == 128
    assert Outcomes(3, 0, 0).word == 3 * 128 + 100
    most = 0xFFFF_FF80 + 50
    assert Outcomes(0, 2**25 - 1, 0).word == Outcomes(0, 2**40, 0).word == most


def test_a_cell_holds_how_often_white_won_drew_and_lost() -> None:
    table = table_of([(ROOK, 1), (ROOK, 1), (ROOK, 0.5), (ROOKS, 0), (None, 1)])
    found = [table.outcomes(cell) for cell in (ROOK, ROOKS, 5)]
    assert found == [Outcomes(2, 1, 0), Outcomes(0, 0, 1), Outcomes(0, 0, 0)]
    assert table.coverage() == Coverage(4, 1, CELLS, 2, 1, 1)
    assert table.most_frequent(1) == [ROOK]
    assert table.most_frequent(9) == [ROOK, ROOKS]


def test_a_folded_cell_counts_what_either_colour_scored() -> None:
    # White with the rook: a win and a draw; Black with it: two wins.
    seen = [(ROOK, 1), (ROOK, 0.5), (ROOK_FOR_BLACK, 0), (ROOK_FOR_BLACK, 0)]
    table = table_of([*seen, (ROOKS, 1), (ROOKS, 1), (ROOKS, 0.5)])
    assert table.folded().outcomes(ROOK) == Outcomes(3, 1, 0)
    assert table.folded().outcomes(ROOK_FOR_BLACK) == Outcomes(0, 1, 3)
    # Equal material is a half, and counted once.
    assert table.folded().outcomes(ROOKS) == Outcomes(0, 3, 0)
    words = {ROOK: 4 << 7 | 88, ROOK_FOR_BLACK: 4 << 7 | 13, ROOKS: 3 << 7 | 50}
    assert words_of(table, FOLDED) == (words, words)


@SOME
@given(POSITIONS, POSITIONS)
def test_a_merged_table_equals_the_table_of_all_positions(
    first: Positions, second: Positions
) -> None:
    merged, other_way = table_of(first, "mine"), table_of(second, "mine")
    merged.merge(table_of(second, "theirs"))
    other_way.merge(table_of(first))
    assert merged.to_bytes() == table_of(first + second, "mine").to_bytes()
    assert merged.to_bytes() == other_way.to_bytes()


def test_counts_too_large_for_a_file_are_refused() -> None:
    many = file_of(counts=counts_of({0: (2**55, 0, 0)}))
    table, other = ImbalanceTable.from_bytes(many), ImbalanceTable.from_bytes(many)
    with pytest.raises(ImbalanceError, match=r"below 2\^56, found 72057594037927936"):
        table.merge(other)


def test_the_shipped_table_is_read_from_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    with pytest.raises(MatesolveError, match="found none: reinstall it") as missing:
        shipped()
    assert missing.value.exit_code == 70


# --- the words of the search: both colours folded or White's view, rounded or a curve


Words = dict[int, int]

FOLDED, WHITE = MipUse.NONE, MipUse.WHITE
ROUNDED, CURVE = MipUse.ROUNDED, MipUse.CURVE


def words_of(
    table: ImbalanceTable, form: MipUse, weight: int = 0
) -> tuple[Words, Words]:
    """Return the words that are not 0, as White and Black see them."""
    white, black = table.search_words(form, weight)
    for words in (white, black):
        assert words.dtype == np.uint32
        assert words.shape == (CELLS,)
    return filled(white.tolist()), filled(black.tolist())


def filled(words: list[int]) -> Words:
    return {cell: word for cell, word in enumerate(words) if word}


def with_rook(outcomes: Outcomes) -> ImbalanceTable:
    """Return a table with the results of White's rook against a bare king."""
    results = zip(RESULTS, outcomes, strict=True)
    return table_of((ROOK, result) for result, number in results for _ in range(number))


def test_in_whites_view_black_has_100_minus_whites_score() -> None:
    table = table_of([(ROOK, 1), (ROOK, 0.5), (ROOK, 0.5), (ROOKS, 0), (ROOKS, 0.5)])
    white = {ROOK: 3 << 7 | 67, ROOKS: 2 << 7 | 25}
    black = {ROOK_FOR_BLACK: 3 << 7 | 33, ROOKS: 2 << 7 | 75}
    assert words_of(table, WHITE) == (white, black)
    # Black's results with a material are not White's.
    table = table_of([(ROOK, 1), (ROOK_FOR_BLACK, 1)])
    white, black = words_of(table, WHITE)
    assert white == {ROOK: 1 << 7 | 100, ROOK_FOR_BLACK: 1 << 7 | 100}
    assert black == {ROOK: 1 << 7, ROOK_FOR_BLACK: 1 << 7}


def test_rounded_words_have_0_and_100_per_cent_from_half_a_per_cent_on() -> None:
    for outcomes, exact, rounded in (
        *((Outcomes(0, 1, 99), 1, 1), (Outcomes(0, 1, 100), 1, 0)),
        *((Outcomes(100, 1, 0), 99, 100), (Outcomes(0, 0, 7), 0, 0)),
    ):
        table, count = with_rook(outcomes), outcomes.positions << 7
        forms = (FOLDED, ROUNDED, ROUNDED | WHITE)
        words = [words_of(table, form)[0][ROOK] for form in forms]
        assert words == [count | exact, count | rounded, count | rounded]


@pytest.mark.parametrize(
    "outcomes", [Outcomes(4, 0, 0), Outcomes(1, 3, 7), Outcomes(99, 0, 0)]
)
@pytest.mark.parametrize("weight", [0, 1, 50, 10_000])
def test_a_curve_draws_the_score_to_50_by_the_number_of_positions(
    outcomes: Outcomes, weight: int
) -> None:
    positions = outcomes.positions
    score = Fraction(100 * (2 * outcomes.wins + outcomes.draws), 2 * positions)
    drawn = 50 + (score - 50) * Fraction(positions, positions + weight)
    per_cent = floor(drawn + Fraction(1, 2))
    table = with_rook(outcomes)
    assert words_of(table, CURVE, weight)[0][ROOK] == positions << 7 | per_cent


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
    assert find_material_cell(ROOK_ENDING) == ROOKS + 9
    for cell in (-1, CELLS):
        with pytest.raises(ValueError, match="out of bounds"):
            material_of(cell)


def test_material_with_too_many_pieces_has_no_cell() -> None:
    most = material_of(CELLS - 1)
    for place in range(10):
        more = Material(*(n + (i == place) for i, n in enumerate(most)))
        assert find_material_cell(more) is None


def test_a_mirrored_cell_has_the_colours_exchanged() -> None:
    for cell in range(0, CELLS, 7):
        pieces = material_of(cell)
        swapped = [pieces[place ^ 1] for place in range(10)]
        assert MIRROR[cell] == find_material_cell(Material(*swapped))


def test_pieces_on_a_board_are_counted() -> None:
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    letters = Counter(fen.partition(" ")[0])
    counted = count_material(chess.Board(fen))
    assert counted == Material(*(letters[letter] for letter in "QqRrBbNnPp"))


def test_a_material_has_a_name_and_a_balance_in_pawns() -> None:
    for name, material, balance in (
        ("KvK", Material(), 0),
        ("KvKQ", Material(black_queens=1), -9),
        ("KQRRvKBBNNPP", Material(1, 0, 2, 0, 0, 2, 0, 2, 0, 2), 5),
    ):
        assert (str(material), material.balance()) == (name, balance)
    for cell in range(0, CELLS, 101):
        assert find_material_cell(parse_material(str(material_of(cell)))) == cell


def test_names_are_read_in_any_case_and_with_spaces_and_others_are_refused() -> None:
    for name in ("krpvkr", " KRPvKR\n", "KPRVKR"):
        assert parse_material(name) == ROOK_ENDING
    for name in ("", "KRP", "KRPvRK", "KRKvK", "KRPKR", "K0vK", "x" * 99):
        with pytest.raises(InputError, match="expected material such as KRPvKR") as no:
            parse_material(name)
        assert len(str(no.value)) <= 120
