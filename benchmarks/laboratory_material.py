"""Tables of Material Imbalance Pruning: its data, and what its uses change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import chess.pgn

from benchmarks import patched
from benchmarks.laboratory_commands import Work, matesolve, record, table
from benchmarks.laboratory_counts import PATHS, collections
from benchmarks.reliability import (
    TRUSTED,
    WEIGHTS,
    Reliability,
    SizedCoverage,
    Tally,
    coverage_by_size,
    measure,
)
from solver.files import write_whole
from solver.laboratory.games import GamePosition, read_results
from solver.laboratory.imbalance import (
    ImbalanceTable,
    Outcomes,
    find_material_cell,
    shipped,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from solver.laboratory.imbalance import Material

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
        held_out.add(find_material_cell(position.material), position.result)
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


# Hits by phase

PHASES = {
    "opening: 28 to 32": range(28, 33),
    "23 to 27": range(23, 28),
    "18 to 22": range(18, 23),
    "13 to 17": range(13, 18),
    "endgame: 8 to 12": range(8, 13),
    "endgame: 2 to 7": range(2, 8),
}
"""Pieces on the board, with kings and pawns."""

SEARCHED = 100
"""Positions of each phase that are searched, one of a game."""
SEARCHED_DEPTH = 5
ONE_PAWN = 1


def hits(work: Work) -> str:
    """Count how often the material table answers, and says 0 or 100, by phase."""
    known = shipped().folded()
    games = played(work, HELD_OUT_GAMES, seed=2)
    tallies = {phase: Hits() for phase in PHASES}
    for position in positions_of(games):
        tallies[phase_of(2 + sum(position.material))].add(position.material, known)
    searched = hits_of_search(work, games)
    rows = []
    for phase, hit in tallies.items():
        beyond, answers, decides, even_decides = (
            f"{100 * number / hit.positions:.2f}%"
            for number in (hit.beyond, hit.answers, hit.decides, hit.even_decides)
        )
        shares = (beyond, answers, decides, even_decides)
        rows.append((phase, f"{hit.positions:,}", *shares, *searched[phase]))
    head = ("pieces", "held-out positions", "beyond a pawn", "answered", "decided")
    asked = ("decided within a pawn", "asked in searches", "answered", "decided")
    return table((*head, *asked), rows)


@dataclass(slots=True)
class Hits:
    """Positions; those with an imbalance beyond a pawn; of these, the hits.

    `even_decides` counts positions within a pawn in cells that would decide.
    """

    positions: int = 0
    beyond: int = 0
    answers: int = 0
    decides: int = 0
    even_decides: int = 0

    def add(self, material: Material, known: ImbalanceTable) -> None:
        """Count a position."""
        cell = find_material_cell(material)
        outcomes = known.outcomes(cell) if cell is not None else Outcomes()
        is_beyond = abs(material.balance()) > ONE_PAWN
        is_known = outcomes.positions >= TRUSTED
        self.positions += 1
        self.beyond += is_beyond
        self.answers += is_beyond and is_known
        self.decides += is_beyond and is_known and outcomes.is_decided
        self.even_decides += not is_beyond and is_known and outcomes.is_decided


def phase_of(pieces: int) -> str:
    """Return the phase of a position with so many pieces."""
    return next(phase for phase, numbers in PHASES.items() if pieces in numbers)


def hits_of_search(work: Work, games: Path) -> dict[str, tuple[str, ...]]:
    """Search positions of each phase; each horizon node asks the material table."""
    counts: dict[str, list[int]] = {phase: [] for phase in PHASES}
    paths: dict[str, Path] = {}
    for phase, fens in sampled(games).items():
        paths[phase] = work.games / f"phase-{len(paths)}.epd"
        paths[phase].write_text("".join(f"{fen}\n" for fen in fens), encoding="utf-8")
    search = ("--mdp", "off", "--mip", "lazy", "--depth", SEARCHED_DEPTH)
    for change in (patched.MIP_ASKED, patched.MIP_ANSWERED, patched.MIP_DECIDED):
        with patched.program(change) as program:
            for phase, path in paths.items():
                asked = (*search, "--count", "interior", "--sums")
                totals = record("table", path, *asked, program=program)["totals"]
                counts[phase].append(totals["lazy"]["nodes_total"])
    return {
        phase: (
            f"{asked:,}",
            *(f"{100 * number / asked:.2f}%" for number in (answered, decided)),
        )
        for phase, (asked, answered, decided) in counts.items()
    }


def sampled(games: Path) -> dict[str, list[str]]:
    """Return the first position of each phase in each of the first games."""
    found: dict[str, list[str]] = {phase: [] for phase in PHASES}
    with games.open(encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            met = set()
            for node in game.mainline():
                board = node.board()
                phase = phase_of(chess.popcount(board.occupied))
                if phase not in met and len(found[phase]) < SEARCHED:
                    found[phase].append(board.epd())
                met.add(phase)
            if all(len(fens) == SEARCHED for fens in found.values()):
                break
    return found
