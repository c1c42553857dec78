"""Written lines of moves, and texts that hold a position: the grammar of both.

A line is read as PGN's movetext, and as books and solvers write it: `1. Qg8+! Rxg8
2. Nf7#` has three moves. These are notation, and mean nothing:

- white space and commas, and a semicolon directly after a word;
- move numbers (`1.`, `12`, `3)`) and dots (`1...`), also directly before a move;
- `+`, `#`, `!`, `?`, `check`, `mate` and `e.p.`, after a move or alone, and `$1`;
- evaluations such as `+-`, and a full stop after a move;
- comments: in braces, from a semicolon after white space to the end of the line, and
  lines that begin with `%`;
- variations in parentheses, which may be nested;
- the results `1-0`, `0-1`, `1/2-1/2` and `*`.

A move is in SAN (`Qg8+`), long algebraic (`Qc4-g8`) or UCI notation (`c4g8`). A piece
is its English letter, or a figurine of either colour, perhaps of a pawn. Castling
is also `0-0`, a capture also `:`, `*` or a cross, a promotion also `e8Q`, `e8/Q` or
`e8(Q)`. Every other word is unreadable, and so is an unfinished comment or variation.

Books put a semicolon between moves, and PGN begins a comment with it: what is before it
decides. python-chess's reader of PGN is not used, because it skips unknown words, which
may be the moves that matter.

`split_text` finds the FEN and the moves in a text: a FEN, `startpos`, either with
moves, or a game in PGN. `plain_fen` finds the FEN in what programs and pages print.

The pages and the npm package read with the same `PATTERNS`, so these use only what
Python and JavaScript (with the flag `u`) understand alike.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import FenError, InputError, quote, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE = "\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What Python or JavaScript calls white space, in a class of characters."""

_LETTER = rf"[^{_SPACE},;(){{}}$]"
_FIGURES = r"[\u2654-\u265f][\ufe0e\ufe0f]?"
_PIECE = rf"(?:[NBRQnbrq]|{_FIGURES})"
_MARK = r"(?:[+#!?†‡≠]|[Cc]heck|[Mm]ate|e\.?p\.?)"

PART = "|".join(
    (
        r"\{[^}]*\}?",
        rf"((?<![^{_SPACE}]);[^\n\r]*|(?<![^\n\r])%[^\n\r]*|\$[0-9]+)",
        r"[()]",
        rf"{_LETTER}+(?:\({_PIECE}\){_LETTER}*)?",
        rf"[}}$]{_LETTER}*",
    )
)
"""A part of a line: a comment, an annotation (group 1, with the comments that end with
their line), the beginning or end of a variation, or a word. What is between parts
separates them."""

WORD = (
    r"[1-9][0-9]{0,2}|(?:[1-9][0-9]{0,3}[.…]+|[.…]+)?(?:"
    rf"(?:((?:[NBRQK]|{_FIGURES})?[a-h]?[1-8]?)[\-x:*\xd7\u2013]?([a-h][1-8])"
    rf"(?:[=\/]?({_PIECE})|\(({_PIECE})\))?|([O0])[\-\u2013]\5([\-\u2013]\5)?){_MARK}*[.…]*"
    rf"|{_MARK}+[.…]*|[=±∓⩲⩱∞□]|\+\/?[\-=]|[\-=]\/?\+"
    r"|(1-0|0-1|1\/2(?:-1\/2)?|\*))?"
)
"""A word that is notation, a move or a result. Its groups: where a piece comes from and
goes to, what it becomes (with and without parentheses), castling, castling with the
queen's rook, the result."""

NUMBER = "[0-9]*[.…]+"
"""What a move's number looks like at the beginning of a word."""

_AS_LETTERS = str.maketrans(
    "\u2654\u2655\u2656\u2657\u2658\u265a\u265b\u265c\u265d\u265e",
    2 * "KQRBN",
    "\u2659\u265f\ufe0e\ufe0f",
)

ILLEGAL = "a legal, unambiguous move in SAN or UCI"
UNREADABLE = "a move in SAN or UCI"
"""What a message says was expected where a move is illegal, or a word unreadable."""

NO_MOVE = "?"
"""Replaces an unreadable word where only moves are expected."""

_MOST_PLAIN = 1000
"""The longest line that compiled code gets whole, however many moves count."""

_is_plain = re.compile(
    r"[ \n]*(?:[a-hNBRQKO][-a-h1-8NBRQKOxnrq=+#!?]*(?:[ \n]+|\Z))*"
).fullmatch
"""Whether there is certainly no notation in a line but marks after moves: most have
none, and are read in a fraction of the time."""


class PartKind(Enum):
    """What a part of a line is."""

    MOVE = 1
    COMMENT = 2
    RESULT = 3
    NOTATION = 4
    UNREADABLE = 5


class TextPart(NamedTuple):
    """A part of a line.

    Attributes
    ----------
    kind : PartKind
    text : str
        As it is written; a comment without its braces, a move without its number.
    move : str
        A move in SAN or UCI, plain: in ASCII, without marks. Empty for other parts.
    """

    kind: PartKind
    text: str
    move: str = ""


def read_movetext(text: str) -> Iterator[TextPart]:
    """Read a line: the words outside variations, and the comments in braces."""
    depth, opened = 0, 0
    # `re` compiles a pattern when it is first used: plain lines need none of these.
    for found in re.finditer(PART, text):
        part = found[0]
        if part == "(":
            opened = opened if depth else found.start()
            depth += 1
        elif part == ")":
            depth = max(depth - 1, 0)
        elif depth or found[1]:
            continue
        elif part[0] == "{" and part[-1] == "}":
            yield TextPart(PartKind.COMMENT, part[1:-1])
        else:
            yield _read_short(part) if len(part) <= _SHORT else _read_word(part)
    if depth:
        yield TextPart(PartKind.UNREADABLE, text[opened:])


def _read_word(word: str) -> TextPart:
    if (found := re.fullmatch(WORD, word)) is None:
        return TextPart(PartKind.UNREADABLE, word)
    origin, target, promoted, bracketed, castling, long, result = found.groups("")
    if result:
        return TextPart(PartKind.RESULT, result)
    if not (target or castling):
        return TextPart(PartKind.NOTATION, word)
    plain = origin + target + promoted + bracketed or "O-O" + "-O" * bool(long)
    plain = plain.translate(_AS_LETTERS)
    number = re.match(NUMBER, word)
    return TextPart(PartKind.MOVE, word[number.end() :] if number else word, plain)


_SHORT = 16
_read_short = lru_cache(4096)(_read_word)
"""Remembers words of up to `_SHORT` letters: the same few are in every line."""


def read_moves(text: str) -> list[TextPart]:
    """Return the moves of a line, and the words that are unreadable."""
    kinds = PartKind.MOVE, PartKind.UNREADABLE
    return [part for part in read_movetext(text) if part.kind in kinds]


def written_move(text: str, ply: int) -> str:
    """Return how one of the parts that `read_moves` returns is written."""
    return text.split()[ply] if _is_plain(text) else read_moves(text)[ply].text


def refused_move(name: str, part: TextPart) -> InputError:
    """Return the error for an illegal move of a line, or a word that is unreadable."""
    expected = ILLEGAL if part.move else UNREADABLE
    return InputError(f"{name}: expected {expected}, found {quote(part.text)}")


def is_move(word: str) -> bool:
    """Return whether a word is a move, legal or not."""
    return _read_word(word).kind is PartKind.MOVE


def plain_moves(text: str, most: int | None = None) -> str:
    """Return the moves of a line for compiled code, `NO_MOVE` for an unreadable word.

    Parameters
    ----------
    text : str
        Any text.
    most : int, optional
        The number of moves after which the rest may be left out.

    Returns
    -------
    str
        ASCII, with white space between moves.
    """
    if len(text) <= _MOST_PLAIN and _is_plain(text):
        return text
    return " ".join([part.move or NO_MOVE for part in read_moves(text)[:most]])


# Texts that hold a position

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
"""The position `startpos`, where a game without a FEN tag begins."""

SEPARATORS = "\t\n\v\f\r\x1c\x1d\x1e\x1f ;,|"
"""What may stand before and after a FEN."""

QUOTES = "\"'`\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb"

PATTERNS = {
    "start": START,
    "separators": SEPARATORS,
    "quotes": QUOTES,
    "part": PART,
    "word": WORD,
    "number": NUMBER,
    "spaces": f"[{_SPACE}]+",
    # A tag of PGN: its name and its value
    "tag": (
        rf"^[{_SPACE}]*\[[{_SPACE}]*([A-Za-z][A-Za-z0-9_]*)[{_SPACE}]*"
        rf'"((?:[^"\\]|\\[\s\S])*)"[{_SPACE}]*\]'
    ),
    "orthodox": r"^(?:standard|chess|classical|normal|illegal|from position)$",
    # What a game without tags begins with
    "first": rf"^[{_SPACE}]*[0-9]+[{_SPACE}]*[.…]",
    "moves": rf"[{_SPACE}]moves(?![A-Za-z0-9_])",
    "prefix": (
        rf"^\[?[{_SPACE}]*(?:position[{_SPACE}]+)?"
        rf"(?:fen(?![A-Za-z0-9_])[{_SPACE}:=]*)?"
    ),
    "dash": r"[\u2010-\u2014\u2212]",
    "space": "_|%20",
    "address": r"^(?:https?:\/)?\/?[A-Za-z0-9_.\-]+\.[a-z]+(?::[0-9]+)?\/",
    "in_address": (
        r"\/(?:analysis|editor)\/(?:standard\/|fromPosition\/)?([^?#&]+\/[^?#&]+)"
        r"|[?&]fen=([^#&]+)"
    ),
    "other_game": (r"chess960|is960=(?:true|1)|[?&]variant=(?!standard|fromPosition)"),
}
"""What is found in texts, for JavaScript too: three texts, then patterns. From `spaces`
on, the case of letters does not matter."""


def split_text(text: str, *, repair: bool) -> tuple[str, str]:
    """Return the FEN and the moves in a text that gives a position.

    Parameters
    ----------
    text : str
        A FEN or `startpos`, perhaps after the words `position` and `fen`, perhaps
        followed by `moves` and moves; or a game in PGN: its tags, or moves that begin
        with a number. Any other text is all FEN.
    repair : bool
        Whether it may be in quotes.

    Raises
    ------
    FenError
        It is a game of another variant, or `startpos` with other words.
    """
    fen, rest, is_game = START, text, bool(_find("first", text))
    while tag := _find("tag", rest):
        name, value = tag[1].lower(), tag[2]
        if name == "variant" and not _find("orthodox", value):
            refuse("Variant tag: expected Standard or none", quote(value), FenError)
        fen = value if name == "fen" else fen
        rest, is_game = rest[tag.end() :], True
    if is_game:
        return fen, rest
    text = text.strip(SEPARATORS + QUOTES) if repair else text
    moves = _find("moves", text)
    fen, rest = (text[: moves.start()], text[moves.end() :]) if moves else (text, "")
    fen = fen[_end("prefix", fen) :]
    word, _, other = fen.strip().partition(" ")
    if word == "startpos" and other:
        refuse("expected moves after startpos", quote(other), FenError)
    return START if word == "startpos" else fen, rest


def plain_fen(text: str) -> str:
    """Return the FEN in what another program or a web page prints.

    Parameters
    ----------
    text : str
        A FEN in quotes, with `_` or `%20` for spaces, after the word `fen`, or with a
        comma or semicolon at its end; or the address of a page of lichess, chess.com or
        others that shows a position.

    Raises
    ------
    FenError
        It is another address.
    """
    text = re.sub(PATTERNS["dash"], "-", text.strip(SEPARATORS + QUOTES + "]"))
    text = text[_end("prefix", text) :].strip(SEPARATORS + QUOTES)
    if _find("address", text):
        found = _find("in_address", text)
        if found is None or _find("other_game", text):
            msg = (
                "expected a FEN or the address of an orthodox position on lichess or "
                f"chess.com, found {quote(text)}"
            )
            raise FenError(msg)
        from urllib.parse import unquote, unquote_plus

        text = unquote(found[1]) if found[1] else unquote_plus(found[2])
    if " " not in text:
        text = re.sub(PATTERNS["space"], " ", text)
    return re.sub(PATTERNS["spaces"], " ", text).strip(SEPARATORS)


def _find(name: str, text: str) -> re.Match[str] | None:
    return re.search(PATTERNS[name], text, re.IGNORECASE)


def _end(name: str, text: str) -> int:
    found = _find(name, text)
    return found.end() if found else 0
