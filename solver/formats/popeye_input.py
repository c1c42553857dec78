"""Read Popeye's input (`.inp`) in English or German, and write it in English.

`read_inputs` returns what was entered, for the command `popeye`. `read_popeye` makes a
problem of each twin, whose label follows the name, as in `Title a)`; `Duplex` makes two
of each. It ignores options that concern the output or the cost of a search, and texts
other than the title. Anything that cannot be parsed is reported and skipped.

The language follows Popeye's manual (py-engl.txt, version 4.104), and Popeye's sources
where the manual is unclear. Keywords may be shortened as long as they are unambiguous;
those of texts, and those that begin or end a problem or a twin, to three letters.
Problems are between `BeginProblem`, whose language is that of all words, and
`EndProblem`, separated by `NextProblem`. These keywords are read:

- `Pieces White Kg3 Qh5 Pa2b2 Black Kd4`: letters and squares; a knight is S;
- `Forsyth`: see `Composition.place_all`, with the same letters;
- `InitialGameArray`;
- `Stipulation h#2`: see `solver.stipulation`; the last one counts;
- `Option`: see `popeye_words.Options`;
- `Twin` and `ZeroPosition`: see `twins`;
- `Author`, `Award`, `Origin`, `Protocol`, `Remark` and `Title`, which extend to the end
  of their line; also before `BeginProblem`.

Fairy and neutral pieces, conditions and other stipulations are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.errors import FormatError, InputError, quote
from solver.formats.claims import printable
from solver.formats.composition import Composition
from solver.formats.popeye_words import (
    COMMANDS,
    ENGLISH,
    LANGUAGES,
    STRUCTURE,
    TEXTS,
    WORD,
    Words,
    mark,
    next_stipulation,
    next_word,
    parse_pieces,
    shown,
)
from solver.formats.streams import MAX_RECORD_BYTES, Lines, Records, decode, read_each
from solver.formats.summary import FileSummary
from solver.formats.twins import Twin, label_of, make_problems, parse_twin
from solver.stipulation import EXPECTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.formats.popeye_words import Options
    from solver.problem import Problem

POPEYE_HEAD = "BeginProblem\n"
"""The line before the first record of a file."""

POPEYE_SEPARATOR = "NextProblem\n"
"""The line between two records."""

POPEYE_TAIL = "EndProblem\n"
"""The line after the last record."""

_MAX_TITLE_BYTES = 200
"""Popeye's buffer holds about 250."""

_TO_POPEYE = str.maketrans("Nn", "Ss")
"""Popeye's letters for those of a FEN."""

_BOUNDS, _TWINS = STRUCTURE[:3], STRUCTURE[3:]
_PARTS = {"Stipulation": "stipulation", "Option": "options", "Title": "name"}
_PARTS |= dict.fromkeys(("Pieces", "Forsyth", "InitialGameArray"), "position")
_PARTS |= dict.fromkeys(_TWINS, "twins")
"""What is read from each keyword, for the summary."""

_MAX_TWINS = 999


class PopeyeInput(NamedTuple):
    """A problem with its twins, as it was entered.

    Attributes
    ----------
    source : str
        `file:line`.
    texts : tuple of (str, str)
        In their order, each with its keyword: `Author`, `Award`, `Origin`, `Protocol`,
        `Remark` or `Title`.
    diagram : Composition
        The position before any change. With `ZeroPosition` it is not to be solved.
    twins : tuple of Twin or FormatError
        The problems to solve, at least one. Without twins its label is empty. An error
        stands for a twin that could not be parsed.
    has_zero_position : bool
        Whether the first twin is already changed.
    """

    source: str
    texts: tuple[tuple[str, str], ...]
    diagram: Composition
    twins: tuple[Twin | FormatError, ...]
    has_zero_position: bool = False

    @property
    def options(self) -> Options:
        """The diagram's options, which the twins share."""
        return self.diagram.options


def read_inputs(lines: Lines, name: str) -> Iterator[PopeyeInput | FormatError]:
    """Read the problems of an input file for Popeye; see `read_each`.

    The positions of the twins are not yet checked: `Composition.position` does.
    """
    return read_each(_split(lines), name, partial(_parse, FileSummary(name)))


@dataclass(slots=True)
class _Record:
    """The words between two of the keywords that separate problems.

    Attributes
    ----------
    line : int
        The line where it begins, from 1.
    words : Words
        A keyword such as `Title` is followed by the rest of its line.
    fault : str
        Why it cannot be a problem, or empty.
    size : int
        Characters of the words.
    in_twins : bool
        Whether one of them begins a twin.
    """

    line: int
    words: Words
    fault: str = ""
    size: int = 0
    in_twins: bool = False

    def add(self, line: int, word: str) -> None:
        if not self.size:
            self.line = line
        self.size += len(word) + 1
        if self.size <= MAX_RECORD_BYTES:
            self.words.append(word)
        else:
            self.fault = f"expected at most {MAX_RECORD_BYTES:,} bytes, found more"


def _split(lines: Lines) -> Iterator[tuple[int, _Record]]:
    """Split a file into problems; what follows `EndProblem` is ignored."""
    record = None
    has_begun = False
    for number, raw in lines:
        line, start = decode(raw), 0
        is_cut = len(raw) > MAX_RECORD_BYTES
        while word := WORD.search(line, start):
            start = len(line) if is_cut else word.end()
            keyword, language = _find_mark("" if is_cut else word[0], record)
            if keyword in _BOUNDS:
                if record:
                    is_new = keyword == "BeginProblem"
                    record.fault = _unfinished(word[0]) if is_new else record.fault
                    yield record.line, record
                is_over = keyword == "EndProblem"
                record = None if is_over else _Record(number, Words(language=language))
            elif record:
                record.add(number, line if is_cut else word[0])
                record.in_twins |= keyword in _TWINS
            elif not has_begun and keyword not in TEXTS:
                fault = (
                    f"expected BeginProblem or AnfangProblem, found {quote(word[0])}"
                )
                yield number, _Record(number, Words(), fault)
            has_begun |= keyword not in TEXTS
            if keyword in TEXTS:
                if record:
                    record.add(number, line[start:].strip(" \t\r\n;.,"))
                break
    if record and record.size:
        record.fault = _unfinished("the end of the file")
        yield record.line, record


def _find_mark(word: str, record: _Record | None) -> tuple[str | None, int]:
    """Return what a word marks, and its language; see `mark`."""
    if record:
        language = record.words.language
        return mark(word, language, in_twins=record.in_twins), language
    for language in LANGUAGES:
        if (keyword := mark(word, language)) in ("BeginProblem", *TEXTS):
            return keyword, language
    return None, ENGLISH


def _unfinished(found: str) -> str:
    return f"expected NextProblem or EndProblem, found {found}"


def _parse(summary: FileSummary, record: _Record, source: str) -> PopeyeInput:
    if record.fault:
        raise InputError(record.fault)
    words = record.words
    diagram = Composition()
    texts: list[tuple[str, str]] = []
    twins: list[Twin | FormatError] = []
    has_zero_position = False
    while words:
        marked = mark(words[0], words.language, in_twins=bool(twins))
        keyword = marked or words.keyword(COMMANDS)
        word = words.popleft()
        if keyword in _PARTS:
            summary.read(_PARTS[keyword], keyword)
        elif marked:
            summary.ignore(marked)
        if marked and marked in TEXTS:
            texts.append((marked, words.popleft()))
        elif marked in _TWINS:
            has_zero_position |= marked == "ZeroPosition" and not twins
            _parse_twin(marked, diagram, twins, words, source)
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
        tuple(twins) or (Twin("", diagram),),
        has_zero_position,
    )


def _parse_twin(
    keyword: str,
    diagram: Composition,
    twins: list[Twin | FormatError],
    words: Words,
    source: str,
) -> None:
    """Add a twin, or an error in its place."""
    if keyword == "Twin" and not twins:
        twins.append(Twin(label_of(0), diagram))
    if len(twins) == _MAX_TWINS:
        fault = f"twins: expected at most {_MAX_TWINS}, found more"
        twins.append(FormatError(source, fault))
        words.clear()
        return
    label = label_of(len(twins))
    if keyword == "ZeroPosition" and twins:
        fault = "ZeroPosition: expected it before the twins, found it after one"
        twins.append(FormatError(source, f"twin {label}): {fault}"))
        return
    own = _take_twin(words)
    twins.append(parse_twin(label, diagram, twins, own, source))
    words.extendleft(reversed(own))


def _take_twin(words: Words) -> Words:
    """Remove and return the words up to the next twin."""
    taken = Words(language=words.language)
    while words:
        keyword = mark(words[0], words.language, in_twins=True)
        if keyword in _TWINS:
            break
        taken.extend(words.popleft() for _ in range(1 + (keyword in TEXTS)))
    return taken


def _parse_command(
    keyword: str | None, composition: Composition, word: str, words: Words
) -> None:
    match keyword:
        case "Pieces":
            parse_pieces(words, composition.place)
        case "Forsyth":
            composition.place_all(next_word("Forsyth", words), words.language)
        case "InitialGameArray":
            composition.place_all(chess.STARTING_BOARD_FEN.translate(_TO_POPEYE))
        case "Stipulation":
            composition.stipulate(next_stipulation(words))
        case "Option":
            _parse_options(composition, words)
        case "Condition":
            msg = f"conditions: expected none, found {shown(words, 'one')}"
            raise InputError(msg)
        case "SStipulation":
            msg = f"stipulation: expected {EXPECTED}, found {quote(word)}"
            raise InputError(msg)
        case _:
            msg = f"expected a keyword of Popeye, found {quote(word)}"
            raise InputError(msg)


def _parse_options(composition: Composition, words: Words) -> None:
    if not composition.options.parse_next(words):
        msg = f"option: expected an option of Popeye, found {shown(words)}"
        raise InputError(msg)
    while composition.options.parse_next(words):
        pass


def read_popeye(lines: Lines, summary: FileSummary) -> Records:
    """Read the problems of an input file for Popeye; see `read_each`.

    Yields
    ------
    Problem or FormatError
        One for each problem and twin, in file order.
    """

    def parse(record: _Record, source: str) -> Records:
        found = _parse(summary, record, source)
        found.options.refuse("PostKeyPlay")
        titles = [text for keyword, text in found.texts if keyword == "Title"]
        name = printable(" ".join(titles))
        return make_problems(found.twins, name, source, summary)

    for found in read_each(_split(lines), summary.name, parse):
        yield from [found] if isinstance(found, FormatError) else found


def write_popeye(problem: Problem) -> str:
    """Write a problem as a record, without the head, separator and tail of a file.

    The keys, the line and the FEN's counters are lost, and a very long name is cut to
    what Popeye can hold.

    Parameters
    ----------
    problem : Problem
        It must have a stipulation or claim a mate by the side to move.

    Returns
    -------
    str
        The lines of the record.

    Raises
    ------
    InputError
        If the problem claims anything else, which Popeye cannot express.
    """
    if problem.claim is None or problem.claim.mate < 0:
        found = _describe(problem)
        msg = f"Popeye: expected a claim that the side to move mates, found {found}"
        raise InputError(msg)
    board = chess.Board(problem.fen)
    title = printable(problem.id).encode()[:_MAX_TITLE_BYTES].decode(errors="ignore")
    options = _options(board, problem.stipulation.white_begins)
    lines = [
        *([f"Title {title}"] if title else []),
        f"Forsyth {board.board_fen().translate(_TO_POPEYE)}",
        f"Stipulation {problem.stipulation.numbered(problem.claim.mate)}",
        *([f"Option {' '.join(options)}"] if options else []),
    ]
    return "".join(f"{line}\n" for line in lines)


def _describe(problem: Problem) -> str:
    if problem.claim:
        return f"the side to move mated in {-problem.claim.mate}"
    return "none" if problem.no_mate is None else f"no mate in {problem.no_mate}"


def _options(board: chess.Board, side: chess.Color) -> list[str]:
    options = [] if board.turn == side else ["HalfDuplex"]
    rights = board.castling_rights
    board.castling_rights = chess.BB_CORNERS
    lost = chess.SquareSet(board.clean_castling_rights() & ~rights)
    if lost:
        options.append(f"NoCastling {''.join(map(chess.square_name, lost))}")
    if (skipped := board.ep_square) is not None:
        forward = 8 if chess.square_rank(skipped) == 2 else -8  # of the pawn that moved
        way = (skipped - forward, skipped, skipped + forward)
        options.append(f"EnPassant {''.join(map(chess.square_name, way))}")
    return options
