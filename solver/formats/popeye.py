"""Read and write Popeye's input (`.inp`): mates in n, by its English keywords.

The language is that of Popeye's manual (py-engl.txt, version 4.104), and what the
manual leaves open was looked up in Popeye's sources. Its keywords may be shortened, to
three letters at least. Problems stand between `BeginProblem` and `EndProblem`, with
`NextProblem` between them. What is read:

- `Pieces White Kg3 Qh5 Pa2b2 Black Kd4`: letters and squares; a knight is S;
- `Forsyth`: runs of empty squares may be longer than a rank, and those at the end are
  not written; a knight is S here too, since N is the nightrider;
- `InitialGameArray`;
- `Stipulation #n`, which claims a mate in n; the last one counts;
- `Option`: see `popeye_options`;
- `Title`: the problem's name.

`Author`, `Origin`, `Award`, `Remark` and `Protocol` go to the end of their lines and
say nothing here. Refused are fairy and neutral men, conditions, twins, and other
stipulations. A problem that cannot be read costs itself only.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.errors import FormatError, InputError
from solver.formats.claims import make_problem, printable, quote
from solver.formats.composition import Composition
from solver.formats.popeye_options import expand, parse_squares
from solver.formats.streams import MAX_RECORD_BYTES, decode
from solver.problem import Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.problem import Problem

HEAD = "BeginProblem\n"
"""What stands before the first record of a file."""

SEPARATOR = "NextProblem\n"
"""What stands between two records."""

TAIL = "EndProblem\n"
"""What stands behind the last."""

_MAX_TITLE_BYTES = 200
"""Popeye has room for some 250."""

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
_MEN = re.compile(
    r"(?P<man>[a-z]|[a-z][a-z0-9]|[0-9]{2})(?P<squares>(?:[a-h][1-8])*)", re.IGNORECASE
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
        What to call the file.

    Yields
    ------
    Problem or FormatError
        One for each problem, in their order.
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
    """Write a problem as a record, to stand between `HEAD`, `SEPARATOR` and `TAIL`.

    Keys, line, and the counters of the FEN are left out, and of a very long name what
    Popeye has no room for.

    Parameters
    ----------
    problem : Problem
        One that claims a mate by the side to move.

    Returns
    -------
    str
        Its lines.

    Raises
    ------
    InputError
        If it claims anything else, which Popeye cannot be asked.
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
        return f"one of its own king in {-problem.claim.mate}"
    return "none" if problem.no_mate is None else f"no mate in {problem.no_mate}"


def _options(board: chess.Board) -> list[str]:
    options = [] if board.turn else ["HalfDuplex"]
    rights = board.castling_rights
    board.castling_rights = chess.BB_CORNERS
    lost = chess.SquareSet(board.clean_castling_rights() & ~rights)
    if lost:
        options.append(f"NoCastling {''.join(map(chess.square_name, lost))}")
    if (passed := board.ep_square) is not None:
        forward = 8 if chess.square_rank(passed) == 2 else -8  # of the pawn that passed
        way = (passed - forward, passed, passed + forward)
        options.append(f"EnPassant {''.join(map(chess.square_name, way))}")
    return options


class _Word(NamedTuple):
    """A word, or what follows a keyword such as `Title` to the end of the line.

    Attributes
    ----------
    line : int
        From 1.
    text : str
    bound : str or None
        The keyword, if it is one of those between problems.
    """

    line: int
    text: str
    bound: str | None = None


@dataclass(slots=True)
class _Record:
    """What stands between two bounds.

    Attributes
    ----------
    line : int
        Where it begins, from 1.
    fault : str
        Why it cannot be a problem, or empty.
    words : deque of str
        Behind a keyword such as `Title` stands the rest of its line.
    size : int
        Letters of the words.
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
    """Cut a file into its problems; what stands behind `EndProblem` is passed over."""
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
        record.fault = _unfinished("the file's end")
        yield record


def _unfinished(found: str) -> str:
    return f"expected NextProblem or EndProblem, found {found}"


def _scan(lines: Iterable[tuple[int, bytes]]) -> Iterator[_Word]:
    for number, raw in lines:
        line = decode(raw)
        if len(raw) > MAX_RECORD_BYTES:  # and so it was cut
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
                _take_men(composition, words)
            case "Forsyth":
                _set_up(composition, _take_word("Forsyth", words))
            case "InitialGameArray":
                _set_up(composition, chess.STARTING_BOARD_FEN.translate(_TO_POPEYE))
            case "Stipulation":
                composition.stipulate(_take_stipulation(words))
            case "Option":
                _take_options(composition, words)
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
    return InputError(f"expected a keyword of Popeye's, found {quote(word)}")


def _take_word(keyword: str, words: deque[str]) -> str:
    if not words:
        msg = f"{keyword}: expected more, found the problem's end"
        raise InputError(msg)
    return words.popleft()


def _take_stipulation(words: deque[str]) -> str:
    aim = _take_word("stipulation", words)
    return aim + _take_word("stipulation", words) if aim == "#" else aim


def _take_options(composition: Composition, words: deque[str]) -> None:
    if not composition.options.take(words):
        found = quote(words[0]) if words else "none"
        msg = f"option: expected one of Popeye's, found {found}"
        raise InputError(msg)
    while composition.options.take(words):
        pass


def _take_men(composition: Composition, words: deque[str]) -> None:
    color: chess.Color | None = None
    while words:
        if name := expand(words[0], (*_COLORS, *_OTHER_COLORS), shortest=2):
            if name not in _COLORS:
                msg = f"men: expected white and black ones, found {quote(words[0])}"
                raise InputError(msg)
            color = _COLORS[name]
            words.popleft()
            continue
        if color is None:
            msg = f"men: expected White or Black, found {quote(words[0])}"
            raise InputError(msg)
        if not (men := _MEN.fullmatch(words[0])):
            return
        words.popleft()
        # The squares may stand apart: P a2b2.
        squares = men["squares"] or _take_word("men", words)
        if not parse_squares(squares):
            msg = f"men: expected squares behind {men[0]}, found {quote(squares)}"
            raise InputError(msg)
        for square in parse_squares(squares):
            composition.place(men["man"], color, square)


def _set_up(composition: Composition, forsyth: str) -> None:
    """Place men from a8 to h8, then from a7 to h7, and so on."""
    passed = 0
    for sign in _FORSYTH.findall(forsyth):
        if sign.isascii() and sign.isdecimal():
            passed += int(sign)
        elif sign == "/":
            if passed % 8:
                msg = f"Forsyth: expected full ranks before /, found {quote(forsyth)}"
                raise InputError(msg)
        else:
            rank, file = divmod(passed, 8)
            if rank < 8:
                square = chess.square(file, 7 - rank)
                composition.place(sign, sign.isupper(), square)
            passed += 1
    if passed > 64:
        msg = f"Forsyth: expected at most 64 squares, found {passed}"
        raise InputError(msg)
