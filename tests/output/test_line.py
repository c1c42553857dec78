from solver.reports.line import first_moves, numbered_line
from tests.output.answers import ROOK, ROOK_LINE, SMOTHERED, SMOTHERED_BY_BLACK


def test_a_line_is_numbered_from_one() -> None:
    assert numbered_line(ROOK.fen, ROOK_LINE) == [
        "1. Ra8 Kh2",
        "2. Ra1 Kh3",
        "3. Rh1#",
    ]


def test_numbers_do_not_go_on_from_the_game() -> None:
    fen = SMOTHERED.problem.fen.replace(" 0 1", " 3 41")

    assert numbered_line(fen, SMOTHERED.pv) == ["1. Qg8+ Rxg8", "2. Nf7#"]


def test_black_to_move_begins_with_three_dots() -> None:
    fen = SMOTHERED_BY_BLACK.problem.fen

    line = numbered_line(fen, SMOTHERED_BY_BLACK.pv)

    assert line == ["1... Qg1+", "2. Rxg1 Nf2#"]


def test_no_moves_are_no_line() -> None:
    assert numbered_line(ROOK.fen, ()) == []


def test_castling_promotion_and_ambiguity_are_written_in_san() -> None:
    fen = "3k4/P7/8/8/8/1N6/8/R3K1NR w KQ - 0 1"

    sans = first_moves(fen, ["e1c1", "a7a8n", "b3d2", "g1e2"])

    assert sans == ["O-O-O+", "a8=N", "Nd2", "Ne2"]


def test_first_moves_are_alternatives_in_the_order_given() -> None:
    assert first_moves(ROOK.fen, ("a2a1", "a2a8")) == ["Ra1+", "Ra8"]
