"""The kernel as machine code: compiled once, stored, and loaded without numba.

Importing numba takes longer than solving most problems. So the object code that numba
makes of `solver.kernel.entry` is stored, and later processes hand it to LLVM, which
links it in milliseconds. Numba has no public way to the object code; where its inner
parts are not as expected, its own cache serves instead, and only the start is slower.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from solver.errors import CacheError
from solver.kernel.cache import (
    DIRECTORY_VARIABLE,
    FALLBACK,
    FALLBACK_VARIABLE,
    holds_numba_entry,
    open_directory,
    private_directories,
    read_kernel,
    write_kernel,
)
from solver.kernel.interface import Kernel
from solver.kernel.self_test import KernelError, self_test

Notice = Callable[[str], None]

COMPILING = "compiling the search kernel, once for this version and machine ..."


@dataclass(frozen=True, slots=True)
class Build:
    """How the kernel came into this process.

    Attributes
    ----------
    kernel : Kernel
        The compiled functions, self-tested.
    origin : str
        "stored" code was loaded, it was "compiled" just now, or "numba" served it.
    path : Path or None
        What was loaded or written; None when nothing could be stored.
    seconds : float
        How long it took.
    """

    kernel: Kernel
    origin: str
    path: Path | None
    seconds: float


_lock = threading.Lock()
_builds: list[Build] = []


def load_kernel(notice: Notice = lambda _text: None) -> Build:
    """Load the stored kernel, or compile and store it; once a process.

    Parameters
    ----------
    notice : callable
        Told, in a line, when something takes time or cannot be as it should.

    Raises
    ------
    CacheError
        The folder that the user named for compiled code cannot be used.
    KernelError
        The compiled code fails its self-test.
    """
    with _lock:
        if not _builds:
            _builds.append(_build(notice))
        return _builds[0]


def fingerprint() -> str:
    """Name what decides the machine code: sources, compilers, CPU; 32 hex digits."""
    import llvmlite.binding as llvm

    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    for fact in (
        version("numba"),
        version("llvmlite"),
        version("numpy"),
        platform.python_version(),
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        *(f"{name}={value}" for name, value in sorted(_numba_settings().items())),
    ):
        digest.update(fact.encode() + b"\0")
    return digest.hexdigest()[:32]


def _numba_settings() -> dict[str, str]:
    """The user's settings of numba, some of which change the code that it makes."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name != "NUMBA_CACHE_DIR"
    }


def _build(notice: Notice) -> Build:
    started = time.perf_counter()
    name = f"kernel-{fingerprint()}.bin"
    by_numba = os.environ.get(FALLBACK_VARIABLE) == FALLBACK
    if not by_numba:
        for directory in private_directories():
            if loaded := _load(directory / name, notice):
                seconds = time.perf_counter() - started
                return Build(loaded, "stored", directory / name, seconds)

    path = None
    try:
        path = open_directory() / name
    except CacheError as error:
        if os.environ.get(DIRECTORY_VARIABLE):
            raise
        notice(f"no folder for compiled code, so every start compiles: {error}")

    kernel, origin = None, "compiled"
    if not by_numba:
        kernel = _compile(path, notice)
    if kernel is None:
        kernel, origin = _serve_by_numba(path, notice), "numba"
        path = _numba_directory(path) if path else None
    return Build(kernel, origin, path, time.perf_counter() - started)


def _load(path: Path, notice: Notice) -> Kernel | None:
    """Link what is stored; None when there is nothing, or nothing sound."""
    from solver.kernel.linking import link

    try:
        stored = read_kernel(path)
    except FileNotFoundError:
        return None
    except (OSError, CacheError) as error:
        notice(f"the stored kernel is not used: {error}")
        return None
    kernel = link(stored)
    try:
        self_test(kernel)
    except KernelError as error:
        notice(f"the stored kernel is not used: {error}")
        return None
    return kernel


def _compile(path: Path | None, notice: Notice) -> Kernel | None:
    """Compile and store; None when the object code cannot be had from this numba."""
    if path and _no_object_code(path).exists():
        return None  # an earlier process has tried
    from solver.kernel.linking import CannotExtractError, extract, link

    notice(COMPILING)
    entry = _import_entry()
    try:
        stored = extract(entry.kernel)
    except CannotExtractError as error:
        notice(f"numba's own cache serves from now on: no object code ({error})")
        if path:
            _no_object_code(path).touch(mode=0o600)
        kernel = Kernel(entry.kernel.address)
        self_test(kernel)
        return kernel
    kernel = link(stored)
    self_test(kernel)
    if path:
        try:
            write_kernel(path, stored)
        except OSError as error:
            notice(f"the compiled kernel could not be stored: {error}")
    return kernel


def _serve_by_numba(path: Path | None, notice: Notice) -> Kernel:
    """Let numba load the kernel from its own cache, or compile it."""
    if path:
        directory = _numba_directory(path)
        if not holds_numba_entry(directory):
            notice(COMPILING)
        directory.mkdir(mode=0o700, exist_ok=True)
        os.environ[FALLBACK_VARIABLE] = FALLBACK
        os.environ["NUMBA_CACHE_DIR"] = str(directory)
        if numba := sys.modules.get("numba"):
            numba.config.CACHE_DIR = str(directory)
    else:
        # In a folder that is not ours, numba would serve what older sources made.
        os.environ.pop(FALLBACK_VARIABLE, None)
        notice(COMPILING)
    kernel = Kernel(_import_entry().kernel.address)
    self_test(kernel)
    return kernel


def _numba_directory(path: Path) -> Path:
    return path.with_suffix(".numba")


def _no_object_code(path: Path) -> Path:
    """Where it is noted that numba does not give its object code away."""
    return path.with_suffix(".no-object-code")


def _import_entry() -> Any:
    return importlib.import_module("solver.kernel.entry")
