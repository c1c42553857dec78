"""Read and write Popeye's input (`.inp`), by its English keywords.

`popeye_input` describes what is read. Each twin is a problem of its own, whose label
follows the name: `Title a)`. The option `Duplex` makes two problems of each. Options
that concern the output or the cost of a search are ignored, and so are texts other than
the title. A problem that cannot be parsed is reported and skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.errors import FormatError, InputError
from solver.formats.claims import printable
from solver.formats.popeye_input import TO_POPEYE, read_inputs
from solver.formats.twins import make_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.problem import Problem

POPEYE_HEAD = "BeginProblem\n"
"""The line before the first record of a file."""

POPEYE_SEPARATOR = "NextProblem\n"
"""The line between two records."""

POPEYE_TAIL = "EndProblem\n"
"""The line after the last record."""

_MAX_TITLE_BYTES = 200
"""Popeye's buffer holds about 250."""


def read_popeye(
    lines: Iterable[tuple[int, bytes]], name: str
) -> Iterator[Problem | FormatError]:
    """Read the problems of an input file for Popeye.

    Parameters
    ----------
    lines : iterable of tuple
        Number, from 1, and bytes of each line.
    name : str
        The file's name in `file:line`.

    Yields
    ------
    Problem or FormatError
        One for each problem and twin, in file order.
    """
    for found in read_inputs(lines, name):
        if isinstance(found, FormatError):
            yield found
            continue
        try:
            found.options.refuse("PostKeyPlay")
        except InputError as error:
            yield FormatError(found.source, str(error))
            continue
        titles = [text.text for text in found.texts if text.keyword == "Title"]
        title = printable(" ".join(titles))
        yield from make_problems(found.twins, title, found.source)


def write_popeye(problem: Problem) -> str:
    """Write a problem as a record, without the head, separator and tail of a file.

    Keys, line and the FEN's counters are lost, and a very long name is cut to what
    Popeye can hold.

    Parameters
    ----------
    problem : Problem
        It must have a stipulation or claim a mate by the side to move.

    Returns
    -------
    str
        The lines of the record.

    Raises
    ------
    InputError
        If the problem claims anything else, which Popeye cannot express.
    """
    if problem.claim is None or problem.claim.mate < 0:
        found = _describe(problem)
        msg = f"Popeye: expected a claimed mate by the side to move, found {found}"
        raise InputError(msg)
    board = chess.Board(problem.fen)
    title = printable(problem.id).encode()[:_MAX_TITLE_BYTES].decode(errors="ignore")
    options = _options(board, problem.stipulation.white_begins)
    lines = [
        *([f"Title {title}"] if title else []),
        f"Forsyth {board.board_fen().translate(TO_POPEYE)}",
        f"Stipulation {problem.stipulation.numbered(problem.claim.mate)}",
        *([f"Option {' '.join(options)}"] if options else []),
    ]
    return "".join(f"{line}\n" for line in lines)


def _describe(problem: Problem) -> str:
    if problem.claim:
        return f"the side to move mated in {-problem.claim.mate}"
    return "none" if problem.no_mate is None else f"no mate in {problem.no_mate}"


def _options(board: chess.Board, side: chess.Color) -> list[str]:
    options = [] if board.turn == side else ["HalfDuplex"]
    rights = board.castling_rights
    board.castling_rights = chess.BB_CORNERS
    lost = chess.SquareSet(board.clean_castling_rights() & ~rights)
    if lost:
        options.append(f"NoCastling {''.join(map(chess.square_name, lost))}")
    if (skipped := board.ep_square) is not None:
        forward = 8 if chess.square_rank(skipped) == 2 else -8  # of the pawn that moved
        way = (skipped - forward, skipped, skipped + forward)
        options.append(f"EnPassant {''.join(map(chess.square_name, way))}")
    return options
