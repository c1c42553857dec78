"""`go` as it is read."""

from __future__ import annotations

import chess
import pytest

from solver.errors import InputError
from solver.kernel.border.interface import NO_LIMIT
from solver.uci.protocol import Go, parse_go


def test_a_bare_go_requests_an_unlimited_search() -> None:
    go = parse_go("")

    assert go == Go()
    assert not go.limited(chess.WHITE)
    assert (go.within, go.max_moves, go.nodes) == (None, None, NO_LIMIT)
    assert go.time_s(chess.WHITE) is None


def test_limits_come_in_any_order_and_together() -> None:
    go = parse_go("searchmoves e2e4 D2D4 nodes 5000 infinite mate 3 depth 4 ponder")

    assert go.searchmoves == ("e2e4", "d2d4")
    assert (go.infinite, go.ponder, go.limited(chess.WHITE)) == (True, True, True)
    assert (go.within, go.max_moves, go.nodes) == (3, 2, 5000)


@pytest.mark.parametrize(
    ("depth", "moves"), [(1, 1), (2, 1), (3, 2), (5, 3), (6, 3), (9999, 200)]
)
def test_a_depth_limits_mates_to_half_as_many_moves(depth: int, moves: int) -> None:
    assert parse_go(f"depth {depth}").max_moves == moves


@pytest.mark.parametrize(
    ("mate", "within"), [(1, 1), (7, 7), (-3, -3), (999, 200), (-999, -200)]
)
def test_a_requested_mate_keeps_its_sign(mate: int, within: int) -> None:
    assert parse_go(f"mate {mate}").within == within


@pytest.mark.parametrize("word", ["mate", "depth", "nodes", "movetime"])
def test_a_limit_of_zero_is_no_limit(word: str) -> None:
    assert not parse_go(f"{word} 0").limited(chess.WHITE)


def test_only_the_clock_of_the_side_to_move_is_a_limit_even_without_time() -> None:
    go = parse_go("wtime 0")

    assert (go.limited(chess.WHITE), go.limited(chess.BLACK)) == (True, False)


@pytest.mark.parametrize("digits", ["1" + "0" * 30, "9" * 400, "9" * 100_000])
def test_a_number_beyond_all_limits_is_read(digits: str) -> None:
    for word in ("nodes", "movetime", "wtime", "movestogo", "depth", "mate"):
        go = parse_go(f"{word} {digits} winc {digits}")
        assert go.numbers[word] == NO_LIMIT
        assert go.time_s(chess.WHITE) is None or go.limited(chess.WHITE)
    assert parse_go(f"mate -{digits}").within == -200
    assert parse_go(f"nodes {'0' * 5000}7").nodes == 7


def test_movetime_is_used_unchanged() -> None:
    assert parse_go("movetime 1500 wtime 10 btime 10").time_s(chess.BLACK) == 1.5


@pytest.mark.parametrize(
    ("text", "white_s", "black_s"),
    [
        ("wtime 60020 btime 30020", 1.4805, 0.7305),
        ("wtime 60000 btime 60000 winc 1000", 2.23, 1.48),
        ("wtime 4000 btime 8000 movestogo 4", 0.98, 1.98),
        ("wtime 1000 btime 1000 movestogo 1", 0.78, 0.78),
        ("wtime 100 btime 0 winc 60000", 0.06, 0.001),
        ("wtime -50 btime 0", 0.001, 0.001),
    ],
)
def test_a_clock_gives_a_share_and_never_all(
    text: str, white_s: float, black_s: float
) -> None:
    go = parse_go(text)

    assert go.time_s(chess.WHITE) == pytest.approx(white_s)
    assert go.time_s(chess.BLACK) == pytest.approx(black_s)


def test_only_the_clock_of_the_side_to_move_counts() -> None:
    assert parse_go("wtime 60000").time_s(chess.BLACK) is None


def test_unknown_words_are_collected() -> None:
    go = parse_go("fast nodes 7 perft 5")

    assert go.nodes == 7
    assert go.unknown == ("fast", "perft", "5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nodes x", "go nodes: expected a whole number, found 'x'"),
        ("depth", "go depth: expected a whole number, found 'nothing'"),
        ("movetime -1", "go movetime: expected a whole number, found '-1'"),
        ("nodes 1_0", "go nodes: expected a whole number, found '1_0'"),
        ("mate", "go mate: expected a whole number, found 'nothing'"),
        ("mate nodes 5", "go mate: expected a whole number, found 'nodes'"),
    ],
)
def test_a_malformed_number_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_go(text)

    assert str(caught.value) == message
