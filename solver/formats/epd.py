"""EPD: records with operations, and the files of matetrack and its logs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import FormatError, InputError, quote
from solver.formats import plain, streams, words
from solver.formats.claims import (
    DEFAULTS,
    KEPT,
    OTHER_TEXT,
    Draft,
    FileSummary,
    ReadOptions,
    renamed,
    take_sample,
)
from solver.position_text import GivenPosition, first_moves, write_lines
from solver.problem import MATE, Claim, Problem, Stipulation, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


# --------------------------------------------------------------------------------------
# EPD: a record per line, a FEN, then operations such as `dm 3;` and `id "Loyd";`.
#
# Several dialects are used for collections of mates. These operations are read, with
# opcodes in any case, and `:` or `=` after them:
#
# - `dm 3;`, matetrack's `bm #3;`, and `mate 3;`, `mate in 3;`, `#3;` and `M3;` claim a
#   mate in 3; a negative number, like `mated in 3;`, claims that the side to move is
#   mated.
# - `ce 32764;`, an engine's score of 32,767 minus the plies to the mate, claims a mate
#   in 2 if nothing else is claimed; so does `pes MateIn2;`. Other scores claim nothing.
# - `nomate 3;` claims that there is no mate in 3 moves or fewer.
# - `bm Qe3;` gives the key or keys in SAN or UCI. It does not claim a mate without a
#   distance.
# - `pv ...;` or matetrack's `PV: ...;` gives the line in SAN or UCI.
# - `id "a name";` names the problem, with or without quotes.
# - `stipulation "h#2.5";`, specific to matesolve, demands something other than the
#   shortest mate; see `solver.problem`. `solutions 2;` claims how many solutions help
#   play has.
# - `hmvc 3;` and `fmvn 40;` set the FEN's counters.
#
# Other operations are ignored, and so is other text such as `00:07;`. The semicolon may
# be missing before a known opcode, except in text without quotes. The FEN has four
# fields, as usual in EPD, or fewer or six; `GivenPosition` reads it. A separator may
# follow it.

_STRUCTURED = (
    "(?=[a-fhmnps][acdemotv])"  # the first two letters exclude most words at once
    "(?:ac[dns]|[abdps]m|ce|eco|fmvn|hmvc|nomate|pes|pv|solutions|stipulation"
    r"|mated?[ _]?(?:in|(?=\d+\s*(?:;|\Z))))"
)
"""Opcodes whose operands are no text, so that another opcode may end them."""

_KNOWN = f"(?:{_STRUCTURED}|id)"

_POSITION = re.compile(
    rf"""\s*+ (?P<fen> (?P<quote>["'`]) .*? (?P=quote)
      | [^\s;,|]++ (?: \s++ (?!{_KNOWN}(?![^\s:=\#\d+-])) [^\s;,|"]++ ){{0,3}}
        (?: \s++ [-+?\d]++ (?![^\s;,|]) ){{0,2}} (?: \s++ moves\s [^;]*+ )? )
    [\s;,|]*+""",
    re.VERBOSE | re.IGNORECASE,
)
"""A FEN, in quotes or not, and the separators after it."""

_OPERATION = re.compile(
    rf"""[\s;]*+ (?!\Z) (?P<opcode> (?P<structured> [\#m] (?=[+-]?\d)
            | (?:{_STRUCTURED}|mated?) (?![^\s;:=\#\d+-]) [:=]?
            | [KQRBN] [a-hx]* [a-h][1-8] [+\#]? (?!\S) ) | [^\s;]*+ )
    (?P<operand> (?: [^"\s;]++ | \s | (?<![\s:=])"
        | (?<=[\s:=])" [^"\\]* (?: \\(?:.|\Z) [^"\\]* )* (?: " | (?P<open>\Z) ) )*? )
    (?: ; | \Z | (?: (?<=")\s | (?(structured)\s|(?!)) )
        (?= {_KNOWN}[\s:=\#\d] | [cv]\d\s*" ) )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
"""Up to a semicolon outside quotes, which open only after a space: 00'12" is a time.

It also ends before an opcode, after quotes and where no text is expected, as after a
move that has no opcode. Its group `open` matches where a closing quote is missing. Only
single characters are repeated possessively, because Python up to 3.11.4 handles
possessive groups incorrectly (python/cpython#106052).
"""

is_operation = re.compile(
    r"[\s;,|]*(?:(?:[abdps]m|id|ce|ac[dns]|hmvc|fmvn|eco|nic|noop|pv|pes|resign|sm"
    r"|tc\w\w|nomate|solutions|stipulation)(?:[\s:=#]|\d|\Z)"
    r"|rc\s|[cv]\d\s*\"|d\d+\s+\d)",
    re.IGNORECASE,
).match
"""Whether a text begins with an opcode of EPD, so that it is no text for people."""

is_comment = re.compile("c[0-9]").fullmatch
_ESCAPED = re.compile(r"\\(.)")
_NUMBER = re.compile(r"([+-]?\d{1,9})(?:\s*moves?)?[.!]?", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"[#+-]?\d{1,3}")
"""What the second column of a table without a header may hold: `FEN,3`."""

_NAME = re.compile(r"(?![kqrbn][a-hx]*[a-h][1-8])[a-z][a-z0-9_]{0,14}(?=[:=]|\Z)")
_LIKE_A_CLAIM = re.compile(
    r"\b(?:mated?|matt?)(?:\b|_|in)|(?:\A|[^\w\s]\s*)#\s*[+-]?\d|\bM[+-]?\d"
    r"|\b(?:bm|dm|nomate)[\s:=#]*\d",
    re.IGNORECASE,
)

_CHECKMATE, _LEAST_MATE = 32767, 32000
"""The EPD standard writes a mate as the first number less its plies; scores above the
second are mates."""


_PARTS = {
    "claim": "dm",
    "keys": "bm",
    "line": "pv",
    "name": "id",
    "nomate": "nomate",
    "solutions": "solutions",
    "stipulation": "stipulation",
}
"""The opcode that has each part of a problem."""


def read_epd(
    lines: streams.Lines, summary: FileSummary, options: ReadOptions = DEFAULTS
) -> streams.Records:
    """Read EPD or a list of FENs, a record a line. `columns` may name opcodes."""
    rest, sample = streams.Batches.of_lines(lines), list[tuple[int, bytes]]()
    names = dict[str, str]()
    if options.columns:
        sample = take_sample(rest, lambda line: len(line[1]), summary)
        given = (find_operations(streams.decode(line))[1] for _, line in sample)
        opcodes = {opcode_of(one) for one in chain.from_iterable(given)}
        try:
            names = renamed(options, _PARTS, opcodes, "an opcode")
        except InputError as error:
            yield FormatError(summary.name, str(error))
            return
    summary.names = names
    summary.parse = partial(parse_record, summary=summary, names=names)
    claim = partial(_claim, summary)
    shape = None if names else plain.Shape(_pick, claim)
    for batch in chain([sample], rest.rest()):
        texts = streams.decode_batch(batch)
        found = plain.read_plain(shape, texts, summary.name)
        for (_, line), (number, text), problem in zip(batch, texts, found, strict=True):
            if problem:
                yield problem
                continue
            if not streams.is_record(line):
                continue
            source = f"{summary.name}:{number}"
            try:
                if isinstance(text, InputError):
                    raise text
                yield summary.parse(text.strip(), source)
            except InputError as error:
                yield FormatError(source, str(error))


_match_plain = re.compile(
    r"([1-8KQRBNPkqrbnp/]{15,} [wb] (?:-|[KQkq]+) (?:-|[a-h][36])"
    r"(?: [0-9]{1,3} [1-9][0-9]{0,3})?)"
    r"(?: (dm |bm #)([0-9]{1,3})(?:;|\Z)"
    r"(?: (?:pv|PV:)((?: [a-h][1-8][a-h][1-8][qrbn]?)+);)?"
    r'(?: id "([^"\\]+)";)?)?'
).fullmatch
"""A FEN; or a FEN with a mate, and then perhaps a line in UCI notation and a name."""


def _pick(text: str) -> plain.Picked | None:
    """Return what a record of plain shape has; it says nothing else."""
    if (found := _match_plain(text.strip())) is None:
        return None
    fen, opcode, digits, line, name = found.groups("")
    if not opcode:
        return fen, "", "", None
    number = plain.LENGTHS.get(digits)
    if number is None or (name and _is_like_a_claim(name)):
        return None
    said = number, opcode.rstrip(), name != ""
    return fen, line, printable(name) if name else "", said


def _claim(
    summary: FileSummary, said: tuple[int, str, bool], line: tuple[str, ...]
) -> Claim:
    """Return the claim of a record of plain shape, and note its fields."""
    number, opcode, is_named = said
    summary.read("claim", opcode)
    if line:
        summary.read("line", "pv")
    if is_named:
        summary.read("name", "id")
    return plain.claim_number(number, line)


def parse_record(
    text: str,
    source: str,
    summary: FileSummary | None = None,
    names: Mapping[str, str] | None = None,
) -> Problem:
    """Parse a FEN and the operations after it.

    Parameters
    ----------
    text : str
        One record without its line end.
    source : str
        `file:line`, also the problem's name if it has no `id`.
    summary : FileSummary, optional
        Notes what is read from which operation.
    names : mapping of str to str, optional
        Opcodes that stand for usual ones.

    Returns
    -------
    Problem
        The position and what the record claims about it.

    Raises
    ------
    InputError
        If the position or the stipulation cannot be read, or no claim of several.
    """
    fen, matches = find_operations(text)
    operations = [(opcode_of(each), _unquoted(each["operand"])) for each in matches]
    if names:
        given = [one for one in operations if one[0] in names]
        others = [one for one in operations if one[0] not in names]
        operations = [_stand_for(names[opcode], operand) for opcode, operand in given]
        operations += others
    demanded = dict(operations).get("stipulation")
    stipulation = MATE if demanded is None else Stipulation.parse(demanded)
    record = _EpdRecord(GivenPosition(fen), summary or FileSummary(), stipulation)
    for opcode, operand in operations:
        _READERS.get(opcode, _EpdRecord.ignore)(record, opcode, operand)
    if matches and matches[-1]["open"] is not None:
        unclosed = quote(matches[-1][0].strip())
        record.lose(f"operations: expected a closing quote, found {unclosed}")
    if record.score and record.no_mate:
        record.warnings.append(f"ce: expected no mate, found one in {record.score}")
    elif record.score:
        record.read_mate("ce", str(record.score))
    for opcode, moves in record.said[: not (record.mates or record.no_mate)]:
        record.read_mate(opcode, str(moves))
    record.claim_by_line("pv")
    fen = record.position.fen
    if record.hmvc or record.fmvn or fen.endswith(" 0"):
        *fields, clock, number = fen.split()
        number = str(max(int(record.fmvn or number), 1))
        fen = " ".join((*fields, record.hmvc or clock, number))
    return record.problem(record.name, source, fen)


def _stand_for(opcode: str, operand: str) -> tuple[str, str]:
    """Return an operation by its usual opcode; a claim may be in words."""
    lengths = words.find_lengths(operand, "white") if opcode == "dm" else []
    return opcode, str(lengths[0]) if lengths else operand


class _EpdRecord(Draft):
    """A record that is read operation by operation."""

    name = hmvc = fmvn = ""
    said: tuple[tuple[str, int], ...] = ()  # mates in words, which come last
    score = 0  # a mate that an engine claims, which any other claim excludes

    def ignore(self, opcode: str, operand: str) -> None:
        """Note an operation that is not read."""
        name = _NAME.match(opcode)
        text = f"{opcode} {operand}".strip()
        if is_comment(opcode):
            turn = "white" if " w " in self.position.fen else "black"
            lengths = words.find_lengths(operand, turn, signs=False)
            self.said = (*self.said, *((opcode, moves) for moves in lengths))
        may_claim = _is_like_a_claim(text) or bool(_BARE_NUMBER.fullmatch(text))
        self.summary.ignore(name[0] if name else OTHER_TEXT, may_claim=may_claim)
        if may_claim or words.may_claim(operand):
            self.unread = self.unread or text

    def note_stipulation(self, opcode: str, _operand: str) -> None:
        """Note the stipulation, which is read first."""
        self.summary.read("stipulation", opcode)

    def read_name(self, opcode: str, operand: str) -> None:
        """Read the problem's name."""
        self.name = printable(operand)
        self.summary.read("name", opcode)
        if _is_like_a_claim(operand):
            self.summary.ignore(opcode, may_claim=True)

    def read_counter(self, opcode: str, operand: str) -> None:
        """Read the halfmove clock, or the number of the next move."""
        counter = self.read("counters", opcode, _parse_counter, operand)
        setattr(self, opcode, counter or "")

    def read_best_moves(self, opcode: str, operand: str) -> None:
        """Read keys, and matetrack's distances."""
        words = operand.split()
        for word in words:
            if word.startswith("#"):
                self.read_mate("bm #", word[1:])
        if moves := [word for word in words if not word.startswith("#")]:
            self.read_keys(opcode, " ".join(moves))

    def read_length(self, opcode: str, operand: str) -> None:
        """Read a mate in words; without a number it is other text."""
        if found := _NUMBER.fullmatch(operand):
            sign = "-" if opcode.startswith("mated") else ""
            self.read_mate(opcode, sign + found[1])
        else:
            self.summary.ignore(opcode, may_claim=True)

    def read_score(self, opcode: str, operand: str) -> None:
        """Read an engine's score, which is a claim if it is a mate."""
        score = int(operand) if re.fullmatch(r"[+-]?\d{1,9}", operand) else _LEAST_MATE
        plies, wins = _CHECKMATE - abs(score), score > 0
        if abs(score) <= _LEAST_MATE or plies + wins < 2:
            self.summary.ignore(opcode, may_claim=abs(score) > _LEAST_MATE - 3000)
            return
        self.score = (plies + wins) // 2 * (1 if wins else -1)
        if plies % 2 != wins:  # scores that are one less mean the same moves
            number = f"{_CHECKMATE} less an {'odd' if wins else 'even'} number of plies"
            self.warnings.append(f"ce: expected {number}, found {quote(operand)}")


LENGTHS = "dm", "#", "m", "mate", "mate in", "mate_in", "matein"
"""Opcodes that claim a mate in as many moves as their operand says."""

_READERS = dict.fromkeys((*LENGTHS, "mated", "mated in"), _EpdRecord.read_length) | {
    "bm": _EpdRecord.read_best_moves,
    "ce": _EpdRecord.read_score,
    "dm": _EpdRecord.read_mate,
    "fmvn": _EpdRecord.read_counter,
    "hmvc": _EpdRecord.read_counter,
    "id": _EpdRecord.read_name,
    "nomate": _EpdRecord.read_no_mate,
    "pv": _EpdRecord.read_line,
    "solutions": _EpdRecord.read_solutions,
    "stipulation": _EpdRecord.note_stipulation,
}
"""What reads the operand of each opcode."""


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
    if name := re.sub(r'(["\\])', r"\\\1", printable(problem.id)):
        yield f'id "{name}"'


def find_operations(text: str) -> tuple[str, list[re.Match[str]]]:
    """Return the position of a record, and its operations.

    Each is a match in `text` with its semicolon; see `_OPERATION`. Its groups are
    `opcode` and `operand`.
    """
    end = _end_of(text)
    if (found := _POSITION.match(text, 0, end)) is None:
        return text, []
    return found["fen"], list(_OPERATION.finditer(text, found.end(), end))


def _end_of(text: str) -> int:
    """Return where the last operation ends; some files have a NUL after each line."""
    end = len(text.rstrip(" \t\r\n\0;"))
    return max(end, text.find(";", end) + 1)


def operations_of(text: str) -> list[tuple[str, str]]:
    """Return the opcodes and operands of a text without its FEN."""
    found = _OPERATION.finditer(text, 0, _end_of(text))
    return [(opcode_of(each), _unquoted(each["operand"])) for each in found]


def opcode_of(operation: re.Match[str]) -> str:
    """Return the opcode in lower case; matetrack's `PV:` becomes `pv`."""
    return operation["opcode"].lower().rstrip(":= ")


def _is_like_a_claim(text: str) -> bool:
    has_letter = "#" in text or "m" in text or "M" in text  # saves most searches
    return has_letter and bool(_LIKE_A_CLAIM.search(text))


def _unquoted(operand: str) -> str:
    operand = operand.strip(" \t,|")
    if len(operand) >= 2 and operand[0] == operand[-1] == '"':
        return _ESCAPED.sub(r"\1", operand[1:-1])
    return operand


def _parse_counter(opcode: str, text: str) -> str:
    if not re.fullmatch("[0-9]{1,9}", text):
        msg = f"{opcode}: expected a whole number from 0 up, found {quote(text)}"
        raise InputError(msg)
    return text


# --------------------------------------------------------------------------------------
# matetrack's files: lines that are changed in place, and logs of `matecheck.py`.
#
# Lines: `FEN bm #n; PV: moves; comment`. A `Row` keeps the text, so that it can be
# written with another distance or line of moves, and with every other byte unchanged.
# Claims by `dm` and in words, with the line in `pv`, are handled in the same way.
#
# Logs: the mates that an engine claims.
#
# - With `--logFile` the log has everything sent to each engine, and its answers. The
#   claim is the last score before `bestmove`, if it is a mate, with its line. Bounds do
#   not count, nor do lines other than the first.
# - The output of `matecheck.py` names the claims that differ from its file, and those
#   with faulty lines; these lines are not read.
#
# All other lines are skipped.

# Lines

MISSING = "missing"
"""The fault of a row without a line of moves."""

_DISTANCES = {"bm": re.compile(r"#([+-]?[0-9]+)(?!\S)")} | dict.fromkeys(
    LENGTHS, re.compile(r"([+-]?[0-9]+)")
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


def read_matetrack_row(
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
        encoding = "utf-8" if streams.decode_line(raw).encode() == raw else "latin-1"
        row = _parse_row(raw.decode(encoding), encoding, source, summary)
    except InputError as error:
        summary.unreadable += 1
        return FormatError(source, str(error))
    summary.count(row.problem if isinstance(row, Row) else row)
    return row


def _parse_row(
    text: str, encoding: str, source: str, summary: FileSummary
) -> Row | Problem:
    problem = parse_record(text.strip(), source, summary)
    claim = problem.claim
    _, operations = find_operations(text)
    distances, claiming = [], None
    for found in operations:
        if pattern := _DISTANCES.get(opcode_of(found)):
            for distance in pattern.finditer(text, *found.span("operand")):
                distances.append(distance.span(1))
                claiming = claiming or found
    if claim is None or claiming is None or not problem.stipulation.is_direct_mate:
        return problem
    uses_uci = opcode_of(claiming) == "bm"
    lines = [found for found in operations if opcode_of(found) == "pv"]
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
    import chess

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
"""A log may print this without any claim."""

_BOUNDS = {"lowerbound", "upperbound"}


class _LoggedScore(NamedTuple):
    position: str
    mate: str
    line: str = ""


def read_matecheck(lines: streams.Lines, summary: FileSummary) -> streams.Records:
    """Read the claims of a log; see `read_each`."""
    return streams.read_each(
        _find_scores(lines), summary.name, partial(_parse, summary)
    )


def _find_scores(lines: streams.Lines) -> Iterator[tuple[int, _LoggedScore]]:
    """Yield each claim with the number of its line."""
    positions: dict[str, str] = {}
    last: dict[str, tuple[int, _LoggedScore]] = {}
    is_log = False
    for number, raw in lines:
        text = streams.decode(raw).strip()
        printed, spoken = _PRINTED.match(text), _SPOKEN.match(text)
        is_log |= bool(printed or spoken) or text.startswith(_SUMMARY)
        if printed:
            yield number, _LoggedScore(printed[2], printed[1])
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
                        last[engine] = (
                            number,
                            _LoggedScore(positions[engine], mate, line),
                        )
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


def _parse(summary: FileSummary, score: _LoggedScore, source: str) -> Problem:
    import chess

    fen = chess.STARTING_FEN if score.position == "startpos" else score.position
    draft = Draft(GivenPosition(fen), summary)
    draft.read_mate("mate", score.mate)
    draft.read_line("pv", score.line)
    return draft.problem("", source)
