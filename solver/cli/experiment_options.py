"""The options of experiments: the techniques to compare, and settings that they share.

`variants` gives them to a command and passes the searches that they describe as a
single argument.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from solver.cli import options
from solver.errors import InputError
from solver.kernel.experiment import Horizon, RootOrder
from solver.laboratory.techniques import (
    NodeCount,
    Settings,
    Variant,
    ablation,
    combine,
    parse_extension,
    parse_mdp,
    parse_mip,
    parse_pruning,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import Enum

Function = TypeVar("Function", bound="Callable[..., Any]")

LEAST_TABLE_ENTRIES = 2**2
MOST_TABLE_ENTRIES = 2**36
"""One tebibyte."""

MAX_MIP_POSITIONS = 2**25 - 1
"""The largest count in a word of a material table."""

MAX_REDUCTION = 10
MAX_TRIES = 50
MAX_ASPIRATION = 2_000

TECHNIQUES = ("mdp", "check_extension", "efp", "mip")
"""The parameters that `--ablation` replaces."""


class Asked(NamedTuple):
    """The searches to compare.

    Attributes
    ----------
    variants : tuple of Variant
    is_ablation : bool
        Whether they are those of `--ablation`.
    """

    variants: tuple[Variant, ...]
    is_ablation: bool


def table_entries(text: str) -> int:
    """Read the size of a transposition table, such as `2^18` or `262144`."""
    base, caret, exponent = text.partition("^")
    try:
        entries = 2 ** min(int(exponent), 64) if base == "2" and caret else int(text)
    except ValueError:
        entries = -1
    power = LEAST_TABLE_ENTRIES <= entries <= MOST_TABLE_ENTRIES
    if entries != 0 and not (power and entries & (entries - 1) == 0):
        msg = f"expected 0 or a power of two from 2^2 to 2^36, found {text!r}"
        raise click.BadParameter(msg)
    return entries


def multi_cut(text: str) -> tuple[int, int]:
    """Read C/M, such as `3/6`; 0 means no multi-cut."""
    if text == "0":
        return 0, 0
    cuts, slash, tries = text.partition("/")
    if not (slash and cuts.isdecimal() and tries.isdecimal()) or not (
        1 <= int(cuts) <= int(tries) <= MAX_TRIES
    ):
        msg = f"expected C/M with 1 <= C <= M <= {MAX_TRIES}, or 0, found {text!r}"
        raise click.BadParameter(msg)
    return int(cuts), int(tries)


def separated(
    parse: Callable[[str], object],
) -> Callable[[click.Context, click.Parameter, str], tuple[str, ...]]:
    """Return a callback that reads comma-separated values which `parse` accepts."""

    def read(
        _ctx: click.Context, _param: click.Parameter, text: str
    ) -> tuple[str, ...]:
        found = tuple(value.strip() for value in text.split(","))
        for index, value in enumerate(found):
            try:
                parse(value)
            except InputError as error:
                raise click.BadParameter(str(error)) from None
            if value in found[:index]:
                msg = f"expected each value once, found {value!r} twice"
                raise click.BadParameter(msg)
        return found

    return read


def _name(member: Enum) -> str:
    """Return the name of a setting's value on the command line."""
    return member.name.lower()


def _names(values: type[Enum]) -> click.Choice[str]:
    return click.Choice([_name(member) for member in values])


horizon = click.option(
    "--horizon",
    type=_names(Horizon),
    default=_name(Settings().horizon),
    show_default=True,
    metavar="NAME",
    help="Search beyond the last ply: static (nothing), mate (whether it is mate) "
    "or quiescence (captures, promotions, replies to checks).",
)
"""Adds `--horizon`, passed as `horizon: str`, the name of a `Horizon`."""


def variants(command: Function) -> Function:
    """Add the techniques and their settings, passed as `asked: Asked`."""

    @click.option(
        "--mdp",
        default="off,cpw",
        show_default=True,
        callback=separated(parse_mdp),
        metavar="VALUES",
        help="Forms of mate-distance pruning.",
    )
    @click.option(
        "--check-extension",
        default="off",
        show_default=True,
        callback=separated(parse_extension),
        metavar="VALUES",
        help="Moves that cost no depth: checks, capturing checks or promotions, in "
        "lines of at most twice the depth or uncapped.",
    )
    @click.option(
        "--efp",
        default="off",
        show_default=True,
        callback=separated(parse_pruning),
        metavar="VALUES",
        help="Forms of forward pruning: null move and multi-cut, with the additions of "
        "Enhanced Forward Pruning.",
    )
    @click.option(
        "--mip",
        default="off",
        show_default=True,
        callback=separated(parse_mip),
        metavar="VALUES",
        help="Uses of Material Imbalance Pruning.",
    )
    @click.option(
        "--ablation",
        "ablated",
        is_flag=True,
        help="Compare each technique alone, and one form of each together, with none.",
    )
    @click.option(
        "--null-reduction",
        type=click.IntRange(0, MAX_REDUCTION),
        default=Settings().null_reduction,
        show_default=True,
        metavar="R",
        help="Search a null move R plies shallower; 0: no null move.",
    )
    @click.option(
        "--multi-cut",
        "cuts_of_tries",
        type=multi_cut,
        default=f"{Settings().cuts}/{Settings().tries}",
        show_default=True,
        metavar="C/M",
        help="Cut a node if C of its first M moves fail high 2 plies shallower; "
        "0: never.",
    )
    @click.option(
        "--mip-positions",
        type=options.whole(MAX_MIP_POSITIONS),
        default=Settings().mip_positions,
        show_default=True,
        metavar="N",
        help="Use only material with N or more positions in the material table; with "
        "+curve, count N drawn positions more.",
    )
    @click.option(
        "--aspiration",
        type=click.IntRange(0, MAX_ASPIRATION),
        default=Settings().aspiration,
        show_default=True,
        metavar="CP",
        help="Search the root within CP centipawns of its last score; 0: full window.",
    )
    @horizon
    @click.option(
        "--root-order",
        type=_names(RootOrder),
        default=_name(Settings().root_order),
        show_default=True,
        metavar="NAME",
        help="Order of the root's moves: search (as at every node), generated (table "
        "move, then unordered) or nodes (by their trees in the last iteration).",
    )
    @click.option(
        "--count",
        type=_names(NodeCount),
        default=_name(Settings().count),
        show_default=True,
        metavar="NAME",
        help="A node is: moves (a move made), calls (a call of the search function) or "
        "interior (a position that is expanded). --nodes always means moves.",
    )
    @functools.wraps(command)
    def gather(
        *args: Any,
        ablated: bool,
        cuts_of_tries: tuple[int, int],
        null_reduction: int,
        mip_positions: int,
        aspiration: int,
        horizon: str,
        root_order: str,
        count: str,
        **others: Any,
    ) -> Any:
        values = {name: others.pop(name) for name in TECHNIQUES}
        if ablated and any(map(_is_given, TECHNIQUES)):
            msg = "--ablation chooses the techniques itself."
            raise click.UsageError(msg)
        cuts, tries = cuts_of_tries
        settings = Settings(
            null_reduction,
            cuts,
            tries,
            mip_positions,
            aspiration,
            Horizon[horizon.upper()],
            RootOrder[root_order.upper()],
            NodeCount[count.upper()],
        )
        chosen = ablation(settings) if ablated else combine(**values, settings=settings)
        return command(*args, asked=Asked(chosen, ablated), **others)

    return gather  # type: ignore[return-value]


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT
