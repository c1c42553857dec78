"""Long work in a thread of its own, so that the caller's thread still hears Ctrl-C."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.search.threads import Control

Result = TypeVar("Result")

WAIT_S = 0.05
"""How long the caller sleeps at a time: not every system wakes it for a signal."""


def run_stoppable(work: Callable[[], Result], control: Control) -> Result:
    """Do the work in another thread and wait for it.

    An exception of the work is raised here. One that reaches the waiting caller, such
    as KeyboardInterrupt, stops the work through `control` and goes on.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(WAIT_S)
    except BaseException:
        control.stop(StoppedBy.INTERRUPT)
        if thread.ident is not None:  # else it never began
            thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]
