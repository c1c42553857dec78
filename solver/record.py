"""The record of an answer and of an audit: one table of its fields.

A field of `Record` is at once a name in JSON, a column and an attribute. Its annotation
has the type, how JSON writes and reads it, and which records have it; its place is the
order everywhere, and its documentation is in Markdown. `Solution.to_dict`, the lines of
`verify --jsonl`, the columns of stores, CSV and Parquet follow from it, and by
`python -m tools.tables` the tables of the docs and the type of a page's records.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from enum import Enum
from typing import Annotated, Any, NamedTuple, TypeVar

from solver import __version__, errors, solution
from solver.position_text import first_moves, named_moves
from solver.problem import MAX_MOVES, MAX_SOLUTIONS, Restriction, Stipulation
from solver.stipulations import Soundness, Verdict, genre_of

MARKS = ("accept", "cook", "reject")
"""An editor's decision about a record."""

_MAX_BITS = 63
"""Larger integers are refused: longer ones, or their sums, could exceed what Python can
write."""

Read = TypeVar("Read")

# --- how fields are read from JSON


_KINDS = {int: "a whole number", str: "a text", bool: "true or false", list: "a list"}
_LISTED: dict[type, str] = {str: "texts", dict: "objects"}


def read_field(
    record: Mapping[str, object], name: str, kind: type[Read]
) -> Read | None:
    """Read a field of a JSON object.

    Parameters
    ----------
    record : mapping
    name : str
    kind : type
        int, str, bool or list.

    Returns
    -------
    int, str, bool, list or None
        None if the field is missing or null.

    Raises
    ------
    InputError
        The field has another type, or the number more than 63 bits.
    """
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        errors.refuse(f"{name}: expected {_KINDS[kind]}", errors.quote(repr(value)))
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        errors.refuse(f"{name}: expected at most {_MAX_BITS} bits", value.bit_length())
    if isinstance(value, str):
        _require_unicode(name, value)
    return value


def _require_unicode(name: str, text: str) -> None:
    """Refuse what cannot be printed or stored; JSON may have half a character."""
    if not text.isascii() and re.search("[\ud800-\udfff]", text):
        errors.refuse(f"{name}: expected a text", errors.quote(repr(text)))


def read_text_field(record: Mapping[str, object], name: str) -> str:
    """Read a field that is a text, empty if it is missing; see `read_field`."""
    return read_field(record, name, str) or ""


def _read_list(record: Mapping[str, object], name: str, kind: type[Read]) -> list[Read]:
    values = read_field(record, name, list) or []
    if not all(isinstance(value, kind) for value in values):
        found = errors.quote(repr(values))
        errors.refuse(f"{name}: expected a list of {_LISTED[kind]}", found)
    for value in values:
        if isinstance(value, str):
            _require_unicode(name, value)
    return values


def _read_number(record: Mapping[str, object], name: str) -> int | None:
    return read_field(record, name, int)


def _read_seconds(record: Mapping[str, object], name: str) -> float | None:
    value: Any = record.get(name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= sys.float_info.max:
        found = errors.quote(repr(value))
        errors.refuse(f"{name}: expected a finite number of seconds", found)
    return float(value)


def _read_flag(record: Mapping[str, object], name: str) -> int | None:
    value = read_field(record, name, bool)
    return None if value is None else int(value)


def _read_moves(record: Mapping[str, object], name: str) -> str:
    return " ".join(_read_list(record, name, str))


def _read_keys(record: Mapping[str, object], name: str) -> str:
    return " ".join(
        read_text_field(key, "uci") for key in _read_list(record, name, dict)
    )


def _read_plies(record: Mapping[str, object], name: str) -> str:
    plies = [_read_ply(ply) for ply in _read_list(record, name, dict)]
    return json.dumps(plies) if plies else ""


def _read_ply(record: Mapping[str, object]) -> dict[str, object]:
    ply: dict[str, object] = {
        "move": read_text_field(record, "move"),
        "mate": _read_number(record, "mate"),
        "keys": _read_list(record, "keys", str),
    }
    for name in ("only", "holds"):  # missing where nothing is known
        if name in record:
            ply[name] = read_field(record, name, bool)
    return ply


def _read_solutions(record: Mapping[str, object], name: str) -> str | None:
    values = read_field(record, name, list)
    for value in values or ():
        if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
            msg = f"{name}: expected a list of lists of texts, found "
            raise errors.InputError(msg + errors.quote(repr(values)))
    return None if values is None else write_solutions(values)


def write_solutions(solutions: Iterable[Sequence[str]]) -> str:
    """Return `Record.solutions` for the solutions of a help problem."""
    return json.dumps([" ".join(line) for line in solutions])


def _read_stipulation(record: Mapping[str, object], name: str) -> str:
    text = read_text_field(record, name)
    return str(Stipulation.parse(text)) if text else ""


def _read_line(record: Mapping[str, object], name: str) -> str:
    text = read_text_field(record, name)
    if len(text.splitlines()) > 1:
        errors.refuse(f"{name}: expected a text of one line", errors.quote(text))
    return text


def _read_texts(record: Mapping[str, object], name: str) -> tuple[str, ...]:
    return tuple(_read_list(record, name, str))


# --- what a field is


class FieldType(NamedTuple):
    """What fields contain, and how a column, JSON and a page have it.

    Attributes
    ----------
    column : type
        The type in a column: int, float or str. Any may be None.
    script : str
        The type in JSON, in the words of TypeScript.
    write : callable
        Returns what JSON has for the value of a column that is not None.
    read : callable
        Reads the field of a JSON object with a name, for a column.
    stored : str
        How a column has it, where that differs from JSON; for the docs.
    allowed : range, tuple of str, or None
        What it may be besides null; None: all that `read` returns.
    """

    column: type
    script: str
    write: Callable[[Any], object]
    read: Callable[[Mapping[str, object], str], Any]
    stored: str = "as in JSON"
    allowed: range | tuple[str, ...] | None = None

    def parse(self, record: Mapping[str, object], name: str) -> Any:
        """Read and check the field of a JSON object with a name, for a column.

        Raises
        ------
        InputError
            It has another type, or is none of those allowed.
        """
        value = self.read(record, name)
        if self.allowed is None or value in {None, ""} or value in self.allowed:
            return value
        expected = f"one of {', '.join(map(str, self.allowed[:9]))}"
        if isinstance(self.allowed, range):
            least, most = self.allowed[0], self.allowed[-1]
            is_count = most > MAX_SOLUTIONS
            expected = "a whole number from " + (
                f"{least} up" if is_count else f"{least} to {most}"
            )
        raise errors.refusal(name, expected, value)


def _unchanged(value: object) -> object:
    return value


def _split_lines(text: str) -> list[list[str]]:
    return [line.split() for line in json.loads(text)]


TEXT = FieldType(str, "string", _unchanged, read_text_field)
STATUS = TEXT._replace(allowed=(*solution.Status,))
VERDICT = TEXT._replace(allowed=(*Verdict,))
SOUND = TEXT._replace(allowed=(*Soundness,))
STOP = TEXT._replace(allowed=(*solution.StoppedBy,))
TABLES = TEXT._replace(allowed=(*solution.TableFormat,))
DECISION = TEXT._replace(allowed=MARKS)
NUMBER = FieldType(int, "number", _unchanged, _read_number)
LENGTH = NUMBER._replace(allowed=range(-MAX_MOVES, MAX_MOVES + 1))
BOUND = NUMBER._replace(allowed=range(MAX_MOVES + 2))
NO_MATE = NUMBER._replace(allowed=range(1, MAX_MOVES + 1))
COUNT = NUMBER._replace(allowed=range(1 << _MAX_BITS))
FEW = NUMBER._replace(allowed=range(MAX_SOLUTIONS + 1))
SECONDS = FieldType(float, "number", _unchanged, _read_seconds)
FLAG = FieldType(int, "boolean", bool, _read_flag, "1 for true, 0 for false")
_SPACED = "moves in UCI notation, separated by spaces; empty without any"
MOVES = FieldType(str, "string[]", str.split, _read_moves, _SPACED)
# `write_record` adds their SAN.
KEYS = FieldType(str, "{uci: string, san: string}[]", str.split, _read_keys, _SPACED)
PLIES = FieldType(
    str,
    "Ply[]",
    json.loads,
    _read_plies,
    "the JSON text of the list; empty without one",
)
SOLUTIONS = FieldType(
    str,
    "string[][]",
    _split_lines,
    _read_solutions,
    "a JSON list with a text for each solution: its moves, separated by spaces",
)
STIPULATION = TEXT._replace(read=_read_stipulation)
LINE = TEXT._replace(read=_read_line)
TEXTS = FieldType(str, "string[]", list, _read_texts)
_NUMBERS = "{[name: string]: boolean | number | null}"
RESTRICTION = FieldType(str, _NUMBERS, asdict, lambda _record, _name: None)
PLAY = FieldType(str, "object", _unchanged, lambda _record, _name: None)


class Of(Enum):
    """Which records have a field."""

    ALL = "all"
    READABLE = "readable"
    """All whose problem was read."""

    UNREADABLE = "unreadable"
    """All whose problem was not read."""

    SOME = "some"
    """Those with a value that is not empty."""


class Field(NamedTuple):
    """What the annotation of a field of `Record` says.

    Attributes
    ----------
    kind : FieldType
    of : Of
        Which records have it.
    is_audits : bool
        Only the records of audits have it.
    """

    kind: FieldType
    of: Of = Of.SOME
    is_audits: bool = False


# --- the table


class Record(NamedTuple):
    """What is known of one record: the fields in JSON, and the columns of a store.

    Moves are in UCI notation. Distances are in moves, negative when the side to move
    is mated. Enumerations are plain strings, which are smaller to send between
    processes and quicker to store.

    `certificate`, the proof of the answer, is written to its own file; `notices` are
    what it leaves out. `origin` says where the answer comes from; see `Origin`.

    Attributes
    ----------
    id
        the problem's name, else `file:line`; empty for a position from the command line
    source
        `file:line`
    fen
        six-field FEN; null if the record could not be parsed
    claim
        the claimed mate in moves, negative if the side to move is mated; null without a
        claim
    status
        `proved`, `found`, `disproved` or `undecided`
    verdict
        the [verdict](verdicts.md) on the claim; null without a claim
    soundness
        the [soundness](verdicts.md); null without a claim, or when not known
    mate
        moves to mate, negative if the side to move is mated, 0 if it is mated already;
        null if no mate was found
    lower_bound
        no mate takes fewer moves than this (proved). If `claim` is negative, this is
        about the side to move being mated; it may mate faster
    keys
        first moves that mate in `mate` moves, each with `uci` and `san`
    keys_complete
        whether `keys` lists all of them
    pv
        the mating line in UCI notation
    nodes
        positions that the search entered; a mate-in-one test counts as one
    time_s
        seconds of searching, without compilation
    stopped_by
        the limit that stopped the search: `time`, `nodes`, `solutions` (help play: the
        number asked for), `interrupt`, `crash` or `tablebase`; else null
    error
        why the record could not be parsed
    solver
        the version of matesolve
    nomate
        the record claims no mate in this number of moves
    claimed_keys
        the keys that the source names
    claimed_line
        the line that the source names
    wrong_keys
        claimed first moves that do not solve
    only_moves
        with `--every-ply`: whether each of the solver's moves in the claimed line is
        the only one that mates as fast
    plies
        with `--every-ply`, for each of these moves: `move`, `mate`, `keys`, and `only`,
        which is false if a move that the claim does not allow mates as fast or faster,
        and null if that is not known. With `--follow`, also where the side to move is
        mated, `holds`: whether the move is proved to mate within the moves that the
        claim leaves; missing where a limit left that open
    tablebase
        `gaviota` or `syzygy`, when the answer rests on [endgame
        tables](../howto/tablebases.md)
    stipulation
        what was asked for instead of the shortest mate, such as `s#3` or `h#2.5`
    claimed_solutions
        help play: the number of solutions that the source claims
    solutions
        help play: every solution that was found, a list of moves in the order of play
    solutions_complete
        help play: whether `solutions` lists all of them
    mark
        what an editor has [decided](verdicts.md#marks): `accept`, `cook` or `reject`
    note
        what the editor wrote beside the mark
    hint
        the [convention](verdicts.md#conventions) with which a claim that fails would
        hold, such as `solves as claimed with en passant on b6`
    text
        the beginning of a record that could not be parsed, as the file has it
    warnings
        what the record or the position's text says that could not be read, and what was
        kept of it: a list of texts. It is not stored
    restriction
        the restriction of the attacker: `checks_only`, `king_flights`, `replies`,
        `threat`. `lower_bound` and `keys` then apply to these moves only
    """

    id: Annotated[str, Field(TEXT, Of.ALL)]
    source: Annotated[str, Field(TEXT, Of.ALL, is_audits=True)]
    fen: Annotated[str | None, Field(TEXT, Of.ALL)] = None
    claim: Annotated[int | None, Field(LENGTH, Of.ALL)] = None
    status: Annotated[str | None, Field(STATUS, Of.ALL)] = None
    verdict: Annotated[str | None, Field(VERDICT, Of.ALL, is_audits=True)] = None
    soundness: Annotated[str | None, Field(SOUND, Of.READABLE, is_audits=True)] = None
    mate: Annotated[int | None, Field(LENGTH, Of.READABLE)] = None
    lower_bound: Annotated[int | None, Field(BOUND, Of.READABLE)] = None
    keys: Annotated[str, Field(KEYS, Of.READABLE)] = ""
    keys_complete: Annotated[int, Field(FLAG, Of.READABLE)] = 0
    pv: Annotated[str, Field(MOVES, Of.READABLE)] = ""
    nodes: Annotated[int, Field(COUNT, Of.READABLE)] = 0
    time_s: Annotated[float | None, Field(SECONDS, Of.READABLE)] = 0.0
    stopped_by: Annotated[str | None, Field(STOP, Of.READABLE)] = None
    error: Annotated[str | None, Field(TEXT, Of.UNREADABLE)] = None
    solver: Annotated[str, Field(TEXT, Of.ALL)] = __version__
    nomate: Annotated[int | None, Field(NO_MATE, is_audits=True)] = None
    claimed_keys: Annotated[str, Field(MOVES, is_audits=True)] = ""
    claimed_line: Annotated[str, Field(MOVES, is_audits=True)] = ""
    wrong_keys: Annotated[str, Field(MOVES, is_audits=True)] = ""
    only_moves: Annotated[int | None, Field(FLAG, is_audits=True)] = None
    plies: Annotated[str, Field(PLIES, is_audits=True)] = ""
    tablebase: Annotated[str | None, Field(TABLES)] = None
    stipulation: Annotated[str | None, Field(STIPULATION)] = None
    claimed_solutions: Annotated[int | None, Field(FEW, is_audits=True)] = None
    solutions: Annotated[str | None, Field(SOLUTIONS)] = None
    solutions_complete: Annotated[int | None, Field(FLAG)] = None
    mark: Annotated[str | None, Field(DECISION, is_audits=True)] = None
    note: Annotated[str | None, Field(LINE, is_audits=True)] = None
    hint: Annotated[str | None, Field(TEXT, is_audits=True)] = None
    text: Annotated[str | None, Field(TEXT, is_audits=True)] = None
    warnings: Annotated[tuple[str, ...], Field(TEXTS)] = ()
    restriction: Annotated[Restriction | None, Field(RESTRICTION)] = None
    certificate: bytes | None = None
    notices: tuple[str, ...] = ()
    origin: str = "searched"


FIELDS: dict[str, Field] = {
    name: hint.__metadata__[0]
    for name, hint in Record.__annotations__.items()
    if hasattr(hint, "__metadata__")
}

COLUMNS = Record._fields[: Record._fields.index("warnings")]
"""The fields that are stored and exported."""

COMPUTED = {
    "solutions_found": Field(NUMBER),
    "play": Field(PLAY),
    "accepted": Field(PLAY),
    "disagreements": Field(TEXTS, is_audits=True),
}
"""What JSON has after the fields of `Record`."""


def _written(
    *, readable: bool, audited: bool
) -> tuple[tuple[str, int, Any, bool], ...]:
    """Return name, place, writer and whether it may be missing, of each field."""
    left_out = Of.UNREADABLE if readable else Of.READABLE
    return tuple(
        (name, place, field.kind.write, field.of is Of.SOME)
        for place, (name, field) in enumerate(FIELDS.items())
        if field.of is not left_out and (audited or not field.is_audits)
    )


_WRITTEN = {
    (readable, audited): _written(readable=readable, audited=audited)
    for readable in (True, False)
    for audited in (True, False)
}


def write_record(result: Record, *, audited: bool) -> dict[str, object]:
    """Return what `json.dumps` writes of a record, in the order of `FIELDS`.

    Parameters
    ----------
    result : Record
        Unreadable if it has no position.
    audited : bool
        Whether to write the fields that only audits have.
    """
    written: dict[str, object] = {"schema": solution.SCHEMA}
    for name, place, write, may_miss in _WRITTEN[result.fen is not None, audited]:
        value = result[place]
        if may_miss and value in (None, "", ()):
            continue
        written[name] = value if value is None else write(value)
    if result.fen is not None:
        keys = result.keys.split()
        written["keys"] = named_moves(keys, first_moves(result.fen, keys))
    return written


def answer_columns(answer: solution.Solution) -> dict[str, Any]:
    """Return the columns that an answer fills, but for the solutions of help play."""
    return {
        "status": answer.status.value,
        "mate": answer.mate,
        "lower_bound": answer.lower_bound,
        "keys": " ".join(answer.keys),
        "keys_complete": int(answer.keys_complete),
        "pv": " ".join(answer.pv),
        "tablebase": plain(answer.tablebase),
    }


def record(answer: solution.Solution) -> dict[str, object]:
    """Return the record of an answer; see `Solution.to_dict`."""
    problem = answer.problem
    solutions = genre_of(problem.stipulation).solutions(answer)
    has_list = solutions is not None
    written = write_record(
        Record(
            id=problem.id,
            source=problem.source,
            fen=problem.fen,
            claim=problem.claim.mate if problem.claim else None,
            **answer_columns(answer),
            nodes=answer.stats.nodes,
            time_s=round(answer.stats.time_s, 6),
            stopped_by=plain(answer.stopped_by),
            stipulation=problem.stipulation.text or None,
            solutions="[]" if has_list else None,
            solutions_complete=int(answer.solutions_complete) if has_list else None,
            warnings=problem.warnings,
            restriction=answer.restriction,
        ),
        audited=False,
    )
    if solutions:  # maybe millions, which are not written as a text and read again
        written["solutions"] = [list(line) for line in solutions]
    return written


def plain(word: object) -> str | None:
    """Return a word as a plain string; None stays."""
    return None if word is None else str(word)
