"""Solutions as Popeye prints them, for programs that read its output.

A line begins with the line feed before it: the parts of an output can be joined in any
order, as Popeye's are. `begin` and `end` frame a problem; between them, each phase (set
play, or the actual play) ends with `PHASE_END`, except one that was stopped.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING

import chess

from solver import __version__
from solver.play.tree import Attack
from solver.stipulation import Goal
from solver.stipulations import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.play.tree import Defence, Variations
    from solver.stipulation import Stipulation

PHASE_END = "\n"

ZERO_POSITION = "\nzeroposition\n\n"
"""Stands before the twins if the diagram is not to be solved."""

_WIDTH = 37
"""Columns of the board."""

_COUNTS_END = 35
"""The column where the number of pieces ends."""


class Ending(StrEnum):
    """How the solution of a problem ended."""

    FINISHED = "solution finished."
    """Everything that was asked for is printed."""

    PARTIAL = "Partial solution"
    """There may be more; as many solutions as were asked for are printed."""

    INTERRUPTED = "solving interrupted."
    """A limit of time or an interrupt ended the search."""


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
        self._kind = kind_of(stipulation)
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

    def forced_ends(self) -> str:
        """Return the first moves that reflex play forces on the attacker."""
        if not self._kind.attacker_must_end:
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
        ends = not attack.moves_left and not self._kind.defender_ends
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
                if self._kind.attacker_must_end:
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
        """Return the moves with which the attacker ends reflex play, as it must."""
        indent = "   " if number == 1 else " " * (8 * number - 6)
        text = ""
        for move in board.legal_moves:
            board.push(move)
            if self._kind.is_goal(board):
                name, undo = self._moves.play(move.uci())
                self._moves.take_back(undo)
                text += f"\n{indent}{number}.{name}{self._goal} ?!?"
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


_TO_LETTER = str.maketrans("Nn", "Ss")
_FORWARD = {"P": 8, "p": -8}


Line = tuple[tuple[int, ...], str]


def _lines(square: int, straight: str, diagonal: str) -> tuple[Line, ...]:
    """Return the squares of each line from a square, and what attacks along it."""
    found = []
    for file, rank in product((-1, 0, 1), repeat=2):
        line = []
        at_file, at_rank = chess.square_file(square), chess.square_rank(square)
        while (file or rank) and 0 <= at_file + file < 8 and 0 <= at_rank + rank < 8:
            at_file, at_rank = at_file + file, at_rank + rank
            line.append(chess.square(at_file, at_rank))
        if line:
            found.append((tuple(line), diagonal if file and rank else straight))
    return tuple(found)


_SQUARE = {name: square for square, name in enumerate(chess.SQUARE_NAMES)}
_LINES = [
    [_lines(square, *sliders) for square in chess.SQUARES]
    for sliders in (("QR", "QB"), ("qr", "qb"))
]
"""By colour of the king and its square: where the other side attacks it from."""
_KNIGHTS = [tuple(chess.SquareSet(mask)) for mask in chess.BB_KNIGHT_ATTACKS]
_PAWNS = [
    [tuple(chess.SquareSet(mask)) for mask in masks] for masks in chess.BB_PAWN_ATTACKS
]

Undo = tuple[tuple[int, str], ...]


class LongMoves:
    """Plays moves and names them in long notation: `Qh5*a5`, `e7-e8=S`.

    A solution has thousands of moves, so a small board of letters follows the play: it
    needs a third of the time of python-chess.

    Attributes
    ----------
    white : bool
        Whether White is to move. `pass_move` and `play` change it.

    Parameters
    ----------
    fen : str
        The position to begin with.
    """

    def __init__(self, fen: str) -> None:
        board = chess.Board(fen)
        self.white = board.turn
        self._squares = [""] * 64
        for square, piece in board.piece_map().items():
            self._squares[square] = piece.symbol().translate(_TO_LETTER)

    def pass_move(self) -> None:
        """Let the other side move."""
        self.white = not self.white

    def play(self, uci: str) -> tuple[str, Undo]:
        """Play a legal move.

        Returns
        -------
        name : str
            The move, without a sign of check.
        undo : tuple
            For `take_back`.
        """
        squares = self._squares
        start, end = _SQUARE[uci[:2]], _SQUARE[uci[2:4]]
        piece, captured = squares[start], squares[end]
        undo: Undo = ((start, piece), (end, captured))
        squares[start], squares[end] = "", piece
        self.white = not self.white
        kind = piece.upper()
        name = f"{uci[:2]}{'*' if captured else '-'}{uci[2:4]}"
        if kind == "P":
            if len(uci) == 5:
                letter = uci[4].upper().translate(_TO_LETTER)
                squares[end] = letter if piece == "P" else letter.lower()
                return f"{name}={letter}", undo
            if not captured and (end - start) % 8:
                passed = end - _FORWARD[piece]
                undo += ((passed, squares[passed]),)
                squares[passed] = ""
                return f"{uci[:2]}*{uci[2:4]} ep.", undo
            return name, undo
        if kind == "K" and abs(end - start) == 2:
            corner, beside = (end + 1, end - 1) if end > start else (end - 2, end + 1)
            undo += ((corner, squares[corner]), (beside, ""))
            squares[beside], squares[corner] = squares[corner], ""
            return ("0-0" if end > start else "0-0-0"), undo
        return f"{kind}{name}", undo

    def take_back(self, undo: Undo) -> None:
        """Take back the last move."""
        for square, piece in undo:
            self._squares[square] = piece
        self.white = not self.white

    @property
    def is_check(self) -> bool:
        """Whether the side to move is in check."""
        squares, white = self._squares, self.white
        king = squares.index("K" if white else "k")
        for line, sliders in _LINES[white][king]:
            for square in line:
                if piece := squares[square]:
                    if piece in sliders:
                        return True
                    break
        knight, pawn = ("s", "p") if white else ("S", "P")
        for square in _KNIGHTS[king]:
            if squares[square] == knight:
                return True
        return pawn in [squares[square] for square in _PAWNS[white][king]]

    def drawing(self) -> list[str]:
        """Return the board in lines, Black's pieces with a minus sign."""
        edge = "+" + "".join(f"---{file}" for file in "abcdefgh") + "---+"
        empty = "|" + " " * 35 + "|"
        lines = [edge, empty]
        for rank in range(7, -1, -1):
            pieces = self._squares[8 * rank : 8 * rank + 8]
            names = [piece if piece.isupper() else f"-{piece}" for piece in pieces]
            cells = [
                f"{name.upper() if piece else '.':>4}"
                for name, piece in zip(names, pieces, strict=True)
            ]
            lines += [f"{rank + 1}{''.join(cells)}   {rank + 1}", empty]
        return [*lines, edge]

    @property
    def counts(self) -> tuple[int, int]:
        """How many pieces White and Black have."""
        pieces = "".join(self._squares)
        white = sum(map(str.isupper, pieces))
        return white, len(pieces) - white
