"""A dask plugin with a problem that kills its worker; it runs in other processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from distributed import WorkerPlugin

from solver.audit import cluster
from solver.audit.job import AuditJob

if TYPE_CHECKING:
    from distributed import Worker

    from solver.audit.result import AuditResult
    from solver.problem import Problem


class DeadlyJob(AuditJob):
    def run(self, problem: Problem, slice_s: float | None = None) -> AuditResult | None:
        if problem.id == "deadly":
            os._exit(1)
        return super().run(problem, slice_s)


class Deadly(WorkerPlugin):
    def setup(self, worker: Worker) -> None:  # noqa: ARG002
        vars(cluster)["AuditJob"] = DeadlyJob
