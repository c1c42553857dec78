"""Load compiled parts: machine code from the cache, compiled if it is missing.

Compiling takes seconds, and importing numba takes longer than solving most problems. So
compiled code is kept in files: images, which are copied into memory, or object files
where `cache.HAS_IMAGES` is false, which llvmlite links. A platform wheel ships such
files. Otherwise the first process compiles and stores them in the user's cache folder.

`load_part` loads a part of `solver.kernel.border.parts`; none is used before its
self-test. `load_module` reads a part as a WebAssembly module, for web pages. A module
has no self-test, which would need a WebAssembly runtime;
tests/kernel/build/test_wasm.py has one, and compares the modules with native code.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from os.path import isdir, join
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from solver import errors
from solver.kernel.border import interface, parts
from solver.kernel.build import cache

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SYMBOL = "matesolve_entry"
"""The C function of each object file and module."""

Notice = Callable[[str], None]
"""Called with a message when a file of compiled code cannot be used or stored."""

WAIT_S = 300.0
"""How long to wait for another process that compiles the same part, in seconds. Then
that process hangs, and this one compiles. A part takes 6 to 20 s of an idle core."""

POLL_S = 0.05
"""How often to look whether it has ended, in seconds."""

Code = TypeVar("Code")

CANNOT_TRANSLATE = "this version of numba cannot emit code for LLVM"

Compiling = Callable[[str], AbstractContextManager[Any]]
"""Makes a context from a message about the compiler, which works inside it."""


def log(line: str) -> None:
    """Log a line, which is printed on stderr unless the application says otherwise."""
    import logging  # takes longer to import than a mate in 2 to solve

    logging.getLogger("solver").warning(line)


def log_compiling(line: str) -> AbstractContextManager[Any]:
    """Log that the compiler works, because it takes seconds."""
    log(line)
    return nullcontext()


class Build(NamedTuple):
    """A part of the kernel and how it was loaded.

    Attributes
    ----------
    kernel : Kernel
        The compiled functions, self-tested.
    origin : str
        "wheel" (shipped with the package), "cache", "compiled" (just now) or "numba"
        (compiled just now, by numba alone).
    path : str or None
        The file that was loaded or written; None if nothing was stored.
    """

    kernel: interface.Kernel
    origin: str
    path: str | None


class Module(NamedTuple):
    """A part of the kernel as a WebAssembly module, and where it came from.

    Attributes
    ----------
    code : bytes
        The module; `solver.kernel.build.wasm` says what it needs from its host.
    origin : str
        "wheel", "cache" or "compiled", as in `Build`.
    path : str or None
        The file that was read or written; None if nothing was stored.
    """

    code: bytes
    origin: str
    path: str | None


_lock = threading.Lock()
_builds: dict[str, Build] = {}


def load_part(
    part: parts.Part, notice: Notice = log, compiling: Compiling = log_compiling
) -> Build:
    """Load a part, or compile and store it; once for each process.

    Parameters
    ----------
    part : Part
    notice : callable
        Receives a line when a file cannot be loaded or stored. Default: `log`.
    compiling : callable
        Makes a context from a message about the compiler, which works inside it, or
        about another process that compiles the same part. Default: `log_compiling`.

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


def load_module(
    part: parts.Part, notice: Notice = log, compiling: Compiling = log_compiling
) -> Module:
    """Read a part as a WebAssembly module, or compile and store it.

    Parameters are those of `load_part`.

    Raises
    ------
    CacheError
        The folder that `MATESOLVE_CACHE_DIR` names cannot be used.
    KernelError
        numba compiles by itself, so there can be no modules.
    """
    from solver.kernel.build import wasm

    if _is_by_numba():
        msg = (
            f"WebAssembly: expected LLVM, "
            f"found {cache.FALLBACK_VARIABLE}={cache.FALLBACK}"
        )
        raise interface.KernelError(msg)
    if found := _first_usable(_module_files(part), cache.read_object, notice):
        return Module(*found)
    path = _path_to_write(_file_name(part, wasm.WASM32), notice)
    with _alone(path, part, compiling):
        if found := _first_usable(_module_files(part), cache.read_object, _ignore):
            return Module(*found)  # another process has stored it meanwhile
        line = f"compiling {part.title} for WebAssembly, once for this version ..."
        try:
            with compiling(line), _undisturbed():
                code = compile_part(part, wasm.WASM32)
        except (interface.KernelError, MemoryError, OSError):
            raise
        except Exception as error:  # numba's internals may fail in any way
            msg = f"{CANNOT_TRANSLATE}: {type(error).__name__}: {error}"
            raise interface.KernelError(msg) from error
        return Module(code, "compiled", _stored(path, code, notice))


def loaded_part(part: parts.Part) -> Build | None:
    """Return a part if this process has loaded it."""
    return _builds.get(part.name)


def _load(part: parts.Part, notice: Notice, compiling: Compiling) -> Build:
    """Load a part from a file, else from our compiler, else from numba's."""
    return (
        _from_file(part, notice)
        or _by_compiler(part, notice, compiling)
        or _by_numba(part, compiling)
    )


def _is_by_numba() -> bool:
    """Return whether numba is to compile by itself."""
    return os.environ.get(cache.FALLBACK_VARIABLE) == cache.FALLBACK


def _from_file(part: parts.Part, notice: Notice) -> Build | None:
    """Load a part from the package or the cache; None if no file can be used."""
    found = _first_usable(_files(part), lambda path: _read(part, path), notice)
    return Build(*found) if found else None


def _first_usable(
    files: Iterator[tuple[str, str]], read: Callable[[str], Code], notice: Notice
) -> tuple[Code, str, str] | None:
    """Read the first file that can be used; return it with its origin and place.

    Faults are reported only if no file can be used. Otherwise an installation with
    untrusted shipped code would report it at every start, although it uses the cache.
    """
    faults = []
    for origin, path in files:
        try:
            return read(path), origin, path
        except FileNotFoundError:
            continue
        except (OSError, errors.CacheError, interface.KernelError) as error:
            faults.append(f"cannot use the compiled code: {error}")
    for fault in faults:
        notice(fault)
    return None


def _by_compiler(
    part: parts.Part, notice: Notice, compiling: Compiling
) -> Build | None:
    """Compile and store a part; None if numba must compile it by itself."""
    if _is_by_numba():
        return None
    from importlib.util import find_spec

    if find_spec("numba") is None:  # in a bundle; see solver.bundle
        msg = f"{part.title}: expected compiled code for this machine, found none"
        raise interface.KernelError(msg)

    path = _path_to_write(_file_name(part), notice)
    with _alone(path, part, compiling):
        if found := _from_file(part, _ignore):
            return found  # another process has stored it meanwhile
        modules = set(sys.modules)
        try:
            line = f"compiling {part.title}, once for this version and machine ..."
            with compiling(line), _undisturbed():
                code = compile_part(part, cache.host())
        except (interface.KernelError, MemoryError, OSError):
            raise  # not numba's internals, and numba's own way would not help
        except Exception as error:  # other internals may fail in any way
            notice(f"{CANNOT_TRANSLATE}: {type(error).__name__}: {error}")
            for name in set(sys.modules) - modules:
                if name.startswith("solver.kernel."):
                    del sys.modules[name]  # numba is to compile it from the start
            return None
        kernel = _tested(part, place(code))
        return Build(kernel, "compiled", _stored(path, code, notice))


def _ignore(_line: str) -> None:
    """Ignore a fault that was reported before."""


@contextmanager
def _alone(path: str | None, part: parts.Part, compiling: Compiling) -> Iterator[None]:
    """Keep other processes from compiling the same file, or wait for one that does.

    If that process dies, the next one takes its place.
    """
    with ExitStack() as held:
        if path is not None and not _lock_code(path, held):
            until = time.monotonic() + WAIT_S
            line = f"waiting for another process that compiles {part.title} ..."
            with compiling(line):
                while not _lock_code(path, held) and time.monotonic() < until:
                    time.sleep(POLL_S)
        yield


def _lock_code(path: str, held: ExitStack) -> bool:
    """Return False if another process holds the lock of a file; else try to hold it."""
    from solver import files

    try:
        held.enter_context(files.locked(path))
    except BlockingIOError:
        return False
    except OSError:  # the folder is read-only, or its file system has no locks
        pass
    return True


def _stored(path: str | None, code: bytes, notice: Notice) -> str | None:
    """Store compiled code, and return its file; None if there is no folder."""
    if path is None:
        return None
    try:
        cache.write_object(path, code)
    except OSError as error:
        notice(f"{path}: the compiled code could not be stored: {error.strerror}")
    return path


def _path_to_write(name: str, notice: Notice) -> str | None:
    """Return a path in the folder for compiled code; None if none can be used."""
    try:
        return join(cache.open_directory(), name)
    except errors.CacheError as error:
        if os.environ.get(cache.DIRECTORY_VARIABLE):
            raise
        notice(
            f"no folder for compiled code, so the code is compiled at every start: "
            f"{error}"
        )
        return None


def _by_numba(part: parts.Part, compiling: Compiling) -> Build:
    """Let numba alone compile a part, for this process."""
    os.environ[cache.FALLBACK_VARIABLE] = cache.FALLBACK
    with compiling(f"compiling {part.title} with numba alone, at every start ..."):
        entry = importlib.import_module(part.module).entry
    return Build(_tested(part, entry.address), "numba", None)


# Files of compiled code


def _files(part: parts.Part) -> Iterator[tuple[str, str]]:
    """Yield each file that may have a part, best first, with its origin."""
    if _is_by_numba():
        return
    if isdir(cache.SHIPPED):
        for target in cache.portable_targets():
            if cache.runs_here(target):
                yield "wheel", join(cache.SHIPPED, shipped_name(part, target))
    for directory in cache.private_directories():
        yield "cache", join(directory, _file_name(part))


def _module_files(part: parts.Part) -> Iterator[tuple[str, str]]:
    """Yield each file that may have a part's module, best first, with its origin."""
    from solver.kernel.build import wasm

    if isdir(cache.SHIPPED):
        yield "wheel", join(cache.SHIPPED, shipped_name(part, wasm.WASM32))
    for directory in cache.private_directories():
        yield "cache", join(directory, _file_name(part, wasm.WASM32))


def shipped_targets() -> tuple[cache.Target, ...]:
    """Return the targets of all files that a wheel contains for each part."""
    from solver.kernel.build import wasm

    return *cache.portable_targets(), wasm.WASM32


def shipped_name(part: parts.Part, target: cache.Target) -> str:
    """Return the name of a wheel's file for a target."""
    return f"{part.name}-{target.name}.bin"


def _file_name(part: parts.Part, target: cache.Target | None = None) -> str:
    """Return the name of a file in the cache, for this machine or for a target."""
    if target is None:
        return f"{part.name}-{cache.code_key()}.bin"
    return f"{part.name}-{target.name}-{cache.code_key(any_processor=True)}.bin"


def _read(part: parts.Part, path: str) -> interface.Kernel:
    """Load and test a stored or shipped part; raise an error if that is not safe."""
    return _tested(part, place(cache.read_object(path)))


# Machine code in memory

ENTRY_ALIGNMENT = 4
"""The least alignment of a function, on x86-64 and AArch64."""

_loaded: list[object] = []
"""The memory with the code, which is kept as long as the process."""

_engines: list[Any] = []
"""The engines own the linked code, so they live as long as the process."""


def place(code: bytes) -> int:
    """Place compiled code in this process; return the C function's address.

    Raises
    ------
    KernelError
        It does not have this function.
    OSError
        The system refuses executable memory.
    """
    if cache.HAS_IMAGES:
        return load_image(code)
    return place_object(code)


def load_image(code: bytes) -> int:
    """Copy an image into memory that can be executed; return the function's address.

    When a page becomes executable, Linux makes the instruction cache see what was
    written to it, which AArch64 does not do by itself.

    Raises
    ------
    KernelError
        The place of the C function is not in the image.
    OSError
        The system refuses executable memory.
    """
    from ctypes import CDLL, addressof, c_char, c_size_t, c_void_p, get_errno
    from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PROT_EXEC, PROT_READ, PROT_WRITE, mmap

    size = len(code) - cache.ENTRY.size
    (entry,) = cache.ENTRY.unpack_from(code) if size > 0 else (0,)
    if entry >= size or entry % ENTRY_ALIGNMENT:
        msg = f"image: expected a function in {size} bytes, found one at {entry}"
        raise interface.KernelError(msg)
    memory = mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ | PROT_WRITE)
    memory.write(memoryview(code)[cache.ENTRY.size :])
    start = c_char.from_buffer(memory)
    system = CDLL(None, use_errno=True)
    protection = PROT_READ | PROT_EXEC
    if system.mprotect(c_void_p(addressof(start)), c_size_t(size), protection):
        reason = f"no memory for machine code: {os.strerror(get_errno())}"
        raise OSError(get_errno(), reason)
    _loaded.append(start)
    return addressof(start) + entry


def place_object(code: bytes) -> int:
    """Let llvmlite link an object file; see `place`."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    generator = llvm.Target.from_default_triple().create_target_machine(
        codemodel="jitdefault", jit=True
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), generator)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    address: int = engine.get_function_address(SYMBOL)
    if not address:
        msg = f"object code: expected the function {SYMBOL}, found none"
        raise interface.KernelError(msg)
    return address


def _tested(part: parts.Part, address: int) -> interface.Kernel:
    kernel = interface.Kernel(address, part.operations)
    part.self_test(kernel)
    return kernel


# Compiling


def compile_part(part: parts.Part, target: cache.Target) -> bytes:
    """Compile a part for a target; see `compile_entry`."""
    return compile_entry(importlib.import_module(part.module).entry, target)


def compile_entry(entry: Any, target: cache.Target) -> bytes:
    """Compile a C function and what it calls to machine code, or to a module.

    Raises
    ------
    KernelError
        A function is called that does not exist.
    Exception
        Any, if numba's internals differ.
    """
    from solver.kernel.build import compiler, linker, wasm

    code = compiler.compile_object(entry, SYMBOL, target)
    if target is wasm.WASM32:
        return wasm.to_module(code, SYMBOL)
    return linker.link(code, SYMBOL) if cache.HAS_IMAGES else code


def compile_shipped(directory: Path) -> list[Path]:
    """Compile all files of a wheel for this architecture, modules included.

    Parameters
    ----------
    directory : Path
        The folder to write the files to.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    KernelError
        Code for a target that runs here fails its self-test.
    """
    files = []
    for part in parts.PARTS:
        for target in shipped_targets():
            code = compile_part(part, target)
            if cache.runs_here(target):
                _tested(part, place(code))
            path = directory / shipped_name(part, target)
            path.write_bytes(cache.packed_code(code))
            files.append(path)
    return files


NUMBA_FILE = "_config_fname"
"""The variable of numba with the name of its file of settings."""


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Compile without the garbage collector, and without settings of the folder.

    The collector takes a tenth of the compiler's time. numba reads settings from
    `.numba_config.yaml` in the current folder; they may change the code, and no key of
    a stored file knows them.
    """
    from numba.core import config

    enabled = gc.isenabled()
    gc.disable()
    name = vars(config).get(NUMBA_FILE)
    vars(config)[NUMBA_FILE] = ""
    config.reload_config()
    try:
        yield
    finally:
        vars(config)[NUMBA_FILE] = name
        config.reload_config()
        if enabled:
            gc.enable()
