"""Read and write mate problems as PGN: a position, a claim about it, and a line.

The position is given by the `FEN` tag, or is the initial one. The claim is the first of
these:

- the `NoMate` tag, specific to matesolve: there is no mate in n or fewer moves;
- the `Stipulation` tag, which must be a claim, a stipulation such as `h#2.5`, or `?`
  for none;
- the comment before the first move;
- the comment after the first move, if it contains nothing but the claim;
- any other tag except `Round`, in their order;
- the length of the main line, if it starts from a `FEN` tag and ends in mate.

`#3`, `mate in 3` and `mate in three` claim a mate in 3; `#-3` and `mated in 3` claim
that the side to move is mated. A `#` counts only at the beginning and after a
punctuation mark: "Puzzle #3" is a number. Commands such as `[%eval #3]` describe the
position after the move and claim nothing. In words, helpmates, selfmates and
reflexmates are refused; with such a tag `Stipulation`, nothing else is searched for a
claim. The tag `Solutions`, specific to matesolve, says how many solutions help play
has.

If the side to move mates, the first move of the main line is the claimed key; if more
moves follow, the main line is the claimed line. The tag `Keys`, specific to matesolve,
replaces the keys by its moves in UCI or SAN, or by none. Variations at the root are not
keys, because most of them are tries. `Event` names the problem.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import chess
import chess.pgn

from solver.board import parse_keys, parse_line
from solver.errors import InputError, quote
from solver.formats.claims import (
    default_name,
    parse_distance,
    parse_no_mate,
    parse_solutions,
    printable,
)
from solver.formats.pgn_games import MainLine, split_games, visit_game
from solver.formats.streams import Lines, Records, read_each
from solver.problem import Claim, Problem
from solver.stipulation import EXPECTED, MATE, MAX_MOVES, Stipulation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.formats.summary import FileSummary

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
_NO_CLAIMS = {"FEN", "Keys", "NoMate", "Round", "Solutions", "Stipulation"}
"""Tags that contain no claim in words, or are read before the others."""


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
    game.headers["Event"] = event_of(problem)
    game.headers["SetUp"] = "1"
    game.headers["FEN"] = problem.fen
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
    if stipulation.text:
        game.headers["Stipulation"] = stipulation.text
        if claim.solutions is not None:
            game.headers["Solutions"] = str(claim.solutions)
    else:
        game.comment = f"mate{'' if claim.mate > 0 else 'd'} in {abs(claim.mate)}"
    node: chess.pgn.GameNode = game
    for move in map(chess.Move.from_uci, line or keys[:1]):
        node = node.add_main_variation(move)
    for key in map(chess.Move.from_uci, keys):
        if not game.has_variation(key):
            game.add_variation(key)
    if stipulation.is_help:
        return
    if keys != _first_move(claim.mate, line or keys):
        game.headers["Keys"] = " ".join(keys)


class _Game(MainLine["_Game"]):
    """The parts of a game that make a problem.

    Attributes
    ----------
    board : chess.Board
        The position before the first move.
    moves : tuple of str
        The main line in UCI notation.
    ends_in_mate : bool
    opening, after_first : str
        The comments before and after the first move.
    """

    def __init__(self) -> None:
        super().__init__()
        self._comments: tuple[list[str], list[str]] = ([], [])

    def visit_comment(self, comment: str) -> None:
        played = len(self.board.move_stack)
        if played < len(self._comments):
            self._comments[played].append(f"{comment}\n")

    def result(self) -> _Game:
        self.moves = tuple(move.uci() for move in self.board.move_stack)
        self.ends_in_mate = self.board.is_checkmate()
        self.board = self.board.root()
        self.opening, self.after_first = map("".join, self._comments)
        return self


def _parse_game(_summary: FileSummary, text: bytes, source: str) -> Problem:
    game = visit_game(text, _Game)
    tags = game.tags
    claim = no_mate = solutions = None
    stipulation = _find_stipulation(tags)
    if "NoMate" in tags:
        no_mate = parse_no_mate("NoMate tag", tags["NoMate"])
    elif stipulation.has_number:
        claim = _make_claim(game, stipulation.attacker_moves, stipulation.plies)
        if "Solutions" in tags:
            solutions = parse_solutions("Solutions tag", tags["Solutions"])
    elif (mate := _find_mate(game)) is not None:
        claim = _make_claim(game, mate, 2 * mate - 1)
    event = _ESCAPED.sub(r"\1", tags.get("Event", ""))
    if claim and stipulation.is_help:
        claim = replace(claim, keys=(), solutions=solutions)
    return Problem(
        game.board.fen(en_passant="fen"),
        (event not in _UNKNOWN and printable(event)) or default_name(source),
        claim,
        source,
        no_mate,
        stipulation,
    )


def _find_stipulation(tags: chess.pgn.Headers) -> Stipulation:
    """Return the tag's stipulation; `MATE` if the tag is a claim or is missing."""
    try:
        found = Stipulation.parse(tags.get("Stipulation", ""))
    except InputError:
        return MATE
    return found.beside_claim


def _make_claim(game: _Game, mate: int, plies: int) -> Claim:
    keys = _first_move(mate, game.moves)
    if "Keys" in game.tags:
        keys = parse_keys(game.board, "Keys tag", game.tags["Keys"])
    names_key_only = len(game.moves) == 1 and plies > 1
    return Claim(mate, keys, () if names_key_only else game.moves)


def _first_move(mate: int, moves: tuple[str, ...]) -> tuple[str, ...]:
    """Return the key of a line; there is none if the side to move is mated."""
    return moves[:1] if mate > 0 else ()


def _find_mate(game: _Game) -> int | None:
    tags = game.tags
    stipulation = tags.get("Stipulation", "").strip()
    if stipulation == "?":
        return None
    if stipulation:
        mate = _read_claim(stipulation, alone=True, expected=EXPECTED)
        if mate is None:
            found = quote(stipulation)
            msg = f"Stipulation tag: expected {EXPECTED}, found {found}"
            raise InputError(msg)
        return mate
    claims = (_read_claim(text, alone=alone) for text, alone in _texts(game))
    mate = next((mate for mate in claims if mate is not None), None)
    return _count_moves(game) if mate is None else mate


def _texts(game: _Game) -> Iterator[tuple[str, bool]]:
    """Yield texts that may contain a claim, and whether they may contain only that."""
    yield game.opening, False
    yield game.after_first, True
    for tag, text in game.tags.items():
        if tag not in _NO_CLAIMS:
            yield text, False


def _count_moves(game: _Game) -> int | None:
    """Return the length of a main line that mates, unless it is a whole game."""
    plies = len(game.moves)
    if not game.ends_in_mate or "FEN" not in game.tags or not plies:
        return None
    moves = (plies + 1) // 2
    if moves > MAX_MOVES:
        return None
    return moves if plies % 2 else -moves


def _read_claim(text: str, *, alone: bool = False, expected: str = "#n") -> int | None:
    """Parse a claim in words; with `alone`, the text must contain nothing else."""
    text = _COMMAND.sub(" ", text).strip(" \n.!")
    found = _SIGN.search(text) or _PHRASE.search(text)
    if found is None or (alone and found["claim"] != text):
        return None
    if found["play"]:
        msg = f"stipulation: expected {expected}, found {quote(found['claim'])}"
        raise InputError(msg)
    word = found["moves"].lower()
    moves = str(_NUMERALS.index(word) + 1) if word in _NUMERALS else word
    mate = parse_distance("mate in", moves)
    return -mate if found.groupdict().get("passive") else mate
