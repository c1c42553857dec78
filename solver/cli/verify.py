"""`matesolve verify`: collections of problems against what they claim."""

from __future__ import annotations

import re
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import click

from solver.audit.verdict import DISAGREEMENTS, DUAL, KEYS, Soundness, Verdict
from solver.cli import completion, options
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from solver.audit.cluster import Cluster
    from solver.audit.job import AuditOptions
    from solver.audit.result import AuditResult
    from solver.audit.resume import ResumeStore, Shard
    from solver.audit.workers import WorkerPool
    from solver.endgames.tablebases import Tablebases
    from solver.formats.claims import Selection
    from solver.problem import Limits


# The option `--cluster`: whose workers an audit has.

LOCAL = "local"

_ADDRESS = re.compile(r"(tcp|tls)://([^\s/:]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")


def parse_address(
    _ctx: click.Context, _param: click.Parameter, address: str | None
) -> str | None:
    """Refuse what is no scheduler's address."""
    if address is None or address == LOCAL or _ADDRESS.fullmatch(address):
        return address
    msg = f"expected local or an address such as tcp://HOST:8786, found {address!r}"
    raise click.BadParameter(msg)


@contextmanager
def engaged(
    address: str | None,
    options: AuditOptions,
    jobs: int | None,
    tablebases: Tablebases | None,
) -> Iterator[WorkerPool]:
    """Give an audit its workers: this machine's, or a cluster's until the audit ends.

    Parameters
    ----------
    address : str or None
        The cluster's, or `local`; None: none is asked for.
    options : AuditOptions
        What they are to ask.
    jobs : int or None
        How many are to work here.
    tablebases : Tablebases or None
        The options's endgame tables.
    """
    if address is None:
        from solver.audit.workers import local_workers

        yield local_workers(options, jobs or 1, tablebases)
        return
    if jobs and address != LOCAL:
        msg = "--jobs is about this machine; a cluster has the workers that it has."
        raise click.UsageError(msg)
    open_cluster = _load_opener()
    with open_cluster(address, options, jobs) as cluster:
        yield cluster.pool


def _load_opener() -> Callable[
    [str, AuditOptions, int | None], AbstractContextManager[Cluster]
]:
    try:
        from solver.audit.cluster import open_cluster
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        msg = missing_package("--cluster", "distributed")
        raise click.UsageError(msg) from None
    return open_cluster


DEFAULT_TIME_S = 10.0
MAX_JOBS = 256

NONE = "none"

FAILURES = (*Verdict, *Soundness, KEYS, DUAL)


def _words_of(
    *known: str,
) -> Callable[[click.Context, click.Parameter, str], frozenset[str]]:
    """Make the reader of a list of words; one that is not known is a usage error."""

    def parse(
        _ctx: click.Context, _param: click.Parameter, value: str
    ) -> frozenset[str]:
        words = frozenset(word.strip() for word in value.split(","))
        if words == {NONE}:
            return frozenset()
        if unknown := sorted(words.difference(known)):
            msg = f"{unknown[0]!r} is not one of {', '.join((*known, NONE))}."
            raise click.BadParameter(msg)
        return words

    return parse


def _parse_shard(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> Shard | None:
    """Read `2/5`: the second of five parts."""
    if value is None:
        return None
    number, slash, count = value.partition("/")
    numbers = slash and number.isdecimal() and count.isdecimal()
    if numbers and 1 <= int(number) <= int(count):
        from solver.audit.resume import Shard

        return Shard(int(number), int(count))
    msg = f"expected a part such as 2/5, found {value!r}"
    raise click.BadParameter(msg)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  matesolve verify puzzles/*.epd
  matesolve verify mates.epd --time 60 --jobs 2 --keys
  matesolve verify - --within --jsonl < mates.epd
  matesolve verify lichess.csv.zst --theme mateIn2 --store run.db --jobs 2
  matesolve verify mates.jsonl --store run.db --cluster tcp://10.0.0.1:8786
  matesolve verify problems.olv --keys --fail-on cooked,refuted,shorter

\b
Verdicts:
  proved      the mate is there, and none is shorter
  holds       the mate is there; a shorter one is not excluded
  shorter     there is a shorter mate
  refuted     there is no mate in the moves claimed
  undecided   a limit came first
  unreadable  the record is no problem; it costs no other
Where nothing is claimed, the answer's own status stands in its place.

\b
Soundness, with --keys:
  sound              one key, or the claimed ones and no others
  cooked             keys beside the claimed one
  short-solution     there is a shorter mate
  no-solution        there is none in the moves claimed
  missing-solution   a claimed key does not solve
  not-shortest-line  the claimed line takes longer than the mate

\b
Further words of --fail-on:
  keys  a claimed key is none
  dual  with --every-ply: after the key, another move mates as fast as the claimed one

\b
Exit codes, the first that fits:
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); what was complete is printed
   74  a file could not be read, the others were; or the cluster failed
   65  a record was unreadable
    1  a disagreement, or what else --fail-on names
    3  a limit left something undecided
    0  everything agrees, or --fail-on leaves out what does not
""",
)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", shell_complete=completion.files
)
@options.reading_format("--format")
@options.selection
@options.limits(time_s=DEFAULT_TIME_S)
@options.tablebases
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, MAX_JOBS),
    metavar="J",
    help="Search J positions at once, each in a process with a table of its own. "
    "Default: 1; with --cluster local as many as there are cores.",
)
@click.option(
    "--cluster",
    "cluster_address",
    callback=parse_address,
    metavar="ADDRESS",
    help="Search on the machines of the dask cluster whose scheduler is at ADDRESS, "
    "such as tcp://HOST:8786; `local` starts one here.",
)
@click.option(
    "--ordered",
    is_flag=True,
    help="Tell findings in the order of the records, with several jobs too.",
)
@click.option(
    "--within",
    is_flag=True,
    help="Ask only for a mate in the moves claimed, not whether it is the shortest.",
)
@click.option(
    "--keys", is_flag=True, help="Look for all keys, and tell whether each is sound."
)
@click.option(
    "--every-ply",
    is_flag=True,
    help="Look at each of the solver's moves in the claimed line too: does it mate as "
    "fast as possible, and is it the only one? Implies --keys.",
)
@click.option(
    "--store",
    "store_path",
    type=click.Path(dir_okay=False),
    metavar="RUN.db",
    shell_complete=completion.files,
    help="Keep what is found there, and take up what an earlier run has found.",
)
@click.option(
    "--fresh", is_flag=True, help="Forget what is in the store, and begin anew."
)
@click.option(
    "--retry",
    callback=_words_of(*Verdict, "found"),
    default=NONE,
    metavar="VERDICTS",
    shell_complete=completion.words(*Verdict, "found", NONE),
    help="Search again what the store has as `undecided`, say, with wider limits.",
)
@click.option(
    "--shard",
    callback=_parse_shard,
    metavar="I/N",
    help="Audit only part I of N; `matesolve merge` puts their stores together.",
)
@click.option(
    "--fail-on",
    callback=_words_of(*FAILURES),
    default=",".join(DISAGREEMENTS),
    show_default="every disagreement",
    metavar="WORDS",
    shell_complete=completion.words(*FAILURES, NONE),
    help="What exits with 1: comma-separated verdicts, words of soundness, `keys` and "
    "`dual`; or `none`.",
)
@click.option(
    "--certificates",
    "folder_path",
    metavar="DIR",
    shell_complete=completion.folders,
    help="Write a proof of each answer into DIR, for `matesolve check`.",
)
@click.option(
    "-q", "--quiet", is_flag=True, help="Print disagreements only, and no progress."
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
    store_path: str | None,
    fresh: bool,
    retry: frozenset[str],
    shard: Shard | None,
    fail_on: frozenset[str],
    folder_path: str | None,
    quiet: bool,
    jsonl: bool,
) -> None:
    """Check collections of problems against what they claim.

    FILE is EPD or FENs, lichess's puzzles, PGN, Olive, Popeye, our CSV or JSONL, told
    by its content; it may be compressed; - is standard input. A mate is claimed by
    `dm 3;` or `bm #3;`, with a negative number where the side to move is mated;
    `nomate 3;` claims that there is none. It is searched as far as claimed, or up to
    -n. Where nothing is claimed, what is found is told.

    Prints a table by claim and verdict, and a paragraph for each disagreement; with
    --jsonl a record for each position, as soon as it is known.

    With --store, an audit that was ended, by Ctrl-C, a crash or a full disk, goes on
    where it was, and a position that comes again is solved once.

    Certificates are named after the records' ids; large ones are compressed.
    """
    if store_path is None and (fresh or retry):
        msg = "--fresh and --retry are about a --store."
        raise click.UsageError(msg)

    from solver.audit.job import AuditOptions
    from solver.audit.pipeline import audit
    from solver.audit.queue import AuditControl
    from solver.cli.console import require_apart, store_files
    from solver.cli.progress import AuditProgress
    from solver.cli.verify_io import Reading, Records, ResultSink, Summary

    stored = store_files(store_path) if store_path is not None else ()
    require_apart(stored, reads=files)

    options = AuditOptions(
        limits,
        within=within,
        all_keys=keys or every_ply,
        every_ply=every_ply,
        certify=folder_path is not None,
        directories=tuple(map(str, tablebases.directories)) if tablebases else (),
    )
    prepare_kernel()
    control = AuditControl()
    codes = {Exit.PROVED}
    reading = Reading(files, source_format=source_format, selection=selection)
    progress = AuditProgress(
        lambda: shard.share_of(reading.expected()) if shard else reading.expected(),
        # Records on the same terminal would mix with the progress line.
        hidden=quiet or (jsonl and is_terminal(sys.stdout)),
    )
    reading.notify = progress.notify
    with interruptible(control):  # until all is printed
        with (
            _opened(store_path, options, retry, fresh=fresh) as resume,
            engaged(cluster_address, options, jobs, tablebases) as pool,
            progress,
        ):
            folder = None
            if folder_path is not None:
                from solver.cli.answer_files import CertificateFolder

                folder = CertificateFolder(
                    folder_path, progress.notify, (*files, *stored)
                )
            told: ResultSink = Records() if jsonl else Summary(progress, quiet=quiet)
            ctx.call_on_close(told.close)
            results = audit(
                shard.of(reading) if shard else reading,
                options,
                pool,
                resume=resume,
                on_result=folder.add if folder else None,
                ordered=ordered,
                control=control,
            )
            with closing(results):
                for result in results:
                    told.add(result)
                    codes.add(exit_code(result, fail_on))
                    progress.add(result)
        told.finish()
    if reading.passed_over and not quiet:
        notify(f"{reading.passed_over:,} records passed over: not selected")
    if folder:
        codes.add(folder.code)
    if control.is_stopped():
        notify("interrupted")
        codes.add(Exit.INTERRUPTED)
    ctx.exit(foremost(codes | reading.codes))


@contextmanager
def _opened(
    path: str | None, options: AuditOptions, retry: frozenset[str], *, fresh: bool
) -> Iterator[ResumeStore | None]:
    """Open the store, if one is wanted; whatever ends the audit, it is closed."""
    if path is None:
        yield None
        return
    from solver.audit.resume import ResumeStore
    from solver.audit.store import Store

    with Store(path, fresh=fresh) as store:
        resume = ResumeStore(store, options, retry)
        yield resume
        if resume.not_retried:
            spared = f"{resume.not_retried:,} not searched again"
            notify(f"{path}: {spared}: their limits were as wide before")


def exit_code(result: AuditResult, fail_on: frozenset[str]) -> Exit:
    """Give what one finding alone makes the command exit with.

    Parameters
    ----------
    finding : Finding
        What the audit tells of one record.
    fail_on : frozenset of str
        The failures: verdicts, kinds of soundness and other disagreements.

    Returns
    -------
    Exit
        NEGATIVE for a failure, BAD_INPUT for what is unreadable, LIMIT where a limit
        came before the whole answer, else PROVED.
    """
    words = {result.word, result.soundness, *result.disagreements}
    if not fail_on.isdisjoint(words):
        return Exit.NEGATIVE
    if result.fen is None:
        return Exit.BAD_INPUT
    if result.is_undecided:
        return Exit.LIMIT
    return Exit.PROVED
