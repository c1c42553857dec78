"""The options that several commands share, and the help pages that list them."""

from __future__ import annotations

import functools
import math
import os
import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import click

from solver import errors, problem
from solver.cli import console
from solver.output import Notation

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from solver.endgames.tablebases import Tablebases
    from solver.play.record import PlayOptions


# --------------------------------------------------------------------------------------
# Help pages that group a command's options by purpose.
#
# One table for the whole program says which options belong together. An option means
# the same in every command, so it has the same title in each. (rich-click would load
# rich for every `--help`, and cloup would save thirty lines.)

OPTION_GROUPS = """
Input: --moves --format --from --columns --strict --no-claims --theme --min-rating
    --min-claim --max-claim --all-rows --verdict --soundness --claim
Search limits: --search-moves --depth --time --nodes --hash --threads --table-entries
    --jobs --cluster
What to look for: --first --within --keys --every-ply --follow --accepted --tablebases
    --checks-only --king-flights --replies --threat
What is traced: --search --technique --until --cuts --mate --no-prover
Play of compositions: --stipulation --max-solutions --variations --set-play --tries
    --no-threats --all-defences --notation
Techniques: --a --b --mdp --check-extension --efp --mip --ablation --null-reduction
    --multi-cut --mip-table --mip-positions --aspiration
Experiments: --horizon --root-order --count --games --seed --first-game
Saved results: --checkpoint --checkpoint-key --checkpoint-size --store --checkpoints
    --checkpoints-size --fresh --retry --marks --games-file
Output: --to --ordered --fail-on --uci-moves --board --quiet --json --jsonl --csv
    --escape-formulas --sums --duplicates --summary --annotate --text --plies --correct
    --drop --cooks --hints --changes
Files to write: --output --certificate --certificates --certificate-format --svg --pgn
    --html --title --solver
Other options:
"""
"""The title of each group and its options, in the order of the help. The last group has
all options that no other has."""

GROUPS = {
    title: {*names.split()}
    for title, names in re.findall(r"(?m)^(\w.*?):(.*(?:\n +.*)*)", OPTION_GROUPS)
}

FEW = 6
"""A command with at most this many options lists them without titles."""


class Command(click.Command):
    """A command whose help lists its options in groups; see `OPTION_GROUPS`."""

    def format_epilog(
        self, _ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the epilog without wrapping its lines."""
        paragraphs = (self.epilog or "").strip("\n").split("\n\n")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(f"\b\n{text}" for text in paragraphs))

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write each group of options under its title, or a few options as one list."""
        listed: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx)
            if isinstance(option, click.Option) and record:  # not hidden
                groups = (t for t, names in GROUPS.items() if names & {*option.opts})
                listed[next(groups, [*GROUPS][-1])].append(record)
        if sum(map(len, listed.values())) <= FEW:
            listed = {"Options": [row for rows in listed.values() for row in rows]}
        for title, rows in listed.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(click.Group):
    """A command whose subcommands are all of the class `Command`."""

    command_class = Command


# --------------------------------------------------------------------------------------
# The options that several commands share, each defined once.
#
# Each function here is a decorator, or returns one, that adds options to a command and
# passes the user's choice as a single argument.

MAX_REFUTATIONS = 20
"""A first move with more refutations is not a try."""

FILE = click.Path(readable=False)
"""The type of a file's name, which shells complete; opening checks the rest."""

files = click.argument("files", nargs=-1, required=True, metavar="FILE...", type=FILE)
"""Adds `FILE...`, passed as `files: tuple[str, ...]`."""

Function = TypeVar("Function", bound="Callable[..., Any]")


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


def whole(greatest: int, least: int = 1) -> Callable[[str], int]:
    """Return a parser of whole numbers from `least` to `greatest`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= greatest:
            span = f"from {least} to {greatest:,}"
            msg = f"expected a whole number {span}, found {text!r}"
            raise click.BadParameter(msg)
        return number

    return read


def option(names: str, help_text: str, **others: Any) -> Callable[[Function], Function]:
    """Add an option; the last of its names may be that of the argument."""
    return click.option(*names.split(), help=help_text, **others)


def file(
    names: str, help_text: str, *, metavar: str = "FILE", **others: Any
) -> Callable[[Function], Function]:
    """Add an option that names a file, passed as `str | None`."""
    return option(names, help_text, metavar=metavar, type=FILE, **others)


def flag(names: str, help_text: str) -> Callable[[Function], Function]:
    """Add an option without a value; `names` are as for `click.option`, in one text."""
    return option(names, help_text, is_flag=True)


def number(
    names: str,
    greatest: int,
    metavar: str,
    help_text: str,
    *,
    least: int = 1,
    default: int | None = None,
    **others: Any,
) -> Callable[[Function], Function]:
    """Add an option that takes a whole number from `least` to `greatest`; see `flag`.

    A default other than None is part of the help.
    """
    others |= {"default": default, "show_default": default is not None}
    read = whole(greatest, least)
    return option(names, help_text, type=read, metavar=metavar, **others)


def command(
    epilog: str, cls: type[Command] = Command
) -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command; its help ends with `epilog`, whose lines are kept."""
    return click.command(cls=cls, epilog=epilog)


def complete_folders(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete a folder name."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def gathered(
    parameter: str, gather: Callable[..., object], *added: Callable[[Any], Any]
) -> Callable[[Function], Function]:
    """Add options to a command, and pass their values together as one argument.

    Parameters
    ----------
    parameter : str
        The command's parameter.
    gather : callable
        Makes the argument; its annotated parameters, or some of them, are those of the
        options.
    *added : callable
        The options, each as `click.option` returns it.
    """
    names = gather.__annotations__

    def decorate(command: Function) -> Function:
        @functools.wraps(command)
        def call(*args: Any, **given: Any) -> Any:
            chosen = {name: given.pop(name) for name in names if name in given}
            return command(*args, **given, **{parameter: gather(**chosen)})

        wrapped: Any = call
        for add in reversed(added):
            wrapped = add(wrapped)
        return cast("Function", wrapped)

    return decorate


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
        problem.Limits,
        number(
            "-n --search-moves max_moves",
            problem.MAX_MOVES,
            "N",
            f"Look for mates in at most N moves (1 to {problem.MAX_MOVES}).",
        ),
        option(
            "--time time_s",
            f"Stop each search after S seconds. Default: {time_default}.",
            type=seconds,
            default=time_s,
            metavar="S",
        ),
        number(
            "--nodes",
            problem.MAX_NODES,
            "N",
            "Stop each search after N nodes. Default: no limit.",
        ),
        number(
            "--hash hash_mib",
            problem.MAX_HASH_MIB,
            "MIB",
            "Let the transposition table grow to MIB mebibytes.",
            default=problem.DEFAULT_HASH_MIB,
        ),
    )


MOST_JOBS = 256
CORES = f"the number of cores, at most {problem.MOST_CORES}"


class Cores(NamedTuple):
    """How many cores the user lets a command use; None: the default.

    Attributes
    ----------
    threads_each : int or None
        Threads for one position.
    jobs : int or None
        Processes.
    """

    threads_each: int | None
    jobs: int | None = None

    def limits(
        self, limits: problem.Limits, *, on_cluster: bool = False
    ) -> problem.Limits:
        """Add the number of threads; by default a limit of nodes is one thread's."""
        is_one = on_cluster or limits.nodes is not None
        from solver.search.threads import usable_cores

        default = 1 if is_one else self.jobs or usable_cores()
        return replace(limits, threads=self.threads_each or default)


def threads(default: str) -> Callable[[Function], Function]:
    """Add `--threads`; `default` is what it is without a limit of nodes."""
    return number(
        "--threads threads_each",
        problem.MAX_THREADS,
        "T",
        "Search a position that takes more than a million nodes with up to T threads, "
        "which share one table; with 1, its node count is always the same. "
        f"Default: {default}; with --nodes, 1.",
    )


def jobs(help_text: str = "") -> Callable[[Function], Function]:
    """Add `--jobs`; `help_text` says more about it."""
    return number(
        "-j --jobs",
        MOST_JOBS,
        "J",
        f"Use J processes, each with its own table. Default: {CORES}{help_text}.",
    )


moves = option(
    "--moves",
    "Play these moves before the search, in SAN or UCI.",
    default="",
    metavar="TEXT",
)

one_position = gathered("cores", Cores, threads(CORES))
"""Adds `--threads`, passed as `cores: Cores`."""

many_positions = gathered(
    "cores",
    Cores,
    jobs("; an audit shorter than half a second uses one"),
    threads("J"),
)
"""Adds `--jobs` and `--threads`, passed as `cores: Cores`."""


def seed(made: str) -> Callable[[Function], Function]:
    """Add `--seed`, passed as `seed: int`; `made` is what it determines."""
    help_text = f"Random seed. The same seed gives the same {made}."
    return number("--seed", problem.MAX_NODES, "S", help_text, least=0, default=1)


checkpoint_key = file(
    "--checkpoint-key",
    "Sign checkpoints with the key in FILE, as on another machine. Default: your own, "
    "which is made when it is missing.",
)
"""Adds `--checkpoint-key`, passed as `checkpoint_key: str | None`."""


json_record = flag("--json as_json", "Print indented JSON.")
"""Adds `--json`, passed as `as_json: bool`."""


solver = flag(
    "--solver", "Put the compiled search into the page, so that the page can solve."
)
"""Adds `--solver`, passed as `solver: bool`."""


def output(help_text: str, *, required: bool = True) -> Callable[[Function], Function]:
    """Add `--output FILE`; `help_text` says more about FILE."""
    return file("-o --output", f"Write to FILE. {help_text}", required=required)


escape_formulas = flag(
    "--escape-formulas",
    "Write ' before each cell of CSV that a spreadsheet takes for a formula. Default: "
    "write them exactly, and name the first in a warning.",
)


def require_csv(*, is_csv: bool, escapes: bool) -> None:
    """Raise UsageError if `--escape-formulas` has no CSV to write."""
    if escapes and not is_csv:
        console.refuse_use("--escape-formulas needs CSV.")


certificate_format = option(
    "--certificate-format",
    "Format of the proof. With matebench, it is a claim of MateBench.",
    type=click.Choice(("matesolve", "matebench")),
    default="matesolve",
    show_default=True,
)
"""Adds `--certificate-format`, passed as `certificate_format: str`."""


def require_certificate(name: str, path: str | None, form: str) -> None:
    """Refuse a format without the option `name`, which says where to write."""
    if path is None and form != "matesolve":
        console.refuse_use(f"--certificate-format needs {name}.")


jsonl = flag(
    "--jsonl", "Print one line of JSON for each result, as soon as it is known."
)
"""Adds `--jsonl`, passed as `jsonl: bool`."""


def _restrict(name: str, metavar: str, may: str) -> Callable[[Function], Function]:
    least, greatest = problem.RANGES[name.strip("-").replace("-", "_")]
    help_text = f"The attacker may {may} ({least} to {greatest})."
    return number(name, greatest, metavar, help_text, least=least)


restriction = gathered(
    "restriction",
    problem.Restriction,
    flag("--checks-only", "The attacker may only give check."),
    _restrict("--king-flights", "K", "leave the king at most K flight squares"),
    _restrict("--replies", "X", "leave the defender at most X replies"),
    _restrict("--threat", "R", "only give check or threaten mate in R"),
)
"""Adds the restrictions on the attacker, passed as `restriction`."""


def _tablebases(directories: tuple[str, ...]) -> Tablebases | None:
    if not directories:
        return None
    from solver.endgames.tablebases import Tablebases

    return click.get_current_context().with_resource(Tablebases(directories))


tablebases = gathered(
    "tablebases",
    _tablebases,
    option(
        "--tablebases directories",
        "Probe the Gaviota and Syzygy tablebases in DIR. May be repeated.",
        multiple=True,
        metavar="DIR",
        shell_complete=complete_folders,
    ),
)
"""Adds `--tablebases`, passed as `tablebases: Tablebases | None`.

They are closed when the command ends. A directory that cannot be read, or that holds no
tablebases, is an error before the command starts."""


def _stipulation(text: str) -> problem.Stipulation:
    try:
        return problem.Stipulation.parse(text)
    except errors.InputError as error:
        raise click.BadParameter(str(error).removeprefix("stipulation: ")) from None


accepted = flag(
    "--accepted",
    "Add all moves that mate in time, at each of the attacker's turns, with the reply "
    "that lasts longest.",
)
"""Adds `--accepted`, passed as `accepted: bool`."""


class PlayRequest(NamedTuple):
    """The question about the play.

    Attributes
    ----------
    stipulation : Stipulation or None
        What each position is to be solved for.
    is_shown : bool
        Print the play, not only the answer.
    notation : Notation
        How moves are printed.
    accepted : bool
        It is the accepted moves, with one reply each.
    set_play, tries, threats, all_defences, depth
        The fields of `PlayOptions` that can be chosen; for files alone, all defences.
    """

    stipulation: problem.Stipulation | None
    is_shown: bool
    notation: Notation
    accepted: bool
    set_play: bool
    tries: int
    threats: bool
    all_defences: bool
    depth: int | None

    @property
    def options(self) -> PlayOptions:
        """Which play it is."""
        from solver.play import record  # an answer without its play needs none

        return record.PlayOptions(*self[4:])


def read_request(
    *,
    stipulation: problem.Stipulation | None,
    accepted: bool,
    variations: bool,
    set_play: bool,
    tries: int | None,
    no_threats: bool,
    all_defences: bool,
    depth: int | None,
    notation: str | None,
    uci: bool | None,
) -> PlayRequest:
    """Return the question about the play, from the options of `options.play`.

    Raises
    ------
    click.UsageError
        Two of them ask for different notations, or for different play.
    """
    others = {
        "--variations": variations,
        "--set-play": set_play,
        "--tries": tries,
        "--no-threats": no_threats,
        "--all-defences": all_defences,
        "--depth": depth,
    }
    for name, is_given in others.items():
        if accepted and is_given:
            console.refuse_use(f"--accepted and {name} cannot be combined.")
    chosen = {True: Notation.UCI, False: Notation.SAN, None: None}[uci]
    if chosen and notation not in {None, chosen}:
        option = "--uci-moves" if uci else "--san"
        console.refuse_use(f"{option} and --notation {notation} cannot be combined.")
    shown = Notation(notation or chosen or Notation.SAN)
    is_wanted = accepted or variations or set_play or tries
    is_shown = bool(is_wanted or shown is Notation.POPEYE)
    all_defences = all_defences or not is_shown
    asked = accepted, set_play, tries or 0, not no_threats, all_defences, depth
    return PlayRequest(stipulation, is_shown, shown, *asked)


play = gathered(
    "play",
    read_request,
    option(
        "--stipulation",
        f"Solve this stipulation: {problem.EXPECTED}.",
        type=_stipulation,
        metavar="S",
    ),
    number(
        "--max-solutions",
        problem.MAX_NODES,
        "N",
        "Stop help play after N solutions. Default: find all.",
    ),
    accepted,
    flag("--variations", "Print the whole play, as composers do."),
    flag(
        "--set-play",
        "Add the set play: what follows if the other side begins. Implies "
        "--variations.",
    ),
    option(
        "--tries",
        "Add tries: first moves that at most K replies refute (1 if K is left "
        "out). Implies --variations.",
        type=whole(MAX_REFUTATIONS),
        is_flag=False,
        flag_value=1,
        metavar="[K]",
    ),
    flag("--no-threats", "Show all defences, and no threats."),
    flag("--all-defences", "Also show defences that do not stop the threat."),
    number(
        "--depth", problem.MAX_MOVES, "D", "Show the play of the first D moves only."
    ),
    option(
        "--notation",
        "Print moves in san (default) or uci, or the whole play as popeye does.",
        type=click.Choice([str(notation) for notation in Notation]),
        metavar="NAME",
    ),
    option(
        "--uci-moves/--san uci",
        "Print moves as e2e4, or as e4 (default).",
        default=None,
    ),
)
"""Adds the options about compositions, passed as `play: PlayRequest`.

`--max-solutions` is one of the `limits`."""


def is_collection(word: str) -> bool:
    """Return whether a command-line word is a file or `-`, rather than a FEN."""
    # Loading pathlib takes longer than solving a mate in 2.
    return word == console.STDIN or (
        os.path.exists(word) and not os.path.isdir(word)  # noqa: PTH110, PTH112
    )


class AnswerFiles(NamedTuple):
    """The files to write after an answer is printed; None if a file is not wanted.

    Attributes
    ----------
    certificate_path, svg_path, pgn_path, html_path : str or None
    certificate_format : str
        The format of the certificate.
    solver : bool
        Whether the page has what it needs to solve.
    """

    certificate_path: str | None
    svg_path: str | None
    pgn_path: str | None
    html_path: str | None
    certificate_format: str
    solver: bool

    @property
    def drawings(self) -> tuple[str | None, ...]:
        """The diagram, and the files that show the play."""
        return self.svg_path, self.pgn_path, self.html_path

    @property
    def shows_play(self) -> bool:
        """Whether a file shows the play."""
        return self.pgn_path is not None or self.html_path is not None
