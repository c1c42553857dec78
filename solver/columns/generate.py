"""New mate problems: positions drawn at random, each with a proved shortest mate.

Each side has a king and some pieces of an army, so there are never three bishops.
Neither side is more than a rook ahead, and no key takes a piece: a mate that only needs
material is no problem.
"""

from __future__ import annotations

import re
from itertools import combinations_with_replacement, islice
from random import Random
from typing import TYPE_CHECKING

from solver import errors, position_text, problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_MOVES = 6
"""One longer mate would take more than ten seconds."""

SIZES = tuple(combinations_with_replacement(range(3, 21), 2))
"""Fewest and most pieces. With more than 20, most random positions are illegal."""

ARMY = "QRRBBNNPPPP"
POINTS = {"Q": 9, "R": 5, "B": 3, "N": 3, "P": 1}
LIMITS = problem.Limits(nodes=100_000, hash_mib=16)
WHITE, BLACK, FLIPPED = " w - -", " b - -", str.maketrans("12345678", "87654321")
DRAWING = 500
"""Drawing and reading a position takes as long as this many nodes of a search."""

PATIENCE = 1_000_000_000
"""Nodes without a new problem before giving up, about two minutes on one core."""


def generate(
    mate: int,
    count: int,
    *,
    seed: int = 1,
    pieces: tuple[int, int] = (5, 9),
    unique_key: bool = False,
    jobs: int = 1,
) -> Iterator[problem.Problem]:
    """Make new mate problems; each mate is proved to be the shortest.

    The pieces are placed at random. White and Black are to move in turn. No key takes a
    piece. No two problems are the same, mirrored or with colours changed. The same
    arguments make the same problems on every machine, for any number of threads.

    Parameters
    ----------
    mate : int
        The length of the shortest mate, 1 to 6.
    count : int
        How many problems.
    seed : int
        Random seed, from 0.
    pieces : tuple of int
        Fewest and most pieces on the board, both kings included, from 3 to 20.
    unique_key : bool
        Whether each problem has exactly one key.
    jobs : int
        The number of threads.

    Returns
    -------
    iterator of Problem
        The claim of each has the mate, all keys and the mating line. They end early if
        a billion nodes, or two million positions, bring no new one.

    Raises
    ------
    InputError
        An argument has the wrong type or is out of range.

    Examples
    --------
    >>> from solver import generate
    >>> for problem in generate(2, 2, seed=7, unique_key=True):
    ...     print(problem.fen, *problem.claim.line)
    qB6/4B3/6p1/P7/8/2p1Q3/8/K6k w - - 0 1 e3h3 h1g1 e7c5
    8/7p/4Q3/r7/8/8/5k2/7K b - - 0 1 a5h5 e6h3 h5h3
    """
    from solver.columns.solve_many import MAX_JOBS

    mate = problem.require_int("mate", mate, 1, MOST_MOVES)
    count = problem.require_int("count", count, 1, problem.MAX_NODES)
    seed = problem.require_int("seed", seed, 0, problem.MAX_NODES)
    problem.require_bool("unique_key", unique_key)
    if pieces not in SIZES:
        name = "pieces"
        raise errors.refusal(name, "the fewest and the most, within 3 to 20", pieces)
    jobs = problem.require_int("jobs", jobs, 1, MAX_JOBS)
    made = _problems(mate, seed, pieces, jobs, unique_key=unique_key)
    return islice(made, count)


def _problems(
    mate: int, seed: int, pieces: tuple[int, int], jobs: int, *, unique_key: bool
) -> Iterator[problem.Problem]:
    """Yield problems until no new one is found; see `generate`."""
    from solver.columns.solve_many import SLICE, solve_many

    random, seen = Random(seed), set[bytes]()  # noqa: S311 - no secret
    made, spent, rows = 0, 0, SLICE
    while True:
        drawn = [_draw(random, *pieces) for _ in range(rows)]
        table = solve_many(drawn, max_moves=mate, limits=LIMITS, jobs=jobs)
        rows = min(2 * rows, SLICE * jobs)
        is_wanted = table.keys_complete & (table.lower_bound == mate) & table.has_mate
        for place, nodes in enumerate(table.nodes.tolist()):
            spent += DRAWING + nodes
            if spent > PATIENCE:
                return
            if not is_wanted[place]:
                continue
            fen, keys, line = drawn[place], table.keys[place], table.pv[place]
            takes = any("x" in san for san in position_text.first_moves(fen, keys))
            form = position_text.problem_forms([fen])[: position_text.FORM_END]
            if takes or form in seen or (unique_key and len(keys) > 1):
                continue
            seen.add(form)
            made, spent = made + 1, 0
            if made % 2 == 0:
                ranks = reversed(fen.split()[0].split("/"))
                fen = "/".join(ranks).swapcase() + BLACK
                keys, line = (
                    tuple(move.translate(FLIPPED) for move in moves)
                    for moves in (keys, line)
                )
            name = f"mate-in-{mate}-seed-{seed}-{made}"
            yield problem.Problem(f"{fen} 0 1", name, problem.Claim(mate, keys, line))


def _draw(random: Random, least: int, most: int) -> str:
    """Return the FEN of a position, perhaps an illegal one, with White to move.

    White gets half of the pieces besides the kings, or one more than half.
    """
    while True:
        others = random.randint(least, most) - 2
        ours = random.sample(ARMY, (others + 1) // 2)
        theirs = random.sample(ARMY, others // 2)
        lead = sum(POINTS[piece] for piece in ours) - sum(POINTS[p] for p in theirs)
        if abs(lead) > POINTS["R"]:
            continue
        pieces = f"K{''.join(ours)}k{''.join(theirs).lower()}"
        board = ["."] * 64
        places = random.sample(range(64), len(pieces))
        for square, piece in zip(places, pieces, strict=True):
            board[square] = piece
        squares = "".join(board)
        if "P" not in (squares[:8] + squares[56:]).upper():
            ranks = "/".join(squares[start : start + 8] for start in range(0, 64, 8))
            return re.sub("[.]+", lambda run: str(len(run[0])), ranks) + WHITE
