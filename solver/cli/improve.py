"""`matesolve improve`: search a file's mates, and write a copy with the better ones."""

from __future__ import annotations

import codecs
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import click

from solver import errors, position_text, solution
from solver.cli import auditing, console, options, signals
from solver.formats import claims, epd, registry, streams
from solver.formats.claims import FileSummary, ReadOptions
from solver.output import audit_text
from solver.problem import Limits, Problem
from solver.search import threads
from solver.stipulations import Verdict, name_mate, name_no_mate, numbered_line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from solver.audit import job, store
    from solver.audit.results import AuditResult
    from solver.cli import answer_files


# --------------------------------------------------------------------------------------
# Decide what an audit improves in the rows of a file, and describe it.
#
# A row becomes better by a shorter mate, by the mate of the other side if its own is
# disproved, and by a line that leads to the mate. Everything that is written is proved,
# and python-chess has checked the line.


class Gain(StrEnum):
    """How a row became better."""

    SHORTER = "shorter mates"
    SIDE = "sides corrected"
    LINE = "lines completed"


class LineStatus(StrEnum):
    """The result of following a row's line."""

    PROOF = "a proof"
    """Each of the attacker's moves is proved to mate within the moves that the claim
    leaves, and the line ends in mate."""

    BEGINNING = "a forced beginning"
    """The same for a line that stops before the mate."""

    ENDING = "a forced ending"
    """The same, but only from a later move on; a limit was hit before it."""

    WRONG = "wrong"
    """A move is illegal, too late, or proved not to mate in time."""

    OPEN = "open"
    """A limit was hit before any move was proved."""


class Replacement(NamedTuple):
    """The mate and the line that replace those of a row.

    Attributes
    ----------
    kind : Gain
    mate : int
        In moves, negative when the side to move is mated.
    line : tuple of str
        The moves to the mate, in UCI notation.
    """

    kind: Gain
    mate: int
    line: tuple[str, ...]


def find_change(row: epd.Row, result: AuditResult) -> Replacement | None:
    """Return how a result improves a row; None if it does not.

    The keys of a row stay, so only a line that begins with one of them is a change.

    Parameters
    ----------
    row : Row
        The row as it was read.
    result : AuditResult
        The result of its claim; or, if that is disproved, of the same claim for the
        other side.
    """
    change = _find_change(row, result)
    return None if change is None or _contradicts_keys(row, change) else change


def find_obstacle(row: epd.Row, result: AuditResult) -> Replacement | None:
    """Return the change that is not made, because the row's keys contradict it."""
    change = _find_change(row, result)
    return change if change and _contradicts_keys(row, change) else None


def _contradicts_keys(row: epd.Row, change: Replacement) -> bool:
    """Return whether a row names keys of another mate, or without the line's key."""
    is_line = change.kind is Gain.LINE
    return bool(row.claim.keys) and not (is_line and change.line[0] in row.claim.keys)


def _find_change(row: epd.Row, result: AuditResult) -> Replacement | None:
    mate, line = result.mate, tuple(result.pv.split())
    if not mate or result.tablebase or epd.find_fault(row.problem.fen, mate, line):
        return None
    if (mate > 0) != (row.claim.mate > 0):
        return Replacement(Gain.SIDE, mate, line)
    if abs(mate) < abs(row.claim.mate):
        return Replacement(Gain.SHORTER, mate, line)
    if mate == row.claim.mate and (row.fault or False in _holds(result)):
        return Replacement(Gain.LINE, mate, line)
    return None


def _holds(result: AuditResult) -> list[bool | None]:
    return [ply.holds for ply in result.claimed_plies()]


def find_line_status(row: epd.Row, result: AuditResult) -> LineStatus | None:
    """Return the result of following a row's line; None if it has no line."""
    if row.fault == epd.MISSING:
        return None
    holds = _holds(result)
    if not holds or False in holds:
        return LineStatus.WRONG
    if all(holds):
        return LineStatus.BEGINNING if row.fault else LineStatus.PROOF
    return LineStatus.ENDING if any(holds) else LineStatus.OPEN


def describe_line(row: epd.Row, result: AuditResult) -> str:
    """Describe the result of following a row's line; empty without a line."""
    status = find_line_status(row, result)
    if status is None:
        return ""
    detail, holds = "", _holds(result)
    if not holds:
        detail = f" ({row.fault})"
    elif status is LineStatus.WRONG:
        number = holds.index(False)
        detail = f": move {number + 1}, {_attackers_move(row, number)}, "
        detail += f"does not mate in {abs(row.claim.mate) - number}"
    elif status is LineStatus.ENDING:
        number = holds.index(True)
        detail = f" from move {number + 1}, {_attackers_move(row, number)}"
    return f"{_place(row)}: {name_mate(row.claim.mate)}, its line is {status}{detail}"


def _attackers_move(row: epd.Row, number: int) -> str:
    """Return one of the attacker's moves of a row's line in SAN."""
    ply = 2 * number + (row.claim.mate < 0)
    return position_text.write_lines(row.problem.fen, [row.claim.line])[0][ply]


def is_disproved(result: AuditResult) -> bool:
    """Return whether a claim is disproved, or the mate is on the board already."""
    return result.verdict == Verdict.REFUTED or result.mate == 0


def mates_other_side(row: epd.Row) -> bool:
    """Return whether a row's line ends in mate of the side that it claims to mate."""
    import chess

    board = chess.Board(row.problem.fen)
    for move in row.claim.line:
        board.push_uci(move)
    is_attackers = len(row.claim.line) % 2 == int(row.claim.mate > 0)
    return board.is_checkmate() and not is_attackers


def own_side(row: epd.Row) -> Problem:
    """Return what a row claims, without a line that mates the other side."""
    line = () if mates_other_side(row) else row.claim.line
    return _claiming(row, row.claim.mate, line)


def turned(row: epd.Row) -> epd.Row:
    """Return a row that claims that the other side mates in as many moves.

    It has the line if that ends in this mate.
    """
    line = row.claim.line if mates_other_side(row) else ()
    fault = (
        epd.find_fault(row.problem.fen, -row.claim.mate, line) if line else epd.MISSING
    )
    return replace(row, problem=_claiming(row, -row.claim.mate, line), fault=fault)


def other_side(row: epd.Row) -> Problem:
    """Return what the turned row claims, of another source: a store keeps both."""
    problem = turned(row).problem
    file, _, line = problem.source.rpartition(":")
    return replace(problem, source=f"{file} (other side):{line}")


def _claiming(row: epd.Row, mate: int, line: tuple[str, ...]) -> Problem:
    claim = row.problem.claim
    assert claim
    return replace(row.problem, claim=replace(claim, mate=mate, line=line))


def describe_change(row: epd.Row, change: Replacement, result: AuditResult) -> str:
    """Describe a change in a line: where, old, new, how it is known."""
    line = _in_words(row, change.line)
    claimed = name_mate(row.claim.mate)
    if change.kind is Gain.LINE:
        if row.fault == epd.MISSING:
            return f"{_place(row)}: {claimed}, line added: {line}"
        fault = row.fault or "proved wrong"
        return f"{_place(row)}: {claimed}, line replaced ({fault}): {line}"
    found = f"{name_mate(change.mate)} ({_known(result)})"
    return f"{_place(row)}: {claimed} is now {found}: {line}"


def _known(result: AuditResult) -> str:
    is_shortest = result.status == solution.Status.PROVED
    return "proved shortest" if is_shortest else "a shorter one is not excluded"


def describe_kept(row: epd.Row, result: AuditResult) -> str:
    """Describe in one line what is wrong with an unchanged row; empty if nothing is."""
    claimed = f"{_place(row)}: {name_mate(row.claim.mate)}, kept"
    if result.mate == 0:
        return f"{claimed}, but disproved: checkmate on the board"
    if is_disproved(result):
        found = name_no_mate((result.lower_bound or 1) - 1, result.claim)
        if result.mate is not None:
            found += f", but {name_mate(result.mate)}"
            if line := _in_words(row, result.pv.split()):
                found += f": {line}"
        return f"{claimed}, but disproved: {found}"
    if obstacle := find_obstacle(row, result):
        keys = " ".join(position_text.first_moves(row.problem.fen, row.claim.keys))
        found = name_mate(obstacle.mate)
        if obstacle.kind is not Gain.LINE:
            found += f" ({_known(result)})"
        return f"{claimed} with its keys ({keys}), but {found}: " + _in_words(
            row, obstacle.line
        )
    if row.fault and row.fault != epd.MISSING:
        return (
            f"{claimed} with its broken line ({row.fault}), because no mate was found"
        )
    return ""


def _place(row: epd.Row) -> str:
    return audit_text.name_record(row.problem.source, row.problem.id)


def _in_words(row: epd.Row, line: Sequence[str]) -> str:
    return " ".join(numbered_line(row.problem.fen, line))


# --------------------------------------------------------------------------------------
# `matesolve improve`: search a file's mates, and write a copy with the better ones.

DEFAULT_TIME_S = 10.0

UNCLAIMED = "without a mate to search"
SCORED = "with one only in an engine's score or as mated in n"
"""Why a row is copied and not searched."""


@options.command("""
What makes a row better:
  a shorter mate            the distance and the line are replaced
  the other side mates      the same, if the claimed mate is disproved
  the line is missing, or does not lead to the mate
                            the line is added or replaced
All of this is proved. A disproved claim without a correction is reported and kept,
and so is a broken line if no mate is found. The keys of a row stay: it only gets a
line that begins with one of them, and a shorter mate is reported.

Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); FILE is not written
   74  reading or writing failed
   65  a row was unreadable; it is copied; or there are no rows
    1  a claim is disproved, or has keys although a shorter mate is found; the row is
       copied
    3  a limit left something undecided
    0  every claimed mate was found, and proved or made shorter

Examples:
  matesolve improve matetrack.epd -o better.epd --store run.db --jobs 2
  matesolve improve mates.epd -o better.epd --time 60 --certificates proofs
""")
@click.argument("source", metavar="IN", type=options.FILE)
@options.output(
    "It is replaced only after all rows are searched; - is standard output."
)
@options.limits(time_s=DEFAULT_TIME_S)
@options.many_positions
@auditing.within
@auditing.follow("Report whether each line is a proof, a forced beginning or wrong.")
@auditing.store
@auditing.certificates(" Only changes and disproved claims get one.")
@click.pass_context
def improve(
    ctx: click.Context,
    *,
    source: str,
    output: str,
    limits: Limits,
    cores: options.Cores,
    within: bool,
    follow: bool,
    stored: auditing.StoreRequest,
    proofs: auditing.CertificateRequest,
) -> None:
    """Search a file's claimed mates, and write an improved copy.

    IN is EPD with matetrack's `bm #n; PV: moves;`, or with `dm n; pv moves;`. It may be
    compressed; - is standard input. Each row is searched up to the length of its claim,
    or up to -n moves. FILE differs from IN only in the distances and lines that became
    better; every other byte is copied. Rows that claim no mate are copied.

    Each change is printed: the row, its claim, what is written instead and why. A
    warning is printed if a line needs more than 50 moves without a pawn move or
    capture, or repeats a position, because other programs may count that as a draw.

    With --follow, the search follows the line of a row: for each of the attacker's
    moves, from the last to the first, it proves that every reply is mated within the
    moves left. This proves long known mates in seconds.

    With --store, an interrupted run resumes where it stopped.
    """
    from solver.audit import job
    from solver.cli import answer_files

    console.require_apart(stored.files, reads=[source])
    console.prepare_outputs(output, reads=[source, *stored.files], stdout=True)
    file = RowFile(source)
    asked = job.AuditOptions(
        cores.limits(limits),
        within=within,
        certify=proofs.folder_path is not None,
        certificate_format=proofs.certificate_format,
        certify_known=False,
        follow=follow,
        checkpoints=stored.checkpoints,
    )
    console.prepare_kernel()
    control = threads.GroupControl()
    progress = console.AuditProgress(lambda: file.expected)
    with signals.interruptible(control), stored.open(asked) as resume, progress:
        folder = None
        if proofs.folder_path is not None:
            inputs = (source, *stored.files)
            folder = answer_files.CertificateFolder(
                proofs.folder_path, progress.notify, inputs
            )
        is_watched = console.is_terminal(sys.stdout) and console.is_terminal(sys.stderr)
        above = output == console.STDOUT or is_watched  # the progress line is on stderr
        report = progress.notify if above else click.echo
        run = Improvement(file, report, progress, folder)
        run.search(asked, cores.jobs, resume, control)
        for warning in file.warnings:
            report(warning)
    if control.is_stopped():
        resumes = "; run the same command to resume" if stored.path else ""
        console.notify(f"interrupted: {output} is not written{resumes}")
        ctx.exit(console.Exit.INTERRUPTED)
    with console.open_target(output) as target:
        file.write(target.write, run.changed)
    codes = auditing.report_summary(file.summary, ReadOptions())
    codes |= auditing.report_empty([file.summary])
    console.notify(run.totals())
    for line in folder.totals() if folder else ():
        console.notify(line)
    ctx.exit(console.foremost(run.codes | codes | ({folder.code} if folder else set())))


class RowFile:
    """A file that is read row by row, and written with some lines changed.

    Parameters
    ----------
    path : str
        The file, or - for standard input.

    Attributes
    ----------
    rows : dict
        The rows that were read and whose result has not come, by their `file:line`.
    expected : int
        How many rows are searched.
    copied : Counter of str
        Rows that are not searched so far, by the reason.
    warnings : list of str
        What could not be read of these rows.
    summary : FileSummary
        What is read from the file.

    Raises
    ------
    OSError
        The file cannot be read.
    InputError
        It is damaged, or in another format than EPD.
    """

    def __init__(self, path: str) -> None:
        from solver.formats import detection

        self._name = streams.name_of(path)
        self.summary = FileSummary(self._name)
        with streams.open_decompressed(path) as stream:
            content = stream.read()
        text = content.removeprefix(codecs.BOM_UTF8)
        self._mark = content[: len(content) - len(text)]
        self._lines = text.splitlines(keepends=True)
        records = [raw for raw in self._lines if streams.is_record(raw)]
        head = b"".join(self._lines)[: claims.SAMPLE_BYTES]
        found = detection.detect(head, is_whole=len(head) < claims.SAMPLE_BYTES)
        if records and found not in {"epd", "text"}:
            errors.refuse(f"{self._name}: expected EPD", registry.title_of(found))
        self.summary.title = registry.title_of("epd")
        self.expected = len(records)
        self.rows: dict[str, epd.Row] = {}
        self.copied: Counter[str] = Counter()
        self.warnings: list[str] = []

    def read(self) -> Iterator[Problem | errors.FormatError]:
        """Yield the problem of each row, or why it cannot be read."""
        for number, raw in enumerate(self._lines, start=1):
            if not streams.is_record(raw):
                continue
            source = f"{self._name}:{number}"
            row = epd.read_matetrack_row(raw, source, self.summary)
            if isinstance(row, errors.FormatError):
                yield row
            elif isinstance(row, Problem):
                self.expected -= 1
                is_mate = row.claim and row.stipulation.is_direct_mate
                self.copied[SCORED if is_mate else UNCLAIMED] += 1
                self.warnings += (f"{source}: warning: {it}" for it in row.warnings)
            else:
                self.rows[source] = row
                yield own_side(row)

    def write(self, put: Callable[[bytes], object], changed: dict[str, bytes]) -> None:
        """Write all lines, with changed lines in place of the old ones.

        Parameters
        ----------
        put : callable
            Writes bytes.
        changed : dict
            The changed lines by their `file:line`.
        """
        put(self._mark)
        for number, raw in enumerate(self._lines, start=1):
            put(changed.get(f"{self._name}:{number}", raw))


@dataclass
class Improvement:
    """Searches the rows of a file, and reports and keeps what becomes better.

    Attributes
    ----------
    file : RowFile
        The rows.
    report : callable
        Prints a line about a row.
    progress : AuditProgress
        Receives each result, and prints errors.
    folder : CertificateFolder or None
        Where to write the proof of each change and each disproved claim.
    changed : dict
        The changed lines by their `file:line`.
    codes : set of Exit
        What the rows lead to.
    counts, lines : Counter
        How many rows there are of each kind, and lines of each status.
    """

    file: RowFile
    report: Callable[[str], None]
    progress: console.AuditProgress
    folder: answer_files.CertificateFolder | None
    changed: dict[str, bytes] = field(default_factory=dict)
    codes: set[console.Exit] = field(default_factory=lambda: {console.Exit.PROVED})
    counts: Counter[str] = field(default_factory=Counter)
    lines: Counter[LineStatus] = field(default_factory=Counter)

    def search(
        self,
        asked: job.AuditOptions,
        jobs: int | None,
        resume: store.ResumeStore | None,
        control: threads.GroupControl,
    ) -> None:
        """Search all rows, then the other side's mate where the mate is disproved."""
        from solver.audit import workers

        def results(
            records: Iterable[Problem | errors.FormatError],
        ) -> Generator[AuditResult]:
            return workers.audit(
                self.folder.name(records) if self.folder else records,
                asked,
                workers.local_workers(asked, jobs),
                resume=resume,
                on_result=self._certify if self.folder else None,
                ordered=True,
                control=control,
            )

        disproved: list[tuple[epd.Row, AuditResult]] = []
        with closing(results(self.file.read())) as claims:
            for result in claims:
                self.progress.add(result)
                row = self.file.rows.pop(result.source, None)
                if row is None:
                    self.progress.notify(f"error: {result.source}: {result.error}")
                    self.codes.add(console.Exit.BAD_INPUT)
                    self.counts["unreadable"] += 1
                    continue
                is_other = not result.mate and mates_other_side(row)
                if asked.follow and not is_other:
                    self._report_line(row, result)
                if is_disproved(result) or is_other:
                    disproved.append((row, result))
                else:
                    self._decide(row, result)
        others = [other_side(row) for row, _ in disproved]
        for other, (row, _) in zip(others, disproved, strict=True):
            self.file.rows[other.source] = row
        self.file.expected += len(others)
        found: dict[str, AuditResult] = {}
        with closing(results(others)) as claims:
            for result in claims:
                self.progress.add(result)
                found[result.source] = result
        for other, (row, result) in zip(others, disproved, strict=True):
            answer = found.get(other.source, result)
            if asked.follow and mates_other_side(row):
                self._report_line(turned(row), answer)
            self._decide(row, answer if answer.mate else result)

    def totals(self) -> str:
        """Return one line with the number of rows of each kind."""
        kinds = [*Gain, "unchanged", "disproved", "undecided", "unreadable"]
        kinds += [kind for kind in self.counts if kind not in kinds]
        counts = [f"{self.counts[kind]:,} {kind}" for kind in kinds]
        copied = self.file.copied
        reasons = [UNCLAIMED, *([SCORED] if copied[SCORED] else [])]
        parts = [f"{copied[reason]:,} {reason}" for reason in reasons]
        totals = f"{', '.join(counts)}; {', '.join(parts)}"
        lines = [f"{name.name.lower()} {count:,}" for name, count in self.lines.items()]
        return f"{totals}\nlines: {', '.join(lines)}" if lines else totals

    def _certify(self, result: AuditResult) -> None:
        """Write a certificate if it proves a change or disproves a claim."""
        assert self.folder
        row = self.file.rows[result.source]
        disproves = is_disproved(result) and result.claim == row.claim.mate
        if disproves or find_change(row, result):
            self.folder.add(result)

    def _report_line(self, row: epd.Row, result: AuditResult) -> None:
        """Count and report what following a row's line has shown."""
        if status := find_line_status(row, result):
            self.lines[status] += 1
            self.report(describe_line(row, result))

    def _decide(self, row: epd.Row, result: AuditResult) -> None:
        """Keep the change that a result makes, count it, and report it."""
        change = find_change(row, result)
        if change:
            self.changed[row.problem.source] = row.rewrite(change.mate, change.line)
            self.counts[change.kind] += 1
            self.report(describe_change(row, change, result))
            written = change.mate, change.line
        else:
            written = row.claim.mate, () if row.fault else row.claim.line
            if kept := describe_kept(row, result):
                self.report(kept)
            obstacle = find_obstacle(row, result)
            if obstacle and obstacle.kind is not Gain.LINE:
                self.counts["kept with their keys"] += 1
                self.codes.add(console.Exit.NEGATIVE)
            elif is_disproved(result):
                self.counts["disproved"] += 1
                self.codes.add(console.Exit.NEGATIVE)
            elif result.is_undecided and result.mate is None:
                self.counts["undecided"] += 1
            else:
                self.counts["unchanged"] += 1
        if self.folder:
            self.folder.finish(result, wanted=bool(change) or is_disproved(result))
        if result.is_undecided:
            self.codes.add(console.Exit.LIMIT)
        faults = [text for text in row.problem.warnings if not text.startswith("pv:")]
        for warning in [*faults, *audit_text.find_warnings(row.problem.fen, *written)]:
            self.report(f"{row.problem.source}: warning: {warning}")
