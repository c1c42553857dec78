"""Popeye's input as data: the texts, options and twins of each problem.

The language is that of Popeye's manual (py-engl.txt, version 4.104), and of Popeye's
sources where the manual leaves something open. Keywords may be shortened to three
letters or more. Problems stand between `BeginProblem` and `EndProblem` and are
separated by `NextProblem`. These keywords are read:

- `Pieces White Kg3 Qh5 Pa2b2 Black Kd4`: letters and squares; a knight is S;
- `Forsyth`: runs of empty squares may be longer than a rank, and empty squares at the
  end are omitted; a knight is S here too, since N is the nightrider;
- `InitialGameArray`;
- `Stipulation h#2`: see `solver.stipulation`; the last one counts;
- `Option`: see `popeye_words.Options`;
- `Twin` and `ZeroPosition`: see `twins`;
- `Author`, `Award`, `Origin`, `Protocol`, `Remark` and `Title`, which extend to the end
  of their line.

Fairy and neutral pieces, conditions and other stipulations are refused.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.errors import FormatError, InputError, quote
from solver.formats.composition import Composition
from solver.formats.popeye_words import (
    WORD,
    expand,
    next_stipulation,
    next_word,
    parse_pieces,
)
from solver.formats.streams import MAX_RECORD_BYTES, decode
from solver.formats.twins import Twin, label_of, parse_twin
from solver.stipulation import EXPECTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.formats.popeye_words import Options

TO_POPEYE = str.maketrans("Nn", "Ss")
"""From the letters of a FEN to Popeye's."""

_TEXTS = ("Author", "Award", "Origin", "Protocol", "Remark", "Title")
_BOUNDS = ("BeginProblem", "NextProblem", "EndProblem")
_TWINS = ("Twin", "ZeroPosition")
_COMMANDS = (
    *_TEXTS,
    *_TWINS,
    "Condition",
    "Forsyth",
    "InitialGameArray",
    "Option",
    "Pieces",
    "SStipulation",
    "Stipulation",
)
_FORSYTH = re.compile(r"[0-9]{1,2}|/|\.\w\w|.")


_MAX_TWINS = 999


class Text(NamedTuple):
    """The rest of a line after a keyword.

    Attributes
    ----------
    keyword : str
        `Author`, `Award`, `Origin`, `Protocol`, `Remark` or `Title`.
    text : str
    """

    keyword: str
    text: str


class PopeyeInput(NamedTuple):
    """A problem with its twins, as it was entered.

    Attributes
    ----------
    source : str
        `file:line`.
    texts : tuple of Text
        In their order.
    diagram : Composition
        The position before any change. With `ZeroPosition` it is not to be solved.
    options : Options
        The diagram's, which the twins share.
    twins : tuple of Twin or FormatError
        The problems to solve, at least one. Without twins its label is empty. An error
        stands for a twin that could not be parsed.
    has_zero_position : bool
        Whether the first twin is already changed.
    """

    source: str
    texts: tuple[Text, ...]
    diagram: Composition
    options: Options
    twins: tuple[Twin | FormatError, ...]
    has_zero_position: bool = False


def read_inputs(
    lines: Iterable[tuple[int, bytes]], name: str
) -> Iterator[PopeyeInput | FormatError]:
    """Read the problems of an input file for Popeye.

    Parameters
    ----------
    lines : iterable of tuple
        Number, from 1, and bytes of each line.
    name : str
        The file's name in `file:line`.

    Yields
    ------
    PopeyeInput or FormatError
        One for each problem, in file order. The positions of the twins are not yet
        checked: `Composition.board` does that.
    """
    for record in _split(lines):
        source = f"{name}:{record.line}"
        if record.fault:
            yield FormatError(source, record.fault)
            continue
        try:
            yield _parse(record.words, source)
        except InputError as error:
            yield FormatError(source, str(error))


class _Word(NamedTuple):
    """A word, or the rest of a line after a keyword such as `Title`.

    Attributes
    ----------
    line : int
        From 1.
    text : str
    bound : str or None
        The full keyword, if it is one that separates problems.
    """

    line: int
    text: str
    bound: str | None = None


@dataclass(slots=True)
class _Record:
    """The words between two of the keywords that separate problems.

    Attributes
    ----------
    line : int
        The line where it begins, from 1.
    fault : str
        Why it cannot be a problem, or empty.
    words : deque of str
        A keyword such as `Title` is followed by the rest of its line.
    size : int
        Characters of the words.
    """

    line: int
    fault: str = ""
    words: deque[str] = field(default_factory=deque)
    size: int = 0

    def add(self, word: _Word) -> None:
        if not self.size:
            self.line = word.line
        self.size += len(word.text) + 1
        if self.size <= MAX_RECORD_BYTES:
            self.words.append(word.text)
        else:
            self.fault = f"expected at most {MAX_RECORD_BYTES:,} bytes, found more"


def _split(lines: Iterable[tuple[int, bytes]]) -> Iterator[_Record]:
    """Split a file into problems; what follows `EndProblem` is ignored."""
    words = _scan(lines)
    first = next(words, None)
    if first is None:
        return
    if first.bound != "BeginProblem":
        fault = f"expected BeginProblem, in English, found {quote(first.text)}"
        yield _Record(first.line, fault)
    record = None
    for word in chain([first], words):
        if word.bound is None:
            if record:
                record.add(word)
            continue
        if record:
            if word.bound == "BeginProblem":
                record.fault = _unfinished(word.text)
            yield record
        record = None if word.bound == "EndProblem" else _Record(word.line)
    if record and record.size:
        record.fault = _unfinished("the end of the file")
        yield record


def _unfinished(found: str) -> str:
    return f"expected NextProblem or EndProblem, found {found}"


def _scan(lines: Iterable[tuple[int, bytes]]) -> Iterator[_Word]:
    in_twins = False
    for number, raw in lines:
        line = decode(raw)
        if len(raw) > MAX_RECORD_BYTES:  # the line has been cut
            yield _Word(number, line)
            continue
        start = 0
        while word := WORD.search(line, start):
            start = word.end()
            bound = expand(word[0], _BOUNDS)
            yield _Word(number, word[0], bound)
            in_twins = not bound and (in_twins or expand(word[0], _TWINS) is not None)
            if _text_keyword(word[0], in_twins=in_twins):
                yield _Word(number, line[start:].strip(" \t\r\n;.,"))
                break


def _text_keyword(word: str, *, in_twins: bool) -> str | None:
    """Return the keyword of a text; in twins, `rem` is short for `Remove`."""
    if in_twins and expand(word, ("Remove",)):
        return None
    return expand(word, _TEXTS)


def _parse(words: deque[str], source: str) -> PopeyeInput:
    diagram = Composition()
    texts = []
    twins: list[Twin | FormatError] = []
    has_zero_position = False
    while words:
        word = words.popleft()
        keyword = expand(word, _COMMANDS)
        if keyword in _TEXTS and _text_keyword(word, in_twins=bool(twins)):
            texts.append(Text(keyword, words.popleft()))
        elif keyword in _TWINS:
            has_zero_position |= keyword == "ZeroPosition" and not twins
            _parse_twin(keyword, diagram, twins, words, source)
        elif twins:  # the words after a fault are skipped
            if isinstance(twins[-1], Twin):
                expected = "expected Twin, NextProblem or EndProblem"
                fault = f"twin {twins[-1].label}): {expected}, found {quote(word)}"
                twins[-1] = FormatError(source, fault)
        else:
            _parse_command(keyword, diagram, word, words)
    return PopeyeInput(
        source,
        tuple(texts),
        diagram,
        diagram.options,
        tuple(twins) or (Twin("", diagram),),
        has_zero_position,
    )


def _parse_twin(
    keyword: str,
    diagram: Composition,
    twins: list[Twin | FormatError],
    words: deque[str],
    source: str,
) -> None:
    """Add a twin, or the error that stands for it."""
    if keyword == "Twin" and not twins:
        twins.append(Twin(label_of(0), diagram))
    if len(twins) == _MAX_TWINS:
        fault = f"twins: expected at most {_MAX_TWINS}, found more"
        twins.append(FormatError(source, fault))
        words.clear()
        return
    label = label_of(len(twins))
    if keyword == "ZeroPosition" and twins:
        fault = "ZeroPosition: expected before the twins, found after one"
        twins.append(FormatError(source, f"twin {label}): {fault}"))
        return
    before = twins[-1] if twins else Twin("", diagram)
    last = before.composition if isinstance(before, Twin) else None
    own = _take_twin(words)
    try:
        twins.append(parse_twin(label, diagram, last, own))
    except InputError as error:
        twins.append(FormatError(source, str(error)))
    words.extendleft(reversed(own))


def _take_twin(words: deque[str]) -> deque[str]:
    """Remove the words up to the next twin: a change without an end takes no more."""
    taken: deque[str] = deque()
    while words and not expand(words[0], _TWINS):
        if _text_keyword(words[0], in_twins=True):
            taken.append(words.popleft())
        taken.append(words.popleft())
    return taken


def _parse_command(
    keyword: str | None, composition: Composition, word: str, words: deque[str]
) -> None:
    match keyword:
        case "Pieces":
            parse_pieces(words, composition.place)
        case "Forsyth":
            _set_up(composition, next_word("Forsyth", words))
        case "InitialGameArray":
            _set_up(composition, chess.STARTING_BOARD_FEN.translate(TO_POPEYE))
        case "Stipulation":
            composition.stipulate(next_stipulation(words))
        case "Option":
            _parse_options(composition, words)
        case "Condition":
            found = quote(words[0]) if words else "one"
            msg = f"conditions: expected none, found {found}"
            raise InputError(msg)
        case "SStipulation":
            msg = f"stipulation: expected {EXPECTED}, found {quote(word)}"
            raise InputError(msg)
        case _:
            msg = f"expected a keyword of Popeye, found {quote(word)}"
            raise InputError(msg)


def _parse_options(composition: Composition, words: deque[str]) -> None:
    if not composition.options.parse_next(words):
        found = quote(words[0]) if words else "none"
        msg = f"option: expected an option of Popeye, found {found}"
        raise InputError(msg)
    while composition.options.parse_next(words):
        pass


def _set_up(composition: Composition, forsyth: str) -> None:
    """Place pieces from a8 to h8, then from a7 to h7, and so on."""
    index = 0
    for sign in _FORSYTH.findall(forsyth):
        if sign.isascii() and sign.isdecimal():
            index += int(sign)
        elif sign == "/":
            if index % 8:
                msg = f"Forsyth: expected full ranks before /, found {quote(forsyth)}"
                raise InputError(msg)
        else:
            rank, file = divmod(index, 8)
            if rank < 8:
                square = chess.square(file, 7 - rank)
                composition.place(sign, sign.isupper(), square)
            index += 1
    if index > 64:
        msg = f"Forsyth: expected at most 64 squares, found {index}"
        raise InputError(msg)
