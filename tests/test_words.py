"""The project speaks the field's words: one word for one thing, in every file."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

FILES = sorted(
    path
    for pattern in (
        "*.md",
        "*.yml",
        ".*.yaml",
        ".ci/*",
        ".github/**/*.*",
        "docs/**/*.md",
        "docs/*.py",
        "integrations/**/*.*",
        "npm/*.*",
        "puzzles/*.py",
        "puzzles/*.md",
        "solver/**/*.py",
        "solver/**/*.js",
        "solver/**/*.mjs",
        "solver/**/*.css",
        "solver/**/*.html",
        "tests/**/*.py",
        "tools/*.py",
        "benchmarks/*.py",
    )
    for path in ROOT.glob(pattern)
    if path.name not in {"CHANGELOG.md", Path(__file__).name}
    and "_build" not in path.parts
)

# The word to use instead stands behind each; the list is short on purpose.
REPLACED = {
    "accompany": "help",
    "accused": "solver",
    "companion": "helper thread",
    "conductor": "bounds search",
    "crew": "helper threads",
    "desk": "work queue",
    "examiner": "audit job",
    "finder": "df-pn search",
    "gauge": "progress",
    "inquiry": "audit options",
    "judge": "checker",
    "lane": "restriction",
    "lanes": "restrictions",
    "men": "pieces",
    "retreat": "unmove",
    "retreats": "unmoves",
    "tell": "print, report, return or show",
    "tells": "prints, reports, returns or shows",
    "told": "printed, reported, returned or shown",
}

# A name of Python's stays.
QUOTED = re.compile(r"\bPathFinder\b")

WORD = re.compile(r"[A-Z]?[a-z]+")


def words_of(text: str) -> Counter[str]:
    """The words of a text; an identifier has several."""
    return Counter(word.lower() for word in WORD.findall(QUOTED.sub("", text)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_uses_the_fields_words(path: Path) -> None:
    found = words_of(path.read_text(encoding="utf-8"))
    assert {word: REPLACED[word] for word in found if word in REPLACED} == {}


def test_words_are_found_inside_identifiers() -> None:
    assert words_of("def _toldBy_men(): # Lanes")["told"] == 1
    assert words_of("several_men, menu")["men"] == 1
    assert words_of("sys.PathFinder")["finder"] == 0


def test_the_files_of_every_room_are_read() -> None:
    rooms = {path.relative_to(ROOT).parts[0] for path in FILES}
    assert rooms >= {"solver", "tests", "tools", "docs", "puzzles", "README.md", ".ci"}
