"""The play of a problem as a problem magazine prints it, and solutions of help play."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from solver import __version__
from solver.output import Notation
from solver.output.play_words import missing, numbered, write_play
from solver.output.text import duration
from solver.stipulations import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.output.play_words import AttackWords, MoveWords, ReplyWords
    from solver.play.tree import Variations
    from solver.solution import Solution

COLUMNS = 80
"""The width of the play unless a terminal sets one."""

INDENT = 2

_HANGING = 4
"""The further indentation of the rest of a broken line."""

_DEEPEST = 24
"""The deepest indentation: otherwise 200 moves would leave no room."""

_LONGEST_DUAL = 60
"""Continuations that need more characters together get one line each."""


class Part(NamedTuple):
    """A part of a line: a move with its number, or words between moves.

    Attributes
    ----------
    text : str
    path : str
        The moves from the beginning to this one, in UCI notation, as `0000` where a
        side passes; empty: words.
    """

    text: str
    path: str = ""


class PlayLine(NamedTuple):
    """One line of the play, not yet broken.

    Attributes
    ----------
    parts : tuple of Part
    depth : int
        How far it is indented, in steps; the lines after it that are deeper continue
        its last move.
    style : str
        Its style in rich.
    is_main : bool
        Whether it belongs to the main line.
    """

    parts: tuple[Part, ...]
    depth: int = 0
    style: str = ""
    is_main: bool = False

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(part.text for part in self.parts)

    def lines(self, width: int = COLUMNS) -> list[str]:
        """Break the line at spaces, and indent its rest further."""
        margin = " " * min(INDENT * self.depth, _DEEPEST, max(width // 3, 0))
        if not (text := self.text):
            return [""]
        lines, rest = [], margin + text
        margin += " " * _HANGING
        while len(rest) > width:
            begin = len(rest) - len(rest.lstrip(" "))
            end = rest.rfind(" ", begin, width + 1)
            if end < 0:  # a word that is too long stays whole
                end = rest.find(" ", max(begin, width + 1))
            if end < 0:
                break
            lines.append(rest[:end])
            rest = margin + rest[end + 1 :]
        return [*lines, rest]


def describe_play(
    variations: Variations,
    notation: Notation = Notation.SAN,
    *,
    marks: bool = False,
    tries: bool = False,
) -> list[PlayLine]:
    """Lay out set play, tries, keys and what follows them.

    Parameters
    ----------
    variations : Variations
        The play.
    notation : Notation
        SAN or UCI.
    marks : bool
        Whether to remark on keys and final positions.
    tries : bool
        Tries were asked for, so it is said if some may be missing.

    Returns
    -------
    list of PlayLine
        The parts in this order, each under its title. What a part does not show is said
        at its end.
    """
    play = write_play(variations, notation, marks=marks)
    layout = _Layout(kind_of(variations.stipulation).goal)
    gaps = missing(variations, tries=tries)
    begun = [
        [PlayLine((Part("zugzwang"),), 1)] if variations.is_zugzwang else [],
        layout.threats(play.threats, 1),
        *(
            layout.reply(reply, 1, is_main=not number)
            for number, reply in enumerate(play.defences)
        ),
        _refutations(play.ply, play.refutations, 1),
    ]
    parts = [
        _part(
            "Set play",
            [layout.reply(reply, 1) for reply in play.set_play],
            gaps.set_play,
        ),
        _part(
            "Try" if len(play.tries) == 1 else "Tries",
            [layout.root(attack, "?") for attack in play.tries],
            gaps.tries,
        ),
        _keys(play.keys, layout, gaps.keys if play.keys else []),
        _part("Play", begun, [] if play.keys else gaps.keys),
    ]
    lines: list[PlayLine] = []
    for part in filter(None, parts):
        lines += [words_line(""), *part] if lines else part
    return lines


def soundness_mark(solution: Solution) -> str:
    """Return the line that problemists put below a computer-tested problem.

    Returns
    -------
    str
        `C+ matesolve VERSION (TIME)`; empty unless the one key, or in help play the
        stipulated number of solutions, is proved.
    """
    is_sound = kind_of(solution.problem.stipulation).is_sound(solution)
    took = duration(solution.stats.time_s)
    return f"C+ matesolve {__version__} ({took})" if is_sound else ""


def words_line(text: str, style: str = "") -> PlayLine:
    """Return a line of words, which is not indented."""
    return PlayLine((Part(text),), 0, style)


def _part(
    title: str, entries: Iterable[list[PlayLine]], gaps: Iterable[str]
) -> list[PlayLine]:
    """Lay out a part under its title; its end says what is not shown."""
    lines = [line for entry in entries for line in entry]
    lines += [PlayLine((Part(gap),), 1, "dim") for gap in gaps]
    return [words_line(title, "bold"), *lines] if lines else []


def _keys(
    keys: Sequence[AttackWords], layout: _Layout, gaps: Iterable[str]
) -> list[PlayLine]:
    features = [", ".join(key.features) for key in keys]
    if len(keys) == 1:
        title = f"Key: {features[0]}" if features[0] else "Key"
        return _part(title, [layout.root(keys[0], "!", is_main=True)], gaps)
    entries = [
        layout.root(key, "!", words, is_main=not number)
        for number, (key, words) in enumerate(zip(keys, features, strict=True))
    ]
    return _part("Keys", entries, gaps)


def _move(ply: int, move: MoveWords, sign: str = "", *, starts: bool = True) -> Part:
    return Part(numbered(ply, move.name + sign, starts=starts), move.path)


def _remark(move: MoveWords) -> list[Part]:
    return [Part(f" ({move.remark})")] if move.remark else []


def _replies(
    ply: int, moves: Iterable[MoveWords], sign: str = "", *, starts: bool = True
) -> list[Part]:
    """Write alternative moves with commas between them and one number."""
    parts: list[Part] = []
    for move in moves:
        if parts:
            parts += [Part(", "), Part(move.name + sign, move.path)]
        else:
            parts.append(_move(ply, move, sign, starts=starts))
        parts += _remark(move)
    return parts


def _refutations(
    ply: int, refutations: Sequence[MoveWords], depth: int
) -> list[PlayLine]:
    """Write the refuting moves, if there are any, on a separate line."""
    if not refutations:
        return []
    return [PlayLine((Part("but "), *_replies(ply, refutations, "!")), depth)]


def _run(attack: AttackWords, *, starts: bool = True) -> tuple[list[Part], AttackWords]:
    """Write an attack and what follows it until there is a choice of moves.

    Returns
    -------
    parts : list of Part
        The moves.
    last : AttackWords
        The last attack in it; its own play is still to be laid out.
    """
    parts = [_move(attack.ply, attack.move, starts=starts), *_remark(attack.move)]
    while not attack.threats and len(attack.replies) == 1:
        (reply,) = attack.replies
        if attack.is_cut:
            run, attack = _main_line(attack)
            return parts + run, attack
        if not reply.continuations:
            run, attack = _last_replies(attack)
            return parts + run, attack
        moves = [Part(" "), *_replies(reply.ply, reply.moves, starts=False)]
        if len(reply.moves) > 1 or len(reply.continuations) > 1:
            break
        (attack,) = reply.continuations
        parts += [
            *moves,
            Part(" "),
            _move(attack.ply, attack.move, starts=False),
            *_remark(attack.move),
        ]
    return parts, attack


def _main_line(attack: AttackWords) -> tuple[list[Part], AttackWords]:
    """Write the main line where everything else is cut, and return its last attack."""
    parts: list[Part] = []
    while attack.replies:
        (reply,) = attack.replies
        parts += [Part(" "), *_replies(reply.ply, reply.moves, starts=False)]
        if not reply.continuations:
            break
        (attack,) = reply.continuations
        move = _move(attack.ply, attack.move, starts=False)
        parts += [Part(" "), move, *_remark(attack.move)]
    return [*parts, Part(" (main line only)")], replace(
        attack, replies=[], is_cut=False
    )


def _last_replies(attack: AttackWords) -> tuple[list[Part], AttackWords]:
    """Write the defences if they end the play, and return the attack without them."""
    if attack.threats or len(attack.replies) != 1 or attack.replies[0].continuations:
        return [], attack
    (reply,) = attack.replies
    parts = [Part(" "), *_replies(reply.ply, reply.moves, starts=False)]
    return parts, replace(attack, replies=[])


def _single_line(attack: AttackWords) -> list[Part]:
    """Write an attack and the play after it in one line; empty if impossible."""
    parts, last = _run(attack)
    return [] if last.threats or last.replies or last.is_cut else parts


def _threat_line(threat: AttackWords) -> list[Part]:
    """Write a threat in one line; `~` means defences that change nothing."""
    parts, last = _run(threat)
    while len(last.threats) == 1 and not last.replies and not last.is_cut:
        following, last = _run(last.threats[0])
        parts += [Part(" ~ "), *following]
    return [] if last.threats or last.replies or last.is_cut else parts


def _joined(groups: Iterable[list[Part]], between: str) -> list[Part]:
    parts: list[Part] = []
    for group in groups:
        parts += [Part(between), *group] if parts else group
    return parts


def _alike(attacks: Iterable[AttackWords]) -> list[list[AttackWords]]:
    """Group attacks that are followed by the same play, except the last ones."""
    groups: dict[object, list[AttackWords]] = {}
    for attack in attacks:
        groups.setdefault(attack.tail or attack.move, []).append(attack)
    return list(groups.values())


def _alternatives(group: Sequence[AttackWords], run: list[Part]) -> list[Part]:
    """Write attacks and the play after each of them; `run` begins with the first."""
    others = [
        part
        for attack in group[1:]
        for part in (
            Part(", "),
            Part(attack.move.name, attack.move.path),
        )
    ]
    return run[:1] + others + run[1:] if run else []


def _length(parts: Iterable[Part]) -> int:
    return sum(len(part.text) for part in parts)


class _Layout:
    """Lays out moves and the play after them.

    Parameters
    ----------
    goal : str
        What the play ends with, such as "mate".
    """

    def __init__(self, goal: str) -> None:
        self._goal = goal

    def root(
        self, attack: AttackWords, sign: str, words: str = "", *, is_main: bool = False
    ) -> list[PlayLine]:
        """Lay out a key or a try, with words on it."""
        parts = [_move(attack.ply, attack.move, sign), *_remark(attack.move)]
        if words:
            parts.append(Part(f" ({words})"))
        refuting, refutations = attack.ply + 1, attack.refutations
        if refutations and not attack.threats and not attack.replies:
            answers = _replies(refuting, refutations, "!", starts=False)
            return [PlayLine((*parts, Part(" "), *answers), 1)]
        if attack.is_cut and attack.replies:
            run, attack = _main_line(attack)
            parts += run
        elif not refutations and not attack.is_zugzwang:
            run, attack = _last_replies(attack)
            parts += run
        lines = self._attack(attack, parts, 1, is_main=is_main)
        return lines + _refutations(refuting, refutations, 2)

    def threats(self, threats: Iterable[AttackWords], depth: int) -> list[PlayLine]:
        """Lay out threats, each on its own line."""
        lines: list[PlayLine] = []
        for threat in threats:
            run, last = _run(threat)
            run = [Part("threat: "), *run]
            lines += self._attack(last, run, depth, is_main=False)
        return lines

    def _attack(
        self, attack: AttackWords, parts: list[Part], depth: int, *, is_main: bool
    ) -> list[PlayLine]:
        """Lay out an attack that `parts` end with, and all play after it."""
        lines: list[PlayLine] = []
        threats = [_threat_line(threat) for threat in attack.threats]
        if attack.is_zugzwang:
            parts = [*parts, Part(" zugzwang")]
        if threats and all(threats):
            title = " threats: " if len(threats) > 1 else " threat: "
            parts = [*parts, Part(title), *_joined(threats, ", ")]
        else:
            lines += self.threats(attack.threats, depth + 1)
        if attack.is_cut:
            parts = [*parts, Part(f" ({self._goal} in {attack.moves_left} more)")]
        for number, reply in enumerate(attack.replies):
            lines += self.reply(reply, depth + 1, is_main=is_main and not number)
        return [PlayLine(tuple(parts), depth, is_main=is_main), *lines]

    def reply(
        self, reply: ReplyWords, depth: int, *, is_main: bool = False
    ) -> list[PlayLine]:
        """Lay out defences with the same continuations, and all play after them."""
        parts = _replies(reply.ply, reply.moves)
        if len(reply.continuations) == 1:
            run, last = _run(reply.continuations[0], starts=False)
            parts += [Part(" "), *run]
            return self._attack(last, parts, depth, is_main=is_main)
        if not reply.continuations:
            return [PlayLine(tuple(parts), depth, is_main=is_main)]
        groups = _alike(reply.continuations)
        single = [_alternatives(group, _single_line(group[0])) for group in groups]
        inline = _joined(single, " or ")
        if all(single) and _length(inline) <= _LONGEST_DUAL:
            parts += [Part(" "), *inline, Part(" (dual)")]
            return [PlayLine(tuple(parts), depth, is_main=is_main)]
        lines = [PlayLine((*parts, Part(" (dual)")), depth, is_main=is_main)]
        for number, group in enumerate(groups):
            run, last = _run(group[0])
            run = [Part("or ")] * bool(number) + _alternatives(group, run)
            main = is_main and not number
            lines += self._attack(last, run, depth + 1, is_main=main)
        return lines
