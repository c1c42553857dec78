"""Twins: problems made from a diagram by small changes, in Popeye's words.

Olive writes the same words. Changes refer to the diagram, or after `Continued` to the
previous twin:

- `Move a1 b2`: a piece on b2 disappears;
- `Exchange a1 b2`, `Remove a1b2`, `Add White Qa1 Black Pb2c3`;
- `Substitute R B`: every rook becomes a bishop;
- `Rotate 90`, 180 or 270: to the left;
- `Mirror a1<-->h1`: the square onto which a1, or a8, is reflected;
- `Shift a1 b1`: the whole position;
- `PolishType`: all pieces change colour;
- `Stipulation h#2`.

Options do not change, nor do the squares of `NoCastling` and `EnPassant`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import chess

from solver.errors import FormatError, InputError, quote
from solver.formats import popeye_words as popeye
from solver.formats.claims import Draft, default_name
from solver.formats.popeye_words import Words, kind_of, refuse, shown
from solver.formats.summary import FileSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from solver.formats.composition import Composition
    from solver.formats.streams import Records

_KEYWORDS = (*popeye.CHANGES, "Stipulation", "Condition", "SStipulation")
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
    words: Words,
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
            refuse("expected a change such as Move a1 b2", shown(words))
        if words:
            refuse(f"expected {then}", shown(words))
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

    def apply(self, keyword: str, words: Words) -> None:
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

    def _move(self, words: Words) -> None:
        start, end = _two_squares("Move", words)
        piece = self._piece_on(start)
        if end in self.pieces and start != end:
            self._take(end)
        self.pieces[end] = self.pieces.pop(start)
        self._note(f"{_described(piece, start)}-->{chess.square_name(end)}")

    def _exchange(self, words: Words) -> None:
        one, other = _two_squares("Exchange", words)
        first, second = self._piece_on(one), self._piece_on(other)
        self.pieces[one], self.pieces[other] = second, first
        self._note(f"{_described(first, one)}<-->{_described(second, other)}")

    def _remove(self, words: Words) -> None:
        for square in _squares("Remove", words):
            self._take(square)

    def _take(self, square: chess.Square) -> None:
        self._note(_described(self._piece_on(square), square), "-")
        del self.pieces[square]

    def _add(self, words: Words) -> None:
        popeye.parse_pieces(words, self._place)

    def _place(self, square: chess.Square, piece: chess.Piece) -> None:
        if square in self.pieces:
            self._take(square)
        self.pieces[square] = piece
        self._note(_described(piece, square), "+")

    def _substitute(self, words: Words) -> None:
        old, new = (popeye.next_word("Substitute", words) for _ in range(2))
        old_kind, new_kind = (kind_of(word, words.language) for word in (old, new))
        for square, piece in self.pieces.items():
            if piece.piece_type == old_kind:
                self.pieces[square] = chess.Piece(new_kind, piece.color)
        self._note(f"{_letter(old_kind)} ==> {_letter(new_kind)}")

    def _polishtype(self, _words: Words) -> None:
        for square, piece in self.pieces.items():
            self.pieces[square] = chess.Piece(piece.piece_type, not piece.color)
        self._note("PolishType")

    def _stipulation(self, words: Words) -> None:
        self.composition.stipulate(popeye.next_stipulation(words))
        self._note(str(self.composition.stipulation))

    def _condition(self, words: Words) -> None:
        refuse("conditions: expected none", shown(words, "one"))

    def _rotate(self, words: Words) -> None:
        degrees = popeye.next_word("Rotate", words)
        if degrees not in {"90", "180", "270"}:
            refuse("Rotate: expected 90, 180 or 270", quote(degrees))
        for _ in range(int(degrees) // 90):
            self._transform(lambda file, rank: (7 - rank, file))
        self._note(f"rotate {degrees}")

    def _mirror(self, words: Words) -> None:
        text = popeye.next_word("Mirror", words)
        # It may be several words: a1 <--> h1.
        while len(text) < 8 and words and _MIRROR_PART.fullmatch(words[0]):
            text += words.popleft()
        squares = re.sub("[<>-]", "", text).lower()
        if squares not in _MIRRORS:
            expected = "Mirror: expected a1<-->h1, a1<-->a8, a1<-->h8 or a8<-->h1"
            refuse(expected, quote(text))
        self._transform(_MIRRORS[squares])
        self._note(f"mirror {squares[:2]}<-->{squares[2:]}")

    def _shift(self, words: Words) -> None:
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


def _squares(keyword: str, words: Words) -> list[chess.Square]:
    text = popeye.next_word(keyword, words)
    squares = popeye.parse_squares(text)
    if not squares:
        refuse(f"{keyword}: expected squares", quote(text))
    return squares


def _two_squares(keyword: str, words: Words) -> tuple[chess.Square, chess.Square]:
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
    return popeye.LETTERS[popeye.ENGLISH][kind - 1]
