"""What `solve` and `verify` write beside the answer: play, certificates, pages."""

from __future__ import annotations

import errno
import re
import threading
import unicodedata
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver import errors, problem
from solver.audit import results
from solver.certificate import build, matebench
from solver.cli import console
from solver.files import make_folder, require_writable, write_whole
from solver.kernel.border.parts import SEARCH
from solver.output import Notation, shown_play
from solver.stipulations import genre_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from solver import solving
    from solver.cli import options
    from solver.search import queries, threads, workspaces
    from solver.solution import Solution


# --------------------------------------------------------------------------------------
# Build and print the play that `solve` shows with its answer.


def build_play(
    question: queries.Question,
    solution: Solution,
    solver: solving.Solver,
    request: options.PlayRequest,
    *,
    popeye: bool,
) -> shown_play.ShownPlay | None:
    """Build the play of an answer, with progress shown; None after Ctrl-C.

    With `popeye`, it can be written in Popeye's text too.
    """
    wanted = request.options._replace(popeye=popeye)
    find: Callable[[threads.Control], shown_play.ShownPlay]
    find = partial(shown_play.find_play, question, solution, solver, wanted)
    if request.accepted:
        find = partial(shown_play.find_accepted, question, solution)
    try:
        return console.build_stoppable("play", find)
    except errors.BuildingStoppedError:
        return None


def print_play(
    solution: Solution,
    play: shown_play.ShownPlay | None,
    notation: Notation,
    is_over: Callable[[], bool],
) -> None:
    """Print the play below its answer, wrapped, and styled on a terminal.

    Parameters
    ----------
    solution : Solution
        The answer.
    play : ShownPlay or None
        Its play; None: not built. Solutions of help play are printed all the same.
    notation : Notation
        How moves are written.
    is_over : callable
        Whether solutions of help play that are not yet printed are only counted.
    """
    play = play or shown_play.ShownSolutions(solution)
    if isinstance(play, shown_play.ShownSolutions):
        play = replace(play, is_over=is_over)
    if notation is Notation.POPEYE:
        for text in play.popeye():
            click.echo(text, nl=False)
        click.echo()
        return
    console.print_parts(shown_play.play_lines(solution, play, notation))


# --------------------------------------------------------------------------------------
# The files that `solve` and `verify` write: certificates, diagrams, games, pages.
#
# A proof or a tree of variations can take longer to build than the answer, so progress
# is shown; after an interrupt no file is written.

LARGE_BYTES = 1 << 16
"""Files of this size or more are compressed if the program chooses their names."""

NAME_CHARACTERS = 80
"""The most characters of an id in a file name."""

NAME_BYTES = 160
"""Most file systems have room for 255, with a number, a suffix and a temporary name."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._+\x80-\U0010FFFF-]+")

_RESERVED = re.compile(
    r"(con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3])(\..*)?", re.IGNORECASE
)
"""Names of devices, which Windows finds in any folder and with any suffix."""


def file_stem(name: str) -> str:
    """Return a file name for a text, without a suffix, that any file system takes.

    ASCII letters, digits and `._+-` stay, and other scripts as far as they can be
    printed; `-` takes the place of the rest.
    """
    text = unicodedata.normalize("NFC", name)
    printable = "".join(one if one.isprintable() else "-" for one in text)
    stem = _UNSAFE.sub("-", printable).strip(".-")[:NAME_CHARACTERS]
    stem = stem.encode()[:NAME_BYTES].decode(errors="ignore").rstrip(".-")
    return f"_{stem}" if _RESERVED.fullmatch(stem) else stem or "position"


def name_unwritten(*paths: str | None) -> None:
    """Name on stderr the files that an interrupt leaves unwritten."""
    for path in filter(None, paths):
        console.notify(f"interrupted: {path} is not written")


def write_certificate(
    path: str, form: str, solution: Solution, workspace: workspaces.Workspace
) -> console.Exit:
    """Build the certificate of `solve --certificate`, and write it.

    After Ctrl-C there is no file.

    Parameters
    ----------
    path : str
        The file is compressed if this ends in .gz.
    form : str
        The format.
    solution : Solution
        The answer.
    workspace : Workspace
        The memory of its search.

    Returns
    -------
    Exit
        LIMIT if nothing is proved that could be written.
    """
    try:
        data, left_out = console.build_stoppable(
            "certificate",
            lambda control: matebench.encode_claim(
                build.certify_last(solution, workspace, control), form, control
            ),
        )
    except errors.BuildingStoppedError:
        name_unwritten(path)
        return console.Exit.INTERRUPTED
    for notice in left_out:
        console.notify(f"{path}: {notice}")
    if data is None:
        reason = "every part is left out" if left_out else "nothing was proved"
        console.notify(f"{path}: not written, because {reason}")
        return console.Exit.LIMIT
    build.write(data, Path(path))
    return console.Exit.PROVED


class CertificateFolder:
    """The folder of `verify --certificates`, with a file for each position.

    Parameters
    ----------
    path : str
        The folder is created if it does not exist.
    notify : callable
        Prints, in one line, what is left out or could not be written.
    reads : iterable of str
        Files that the command reads; none of them is overwritten.

    Raises
    ------
    OSError
        The folder cannot be created or written to.
    """

    def __init__(
        self, path: str, notify: Callable[[str], None], reads: Iterable[str] = ()
    ) -> None:
        self._path = Path(path)
        self._inputs = console.identify_inputs(reads)
        make_folder(self._path)
        require_writable(str(self._path / "certificate"))
        self._notify = notify
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._choosing = threading.Lock()
        self._left_out: Counter[str] = Counter()
        self.code = console.Exit.PROVED
        """`IO` once a file could not be written. The other files are still written."""

    def name(
        self, records: Iterable[problem.Problem | errors.FormatError]
    ) -> Iterator[problem.Problem | errors.FormatError]:
        """Yield the records of a collection, and choose the names of their files.

        Names in this order are the same however many workers there are, and when an
        audit resumes, which therefore overwrites no certificate of another record.
        """
        for record in records:
            if isinstance(record, problem.Problem) and _can_be_certified(
                record.stipulation
            ):
                self._names[record.source, record.id] = self._choose(record.id)
            yield record

    def add(self, result: results.AuditResult) -> None:
        """Write the certificate of an answer, and print what it leaves out.

        Several threads may call this at once.
        """
        if not _can_be_certified(result.asked):
            return
        chosen = self._names.get((result.source, result.id))
        name = chosen or self._choose(result.id)
        for notice in result.notices:
            self._notify(f"{name}: {notice}")
        if result.certificate is None:
            return
        try:
            self._write(result.certificate, name)
        except OSError as error:
            self._notify(f"error: {error.filename}: {error.strerror}")
            self.code = console.Exit.IO

    def finish(self, result: results.AuditResult, *, wanted: bool = True) -> None:
        """Forget a result's name, and count it if it has no certificate but should."""
        self._names.pop((result.source, result.id), None)
        if result.fen is None or not wanted:
            return
        if not _can_be_certified(result.asked):
            self._left_out["they are not about a mate"] += 1
        elif result.origin == results.Origin.STORED:
            self._left_out["their answers are from the store"] += 1
        elif result.origin == results.Origin.REPEATED:
            self._left_out["they repeat the question of an earlier record"] += 1

    def totals(self) -> Iterator[str]:
        """Yield how many answers have no certificate, a line for each reason."""
        for reason, number in self._left_out.items():
            yield f"{number:,} without a certificate, because {reason}"

    def _write(self, data: bytes, name: str) -> None:
        suffix = ".json.gz" if len(data) >= LARGE_BYTES else ".json"
        target = self._path / (name + suffix)
        if console.identify_file(str(target)) in self._inputs:
            reason = "expected a new file, found an input"
            raise FileExistsError(errno.EEXIST, reason, str(target))
        build.write(data, target)

    def _choose(self, id_: str) -> str:
        """Return a file name for an id that is used once, whatever the case."""
        name = stem = file_stem(id_)
        with self._choosing:
            while (folded := _folded(name)) in self._taken:
                self._counts[_folded(stem)] += 1
                name = f"{stem}-{self._counts[_folded(stem)] + 1}"
            self._taken.add(folded)
        return name


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())


def _can_be_certified(stipulation: problem.Stipulation) -> bool:
    return genre_of(stipulation).has_certificates


def write_drawings(
    files: options.AnswerFiles, solution: Solution, play: shown_play.ShownPlay | None
) -> console.Exit:
    """Write the files of `solve --svg`, `--pgn` and `--html`.

    Parameters
    ----------
    files : AnswerFiles
        Their names.
    solution : Solution
        The answer.
    play : ShownPlay or None
        Its play; None: an interrupt came, and only the diagram is written.

    Raises
    ------
    OSError
        A file cannot be written.
    """
    from solver.pages import viewer_pages

    if files.svg_path is not None:
        write_whole(files.svg_path, shown_play.encode_svg(solution))
    if play is None:
        name_unwritten(files.pgn_path, files.html_path)
        return console.Exit.INTERRUPTED if files.shows_play else console.Exit.PROVED
    if files.pgn_path is not None:
        write_whole(files.pgn_path, play.pgn())
    if files.html_path is not None:
        parts = [SEARCH, genre_of(solution.problem.stipulation).part()]
        modules = console.prepare_modules(parts) if files.solver else {}
        write_whole(
            files.html_path, viewer_pages.encode_answer(solution, play, modules)
        )
    return console.Exit.PROVED
