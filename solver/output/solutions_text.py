"""The solutions of help play in lines, as problemists write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from solver.output import Notation
from solver.output.play_text import Part, PlayLine, words_line
from solver.output.play_words import numbered, set_play_gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.output.play_words import Marks
    from solver.solution import Solution


def describe_solutions(
    solution: Solution,
    set_play: Sequence[Sequence[str]] = (),
    notation: Notation = Notation.SAN,
    *,
    marks: Marks | None = None,
    set_play_complete: bool = True,
) -> list[PlayLine]:
    """Lay out the solutions of help play, numbered, and its set play before them.

    The first move has the number 1, whoever plays it; with half a move more it is
    written as `1...`, as problemists do. Solutions in fewer moves are marked.

    Parameters
    ----------
    solution : Solution
        The answer.
    set_play : sequence of sequence of str
        The solutions of the set play, in UCI notation.
    notation : Notation
        SAN or UCI.
    marks : Marks or None
        Remarks on final positions.
    set_play_complete : bool
        Whether `set_play` has all solutions of the set play.
    """
    stipulation = solution.problem.stipulation
    board = chess.Board(solution.problem.fen)
    half = int(stipulation.half)
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    gap = "" if set_play_complete else set_play_gap(set_play)
    has_set_play = bool(set_play or gap)
    parts = (
        ("Set play", passed, half + 1, set_play, gap),
        ("Solutions" if has_set_play else "", board, half, solution.solutions, ""),
    )
    end = half + stipulation.plies
    lines: list[PlayLine] = []
    for title, start, ply, found, missing in parts:
        if title and (found or missing):
            if lines:
                lines.append(words_line(""))
            lines.append(words_line(title, "bold"))
        width = len(str(len(found)))
        for number, line in enumerate(found, 1):
            label = [Part(f"{number:{width}}) ")] if len(found) > 1 else []
            moves = _help_line(start, line, ply, notation, marks)
            short = [Part(" (short)")] if ply + len(line) < end else []
            lines.append(PlayLine((*label, *moves, *short), 1))
        if missing:
            lines.append(PlayLine((Part(missing),), 1, "dim"))
    return lines


def _help_line(
    start: chess.Board,
    line: Iterable[str],
    ply: int,
    notation: Notation,
    marks: Marks | None,
) -> list[Part]:
    board = start.copy(stack=False)
    parts: list[Part] = []
    for played, uci in enumerate(line, ply):
        move = chess.Move.from_uci(uci)
        name = uci if notation is Notation.UCI else board.san(move)
        board.push(move)
        text = numbered(played, name, starts=not parts)
        parts += [Part(" ")] if parts else []
        parts.append(Part(text, uci, board.board_fen()))
    if board.is_stalemate() and notation is not Notation.UCI:
        parts.append(Part("="))
    if marks and (found := marks.remark(board)):
        parts.append(Part(f" ({found})"))
    return parts
