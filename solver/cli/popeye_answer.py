"""The answer to a problem of Popeye's input, phase by phase.

It is apart from the command, whose help loads neither python-chess nor the play.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import chess

from solver.cli import console
from solver.errors import FormatError, InputError
from solver.output import popeye_text
from solver.play import builder
from solver.play.record import PlayOptions, Record, Variations
from solver.problem import Limits, Problem, Stipulation
from solver.search import queries, threads
from solver.solution import Solution, StoppedBy
from solver.stipulations import genre_of, solving_moves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver import solving
    from solver.formats.popeye import PopeyeInput, Twin
    from solver.search import workspaces


_ALL_MOVES = 10**12
"""The size of the tree is not limited."""

_LONG_S = 10.0**9

_TEXTS = ("Author", "Origin", "Award", "Title")
"""The texts above the board, in their order there."""

_REFUSED = (
    "GoalIsEnd",
    "KeepMatingPiece",
    "MatesIn1",
    "MaxFlightsquares",
    "NonTrivial",
    "StartMoveNumber",
    "StopOnShortSolutions",
    "Threat",
    "UpToMoveNumber",
)
"""Options that change what a solution is; a collection can be read without them."""


_UNUSED_AFTER_KEY = ("SetPlay", "Defence", "Try")
"""Options that `PostKeyPlay` leaves without effect."""


class PopeyeAnswer:
    """Solves a problem with all its twins.

    Attributes
    ----------
    ending : Ending
        How the solution ended; complete after `texts`.
    errors : list of str
        What was refused, and why.
    unused : dict of str to None
        Options that do not apply to the problem, in their order.
    control : Control
        Stops `texts`, which then ends with what was found.

    Parameters
    ----------
    found : PopeyeInput
    solver : Solver
    time_s : float or None
        Seconds for the problem; its option `MaxTime` comes first.
    """

    def __init__(
        self, found: PopeyeInput, solver: solving.Solver, time_s: float | None
    ) -> None:
        self.errors: list[str] = []
        self.unused: dict[str, None] = {}
        self._found = found
        self._options = found.options
        self._solver = solver
        self.control = threads.Control()
        self._stopped: StoppedBy | None = None
        self._is_partial = False
        self._is_cut = False  # the last phase
        time_s = found.options.number("MaxTime", 0) or time_s
        self._deadline = None if time_s is None else time.monotonic() + time_s

    @property
    def ending(self) -> popeye_text.Ending:
        """How the solution ended."""
        if self._stopped:
            return popeye_text.Ending.INTERRUPTED
        is_partial = self._is_partial or self.errors
        return popeye_text.Ending.PARTIAL if is_partial else popeye_text.Ending.FINISHED

    @property
    def code(self) -> console.Exit:
        """The exit code that the problem calls for."""
        if self.control.reason is StoppedBy.INTERRUPT:
            return console.Exit.INTERRUPTED
        if self.errors:
            return console.Exit.BAD_INPUT
        return console.Exit.LIMIT if self._stopped else console.Exit.PROVED

    def texts(self) -> Iterator[str]:
        """Yield the text of the problem in parts, as soon as each is known."""
        found = self._found
        try:
            for option in _REFUSED:
                found.options.refuse(option)
            if "NoBoard" not in found.options:
                yield _draw(found)
            if found.has_zero_position:
                yield popeye_text.ZERO_POSITION
        except InputError as error:
            self._refuse(error)
            return
        for twin in found.twins:
            if isinstance(twin, FormatError):
                self.errors.append(str(twin))
                continue
            if self._is_cut:
                yield popeye_text.PHASE_END
            self._is_cut = False
            yield from self._twin(twin)
            if self._stopped:
                break

    def _refuse(self, error: InputError, label: str = "") -> None:
        twin = f"twin {label}): " if label else ""
        self.errors.append(f"{self._found.source}: {twin}{error}")

    def _twin(self, twin: Twin) -> Iterator[str]:
        options = twin.composition.options
        if twin.label:
            yield popeye_text.twin_heading(
                twin.label, twin.changes, continued=twin.is_continued
            )
        stipulation = twin.composition.stipulation
        battle = self._after_key if "PostKeyPlay" in options else self._battle_play
        answer = genre_of(stipulation).choose(battle, self._help_play)
        is_after_key = answer == self._after_key
        unused = _UNUSED_AFTER_KEY if is_after_key else ("PostKeyPlay",)
        self.unused.update(dict.fromkeys(filter(options.__contains__, unused)))
        for exchanged in (False, True)[: 1 + ("Duplex" in options)]:
            if self._stopped:
                break
            try:
                board = twin.composition.position(
                    exchanged=exchanged ^ is_after_key
                ).board
                yield from answer(board, stipulation)
            except InputError as error:
                self._refuse(error, twin.label)
                yield popeye_text.PHASE_END

    # Help play

    def _help_play(self, board: chess.Board, stipulation: Stipulation) -> Iterator[str]:
        problem = Problem(board.fen(en_passant="fen"), stipulation=stipulation)
        question = queries.read_question(
            problem, Limits(max_solutions=self._max_solutions)
        )
        skipped = int(stipulation.half)
        if "SetPlay" in self._options:
            if before := solving_moves.set_play(question):
                yield from self._help_phase(before, skipped + 1)
            else:
                yield popeye_text.PHASE_END
        if not self._stopped:
            yield from self._help_phase(question, skipped)

    def _help_phase(self, question: queries.Question, skipped: int) -> Iterator[str]:
        """Yield the solutions as they are found, shorter ones first, as Popeye does."""
        problem = question.problem
        search = solving_moves.Enumeration(self._solver.workspace, question)
        self.control.attach(self._solver.workspace.search)
        found = 0
        with threads.WATCHDOG.limit(self.control, self._remaining):
            for lines in search.pieces():
                found += len(lines)
                yield popeye_text.help_lines(
                    problem.fen, problem.stipulation, lines, skipped
                )
        self._stopped = self._stopped or self.control.reason
        if found == self._max_solutions:
            self._is_partial = self._is_cut = True
        elif not self._stopped:
            yield popeye_text.PHASE_END

    # Battle play

    def _battle_play(
        self, board: chess.Board, stipulation: Stipulation
    ) -> Iterator[str]:
        options = self._options
        solution = self._solve(
            Problem(board.fen(en_passant="fen"), stipulation=stipulation)
        )
        record = self._play(solution, with_play="Variations" in options)
        play = self._writer(record, board, stipulation)
        if "SetPlay" in options:
            before = play
            if "Variations" not in options:  # Popeye shows set play without threats
                shown = self._play(solution, threats=False)
                before = popeye_text.BattleWriter(shown, board.fen(), stipulation)
            yield before.set_play() + popeye_text.PHASE_END
        tries = record["tries"]
        if "TrivialTriesAvoid" in options:
            tries = [attempt for attempt in tries if not popeye_text.is_check(attempt)]
        first = [*record["keys"], *tries]
        wanted = self._max_solutions
        yield play.forced_ends() + play.first_moves(first[:wanted])
        if wanted is not None and wanted <= len(first):
            self._is_partial = self._is_cut = True
        elif not self._stopped:
            yield popeye_text.PHASE_END

    def _after_key(self, board: chess.Board, stipulation: Stipulation) -> Iterator[str]:
        """Yield the play of the position after a key."""
        question = queries.read_question(
            Problem(board.fen(en_passant="fen"), stipulation=stipulation)
        )
        play = self._build(partial(builder.build_after_key, question))
        yield self._writer(play, board, stipulation).after_key(stipulation.length - 1)
        if not self._stopped:
            yield popeye_text.PHASE_END

    def _writer(
        self, play: Record, board: chess.Board, stipulation: Stipulation
    ) -> popeye_text.BattleWriter:
        return popeye_text.BattleWriter(
            play,
            board.fen(),
            stipulation,
            with_play="Variations" in self._options or "PostKeyPlay" in self._options,
            short="NoShortVariations" not in self._options,
        )

    def _play(
        self, solution: Solution, *, with_play: bool = True, threats: bool = True
    ) -> Record:
        self._solver.workspace.resume()
        return self._build(
            partial(builder.build_variations, solution),
            with_play=with_play,
            threats=threats,
        )

    def _build(
        self,
        build: Callable[[workspaces.Workspace, PlayOptions], Variations],
        *,
        with_play: bool = True,
        threats: bool = True,
    ) -> Record:
        options = self._options
        wanted = PlayOptions(
            set_play="SetPlay" in options,
            tries=options.number("Defence", 1 if "Try" in options else 0),
            threats=threats and "NoThreat" not in options,
            depth=None if with_play else 1,
            most_moves=_ALL_MOVES,
            time_s=_LONG_S,
            popeye=True,
        )
        workspace, control = self._solver.workspace, self.control
        control.attach(workspace.search)
        with threads.WATCHDOG.limit(control, self._remaining):
            tree = build(workspace, wanted)
        self._stopped = self._stopped or control.reason
        return tree.to_dict()

    # Searching

    @property
    def _max_solutions(self) -> int | None:
        return self._options.number("MaxSolutions", 0) or None

    @property
    def _remaining(self) -> float | None:
        """Seconds until the time is over; None: no limit."""
        if self._deadline is None:
            return None
        return max(0.0, self._deadline - time.monotonic())

    def _solve(self, problem: Problem) -> Solution:
        most = abs(problem.claim.mate) if problem.claim else None
        limits = Limits(max_moves=most, time_s=self._remaining)
        all_keys = most is None or most > builder.SHORT_MOVES
        question = queries.read_question(problem, limits, keys=all_keys)
        solution = self._solver.answer(question, self.control)
        self._stopped = self._stopped or solution.stopped_by
        return solution


def _draw(found: PopeyeInput) -> str:
    diagram, options = found.diagram, found.options
    texts = [text for key in _TEXTS for name, text in found.texts if name == key]
    sides = [option for option in ("Duplex", "HalfDuplex") if option in options]
    board = chess.BaseBoard(None)
    board.set_piece_map(diagram.pieces)
    return popeye_text.draw(
        board.board_fen(), str(diagram.stipulation), texts, " ".join(sides)
    )
