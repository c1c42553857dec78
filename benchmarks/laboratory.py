"""Rewrite the tables of docs/explanation/laboratory*.md from new measurements.

usage: python -m benchmarks.laboratory [--games FOLDER] [--jobs J] [TABLE]...

A table is between `<!-- table: NAME -->` and `<!-- end -->` in a page. Without
TABLE all are made, in about two hours on two cores; `QUICK` ones take a second. The
scoreboard comes last and quotes the others. Every number comes from a command that a
reader can run, and is the same on every machine. FOLDER keeps the games, and a later
run goes on with them.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import (
    laboratory_counts,
    laboratory_games,
    laboratory_material,
    scoreboard,
)
from benchmarks.laboratory_commands import ROOT, Work

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = sorted((ROOT / "docs" / "explanation").glob("laboratory*.md"))

TABLE = re.compile(
    r"(?<=<!-- table: )(\w[\w-]*)( -->\n)(.*?)(?=<!-- end -->)", re.DOTALL
)


def main() -> None:
    """Make the tables that the command line names, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=Path, metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], metavar="TABLE")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = Work((asked.games or Path(temporary)).absolute(), asked.jobs)
        work.games.mkdir(parents=True, exist_ok=True)
        for name in asked.tables or TABLES:
            made = TABLES[name](work)
            print(f"{name}\n\n{made}")
            replace_table(name, made)


def tables_of(page: str) -> dict[str, str]:
    """Return the tables of a page by their names."""
    return {match[1]: match[3] for match in TABLE.finditer(page)}


def tables_of_pages() -> dict[str, str]:
    """Return the tables of all pages by their names."""
    return {
        name: shown
        for page in PAGES
        for name, shown in tables_of(page.read_text(encoding="utf-8")).items()
    }


def replace_table(name: str, made: str) -> None:
    """Replace one table of the pages."""
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        if name in tables_of(page):
            new = TABLE.sub(
                lambda match: (
                    match[1] + match[2] + (made if match[1] == name else match[3])
                ),
                page,
            )
            path.write_text(new, encoding="utf-8")
            return
    sys.exit(f"expected <!-- table: {name} --> in a page, found none")


def scored(text: str) -> Callable[[Work], str]:
    """Return what makes the scoreboard of a text from the tables of the pages."""
    return lambda _work: scoreboard.scoreboard(text, tables_of_pages())


QUICK: dict[str, Callable[[Work], str]] = {
    "uncapped": laboratory_counts.uncapped,
    **{f"claims-{text}": scored(text) for text in scoreboard.TEXTS},
    "claims": lambda _work: scoreboard.summary(tables_of_pages()),
}
"""Tables that take a second; the claims quote the others."""

SLOW: dict[str, Callable[[Work], str]] = {
    "iterations": laboratory_counts.iterations,
    "alone-glass": laboratory_counts.alone_glass,
    "conditions": laboratory_counts.conditions,
    "changes": laboratory_counts.changes,
    "alone": laboratory_counts.alone,
    "after-the-mate": laboratory_counts.after_the_mate,
    "pruned-nodes": laboratory_counts.pruned_nodes,
    "additions": laboratory_counts.additions,
    "mip-forms": laboratory_material.forms_of_mip,
    "mip-reliability": laboratory_material.reliability,
    "mip-curves": laboratory_material.curves,
    "mip-coverage": laboratory_material.coverage,
    "mip-hits": laboratory_material.hits,
    "games": laboratory_games.games,
    "games-techniques": laboratory_games.technique_games,
}

TABLES = {**SLOW, **QUICK}
"""The tables of the pages by their names."""


if __name__ == "__main__":
    main()
