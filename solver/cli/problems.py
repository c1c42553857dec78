"""Commands about problems: `inspect`, `convert`, `generate` and `board`."""

from __future__ import annotations

import json
import sys
import tempfile
import webbrowser
from collections import Counter, deque
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import click

from solver import errors, position_text
from solver.cli import auditing, console, options
from solver.columns import generate as core
from solver.files import write_whole
from solver.formats import claims, epd, registry, streams
from solver.output import audit_text
from solver.problem import MAX_NODES, Problem
from solver.search import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from solver.audit.corrections import Correction, Decisions
    from solver.audit.duplicates import Duplicate, Duplicates
    from solver.audit.store import Store


# --------------------------------------------------------------------------------------
# `matesolve inspect`, `convert` and `generate`: read, write and make problems.

# Inspect

SHOWN = 3
"""The number of records that are printed, and of those that are unreadable."""

SHOWN_DUPLICATES = 20
"""The number of groups of duplicates that are printed, and of records of each."""

FIRST = 1000
"""After this many records, what is understood so far is printed."""


@options.command("""
Exit codes (the first that applies):
   74  a file could not be read
   65  a record is unreadable, no file has a record, or no claim was read from
       fields that may hold one
    0  every record can be read

Examples:
  matesolve inspect puzzles.json
  matesolve inspect problems.csv --columns fen=Position,claim=N
  matesolve inspect *.pgn --json
  matesolve inspect mates.epd more.epd --duplicates
""")
@options.files
@auditing.reading("--format")
@options.flag("--json as_json", "Print indented JSON.")
@options.flag("--duplicates find_duplicates", "Find records with the same problem.")
@click.pass_context
def inspect(
    ctx: click.Context,
    *,
    files: tuple[str, ...],
    read_options: claims.ReadOptions,
    as_json: bool,
    find_duplicates: bool,
) -> None:
    """Show what is read from a file, without a search.

    FILE is anything that `verify` reads. What is understood of it is printed in one
    line: the format, the number of records, which field each part of a problem is read
    from, which fields are ignored, and how many records have no claim, a warning or an
    error. The first three records follow as they are read, then unreadable ones among
    the first thousand, up to three in all.

    For a longer file, the line is printed twice: after the first thousand records,
    which it calls a sample, and at the end. Use this command first on a file that
    another program wrote.

    --duplicates also lists the records of all files that pose the same problem, at the
    end or in the last object of JSON: the same position, one with other counters, a
    mirrored one, or one with colours exchanged. It prints each claim that differs from
    the first record's.
    """
    console.prepare_kernel()
    codes = {console.Exit.PROVED}
    read: list[claims.FileSummary] = []
    duplicates = None
    if find_duplicates:
        from solver.audit.duplicates import Duplicates

        duplicates = Duplicates()
    for number, file in enumerate(files, 1):
        summary = claims.FileSummary(streams.name_of(file))
        found = _inspect(
            file,
            summary,
            read_options,
            duplicates,
            as_json=as_json,
            is_last=number == len(files),
        )
        read += [] if console.Exit.IO in found else [summary]
        codes |= found
    codes |= auditing.report_empty(read)
    if duplicates and not as_json:
        _print_duplicates(duplicates)
    ctx.exit(console.foremost(codes))


def _print_duplicates(duplicates: Duplicates) -> None:
    """Print the first groups of duplicates, and how many there are."""
    from solver.audit.duplicates import DuplicateCounts

    counts = DuplicateCounts()
    for group in duplicates.groups():
        if not counts.groups:
            click.echo("duplicates:")
        counts.add([one.differs for one in group[1:]])
        if counts.groups <= SHOWN_DUPLICATES:
            click.echo("\n".join(_describe_group(group)))
    if counts.groups > SHOWN_DUPLICATES:
        click.echo(f"  and {counts.groups - SHOWN_DUPLICATES:,} more groups")
    groups = "group" if counts.groups == 1 else "groups"
    counted = f"{counts.groups:,} {groups} of duplicates: {counts}"
    click.echo(counted if counts.groups else "no duplicates")


def _describe_group(group: Sequence[Duplicate]) -> Iterator[str]:
    """Yield lines of text with a group of duplicates."""
    for one in group[:SHOWN_DUPLICATES]:
        name = audit_text.name_record(one.source, one.id)
        words = [f"{name} ({one.claim})", *filter(None, [one.words])]
        yield f"{'    ' if one.relation else '  '}{', '.join(words)}"
    if len(group) > SHOWN_DUPLICATES:
        yield f"    and {len(group) - SHOWN_DUPLICATES:,} more records"


def _inspect(
    file: str,
    summary: claims.FileSummary,
    read_options: claims.ReadOptions,
    duplicates: Duplicates | None,
    *,
    as_json: bool,
    is_last: bool,
) -> set[console.Exit]:
    """Print what is understood of a file; return the exit codes that follow."""
    codes: set[console.Exit] = set()
    records = registry.read_collection(file, read_options, summary)
    if duplicates:
        records = duplicates.note(records)
    first: list[Problem | errors.FormatError] = []
    following, sample = None, ""
    with _reading(file, codes):
        first += islice(records, FIRST)
        sample = f"{summary}; the first {FIRST:,} records"
        following = next(records, None)
    shown = _choose_shown(first)
    if not as_json and first:
        click.echo(summary if following is None else sample)
        for record in shown:
            click.echo("\n".join(f"  {line}" for line in _describe(record)))
    try:
        with _reading(file, codes):
            deque(records, 0)
    finally:  # also after an interrupt: what has been read by then
        if not as_json and following is not None:
            click.echo(summary)
    if as_json:
        read = {**summary.record(), "first": [*map(_record, shown)]}
        if duplicates and is_last:
            read["duplicates"] = [
                [one._asdict() for one in group] for group in duplicates.groups()
            ]
        console.echo_json(read, indent=2)
    if summary.unreadable:
        codes.add(console.Exit.BAD_INPUT)
    if console.Exit.IO in codes:
        return codes
    return codes | auditing.report_summary(summary, read_options, is_quiet=True)


def _choose_shown(
    sample: Sequence[Problem | errors.FormatError],
) -> list[Problem | errors.FormatError]:
    """Return the first records, and then the first unreadable ones among the others."""
    unreadable = [one for one in sample if isinstance(one, errors.FormatError)]
    first = [*sample[:SHOWN]]
    return first + [one for one in unreadable[:SHOWN] if one not in first]


@contextmanager
def _reading(file: str, codes: set[console.Exit]) -> Iterator[None]:
    """Print the error of a file that cannot be read, and add its exit code."""
    try:
        yield
    except OSError as error:
        console.notify(f"error: {file}: {error.strerror or error}")
        codes.add(console.Exit.IO)


def _record(record: Problem | errors.FormatError) -> dict[str, object]:
    """Return a record as it was read, as an object of JSON."""
    if isinstance(record, errors.FormatError):
        return {"source": record.source, "error": record.reason}
    fields = json.loads(registry.find_writer("jsonl").write(record))
    return {"source": record.source, **fields, "warnings": [*record.warnings]}


def _describe(record: Problem | errors.FormatError) -> Iterator[str]:
    """Yield lines of text with a record as it was read."""
    if isinstance(record, errors.FormatError):
        yield f"{record.source}: error: {record.reason}"
        return
    yield f"{record.source}: {record.id}"
    yield f"  {record.fen}"
    claim, stipulation = record.claim, record.stipulation.text
    if record.no_mate is not None:
        yield f"  claims no mate in {record.no_mate}"
    elif claim is None:
        yield "  claims nothing"
    else:
        mate = f"{'mate' if claim.mate > 0 else 'mated'} in {abs(claim.mate)}"
        yield f"  claims {stipulation or mate}"
        if claim.solutions is not None:
            yield f"  solutions: {claim.solutions}"
        if claim.keys:
            keys = position_text.first_moves(record.fen, claim.keys)
            yield f"  keys: {' '.join(keys)}"
        if claim.line:
            (line,) = position_text.write_lines(record.fen, [claim.line])
            yield f"  line: {' '.join(line)}"
    for warning in record.warnings:
        yield f"  warning: {warning}"


# Convert


@options.command("""
Exit codes (the first that applies):
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); nothing is written
   74  reading or writing failed; nothing is written
   65  some records were skipped, or there are none; with --correct: a damaged
       result was left out
    1  with --correct: some records are left as they were
    0  everything was written

Examples:
  matesolve convert lichess_db_puzzle.csv.zst mates.epd --min-claim 3
  matesolve convert mates.epd mates.inp
  matesolve convert - - --to jsonl < mates.pgn
  matesolve convert lichess_db_puzzle.csv.zst puzzles.jsonl --accepted
  matesolve convert mates.csv corrected.csv --correct run.db
""")
@click.argument("source", metavar="IN", type=options.FILE)
@click.argument("target", metavar="OUT", type=options.FILE)
@auditing.reading("--from")
@options.option(
    "--to target_format",
    "Format of the output. Default: by the suffix of OUT.",
    type=click.Choice(registry.WRITABLE),
)
@options.accepted
@options.file(
    "--correct store_path",
    "Write IN in its own format, with the mates that an audit with --store RUN.db "
    "proved in place of wrong claims.",
    metavar="RUN.db",
)
@options.option(
    "--drop",
    "With --correct: leave out records with the mark `reject`, `unreadable` ones, "
    "or `duplicates` that claim the same; comma-separated.",
    type=auditing.WordSet("reject", "unreadable", "duplicates"),
    default=auditing.NONE,
    metavar="WORDS",
)
@options.option(
    "--cooks",
    "With --correct: give records with the mark `cook` all keys that were found "
    "(default), or only the claim, without keys and line.",
    type=click.Choice(["keys", "claim"]),
    default="keys",
)
@options.flag(
    "--hints",
    "With --correct: write positions with the side to move, en passant square or "
    "castling rights with which the claim holds.",
)
@options.file(
    "--changes",
    "With --correct: write each correction, with its evidence, into FILE.jsonl or "
    "onto the page FILE.html. May be repeated.",
    multiple=True,
)
@options.escape_formulas
@click.pass_context
def convert(
    ctx: click.Context,
    *,
    source: str,
    target: str,
    read_options: claims.ReadOptions,
    target_format: str | None,
    accepted: bool,
    store_path: str | None,
    drop: frozenset[str],
    cooks: str,
    hints: bool,
    changes: tuple[str, ...],
    escape_formulas: bool,
) -> None:
    """Write a collection of problems in another format.

    IN may be in any format that `verify` reads, compressed or not. The suffix of OUT
    selects its format: .epd, .fen, .pgn, .jsonl, .csv, .parquet, .inp for Popeye, or
    .db3 for En Croissant; add .gz to compress it. OUT is replaced only when all of IN
    has been read; until then a hidden file beside it has the suffix .part1. If the
    command is killed, the next one that writes OUT deletes that file. - is standard
    input or output.

    A record that cannot be parsed, or that the output format cannot express, is
    reported and skipped. FENs keep no claims. Popeye's input cannot express that the
    side to move is mated, or how many solutions a help problem has. EPD and PGN do not
    record that any mate on the last move counts, as in lichess puzzles. .db3 has the
    claimed line, if it ends in mate, after a move of the opponent: the one in IN, or
    else a quiet move that is taken back.

    --accepted adds all moves that mate within the claimed number of moves: to JSON
    lines as `accepted`, to PGN as variations, to .db3 as lines where there are none.

    With --correct, IN is CSV, EPD, PGN, JSON, JSON lines or xlsx, and is read as the
    audit has read it. Wrong lengths, keys and lines are replaced; all else stays, in a
    text every other byte. For each wrong, unreadable or rejected record, a line on
    stderr says what was changed, or what is left and why. Records that an editor
    accepts stay as they are.
    """
    asked = target_format or registry.format_of(target)
    if accepted and (store_path is not None or asked not in registry.WITH_ACCEPTED):
        msg = "--accepted needs JSON lines, PGN or .db3, and no --correct."
        raise click.UsageError(msg)
    if store_path is not None:
        options.require_csv(is_csv=False, escapes=escape_formulas)
        from solver.audit.corrections import Decisions, Drop

        decisions = Decisions(frozenset(map(Drop, drop)), cooks == "claim", hints)
        if source == streams.STDIN or target_format is not None:
            raise click.UsageError(KEPT_FORMAT)
        ctx.exit(correct(source, target, store_path, read_options, decisions, changes))
    if drop or hints or changes or cooks != "keys":
        console.refuse_use("--drop, --cooks, --hints and --changes need --correct.")
    target_format = console.require_format(target, asked, registry.WRITABLE)
    is_csv = target_format == "csv"
    options.require_csv(is_csv=is_csv, escapes=escape_formulas)

    from solver.formats.rows import FormulaGuard

    console.prepare_outputs(target, reads=[source], stdout=True)
    console.prepare_kernel()
    summary, writer = claims.FileSummary(), registry.find_writer(target_format)
    progress, skipped = console.TimedProgress(), 0

    def rows() -> Iterator[object]:
        nonlocal skipped
        for record in registry.read_collection(source, read_options, summary):
            row = _written(record, writer, accepted=accepted)
            if isinstance(row, errors.FormatError):
                skipped += 1
                progress.notify(f"error: {row}")
            else:
                progress.done += 1
                yield row

    with console.open_target(target) as file, progress:
        guard = FormulaGuard(file, escapes=escape_formulas)
        writer.save(rows(), cast("BinaryIO", guard) if is_csv else file)
    guard.report(console.notify)
    console.notify(
        f"{progress.done:,} written, {summary.not_selected:,} not selected, "
        f"{skipped:,} skipped"
    )
    codes = auditing.report_summary(summary, read_options)
    codes |= auditing.report_empty([summary])
    if skipped:
        codes.add(console.Exit.BAD_INPUT)
    ctx.exit(console.foremost(codes | {console.Exit.PROVED}))


def _written(
    record: Problem | errors.FormatError, writer: registry.Writer, *, accepted: bool
) -> object:
    """Return the row of a record, with its accepted tree if asked, or an error."""
    if isinstance(record, errors.FormatError):
        return record
    try:
        trees = [_accept(record)] if accepted else []
        return writer.write(record, *trees)
    except errors.InputError as error:
        return errors.FormatError(record.source, str(error))


def _accept(record: Problem) -> dict[str, Any]:
    """Return the accepted tree of a problem, within its claimed number of moves.

    Raises
    ------
    InputError
        It claims no mate by the side to move, or there is none.
    """
    claim, other = record.claim, record.stipulation.beside_claim.text
    if claim is None or claim.mate < 0 or other:
        found = other or (f"mated in {-claim.mate}" if claim else "none")
        errors.refuse("claim: expected a mate by the side to move", found)
    from solver.columns.accepted import accepted

    tree = accepted(record.fen, claim.mate)
    if not tree["right_moves"]:
        moves = f"{claim.mate} move{'s' * (claim.mate != 1)}"
        errors.refuse(f"claim: expected a mate within {moves}", "none in this position")
    return tree


KEPT_FORMAT = "--correct needs the name of a file, and keeps its format."
"""Standard input cannot be read twice."""


def correct(
    source: str,
    target: str,
    store_path: str,
    read_options: claims.ReadOptions,
    decisions: Decisions,
    changes: tuple[str, ...],
) -> console.Exit:
    """Write a collection with the claims that an audit proved; see `convert`.

    Raises
    ------
    UsageError
        The output has the suffix of another format.
    """
    from solver.audit import corrections
    from solver.audit.store import Store
    from solver.cli.stores import Damaged

    formats = {*map(_format_of, (source, target))} - {None}
    if len(formats) > 1:
        raise click.UsageError(KEPT_FORMAT)
    if unknown := [one for one in changes if PurePath(one).suffix not in CHANGES]:
        expected = " or ".join(CHANGES)
        msg = f"--changes: expected a name with {expected}, found {unknown[0]!r}."
        raise click.UsageError(msg)
    inputs = [source, *console.store_files(store_path)]
    for written in (*changes, target):
        console.prepare_outputs(written, reads=inputs, stdout=written == target)
    console.prepare_kernel()
    damaged, progress = Damaged(), console.TimedProgress()
    made: list[corrections.Correction] = []

    def report(correction: corrections.Correction) -> None:
        made.append(correction)
        progress.notify(str(correction))

    def count() -> None:
        progress.done += 1

    with (
        Store(store_path, read_only=True) as store,
        console.open_target(target) as file,
        progress,
    ):
        stored = _stored_options(store, source, damaged.add)
        if read_options == claims.DEFAULTS:
            read_options = stored
        found = store.results(damaged.add)
        file.writelines(
            corrections.correct(source, read_options, found, report, decisions, count)
        )
    for path in changes:
        write_whole(path, CHANGES[PurePath(path).suffix](made, source))
    counts = Counter(
        "dropped" if one.dropped else "left" if one.left else "corrected"
        for one in made
    )
    console.notify(
        ", ".join(f"{counts[word]:,} {word}" for word in ("corrected", "left"))
        + f", {counts['dropped']:,} dropped" * bool(counts["dropped"])
    )
    codes = {damaged.finish(), console.Exit.PROVED}
    if counts["left"]:
        codes.add(console.Exit.NEGATIVE)
    return console.foremost(codes)


def _format_of(path: str) -> str | None:
    others = {".json": "json", ".xlsx": "xlsx"}
    return registry.format_of(path) or others.get(PurePath(path).suffix)


def _stored_options(
    store: Store, source: str, on_damaged: Callable[[errors.FormatError], object]
) -> claims.ReadOptions:
    """Return how the audit read a file, which may have been in another folder.

    Raises
    ------
    InputError
        The store has results of other files only.
    """
    readings, name = store.readings(on_damaged), streams.name_of(source)
    found = [one for one in readings if PurePath(one).name == PurePath(name).name]
    if readings and not found and Path(source).exists():
        expected = f"results of {PurePath(name).name}"
        msg = f"{store.path}: expected {expected}, found those of {', '.join(readings)}"
        raise errors.InputError(msg)
    text = readings.get(name) or readings.get(next(iter(found), ""))
    return claims.ReadOptions.from_json(text) if text else claims.DEFAULTS


def _as_lines(made: Sequence[Correction], _source: str) -> bytes:
    from solver.output.audit_records import correction_record

    lines = (json.dumps(correction_record(one)) + "\n" for one in made)
    return "".join(lines).encode()


def _as_page(made: Sequence[Correction], source: str) -> bytes:
    from solver.pages import collection_page

    return collection_page.render_page(
        [one.result for one in made],
        title=f"Corrections of {PurePath(streams.name_of(source)).name}",
        changes={one.result.source: one.said for one in made},
        most_agreeing=collection_page.MAX_ROWS,
    )


CHANGES: dict[str, Callable[[Sequence[Correction], str], bytes]] = {
    ".jsonl": _as_lines,
    ".html": _as_page,
}
"""What makes the file of `--changes`, by its suffix."""


# Generate


def _range(text: str) -> tuple[int, int]:
    sizes = {f"{least}-{most}": (least, most) for least, most in core.SIZES}
    if found := sizes.get(text if "-" in text else f"{text}-{text}"):
        return found
    msg = f"expected a range within 3 to 20, such as 5-9, found {text!r}"
    raise click.BadParameter(msg)


@options.command("""
Exit codes:
    0  all puzzles were made
    3  fewer puzzles were found
   74  writing failed
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP)

Examples:
  matesolve generate 2
  matesolve generate 3 --puzzles 1000 --seed 7 --unique-key > mates.epd
  matesolve generate 1 --pieces 3-5 | matesolve convert - mates.jsonl
""")
@click.argument("moves", metavar="N", type=options.whole(core.MOST_MOVES))
@options.number("--puzzles count", MAX_NODES, "P", "Make P puzzles.", default=10)
@options.seed("puzzles")
@options.option(
    "--pieces",
    "Place so many pieces, kings included (3 to 20).",
    type=_range,
    default="5-9",
    show_default=True,
    metavar="MIN-MAX",
)
@options.flag("--unique-key", "Make only puzzles with exactly one key.")
@click.pass_context
def generate(ctx: click.Context, /, moves: int, count: int, **chosen: Any) -> None:
    """Make new puzzles with proved mates.

    The shortest mate takes N moves, 1 to 6. The puzzles are printed as EPD with all
    keys and the mating line; `convert` writes other formats. Pieces are placed at
    random, so a new seed gives positions that no model has memorised. No key takes a
    piece, and neither side is more than a rook ahead. No two puzzles of a run are the
    same, mirrored or with colours changed.

    The same arguments print the same bytes on every machine. The command stops if a
    billion nodes, or two million positions, bring no new puzzle.
    """
    console.prepare_kernel()
    how = "--seed {seed} --pieces {pieces[0]}-{pieces[1]}".format(**chosen)
    unique = " --unique-key" * chosen["unique_key"]
    click.echo(f"# matesolve generate {moves} {how}{unique}")
    found = core.generate(moves, count, jobs=threads.usable_cores(), **chosen)
    progress = console.TimedProgress(total=lambda: count)
    # On a terminal, the puzzles themselves show the progress.
    with nullcontext() if console.is_terminal(sys.stdout) else progress:
        for problem in found:
            click.echo(epd.write_epd(problem), nl=False)
            progress.done += 1
    if progress.done < count:
        console.notify(
            f"{progress.done:,} of {count:,} made: a billion nodes found no more"
        )
        ctx.exit(console.Exit.LIMIT)


# --------------------------------------------------------------------------------------
# `matesolve board`: a page that sets up, solves and plays, or shows a collection.


@options.command("""
Exit codes (the first that applies):
  74  a file could not be read or written
  65  the FEN is invalid, a damaged record is listed as unreadable or left out
      of a store, or no claim was read from fields that may hold one
   0  the page was written

Examples:
  matesolve board
  matesolve board 8/7K/8/8/8/8/R7/7k
  matesolve board "8/8/8/8/8/5KR1/8/7k w - -" -o board.html
  matesolve board mates.epd
  matesolve board run.db
""")
@click.argument("position", nargs=-1, metavar="[FEN...|FILE]")
@options.output("No browser is opened.", required=False)
@auditing.reading("--format")
@click.pass_context
def board(
    ctx: click.Context,
    *,
    position: tuple[str, ...],
    output: str | None,
    read_options: claims.ReadOptions,
) -> None:
    """Set up and solve positions, or browse collections, in a web browser.

    The board is one web page with the compiled search in it. It needs no network and no
    other program. It searches while you move pieces, shows what is proved so far,
    unfolds the play of a composition, and counts the nodes that search techniques save.

    FEN is the position to begin with, or the address of a position on lichess or
    chess.com, or what else `solve` reads as one. Default: a mate in 8.

    FILE is a collection that `verify` reads, a store written by `verify --store`, or
    the records of `verify --jsonl`. The page lists its records beside the board; you
    can filter, sort, mark and solve them again. If a file has this name, it is read as
    a file and not as a FEN.

    Without -o the page is written to a private temporary folder and opened.
    """
    file = position[0] if len(position) == 1 and Path(position[0]).exists() else ""
    if output:
        console.prepare_outputs(output, reads=console.store_files(file) if file else ())
    codes = {console.Exit.PROVED}
    if file:
        from solver.cli import stores

        title = Path(file).name
        page, codes = stores.render_collection(
            file, title=title, can_solve=True, read_options=read_options
        )
    else:
        page = _render_board(position)
    if output:
        write_whole(output, page)
        console.notify(f"{output}: written")
    else:
        _open(page)
    ctx.exit(console.foremost(codes))


def _render_board(words: Sequence[str]) -> bytes:
    """Return the board of one position.

    Raises
    ------
    InputError
        It is not a FEN.
    """
    from solver.pages import viewer_pages

    start = viewer_pages.PROBLEM
    if words:
        start = console.read_position(words).fen
    modules = console.prepare_modules(viewer_pages.SOLVER_PARTS)
    return viewer_pages.encode_board(modules, start)


def _open(page: bytes) -> None:
    path = Path(tempfile.mkdtemp(prefix="matesolve-")) / "board.html"
    path.write_bytes(page)
    click.echo(path)
    if not webbrowser.open(path.as_uri()):
        console.notify("found no browser; open the file above in one")
