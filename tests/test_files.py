"""Files are written whole, or not at all; a lock ends with its process."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from solver.files import lock, locked, open_whole, write_private, write_whole
from tests.cli.processes import ENVIRONMENT
from tests.processes import started

WAITING = """
import sys
from solver.files import open_whole

with open_whole(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("waiting", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_a_file_appears_when_all_pieces_are_written(path: Path) -> None:
    with open_whole(path) as file:
        file.write(b"one ")
        assert not path.exists()
        file.write(b"two")
    assert path.read_bytes() == b"one two"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("before", [[], [b"before"]])
def test_an_exception_in_the_block_keeps_the_old_file(
    path: Path, before: list[bytes]
) -> None:
    for data in before:
        path.write_bytes(data)
    with pytest.raises(KeyboardInterrupt), open_whole(path) as file:  # noqa: PT012
        file.write(b"half")
        raise KeyboardInterrupt
    assert [found.read_bytes() for found in path.parent.iterdir()] == before


def test_two_writers_of_one_file_do_not_disturb_each_other(path: Path) -> None:
    with open_whole(path) as first:
        first.write(b"first")
        with open_whole(path) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="kills as POSIX does")
def test_the_next_writer_deletes_what_a_killed_one_left(path: Path) -> None:
    words = [sys.executable, "-c", WAITING, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with started(words, env=ENVIRONMENT, **pipes) as other:
        assert other.stdout
        assert other.stdout.readline() == "waiting\n"
        (half,) = path.parent.iterdir()
        write_whole(path.with_name("other"), b"data")
        assert half.read_bytes() == b"half"  # it is still being written
        path.with_name("other").unlink()
        other.kill()
        other.wait()
    assert [*path.parent.iterdir()] == [half]
    write_whole(path, b"whole")
    assert list(path.parent.iterdir()) == [path]
    assert path.read_bytes() == b"whole"


def test_a_link_still_points_to_its_target(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    write_whole(link, b"data")
    assert link.is_symlink()
    assert path.read_bytes() == b"data"


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_a_private_file_is_readable_by_the_user_alone_and_replaces_a_link(
    path: Path,
) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    before = os.umask(0o022)
    try:
        write_private(link, b"data")
        assert stat.S_IMODE(link.stat().st_mode) == 0o600
        write_whole(path, b"data")
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
    finally:
        os.umask(before)
    assert not link.is_symlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_that_names_the_file(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device") as full:
        write_whole(link, b"data")
    assert (full.value.errno, full.value.filename) == (errno.ENOSPC, str(link))


def test_a_file_is_locked_until_it_is_closed(path: Path) -> None:
    with path.open("ab") as other:
        with path.open("ab") as file:
            lock(file, path)
            with pytest.raises(BlockingIOError) as caught:
                lock(other, path)
            assert caught.value.filename == str(path)
        lock(other, path)


def test_a_lock_lies_beside_its_file_meanwhile(path: Path) -> None:
    beside = path.with_name("file-lock")
    with locked(path):
        assert list(path.parent.iterdir()) == [beside]
        with pytest.raises(BlockingIOError), locked(path):
            pass
        assert beside.exists()
    assert list(path.parent.iterdir()) == []
