"""PGN: games split and replayed, problems, and the mate scores in comments.

Called by `laboratory` and `output`; imports `claims`, `streams`, `errors`, `movetext`,
`position_text` and `problem`.

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

Mate scores: the mates that engines claim in the comments of games, one for each.

- `[%eval #3]`, as lichess and python-chess write it, or `[%eval M3]`, as En Croissant
  did (niklasf/chessops, issue 163): White mates in 3 in the position after the move,
  or after the `FEN` tag; `#-3`, `-M3`: Black mates.
- `+M5/20 0.1s`, as cutechess-cli (`MoveEvaluation::scoreText`) and fastchess (since
  its pull request 696) write it: the player mates in the position before the move, by
  this move, within 5 plies; `-M6`: the player is mated.
- `+#3/20`: the same in moves.
- `+M3` or, as in UCI, `mate 3`, without a depth: the same in moves.

A mate takes an odd number of plies, and being mated an even one. If an `M` in a game
contradicts this, all of them count moves, as fastchess wrote them before its version 1.
The point of view may be another one in an `[%eval]`, where some programs write the
player's, and without a depth. In the wrong one the winner seems to change with each
move; then the other is taken (`_flips`).

Other scores and variations are skipped. A number that is too large is an error, and the
other scores of the game are kept. Any other comment that looks like a mate score is
counted: `mate in 3` or `#3` do not say who mates.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.pgn

from solver.errors import FormatError, InputError, quote
from solver.formats.claims import OTHER, Draft, find_words, is_claiming, parse_distance
from solver.formats.streams import MAX_RECORD_BYTES, Lines, Records, decode, read_each
from solver.movetext import NO_MOVE, PartKind, TextPart, read_movetext
from solver.position_text import GivenPosition, legal_moves
from solver.problem import Claim, Problem, Stipulation, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.formats.claims import FileSummary


# Games

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
            msg = f"expected nothing after {self.ending}, found {found}"
            raise InputError(msg)
        if move is None:
            expected = "a legal move" if part.kind is PartKind.MOVE else "a move"
            number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
            msg = f"expected {expected} at {number}, found {found}"
            raise InputError(msg)
        board.push(chess.Move.from_uci(move))


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


# Problems

_COMMAND = re.compile(r"\[%[^\[\]]*\]")
_UNKNOWN = {"", "?", "-"}
_NO_CLAIMS = {"FEN", "Keys", "NoMate", "Round", "SetUp", "Solutions", "Stipulation"}
"""Tags that contain no claim in words, or are read before the others."""

_LONGEST_LINE = 20
"""The most moves of a main line whose length is a claim: longer ones are games."""

_MANY = 16
"""A position of so many pieces, all but one where a game begins, begins a game. At odds
of the rook a1, a pawn may stand on a3."""


def read_pgn(lines: Lines, summary: FileSummary) -> Records:
    """Read the problems of a PGN file, one for each game; see `read_each`."""
    return read_each(split_games(lines), summary.name, partial(_parse_problem, summary))


def event_of(problem: Problem) -> str:
    """Return a problem's name for the tag `Event`, quotes and backslashes escaped."""
    return re.sub(r'([\\"])', r"\\\1", printable(problem.id)) or "?"


def write_pgn(problem: Problem) -> str:
    """Write a problem as a game.

    `read_pgn` reads the same problem again, with two exceptions: the claim's
    `any_last_move` is lost, and in a mate in one the key also becomes the line.

    Parameters
    ----------
    problem : Problem

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
    return f"{game}\n\n"


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
        game.comment = f"mate{'' if claim.mate > 0 else 'd'} in {abs(claim.mate)}"
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

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.fault = ""
        comments: list[list[str]] = [[], [], []]  # by the moves before them
        try:
            for comment in self.play():
                if comment is not None:
                    comments[min(len(self.board.move_stack), 2)].append(f"{comment}\n")
        except InputError as error:
            self.fault = str(error)
        self.moves = tuple(move.uci() for move in self.board.move_stack)
        self.opening, self.after_first, _ = map("".join, comments)
        if not ("FEN" in self.tags or self.moves):
            raise InputError(self.fault if self.tags and self.fault else EMPTY)


def _parse_problem(summary: FileSummary, text: bytes, source: str) -> Problem:
    game = _Game(text)
    tags = game.tags
    draft = Draft(game.position, summary)
    summary.read("position", "FEN tag" if "FEN" in tags else "initial array")
    if "NoMate" in tags:
        draft.read_no_mate("NoMate tag", tags["NoMate"])
    stipulation = tags.get("Stipulation", "").strip()
    if stipulation not in _UNKNOWN:
        _read_stipulation(draft, stipulation)
    if stipulation != "?":
        _read_words(game, draft, summary)
    _read_moves(game, draft, summary)
    if "Solutions" in tags:
        draft.read_solutions("Solutions tag", tags["Solutions"])
    event = tags.get("Event", "?")
    if event in _UNKNOWN:
        return draft.problem("", source)
    summary.read("name", "Event tag")
    return draft.problem(printable(event), source)


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
    claims, others = find_words(text, chess.COLOR_NAMES[draft.position.board.turn])
    if others or not claims:
        draft.stipulation = Stipulation.parse(text)
    for _, _, mate in claims:
        draft.read_mate("Stipulation tag", mate)


def _read_words(game: _Game, draft: Draft, summary: FileSummary) -> None:
    """Read the claims in words; if there are none, the length of the main line."""
    is_other = draft.no_mate is not None or draft.stipulation.text
    texts = [("comment", game.opening, False), ("comment", game.after_first, True)]
    tags = [(f"{tag} tag", tag) for tag in game.tags if tag not in _NO_CLAIMS]
    texts += [(field, game.tags[tag], False) for field, tag in tags]
    turn = chess.COLOR_NAMES[draft.position.board.turn]
    found: list[tuple[bool, str, str]] = []
    for field, whole, alone in texts:
        text = (_COMMAND.sub(" ", whole) if "[" in whole else whole).strip(" \n.!")
        may_claim = is_claiming(text) is not None
        is_read = may_claim or OTHER.fullmatch(text)
        claims, others = find_words(text, turn) if is_read else ([], [])
        for is_fairy, other in others:
            if (is_fairy or not is_other) and (not alone or other == text):
                msg = f"{field}: expected a mate in n moves, found {quote(other)}"
                raise InputError(msg)
        said = [claim for claim in claims if not alone or claim[1] == text]
        found += [(sign and field != "comment", field, mate) for sign, _, mate in said]
        if not (said or text in _UNKNOWN or (field == "Event tag" and not may_claim)):
            summary.ignore(field, may_claim=may_claim)
    if is_other:
        return
    for _, field, mate in sorted(found, key=itemgetter(0)):
        draft.read_mate(field, mate)
    plies = len(game.moves)
    if draft.mates or game.fault or not plies or "FEN" not in game.tags:
        return
    if game.board.is_checkmate():
        if plies > 2 * _LONGEST_LINE or _is_whole(game.board.root()):
            summary.ignore("length of a game")
        else:
            moves = (plies + 1) // 2
            draft.read_mate("main line", str(moves if plies % 2 else -moves))


def _is_whole(board: chess.Board) -> bool:
    """Return whether a game, perhaps at odds, begins here, rather than a problem."""
    pieces, array = (each.piece_map().items() for each in (board, chess.Board()))
    return len(pieces) >= _MANY and len(pieces - array) <= 1


# Mate scores


class _View(NamedTuple):
    """Which position a score is about, and who mates if its number is positive."""

    words: str
    is_before: bool
    is_whites: bool


_OF_WHITE = _View("White's view", is_before=False, is_whites=True)
_OF_PLAYER = _View("player's view", is_before=True, is_whites=False)
_VIEWS = {
    "[%eval]": (_OF_WHITE, _OF_PLAYER._replace(is_before=False)),
    "score/depth": (_OF_PLAYER,),
    "score": (_OF_PLAYER, _OF_WHITE),
}
"""The views of each form of a score; the first is the usual one."""

_SCORE = r"([+-]?)(M|#|(?i:mate)\s+)([+-]?[0-9]{1,9})"
_find_eval = re.compile(rf"\[%eval\s+{_SCORE}\b").search
_match_player = re.compile(rf"\s*{_SCORE}/[0-9]").match
_match_bare = re.compile(
    rf"\s*{_SCORE.replace('|#', '')}(?=\s*(?:[,;0-9]|\Z))(?!\w)"
).match
_FORMS = dict(zip(_VIEWS, (_find_eval, _match_player, _match_bare), strict=True))

_find_unread = re.compile(
    r"\[%eval[^\]]*[#M][^\]]*\]?|(?<!\w)[+-]?M[+-]?[0-9]+(?!\w)"
    r"|(?<!\w)(?<!\w )[+-]?#[+-]?[0-9]+|(?i:\bmated?\s+(?:in\s+)?[+-]?[0-9]+)"
).search
_ADVICE = re.compile(r"\([^()]*\u2192[^()]*\)")
"""lichess's words beside its score, such as `(Mate in 3 -> 4.50)` with an arrow."""


class _GameScore(NamedTuple):
    """A mate score: its form, unit and number, and the board after the last move."""

    form: str
    unit: str
    number: int
    ply: int
    board: chess.Board

    @property
    def may_count_plies(self) -> bool:
        """Whether it can be a number of plies; true of all that count moves."""
        return self.unit == "#" or self.number % 2 == (self.number > 0)

    def mate(self, view: _View) -> int:
        """Return its number, negative if the side to move in its position is mated."""
        turn = self.board.turn != view.is_before
        player = self.board.turn != bool(self.ply)
        return self.number if (view.is_whites or player) == turn else -self.number


def read_scores(lines: Lines, summary: FileSummary) -> Records:
    """Read the claims of all games; a game that cannot be read is one error."""
    parse = partial(_parse_scores, count(1), summary)
    for claims in read_each(split_games(lines), summary.name, parse):
        yield from [claims] if isinstance(claims, FormatError) else claims


def _find_scores(game: PgnGame) -> Iterator[_GameScore | tuple[str, str]]:
    """Yield the scores of the main line, mates in 0 too.

    For a comment that looks like a score and is not read: what it has, and where.
    """
    board = game.board
    for comment in game.play():
        if comment is None:
            continue
        ply, is_read = len(board.move_stack), False
        for form, match in _FORMS.items():
            found = match(comment)
            if not found or (form == "score" and is_read):
                continue
            if ply or form == "[%eval]":
                number = int(f"{found[1]}1") * int(found[3])
                unit = "M" if form == "score/depth" and found[2] == "M" else "#"
                yield _GameScore(form, unit, number, ply, board.copy(stack=1))
                is_read = True
        if not is_read and (unread := _find_unread(_ADVICE.sub("", comment))):
            yield unread[0], f"after {_last_move(board)[1]}" if ply else "start"


def _last_move(board: chess.Board) -> tuple[chess.Board, str, str]:
    """Return the position before the last move, and the move in words and in UCI."""
    before = board.copy(stack=1)
    move = before.pop()
    return before, before.variation_san([move]), move.uci()


def _flips(scores: list[_GameScore], view: _View) -> int:
    """Count what speaks against a view: after a move, the other side mates.

    Twice if the mated side moved, which cannot turn a mate; and twice for a mate in 1
    by a move that does not mate.
    """
    mates = {score.ply: score.mate(view) for score in scores}
    before = [
        mate for ply, mate in mates.items() if mate * mates.get(ply + 1, -mate) > 0
    ]
    wrong = [
        score
        for score in scores
        if view.is_before and score.number == 1 and not score.board.is_checkmate()
    ]
    return sum(2 if mate < 0 else 1 for mate in before) + 2 * len(wrong)


def _choose_view(scores: list[_GameScore], usual: _View, *others: _View) -> _View:
    """Return the usual view unless the game speaks for another one."""
    flips = _flips(scores, usual)
    better = [view for view in others if flips > 1 and _flips(scores, view) < flips]
    return better[0] if better else usual


def _parse_scores(
    games: count[int], summary: FileSummary, text: bytes, source: str
) -> list[Problem | FormatError]:
    game = f"game {next(games)}"
    scores = []
    for score in _find_scores(PgnGame(text)):
        if not isinstance(score, _GameScore):
            summary.skip_score(f"{quote(score[0])} ({source}, {game}, {score[1]})")
        elif score.number:
            scores.append(score)
    views = {
        form: _choose_view([score for score in scores if score.form == form], *views)
        for form, views in _VIEWS.items()
    }
    in_plies = all(score.may_count_plies for score in scores)
    problems: list[Problem | FormatError] = []
    for score in scores:
        view = views[score.form]
        mate, unit, board = score.mate(view), "moves", score.board
        if in_plies and score.unit == "M":
            mate, unit = (mate + (mate > 0)) // 2, "plies"
        summary.read("claim", f"{score.form} ({view.words}, in {unit})")
        name, line = f"{game}, start", tuple[str, ...]()
        if score.ply:
            before, move, uci = _last_move(board)
            name = f"{game}, {'' if view.is_before else 'after '}{move}"
            if view.is_before:
                board, line = before, (uci,)
        try:
            claim = Claim(parse_distance(name, str(mate)), (), line)
            fen = board.fen(en_passant="fen")
            problems.append(Problem(fen, name, claim, source))
        except InputError as error:
            problems.append(FormatError(source, str(error)))
    return problems
