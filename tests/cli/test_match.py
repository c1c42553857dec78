"""`matesolve match`: output, exit codes, interrupts, and going on with a match."""

from __future__ import annotations

import errno
import json
import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from solver.cli.main import run
from solver.files import lock
from tests.cli.processes import process

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Matesolve


SHORT = ("--a", "check-extension=captures", "--games", "6", "--nodes", "200")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def match(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command in this process."""
    code = run(["match", *arguments])
    return code, *capsys.readouterr()


def test_a_match_prints_its_score_beside_prophet4s(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = match(capsys, *SHORT)
    assert (code, err) == (0, "")
    head, score, prophet, blank, *notes = out.splitlines()
    assert head.split() == ["wins", "losses", "draws", "pct", "Elo", "error"]
    name, *games = score.split()[:4]
    assert name == "check-extension=captures"
    assert sum(map(int, games)) == 6
    assert prophet.split() == (
        ["Prophet4", "3,206", "3,119", "4,505", "50.4%", "2.8", "5.0"]
    )
    assert blank == ""
    assert notes[0].startswith(
        "6 games of check-extension=captures against off, 200 nodes a move, "
        "quiescence horizon, seed 1."
    )


def test_games_of_the_static_horizon_are_continued_by_its_name(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    pair = ("--a", "mdp=tight", "--games", "2", "-d", "1", "--games-file", "a.pgn")
    assert match(capsys, *pair, "--horizon", "static")[0] == 0
    before = (folder / "a.pgn").read_bytes()

    code, out, err = match(capsys, *pair)

    assert (code, out) == (65, "")
    assert "quiescence horizon" in err.partition(", found ")[0]
    assert "static horizon" in err.partition(", found ")[2]
    assert (folder / "a.pgn").read_bytes() == before
    assert match(capsys, *pair, "--horizon", "static")[0] == 0


def test_the_record_has_the_score_that_the_table_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = match(capsys, *SHORT)
    code, printed, err = match(capsys, *SHORT, "--json", "--jobs", "2")
    record = json.loads(printed)
    assert (code, err) == (0, "")
    games = [str(record[name]) for name in ("wins", "losses", "draws")]
    assert out.splitlines()[1].split()[1:4] == games
    assert record["first"]["check_extension"] == "captures"
    assert (record["complete"], record["games"]) == (True, 6)


def test_depth_replaces_the_limit_of_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = match(capsys, "--a", "mdp=tight", "--games", "2", "-d", "1", "--json")
    record = json.loads(out)
    assert (record["depth"], record["nodes"]) == (1, None)


def test_a_file_of_games_is_written_and_read_again(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    first = match(capsys, *SHORT, "--games-file", "games.pgn")
    content = (folder / "games.pgn").read_bytes()
    assert content.count(b"[Event ") == 6
    again = match(capsys, *SHORT, "--games-file", "games.pgn")
    assert again == first
    assert (folder / "games.pgn").read_bytes() == content


def test_the_file_of_another_match_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    match(capsys, *SHORT, "--games-file", "games.pgn")
    code, out, err = match(capsys, *SHORT, "--games-file", "games.pgn", "--seed", "2")
    assert (code, out) == (65, "")
    assert err.startswith("error: games.pgn: expected the games of this match, ")
    assert len(err.splitlines()) == 1


def test_a_file_that_another_match_writes_to_is_refused(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    path = folder / "games.pgn"
    with path.open("ab") as file:
        lock(file, path)
        code, out, err = match(capsys, *SHORT, "--games-file", "games.pgn")
    assert (code, out) == (74, "")
    assert err == "error: games.pgn: another program is writing to it\n"


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX limits")
def test_a_file_that_cannot_grow_is_named(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        code, out, err = match(capsys, *SHORT, "--games-file", "games.pgn")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (code, out) == (74, "")
    assert err == f"error: games.pgn: {os.strerror(errno.EFBIG)}\n"
    assert (folder / "games.pgn").stat().st_size <= 500


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing option '--a'"),
        (("--a", "x=1"), "expected one of off, mdp=VALUE, check-extension=VALUE"),
        (("--a", "check_extension=all"), "found 'check_extension'"),
        (("--a", "mdp"), "expected one of off, upper, lower, cpw"),
        (("--a", "mdp=cpw,mdp=cpw"), "expected each technique once, found 'mdp' twice"),
        (("--a", "off", "--games", "3"), "expected an even number, found 3"),
    ],
)
def test_a_wrong_command_line_is_named(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = match(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_prints_the_score_so_far_and_keeps_the_games(
    jobs: str, folder: Path, matesolve: Matesolve
) -> None:
    path = folder / "games.pgn"
    settings = ("--a", "mdp=cpw", "--nodes", "500", "--games-file", str(path))
    with process("match", *settings, "--games", "100000", "--jobs", jobs) as running:
        while not path.exists() or path.stat().st_size < 5_000:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert (running.returncode, err) == (130, "interrupted\n")
    assert "of 100,000 games." in " ".join(out.split())
    played = path.read_bytes()
    games = played.count(b"[Event ")
    assert f"Stopped after {games:,} of" in " ".join(out.split())
    ended = matesolve("match", *settings, "--games", str(games))
    assert (ended.code, ended.err) == (0, "")
    assert path.read_bytes() == played
    assert ended.out.splitlines()[1] == out.splitlines()[1]


def test_self_play_with_several_jobs_prints_the_same_games(
    matesolve: Matesolve,
) -> None:
    one, two = (
        matesolve("mip", "play", "--games", "7", "-d", "1", "--jobs", jobs)
        for jobs in ("1", "2")
    )
    assert one == two
    assert one.out.count("[Event ") == 7
    third = matesolve("mip", "play", "--games", "1", "-d", "1", "--first-game", "3")
    assert third.out in one.out


def test_an_interrupt_ends_self_play_after_a_whole_game() -> None:
    with process(
        "mip", "play", "--games", "100000", "-d", "1", "--jobs", "2"
    ) as playing:
        assert playing.stdout is not None
        assert playing.stdout.readline().startswith("[Event ")
        playing.send_signal(signal.SIGTERM)
        out = playing.stdout.read()
        _, err = playing.communicate()
    assert (playing.returncode, err) == (130, "interrupted\n")
    assert out.rstrip().endswith(("1-0", "0-1", "1/2-1/2", "*"))
