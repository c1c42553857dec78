"""The play of a problem in words: moves named, like defences together.

Text and PGN comments are laid out from these words. Moves are numbered by colour from
the first of the problem, as everywhere in the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import chess

from solver.output import Notation
from solver.stipulation import Goal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.play.tree import Attack, Defence, Variations


class Marks(Protocol):
    """What composers remark on a key or on a final position."""

    def features(self, key: str) -> Sequence[str]:
        """Return the features of a key, which is given in UCI notation."""

    def remark(self, board: chess.Board) -> str:
        """Return "pure", "model" or "ideal" of a final position; empty: nothing."""


class MoveWords(NamedTuple):
    """A move by its name.

    Attributes
    ----------
    name : str
    uci : str
    placement : str
        The pieces after it, as in the first field of a FEN; empty if not asked for.
    remark : str
        What composers remark on the final position after it; else empty.
    """

    name: str
    uci: str
    placement: str
    remark: str = ""


@dataclass(slots=True, eq=False)
class AttackWords:
    """A move of the attacker and the play after it.

    Attributes
    ----------
    move : MoveWords
    ply : int
        Half-moves before it in the numbering of the problem.
    moves_left : int
    is_zugzwang, is_cut : bool
    threats : list of AttackWords
    replies : list of ReplyWords
    refutations : list of MoveWords
    identity, tail : int
        The same number for attacks that are written alike, and for no others; and for
        attacks after which the same is written. A tail of 0: nothing is.
    """

    move: MoveWords
    ply: int
    moves_left: int
    is_zugzwang: bool
    is_cut: bool
    threats: list[AttackWords]
    replies: list[ReplyWords]
    refutations: list[MoveWords]
    identity: int
    tail: int


@dataclass(slots=True, eq=False)
class ReplyWords:
    """Defences that have the same continuations.

    Attributes
    ----------
    moves : list of MoveWords
    ply : int
        Half-moves before them in the numbering of the problem.
    continuations : list of AttackWords
        More than one: a dual. None: the defences themselves end the play.
    """

    moves: list[MoveWords]
    ply: int
    continuations: list[AttackWords]


@dataclass(slots=True, eq=False)
class PlayWords:
    """The whole play, part by part; see `solver.play.tree.Variations`.

    `ply` has the half-moves before its first move in the numbering of the problem.
    """

    ply: int = 0
    set_play: Sequence[ReplyWords] = ()
    tries: Sequence[AttackWords] = ()
    keys: Sequence[AttackWords] = ()
    defences: Sequence[ReplyWords] = ()
    threats: Sequence[AttackWords] = ()
    refutations: Sequence[MoveWords] = ()


def write_play(
    variations: Variations,
    notation: Notation = Notation.SAN,
    marks: Marks | None = None,
    *,
    positions: bool = False,
) -> PlayWords:
    """Name the moves of the play, and group defences with the same continuations.

    Parameters
    ----------
    variations : Variations
        The play.
    notation : Notation
        SAN or UCI.
    marks : Marks or None
        Remarks on final positions.
    positions : bool
        Whether each move gets the pieces after it.
    """
    if not variations.fen:  # no play
        return PlayWords()
    board = chess.Board(variations.fen)
    stipulation = variations.stipulation
    sign = "=" if stipulation.goal is Goal.STALEMATE else ""
    sign = "" if notation is Notation.UCI else sign
    writer = _Writer(board.copy(stack=False), notation, sign, marks)
    writer.positions = positions
    black = board.turn == chess.BLACK
    keys = [writer.attack(key, black) for key in variations.keys]
    tries = [writer.attack(attack, black) for attack in variations.tries]
    defences = writer.replies(variations.defences, black)
    refutations = writer.moves(variations.refutations)
    if variations.set_play or variations.threats:
        writer.pass_turn()
    threats = [writer.attack(threat, black + 1) for threat in variations.threats]
    set_play = writer.replies(variations.set_play, black + 1)
    return PlayWords(black, set_play, tries, keys, defences, threats, refutations)


class _Writer:
    """Writes the play from a position.

    Parameters
    ----------
    board : chess.Board
        The position; moves are played on it and taken back.
    notation : Notation
    sign : str
        What follows a move that reaches the goal and is not in the notation itself.
    marks : Marks or None
    """

    def __init__(
        self,
        board: chess.Board,
        notation: Notation,
        sign: str,
        marks: Marks | None,
    ) -> None:
        self._board = board
        self._sign = sign
        self._uci = notation is Notation.UCI
        self._marks = marks
        self.positions = False
        self._identities: dict[tuple[object, ...], int] = {}

    def pass_turn(self) -> None:
        """Let the other side begin."""
        self._board.push(chess.Move.null())

    def moves(self, moves: Iterable[str]) -> list[MoveWords]:
        """Write alternative moves without the play after them."""
        words = []
        for uci in moves:
            words.append(self._play(uci))
            self._board.pop()
        return words

    def attack(self, attack: Attack, ply: int) -> AttackWords:
        """Write an attack and the play after it; two calls deep for each of them."""
        board = self._board
        is_last = not attack.moves_left and not attack.defences
        move = self._play(attack.move, is_last=is_last and not attack.refutations)
        replies = self.replies(attack.defences, ply + 1)
        refutations = self.moves(attack.refutations)
        threats = []
        if attack.threats:
            self.pass_turn()
            threats = [self.attack(threat, ply + 2) for threat in attack.threats]
            board.pop()
        board.pop()
        content = (
            (ply, attack.is_zugzwang, attack.is_cut),
            _identities(threats),
            tuple((_names(r.moves), _identities(r.continuations)) for r in replies),
            _names(refutations),
        )
        has_tail = threats or replies or refutations or attack.is_cut
        tail = self._identify(content) if has_tail else 0
        return AttackWords(
            move,
            ply,
            attack.moves_left,
            attack.is_zugzwang,
            attack.is_cut,
            threats,
            replies,
            refutations,
            self._identify((move.name, move.remark, tail)),
            tail,
        )

    def replies(self, defences: Iterable[Defence], ply: int) -> list[ReplyWords]:
        """Write defences, those with the same continuations together."""
        groups: dict[tuple[int, ...], ReplyWords] = {}
        for defence in defences:
            move = self._play(defence.move, is_last=not defence.continuations)
            found = [self.attack(attack, ply + 1) for attack in defence.continuations]
            self._board.pop()
            group = groups.setdefault(_identities(found), ReplyWords([], ply, found))
            group.moves.append(move)
        return list(groups.values())

    def _identify(self, content: tuple[object, ...]) -> int:
        return self._identities.setdefault(content, len(self._identities) + 1)

    def _play(self, uci: str, *, is_last: bool = False) -> MoveWords:
        """Play a move and return its name."""
        board, move, name = self._board, chess.Move.from_uci(uci), uci
        if self._uci:
            board.push(move)
        else:
            name = board.san_and_push(move)
        name += self._sign if is_last else ""
        remark = self._marks.remark(board) if is_last and self._marks else ""
        placement = board.board_fen() if self.positions else ""
        return MoveWords(name, uci, placement, remark)


def _identities(attacks: Sequence[AttackWords]) -> tuple[int, ...]:
    return tuple(attack.identity for attack in attacks)


def _names(moves: Iterable[MoveWords]) -> tuple[tuple[str, str], ...]:
    return tuple((move.name, move.remark) for move in moves)


def numbered(ply: int, move: str, *, starts: bool = True) -> str:
    """Put the number before a move: `1.Qa5`, `1...Bb7`.

    Parameters
    ----------
    ply : int
        Half-moves before it in the numbering of the problem.
    move : str
        The move.
    starts : bool
        Whether the line begins with it; otherwise an odd ply has no number.
    """
    number, black = divmod(ply, 2)
    if black:
        return f"{number + 1}...{move}" if starts else move
    return f"{number + 1}.{move}"
