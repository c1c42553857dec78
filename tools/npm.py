"""Build the npm package, and try it with Node: python -m tools.npm DIRECTORY.

The package is what `npm/` holds, with the search compiled to WebAssembly, the modules
that a page's worker uses too, the script of a thread of Node, and the layout of the
kernel's structs. Packed, installed
into a new folder and called from there, it must answer as the Python package does.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from itertools import cycle
from operator import itemgetter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import chess

from solver import Grade, GradeStatus, Limits, __version__, grade, solve
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_module
from solver.pages import bundle, packed
from solver.pages.layout import describe_kernel
from solver.pages.viewer_pages import TABLE_BYTES
from tests.processes import run
from tests.written_lines import fuzzed, spellings
from tools import tables

ROOT = Path(__file__).parents[1]

MODULES = ("engine", "host", "machine", "movetext", "rules")

MOST_BYTES = 150_000
"""Of the packed package."""

LIMITS: list[dict[str, Any]] = [
    {"nodes": 1_000_000},
    {"nodes": 5_000},
    {"nodes": 1_000_000, "maxMoves": 2},
    {"nodes": 1_000_000, "keys": False},
]
"""The options of `solve`, in turns. The others have the same limit of nodes."""

CLAIM = re.compile(r"^([^#]\S* \S+ \S+ \S+) (?:dm|nomate) -?(\d+);", re.MULTILINE)


def write_package(folder: Path) -> None:
    """Write the files of the package into a new folder."""
    shutil.copytree(ROOT / "npm", folder)
    shutil.copy(ROOT / "LICENSE", folder)
    (folder / "modules").mkdir()
    for name in MODULES:
        shutil.copy(ROOT / "solver/pages/modules" / f"{name}.mjs", folder / "modules")
    write_search(folder)
    setup = {
        "layout": describe_kernel(),
        "tableBytes": TABLE_BYTES,
    }
    write_module(folder / "setup.mjs", setup)
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    text = json.dumps({"name": package.pop("name"), "version": __version__} | package)
    (folder / "package.json").write_text(text, encoding="utf-8")


def write_search(folder: Path) -> None:
    """Write what is loaded with the first question: the search, the script of a thread.

    The script is joined from modules in the folder.
    """

    def read(path: str) -> str:
        return (folder / path).read_text(encoding="utf-8")

    search = {
        "search": packed(load_module(SEARCH).code),
        "thread": bundle(["./thread.cjs", "./worker.mjs"], read),
    }
    write_module(folder / "search.mjs", search)


def write_module(path: Path, content: dict[str, Any]) -> None:
    """Write a module that exports an object."""
    path.write_text(f"export default {json.dumps(content)};\n", encoding="utf-8")


def pack(folder: Path) -> Path:
    """Pack the package that a folder holds, beside it; return the packed file."""
    npm("pack", "--pack-destination", str(folder.parent), cwd=folder)
    return folder.parent / f"matesolve-{__version__}.tgz"


def install(packed: Path, folder: Path) -> None:
    """Install a packed package into a new folder, as a user does."""
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    npm("install", str(packed), cwd=folder)


def npm(*words: str, cwd: Path) -> None:
    """Run npm, without the network."""
    quiet = "--offline", "--no-audit", "--no-fund", "--loglevel=error"
    run([shutil.which("npm") or "npm", *words, *quiet], cwd=cwd, check=True)


# What is asked, and what Python answers


def positions(count: int) -> list[tuple[str, int]]:
    """Return positions of puzzles/, and the moves that their claims are about."""
    texts = [path.read_text("utf-8") for path in sorted(ROOT.glob("puzzles/*.epd"))]
    rows = CLAIM.findall("\n".join(texts))
    return [(fen, int(n)) for fen, n in Random(30).sample(rows, count)]


FUZZED = 50
"""Lines of each position that are spelled in some way, then changed at random."""


def lines_of(
    fen: str, pv: tuple[str, ...], keys: tuple[str, ...]
) -> list[str | list[str]]:
    """Return lines that are right, incomplete, alternative, wrong and unreadable."""
    board = chess.Board(f"{fen} 0 1")
    others = [move.uci() for move in board.legal_moves if move.uci() not in keys]
    random = Random(fen)
    lines: list[str | list[str]] = [[*pv], [*pv[:1]], [*pv, "e4"], [*pv[:-1], "a1a1"]]
    lines += [["Kf9"], ["Q" * 99], [], [*keys[:1], "{so", "it", "is}"]]
    lines += [[key] for key in keys[:3]]
    lines += [[move] for move in random.sample(others, min(2, len(others)))]
    texts = [*spellings(board, [chess.Move.from_uci(move) for move in pv]).values()]
    return [*lines, *(fuzzed(random.choice(texts), random) for _ in range(FUZZED))]


def question(fen: str, n: int, limit: dict[str, Any]) -> dict[str, Any]:
    """Return the questions about a position, with Python's answers."""
    nodes = limit["nodes"]
    limits = Limits(max_moves=limit.get("maxMoves"), nodes=nodes)
    solution = solve(fen, limits, keys=limit.get("keys", True))
    whole = solve(fen, Limits(nodes=LIMITS[0]["nodes"]))
    lines = lines_of(fen, whole.pv, whole.keys)
    longer = n + 2 if nodes == LIMITS[1]["nodes"] else None
    grades = [grade(fen, line, n, nodes=nodes, max_moves=longer) for line in lines]
    none = grade(fen, [], n, nodes=nodes)
    return {
        "fen": fen,
        "n": n,
        "limit": limit,
        "lines": lines,
        "solved": {
            "status": str(solution.status),
            "mate": solution.mate,
            "lowerBound": solution.lower_bound,
            "keys": sorted(solution.keys),
            "keysComplete": solution.keys_complete,
            "pv": [*solution.pv],
            "san": [*solution.pv_san],
            "nodes": solution.stats.nodes,
            "warnings": [],
            "stoppedBy": solution.stopped_by,
        },
        "longer": longer,
        "grades": [graded(each) for each in grades],
        "keys": sorted(none.right_moves)
        if none.status is GradeStatus.WRONG
        else f"Error: {none.reason}",
    }


def graded(answer: Grade) -> dict[str, Any]:
    """Return a grade as the package returns it."""
    fields: dict[str, Any] = {
        tables.camel_case(name): value for name, value in answer.to_dict().items()
    }
    del fields["schema"], fields["solver"]
    by_name = sorted(fields["rightMoves"], key=itemgetter("uci"))
    is_open = answer.status is GradeStatus.UNDECIDED
    return fields | {
        "isRight": answer.is_right,
        "rightMoves": by_name,
        "stoppedBy": "nodes" if is_open else None,
    }


def questions(count: int) -> list[dict[str, Any]]:
    """Return questions about positions of puzzles/, with their answers."""
    rows = zip(positions(count), cycle(LIMITS), strict=False)
    return [question(*row, limit) for row, limit in rows]


ASK = """
import { readFile, writeFile } from "node:fs/promises";
import { grade, keys, solve } from "matesolve";

const names = (moves) => moves.map(({ uci }) => uci);
const sorted = (moves) => names(moves).sort();
const asked = JSON.parse(await readFile("questions.json", "utf-8"));
const answers = [];
for (const { fen, n, limit, lines, longer: maxMoves } of asked) {
  const { nodes } = limit;
  const solved = await solve(fen, limit);
  const grades = await Promise.all(
    lines.map((line) => grade(fen, line, n, { nodes, maxMoves })));
  answers.push({
    solved: { ...solved, keys: sorted(solved.keys), pv: names(solved.pv),
      san: solved.pv.map(({ san }) => san) },
    grades: grades.map(({ rightMoves, ...rest }) =>
      ({ ...rest, rightMoves: rightMoves.sort((a, b) => a.uci < b.uci ? -1 : 1) })),
    keys: await keys(fen, n, { nodes }).then(sorted, String),
  });
}
await writeFile("answers.json", JSON.stringify(answers));
"""


def compare(folder: Path, asked: list[dict[str, Any]]) -> list[str]:
    """Ask the package that is installed in a folder; list other answers."""
    (folder / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    (folder / "ask.mjs").write_text(ASK, encoding="utf-8")
    run(["node", "ask.mjs"], cwd=folder, check=True)
    answers = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    return [
        f"{expected['fen']}: {name}: expected {expected[name]}, found {found[name]}"
        for expected, found in zip(asked, answers, strict=True)
        for name in ("solved", "grades", "keys")
        if expected[name] != found[name]
    ]


def main() -> None:
    """Build, pack and try the package; leave the packed file in a directory."""
    parser = argparse.ArgumentParser(prog="python -m tools.npm")
    parser.add_argument("directory", type=Path, help="where to put the packed file")
    build_and_try(parser.parse_args().directory.resolve())


def build_and_try(directory: Path, count: int = 200) -> None:
    """Write the packed package into a directory, or end with a message and exit code 1.

    Without npm and Node it is neither packed nor tried.
    """
    with TemporaryDirectory() as name:
        folder = Path(name) / "matesolve"
        write_package(folder)
        if not (shutil.which("npm") and shutil.which("node")):
            sys.stdout.write(
                "npm package: built, but not packed and tried: it needs npm and Node\n"
            )
            return
        packed = pack(folder)
        if (size := packed.stat().st_size) > MOST_BYTES:
            sys.exit(
                f"{packed.name}: expected at most {MOST_BYTES} bytes, found {size}"
            )
        install(packed, Path(name) / "installed")
        if faults := compare(Path(name) / "installed", questions(count)):
            sys.exit("\n".join(faults))
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copy(packed, directory)
    sys.stdout.write(f"{packed.name}: {size} bytes, {count} positions as in Python\n")


if __name__ == "__main__":
    main()
