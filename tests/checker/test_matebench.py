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


def test_a_shared_node_proves_no_mate() -> None:
    assert check(SHARED) == Checked(IDLE.fen(), chess.WHITE, None, 4, 3)


def test_a_reference_may_lead_to_another() -> None:
    document = changed(
        SHARED, "certificate", "nodes", to={"x": {"ref": "y"}, "y": LAST}
    )
    assert check(document).lower_bound == 4


def test_the_tree_of_a_mate_with_its_position_proves_it_alone() -> None:
    tree = mate(ROOK_ENDING, 3, Oracle())
    checked = check({"fen": ROOK_ENDING.epd(), **tree})
    assert (checked.mate, checked.lower_bound, checked.positions) == (3, 1, 5)


def test_unknown_names_in_the_tree_of_a_mate_are_ignored() -> None:
    document = changed(SHORTEST, *KEY, "nodes", to=12)
    assert check(changed(document, *KEY, "d", 0, "eval", to="#2")).mate == 3


@pytest.mark.parametrize("absent", [{}, {"no_shorter": None}])
def test_a_mate_in_1_needs_no_other_half(absent: Document) -> None:
    document = claimed(MATE_IN_1, 1)
    del document["certificate"]["no_shorter"]
    document["certificate"] |= absent
    assert (check(document).mate, check(document).lower_bound) == (1, 1)


def test_an_attacker_without_a_move_has_an_empty_node() -> None:
    board = chess.Board("7K/5k1P/6q1/8/8/8/8/8 w - - 0 1")
    assert check(claimed(board, 3)).lower_bound == 4


@sized("count", 60, 400)
def test_what_brute_force_proves_is_accepted(count: int) -> None:
    found = set()
    for board in small_positions(count, seed=46):
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

FORGED = {
    "a missing attack": (
        without(SHORTEST, *ROOT, 0),
        "absence: move g4g8 is missing",
    ),
    "an illegal attack": (
        added(SHORTEST, *ROOT, entry={"a": "f1f3"}),
        "absence: move 'f1f3' is not legal",
    ),
    "a doubled attack": (
        added(SHORTEST, *ROOT, entry={"a": "g4g8"}),
        "absence: move 'g4g8' is listed twice",
    ),
    "a missing last attack": (
        without(SHORTEST, *ROOT, 0, "p", "m", 0),
        "absence g4g8 h2h3: move g8h8 is missing",
    ),
    "a leaf with a move left": (
        changed(SHORTEST, *ROOT, 0, to={"a": "g4g8"}),
        "absence g4g8: expected a reply with 1 move left, found none",
    ),
    "a leaf with moves left": (
        shut_in(3, LAST),
        "absence a1b1: expected a reply with 2 moves left, found none",
    ),
    "a reply to the last move": (
        shut_in(1, node("a1b1", "h8g8", BACK)),
        "absence a1b1: expected no reply to the last move, found one",
    ),
    "an illegal reply": (
        changed(SHORTEST, *ROOT, 0, "r", to="h2h4"),
        "absence g4g8: reply: expected a legal move, found 'h2h4'",
    ),
    "a reply that allows mate": (
        changed(
            SHORTEST,
            *ROOT,
            14,
            to={
                "a": "f1f2",
                "r": "h2h1",
                "p": {"m": [{"a": move.uci()} for move in OTHER.legal_moves]},
            },
        ),
        f"absence f1f2 h2h1: expected no mate, found g4h4: {OTHER.fen()}",
    ),
    "a last move that mates": (
        shut_in(1, NO_MATE_IN_1) | {"fen": MATE_IN_1.epd()},
        f"absence: expected no mate, found a1a8: {MATE_IN_1.fen()}",
    ),
    "a leaf after checkmate": (
        claim(MATE_IN_1, "absence", 2, NO_MATE_IN_2),
        f"absence a1a8: expected no mate, found mate: {MATED.fen()}",
    ),
    "a shared node in another position": (
        shut_in(2, node("a1b1", "h8g8", {"ref": "x"}), x=LAST),
        "absence a1b1 h8g8: move b1a1 is missing",
    ),
    "a shared node with other moves left": (
        shut_in(3, node("a1b1", "h8g8", {"ref": "x"}), x=BACK),
        "absence a1b1 h8g8 b1a1: expected a reply with 1 move left, found none",
    ),
    "a shared node that does not exist": (
        shut_in(2, node("a1b1", "h8g8", {"ref": "y"}), x=BACK),
        "absence a1b1 h8g8: ref 'y': expected a shared node, found none",
    ),
    "references in a circle": (
        shut_in(1, {"ref": "x"}, x={"ref": "y"}, y={"ref": "x"}),
        "absence: ref 'x': expected a shared node, found a circle",
    ),
    "a wrong k": (
        changed(SHARED, "certificate", "k", to=4),
        "absence: k: expected 3, found 4",
    ),
    "a larger k everywhere": (
        changed(changed(SHARED, "certificate", "k", to=4), "n", to=4),
        "absence a1b1 h8g8 b1a1 g8h8 a1b1: "
        "expected a reply with 1 move left, found none",
    ),
    "a wrong n": (
        changed(SHORTEST, "n", to=4),
        "minimality: n: expected 4, found 3",
    ),
    "a mate of another length": (
        changed(changed(SHORTEST, "n", to=4), "certificate", "n", to=4),
        "mate: expected a longest line of 4 moves, found 3",
    ),
    "a mate in another position": (
        changed(SHORTEST, *KEY, to=mate(MATE_IN_1, 1, Oracle())),
        "mate: expected a legal move, found 'a1a8'",
    ),
    "an absence in another position": (
        changed(SHORTEST, *SHORTER, to=absence(IDLE, 2, Oracle())),
        "absence: move f1e1 is missing",
    ),
    "an absence of another length": (
        changed(SHORTEST, *SHORTER, to=absence(ROOK_ENDING, 1, Oracle())),
        "absence: k: expected 2, found 1",
    ),
    "another half for a mate in 1": (
        claim(
            MATE_IN_1,
            "minimality",
            1,
            minimality(1, mate(MATE_IN_1, 1, Oracle()), NO_MATE_IN_2),
        ),
        "no_shorter: expected none for a mate in 1, found an object of 3",
    ),
    "an illegal key": (
        changed(SHORTEST, *KEY, "a", to="f1f3"),
        "mate: expected a legal move, found 'f1f3'",
    ),
    "a missing defence": (
        without(SHORTEST, *KEY, "d", 1),
        "mate f1f2: reply h2h1 is missing",
    ),
    "an illegal defence": (
        added(SHORTEST, *KEY, "d", entry={"r": "h2h4", "p": LEAF}),
        "mate f1f2: reply 'h2h4' is not legal",
    ),
    "a doubled defence": (
        added(SHORTEST, *KEY, "d", entry={"r": "h2h1", "p": LEAF}),
        "mate f1f2: reply 'h2h1' is listed twice",
    ),
    "a leaf that is not mate": (
        changed(SHORTEST, *KEY, to=LEAF),
        "mate f1e2: expected mate, found none",
    ),
    "no defence, which is stalemate": (
        {"fen": STALEMATING.epd(), "a": "g6f7", "d": []},
        "mate g6f7: expected mate or replies, found none",
    ),
    "a leaf that is stalemate": (
        {"fen": STALEMATING.epd(), "a": "g6f7", "mate": True},
        "mate g6f7: expected mate, found none",
    ),
    "no defence after mate": (
        {"fen": MATE_IN_1.epd(), "a": "a1a8", "d": []},
        "mate a1a8: expected mate or replies, found none",
    ),
    "a position with counters": (
        changed(SHORTEST, "fen", to=ROOK_ENDING.fen()),
        f"fen: expected a position, found '{ROOK_ENDING.fen()} 0 1'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_claim_is_refused(name: str) -> None:
    document, message = FORGED[name]
    with pytest.raises(ForgeryError) as refused:
        check(document)
    assert str(refused.value) == message


UNREADABLE = {
    "another claim": (
        changed(SHORTEST, "claim", to="finding"),
        "claim: expected minimality or absence, found 'finding'",
    ),
    "no certificate": (
        without(SHORTEST, "certificate"),
        "claim: expected 'certificate', found none",
    ),
    "another format": (
        changed(SHORTEST, *SHORTER, "format", to="matebench-absence-2"),
        "absence: expected the format matebench-absence-1, found 'matebench-absence-2'",
    ),
    "the certificate of the other claim": (
        changed(SHARED, "claim", to="minimality"),
        "minimality: expected 'mate', found none",
    ),
    "no half against shorter mates": (
        changed(SHORTEST, *SHORTER, to=None),
        "no_shorter: expected an object, found None",
    ),
    "no moves": (
        changed(SHARED, "n", to=0),
        "n: expected a whole number from 1 up, found 0",
    ),
    "a reply without a proof": (
        without(SHORTEST, *ROOT, 0, "p"),
        "absence g4g8: expected 'p', found none",
    ),
    "a proof without a reply": (
        without(SHORTEST, *ROOT, 0, "r"),
        "absence g4g8: expected 'r', found none",
    ),
    "a node with moves and a reference": (
        shut_in(1, LAST | {"ref": "x"}, x=LAST),
        "absence: expected only ref, found 'm'",
    ),
    "neither mate nor replies": (
        without(SHORTEST, *KEY, "d"),
        "mate f1f2: expected an array, found None",
    ),
    "no position": (
        mate(MATE_IN_1, 1, Oracle()),
        "fen: expected a string, found None",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_claim_outside_the_format_is_refused(name: str) -> None:
    document, message = UNREADABLE[name]
    with pytest.raises(CertificateError) as refused:
        check(document)
    assert str(refused.value) == message
