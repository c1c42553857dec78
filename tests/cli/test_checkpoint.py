"""`matesolve solve --checkpoint`: text, exit codes, kills, and what is refused."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.conftest import names, rows
from tests.cli.processes import saving_often
from tests.cpu_time import wait_for_work
from tests.processes import PATIENCE_S

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

MEREDITH = "8/3K4/3N4/3k1p2/3B1P2/2P1p3/4P3/8 w - - 0 1"
"""Mate in 7 by 1. Bf6, 1.6 million nodes."""

LONGER = "1R6/8/8/p7/kpKN4/b7/8/8 w - - 0 1"
"""Mate in 7 by 1. Nb5, 5 million nodes."""

NODES = 150_000
"""Too few to find a mate there."""

OTHER = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
GOES_ON = "; the same command goes on"
OPTIONS = ("--checkpoint=one", "--checkpoint-key=key", "--threads=1")

ONE, KEY = Path("one"), Path("key")


@pytest.fixture(autouse=True)
def _key(_folder: None) -> None:
    KEY.touch(0o600)
    KEY.write_bytes(bytes(range(32)))


@pytest.fixture
def solve(matesolve: Cli) -> Cli:
    return lambda fen, *words: matesolve("solve", fen, *OPTIONS, *words)


@pytest.fixture
def saved(solve: Cli) -> bytes:
    """Save a search that stopped early; return the content of its file."""
    ended = solve(MEREDITH, f"--nodes={NODES}")
    assert ended.code == 3
    assert is_notice(ended.err, "one", "1 search", GOES_ON)
    assert (header()["searches"], header()["nodes"]) == (1, NODES)
    assert names() == ["key", "one"]
    return ONE.read_bytes()


def header() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ONE.read_bytes().partition(b"\n")[0])
    return found


def is_notice(line: str, path: str, searches: str, end: str = "") -> bool:
    found = rf"bounds of [\d,]+ positions, {searches}, [\d,]+ nodes in [\d.]+ m?s"
    return bool(re.fullmatch(f"{path}: {found}{end}\n?", line))


# Going on


@pytest.mark.usefixtures("saved")
def test_the_same_command_goes_on(solve: Cli) -> None:
    ended = solve(MEREDITH, "--checkpoint-size=1")
    assert (ended.code, ended.out.splitlines()[1]) == (0, "White mates in 7.")
    assert "Only key: Bf6" in ended.out
    assert ONE.stat().st_size <= 1_000_000 + 4096
    assert is_notice(ended.err, "one", "1 search")
    assert header()["searches"] == 2

    # Now it is proved, and the answer is read from the file.
    again = solve(MEREDITH, "--json")
    record = json.loads(again.out)
    assert (again.code, record["mate"], record["keys"][0]["san"]) == (0, 7, "Bf6")
    assert record["nodes"] < 200_000
    assert is_notice(again.err, "one", "2 searches")
    assert solve(MEREDITH, "-n", "4").code == 1


def test_other_files_are_merged_and_kept(solve: Cli, saved: bytes) -> None:
    ONE.unlink()
    others = ("two", "three")
    for name in others:
        Path(name).write_bytes(saved)
    more = [f"--checkpoint={name}" for name in (*others, "two")]
    ended = solve(MEREDITH, *more, "--nodes=1000")
    assert ended.code == 3
    first, second, last = ended.err.splitlines()
    assert is_notice(first, "two", "1 search")
    assert is_notice(second, "three", "1 search")
    assert is_notice(last, "one", "3 searches", GOES_ON)
    assert [Path(name).read_bytes() for name in others] == [saved, saved]
    assert header()["searches"] == 3
    assert 2 * NODES + 1000 <= header()["nodes"] < 2 * NODES + 2000


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_killed_search_goes_on(solve: Cli) -> None:
    with saving_often("solve", LONGER, *OPTIONS) as running:
        end = time.monotonic() + PATIENCE_S
        while not ONE.exists() and running.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.005)
        running.kill()
        assert running.communicate() == ("", "")
    assert running.returncode == -signal.SIGKILL
    assert header()["searches"] == 1

    with saving_often("solve", LONGER, *OPTIONS) as running:
        wait_for_work(running, 0.7)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate()
    assert running.returncode == 130
    first, last = err.splitlines()
    assert is_notice(first, "one", "1 search")
    assert is_notice(last, "one", "2 searches", GOES_ON)
    assert header()["searches"] == 2
    assert names() == ["key", "one"]

    ended = solve(LONGER)
    assert (ended.code, ended.out.splitlines()[1]) == (0, "White mates in 7.")
    assert "Only key: Nb5" in ended.out


# What is refused


def test_a_file_that_is_no_checkpoint_or_of_another_search_is_kept(
    solve: Cli, saved: bytes
) -> None:
    for words, message in (
        ((OTHER,), f"fen {OTHER[:-4]}, found {MEREDITH[:-4]}"),
        ((MEREDITH, "--stipulation=s#3"), "stipulation s#3, found #"),
        ((MEREDITH, "--checks-only"), "restriction {'checks_only': True}, found none"),
    ):
        error = f"error: one: expected a checkpoint with {message}\n"
        assert solve(*words) == (65, "", error)
        assert ONE.read_bytes() == saved
    KEY.write_bytes(bytes(32))
    for content, reason in (
        (saved, "a checkpoint signed with your key, found another signature"),
        (saved[:-1], "a whole checkpoint, found a damaged one"),
    ):
        ONE.write_bytes(content)
        assert solve(MEREDITH) == (65, "", f"error: one: expected {reason}\n")
        assert ONE.read_bytes() == content


def test_a_file_that_is_missing_or_cannot_be_written_is_named_before_the_search(
    cli: Cli, solve: Cli
) -> None:
    for paths, named, number in (
        ("--checkpoint=one --checkpoint=two", "two", errno.ENOENT),
        ("--checkpoint=none/one", "none/one", errno.ENOENT),
        ("--checkpoint=.", ".", errno.EISDIR),
    ):
        error = f"error: {named}: {os.strerror(number)}\n"
        assert cli(f"solve {LONGER} --checkpoint-key=key {paths}") == (74, "", error)
    KEY.unlink()
    assert solve(LONGER) == (74, "", f"error: key: {os.strerror(errno.ENOENT)}\n")
    assert not ONE.exists()


USAGE_ERRORS = f"""
- --checkpoint=one | takes a single position; for several, use `matesolve verify
{OTHER} --checkpoint-key=key | --checkpoint-key and --checkpoint-size need --checkpoint.
{OTHER} --checkpoint=- | -: expected the name of a file.
"""


def test_options_that_make_no_sense_are_refused(cli: Cli) -> None:
    for words, message in rows(USAGE_ERRORS):
        ended = cli(f"solve {words}")
        assert (ended.code, ended.out) == (2, "")
        assert message in ended.err


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX limits")
def test_a_full_disk_loses_no_answer(solve: Cli, saved: bytes) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        ended = solve(MEREDITH, "--first")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (ended.code, ended.out.splitlines()[1]) == (74, "White mates in 7.")
    reason = f"error: one: {os.strerror(errno.EFBIG)}"
    assert ended.err.splitlines()[-1] == reason
    assert (ONE.read_bytes(), names()) == (saved, ["key", "one"])
