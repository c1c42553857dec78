"""`matesolve verify`: check the claims of collections of problems."""

from __future__ import annotations

import re
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import click

from solver.audit.verdict import DISAGREEMENTS, DUAL, KEYS
from solver.cli import audit_options, options
from solver.cli.audit_options import words_of
from solver.cli.console import (
    Exit,
    foremost,
    is_terminal,
    notify,
    prepare_kernel,
)
from solver.cli.help import Command
from solver.cli.signals import interruptible
from solver.errors import missing_package
from solver.stipulations.comparison import Soundness, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.audit.job import AuditOptions
    from solver.audit.result import AuditResult
    from solver.audit.resume import Shard
    from solver.audit.workers import WorkerPool
    from solver.cli.audit_options import StoreRequest
    from solver.endgames.tablebases import Tablebases
    from solver.formats.claims import Selection
    from solver.problem import Limits

DEFAULT_TIME_S = 10.0

LOCAL = "local"

FAILURES = (*Verdict, *Soundness, KEYS, DUAL)
"""The words of `--fail-on`."""

_ADDRESS = re.compile(r"(tcp|tls)://([^\s/:]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")


def _parse_shard(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> Shard | None:
    """Parse a part such as `2/5`, the second of five."""
    if value is None:
        return None
    number, slash, count = value.partition("/")
    numbers = slash and number.isdecimal() and count.isdecimal()
    if numbers and 1 <= int(number) <= int(count):
        from solver.audit.resume import Shard

        return Shard(int(number), int(count))
    msg = f"expected a part such as 2/5, found {value!r}"
    raise click.BadParameter(msg)


def parse_address(
    _ctx: click.Context, _param: click.Parameter, address: str | None
) -> str | None:
    """Refuse what is not the address of a scheduler."""
    if address is None or address == LOCAL or _ADDRESS.fullmatch(address):
        return address
    msg = f"expected local or an address such as tcp://HOST:8786, found {address!r}"
    raise click.BadParameter(msg)


@click.command(
    cls=Command,
    epilog="""\b
Verdicts:
  proved      the claimed mate exists and none is shorter
  holds       the claimed mate exists; a shorter one is not excluded
  shorter     there is a shorter mate
  refuted     there is no mate in the claimed number of moves
  undecided   a limit was hit first
  unreadable  the record could not be parsed; it is skipped
With another stipulation, such as s#3, its goal takes the place of mate.
A record without a claim shows the status of the answer instead: proved,
found, disproved or undecided.

\b
Soundness, with --keys:
  sound              one key, or exactly the claimed ones
  cooked             there are more keys than claimed
  short-solution     there is a shorter mate
  no-solution        there is no mate in the claimed number of moves
  missing-solution   a claimed key does not solve
  not-shortest-line  the claimed line takes longer than the mate
The solutions of a help problem are always counted: as many as claimed are
sound, more are cooked, fewer are missing-solution.

\b
More words for --fail-on:
  keys  a claimed key does not solve
  dual  with --every-ply: after the key, another move mates as fast as the
        claimed one

\b
Exit codes, the first that applies:
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); complete results are printed
   74  a file could not be read, or the cluster failed
   65  a record was unreadable
    1  a claim failed, as selected with --fail-on
    3  a limit left something undecided
    0  all claims hold, or --fail-on does not select the failures

\b
Examples:
  matesolve verify puzzles/*.epd
  matesolve verify mates.epd --time 60 --jobs 2 --keys
  matesolve verify - --within --jsonl < mates.epd
  matesolve verify lichess.csv.zst --theme mateIn2 --store run.db --jobs 2
  matesolve verify mates.jsonl --store run.db --cluster tcp://10.0.0.1:8786
  matesolve verify problems.olv --keys --fail-on cooked,refuted,shorter
""",
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=options.FILE,
)
@options.reading_format("--format")
@options.selection
@options.limits(time_s=DEFAULT_TIME_S)
@options.tablebases
@audit_options.jobs("Default: 1; with --cluster local, the number of cores.")
@click.option(
    "--cluster",
    "cluster_address",
    callback=parse_address,
    metavar="ADDRESS",
    help="Search on a dask cluster; ADDRESS is its scheduler's, such as "
    "tcp://HOST:8786, or `local` to start a cluster on this machine.",
)
@click.option(
    "--ordered", is_flag=True, help="Print results in input order, also with --jobs."
)
@audit_options.within
@click.option(
    "--keys",
    is_flag=True,
    help="Find all keys and report whether each problem is sound.",
)
@click.option(
    "--every-ply",
    is_flag=True,
    help="Check each of the attacker's moves in the claimed line of a mate: does it "
    "mate as fast as possible, and is it the only one? Implies --keys.",
)
@audit_options.follow("The records say of each move whether it holds.")
@audit_options.store
@click.option(
    "--shard",
    callback=_parse_shard,
    metavar="I/N",
    help="Check only part I of N parts; `matesolve merge` combines their stores.",
)
@click.option(
    "--fail-on",
    callback=words_of(*FAILURES),
    default=",".join(DISAGREEMENTS),
    show_default="every disagreement",
    metavar="WORDS",
    shell_complete=options.complete_words(*FAILURES, audit_options.NONE),
    help="Exit with 1 for these results: comma-separated verdicts, kinds of soundness, "
    "`keys` and `dual`; or `none`.",
)
@audit_options.certificates()
@click.option(
    "-q", "--quiet", is_flag=True, help="Print only disagreements, and no progress."
)
@options.jsonl
@click.pass_context
def verify(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
    source_format: str,
    selection: Selection,
    limits: Limits,
    tablebases: Tablebases | None,
    jobs: int | None,
    cluster_address: str | None,
    ordered: bool,
    within: bool,
    keys: bool,
    every_ply: bool,
    follow: bool,
    stored: StoreRequest,
    shard: Shard | None,
    fail_on: frozenset[str],
    folder_path: str | None,
    quiet: bool,
    jsonl: bool,
) -> None:
    """Check the claims of puzzle collections.

    FILE is EPD, FEN, lichess's puzzle CSV, PGN, Olive, Popeye, or matesolve's own CSV
    or JSONL; the format is detected from the content. It may be compressed; - is
    standard input. In EPD, `dm 3;` or `bm #3;` claims a mate in 3, `dm -3;` that the
    side to move is mated in 3, and `nomate 3;` that there is no mate in 3.

    A position is searched as far as its claim, or up to -n moves; another stipulation
    than mate always in its own number of moves. The result is a table of claims and
    verdicts; each disagreement is listed below the table. With --jsonl
    the result is one record for each position. A warning says where a mate needs more
    than 50 moves without pawn move or capture, or its line repeats a position: others
    call that a draw.

    With --store, an audit that was interrupted resumes where it stopped, and a position
    that occurs twice is searched once.

    Certificates are named after the records' ids; large ones are compressed.
    """
    from solver.audit.job import AuditOptions
    from solver.audit.pipeline import audit
    from solver.cli.answer_files import CertificateFolder
    from solver.cli.console import require_apart
    from solver.cli.progress import AuditProgress
    from solver.cli.verify_io import Reading, Records, ResultSink, Summary
    from solver.output.audit_text import result_warnings
    from solver.search.threads import GroupControl

    require_apart(stored.files, reads=files)

    asked = AuditOptions(
        limits,
        within=within,
        all_keys=keys or every_ply,
        every_ply=every_ply,
        follow=follow,
        certify=folder_path is not None,
        directories=tuple(map(str, tablebases.directories)) if tablebases else (),
    )
    prepare_kernel()
    control = GroupControl()
    codes = {Exit.PROVED}
    reading = Reading(files, source_format=source_format, selection=selection)
    progress = AuditProgress(
        lambda: shard.share_of(reading.expected()) if shard else reading.expected(),
        # Records on the same terminal would mix with the progress line.
        hidden=quiet or (jsonl and is_terminal(sys.stdout)),
    )
    reading.notify = progress.notify
    with interruptible(control):  # until everything is printed
        with (
            stored.open(asked) as resume,
            _open_workers(cluster_address, asked, jobs, tablebases) as pool,
            progress,
        ):
            folder = None
            if folder_path is not None:
                inputs = (*files, *stored.files)
                folder = CertificateFolder(folder_path, progress.notify, inputs)
            sink: ResultSink = Records() if jsonl else Summary(progress, quiet=quiet)
            ctx.call_on_close(sink.close)
            results = audit(
                shard.of(reading) if shard else reading,
                asked,
                pool,
                resume=resume,
                on_result=folder.add if folder else None,
                ordered=ordered,
                control=control,
            )
            with closing(results):
                for result in results:
                    sink.add(result)
                    if not quiet:
                        for warning in result_warnings(result):
                            progress.notify(f"{result.source}: warning: {warning}")
                    codes.add(exit_code(result, fail_on))
                    progress.add(result)
        sink.finish()
    if reading.not_selected and not quiet:
        notify(f"{reading.not_selected:,} records skipped: not selected")
    if folder:
        codes.add(folder.code)
        if folder.without:
            notify(f"{folder.without:,} without a certificate: not about a mate")
    if control.is_stopped():
        notify("interrupted")
        codes.add(Exit.INTERRUPTED)
    ctx.exit(foremost(codes | reading.codes))


@contextmanager
def _open_workers(
    address: str | None,
    asked: AuditOptions,
    jobs: int | None,
    tablebases: Tablebases | None,
) -> Iterator[WorkerPool]:
    """Provide the workers: this machine's, or those of the cluster of `--cluster`."""
    if address is None:
        from solver.audit.workers import local_workers

        yield local_workers(asked, jobs or 1, tablebases)
        return
    if jobs and address != LOCAL:
        msg = "--jobs is for this machine; the cluster has workers of its own."
        raise click.UsageError(msg)
    try:
        from solver.audit.cluster import open_cluster
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        msg = missing_package("--cluster", "distributed")
        raise click.UsageError(msg) from None
    with open_cluster(address, asked, jobs) as cluster:
        yield cluster.pool


def exit_code(result: AuditResult, fail_on: frozenset[str]) -> Exit:
    """Return the exit code that one result alone would cause.

    Parameters
    ----------
    result : AuditResult
        The result of one record.
    fail_on : frozenset of str
        The failures: verdicts, kinds of soundness and other disagreements.

    Returns
    -------
    Exit
        NEGATIVE for a failure, BAD_INPUT for an unreadable record, LIMIT if a limit was
        hit before the whole question was answered, else PROVED.
    """
    words = {result.word, result.soundness, *result.disagreements}
    if not fail_on.isdisjoint(words):
        return Exit.NEGATIVE
    if result.fen is None:
        return Exit.BAD_INPUT
    if result.is_undecided:
        return Exit.LIMIT
    return Exit.PROVED
