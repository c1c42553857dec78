"""Material-imbalance tables: what each balance of men has scored in games.

After Ed Schröder's Material Imbalance Pruning. A cell for each material holds how many
positions with it came from games that White won, drew and lost. A search looks cells up
as words of 32 bits: the number of positions above 7 bits of White's score in per cent,
of which 0 and 100 say that every position was lost, or won. An empty cell's word is 0.
"""

from __future__ import annotations

import os
from array import array
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import ImbalanceError, MatesolveError
from solver.files import write_whole
from solver.imbalance_file import (
    CHECKSUM_BYTES,
    MAX_FILE_BYTES,
    NUMBER_LIMIT,
    Content,
    check_source,
    decode,
    encode,
)
from solver.laboratory.material import (
    CELLS,
    count_men,
    find_cell,
    material_of,
    mirror_cell,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

__all__ = [
    "CELLS",
    "Coverage",
    "ImbalanceTable",
    "Outcomes",
    "cell_of",
    "find_cell",
    "material_of",
    "shipped",
]

PER_CENT_BITS = 7
MAX_WORD_POSITIONS = (1 << 25) - 1
"""A word counts no further; the table itself does."""

WON, DRAWN, LOST = 1.0, 0.5, 0.0
"""White's result of a game."""

_WORD_BYTES = 4
_COUNT_BYTES = 8


class Outcomes(NamedTuple):
    """How many positions came from games with each result, seen by one side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def positions(self) -> int:
        """How many there are in all."""
        return self.wins + self.draws + self.losses

    @property
    def per_cent(self) -> int | None:
        """The score, a draw being half a win; None without positions.

        Rounded, but to 0 and 100 only if every position was lost, or won.
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
        """Both in 32 bits, as a search looks them up; 0 without positions."""
        counted = min(self.positions, MAX_WORD_POSITIONS)
        return counted << PER_CENT_BITS | (self.per_cent or 0)

    def reversed(self) -> Outcomes:
        """Give the same as the other side sees it."""
        return Outcomes(self.losses, self.draws, self.wins)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much a table holds.

    Attributes
    ----------
    positions : int
        Counted in cells.
    ignored : int
        Met, but with more men than there are cells for.
    filled : int
        Cells with positions, of `CELLS`.
    decided : int
        Filled cells whose positions all were won, or all lost.
    decided_positions : int
        Positions in those.
    """

    positions: int
    ignored: int
    filled: int
    decided: int
    decided_positions: int


class ImbalanceTable:
    """Counts of results for each material, exact, from White's point of view.

    Parameters
    ----------
    source : str
        What the counts come from: one printable line of at most 1,000 bytes.

    Raises
    ------
    ImbalanceError
        If the source is none such.
    """

    def __init__(self, source: str = "") -> None:
        check_source(source)
        self.source = source
        self.ignored = 0
        """Positions that no cell has room for."""
        self._counts = {
            result: array("Q", bytes(_COUNT_BYTES * CELLS))
            for result in (WON, DRAWN, LOST)
        }

    def add(self, cell: int | None, result: float) -> None:
        """Count one position.

        Parameters
        ----------
        cell : int or None
            Where, see `cell_of`; None: the position is ignored, and counted as such.
        result : float
            What the game came to for White: 1, 0.5 or 0.
        """
        if cell is None:
            self.ignored += 1
        else:
            self._counts[result][cell] += 1

    def merge(self, other: ImbalanceTable) -> None:
        """Add all that another table has counted; `source` stays.

        Raises
        ------
        ImbalanceError
            If a sum is more than a table's file can tell.
        """
        self.ignored += other.ignored
        for result, counts in self._counts.items():
            for cell, count in enumerate(other._counts[result]):
                if count:
                    counts[cell] = _in_range(counts[cell] + count)

    def outcomes(self, cell: int) -> Outcomes:
        """Give what one cell holds."""
        return Outcomes(*(counts[cell] for counts in self._counts.values()))

    def filled_cells(self) -> Iterator[tuple[int, Outcomes]]:
        """Give each cell that has positions, and what it holds, in their order."""
        counts = zip(*self._counts.values(), strict=True)
        for cell, outcomes in enumerate(counts):
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
        """Give the cells with the most positions, those first."""
        cells = sorted(
            self.filled_cells(), key=lambda filled: filled[1].positions, reverse=True
        )
        return [cell for cell, _ in cells[:number]]

    def words(self) -> array[int]:
        """Give the word of each cell, with White's score.

        Returns
        -------
        array of 'I', `CELLS` long
        """
        words = _no_words()
        for cell, outcomes in self.filled_cells():
            words[cell] = outcomes.word
        return words

    def words_for_mover(self) -> array[int]:
        """Give the word of each cell for a search that knows no colours.

        Where `material_of` says White stands the side to move, and where it says Black
        its opponent. What Black has scored with a material counts as what White has; a
        material that both have alike has scored half, and each position counts once.

        Returns
        -------
        array of 'I', `CELLS` long
        """
        words = _no_words()
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
        """Give the SHA-256 that the table's file ends with, in hexadecimal."""
        return self.to_bytes()[-CHECKSUM_BYTES:].hex()

    def to_bytes(self) -> bytes:
        """Write the table as its file has it; equal tables give equal bytes."""
        cells = ((cell, *outcomes) for cell, outcomes in self.filled_cells())
        return encode(Content(self.source, self.ignored, cells))

    @classmethod
    def from_bytes(cls, data: bytes) -> ImbalanceTable:
        """Read a table.

        Raises
        ------
        ImbalanceError
            If it is damaged, of another kind or of another version.
        """
        content = decode(data)
        table = cls(content.source)
        table.ignored = content.ignored
        for cell, *counts in content.cells:
            for column, count in zip(table._counts.values(), counts, strict=True):
                column[cell] = count
        return table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table's file; whoever reads it has the old one or the new.

        Raises
        ------
        OSError
            If it cannot be written; a file that was there is left as it was.
        """
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ImbalanceTable:
        """Read a table's file.

        Raises
        ------
        OSError
            If it cannot be read.
        ImbalanceError
            If it is damaged, of another kind or of another version.
        """
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES)
        try:
            return cls.from_bytes(data)
        except ImbalanceError as error:
            msg = f"{os.fspath(path)}: {error}"
            raise ImbalanceError(msg) from None


def cell_of(board: chess.Board) -> int | None:
    """Give the cell of a position; None when it has more men than cells are for."""
    return find_cell(count_men(board))


def shipped() -> ImbalanceTable:
    """Load the table that comes with the program."""
    try:
        data = (resources.files("solver.laboratory") / "imbalance.mip").read_bytes()
    except FileNotFoundError:
        msg = "expected the table that comes with the program, found none: reinstall it"
        raise MatesolveError(msg) from None
    return ImbalanceTable.from_bytes(data)


def _no_words() -> array[int]:
    words = array("I", bytes(_WORD_BYTES * CELLS))
    assert words.itemsize == _WORD_BYTES
    return words


def _in_range(count: int) -> int:
    if count >= NUMBER_LIMIT:
        msg = f"expected counts below 2^56, found {count}"
        raise ImbalanceError(msg)
    return count
