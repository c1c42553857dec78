"""Material-imbalance tables: what each balance of material scored in games.

Material Imbalance Pruning is Ed Schröder's. A table has a cell for each material (see
`solver.laboratory.material`), which counts the positions from games that White won,
drew and lost. `solver.laboratory.imbalance_file` describes a table's file. With one
version of zlib, equal tables give equal bytes.

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
"""

from __future__ import annotations

import hashlib
import io
import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.errors import ImbalanceError, MatesolveError
from solver.files import write_whole
from solver.kernel.border.experiment import MipUse
from solver.laboratory.imbalance_file import (
    COUNTS,
    MAX_FILE_BYTES,
    VERSION,
    read_arrays,
)
from solver.laboratory.material import CELLS, MIRROR

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Words = npt.NDArray[np.uint32]

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
            The cell, see `find_cell`. None counts the position as ignored.
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
            msg = "source: expected UTF-8, found other bytes"
            raise ImbalanceError(msg) from None
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
        write_whole(path, self.to_bytes())

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
        except ImbalanceError as error:
            msg = f"{os.fspath(path)}: {error}"
            raise ImbalanceError(msg) from None


def shipped() -> ImbalanceTable:
    """Load the table shipped with the program."""
    try:
        data = (resources.files("solver.laboratory") / "imbalance.npz").read_bytes()
    except FileNotFoundError:
        msg = "expected the table that comes with the program, found none: reinstall it"
        raise MatesolveError(msg) from None
    return ImbalanceTable.from_bytes(data)


def _check_source(source: str) -> None:
    strange = next((letter for letter in source if not letter.isprintable()), None)
    if strange is not None:
        msg = f"source: expected one printable line, found U+{ord(strange):04X}"
        raise ImbalanceError(msg)
    if (size := len(source.encode())) > MAX_SOURCE_BYTES:
        msg = f"source: expected at most {MAX_SOURCE_BYTES} bytes, found {size}"
        raise ImbalanceError(msg)


def _in_range(count: int) -> int:
    if count >= COUNT_LIMIT:
        msg = f"expected counts below 2^56, found {count}"
        raise ImbalanceError(msg)
    return count
