"""Resume an audit from a store, and audit a collection in parts.

A question is a position, its stipulation, what its record claims, and the options that
can change the answer. Answers are stored by question, so one that occurs twice, or in a
later run, is searched once.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePath
from typing import TYPE_CHECKING

from solver import __version__
from solver.errors import FormatError
from solver.solution import StoppedBy

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from solver.audit.job import AuditOptions
    from solver.audit.result import AuditResult
    from solver.audit.store import Store
    from solver.problem import Problem

KEY_BYTES = 16


class ResumeStore:
    """Returns earlier answers from a store, and saves new ones.

    Parameters
    ----------
    store : Store
        Where answers are stored.
    options : AuditOptions
        What to search for. Time and node limits are not part of a question: an answer
        that no limit cut short is valid for all of them.
    retry : collection of str
        Verdicts, or statuses if nothing is claimed, to search again if the limits are
        wider now.

    Attributes
    ----------
    store : Store
    not_retried : int
        How many such answers were not searched again, because the limits were as wide
        before.
    """

    def __init__(
        self, store: Store, options: AuditOptions, retry: Collection[str] = ()
    ) -> None:
        self.store = store
        self._limits = options.limits
        self._options = options.describe()
        self._retry = frozenset(retry)
        self.not_retried = 0

    def key(self, problem: Problem) -> bytes:
        """Return the hash of a question, which includes the solver's version."""
        claim = problem.claim
        question = [
            problem.position,
            f"{claim and claim.mate} {problem.no_mate}",
            " ".join(claim.keys) if claim else "",
            " ".join(claim.line) if claim else "",
            str(claim is not None and claim.any_last_move),
            self._options,
            __version__,
        ]
        if problem.stipulation.text:
            solutions = claim.solutions if claim else None
            question.append(f"{problem.stipulation.text} {solutions}")
        return blake2b("\n".join(question).encode(), digest_size=KEY_BYTES).digest()

    def find(self, problem: Problem, key: bytes) -> AuditResult | None:
        """Return an earlier answer to a question, and store that this record poses it.

        Returns
        -------
        AuditResult or None
            None if the problem must be searched.
        """
        answer = self.store.answer(key)
        if answer is None:
            return None
        result, time_limit_s, node_limit = answer
        if result.word in self._retry and (
            result.stopped_by == StoppedBy.CRASH
            or self._has_wider_limits(time_limit_s, node_limit)
        ):
            return None
        result = result.for_record(problem)
        self.store.put_record(result, key)
        return result

    def save(self, key: bytes, result: AuditResult) -> None:
        """Save a new answer and its record."""
        limits = self._limits
        self.store.put_answer(key, result, self._options, limits.time_s, limits.nodes)
        self.store.put_record(result, key)

    def _has_wider_limits(self, time_s: float | None, nodes: int | None) -> bool:
        now = _or_infinite(self._limits.time_s), _or_infinite(self._limits.nodes)
        before = _or_infinite(time_s), _or_infinite(nodes)
        # With one limit narrower, the new answer could be worse.
        is_wider = now != before and all(map(operator.ge, now, before))
        self.not_retried += not is_wider
        return is_wider


def _or_infinite(limit: float | None) -> float:
    return math.inf if limit is None else limit


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several disjoint parts of a collection, for batch systems.

    Records with the same position are in the same part, so that it is searched once.

    Attributes
    ----------
    number : int
        Which part, from 1.
    count : int
        How many parts there are.
    """

    number: int
    count: int

    def of(
        self, records: Iterable[Problem | FormatError]
    ) -> Iterator[Problem | FormatError]:
        """Return the records of this part."""
        return (record for record in records if self._has(record))

    def share_of(self, records: int | None) -> int | None:
        """Estimate how many of this many records are in this part."""
        return None if records is None else round(records / self.count)

    def _has(self, record: Problem | FormatError) -> bool:
        if isinstance(record, FormatError):
            text = PurePath(record.source).name  # other machines have other folders
        else:
            text = record.position
        digest = blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.number - 1
