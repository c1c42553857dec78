"""Each compiled part is compiled again if its stored code is missing or damaged.

Nothing is compiled here: the tests replace the compiler.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import ANY

import pytest

from solver import files
from solver.kernel.border import interface, parts
from solver.kernel.border.interface import KernelError
from solver.kernel.border.parts import PARTS
from solver.kernel.build import cache, loader
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.kernel.border.parts import Part

ADDRESS = 4711


def empty(path: Path) -> None:
    path.write_bytes(b"")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def remove(path: Path) -> None:
    path.unlink()


damages = pytest.mark.parametrize("damage", [empty, truncate, remove])
each_part = pytest.mark.parametrize(
    "number", range(len(PARTS)), ids=[part.name for part in PARTS]
)
combinations = pytest.mark.parametrize(
    "removed",
    list(product([False, True], repeat=len(PARTS))),
    ids=lambda chosen: "".join("01"[each] for each in chosen),
)


@pytest.fixture
def stubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    """The parts, with modules that are not there, in an empty cache folder."""
    stubs = [
        part._replace(module=f"absent.{part.name}", answers=lambda _: {})
        for part in PARTS
    ]
    monkeypatch.setattr(parts, "PARTS", tuple(stubs))
    monkeypatch.setattr(interface, "Kernel", lambda address, _operations: address)
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(cache.FALLBACK_VARIABLE, raising=False)
    return stubs


def load(part: Part) -> tuple[str, list[str]]:
    """Load a part as a new process does; return its origin and the notices."""
    notices: list[str] = []
    build = loader._load(part, notices.append, loader.log_compiling)
    address: object = build.kernel
    assert address == ADDRESS
    return build.origin, notices


@pytest.fixture
def fake_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that makes object code of every module."""
    monkeypatch.setattr(loader, "compile_part", lambda *_: b"code")
    monkeypatch.setattr(loader, "place", lambda _: ADDRESS)


@pytest.mark.usefixtures("fake_compiler")
@combinations
def test_parts_whose_object_files_are_removed_are_compiled_again(
    stubs: list[Part], removed: tuple[bool, ...]
) -> None:
    for part in stubs:
        assert load(part) == ("compiled", [])
    for part, is_removed in zip(stubs, removed, strict=True):
        if is_removed:
            (path,) = Path(cache.open_directory()).glob(f"{part.name}-*.bin")
            path.unlink()
    for part, is_removed in zip(stubs, removed, strict=True):
        assert load(part) == ("compiled" if is_removed else "cache", [])
        assert load(part) == ("cache", [])


@pytest.mark.usefixtures("fake_compiler")
@combinations
def test_parts_that_a_wheel_lacks_are_compiled(
    stubs: list[Part],
    removed: tuple[bool, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "objects"
    folder.mkdir()
    monkeypatch.setattr(cache, "SHIPPED", str(folder))
    if not cache.portable_targets():
        pytest.skip("nothing is shipped for this architecture")
    files = loader.compile_shipped(folder)
    assert len(files) == len(stubs) * len(loader.shipped_targets())
    for part, is_removed in zip(stubs, removed, strict=True):
        if is_removed:
            for path in folder.glob(f"{part.name}-*"):
                path.unlink()
    for part, is_removed in zip(stubs, removed, strict=True):
        assert load(part) == ("compiled" if is_removed else "wheel", [])


@pytest.mark.usefixtures("fake_compiler")
@damages
@each_part
def test_an_object_file_that_is_damaged_is_compiled_again(
    stubs: list[Part], number: int, damage: Callable[[Path], None]
) -> None:
    part = stubs[number]
    assert load(part) == ("compiled", [])
    assert load(part) == ("cache", [])
    (path,) = Path(cache.open_directory()).glob("*.bin")
    assert path.name.startswith(part.name)
    damage(path)
    origin, notices = load(part)
    assert origin == "compiled"
    assert ["found a damaged file" in each for each in notices] == (
        [] if damage is remove else [True]
    )
    assert load(part) == ("cache", [])


@pytest.mark.usefixtures("fake_compiler")
@damages
@each_part
def test_a_module_that_is_damaged_is_compiled_again(
    stubs: list[Part], number: int, damage: Callable[[Path], None]
) -> None:
    part = stubs[number]
    notices: list[str] = []
    assert loader.load_module(part).origin == "compiled"
    assert loader.load_module(part).origin == "cache"
    (path,) = Path(cache.open_directory()).glob(f"{part.name}-wasm32-*.bin")
    damage(path)
    assert loader.load_module(part, notices.append).origin == "compiled"
    assert ["found a damaged file" in each for each in notices] == (
        [] if damage is remove else [True]
    )
    assert loader.load_module(part) == loader.Module(b"code", "cache", str(path))


@pytest.mark.usefixtures("fake_compiler")
def test_the_modules_of_a_wheel_are_used(
    stubs: list[Part], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "objects"
    folder.mkdir()
    monkeypatch.setattr(cache, "SHIPPED", str(folder))
    loader.compile_shipped(folder)
    for part in stubs:
        assert loader.load_module(part).origin == "wheel"


@pytest.mark.usefixtures("fake_compiler")
def test_numba_alone_makes_no_modules(
    stubs: list[Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache.FALLBACK_VARIABLE, cache.FALLBACK)
    with pytest.raises(KernelError, match="expected LLVM, found MATESOLVE_COMPILER"):
        loader.load_module(stubs[0])


# Several processes


@pytest.fixture
def stub(stubs: list[Part]) -> Part:
    return stubs[0]


def path_of(part: Part) -> str:
    """Return the file of a part's code in the cache."""
    return os.path.join(cache.open_directory(), loader._file_name(part))  # noqa: PTH118


class Waiting:
    """Loads a part in a thread while the lock of its file is held, until it waits."""

    def __init__(self, part: Part) -> None:
        self.path = path_of(part)
        self.lines: list[str] = []
        self._waits = threading.Event()
        with ThreadPoolExecutor(1) as threads, files.locked(self.path):
            self.build = threads.submit(loader._load, part, print, self._compiling)
            assert self._waits.wait(60)
            self.work()

    def _compiling(self, line: str) -> AbstractContextManager[None]:
        self.lines.append(line.partition(" ")[0])
        self._waits.set()
        return nullcontext()

    def work(self) -> None:
        """Do what the process does that holds the lock."""


class WhileOneCompiles(Waiting):
    def work(self) -> None:
        cache.write_object(self.path, b"code")


@pytest.mark.usefixtures("fake_compiler")
def test_a_process_waits_for_the_one_that_compiles(stub: Part) -> None:
    other = WhileOneCompiles(stub)
    assert (other.build.result().origin, other.lines) == ("cache", ["waiting"])
    assert [path.suffix for path in Path(cache.open_directory()).iterdir()] == [".bin"]


@pytest.mark.usefixtures("fake_compiler")
def test_if_the_one_that_compiles_dies_the_next_one_compiles(stub: Part) -> None:
    other = Waiting(stub)
    assert other.build.result().origin == "compiled"
    assert other.lines == ["waiting", "compiling"]
    assert load(stub) == ("cache", [])


@pytest.mark.usefixtures("fake_compiler")
def test_a_process_does_not_wait_for_ever(
    stub: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "WAIT_S", 0.0)
    with files.locked(path_of(stub)):
        assert load(stub) == ("compiled", [])


@pytest.mark.usefixtures("fake_compiler")
def test_without_locks_each_process_compiles(
    stub: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(files, "lock", refuse)
    assert load(stub) == ("compiled", [])
    assert load(stub) == ("cache", [])


@pytest.mark.usefixtures("fake_compiler")
def test_a_caller_in_python_hears_of_compiling_and_of_damage(
    stub: Part, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for damage in (lambda _: None, truncate, empty):
        monkeypatch.setattr(loader, "_builds", {})  # as in a new process
        loader.load_part(stub)
        damage(Path(path_of(stub)))
    lines = [record.getMessage() for record in caplog.records]
    compiling = f"compiling {stub.title}, once for this version and machine ..."
    assert lines == [compiling, ANY, compiling]
    assert "found a damaged file" in lines[1]


SETTINGS = """
from numba.core import config
from solver.kernel.build import loader

before = config.BOUNDSCHECK
with loader._undisturbed():
    print(before, config.BOUNDSCHECK, end=" ")
print(config.BOUNDSCHECK)
"""


def test_settings_in_the_current_folder_do_not_change_the_code(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    (tmp_path / ".numba_config.yaml").write_text("boundscheck: 1\n")
    ended = run([sys.executable, "-c", SETTINGS], cwd=tmp_path)
    assert (ended.stdout, ended.stderr) == ("1 None 1\n", "")
