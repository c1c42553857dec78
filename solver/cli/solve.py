"""`matesolve solve`: solve one position, or each line of standard input."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from solver import errors, solving
from solver.cli import console, options, signals
from solver.output import Notation
from solver.output.text import describe, duration
from solver.problem import (
    DEFAULT_CHECKPOINT_MB,
    MATE,
    MAX_HASH_MIB,
    RANGES,
    Limits,
    Problem,
    Restriction,
    Stipulation,
)
from solver.search import queries, threads
from solver.solution import Solution, Status, StoppedBy
from solver.stipulations import genre_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from solver.endgames.tablebases import Tablebases
    from solver.output import shown_play
    from solver.position_text import GivenPosition
    from solver.search.checkpoints import Checkpoint

EXITS = {
    Status.PROVED: console.Exit.PROVED,
    Status.FOUND: console.Exit.LIMIT,
    Status.DISPROVED: console.Exit.NEGATIVE,
    Status.UNDECIDED: console.Exit.LIMIT,
}


class Checkpoints(NamedTuple):
    """Where a search keeps what it has proved.

    Attributes
    ----------
    checkpoint_paths : tuple of str
        Files to begin with; the first is written. Empty: it keeps nothing.
    checkpoint_key : str or None
        The file with the key that signs them; None: the user's own.
    checkpoint_mb : int
        The largest size in megabytes.
    """

    checkpoint_paths: tuple[str, ...]
    checkpoint_key: str | None
    checkpoint_mb: int

    def require_paths(self) -> None:
        """Refuse the other options without a file."""
        others = (self.checkpoint_key, self.checkpoint_mb)
        if not self.checkpoint_paths and others != (None, DEFAULT_CHECKPOINT_MB):
            console.refuse_use(
                "--checkpoint-key and --checkpoint-size need --checkpoint."
            )

    @contextmanager
    def searching(
        self, solver: solving.Solver, question: queries.Question
    ) -> Iterator[None]:
        """Load the files, then save the search in the block now and then.

        Raises
        ------
        CheckpointError
            A file is none of this search, or the key is not the user's alone.
        OSError
            A file cannot be read.
        """
        from pathlib import Path

        from solver.search import checkpoints

        wanted = checkpoints.Checkpoint.about(question.problem, question.restriction)
        paths, key = self.checkpoint_paths, self.checkpoint_key
        checkpoints.read_key(key)  # even if there is no file yet
        for path in dict.fromkeys(paths):
            if path != paths[0] or Path(path).exists():
                found = solver.load(path, key)
                found.require_about(wanted, path, "stipulation")
                if path == paths[0]:  # which is written
                    found.require_about(wanted, path, "fen", "restriction")
                console.notify(f"{path}: {_costs(found)}")
        with checkpoints.saving(lambda: self._save(solver)):
            yield

    def finish(self, solver: solving.Solver, *, is_over: bool) -> console.Exit:
        """Save the search, which may go on another time."""
        path = self.checkpoint_paths[0]
        try:
            words = _costs(self._save(solver))
        except OSError as error:
            console.notify(f"error: {error.filename or path}: {error.strerror}")
            return console.Exit.IO
        except errors.CheckpointError as error:  # the key has changed meanwhile
            console.notify(f"error: {error}")
            return console.Exit.BAD_INPUT
        if not is_over:
            console.notify(f"{path}: {words}; the same command goes on")
        return console.Exit.PROVED

    def _save(self, solver: solving.Solver) -> Checkpoint:
        path, key, most_mb = self
        return solver.save(path[0], key, most_mb=most_mb)


def _costs(checkpoint: Checkpoint) -> str:
    """Describe what a checkpoint has, and what it has cost."""
    number = checkpoint.searches
    searches = "1 search" if number == 1 else f"{number:,} searches"
    took = f"{checkpoint.nodes:,} nodes in {duration(checkpoint.time_s)}"
    return f"bounds of {checkpoint.positions:,} positions, {searches}, {took}"


@options.command("""
Exit codes:
  0  a mate, proved to be the shortest; in help play, all solutions
  1  proved: no mate in the number of moves searched
  3  a limit was hit: no mate found, or a shorter one is still possible
With several positions, the exit code is the highest of any. An unreadable
line, or none at all, counts as 65, an interrupt (Ctrl-C, SIGTERM, SIGHUP) as 130.

Examples:
  matesolve solve 8/7K/8/8/8/8/R7/7k w - - 0 1
  matesolve solve "8/8/8/8/8/5K2/R7/7k w - -" --board
  matesolve solve 8/7K/8/8/8/8/R7/7k -n 9 --time 10 --json
  matesolve solve 8/7K/8/8/8/8/R7/7k --certificate proof.json
  matesolve solve 8/7K/8/8/8/8/R7/7k --pgn mate.pgn --html mate.html
  matesolve solve "8/8/8/8/8/5KR1/8/7k w - -" --set-play --tries
  matesolve solve "8/8/8/8/8/5KR1/8/7k w - -" --accepted --json
  matesolve solve 8/5K2/2r5/7p/5R2/6B1/8/7k --stipulation h#2
  matesolve solve - --first --jsonl < positions.txt
""")
@click.argument("fen", nargs=-1, required=True, metavar="FEN...")
@options.limits()
@options.one_position
@options.moves
@options.restriction
@options.flag("--first", "Stop at the first key.")
@options.tablebases
@options.play
@options.flag("--board", "Draw the position above the answer.")
@options.gathered(
    "files",
    options.AnswerFiles,
    options.file(
        "--certificate certificate_path",
        "Write a proof that `matesolve check` can verify.",
    ),
    options.certificate_format,
    options.file("--svg svg_path", "Write a diagram with the keys drawn in."),
    options.file(
        "--pgn pgn_path", "Write the keys and all defences as a game with variations."
    ),
    options.file(
        "--html html_path",
        "Write a web page. The page has the answer, a diagram and the variations.",
    ),
    options.solver,
)
@options.gathered(
    "kept",
    Checkpoints,
    options.file(
        "--checkpoint checkpoint_paths",
        "Save what is proved to FILE now and then, and go on from it. Other files "
        "that are named after it are merged.",
        multiple=True,
    ),
    options.checkpoint_key,
    options.number(
        "--checkpoint-size checkpoint_mb",
        MAX_HASH_MIB,
        "MB",
        "Let a checkpoint take MB megabytes at most.",
        default=DEFAULT_CHECKPOINT_MB,
    ),
)
@options.json_record
@options.jsonl
@click.pass_context
def solve(
    ctx: click.Context,
    fen: tuple[str, ...],
    *,
    limits: Limits,
    cores: options.Cores,
    moves: str,
    restriction: Restriction,
    tablebases: Tablebases | None,
    play: options.PlayRequest,
    first: bool,
    board: bool,
    files: options.AnswerFiles,
    kept: Checkpoints,
    as_json: bool,
    jsonl: bool,
) -> None:
    """Find the shortest forced mate in a position.

    FEN is a position in 1, 2, 4 or 6 fields, with or without quotes, or the address of
    a position on lichess or chess.com. Missing fields mean White to move, no castling
    and no en passant. What makes no sense, such as a castling right without its rook,
    is left out with a warning. `startpos`, moves after a FEN (`FEN moves e2e4 ...`) and
    a game in PGN also give a position. With -, each line of standard input is a FEN or
    an EPD record, and is answered as soon as it is read.

    The answer is the shortest mate, with a line against the longest defence, every key
    (a first move that forces this mate), and what is proved. Hitting a limit never
    means "no mate": it prints what was proved so far.

    A restriction of the attacker narrows the search, which then reaches deeper. A mate
    found under a restriction is a mate; "no mate" only covers the moves allowed.

    A certificate proves the mate. It also proves that no mate is shorter, unless that
    proof is too large to write. FILE is compressed if its name ends in .gz.

    --accepted prints every move that a puzzle site should take for right: those that
    mate as fast, at each of the attacker's turns. The defender has one reply to each.
    The tree is cut at 10,000 moves.

    --variations prints the whole play: keys with their threats, defences and
    continuations; --set-play and --tries add to it. --pgn and --html show the same
    play; without these options, they show every key and every defence. If that is too
    much, they leave out the variations farthest from the key, and say so.

    --stipulation searches for something other than the shortest mate: mate or stalemate
    in an exact number of moves, selfmates, reflexmates, or all solutions of help play.
    In help play, if the FEN has no side to move, Black begins, or White if the
    stipulation ends in .5.
    """
    _refuse_conflicts(play, ctx.params)
    if as_json and jsonl:
        console.refuse_use("--json and --jsonl cannot be combined.")
    if (as_json or jsonl) and board:
        console.refuse_use("--board needs text output, not --json or --jsonl.")

    if play.accepted and not restriction.is_open:
        console.refuse_use(f"{_RESTRICTING} cannot be combined with --accepted.")

    many = fen == (console.STDIN,)
    if many:
        _refuse_single(moves, files, kept)
    if files.solver and files.html_path is None:
        console.refuse_use("--solver needs --html.")
    options.require_certificate(
        "--certificate", files.certificate_path, files.certificate_format
    )

    kept.require_paths()
    console.prepare_outputs(*files[:4], *kept.checkpoint_paths[:1])
    limits = cores.limits(limits)
    answers = (
        JsonAnswers(2 if as_json else None, with_play=play.is_shown)
        if as_json or jsonl
        else TextAnswers(play, board, spaced=many)
    )

    def question(problem: Problem | str) -> queries.Question:
        if play.stipulation is not None:
            problem = _demand(problem, play.stipulation)
        return queries.read_question(
            problem, limits, keys=not first, restriction=restriction
        )

    questions: Iterable[queries.Question | errors.FormatError]
    if many:
        questions = _read_stdin(question)
    else:
        black = not (play.stipulation or MATE).white_begins
        position = _read_position(fen, moves, black=black)
        asked = question(position.fen)
        warned = replace(asked.problem, warnings=position.warnings)
        questions = [replace(asked, problem=warned) if position.warnings else asked]
    outputs = Outputs(answers, play, files)
    ctx.exit(answer_each(questions, limits, outputs, tablebases, kept))


def _refuse_single(moves: str, files: options.AnswerFiles, kept: Checkpoints) -> None:
    """Refuse what takes a single position.

    Raises
    ------
    click.UsageError
        Names the options in one line.
    """
    if files.certificate_path is not None:
        console.refuse_use(
            "--certificate takes a single position; for several, use "
            "`matesolve verify --certificates`."
        )
    if kept.checkpoint_paths:
        console.refuse_use(
            "--checkpoint takes a single position; for several, use "
            "`matesolve verify --store STORE --checkpoints`."
        )
    if moves:
        console.refuse_use("--moves takes a single position.")
    if files.svg_path is not None or files.shows_play:
        console.refuse_use("--svg, --pgn and --html take a single position.")


def _refuse_conflicts(play: options.PlayRequest, given: Mapping[str, Any]) -> None:
    """Refuse options about the play that contradict others or have no effect.

    Parameters
    ----------
    play : PlayRequest
        What is asked about the play.
    given : mapping
        The parameters of `solve`, as click has read them.

    Raises
    ------
    click.UsageError
        Names the options in one line.
    """
    details = {
        "--no-threats": given["no_threats"],
        "--all-defences": given["all_defences"],
        "--depth": given["depth"],
    }
    is_drawn = given["pgn_path"] is not None or given["html_path"] is not None
    for name, is_given in details.items():
        if is_given and not (play.is_shown or is_drawn):
            console.refuse_use(f"{name} needs --variations, --pgn or --html.")
    if play.notation is Notation.POPEYE and (given["as_json"] or given["jsonl"]):
        msg = "--notation popeye needs text output, not --json or --jsonl."
        raise click.UsageError(msg)
    if not play.stipulation:
        if given["max_solutions"] and given["fen"] != (console.STDIN,):
            msg = "--max-solutions needs help play, such as --stipulation h#2."
            raise click.UsageError(msg)
        return
    if given["max_moves"]:
        console.refuse_use("--stipulation and --search-moves cannot be combined.")
    _refuse_unused(play.stipulation, details, given)


_RESTRICTING = "--checks-only, --king-flights, --replies and --threat"


def _refuse_unused(
    stipulation: Stipulation, details: dict[str, Any], given: Mapping[str, Any]
) -> None:
    """Refuse options that have no effect under a stipulation.

    Parameters
    ----------
    stipulation : Stipulation
    details : dict
        Options about variations, and whether each is given.
    given : mapping
        See `_refuse_conflicts`.
    """
    kind = genre_of(stipulation)
    unused = {"--max-solutions": given["max_solutions"]}
    if not kind.has_variations:
        unused = details | {"--tries": given["tries"]}
    if not kind.has_certificates:
        unused["--certificate"] = given["certificate_path"] is not None
    if not kind.has_tablebases:
        unused["--tablebases"] = given["directories"]
    unused["--accepted"] = given["accepted"] and stipulation.beside_claim.text
    if not kind.has_restrictions:
        is_restricted = any(given[name] is not None for name in RANGES)
        unused[_RESTRICTING] = given["checks_only"] or is_restricted
    for name, is_given in unused.items():
        if is_given:
            msg = f"{name} cannot be combined with --stipulation {stipulation}."
            raise click.UsageError(msg)


def _demand(problem: Problem | str, stipulation: Stipulation) -> Problem:
    """Return a problem with this stipulation in place of any other claim.

    The stipulation also says who begins if the FEN does not.
    """
    if isinstance(problem, str):
        return Problem(problem, stipulation=stipulation)
    fen = problem.fen if problem.names_side else problem.fen.split()[0]
    return Problem(fen, problem.id, source=problem.source, stipulation=stipulation)


def _read_position(words: tuple[str, ...], moves: str, *, black: bool) -> GivenPosition:
    """Read a position; name the command that reads files if a file is in its place."""
    text = " ".join(words)
    if options.is_collection(text):
        import shlex

        msg = f"expected a FEN, found a file: try matesolve verify {shlex.quote(text)}"
        raise errors.FenError(msg)
    return console.read_position(words, moves, black=black)


def _read_stdin(
    question: Callable[[Problem], queries.Question],
) -> Iterator[queries.Question | errors.FormatError]:
    from solver.formats import claims, registry

    lines = registry.read_collection(console.STDIN, claims.ReadOptions(by_line=True))
    for problem in lines:
        if isinstance(problem, Problem):
            for warning in problem.warnings:
                console.notify(f"warning: {problem.source}: {warning}")
        try:
            yield (
                problem
                if isinstance(problem, errors.FormatError)
                else question(problem)
            )
        except errors.InputError as error:
            yield errors.FormatError(problem.source, str(error))


class Outputs(NamedTuple):
    """Where answers go.

    Attributes
    ----------
    answers : JsonAnswers or TextAnswers
        Prints each answer on stdout as soon as it is known, then its play.
    play : PlayRequest
        What is asked about the play.
    files : AnswerFiles
    """

    answers: JsonAnswers | TextAnswers
    play: options.PlayRequest
    files: options.AnswerFiles


def answer_each(
    questions: Iterable[queries.Question | errors.FormatError],
    limits: Limits,
    outputs: Outputs,
    tablebases: Tablebases | None,
    kept: Checkpoints,
) -> console.Exit:
    """Answer questions in their order, to the end or until an interrupt.

    Parameters
    ----------
    questions : iterable of Question or FormatError
        An error stands for a line that could not be read.
    limits : Limits
        The memory and the threads to use.
    outputs : Outputs
        Where the answers go.
    tablebases : Tablebases or None
        Tablebases to probe.
    kept : Checkpoints
        Where a single question keeps what it has proved.

    Returns
    -------
    Exit
        The highest exit code of any answer.
    """
    console.prepare_kernel()
    solver = solving.Solver(limits.hash_mib, tablebases, threads=limits.threads)
    highest = console.Exit.PROVED
    is_empty = True
    for question in questions:
        is_empty = False
        if isinstance(question, errors.FormatError):
            outputs.answers.refuse(question)
            code = console.Exit.BAD_INPUT
        else:
            code = _answer_one(question, solver, outputs, kept)
        highest = max(highest, code)
        if code is console.Exit.INTERRUPTED:
            break
    if is_empty:
        console.notify("error: stdin: expected a position, found none")
        return console.Exit.BAD_INPUT
    return highest


def _answer_one(
    question: queries.Question,
    solver: solving.Solver,
    outputs: Outputs,
    kept: Checkpoints,
) -> console.Exit:
    """Answer a question: print the answer, then whatever takes longer, until Ctrl-C."""
    console.prepare_stipulation(question.problem.stipulation)
    control = threads.Control()
    is_kept = bool(kept.checkpoint_paths)
    with kept.searching(solver, question) if is_kept else nullcontext():
        solution = console.run_interruptible(
            lambda: solver.answer(question, control), control
        )
    answers, asked, files = outputs
    # The control also knows of an interrupt that came when the search had just ended.
    patience = signals.Patience(is_interrupted=control.reason is StoppedBy.INTERRUPT)
    with signals.interruptible(patience):
        answers.print(solution, patience.is_over)
    code = (
        console.Exit.INTERRUPTED if patience.is_interrupted else EXITS[solution.status]
    )
    if is_kept:
        is_over = solution.stopped_by is None
        code = max(code, kept.finish(solver, is_over=is_over))
    if files.certificate_path is not None:
        from solver.cli import answer_files

        path = files.certificate_path
        if code is console.Exit.INTERRUPTED:
            answer_files.name_unwritten(path)
        else:
            form = files.certificate_format
            written = answer_files.write_certificate(
                path, form, solution, solver.workspace
            )
            code = max(code, written)
    play: shown_play.ShownPlay | None = None
    is_stopped = code is console.Exit.INTERRUPTED
    if (asked.is_shown or files.shows_play) and not is_stopped:
        from solver.cli import answer_files

        popeye = asked.notation is Notation.POPEYE or files.html_path is not None
        play = answer_files.build_play(question, solution, solver, asked, popeye=popeye)
        if play is None:
            code = console.Exit.INTERRUPTED
    if asked.is_shown and play is None:
        console.notify("interrupted: the play is not shown")
    with signals.interruptible(patience):
        answers.print_play(solution, play if asked.is_shown else None, patience.is_over)
    if patience.is_interrupted:
        code, is_stopped = console.Exit.INTERRUPTED, True
    if any(files.drawings):
        from solver.cli import answer_files

        if is_stopped:
            answer_files.name_unwritten(*files.drawings)
        else:
            code = max(code, answer_files.write_drawings(files, solution, play))
    return code


class JsonAnswers(NamedTuple):
    """Prints answers as JSON, each as one record together with its play.

    Attributes
    ----------
    indent : int or None
        Spaces a level; None: one record a line.
    with_play : bool
        Whether the play is asked for; a record then waits for it.
    """

    indent: int | None
    with_play: bool

    def print(self, solution: Solution, is_over: Callable[[], bool]) -> None:
        """Print the record of an answer, unless its play follows."""
        if not self.with_play:
            self._print(solution, None, is_over)

    def print_play(
        self,
        solution: Solution,
        play: shown_play.ShownPlay | None,
        is_over: Callable[[], bool],
    ) -> None:
        """Print the record of an answer with its play, if play is wanted."""
        if self.with_play:
            self._print(solution, play, is_over)

    def _print(
        self,
        solution: Solution,
        play: shown_play.ShownPlay | None,
        is_over: Callable[[], bool],
    ) -> None:
        if not solution.solutions and play is None:
            console.echo_json(solution.to_dict(), self.indent)
            return
        from solver.output import answer_record

        record = replace(solution, solutions=()).to_dict()
        if solution.solutions:
            record["solutions"] = solution.solutions
        if play is not None:
            record[play.in_record] = play.record()
        for text in answer_record.dump_solutions(record, self.indent, is_over):
            click.echo(text, nl=False)
        click.echo()

    def refuse(self, error: errors.FormatError) -> None:
        """Print a record with the error in place of an answer."""
        from solver.output import audit_records

        console.echo_json(audit_records.unreadable_record(error), self.indent)


class TextAnswers(NamedTuple):
    """Prints answers as text.

    Attributes
    ----------
    request : PlayRequest
        What is asked about the play, and the notation of moves.
    board : bool
        Draw the position first.
    spaced : bool
        Print a blank line after each answer.
    """

    request: options.PlayRequest
    board: bool
    spaced: bool

    def print(self, solution: Solution, _is_over: Callable[[], bool]) -> None:
        """Print an answer, below its diagram if one is wanted."""
        if self.board:
            click.echo(f"{solution.board}\n")
        console.print_parts(
            describe(solution, uci=self.request.notation is Notation.UCI)
        )

    def refuse(self, error: errors.FormatError) -> None:
        """Print on stderr why a line has no answer."""
        console.notify(f"error: {error}")

    def print_play(
        self,
        solution: Solution,
        play: shown_play.ShownPlay | None,
        is_over: Callable[[], bool],
    ) -> None:
        """Print the play below the answer, and the blank line that ends both.

        Below a sound problem that asks for a length there is `C+` at least.
        """
        problem = solution.problem
        is_asked = problem.claim is not None
        is_sound = is_asked and genre_of(problem.stipulation).is_sound(solution)
        if play is not None or solution.solutions or is_sound:
            from solver.cli import answer_files

            answer_files.print_play(solution, play, self.request.notation, is_over)
        if self.spaced:
            click.echo()
