"""What commands that audit or read collections share: options, the store, files."""

from __future__ import annotations

import json
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from solver import errors, problem
from solver.cli import console, options
from solver.files import make_folder
from solver.formats import claims, registry, streams
from solver.problem import MEGABYTE
from solver.stipulations import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from click.shell_completion import CompletionItem

    from solver.audit import job
    from solver.audit.store import ResumeStore, Store

NONE = "none"

MAX_NAMED = 20
"""At most this many damaged answers of a store are named."""


class WordSet(click.ParamType):  # type: ignore[type-arg]  # generic since 8.4
    """Comma-separated words, passed as a frozenset; `none` gives an empty one.

    Parameters
    ----------
    *known : str
        The words; any other is a usage error. A shell completes them.
    """

    name = "words"

    def __init__(self, *known: str) -> None:
        self._known = (*known, NONE)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> frozenset[str]:
        """Split the text."""
        words = frozenset(word.strip() for word in value.split(","))
        if words == {NONE}:
            return frozenset()
        if unknown := sorted(words.difference(self._known[:-1])):
            self.fail(
                f"{unknown[0]!r} is not one of {', '.join(self._known)}.", param, ctx
            )
        return words

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the last of the words."""
        from click.shell_completion import CompletionItem

        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [
            CompletionItem(f"{before}{comma}{word}")
            for word in self._known
            if word.startswith(last) and word not in given
        ]


def _parse_columns(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> dict[str, str]:
    """Parse columns such as `fen=Position,claim=N`."""
    columns = {}
    for part in value.split(",") if value else ():
        name, equals, column = (word.strip() for word in part.partition("="))
        if not (name and equals and column) or name in columns:
            msg = f"expected columns such as fen=Position,claim=N, found {value!r}"
            raise click.BadParameter(msg)
        columns[name] = column
    return columns


def _read_options(
    source_format: str,
    *,
    columns: dict[str, str],
    strict: bool,
    no_claims: bool,
    theme: str | None,
    min_rating: int | None,
    min_claim: int | None,
    max_claim: int | None,
    all_rows: bool,
) -> claims.ReadOptions:
    selection = claims.Selection(theme, min_claim, max_claim, min_rating, all_rows)
    return claims.ReadOptions(
        source_format, selection, columns, strict=strict, claims=not no_claims
    )


def reading(source_format: str) -> Callable[[options.Function], options.Function]:
    """Add the options that say how to read a collection.

    They are passed as `read_options: ReadOptions`; `source_format` names the option
    that sets the format.
    """
    return options.gathered(
        "read_options",
        _read_options,
        options.option(
            f"{source_format} source_format",
            f"Format of the input: {', '.join(registry.FORMATS)}, or auto to "
            "detect it (default).",
            type=click.Choice([claims.AUTO, *registry.FORMATS]),
            default=claims.AUTO,
            metavar="FORMAT",
        ),
        options.option(
            "--columns",
            "Which column or field has which part of a problem, such as "
            "fen=Position,claim=N,line=Solution. moves=after-first: the first move is "
            "played before the problem. Default: by the usual names.",
            callback=_parse_columns,
            metavar="PART=NAME,...",
        ),
        options.flag("--strict", "Refuse a record of which some field is unreadable."),
        options.flag("--no-claims", "Read positions only, and no claims about mates."),
        options.option(
            "--theme", "Read only lichess puzzles with this theme.", metavar="THEME"
        ),
        options.number(
            "--min-rating",
            problem.MAX_NODES,
            "R",
            "Read only lichess puzzles rated R or more.",
            least=0,
        ),
        options.number(
            "--min-claim",
            problem.MAX_MOVES,
            "N",
            "Read only problems that claim at least N moves.",
        ),
        options.number(
            "--max-claim",
            problem.MAX_MOVES,
            "N",
            "Read only problems that claim at most N moves.",
        ),
        options.flag("--all-rows", "Also read lichess puzzles that claim no mate."),
    )


within = options.flag(
    "--within",
    "Check that there is a mate in the claimed number of moves, but not that it is "
    "the shortest.",
)
"""Adds `--within`, passed as `within: bool`."""


def follow(help_text: str) -> Callable[[options.Function], options.Function]:
    """Add `--follow`, passed as `follow: bool`; `help_text` says what is reported."""
    return options.flag(
        "--follow",
        "Then prove each claimed mate along its line, starting at its end; the limits "
        f"apply again. {help_text}",
    )


class StoreRequest(NamedTuple):
    """The store that the user chose.

    Attributes
    ----------
    path : str or None
        None: no results are stored.
    fresh : bool
        Delete the results in the store.
    retry : frozenset of str
        See `ResumeStore`.
    checkpoints : CheckpointFolder or None
        See `AuditOptions`; the folder is made when it is needed.
    """

    path: str | None
    fresh: bool
    retry: frozenset[str]
    checkpoints: job.CheckpointFolder | None

    @property
    def files(self) -> tuple[str, ...]:
        """The store's file, and the files that exist beside it while it is open."""
        return () if self.path is None else console.store_files(self.path)

    @contextmanager
    def open(self, audit_options: job.AuditOptions) -> Iterator[ResumeStore | None]:
        """Open the store, and close it however the audit ends."""
        if self.path is None:
            yield None
            return
        from solver.audit.store import ResumeStore, Store

        kept = self.checkpoints
        with Store(self.path, fresh=self.fresh) as store:
            if kept:
                from solver.search.checkpoints import read_key

                read_key(kept.key)  # before the searches
                make_folder(Path(kept.path))
                if self.fresh:
                    kept.clear()
            resume = ResumeStore(store, audit_options, self.retry)
            yield resume
            if kept and (size := kept.size_bytes()):
                console.notify(
                    f"{kept.path}: {size / MEGABYTE:,.1f} of {kept.most_mb:,} MB; "
                    "with --retry and wider limits, these searches go on"
                )
            if resume.not_retried:
                count = f"{resume.not_retried:,} not searched again"
                console.notify(
                    f"{self.path}: {count}: the limits are not wider than before"
                )
            if damaged := resume.damaged:
                more = f" and {len(damaged) - MAX_NAMED:,} more"
                console.notify(
                    f"{self.path}: answers damaged in the store, so searched again: "
                    + ", ".join(damaged[:MAX_NAMED])
                    + (more if len(damaged) > MAX_NAMED else "")
                )


def _stored(
    store_path: str | None,
    *,
    fresh: bool,
    retry: frozenset[str],
    with_checkpoints: bool,
    checkpoints_mb: int,
    checkpoint_key: str | None,
) -> StoreRequest:
    if store_path is None and (fresh or retry or with_checkpoints):
        console.refuse_use("--fresh, --retry and --checkpoints need a --store.")
    if not with_checkpoints and checkpoint_key is not None:
        console.refuse_use("--checkpoint-key needs --checkpoints.")
    kept = None
    if with_checkpoints:
        from solver.audit.job import CheckpointFolder

        folder = f"{store_path}-checkpoints"
        kept = CheckpointFolder(folder, checkpoint_key, checkpoints_mb)
    return StoreRequest(store_path, fresh, retry, kept)


store = options.gathered(
    "stored",
    _stored,
    options.option(
        "--store store_path",
        "Save results here and resume from them.",
        type=click.Path(dir_okay=False),
        metavar="RUN.db",
    ),
    options.flag("--fresh", "Delete the results in the store and start again."),
    options.option(
        "--retry",
        "Search stored results with these verdicts again, such as `undecided`, if "
        "the limits are now wider.",
        type=WordSet(*Verdict, "found"),
        default=NONE,
        metavar="VERDICTS",
    ),
    options.flag(
        "--checkpoints with_checkpoints",
        "Keep what is proved when a limit stops a search, in a folder beside the store "
        "(RUN.db-checkpoints), so that --retry with wider limits goes on from there.",
    ),
    options.number(
        "--checkpoints-size checkpoints_mb",
        problem.MAX_HASH_MIB,
        "MB",
        "Let all checkpoints of a store take MB megabytes at most.",
        default=1000,
    ),
    options.checkpoint_key,
)
"""Adds `--store` and what belongs to it, passed as `stored: StoreRequest`."""


class CertificateRequest(NamedTuple):
    """What certificates are wanted.

    Attributes
    ----------
    folder_path : str or None
        The folder for them; None if none are wanted.
    certificate_format : str
    """

    folder_path: str | None
    certificate_format: str


def _certificates(
    folder_path: str | None, certificate_format: str
) -> CertificateRequest:
    options.require_certificate("--certificates", folder_path, certificate_format)
    return CertificateRequest(folder_path, certificate_format)


def certificates(more: str = "") -> Callable[[options.Function], options.Function]:
    """Add `--certificates` and its format, passed as `proofs: CertificateRequest`.

    `more` ends the help of the first.
    """
    return options.gathered(
        "proofs",
        _certificates,
        options.option(
            "--certificates folder_path",
            "Write a proof of each answer about a mate into DIR, for `matesolve "
            f"check`.{more}",
            metavar="DIR",
            shell_complete=options.complete_folders,
        ),
        options.certificate_format,
    )


@dataclass
class Inputs:
    """Reads one file after another; a file that cannot be read is skipped.

    Prints an error about such a file, and what was understood of each other file when
    it has been read; at the end, which files gave no record.

    Attributes
    ----------
    files : sequence of str
        Paths, or - for standard input; see `read_collection`.
    read_options : ReadOptions
        How to read the files.
    notify : callable
        Prints an error or a warning of one line.
    codes : set of Exit
        Contains IO if a file could not be read, BAD_INPUT if its claims were not, or if
        no file gave a record.
    is_quiet : bool
        Print errors and warnings only.
    store : Store or None
        Keeps how each file is read.
    finished : int
        How many files have been read.
    """

    files: Sequence[str]
    read_options: claims.ReadOptions = field(default_factory=claims.ReadOptions)
    notify: Callable[[str], None] = console.notify
    codes: set[console.Exit] = field(default_factory=set)
    is_quiet: bool = False
    store: Store | None = None

    def __post_init__(self) -> None:
        self._sizes = [_size(file) for file in self.files]
        self.summaries = [
            claims.FileSummary(streams.name_of(file)) for file in self.files
        ]
        self.finished = 0

    def __iter__(self) -> Iterator[problem.Problem | errors.FormatError]:
        """Yield the records of all files."""
        read = []
        for number, (file, summary) in enumerate(
            zip(self.files, self.summaries, strict=True)
        ):
            self.finished = number
            options = self.read_options.to_json()
            if self.store:
                self.store.put_reading(summary.name, options)
            try:
                for record in registry.read_collection(
                    file, self.read_options, summary
                ):
                    is_error = isinstance(record, errors.FormatError)
                    if is_error or not summary.is_listing:
                        yield record
            except OSError as error:
                self.notify(f"error: {file}: {error.strerror or error}")
                self.codes.add(console.Exit.IO)
                continue
            read.append(summary)
            if self.store:
                understood = json.dumps(summary.record())
                self.store.put_reading(summary.name, options, understood)
            self.codes |= report_summary(
                summary, self.read_options, self.notify, is_quiet=self.is_quiet
            )
        self.finished = len(self.files)
        self.codes |= report_empty(read, self.notify)

    def summarise(self) -> list[dict[str, Any]]:
        """Read all files to their end, and return what was understood of each.

        Raises
        ------
        UsageError
            One is standard input, which cannot be read twice.
        """
        if streams.STDIN in self.files:
            msg = "--summary json reads each file twice, which is impossible with -."
            raise click.UsageError(msg)
        summaries = [claims.FileSummary(streams.name_of(file)) for file in self.files]
        for file, summary in zip(self.files, summaries, strict=True):
            with suppress(OSError):  # reported when it is read again
                deque(registry.read_collection(file, self.read_options, summary), 0)
        return [summary.record() for summary in summaries]

    def expected(self) -> int | None:
        """Estimate the number of records; exact once all files are read.

        Returns
        -------
        int or None
            None if it cannot be estimated, as with standard input.
        """
        records = sum(summary.records for summary in self.summaries)
        finished = self.finished
        if finished == len(self.files):
            return records
        sizes = [size for size in self._sizes if size is not None]
        fraction = self.summaries[finished].fraction()
        if len(sizes) < len(self.files) or not fraction or not records:
            return None
        read = sum(sizes[:finished]) + fraction * sizes[finished]
        return round(records * sum(sizes) / read)


def report_summary(
    summary: claims.FileSummary,
    read_options: claims.ReadOptions,
    notify: Callable[[str], None] = console.notify,
    *,
    is_quiet: bool = False,
) -> set[console.Exit]:
    """Print what was understood of a file, and return the exit codes that follow.

    A file with what may be a claim and was not read is not a success. `report_empty`
    reports a file without records.
    """
    if summary.records and not is_quiet:
        notify(str(summary))
    faults = summary.faults() if read_options.claims else []
    for fault in faults:
        notify(f"error: {summary.name}: {fault}")
    return {console.Exit.BAD_INPUT} if faults else set()


def report_empty(
    summaries: Sequence[claims.FileSummary],
    notify: Callable[[str], None] = console.notify,
) -> set[console.Exit]:
    """Print which of the files that were read gave no record.

    If none gave one, this is an error, because nothing was checked: BAD_INPUT is
    returned.
    """
    empty = [summary for summary in summaries if not summary.records]
    skipped = ["; ".join(summary.skipped()) for summary in empty]
    names = [
        summary.name + (f" ({why})" if why else "")
        for summary, why in zip(empty, skipped, strict=True)
    ]
    if names and len(names) == len(summaries):
        notify(f"error: expected records, found none: {', '.join(names)}")
        return {console.Exit.BAD_INPUT}
    for name in names:
        notify(f"warning: {name}: no records")
    return set()


def _size(file: str) -> int | None:
    path = Path(file)
    return path.stat().st_size if path.is_file() else None
