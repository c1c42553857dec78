"""Cases of readers as tables of text: what is given, and what is read of it."""

from __future__ import annotations

import io
import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import chess
from hypothesis import strategies as st

from solver.errors import FormatError
from solver.formats import claims, registry
from solver.problem import MATE, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Records = list[Problem | FormatError]

SEEDS = st.integers(0, 2**32)
NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=2, max_size=40
)
"""Names of printable characters without white space."""


def cases(table: str) -> list[tuple[str, ...]]:
    r"""Return the cells of each row, of which the last may be left out.

    `|` is between cells, `\n` is a line break, and `# ` begins a comment.
    """
    lines = [line.strip() for line in table.strip().splitlines()]
    rows = [re.split(r" *\| *", line) for line in lines if line[:2] not in {"", "# "}]
    width = max(map(len, rows))
    cells = [[cell.replace("\\n", "\n") for cell in row] for row in rows]
    return [(*row, *[""] * (width - len(row))) for row in cells]


def arrows(table: str) -> list[tuple[str, ...]]:
    """Return the cells of each row, with ` -> ` between them.

    A row whose first cell holds several texts, with ` ~ ` between them, is several.
    """
    rows = (re.split(" ->(?: |$)", row) for row in table.strip("\n").splitlines())
    return [(text, *cells) for first, *cells in rows for text in first.split(" ~ ")]


def said(record: Problem | FormatError | None) -> str:
    """Return what a record claims, or why it is refused.

    Such as `#2 keys b1b7 line b1b7 h8g8 a2a8`, `h#2 solutions 3`, `nomate 2` or `none`.
    """
    if isinstance(record, FormatError):
        return record.reason
    assert record
    claim, stipulation = record.claim, record.stipulation
    if claim is None:
        return f"nomate {record.no_mate}" if record.no_mate else "none"
    parts = [f"#{claim.mate}" if stipulation == MATE else str(stipulation)]
    parts += ["keys", *claim.keys] if claim.keys else []
    parts += ["line", *claim.line] if claim.line else []
    parts += [] if claim.solutions is None else ["solutions", str(claim.solutions)]
    return " ".join(parts)


def warned(record: Problem | FormatError | None) -> str:
    """Return the warnings of a problem, without what is kept in spite of them."""
    assert isinstance(record, Problem), record
    return "; ".join(warning.partition("; kept ")[0] for warning in record.warnings)


def shown(record: Problem | FormatError) -> str:
    """Return what is read: `8 key h7g6 pv h7g6 h1g1`, `no mate in 4`, `-`, `? reason`.

    Warnings follow, each after ` ! `.
    """
    if isinstance(record, FormatError):
        return f"? {record.reason}"
    words: list[str] = []
    if claim := record.claim:
        words = [str(claim.mate)]
        words += ["key", *claim.keys] if claim.keys else []
        words += ["pv", *claim.line] if claim.line else []
    if record.no_mate:
        words += ["no mate in", str(record.no_mate)]
    return " ! ".join([" ".join(words) or "-", *record.warnings])


def problems_of(records: Records) -> list[Problem]:
    """Return records that are all problems."""
    problems = [one for one in records if isinstance(one, Problem)]
    assert len(problems) == len(records), records
    return problems


def listed(records: Records) -> str:
    """Return where each record begins, or its label, and its claim; `!` is an error."""
    found = []
    for one in records:
        label = one.id.rpartition(" ")[2] if isinstance(one, Problem) else ""
        place = label if label[-1:] == ")" else one.source.rpartition(":")[2]
        found.append(f"{place} {'!' if isinstance(one, FormatError) else said(one)}")
    return ", ".join(found)


def with_source(record: Problem | FormatError, source: str) -> Problem | FormatError:
    """Return a record with another source; an error without the text of its record."""
    if isinstance(record, Problem):
        return replace(record, source=source)
    return FormatError(source, record.reason)


def write_whole(name: str, *problems: Problem) -> bytes:
    """Return the content of a file in a format."""
    writer = registry.find_writer(name)
    file = io.BytesIO()
    writer.save(map(writer.write, problems), file)
    return file.getvalue()


def read_with(
    path: Path, summary: claims.FileSummary | None = None, **options: Any
) -> Iterator[Problem | FormatError]:
    """Read a file with these fields of `ReadOptions`."""
    return registry.read_collection(path, claims.ReadOptions(**options), summary)


def play_line(board: chess.Board, seed: int, plies: int) -> tuple[str, ...]:
    """Play at most some random plies from a position."""
    choice, board = random.Random(seed), board.copy(stack=False)
    for _ in range(plies):
        if moves := sorted(board.legal_moves, key=chess.Move.uci):
            board.push(choice.choice(moves))
    return tuple(move.uci() for move in board.move_stack)


def play(seed: int) -> chess.Board:
    """Play up to 80 random plies."""
    board = chess.Board()
    for move in play_line(board, seed, random.Random(~seed).randrange(80)):
        board.push_uci(move)
    return board.copy(stack=False)
