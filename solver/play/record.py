"""The play of a problem for programs; docs/reference/record.md defines the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess

from solver.play.marks import mark_key, mark_mate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.play.tree import Attack, Defence, Variations

Record = dict[str, Any]
"""The JSON value for a move and the play after it, or for the whole play."""


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
        if self._marks and (remark := mark_mate(self._board)):
            record["mark"] = remark
