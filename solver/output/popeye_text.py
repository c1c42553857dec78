"""Solutions as Popeye prints them, for programs that read its output.

A line begins with the line feed before it: the parts of an output can be joined in any
order, as Popeye's are. `begin` and `end` frame a problem; between them, each phase (set
play, or the actual play) ends with `PHASE_END`, except one that was stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import chess

from solver import __version__
from solver.output.long_moves import LongMoves
from solver.play.tree import Attack
from solver.stipulation import Goal, Play, Stipulation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.play.tree import Defence, Variations

PHASE_END = "\n"

ZERO_POSITION = "\nzeroposition\n\n"
"""Stands before the twins if the diagram is not to be solved."""

_WIDTH = 37
"""Columns of the board."""

_COUNTS_END = 35
"""The column where the number of pieces ends."""

_SELF_PLAY = (Play.SELF, Play.REFLEX, Play.SEMI_REFLEX)


class Ending(NamedTuple):
    """How the solution of a problem ended.

    Attributes
    ----------
    words : str
    """

    words: str


FINISHED = Ending("solution finished.")
"""Everything that was asked for is printed."""

PARTIAL = Ending("Partial solution")
"""There may be more; as many solutions as were asked for are printed."""

INTERRUPTED = Ending("solving interrupted.")
"""A limit of time or an interrupt ended the search."""


def first_line(hash_mib: int) -> str:
    """Return the line before the first problem, which names the program."""
    return f"matesolve {__version__} ({hash_mib} MB)\n"


def end(ending: Ending, time_s: float | None) -> str:
    """Return the last line of a problem; without a time with `-regression`."""
    clock = "" if time_s is None else f" Time = {_clock(time_s)}"
    return f"\n{ending.words}{clock}\n\n\n"


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
    moves = LongMoves(fen)
    white, black = moves.counts
    counts = f"{white} + {black}"
    lines = [
        "",
        *(text.rjust((_WIDTH + len(text)) // 2) for text in texts),
        "",
        *moves.drawing(),
        f"  {stipulation}{counts.rjust(_COUNTS_END - 2 - len(stipulation))}",
    ]
    if remarks:
        lines.append(remarks.rjust((_WIDTH + len(remarks)) // 2))
    return "\n".join(lines) + "\n"


def twin_heading(label: str, changes: Iterable[str], *, continued: bool = False) -> str:
    """Return the line above the play of a twin, such as `+c) wKa1-->b2`."""
    texts = "".join(f"{change}  " for change in changes)
    return f"\n{'+' if continued else ''}{label}) {texts}\n"


class BattlePlay:
    """Writes battle play: direct, self- and reflex play.

    Parameters
    ----------
    variations : Variations
        The play.
    stipulation : Stipulation
        What the play shows.
    with_play : bool
        Write threats and variations, not only first moves and refutations.
    with_threats : bool
        Write `threat:` and `zugzwang.`; the tree must have been built so.
    short : bool
        Write defences that shorten the play, too.
    """

    def __init__(
        self,
        variations: Variations,
        stipulation: Stipulation,
        *,
        with_play: bool = True,
        with_threats: bool = True,
        short: bool = True,
    ) -> None:
        self._variations = variations
        self._moves = LongMoves(variations.fen)
        self._goal = f" {stipulation.goal}"
        self._is_reflex = stipulation.play is Play.REFLEX
        self._defender_ends = stipulation.play in _SELF_PLAY
        self._with_play = with_play
        self._with_threats = with_threats
        self._short = short
        self._parts: list[str] = []

    def set_play(self) -> str:
        """Return what follows if the defender began."""
        self._moves.pass_move()
        for defence in self._variations.set_play:
            self._defence(defence, 1)
        self._moves.pass_move()
        return self._taken()

    def forced_mates(self) -> str:
        """Return the first moves that reflex play forces on the attacker: mates."""
        if not self._is_reflex:
            return ""
        return self._forced(chess.Board(self._variations.fen), 1)

    def first_moves(self, attacks: Iterable[Attack]) -> str:
        """Return keys or tries with their play."""
        for attack in attacks:
            self._attack(attack, 1, is_first=True)
            self._parts.append("\n")
        return self._taken()

    def after_key(self) -> str:
        """Return the play of a position where the defender begins."""
        tree = self._variations
        left = max((defence.moves_left for defence in tree.defences), default=1)
        root = Attack("", left, list(tree.threats), tree.is_zugzwang)
        root.defences = list(tree.defences)
        if root.threats or root.is_zugzwang:
            self._parts.append("\n")
        self._play_after(root, 1)
        for move in tree.refutations:
            self._parts.append("\n      1...")
            self._reply(move)
            self._parts.append("\n        refutes.")
        return self._taken()

    def _taken(self) -> str:
        text = "".join(self._parts)
        self._parts.clear()
        return text

    def _attack(self, attack: Attack, number: int, *, is_first: bool = False) -> None:
        indent = "   " if is_first else " " * (8 * number - 6)
        name, undo = self._moves.play(attack.move)
        self._parts.append(f"\n{indent}{number}.{name}")
        ends = not attack.moves_left and not self._defender_ends
        if ends:
            self._parts.append(self._goal)
        elif self._moves.is_check:
            self._parts.append(" +")
        if is_first:
            self._parts.append(" ?" if attack.refutations else " !")
        if self._with_play and not ends:
            self._play_after(attack, number)
        if attack.refutations:
            self._parts.append("\n    but")
            for move in attack.refutations:
                self._parts.append("\n      1...")
                self._reply(move)
                self._parts.append(" !")
                if self._is_reflex:
                    self._parts.append(self._forced_after(attack.move, move))
        self._moves.take_back(undo)

    def _play_after(self, attack: Attack, number: int) -> None:
        if attack.threats:
            self._parts.append(" threat:")
            self._moves.pass_move()
            for threat in attack.threats:
                self._attack(threat, number + 1)
            self._moves.pass_move()
        elif attack.is_zugzwang and attack.moves_left and self._with_threats:
            self._parts.append(" zugzwang.")
        for defence in attack.defences:
            if self._short or defence.moves_left >= attack.moves_left:
                self._defence(defence, number)

    def _defence(self, defence: Defence, number: int) -> None:
        name, undo = self._moves.play(defence.move)
        self._parts.append(f"\n{' ' * (8 * number - 2)}{number}...{name}")
        if not defence.moves_left:
            self._parts.append(self._goal)
        elif self._moves.is_check:
            self._parts.append(" +")
        for attack in defence.continuations:
            self._attack(attack, number + 1)
        self._moves.take_back(undo)

    def _forced_after(self, *line: str) -> str:
        board = chess.Board(self._variations.fen)
        for move in line:
            board.push_uci(move)
        _, undo = self._moves.play(line[-1])
        text = self._forced(board, 2)
        self._moves.take_back(undo)
        return text

    def _forced(self, board: chess.Board, number: int) -> str:
        """Return the attacker's mates in one, which end reflex play."""
        indent = "   " if number == 1 else " " * (8 * number - 6)
        text = ""
        for move in board.legal_moves:
            board.push(move)
            if board.is_checkmate():
                name, undo = self._moves.play(move.uci())
                self._moves.take_back(undo)
                text += f"\n{indent}{number}.{name} # ?!?"
            board.pop()
        return text

    def _reply(self, move: str) -> None:
        name, undo = self._moves.play(move)
        self._parts.append(name + (" +" if self._moves.is_check else ""))
        self._moves.take_back(undo)


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
    moves = LongMoves(fen)
    goal = f" {Goal(stipulation.goal)}"
    texts = []
    for line in lines:
        undone = []
        text = "\n"
        if skipped == 2:
            text += "  1...  ..."
        for ply, uci in enumerate(line, skipped):
            name, undo = moves.play(uci)
            undone.append(undo)
            if ply % 2 == 0:
                text += f"  {ply // 2 + 1}.{name}"
            else:
                text += f"  {ply // 2 + 1}...{name}" if ply == skipped else f" {name}"
            if len(undone) == len(line):
                text += goal
            else:
                text += " +" if moves.is_check else ""
                text += " " if ply % 2 else ""
        for undo in reversed(undone):
            moves.take_back(undo)
        texts.append(text)
    return "".join(texts)
