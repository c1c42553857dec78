"""Markdown and workflow commands, read back by a parser of each, on hostile names."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest
from markdown_it import MarkdownIt

from solver.audit.results import AuditResult, audit_result
from solver.errors import FormatError
from solver.output import audit_text
from solver.output.audit_text import AuditTable
from solver.problem import Claim, Problem, printable
from solver.solution import Solution, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from markdown_it.token import Token

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
    stopped = StoppedBy.NODES
    return audit_result(
        Solution(problem, Status.UNDECIDED, None, 1, stopped_by=stopped)
    )


# Markdown


def parsed(text: str) -> list[Token]:
    """Return all blocks, and what is in them, of a page in Markdown."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_code_and_nothing_else(name: str) -> None:
    assert [
        token.content
        for token in parsed(audit_text.code(name))
        if token.type != "inline"
    ] == ["", printable(name), ""]


LISTED = {
    *("bullet_list_open", "list_item_open", "paragraph_open", "inline"),
    *("code_inline", "hardbreak", "link_open", "text", "link_close"),
    *("paragraph_close", "list_item_close", "bullet_list_close"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_record_adds_no_markup(name: str) -> None:
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


def test_a_long_name_is_cut() -> None:
    (inline, code) = parsed(audit_text.code("x" * 1_000_000))[1:3]
    assert inline.content == f"`{code.content}`"
    assert code.content == "x" * 4_000


def test_only_disagreements_and_unreadable_records_are_items() -> None:
    assert audit_text.item(undecided()) is None
    agreeing = answered(claim=1)
    assert agreeing.agrees
    assert audit_text.item(agreeing) is None


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
    drawn = [
        re.split(r" {2,}", line.strip()) for line in str(table.draw(None)).splitlines()
    ]
    found = cells(parsed(text))
    assert [[cell for cell in row if cell] for row in found] == drawn
    assert {len(row) for row in found} == {8}
    assert all(line in text for line in table.totals())
    assert "- `x.epd: EPD`\n" in text


def items(count: int) -> Iterator[str]:
    for number in range(count):
        yield f"- `{number}`"


@pytest.mark.parametrize("count", [0, 1, 50, 51, 12_345])
def test_a_summary_lists_fifty_disagreements_and_counts_the_others(count: int) -> None:
    lines = audit_text.summarise([], None, items(count), count).splitlines()
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
        assert command.properties == {
            "file": file,
            "line": "7",
            "title": word,
        }
        assert printable(name) in printable(command.message)
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", command.message)


def test_an_undecided_record_is_a_warning_with_the_limit() -> None:
    command = read_command(audit_text.annotate(undecided("long"), warns=True))
    assert command.name == "warning"
    assert command.properties["title"] == "undecided"
    assert command.message == "x.epd:7: long: undecided: nodes"


def test_standard_input_has_neither_file_nor_line() -> None:
    command = read_command(audit_text.annotate(answered(file="stdin"), warns=False))
    assert command.properties.keys() == {"title"}


def test_an_error_about_a_whole_file_is_shown_at_its_first_line() -> None:
    result = audit_result(FormatError("x.json", "expected JSON, found nothing"))
    command = read_command(audit_text.annotate(result, warns=False))
    assert command.properties["line"] == "1"


@pytest.mark.parametrize(
    ("given", "workspace", "expected"),
    [
        ("a.epd", None, "a.epd"),
        ("./a.epd", None, "a.epd"),
        ("sub/../a.epd", None, "a.epd"),
        ("{root}/sub/a.epd", None, "sub/a.epd"),
        ("a.epd", "{root}/..", "work/a.epd"),
        ("../other/a.epd", "{root}/..", "other/a.epd"),
        ("{root}/a.epd", "{root}/sub", "{root}/a.epd"),
        ("../a.epd", None, "../a.epd"),
    ],
)
def test_a_file_is_named_from_the_root_of_the_checkout(
    given: str,
    workspace: str | None,
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
