"""The play of a problem for programs, with what problemists note beside it.

Called by `cli`, `output` and `pages`; imports `tree`, `board` and `kernel.border`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

import chess

from solver.board import key_features, mate_mark
from solver.kernel.border.interface import KeyFeature

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.play.tree import Attack, Defence, Variations


# --------------------------------------------------------------------------------------
# What problemists note beside the play: pure, model and ideal mates, features of keys.
#
# The docstrings have the definitions; each concerns one position or one move, not the
# tree around it.


class MateMark(StrEnum):
    """How economical and pure a mate is; each level includes those before it."""

    PLAIN = ""
    """No purity."""

    PURE = "pure"
    """Each square of the king's field is barred in one way; see `find_mate_mark`."""

    MODEL = "model"
    """Pure, and every piece of the mating side except king and pawns takes part."""

    IDEAL = "ideal"
    """Pure, and every piece on the board takes part."""


def find_mate_mark(board: chess.Board) -> MateMark:
    """Return whether a checkmate is pure, a model mate or an ideal mate.

    The king's field is the squares next to the king. A square is guarded once for each
    piece of the mating side that attacks it with the mated king off the board, or that
    protects a piece of its own side on it. Pinned pieces guard too.

    - A mate is *pure* if each square of the field is either blocked by a piece of the
      mated side and not guarded, or not blocked and guarded exactly once; and one piece
      gives check. A blocking piece may be guarded by the piece that pins it if
      otherwise it could parry the check. Two pieces may give check if the mated side
      could parry each check alone.
    - A piece of the mating side *takes part* if it gives check, guards a square of the
      field, or pins as above. A piece of the mated side takes part if it blocks.
    - A *model* mate is a pure mate in which all pieces of the mating side take part;
      its king and pawns may, but need not.
    - An *ideal* mate is a pure mate in which all pieces of both sides take part.

    Parameters
    ----------
    board : chess.Board
        The mated side is to move; not changed.

    Returns
    -------
    MateMark
        PLAIN also if it is not checkmate.
    """
    return tuple(MateMark)[mate_mark(board)]


def mark_key(board: chess.Board, move: chess.Move) -> list[str]:
    """Return what a problemist would note about a key, the worst first.

    - It gives check, captures (also en passant), promotes, or castles.
    - *Flights* are squares that the defender's king can move to. They are given if this
      holds only after the key, and taken if it holds only before. Before means: if the
      defender were to move. Castling does not count.
    - Pieces of the defender are pinned or unpinned.
    - The piece that moved is a *sacrifice* if it can be taken. Others of the attacker's
      are put *en prise* if they can be taken after it, but not before.

    Parameters
    ----------
    board : chess.Board
        The position before it; not changed.
    move : chess.Move
        A legal move.

    Returns
    -------
    list of str
        Empty if the move mates.
    """
    return [
        KEY_FEATURES[feature].replace("{}", squares)
        for feature, squares in key_features(board, move)
    ]


_PIECES = (1, "pawn"), (2, "knight"), (4, "bishop"), (8, "rook"), (12, "queen")

KEY_FEATURES: dict[int, str] = {
    KeyFeature.CHECK: "check",
    KeyFeature.TAKES_FLIGHT: "takes flight {}",
    KeyFeature.TAKES_FLIGHTS: "takes flights {}",
    KeyFeature.PINS: "pins {}",
    KeyFeature.CASTLING: "castling",
    KeyFeature.UNPINS: "unpins {}",
    KeyFeature.GIVES_FLIGHT: "gives flight {}",
    KeyFeature.GIVES_FLIGHTS: "gives flights {}",
    KeyFeature.SACRIFICE: "sacrifice",
    KeyFeature.EN_PRISE: "puts {} en prise",
    **{KeyFeature.CAPTURES + kind: f"captures a {name}" for kind, name in _PIECES},
    **{KeyFeature.PROMOTES + kind: f"promotes to a {name}" for kind, name in _PIECES},
}
"""What a key does in words; squares replace `{}`. The pages use the same table."""


# --------------------------------------------------------------------------------------
# The play of a problem for programs; docs/reference/record.md defines the fields.

Record = dict[str, Any]
"""The JSON value for a move and the play after it, or for the whole play."""


def marked_play(variations: Variations) -> Record:
    """Make the record with remarks; see `Variations.to_dict`."""
    return play_record(variations, marks=True)


def play_record(variations: Variations, *, marks: bool = False) -> Record:
    """Make the record of the play, the field `play` of an answer's record.

    Parameters
    ----------
    variations : Variations
        The play.
    marks : bool
        Whether to remark on keys and final positions.

    Returns
    -------
    dict
        For `json.dumps`. Fields of a move that are empty, 0 or false are left out.
    """
    board = chess.Board(variations.fen)
    maker = _Maker(board, marks=marks)
    keys = maker.attacks(variations.keys)
    for key, attack in zip(keys, variations.keys, strict=True):
        move = chess.Move.from_uci(attack.move)
        if marks and (found := mark_key(board, move)):
            key["features"] = found
    tries = maker.attacks(variations.tries)
    defences = maker.defences(variations.defences)
    refutations = maker.moves(variations.refutations)
    if variations.set_play or variations.threats:
        maker.pass_turn()
    threats = maker.attacks(variations.threats)
    set_play = maker.defences(variations.set_play)
    stipulation = variations.stipulation
    return {
        "stipulation": stipulation.text or None,
        "set_play": set_play,
        "tries": tries,
        "tries_complete": variations.tries_complete,
        "keys": keys,
        "keys_complete": variations.keys_complete,
        "defences": defences,
        "refutations": refutations,
        "threats": threats,
        "zugzwang": variations.is_zugzwang,
        "complete_moves": variations.complete_moves,
        "key_moves": variations.key_moves,
        "set_play_moves": variations.set_play_moves,
        "try_moves": variations.try_moves,
    }


class _Maker:
    def __init__(self, board: chess.Board, *, marks: bool) -> None:
        self._board = board
        self._marks = marks

    def pass_turn(self) -> None:
        self._board.push(chess.Move.null())

    def attacks(self, attacks: Iterable[Attack]) -> list[Record]:
        """Write attacks and the play after them; two nested calls for each move."""
        board, records = self._board, []
        for attack in attacks:
            record = self._played(attack.move)
            if attack.moves_left:
                record["moves_left"] = attack.moves_left
            elif not attack.defences and not attack.refutations:
                self._add_mark(record)
            if attack.is_zugzwang:
                record["zugzwang"] = True
            if attack.threats:
                self.pass_turn()
                record["threats"] = self.attacks(attack.threats)
                board.pop()
            if attack.defences:
                record["defences"] = self.defences(attack.defences)
            if attack.refutations:
                record["refutations"] = self.moves(attack.refutations)
            if attack.is_cut:
                record["cut"] = True
            board.pop()
            records.append(record)
        return records

    def moves(self, moves: Iterable[str]) -> list[Record]:
        records = []
        for move in moves:
            records.append(self._played(move))
            self._board.pop()
        return records

    def defences(self, defences: Iterable[Defence]) -> list[Record]:
        records = []
        for defence in defences:
            record = self._played(defence.move)
            if defence.continuations:
                record["continuations"] = self.attacks(defence.continuations)
            else:
                self._add_mark(record)
            if not defence.continuations_complete:
                record["incomplete"] = True
            self._board.pop()
            records.append(record)
        return records

    def _played(self, uci: str) -> Record:
        """Play a move and return its names."""
        return {"uci": uci, "san": self._board.san_and_push(chess.Move.from_uci(uci))}

    def _add_mark(self, record: Record) -> None:
        if self._marks and (remark := find_mate_mark(self._board)):
            record["mark"] = remark
