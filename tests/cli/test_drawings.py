"""`matesolve solve` with `--svg`, `--pgn` and `--html`."""

from __future__ import annotations

import io
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import chess.pgn
import pytest

from solver.certificate.build import BuildingStoppedError
from solver.cli import answer_files as drawings
from solver.cli.console import build_stoppable
from solver.cli.main import run
from solver.solution import StoppedBy
from tests.cli.processes import process, run_and_list_heavy
from tests.cpu_time import wait_for_work
from tests.played import Ply, require_whole_mate, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.play.record import Variations
    from solver.search.threads import Control

FEN = "8/8/8/8/8/5KR1/8/7k w - - 0 1"
"""Mate in 3."""

SEED = "8/7K/8/8/8/8/R7/7k"
FILES = ("--svg", "a.svg", "--pgn", "a.pgn", "--html", "a.html")
LOADED = "print(*{'chess.svg', 'chess.pgn', 'solver.play.builder'} & set(sys.modules))"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_here(
    capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    """Run the command in this process; return exit code, stdout and stderr."""
    code = run(arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def written() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def game(name: str = "a.pgn") -> chess.pgn.Game:
    read = chess.pgn.read_game(io.StringIO(Path(name).read_text(encoding="utf-8")))
    assert read is not None
    assert not read.errors
    return read


def plies(game: chess.pgn.Game) -> Iterator[Ply]:
    return walk(
        game.board(),
        game.variations,
        attacking=True,
        move_of=lambda node: node.move.uci(),
        next_of=lambda node: node.variations,
    )


def test_an_answer_is_written_as_diagram_game_and_page(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run_here(capsys, "solve", FEN, *FILES)
    assert (code, err) == (0, "")
    assert "White mates in 3." in out
    assert written() == ["a.html", "a.pgn", "a.svg"]
    assert ET.parse("a.svg").getroot().tag.endswith("}svg")
    page = Path("a.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "White mates in 3." in page
    assert require_whole_mate(plies(game()), 3) == 3


def test_drawings_combine_with_records_and_a_certificate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run_here(
        capsys, "solve", FEN, *FILES, "--certificate", "a.json", "--jsonl"
    )
    assert (code, err) == (0, "")
    assert out.startswith('{"schema":1,')
    assert written() == ["a.html", "a.json", "a.pgn", "a.svg"]
    assert run_here(capsys, "check", "a.json")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "comment"),
    [
        ((FEN, "-n", "2"), 1, "Proved: no mate takes 2 or fewer moves."),
        (
            (SEED, "--nodes", "3000"),
            3,
            "Undecided. Proved: no mate takes 3 or fewer moves",
        ),
        (("7k/6Q1/6K1/8/8/8/8/8 b - -",), 0, "checkmate."),
        (("7k/8/p5K1/8/8/8/8/1R6 b - -",), 0, "mated in 1. Proved"),
    ],
)
def test_every_kind_of_answer_is_written_and_sets_the_exit_code(
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    code: int,
    comment: str,
) -> None:
    assert run_here(capsys, "solve", *arguments, *FILES)[::2] == (code, "")
    assert written() == ["a.html", "a.pgn", "a.svg"]
    assert game().comment.startswith(comment)


def test_a_mate_that_a_limit_left_open_is_shown_with_its_defences(
    capsys: pytest.CaptureFixture[str],
) -> None:
    endgame = "8/1p6/1p6/8/1N6/1P6/2K5/k5N1 w - -"
    arguments = ("solve", endgame, "--nodes", "200000", *FILES)
    code, out, _ = run_here(capsys, *arguments)
    assert code == 3
    assert "White mates in 8." in out
    assert "Stopped by the node limit." in out
    assert "there may be a shorter one" in " ".join(game().comment.split())
    assert require_whole_mate(plies(game()), 8) == 8


def test_a_restriction_is_printed_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = run_here(capsys, "solve", SEED, "--king-flights", "2", *FILES)
    assert code == 0
    assert "Restricted: at most 2 king flights." in " ".join(game().comment.split())


def test_the_same_answer_is_written_to_the_same_bytes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("one", "two"):
        run_here(capsys, "solve", SEED, "--svg", f"{name}.svg", "--pgn", f"{name}.pgn")
    for suffix in ("svg", "pgn"):
        one, two = Path(f"one.{suffix}"), Path(f"two.{suffix}")
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("option", ["--svg", "--pgn", "--html"])
def test_drawings_take_a_single_position(
    capsys: pytest.CaptureFixture[str], option: str
) -> None:
    code, out, err = run_here(capsys, "solve", "-", option, "a")
    assert (code, out) == (2, "")
    assert "--svg, --pgn and --html take a single position." in err
    assert written() == []


def test_a_page_has_the_search_only_if_it_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_here(capsys, "solve", FEN, "--html", "a.html")[0] == 0
    assert '"modules"' not in Path("a.html").read_text(encoding="utf-8")
    arguments = ("--stipulation", "s#1", "--html", "b.html", "--solver")
    assert run_here(capsys, "solve", FEN, *arguments)[0] == 1
    page = Path("b.html").read_text(encoding="utf-8")
    assert re.findall(r'"modules":{"(\w+)":"[^"]*","(\w+)":', page) == [
        ("search", "battle")
    ]


def test_the_search_needs_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run_here(capsys, "solve", FEN, "--solver", "--svg", "a.svg")
    assert (code, out) == (2, "")
    assert "--solver needs --html." in err
    assert written() == []


def test_a_full_disk_keeps_the_old_files(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, _: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    Path("a.pgn").write_text("before")
    monkeypatch.setattr(drawings, "write_whole", fail)
    code, out, err = run_here(capsys, "solve", FEN, "--pgn", "a.pgn")
    assert (code, err) == (74, "error: a.pgn: No space left on device\n")
    assert "White mates in 3." in out
    assert Path("a.pgn").read_text() == "before"


def test_an_interrupt_while_building_leaves_only_the_diagram(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> Variations:
        raise BuildingStoppedError

    monkeypatch.setattr("solver.play.builder.build_variations", stop)
    code, out, err = run_here(capsys, "solve", FEN, *FILES)
    assert (code, err) == (
        130,
        "interrupted: a.pgn is not written\ninterrupted: a.html is not written\n",
    )
    assert "White mates in 3." in out
    assert written() == ["a.svg"]


def test_ctrl_c_at_the_last_moment_is_handled() -> None:
    def interrupted(_: object) -> str:
        signal.raise_signal(signal.SIGINT)
        return "built"

    with pytest.raises(BuildingStoppedError):
        build_stoppable("nothing", interrupted)


def test_a_time_limit_is_no_interrupt() -> None:
    def stopped(control: Control) -> str:
        control.stop(StoppedBy.TIME)
        return "built"

    assert build_stoppable("something", stopped) == "built"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_in_the_search_writes_no_files(folder: Path) -> None:
    endless = "2k1N3/p2NPP2/2p3p1/2pp1P2/K7/6p1/p2Bp3/5brn w - - 0 1"
    words = ("solve", endless, "--pgn", str(folder / "a.pgn"), "--json")
    with process(*words) as running:
        wait_for_work(running, cpu_s=1.5)
        running.send_signal(signal.SIGINT)
        running.communicate()
    assert running.returncode == 130
    assert written() == []


def test_without_drawings_their_modules_are_not_loaded() -> None:
    program = (
        "from solver.cli.main import run\n"
        f"run(['solve', {FEN!r}, '--jsonl'])\n"
        f"import sys\n{LOADED}"
    )
    printed, _ = run_and_list_heavy(program)
    assert printed.splitlines()[1:] == [""]
