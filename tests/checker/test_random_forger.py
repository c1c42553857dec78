"""Whatever a random forger gets past the checker is true."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import chess
import pytest

from solver.checker import Checked, check
from solver.errors import CertificateError, ForgeryError
from tests.checker.claims import SHORTEST
from tests.checker.documents import LOST, ROOK_MATE, Document
from tests.oracles.remembering import Oracle
from tests.sizes import sized

SQUARES = ("f2", "g2", "g3", "h1", "h2", "h3")


def mutated(document: Document, random: Random) -> Document:
    """Change one to three places of a copy."""
    forged = copy.deepcopy(document)
    for _ in range(random.randint(1, 3)):
        container, key = random.choice(list(places(forged)))
        change(container, key, random)
    return forged


def change(container: Any, key: Any, random: Random) -> None:
    value = container[key]
    names = ["".join(random.choices(SQUARES, k=2)) for _ in range(9)]
    strange = [None, True, -1, "", [], {}, "h1h1q", 10**30, value]
    if isinstance(value, int):
        strange += [value + 1, value - 1, 0] * 4
    if isinstance(value, str):
        strange += names
    match random.randrange(4):
        case 0:
            del container[key]
        case 1 if isinstance(container, dict):
            container[names[0]] = container.pop(key)
        case 1:
            container.insert(key, value)
        case 2 if isinstance(container, dict):
            other = random.choice(list(container))
            container[key], container[other] = container[other], value
        case _:
            container[key] = random.choice(strange)


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


@sized("count", 160, 3000)
@pytest.mark.parametrize(
    "document", [ROOK_MATE, LOST, SHORTEST], ids=["attacker", "defender", "matebench"]
)
def test_a_random_forgery_that_passes_is_true(document: Document, count: int) -> None:
    random = Random(20251121)
    refused = through = 0
    for _ in range(count):
        forged = mutated(document, random)
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
