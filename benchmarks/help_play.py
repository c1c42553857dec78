"""Compare help play with Popeye's intelligent mode, on Popeye's own examples.

Run from the repository's root, on a quiet machine:

    python -m benchmarks.help_play POPEYE SOURCES

POPEYE is the program `py`, version 4.104, and SOURCES a copy of its sources. The
problems are those of its example files (BEISPIEL and REGRESSIONS) that have the option
`Intelligent`, a stipulation h# or h=, and no fairy chess. Each twin is a problem, and
so is each side of `Duplex`; set play is left out, and so are limits of solutions.

Each problem has a line: its name, the stipulation, our CPU seconds and those of Popeye
without its start-up, and the number of solutions of both, or - if a limit was hit.
`--plain` compares the solutions with those that Popeye finds without `Intelligent`. A
summary follows. Solutions are compared as sets, with those in fewer moves.
"""

from __future__ import annotations

import argparse
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver import Limits, Problem, Solver
from solver.errors import FormatError
from solver.formats.popeye import make_problems, read_inputs
from solver.problem import Stipulation
from tests.popeye_trees import Entry, as_input, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILES = ("BEISPIEL/*.inp", "REGRESSIONS/*.inp")
HASH_MIB = 128

SHORT_S = 0.05
"""Problems that take both programs less are not in the summary of the times."""

_GERMAN = """
    anfangproblem=BeginProblem auszeichnung=Award autor=Author bedingung=Condition
    bemerkung=Remark drehung=Rotate endeproblem=EndProblem entferne=Remove
    ersetze=Substitute farbwechsel=PolishType ferner=Continued forderung=Stipulation
    halbduplex=HalfDuplex hinzufuegen=Add keinerochade=NoCastling
    maxloesungen=MaxSolutions maxzeit=MaxTime
    nullstellung=ZeroPosition ohnebrett=NoBoard protokoll=Protocol quelle=Origin
    satzspiel=SetPlay schwarz=Black sforderung=SStipulation spiegelung=Mirror
    steine=Pieces tausche=Exchange titel=Title versetze=Move verschiebung=Shift
    weiss=White weissbeginnt=WhiteToPlay weiteresproblem=NextProblem
    zugnummern=MoveNumbers zwilling=Twin
"""

KEYWORDS = dict(pair.split("=") for pair in _GERMAN.split())
"""The words of German examples, for those in English. Others are alike, or fairies."""

TEXTS = ("Author", "Award", "Origin", "Protocol", "Remark", "Title")

_PIECES = re.compile(r"(?P<piece>[bdklst])(?P<squares>(?:[a-h][1-8])*)", re.IGNORECASE)
_TO_ENGLISH = str.maketrans("bdklst", "pqkbsr")
_MOVE = re.compile(
    r"(?:[0-9]+\.(?:\.\.)?)?(?:(?P<castling>0-0(?:-0)?)"
    r"|[KQRBS]?(?P<from>[a-h][1-8])[-*](?P<to>[a-h][1-8])(?:=(?P<piece>[QRBS]))?"
    r"(?:ep\.)?)[+#=]*"
)


class Example(NamedTuple):
    """A problem of Popeye's examples; its name is `file:line`, with any twin."""

    name: str
    stipulation: str
    fen: str


TRIVIAL = Example("trivial", "h#1", "7k/8/8/8/8/8/8/K7 b - - 0 1")


class Answer(NamedTuple):
    """The solutions in UCI notation, None if a limit was hit; and CPU seconds."""

    solutions: frozenset[str] | None
    seconds: float

    @property
    def size(self) -> str:
        """The number of solutions, for the table."""
        return "-" if self.solutions is None else str(len(self.solutions))


def in_english(text: str) -> str:
    """Return an input file with the same lines and English keywords."""
    if not re.match(r"\s*anf", text, re.IGNORECASE):
        return text
    return "".join(f"{_line_in_english(line)}\n" for line in text.splitlines())


def _line_in_english(line: str) -> str:
    words: list[str] = []
    for word in line.split():
        lower = word.lower()
        fitting = [key for key in KEYWORDS if len(word) > 2 and key.startswith(lower)]
        if fitting:
            key = min(fitting, key=len)
            if KEYWORDS[key] in TEXTS:  # the rest of the line is free text
                return ""
            words.append(KEYWORDS[key])
        elif pieces := _PIECES.fullmatch(lower):
            words.append(pieces["piece"].translate(_TO_ENGLISH) + pieces["squares"])
        else:
            words.append(word)
    return " ".join(words)


def read_examples(sources: Path) -> Iterator[Example]:
    """Yield the problems; see above which."""
    for path in (path for files in FILES for path in sorted(sources.glob(files))):
        text = in_english(path.read_text(encoding="latin-1"))
        lines = enumerate(text.encode().splitlines(keepends=True), 1)
        for found in read_inputs(lines, path.name):
            if isinstance(found, FormatError) or "Intelligent" not in found.options:
                continue
            for problem in make_problems(found.twins, found.source, found.source):
                if isinstance(problem, Problem) and problem.stipulation.is_help:
                    yield Example(problem.id, str(problem.stipulation), problem.fen)


def ours(example: Example, solver: Solver, max_time: int) -> Answer:
    """Solve a problem here."""
    stipulation = Stipulation.parse(example.stipulation)
    problem = Problem(example.fen, stipulation=stipulation)
    started = time.process_time()
    found = solver.solve(problem, Limits(time_s=max_time))
    seconds = time.process_time() - started
    lines = None if found.stopped_by else frozenset(map(" ".join, found.solutions))
    return Answer(lines, seconds)


def theirs(example: Example, popeye: str, option: str, max_time: int) -> Answer:
    """Solve a problem with Popeye; the seconds are those of its process."""
    fen = " ".join(example.fen.split()[:4])
    entry = Entry(example.name, fen, example.stipulation, option)
    with tempfile.NamedTemporaryFile("w", suffix=".inp", encoding="utf-8") as file:
        file.write(as_input([entry]))
        file.flush()
        # In intelligent mode Popeye may ignore `-maxtime`; the shell limits CPU time.
        shell = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', str(max_time)]
        command = [*shell, popeye, "-maxmem", f"{HASH_MIB}M", file.name]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    if done.returncode < 0:  # killed
        return Answer(None, seconds)
    (tree,) = parse(done.stdout)
    lines = tree["play"][""].get("lines", [])
    return Answer(frozenset(as_uci(line, example.fen) for line in lines), seconds)


def as_uci(line: str, fen: str) -> str:
    """Return a line of Popeye's, such as `1.Kf5-e4 Sc6*d8 2.e7-e8=S 0-0#`, in UCI."""
    side = chess.Board(fen).turn
    moves = []
    for word in line.split():
        found = _MOVE.fullmatch(word)
        if found is None:
            msg = f"expected a move of Popeye, found {word!r} in {line!r}"
            raise ValueError(msg)
        if found["castling"]:
            rank = "1" if side else "8"
            file = "g" if found["castling"] == "0-0" else "c"
            moves.append(f"e{rank}{file}{rank}")
        else:
            kind = (found["piece"] or "").lower().replace("s", "n")
            moves.append(found["from"] + found["to"] + kind)
        side = not side
    return " ".join(moves)


def start_up(popeye: str) -> float:
    """Return the CPU seconds that Popeye takes for a problem without any play."""
    return min(theirs(TRIVIAL, popeye, "Intelligent", 9).seconds for _ in range(3))


def summary(times: Iterable[tuple[float, float]]) -> str:
    """Return how much faster we are, from our and Popeye's seconds."""
    ratios = sorted(their / our for our, their in times if max(our, their) >= SHORT_S)
    if not ratios:
        return f"no problem takes {SHORT_S} s"
    return (
        f"{len(ratios)} take {SHORT_S} s or more: we are at least {ratios[0]:.2f} "
        f"times as fast as Popeye, median {statistics.median(ratios):.1f}; "
        f"{sum(ratio < 0.5 for ratio in ratios)} take us more than twice as long"
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("popeye", metavar="POPEYE")
    parser.add_argument("sources", type=Path, metavar="SOURCES")
    parser.add_argument("--max-time", type=int, default=10, metavar="S")
    parser.add_argument("--repeat", type=int, default=1, help="the best times count")
    parser.add_argument("--plain", type=int, metavar="S", help="a limit of seconds")
    asked = parser.parse_args()
    solver = Solver(HASH_MIB)
    ours(TRIVIAL, solver, asked.max_time)  # loads the kernel
    idle = start_up(asked.popeye)
    times = []
    unsolved = different = compared = 0
    for example in read_examples(asked.sources):
        answers = [
            (
                ours(example, solver, asked.max_time),
                theirs(example, asked.popeye, "Intelligent", asked.max_time),
            )
            for _ in range(asked.repeat)
        ]
        our, their = answers[0]
        ours_s = min(answer.seconds for answer, _ in answers)
        theirs_s = max(0.0, min(answer.seconds for _, answer in answers) - idle)
        times.append((ours_s, theirs_s))
        if asked.plain:
            their = theirs(example, asked.popeye, "", asked.plain)
        both = our.solutions is not None and their.solutions is not None
        differs = both and our.solutions != their.solutions
        unsolved += our.solutions is None
        compared += both
        different += differs
        columns = [*example[:2], f"{ours_s:.3f}", f"{theirs_s:.3f}"]
        columns += [our.size, their.size, *["different"] * differs]
        print(*columns, sep="\t", flush=True)
    print(summary(times))
    print(f"{len(times)} problems: {unsolved} not solved in {asked.max_time} s each")
    print(f"{compared} compared: {different} with different solutions")


if __name__ == "__main__":
    main()
