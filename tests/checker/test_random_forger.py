"""Whatever a random forger gets past the checker is true."""

from __future__ import annotations

import copy
import random
from typing import Any

import chess
import pytest

from solver.checker import Checked, check
from solver.errors import CertificateError, ForgeryError
from tests.checker.claims import SHORTEST
from tests.checker.documents import LOST, ROOK_MATE, Document
from tests.oracles.remembering import Oracle
from tests.sizes import sized


class Mutator:
    """Changes a document at random."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def mutate(self, document: Document) -> Document:
        """Change one to three places of a copy."""
        forged = copy.deepcopy(document)
        for _ in range(self._random.randint(1, 3)):
            self._change(self._random.choice(list(places(forged))))
        return forged

    def _change(self, place: tuple[Any, Any]) -> None:
        container, key = place
        value = container[key]
        strange = [None, True, -1, "", [], {}, "h1h1q", 10**30, value]
        if isinstance(value, int):
            strange += [value + 1, value - 1, 0] * 4
        if isinstance(value, str):
            strange += [self._name() for _ in range(9)]
        match self._random.randrange(4):
            case 0:
                del container[key]
            case 1 if isinstance(container, dict):
                container[self._name()] = container.pop(key)
            case 1:
                container.insert(key, value)
            case 2 if isinstance(container, dict):
                other = self._random.choice(list(container))
                container[key], container[other] = container[other], value
            case _:
                container[key] = self._random.choice(strange)

    def _name(self) -> str:
        start, end = self._random.choices(("f2", "g2", "g3", "h1", "h2", "h3"), k=2)
        return start + end


def places(value: Any) -> Any:
    """All places of a document, as containers and keys."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def is_true(checked: Checked) -> bool:
    """Whether the oracle agrees with the bounds that the checker proved."""
    board, oracle = chess.Board(checked.fen), Oracle()
    attacking = board.turn == checked.attacker
    mates = oracle.mate_in if attacking else oracle.mated_in
    if checked.mate is not None and not mates(board, abs(checked.mate)):
        return False
    excluded = checked.lower_bound - 1
    return excluded < 0 or (attacking and not excluded) or not mates(board, excluded)


@sized("count", 200, 3000)
@pytest.mark.parametrize(
    "document", [ROOK_MATE, LOST, SHORTEST], ids=["attacker", "defender", "matebench"]
)
def test_a_random_forgery_that_passes_is_true(document: Document, count: int) -> None:
    mutator = Mutator(seed=20251121)
    refused = through = 0
    for _ in range(count):
        forged = mutator.mutate(document)
        try:
            checked = check(forged)
        except (ForgeryError, CertificateError) as error:
            assert str(error).isprintable()  # noqa: PT017
            refused += 1
        else:
            assert is_true(checked), forged
            through += 1
    assert refused > 2 * count // 3
    assert through > count // 150
