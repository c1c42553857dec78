"""The play of a problem as a problem magazine prints it, and solutions of help play."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver import __version__
from solver.output import Notation, text
from solver.play.record import all_attacks, play_attacks
from solver.problem import Goal, Stipulation
from solver.stipulations import genre_of, mover

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.play.record import Record
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


class LinePart(NamedTuple):
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
    parts : tuple of LinePart
    depth : int
        How far it is indented, in steps; the lines after it that are deeper continue
        its last move.
    style : str
        Its style in rich.
    is_main : bool
        Whether it belongs to the main line.
    """

    parts: tuple[LinePart, ...]
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
    play: Record, fen: str, notation: Notation = Notation.SAN, *, tries: bool = False
) -> list[PlayLine]:
    """Lay out set play, tries, keys and what follows them.

    Parameters
    ----------
    play : dict
        The record of the play; see `solver.play.record`.
    fen : str
        Its position.
    notation : Notation
        SAN or UCI.
    tries : bool
        Tries were asked for, so it is said if some may be missing.

    Returns
    -------
    list of PlayLine
        The parts in this order, each under its title. What a part does not show is said
        at its end.
    """
    layout = _Layout(play, notation)
    gaps = missing(play, tries=tries)
    ply = int(mover(fen) == "Black")
    set_play = layout.replies(play["set_play"], ply + 1, _PASSED)
    attempts = layout.moves(play["tries"], ply)
    keys = layout.moves(play["keys"], ply)
    begun = [
        [PlayLine((LinePart("zugzwang"),), 1)] if play["zugzwang"] else [],
        layout.threats(layout.moves(play["threats"], ply + 1, _PASSED), 1),
        *(
            layout.reply(reply, 1, is_main=not number)
            for number, reply in enumerate(layout.replies(play["defences"], ply))
        ),
        layout.refutations(play["refutations"], ply, 1),
    ]
    parts = [
        _part(
            "Set play", [layout.reply(reply, 1) for reply in set_play], gaps.set_play
        ),
        _part(
            "Try" if len(attempts) == 1 else "Tries",
            [layout.root(attack, "?") for attack in attempts],
            gaps.tries,
        ),
        _keys(keys, layout, gaps.keys if keys else []),
        _part("Play", begun, [] if keys else gaps.keys),
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
    is_sound = genre_of(solution.problem.stipulation).is_sound(solution)
    took = text.duration(solution.stats.time_s)
    return f"C+ matesolve {__version__} ({took})" if is_sound else ""


def words_line(text: str, style: str = "") -> PlayLine:
    """Return a line of words, which is not indented."""
    return PlayLine((LinePart(text),), 0, style)


def _part(
    title: str, entries: Iterable[list[PlayLine]], gaps: Iterable[str]
) -> list[PlayLine]:
    """Lay out a part under its title; its end says what is not shown."""
    lines = [line for entry in entries for line in entry]
    lines += [PlayLine((LinePart(gap),), 1, "dim") for gap in gaps]
    return [words_line(title, "bold"), *lines] if lines else []


def _keys(
    keys: Sequence[_Move], layout: _Layout, gaps: Iterable[str]
) -> list[PlayLine]:
    features = [", ".join(key.record.get("features", ())) for key in keys]
    if len(keys) == 1:
        title = f"Key: {features[0]}" if features[0] else "Key"
        return _part(title, [layout.root(keys[0], "!", is_main=True)], gaps)
    entries = [
        layout.root(key, "!", words, is_main=not number)
        for number, (key, words) in enumerate(zip(keys, features, strict=True))
    ]
    return _part("Keys", entries, gaps)


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


class _Move(NamedTuple):
    """A move of the play, and where it is.

    Attributes
    ----------
    record : dict
        Its record, with the play after it.
    name : str
    ply : int
        Half-moves before it in the numbering of the problem.
    path : str
        The moves up to it; see `LinePart`.
    """

    record: Record
    name: str
    ply: int
    path: str

    @property
    def is_cut(self) -> bool:
        return "cut" in self.record

    @property
    def remark(self) -> list[LinePart]:
        """What composers remark on the final position after it."""
        mark = self.record.get("mark")
        return [LinePart(f" ({mark})")] if mark else []

    def part(self, sign: str = "", *, starts: bool = True) -> LinePart:
        return LinePart(numbered(self.ply, self.name + sign, starts=starts), self.path)

    def without(self, *fields: str) -> _Move:
        """Return the move without some of the play after it."""
        kept = {name: self.record[name] for name in self.record if name not in fields}
        return self._replace(record=kept)


class _Reply(NamedTuple):
    """Defences that have the same continuations.

    Attributes
    ----------
    moves : list of _Move
    continuations : list of _Move
        More than one: a dual. None: the defences themselves end the play.
    """

    moves: list[_Move]
    continuations: list[_Move]


_PASSED = "0000"
"""A null move in a path."""

_FOLLOWED = {"moves_left", "defences", "refutations", "continuations"}
"""A move with none of these fields reaches the goal."""


def _defences(
    moves: Iterable[_Move], sign: str = "", *, starts: bool = True
) -> list[LinePart]:
    """Write alternative moves with commas between them and one number."""
    parts: list[LinePart] = []
    for move in moves:
        if parts:
            parts += [LinePart(", "), LinePart(move.name + sign, move.path)]
        else:
            parts.append(move.part(sign, starts=starts))
        parts += move.remark
    return parts


def _joined(groups: Iterable[list[LinePart]], between: str) -> list[LinePart]:
    parts: list[LinePart] = []
    for group in groups:
        parts += [LinePart(between), *group] if parts else group
    return parts


def _alternatives(group: Sequence[_Move], run: list[LinePart]) -> list[LinePart]:
    """Write attacks and the play after each of them; `run` begins with the first."""
    others = [
        part
        for attack in group[1:]
        for part in (LinePart(", "), LinePart(attack.name, attack.path))
    ]
    return run[:1] + others + run[1:] if run else []


def _length(parts: Iterable[LinePart]) -> int:
    return sum(len(part.text) for part in parts)


class _Layout:
    """Lays out moves and the play after them.

    Parameters
    ----------
    play : dict
        The record of the play.
    notation : Notation
        SAN or UCI.
    """

    def __init__(self, play: Record, notation: Notation) -> None:
        stipulation = Stipulation.from_record(play["stipulation"])
        self._goal = genre_of(stipulation).goal
        is_san = notation is Notation.SAN
        self._notation = "san" if is_san else "uci"
        # SAN has a sign of its own for mate.
        self._sign = "=" if is_san and stipulation.goal is Goal.STALEMATE else ""
        self._numbers: dict[tuple[object, ...], int] = {}
        self._alike: dict[int, tuple[int, int]] = {}
        for attack in reversed([*play_attacks(play)]):
            self._compare(attack)

    # Which moves are written alike

    def _compare(self, attack: Record) -> None:
        """Number an attack, and the play after it, so that equal text has one number.

        The attacks below it have their numbers.
        """
        content = (
            "zugzwang" in attack,
            "cut" in attack,
            self._same(attack.get("threats", ())),
            tuple(
                (self._names(group), self._same(group[0].get("continuations", ())))
                for group in self._grouped(attack.get("defences", ()))
            ),
            self._names(attack.get("refutations", ())),
        )
        tail = self._number(content) if any(content[1:]) else 0
        whole = self._number((*self._names([attack]), tail))
        self._alike[id(attack)] = whole, tail

    def _number(self, content: tuple[object, ...]) -> int:
        return self._numbers.setdefault(content, len(self._numbers) + 1)

    def _names(self, moves: Iterable[Record]) -> tuple[tuple[str, str], ...]:
        return tuple((move[self._notation], move.get("mark", "")) for move in moves)

    def _same(self, attacks: Iterable[Record]) -> tuple[int, ...]:
        return tuple(self._alike[id(attack)][0] for attack in attacks)

    def _grouped(self, defences: Iterable[Record]) -> list[list[Record]]:
        """Group defences by their continuations."""
        groups: dict[tuple[int, ...], list[Record]] = {}
        for defence in defences:
            same = self._same(defence.get("continuations", ()))
            groups.setdefault(same, []).append(defence)
        return [*groups.values()]

    def _with_same_play(self, attacks: Iterable[_Move]) -> list[list[_Move]]:
        """Group attacks that are followed by the same play, except the last ones."""
        groups: dict[object, list[_Move]] = {}
        for attack in attacks:
            _, tail = self._alike[id(attack.record)]
            groups.setdefault(tail or attack.path, []).append(attack)
        return list(groups.values())

    # Moves with their places

    def moves(
        self, records: Iterable[Record], ply: int, before: str = ""
    ) -> list[_Move]:
        """Return alternative moves after the moves of a path."""
        return [
            _Move(
                record,
                record[self._notation]
                + ("" if record.keys() & _FOLLOWED else self._sign),
                ply,
                f"{before} {record['uci']}".lstrip(),
            )
            for record in records
        ]

    def replies(
        self, defences: Iterable[Record], ply: int, before: str = ""
    ) -> list[_Reply]:
        """Return defences in groups, with the continuations of the first of each."""
        groups = [self.moves(group, ply, before) for group in self._grouped(defences)]
        return [
            _Reply(
                group,
                self.moves(
                    group[0].record.get("continuations", ()), ply + 1, group[0].path
                ),
            )
            for group in groups
        ]

    def _replies(self, attack: _Move) -> list[_Reply]:
        defences = attack.record.get("defences", ())
        return self.replies(defences, attack.ply + 1, attack.path)

    def _threats(self, attack: _Move) -> list[_Move]:
        threats = attack.record.get("threats", ())
        return self.moves(threats, attack.ply + 2, f"{attack.path} {_PASSED}")

    # Moves in one line

    def _run(
        self, attack: _Move, *, starts: bool = True
    ) -> tuple[list[LinePart], _Move]:
        """Write an attack and what follows it until there is a choice of moves.

        Returns
        -------
        parts : list of LinePart
            The moves.
        last : _Move
            The last attack in it; its play is still to be laid out.
        """
        parts = [attack.part(starts=starts), *attack.remark]
        while "threats" not in attack.record:
            replies = self._replies(attack)
            if len(replies) != 1:
                break
            ((moves, continuations),) = replies
            if attack.is_cut:
                run, attack = self._main_line(attack)
                return parts + run, attack
            if not continuations:
                run, attack = self._last_replies(attack)
                return parts + run, attack
            if len(moves) > 1 or len(continuations) > 1:
                break
            (attack,) = continuations
            parts += [LinePart(" "), *_defences(moves, starts=False)]
            parts += [LinePart(" "), attack.part(starts=False), *attack.remark]
        return parts, attack

    def _main_line(self, attack: _Move) -> tuple[list[LinePart], _Move]:
        """Write the main line where everything else is cut; return its last attack."""
        parts: list[LinePart] = []
        while replies := self._replies(attack):
            ((moves, continuations),) = replies
            parts += [LinePart(" "), *_defences(moves, starts=False)]
            if not continuations:
                break
            (attack,) = continuations
            parts += [LinePart(" "), attack.part(starts=False), *attack.remark]
        end = LinePart(" (main line only)")
        return [*parts, end], attack.without("defences", "cut")

    def _last_replies(self, attack: _Move) -> tuple[list[LinePart], _Move]:
        """Write the defences if they end the play; return the attack without them."""
        replies = self._replies(attack)
        if "threats" in attack.record or len(replies) != 1 or replies[0].continuations:
            return [], attack
        parts = [LinePart(" "), *_defences(replies[0].moves, starts=False)]
        return parts, attack.without("defences")

    def _single_line(self, attack: _Move) -> list[LinePart]:
        """Write an attack and the play after it in one line; empty if impossible."""
        parts, last = self._run(attack)
        return [] if last.record.keys() & {"threats", "defences", "cut"} else parts

    def _threat_line(self, threat: _Move) -> list[LinePart]:
        """Write a threat in one line; `~` means defences that change nothing."""
        parts, last = self._run(threat)
        while not last.record.keys() & {"defences", "cut"}:
            threats = self._threats(last)
            if not threats:
                return parts
            if len(threats) > 1:
                break
            following, last = self._run(threats[0])
            parts += [LinePart(" ~ "), *following]
        return []

    # Whole play

    def root(
        self, attack: _Move, sign: str, words: str = "", *, is_main: bool = False
    ) -> list[PlayLine]:
        """Lay out a key or a try, with words on it."""
        record, parts = attack.record, [attack.part(sign), *attack.remark]
        if words:
            parts.append(LinePart(f" ({words})"))
        refuting, refutations = attack.ply + 1, record.get("refutations", ())
        if refutations and not record.keys() & {"threats", "defences"}:
            answers = self._refuting(refutations, refuting, attack.path, starts=False)
            return [PlayLine((*parts, LinePart(" "), *answers), 1)]
        path = attack.path
        if attack.is_cut and "defences" in record:
            run, attack = self._main_line(attack)
            parts += run
        elif not refutations and "zugzwang" not in record:
            run, attack = self._last_replies(attack)
            parts += run
        lines = self._attack(attack, parts, 1, is_main=is_main)
        return lines + self.refutations(refutations, refuting, 2, path)

    def _refuting(
        self, refutations: Iterable[Record], ply: int, path: str, *, starts: bool
    ) -> list[LinePart]:
        moves = [
            move._replace(name=move.record[self._notation])
            for move in self.moves(refutations, ply, path)
        ]
        return _defences(moves, "!", starts=starts)

    def refutations(
        self, refutations: Sequence[Record], ply: int, depth: int, path: str = ""
    ) -> list[PlayLine]:
        """Write the refuting moves, if there are any, on a separate line."""
        if not refutations:
            return []
        parts = self._refuting(refutations, ply, path, starts=True)
        return [PlayLine((LinePart("but "), *parts), depth)]

    def threats(self, threats: Iterable[_Move], depth: int) -> list[PlayLine]:
        """Lay out threats, each on its own line."""
        lines: list[PlayLine] = []
        for threat in threats:
            run, last = self._run(threat)
            run = [LinePart("threat: "), *run]
            lines += self._attack(last, run, depth, is_main=False)
        return lines

    def _attack(
        self, attack: _Move, parts: list[LinePart], depth: int, *, is_main: bool
    ) -> list[PlayLine]:
        """Lay out an attack that `parts` end with, and all play after it."""
        lines: list[PlayLine] = []
        threats = self._threats(attack)
        in_line = [self._threat_line(threat) for threat in threats]
        if "zugzwang" in attack.record:
            parts = [*parts, LinePart(" zugzwang")]
        if threats and all(in_line):
            title = " threats: " if len(threats) > 1 else " threat: "
            parts = [*parts, LinePart(title), *_joined(in_line, ", ")]
        else:
            lines += self.threats(threats, depth + 1)
        if attack.is_cut:
            left = attack.record.get("moves_left", 0)
            parts = [*parts, LinePart(f" ({self._goal} in {left} more)")]
        for number, reply in enumerate(self._replies(attack)):
            lines += self.reply(reply, depth + 1, is_main=is_main and not number)
        return [PlayLine(tuple(parts), depth, is_main=is_main), *lines]

    def reply(
        self, reply: _Reply, depth: int, *, is_main: bool = False
    ) -> list[PlayLine]:
        """Lay out defences with the same continuations, and all play after them."""
        parts = _defences(reply.moves)
        if len(reply.continuations) == 1:
            run, last = self._run(reply.continuations[0], starts=False)
            parts += [LinePart(" "), *run]
            return self._attack(last, parts, depth, is_main=is_main)
        if not reply.continuations:
            return [PlayLine(tuple(parts), depth, is_main=is_main)]
        groups = self._with_same_play(reply.continuations)
        single = [_alternatives(group, self._single_line(group[0])) for group in groups]
        inline = _joined(single, " or ")
        if all(single) and _length(inline) <= _LONGEST_DUAL:
            parts += [LinePart(" "), *inline, LinePart(" (dual)")]
            return [PlayLine(tuple(parts), depth, is_main=is_main)]
        lines = [PlayLine((*parts, LinePart(" (dual)")), depth, is_main=is_main)]
        for number, group in enumerate(groups):
            run, last = self._run(group[0])
            run = [LinePart("or ")] * bool(number) + _alternatives(group, run)
            main = is_main and not number
            lines += self._attack(last, run, depth + 1, is_main=main)
        return lines


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


def missing(play: Record, *, keys: bool = True, tries: bool = False) -> Missing:
    """Say in sentences what each part of the play does not show.

    Parameters
    ----------
    play : dict
        The record of the play.
    keys : bool
        Whether to say that keys may be missing.
    tries : bool
        Whether tries were asked for.
    """
    shown = bool(play["tries"])
    has_begun = bool(play["keys"] or play["defences"])
    has_first = bool(play["stipulation"]) and not play["defences"]
    begun = {"threats": play["threats"], "defences": play["defences"]}
    if play["key_moves"] == 0:
        begun["cut"] = True
    known = {
        **text.counted("set_play_moves", play["set_play_moves"]),
        **text.counted("try_moves", play["try_moves"]),
        **text.counted("key_moves", play["key_moves"] if has_begun else None),
        "tries": shown,
        "tries_open": has_first and not play["tries_complete"] and (tries or shown),
        "keys_open": bool(play["keys"]) and not play["keys_complete"],
        "is_followed_tries": _has_followed(play["tries"]),
        "is_followed_keys": has_begun and _has_followed([*play["keys"], begun]),
    }

    def said(*names: str) -> list[str]:
        return [*filter(None, (text.say(name, known) for name in names))]

    return Missing(
        said("set_play_gap"),
        said("tries_gap", "followed_tries", "after_tries"),
        said(*["keys_gap"] * keys, "followed_keys", "after_keys"),
    )


def set_play_gap(found: Sequence[object]) -> str:
    """Return the sentence about set play of which only `found` is known."""
    known = text.counted("set_play_moves", 0) | {"set_play": bool(found)}
    return text.say("set_play_gap", known)


def _has_followed(attacks: Iterable[Record]) -> bool:
    """Whether one continuation represents all others after any of the moves."""
    return any(
        "incomplete" in defence
        for attack in all_attacks(attacks)
        if "cut" not in attack
        for defence in attack.get("defences", ())
    )
