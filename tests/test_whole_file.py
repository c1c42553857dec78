"""Files are written whole, or stay as they were."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from solver.whole_file import open_whole, write_whole


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_pieces_make_a_file(path: Path) -> None:
    with open_whole(path) as file:
        file.write(b"one ")
        assert not path.exists()
        file.write(b"two")
    assert path.read_bytes() == b"one two"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("before", [None, b"before"])
def test_what_ends_the_block_early_leaves_all_as_it_was(
    path: Path, fault: type[BaseException], before: bytes | None
) -> None:
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(fault), open_whole(path) as file:  # noqa: PT012
        file.write(b"half")
        raise fault
    left = [found.read_bytes() for found in path.parent.iterdir()]
    assert left == ([] if before is None else [before])


def test_a_link_stays_one(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    write_whole(link, b"data")
    assert link.is_symlink()
    assert path.read_bytes() == b"data"


@pytest.mark.skipif(not Path(os.devnull).exists(), reason="needs a device")
def test_a_device_is_written_to() -> None:
    with open_whole(os.devnull) as file:
        file.write(b"data")
    assert not Path(os.devnull).is_file()
