"""The processors that the kernel is compiled for: this machine's, and those of a wheel.

This module does not import numba: a process that loads compiled code uses it to choose
the code.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm


@dataclass(frozen=True, slots=True)
class Target:
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


_V2 = frozenset({"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"})
_V3 = _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}

PORTABLE = {
    "x86_64": (
        Target("x86-64-v3", "x86-64-v3", required=_V3),
        Target("x86-64-v2", "x86-64-v2", required=_V2),
    ),
    "aarch64": (Target("aarch64", "generic"),),
}
"""The targets in a wheel for each architecture, fastest first. The levels of x86-64 and
their features are those of its psABI."""

_ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}


def portable_targets() -> tuple[Target, ...]:
    """Return the targets in a wheel for this architecture, fastest first."""
    machine = platform.machine().lower()
    return PORTABLE.get(_ALIASES.get(machine, machine), ())


def host() -> Target:
    """Return this machine's own processor."""
    return Target(
        "native", llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    )


def host_features() -> frozenset[str]:
    """Return the features of this machine's processor, in LLVM's words."""
    features = llvm.get_host_cpu_features()
    return frozenset(name for name, found in features.items() if found)


def runs_here(target: Target) -> bool:
    """Return whether this machine's processor can run the target's code."""
    return not target.triple and target.required <= host_features()


def target_machine(target: Target) -> Any:
    """Return LLVM's code generator for a target, with the settings for linked code."""
    if target.triple:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        return llvm.Target.from_triple(target.triple).create_target_machine(
            cpu=target.cpu,
            features=target.features,
            opt=3,
            reloc="static",
            codemodel="default",
        )
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    default = llvm.Target.from_default_triple()
    return default.create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=3,
        reloc="static" if default.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )
