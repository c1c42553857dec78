"""How far the reading of collections is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Meter:
    """Counts what is read; another thread may look at it at any time.

    Attributes
    ----------
    records : int
        Given so far, unreadable ones included, in all files together.
    passed_over : int
        Records that were not asked for: outside the selection, or rows of lichess's
        that claim no mate.
    """

    def __init__(self) -> None:
        self.records = 0
        self.passed_over = 0
        self._progress: tuple[Callable[[], int], int] | None = None

    def begin(self, read: Callable[[], int], size: int | None) -> None:
        """Turn to a file.

        Parameters
        ----------
        read : callable
            Tells how many bytes of it have been read.
        size : int or None
            How many it has; None where that is not known.
        """
        self._progress = None if size is None else (read, size)

    def fraction(self) -> float | None:
        """Tell how much of the current file has been read, from 0 to 1.

        Returns
        -------
        float or None
            None before the first file, and where its size is not known.
        """
        progress = self._progress
        if progress is None:
            return None
        read, size = progress
        return min(read() / size, 1.0) if size else 1.0
