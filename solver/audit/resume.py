"""What a store means for an audit: which questions it has answered already."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING

from solver import __version__
from solver.audit.result import renamed
from solver.errors import FormatError
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from solver.audit.job import Inquiry
    from solver.audit.result import AuditResult
    from solver.audit.store import Answered, Store
    from solver.problem import Problem


# A share of a collection, for batch systems that run an audit in parts.


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


KEY_BYTES = 16


class Archive:
    """Answers an audit's problems out of a store, and keeps what is new.

    Parameters
    ----------
    store : Store
        Where answers are kept.
    inquiry : Inquiry
        What is asked. Its time and node limits make no new question: an answer that
        no limit cut short holds for all of them.
    retry : collection of str
        Verdicts, or statuses where nothing is claimed, that are to be searched again
        if the limits are wider now.
    """

    def __init__(
        self, store: Store, inquiry: Inquiry, retry: Collection[str] = ()
    ) -> None:
        self._store = store
        self._limits = inquiry.limits
        self._options = inquiry.words()
        self._retry = frozenset(retry)
        self.spared = 0
        """How many were not searched again, since their limits were as wide."""

    def key(self, problem: Problem) -> bytes:
        """Digest a question: position, claim, options, and the solver's version."""
        claim = problem.claim
        asked = (
            problem.position,
            f"{claim and claim.mate} {problem.no_mate}",
            " ".join(claim.keys) if claim else "",
            " ".join(claim.line) if claim else "",
            str(claim is not None and claim.any_last_move),
            self._options,
            __version__,
        )
        return blake2b("\n".join(asked).encode(), digest_size=KEY_BYTES).digest()

    def recall(self, problem: Problem, key: bytes) -> AuditResult | None:
        """Give what was found for the same question, and note that this record asks it.

        Returns
        -------
        Finding or None
            None where it has to be searched.
        """
        answered = self._store.answer(key)
        if answered is None or self._is_to_be_retried(answered):
            return None
        result = renamed(answered.result, problem)
        self._store.put_record(result, key)
        return result

    def keep(self, key: bytes, result: AuditResult) -> None:
        """Keep a new answer."""
        limits = self._limits
        self._store.put_answer(key, result, self._options, limits.time_s, limits.nodes)
        self._store.put_record(result, key)

    def keep_record(self, result: AuditResult, key: bytes | None) -> None:
        """Keep a record whose answer is kept, or one that cannot be read."""
        self._store.put_record(result, key)

    def commit_if_due(self) -> None:
        """Write down what has waited long enough."""
        self._store.commit_if_due()

    def _is_to_be_retried(self, answered: Answered) -> bool:
        if answered.result.word not in self._retry:
            return False
        if answered.result.stopped_by == StoppedBy.CRASH:
            return True
        limits = self._limits
        now = _wide(limits.time_s), _wide(limits.nodes)
        before = _wide(answered.time_limit_s), _wide(answered.node_limit)
        # If one were narrower, the answer could be a worse one.
        is_wider = now != before and all(map(operator.ge, now, before))
        self.spared += not is_wider
        return is_wider


def _wide(limit: float | None) -> float:
    return math.inf if limit is None else limit
