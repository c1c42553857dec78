"""A dask plugin with a problem that kills its worker; it runs in other processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from distributed import WorkerPlugin

from solver.audit import cluster
from solver.audit.job import TIME_SLICE, AuditJob, TimeSlice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Worker

    from solver.audit.results import AuditResult
    from solver.problem import Problem


class DeadlyJob(AuditJob):
    def run_batch(
        self, problems: Sequence[Problem], time_slice: TimeSlice = TIME_SLICE
    ) -> list[AuditResult | None]:
        if "deadly" in [problem.id for problem in problems]:
            os._exit(1)
        return super().run_batch(problems, time_slice)


class Deadly(WorkerPlugin):
    def setup(self, worker: Worker) -> None:  # noqa: ARG002
        vars(cluster)["AuditJob"] = DeadlyJob
