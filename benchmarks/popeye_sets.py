"""Sets of problems on which Popeye and `matesolve popeye` are compared.

Direct mates come from suites, if any are given, and all else from a seeded generator.
No first move of a reflex problem in n > 1 moves lets the defender reach the goal at
once, or the problem would be one in 1: such positions are drawn after it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver import Limits, Problem
from solver.formats.registry import read_collection
from solver.problem import Goal, Play, Stipulation
from solver.solution import Status
from solver.stipulations import genre_of
from tests.oracles.naive import successors
from tests.popeye_trees import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from solver.solving import Solver

SEED = 20261122

WHOLE_PLAY = "#2 #3 #4 #5 =2 =3 s#2 s#3 s#4 r#2 r#3 semi-r#2 semi-r#3"
HELP_PLAY = "h#2 h#2.5 h#3 h#3.5 h#4 h=2 h=2.5"
AFTER = "#2 #3 =2 s#2 s#3 r#2 r#3 r=2 semi-r#2 semi-r#3 semi-r=2 =3 exact-#2"
AT_ONCE = "s#1 s#2 s#3 s=2 r#1 r#2 r#3 r=2 semi-r#1 semi-r#2 semi-r#3 semi-r=2"
"""The stipulations of sets; 2 of 100,000 positions are solved after a key of s=2."""

AFTER_KEY = "PostKeyPlay Variation"
AFTER_KEYS = (
    AFTER_KEY,
    *("PostKeyPlay", "PostKeyPlay NoThreat", "PostKeyPlay NoShortVariations"),
)
"""A position that is drawn with the defender to move has one of these options."""

REVERSED = (Play.SELF, Play.REFLEX, Play.SEMI_REFLEX)
"""The plays in which the goal is the attacker's."""

MOST_KEYS = 3
MOST_DRAWS = 100_000
UNSOLVED = 8
"""One in this many problems has no solution, if the generator finds enough."""


class Set(NamedTuple):
    """A set of problems, with Popeye's options.

    `at_once`: whether the defender, to move, can reach the goal at once; None for any.
    """

    name: str
    stipulation: str
    options: str
    at_once: bool | None = None

    @property
    def is_after_key(self) -> bool:
        """Whether its positions are those after a first move."""
        return "PostKeyPlay" in self.options


SETS = {
    found.name: found
    for found in (
        *(Set(name, name, "SetPlay Try Variation") for name in WHOLE_PLAY.split()),
        *(Set(name, name, "SetPlay") for name in HELP_PLAY.split()),
        Set("#2 keys", "#2", "SetPlay Defence 2"),
        Set("#2 defences", "#2", "NoThreat Variation"),
        Set("#3 long", "#3", "NoShortVariations Variation"),
        *(Set(f"{name} after", name, AFTER_KEY) for name in AFTER.split()),
        Set("s=2 later", "s=2", AFTER_KEY, at_once=False),
        *(Set(f"{name} at once", name, AFTER_KEY, True) for name in AT_ONCE.split()),
    )
}


def from_suites(kind: Set, suites: Iterable[Path], count: int) -> list[Entry]:
    """Return `count` problems of the suites, evenly chosen, that claim this mate."""
    moves = Stipulation.parse(kind.stipulation).length
    fens = dict.fromkeys(
        each.position
        for suite in suites
        for each in read_collection(suite)
        if isinstance(each, Problem) and each.claim and each.claim.mate == moves
    )
    step = max(1, len(fens) // count) if count else 1
    chosen = list(fens)[::step][:count]
    return [Entry(kind.name, fen, kind.stipulation, kind.options) for fen in chosen]


def generated(kind: Set, count: int, solver: Solver) -> Iterator[Entry]:
    """Yield problems of battle play that are solved in exactly these moves."""
    stipulation = Stipulation.parse(kind.stipulation)
    solved = unsolved = 0
    for entry in drawn(kind, MOST_DRAWS):
        problem = Problem(f"{entry.fen} 0 1", stipulation=stipulation)
        answer = solver.solve(problem, Limits(nodes=5_000_000))
        if answer.status is Status.PROVED and (
            answer.mate == stipulation.length and len(answer.keys) <= MOST_KEYS
        ):
            solved += 1
        elif answer.status is Status.DISPROVED and UNSOLVED * unsolved < solved:
            unsolved += 1
        else:
            continue
        yield entry
        if solved + unsolved == count:
            return


def after_first_moves(problems: Iterable[Entry], solver: Solver) -> Iterator[Entry]:
    """Yield each problem after a first move: in turn a key, a check, and any other."""
    for number, entry in enumerate(problems):
        board = chess.Board(f"{entry.fen} 0 1")
        stipulation = Stipulation.parse(entry.stipulation)
        answer = solver.solve(Problem(board.fen(), stipulation=stipulation))
        checks = list(filter(board.gives_check, board.legal_moves))
        choices = [list(map(chess.Move.from_uci, answer.keys)), checks, []]
        rng = random.Random(f"{SEED} {entry.fen}")
        board.push(rng.choice(choices[number % 3] or list(board.legal_moves)))
        yield entry._replace(fen=board.epd())


def drawn_after_key(kind: Set, count: int) -> Iterator[Entry]:
    """Yield positions with the defender to move, White in one of two."""
    stipulation = Stipulation.parse(kind.stipulation)
    is_goal = genre_of(stipulation).is_goal
    rng = random.Random(f"{SEED} {kind.name}")
    while count:
        board = _drawn(rng, stipulation)
        board.turn = not board.turn
        if not board.is_valid():
            continue
        if any(is_goal(after) for _, after in successors(board)) != kind.at_once:
            continue
        count -= 1
        board = rng.choice([board, board.mirror()])
        yield Entry(kind.name, board.epd(), kind.stipulation, rng.choice(AFTER_KEYS))


def drawn(kind: Set, count: int) -> Iterator[Entry]:
    """Yield legal positions with the side to move that the stipulation demands."""
    stipulation = Stipulation.parse(kind.stipulation)
    rng = random.Random(f"{SEED} {kind.stipulation}")
    for _ in range(count):
        fen = _drawn(rng, stipulation).epd()
        yield Entry(kind.name, fen, kind.stipulation, kind.options)


def _drawn(rng: random.Random, stipulation: Stipulation) -> chess.Board:
    """Return a legal position that is not check."""
    draw = _confined if stipulation.play is Play.SELF else _scattered
    if stipulation.goal is Goal.STALEMATE and stipulation.play in REVERSED:
        draw = _stripped
    while True:
        board = draw(rng)
        board.turn = stipulation.white_begins
        if board.is_valid() and not board.is_check():
            return board


def _scattered(rng: random.Random) -> chess.Board:
    """Return pieces in a part of the board."""
    board = chess.Board(None)
    width, height = rng.randint(4, 6), rng.randint(4, 6)
    left, bottom = rng.randint(0, 8 - width), rng.randint(0, 8 - height)
    squares = [
        chess.square(left + file, bottom + rank)
        for file in range(width)
        for rank in range(height)
    ]
    symbols = ["K", "k", *rng.choices("QRBNPRBNPpppnbrq", k=rng.randint(2, 5))]
    for symbol, square in zip(symbols, rng.sample(squares, len(symbols)), strict=True):
        _place(board, symbol, square)
    return board


def _confined(rng: random.Random) -> chess.Board:
    """Return a king of the attacker among its own pieces, and a strong attack."""
    board = chess.Board(None)
    edge = [s for s in chess.SQUARES if chess.square_file(s) in (0, 7)]
    edge += [s for s in chess.SQUARES if chess.square_rank(s) in (0, 7)]
    king = rng.choice(edge)
    _place(board, "K", king)
    near = [s for s in chess.SQUARES if chess.square_distance(s, king) == 1]
    far = [s for s in chess.SQUARES if chess.square_distance(s, king) > 1]
    middle = [s for s in far if chess.square_distance(s, king) <= 3]
    _place(board, "k", rng.choice(far))
    for symbol in rng.choices("PPNBR", k=rng.randint(1, 3)):
        _place(board, symbol, rng.choice(near))
    for symbol in ["Q", *rng.sample("RRBBNN", rng.randint(3, 6))]:
        _place(board, symbol, rng.choice(chess.SQUARES))
    for symbol in rng.choices("ppnbrrq", k=rng.randint(1, 2)):
        _place(board, symbol, rng.choice(middle))
    for square in rng.sample(chess.SQUARES, 6):
        if square >= 8 and board.piece_at(square - 8):
            _place(board, "p", square)
    return board


def _stripped(rng: random.Random) -> chess.Board:
    """Return a king of the attacker at an edge, with few pieces to move."""
    board = chess.Board(None)
    king = rng.choice([s for s in chess.SQUARES if chess.square_rank(s) in (0, 7)])
    _place(board, "K", king)
    near = [s for s in chess.SQUARES if 0 < chess.square_distance(s, king) <= 3]
    symbols = ["k", *rng.choices("PPNB", k=rng.randint(0, 2))]
    symbols += rng.choices("qqrrbn", k=rng.randint(1, 3))
    for symbol in symbols:
        _place(board, symbol, rng.choice(near))
    for square in board.pieces(chess.PAWN, chess.WHITE):
        _place(board, "p", square + 8)
    return board


def _place(board: chess.Board, symbol: str, square: chess.Square) -> None:
    is_pawn_at_end = symbol in "Pp" and chess.square_rank(square) in (0, 7)
    if board.piece_at(square) is None and not is_pawn_at_end:
        board.set_piece_at(square, chess.Piece.from_symbol(symbol))
