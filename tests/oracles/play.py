"""The whole play of a problem by its definition, as nested tuples.

A slow oracle says which moves solve; this module adds what problemists show: set play,
tries, threats or zugzwang, the defences that matter, and the shortest continuations.
Sets are used if the order does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.problem import Goal, Play
from tests.oracles import battle_play, remembering

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.problem import Stipulation


class Attack(NamedTuple):
    """A move of the attacker: what it threatens, how it is met, what refutes it."""

    move: str
    moves_left: int
    threats: frozenset[Attack]
    is_zugzwang: bool
    defences: frozenset[Defence]
    refutations: frozenset[str]


class Defence(NamedTuple):
    """A move of the defender and its answers."""

    move: str
    continuations: frozenset[Attack]


class WholePlay(NamedTuple):
    """The play from a position with the attacker to move."""

    set_play: frozenset[Defence]
    tries: frozenset[Attack]
    keys: frozenset[Attack]


class PlayOracle:
    """Builds the play of one stipulation, but not of help play.

    `threats`: look for threats, and leave out defences that change nothing about them;
    `all_defences`: leave out none.
    """

    def __init__(
        self,
        stipulation: Stipulation,
        *,
        threats: bool = True,
        all_defences: bool = False,
    ) -> None:
        self._stipulation = stipulation
        self._threats = threats
        self._all_defences = all_defences
        self._solving: Callable[[chess.Board, int], set[str]]
        if stipulation.is_direct_mate:
            self._solving = remembering.Oracle().keys
        else:
            self._solving = lambda board, n: battle_play.keys(board, stipulation, n)

    def whole_play(self, board: chess.Board, tries: int) -> WholePlay:
        """Return set play, tries with at most this many refutations, and keys."""
        n = self._stipulation.length
        set_play: frozenset[Defence] = frozenset()
        if not board.is_check():
            passed = after_pass(board)
            answers = self._answers(passed, n - 1)
            is_over = {m.uci() for m in passed.legal_moves} == self._ending(passed)
            if self._must_end(passed):
                must = self._ending(passed)
                answers = {r: a for r, a in answers.items() if r in must}
                is_over = True
            shown = {
                reply: answer
                for reply, answer in answers.items()
                if self._all_defences or n == 1 or is_over or answer[1]
            }
            set_play = self._defences(shown, frozenset())
        first = {k: self._solving(board, k) for k in self._lengths(n)}
        keys, refuted = set(), set()
        for move in board.legal_moves:
            after = played(board, move)
            solving = (k for k in self._lengths(n) if move.uci() in first[k])
            shortest = next(solving, None)
            if shortest is not None:
                keys.add(self._attack(move.uci(), after, shortest - 1))
                continue
            refutations = self._refutations(after, n - 1)
            if self._may_be_refuted(board) and 0 < len(refutations) <= tries:
                refuted.add(self._attack(move.uci(), after, n - 1, refutations))
        return WholePlay(set_play, frozenset(refuted), frozenset(keys))

    def _refutations(self, board: chess.Board, n: int) -> frozenset[str]:
        """Return the replies that leave the attacker without a solution."""
        if self._must_end(board):
            return frozenset()
        return frozenset(
            move.uci()
            for move in board.legal_moves
            if move.uci() not in self._ending(board)
            and not self._answer(played(board, move), n)[1]
        )

    def _may_be_refuted(self, board: chess.Board) -> bool:
        """Return whether a first move that does not solve can be a try."""
        match self._stipulation.play, self._stipulation.length:
            case ((Play.REFLEX | Play.SEMI_REFLEX), 1):
                return False
            case Play.REFLEX, _:
                return not self._ending(board)
        return True

    def _must_end(self, board: chess.Board) -> bool:
        """Return whether the defender must reach the goal, since it can."""
        reflex = self._stipulation.play in {Play.REFLEX, Play.SEMI_REFLEX}
        return reflex and bool(self._ending(board))

    def _ending(self, board: chess.Board) -> set[str]:
        """Return the replies that reach the goal themselves."""
        if self._stipulation.play is Play.DIRECT:
            return set()
        mates = self._stipulation.goal is Goal.MATE
        return {
            move.uci()
            for move in board.legal_moves
            for after in [played(board, move)]
            if (after.is_checkmate() if mates else after.is_stalemate())
        }

    def _lengths(self, n: int) -> range:
        """Return the lengths of solutions within `n` moves."""
        return range(max(1, n) if self._stipulation.exact else 1, n + 1)

    def _answer(self, board: chess.Board, n: int) -> tuple[int, frozenset[str]]:
        """Return the shortest length within `n`, and the moves of this length."""
        for length in self._lengths(n):
            if moves := self._solving(board, length):
                return length, frozenset(moves)
        return 0, frozenset()

    def _answers(
        self, board: chess.Board, n: int
    ) -> dict[str, tuple[chess.Board, int, frozenset[str]]]:
        """Return what each reply leads to, with length and continuations."""
        found = {}
        ending = self._ending(board)
        for move in board.legal_moves:
            after = played(board, move)
            answer = (
                (0, frozenset()) if move.uci() in ending else self._answer(after, n)
            )
            if answer[1] or move.uci() in ending:
                found[move.uci()] = after, *answer
        return found

    def _attack(
        self,
        move: str,
        after: chess.Board,
        left: int,
        refutations: frozenset[str] = frozenset(),
    ) -> Attack:
        threats: frozenset[Attack] = frozenset()
        length, moves = 0, frozenset[str]()
        looked = self._threats and not after.is_check() and left > 0
        if looked:
            passed = after_pass(after)
            length, moves = self._answer(passed, left)
            threats = self._attacks(passed, length, moves)
        answers = self._answers(after, left)
        relevant = {
            reply: answer
            for reply, answer in answers.items()
            if self._all_defences
            or left == 0
            or (
                answer[1] > 0
                and (
                    not moves
                    or answer[1] > length
                    or (answer[1] == length and moves - answer[2])
                )
            )
        }
        return Attack(
            move,
            left,
            threats,
            looked and not moves,
            self._defences(relevant, refutations),
            refutations,
        )

    def _attacks(
        self, board: chess.Board, length: int, moves: frozenset[str]
    ) -> frozenset[Attack]:
        return frozenset(
            self._attack(move, played(board, chess.Move.from_uci(move)), length - 1)
            for move in moves
        )

    def _defences(
        self,
        answers: dict[str, tuple[chess.Board, int, frozenset[str]]],
        refutations: frozenset[str],
    ) -> frozenset[Defence]:
        return frozenset(
            Defence(reply, self._attacks(after, length, moves))
            for reply, (after, length, moves) in answers.items()
            if reply not in refutations
        )


def played(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the board after a move."""
    after = board.copy(stack=False)
    after.push(move)
    return after


def after_pass(board: chess.Board) -> chess.Board:
    """Return the board after a null move."""
    return played(board, chess.Move.null())
