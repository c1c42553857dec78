"""The whole play in lines, as problem magazines print it."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from solver.output import Notation
from solver.output.play_text import (
    LinePart,
    PlayLine,
    describe_play,
    missing,
    soundness_mark,
    words_line,
)
from solver.output.shown_play import ShownSolutions, popeye_diagram
from solver.play.record import Variations
from solver.problem import Claim, Problem, Restriction, Stipulation
from solver.solution import Solution, Status
from tests.output.play_trees import (
    BLOCK_PLAY,
    BLOCK_SOLUTION,
    HELPMATE,
    SELFMATE,
    defence,
    refuted,
    shuffled,
)
from tests.typed_play import Move, attack_of, defence_of, moves_of, play_record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.output.play_text import Missing

BOXED = "7k/8/8/8/8/8/R7/K7 w - - 0 1"


def printed(lines: Iterable[PlayLine], width: int = 80) -> list[str]:
    return [text for line in lines for text in line.lines(width)]


def laid_out(
    play: Variations,
    notation: Notation = Notation.SAN,
    *,
    marks: bool = False,
    tries: bool = False,
) -> list[PlayLine]:
    record = play_record(play, marks=marks)
    return describe_play(record, play.fen, notation, tries=tries)


def gaps(play: Variations) -> Missing:
    return missing(play_record(play))


def keys(*attacks: Move, fen: str = BOXED, stipulation: str = "#3") -> Variations:
    return Variations(
        Stipulation.parse(stipulation), fen, keys=[*attacks], keys_complete=True
    )


def test_the_parts_of_the_play_come_in_the_order_of_a_magazine() -> None:
    assert printed(laid_out(BLOCK_PLAY)) == [
        "Set play",
        "  1...Bd7, Bd6 2.Qd5#",
        "  1...Be6, Be7 2.Qe5#",
        "",
        "Tries",
        "  1.Nc2+? dxc2!",
        "  1.Qb5? threat: 2.Qc4#",
        "    1...Be6 2.Qe5#",
        "    but 1...axb5!",
        "",
        "Key",
        "  1.Qa5! zugzwang",
        "    1...Bb7, Rd7 2.Nf5#",
        "    1...Bf5 2.Nxf5#",
        "    1...Re7, Bh6 2.Qxb4# or 2.Qb6# (dual)",
    ]


def test_moves_are_written_in_uci_notation_on_demand() -> None:
    lines = printed(laid_out(BLOCK_PLAY, Notation.UCI))
    assert lines[4:9] == [
        "Tries",
        "  1.e3c2? d3c2!",
        "  1.h5b5? threat: 2.b5c4",
        "    1...c8e6 2.b5e5",
        "    but 1...a6b5!",
    ]
    # The same capture and quiet move of a piece are one continuation here.
    assert "    1...c8b7, c8f5, d8d7 2.e3f5" in lines


@pytest.mark.usefixtures("kernel")
def test_keys_and_mates_have_their_marks() -> None:
    key = attack_of("c4g8", 1, defences=[defence("f8g8", "h6f7")])
    play = keys(key, fen="5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", stipulation="#2")
    assert printed(laid_out(play, marks=True)) == [
        "Key: check, sacrifice",
        "  1.Qg8+!",
        "    1...Rxg8 2.Nf7# (model)",
    ]


@pytest.mark.usefixtures("kernel")
def test_several_keys_have_their_features_each() -> None:
    play = replace(BLOCK_PLAY, keys=[refuted("h5a5", "a6a5"), refuted("h5h6", "a6a5")])
    for key in play.keys:
        del key["refutations"]
    lines = printed(laid_out(play, marks=True))
    assert lines[-3:] == [
        "Keys",
        "  1.Qa5!",
        "  1.Qh6! (gives flight c5, sacrifice)",
    ]


def test_a_line_goes_on_until_there_is_a_choice() -> None:
    end = attack_of(
        "a2a3", 1, defences=[defence("g8f8", "a3a8"), defence("g8h8", "a3h3")]
    )
    key = attack_of(
        "a1b1",
        2,
        defences=[defence_of("h8g8", [end]), defence("h8h7", "a2a7")],
    )
    assert printed(laid_out(keys(key)))[1:] == [
        "  1.Kb1!",
        "    1...Kg8 2.Ra3",
        "      2...Kf8 3.Ra8+",
        "      2...Kh8 3.Rh3+",
        "    1...Kh7 2.Ra7+",
    ]


def test_a_forced_line_stands_in_one_line() -> None:
    end = attack_of("a2a3", 1, defences=[defence("g8f8", "a3a8")])
    key = attack_of("a1b1", 2, defences=[defence_of("h8g8", [end])])
    assert printed(laid_out(keys(key)))[1:] == [
        "  1.Kb1!",
        "    1...Kg8 2.Ra3 Kf8 3.Ra8+",
    ]


def test_threats_with_a_choice_below_have_lines_of_their_own() -> None:
    threat = attack_of(
        "a2a3", 1, defences=[defence("h8g8", "a3a8"), defence("h8h7", "a3h3")]
    )
    key = attack_of("a1b1", 2, threats=[threat], defences=[defence("h8g8", "a2a8")])
    assert printed(laid_out(keys(key)))[1:] == [
        "  1.Kb1!",
        "    threat: 2.Ra3",
        "      2...Kg8 3.Ra8+",
        "      2...Kh7 3.Rh3+",
        "    1...Kg8 2.Ra8+",
    ]


def test_several_threats_and_threats_of_threats_are_short() -> None:
    slow = attack_of("a2a3", 1, threats=[attack_of("a3h3", 0)])
    key = attack_of("a1b1", 2, threats=[slow, attack_of("a2h2", 0)])
    assert printed(laid_out(keys(key)))[1:] == [
        "  1.Kb1! threats: 2.Ra3 ~ 3.Rh3+, 2.Rh2+"
    ]


def test_long_duals_have_a_line_for_each_continuation() -> None:
    branches = [defence("g8f8", "a3a8"), defence("g8h8", "a3h3")]
    ends = [attack_of("a2a3", 1, defences=branches), attack_of("a2a8", 0)]
    key = attack_of("a1b1", 2, defences=[defence_of("h8g8", ends)])
    assert printed(laid_out(keys(key)))[1:] == [
        "  1.Kb1!",
        "    1...Kg8 (dual)",
        "      2.Ra3",
        "        2...Kf8 3.Ra8+",
        "        2...Kh8 3.Rh3+",
        "      or 2.Ra8+",
    ]


def test_duals_with_the_same_play_after_them_share_it() -> None:
    tails = [
        attack_of(f"a2{file}2", 1, defences=[defence("g8h8", f"{file}2h2")])
        for file in "bcd"
    ]
    key = attack_of("a1b1", 2, defences=[defence_of("h8g8", tails)])
    assert printed(laid_out(keys(key)))[1:] == [
        "  1.Kb1!",
        "    1...Kg8 2.Rb2, Rc2, Rd2 Kh8 3.Rh2+ (dual)",
    ]


def test_where_the_defender_begins_refutations_stand_below_its_defences() -> None:
    play = Variations(
        Stipulation.parse("#1"),
        "7k/8/8/8/8/8/R7/6RK b - - 0 1",
        defences=(defence_of("h8h7", [attack_of("a2h2", 0)]),),
        refutations=moves_of("h8g8"),
    )
    assert printed(laid_out(play)) == [
        "Play",
        "  1...Kh7 2.Rh2#",
        "  but 1...Kg8!",
    ]


def test_a_try_with_several_refutations_names_them_all() -> None:
    attempt = attack_of(
        "a1b1", 1, refutations=["h8g8", "h8h7"], threats=[attack_of("a2h2", 0)]
    )
    play = Variations(
        Stipulation.parse("#2"), BOXED, tries=[attempt], tries_complete=True
    )
    assert printed(laid_out(play)) == [
        "Try",
        "  1.Kb1? threat: 2.Rh2+",
        "    but 1...Kg8!, Kh7!",
    ]


def test_self_play_ends_with_moves_of_the_defender() -> None:
    key = attack_of(
        "a1a2", 0, zugzwang=True, defences=[defence_of("b3a3"), defence_of("b3b2")]
    )
    once = keys(key, fen=SELFMATE, stipulation="s#1")
    assert printed(laid_out(once))[1:] == [
        "  1.Ka2! zugzwang",
        "    1...Ra3+, Rb2+",
    ]
    last = attack_of("a2a1", 0, defences=[defence_of("b3b1")])
    twice = attack_of("a1a2", 1, defences=[defence_of("d3c3", [last])])
    play = keys(twice, fen=SELFMATE, stipulation="s#2")
    assert printed(laid_out(play))[1:] == [
        "  1.Ka2!",
        "    1...Kc3 2.Ka1 Rb1+",
    ]


def test_play_where_the_defender_begins_has_no_key() -> None:
    fen = "7k/8/8/8/8/8/R7/K7 b - - 0 1"
    play = Variations(
        Stipulation.parse("#1"),
        fen,
        defences=(defence("h8g8", "a2a8"), defence("h8h7", "a2a7")),
    )
    assert printed(laid_out(play)) == [
        "Play",
        "  1...Kg8 2.Ra8+",
        "  1...Kh7 2.Ra7+",
    ]


def test_moves_are_numbered_by_colour_where_black_attacks() -> None:
    fen = "k7/r7/8/8/8/8/8/7K b - - 0 7"
    key = attack_of("a8b8", 1, defences=[defence("h1g1", "a7a1")])
    play = replace(
        keys(key, fen=fen, stipulation="#2"),
        set_play=(defence("h1g1", "a7a1"),),
        tries=(refuted("a8b7", "h1g1"),),
        tries_complete=True,
    )
    assert printed(laid_out(play)) == [
        "Set play",
        "  2.Kg1 Ra1+",
        "",
        "Try",
        "  1...Kb7? 2.Kg1!",
        "",
        "Key",
        "  1...Kb8!",
        "    2.Kg1 Ra1+",
    ]


def test_what_is_cut_is_marked_and_said_where_it_is_gaps() -> None:
    cut = attack_of("a2a3", 2, cut=True)
    main = attack_of("a1b1", 3, defences=[defence_of("h8g8", [cut])])
    play = replace(
        keys(main, stipulation="#4"),
        tries=(refuted("a2a4", "h8h7"),),
        key_moves=1,
        set_play_moves=0,
        try_moves=0,
        keys_complete=False,
    )
    assert printed(laid_out(play, tries=True)) == [
        "Set play",
        "  There may be set play.",
        "",
        "Try",
        "  1.Ra4? Kh7!",
        "  There may be other tries.",
        "  The play after the tries is not shown.",
        "",
        "Key",
        "  1.Kb1!",
        "    1...Kg8 2.Ra3 (mate in 2 more)",
        "  There may be other keys.",
        "  The play of the first move is shown; after it only the main line.",
    ]


@pytest.mark.parametrize(
    ("moves", "sentences"),
    [
        (None, []),
        (
            0,
            [
                "There may be set play.",
                "The play after the tries is not shown.",
                "Only the defences of the main line are shown.",
            ],
        ),
        (
            1,
            [
                "Only the first moves of the set play are shown.",
                "Only the first moves after the tries are shown.",
                "The play of the first move is shown; after it only the main line.",
            ],
        ),
        (
            7,
            [
                "Only the first 7 moves of the set play are shown.",
                "Only the first 7 moves after the tries are shown.",
                "The play of the first 7 moves is shown; after them only the main "
                "line.",
            ],
        ),
    ],
)
def test_each_part_says_how_far_it_is_shown(
    moves: int | None, sentences: list[str]
) -> None:
    play = replace(
        keys(attack_of("a1b1", 3)),
        key_moves=moves,
        set_play_moves=moves,
        try_moves=moves,
        keys_complete=True,
    )
    assert [text for part in gaps(play) for text in part] == sentences


def test_the_part_where_one_continuation_stands_for_all_says_so() -> None:
    reply = defence_of("h8g8", [attack_of("a2a3", 3)], incomplete=True)
    attack = attack_of("a1b1", 4, defences=[reply])
    far = "Far from the mate, only one of several continuations is shown."
    plain = keys(attack_of("a1b1", 4), stipulation="#5")
    assert gaps(replace(plain, keys=[attack])).keys == [far]
    assert gaps(replace(plain, tries=[attack], tries_complete=True)).tries == [far]
    assert gaps(replace(plain, keys=(), defences=(reply,))).keys == [far]
    assert gaps(replace(plain, keys=(), threats=[attack])).keys == []


def test_a_main_line_without_its_side_play_is_one_line_and_says_so() -> None:
    play = keys(
        attack_of("a1b1", 1, defences=[defence("h8g8", "a2a8")], cut=True),
        stipulation="#2",
    )
    assert printed(laid_out(play))[1:] == ["  1.Kb1! Kg8 2.Ra8+ (main line only)"]
    last = attack_of("b1a1", 1, defences=[defence("g8h8", "a2a8")], cut=True)
    cut = attack_of(
        "a1b1", 2, defences=[defence_of("h8g8", [last]), defence("h8h7", "a2a7")]
    )
    assert printed(laid_out(keys(cut)))[1:] == [
        "  1.Kb1!",
        "    1...Kg8 2.Ka1 Kh8 3.Ra8+ (main line only)",
        "    1...Kh7 2.Ra7+",
    ]


def test_nothing_is_said_of_play_that_is_not_there() -> None:
    nothing = Variations(Stipulation.parse("#2"), BOXED, key_moves=0)
    assert laid_out(nothing) == []
    assert printed(laid_out(nothing, tries=True)) == [
        "Tries",
        "  There may be tries.",
    ]


def test_continuations_that_stand_for_all_are_not_taken_for_the_only_ones() -> None:
    reply = defence_of("h8g8", [attack_of("a2a8", 4)], incomplete=True)
    play = keys(attack_of("a1b1", 5, defences=[reply]), stipulation="#6")
    assert printed(laid_out(play))[-1] == (
        "  Far from the mate, only one of several continuations is shown."
    )


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("width", [20, 30, 40, 80])
def test_lines_fit_a_narrow_terminal_and_keep_every_word(width: int) -> None:
    lines = laid_out(BLOCK_PLAY, marks=True)
    texts = printed(lines, width)
    assert max(map(len, texts)) <= width
    assert " ".join(texts).split() == [w for line in lines for w in line.text.split()]


def test_play_of_two_hundred_moves_is_printed_without_running_off_the_page() -> None:
    texts = printed(laid_out(shuffled(200)))
    assert texts[-1].strip().startswith("199...K") or "200." in " ".join(texts)
    assert max(map(len, texts)) <= 80


def test_solutions_of_help_play_are_numbered_from_the_first_move() -> None:
    assert printed(ShownSolutions(HELPMATE).lines(marks=False)) == [
        "  1) 1.Kb1 Rh4 2.Ka1 Rh1#",
        "  2) 1.Kb1 Rh5 2.Ka1 Rh1#",
    ]


def test_a_single_solution_has_no_number() -> None:
    one = replace(HELPMATE, solutions=HELPMATE.solutions[:1])
    assert printed(ShownSolutions(one).lines(marks=False)) == ["  1.Kb1 Rh4 2.Ka1 Rh1#"]


def test_set_play_of_help_play_begins_with_the_second_move() -> None:
    set_play = (("h3h2", "a1b1", "h2h1"),)
    assert printed(ShownSolutions(HELPMATE, set_play).lines(marks=False))[:4] == [
        "Set play",
        "  1...Rh2 2.Kb1 Rh1#",
        "",
        "Solutions",
    ]


def test_help_play_with_half_a_move_more_begins_with_dots() -> None:
    fen = "8/8/8/8/8/1K6/7R/1k6 w - - 0 1"
    problem = Problem(fen, stipulation=Stipulation.parse("h#1.5"))
    solution = replace(HELPMATE, problem=problem, solutions=(("h2h3", "b1a1", "h3h1"),))
    assert printed(ShownSolutions(solution).lines(Notation.UCI, marks=False)) == [
        "  1...h2h3 2.b1a1 h3h1"
    ]


@pytest.mark.parametrize(
    ("solution", "is_sound"),
    [
        (BLOCK_SOLUTION, True),
        (replace(BLOCK_SOLUTION, keys_complete=False), False),
        (replace(BLOCK_SOLUTION, keys=("h5a5", "h5h6")), False),
        (replace(BLOCK_SOLUTION, status=Status.FOUND), False),
        (replace(BLOCK_SOLUTION, restriction=Restriction(checks_only=True)), False),
        (
            replace(
                BLOCK_SOLUTION, problem=replace(BLOCK_SOLUTION.problem, claim=Claim(3))
            ),
            False,
        ),
        (HELPMATE, False),
        (replace(HELPMATE, solutions=HELPMATE.solutions[:1]), True),
        (replace(HELPMATE, solutions=(("a1b1", "h3h1"),)), False),
        (
            replace(
                HELPMATE,
                solutions=HELPMATE.solutions[:1],
                solutions_complete=False,
            ),
            False,
        ),
        (
            replace(
                HELPMATE,
                problem=replace(HELPMATE.problem, claim=Claim(2, solutions=2)),
            ),
            True,
        ),
    ],
)
def test_only_what_is_proved_and_as_stipulated_is_marked_as_sound(
    solution: Solution, *, is_sound: bool
) -> None:
    mark = "C+ matesolve 0.1.0 (12.0 ms)" if solution.stats.nodes == 145 else ""
    mark = mark or "C+ matesolve 0.1.0 (12.3 ms)"
    assert soundness_mark(solution) == (mark if is_sound else "")


def test_words_alone_are_not_indented() -> None:
    assert words_line("a word").lines(80) == ["a word"]


@pytest.mark.parametrize("width", [1, 5, 8, 20, 80])
@pytest.mark.parametrize("depth", [0, 1, 4, 30])
def test_lines_are_broken_as_by_textwrap(depth: int, width: int) -> None:
    random = Random(width + 100 * depth)
    for _ in range(200):
        words = ["x" * random.randint(1, 9) for _ in range(random.randint(0, 40))]
        line = PlayLine((LinePart(" ".join(words)),), depth)
        margin = " " * min(2 * depth, 24, width // 3)
        assert line.lines(width) == (
            textwrap.wrap(
                line.text,
                width,
                initial_indent=margin,
                subsequent_indent=margin + " " * 4,
                break_long_words=False,
                break_on_hyphens=False,
            )
            or [""]
        )


MANY = replace(HELPMATE, solutions=HELPMATE.solutions * 750)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("notation", Notation)
def test_an_interrupt_leaves_out_solutions_and_says_how_many(
    notation: Notation,
) -> None:
    shown = ShownSolutions(MANY, HELPMATE.solutions, is_over=lambda: True)
    if notation is Notation.POPEYE:
        texts = "".join(shown.popeye()).splitlines()
    else:
        texts = printed(shown.lines(notation, paths=False), 200)
    assert texts[-1].strip() == (
        "Interrupted: only the first 1,000 of 1,500 solutions are shown. "
        "`matesolve popeye` prints each as soon as it is found."
    )
    assert "1000) " in texts[-2] or notation is Notation.POPEYE
    diagram = popeye_diagram(MANY).splitlines()
    assert texts[: len(diagram)] == diagram or notation is not Notation.POPEYE
    count = 5 + len(diagram) if notation is Notation.POPEYE else 6
    assert len(texts) == 1000 + count


def test_lines_with_and_without_paths_have_the_same_text() -> None:
    shown = ShownSolutions(MANY, HELPMATE.solutions[:1])
    assert printed(shown.lines(paths=False)) == printed(shown.lines())
