"""The play in lines, as problem magazines print it, and as Popeye does.

Tests of `matesolve solve` have the whole play of a problem in each notation.
"""

from __future__ import annotations

import textwrap
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from solver import __version__
from solver.output import Notation
from solver.output.play_text import (
    LinePart,
    PlayLine,
    describe_play,
    missing,
    soundness_mark,
    words_line,
)
from solver.output.popeye_text import (
    BattleWriter,
    Ending,
    draw,
    end,
    first_line,
    help_lines,
    twin_heading,
)
from solver.output.shown_play import ShownSolutions, popeye_diagram
from solver.play.record import Variations
from solver.problem import Claim, Restriction, Stipulation
from solver.solution import Solution, Status
from tests.output.play_trees import (
    BLOCK_PLAY,
    BLOCK_SOLUTION,
    HELPMATE,
    defence,
    refuted,
    shuffled,
)
from tests.typed_play import Move, attack_of, defence_of, moves_of, play_record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.output.play_text import Missing

BOXED = "7k/8/8/8/8/8/R7/K7 w - - 0 1"
DEFENDING = BOXED.replace(" w ", " b ")


def printed(lines: Iterable[PlayLine], width: int = 80) -> list[str]:
    return [text for line in lines for text in line.lines(width)]


def laid_out(
    play: Variations, *, marks: bool = False, tries: bool = False
) -> list[PlayLine]:
    record = play_record(play, marks=marks)
    return describe_play(record, play.fen, Notation.SAN, tries=tries)


def gaps(play: Variations) -> Missing:
    return missing(play_record(play))


def keys(*attacks: Move, fen: str = BOXED, stipulation: str = "#3") -> Variations:
    asked = Stipulation.parse(stipulation)
    return Variations(asked, fen, keys=[*attacks], keys_complete=True)


def key(*defences: Move, moves_left: int = 2, **fields: Any) -> Move:
    return attack_of("a1b1", moves_left, defences=[*defences], **fields)


@pytest.mark.usefixtures("kernel")
def test_several_keys_have_their_features_each() -> None:
    play = replace(BLOCK_PLAY, keys=[attack_of("h5a5", 1), attack_of("h5h6", 1)])
    assert printed(laid_out(play, marks=True))[-3:] == [
        *("Keys", "  1.Qa5!", "  1.Qh6! (gives flight c5, sacrifice)")
    ]


CHOICE = attack_of(
    "a2a3", 1, defences=[defence("g8f8", "a3a8"), defence("g8h8", "a3h3")]
)
FORCED = attack_of("a2a3", 1, defences=[defence("g8f8", "a3a8")])
THREAT = attack_of(
    "a2a3", 1, defences=[defence("h8g8", "a3a8"), defence("h8h7", "a3h3")]
)
SLOW = attack_of("a2a3", 1, threats=[attack_of("a3h3", 0)])
FILES = [
    attack_of(f"a2{file}2", 1, defences=[defence("g8h8", f"{file}2h2")])
    for file in "bcd"
]
CUT = attack_of("b1a1", 1, defences=[defence("g8h8", "a2a8")], cut=True)
ALONE, OTHER = defence("h8g8", "a2a8"), defence("h8h7", "a2a7")


@pytest.mark.parametrize(
    ("first", "lines"),
    [
        (  # a line goes on until there is a choice
            key(defence_of("h8g8", [CHOICE]), OTHER),
            "!\n1...Kg8 2.Ra3\n  2...Kf8 3.Ra8+\n  2...Kh8 3.Rh3+\n1...Kh7 2.Ra7+",
        ),
        (key(defence_of("h8g8", [FORCED])), "!\n1...Kg8 2.Ra3 Kf8 3.Ra8+"),
        (
            key(ALONE, threats=[THREAT]),
            "!\nthreat: 2.Ra3\n  2...Kg8 3.Ra8+\n  2...Kh7 3.Rh3+\n1...Kg8 2.Ra8+",
        ),
        (
            key(threats=[SLOW, attack_of("a2h2", 0)]),
            "! threats: 2.Ra3 ~ 3.Rh3+, 2.Rh2+",
        ),
        (
            key(defence_of("h8g8", [CHOICE, attack_of("a2a8", 0)])),
            "!\n1...Kg8 (dual)\n  2.Ra3\n    2...Kf8 3.Ra8+\n    2...Kh8 3.Rh3+\n"
            "  or 2.Ra8+",
        ),
        (
            key(defence_of("h8g8", FILES)),
            "!\n1...Kg8 2.Rb2, Rc2, Rd2 Kh8 3.Rh2+ (dual)",
        ),
        (key(ALONE, moves_left=1, cut=True), "! Kg8 2.Ra8+ (main line only)"),
        (
            key(defence_of("h8g8", [CUT]), OTHER),
            "!\n1...Kg8 2.Ka1 Kh8 3.Ra8+ (main line only)\n1...Kh7 2.Ra7+",
        ),
    ],
)
def test_lines_are_divided_where_there_is_a_choice(first: Move, lines: str) -> None:
    assert printed(laid_out(keys(first)))[1:] == [
        f"  1.Kb1{line}" if number == 0 else f"    {line}"
        for number, line in enumerate(lines.splitlines())
    ]


def test_where_the_defender_begins_refutations_stand_below_its_defences() -> None:
    play = Variations(
        *(Stipulation.parse("#1"), DEFENDING),
        defences=(ALONE, OTHER),
        refutations=moves_of("h8g8"),
    )
    defences = ["Play", "  1...Kg8 2.Ra8+", "  1...Kh7 2.Ra7+"]
    assert printed(laid_out(play)) == [*defences, "  but 1...Kg8!"]
    assert printed(laid_out(replace(play, refutations=()))) == defences


def test_moves_are_numbered_by_colour_where_black_attacks() -> None:
    mated = defence("h1g1", "a7a1")
    first = attack_of("a8b8", 1, defences=[mated])
    play = replace(
        keys(first, fen="k7/r7/8/8/8/8/8/7K b - - 0 7", stipulation="#2"),
        set_play=(mated,),
        tries=(refuted("a8b7", "h1g1"),),
        tries_complete=True,
    )
    assert printed(laid_out(play)) == [
        *("Set play", "  2.Kg1 Ra1+", "", "Try", "  1...Kb7? 2.Kg1!", ""),
        *("Key", "  1...Kb8!", "    2.Kg1 Ra1+"),
    ]


def test_what_is_cut_is_marked_and_said_where_it_is_missing() -> None:
    main = key(defence_of("h8g8", [attack_of("a2a3", 2, cut=True)]), moves_left=3)
    play = replace(
        keys(main, stipulation="#4"),
        tries=(refuted("a2a4", "h8h7"),),
        key_moves=1,
        set_play_moves=0,
        try_moves=0,
        keys_complete=False,
    )
    assert printed(laid_out(play, tries=True)) == [
        *("Set play", "  There may be set play.", ""),
        *("Try", "  1.Ra4? Kh7!", "  There may be other tries."),
        *("  The play after the tries is not shown.", ""),
        *("Key", "  1.Kb1!", "    1...Kg8 2.Ra3 (mate in 2 more)"),
        "  There may be other keys.",
        "  The play of the first move is shown; after it only the main line.",
    ]
    nothing = Variations(Stipulation.parse("#2"), BOXED, key_moves=0)
    assert laid_out(nothing) == []
    assert printed(laid_out(nothing, tries=True)) == ["Tries", "  There may be tries."]


HOW_FAR = {
    None: "",
    0: """\
There may be set play.
The play after the tries is not shown.
Only the defences of the main line are shown.
""",
    1: """\
Only the first moves of the set play are shown.
Only the first moves after the tries are shown.
The play of the first move is shown; after it only the main line.
""",
    7: """\
Only the first 7 moves of the set play are shown.
Only the first 7 moves after the tries are shown.
The play of the first 7 moves is shown; after them only the main line.
""",
}


@pytest.mark.parametrize("moves", HOW_FAR)
def test_each_part_says_how_far_it_is_shown(moves: int | None) -> None:
    parts = dict.fromkeys(("key_moves", "set_play_moves", "try_moves"), moves)
    play = replace(keys(key(moves_left=3)), **parts, keys_complete=True)
    sentences = [text for part in gaps(play) for text in part]
    assert sentences == HOW_FAR[moves].splitlines()


def test_the_part_where_one_continuation_stands_for_all_says_so() -> None:
    reply = defence_of("h8g8", [attack_of("a2a3", 3)], incomplete=True)
    attack = key(reply, moves_left=4)
    far = "Far from the mate, only one of several continuations is shown."
    plain = keys(key(moves_left=4), stipulation="#5")
    assert gaps(replace(plain, keys=[attack])).keys == [far]
    assert gaps(replace(plain, tries=[attack], tries_complete=True)).tries == [far]
    assert gaps(replace(plain, keys=(), defences=(reply,))).keys == [far]
    assert gaps(replace(plain, keys=(), threats=[attack])).keys == []
    assert printed(laid_out(replace(plain, keys=[attack])))[-1] == f"  {far}"


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("width", [20, 30, 80])
def test_lines_fit_a_narrow_terminal_and_keep_every_word(width: int) -> None:
    lines = laid_out(BLOCK_PLAY, marks=True)
    texts = printed(lines, width)
    assert max(map(len, texts)) <= width
    assert " ".join(texts).split() == [w for line in lines for w in line.text.split()]


def test_play_of_two_hundred_moves_is_printed_without_running_off_the_page() -> None:
    texts = printed(laid_out(shuffled(200)))
    assert texts[-1].strip().startswith("199...K") or "200." in " ".join(texts)
    assert max(map(len, texts)) <= 80


def claiming(solution: Solution, claim: Claim) -> Solution:
    return replace(solution, problem=replace(solution.problem, claim=claim))


ONE = replace(HELPMATE, solutions=HELPMATE.solutions[:1])


@pytest.mark.parametrize(
    ("solution", "mark"),
    [
        (BLOCK_SOLUTION, "C+ matesolve 0.1.0 (12.0 ms)"),
        (replace(BLOCK_SOLUTION, keys_complete=False), ""),
        (replace(BLOCK_SOLUTION, keys=("h5a5", "h5h6")), ""),
        (replace(BLOCK_SOLUTION, status=Status.FOUND), ""),
        (replace(BLOCK_SOLUTION, restriction=Restriction(checks_only=True)), ""),
        (claiming(BLOCK_SOLUTION, Claim(3)), ""),
        (HELPMATE, ""),
        (ONE, "C+ matesolve 0.1.0 (12.3 ms)"),
        (replace(HELPMATE, solutions=(("a1b1", "h3h1"),)), ""),
        (replace(ONE, solutions_complete=False), ""),
        (claiming(HELPMATE, Claim(2, solutions=2)), "C+ matesolve 0.1.0 (12.3 ms)"),
    ],
)
def test_only_what_is_proved_and_as_stipulated_is_marked_as_sound(
    solution: Solution, mark: str
) -> None:
    assert soundness_mark(solution) == mark


@pytest.mark.parametrize("width", [1, 5, 20, 80])
@pytest.mark.parametrize("depth", [0, 1, 30])
def test_lines_are_broken_as_by_textwrap(depth: int, width: int) -> None:
    random = Random(width + 100 * depth)
    for _ in range(200):
        words = ["x" * random.randint(1, 9) for _ in range(random.randint(0, 40))]
        line = PlayLine((LinePart(" ".join(words)),), depth)
        margin = " " * min(2 * depth, 24, width // 3)
        wrapper = textwrap.TextWrapper(
            *(width, margin, margin + " " * 4),
            break_long_words=False,
            break_on_hyphens=False,
        )
        assert line.lines(width) == (wrapper.wrap(line.text) or [""])


MANY = replace(HELPMATE, solutions=HELPMATE.solutions * 750)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("notation", Notation)
def test_an_interrupt_leaves_out_solutions_and_says_how_many(
    notation: Notation,
) -> None:
    shown = ShownSolutions(MANY, HELPMATE.solutions, is_over=lambda: True)
    if notation is Notation.POPEYE:
        texts = "".join(shown.popeye()).splitlines()
        diagram = popeye_diagram(MANY).splitlines()
        assert texts[: len(diagram)] == diagram
        assert len(texts) == 1000 + 5 + len(diagram)
    else:
        texts = printed(shown.lines(notation, paths=False), 200)
        assert "1000) " in texts[-2]
        assert len(texts) == 1000 + 6
    assert texts[-1].strip() == (
        "Interrupted: only the first 1,000 of 1,500 solutions are shown. "
        "`matesolve popeye` prints each as soon as it is found."
    )


def test_lines_with_and_without_paths_have_the_same_text() -> None:
    shown = ShownSolutions(MANY, HELPMATE.solutions[:1])
    assert printed(shown.lines(paths=False)) == printed(shown.lines())
    assert words_line("a word").lines(80) == ["a word"]


# As Popeye writes it


ROOK = "8/8/8/8/8/5K2/R7/7k w - - 0 1"
BLACK_FIRST = ROOK.replace(" w ", " b ")
SELF = "8/8/8/8/3Q4/6r1/5p1R/5k1K w - - 0 1"


def mate(move: str) -> Move:
    return attack_of(move, 0)


def tree(stipulation: str, fen: str = ROOK, **parts: Any) -> Variations:
    return Variations(Stipulation.parse(stipulation), fen, **parts)


QUIET = attack_of(
    "a1f1", 1, zugzwang=True, defences=[defence_of("h2h3", [mate("f1h1")])]
)


def writer(shown: Variations, **options: bool) -> BattleWriter:
    play = play_record(shown, popeye=True)
    return BattleWriter(play, shown.fen, shown.stipulation, **options)


def first_moves(shown: Variations, part: str, **options: bool) -> list[str]:
    moves = play_record(shown, popeye=True)[part]
    return writer(shown, **options).first_moves(moves).splitlines()


def test_short_variations_are_left_out_on_request() -> None:
    defences = [defence_of("h1h2", [QUIET]), defence_of("h1g1", [mate("f3g3")])]
    shown = tree("#3", keys=[attack_of("a2a1", 2, defences=defences)])
    text = " ".join(first_moves(shown, "keys", short=False))
    assert "Kh1-h2" in text
    assert "Kh1-g1" not in text


def test_reflex_play_ends_with_mates_that_the_attacker_must_give() -> None:
    key = attack_of("h2h3", 0, defences=[defence_of("g3h3")])
    ended = ["", "   1.Rh2-h3 !", "      1...Rg3*h3 #"]
    assert first_moves(tree("semi-r#1", SELF, keys=[key]), "keys") == ended
    forced = writer(tree("r#2", SELF)).forced_ends().splitlines()
    assert sorted(forced) == ["", "   1.Qd4*f2 # ?!?", "   1.Qd4-d1 # ?!?"]
    assert writer(tree("semi-r#2", SELF)).forced_ends() == ""
    fen = "4K3/3N4/4n3/4q3/3Q4/8/7k/5B2 w - - 0 1"
    attempt = attack_of("d4f2", 1, refutations=["h2h1"])
    assert first_moves(tree("r#2", fen, tries=[attempt]), "tries") == [
        *("", "   1.Qd4-f2 + ?", "    but", "      1...Kh2-h1 !"),
        "          2.Qf2-g2 # ?!?",
    ]


def test_after_the_key_threat_and_refutations_stand_without_a_first_move() -> None:
    threats = (attack_of("f3g3", 1),)
    shown = tree("#2", BLACK_FIRST, threats=threats, refutations=moves_of("h1g1"))
    assert writer(shown).after_key(2).splitlines() == [
        *("", " threat:", "          2.Kf3-g3", "      1...Kh1-g1", "        refutes.")
    ]
    fen = "R6k/1R6/6K1/2b5/8/8/8/2r5 b - - 0 1"  # the key gave check
    shown = tree("#2", fen, defences=(defence_of("c5f8", [mate("a8f8")]),))
    assert writer(shown).after_key(1) == " +\n      1...Bc5-f8\n          2.Ra8*f8 #"


LAST = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"
WHOLE = "  1.Kh1-g1 Kf3-g3   2.Kg1-h1 Ra2-a1 #"
HALF = "  1...Ra2-a1 +   2.Kh1-h2 Ra1-h1 #"


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("fen", "stipulation", "line", "skipped", "expected"),
    [
        (BLACK_FIRST, "h#2", "h1g1 f3g3 g1h1 a2a1", 0, WHOLE),
        (ROOK, "h#1.5", "a2a1 h1h2 a1h1", 1, HALF),
        (BLACK_FIRST, "h=1", "h1g1 f3g3", 2, "  1...  ...  2.Kh1-g1 Kf3-g3 ="),
        (LAST, "h#0.5", "g1h1", 1, "  1...Rg1-h1 #"),
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


def test_headings_and_the_first_and_last_line() -> None:
    assert twin_heading("a", []) == "\na) \n"
    changes = ["wPa2-->a3", "-bSc4"]
    assert twin_heading("c", changes, continued=True) == "\n+c) wPa2-->a3  -bSc4  \n"
    assert first_line(64) == f"matesolve {__version__} (64 MB)\n"
    for seconds, time in (
        *((0.0125, "0.013 s"), (97.3594, "1:37.359 m:s")),
        (7203.5, "2:00:03.500 h:m:s"),
    ):
        finished = f"\nsolution finished. Time = {time}\n\n\n"
        assert end(Ending.FINISHED, seconds) == finished
    assert end(Ending.INTERRUPTED, None) == "\nsolving interrupted.\n\n\n"
