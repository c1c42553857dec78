"""Olive's collections: orthodox problems are read, the rest refused by name."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from solver.errors import FormatError
from solver.formats.claims import FileSummary
from solver.formats.olive import MAX_ENTRY_BYTES, read_olive
from solver.formats.registry import read_collection
from solver.problem import EXPECTED, Claim, Problem
from tests.formats.olive_entries import GOOD, LADDER, PIECES, read, read_one

if TYPE_CHECKING:
    from pathlib import Path


def refusal_of(text: str | bytes) -> str:
    (error,) = read(text)
    assert isinstance(error, FormatError), error
    return error.reason


def with_pieces(white: str, black: str = "Kh8") -> str:
    pieces = f"algebraic: {{white: [{white}], black: [{black}]}}\n"
    return pieces + 'stipulation: "#2"\n'


def test_an_entry_has_a_position_and_a_claim() -> None:
    assert read(GOOD) == [Problem(LADDER, "x.olv:1", Claim(2), "dir/x.olv:1")]


def test_all_pieces_of_orthodox_chess_are_read_in_both_styles_of_yaml() -> None:
    text = (
        "algebraic:\n  white:\n  - Ke1\n  - Qd1\n  - Ra1\n  - Bc1\n  - Sb1\n  - Pa2\n"
        "  black: [ke8, qd8, rh8, bf8, sg8, ph7]\nstipulation: '#3'\n"
    )
    expected = "3qkbsr/7p/8/8/8/8/P7/RSBQK3 w Qk - 0 1".replace("s", "n")
    assert read_one(text).fen == expected.replace("S", "N")


@pytest.mark.parametrize(
    ("white", "options", "rights"),
    [
        ("Ke1, Ra1, Rh1", "[]", "KQ"),
        ("Ke1, Ra1, Rh1", "[NoCastling a1]", "K"),
        ("Ke1, Ra1, Rh1", "[NoCastling a1 h1]", "-"),
        ("Ke1, Ra1, Rh1", "[NoCastling a1h1]", "-"),
        ("Ke1, Ra1, Rh1", "[NoCastling e1]", "-"),
        ("Kd1, Ra1, Rh1", "[]", "-"),
        ("Ke1, Ra2, Rh1", "[]", "K"),
    ],
)
def test_castling_is_legal_from_home_squares_unless_an_option_forbids_it(
    white: str, options: str, rights: str
) -> None:
    text = with_pieces(white, "Kd8") + f"options: {options}\n"
    assert read_one(text).fen.split()[2] == rights


@pytest.mark.parametrize("squares", ["d6", "d7 d6 d5", "d7d6d5"])
def test_en_passant_is_legal_if_an_option_says_so(squares: str) -> None:
    text = with_pieces("Ke1, Pe5", "Ke8, Pd5")
    assert read_one(text).fen.split()[3] == "-"
    said = text + f"options: [EnPassant {squares}]\n"
    assert read_one(said).fen.split()[3] == "d6"


def test_with_half_duplex_black_begins_and_mates() -> None:
    text = GOOD + "options: [HalfDuplex, SetPlay, Try, Defence 1, Variation]\n"
    problem = read_one(text)
    assert problem.fen.split()[1] == "b"
    assert problem.claim == Claim(2)


@pytest.mark.parametrize(
    ("solution", "keys"),
    [
        ("1.Rb1-b7 !", ("b1b7",)),
        ("1.Rb7! (2.Ra8#)", ("b1b7",)),
        ("1. Rb1-b7 ! zugzwang.", ("b1b7",)),
        ("1.Ra7? but 1...Kg8! 1.Rb7!!", ("b1b7",)),
        ("1.Ra7!? Kg8! 1.Rb7! {1.Ra7!}", ("b1b7",)),
        ('"1.Rb1-b7 !"', ("b1b7",)),
        ("1...Kg8 2.Rb8# {set}\n1.Rb7!", ("b1b7",)),
        ("1.Rb1-b8 + !", ("b1b8",)),
        ("1.Rb7", ()),
        ("1.Rb7! 1.Ra7!", ()),
        ("1.Tb7!", ()),
        ("1.Rb9!", ()),
        ("1.Ra1!", ()),  # ambiguous
        ("1.Rc7!", ()),
        ("None", ()),
        ("11.Rb7!", ()),
    ],
)
def test_the_key_is_the_move_that_the_solution_marks(
    solution: str, keys: tuple[str, ...]
) -> None:
    body = "".join(f"  {line}\n" for line in solution.splitlines())
    assert read_one(f"{GOOD}solution: |\n{body}").claim == Claim(2, keys)


@pytest.mark.parametrize(
    ("solution", "warning"),
    [
        ("1.Rb7! 1.Ra7!", "solution: expected 1 marked with !, found 2"),
        ("1.Tb7!", "solution: expected a move in SAN or UCI, found 'Tb7'"),
        ("1.Rb9 !", "solution: expected a move in SAN or UCI, found 'Rb9'"),
        (
            "1.Rc7!",
            "solution: expected a legal, unambiguous move in SAN or UCI, found 'Rc7'",
        ),
        (
            "1.Ra1!",
            "solution: expected a legal, unambiguous move in SAN or UCI, found 'Ra1'",
        ),
    ],
)
def test_a_key_that_cannot_be_read_is_a_warning(solution: str, warning: str) -> None:
    problem = read_one(f"{GOOD}solution: '{solution}'\n")
    assert problem.warnings == (f"{warning}; kept #2",)


def test_a_key_is_kept_beside_a_bad_number_of_keys() -> None:
    problem = read_one(f"{GOOD}solution: 1.Rb7!\nintended-solutions: one\n")
    assert problem.claim == Claim(2, ("b1b7",))
    assert problem.warnings == (
        "intended-solutions: expected a number, or one a move as in 2.1.1, "
        "found 'one'; kept #2, key b1b7",
    )


def test_the_summary_says_what_was_read() -> None:
    summary = FileSummary("x.olv")
    text = GOOD + "solution: 1.Rb7!\ntitle: T\nkeywords: [Ladder]\ncomments: [x]\n"
    lines = enumerate(io.BytesIO(text.encode()), 1)
    assert [type(one) for one in read_olive(lines, summary)] == [Problem]
    assert summary.fields == {
        "stipulation": {"stipulation": None},
        "position": {"algebraic": None},
        "name": {"title": None},
        "keys": {"solution": None},
    }
    assert summary.ignored == {"keywords": False, "comments": False}


@pytest.mark.parametrize("unit", ["{", "1.", "1.Rb7 ", " ", "!"])
def test_long_solutions_are_searched_in_linear_time(unit: str) -> None:
    text = f"1.Rb7{unit * (100_000 // len(unit))}"
    solution = text.replace("!!", "! ")
    assert read_one(f"{GOOD}solution: '{solution}'\n").id == "x.olv:1"


def test_keys_may_be_captures_castling_promotions_and_knights_moves() -> None:
    pieces = with_pieces("Ke1, Rh1, Sd4, Pb7, Pe5", "Kd8, Pe6, Pd5")
    options = "options: [EnPassant d6]\n"
    for move, key in [
        ("Sd4*e6 +", "d4e6"),
        ("Nxe6+", "d4e6"),
        ("0-0", "e1g1"),
        ("b7-b8=S", "b7b8n"),
        ("b8=Q+", "b7b8q"),
        ("e5*d6 ep.", "e5d6"),
        ("exd6 e.p.", "e5d6"),
    ]:
        problem = read_one(f'{pieces}{options}solution: "1.{move} !"\n')
        assert problem.claim == Claim(2, (key,)), move


def test_the_author_may_intend_several_keys() -> None:
    text = GOOD + "intended-solutions: 2\nsolution: 1.Rb7! 1.Ra7!\n"
    assert read_one(text).claim == Claim(2, ("b1b7", "a2a7"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "x.olv:1"),
        ("title: The ladder\n", "The ladder"),
        (
            "authors: ['Shire, D.', B]\nsource: BCM\ndate: 2007-05-05\n",
            "Shire, D. & B / BCM / 2007",
        ),
        (
            "authors: [A]\nsource: {name: feenschach, date: {year: 1965}}\n",
            "A / feenschach / 1965",
        ),
        ("title: ~\nsource: !!python/unicode 'None'\n", "x.olv:1"),
    ],
)
def test_authors_title_and_source_name_the_problem(text: str, name: str) -> None:
    assert read_one(GOOD + text).id == name


@pytest.mark.parametrize("tag", ["python/unicode", "python/str", "str"])
def test_tags_of_text_are_read_as_text(tag: str) -> None:
    text = GOOD.replace('"#2"', f"!!{tag} '#2'") + f"authors: [!!{tag} 'Štúň, J.']\n"
    assert read_one(text).id == "Štúň, J."
    assert read_one(text).claim == Claim(2)


@pytest.mark.parametrize(
    ("tag", "shown"),
    [
        ("!!python/object/apply:os.getcwd []", "python/object/apply:os.getcwd"),
        ("!!python/name:os.getcwd ''", "python/name:os.getcwd"),
        ("!thing x", "!thing"),
    ],
)
def test_other_tags_are_refused(tag: str, shown: str) -> None:
    assert refusal_of(f"{GOOD}title: {tag}\n") == (
        f"expected YAML, found in line 3 of the entry: the tag {shown}"
    )


def test_aliases_are_refused_before_they_expand() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}]\n"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert refusal_of(GOOD + bomb) == (
        "expected YAML, found in line 4 of the entry: an alias"
    )


@pytest.mark.parametrize("deep", ["[" * 50_000, "{a: " * 20_000, "- " * 500])
def test_deep_nesting_is_refused(deep: str) -> None:
    assert refusal_of(f"a:\n {deep}").endswith(": more than 16 levels")


def test_an_entry_that_is_too_long_is_reported_and_skipped() -> None:
    long = f"{GOOD}solution: |\n" + "  1.Rb7 Kg8\n" * 20_000
    first, second = read(f"{long}---\n{GOOD}")
    assert first == FormatError(
        "dir/x.olv:1",
        f"expected at most {MAX_ENTRY_BYTES:,} bytes, found a longer entry",
    )
    assert second == Problem(LADDER, "x.olv:20005", Claim(2), "dir/x.olv:20005")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("stipulation: '#2'\n", "algebraic: expected lists of pieces, found none"),
        (PIECES, f"stipulation: expected {EXPECTED}, found ''"),
        (PIECES + "stipulation: #2\n", f"stipulation: expected {EXPECTED}, found ''"),
        *(
            (
                f"{PIECES}stipulation: '{other}'\n",
                f"stipulation: expected {EXPECTED}, found '{other}'",
            )
            for other in ("hs#2", "r+2", "ser-h#4", "=", "+", "#3.5", "==4", "2")
        ),
        (
            PIECES + "stipulation: '#201'\n",
            "stipulation: expected 1 to 200 moves, found '#201'",
        ),
        (GOOD + "options: [Madrasi]\n", "conditions: expected none, found 'Madrasi'"),
        (
            GOOD + "options: [AntiCirce Cheylan]\n",
            "conditions: expected none, found 'AntiCirce Cheylan'",
        ),
        (
            GOOD + "options: [SetPlay Circe]\n",
            "conditions: expected none, found 'SetPlay Circe'",
        ),
        (GOOD + "conditions: [Circe]\n", "conditions: expected none, found 'Circe'"),
        (
            GOOD + "twins: {b: Remove a2, B: Remove b1}\n",
            "twins: expected labels such as b, each with changes, "
            "found 'b: Remove a2, B: Remove b1'",
        ),
        (
            GOOD + "twins: [Remove a2]\n",
            "twins: expected labels such as b, each with changes, found 'Remove a2'",
        ),
        *(
            (
                f"{GOOD}options: [{option}]\n",
                "option: expected none that changes the rules or the question, "
                f"found '{option.split()[0]}'",
            )
            for option in (
                "PostKeyPlay",
                "NoBk",
                "NullMoves",
                "CastlingMutuallyExclusive a1h8",
                "Quodlibet",
            )
        ),
        (
            GOOD + "options: [NoCastling]\n",
            "option NoCastling: expected squares, found none",
        ),
        (
            GOOD + "options: [EnPassant e2 e4]\n",
            "option EnPassant: expected a double step such as e2e3e4, found e2 e4",
        ),
        (
            with_pieces("Kg1, Gb1"),
            "pieces: expected K, Q, R, B, P, or S for a knight, found 'G'",
        ),
        (
            with_pieces("Kg1, Nb1"),
            "pieces: expected K, Q, R, B, P, or S for a knight, found 'N'",
        ),
        (
            with_pieces("Kg1, Royal Qb1"),
            "pieces: expected K, Q, R, B, P, or S for a knight, found 'Royal Q'",
        ),
        (
            with_pieces("Kg1, Pab1"),
            "pieces: expected K, Q, R, B, P, or S for a knight, found 'Pa'",
        ),
        (
            with_pieces("Kg1, b2"),
            "pieces: expected K, Q, R, B, P, or S for a knight, found ''",
        ),
        (
            with_pieces("Kg1, Qj9"),
            "algebraic: expected pieces such as Kg3, found 'Qj9'",
        ),
        (with_pieces("Kg1, Qh8"), "pieces: expected one on h8, found two"),
        (with_pieces("Qb1"), "expected one white king, found none"),
        (
            "stipulation: '#2'\n"
            "algebraic: {white: [Kg1], black: [Kh8], neutral: [Pa2]}",
            "algebraic: expected white and black pieces, found 'neutral'",
        ),
        (
            "just some text",
            "expected an entry with algebraic and stipulation, found 'just some text'",
        ),
        (
            "algebraic: {white: [Kg1\nstipulation: '#2'",
            "expected YAML, found in line 2 of the entry: "
            "expected ',' or ']', but got ':'",
        ),
        (
            "[a, b]: c",
            "expected YAML, found in line 1 of the entry: a key that is not text",
        ),
    ],
)
def test_other_entries_are_refused(text: str, reason: str) -> None:
    assert refusal_of(text) == reason


@pytest.mark.parametrize(
    "bad", ["stipulation: hs#2\n", "a: [\n", "\0\n", "a: *b\n", 'title: "unclosed\n']
)
def test_a_bad_document_is_reported_and_skipped(bad: str) -> None:
    found = read(f"---\n{GOOD}---\n{bad}...\n---\n{GOOD}")
    assert [type(one) for one in found] == [Problem, FormatError, Problem]
    assert [one.source for one in found] == [f"dir/x.olv:{n}" for n in (2, 5, 8)]


def test_a_bad_item_of_a_list_is_reported_and_skipped() -> None:
    item = "- " + GOOD.replace("\n", "\n  ").rstrip() + "\n"
    found = read(f"%YAML 1.1\n---\n{item}# a comment\n- stipulation: [\n{item}")
    assert [type(one) for one in found] == [Problem, FormatError, Problem]
    assert [one.source for one in found] == [f"dir/x.olv:{n}" for n in (3, 6, 7)]


def test_a_list_in_braces_has_a_problem_for_each_item() -> None:
    item = "{algebraic: {white: [Kg1, Ra2, Rb1], black: [Kh8]}, stipulation: '#2'}"
    found = read(f"[{item},\n {{stipulation: !x '#2'}},\n {item}]\n")
    assert [type(one) for one in found] == [Problem, FormatError, Problem]
    assert [one.source for one in found] == [f"dir/x.olv:{n}" for n in (1, 2, 3)]


def test_unindented_lists_in_an_entry_do_not_end_it() -> None:
    text = "algebraic:\n  white: [Kg1, Ra2, Rb1]\n  black: [Kh8]\n"
    problem = read_one(f"{text}authors:\n- A\n- B\nstipulation: '#2'\n")
    assert (problem.id, problem.fen) == ("A & B", LADDER)


@pytest.mark.parametrize("text", ["", "---\n", "---\n...\n", "# comment\n\n", "--- \n"])
def test_a_file_without_entries_has_no_problem(text: str) -> None:
    assert read(text) == []


def test_lines_may_end_in_lf_or_cr_lf() -> None:
    for text in (GOOD.rstrip(), GOOD.replace("\n", "\r\n"), "--- # a\r\n" + GOOD):
        assert read_one(text).fen == LADDER


def test_names_may_be_in_an_old_encoding() -> None:
    raw = (GOOD + "authors: ['Päuly, “W.”']\n").encode("cp1252")
    assert read_one(raw).id == "Päuly, “W.”"


def test_yacpdbs_deviations_from_yaml_are_read() -> None:
    text = f"{GOOD}comments:\n  - >>345346\nsolution: |\n\t1.Rb7 !\n"
    assert read_one(text).claim == Claim(2, ("b1b7",))


def test_without_pyyaml_the_error_names_the_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "x.olv"
    path.write_text(f"---\n{GOOD}")
    assert list(read_collection(path)) == [
        FormatError(
            str(path),
            "reading YAML needs PyYAML, which is not installed: pip install PyYAML",
        )
    ]
