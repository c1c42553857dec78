"""Time the kernel: perft, the mate-in-one test, the prover, the scored search.

Run `python -m benchmarks.kernel [STOCKFISH]` from the repository's root, on a
quiet machine. With the path of a Stockfish, its perft is timed in turn with ours, so
that the ratio holds where the machine's speed drifts. A wrong answer ends the run.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import chess
import numpy as np

from solver import Limits, Problem
from solver.board import pack_board
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.scored_struct import Mdp
from solver.kernel.border.search_struct import Search
from solver.kernel.build.loader import load_part
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.node_counts import GLASS_FEN
from solver.laboratory.techniques import Techniques
from solver.solving import Solver
from tests import processes
from tests.oracles.walks import random_positions

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
KIWIPETE_DEPTH = 5
KIWIPETE_LEAVES = 193_690_690
ROUNDS = 5

POSITIONS = 100_000
SEED = 20261121

PROVER_PROBLEM = "7K/p1p1b2Q/5p1p/q1r4k/6nP/4PBP1/b2p4/1R4B1 w - - 0 1"
PROVER_MATE = 7

LABORATORY_DEPTH = 20
LABORATORY_NODES = {Mdp.OFF: 7_212_456, Mdp.CPW: 4_655_826}


def time_perft(*, listed: bool) -> float:
    """Positions a second, from the kernel's own call."""
    kernel, search = load_part(SEARCH).kernel, Search()
    position = pack_board(chess.Board(KIWIPETE))
    started = time.perf_counter()
    leaves = kernel.perft(position, search, KIWIPETE_DEPTH, listed=listed)
    elapsed = time.perf_counter() - started
    assert leaves == KIWIPETE_LEAVES
    return leaves / elapsed


def time_stockfish(engine: subprocess.Popen[str]) -> float:
    """Positions a second of Stockfish's `go perft`, from its answer's arrival."""
    assert engine.stdin
    assert engine.stdout
    started = time.perf_counter()
    engine.stdin.write(f"position fen {KIWIPETE}\ngo perft {KIWIPETE_DEPTH}\n")
    engine.stdin.flush()
    for line in engine.stdout:
        if line.startswith("Nodes searched:"):
            break
    elapsed = time.perf_counter() - started
    assert int(line.split()[-1]) == KIWIPETE_LEAVES
    return KIWIPETE_LEAVES / elapsed


def start(stockfish: str) -> AbstractContextManager[subprocess.Popen[str]]:
    """Start Stockfish."""
    pipe = subprocess.PIPE
    return processes.started([stockfish], stdin=pipe, stdout=pipe)


def compare_perft(stockfish: str | None) -> None:
    """Print our perft, and its ratio to Stockfish's round by round."""
    ours: dict[str, list[float]] = {"listed": [], "counted": []}
    theirs = []
    with start(stockfish) if stockfish else nullcontext() as engine:
        for _ in range(ROUNDS):
            ours["listed"].append(time_perft(listed=True))
            ours["counted"].append(time_perft(listed=False))
            if engine:
                theirs.append(time_stockfish(engine))
    if theirs:
        print(f"perft, Stockfish  {statistics.median(theirs) / 1e6:7.0f} M/s")
    for name, rates in ours.items():
        printed = f"perft, {name:<10} {statistics.median(rates) / 1e6:7.0f} M/s"
        if theirs:
            ratios = [a / b for a, b in zip(rates, theirs, strict=True)]
            printed += f", {statistics.median(ratios):.2f} times Stockfish"
        print(printed)


def time_mate_in_one() -> None:
    """Print nanoseconds a test, over positions of random play."""
    import numba

    from solver.kernel.rules.bitboards import Position
    from solver.kernel.rules.mating import mate_in_one

    @numba.njit
    def count_mates(words: Any, rounds: Any) -> Any:
        mates = np.int64(0)
        for _ in range(rounds):
            for row in words:
                position = Position(
                    row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
                )
                if mate_in_one(position):
                    mates += np.int64(1)
        return mates

    packed = [
        np.frombuffer(bytes(pack_board(board)), dtype=np.uint64)
        for board in random_positions(POSITIONS, SEED)
    ]
    words = np.array(packed)
    mates = count_mates(words, 1)
    rounds = 10
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        assert count_mates(words, rounds) == rounds * mates
        times.append((time.perf_counter() - started) / rounds / len(words))
    print(
        f"mate in one       {statistics.median(times) * 1e9:7.0f} ns a test, "
        f"{len(words):,} positions of play, {mates:,} with a mate"
    )


def time_prover() -> None:
    """Print nodes a second on one mate in 7."""
    solver = Solver()
    rates, nodes = [], 0
    for _ in range(ROUNDS):
        solution = solver.solve(
            Problem(PROVER_PROBLEM), Limits(), within=PROVER_MATE, keys=False
        )
        assert solution.mate == PROVER_MATE
        nodes = solution.stats.nodes
        rates.append(nodes / solution.stats.time_s)
    print(
        f"prover            {statistics.median(rates) / 1e6:7.1f} M nodes/s, "
        f"{nodes:,} nodes to prove a mate in {PROVER_MATE}"
    )


def time_laboratory() -> None:
    """Print nodes a second on Glass's position, without and with pruning."""
    laboratory, board = Laboratory(), chess.Board(GLASS_FEN)
    for form, nodes in LABORATORY_NODES.items():
        rates = []
        for _ in range(ROUNDS):
            started = time.perf_counter()
            *_, last = laboratory.deepen(board, Techniques(mdp=form), LABORATORY_DEPTH)
            elapsed = time.perf_counter() - started
            assert last.nodes_total == nodes
            rates.append(nodes / elapsed)
        print(
            f"laboratory, {form:<6}{statistics.median(rates) / 1e6:7.1f} M nodes/s, "
            f"{nodes:,} nodes to depth {LABORATORY_DEPTH}"
        )


if __name__ == "__main__":
    compare_perft(sys.argv[1] if len(sys.argv) > 1 else None)
    time_prover()
    time_laboratory()
    time_mate_in_one()
