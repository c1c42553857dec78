"""Material-imbalance tables: what each balance of material scored in games.

Material Imbalance Pruning is Ed Schröder's. A table has a cell for each material with
at most one queen, two rooks, two bishops, two knights and eight pawns a side: 2^2 * 3^6
* 9^2 = 236,196 cells. A cell's number is a mixed-radix number with a digit for each
field of `Material`, most significant first. It counts the positions from games that
White won, drew and lost.

The search reads a table in words of 32 bits: the number of positions of a cell, and in
the low 7 bits the score of the side to move in per cent. The word of an empty cell is
0. In the material of a cell, White is the side to move and Black its opponent.

By default a cell has what either colour scored with this balance; 0 and 100 per cent
mean that every position was lost, or won. `MipUse` has three forms:

- ``WHITE``: only what White scored with White's pieces. With Black to move, the score
  is 100 minus that of the cell with the colours exchanged.
- ``ROUNDED``: the score is rounded to a whole per cent, so that 0 means less than a
  half.
- ``CURVE``: the score is drawn towards 50 by n / (n + N), where n is the number of
  positions, and rounded. This is the score with N additional drawn positions.

A file is a NumPy `.npz` archive of four arrays:

=========== ======== ============== ==================================================
name        dtype    shape          content
=========== ======== ============== ==================================================
``version`` ``<u8``  ``()``         2; files of version 1 had another format
``source``  ``S``    ``()``         what the counts come from, one line of UTF-8
``ignored`` ``<u8``  ``()``         positions with more pieces than any cell has
``counts``  ``<u8``  ``(CELLS, 3)`` positions that White won, drew and lost, all below
                                    2^56
=========== ======== ============== ==================================================

A file may come from anywhere, so `read_arrays` checks the sizes before it unpacks
anything, and loads no Python objects.
With one version of zlib, equal tables give equal bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from solver import __version__, errors, files
from solver.kernel.border.scored_struct import MATERIAL_CELLS, MipUse
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import chess
    import numpy.typing as npt

    Words = npt.NDArray[np.uint32]


# Materials and cells

CELLS = MATERIAL_CELLS

_LETTERS = "QRBNP"
_VALUES = (9, 5, 3, 3, 1)
_RADICES = (2, 2, 3, 3, 3, 3, 3, 3, 9, 9)
"""The radix of each digit, in the order of `Material`."""

_SWAPPED = (1, 0, 3, 2, 5, 4, 7, 6, 9, 8)
MIRROR = np.arange(CELLS).reshape(_RADICES).transpose(_SWAPPED).ravel()
"""For each cell, the cell of the same material with the colours exchanged."""

_NAME = re.compile(r"K([QRBNP]*)VK([QRBNP]*)")

_KEPT = 1 << 16
"""Size of a cache: the same material occurs in many positions."""


class Material(NamedTuple):
    """The number of pieces of each type and side, without the kings."""

    white_queens: int = 0
    black_queens: int = 0
    white_rooks: int = 0
    black_rooks: int = 0
    white_bishops: int = 0
    black_bishops: int = 0
    white_knights: int = 0
    black_knights: int = 0
    white_pawns: int = 0
    black_pawns: int = 0

    @property
    def white(self) -> tuple[int, ...]:
        """White's queens, rooks, bishops, knights, pawns."""
        return self[0::2]

    @property
    def black(self) -> tuple[int, ...]:
        """Black's queens, rooks, bishops, knights, pawns."""
        return self[1::2]

    def balance(self) -> int:
        """Return White's material minus Black's in pawns (queen 9, rook 5, minor 3)."""
        sides = zip(_VALUES, self.white, self.black, strict=True)
        return sum(value * (white - black) for value, white, black in sides)

    def __str__(self) -> str:
        return f"{_name(self.white)}v{_name(self.black)}"


def count_material(board: chess.Board) -> Material:
    """Count the pieces on a board."""
    sides = board.occupied_co[True], board.occupied_co[False]
    kinds = board.queens, board.rooks, board.bishops, board.knights, board.pawns
    return Material(*((kind & side).bit_count() for kind in kinds for side in sides))


def parse_material(text: str) -> Material:
    """Read a name such as `KRPvKR`: White's pieces first, in either case.

    Raises
    ------
    InputError
        If it is no such name.
    """
    name = _NAME.fullmatch(text.strip().upper())
    if name is None:
        errors.refuse(
            "expected material such as KRPvKR, White's first", errors.quote(text)
        )
    white, black = (
        [side.count(letter) for letter in _LETTERS] for side in name.groups()
    )
    pairs = zip(white, black, strict=True)
    return Material(*(number for pair in pairs for number in pair))


@lru_cache(_KEPT)
def find_material_cell(material: Material) -> int | None:
    """Return the cell of a material; None if it has more pieces than any cell."""
    cell = 0
    for pieces, radix in zip(material, _RADICES, strict=True):
        if pieces >= radix:
            return None
        cell = cell * radix + pieces
    return cell


def material_of(cell: int) -> Material:
    """Return the material of a cell.

    Raises
    ------
    ValueError
        If `cell` is not within 0 to `CELLS` - 1.
    """
    return Material(*map(int, np.unravel_index(cell, _RADICES)))


def _name(side: Sequence[int]) -> str:
    pieces = zip(_LETTERS, side, strict=True)
    return "K" + "".join(letter * number for letter, number in pieces)


# The file

VERSION = 2

COUNTS = (CELLS, 3)
"""The shape of a table's counts."""

MAX_FILE_BYTES = 1 << 23
"""The most bytes of a file and of its arrays; the counts of a table take 5.4 MiB."""

_ARRAYS = {
    "version": ("<u8", ()),
    "source": ("|S", ()),
    "ignored": ("<u8", ()),
    "counts": ("<u8", COUNTS),
}
"""The dtype and the shape of each array; `|S` is of any length."""


def read_arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays of a file by their names.

    Raises
    ------
    ImbalanceError
        If the file is damaged, of another kind or of another version.
    """
    if not data.startswith(b"PK"):
        _refuse("expected a material-imbalance table", "another kind of file")
    if len(data) > MAX_FILE_BYTES:
        _refuse(f"expected at most {MAX_FILE_BYTES:,} bytes", "more")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        is_small = size <= MAX_FILE_BYTES
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if is_small}
    except Exception:  # NumPy raises errors of any kind for damaged bytes
        _refuse("expected a whole table", "a damaged one")
    if not is_small:
        _refuse(f"expected arrays of at most {MAX_FILE_BYTES:,} bytes", f"{size:,}")
    found = {
        name: (
            f"|{array.dtype.kind}" if name == "source" else array.dtype.str,
            array.shape,
        )
        for name, array in arrays.items()
    }
    if found.get("version") == _ARRAYS["version"] and arrays["version"] != VERSION:
        version = int(arrays["version"])
        newer = ", of a newer program" if version > VERSION else ""
        _refuse(f"expected a table of version {VERSION}", f"version {version}{newer}")
    if found != _ARRAYS:
        _refuse("expected a material-imbalance table", "another .npz archive")
    return arrays


# The table

PER_CENT_BITS = 7
MAX_WORD_POSITIONS = (1 << 25) - 1
"""The largest count that a word holds; the table itself can count further."""

COUNT_LIMIT = 1 << 56
"""Counts stay below this, so that no sum of a few overflows 64 bits."""

MAX_SOURCE_BYTES = 1000

RESULTS = (1.0, 0.5, 0.0)
"""White's results of a game, in the order in which a table counts them."""

FORMS = MipUse.WHITE | MipUse.ROUNDED | MipUse.CURVE

_ONE = np.uint64(1)


class Outcomes(NamedTuple):
    """The number of positions from games with each result, as one side sees it."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def positions(self) -> int:
        """The number of positions."""
        return self.wins + self.draws + self.losses

    @property
    def per_cent(self) -> int | None:
        """The score in per cent, with a draw as half a win; None without positions.

        It is rounded, halves up, but to 0 or 100 only if every position was lost, or
        won.
        """
        wins, draws, _ = self
        if not self.positions:
            return None
        points = 2 * wins + draws
        rounded = (100 * points + self.positions) // (2 * self.positions)
        return rounded if self.is_decided else min(99, max(1, rounded))

    @property
    def is_decided(self) -> bool:
        """Whether all positions were won, or all were lost; False without positions."""
        wins, draws, losses = self
        return not draws and bool(wins) != bool(losses)

    @property
    def word(self) -> int:
        """The 32-bit word that the search reads; 0 without positions."""
        positions = min(self.positions, MAX_WORD_POSITIONS)
        return positions << PER_CENT_BITS | (self.per_cent or 0)


class Coverage(NamedTuple):
    """How much a table holds.

    Attributes
    ----------
    positions : int
        Positions counted in cells.
    ignored : int
        Positions with more pieces than any cell has.
    cells : int
        All cells.
    filled : int
        Cells with positions.
    decided : int
        Filled cells whose positions were all won, or all lost.
    decided_positions : int
        Positions in those cells.
    """

    positions: int
    ignored: int
    cells: int
    filled: int
    decided: int
    decided_positions: int


class ImbalanceTable:
    """Exact counts of White's results for each material.

    Parameters
    ----------
    source : str
        What the counts come from: one printable line of at most 1,000 bytes.

    Attributes
    ----------
    source : str
    ignored : int
        Positions with more pieces than any cell has.

    Raises
    ------
    ImbalanceError
        If the source is too long, or not one printable line.
    """

    def __init__(self, source: str = "") -> None:
        _check_source(source)
        self.source = source
        self.ignored = 0
        self._counts = np.zeros(COUNTS, np.uint64)

    def add(self, cell: int | None, result: float) -> None:
        """Count one position.

        Parameters
        ----------
        cell : int or None
            The cell, see `find_material_cell`. None counts the position as ignored.
        result : float
            White's result of the game: 1, 0.5 or 0.
        """
        if cell is None:
            self.ignored += 1
        else:
            self._counts[cell, RESULTS.index(result)] += _ONE

    def merge(self, other: ImbalanceTable) -> None:
        """Add the counts of another table; `source` is not changed.

        Raises
        ------
        ImbalanceError
            If a sum reaches `COUNT_LIMIT`.
        """
        self.ignored = _in_range(self.ignored + other.ignored)
        self._counts += other._counts
        _in_range(int(self._counts.max()))

    def outcomes(self, cell: int) -> Outcomes:
        """Return the counts of one cell."""
        return Outcomes(*self._counts[cell].tolist())

    def filled_cells(self) -> Iterator[tuple[int, Outcomes]]:
        """Yield each cell that has positions, with its counts, in order."""
        cells = np.flatnonzero(self._counts.any(axis=1))
        for cell, counts in zip(
            cells.tolist(), self._counts[cells].tolist(), strict=True
        ):
            yield cell, Outcomes(*counts)

    def coverage(self) -> Coverage:
        """Sum up how much the table holds."""
        filled = [outcomes for _, outcomes in self.filled_cells()]
        decided = [found.positions for found in filled if found.is_decided]
        positions = sum(found.positions for found in filled)
        counted = CELLS, len(filled), len(decided), sum(decided)
        return Coverage(positions, self.ignored, *counted)

    def most_frequent(self, number: int) -> list[int]:
        """Return the cells with the most positions, the largest first."""
        cells = sorted(
            self.filled_cells(), key=lambda filled: filled[1].positions, reverse=True
        )
        return [cell for cell, _ in cells[:number]]

    def folded(self) -> ImbalanceTable:
        """Return the table of what either colour scored with White's material.

        Black's results with a material count as White's results with the same material.
        If both sides have the same material, the score is a half, and each position
        counts once.
        """
        table = ImbalanceTable(self.source)
        table._counts = self._counts + self._counts[MIRROR, ::-1]
        equal = np.flatnonzero(np.arange(CELLS) == MIRROR)
        table._counts[equal] = 0
        table._counts[equal, 1] = self._counts[equal].sum(axis=1)
        return table

    def search_words(self, form: MipUse, weight: int) -> tuple[Words, Words]:
        """Return the words as White and as Black see them.

        Parameters
        ----------
        form : MipUse
            Any of `FORMS`.
        weight : int
            N of the curve; not used without `MipUse.CURVE`.

        Returns
        -------
        tuple of two ndarray of uint32, each `CELLS` long
        """
        table: ImbalanceTable = self if form & MipUse.WHITE else self.folded()
        counts = table._counts
        cells = np.flatnonzero(counts.any(axis=1))
        # Python's integers, since products may exceed 64 bits.
        wins, draws, losses = counts[cells].T.astype(object)
        positions = wins + draws + losses
        drawn = draws + (weight if form & MipUse.CURVE else 0)
        total = wins + drawn + losses
        scores = (100 * (2 * wins + drawn) + total) // (2 * total)
        if not form & (MipUse.CURVE | MipUse.ROUNDED):
            scores[(scores == 0) & (wins + draws > 0)] = 1
            scores[(scores == 100) & (draws + losses > 0)] = 99
        white, black = np.zeros((2, CELLS), np.uint32)
        kept = np.minimum(positions, MAX_WORD_POSITIONS) << PER_CENT_BITS
        white[cells] = kept | scores
        if form & MipUse.WHITE:
            black[MIRROR[cells]] = kept | (100 - scores)
        else:
            black = white
        return white, black

    def checksum(self) -> str:
        """Return the SHA-256 of the counts, in hexadecimal.

        It covers the bytes of the file's array `counts`, so it depends neither on the
        source nor on the compression.
        """
        return hashlib.sha256(self._counts.astype("<u8").tobytes()).hexdigest()

    def to_bytes(self) -> bytes:
        """Return the content of the table's file."""
        file = io.BytesIO()
        np.savez_compressed(
            file,
            version=np.array(VERSION, "<u8"),
            source=np.array(self.source.encode()),
            ignored=np.array(self.ignored, "<u8"),
            counts=self._counts.astype("<u8"),
        )
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> ImbalanceTable:
        """Read a table from the content of its file.

        Raises
        ------
        ImbalanceError
            If it is damaged, of another kind or of another version.
        """
        arrays = read_arrays(data)
        try:
            source = bytes(arrays["source"][()]).decode()
        except UnicodeDecodeError:
            _refuse("source: expected UTF-8", "other bytes")
        table = cls(source)
        table.ignored = _in_range(int(arrays["ignored"]))
        counts = arrays["counts"]
        _in_range(int(counts.max()))
        table._counts = counts.astype(np.uint64)
        return table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table's file atomically.

        Raises
        ------
        OSError
            If it cannot be written; an existing file is left as it was.
        """
        files.write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ImbalanceTable:
        """Read a table from its file.

        Raises
        ------
        OSError
            If it cannot be read.
        ImbalanceError
            If it is damaged, of another kind or of another version.
        """
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        try:
            return cls.from_bytes(data)
        except errors.ImbalanceError as error:
            msg = f"{os.fspath(path)}: {error}"
            raise errors.ImbalanceError(msg) from None


def shipped() -> ImbalanceTable:
    """Load the table shipped with the program."""
    try:
        data = (resources.files("solver.laboratory") / "imbalance.npz").read_bytes()
    except FileNotFoundError:
        msg = "expected the table that comes with the program, found none: reinstall it"
        raise errors.MatesolveError(msg) from None
    return ImbalanceTable.from_bytes(data)


def _refuse(expected: str, found: object) -> NoReturn:
    errors.refuse(expected, found, errors.ImbalanceError)


def _check_source(source: str) -> None:
    strange = next((letter for letter in source if not letter.isprintable()), None)
    if strange is not None:
        _refuse("source: expected one printable line", f"U+{ord(strange):04X}")
    if (size := len(source.encode())) > MAX_SOURCE_BYTES:
        _refuse(f"source: expected at most {MAX_SOURCE_BYTES} bytes", size)


def _in_range(count: int) -> int:
    if count >= COUNT_LIMIT:
        _refuse("expected counts below 2^56", count)
    return count


# Records and text

_CELL_FIELDS = ("positions", "wins", "draws", "losses", "per_cent", "word")


def cell_record(imbalance: ImbalanceTable, material: Material) -> dict[str, Any]:
    """Return the record of one material in a material-imbalance table.

    Parameters
    ----------
    imbalance : ImbalanceTable
    material : Material
        It may have more pieces than any cell.

    Returns
    -------
    dict
        JSON values. `balance` is in pawns and, like the results, from White's point of
        view. Without a cell, `cell` and its counts are None; without positions,
        `per_cent` is None.
    """
    return {"schema": SCHEMA, **_cell(imbalance, material), "solver": __version__}


def imbalance_record(imbalance: ImbalanceTable, most: int) -> dict[str, Any]:
    """Return the record of a material-imbalance table.

    Parameters
    ----------
    imbalance : ImbalanceTable
    most : int
        The number of cells to list, those with the most positions first.

    Returns
    -------
    dict
        JSON values; see `Coverage` for the counts.
    """
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "source": imbalance.source,
        **imbalance.coverage()._asdict(),
        "most_frequent": [
            _cell(imbalance, material_of(cell))
            for cell in imbalance.most_frequent(most)
        ],
        "sha256": imbalance.checksum(),
        "solver": __version__,
    }


def _cell(imbalance: ImbalanceTable, material: Material) -> dict[str, Any]:
    cell = find_material_cell(material)
    counted: dict[str, Any] = dict.fromkeys(_CELL_FIELDS)
    if cell is not None:
        outcomes = imbalance.outcomes(cell)
        counted = {name: getattr(outcomes, name) for name in _CELL_FIELDS}
    return {
        "material": str(material),
        "balance": material.balance(),
        "cell": cell,
        **counted,
    }


def with_noun(number: int, noun: str) -> str:
    """Write a number and a noun with its plural s: `1 cell`, `2,000 cells`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def describe_cell(record: dict[str, Any]) -> list[str]:
    """Describe a record of `cell_record` in a few lines."""
    material = record["material"]
    if record["cell"] is None:
        return [
            f"{material}: out of range",
            "a cell has at most 1 queen, 2 rooks, 2 bishops, 2 knights and 8 pawns a "
            "side",
        ]
    number = f"cell {record['cell']:,}, word 0x{record['word']:08x}"
    balance = _balance(record["balance"])
    if record["per_cent"] is None:
        return [f"{material}: no positions", number, balance]
    return [
        f"{material}: {with_noun(record['positions'], 'position')}, "
        f"White scored {record['per_cent']} per cent",
        f"{record['wins']:,} won, {record['draws']:,} drawn, {record['losses']:,} lost",
        number,
        balance,
    ]


def describe_imbalance(record: dict[str, Any]) -> list[str]:
    """Describe a record of `imbalance_record`, with the most frequent materials."""
    decided = with_noun(record["decided_positions"], "position")
    lines = [
        f"source     {record['source'] or 'none given'}",
        f"version    {record['version']}",
        f"positions  {record['positions']:,}, and {record['ignored']:,} out of range",
        f"cells      {record['filled']:,} of {record['cells']:,} filled",
        f"decided    {record['decided']:,} of these, with {decided}: "
        "all won or all lost",
        f"sha-256    {record['sha256']}",
    ]
    cells = record["most_frequent"]
    if not cells:
        return lines
    name_width = max(len(cell["material"]) for cell in cells)
    width = max(len(f"{cell['positions']:,}") for cell in cells)
    frequent = (
        f"{cell['material']:<{name_width}}  {cell['positions']:>{width},}  "
        f"{cell['per_cent']:>3}%"
        for cell in cells
    )
    return [*lines, "", *frequent]


def _balance(pawns: int) -> str:
    if not pawns:
        ahead = "neither side is ahead"
    else:
        side = "White" if pawns > 0 else "Black"
        ahead = f"{side} is {with_noun(abs(pawns), 'pawn')} ahead"
    if abs(pawns) <= 1:
        return f"{ahead}; the search uses only differences of more than one pawn"
    return ahead
