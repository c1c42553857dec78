"""The play shown with an answer: a tree, or the solutions of help play."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import chess

from solver.output import Notation
from solver.output.play_text import Part, PlayLine, describe_play, words_line
from solver.output.play_words import missing, numbered, set_play_gap
from solver.output.popeye_text import BattlePlay, help_lines
from solver.output.solution_pgn import encode_pgn, encode_solutions
from solver.play.marks import mark_mate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from solver.play.tree import Variations
    from solver.solution import Solution


@dataclass(frozen=True, slots=True)
class ShownTree:
    """The keys and the play after them.

    Attributes
    ----------
    solution : Solution
        The answer.
    variations : Variations
        Its play.
    tries : bool
        Whether tries were asked for.
    """

    solution: Solution
    variations: Variations
    tries: bool = False

    def lines(self, notation: Notation = Notation.SAN) -> list[PlayLine]:
        """Return lines of text; see `describe_play`."""
        return describe_play(
            self.variations,
            notation,
            marks=True,
            tries=self.tries,
        )

    def record(self) -> dict[str, object]:
        """Return the fields of its JSON record."""
        return self.variations.to_dict()

    def pgn(self) -> bytes:
        """Write the answer and its play as one game."""
        return encode_pgn(self.solution, self.variations, marks=True)

    def popeye(self) -> str:
        """Return the play as Popeye prints it; empty if there is none."""
        tree = self.variations
        writer = BattlePlay(tree, tree.stipulation)
        begun = tree.defences or tree.refutations or tree.threats or tree.is_zugzwang
        return _joined(
            [
                writer.set_play(),
                writer.first_moves([*tree.tries, *tree.keys]),
                writer.after_key(tree.stipulation.moves) if begun else "",
                "\n".join(chain(*missing(tree, tries=self.tries))),
            ]
        )


@dataclass(frozen=True, slots=True)
class ShownSolutions:
    """The solutions of help play.

    Attributes
    ----------
    solution : Solution
        The answer.
    set_play : tuple of tuple of str
        The solutions of the set play, if they were asked for.
    set_play_complete : bool
        Whether these are all.
    """

    solution: Solution
    set_play: tuple[tuple[str, ...], ...] = ()
    set_play_complete: bool = True

    def lines(
        self, notation: Notation = Notation.SAN, *, marks: bool = True
    ) -> list[PlayLine]:
        """Lay out the set play, then the numbered solutions.

        The first move has the number 1, whoever plays it; if the stipulation has half a
        move more, the first move is `1...`, as problemists write it. Solutions in fewer
        moves are marked.

        Parameters
        ----------
        notation : Notation
            SAN or UCI.
        marks : bool
            Whether to remark on final positions.
        """
        problem, solutions = self.solution.problem, self.solution.solutions
        board, half = chess.Board(problem.fen), int(problem.stipulation.half)
        passed = board.copy(stack=False)
        passed.push(chess.Move.null())
        gap = "" if self.set_play_complete else set_play_gap(self.set_play)
        has_set_play = bool(self.set_play or gap)
        parts = (
            ("Set play", passed, half + 1, self.set_play, gap),
            ("Solutions" if has_set_play else "", board, half, solutions, ""),
        )
        end = half + problem.stipulation.plies
        lines: list[PlayLine] = []
        for title, start, ply, found, without in parts:
            if title and (found or without):
                if lines:
                    lines.append(words_line(""))
                lines.append(words_line(title, "bold"))
            width = len(str(len(found)))
            for number, line in enumerate(found, 1):
                label = [Part(f"{number:{width}}) ")] if len(found) > 1 else []
                moves = _help_line(start, line, ply, notation, marks=marks)
                short = [Part(" (short)")] if ply + len(line) < end else []
                lines.append(PlayLine((*label, *moves, *short), 1))
            if without:
                lines.append(PlayLine((Part(without),), 1, "dim"))
        return lines

    def record(self) -> dict[str, object]:
        """Return the fields of its JSON record."""
        return {
            "stipulation": str(self.solution.problem.stipulation),
            "set_play": [list(line) for line in self.set_play],
            "set_play_complete": self.set_play_complete,
        }

    def pgn(self) -> bytes:
        """Write a game for each solution."""
        return encode_solutions(
            self.solution, self.set_play, set_play_complete=self.set_play_complete
        )

    def popeye(self) -> str:
        """Return the solutions as Popeye prints them."""
        problem = self.solution.problem
        stipulation, half = problem.stipulation, int(problem.stipulation.half)
        parts = [help_lines(problem.fen, stipulation, self.solution.solutions, half)]
        if self.set_play:
            board = chess.Board(problem.fen)
            board.push(chess.Move.null())
            parts.insert(
                0, help_lines(board.fen(), stipulation, self.set_play, half + 1)
            )
        if not self.set_play_complete:
            parts.append(set_play_gap(self.set_play))
        return _joined(parts)


ShownPlay = ShownTree | ShownSolutions
"""The play of an answer in all its forms."""


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(part.rstrip() for part in parts if part.strip())


def _help_line(
    start: chess.Board,
    line: Iterable[str],
    ply: int,
    notation: Notation,
    *,
    marks: bool,
) -> list[Part]:
    board = start.copy()
    parts: list[Part] = []
    for played, uci in enumerate(line, ply):
        move = chess.Move.from_uci(uci)
        name = uci if notation is Notation.UCI else board.san(move)
        board.push(move)
        text = numbered(played, name, starts=not parts)
        parts += [Part(" ")] if parts else []
        path = " ".join(map(chess.Move.uci, board.move_stack))
        parts.append(Part(text, path))
    if board.is_stalemate() and notation is not Notation.UCI:
        parts.append(Part("="))
    if marks and (found := mark_mate(board)):
        parts.append(Part(f" ({found})"))
    return parts
