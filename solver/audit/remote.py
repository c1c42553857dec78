"""What the workers of a cluster do for an audit; this module runs on their machines."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from solver.audit.control import AuditControl
from solver.audit.job import Examiner, Patience
from solver.endgames.tablebases import Tablebases
from solver.errors import ClusterError
from solver.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.audit.inquiry import Inquiry
    from solver.audit.job import Examined
    from solver.problem import Problem

PATIENCE = Patience(problem_s=1.0, batch_s=5.0)

MOST_AUDITS = 4
"""How many audits a process remembers that were not ended, such as those of a client
that was killed."""


class _Share:
    """What one process does of an audit."""

    def __init__(self) -> None:
        self.control = AuditControl()
        self._of_thread = threading.local()

    def examiner(self, inquiry: Inquiry) -> Examiner:
        """Give the examiner of the calling thread."""
        made: Examiner | None = getattr(self._of_thread, "examiner", None)
        if made is None:
            made = Examiner(inquiry, searching=self.control.search)
            self._of_thread.examiner = made
        return made


_shares: dict[str, _Share] = {}


def introduce(directories: Sequence[str]) -> str:
    """Give the version of the solver here.

    Parameters
    ----------
    directories : sequence of str
        Where endgame tables are to be.

    Raises
    ------
    OSError, TablebaseError
        They are not there.
    """
    Tablebases(directories).close()
    return __version__


def examine_all(
    audit: str, version: str, inquiry: Inquiry, problems: Sequence[Problem]
) -> list[Examined | None]:
    """Examine a batch, in which no problem is to wait long for another.

    Parameters
    ----------
    audit : str
        Names the audit; a thread has one table for all its batches.
    version : str
        The solver's, where the audit was begun.
    inquiry : Inquiry
        What is asked.
    problems : sequence of Problem
        The batch.

    Returns
    -------
    list of Examined or None
        One for each problem, in their order; None for one that is to come again.

    Raises
    ------
    ClusterError
        Here is another version.
    """
    if version != __version__:
        raise ClusterError(other_version(version, __version__))
    return _share_of(audit).examiner(inquiry).examine_all(problems, PATIENCE)


def end(audit: str) -> None:
    """Stop what is searched for an audit, and free its memory."""
    share = _shares.pop(audit, None)
    if share:
        share.control.stop()


def other_version(expected: str, found: str) -> str:
    """Say that a worker's solver is another one."""
    return f"expected matesolve {expected}, found {found}"


def _share_of(audit: str) -> _Share:
    share = _shares.setdefault(audit, _Share())
    for old in list(_shares)[:-MOST_AUDITS]:
        end(old)
    return share
