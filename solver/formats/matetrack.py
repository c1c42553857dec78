"""matetrack's files: lines that are changed in place, and logs of `matecheck.py`.

Lines: `FEN bm #n; PV: moves; comment`, changed in place.

`epd` reads what a line claims. This module keeps the text, so that it can be written
with another distance or line of moves, and with every other byte unchanged. Claims by
`dm` and in words, with the line in `pv`, are handled in the same way.

Logs: the mates that an engine claims in a log of matetrack's `matecheck.py`.

- With `--logFile` the log has everything sent to each engine, and its answers. The
  claim is the last score before `bestmove`, if it is a mate, with its line. Bounds do
  not count, nor do lines other than the first.
- The output of `matecheck.py` names the claims that differ from its file, and those
  with faulty lines; these lines are not read.

All other lines are skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.errors import FormatError, InputError, quote
from solver.formats import epd
from solver.formats.claims import KEPT, Draft
from solver.formats.streams import Lines, Records, decode, decode_line, read_each
from solver.position_text import GivenPosition, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from solver.formats.claims import FileSummary
    from solver.problem import Claim, Problem


# Lines

MISSING = "missing"
"""The fault of a row without a line of moves."""

_DISTANCES = {"bm": re.compile(r"#([+-]?[0-9]+)(?!\S)")} | dict.fromkeys(
    epd.LENGTHS, re.compile(r"([+-]?[0-9]+)")
)
"""The distances in the operand of each operation that claims a mate."""

_MOVES = re.compile(r'\s*("[^"]*"|[^"]*?)\s*')

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
    encoding : str
        UTF-8, or Latin-1 for any other bytes.
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
    encoding: str
    distances: tuple[Span, ...]
    moves_at: Span
    around: tuple[str, str]
    uses_uci: bool

    @property
    def claim(self) -> Claim:
        """The claimed mate; its line is empty if a move is illegal."""
        assert self.problem.claim
        return self.problem.claim

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
        if mate != self.claim.mate:
            changes += [(span, str(mate)) for span in self.distances]
        text = self.text
        for (start, end), new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text.encode(self.encoding)


def read_row(
    raw: bytes, source: str, summary: FileSummary
) -> Row | Problem | FormatError:
    """Read one line of a file.

    Parameters
    ----------
    raw : bytes
        The line with its end, neither blank nor a comment.
    source : str
        `file:line`.
    summary : FileSummary
        Notes what is read.

    Returns
    -------
    Row, Problem or FormatError
        A problem if the line claims no mate, or only in a way that is not rewritten,
        such as an engine's score.
    """
    try:
        encoding = "utf-8" if decode_line(raw).encode() == raw else "latin-1"
        row = _parse_row(raw.decode(encoding), encoding, source, summary)
    except InputError as error:
        summary.unreadable += 1
        return FormatError(source, str(error))
    summary.count(row.problem if isinstance(row, Row) else row)
    return row


def _parse_row(
    text: str, encoding: str, source: str, summary: FileSummary
) -> Row | Problem:
    problem = epd.parse_record(text.strip(), source, summary)
    claim = problem.claim
    _, operations = epd.find_operations(text)
    distances, claiming = [], None
    for found in operations:
        if pattern := _DISTANCES.get(epd.opcode_of(found)):
            for distance in pattern.finditer(text, *found.span("operand")):
                distances.append(distance.span(1))
                claiming = claiming or found
    if claim is None or claiming is None or not problem.stipulation.is_direct_mate:
        return problem
    uses_uci = epd.opcode_of(claiming) == "bm"
    lines = [found for found in operations if epd.opcode_of(found) == "pv"]
    if len(lines) > 1:
        msg = f"pv: expected one line of moves, found {len(lines)}"
        raise InputError(msg)
    if lines:
        moves = _MOVES.fullmatch(text, *lines[0].span("operand"))
        if moves is None:  # it joins operations, which must not be replaced together
            msg = f"pv: expected moves, found {quote(lines[0]['operand'].strip())}"
            raise InputError(msg)
        moves_at, around = moves.span(1), ("" if lines[0]["operand"] else " ", "")
    else:
        end = len(text[: claiming.end()].rstrip())
        moves_at = end, end
        end_before = "" if text[end - 1] == ";" else ";"
        around = f"{end_before} {'PV:' if uses_uci else 'pv'} ", ";"
    fault = find_fault(problem.fen, claim.mate, claim.line)
    faults = [text for text in problem.warnings if text.startswith("pv:")]
    fault = faults[0].partition(KEPT)[0] if faults else fault
    return Row(
        problem, fault, text, encoding, tuple(distances), moves_at, around, uses_uci
    )


def find_fault(fen: str, mate: int, line: Sequence[str]) -> str:
    """Return why a line does not lead to a mate of this length, or `MISSING`.

    Empty if it does.

    Parameters
    ----------
    fen : str
        The position at the start of the line.
    mate : int
        In moves, negative when the side to move is mated.
    line : sequence of str
        Legal moves, in UCI notation.
    """
    if not line:
        return MISSING
    plies = 2 * mate - 1 if mate > 0 else -2 * mate
    if len(line) != plies:
        return f"pv: expected {plies} plies, found {len(line)}"
    board = chess.Board(fen)
    for move in line:
        board.push_uci(move)
    return "" if board.is_checkmate() else "pv: expected mate at the end, found none"


# Logs

_SPOKEN = re.compile(r"DEBUG:chess\.engine:(<\w+ \(pid=[0-9]+\)>): (?:<<|>>) (.*)")
"""An engine's name in the log, and what it was sent or answered."""

_PRINTED = re.compile(
    r'(?:Found|Only found) (?:invalid )?mate #(\S+).*? for FEN "([^"]{1,100})"'
)
_SUMMARY = "Total FENs:"
"""Also printed where no claim is."""

_BOUNDS = {"lowerbound", "upperbound"}


class _Score(NamedTuple):
    position: str
    mate: str
    line: str = ""


def read_matecheck(lines: Lines, summary: FileSummary) -> Records:
    """Read the claims of a log; see `read_each`."""
    return read_each(_find_scores(lines), summary.name, partial(_parse, summary))


def _find_scores(lines: Lines) -> Iterator[tuple[int, _Score]]:
    """Yield each claim with the number of its line."""
    positions: dict[str, str] = {}
    last: dict[str, tuple[int, _Score]] = {}
    is_log = False
    for number, raw in lines:
        text = decode(raw).strip()
        printed, spoken = _PRINTED.match(text), _SPOKEN.match(text)
        is_log |= bool(printed or spoken) or text.startswith(_SUMMARY)
        if printed:
            yield number, _Score(printed[2], printed[1])
        elif spoken:
            engine, said = spoken.groups()
            words = said.split()
            match words[:1]:
                case ["position"]:
                    positions[engine] = said.split(maxsplit=1)[-1].removeprefix("fen ")
                    last.pop(engine, None)
                case ["info"] if "score" in words and engine in positions:
                    if _is_exact(words):
                        mate = "".join(_after("mate", words)[:1])
                        line = " ".join(_after("pv", words))
                        last[engine] = number, _Score(positions[engine], mate, line)
                case ["bestmove"] if engine in last:
                    at, score = last.pop(engine)
                    if score.mate.strip("-0"):
                        yield at, score
    if not is_log:
        msg = "expected a log of matecheck.py, found none of its lines"
        raise InputError(msg)


def _is_exact(words: list[str]) -> bool:
    """Return whether `info` has the score of the first line, and not only a bound."""
    secondary = "multipv" in words and _after("multipv", words)[:1] != ["1"]
    return not (secondary or words[1] == "string" or _BOUNDS & set(words))


def _after(name: str, words: list[str]) -> list[str]:
    """Return the words after a name, if it is there."""
    return words[words.index(name) + 1 :] if name in words else []


def _parse(summary: FileSummary, score: _Score, source: str) -> Problem:
    fen = chess.STARTING_FEN if score.position == "startpos" else score.position
    draft = Draft(GivenPosition(fen), summary)
    draft.read_mate("mate", score.mate)
    draft.read_line("pv", score.line)
    return draft.problem("", source)
