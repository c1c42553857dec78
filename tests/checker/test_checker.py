"""Certificates written by hand are proved, and forged ones refused."""

from __future__ import annotations

import gzip
import io
import json
import re
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.checker import Checked, check, load, mate_proof, read
from solver.checker.chess_rules import has_mate_in_one, key_of
from solver.errors import CertificateError, ForgeryError
from tests.checker.documents import (
    CASTLING,
    EN_PASSANT,
    LOST,
    MATED,
    ROOK_MATE,
    SHUT_IN,
    Document,
    changed,
    mate,
    refutation,
    without,
)
from tests.cpu_time import spending_less_than
from tests.oracles.special import all_kinds
from tests.oracles.walks import random_positions, small_positions
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_both_parts_prove_the_shortest_mate() -> None:
    assert check(ROOK_MATE) == Checked(
        fen="8/8/8/8/8/5KR1/8/7k w - - 0 1",
        attacker=chess.WHITE,
        mate=3,
        lower_bound=3,
        positions=3 + 1 + 13,
    )


@pytest.mark.parametrize(
    ("document", "bounds"),
    [
        (without(ROOK_MATE, "refutation"), (3, 1)),
        (without(ROOK_MATE, "mate"), (None, 3)),
        (LOST, (-3, 3)),  # the side to move is mated
        (MATED, (0, 0)),
        (mate("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1, ["a1a8", {}]), (1, 1)),
        (mate(CASTLING, 1, ["e1c1", {}]), (1, 1)),
        (refutation("8/7K/8/8/8/8/8/7k w - - 0 1", 200), (None, 201)),  # a king alone
        (refutation("7K/5k1P/6q1/8/8/8/8/8 w - - 0 1", 200, {}), (None, 201)),
    ],
)
def test_bounds_are_those_of_the_side_to_move(
    document: Document, bounds: tuple[int | None, int]
) -> None:
    """Without a legal move, the attacker never mates."""
    checked = check(document)
    assert checked.attacker == chess.WHITE
    assert (checked.mate, checked.lower_bound) == bounds


def test_long_cycles_of_nodes_do_not_hit_the_recursion_limit() -> None:
    nodes: list[object] = []
    for number in range(0, 4000, 2):
        nodes.append({"a1b1": ["h8g8", number + 1]})
        nodes.append({"b1a1": ["g8h8", (number + 2) % 4000]})
    assert check(refutation(SHUT_IN, 9000, *nodes)).lower_bound == 9001


STALEMATING = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"

MATE_IN_ONE = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
NODES = ("mate", "nodes")
REPLY = (*NODES, 1, 1, "g1f1")
MOVES = ("refutation", "nodes", 0)
NODE = ROOK_MATE["refutation"]["nodes"][0]
FIRST = {"h1h2": 0}
ALL_STALEMATES = {"a1a8": None, **dict.fromkeys(map(str, MATE_IN_ONE.legal_moves))}

# fmt: off
FORGED = [
    (without(LOST, *NODES, 0, 1, "h2h3"),
     "mate: node 1: expected a reply that leads to this node, found none"),
    (mate(LOST["fen"], 2, ["f1f2", {"h2h1": 1}], ["g4h4", {}], replies=FIRST),
     "mate: node 0: reply h2h3 is missing"),
    (mate(ROOK_MATE["fen"].replace(" w ", " b "), 0, replies={}),
     "mate: replies: reply h1h2 is missing"),
    (changed(ROOK_MATE, *NODES, 0, 1, "h1h2", to=1),
     "mate: node 0: reply 'h1h2' is not legal"),
    (changed(ROOK_MATE, *NODES, 0, 1, "\n\x1b", to=1),
     r"mate: node 0: reply '\n\x1b' is not legal"),
    *((changed(ROOK_MATE, *NODES, 0, 0, to=move),
       f"mate: node 0: expected a legal move, found '{move}'")
      for move in ("h3g4", "Rh3+", "0000")),
    (mate(CASTLING, 1, ["e1a1", {}]),
     "mate: node 0: expected a legal move, found 'e1a1'"),
    (mate(ROOK_MATE["fen"], 1, ["g3h3", {}]), "mate: node 0: reply h1g1 is missing"),
    (mate(STALEMATING, 1, ["g6f7", {}]),
     "mate: node 0: expected mate, found stalemate"),
    (mate("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1", 0, replies={}),
     "mate: replies: expected mate, found stalemate"),
    (changed(ROOK_MATE, "mate", "moves", to=4),
     "mate: moves: expected 3, as in the nodes, found 4"),
    *((changed(ROOK_MATE, *REPLY, to=node),  # a cycle, itself, and none
       f"mate: node 1: reply 'g1f1': expected a node from 2 to 2, found {node}")
      for node in (0, 1, 3)),
    (changed(ROOK_MATE, *NODES, to=[*ROOK_MATE["mate"]["nodes"], ["", {}]]),
     "mate: node 3: expected a reply that leads to this node, found none"),
    (mate(LOST["fen"], 2, ["f1f2", {"h2h3": 1, "h2h1": 1}], ["g4h4", {}],
          replies=FIRST),
     "mate: node 1: expected the same position, found another: "
     "8/8/8/8/6R1/7k/5K2/8 w - - 3 3"),
    (mate(ROOK_MATE["fen"], 1), "mate: nodes: expected at least one, found none"),
    # refutations
    (without(ROOK_MATE, *MOVES, "g3h3"), "refutation: node 0: move g3h3 is missing"),
    (changed(ROOK_MATE, *MOVES, "g3h4", to="h1h2"),
     "refutation: node 0: move 'g3h4' is not legal"),
    (changed(ROOK_MATE, *MOVES, "g3h3", to="h1h2"),
     "refutation: node 0: move g3h3: reply: expected a legal move, found 'h1h2'"),
    (changed(LOST, *MOVES, "f1f2", to="h2h1"),
     "refutation: node 0: move f1f2: expected no mate in one, found g4h4: "
     "8/8/8/8/6R1/8/5K2/7k w - - 3 3"),
    (changed(ROOK_MATE, *MOVES, "g3h3", to=None),
     "refutation: node 0: move g3h3: expected a reply, found none"),
    (refutation(MATE_IN_ONE.fen(), 2, ALL_STALEMATES),
     "refutation: node 0: move a1a8: expected no mate, found mate"),
    (refutation(MATE_IN_ONE.fen(), 1),
     f"refutation: expected no mate in one, found a1a8: {MATE_IN_ONE.fen()}"),
    (changed(ROOK_MATE, "refutation", "moves", to=3),
     "refutation: node 0: move f3e2: expected a node with 2 moves left, found none"),
    (refutation(ROOK_MATE["fen"], 2),
     "refutation: expected a node with 2 moves left, found none"),
    (changed(LOST, "refutation", "reply", to=["h1h2", 1]),
     "refutation: reply: expected a node below 1, found 1"),
    (changed(ROOK_MATE, "refutation", "nodes", to=[NODE, {}]),
     "refutation: node 1: expected a move that leads to this node, found none"),
    (changed(ROOK_MATE, *MOVES, "f3f2", to=["h1h2", 0]),
     "refutation: node 0: expected the same position, found another: "
     "8/8/8/8/8/6R1/5K1k/8 w - - 2 2"),
    (changed(LOST, "refutation", "reply", to=["h1h3", 0]),
     "refutation: reply: reply: expected a legal move, found 'h1h3'"),
    (refutation(MATED["fen"], 1, reply=None),
     "refutation: reply: expected no mate, found mate"),
]
# fmt: on


BOARD = "8/8/8/8/8/5KR1/8"
POSITIONS = [
    (f"{BOARD}/6k1 w - - 0 1", "fen: expected a legal position, found "),
    (f"{BOARD}/7k w - e3 0 1", "fen: expected a legal position, found "),
    (f"{BOARD}/7k w KQ - 0 1", "fen: expected a legal position, found "),
    (f"{BOARD}/7k w - -", f"fen: expected {BOARD}/7k w - - 0 1, "),
    (f"{BOARD}/7k w - - 0 1\n", f"fen: expected {BOARD}/7k w "),
    ("", "fen: expected a position, found ''"),
    (f"{BOARD}/7k w - - {'9' * 5000} 1", "fen: expected a position, found 5,0"),
    (f"{BOARD}/7k w - - 0 {'9' * 4300}", "fen: expected a position, found 4,3"),
    ("8/8/8/8/8/6R1/5K2/7k w - - 0 1", "mate: node 0: reply 'h1g1' is not legal"),
]


@pytest.mark.parametrize(("fen", "message"), POSITIONS)
def test_another_position_is_refused(fen: str, message: str) -> None:
    with pytest.raises(ForgeryError) as refused:
        check(changed(ROOK_MATE, "fen", to=fen))
    assert str(refused.value).startswith(message)


EXPECTED_ONLY = "expected only attacker, certificate, fen, mate, refutation, found"
NUMBER = "expected a whole number from"
NEITHER = {name: ROOK_MATE[name] for name in ("certificate", "fen", "attacker")}

# fmt: off
UNREADABLE = [
    ([], "certificate: expected an object, found an array of 0"),
    ({"schema": 1, "mate": 3}, "expected a certificate, found another object"),
    (changed(ROOK_MATE, "certificate", to=2),
     "expected a certificate of version 1, found 2"),
    (changed(ROOK_MATE, "certificate", to=True),
     "expected a certificate of version 1, found True"),
    (without(ROOK_MATE, "fen"), "certificate: expected 'fen', found none"),
    (changed(ROOK_MATE, "fen", to=["8"]),
     "fen: expected a string, found an array of 1"),
    (changed(ROOK_MATE, "attacker", to="White"),
     "attacker: expected white or black, found 'White'"),
    (NEITHER, "expected a mate or a refutation, found neither"),
    (changed(ROOK_MATE, "mates", to=1), f"certificate: {EXPECTED_ONLY} 'mates'"),
    (changed(ROOK_MATE, "mate", "replies", to={}),
     "mate: expected only moves, nodes, found 'replies'"),
    (without(LOST, "mate", "replies"), "mate: expected 'replies', found none"),
    (changed(ROOK_MATE, "attacker", to="black"),
     "mate: expected 'replies', found none"),
    (changed(ROOK_MATE, "mate", "moves", to=2.5),
     f"mate: moves: {NUMBER} 1 up, found 2.5"),
    (changed(ROOK_MATE, *NODES, 1, to={}),
     "mate: node 1: expected an array of 2, found an object of 0"),
    *((changed(ROOK_MATE, *NODES, 0, 1, "h1g1", to=node),
       f"mate: node 0: reply 'h1g1': {NUMBER} 0 up, found {node}")
      for node in (True, -1)),
    (changed(ROOK_MATE, *MOVES, "g3h3", to=["h1g1"]),
     "refutation: node 0: move 'g3h3': expected null, a reply, or an array of "
     "a reply and a node, found an array of 1"),
]
# fmt: on

REFUSED = [(ForgeryError, *forged) for forged in FORGED]
REFUSED += [(CertificateError, *unreadable) for unreadable in UNREADABLE]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("error", "document", "message"), REFUSED, ids=[words for *_, words in REFUSED]
)
def test_a_forgery_or_a_document_outside_the_format_is_refused(
    error: type[Exception], document: Any, message: str
) -> None:
    with pytest.raises(error) as refused:
        check(document)
    assert str(refused.value) == message


@pytest.mark.parametrize("moves", [1 << 63, 10**4300 - 1], ids=["64 bits", "more"])
def test_a_number_of_more_than_63_bits_is_refused(moves: int) -> None:
    """Python cannot print the successor of 4,300 nines."""
    with pytest.raises(CertificateError, match=r"moves: expected .* 63 bits, found a"):
        check(refutation("8/8/8/8/8/8/5k2/7K w - - 0 1", moves))


# --- the checker's own rules: mates in one, and which positions are the same


@sized("count", 150, 3000)
def test_a_mate_in_one_is_found_exactly_if_there_is_one(count: int) -> None:
    positions = [*random_positions(count, seed=11), *small_positions(count, seed=12)]
    positions += all_kinds(count // 6, seed=13)
    found = 0
    for board in (*map(chess.Board, (CASTLING, EN_PASSANT)), *positions):
        mates = []
        for move in board.legal_moves:
            board.push(move)
            if board.is_checkmate():
                mates.append(move)
            board.pop()
        mating = has_mate_in_one(board)
        assert mating in mates if mates else mating is None, board.fen()
        found += bool(mates)
    assert found > count // 15


KINGS, PAWNS = "4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/3pP3/8/8/8/4K3 w -"
PINNED, ALONE = "8/8/8/K2pP2r/8/8/8/7k w -", "4k3/8/8/3p4/8/8/8/4K3 w -"
ROOK = "r3k3/8/8/8/8/8/8/4K3 w"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (f"{ROOK} q - 0 1", f"{ROOK} - - 0 1", False),
        (f"{KINGS} 0 1", f"{KINGS} 0 1".replace("w", "b"), False),
        (f"{KINGS} 0 1", f"{KINGS} 9 7", True),
        (f"{PAWNS} d6 0 1", f"{PAWNS} - 0 1", False),
        (f"{PINNED} d6 0 1", f"{PINNED} - 0 1", True),
        (f"{ALONE} d6 0 1", f"{ALONE} - 0 1", True),
    ],
)
def test_positions_with_the_same_continuations_have_the_same_key(
    one: str, other: str, same: bool
) -> None:
    assert (key_of(chess.Board(one)) == key_of(chess.Board(other))) is same


# --- files that are damaged, too large or made to harm

TEXT = json.dumps(ROOK_MATE)
ZIPPED = gzip.compress(TEXT.encode())

DAMAGED = {
    "a cut": (TEXT[:-1].encode(), "expected JSON, found none: "),
    "other bytes": (b"\xff\xfe" + TEXT.encode("utf-16"), "expected UTF-8, found other"),
    "NaN": (b'{"certificate":NaN}', "expected whole numbers only, found 'NaN'"),
    "a fraction": (b'{"certificate":1.0}', "expected whole numbers only, found '1.0'"),
    "a vast number": (b'{"certificate":' + b"9" * 9999 + b"}", "expected JSON, found"),
    "deep nesting": (b"[" * 200_000, "expected a flat list of nodes, found "),
    "a cut in gzip": (ZIPPED[:-12], "expected intact gzip data, found damage: "),
    "data after gzip": (ZIPPED + b"more", "expected intact gzip data, found damage: "),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused(name: str, tmp_path: Path) -> None:
    data, message = DAMAGED[name]
    path = tmp_path / "proof.json"
    path.write_bytes(data)
    with pytest.raises(CertificateError, match=re.escape(message)) as refused:
        read(path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("data", [TEXT.encode(), ZIPPED])
def test_gzip_is_recognised_by_its_first_bytes(data: bytes) -> None:
    assert load(io.BytesIO(data)) == ROOK_MATE


@pytest.mark.parametrize(
    ("entry", "move"),
    [('"h1g1": 1', "h1g1"), ('"h1g1": 1, "h1g1": 2', "h1g1"), ('"g3g2": null', "g3g2")],
)
def test_a_repeated_reply_or_move_is_refused(entry: str, move: str) -> None:
    text = TEXT.replace(entry.partition(",")[0], f"{entry}, {entry}")
    with pytest.raises(ForgeryError, match=rf"once, found '{move}' repeated$"):
        load(io.BytesIO(text.encode()))


NAMES = ",".join(f'"{number}":0' for number in range(80_000))
HOSTILE = {
    "deep arrays": "[" * 10**5,
    "deep objects": '{"a":' * 10**5,
    "a long number": json.dumps(ROOK_MATE).replace(": 1,", f": {'9' * 10**6},", 1),
    # In quadratic time, a minute.
    "a repeated name": f'{{{NAMES},"79999":0}}',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_is_refused_at_once_and_in_one_line(text: str) -> None:
    with (
        spending_less_than(cpu_s=5),  # a tenth of a second
        pytest.raises((CertificateError, ForgeryError)) as refused,
    ):
        load(io.BytesIO(text.encode()))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_file_that_is_too_large_is_refused(
    compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mate_proof, "MAX_BYTES", 1000)
    load(io.BytesIO(compress(b"1" + b" " * 999)))
    with pytest.raises(CertificateError, match="expected at most 1,000 bytes"):
        load(io.BytesIO(compress(b"1" + b" " * 1000)))
