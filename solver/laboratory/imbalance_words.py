"""The words in which the search reads a material-imbalance table.

A word has 32 bits: the number of positions of a cell, and in the low 7 bits the score
of the side to move in per cent. The word of an empty cell is 0. In the material of a
cell, White stands for the side to move and Black for its opponent.

By default a cell holds what either colour scored with this material against that, and 0
and 100 per cent mean that every position was lost, or won. `MipUse` has three forms:

- ``WHITE``: only what White scored with White's pieces. With Black to move, the score
  is 100 minus that of the cell with the colours exchanged.
- ``ROUNDED``: the score is rounded to a whole per cent, so that 0 means less than a
  half.
- ``CURVE``: the score is drawn towards 50 by n / (n + N), where n is the number of
  positions, and rounded. That is the score with N more positions that were drawn.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from solver.kernel.border.experiment import MipUse
from solver.laboratory.imbalance import pack_word
from solver.laboratory.material import CELLS, mirror_cell

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.laboratory.imbalance import ImbalanceTable, Outcomes

FORMS = MipUse.WHITE | MipUse.ROUNDED | MipUse.CURVE

_WORD_BYTES = 4


def search_words(
    imbalance: ImbalanceTable, form: MipUse, weight: int, *, white_first: bool
) -> tuple[array[int], array[int]]:
    """Return the words as the side to move at the root and its opponent see them.

    Parameters
    ----------
    imbalance : ImbalanceTable
    form : MipUse
        Any of `FORMS`.
    weight : int
        N of the curve; not used without `MipUse.CURVE`.
    white_first : bool
        Whether White is to move at the root.

    Returns
    -------
    tuple of two array of 'I', each `CELLS` long
    """
    score_of = _scoring(form, weight)
    if not form & MipUse.WHITE:
        words = _folded_words(imbalance, score_of)
        return words, words
    white, black = _empty_words(), _empty_words()
    for cell, outcomes in imbalance.filled_cells():
        score, positions = score_of(outcomes), outcomes.positions
        white[cell] = pack_word(positions, score)
        black[mirror_cell(cell)] = pack_word(positions, 100 - score)
    return (white, black) if white_first else (black, white)


def _folded_words(
    imbalance: ImbalanceTable, score_of: Callable[[Outcomes], int]
) -> array[int]:
    words = _empty_words()
    for cell, _ in imbalance.filled_cells():
        if not words[cell]:  # otherwise it was written with its mirror cell
            ours = imbalance.folded(cell)
            theirs, positions = ours.reversed(), ours.positions
            words[cell] = pack_word(positions, score_of(ours))
            words[mirror_cell(cell)] = pack_word(positions, score_of(theirs))
    return words


def _scoring(form: MipUse, weight: int) -> Callable[[Outcomes], int]:
    """Return the score in per cent that a cell with positions has in a form."""

    def score_of(outcomes: Outcomes) -> int:
        if draws_in:
            outcomes = outcomes._replace(draws=outcomes.draws + weight)
        score = outcomes.rounded if rounds else outcomes.per_cent
        assert score is not None, "only cells with positions have a score"
        return score

    draws_in = bool(form & MipUse.CURVE)
    rounds = bool(form & (MipUse.CURVE | MipUse.ROUNDED))
    return score_of


def _empty_words() -> array[int]:
    words = array("I", bytes(_WORD_BYTES * CELLS))
    assert words.itemsize == _WORD_BYTES
    return words
