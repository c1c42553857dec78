"""Files of positions with results are read as streams, without losing a record."""

from __future__ import annotations

import gzip
import os
import sys
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import FormatError
from solver.formats.streams import MAX_RECORD_BYTES
from solver.laboratory.games import GamePosition, Record, Unfinished, read_results
from solver.laboratory.imbalance import Material

if TYPE_CHECKING:
    from pathlib import Path

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
WON = f'{ROOK} c9 "1-0";\n'.encode()
WON_POSITION = GamePosition(Material(white_rooks=1), 1)
GAME = f'[Event "x"]\n[FEN "{ROOK} 0 1"]\n[Result "1-0"]\n\n1. Kg6 Kg1 1-0\n\n'.encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x"


def outcomes(path: Path, text: bytes, skip_plies: int = 0) -> list[Record]:
    """Read a file with this text; sources are without its path."""
    path.write_bytes(text)
    return [local(record, path) for record in read_results(path, skip_plies=skip_plies)]


def local(record: Record, path: Path) -> Record:
    match record:
        case FormatError(source, reason):
            return FormatError(source.replace(str(path), "x"), reason)
        case Unfinished(source):
            return Unfinished(source.replace(str(path), "x"))
    return record


def test_a_list_has_one_position_per_line(path: Path) -> None:
    drawn = f"{ROOK} [0.5]\r\n".encode()
    text = b"# a comment\n\n" + WON + b"  % another\n" + drawn + b"; a third\n" + WON
    assert outcomes(path, text) == [
        WON_POSITION,
        WON_POSITION._replace(result=0.5),
        WON_POSITION,
    ]


def test_a_game_yields_every_position_of_its_main_line(path: Path) -> None:
    assert outcomes(path, GAME + GAME) == [WON_POSITION] * 6


@pytest.mark.parametrize(("plies", "left"), [(0, 3), (1, 2), (2, 1), (3, 0), (99, 0)])
def test_the_first_positions_of_each_game_can_be_skipped(
    path: Path, plies: int, left: int
) -> None:
    assert outcomes(path, GAME * 2, plies) == [WON_POSITION] * left * 2
    assert outcomes(path, WON, plies) == [WON_POSITION]


@pytest.mark.parametrize(
    "text",
    [
        GAME,
        b"\xef\xbb\xbf" + GAME,
        b"\n\n" + GAME,
        b"; exported by hand\n% escaped\n" + GAME,
        GAME.replace(b"\n", b"\r\n"),
        GAME.rstrip(),
        GAME.replace(b'[Event "x"]\n', b""),
    ],
)
def test_pgn_is_detected_from_the_content(path: Path, text: bytes) -> None:
    assert outcomes(path, text) == [WON_POSITION] * 3


@pytest.mark.parametrize("text", [b"1. e4 1-0", b"{at first} 1. e4 1-0", b"1.e4 1-0\n"])
def test_games_need_no_tags(path: Path, text: bytes) -> None:
    assert (
        outcomes(path, text)
        == [GamePosition(Material(1, 1, 2, 2, 2, 2, 2, 2, 8, 8), 1)] * 2
    )


@pytest.mark.parametrize("text", [b"", b"\n \n", b"# nothing\n", b"; nothing"])
def test_an_empty_file_yields_nothing(path: Path, text: bytes) -> None:
    assert outcomes(path, text) == []


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"hello w 1-0\n", "board: expected 8 ranks with / between them, found 1 in"),
        (b"\xff\xfe\n", "expected plain ASCII, found U+00FF at character 1"),
        (f"{ROOK}\n".encode(), "expected one result, such as"),
        (
            b"8/" * MAX_RECORD_BYTES + b"\n",
            "expected a line of at most 1,048,576 bytes, found a longer one",
        ),
        (b"\0\n", "board: expected 8 ranks with / between them, found 1 in '\\x00'"),
    ],
)
def test_a_bad_line_is_reported_and_skipped(
    path: Path, bad: bytes, reason: str
) -> None:
    first, error, last = outcomes(path, WON + bad + WON)
    assert first == last == WON_POSITION
    assert isinstance(error, FormatError)
    assert error.source == "x:2"
    assert error.reason.startswith(reason)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b'[Event "x"]\n\n1. Ke3 1-0\n', "expected a legal move at 1., found 'Ke3'"),
        (
            b'[Event "x"]\n[Variant "Atomic"]\n\n1. e4 1-0\n',
            "Variant tag: expected Standard or none, found 'Atomic'",
        ),
        (
            b'[Event "x"]\n1. e4 {' + b"x\n" * MAX_RECORD_BYTES,
            "expected a game of at most 1,048,576 bytes, found a longer one",
        ),
        (
            b'[Event "x"]\n1. e4 {' + b"x" * 2 * MAX_RECORD_BYTES + b"\n",
            "expected a game of at most 1,048,576 bytes, found a longer one",
        ),
    ],
)
def test_a_bad_game_is_reported_and_skipped(
    path: Path, bad: bytes, reason: str
) -> None:
    assert outcomes(path, GAME + bad + GAME) == [
        *[WON_POSITION] * 3,
        FormatError("x:7", reason),
        *[WON_POSITION] * 3,
    ]


def test_a_record_without_a_result_is_unfinished(path: Path) -> None:
    line = WON.replace(b"1-0", b"*")
    assert outcomes(path, WON + line) == [WON_POSITION, Unfinished("x:2")]
    game = GAME.replace(b"1-0", b"*")
    assert outcomes(path, game + GAME) == [Unfinished("x:1"), *[WON_POSITION] * 3]


def test_a_dash_is_standard_input_read_line_by_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    with open(reading) as stdin, open(writing, "wb", buffering=0) as source:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", stdin)
        records = read_results("-")
        for number in (1, 2):
            source.write(WON.replace(b"1-0", b"*"))
            # A reader that needs more input would wait here for ever.
            assert next(records) == Unfinished(f"stdin:{number}")


@pytest.mark.parametrize(("record", "number"), [(WON, 3_000), (GAME, 1_500)])
def test_memory_does_not_grow_with_the_file(
    path: Path, record: bytes, number: int
) -> None:
    def peak(records: int) -> int:
        path.write_bytes(gzip.compress(record * records, 0))
        tracemalloc.start()
        try:
            for _ in read_results(path):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # what is loaded once, and caches
    grown = peak(number) - peak(number // 100)
    assert grown < 50_000 < len(record) * number / 2


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.lists(
        st.binary(max_size=60)
        | st.sampled_from([WON.strip(), GAME.strip(), b"", b"1. e4 1-0", b"\x1f\x8b"]),
        max_size=6,
    )
)
def test_any_bytes_are_read_to_the_end(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("any") / "x"
    for record in outcomes(path, b"\n".join(lines)):
        assert isinstance(record, GamePosition | Unfinished | FormatError)
