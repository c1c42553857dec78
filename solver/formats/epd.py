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
from typing import TYPE_CHECKING, Any

from solver.board import GivenPosition, first_moves, write_lines
from solver.errors import InputError, quote
from solver.formats.claims import (
    make_problem,
    parse_distance,
    parse_no_mate,
    parse_solutions,
    printable,
)
from solver.formats.streams import Lines, Records, read_lines
from solver.problem import Claim
from solver.stipulation import MATE, Stipulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


def read_epd(lines: Lines, name: str) -> Records:
    """Read EPD or a list of FENs; see `read_lines`."""
    return read_lines(lines, name, parse_record)


def parse_record(text: str, source: str) -> Problem:
    """Parse a FEN and the operations after it.

    Parameters
    ----------
    text : str
        One record without its line end.
    source : str
        `file:line`, also the problem's name if it has no `id`.

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
    start = end_of_position(text)
    position = GivenPosition(text[:start])
    single: dict[str, str] = {}
    distances: list[int] = []
    keys: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    for opcode, operand in _operations(text, start):
        match opcode:
            case "dm":
                distances.append(parse_distance("dm", operand))
            case "bm":
                words = operand.split()
                distances += [
                    parse_distance("bm #", word[1:])
                    for word in words
                    if word.startswith("#")
                ]
                moves = (word for word in words if not word.startswith("#"))
                keys += position.keys("bm", " ".join(moves))
            case "pv":
                line = position.line("pv", operand)
            case _ if opcode in _PARSERS:
                single[opcode] = operand
    given = {opcode: _PARSERS[opcode](text) for opcode, text in single.items()}
    stipulation = given.get("stipulation", MATE)
    claim = _claim(distances, stipulation.attacker_moves, keys, line)
    *fields, clock, number = position.fen.split()
    clock = given.get("hmvc", clock)
    number = max(given.get("fmvn", int(number)), 1)
    fen = " ".join((*fields, str(clock), str(number)))
    name, no_mate = given.get("id", ""), given.get("nomate")
    return make_problem(
        fen,
        name,
        source,
        claim,
        no_mate,
        stipulation,
        solutions=given.get("solutions"),
        names_side=position.names_side,
    )


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


def _parse_counter(opcode: str, text: str) -> int:
    if not _COUNTER.fullmatch(text):
        msg = f"{opcode}: expected a whole number from 0 up, found {quote(text)}"
        raise InputError(msg)
    return int(text)


_PARSERS: dict[str, Callable[[str], Any]] = {
    "fmvn": partial(_parse_counter, "fmvn"),
    "hmvc": partial(_parse_counter, "hmvc"),
    "id": printable,
    "nomate": partial(parse_no_mate, "nomate"),
    "solutions": partial(parse_solutions, "solutions"),
    "stipulation": Stipulation.parse,
}
"""Operations that may be repeated; the last one counts."""


def _claim(
    distances: list[int], demanded: int, keys: tuple[str, ...], line: tuple[str, ...]
) -> Claim | None:
    """Return the claimed distance, or else the demanded moves; 0 for neither."""
    if len(set(distances)) > 1:
        found = " and ".join(str(distance) for distance in distances)
        msg = f"expected one distance to mate, found {found}"
        raise InputError(msg)
    moves = distances[0] if distances else demanded
    return Claim(moves, tuple(dict.fromkeys(keys)), line) if moves else None
