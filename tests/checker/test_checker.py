"""Certificates written by hand are proved, and forged ones refused."""

from __future__ import annotations

import re
from typing import Any

import chess
import pytest

from solver.checker import Checked, check
from solver.errors import CertificateError, ForgeryError
from tests.checker.documents import (
    CASTLING,
    LOST,
    MATED,
    ROOK_MATE,
    SHUT_IN,
    changed,
    mate,
    refutation,
    without,
)


def test_both_parts_prove_the_shortest_mate() -> None:
    assert check(ROOK_MATE) == Checked(
        fen="8/8/8/8/8/5KR1/8/7k w - - 0 1",
        attacker=chess.WHITE,
        mate=3,
        lower_bound=3,
        positions=3 + 1 + 13,
    )


def test_the_mate_is_negative_if_the_side_to_move_is_mated() -> None:
    checked = check(LOST)
    assert (checked.attacker, checked.mate, checked.lower_bound) == (chess.WHITE, -3, 3)


def test_checkmate_is_a_mate_in_0() -> None:
    checked = check(MATED)
    assert (checked.mate, checked.lower_bound) == (0, 0)


@pytest.mark.parametrize(
    ("part", "bounds"), [("refutation", (3, 1)), ("mate", (None, 3))]
)
def test_one_part_alone_proves_its_bound(part: str, bounds: tuple[Any, int]) -> None:
    checked = check(without(ROOK_MATE, part))
    assert (checked.mate, checked.lower_bound) == bounds


def test_a_mate_in_1_needs_no_refutation() -> None:
    checked = check(mate("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1, ["a1a8", {}]))
    assert (checked.mate, checked.lower_bound) == (1, 1)


def test_a_lone_king_never_mates() -> None:
    checked = check(refutation("8/7K/8/8/8/8/8/7k w - - 0 1", 200))
    assert (checked.mate, checked.lower_bound) == (None, 201)


def test_a_stalemated_attacker_never_mates() -> None:
    checked = check(refutation("7K/5k1P/6q1/8/8/8/8/8 w - - 0 1", 200, {}))
    assert checked.lower_bound == 201


def test_the_nodes_of_a_refutation_may_form_a_cycle() -> None:
    nodes = [{"a1b1": ["h8g8", 1]}, {"b1a1": ["g8h8", 0]}]
    assert check(refutation(SHUT_IN, 50, *nodes)).lower_bound == 51


def test_long_lines_do_not_hit_the_recursion_limit() -> None:
    nodes: list[object] = []
    for number in range(0, 4000, 2):
        nodes.append({"a1b1": ["h8g8", number + 1]})
        nodes.append({"b1a1": ["g8h8", (number + 2) % 4000]})
    assert check(refutation(SHUT_IN, 9000, *nodes)).lower_bound == 9001


def test_castling_may_mate() -> None:
    checked = check(mate(CASTLING, 1, ["e1c1", {}]))
    assert checked.mate == 1


STALEMATING = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"

FORGED_MATES = {
    "a missing reply": (
        without(LOST, "mate", "nodes", 0, 1, "h2h3"),
        "mate: node 1: expected a reply that leads to this node, found none",
    ),
    "a missing reply and its subtree": (
        mate(
            LOST["fen"], 2, ["f1f2", {"h2h1": 1}], ["g4h4", {}], replies={"h1h2": 0}
        ),
        "mate: node 0: reply h2h3 is missing",
    ),
    "a missing first reply": (
        mate(ROOK_MATE["fen"].replace(" w ", " b "), 0, replies={}),
        "mate: replies: reply h1h2 is missing",
    ),
    "an invented reply": (
        changed(ROOK_MATE, "mate", "nodes", 0, 1, "h1h2", to=1),
        "mate: node 0: reply 'h1h2' is not legal",
    ),
    "a reply that is not a move": (
        changed(ROOK_MATE, "mate", "nodes", 0, 1, "\n\x1b", to=1),
        r"mate: node 0: reply '\n\x1b' is not legal",
    ),
    "an illegal attack": (
        changed(ROOK_MATE, "mate", "nodes", 1, 0, to="h3g4"),
        "mate: node 1: expected a legal move, found 'h3g4'",
    ),
    "an attack that is not a move": (
        changed(ROOK_MATE, "mate", "nodes", 0, 0, to="Rh3+"),
        "mate: node 0: expected a legal move, found 'Rh3+'",
    ),
    "no attack": (
        changed(ROOK_MATE, "mate", "nodes", 0, 0, to="0000"),
        "mate: node 0: expected a legal move, found '0000'",
    ),
    "a dropped piece": (
        changed(ROOK_MATE, "mate", "nodes", 0, 0, to="R@h3"),
        "mate: node 0: expected a legal move, found 'R@h3'",
    ),
    "castling as the king's capture of its rook": (
        mate(CASTLING, 1, ["e1a1", {}]),
        "mate: node 0: expected a legal move, found 'e1a1'",
    ),
    "a leaf that is not mate": (
        mate(ROOK_MATE["fen"], 1, ["g3h3", {}]),
        "mate: node 0: reply h1g1 is missing",
    ),
    "stalemate presented as mate": (
        mate(STALEMATING, 1, ["g6f7", {}]),
        "mate: node 0: expected mate, found stalemate",
    ),
    "an initial position in stalemate": (
        mate("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", 0, replies={}),
        "mate: replies: expected mate, found stalemate",
    ),
    "too few moves stated": (
        changed(ROOK_MATE, "mate", "moves", to=2),
        "mate: moves: expected 3, as in the nodes, found 2",
    ),
    "too many moves stated": (
        changed(ROOK_MATE, "mate", "moves", to=4),
        "mate: moves: expected 3, as in the nodes, found 4",
    ),
    "a cycle": (
        changed(ROOK_MATE, "mate", "nodes", 1, 1, "g1f1", to=0),
        "mate: node 1: reply 'g1f1': expected a node from 2 to 2, found 0",
    ),
    "a node that follows itself": (
        changed(ROOK_MATE, "mate", "nodes", 1, 1, "g1f1", to=1),
        "mate: node 1: reply 'g1f1': expected a node from 2 to 2, found 1",
    ),
    "a node that does not exist": (
        changed(ROOK_MATE, "mate", "nodes", 1, 1, "g1f1", to=3),
        "mate: node 1: reply 'g1f1': expected a node from 2 to 2, found 3",
    ),
    "an unreachable node": (
        changed(ROOK_MATE, "mate", "nodes", to=[*ROOK_MATE["mate"]["nodes"], ["", {}]]),
        "mate: node 3: expected a reply that leads to this node, found none",
    ),
    "one node for two positions": (
        mate(
            LOST["fen"],
            2,
            ["f1f2", {"h2h3": 1, "h2h1": 1}],
            ["g4h4", {}],
            replies={"h1h2": 0},
        ),
        "mate: node 1: expected the same position, found another: "
        "8/8/8/8/6R1/7k/5K2/8 w - - 3 3",
    ),
    "no nodes": (
        mate(ROOK_MATE["fen"], 1),
        "mate: nodes: expected at least one, found none",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED_MATES)
def test_a_forged_mate_is_refused(name: str) -> None:
    document, message = FORGED_MATES[name]
    with pytest.raises(ForgeryError) as refused:
        check(document)
    assert str(refused.value) == message


MATE_IN_ONE = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
NODE = ROOK_MATE["refutation"]["nodes"][0]

FORGED_REFUTATIONS = {
    "a missing move": (
        without(ROOK_MATE, "refutation", "nodes", 0, "g3h3"),
        "refutation: node 0: move g3h3 is missing",
    ),
    "an invented move": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3h4", to="h1h2"),
        "refutation: node 0: move 'g3h4' is not legal",
    ),
    "an illegal reply": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3h3", to="h1h2"),
        "refutation: node 0: move g3h3: reply: expected a legal move, found 'h1h2'",
    ),
    "a reply that allows mate": (
        changed(LOST, "refutation", "nodes", 0, "f1f2", to="h2h1"),
        "refutation: node 0: move f1f2: expected no mate in one, found g4h4: "
        "8/8/8/8/6R1/8/5K2/7k w - - 3 3",
    ),
    "no reply although one is legal": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3h3", to=None),
        "refutation: node 0: move g3h3: expected a reply, found none",
    ),
    "a reply to stalemate": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3g2", to="h1h2"),
        "refutation: node 0: move g3g2: reply: expected a legal move, found 'h1h2'",
    ),
    "mate presented as stalemate": (
        refutation(
            MATE_IN_ONE.fen(),
            2,
            {"a1a8": None, **dict.fromkeys(map(str, MATE_IN_ONE.legal_moves))},
        ),
        "refutation: node 0: move a1a8: expected no mate, found mate",
    ),
    "mate in one": (
        refutation(MATE_IN_ONE.fen(), 1),
        f"refutation: expected no mate in one, found a1a8: {MATE_IN_ONE.fen()}",
    ),
    "more moves than proved": (
        changed(ROOK_MATE, "refutation", "moves", to=3),
        "refutation: node 0: move f3e2: expected a node with 2 moves left, found none",
    ),
    "no nodes": (
        refutation(ROOK_MATE["fen"], 2),
        "refutation: expected a node with 2 moves left, found none",
    ),
    "a node that does not exist": (
        changed(LOST, "refutation", "reply", to=["h1h2", 1]),
        "refutation: reply: expected a node below 1, found 1",
    ),
    "an unreachable node": (
        changed(ROOK_MATE, "refutation", "nodes", to=[NODE, {}]),
        "refutation: node 1: expected a move that leads to this node, found none",
    ),
    "one node for two positions": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "f3f2", to=["h1h2", 0]),
        "refutation: node 0: expected the same position, found another: "
        "8/8/8/8/8/6R1/5K1k/8 w - - 2 2",
    ),
    "a wrong first reply": (
        changed(LOST, "refutation", "reply", to=["h1h3", 0]),
        "refutation: reply: reply: expected a legal move, found 'h1h3'",
    ),
    "already mated": (
        refutation(MATED["fen"], 1, reply=None),
        "refutation: reply: expected no mate, found mate",
    ),
}


@pytest.mark.parametrize("name", FORGED_REFUTATIONS)
def test_a_forged_refutation_is_refused(name: str) -> None:
    document, message = FORGED_REFUTATIONS[name]
    with pytest.raises(ForgeryError) as refused:
        check(document)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("8/8/8/8/8/5KR1/8/6k1 w - - 0 1", "fen: expected a legal position, found "),
        ("8/8/8/8/8/5KR1/8/8 w - - 0 1", "fen: expected a legal position, found "),
        ("8/8/8/8/8/5KR1/8/7k w - e3 0 1", "fen: expected a legal position, found "),
        ("8/8/8/8/8/5KR1/8/7k w KQ - 0 1", "fen: expected a legal position, found "),
        ("8/8/8/8/8/5KR1/8/7k w - -", "fen: expected 8/8/8/8/8/5KR1/8/7k w - - 0 1, "),
        ("8/8/8/8/8/5KR1/8/7k w - - 0 1\n", "fen: expected 8/8/8/8/8/5KR1/8/7k w "),
        ("8/8/8/8/8/5KR1/7k w - - 0 1", "fen: expected a position, found '8/8/8/8/8/"),
        ("", "fen: expected a position, found ''"),
        ("8/8/8/8/8/5KR1/8/7k w - - " + "9" * 5000 + " 1", "fen: expected a position"),
        ("8/8/8/8/8/6R1/5K2/7k w - - 0 1", "mate: node 0: reply 'h1g1' is not legal"),
    ],
)
def test_another_position_is_refused(fen: str, message: str) -> None:
    with pytest.raises(ForgeryError, match="^" + re.escape(message)):
        check(changed(ROOK_MATE, "fen", to=fen))


UNREADABLE = {
    "an array": ([], "certificate: expected an object, found an array of 0"),
    "an answer of solve": (
        {"schema": 1, "fen": ROOK_MATE["fen"], "mate": 3},
        "expected a certificate, found another object",
    ),
    "a later version": (
        changed(ROOK_MATE, "certificate", to=2),
        "expected a certificate of version 1, found 2",
    ),
    "True for 1": (
        changed(ROOK_MATE, "certificate", to=True),
        "expected a certificate of version 1, found True",
    ),
    "no position": (
        without(ROOK_MATE, "fen"),
        "certificate: expected 'fen', found none",
    ),
    "a position that is not a string": (
        changed(ROOK_MATE, "fen", to=["8"]),
        "fen: expected a string, found an array of 1",
    ),
    "no side": (
        changed(ROOK_MATE, "attacker", to="White"),
        "attacker: expected white or black, found 'White'",
    ),
    "nothing to prove": (
        {key: ROOK_MATE[key] for key in ("certificate", "fen", "attacker")},
        "expected a mate or a refutation, found neither",
    ),
    "a claim that nothing checks": (
        changed(ROOK_MATE, "mates", to=1),
        "certificate: expected only attacker, certificate, fen, mate, refutation, "
        "found 'mates'",
    ),
    "no part": (
        changed(ROOK_MATE, "mate", to=None),
        "mate: expected an object, found None",
    ),
    "replies where the attacker is to move": (
        changed(ROOK_MATE, "mate", "replies", to={}),
        "mate: expected only moves, nodes, found 'replies'",
    ),
    "no replies where the defender is to move": (
        without(LOST, "mate", "replies"),
        "mate: expected 'replies', found none",
    ),
    "the other side": (
        changed(ROOK_MATE, "attacker", to="black"),
        "mate: expected 'replies', found none",
    ),
    "half a move": (
        changed(ROOK_MATE, "mate", "moves", to=2.5),
        "mate: moves: expected a whole number from 1 up, found 2.5",
    ),
    "no move": (
        changed(ROOK_MATE, "refutation", "moves", to=0),
        "refutation: moves: expected a whole number from 1 up, found 0",
    ),
    "a node of another shape": (
        changed(ROOK_MATE, "mate", "nodes", 1, to={}),
        "mate: node 1: expected an array of 2, found an object of 0",
    ),
    "an attack that is not a string": (
        changed(ROOK_MATE, "mate", "nodes", 1, 0, to=7),
        "mate: node 1: expected a string, found 7",
    ),
    "True for a node": (
        changed(ROOK_MATE, "mate", "nodes", 0, 1, "h1g1", to=True),
        "mate: node 0: reply 'h1g1': expected a whole number from 0 up, found True",
    ),
    "a node below 0": (
        changed(ROOK_MATE, "mate", "nodes", 0, 1, "h1g1", to=-1),
        "mate: node 0: reply 'h1g1': expected a whole number from 0 up, found -1",
    ),
    "an answer of another shape": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3h3", to=["h1g1"]),
        "refutation: node 0: move 'g3h3': expected null, a reply, or an array of "
        "a reply and a node, found an array of 1",
    ),
    "an answer without a node": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3h3", to=["h1g1", None]),
        "refutation: node 0: move 'g3h3': expected a whole number from 0 up, "
        "found None",
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_document_outside_the_format_is_refused(name: str) -> None:
    document, message = UNREADABLE[name]
    with pytest.raises(CertificateError) as refused:
        check(document)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "moves", [1 << 63, 10**4300 - 1, 10**5000], ids=["64 bits", "4,300 nines", "more"]
)
def test_a_number_of_more_than_63_bits_is_refused(moves: int) -> None:
    # Python cannot print the successor of 4,300 nines.
    with pytest.raises(CertificateError, match=r"moves: expected .* 63 bits, found a"):
        check(refutation("8/8/8/8/8/8/5k2/7K w - - 0 1", moves))


def test_a_counter_too_long_to_print_is_refused() -> None:
    fen = f"7R/8/8/8/8/8/5K2/7k b - - 0 {'9' * 4300}"
    with pytest.raises(ForgeryError, match=r"expected a position, found 4,328 char"):
        check(changed(MATED, "fen", to=fen))
