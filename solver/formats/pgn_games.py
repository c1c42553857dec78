"""Split a PGN file into games and follow the main line of each.

Tags are read as in PGN's import format: in any order and case, with white space between
their parts, several on a line or one over several lines, with comments among them. A
damaged game does not affect the next one. `solver.movetext` finds the moves, and
python-chess plays them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

from solver.errors import InputError, quote
from solver.formats.streams import MAX_RECORD_BYTES, Lines, decode
from solver.movetext import Kind, Part, read_movetext
from solver.position_text import GivenPosition
from solver.strict_moves import find_move

if TYPE_CHECKING:
    from collections.abc import Iterator


RESULTS = {"1-0": 1.0, "1/2-1/2": 0.5, "1/2": 0.5, "0-1": 0.0}
"""White's score for each result of PGN and EPD."""

UNFINISHED = "*"
"""The result of a game that was not finished."""

EMPTY = "expected a FEN tag or moves, found neither"
"""The fault of a game that has nothing."""

_NAME = r"\[\s*([A-Za-z0-9][\w+#=:-]*)\s*"
_VALUE = r'"((?:[^"\\\r\n]|\\(?:["\\]|(?!["\\]))|"(?!\s*\])|[\r\n](?!\s*\[))*)"\s*\]'
"""A quote without a backslash ends the value only before a bracket."""

_ITEM = rf"{_NAME}{_VALUE}|;[^\r\n]*|(?<![^\r\n])%[^\r\n]*|(\{{[^}}]*\}})"
_match_raw_item = re.compile(rf"(?:{_ITEM})\s*".encode()).match
_match_item = re.compile(rf"(?:{_ITEM}|(\[[^\r\n]*))\s*").match
"""A tag, a comment, or (as text only) a line that should be a tag."""

_begins_game = re.compile(
    rb"\s*(?:%b(?:[\"']|\Z)|\[\s*(?i:event|fen)\b)" % _NAME.encode()
).match
_begins_moves = re.compile(rb"\s*(?:[0-9]+\s*\.|[*{]|1-0|0-1|1/2)").match
_COMMENT_MARKS = (b"%", b";")
_ENDED = re.compile(rb"(?:\A|\s)(?:1-0|0-1|1/2-1/2|\*)\s*\Z")
_ONLY_ONE = {b"event", b"fen"}
_MAX_TAG_BYTES = 1 << 10

_KNOWN = "Event FEN Keys NoMate Result Round SetUp Solutions Stipulation Variant"
_KNOWN_TAGS = {name.lower(): name for name in _KNOWN.split()}
_OF_POSITION = re.compile("fen|setup|variant", re.IGNORECASE)
_ESCAPED = re.compile(r'\\(["\\])')
_ORTHODOX = frozenset(alias.lower() for alias in chess.Board.aliases)


def split_games(lines: Lines) -> Iterator[tuple[int, bytes]]:
    """Split a PGN file into games.

    Parameters
    ----------
    lines : iterable of tuple
        Number and bytes of each line.

    Yields
    ------
    tuple
        The line where a game begins, and its lines without the blank ones; if it is too
        long, only the beginning. A game ends before a tag that follows moves, and
        before a tag that it already has: `Event`, `FEN`, or any after a blank line;
        without tags, at a blank line after its result.
    """
    game: list[bytes] = []
    tags: set[bytes] = set()
    opened, has_moves, is_apart = b"", False, False
    start = size = 0
    for number, line in lines:
        is_blank, read = not line.strip(), None
        if is_blank:
            ends = has_moves and not tags and bool(_ENDED.search(game[-1]))
        elif has_moves or opened == b"{":
            ends = bool(_begins_game(line))
        else:
            read = _read_tags(line, opened)
            again = read[0] & tags
            ends = bool(again if is_apart else again & _ONLY_ONE)
        if ends:
            yield start, b"".join(game)
            game, tags, opened, has_moves, size = [], set(), b"", False, 0
        is_apart = is_blank
        if is_blank:
            opened = opened[: opened == b"{"]
        elif game or not line.startswith(_COMMENT_MARKS):
            if not has_moves:
                names, opened, has_moves = read or _read_tags(line, opened)
                tags |= names
            start = start if game else number
            if size <= MAX_RECORD_BYTES:
                game.append(line)
                size += len(line)
    if game:
        yield start, b"".join(game)


def _read_tags(line: bytes, opened: bytes) -> tuple[set[bytes], bytes, bool]:
    """Read a line before any moves, after a tag or a comment that has not ended.

    Returns
    -------
    tuple
        The names of the tags that end in it, the tag or comment that does not end, and
        whether there are moves.
    """
    text, names, at = line.lstrip(), set(), 0
    is_next = text.startswith(b"[") or (opened and _begins_moves(text))
    if opened == b"{" or not is_next:
        text = opened + text  # otherwise it does not end, so it is no tag
    while at < len(text) and (found := _match_raw_item(text, at)):
        at = found.end()
        if found[1]:
            names.add(found[1].lower())
    rest = text[at:].rstrip()
    if rest.startswith(b"{"):
        return names, b"{", False
    is_tag = rest.startswith(b"[") and len(rest) <= _MAX_TAG_BYTES
    opened = rest + b"\n" if is_tag and not rest.endswith(b"]") else b""
    return names, opened, bool(rest) and not is_tag


class PgnGame:
    """One game of orthodox chess, whose main line can be followed.

    Parameters
    ----------
    text : bytes
        The game without blank lines. Moves are ASCII; names may be in any encoding.

    Attributes
    ----------
    tags : dict of str to str
        The values of each tag, separated by line breaks. Names that have a meaning here
        are spelled as usual, such as `FEN`.
    bad_tag : str
        The first line that should be a tag and is none; empty if there is none.
    position : GivenPosition
        The position of the `FEN` tag, or the initial one.
    board : chess.Board
        The position after the moves so far.
    ending : str
        The result after the moves, or empty.

    Raises
    ------
    InputError
        If it is too long, of another variant, or its position cannot be read.
    """

    def __init__(self, text: bytes) -> None:
        self.tags, self.bad_tag, self._movetext = tags, bad_tag, _ = _read_head(text)
        self.ending = ""
        if bad_tag and ("FEN" not in tags or _OF_POSITION.search(bad_tag)):
            msg = f'expected a tag such as [FEN "..."], found {quote(bad_tag)}'
            raise InputError(msg)
        variant = tags.get("Variant", "Standard")
        if variant.lower() not in _ORTHODOX:
            msg = f"Variant tag: expected Standard or none, found {quote(variant)}"
            raise InputError(msg)
        if tags.get("SetUp") == "1" and "FEN" not in tags:
            msg = 'expected a FEN tag, found only [SetUp "1"]'
            raise InputError(msg)
        self.position = GivenPosition(tags.get("FEN", chess.STARTING_FEN))
        self.board = self.position.board.copy(stack=False)

    def play(self) -> Iterator[str | None]:
        """Play the main line, without its variations.

        Yields
        ------
        str or None
            Each comment; None after each move.

        Raises
        ------
        InputError
            If a move is illegal, a word is no move, or a move follows the result; at
            the end, if there are neither tags nor moves.
        """
        for part in read_movetext(self._movetext):
            if part.kind is Kind.COMMENT:
                yield part.text.removeprefix(" ").removesuffix(" ")
            elif part.kind is Kind.RESULT:
                self.ending = part.text
            elif part.kind is not Kind.NOTATION:
                self._push(part)
                yield None
        if not (self.tags or self.board.move_stack):
            raise InputError(EMPTY)

    def _push(self, part: Part) -> None:
        board, found = self.board, quote(part.text)
        if self.ending:
            msg = f"expected nothing after {self.ending}, found {found}"
            raise InputError(msg)
        try:
            board.push(find_move(board, "move", part))
        except InputError:
            expected = "a legal move" if part.kind is Kind.MOVE else "a move"
            number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
            msg = f"expected {expected} at {number}, found {found}"
            raise InputError(msg) from None


def _read_head(text: bytes) -> tuple[dict[str, str], str, str]:
    """Return the tags of a game, the first bad one, and the comments and moves."""
    if len(text) > MAX_RECORD_BYTES:
        longest = f"{MAX_RECORD_BYTES:,} bytes"
        msg = f"expected a game of at most {longest}, found a longer one"
        raise InputError(msg)
    game = decode(text).replace("\r\n", "\n").replace("\r", "\n").lstrip()
    values: dict[str, dict[str, None]] = {}
    comments: list[str] = []
    bad_tag, at = "", 0
    while found := _match_item(game, at):
        name, value, comment, bad = found.groups("")
        at = found.end()
        if name:
            comments = comments if values else []  # those above the tags: of the file
            known = values.setdefault(_KNOWN_TAGS.get(name.lower(), name), {})
            value = _ESCAPED.sub(r"\1", value) if "\\" in value else value
            known[value.replace("\n", " ")] = None
        elif comment:
            comments.append(comment)
        bad_tag = bad_tag or bad
    tags = {name: "\n".join(given) for name, given in values.items()}
    return tags, bad_tag, "".join(comments) + game[at:]
