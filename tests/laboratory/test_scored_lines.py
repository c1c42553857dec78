"""Positions with results: every spelling, and only possible boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.board import parse_fen
from solver.errors import FenError, InputError
from solver.laboratory.games import Game, parse_line
from solver.laboratory.imbalance import Material, count_material

if TYPE_CHECKING:
    import random

ROOK = "8/7K/8/8/8/8/R7/7k"
MATERIAL = Material(white_rooks=1)


def read(line: str) -> Game:
    return parse_line(line.encode("latin-1"))


@pytest.mark.parametrize(
    ("tail", "result"),
    [
        ('w - - c9 "1-0";', 1),
        ('w - - c2 "1/2-1/2";', 0.5),
        ('w - - c2 "1/2";', 0.5),
        ('w - - 0 1 result "0-1";', 0),
        ('b - - 3 40 c9 "0-1";', 0),
        ("w - - c9 1-0;", 1),
        ('w - - hmvc 3; fmvn 40; bm Ra1; id "a.1"; c9 "0-1";', 0),
        ("w - - [1.0]", 1),
        ("w - - 0 1 [0.5]", 0.5),
        ("w - - 0 1 [0.0] -31", 0),
        ("w - - 0 1 [1]", 1),
        ("w - - 0 1 [ .5 ]", 0.5),
        ("w - - 0 1 [1/2-1/2]", 0.5),
        ("w - - 0 1; 1-0", 1),
        ("w - - 0 1 0-1", 0),
        ("w - - 0 1 1/2-1/2", 0.5),
        ("w - - 0 1 | 1.0", 1),
        ("w - - 0 1 | -120 | 0.0", 0),
        ("w - - 0 1 | 1 | 0.5 ", 0.5),
        ("w - - 0 1 | 1.0 | 0", 0),
        ("w - - 0 1|35|1-0", 1),
        ('w - - c9 "1-0"; [1.0]', 1),
        ("w", None),
        ("w - - 0 1", None),
        ("w - - 0 1 [0.7]", None),
        ("w - - 0 1 [1.5]", None),
        ("w - - 0 1 | 1.0 | 33", None),
        ("w - - 0 1 21-0", None),
        ("w - - 0 1 1-0-0", None),
        ('w - - id "11-0";', None),
        ("w - - bm O-O;", None),
    ],
)
def test_a_result_is_found_in_every_spelling_of_collections(
    tail: str, result: float | None
) -> None:
    line = f"{ROOK} {tail}"
    if result is None:
        with pytest.raises(InputError, match=r"expected|found none"):
            read(line)
    else:
        assert read(line) == Game([MATERIAL], result)


@pytest.mark.parametrize("tail", ['c9 "*";', "*", "; *", '0 1 result "*";'])
def test_a_game_may_have_no_result(tail: str) -> None:
    assert read(f"{ROOK} w - - {tail}") == Game([MATERIAL], None)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            f"{ROOK} w - - 0 1",
            'expected one result, such as c9 "1-0"; or [0.5], found none',
        ),
        (
            f'{ROOK} w - - c9 "1-0"; c2 "0-1";',
            "expected one result, such as c9 \"1-0\"; or [0.5], found '1-0 and 0-1'",
        ),
        (
            f'{ROOK} w - - c9 "1-0"; c2 "*";',
            "expected one result, such as c9 \"1-0\"; or [0.5], found '1-0 and *'",
        ),
        (f"{ROOK} - - 1-0", "side to move: expected w or b, found '-'"),
        (f"{ROOK} white 1-0", "side to move: expected w or b, found 'white'"),
        (f"{ROOK}", "side to move: expected w or b, found ''"),
        ("hello w 1-0", "board: expected 8 ranks with / between them, found 1 in"),
        ("8/7K/8/8/8/8/R7/7 w 1-0", "rank 1: expected 8 squares, found 7 in '7'"),
        ("8/7K/8/8/8/8/R7/²7k w 1-0", "expected plain ASCII, found U+00B2"),
        ("8/8/8/8/8/8/R7/7k w 1-0", "expected one white king, found none"),
        ("8/7K/8/8/8/8/R7/P6k w 1-0", "expected no pawn on the first or last rank"),
    ],
)
def test_a_refusal_says_what_was_expected(line: str, reason: str) -> None:
    with pytest.raises(InputError) as refused:
        read(line)
    assert str(refused.value).startswith(reason)


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


@settings(derandomize=True, deadline=None)
@given(st.randoms(use_true_random=False))
def test_pieces_are_counted_in_positions_of_games(chance: random.Random) -> None:
    board = chess.Board()
    for _ in range(chance.randrange(120)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(chance.choice(moves))
    position = read(f"{board.fen()} [0.5]")
    assert position == Game([count_material(board)], 0.5)
