"""The processors that the kernel is compiled for: this machine's, and those of a wheel.

A process that loads compiled code uses it to choose the code, so it imports neither
numba nor llvmlite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.kernel.build import cache


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
"""C's function, which LLVM calls to clear more than 128 bytes or so. Code that brings
it along needs no library."""

_V2 = frozenset({"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"})
_V3 = _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}

PORTABLE = {
    "x86_64": (
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
    name = cache.architecture().lower()
    return PORTABLE.get(_ALIASES.get(name, name), ())


def host() -> Target:
    """Return this machine's own processor."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return Target("native", llvm.get_host_cpu_name(), features, library=MEMSET)


def runs_here(target: Target) -> bool:
    """Return whether this machine's processor can run the target's code."""
    return not target.triple and target.required <= cache.features()


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
    elif cache.HAS_IMAGES:
        settings = {"reloc": "pic", "codemodel": "small"}
    else:
        reloc = "static" if generator.name.startswith("x86") else "default"
        settings = {"reloc": reloc, "codemodel": "jitdefault", "jit": True}
    return generator.create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, **settings
    )
