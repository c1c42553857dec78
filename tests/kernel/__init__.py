"""Tests of the kernel."""

from __future__ import annotations

from typing import Any


def linked(function: Any) -> int:
    """Return the address of a function that `solver.kernel.build.jit.native` made."""
    from solver.kernel.build.cache import host
    from solver.kernel.build.loader import compile_entry, place

    return place(compile_entry(function, host()))
