"""Solutions as Popeye prints them, for programs that read its output.

Each line begins with its line feed, so the parts of an output can be joined in any
order, as Popeye's are. `begin` and `end` frame a problem; between them, each phase (set
play, or the actual play) ends with `PHASE_END`, except one that was stopped.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import chain, groupby
from typing import TYPE_CHECKING

import chess

from solver import __version__, position_text
from solver.kernel.border.query_struct import LineStyle
from solver.problem import Goal, Stipulation
from solver.stipulations import genre_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.play.record import Record

    _Row = tuple[str, Record, int]
    """A template's name, a move, and its number."""

PHASE_END = "\n"

ZERO_POSITION = "\nzeroposition\n\n"
"""Printed before the twins if the diagram is not solved."""

_EMPTY = "   ."
_EDGE = f"+---{'---'.join('abcdefgh')}---+"
_BETWEEN = f"|{' ' * (len(_EDGE) - 2)}|"
_RANKS = [f"{rank}{8 * _EMPTY}   {rank}\n{_BETWEEN}" for rank in range(8, 0, -1)]

BOARD = "\n".join([_EDGE, _BETWEEN, *_RANKS, _EDGE])
"""The empty board; the pages read it too."""

_WIDTH = len(_EDGE)

_COUNTS_END = _WIDTH - 2
"""The column where the number of pieces ends."""


class Ending(StrEnum):
    """How the solution of a problem ended."""

    FINISHED = "solution finished."
    """Everything requested is printed."""

    PARTIAL = "Partial solution"
    """The requested number of solutions is printed; there may be more."""

    INTERRUPTED = "solving interrupted."
    """A time limit or an interrupt ended the search."""


def first_line(hash_mib: int) -> str:
    """Return the line before the first problem, which names the program."""
    return f"matesolve {__version__} ({hash_mib} MB)\n"


def end(ending: Ending, time_s: float | None) -> str:
    """Return the last line of a problem; without a time with `-regression`."""
    clock = "" if time_s is None else f" Time = {_clock(time_s)}"
    return f"\n{ending}{clock}\n\n\n"


def _clock(time_s: float) -> str:
    minutes, seconds = divmod(round(time_s, 3), 60)
    if not minutes:
        return f"{seconds:.3f} s"
    hours, minutes = divmod(int(minutes), 60)
    if not hours:
        return f"{minutes}:{seconds:06.3f} m:s"
    return f"{hours}:{minutes:02}:{seconds:06.3f} h:m:s"


def draw(fen: str, stipulation: str, texts: Iterable[str], remarks: str = "") -> str:
    """Return the diagram of a problem.

    Parameters
    ----------
    fen : str
        Its position; the side to move is not shown.
    stipulation : str
    texts : iterable of str
        Author, origin, award and title: what stands above the board.
    remarks : str
        What stands below it, such as `HalfDuplex`.
    """
    board = chess.Board(fen)
    white, black = (board.occupied_co[side].bit_count() for side in (True, False))
    counts = f"{white} + {black}"
    lines = [
        "",
        *(text.rjust((_WIDTH + len(text)) // 2) for text in texts),
        "",
        _drawing(board),
        f"  {stipulation}{counts.rjust(_COUNTS_END - 2 - len(stipulation))}",
    ]
    if remarks:
        lines.append(remarks.rjust((_WIDTH + len(remarks)) // 2))
    return "\n".join(lines) + "\n"


def twin_heading(label: str, changes: Iterable[str], *, continued: bool = False) -> str:
    """Return the line above the play of a twin, such as `+c) wKa1-->b2`."""
    texts = "".join(f"{change}  " for change in changes)
    return f"\n{'+' if continued else ''}{label}) {texts}\n"


TEMPLATES = {
    "key": "\n   {n}.{move}{end} !",
    "try": "\n   {n}.{move}{end} ?",
    "attack": "\n{indent}{n}.{move}{end}",
    "defence": "\n{indent}    {n}...{move}{reply_end}",
    "threats": " threat:",
    "zugzwang": " zugzwang.",
    "refutations": "\n    but",
    "refutation": "\n      1...{move}{check} !",
    "refutes": "\n      1...{move}{check}\n        refutes.",
    "forced end": "\n{indent}{n}.{move}{goal} ?!?",
    "forced key": "\n   {n}.{move}{goal} ?!?",
    "end": "\n",
}
"""Moves of battle play as Popeye prints them, and what comes before some lists of them.

A name in braces is what `BattleWriter` knows of a move. The pages read both tables."""

LISTS = {
    "threats": ("attack", 1),
    "zugzwang": ("", 0),
    "defences": ("defence", 0),
    "continuations": ("attack", 1),
    "refutations": ("refutation", 0),
    "forced": ("forced end", 1),
}
"""What follows a move, in this order: the template of its moves, and by how much their
number is greater."""

_PLAY = {"threats", "zugzwang", "defences"}


class BattleWriter:
    """Writes battle play: direct, self- and reflex play.

    Parameters
    ----------
    play : dict
        The record of the play, with the fields of `FOR_POPEYE`.
    fen : str
        Its position.
    stipulation : Stipulation
        What the play shows.
    with_play : bool
        Write threats and variations, not only first moves and refutations.
    short : bool
        Write defences that shorten the play, too.
    """

    def __init__(
        self,
        play: Record,
        fen: str,
        stipulation: Stipulation,
        *,
        with_play: bool = True,
        short: bool = True,
    ) -> None:
        self._play = play
        self._fen = fen
        self._goal = f" {stipulation.goal}"
        self._kind = genre_of(stipulation)
        self._with_play = with_play
        self._short = short

    def set_play(self) -> str:
        """Return what follows if the defender began."""
        return self._written("defence", self._play["set_play"])

    def forced_ends(self) -> str:
        """Return the first moves that reflex play forces on the attacker."""
        return self._written("forced key", self._play.get("forced", ()))

    def first_moves(self, attacks: Iterable[Record]) -> str:
        """Return keys or tries with their play."""
        return "".join(
            self._written("try" if "refutations" in attack else "key", [attack])
            + TEMPLATES["end"]
            for attack in attacks
        )

    def after_key(self, moves_left: int) -> str:
        """Return the play of a position where the defender begins.

        Parameters
        ----------
        moves_left : int
            The attacker's moves to the goal.
        """
        play = self._play | {"moves_left": moves_left}
        sign = "\n" if play["threats"] or play["zugzwang"] else ""
        if chess.Board(self._fen).is_check():
            sign = " +"
        lists = [self._list(name, play) for name in LISTS if name in _PLAY]
        refuting = self._written("refutes", play["refutations"])
        return sign + self._text([*chain(*lists)]) + refuting

    def _written(self, name: str, moves: Iterable[Record]) -> str:
        """Write moves with a number by a template, and all that follows them."""
        return self._text([(name, move, 1) for move in moves])

    def _text(self, rows: list[_Row]) -> str:
        """Write rows, each before what follows it."""
        parts, ahead = [], rows[::-1]
        while ahead:
            name, move, number = ahead.pop()
            if name in LISTS:  # its head
                parts.append(TEMPLATES[name])
                continue
            parts.append(TEMPLATES[name].format(**self._known(move, number)))
            lists = [
                self._list(field, move, number) for field in LISTS if field in move
            ]
            ahead += reversed([*chain(*lists)])
        return "".join(parts)

    def _list(self, name: str, move: Record, number: int = 1) -> Iterator[_Row]:
        """Yield the rows of a list of moves, below its head if it has one."""
        moves = move.get(name)
        if not moves or (name in _PLAY and not self._with_play):
            return
        template, more = LISTS[name]
        if name in TEMPLATES and (name != "zugzwang" or move.get("moves_left")):
            yield name, move, number
        for each in moves if template else ():
            if name != "defences" or self._short or self._lasts(each, move):
                yield template, each, number + more

    def _known(self, move: Record, number: int) -> dict[str, str | int]:
        """Return the fields of a template."""
        ends = not (move.get("moves_left") or self._kind.defender_ends)
        check = " +" if is_check(move) else ""
        return {
            "n": number,
            "indent": " " * (8 * number - 6),
            "move": move["long"].rstrip("+#").replace("ep.", " ep."),
            "goal": self._goal,
            "check": check,
            "end": self._goal if ends else check,
            "reply_end": check if "continuations" in move else self._goal,
        }

    def _lasts(self, defence: Record, attack: Record) -> bool:
        """Return whether a defence does not shorten the play, or must end it."""
        first = next(iter(defence.get("continuations", ())), None)
        if first is None and self._kind.defender_must_end:
            return True
        left = first.get("moves_left", 0) + 1 if first else 0
        return bool(left >= attack.get("moves_left", 0))


def is_check(move: Record) -> bool:
    """Return whether a move of a record gives check."""
    return move["san"][-1] in "+#"


def help_lines(
    fen: str, stipulation: Stipulation, lines: Iterable[Sequence[str]], skipped: int = 0
) -> str:
    """Return solutions of help play.

    Parameters
    ----------
    fen : str
        The position; its side to move plays the first move of each line.
    stipulation : Stipulation
        Its goal ends each line.
    lines : iterable of sequence of str
        The solutions, in UCI notation.
    skipped : int
        Half-moves that are numbered but not played: 1 in a problem with half a move
        more and in set play, 2 in the set play of such a problem.
    """
    texts = []
    for length, group in groupby(lines, len):
        names = position_text.write_lines(fen, group, style=LineStyle.LONG)
        text = _line_format(length, skipped, stipulation.goal) * len(names)
        text %= tuple(chain.from_iterable(names))
        # The goal is in place of the last move's sign.
        text = text.replace("##", "#").replace("+#", "#")
        for sign in ("ep.", "+", "#"):
            text = text.replace(sign, f" {sign}")
        texts.append(text)
    return "".join(texts)


def _line_format(length: int, skipped: int, goal: str) -> str:
    """Return the format of a solution with this many moves."""
    text = "\n"
    if skipped == 2:
        text += "  1...  ..."
    last = skipped + length - 1
    for ply in range(skipped, last + 1):
        number = ply // 2 + 1
        if ply % 2 == 0:
            text += f"  {number}.%s"
        else:
            text += f"  {number}...%s" if ply == skipped else " %s"
            text += " " if ply < last else ""
    return text + (goal if goal == Goal.MATE else f" {goal}")


_LETTERS = str.maketrans("Nn", "Ss")
"""Knights are `S`, from the German Springer."""


def _drawing(board: chess.Board) -> str:
    """Return a board in lines, Black's pieces with a minus sign."""
    names = str(board).translate(_LETTERS).split()
    cells = [f"{f'-{name}' if name.islower() else name:>4}".upper() for name in names]
    return BOARD.replace(_EMPTY, "{}").format(*cells)
