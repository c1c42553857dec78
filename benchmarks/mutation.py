"""Valid records of all formats, and random changes to them for the fuzz."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import chess

from solver.formats.epd import write_epd, write_fen
from solver.formats.json_records import write_jsonl
from solver.formats.pgn import write_pgn
from solver.formats.popeye import write_popeye
from solver.formats.rows import CSV_HEAD, write_csv
from solver.problem import Claim, Problem
from tests.oracles.walks import random_positions, small_positions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

_WORDS = (
    *rb""" \t " ' ; , : { } [ ] ( ) \ / - # ! * & | % $1 0 -1 -- 1-0 O-O e8=Q+ e3 w b
    KQkq
    dm_1; bm_#1; nomate_1; pv: mate_in_2 h#2 null true 1e999 NaN \ud800 \U00110000 !!int
    *a &a <<: --- ? %YAML_9.9 Option_ Twin Neutral NoCastling Duplex""".split(),
    *(b"", b" ", b"\x00", b"\x1b", b"\xff", b"\xc3\xa9", b"\xc2\xb2", b"\xef\xbb\xbf"),
    *(b"9" * 400, b"[" * 40, b" " * 400),
)
_WORDS = tuple(word.replace(b"_", b" ") for word in _WORDS)
_COMMENT_MARKS = b"#%;"
_POPEYES_BOUNDS = re.compile(rb"end|beg|nex", re.IGNORECASE)


def mutate(text: bytes, seeded: Random, *, keep_lines: bool = False) -> bytes:
    """Change one to four places; without `keep_lines` the result is one line."""
    changed = bytearray(text)
    for _ in range(seeded.choice((1, 1, 1, 2, 4))):
        size = len(changed)
        start = seeded.randrange(size + 1)
        end = min(size, start + seeded.choice((1, 1, 1, 2, 5, 20)))
        match seeded.randrange(8):
            case 0 | 1:
                changed[start:end] = seeded.randbytes(end - start)
            case 2 | 3 if start < size:  # a letter of the text itself
                changed[start] = seeded.choice(changed)
            case 4:
                del changed[start:end]
            case 5:
                changed[start:start] = changed[start:end] * seeded.choice((1, 2, 50))
            case _:
                changed[start:end] = seeded.choice(_WORDS)
    one_line = bytes(changed).replace(b"\r", b" ")
    return one_line if keep_lines else one_line.replace(b"\n", b" ")


def mutate_json(value: Any, seeded: Random) -> None:
    """Change one place of a JSON object."""
    places = list(_places(value))
    container, key = seeded.choice(places)
    other, other_key = seeded.choice(places)
    found, another = container[key], other[other_key]
    match seeded.randrange(6):
        case 0:
            del container[key]
        case 1 if isinstance(container, dict):
            container[str(another)] = container.pop(key)
        case 1:
            container.insert(key, found)
        case 2 if other is container:
            container[key], container[other_key] = another, found
        case 3 if isinstance(found, int):
            container[key] = found + seeded.choice((-1, 1))
        case 4:
            strange: tuple[Any, ...] = (None, True, -1, 0, 1, 2, "", [], {}, 10**30)
            container[key] = seeded.choice(strange)
        case _ if not isinstance(
            another, dict | list
        ):  # these could contain themselves
            container[key] = another


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


@dataclass(frozen=True)
class Format:
    """A format of files, for the fuzz.

    Attributes
    ----------
    write : callable
        Writes a problem.
    head, separator, tail : bytes
        Written before the first record, between two, and after the last.
    start : bytes
        The beginning of each record, which ends the one before.
    one_a_line : bool
        Whether each line is a record.
    """

    write: Callable[[Problem], str]
    head: bytes = b""
    separator: bytes = b""
    tail: bytes = b""
    start: bytes = b""
    one_a_line: bool = True

    def mutate(self, record: bytes, seeded: Random) -> bytes | None:
        """Change a record; None if it could then be ignored, or end the file."""
        text = record.strip()
        changed = self.start + mutate(
            text.removeprefix(self.start), seeded, keep_lines=not self.one_a_line
        )
        bare = changed.strip()
        if self.one_a_line and (not bare or bare[:1] in _COMMENT_MARKS):
            return None
        if self.tail and _POPEYES_BOUNDS.search(changed):
            return None
        return changed + record[len(text) :]

    def join(self, records: list[bytes]) -> bytes:
        """Make a file."""
        return self.head + self.separator.join(records) + self.tail


def _write_lichess(problem: Problem) -> str:
    line = " ".join(problem.claim.line) if problem.claim else ""
    return f"{problem.id},{problem.fen},{line},1500,mate mateIn1\n"


def _write_olive(problem: Problem) -> str:
    claim = problem.claim or Claim(1)
    board = chess.Board(problem.fen)
    lines = ["algebraic:"]
    for side in chess.COLORS:
        pieces = ", ".join(
            piece.symbol().upper().replace("N", "S") + chess.square_name(square)
            for square, piece in board.piece_map().items()
            if piece.color == side
        )
        lines.append(f"  {chess.COLOR_NAMES[side]}: [{pieces}]")
    lines += [f'stipulation: "#{claim.mate}"', f"title: {problem.id}", "solution: |"]
    lines += [f"  1.{key} !" for key in claim.keys]
    lines += [] if board.turn else ["options: [HalfDuplex]"]
    return "".join(f"{line}\n" for line in lines)


FORMATS = {
    "epd": Format(write_epd),
    "fen": Format(write_fen),
    "jsonl": Format(write_jsonl),
    "csv": Format(write_csv, head=CSV_HEAD.encode()),
    "lichess": Format(_write_lichess, head=b"PuzzleId,FEN,Moves,Rating,Themes\n"),
    "pgn": Format(write_pgn, start=b"[Event ", one_a_line=False),
    "olive": Format(_write_olive, separator=b"---\n", one_a_line=False),
    "popeye": Format(
        write_popeye,
        head=b"BeginProblem\n",
        separator=b"NextProblem\n",
        tail=b"EndProblem\n",
        one_a_line=False,
    ),
}


def make_problems(count: int, seeded: Random) -> list[Problem]:
    """Make problems with legal moves, whose claims are mostly wrong."""
    seed = seeded.getrandbits(32)
    boards = [*random_positions(count // 2, seed), *small_positions(count, seed)]
    problems = []
    for number, board in enumerate(board for board in boards if any(board.legal_moves)):
        keys = [move.uci() for move in board.legal_moves][: seeded.randint(1, 2)]
        after = board.copy(stack=False)
        after.push_uci(keys[0])
        line = keys[:1] + [move.uci() for move in after.legal_moves][:1]
        claim = Claim(seeded.randint(1, 3), tuple(keys), tuple(line))
        fen = board.fen(en_passant="fen")
        problems.append(Problem(fen, f"sentinel {number}", claim))
    return problems[:count]
