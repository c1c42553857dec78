"""Every form of an audit agrees on which results contradict their claims."""

from __future__ import annotations

import csv
import io
import json
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import pytest

from solver.audit.results import AuditResult, Ply, audit_result
from solver.audit.store import Store
from solver.cli.console import Exit
from solver.cli.main import run
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
    from pathlib import Path

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
LINE = ("a2a7", "h8g8", "b1b8")
TWO_MATES = "8/8/4Q3/2k5/7K/7R/6R1/8 w - - 0 1"
KEY = Ply("a2a7", 2, ("a2a7",))


class Line(NamedTuple):
    """The attacker's moves in a claimed line, and whether they have a dual."""

    plies: tuple[Ply, ...]
    has_dual: bool = False
    is_free: bool = False
    """No dual if the source accepts every mate in one."""


LINES = {
    "not searched": Line(()),
    "only moves": Line((KEY, Ply("b1b8", 1, ("b1b8",)))),
    "two mates on the last move": Line(
        (KEY, Ply("b1b8", 1, ("b1b8", "a7a8"))), has_dual=True, is_free=True
    ),
    "a limit at the key, and two mates on the last move": Line(
        (Ply("a2a7", None, ()), Ply("b1b8", 1, ("b1b8", "a7a8"))),
        has_dual=True,
        is_free=True,
    ),
    "a choice before the last move": Line(
        (KEY, Ply("b1b8", 2, ("b1b8", "a7a8"))), has_dual=True
    ),
    "another move in place of the key": Line((Ply("a2a7", 2, ("a2a7", "b1b7")),)),
    "a slow last move": Line((KEY, Ply("b1b8", 1, ("a7a8",)))),
    "a limit at the last move": Line((KEY, Ply("b1b8", None, ()))),
}

WORDS = [
    (verdict, soundness)
    for verdict, soundness in product(Verdict, [None, *Soundness])
    if verdict is not Verdict.UNREADABLE
]


def result(
    verdict: Verdict, soundness: Soundness | None, line: Line, *, any_last_move: bool
) -> AuditResult:
    claim = Claim(2, ("a2a7",), LINE, any_last_move)
    problem = Problem(LADDER, "a", claim, "x.epd:1")
    answer = Solution(problem, Status.PROVED, 2, 2, LINE, ("a2a7",), keys_complete=True)
    return audit_result(answer, plies=line.plies)._replace(
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
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "run.db") as store:
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
    plies, has_dual, is_free = LINES[line]
    dual = has_dual and not (is_free and any_last_move)
    for verdict, soundness in WORDS:
        given = result(verdict, soundness, Line(plies), any_last_move=any_last_move)
        disagrees = (
            verdict in {"shorter", "refuted", "unforced"}
            or soundness not in {None, "sound", "partly-read"}
            or dual
        )
        assert set(forms(given, store).values()) == {disagrees}
        assert ("dual" in given.disagreements) is dual
        table = AuditTable()
        table.add(given)
        assert ("with a dual: 1" in table.soundness()) is dual


def test_an_unreadable_record_disagrees_with_nothing(store: Store) -> None:
    given = audit_result(FormatError("x.epd:1", "expected a FEN"))

    asked = forms(given, store)

    assert set(asked.values()) == {False}
    assert exit_codes(given) == {Exit.PROVED, Exit.BAD_INPUT}


def test_a_dual_on_the_last_move_is_printed_and_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["g2g5", "c5b4", "e6g4"]  # or 2. Qb3 or 2. Qe4
    problem = {"fen": TWO_MATES, "claim": 2, "claimed_line": line}
    (tmp_path / "dual.jsonl").write_text(json.dumps(problem))
    (tmp_path / "free.jsonl").write_text(json.dumps({**problem, "any_last_move": True}))
    audited = ["--every-ply", "--hash", "1"]

    assert run(["verify", "free.jsonl", *audited]) == 0
    assert "dual" not in capsys.readouterr().out
    assert run(["verify", "dual.jsonl", *audited]) == 1
    printed = capsys.readouterr().out
    assert "soundness: 1 sound; with a dual: 1\n" in printed
    assert "but move 2, Qg4#, is not the only mate in 1; also: Qb3#, Qe4#\n" in printed
    assert run(["verify", "dual.jsonl", *audited, "--fail-on", "dual"]) == 1
    assert run(["verify", "dual.jsonl", *audited, "--fail-on", "cooked,keys"]) == 0
