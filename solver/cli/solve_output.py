"""Where answers go: sentences for people, records for programs, both on stdout."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import click

from solver.cli.streams import is_terminal, tell
from solver.output.records import unreadable_record
from solver.output.text import describe
from solver.reports.diagram import lettered_board, painted_board

if TYPE_CHECKING:
    from solver.errors import FormatError
    from solver.solution import Solution


class Answers(Protocol):
    """Prints each answer when it is known, and does not keep it back."""

    def answer(self, solution: Solution) -> None:
        """Print an answer."""

    def refuse(self, error: FormatError) -> None:
        """Print why a line got no answer."""


@dataclass(frozen=True, slots=True)
class Records:
    """Answers as JSON.

    Attributes
    ----------
    indent : int or None
        Spaces a level; None: one record a line.
    """

    indent: int | None

    def answer(self, solution: Solution) -> None:
        """Print the record of an answer."""
        self._print(solution.to_dict())

    def refuse(self, error: FormatError) -> None:
        """Print a record with the reason, in the place of the answer."""
        self._print(unreadable_record(error))

    def _print(self, record: dict[str, object]) -> None:
        separators = (",", ":") if self.indent is None else None
        click.echo(json.dumps(record, indent=self.indent, separators=separators))


@dataclass(frozen=True, slots=True)
class Sentences:
    """Answers in words.

    Attributes
    ----------
    uci : bool
        Write moves in UCI notation rather than in SAN.
    board : bool
        Draw the position first.
    letters : bool
        Draw it in ASCII, whatever the terminal can show.
    spaced : bool
        Leave a blank line after each answer.
    """

    uci: bool
    board: bool
    letters: bool
    spaced: bool

    def answer(self, solution: Solution) -> None:
        """Print an answer: in colour and wrapped on a terminal, plain elsewhere."""
        if is_terminal(sys.stdout):
            self._show(solution)
        else:
            self._write(solution)

    def refuse(self, error: FormatError) -> None:
        """Tell on stderr which line got no answer, and why."""
        tell(f"error: {error}")

    def _show(self, solution: Solution) -> None:
        from solver.cli.console import paints, stdout_console

        console = stdout_console()
        fen = solution.problem.fen
        if self.board:
            painted = paints(console) and not self.letters
            drawing = painted_board(fen) if painted else "\n".join(lettered_board(fen))
            console.print(drawing, end="\n\n", soft_wrap=True)
        for sentence in describe(solution, uci=self.uci):
            for line in sentence.lines(console.width):
                console.print(line, style=sentence.style, soft_wrap=True)
        if self.spaced:
            console.print()

    def _write(self, solution: Solution) -> None:
        lines: list[str] = []
        if self.board:
            lines += [*lettered_board(solution.problem.fen), ""]
        for sentence in describe(solution, uci=self.uci):
            lines += sentence.lines()
        if self.spaced:
            lines.append("")
        click.echo("\n".join(lines))
