"""A share of a collection, for batch systems that run an audit in parts."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING

from solver.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.problem import Problem


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts that no record is in two of.

    Records of the same position are in the same part, so that it is solved once.

    Attributes
    ----------
    number : int
        Which part, from 1.
    count : int
        How many there are.
    """

    number: int
    count: int

    def of(
        self, records: Iterable[Problem | FormatError]
    ) -> Iterator[Problem | FormatError]:
        """Give the records of this part."""
        return (record for record in records if self._has(record))

    def share_of(self, records: int | None) -> int | None:
        """Estimate how many of so many records are in this part."""
        return None if records is None else round(records / self.count)

    def _has(self, record: Problem | FormatError) -> bool:
        if isinstance(record, FormatError):
            text = PurePath(record.source).name  # folders have other names elsewhere
        else:
            text = record.position
        digest = blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.number - 1
