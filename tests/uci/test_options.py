"""Options as clients declare, set and misspell them, and `go` as it is read."""

from __future__ import annotations

import os
from errno import ENOENT
from pathlib import Path

import chess
import pytest

from solver.errors import InputError
from solver.kernel.border.interface import NO_LIMIT
from solver.uci.protocol import OPTIONS, Go, parse_go, parse_option


def test_options_start_with_their_declared_defaults() -> None:
    assert [f"{name} {option.declaration}" for name, option in OPTIONS.items()] == [
        "Hash type spin default 128 min 1 max 1048576",
        "Threads type spin default 1 min 1 max 256",
        "MultiPV type spin default 1 min 1 max 218",
        "Clear Hash type button",
        "Keep Bounds type check default false",
        "SyzygyPath type string default <empty>",
        "UCI_AnalyseMode type check default false",
        "Ponder type check default false",
    ]
    assert OPTIONS["Hash"].default == 128
    assert OPTIONS["SyzygyPath"].default is None


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("name Hash value 256", "Hash", 256),
        (" name  multipv  VALUE  218 ", "MultiPV", 218),
        ("NAME uci_analysemode value True", "UCI_AnalyseMode", 1),
        ("name Ponder value false", "Ponder", 0),
        ("name clear  hash value", "Clear Hash", None),
        ("name SyzygyPath", "SyzygyPath", None),
        ("name SyzygyPath value <Empty>", "SyzygyPath", None),
    ],
)
def test_names_and_words_are_read_in_any_case(
    text: str, name: str, value: int | None
) -> None:
    assert parse_option(text) == (name, value)


INVALID = """
 -> setoption: expected name NAME value VALUE, found ''
Hash 3 -> setoption: expected name NAME value VALUE, found 'Hash 3'
name Hash value 0 -> option Hash: expected a whole number from 1 to 1048576, found '0'
name Threads value x -> option Threads: expected a whole number from 1 to 256, found 'x'
name MultiPV -> option MultiPV: expected a whole number from 1 to 218, found ''
name Ponder value 1 -> option Ponder: expected true or false, found '1'
name Clear Hash value 1 -> option Clear Hash: expected no value, found '1'
name Chess960 value true -> expected one of the options Hash, Threads, MultiPV, \
Clear Hash, Keep Bounds, SyzygyPath, UCI_AnalyseMode, Ponder, found 'Chess960'
"""


@pytest.mark.parametrize("row", INVALID.strip("\n").splitlines())
def test_an_invalid_value_is_refused(row: str) -> None:
    text, message = row.split(" -> ")
    with pytest.raises(InputError) as caught:
        parse_option(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "9" * 5000])
def test_a_path_that_cannot_exist_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="option SyzygyPath: expected directories"):
        parse_option(f"name SyzygyPath value {path}")


def test_tablebases_are_those_of_all_directories_and_none_may_be_without(
    tmp_path: Path,
) -> None:
    folders = [tmp_path / "two  spaces", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
        (folder / "KRvK.rtbw").touch()
    path = os.pathsep.join(map(str, folders))
    _, tablebases = parse_option(f"name SyzygyPath value {path}")
    assert list(map(Path, tablebases.directories)) == folders
    (bare := tmp_path / "bare").mkdir()
    missing = tmp_path / "missing"
    for other, found in (
        (missing, f"expected directories, found '{missing}': {os.strerror(ENOENT)}"),
        (bare, f"{bare}: expected tables, *.gtb.cp4 or *.rtbw, found none"),
    ):
        with pytest.raises(InputError) as caught:
            parse_option(f"name SyzygyPath value {path}{os.pathsep}{other}")
        assert str(caught.value) == f"option SyzygyPath: {found}"


# --- go


def test_a_bare_go_requests_an_unlimited_search() -> None:
    go = parse_go("")
    assert go == Go()
    assert not go.limited(chess.WHITE)
    assert (go.within, go.max_moves, go.nodes) == (None, None, NO_LIMIT)
    assert go.time_s(chess.WHITE) is None
    for word in ("mate", "depth", "nodes", "movetime"):  # zero is no limit
        assert not parse_go(f"{word} 0").limited(chess.WHITE)


def test_limits_come_in_any_order_and_unknown_words_are_collected() -> None:
    go = parse_go(
        "fast searchmoves e2e4 D2D4 nodes 5000 infinite mate 3 depth 4 ponder"
    )
    assert go.searchmoves == ("e2e4", "d2d4")
    assert (go.infinite, go.ponder, go.limited(chess.WHITE)) == (True, True, True)
    assert (go.within, go.max_moves, go.nodes) == (3, 2, 5000)
    assert go.unknown == ("fast",)
    assert parse_go("perft 5").unknown == ("perft", "5")
    go = parse_go("wtime 0")  # a clock without time is a limit
    assert (go.limited(chess.WHITE), go.limited(chess.BLACK)) == (True, False)


def test_mates_are_limited_to_half_the_depth_and_keep_their_sign() -> None:
    for depth, moves in ((1, 1), (2, 1), (3, 2), (6, 3), (999, 200)):
        assert parse_go(f"depth {depth}").max_moves == moves
    for mate, within in ((7, 7), (-3, -3), (999, 200), (-999, -200)):
        assert parse_go(f"mate {mate}").within == within


@pytest.mark.parametrize("digits", ["1" + "0" * 30, "9" * 100_000])
def test_a_number_beyond_all_limits_is_read(digits: str) -> None:
    for word in ("nodes", "movetime", "wtime", "movestogo", "depth", "mate"):
        go = parse_go(f"{word} {digits} winc {digits}")
        assert go.numbers[word] == NO_LIMIT
        assert go.time_s(chess.WHITE) is None or go.limited(chess.WHITE)
    assert parse_go(f"mate -{digits}").within == -200
    assert parse_go(f"nodes {'0' * 5000}7").nodes == 7


@pytest.mark.parametrize(
    ("text", "white_s", "black_s"),
    [
        ("wtime 60020 btime 30020", 1.4805, 0.7305),
        ("wtime 60000 btime 60000 winc 1000", 2.23, 1.48),
        ("wtime 4000 btime 8000 movestogo 4", 0.98, 1.98),
        ("wtime 1000 btime 1000 movestogo 1", 0.78, 0.78),
        ("wtime 100 btime 0 winc 60000", 0.06, 0.001),
        ("movetime 1500 wtime 10 btime 10", 1.5, 1.5),
        ("wtime 60000", 1.48, None),
    ],
)
def test_a_clock_gives_a_share_and_never_all(
    text: str, white_s: float, black_s: float | None
) -> None:
    go = parse_go(text)
    assert go.time_s(chess.WHITE) == pytest.approx(white_s)
    assert go.time_s(chess.BLACK) == pytest.approx(black_s)
