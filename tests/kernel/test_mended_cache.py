"""Each compiled part is compiled again if its stored code is missing or damaged.

Nothing is compiled here: the tests replace the compiler, and numba's way to cache.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from itertools import product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from solver.kernel.border.parts import PARTS
from solver.kernel.build import cache, loader
from solver.kernel.build.cache import FALLBACK, ObjectCode

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
parts = pytest.mark.parametrize(
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
        dataclasses.replace(
            part,
            module=f"absent.{part.name}",
            self_test=lambda _: None,
        )
        for part in PARTS
    ]
    monkeypatch.setattr(loader, "PARTS", tuple(stubs))
    monkeypatch.setattr(loader, "Kernel", lambda address, _operations: address)
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(cache.FALLBACK_VARIABLE, raising=False)
    return stubs


def load(part: Part) -> tuple[str, list[str]]:
    """Load a part as a new process does; return its origin and the notices."""
    notices: list[str] = []
    build = loader._load(part, notices.append, loader.not_shown)
    address: object = build.kernel
    assert address == ADDRESS
    return build.origin, notices


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that makes object code of every module."""
    code = ObjectCode(b"code", cache.source_hash(), cache.triple(), "numba 1")
    monkeypatch.setattr(loader, "compile_part", lambda *_: code)
    monkeypatch.setattr(loader, "link", lambda _: ADDRESS)


@pytest.mark.usefixtures("compiler")
@combinations
def test_parts_whose_object_files_are_removed_are_compiled_again(
    stubs: list[Part], removed: tuple[bool, ...]
) -> None:
    for part in stubs:
        assert load(part) == ("compiled", [])
    for part, is_removed in zip(stubs, removed, strict=True):
        if is_removed:
            (path,) = cache.open_directory().glob(f"{part.name}-*.bin")
            path.unlink()
    for part, is_removed in zip(stubs, removed, strict=True):
        assert load(part) == ("compiled" if is_removed else "cache", [])
        assert load(part) == ("cache", [])


@pytest.mark.usefixtures("compiler")
@damages
@parts
def test_an_object_file_that_is_damaged_is_compiled_again(
    stubs: list[Part],
    number: int,
    damage: Callable[[Path], None],
) -> None:
    part = stubs[number]
    assert load(part) == ("compiled", [])
    assert load(part) == ("cache", [])
    (path,) = cache.open_directory().glob("*.bin")
    assert path.name.startswith(part.name)
    damage(path)
    origin, notices = load(part)
    assert origin == "compiled"
    assert ["found a damaged file" in each for each in notices] == (
        [] if damage is remove else [True]
    )
    assert load(part) == ("cache", [])


class Numba:
    """Imports modules as numba does: it compiles what its cache does not have."""

    def __init__(self, stubs: list[Part], monkeypatch: pytest.MonkeyPatch) -> None:
        self._stubs = stubs
        self.compiled: list[str] = []
        self.killed_at = ""
        monkeypatch.setattr("importlib.import_module", self._import)
        monkeypatch.setenv(cache.FALLBACK_VARIABLE, FALLBACK)
        monkeypatch.setenv("NUMBA_CACHE_DIR", "")
        monkeypatch.delitem(sys.modules, "numba", raising=False)
        self._patch = monkeypatch

    def _import(self, name: str) -> None:
        kernel = Path(os.environ["NUMBA_CACHE_DIR"]) / "kernel_0"
        kernel.mkdir(exist_ok=True)
        for path in (kernel / f"{name}.nbi", kernel / f"{name}.nbc"):
            if not path.exists():
                self.compiled.append(path.name)
                path.write_bytes(name.encode())
            # As numba ends with an EOFError or an UnpicklingError.
            assert path.read_bytes() == name.encode()
        if name == self.killed_at:
            raise KeyboardInterrupt
        module: Any = ModuleType(name)
        module.entry = SimpleNamespace(address=ADDRESS)
        self._patch.setitem(sys.modules, name, module)

    def load(self, part: Part) -> int:
        """Load a part in a new process; return how many files numba has written."""
        for stub in self._stubs:
            self._patch.delitem(sys.modules, stub.module, raising=False)
        self.compiled.clear()
        assert load(part) == ("numba", [])
        return len(self.compiled)


@pytest.fixture
def numba(stubs: list[Part], monkeypatch: pytest.MonkeyPatch) -> Numba:
    return Numba(stubs, monkeypatch)


ALL = 2 * len(PARTS)
"""An index and an entry for each part."""


@combinations
def test_parts_that_are_removed_from_numbas_cache_are_compiled_again(
    numba: Numba, stubs: list[Part], removed: tuple[bool, ...]
) -> None:
    assert numba.load(stubs[0]) == ALL
    folder = cache.numba_directory(cache.open_directory())
    for part, is_removed in zip(stubs, removed, strict=True):
        if is_removed:
            for path in folder.glob(f"*/{part.module}.*"):
                path.unlink()
    assert numba.load(stubs[0]) == (ALL if any(removed) else 0)
    for part in stubs:
        assert numba.load(part) == 0


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@damages
@parts
def test_an_entry_of_numbas_cache_that_is_damaged_is_compiled_again(
    numba: Numba,
    stubs: list[Part],
    number: int,
    damage: Callable[[Path], None],
    kind: str,
) -> None:
    search, damaged = stubs[0], stubs[number]
    assert numba.load(search) == ALL
    assert numba.load(search) == 0
    folder = cache.numba_directory(cache.open_directory())
    (path,) = folder.glob(f"*/{damaged.module}.{kind}")
    damage(path)
    assert numba.load(search) == ALL
    assert numba.load(damaged) == 0


@parts
def test_after_a_kill_numba_compiles_again(
    numba: Numba, stubs: list[Part], number: int
) -> None:
    numba.killed_at = stubs[number].module
    with pytest.raises(KeyboardInterrupt):
        numba.load(stubs[0])
    numba.killed_at = ""
    assert numba.load(stubs[0]) == ALL
    assert numba.load(stubs[number]) == 0


def test_a_second_part_of_the_same_process_needs_no_cache(
    numba: Numba, stubs: list[Part]
) -> None:
    search, other = stubs[:2]
    assert numba.load(search) == ALL
    cache.remove_numba_entries(cache.numba_directory(cache.open_directory()))
    assert load(other) == ("numba", [])
    assert len(numba.compiled) == ALL
    assert numba.load(other) == ALL
