"""What a record claims, and what was understood of a file.

Distances and claims, in numbers and in words (`mate in three`, `Loyd, #3`), are parsed
alike in every format. `Draft` makes a problem of the fields of a record; `Selection`
says which to read.

Every reader fills in the `FileSummary` of its file while it reads. Commands print it,
so that a claim which was not read is never taken for one that holds.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from solver.errors import InputError, quote, refusal
from solver.position_text import write_lines
from solver.problem import (
    MATE,
    MAX_MOVES,
    MAX_SOLUTIONS,
    Claim,
    Problem,
    Stipulation,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from solver.position_text import GivenPosition


# Problems from fields

Read = TypeVar("Read")
"""What a field is parsed to."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records of a collection to read; a field of None does not restrict them.

    Attributes
    ----------
    theme : str or None
        A theme that a lichess row must have.
    min_claim, max_claim : int or None
        The least and the greatest number of moves claimed, whoever mates; if a record
        claims that there is no mate, in that number of moves. Either one excludes
        records without a claim.
    min_rating : int or None
        The least rating of a lichess row.
    all_rows : bool
        Also read lichess rows that claim no mate, as problems without a claim.
    """

    theme: str | None = None
    min_claim: int | None = None
    max_claim: int | None = None
    min_rating: int | None = None
    all_rows: bool = False

    @property
    def limits_length(self) -> bool:
        """Whether records without a claim are excluded."""
        return self.min_claim is not None or self.max_claim is not None

    def has_length(self, moves: int) -> bool:
        """Return whether a claim of this many moves is selected."""
        return (self.min_claim is None or moves >= self.min_claim) and (
            self.max_claim is None or moves <= self.max_claim
        )

    def includes(self, problem: Problem) -> bool:
        """Return whether a problem's claim has a selected length."""
        if not self.limits_length:
            return True
        moves = abs(problem.claim.mate) if problem.claim else problem.no_mate
        return moves is not None and self.has_length(moves)


EVERYTHING = Selection()
"""All records, except lichess rows that claim no mate."""

AUTO = "auto"
"""Detect the format from the content."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a collection.

    Attributes
    ----------
    source_format : str
        One of `registry.FORMATS`, or `AUTO`.
    selection : Selection
        Which records to yield. Unreadable ones are always yielded.
    columns : mapping of str to str
        Names of columns by the part of a problem that they have, such as `fen` or
        `claim`; other columns are found by their usual names.
    strict : bool
        Refuse a record with a warning, instead of keeping what could be read of it.
    claims : bool
        Read claims; otherwise only positions and stipulations.
    by_line : bool
        Decide the format from the first line, so that a program gets the answer to it
        before it sends the next; what is in no other format is EPD.
    """

    source_format: str = AUTO
    selection: Selection = EVERYTHING
    columns: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False
    claims: bool = True
    by_line: bool = False

    def to_json(self) -> str:
        """Return a text for `from_json`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> ReadOptions:
        """Return the options of a text that `to_json` has written."""
        fields = json.loads(text)
        return cls(**{**fields, "selection": Selection(**fields["selection"])})


DEFAULTS = ReadOptions()
"""Detect the format, and read everything that claims a mate."""

OTHER_TEXT = "other text"
"""The name of an unnamed text after a position."""


def renamed(
    options: ReadOptions, targets: Mapping[str, str], found: Container[str], what: str
) -> dict[str, str]:
    """Return which names stand for the usual ones, as `--columns` says.

    Parameters
    ----------
    options : ReadOptions
    targets : mapping of str to str
        The usual name, such as an opcode, for each part of a problem.
    found : container of str
        The names that occur in the first records.
    what : str
        What the names are, for messages.

    Raises
    ------
    InputError
        A part is unknown here, or a name does not occur.
    """
    names, option = {}, "--columns"
    for part, name in options.columns.items():
        if part not in targets:
            raise refusal(option, f"one of {', '.join(targets)}", part)
        if name not in found:
            raise refusal(option, f"{what} of the file", name)
        names[name] = targets[part]
    return names


_OF_MOVES = {"keys", "line"}
KEPT = "; kept "
"""In a warning, between what was wrong and what was kept of the record."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_NO_MATE = range(1, MAX_MOVES + 1), f"1 to {MAX_MOVES} moves"
_SOLUTIONS = range(MAX_SOLUTIONS + 1), f"0 to {MAX_SOLUTIONS:,} solutions"
_MATE = (
    frozenset(range(-MAX_MOVES, MAX_MOVES + 1)) - {0},
    f"1 to {MAX_MOVES} moves, negative when the side to move is mated",
)
"""The range of each number that may be claimed, and its words in an error."""


def parse_distance(name: str, text: str) -> int:
    """Parse a distance to mate in moves, negative if the side to move is mated.

    Parameters
    ----------
    name : str
        The field's name in the error.
    text : str
        Decimal digits, with or without a sign.

    Raises
    ------
    InputError
        If it is not a number from 1 to `MAX_MOVES` or from -`MAX_MOVES` to -1.
    """
    return _parse_number(name, text, *_MATE)


def _parse_number(name: str, text: str, allowed: Container[int], expected: str) -> int:
    if not _NUMBER.fullmatch(text) or int(text) not in allowed:
        msg = f"{name}: expected {expected}, found {quote(text)}"
        raise InputError(msg)
    return int(text)


def _parse_keys(field: str, position: GivenPosition, moves: str) -> tuple[str, ...]:
    """Read alternative first moves, or the key of a solution with words after it."""
    with suppress(InputError):
        if keys := position.keys(field, moves):
            return keys
    from solver.formats.solutions import read_solution

    solution = read_solution(position.fen, moves)
    keys = solution.keys or solution.moves[: not solution.rest]
    return keys or position.keys(field, moves)


@dataclass
class Draft:
    """A problem that is being read, field by field.

    A field that cannot be read is dropped with a warning, so that it does not cost the
    position and the other claims. But a record whose claim cannot be read is refused
    if it has no other, so that its position is not taken for one that claims nothing.

    Attributes
    ----------
    position : GivenPosition
        The position of the record.
    summary : FileSummary
        Notes which field each part is read from.
    stipulation : Stipulation
        What is demanded.
    mates : list of int
        The mates that are claimed, the clearest claim first.
    no_mate : int or None
    keys, line : tuple of str
    solutions : int or None
    any_last_move : bool
        See `Claim` and `Problem`.
    by_line : bool
        Only the line claims a mate, by its length.
    variations : tuple of tuple of str
        See `Claim`.
    partly_read : bool
        What follows the line or the key in its text was not read.
    unread : str
        A text that looks like a claim and was not read.
    warnings : list of str
        What was dropped: what was expected, and what was found.
    """

    position: GivenPosition
    summary: FileSummary
    stipulation: Stipulation = MATE
    mates: list[int] = field(default_factory=list)
    no_mate: int | None = None
    keys: tuple[str, ...] = ()
    line: tuple[str, ...] = ()
    solutions: int | None = None
    any_last_move: bool = False
    by_line: bool = False
    variations: tuple[tuple[str, ...], ...] = ()
    partly_read: bool = False
    unread: str = ""
    _lost: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.warnings = [*self.position.warnings]

    def read(
        self, part: str, field: str, parse: Callable[..., Read], *given: object
    ) -> Read | None:
        """Parse a field.

        Parameters
        ----------
        part : str
            What it is part of, for the summary: `claim`, `keys`, `line`, ...
        field : str
            Its name in the file.
        parse : callable
            Called with the field's name and what is given; raises InputError.

        Returns
        -------
        object or None
            What `parse` returns; None, with a warning, if it cannot be read.
        """
        self.summary.read(part, field)
        try:
            return parse(field, *given)
        except InputError as error:
            self.lose(str(error), part)
            return None

    def lose(self, fault: str, part: str = "claim") -> None:
        """Note a fault that costs a claim, or another part."""
        self.warnings.append(fault)
        self._lost[part] = fault

    def read_mate(self, field: str, text: str) -> None:
        """Read a claimed mate, see `parse_distance`."""
        if mate := self.read("claim", field, _parse_number, text, *_MATE):
            self.mates.append(mate)

    def read_no_mate(self, field: str, text: str) -> None:
        """Read a claim that there is no mate in 1 to `MAX_MOVES` moves."""
        no_mate = self.read("claim", field, _parse_number, text, *_NO_MATE)
        self.no_mate = no_mate or self.no_mate

    def read_solutions(self, field: str, text: str) -> None:
        """Read a number of solutions, from 0 to `MAX_SOLUTIONS`."""
        self.solutions = self.read("solutions", field, _parse_number, text, *_SOLUTIONS)

    def read_keys(self, field: str, moves: str) -> None:
        """Read keys, see `GivenPosition.keys`; they are added to those read before."""
        keys = self.read("keys", field, _parse_keys, self.position, moves)
        self.keys = tuple(dict.fromkeys(self.keys + (keys or ())))

    def read_line(self, field: str, moves: str) -> None:
        """Read a line of moves, see `GivenPosition.line` and `read_solution`."""
        from solver.formats.solutions import read_solution

        solution = read_solution(self.position.fen, moves)
        if solution.moves and not solution.rest:
            self.summary.read("line", field)
            self.line, self.variations = solution.moves, solution.variations
        else:
            self.line = self.read("line", field, self.position.line, moves) or self.line

    def claim_by_line(self, field: str) -> None:
        """Claim the length of a line that ends in mate if nothing else is claimed."""
        if self.mates or self.no_mate or self.stipulation.text or not self.line:
            return
        if write_lines(self.position.fen, [self.line])[0][-1].endswith("#"):
            moves, is_even = divmod(len(self.line) + 1, 2)
            self.read_mate(field, str(-moves if is_even else moves))
            self.by_line = True

    def problem(self, name: str, source: str, fen: str = "") -> Problem:
        """Return the problem; of claims that contradict each other, the clearest.

        Parameters
        ----------
        name : str
            The record's own name; if it is empty, `file:line` is used.
        source : str
            `file:line`.
        fen : str
            Replaces the position's FEN if its counters are written elsewhere.

        Raises
        ------
        InputError
            It claims something, but nothing that can be read.
        """
        claim, no_mate = self._claim(), self.no_mate
        if not (claim or no_mate):
            has_moves = self.keys or self.line
            for part in ("claim",) if has_moves else ("claim", "keys", "line"):
                if part in self._lost:
                    raise InputError(self._lost[part])
        if self.unread and not (claim or no_mate):
            self.summary.note_unread(source, self.unread)
        if claim and no_mate:
            self._drop(f"nomate {no_mate}", claim.mate)
            no_mate = None
        warnings: tuple[str, ...] = ()
        if self.warnings:
            kept = self._describe(claim, no_mate)
            warnings = tuple(f"{warning}{KEPT}{kept}" for warning in self.warnings)
        return Problem(
            fen=fen or self.position.fen,
            id=name or default_name(source),
            claim=claim,
            source=source,
            no_mate=no_mate,
            stipulation=self.stipulation.beside_claim,
            names_side=self.position.names_side,
            warnings=warnings,
            line=() if claim or no_mate else self.line or self.keys[:1],
            before=self.position.before,
        )

    def _claim(self) -> Claim | None:
        """Return the clearest claim: the stipulation, or the first mate."""
        asked = self.stipulation
        mates = self.mates if asked is MATE else [asked.attacker_moves, *self.mates]
        mate, *others = mates or [0]
        for other in dict.fromkeys(others):
            if other != mate:
                self._drop(f"a mate in {other}", mate)
        if asked.is_help:
            line = self.line or self.keys[:1]
            return Claim(mate, (), line, self.any_last_move, self.solutions)
        if self.solutions is not None:
            found = f"found {asked.text or 'none'}"
            self.warnings.append(f"solutions: expected a help stipulation, {found}")
        if not mate:
            return None
        by_line = self.by_line and mates == [mate]
        return Claim(
            mate,
            self.keys,
            self.line,
            self.any_last_move,
            by_line=by_line,
            variations=self.variations,
            partly_read=self.partly_read or not _OF_MOVES.isdisjoint(self._lost),
        )

    def _drop(self, other: str, mate: int) -> None:
        first = self.stipulation.text or f"a mate in {mate}"
        self.warnings.append(f"claims: expected one, found {first} and {other}")

    def _describe(self, claim: Claim | None, no_mate: int | None) -> str:
        """Return what is kept of a record, in a few words."""
        if claim is None:
            return "the position" if no_mate is None else f"no mate in {no_mate}"
        parts = [self.stipulation.text or f"mate in {claim.mate}"]
        if claim.keys:
            name = "key" if len(claim.keys) == 1 else "keys"
            parts.append(f"{name} {' '.join(claim.keys)}")
        if claim.line:
            parts.append("the line")
        return ", ".join(parts)


def default_name(source: str) -> str:
    """Return a name for a record without one: `file:line` without directories."""
    path, _, line = source.rpartition(":")
    return f"{_file_name(path)}:{line}"


@lru_cache
def _file_name(path: str) -> str:
    return PurePath(path).name


# What was understood of a file

SAMPLE = 200
SAMPLE_BYTES = 1 << 16
"""How many records or bytes decide how a file is read."""


def take_sample(
    records: Iterator[Read], size_of: Callable[[Read], int], summary: FileSummary
) -> list[Read]:
    """Take the first records of a file, as many as its reading needs.

    Parameters
    ----------
    records : iterator
        The others stay.
    size_of : callable
        Returns the size of a record in bytes or characters; 0 if it is an error, which
        does not count.
    summary : FileSummary
        Says whether to wait for more than one record.
    """
    return take_some(records, size_of, SAMPLE if summary.waits else 1)


def take_some(
    records: Iterator[Read], size_of: Callable[[Read], int], most: int
) -> list[Read]:
    """Take the next records, up to a number and a size; see `take_sample`."""
    taken: list[Read] = []
    count = total = 0
    while count < most and total < SAMPLE_BYTES:
        try:
            taken.append(next(records))
        except StopIteration:
            break
        size = size_of(taken[-1])
        count, total = count + (size > 0), total + size
    return taken


def first_mover(even: int, odd: int) -> str:
    """Note who begins the lines of a file, unless the solver begins all of them.

    Parameters
    ----------
    even, odd : int
        How many lines end in mate one move after the position, and in it.
    """
    if not even:
        return ""
    lines = f"{even:,} of {even + odd:,} lines end in mate that way, {odd:,} the other"
    return f"moves begin one move before the position: {lines} way"


_SHOWN_VALUES, _SHOWN_FIELDS = 3, 12
"""At most this many values of a field that may claim, and names of ignored fields, are
printed."""


_ILLEGAL = "expected a legal"
"""In the fault of a line."""

_FEW_ILLEGAL, _MOSTLY = 2, 0.3
"""A file with more illegal lines than this, by number and share, may be of another
variant."""


class FileSummary:
    """What was read from a file; other threads may read the counts at any time.

    Parameters
    ----------
    name : str
        The file's name in `file:line`.

    Attributes
    ----------
    title : str
        What messages call its format, such as `CSV with ;`.
    format : str
        One of `registry.FORMATS`, or `zip` after the last member of one.
    head : bytes
        The first line that is neither blank nor a comment.
    looks : str
        What it looks like and what to do, for a file that cannot be read.
    problems, unreadable : int
        Records yielded so far: problems, and records that could not be read.
    not_selected : int
        Records outside the selection, and lichess puzzles that claim no mate.
    claims : int
        Problems that claim something.
    fields : dict of str to dict
        For each part of a problem, such as `claim`, the fields it was read from.
    ignored : dict of str to bool
        The fields that were not read, and whether each may hold a claim.
    in_words : set of str
        Those in which words may claim something.
    values : dict of str to dict
        Some values of each.
    warnings : Counter of str
        How many warnings there were about each field.
    unread_scores : int
        Comments that look like mate scores and were not read.
    unread_records : int
        Records without a claim that hold something like one.
    lines, illegal_lines : int
        Problems with a line or a key, and records with an illegal move.
    reading : str
        How the lines of a file are read, where it is not obvious, with its counts.
    is_listing : bool
        Whether its positions are no collection: they are listed, and not audited.
    waits : bool
        Whether the first records may be waited for, as they may not from a program that
        writes one and reads the answer.
    learnt : Reading or None
        What its fields mean.
    table : Layout or None
        Its columns.
    names : mapping of str to str
        The usual name for each tag or opcode that stands for it.
    parse : callable or None
        Reads a record of EPD or PGN again, by its text and its `file:line`.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.title = self.looks = self.format = ""
        self.head = b""
        self.problems = self.unreadable = self.not_selected = self.claims = 0
        self.fields: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.ignored: dict[str, bool] = {}
        self.in_words: set[str] = set()
        self.values: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.warnings: Counter[str] = Counter()
        self.unread_scores = 0
        self.reading = ""
        self.learnt: Any = None
        self.table: Any = None
        self.names: Mapping[str, str] = {}
        self.parse: Callable[[Any, str], Problem | None] | None = None
        self.waits, self.is_listing = True, False
        self.unread_records, self.first_unread = 0, ""
        self.lines = self.illegal_lines = 0
        self._first_score = ""
        self._progress: tuple[Callable[[], int], int] | None = None

    @property
    def records(self) -> int:
        """Records yielded so far, unreadable ones included."""
        return self.problems + self.unreadable

    @property
    def unread(self) -> list[str]:
        """The fields that are ignored in every record."""
        read = set().union(*self.fields.values())
        return [name for name in self.ignored if name not in read]

    @property
    def unread_claims(self) -> list[str]:
        """The fields that may hold claims, if there are problems and none claims."""
        if self.claims or not self.problems:
            return []
        return [name for name, may_claim in self.ignored.items() if may_claim]

    def read(self, part: str, field: str) -> None:
        """Note that a part of a problem, such as `claim`, is read from a field."""
        self.fields[part][field] = None

    def ignore(
        self, field: str, *texts: str, may_claim: bool = False, in_words: bool = False
    ) -> None:
        """Note that a field is not read, what it has, and if that may be a claim."""
        self.ignored[field] = may_claim or self.ignored.get(field, False)
        for text in texts:
            if len(self.values[field]) < _SHOWN_VALUES:
                self.values[field][text] = None
        if in_words:
            self.in_words.add(field)

    def skip_score(self, comment: str) -> None:
        """Count a comment that looks like a mate score, and keep the first one."""
        self.unread_scores += 1
        self._first_score = self._first_score or comment

    def note_unread(self, source: str, text: str) -> None:
        """Count a record without a claim that holds something like one."""
        self.unread_records += 1
        self.first_unread = self.first_unread or f"{source}: {quote(text)}"

    def count(self, problem: Problem) -> None:
        """Count a problem that is yielded."""
        self.problems += 1
        if problem.claim is not None or problem.no_mate is not None:
            self.claims += 1
        for warning in problem.warnings:
            self.warnings[warning.partition(":")[0]] += 1
        self.lines += bool(problem.line or (problem.claim and problem.claim.line))
        if problem.warnings:
            self.count_illegal(*problem.warnings)

    def count_illegal(self, *faults: str) -> None:
        """Count a record with an illegal move."""
        self.illegal_lines += any(_ILLEGAL in fault for fault in faults)

    def begin(self, read: Callable[[], int], size: int | None) -> None:
        """Start measuring the progress through the file.

        Parameters
        ----------
        read : callable
            Returns the number of its bytes that have been read.
        size : int or None
            The size of the file in bytes; None if it is unknown.
        """
        self._progress = None if size is None else (read, size)

    def fraction(self) -> float | None:
        """Return the fraction of the file that has been read, from 0 to 1.

        Returns
        -------
        float or None
            None before it is opened, and if its size is unknown.
        """
        if self._progress is None:
            return None
        read, size = self._progress
        return min(read() / size, 1.0) if size else 1.0

    def faults(self) -> list[str]:
        """Return why the file is no success although its records were read."""
        if self.is_listing:
            return [
                "expected a collection, found positions with few claims and solutions, "
                "so they are listed only; --format text reads them as a collection"
            ]
        total = self.lines + self.illegal_lines
        if self.illegal_lines > max(_FEW_ILLEGAL, _MOSTLY * total):
            return [
                "expected lines of legal moves, found illegal ones in "
                f"{self.illegal_lines:,} of {total:,} lines: another variant of chess?"
            ]
        if fields := self.unread_claims:
            return [self._no_claims(fields)]
        if not self.unread_records:
            return []
        count = self.unread_records
        what = "1 record holds" if count == 1 else f"{count:,} records hold"
        return [
            f"{what} what may be a claim and was not read, first {self.first_unread}; "
            "--no-claims reads positions only"
        ]

    def _no_claims(self, fields: Sequence[str]) -> str:
        """Return the error for a file of which no claim was read, only other fields.

        It shows some of their values. `--columns` does not read words as claims.
        """
        shown = []
        for name in fields:
            values = ", ".join(map(quote, self.values[name]))
            shown.append(f"{name} ({values})" if values else name)
        named = [one for one in fields if one not in {OTHER_TEXT, *self.in_words}]
        how = f"--columns claim={named[0]} reads it, " if named else ""
        return (
            f"expected claims, found none, but {', '.join(shown)} may hold them; {how}"
            "--no-claims reads positions only"
        )

    def record(self) -> dict[str, Any]:
        """Return the summary as an object of JSON."""
        return {
            "file": self.name,
            "format": self.title,
            "records": self.records,
            "unreadable": self.unreadable,
            "not_selected": self.not_selected,
            "without_claim": self.problems - self.claims,
            "fields": {part: list(names) for part, names in self.fields.items()},
            "ignored": self.unread,
            "warnings": dict(self.warnings),
            **({"reading": self.reading} if self.reading else {}),
            **({"unread_records": self.unread_records} if self.unread_records else {}),
            **({"unread_scores": self.unread_scores} if self.unread_scores else {}),
        }

    def skipped(self) -> list[str]:
        """Return in words how much of the file is in no record."""
        skipped = [f"{self.not_selected:,} not selected"] if self.not_selected else []
        if count := self.unread_scores:
            what = "1 comment looks" if count == 1 else f"{count:,} comments look"
            first = f"first {self._first_score}"
            skipped.append(f"{what} like a mate score, but cannot be read: {first}")
        return skipped

    def __str__(self) -> str:
        """Return the summary as a line of text."""
        counted = "record" if self.records == 1 else "records"
        title = f"{self.title}, " if self.title else ""
        fields = self.fields.items()
        sources = ", ".join(f"{part} from {', '.join(names)}" for part, names in fields)
        parts = [f"{title}{self.records:,} {counted}", sources, self.reading]
        if names := self.unread:
            if (more := len(names) - _SHOWN_FIELDS) > 0:
                names[_SHOWN_FIELDS:] = [f"{more} more"]
            parts.append(f"ignored {', '.join(names)}")
        without = self.problems - self.claims
        parts.append(f"{without:,} without a claim" if without else "")
        if self.unread_records:
            parts.append(f"{self.unread_records:,} with what may be a claim")
        parts.append(f"{self.unreadable:,} unreadable" if self.unreadable else "")
        parts += self.skipped()
        if self.warnings:
            counts = (f"{field} {count:,}" for field, count in self.warnings.items())
            parts.append(f"warnings about {', '.join(counts)}")
        return f"{printable(self.name)}: {'; '.join(filter(None, parts))}"
