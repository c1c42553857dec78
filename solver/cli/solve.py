"""`matesolve solve`: the shortest mate in one position, or in each line of stdin."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Protocol

import click

from solver.cli import completion, options
from solver.cli.console import Exit, interruptible, notify, prepare_kernel
from solver.cli.help import Command
from solver.cli.progress import progress
from solver.errors import FenError, FormatError
from solver.problem import Limits, Problem
from solver.solution import Solution, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.cli.solve_output import Answers
    from solver.endgames.tablebases import Tablebases
    from solver.problem import Restriction
    from solver.search.solver import Solver
    from solver.search.workspace import Workspace

STDIN = "-"
"""The argument that stands for standard input."""

EXITS = {
    Status.PROVED: Exit.PROVED,
    Status.FOUND: Exit.LIMIT,
    Status.DISPROVED: Exit.NEGATIVE,
    Status.UNDECIDED: Exit.LIMIT,
}


class AnswerFile(Protocol):
    """A file that an answer is written to, or several that belong together."""

    def write(self, solution: Solution, workspace: Workspace) -> Exit:
        """Write what the search has found, and give what that alone exits with."""


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  matesolve solve 8/7K/8/8/8/8/R7/7k w - - 0 1
  matesolve solve "8/8/8/8/8/5K2/R7/7k w - -" --board
  matesolve solve 8/7K/8/8/8/8/R7/7k -n 9 --time 10 --json
  matesolve solve 8/7K/8/8/8/8/R7/7k --certificate proof.json
  matesolve solve 8/7K/8/8/8/8/R7/7k --pgn mate.pgn --html mate.html
  matesolve solve - --first --jsonl < positions.txt

\b
Exit codes:
  0  a mate, proved to be the shortest
  1  no mate in the moves asked, proved
  3  a limit came first: no mate found, or a shorter one not excluded
Several positions: the highest code of any. An unreadable line counts
as 65, an interrupt (Ctrl-C, SIGTERM, SIGHUP) as 130.
""",
)
@click.argument("fen", nargs=-1, required=True, metavar="FEN...")
@options.limits(old_moves="--max-moves")
@options.restriction
@options.tablebases
@click.option("--first", is_flag=True, help="Look for one key, not for all of them.")
@click.option(
    "--uci-moves/--san",
    "uci",
    default=False,
    help="Write moves as e2e4 or as e4 (default).",
)
@click.option("--board", is_flag=True, help="Draw the position above the answer.")
@click.option("--ascii", "letters", is_flag=True, help="Draw it with letters only.")
@click.option(
    "--certificate",
    "certificate_path",
    metavar="FILE",
    shell_complete=completion.files,
    help="Write a proof that `matesolve check` proves again.",
)
@click.option(
    "--svg",
    "svg_path",
    metavar="FILE",
    shell_complete=completion.files,
    help="Draw a diagram with the keys.",
)
@click.option(
    "--pgn",
    "pgn_path",
    metavar="FILE",
    shell_complete=completion.files,
    help="Write the keys and all defences as a game with variations.",
)
@click.option(
    "--html",
    "html_path",
    metavar="FILE",
    shell_complete=completion.files,
    help="Write the answer, its diagram and variations as a page for browsers.",
)
@options.json_record
@options.jsonl
@click.pass_context
def solve(
    ctx: click.Context,
    fen: tuple[str, ...],
    *,
    limits: Limits,
    restriction: Restriction | None,
    tablebases: Tablebases | None,
    first: bool,
    uci: bool,
    board: bool,
    letters: bool,
    certificate_path: str | None,
    svg_path: str | None,
    pgn_path: str | None,
    html_path: str | None,
    as_json: bool,
    jsonl: bool,
) -> None:
    """Find the shortest forced mate in a position.

    FEN is one position, with or without quotes, of 1, 2, 4 or 6 fields; what is missing
    is White to move, no castling, no en passant.

    With - in its place, each line of standard input is a FEN or an EPD, and is answered
    as soon as it is read.

    The answer is the shortest mate against the longest defence, all first moves that
    reach it, and what is proved. A limit that comes first is never told as "no mate".

    --checks-only, --king-flights, --replies and --threat ask a narrower question, which
    reaches farther: a mate that is found is one, but "none" speaks of such moves alone.

    A certificate proves the mate, and that none is shorter where that is not too large
    to write down. FILE is compressed if it ends in .gz.

    --pgn and --html show every key and defence, and an answer to each that mates as
    fast as is proved; where these are too many, the farthest are left out.
    """
    if as_json and jsonl:
        msg = "--json and --jsonl exclude each other."
        raise click.UsageError(msg)
    if (as_json or jsonl) and (board or letters):
        msg = "--board and --ascii draw for people: not with --json or --jsonl."
        raise click.UsageError(msg)

    many = fen == (STDIN,)
    if many and certificate_path is not None:
        msg = (
            "--certificate is the file of one position: "
            "`verify --certificates` writes one for each."
        )
        raise click.UsageError(msg)
    drawn = any(path is not None for path in (svg_path, pgn_path, html_path))
    if many and drawn:
        msg = "--svg, --pgn and --html are files of one position."
        raise click.UsageError(msg)

    from solver.cli.console import prepare_outputs
    from solver.cli.solve_output import Records, Sentences
    from solver.formats.registry import read_collection

    prepare_outputs(certificate_path, svg_path, pgn_path, html_path)
    problems: Iterable[Problem | FormatError] = (
        read_collection(STDIN) if many else [_parse_problem(" ".join(fen))]
    )
    answers: Answers
    if as_json or jsonl:
        answers = Records(indent=2 if as_json else None)
    else:
        answers = Sentences(uci, board or letters, letters, spaced=many)
    files: list[AnswerFile] = []
    if certificate_path is not None:
        from solver.cli.solve_output import CertificateFile

        files.append(CertificateFile(certificate_path))
    if drawn:
        from solver.cli.solve_output import Drawings

        files.append(Drawings(svg=svg_path, pgn=pgn_path, html=html_path))
    ctx.exit(
        solve_each(
            problems,
            limits,
            answers,
            all_keys=not first,
            restriction=restriction,
            tablebases=tablebases,
            files=files,
        )
    )


def _parse_problem(text: str) -> Problem:
    from solver.cli.verify_io import is_collection
    from solver.formats.fen import parse_fen

    if is_collection(text):
        msg = f"expected a FEN, found a file: try matesolve verify {shlex.quote(text)}"
        raise FenError(msg)
    return Problem(parse_fen(text).fen())


def solve_each(
    problems: Iterable[Problem | FormatError],
    limits: Limits,
    answers: Answers,
    *,
    all_keys: bool,
    restriction: Restriction | None = None,
    tablebases: Tablebases | None = None,
    files: Sequence[AnswerFile] = (),
) -> Exit:
    """Answer problems in their order, until there are no more or Ctrl-C.

    Parameters
    ----------
    problems : iterable of Problem or FormatError
        An error stands for a line that could not be read.
    limits : Limits
        What each search may cost.
    answers : Answers
        Where to print.
    all_keys : bool
        Look for all keys, not for one.
    restriction : Restriction or None
        What the attacker keeps to.
    tablebases : Tablebases or None
        Endgame tables to ask as well.
    files : sequence of AnswerFile
        What to write of the one answer, once it is printed.

    Returns
    -------
    Exit
        The highest exit code of any answer.
    """
    from solver.search.solver import Solver

    prepare_kernel()
    solver = Solver(limits.hash_mib, tablebases, threads=limits.threads)
    highest = Exit.PROVED
    is_empty = True
    for problem in problems:
        is_empty = False
        if isinstance(problem, FormatError):
            answers.refuse(problem)
            code = Exit.BAD_INPUT
        else:
            solution = _solve(
                problem, limits, solver, all_keys=all_keys, restriction=restriction
            )
            answers.answer(solution)
            code = exit_code(solution)
            for file in files:
                if code is not Exit.INTERRUPTED:
                    code = max(code, file.write(solution, solver.workspace))
        highest = max(highest, code)
        if code is Exit.INTERRUPTED:
            break
    if is_empty:
        notify("warning: stdin: no records")
    return highest


def exit_code(solution: Solution) -> Exit:
    """Give what one answer alone makes the command exit with."""
    if solution.stopped_by is StoppedBy.INTERRUPT:
        return Exit.INTERRUPTED
    return EXITS[solution.status]


def _solve(
    problem: Problem,
    limits: Limits,
    solver: Solver,
    *,
    all_keys: bool,
    restriction: Restriction | None,
) -> Solution:
    from solver.search import solver as solving

    control = solving.Control()
    with interruptible(control), progress(control):
        return solving.solve(
            problem,
            limits,
            all_keys=all_keys,
            control=control,
            restriction=restriction,
            solver=solver,
        )
