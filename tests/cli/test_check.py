"""`matesolve check`, and the commands that write certificates."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any

import pytest

from solver.audit.results import AuditResult
from solver.certificate import build
from solver.certificate import build as latest
from solver.certificate.build import BuildingStoppedError, Certification, write
from solver.checker.mate_proof import MAX_BYTES
from solver.cli import answer_files as certificates
from solver.cli.answer_files import CertificateFolder
from solver.cli.main import run
from solver.cli.solve import TextAnswers
from solver.problem import Problem
from solver.solving import Solver
from tests.cli.conftest import without_summaries
from tests.cli.processes import process, run_and_list_heavy
from tests.cpu_time import spending_less_than

if TYPE_CHECKING:
    from solver.search.threads import Control
    from solver.search.workspaces import Workspace
    from solver.solution import Solution
    from tests.cli.conftest import Matesolve

FEN = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
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
LONG = "8/8/8/8/8/5K2/8/r6k b - - 0 1"
"""Mate in 14: quick to solve, slow to certify."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "true.json").write_text(ROOK_MATE)
    (tmp_path / "forged.json").write_text(FORGED)
    (tmp_path / "damaged.json.gz").write_bytes(gzip.compress(ROOK_MATE.encode())[:-9])
    return tmp_path


def outcome_of(
    capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    """Run the command in this process."""
    code = run(arguments)
    printed = capsys.readouterr()
    return code, printed.out, without_summaries(printed.err)


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_line_says_what_is_proved_about_which_position(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = f"true.json: proved: mate in 3 by White (3 positions): {FEN}\n"
    assert outcome_of(capsys, "check", "true.json") == (0, line, "")


def test_a_forgery_is_reported_with_its_node_and_other_files_are_checked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = outcome_of(capsys, "check", "forged.json", "true.json")
    assert code == 1
    assert out.startswith("true.json: proved: ")
    assert err == (
        "error: forged.json: refused: "
        "mate: node 1: expected a reply that leads to this node, found none\n"
    )


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (("true.json", "forged.json", "damaged.json.gz"), 65),
        (("damaged.json.gz", "missing.json", "forged.json"), 74),
        (("missing.json",), 74),
        ((".",), 74),
    ],
)
def test_the_most_serious_fault_decides_the_exit_code(
    capsys: pytest.CaptureFixture[str], files: tuple[str, ...], code: int
) -> None:
    assert outcome_of(capsys, "check", *files)[0] == code


def test_a_missing_or_damaged_file_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, err = outcome_of(capsys, "check", "missing.json", "damaged.json.gz")
    assert out == ""
    assert err.splitlines() == [
        "error: missing.json: No such file or directory",
        "error: damaged.json.gz: expected intact gzip data, found damage: "
        "Compressed file ended before the end-of-stream marker was reached",
    ]


def test_records_also_contain_the_faults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = outcome_of(
        capsys, "check", "--jsonl", "true.json", "forged.json", "damaged.json.gz"
    )
    assert (code, err) == (65, "")
    true, forged, damaged = records(out)
    assert true == {
        "schema": 1,
        "file": "true.json",
        "status": "proved",
        "fen": FEN,
        "attacker": "white",
        "mate": 3,
        "lower_bound": 1,
        "positions": 3,
    }
    assert forged["status"] == "refused"
    assert forged["error"].startswith("mate: node 1: ")
    assert damaged["status"] == "unreadable"


def test_json_is_indented(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome_of(capsys, "check", "--json", "true.json")
    assert code == 0
    assert out.startswith('{\n  "schema": 1,\n  "file": "true.json",\n')


def test_json_and_jsonl_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome_of(capsys, "check", "--json", "--jsonl", "true.json")[0] == 2


def test_a_dash_is_standard_input(matesolve: Matesolve) -> None:
    ended = matesolve("check", "-", stdin=ROOK_MATE)
    assert ended.code == 0
    assert ended.out.startswith("-: proved: mate in 3 by White")


def test_the_checker_loads_neither_numba_nor_rich(folder: Path) -> None:
    program = (
        "from solver.cli.main import run\n"
        f"run(['check', {str(folder / 'true.json')!r}])\n"
        "import sys\n"
        "loader = 'solver.kernel.build.loader'\n"
        "print('kernel' if loader in sys.modules else 'no kernel')"
    )
    printed, heavy = run_and_list_heavy(program)
    assert heavy == {"chess"}
    assert printed.endswith("no kernel\n")


@pytest.mark.parametrize("name", ["proof.json", "proof.json.gz"])
def test_check_proves_the_certificates_of_solve(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    code, out, err = outcome_of(capsys, "solve", FEN, "--certificate", name)
    assert (code, err) == (0, "")
    assert "White mates in 3." in out
    line = (
        f"{name}: proved: mate in 3 by White, and none shorter (17 positions): {FEN}\n"
    )
    assert outcome_of(capsys, "check", name) == (0, line, "")


def test_no_mate_within_the_given_moves_is_certified(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert (
        outcome_of(capsys, "solve", FEN, "-n", "2", "--certificate", "no.json")[0] == 1
    )
    code, out, _ = outcome_of(capsys, "check", "no.json")
    assert code == 0
    assert out.startswith("no.json: proved: no mate in 2 or fewer moves by White (")


def test_a_search_stopped_by_a_limit_certifies_its_bounds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seed = "8/7K/8/8/8/8/R7/7k"
    arguments = ("--nodes", "3000", "--certificate", "some.json")
    assert outcome_of(capsys, "solve", seed, *arguments)[0] == 3
    code, out, _ = outcome_of(capsys, "check", "some.json")
    assert code == 0
    assert out.startswith("some.json: proved: no mate in ")


def test_a_claim_for_matebench_is_proved_like_a_certificate(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    words = ("--certificate", "claim.json", "--certificate-format", "matebench")
    assert outcome_of(capsys, "solve", FEN, *words)[0] == 0
    claim = json.loads((folder / "claim.json").read_text())
    assert (claim["claim"], claim["n"]) == ("minimality", 3)
    line = "claim.json: proved: mate in 3 by White, and none shorter (17 positions): "
    assert outcome_of(capsys, "check", "claim.json") == (0, f"{line}{FEN}\n", "")

    (folder / "claim.json").write_text(json.dumps(claim | {"n": 4}))
    refused = "error: claim.json: refused: minimality: n: expected 4, found 3\n"
    assert outcome_of(capsys, "check", "claim.json") == (1, "", refused)


def test_the_files_of_verify_are_lines_of_a_claims_file(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "set.epd").write_text(f'{FEN} dm 3; id "one";\n{FEN} nomate 2;\n')
    words = ("--certificates", "proofs", "--certificate-format", "matebench")
    outcome_of(capsys, "verify", "set.epd", "-q", *words)
    files = sorted((folder / "proofs").iterdir())
    claims = [json.loads(file.read_text()) for file in files]
    assert [(one["claim"], one["n"]) for one in claims] == [
        ("minimality", 3),
        ("absence", 2),
    ]


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (("solve", FEN), "--certificate"),
        (("verify", "set.epd"), "--certificates"),
        (("improve", "set.epd", "-o", "better.epd"), "--certificates"),
    ],
)
def test_a_format_without_certificates_is_refused(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], needed: str
) -> None:
    code, out, err = outcome_of(capsys, *words, "--certificate-format", "matebench")
    assert (code, out) == (2, "")
    assert err.endswith(f"Error: --certificate-format needs {needed}.\n")


def test_without_any_part_no_file_is_written(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave_out(*_: object) -> Certification:
        return Certification(None, ("the proof of mate in 3 is left out: too long",))

    monkeypatch.setattr(latest, "certify", leave_out)
    code, out, err = outcome_of(capsys, "solve", FEN, "--certificate", "none.json")
    assert code == 3
    assert "White mates in 3." in out
    assert err.splitlines() == [
        "none.json: the proof of mate in 3 is left out: too long",
        "none.json: not written, because every part is left out",
    ]
    assert not (folder / "none.json").exists()


def test_stopping_the_building_leaves_no_file(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> Certification:
        raise BuildingStoppedError

    monkeypatch.setattr(latest, "certify", stop)
    code, out, err = outcome_of(capsys, "solve", FEN, "--certificate", "none.json")
    assert (code, err) == (130, "interrupted: none.json is not written\n")
    assert "White mates in 3." in out
    assert not (folder / "none.json").exists()


BESIDES = (
    *("--certificate", "none.json", "--variations", "--svg", "none.svg"),
    *("--pgn", "none.pgn", "--html", "none.html"),
)
NOT_DONE = """\
interrupted: none.json is not written
interrupted: the play is not shown
interrupted: none.svg is not written
interrupted: none.pgn is not written
interrupted: none.html is not written
"""


@pytest.mark.parametrize("owner", [Solver, TextAnswers])
def test_an_interrupt_before_the_building_names_all_that_is_not_done(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    owner: type,
) -> None:
    name = "answer" if owner is Solver else "print"
    done = getattr(owner, name)

    def interrupted(*arguments: Any) -> Any:
        result = done(*arguments)
        os.kill(os.getpid(), signal.SIGINT)
        return result

    monkeypatch.setattr(owner, name, interrupted)
    before = sorted(folder.iterdir())
    code, out, err = outcome_of(capsys, "solve", FEN, *BESIDES)
    assert (code, err) == (130, NOT_DONE)
    assert "White mates in 3." in out
    assert sorted(folder.iterdir()) == before


def test_one_certificate_is_for_one_position(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, err = outcome_of(capsys, "solve", "-", "--certificate", "proof.json")
    assert code == 2
    assert "verify --certificates" in err


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_the_building_without_a_file(folder: Path) -> None:
    path = folder / "long.json"
    with process("solve", LONG, "--first", "--certificate", str(path)) as running:
        assert running.stdout is not None
        while "nodes in" not in running.stdout.readline():  # the answer's last line
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, err = running.communicate()
    # Before the building begins, Ctrl-C ends the command as usual.
    assert err in {"interrupted\n", f"interrupted: {path} is not written\n"}
    assert running.returncode == 130
    assert sorted(file.name for file in folder.iterdir()) == [
        "damaged.json.gz",
        "forged.json",
        "true.json",
    ]


COLLECTION = f"""\
{FEN} dm 3; id "a/b: c";
{FEN} dm 3; id "A-B-C";
{FEN} nomate 2; id "../..";
8/8/8/8/8/8/8/8 w - -
{FEN} dm 3;
"""


def test_verify_writes_a_certificate_for_each_answer(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "set.epd").write_text(COLLECTION)
    code, _, err = outcome_of(
        capsys, "verify", "set.epd", "-q", "--certificates", "new/proofs"
    )
    assert code == 65
    assert err.startswith("error: set.epd:4: ")
    written = sorted(file.name for file in (folder / "new/proofs").iterdir())
    assert written == ["A-B-C-2.json", "a-b-c.json", "position.json", "set.epd-5.json"]
    files = [f"new/proofs/{name}" for name in written]
    code, out, err = outcome_of(capsys, "check", "--jsonl", *files)
    assert (code, err) == (0, "")
    bounds = [(record["mate"], record["lower_bound"]) for record in records(out)]
    assert bounds == [(3, 3), (3, 3), (None, 3), (3, 3)]


def proofs(folder: Path) -> dict[str, str]:
    """The positions of the certificates in a folder, by their names."""
    return {
        file.name: json.loads(file.read_bytes())["fen"]
        for file in (folder / "proofs").iterdir()
    }


OTHER = FEN.replace("/8/", "/7p/", 1)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_answers_that_are_not_searched_have_no_certificate_and_are_counted(
    capsys: pytest.CaptureFixture[str], folder: Path, jobs: str
) -> None:
    (folder / "set.epd").write_text(f'{FEN} dm 3; id "one";\n' * 3)
    words = ("verify", "set.epd", "-q", "--store", "run.db", "--certificates", "proofs")

    first = outcome_of(capsys, *words, "-j", jobs)
    (folder / "proofs" / "one.json").unlink()
    again = outcome_of(capsys, *words, "-j", jobs)
    fresh = outcome_of(capsys, *words, "--fresh", "-j", jobs)

    without = "without a certificate, because they"
    repeated = f"2 {without} repeat the question of an earlier record\n"
    stored = "1 without a certificate, because their answers are from the store\n"
    assert first == fresh == (0, "", repeated)
    assert again == (0, "", stored + repeated)
    assert proofs(folder) == {"one.json": FEN}


@pytest.mark.parametrize("line", [1, 2])
def test_an_audit_that_resumes_overwrites_no_certificate_of_another_record(
    capsys: pytest.CaptureFixture[str], folder: Path, line: int
) -> None:
    rows = [f'{FEN} dm 3; id "same";\n', f'{OTHER} dm 3; id "same";\n']
    (folder / "set.epd").write_text("".join(rows))
    words = ("verify", "set.epd", "-q", "--store", "run.db", "--certificates", "proofs")
    outcome_of(capsys, *words)
    before = proofs(folder)
    assert before == {"same.json": FEN, "same-2.json": OTHER}

    with closing(sqlite3.connect("run.db")) as base:
        key = f"SELECT key FROM records WHERE line = {line}"
        base.execute(f"DELETE FROM answers WHERE key = ({key})")
        base.commit()
    outcome_of(capsys, *words)

    assert proofs(folder) == before


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a/b: c", "a-b-c"),
        ("../..", "position"),
        ("", "position"),
        ("()?", "position"),
        ("Мат в 2", "Мат-в-2"),
        ("Schö\u0308n", "Sch\u00f6\u0308n"),
        ("e\u0301tude", "\u00e9tude"),
        ("詰将棋", "詰将棋"),
        ("CON", "_CON"),
        ("nul.epd", "_nul.epd"),
        ("com\u00b9", "_com\u00b9"),
        ("COM10", "COM10"),
        ("icon", "icon"),
        ("end. ", "end"),
        ('<>:"/\\|?*', "position"),
        ("a\u202eb\0c\nd\ud800e", "a-b-c-d-e"),
        ("x" * 300, "x" * 80),
        ("詰" * 300, "詰" * 53),
    ],
)
def test_any_name_becomes_the_name_of_a_file(
    name: str, stem: str, tmp_path: Path
) -> None:
    assert certificates.file_stem(name) == stem
    assert PureWindowsPath(f"{stem}.json").name == f"{stem}.json"
    (tmp_path / f".{stem}-1000000.json.gz.part1").touch()


def test_names_are_chosen_in_the_order_of_the_records_and_in_linear_time(
    tmp_path: Path,
) -> None:
    path = tmp_path / "proofs"
    folder = CertificateFolder(str(path), print)
    problems = [
        Problem(FEN, name, source=f"x:{number}")
        for number in range(4000)
        for name in ("шаг", "Шаг", "?", "!", "position-2")
    ]
    with spending_less_than(cpu_s=5):
        assert [*folder.name(problems)] == problems
    result = AuditResult("!", "x:3999", FEN, certificate=b"{}")
    folder.add(result)
    assert [file.name for file in path.iterdir()] == ["position-8000.json"]


def test_verify_compresses_what_is_large(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(certificates, "LARGE_BYTES", 300)
    (folder / "set.epd").write_text(f'{FEN} dm 3; id "one";\n{FEN} nomate 1;\n')
    outcome_of(capsys, "verify", "set.epd", "-q", "--certificates", "proofs")
    written = sorted(file.name for file in (folder / "proofs").iterdir())
    assert written == ["one.json.gz", "set.epd-2.json"]
    assert outcome_of(capsys, "check", "proofs/one.json.gz")[0] == 0


def test_a_certificate_that_cannot_be_written_does_not_affect_others(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_first(data: bytes, path: Path) -> None:
        if path.name == "one.json":
            raise OSError(28, "No space left on device", str(path))
        write(data, path)

    monkeypatch.setattr(build, "write", fail_first)
    (folder / "set.epd").write_text(f'{FEN} dm 3; id "one";\n{FEN} dm 3;\n')
    code, out, err = outcome_of(capsys, "verify", "set.epd", "--certificates", "proofs")
    assert (code, err) == (74, "error: proofs/one.json: No space left on device\n")
    assert "all" in out
    assert [file.name for file in (folder / "proofs").iterdir()] == ["set.epd-2.json"]


def test_parts_that_are_left_out_are_reported_by_name(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave_out(*_: object) -> Certification:
        return Certification(None, ("the proof of mate in 3 is left out: too long",))

    monkeypatch.setattr(latest, "certify", leave_out)
    (folder / "set.epd").write_text(f'{FEN} dm 3; id "one";\n')
    code, _, err = outcome_of(capsys, "verify", "set.epd", "-q", "--certificates", ".")
    assert (code, err) == (0, "one: the proof of mate in 3 is left out: too long\n")


def test_a_stopped_audit_writes_no_more_certificates(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(
        _solution: Solution, _workspace: Workspace, control: Control
    ) -> Certification:
        signal.raise_signal(signal.SIGINT)
        while control.reason is None:  # until the main thread handles the signal
            time.sleep(0.001)
        raise BuildingStoppedError

    monkeypatch.setattr(latest, "certify_last", stop)
    (folder / "set.epd").write_text(f"{FEN} dm 3;\n")
    code, _, err = outcome_of(
        capsys, "verify", "set.epd", "-q", "--certificates", "proofs"
    )
    assert (code, err) == (130, "interrupted\n")
    assert not list((folder / "proofs").iterdir())


def test_certificates_of_verify_need_a_folder(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (Path("set.epd")).write_text(f"{FEN} dm 3;\n")
    code, out, err = outcome_of(
        capsys, "verify", "set.epd", "--certificates", "true.json"
    )
    assert (code, out) == (74, "")
    assert err == "error: true.json: expected a folder, found a file\n"


def test_a_file_over_the_limit_is_refused_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (folder / "big.json").open("wb") as big:
        big.truncate(MAX_BYTES + 1)
    assert outcome_of(capsys, "check", "big.json") == (
        65, "", "error: big.json: expected at most 268,435,456 bytes, found more\n"
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ['""', '"h1g1"'])
def test_the_largest_file_of_repeated_names_is_refused(
    name: str, folder: Path, matesolve: Matesolve
) -> None:
    pair = f"{name}:0"
    names = ",".join([pair] * ((MAX_BYTES - 2) // (len(pair) + 1)))
    (folder / "big.json").write_text(f"{{{names}}}")
    # About 25 s and 4.2 GiB for Python's own list of names.
    ended = matesolve("check", str(folder / "big.json"))
    found = name.replace('"', "'")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.endswith(f"once, found {found} repeated\n")
    assert ended.err.count("\n") == 1
