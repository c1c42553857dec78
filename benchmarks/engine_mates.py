"""Let a UCI engine claim mates, and print its claims as EPD for `matesolve verify`.

usage: python -m benchmarks.engine_mates sample N FILE... > set.epd
       python -m benchmarks.engine_mates run ENGINE NODES set.epd > claims.epd
       python -m benchmarks.engine_mates compare set.epd claims.epd...

`sample` draws N of the distinct positions in which the files claim a mate in at most 27
moves, always the same of the same files. `run` gives the engine one thread, a table of
16 MiB, cleared before each position, and NODES nodes. If its last exact score is a
mate, this is its claim, with its line. `compare` counts the claims by the set's length:
those of the right side, and of them those of the set's length.
"""

from __future__ import annotations

import random
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import chess
import chess.engine

from benchmarks.laboratory_commands import table
from solver.errors import FormatError
from solver.formats.claims import ReadOptions, Selection
from solver.formats.epd import write_epd
from solver.formats.registry import read_collection
from solver.problem import MAX_MOVES, Claim, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20261124
LONGEST = 27
OPTIONS = {"Threads": 1, "Hash": 16}
BOUNDS = {"lowerbound", "upperbound"}


def read_claims(files: list[str], longest: int = MAX_MOVES) -> list[Problem]:
    """Return the claimed mates of all files, each position once."""
    found: dict[str, Problem] = {}
    for path in files:
        for record in read_collection(
            path, ReadOptions(selection=Selection(max_claim=longest))
        ):
            if isinstance(record, FormatError):
                sys.exit(str(record))
            if record.claim and record.stipulation.is_direct_mate:
                found.setdefault(" ".join(record.fen.split()[:4]), record)
    return list(found.values())


def claim_mates(engine: str, nodes: int, problems: list[Problem]) -> Iterator[Problem]:
    """Yield the engine's claims, each as soon as it is made."""
    limit = chess.engine.Limit(nodes=nodes)
    with chess.engine.SimpleEngine.popen_uci(engine) as player:
        player.configure(OPTIONS)
        for problem in problems:
            mate: int | None = None
            line: list[chess.Move] = []
            board = chess.Board(problem.fen)
            with player.analysis(board, limit, game=object()) as analysis:
                for info in analysis:
                    if "score" in info and not BOUNDS & info.keys():
                        mate = info["score"].relative.mate()
                        line = info.get("pv", [])
            if mate:
                claim = Claim(mate, line=tuple(move.uci() for move in line))
                yield Problem(problem.fen, problem.id, claim)


def mates_of(problems: list[Problem]) -> dict[str, int]:
    """Return the claimed mate of each position."""
    return {problem.fen: problem.claim.mate for problem in problems if problem.claim}


def compare(path: str, files: list[str]) -> None:
    """Print how many mates each file has, and how many of the set's length."""
    known, *claimed = (mates_of(read_claims([file])) for file in (path, *files))
    rows = []
    for low, high in [*pairwise((1, 3, 6, 9, 13, LONGEST + 1)), (1, LONGEST + 1)]:
        fens = [fen for fen, mate in known.items() if low <= abs(mate) < high]
        cells = [f"{low} to {high - 1}", f"{len(fens):,}"]
        for mates in claimed:
            found = [fen for fen in fens if known[fen] * mates.get(fen, 0) > 0]
            best = [fen for fen in found if known[fen] == mates[fen]]
            cells += [f"{len(found):,}", f"{len(best):,}"]
        rows.append(cells)
    columns = [name for file in files for name in (file, "best")]
    print(table(("mate in", "positions", *columns), rows), end="")


def main() -> None:
    """Print the set, an engine's claims, or the table."""
    match sys.argv[1:]:
        case ["sample", size, *files] if files:
            problems = random.Random(SEED).sample(
                read_claims(files, LONGEST), int(size)
            )
            sys.stdout.writelines(map(write_epd, problems))
        case ["run", engine, nodes, path]:
            for claimed in claim_mates(engine, int(nodes), read_claims([path])):
                print(write_epd(claimed), end="", flush=True)
        case ["compare", path, *files] if files:
            compare(path, files)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
