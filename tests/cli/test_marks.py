"""`verify --marks`: an editor's decisions beside the verdicts, and in the store."""

from __future__ import annotations

import csv
import gzip
import json
from typing import TYPE_CHECKING

import pytest

from solver.audit.store import Store
from solver.cli.main import run
from solver.output.audit_records import audit_record, read_record

if TYPE_CHECKING:
    from pathlib import Path

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
ROOKS = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
HELP = "8/8/8/8/8/2k5/3R4/K7 b - - 0 1"
PROBLEMS = f"""\
{BACK_RANK} dm 1; id "fine";
{BACK_RANK} dm 2; id "short";
{ROOKS} dm 2; bm Ra7; id "cooked";
{ROOKS} nomate 2; id "there is one";
hello
world
"""
HOSTILE = '=cmd|"<script>\\x1b[2J</script>"\n,'


def record_of(line: int) -> dict[str, str]:
    """Return place and name of a record of `PROBLEMS`."""
    names = ["fine", "short", "cooked", "there is one"]
    source = f"problems.epd:{line}"
    return {"id": dict(enumerate(names, 1)).get(line, source), "source": source}


def mark(word: str, fen: str, **others: object) -> dict[str, object]:
    """Return a line of the page's export."""
    fields = dict.fromkeys(("stipulation", "claim", "nomate"))
    names = {"note": HOSTILE, **record_of(2)}
    return {"schema": 1, "fen": fen, **fields, **names, "mark": word, **others}


SHORT = mark("accept", BACK_RANK, claim=2)
COOKED = mark("cook", ROOKS, claim=2, note="", **record_of(3))
THERE = mark("reject", ROOKS, nomate=2, **record_of(4))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "problems.epd").write_text(PROBLEMS)
    return tmp_path


def as_jsonl(*marks: dict[str, object]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in marks)


def as_csv(*marks: dict[str, object]) -> str:
    """Return the page's other export: a row is one line."""
    names = ("fen", "stipulation", "claim", "nomate", "id", "source", "mark", "note")
    rows = [
        [str(one[name] or "").replace("\n", " ") for name in names] for one in marks
    ]
    quoted = [
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows
    ]
    return "\r\n".join([",".join(names), *quoted, ""])


def verify(capfd: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = run(["verify", "problems.epd", "--keys", *options])
    return code, *capfd.readouterr()


def marks_of(out: str) -> list[str | None]:
    return [json.loads(line).get("mark") for line in out.splitlines()]


@pytest.mark.parametrize("write", [as_jsonl, as_csv])
def test_marks_are_printed_beside_the_verdicts(
    folder: Path, capfd: pytest.CaptureFixture[str], write: object
) -> None:
    plain, *_ = verify(capfd)
    assert callable(write)
    (folder / "MARKS").write_bytes(gzip.compress(write(SHORT, COOKED).encode()))
    code, out, err = verify(capfd, "--marks", "MARKS")
    assert code == plain == 65
    assert "\n5 failures: 1 accept, 1 cook, 0 reject, 3 unmarked\n" in out
    short, cooked, there = out.partition("problems.epd:2: ")[2].split("problems.epd:")
    note = '=cmd|"<script>\\x1b[2J</script>" ,'
    assert f"\n  mark: accept\n  note: {note}\n" in short
    assert "\n  mark: cook\n" in cooked
    assert "note" not in cooked
    assert "mark" not in there
    assert "match no record" not in err
    assert "failures left out because of their marks: 1\n" in err
    _, out, _ = verify(capfd, "--marks", "MARKS", "--jsonl")
    assert marks_of(out) == [None, "accept", "cook", None, None, None]


def test_an_audit_without_marks_says_nothing_of_them(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert "mark" not in verify(capfd)[1]


def export_marks(path: Path) -> None:
    """Export the store; a line of JSON without a mark would be no mark."""
    assert run(["export", "run.db", "-o", str(path)]) == 0
    if path.suffix == ".jsonl":
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if '"mark":' in line))


def test_a_store_keeps_them_for_the_next_audit_and_new_ones_replace_them(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "first").write_text(as_jsonl(SHORT, COOKED))
    (folder / "second").write_text(as_csv(COOKED | {"mark": "reject"}, THERE))
    verify(capfd, "--marks", "first", "--store", "run.db")
    _, out, _ = verify(capfd, "--store", "run.db", "--jsonl")
    assert marks_of(out) == [None, "accept", "cook", None, None, None]
    expected = [None, "accept", "reject", "reject", None, None]
    verify(capfd, "--marks", "second", "--store", "run.db", "-q")
    monkeypatch.setattr("solver.audit.store.__version__", "9.0.0")
    for options in ((), ("--fresh",)):  # another version, then no answers at all
        _, out, _ = verify(capfd, "--store", "run.db", "--jsonl", *options)
        assert marks_of(out) == expected
    for name in ("all.csv", "all.jsonl"):
        export_marks(folder / name)
        _, out, _ = verify(capfd, "--marks", name, "--jsonl")
        assert marks_of(out) == expected
    with (folder / "all.csv").open(newline="") as file:
        marks = [row["mark"] or None for row in csv.DictReader(file)]
    assert marks == expected
    with Store("run.db", read_only=True) as store:
        results = list(store.results())
    assert [result.mark for result in results] == expected
    assert [read_record(audit_record(one)).mark for one in results] == expected


@pytest.mark.parametrize("write", [as_jsonl, as_csv])
def test_an_empty_mark_takes_an_earlier_one_back(
    folder: Path, capfd: pytest.CaptureFixture[str], write: object
) -> None:
    assert callable(write)
    (folder / "first").write_text(as_jsonl(SHORT, COOKED))
    (folder / "second").write_text(write(SHORT | {"mark": ""}))
    verify(capfd, "--marks", "first", "--store", "run.db")
    for options in (("--marks", "second"), ()):
        _, out, err = verify(capfd, "--store", "run.db", "--jsonl", *options)
        assert marks_of(out) == [None, None, "cook", None, None, None]
        assert "match no record" not in err
    with Store("run.db", read_only=True) as store:
        assert [one.mark for one in store.results() if one.mark] == ["cook"]


def test_a_mark_belongs_to_one_record(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    others = [
        THERE | {"fen": None},  # of a record that could not be read
        mark("accept", BACK_RANK, **record_of(1)),
        mark("accept", BACK_RANK, claim=3),
        mark("accept", BACK_RANK, claim=2, stipulation="s#2"),
        COOKED | {"id": "another"},
        COOKED | {"source": "problems.epd:4"},
        COOKED | {"source": "elsewhere/problems.epd:3"},
        COOKED | {"stipulation": "", "mark": "reject"},  # the last one counts
        mark("cook", "", **record_of(6)) | {"fen": None},
    ]
    (folder / "MARKS").write_text(as_jsonl(*others))
    _, out, err = verify(capfd, "--marks", "MARKS", "--jsonl", "--store", "run.db")
    expected = [None, None, "reject", None, None, "cook"]
    assert marks_of(out) == expected
    assert "MARKS: marks that match no record: 6\n" in err
    with Store("run.db", read_only=True) as store:
        assert [result.mark for result in store.results()] == expected
    assert run(["export", "run.db", "-o", "run.jsonl"]) == 0
    assert marks_of((folder / "run.jsonl").read_text()) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"fen,mark\n{BACK_RANK},cook\n", ["cook", "cook", None, None, None, None]),
        (f"fen,claim,mark\n{BACK_RANK},2,cook\n", [None, "cook", *[None] * 4]),
        ("source,mark\nproblems.epd:5,cook\n", [*[None] * 4, "cook", None]),
        ("id,mark,note\nfine,cook,\n", ["cook", *[None] * 5]),
        (as_jsonl({"id": "fine", "mark": "cook"}), ["cook", *[None] * 5]),
    ],
)
def test_a_mark_with_fewer_values_belongs_to_all_records_that_have_them(
    folder: Path, capfd: pytest.CaptureFixture[str], text: str, expected: list[str]
) -> None:
    (folder / "MARKS").write_text(text)
    _, out, err = verify(capfd, "--marks", "MARKS", "--jsonl")
    assert marks_of(out) == expected
    assert "match no record" not in err


def test_files_without_notes_are_read(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    line = {name: value for name, value in SHORT.items() if name != "note"}
    (folder / "MARKS").write_text(as_jsonl(line))
    verify(capfd, "--marks", "MARKS", "--store", "run.db")
    with Store("run.db", read_only=True) as store:
        (marked,) = (one for one in store.results() if one.mark)
    assert (marked.mark, marked.note) == ("accept", None)


@pytest.mark.parametrize("write", [as_jsonl, as_csv])
def test_a_note_is_stored_exported_and_read_back(
    folder: Path, capfd: pytest.CaptureFixture[str], write: object
) -> None:
    assert callable(write)
    (folder / "MARKS").write_text(write(COOKED | {"note": 'see "Loyd", 1858'}))
    verify(capfd, "--marks", "MARKS", "--store", "run.db")
    for name in ("all.csv", "all.jsonl"):
        export_marks(folder / name)
        _, out, _ = verify(capfd, "--marks", name, "--jsonl")
        assert json.loads(out.splitlines()[2])["note"] == 'see "Loyd", 1858'


ALL = [
    SHORT,
    COOKED,
    THERE,
    *(mark("accept", "", **record_of(line)) | {"fen": None} for line in (5, 6)),
]


def accepted(*marks: dict[str, object]) -> list[dict[str, object]]:
    return [one | {"mark": "accept"} for one in marks]


@pytest.mark.parametrize(
    ("marks", "options", "code"),
    [
        (accepted(*ALL), [], 0),
        (accepted(*ALL), ["--fail-on", "unmarked"], 0),
        (ALL, ["--fail-on", "unmarked"], 0),
        (ALL, [], 1),  # called a cook, not accepted
        (ALL, ["--fail-on", "cooked,unmarked"], 0),
        (accepted(*ALL[:3]), [], 65),
        (accepted(*ALL[:3]), ["--fail-on", "unmarked"], 65),
        (accepted(*ALL[1:]), ["--fail-on", "unmarked"], 1),
        (accepted(*ALL[1:]), ["--fail-on", "cooked,unmarked"], 0),
        (accepted(*ALL[1:]), ["--fail-on", "shorter,unmarked"], 1),
    ],
)
def test_an_audit_succeeds_if_every_failure_is_accepted(
    folder: Path,
    capfd: pytest.CaptureFixture[str],
    marks: list[dict[str, object]],
    options: list[str],
    code: int,
) -> None:
    (folder / "MARKS").write_text(as_jsonl(*marks))
    got, out, err = verify(capfd, "--marks", "MARKS", "--store", "run.db", *options)
    assert got == code
    number = sum(one["mark"] == "accept" for one in marks)
    assert f"5 failures: {number} accept, " in out
    assert verify(capfd, "--store", "run.db", *options)[0] == code
    if not code:
        left_out = len(marks) if "cooked,unmarked" not in options else 3
        assert f"left out because of their marks: {left_out}\n" in err


def test_an_accepted_record_that_is_undecided_changes_no_exit_code(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "problems.epd").write_text("8/7K/8/8/8/8/R7/7k w - - dm 8;\n")
    limit = ("--nodes", "100")
    assert verify(capfd, *limit)[0] == 3
    (folder / "MARKS").write_text("source,mark\nproblems.epd:1,accept\n")
    assert verify(capfd, *limit, "--marks", "MARKS")[0] == 0


def test_a_composition_has_the_mark_of_its_stipulation(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    problem = {"id": "", "fen": HELP, "stipulation": "h#1", "claimed_solutions": 3}
    (folder / "problems.epd").write_text(as_jsonl(problem))
    _, out, _ = verify(capfd, "--jsonl", "--store", "run.db")
    record = json.loads(out)
    (folder / "MARKS").write_text(as_jsonl(record | {"mark": "accept"}))
    verify(capfd, "--marks", "MARKS", "--store", "run.db")
    assert marks_of(verify(capfd, "--jsonl", "--store", "run.db")[1]) == ["accept"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            as_jsonl(SHORT, COOKED, mark("x", HELP)),
            "3: mark: expected one of accept, cook",
        ),
        (
            as_csv(SHORT, COOKED | {"mark": "Cook"}),
            "3: mark: expected one of accept, cook",
        ),
        (as_jsonl({"fen": BACK_RANK}), "1: mark: expected accept, cook or re"),
        (as_jsonl(SHORT | {"schema": 2}), "1: schema: expected 1, found '2'"),
        (as_jsonl(SHORT | {"claim": "2"}), "1: claim: expected a whole number, found"),
        (as_jsonl(SHORT | {"stipulation": "z#2"}), "1: stipulation: expected"),
        (as_jsonl(SHORT) + '{"fen": "8/', "2: expected a JSON object, found '{"),
        (as_jsonl(SHORT) + "[" * 9999, "2: expected a JSON object, found '[[["),
        ("fen,claim,mark\n8/8,two,cook\n", "2: claim: expected a whole number, found"),
        ("fen,mark\n\n8/8,cook,1\n", "3: expected 2 columns, found 3"),
        ('fen,mark\n"8/8,cook\n', "2: "),
        (
            "fen;mark\n",
            "1: expected JSON lines, or CSV with columns mark and fen, id or source, f",
        ),
        (PROBLEMS, "1: expected JSON lines, or CSV with columns mark and fen, id or"),
        ("claim,mark\n2,cook\n", "1: expected JSON lines, or CSV with columns mark"),
        ("fen,mark\n,cook\n", "2: mark: expected the fen, id or source of its record"),
    ],
)
def test_a_damaged_line_ends_the_audit_before_it_begins(
    folder: Path, capfd: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (folder / "MARKS").write_text(text)
    code, out, err = verify(capfd, "--marks", "MARKS", "--store", "run.db")
    assert (code, out, err.count("\n")) == (65, "", 1)
    assert err.startswith(f"error: MARKS:{message}")
    assert not (folder / "run.db").exists()


def test_marks_are_an_input_that_is_not_overwritten(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code, _, err = verify(capfd, "--marks", "run.db", "--store", "run.db")
    assert (code, "expected an output that is not an input" in err) == (2, True)
