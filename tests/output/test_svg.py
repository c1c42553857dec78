"""Diagrams as SVG: pieces, keys, check and title."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import chess

from solver.output.shown_play import encode_svg, svg
from solver.problem import Problem
from solver.solution import Solution, Status
from tests.output.answers import MATED, ROOK_FOUND, ROOK_UNDECIDED, SMOTHERED

SVG = "{http://www.w3.org/2000/svg}"


def drawn(solution: Solution) -> ET.Element:
    return ET.fromstring(encode_svg(solution))


def arrows(picture: ET.Element) -> int:
    return len(picture.findall(f"{SVG}line[@class='arrow']"))


def solved_by(fen: str, *keys: str) -> Solution:
    return Solution(Problem(fen), Status.PROVED, 1, 1, pv=keys[:1], keys=keys)


def test_the_file_is_a_complete_svg_document() -> None:
    assert encode_svg(SMOTHERED).startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    picture = drawn(SMOTHERED)
    assert picture.tag == f"{SVG}svg"
    assert picture.get("viewBox") == "0 0 390 390"


def test_the_title_comes_first_and_names_the_side_to_move() -> None:
    title = drawn(SMOTHERED)[0]
    assert title.tag == f"{SVG}title"
    assert title.text == f"White to move: {SMOTHERED.problem.fen}"
    black = solved_by("6k1/8/8/2q5/8/7n/6PP/5R1K b - - 0 1")
    assert str(drawn(black)[0].text).startswith("Black to move: ")


def test_every_piece_is_on_its_square_with_white_at_the_bottom() -> None:
    placed = {
        (use.get("href"), use.get("transform"))
        for use in drawn(SMOTHERED).findall(f"{SVG}use")
    }
    board = chess.Board(SMOTHERED.problem.fen)
    names = (None, "pawn", "knight", "bishop", "rook", "queen", "king")
    assert placed == {
        (
            f"#{'white' if piece.color else 'black'}-{names[piece.piece_type]}",
            f"translate({15 + 45 * (square % 8)}, {15 + 45 * (7 - square // 8)})",
        )
        for square, piece in board.piece_map().items()
    }


def test_each_key_is_an_arrow() -> None:
    assert arrows(drawn(SMOTHERED)) == 1
    assert arrows(drawn(ROOK_FOUND)) == 2
    assert arrows(drawn(ROOK_UNDECIDED)) == 0


def test_an_arrow_leads_from_the_key_s_first_square_to_its_last() -> None:
    (shaft,) = drawn(SMOTHERED).findall(f"{SVG}line")
    (head,) = drawn(SMOTHERED).findall(f"{SVG}polygon")
    c4, g8 = (15 + 45 * 2.5, 15 + 45 * 4.5), (15 + 45 * 6.5, 15 + 45 * 0.5)
    assert (float(shaft.get("x1", "")), float(shaft.get("y1", ""))) == c4
    tip = [float(number) for number in head.get("points", "").split()[0].split(",")]
    assert max(abs(tip[0] - g8[0]), abs(tip[1] - g8[1])) < 10


def test_at_most_six_keys_are_arrows() -> None:
    fen = "7k/8/8/8/8/8/8/KQQ5 w - - 0 1"
    keys = [f"b1b{rank}" for rank in "2345678"] + ["c1c8"]
    assert arrows(drawn(solved_by(fen, *keys))) == 6


def test_promotions_to_several_pieces_share_an_arrow() -> None:
    fen = "7k/P7/6K1/8/8/8/8/8 w - - 0 1"
    assert arrows(drawn(solved_by(fen, "a7a8q", "a7a8r"))) == 1


def test_a_king_in_check_is_marked() -> None:
    mated = solved_by("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert len(drawn(mated).findall(f"{SVG}rect[@class='check']")) == 1
    assert not drawn(SMOTHERED).findall(f"{SVG}rect[@class='check']")


def test_a_diagram_for_pages_has_no_declaration() -> None:
    assert svg(MATED).startswith("<svg ")


def test_the_id_of_a_problem_is_not_in_its_diagram() -> None:
    problem = replace(SMOTHERED.problem, id="</svg><script>")
    assert encode_svg(replace(SMOTHERED, problem=problem)) == encode_svg(SMOTHERED)
