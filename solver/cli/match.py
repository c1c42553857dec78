"""`matesolve match`: play games between two settings of the laboratory's search."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from solver.cli import experiment_options, options
from solver.cli.console import (
    Exit,
    echo_json,
    notify,
    prepare_laboratory,
    stdout_console,
)
from solver.cli.progress import TimedProgress
from solver.cli.signals import interruptible
from solver.errors import InputError
from solver.kernel.border.experiment import Horizon
from solver.laboratory.techniques import Variant, parse_variant
from solver.problem import MAX_NODES

if TYPE_CHECKING:
    from solver.laboratory.match import MatchScore

DEFAULT_GAMES = 1000
DEFAULT_NODES = 20_000


def variant(text: str) -> Variant:
    """Read a setting of the search, such as `check-extension=all,mdp=tight`."""
    try:
        return parse_variant(text)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def whole_pairs(_ctx: click.Context, _param: click.Parameter, games: int) -> int:
    """Refuse an odd number of games: each opening is played twice."""
    if games % 2:
        msg = f"expected an even number, found {games}"
        raise click.BadParameter(msg)
    return games


@options.command("""
A setting is `off`, or a list of techniques such as
check-extension=all,mdp=tight; `matesolve table --help` lists their values.

Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); the score so far is printed
   74  a file could not be read or written
   65  FILE has the games of another match
    0  all games were played

Examples:
  matesolve match --a check-extension=all
  matesolve match --a mdp=tight,check-extension=all --b mdp=tight --depth 6
  matesolve match --a efp=on --games 2000 --jobs 2 --games-file efp.pgn
""")
@click.option(
    "--a",
    "first",
    type=variant,
    required=True,
    metavar="SETTING",
    help="Score the games of this setting.",
)
@click.option(
    "--b",
    "second",
    type=variant,
    default="off",
    show_default=True,
    metavar="SETTING",
    help="Let setting A play against this one.",
)
@options.number(
    "--games",
    MAX_NODES,
    "N",
    "Number of games.",
    default=DEFAULT_GAMES,
    callback=whole_pairs,
)
@experiment_options.seed
@experiment_options.depth("Default: as many as --nodes allows.")
@experiment_options.nodes(
    f"The move of the last complete depth is played. Default: {DEFAULT_NODES:,}; with "
    f"--depth, no "
    "limit."
)
@experiment_options.horizon(Horizon.QUIESCENCE)
@options.jobs()
@click.option(
    "--games-file",
    metavar="FILE",
    type=options.FILE,
    help="Save the games here as PGN, and resume from those of an earlier run.",
)
@options.json_record
@click.pass_context
def match(
    ctx: click.Context,
    *,
    first: Variant,
    second: Variant,
    games: int,
    seed: int,
    depth: int | None,
    nodes: int | None,
    horizon: Horizon,
    jobs: int | None,
    games_file: str | None,
    as_json: bool,
) -> None:
    """Play games between two settings of a search to compare them in Elo.

    Both players use the search of `matesolve table`, one with the techniques of --a,
    the other with those of --b. Each opening has 8 random plies that leave both sides
    about equal, and is played twice, with colours changed. A game ends by the rules of
    chess, when the prover confirms a mate that the side to move has found, or as a draw
    after 400 plies. The error is half the width of the 95% confidence interval,
    computed from pairs of games.
    """
    from solver.cli.console import prepare_outputs
    from solver.laboratory.match import (
        Match,
        MatchResult,
        MatchScore,
        draw_match,
        match_notes,
        match_record,
        open_games,
        play_match,
    )
    from solver.laboratory.player import Rules
    from solver.search.threads import GroupControl, usable_cores

    if nodes is None and depth is None:
        nodes = DEFAULT_NODES
    match = Match(first, second, Rules(depth, nodes), seed, horizon)
    prepare_outputs(games_file)
    prepare_laboratory()
    control = GroupControl()
    score = MatchScore()
    with (
        open_games(games_file, match) if games_file else nullcontext() as file,
        interruptible(control),
        TimedProgress(lambda: _line(score), lambda: games) as progress,
    ):
        for score in play_match(
            match,
            games // 2,
            jobs=jobs or usable_cores(),
            control=control,
            file=file,
        ):
            progress.done = score.games
    result = MatchResult(match, score, games // 2)
    if as_json:
        echo_json(match_record(result), 2)
    else:
        console = stdout_console()
        console.print(draw_match(result, console))
        console.print()
        for note in match_notes(result):
            console.print(note, style="dim")
    if control.is_stopped():
        notify("interrupted")
        ctx.exit(Exit.INTERRUPTED)


def _line(score: MatchScore) -> str:
    """Write the score as chess players do, short enough for a progress line."""
    games = f"+{score.wins:,} -{score.losses:,} ={score.draws:,}"
    if score.elo is None or score.error is None:
        return games
    return f"{games}, Elo {score.elo:,.1f} +- {score.error:,.1f}"
