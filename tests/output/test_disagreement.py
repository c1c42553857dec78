"""Disagreements, in text and in Markdown and commands for GitHub, and improvements."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from markdown_it import MarkdownIt

from solver.audit.results import AuditResult, Ply, audit_result, write_plies
from solver.cli import improve
from solver.errors import FormatError
from solver.formats.claims import FileSummary
from solver.formats.epd import Row, read_matetrack_row
from solver.output import audit_text
from solver.output.audit_text import AuditTable, disagreement, fault
from solver.problem import Claim, Problem, printable
from solver.solution import Solution, Status, StoppedBy, TableFormat
from tests.formats.cases import cases
from tests.output.answers import ROOK_BY_TABLE

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.token import Token

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
LADDER_BLACK = LADDER.replace(" w ", " b ")
LONG_LINE = ("a2a7", "h8g8", "b1b2", "g8f8", "b2b8")


def said(answer: Solution | FormatError, *plies: Ply) -> str | None:
    """Return a paragraph without its source and link, if there is one."""
    paragraph = disagreement(audit_result(answer, plies=plies))
    if paragraph is None:
        return None
    *lines, link = paragraph.splitlines()
    assert isinstance(answer, Solution)
    fen = answer.problem.fen.replace(" ", "_")
    assert link == f"  https://lichess.org/analysis/standard/{fen}"
    return "\n".join(lines).removeprefix("dir/x.epd:3: ")


def answer(
    claim: Claim | None,
    mate: int | None,
    bound: int = 1,
    keys: str = "",
    fen: str = BACK_RANK,
    **problem: Any,
) -> Solution:
    """Return an answer whose line is its first key."""
    asked = Problem(fen, problem.pop("id", "x.epd:3"), claim, "dir/x.epd:3", **problem)
    moves = tuple(keys.split())
    status = Status.PROVED if mate == bound else Status.FOUND
    return Solution(asked, status, mate, bound, moves[:1], moves, bool(moves))


IN_1 = "mate in 1, but"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            answer(Claim(2, line=("a1a7", "g8f8")), None, 3),
            "claimed mate in 2, but no mate in 2 exists\n  claimed: 1. Ra7 Kf8",
        ),
        (answer(Claim(-2), None, 3), "claimed mated in 2, found not mated in 2"),
        (
            answer(None, 1, 1, "a1a8", id="Loyd", no_mate=2),
            "Loyd: claimed none in 2, found mate in 1: 1. Ra8#",
        ),
        (
            answer(Claim(-2), 0, 0, fen="7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"),
            "claimed mated in 2, found checkmate on the board",
        ),
        (
            answer(Claim(1, ("a1a7", "a1a8", "a1b1")), 1, 1, "a1a8"),
            f"claimed {IN_1} the claimed keys Ra7, Rb1 do not solve; Ra8# does",
        ),
        (
            answer(Claim(1, ("a1a8",)), 1, 1, "a1a8 a1a7"),
            "claimed mate in 1 by Ra8#, but a second key, Ra7, also solves",
        ),
        (
            answer(Claim(1), 1, 1, "a1a8 a1a7"),
            f"claimed {IN_1} 2 keys solve: Ra8#, Ra7",
        ),
        (answer(Claim(1, any_last_move=True), 1, 1, "a1a8 a1a7"), None),
        (answer(Claim(3), None, 3), None),
        (answer(None, 1, 1, "a1a8"), None),
        (FormatError("x.epd:3", "expected a FEN"), None),
    ],
)
def test_a_contradicted_claim_is_printed_with_what_was_found(
    found: Solution | FormatError, expected: str | None
) -> None:
    assert said(found) == expected


FIVE = Claim(2, line=LONG_LINE)
NONE_IN_1 = "but no mate in 1 exists, only mate in"


@pytest.mark.parametrize(
    ("claim", "mate", "bound", "text"),
    [
        (FIVE, 2, 2, "2 with a line of 5 plies, found mate in 2"),
        (FIVE, None, 1, "2 with a line of 5 plies, undecided"),
        (FIVE, None, 3, "2 with a line of 5 plies, but no mate in 2 exists"),
        (
            Claim(1, line=LONG_LINE[:2]),
            2,
            2,
            f"1 with a line of 2 plies, {NONE_IN_1} 2 ",
        ),
        (
            *(Claim(1, line=LONG_LINE), 3, 2),
            f"1 with a line of 5 plies, {NONE_IN_1} 3 (perhaps not the shortest): ",
        ),
    ],
)
def test_a_line_that_is_longer_than_the_claimed_mate_is_a_disagreement(
    claim: Claim, mate: int | None, bound: int, text: str
) -> None:
    keys = "a2a7" if mate else ""
    found = answer(claim, mate, bound, keys, LADDER)
    found = replace(found, status=Status.FOUND, keys_complete=False)
    assert "line" in audit_result(found).disagreements
    first, second, *_ = str(said(found)).splitlines()
    assert first.startswith(f"claimed mate in {text}")
    assert second.startswith("  claimed: 1. Ra7")


@pytest.mark.parametrize(
    ("fen", "claim", "stipulation", "faults"),
    [
        (LADDER, Claim(2, line=LONG_LINE[:3]), None, ()),
        (LADDER, Claim(3, line=LONG_LINE[:1]), None, ()),
        (LADDER_BLACK, Claim(-1, line=("h8g8", "a2a8")), None, ()),
        (LADDER_BLACK, Claim(-1, line=("h8g8", *LONG_LINE[:3])), None, ("line",)),
        (LADDER, Claim(2, line=(*LONG_LINE[:3], "h8g8")), "s#2", ()),
    ],
)
def test_a_line_as_long_as_claimed_or_shorter_is_none(
    fen: str, claim: Claim, stipulation: str | None, faults: tuple[str, ...]
) -> None:
    open_ = answer(claim, None, fen=fen, stipulation=stipulation)
    assert audit_result(open_).disagreements == faults


KEY = Ply("a2a7", 2, ("a2a7",))
MATING = ("a2a7", "h8g8", "b1b8")
TWO_MATES = (KEY, Ply("b1b8", 1, ("b1b8", "a7a8")))


@pytest.mark.parametrize(
    ("claim", "plies", "expected"),
    [
        (
            *(FIVE, ()),
            " with a line of 5 plies, but a line of its solution takes longer\n"
            "  claimed: 1. Ra7 Kg8 2. Rb2 Kf8 3. Rb8#",
        ),
        (
            *(Claim(2, line=LONG_LINE[:3]), (KEY, Ply("b1b2", 1, ("b1b8",)))),
            ", but move 2, Rb2, does not mate in 1; faster: Rb8#\n"
            "  claimed: 1. Ra7 Kg8 2. Rb2",
        ),
        (
            *(Claim(2, line=MATING), TWO_MATES),
            ", but move 2, Rb8#, is not the only mate in 1; also: Ra8+\n"
            "  claimed: 1. Ra7 Kg8 2. Rb8#",
        ),
        (Claim(2, line=MATING, any_last_move=True), TWO_MATES, None),
    ],
)
def test_a_move_of_the_line_is_printed_with_faster_or_other_ones(
    claim: Claim, plies: tuple[Ply, ...], expected: str | None
) -> None:
    text = said(answer(claim, 2, 2, "a2a7", LADDER), *plies)
    assert text == (expected and f"claimed mate in 2{expected}")


def test_a_mate_from_a_tablebase_is_labelled() -> None:
    problem = Problem(ROOK_BY_TABLE.problem.fen, "x.epd:3", Claim(4), "dir/x.epd:3")
    text = said(replace(ROOK_BY_TABLE, problem=problem))
    assert str(text).startswith("claimed mate in 4, found mate in 3 (Gaviota): 1. ")


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (FormatError("x.epd:3", "expected a FEN"), "expected a FEN"),
        (answer(Claim(2), None, 3), "no mate in 2 exists"),
        (
            answer(Claim(1, ("a1a8", "a1a7")), 1, 1, "a1a8 a1a7 a1a6"),
            "another key, Ra6, also solves",
        ),
        (
            answer(Claim(1, ("a1a8",)), 1, 1, "a1a8 a1a7 a1a6"),
            "2 more keys also solve: Ra7, Ra6",
        ),
    ],
)
def test_a_fault_is_a_sentence_without_the_name_of_its_record(
    result: Solution | FormatError, sentence: str
) -> None:
    assert fault(audit_result(result)) == sentence
    agreeing = audit_result(answer(Claim(1), 1, 1, "a1a8"))
    assert (fault(agreeing), disagreement(agreeing)) == ("", None)


# Improvements: a row changes only where a proved answer is better than its claim


EPD = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
IN_TWO = "a1c1 g8h8 c1c8"


def read(text: str, position: str = EPD) -> Row:
    line = f"{position} {text}\n".encode()
    row = read_matetrack_row(line, "mates.epd:7", FileSummary())
    assert isinstance(row, Row)
    return row


def result_of(
    row: Row,
    mate: int | None,
    lower_bound: int = 1,
    line: str = "",
    tablebase: TableFormat | None = None,
) -> AuditResult:
    status, stopped_by = Status.UNDECIDED, StoppedBy.TIME
    if mate is not None:
        status = Status.PROVED if abs(mate) == lower_bound else Status.FOUND
    solution = Solution(
        *(row.problem, status, mate, lower_bound, tuple(line.split())),
        stopped_by=stopped_by if mate is None else None,
        tablebase=tablebase,
    )
    return audit_result(solution)


@pytest.mark.parametrize(
    ("claim", "mate", "line", "tablebase"),
    [
        ("bm #1; PV: a1a8;", 1, "a1a8", None),  # its line is complete
        ("bm #2; PV: a1d1 g8h8 d1d8;", 2, IN_TWO, None),  # another line is no better
        ("bm #1;", 2, IN_TWO, None),  # the mate is longer
        ("bm #2;", None, "", None),  # no mate was found
        ("bm #2;", 0, "", None),  # it is checkmate
        ("bm #2;", 1, "", None),  # the line was not read
        ("bm #2;", 1, "a1a7", None),  # the line does not mate
        ("bm #3;", 2, "a1a8", None),  # the line has another length
        ("bm #2;", 1, "a1a8", TableFormat.GAVIOTA),  # a tablebase alone knows it
    ],
)
def test_a_row_stays_as_it_is_where_nothing_better_is_proved(
    claim: str, mate: int | None, line: str, tablebase: TableFormat | None
) -> None:
    row = read(claim)
    assert improve.find_change(row, result_of(row, mate, 1, line, tablebase)) is None


def followed(row: Row, *holds: bool | None) -> AuditResult:
    moves = row.claim.line[0 if row.claim.mate > 0 else 1 :: 2]
    pairs = zip(moves, holds, strict=True)
    plies = [Ply(move, None, (), holds=held) for move, held in pairs]
    return result_of(row, None)._replace(plies=write_plies(plies))


LINE = "bm #2; PV: a1d1 g8h8 d1d8;"


@pytest.mark.parametrize(
    ("holds", "status", "words"),
    [
        ((True, True), improve.LineStatus.PROOF, "a proof"),
        ((None, True), improve.LineStatus.ENDING, "a forced ending from move 2, Rd8#"),
        ((None, None), improve.LineStatus.OPEN, "open"),
        (
            (None, False),
            improve.LineStatus.WRONG,
            "wrong: move 2, Rd8#, does not mate in 1",
        ),
    ],
)
def test_a_followed_line_has_a_status(
    holds: tuple[bool | None, ...], status: improve.LineStatus, words: str
) -> None:
    row = read(LINE)
    result = followed(row, *holds)
    assert improve.find_line_status(row, result) is status
    assert (
        improve.describe_line(row, result)
        == f"mates.epd:7: mate in 2, its line is {words}"
    )


def test_a_line_of_another_length_is_wrong_and_none_has_no_status() -> None:
    row = read("bm #1; PV: a1d1 g8h8 d1d8;")
    assert (
        improve.find_line_status(row, result_of(row, None)) is improve.LineStatus.WRONG
    )
    assert improve.describe_line(row, result_of(row, None)) == (
        "mates.epd:7: mate in 1, its line is wrong (pv: expected 1 plies, found 3)"
    )
    bare = read("bm #2;")
    assert improve.find_line_status(bare, result_of(bare, None)) is None
    assert improve.describe_line(bare, result_of(bare, None)) == ""


def test_a_line_that_is_proved_wrong_is_replaced() -> None:
    row = read(LINE)
    found = result_of(row, 2, 2, IN_TWO)
    result = found._replace(plies=followed(row, None, False).plies)
    change = improve.find_change(row, result)
    assert change == improve.Replacement(improve.Gain.LINE, 2, tuple(IN_TWO.split()))
    words = improve.describe_change(row, change, result)
    assert "line replaced (proved wrong): 1. Rc1" in words
    held = found._replace(plies=followed(row, True, True).plies)
    assert improve.find_change(row, held) is None


def test_a_row_that_stays_undecided_is_named_only_if_its_line_is_broken() -> None:
    row = read(f"bm #2; PV: {IN_TWO};")
    assert not improve.is_disproved(result_of(row, None))
    assert improve.describe_kept(row, result_of(row, None)) == ""
    broken = read("bm #2; PV: a1c1;")
    assert improve.describe_kept(broken, result_of(broken, None)) == (
        "mates.epd:7: mate in 2, kept with its broken line "
        "(pv: expected 3 plies, found 1), because no mate was found"
    )
    illegal = read("bm #1; PV: a1z1;")
    name = "mates.epd:7"
    claim = illegal.problem.claim
    assert illegal.problem == Problem(f"{EPD} 0 1", name, claim, name)
    assert illegal.claim.line == ()


# For GitHub: read back by a parser of each form, on hostile names


FEN = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"

HOSTILE = [
    "plain",
    "a|b",
    "`a`",
    "``",
    "`````",
    "ends with `",
    "<script>alert(1)</script>",
    "<!-- no",
    "![x](https://example.org/x.png) [y](z) <https://example.org>",
    "# not a heading\n\n- not an item",
    "1. not\r\n> these",
    "```\nnot a block\n```",
    "a\u2028b\x85c\x0bd",
    "\\` \\",
    "&lt; &amp;",
    "::error file=x::y",
    "a,b:c%d%25e%0Af",
    "@name #17 www.example.org",
    "ünïcödé \x1b[31mred",
]
"""Names that mean something to a terminal, in Markdown, or in a command."""

random.seed(45)
HOSTILE += ["".join(random.choices("`|<>[]()\\ \n%:,*_#-=ab", k=30)) for _ in range(60)]


def answered(name: str = "", file: str = "x.epd", claim: int = 2) -> AuditResult:
    """Return the result of a mate in 1 that claims to be longer."""
    problem = Problem(FEN, id=name, claim=Claim(claim), source=f"{file}:7")
    answer = Solution(problem, Status.PROVED, 1, 1, pv=("a1a8",), keys=("a1a8",))
    return audit_result(answer)


def undecided(name: str = "x") -> AuditResult:
    problem = Problem(FEN, id=name, claim=Claim(2), source="x.epd:7")
    status, limit = Status.UNDECIDED, StoppedBy.NODES
    return audit_result(Solution(problem, status, None, 1, stopped_by=limit))


# Markdown


def parsed(text: str) -> list[Token]:
    """Return all blocks, and what is in them, of a page in Markdown."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


LISTED = {
    *("bullet_list_open", "list_item_open", "paragraph_open", "inline"),
    *("code_inline", "hardbreak", "link_open", "text", "link_close"),
    *("paragraph_close", "list_item_close", "bullet_list_close"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_record_adds_no_markup(name: str) -> None:
    tokens = parsed(audit_text.code(name))
    code = [token.content for token in tokens if token.type != "inline"]
    assert code == ["", printable(name), ""]
    in_name = answered(name)
    in_file = answered("x", file=name)
    noted = answered("x")._replace(mark="reject", note=name, hint=name)
    unreadable = audit_result(FormatError("x.epd:7", f"expected a FEN, found {name}"))
    for result in (in_name, in_file, noted, unreadable):
        item = audit_text.item(result)
        assert item
        tokens = parsed(item)
        kinds = [token.type for token in tokens]
        assert set(kinds) <= LISTED
        assert kinds.count("list_item_open") == 1
        links = [token.attrs["href"] for token in tokens if token.type == "link_open"]
        expected = f"https://lichess.org/analysis/standard/{FEN.replace(' ', '_')}"
        assert links == [expected] * (result.fen is not None)
        texts = [token.content for token in tokens if token.type == "text"]
        assert texts == ["analysis"] * len(links)


def test_a_long_name_is_cut_and_what_agrees_is_no_item() -> None:
    (inline, code) = parsed(audit_text.code("x" * 1_000_000))[1:3]
    assert inline.content == f"`{code.content}`"
    assert code.content == "x" * 4_000
    assert audit_text.item(undecided()) is None
    assert answered(claim=1).agrees
    assert audit_text.item(answered(claim=1)) is None


def cells(tokens: list[Token]) -> list[list[str]]:
    """Return the text of each row of the only table."""
    rows: list[list[str]] = []
    for before, token in pairwise(tokens):
        if before.type == "tr_open":
            rows.append([])
        if before.type in {"th_open", "td_open"}:
            rows[-1].append(token.content.strip("`"))
    return rows


def test_the_table_has_the_cells_of_the_text() -> None:
    table = AuditTable()
    for result in (answered(), answered(), answered(claim=1), undecided()):
        table.add(result)
    table.add(audit_result(FormatError("x.epd:9", "expected a FEN, found nothing")))
    text = audit_text.summarise(["x.epd: EPD"], table, [], 0)
    lines = str(table.draw(None)).splitlines()
    drawn = [re.split(r" {2,}", line.strip()) for line in lines]
    found = cells(parsed(text))
    assert [[cell for cell in row if cell] for row in found] == drawn
    assert {len(row) for row in found} == {8}
    assert all(line in text for line in table.totals())
    assert "- `x.epd: EPD`\n" in text


@pytest.mark.parametrize("count", [0, 50, 51, 12_345])
def test_a_summary_lists_fifty_disagreements_and_counts_the_others(count: int) -> None:
    items = (f"- `{number}`" for number in range(count))
    lines = audit_text.summarise([], None, items, count).splitlines()
    assert len(lines) == min(count, 50) + (count > 50)
    if count > 50:
        assert lines[-1] == f"- and {count - 50:,} more"


# Workflow commands


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    message: str


def read_command(line: str) -> Command:
    """Read a command as GitHub's runner does; `%` and two digits are a character."""
    assert not set(line) & {"\r", "\n"}
    head, message = re.fullmatch(r"::(.*?)::(.*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
    name, _, listed = head.partition(" ")
    properties = dict(part.split("=", 1) for part in listed.split(","))
    codes = {"%0D": "\r", "%0A": "\n"}
    of_property = codes | {"%3A": ":", "%2C": ","}

    def plain(text: str, codes: dict[str, str]) -> str:
        for code, character in codes.items():
            text = text.replace(code, character)
        return text.replace("%25", "%")

    values = {key: plain(value, of_property) for key, value in properties.items()}
    return Command(name, values, plain(message, codes))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_record_is_one_command_with_its_own_values(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    file = name.replace("/", "_")
    for result, word in (
        (answered(name, file=file), "shorter, short-solution"),
        (audit_result(FormatError(f"{file}:7", name)), "unreadable"),
    ):
        command = read_command(audit_text.annotate(result, warns=False))
        assert command.name == "error"
        assert command.properties == {"file": file, "line": "7", "title": word}
        assert printable(name) in printable(command.message)
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", command.message)


def test_the_level_file_and_line_of_a_command() -> None:
    command = read_command(audit_text.annotate(undecided("long"), warns=True))
    assert (command.name, command.properties["title"]) == ("warning", "undecided")
    assert command.message == "x.epd:7: long: undecided: nodes"
    command = read_command(audit_text.annotate(answered(file="stdin"), warns=False))
    assert command.properties.keys() == {"title"}
    whole_file = audit_result(FormatError("x.json", "expected JSON, found nothing"))
    command = read_command(audit_text.annotate(whole_file, warns=False))
    assert command.properties["line"] == "1"


@pytest.mark.parametrize(
    ("given", "workspace", "expected"),
    cases("""
        a.epd           |            | a.epd
        sub/../a.epd    |            | a.epd
        {root}/sub/a.epd |           | sub/a.epd
        a.epd           | {root}/..  | work/a.epd
        ../other/a.epd  | {root}/..  | other/a.epd
        {root}/a.epd    | {root}/sub | {root}/a.epd
        ../a.epd        |            | ../a.epd
    """),
)
def test_a_file_is_named_from_the_root_of_the_checkout(
    given: str,
    workspace: str,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = tmp_path / "work"
    (root / "sub").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    if workspace:
        monkeypatch.setenv("GITHUB_WORKSPACE", workspace.format(root=root))
    result = answered(file=given.format(root=root))
    command = read_command(audit_text.annotate(result, warns=False))
    assert command.properties["file"] == expected.format(root=root)
