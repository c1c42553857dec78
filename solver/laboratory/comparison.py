"""What variants of the scored search told, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import geometric_mean
from typing import TYPE_CHECKING

from solver.laboratory.horizon import Telling, contradict, tell, tell_shortest
from solver.laboratory.score import mate_distance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.laboratory.results import Iteration, Outcome
    from solver.laboratory.variants import Variant
    from solver.problem import Problem


@dataclass(frozen=True, slots=True)
class Series:
    """One variant's iterations on one position.

    Attributes
    ----------
    variant : Variant
    iterations : tuple of Iteration
        Depth 1, 2, 3, ...; those that were completed.
    """

    variant: Variant
    iterations: tuple[Iteration, ...]

    @property
    def depth(self) -> int:
        """The last depth that was completed, 0 if none was."""
        return len(self.iterations)

    def at(self, depth: int) -> Iteration | None:
        """Give the iteration of a depth, None where the search did not get so far."""
        return self.iterations[depth - 1] if 1 <= depth <= self.depth else None

    def ratio(self, base: Series, depth: int) -> float | None:
        """Divide the nodes until the principal variation by another variant's."""
        own, other = self.at(depth), base.at(depth)
        return divide(own.nodes, other.nodes) if own and other else None


@dataclass(frozen=True, slots=True)
class Ladder:
    """One position, searched deeper and deeper by each variant.

    Attributes
    ----------
    fen : str
    depth : int
        The last iteration asked for.
    table_entries : int
        Size of each search's transposition table.
    series : tuple of Series
        One for each variant, at least one.
    """

    fen: str
    depth: int
    table_entries: int
    series: tuple[Series, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every variant got as deep as was asked."""
        return all(series.depth == self.depth for series in self.series)

    @property
    def depths(self) -> range:
        """The depths that some variant reached."""
        return range(1, 1 + max(series.depth for series in self.series))

    @property
    def is_contradictory(self) -> bool:
        """Whether sound variants tell mates that cannot both be right."""
        return contradict(
            tell(mate_distance(iteration.score), iteration.depth)
            for series in self.series
            if series.variant.techniques.is_sound
            for iteration in series.iterations
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """One problem, put to each variant.

    Attributes
    ----------
    problem : Problem
    depth : int
        The last iteration asked for.
    outcomes : tuple of Outcome
        In the order of the survey's variants.
    """

    problem: Problem
    depth: int
    outcomes: tuple[Outcome, ...]

    @property
    def is_complete(self) -> bool:
        """Whether no limit kept a variant from its answer."""
        return all(is_answer(outcome) for outcome in self.outcomes)

    @property
    def same_answer(self) -> bool:
        """Whether all variants that came to an answer told the same mate, or none."""
        answers = {found(outcome) for outcome in self.outcomes if is_answer(outcome)}
        return len(answers) <= 1


@dataclass(frozen=True, slots=True)
class Total:
    """What one variant did over a whole collection.

    Attributes
    ----------
    variant : Variant
    found : int
        Problems whose mate it told, and it is there.
    unproved : int
        Problems in which it told a mate that could not be proved.
    stopped : int
        Problems in which a limit came before an answer.
    differing : int
        Problems in which its answer is not that of the first variant.
    nodes_total : int
        All nodes of all problems.
    ratio : float or None
        Geometric mean of its nodes to the mate in those of the first variant, over the
        problems in which both found the same one.
    compared : int
        How many those are.
    """

    variant: Variant
    found: int
    unproved: int
    stopped: int
    differing: int
    nodes_total: int
    ratio: float | None
    compared: int


@dataclass(frozen=True, slots=True)
class Survey:
    """A collection, each problem put to each variant.

    Attributes
    ----------
    table_entries : int
        Size of each search's transposition table.
    variants : tuple of Variant
        At least one.
    trials : tuple of Trial
        One for each problem that was put to all of them.
    problems : int
        How many there are.
    """

    table_entries: int
    variants: tuple[Variant, ...]
    trials: tuple[Trial, ...]
    problems: int

    @property
    def is_complete(self) -> bool:
        """Whether all variants came to an answer to every problem."""
        answered = sum(trial.is_complete for trial in self.trials)
        return answered == self.problems

    @property
    def is_contradictory(self) -> bool:
        """Whether there is any contradiction."""
        return any(self.contradictions())

    def totals(self) -> Iterator[Total]:
        """Sum up, one variant after the other."""
        for index, variant in enumerate(self.variants):
            outcomes = [trial.outcomes[index] for trial in self.trials]
            pairs = [
                (trial.outcomes[0], trial.outcomes[index]) for trial in self.trials
            ]
            ratios = [
                ratio
                for first, own in pairs
                if found(own) is not None and found(own) == found(first)
                if (ratio := divide(own.nodes, first.nodes)) is not None
            ]
            yield Total(
                variant,
                found=sum(found(own) is not None for own in outcomes),
                unproved=sum(
                    own.mate is not None and not own.proved for own in outcomes
                ),
                stopped=sum(not is_answer(own) for own in outcomes),
                differing=sum(
                    is_answer(first) and is_answer(own) and found(first) != found(own)
                    for first, own in pairs
                ),
                nodes_total=sum(own.nodes_total for own in outcomes),
                ratio=geometric_mean(ratios) if ratios else None,
                compared=len(ratios),
            )

    def contradictions(self) -> Iterator[Trial]:
        """Give the problems in which a claim and proved answers cannot all be right."""
        for trial in self.trials:
            if contradict(self._tellings(trial)):
                yield trial

    def _tellings(self, trial: Trial) -> Iterator[Telling]:
        if trial.problem.claim:
            yield tell_shortest(trial.problem.claim.mate)
        if trial.problem.no_mate:
            yield Telling(None, trial.problem.no_mate, -1)
        for variant, outcome in zip(self.variants, trial.outcomes, strict=True):
            if variant.techniques.is_sound:
                if outcome.mate is not None and outcome.settled:
                    yield tell_shortest(outcome.mate)
                else:
                    yield tell(outcome.mate, trial.depth if outcome.complete else 0)
            elif (mate := found(outcome)) is not None:
                yield tell(mate, 0)


def found(outcome: Outcome) -> int | None:
    """Give the mate that a variant told, None if it is not proved to be there."""
    return outcome.mate if outcome.proved else None


def is_answer(outcome: Outcome) -> bool:
    """Whether no limit came before an answer."""
    return outcome.complete or (found(outcome) is not None and outcome.settled)


def divide(nodes: int, base: int) -> float | None:
    """Give a ratio of nodes; None without nodes, as in a game that is over."""
    return nodes / base if nodes and base else None
