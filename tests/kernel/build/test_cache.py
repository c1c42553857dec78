"""The folder for compiled code is private to the user, and its content is checked."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.errors import CacheError
from solver.kernel.build import cache

if TYPE_CHECKING:
    from collections.abc import Callable

KERNEL = bytes(range(256)) * 4

on_posix = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the environment names; it does not exist yet."""
    directory = tmp_path / "cache"
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(directory))
    return directory


@pytest.fixture
def unnamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The user's cache and the temporary folder, if the environment names none."""
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    for directory in (home, temporary):
        directory.mkdir()
    monkeypatch.delenv(cache.DIRECTORY_VARIABLE, raising=False)
    monkeypatch.setattr(cache, "_user_cache", lambda: str(home / "matesolve"))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return home, temporary


@pytest.mark.parametrize("below", ["", "two/folders/down"])
def test_the_named_folder_is_created_private(
    named: Path, below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = named / below
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(directory))
    assert Path(cache.open_directory()) == directory
    if os.name == "posix":
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert Path(cache.open_directory()) == directory


@on_posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(named: Path, mode: int) -> None:
    named.mkdir()
    named.chmod(mode)
    with pytest.raises(CacheError, match=f"by the user alone, found {mode:04o}"):
        Path(cache.open_directory())


@on_posix
@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755])
def test_a_folder_that_others_can_only_read_is_used(named: Path, mode: int) -> None:
    named.mkdir()
    named.chmod(mode)
    assert Path(cache.open_directory()) == named


def test_a_link_to_a_folder_is_refused(named: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir(mode=0o700)
    named.symlink_to(target)
    with pytest.raises(CacheError, match="found a symbolic link"):
        Path(cache.open_directory())


@on_posix
def test_a_folder_of_another_user_is_refused(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named.mkdir(mode=0o700)
    stranger = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: stranger)
    with pytest.raises(CacheError, match="found another owner"):
        Path(cache.open_directory())


def test_a_file_in_place_of_the_named_folder_is_an_error(named: Path) -> None:
    named.write_text("in the way")
    with pytest.raises(CacheError) as refused:
        Path(cache.open_directory())
    assert str(refused.value) == f"{named}: expected a folder, found a file"


def test_the_users_cache_is_the_default(unnamed: tuple[Path, Path]) -> None:
    home, _ = unnamed
    assert Path(cache.open_directory()) == home / "matesolve"


def block(directory: Path) -> None:
    directory.write_text("in the way")


def open_to_all(directory: Path) -> None:
    directory.mkdir()
    directory.chmod(0o777)


def link(directory: Path) -> None:
    directory.symlink_to(directory.parent)


@pytest.mark.parametrize(
    "spoil", [block, pytest.param(open_to_all, marks=on_posix), link]
)
def test_the_temporary_folder_is_used_where_the_users_cache_cannot(
    unnamed: tuple[Path, Path], spoil: Callable[[Path], None]
) -> None:
    home, temporary = unnamed
    spoil(home / "matesolve")
    directory = Path(cache.open_directory())
    assert directory.parent == temporary
    if os.name == "posix":
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_every_reason_is_given_where_no_folder_can_be_used(
    unnamed: tuple[Path, Path],
) -> None:
    home, temporary = unnamed
    block(home / "matesolve")
    second = Path(cache.open_directory())
    second.rmdir()
    block(second)
    with pytest.raises(CacheError) as refused:
        Path(cache.open_directory())
    assert str(home / "matesolve") in str(refused.value)
    assert str(second) in str(refused.value)
    assert second.parent == temporary


@pytest.fixture
def no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """An account that the system does not know has no home directory."""
    for variable in ("LOCALAPPDATA", "XDG_CACHE_HOME", cache.DIRECTORY_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    for module in (os.path, cache):
        monkeypatch.setattr(module, "expanduser", lambda path: path)


@pytest.fixture
def no_temporary(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read-only system has no folder for temporary files."""

    def refuse() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", refuse)


@pytest.mark.usefixtures("no_home")
def test_the_temporary_folder_is_used_without_a_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert Path(cache.open_directory()).parent == tmp_path


@pytest.mark.usefixtures("no_temporary")
def test_the_users_cache_is_used_without_a_temporary_folder(
    unnamed: tuple[Path, Path],
) -> None:
    assert Path(cache.open_directory()) == unnamed[0] / "matesolve"


@pytest.mark.usefixtures("no_home", "no_temporary")
def test_without_a_home_and_a_temporary_folder_there_is_no_cache() -> None:
    assert list(cache.private_directories()) == []
    with pytest.raises(CacheError) as refused:
        Path(cache.open_directory())
    assert str(refused.value) == "no home and no temporary folder is known"


def refuse_to_write(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied", "some/file/in/it")


@on_posix
def test_a_folder_where_no_file_can_be_created_is_refused(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse_to_write)
    with pytest.raises(CacheError) as refused:
        Path(cache.open_directory())
    assert str(refused.value) == f"{named}: Permission denied"


def test_a_stored_kernel_is_found_in_a_read_only_folder(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named.mkdir(mode=0o700)
    (named / "search-1.bin").touch()
    assert cache.describe_folder(str(named)) == "1 stored"
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse_to_write)
    assert (
        cache.describe_folder(str(named))
        == "1 stored; no file can be added: Permission denied"
    )
    assert list(cache.private_directories()) == [str(named)]


@on_posix
def test_a_folder_that_others_can_write_to_is_not_read(named: Path) -> None:
    named.mkdir()
    named.chmod(0o777)
    assert list(cache.private_directories()) == []
    assert cache.describe_folder(str(named)).startswith("not used: ")


def test_a_file_in_place_of_a_folder_holds_nothing(named: Path) -> None:
    named.touch(mode=0o600)
    assert list(cache.private_directories()) == []


def test_a_missing_folder_holds_nothing(named: Path) -> None:
    assert list(cache.private_directories()) == []
    assert cache.describe_folder(str(named)) == "not there yet"
    assert not named.exists()


# The file.


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.bin"
    cache.write_object(str(path), KERNEL)
    return path


def test_a_kernel_reads_back_as_it_was_written(stored: Path) -> None:
    assert cache.read_object(str(stored)) == KERNEL
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]


@on_posix
def test_the_file_is_private(stored: Path) -> None:
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600


def test_a_kernel_replaces_the_one_before(stored: Path) -> None:
    other = b"other"
    cache.write_object(str(stored), other)
    assert cache.read_object(str(stored)) == other


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        cache.read_object(str(tmp_path / "kernel.bin"))


def test_a_changed_bit_anywhere_is_noticed(stored: Path) -> None:
    content = stored.read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        stored.write_bytes(changed)
        with pytest.raises(CacheError, match="found a damaged file"):
            cache.read_object(str(stored))


def test_a_truncated_file_is_noticed(stored: Path) -> None:
    content = stored.read_bytes()
    for size in range(len(content)):
        stored.write_bytes(content[:size])
        with pytest.raises(CacheError, match="found a damaged file"):
            cache.read_object(str(stored))


@pytest.mark.parametrize("content", [b"\0" * 4096, b"\x7fELF" * 99, b"\n" * 99])
def test_another_file_is_noticed(stored: Path, content: bytes) -> None:
    stored.write_bytes(content)
    with pytest.raises(CacheError, match="found a damaged file"):
        cache.read_object(str(stored))


@on_posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_to_is_refused(stored: Path, mode: int) -> None:
    stored.chmod(mode)
    with pytest.raises(CacheError, match="by the user alone"):
        cache.read_object(str(stored))


def test_a_link_to_a_file_is_refused(stored: Path) -> None:
    stored.rename(stored.with_name("moved"))
    stored.symlink_to("moved")
    with pytest.raises(CacheError, match="found a symbolic link"):
        cache.read_object(str(stored))


def test_a_failed_write_keeps_the_old_file_and_leaves_no_other(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="No space left"):
        cache.write_object(str(stored), b"other")
    assert cache.read_object(str(stored)) == KERNEL
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]


def test_code_has_no_key_if_its_sources_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Otherwise a zip file's next version would load the code of the last one."""
    monkeypatch.setattr(cache, "KERNEL", str(tmp_path / "package.zip" / "kernel"))
    with pytest.raises(OSError, match=r"package\.zip"):
        cache.source_hash.__wrapped__()


# --- what a wheel has installed


STRANGER = 54321


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in the folder of an installed wheel."""
    folder = tmp_path / "objects"
    folder.mkdir(mode=0o755)
    path = folder / "search.bin"
    cache.write_object(str(path), KERNEL)
    path.chmod(0o644)
    monkeypatch.setattr(cache, "SHIPPED", str(folder))
    return path


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a file or folder to another user; only root can do it really."""
    if os.geteuid():
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    else:
        os.chown(path, STRANGER, -1)


def test_an_installed_file_is_read_through_a_link_too(shipped: Path) -> None:
    assert cache.read_object(str(shipped)) == KERNEL
    elsewhere = shipped.parent.with_name("store")
    elsewhere.mkdir(mode=0o755)
    shipped.rename(elsewhere / "search.bin")
    shipped.symlink_to(elsewhere / "search.bin")
    assert cache.read_object(str(shipped)) == KERNEL


@on_posix
@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("mode", [0o002, 0o022, 0o077])
def test_an_installed_file_that_everybody_can_change_is_refused(
    shipped: Path, in_folder: bool, mode: int
) -> None:
    place = shipped.parent if in_folder else shipped
    place.chmod(place.stat().st_mode | mode)
    with pytest.raises(
        CacheError, match=f"{place}: expected it to be writable by its owner"
    ):
        cache.read_object(str(shipped))


@on_posix
@pytest.mark.skipif(
    os.name == "posix" and os.geteuid() != 0, reason="only root gives files away"
)
@pytest.mark.parametrize("in_folder", [False, True])
def test_an_installed_file_of_a_shared_group_is_refused(
    shipped: Path, in_folder: bool
) -> None:
    place = shipped.parent if in_folder else shipped
    os.chown(place, -1, STRANGER)
    place.chmod(place.stat().st_mode | stat.S_IWGRP)
    with pytest.raises(
        CacheError, match=f"{place}: expected it to be writable by its owner"
    ):
        cache.read_object(str(shipped))


@on_posix
@pytest.mark.parametrize("in_folder", [False, True])
def test_an_installed_file_of_another_user_is_refused(
    shipped: Path, in_folder: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_away(shipped.parent if in_folder else shipped, monkeypatch)
    with pytest.raises(
        CacheError, match="expected it to belong to the user or to root"
    ):
        cache.read_object(str(shipped))


@on_posix
@pytest.mark.skipif(
    os.name == "posix" and os.geteuid() != 0, reason="only root has files of root"
)
def test_an_installed_file_of_root_is_read_by_every_user(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    assert cache.read_object(str(shipped)) == KERNEL


def test_a_damaged_installed_file_is_noticed(shipped: Path) -> None:
    shipped.write_bytes(shipped.read_bytes()[:-1])
    with pytest.raises(CacheError, match="found a damaged file"):
        cache.read_object(str(shipped))
