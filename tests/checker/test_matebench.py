"""Claims for MateBench are proved, and each rule of its formats is enforced."""

from __future__ import annotations

import copy
from typing import Any

import chess
import pytest

from solver.checker import Checked, check
from solver.errors import CertificateError, ForgeryError
from tests.checker.claims import (
    ROOK_ENDING,
    SHORTEST,
    absence,
    claim,
    claimed,
    mate,
    minimality,
    played,
)
from tests.checker.documents import SHUT_IN, Document, changed, without
from tests.oracles.remembering import Oracle
from tests.oracles.walks import small_positions
from tests.sizes import sized

MATE_IN_1 = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
STALEMATING = chess.Board("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")
IDLE = chess.Board(SHUT_IN)

SHORTER = ("certificate", "no_shorter")
ROOT = (*SHORTER, "proof", "m")
KEY = ("certificate", "mate")


def shut_in(k: int, node: Document, **shared: Document) -> Document:
    """A claim that there is no mate in the position where each side has one move."""
    proof = {"format": "matebench-absence-1", "k": k, "proof": node, "nodes": shared}
    return claim(IDLE, "absence", k, proof)


def node(attack: str, reply: str | None = None, then: Document | None = None) -> Any:
    """A node with one attack."""
    entry = {"a": attack} if reply is None else {"a": attack, "r": reply, "p": then}
    return {"m": [entry]}


LAST, BACK = node("a1b1"), node("b1a1")
SHARED = shut_in(3, node("a1b1", "h8g8", node("b1a1", "g8h8", {"ref": "x"})), x=LAST)


def test_both_halves_prove_the_shortest_mate() -> None:
    assert check(SHORTEST) == Checked(ROOK_ENDING.fen(), chess.WHITE, 3, 3, 5 + 1 + 17)


def test_a_shared_node_proves_no_mate_also_through_another() -> None:
    assert check(SHARED) == Checked(IDLE.fen(), chess.WHITE, None, 4, 3)
    nodes = {"x": {"ref": "y"}, "y": LAST}
    assert check(changed(SHARED, "certificate", "nodes", to=nodes)).lower_bound == 4


def test_the_tree_of_a_mate_with_its_position_proves_it_alone() -> None:
    tree = mate(ROOK_ENDING, 3, Oracle())
    checked = check({"fen": ROOK_ENDING.epd(), **tree})
    assert (checked.mate, checked.lower_bound, checked.positions) == (3, 1, 5)
    unknown = changed(SHORTEST, *KEY, "d", 0, "eval", to="#2")  # is ignored
    assert check(changed(unknown, *KEY, "nodes", to=12)).mate == 3
    alone = without(claimed(MATE_IN_1, 1), *SHORTER)
    for other_half in ({}, {"no_shorter": None}):
        alone["certificate"] |= other_half
        assert (check(alone).mate, check(alone).lower_bound) == (1, 1)


@sized("count", 40, 400)
def test_what_brute_force_proves_is_accepted(count: int) -> None:
    stalemated = chess.Board("7K/5k1P/6q1/8/8/8/8/8 w - - 0 1")  # has an empty node
    found = set()
    for board in (stalemated, *small_positions(count, seed=46)):
        document = claimed(board, 2)
        checked = check(document)
        is_mate = document["claim"] == "minimality"
        mate_and_bound = (document["n"],) * 2 if is_mate else (None, 3)
        assert (checked.mate, checked.lower_bound) == mate_and_bound, board.fen()
        found.add(checked.mate)
    assert found == {None, 1, 2}


def added(document: Document, *path: Any, entry: Any) -> Document:
    """A copy with one more entry in a list."""
    forged = copy.deepcopy(document)
    place: Any = forged
    for step in path:
        place = place[step]
    place.append(entry)
    return forged


NO_MATE_IN_1 = {"m": [{"a": move.uci()} for move in MATE_IN_1.legal_moves]}
NO_MATE_IN_2 = {"format": "matebench-absence-1", "k": 2, "proof": NO_MATE_IN_1}
"""With leaves only, the one that mates first."""

NO_MATE_IN_1["m"].sort(key=lambda entry: entry["a"] != "a1a8")
MATED = played(MATE_IN_1, "a1a8")
LEAF = {"a": "f1e2", "mate": True}
OTHER = played(played(ROOK_ENDING, "f1f2"), "h2h1")

LEAVES = {
    "a": "f1f2",
    "r": "h2h1",
    "p": {"m": [{"a": str(m)} for m in OTHER.legal_moves]},
}
ONE_LEFT = "expected a reply with 1 move left, found none"
LONGER = changed(SHARED, "certificate", "k", to=4)
NEXT = changed(SHORTEST, "n", to=4)
KEY_IN_1 = mate(MATE_IN_1, 1, Oracle())
STALEMATED: Document = {"fen": STALEMATING.epd(), "a": "g6f7"}


def through(then: Document, k: int = 2, **shared: Document) -> Document:
    """A claim whose first attack and reply lead to a node."""
    return shut_in(k, node("a1b1", "h8g8", then), **shared)


X = {"ref": "x"}

# fmt: off
FORGED = [
    (without(SHORTEST, *ROOT, 0), "absence: move g4g8 is missing"),
    (added(SHORTEST, *ROOT, entry={"a": "f1f3"}), "absence: move 'f1f3' is not legal"),
    (added(SHORTEST, *ROOT, entry={"a": "g4g8"}),
     "absence: move 'g4g8' is listed twice"),
    (changed(SHORTEST, *ROOT, 0, to={"a": "g4g8"}), f"absence g4g8: {ONE_LEFT}"),
    (shut_in(3, LAST), "absence a1b1: expected a reply with 2 moves left, found none"),
    (through(BACK, 1), "absence a1b1: expected no reply to the last move, found one"),
    (changed(SHORTEST, *ROOT, 0, "r", to="h2h4"),
     "absence g4g8: reply: expected a legal move, found 'h2h4'"),
    (changed(SHORTEST, *ROOT, 14, to=LEAVES),
     f"absence f1f2 h2h1: expected no mate, found g4h4: {OTHER.fen()}"),
    (shut_in(1, NO_MATE_IN_1) | {"fen": MATE_IN_1.epd()},
     f"absence: expected no mate, found a1a8: {MATE_IN_1.fen()}"),
    (claim(MATE_IN_1, "absence", 2, NO_MATE_IN_2),
     f"absence a1a8: expected no mate, found mate: {MATED.fen()}"),
    # shared nodes: of another position, with other moves left, missing, in a circle
    (through(X, x=LAST), "absence a1b1 h8g8: move b1a1 is missing"),
    (through(X, 3, x=BACK), f"absence a1b1 h8g8 b1a1: {ONE_LEFT}"),
    (through({"ref": "y"}, x=BACK),
     "absence a1b1 h8g8: ref 'y': expected a shared node, found none"),
    (shut_in(1, X, x={"ref": "y"}, y=X),
     "absence: ref 'x': expected a shared node, found a circle"),
    (LONGER, "absence: k: expected 3, found 4"),
    # mates
    (NEXT, "minimality: n: expected 4, found 3"),
    (changed(NEXT, "certificate", "n", to=4),
     "mate: expected a longest line of 4 moves, found 3"),
    (changed(SHORTEST, *KEY, to=KEY_IN_1), "mate: expected a legal move, found 'a1a8'"),
    (changed(SHORTEST, *SHORTER, to=absence(ROOK_ENDING, 1, Oracle())),
     "absence: k: expected 2, found 1"),
    (claim(MATE_IN_1, "minimality", 1, minimality(1, KEY_IN_1, NO_MATE_IN_2)),
     "no_shorter: expected none for a mate in 1, found an object of 3"),
    (without(SHORTEST, *KEY, "d", 1), "mate f1f2: reply h2h1 is missing"),
    (added(SHORTEST, *KEY, "d", entry={"r": "h2h4", "p": LEAF}),
     "mate f1f2: reply 'h2h4' is not legal"),
    (added(SHORTEST, *KEY, "d", entry={"r": "h2h1", "p": LEAF}),
     "mate f1f2: reply 'h2h1' is listed twice"),
    (changed(SHORTEST, *KEY, to=LEAF), "mate f1e2: expected mate, found none"),
    (STALEMATED | {"d": []}, "mate g6f7: expected mate or replies, found none"),
    (STALEMATED | {"mate": True}, "mate g6f7: expected mate, found none"),
    ({"fen": MATE_IN_1.epd(), "a": "a1a8", "d": []},
     "mate a1a8: expected mate or replies, found none"),
    (changed(SHORTEST, "fen", to=ROOK_ENDING.fen()),
     f"fen: expected a position, found '{ROOK_ENDING.fen()} 0 1'"),
]
UNREADABLE = [
    (changed(SHORTEST, "claim", to="finding"),
     "claim: expected minimality or absence, found 'finding'"),
    (changed(SHORTEST, *SHORTER, "format", to="other"),
     "absence: expected the format matebench-absence-1, found 'other'"),
    (changed(SHARED, "n", to=0), "n: expected a whole number from 1 up, found 0"),
    (without(SHORTEST, *ROOT, 0, "p"), "absence g4g8: expected 'p', found none"),
    (shut_in(1, LAST | X, x=LAST), "absence: expected only ref, found 'm'"),
    (without(SHORTEST, *KEY, "d"), "mate f1f2: expected an array, found None"),
    (KEY_IN_1, "fen: expected a string, found None"),
]
# fmt: on

REFUSED = [(ForgeryError, *forged) for forged in FORGED]
REFUSED += [(CertificateError, *unreadable) for unreadable in UNREADABLE]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("error", "document", "message"), REFUSED, ids=[words for *_, words in REFUSED]
)
def test_a_forged_claim_or_one_outside_the_format_is_refused(
    error: type[Exception], document: Document, message: str
) -> None:
    with pytest.raises(error) as refused:
        check(document)
    assert str(refused.value) == message
