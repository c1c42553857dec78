"""Rewrite the tables of docs/explanation/laboratory.md from new measurements.

usage: python -m tests.benchmarks.laboratory [--games FOLDER] [--jobs J] [TABLE]...

A table is between `<!-- table: NAME -->` and `<!-- end -->` in the page. Without
TABLE all are made, in about 45 minutes on two cores; `QUICK` ones take a second.
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

from solver.files import write_whole
from solver.laboratory.games import GamePosition, read_results
from solver.laboratory.imbalance import ImbalanceTable, shipped
from solver.laboratory.match_score import PROPHET_SCORES
from solver.laboratory.material import find_cell
from tests.benchmarks.reliability import (
    TRUSTED,
    WEIGHTS,
    Reliability,
    SizedCoverage,
    Tally,
    coverage_by_size,
    measure,
)
from tests.benchmarks.small_table import iterate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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


CONDITIONS = {
    "as `matesolve table` has them": (),
    "root window: full": ("--aspiration", "0"),
    "root window: 10 centipawns": ("--aspiration", "10"),
    "root window: 200 centipawns": ("--aspiration", "200"),
    **{
        f"transposition table: 2^{exponent}": ("--table-entries", f"2^{exponent}")
        for exponent in (14, 15, 16, 17, 20, 22)
    },
    "horizon: mate test": ("--horizon", "mate"),
    "horizon: quiescence search": ("--horizon", "quiescence"),
    "root moves: as generated": ("--root-order", "generated"),
    "root moves: by their last trees": ("--root-order", "nodes"),
    "a node: a call of the search": ("--count", "calls"),
    "a node: a position expanded": ("--count", "interior"),
}
CONDITION_DEPTHS = (16, 20)
CONDITION_NODES = 100_000_000
"""Where a search is stopped: small tables make the tree explode."""


def conditions(_work: Work) -> str:
    """Change one condition after the other on Glass's position."""
    limit = ("--nodes", str(CONDITION_NODES))
    rows, published = [], []
    for name, options in CONDITIONS.items():
        counts = record("table", *limit, *options)
        command = f"`{' '.join(options)}`" if options else ""
        rows.append((name, command, *pairs_of(counts, "nodes")))
        if not options:
            in_all = pairs_of(counts, "nodes_total")
            rows.append(("counted to the end of the iteration", "*in all*", *in_all))
            published = [
                cell
                for row in counts["rows"]
                if row["depth"] in CONDITION_DEPTHS
                for cell in compare(row["glass"]["off"], row["glass"]["on"])
            ]
    rows.append(("Glass 1.0, published", "", *published))
    columns = ("off", "cpw", "ratio")
    head = [f"depth {depth}: {name}" for depth in CONDITION_DEPTHS for name in columns]
    return table(("condition", "option", *head), rows)


def pairs_of(counts: dict[str, Any], field: str) -> list[str]:
    """Write the nodes without and with pruning, and their ratio, at both depths."""
    rows = {row["depth"]: row["variants"] for row in counts["rows"]}
    return [
        cell
        for depth in CONDITION_DEPTHS
        for cell in compare(
            *(rows.get(depth, {}).get(name, {}).get(field) for name in ("off", "cpw"))
        )
    ]


def compare(off: int | None, on: int | None) -> tuple[str, str, str]:
    """Write two counts and their ratio; a search that did not get there is `-`."""
    shown = ["-" if count is None else f"{count:,}" for count in (off, on)]
    return shown[0], shown[1], ratio(on / off) if on and off else "-"


def iterations(_work: Work) -> str:
    """Compare single iterations with those of Glass: nodes from PV to PV."""
    rows, sums = [], [0, 0, 0, 0]
    for row in record("table")["rows"]:
        found, glass = row["variants"], row["glass"]
        last = sums
        sums = [found["off"]["nodes"], found["cpw"]["nodes"], glass["off"], glass["on"]]
        spent = [new - old for new, old in zip(sums, last, strict=True)]
        ours, theirs = compare(*spent[:2]), compare(*spent[2:])
        scores = [
            score if isinstance(score, str) else f"{score:,}"
            for score in (found["cpw"]["score"], glass["score"])
        ]
        rows.append((row["depth"], scores[0], *ours, scores[1], *theirs))
    columns = ("score", "off", "on", "ratio")
    head = (*columns, *(f"Glass: {column}" for column in columns))
    return table(("depth", *head), rows)


def small_table(_work: Work) -> str:
    """Repeat iteration 15 with a small table, pruning some searches of the root."""
    plain, pruned = iterate(()), iterate((1, 2, 3))
    rows = [
        (name, history, *(f"{nodes:,}" for nodes in found.nodes))
        for name, history, found in (
            ("none", "its own", plain),
            ("all", "its own", pruned),
            ("the second", "its own", iterate((2,))),
            ("the third", "its own", iterate((3,))),
            ("all", "without MDP", iterate((1, 2, 3), plain.history)),
            ("none", "with MDP", iterate((), pruned.history)),
        )
    ]
    searches = [
        f"{name}: {alpha:,} to {beta:,}"
        for name, (_, alpha, beta, _) in zip(
            ("first", "second", "third"), plain.searched, strict=True
        )
    ]
    return table(("MDP in", "history for the third", *searches), rows)


def alone_glass(_work: Work) -> str:
    """Compare each technique alone on Glass's position."""
    counts = record("table", "--ablation")
    last = counts["rows"][-1]["variants"]
    first, *_ = last.values()
    rows = [
        (
            name,
            f"{found['nodes']:,}",
            f"{found['score']}{'' if found['proved'] else '?'}",
            ratio(found["nodes"] / first["nodes"]),
        )
        for name, found in last.items()
    ]
    return table(("variant", "nodes to PV at depth 20", "found", "ratio"), rows)


EXPLODING = "8/2R1Q3/1n6/1RK2k2/1n6/7N/2q5/3B2b1 w - -"
"""Checks are answered by checks."""


def uncapped(_work: Work) -> str:
    """Show the tree that explodes without a cap on the check extension."""
    names = ("off", "all", "uncapped")
    search = ("--mdp", "off", "--check-extension", ",".join(names), "--depth", "5")
    counts = record("table", *EXPLODING.split(), *search)
    rows = [
        (row["depth"], *(f"{row['variants'][name]['nodes_total']:,}" for name in names))
        for row in counts["rows"]
    ]
    return table(("depth", "none", "`all`", "`uncapped`"), rows)


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


def after_the_mate(_work: Work) -> str:
    """Count the nodes to the end of the iteration that finds the mate."""
    forms = ("off", "cpw", "tight")
    counts = record("table", PATHS[1], "--summary", "--mdp", ",".join(forms))
    totals = [counts["totals"][form] for form in forms]
    nodes = [total["nodes_total"] for total in totals]
    rows = [
        (f"`{form}`", f"{spent:,}", total["found"], ratio(spent / nodes[0]))
        for form, spent, total in zip(forms, nodes, totals, strict=True)
    ]
    return table(("form", "nodes in all, mates in 4", "found of 100", "ratio"), rows)


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
HORIZONS = ("static", "quiescence")

PROPHET = {"uncapped": "every check", "captures": "capturing checks"}
"""The experiments whose scores Prophet4's author published."""


def games(work: Work) -> str:
    """Play Prophet4's experiments."""
    rows = []
    for extension, name in EXPERIMENTS.items():
        for horizon in HORIZONS:
            score = record(
                *("match", "--a", f"check-extension={extension}", "--b", "off"),
                *("--games", str(MATCH_GAMES), "--horizon", horizon),
                *("--jobs", str(work.jobs)),
                *("--games-file", work.games / f"{extension}-{horizon}.pgn"),
            )
            counts = [score[field] for field in ("wins", "losses", "draws")]
            elo = [score[field] for field in ("elo", "error")]
            rows.append((f"{name}, {horizon}", *counts, 100 * score["score"], *elo))
        if extension in PROPHET:
            published = PROPHET_SCORES[extension]
            rows.append((f"Prophet4: {PROPHET[extension]}", *published))
    cells = [
        (name, *(f"{count:,}" for count in counts), f"{points:.1f}%", elo, error)
        for name, *counts, points, elo, error in rows
    ]
    head = ("extended, horizon", "wins", "losses", "draws", "pct", "Elo", "error")
    return table(
        head, [(*row[:-2], *(f"{number:.1f}" for number in row[-2:])) for row in cells]
    )


# Material-imbalance tables

MIP_VALUES = (
    *("off", "reduce", "reduce+white", "reduce+rounded", "reduce+curve"),
    *("prune", "prune+white", "prune+rounded", "prune+curve"),
    *("lazy", "lazy+white", "lazy+curve"),
    *("correct", "correct+white", "correct+curve"),
)
HELD_OUT_GAMES = 2000
SIZED_GAMES = 10_000


def forms_of_mip(_work: Work) -> str:
    """Compare what the forms of MIP's uses change."""
    values = ",".join(MIP_VALUES)
    return collections("--mdp", "off", "--mip", values, paths=PATHS[:2])


def views(work: Work) -> tuple[Reliability, Reliability]:
    """Compare the shipped table with held-out games, folded and in White's view."""
    table, held_out = shipped(), held_out_games(work)
    return measure(table, held_out), measure(table, held_out, folded=False)


def held_out_games(work: Work) -> ImbalanceTable:
    """Return the table of games that the shipped one has not counted."""
    held_out = ImbalanceTable()
    for position in positions_of(played(work, HELD_OUT_GAMES, seed=2)):
        held_out.add(find_cell(position.material), position.result)
    return held_out


def reliability(work: Work) -> str:
    """Compare the shipped table with held-out games, by positions of the cells."""
    both, whites = views(work)
    total = both.total.positions
    rows = []
    for folded, white in zip(both.buckets, whites.buckets, strict=True):
        most = f" to {folded.most:,}" if folded.most else " and more"
        rows.append(
            (
                f"{folded.least:,}{most if folded.least else ''}",
                *cells_of(folded.tally, total),
                *cells_of(white.tally, total)[:2],
            )
        )
    everything = cells_of(both.total, total)
    rows.append(("all", *everything, *cells_of(whites.total, total)[:2]))
    head = ("positions in the cell", "held out", "error", "decided", "right")
    return table((*head, "White's view: held out", "error"), rows)


def cells_of(tally: Tally, total: int) -> tuple[str, ...]:
    """Write the share, the error, the decided positions and how many of them hold."""
    error, decided = tally.mean_error, tally.decided
    return (
        f"{100 * tally.positions / total:.2f}%",
        "" if error is None else f"{100 * error:.1f}%",
        f"{decided:,}",
        f"{100 * tally.decided_right / decided:.2f}%" if decided else "",
    )


def curves(work: Work) -> str:
    """Compare the weights of the curve by their Brier scores."""
    rows = [
        (
            name,
            f"{view.total.brier:.5f}",
            *(f"{curve.brier:.5f}" for curve in view.curves),
        )
        for name, view in zip(("folded", "White's view"), views(work), strict=True)
    ]
    weights = [f"N = {weight}" for weight in WEIGHTS]
    return table(("Brier score", "no curve", *weights), rows)


def coverage(work: Work) -> str:
    """Let a table grow, and count the held-out positions whose cell it has filled."""
    held_out = held_out_games(work)
    counted = positions_of(played(work, SIZED_GAMES, seed=1))
    found = [*coverage_by_size(counted, held_out, (1_000, 10_000, 100_000, 1_000_000))]
    whole = shipped()
    view = measure(whole, held_out)
    last = SizedCoverage(
        whole.coverage().positions, view.coverage(), view.coverage(TRUSTED)
    )
    rows = [
        (f"{size.positions:,}", *(f"{100 * (share or 0):.2f}%" for share in size[1:]))
        for size in (*found[:-1], last)
    ]
    return table(("positions in the table", "any position", "50 or more"), rows)


def played(work: Work, number: int, seed: int) -> Path:
    """Return the file of the first games of a seed, and play them if it is missing."""
    path = work.games / f"selfplay-{seed}-{number}.pgn"
    if not path.exists():
        asked = ("--games", str(number), "--seed", str(seed), "--jobs", str(work.jobs))
        write_whole(path, matesolve("mip", "play", *asked).encode())
    return path


def positions_of(path: Path) -> Iterator[GamePosition]:
    """Yield the positions of games with their results."""
    return (found for found in read_results(path) if isinstance(found, GamePosition))


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


QUICK: dict[str, Callable[[Work], str]] = {"uncapped": uncapped}
"""Tables that take a second."""

TABLES: dict[str, Callable[[Work], str]] = {
    **QUICK,
    "iterations": iterations,
    "small-table": small_table,
    "alone-glass": alone_glass,
    "conditions": conditions,
    "alone": alone,
    "after-the-mate": after_the_mate,
    "deeper-pruning": deeper_pruning,
    "mip-forms": forms_of_mip,
    "mip-reliability": reliability,
    "mip-curves": curves,
    "mip-coverage": coverage,
    "games": games,
}
"""The tables of the page by their names."""


if __name__ == "__main__":
    main()
