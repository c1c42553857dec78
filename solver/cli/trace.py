"""`matesolve trace`: one small search, node by node."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from solver import Limits, Problem, Solver, errors, files, problem
from solver.cli import console, experiments, options, signals
from solver.kernel.border import parts
from solver.laboratory import techniques
from solver.search import threads
from solver.solution import Solution, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

    from solver.laboratory.traces import Trace

DEFAULT_NODES = 10_000_000
DEFAULT_PLIES = 3
MOST_TECHNIQUES = 3

OWN_OPTIONS = {
    techniques.ALPHA_BETA: {
        "variants": "--technique",
        "depth": "--depth",
        "only_cuts": "--cuts",
    },
    techniques.PROOF_NUMBER: {"mate": "--mate", "stepwise": "--no-prover"},
}
"""The options that one search has."""

USUAL = "mdp=cpw"
"""What is traced beside a search without techniques."""


@options.command("""
A setting is `off`, or a list of techniques such as
check-extension=all,mdp=tight; `matesolve table --help` lists their values.

Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); what was searched is printed
   74  a file could not be written
   65  the position could not be read
    3  a limit stopped a search, or the proof is too large
    1  there is no mate to trace, or no node of --until
    0  every search was completed

Examples:
  matesolve trace 7k/8/5K2/8/8/8/R7/8 w - -
  matesolve trace 7k/8/5K2/8/8/8/R7/8 w - - --html trace.html
  matesolve trace 8/7K/8/8/8/8/R7/7k w - - --depth 16 --cuts --json
  matesolve trace 7k/8/5K2/8/8/8/R7/8 w - - --until null-move --html null.html
  matesolve trace 7k/8/5K2/8/8/8/R7/8 w - - --search proof-number --no-prover
""")
@click.argument("fen", nargs=-1, required=True)
@options.option(
    "--search",
    "Trace the laboratory's alpha-beta search, the proof-number search (df-pn) of "
    "`solve`, or the certificate of a mate.",
    type=click.Choice(techniques.SEARCHES),
    default=techniques.SEARCHES[0],
    show_default=True,
    metavar="NAME",
)
@options.option(
    "--technique variants",
    "Techniques of the alpha-beta search. Give it up to "
    f"{MOST_TECHNIQUES} times to compare settings side by side. Default: off and "
    "mdp=cpw.",
    type=experiments.variant,
    multiple=True,
    metavar="SETTING",
)
@experiments.depth(
    "The last iteration is shown. Default: the one that finds the shortest mate."
)
@options.option(
    "--until",
    "Open at the first node that ends in this way: "
    f"{', '.join(techniques.ENDS[techniques.ALPHA_BETA])}; of proof numbers: "
    f"{', '.join(techniques.ENDS[techniques.PROOF_NUMBER])}. Without --depth, search "
    "deeper until there is one. Default of --technique: off, and one that causes it.",
    type=click.Choice([end for ends in techniques.ENDS.values() for end in ends]),
    metavar="END",
)
@options.flag(
    "--cuts only_cuts",
    "Keep only the parts of the tree with a cut by mate-distance pruning.",
)
@options.number(
    "--mate",
    problem.MAX_MOVES,
    "N",
    "Make the proof-number search look for a mate in N. Default: the shortest mate.",
)
@options.flag(
    "--no-prover stepwise",
    "Let the proof-number search also search the last two moves. `solve` leaves them "
    "to its exact search.",
)
@experiments.nodes(f"Default: {DEFAULT_NODES:,}.")
@options.flag("--text as_text", "Print the tree. The default without --json or --html.")
@options.number(
    "--plies",
    problem.MAX_NODES,
    "P",
    "Print the tree to ply P.",
    default=DEFAULT_PLIES,
)
@options.json_record
@options.file("--html html_path", "Write a web page. It steps through the search.")
@options.solver
@click.pass_context
def trace(
    ctx: click.Context,
    fen: tuple[str, ...],
    *,
    search: str,
    variants: tuple[techniques.Variant, ...],
    depth: int | None,
    until: str | None,
    only_cuts: bool,
    mate: int | None,
    stepwise: bool,
    nodes: int | None,
    as_text: bool,
    plies: int,
    as_json: bool,
    html_path: str | None,
    solver: bool,
) -> None:
    """Show one small search node by node.

    The log lists the nodes in the order in which the search entered them, each with its
    move, its window or proof numbers, its result and the reason. It holds 100,000
    nodes; a larger search shows the first part of its tree. For an alpha-beta search it
    has the last iteration.
    """
    _refuse_conflicts(ctx, search)
    from solver.laboratory import trace_text, traces

    console.prepare_outputs(html_path)
    console.prepare_laboratory()
    board = console.read_position(fen).board
    nodes = nodes or DEFAULT_NODES
    codes = {console.Exit.PROVED}
    if search == techniques.ALPHA_BETA:
        second = techniques.ENDS[search][until] if until else USUAL
        chosen = variants or tuple(map(experiments.variant, (techniques.OFF, second)))
        shown = _trace_scores(
            *(board, chosen, depth, nodes, codes), only_cuts=only_cuts, until=until
        )
    else:
        shown = [
            _trace_proof(
                board, search, mate, nodes, codes, stepwise=stepwise, until=until
            )
        ]
    if until and not any(each.step for each in shown):
        ctx.exit(_say_missing(until, shown, codes))
    record = traces.record_of(board.fen(), search, shown)
    if as_json:
        click.echo(_with_columns_in_lines(json.dumps(record, indent=2)))
    if html_path:
        from solver.pages import laboratory_pages

        wanted = (parts.SEARCH, parts.LABORATORY) if solver else ()
        modules = console.prepare_modules(wanted)
        files.write_whole(html_path, laboratory_pages.encode_trace(record, modules))
    if as_text or not (as_json or html_path):
        is_default = ctx.get_parameter_source("plies") is ParameterSource.DEFAULT
        reached = max(map(trace_text.opened_ply, shown))
        _print_trees(record, max(plies, reached) if is_default else plies)
    if any(each.stopped for each in shown):
        codes.add(console.Exit.LIMIT)
    if console.Exit.INTERRUPTED in codes:
        console.notify("interrupted")
    ctx.exit(console.foremost(codes))


def _print_trees(record: dict[str, Any], plies: int) -> None:
    """Print the first plies of each trace."""
    from solver.laboratory import trace_text

    screen = console.stdout_console()
    for number in range(len(record["traces"])):
        if number:
            screen.print()
        for part in trace_text.describe_trace(screen, record, number, plies):
            screen.print(part)


def _say_missing(
    until: str, shown: Sequence[Trace], codes: set[console.Exit]
) -> console.Exit:
    """Say that no trace has the end `until`, and return the exit code.

    A search that a limit stopped may have it farther on.
    """
    if console.Exit.INTERRUPTED in codes:
        console.notify("interrupted")
        return console.Exit.INTERRUPTED
    depth = max(each.depth for each in shown)
    found = f"expected a node with the end {until}, found none to depth {depth}"
    if any(each.stopped for each in shown):
        console.notify(f"{found}, where the node limit ended the search")
        return console.Exit.LIMIT
    console.notify(f"error: {found}")
    return console.Exit.NEGATIVE


def _with_columns_in_lines(text: str) -> str:
    """Put each array of numbers or texts of an indented record on one line."""
    return re.sub(r"\[[^][{}]*\]", lambda found: " ".join(found[0].split()), text)


def _refuse_conflicts(ctx: click.Context, search: str) -> None:
    """Refuse options of another search, and --solver without a page.

    Raises
    ------
    click.UsageError
    """
    for owner, names in OWN_OPTIONS.items():
        for name, option in names.items():
            is_given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
            if is_given and search != owner:
                console.refuse_use(f"{option} is an option of --search {owner}.")
    if ctx.params["solver"] and not ctx.params["html_path"]:
        console.refuse_use("--solver needs --html.")
    until = ctx.params["until"]
    if until and until not in techniques.ENDS.get(search, ()):
        console.refuse_use(f"--search {search} has no end {until}.")
    if len(ctx.params["variants"]) > MOST_TECHNIQUES:
        console.refuse_use(f"--technique can be given {MOST_TECHNIQUES} times at most.")


def _trace_scores(
    board: chess.Board,
    variants: Sequence[techniques.Variant],
    depth: int | None,
    nodes: int,
    codes: set[console.Exit],
    *,
    only_cuts: bool,
    until: str | None,
) -> list[Trace]:
    """Trace the laboratory's search, once for each variant or until an interrupt.

    The last variant with the end `until` chooses the depth of all. If there is none,
    the trace of the first is returned.
    """
    from solver.laboratory import iterative_deepening
    from solver.laboratory.traces import trace_scores

    def search(chosen: techniques.Variant, until: str | None = None) -> Trace:
        laboratory = iterative_deepening.Laboratory()
        runner = iterative_deepening.Runner(laboratory, nodes=nodes)
        with (
            signals.interruptible(runner),
            console.Progress(lambda: f"{chosen.name}: {runner.nodes:,} nodes"),
        ):
            found = trace_scores(
                *(runner, laboratory, board, chosen, depth),
                only_cuts=only_cuts,
                until=until,
            )
        if runner.is_stopped():
            codes.add(console.Exit.INTERRUPTED)
        return found

    traces: dict[str, Trace] = {}
    for chosen in reversed(variants) if until else ():
        found = search(chosen, until)
        if found.step:
            depth, traces[chosen.name] = found.depth, found
            break
        if chosen is variants[0] or console.Exit.INTERRUPTED in codes:
            return [found]
    for chosen in variants:
        if console.Exit.INTERRUPTED not in codes and chosen.name not in traces:
            traces[chosen.name] = search(chosen)
    return [traces[chosen.name] for chosen in variants if chosen.name in traces]


def _trace_proof(
    board: chess.Board,
    search: str,
    mate: int | None,
    nodes: int,
    codes: set[console.Exit],
    *,
    stepwise: bool,
    until: str | None,
) -> Trace:
    """Trace the proof-number search, or a certificate of the shortest mate."""
    from solver.laboratory.traces import trace_certificate, trace_numbers

    control = threads.Control()
    solution = None if mate else _solve(board, nodes, control)
    mate = mate or (solution.mate if solution else None)
    if not mate:
        is_over = solution is None or solution.stopped_by is None
        interrupted = control.reason is StoppedBy.INTERRUPT
        side = "White" if board.turn else "Black"
        found = "none" if mate is None else f"{side} mated already"
        console.notify(
            "interrupted"
            if interrupted
            else f"error: expected a position with a mate to trace, found {found}"
        )
        code = console.Exit.NEGATIVE if is_over else console.Exit.LIMIT
        raise click.exceptions.Exit(console.Exit.INTERRUPTED if interrupted else code)
    if search == techniques.PROOF_NUMBER:
        traced = console.run_interruptible(
            lambda: trace_numbers(
                *(board, mate, control), nodes=nodes, stepwise=stepwise, until=until
            ),
            control,
        )
        if control.reason is StoppedBy.INTERRUPT:
            codes.add(console.Exit.INTERRUPTED)
        return traced
    assert solution is not None
    try:
        return console.run_interruptible(
            lambda: trace_certificate(board, solution, control), control
        )
    except errors.BuildingStoppedError:
        console.notify("interrupted")
        raise click.exceptions.Exit(console.Exit.INTERRUPTED) from None


def _solve(board: chess.Board, nodes: int, control: threads.Control) -> Solution:
    """Find the shortest mate."""
    return console.run_interruptible(
        lambda: Solver().solve(
            Problem(board.fen()), Limits(nodes=nodes), control=control
        ),
        control,
    )
