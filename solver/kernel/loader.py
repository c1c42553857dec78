"""Loading the kernel: compiled once, stored as object code, linked without numba.

Importing numba takes longer than solving most problems. So the object code that numba
makes of `solver.kernel.entry` is stored, and later processes pass it to llvmlite, which
links it in milliseconds. numba has no public interface to the object code. If its
internals are not as expected, numba's own cache is used, and only the start is slower.

`load_kernel` is the function to call. `extract` and `link` turn compiled code into
stored code and stored code into a `Kernel`. `self_test` runs before any kernel is used.
"""

from __future__ import annotations

import ctypes
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

from solver.errors import CacheError, MatesolveError
from solver.kernel.cache import (
    DIRECTORY_VARIABLE,
    FALLBACK,
    FALLBACK_VARIABLE,
    StoredKernel,
    holds_numba_entry,
    open_directory,
    private_directories,
    read_kernel,
    write_kernel,
)
from solver.kernel.interface import (
    INFINITE_SCORE,
    MATE_SCORE,
    NO_LIMIT,
    Kernel,
    Verdict,
)
from solver.kernel.memory import Experiment, Position, Search

# Object code

_engines: list[Any] = []
"""The engines own the linked code, so they live as long as the process."""


class CannotExtractError(Exception):
    """numba's internals are not as expected, so there is no object code."""


def extract(native: Any) -> StoredKernel:
    """Return the object code of a compiled `numba.cfunc`.

    Raises
    ------
    CannotExtractError
        This version of numba keeps it elsewhere.
    """
    try:
        library = native._library  # noqa: SLF001 - numba has no public way
        module = library._final_module  # noqa: SLF001
        machine = library.codegen._tm  # noqa: SLF001
        symbol = native.native_name
        code = machine.emit_object(module)
    except AttributeError as error:
        raise CannotExtractError(str(error)) from error
    declared = [*module.functions, *module.global_variables]
    undefined = tuple(
        value.name
        for value in declared
        if value.is_declaration and not value.name.startswith("llvm.")
    )
    return StoredKernel(symbol, undefined, code)


def link(stored: StoredKernel) -> Kernel:
    """Load object code into this process, without numba."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    for name in stored.undefined:
        llvm.add_symbol(name, _stand_in(name))
    machine = llvm.Target.from_default_triple().create_target_machine(
        codemodel="jitdefault", jit=True
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(stored.code))
    engine.finalize_object()
    _engines.append(engine)
    return Kernel(engine.get_function_address(stored.symbol))


def _stand_in(name: str) -> int:
    """Return an address for a symbol that only numba's error paths use.

    Kernel functions raise nothing, so none of these symbols is ever called. Symbols of
    Python itself get their own address; the others get one that ends the process.
    """
    try:
        symbol = ctypes.c_char.in_dll(ctypes.pythonapi, name)
    except ValueError:
        symbol = ctypes.c_char.in_dll(ctypes.pythonapi, "Py_FatalError")
    return ctypes.addressof(symbol)


# Loading

Notice = Callable[[str], None]

COMPILING = "compiling the search kernel, once for this version and machine ..."


@dataclass(frozen=True, slots=True)
class Build:
    """A kernel and how it was loaded.

    Attributes
    ----------
    kernel : Kernel
        The compiled functions, self-tested.
    origin : str
        "stored" (loaded from a file), "compiled" (just now) or "numba" (numba's cache).
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
_builds: list[Build] = []


def load_kernel(notice: Notice = lambda _text: None) -> Build:
    """Load the stored kernel, or compile and store it; once for each process.

    Parameters
    ----------
    notice : callable
        Receives a line when the kernel is compiled, or cannot be loaded or stored.

    Raises
    ------
    CacheError
        The folder that `MATESOLVE_CACHE_DIR` names cannot be used.
    KernelError
        The compiled code fails its self-test.
    """
    with _lock:
        if not _builds:
            _builds.append(_build(notice))
        return _builds[0]


def fingerprint() -> str:
    """Return a hash of all that decides the machine code: sources, compilers, CPU."""
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
    """Return the user's settings of numba, some of which change the compiled code."""
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
    """Link the stored kernel; None if there is none, or if it is damaged."""
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
    """Compile and store the kernel; None if this numba yields no object code."""
    if path and _no_object_code(path).exists():
        return None  # an earlier process has tried

    notice(COMPILING)
    entry = _import_entry()
    try:
        stored = extract(entry.kernel)
    except CannotExtractError as error:
        notice(f"this numba has no object code ({error}), so its cache is used")
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
    """Let numba load the kernel from its cache, or compile it."""
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
        # In a shared folder, numba would load code that older sources made.
        os.environ.pop(FALLBACK_VARIABLE, None)
        notice(COMPILING)
    kernel = Kernel(_import_entry().kernel.address)
    self_test(kernel)
    return kernel


def _numba_directory(path: Path) -> Path:
    return path.with_suffix(".numba")


def _no_object_code(path: Path) -> Path:
    """Return the file that marks a numba without accessible object code."""
    return path.with_suffix(".no-object-code")


def _import_entry() -> Any:
    return importlib.import_module("solver.kernel.entry")


# The self-test: positions with known answers

BUCKET_WORDS = 8


class KernelError(MatesolveError):
    """The compiled kernel gives a wrong answer."""


def start_position() -> Position:
    """Return the position at the start of a game."""
    return Position(
        pawns=0x00FF_0000_0000_FF00,
        knights=0x4200_0000_0000_0042,
        diagonal=0x2C00_0000_0000_002C,
        orthogonal=0x8900_0000_0000_0089,
        kings=0x1000_0000_0000_0010,
        us=0x0000_0000_0000_FFFF,
        them=0xFFFF_0000_0000_0000,
        rights=0x8100_0000_0000_0081,
    )


def mate_in_two() -> Position:
    """Return king f6 and rook a1 against king h8: 1. Kf7 Kh7 2. Rh1#, none shorter."""
    king, rook, their_king = 1 << 45, 1 << 0, 1 << 63
    return Position(
        orthogonal=rook, kings=king | their_king, us=king | rook, them=their_king
    )


def self_test(kernel: Kernel) -> None:
    """Compare a kernel's answers with the known ones.

    Raises
    ------
    KernelError
        An answer is wrong; the message names the question and both answers.
    """
    table = (ctypes.c_uint64 * BUCKET_WORDS)()
    search = Search(
        node_limit=NO_LIMIT, table=ctypes.addressof(table), generation=1, buckets=1
    )
    position = mate_in_two()
    experiment = Experiment(alpha=-INFINITE_SCORE, beta=INFINITE_SCORE, depth=4)
    scored = Search(node_limit=NO_LIMIT)
    answers = {
        "perft 3": (kernel.perft(start_position(), search, 3), 8902),
        "mate in 1": (kernel.mates_within(position, search, 1), Verdict.NO_MATE),
        "mate in 2": (kernel.mates_within(position, search, 2), Verdict.MATE),
        "plies of its line": (len(kernel.line(position, search, 2)), 3),
        "scored search": (kernel.search_score(position, scored, experiment), True),
        "its score": (experiment.score, MATE_SCORE - 3),
    }
    for question, (found, expected) in answers.items():
        if found != expected:
            msg = f"self-test, {question}: expected {expected!r}, found {found!r}"
            raise KernelError(msg)
