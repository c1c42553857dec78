"""The play of a problem with moves whose fields are attributes too.

`attack_of` and `defence_of` make moves by hand, and `play_record` names them by
python-chess; `typed` reads what the program has built.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import chess

from solver.board import Place
from solver.play.record import Variations, mark_key, play_attacks
from solver.stipulations import genre_of
from tests.oracles.marks import mark_mate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OTHER_NAMES = {"move": "uci", "is_zugzwang": "zugzwang", "is_cut": "cut"}
LISTS = ("threats", "defences", "continuations", "refutations")
PARTS = ("keys", "tries", "defences", "refutations", "set_play", "threats")


class Move(dict[str, Any]):
    """A move of a record; what it leaves out is 0, false or an empty list."""

    def __getattr__(self, name: str) -> Any:
        name = OTHER_NAMES.get(name, name)
        return self.get(name, [] if name in LISTS else 0)

    @property
    def length(self) -> int:
        """The attacker's moves that are needed after a defence."""
        return self.continuations[0].moves_left + 1 if self.continuations else 0


def typed(play: Variations) -> Any:
    """Return a play of such moves."""
    record = json.loads(json.dumps(play.to_dict()), object_hook=Move)
    return replace(play, **{name: record[name] for name in PARTS})


def all_attacks_of(play: Any) -> list[Any]:
    """Return every move of the attacker."""
    return [*play_attacks(play.to_dict())]


def names(moves: Iterable[Any]) -> list[str]:
    """Return moves in UCI."""
    return [move["uci"] for move in moves]


# By hand


def attack_of(move: str, moves_left: int, **fields: Any) -> Move:
    """Make a move of the attacker; refutations are names in UCI."""
    fields["refutations"] = moves_of(*fields.get("refutations", ()))
    known = {"uci": move, "moves_left": moves_left, **fields}
    return Move({name: value for name, value in known.items() if value})


def defence_of(move: str, continuations: Sequence[Move] = (), **fields: bool) -> Move:
    """Make a move of the defender, and the attacker's continuations."""
    answers = {"continuations": [*continuations]} if continuations else {}
    return Move(uci=move, **answers, **fields)


def moves_of(*names: str) -> list[Move]:
    """Make moves without play."""
    return [Move(uci=name) for name in names]


def play_record(
    play: Variations, *, marks: bool = False, popeye: bool = False
) -> dict[str, Any]:
    """Return the record of a play whose moves are named here, with `popeye` for it."""
    board = chess.Board(play.fen or chess.STARTING_FEN)
    namer = _Names(board, play, marks=marks, popeye=popeye)
    found = play.to_dict()
    if forced := namer.forced():
        found["forced"] = forced
    for name in PARTS[:4]:
        found[name] = namer.moves(found[name], name)
    for key in found["keys"] if marks else ():
        if features := mark_key(Place.of(board), key["uci"]):
            key["features"] = features
    if play.set_play or play.threats:
        board.push(chess.Move.null())
    return found | {name: namer.moves(found[name], name) for name in PARTS[4:]}


class _Names:
    def __init__(
        self, board: chess.Board, play: Variations, *, marks: bool, popeye: bool
    ) -> None:
        self._board = board
        self._genre = genre_of(play.stipulation)
        self._marks = marks
        self._popeye = popeye

    def moves(self, moves: Iterable[dict[str, Any]], of: str) -> list[dict[str, Any]]:
        """Name moves and all below them; one nested call for each move."""
        found = []
        for made in moves:
            named = self._named(chess.Move.from_uci(made["uci"]))
            named |= {name: made[name] for name in made if name not in LISTS}
            self._board.push(chess.Move.from_uci(made["uci"]))
            is_last = not ({"moves_left", *LISTS} & {*made}) and of != "refutations"
            if self._marks and is_last and (mark := mark_mate(self._board)):
                named["mark"] = mark
            if of == "refutations" and (forced := self.forced()):
                named["forced"] = forced
            for name in LISTS:
                if name not in made:
                    continue
                if name == "threats":
                    self._board.push(chess.Move.null())
                named[name] = self.moves(made[name], name)
                if name == "threats":
                    self._board.pop()
            self._board.pop()
            found.append(named)
        return found

    def forced(self) -> list[dict[str, str]]:
        """Name the moves with which the attacker must end reflex play."""
        found: list[dict[str, str]] = []
        if not (self._popeye and self._genre.attacker_must_end):
            return found
        for move in sorted(self._board.legal_moves, key=chess.Move.uci):
            self._board.push(move)
            is_end = self._genre.is_goal(self._board)
            self._board.pop()
            found += [self._named(move)] * is_end
        return found

    def _named(self, move: chess.Move) -> dict[str, Any]:
        names = {"uci": move.uci(), "san": self._board.san(move)}
        return names | ({"long": long_name(self._board, move)} if self._popeye else {})


def long_name(board: chess.Board, move: chess.Move) -> str:
    """Name a move as the kernel writes it for Popeye's text: `Qh5*a5`, `e5*d6ep.+`."""
    san = board.san(move)
    sign = san[len(san.rstrip("+#")) :]
    if board.is_castling(move):
        return san.replace("O", "0")
    piece = board.piece_at(move.from_square)
    assert piece
    name = "" if piece.piece_type == chess.PAWN else piece.symbol().upper()
    between = "*" if "x" in san else "-"
    name += f"{chess.square_name(move.from_square)}{between}"
    name += chess.square_name(move.to_square)
    if move.promotion:
        name += f"={chess.piece_symbol(move.promotion).upper()}"
    passing = "ep." if board.is_en_passant(move) else ""
    return name.replace("N", "S") + passing + sign
