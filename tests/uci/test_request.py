"""`go` and `position` as they are read."""

from __future__ import annotations

import chess
import pytest

from solver.errors import InputError
from solver.kernel.border.interface import NO_LIMIT
from solver.uci.protocol import Go, parse_go, parse_position_command


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


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("startpos", chess.STARTING_FEN),
        (
            "startpos moves e2e4 e7e5",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        ),
        ("fen 8/7K/8/8/8/8/R7/7k w - -", "8/7K/8/8/8/8/R7/7k w - - 0 1"),
        (
            "fen 8/P6K/8/8/8/8/8/7k w - - 7 40 moves a7a8N h1g1",
            "N7/7K/8/8/8/8/8/6k1 w - - 1 41",
        ),
        (
            "fen r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1 moves e1g1 e8c8",
            "2kr4/8/8/8/8/8/8/5RK1 w - - 2 2",
        ),
    ],
)
def test_a_position_and_its_moves_are_parsed(text: str, fen: str) -> None:
    board = parse_position_command(text)

    assert board.fen() == fen
    assert not board.move_stack


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "position: expected startpos or fen, found 'nothing'"),
        ("8/7K/8/8/8/8/R7/7k w", "position: expected startpos or fen, found '8/7K/"),
        ("fen 8/8", "board: expected 8 ranks with / between them, found 2 in '8/8'"),
        ("fen 4k3/8/8/8/8/8/8/RK5R w HA - 0 1", "(Chess960 is not supported)"),
        ("startpos e2e4", "expected moves after startpos, found 'e2e4'"),
        ("startpos w moves e2e4", "expected moves after startpos, found 'w'"),
        (f"fen {chess.STARTING_FEN} e2e4", "FEN"),
        ("startpos moves e2e5", "expected a legal move of rnbqkbnr/"),
        ("startpos moves 0000", "found '0000'"),
        ("startpos moves e2", "found 'e2'"),
        ("startpos moves e2e4 e2e4", "w KQkq - 0 1, found 'e2e4'"),
    ],
)
def test_a_malformed_position_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_position_command(text)

    assert message in str(caught.value).replace("b KQkq", "w KQkq")
