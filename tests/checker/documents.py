"""True certificates written by hand, and changed copies of them."""

from __future__ import annotations

import copy
from typing import Any, TypeAlias

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
    forged = copy.deepcopy(document)
    place: Any = forged
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return forged


def without(document: Document, *path: Any) -> Document:
    forged = copy.deepcopy(document)
    place: Any = forged
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return forged


def mate(fen: str, moves: int, *nodes: Any, **others: Any) -> Document:
    part = {"moves": moves, "nodes": list(nodes), **others}
    return {"certificate": 1, "fen": fen, "attacker": "white", "mate": part}


def refutation(fen: str, moves: int, *nodes: Any, **others: Any) -> Document:
    part = {"moves": moves, "nodes": list(nodes), **others}
    return {"certificate": 1, "fen": fen, "attacker": "white", "refutation": part}


SHUT_IN = "7k/5p1p/5P1P/8/8/p1p5/P1Pp4/K7 w - - 0 1"
"""White can only move its king back and forth."""

CASTLING = "4R3/8/8/8/8/1P1k4/1P6/R3K3 w Q - 0 1"
EN_PASSANT = "3r2k1/R7/6N1/3pP3/8/1B6/8/K7 w - d6 0 1"
