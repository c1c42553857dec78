"""Whole files of problems, for tests of readers and writers."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from solver.formats.registry import find_writer

if TYPE_CHECKING:
    from solver.problem import Problem


def write_whole(name: str, *problems: Problem) -> bytes:
    """Return the content of a file in a format."""
    writer = find_writer(name)
    file = io.BytesIO()
    writer.save(map(writer.write, problems), file)
    return file.getvalue()
