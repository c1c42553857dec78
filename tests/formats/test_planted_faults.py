"""Faults planted in files of twenty kinds: all are reported, and no reading changes.

Half of the records of each file get a wrong length, a wrong key, a line that does not
mate, or a length with the wrong sign. The other half, and who begins in the file, must
be read as without them.
"""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import chess
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solver.audit.job import UNSLICED, AuditJob, AuditOptions
from solver.columns.generate import generate
from solver.columns.solve_many import solve_many
from solver.formats.claims import FileSummary
from solver.problem import Limits, Problem
from tests.formats.whole_files import read_with

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from solver.errors import FormatError

pytestmark = pytest.mark.usefixtures("kernel")

RECORDS, FAULTS, LIMITS = 100, 50, Limits(hash_mib=1)
"""In each file, and for each search."""


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
    def position(self) -> str:
        return " ".join(self.fen.split()[:4])

    @property
    def uci(self) -> str:
        return " ".join(self.line)

    @property
    def numbered(self) -> str:
        return _numbered(chess.Board(self.fen), self.sans)

    @property
    def from_before(self) -> str:
        board = chess.Board(self.before)
        return _numbered(
            board, (board.san(chess.Move.from_uci(self.first)), *self.sans)
        )

    @property
    def olive(self) -> str:
        """The pieces, and who begins if it is Black."""
        board = chess.Board(self.fen)
        pieces: dict[bool, list[str]] = {True: [], False: []}
        for square, piece in board.piece_map().items():
            kind = piece.symbol().upper().replace("N", "S")
            pieces[piece.color].append(f"{kind}{chess.square_name(square)}")
        white, black = (", ".join(pieces[color]) for color in (True, False))
        begins = "options: [HalfDuplex]\n" * (not board.turn)
        return f"{begins}algebraic:\n  white: [{white}]\n  black: [{black}]"


def _numbered(board: chess.Board, sans: Sequence[str]) -> str:
    """Return a line as PGN and lists print it."""
    text = ""
    for ply, san in enumerate(sans, not board.turn):
        dots = "" if ply % 2 and text else "... " if ply % 2 else ". "
        text += f"{ply // 2 + 1}{dots}{san} " if dots else f"{san} "
    return text.rstrip()


# Mates


def _unmove(fen: str) -> tuple[str, str] | None:
    """Return a position from which the opponent's quiet move leads to this one."""
    board = chess.Board(fen)
    for square, piece in sorted(board.piece_map().items()):
        if piece.color == board.turn or piece.piece_type == chess.PAWN:
            continue
        for start in sorted(board.attacks(square) & ~chess.SquareSet(board.occupied)):
            ways = board.copy()
            ways.remove_piece_at(square)
            ways.set_piece_at(start, piece)
            ways.turn = not board.turn
            move = chess.Move(start, square)
            if ways.is_valid() and not ways.is_check() and move in ways.legal_moves:
                return ways.fen(), move.uci()
    return None


@cache
def mates() -> list[Mate]:
    """Mates in 1 to 3 with one key each, mates in two the most."""
    found = []
    for length, count in ((1, 35), (2, 80), (3, 35)):
        fens = [one.fen for one in generate(length, count, seed=58, unique_key=True)]
        rows = solve_many(fens, max_moves=length, limits=LIMITS)
        for earlier, row in zip(map(_unmove, fens), rows, strict=True):
            if earlier:
                board, sans = chess.Board(earlier[0]), []
                board.push_uci(earlier[1])
                fen = board.fen()
                for move in row.pv:
                    sans.append(board.san(chess.Move.from_uci(move)))
                    board.push_uci(move)
                found.append(Mate("", fen, *earlier, length, row.pv, tuple(sans)))
    return found


def draw(choice: random.Random) -> list[Mate]:
    chosen = choice.sample(mates(), RECORDS)
    return [one._replace(name=f"Nr. {at}") for at, one in enumerate(chosen, 1)]


# Faults


def _other(mate: Mate, ply: int, choice: random.Random) -> Mate | None:
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
        if kind in {"longer", "shorter", "sign"}:
            lengths = {"longer": mate.length + 1, "shorter": mate.length - 1}
            length = lengths.get(kind, -mate.length)
            faulty = mate._replace(length=length) if length else None
        else:
            ply = 0 if kind == "key" else len(mate.line) - 1
            faulty = _other(mate, ply, choice)
        if faulty:
            return faulty
    raise AssertionError(mate)


# Files

KEYED, LINED = "longer shorter key", "longer shorter key line"

KINDS = {
    "usual.json": KEYED,
    "mates.olv": KEYED,
    "mates.db": KEYED,
    "opponent.pgn": "longer shorter line",
    "three.txt": "key line",
    "words.txt": KEYED,
}
"""Which faults records may have, if not all."""

SIGNED = [
    "german.csv",
    "usual.json",
    "mates.epd",
    "table.md",
    "mates.js",
    "mates.yaml",
    "mates.toml",
    "mates.db",
    "mates.xlsx",
]
"""The files whose lengths are numbers, which may also have the wrong sign. Where the
opponent begins, the sign would say what the position is."""

AROUND = {
    "usual.csv": ("PuzzleId,FEN,Moves,Rating,Themes\n", ""),
    "unusual.csv": ("ref,setup,play,n\n", ""),
    "german.csv": ("Nr;Stellung;Matt in;Lösung\n", ""),
    "usual.json": ("[", "]"),
    "table.md": ("# M\n\n|Name|FEN|Mate in|Solution|\n|---|---|---|---|\n", ""),
    "mates.js": ("export const mates = [\n", "];\n"),
    "page.html": ("<html><ul>\n", "</ul></html>\n"),
}
"""What is above and below the records."""

RECORD = {
    "usual.csv": "{0.name},{0.before},{0.first} {0.uci},1500,mate mateIn{0.length}\n",
    "unusual.csv": "{0.name},{0.before},{0.first} {0.uci},{0.length}\n",
    "bare.csv": "{0.name},{0.fen},#{0.length},{0.numbered}\n",
    "german.csv": "{0.name};{0.fen};{0.length};{0.numbered}\n",
    "usual.json": '{{"id": "{0.name}", "fen": "{0.fen}", "mate": {0.length}, '
    '"bestmove": "{0.line[0]}"}},',
    "solver.jsonl": '{{"puzzle_id": "{0.name}", "fen": "{0.fen}", '
    '"moves": "{0.uci}", "themes": ["mateIn{0.length}", "endgame"]}}\n',
    "solver.pgn": '[Event "Mate in {0.length}"]\n[FEN "{0.fen}"]\n\n{0.numbered} *\n\n',
    "opponent.pgn": '[Event "{0.name}"]\n[FEN "{0.before}"]\n'
    '[Themes "mateIn{0.length}"]\n\n{0.from_before} *\n\n',
    "mates.epd": "{0.position} dm {0.length}; bm {0.sans[0]}; pv {0.uci};\n",
    "three.txt": "{0.name}\n{0.fen}\n{0.numbered}\n\n",
    "words.txt": "{0.name}: {0.fen} (mate in {0.length}) {0.sans[0]}\n",
    "table.md": "| {0.name} | `{0.fen}` | {0.length} | {0.numbered} |\n",
    "mates.js": "  {{ name: '{0.name}', fen: '{0.fen}', mateIn: {0.length}, "
    "solution: '{0.numbered}' }},\n",
    "mates.yaml": "- name: {0.name}\n  fen: {0.fen}\n  mate: {0.length}\n"
    "  line: {0.numbered}\n",
    "mates.toml": '[[problem]]\nname = "{0.name}"\nposition = "{0.fen}"\n'
    'mate_in = {0.length}\nsolution = "{0.uci}"\n\n',
    "page.html": "<li>{0.name}: {0.fen}, mate in {0.length}: {0.numbered}</li>\n",
    "mates.olv": '---\n{0.olive}\ntitle: {0.name}\nstipulation: "#{0.length}"\n'
    "solution: |\n  1.{0.sans[0]} !\n",
}
"""A record of each file of text."""

FILES = [*RECORD, "mates.db", "mates.xlsx", "mates.parquet"]


def write(records: Sequence[Mate], path: Path) -> None:
    """Write a file; the opponent begins in Parquet."""
    if record := RECORD.get(path.name):
        above, below = AROUND.get(path.name, ("", ""))
        text = "".join((above, *map(record.format, records), below))
        path.write_text(text.replace(",]", "]"), encoding="utf-8")
    elif path.name == "mates.db":
        keys = [(one.name, one.fen, one.length, one.line[0]) for one in records]
        with closing(sqlite3.connect(path)) as base, base:
            base.execute("CREATE TABLE problems (id, fen, mate, bestmove)")
            base.executemany("INSERT INTO problems VALUES (?, ?, ?, ?)", keys)
    elif path.name == "mates.xlsx":
        book = openpyxl.Workbook()
        book.active.append(("Name", "FEN", "Mate in", "Solution"))
        for one in records:
            book.active.append((one.name, one.fen, one.length, one.numbered))
        book.save(path)
    else:
        rows = [
            {"setup": one.before, "play": f"{one.first} {one.uci}", "n": one.length}
            for one in records
        ]
        pq.write_table(pa.Table.from_pylist(rows), path)


def read(
    records: Sequence[Mate], path: Path
) -> tuple[list[Problem | FormatError], FileSummary]:
    """Read the records of a new file; return the summary too."""
    summary = FileSummary()
    write(records, path)
    found = [*read_with(path, summary)]
    path.unlink()
    return found, summary


@pytest.mark.parametrize("name", FILES)
def test_planted_faults_are_reported_and_change_no_reading(
    name: str, tmp_path: Path
) -> None:
    choice, kinds = random.Random(name), KINDS.get(name, LINED)
    kinds += " sign" * (name in SIGNED)
    clean = draw(choice)
    faulty = [*clean]
    for at in choice.sample(range(RECORDS), FAULTS):
        faulty[at] = plant(clean[at], kinds, choice)
    expected, usual = read(clean, tmp_path / name)
    found, summary = read(faulty, tmp_path / name)

    # The file without faults is read as it is meant.
    job = AuditJob(AuditOptions(LIMITS, all_keys=True))
    problems = [one for one in expected if isinstance(one, Problem)]
    assert [one.position for one in problems] == [one.position for one in clean]
    for result, one in zip(job.run_batch(problems, UNSLICED), clean, strict=True):
        assert result
        assert (result.claim, result.disagreements) == (one.length, ())

    # The reading is the same.
    assert bool(summary.reading) == bool(usual.reading)
    sources = {part: [*names][:1] for part, names in usual.fields.items()}
    assert {part: [*summary.fields[part]][:1] for part in sources} == sources
    silent = []  # the reader does not warn of them
    for before, after, one, other in zip(problems, found, clean, faulty, strict=True):
        if one == other:
            assert before == after
        elif isinstance(after, Problem):
            assert after.position == before.position, other
            if not after.warnings:
                silent.append((after, other))

    # Every fault is reported, by the reader or by the audit.
    results = job.run_batch([problem for problem, _ in silent], UNSLICED)
    for result, (_, other) in zip(results, silent, strict=True):
        assert result
        assert result.disagreements, other
