"""What the fields of a file mean, decided by its own records.

No file says what its fields mean. `Reading.learn` looks at its first records, and
counts for each field which values are FENs, which are lines that are legal from the
position to the end, which of these end in mate, which numbers equal their lengths.
Names are one more piece of evidence. Above all, this decides whether the solver or the
opponent makes the first move of a line: a line that ends in the solver's mate has an
odd number of plies, one that begins with the opponent's move an even number.

A record with the field `schema` or `verdict` is matesolve's answer: its fields `claim`,
`claimed_keys` and so on are what was claimed, and `mate`, `keys` and `pv` are what was
found, which claims nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from solver.errors import FormatError, InputError, quote, refusal
from solver.formats import claims as claiming
from solver.formats import evidence, plain, solutions, words
from solver.formats.evidence import Plan, are_lichess, plain_name
from solver.formats.records import (
    HEADING,
    SIGN,
    TEXT,
    RecordReader,
    asks_for_more,
    board_after,
    filled,
    find_game,
    find_reply,
    mates_in,
)
from solver.formats.solutions import WrittenSolution, has_moves, read_solution
from solver.movetext import is_move
from solver.position_text import find_fens, read_compiled
from solver.problem import MAX_MOVES, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from solver.formats.entries import Entry
    from solver.formats.streams import Records
    from solver.problem import Problem


_COLUMNS_OPTION = "--columns"
_SELECTION_OPTIONS = "--theme and --min-rating"
_find_themes = re.compile(r"mateIn([0-9]+)").findall
_PLAIN = Counter(["position", "claim"]), Counter(["position", "claim", "name"])
"""The parts of a record that is read in compiled code."""

NO_PLAN = Plan([], is_lichess=False, pick=None, place=0, shape=None)
_SHOWN_TEXT = 500

Row: TypeAlias = "tuple[Any, ...]"
"""The number of a record; its cells, or why it has none; and, if it is an `Entry`, its
name, texts and headings."""


class Reading:
    """Reads records, whose fields may differ from record to record.

    Parameters
    ----------
    summary : FileSummary
        Notes which fields are read, and which are not.
    options : ReadOptions
        Which records to read, and which fields have which part.

    Attributes
    ----------
    plan : callable
        Returns the `Plan` for the names of fields; raises InputError if one that the
        selection needs is missing.
    opponent_begins : bool
        Whether a line begins with the opponent's move where the record does not say it.
    is_mixed : bool
        Whether in some records the solver begins and in some the opponent.
    has_lines : bool
        Whether nearly all records have a line, and enough of them say who begins.
    are_studies : bool
        Whether many records ask for a win or a draw, so that a line claims nothing.
    is_stated : bool
        Whether most records state a claim, so that a line alone claims nothing.
    counts_by_signs : bool
        Whether signs such as `#2` number the records.
    letters : set of str
        The letters of pieces in the lines of the sample.
    next_board : str
        The first field of the FEN after the first move of the last record.
    """

    def __init__(
        self, summary: claiming.FileSummary, options: claiming.ReadOptions
    ) -> None:
        self.plan = lru_cache(256)(self._make_plan)
        self._summary, self._options = summary, options
        self._known = evidence.known_fields(options)
        self._parts: dict[str, tuple[str, ...]] = {}
        self._trust: dict[str, int] = {}
        self._fields: dict[str, evidence.FieldEvidence] = {}
        self._spelled: dict[str, str] = {}
        self._line_count = 0
        self.opponent_begins = options.columns.get("moves") == evidence.AFTER_FIRST
        self.is_stated = self.counts_by_signs = self.has_lines = False
        self.is_mixed = False
        self.are_studies = False
        self.next_board = ""
        self.letters: set[str] = set()

    def learn(self, sample: Sequence[Entry]) -> None:
        """Decide what the fields mean from the first records; see the module."""
        self._fields = fields = {}
        for entry in sample:
            for name, text in entry.fields.items():
                plain = plain_name(name)
                if plain not in fields:
                    fields[plain] = evidence.FieldEvidence(plain)
                    self._spelled[plain] = name
                if text:
                    fields[plain].note(text)
                    self.letters.update(solutions.find_letters(text))
        self._check_columns(fields)
        self._choose_position(fields, sample)
        lines = [*self._weigh(fields, sample)]
        self._assign(fields)
        self._trust = {name: one.trust for name, one in fields.items()}
        self._choose_first_mover(lines, sample)
        self._see_claims(sample)
        self.plan.cache_clear()

    def _check_columns(self, fields: Mapping[str, evidence.FieldEvidence]) -> None:
        """Refuse names of columns that no record has.

        Raises
        ------
        InputError
            `--columns` has one.
        """
        for column in {*self._options.columns.values()} - {evidence.AFTER_FIRST}:
            if fields and plain_name(column) not in fields:
                shown = (
                    printable(self._spelled[name])[: evidence.SHOWN_CHARACTERS]
                    for name in fields
                )
                raise refusal(_COLUMNS_OPTION, f"one of {', '.join(shown)}", column)

    def _choose_position(
        self, fields: dict[str, evidence.FieldEvidence], sample: Sequence[Entry]
    ) -> None:
        """Order the fields with FENs: that of the legal lines first, then by names."""
        known = self._known["position"]
        whole = {
            name for name, one in fields.items() if 2 * one.whole_fens > one.filled
        }
        beside = set()  # a game or an address beside a FEN
        for names in ({*map(plain_name, entry.fields)} for entry in sample):
            beside |= names - whole if names & whole else set()
        found = [name for name, one in fields.items() if 2 * one.fens > one.filled]
        found = [name for name in found if name not in beside]
        found = found or [name for name, one in fields.items() if one.fens]
        if self._is_given("position") or not found:
            return
        votes = Counter[str]()
        for entry in sample if len(found) > 1 else ():
            texts = {plain_name(name): text for name, text in entry.fields.items()}
            moves = [text for text in texts.values() if has_moves(text)]
            for name in found:
                if fen := self._board(texts.get(name, "")):
                    for solution in (read_solution(fen, text) for text in moves):
                        votes[name] += solution.is_whole + 3 * solution.mates
        ranks = {name: at for at, name in enumerate(known)}

        def rank(name: str) -> tuple[int, int, int]:
            last = name.rpartition(".")[2]
            return -votes[name], -fields[name].whole_fens, ranks.get(last, len(ranks))

        self._known["position"] = sorted(found, key=rank)

    def _is_given(self, part: str) -> bool:
        """Return whether `--columns` names the field with a part of a problem."""
        return (
            self._known[part] != evidence.FIELDS[part].split()
            and len(self._known[part]) == 1
        )

    @staticmethod
    def _board(text: str, side: str = "") -> str:
        """Return the FEN of a legal position in a text; empty if there is none."""
        found = next(find_fens(text), None)
        fen = found.fen if found else text
        read = read_compiled(f"{fen} {side}" if side and " " not in fen else fen)
        return read[0] if read else ""

    def _weigh(
        self, fields: dict[str, evidence.FieldEvidence], sample: Sequence[Entry]
    ) -> Iterator[WrittenSolution]:
        """Yield the line of each record that has one; count what the fields say."""
        for entry in sample:
            texts = {plain_name(name): text for name, text in entry.fields.items()}
            known = self._known["position"]
            place = next((name for name in known if texts.get(name)), "")
            if not place and (game := find_game(texts.items())):
                place = game[0]
                texts[place] = game[1]
            sides = [words.find_side(text, name) for name, text in texts.items()]
            named = next(filter(None, sides), "")
            self._note_arrivals(fields, texts, place)
            for fen in map(self._board, 2 * [texts.get(place, "")], [named, "b"]):
                if not fen:
                    continue
                lines = {
                    name: read_solution(fen, text)
                    for name, text in texts.items()
                    if name != place and (has_moves(text) or self._static(name, "line"))
                }
                texts_around = filter(has_moves, entry.texts)
                around = [read_solution(fen, text) for text in texts_around]
                read = [*lines.values(), *(one for one in around if one.moves)]
                if any(solution.moves or solution.keys for solution in read):
                    break
            else:
                continue
            texts_read = {name: (texts[name], one) for name, one in lines.items()}
            if reply := find_reply(fen, texts_read):
                fields[reply[0]].legal += 1
            for name, solution in lines.items():
                word = solution.rest.partition(" ")[0]
                is_key = bool(solution.moves) and not is_move(word)
                fields[name].legal += is_key or bool(solution.keys)
                fields[name].mates += solution.is_whole and solution.mates
            whole = [one for one in read if one.is_whole]
            best = max(whole, key=lambda one: (one.mates, len(one.moves)), default=None)
            if best is None:
                best = max(read, key=lambda one: len(one.moves))
            yield best
            self._compare_numbers(fields, texts, best, fen)

    def _note_arrivals(
        self,
        fields: dict[str, evidence.FieldEvidence],
        texts: dict[str, str],
        place: str,
    ) -> None:
        """Count games that lead to the position, and so are not lines from it."""
        board = self._board(texts.get(place, "")).partition(" ")[0]
        for name, text in [*texts.items()] if board else ():
            is_game = name != place and has_moves(text)
            if is_game and board_after(text) == board:
                fields[name].arrivals += 1
                del texts[name]

    @staticmethod
    def _compare_numbers(
        fields: dict[str, evidence.FieldEvidence],
        texts: dict[str, str],
        line: WrittenSolution,
        fen: str,
    ) -> None:
        """Count which numbers and words agree with a line that ends in mate.

        The length of a line that does not mate speaks against a number.
        """
        plies = len(line.moves) or bool(line.keys)
        moves, turn = (plies + 1) // 2, evidence.COLORS[" w " in fen]
        for name, text in texts.items():
            one = fields[name]
            if evidence.is_integer(text):
                number = abs(int(float(text.replace(",", "."))))
                one.agreed += line.mates and number == moves
                one.in_plies += line.mates and number == plies != moves
                one.other += line.mates and number not in {moves, plies}
                one.of_lines += not line.mates and plies > 1 and number == moves
            elif lengths := words.find_lengths(text.replace("_", " "), turn):
                agrees = moves in map(abs, lengths)
                one.trust += line.mates * (1 if agrees else -1)

    def _static(self, name: str, *parts: str) -> list[str]:
        """Return which of some parts, or of all, a field has by its name alone."""
        last = name.rpartition(".")[2]
        asked = parts or self._known
        return [
            part
            for part in asked
            if name in self._known[part]
            or (last in self._known[part] and not self._is_given(part))
        ]

    def _assign(self, fields: dict[str, evidence.FieldEvidence]) -> None:
        """Decide which parts each field has."""
        has_fens = any(one.fens for one in fields.values())
        has_claim = self._is_given("claim")
        for name, one in fields.items():
            parts = self._static(name)
            if evidence.is_of_another(name) or 2 * one.arrivals > one.filled:
                self._parts[name] = ()
                continue
            given = [part for part in parts if self._is_given(part)]
            if "." in name:  # what a field of the record itself has is no nested one's
                plain = {
                    part
                    for other in fields
                    for part in self._static(other)
                    if "." not in other
                }
                parts = [part for part in parts if part in given or part not in plain]
            excluded = self._excluded(one, has_fens=has_fens)
            parts = [part for part in parts if part in given or part not in excluded]
            has_signs = 2 * (one.signs + one.lengths) > one.filled
            has_claim |= has_signs or ("claim" in parts and one.filled > 0)
            self._parts[name] = tuple(parts or self._guess(one))
            if one.lengths and parts == ["name"]:
                self._parts[name] = ("name", "words")
        if {"from", "to"} <= fields.keys():
            self._parts["from"] = ("line",)
        if has_claim:
            return
        numbers = [one for one in fields.values() if self._may_claim(one)]
        numbers.sort(
            key=lambda one: (
                2 * one.agreed
                - 3 * one.other
                + 5 * bool(evidence.is_number_name(one.name))
            ),
            reverse=True,
        )
        for one in numbers[:1]:
            self._parts[one.name] = ("claim",)

    def _excluded(self, one: evidence.FieldEvidence, *, has_fens: bool) -> set[str]:
        """Return the parts that a field may have by its name but not by its values."""
        excluded = set()
        if has_fens and not one.fens:
            excluded.add("position")
        if 2 * one.whole_fens > one.filled:
            excluded |= self._known.keys() - {"position"}
        if one.is_flag:
            excluded.add("claim")
        if not one.sides:
            excluded.add("turn")
        if one.numbers and not one.moves and one.name not in evidence.NUMBERS:
            excluded |= {"line", "keys"}
        return excluded

    def _may_claim(self, one: evidence.FieldEvidence) -> bool:
        """Return whether a field of numbers without a usual name has claims."""
        if self._parts[one.name]:
            return False
        is_named = evidence.is_number_name(one.name) and one.other <= one.agreed
        return one.numbers_mates or bool(is_named and one.may_number)

    @staticmethod
    def _guess(one: evidence.FieldEvidence) -> list[str]:
        """Return the parts of a field by its values, where its name says nothing."""
        most = evidence.MOST_OF * one.filled
        if (
            one.sides
            and one.sides == one.filled
            and not evidence.is_result_name(one.name)
        ):
            return ["turn", "words"] if one.lengths else ["turn"]
        if one.stipulations and one.stipulations + one.signs >= most:
            return ["stipulation"]
        if one.signs and one.signs + len(one.numbers) + one.scores >= most:
            return ["themes" if one.scores else "claim"]  # of which only signs count
        if one.moves and 2 * one.legal >= one.moves:
            return ["line"]
        if words.find_lengths(one.name, evidence.WHITE):  # mateIn2: true
            return ["themes"]
        return ["words"] if one.lengths else []

    def _choose_first_mover(
        self, lines: list[WrittenSolution], sample: Sequence[Entry]
    ) -> None:
        """Decide who begins the lines: the side that mates at its own last move.

        Where none mates, the opponent begins under lichess's names, and if all lines
        have an even number of plies.
        """
        self._line_count = sum(bool(line.moves) for line in lines)
        whole = [line for line in lines if line.is_whole]
        counts = Counter((line.mates, len(line.moves) % 2 == 0) for line in whole)
        even, odd = counts[True, True], counts[True, False]
        named = any(are_lichess(entry.fields) for entry in sample)
        are_even = counts[False, True] > 1 and not counts[False, False]
        is_clear = bool(even or odd or named or are_even)
        self.has_lines = named or (
            is_clear and len(lines) > max(evidence.MOST_LINES * len(sample), 1)
        )
        self.is_mixed = evidence.MIXED * min(even, odd) > max(even, odd)
        if self._options.columns.get("moves") == evidence.AFTER_FIRST:
            self.opponent_begins = self.has_lines = True
            self.is_mixed = False
        elif even or odd:
            self.opponent_begins = even > odd
        else:
            self.opponent_begins = named or are_even
        self._summary.reading = claiming.first_mover(even, odd)

    def _see_claims(self, sample: Sequence[Entry]) -> None:
        """Find out whether most records state a claim, and if signs number them."""
        signs = [_sign_of(entry) for entry in sample]
        is_serial = len(signs) >= evidence.ENOUGH and all(
            b - a == 1 for a, b in pairwise(signs)
        )
        self.counts_by_signs = is_serial and bool(signs[0])
        goals = sum(asks_for_more(one.fields.items(), one.texts) for one in sample)
        self.are_studies = goals > 1 and goals * evidence.STUDIES > len(sample)
        if len(sample) < evidence.STATED:
            return
        stated = sum(bool(self._claiming(entry)) for entry in sample)
        self.is_stated = 2 * stated >= len(sample)

    def is_collection(self, sample: Sequence[Entry]) -> bool:
        """Return whether most records have a line, or a claim in the same place."""
        kinds = Counter(kind for entry in sample for kind in self._claiming(entry))
        return 2 * max(self._line_count, *kinds.values(), 0) >= len(sample)

    def _claiming(self, entry: Entry) -> set[str]:
        """Return what claims a record's mate: names of fields, `text` or `heading`."""
        kinds = {
            name
            for name, text in entry.fields.items()
            for part in self._parts[plain_name(name)]
            if mates_in(part, name, text, evidence.WHITE)
        }
        for kind, texts in ((TEXT, entry.texts), (HEADING, entry.heads)):
            lengths = (words.find_lengths(text, evidence.WHITE) for text in texts)
            if any(lengths) or any(map(words.find_sign, texts)):
                kinds.add(kind)
        return kinds

    # Plans

    def _make_plan(self, names: tuple[str, ...]) -> Plan:
        selection = self._options.selection
        known = [*map(plain_name, names)]
        shown = [printable(name)[: evidence.SHOWN_CHARACTERS] for name in names]
        parts = [
            self._parts[name] if name in self._parts else self._static(name)
            for name in known
        ]
        fields = [
            (part, shown[at], at) for at, of_one in enumerate(parts) for part in of_one
        ]
        fields.sort(key=lambda row: self._rank(row[0], known[row[2]]))
        if is_own := any(part == "own" for part, _, _ in fields):
            fields = [
                row for row in fields if row[0] == "own" or row[1] in evidence.COLUMNS
            ]
        places = {part: at for part, _, at in reversed(fields)}
        wanted = {"themes": selection.theme, "rating": selection.min_rating}
        needed = [part for part, value in wanted.items() if value is not None]
        for part in needed:
            if part not in places:
                found = ", ".join(shown)
                raise refusal(_SELECTION_OPTIONS, f"a field {part}", found)
        quick = dict.fromkeys(["name", "position", "line", "themes", *needed])
        chosen = {"lichess": True, "csv": False}
        is_lichess = chosen.get(
            self._options.source_format, are_lichess(names) and self.opponent_begins
        )
        has_all = is_lichess and quick.keys() <= places.keys()
        noted = {"position": "position", "name": "name"}
        noted |= {"line": "line", "themes": "claim"} if has_all else {}
        for part, noted_part in noted.items():
            if part in places:
                self._summary.read(noted_part, shown[places[part]])
        for at, name in enumerate(shown):
            if not parts[at] and known[at]:
                may_claim = not is_own and self._may(known[at])
                numbers = self._fields[known[at]].numbers if may_claim else ()
                self._summary.ignore(name, *map(str, numbers), may_claim=may_claim)
        fields += [("", shown[at], at) for at, of_one in enumerate(parts) if not of_one]
        pick = itemgetter(*(places[part] for part in quick)) if has_all else None
        selects = None if selection == claiming.EVERYTHING else self._selects
        shape = pick and plain.lichess_rows(pick, selects)
        read = Counter(part for part, _, _ in fields if part)
        if not (is_lichess or needed) and read in _PLAIN and self._options.claims:
            at, claim_at = places["position"], places["claim"]
            shape = plain.numbered_rows(at, claim_at, places.get("name", -1))
            self._summary.read("claim", shown[places["claim"]])
        return Plan(fields, is_lichess, pick, places.get("position", 0), shape)

    def _may(self, name: str) -> bool:
        """Return whether a field's values may be claims, and `--columns` read them."""
        one = self._fields.get(name)
        if (
            one is None
            or evidence.NO_CLAIMS.fullmatch(name)
            or evidence.is_identity_name(name)
        ):
            return False
        numbers = {*one.numbers}
        are_lengths = all(0 < abs(number) <= MAX_MOVES for number in numbers)
        is_number = len(one.numbers) > evidence.MOST_OF * one.filled and are_lengths
        return (is_number and not (one.is_running or one.is_flag)) or one.signs > 0

    def _rank(self, part: str, name: str) -> tuple[int, int, int]:
        """Return the place of a field among those that are read, the clearest first."""
        known, last = self._known[part], name.rpartition(".")[2]
        of_name = next((known.index(one) for one in (name, last) if one in known), 99)
        trust = -self._trust.get(name, 0) if part in {"words", "themes"} else 0
        return [*evidence.FIELDS].index(part), trust, of_name

    # Records

    def read_entry(self, entry: Entry, source: str) -> Problem | None:
        """Make a problem from a record alone.

        Returns
        -------
        Problem or None
            None if the record is not selected.

        Raises
        ------
        InputError
            If it has no position, or if nothing that it claims can be read.
        """
        plan = self.plan(tuple(entry.fields))
        cells = [*entry.fields.values()]
        return self._read(plan, cells, source, entry.name, entry.texts, entry.heads)

    def _read(
        self,
        plan: Plan,
        cells: Sequence[str],
        source: str,
        name: str = "",
        texts: Sequence[str] = (),
        heads: Sequence[str] = (),
    ) -> Problem | None:
        """Make a problem from the fields of a record; see `read_entry`."""
        if plan.pick and not self._is_selected(*plan.pick(cells)[2:]):
            return None
        rows = filled(plan, cells)
        of_parts = {part: text for part, _, text in reversed(rows)}
        themes = of_parts.get("themes", "")
        rating = of_parts.get("rating", "")
        if not (plan.pick or self._is_selected(None, themes, rating)):
            return None
        record = RecordReader(self, plan, rows, [*texts], heads)
        draft = record.draft(self._summary)
        draft.any_last_move = plan.is_lichess
        if self._options.claims and (not plan.pick or _claims_mate(themes)):
            record.read_claims(draft)
        name = plain.SURROGATE.sub("\ufffd", of_parts.get("name", name))
        problem = draft.problem(name, source)
        is_wanted = plan.pick or not plan.is_lichess or self._options.selection.all_rows
        return problem if is_wanted or problem.claim else None

    @staticmethod
    def name_of(plan: Plan, cells: Sequence[str]) -> str:
        """Return the name of a record, also of one that is unreadable."""
        names = (cells[at] for part, _, at in plan.fields if part == "name")
        return printable(next(filter(None, names), ""))

    def select_all(self) -> None:
        """From now on, select every record."""
        everything = claiming.Selection(all_rows=True)
        self._options = replace(self._options, selection=everything)
        self.plan.cache_clear()

    def read_all(self, batches: Iterable[Iterable[Entry | FormatError]]) -> Records:
        """Read records in batches; see `read_rows`."""
        return self.read_rows(self._rows_of(batches))

    def _rows_of(
        self, batches: Iterable[Iterable[Entry | FormatError]]
    ) -> Iterator[tuple[Plan, list[Row]]]:
        below: tuple[str, ...] = ()
        for batch in batches:
            for names, same in groupby(batch, _names_of):
                rows: list[Row] = []
                for one in same:
                    if isinstance(one, FormatError):
                        rows.append((0, one))
                        continue
                    cells = [*one.fields.values()]
                    if head := self.heading_of([*cells, *one.texts], below):
                        below = (head,)
                        continue
                    heads = (*one.heads, *below)
                    rows.append((one.number, cells, one.name, one.texts, heads))
                if rows:
                    yield NO_PLAN if names is None else self.plan(names), rows

    def read_rows(
        self, batches: Iterable[tuple[Plan, Sequence[Row]]], *, is_table: bool = False
    ) -> Records:
        """Read rows in batches, and count those that are not selected.

        Parameters
        ----------
        batches : iterable of tuple
            A plan, and rows with its fields that have arrived.
        is_table : bool
            Whether the rows are cells of a table, with headings between them.
        """
        summary = self._summary
        below: tuple[str, ...] = ()
        for plan, rows in batches:
            found = plain.read_plain(plan.shape, rows, summary.name)
            for row, problem in zip(rows, found, strict=True):
                if problem and (plan.pick or not (below or any(row[2:]))):
                    yield problem
                    continue
                cells = row[1]
                is_open = is_table and type(cells) is list and not cells[plan.place]
                if is_open and (head := self.heading_of(cells, below)):
                    below = (head,)
                elif record := self._read_row(plan, row, below, is_table=is_table):
                    yield record
                else:
                    summary.not_selected += 1

    def _read_row(
        self, plan: Plan, row: Row, below: tuple[str, ...], *, is_table: bool
    ) -> Problem | FormatError | None:
        """Read a row of any shape below a heading; see `read_rows`."""
        number, cells, *others = row
        if isinstance(cells, FormatError):
            return cells
        source = f"{self._summary.name}:{number}"
        if isinstance(cells, InputError):
            return FormatError(source, str(cells))
        name, texts, heads = others or ("", (), below)
        try:
            return self._read(plan, cells, source, name, texts, heads)
        except InputError as error:
            is_named = others or is_table
            return FormatError(
                source,
                str(error),
                " | ".join(filter(None, (*cells, *texts)))[:_SHOWN_TEXT] * bool(others),
                (self.name_of(plan, cells) if is_named else "") or name,
            )

    @staticmethod
    def heading_of(cells: Sequence[str], heads: Sequence[str]) -> str:
        """Return the only text of a row if it is a heading of the rows below it.

        It says a claim or, below such a heading, anything else that is no position.
        """
        filled = [cell for cell in cells if cell.strip()]
        if len(filled) != 1 or any(find_fens(filled[0], nearly=True)):
            return ""
        claims = words.find_lengths(filled[0], evidence.WHITE)
        return filled[0] if claims or heads else ""

    @property
    def position_name(self) -> str:
        """The name of the field with the position, as the sample spells it."""
        return self._spelled.get(next(iter(self._known["position"])), "")

    def _selects(self, moves: str, themes: str, rating: str = "") -> bool:
        """Return whether a row of lichess is selected, and its rating is a number."""
        try:
            return self._is_selected(moves, themes, rating)
        except InputError:
            return False

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

    def claims_of(self, record: RecordReader, turn: str) -> list[tuple[str, str]]:
        """Return the fields and the lengths of the mates that a record claims.

        The clearest claim is the first. Signs that number the records do not count.
        """
        found = record.claims(turn)
        if self.counts_by_signs:
            found = [claim for claim in found if claim[0] != SIGN]
        return found


def _names_of(entry: Entry | FormatError) -> tuple[str, ...] | None:
    return None if isinstance(entry, FormatError) else tuple(entry.fields)


def _parse_rating(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = f"rating: expected a number, found {quote(text)}"
        raise InputError(msg) from None


def _claims_mate(themes: str) -> bool:
    return evidence.MATE_THEME in themes and not evidence.MATE_THEMES.isdisjoint(
        themes.split()
    )


def _sign_of(entry: Entry) -> int:
    found = next(filter(None, map(words.find_sign, entry.texts)), None)
    return found[0] if found else 0


def read_entries(
    found: Iterable[Entry | FormatError | InputError],
    summary: claiming.FileSummary,
    options: claiming.ReadOptions,
) -> Records:
    """Learn what the records of a file mean, and read them."""
    rest = _expanded(found, summary)
    sample = claiming.take_sample(rest, size_of, summary)
    try:
        reading = learn(sample, summary, options)
    except InputError as error:
        yield FormatError(summary.name, str(error))
        return
    # A file is there; from a pipe, each record is read as soon as it has arrived.
    most = 1 if summary.fraction() is None else claiming.SAMPLE
    others = iter(lambda: claiming.take_some(rest, size_of, most), [])
    yield from reading.read_all(chain([sample], others))


def size_of(entry: Entry | FormatError) -> int:
    """Return the length of a record's texts; 0 for an error."""
    if isinstance(entry, FormatError):
        return 0
    return sum(map(len, (*entry.fields.values(), *entry.texts)))


def learn(
    sample: Iterable[Entry | FormatError],
    summary: claiming.FileSummary,
    options: claiming.ReadOptions,
) -> Reading:
    """Return the reading that a file's first records decide.

    Raises
    ------
    InputError
        `options.columns` names a part or a field that does not occur.
    """
    reading = summary.learnt = Reading(summary, options)
    entries = [entry for entry in sample if not isinstance(entry, FormatError)]
    reading.learn(entries)
    is_chosen = options.source_format != claiming.AUTO or options.columns
    if summary.format == "text" and not is_chosen:
        summary.is_listing = not reading.is_collection(entries)
    return reading


def _expanded(
    found: Iterable[Entry | FormatError | InputError], summary: claiming.FileSummary
) -> Iterator[Entry | FormatError]:
    """Yield records, or the records inside a text that holds positions."""
    from solver.formats.text import read_any_text

    number = 0
    for entry in found:
        if isinstance(entry, FormatError):
            yield entry
        elif isinstance(entry, InputError):
            number += 1
            yield FormatError(f"{summary.name}:{number}", str(entry))
        elif entry.fields.keys() == {"text"}:
            number = entry.number
            for one in read_any_text(entry.fields["text"], summary.name):
                yield (
                    one
                    if isinstance(one, FormatError)
                    else one._replace(number=number, heads=(*entry.heads, *one.heads))
                )
        else:
            number = entry.number
            yield entry
