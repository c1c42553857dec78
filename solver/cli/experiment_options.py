"""The options of experiments: the techniques to compare, and settings that they share.

`variants` gives them to a command and passes the searches that they describe.
"""

from __future__ import annotations

import functools
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from solver.cli import options
from solver.errors import InputError
from solver.laboratory.mate_scores import MAX_DEPTH
from solver.laboratory.techniques import (
    SETTINGS,
    Choice,
    ablation,
    combine,
    parse_extension,
    parse_mdp,
    parse_mip,
    parse_pruning,
)
from solver.problem import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import Enum

    from solver.kernel.border.experiment import Horizon

Function = TypeVar("Function", bound="Callable[..., Any]")

LEAST_TABLE_ENTRIES = 2**2
MOST_TABLE_ENTRIES = 2**36
"""One tebibyte."""

MAX_MIP_POSITIONS = 2**25 - 1
"""The largest count in a word of a material table."""

MAX_REDUCTION = 10
MAX_TRIES = 50
MAX_ASPIRATION = 2_000


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


def _technique(
    name: str, default: str, parse: Callable[[str], object], help_text: str
) -> Callable[[Function], Function]:
    """Add the option of a technique: comma-separated values that `parse` accepts."""
    return click.option(
        name,
        default=default,
        show_default=True,
        callback=separated(parse),
        metavar="VALUES",
        help=help_text,
    )


def _condition(
    name: str, default: Enum, help_text: str
) -> Callable[[Function], Function]:
    """Add the option of a condition: the name of a member of the default's class."""
    return click.option(
        name,
        type=click.Choice([member.name.lower() for member in type(default)]),
        default=default.name.lower(),
        show_default=True,
        callback=lambda _ctx, _param, text: type(default)[text.upper()],
        metavar="NAME",
        help=help_text,
    )


def horizon(default: Horizon) -> Callable[[Function], Function]:
    """Add `--horizon`, passed as `horizon: Horizon`."""
    return _condition(
        "--horizon",
        default,
        "What to search after the last ply: static (nothing), mate (is it mate?) or "
        "quiescence (captures, promotions, replies to checks).",
    )


def depth(
    help_text: str, deepest: int = MAX_DEPTH, default: int | None = None
) -> Callable[[Function], Function]:
    """Add `-d, --depth`, passed as `depth: int`, or None without a default."""
    help_text = f"Search D plies deep. {help_text}".rstrip()
    return options.number("-d --depth", deepest, "D", help_text, default=default)


def nodes(help_text: str) -> Callable[[Function], Function]:
    """Add `--nodes`, passed as `nodes: int | None`."""
    help_text = f"Stop each search after N nodes. {help_text}"
    return options.number("--nodes", MAX_NODES, "N", help_text)


mip_table = click.option(
    "--mip-table",
    metavar="TABLE",
    type=options.FILE,
    help="Read this material table. Default: the one shipped with matesolve.",
)
"""Adds `--mip-table`, passed as `mip_table: str | None`."""

seed = options.seed("games")
"""Adds `--seed`, passed as `seed: int`."""


def variants(command: Function) -> Function:
    """Add the techniques and their settings.

    They are passed as `variants: tuple[Variant, ...]` and `is_ablation: bool`. A
    parameter with the name of a field of `Techniques` is a setting of all variants.
    """

    @_technique("--mdp", "off,cpw", parse_mdp, "Forms of mate-distance pruning.")
    @_technique(
        "--check-extension",
        "off",
        parse_extension,
        "Moves that cost no depth: checks, capturing checks or promotions. Lines are "
        "capped at twice the depth, unless uncapped.",
    )
    @_technique(
        "--efp",
        "off",
        parse_pruning,
        "Forms of forward pruning: null move and multi-cut, with the additions of "
        "Enhanced Forward Pruning.",
    )
    @_technique("--mip", "off", parse_mip, "Uses of Material Imbalance Pruning.")
    @click.option(
        "--ablation",
        "ablated",
        is_flag=True,
        help="Compare a search without techniques with each technique alone, and with "
        "one form of each together.",
    )
    @options.number(
        "--null-reduction",
        MAX_REDUCTION,
        "R",
        "Search a null move R plies shallower; 0: no null move.",
        least=0,
        default=SETTINGS.null_reduction,
    )
    @click.option(
        "--multi-cut",
        "cuts_of_tries",
        type=multi_cut,
        default=f"{SETTINGS.cuts}/{SETTINGS.tries}",
        show_default=True,
        metavar="C/M",
        help="Cut a node if C of its first M moves fail high in a search 2 plies "
        "shallower; 0: never.",
    )
    @options.number(
        "--mip-positions",
        MAX_MIP_POSITIONS,
        "N",
        "Use only material with N or more positions in the material table; with "
        "+curve, add N drawn positions to each count.",
        default=SETTINGS.mip_positions,
    )
    @options.number(
        "--aspiration",
        MAX_ASPIRATION,
        "CP",
        "Search the root within CP centipawns of its last score; 0: full window.",
        least=0,
        default=SETTINGS.aspiration,
    )
    @horizon(SETTINGS.horizon)
    @_condition(
        "--root-order",
        SETTINGS.root_order,
        "Order of the root's moves: search (as at every node), generated (table move, "
        "then unordered) or nodes (by the size of their trees in the last "
        "iteration).",
    )
    @_condition(
        "--count",
        SETTINGS.count,
        "What counts as a node: moves (each move made), calls (each call of the search "
        "function), interior (each position that is expanded) or again (each move that "
        "is searched a second time). --nodes always means moves.",
    )
    @functools.wraps(command)
    def gather(
        *args: Any,
        ablated: bool,
        cuts_of_tries: tuple[int, int],
        **others: Any,
    ) -> Any:
        values = {name: others.pop(name) for name in Choice._fields}
        if ablated and any(map(_is_given, Choice._fields)):
            msg = "--ablation cannot be combined with options that choose techniques."
            raise click.UsageError(msg)
        cuts, tries = cuts_of_tries
        names = {field.name for field in fields(SETTINGS)} & others.keys()
        shared = {name: others.pop(name) for name in names}
        settings = replace(SETTINGS, cuts=cuts, tries=tries, **shared)
        chosen = ablation(settings) if ablated else combine(**values, settings=settings)
        return command(*args, variants=chosen, is_ablation=ablated, **others)

    return gather  # type: ignore[return-value]


def _is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is not ParameterSource.DEFAULT
