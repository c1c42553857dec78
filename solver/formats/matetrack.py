"""matetrack's lines, `FEN bm #n; PV: moves; comment`, changed in place.

`epd` reads what a line claims. This module keeps the text, so that it can be written
with another distance or line of moves, and with every other byte unchanged. A claim by
`dm` with its line in `pv` is handled in the same way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import chess

from solver.board import GivenPosition, write_lines
from solver.errors import FormatError, InputError, quote
from solver.formats.epd import (
    end_of_position,
    locate_operations,
    opcode_of,
    parse_record,
)
from solver.formats.streams import decode_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.problem import Problem

MISSING = "missing"
"""The fault of a row without a line of moves."""

_DISTANCES = {"bm": re.compile(r"(?<!\S)#(\S+)"), "dm": re.compile(r"(\S+)")}
"""The distances in the operand of each operation that claims a mate."""

_QUOTED = re.compile(r'"[^"]*"')

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """A line that claims a mate.

    Attributes
    ----------
    problem : Problem
        The position and its claim, whose line is empty unless all its moves are legal.
    fault : str
        Why the line of moves does not lead to the claimed mate, or `MISSING`; empty:
        it does.
    text : str
        The whole line, with its end.
    distances : tuple of (int, int)
        Where in `text` the claimed distance is.
    moves_at : (int, int)
        Where in `text` the moves are, or where they can be inserted.
    around : (str, str)
        What to write before and after the moves.
    uses_uci : bool
        The moves are in UCI notation, as matetrack has them; otherwise in SAN.
    """

    problem: Problem
    fault: str
    text: str
    distances: tuple[Span, ...]
    moves_at: Span
    around: tuple[str, str]
    uses_uci: bool

    @property
    def claimed(self) -> int:
        """The claimed mate in moves, negative when the side to move is mated."""
        assert self.problem.claim
        return self.problem.claim.mate

    @property
    def line(self) -> tuple[str, ...]:
        """The line of moves in UCI notation; empty if a move is illegal."""
        assert self.problem.claim
        return self.problem.claim.line

    def rewrite(self, mate: int, line: Sequence[str]) -> bytes:
        """Return the line of the file with another mate and its moves.

        Parameters
        ----------
        mate : int
            In moves, negative when the side to move is mated.
        line : sequence of str
            Legal moves that lead to it, in UCI notation.
        """
        before, after = self.around
        moves = line if self.uses_uci else write_lines(self.problem.fen, [line])[0]
        changes = [(self.moves_at, f"{before}{' '.join(moves)}{after}")]
        if mate != self.claimed:
            changes += [(span, str(mate)) for span in self.distances]
        text = self.text
        for (start, end), new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text.encode()


def read_row(raw: bytes, source: str) -> Row | FormatError | None:
    """Read one line of a file.

    Parameters
    ----------
    raw : bytes
        The line with its end, neither blank nor a comment.
    source : str
        `file:line`.

    Returns
    -------
    Row, FormatError or None
        None if the line claims no mate, or if it also names keys, which another mate
        would contradict.
    """
    try:
        return _parse_row(decode_line(raw), source)
    except InputError as error:
        return FormatError(source, str(error))


def _parse_row(text: str, source: str) -> Row | None:
    operations = list(locate_operations(text, end_of_position(text)))
    lines = [found for found in operations if opcode_of(found) == "pv"]
    if len(lines) > 1:
        msg = f"pv: expected one line of moves, found {len(lines)}"
        raise InputError(msg)
    rest = text
    for found in lines:  # an illegal line must not make the record unreadable
        rest = text[: found.start()] + text[found.end() :]
    problem = parse_record(rest.strip(), source)
    claim = problem.claim
    if claim is None or claim.keys or not problem.stipulation.is_direct_mate:
        return None
    distances, claiming = [], None
    for found in operations:
        if pattern := _DISTANCES.get(opcode_of(found)):
            for distance in pattern.finditer(text, *found.span("operand")):
                distances.append(distance.span(1))
                claiming = claiming or found
    if claiming is None:
        return None
    uses_uci = opcode_of(claiming) == "bm"
    line: tuple[str, ...] = ()
    fault = MISSING
    if lines:
        moves_at, around = _trimmed(text, lines[0].span("operand"))
        line, fault = _read_line(problem, text[slice(*moves_at)])
    else:
        end = len(text[: claiming.end()].rstrip())
        moves_at = end, end
        end_before = "" if text[end - 1] == ";" else ";"
        around = f"{end_before} {'PV:' if uses_uci else 'pv'} ", ";"
    problem = replace(problem, claim=replace(claim, line=line))
    fault = fault or find_fault(problem.fen, claim.mate, line)
    return Row(problem, fault, text, tuple(distances), moves_at, around, uses_uci)


def _trimmed(text: str, span: Span) -> tuple[Span, tuple[str, str]]:
    """Return where in an operand the moves are, and what to write around them."""
    start, end = span
    operand = text[start:end]
    if not operand.strip():
        return span, (" ", "")
    start += len(operand) - len(operand.lstrip())
    end -= len(operand) - len(operand.rstrip())
    return (start, end), ("", "")


def _read_line(problem: Problem, operand: str) -> tuple[tuple[str, ...], str]:
    """Return the moves of a line, or no moves and the reason why one is wrong.

    Raises
    ------
    InputError
        A quote stands between them.
    """
    if _QUOTED.fullmatch(operand):
        operand = operand[1:-1]
    elif '"' in operand:  # it joins operations, which must not be replaced together
        msg = f"pv: expected moves, found {quote(operand)}"
        raise InputError(msg)
    try:
        line = GivenPosition(problem.fen).line("pv", operand)
    except InputError as error:
        return (), str(error)
    return line, "" if line else MISSING


def find_fault(fen: str, mate: int, line: Sequence[str]) -> str:
    """Return why a line does not lead to a mate of this length; empty if it does.

    Parameters
    ----------
    fen : str
        The position at the start of the line.
    mate : int
        In moves, negative when the side to move is mated.
    line : sequence of str
        Legal moves, in UCI notation.
    """
    plies = 2 * mate - 1 if mate > 0 else -2 * mate
    if len(line) != plies:
        return f"pv: expected {plies} plies, found {len(line)}"
    board = chess.Board(fen)
    for move in line:
        board.push_uci(move)
    return "" if board.is_checkmate() else "pv: expected mate at the end, found none"
