"""`matesolve check`, and the commands that write certificates."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

import pytest

from solver.certificate import build
from solver.certificate.build import Certification
from solver.checker.mate_proof import MAX_BYTES
from solver.cli import answer_files
from solver.cli.solve import TextAnswers
from solver.errors import BuildingStoppedError
from solver.solving import Solver
from tests.cli.conftest import names, records, rows
from tests.cli.processes import run_and_list_heavy

if TYPE_CHECKING:
    from solver.search.threads import Control
    from tests.cli.conftest import Cli

FEN = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
OTHER = FEN.replace("/8/", "/7p/", 1)
ROOK_MATE = f"""{{"certificate":1,
"fen":"{FEN}",
"attacker":"white",
"mate":{{"moves":3,"nodes":[
["g3h3",{{"h1g1":1}}],
["h3h4",{{"g1f1":2}}],
["h4h1",{{}}]
]}}}}
"""
FORGED = ROOK_MATE.replace('"h1g1":1', "")

PROVED = "proved: mate in 3 by White, and none shorter (17 positions): "
LEFT_OUT = "the proof of mate in 3 is left out: too long"


@pytest.fixture(autouse=True)
def _files(_folder: None) -> None:
    Path("true.json").write_text(ROOK_MATE)
    Path("forged.json").write_text(FORGED)
    Path("damaged.json.gz").write_bytes(gzip.compress(ROOK_MATE.encode())[:-9])
    Path("set.epd").write_text(f'{FEN} dm 3; id "one";\n{FEN} nomate 2;\n')


# --- check


def test_a_line_says_what_is_proved_about_which_position(cli: Cli) -> None:
    line = f"proved: mate in 3 by White (3 positions): {FEN}\n"
    assert cli("check -", stdin=ROOK_MATE) == (0, f"-: {line}", "")
    fault = "mate: node 1: expected a reply that leads to this node, found none"
    error = f"error: forged.json: refused: {fault}\n"
    printed = cli("check forged.json true.json")
    assert printed == (1, f"true.json: {line}", error)


UNREADABLE = """\
error: missing.json: No such file or directory
error: damaged.json.gz: expected intact gzip data, found damage: Compressed file \
ended before the end-of-stream marker was reached
error: big.json: expected at most 268,435,456 bytes, found more
"""


def test_a_missing_damaged_or_large_file_is_reported_in_one_line(cli: Cli) -> None:
    with Path("big.json").open("wb") as big:
        big.truncate(MAX_BYTES + 1)
    ended = cli("check missing.json damaged.json.gz big.json")
    assert ended == (74, "", UNREADABLE)
    assert cli("check true.json forged.json damaged.json.gz").code == 65
    assert cli("check .").code == 74


def test_records_also_contain_the_faults(cli: Cli) -> None:
    code, out, err = cli("check --jsonl true.json forged.json damaged.json.gz")
    assert (code, err) == (65, "")
    true, forged, damaged = records(out)
    assert true == {
        "schema": 1, "file": "true.json", "status": "proved", "fen": FEN,
        "attacker": "white", "mate": 3, "lower_bound": 1, "positions": 3,
    }  # fmt: skip
    assert forged["status"] == "refused"
    assert forged["error"].startswith("mate: node 1: ")
    assert damaged["status"] == "unreadable"
    assert cli("check --json true.json") == (0, f"{json.dumps(true, indent=2)}\n", "")
    assert cli("check --json --jsonl true.json").code == 2


def test_the_checker_loads_neither_numba_nor_rich() -> None:
    printed, heavy = run_and_list_heavy(
        "import sys; from solver.cli.main import run; run(['check', 'true.json']);"
        "print('solver.kernel.build.loader' in sys.modules)"
    )
    assert (heavy, printed.splitlines()[-1]) == ({"chess"}, "False")


# --- the certificates of solve


def test_check_proves_the_certificates_of_solve(cli: Cli) -> None:
    for words, code, line in rows(f"""
        {FEN}      | 0 | {PROVED}{FEN}
        {FEN} -n 2 | 1 | proved: no mate in 2 or fewer moves by White (
        8/7K/8/8/8/8/R7/7k --nodes 3000 | 3 | proved: no mate in
    """):
        ended = cli(f"solve {words} --certificate a.json.gz")
        assert (ended.code, ended.err) == (int(code), "")
        ended = cli("check a.json.gz")
        assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
        assert ended.out.startswith(f"a.json.gz: {line}")


def test_a_claim_for_matebench_is_proved_like_a_certificate(cli: Cli) -> None:
    words = "--certificate claim.json --certificate-format matebench"
    assert cli(f"solve {words}", FEN).code == 0
    claim = json.loads(Path("claim.json").read_text())
    assert (claim["claim"], claim["n"]) == ("minimality", 3)
    assert cli("check claim.json") == (0, f"claim.json: {PROVED}{FEN}\n", "")

    Path("claim.json").write_text(json.dumps(claim | {"n": 4}))
    refused = "error: claim.json: refused: minimality: n: expected 4, found 3\n"
    assert cli("check claim.json") == (1, "", refused)

    cli("verify set.epd -q --certificates proofs --certificate-format matebench")
    claims = [json.loads(file.read_text()) for file in sorted(Path("proofs").iterdir())]
    found = [(one["claim"], one["n"]) for one in claims]
    assert found == [("minimality", 3), ("absence", 2)]


def test_options_about_certificates_are_refused_where_none_is_written(cli: Cli) -> None:
    form = "--certificate-format"
    for words, message in (
        (f"solve {FEN} {form} matebench", f"{form} needs --certificate."),
        (f"improve set.epd -o y.epd {form} matebench", f"{form} needs --certificates."),
        ("solve - --certificate a.json", "verify --certificates"),
    ):
        code, out, err = cli(words)
        assert (code, out, message in err.splitlines()[-1]) == (2, "", True), words


def test_without_any_part_no_file_is_written(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "certify", lambda *_: Certification(None, (LEFT_OUT,)))
    code, _, err = cli("solve --certificate none.json", FEN)
    without = "none.json: not written, because every part is left out"
    assert (code, err.splitlines()) == (3, [f"none.json: {LEFT_OUT}", without])
    assert not Path("none.json").exists()
    code, _, err = cli("verify set.epd --max-claim 3 -q --certificates .")
    assert (code, err.splitlines()[0]) == (0, f"one: {LEFT_OUT}")


@pytest.mark.parametrize("owner", [Solver, TextAnswers])
def test_an_interrupt_before_the_building_names_all_that_is_not_done(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, owner: type
) -> None:
    name = "answer" if owner is Solver else "print"
    done = getattr(owner, name)

    def interrupted(*arguments: Any) -> Any:
        result = done(*arguments)
        os.kill(os.getpid(), signal.SIGINT)
        return result

    monkeypatch.setattr(owner, name, interrupted)
    before = names()
    drawings = ("svg", "pgn", "html")
    besides = " ".join(f"--{name} a.{name}" for name in drawings)
    code, out, err = cli(f"solve --certificate a.json --variations {besides}", FEN)
    missing = [f"a.{name} is not written" for name in drawings]
    missing = ["a.json is not written", "the play is not shown", *missing]
    assert (code, err) == (130, "".join(f"interrupted: {each}\n" for each in missing))
    assert "White mates in 3." in out
    assert names() == before


def test_stopping_the_building_leaves_no_file(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*arguments: Any) -> Certification:
        control: Control = arguments[-1]
        signal.raise_signal(signal.SIGINT)
        while control.reason is None:  # until the main thread handles the signal
            time.sleep(0.001)
        raise BuildingStoppedError

    monkeypatch.setattr(build, "certify", stop)
    monkeypatch.setattr(build, "certify_last", stop)
    code, out, err = cli("solve --certificate none.json", FEN)
    assert (code, err) == (130, "interrupted: none.json is not written\n")
    assert "White mates in 3." in out
    code, _, err = cli("verify set.epd -q --certificates proofs")
    assert (code, err) == (130, "interrupted\n")
    assert (names("proofs"), Path("none.json").exists()) == ([], False)


# --- the certificates of verify

COLLECTION = f"""\
{FEN} dm 3; id "a/b: c";
{FEN} dm 3; id "A-B-C";
{FEN} nomate 1; id "../..";
8/8/8/8/8/8/8/8 w - -
{FEN} dm 3;
"""


def test_verify_writes_a_certificate_for_each_answer_and_compresses_what_is_large(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_files, "LARGE_BYTES", 300)
    Path("set.epd").write_text(COLLECTION)
    code, _, err = cli("verify set.epd -q --certificates new/proofs")
    assert code == 65
    assert err.startswith("error: set.epd:4: ")
    stems = ["A-B-C-2.json", "a-b-c.json", "position.json", "set.epd-5.json"]
    written = names("new/proofs")
    assert [name.removesuffix(".gz") for name in written] == stems
    assert [name for name in written if not name.endswith(".gz")] == ["position.json"]
    ended = cli("check --jsonl", *(f"new/proofs/{name}" for name in written))
    assert (ended.code, ended.err) == (0, "")
    bounds = [(record["mate"], record["lower_bound"]) for record in records(ended.out)]
    assert bounds == [(3, 3), (3, 3), (None, 2), (3, 3)]
    error = "error: true.json: expected a folder, found a file\n"
    assert cli("verify set.epd --certificates true.json") == (74, "", error)


def proofs() -> dict[str, str]:
    """The positions of the certificates in a folder, by their names."""
    files = Path("proofs").iterdir()
    return {file.name: json.loads(file.read_bytes())["fen"] for file in files}


def test_answers_that_are_not_searched_have_no_certificate_and_are_counted(
    cli: Cli,
) -> None:
    Path("set.epd").write_text(f'{FEN} dm 3; id "one";\n' * 3)
    words = "verify set.epd -q --store run.db --certificates proofs"
    first = cli(f"{words} -j 2")
    Path("proofs/one.json").unlink()
    again = cli(words)
    fresh = cli(f"{words} --fresh")
    without = "without a certificate, because they"
    repeated = f"2 {without} repeat the question of an earlier record\n"
    stored = "1 without a certificate, because their answers are from the store\n"
    assert first == fresh == (0, "", repeated)
    assert again == (0, "", stored + repeated)
    assert proofs() == {"one.json": FEN}


def test_an_audit_that_resumes_overwrites_no_certificate_of_another_record(
    cli: Cli,
) -> None:
    rows = [f'{FEN} dm 3; id "same";\n', f'{OTHER} dm 3; id "same";\n']
    Path("set.epd").write_text("".join(rows))
    words = "verify set.epd -q --store run.db --certificates proofs"
    cli(words)
    before = proofs()
    assert before == {"same.json": FEN, "same-2.json": OTHER}
    with closing(sqlite3.connect("run.db")) as base:
        key = "SELECT key FROM records WHERE line = 2"
        base.execute(f"DELETE FROM answers WHERE key = ({key})")
        base.commit()
    cli(words)
    assert proofs() == before


def test_any_name_becomes_the_name_of_a_file() -> None:
    for name, stem in (
        ("../..", "position"),
        ("", "position"),
        ("e\u0301tude", "\u00e9tude"),
        ("CON", "_CON"),
        ("nul.epd", "_nul.epd"),
        ("com\u00b9", "_com\u00b9"),
        ("end. ", "end"),
        ("a\u202eb\0c\nd\ud800e", "a-b-c-d-e"),
        ("詰" * 300, "詰" * 53),
    ):
        assert answer_files.file_stem(name) == stem
        assert PureWindowsPath(f"{stem}.json").name == f"{stem}.json"
        Path(f".{stem}-1000000.json.gz.part1").touch()
