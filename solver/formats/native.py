"""matesolve's own formats: JSON lines, as `verify --jsonl` prints them, and CSV.

Both have the fields `id`, `fen`, `claim`, `nomate`, `claimed_keys`, `claimed_line`,
`any_last_move`, `stipulation` and `claimed_solutions`; only `fen` is required, and
unknown fields are ignored. Moves are in UCI notation, distances in moves. In a FEN
without a side to move White begins, but Black in help play of whole moves. CSV has a
header that names its columns, in any order, and spaces between the moves of a cell.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from solver.board import GivenPosition
from solver.errors import FormatError, InputError, quote
from solver.formats.claims import (
    make_problem,
    parse_distance,
    parse_no_mate,
    parse_solutions,
)
from solver.formats.epd import read_each
from solver.formats.lichess import split_row
from solver.problem import Claim
from solver.stipulation import Stipulation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from solver.problem import Problem


_SURROGATE = re.compile("[\ud800-\udfff]")
"""JSON can write one without the other of its pair, which no text file can hold."""


class Fields(NamedTuple):
    """A record before it is checked; missing fields are empty.

    Attributes
    ----------
    id, fen : str
        As in `Problem`.
    claim, nomate : str
        Moves in decimal digits.
    claimed_keys, claimed_line : sequence of str
        Moves in UCI notation or SAN.
    any_last_move : bool
        As in `Claim`.
    stipulation : str
        Such as `h#2.5`.
    claimed_solutions : str
        The number of solutions of help play, in decimal digits.
    """

    id: str
    fen: str
    claim: str
    nomate: str
    claimed_keys: Sequence[str]
    claimed_line: Sequence[str]
    any_last_move: bool
    stipulation: str
    claimed_solutions: str

    def check(self, source: str) -> Problem:
        """Check the fields and make the problem.

        Parameters
        ----------
        source : str
            `file:line`, also the problem's name if it has no `id`.

        Raises
        ------
        InputError
            If position, distance or moves cannot be parsed, or both a mate and no mate
            are claimed.
        """
        stipulation = Stipulation.from_record(self.stipulation)
        position = GivenPosition(self.fen, stipulation.white_begins)
        keys = position.keys("claimed_keys", self.claimed_keys)
        line = position.line("claimed_line", self.claimed_line)
        mate = stipulation.attacker_moves
        if self.claim:
            mate = parse_distance("claim", self.claim)
        claim = Claim(mate, keys, line, self.any_last_move) if mate else None
        solutions = None
        if self.claimed_solutions:
            name = "claimed_solutions"
            solutions = parse_solutions(name, self.claimed_solutions)
        no_mate = parse_no_mate("nomate", self.nomate) if self.nomate else None
        name = _SURROGATE.sub("\ufffd", self.id)
        return make_problem(
            position.fen,
            name,
            source,
            claim,
            no_mate,
            stipulation,
            solutions=solutions,
            names_side=position.names_side,
        )


def read_jsonl(
    lines: Iterator[tuple[int, bytes]], name: str
) -> Iterator[Problem | FormatError]:
    """Read JSON lines; see `read_each`."""
    return read_each(lines, name, _parse_record)


def write_jsonl(problem: Problem) -> str:
    """Write a problem as one line, without empty fields."""
    record: dict[str, object] = {"id": problem.id, "fen": problem.fen}
    if stipulation := problem.stipulation.text:
        record["stipulation"] = stipulation
    if problem.claim:
        record["claim"] = problem.claim.mate
        if problem.claim.keys:
            record["claimed_keys"] = problem.claim.keys
        if problem.claim.line:
            record["claimed_line"] = problem.claim.line
        if problem.claim.any_last_move:
            record["any_last_move"] = True
        if problem.claim.solutions is not None:
            record["claimed_solutions"] = problem.claim.solutions
    if problem.no_mate is not None:
        record["nomate"] = problem.no_mate
    # Escaped, a name with control characters does no harm to a terminal.
    escaped = not problem.id.isprintable()
    return json.dumps(record, ensure_ascii=escaped, separators=(",", ":")) + "\n"


def _parse_record(text: str, source: str) -> Problem:
    try:
        fields = _parse_fields(text)
    except (
        RecursionError
    ):  # nested too deeply for json.dumps, though not for json.loads
        msg = f"expected a flat JSON object, found {quote(text)}"
        raise InputError(msg) from None
    return fields.check(source)


def parse_object(text: str) -> dict[str, Any]:
    """Parse a JSON object.

    Raises
    ------
    InputError
        The text is something else.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"expected a JSON object, found {quote(text)}: {error}"
        raise InputError(msg) from None
    if not isinstance(record, dict):
        msg = f"expected a JSON object, found {quote(text)}"
        raise InputError(msg)
    return record


def _parse_fields(text: str) -> Fields:
    record = parse_object(text)
    return Fields(
        id=_text(record, "id", default=""),
        fen=_text(record, "fen"),
        claim=_number(record, "claim"),
        nomate=_number(record, "nomate"),
        claimed_keys=_moves(record, "claimed_keys"),
        claimed_line=_moves(record, "claimed_line"),
        any_last_move=_flag(record, "any_last_move"),
        stipulation=_text(record, "stipulation", default=""),
        claimed_solutions=_number(record, "claimed_solutions"),
    )


def _text(record: Mapping[str, Any], field: str, default: str | None = None) -> str:
    value = record.get(field)
    if value is None:
        value = default
    if not isinstance(value, str):
        _refuse(record, field, "text")
    return value


def _number(record: Mapping[str, Any], field: str) -> str:
    """Return a number as JSON text; the caller checks that it is one."""
    value = record.get(field)
    return "" if value is None else json.dumps(value)


def _moves(record: Mapping[str, Any], field: str) -> list[str]:
    value = record.get(field)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(move, str) for move in value):
        _refuse(record, field, "a list of moves")
    return value


def _flag(record: Mapping[str, Any], field: str) -> bool:
    value = record.get(field, False)
    if not isinstance(value, bool):
        _refuse(record, field, "true or false")
    return value


def _refuse(record: Mapping[str, Any], field: str, expected: str) -> NoReturn:
    found = quote(json.dumps(record[field])) if field in record else "nothing"
    msg = f"{field}: expected {expected}, found {found}"
    raise InputError(msg)


COLUMNS = {
    "id": str,
    "fen": str,
    "claim": int,
    "nomate": int,
    "claimed_keys": str,
    "claimed_line": str,
    "any_last_move": bool,
    "stipulation": str,
    "claimed_solutions": int,
}
"""The columns of a table of problems, in the order of `Fields`, and their types."""

CSV_HEAD = ",".join(COLUMNS) + "\n"
"""The header of the rows that `write_csv` writes."""

_FLAGS = {"": False, "false": False, "true": True}


def read_csv(
    lines: Iterator[tuple[int, bytes]], name: str
) -> Iterator[Problem | FormatError]:
    """Read CSV, each row as soon as it has arrived.

    Parameters
    ----------
    lines : iterator of tuple
        Number and bytes of each line, UTF-8; the first names the columns.
    name : str
        The file's name in `file:line`.

    Yields
    ------
    Problem or FormatError
        One for each row that is not blank, in file order.
    """
    header: list[str] = []
    for number, line in lines:
        if not line.strip():
            continue
        source = f"{name}:{number}"
        try:
            cells = split_row(line)
            if header:
                yield read_row(header, cells, source)
            else:
                header = _require_fen([cell.strip() for cell in cells])
        except InputError as error:
            yield FormatError(source, str(error))
            if not header:
                return


def read_row(header: Sequence[str], cells: Sequence[str], source: str) -> Problem:
    """Make the problem of a row.

    Parameters
    ----------
    header : sequence of str
        The names of the columns.
    cells : sequence of str
        As many texts; an empty one is a missing field.
    source : str
        `file:line`.

    Raises
    ------
    InputError
        If there are more or fewer cells, or if they cannot be parsed.
    """
    return _name_fields(header, cells).check(source)


def problem_row(problem: Problem) -> tuple[object, ...]:
    """Return the cells of a problem, in the order of `COLUMNS`; None is empty."""
    claim = problem.claim
    return (
        problem.id,
        problem.fen,
        claim.mate if claim else None,
        problem.no_mate,
        " ".join(claim.keys) or None if claim else None,
        " ".join(claim.line) or None if claim else None,
        True if claim and claim.any_last_move else None,
        problem.stipulation.text or None,
        claim.solutions if claim else None,
    )


def write_csv(problem: Problem) -> str:
    """Write a problem as one row, in the columns of `CSV_HEAD`.

    A row is one line, so a line break in a name becomes a space.
    """
    row = ["true" if cell is True else cell for cell in problem_row(problem)]
    row[0] = one_line(problem.id)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(row)
    return text.getvalue()


def one_line(name: str) -> str:
    """Return a name with a space for each line break, as a row of CSV has it."""
    return re.sub(r"\r\n|[\r\n]", " ", name)


def _require_fen(header: list[str]) -> list[str]:
    if "fen" not in header:
        msg = f"expected a column fen, found {quote(','.join(header))}"
        raise InputError(msg)
    return header


def _name_fields(header: Sequence[str], cells: Sequence[str]) -> Fields:
    if len(cells) != len(header):
        msg = f"expected {len(header)} columns, found {len(cells):,}"
        raise InputError(msg)
    row = defaultdict(str, zip(header, map(str.strip, cells), strict=True))
    names = dict(zip(header, cells, strict=True))
    flag = row["any_last_move"]
    if flag not in _FLAGS:
        msg = f"any_last_move: expected true, false or nothing, found {quote(flag)}"
        raise InputError(msg)
    return Fields(
        id=names.get("id", ""),
        fen=row["fen"],
        claim=row["claim"],
        nomate=row["nomate"],
        claimed_keys=row["claimed_keys"].split(),
        claimed_line=row["claimed_line"].split(),
        any_last_move=_FLAGS[flag],
        stipulation=row["stipulation"],
        claimed_solutions=row["claimed_solutions"],
    )
