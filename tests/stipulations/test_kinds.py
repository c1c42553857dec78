"""Each stipulation has a kind, which answers for it."""

from __future__ import annotations

import pytest

from solver.problem import MATE, Stipulation
from solver.stipulations import genre_of

# As written; what the play ends with; the compiled part that searches it.
KINDS = {
    "#2": ("mate", "search"),
    "=2": ("stalemate", "battle"),
    "s#2": ("selfmate", "battle"),
    "r=2": ("reflexstalemate", "battle"),
    "semi-r#2": ("semi-reflexmate", "battle"),
    "h#2.5": ("helpmate", "help"),
    "exact-h=2": ("helpstalemate", "help"),
}


@pytest.mark.parametrize(("text", "expected"), KINDS.items())
def test_a_kind_names_its_goal_and_its_part(
    text: str, expected: tuple[str, str]
) -> None:
    kind = genre_of(Stipulation.parse(text))
    assert (kind.goal, kind.part().name) == expected


def test_claims_are_sorted_by_kind_and_then_by_length() -> None:
    ranks = [genre_of(MATE).claim_name(moves) for moves in (1, 3, -1, -3)]
    texts = ("=3", "s#2", "s#10", "s=1", "r#2", "r=1", "semi-r#1", "h#1.5", "h#2")
    for stipulation in map(Stipulation.parse, texts):
        moves = stipulation.attacker_moves
        ranks.append(genre_of(stipulation).claim_name(moves))
    assert ranks == sorted(ranks)
    assert [name for _, name in ranks] == ["#1", "#3", "#-1", "#-3", *texts]


def test_the_plain_mate_has_no_number_and_no_text() -> None:
    assert (str(MATE), MATE.text, MATE.attacker_moves) == ("#", "", 0)
    assert Stipulation.from_record(None) == Stipulation.from_record("") == MATE
    assert str(MATE.numbered(3)) == "#3"
    assert MATE.allows(7)
    assert Stipulation.parse("#3").beside_claim == MATE
