"""Twins: each change makes the position that Popeye makes.

The positions were rebuilt from what Popeye 4.104 prints: with `Stipulation ~1`, with
and without `HalfDuplex`, it lists every move of both sides in each twin, and each piece
of these positions has a move.
"""

from __future__ import annotations

import io

import pytest

from solver.errors import FormatError
from solver.formats import claims, popeye
from solver.problem import EXPECTED, Problem

PIECES = "White Kf2 Qg7 Rf4 Be5 Sc3 Pc7 Black Kb3 Rd5 Bc6 Sd6 Pb6"
DIAGRAM = "8/2P3Q1/1pbn4/3rB3/5R2/1kN5/5K2/8"

# The words of each twin; how Popeye prints them; its position.
TWINS = [
    ("Move c3 g6", "wSc3-->g6", "8/2P3Q1/1pbn2N1/3rB3/5R2/1k6/5K2/8"),
    ("Move f4 g4", "wRf4-->g4", "8/2P3Q1/1pbn4/3rB3/6R1/1kN5/5K2/8"),
    ("Move f4 c6", "-bBc6  wRf4-->c6", "8/2P3Q1/1pRn4/3rB3/8/1kN5/5K2/8"),
    ("Remove c6", "-bBc6", "8/2P3Q1/1p1n4/3rB3/5R2/1kN5/5K2/8"),
    ("Remove c6c3b6", "-bBc6  -wSc3  -bPb6", "8/2P3Q1/3n4/3rB3/5R2/1k6/5K2/8"),
    ("Add White Qg6", "+wQg6", "8/2P3Q1/1pbn2Q1/3rB3/5R2/1kN5/5K2/8"),
    (
        "Add Black Bg6 White Sg4g2",
        "+bBg6  +wSg4  +wSg2",
        "8/2P3Q1/1pbn2b1/3rB3/5RN1/1kN5/5KN1/8",
    ),
    ("Add White Sc6", "wSc6", "8/2P3Q1/1pNn4/3rB3/5R2/1kN5/5K2/8"),
    ("Exchange g7 c6", "wQg7<-->bBc6", "8/2P3b1/1pQn4/3rB3/5R2/1kN5/5K2/8"),
    ("Exchange f4 c7", "wRf4<-->wPc7", "8/2R3Q1/1pbn4/3rB3/5P2/1kN5/5K2/8"),
    ("Substitute B S", "B ==> S", "8/2P3Q1/1pnn4/3rN3/5R2/1kN5/5K2/8"),
    ("Substitute R Q", "R ==> Q", "8/2P3Q1/1pbn4/3qB3/5Q2/1kN5/5K2/8"),
    ("Substitute S P", "S ==> P", "8/2P3Q1/1pbp4/3rB3/5R2/1kP5/5K2/8"),
    ("Shift a1 b1", "shift a1 ==> b1", "8/3P3Q/2pbn3/4rB2/6R1/2kN4/6K1/8"),
    ("Shift b2 a1", "shift b2 ==> a1", "8/8/1P3Q2/pbn5/2rB4/4R3/kN6/4K3"),
    ("Rotate 90", "rotate 90", "8/1Q6/4R1K1/3B4/2nr4/1Pb2N2/2p2k2/8"),
    ("Rotate 180", "rotate 180", "8/2K5/5Nk1/2R5/3Br3/4nbp1/1Q3P2/8"),
    ("Rotate 270", "rotate 270", "8/2k2p2/2N2bP1/4rn2/4B3/1K1R4/6Q1/8"),
    ("Mirror a1<-->h1", "mirror a1<-->h1", "8/1Q3P2/4nbp1/3Br3/2R5/5Nk1/2K5/8"),
    ("Mirror a1<-->a8", "mirror a1<-->a8", "8/5K2/1kN5/5R2/3rB3/1pbn4/2P3Q1/8"),
    ("Mirror a1<-->h8", "mirror a1<-->h8", "8/2p2k2/1Pb2N2/2nr4/3B4/4R1K1/1Q6/8"),
    ("Mirror a8<-->h1", "mirror a8<-->h1", "8/6Q1/1K1R4/4B3/4rn2/2N2bP1/2k2p2/8"),
    ("PolishType", "PolishType", "8/2p3q1/1PBN4/3Rb3/5r2/1Kn5/5k2/8"),
    (
        "Remove c6 Add Black Bg4 Move c3 g2",
        "-bBc6  +bBg4  wSc3-->g2",
        "8/2P3Q1/1p1n4/3rB3/5Rb1/1k6/5KN1/8",
    ),
    ("Move c3 f6", "wSc3-->f6", "8/2P3Q1/1pbn1N2/3rB3/5R2/1k6/5K2/8"),
    ("Continued Shift a1 b1", "shift a1 ==> b1", "8/3P3Q/2pbn1N1/4rB2/6R1/2k5/6K1/8"),
    (
        "Continued PolishType Mirror a1<-->a8",
        "PolishType  mirror a1<-->a8",
        "8/6k1/2K5/6r1/4Rb2/2PBN1n1/3p3q/8",
    ),
    (
        "Move f4 g4 Rotate 180",
        "wRf4-->g4  rotate 180",
        "8/2K5/5Nk1/1R6/3Br3/4nbp1/1Q3P2/8",
    ),
    ("Continued Substitute B R", "B ==> R", "8/2K5/5Nk1/1R6/3Rr3/4nrp1/1Q3P2/8"),
]


def read(*lines: str, pieces: str = PIECES) -> list[Problem | FormatError]:
    return list(
        popeye.read_popeye(numbered(*lines, pieces=pieces), claims.FileSummary("x.inp"))
    )


def read_input(*lines: str) -> popeye.PopeyeInput:
    (found,) = popeye.read_inputs(numbered(*lines), "x.inp")
    assert isinstance(found, popeye.PopeyeInput), found
    return found


def read_twins(*lines: str) -> list[popeye.Twin]:
    twins = read_input(*lines).twins
    assert not any(isinstance(twin, FormatError) for twin in twins), twins
    return [twin for twin in twins if isinstance(twin, popeye.Twin)]


def numbered(*lines: str, pieces: str = PIECES) -> enumerate[bytes]:
    text = "\n".join(["BeginProblem", f"Pieces {pieces}", *lines, "EndProblem", ""])
    return enumerate(io.BytesIO(text.encode()), start=1)


def boards(found: list[Problem | FormatError]) -> list[str]:
    assert all(isinstance(one, Problem) for one in found), found
    return [one.fen.split()[0] for one in found if isinstance(one, Problem)]


def test_every_change_makes_popeyes_position_and_text() -> None:
    words = [f"Twin {twin}" for twin, _, _ in TWINS]
    assert boards(read("stip #2", *words)) == [DIAGRAM, *(fen for _, _, fen in TWINS)]
    twins = read_twins("stip #2", *words)
    assert [twin.changes for twin in twins] == [
        (),
        *(tuple(text.split("  ")) for _, text, _ in TWINS),
    ]


def test_labels_are_letters_then_numbers() -> None:
    labels = [popeye.label_of(index) for index in (0, 1, 25, 26, 35)]
    assert labels == ["a", "b", "z", "z1", "z10"]
    twins = read_twins("stip #2", *["twin move c3 g6"] * 27)
    assert [twin.label for twin in twins][-3:] == ["z", "z1", "z2"]


def test_each_twin_is_a_problem_named_after_it() -> None:
    lines = ("stip #2", "twin remove c3", "twin cont stip h#3")
    found = [one for one in read("title Loyd", *lines) if isinstance(one, Problem)]
    assert [one.id for one in found] == ["Loyd a)", "Loyd b)", "Loyd c)"]
    assert [one.source for one in found] == 3 * ["x.inp:2"]
    assert [str(one.stipulation) for one in found] == ["#", "#", "h#3"]
    unnamed = [one for one in read(*lines) if isinstance(one, Problem)]
    assert [one.id for one in unnamed] == ["x.inp:2 a)", "x.inp:2 b)", "x.inp:2 c)"]


def test_a_zero_position_is_not_a_problem_itself() -> None:
    found = read("stip #2", "zero move c3 g6", "twin move c3 f6", "twin cont rem f6")
    (_, _, moved), *_ = TWINS
    assert boards(found)[0] == moved
    assert [one.id for one in found if isinstance(one, Problem)] == [
        "x.inp:2 a)",
        "x.inp:2 b)",
        "x.inp:2 c)",
    ]
    twins = read_twins("stip #2", "zero move c3 g6", "twin move c3 f6")
    assert [(twin.label, twin.is_continued) for twin in twins] == [
        ("a", False),
        ("b", False),
    ]
    found_input = read_input("stip #2", "zero move c3 g6")
    assert found_input.has_zero_position
    assert found_input.diagram.position().board.board_fen() == DIAGRAM


def test_a_twin_that_is_not_continued_has_the_first_stipulation_again() -> None:
    found = read("stip #2", "twin stip s#3", "twin cont rem c3", "twin rem c3")
    stipulations = [one.stipulation for one in found if isinstance(one, Problem)]
    assert [str(one) for one in stipulations] == ["#", "s#3", "s#3", "#"]


def test_castling_follows_the_position_of_the_twin() -> None:
    pieces = "White Ke1 Ra1 Black Kg8"
    found = read(
        "stip #2",
        "twin move a1 h1",
        "twin mirror a1<-->h1",
        "twin move e1 e2",
        "twin polish rotate 180",
        pieces=pieces,
    )
    rights = [one.fen.split()[2] for one in found if isinstance(one, Problem)]
    assert rights == ["Q", "K", "-", "-", "-"]
    found = read("stip #2 opti nocastling a1", "twin move a1 h1", pieces=pieces)
    rights = [one.fen.split()[2] for one in found if isinstance(one, Problem)]
    assert rights == ["-", "K"]


def test_an_en_passant_capture_stays_where_its_pawn_stays() -> None:
    pieces = "White Kg1 Pe5 Black Kg8 Pd5"
    lines = ("stip #2 opti enpassant d7d6d5", "twin move g1 h1", "twin move d5 d4")
    found = read(*lines, pieces=pieces)
    assert [one.fen.split()[3] for one in found if isinstance(one, Problem)] == [
        "d6",
        "d6",
        "-",
    ]


def test_an_illegal_twin_is_reported_and_the_others_are_read() -> None:
    found = read("stip #2", "twin remove f2", "twin remove c3", "twin exchange c3 b6")
    assert [type(one) for one in found] == [Problem, FormatError, Problem, Problem]
    assert found[1] == FormatError(
        "x.inp:2", "twin b): expected one white king, found none"
    )


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("twin", "twin b): expected a change such as Move a1 b2, found none"),
        (
            "twin move c3",
            "twin b): Move: expected a value, found the end of the problem",
        ),
        ("twin move c3 x9", "twin b): Move: expected squares, found 'x9'"),
        ("twin move c3d4e5", "twin b): Move: expected two squares, found 3"),
        ("twin move a1 a2", "twin b): expected a piece on a1, found none"),
        (
            "twin add white Na1",
            "twin b): pieces: expected K, Q, R, B, P, or S for a knight, found 'N'",
        ),
        ("twin rotate 45", "twin b): Rotate: expected 90, 180 or 270, found '45'"),
        (
            "twin mirror a1<-->b8",
            "twin b): Mirror: expected a1<-->h1, a1<-->a8, a1<-->h8 or a8<-->h1, "
            "found 'a1<-->b8'",
        ),
        (
            "twin shift a1 c1",
            "twin b): Shift: expected every piece to stay on the board, found one on "
            "g7",
        ),
        ("twin condition Circe", "twin b): conditions: expected none, found 'Circe'"),
        (
            "twin move c3 c2 continued",
            "twin b): expected Continued as the first word and no SStipulation, found "
            "'continued'",
        ),
        ("twin stip hs#2", f"twin b): stipulation: expected {EXPECTED}, found 'hs#2'"),
        (
            "twin move c3 c2 option try",
            "twin b): expected Twin, NextProblem or EndProblem, found 'option'",
        ),
        (
            "twin move c3 c2 move c2 c3 zero move c3 c2",
            "twin c): ZeroPosition: expected it before the twins, found it after one",
        ),
        (
            f"twin {'polish ' * 300}",
            "twin b): expected at most 256 changes, found more",
        ),
    ],
)
def test_a_bad_twin_is_one_error_and_the_other_twins_are_read(
    lines: str, reason: str
) -> None:
    found = read("stip #2", lines, "twin move c3 f6", "twin cont remove f6")
    error = FormatError("x.inp:2", reason)
    assert [one for one in found if isinstance(one, FormatError)] == [error]
    others = [one for one in found if isinstance(one, Problem)]
    moved = "8/2P3Q1/1pbn1N2/3rB3/5R2/1k6/5K2/8"
    expected = [moved, "8/2P3Q1/1pbn4/3rB3/5R2/1k6/5K2/8"]
    assert boards([others[0], *others[-2:]]) == [DIAGRAM, *expected]
    assert len(others) == found.index(error) + 2


def test_a_twin_that_continues_a_bad_one_is_refused_too() -> None:
    found = read("stip #2", "zero move a1 a2", "twin cont remove c3", "twin remove c3")
    assert [type(one) for one in found] == [FormatError, FormatError, Problem]
    assert found[1] == FormatError(
        "x.inp:2", "twin b): expected a readable twin before this one, found none"
    )
    assert [one.id for one in found if isinstance(one, Problem)] == ["x.inp:2 c)"]


def test_of_too_many_twins_the_first_are_read() -> None:
    found = read("stip #2", "twin cont polish\n" * 2000)
    assert len(found) == 1000
    assert found[-1] == FormatError(
        "x.inp:2", "twins: expected at most 999, found more"
    )
    assert all(isinstance(one, Problem) for one in found[:-1])


@pytest.mark.parametrize(
    "mirror", ["a1<-->h1", "A1<-->H1", "a1h1", "a1 h1", "a1 <--> h1", "a1<--> h1"]
)
def test_a_mirror_is_written_in_many_ways(mirror: str) -> None:
    mirrored = boards(read("stip #2", f"twin mirror {mirror} remove f3"))[1]
    assert mirrored == "8/1Q3P2/4nbp1/3Br3/2R5/6k1/2K5/8"


def test_rem_is_short_for_remove_in_twins_and_for_remark_elsewhere() -> None:
    lines = ("rem twin rem c3", "stip #2", "twin rem c3 add white pc3 remark rem x")
    assert boards(read(*lines))[1] == DIAGRAM.replace("1kN5", "1kP5")
    assert [text for _, text in read_input(*lines).texts] == ["twin rem c3", "rem x"]
