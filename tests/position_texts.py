"""Texts that give a position, and what each door must read in them.

Doors for programs refuse what doors for people repair.
"""

from __future__ import annotations

import re
from typing import NamedTuple

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
GAME = f"{START} w KQkq - 0 1"
ROOKS = "r3k2r/8/8/8/8/8/8/R3K2R"
PUSHED = "4k3/8/8/8/2pP4/8/8/4K3"
QUEEN = "7k/8/5K2/8/8/8/8/6Q1"
KNIGHT = "k7/8/8/3pP3/8/7n/5K2/8"
LINE = f"{QUEEN}_w_-_-_0_1"
PERCENT = QUEEN.replace("/", "%2F")
LICHESS = "https://lichess.org"
AFTER_QUEEN = "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2"
FOOL = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


class Given(NamedTuple):
    """A text, moves that are played then, and what is read.

    Without a `fen`, the text is refused with a message that `fault` matches. With one,
    `fault` refuses it without repairs, and `warnings` begin the warnings with repairs.
    """

    text: str
    fen: str = ""
    fault: str = ""
    warnings: tuple[str, ...] = ()
    moves: str = ""


RANKS = "board: expected 8 ranks"
BOARD = r"(board|rank \d): expected"
FIELDS = "expected a FEN of 1, 2, 4 or 6 fields"
SIDE = "side to move: expected w or b"
LETTERS = "castling rights: expected - or letters of KQkq"
RIGHT = "castling right( [KQkq])?: expected"
SQUARE = "en passant square: expected - or a square such as e3"
RANK = "en passant square: expected one on rank"
PASSANT = "en passant square( [a-h][36])?: expected"
CLOCK = "halfmove clock: expected a whole number"
NUMBER = "move number: expected a whole number"
ILLEGAL = "moves: expected a legal, unambiguous move in SAN or UCI, found "
UNREADABLE = "moves: expected a move in SAN or UCI, found "
VARIANT = "Variant tag: expected Standard or none, found "

PLAIN = [
    Given(QUEEN, f"{QUEEN} w - - 0 1"),
    Given(f"{START} b KQ -", f"{START} b KQ - 0 1"),
    Given(f"  {START}\t w  qkQK -\r\n", GAME),
    Given(f"{PUSHED} b - d3", f"{PUSHED} b - d3 0 1"),
    Given("startpos", GAME),
    Given(f"position fen {QUEEN} w - - 0 1", f"{QUEEN} w - - 0 1"),
    Given(f"fen {QUEEN}", f"{QUEEN} w - - 0 1"),
    Given("startpos moves e2e4 e7e5 d1h5", AFTER_QUEEN),
    Given("startpos", AFTER_QUEEN, moves="1. e4 e5 2. Qd1-h5!"),
    Given(f"{QUEEN} w - - 0 1 moves g1g6", "7k/8/5KQ1/8/8/8/8/8 b - - 1 1"),
    Given(
        f"fen {ROOKS} w KQkq - 0 1 moves e1e2 Ke7",
        "r6r/4k3/8/8/8/8/4K3/R6R w - - 2 2",
    ),
    Given(f"{PUSHED} b - d3", "4k3/8/8/8/8/3p4/8/4K3 w - - 0 2", moves="cxd3 e.p."),
    Given("1. f3 e5 2. g4 Qh4# 0-1", FOOL),
    Given("1. f3 {a comment} e5 (1... e6 2. g4) 2. g4", FOOL, moves="Qh4#"),
    Given('[Event "?"]\n[Site "?"]\n\n1.f3 e5 2.g4 Qh4# 0-1\n', FOOL),
    Given(f'[FEN "{QUEEN} w - - 0 1"]', f"{QUEEN} w - - 0 1"),
    Given(
        f'[SetUp "1"]\n[FEN "{QUEEN} w - - 0 1"]\n\n1. Qg6 *',
        "7k/8/5KQ1/8/8/8/8/8 b - - 1 1",
    ),
]
"""Read alike everywhere."""

REPAIRED = [
    Given(f"{ROOKS} w -KK -", f"{ROOKS} w K - 0 1", LETTERS, (LETTERS,)),
    Given(f"{PUSHED} w Kq -", f"{PUSHED} w - - 0 1", RIGHT, (RIGHT,)),
    Given(f"{PUSHED} b - D3", f"{PUSHED} b - d3 0 1", SQUARE, (SQUARE,)),
    Given(f"{PUSHED} b - d9", f"{PUSHED} b - - 0 1", SQUARE, (SQUARE,)),
    Given(f"{PUSHED} w - d3", f"{PUSHED} w - - 0 1", RANK, (RANK,)),
    Given(f"{PUSHED} b - c3", f"{PUSHED} b - - 0 1", PASSANT, (PASSANT,)),
    Given(f"{KNIGHT} w - d6 0 1", f"{KNIGHT} w - - 0 1", PASSANT, (PASSANT,)),
    Given(f"{ROOKS} W", f"{ROOKS} w - - 0 1", SIDE, (SIDE,)),
    Given(f"{ROOKS} BLACK KQ -", f"{ROOKS} b KQ - 0 1", SIDE, (SIDE,)),
    Given(f"{ROOKS} w KQ", f"{ROOKS} w KQ - 0 1", FIELDS, (FIELDS,)),
    Given(f"{ROOKS} w KQ 7 9", f"{ROOKS} w KQ - 7 9", FIELDS, (SQUARE,)),
    Given(f"{ROOKS} w 7 9", f"{ROOKS} w - - 7 9", LETTERS, (LETTERS,)),
    Given(f"{ROOKS} w KQ -7 9", f"{ROOKS} w KQ - 7 9", FIELDS, (SQUARE,)),
    Given(f"{ROOKS} w KQ - -1 x", f"{ROOKS} w KQ - 0 1", CLOCK, (CLOCK, NUMBER)),
    Given(f"{ROOKS} w KQ - {'9' * 18} 1", f"{ROOKS} w KQ - 0 1", CLOCK, (CLOCK,)),
    Given(f'[FEN "{QUEEN} W"]', f"{QUEEN} w - - 0 1", SIDE, (SIDE,)),
    *(
        Given(text, f"{QUEEN} w - - 0 1", fault)
        for text, fault in (
            (f'"{QUEEN} w - - 0 1"', BOARD),
            (f"\u201c{QUEEN} w - - 0 1\u201d", "expected plain ASCII"),
            (f"{QUEEN} w - - 0 1;", NUMBER),
            (f"{QUEEN} w \u2013 \u2013 0 1", "expected plain ASCII"),
            (LINE, BOARD),
            (f"{QUEEN}%20w%20-%20-", BOARD),
            (f"{LICHESS}/analysis/{QUEEN} w - - 0 1", RANKS),
            (f"{LICHESS}/analysis/standard/{LINE}?color=black#5", RANKS),
            (f"lichess.org/analysis/fromPosition/{LINE}", RANKS),
            (f"{LICHESS}/editor/{LINE}?color=white", RANKS),
            (f"{LICHESS}/editor?fen={QUEEN}+w+-+-+0+1&variant=standard", RANKS),
            (f"https://www.chess.com/analysis?fen={PERCENT}%20w%20-%20-%200%201", ""),
            (f"https://syzygy-tables.info/?fen={LINE}", RANKS),
        )
    ),
    Given(f"{LICHESS}/analysis/{QUEEN}_W", f"{QUEEN} w - - 0 1", RANKS, (SIDE,)),
]
"""Repaired for people, refused for programs."""

REPAIRED = [each if each.fault else each._replace(fault=RANKS) for each in REPAIRED]

ADDRESS = "(expected a FEN or the address|board: expected 8 ranks)"
REFUSED = [
    Given("", fault="expected a FEN, found nothing"),
    Given("startpos e2e4", fault="expected moves after startpos, found 'e2e4'"),
    Given("8/8/8/8/8/8/8/8 w - - 0 1", fault="expected one white king"),
    Given("n/6k1/8/8/8/8/8/K7/8", fault=RANKS),
    Given("7k/8/9/8/8/8/8/K7 w", fault=BOARD),
    Given(f"{QUEEN} x - - 0 1", fault=SIDE),
    Given(f"{ROOKS} w HAha - 0 1", fault=LETTERS),
    Given(f"{QUEEN} w - - 0 1 2", fault=FIELDS),
    Given(f"{QUEEN} w - x 0 1", fault=SQUARE),
    Given(f"{QUEEN} w - - 0 \u0663", fault="expected plain ASCII"),
    Given("7k/8/8/8/8/8/8/K6R w", fault="expected the .*king.* out of check"),
    Given("4r3/8/8/8/4K3/8/8/k3r3 w", fault="expected checks that a single move"),
    Given(f"{LICHESS}/analysis/chess960/{LINE}", fault=ADDRESS),
    Given(f"{LICHESS}/editor?fen={LINE}&variant=atomic", fault=ADDRESS),
    Given(f"{LICHESS}/AbCd1234/white#12", fault=ADDRESS),
    Given('[Variant "Atomic"]\n\n1. e4 *', fault=VARIANT + "'Atomic'"),
    Given("startpos moves e2e4 e2e4", fault=ILLEGAL + "'e2e4'"),
    Given("startpos", fault=UNREADABLE + "'Qh9'", moves="e4 e5 Qh9"),
    Given("1. e4 e5 2. Qh6", fault=ILLEGAL + "'Qh6'"),
    Given(f"{QUEEN} w", fault=ILLEGAL + "'Kf5'", moves="Qg7# Kf5"),
]
"""Refused everywhere, for the same reason."""

TEXTS = [*PLAIN, *REPAIRED, *REFUSED]


def fault_of(
    given: Given, found: str, warnings: list[str] | tuple[str, ...], *, repair: bool
) -> str:
    """Return how a door's answer, a FEN or a message, differs; empty: it does not."""
    expected = re.escape(given.fen) + "$" if given.fen else given.fault
    if given.fault and not repair:
        expected = given.fault
    if not re.match(expected, found):
        return f"{given.text!r}: expected {expected!r}, found {found!r}"
    if not given.fen or (given.fault and not repair):
        return ""
    names = [*(given.warnings if repair else ())]
    same = [name for name in names if any(re.match(name, each) for each in warnings)]
    rest = [each for each in warnings if not any(re.match(n, each) for n in names)]
    return "" if same == names and not rest else f"{given.text!r}: {warnings}"
