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
from tests.formats.cases import cases, listed, problems_of, said, warned

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
PIECES = "algebraic: {white: [Kg1, Ra2, Rb1], black: [Kh8]}\n"
GOOD = PIECES + 'stipulation: "#2"\n'
HELP = PIECES + "stipulation: h#2\n"


def read(text: str | bytes) -> list[Problem | FormatError]:
    raw = text if isinstance(text, bytes) else text.encode()
    lines = enumerate(io.BytesIO(raw), start=1)
    return list(olive.read_olive(lines, claims.FileSummary("dir/x.olv")))


def read_one(text: str | bytes) -> Problem:
    (problem,) = problems_of(read(text))
    return problem


def test_an_entry_has_a_position_and_a_claim() -> None:
    assert read(GOOD) == [Problem(LADDER, "x.olv:1", Claim(2), "dir/x.olv:1")]
    problem = read_one(f"{GOOD}solution: 1.Rb7!\nintended-solutions: one\n")
    assert problem.warnings == (f"{INTENDED} 'one'; kept #2, key b1b7",)
    summary = claims.FileSummary("x.olv")
    text = GOOD + "solution: 1.Rb7!\ntitle: T\nkeywords: [Ladder]\ncomments: [x]\n"
    list(olive.read_olive(enumerate(io.BytesIO(text.encode()), 1), summary))
    parts = [f"{part} {' '.join(names)}" for part, names in summary.fields.items()]
    found = "position algebraic, stipulation stipulation, name title, keys solution"
    assert ", ".join(parts) == found
    assert summary.ignored == {"keywords": False, "comments": False}
    # YACPDB deviates from YAML, and entries may be in an old encoding.
    text = f"{GOOD}comments:\n  - >>345346\nsolution: |\n\t1.Rb7 !\n"
    assert said(read_one(text)) == "#2 keys b1b7"
    raw = (GOOD + "authors: ['Päuly, “W.”']\n").encode("cp1252")
    assert read_one(raw).id == "Päuly, “W.”"


def test_an_entry_that_is_too_long_or_too_deep_costs_no_other() -> None:
    long = f"{GOOD}solution: |\n" + "  1.Rb7 Kg8\n" * 20_000
    reason = f"expected at most {olive.MAX_ENTRY_BYTES:,} bytes, found a longer entry"
    assert read(f"{long}---\n{GOOD}") == [
        FormatError("dir/x.olv:1", reason),
        Problem(LADDER, "x.olv:20005", Claim(2), "dir/x.olv:20005"),
    ]
    for deep in ("[" * 50_000, "{a: " * 20_000, "- " * 500):
        (error,) = read(f"a:\n {deep}")
        assert said(error).endswith(": more than 16 levels")


def test_all_pieces_and_options_are_read() -> None:
    text = (
        "algebraic:\n  white:\n  - Ke1\n  - Qd1\n  - Ra1\n  - Bc1\n  - Sb1\n  - Pa2\n"
        "  black: [ke8, qd8, rh8, bf8, sg8, ph7]\nstipulation: '#3'\n"
    )
    assert read_one(text).fen == "3qkbnr/7p/8/8/8/8/P7/RNBQK3 w Qk - 0 1"
    pieces = "algebraic: {white: [Ke1, Ra1, Rh1, Pe5], black: [Kd8, Pd5]}\n"
    for options, fields in {
        "SetPlay, Try, Defence 1, Variation": "w KQ -",
        "NoCastling a1, EnPassant d7d6d5": "w K d6",
        "NoCastling a1 h1, EnPassant d6": "w - d6",
        "HalfDuplex": "b KQ -",
    }.items():
        problem = read_one(f"{pieces}stipulation: '#2'\noptions: [{options}]\n")
        assert problem.fen.split(" ", 1)[1] == f"{fields} 0 1"


ONE = "1.Kh8-h7 Rb1-b7 + 2.Kh7-h8 Ra2-a8 #"
OTHER = "1.Kh8-g8 Ra2-a7 2.Kg8-h8 Rb1-b8 #"
MOVE = "move in SAN or UCI, found"
LISTED = "solution: expected 4 half-moves and # in each line, found"
INTENDED = "intended-solutions: expected a number, or one a move as in 2.1.1, found"
RULES = "option: expected none that changes the rules or the question, found"
ONLY = "pieces: expected K, Q, R, B, P, or S for a knight, found"
DOUBLE = "option EnPassant: expected a double step such as e2e3e4, found"
YAML = "expected YAML, found in line"

CASES = rf"""
# The key is marked, or it is the only first move.
    solution: 1. Rb1-b7 ! zugzwang.          | #2 keys b1b7
    solution: 1.Ra7!? Kg8! 1.Rb7! {{1.Ra7!}} | #2 keys b1b7
    solution: 1.Rb7                          | #2 keys b1b7
    solution: 1.Rb7 1.Ra7                    | #2
    solution: None                           | #2
    solution: 1.Rb7! 1.Ra7! | #2 | solution: expected 1 marked with !, found 2
    solution: 1.Tb7!        | #2 | solution: expected a {MOVE} 'Tb7'
    solution: 1.Ra1!        | #2 | solution: expected a legal, unambiguous {MOVE} 'Ra1'
    stipulation: s#3\nsolution: 1.Rb7 ! (2.Ra8+) Kg8 2.Ra8# | s#3 keys b1b7
# The author may intend several keys.
    solution: 1.Rb7! 1.Ra7!\nintended-solutions: 2          | #2 keys b1b7 a2a7
    solution: 1.Rb7!\nintended-solutions: one | #2 keys b1b7 | {INTENDED} 'one'
# Help play has as many solutions as the author intends,
    {{H}}intended-solutions: 2          | h#2 solutions 2
    {{H}}intended-solutions: 2.2.1...   | h#2 solutions 4
    {{H}}intended-solutions: 0          | h#2 solutions 0
    {{H}}intended-solutions: 2\nsolution: {ONE!r} | h#2 solutions 2
    {{H}}intended-solutions: 100.100    | h#2 | {INTENDED} '100.100'
    {{H}}intended-solutions: -1\nsolution: {ONE!r} | h#2 | {INTENDED} '-1'
    {{H}}intended-solutions: 1001       | h#2 | {INTENDED} '1001'
# or as are listed.
    {{H}}solution: '{ONE} {OTHER}'                    | h#2 solutions 2
    {{H}}solution: '{ONE} {{model}} {OTHER} {{1.Kh7 Kh1}}' | h#2 solutions 2
    {{H}}solution: '1...Rb1-b7 2.Kh8-g8 Ra2-a8 # {ONE}' | h#2 solutions 1
    {{H}}solution: '1.Sg8-f6 b7-b8=S 2.0-0 e5*d6 ep. #'  | h#2 solutions 1
    {{H}}solution: None                                  | h#2
    stipulation: h#1.5\nsolution: '1...Rb7 2.Kg8 Ra8 # 1...Ra7 2.Kg8 Rb8 #' | h#1.5 solutions 2
    stipulation: h=2\nsolution: 1.Kh8-h7 Rb1-b6 2.Kh7-h8 Ra2-a7 = | h=2 solutions 1
    {{H}}solution: 1.Kh8-h7 Rb1-b7 + 2.Kh8 Ra8  | h#2 | {LISTED} '1.Kh8-h7 Rb1-b7 + 2.Kh8 Ra8'
    {{H}}solution: '{ONE} 2.Kh7-h6 Ra2-a6 #'    | h#2 | {LISTED} '2.Kh7-h6 Ra2-a6 #'
    {{H}}solution: 'Solution: {ONE}'            | h#2 | {LISTED} 'Solution:'
    {{H}}solution: '1...Rb1-b7 2.Kh8-g8 Ra2-a8 #' | h#2 | {LISTED} ''
# Other entries are refused.
    stipulation: hs#2         | stipulation: expected {EXPECTED}, found 'hs#2'
    stipulation: '#201'       | stipulation: expected 1 to 200 moves, found '#201'
    options: [Madrasi]        | conditions: expected none, found 'Madrasi'
    conditions: [Circe, Grid] | conditions: expected none, found 'Circe, Grid'
    options: [PostKeyPlay]    | {RULES} 'PostKeyPlay'
    options: [NoCastling]     | option NoCastling: expected squares, found none
    options: [EnPassant e2 e4] | {DOUBLE} e2 e4
    algebraic:                | algebraic: expected lists of pieces, found none
    algebraic: {{white: [Gb1]}} | {ONLY} 'G'
    algebraic: {{white: [Qj9]}} | algebraic: expected pieces such as Kg3, found 'Qj9'
    algebraic: {{white: [Kg1, Qg1]}} | pieces: expected one on g1, found two
    algebraic: {{no: [Pa2]}} | algebraic: expected white and black pieces, found 'no'
# Only text, lists and mappings are read.
    title: !!python/object/apply:os.getcwd [] | {YAML} 3: the tag python/object/apply:os.getcwd
    a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b] | {YAML} 4: an alias
"""  # noqa: E501


@pytest.mark.parametrize(("text", "expected", "warning"), cases(CASES))
def test_an_entry_is_read_in_good_parts(text: str, expected: str, warning: str) -> None:
    (record,) = read(GOOD + text.replace("{H}", "stipulation: h#2\n") + "\n")
    assert said(record).replace(" of the entry:", ":") == expected
    if isinstance(record, Problem):
        assert warned(record) == warning


def test_keys_may_be_captures_castling_and_promotions() -> None:
    white = "Ke1, Rh1, Sd4, Pb7, Pe5"
    pieces = f"algebraic: {{white: [{white}], black: [Kd8, Pe6, Pd5]}}\n"
    for move, key in {
        "Sd4*e6 +": "d4e6",
        "Nxe6+": "d4e6",
        "0-0": "e1g1",
        "b7-b8=S": "b7b8n",
        "b8=Q+": "b7b8q",
        "e5*d6 ep.": "e5d6",
        "exd6 e.p.": "e5d6",
    }.items():
        text = f'{pieces}stipulation: "#2"\nsolution: "1.{move} !"\n'
        passed = "options: [EnPassant d6]\n"
        assert said(read_one(text + passed)) == f"#2 keys {key}"
        assert (said(read_one(text)) == "#2") == (move == "e5*d6 ep.")


@pytest.mark.parametrize(
    ("text", "name"),
    cases(r"""
                                                       | x.olv:1
        title: The ladder                              | The ladder
        authors: ['Shire, D.', B]\nsource: BCM\ndate: 2007-05 | Shire, D. & B / BCM / 2007
        authors: A\nsource: {name: fee, date: {year: 1965}}   | A / fee / 1965
        title: ~\nsource: !!python/unicode 'None'      | x.olv:1
    """),  # noqa: E501
)
def test_authors_title_and_source_name_the_problem(text: str, name: str) -> None:
    assert read_one(f"{GOOD}{text}\n").id == name


def test_missing_pyyaml_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "x.olv"
    path.write_text(f"---\n{GOOD}")
    reason = "reading YAML needs PyYAML, which is not installed: pip install PyYAML"
    assert list(registry.read_collection(path)) == [FormatError(str(path), reason)]


# --- files and twins

FILES = r"""
# A bad document, or item of a list, is reported and skipped.
    ---\nGOOD---\nstipulation: hs#2\n...\n---\nGOOD           | 2 #2, 5 !, 8 #2
    ---\nGOOD---\na: [\n...\n---\nGOOD                        | 2 #2, 5 !, 8 #2
    ---\nGOOD---\ntitle: "unclosed\n...\n---\nGOOD            | 2 #2, 5 !, 8 #2
    %YAML 1.1\n---\nITEM\n# a comment\n- stipulation: [\nITEM | 3 #2, 6 !, 7 #2
    [LIST,\n {stipulation: !x '#2'},\n LIST]                  | 1 s#2, 2 !, 3 s#2
    just some text                   | 1 !
    ---                              |
# Twins are in the order of their labels; each is a problem of its own.
    GOODtwins: {c: Remove a2, b: Remove b1, d: Stipulation h#2} | a) #2, b) #2, c) #2, d) h#2
    GOODtwins: {b: Move a1 a3, c: Move a2 a4}                   | a) #2, 1 !, c) #2
    GOODtwins: {b: Move a1 a3, c: Cont Remove b1, d: Remove b1} | a) #2, 1 !, 1 !, d) #2
    GOODtwins: {b: Move a2 a3 please}                           | a) #2, 1 !
# Each has the keys, or the solutions, of its part.
    GOODtwins: {b: Move a2 a3, c: Remove a2}\nsolution: "a)\n\n1.Rb7 !\n\nb) wRa2-->a3\n\n1.Rb8 !" | a) #2 keys b1b7, b) #2 keys b1b8, c) #2
    HELPtwins: {b: Move a2 c2}\nsolution: "a)\n\nONE\n\nOTHER\n\n +b)\n\nONE" | a) h#2 solutions 2, b) h#2 solutions 1
# A duplex is two problems; its list is not counted, its key is that of the first.
    HELPoptions: [SetPlay, Duplex]\nsolution: 'ONE'             | 1 h#2, 1 h#2
    HELPstipulation: s#2\noptions: [Duplex]\nsolution: 1.Rb7!   | 1 s#2 keys b1b7, 1 s#2
"""  # noqa: E501


@pytest.mark.parametrize(("text", "expected"), cases(FILES))
def test_each_entry_and_twin_is_a_record(text: str, expected: str) -> None:
    item = "- " + GOOD.replace("\n", "\n  ").rstrip()
    entry = "{algebraic: {white: [Kg1], black: [Kh8]}, stipulation: s#2}"
    text = text.replace("ITEM", item).replace("LIST", entry).replace("GOOD", GOOD)
    text = text.replace("HELP", HELP).replace("ONE", ONE).replace("OTHER", OTHER)
    assert listed(read(text + "\n")) == expected


def test_twins_and_a_duplex_are_changed_positions() -> None:
    changes = "c: Continued Move b1 c1, b: Remove a2"
    for twins, ranks in [
        (changes, ("R7/1R4K1", "8/1R4K1", "8/2R3K1")),
        ("a: Move b1 c1, b: Move b1 d1", ("R7/2R3K1", "R7/3R2K1")),
        ("a: , b: Move b1 c1", ("R7/1R4K1", "R7/2R3K1")),
    ]:
        found = problems_of(read(f"{GOOD}twins: {{{twins}}}\nauthors: A\n"))
        assert [(one.id, one.fen.split()[0]) for one in found] == [
            (f"A {label})", f"7k/8/8/8/8/8/{placed}")
            for label, placed in zip("abc", ranks, strict=False)
        ]
    found = problems_of(read(f"{HELP}options: [Duplex]\n"))
    sides = [(one.id, one.fen.split()[1]) for one in found]
    assert sides == [("x.olv:1", "b"), ("x.olv:1 duplex", "w")]


# --- libyaml reads what PyYAML's own parser reads, and faster

QUOTED = """---
authors: ["Author, Number 1", 'A, B']
comments:
- two
  lines
- ~
title: "x\\n\\
  \\ y"
"""


def mutated(text: str, seeded: random.Random) -> str:
    """Return the text with a few signs of YAML inserted, or characters deleted."""
    signs = [*":-#,[]{}&*!|>'\"%@`~ \n\\", "\n  ", "- ", ": ", "!!str ", "---\n"]
    for _ in range(seeded.randint(1, 3)):
        at = seeded.randrange(len(text))
        if seeded.random() < 0.7:
            text = text[:at] + seeded.choice([*signs, "\u2028"]) + text[at:]
        else:
            text = text[:at] + text[at + seeded.randint(1, 3) :]
    return text


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")
def test_libyaml_reads_what_pyyaml_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(__file__).parents[2] / "puzzles" / "stipulations.olv"
    seeded, whole = random.Random(4), path.read_text("utf-8")
    calls: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr(yaml.BaseLoader, "__init__", lambda *one: calls.append(one))
        problems = problems_of(read(whole))
    assert calls == []  # the slow parser reads nothing that is usual
    assert len({one.id for one in problems}) == 135
    for one in problems:
        assert one.claim
        assert len(one.claim.keys) == (not one.stipulation.is_help), one.id
    solutions = [one.claim.solutions for one in problems if one.claim]
    assert sum(number for number in solutions if number) == 34
    entry = QUOTED + whole[whole.index("algebraic") :].partition("---\n")[0]
    texts = [entry, *(mutated(entry, seeded) for _ in range(100))]
    fast = [read(text) for text in texts]
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert fast == [read(text) for text in texts]
    kinds = [type(one[0]) for one in fast if one]
    assert kinds.count(Problem) > 20
    assert kinds.count(FormatError) > 20
