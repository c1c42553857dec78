"""Audits start workers."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _workers(worker_processes: None) -> None:
    """Each test may start workers."""
