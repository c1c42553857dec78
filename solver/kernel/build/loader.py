"""Loading the kernel: from the package, from the cache, or from the compiler.

Compiling takes seconds and importing numba takes longer than solving most problems. So
compiled code is kept as object files, which llvmlite links in milliseconds, without
numba. A platform wheel ships such files. Otherwise the first process compiles and
stores them in the user's cache folder.

`load_part` loads a part of `solver.kernel.border.parts`; none is used before its
self-test.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.errors import CacheError
from solver.kernel.border.interface import Kernel, KernelError
from solver.kernel.border.parts import PARTS
from solver.kernel.build.cache import (
    DIRECTORY_VARIABLE,
    FALLBACK,
    FALLBACK_VARIABLE,
    SHIPPED,
    ObjectCode,
    code_key,
    compilers,
    holds_numba_entries,
    mark_numba_entries,
    numba_directory,
    open_directory,
    packed,
    private_directories,
    read_object,
    remove_numba_entries,
    source_hash,
    triple,
    write_object,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.kernel.border.parts import Part
    from solver.kernel.build.target import Target

SYMBOL = "matesolve_entry"
"""The C function of each object file."""

Notice = Callable[[str], None]
"""Receives a line when a file of compiled code cannot be used or stored."""

Compiling = Callable[[str], AbstractContextManager[Any]]
"""Makes a context that is entered while the compiler works, from a line about it."""


def not_shown(_line: str) -> AbstractContextManager[Any]:
    """Return a context that does nothing."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Build:
    """A part of the kernel and how it was loaded.

    Attributes
    ----------
    kernel : Kernel
        The compiled functions, self-tested.
    origin : str
        "wheel" (shipped with the package), "cache", "compiled" (just now) or "numba"
        (numba's own cache).
    path : Path or None
        The file or folder that was loaded or written; None if nothing could be stored.
    seconds : float
        The time it took.
    """

    kernel: Kernel
    origin: str
    path: Path | None
    seconds: float


_lock = threading.Lock()
_builds: dict[str, Build] = {}


def load_part(
    part: Part,
    notice: Notice = lambda _text: None,
    compiling: Compiling = not_shown,
) -> Build:
    """Load a part, or compile and store it; once for each process.

    Parameters
    ----------
    part : Part
    notice : callable
        Receives a line when a file cannot be loaded or stored.
    compiling : callable
        Makes a context that is entered while the compiler works, from a line about it.

    Raises
    ------
    CacheError
        The folder that `MATESOLVE_CACHE_DIR` names cannot be used.
    KernelError
        The compiled code fails its self-test.
    """
    with _lock:
        if part.name not in _builds:
            _builds[part.name] = _load(part, notice, compiling)
        return _builds[part.name]


def load_stored(part: Part) -> Build | None:
    """Load a part if it is stored or shipped; return None otherwise."""
    by_numba = os.environ.get(FALLBACK_VARIABLE) == FALLBACK
    with _lock:
        if part.name not in _builds and not by_numba:
            started = time.perf_counter()
            if loaded := _from_file(part, lambda _fault: None):
                _builds[part.name] = Build(*loaded, time.perf_counter() - started)
        return loaded_part(part)


def loaded_part(part: Part) -> Build | None:
    """Return a part if this process has loaded it."""
    return _builds.get(part.name)


Loaded = tuple[Kernel, str, Path | None]
"""A kernel, its origin, and the file or folder; see `Build`."""


def _load(part: Part, notice: Notice, compiling: Compiling) -> Build:
    started = time.perf_counter()
    by_numba = os.environ.get(FALLBACK_VARIABLE) == FALLBACK
    loaded = None if by_numba else _from_file(part, notice)
    if loaded is None:
        directory = _directory_to_write(notice)
        if not (by_numba or _cannot_translate(directory)):
            loaded = _by_compiler(part, directory, notice, compiling)
        loaded = loaded or _by_numba(part, directory, compiling)
    kernel, origin, place = loaded
    return Build(kernel, origin, place, time.perf_counter() - started)


def _from_file(part: Part, notice: Notice) -> Loaded | None:
    """Load a part from the package or the cache; None if no file can be used.

    Faults are reported only then: an installation whose shipped code cannot be trusted
    would otherwise report it at every start, although the cache serves it.
    """
    faults = []
    for origin, path in _files(part):
        try:
            return _read(part, path), origin, path
        except FileNotFoundError:
            continue
        except (OSError, CacheError, KernelError) as error:
            faults.append(f"compiled code is not used: {error}")
    for fault in faults:
        notice(fault)
    return None


def _directory_to_write(notice: Notice) -> Path | None:
    """Return the folder for compiled code; None if none can be used."""
    try:
        return open_directory()
    except CacheError as error:
        if os.environ.get(DIRECTORY_VARIABLE):
            raise
        notice(f"no folder for compiled code, so every start compiles: {error}")
        return None


def _by_compiler(
    part: Part,
    directory: Path | None,
    notice: Notice,
    compiling: Compiling,
) -> Loaded | None:
    """Compile and store a part; None if this numba has other internals."""
    from solver.kernel.build.target import host

    modules = set(sys.modules)
    try:
        with compiling(_line(part)), _collector_paused():
            compiled = compile_part(part, host())
    except (KernelError, MemoryError, OSError):
        raise  # not numba's internals, and numba's own way would not help
    except Exception as error:  # other internals may fail in any way
        reason = f"{type(error).__name__}: {error}"
        notice(f"this numba cannot translate, so its own cache is used: {reason}")
        if directory is not None:
            _mark(directory).touch(mode=0o600)
        for name in set(sys.modules) - modules:
            if name.startswith("solver.kernel."):
                del sys.modules[name]  # numba is to compile it from the start
        return None
    kernel = _tested(part, link(compiled.code))
    if directory is None:
        return kernel, "compiled", None
    path = directory / _file_name(part)
    try:
        write_object(path, compiled)
    except OSError as error:
        notice(f"{path}: the compiled code could not be stored: {error.strerror}")
    return kernel, "compiled", path


def _cannot_translate(directory: Path | None) -> bool:
    """Return whether an earlier process found that this numba has other internals."""
    return directory is not None and _mark(directory).exists()


def _mark(directory: Path) -> Path:
    return directory / f"no-translation-{code_key()}"


def _by_numba(part: Part, directory: Path | None, compiling: Compiling) -> Loaded:
    """Let numba load all parts from its own cache, or compile them.

    Without a folder nothing is cached: in a shared folder, numba would load code that
    older sources made.
    """
    own = None if directory is None else numba_directory(directory)
    if part.module not in sys.modules:
        _import_by_numba(own, lambda: compiling(_line(part)))
    return _tested(part, sys.modules[part.module].entry.address), "numba", own


def _import_by_numba(
    own: Path | None, compiling: Callable[[], AbstractContextManager[Any]]
) -> None:
    """Import the modules of all parts; the first process fills numba's cache.

    What a process has left there that was killed, or what was changed, is compiled
    again.
    """
    os.environ[FALLBACK_VARIABLE] = FALLBACK
    os.environ["NUMBA_CACHE_DIR"] = str(own or "")
    if numba := sys.modules.get("numba"):
        numba.config.CACHE_DIR = str(own or "")
    is_cached = own is not None and holds_numba_entries(own)
    if own is not None and not is_cached:
        own.mkdir(mode=0o700, exist_ok=True)
        remove_numba_entries(own)
    with nullcontext() if is_cached else compiling():
        for part in PARTS:
            importlib.import_module(part.module)
    if own is not None and not is_cached:
        with suppress(OSError):  # a full disk, or another process has just emptied it
            mark_numba_entries(own)


# Files of compiled code


def _files(part: Part) -> Iterator[tuple[str, Path]]:
    """Yield each file that may have a part, best first, with its origin."""
    if SHIPPED.is_dir():
        from solver.kernel.build.target import portable_targets, runs_here

        for target in portable_targets():
            if runs_here(target):
                yield "wheel", SHIPPED / shipped_name(part, target)
    for directory in private_directories():
        yield "cache", directory / _file_name(part)


def shipped_name(part: Part, target: Target) -> str:
    """Return the name of the file that a wheel carries for a target."""
    return f"{part.name}-{target.name}.bin"


def _file_name(part: Part) -> str:
    return f"{part.name}-{code_key()}.bin"


def _read(part: Part, path: Path) -> Kernel:
    """Link and test a stored or shipped part; raise an error if that is not safe."""
    compiled = read_object(path)
    for what, expected, found in (
        ("sources", source_hash(), compiled.sources),
        ("triple", triple(), compiled.triple),
    ):
        if found != expected:
            msg = f"{path}: {what}: expected {expected}, found {found}"
            raise CacheError(msg)
    return _tested(part, link(compiled.code))


# Linking

_engines: list[Any] = []
"""The engines own the linked code, so they live as long as the process."""


def link(code: bytes) -> int:
    """Load an object file into this process; return the C function's address.

    Raises
    ------
    KernelError
        It does not have this function.
    """
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        codemodel="jitdefault", jit=True
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    address: int = engine.get_function_address(SYMBOL)
    if not address:
        msg = f"object code: expected the function {SYMBOL}, found none"
        raise KernelError(msg)
    return address


def _tested(part: Part, address: int) -> Kernel:
    kernel = Kernel(address, part.operations)
    part.self_test(kernel)
    return kernel


# Compiling


def compile_part(part: Part, target: Target) -> ObjectCode:
    """Compile a part for a target.

    Raises
    ------
    KernelError
        A function is called that does not exist.
    Exception
        Any, if numba's internals differ.
    """
    from solver.kernel.build.compiler import compile_object

    entry = importlib.import_module(part.module).entry
    code = compile_object(entry, SYMBOL, target)
    return ObjectCode(code, source_hash(), triple(), compilers())


def compile_shipped(directory: Path) -> list[Path]:
    """Compile all that a wheel for this architecture carries.

    Parameters
    ----------
    directory : Path
        The folder to write the files to.

    Returns
    -------
    list of Path
        The files; empty if nothing is known to be portable on this architecture.

    Raises
    ------
    KernelError
        Code for a target that runs here fails its self-test.
    """
    from solver.kernel.build.target import portable_targets, runs_here

    files = []
    for part in PARTS:
        for target in portable_targets():
            compiled = compile_part(part, target)
            if runs_here(target):
                _tested(part, link(compiled.code))
            path = directory / shipped_name(part, target)
            path.write_bytes(packed(compiled))
            files.append(path)
    return files


def _line(part: Part) -> str:
    return f"compiling {part.title}, once for this version and machine ..."


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which takes a tenth of the compiler's time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
