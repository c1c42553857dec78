"""The file of a table: read as it is documented, and refused where anything is off."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import ImbalanceError
from solver.imbalance_file import Content, decode, encode
from solver.laboratory.imbalance import ImbalanceTable

CELLS = 236_196
HEAD = b"\x89MIP\r\n\x1a\n\x01"
SMALL = Content("tiny", 300, [(0, 1, 2, 3), (200, 0, 0, 1_000), (CELLS - 1, 1, 0, 0)])
WRITTEN = (
    HEAD
    + b"\x04tiny"
    + b"\xac\x02\x03"  # 300 ignored, three cells
    + b"\x01\x01\x02\x03"
    + b"\xc8\x01\x00\x00\xe8\x07"
    + b"\xdb\xb3\x0e\x01\x00\x00"
)


def signed(data: bytes) -> bytes:
    return data + hashlib.sha256(data).digest()


def test_a_file_is_written_as_documented() -> None:
    assert encode(SMALL) == signed(WRITTEN)
    assert decode(signed(WRITTEN)) == SMALL


def test_an_empty_table_has_a_file() -> None:
    assert ImbalanceTable().to_bytes() == signed(HEAD + b"\0\0\0")


CELLS_IN_ORDER = st.dictionaries(
    st.integers(0, CELLS - 1),
    st.tuples(*[st.integers(0, 2**56 - 1)] * 3).filter(any),
    max_size=6,
).map(lambda cells: [(cell, *cells[cell]) for cell in sorted(cells)])


@settings(derandomize=True, deadline=None)
@given(
    st.text(st.characters(categories=["L", "N", "P"]), max_size=30),
    st.integers(0, 2**56 - 1),
    CELLS_IN_ORDER,
)
def test_any_content_comes_back(
    source: str, ignored: int, cells: list[tuple[int, int, int, int]]
) -> None:
    content = Content(source, ignored, cells)
    assert decode(encode(content)) == content


def test_any_flipped_bit_is_noticed() -> None:
    data = signed(WRITTEN)
    for place in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[place] ^= 1 << bit
            with pytest.raises(ImbalanceError):
                decode(bytes(damaged))


def test_any_other_byte_is_noticed() -> None:
    data = signed(WRITTEN)
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] = ~damaged[place] & 0xFF
        with pytest.raises(ImbalanceError):
            decode(bytes(damaged))


def test_a_file_that_was_cut_short_is_noticed() -> None:
    data = signed(WRITTEN)
    for size in range(len(data)):
        with pytest.raises(ImbalanceError):
            decode(data[:size])


@pytest.mark.parametrize("extra", [b"\0", b"\n", signed(WRITTEN)])
def test_what_stands_behind_a_table_is_noticed(extra: bytes) -> None:
    with pytest.raises(ImbalanceError, match="does not fit its checksum"):
        decode(signed(WRITTEN) + extra)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected a material-imbalance table, found another kind of file"),
        (
            b"\x89PNG\r\n\x1a\n" + bytes(99),
            "expected a material-imbalance table, found another kind of file",
        ),
        (
            signed(WRITTEN).replace(b"\r\n", b"\n"),
            "expected a material-imbalance table, found another kind of file",
        ),
        (HEAD, "expected a whole table, found 9 bytes of one"),
        (
            signed(HEAD[:-1] + b"\x02" + WRITTEN[9:]),
            "expected a table of version 1, found version 2, of a newer program",
        ),
        (
            signed(HEAD[:-1] + b"\x00" + WRITTEN[9:]),
            "expected a table of version 1, found version 0",
        ),
        (
            WRITTEN + bytes(32),
            "expected a whole table, found one that does not fit its checksum",
        ),
    ],
)
def test_a_refusal_says_what_was_expected(data: bytes, message: str) -> None:
    with pytest.raises(ImbalanceError) as refused:
        decode(data)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "expected another item, found the end of the table"),
        (b"\0\0\x01", "expected another item, found the end of the table"),
        (b"\0\0\x01\x01\x01", "expected another item, found the end of the table"),
        (b"\x05tiny", "expected another item, found the end of the table"),
        (b"\0\0\0\0", "expected the end of the table, found 1 more bytes"),
        (b"\x01\xff\0\0", "source: expected UTF-8, found other bytes"),
        (b"\x01\x1b\0\0", "source: expected one printable line, found U+001B"),
        (b"\xe9\x07" + b"a" * 1001 + b"\0\0", "source: expected at most 1000 bytes"),
        (b"\0\0\x01\0\x01\0\0", "with positions, found cell -1 with [1, 0, 0]"),
        (b"\0\0\x01\x01\0\0\0", "with positions, found cell 0 with [0, 0, 0]"),
        (b"\0\0\x02\x01\x01\0\0\0\x01\0\0", "found cell 0 with [1, 0, 0]"),
        (b"\0\0\x01\xa5\xb5\x0e\x01\0\0", "found cell 236196 with [1, 0, 0]"),
        (b"\0\0\x01\x01\x81\0\0\0", "at most 8 bytes, none of them idle"),
        (b"\0\0\x01\x01" + b"\xff" * 8 + b"\x01\0\0", "at most 8 bytes"),
        (b"\0" + b"\xff" * 7 + b"\x7f" + b"\x01", "expected another item"),
    ],
)
def test_content_that_no_table_has_is_refused_though_it_is_signed(
    body: bytes, message: str
) -> None:
    with pytest.raises(ImbalanceError) as refused:
        decode(signed(HEAD + body))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("count", [2**56, 2**70])
def test_a_count_that_takes_more_than_eight_bytes_is_not_written(count: int) -> None:
    with pytest.raises(ImbalanceError, match=r"expected counts below 2\^56"):
        encode(Content("", 0, [(0, count, 0, 0)]))


@settings(derandomize=True, deadline=None)
@given(st.binary(max_size=60))
def test_signed_bytes_are_a_table_or_refused(body: bytes) -> None:
    try:
        content = decode(signed(HEAD + body))
    except ImbalanceError:
        return
    assert encode(content) == signed(HEAD + body)
