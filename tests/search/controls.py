"""Controls for tests of searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.search.threads import Control

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.kernel.border.search_struct import Search


class Hooked(Control):
    """A control that calls a function whenever a search begins."""

    def __init__(self, hook: Callable[[], object]) -> None:
        super().__init__()
        self._hook = hook

    def attach(self, search: Search) -> None:
        super().attach(search)
        self._hook()
