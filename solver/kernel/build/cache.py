"""Where compiled code is kept, and for which machines it is compiled."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from os.path import dirname, expanduser, isabs, isdir, join, realpath
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from solver import errors

if TYPE_CHECKING:
    from collections.abc import Iterator


# --------------------------------------------------------------------------------------
# The processors that the kernel is compiled for: this machine's, and those of a wheel.
#
# A process that loads compiled code uses it to choose the code, so it imports neither
# numba nor llvmlite.


class Target(NamedTuple):
    """A kind of processor.

    Attributes
    ----------
    name : str
        The name in files and messages.
    cpu : str
        LLVM's name of the processor, which implies its features.
    features : str
        Features to add or remove, in LLVM's notation.
    required : frozenset of str
        The features, in LLVM's words, that a machine needs to run the code.
    triple : str
        LLVM's name of architecture and system; empty: this machine's.
    definitions : str
        Functions in LLVM IR that replace those of `solver.kernel.build.jit`.
    library : str
        Functions in LLVM IR that the code generator calls. They are not optimised, or
        each might be taken for what it replaces, and call itself.
    imports : frozenset of str
        Functions that the code calls and its host has.
    """

    name: str
    cpu: str
    features: str = ""
    required: frozenset[str] = frozenset()
    triple: str = ""
    definitions: str = ""
    library: str = ""
    imports: frozenset[str] = frozenset()


MEMSET = """
define ptr @memset(ptr %start, i32 %value, i64 %size) nounwind {
  %byte = trunc i32 %value to i8
  %one = insertelement <128 x i8> poison, i8 %byte, i32 0
  %all = shufflevector <128 x i8> %one, <128 x i8> poison, <128 x i32> zeroinitializer
  %large = and i64 %size, -128
  br label %blocks
blocks:
  %at = phi i64 [ 0, %0 ], [ %next, %block ]
  %full = icmp eq i64 %at, %large
  br i1 %full, label %bytes, label %block
block:
  %place = getelementptr i8, ptr %start, i64 %at
  store <128 x i8> %all, ptr %place, align 1
  %next = add i64 %at, 128
  br label %blocks
bytes:
  %at.byte = phi i64 [ %at, %blocks ], [ %next.byte, %one.byte ]
  %done = icmp eq i64 %at.byte, %size
  br i1 %done, label %end, label %one.byte
one.byte:
  %place.byte = getelementptr i8, ptr %start, i64 %at.byte
  store i8 %byte, ptr %place.byte
  %next.byte = add i64 %at.byte, 1
  br label %bytes
end:
  ret ptr %start
}
"""
"""The C function that LLVM calls to clear more than about 128 bytes. Code that brings
it along needs no library."""

FAST_EXTRACT = "fast-pext"
"""A word of ours beside LLVM's features: PEXT and PDEP take a few cycles, not hundreds
as on AMD before Zen 3."""

EXTRACT = """
define i1 @matesolve_extracts_fast() alwaysinline {
  ret i1 true
}
"""
"""Sliders are looked up with PEXT and PDEP."""

_V2 = frozenset({"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"})
_V3 = _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}

PORTABLE = {
    "x86_64": (
        Target(
            "x86-64-v3-pext",
            "x86-64-v3",
            required=_V3 | {FAST_EXTRACT},
            definitions=EXTRACT,
            library=MEMSET,
        ),
        Target("x86-64-v3", "x86-64-v3", required=_V3, library=MEMSET),
        Target("x86-64-v2", "x86-64-v2", required=_V2, library=MEMSET),
    ),
    "aarch64": (Target("aarch64", "generic", library=MEMSET),),
}
"""The targets in a wheel for each architecture, fastest first. The levels of x86-64 and
their features are those of its psABI."""

_ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}


def portable_targets() -> tuple[Target, ...]:
    """Return the targets in a wheel for this architecture, fastest first."""
    name = architecture().lower()
    return PORTABLE.get(_ALIASES.get(name, name), ())


def host() -> Target:
    """Return this machine's own processor."""
    import llvmlite.binding as llvm

    return Target(
        "native",
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        definitions=EXTRACT if FAST_EXTRACT in features() else "",
        library=MEMSET,
    )


def runs_here(target: Target) -> bool:
    """Return whether this machine's processor can run the target's code."""
    return not target.triple and target.required <= features()


def target_machine(target: Target) -> Any:
    """Return LLVM's code generator for a target, with the settings for linked code."""
    import llvmlite.binding as llvm

    if target.triple:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        generator = llvm.Target.from_triple(target.triple)
    else:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        generator = llvm.Target.from_default_triple()
    settings: dict[str, Any]
    if generator.name.startswith("wasm"):
        settings = {"reloc": "static", "codemodel": "default"}
    elif HAS_IMAGES:
        settings = {"reloc": "pic", "codemodel": "small"}
    else:
        reloc = "static" if generator.name.startswith("x86") else "default"
        settings = {"reloc": reloc, "codemodel": "jitdefault", "jit": True}
    return generator.create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, **settings
    )


# --------------------------------------------------------------------------------------
# Files of compiled code: in the user's cache folder, or shipped with the package.
#
# Loading machine code or WebAssembly means running it. So the folder and the file must
# belong to the user (or to root, for a shipped file) and be writable by no other user,
# and the file has a checksum.
#
# Every start finds out what compiled code depends on. So on Linux, nothing here imports
# llvmlite, numba, `importlib.metadata` or pathlib, which take longer than solving most
# problems.

try:
    from _blake2 import blake2b
except ImportError:  # hashlib has it, but loads OpenSSL, which takes longer
    from hashlib import blake2b


DIRECTORY_VARIABLE = "MATESOLVE_CACHE_DIR"
FALLBACK_VARIABLE = "MATESOLVE_COMPILER"
FALLBACK = "numba"

COMPILER = ("numba", "llvmlite", "numpy")
"""The packages whose versions decide what the compiler makes."""

KERNEL = dirname(dirname(__file__))
"""The folder of the kernel's sources."""

SHIPPED = join(KERNEL, "objects")
"""The folder of compiled code in an installed platform wheel; not in a checkout."""

MAGIC = b"matesolve kernel 4\n"
CHECKSUM_BYTES = 32


def candidate_directories() -> Iterator[str]:
    """Yield the folders to try, best first.

    A folder named by MATESOLVE_CACHE_DIR is the only candidate. An account without a
    home directory on a read-only system has no candidate.
    """
    named = os.environ.get(DIRECTORY_VARIABLE)
    if named:
        yield named
        return
    # Without a home directory, platformdirs raises or returns a relative path.
    with suppress(RuntimeError):
        if isabs(user_cache := _user_cache()):
            yield user_cache
    with suppress(FileNotFoundError):  # no folder for temporary files exists
        yield _temporary_directory()


def private_directories() -> Iterator[str]:
    """Yield the existing folders whose content can be trusted, best first.

    Kernels stored there can be loaded even if the folder is read-only.
    """
    for directory in candidate_directories():
        try:
            require_private(directory)
        except (OSError, errors.CacheError):
            continue
        if isdir(directory):
            yield directory


def open_directory() -> str:
    """Find or create the folder for compiled code.

    Raises
    ------
    CacheError
        No candidate can be used; the message gives the reason for each.
    """
    from pathlib import Path

    from solver.files import make_folder

    reasons = []
    for directory in candidate_directories():
        try:
            make_folder(Path(directory), 0o700)
            require_private(directory)
            require_writable_folder(directory)
        except OSError as error:
            reasons.append(f"{directory}: {error.strerror}")
        except errors.CacheError as error:
            reasons.append(str(error))
        else:
            return directory
    raise errors.CacheError(
        "; ".join(reasons) or "no home and no temporary folder is known"
    )


def describe_folder(directory: str) -> str:
    """Describe in a few words whether a folder of code can be used; change nothing."""
    if directory == SHIPPED:
        files = _files_of_code(directory)
        try:
            for path in files:
                read_object(path)
        except (OSError, errors.CacheError) as error:
            return f"not used: {error}"
        return f"{len(files)} shipped"
    try:
        require_private(directory)
    except FileNotFoundError:
        return "not there yet"
    except OSError as error:
        return f"not used: {error.strerror}"
    except errors.CacheError as error:
        return f"not used: {error}"
    stored = f"{len(_files_of_code(directory))} stored"
    try:
        require_writable_folder(directory)
    except OSError as error:
        return f"{stored}; no file can be added: {error.strerror}"
    return stored


def _files_of_code(directory: str) -> list[str]:
    """Return the files of compiled code in a folder, if it is one."""
    names = os.listdir(directory) if isdir(directory) else []
    return [join(directory, name) for name in names if name.endswith(".bin")]


def require_private(path: str) -> None:
    """Check that a path belongs to the user, and that no other user can write to it.

    Raises
    ------
    OSError
        The path does not exist or cannot be examined.
    CacheError
        The path is a link, has another owner, or is writable by others.
    """
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        msg = f"{path}: expected a folder or a file, found a symbolic link"
        raise errors.CacheError(msg)
    if os.name != "posix":  # elsewhere, a user's profile is private
        return
    if status.st_uid != os.geteuid():
        msg = f"{path}: expected it to belong to the user, found another owner"
        raise errors.CacheError(msg)
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = stat.S_IMODE(status.st_mode)
        msg = f"{path}: expected it to be writable by the user alone, found {mode:04o}"
        raise errors.CacheError(msg)


def require_installed(path: str) -> None:
    """Check that only the user and root can change an installed file.

    Installers create links, and files that the user's private group can write to.

    Raises
    ------
    OSError
        The path does not exist or cannot be examined.
    CacheError
        The file or its folder has another owner, or is writable by others.
    """
    if os.name != "posix":
        return
    real = realpath(path)
    for place in (real, dirname(real)):
        status = os.stat(place)
        if status.st_uid not in (0, os.geteuid()):
            msg = (
                f"{place}: expected it to belong to the user or to root, found "
                f"another owner"
            )
            raise errors.CacheError(msg)
        by_group = status.st_mode & stat.S_IWGRP and not _is_private_group(status)
        if by_group or status.st_mode & stat.S_IWOTH:
            mode = stat.S_IMODE(status.st_mode)
            msg = (
                f"{place}: expected it to be writable by its owner alone, found "
                f"{mode:04o}"
            )
            raise errors.CacheError(msg)


def _is_private_group(status: os.stat_result) -> bool:
    """Return whether the file's owner is the only member of its group."""
    import grp
    import pwd

    try:
        owner = pwd.getpwuid(status.st_uid)
        group = grp.getgrgid(status.st_gid)
    except KeyError:
        return False
    return (
        group.gr_gid == owner.pw_gid
        and group.gr_name == owner.pw_name
        and not {*group.gr_mem} - {owner.pw_name}
    )


def require_writable_folder(directory: str) -> None:
    """Check that a file can be created in a folder; raise OSError if not."""
    import tempfile

    with tempfile.TemporaryFile(dir=directory):
        pass


# What compiled code depends on

CPUINFO = "/proc/cpuinfo"
CPUINFO_BYTES = 1 << 13
"""More than the first record, which describes one processor. Linux writes the other
records only when they are read."""


def architecture() -> str:
    """Return the system's name of the architecture."""
    if sys.platform != "linux":
        import platform  # takes longer

        return platform.machine()
    return os.uname().machine


HAS_IMAGES = (
    sys.platform == "linux"
    and sys.maxsize > 1 << 32
    and architecture() in {"x86_64", "aarch64"}
)
"""Whether compiled code is an image, which `load_image` copies into memory.

Elsewhere it is an object file, which llvmlite links at every start."""

PROCESSOR = {
    *("vendor_id", "cpu family", "model", "stepping", "flags"),
    *("CPU implementer", "CPU variant", "CPU part", "CPU revision", "Features"),
}
"""The lines of a record that say which code it runs: on x86-64, and on AArch64."""

FAST_EXTRACT_FROM = {"GenuineIntel": 0, "AuthenticAMD": 25}
"""The first family of each vendor whose PEXT, if it has one, is fast."""

LLVM_NAMES = {
    "abm": "lzcnt",
    "bmi1": "bmi",
    "lahf_lm": "sahf",
    "pni": "sse3",
    "sse4_1": "sse4.1",
    "sse4_2": "sse4.2",
}
"""Features that Linux and LLVM name differently."""


def triple() -> str:
    """Return a name of this architecture and system, without the system's release.

    Where there are no images it is LLVM's. On macOS that has a release, such as
    darwin24.1.0, which object code does not depend on.
    """
    if HAS_IMAGES:
        return f"{architecture()}-linux"
    import llvmlite.binding as llvm

    name, vendor, system, *format_ = llvm.get_process_triple().split("-")
    return "-".join([name, vendor, system.rstrip(".0123456789"), *format_])


def processor() -> str:
    """Return a description of the processor, different if other code runs on it."""
    if record := _record():
        return "\n".join(f"{name}: {record[name]}" for name in sorted(record))
    import llvmlite.binding as llvm

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def features() -> frozenset[str]:
    """Return the features of this machine's processor: LLVM's words and FAST_EXTRACT.

    FAST_EXTRACT is known on Linux only.
    """
    if record := _record():
        words = record.get("flags", record.get("Features", "")).split()
        found = frozenset(LLVM_NAMES.get(word, word) for word in words)
        first_family = FAST_EXTRACT_FROM.get(record.get("vendor_id", ""))
        is_fast = (
            "bmi2" in found
            and first_family is not None
            and int(record["cpu family"]) >= first_family
        )
        return found | {FAST_EXTRACT} if is_fast else found
    import llvmlite.binding as llvm

    known = llvm.get_host_cpu_features()
    return frozenset(name for name, is_there in known.items() if is_there)


@cache
def _record() -> dict[str, str]:
    """Return the lines of `PROCESSOR` in Linux's description; empty without one."""
    if not HAS_IMAGES:
        return {}
    try:
        with open(CPUINFO, encoding="utf-8") as file:
            record = file.read(CPUINFO_BYTES).split("\n\n", 1)[0]
    except OSError:  # /proc is not mounted
        return {}
    lines = [line.partition(":") for line in record.splitlines()]
    pairs = {name.strip(): value.strip() for name, _, value in lines}
    return {name: value for name, value in pairs.items() if name in PROCESSOR}


def installed_version(package: str) -> str:
    """Return the version of a package that is not imported; "unknown" without one.

    Installers write it into the name of a folder beside the package.
    """
    spec = PathFinder.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return "unknown"
    beside = dirname(next(iter(spec.submodule_search_locations)))
    found = [name for name in _infos(beside) if name.startswith(f"{package}-")]
    return " ".join(found) or "unknown"


@cache
def _infos(folder: str) -> list[str]:
    """Return the folders of metadata in a folder of packages."""
    return sorted(name for name in os.listdir(folder) if name.endswith("-info"))


@cache
def code_key(*, any_processor: bool = False) -> str:
    """Return a hash of everything that determines the machine code.

    Parameters
    ----------
    any_processor : bool
        The code is not for this machine's processor.
    """
    facts = (
        source_hash(),
        *(installed_version(name) for name in COMPILER),
        str(sys.version_info),
        triple(),
        "" if any_processor else processor(),
        *(f"{name}={os.environ.get(name, '')}" for name in CODE_SETTINGS),
    )
    return blake2b("\0".join(facts).encode(), digest_size=16).hexdigest()


@cache
def source_hash() -> str:
    """Return a hash of the kernel's sources, code-generation settings included.

    Raises
    ------
    OSError
        The sources are not files, as in a zip file.
    """
    digest = blake2b(digest_size=32)
    for folder, folders, names in os.walk(KERNEL, onerror=_refuse):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                path = join(folder, name)
                place = path[len(KERNEL) :].replace(os.sep, "/")
                with open(path, "rb", buffering=0) as source:
                    digest.update(place.encode() + b"\0" + source.read() + b"\0")
    return digest.hexdigest()


def _refuse(error: OSError) -> None:
    raise error


CODE_SETTINGS = {
    "NUMBA_BOUNDSCHECK": "adds a test to each access of an array",
    "NUMBA_DEBUGINFO": "adds the lines of the sources",
    "NUMBA_ENABLE_PROFILING": "adds the lines of the sources too",
    "NUMBA_OPT": "0 translates without numba's own simplifications",
}
"""numba's variables that change the code which `compiler` makes, and how.

The others are about threads, GPUs, caches and messages, or about numba's own code
generator, which is not used; a slow test compiles under each."""


# The file

ENTRY = Struct("<Q")
"""What stands before an image: at which of its bytes the C function begins."""


def packed_code(code: bytes) -> bytes:
    """Return the content of a file of object code made here from these sources."""
    payload = _made_of() + b"\n" + code
    return MAGIC + _checksum(payload) + payload


def _checksum(payload: bytes | memoryview) -> bytes:
    return blake2b(payload, digest_size=CHECKSUM_BYTES).digest()


def _made_of() -> bytes:
    """Return the first line of a file: the code's sources and its target."""
    return f"sources {source_hash()}, system {triple()}".encode()


def write_object(path: str, code: bytes) -> None:
    """Store object code; other processes see either the old file or the whole new one.

    Raises
    ------
    OSError
        The file cannot be written; an old file is kept.
    """
    from solver.files import write_private

    write_private(path, packed_code(code))


def read_object(path: str) -> bytes:
    """Read object code from the cache folder, or from the package.

    Raises
    ------
    OSError
        The file does not exist or cannot be read.
    CacheError
        Others can change the file, it is damaged, or its code was made of other sources
        or for another system.
    """
    if dirname(path) == SHIPPED:
        require_installed(path)
    else:
        require_private(path)
    with open(path, "rb", buffering=0) as file:
        content = file.read()
    start = len(MAGIC) + CHECKSUM_BYTES
    checksum = content[len(MAGIC) : start]
    payload = memoryview(content)[start:]
    if content[: len(MAGIC)] != MAGIC or _checksum(payload) != checksum:
        msg = f"{path}: expected compiled code, found a damaged file"
        raise errors.CacheError(msg)
    end = content.index(b"\n", start)
    made_of = content[start:end]
    if made_of != _made_of():
        msg = f"{path}: expected {_made_of().decode()}, found {made_of.decode()}"
        raise errors.CacheError(msg)
    return content[end + 1 :]


def _user_cache() -> str:
    if sys.platform != "linux":
        from platformdirs import user_cache_dir

        return user_cache_dir("matesolve", appauthor=False)
    # What platformdirs returns, which takes longer to import than a mate in 2 to solve.
    named = os.environ.get("XDG_CACHE_HOME", "").strip()
    return join(expanduser(named or "~/.cache"), "matesolve")


def _temporary_directory() -> str:
    import tempfile

    user = os.geteuid() if os.name == "posix" else os.environ.get("USERNAME", "user")
    return join(tempfile.gettempdir(), f"matesolve-{user}")
