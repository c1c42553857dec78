"""The reader of any text: it finds every FEN, and what stands around it.

This is what any unknown text gets: lists that people write, and source code of any
language. What belongs to a FEN is

- in code, what is in the largest brackets that hold no other FEN: values with names
  (`mateIn: 2`), or values in their order; and the comments there;
- elsewhere the rest of its line, the other lines of its paragraph if no other FEN is
  there, otherwise the lines down to the next FEN; and moves after a blank line. A line
  above it without moves is its name. `Label: value` is a field.

A heading is a line without a FEN and without moves that stands apart or is marked. It
holds for what follows, until the next one. A line inside another record is no heading;
in code, only comments and the names of the brackets around a record are headings.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING
from urllib.parse import unquote

from solver.errors import FormatError, InputError
from solver.formats import words
from solver.formats.entries import Entry
from solver.formats.epd import is_operation, operations_of
from solver.formats.solutions import has_moves
from solver.position_text import FoundFen, GivenPosition, find_fens

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.|'')*'|`[^`]*`)"""
_PAIR = re.compile(
    rf"""["'`]?(?![a-h][18]=)(?P<name>[A-Za-z_][\w-]*)["'`]?\s*(?::|=>|=)\s*
    (?P<value>{_QUOTED}|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]|\{{[^{{}}]*\}}
    |(?:const\s+)?\w+\([^()]*\)|[-\w.#+]+)""",
    re.VERBOSE,
)
_find_pairs = _PAIR.finditer
_find_literals = re.compile(
    rf"b?r?({_QUOTED})|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.])"
).findall
_OBJECT = re.compile(r"\{[^{}]*\}")
_find_brackets = re.compile(r"[{}()\[\]]").finditer
_CLOSING = dict(zip("})]", "{([", strict=True))
_find_comments = re.compile(r"(?://|#\s|--|/\*)([^\n]*)").findall
_is_code = re.compile(
    r"""(?:[{(\[=:,]|=>)\s*b?r?["'`](?:[^"'`\n]*\s)?(?:[1-8pnbrqkPNBRQK]{1,8}/){7}"""
).search
_match_label = re.compile(
    r"\W{0,6}(?P<name>[^\W\d_][\w. /()-]{0,28}?)[*_`]*\s*[:=][*_`]*\s*(?P<value>.+)\Z"
).match
_is_marked = re.compile(
    r"^\s*(#{1,6}\s|\\(?:chapter|(?:sub)*section)\b|//|--|=+\s|\*{1,2}[A-Za-z]|[*=~_]{2,}\s*\w|;|%|<h\d|/\*|\[)|:\s*$"
).search
_is_comment = re.compile(r"\s*(//|#|--|/\*|;|%)").match
_is_empty = re.compile(r"\s*(?:(?:```|~~~).*|\\(?:begin|end)\{.*)?").fullmatch
"""A blank line, or one that begins or ends a block of code in Markdown or of LaTeX."""

_ends_paragraph = re.compile(r"\s*(?:\\(?:begin|end)\{.*)?").fullmatch

_match_level = re.compile(r"\s*(?:(#{1,6})\s|\\((?:sub)*)section\b)").match
_is_underline = re.compile(r"\s*(?:-{3,}|={3,}|~{3,})\s*").fullmatch
_is_aside = re.compile(r"\s*(?:(?:/\*|\[)|(?://|--)\s*(?![\w ,.'-]+\Z))").match
_is_number = re.compile(
    r"\W*(?:(?:no|nr|num(?:ber|ero)?|diag(?:ram\w*)?|problem\w*|puzzle|exercise|exercice|"
    r"ex|aufgabe|opgave|zadanie|pos(?:ition)?|question|fig(?:ure)?)\W*)?\d{1,4}\W*",
    re.IGNORECASE,
).fullmatch
"""The number of a record."""

_is_answers = re.compile(
    r"\W*(?:the )?(?:solutions?|answers?|keys|l(?:ö|oe)sungen|r[ée]ponses|soluciones|"
    r"respuestas|soluzioni|oplossingen|antworten|ответы|решения)\W*",
    re.IGNORECASE,
).fullmatch
_match_answer = re.compile(r"\W{0,4}(\d{1,4})\s*[.):]\s*(.+)").match
_is_name = re.compile("[a-z]+(?: [a-z]+){0,2}", re.IGNORECASE).fullmatch
_TAG = re.compile(r"</?[a-z]+>")
_is_attribute = re.compile(r"[\"'`}]+\s+[a-z]\w*=[\"'{]", re.IGNORECASE).match
"""A tag may have another value after the first."""

_LIST_MARK = re.compile(r"^\s*(?:\d+[.):]|[-*>#\u2022]|//)*\s*")
_is_fen_label = re.compile(
    r"\W*(?:fen|position(?: fen)?|epd|diagram|stellung)\W*", re.IGNORECASE
).fullmatch
_match_sign_before = re.compile(
    r"\s*(?:[-*]\s+)?(?:\[.?\]\s*)?(?:\d+[.):]?\s+)?"
    r"(?:#\s?(\d{1,3})|(\d{1,2})#|[mM](\d{1,2}))[\s:.)-]+\Z"
).match
ESCAPED_SLASH = "%2F"
"""In an address with a FEN."""

_find_inserts = re.compile("INSERT INTO", re.IGNORECASE).finditer
_match_insert = re.compile(
    r"INSERT INTO\s+[^\s(]+\s*\(([^()]*)\)\s*VALUES", re.IGNORECASE
).match
_NAME_LENGTH = 80
_SEPARATORS = " \t\"',;|`"
_LONGEST_BLOCK = 6000
_NEAR_MOVES, _MOST_LINES = 2, 200
"""How many lines after a blank one may be a record's moves, and how many above and
below a FEN may belong to it."""

_WHITE = "white"


def read_any_text(text: str, name: str) -> Iterator[Entry | FormatError]:
    """Find the records of a text.

    Parameters
    ----------
    text : str
        Any text.
    name : str
        Its file's name, for errors.

    Yields
    ------
    Entry or FormatError
        One for each FEN, in the order of the text; its number is that of its line. An
        error for what looks like a FEN and is none.
    """
    text = unquote(text) if ESCAPED_SLASH in text else text
    found = [*find_fens(text, nearly=True)]
    whole = [fen for fen in found if fen.is_whole]
    entries = _Text(text, whole).entries() if whole else iter(())
    for fen in found:
        if fen.is_whole:
            yield next(entries)
            continue
        source = f"{name}:{text.count(chr(10), 0, fen.start) + 1}"
        try:
            GivenPosition(fen.fen)
        except InputError as error:
            yield FormatError(source, str(error))


class _Text:
    """A text with FENs, and what belongs to each.

    Parameters
    ----------
    text : str
    fens : list of FoundFen
        All of its FENs, in order.
    """

    def __init__(self, text: str, fens: list[FoundFen]) -> None:
        self.text, self.fens = text, fens
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.line_of = [bisect_right(self.starts, fen.start) - 1 for fen in fens]
        ends = (bool(_ends_paragraph(line)) for line in self.lines)
        self.paragraphs = [*accumulate(ends)]
        self.fens_of_line = Counter(self.line_of)
        self.fens_of_paragraph = Counter(self.paragraphs[at] for at in self.line_of)
        self.comments: list[str] = []
        self.blocks: dict[int, tuple[int, int]] = {}
        self.parents: dict[int, int] = {}
        self.innermost = [-1] * len(fens)
        self.inserts = [found.start() for found in _find_inserts(text)]
        self.headings: set[int] = set()
        if _is_code(text):
            self._find_blocks()
            self.comments = _find_comments(text)
        self.heads = self._find_heads()
        self.numbers = [self._number(line) for line in self.line_of]
        self.answers, self.end = self._find_answers()

    def entries(self) -> Iterator[Entry]:
        """Yield an entry for each FEN."""
        for at, (fen, line) in enumerate(zip(self.fens, self.line_of, strict=True)):
            fields, texts, heads = {"fen": fen.fen}, list[str](), list[str]()
            if self.heads[line]:
                heads.append(self.heads[line])
            heads += self._bracket_names(self.innermost[at])
            if at in self.blocks:
                self._read_block(at, fields, texts)
            else:
                self._read_around(at, fields, texts)
            if answer := self.answers.get(self.numbers[at]):
                texts.append(answer)
            yield Entry(line + 1, fields, tuple(texts), tuple(heads))

    # Code

    def _find_blocks(self) -> None:
        """Find the largest brackets around each FEN that hold no other."""
        opened: list[tuple[str, int]] = []
        pairs: list[tuple[int, int]] = []
        starts, at = [fen.start for fen in self.fens], 0
        for found in _find_brackets(self.text):
            bracket, start = found[0], found.start()
            while at < len(starts) and starts[at] < start:
                self.innermost[at] = opened[-1][1] if opened else -1
                at += 1
            if bracket in "{([":
                self.parents[start] = opened[-1][1] if opened else -1
                opened.append((bracket, start))
            elif opened and opened[-1][0] == _CLOSING[bracket]:
                pairs.append((opened.pop()[1], found.end()))
        pairs.sort(key=lambda pair: pair[1] - pair[0])
        for start, end in pairs:
            if end - start > _LONGEST_BLOCK:
                break
            first = bisect_left(starts, start)
            if bisect_left(starts, end) - first == 1:
                self.blocks[first] = start, end

    def _bracket_names(self, start: int) -> list[str]:
        """Return the names of the brackets around a FEN that claim a mate.

        They stand before a bracket, or are texts before it in the one around it, as in
        `describe("mate in 2", () => {`.
        """
        names = []
        while start >= 0:
            parent = self.parents[start]
            before = self.text[max(parent + 1, start - _NAME_LENGTH) : start]
            line = before.rpartition("\n")[2]
            found = (re.split(r"[,{}()\[\];]", line)[-1], *_literals(line))
            names += [
                name.strip(" =:\"'`")
                for name in found
                if words.find_lengths(_spaced(name), _WHITE)
            ]
            start = parent
        return names[::-1]

    def _read_block(self, at: int, fields: dict[str, str], texts: list[str]) -> None:
        start, end = self.blocks[at]
        body = self.text[start:end]
        pairs = [*_find_pairs(body)]
        for pair in pairs:
            if not any(find_fens(pair["value"])):
                fields.setdefault(pair["name"], _unquote(pair["value"]))
        if not pairs:
            cells = [*_literals(body)]
            names = self._column_names(start, len(cells))
            named = zip(names, cells, strict=True)
            fields |= {name: cell for name, cell in named if not any(find_fens(cell))}
        line_end = self.text.find("\n", end)
        texts += _find_comments(self.text[start : line_end if line_end > 0 else None])
        line = self.line_of[at]
        if line and _is_comment(self.lines[line - 1]) and _claims(self.lines[line - 1]):
            texts.append(self.lines[line - 1])

    def _column_names(self, start: int, count: int) -> list[str]:
        """Return the names of values: those of an SQL statement or a comment.

        Otherwise they are numbers.
        """
        at = bisect_left(self.inserts, start)
        found = _match_insert(self.text, self.inserts[at - 1]) if at else None
        for row in [found[1]] if found else self.comments:
            names = [name.strip(' `"[]\n') for name in row.split(",")]
            if len(names) == count and (found or all(map(_is_name, names))):
                return names
        return [str(n) for n in range(1, count + 1)]

    # Headings

    def _find_heads(self) -> list[str]:
        """Return for each line the heading that holds for it; empty without one."""
        inside = {
            line
            for start, end in self.blocks.values()
            for line in range(
                bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1)
            )
        }
        is_code = 2 * sum(start >= 0 for start in self.innermost) > len(self.fens)
        heads, head, strength = [], "", 0
        for at, line in enumerate(self.lines):
            is_outside = at not in self.fens_of_line and at not in inside
            if is_outside and line.strip() and (not is_code or _is_comment(line)):
                text, is_marked = line, bool(_is_marked(line))
                if _is_underline(line) and at and at - 1 not in self.fens_of_line:
                    text, is_marked = self.lines[at - 1], True
                if (is_marked or self._is_apart(at)) and not has_moves(text):
                    if _claims(text) or words.find_side(text):
                        head, strength = text.strip(), _strength(text) * is_marked
                        self.headings.add(at)
                    elif not (
                        _is_aside(text)
                        or _is_number(text)
                        or _strength(text) < strength
                        if is_marked
                        else strength or self._has_fens(at)
                    ):
                        head = ""
            heads.append(head)
        return heads

    def _has_fens(self, line: int) -> bool:
        return self.fens_of_paragraph[self.paragraphs[line]] > 0

    def _is_apart(self, line: int) -> bool:
        """Return whether a line may be a heading without being marked.

        It belongs to the record above if its paragraph begins with a FEN, and to the
        only record of its paragraph.
        """
        count = self.fens_of_paragraph[self.paragraphs[line]]
        return not count or (count > 1 and not self._begins_with_fen(line))

    def _begins_with_fen(self, line: int) -> bool:
        first = bisect_left(self.paragraphs, self.paragraphs[line])
        lines = range(first, len(self.lines))
        first = next((at for at in lines if self.lines[at].strip()), first)
        return first in self.fens_of_line

    # Lists

    def _number(self, line: int) -> str:
        """Return the number of the record with a FEN in this line."""
        found = _match_answer(self.lines[line])
        if found is None and line and _is_number(self.lines[line - 1]):
            found = re.search(r"(\d+)", self.lines[line - 1])
        return found[1] if found else ""

    def _find_answers(self) -> tuple[dict[str, str], int]:
        """Find the solutions at the end of a list.

        Returns
        -------
        answers : dict of str to str
            By the numbers of all records; empty if there are none.
        end : int
            The line where they begin, or how many lines there are.
        """
        places = (at for at, line in enumerate(self.lines) if _is_answers(line))
        begin = next(places, 0)
        found = filter(None, map(_match_answer, self.lines[begin + 1 :]))
        answers = {one[1]: one[2] for one in found}
        if begin > self.line_of[-1] > 0 and answers.keys() >= {*self.numbers}:
            return answers, begin
        return {}, len(self.lines)

    def _read_around(self, at: int, fields: dict[str, str], texts: list[str]) -> None:
        fen, line = self.fens[at], self.line_of[at]
        start, text = self.starts[line], self.lines[line]
        before, after = text[: fen.start - start], text[fen.end - start :]
        if self.fens_of_line[line] > 1:  # what follows each belongs to it
            is_last = at + 1 == len(self.fens) or self.line_of[at + 1] != line
            end = len(text) if is_last else self.fens[at + 1].start - start
            before, after = "", text[fen.end - start : end]
        self._read_line(before, after, fields, texts)
        for near in self._near(at):
            other = self.lines[near]
            label = _match_label(other)
            if label and not has_moves(label["name"]):
                fields.setdefault(label["name"].strip(), label["value"].strip())
                if _claims(label["name"]):
                    texts.append(label["name"])
            elif near < line and not has_moves(other):
                fields.setdefault("name", other.strip(" \t#*-/"))
                if _claims(other):
                    texts.append(other)
            elif other.strip():
                texts.append(other)
        if sign := self._sign_before(before):
            texts.insert(0, sign)

    @staticmethod
    def _read_line(
        before: str, after: str, fields: dict[str, str], texts: list[str]
    ) -> None:
        """Read what stands before and after a FEN in its line."""
        after = _TAG.sub(" ", after).replace("\\#", "#")  # as LaTeX has it
        before = _LIST_MARK.sub("", before, count=1)
        if is_operation(after):
            for opcode, operand in operations_of(after):
                fields.setdefault(opcode, operand)
        elif _is_attribute(after):
            for pair in _find_pairs(after):
                fields.setdefault(pair["name"], _unquote(pair["value"]))
        else:
            texts.append(after.strip())
        if not _is_fen_label(before):
            texts.append(before.strip())
        texts[:] = [text for text in texts if text.strip(_SEPARATORS)]

    def _near(self, at: int) -> list[int]:
        """Return the other lines that belong to a FEN."""
        line, paragraph = self.line_of[at], self.paragraphs[self.line_of[at]]
        last = self.line_of[at - 1] if at else -1
        end = self.line_of[at + 1] if at + 1 < len(self.fens) else self.end
        last, end = max(last, line - _MOST_LINES), min(end, line + _MOST_LINES)
        headings = self.headings if at + 1 < len(self.fens) else set()

        def own(lines: range) -> list[int]:
            return [
                n for n in lines if n not in headings and not _is_empty(self.lines[n])
            ]

        following = own(range(line + 1, end))
        same = [n for n in following if self.paragraphs[n] == paragraph]
        before = [
            n
            for n in range(last + 1, line)
            if self.paragraphs[n] == paragraph
            and n not in self.headings
            and not _is_empty(self.lines[n])
        ]
        if self.fens_of_paragraph[paragraph] > 1:
            if self._begins_with_fen(line):
                return same
            is_last = at + 1 == len(self.fens)
            name = [n for n in before[-1:] if not self._belongs_above(n)]
            return [n for n in same if is_last or self._belongs_above(n)] + name
        if not any(has_moves(self.lines[n]) for n in same):  # perhaps after a blank one
            same += [
                n
                for n in following[len(same) :][:_NEAR_MOVES]
                if has_moves(self.lines[n])
                or (
                    not same
                    and (_claims(self.lines[n]) or words.find_sign(self.lines[n]))
                )
            ]
        return before + same

    def _belongs_above(self, line: int) -> bool:
        return has_moves(self.lines[line]) or bool(_match_label(self.lines[line]))

    def _sign_before(self, before: str) -> str:
        """Return a sign before a FEN, as `#2`, unless such signs number records."""
        found = _match_sign_before(before)
        if found is None or not self.has_signs:
            return ""
        return f"#{next(filter(None, found.groups()))}"

    @cached_property
    def has_signs(self) -> bool:
        """Whether signs before FENs are claims, and do not number the records."""
        places = zip(self.fens, self.line_of, strict=True)
        found = (
            _match_sign_before(self.text, self.starts[line], fen.start)
            for fen, line in places
        )
        numbers = [int(next(filter(None, one.groups()))) for one in found if one]
        is_serial = any(b - a == 1 for a, b in pairwise(numbers))
        return not (is_serial and len({*numbers}) == len(numbers)) and len(numbers) > 1


def _strength(line: str) -> int:
    """Return the rank of a marked heading: 9 for a title, less for each level below."""
    found = _match_level(line)
    return 9 - len(found[1] or found[2]) if found else 1


def _spaced(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])|_", " ", name)


def _claims(line: str) -> bool:
    """Return whether a line says a length, another stipulation, or an aim."""
    plain = _spaced(line)
    said, others = words.find_words(plain, _WHITE)
    return bool(said or others or words.find_lengths(line, _WHITE)) or words.has_goal(
        line
    )


def _object_move(found: re.Match[str]) -> str:
    """Return the move that an object is, in quotes."""
    move = {pair["name"]: _unquote(pair["value"]) for pair in _find_pairs(found[0])}
    squares = f"{move.get('from', '')}{move.get('to', '')}"
    return f'"{move.get("san") or move.get("uci") or squares}"'


def _unquote(value: str) -> str:
    """Return a value of code as text: lists with spaces, and moves as in UCI."""
    value = value.strip()
    value = value[1:-1] if value[:2] in {"{[", "{'", '{"', "{`"} else value  # of JSX
    if value.startswith("["):
        value = _OBJECT.sub(_object_move, value)
    if value.startswith("[") or value.endswith(")"):
        return " ".join(_literals(value))
    if value[:1] not in {'"', "'", "`"} or value[-1:] != value[:1]:
        return value
    return value[1:-1].replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"')


def _literals(code: str) -> Iterator[str]:
    """Yield the quoted texts and the numbers in code."""
    for quoted, number in _find_literals(code):
        yield _unquote(quoted) or number
