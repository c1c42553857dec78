"""Rows with named fields, alike in CSV, JSON and Parquet; and the reader of CSV.

Called by `json_records`, `parquet`, `registry`, `audit`, `cli` and `output`; imports
`claims`, `streams`, `errors`, `movetext`, `position_text` and `problem`.

`FIELDS` has the names of the fields. The clearest claim is kept: that of an exact
field, then one in words or themes, then the length of a line that ends in mate.

A record with the field `schema` or `verdict` is matesolve's answer: its fields
`claim`, `claimed_keys` and so on are what was claimed, and `mate`, `keys` and `pv` are
what was found, which claims nothing.

In lichess's rows the first move of `Moves` leads to the problem's position, and at the
last move any mate counts. A file has millions of them, so most are rejected by their
text before a position is parsed.

The first line of CSV names the columns: one of its cells is a name of a position.
Without such a line, it may be a row of lichess's, or the columns are numbered.
"""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import chess

from solver.errors import FormatError, InputError, quote, refusal
from solver.formats import claims
from solver.formats.streams import Lines, Records, decode_line, read_each
from solver.movetext import UNREADABLE, PartKind, TextPart, read_moves, refused_move
from solver.position_text import GivenPosition, read_compiled, write_lines
from solver.problem import (
    EXPECTED,
    MATE,
    MAX_MOVES,
    Claim,
    Problem,
    Stipulation,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import BinaryIO


FIELDS = {
    "position": "fen epd position startfen fenstart initialfen puzzlefen fenposition",
    "stipulation": "stipulation",
    "claim": "claim mate matein dm movestomate mateinmoves mateinn matelength",
    "nomate": "nomate",
    "solutions": "claimedsolutions",
    "keys": "claimedkeys keys key keymove bm bestmove bestmoves bestmoveuci "
    "bestmovesan firstmove",
    "line": "claimedline line lines solution solutions solutionuci solutionsan "
    "solutionmoves solutionline mainline answer answers correctmoves winningmoves "
    "bestline pv moves movelist",
    "words": "type problemtype puzzletype kind genre goal task title description",
    "themes": "themes theme motifs",
    "name": "id puzzleid problemid name title label",
    "rating": "rating puzzlerating",
    "anylastmove": "anylastmove",
    "turn": "turn side sidetomove tomove color colour first",
    "own": "schema verdict",
}
"""The names of the fields that have each part of a problem, the first names first."""

_CLAIMING = {"stipulation", "claim", "keys", "line", "words", "themes"}
_NUMBERS = {"bm", "bestmove"}
"""Fields of moves that may also hold a number, which is a claim."""

_PROSE = {"title", "description"}
"""Words that claim nothing, unless they look like a claim."""

NO_CLAIMS = re.compile(
    "ratingdeviation|popularity|nbplays|plays|votes|(game)?(url|id)|date|year|authors?|"
    "source|opening.*|eco|tags|site|event|round|difficulty"
)
"""The names of fields that are not read but certainly hold no claim."""

_LICHESS = ("PuzzleId", "FEN"), ("FEN", "Moves", "Themes")
_COLUMNS_OPTION = "--columns"
_SELECTION_OPTIONS = "--theme and --min-rating"
AFTER_FIRST = "after-first"
_GIVEN_APART = {"claimedline", "pv"}
"""Lines whose first move is not a key unless another field says so."""

_COLUMNS = "id fen claim nomate claimed_keys claimed_line any_last_move stipulation"
_TYPES = str, str, int, int, str, str, bool, str, int
COLUMNS = dict(zip((*_COLUMNS.split(), "claimed_solutions"), _TYPES, strict=True))
"""The columns of a table of problems in order, and their types."""

_TITLES = {",": "CSV", ";": "CSV with ;", "\t": "CSV with tabs"}
_DATABASE = """PuzzleId FEN Moves Rating RatingDeviation Popularity NbPlays Themes
    GameUrl OpeningTags"""
"""lichess's columns."""

_DATABASE_ROW = re.compile(
    r"\w+\n(?:[1-8A-Za-z]+/){7}[1-8A-Za-z]+ [wb] .*\n[a-h][1-8][a-h][1-8]"
)

CSV_HEAD = ",".join(COLUMNS) + "\n"
"""The header of the rows that `write_csv` writes."""

_SURROGATE = re.compile("[\ud800-\udfff]")
"""A surrogate without the other one of its pair: JSON can express it, but a text file
cannot."""

_EXACT = re.compile(
    rf"[#m]?([+-]?[0-9]{{1,9}}|{'|'.join(claims.NUMERALS)})(?:\.0+)?(?:[ -]move[rs]?)?",
    re.IGNORECASE,
)
_SHOWN_CHARACTERS = 60
_match_side = re.compile(r"([wb])(?:(?<=w)hite|(?<=b)lack)?\b", re.IGNORECASE).match
_NOTHING = {"-", "?", "nan", "none", "null", "n/a"}

_MATE = "mate"
_MATES = {_MATE, *(f"mateIn{moves}" for moves in range(1, 6))}
_find_themes = re.compile(r"mateIn([0-9]+)").findall
AND_MORE = 5
"""lichess's theme of this length includes all greater lengths."""

_FIVE = f"mateIn{AND_MORE}"

Rows: TypeAlias = "list[tuple[str, str, str]]"
"""The part, name and text of each field of a row that is not empty."""

Pick: TypeAlias = "Callable[[Sequence[Any]], Sequence[Any]]"
"""Returns some of a row's cells."""


class Plan(NamedTuple):
    """How the rows with certain fields are read.

    Attributes
    ----------
    fields : list of tuple
        The part, name and place of each field that is read.
    is_lichess, after_first : bool
        Whether the first move leads to the position, and whether the row is lichess's.
    pick : callable or None
        Returns the name, position, moves, themes and, if it matters, the rating of one
        of lichess's rows.
    only_mates : bool
        Whether only those of these rows are selected that have the theme `mate`.
    """

    fields: list[tuple[str, str, int]]
    is_lichess: bool
    after_first: bool
    pick: Pick | None
    only_mates: bool


class RowReader:
    """Reads rows, whose fields may differ from row to row.

    Parameters
    ----------
    summary : FileSummary
        Notes which fields are read, and which are not.
    options : ReadOptions
        Which rows to read, and which fields have which part.

    Attributes
    ----------
    plan : callable
        Returns the `Plan` for the names of fields; raises InputError if a part of
        `options.columns` is unknown, or a column has never been seen, or one that the
        selection needs is missing.
    nested : list of str
        The columns named with dots, such as `metadata.themes`.
    """

    def __init__(
        self, summary: claims.FileSummary, options: claims.ReadOptions
    ) -> None:
        self.plan = lru_cache(256)(self._make_plan)
        self._summary, self._options = summary, options
        self._known = known_fields(options)
        self._seen: set[str] = set()
        self.nested = [name for name in options.columns.values() if "." in name]

    def _make_plan(self, names: tuple[str, ...]) -> Plan:
        selection, columns = self._options.selection, self._options.columns
        plain = [*map(plain_name, names)]
        shown = [printable(name)[:_SHOWN_CHARACTERS] for name in names]
        self._seen.update(plain)
        for column in {*columns.values()} - {AFTER_FIRST}:
            if plain_name(column) not in self._seen:
                raise refusal(_COLUMNS_OPTION, f"one of {', '.join(shown)}", column)
        fields = [
            (part, shown[plain.index(name)], plain.index(name))
            for part, known in self._known.items()
            for name in known
            if name in plain
        ]
        if is_own := any(part == "own" for part, _, _ in fields):
            fields = [row for row in fields if row[0] == "own" or row[1] in COLUMNS]
        places = {part: at for part, _, at in reversed(fields)}
        wanted = {"themes": selection.theme, "rating": selection.min_rating}
        needed = [part for part, value in wanted.items() if value is not None]
        for part in needed:
            if part not in places:
                found = ", ".join(shown)
                raise refusal(_SELECTION_OPTIONS, f"a field {part}", found)
        quick = dict.fromkeys(["name", "position", "line", "themes", *needed])
        chosen = {"lichess": True, "csv": False}
        is_lichess = chosen.get(self._options.source_format, are_lichess(names))
        has_all = is_lichess and quick.keys() <= places.keys()
        noted = {"position": "position", "name": "name"}
        noted |= {"line": "line", "themes": "claim"} if has_all else {}
        for at, name in enumerate(shown):
            parts = {part for part, _, place in fields if place == at}
            for part in parts & noted.keys():
                self._summary.read(noted[part], name)
            if not parts:
                may_claim = not (is_own or NO_CLAIMS.fullmatch(plain[at]))
                self._summary.ignore(name, may_claim=may_claim)
        pick = itemgetter(*(places[part] for part in quick)) if has_all else None
        after_first = is_lichess or columns.get("moves") == AFTER_FIRST
        only_mates = selection.min_rating is None and not selection.all_rows
        return Plan(fields, is_lichess, after_first, pick, only_mates)

    def check_claims(self, plan: Plan) -> None:
        """Refuse a table whose rows cannot claim anything, if a column looks like it.

        Raises
        ------
        InputError
            No column is read that may claim something, and others are not read.
        """
        parts = {part for part, _, _ in plan.fields} - {"keys"}
        unread = [name for name, may in self._summary.ignored.items() if may]
        if self._options.claims and unread and parts.isdisjoint(_CLAIMING):
            raise InputError(claims.no_claims(unread))

    def read(
        self, plan: Plan, cells: Sequence[str], source: str, name: str = ""
    ) -> Problem | None:
        """Make a problem from a row.

        Parameters
        ----------
        plan : Plan
            What `plan` returns for the names of its fields.
        cells : sequence
            As many texts; an empty one is a missing field.
        source : str
            `file:line`.
        name : str
            Its name if no field has one.

        Returns
        -------
        Problem or None
            None if the row is not selected.

        Raises
        ------
        InputError
            If it has no position, or if nothing that it claims can be read.
        """
        if plan.pick:
            row = plan.pick(cells)
            if plan.only_mates and _MATE not in row[3]:  # most rows
                return None
            if not self._is_selected(*row[2:]):
                return None
            if problem := _read_plain(row, source):
                return problem
        rows = [
            (part, field, text)
            for part, field, at in plan.fields
            if (text := cells[at] if part == "name" else cells[at].strip())
        ]
        texts = {part: text for part, _, text in reversed(rows)}
        themes, fen = texts.get("themes", ""), texts.get("position", "")
        if not (plan.pick or self._is_selected(None, themes, texts.get("rating", ""))):
            return None
        if " " not in fen and (side := _match_side(texts.get("turn", ""))):
            fen = f"{fen} {side[1].lower()}"
        stipulation = _find_stipulation(rows)
        position = GivenPosition(fen, stipulation.white_begins)
        if plan.after_first:
            warnings = position.warnings
            fen, rows = _play_first(position.fen, rows)
            position = GivenPosition(fen)
            position.warnings = warnings
        draft = claims.Draft(position, self._summary, stipulation)
        draft.any_last_move = plan.is_lichess
        if self._options.claims and (not plan.pick or _claims_mate(themes)):
            self._read_claims(draft, rows, is_complete=bool(plan.pick))
        name = _SURROGATE.sub("\ufffd", texts.get("name", name))
        problem = draft.problem(name, source)
        is_wanted = plan.pick or not plan.is_lichess or self._options.selection.all_rows
        return problem if is_wanted or problem.claim else None

    def _is_selected(self, moves: str | None, themes: str, rating: str = "") -> bool:
        """Return whether a row may be selected; lichess's rows have `moves`."""
        selection = self._options.selection
        if selection.theme is not None and selection.theme not in themes.split():
            return False
        lowest = selection.min_rating
        if lowest is not None and _parse_rating(rating) < lowest:
            return False
        if moves is None:
            return True
        if not _claims_mate(themes):
            return selection.all_rows and not selection.limits_length
        if not selection.limits_length:
            return True
        lengths = len(moves.split()) // 2, *map(int, _find_themes(themes))
        return any(map(selection.has_length, lengths))

    def _read_claims(
        self, draft: claims.Draft, rows: Rows, *, is_complete: bool
    ) -> None:
        """Read what a row claims, the clearest claim first."""
        others: dict[str, Callable[[str, str], None]] = {
            "nomate": draft.read_no_mate,
            "solutions": draft.read_solutions,
            "keys": draft.read_keys,
        }
        source = ""
        for part, field, text in rows:
            mates = _mates_in(part, field, text, draft.position.fen)
            if part in others and not mates:
                others[part](field, text)
            elif part == "line" and not (mates or draft.line):
                line = draft.read("line", field, _parse_line, draft.position, text)
                if line is not None:
                    draft.line, source = line, field
            elif part == "anylastmove":
                read = draft.read("any last move", field, _parse_flag, text)
                draft.any_last_move = read or False
            elif (
                part == "words"
                and not (mates or draft.stipulation.text)
                and (plain_name(field) not in _PROSE or claims.is_claiming(text))
            ):
                self._summary.ignore(field, may_claim=True)
            for mate in mates:
                moves = (len(draft.line) + 1) // 2
                is_more = mate == str(AND_MORE) and _FIVE in text and moves > AND_MORE
                draft.read_mate(field, str(moves) if is_more else mate)
        if source:
            self._compare(draft, source, is_complete=is_complete)

    def _compare(self, draft: claims.Draft, field: str, *, is_complete: bool) -> None:
        """Compare a line with what was read before it.

        Parameters
        ----------
        draft : Draft
        field : str
            What the line was read from.
        is_complete : bool
            Whether it certainly ends in mate, as lichess's do.
        """
        line, demanded = draft.line, draft.stipulation.attacker_moves
        first = demanded or next(iter(draft.mates), 0)
        moves, is_even = divmod(len(line) + 1, 2)
        moves = -moves if is_even else moves
        if is_complete and is_even:
            draft.read("claim", field, _refuse_plies, len(line) + 1)
        elif (
            moves != first
            and not (draft.stipulation.beside_claim.text or draft.no_mate)
            and (is_complete or _ends_in_mate(draft))
        ):
            draft.read_mate(field, str(moves))
            first = first or moves
        if plain_name(field) not in _GIVEN_APART:
            draft.keys = draft.keys or (line[:1] if first > 0 else ())
            if len(line) == 1 and 1 not in {first, *draft.mates}:
                draft.line = ()


@lru_cache(4096)
def plain_name(name: str) -> str:
    """Return the name of a field in lower case, without spaces, `_` and `-`."""
    return re.sub(r"[\s_-]", "", name).lower()


def are_lichess(names: Collection[str]) -> bool:
    """Return whether only lichess's rows have fields with these names."""
    is_written_so = any(set(known).issubset(names) for known in _LICHESS)
    return is_written_so or {"puzzleid", "fen", "moves"} <= {*map(plain_name, names)}


def known_fields(options: claims.ReadOptions) -> dict[str, list[str]]:
    """Return the plain names of the fields that have each part of a problem.

    Raises
    ------
    InputError
        A part that `options.columns` names is unknown.
    """
    known = {part: names.split() for part, names in FIELDS.items()}
    parts = {name: part for part in reversed(known) for name in known[part]}
    for given, column in options.columns.items():
        part = parts.get(plain_name(given), given)
        if part not in known:
            raise refusal(_COLUMNS_OPTION, f"one of {', '.join(known)}", given)
        if column != AFTER_FIRST:
            known[part] = [plain_name(column)]
    return known


def cell_text(value: Any) -> str:
    """Return a value of JSON as the text of a cell: lists with spaces between texts.

    A move that is an object is its field `uci`, `san` or `move`.
    """
    if isinstance(value, str) or value is None:
        return value or ""
    if isinstance(value, list):
        return " ".join(map(cell_text, value))
    if isinstance(value, dict):
        moves = (value[name] for name in ("uci", "san", "move") if name in value)
        return cell_text(next(moves, f"an object with {', '.join(value)}"))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _find_stipulation(rows: Rows) -> Stipulation:
    """Return what a row demands; `MATE` if that is a mate, whose length is a claim.

    Raises
    ------
    InputError
        It demands something that is not solved.
    """
    for part, field, text in rows:
        if part not in {"stipulation", "words"}:
            continue
        with suppress(InputError):
            stipulation = Stipulation.parse(text)
            if stipulation.beside_claim.text or part == "stipulation":
                return stipulation
        said, others = claims.find_words(text, chess.COLOR_NAMES[chess.WHITE])
        if others or not (said or part == "words"):
            raise refusal(field, EXPECTED, text)
    return MATE


def _mates_in(part: str, field: str, text: str, fen: str) -> list[str]:
    """Return the lengths of the mates that a field claims, in digits."""
    if part not in _CLAIMING:
        return []
    is_exact = part == "claim" or text[:1] == "#" or plain_name(field) in _NUMBERS
    if is_exact and (found := _EXACT.fullmatch(text)):
        return [claims.NUMERALS.get(found[1].lower(), found[1])]
    if part in {"keys", "line"}:
        return []
    turn = " w " in fen
    said, _ = claims.find_words(text.replace("_", " "), chess.COLOR_NAMES[turn])
    mates = [*_find_themes(text), *(mate for _, _, mate in said)]
    if part == "claim" and not mates and text.lower() not in _NOTHING:
        return [text]
    return mates


def _parse_line(field: str, position: GivenPosition, text: str) -> tuple[str, ...]:
    line = position.line(field, text)
    if text and not line:  # a number is the number of a move
        raise refusal(field, UNREADABLE, text)
    return line


def _parse_flag(field: str, text: str) -> bool:
    if text not in {"true", "false"}:
        raise refusal(field, "true, false or nothing", text)
    return text == "true"


def _parse_rating(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = f"rating: expected a number, found {quote(text)}"
        raise InputError(msg) from None


def _refuse_plies(field: str, plies: int) -> None:
    expected = f"1 to {MAX_MOVES} moves of each side, the opponent's first"
    raise refusal(field, expected, plies)


def _claims_mate(themes: str) -> bool:
    return _MATE in themes and not _MATES.isdisjoint(themes.split())


def _ends_in_mate(draft: claims.Draft) -> bool:
    (words,) = write_lines(draft.position.fen, [draft.line])
    return words[-1:] != [] and words[-1].endswith("#")


def _play_first(fen: str, rows: Rows) -> tuple[str, Rows]:
    """Play the first move of a row's line; return the position and the rest of it."""
    line = next((row for row in rows if row[0] == "line"), ("line", "Moves", ""))
    first, *rest = read_moves(line[2]) or [TextPart(PartKind.UNREADABLE, line[2])]
    after = read_compiled(fen, first.move, played=1)
    if after is None:
        raise refused_move(line[1], first)
    moves = " ".join(part.text for part in rest)
    others = [row for row in rows if row is not line]
    return after[0], [(*line[:2], moves), *others]


def _read_plain(row: Sequence[str], source: str) -> Problem | None:
    """Read a row of lichess in compiled code; None if anything in it is unusual."""
    name, fen, moves, themes, *_ = row
    plain = read_compiled(fen, moves, played=1, uci_only=True)
    if plain is None:
        return None
    claim = None
    if mates := _MATE in themes and _MATES.intersection(themes.split()):
        line = tuple(plain[1].split())
        mate, is_even = divmod(len(line) + 1, 2)
        others = mates - {_MATE, f"mateIn{min(mate, AND_MORE)}"}
        if others or is_even or mate > MAX_MOVES:
            return None
        claim = Claim(mate, line[:1], line, any_last_move=True)
    return Problem(
        plain[0], printable(name) or claims.default_name(source), claim, source
    )


def keep_selected(
    records: Iterable[Problem | FormatError | Literal[""] | None],
    summary: claims.FileSummary,
) -> Records:
    """Yield the records, and count those that are None: they are not selected."""
    for record in records:
        if record:
            yield record
        elif record is None:
            summary.not_selected += 1


def find_table(
    line: bytes, options: claims.ReadOptions
) -> tuple[str, tuple[str, ...], bool] | None:
    """Find out which columns a table has.

    Returns
    -------
    tuple or None
        Its delimiter, the names of its columns, and whether the line has these names;
        otherwise it is a row. None if the line does not begin a table.

    Raises
    ------
    InputError
        A part of `options.columns` is unknown.
    """
    positions = known_fields(options)["position"]
    by_hand = {positions[0], *options.columns.values()} - {AFTER_FIRST}
    for delimiter in _TITLES:
        with suppress(InputError):
            cells = tuple(map(str.strip, split_row(line, delimiter)))
            names = tuple(str(number) for number, _ in enumerate(cells, 1))
            if by_hand.issubset(names):
                return delimiter, names, False
            if not {*positions}.isdisjoint(map(plain_name, cells)):
                return delimiter, cells, True
            if _DATABASE_ROW.match("\n".join(cells)):
                return delimiter, (*_DATABASE.split(), *names)[: len(cells)], False
    return None


def detect_table(line: bytes, options: claims.ReadOptions) -> str | None:
    """Return `lichess` or `csv` if the line begins a table; otherwise None."""
    table = find_table(line, options)
    if table is None:
        return None
    return "lichess" if are_lichess(table[1]) else "csv"


def read_csv(
    lines: Lines, summary: claims.FileSummary, options: claims.ReadOptions
) -> Records:
    """Read a table, each row as soon as it arrives.

    Parameters
    ----------
    lines : iterator of tuple
        Number and bytes of each line, UTF-8; a row is one line.
    summary : FileSummary
        Counts the rows that are not selected.
    options : ReadOptions
        Which rows to read, and how. Rows outside the selection are not validated.

    Yields
    ------
    Problem or FormatError
        One for each row that is not blank, in file order.
    """
    rows = iter(lines)
    first = next((row for row in rows if row[1].strip()), None)
    if first is None:
        return
    try:
        reader = RowReader(summary, options)
        table = find_table(first[1], options)
        if table is None:
            found = ",".join(split_row(first[1]))
            raise refusal(summary.title, "a column fen, epd or position", found)
        delimiter, names, has_header = table
        plan = reader.plan(names)
        summary.title = "lichess's CSV" if plan.is_lichess else _TITLES[delimiter]
        reader.check_claims(plan)
    except InputError as error:
        yield FormatError(f"{summary.name}:{first[0]}", str(error))
        return

    def parse(line: bytes, source: str) -> Problem | Literal[""] | None:
        cells = split_row(line, delimiter)
        if not (cells[0].strip() or line.strip()):
            return ""  # a blank line
        if len(cells) != len(names):
            msg = f"expected {len(names)} columns, found {len(cells):,}"
            raise InputError(msg)
        return reader.read(plan, cells, source)

    records = rows if has_header else chain([first], rows)
    yield from keep_selected(read_each(records, summary.name, parse), summary)


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
    return {**fields, **(of_claim or {}), "nomate": problem.no_mate}


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
