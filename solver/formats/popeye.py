"""Read and write Popeye's input (`.inp`): mates in n, by its English keywords.

The language is that of Popeye's manual (py-engl.txt, version 4.104), and of Popeye's
sources where the manual leaves something open. Keywords may be shortened to three
letters or more. Problems stand between `BeginProblem` and `EndProblem` and are
separated by `NextProblem`. These keywords are read:

- `Pieces White Kg3 Qh5 Pa2b2 Black Kd4`: letters and squares; a knight is S;
- `Forsyth`: runs of empty squares may be longer than a rank, and empty squares at the
  end are omitted; a knight is S here too, since N is the nightrider;
- `InitialGameArray`;
- `Stipulation #n`, which claims a mate in n; the last one counts;
- `Option`: see `popeye_options.Options`;
- `Title`: the problem's name.

`Author`, `Origin`, `Award`, `Remark` and `Protocol` extend to the end of their line and
are ignored. Fairy and neutral pieces, conditions, twins, and other stipulations are
refused. A problem that cannot be parsed is reported and skipped.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.errors import FormatError, InputError, quote
from solver.formats.claims import make_problem, printable
from solver.formats.composition import Composition
from solver.formats.popeye_options import expand, parse_squares
from solver.formats.streams import MAX_RECORD_BYTES, decode
from solver.problem import Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.problem import Problem

POPEYE_HEAD = "BeginProblem\n"
"""The line before the first record of a file."""

POPEYE_SEPARATOR = "NextProblem\n"
"""The line between two records."""

POPEYE_TAIL = "EndProblem\n"
"""The line after the last record."""

_MAX_TITLE_BYTES = 200
"""Popeye's buffer holds about 250."""

_TEXTS = ("Author", "Award", "Origin", "Protocol", "Remark", "Title")
_BOUNDS = ("BeginProblem", "NextProblem", "EndProblem")
_COMMANDS = (
    *_TEXTS,
    "Condition",
    "Forsyth",
    "InitialGameArray",
    "Option",
    "Pieces",
    "SStipulation",
    "Stipulation",
    "Twin",
    "ZeroPosition",
)
_COLORS = {"White": chess.WHITE, "Black": chess.BLACK}
_OTHER_COLORS = ("Neutral", "TotalInvisible")
_WORD = re.compile(r"[^\s;,]+")
_PIECES = re.compile(
    r"(?P<piece>[a-z]|[a-z][a-z0-9]|[0-9]{2})(?P<squares>(?:[a-h][1-8])*)",
    re.IGNORECASE,
)
_FORSYTH = re.compile(r"[0-9]{1,2}|/|\.\w\w|.")
_TO_POPEYE = str.maketrans("Nn", "Ss")


def read_popeye(
    lines: Iterable[tuple[int, bytes]], name: str
) -> Iterator[Problem | FormatError]:
    """Read the problems of an input file for Popeye.

    Parameters
    ----------
    lines : iterable of tuple
        Number, from 1, and bytes of each line.
    name : str
        The file's name in `file:line`.

    Yields
    ------
    Problem or FormatError
        One for each problem, in file order.
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


def write_popeye(problem: Problem) -> str:
    """Write a problem as a record, without the head, separator and tail of a file.

    Keys, line and the FEN's counters are lost, and a very long name is cut to what
    Popeye can hold.

    Parameters
    ----------
    problem : Problem
        It must claim a mate by the side to move.

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
        msg = f"Popeye: expected a claimed mate by the side to move, found {found}"
        raise InputError(msg)
    board = chess.Board(problem.fen)
    title = printable(problem.id).encode()[:_MAX_TITLE_BYTES].decode(errors="ignore")
    options = _options(board)
    lines = [
        *([f"Title {title}"] if title else []),
        f"Forsyth {board.board_fen().translate(_TO_POPEYE)}",
        f"Stipulation #{problem.claim.mate}",
        *([f"Option {' '.join(options)}"] if options else []),
    ]
    return "".join(f"{line}\n" for line in lines)


def _describe(problem: Problem) -> str:
    if problem.claim:
        return f"the side to move mated in {-problem.claim.mate}"
    return "none" if problem.no_mate is None else f"no mate in {problem.no_mate}"


def _options(board: chess.Board) -> list[str]:
    options = [] if board.turn else ["HalfDuplex"]
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
            self.fault = f"expected at most {MAX_RECORD_BYTES} bytes, found more"


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
    for number, raw in lines:
        line = decode(raw)
        if len(raw) > MAX_RECORD_BYTES:  # the line has been cut
            yield _Word(number, line)
            continue
        start = 0
        while word := _WORD.search(line, start):
            start = word.end()
            yield _Word(number, word[0], expand(word[0], _BOUNDS))
            if expand(word[0], _TEXTS):
                yield _Word(number, line[start:].strip(" \t\r\n;.,"))
                break


def _parse(words: deque[str], source: str) -> Problem:
    composition = Composition()
    titles = []
    while words:
        word = words.popleft()
        match expand(word, _COMMANDS):
            case "Title":
                titles.append(words.popleft())
            case text if text in _TEXTS:
                words.popleft()
            case "Pieces":
                _parse_pieces(composition, words)
            case "Forsyth":
                _set_up(composition, _next_word("Forsyth", words))
            case "InitialGameArray":
                _set_up(composition, chess.STARTING_BOARD_FEN.translate(_TO_POPEYE))
            case "Stipulation":
                composition.stipulate(_next_stipulation(words))
            case "Option":
                _parse_options(composition, words)
            case keyword:
                raise _refusal(keyword, word, words)
    board = composition.board()
    return make_problem(
        board.fen(en_passant="fen"),
        printable(" ".join(titles)),
        source,
        Claim(composition.moves),
        None,
    )


def _refusal(keyword: str | None, word: str, words: deque[str]) -> InputError:
    match keyword:
        case "Condition":
            found = quote(words[0]) if words else "one"
            return InputError(f"conditions: expected none, found {found}")
        case "Twin" | "ZeroPosition":
            return InputError(f"twins: expected none, found {quote(word)}")
        case "SStipulation":
            return InputError(f"stipulation: expected #n, found {quote(word)}")
    return InputError(f"expected a keyword of Popeye, found {quote(word)}")


def _next_word(keyword: str, words: deque[str]) -> str:
    if not words:
        msg = f"{keyword}: expected more, found the end of the problem"
        raise InputError(msg)
    return words.popleft()


def _next_stipulation(words: deque[str]) -> str:
    goal = _next_word("stipulation", words)
    return goal + _next_word("stipulation", words) if goal == "#" else goal


def _parse_options(composition: Composition, words: deque[str]) -> None:
    if not composition.options.parse_next(words):
        found = quote(words[0]) if words else "none"
        msg = f"option: expected an option of Popeye, found {found}"
        raise InputError(msg)
    while composition.options.parse_next(words):
        pass


def _parse_pieces(composition: Composition, words: deque[str]) -> None:
    color: chess.Color | None = None
    while words:
        if name := expand(words[0], (*_COLORS, *_OTHER_COLORS), shortest=2):
            if name not in _COLORS:
                msg = f"pieces: expected White or Black, found {quote(words[0])}"
                raise InputError(msg)
            color = _COLORS[name]
            words.popleft()
            continue
        if color is None:
            msg = f"pieces: expected White or Black, found {quote(words[0])}"
            raise InputError(msg)
        if not (pieces := _PIECES.fullmatch(words[0])):
            return
        words.popleft()
        # The squares may be a word of their own: P a2b2.
        squares = pieces["squares"] or _next_word("pieces", words)
        if not parse_squares(squares):
            msg = f"pieces: expected squares after {pieces[0]}, found {quote(squares)}"
            raise InputError(msg)
        for square in parse_squares(squares):
            composition.place(pieces["piece"], color, square)


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
