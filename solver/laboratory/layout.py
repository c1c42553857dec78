"""What stands below a table of node counts, so that its figures can be understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.laboratory.comparison import found
from solver.laboratory.glass import glass_row
from solver.laboratory.variants import COMBINED, SOUND, options_of
from solver.reports.node_words import (
    AT_MOST,
    UNPROVED,
    answer_word,
    mate_word,
    score_cell,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from solver.laboratory.comparison import Ladder, Survey, Trial
    from solver.laboratory.variants import Variant

_NODES = "A node is a move made, null moves included."
_UNEVEN = "; in a variant's row, at the last depth that both reached"
_ORDER = "table move, captures and promotions, killers, history"


def ladder_notes(ladder: Ladder, *, brief: bool) -> Iterator[str]:
    """Explain one position's table, a paragraph a string.

    In brief, only the last iterations are shown.
    """
    first, *others = ladder.series
    yield (
        f"{_NODES} to PV: until the principal variation was found; in all: until the "
        "iteration was complete; both summed up from depth 1."
    )
    if others:
        where = "" if ladder.is_complete else _UNEVEN
        yield f"ratio, saved: nodes to PV against {first.variant.name}{where}."
    yield from _combinations(series.variant for series in ladder.series)
    yield _setting(ladder.table_entries, first.variant)
    if ended := [s.variant.name for s in ladder.series if s.depth < ladder.depth]:
        yield f"Stopped before depth {ladder.depth}: {', '.join(ended)}."
    if any(glass_row(ladder.fen, depth) for depth in ladder.depths):
        yield (
            "Glass 1.0: nodes to PV without and with mate-distance pruning, as the "
            "Chess Programming Wiki has them; its table and order are its own."
        )
    yield from _marks(
        score_cell(iteration)
        for series in ladder.series
        for iteration in series.iterations[-1 if brief else 0 :]
    )
    if ladder.is_contradictory:
        yield "Sound variants contradict each other: please report this position."


def survey_notes(survey: Survey, *, brief: bool) -> Iterator[str]:
    """Explain a collection's table, a paragraph a string.

    In brief, only what each variant did in all is shown.
    """
    first, *others = survey.variants
    counted = f"{_NODES} They are summed up from depth 1"
    if not all(variant.techniques.is_sound for variant in survey.variants):
        counted += ", without those of the prover that confirms what is told"
    yield f"{counted}."
    if others:
        yield (
            f"ratio: nodes until the mate was found against {first.name}, the "
            "geometric mean over the problems compared: those in which both found the "
            "same mate. differing: answers unlike those of "
            f"{first.name}, where no limit came first."
        )
    yield from _combinations(survey.variants)
    yield _setting(survey.table_entries, first)
    if len(survey.trials) < survey.problems:
        yield f"Stopped after {len(survey.trials)} of {survey.problems} problems."
    if not brief:
        yield from _marks(
            answer_word(outcome)
            for trial in survey.trials
            for outcome in trial.outcomes
        )
    for trial in survey.contradictions():
        yield _contradiction(survey, trial)


def _combinations(variants: Iterable[Variant]) -> Iterator[str]:
    """Say what an ablation's variants of several techniques use."""
    for variant in variants:
        if variant.name in {SOUND, COMBINED}:
            yield f"{variant.name}: {', '.join(options_of(variant.choice))}."


def _setting(table_entries: int, variant: Variant) -> str:
    """Tell what moves all counts alike."""
    table = "No transposition table"
    if table_entries:
        table = f"Transposition table: {table_entries:,} entries, empty at first"
    width = variant.techniques.aspiration
    window = f"within {width} of the last score" if width else "in the full window"
    return f"{table}. Root searched {window}. Order of moves: {_ORDER}."


def _marks(words: Iterable[str]) -> Iterator[str]:
    """Explain the marks that are in use."""
    words = set(words)
    if any(word.startswith(AT_MOST) for word in words):
        yield f"{AT_MOST}M: a shorter mate is not excluded."
    if any(word.endswith(UNPROVED) for word in words):
        yield f"M{UNPROVED}: told by a technique that may be wrong, and not proved."


def _contradiction(survey: Survey, trial: Trial) -> str:
    """Tell what is claimed, and each answer with the first variant that gave it."""
    problem = trial.problem
    told = []
    if problem.claim:
        told.append(f"claimed {mate_word(problem.claim.mate)}")
    if problem.no_mate:
        told.append(f"claimed none in {problem.no_mate}")
    answers: dict[str, str] = {}
    for variant, outcome in zip(survey.variants, trial.outcomes, strict=True):
        if variant.techniques.is_sound or found(outcome) is not None:
            answers.setdefault(answer_word(outcome), variant.name)
    told += [f"{answer} by {name}" for answer, name in answers.items()]
    return f"{problem.source or problem.fen}: contradiction: {', '.join(told)}"
