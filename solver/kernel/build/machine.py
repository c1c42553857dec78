"""The machine we run on: its system, its processor, its memory for machine code.

What compiled code depends on is asked at every start, and the code is loaded. So on
Linux, nothing here imports llvmlite, numba or `importlib.metadata`, which take longer
than solving most problems.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder
from struct import Struct

from solver.kernel.border.interface import KernelError

CPUINFO = "/proc/cpuinfo"
CPUINFO_BYTES = 1 << 13
"""More than the first record, which describes one processor. Linux writes the others
only for who reads on."""


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
    """Return the features of this machine's processor, in LLVM's words."""
    if record := _record():
        words = record.get("flags", record.get("Features", "")).split()
        return frozenset(LLVM_NAMES.get(word, word) for word in words)
    import llvmlite.binding as llvm

    found = llvm.get_host_cpu_features()
    return frozenset(name for name, is_there in found.items() if is_there)


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
    beside = os.path.dirname(next(iter(spec.submodule_search_locations)))
    found = sorted(
        name
        for name in os.listdir(beside)
        if name.startswith(f"{package}-") and name.endswith("-info")
    )
    return " ".join(found) or "unknown"


# Images, which solver.kernel.build.elf makes

ENTRY = Struct("<Q")
"""What stands before an image: at which of its bytes the C function begins."""

ENTRY_ALIGNMENT = 4
"""The least alignment of a function, on x86-64 and AArch64."""

_loaded: list[object] = []
"""The memory with the code, which is kept as long as the process."""


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

    size = len(code) - ENTRY.size
    (entry,) = ENTRY.unpack_from(code) if size > 0 else (0,)
    if entry >= size or entry % ENTRY_ALIGNMENT:
        msg = f"image: expected a function in {size} bytes, found one at {entry}"
        raise KernelError(msg)
    memory = mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS, PROT_READ | PROT_WRITE)
    memory.write(memoryview(code)[ENTRY.size :])
    start = c_char.from_buffer(memory)
    system = CDLL(None, use_errno=True)
    protection = PROT_READ | PROT_EXEC
    if system.mprotect(c_void_p(addressof(start)), c_size_t(size), protection):
        reason = f"no memory for machine code: {os.strerror(get_errno())}"
        raise OSError(get_errno(), reason)
    _loaded.append(start)
    return addressof(start) + entry
