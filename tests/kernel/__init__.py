"""Tests of the kernel."""

from __future__ import annotations

from typing import Any


def linked(function: Any) -> int:
    """Return the address of a function that `solver.kernel.build.jit.native` made."""
    from solver.kernel.build.compiler import compile_object
    from solver.kernel.build.loader import SYMBOL, link
    from solver.kernel.build.target import host

    return link(compile_object(function, SYMBOL, host()))
