"""Read and write mate problems as PGN: a position, what is claimed of it, a line.

The position is the `FEN` tag's, or the initial one. The claim is the first of these:

- the `NoMate` tag, of our own: no mate in so many moves or fewer;
- the `Stipulation` tag, which must be a claim, or `?` for none;
- what the comment before the first move says;
- what the comment behind the first move says, if it says nothing else;
- what another tag says, in their order, `Round` left out;
- the length of the main line, if it starts from a `FEN` tag and ends in mate.

`#3` claims a mate in 3, and so does `mate in 3`, or `in three`; `#-3` and `mated in 3`
claim that the side to move is mated. A `#` counts at the beginning and behind a
punctuation mark only: "Puzzle #3" is a number. Commands such as `[%eval #3]`, which
speak of the position behind the move, claim nothing. Helpmates, selfmates and
reflexmates are refused.

Where the side to move mates, the first move of the main line is the claimed key; where
more moves follow, they are the claimed line. The tag `Keys` of ours names the keys in
another way: by their moves in UCI or SAN, or none. Root variations are no keys: most
often they are tries. `Event` names the problem.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import chess
import chess.pgn

from solver.errors import FormatError, InputError
from solver.formats.claims import (
    make_problem,
    parse_distance,
    parse_keys,
    parse_line,
    parse_no_mate,
    printable,
    quote,
)
from solver.formats.pgn import MainLine, split_games, visit_game
from solver.problem import MAX_MOVES, Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.problem import Problem

_NUMERALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_SIGN = re.compile(
    r"""(?: \A | [.,:;(\n] ) [ \t]*
        (?P<claim> (?P<play> (?: [a-z]+- )? [hsr]{0,2} )
            \# (?P<moves> [+-]?[0-9]{1,9} ) (?! \.?[0-9] ) )""",
    re.VERBOSE | re.IGNORECASE,
)
_PHRASE = re.compile(
    rf"""(?<! no[ ] ) (?<! not[ ] )
         \b (?P<claim> (?P<play> help | self | reflex | ) -? (?: check )?
            mate (?: s | (?P<passive> d ) )? \s+ in \s+
            (?P<moves> [0-9]{{1,9}} | {"|".join(_NUMERALS)} ) \b
            (?: \s+ moves? )? )""",
    re.VERBOSE | re.IGNORECASE,
)
_COMMAND = re.compile(r"\[%[^\[\]]*\]")
_ESCAPED = re.compile(r'\\([\\"])')
_UNKNOWN = {"", "?"}
_NO_CLAIMS = {"FEN", "Keys", "NoMate", "Round", "Stipulation"}
"""Tags that claim nothing in words, or are read before others."""


def event_of(problem: Problem) -> str:
    """Write a problem's name for the tag `Event`, quotes and backslashes escaped."""
    return re.sub(r'([\\"])', r"\\\1", printable(problem.id)) or "?"


def read_pgn(
    lines: Iterable[tuple[int, bytes]], name: str
) -> Iterator[Problem | FormatError]:
    """Read the problems of a PGN file.

    Parameters
    ----------
    lines : iterable of tuple
        Number, from 1, and bytes of each line.
    name : str
        What to call the file.

    Yields
    ------
    Problem or FormatError
        One for each game, in their order.
    """
    for line, text in split_games(lines):
        source = f"{name}:{line}"
        try:
            yield _make_problem(visit_game(text, _Reader), source)
        except InputError as error:
            yield FormatError(source, str(error))


def write_pgn(problem: Problem) -> str:
    """Write a problem as a game.

    `read_pgn` gives it again, but for the claim's `any_last_move`; and in a mate in
    one, a claimed key is told as the line too.

    Parameters
    ----------
    problem : Problem
        Any.

    Returns
    -------
    str
        The game, with a blank line behind it.

    Raises
    ------
    InputError
        If a claimed move is not legal.
    """
    game = chess.pgn.Game()
    game.headers["Event"] = event_of(problem)
    game.headers["SetUp"] = "1"
    game.headers["FEN"] = problem.fen
    claim = problem.claim
    if problem.no_mate is not None:
        game.headers["NoMate"] = str(problem.no_mate)
    elif claim is None:
        game.headers["Stipulation"] = "?"  # the name might seem to claim something
    else:
        _add_claim(game, claim)
    return f"{game}\n\n"


def _add_claim(game: chess.pgn.Game, claim: Claim) -> None:
    board = game.board()
    line = parse_line(board, "line", claim.line)
    keys = parse_keys(board, "keys", claim.keys)
    game.comment = f"mate{'' if claim.mate > 0 else 'd'} in {abs(claim.mate)}"
    node: chess.pgn.GameNode = game
    for move in map(chess.Move.from_uci, line or keys[:1]):
        node = node.add_main_variation(move)
    for key in map(chess.Move.from_uci, keys):
        if not game.has_variation(key):
            game.add_variation(key)
    if keys != _first_move(claim.mate, line or keys):
        game.headers["Keys"] = " ".join(keys)


class _Facts(NamedTuple):
    """What stands in a game.

    Attributes
    ----------
    tags : Headers
    board : chess.Board
        The position before the first move.
    moves : tuple of str
        The main line in UCI notation.
    ends_in_mate : bool
    opening, behind_first : str
        The comments before and behind the first move.
    """

    tags: chess.pgn.Headers
    board: chess.Board
    moves: tuple[str, ...]
    ends_in_mate: bool
    opening: str
    behind_first: str


class _Reader(MainLine[_Facts]):
    """Collects what a problem may be made of."""

    def __init__(self) -> None:
        super().__init__()
        self._board = chess.Board()
        self._comments: tuple[list[str], list[str]] = ([], [])

    def visit_board(self, board: chess.Board) -> None:
        self._board = board

    def visit_comment(self, comment: str) -> None:
        played = len(self._board.move_stack)
        if played < len(self._comments):
            self._comments[played].append(f"{comment}\n")

    def result(self) -> _Facts:
        moves = tuple(move.uci() for move in self._board.move_stack)
        return _Facts(
            self.tags,
            self._board.root(),
            moves,
            self._board.is_checkmate(),
            *map("".join, self._comments),
        )


def _make_problem(facts: _Facts, source: str) -> Problem:
    tags, moves = facts.tags, facts.moves
    claim = no_mate = None
    if "NoMate" in tags:
        no_mate = parse_no_mate("NoMate tag", tags["NoMate"])
    elif (mate := _find_mate(facts)) is not None:
        keys = _first_move(mate, moves)
        if "Keys" in tags:
            keys = parse_keys(facts.board, "Keys tag", tags["Keys"].split())
        names_key_only = len(moves) == 1 and mate > 1
        claim = Claim(mate, keys, () if names_key_only else moves)
    event = _ESCAPED.sub(r"\1", tags.get("Event", ""))
    return make_problem(
        facts.board.fen(en_passant="fen"),
        "" if event in _UNKNOWN else printable(event),
        source,
        claim,
        no_mate,
    )


def _first_move(mate: int, moves: tuple[str, ...]) -> tuple[str, ...]:
    """Give the key of a line; there is none where the side to move is mated."""
    return moves[:1] if mate > 0 else ()


def _find_mate(facts: _Facts) -> int | None:
    tags = facts.tags
    stipulation = tags.get("Stipulation", "").strip()
    if stipulation == "?":
        return None
    if stipulation:
        mate = _read_claim(stipulation, alone=True)
        if mate is None:
            msg = f"Stipulation tag: expected #n, found {quote(stipulation)}"
            raise InputError(msg)
        return mate
    told = (_read_claim(text, alone=alone) for text, alone in _words(facts))
    mate = next((mate for mate in told if mate is not None), None)
    return _count_moves(facts) if mate is None else mate


def _words(facts: _Facts) -> Iterator[tuple[str, bool]]:
    """Give what may claim something, and whether it must say nothing else."""
    yield facts.opening, False
    yield facts.behind_first, True
    for tag, text in facts.tags.items():
        if tag not in _NO_CLAIMS:
            yield text, False


def _count_moves(facts: _Facts) -> int | None:
    """Take the main line's mate for the claim, unless it is a whole game's."""
    plies = len(facts.moves)
    if not facts.ends_in_mate or "FEN" not in facts.tags or not plies:
        return None
    moves = (plies + 1) // 2
    if moves > MAX_MOVES:
        return None
    return moves if plies % 2 else -moves


def _read_claim(text: str, *, alone: bool = False) -> int | None:
    """Read a claim in words; `alone` if the text must say nothing else."""
    text = _COMMAND.sub(" ", text).strip(" \n.!")
    found = _SIGN.search(text) or _PHRASE.search(text)
    if found is None or (alone and found["claim"] != text):
        return None
    if found["play"]:
        msg = f"stipulation: expected #n, found {quote(found['claim'])}"
        raise InputError(msg)
    word = found["moves"].lower()
    moves = str(_NUMERALS.index(word) + 1) if word in _NUMERALS else word
    mate = parse_distance("mate in", moves)
    return -mate if found.groupdict().get("passive") else mate
