"""A dask plugin with a problem that kills its worker; it runs in other processes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from distributed import WorkerPlugin

from solver.audit import cluster, job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from distributed import Worker

    from solver.audit import results
    from solver.problem import Problem


class DeadlyJob(job.AuditJob):
    def run_batch(
        self, problems: Sequence[Problem], time_slice: job.TimeSlice = job.TIME_SLICE
    ) -> list[results.AuditResult | None]:
        if "deadly" in [problem.id for problem in problems]:
            os._exit(1)
        return super().run_batch(problems, time_slice)


class Deadly(WorkerPlugin):
    def setup(self, worker: Worker) -> None:  # noqa: ARG002
        vars(cluster)["AuditJob"] = DeadlyJob
