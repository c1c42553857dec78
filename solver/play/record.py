"""The play of a problem for programs; docs/reference/record.md defines the fields."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import chess

from solver.play.marks import mark_key, mark_mate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.play.tree import Attack, Defence, Variations

Line = tuple[str, ...]
"""Moves in UCI notation."""

Record = dict[str, Any]
"""The JSON value for a move and the play after it, or for the whole play."""

_DEEPEST = 20_000
"""The recursion limit while a record is written: python-chess and json need a few
nested calls for each move of a mate in 200."""


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


CHUNK = 1000
"""So many solutions of help play are written together."""


def never() -> bool:
    """Return False: nothing stops what is written."""
    return False


def chunks(
    lines: Sequence[Line], is_over: Callable[[], bool] = never
) -> Iterator[Sequence[Line]]:
    """Yield `CHUNK` lines at a time.

    Parameters
    ----------
    lines : sequence
        Such as the solutions of help play.
    is_over : callable
        Called before each chunk except the first; if it returns True, that chunk and
        the others are left out.
    """
    for first in range(0, len(lines), CHUNK):
        if first and is_over():
            return
        yield lines[first : first + CHUNK]


def dump_solutions(
    record: dict[str, Any], indent: int | None, is_over: Callable[[], bool] = never
) -> Iterator[str]:
    """Write the record of an answer as `dump` does, in parts.

    Parameters
    ----------
    record : dict
        The record. If it has `solutions`, they are written in chunks.
    indent : int or None
        See `dump`.
    is_over : callable
        See `chunks`. If solutions are left out, the record says so: it is not
        complete, and has the field `solutions_found`.
    """
    solutions = record.get("solutions", ())
    if len(solutions) <= CHUNK:
        yield dump(record, indent)
        return
    end_of_line = "" if indent is None else "\n" + " " * indent
    begin, end = _around_solutions(record, indent)
    written = 0
    for lines in chunks(solutions, is_over):
        yield "," if written else begin
        yield _dump_lines(lines, indent)
        written += len(lines)
    if written < len(solutions):
        found = {"solutions_found": len(solutions), "solutions_complete": False}
        _, end = _around_solutions(record | found, indent)
    yield end_of_line
    yield end


def _around_solutions(record: dict[str, Any], indent: int | None) -> tuple[str, str]:
    """Return the text of a record up to its solutions, and from their end on."""
    without = dump(record | {"solutions": []}, indent)
    name = '"solutions":' + ("[" if indent is None else " [")
    begin, _, end = without.partition(f"{name}]")
    return begin + name, f"]{end}"


def _dump_lines(lines: Sequence[Line], indent: int | None) -> str:
    """Write lines of moves as they stand in a list of a record."""
    text = json.dumps(lines, separators=(",", ":"))[1:-1]
    if indent is None:
        return text
    # json is slow if it indents.
    outer, inner = ("\n" + " " * (indent * level) for level in (2, 3))
    text = text.replace('","', f'",{inner}"').replace(
        "],[", f"{outer}],{outer}[{inner}"
    )
    return f"{outer}[{inner}{text[1:-1]}{outer}]"


def dump(record: dict[str, object], indent: int | None) -> str:
    """Return a record as JSON, however deep its play.

    Parameters
    ----------
    record : dict
        The record of an answer.
    indent : int or None
        Spaces a level; None: one line without spaces.
    """
    separators = (",", ":") if indent is None else None
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        return json.dumps(record, indent=indent, separators=separators)
    finally:
        sys.setrecursionlimit(before)
