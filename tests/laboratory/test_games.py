"""Positions with results: every spelling, and streams without a lost record."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.board import parse_fen
from solver.errors import FenError, FormatError, InputError
from solver.formats.streams import MAX_RECORD_BYTES
from solver.laboratory.games import (
    Game,
    GamePosition,
    Record,
    Unfinished,
    parse_line,
    read_results,
)
from solver.laboratory.imbalance import Material, count_material

if TYPE_CHECKING:
    from pathlib import Path

PIECES = "8/7K/8/8/8/8/R7/7k"
ROOK = f"{PIECES} w - -"
WON = f'{ROOK} c9 "1-0";\n'.encode()
WON_POSITION = GamePosition(Material(white_rooks=1), 1)
WON_GAME = [WON_POSITION] * 3
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
    expected = [WON_POSITION, WON_POSITION._replace(result=0.5), WON_POSITION]
    assert outcomes(path, text) == expected
    assert outcomes(path, b"\n \n") == outcomes(path, b"; nothing") == []


def test_a_game_yields_the_positions_of_its_main_line_after_the_skipped(
    path: Path,
) -> None:
    for plies, left in ((0, 3), (1, 2), (2, 1), (3, 0), (99, 0)):
        assert outcomes(path, GAME * 2, plies) == [WON_POSITION] * left * 2
        assert outcomes(path, WON, plies) == [WON_POSITION]


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf" + GAME.replace(b"\n", b"\r\n"),
        b"\n\n; exported by hand\n% escaped\n" + GAME.rstrip(),
        GAME.replace(b'[Event "x"]\n', b""),
    ],
)
def test_pgn_is_detected_from_the_content(path: Path, text: bytes) -> None:
    assert outcomes(path, text) == WON_GAME


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
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


TOO_LONG = "expected a game of at most 1,048,576 bytes, found a longer one"
ATOMIC = "Variant tag: expected Standard or none, found 'Atomic'"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"\n1. Ke3 1-0\n", "expected a legal move at 1., found 'Ke3'"),
        (b'[Variant "Atomic"]\n\n1. e4 1-0\n', ATOMIC),
        (b"1. e4 {" + b"x\n" * MAX_RECORD_BYTES, TOO_LONG),
        (b"1. e4 {" + b"x" * 2 * MAX_RECORD_BYTES + b"\n", TOO_LONG),
    ],
)
def test_a_bad_game_is_reported_and_skipped(
    path: Path, bad: bytes, reason: str
) -> None:
    found = outcomes(path, GAME + b'[Event "x"]\n' + bad + GAME)
    assert found == [*WON_GAME, FormatError("x:7", reason), *WON_GAME]


def test_a_record_without_a_result_is_unfinished(path: Path) -> None:
    line, game = (record.replace(b"1-0", b"*") for record in (WON, GAME))
    assert outcomes(path, WON + line) == [WON_POSITION, Unfinished("x:2")]
    assert outcomes(path, game + GAME) == [Unfinished("x:1"), *WON_GAME]


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


LINES = st.sampled_from([WON.strip(), GAME.strip(), b"", b"1. e4 1-0", b"\x1f\x8b"])


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.binary(max_size=60) | LINES, max_size=6))
def test_any_bytes_are_read_to_the_end(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("any") / "x"
    for record in outcomes(path, b"\n".join(lines)):
        assert isinstance(record, GamePosition | Unfinished | FormatError)


MATERIAL = Material(white_rooks=1)


def read(line: str) -> Game:
    return parse_line(line.encode("latin-1"))


SPELLINGS: dict[float | None, list[str]] = {
    1: [
        *('w - - c9 "1-0";', "w - - c9 1-0;", "w - - [1.0]", "w - - 0 1 [1]"),
        *("w - - 0 1; 1-0", "w - - 0 1 | 1.0", "w - - 0 1|35|1-0"),
        'w - - c9 "1-0"; [1.0]',
    ],
    0.5: [
        *('w - - c2 "1/2-1/2";', 'w - - c2 "1/2";', "w - - 0 1 [0.5]", "w - - [ .5 ]"),
        *("w - - 0 1 [1/2-1/2]", "w - - 0 1 1/2-1/2", "w - - 0 1 | 1 | 0.5 "),
    ],
    0: [
        *('w - - 0 1 result "0-1";', 'b - - 3 40 c9 "0-1";', "w - - 0 1 [0.0] -31"),
        *("w - - 0 1 0-1", "w - - 0 1 | -120 | 0.0", "w - - 0 1 | 1.0 | 0"),
        'w - - hmvc 3; fmvn 40; bm Ra1; id "a.1"; c9 "0-1";',
    ],
    None: ['w - - c9 "*";', "w - - *", "w - - ; *", 'w - - 0 1 result "*";'],
}
REFUSED = ["w - - 0 1 [0.7]", "w - - 0 1 [1.5]", "w - - 0 1 | 1.0 | 33"]
REFUSED += ['w - - c9 "1-0"; c2 "0-1";', 'w - - c9 "1-0"; c2 "*";']
REFUSED += ["w - - 0 1 21-0", "w - - 0 1 1-0-0", 'w - - id "11-0";', "w - - bm O-O;"]


def test_a_result_is_found_in_every_spelling_of_collections() -> None:
    for result, tails in SPELLINGS.items():
        for tail in tails:
            assert read(f"{PIECES} {tail}") == Game([MATERIAL], result), tail
    for tail in REFUSED:
        with pytest.raises(InputError, match=r"expected|found none"):
            read(f"{PIECES} {tail}")


def refusal_of(placement: str) -> str | None:
    try:
        parse_fen(placement)
    except FenError as error:
        return str(error)
    return None


RANKS = st.text("PNBRQKpnbrqk1238", min_size=1, max_size=8) | st.sampled_from(
    ["8", "k7", "K7", "pppppppp", "PPPPPPPP", "RNBQ1BNR", "3P4", "44", "", "4k4"]
)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.lists(RANKS, min_size=7, max_size=9))
def test_a_board_is_accepted_exactly_if_the_strict_parser_accepts_its_pieces(
    ranks: list[str],
) -> None:
    placement = "/".join(ranks)
    line = f"{placement} w - - 1-0"
    reason = refusal_of(placement)
    # Counting does not check whether a king is in check.
    if reason is None or "check" in reason:
        pieces = count_material(chess.Board(f"{placement} w - - 0 1"))
        assert read(line) == Game([pieces], 1)
    else:
        with pytest.raises(InputError) as refused:
            read(line)
        assert str(refused.value) == reason
