"""Positions in which a technique acts early in a small tree, for docs/lessons.

usage: python -m tools.lessons [END...]

For each end of a node that `matesolve trace --until` finds, prints the best positions:
the node is reached within 25 steps, the search without the technique goes on below the
same moves, and the two trees together are the smallest. Candidates have few moves; they
are from puzzles/, and random positions with few pieces, the same ones in every run.
"""

from __future__ import annotations

import random
import sys
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.laboratory.iterative_deepening import Laboratory, Runner
from solver.laboratory.techniques import ALPHA_BETA, ENDS, EXTENSION, OFF, parse_variant
from solver.laboratory.traces import Trace, steps_of, trace_scores
from tools.samples import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_STEPS = 25
MOST_NODES = 1_000
MOST_MOVES = 4
RANDOM_POSITIONS = 50_000
SEED = 1
SHOWN = 3


class Lesson(NamedTuple):
    """Two searches of a position to one depth, ordered by the size of their trees."""

    entries: int
    step: int
    fen: str
    found: Trace
    basis: Trace


def positions() -> Iterator[chess.Board]:
    """Yield the positions of puzzles/, then random ones."""
    for file in sorted((ROOT / "puzzles").glob("*.epd")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                yield chess.Board.from_epd(line)[0]
    choice = random.Random(SEED)
    for _ in range(RANDOM_POSITIONS):
        board = chess.Board(None)
        pieces = ["K", "k", *choice.choices("QRBNPqrbnp", k=choice.randint(1, 4))]
        squares = choice.sample(chess.SQUARES, len(pieces))
        for square, piece in zip(squares, pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        yield board


def candidates() -> list[chess.Board]:
    """Return the legal positions with few moves; their trees are small."""
    return [
        board
        for board in positions()
        if 0 < board.legal_moves.count() <= MOST_MOVES and board.is_valid()
    ]


def moves_to(trace: Trace, row: int) -> tuple[str, ...]:
    """Return the moves to a node of a log."""
    moves: list[str] = []
    plies = trace.log["ply"]
    for each in range(row, -1, -1):
        if plies[each] == plies[row] - len(moves) > 0:
            moves.insert(0, trace.log["uci"][each])
    return tuple(moves)


def nodes_below(trace: Trace, moves: tuple[str, ...]) -> int:
    """Return how many nodes a log has below some moves, in all searches of them."""
    plies = trace.log["ply"]
    below, is_inside = 0, False
    for row, ply in enumerate(plies):
        if ply <= len(moves):
            is_inside = ply == len(moves) and moves_to(trace, row) == moves
        else:
            below += is_inside
    return below


def acting(trace: Trace) -> tuple[str, ...]:
    """Return the moves to the node at which a trace opens."""
    assert trace.step
    return moves_to(trace, steps_of(trace.log)[trace.step - 1][0])


@cache
def memory(_name: str) -> Laboratory:
    """Return the laboratory of a variant."""
    return Laboratory()


def search(board: chess.Board, name: str, depth: int | None, until: str) -> Trace:
    """Trace a variant to a depth, or until it has a node with this end."""
    runner = Runner(memory(name), nodes=MOST_NODES)
    variant = parse_variant(name)
    return trace_scores(runner, memory(name), board, variant, depth, until=until)


def is_wanted(until: str, found: Trace, basis: Trace) -> bool:
    """Whether the two searches show what the technique is for.

    An extension finds a mate that the other search does not see. A pruning saves nodes,
    and the score of the root is the same; mate-distance pruning needs a mate.
    """
    if until == EXTENSION:
        return (found.mate or 0) > 1 and basis.mate is None
    scores = {trace.iterations[-1].score for trace in (found, basis)}
    is_enough = until != "mate-distance" or (found.mate or 0) > 1
    return is_enough and len(scores) == 1 and found.nodes < basis.nodes


def lessons(until: str, boards: list[chess.Board]) -> Iterator[Lesson]:
    """Yield the candidates that show this end early."""
    for board in boards:
        found = search(board, ENDS[ALPHA_BETA][until], None, until)
        if found.stopped or not found.step or found.step > MOST_STEPS:
            continue
        basis = search(board, OFF, found.depth, until)
        moves = acting(found)
        is_other = nodes_below(found, moves) != nodes_below(basis, moves)
        if is_other and not basis.stopped and is_wanted(until, found, basis):
            entries = len(found.log["ply"]) + len(basis.log["ply"])
            yield Lesson(entries, found.step, board.fen(), found, basis)


def main() -> None:
    """Print the best positions for the named ends, or for all."""
    boards = candidates()
    for until in sys.argv[1:] or ENDS[ALPHA_BETA]:
        for lesson in sorted(lessons(until, boards), key=lambda it: it[:3])[:SHOWN]:
            answers = [
                f"{trace.name}: {trace.nodes - trace.nodes_before} nodes, mate "
                f"{trace.mate}"
                for trace in (lesson.basis, lesson.found)
            ]
            sys.stdout.write(
                f"{until}: {lesson.fen}, step {lesson.step} at depth "
                f"{lesson.found.depth}; {'; '.join(answers)}\n"
            )


if __name__ == "__main__":
    main()
