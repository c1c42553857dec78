"""FENs with faults, and odd positions: the same seed always gives the same FENs."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import chess

from tests.oracles import walks

if TYPE_CHECKING:
    from collections.abc import Iterator

LETTERS = "PNBRQKpnbrqk12345678/ wb-KQkqabcdefgh0909+_~é٣\t\x1c\x00x"
SPACES = [" "] * 12 + ["  ", "\t", "\n", "\x0b", "\x1c", "\x1f", "\x00", "\u00a0", "_"]
COUNTERS = [
    *("0", "1", "7", "00", "0012", "150", "99999999999999999", "00000000000000001"),
    *("-1", "+1", "1_0", "1.5", "x", "٣", "²", "--"),
]
CASTLINGS = ["KQkq", "qkQK", "K", "Qq", "kK", "KK", "HAha", "KQkqK", "W", "-K", "K-"]


def mutated_fens(count: int, seed: int) -> Iterator[str]:
    """Yield FENs, most of them with one to three changes of any kind."""
    return islice(_mutations(Random(seed)), count)


def _mutations(random: Random) -> Iterator[str]:
    played = walks.random_positions(1 << 60, random.randrange(1 << 30))
    small = walks.small_positions(1 << 60, random.randrange(1 << 30))
    while True:
        board = next(random.choice((played, played, small)))
        if random.random() < 0.6:
            board = _disturbed(board, random)
        fields = board.fen(en_passant="fen").split()
        if random.random() < 0.4:
            # The square behind a pawn that may just have moved two squares.
            rank, behind = (4, 8) if board.turn else (3, -8)
            pawns = board.pieces(chess.PAWN, not board.turn) & chess.BB_RANKS[rank]
            passed = [chess.SQUARE_NAMES[pawn + behind] for pawn in pawns]
            fields[3] = random.choice(passed * 9 + random.sample(chess.SQUARE_NAMES, 1))
        for _ in range(random.choice((0, 0, 1, 1, 1, 2, 3))):
            if random.random() < 0.5:
                fields = _changed_field(fields, random)
            else:  # leave fields out, or write one twice
                first, last = sorted(random.choices(range(8), k=2))
                left_out = fields[:first] + fields[last:]
                again = random.sample(fields, min(1, len(fields)))
                fields = random.choice(
                    [fields[:4], fields[:last], left_out, fields + again]
                )
        text = fields[0] if fields else ""
        for field in fields[1:]:
            text += (random.choice(SPACES) if random.random() < 0.05 else " ") + field
        if random.random() < 0.1:
            text = _changed_text(text, random)
        if random.random() < 0.05:
            text = random.choice(SPACES) + text + random.choice(SPACES)
        yield text


def _disturbed(board: chess.Board, random: Random) -> chess.Board:
    """Put pieces on other squares, mostly near a king, and perhaps change the turn."""
    board = board.copy(stack=False)
    side = random.choice(chess.COLORS)
    king = board.king(side)
    assert king is not None
    lines = [*chess.SquareSet(chess.BB_DIAG_ATTACKS[king][0])]
    lines += [*chess.SquareSet(chess.BB_RANK_ATTACKS[king][0])]
    lines += [*chess.SquareSet(chess.BB_FILE_ATTACKS[king][0])]
    lines += [*chess.SquareSet(chess.BB_KNIGHT_ATTACKS[king])]
    for _ in range(random.randint(1, 4)):
        square = random.choice(lines if random.random() < 0.7 else chess.SQUARES)
        kind = random.choice((*walks.PIECES, *walks.PIECES, None, chess.KING))
        color = side if random.random() < 0.3 else not side
        board.remove_piece_at(square)
        if kind:
            board.set_piece_at(square, chess.Piece(kind, color))
    if random.random() < 0.3:
        board.turn = not board.turn
    if random.random() < 0.3:
        board.castling_rights = random.getrandbits(64) & chess.BB_CORNERS
    return board


def _changed_field(fields: list[str], random: Random) -> list[str]:
    if not fields:
        return fields
    fields = list(fields)
    place = random.randrange(len(fields))
    choices = [
        random.choice(("w", "b", "W", "wb", "-")),
        random.choice(CASTLINGS),
        "".join(random.choices("KQkq", k=random.randint(1, 5))),
        random.choice(chess.SQUARE_NAMES),
        random.choice(COUNTERS),
        random.choice(COUNTERS),
        _changed_text(fields[place], random),
        _changed_text(fields[place], random),
    ]
    if place in (4, 5) and random.random() < 0.7:
        choices = [random.choice(COUNTERS)]
    fields[place] = random.choice(choices)
    if not place and random.random() < 0.5:
        ranks = fields[0].split("/")
        random.shuffle(ranks)
        fields[0] = "/".join(ranks)
    return fields


def _changed_text(text: str, random: Random) -> str:
    """Replace, insert or remove one character."""
    place = random.randrange(len(text) + 1)
    letter = random.choice(LETTERS)
    change = random.randrange(3)
    if change == 0:
        return text[:place] + letter + text[place:]
    return text[:place] + (letter if change == 1 else "") + text[place + 1 :]
