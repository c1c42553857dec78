"""Rewrite the tables of docs/explanation/laboratory.md from new measurements.

usage: python -m tests.benchmarks.laboratory [--games FOLDER] [--jobs J] [TABLE]...

A table stands in the page between `<!-- table: NAME -->` and `<!-- end -->`. Without
TABLE all are made, which takes about an hour on two cores; `QUICK` ones take seconds.
Every number comes from a command that a reader can run, and is the same on every
machine. FOLDER keeps the games, and a later run goes on with them.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "laboratory.md"

TABLE = re.compile(
    r"(?<=<!-- table: )(\w[\w-]*)( -->\n)(.*?)(?=<!-- end -->)", re.DOTALL
)


class Work(NamedTuple):
    """Where the games are kept, and how many processes play them."""

    games: Path
    jobs: int


def matesolve(*arguments: str | Path) -> str:
    """Run a command and return what it prints."""
    words = [sys.executable, "-m", "solver", *map(str, arguments)]
    done = subprocess.run(words, check=False, cwd=ROOT, stdout=subprocess.PIPE)
    if done.returncode not in (0, 3):  # 3: a limit stopped a search
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}")
    return done.stdout.decode()


def record(*arguments: str | Path) -> dict[str, Any]:
    """Run a command with `--json` and return its record."""
    found: dict[str, Any] = json.loads(matesolve(*arguments, "--json"))
    return found


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table as Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def ratio(value: float | None) -> str:
    """Write a ratio of nodes with three decimals."""
    return "" if value is None else f"{value:.3f}"


# Glass's position


def nodes_of(counts: dict[str, Any], depth: int, field: str = "nodes") -> list[int]:
    """Return the nodes of each variant at a depth."""
    rows = {row["depth"]: row["variants"] for row in counts["rows"]}
    return [variant[field] for variant in rows.get(depth, {}).values()]


# Collections

COLLECTIONS = {
    "generated-3": "mates in 3",
    "generated-4": "mates in 4",
    "classics": "classics",
}

PATHS = [f"puzzles/{name}.epd" for name in COLLECTIONS]


def collections(*arguments: str, paths: Sequence[str] = PATHS) -> str:
    """Compare variants on collections: mates found and ratio of nodes."""
    counts = record("table", *paths, "--summary", *arguments)
    files = counts["files"]
    head = ["variant"]
    for file in files:
        title = COLLECTIONS[Path(file["file"]).stem]
        head += [f"{title} ({file['problems']}): found", "ratio"]
    rows = [
        [
            name,
            *(
                cell
                for file in files
                for cell in (
                    file["totals"][name]["found"],
                    ratio(file["totals"][name]["ratio"]),
                )
            ),
        ]
        for name in counts["totals"]
    ]
    return table(head, rows)


def alone(_work: Work) -> str:
    """Compare each technique alone on the collections."""
    return collections("--ablation")


def alone_glass(_work: Work) -> str:
    """Compare each technique alone on Glass's position."""
    counts = record("table", "--ablation")
    last = counts["rows"][-1]["variants"]
    first, *_ = last.values()
    rows = [
        (name, f"{found['nodes']:,}", ratio(found["nodes"] / first["nodes"]))
        for name, found in last.items()
    ]
    return table(("variant", "nodes to PV at depth 20", "ratio"), rows)


def after_the_mate(_work: Work) -> str:
    """Count the nodes to the end of the iteration that finds the mate."""
    forms = ("off", "cpw", "tight")
    counts = record("table", PATHS[1], "--summary", "--mdp", ",".join(forms))
    totals = [counts["totals"][form]["nodes_total"] for form in forms]
    rows = [
        (f"`{form}`", f"{total:,}", ratio(total / totals[0]))
        for form, total in zip(forms, totals, strict=True)
    ]
    return table(("form", "nodes in all, mates in 4", "ratio"), rows)


def deeper_pruning(_work: Work) -> str:
    """Let forward pruning search deeper than the claimed mates."""
    forms = ("off", "cut", "none", "on")
    search = ("--summary", "--mdp", "off", "--efp", ",".join(forms))
    rows = []
    for depth in (8, 12):
        counts = record("table", PATHS[1], *search, "--depth", str(depth))
        rows += [
            (depth, f"`{form}`", total["found"], f"{total['nodes_total']:,}")
            for form in forms
            for total in [counts["totals"][form]]
        ]
    return table(("depth", "`--efp`", "found of 100", "nodes in all"), rows)


# Games

MATCH_GAMES = 2000
EXPERIMENTS = {
    "uncapped": "every check, without a cap",
    "all": "every check",
    "captures": "capturing checks",
    "promotions": "promotions",
}
PROPHET = {
    "uncapped": ("every check", 331, 183, 402, 58.1, 56.6, 16.8),
    "captures": ("capturing checks", 3206, 3119, 4505, 50.4, 2.8, 5.0),
}


def games(work: Work) -> str:
    """Play Prophet4's experiments."""
    rows = []
    for extension, name in EXPERIMENTS.items():
        score = record(
            *("match", "--a", f"check-extension={extension}", "--b", "off"),
            *("--games", str(MATCH_GAMES), "--jobs", str(work.jobs)),
            *("--games-file", work.games / f"{extension}.pgn"),
        )
        counts = [score[field] for field in ("wins", "losses", "draws")]
        elo = [score[field] for field in ("elo", "error")]
        rows.append((name, *counts, 100 * score["score"], *elo))
        if extension in PROPHET:
            experiment, *published = PROPHET[extension]
            rows.append((f"Prophet4: {experiment}", *published))
    cells = [
        (name, *(f"{count:,}" for count in counts), f"{points:.1f}%", elo, error)
        for name, *counts, points, elo, error in rows
    ]
    head = ("extended", "wins", "losses", "draws", "pct", "Elo", "error")
    return table(
        head, [(*row[:-2], *(f"{number:.1f}" for number in row[-2:])) for row in cells]
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
    """Return the tables of the page by their names."""
    return {match[1]: match[3] for match in TABLE.finditer(page)}


def replace_table(name: str, made: str) -> None:
    """Replace one table of the page."""
    page = PAGE.read_text(encoding="utf-8")
    if name not in tables_of(page):
        sys.exit(f"{PAGE.name}: expected <!-- table: {name} -->, found none")
    new = TABLE.sub(
        lambda match: match[1] + match[2] + (made if match[1] == name else match[3]),
        page,
    )
    PAGE.write_text(new, encoding="utf-8")


QUICK: dict[str, Callable[[Work], str]] = {"alone-glass": alone_glass}
"""Tables that take seconds."""

TABLES: dict[str, Callable[[Work], str]] = {
    **QUICK,
    "alone": alone,
    "after-the-mate": after_the_mate,
    "deeper-pruning": deeper_pruning,
    "games": games,
}
"""The tables of the page by their names."""


if __name__ == "__main__":
    main()
