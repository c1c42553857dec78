"""`matesolve verify`: check the claims of collections, beside what editors decided."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import defaultdict
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from solver import errors
from solver.audit import results
from solver.cli import auditing, console, options, signals
from solver.formats import streams
from solver.output import audit_text
from solver.record import MARKS
from solver.search import threads
from solver.stipulations import Soundness, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType

    from solver import problem
    from solver.audit import job, workers
    from solver.audit.store import Store
    from solver.endgames.tablebases import Tablebases
    from solver.formats import claims


# --------------------------------------------------------------------------------------
# `verify --marks`: an editor's decisions, from a file or a store.

_NUMBERS = ("schema", "claim", "nomate")
_NUMBER = re.compile("-?[0-9]{1,18}")


class Marks:
    """The marks of a file, which replace those of a store.

    A mark belongs to the records that have all values which it gives.

    Parameters
    ----------
    path : str or None
        A file of JSON lines or CSV, - for standard input; None: no file.

    Raises
    ------
    OSError
        The file cannot be read.
    InputError
        It is damaged; the message begins with `file:line`.
    """

    def __init__(self, path: str | None) -> None:
        self._store: Store | None = None
        self._marks: defaultdict[
            tuple[str, ...], dict[object, tuple[int, results.Mark]]
        ]
        self._marks = defaultdict(dict)
        for number, (given, mark) in enumerate(_read(path) if path else (), 1):
            self._marks[(*given,)][results.comparable(given.items())] = number, mark
        self._unused = {n for marks in self._marks.values() for n, _ in marks.values()}

    def keep_in(self, store: Store, notify: Callable[[str], None]) -> None:
        """Save the marks that `put_on` uses, and use the store's for other records."""
        self._store = store

        def report(damaged: errors.FormatError) -> None:
            notify(f"error: {store.path}: {damaged}")

        for subject, mark in store.marks(report).items():
            key = results.comparable(zip(results.SUBJECT, subject, strict=True))
            self._marks[results.SUBJECT].setdefault(key, (0, mark))

    def put_on(self, result: results.AuditResult) -> results.AuditResult:
        """Return a result with its mark, if it has one: the last of the file."""
        found: list[tuple[int, results.Mark]] = []
        for columns, marks in self._marks.items():
            key = results.comparable((name, getattr(result, name)) for name in columns)
            if key in marks:
                found.append(marks[key])
        if not found:
            return result
        self._unused.difference_update(number for number, _ in found)
        _, (mark, note) = max(found)
        if self._store:
            self._store.put_mark(result.subject, mark, note)
        return result._replace(mark=mark or None, note=note or None)

    def __bool__(self) -> bool:
        return bool(self._marks)

    @property
    def unused(self) -> int:
        """How many marks of the file no result has matched so far."""
        return len(self._unused)


def _read(path: str) -> Iterator[tuple[dict[str, object], results.Mark]]:
    """Yield the marks of a file: JSON lines, or CSV if the first line is no object."""
    from solver.formats import json_records, rows
    from solver.output import audit_records

    header: list[str] | None = None
    is_first = True
    with streams.open_decompressed(path) as stream:
        for number, line in streams.NumberedLines(stream, streams.MAX_LINE_BYTES):
            if not line.strip():
                continue
            try:
                if is_first and not line.lstrip().startswith(b"{"):
                    header = _columns(rows.split_row(line))
                elif header is None:
                    yield audit_records.read_mark(
                        json_records.object_of(streams.decode_line(line))
                    )
                else:
                    yield audit_records.read_mark(_record(header, rows.split_row(line)))
            except errors.InputError as error:
                msg = f"{streams.name_of(path)}:{number}: {error}"
                raise errors.InputError(msg) from None
            is_first = False


def _columns(cells: Sequence[str]) -> list[str]:
    """Return the names of the columns of CSV."""
    columns = [cell.strip() for cell in cells]
    if "mark" not in columns or {"fen", "id", "source"}.isdisjoint(columns):
        found = errors.quote(",".join(columns))
        expected = "JSON lines, or CSV with columns mark and fen, id or source"
        msg = f"expected {expected}, found {found}"
        raise errors.InputError(msg)
    return columns


def _record(header: Sequence[str], cells: Sequence[str]) -> dict[str, object]:
    """Return a row of CSV as the object of a JSON line."""
    if len(cells) != len(header):
        msg = f"expected {len(header)} columns, found {len(cells):,}"
        raise errors.InputError(msg)
    record: dict[str, object] = {}
    for name, text in zip(header, map(str.strip, cells), strict=True):
        is_number = name in _NUMBERS and _NUMBER.fullmatch(text)
        record[name] = int(text) if is_number else text or None
    return record


# --------------------------------------------------------------------------------------
# `matesolve verify`: check the claims of collections of problems.

DEFAULT_TIME_S = 10.0

LOCAL = "local"

UNMARKED = "unmarked"
"""The word of `--fail-on` that leaves out records with any mark."""

FAILURES = (
    *Verdict,
    *Soundness,
    results.KEYS,
    results.DUAL,
    results.LINE,
    UNMARKED,
)
"""The words of `--fail-on`."""

SORTED = 10_000
"""Up to this many disagreements are sorted; more are printed as they come."""

_MEMORY_BYTES = 1 << 20
"""Disagreements beyond this size are kept in a temporary file."""

_ADDRESS = re.compile(r"(tcp|tls)://([^\s/:]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")


@dataclass(frozen=True)
class Output:
    """How the results are printed; see the help of the options."""

    quiet: bool
    jsonl: bool
    summary: str | None
    annotate: str | None

    def __post_init__(self) -> None:
        if self.summary and self.jsonl != (self.summary == "json"):
            expected = "cannot be combined with" if self.jsonl else "needs"
            msg = f"--summary {self.summary} {expected} --jsonl."
            raise click.UsageError(msg)


printed = options.gathered(
    "output",
    Output,
    options.flag("-q --quiet", "Print no progress, and only the disagreements."),
    options.jsonl,
    click.option(
        "--summary",
        type=click.Choice(["json", "markdown"]),
        help="Print what is read from each file: as `json`, with --jsonl, in the first "
        "record; as `markdown`, with the table and the first disagreements.",
    ),
    click.option(
        "--annotate",
        type=click.Choice(["github"]),
        help="Print failing records as annotations for GitHub, on stderr.",
    ),
)


def parse_address(
    _ctx: click.Context, _param: click.Parameter, address: str | None
) -> str | None:
    """Refuse anything but the address of a scheduler."""
    if address is None or address == LOCAL or _ADDRESS.fullmatch(address):
        return address
    msg = f"expected local or an address such as tcp://HOST:8786, found {address!r}"
    raise click.BadParameter(msg)


@options.command("""
Verdicts:
  proved      the claimed mate exists and none is shorter
  holds       the claimed mate exists; a shorter one is not excluded
  shorter     there is a shorter mate
  refuted     there is no mate in the claimed number of moves
  unforced    the same, where only a line that ends in mate claims it
  undecided   a limit was hit first
  unreadable  the record could not be parsed; it is skipped
For another stipulation, such as s#3, read its goal instead of "mate".
A record without a claim shows the status of the answer instead: proved,
found, disproved or undecided.

Soundness, with --keys:
  sound              one key, or exactly the claimed ones
  partly-read        the same, but a part of the solution was not read
  cooked             there are more keys than claimed
  short-solution     there is a shorter mate
  no-solution        there is no mate in the claimed number of moves
  missing-solution   a claimed key does not solve
  not-shortest-line  the claimed line takes longer than the mate
The solutions of a help problem are always counted: as many as claimed are
sound, more are cooked, fewer are missing-solution.

More words for --fail-on:
  keys  a claimed key does not solve
  dual  with --every-ply: after the key, another move mates as fast as the
        claimed one
  line  the claimed line has more moves than the claimed mate
  unmarked  of the other words, or else of all disagreements: only records
        without a mark
A record that an editor accepts changes no exit code.

Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); complete results are printed
   74  a file could not be read, or the cluster failed
   65  a record was unreadable, or no file has a record
    1  a claim failed, as selected with --fail-on
    3  a limit left something undecided
    0  all claims hold, or --fail-on does not select the failures

Examples:
  matesolve verify puzzles/*.epd
  matesolve verify mates.epd --time 60 --jobs 2 --keys
  matesolve verify - --within --jsonl < mates.epd
  matesolve verify lichess.csv.zst --theme mateIn2 --store run.db --jobs 2
  matesolve verify mates.jsonl --store run.db --cluster tcp://10.0.0.1:8786
  matesolve verify problems.olv --keys --fail-on cooked,refuted,shorter
  matesolve verify mates.epd --marks marks.csv --fail-on unmarked
""")
@options.files
@auditing.reading("--format")
@options.limits(time_s=DEFAULT_TIME_S)
@options.tablebases
@options.many_positions
@click.option(
    "--cluster",
    "cluster_address",
    callback=parse_address,
    metavar="ADDRESS",
    help="Search on a dask cluster; ADDRESS is that of its scheduler, such as "
    "tcp://HOST:8786, or `local` to start a cluster on this machine.",
)
@options.flag("--ordered", "Print results in input order, even with --jobs.")
@auditing.within
@options.flag("--keys", "Find all keys, and report whether each problem is sound.")
@options.flag(
    "--every-ply",
    "Check each of the attacker's moves in the claimed line of a mate: does it "
    "mate as fast as possible, and is it the only one? Implies --keys.",
)
@auditing.follow("The records say whether each move holds.")
@auditing.store
@click.option(
    "--marks",
    "marks_path",
    metavar="MARKS",
    type=options.FILE,
    help="Show and store an editor's decisions: accept, cook or reject.",
)
@click.option(
    "--fail-on",
    type=auditing.WordSet(*FAILURES),
    default=",".join(results.DISAGREEMENTS),
    show_default="every disagreement",
    metavar="WORDS",
    help="Exit with 1 for these results: comma-separated verdicts, kinds of soundness, "
    "`keys`, `dual`, `line` and `unmarked`; or `none`.",
)
@auditing.certificates()
@printed
@click.pass_context
def verify(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
    read_options: claims.ReadOptions,
    limits: problem.Limits,
    tablebases: Tablebases | None,
    cores: options.Cores,
    cluster_address: str | None,
    ordered: bool,
    within: bool,
    keys: bool,
    every_ply: bool,
    follow: bool,
    stored: auditing.StoreRequest,
    marks_path: str | None,
    fail_on: frozenset[str],
    proofs: auditing.CertificateRequest,
    output: Output,
) -> None:
    """Check the claims of puzzle collections.

    FILE is EPD, FEN, lichess's puzzle CSV, PGN, Olive, Popeye, a log of matetrack's
    matecheck.py, or matesolve's own CSV or JSONL; the format is detected from the
    content. It may be compressed; - is standard input. In EPD, `dm 3;` or `bm #3;`
    claims a mate in 3, `dm -3;` that the side to move is mated in 3, and `nomate 3;`
    that there is no mate in 3. With --format scores, each mate score in a comment of
    a PGN is a claim.

    A mate is searched up to the length of its claim, or up to -n moves; other
    stipulations set their own number of moves. If a claimed mate is refuted, a longer
    one is looked for with 1,000,000 nodes, unless -n or --certificates is given.

    The result is a table of claims and verdicts; each disagreement is listed below the
    table. With --jsonl the result is one record for each position. A warning is printed
    if a mate needs more than 50 moves without a pawn move or capture, or if its line
    repeats a position, because other programs may count that as a draw.

    With --store, an interrupted audit resumes where it stopped, and a position that
    occurs twice is searched once. If a stored answer is damaged, a notice is printed
    and the position is searched again.

    MARKS is JSON lines or CSV with the columns id, source, fen, stipulation, claim,
    nomate, mark and note, as the page of `matesolve board FILE` exports them. A mark
    belongs to the records that have all its values; columns may be missing. Marks are
    printed beside the verdicts and stay in the store for the next audit. A record with
    the mark accept is no failure.

    Certificates are named after the ids of the records; large ones are compressed. One
    is written for each answer that is searched. Records whose answers come from the
    store, or that repeat the question of an earlier record, get none and are counted.
    """
    from solver.audit import job, workers

    reads = files if marks_path is None else (*files, marks_path)
    console.require_apart(stored.files, reads=reads)
    marks = Marks(marks_path)

    asked = job.AuditOptions(
        cores.limits(limits, on_cluster=cluster_address is not None),
        within=within,
        all_keys=keys or every_ply,
        every_ply=every_ply,
        follow=follow,
        certify=proofs.folder_path is not None,
        certificate_format=proofs.certificate_format,
        # A certificate proves the answer alone, and -n is the longest mate wanted.
        farther=proofs.folder_path is None and limits.max_moves is None,
        directories=tuple(map(str, tablebases.directories)) if tablebases else (),
        checkpoints=stored.checkpoints,
    )
    console.prepare_kernel()
    control = threads.GroupControl()
    outcome = AuditOutcome(fail_on)
    codes = outcome.codes
    reading = auditing.Inputs(files, read_options, is_quiet=output.quiet)
    if output.summary == "json":
        console.echo_json({"summary": reading.summarise()})
    progress = console.AuditProgress(
        reading.expected,
        # Records on the same terminal would mix with the progress line.
        hidden=output.quiet or (output.jsonl and console.is_terminal(sys.stdout)),
    )
    reading.notify = progress.notify
    with signals.interruptible(control):  # until everything is printed
        with (
            stored.open(asked) as resume,
            _open_workers(cluster_address, asked, cores.jobs, tablebases) as pool,
            progress,
        ):
            if resume:
                marks.keep_in(resume.store, progress.notify)
                reading.store = resume.store
            folder = None
            if proofs.folder_path is not None:
                inputs = (*reads, *stored.files)
                from solver.cli import answer_files

                folder = answer_files.CertificateFolder(
                    proofs.folder_path, progress.notify, inputs
                )
            printer = ResultPrinter(progress, output)
            ctx.call_on_close(printer.close)
            audited = workers.audit(
                folder.name(reading) if folder else reading,
                asked,
                pool,
                resume=resume,
                on_result=folder.add if folder else None,
                ordered=ordered,
                control=control,
            )
            with closing(audited):
                for result in map(marks.put_on, audited) if marks else audited:
                    words = result.disagreements
                    printer.add(result, outcome.add(result, words), words)
                    if folder:
                        folder.finish(result)
                    progress.add(result)
        printer.finish(reading)
    totals = [*outcome.totals()]
    if marks.unused and not control.is_stopped():
        totals.append(
            f"{streams.name_of(marks_path or '')}: marks that match no "
            f"record: {marks.unused:,}"
        )
    if folder:
        codes.add(folder.code)
        totals += folder.totals()
    for line in totals:
        console.notify(line)
    if control.is_stopped():
        console.notify("interrupted")
        codes.add(console.Exit.INTERRUPTED)
    ctx.exit(console.foremost(codes | reading.codes))


@contextmanager
def _open_workers(
    address: str | None,
    asked: job.AuditOptions,
    jobs: int | None,
    tablebases: Tablebases | None,
) -> Iterator[workers.WorkerPool]:
    """Provide the workers: this machine's, or those of the cluster of `--cluster`."""
    if address is None:
        from solver.audit import workers

        yield workers.local_workers(asked, jobs, tablebases)
        return
    if asked.checkpoints:
        console.refuse_use("--checkpoints cannot be combined with --cluster.")
    if jobs and address != LOCAL:
        msg = "--jobs cannot be combined with a cluster, which has its own workers."
        raise click.UsageError(msg)
    try:
        from solver.audit.cluster import open_cluster
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        msg = errors.missing_package("--cluster", "distributed")
        raise click.UsageError(msg) from None
    with open_cluster(address, asked, jobs) as cluster:
        yield cluster.pool


_PROVED = console.Exit.PROVED  # slower to look up for each result


class AuditOutcome:
    """The exit codes that the results of an audit cause.

    Parameters
    ----------
    fail_on : frozenset of str
        The failures, words of `FAILURES`.

    Attributes
    ----------
    codes : set of Exit
        NEGATIVE for a failure, BAD_INPUT for an unreadable record, LIMIT if a limit was
        hit before a whole question was answered, and PROVED. A record causes none of
        the first three if it is accepted, or has any mark and `fail_on` has `UNMARKED`.
    """

    def __init__(self, fail_on: frozenset[str]) -> None:
        self._failures = {*results.DISAGREEMENTS} if fail_on == {UNMARKED} else fail_on
        self._marks = MARKS if UNMARKED in fail_on else (results.ACCEPT,)
        self._left_out = 0
        self.codes = {_PROVED}

    def add(
        self, result: results.AuditResult, disagreements: Sequence[str]
    ) -> console.Exit:
        """Add the exit code that this result alone would cause, and return it."""
        code = self._code(result, disagreements)
        if code is not _PROVED and result.mark in self._marks:
            self._left_out += 1
            code = _PROVED
        self.codes.add(code)
        return code

    def totals(self) -> Iterator[str]:
        """Yield a line that counts the failures which marks leave out, if any."""
        if self._left_out:
            yield f"failures left out because of their marks: {self._left_out:,}"

    def _code(
        self, result: results.AuditResult, disagreements: Sequence[str]
    ) -> console.Exit:
        words = result.word, result.soundness, *disagreements
        if not self._failures.isdisjoint(words):
            return console.Exit.NEGATIVE
        if result.fen is None:
            return console.Exit.BAD_INPUT
        return console.Exit.LIMIT if result.is_undecided else _PROVED


class ResultPrinter:
    """Prints a table of claims and verdicts, then a paragraph for each disagreement.

    Parameters
    ----------
    progress : AuditProgress
        Prints warnings, annotations and unreadable records as they come.
    output : Output
        Whether to print less, Markdown, or each result at once as a line of JSON.
    """

    def __init__(self, progress: console.AuditProgress, output: Output) -> None:
        self._progress = progress
        self._output = output
        self._table = None if output.quiet or output.jsonl else audit_text.AuditTable()
        self._describe = audit_text.item if output.summary else audit_text.disagreement
        self._disagreements = Paragraphs()

    def add(
        self,
        result: results.AuditResult,
        code: console.Exit,
        disagreements: Sequence[str],
    ) -> None:
        """Print a result, or count it and keep its disagreement as a paragraph.

        An annotation is printed if its exit code `code` is not PROVED.
        """
        if not self._output.quiet:
            for warning in audit_text.result_warnings(result):
                self._progress.notify(f"{result.source}: warning: {warning}")
        if self._output.annotate and code is not console.Exit.PROVED:
            self._progress.notify(
                audit_text.annotate(result, warns=code is console.Exit.LIMIT)
            )
        if self._output.jsonl:
            from solver.output import audit_records

            console.echo_json(audit_records.audit_record(result))
            return
        if result.fen is None:
            self._progress.notify(f"error: {result.source}: {result.error}")
        if self._table:
            self._table.add(result)
        has_item = disagreements or result.fen is None
        if has_item and (paragraph := self._describe(result)):
            self._disagreements.add(result.source, paragraph)

    def finish(self, reading: auditing.Inputs) -> None:
        """Print the table and the disagreements; only a terminal wraps long lines.

        Without results there is no table: an empty one would look like success.
        `reading` is what was read.
        """
        if self._output.jsonl:
            return
        if self._output.summary:
            items = self._disagreements
            text = audit_text.summarise(
                reading.summaries, self._table, items, items.count
            )
            click.echo(text, nl=False)
            return
        screen = console.stdout_console() if console.is_terminal(sys.stdout) else None

        def show(part: RenderableType, *, soft_wrap: bool = False) -> None:
            if screen is None:
                click.echo(part)
            else:
                screen.print(part, soft_wrap=soft_wrap)

        if self._table and not self._table.is_empty:
            for part in (self._table.draw(screen), *self._table.totals()):
                show(part)
        for paragraph in self._disagreements:
            show(paragraph, soft_wrap=True)

    def close(self) -> None:
        """Delete the disagreements."""
        self._disagreements.close()


class Paragraphs:
    """Any number of paragraphs; beyond `_MEMORY_BYTES` they go to a temporary file.

    Attributes
    ----------
    count : int
        How many they are.
    """

    def __init__(self) -> None:
        self._stored = tempfile.SpooledTemporaryFile(  # noqa: SIM115 -- `close` closes it
            _MEMORY_BYTES, "w+", encoding="utf-8"
        )
        self._files: dict[str, int] = {}
        self.count = 0

    def add(self, source: str, text: str) -> None:
        """Add the paragraph of the record at `source`, which is `file:line`."""
        file, line = results.split_source(source)
        place = self._files.setdefault(file, len(self._files)), line
        try:
            self._stored.write(json.dumps((place, text)) + "\n")
        except OSError as error:  # the temporary file has no name to print
            folder = tempfile.gettempdir()
            raise OSError(error.errno, error.strerror, folder) from None
        self.count += 1

    def __iter__(self) -> Iterator[str]:
        """Yield the paragraphs, up to `SORTED` of them in input order."""
        self._stored.seek(0)
        texts = map(json.loads, self._stored)
        for _, text in sorted(texts) if self.count <= SORTED else texts:
            yield text

    def close(self) -> None:
        """Delete the paragraphs."""
        self._stored.close()
