"""`matesolve verify`: collections of problems against what they claim."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

import click

from solver.cli import options
from solver.cli.exits import Exit, foremost
from solver.cli.interrupt import interruptible
from solver.cli.kernel import prepare_kernel
from solver.cli.reading import read_all
from solver.cli.streams import is_terminal, tell
from solver.errors import FormatError
from solver.verdict import Verdict

if TYPE_CHECKING:
    from solver.problem import Limits
    from solver.tablebases import Tablebases
    from solver.verdict import Result

DEFAULT_TIME_S = 10.0
MAX_JOBS = 256

KEYS = "keys"
"""The word for claimed keys that are none, beside the verdicts."""

NONE = "none"

FAILURES = (*Verdict, KEYS)


def _parse_failures(
    _ctx: click.Context, _param: click.Parameter, value: str
) -> frozenset[str]:
    """Split a list of verdicts; a word that is none of them is a usage error."""
    words = frozenset(word.strip() for word in value.split(","))
    if words == {NONE}:
        return frozenset()
    if unknown := sorted(words.difference(FAILURES)):
        msg = f"{unknown[0]!r} is not one of {', '.join((*FAILURES, NONE))}."
        raise click.BadParameter(msg)
    return words


@click.command(
    epilog="""\b
Examples:
  matesolve verify puzzles/*.epd
  matesolve verify mates.epd --time 60 --jobs 2 --keys
  matesolve verify - --within --jsonl < mates.epd

\b
Verdicts:
  proved      the mate is there, and none is shorter
  holds       the mate is there; a shorter one is not excluded
  shorter     there is a shorter mate
  refuted     there is no mate in the moves claimed
  undecided   a limit came first
  unreadable  the line is no problem; it costs no other line
Where nothing is claimed, the answer's own status stands in its place.

\b
Exit codes, the first that fits:
  130  Ctrl-C; what was complete has been told
   74  a file could not be read; the others were
   65  a line was unreadable
    1  a disagreement: a verdict of --fail-on
    3  a limit left something undecided
    0  everything agrees
"""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options.limits(time_s=DEFAULT_TIME_S)
@options.tablebases
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, MAX_JOBS),
    default=1,
    show_default=True,
    metavar="J",
    help="Search J positions at once, each with a table of its own.",
)
@click.option(
    "--within",
    is_flag=True,
    help="Ask only for a mate in the moves claimed, not whether it is the shortest.",
)
@click.option(
    "--keys", is_flag=True, help="Look for all keys, and check those that `bm` claims."
)
@click.option(
    "--fail-on",
    callback=_parse_failures,
    default=",".join((Verdict.SHORTER, Verdict.REFUTED, KEYS)),
    show_default=True,
    metavar="VERDICTS",
    help="What exits with 1: verdicts and `keys` (a claimed key is none), or `none`.",
)
@click.option(
    "--certificates",
    "folder_path",
    metavar="DIR",
    help="Write a proof of each answer into DIR, for `matesolve check`.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print disagreements only.")
@options.jsonl
@click.pass_context
def verify(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
    limits: Limits,
    tablebases: Tablebases | None,
    jobs: int,
    within: bool,
    keys: bool,
    fail_on: frozenset[str],
    folder_path: str | None,
    quiet: bool,
    jsonl: bool,
) -> None:
    """Check collections of problems against what they claim.

    FILE is a list of EPD records or FENs, one a line; - is standard input. A mate is
    claimed by `dm 3;` or `bm #3;`, with a negative number where the side to move is
    mated; `nomate 3;` claims that there is none. It is searched as far as claimed, or
    up to -n. Where nothing is claimed, what is found is told.

    Comments begin with #, % or ;. Prints a table by claim and verdict, and a line for
    each disagreement; with --jsonl a record for each position, in their order.

    Certificates are named after the records' ids; large ones are compressed.
    """
    from solver.audit import AuditControl, audit
    from solver.cli.findings import Findings, Records, Summary
    from solver.cli.watch import watch

    prepare_kernel()
    control = AuditControl()
    codes = {Exit.PROVED}
    # On one terminal, records would run through the progress bar.
    hidden = quiet or (jsonl and is_terminal(sys.stdout))
    with watch(files, hidden=hidden) as watcher:
        folder = None
        if folder_path is not None:
            from solver.cli.certificates import CertificateFolder

            folder = CertificateFolder(folder_path, watcher.tell)
        findings: Findings = Records() if jsonl else Summary(watcher, quiet=quiet)
        results = audit(
            read_all(files, watcher.tell, codes),
            limits,
            within=within,
            all_keys=keys,
            jobs=jobs,
            tablebases=tablebases,
            on_answer=folder.add if folder else None,
            control=control,
        )
        with interruptible(control), closing(results):
            for result in results:
                findings.add(result)
                codes.add(exit_code(result, fail_on))
                watcher.advance()
    findings.close()
    if folder:
        codes.add(folder.code)
    if control.is_stopped():
        tell("interrupted")
        codes.add(Exit.INTERRUPTED)
    ctx.exit(foremost(codes))


def exit_code(result: Result, fail_on: frozenset[str]) -> Exit:
    """Give what one result alone makes the command exit with.

    Parameters
    ----------
    result : Result
        What the audit tells of one record.
    fail_on : frozenset of str
        The verdicts that are failures, and `keys` if wrong keys are one.

    Returns
    -------
    Exit
        NEGATIVE for a failure, BAD_INPUT for what is unreadable, LIMIT where a limit
        came before the whole answer, else PROVED.
    """
    if result.word in fail_on or (result.wrong_keys and KEYS in fail_on):
        return Exit.NEGATIVE
    if isinstance(result.answer, FormatError):
        return Exit.BAD_INPUT
    if result.word == Verdict.UNDECIDED or result.answer.stopped_by is not None:
        return Exit.LIMIT
    return Exit.PROVED
