"""The folder for compiled code is private to the user, and its content is checked."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import llvmlite.binding as llvm
import pytest

from solver.errors import CacheError
from solver.kernel.build import cache

if TYPE_CHECKING:
    from collections.abc import Callable

    Spoil = Callable[[Path], None]


KERNEL = bytes(range(256)) * 4
STRANGER = 54321

on_posix = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root gives files away"
)


def opened() -> Path:
    return Path(cache.open_directory())


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the environment names; it does not exist yet."""
    directory = tmp_path / "cache"
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(directory))
    return directory


def block(path: Path) -> None:
    path.write_text("in the way")


def link(path: Path) -> None:
    path.symlink_to(path.parent)


def make(mode: int, path: Path) -> None:
    path.mkdir()
    path.chmod(mode)


SPOILED = [
    (block, "expected a folder, found a file"),
    (link, "found a symbolic link"),
    pytest.param(partial(make, 0o720), "alone, found 0720", marks=on_posix),
    pytest.param(partial(make, 0o1702), "alone, found 1702", marks=on_posix),
]


def test_the_named_folder_is_created_private(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = named / "two/folders/down"
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(directory))
    assert opened() == directory
    if os.name == "posix":
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert opened() == directory
    directory.chmod(0o755)
    assert opened() == directory, "others may read it"
    if os.name == "posix":
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
        with pytest.raises(CacheError, match="found another owner"):
            opened()


@pytest.mark.parametrize(("spoil", "found"), SPOILED)
def test_a_folder_that_others_can_change_is_refused(
    named: Path, spoil: Spoil, found: str
) -> None:
    spoil(named)
    with pytest.raises(CacheError) as refused:
        opened()
    assert str(refused.value).startswith(f"{named}: expected ")
    assert str(refused.value).endswith(found)
    assert list(cache.private_directories()) == []
    if named.is_dir():
        assert cache.describe_folder(str(named)).startswith("not used: ")


@pytest.mark.parametrize(("spoil", "found"), SPOILED)
def test_the_temporary_folder_is_used_where_the_users_cache_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Spoil, found: str
) -> None:
    home, temporary = tmp_path / "home/matesolve", tmp_path / "temporary"
    for directory in (home.parent, temporary):
        directory.mkdir()
    monkeypatch.delenv(cache.DIRECTORY_VARIABLE, raising=False)
    monkeypatch.setattr(cache, "_user_cache", lambda: str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert opened() == home
    home.rmdir()
    spoil(home)
    second = opened()
    assert second.parent == temporary
    if os.name == "posix":
        assert stat.S_IMODE(second.stat().st_mode) == 0o700
    second.rmdir()
    block(second)
    with pytest.raises(CacheError) as refused:
        opened()
    for reason in (str(home), found, str(second), "found a file"):
        assert reason in str(refused.value)


@pytest.mark.skipif(sys.platform != "linux", reason="folders are named otherwise")
def test_the_users_cache_is_where_the_system_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(cache.DIRECTORY_VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable, folder in (("", ".cache"), (str(tmp_path / "other"), "other")):
        monkeypatch.setenv("XDG_CACHE_HOME", variable)
        assert opened() == tmp_path / folder / "matesolve"
        assert cache._temporary_directory().endswith(f"matesolve-{os.geteuid()}")


def test_a_system_without_a_home_or_a_temporary_folder_uses_the_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    for variable in ("LOCALAPPDATA", "XDG_CACHE_HOME", cache.DIRECTORY_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "gettempdir", refuse)
        patched.setattr(cache, "_user_cache", lambda: str(tmp_path / "home"))
        assert opened() == tmp_path / "home"
    for module in (os.path, cache):  # the system does not know the account
        monkeypatch.setattr(module, "expanduser", lambda path: path)
    assert opened().parent == tmp_path
    monkeypatch.setattr(tempfile, "gettempdir", refuse)
    assert list(cache.private_directories()) == []
    with pytest.raises(CacheError) as refused:
        opened()
    assert str(refused.value) == "no home and no temporary folder is known"


@on_posix
def test_a_read_only_folder_is_read_and_not_written(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "some/file/in/it")

    assert list(cache.private_directories()) == []
    assert cache.describe_folder(str(named)) == "not there yet"
    assert not named.exists()
    named.mkdir(mode=0o700)
    (named / "search-1.bin").touch()
    assert cache.describe_folder(str(named)) == "1 stored"
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    described = cache.describe_folder(str(named))
    assert described == "1 stored; no file can be added: Permission denied"
    assert list(cache.private_directories()) == [str(named)]
    with pytest.raises(CacheError) as refused:
        opened()
    assert str(refused.value) == f"{named}: Permission denied"


# The file


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.bin"
    cache.write_object(str(path), b"older")
    cache.write_object(str(path), KERNEL)
    return path


def test_a_file_that_is_damaged_or_open_to_others_or_a_link_is_refused(
    stored: Path,
) -> None:
    content = stored.read_bytes()
    damaged = [b"\0" * 4096, b"\n" * 99, *(content[:n] for n in range(len(content)))]
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        damaged.append(bytes(changed))
    for each in damaged:
        stored.write_bytes(each)
        with pytest.raises(CacheError, match="found a damaged file"):
            cache.read_object(str(stored))
    stored.write_bytes(content)
    if os.name == "posix":
        assert stat.S_IMODE(stored.stat().st_mode) == 0o600
        for mode in (0o620, 0o602):
            stored.chmod(mode)
            with pytest.raises(CacheError, match="by the user alone"):
                cache.read_object(str(stored))
    stored.rename(stored.with_name("moved"))
    stored.symlink_to("moved")
    with pytest.raises(CacheError, match="found a symbolic link"):
        cache.read_object(str(stored))


def test_code_has_no_key_if_its_sources_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Otherwise a zip file's next version would load the code of the last one."""
    monkeypatch.setattr(cache, "KERNEL", str(tmp_path / "package.zip" / "kernel"))
    with pytest.raises(OSError, match=r"package\.zip"):
        cache.source_hash.__wrapped__()


# What a wheel has installed


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


def test_an_installed_file_is_read_by_root_and_through_a_link_too(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.read_object(str(shipped)) == KERNEL
    elsewhere = shipped.parent.with_name("store")
    elsewhere.mkdir(mode=0o755)
    shipped.rename(elsewhere / "search.bin")
    shipped.symlink_to(elsewhere / "search.bin")
    assert cache.read_object(str(shipped)) == KERNEL
    if os.name == "posix" and not os.geteuid():
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
        assert cache.read_object(str(shipped)) == KERNEL


@on_posix
@pytest.mark.parametrize("in_folder", [False, True])
@pytest.mark.parametrize("group", [-1, pytest.param(STRANGER, marks=as_root)])
def test_an_installed_file_that_others_can_change_or_own_is_refused(
    shipped: Path, in_folder: bool, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody, or a group that is not the user's private one."""
    place = shipped.parent if in_folder else shipped
    mode = place.stat().st_mode
    os.chown(place, -1, group)
    place.chmod(mode | (stat.S_IWOTH if group == -1 else stat.S_IWGRP))
    words = f"{place}: expected it to be writable by its owner"
    with pytest.raises(CacheError, match=words):
        cache.read_object(str(shipped))
    place.chmod(mode)
    if os.geteuid():
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    else:
        os.chown(place, STRANGER, -1)
    with pytest.raises(CacheError, match="to belong to the user or to root"):
        cache.read_object(str(shipped))


# What compiled code depends on is found without llvmlite, but agrees with it


with_images = pytest.mark.skipif(
    not cache.HAS_IMAGES, reason="code is loaded through llvmlite here"
)

X86 = """\
processor	: 0
vendor_id	: GenuineIntel
cpu family	: 6
model		: 85
model name	: Intel(R) Xeon(R) CPU
stepping	: 7
microcode	: 0x1
cpu MHz		: {mhz}
flags		: fpu pni ssse3 sse4_1 sse4_2 popcnt cx16 lahf_lm abm bmi1{more}
bugs		: spectre_v1

processor	: 1
vendor_id	: another
flags		: never_read
"""

ARM = """\
processor	: 0
BogoMIPS	: 243.75
Features	: fp asimd{more}
CPU part	: 0xd0c

"""


@pytest.fixture
def cpuinfo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in place of Linux's description of the processors."""
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(cache, "CPUINFO", str(path))
    monkeypatch.setattr(cache, "HAS_IMAGES", True)
    monkeypatch.setattr(cache, "_record", cache._record.__wrapped__)
    return path


@with_images
def test_required_features_are_those_that_llvm_finds() -> None:
    required = {name for each in cache.portable_targets() for name in each.required}
    required.discard(cache.FAST_EXTRACT)
    found = llvm.get_host_cpu_features()
    assert {name for name in required if found[name]} == required & cache.features()


@pytest.mark.parametrize(
    ("vendor", "family", "flag", "is_fast"),
    [
        *(("GenuineIntel", 6, "bmi2", True), ("GenuineIntel", 6, "bmi1", False)),
        *(("AuthenticAMD", 25, "bmi2", True), ("AuthenticAMD", 24, "bmi2", False)),
        ("HygonGenuine", 25, "bmi2", False),
    ],
)
def test_pext_is_fast_on_intel_and_since_zen_3(
    cpuinfo: Path, vendor: str, family: int, flag: str, *, is_fast: bool
) -> None:
    text = X86.format(mhz=2000, more=f" {flag}").replace("GenuineIntel", vendor)
    cpuinfo.write_text(text.replace("family	: 6", f"family	: {family}"))
    assert (cache.FAST_EXTRACT in cache.features()) == is_fast


@pytest.mark.parametrize("text", [X86, ARM], ids=["x86-64", "AArch64"])
def test_another_feature_is_another_processor(cpuinfo: Path, text: str) -> None:
    cpuinfo.write_text(text.format(mhz=2000, more=""))
    before = cache.processor()
    cpuinfo.write_text(text.format(mhz=2100, more=""))
    assert cache.processor() == before
    cpuinfo.write_text(text.format(mhz=2000, more=" new"))
    assert cache.processor() != before
    assert "new" in cache.features()


def test_llvmlite_describes_the_processor_where_linux_does_not(cpuinfo: Path) -> None:
    assert not cpuinfo.exists()
    assert llvm.get_host_cpu_name() in cache.processor()
    found = llvm.get_host_cpu_features()
    assert cache.features() == {name for name, is_there in found.items() if is_there}


# numba's settings


def test_a_setting_that_changes_the_code_changes_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """joblib sets NUMBA_NUM_THREADS in its workers."""
    others = ("NUM_THREADS", "CACHE_DIR", "DUMP_IR", "CPU_NAME")
    for name in (*cache.CODE_SETTINGS, *(f"NUMBA_{each}" for each in others)):
        monkeypatch.delenv(name, raising=False)
        keys = {cache.code_key.__wrapped__()}
        for value in "01":
            monkeypatch.setenv(name, value)
            keys.add(cache.code_key.__wrapped__())
        monkeypatch.delenv(name)
        assert len(keys) == (3 if name in cache.CODE_SETTINGS else 1), name
