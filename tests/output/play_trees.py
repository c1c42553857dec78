"""Play made by hand: the whole play of a published mate in two, and small trees."""

from __future__ import annotations

from solver.play.record import Variations
from solver.problem import Problem, Stipulation
from solver.solution import Solution, Stats, Status
from tests.typed_play import Move, attack_of, defence_of

BLOCK = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
"""Mate in two with set play, four tries and a waiting key."""


def defence(move: str, *continuations: str) -> Move:
    """Return a defence with mates in one as its continuations."""
    return defence_of(move, [attack_of(mate, 0) for mate in continuations])


def refuted(move: str, refutation: str) -> Move:
    """Return a try of a mate in two without any play."""
    return attack_of(move, 1, refutations=[refutation])


REPLIES = ["c8b7 e3f5", "c8f5 e3f5", "d8d7 e3f5", "e8e7 a5b4 a5b6", "f8h6 a5b4 a5b6"]
BLOCK_PLAY = Variations(
    Stipulation.parse("#2"),
    BLOCK,
    set_play=(
        *(defence("c8d7", "h5d5"), defence("c8e6", "h5e5")),
        *(defence("f8d6", "h5d5"), defence("f8e7", "h5e5")),
    ),
    tries=(
        refuted("e3c2", "d3c2"),
        attack_of(
            *("h5b5", 1),
            threats=[attack_of("b5c4", 0)],
            defences=[defence("c8e6", "b5e5")],
            refutations=["a6b5"],
        ),
    ),
    keys=(
        attack_of(
            *("h5a5", 1),
            zugzwang=True,
            defences=[defence(*moves.split()) for moves in REPLIES],
        ),
    ),
    keys_complete=True,
    tries_complete=True,
)

BLOCK_SOLUTION = Solution(
    Problem(BLOCK, "block"),
    Status.PROVED,
    mate=2,
    lower_bound=2,
    pv=("h5a5", "c8b7", "e3f5"),
    keys=("h5a5",),
    keys_complete=True,
    stats=Stats(145, 0.012),
)

HELPMATE = Solution(
    Problem("8/8/8/8/8/1K5R/8/k7 b - - 0 1", stipulation=Stipulation.parse("h#2")),
    Status.PROVED,
    mate=2,
    lower_bound=2,
    solutions=(("a1b1", "h3h4", "b1a1", "h4h1"), ("a1b1", "h3h5", "b1a1", "h5h1")),
    solutions_complete=True,
    stats=Stats(10, 0.0123),
)


def shuffled(moves: int) -> Variations:
    """Kings that go to and fro for a number of moves, with a choice each time."""
    key = attack = attack_of("a1b1", moves - 1)
    for left in reversed(range(moves - 1)):
        reply, answer = ("g8h8", "a1b1") if attack.move == "b1a1" else ("h8g8", "b1a1")
        following = attack_of(answer, left)
        other = "h8h7" if reply == "h8g8" else "g8f8"
        attack["defences"] = [defence_of(reply, [following]), defence(other, "a2a3")]
        attack = following
    fen = "7k/8/8/8/8/8/R7/K7 w - - 0 1"
    return Variations(Stipulation.parse(f"#{moves}"), fen, keys=[key])
