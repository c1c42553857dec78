"""Correct the records of a collection: the claim that was proved, where one is wrong.

Called by `cli`; imports `results`, `errors`, `formats`, `position_text`, `problem`,
`solution` and `stipulations`.

Only the fields of the claim change; every other byte of a line stays. A corrected line
is read again, and dropped if it would still contradict the answer.
"""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from solver import errors, position_text, solution
from solver.audit.results import (
    ACCEPT,
    DUAL,
    SUBJECT,
    AuditResult,
    audit_result,
    claimed_columns,
    comparable,
    split_source,
)
from solver.formats import epd, rows, streams
from solver.formats.claims import FileSummary, Selection
from solver.formats.evidence import AND_MORE
from solver.formats.reading import cell_text
from solver.formats.registry import read_as, read_collection, title_of
from solver.formats.tables import entry_of
from solver.formats.trees import entries_of
from solver.formats.words import NUMERALS, find_words
from solver.problem import MATE, Problem
from solver.stipulations import Soundness, Verdict, genre_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from solver.formats.claims import ReadOptions

_NUMBER = re.compile(rf"\d+|\b(?:{'|'.join(NUMERALS)})\b", re.IGNORECASE)
_WORDS = {number: word for word, number in NUMERALS.items()}
_THEME = re.compile(r"(?<=\bmateIn)\d+")
_UCI = re.compile(r"(?<!\w)[a-h][1-8][a-h][1-8][nbrq]?\b")
_HAS_MOVES = re.compile(r"[a-h][1-8]|O-O|0-0")
_HAS_NUMBERS = re.compile(r"\b1\s*\.")
_SPACE = re.compile(r"[\s:,]*")

_TABLES, _EPD, _JSON, _PGN = ("csv", "lichess"), ("epd", "fen"), "jsonl", "pgn"

_TAG = re.compile(r'\[\s*(?P<name>\w+)\s*"(?P<text>(?:[^"\\]|\\.)*)"\s*\]\s*')
_TAGS = {"Stipulation": "claim", "NoMate": "nomate", "Keys": "keys"}
"""The part of a claim that a tag of PGN has; others may have words."""

_COMMENT = re.compile(r"\{(?P<text>[^}]*)\}\s*")
_MOVES = re.compile(r"(?P<text>[^{(;]*?)\s*(?:\*|1-0|0-1|1/2-1/2)?\s*\Z")
"""A main line without comments and variations, and the result."""

_OPERATIONS = dict.fromkeys(
    (*epd.LENGTHS, "mated", "mated in", "stipulation"), "claim"
) | {"bm": "keys", "pv": "line", "nomate": "nomate"}
"""The part of a claim that an operation of EPD has."""


class Corrected(NamedTuple):
    """The text of a record, and why its claim is still wrong, if it is.

    Attributes
    ----------
    text : bytes
    left : tuple of str
        Words of `AuditResult.disagreements`, or why there is no text.
    """

    text: bytes
    left: tuple[str, ...]


class _Field(NamedTuple):
    """A field of a line that claims something.

    Attributes
    ----------
    part : str
        See `rows.FIELDS`.
    start, end : int
        Where it is in the line.
    text : str
        What it says.
    encode : callable
        Writes another text in the same way.
    """

    part: str
    start: int
    end: int
    text: str
    encode: Callable[[str], str] = str


class _Change(NamedTuple):
    """What replaces a claim; None: it stays.

    Attributes
    ----------
    fen : str
    moves : int
        The length that is proved.
    keys, line : sequence of str or None
    skips : int
        How many moves of the written line lead to the position.
    """

    fen: str
    moves: int
    keys: Sequence[str] | None
    line: Sequence[str] | None
    skips: int


def corrected_lines(
    path: str | os.PathLike[str],
    options: ReadOptions,
    results: Iterable[AuditResult],
    report: Callable[[AuditResult, Corrected], object],
) -> Iterator[bytes]:
    """Yield the text of a collection piece by piece, with the claims that were proved.

    Parameters
    ----------
    path : str or PathLike
        The file, which is read twice; see `read_collection`.
    options : ReadOptions
        How to read it.
    results : iterable of AuditResult
        Those of its audit. An editor's accepted records stay as they are.
    report : callable
        Called for each record that contradicts its claim, with its result.

    Raises
    ------
    InputError
        The format of the file cannot be corrected.
    """
    wrong = {
        _key(result): result
        for result in results
        if result.disagreements and result.mark != ACCEPT
    }
    summary = FileSummary()
    found: dict[int, tuple[Problem, AuditResult]] = {}
    starts: set[int] = set()  # of records that may have several lines
    for record in read_collection(path, options, summary):
        line = split_source(record.source)[1]
        if summary.format in {_PGN, *_TABLES}:
            starts.add(line)
        if isinstance(record, Problem):
            claimed = claimed_columns(record)
            key = _key(AuditResult(record.id, record.source, record.fen, **claimed))
            if key in wrong:
                found[line] = record, wrong.pop(key)
    for result in wrong.values():
        if PurePath(split_source(result.source)[0]).name == PurePath(summary.name).name:
            report(result, Corrected(b"", ("no longer in the file",)))
    corrector = _Corrector(summary, options)
    with streams.open_decompressed(path) as stream:
        for number, text in _split(stream, starts):
            if number not in found:
                yield text
                continue
            problem, result = found[number]
            corrected = corrector.correct(text, problem, result)
            report(result, corrected)
            yield corrected.text


def _split(
    stream: Iterable[bytes], starts: Collection[int]
) -> Iterator[tuple[int, bytes]]:
    """Yield the first line's number, and the text, of each line or each record."""
    lines = (line for part in stream for line in part.splitlines(keepends=True))
    start, record = 1, b""
    for number, line in enumerate(lines, 1):
        if record and (not starts or number in starts):
            yield start, record
            start, record = number, b""
        record += line
    yield start, record


def _key(result: AuditResult) -> tuple[object, ...]:
    return comparable(zip(SUBJECT, result.subject, strict=True))


class _Corrector:
    """Corrects the records of a file whose records are lines.

    Parameters
    ----------
    summary : FileSummary
        What was read from the file.
    options : ReadOptions
        How it was read.

    Raises
    ------
    InputError
        It has another format.
    """

    def __init__(self, summary: FileSummary, options: ReadOptions) -> None:
        if summary.format not in {*_TABLES, *_EPD, _JSON, _PGN}:
            expected = "a file of CSV, JSON lines, EPD or PGN"
            found = title_of(summary.format) if summary.format else "no records"
            msg = f"{summary.name}: expected {expected} to correct, found {found}"
            raise errors.InputError(msg)
        self._format, self._table = summary.format, summary.table
        everything = Selection(all_rows=True)  # whatever the corrected claim
        self._options = replace(options, selection=everything)
        self._reading = summary.learnt
        if self._reading:
            self._reading.select_all()

    def correct(self, text: bytes, problem: Problem, result: AuditResult) -> Corrected:
        """Return the text of a record with the claim that was proved.

        Parameters
        ----------
        text : bytes
            With its line ends, and perhaps a byte order mark.
        problem : Problem
            What was read from it.
        result : AuditResult
            Its result, which has disagreements.

        Returns
        -------
        Corrected
            Its text is the same if no claim was proved, or it cannot be expressed.
        """
        unchanged = Corrected(text, result.disagreements)
        is_proved = result.mate and result.lower_bound == abs(result.mate)
        if not is_proved or result.hint or result.asked.beside_claim.text:
            return unchanged
        mate = result.mate or 0
        is_length_right = problem.claim is not None and problem.claim.mate == mate
        if is_length_right and DUAL in result.disagreements:
            return unchanged  # whether another line has no dual is not known
        mark = codecs.BOM_UTF8 if text.startswith(codecs.BOM_UTF8) else b""
        plain = streams.decode(text.removeprefix(mark))
        if mark + plain.encode() != text:  # of another encoding
            return unchanged
        fields, skips = self._fields(plain, problem)
        moves = mate if problem.claim else mate - 1  # how many have no mate
        keys, pv = result.keys.split() if mate > 0 else None, result.pv.split()
        best = unchanged
        # What need not be replaced stays.
        for new_keys, new_line in (None, None), (keys, None), (None, pv), (keys, pv):
            change = _Change(problem.fen, moves, new_keys, new_line, skips)
            edited = _edited(plain, fields, change).encode()
            corrected = mark + edited
            left = self._disagreements(edited, problem, result)
            if corrected != text and not left:
                return Corrected(corrected, left)
            # Keys that the format has no room for are no reason to keep a wrong length.
            is_cooked = left == (Soundness.COOKED,)
            if is_cooked and best is unchanged and result.verdict != Verdict.PROVED:
                best = Corrected(corrected, left)
        return best

    def _fields(self, text: str, problem: Problem) -> tuple[list[_Field], int]:
        """Return the fields of a record that may claim something, and `skips`."""
        if self._format == _PGN:
            return [*_split_game(text)], 0
        if self._format in _EPD:
            _, operations = epd.find_operations(text)
            return [
                _Field(part, *found.span("operand"), found["operand"])
                for found in operations
                if (part := _OPERATIONS.get(epd.opcode_of(found)))
            ], 0
        if self._format == _JSON:
            names, cells = _split_object(text)
        else:
            names = self._table.names
            cells = [*_split_cells(text, self._table.delimiter)]
        plan = self._reading.plan(names)
        fields = [cells[at]._replace(part=part) for part, _, at in plan.fields]
        given = next((field.text for field in fields if field.part == "position"), "")
        skips = int(problem.fen.partition(" ")[0] not in given)
        return fields, skips

    def _read(self, text: bytes) -> Problem | errors.FormatError | None:
        """Read a record as the file is read."""
        if not self._reading:
            lines = [*enumerate(text.splitlines(keepends=True), 1)]
            records = read_as(self._format, iter(lines), FileSummary(), self._options)
            return next(records, None)
        plain = streams.decode(text)
        if self._format == _JSON:
            (entry, *_) = entries_of(json.loads(plain), 1)
        else:
            names, cells = self._table.names, _split_cells(plain, self._table.delimiter)
            entry = entry_of(1, names, (cell.text for cell in cells))
        problem: Problem | None = self._reading.read_entry(entry, "")
        return problem

    def _disagreements(
        self, text: bytes, before: Problem, result: AuditResult
    ) -> tuple[str, ...]:
        """Return what in a text still contradicts the answer."""
        try:
            problem = self._read(text)
        except errors.InputError:
            problem = None
        if not isinstance(problem, Problem) or problem.fen != result.fen:
            return result.disagreements
        answer = solution.Solution(
            problem,
            solution.Status.PROVED,
            result.mate,
            result.lower_bound or 1,
            tuple(result.pv.split()),
            tuple(result.keys.split()),
            keys_complete=bool(result.keys_complete),
        )
        found = audit_result(answer)
        claim = problem.claim
        moves = {*claim.keys, *claim.line[:1]} if claim and claim.mate > 0 else set()
        is_clean = len(problem.warnings) <= len(before.warnings)
        is_known = is_clean and moves <= {*answer.keys}  # maybe not all are known
        is_proved = found.verdict == Verdict.PROVED and is_known
        return found.disagreements if is_proved else result.disagreements


def _edited(text: str, fields: Sequence[_Field], change: _Change) -> str:
    """Return the text of a record with another claim."""
    for field in sorted(fields, key=lambda one: one.start, reverse=True):
        new = _rewritten(field, change)
        if new != field.text:
            text = text[: field.start] + field.encode(new) + text[field.end :]
    return text


def _rewritten(field: _Field, change: _Change) -> str:
    """Return the text of a field with another claim."""
    text = field.text
    if field.part in {"keys", "line"} and _HAS_MOVES.search(text):
        moves = change.keys if field.part == "keys" else change.line
        return text if moves is None else _write_moves(field, moves, change)
    if field.part == "themes":
        return _THEME.sub(str(min(change.moves, AND_MORE)), text)
    if field.part == "words":
        plain = text.replace("_", " ")
        for _, said, _ in find_words(plain, "white")[0]:
            start = plain.find(said)
            end = start + len(said)
            text = text[:start] + _renumbered(said, change.moves) + text[end:]
        return text
    is_number = field.part in {"claim", "nomate", "stipulation", "keys", "line"}
    return _renumbered(text, change.moves) if is_number else text


def _renumbered(text: str, moves: int) -> str:
    """Return a text with another number of moves, as a word if it was one."""

    def write(found: re.Match[str]) -> str:
        number = str(abs(moves))
        if found[0].isdecimal() or number not in _WORDS:
            return number
        word = _WORDS[number]
        return word.capitalize() if found[0][0].isupper() else word

    return _NUMBER.sub(write, text, count=1)


def _write_moves(field: _Field, moves: Sequence[str], change: _Change) -> str:
    """Write keys or a line in the notation of a field."""
    text = field.text
    words = text.split()
    kept = words[: change.skips] if field.part == "line" else []
    kept += [_renumbered(one, change.moves) for one in words if one.startswith("#")]
    if _UCI.search(text):
        written = [*moves]
    elif field.part == "keys":
        written = position_text.first_moves(change.fen, moves)
    elif _HAS_NUMBERS.search(text):
        written = genre_of(MATE).numbered_line(change.fen, moves)
    else:
        (written,) = position_text.write_lines(change.fen, [moves])
    before = text[: len(text) - len(text.lstrip())]
    after = text[len(text.rstrip()) :]
    return before + " ".join(kept + written) + after


def _split_cells(text: str, delimiter: str) -> Iterator[_Field]:
    """Yield the cells of a row of CSV."""
    row = text.rstrip("\r\n")
    cell = re.compile(rf'(?:"(?:[^"]|"")*"|[^{delimiter}]*)(?={delimiter}|\Z)')

    def encode(new: str) -> str:
        is_plain = not {delimiter, '"'} & {*new}
        return new if is_plain else '"' + new.replace('"', '""') + '"'

    start = 0
    for content in rows.split_row(text.encode(), delimiter):
        found = cell.match(row, start)
        end = found.end() if found else len(row)
        yield _Field("", start, end, content, encode)
        start = end + 1


def _split_game(text: str) -> Iterator[_Field]:
    """Yield the tags of a game, the comments above its moves, and the moves."""
    at = len(text) - len(text.lstrip())
    while found := _TAG.match(text, at):
        part = _TAGS.get(found["name"], "words")
        if found["name"] not in {"FEN", "SetUp", "Round"}:
            yield _Field(part, *found.span("text"), found["text"])
        at = found.end()
    while found := _COMMENT.match(text, at):
        yield _Field("words", *found.span("text"), found["text"])
        at = found.end()
    if found := _MOVES.match(text, at):
        yield _Field("line", *found.span("text"), found["text"])


def _split_object(text: str) -> tuple[tuple[str, ...], list[_Field]]:
    """Return the names of a JSON object's fields, and their values."""
    decoder = json.JSONDecoder()
    names: list[str] = []
    values: list[_Field] = []
    at = text.index("{") + 1
    while text[at := _skip(text, at)] != "}":
        name, at = decoder.raw_decode(text, at)
        start = _skip(text, at)
        value, at = decoder.raw_decode(text, start)
        names.append(name)
        encode = _encoder(value, text[start:at])
        values.append(_Field("", start, at, cell_text(value), encode))
    return tuple(names), values


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found
    return found.end()


def _encoder(value: object, raw: str) -> Callable[[str], str]:
    """Return what writes a text as the same kind of JSON value."""

    def encode(new: str) -> str:
        if isinstance(value, int):
            return new
        separators = (", " if ", " in raw else ",", ": ")
        listed = new.split() if isinstance(value, list) else new
        return json.dumps(listed, ensure_ascii=raw.isascii(), separators=separators)

    return encode
