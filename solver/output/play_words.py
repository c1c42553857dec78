"""The play of a problem in words: names of moves, and defences in groups.

Text and PGN comments use these words. Moves are numbered by colour from the problem's
first move, as everywhere in the program. `missing` has sentences about
what the play does not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from solver.output import Notation
from solver.output.text import counted, say
from solver.play.record import play_record
from solver.play.tree import Attack, all_attacks
from solver.stipulation import Goal
from solver.stipulations.kind import mover

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.play.record import Record
    from solver.play.tree import Variations


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
    features : sequence of str
        What a key does.
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
    features: Sequence[str] = ()


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

    `ply` is the number of half-moves before its first move in the problem.
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
    record = play_record(variations, marks=marks)
    is_san = notation is Notation.SAN
    is_stalemate = variations.stipulation.goal is Goal.STALEMATE
    writer = _Writer("san" if is_san else "uci", "=" if is_san and is_stalemate else "")
    black = int(mover(variations.fen) == "Black")
    return PlayWords(
        black,
        writer.replies(record["set_play"], black + 1, _NULL),
        [writer.attack(attack, black, "") for attack in record["tries"]],
        [writer.attack(attack, black, "") for attack in record["keys"]],
        writer.replies(record["defences"], black, ""),
        [writer.attack(threat, black + 1, _NULL) for threat in record["threats"]],
        writer.moves(record["refutations"], ""),
    )


_NULL = "0000 "
"""A null move in a path."""


class _Writer:
    """Writes the play from its record.

    Parameters
    ----------
    notation : str
        The field with the names of moves.
    sign : str
        What follows a move that reaches the goal and is not in the notation itself.
    """

    def __init__(self, notation: str, sign: str) -> None:
        self._notation = notation
        self._sign = sign
        self._identities: dict[tuple[object, ...], int] = {}

    def moves(self, moves: Iterable[Record], path: str) -> list[MoveWords]:
        """Write alternative moves without the play after them."""
        return [self._move(move, path) for move in moves]

    def attack(self, attack: Record, ply: int, path: str) -> AttackWords:
        """Write an attack and the play after it, with two nested calls for each."""
        is_last = not attack.keys() & {"moves_left", "defences", "refutations"}
        move = self._move(attack, path, is_last=is_last)
        path = f"{move.path} "
        threats = [
            self.attack(threat, ply + 2, path + _NULL)
            for threat in attack.get("threats", ())
        ]
        replies = self.replies(attack.get("defences", ()), ply + 1, path)
        refutations = self.moves(attack.get("refutations", ()), path)
        is_zugzwang, is_cut = "zugzwang" in attack, "cut" in attack
        content = (
            (ply, is_zugzwang, is_cut),
            _identities(threats),
            tuple((_names(r.moves), _identities(r.continuations)) for r in replies),
            _names(refutations),
        )
        has_tail = threats or replies or refutations or is_cut
        tail = self._identify(content) if has_tail else 0
        return AttackWords(
            move,
            ply,
            attack.get("moves_left", 0),
            is_zugzwang,
            is_cut,
            threats,
            replies,
            refutations,
            self._identify((move.name, move.remark, tail)),
            tail,
            attack.get("features", ()),
        )

    def replies(
        self, defences: Iterable[Record], ply: int, path: str
    ) -> list[ReplyWords]:
        """Write defences, grouped by their continuations."""
        groups: dict[tuple[int, ...], ReplyWords] = {}
        for defence in defences:
            attacks = defence.get("continuations", ())
            move = self._move(defence, path, is_last=not attacks)
            found = [
                self.attack(attack, ply + 1, f"{move.path} ") for attack in attacks
            ]
            group = groups.setdefault(_identities(found), ReplyWords([], ply, found))
            group.moves.append(move)
        return list(groups.values())

    def _identify(self, content: tuple[object, ...]) -> int:
        return self._identities.setdefault(content, len(self._identities) + 1)

    def _move(self, move: Record, path: str, *, is_last: bool = False) -> MoveWords:
        name = move[self._notation] + (self._sign if is_last else "")
        return MoveWords(name, move["uci"], path + move["uci"], move.get("mark", ""))


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
    known = _facts(variations, tries=tries)

    def said(*names: str) -> list[str]:
        return [*filter(None, (say(name, known) for name in names))]

    return Missing(
        said("set_play_gap"),
        said("tries_gap", "followed_tries", "after_tries"),
        said(*["keys_gap"] * keys, "followed_keys", "after_keys"),
    )


def set_play_gap(found: Sequence[object]) -> str:
    """Return the sentence about set play of which only `found` is known."""
    return say("set_play_gap", counted("set_play_moves", 0) | {"set_play": bool(found)})


def _facts(variations: Variations, *, tries: bool = False) -> dict[str, object]:
    """Return what the table of sentences reads of a play."""
    shown = bool(variations.tries)
    has_begun = bool(variations.keys or variations.defences)
    has_first = bool(variations.stipulation.text) and not variations.defences
    begun = Attack("", 0, list(variations.threats), defences=list(variations.defences))
    begun.is_cut = variations.key_moves == 0
    return {
        **counted("set_play_moves", variations.set_play_moves),
        **counted("try_moves", variations.try_moves),
        **counted("key_moves", variations.key_moves if has_begun else None),
        "tries": shown,
        "tries_open": has_first and not variations.tries_complete and (tries or shown),
        "keys_open": bool(variations.keys) and not variations.keys_complete,
        "is_followed_tries": _has_followed(variations.tries),
        "is_followed_keys": has_begun and _has_followed([*variations.keys, begun]),
    }


def _has_followed(attacks: Iterable[Attack]) -> bool:
    """Whether one continuation represents all others after any of the moves."""
    return any(
        not defence.continuations_complete
        for attack in all_attacks(attacks)
        if not attack.is_cut
        for defence in attack.defences
    )
