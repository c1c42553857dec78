"""The options that several commands share, each defined once.

Each function here is a decorator, or returns one, that gives a command its options and
passes what the user chose as a single argument.
"""

from __future__ import annotations

import functools
import inspect
import math
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from solver.cli.console import STDIN
from solver.cli.whole_play import MAX_REFUTATIONS, PlayRequest, read_request
from solver.errors import InputError
from solver.output import Notation
from solver.problem import (
    DEFAULT_HASH_MIB,
    MAX_HASH_MIB,
    MAX_NODES,
    MAX_THREADS,
    RANGES,
    Limits,
    Restriction,
)
from solver.stipulation import EXPECTED, MAX_MOVES, Stipulation

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from solver.formats.claims import Selection

FILE = click.Path(readable=False)
"""The type of a file's name, which shells complete; opening checks the rest."""

Function = TypeVar("Function", bound="Callable[..., Any]")

_PLAY = (
    "stipulation",
    "variations",
    "set_play",
    "tries",
    "no_threats",
    "all_defences",
    "depth",
    "notation",
    "max_solutions",
)
"""The parameters of `play`."""


def seconds(text: str) -> float:
    """Parse a positive number of seconds that the system's timers accept."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= threading.TIMEOUT_MAX:
        msg = f"expected a positive number of seconds, found {text!r}"
        raise click.BadParameter(msg)
    return number


def whole(greatest: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from 1 to `greatest`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = 0
        if not 1 <= number <= greatest:
            msg = f"expected a whole number from 1 to {greatest:,}, found {text!r}"
            raise click.BadParameter(msg)
        return number

    return read


def complete_folders(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a folder name."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def gathered(
    parameter: str, gather: Callable[..., object], *added: Callable[[Any], Any]
) -> Callable[[Function], Function]:
    """Add options to a command, and pass what they come to as one argument.

    Parameters
    ----------
    parameter : str
        The command's parameter.
    gather : callable
        Makes the argument; its parameters are those of the options.
    *added : callable
        The options, each as `click.option` returns it.
    """
    names = inspect.signature(gather).parameters

    def decorate(command: Function) -> Function:
        @functools.wraps(command)
        def call(*args: Any, **given: Any) -> Any:
            chosen = {name: given.pop(name) for name in names}
            return command(*args, **given, **{parameter: gather(**chosen)})

        wrapped: Any = call
        for add in reversed(added):
            wrapped = add(wrapped)
        return cast("Function", wrapped)

    return decorate


def _limits(
    max_moves: int | None,
    time_s: float | None,
    nodes: int | None,
    hash_mib: int,
    threads: int,
) -> Limits:
    return Limits(max_moves, time_s, nodes, hash_mib, threads)


def limits(time_s: float | None = None) -> Callable[[Function], Function]:
    """Add the options of what a search may cost, passed as `limits: Limits`.

    Parameters
    ----------
    time_s : float or None
        The default of `--time` in seconds; None: no limit.
    """
    time_default = "no limit" if time_s is None else f"{time_s:g}"
    return gathered(
        "limits",
        _limits,
        click.option(
            "-n",
            "--search-moves",
            "max_moves",
            type=whole(MAX_MOVES),
            metavar="N",
            help=f"Look for mates in at most N moves (1 to {MAX_MOVES}).",
        ),
        click.option(
            "--time",
            "time_s",
            type=seconds,
            default=time_s,
            metavar="S",
            help=f"Stop each search after S seconds. Default: {time_default}.",
        ),
        click.option(
            "--nodes",
            type=whole(MAX_NODES),
            metavar="N",
            help="Stop each search after N nodes. Default: no limit.",
        ),
        click.option(
            "--hash",
            "hash_mib",
            type=whole(MAX_HASH_MIB),
            default=DEFAULT_HASH_MIB,
            show_default=True,
            metavar="MIB",
            help="Size of the transposition table in MiB.",
        ),
        click.option(
            "--threads",
            type=whole(MAX_THREADS),
            default=1,
            show_default=True,
            metavar="T",
            help="Search each position with T threads that share one table.",
        ),
    )


json_record = click.option(
    "--json", "as_json", is_flag=True, help="Print indented JSON."
)
"""Adds `--json`, passed as `as_json: bool`."""


def output(help_text: str, *, required: bool = True) -> Callable[[Function], Function]:
    """Add `--output FILE`; `help_text` says more about FILE."""
    return click.option(
        "-o",
        "--output",
        required=required,
        metavar="FILE",
        type=FILE,
        help=f"Write to FILE. {help_text}",
    )


jsonl = click.option(
    "--jsonl",
    is_flag=True,
    help="Print one line of JSON for each result, as soon as it is known.",
)
"""Adds `--jsonl`, passed as `jsonl: bool`."""


def _restriction(
    checks_only: bool,
    king_flights: int | None,
    replies: int | None,
    threat: int | None,
) -> Restriction | None:
    asked = Restriction(checks_only, king_flights, replies, threat)
    return None if asked.is_open else asked


restriction = gathered(
    "restriction",
    _restriction,
    click.option(
        "--checks-only", is_flag=True, help="The attacker may only give check."
    ),
    click.option(
        "--king-flights",
        type=click.IntRange(*RANGES["king_flights"]),
        metavar="K",
        help="The attacker may leave the king at most K flight squares.",
    ),
    click.option(
        "--replies",
        type=click.IntRange(*RANGES["replies"]),
        metavar="X",
        help="The attacker may leave the defender at most X replies.",
    ),
    click.option(
        "--threat",
        type=click.IntRange(*RANGES["threat"]),
        metavar="R",
        help="The attacker may only give check or threaten mate in R.",
    ),
)
"""Adds the restrictions on the attacker, passed as `restriction`."""


def tablebases(command: Function) -> Function:
    """Add `--tablebases`, passed as `tablebases: Tablebases | None`.

    The tablebases are closed when the command ends. A directory that cannot be read, or
    that holds no tablebases, is an error before the command starts.
    """

    @click.option(
        "--tablebases",
        "directories",
        multiple=True,
        metavar="DIR",
        shell_complete=complete_folders,
        help="Probe the Gaviota and Syzygy tablebases in DIR. May be repeated.",
    )
    @functools.wraps(command)
    def open_tablebases(*args: Any, directories: tuple[str, ...], **others: Any) -> Any:
        if not directories:
            return command(*args, tablebases=None, **others)
        from solver.endgames.tablebases import Tablebases

        with Tablebases(directories) as opened:
            return command(*args, tablebases=opened, **others)

    return open_tablebases  # type: ignore[return-value]


def _stipulation(text: str) -> Stipulation:
    try:
        return Stipulation.parse(text)
    except InputError as error:
        raise click.BadParameter(str(error).removeprefix("stipulation: ")) from None


def play(command: Function) -> Function:
    """Add the options about compositions, passed as `play: PlayRequest`."""

    @click.option(
        "--stipulation",
        type=_stipulation,
        metavar="S",
        help=f"Solve this stipulation: {EXPECTED}.",
    )
    @click.option(
        "--max-solutions",
        type=whole(MAX_NODES),
        metavar="N",
        help="Stop help play after N solutions. Default: find all.",
    )
    @click.option(
        "--variations", is_flag=True, help="Print the whole play, as composers do."
    )
    @click.option(
        "--set-play",
        is_flag=True,
        help="Add what follows if the other side begins. Implies --variations.",
    )
    @click.option(
        "--tries",
        type=whole(MAX_REFUTATIONS),
        is_flag=False,
        flag_value=1,
        metavar="[K]",
        help=(
            "Add first moves that at most K replies refute, 1 without K. Implies "
            "--variations."
        ),
    )
    @click.option(
        "--no-threats", is_flag=True, help="Leave out threats, and show all defences."
    )
    @click.option(
        "--all-defences",
        is_flag=True,
        help="Show defences that change nothing about the threat, too.",
    )
    @click.option(
        "--depth",
        type=whole(MAX_MOVES),
        metavar="D",
        help="Show the play of the first D moves only.",
    )
    @click.option(
        "--notation",
        type=click.Choice([str(notation) for notation in Notation]),
        metavar="NAME",
        help=(
            "Print moves in san (default), in uci, or the play as popeye prints it, "
            "which implies --variations."
        ),
    )
    @functools.wraps(command)
    def ask(*args: Any, uci: bool | None, **others: Any) -> Any:
        given = {name: others.pop(name) for name in _PLAY}
        request = PlayRequest(notation=Notation.UCI if uci else Notation.SAN)
        if any(given.values()):
            request = read_request(given, others, uci=uci)
            others["limits"] = request.limited(others["limits"])
        return command(*args, play=request, **others)

    return ask  # type: ignore[return-value]


def _selection(
    theme: str | None,
    min_rating: int | None,
    min_claim: int | None,
    max_claim: int | None,
    all_rows: bool,
) -> Selection:
    from solver.formats.claims import Selection

    return Selection(theme, min_claim, max_claim, min_rating, all_rows)


selection = gathered(
    "selection",
    _selection,
    click.option(
        "--theme",
        metavar="THEME",
        help="Read only lichess puzzles with this theme.",
    ),
    click.option(
        "--min-rating",
        type=click.IntRange(0),
        metavar="R",
        help="Read only lichess puzzles rated R or more.",
    ),
    click.option(
        "--min-claim",
        type=whole(MAX_MOVES),
        metavar="N",
        help="Read only problems that claim at least N moves.",
    ),
    click.option(
        "--max-claim",
        type=whole(MAX_MOVES),
        metavar="N",
        help="Read only problems that claim at most N moves.",
    ),
    click.option(
        "--all-rows",
        is_flag=True,
        help="Read lichess puzzles that claim no mate, too.",
    ),
)
"""Adds the options that select records, passed as `selection: Selection`."""


def is_collection(word: str) -> bool:
    """Return whether a command-line word is a file or `-`, rather than a FEN."""
    try:
        return word == STDIN or (Path(word).exists() and not Path(word).is_dir())
    except (OSError, ValueError):  # too long, or not a path at all
        return False


def reading_format(*names: str) -> Callable[[Function], Function]:
    """Add the format of the input, passed as `source_format: str`."""
    from solver.formats.registry import FORMATS

    return click.option(
        *names,
        "source_format",
        type=click.Choice(["auto", *FORMATS]),
        default="auto",
        metavar="FORMAT",
        help=(
            f"Format of the input: {', '.join(FORMATS)}, or auto to detect it "
            "(default)."
        ),
    )
