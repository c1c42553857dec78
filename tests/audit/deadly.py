"""A worker of a cluster that one problem ends; it runs in other processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from distributed import WorkerPlugin

from solver.audit import remote
from solver.audit.job import Examiner

if TYPE_CHECKING:
    from distributed import Worker

    from solver.audit.job import Examined
    from solver.problem import Problem


class DeadlyExaminer(Examiner):
    def examine(
        self, problem: Problem, patience_s: float | None = None
    ) -> Examined | None:
        if problem.id == "deadly":
            os._exit(1)
        return super().examine(problem, patience_s)


class Deadly(WorkerPlugin):
    def setup(self, worker: Worker) -> None:  # noqa: ARG002
        vars(remote)["Examiner"] = DeadlyExaminer
