"""CSV and other tables of text, and how problems are written as rows.

`tables` splits a table into rows, `reading` understands their fields. A file of lichess
has millions of rows, so most are rejected by their text before a position is parsed.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.errors import FormatError, InputError, quote, refusal
from solver.formats import claims, tables
from solver.formats.evidence import AFTER_FIRST, COLUMNS, known_fields, plain_name
from solver.formats.reading import Reading
from solver.formats.streams import (
    MAX_LINE_BYTES,
    Batches,
    Lines,
    Records,
    decode,
    decode_line,
)
from solver.position_text import find_fens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import BinaryIO

    from solver.problem import Problem

CSV_HEAD = ",".join(COLUMNS) + "\n"
"""The header of the rows that `write_csv` writes."""

_TITLES = {",": "CSV", ";": "CSV with ;", "\t": "CSV with tabs", "|": "CSV with |"}
_DATABASE = """PuzzleId FEN Moves Rating RatingDeviation Popularity NbPlays Themes
    GameUrl OpeningTags"""
"""lichess's columns; a part of its database comes without their names."""

_match_database = re.compile(
    r"\w+\n(?:[1-8A-Za-z]+/){7}[1-8A-Za-z]+ [wb] .*\n[a-h][1-8][a-h][1-8]"
).match
_DATABASE_COLUMNS = 9


class Layout(NamedTuple):
    """A table's delimiter, the names of its columns, and whether it has a header."""

    delimiter: str
    names: tuple[str, ...]
    has_header: bool


def find_table(lines: list[str], options: claims.ReadOptions) -> Layout | None:
    """Find out which columns a table has.

    Parameters
    ----------
    lines : list of str
        Its first lines.
    options : ReadOptions
        Names or numbers of columns.

    Raises
    ------
    InputError
        A part of `options.columns` is unknown.
    """
    known = known_fields(options)["position"]
    by_hand = {*options.columns.values()} - {AFTER_FIRST}
    first = next((line for line in lines if line.strip()), "").rstrip("\r\n")
    for delimiter in _TITLES if by_hand else ():
        cells = _split(first, delimiter)
        numbers = tuple(str(number) for number, _ in enumerate(cells, 1))
        if by_hand <= {*numbers}:
            return Layout(delimiter, numbers, has_header=False)
    if found := tables.find_delimiter(lines):
        delimiter, names = found
        if names:
            return Layout(delimiter, names, has_header=True)
        fens = (
            cells
            for line in lines
            if any(map(tables.is_position, cells := _split(line, delimiter)))
        )
        cells = next(fens, [first])
        names = tuple(str(number) for number, _ in enumerate(cells, 1))
        is_database = len(cells) >= _DATABASE_COLUMNS
        if is_database and _match_database("\n".join(cells)):
            names = (*_DATABASE.split(), *names)[: len(cells)]
        return Layout(delimiter, names, has_header=False)
    for delimiter in _TITLES:  # perhaps only a header has arrived
        cells = _split(first, delimiter)
        if not {*known, *by_hand}.isdisjoint(map(plain_name, cells)):
            return Layout(delimiter, tables.name_columns(cells), has_header=True)
    return None


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in split_row(line.encode(), delimiter)]
    except InputError:
        return [line]


def read_csv(
    lines: Lines, summary: claims.FileSummary, options: claims.ReadOptions
) -> Records:
    """Read a table, each row as soon as it arrives.

    Parameters
    ----------
    lines : iterator of tuple
        Number and bytes of each line, UTF-8.
    summary : FileSummary
        Counts the rows that are not selected.
    options : ReadOptions
        Which rows to read, and how. Rows outside the selection are not validated.

    Yields
    ------
    Problem or FormatError
        One for each row that is not blank, in file order.
    """
    rest = Batches.of_lines(lines)
    head = claims.take_sample(rest, lambda line: len(line[1].strip()), summary)
    if not summary.waits:
        head += islice(rest, 1)  # below a header
    if not head:
        return
    reading = summary.learnt = Reading(summary, options)
    try:
        table = find_table([decode(line) for _, line in head], options)
        if table is None:
            found = decode(head[0][1]).strip()
            raise refusal(summary.title, "a column fen, epd or position", found)
        delimiter, names, has_header = summary.table = table
        _drop_lines_before(head, table)
        outside = _Outside(summary, delimiter, len(names))
        batches = map(outside.leave_out, chain([head], rest.rest()))
        given = names if has_header else None
        rows = Batches(tables.read_delimited(batches, delimiter, given))
        taken = claims.take_sample(rows, _size_of, summary)
        reading.learn(
            [
                tables.entry_of(number, names, cells)
                for number, cells in taken
                if isinstance(cells, list)
            ]
        )
        plan = reading.plan(names)
        summary.title = "lichess's CSV" if plan.is_lichess else _TITLES[delimiter]
    except InputError as error:
        yield FormatError(f"{summary.name}:{head[0][0]}", str(error))
        return
    selection = options.selection
    are_all_read = selection.all_rows or selection.min_rating is not None
    outside.are_known = plan.pick is not None and not are_all_read
    planned = ((plan, batch) for batch in chain([taken], rows.rest()))
    yield from reading.read_rows(planned, is_table=True)


class _Outside:
    """Rejects rows of lichess that certainly claim no mate, by their bytes.

    Parameters
    ----------
    summary : FileSummary
        Counts them.
    delimiter : str
    width : int
        How many columns there are.

    Attributes
    ----------
    are_known : bool
        Whether rows are known to be of lichess; before, none is left out.
    """

    def __init__(self, summary: claims.FileSummary, delimiter: str, width: int) -> None:
        self.are_known = False
        self._summary, self._mark = summary, delimiter.encode()
        self._marks, self._from = width - 1, 0

    def leave_out(self, batch: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        """Return the other rows of a batch of lines."""
        content = b"".join([line for _, line in batch])
        if b'"' in content:  # a row may go on in the next lines
            self._from = batch[-1][0] + tables.MAX_ROW_LINES
        mark, marks = self._mark, self._marks
        is_clear = (
            self.are_known
            and len(content) <= MAX_LINE_BYTES
            and content.isascii()
            and 2 * mark not in content  # no cell is empty, as in a heading
        )
        if not is_clear or not batch or batch[0][0] <= self._from:
            return batch
        kept = [
            (number, line)
            for number, line in batch
            if b"mate" in line or line.count(mark) != marks or not line[:1].isalnum()
        ]
        self._summary.not_selected += len(batch) - len(kept)
        return kept


def _size_of(row: tables.Row) -> int:
    _, cells = row
    return 0 if isinstance(cells, InputError) else max(sum(map(len, cells)), 1)


def _drop_lines_before(head: list[tuple[int, bytes]], table: Layout) -> None:
    """Drop the lines before the rows that `tables` would take for rows."""
    if table.has_header and len(table.names) == 1:  # which only its name shows
        del head[:1]
    if not table.has_header:
        before = next((at for at, (_, line) in enumerate(head) if _has_fen(line)), 0)
        if not any(b'"' in line for _, line in head[:before]):  # of a long row
            del head[:before]


def _has_fen(line: bytes) -> bool:
    return any(find_fens(decode(line), nearly=True))


def split_row(line: bytes, delimiter: str = ",") -> list[str]:
    """Split a row of CSV into its cells, quickly if nothing is quoted.

    Parameters
    ----------
    line : bytes
        UTF-8; a row is one line.
    delimiter : str
        What is between cells.

    Returns
    -------
    list of str
        The cells with their white space; one cell for a blank line.

    Raises
    ------
    InputError
        If the row is too long, not UTF-8, or wrongly quoted.
    """
    text = decode_line(line).rstrip("\r\n")
    if '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error as error:
        msg = f"expected a row of CSV, found {quote(text)}: {error}"
        raise InputError(msg) from None


def fields_of(problem: Problem) -> dict[str, Any]:
    """Return the fields of a problem in the order of JSON lines; None if missing."""
    claim = problem.claim
    text = problem.stipulation.text or None
    fields = {"id": problem.id, "fen": problem.fen, "stipulation": text}
    of_claim = claim and {
        "claim": claim.mate,
        "claimed_keys": claim.keys or None,
        "claimed_line": claim.line or None,
        "any_last_move": claim.any_last_move or None,
        "claimed_solutions": claim.solutions,
    }
    of_study = {"claimed_line": problem.line or None}
    return {**fields, **(of_claim or of_study), "nomate": problem.no_mate}


def problem_row(problem: Problem) -> tuple[object, ...]:
    """Return the cells of a problem, in the order of `COLUMNS`; None is empty."""
    cells = map(fields_of(problem).get, COLUMNS)
    return tuple(" ".join(cell) if isinstance(cell, tuple) else cell for cell in cells)


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
    """Return a name with a space for each line break, so that it fits a row of CSV."""
    return re.sub(r"\r\n|[\r\n]", " ", name)


# Cells that a spreadsheet takes for formulas

_FORMULAS = r"=+\-@\t\r\0"
_is_number = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?").fullmatch
_may_hold_formula = re.compile(rf'(?:\A|[,"\n])[{_FORMULAS}]').search
_find_parts = re.compile(r'"(?:[^"]|"")*"|[^,"\n]+|[,\n]').findall

_NAMED_CELLS = 3


def is_formula(cell: str) -> bool:
    """Return whether a spreadsheet takes a cell for a formula and not for a number.

    By its first character: those of OWASP's ASVS 1.2.10, or a carriage return.
    """
    return re.match(f"[{_FORMULAS}]", cell) is not None and not _is_number(cell)


def _unquote(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part


class FormulaGuard:
    """Looks in CSV that is written for cells that a spreadsheet takes for formulas.

    It has the methods `write` and `writelines` of a file.

    Parameters
    ----------
    escapes : bool
        Whether to write a `'` before each such cell, as OWASP advises: spreadsheets
        then show text. Otherwise the cells stay as they are.
    """

    def __init__(self, file: BinaryIO | None = None, *, escapes: bool) -> None:
        self._escapes, self._file = escapes, file
        self._names: list[str] = []
        self._line, self._count, self._first = 1, 0, list[str]()

    def check(self, text: str) -> str:
        """Return whole rows of CSV as they are to be written; the first has the names.

        The rows are separated by commas and line feeds, and quoted where they must be.
        """
        if self._names and not _may_hold_formula(text):
            self._line += text.count("\n")
            return text
        column, parts = 0, _find_parts(text)
        names = parts[: parts.index("\n")] if "\n" in parts else parts
        self._names = self._names or [name for name in names if name != ","]
        for index, part in enumerate(parts):
            if part in {",", "\n"}:
                column = column + 1 if part == "," else 0
            elif is_formula(cell := _unquote(part)):
                self._count += 1
                where = f"line {self._line}, {self._names[column]}: {quote(cell)}"
                self._first += [where] * (len(self._first) < _NAMED_CELLS)
                if self._escapes:
                    at = part.startswith('"')
                    parts[index] = f"{part[:at]}'{part[at:]}"
            self._line += part.count("\n")
        return "".join(parts)

    def write(self, content: bytes) -> int:
        """Write whole rows of CSV in UTF-8 to the file."""
        assert self._file
        return self._file.write(self.check(content.decode()).encode())

    def writelines(self, lines: Iterable[bytes]) -> None:
        """Write rows one after the other."""
        for line in lines:
            self.write(line)

    def report(self, notify: Callable[[str], None]) -> None:
        """Print a line that names the first of the cells that were kept, if any."""
        if self._escapes or not self._count:
            return
        what = "1 cell is" if self._count == 1 else f"{self._count:,} cells are"
        first = "; ".join(self._first) + "; ..." * (self._count > _NAMED_CELLS)
        notify(
            f"warning: {what} a formula to a spreadsheet ({first}); --escape-formulas "
            "writes ' before each"
        )
