"""Olive's collections: orthodox problems are read, the rest refused by name."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path

import pytest
import yaml

from solver.errors import FormatError
from solver.formats import claims, olive, registry
from solver.problem import EXPECTED, Claim, Problem
from tests.cpu_time import spending_less_than

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
PIECES = "algebraic: {white: [Kg1, Ra2, Rb1], black: [Kh8]}\n"
GOOD = PIECES + 'stipulation: "#2"\n'


def read(text: str | bytes) -> list[Problem | FormatError]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(
        olive.read_olive(
            enumerate(io.BytesIO(raw), start=1), claims.FileSummary("dir/x.olv")
        )
    )


def read_one(text: str | bytes) -> Problem:
    (problem,) = read(text)
    assert isinstance(problem, Problem), problem
    return problem


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
        ("1.Rb7", ("b1b7",)),
        ("1.Rb7 1.Ra7", ()),
        ("1.Rb7?", ()),
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
    summary = claims.FileSummary("x.olv")
    text = GOOD + "solution: 1.Rb7!\ntitle: T\nkeywords: [Ladder]\ncomments: [x]\n"
    lines = enumerate(io.BytesIO(text.encode()), 1)
    assert [type(one) for one in olive.read_olive(lines, summary)] == [Problem]
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
        f"expected at most {olive.MAX_ENTRY_BYTES:,} bytes, found a longer entry",
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
                *("PostKeyPlay", "NoBk", "NullMoves", "CastlingMutuallyExclusive a1h8"),
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
    assert list(registry.read_collection(path)) == [
        FormatError(
            str(path),
            "reading YAML needs PyYAML, which is not installed: pip install PyYAML",
        )
    ]


# --- other stipulations, twins, and options


@pytest.mark.parametrize(
    ("text", "side", "moves"), [("s#3", "w", 3), ("h#2", "b", 2), ("h#2.5", "w", 3)]
)
def test_every_stipulation_is_read(text: str, side: str, moves: int) -> None:
    problem = read_one(f"{PIECES}stipulation: '{text}'\n")
    assert str(problem.stipulation) == text
    assert problem.fen.split()[1] == side
    assert problem.claim == Claim(moves)


def test_the_keys_of_self_play_are_read() -> None:
    text = PIECES + "stipulation: s#3\nsolution: '1.Rb7 ! (2.Ra8+) Kg8 2.Ra8#'\n"
    assert read_one(text).claim == Claim(3, ("b1b7",))


@pytest.mark.parametrize(
    ("intended", "solutions"),
    [
        ("2", 2),
        ("'4'", 4),
        ("2.1.1", 2),
        ("2.1.1...", 2),
        ("2.2.1.1", 4),
        ("0", 0),
        ("2...", 2),
        ("9999999999999999999999", None),
    ],
)
def test_help_play_has_the_intended_number_of_solutions(
    intended: str, solutions: int | None
) -> None:
    text = f"{PIECES}stipulation: h#2\nintended-solutions: {intended}\n"
    assert read_one(text).claim == Claim(2, solutions=solutions)


ONE = "1.Kh8-h7 Rb1-b7 + 2.Kh7-h8 Ra2-a8 #"
OTHER = "1.Kh8-g8 Ra2-a7 2.Kg8-h8 Rb1-b8 #"


@pytest.mark.parametrize(
    ("solution", "solutions"),
    [
        (ONE, 1),
        (f"{ONE}\n{OTHER}", 2),
        (f"{ONE} {OTHER}", 2),
        (f'"{ONE}\n{OTHER}"', 2),
        (f"{ONE} {{model mate}}\n{OTHER} {{1.Kh7 Kh1}}", 2),
        (f"1...Rb1-b7 2.Kh8-g8 Ra2-a8 #\n{ONE}\n{OTHER}", 2),
        ("1.Kh7 Rb7+ 2.Kh8 Ra8#\n1.Kg8 Ra7 2.Kh8 Rb8#\n1.Kg8 Rab2 2.Kf8 R1b8#", 3),
        ("1.Sg8-f6 b7-b8=S 2.0-0 e5*d6 ep. #", 1),
        ("1.Sg8xf6+ b8=S 2.0-0-0 exd6 e.p. #", 1),
        ("1. ... Rb1-b7 2.Kh8-g8 Ra2-a8 #\n1.Kh8-h7 Rb1-b7 {\n} 2.Kh7-h8 Ra2-a8#", 1),
        ("", None),
        ("None", None),
    ],
)
def test_help_play_has_as_many_solutions_as_are_listed(
    solution: str, solutions: int | None
) -> None:
    body = "".join(f"  {line}\n" for line in solution.splitlines())
    problem = read_one(f"{PIECES}stipulation: h#2\nsolution: |\n{body or '  ~'}\n")
    if solution:
        assert problem.claim == Claim(2, solutions=solutions)
        assert not problem.warnings


@pytest.mark.parametrize(
    ("stipulation", "solution", "solutions"),
    [
        ("h#1.5", "1...Rb1-b7 2.Kh8-g8 Ra2-a8 #\n1...Ra2-a7 2.Kh8-g8 Rb1-b8 #", 2),
        ("h=2", "1.Kh8-h7 Rb1-b6 2.Kh7-h8 Ra2-a7 =", 1),
        ("h=1", "1.a7-a8=Q Ra2-a7 =\n1.a7-a8=R Ra2-a7 ==", 2),
    ],
)
def test_the_length_of_listed_solutions_is_that_of_the_stipulation(
    stipulation: str, solution: str, solutions: int
) -> None:
    body = "".join(f"  {line}\n" for line in solution.splitlines())
    text = f"{PIECES}stipulation: {stipulation}\nsolution: |\n{body}"
    claim = read_one(text).claim
    assert claim is not None
    assert claim.solutions == solutions


@pytest.mark.parametrize(
    ("solution", "found"),
    [
        ("1.Kh8-h7 Rb1-b7 + 2.Kh7-h8 Ra2-a8", "1.Kh8-h7 Rb1-b7 + 2.Kh7-h8 Ra2-a8"),
        (f"{ONE} 2.Kh7-h6 Ra2-a6 #", "2.Kh7-h6 Ra2-a6 #"),
        (f"{ONE} and others", "and others"),
        (f"Solution: {ONE}", "Solution:"),
        ("1.Kh8-h7 Rb1-b7 #", "1.Kh8-h7 Rb1-b7 #"),
        ("1.Kh7 Tb7 2.Kh8 Ta8#", "1.Kh7 Tb7 2.Kh8 Ta8#"),
        ("1...Rb1-b7 2.Kh8-g8 Ra2-a8 #", ""),
        (f"{ONE} 1.Kh8-g8 ?", "1.Kh8-g8 ?"),
    ],
)
def test_an_unclear_number_of_solutions_is_a_warning(solution: str, found: str) -> None:
    problem = read_one(f"{PIECES}stipulation: h#2\nsolution: |\n  {solution}\n")
    assert problem.claim == Claim(2)
    assert problem.warnings == (
        "solution: expected 4 half-moves and # in each line, "
        f"found '{found}'; kept h#2",
    )


@pytest.mark.parametrize(
    "unit", ["{", "1.", "1.Kh8-h7 Rb1-b7 ", " ", "1. ", "1...", "a1", "1.a1", "1.a1 ep"]
)
@pytest.mark.parametrize("stipulation", ["h#2", "h#2.5", "h#200"])
def test_long_lists_are_counted_in_linear_time(unit: str, stipulation: str) -> None:
    solution = f"1.Kh8-h7 {unit * (100_000 // len(unit))}x"
    text = f"{PIECES}stipulation: {stipulation}\nsolution: '{solution}'\n"
    assert read_one(text).warnings


def test_an_intended_number_counts_more_than_a_list() -> None:
    text = f"{PIECES}stipulation: h#2\nintended-solutions: 2\nsolution: {ONE!r}\n"
    assert read_one(text).claim == Claim(2, solutions=2)


def test_each_twin_has_its_own_list() -> None:
    text = (
        f"{PIECES}stipulation: h#2\ntwins: {{b: Move a2 c2}}\nsolution: |\n"
        f"  a)\n  {ONE}\n  {OTHER}\n  b)\n  {ONE}\n"
    )
    claims = [one.claim for one in read(text) if isinstance(one, Problem)]
    assert claims == [Claim(2, solutions=2), Claim(2, solutions=1)]


def test_a_list_of_a_duplex_is_not_counted() -> None:
    text = f"{PIECES}stipulation: h#2\noptions: [Duplex]\nsolution: |\n  {ONE}\n"
    claims = [one.claim for one in read(text) if isinstance(one, Problem)]
    assert claims == [Claim(2), Claim(2)]


@pytest.mark.parametrize("intended", ["many", "2.", "2,1", "100.100", "-1", "1001"])
def test_an_unreadable_number_of_solutions_is_a_warning(intended: str) -> None:
    text = f"{PIECES}stipulation: h#2\nintended-solutions: '{intended}'\n"
    assert read_one(text).warnings == (
        "intended-solutions: expected a number, or one a move as in 2.1.1, "
        f"found '{intended}'; kept h#2",
    )


def test_each_twin_is_a_problem() -> None:
    text = GOOD + (
        "authors: [Loyd]\ntwins:\n  c: Continued Move b1 c1\n  b: Remove a2 \n"
        "  d: Stipulation h#2\n"
    )
    found = [one for one in read(text) if isinstance(one, Problem)]
    assert [(one.id, one.fen.split()[0]) for one in found] == [
        ("Loyd a)", "7k/8/8/8/8/8/R7/1R4K1"),
        ("Loyd b)", "7k/8/8/8/8/8/8/1R4K1"),
        ("Loyd c)", "7k/8/8/8/8/8/8/2R3K1"),
        ("Loyd d)", "7k/8/8/8/8/8/R7/1R4K1"),
    ]
    assert [str(one.stipulation) for one in found] == ["#", "#", "#", "h#2"]


def test_a_twin_a_makes_the_diagram_a_zero_position() -> None:
    text = GOOD + "twins: {a: Move b1 c1, b: Move b1 d1}\n"
    found = [one for one in read(text) if isinstance(one, Problem)]
    assert [(one.id, one.fen.split()[0]) for one in found] == [
        ("x.olv:1 a)", "7k/8/8/8/8/8/R7/2R3K1"),
        ("x.olv:1 b)", "7k/8/8/8/8/8/R7/3R2K1"),
    ]


def test_twins_are_in_the_order_of_their_labels() -> None:
    twins = ", ".join(f"{label}: Move b1 c1" for label in ("z10", "z2", "z1", "b"))
    found = read(f"{GOOD}twins: {{{twins}}}\n")
    assert [one.id for one in found if isinstance(one, Problem)] == [
        f"x.olv:1 {label})" for label in ("a", "b", "z1", "z2", "z10")
    ]


def test_an_empty_twin_is_the_diagram() -> None:
    for twins in ("{a: '', b: Move b1 c1}", "{a: , b: Move b1 c1}"):
        first, _ = read(f"{GOOD}twins: {twins}\n")
        assert isinstance(first, Problem)
        assert (first.id, first.fen) == ("x.olv:1 a)", LADDER)


def test_each_twin_has_the_keys_of_its_part_of_the_solution() -> None:
    text = GOOD + (
        "twins: {b: Move a2 a3, c: Continued Move b1 c1, d: Remove a2}\n"
        "solution: |\n  a)\n  1.Rb7 ! zugzwang.\n  b) wRa2-->a3\n  1.Rb1-b7 !\n"
        "  +c) wRb1-->c1\n\n  1.Rc7 !\n"
    )
    found = [one for one in read(text) if isinstance(one, Problem)]
    assert [one.claim and one.claim.keys for one in found] == [
        ("b1b7",),
        ("b1b7",),
        ("c1c7",),
        (),
    ]


@pytest.mark.parametrize(
    ("twin", "reason"),
    [
        ("Move a1 a3", "twin b): expected a piece on a1, found none"),
        ("Condition Circe", "twin b): conditions: expected none, found 'Circe'"),
        ("Move a2 a3 please", "twin b): expected a change, found 'please'"),
        ("Remove h8", "twin b): expected one black king, found none"),
    ],
)
def test_a_refused_twin_costs_no_other(twin: str, reason: str) -> None:
    found = read(f"{GOOD}twins: {{b: {twin}, c: Move a2 a4}}\n")
    assert [type(one) for one in found] == [Problem, FormatError, Problem]
    assert found[1] == FormatError("dir/x.olv:1", reason)


def test_a_twin_that_continues_a_refused_one_is_refused() -> None:
    twins = "{b: Move a1 a3, c: Cont Move a3 a4, d: Move a2 a4, e: Cont Remove b1}"
    found = read(f"{GOOD}twins: {twins}\n")
    assert [type(one) for one in found] == [
        *(Problem, FormatError, FormatError, Problem, Problem)
    ]
    assert found[2] == FormatError(
        "dir/x.olv:1", "twin c): expected a readable twin before this one, found none"
    )


def test_duplex_is_two_problems() -> None:
    text = f"{PIECES}stipulation: h#2\noptions: [SetPlay, Duplex]\n"
    found = [one for one in read(text) if isinstance(one, Problem)]
    assert [(one.id, one.fen.split()[1]) for one in found] == [
        ("x.olv:1", "b"),
        ("x.olv:1 duplex", "w"),
    ]


def test_the_key_is_not_that_of_the_other_side_of_a_duplex() -> None:
    pieces = "algebraic: {white: [Kg1, Ra2], black: [Kg8, Ra7]}\nstipulation: s#2\n"
    text = f"{pieces}options: [Duplex]\nsolution: 1.Ra3!\n"
    assert [one.claim for one in read(text) if isinstance(one, Problem)] == [
        Claim(2, ("a2a3",)),
        Claim(2),
    ]


def test_the_puzzles_with_other_stipulations_claim_keys_or_solutions() -> None:
    path = Path(__file__).parents[2] / "puzzles" / "stipulations.olv"
    found = read(path.read_bytes())
    problems = [one for one in found if isinstance(one, Problem)]
    assert len(found) == len(problems) == 135
    assert len({(one.fen, one.stipulation) for one in problems}) == 135
    assert len({one.id for one in problems}) == 135
    for one in problems:
        assert one.claim
        is_help = one.stipulation.is_help
        assert len(one.claim.keys) == (not is_help), one.id
    solutions = [one.claim.solutions for one in problems if one.claim]
    assert sum(number for number in solutions if number) == 34


# --- libyaml reads what PyYAML's own parser reads, and faster


def mutated(text: str, seeded: random.Random) -> str:
    """Return the text with a few signs of YAML inserted, or characters deleted."""
    signs = [
        *":-#,[]{}&*!|>'\"%@`~ \n\\",
        "\n  ",
        "- ",
        ": ",
        "!!str ",
        "---\n",
        "\u2028",
    ]
    for _ in range(seeded.randint(1, 3)):
        at = seeded.randrange(len(text))
        if seeded.random() < 0.7:
            text = text[:at] + seeded.choice(signs) + text[at:]
        else:
            text = text[:at] + text[at + seeded.randint(1, 3) :]
    return text


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_libyaml_reads_what_pyyamls_own_parser_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = (
        "---\n"
        + GOOD
        + (
            "authors:\n- A, B\n- 'C'\nsource: {name: D, date: {year: 1900}}\n"
            "twins: {b: Move b1 c1}\ncomments:\n- two\n  lines\n- ~\n"
            'title: "x\\n\\\n  \\ y"\nsolution: |\n  1.Rb7 !\n    2.Ra8 #\n'
        )
    )
    seeded = random.Random(4)
    texts = [whole, *(mutated(whole, seeded) for _ in range(300))]
    fast = [read(text) for text in texts]
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert fast == [read(text) for text in texts]
    kinds = [type(one[0]) for one in fast if one]
    assert kinds.count(Problem) > 50
    assert kinds.count(FormatError) > 50


ENTRY = """---
algebraic:
  black: [Kb3, Rd5, Bc6, Sd6, Pb6]
  white:
  - Kf2
  - Qg7
  - Rf4
  - Be5
  - Sc3
  - Pc7
authors:
- "Author, Number {number}"
source:
  name: Some Magazine
  date: {{year: 1931, month: 4}}
  problemid: '{number}'
stipulation: h#3
options: [SetPlay]
twins:
  b: Move c3 g6
  c: Continued Exchange f4 c7
  d: Remove c6 Add Black Bg4
solution: "a)\\n1...Re4-d4 2.Kd1-e2 Rd4-d5 3.Ke2-e3 Rd5-e5 + 4.Ke3-d4 Re5-e4 #\\n\\
  b)\\n1.Kd1-e2 Rd4-d5 2.Ke2-e3 Rd5-e5 + 3.Ke3-d4 Re5-e4 #\\nc)\\n1.Kd1-e2 Rd4-d5\\
  \\ 2.Ke2-e3 Rd5-e5 + 3.Ke3-d4 Re5-e4 #\\n"
"""


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_pyyamls_own_parser_reads_nothing_that_is_usual(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[object] = []
    monkeypatch.setattr(yaml.BaseLoader, "__init__", lambda *text: calls.append(text))
    found = read("".join(ENTRY.format(number=number) for number in range(20)))
    assert [type(one) for one in found] == 80 * [Problem]
    assert calls == []


@pytest.mark.slow
@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_a_thousand_entries_with_twins_are_read_fast() -> None:
    text = "".join(ENTRY.format(number=number) for number in range(1000))
    with spending_less_than(cpu_s=5):  # 0.5 s
        assert len(read(text)) == 4000
