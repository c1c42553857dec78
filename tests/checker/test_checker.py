"""The judge: true certificates written by hand are proved, forged ones refused."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import re
import time
from typing import TYPE_CHECKING, Any, TypeAlias

import chess
import pytest

from solver.checker import Checked, check, load, read
from solver.checker import document as reading
from solver.checker.position import key_of, mate_in_one
from solver.errors import CertificateError, ForgeryError
from tests.oracles.remembering import Oracle
from tests.oracles.walks import random_positions, small_positions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Document: TypeAlias = dict[str, Any]

ROOK_MATE: Document = {
    "certificate": 1,
    "fen": "8/8/8/8/8/5KR1/8/7k w - - 0 1",
    "attacker": "white",
    "mate": {
        "moves": 3,
        "nodes": [
            ["g3h3", {"h1g1": 1}],
            ["h3h4", {"g1f1": 2}],
            ["h4h1", {}],
        ],
    },
    "refutation": {
        "moves": 2,
        "nodes": [
            {
                "f3e2": "h1h2", "f3f2": "h1h2", "f3e3": "h1h2", "f3e4": "h1h2",
                "f3f4": "h1h2", "f3g4": "h1h2", "g3g1": "h1h2", "g3g2": None,
                "g3h3": "h1g1", "g3g4": "h1h2", "g3g5": "h1h2", "g3g6": "h1h2",
                "g3g7": "h1h2", "g3g8": "h1h2",
            }
        ],
    },
}  # fmt: skip

LOST: Document = {
    "certificate": 1,
    "fen": "8/8/8/8/6R1/8/8/5K1k b - - 0 1",
    "attacker": "white",
    "mate": {
        "moves": 3,
        "replies": {"h1h2": 0},
        "nodes": [
            ["f1f2", {"h2h3": 1, "h2h1": 2}],
            ["g4a4", {"h3h2": 3}],
            ["g4h4", {}],
            ["a4h4", {}],
        ],
    },
    "refutation": {
        "moves": 2,
        "reply": ["h1h2", 0],
        "nodes": [
            {
                "f1e1": "h2h3", "f1e2": "h2h3", "f1f2": "h2h3", "g4g1": "h2h3",
                "g4g2": "h2h3", "g4g3": "h2g3", "g4a4": "h2g3", "g4b4": "h2g3",
                "g4c4": "h2g3", "g4d4": "h2g3", "g4e4": "h2g3", "g4f4": "h2g3",
                "g4h4": "h2g3", "g4g5": "h2h3", "g4g6": "h2h3", "g4g7": "h2h3",
                "g4g8": "h2h3",
            }
        ],
    },
}  # fmt: skip

MATED: Document = {
    "certificate": 1,
    "fen": "7R/8/8/8/8/8/5K2/7k b - - 0 1",
    "attacker": "white",
    "mate": {"moves": 0, "replies": {}, "nodes": []},
}


def changed(document: Document, *path: Any, to: Any) -> Document:
    """A copy with another value at a place."""
    forged = copy.deepcopy(document)
    place: Any = forged
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return forged


def without(document: Document, *path: Any) -> Document:
    """A copy that lacks a value."""
    forged = copy.deepcopy(document)
    place: Any = forged
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return forged


def mate(fen: str, moves: int, *nodes: Any, **others: Any) -> Document:
    """A certificate of a mate by White."""
    part = {"moves": moves, "nodes": list(nodes), **others}
    return {"certificate": 1, "fen": fen, "attacker": "white", "mate": part}


def refutation(fen: str, moves: int, *nodes: Any, **others: Any) -> Document:
    """A certificate that White does not mate."""
    part = {"moves": moves, "nodes": list(nodes), **others}
    return {"certificate": 1, "fen": fen, "attacker": "white", "refutation": part}


def test_both_parts_prove_the_shortest_mate() -> None:
    assert check(ROOK_MATE) == Checked(
        fen="8/8/8/8/8/5KR1/8/7k w - - 0 1",
        attacker=chess.WHITE,
        mate=3,
        lower_bound=3,
        positions=3 + 1 + 13,
    )


def test_a_side_to_move_that_is_mated_has_a_negative_mate() -> None:
    checked = check(LOST)
    assert (checked.attacker, checked.mate, checked.lower_bound) == (chess.WHITE, -3, 3)


def test_mated_already_is_a_mate_in_0() -> None:
    checked = check(MATED)
    assert (checked.mate, checked.lower_bound) == (0, 0)


@pytest.mark.parametrize(
    ("part", "told"), [("refutation", (3, 1)), ("mate", (None, 3))]
)
def test_one_part_alone_proves_its_bound(part: str, told: tuple[Any, int]) -> None:
    checked = check(without(ROOK_MATE, part))
    assert (checked.mate, checked.lower_bound) == told


def test_a_mate_in_1_needs_no_refutation() -> None:
    checked = check(mate("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1, ["a1a8", {}]))
    assert (checked.mate, checked.lower_bound) == (1, 1)


def test_a_king_alone_mates_in_no_number_of_moves() -> None:
    checked = check(refutation("8/7K/8/8/8/8/8/7k w - - 0 1", 200))
    assert (checked.mate, checked.lower_bound) == (None, 201)


def test_a_stalemated_attacker_mates_in_no_number_of_moves() -> None:
    checked = check(refutation("7K/5k1P/6q1/8/8/8/8/8 w - - 0 1", 200, {}))
    assert checked.lower_bound == 201


def test_a_refutation_may_run_in_a_circle() -> None:
    nodes = [{"a1b1": ["h8g8", 1]}, {"b1a1": ["g8h8", 0]}]
    assert check(refutation(SHUT_IN, 50, *nodes)).lower_bound == 51


def test_a_long_line_meets_no_limit_of_recursion() -> None:
    nodes: list[object] = []
    for number in range(0, 4000, 2):
        nodes.append({"a1b1": ["h8g8", number + 1]})
        nodes.append({"b1a1": ["g8h8", (number + 2) % 4000]})
    assert check(refutation(SHUT_IN, 9000, *nodes)).lower_bound == 9001


def test_castling_may_mate() -> None:
    checked = check(mate(CASTLING, 1, ["e1c1", {}]))
    assert checked.mate == 1


SHUT_IN = "7k/5p1p/5P1P/8/8/p1p5/P1Pp4/K7 w - - 0 1"
"""White's king goes to and fro, which is all that White can do."""

CASTLING = "4R3/8/8/8/8/1P1k4/1P6/R3K3 w Q - 0 1"
EN_PASSANT = "3r2k1/R7/6N1/3pP3/8/1B6/8/K7 w - d6 0 1"

STALEMATING = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"

FORGED_MATES = {
    "a reply left out": (
        without(LOST, "mate", "nodes", 0, 1, "h2h3"),
        "mate: node 1: expected a reply that leads to it, found none",
    ),
    "a reply left out, and what follows": (
        mate(
            LOST["fen"], 2, ["f1f2", {"h2h1": 1}], ["g4h4", {}], replies={"h1h2": 0}
        ),
        "mate: node 0: reply h2h3 is left out",
    ),
    "a first reply left out": (
        mate(ROOK_MATE["fen"].replace(" w ", " b "), 0, replies={}),
        "mate: replies: reply h1h2 is left out",
    ),
    "a reply invented": (
        changed(ROOK_MATE, "mate", "nodes", 0, 1, "h1h2", to=1),
        "mate: node 0: reply 'h1h2' is not legal",
    ),
    "a reply that is no move": (
        changed(ROOK_MATE, "mate", "nodes", 0, 1, "\n\x1b", to=1),
        r"mate: node 0: reply '\n\x1b' is not legal",
    ),
    "an illegal attack": (
        changed(ROOK_MATE, "mate", "nodes", 1, 0, to="h3g4"),
        "mate: node 1: expected a legal move, found 'h3g4'",
    ),
    "an attack that is no move": (
        changed(ROOK_MATE, "mate", "nodes", 0, 0, to="Rh3+"),
        "mate: node 0: expected a legal move, found 'Rh3+'",
    ),
    "no attack": (
        changed(ROOK_MATE, "mate", "nodes", 0, 0, to="0000"),
        "mate: node 0: expected a legal move, found '0000'",
    ),
    "a man put down": (
        changed(ROOK_MATE, "mate", "nodes", 0, 0, to="R@h3"),
        "mate: node 0: expected a legal move, found 'R@h3'",
    ),
    "castling as the king's capture of its rook": (
        mate(CASTLING, 1, ["e1a1", {}]),
        "mate: node 0: expected a legal move, found 'e1a1'",
    ),
    "a leaf that is no mate": (
        mate(ROOK_MATE["fen"], 1, ["g3h3", {}]),
        "mate: node 0: reply h1g1 is left out",
    ),
    "stalemate sold as mate": (
        mate(STALEMATING, 1, ["g6f7", {}]),
        "mate: node 0: expected mate, found stalemate",
    ),
    "a first position in stalemate": (
        mate("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", 0, replies={}),
        "mate: replies: expected mate, found stalemate",
    ),
    "too few moves stated": (
        changed(ROOK_MATE, "mate", "moves", to=2),
        "mate: moves: expected 3, as the nodes have it, found 2",
    ),
    "too many moves stated": (
        changed(ROOK_MATE, "mate", "moves", to=4),
        "mate: moves: expected 3, as the nodes have it, found 4",
    ),
    "a cycle": (
        changed(ROOK_MATE, "mate", "nodes", 1, 1, "g1f1", to=0),
        "mate: node 1: reply 'g1f1': expected a node from 2 to 2, found 0",
    ),
    "a node that follows itself": (
        changed(ROOK_MATE, "mate", "nodes", 1, 1, "g1f1", to=1),
        "mate: node 1: reply 'g1f1': expected a node from 2 to 2, found 1",
    ),
    "a node that is not there": (
        changed(ROOK_MATE, "mate", "nodes", 1, 1, "g1f1", to=3),
        "mate: node 1: reply 'g1f1': expected a node from 2 to 2, found 3",
    ),
    "a node for nothing": (
        changed(ROOK_MATE, "mate", "nodes", to=[*ROOK_MATE["mate"]["nodes"], ["", {}]]),
        "mate: node 3: expected a reply that leads to it, found none",
    ),
    "one node for two positions": (
        mate(
            LOST["fen"],
            2,
            ["f1f2", {"h2h3": 1, "h2h1": 1}],
            ["g4h4", {}],
            replies={"h1h2": 0},
        ),
        "mate: node 1: expected one position, found another: "
        "8/8/8/8/6R1/7k/5K2/8 w - - 3 3",
    ),
    "no nodes": (
        mate(ROOK_MATE["fen"], 1),
        "mate: nodes: expected one at least, found none",
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
    "a move left out": (
        without(ROOK_MATE, "refutation", "nodes", 0, "g3h3"),
        "refutation: node 0: move g3h3 is left out",
    ),
    "a move invented": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3h4", to="h1h2"),
        "refutation: node 0: move 'g3h4' is not legal",
    ),
    "a reply that is not legal": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3h3", to="h1h2"),
        "refutation: node 0: move g3h3: reply: expected a legal move, found 'h1h2'",
    ),
    "a reply that allows mate": (
        changed(LOST, "refutation", "nodes", 0, "f1f2", to="h2h1"),
        "refutation: node 0: move f1f2: expected no mate in one, found g4h4: "
        "8/8/8/8/6R1/8/5K2/7k w - - 3 3",
    ),
    "no reply where there is one": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3h3", to=None),
        "refutation: node 0: move g3h3: expected a reply, found none",
    ),
    "a reply to stalemate": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "g3g2", to="h1h2"),
        "refutation: node 0: move g3g2: reply: expected a legal move, found 'h1h2'",
    ),
    "mate sold as stalemate": (
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
    "a node that is not there": (
        changed(LOST, "refutation", "reply", to=["h1h2", 1]),
        "refutation: reply: expected a node below 1, found 1",
    ),
    "a node for nothing": (
        changed(ROOK_MATE, "refutation", "nodes", to=[NODE, {}]),
        "refutation: node 1: expected a move that leads to it, found none",
    ),
    "one node for two positions": (
        changed(ROOK_MATE, "refutation", "nodes", 0, "f3f2", to=["h1h2", 0]),
        "refutation: node 0: expected one position, found another: "
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
        (
            "8/8/8/8/8/6R1/5K2/7k w - - 0 1",
            "mate: node 0: reply 'h1g1' is not legal",
        ),
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
    "a position that is no text": (
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
    "an attack that is no text": (
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
def test_what_is_not_in_the_format_is_no_certificate(name: str) -> None:
    document, message = UNREADABLE[name]
    with pytest.raises(CertificateError) as refused:
        check(document)
    assert str(refused.value) == message


TEXT = json.dumps(ROOK_MATE)
ZIPPED = gzip.compress(TEXT.encode())

DAMAGED = {
    "nothing": (b"", "expected JSON, found none: "),
    "a cut": (TEXT[:-1].encode(), "expected JSON, found none: "),
    "other text": (b"1. e4 e5", "expected JSON, found none: "),
    "other bytes": (b"\xff\xfe" + TEXT.encode("utf-16"), "expected UTF-8, found other"),
    "NaN": (b'{"certificate":NaN}', "expected whole numbers only, found 'NaN'"),
    "infinity": (b'{"certificate":-Infinity}', "expected whole numbers only, found "),
    "a fraction": (b'{"certificate":1.0}', "expected whole numbers only, found '1.0'"),
    "a vast number": (b'{"certificate":' + b"9" * 9999 + b"}", "expected JSON, found"),
    "deep nesting": (b"[" * 200_000, "expected a flat list of nodes, found "),
    "a cut in gzip": (ZIPPED[:-12], "expected whole gzip data, found damage: "),
    "a cut in gzip's head": (ZIPPED[:5], "expected whole gzip data, found damage: "),
    "a flipped bit in gzip": (
        ZIPPED[:50] + bytes([ZIPPED[50] ^ 4]) + ZIPPED[51:],
        "expected whole gzip data, found damage: ",
    ),
    "something behind gzip": (
        ZIPPED + b"more",
        "expected whole gzip data, found damage: ",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_no_certificate(name: str, tmp_path: Path) -> None:
    data, message = DAMAGED[name]
    path = tmp_path / "proof.json"
    path.write_bytes(data)
    with pytest.raises(CertificateError, match=re.escape(message)) as refused:
        read(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("data", [TEXT.encode(), ZIPPED])
def test_gzip_is_told_by_its_first_bytes(data: bytes) -> None:
    assert load(io.BytesIO(data)) == ROOK_MATE


@pytest.mark.parametrize("doubled", ['"h1g1": 1', '"h1g1": 2'])
def test_a_doubled_reply_is_refused(doubled: str) -> None:
    text = TEXT.replace('{"h1g1": 1}', '{"h1g1": 1, ' + doubled + "}")
    with pytest.raises(ForgeryError, match=r"once, found 'h1g1' doubled$"):
        load(io.BytesIO(text.encode()))


def test_a_doubled_move_of_a_refutation_is_refused() -> None:
    text = TEXT.replace('"g3g2": null', '"g3g2": null, "g3g2": null')
    with pytest.raises(ForgeryError, match=r"once, found 'g3g2' doubled$"):
        load(io.BytesIO(text.encode()))


def doubled_names(count: int) -> bytes:
    """An object of so many names, of which only the last is there twice."""
    names = [f'"{number}":0' for number in range(count)]
    return f"{{{','.join([*names, names[-1]])}}}".encode()


def test_a_doubled_name_is_found_in_time_proportional_to_the_size() -> None:
    def least_s(data: bytes) -> float:
        times = []
        for _ in range(3):
            started = time.perf_counter()
            with pytest.raises(ForgeryError, match=r"doubled$"):
                load(io.BytesIO(data))
            times.append(time.perf_counter() - started)
        return min(times)

    few, many = doubled_names(5_000), doubled_names(80_000)
    # Sixteen times as many: the square would be 256 times as slow.
    assert least_s(many) < 64 * least_s(few)


HOSTILE = {
    "deep arrays": "[" * 10**5,
    "deep objects": '{"a":' * 10**5,
    "a long number": json.dumps(ROOK_MATE).replace(": 1,", f": {'9' * 10**6},", 1),
    "doubled names": doubled_names(80_000).decode(),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_made_to_harm_is_refused_at_once_and_in_a_line(text: str) -> None:
    started = time.perf_counter()
    with pytest.raises((CertificateError, ForgeryError)) as refused:
        load(io.BytesIO(text.encode()))
    assert time.perf_counter() - started < 1
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("depth", range(900, 1000, 3))
def test_what_is_nested_just_so_deeply_that_it_is_read_is_refused(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    text = json.dumps(changed(ROOK_MATE, "mate", "moves", to="deep"))
    with pytest.raises(CertificateError):
        check(load(io.BytesIO(text.replace('"deep"', deep).encode())))


@pytest.mark.parametrize(
    "moves", [1 << 63, 10**4300 - 1, 10**5000], ids=["64 bits", "4,300 nines", "more"]
)
def test_a_number_too_long_to_count_on_is_refused(moves: int) -> None:
    # One more than 4,300 nines is a number that Python does not write.
    with pytest.raises(CertificateError, match=r"moves: expected .* 63 bits, found a"):
        check(refutation("8/8/8/8/8/8/5k2/7K w - - 0 1", moves))


def test_a_counter_too_long_to_write_is_refused() -> None:
    fen = f"7R/8/8/8/8/8/5K2/7k b - - 0 {'9' * 4300}"
    with pytest.raises(ForgeryError, match=r"expected a position, found 4,328 char"):
        check(changed(MATED, "fen", to=fen))


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_file_too_large_is_refused(
    compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 1000)
    load(io.BytesIO(compress(b"1" + b" " * 999)))
    with pytest.raises(CertificateError, match="expected at most 1,000 bytes"):
        load(io.BytesIO(compress(b"1" + b" " * 1000)))


def test_a_mate_in_one_is_found_wherever_there_is_one() -> None:
    positions = [*random_positions(3000, seed=11), *small_positions(1500, seed=12)]
    found = 0
    for board in positions:
        mates = []
        for move in board.legal_moves:
            board.push(move)
            if board.is_checkmate():
                mates.append(move)
            board.pop()
        mating = mate_in_one(board)
        assert mating in mates if mates else mating is None, board.fen()
        found += bool(mates)
    assert found > 100


@pytest.mark.parametrize(("fen", "mating"), [(CASTLING, "e1c1"), (EN_PASSANT, "e5d6")])
def test_castling_and_en_passant_may_mate(fen: str, mating: str) -> None:
    assert mate_in_one(chess.Board(fen)) == chess.Move.from_uci(mating)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("r3k3/8/8/8/8/8/8/4K3 w q - 0 1", "r3k3/8/8/8/8/8/8/4K3 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 0 1", False),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 9 7", True),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
            False,
        ),
        # A pawn that may not take, being pinned, or that is none.
        ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "8/8/8/K2pP2r/8/8/8/7k w - - 0 1", True),
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", True),
    ],
)
def test_positions_are_one_if_they_have_the_same_future(
    one: str, other: str, same: bool
) -> None:
    assert (key_of(chess.Board(one)) == key_of(chess.Board(other))) is same


class Mutator:
    """Changes a document at random, as a forger without a plan would."""

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
    """Whether the oracle agrees with what a certificate is said to prove."""
    board, oracle = chess.Board(checked.fen), Oracle()
    attacking = board.turn == checked.attacker
    mates = oracle.mate_in if attacking else oracle.mated_in
    if checked.mate is not None and not mates(board, abs(checked.mate)):
        return False
    excluded = checked.lower_bound - 1
    return excluded < 0 or (attacking and not excluded) or not mates(board, excluded)


@pytest.mark.parametrize("document", [ROOK_MATE, LOST], ids=["attacker", "defender"])
def test_what_a_random_forger_gets_through_is_true(document: Document) -> None:
    mutator = Mutator(seed=20251121)
    refused = through = 0
    for _ in range(3000):
        forged = mutator.mutate(document)
        try:
            checked = check(forged)
        except (ForgeryError, CertificateError) as error:
            assert str(error).isprintable()  # noqa: PT017
            refused += 1
        else:
            assert is_true(checked), forged
            through += 1
    assert refused > 2000
    assert through > 20
