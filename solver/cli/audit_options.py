"""The options of the commands that audit: workers, the store, certificates."""

from __future__ import annotations

import functools
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from solver.cli import options
from solver.cli.console import notify, store_files
from solver.stipulations.comparison import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.audit.job import AuditOptions
    from solver.audit.resume import ResumeStore
    from solver.cli.options import Function

MAX_JOBS = 256
NONE = "none"


def words_of(
    *known: str,
) -> Callable[[click.Context, click.Parameter, str], frozenset[str]]:
    """Return a parser of comma-separated words; an unknown word is a usage error."""

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


def jobs(default: str) -> Callable[[Function], Function]:
    """Add `--jobs`; `default` is the sentence that states its default."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(1, MAX_JOBS),
        metavar="J",
        help=f"Search in J processes at once, each with its own table. {default}",
    )


def within(command: Function) -> Function:
    """Add `--within`, passed as `within: bool`."""
    return click.option(
        "--within",
        is_flag=True,
        help="Check only that there is a mate in the claimed number of moves, not that "
        "it is the shortest.",
    )(command)


def follow(help_text: str) -> Callable[[Function], Function]:
    """Add `--follow`, passed as `follow: bool`; `help_text` says what is reported."""
    return click.option(
        "--follow",
        is_flag=True,
        help="Prove each claimed mate along its line, from the end, with the limits "
        f"once more. {help_text}",
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
    """

    path: str | None
    fresh: bool
    retry: frozenset[str]

    @property
    def files(self) -> tuple[str, ...]:
        """The store and the files that lie beside one that is open."""
        return () if self.path is None else store_files(self.path)

    @contextmanager
    def open(self, audit_options: AuditOptions) -> Iterator[ResumeStore | None]:
        """Open the store, and close it however the audit ends."""
        if self.path is None:
            yield None
            return
        from solver.audit.resume import ResumeStore
        from solver.audit.store import Store

        with Store(self.path, fresh=self.fresh) as store:
            resume = ResumeStore(store, audit_options, self.retry)
            yield resume
            if resume.not_retried:
                count = f"{resume.not_retried:,} not searched again"
                notify(f"{self.path}: {count}: the limits are no wider than before")


def store(command: Function) -> Function:
    """Add `--store`, `--fresh` and `--retry`, passed as `stored: StoreRequest`."""

    @click.option(
        "--store",
        "store_path",
        type=click.Path(dir_okay=False),
        metavar="RUN.db",
        help="Save results here and resume from them.",
    )
    @click.option(
        "--fresh", is_flag=True, help="Delete the results in the store and start again."
    )
    @click.option(
        "--retry",
        callback=words_of(*Verdict, "found"),
        default=NONE,
        metavar="VERDICTS",
        shell_complete=options.complete_words(*Verdict, "found", NONE),
        help="Search stored results with these verdicts again, such as `undecided`, if "
        "the limits are wider now.",
    )
    @functools.wraps(command)
    def gather(
        *args: Any,
        store_path: str | None,
        fresh: bool,
        retry: frozenset[str],
        **others: Any,
    ) -> Any:
        if store_path is None and (fresh or retry):
            msg = "--fresh and --retry need a --store."
            raise click.UsageError(msg)
        asked = StoreRequest(store_path, fresh, retry)
        return command(*args, stored=asked, **others)

    return gather  # type: ignore[return-value]


def certificates(more: str = "") -> Callable[[Function], Function]:
    """Add `--certificates`, passed as `folder_path`; `more` ends its help."""
    return click.option(
        "--certificates",
        "folder_path",
        metavar="DIR",
        shell_complete=options.complete_folders,
        help="Write a proof of each answer about a mate into DIR, for `matesolve "
        f"check`.{more}",
    )
