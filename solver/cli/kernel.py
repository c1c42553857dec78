"""The compiled kernel, made ready before a command's clock starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.cli.signals import ending_at_once
from solver.cli.streams import tell

if TYPE_CHECKING:
    from solver.kernel.loader import Build


def prepare_kernel() -> Build:
    """Load the kernel; a user who has to wait for it, or should know more, is told."""
    from solver.kernel.loader import load_kernel

    with ending_at_once():
        return load_kernel(tell)
