"""Every form of an audit agrees on which results contradict their claims."""

from __future__ import annotations

import csv
import io
import json
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.audit.results import AuditResult, Ply, audit_result
from solver.audit.store import Store
from solver.cli.console import Exit
from solver.cli.verify import AuditOutcome, verify
from solver.errors import FormatError
from solver.output.audit_records import audit_record, export_csv, export_jsonl
from solver.output.audit_text import AuditTable, disagreement
from solver.pages.collection_page import render_page
from solver.problem import Claim, Problem
from solver.solution import Solution, Status
from solver.stipulations import Soundness, Verdict
from tests.pages.records import records_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Cli

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
LINE = ("a2a7", "h8g8", "b1b8")
TWO_MATES = "8/8/4Q3/2k5/7K/7R/6R1/8 w - - 0 1"
KEY = Ply("a2a7", 2, ("a2a7",))
MATES = ("b1b8", "a7a8")

LINES = {
    "not searched": (),
    "only moves": (KEY, Ply("b1b8", 1, ("b1b8",))),
    "two mates on the last move": (KEY, Ply("b1b8", 1, MATES)),
    "a limit at the key": (Ply("a2a7", None, ()), Ply("b1b8", 1, MATES)),
    "a choice before the last move": (KEY, Ply("b1b8", 2, MATES)),
    "another move in place of the key": (Ply("a2a7", 2, ("a2a7", "b1b7")),),
}
"""The attacker's moves in a claimed line."""

DUALS = {"two mates on the last move", "a limit at the key"}
"""No duals if the source accepts every mate in one."""

WORDS = [
    (verdict, soundness)
    for verdict, soundness in product(Verdict, [None, *Soundness])
    if verdict is not Verdict.UNREADABLE
]


def result(
    verdict: Verdict, soundness: Soundness | None, line: str, *, any_last_move: bool
) -> AuditResult:
    claim = Claim(2, ("a2a7",), LINE, any_last_move)
    problem = Problem(LADDER, "a", claim, "x.epd:1")
    answer = Solution(problem, Status.PROVED, 2, 2, LINE, ("a2a7",), keys_complete=True)
    return audit_result(answer, plies=LINES[line])._replace(
        verdict=str(verdict), soundness=soundness and str(soundness)
    )


def read_back(row: dict[str, str]) -> AuditResult:
    """Return the result in a row of an exported CSV."""
    given: dict[str, object] = {**row}
    for name in ("claim", "mate", "lower_bound", "only_moves"):
        given[name] = int(row[name]) if row[name] else None
    return AuditResult(**given)  # type: ignore[arg-type]  # of the columns that are read


def exit_codes(given: AuditResult) -> set[Exit]:
    """Return the exit codes that a result causes without `--fail-on`."""
    (option,) = (param for param in verify.params if param.name == "fail_on")
    outcome = AuditOutcome(frozenset(str(option.default).split(",")))
    outcome.add(given, given.disagreements)
    return outcome.codes


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(Path("run.db")) as store:
        yield store


def forms(given: AuditResult, store: Store) -> dict[str, bool]:
    """Return for every form of an audit whether a result contradicts its claim."""
    record = json.loads(json.dumps(audit_record(given)))
    page = render_page([record], title="x")
    (listed,) = records_of(page)
    lines, rows = io.BytesIO(), io.BytesIO()
    export_jsonl([given], lines)
    export_csv([given], rows)
    (row,) = csv.DictReader(rows.getvalue().decode().splitlines())
    store.put_answer(b"key", given, "", None, None)
    store.put_record(given, b"key")
    (stored,) = store.results()
    return {
        "result": bool(given.disagreements),
        "terminal": disagreement(given) is not None,
        "exit code": Exit.NEGATIVE in exit_codes(given),
        "record": bool(record.get("disagreements")),
        "page's record": bool(listed.get("disagreements")),
        "exported line": bool(json.loads(lines.getvalue()).get("disagreements")),
        "exported row": bool(read_back(row).disagreements),
        "stored row": bool(stored.disagreements),
    }


@pytest.mark.parametrize("any_last_move", [False, True])
@pytest.mark.parametrize("line", LINES)
def test_every_form_agrees_on_what_disagrees(
    line: str, any_last_move: bool, store: Store
) -> None:
    is_dual = line in DUALS and not any_last_move
    is_dual |= line == "a choice before the last move"
    for verdict, soundness in WORDS:
        given = result(verdict, soundness, line, any_last_move=any_last_move)
        disagrees = (
            verdict in {"shorter", "refuted", "unforced"}
            or soundness not in {None, "sound", "partly-read"}
            or is_dual
        )
        assert set(forms(given, store).values()) == {disagrees}
        assert ("dual" in given.disagreements) is is_dual
        table = AuditTable()
        table.add(given)
        assert ("with a dual: 1" in table.soundness()) is is_dual


def test_an_unreadable_record_disagrees_with_nothing(store: Store) -> None:
    given = audit_result(FormatError("x.epd:1", "expected a FEN"))
    assert set(forms(given, store).values()) == {False}
    assert exit_codes(given) == {Exit.PROVED, Exit.BAD_INPUT}


def test_a_dual_on_the_last_move_is_printed_and_exits_with_1(cli: Cli) -> None:
    line = ["g2g5", "c5b4", "e6g4"]  # or 2. Qb3 or 2. Qe4
    problem = {"fen": TWO_MATES, "claim": 2, "claimed_line": line}
    lines = [json.dumps({**problem, "any_last_move": free}) for free in (True, False)]
    Path("both.jsonl").write_text("\n".join(lines))
    words = "verify both.jsonl --every-ply --hash 1 --fail-on"
    code, out, _ = cli(f"{words} dual")
    assert code == 1
    assert "soundness: 2 sound; with a dual: 1\n" in out
    assert "but move 2, Qg4#, is not the only mate in 1; also: Qb3#, Qe4#\n" in out
    assert cli(f"{words} cooked,keys").code == 0
