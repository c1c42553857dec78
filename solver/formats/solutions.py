"""Solutions as people write them: `1.Qa5! zugzwang`, `1...Bd7/Bd6`, `Key: Da5`.

`solver.movetext` reads lines that say exactly what they mean. A solution in a file for
people says more: numbers such as `0.`, `1:` and `I.`, words after a move, threats in
brackets, variations, letters of other languages, a key alone. The line ends before the
first word that is not a move; what follows is reported as unread.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.movetext import NO_MOVE, is_move, plain_moves
from solver.position_text import legal_moves, read_compiled, write_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


class WrittenSolution(NamedTuple):
    """The moves of a solution.

    Attributes
    ----------
    moves : tuple of str
        The line in UCI notation, up to the first word that is no legal move; of
        variations the first.
    keys : tuple of str
        Moves that are alternatives: each is legal in the position, but they are no
        line.
    rest : str
        What was not read; empty if all was.
    variations : tuple of tuple of str
        The others, each from the position on.
    mates, is_signed : bool
        Whether the line ends in mate, and whether its last move says so by a `#`.
    """

    moves: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    rest: str = ""
    variations: tuple[tuple[str, ...], ...] = ()
    mates: bool = False
    is_signed: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the text is a line to its end, or to a mate."""
        return bool(self.moves) and (self.mates or not self.rest)


_FIGURES = "\u2654-\u265f"
_CAPITALS = "KQRBNDTLSFCAPHWGVJФЛСК"
_LETTERS = f"{_CAPITALS}{_FIGURES}"
_find_move = re.compile(
    rf"(?<![\w/])(?:[{_LETTERS}kqrn][a-h]?[1-8]?[x:*\xd7\u2013-]?[a-h][1-8]"
    r"|[a-h][x:*\xd7][a-h][1-8]|[a-h][1-8][x:*\xd7\u2013-]?[a-h][1-8]|[O0]-[O0]"
    rf"|[a-h][18][=/(]?[{_LETTERS}])(?!\w*/\w+/|[0-9a-f]{{9}})"
    r"|\A(?:[a-h][1-8][\s,-]+){1,40}[a-h][1-8]\s*\Z|\A[a-h][1-8][+#!?]*\Z"
    r"|(?<![\w.])[0-9]{1,3}\s?(?:[.)]+|\u2026)\s*[a-h][1-8](?=[\s+#!?=;,]|\Z)"
).search
"""Finds words that are certainly moves. Among other words a square such as e4 is not,
nor is the beginning of a hash."""

_PIECES = "KDTLS RDTFC RDTAC RDTBC KDTLP KHWGS KDVSJ KVBFH KФЛСК"
_LANGUAGES = tuple(
    str.maketrans(_CAPITALS + letters, "?" * len(_CAPITALS) + "KQRBN")
    for letters in _PIECES.split()
)
"""The letters of pieces in German, French, Spanish and Italian, Portuguese, Dutch,
Polish, Czech, Hungarian and Russian, as English ones; others are unreadable there, so
that a line in two languages is none."""

_BOXED = re.compile(r"\\(?:boxed|text)\s*\{([^{}]*)\}")
_LABEL = re.compile(
    r"\A\W*(?:the\s+)?(?:(?:key|best|first|1st|winning|correct)(?:\s+move)?s?|solutions?|"
    r"answers?|lines?|moves|l(?:ö|oe)sung|schl(?:ü|ue)ssel|solution|soluci[oó]n|cl[ée]|"
    r"clave|soluzione|chiave|antwoord|oplossing|rozwi[aą]zanie|решение)\s*(?:is\b|[:=]|->|\u2192)\s*",
    re.IGNORECASE,
)
_SLASH = re.compile(r"(?<=[1-8+#!?])/(?=(?:[KQRBN][a-h]?[1-8]?x?)?[a-h][x1-8])")
_ASIDE = re.compile(r"<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\]|\((?![QRBNqrbn]\))[^()]*\)")
_WHOLE = re.compile(r"\s*[(\[{\"'`*_]+([^()\[\]{}]*)[)\]}\"'`*_]+[.!]*\s*")
_WORD = re.compile(r"[^\s,;|]+")
_NUMBER = re.compile(r"(?P<number>\d{1,3}|[IVX]{1,4}(?=[.:)]))?(?P<dots>[.:)\u2026]*)")
_MARKS = re.compile(
    r"(?:[+#!?\u2020\u2021\u2260\u25a1\xd7=]|\$\d+|[.,;:\u2026]|e\.?p\.?|mate|check|matt|schach)+\Z"
)
_NOISE = re.compile(
    r"(?:[!?+#=.,:;\u2026*-]+|\$\d+|1-0|0-1|1/2-1/2|(?:check)?mate[d!.]*|check|"
    r"zz|zugzwang|zz\.|e\.?p\.?|[+-]/?[-+=]|and|or|then|oder|und|ou|et|o|y|--?>|\u2192)",
    re.IGNORECASE,
)
_ends_with_number = re.compile(r"[0-9]{1,3}\s?[.\u2026]+\s*\Z").search
_is_try = re.compile(r"[^!?]+\?{1,2}").fullmatch
_is_threat = re.compile(
    r"~|threat(?:en(?:s|ing))?|droht|menace", re.IGNORECASE
).fullmatch
_ANY, _OR = "~", -1
"""The mark of any move, or of a threat; the place of a move that is another choice for
the move before it."""

_CAPTURE = re.compile("[x:](?=[a-h])")
_SQUARE = re.compile("[a-h][1-8]")
_MOST_WORDS, _LONGEST, _LONGEST_WORD = 800, 1 << 14, 40
"""A longer text is a collection of games, and a longer word is not a move."""


def has_moves(text: str) -> bool:
    """Return whether a text has a word that is certainly a move."""
    return _find_move(text) is not None


def from_first_move(text: str) -> str:
    """Return a text from its first certain move on; empty if it has none."""
    found = _find_move(text)
    if found is None:
        return ""
    number = _ends_with_number(text[: found.start()])
    return text[number.start() if number else found.start() :]


def read_solution(fen: str, text: str) -> WrittenSolution:
    """Read a solution from a legal position.

    Parameters
    ----------
    fen : str
        The position, with six fields.
    text : str
        A line, a key, alternative keys, or a key with what a book prints after it.
    """
    solution = _read_plain(fen, text) or _read_words(fen, text)
    if "?" in text and solution == WrittenSolution():  # a try, or a blunder before mate
        played = read_solution(fen, text.replace("?", ""))
        return played if played.mates else solution
    return solution


def translated(
    fen: str, text: str, moves: Sequence[str], letters: Collection[str] = ()
) -> list[str] | None:
    """Return moves in SAN with the letters of pieces that a solution has.

    Parameters
    ----------
    fen : str
        The position of the solution.
    text : str
        The solution, which `read_solution` reads.
    moves : sequence of str
        Moves in English SAN.
    letters : collection of str
        Letters of pieces that other solutions of the file have, see `find_letters`.

    Returns
    -------
    list of str or None
        None if languages in which the text can be read write the moves differently.
    """
    if figures := _find_figures(text):
        rows = "\u2654\u2655\u2656\u2657\u2658", "\u265a\u265b\u265c\u265d\u265e"
        row = next(row for row in rows if figures[0] in row)
        return [move.translate(str.maketrans("KQRBN", row)) for move in moves]
    words = [word for word, _ in _words(text[:_LONGEST])]
    words = words[:1] if _alternatives(fen, words) else words
    if not words or len(_play(fen, words, {})) == len(words):
        return [*moves]
    languages = [
        pieces
        for pieces, table in zip(_PIECES.split(), _LANGUAGES, strict=True)
        if len(_play(fen, words, table)) == len(words)
    ]
    fitting = [pieces for pieces in languages if {*letters} <= {*pieces}]
    written = {
        tuple(move.translate(str.maketrans("KQRBN", pieces)) for move in moves)
        for pieces in fitting or languages
    }
    return [*written.pop()] if len(written) == 1 else None


find_letters = re.compile(
    rf"(?<!\w)([{_CAPITALS}])[a-h]?[1-8]?[x:]?[a-h][1-8](?!\w*/)"
).findall
"""Finds the letters of the pieces that are moved in a text."""

_find_figures = re.compile("[\u2654-\u2658\u265a-\u265e]").findall


def _read_plain(fen: str, text: str) -> WrittenSolution | None:
    """Read a line that says exactly what it means; None if it is something else."""
    plain = plain_moves(text).split() if "?" not in text else []
    moves = legal_moves(fen, plain) if NO_MOVE not in plain else ()
    if not moves or len(moves) < len(plain):
        return None
    return _solution(fen, moves, is_signed=text.rstrip(" !.*").endswith("#"))


def _read_words(fen: str, text: str) -> WrittenSolution:
    words = [*islice(_words(text[:_LONGEST]), _MOST_WORDS)]
    line = [word for word, _ in _joined(words)]
    if len(line) < len(words) and len(moves := _play(fen, line, {})) == len(line):
        return _solution(fen, moves)
    found, letters = _read_line(fen, words[: _first_variation(words)])
    if len(found) == len(words):
        is_signed = bool(words) and _is_signed(text, words[-1][0])
        return _solution(fen, found, is_signed=is_signed)
    if keys := _alternatives(fen, [word for word, _ in words]):
        mates = all(_mates(fen, (key,)) for key in keys)
        return WrittenSolution(keys=keys, mates=mates)
    is_later = not found and len(words) % 2 == 0 and words and is_move(words[0][0])
    if is_later:  # the first move led to the position
        moves, _ = _read_line(fen, words[1:])
        if len(moves) == len(words) - 1 and _mates(fen, moves):
            return _solution(fen, moves)
    if variations := _variations(fen, found, words, letters) if found else ():
        return _solution(fen, variations[0], variations=variations[1:])
    rest = " ".join(word for word, _ in words[len(found) :])
    return _solution(fen, found, rest=rest)


def _solution(fen: str, moves: tuple[str, ...], **others: Any) -> WrittenSolution:
    return WrittenSolution(moves, mates=_mates(fen, moves), **others)


def _read_line(
    fen: str, words: list[tuple[str, int]]
) -> tuple[tuple[str, ...], dict[int, int]]:
    """Return the moves of a line in the language that reads most, and its letters.

    Another language replaces English only if it reads the whole line.
    """
    line = [word for word, _ in words]
    found, letters = _play(fen, line, {}), dict[int, int]()
    if len(found) == len(line):
        return found, letters
    languages = _languages_of(line[: len(found) + 1])  # up to what English cannot read
    others = ((_play(fen, line, letters), letters) for letters in languages)
    whole = (one for one in others if not found or len(one[0]) == len(line))
    return max(whole, key=lambda one: len(one[0]), default=(found, letters))


def _languages_of(words: list[str]) -> Iterator[dict[int, int]]:
    """Yield the letters of the languages that read some words in another way."""
    for letters in _LANGUAGES:
        translated = [word.translate(letters) for word in words]
        if translated != words and not any("?" in word for word in translated):
            yield letters


def _is_signed(text: str, move: str) -> bool:
    """Return whether the last of some moves has a `#` behind it."""
    return bool(re.search(rf"{re.escape(move)}[+!?]*#", text))


def _mates(fen: str, moves: tuple[str, ...]) -> bool:
    return bool(moves) and write_lines(fen, [moves])[0][-1].endswith("#")


def _words(text: str) -> Iterator[tuple[str, int]]:
    """Yield the words that should be moves, without their marks and without tries.

    Each with its place by the number before it, counted in plies; 0 without a number,
    `_OR` after a slash. A try, as `1.Kh6? Kg8!`, lasts until another first move.
    """
    boxed = _BOXED.findall(text)
    text = _LABEL.sub("", " ".join(boxed) or text, count=1).replace("\\#", "#")
    if found := _WHOLE.fullmatch(text):
        text = found[1]
    while (without := _ASIDE.sub(" ", text)) != text:
        text = without
    text = _SLASH.sub(" /", text).replace("Кр", "K")  # a king in Russian
    place, first, is_try = 0, None, False
    for found in _WORD.finditer(text):
        place = _OR if found[0].startswith("/") else place
        word = found[0][:_LONGEST_WORD].strip(
            "\"'`<>[]{}_/()!" if "=(" not in found[0] else "\"'`<>[]{}_/!"
        )
        number = _NUMBER.match(word)
        assert number
        if number["number"] and (number["dots"] or word == number["number"]):
            count, dots = number["number"], number["dots"]
            place = 2 * int(count if count.isdigit() else 1 + len(count)) + (
                len(dots) > 1 or "\u2026" in dots
            )
            word = word[number.end() :]
        elif not number["number"]:
            word = word[number.start("dots") :].lstrip(".:)\u2026")
        if not word or _NOISE.fullmatch(word):
            continue
        if first is None or (place and place == (first or 2)):
            is_try, first = _is_try(word) is not None, place
        if is_try:
            place = 0
            continue
        is_threat = _is_threat(word.strip(".,:"))
        yield _ANY if is_threat else _MARKS.sub("", word) or word, place
        place = 0


def _joined(words: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Yield words; two squares that follow each other are one move."""
    rest = iter(words)
    for word, place in rest:
        if not _SQUARE.fullmatch(word):
            yield word, place
            continue
        following, number = next(rest, ("", 0))
        is_pair = _SQUARE.fullmatch(following) and not number
        yield (word + following if is_pair else word), place
        if following and not is_pair:
            yield following, number


def _first_variation(words: list[tuple[str, int]]) -> int:
    """Return how many words come before a number that goes back."""
    last = 0
    for at, (_, place) in enumerate(words):
        if 0 < place <= last:
            return at
        last = place if place > 0 else last + bool(last)
    return len(words)


def _play(fen: str, words: list[str], letters: dict[int, int]) -> tuple[str, ...]:
    """Return the line in UCI notation, up to the first word that is no legal move."""
    line = [plain_moves(word.translate(letters)) for word in words]
    if NO_MOVE in line:
        del line[line.index(NO_MOVE) + 1 :]
    while True:
        moves = legal_moves(fen, line)
        at = len(moves)
        if at == len(line):
            return moves
        word = words[at].translate(letters)
        for other in _spellings(word):
            if len(legal_moves(fen, [*moves, other])) > at:
                line = [*line[:at], other]
                line += [
                    plain_moves(word.translate(letters)) for word in words[at + 1 :]
                ]
                break
        else:
            return moves


def _variations(
    fen: str,
    line: tuple[str, ...],
    words: list[tuple[str, int]],
    letters: dict[int, int],
) -> tuple[tuple[str, ...], ...]:
    """Return the variations after a line; none if a word of them cannot be read.

    The number of a move says from which move on it replaces others; without one it
    follows the last. `1...Bd7/Bd6 2.Qxd7#` is two variations. A threat is not a
    variation, and must be legal if the defender passes.
    """
    first, is_threat = words[0][1], False
    variations: list[tuple[str, ...]] = []
    stems = [line]  # which differ in their last moves
    for word, place in words[len(line) :] if first else ():
        if word == _ANY:
            is_threat = True
            continue
        at = place - first if place > 0 else len(stems[0])
        if is_threat and at >= len(stems[0]):
            is_threat = False
            if not _play(_other_side(fen, stems[0]), [word], letters):
                return ()
            continue
        if place == _OR:
            stems = [*stems, stems[-1][:-1]]
            at -= 1
        elif 0 < at < len(stems[0]):
            variations += stems
            stems = [stems[0][:at]]
        grown = [
            _play(fen, [*stem, word], letters) if len(stem) == at else stem
            for stem in stems
        ]
        if not 0 < at < min(map(len, grown)):
            return ()
        stems = grown
    return tuple(dict.fromkeys((*variations, *stems))) if first else ()


def _other_side(fen: str, line: tuple[str, ...]) -> str:
    """Return the position after a line if the side to move passed."""
    played = read_compiled(fen, " ".join(line), played=len(line))
    board, side, castling, *_ = played[0].split() if played else fen.split()
    return f"{board} {'b' if side == 'w' else 'w'} {castling} - 0 1"


def _spellings(word: str) -> Iterator[str]:
    """Yield other spellings of a move: in lower case, without x, without its queen."""
    for spelled in (
        word[:1].upper() + word[1:],
        _CAPTURE.sub("", word),
        f"{word}q",
        f"{word}=Q",
        word.lower(),
    ):
        plain = plain_moves(spelled)
        if spelled != word and plain not in {NO_MOVE, ""} and " " not in plain:
            yield plain


def _alternatives(fen: str, words: list[str]) -> tuple[str, ...]:
    """Return the keys if there are several words and each is a key."""
    if len(words) < 2:
        return ()
    for letters in ({}, *_languages_of(words)):
        keys = []
        for word in words:
            read = read_compiled(fen, plain_moves(word.translate(letters)))
            if read is None or not read[1]:
                break
            keys.append(read[1])
        else:
            distinct = tuple(dict.fromkeys(keys))
            return distinct if len(distinct) > 1 else ()
    return ()
