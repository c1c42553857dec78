"""`matesolve solve --checkpoint`: text, exit codes, kills, and what is refused."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import stat
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.cli.processes import saving_often
from tests.cpu_time import wait_for_work
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.cli.conftest import Ended, Matesolve

pytestmark = pytest.mark.usefixtures("compiled")

MEREDITH = "8/3K4/3N4/3k1p2/3B1P2/2P1p3/4P3/8 w - - 0 1"
"""Mate in 7 by 1. Bf6, 1.6 million nodes."""

LONGER = "1R6/8/8/p7/kpKN4/b7/8/8 w - - 0 1"
"""Mate in 7 by 1. Nb5, 5 million nodes."""

ENDLESS = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 1"
"""No mate is known; a command that searches here would not end."""

NODES = 150_000
"""Too few to find a mate there."""

OTHER = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
ONE_THREAD = ("--threads", "1")
SUMMARY = r"bounds of [\d,]+ positions, %s, [\d,]+ nodes in [\d.]+ m?s"
GOES_ON = "; the same command goes on"


class Files(NamedTuple):
    """A folder for checkpoints, with a key."""

    folder: Path

    @property
    def key(self) -> Path:
        return self.folder / "key"

    def options(self, *names: str) -> list[str]:
        named = [f"--checkpoint={self.folder / name}" for name in names]
        return [*named, f"--checkpoint-key={self.key}", *ONE_THREAD]

    def header(self, name: str) -> dict[str, object]:
        with (self.folder / name).open("rb") as file:
            found: dict[str, object] = json.loads(file.readline())
        return found


def new_files(folder: Path) -> Files:
    files = Files(folder)
    files.key.touch(0o600)
    files.key.write_bytes(bytes(range(32)))
    return files


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return new_files(tmp_path)


class Stopped(NamedTuple):
    """How a command that stopped early ended, and where it saved its search."""

    files: Files
    ended: Ended


@pytest.fixture(scope="module")
def stopped(matesolve: Matesolve, tmp_path_factory: pytest.TempPathFactory) -> Stopped:
    files = new_files(tmp_path_factory.mktemp("stopped"))
    options = [*files.options("one"), "--nodes", f"{NODES}"]
    return Stopped(files, matesolve("solve", MEREDITH, *options))


def copied(stopped: Stopped, files: Files, *names: str) -> None:
    """Copy the file of a search that stopped early."""
    data = (stopped.files.folder / "one").read_bytes()
    for name in names:
        (files.folder / name).write_bytes(data)


def notice(path: Path, searches: str, end: str = "") -> re.Pattern[str]:
    return re.compile(re.escape(f"{path}: ") + SUMMARY % searches + end)


# Going on


def test_a_search_that_stops_early_is_saved(stopped: Stopped) -> None:
    files, ended = stopped
    assert ended.code == 3
    path = files.folder / "one"
    assert notice(path, "1 search", GOES_ON + "\n").fullmatch(ended.err)
    header = files.header("one")
    assert (header["searches"], header["nodes"]) == (1, NODES)
    assert {file.name for file in files.folder.iterdir()} == {"key", "one"}


def test_the_same_command_goes_on(
    matesolve: Matesolve, stopped: Stopped, files: Files
) -> None:
    copied(stopped, files, "one")
    path = files.folder / "one"
    ended = matesolve("solve", MEREDITH, *files.options("one"))
    assert (ended.code, ended.out.splitlines()[1]) == (0, "White mates in 7.")
    assert "Only key: Bf6" in ended.out
    assert "Proved: mate in 7 is forced, and none is shorter." in ended.out
    assert notice(path, "1 search", "\n").fullmatch(ended.err)
    first = files.header("one")
    assert first["searches"] == 2

    # Now it is proved, and the answer is read from the file.
    again = matesolve("solve", MEREDITH, *files.options("one"), "--json")
    assert again.code == 0
    record = json.loads(again.out)
    assert (record["mate"], record["keys"][0]["san"]) == (7, "Bf6")
    assert record["nodes"] < 200_000
    assert notice(path, "2 searches", "\n").fullmatch(again.err)


def test_other_files_are_merged_and_kept(
    matesolve: Matesolve, stopped: Stopped, files: Files
) -> None:
    copied(stopped, files, "two", "three")
    before = (files.folder / "two").read_bytes()
    names = files.options("one", "two", "three", "two")
    ended = matesolve("solve", MEREDITH, *names, "--nodes", "1000")
    assert ended.code == 3
    lines = ended.err.splitlines()
    for line, name in zip(lines, ("two", "three"), strict=False):
        assert notice(files.folder / name, "1 search").fullmatch(line)
    assert notice(files.folder / "one", "3 searches", GOES_ON).fullmatch(lines[2])
    assert len(lines) == 3
    assert (files.folder / "two").read_bytes() == before
    assert (files.folder / "three").read_bytes() == before
    header = files.header("one")
    assert header["searches"] == 3
    nodes = header["nodes"]
    assert isinstance(nodes, int)
    assert 2 * NODES + 1000 <= nodes < 2 * NODES + 2000


def test_the_users_key_is_made_for_the_first_checkpoint(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    pytest.importorskip("platformdirs")
    if sys.platform != "linux":
        pytest.skip("XDG_DATA_HOME names the folder on Linux alone")
    environment = {"XDG_DATA_HOME": str(tmp_path / "data")}
    path = str(tmp_path / "one")
    words = ["solve", OTHER, "--checkpoint", path]
    ended = matesolve(*words, env=environment)
    assert (ended.code, ended.err) == (0, "")
    key = tmp_path / "data" / "matesolve" / "checkpoint.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    ended = matesolve(*words, env=environment)
    assert (ended.code, ended.err.count("\n")) == (0, 1)
    key.chmod(0o644)
    ended = matesolve(*words, env=environment)
    assert (ended.code, ended.out, ended.err.count("\n")) == (65, "", 1)
    expected = "expected a key that its owner alone can read (mode 0600), found 0644"
    assert ended.err == f"error: {key}: {expected}\n"


def test_a_smaller_file_has_the_bounds_of_the_most_effort(
    matesolve: Matesolve, files: Files
) -> None:
    words = [*files.options("one"), "--checkpoint-size", "1"]
    ended = matesolve("solve", LONGER, *words, "--nodes", "4500000")
    assert ended.code in {0, 3}
    positions = files.header("one")["entries"]
    assert isinstance(positions, int)
    assert 5000 < positions <= 62_500
    assert (files.folder / "one").stat().st_size <= 1_000_000 + 4096


# Kills and interrupts


def wait_for_file(path: Path, running: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not path.exists() and running.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_search_that_is_killed_and_interrupted_goes_on(
    matesolve: Matesolve, files: Files
) -> None:
    path, options = files.folder / "one", files.options("one")
    with saving_often("solve", LONGER, *options) as running:
        wait_for_file(path, running)
        assert running.poll() is None
        running.kill()
        out, err = running.communicate()
    assert (running.returncode, out, err) == (-signal.SIGKILL, "", "")
    killed = files.header("one")
    assert killed["searches"] == 1

    with saving_often("solve", LONGER, *options) as running:
        wait_for_work(running, 0.7)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert running.returncode == 130
    assert out.startswith("White to move\n")
    first, last = err.splitlines()
    assert notice(path, "1 search").fullmatch(first)
    assert notice(path, "2 searches", GOES_ON).fullmatch(last)
    assert files.header("one")["searches"] == 2
    assert {file.name for file in files.folder.iterdir()} == {"key", "one"}

    ended = matesolve("solve", LONGER, *options)
    assert (ended.code, ended.out.splitlines()[1]) == (0, "White mates in 7.")
    assert "Only key: Nb5" in ended.out


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_key_that_is_lost_during_the_search_loses_no_answer(files: Files) -> None:
    path, options = files.folder / "one", files.options("one")
    with saving_often("solve", ENDLESS, *options) as running:
        wait_for_file(path, running)
        files.key.chmod(0o644)
        wait_for_work(running, 0.3)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert running.returncode == 130
    assert out.startswith("White to move")
    expected = "expected a key that its owner alone can read (mode 0600), found 0644"
    assert err == f"error: {files.key}: {expected}\n"


# What is refused


def refused_at_once(
    matesolve: Matesolve, *words: str, fen: str = ENDLESS
) -> tuple[int, str]:
    """Return the exit code and the only line of a command that does not search."""
    ended = matesolve("solve", fen, *words)
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("error: ")
    return ended.code, ended.err.removeprefix("error: ").rstrip("\n")


def test_a_file_that_is_no_checkpoint_of_the_user_is_kept(
    matesolve: Matesolve, stopped: Stopped, files: Files
) -> None:
    """`tests/search/test_checkpoint_files.py` has all the other damage."""
    copied(stopped, files, "one")
    path = files.folder / "one"
    files.key.write_bytes(bytes(32))
    signed = "a checkpoint signed with your key, found another signature"
    for data, words in (
        (path.read_bytes(), signed),
        (path.read_bytes()[:-1], "a whole checkpoint, found a damaged one"),
        (b"8/8 w - -\n", "a checkpoint of matesolve, found another file"),
    ):
        path.write_bytes(data)
        code, line = refused_at_once(matesolve, *files.options("one"), fen=MEREDITH)
        assert (code, line) == (65, f"{path}: expected {words}")
        assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("fen", "options", "words"),
    [
        (
            OTHER,
            [],
            "expected a checkpoint with fen 5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -, "
            "found 8/3K4/3N4/3k1p2/3B1P2/2P1p3/4P3/8 w - -",
        ),
        (
            MEREDITH,
            ["--stipulation=s#3"],
            "expected a checkpoint with stipulation s#3, found #",
        ),
        (
            MEREDITH,
            ["--checks-only"],
            "expected a checkpoint with restriction {'checks_only': True}, found none",
        ),
    ],
)
def test_the_file_of_another_search_is_refused(
    fen: str,
    options: list[str],
    words: str,
    matesolve: Matesolve,
    stopped: Stopped,
    files: Files,
) -> None:
    copied(stopped, files, "one")
    before = (files.folder / "one").read_bytes()
    options = [*files.options("one"), *options]
    code, line = refused_at_once(matesolve, *options, fen=fen)
    assert (code, line) == (65, f"{files.folder / 'one'}: {words}")
    assert (files.folder / "one").read_bytes() == before


def test_any_length_of_a_mate_goes_on_from_the_same_file(
    matesolve: Matesolve, stopped: Stopped, files: Files
) -> None:
    copied(stopped, files, "one")
    ended = matesolve("solve", MEREDITH, *files.options("one"), "-n", "4")
    assert ended.code == 1


def test_a_second_file_that_is_missing_is_named(
    matesolve: Matesolve, files: Files
) -> None:
    code, line = refused_at_once(matesolve, *files.options("one", "two"))
    reason = os.strerror(errno.ENOENT)
    assert (code, line) == (74, f"{files.folder / 'two'}: {reason}")
    assert not (files.folder / "one").exists()


def test_a_path_that_cannot_be_written_is_named_before_the_search(
    matesolve: Matesolve, files: Files
) -> None:
    for name, number in (("none/one", errno.ENOENT), (".", errno.EISDIR)):
        code, line = refused_at_once(matesolve, *files.options(name))
        assert (code, line) == (74, f"{files.folder / name}: {os.strerror(number)}")


def test_a_named_key_that_is_missing_is_named(
    matesolve: Matesolve, files: Files
) -> None:
    files.key.unlink()
    code, line = refused_at_once(matesolve, *files.options("one"))
    assert (code, line) == (74, f"{files.key}: {os.strerror(errno.ENOENT)}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("-", "--checkpoint=one"),
            "--checkpoint takes a single position; for several, use `matesolve verify "
            "--store STORE --checkpoints`.",
        ),
        (
            (OTHER, "--checkpoint-key=key"),
            "--checkpoint-key and --checkpoint-size need --checkpoint.",
        ),
        (
            (OTHER, "--checkpoint-size=1"),
            "--checkpoint-key and --checkpoint-size need --checkpoint.",
        ),
        ((OTHER, "--checkpoint=-"), "-: expected the name of a file."),
        (
            (OTHER, "--checkpoint=one", "--checkpoint-size=0"),
            "Invalid value for '--checkpoint-size'",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(
    words: tuple[str, ...], message: str, matesolve: Matesolve
) -> None:
    ended = matesolve("solve", *words)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


# Disks


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX limits")
def test_a_disk_that_fills_loses_no_answer(
    matesolve: Matesolve, stopped: Stopped, files: Files
) -> None:
    """The old file is kept."""
    import resource

    copied(stopped, files, "one")
    path = files.folder / "one"
    data = path.read_bytes()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        ended = matesolve("solve", MEREDITH, "--first", *files.options("one"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert ended.code == 74
    assert ended.out.splitlines()[1] == "White mates in 7."
    reason = f"error: {path}: {os.strerror(errno.EFBIG)}"
    assert ended.err.splitlines()[-1] == reason
    assert path.read_bytes() == data
    assert {file.name for file in files.folder.iterdir()} == {"key", "one"}
