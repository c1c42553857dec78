"""Solutions as Popeye prints them, for programs that read its output.

Called by `shown_play` and `cli`; imports `kernel.border`, `play`, `position_text`,
`problem` and `stipulations`.

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
    from collections.abc import Callable, Iterable, Sequence

    from solver.play.record import Record

PHASE_END = "\n"

ZERO_POSITION = "\nzeroposition\n\n"
"""Printed before the twins if the diagram is not solved."""

_WIDTH = 37
"""Columns of the board."""

_COUNTS_END = 35
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


class BattleWriter:
    """Writes battle play: direct, self- and reflex play.

    Parameters
    ----------
    play : dict
        The record of the play.
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
        self._moves = LongMoves(fen)
        self._goal = f" {stipulation.goal}"
        self._kind = genre_of(stipulation)
        self._with_play = with_play
        self._short = short
        self._parts: list[str] = []

    def set_play(self) -> str:
        """Return what follows if the defender began."""
        self._moves.push(chess.Move.null())
        for defence in self._play["set_play"]:
            self._defence(defence, 1)
        self._moves.pop()
        return self._taken()

    def forced_ends(self) -> str:
        """Return the first moves that reflex play forces on the attacker."""
        if not self._kind.attacker_must_end:
            return ""
        return self._forced(1)

    def first_moves(self, attacks: Iterable[Record]) -> str:
        """Return keys or tries with their play."""
        for attack in attacks:
            self._attack(attack, 1, is_first=True)
            self._parts.append("\n")
        return self._taken()

    def after_key(self, moves_left: int) -> str:
        """Return the play of a position where the defender begins.

        Parameters
        ----------
        moves_left : int
            The attacker's moves to the goal.
        """
        play = self._play
        if self._moves.is_check():
            self._parts.append(" +")
        elif play["threats"] or play["zugzwang"]:
            self._parts.append("\n")
        self._play_after(play | {"moves_left": moves_left}, 1)
        for move in play["refutations"]:
            self._parts.append("\n      1...")
            self._reply(move)
            self._parts.append("\n        refutes.")
        return self._taken()

    def _taken(self) -> str:
        text = "".join(self._parts)
        self._parts.clear()
        return text

    def _attack(self, attack: Record, number: int, *, is_first: bool = False) -> None:
        indent = "   " if is_first else " " * (8 * number - 6)
        name = self._moves.play(attack["uci"])
        refutations = attack.get("refutations", ())
        self._parts.append(f"\n{indent}{number}.{name}")
        ends = "moves_left" not in attack and not self._kind.defender_ends
        if ends:
            self._parts.append(self._goal)
        elif is_check(attack):
            self._parts.append(" +")
        if is_first:
            self._parts.append(" ?" if refutations else " !")
        if self._with_play and not ends:
            self._play_after(attack, number)
        if refutations:
            self._parts.append("\n    but")
            for move in refutations:
                self._parts.append("\n      1...")
                self._reply(move)
                self._parts.append(" !")
                if self._kind.attacker_must_end:
                    self._moves.play(move["uci"])
                    self._parts.append(self._forced(2))
                    self._moves.pop()
        self._moves.pop()

    def _play_after(self, attack: Record, number: int) -> None:
        left = attack.get("moves_left", 0)
        if threats := attack.get("threats"):
            self._parts.append(" threat:")
            self._moves.push(chess.Move.null())
            for threat in threats:
                self._attack(threat, number + 1)
            self._moves.pop()
        elif attack.get("zugzwang") and left:
            self._parts.append(" zugzwang.")
        for defence in attack.get("defences", ()):
            moves = _moves_left(defence)
            is_forced = self._kind.defender_must_end and not moves
            if self._short or is_forced or moves >= left:
                self._defence(defence, number)

    def _defence(self, defence: Record, number: int) -> None:
        name = self._moves.play(defence["uci"])
        self._parts.append(f"\n{' ' * (8 * number - 2)}{number}...{name}")
        if not _moves_left(defence):
            self._parts.append(self._goal)
        elif is_check(defence):
            self._parts.append(" +")
        for attack in defence.get("continuations", ()):
            self._attack(attack, number + 1)
        self._moves.pop()

    def _forced(self, number: int) -> str:
        """Return the moves with which the attacker must end reflex play."""
        indent = "   " if number == 1 else " " * (8 * number - 6)
        names = self._moves.reaching(self._kind.is_goal)
        return "".join(f"\n{indent}{number}.{name}{self._goal} ?!?" for name in names)

    def _reply(self, move: Record) -> None:
        name = self._moves.play(move["uci"])
        self._parts.append(name + (" +" if is_check(move) else ""))
        self._moves.pop()


def is_check(move: Record) -> bool:
    """Return whether a move of a record gives check."""
    return move["san"][-1] in "+#"


def _moves_left(defence: Record) -> int:
    """Return the attacker's moves that a defence leaves; 0 if it ends the play."""
    first = next(iter(defence.get("continuations", ())), None)
    return first.get("moves_left", 0) + 1 if first else 0


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
    """Return the format of a solution with so many moves."""
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


class LongMoves(chess.Board):
    """Plays moves and names them in long notation: `Qh5*a5`, `e7-e8=S`."""

    def play(self, uci: str) -> str:
        """Play a legal move and return its name, without a sign of check."""
        move = chess.Move.from_uci(uci)
        piece = self.piece_type_at(move.from_square)
        between = "*" if self.is_capture(move) else "-"
        name = f"{uci[:2]}{between}{uci[2:4]}"
        if piece != chess.PAWN:
            assert piece
            name = chess.piece_symbol(piece).upper().translate(_LETTERS) + name
            if piece == chess.KING and self.is_castling(move):
                name = "0-0" if self.is_kingside_castling(move) else "0-0-0"
        elif move.promotion:
            name += f"={uci[4].upper().translate(_LETTERS)}"
        elif self.is_en_passant(move):
            name += " ep."
        self.push(move)
        return name

    def reaching(self, is_goal: Callable[[chess.Board], bool]) -> list[str]:
        """Return the names of the moves after which `is_goal` returns True."""
        names = []
        for move in sorted(self.legal_moves, key=chess.Move.uci):
            name = self.play(move.uci())
            if is_goal(self):
                names.append(name)
            self.pop()
        return names

    def drawing(self) -> list[str]:
        """Return the board in lines, Black's pieces with a minus sign."""
        edge = "+" + "".join(f"---{file}" for file in chess.FILE_NAMES) + "---+"
        lines = [edge, empty := "|" + " " * 35 + "|"]
        ranks = str(self).translate(_LETTERS).splitlines()
        for number, rank in zip("87654321", ranks, strict=True):
            names = [f"-{name}" if name.islower() else name for name in rank.split()]
            cells = "".join(f"{name.upper():>4}" for name in names)
            lines += [f"{number}{cells}   {number}", empty]
        return [*lines, edge]

    @property
    def counts(self) -> tuple[int, int]:
        """How many pieces White and Black have."""
        white, black = (self.occupied_co[color] for color in (True, False))
        return white.bit_count(), black.bit_count()
