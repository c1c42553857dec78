"""Tables of node counts: Glass's position, and collections of mates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import patched
from benchmarks.laboratory_commands import (
    ROOT,
    Work,
    compare,
    ratio,
    record,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

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
VARIANTS = ("off", "cpw", "ratio")
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
    head = [f"depth {depth}: {name}" for depth in CONDITION_DEPTHS for name in VARIANTS]
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


CHANGES = {
    "a rook is worth 1,000": patched.ROOK_OF_GLASS,
    "evaluation doubled": patched.DOUBLED,
    "evaluation halved": patched.HALVED,
    "evaluation: material alone": patched.MATERIAL_ALONE,
    "root window of 50 after the mate, too": patched.WINDOW_AFTER_MATE,
    "nodes that MDP cuts do not count": patched.CUT_NODES_UNCOUNTED,
    "nodes that the table answers do not count": patched.ANSWERS_UNCOUNTED,
}
"""What no option changes."""


def changes(_work: Work) -> str:
    """Change the program on Glass's position: its evaluation, and what it counts."""
    counts = record("table")
    rows = [("as it is", counts["rows"])]
    rows.append(("nodes after each PV do not count", _only_to_pv(counts["rows"])))
    for name, change in CHANGES.items():
        with patched.program(change) as program:
            rows.append((name, record("table", program=program)["rows"]))
    glass = [
        {
            "depth": row["depth"],
            "variants": {
                "off": {"score": row["glass"]["score"], "nodes": row["glass"]["off"]},
                "cpw": {"score": row["glass"]["score"], "nodes": row["glass"]["on"]},
            },
        }
        for row in counts["rows"]
    ]
    rows.append(("Glass 1.0, published", glass))
    cells = [
        (
            name,
            "{:,} to {:,}".format(*_range_of_scores(found)),
            *pairs_of({"rows": found}, "nodes"),
            _last_ratio(found),
        )
        for name, found in rows
    ]
    columns = [
        f"depth {depth}: {name}" for depth in CONDITION_DEPTHS for name in VARIANTS
    ]
    head = ("changed", "scores to depth 15", *columns, "iteration 20 alone: ratio")
    return table(head, cells)


def _only_to_pv(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the nodes of each iteration after its principal variation."""
    rest = {"off": 0, "cpw": 0}
    kept = []
    for row in rows:
        variants = {}
        for name, found in row["variants"].items():
            variants[name] = {**found, "nodes": found["nodes"] - rest[name]}
            rest[name] += found["nodes_total"] - found["nodes"]
        kept.append({"depth": row["depth"], "variants": variants})
    return kept


def _range_of_scores(rows: list[dict[str, Any]]) -> tuple[int, int]:
    scores = [row["variants"]["cpw"]["score"] for row in rows[:15]]
    return min(scores), max(scores)


def _last_ratio(rows: list[dict[str, Any]]) -> str:
    """Write the ratio of the nodes from the last principal variation but one."""
    before, last = (row["variants"] for row in rows[-2:])
    on, off = (last[name]["nodes"] - before[name]["nodes"] for name in ("cpw", "off"))
    return ratio(on / off)


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
    counts = record("table", *paths, "--sums", *arguments)
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
    counts = record("table", PATHS[1], "--sums", "--mdp", ",".join(forms))
    totals = [counts["totals"][form] for form in forms]
    nodes = [total["nodes_total"] for total in totals]
    rows = [
        (f"`{form}`", f"{spent:,}", total["found"], ratio(spent / nodes[0]))
        for form, spent, total in zip(forms, nodes, totals, strict=True)
    ]
    return table(("form", "nodes in all, mates in 4", "found of 100", "ratio"), rows)


PRUNED = ("off", "cut", "all", "none", "on")
ADDITIONS = ("off", "none", "1", "2", "3", "4", "on")


def pruned_nodes(_work: Work) -> str:
    """Compare where forward pruning is tried, also deeper than the claimed mates."""
    return table(PRUNING_HEAD, [*pruning_rows(8, PRUNED), *pruning_rows(12, PRUNED)])


def additions(_work: Work) -> str:
    """Compare the additions of Enhanced Forward Pruning one by one."""
    return table(PRUNING_HEAD, pruning_rows(8, ADDITIONS))


PRUNING_HEAD = (
    *("depth", "`--efp`", "found of 100", "nodes in all"),
    *("searched again", "in vain"),
)


def pruning_rows(depth: int, forms: Sequence[str]) -> list[tuple[object, ...]]:
    """Count found mates, nodes, second searches, and those that fail low."""
    search = ("table", ROOT / PATHS[1], "--sums", "--mdp", "off", "--depth", depth)
    asked = (*search, "--efp", ",".join(forms))
    totals = record(*asked)["totals"]
    again = record(*asked, "--count", "again")["totals"]
    with patched.program(patched.IN_VAIN) as program:
        in_vain = record(*asked, "--count", "again", program=program)["totals"]
    return [
        (
            depth,
            f"`{form}`",
            totals[form]["found"],
            *(f"{found[form]['nodes_total']:,}" for found in (totals, again, in_vain)),
        )
        for form in forms
    ]
