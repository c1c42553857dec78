"""The text of solutions, written from trees made by hand and compared line by line."""

from __future__ import annotations

import pytest

from solver import __version__
from solver.output.popeye_text import (
    BattleWriter,
    Ending,
    draw,
    end,
    first_line,
    help_lines,
    twin_heading,
)
from solver.play.record import Variations
from solver.problem import Stipulation
from tests.typed_play import Move, attack_of, defence_of, moves_of, play_record

ROOK = "8/8/8/8/8/5K2/R7/7k w - - 0 1"
MATE_IN_3 = Stipulation.parse("#3")


def mate(move: str) -> Move:
    return attack_of(move, 0)


TREE = Variations(
    MATE_IN_3,
    ROOK,
    set_play=(defence_of("h1g1", [attack_of("f3g3", 1)]),),
    keys=(
        attack_of("f3g3", 1, threats=[mate("a2a1")]),
        attack_of("a2a1", 2, defences=[defence_of("h1h2", [attack_of("a1f1", 1)])]),
    ),
    tries=(
        attack_of("a2h2", 2, refutations=["h1h2"]),
        attack_of("f3e4", 2, zugzwang=True, refutations=["h1g1"]),
    ),
)
TREE.keys[1]["defences"][0]["continuations"][0] |= {
    "zugzwang": True,
    "defences": [defence_of("h2h3", [mate("f1h1")])],
}


def writer(tree: Variations, **options: bool) -> BattleWriter:
    play = play_record(tree, popeye=True)
    return BattleWriter(play, tree.fen, tree.stipulation, **options)


def first_moves(tree: Variations, part: str, **options: bool) -> str:
    return writer(tree, **options).first_moves(play_record(tree, popeye=True)[part])


def test_keys_have_threats_zugzwang_defences_and_mates() -> None:
    text = first_moves(TREE, "keys")
    assert text.splitlines() == [
        "",
        "   1.Kf3-g3 ! threat:",
        "          2.Ra2-a1 #",
        "",
        "   1.Ra2-a1 + !",
        "      1...Kh1-h2",
        "          2.Ra1-f1 zugzwang.",
        "              2...Kh2-h3",
        "                  3.Rf1-h1 #",
    ]


def test_tries_have_their_refutations_and_first_moves_alone_no_play() -> None:
    text = first_moves(TREE, "tries", with_play=False)
    assert text.splitlines() == [
        "",
        "   1.Ra2-h2 + ?",
        "    but",
        "      1...Kh1*h2 !",
        "",
        "   1.Kf3-e4 ?",
        "    but",
        "      1...Kh1-g1 !",
    ]


def test_set_play_begins_with_the_defender() -> None:
    text = writer(TREE).set_play()
    assert text.splitlines() == ["", "      1...Kh1-g1", "          2.Kf3-g3"]


def test_short_variations_are_left_out_on_request() -> None:
    key = attack_of("a2a1", 2)
    key["defences"] = [
        defence_of("h1h2", [attack_of("a1f1", 1)]),
        defence_of("h1g1", [mate("f3g3")]),
    ]
    tree = Variations(MATE_IN_3, ROOK, keys=[key])
    shown = first_moves(tree, "keys", short=False)
    assert "Kh1-h2" in shown
    assert "Kh1-g1" not in shown


def test_self_play_ends_with_a_move_of_the_defender() -> None:
    fen = "8/8/8/8/3Q4/6r1/5p1R/5k1K w - - 0 1"
    stipulation = Stipulation.parse("semi-r#1")
    key = attack_of("h2h3", 0, defences=[defence_of("g3h3")])
    text = first_moves(Variations(stipulation, fen, keys=[key]), "keys")
    assert text.splitlines() == ["", "   1.Rh2-h3 !", "      1...Rg3*h3 #"]


def test_reflex_play_shows_the_mates_that_the_attacker_must_give() -> None:
    fen = "8/8/8/8/3Q4/6r1/5p1R/5k1K w - - 0 1"
    reflex, semi = Stipulation.parse("r#2"), Stipulation.parse("semi-r#2")
    forced = writer(Variations(reflex, fen)).forced_ends()
    assert sorted(forced.splitlines()) == [
        "",
        "   1.Qd4*f2 # ?!?",
        "   1.Qd4-d1 # ?!?",
    ]
    assert writer(Variations(semi, fen)).forced_ends() == ""


def test_a_refutation_in_reflex_play_has_the_mates_that_it_allows() -> None:
    fen = "4K3/3N4/4n3/4q3/3Q4/8/7k/5B2 w - - 0 1"
    stipulation = Stipulation.parse("r#2")
    attempt = attack_of("d4f2", 1, refutations=["h2h1"])
    text = first_moves(Variations(stipulation, fen, tries=[attempt]), "tries")
    assert text.splitlines() == [
        "",
        "   1.Qd4-f2 + ?",
        "    but",
        "      1...Kh2-h1 !",
        "          2.Qf2-g2 # ?!?",
    ]


def test_after_the_key_threat_and_refutations_stand_without_a_first_move() -> None:
    fen = "8/8/8/8/8/5K2/R7/7k b - - 0 1"
    tree = Variations(
        Stipulation.parse("#2"),
        fen,
        threats=(attack_of("f3g3", 1),),
        refutations=moves_of("h1g1"),
    )
    text = writer(tree).after_key(2)
    assert text.splitlines() == [
        "",
        " threat:",
        "          2.Kf3-g3",
        "      1...Kh1-g1",
        "        refutes.",
    ]


def test_a_key_that_gave_check_is_marked_above_the_play_after_it() -> None:
    fen = "R6k/1R6/6K1/2b5/8/8/8/2r5 b - - 0 1"
    stipulation = Stipulation.parse("#2")
    tree = Variations(
        stipulation, fen, defences=(defence_of("c5f8", [attack_of("a8f8", 0)]),)
    )
    assert writer(tree).after_key(1) == (" +\n      1...Bc5-f8\n          2.Ra8*f8 #")


BLACK_FIRST = "8/8/8/8/8/5K2/R7/7k b - - 0 1"


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("fen", "stipulation", "line", "skipped", "expected"),
    [
        (
            BLACK_FIRST,
            "h#2",
            "h1g1 f3g3 g1h1 a2a1",
            0,
            "  1.Kh1-g1 Kf3-g3   2.Kg1-h1 Ra2-a1 #",
        ),
        (
            ROOK,
            "h#1.5",
            "a2a1 h1h2 a1h1",
            1,
            "  1...Ra2-a1 +   2.Kh1-h2 Ra1-h1 #",
        ),
        (BLACK_FIRST, "h=1", "h1g1 f3g3", 2, "  1...  ...  2.Kh1-g1 Kf3-g3 ="),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", "h#0.5", "g1h1", 1, "  1...Rg1-h1 #"),
    ],
)
def test_solutions_of_help_play_are_below_each_other(
    fen: str, stipulation: str, line: str, skipped: int, expected: str
) -> None:
    asked = Stipulation.parse(stipulation)
    text = help_lines(fen, asked, [line.split()] * 2, skipped)
    assert text == f"\n{expected}" * 2


def test_the_diagram_has_texts_above_and_stipulation_and_counts_below() -> None:
    fen = "n6k/8/8/8/8/8/8/K6N w - - 0 1"
    lines = draw(fen, "h#2.5", ["A. Author", "Somewhere 1999"], "Duplex").splitlines()
    assert lines[:3] == ["", " " * 14 + "A. Author", " " * 11 + "Somewhere 1999"]
    assert lines[3:5] == ["", "+---a---b---c---d---e---f---g---h---+"]
    assert lines[6] == "8  -S   .   .   .   .   .   .  -K   8"
    assert lines[20] == "1   K   .   .   .   .   .   .   S   1"
    assert lines[-2:] == ["  h#2.5" + "2 + 2".rjust(28), " " * 15 + "Duplex"]


def test_twins_have_headings_with_their_changes() -> None:
    assert twin_heading("a", []) == "\na) \n"
    changes = ["wPa2-->a3", "-bSc4"]
    assert twin_heading("c", changes, continued=True) == "\n+c) wPa2-->a3  -bSc4  \n"


def test_the_first_line_names_the_program_and_the_last_has_the_time() -> None:
    assert first_line(64) == f"matesolve {__version__} (64 MB)\n"
    assert end(Ending.FINISHED, 0.0125) == "\nsolution finished. Time = 0.013 s\n\n\n"
    assert (
        end(Ending.FINISHED, 97.3594)
        == "\nsolution finished. Time = 1:37.359 m:s\n\n\n"
    )
    assert "Time = 2:00:03.500 h:m:s" in end(Ending.FINISHED, 7203.5)
    assert end(Ending.INTERRUPTED, None) == "\nsolving interrupted.\n\n\n"
