"""How `solve --json` and `--jsonl` print answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from solver.cli.whole_play import Play
    from solver.errors import FormatError
    from solver.solution import Solution


@dataclass(frozen=True, slots=True)
class Records:
    """Prints answers as JSON, each as one record together with its play.

    Attributes
    ----------
    indent : int or None
        Spaces a level; None: one record a line.
    with_play : bool
        Whether the play is asked for; a record then waits for it.
    """

    indent: int | None
    with_play: bool = False

    def print(self, solution: Solution) -> None:
        """Print the record of an answer, unless its play follows."""
        if not self.with_play:
            self._print(solution.to_dict())

    def print_play(self, solution: Solution, play: Play | None) -> None:
        """Print the record of an answer with its play, if that is asked for."""
        if not self.with_play:
            return
        from solver.output.play_record import dump, help_record, play_record
        from solver.output.problem_marks import ProblemMarks

        record, problem = solution.to_dict(), solution.problem
        if play is not None:
            record["play"] = (
                help_record(
                    solution,
                    play.set_solutions,
                    set_play_complete=play.set_play_complete,
                )
                if problem.stipulation.is_help
                else play_record(play.variations, ProblemMarks(problem.fen))
            )
        click.echo(dump(record, self.indent))

    def refuse(self, error: FormatError) -> None:
        """Print a record with the error in place of an answer."""
        from solver.output.audit_records import unreadable_record

        self._print(unreadable_record(error))

    def _print(self, record: dict[str, object]) -> None:
        separators = (",", ":") if self.indent is None else None
        click.echo(json.dumps(record, indent=self.indent, separators=separators))
