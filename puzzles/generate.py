"""Make the generated sets: 100 mates each in one to five moves, each with one key.

Run from the root of the repository, with the package installed:

    python puzzles/generate.py

The seed stands below, so the same positions come out again. They are drawn from random
play and by placing pieces at random; a position is kept when the shortest mate has the
length asked and exactly one key. Pieces and mobility are kept so low that an oracle in
plain Python can confirm each claim (tests/test_puzzles.py). For other puzzles, use
`matesolve generate`: this script draws as the files need it, one position at a time.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import chess

from solver import Limits, Problem, Solver, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20251121

SET_SIZE = 100

PLIES = (10, 90)
"""Fewest and most plies of a game of random moves."""

PIECES = (
    *(chess.PAWN, chess.PAWN, chess.KNIGHT, chess.KNIGHT),
    *(chess.BISHOP, chess.BISHOP, chess.ROOK, chess.ROOK, chess.QUEEN),
)

COMMAND = "python puzzles/generate.py"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one set is made of.

    Attributes
    ----------
    moves : int
        Length of the mates, in moves.
    from_play : int
        How many positions come from random play; pieces are placed for the others.
    pieces : range
        How many pieces are placed besides the kings.
    most_mobile : int
        Legal moves that the side to move has at most.
    same_material : int
        How many placed positions may have the same pieces.
    """

    moves: int
    from_play: int
    pieces: range
    most_mobile: int
    same_material: int


RECIPES = (
    Recipe(1, from_play=60, pieces=range(3, 11), most_mobile=60, same_material=2),
    Recipe(2, from_play=30, pieces=range(2, 8), most_mobile=45, same_material=2),
    Recipe(3, from_play=0, pieces=range(2, 6), most_mobile=40, same_material=4),
    Recipe(4, from_play=0, pieces=range(2, 5), most_mobile=28, same_material=5),
    Recipe(5, from_play=0, pieces=range(2, 4), most_mobile=22, same_material=10),
)


def main() -> None:
    """Write the five sets beside this file."""
    solver = Solver()
    for recipe in RECIPES:
        path = Path(__file__).with_name(f"generated-{recipe.moves}.epd")
        lines = list(make_set(recipe, solver))
        header = f"# {SET_SIZE} mates in {recipe.moves}, made by: {COMMAND}\n"
        path.write_text(header + "".join(lines), encoding="utf-8")
        print(f"{path.name}: {len(lines)} positions")


def make_set(recipe: Recipe, solver: Solver) -> Iterator[str]:
    """Yield the lines of one set as they are found."""
    random = Random(f"{SEED}/{recipe.moves}")  # noqa: S311 - a seed is no secret
    played, placed = _play(random), _place(random, recipe.pieces)
    seen: set[str] = set()
    material: Counter[str] = Counter()
    while len(seen) < SET_SIZE:
        is_from_play = len(seen) < recipe.from_play
        board = next(played if is_from_play else placed)
        pieces = "".join(sorted(str(piece) for piece in board.piece_map().values()))
        if (
            board.epd() in seen
            or board.legal_moves.count() > recipe.most_mobile
            or (not is_from_play and material[pieces.lower()] >= recipe.same_material)
        ):
            continue
        key = _only_key(board, recipe.moves, solver)
        if key is None:
            continue
        seen.add(board.epd())
        material[pieces.lower()] += 1
        how = "random play" if is_from_play else "pieces placed at random"
        yield (
            board.epd(
                dm=recipe.moves,
                bm=[key],
                id=f"m{recipe.moves}-{len(seen):03}",
                c0=f"generate.py, seed {SEED}, {how}",
            )
            + "\n"
        )


def _only_key(board: chess.Board, moves: int, solver: Solver) -> chess.Move | None:
    """Return the key if the shortest mate takes `moves` and has but one."""
    solution = solver.solve(Problem(board.fen()), Limits(max_moves=moves))
    if solution.status is not Status.PROVED or solution.mate != moves:
        return None
    if not solution.keys_complete or len(solution.keys) != 1:
        return None
    return chess.Move.from_uci(solution.keys[0])


def _play(random: Random) -> Iterator[chess.Board]:
    """Yield where games of random moves stand after a random number of plies."""
    while True:
        board = chess.Board()
        for _ in range(random.randint(*PLIES)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(random.choice(moves))
        yield board.copy(stack=False)


def _place(random: Random, pieces: range) -> Iterator[chess.Board]:
    """Yield legal positions: kings and `pieces` others, most of them the mover's."""
    while True:
        attacker = random.choice(chess.COLORS)
        board = chess.Board(None)
        board.turn = attacker
        pieces_left = [(chess.KING, attacker), (chess.KING, not attacker)]
        for _ in range(random.choice(pieces)):
            color = attacker if random.random() < 0.7 else not attacker
            pieces_left.append((random.choice(PIECES), color))
        for kind, color in pieces_left:
            square = random.choice(list(chess.SquareSet(~board.occupied)))
            board.set_piece_at(square, chess.Piece(kind, color))
        if board.is_valid():
            yield board


if __name__ == "__main__":
    main()
