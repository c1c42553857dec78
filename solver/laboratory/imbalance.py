"""Material-imbalance tables: what each balance of material scored in games.

Material Imbalance Pruning is Ed Schröder's. A table has a cell for each material (see
`solver.laboratory.material`), which counts the positions from games that White won,
drew and lost. The search reads a cell as a 32-bit word: the number of positions, and in
the low 7 bits White's score in per cent. In a word, 0 and 100 per cent mean that every
position was lost, or won. The word of an empty cell is 0.

`solver.laboratory.imbalance_file` describes a table's file. With one version of zlib,
equal tables give equal bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
from array import array
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import ImbalanceError, MatesolveError
from solver.files import write_whole
from solver.laboratory.imbalance_file import (
    COUNT_BYTES,
    COUNTS,
    MAX_FILE_BYTES,
    VERSION,
    Archive,
)
from solver.laboratory.material import CELLS, mirror_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

PER_CENT_BITS = 7
MAX_WORD_POSITIONS = (1 << 25) - 1
"""The largest count that a word holds; the table itself counts further."""

COUNT_LIMIT = 1 << 56
"""Counts stay below this, so that no sum of a few overflows 64 bits."""

MAX_SOURCE_BYTES = 1000

_RESULTS = (1.0, 0.5, 0.0)
"""White's results of a game, in the order in which a table counts them."""

_WORD_BYTES = 4


class Outcomes(NamedTuple):
    """How many positions came from games with each result, as one side sees it."""

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

        It is rounded, but to 0 or 100 only if every position was lost, or won.
        """
        positions = self.positions
        if not positions:
            return None
        if self.wins == positions:
            return 100
        if self.losses == positions:
            return 0
        halves = 2 * self.wins + self.draws
        return min(99, max(1, (100 * halves + positions) // (2 * positions)))

    @property
    def word(self) -> int:
        """The 32-bit word that the search reads; 0 without positions."""
        counted = min(self.positions, MAX_WORD_POSITIONS)
        return counted << PER_CENT_BITS | (self.per_cent or 0)

    def reversed(self) -> Outcomes:
        """Return the outcomes as the other side sees them."""
        return Outcomes(self.losses, self.draws, self.wins)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much a table holds.

    Attributes
    ----------
    positions : int
        Positions counted in cells.
    ignored : int
        Positions with more pieces than any cell has.
    filled : int
        Cells with positions, out of `CELLS`.
    decided : int
        Filled cells whose positions were all won, or all lost.
    decided_positions : int
        Positions in those cells.
    """

    positions: int
    ignored: int
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
        self._counts = array("Q", bytes(COUNT_BYTES * CELLS * len(_RESULTS)))
        """Three counts a cell: won, drawn, lost."""

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
            self._counts[cell * len(_RESULTS) + _RESULTS.index(result)] += 1

    def merge(self, other: ImbalanceTable) -> None:
        """Add the counts of another table; `source` stays as it is.

        Raises
        ------
        ImbalanceError
            If a sum reaches `COUNT_LIMIT`.
        """
        self.ignored = _in_range(self.ignored + other.ignored)
        for index, count in enumerate(other._counts):
            if count:
                self._counts[index] = _in_range(self._counts[index] + count)

    def outcomes(self, cell: int) -> Outcomes:
        """Return the counts of one cell."""
        start = cell * len(_RESULTS)
        return Outcomes(*self._counts[start : start + len(_RESULTS)])

    def filled_cells(self) -> Iterator[tuple[int, Outcomes]]:
        """Yield each cell that has positions, with its counts, in order."""
        columns = (self._counts[column :: len(_RESULTS)] for column in range(3))
        for cell, outcomes in enumerate(zip(*columns, strict=True)):
            if any(outcomes):
                yield cell, Outcomes(*outcomes)

    def coverage(self) -> Coverage:
        """Sum up how much the table holds."""
        positions = filled = decided = decided_positions = 0
        for _, outcomes in self.filled_cells():
            filled += 1
            positions += outcomes.positions
            if outcomes.per_cent in {0, 100}:
                decided += 1
                decided_positions += outcomes.positions
        return Coverage(positions, self.ignored, filled, decided, decided_positions)

    def most_frequent(self, number: int) -> list[int]:
        """Return the cells with the most positions, the largest first."""
        cells = sorted(
            self.filled_cells(), key=lambda filled: filled[1].positions, reverse=True
        )
        return [cell for cell, _ in cells[:number]]

    def words(self) -> array[int]:
        """Return the word of each cell, with White's score.

        Returns
        -------
        array of 'I', `CELLS` long
        """
        words = _empty_words()
        for cell, outcomes in self.filled_cells():
            words[cell] = outcomes.word
        return words

    def words_for_mover(self) -> array[int]:
        """Return the word of each cell from the side to move's point of view.

        In the cell's material, White stands for the side to move and Black for its
        opponent. Black's results with a material count as White's results with the same
        material. Where both sides have the same material, the score is a half, and each
        position counts once.

        Returns
        -------
        array of 'I', `CELLS` long
        """
        words = _empty_words()
        for cell, outcomes in self.filled_cells():
            mirror = mirror_cell(cell)
            if mirror == cell:
                words[cell] = Outcomes(draws=outcomes.positions).word
                continue
            theirs = self.outcomes(mirror).reversed()
            both = Outcomes(*map(sum, zip(outcomes, theirs, strict=True)))
            words[cell] = both.word
            words[mirror] = both.reversed().word
        return words

    def checksum(self) -> str:
        """Return the SHA-256 of the counts, in hexadecimal.

        It is taken over the bytes of the file's array `counts`, so it depends neither
        on the source nor on the compression.
        """
        return hashlib.sha256(self._array().tobytes()).hexdigest()

    def to_bytes(self) -> bytes:
        """Return the content of the table's file."""
        import numpy as np

        file = io.BytesIO()
        np.savez_compressed(
            file,
            version=np.array(VERSION, "<u8"),
            source=np.array(self.source.encode()),
            ignored=np.array(self.ignored, "<u8"),
            counts=self._array(),
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
        archive = Archive(data)
        try:
            source = bytes(archive.read("source", "S", ())[()]).decode()
        except UnicodeDecodeError:
            msg = "source: expected UTF-8, found other bytes"
            raise ImbalanceError(msg) from None
        table = cls(source)
        table.ignored = _in_range(int(archive.read("ignored", "<u8", ())))
        counts = archive.read("counts", "<u8", COUNTS)
        _in_range(int(counts.max()))
        table._counts = array("Q", counts.astype("=u8").tobytes())
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

    def _array(self) -> npt.NDArray[np.uint64]:
        """Return the counts as the file has them."""
        import numpy as np

        return np.frombuffer(self._counts, np.uint64).reshape(COUNTS).astype("<u8")


def shipped() -> ImbalanceTable:
    """Load the table that comes with the program."""
    try:
        data = (resources.files("solver.laboratory") / "imbalance.npz").read_bytes()
    except FileNotFoundError:
        msg = "expected the table that comes with the program, found none: reinstall it"
        raise MatesolveError(msg) from None
    return ImbalanceTable.from_bytes(data)


def _empty_words() -> array[int]:
    words = array("I", bytes(_WORD_BYTES * CELLS))
    assert words.itemsize == _WORD_BYTES
    return words


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
