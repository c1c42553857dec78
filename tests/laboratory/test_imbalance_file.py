"""The file of a material-imbalance table is as documented, or it is refused."""

from __future__ import annotations

import hashlib
import io
import random
import tracemalloc
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import ImbalanceError
from solver.laboratory.imbalance import MAX_FILE_BYTES, ImbalanceTable, Outcomes
from tests.sizes import sized

CELLS = 236_196
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


def file_with(
    members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """Write a table's file in which some members hold the given bytes."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(file_of())) as table,
        zipfile.ZipFile(file, "w", compression) as archive,
    ):
        for name in table.namelist():
            archive.writestr(name, members.get(name, table.read(name)))
    return file.getvalue()


def content_of(table: ImbalanceTable) -> tuple[str, int, list[tuple[int, Outcomes]]]:
    return table.source, table.ignored, list(table.filled_cells())


def refusal_of(data: bytes) -> str:
    with pytest.raises(ImbalanceError) as refused:
        ImbalanceTable.from_bytes(data)
    message = str(refused.value)
    assert message.isprintable()
    return message


def test_a_file_is_read_as_documented() -> None:
    table = ImbalanceTable.from_bytes(file_of())
    assert content_of(table) == ("tiny", 300, list(SMALL.items()))


def test_a_file_is_written_as_documented() -> None:
    data = ImbalanceTable.from_bytes(file_of()).to_bytes()
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        assert list(arrays) == ["version", "source", "ignored", "counts"]
        assert {
            name: (arrays[name].dtype.str, arrays[name].shape) for name in arrays
        } == {
            "version": ("<u8", ()),
            "source": ("|S4", ()),
            "ignored": ("<u8", ()),
            "counts": ("<u8", (CELLS, 3)),
        }
        assert [arrays[name][()] for name in ("version", "source", "ignored")] == [
            2, b"tiny", 300
        ]  # fmt: skip
        assert (arrays["counts"] == counts_of(SMALL)).all()


def test_the_checksum_is_that_of_the_counts() -> None:
    table = ImbalanceTable.from_bytes(file_of())
    assert table.checksum() == hashlib.sha256(counts_of(SMALL).tobytes()).hexdigest()
    other = ImbalanceTable.from_bytes(file_of(source=np.array(b"the same counts")))
    assert other.checksum() == table.checksum()
    fewer = ImbalanceTable.from_bytes(file_of(counts=counts_of({})))
    assert fewer.checksum() != table.checksum()


def test_an_empty_table_has_a_file() -> None:
    data = ImbalanceTable().to_bytes()
    assert content_of(ImbalanceTable.from_bytes(data)) == ("", 0, [])


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
    table = ImbalanceTable.from_bytes(
        file_of(
            source=np.array(source.encode()),
            ignored=np.array(ignored, "<u8"),
            counts=counts_of(cells),
        )
    )
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


def test_a_file_that_was_cut_short_is_noticed() -> None:
    data = file_of()
    for size in range(4, len(data)):
        assert refusal_of(data[:size]) == DAMAGED


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", OTHER_KIND),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), OTHER_KIND),
        (b"\0" + file_of(), OTHER_KIND),
        (
            file_of(version=np.array(3, "<u8"), more=np.array(1)),
            "expected a table of version 2, found version 3, of a newer program",
        ),
        (
            file_of(version=np.array(0, "<u8")),
            "expected a table of version 2, found version 0",
        ),
        (file_of(version=None), ANOTHER),
        (file_of(counts=None), ANOTHER),
        (file_of(more=np.array(1)), ANOTHER),
        (file_of()[:-40], DAMAGED),
        (
            b"PK\x03\x04" + bytes(MAX_FILE_BYTES),
            "expected at most 8,388,608 bytes, found more",
        ),
    ],
)
def test_a_refusal_says_what_was_expected(data: bytes, message: str) -> None:
    assert refusal_of(data) == message


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"source": np.array(b"\xff")}, "source: expected UTF-8, found other bytes"),
        (
            {"source": np.array(b"\x1b")},
            "source: expected one printable line, found U+001B",
        ),
        (
            {"source": np.array(b"a" * 1001)},
            "source: expected at most 1000 bytes, found 1001",
        ),
        (
            {"ignored": np.array(2**56, "<u8")},
            "expected counts below 2^56, found 72057594037927936",
        ),
        (
            {"counts": counts_of({9: (0, 2**56, 0)})},
            "expected counts below 2^56, found 72057594037927936",
        ),
        (
            {"counts": counts_of({9: (0, 2**64 - 1, 0)})},
            "expected counts below 2^56, found 18446744073709551615",
        ),
    ],
)
def test_content_that_no_table_has_is_refused(
    arrays: dict[str, Any], message: str
) -> None:
    assert refusal_of(file_of(**arrays)) == message


class Trap:
    """What a file must not make."""

    def __reduce__(self) -> tuple[object, ...]:
        return pytest.fail, ("the file was unpickled",)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("source", np.array("tiny")),
        ("ignored", np.array([1, 2], "<u8")),
        ("ignored", np.array(Trap(), object)),
        ("counts", np.zeros((CELLS, 2), "<u8")),
        ("counts", np.zeros((CELLS, 3), "<i8")),
        ("counts", np.zeros((CELLS, 3), ">u8")),
    ],
)
def test_arrays_of_another_dtype_or_shape_are_refused(
    name: str, array: np.ndarray[Any, Any]
) -> None:
    assert refusal_of(file_of(**{name: array})) in {ANOTHER, DAMAGED}


@pytest.mark.parametrize("shape", ["(1000000000,)", "(-1,)", "(" * 300])
def test_a_hostile_header_is_refused(shape: str) -> None:
    header = f"{{'descr': '<u8', 'fortran_order': False, 'shape': {shape}, }}\n"
    size = len(header).to_bytes(2, "little")
    member = b"\x93NUMPY\x01\x00" + size + header.encode() + bytes(8)
    assert refusal_of(file_with({"ignored.npy": member})) == DAMAGED


def test_a_file_that_unpacks_to_much_more_than_a_table_takes_little_memory() -> None:
    bomb = file_with({"ignored.npy": bytes(1 << 28)})
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
