"""`verify --marks`: an editor's decisions beside the verdicts, and in the store."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.audit.store import Store
from solver.cli.main import run
from solver.output.audit_records import audit_record, read_record
from tests.cli.conftest import rows

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
ROOKS = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
NAMES = ["fine", "short", "cooked", "there is one", "", ""]
PROBLEMS = f"""\
{BACK_RANK} dm 1; id "fine";
{BACK_RANK} dm 2; id "short";
{ROOKS} dm 2; bm Ra7; id "cooked";
{ROOKS} nomate 2; id "there is one";
hello
world
"""
HOSTILE = '=cmd|"<script>\\x1b[2J</script>"\n,'

Mark = dict[str, object]


def mark(word: str, line: int, fen: str | None, **others: object) -> Mark:
    """Return a line of the page's export, about a line of `PROBLEMS`."""
    source = f"problems.epd:{line}"
    names = {"id": NAMES[line - 1] or source, "source": source, "note": HOSTILE}
    claims = dict.fromkeys(("stipulation", "claim", "nomate"))
    return {"schema": 1, "fen": fen, **claims, **names, "mark": word, **others}


SHORT = mark("accept", 2, BACK_RANK, claim=2)
COOKED = mark("cook", 3, ROOKS, claim=2, note="")
THERE = mark("reject", 4, ROOKS, nomate=2)
ALL = [SHORT, COOKED, THERE, mark("accept", 5, None), mark("accept", 6, None)]


def as_jsonl(*marks: Mark) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in marks)


def as_csv(*marks: Mark) -> str:
    """Return the page's other export: a row is one line."""
    names = ("fen", "stipulation", "claim", "nomate", "id", "source", "mark", "note")
    lines = [",".join(names)]
    for one in marks:
        cells = [str(one[name] or "").replace("\n", " ") for name in names]
        lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    return "\r\n".join([*lines, ""])


def marks_of(out: str) -> list[str | None]:
    return [json.loads(line).get("mark") for line in out.splitlines()]


@pytest.fixture
def verify(cli: Cli) -> Cli:
    """Return the command with the collection."""
    Path("problems.epd").write_text(PROBLEMS)
    return lambda words: cli(f"verify problems.epd --keys {words}")


def audited(verify: Cli, options: str) -> list[str | None]:
    """Audit, and return the marks of all records."""
    return marks_of(verify(f"--jsonl {options}").out)


def stored() -> list[str | None]:
    with Store("run.db", read_only=True) as store:
        return [result.mark for result in store.results()]


def test_marks_are_printed_beside_the_verdicts(verify: Cli) -> None:
    plain, out, _ = verify("")
    assert "mark" not in out
    Path("MARKS").write_bytes(gzip.compress(as_csv(SHORT, COOKED).encode()))
    code, out, err = verify("--marks MARKS")
    assert code == plain == 65
    assert "\n5 failures: 1 accept, 1 cook, 0 reject, 3 unmarked\n" in out
    short, cooked, there = out.partition("problems.epd:2: ")[2].split("problems.epd:")
    note = '=cmd|"<script>\\x1b[2J</script>" ,'
    assert f"\n  mark: accept\n  note: {note}\n" in short
    assert "\n  mark: cook\n" in cooked
    assert ("note" in cooked, "mark" in there, "match no record" in err) == (False,) * 3
    assert "failures left out because of their marks: 1\n" in err
    marked = [None, "accept", "cook", None, None, None]
    assert audited(verify, "--marks MARKS") == marked


def test_a_store_keeps_them_for_the_next_audit_and_new_ones_replace_them(
    verify: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("first").write_text(as_jsonl(SHORT, COOKED))
    noted = THERE | {"note": 'see "Loyd", 1858'}
    Path("second").write_text(as_csv(COOKED | {"mark": "reject"}, noted))
    verify("--marks first --store run.db")
    marked = [None, "accept", "cook", None, None, None]
    assert audited(verify, "--store run.db") == marked
    expected = [None, "accept", "reject", "reject", None, None]
    verify("--marks second --store run.db -q")
    monkeypatch.setattr("solver.audit.store.__version__", "9.0.0")
    # Another version, then no answers at all.
    assert audited(verify, "--store run.db") == expected
    assert audited(verify, "--store run.db --fresh") == expected
    assert run(["export", "run.db", "-o", "all.csv"]) == 0
    _, out, _ = verify("--marks all.csv --jsonl")
    assert marks_of(out) == expected
    assert json.loads(out.splitlines()[3])["note"] == noted["note"]
    with Path("all.csv").open(newline="") as file:
        assert [row["mark"] or None for row in csv.DictReader(file)] == expected
    with Store("run.db", read_only=True) as store:
        results = list(store.results())
    assert [result.mark for result in results] == expected
    assert [read_record(audit_record(one)).mark for one in results] == expected


def test_a_mark_belongs_to_one_record(verify: Cli) -> None:
    others = [
        THERE | {"fen": None},  # of a record that could not be read
        mark("accept", 1, BACK_RANK),
        mark("accept", 2, BACK_RANK, claim=3),
        mark("accept", 2, BACK_RANK, claim=2, stipulation="s#2"),
        COOKED | {"id": "another"},
        COOKED | {"source": "elsewhere/problems.epd:3"},
        COOKED | {"stipulation": "", "mark": "reject"},  # the last one counts
        mark("cook", 6, None),
    ]
    Path("MARKS").write_text(as_jsonl(*others))
    _, out, err = verify("--marks MARKS --jsonl --store run.db")
    expected = [None, None, "reject", None, None, "cook"]
    assert marks_of(out) == stored() == expected
    assert "MARKS: marks that match no record: 5\n" in err
    assert run(["export", "run.db", "-o", "run.jsonl"]) == 0
    assert marks_of(Path("run.jsonl").read_text()) == expected


FEWER = [
    (f"fen,mark\n{BACK_RANK},cook\n", [1, 2]),
    (f"fen,claim,mark\n{BACK_RANK},2,cook\n", [2]),
    ("id,mark,note\nfine,cook,\n", [1]),
]


def test_a_mark_with_fewer_values_belongs_to_all_records_that_have_them(
    verify: Cli,
) -> None:
    for text, lines in FEWER:
        Path("MARKS").write_text(text)
        _, out, err = verify("--marks MARKS --jsonl")
        expected = ["cook" if line in lines else None for line in range(1, 7)]
        assert marks_of(out) == expected
        assert "match no record" not in err


EXIT_CODES = """
all | | 0
some | unmarked | 0
some | cooked,shorter,refuted,unreadable | 1
readable | unmarked | 65
others | unmarked | 1
others | shorter,unmarked | 1
"""


@pytest.mark.parametrize(("which", "fail_on", "code"), rows(EXIT_CODES))
def test_an_audit_succeeds_if_every_failure_is_accepted(
    verify: Cli, which: str, fail_on: str, code: str
) -> None:
    accepted = [one | {"mark": "accept"} for one in ALL]
    given = {"all": accepted, "some": ALL, "readable": accepted[:3]}
    marks = given.get(which, accepted[1:])
    options = f"--store run.db --fail-on {fail_on}".removesuffix("--fail-on ")
    Path("MARKS").write_text(as_jsonl(*marks))
    got, out, err = verify(f"--marks MARKS {options}")
    assert got == int(code)
    number = sum(one["mark"] == "accept" for one in marks)
    assert f"5 failures: {number} accept, " in out
    assert verify(options).code == got
    if not got:
        assert f"left out because of their marks: {len(marks)}\n" in err


NO_MARKS = "1: expected JSON lines, or CSV with columns mark and fen, id or source, f"
DAMAGED = [
    (as_jsonl(SHORT, mark("x", 1, "")), "2: mark: expected one of accept, cook"),
    (as_csv(SHORT, COOKED | {"mark": "Cook"}), "3: mark: expected one of accept, cook"),
    (as_jsonl({"fen": BACK_RANK}), "1: mark: expected accept, cook or re"),
    (as_jsonl(SHORT | {"claim": "2"}), "1: claim: expected a whole number, found"),
    (as_jsonl(SHORT) + "[" * 9999, "2: expected a JSON object, found '[[["),
    ("fen,claim,mark\n8/8,two,cook\n", "2: claim: expected a whole number, found"),
    ("fen,mark\n\n8/8,cook,1\n", "3: expected 2 columns, found 3"),
    ("claim,mark\n2,cook\n", NO_MARKS),
    ("fen,mark\n,cook\n", "2: mark: expected the fen, id or source of its record"),
]


def test_a_damaged_line_ends_the_audit_before_it_begins(verify: Cli) -> None:
    for text, message in DAMAGED:
        Path("MARKS").write_text(text)
        code, out, err = verify("--marks MARKS --store run.db")
        assert (code, out, err.count("\n")) == (65, "", 1)
        assert err.startswith(f"error: MARKS:{message}")
        assert not Path("run.db").exists()
