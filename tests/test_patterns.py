"""Regular expressions mean the same in every Python that is supported."""

from __future__ import annotations

import re
from pathlib import Path

import solver

POSSESSIVE_GROUP = re.compile(r"\)\s*(?:[*+?]|\{[0-9,]+\})\+")


def test_no_group_is_repeated_possessively() -> None:
    """Python 3.11.4 and older match these wrongly (python/cpython#106052)."""
    assert POSSESSIVE_GROUP.search(r"(?: [^;] | x )*+ ;")
    sources = list(Path(solver.__file__).parent.rglob("*.py"))
    assert len(sources) > 100
    assert [
        source.name
        for source in sources
        if POSSESSIVE_GROUP.search(source.read_text(encoding="utf-8"))
    ] == []
