"""Options that several commands share, each written once."""

from __future__ import annotations

import functools
import math
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import click

from solver.cli import completion
from solver.cli.console import notify
from solver.formats.claims import Selection
from solver.formats.registry import FORMATS
from solver.problem import (
    DEFAULT_HASH_MIB,
    MAX_HASH_MIB,
    MAX_MOVES,
    MAX_NODES,
    MAX_THREADS,
    RANGES,
    Limits,
    Restriction,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., Any]")


def seconds(text: str) -> float:
    """Read a positive number of seconds, within what the system's timers take."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= threading.TIMEOUT_MAX:
        msg = f"expected a positive number of seconds, found {text!r}"
        raise click.BadParameter(msg)
    return number


def whole(greatest: int) -> Callable[[str], int]:
    """Make the reader of a whole number from 1 to `greatest`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = 0
        if not 1 <= number <= greatest:
            msg = f"expected a whole number from 1 to {greatest}, found {text!r}"
            raise click.BadParameter(msg)
        return number

    return read


def renamed(*names: str, old: str, **settings: Any) -> Callable[[Function], Function]:
    """Give a command an option that also has an old name, for one more release.

    The help does not show the old name, and who uses it gets a notice.

    Parameters
    ----------
    names : str
        The option's names as for `click.option`, the parameter's name last.
    old : str
        The old name.
    **settings
        What `click.option` takes.
    """
    *_, name, parameter = names
    by_old_name = f"old_{parameter}"

    def decorate(command: Function) -> Function:
        @click.option(*names, **settings)
        @click.option(old, by_old_name, **{**settings, "hidden": True, "default": None})
        @functools.wraps(command)
        def take(*args: Any, **given: Any) -> Any:
            value = given.pop(by_old_name)
            if value is not None:
                notify(f"warning: {old} is now {name}; the next release drops {old}")
                given[parameter] = value
            return command(*args, **given)

        return take  # type: ignore[return-value]

    return decorate


def limits(
    *, time_s: float | None = None, old_moves: str | None = None
) -> Callable[[Function], Function]:
    """Give a command what a search may cost, as one `limits: Limits`.

    Parameters
    ----------
    time_s : float or None
        What `--time` is when the user does not say, in seconds; None: no limit.
    old_moves : str or None
        The old name of `--search-moves`, where there was another.
    """
    search_moves: dict[str, Any] = {
        "type": whole(MAX_MOVES),
        "metavar": "N",
        "help": f"Look for mates in at most N moves (1 to {MAX_MOVES}).",
    }
    names = ("-n", "--search-moves", "max_moves")
    time_default = "no limit" if time_s is None else f"{time_s:g}"

    def decorate(command: Function) -> Function:
        @(
            renamed(*names, old=old_moves, **search_moves)
            if old_moves
            else click.option(*names, **search_moves)
        )
        @click.option(
            "--time",
            "time_s",
            type=seconds,
            default=time_s,
            metavar="S",
            help=f"Stop each search after S seconds. Default: {time_default}.",
        )
        @click.option(
            "--nodes",
            type=whole(MAX_NODES),
            metavar="N",
            help="Stop each search after N nodes. Default: no limit.",
        )
        @click.option(
            "--hash",
            "hash_mib",
            type=whole(MAX_HASH_MIB),
            default=DEFAULT_HASH_MIB,
            show_default=True,
            metavar="MIB",
            help="Memory for the transposition table, in MiB.",
        )
        @click.option(
            "--threads",
            type=whole(MAX_THREADS),
            default=1,
            show_default=True,
            metavar="T",
            help="Use T cores on one position; they share the table.",
        )
        @functools.wraps(command)
        def gather(
            *args: Any,
            max_moves: int | None,
            time_s: float | None,
            nodes: int | None,
            hash_mib: int,
            threads: int,
            **others: Any,
        ) -> Any:
            asked = Limits(max_moves, time_s, nodes, hash_mib, threads)
            return command(*args, limits=asked, **others)

        return gather  # type: ignore[return-value]

    return decorate


def json_record(command: Function) -> Function:
    """Give a command `--json` as `as_json: bool`."""
    return click.option("--json", "as_json", is_flag=True, help="Print indented JSON.")(
        command
    )


def output(help_text: str, *, required: bool = True) -> Callable[[Function], Function]:
    """Give a command `--output`, of whose FILE `help_text` says more."""
    return click.option(
        "-o",
        "--output",
        required=required,
        metavar="FILE",
        shell_complete=completion.files,
        help=f"Write to FILE. {help_text}",
    )


def jsonl(command: Function) -> Function:
    """Give a command `--jsonl` as `jsonl: bool`."""
    return click.option(
        "--jsonl", is_flag=True, help="Print one JSON record a line, as soon as known."
    )(command)


def restriction(command: Function) -> Function:
    """Give a command the attacker's restrictions as `restriction`."""

    @click.option(
        "--checks-only", is_flag=True, help="Let the attacker only give check."
    )
    @click.option(
        "--king-flights",
        type=click.IntRange(*RANGES["king_flights"]),
        metavar="K",
        help="... only leave the defender's king at most K squares to go to.",
    )
    @click.option(
        "--replies",
        type=click.IntRange(*RANGES["replies"]),
        metavar="X",
        help="... only leave the defender at most X replies.",
    )
    @click.option(
        "--threat",
        type=click.IntRange(*RANGES["threat"]),
        metavar="R",
        help="... only check or threaten mate in R.",
    )
    @functools.wraps(command)
    def restrict(
        *args: Any,
        checks_only: bool,
        king_flights: int | None,
        replies: int | None,
        threat: int | None,
        **others: Any,
    ) -> Any:
        asked = Restriction(checks_only, king_flights, replies, threat)
        return command(*args, restriction=None if asked.is_open else asked, **others)

    return restrict  # type: ignore[return-value]


def tablebases(command: Function) -> Function:
    """Give a command `--tablebases` as `tablebases: Tablebases | None`.

    They are closed when the command ends. A directory that cannot be read, or that
    holds no tables, ends it before it begins.
    """

    @click.option(
        "--tablebases",
        "directories",
        multiple=True,
        metavar="DIR",
        shell_complete=completion.folders,
        help="Ask Gaviota's and Syzygy's endgame tables in DIR; may be repeated.",
    )
    @functools.wraps(command)
    def consult(*args: Any, directories: tuple[str, ...], **others: Any) -> Any:
        if not directories:
            return command(*args, tablebases=None, **others)
        from solver.endgames.tablebases import Tablebases

        with Tablebases(directories) as tables:
            return command(*args, tablebases=tables, **others)

    return consult  # type: ignore[return-value]


def selection(command: Function) -> Function:
    """Give a command `selection: Selection`, the records of collections to take."""

    @click.option(
        "--theme",
        metavar="THEME",
        help="Take only rows of lichess's that have this theme.",
    )
    @click.option(
        "--min-rating",
        type=click.IntRange(0),
        metavar="R",
        help="Take only rows of lichess's that are rated R or more.",
    )
    @renamed(
        "--min-claim",
        "min_claim",
        old="--min-moves",
        type=whole(MAX_MOVES),
        metavar="N",
        help="Take only claims of N moves or more.",
    )
    @renamed(
        "--max-claim",
        "max_claim",
        old="--max-moves",
        type=whole(MAX_MOVES),
        metavar="N",
        help="Take only claims of N moves or fewer.",
    )
    @click.option(
        "--all-rows",
        is_flag=True,
        help="Take rows of lichess's that claim no mate, too.",
    )
    @functools.wraps(command)
    def select(
        *args: Any,
        theme: str | None,
        min_rating: int | None,
        min_claim: int | None,
        max_claim: int | None,
        all_rows: bool,
        **others: Any,
    ) -> Any:
        asked = Selection(theme, min_claim, max_claim, min_rating, all_rows)
        return command(*args, selection=asked, **others)

    return select  # type: ignore[return-value]


def reading_format(*names: str) -> Callable[[Function], Function]:
    """Give a command the format of what it reads, as `source_format: str`."""
    return click.option(
        *names,
        "source_format",
        type=click.Choice(["auto", *FORMATS]),
        default="auto",
        show_default=True,
        help="The format of what is read; auto: as its content tells.",
    )


source_format = reading_format("--format")
