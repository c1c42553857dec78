"""Shards: together they are the whole collection, and no record is in two."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from solver.cli.auditing import Reading, Shard
from solver.errors import FormatError
from solver.problem import Claim, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("worker_processes")

SQUARES = [(rank, file) for rank in range(2, 9) for file in range(8)]


def position(rank: int, file: int, clocks: str = "0 1") -> str:
    """A rook on any square, and the kings in the corners of the first rank."""
    row = "".join(map(str, filter(None, (file, "R", 7 - file))))
    rows = [row if rank == number else "8" for number in range(8, 1, -1)]
    return f"{'/'.join(rows)}/K6k w - - {clocks}"


RECORDS: list[Problem | FormatError] = [
    *(
        Problem(position(rank, file, clocks), "", Claim(mate), f"a.epd:{rank}{file}")
        for rank, file in SQUARES
        for clocks in ("0 1", "7 30")
        for mate in (1, 2)
    ),
    *(FormatError(f"b.epd:{line}", "expected a FEN") for line in range(1, 50)),
]


def parts(count: int) -> list[Sequence[Problem | FormatError]]:
    return [[*Shard(number, count).of(RECORDS)] for number in range(1, count + 1)]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 64])
def test_each_record_is_in_one_part(count: int) -> None:
    together = Counter(record for part in parts(count) for record in part)
    assert together == Counter(RECORDS)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_a_part_keeps_the_order(count: int) -> None:
    for part in parts(count):
        places = [RECORDS.index(record) for record in part]
        assert places == sorted(places)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_all_records_of_a_position_are_in_one_part(count: int) -> None:
    where: dict[str, set[int]] = {}
    for number, part in enumerate(parts(count)):
        for record in part:
            if isinstance(record, Problem):
                where.setdefault(record.fen.split()[0], set()).add(number)
    assert len(where) == len(SQUARES)
    assert {len(numbers) for numbers in where.values()} == {1}


@pytest.mark.parametrize("count", [2, 4])
def test_parts_have_similar_sizes(count: int) -> None:
    fair = len(RECORDS) / count
    assert all(fair / 2 < len(part) < 2 * fair for part in parts(count))


def test_the_same_record_is_in_the_same_part_on_every_machine() -> None:
    sources = [f"b.epd:{line}" for line in range(1, 13)]
    errors = [FormatError(source, "expected a FEN") for source in sources]
    second = [record.source for record in Shard(2, 3).of(errors)]
    assert second == ["b.epd:4", "b.epd:5", "b.epd:6", "b.epd:10"]


def test_an_unreadable_record_is_in_the_same_part_in_any_folder() -> None:
    here = [FormatError(f"x.epd:{line}", "no") for line in range(100)]
    there = [FormatError(f"/far/away/x.epd:{line}", "no") for line in range(100)]
    for number in (1, 2, 3):
        shard = Shard(number, 3)
        ours = [record.source for record in shard.of(here)]
        theirs = [record.source for record in shard.of(there)]
        assert [f"/far/away/{source}" for source in ours] == theirs


def test_a_part_expects_its_share_of_the_records(tmp_path: Path) -> None:
    file = tmp_path / "a.epd"
    file.write_text("".join(f"{position(2, n)} dm 1;\n" for n in range(7)))
    reading = Reading([str(file)], shard=Shard(2, 4))
    assert len(list(reading)) < 7
    assert reading.expected() == 2
