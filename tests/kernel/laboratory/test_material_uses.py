"""Every use and form of the material table costs what the oracle's definition says."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, islice
from random import Random
from typing import TYPE_CHECKING

import chess
import pytest

from solver.kernel.border.scored_struct import Extension, Mdp, PrunedNodes
from solver.laboratory.imbalance import (
    ImbalanceTable,
    find_material_cell,
    parse_material,
)
from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.techniques import ADDITIONS, Techniques, parse_mip
from tests.kernel.laboratory.counting import ENTRIES, deepen_in
from tests.laboratory.test_imbalance_file import counts_of, file_of
from tests.oracles import walks
from tests.oracles.past_scores import Counts
from tests.oracles.scored import ScoredSearch
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.oracles.scored import Iteration

pytestmark = pytest.mark.usefixtures("laboratory_kernel")

PLAIN = Techniques(aspiration=0, mip_positions=20)
USES = ("reduce", "prune", "lazy", "correct", "prune+lazy", "reduce+correct")
FORMS = ("", "+white", "+rounded", "+curve", "+white+rounded", "+curve+white")
VALUES = [use + form for use in USES for form in FORMS]

MOST_PIECES = 4
"""Pieces besides the kings in the boards below."""


def random_counts(seed: int) -> dict[str, Counts]:
    """Count games with each material of a few pieces, independently for each colour.

    Some materials are unknown, and many scores are decided or nearly so: with 300
    positions and more, one draw is less than half a per cent.
    """
    random = Random(seed)
    counts = {}
    for number in range(MOST_PIECES + 1):
        for letters in combinations_with_replacement("QRBNPqrbnp", number):
            white = "".join(letter for letter in letters if letter.isupper())
            black = "".join(letter for letter in letters if letter.islower())
            name = f"K{white}vK{black.upper()}"
            many = random.choice((1, 19, 20, 300, 9_000, 200_000))
            counts[name] = random.choice(
                [
                    Counts(many, 0, 0),
                    Counts(0, 0, many),
                    Counts(many, 1, 0),
                    Counts(0, 1, many),
                    Counts(random.randrange(many), many // 3, random.randrange(many)),
                    Counts(0, 0, 0),
                ]
            )
    return counts


def table_of(counts: dict[str, Counts]) -> ImbalanceTable:
    cells = {}
    for name, found in counts.items():
        cell = find_material_cell(parse_material(name))
        if cell is not None:
            cells[cell] = (found.won, found.drawn, found.lost)
    return ImbalanceTable.from_bytes(file_of(counts=counts_of(cells)))


COUNTS = random_counts(61)


@pytest.fixture(scope="module")
def laboratories(laboratory_kernel: object) -> dict[bool, Laboratory]:
    """A laboratory with a transposition table, and one without."""
    assert laboratory_kernel
    table = table_of(COUNTS)
    return {True: Laboratory(ENTRIES, table), False: Laboratory(0, table)}


def defined(
    board: chess.Board, techniques: Techniques, depth: int, budget: int, *, table: bool
) -> Iterator[Iteration]:
    search = ScoredSearch(techniques, table=table, counts=COUNTS)
    for found in search.deepen(board, depth):
        yield found
        if found.nodes_total > budget:
            return


def agree(
    laboratories: dict[bool, Laboratory],
    boards: Iterable[chess.Board],
    choices: Iterable[tuple[Techniques, bool]],
    budget: int,
) -> None:
    """Require the oracle's scores, moves and counts, for a root of either colour."""
    for board, (techniques, table) in zip(boards, choices, strict=False):
        for root in (board, board.mirror()):
            expected = list(defined(root, techniques, 5, budget, table=table))
            found = deepen_in(laboratories[table], root, techniques, len(expected))
            assert found == expected, f"{root.fen()}: {techniques}, table: {table}"


def mixtures(seed: int) -> Iterator[tuple[Techniques, bool]]:
    """Yield each value of `--mip` again and again, with other techniques."""
    random = Random(seed)
    while True:
        for value in VALUES:
            techniques = replace(
                PLAIN,
                mdp=random.choice(list(Mdp)),
                extension=random.choice([Extension.NONE, Extension.CHECKS]),
                null_reduction=1,
                mip=parse_mip(value),
            )
            if random.random() < 0.5:
                techniques = replace(
                    techniques,
                    pruned_nodes=PrunedNodes.CUT_AND_ALL,
                    additions=ADDITIONS,
                )
            yield techniques, random.random() < 0.7


@sized("every", 7, 1)
def test_each_use_and_form_costs_what_the_definition_says(
    laboratories: dict[bool, Laboratory], every: int
) -> None:
    choices = [
        (replace(PLAIN, mip=parse_mip(value)), table)
        for value in VALUES
        for table in (True, False)
    ][::every]
    boards = walks.small_positions(len(choices), seed=62)
    agree(laboratories, boards, choices, budget=200)


@sized("count", 12, 36)
def test_uses_and_forms_in_any_mixture_cost_what_the_definition_says(
    laboratories: dict[bool, Laboratory], count: int
) -> None:
    agree(laboratories, walks.small_positions(count, seed=63), mixtures(63), budget=200)


@pytest.mark.parametrize(
    "fen", ["8/k7/8/q7/Q7/8/8/K7 w - - 0 1", "8/4q3/8/k7/8/K7/4Q3/8 w - - 0 1"]
)
def test_whites_view_has_two_scores_for_a_position_and_its_mirror_image(
    laboratories: dict[bool, Laboratory], fen: str
) -> None:
    """Either queen takes the other, so the positions below mirror each other.

    The transposition table must not answer for one of them from the other.
    """
    choices = [(replace(PLAIN, mip=parse_mip("lazy+white")), True)]
    agree(laboratories, [chess.Board(fen)], choices, budget=10_000)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1080, 108))
def test_many_mixtures_with_forms_cost_what_the_definition_says(
    laboratories: dict[bool, Laboratory], first: int
) -> None:
    questions = zip(walks.small_positions(1080, seed=64), mixtures(64), strict=False)
    boards, choices = zip(*islice(questions, first, first + 108), strict=True)
    agree(laboratories, boards, choices, budget=3_000)
