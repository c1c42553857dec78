"""The installed command does what it is for: `python -m pytest -m smoke`, in seconds.

`tools/release.py` runs these tests against each package before it is published. They
need pytest alone, and start the command from a new folder.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import sysconfig
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING, NamedTuple

import pytest

import solver
from solver.kernel.border.parts import PARTS
from tests.processes import run, started
from tools.samples import sample_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.smoke, pytest.mark.usefixtures("kernel")]

ROOT = Path(__file__).parents[1]
COMMAND = shutil.which("matesolve", path=sysconfig.get_path("scripts"))

SMOTHERED = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
"""A mate in two with one key, Qg8+."""

ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
"""A mate in eight, as every endgame table says."""

LONG = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
"""No mate is found within a thousand nodes."""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def folder() -> Iterator[Path]:
    """The current folder of each test: new, with puzzles and docs of the project."""
    with sample_folder() as path:
        yield path


def matesolve(*words: str, stdin: str = "") -> Ended:
    """Run the installed command in the current folder."""
    assert COMMAND, f"expected a command matesolve in {sysconfig.get_path('scripts')}"
    done = run([COMMAND, *words], stdin=stdin, encoding="utf-8")
    return Ended(done.returncode, done.stdout, done.stderr)


def test_the_command_has_the_version_of_the_package() -> None:
    version = importlib.metadata.version("matesolve")
    assert solver.__version__ == version
    assert matesolve("--version") == (0, f"matesolve {version}\n", "")


def test_each_answer_has_its_exit_code(folder: Path) -> None:
    position = " ".join(SMOTHERED.split()[:4])
    (folder / "true.epd").write_text(f"{position} dm 2;\n", encoding="utf-8")
    (folder / "false.epd").write_text(f"{position} dm 1;\n", encoding="utf-8")
    (folder / "broken.epd").write_text("no position\n", encoding="utf-8")
    for words, code in (
        (["check", "docs/reference/example.json"], 0),
        (["verify", "true.epd", "false.epd"], 1),
        (["solve", "--no-such-option"], 2),
        (["solve", LONG, "--nodes", "1000"], 3),
        (["verify", "broken.epd"], 65),
        (["verify", "missing.epd"], 74),
    ):
        assert matesolve(*words).code == code, words


def test_workers_fill_a_store_that_can_be_exported(folder: Path) -> None:
    collection = (folder / "puzzles" / "classics.epd").read_text(encoding="utf-8")
    claims = [line for line in collection.splitlines() if " dm 2; " in line][:20]
    (folder / "some.epd").write_text("\n".join(claims), encoding="utf-8")
    assert matesolve("verify", "some.epd", "--jobs", "2", "--store", "s.db").code == 0
    exported = matesolve("export", "s.db", "--to", "jsonl", "-o", "-").out.splitlines()
    assert {json.loads(line)["verdict"] for line in exported} == {"proved"}
    assert len(exported) == len(claims) >= 5
    assert matesolve("report", "s.db", "-o", "audit.html").code == 0
    assert "<html" in (folder / "audit.html").read_text(encoding="utf-8")


def test_a_certificate_is_accepted_as_it_was_written_and_no_other() -> None:
    assert matesolve("solve", SMOTHERED, "--certificate", "proof.json").code == 0
    file = Path("proof.json")
    proof = json.loads(file.read_text(encoding="utf-8"))
    for changes, code in (({}, 0), ({"fen": ROOK}, 1), ({"claim": None}, 65)):
        file.write_text(json.dumps(proof | changes), encoding="utf-8")
        assert matesolve("check", "proof.json").code == code


def test_the_engine_finds_the_mate() -> None:
    assert COMMAND
    lines: list[str] = []
    with started([COMMAND, "uci"], stdin=PIPE, stdout=PIPE) as engine:
        assert engine.stdin
        assert engine.stdout
        engine.stdin.write(f"uci\nisready\nposition fen {SMOTHERED}\ngo mate 2\n")
        engine.stdin.flush()
        while not lines or not lines[-1].startswith("bestmove"):
            lines.append(engine.stdout.readline().rstrip())
            assert lines[-1]
        engine.stdin.write("quit\n")
        engine.stdin.flush()
        assert engine.wait() == 0
    assert {"uciok", "readyok"} <= {*lines}
    assert " score mate 2 " in lines[-2]
    assert lines[-1].split()[:2] == ["bestmove", "c4g8"]


def test_pages_and_tables_come_with_the_package(folder: Path) -> None:
    files = ["--html", "mate.html", "--pgn", "mate.pgn", "--svg", "mate.svg"]
    assert matesolve("solve", SMOTHERED, *files).code == 0
    assert "Qg8+" in (folder / "mate.html").read_text(encoding="utf-8")
    assert "Qg8+" in (folder / "mate.pgn").read_text(encoding="utf-8")
    assert (folder / "mate.svg").read_text(encoding="utf-8").endswith("</svg>\n")
    assert "7,095,909" in matesolve("mip", "info").out


def test_the_self_test_passes_and_shows_every_part_of_the_kernel() -> None:
    result = matesolve("doctor")
    assert result.code == 0
    words = {line.split()[0] for line in result.out.splitlines()}
    assert words >= {part.name for part in PARTS}
