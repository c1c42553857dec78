"""PGN games: split at their tags, main lines only, refused if damaged."""

from __future__ import annotations

import io
import random
from contextlib import suppress

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.errors import InputError
from solver.formats import pgn, streams
from solver.laboratory import games, imbalance

FULL = imbalance.Material(1, 1, 2, 2, 2, 2, 2, 2, 8, 8)
SCANDINAVIAN = b"1. e4 d5 2. exd5 Qxd5 1-0\n"
ROOK_ENDING = b'[SetUp "1"]\n[FEN "8/7K/8/8/8/8/R7/7k w - - 0 1"]\n[Result "1-0"]\n'


def cut(text: bytes) -> list[tuple[int, bytes]]:
    return list(pgn.split_games(enumerate(io.BytesIO(text), start=1)))


def test_pieces_are_counted_before_the_first_move_and_after_each() -> None:
    game = games.parse_game(b'[Event "x"]\n[Result "1-0"]\n' + SCANDINAVIAN)
    taken = FULL._replace(black_pawns=7)
    assert game.materials == [FULL, FULL, FULL, taken, taken._replace(white_pawns=7)]
    assert game.result == 1


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (b'[Result "1-0"]\n1. e4 1-0\n', 1),
        (b'[Result "0-1"]\n1. e4 0-1\n', 0),
        (b'[Result "1/2-1/2"]\n1. e4 1/2-1/2\n', 0.5),
        (b'[Result "1/2"]\n1. e4 1/2-1/2\n', 0.5),
        (b'[Result "1-0"]\n1. e4\n', 1),
        (b'[Event "x"]\n1. e4 0-1\n', 0),
        (b'[Result "*"]\n1. e4 0-1\n', 0),
        (b'[Result "1-0"]\n1. e4 *\n', 1),
        (b"1. e4 0-1", 0),
        (b'[Result "*"]\n1. e4 *\n', None),
        (b'[Result "?"]\n1. e4\n', None),
        (b"1. e4 *\n", None),
        (b"1. e4\n", None),
    ],
)
def test_the_result_is_in_the_tag_or_after_the_moves(
    text: bytes, result: float | None
) -> None:
    game = games.parse_game(text)
    assert game.result == result
    assert len(game.materials) == 2


def test_variations_and_comments_are_ignored() -> None:
    text = (
        b'[Result "1-0"]\n'
        b"1. e4 $1 {a comment (1. d4 with moves) 0-1} d5 (1... e5 2. Nf3 (2. d4))\n"
        b"{over\ntwo lines} 2. exd5 ; 2. e5 to the end of the line\n"
        b"% an escaped line: 2... e6\n"
        b"Qxd5 ( 2... c6 3. dxc6 ) 1-0\n"
    )
    assert games.parse_game(text).materials == games.parse_game(SCANDINAVIAN).materials


def test_a_game_may_begin_from_its_own_position() -> None:
    game = games.parse_game(ROOK_ENDING + b"1. Kg6 Kg1 1-0")
    assert game.materials == [imbalance.Material(white_rooks=1)] * 3
    assert game.result == 1


@pytest.mark.parametrize("variant", [b"Standard", b"chess", b"From Position"])
def test_the_variant_tag_may_name_orthodox_chess(variant: bytes) -> None:
    text = b'[Variant "%s"]\n' % variant + SCANDINAVIAN
    assert games.parse_game(text).result == 1


def test_names_may_be_in_any_encoding() -> None:
    for name in ("Réti".encode("latin-1"), "Réti".encode(), b"\xff\xfe\x80"):
        assert games.parse_game(b'[White "%s"]\n' % name + SCANDINAVIAN).result == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"1. e4 e5 2. Ke3 1-0", "expected a legal move at 2., found 'Ke3'"),
        (b"1. e4 e5 2. Ke2 Nf5 1-0", "expected a legal move at 2..., found 'Nf5'"),
        (b"1. e4 -- 1-0", "expected a move at 1..., found '--'"),
        (b"1. e4 e5 2. Qg9 Nf6", "expected a move at 2., found 'Qg9'"),
        (b"1. e4 and e5", "expected a move at 1..., found 'and'"),
        (b"1. e4 {no end e5", "expected a move at 1..., found '{no end e5'"),
        (b"1. e4 e5 1-0 2. Nf3", "expected nothing after 1-0, found 'Nf3'"),
        (
            b'[Result "1-0"]\n1. e4 0-1',
            "expected one result, found 1-0 in the tag and 0-1 below",
        ),
        (
            b'[Variant "Atomic"]\n1. e4 1-0',
            "Variant tag: expected Standard or none, found 'Atomic'",
        ),
        (
            b'[Variant "Chess960"]\n1. e4 1-0',
            "Variant tag: expected Standard or none, found 'Chess960'",
        ),
        (
            b'[FEN "8/8/8/8/8/8/R7/7k w - - 0 1"]\n1. Ra1 1-0',
            "expected one white king, found none",
        ),
        (
            b'[FEN "bnrkqrnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQRNB w FCfc - 0 1"]\n1-0',
            "castling rights: expected - or letters of KQkq "
            "(Chess960 is not supported), found 'FCfc'",
        ),
        (b"\x1c\n", "expected a FEN tag or moves, found neither"),
        (
            b"1. e4 {" + b"x" * streams.MAX_RECORD_BYTES,
            "expected a game of at most 1,048,576 bytes, found a longer one",
        ),
    ],
)
def test_a_damaged_game_is_refused(text: bytes, reason: str) -> None:
    with pytest.raises(InputError) as refused:
        games.parse_game(text)
    assert str(refused.value) == reason


def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(InputError):
        games.parse_game(b"1. e5 1-0")
    assert caplog.records == []


def test_a_game_ends_where_the_next_begins() -> None:
    first = b'[Event "1"]\n[Result "1-0"]\n'
    second = b'[Event "2"]\n'
    third = b'[Site "3"]\n'
    moves = b"1. e4 1-0\n"
    text = first + b"\n" + moves + b"\n\n" + second + b"\n" + moves + third + moves
    assert cut(text) == [(1, first + moves), (7, second + moves), (10, third + moves)]


def test_games_without_tags_end_after_their_results() -> None:
    text = b"1. e4\n\n1... e5 1-0\n\n1. d4 *\n\n\n1. c4 1/2-1/2"
    assert cut(text) == [
        (1, b"1. e4\n1... e5 1-0\n"),
        (5, b"1. d4 *\n"),
        (8, b"1. c4 1/2-1/2"),
    ]


def test_a_game_with_tags_may_have_blank_lines_anywhere() -> None:
    text = b'[White "a"]\n\n[Black "b"]\n\n1. e4 {a\n\nb} e5 1-0\n\n2. Nf3\n'
    ((_, game),) = cut(text)
    assert game == text.replace(b"\n\n", b"\n")


def test_an_unclosed_comment_spoils_its_own_game_only() -> None:
    damaged = b'[Event "1"]\n1. e4 {not closed\n1... e5 1-0\n'
    whole = b'[Event "2"]\n' + SCANDINAVIAN
    assert cut(damaged + whole) == [(1, damaged), (4, whole)]


def test_comments_before_a_game_are_ignored() -> None:
    text = b"; exported\n% by hand\n\n" + SCANDINAVIAN
    assert cut(text) == [(4, SCANDINAVIAN)]
    assert cut(b"; nothing\n\n") == []


def test_comment_lines_that_begin_with_a_bracket_are_not_tags() -> None:
    text = b'[Event "1"]\n1. e4 {\n[%clk 0:01]\n[%eval 0.3]} e5 1-0\n'
    assert cut(text) == [(1, text)]


def test_a_game_without_moves_ends_before_the_next_event_tag() -> None:
    tags = b'[Event "1"]\n[Result "1-0"]\n'
    assert cut(tags + tags) == [(1, tags), (3, tags)]


def test_an_endless_game_is_kept_in_part_only() -> None:
    line = b"{" + b"x" * 50_000 + b"}\n"
    ((_, game),) = cut(b'[Event "1"]\n' + line * 200)
    assert streams.MAX_RECORD_BYTES < len(game) <= streams.MAX_RECORD_BYTES + len(line)


def test_pieces_of_whole_games_agree_with_python_chess() -> None:
    chance = random.Random(11)
    for _ in range(20):
        game = chess.pgn.Game({"Result": chance.choice(["1-0", "0-1", "1/2-1/2"])})
        node: chess.pgn.GameNode = game
        expected = [imbalance.count_material(game.board())]
        while len(expected) < 120 and (moves := list(node.board().legal_moves)):
            if chance.random() < 0.1:
                node.add_variation(chance.choice(moves))
            node = node.add_main_variation(chance.choice(moves))
            node.comment = chance.choice(["", "[%clk 0:01:02]", "a; comment"])
            expected.append(imbalance.count_material(node.board()))
        ((_, text),) = cut(f"{game}\n\n".encode())
        assert games.parse_game(text).materials == expected


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [b"1. e4", b"e5", b"1-0", b"{", b"}", b"(", b")", b";", b"$1", b'"', b"[",
             b'[Event "x"]', b'[FEN "8/8"]', b'[Result "1-0"]', b"\n", b"\n\n", b"*",
             b"\xff", b"\x1c", b"\x85", b"\r", b"Nf3", b"O-O", b"--", b"%"]
        )
        | st.binary(max_size=8),
        max_size=20,
    )
)  # fmt: skip
def test_any_bytes_are_a_game_or_refused(pieces: list[bytes]) -> None:
    text = b" ".join(pieces).replace(b" \n ", b"\n")
    for _, game in cut(text):
        with suppress(InputError):
            assert games.parse_game(game).result in {None, 0.0, 0.5, 1.0}
