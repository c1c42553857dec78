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


@pytest.fixture
def stubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Part]:
    """The parts with a compiler that needs no modules, and an empty cache folder."""
    stubs = [
        part._replace(module=f"absent.{part.name}", answers=lambda _: {})
        for part in PARTS
    ]
    monkeypatch.setattr(parts, "PARTS", tuple(stubs))
    monkeypatch.setattr(loader, "compile_part", lambda *_: b"code")
    monkeypatch.setattr(loader, "place", lambda _: ADDRESS)
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


def path_of(part: Part) -> str:
    """Return the file of a part's code in the cache."""
    return os.path.join(cache.open_directory(), loader._file_name(part))  # noqa: PTH118


damaged = pytest.mark.parametrize(
    ("number", "damage"),
    [(number, (empty, truncate, remove)[number % 3]) for number in range(len(PARTS))],
    ids=[part.name for part in PARTS],
)


@damaged
def test_a_file_that_is_damaged_is_compiled_again_and_no_other(
    stubs: list[Part], number: int, damage: Callable[[Path], None]
) -> None:
    said = [] if damage is remove else ["found a damaged file"]
    for part in stubs:
        assert load(part) == ("compiled", [])
        assert load(part) == ("cache", [])
    damage(Path(path_of(stubs[number])))
    for part in stubs:
        origin, notices = load(part)
        is_damaged = part is stubs[number]
        assert origin == ("compiled" if is_damaged else "cache")
        ends = [notice.rpartition(", ")[2] for notice in notices]
        assert ends == (said if is_damaged else [])
        assert load(part) == ("cache", [])

    part, notices = stubs[number], []
    assert loader.load_module(part).origin == "compiled"
    (path,) = Path(cache.open_directory()).glob(f"{part.name}-wasm32-*.bin")
    damage(path)
    assert loader.load_module(part, notices.append).origin == "compiled"
    assert [notice.rpartition(", ")[2] for notice in notices] == said
    assert loader.load_module(part) == loader.Module(b"code", "cache", str(path))


@pytest.mark.skipif(not cache.portable_targets(), reason="nothing is shipped for it")
@damaged
def test_what_a_wheel_lacks_is_compiled(
    stubs: list[Part],
    number: int,
    damage: Callable[[Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cache, "SHIPPED", str(tmp_path))
    shipped = loader.compile_shipped(tmp_path)
    assert len(shipped) == len(stubs) * len(loader.shipped_targets())
    for path in tmp_path.glob(f"{stubs[number].name}-*"):
        damage(path)
    for part in stubs:
        expected = "compiled" if part is stubs[number] else "wheel"
        origin, notices = load(part)
        assert origin == loader.load_module(part).origin == expected
        assert all(notice.endswith("found a damaged file") for notice in notices)
        assert bool(notices) == (expected == "compiled" and damage is not remove)
    monkeypatch.setenv(cache.FALLBACK_VARIABLE, cache.FALLBACK)
    with pytest.raises(KernelError, match="expected LLVM, found MATESOLVE_COMPILER"):
        loader.load_module(stubs[number])


def test_without_any_folder_every_start_compiles(
    stubs: list[Part], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("in the way")
    monkeypatch.delenv(cache.DIRECTORY_VARIABLE)
    monkeypatch.setattr(cache, "candidate_directories", lambda: iter([str(blocked)]))
    for _ in range(2):
        origin, (notice,) = load(stubs[0])
        assert origin == "compiled"
        assert notice.startswith("no folder for compiled code, so the code is compiled")
        assert notice.endswith(f"{blocked}: expected a folder, found a file")


# Several processes


def load_beside_a_lock(
    part: Part, work: Callable[[str], None]
) -> tuple[str, list[str]]:
    """Load a part while its file is locked; when that is noticed, `work` on the file.

    Returns its origin, and what it waited for and did.
    """
    lines: list[str] = []
    waits = threading.Event()

    def compiling(line: str) -> AbstractContextManager[None]:
        lines.append(line.partition(" ")[0])
        waits.set()
        return nullcontext()

    path = path_of(part)
    with ThreadPoolExecutor(1) as threads, files.locked(path):
        build = threads.submit(loader._load, part, print, compiling)
        assert waits.wait(60)
        work(path)
    return build.result().origin, lines


def test_a_process_waits_for_the_one_that_compiles_and_compiles_if_that_dies(
    stubs: list[Part],
) -> None:
    found = load_beside_a_lock(stubs[0], lambda path: cache.write_object(path, b"code"))
    assert found == ("cache", ["waiting"])
    assert [path.suffix for path in Path(cache.open_directory()).iterdir()] == [".bin"]
    found = load_beside_a_lock(stubs[1], lambda _: None)
    assert found == ("compiled", ["waiting", "compiling"])
    assert load(stubs[1]) == ("cache", [])


def test_a_process_compiles_without_locks_and_does_not_wait_for_ever(
    stubs: list[Part], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(loader, "WAIT_S", 0.0)
    with files.locked(path_of(stubs[0])):
        assert load(stubs[0]) == ("compiled", [])
    monkeypatch.setattr(files, "lock", refuse)
    assert load(stubs[1]) == ("compiled", [])
    assert load(stubs[1]) == ("cache", [])


def test_a_caller_in_python_hears_of_compiling_and_of_damage(
    stubs: list[Part],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for damage in (lambda _: None, truncate, empty):
        monkeypatch.setattr(loader, "_builds", {})  # as in a new process
        loader.load_part(stubs[0])
        damage(Path(path_of(stubs[0])))
    lines = [record.getMessage() for record in caplog.records]
    compiling = f"compiling {stubs[0].title}, once for this version and machine ..."
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
