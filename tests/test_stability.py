"""docs/reference/stability.md promises what the program has, and all of it."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml

import solver
from solver import Limits, Problem, Restriction, Solution, Solver, Stipulation
from solver import Status as AnswerStatus
from solver.audit.results import AuditResult
from solver.audit.store import VERSION as STORE_VERSION
from solver.audit.store import Store
from solver.checker import VERSION as CERTIFICATE_VERSION
from solver.cli.console import Exit
from solver.cli.main import COMMANDS, SUMMARIES, run
from solver.output.answer_record import dump_solutions
from solver.output.audit_records import audit_record
from solver.record import COLUMNS, FIELDS, MARKS
from solver.solution import SCHEMA, StoppedBy, TableFormat
from solver.stipulations import Soundness, Verdict
from solver.uci.protocol import OPTIONS
from tools.listing import listing

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "stability.md").read_text(encoding="utf-8")

LISTS = {
    name: re.findall(r"`(.+?)`", words)
    for name, words in re.findall(
        r"<!-- list: ([\w-]+) -->((?:`[^`]+`(?:,\s+)?)+)", PAGE
    )
}

MATE = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TOOLS = json.loads((ROOT / "solver/mcp/tools.json").read_text("utf-8"))["tools"]

LABORATORY = {"table", "trace", "match", "mip"}


def long_options(command: str) -> list[object]:
    """Return the long options of a command but `--help`."""
    names = [name for one in listing() if one.command == command for name in one.names]
    return [name for name in names if name.startswith("--") and name != "--help"]


STABLE = [name for name in SUMMARIES if name not in LABORATORY]
SHORT = [
    name
    for listed in listing()
    if listed.command.split()[0] not in LABORATORY
    for name in listed.names
    if re.fullmatch("-[a-z]", name) and name != "-h"
]

# fmt: off
PROGRAM: dict[str, list[object]] = {
    **{f"options-{name}": long_options(name) for name in STABLE},
    "certificate": [CERTIFICATE_VERSION], "store": [STORE_VERSION],
    "status": [*AnswerStatus], "verdict": [*Verdict], "soundness": [*Soundness],
    "stopped_by": [*StoppedBy], "mark": [*MARKS], "exit": [int(code) for code in Exit],
    "commands": [*STABLE], "laboratory": [*LABORATORY], "short": [*SHORT],
    "uci": [*OPTIONS],
    "python": [name for name in solver.__all__ if name != "__version__"],
    "action-inputs": [*ACTION["inputs"]], "action-outputs": [*ACTION["outputs"]],
    "hook": [hook["id"] for hook in HOOKS], "tools": [tool["name"] for tool in TOOLS],
}
"""What each list of the page must be, apart from its order."""
# fmt: on


@pytest.mark.parametrize("name", PROGRAM)
def test_a_list_of_the_page_is_that_of_the_program(name: str) -> None:
    # A name more: add it to the page, which promises to keep it. A name less: it must
    # have been announced; see "How a change is announced" there.
    listed = LISTS.get(name, [])
    assert len(listed) == len(set(listed))
    assert {*listed} == {*map(str, PROGRAM[name])}


def test_every_list_of_the_page_is_compared() -> None:
    others = {"record", "record-some", "record-audit", "store-names"}
    assert PAGE.count("<!-- list:") == len(LISTS)
    assert LISTS.keys() == {name for name in PROGRAM if PROGRAM[name]} | others
    assert {*COMMANDS["Measure search techniques"]} == LABORATORY | {"perft"}


@pytest.mark.usefixtures("kernel")
def test_the_fields_of_every_answer_are_listed_in_their_order() -> None:
    record = Solver(hash_mib=1).solve(MATE, Limits(max_moves=3)).to_dict()
    assert [*record] == LISTS["record"]
    assert record["schema"] == SCHEMA == 1
    assert "has `schema` 1." in PAGE


@pytest.mark.usefixtures("kernel")
def test_the_fields_of_some_answers_are_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    restricted = Solution(
        *(Problem(MATE, warnings=("repaired",)), AnswerStatus.PROVED, 2, 2),
        restriction=Restriction(checks_only=True),
        tablebase=TableFormat.SYZYGY,
    )
    helped = Problem(MATE, stipulation=Stipulation.parse("h#2"))
    lines = tuple(("a1a2",) for _ in range(2_000))
    many = Solution(helped, AnswerStatus.PROVED, 2, 2, solutions=lines)
    cut = json.loads("".join(dump_solutions(many.to_dict(), None, lambda: True)))
    assert run(["solve", MATE, "--variations", "--jsonl"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert run(["solve", MATE, "--accepted", "--jsonl"]) == 0
    shown |= json.loads(capsys.readouterr().out)
    found = {*restricted.to_dict(), *many.to_dict(), *cut, *shown}
    assert found - {*LISTS["record"]} == {*LISTS["record-some"]}


SPECIAL = {
    **dict.fromkeys(("keys", "pv", "claimed_line", "wrong_keys"), "c4g8"),
    "fen": MATE,
    "claimed_keys": "c4f7",
    "plies": "[]",
    "solutions": '["c4g8"]',
    "verdict": "shorter",
    "stipulation": "h#2",
    "warnings": ("x",),
    "error": None,
}


@pytest.mark.usefixtures("kernel")
def test_the_fields_of_an_audit_are_listed() -> None:
    values: dict[type, object] = {int: 1, str: "x", float: 0.5}
    columns = {name: values[FIELDS[name].kind.column] for name in COLUMNS}
    filled = AuditResult(**columns | SPECIAL)  # type: ignore[arg-type]
    unreadable = AuditResult("x.epd:1", "x", verdict="unreadable", error="wrong")
    found = {*audit_record(filled), *audit_record(unreadable)}
    known = {*LISTS["record"], *LISTS["record-some"]}
    assert found - known == {*LISTS["record-audit"]}


def test_the_tables_of_a_store_are_listed(tmp_path: Path) -> None:
    with Store(tmp_path / "run.db"):
        pass
    with closing(sqlite3.connect(tmp_path / "run.db")) as base:
        rows = base.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"
        )
        names = {name for (name,) in rows if not name.startswith("sqlite_")}
    assert names == {*LISTS["store-names"]}
