"""EPD: a record per line, a FEN, then operations such as `dm 3;` and `id "Loyd";`.

Several dialects are used for collections of mates. These operations are read:

- `dm 3;` and matetrack's `bm #3;` claim a mate in 3; a negative number claims that the
  side to move is mated.
- `nomate 3;` claims that there is no mate in 3 moves or fewer.
- `bm Qe3;` gives the key or keys in SAN or UCI. It does not claim a mate without a
  distance.
- `pv ...;` or matetrack's `PV: ...;` gives the line in SAN or UCI.
- `id "a name";` names the problem, with or without quotes.
- `stipulation "h#2.5";`, specific to matesolve, demands something other than the
  shortest mate; see `solver.stipulation`. `solutions 2;` claims how many solutions help
  play has.
- `hmvc 3;` and `fmvn 40;` set the FEN's counters.

Other operations are ignored, and so is other text such as `00:07;`. The FEN has four
fields, as usual in EPD, or six. A line that is only a FEN may also have one or two.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from solver.board import GivenPosition, first_moves, write_lines
from solver.errors import InputError, quote
from solver.formats.claims import Draft, printable
from solver.formats.streams import Lines, Records, read_lines
from solver.formats.summary import FileSummary
from solver.stipulation import MATE, Stipulation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.problem import Problem


_WORD = re.compile(r"\S+")
_OPERATION = re.compile(
    r"""\s*+ (?P<opcode> [^\s;]*+ )
        (?P<operand>
            (?: [^";] | (?<!\s) " | (?<=\s) " [^"\\]* (?: \\. [^"\\]* )* " )* )
        (?: ; | \Z )""",
    re.VERBOSE,
)
"""Up to a semicolon outside quotes, which open only after a space: 00'12" is a time.

Only single characters are repeated possessively, because Python up to 3.11.4 handles
possessive groups incorrectly (python/cpython#106052).
"""
_ESCAPED = re.compile(r"\\(.)")
_TO_ESCAPE = re.compile(r'(["\\])')
_ESCAPE = r"\\\1"
_COUNTER = re.compile(r"[0-9]{1,9}")


def read_epd(lines: Lines, summary: FileSummary) -> Records:
    """Read EPD or a list of FENs; see `read_lines`."""
    return read_lines(lines, summary.name, partial(parse_record, summary=summary))


def parse_record(text: str, source: str, summary: FileSummary | None = None) -> Problem:
    """Parse a FEN and the operations after it.

    Parameters
    ----------
    text : str
        One record without its line end.
    source : str
        `file:line`, also the problem's name if it has no `id`.
    summary : FileSummary, optional
        Notes what is read from which operation.

    Returns
    -------
    Problem
        The position and what the record claims about it.

    Raises
    ------
    InputError
        If position, distance or moves cannot be parsed, the distance is outside 1 to
        `MAX_MOVES`, or two distances differ.
    """
    summary = summary or FileSummary()
    start = end_of_position(text)
    operations = [*_operations(text, start)]
    stipulation = MATE
    for opcode, operand in operations:
        if opcode == "stipulation":
            stipulation = Stipulation.parse(operand)
            summary.read("stipulation", opcode)
    draft = Draft(GivenPosition(text[:start]), summary, stipulation)
    *fields, clock, number = draft.position.fen.split()
    name = ""
    for opcode, operand in operations:
        match opcode:
            case "dm":
                draft.read_mate(opcode, operand)
            case "bm":
                words = operand.split()
                for word in words:
                    if word.startswith("#"):
                        draft.read_mate("bm #", word[1:])
                if moves := [word for word in words if not word.startswith("#")]:
                    draft.read_keys(opcode, " ".join(moves))
            case "pv":
                draft.read_line(opcode, operand)
            case "nomate":
                draft.read_no_mate(opcode, operand)
            case "solutions":
                draft.read_solutions(opcode, operand)
            case "id":
                name = printable(operand)
                summary.read("name", opcode)
            case "hmvc":
                clock = draft.read("counters", opcode, _parse_counter, operand) or clock
            case "fmvn":
                number = (
                    draft.read("counters", opcode, _parse_counter, operand) or number
                )
            case "stipulation":
                pass
            case _:
                summary.ignore(opcode)
    fen = " ".join((*fields, str(clock), str(max(int(number), 1))))
    return draft.problem(name, source, fen)


def write_fen(problem: Problem) -> str:
    """Write a problem's position, without its claim, as one line."""
    return f"{problem.fen}\n"


def write_epd(problem: Problem) -> str:
    """Write a problem as one line, with its moves in SAN.

    The counters become `hmvc` and `fmvn`, unless they are 0 and 1. EPD cannot express
    `any_last_move`; a name becomes one line of printable characters.
    """
    operations = (f"{operation};" for operation in _describe(problem))
    return " ".join((*problem.fen.split()[:4], *operations)) + "\n"


def _describe(problem: Problem) -> Iterator[str]:
    fen, claim = problem.fen, problem.claim
    clock, number = fen.split()[4:]
    if clock != "0":
        yield f"hmvc {clock}"
    if number != "1":
        yield f"fmvn {number}"
    if stipulation := problem.stipulation.text:
        yield f'stipulation "{stipulation}"'
    elif claim:
        yield f"dm {claim.mate}"
    if claim and claim.keys:
        yield f"bm {' '.join(first_moves(fen, claim.keys))}"
    if claim and claim.line:
        yield f"pv {' '.join(write_lines(fen, [claim.line])[0])}"
    if claim and claim.solutions is not None:
        yield f"solutions {claim.solutions}"
    if problem.no_mate is not None:
        yield f"nomate {problem.no_mate}"
    if name := printable(problem.id):
        yield f'id "{_TO_ESCAPE.sub(_ESCAPE, name)}"'


def end_of_position(text: str) -> int:
    """Return where the operations begin: at a fifth or seventh word with a letter."""
    for number, word in enumerate(_WORD.finditer(text)):
        if number in {4, 6} and word[0][0].isalpha():
            return word.start()
        if number > 6:
            break
    return len(text)


def locate_operations(text: str, start: int) -> Iterator[re.Match[str]]:
    """Find the operations of a record that `parse_record` accepts, from `start` on.

    Yields
    ------
    re.Match
        A match of each operation with its semicolon in `text`; its groups are `opcode`
        and `operand`.
    """
    while start < len(text):
        operation = _OPERATION.match(text, start)
        if operation is None:
            msg = f"operations: expected a closing quote, found {quote(text[start:])}"
            raise InputError(msg)
        start = operation.end()
        yield operation


def _operations(text: str, start: int) -> Iterator[tuple[str, str]]:
    """Yield each opcode in lower case with its operand, unquoted."""
    for operation in locate_operations(text, start):
        operand = operation["operand"].strip()
        if len(operand) >= 2 and operand[0] == operand[-1] == '"':
            operand = _ESCAPED.sub(r"\1", operand[1:-1])
        yield opcode_of(operation), operand


def opcode_of(operation: re.Match[str]) -> str:
    """Return the opcode in lower case; matetrack's `PV:` becomes `pv`."""
    return operation["opcode"].lower().removesuffix(":")


def _parse_counter(opcode: str, text: str) -> str:
    if not _COUNTER.fullmatch(text):
        msg = f"{opcode}: expected a whole number from 0 up, found {quote(text)}"
        raise InputError(msg)
    return text
