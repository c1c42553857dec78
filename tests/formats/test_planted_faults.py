"""Faults planted in files of many kinds: all are reported, and no reading changes.

Half of the records of each file get a wrong length, a wrong key, a line that does not
mate, or a length with the wrong sign. The other half, and who begins in the file, must
be read as without them.
"""

from __future__ import annotations

import random
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import chess
import pytest

from solver.audit.job import UNSLICED, AuditJob, AuditOptions
from solver.columns.generate import generate
from solver.errors import InputError
from solver.formats.claims import FileSummary
from solver.formats.en_croissant import take_back
from solver.problem import Limits, Problem
from tests.formats.cases import Records, problems_of, read_with

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("kernel")

RECORDS, FAULTS = 50, 25


class Mate(NamedTuple):
    """A record: before `fen`, the opponent has played `first`; `sans` spell `line`."""

    name: str
    fen: str
    before: str
    first: str
    length: int
    line: tuple[str, ...]
    sans: tuple[str, ...]

    @property
    def numbered(self) -> str:
        """The line as PGN and lists print it."""
        begins = chess.Board(self.fen).turn
        text = "" if begins else "1... "
        for ply, san in enumerate(self.sans, not begins):
            text += f"{san} " if ply % 2 else f"{ply // 2 + 1}. {san} "
        return text.rstrip()


@cache
def mates() -> list[Mate]:
    """Mates in 1 to 3 with one key each, mates in two the most."""
    found = []
    for length, count in ((1, 20), (2, 45), (3, 20)):
        for one in generate(length, count, seed=58, unique_key=True):
            assert one.claim
            with suppress(InputError):  # no move can be taken back
                before, first = take_back(one.fen)
                board = chess.Board(before)
                board.push_uci(first)
                fen, line = board.fen(), one.claim.line
                sans = [board.san_and_push(chess.Move.from_uci(move)) for move in line]
                found.append(Mate("", fen, before, first, length, line, tuple(sans)))
    return found


def other(mate: Mate, ply: int, choice: random.Random) -> Mate | None:
    """Replace a move by another legal one that does not mate."""
    board = chess.Board(mate.fen)
    for move in mate.line[:ply]:
        board.push_uci(move)
    others = sorted({move.uci() for move in board.legal_moves} - {mate.line[ply]})
    for uci in choice.sample(others, len(others)):
        san = board.san(chess.Move.from_uci(uci))
        if not san.endswith("#"):
            if ply + 1 == len(mate.line):  # who wrote it took it for mate
                san = f"{san.rstrip('+')}#"
            line = (*mate.line[:ply], uci, *mate.line[ply + 1 :])
            sans = (*mate.sans[:ply], san, *mate.sans[ply + 1 :])
            return mate._replace(line=line, sans=sans)
    return None


def plant(mate: Mate, kinds: str, choice: random.Random) -> Mate:
    """Return the record with a fault of one of these kinds."""
    for kind in choice.sample(kinds.split(), len(kinds.split())):
        if kind in {"key", "line"}:
            faulty = other(mate, 0 if kind == "key" else len(mate.line) - 1, choice)
        else:
            lengths = {"longer": mate.length + 1, "shorter": mate.length - 1}
            length = lengths.get(kind, -mate.length)
            faulty = mate._replace(length=length) if length else None
        if faulty:
            return faulty
    raise AssertionError(mate)


EACH = "longer shorter key line sign"
YAML = "- name: {0.name}\n  fen: {0.fen}\n  mate: {0.length}\n  line: {0.numbered}\n"
FILES = {
    "usual.csv": (
        "longer shorter key line",  # a sign would say what the position is
        "{0.name},{0.before},{0.first} {uci},1500,mate mateIn{0.length}\n",
        "PuzzleId,FEN,Moves,Rating,Themes\n",
    ),
    "german.csv": (
        EACH,
        "{0.name};{0.fen};{0.length};{0.numbered}\n",
        "Nr;Stellung;Matt in;Lösung\n",
    ),
    "mates.epd": (EACH, "{0.fen} dm {0.length}; bm {0.sans[0]}; pv {uci};\n", ""),
    "three.txt": ("key line", "{0.name}\n{0.fen}\n{0.numbered}\n\n", ""),
    "mates.yaml": (EACH, YAML, ""),
}
"""Which faults records may have, how a record is written, and what is above them."""


def read(records: Sequence[Mate], path: Path) -> tuple[Records, FileSummary]:
    """Write records to a file and read them; return the summary too."""
    _, record, above = FILES[path.name]
    texts = [record.format(one, uci=" ".join(one.line)) for one in records]
    path.write_text(above + "".join(texts), encoding="utf-8")
    summary = FileSummary()
    return [*read_with(path, summary)], summary


@pytest.mark.parametrize("name", FILES)
def test_faults_are_reported_and_change_no_reading(name: str, tmp_path: Path) -> None:
    choice, kinds = random.Random(name), FILES[name][0]
    chosen = choice.sample(mates(), RECORDS)
    clean = [one._replace(name=f"Nr. {at}") for at, one in enumerate(chosen, 1)]
    faulty = [*clean]
    for at in choice.sample(range(RECORDS), FAULTS):
        faulty[at] = plant(clean[at], kinds, choice)
    expected, usual = read(clean, tmp_path / name)
    found, summary = read(faulty, tmp_path / name)

    # The file without faults is read as it is meant.
    job = AuditJob(AuditOptions(Limits(hash_mib=1), all_keys=True))
    problems = problems_of(expected)
    for result, one in zip(job.run_batch(problems, UNSLICED), clean, strict=True):
        assert result
        assert (result.claim, result.disagreements) == (one.length, ())

    # The reading is the same.
    assert bool(summary.reading) == bool(usual.reading)
    sources = {part: [*names][:1] for part, names in usual.fields.items()}
    assert {part: [*summary.fields[part]][:1] for part in sources} == sources
    silent = []  # the reader does not warn of them
    for before, after, one, wrong in zip(problems, found, clean, faulty, strict=True):
        assert before.fen.split()[:4] == one.fen.split()[:4]
        if one == wrong:
            assert before == after
        elif isinstance(after, Problem):
            assert after.fen == before.fen, wrong
            silent += [] if after.warnings else [after]

    # Every fault is reported, by the reader or by the audit.
    for result, problem in zip(job.run_batch(silent, UNSLICED), silent, strict=True):
        assert result
        assert result.disagreements, problem
