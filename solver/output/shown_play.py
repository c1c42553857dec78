"""The play shown with an answer, and the drawing of its board."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import chess
import chess.svg

from solver.board import Place, parse_fen
from solver.kernel.border.query_struct import LineStyle
from solver.output import Notation, answer_record, play_text, popeye_text
from solver.output.text import describe, stipulation_text
from solver.play.builder import variations_after
from solver.play.record import (
    Record,
    Variations,
    attack_record,
    find_mate_mark,
    mark_key,
    move_record,
    without_popeye,
)
from solver.position_text import write_lines
from solver.problem import Stipulation, printable
from solver.search.threads import WATCHDOG
from solver.stipulations import genre_of
from solver.stipulations.solving_moves import set_play

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from solver.play.record import PlayOptions
    from solver.search import queries, threads
    from solver.solution import Solution
    from solver.solving import Solver


# --------------------------------------------------------------------------------------
# Boards as SVG drawings.

SIZE = 400
"""Width and height of a diagram in pixels, unless the page sets them."""

MAX_ARROWS = 6
"""The most keys that are drawn; more would hide the pieces."""

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def encode_svg(solution: Solution) -> bytes:
    """Draw the position of an answer as an SVG file; see `svg`."""
    return (DECLARATION + svg(solution) + "\n").encode()


def svg(solution: Solution) -> str:
    """Draw the position of an answer, with its keys; see `draw_board`."""
    return draw_board(solution.problem.fen, solution.keys)


def draw_board(fen: str, moves: Iterable[str] = ()) -> str:
    """Draw a position.

    White is at the bottom. A king in check is marked. The title has the side to move
    and the FEN.

    Parameters
    ----------
    fen : str
    moves : iterable of str
        Moves to draw as arrows, in UCI notation, the first `MAX_ARROWS`; promotions to
        several pieces share one.

    Returns
    -------
    str
        An `svg` element, ready to stand in a page.
    """
    board = chess.Board(fen)
    keys = [chess.Move.from_uci(move) for move in moves]
    arrows = dict.fromkeys((key.from_square, key.to_square) for key in keys)
    drawing = chess.svg.board(
        board,
        arrows=list(arrows)[:MAX_ARROWS],
        check=board.king(board.turn) if board.is_check() else None,
        size=SIZE,
    )
    mover = chess.COLOR_NAMES[board.turn].capitalize()
    title = escape(f"{mover} to move: {fen}")
    start, _, rest = drawing.partition(">")  # a title must be the first child
    return f"{start}><title>{title}</title>{rest}"


# --------------------------------------------------------------------------------------
# The play shown with an answer: a tree, or the solutions of help play.


def popeye_diagram(solution: Solution) -> str:
    """Return the diagram of an answer as Popeye prints it.

    The problem's name is above the board. Below it, `HalfDuplex` marks a problem in
    which Black plays White's part, and `C+` a sound one.
    """
    problem, kind = solution.problem, genre_of(solution.problem.stipulation)
    name = printable(problem.id)
    names = [] if not name or f"/{problem.source}".endswith(f"/{name}") else [name]
    remarks = [
        *["HalfDuplex"] * kind.has_exchanged_roles(problem.fen),
        *["C+"] * kind.is_sound(solution),
    ]
    asked = stipulation_text(solution)
    return popeye_text.draw(problem.fen, asked, names, " ".join(remarks))


@dataclass(frozen=True, slots=True)
class ShownTree:
    """The keys and the play after them.

    Attributes
    ----------
    solution : Solution
        The answer.
    play : dict
        The record of its play, for `popeye` with the fields of `FOR_POPEYE`.
    tries : bool
        Whether tries were asked for.
    has_long_names : bool
        Whether the record has these fields, which no program reads.
    """

    solution: Solution
    play: Record
    tries: bool = False
    has_long_names: bool = False
    in_record: ClassVar[str] = "play"
    """The field of the answer's record."""

    def lines(self, notation: Notation = Notation.SAN) -> list[play_text.PlayLine]:
        """Return lines of text; see `describe_play`."""
        fen = self.solution.problem.fen
        return play_text.describe_play(self.play, fen, notation, tries=self.tries)

    def record(self) -> dict[str, object]:
        """Return the fields of its JSON record."""
        return without_popeye(self.play) if self.has_long_names else self.play

    def pgn(self) -> bytes:
        """Write the answer and its play as one game."""
        from solver.output import solution_pgn

        return solution_pgn.encode_pgn(self.solution, self.play)

    def popeye(self) -> Iterator[str]:
        """Yield the diagram and the play as Popeye prints them."""
        yield popeye_diagram(self.solution)
        play = self.play
        stipulation = Stipulation.from_record(play["stipulation"])
        writer = popeye_text.BattleWriter(play, self.solution.problem.fen, stipulation)
        begun = any(
            play[name] for name in ("defences", "refutations", "threats", "zugzwang")
        )
        parts = [
            writer.set_play(),
            writer.first_moves([*play["tries"], *play["keys"]]),
            writer.after_key(stipulation.length) if begun else "",
        ]
        shown = [part.rstrip() for part in parts if part.strip()]
        if gaps := [*chain(*play_text.missing(play, tries=self.tries))]:
            yield "\n".join([*(shown or [""]), *gaps])
        else:
            yield "\n".join(shown)


@dataclass(frozen=True, slots=True)
class ShownAccepted(ShownTree):
    """The accepted moves as play, in which each attack has one defence.

    Attributes
    ----------
    accepted : dict
        The tree that `solver.columns.accepted` found.
    """

    accepted: Record = field(default_factory=dict)
    in_record: ClassVar[str] = "accepted"

    def lines(self, notation: Notation = Notation.SAN) -> list[play_text.PlayLine]:
        """Return lines of text, and one more if the tree is cut."""
        part = play_text.LinePart("The tree is cut: more moves are accepted.")
        cut = play_text.PlayLine((part,), 1, "dim")
        return ShownTree.lines(self, notation) + [cut] * (not self.accepted["complete"])

    def record(self) -> dict[str, object]:
        """Return the field of its JSON record."""
        return self.accepted


class _Phase(NamedTuple):
    """Solutions that begin in the same position.

    Attributes
    ----------
    fen : str
        The position.
    passed : str
        The path to it: a null move, or nothing.
    ply : int
        Half-moves before it in the numbering of the problem.
    found : sequence of tuple of str
        The solutions.
    name : str
        What they are.
    """

    fen: str
    passed: list[str]
    ply: int
    found: Sequence[tuple[str, ...]]
    name: str

    def left_out(self, shown: int) -> str:
        """Return a sentence about solutions that are not shown; empty if all are."""
        found = len(self.found)
        if shown == found:
            return ""
        return (
            f"Interrupted: only the first {shown:,} of {found:,} {self.name} are "
            "shown. `matesolve popeye` prints each as soon as it is found."
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
    is_over : callable
        See `chunks`: what is printed then says how many solutions there are.
    """

    solution: Solution
    set_play: tuple[tuple[str, ...], ...] = ()
    set_play_complete: bool = True
    in_record: ClassVar[str] = "play"
    is_over: Callable[[], bool] = answer_record.never

    def lines(
        self,
        notation: Notation = Notation.SAN,
        *,
        marks: bool = True,
        paths: bool = True,
    ) -> Iterator[play_text.PlayLine]:
        """Lay out the set play, then the numbered solutions, one after the other.

        The first move has the number 1, whoever plays it; if the stipulation has half a
        move more, the first move is `1...`, as problemists write it. Solutions in fewer
        moves are marked.

        Parameters
        ----------
        notation : Notation
            SAN or UCI.
        marks : bool
            Whether to remark on final positions.
        paths : bool
            Whether each move is a part with its path; otherwise a line has one part for
            all moves, which is faster.
        """
        before, played = self._phases
        gap = "" if self.set_play_complete else play_text.set_play_gap(self.set_play)
        has_set_play = bool(self.set_play or gap)
        if has_set_play:
            yield play_text.words_line("Set play", "bold")
            yield from self._phase_lines(before, notation, marks=marks, paths=paths)
        if gap:
            yield play_text.PlayLine((play_text.LinePart(gap),), 1, "dim")
        if has_set_play and played.found:
            yield play_text.words_line("")
            yield play_text.words_line("Solutions", "bold")
        yield from self._phase_lines(played, notation, marks=marks, paths=paths)

    @property
    def _phases(self) -> tuple[_Phase, _Phase]:
        """The set play, and the actual play."""
        problem, found = self.solution.problem, self.solution.solutions
        half = int(problem.stipulation.half)
        passed = chess.Board(problem.fen)
        passed.push(chess.Move.null())
        return (
            _Phase(
                passed.fen(),
                ["0000"],
                half + 1,
                self.set_play,
                "solutions of the set play",
            ),
            _Phase(problem.fen, [], half, found, "solutions"),
        )

    def _phase_lines(
        self, phase: _Phase, notation: Notation, *, marks: bool, paths: bool
    ) -> Iterator[play_text.PlayLine]:
        is_uci = notation is Notation.UCI
        stipulation = self.solution.problem.stipulation
        end = int(stipulation.half) + stipulation.plies - phase.ply
        count, number = len(phase.found), 0
        width = len(str(count))
        for chunk in answer_record.chunks(phase.found, self.is_over):
            written = write_lines(phase.fen, chunk, style=LineStyle.WITH_END)
            for line, (*names, final) in zip(chunk, written, strict=True):
                number += 1
                label = [play_text.LinePart(f"{number:{width}}) ")] * (count > 1)
                shown = line if is_uci else tuple(names)
                if paths:
                    moves = _moves(phase, line, shown)
                else:
                    moves = [play_text.LinePart(_format(phase.ply, len(line)) % shown)]
                is_short = len(line) < end
                remarks = _remarks(final, marks=marks, is_short=is_short, is_uci=is_uci)
                yield play_text.PlayLine((*label, *moves, *remarks), 1)
        if sentence := phase.left_out(number):
            yield play_text.PlayLine((play_text.LinePart(sentence),), 1, "dim")

    def record(self) -> dict[str, object]:
        """Return the fields of its JSON record."""
        return {
            "stipulation": str(self.solution.problem.stipulation),
            "set_play": [list(line) for line in self.set_play],
            "set_play_complete": self.set_play_complete,
        }

    def pgn(self) -> bytes:
        """Write a game for each solution."""
        from solver.output import solution_pgn

        return solution_pgn.encode_solutions(
            self.solution, self.set_play, set_play_complete=self.set_play_complete
        )

    def popeye(self) -> Iterator[str]:
        """Yield the diagram and the solutions as Popeye prints them, in parts."""
        yield popeye_diagram(self.solution)
        stipulation = self.solution.problem.stipulation
        is_first = True
        for phase in self._phases:
            printed = 0
            for chunk in answer_record.chunks(phase.found, self.is_over):
                text = popeye_text.help_lines(phase.fen, stipulation, chunk, phase.ply)
                yield text if is_first or printed else f"\n{text}"
                printed += len(chunk)
                is_first = False
            if sentence := phase.left_out(printed):
                yield f"\n{sentence}"
        if not self.set_play_complete:
            yield "\n" + play_text.set_play_gap(self.set_play)


ShownPlay = ShownTree | ShownSolutions
"""The play of an answer in all its forms."""


def find_play(
    question: queries.Question,
    solution: Solution,
    solver: Solver,
    options: PlayOptions,
    control: threads.Control,
) -> ShownPlay:
    """Build the play of the solver's last answer, in the calling thread.

    Parameters
    ----------
    question : Question
        Its limits are for the search and the play together.
    solution : Solution
        The answer.
    solver : Solver
        Found the answer.
    options : PlayOptions
        Which play it is.
    control : Control
        Stops the building.

    Raises
    ------
    BuildingStoppedError
        It was interrupted.
    """
    limits = question.limits

    def build_tree() -> ShownPlay:
        tree = variations_after(solution, solver.workspace, limits, options, control)
        return ShownTree(solution, tree.to_dict(), options.tries > 0, options.popeye)

    def find_set_play() -> ShownPlay:
        left = limits.after(solution.stats.nodes, solution.stats.time_s)
        asked = set_play(replace(question, limits=left)) if options.set_play else None
        if asked is None:
            return ShownSolutions(solution)
        found = solver.answer(asked, control)
        return ShownSolutions(solution, found.solutions, found.solutions_complete)

    kind = genre_of(question.problem.stipulation)
    return kind.choose(build_tree, find_set_play)()


def find_accepted(
    question: queries.Question, solution: Solution, control: threads.Control
) -> ShownPlay:
    """Find the accepted moves of an answer; there are none unless it is a mate.

    Parameters
    ----------
    question : Question
        Its limits are for the search and these moves together.
    solution : Solution
        The answer.
    control : Control
        Stops the search.
    """
    from solver.columns.accepted import accepted

    fen, mate = solution.problem.fen, solution.mate or 0
    left = question.limits.after(solution.stats.nodes, solution.stats.time_s)
    found: Record = {"complete": True, "right_moves": []}
    if mate > 0:
        with WATCHDOG.limit(control, left.time_s):
            found = accepted(fen, mate, nodes=left.nodes, control=control)

    def attacks(parent: Record, place: Place, left: int) -> Iterator[Record]:
        for right in parent["right_moves"]:
            row = place.moves[right["uci"]]
            is_mate = row.san.endswith("#")
            attack = attack_record(row, 0 if is_mate else left - 1, popeye=True)
            if "right_moves" in right:
                after = place.after(row.word)
                reply = after.moves[right["reply"]["uci"]]
                following = attacks(right, after.after(reply.word), left - 1)
                defence = move_record(reply, popeye=True)
                attack["defences"] = [defence | {"continuations": [*following]}]
            elif not is_mate:
                attack["cut"] = True
            yield attack

    play = Variations(solution.problem.stipulation.numbered(max(mate, 0)), fen)
    if "right_moves" in found:
        root = Place.of(chess.Board(fen))
        keys = [*attacks(found, root, mate)]
        for key in keys:
            if features := mark_key(root, key["uci"]):
                key["features"] = features
        play = replace(play, keys=keys, keys_complete=True)
    return ShownAccepted(solution, play.to_dict(), accepted=found)


def play_lines(
    solution: Solution, play: ShownPlay, notation: Notation = Notation.SAN
) -> Iterator[play_text.PlayLine]:
    """Yield what is printed below an answer: a blank line, its play, its soundness."""
    layout: Iterable[play_text.PlayLine] = (
        play.lines(notation, paths=False)
        if isinstance(play, ShownSolutions)
        else play.lines(notation)
    )
    mark = play_text.soundness_mark(solution)
    for part in layout, [play_text.words_line(mark, "dim")] if mark else []:
        lines = iter(part)
        if first := next(lines, None):
            yield from chain([play_text.words_line(""), first], lines)


def text(solution: Solution) -> str:
    """Return the sentences that `solve` prints, without the position and the cost."""
    sentences = [part for part in describe(solution) if part.style != "dim"]
    solutions = ShownSolutions(solution).lines(marks=False)
    return "\n".join(
        [
            *chain.from_iterable(part.lines() for part in sentences),
            *(line.text for line in solutions),
        ]
    )


def _moves(
    phase: _Phase, line: Sequence[str], names: Iterable[str]
) -> list[play_text.LinePart]:
    """Write the moves of a line with their numbers and paths."""
    path = list(phase.passed)
    parts: list[play_text.LinePart] = []
    for ply, (uci, name) in enumerate(zip(line, names, strict=True), phase.ply):
        path.append(uci)
        text = play_text.numbered(ply, name, starts=not parts)
        if parts:
            parts.append(_SPACE)
        parts.append(play_text.LinePart(text, " ".join(path)))
    return parts


_SPACE = play_text.LinePart(" ")


@cache
def _format(ply: int, moves: int) -> str:
    """Return the format of a line with this many moves and their numbers."""
    last = ply + moves
    return " ".join(
        play_text.numbered(at, "%s", starts=at == ply) for at in range(ply, last)
    )


@lru_cache(maxsize=1 << 16)
def _remarks(
    final: str, *, marks: bool, is_short: bool, is_uci: bool
) -> tuple[play_text.LinePart, ...]:
    """Return what follows a line, by its final position.

    Many solutions of a problem end in the same position.
    """
    board = parse_fen(final)
    mark = find_mate_mark(board) if marks else ""
    remarks = (
        "=" if board.is_stalemate() and not is_uci else "",
        f" ({mark})" if mark else "",
        " (short)" if is_short else "",
    )
    return tuple(play_text.LinePart(remark) for remark in remarks if remark)
