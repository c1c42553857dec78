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

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.errors import FormatError, InputError, quote
from solver.formats import popeye_words as popeye
from solver.formats.composition import Composition
from solver.formats.popeye_words import TEXTS, WORD, Words, refuse, shown
from solver.formats.streams import MAX_RECORD_BYTES, Lines, Records, decode, read_each
from solver.formats.summary import FileSummary
from solver.formats.twins import Twin, Twins, label_of, make_problems, parse_twin
from solver.problem import printable
from solver.stipulation import EXPECTED

if TYPE_CHECKING:
    from collections.abc import Iterator

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

_BOUNDS, _TWINS = popeye.STRUCTURE[:3], popeye.STRUCTURE[3:]
_PARTS = {"Stipulation": "stipulation", "Option": "options", "Title": "name"}
_PARTS |= dict.fromkeys(("Pieces", "Forsyth", "InitialGameArray"), "position")
_PARTS |= dict.fromkeys(_TWINS, "twins")
"""What is read from each keyword, for the summary."""

_LINE = re.compile(".+", re.DOTALL)
_MAX_TWINS = 999
_AFTER_TWIN = "Twin, NextProblem or EndProblem"


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
    def options(self) -> popeye.Options:
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
    language : int
    fault : str
        Why it cannot be a problem, or empty.
    size : int
        Characters of the words.
    parts : list of (str, Words)
        Each begins with a word that marks a keyword such as `Twin`, or has none; that
        of a text such as `Title` extends to the end of the line.
    in_twins : bool
        Whether one of the parts is a twin.
    """

    line: int
    language: int = popeye.ENGLISH
    fault: str = ""
    size: int = 0
    parts: list[tuple[str, Words]] = field(default_factory=list)
    in_twins: bool = False

    def add(self, line: int, keyword: str | None, word: str) -> None:
        """Add a word, and what it marks; a text's word is the rest of its line."""
        if not self.size:
            self.line = line
        self.size += len(word) + 1
        self.in_twins |= keyword in _TWINS
        if self.size > MAX_RECORD_BYTES:
            self.fault = f"expected at most {MAX_RECORD_BYTES:,} bytes, found more"
        elif keyword or not self.parts or self.parts[-1][0] in TEXTS:
            self.parts.append((keyword or "", Words([word], self.language)))
        else:
            self.parts[-1][1].append(word)


def _split(lines: Lines) -> Iterator[tuple[int, _Record]]:
    """Split a file into problems; what follows `EndProblem` is ignored."""
    record = None
    has_begun = False
    for number, raw in lines:
        line = decode(raw)
        pattern = WORD if len(raw) <= MAX_RECORD_BYTES else _LINE
        for found in pattern.finditer(line):
            word = found[0]
            keyword, language = _find_mark(word, record)
            is_text = keyword in TEXTS
            if keyword in _BOUNDS:
                if record:
                    if keyword == "BeginProblem":
                        record.fault = _unfinished(word)
                    yield record.line, record
                record = None if keyword == "EndProblem" else _Record(number, language)
            elif record:
                record.add(number, keyword, line[found.start() :] if is_text else word)
            elif not has_begun and not is_text:
                fault = f"expected BeginProblem or AnfangProblem, found {quote(word)}"
                yield number, _Record(number, fault=fault)
            has_begun |= not is_text
            if is_text:
                break
    if record and record.size:
        record.fault = _unfinished("the end of the file")
        yield record.line, record


def _find_mark(word: str, record: _Record | None) -> tuple[str | None, int]:
    """Return what a word marks, and its language; see `mark`."""
    if record:
        keyword = popeye.mark(word, record.language, in_twins=record.in_twins)
        return keyword, record.language
    for language in popeye.LANGUAGES:
        if (keyword := popeye.mark(word, language)) in ("BeginProblem", *TEXTS):
            return keyword, language
    return None, popeye.ENGLISH


def _unfinished(found: str) -> str:
    return f"expected NextProblem or EndProblem, found {found}"


def _parse(summary: FileSummary, record: _Record, source: str) -> PopeyeInput:
    if record.fault:
        raise InputError(record.fault)
    diagram = Composition()
    texts: list[tuple[str, str]] = []
    twins: Twins = []
    has_zero_position = False
    for keyword, words in record.parts:
        _note(summary, keyword)
        if keyword in TEXTS:
            text = WORD.sub("", words[0], count=1).strip(" \t\r\n;.,")
            texts.append((keyword, text))
        elif keyword:
            words.popleft()
            has_zero_position |= keyword == "ZeroPosition" and not twins
            _add_twin(twins, keyword, diagram, words, source)
        elif not twins:
            while words:
                _parse_command(summary, diagram, words)
        elif isinstance(twins[-1], Twin):
            fault = f"twin {twins[-1].label}): expected {_AFTER_TWIN}"
            twins[-1] = FormatError(source, f"{fault}, found {quote(words[0])}")
    twins = twins or [Twin("", diagram)]
    return PopeyeInput(source, tuple(texts), diagram, tuple(twins), has_zero_position)


def _note(summary: FileSummary, keyword: str | None) -> None:
    if keyword in _PARTS:
        summary.read(_PARTS[keyword], keyword)
    elif keyword in TEXTS:
        summary.ignore(keyword)


def _add_twin(
    twins: Twins, keyword: str, diagram: Composition, words: Words, source: str
) -> None:
    """Add a twin, or an error in its place."""
    if keyword == "Twin" and not twins:
        twins.append(Twin(label_of(0), diagram))
    label = label_of(len(twins))
    if len(twins) == _MAX_TWINS:
        fault = f"twins: expected at most {_MAX_TWINS}, found more"
        twins.append(FormatError(source, fault))
    elif keyword == "ZeroPosition" and twins:
        fault = "ZeroPosition: expected it before the twins, found it after one"
        twins.append(FormatError(source, f"twin {label}): {fault}"))
    elif len(twins) < _MAX_TWINS:
        twins.append(parse_twin(label, diagram, twins, words, source, _AFTER_TWIN))


def _parse_command(summary: FileSummary, diagram: Composition, words: Words) -> None:
    """Parse a command, and remove it from the words."""
    keyword = words.keyword(popeye.COMMANDS)
    word = words.popleft()
    _note(summary, keyword)
    match keyword:
        case "Pieces":
            popeye.parse_pieces(words, diagram.place)
        case "Forsyth":
            diagram.place_all(popeye.next_word("Forsyth", words), words.language)
        case "InitialGameArray":
            diagram.place_all(chess.STARTING_BOARD_FEN.translate(_TO_POPEYE))
        case "Stipulation":
            diagram.stipulate(popeye.next_stipulation(words))
        case "Option":
            if not diagram.options.parse_next(words):
                refuse("option: expected an option of Popeye", shown(words))
            while diagram.options.parse_next(words):
                pass
        case "Condition":
            refuse("conditions: expected none", shown(words, "one"))
        case "SStipulation":
            refuse(f"stipulation: expected {EXPECTED}", quote(word))
        case _:
            refuse("expected a keyword of Popeye", quote(word))


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
        return make_problems(found.twins, printable(" ".join(titles)), source, summary)

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
        refuse("Popeye: expected a claim that the side to move mates", found)
    board = chess.Board(problem.fen)
    title = printable(problem.id).encode()[:_MAX_TITLE_BYTES].decode(errors="ignore")
    words = {
        "Title": title,
        "Forsyth": board.board_fen().translate(_TO_POPEYE),
        "Stipulation": problem.stipulation.numbered(problem.claim.mate),
        "Option": " ".join(_options(board, problem.stipulation.white_begins)),
    }
    return "".join(f"{keyword} {text}\n" for keyword, text in words.items() if text)


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
