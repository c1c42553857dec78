"""Learn the worths of the first proof numbers from proofs.

usage: python -m benchmarks.first_numbers SUITE.epd [--seed S] [--positions P]
                                                [--nodes N] [--budget B]

Prints the tables of `solver.kernel.mate.dfpn`, and how well they and the
weights that were chosen by hand foretell which attack mates.

The data: P positions with a mate in 7 to 10, P in 11 to 15 and P in 16 or more, drawn
with the seed from the half of the suite for tuning (`benchmarks.searches`). The df-pn
search proves each mate with at most N nodes. Walks from the root, by the proof's attack
and a random reply, give attacker nodes of the proof. A node counts if its attack takes
more than EASY_NODES nodes to prove from an empty table, because easy ones are found in
any order. All its other attacks are searched with B nodes each, and those that mate
count as the proof's attack does. Attacks that the kernel decides by itself are left
out.

The fit: an attack's work is 1 plus the worths of its features, and the chance that it
is the one that mates is proportional to work^-POWER. Worths never fall as a feature's
count rises. The weights by hand are the prior: the logarithm of each step has a normal
distribution around theirs, so what the data do not show stays as it was. One position
in five is held out.

The proofs are found with the tables that the kernel has, so that a run after a change
of the search prints other tables. The kernel's are those of a second run; in a first
and shorter one it had the weights by hand.
"""

from __future__ import annotations

import argparse
import ctypes
import random
from ctypes import CFUNCTYPE
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from benchmarks import searches
from solver.board import pack_board
from solver.kernel.border.interface import Decision
from solver.kernel.border.search_struct import PositionStruct
from solver.kernel.build.jit import native, record_at
from solver.kernel.build.words import Search, i64, pointer, type_of, u64
from solver.kernel.mate.dfpn import (
    BEYOND,
    FLIGHTS,
    LOSSES,
    OTHERS,
    WHOLE,
    Resources,
    find_defence,
)
from solver.kernel.rules.bitboards import position_at
from solver.kernel.rules.movegen import generate
from solver.search.workspaces import Workspace
from tests.kernel import linked

HASH_MIB = 64
BANDS = ((7, 10), (11, 15), (16, 500))
"""Lengths of mates of which equally many positions are drawn."""

SHORTEST = 3
"""The prover decides mates in 2, in any order."""

EASY_NODES = 300
WALKS = 20
MOST_NODES = 64
"""Attacker nodes of one position."""

HELD_OUT = 5
"""One position in this many."""

POWER = 3.0
"""The search needs more nodes with tables that were fitted with 2 or 4."""

STRENGTH = 4e-4
"""Of the prior, relative to the mean log-likelihood of a node."""

ROUNDS = 1500
RATE = 0.02
"""Of Adam (Kingma and Ba, 2014), whose usual moments follow."""

MOMENTS = (0.9, 0.999)
ROUNDING = 1e-8

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


# The data


class Attack(NamedTuple):
    """An attack of a node: the defence against it, and whether it mates."""

    defence: tuple[int, ...]
    mates: bool


class Node(NamedTuple):
    """An attacker node of a proof."""

    position: int
    attacks: list[Attack]


@native(i64(pointer(type_of(Search)), pointer(u64), pointer(u64)))
def write_defence(search_pointer: Any, words: Any, out: Any) -> Any:
    """Write a `Defence` to `out`; return 0 if the kernel decides the node."""
    search, position = record_at(search_pointer), position_at(words)
    size = generate(position, search.rows[0])
    defence = find_defence(position, size, 0, search)
    out[0] = defence.check
    out[1] = defence.flights
    out[2] = defence.others
    out[3] = defence.loss
    out[4] = defence.beyond
    return np.int64(defence.flights + defence.others)


class Learner:
    """Collects nodes of proofs, in its own workspace."""

    def __init__(self, nodes: int, budget: int, seed: int) -> None:
        self._workspace = Workspace(HASH_MIB)
        self._nodes = nodes
        self._budget = budget
        self._random = random.Random(seed)
        self._write = CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * 3)(
            linked(write_defence)
        )

    def defence(self, position: PositionStruct) -> tuple[int, ...] | None:
        """Return the defence of a defender node, None if the kernel decides it."""
        out = (ctypes.c_uint64 * len(Resources._fields))()
        search = ctypes.byref(self._workspace.search)
        is_open = self._write(search, ctypes.byref(position), out)
        return tuple(out) if is_open else None

    def nodes_of(self, fen: str, moves: int, number: int) -> list[Node]:
        """Return attacker nodes of the proof of one position, if there is one."""
        root = pack_board(chess.Board(f"{fen} 0 1"))
        self._begin(self._nodes)
        kernel, search = self._workspace.kernel, self._workspace.search
        if kernel.find_mate(root, search, moves) != Decision.MATE:
            return []
        found: dict[bytes, tuple[int, int]] = {}
        for _ in range(WALKS):
            self._walk(root, moves, found)
        drawn = self._random.sample(sorted(found), min(MOST_NODES, len(found)))
        nodes = [self._node(words, *found[words], number) for words in drawn]
        return [node for node in nodes if node]

    def _begin(self, nodes: int) -> None:
        self._workspace.begin(nodes)
        self._workspace.grow(1 << 12)

    def _walk(
        self, position: PositionStruct, moves: int, found: dict[bytes, tuple[int, int]]
    ) -> None:
        """Walk down a proof; note the moves and the proof's attack of each node."""
        kernel, search = self._workspace.kernel, self._workspace.search
        while moves >= SHORTEST:
            bounds = kernel.bounds(position, search, attacking=True)
            if bounds.mate is None or bounds.mate < SHORTEST or not bounds.move:
                return
            moves = min(moves, bounds.mate)
            found.setdefault(bytes(position), (moves, bounds.move))
            child = kernel.made(position, search, bounds.move)
            moves -= 1
            replies = kernel.moves(child, search)
            if not replies:
                return
            position = kernel.made(child, search, self._random.choice(replies))

    def _node(self, words: bytes, moves: int, attack: int, number: int) -> Node | None:
        """Return a node if its proof is not easy."""
        position = PositionStruct.from_buffer_copy(words)
        kernel, search = self._workspace.kernel, self._workspace.search
        mating = kernel.made(position, search, attack)
        if self._mates(mating, moves - 1, EASY_NODES):
            return None
        attacks = []
        for move in kernel.moves(position, search):
            child = kernel.made(position, search, move)
            defence = self.defence(child)
            if defence:
                mates = move == attack or self._mates(child, moves - 1, self._budget)
                attacks.append(Attack(defence, mates))
        return Node(number, attacks) if any(a.mates for a in attacks) else None

    def _mates(self, position: PositionStruct, moves: int, nodes: int) -> bool:
        self._begin(nodes)
        kernel, search = self._workspace.kernel, self._workspace.search
        verdict = kernel.find_mate(position, search, moves, attacking=False)
        return verdict == Decision.MATE


def draw(lines: list[str], positions: int, seed: int) -> list[tuple[str, int]]:
    """Draw positions for tuning and their mates, of each band as many."""
    tuned = searches.half(lines, "tuned")
    return [
        claim
        for band in BANDS
        for claim in searches.draw(searches.claims_of(tuned, *band), positions, seed)
    ]


# The fit


def rising(steps: list[float]) -> Floats:
    """Return the steps of a feature, without check and with check."""
    return np.array([steps, steps])


HAND = (
    rising([2.0 * count + 1 for count in range(FLIGHTS.shape[1] - 1)]),
    rising([1.0] * (OTHERS.shape[1] - 1)),
    rising([3.0, 6.0, 6.0, 12.0]),
    rising([2.0] * (BEYOND.shape[1] - 1)),
)
"""Steps of the worths by hand: flights^2, others, a pawn 3, a minor piece 9, a rook 15,
a queen 27, twice the squares beyond."""


def tables_of(steps: list[Floats]) -> list[Floats]:
    """Return the worths by count."""
    return [np.pad(np.cumsum(s, axis=1), ((0, 0), (1, 0))) for s in steps]


@dataclass(frozen=True)
class Data:
    """Attacks of nodes, node after node.

    `check`, `counts` of each feature, within its table, and `weights` have a number for
    each attack. The weights of a node are 1, divided among its attacks that mate.
    `starts` and `sizes` are the slices of the nodes.
    """

    check: Numbers
    counts: list[Numbers]
    weights: Floats
    starts: Numbers
    sizes: Numbers

    @classmethod
    def of(cls, nodes: list[Node]) -> Data:
        """Collect the attacks of nodes."""
        defences = np.array([a.defence for n in nodes for a in n.attacks], np.int64)
        counts = [
            np.minimum(defences[:, feature + 1], steps.shape[1])
            for feature, steps in enumerate(HAND)
        ]
        sizes = np.array([len(node.attacks) for node in nodes], np.int64)
        mating = np.array([a.mates for n in nodes for a in n.attacks], np.float64)
        starts = np.cumsum(sizes) - sizes
        weights = mating / np.repeat(np.add.reduceat(mating, starts), sizes)
        return cls(defences[:, 0], counts, weights, starts, sizes)

    def work(self, tables: list[Floats]) -> Floats:
        """Return the proof number of each attack."""
        work = np.ones(len(self.check))
        for table, counts in zip(tables, self.counts, strict=True):
            work += table[self.check, counts]
        return work

    def likelihood(self, work: Floats, power: float) -> tuple[float, Floats]:
        """Return the mean log-likelihood of a node, and its slope by log work."""
        scores = -power * np.log(work)
        scores -= np.repeat(np.maximum.reduceat(scores, self.starts), self.sizes)
        chances = np.exp(scores)
        totals = np.repeat(np.add.reduceat(chances, self.starts), self.sizes)
        value = float(np.sum(self.weights * (scores - np.log(totals))))
        slope = -power * (self.weights - chances / totals)
        return value / len(self.sizes), slope / len(self.sizes)


def slopes(data: Data, steps: list[Floats]) -> list[Floats]:
    """Return the slopes of the mean log-likelihood by the logarithms of the steps."""
    work = data.work(tables_of(steps))
    by_work = data.likelihood(work, POWER)[1] / work
    found = []
    for step, counts in zip(steps, data.counts, strict=True):
        width = step.shape[1] + 1
        cells = np.bincount(data.check * width + counts, by_work, 2 * width)
        sums = cells.reshape(2, width)[:, ::-1].cumsum(axis=1)[:, ::-1]
        found.append(sums[:, 1:] * step)
    return found


def fit(data: Data) -> list[Floats]:
    """Return the most likely steps."""
    prior = [np.log(steps) for steps in HAND]
    logs = [log.copy() for log in prior]
    mean = [np.zeros_like(log) for log in logs]
    square = [np.zeros_like(log) for log in logs]
    for round_ in range(1, ROUNDS + 1):
        rate = RATE * (1 - round_ / ROUNDS)
        likely = slopes(data, [np.exp(log) for log in logs])
        for index, log in enumerate(logs):
            slope = likely[index] - 2 * STRENGTH * (log - prior[index])
            mean[index] += (1 - MOMENTS[0]) * (slope - mean[index])
            square[index] += (1 - MOMENTS[1]) * (slope**2 - square[index])
            first = mean[index] / (1 - MOMENTS[0] ** round_)
            second = square[index] / (1 - MOMENTS[1] ** round_)
            logs[index] += rate * first / (np.sqrt(second) + ROUNDING)
    return [np.exp(log) for log in logs]


# What is printed


def kernel_tables() -> list[Floats]:
    """Return the worths that the kernel has."""
    return [table / WHOLE for table in (FLIGHTS, OTHERS, LOSSES, BEYOND)]


def best(data: Data, tables: list[Floats]) -> tuple[float, float]:
    """Return the mean log-likelihood of a node, with the best power, and the power."""
    work = data.work(tables)
    powers = [0.25 * quarter for quarter in range(2, 25)]
    return max((data.likelihood(work, power)[0], power) for power in powers)


def print_tables(tables: list[Floats]) -> None:
    """Print the tables as the kernel has them."""
    names = ("FLIGHTS", "OTHERS", "LOSSES", "BEYOND")
    for name, table in zip(names, tables, strict=True):
        print(f"{name} = np.array([")
        for row in np.rint(WHOLE * table).astype(np.int16).tolist():
            print(
                fill(f"{row},", 80, initial_indent=" " * 4, subsequent_indent=" " * 5)
            )
        print("], dtype=np.int16)")


def main() -> None:
    """Collect, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suite", type=Path, metavar="SUITE.epd")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--positions", type=int, default=400, help="of each band")
    parser.add_argument("--nodes", type=int, default=400_000, help="for the mate")
    parser.add_argument("--budget", type=int, default=3_000, help="for each attack")
    arguments = parser.parse_args()
    lines = arguments.suite.read_text(encoding="utf-8").splitlines()
    learner = Learner(arguments.nodes, arguments.budget, arguments.seed)
    drawn = draw(lines, arguments.positions, arguments.seed)
    nodes = [
        node
        for number, (fen, moves) in enumerate(drawn)
        for node in learner.nodes_of(fen, moves, number)
    ]
    learnt = Data.of([node for node in nodes if node.position % HELD_OUT])
    held_out = Data.of([node for node in nodes if not node.position % HELD_OUT])
    tables = tables_of(fit(learnt))
    print(
        f"{len(drawn):,} positions; {len(learnt.sizes):,} nodes to learn from, "
        f"{len(held_out.sizes):,} held out"
    )
    rows = {"hand": tables_of(list(HAND)), "kernel": kernel_tables(), "fit": tables}
    print("log-likelihood, learnt  held out  power")
    for name, row in rows.items():
        value, power = best(learnt, row)
        held = held_out.likelihood(held_out.work(row), power)[0]
        print(f"{name:<14} {value:15.3f} {held:9.3f} {power:6.2f}")
    print_tables(tables)


if __name__ == "__main__":
    main()
