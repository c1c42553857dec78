"""Read and write mate problems as PGN: a position, a claim about it, and a line.

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
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

import chess
import chess.pgn

from solver.errors import InputError, quote
from solver.formats.claims import Draft
from solver.formats.pgn_games import EMPTY, PgnGame, split_games
from solver.formats.streams import Lines, Records, read_each
from solver.formats.words import OTHER, find_words, is_claiming
from solver.problem import printable
from solver.stipulation import Stipulation
from solver.strict_moves import parse_keys, parse_line

if TYPE_CHECKING:
    from solver.formats.summary import FileSummary
    from solver.problem import Claim, Problem

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
    return read_each(split_games(lines), summary.name, partial(_parse_game, summary))


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
        _add_claim(game, claim, problem.stipulation)
    return f"{game}\n\n"


def _add_claim(game: chess.pgn.Game, claim: Claim, stipulation: Stipulation) -> None:
    board = game.board()
    line = parse_line(board, "line", " ".join(claim.line))
    keys = parse_keys(board, "keys", " ".join(claim.keys))
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


def _parse_game(summary: FileSummary, text: bytes, source: str) -> Problem:
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
