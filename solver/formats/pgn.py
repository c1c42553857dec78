"""PGN: games split and replayed, and problems.

Games: each is followed along its main line.

Tags are read as in PGN's import format: in any order and case, with white space between
their parts, several on a line or one over several lines, with comments among them. A
damaged game does not affect the next one. `solver.movetext` finds the moves, and
python-chess plays them.

Problems: a position, a claim about it, and a line.

The `FEN` tag gives the position; otherwise it is the initial one. The clearest claim
counts:

1. the tag `Stipulation`, which must be a claim, a stipulation such as `h#2.5`, or `?`
   for none; or `NoMate`, specific to matesolve: there is no mate in n or fewer moves;
2. words such as `mate in 3`, `mate in three` or `#3`: in the comment before the first
   move, in the comment after it, if it contains nothing else, then in any tag but
   `Round`, where `#3` comes after the others;
3. the length of the main line, if it starts from a `FEN` tag and ends in mate, unless
   it is a whole game.

`#3` counts alone, and at the end after a punctuation mark: `Loyd, #3` is a claim, but
"Puzzle #3" and "#3 Loyd" are numbers in a list. `#-3` and `mated in 3` claim that the
side to move is mated. "Not mate in 3" claims
nothing, and neither do commands such as `[%eval #3]`. Helpmates and other stipulations
in words, and the names of fairy conditions beside a number of moves, are refused. The
tag `Solutions`, specific to matesolve, says how many solutions help play has.

If the side to move mates, the first move of the main line is the claimed key; if more
moves follow, the main line is the claimed line. The tag `Keys`, specific to matesolve,
replaces the keys by its moves in UCI or SAN, or by none. Variations at the root are not
keys, because most of them are tries. `Event` names the problem.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from functools import partial
from itertools import chain, pairwise
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import chess
import chess.pgn

from solver.errors import FormatError, InputError, quote, refuse
from solver.formats import words
from solver.formats.claims import (
    DEFAULTS,
    Draft,
    first_mover,
    renamed,
    take_sample,
)
from solver.formats.evidence import ENOUGH, FIELDS, STATED, STUDIES, plain_name
from solver.formats.solutions import read_solution
from solver.formats.streams import MAX_RECORD_BYTES, Lines, Records, decode, read_each
from solver.movetext import NO_MOVE, PartKind, TextPart, read_movetext
from solver.position_text import GivenPosition, legal_moves, read_compiled
from solver.problem import Claim, Problem, Stipulation, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from solver.formats.claims import FileSummary, ReadOptions


# Games

RESULTS = {"1-0": 1.0, "1/2-1/2": 0.5, "1/2": 0.5, "0-1": 0.0}
"""White's score for each result of PGN and EPD."""

UNFINISHED = "*"
"""The result of a game that was not finished."""

EMPTY = "expected a FEN tag or moves, found neither"
"""The fault of an empty game."""

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

_PLAYED = PartKind.MOVE, PartKind.UNREADABLE
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
    names : mapping of str to str
        Tags that stand for usual ones.

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

    def __init__(
        self, text: bytes, names: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.tags, self.bad_tag, self._movetext = tags, bad_tag, _ = _read_head(text)
        for name, usual in names.items():
            tags[usual] = _as_sign(tags.pop(name, "")) if name in tags else ""
        self.ending = ""
        if bad_tag and ("FEN" not in tags or _OF_POSITION.search(bad_tag)):
            refuse('expected a tag such as [FEN "..."]', quote(bad_tag))
        variant = tags.get("Variant", "Standard")
        if variant.lower() not in _ORTHODOX:
            refuse("Variant tag: expected Standard or none", quote(variant))
        if tags.get("SetUp") == "1" and "FEN" not in tags:
            refuse("expected a FEN tag", 'only [SetUp "1"]')
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
        parts = [*read_movetext(self._movetext)]
        words = [part.move or NO_MOVE for part in parts if part.kind in _PLAYED]
        moves = iter(legal_moves(self.position.fen, words))
        for part in parts:
            if part.kind is PartKind.COMMENT:
                yield part.text.removeprefix(" ").removesuffix(" ")
            elif part.kind is PartKind.RESULT:
                self.ending = part.text
            elif part.kind is not PartKind.NOTATION:
                self._push(part, next(moves, None))
                yield None
        if not (self.tags or self.board.move_stack):
            raise InputError(EMPTY)

    def _push(self, part: TextPart, move: str | None) -> None:
        board, found = self.board, quote(part.text)
        if self.ending:
            refuse(f"expected nothing after {self.ending}", found)
        if move is None:
            expected = "a legal move" if part.kind is PartKind.MOVE else "a move"
            number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
            refuse(f"expected {expected} at {number}", found)
        board.push(chess.Move.from_uci(move))


def _as_sign(text: str) -> str:
    return f"#{text}" if text.isdecimal() else text


def _read_head(text: bytes) -> tuple[dict[str, str], str, str]:
    """Return the tags of a game, the first bad one, and the comments and moves."""
    if len(text) > MAX_RECORD_BYTES:
        longest = f"{MAX_RECORD_BYTES:,} bytes"
        refuse(f"expected a game of at most {longest}", "a longer one")
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


# Problems

_COMMAND = re.compile(r"\[%[^\[\]]*\]")
_UNKNOWN = {"", "?", "-"}
_NO_CLAIMS = {"FEN", "Keys", "Line", "NoMate", "Round", "SetUp", "Solutions"}
_NO_CLAIMS |= {"Stipulation"}
"""Tags that contain no claim in words, or are read before the others."""

_QUIET = {"White", "Black", "Site", "Date", "Opening", "ECO", "GameURL", "Annotator"}
"""Tags that do not say what is asked."""

_names_side = re.compile(r"(?:white|black)\s+\w", re.IGNORECASE).match
_find_themes = re.compile(r"\bmateIn([0-9]{1,3})\b").findall

_LONGEST_LINE = 20
"""The most moves of a main line whose length is a claim: longer ones are games."""

_MANY = 16
"""A position with this many pieces, all but one on their initial squares, is the
beginning of a game. At odds of the rook a1, a pawn may stand on a3."""


_PARTS = {
    "claim": "Stipulation",
    "keys": "Keys",
    "line": "Line",
    "name": "Event",
    "nomate": "NoMate",
    "position": "FEN",
    "fen": "FEN",
    "solutions": "Solutions",
}
"""The tag that has each part of a problem; `Line` is only a name for others."""


def read_pgn(
    lines: Lines, summary: FileSummary, options: ReadOptions = DEFAULTS
) -> Records:
    """Read the problems of a PGN file, one for each game that is one.

    `columns` may name tags.

    Games from the initial array are no problems, and counted as not selected, unless
    words claim a mate after their last move.
    """
    games = split_games(lines)
    sample = take_sample(games, lambda game: len(game[1]), summary)
    heads = []
    for _, text in sample:
        with suppress(InputError):
            heads.append(_read_head(text)[0])
    try:
        names = renamed(options, _PARTS, {*chain.from_iterable(heads)}, "a tag")
        names = names or _find_names(heads)
    except InputError as error:
        yield FormatError(summary.name, str(error))
        return
    habits = _find_habits((text for _, text in sample), names)
    summary.reading = habits.reading
    summary.names = names
    summary.parse = partial(_parse_problem, summary, habits, names)
    for problem in read_each(chain(sample, games), summary.name, summary.parse):
        if problem is None:
            summary.not_selected += 1
        else:
            yield problem


def _find_names(heads: list[dict[str, str]]) -> dict[str, str]:
    """Return the tags with the usual name of a claim, keys or a line: `[MateIn "3"]`.

    A claim's values must be numbers.
    """
    names: dict[str, str] = {}
    tags = {*chain.from_iterable(heads)}
    for part in ("claim", "keys", "line"):
        usual, known = _PARTS[part], FIELDS[part].split()
        for tag in sorted(tags - {*_KNOWN_TAGS.values()}):
            values = [head[tag] for head in heads if tag in head]
            is_number = part != "claim" or all(map(str.isdecimal, values))
            is_free = usual not in {*tags, *names.values()}
            if plain_name(tag) in known and is_number and is_free:
                names[tag] = usual
    return names


def event_of(problem: Problem) -> str:
    """Return a problem's name for the tag `Event`, quotes and backslashes escaped."""
    return re.sub(r'([\\"])', r"\\\1", printable(problem.id)) or "?"


def write_pgn(problem: Problem, accepted: Mapping[str, Any] | None = None) -> str:
    """Write a problem as a game.

    `read_pgn` reads the same problem again, with two exceptions: the claim's
    `any_last_move` is lost, and in a mate in one the key also becomes the line.

    Parameters
    ----------
    problem : Problem
    accepted : dict, optional
        The accepted tree; see `add_accepted`.

    Returns
    -------
    str
        The game, followed by a blank line.

    Raises
    ------
    InputError
        If a claimed move is illegal.
    """
    game = chess.pgn.Game()
    game.headers.update(Event=event_of(problem), SetUp="1", FEN=problem.fen)
    claim = problem.claim
    if problem.no_mate is not None:
        game.headers["NoMate"] = str(problem.no_mate)
    elif claim is None:
        game.headers["Stipulation"] = "?"  # the name may look like a claim
    else:
        _add_claim(game, claim, problem)
    if accepted:
        add_accepted(game, accepted)
    return f"{game}\n\n"


def add_accepted(node: chess.pgn.GameNode, accepted: Mapping[str, Any]) -> None:
    """Add an accepted tree to a game, after the moves that it has already.

    Its moves are variations unless the main line has them. A comment says where
    the tree is cut.
    """
    if "right_moves" not in accepted:
        node.comment = "more moves are right than are shown"
    for right in accepted.get("right_moves", ()):
        after = _played(node, right)
        if "reply" in right:
            add_accepted(_played(after, right["reply"]), right)


def _played(node: chess.pgn.GameNode, move: Mapping[str, str]) -> chess.pgn.ChildNode:
    """Return the node after a move, which is added if it is not there."""
    played = chess.Move.from_uci(move["uci"])
    found = node.has_variation(played)
    return node.variation(played) if found else node.add_variation(played)


def _add_claim(game: chess.pgn.Game, claim: Claim, problem: Problem) -> None:
    position, stipulation = GivenPosition(problem.fen), problem.stipulation
    line = position.line("line", " ".join(claim.line))
    keys = position.keys("keys", " ".join(claim.keys))
    game.add_line(map(chess.Move.from_uci, line or keys[:1]))
    if stipulation.text:
        game.headers["Stipulation"] = stipulation.text
        if claim.solutions is not None:
            game.headers["Solutions"] = str(claim.solutions)
    else:
        claimed = f"mate{'' if claim.mate > 0 else 'd'} in {abs(claim.mate)}"
        if line and len(line) % 2 == 0:  # it does not begin with the opponent's move
            game.headers["Stipulation"] = claimed
        else:
            game.comment = claimed
    for key in map(chess.Move.from_uci, keys):
        if not game.has_variation(key):
            game.add_variation(key)
    first = (line or keys)[:1] if claim.mate > 0 else ()
    if keys != first and not stipulation.is_help:
        game.headers["Keys"] = " ".join(keys)


class _Game(PgnGame):
    """The parts of a game that make a problem.

    Attributes
    ----------
    moves : tuple of str
        The main line in UCI notation, up to the first move that cannot be read.
    fault : str
        Why the main line cannot be read; empty if it can.
    opening, after_first : str
        The comments before and after the first move.
    """

    def __init__(self, text: bytes, names: Mapping[str, str]) -> None:
        super().__init__(text, names)
        self.fault = ""
        comments: list[list[str]] = [[], [], []]  # by the moves before them
        try:
            for comment in self.play():
                if comment is not None:
                    comments[min(len(self.board.move_stack), 2)].append(f"{comment}\n")
        except InputError as error:
            self.fault = str(error)
        self.moves = tuple(move.uci() for move in self.board.move_stack)
        played = (
            part.text for part in read_movetext(self._movetext) if part.kind in _PLAYED
        )
        if self.fault and not self.ending:
            self._read_other_notation(" ".join(played))
        elif "Line" in self.tags and not self.moves:
            self._read_other_notation(self.tags["Line"])
        self.opening, self.after_first, _ = map("".join, comments)
        if not ("FEN" in self.tags or self.moves):
            raise InputError(self.fault if self.tags and self.fault else EMPTY)

    def _read_other_notation(self, text: str) -> None:
        """Read the main line in another notation, such as German, if it can be."""
        solution = read_solution(self.position.fen, text)
        if solution.moves and not solution.rest:
            self.moves, self.fault = solution.moves, ""
            self.board = self.position.board.copy(stack=False)
            for move in solution.moves:
                self.board.push_uci(move)

    @property
    def texts(self) -> Iterator[str]:
        """The comments at the beginning, and the tags that may say what is asked."""
        yield self.opening
        yield self.after_first
        for tag, text in self.tags.items():
            is_quiet = tag in _QUIET and not _names_side(text)
            if not (tag in _NO_CLAIMS or is_quiet):
                yield text

    @property
    def mates(self) -> bool:
        """Whether the main line is a problem's and ends in mate."""
        is_line = not self.fault and 0 < len(self.moves) <= 2 * _LONGEST_LINE
        return (
            is_line
            and self.board.is_checkmate()
            and not ("FEN" in self.tags and _is_whole(self.board.root()))
        )

    @property
    def has_goal(self) -> bool:
        """Whether the game asks for a win or a draw instead of a mate."""
        return any(map(words.has_goal, self.texts))

    def lengths(self, turn: str) -> list[int]:
        """Return the lengths of the mates that words claim; `turn` is to move."""
        texts = [self.tags.get("Stipulation", ""), *self.texts]
        return [moves for text in texts for moves in words.find_lengths(text, turn)]

    def skip(self, plies: int) -> None:
        """Let the problem begin later, with the position after some of the moves."""
        fen, line = read_compiled(
            self.position.fen, " ".join(self.moves), played=plies
        ) or ("", "")
        given, played = self.position, self.moves[:plies]
        self.position, self.moves = GivenPosition(fen), tuple(line.split())
        self.position.warnings = given.warnings
        if plies == 1:
            self.position.before = (given.fen, *played)


class _Habits(NamedTuple):
    """What most games of a file do.

    Attributes
    ----------
    opponent_begins : bool
        The first move leads to the problem's position.
    are_clear : bool
        Enough games say who begins.
    are_studies : bool
        The games ask for a win or a draw, so that a mate at the end claims nothing.
    are_stated : bool
        Words or tags claim the mates, so that a mate at the end alone claims nothing.
    are_numbered : bool
        The signs in the tag `Event`, such as `#12`, count the games.
    reading : str
        How the moves are read, with its counts, if the opponent begins.
    """

    opponent_begins: bool
    are_clear: bool
    are_studies: bool
    are_stated: bool
    are_numbered: bool
    reading: str


def _find_habits(texts: Iterable[bytes], names: Mapping[str, str]) -> _Habits:
    counts: Counter[tuple[bool, bool]] = Counter()
    total = goals = stated = 0
    signs = []
    for text in texts:
        try:
            game = _Game(text, names)
        except InputError:
            continue
        if "FEN" not in game.tags or not game.moves:
            continue
        total += 1
        signs.append(words.is_sign(game.tags.get("Event", "")))
        goals += game.has_goal
        stated += bool(game.lengths(chess.COLOR_NAMES[game.position.board.turn]))
        if not game.fault:
            counts[game.mates, len(game.moves) % 2 == 0] += 1
    even, odd = counts[True, True], counts[True, False]
    are_even = counts[False, True] > 1 and not counts[False, False]
    return _Habits(
        even > odd if even or odd else are_even,
        (bool(even or odd) or are_even) and total > 1,
        goals * STUDIES >= total > 0,
        total >= STATED and 2 * stated >= total,
        len(signs) >= ENOUGH and all(b - a == 1 for a, b in pairwise(signs)),
        first_mover(even, odd),
    )


def _parse_problem(
    summary: FileSummary,
    habits: _Habits,
    names: Mapping[str, str],
    text: bytes,
    source: str,
) -> Problem | None:
    game = _Game(text, names)
    tags = game.tags
    if "FEN" in tags:
        if _opponent_begins(game, habits):
            game.skip(1)
    elif game.moves and tags.keys().isdisjoint({"Stipulation", "NoMate"}):
        turn = chess.COLOR_NAMES[game.board.turn]
        if game.fault or game.mates or not game.lengths(turn):
            return None
        game.skip(len(game.moves))
    draft = Draft(game.position, summary)
    summary.read("position", "FEN tag" if "FEN" in tags else "initial array")
    if "NoMate" in tags:
        draft.read_no_mate("NoMate tag", tags["NoMate"])
    stipulation = tags.get("Stipulation", "").strip()
    if stipulation not in _UNKNOWN:
        _read_stipulation(draft, stipulation)
    if stipulation != "?":
        _read_words(game, habits, draft, summary)
    _read_moves(game, draft, summary)
    if "Solutions" in tags:
        draft.read_solutions("Solutions tag", tags["Solutions"])
    event = tags.get("Event", "?")
    if event in _UNKNOWN:
        return draft.problem("", source)
    summary.read("name", "Event tag")
    return draft.problem(printable(event), source)


def _opponent_begins(game: _Game, habits: _Habits) -> bool:
    """Return whether the first move of the main line leads to the position in question.

    The line says so if it ends in mate, otherwise its length and what words claim of
    the position after that move, otherwise the other games.
    """
    plies = len(game.moves)
    asked = game.tags.get("Stipulation", "?").strip()  # of the position that is given
    if not plies or asked not in _UNKNOWN or "NoMate" in game.tags:
        return False
    after = chess.COLOR_NAMES[not game.position.board.turn]
    claimed = next(iter(game.lengths(after)), 0)
    if game.board.is_checkmate() and not game.fault:
        return game.mates and plies % 2 == 0 and claimed >= 0
    if habits.are_clear:
        return habits.opponent_begins
    return claimed > 0 and plies == 2 * claimed and not game.fault


def _read_moves(game: _Game, draft: Draft, summary: FileSummary) -> None:
    """Read the keys and the line, and warn of what cannot be read beside a claim."""
    mate = [*draft.mates, draft.stipulation.attacker_moves][0]
    faults = [f"main line: {game.fault}"] if game.fault else []
    if game.bad_tag:
        faults.append(f'tag: expected [Name "value"], found {quote(game.bad_tag)}')
    if faults and not (mate or draft.no_mate):
        raise InputError(faults[0].removeprefix("main line: "))
    draft.warnings += faults
    keys = None
    if "Keys" in game.tags:
        keys = draft.read("keys", "Keys tag", draft.position.keys, game.tags["Keys"])
    if keys is None and mate > 0 and game.moves:
        summary.read("keys", "main line")
        keys = game.moves[:1]
    draft.keys = keys or ()
    stipulation = draft.stipulation
    plies = stipulation.plies if stipulation.text else 2 * mate - 1
    if not game.fault and game.moves and (len(game.moves) > 1 or plies <= 1):
        summary.read("line", "main line")
        draft.line = game.moves


def _read_stipulation(draft: Draft, text: str) -> None:
    """Read the tag `Stipulation`: a mate in n moves, or another stipulation."""
    claims, others = words.find_words(
        text, chess.COLOR_NAMES[draft.position.board.turn]
    )
    if others or not claims:
        draft.stipulation = Stipulation.parse(text)
    for _, _, mate in claims:
        draft.read_mate("Stipulation tag", mate)


def _read_words(
    game: _Game, habits: _Habits, draft: Draft, summary: FileSummary
) -> None:
    """Read the claims in words; if there are none, the length of the main line."""
    is_other = draft.no_mate is not None or bool(draft.stipulation.text)
    found = [*_find_claims(game, habits, draft, summary, is_other=is_other)]
    if is_other:
        return
    for _, field, mate in sorted(found, key=itemgetter(0)):
        draft.read_mate(field, mate)
    if draft.mates or "FEN" not in game.tags or not game.board.is_checkmate():
        return
    plies = len(game.moves)
    if not game.mates:
        summary.ignore("length of a game")
    elif plies and not (game.has_goal or habits.are_studies or habits.are_stated):
        moves = (plies + 1) // 2
        draft.read_mate("main line", str(moves if plies % 2 else -moves))
        draft.by_line = True


def _find_claims(
    game: _Game, habits: _Habits, draft: Draft, summary: FileSummary, *, is_other: bool
) -> Iterator[tuple[bool, str, str]]:
    """Yield the claims of comments and tags, each with its field; signs come last.

    Parameters
    ----------
    game : _Game
    habits : _Habits
    draft : Draft
        Notes what may be a claim and is not read.
    summary : FileSummary
    is_other : bool
        Whether the game claims something else, which words may repeat.

    Raises
    ------
    InputError
        They claim something that is no mate in n moves.
    """
    texts = [("comment", game.opening, False), ("comment", game.after_first, True)]
    tags = [(f"{tag} tag", tag) for tag in game.tags if tag not in _NO_CLAIMS]
    texts += [(field, game.tags[tag], False) for field, tag in tags]
    turn = chess.COLOR_NAMES[draft.position.board.turn]
    for field, whole, alone in texts:
        text = (_COMMAND.sub(" ", whole) if "[" in whole else whole).strip(" \n.!")
        may_claim = words.is_claiming(text) is not None
        is_read = may_claim or words.OTHER.fullmatch(text) is not None
        is_read = bool(is_read) and "://" not in text
        claims, others = words.find_words(text, turn) if is_read else ([], [])
        claims += [(False, text, moves) for moves in _find_themes(text)]
        for is_fairy, other in others:
            if (is_fairy or not is_other) and (not alone or other == text):
                refuse(f"{field}: expected a mate in n moves", quote(other))
        said = [claim for claim in claims if not alone or claim[1] == text]
        if field == "Event tag" and habits.are_numbered:
            said = [claim for claim in said if not claim[0]]
        for sign, _, mate in said:
            yield sign and field != "comment", field, mate
        if not (said or text in _UNKNOWN or (field == "Event tag" and not may_claim)):
            summary.ignore(field, may_claim=may_claim)
            if words.may_claim(text):
                draft.unread = draft.unread or text


def _is_whole(board: chess.Board) -> bool:
    """Return whether a game, perhaps at odds, begins here, rather than a problem."""
    pieces, array = (each.piece_map().items() for each in (board, chess.Board()))
    return len(pieces) >= _MANY and len(pieces - array) <= 1
