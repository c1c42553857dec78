"""Material-imbalance tables: exact counts, the search's words, and atomic files."""

from __future__ import annotations

import hashlib
import random
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import ImbalanceError, InputError, MatesolveError
from solver.laboratory.imbalance import (
    CELLS,
    Coverage,
    ImbalanceTable,
    Material,
    Outcomes,
    find_cell,
    shipped,
)
from tests.laboratory.test_imbalance_file import counts_of, file_of

if TYPE_CHECKING:
    from collections.abc import Iterable

RESULTS = (1.0, 0.5, 0.0)
ROOK = find_cell(Material(white_rooks=1))
ROOK_FOR_BLACK = find_cell(Material(black_rooks=1))
ROOKS = find_cell(Material(white_rooks=1, black_rooks=1))


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
