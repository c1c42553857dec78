"""Whole files of problems, for tests of readers and writers."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from solver.errors import FormatError
from solver.formats import claims, registry
from solver.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def write_whole(name: str, *problems: Problem) -> bytes:
    """Return the content of a file in a format."""
    writer = registry.find_writer(name)
    file = io.BytesIO()
    writer.save(map(writer.write, problems), file)
    return file.getvalue()


def read_with(
    path: Path, summary: claims.FileSummary | None = None, **options: Any
) -> Iterator[Problem | FormatError]:
    """Read a file with these fields of `ReadOptions`."""
    return registry.read_collection(path, claims.ReadOptions(**options), summary)


def with_source(record: Problem | FormatError, source: str) -> Problem | FormatError:
    """Return a record with another source; an error without the text of its record."""
    if isinstance(record, Problem):
        return replace(record, source=source)
    return FormatError(source, record.reason)
