"""The play of a problem in words: moves named, like defences together.

Text and PGN comments are laid out from these words. Moves are numbered by colour from
the first of the problem, as everywhere in the program. `missing` has the sentences on
what the play does not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.output import Notation
from solver.play.marks import mark_mate
from solver.play.tree import Attack, all_attacks
from solver.stipulation import Goal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.play.tree import Defence, Variations


class MoveWords(NamedTuple):
    """A move by its name.

    Attributes
    ----------
    name : str
    uci : str
    path : str
        The moves from the beginning to it, in UCI notation; `0000` passes the turn.
    remark : str
        What composers remark on the final position after it; else empty.
    """

    name: str
    uci: str
    path: str
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
    *,
    marks: bool = False,
) -> PlayWords:
    """Name the moves of the play, and group defences with the same continuations.

    Parameters
    ----------
    variations : Variations
        The play.
    notation : Notation
        SAN or UCI.
    marks : bool
        Whether to remark on final positions.
    """
    if not variations.fen:  # no play
        return PlayWords()
    board = chess.Board(variations.fen)
    stipulation = variations.stipulation
    sign = "=" if stipulation.goal is Goal.STALEMATE else ""
    sign = "" if notation is Notation.UCI else sign
    writer = _Writer(board.copy(stack=False), notation, sign, marks=marks)
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
    marks : bool
    """

    def __init__(
        self,
        board: chess.Board,
        notation: Notation,
        sign: str,
        *,
        marks: bool,
    ) -> None:
        self._board = board
        self._sign = sign
        self._uci = notation is Notation.UCI
        self._marks = marks
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
        remark = mark_mate(board) if is_last and self._marks else ""
        path = " ".join(map(chess.Move.uci, board.move_stack))
        return MoveWords(name, uci, path, remark)


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


# What the play does not show


_ONE_FOR_ALL = "Far from the mate, one continuation stands for all."


class Missing(NamedTuple):
    """What the play does not show, in sentences.

    Attributes
    ----------
    set_play, tries : list of str
    keys : list of str
        Of the keys, or of the play where the defender begins.
    """

    set_play: list[str]
    tries: list[str]
    keys: list[str]


def missing(
    variations: Variations, *, keys: bool = True, tries: bool = False
) -> Missing:
    """Say in sentences what each part of the play does not show.

    Parameters
    ----------
    variations : Variations
        The play.
    keys : bool
        Whether to say that keys may be missing.
    tries : bool
        Whether tries were asked for.
    """
    return Missing(
        list(_set_play_gaps(variations)),
        list(_try_gaps(variations, is_asked=tries)),
        list(_key_gaps(variations, keys=keys)),
    )


def set_play_gap(found: Sequence[object]) -> str:
    """Return the sentence on set play of which only `found` is known."""
    return f"There may be {'other ' if found else ''}set play."


def _set_play_gaps(variations: Variations) -> Iterator[str]:
    if variations.set_play_moves == 0:
        yield set_play_gap(())
    elif variations.set_play_moves:
        shown = _first_moves(variations.set_play_moves)
        yield f"Only {shown} of the set play are shown."


def _try_gaps(variations: Variations, *, is_asked: bool) -> Iterator[str]:
    if not variations.tries_complete and (is_asked or variations.tries):
        yield f"There may be {'other tries' if variations.tries else 'tries'}."
    if _has_followed(variations.tries):
        yield _ONE_FOR_ALL
    if variations.try_moves == 0:
        yield "The play after the tries is not shown."
    elif variations.try_moves:
        yield f"Only {_first_moves(variations.try_moves)} after the tries are shown."


def _key_gaps(variations: Variations, *, keys: bool) -> Iterator[str]:
    if not (variations.keys or variations.defences):
        return
    if keys and variations.keys and not variations.keys_complete:
        yield "There may be other keys."
    begun = Attack("", 0, list(variations.threats), defences=list(variations.defences))
    begun.is_cut = variations.key_moves == 0
    if _has_followed([*variations.keys, begun]):
        yield _ONE_FOR_ALL
    match variations.key_moves:
        case None:
            return
        case 0:
            yield "Only the defences of the main line are shown."
        case 1:
            yield "The play of the first move is shown; after it only the main line."
        case moves:
            yield (
                f"The play of the first {moves} moves is shown; "
                "after them only the main line."
            )


def _first_moves(moves: int) -> str:
    return "the first moves" if moves == 1 else f"the first {moves} moves"


def _has_followed(attacks: Iterable[Attack]) -> bool:
    """Whether after any of the moves one continuation stands for all."""
    return any(
        not defence.continuations_complete
        for attack in all_attacks(attacks)
        if not attack.is_cut
        for defence in attack.defences
    )
