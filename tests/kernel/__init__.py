"""Tests of the kernel."""

from __future__ import annotations

from typing import Any


def linked(function: Any) -> int:
    """Return the address of a function that `solver.kernel.jit.native` made."""
    from solver.kernel.compiler import compile_object
    from solver.kernel.loader import SYMBOL, link
    from solver.kernel.target import host

    return link(compile_object(function, SYMBOL, host()))
