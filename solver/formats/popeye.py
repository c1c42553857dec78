"""Popeye's input, and twins.

Twins are problems made from a diagram by small changes, in Popeye's words, which Olive
writes too. Changes refer to the diagram, or after `Continued` to the previous twin:

- `Move a1 b2`: a piece on b2 disappears;
- `Exchange a1 b2`, `Remove a1b2`, `Add White Qa1 Black Pb2c3`;
- `Substitute R B`: every rook becomes a bishop;
- `Rotate 90`, 180 or 270: to the left;
- `Mirror a1<-->h1`: the square onto which a1, or a8, is reflected;
- `Shift a1 b1`: the whole position;
- `PolishType`: all pieces change colour;
- `Stipulation h#2`.

Options do not change, nor do the squares of `NoCastling` and `EnPassant`.

Input: files (`.inp`) are read in English or German, and written in English.

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
- `Stipulation h#2`: see `solver.problem`; the last one counts;
- `Option`: see `compositions.Options`;
- `Twin` and `ZeroPosition`: see above;
- `Author`, `Award`, `Origin`, `Protocol`, `Remark` and `Title`, which extend to the end
  of their line; also before `BeginProblem`.

Fairy and neutral pieces, conditions and other stipulations are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import chess

from solver.errors import FormatError, InputError, quote, refuse
from solver.formats import compositions
from solver.formats.claims import Draft, FileSummary, default_name
from solver.formats.compositions import (
    TEXTS,
    WORD,
    Composition,
    PopeyeWords,
    piece_kind,
    quote_next,
)
from solver.formats.streams import MAX_RECORD_BYTES, Lines, Records, decode, read_each
from solver.problem import EXPECTED, Problem, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


# Twins

_KEYWORDS = (*compositions.CHANGES, "Stipulation", "Condition", "SStipulation")
_MIRROR_PART = re.compile(r"<?-*>?(?:[ah][18])?", re.IGNORECASE)
_MIRRORS: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "a1h1": lambda file, rank: (7 - file, rank),
    "a1a8": lambda file, rank: (file, 7 - rank),
    "a1h8": lambda file, rank: (7 - rank, 7 - file),
    "a8h1": lambda file, rank: (rank, file),
}


class Twin(NamedTuple):
    """One problem of an entry; an entry with twins has several.

    Attributes
    ----------
    label : str
        `a`, `b`, ...; empty without twins.
    composition : Composition
        After the changes.
    changes : tuple of str
        Each change as Popeye prints it, such as `wPa2-->a3`.
    is_continued : bool
        Whether the changes refer to the twin before.
    """

    label: str
    composition: Composition
    changes: tuple[str, ...] = ()
    is_continued: bool = False


Twins: TypeAlias = "list[Twin | FormatError]"


def label_of(index: int) -> str:
    """Return the label of a twin, counted from 0: `a` to `z`, then `z1`, `z2`, ..."""
    return chr(ord("a") + index) if index < 26 else f"z{index - 25}"


def parse_twin(
    label: str,
    diagram: Composition,
    before: Sequence[Twin | FormatError],
    words: PopeyeWords,
    source: str,
    then: str = "a change",
) -> Twin | FormatError:
    """Parse the changes of a twin.

    Parameters
    ----------
    label : str
    diagram : Composition
        The position before any change.
    before : sequence of Twin or FormatError
        The twins before. Changes after `Continued` refer to the last one, which must
        not have been refused, or else to the diagram.
    words : Words
        The words of the twin, changed in place.
    source : str
        `file:line`.
    then : str
        What may follow the changes, for the error about any other word.

    Returns
    -------
    Twin or FormatError
        An error if there is no change, or one that is unknown or impossible. Its reason
        begins with the label.
    """
    is_continued = words.keyword(_KEYWORDS) == "Continued"
    if is_continued:
        words.popleft()
    last = before[-1] if is_continued and before else Twin("", diagram)
    try:
        if isinstance(last, FormatError):
            refuse("expected a readable twin before this one", "none")
        changing = _Changing(last.composition.copy())
        while keyword := words.keyword(_KEYWORDS):
            changing.apply(keyword, words)
        if not changing.changes:
            refuse("expected a change such as Move a1 b2", quote_next(words))
        if words:
            refuse(f"expected {then}", quote_next(words))
    except InputError as error:
        return FormatError(source, f"twin {label}): {error}")
    return Twin(label, changing.composition, changing.texts(), is_continued)


def make_problems(
    twins: Iterable[Twin | FormatError],
    name: str,
    source: str,
    summary: FileSummary | None = None,
    read_claim: Callable[[Draft, str], None] | None = None,
) -> Records:
    """Make the problems of an entry.

    Parameters
    ----------
    twins : iterable of Twin or FormatError
        An error stands for a twin that could not be parsed.
    name : str
        The entry's own name, to which the twins' labels are added; if it is empty,
        `file:line` is used.
    source : str
        `file:line`.
    summary : FileSummary, optional
        Notes which fields are read.
    read_claim : callable, optional
        Reads what the source claims into a draft, given the label; not called for the
        second question of `Duplex`.

    Yields
    ------
    Problem or FormatError
        One for each twin; with the option `Duplex`, two.
    """
    for twin in twins:
        if isinstance(twin, FormatError):
            yield twin
            continue
        composition = twin.composition
        label = f" {twin.label})" if twin.label else ""
        for exchanged in (False, True)[: 1 + ("Duplex" in composition.options)]:
            suffix = f"{label} duplex" if exchanged else label
            try:
                position = composition.position(exchanged=exchanged)
                asked = composition.stipulation
                draft = Draft(position, summary or FileSummary(), asked)
                if read_claim and not exchanged:
                    read_claim(draft, twin.label)
                yield draft.problem((name or default_name(source)) + suffix, source)
            except InputError as error:
                fault = f"twin{label}: {error}" if label else str(error)
                yield FormatError(source, fault)


_MAX_CHANGES = 256
"""The most changes of a twin: four times the number of squares."""


class _Changing:
    """A composition while it is being changed.

    Each change has the method that is named after its keyword; the method removes the
    values of the change from the words.

    Attributes
    ----------
    changes : list of (str, str)
        For each change `-` if a piece disappeared, `+` if one appeared, and its text,
        which then ends with the name of the square.
    """

    def __init__(self, composition: Composition) -> None:
        self.composition = composition
        self.pieces = composition.pieces
        self.changes: list[tuple[str, str]] = []

    def texts(self) -> tuple[str, ...]:
        """Return the changes as Popeye prints them: a replaced piece is one change."""
        marks = [(sign, text[-2:]) for sign, text in self.changes]
        texts = []
        for index, (sign, text) in enumerate(self.changes):
            is_replaced = sign == "-" and ("+", text[-2:]) in marks[index:]
            is_replacing = sign == "+" and ("-", text[-2:]) in marks[:index]
            if not is_replaced:
                texts.append(text if is_replacing else sign + text)
        return tuple(texts)

    def apply(self, keyword: str, words: PopeyeWords) -> None:
        """Make one change, and remove its words."""
        word = words.popleft()
        if keyword in {"Continued", "SStipulation"}:
            expected = "expected Continued as the first word and no SStipulation"
            refuse(expected, quote(word))
        getattr(self, f"_{keyword.lower()}")(words)

    def _note(self, text: str, sign: str = "") -> None:
        if len(self.changes) == _MAX_CHANGES:
            refuse(f"expected at most {_MAX_CHANGES} changes", "more")
        self.changes.append((sign, text))

    def _piece_on(self, square: chess.Square) -> chess.Piece:
        if square not in self.pieces:
            refuse(f"expected a piece on {chess.square_name(square)}", "none")
        return self.pieces[square]

    def _move(self, words: PopeyeWords) -> None:
        start, end = _two_squares("Move", words)
        piece = self._piece_on(start)
        if end in self.pieces and start != end:
            self._take(end)
        self.pieces[end] = self.pieces.pop(start)
        self._note(f"{_described(piece, start)}-->{chess.square_name(end)}")

    def _exchange(self, words: PopeyeWords) -> None:
        one, other = _two_squares("Exchange", words)
        first, second = self._piece_on(one), self._piece_on(other)
        self.pieces[one], self.pieces[other] = second, first
        self._note(f"{_described(first, one)}<-->{_described(second, other)}")

    def _remove(self, words: PopeyeWords) -> None:
        for square in _squares("Remove", words):
            self._take(square)

    def _take(self, square: chess.Square) -> None:
        self._note(_described(self._piece_on(square), square), "-")
        del self.pieces[square]

    def _add(self, words: PopeyeWords) -> None:
        compositions.parse_pieces(words, self._place)

    def _place(self, square: chess.Square, piece: chess.Piece) -> None:
        if square in self.pieces:
            self._take(square)
        self.pieces[square] = piece
        self._note(_described(piece, square), "+")

    def _substitute(self, words: PopeyeWords) -> None:
        old, new = (compositions.next_word("Substitute", words) for _ in range(2))
        old_kind, new_kind = (piece_kind(word, words.language) for word in (old, new))
        for square, piece in self.pieces.items():
            if piece.piece_type == old_kind:
                self.pieces[square] = chess.Piece(new_kind, piece.color)
        self._note(f"{_letter(old_kind)} ==> {_letter(new_kind)}")

    def _polishtype(self, _words: PopeyeWords) -> None:
        for square, piece in self.pieces.items():
            self.pieces[square] = chess.Piece(piece.piece_type, not piece.color)
        self._note("PolishType")

    def _stipulation(self, words: PopeyeWords) -> None:
        self.composition.stipulate(compositions.next_stipulation(words))
        self._note(str(self.composition.stipulation))

    def _condition(self, words: PopeyeWords) -> None:
        refuse("conditions: expected none", quote_next(words, "one"))

    def _rotate(self, words: PopeyeWords) -> None:
        degrees = compositions.next_word("Rotate", words)
        if degrees not in {"90", "180", "270"}:
            refuse("Rotate: expected 90, 180 or 270", quote(degrees))
        for _ in range(int(degrees) // 90):
            self._transform(lambda file, rank: (7 - rank, file))
        self._note(f"rotate {degrees}")

    def _mirror(self, words: PopeyeWords) -> None:
        text = compositions.next_word("Mirror", words)
        # It may be several words: a1 <--> h1.
        while len(text) < 8 and words and _MIRROR_PART.fullmatch(words[0]):
            text += words.popleft()
        squares = re.sub("[<>-]", "", text).lower()
        if squares not in _MIRRORS:
            expected = "Mirror: expected a1<-->h1, a1<-->a8, a1<-->h8 or a8<-->h1"
            refuse(expected, quote(text))
        self._transform(_MIRRORS[squares])
        self._note(f"mirror {squares[:2]}<-->{squares[2:]}")

    def _shift(self, words: PopeyeWords) -> None:
        start, end = _two_squares("Shift", words)
        files = chess.square_file(end) - chess.square_file(start)
        ranks = chess.square_rank(end) - chess.square_rank(start)
        self._transform(lambda file, rank: (file + files, rank + ranks))
        self._note(f"shift {chess.square_name(start)} ==> {chess.square_name(end)}")

    def _transform(self, move: Callable[[int, int], tuple[int, int]]) -> None:
        """Move each piece to the file and rank that the function returns."""
        moved = {}
        for square, piece in self.pieces.items():
            file, rank = move(chess.square_file(square), chess.square_rank(square))
            if not (0 <= file < 8 and 0 <= rank < 8):
                expected = "Shift: expected every piece to stay on the board"
                refuse(expected, f"one on {chess.square_name(square)}")
            moved[chess.square(file, rank)] = piece
        self.pieces = self.composition.pieces = moved


def _squares(keyword: str, words: PopeyeWords) -> list[chess.Square]:
    text = compositions.next_word(keyword, words)
    squares = compositions.parse_squares(text)
    if not squares:
        refuse(f"{keyword}: expected squares", quote(text))
    return squares


def _two_squares(keyword: str, words: PopeyeWords) -> tuple[chess.Square, chess.Square]:
    squares = _squares(keyword, words)
    if len(squares) == 1:
        squares += _squares(keyword, words)
    if len(squares) != 2:
        refuse(f"{keyword}: expected two squares", len(squares))
    return squares[0], squares[1]


def _described(piece: chess.Piece, square: chess.Square) -> str:
    color = "w" if piece.color else "b"
    return f"{color}{_letter(piece.piece_type)}{chess.square_name(square)}"


def _letter(kind: chess.PieceType) -> str:
    return compositions.LETTERS[compositions.ENGLISH][kind - 1]


# Input

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

_BOUNDS, _TWINS = compositions.STRUCTURE[:3], compositions.STRUCTURE[3:]
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
    def options(self) -> compositions.Options:
        """The diagram's options, which the twins share."""
        return self.diagram.options


def read_inputs(lines: Lines, name: str) -> Iterator[PopeyeInput | FormatError]:
    """Read the problems of an input file for Popeye; see `read_each`.

    The positions of the twins are not yet checked: `Composition.position` does.
    """
    return read_each(_split(lines), name, partial(_parse, FileSummary(name)))


@dataclass(slots=True)
class _PopeyeRecord:
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
    language: int = compositions.ENGLISH
    fault: str = ""
    size: int = 0
    parts: list[tuple[str, PopeyeWords]] = field(default_factory=list)
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
            self.parts.append((keyword or "", PopeyeWords([word], self.language)))
        else:
            self.parts[-1][1].append(word)


def _split(lines: Lines) -> Iterator[tuple[int, _PopeyeRecord]]:
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
                record = (
                    None if keyword == "EndProblem" else _PopeyeRecord(number, language)
                )
            elif record:
                record.add(number, keyword, line[found.start() :] if is_text else word)
            elif not has_begun and not is_text:
                fault = f"expected BeginProblem or AnfangProblem, found {quote(word)}"
                yield number, _PopeyeRecord(number, fault=fault)
            has_begun |= not is_text
            if is_text:
                break
    if record and record.size:
        record.fault = _unfinished("the end of the file")
        yield record.line, record


def _find_mark(word: str, record: _PopeyeRecord | None) -> tuple[str | None, int]:
    """Return what a word marks, and its language; see `mark`."""
    if record:
        keyword = compositions.mark(word, record.language, in_twins=record.in_twins)
        return keyword, record.language
    for language in compositions.LANGUAGES:
        if (keyword := compositions.mark(word, language)) in ("BeginProblem", *TEXTS):
            return keyword, language
    return None, compositions.ENGLISH


def _unfinished(found: str) -> str:
    return f"expected NextProblem or EndProblem, found {found}"


def _parse(summary: FileSummary, record: _PopeyeRecord, source: str) -> PopeyeInput:
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
    twins: Twins, keyword: str, diagram: Composition, words: PopeyeWords, source: str
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


def _parse_command(
    summary: FileSummary, diagram: Composition, words: PopeyeWords
) -> None:
    """Parse a command, and remove it from the words."""
    keyword = words.keyword(compositions.COMMANDS)
    word = words.popleft()
    _note(summary, keyword)
    match keyword:
        case "Pieces":
            compositions.parse_pieces(words, diagram.place)
        case "Forsyth":
            diagram.place_all(compositions.next_word("Forsyth", words), words.language)
        case "InitialGameArray":
            diagram.place_all(chess.STARTING_BOARD_FEN.translate(_TO_POPEYE))
        case "Stipulation":
            diagram.stipulate(compositions.next_stipulation(words))
        case "Option":
            if not diagram.options.parse_next(words):
                refuse("option: expected an option of Popeye", quote_next(words))
            while diagram.options.parse_next(words):
                pass
        case "Condition":
            refuse("conditions: expected none", quote_next(words, "one"))
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

    def parse(record: _PopeyeRecord, source: str) -> Records:
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
