"""One record of a file, read as the file's `Reading` says.

The clearest claim is kept: a sign or a number in a field, then words, then a heading
above the record, then the length of a line that ends in mate.
"""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from solver.errors import FenError, InputError, quote, refusal
from solver.formats import evidence, words
from solver.formats.claims import Draft, FileSummary
from solver.formats.solutions import (
    WrittenSolution,
    from_first_move,
    has_moves,
    read_solution,
)
from solver.movetext import ILLEGAL, UNREADABLE, is_move, plain_moves
from solver.position_text import GivenPosition, find_fens, read_compiled
from solver.problem import EXPECTED, MATE, MAX_MOVES, Stipulation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from solver.formats.evidence import Plan, Rows
    from solver.formats.reading import Reading


_INITIAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_FIVE = f"mateIn{evidence.AND_MORE}"


class _Line(NamedTuple):
    """A line of a record: the part and name of its field, its text, and its moves."""

    part: str
    field: str
    text: str
    solution: WrittenSolution


class RecordReader:
    """A record that is being read.

    Parameters
    ----------
    reading : Reading
    plan : Plan
    rows : list of tuple
        See `Rows`.
    texts : list of str
        Texts without a name; what stands around a FEN in its field is added.
    heads : sequence of str

    Raises
    ------
    InputError
        It has no legal position.
    """

    def __init__(
        self,
        reading: Reading,
        plan: Plan,
        rows: Rows,
        texts: list[str],
        heads: Sequence[str],
    ) -> None:
        self.reading, self.plan = reading, plan
        self.rows, self.texts, self.heads = _with_move(rows), texts, heads
        self.stipulation = _find_stipulation(rows)
        self.position = self._find_position()
        if not self.stipulation.text:
            around = (*self.texts, *reversed(self.heads[-1:]))
            found = next(filter(None, map(words.find_stipulation, around)), "")
            self.stipulation = Stipulation.parse(found) if found else self.stipulation
        self.lines = [*self._find_lines()]
        self.best = self._find_best()

    # The position

    def _find_position(self) -> GivenPosition:
        text = next((text for part, _, text in self.rows if part == "position"), "")
        side = self.stipulation.white_begins
        is_game = not any(find_fens(text, nearly=True))
        if is_game and (game := self._play_game()):
            return GivenPosition(game)
        try:
            position = GivenPosition(self._with_side(text), side)
        except FenError:
            found = next(find_fens(text), None)
            if found and (moves := _find_played(text[found.end :])):
                played = read_compiled(
                    found.fen, moves[1], played=len(moves[1].split())
                )
                return GivenPosition(played[0] if played else text, side)
            around = found and text[: found.start] + "\n" + text[found.end :]
            if not (found and around and _has_words(around)):
                raise
            self.texts += _FIND_TAGS.findall(around)
            self.texts.append(_FIND_TAGS.sub("", around).strip())
            position = GivenPosition(self._with_side(found.fen), side)
        if not (position.names_side or self.stipulation.is_help):
            position = self._guess_side(position)
        return self._give_en_passant(position)

    def _with_side(self, fen: str) -> str:
        """Return a FEN with the side that another field names, if it has none."""
        if len(fen.split()) != 1:
            return fen
        sides = [
            words.find_side(text, name)
            for part, name, text in self.rows
            if part == "turn"
        ]
        sides += [words.find_side(text) for text in (*self.texts, *self.heads)]
        sides += [words.find_side(text) for _, _, text in self.rows]
        side = next(filter(None, sides), "")
        return f"{fen} {side}" if side else fen

    def _guess_side(self, position: GivenPosition) -> GivenPosition:
        """Let the side move that can play the line; otherwise the usual one."""
        texts = [text for part, _, text in self.rows if part in _OF_MOVES]
        texts += filter(has_moves, self.texts)
        for fen in (position.fen, _other_side(position.fen)):
            if any(read_solution(fen, text).moves for text in texts):
                return GivenPosition(fen)
        warning = "side to move: expected a side, found none, so it is White"
        position.warnings = (*position.warnings, warning)
        return position

    def _play_game(self) -> str:
        """Return the position after the game in one of the fields."""
        fields = [(name, text) for part, name, text in self.rows if part != "name"]
        name, fen = find_game(fields) or ("", "")
        self.rows = [row for row in self.rows if row[1] != name]
        return fen

    def _give_en_passant(self, position: GivenPosition) -> GivenPosition:
        """Give a position the en passant square that its solution needs."""
        fields = position.fen.split()
        texts = [text for part, _, text in self.rows if part in _OF_MOVES]
        for text in (*texts, *self.texts):
            found = _find_en_passant(text) if fields[3] == "-" else None
            if found and not read_solution(position.fen, found[0]).moves:
                fields[3] = found[1]
                with suppress(FenError):
                    given = GivenPosition(" ".join(fields))
                    given.warnings = position.warnings
                    return given if given.fen.split()[3] == found[1] else position
        return position

    # The line

    def _find_lines(self) -> Iterator[_Line]:
        fen = self.position.fen
        for part, field, text in self.rows:
            if part in _OF_MOVES and not _is_number(field, text):
                yield _Line(part, field, text, read_solution(fen, text))
        for text in self._chosen():
            moves = _without_sign(text)
            for part in filter(has_moves, _parts_of(moves)):
                solution = read_solution(fen, part)
                if solution.moves or solution.keys:
                    yield _Line("line", TEXT, moves, solution)
                    break
        yield from self._join_columns()

    def _join_columns(self) -> Iterator[_Line]:
        """Yield the mating line whose moves have a column each."""
        rows = [row for row in self.rows if is_move(row[2])]
        if len(rows) > 1:
            places = {field: at for _, field, at in self.plan.fields}
            rows.sort(key=lambda row: places.get(row[1], 0))
            text = " ".join(text for _, _, text in rows)
            solution = read_solution(self.position.fen, text)
            if solution.is_whole and solution.mates:
                yield _Line("line", rows[0][1], text, solution)

    def _chosen(self) -> list[str]:
        """Return the texts; if they are options such as `B) Qg7#`, only the answer."""
        options = dict(chain.from_iterable(map(_find_options, self.texts)))
        if len(options) < 2:
            return self.texts
        answers = [options[text] for _, _, text in self.rows if text in options]
        return [text for text in self.texts if not _find_options(text)] + answers

    def _find_best(self) -> _Line | None:
        """Return the line that says most: one that mates, or else the longest."""
        read = [line for line in self.lines if line.solution.moves]
        return max(
            read,
            key=lambda line: (
                line.solution.is_whole and line.solution.mates,
                line.solution.is_whole,
                line.part == "line",
            ),
            default=None,
        )

    def _opponent_begins(self, line: _Line, claimed: int) -> bool:
        """Return whether the line's first move leads to the position in question.

        Parameters
        ----------
        line : _Line
        claimed : int
            How many moves the record claims if it does; negative if the side to move is
            then mated; 0 without a claim.
        """
        solution, plies = line.solution, len(line.solution.moves)
        if (
            self.stipulation.text
            or evidence.plain_name(line.field) in evidence.GIVEN_APART
        ):
            return False
        if solution.is_whole and solution.mates:
            return plies % 2 == 0 and claimed >= 0
        if self.reading.is_mixed:  # a line ends with a move of the solver
            return plies % 2 == 0 and solution.is_whole
        if self.reading.has_lines:
            return self.reading.opponent_begins
        if solution.is_whole and plies > 1 and claimed > 0:
            return plies == 2 * claimed
        return False

    def draft(self, summary: FileSummary) -> Draft:
        """Return a draft of the position, after the opponent's move if there is one."""
        best = self.best
        if self.reading.opponent_begins and self.reading.has_lines and best is None:
            self._refuse_line()
        read = {line.field: (line.text, line.solution) for line in self.lines}
        if found := find_reply(self.position.fen, read):
            field, first, solution = found
            line = next(line for line in self.lines if line.field == field)
            self._begin_after(first, line._replace(solution=solution))
        elif best and self._opponent_begins(best, self._claimed_after()):
            first, *rest = best.solution.moves
            variations = tuple(line[1:] for line in best.solution.variations)
            solution = best.solution._replace(moves=tuple(rest), variations=variations)
            self._begin_after(first, best._replace(solution=solution))
        return Draft(self.position, summary, self.stipulation)

    def _begin_after(self, first: str, best: _Line) -> None:
        """Make the position after the opponent's move the one in question."""
        after = read_compiled(self.position.fen, first, played=1)
        assert after
        given = self.position
        self.position = GivenPosition(after[0])
        self.position.warnings = given.warnings
        self.position.before = given.fen, first
        self.best, others = best, self.lines
        self.lines = [best]
        self.lines += [
            line._replace(solution=read_solution(after[0], line.text))
            for line in others
            if line.part == "keys" and line.field != best.field
            if line.solution.moves != (first,)
        ]

    def _refuse_line(self) -> NoReturn:
        """Refuse a record whose first move, and so its position, is unknown."""
        names = [name for part, name, _ in self.plan.fields if part == "line"]
        line = next((line for line in self.lines if line.part == "line"), None)
        if line is None:
            raise refusal(names[0] if names else "Moves", UNREADABLE, "")
        _parse_line(line.field, self.position, line.text)
        raise refusal(line.field, UNREADABLE, line.text)

    # The claims

    def _claimed_after(self) -> int:
        """Return what is claimed if the opponent's move comes first; 0 for nothing."""
        turn = evidence.COLORS[" b " in self.position.fen]
        claimed = (mate for _, mate in self.reading.claims_of(self, turn))
        return next((int(mate) for mate in claimed if evidence.is_integer(mate)), 0)

    def claims(self, turn: str) -> list[tuple[str, str]]:
        """Return what the fields, the texts and the headings claim, in this order."""
        found = []
        for part, field, text in self.rows:
            found += [(field, mate) for mate in mates_in(part, field, text, turn)]
        for text in self.texts:
            if sign := words.find_sign(text):
                found.append((SIGN, str(sign[0])))
            lengths = words.find_lengths(
                text, turn, signs=not self.reading.counts_by_signs
            )
            found += [(TEXT, str(moves)) for moves in lengths]
        return found

    def _headed(self, turn: str) -> list[tuple[str, str]]:
        """Return what the nearest heading that claims something claims.

        If its line has several positions, the claim is about the first.
        """
        board = self.position.fen.partition(" ")[0]
        heads = self.heads if board != self.reading.next_board else ()
        for above, head in reversed([*zip(("", *heads), heads, strict=False)]):
            plain = _CAMEL.sub(" ", head).replace("_", " ")
            number = f"{above} {head}".replace("_", " ") if head.isdecimal() else ""
            for text in (head, plain, number):
                if lengths := words.find_lengths(text, turn):
                    return [(HEADING, str(moves)) for moves in lengths]
            if sign := words.find_sign(head.lstrip("# ")):
                return [(HEADING, str(sign[0]))]
        return []

    def read_claims(self, draft: Draft) -> None:
        """Read what the record claims, the clearest claim first."""
        turn = evidence.COLORS[" w " in draft.position.fen]
        self._read_moves(draft)
        self._read_others(draft)
        best = self.best
        mates = bool(best and best.solution.is_whole and best.solution.mates)
        moves, is_even = divmod(len(draft.line) + 1, 2)
        by_line = moves if mates and not is_even else 0
        for field, mate in self.reading.claims_of(self, turn):
            text = self._text_of(field)
            is_more = _FIVE in text and moves > evidence.AND_MORE
            is_five = mate == str(evidence.AND_MORE)
            is_prose = len(text) > evidence.LONG_TEXT
            if not (is_prose and by_line and mate.lstrip("-") != str(by_line)):
                draft.read_mate(field, str(moves) if is_five and is_more else mate)
        self._note_unread(draft, turn)
        headed = self._headed(turn)
        if not (draft.mates or by_line or draft.stipulation.text or draft.no_mate):
            for field, mate in headed:
                draft.read_mate(field, mate)
        if best is None:
            self._claim_by_keys(draft, is_headed=bool(headed))
        else:
            self._compare(draft, best, is_headed=bool(headed))
            first = next(iter(best.solution.moves), "")
            after = read_compiled(draft.position.fen, first, played=1)
            self.reading.next_board = after[0].partition(" ")[0] if after else ""

    def _read_others(self, draft: Draft) -> None:
        """Read the claims that are neither mates nor moves."""
        readers: dict[str, Callable[[str, str], None]] = {
            "nomate": draft.read_no_mate,
            "solutions": draft.read_solutions,
        }
        for part, field, text in self.rows:
            if part in readers:
                readers[part](field, text)
            elif part == "anylastmove":
                read = draft.read("any last move", field, _parse_flag, text)
                draft.any_last_move = read or False

    def _note_unread(self, draft: Draft, turn: str) -> None:
        """Note what looks like a claim and is not read."""
        for part, field, text in self.rows:
            is_words = part == "words" and not draft.stipulation.text
            is_title = evidence.plain_name(field) in _PROSE
            is_prose = is_title and not words.is_claiming(text)
            if is_words and not is_prose and not mates_in(part, field, text, turn):
                in_words = not text.strip().isdecimal()
                draft.summary.ignore(field, text, may_claim=True, in_words=in_words)
        texts = (*self.texts, *(text for part, _, text in self.rows if part == ""))
        draft.unread = next(filter(words.may_claim, texts), "")

    def _text_of(self, field: str) -> str:
        return next((text for _, name, text in self.rows if name == field), "")

    def _read_moves(self, draft: Draft) -> None:
        """Read the keys and the line, and warn of what cannot be read."""
        best = self.best
        draft.partly_read = any(line.solution.rest for line in self.lines)
        if best:
            draft.variations = best.solution.variations
        if best and best.solution.is_signed and not best.solution.mates:
            draft.lose(f"{best.field}: expected mate at the end, found none")
        for line in self.lines:
            if line.part == "keys":
                self._read_keys(draft, line)
            elif line is best:
                self._read_line(draft, line)
            elif best and best.solution.moves[0] in line.solution.keys:
                continue  # the answers to choose from
            elif line.solution.keys:
                draft.summary.read("keys", line.field)
                draft.keys = draft.keys or line.solution.keys
            elif line.solution.moves and not line.solution.is_whole:
                draft.lose(_fault(line.field, line.solution), "line")
            elif not line.solution.moves:
                read = draft.read(
                    "line", line.field, _parse_line, draft.position, line.text
                )
                draft.line = draft.line or read or ()

    def _read_keys(self, draft: Draft, line: _Line) -> None:
        solution = line.solution
        is_line = solution.is_whole and len(solution.moves) > 1 and line is self.best
        if is_line and not _are_keys(draft.position, line.text):
            draft.keys, draft.line = solution.moves[:1], solution.moves
        else:
            draft.read_keys(line.field, " ".join(solution.keys) or line.text)

    @staticmethod
    def _read_line(draft: Draft, line: _Line) -> None:
        """Read the best line, or only its key if the line cannot be read to its end."""
        solution = line.solution
        draft.summary.read("line", line.field)
        draft.line = solution.moves
        if solution.rest and not solution.mates:
            draft.line = ()
            if evidence.plain_name(line.field) not in evidence.GIVEN_APART:
                draft.keys = draft.keys or solution.moves[:1]
            draft.lose(_fault(line.field, solution), "line")

    def _compare(self, draft: Draft, best: _Line, *, is_headed: bool) -> None:
        """Compare the line with what was claimed before it.

        A line that ends in mate claims its length, if the record claims nothing else
        and asks for nothing else. A single move of a longer mate is only its key.
        """
        line, first = draft.line, next(iter(draft.mates), 0)
        first = draft.stipulation.attacker_moves or first
        moves, is_even = divmod(len(line) + 1, 2)
        moves = -moves if is_even else moves
        is_complete = self.plan.pick is not None and not best.solution.rest
        if is_complete and is_even:
            draft.read("claim", best.field, _refuse_plies, len(line) + 1)
        elif (
            line
            and (best.solution.mates or is_complete)
            and moves != first
            and not (draft.stipulation.beside_claim.text or draft.no_mate)
        ):
            is_silent = not first and not is_headed and self._claims_no_length(line)
            if not is_silent:
                draft.read_mate(best.field, str(moves))
                draft.by_line = not first
                first = first or moves
        if evidence.plain_name(best.field) not in evidence.GIVEN_APART:
            draft.keys = draft.keys or (line[:1] if first >= 0 else ())
            if len(line) == 1 and 1 not in {first, *draft.mates}:
                draft.line = ()

    def _claim_by_keys(self, draft: Draft, *, is_headed: bool) -> None:
        """Claim a mate in one if alternative keys mate, and nothing else is claimed."""
        mating = [line for line in self.lines if line.solution.mates]
        is_claimed = draft.mates or draft.no_mate or draft.stipulation.text or is_headed
        if mating and not (is_claimed or self._claims_no_length(draft.keys[:1])):
            draft.read_mate(mating[0].field, "1")
            draft.by_line = True

    def _claims_no_length(self, line: Sequence[str]) -> bool:
        """Return whether a mating line alone says nothing about the shortest mate."""
        fields = ((field, text) for _, field, text in self.rows)
        if asks_for_more(fields, (*self.texts, *self.heads)):
            return True
        reading = self.reading
        is_game = len(line) > 2 * evidence.LONGEST_LINE
        return reading.is_stated or reading.are_studies or is_game


TEXT, HEADING, SIGN = "text", "heading", "sign"
"""What the summary calls claims that have no field."""

_OF_MOVES = {"line", "keys"}
_PROSE = {"title", "description"}
"""Words that claim nothing, unless they look like a claim."""

_find_options = re.compile(
    r"(?<![^\s(])([A-H])\)\s*([^\n]+?)(?=\s+\(?[A-H]\)|\s*(?:\n|\Z))"
).findall
_KEY = re.compile(r"\b(?:key|solution|clé|schlüssel|lösung|clave)\s*:", re.IGNORECASE)
_LONGEST_GOAL = 600
_SHORTEST_GAME = 3
_are_moves = re.compile(
    r"(?:(?:\d+\.+\s*)?[a-hNBRQKO][\w=+#-]{1,7}(?:\s+|\Z)){3,}"
).fullmatch
_CAMEL = re.compile("(?<=[a-z])(?=[A-Z])")
_FIND_TAGS = re.compile(r'\[\s*\w+\s+\\?"((?:[^"\\]|\\.)*?)\\?"\s*\]?')
_is_square = re.compile("[a-h][1-8]").fullmatch
_find_en_passant = re.compile(
    r"[a-h][1-8]?x?([a-h][36])(?=[+#!?]*\s*\(?e\.?\s?p\b)"
).search
_find_played = re.compile(r"\s+moves\s+(.+)").match
_has_words = re.compile(r"[A-Za-z#]{2}|#\s?[0-9]").search
_TAG = re.compile("<[^<>]*>")
_before_moves = re.compile(
    r"\A.*?(?=(?<!\w)[0-9]{1,2}\s?(?:[.)]|\.\.\.)\s*[KQRBNDTLSa-hO0\u2654-\u265f])"
)


def _are_keys(position: GivenPosition, text: str) -> bool:
    """Return whether each move of a text is legal in a position."""
    with suppress(InputError):
        return bool(position.keys("", text))
    return False


def _fault(field: str, solution: WrittenSolution) -> str:
    """Return what was expected of the first word that was not read."""
    word = solution.rest.partition(" ")[0]
    expected = ILLEGAL if is_move(word) else UNREADABLE
    return f"{field}: expected {expected}, found {quote(word)}"


def find_reply(
    fen: str, lines: Mapping[str, tuple[str, WrittenSolution]]
) -> tuple[str, str, WrittenSolution] | None:
    """Find a mating line that is legal only after the single move of another field.

    Parameters
    ----------
    fen : str
    lines : mapping
        The text of each field and how it is read from the position.

    Returns
    -------
    tuple or None
        The field, the opponent's move before its line, and the line.
    """
    if len(lines) < 2:
        return None
    unread = [
        (name, text)
        for name, (text, solution) in lines.items()
        if not (solution.moves or solution.keys)
    ]
    for _, one in lines.values() if unread else ():
        if len(one.moves) == 1 and one.is_whole:
            after = read_compiled(fen, one.moves[0], played=1)
            for name, text in unread if after else ():
                assert after
                solution = read_solution(after[0], text)
                is_odd = len(solution.moves) % 2 == 1  # an even one is a variation
                if solution.is_whole and solution.mates and is_odd:
                    return name, one.moves[0], solution
    return None


def board_after(game: str) -> str:
    """Return the first field of the FEN after a game; empty if it is none."""
    moves = plain_moves(game)
    played = read_compiled(_INITIAL, moves, played=len(moves.split()))
    return played[0].partition(" ")[0] if played else ""


def find_game(fields: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """Find a field with a game from the initial array; it leads to the position.

    Returns
    -------
    tuple or None
        The field's name, and the position after the game.
    """
    for name, text in fields:
        if not (has_moves(text) or _are_moves(text)):
            continue
        game = read_solution(_INITIAL, text.partition("startpos moves")[2] or text)
        if len(game.moves) >= _SHORTEST_GAME and game.is_whole and not game.mates:
            moves = " ".join(game.moves)
            played = read_compiled(_INITIAL, moves, played=len(game.moves))
            assert played
            return name, played[0]
    return None


def asks_for_more(fields: Iterable[tuple[str, str]], around: Iterable[str]) -> bool:
    """Return whether fields or texts ask for a win or a draw."""
    texts = [
        text
        for name, text in fields
        if len(text) < _LONGEST_GOAL
        and not evidence.is_quiet_name(evidence.plain_name(name))
    ]
    said = (text for text in (*texts, *around) if not has_moves(text))
    return any(map(words.has_goal, said))


def filled(plan: Plan, cells: Sequence[str]) -> Rows:
    """Return the fields of a row that are not empty, without space around them."""
    return [
        (part, field, text)
        for part, field, at in plan.fields
        if (text := cells[at] if part == "name" else cells[at].strip())
    ]


def _other_side(fen: str) -> str:
    board, side, rest = fen.split(" ", 2)
    return f"{board} {'b' if side == 'w' else 'w'} {rest}"


def _without_sign(text: str) -> str:
    """Return the moves of a text: without a sign or words before the first number."""
    text = _TAG.sub(" ", text)
    found = words.find_sign(text)
    text = text[found[1] :] if found and has_moves(text[found[1] :]) else text
    text = text.strip(" \t\"'`;,|=>-\u2013:")
    before = _before_moves.match(text)
    return text[before.end() :] if before and not has_moves(before[0]) else text


def _parts_of(text: str) -> tuple[str, ...]:
    """Return a text, what begins with its first move, and what follows `Key:`."""
    return text, from_first_move(text), *_KEY.split(text)[1:][-1:]


def _is_number(field: str, text: str) -> bool:
    """Return whether a field of moves has a number instead, which is a claim."""
    is_exact = text[:1] == "#" or evidence.plain_name(field) in evidence.NUMBERS
    return bool(is_exact and evidence.EXACT.fullmatch(text))


def _with_move(rows: Rows) -> Rows:
    """Return rows with the move of the fields `from`, `to` and `promotion`."""
    texts = {field.lower(): text for _, field, text in rows}
    squares = [texts.get(name, "") for name in ("from", "to")]
    if not all(map(_is_square, squares)):
        return rows
    promoted = texts.get("promotion") or texts.get("promo") or ""
    others = [row for row in rows if row[2] not in squares]
    return [*others, ("line", "from", "".join((*squares, promoted[:1].lower())))]


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
        said, others = words.find_words(text, evidence.WHITE)
        if others or not (said or part == "words"):
            raise refusal(field, EXPECTED, text)
    return MATE


def mates_in(part: str, field: str, text: str, turn: str) -> list[str]:
    """Return the lengths of the mates that a field claims, in digits."""
    if part == "claim" and text.isdecimal():
        return [text]
    is_line = part in _OF_MOVES and not _is_number(field, text)
    if part not in evidence.CLAIMING or is_line or "://" in text:
        return []
    if part == "plies" and text.isdecimal():
        text = f"#{(int(text) + 1) // 2}"
    if sign := words.is_sign(text):
        return [str(sign)]
    if part == "themes" and text in {"true", "1", "yes"}:  # mateIn2: true
        text = field
    if part in {"claim", *_OF_MOVES} and (found := evidence.EXACT.fullmatch(text)):
        return [words.NUMERALS.get(found[1].lower(), found[1])]
    mates = [str(n) for n in words.find_lengths(text.replace("_", " "), turn)]
    if part == "claim" and not mates and text.lower() not in evidence.NOTHING:
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


def _refuse_plies(field: str, plies: int) -> None:
    expected = f"1 to {MAX_MOVES} moves of each side, the opponent's first"
    raise refusal(field, expected, plies)
