"""The independent checker of certificates.

It uses python-chess and shares no code with the solver. Its conclusions follow from the
legal moves that python-chess generates and from the format alone
(docs/reference/certificate-format.md); claims of MateBench are in `matebench`.

`load` and `read` parse the JSON, `check` verifies it: the mate in `mate`, the lower
bound in `refutation`.
"""

from __future__ import annotations

from dataclasses import dataclass

import chess

from solver.checker.chess_rules import damaged, parse_position, shown
from solver.checker.mate_proof import (
    as_object,
    check_mate,
    check_refutation,
    load,
    read,
    require_names,
    require_text,
)
from solver.checker.matebench import check_claim, is_claim

__all__ = ["Checked", "check", "load", "read"]

VERSION = 1
"""The only version of the format so far."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a certificate proves.

    Attributes
    ----------
    fen : str
        The position.
    attacker : bool
        The side that mates, or does not; `chess.WHITE` or `chess.BLACK`.
    mate : int or None
        The number of moves to mate, an upper bound. Negative if the side to move is
        mated, 0 if it is checkmate already, None if no mate is proved.
    lower_bound : int
        No mate by the attacker takes fewer moves than this.
    positions : int
        The number of positions checked, with the attacker to move.
    """

    fen: str
    attacker: chess.Color
    mate: int | None
    lower_bound: int
    positions: int


def check(document: object) -> Checked:
    """Verify a certificate.

    Parameters
    ----------
    document : object
        The JSON value that `load` or `read` returns.

    Raises
    ------
    CertificateError
        It is not a certificate, or not in the format.
    ForgeryError
        It does not prove what it states.
    """
    fields = as_object(document, "certificate")
    if is_claim(fields):
        board, mate, lower_bound, positions = check_claim(fields)
        return Checked(board.fen(), board.turn, mate, lower_bound, positions)
    if "certificate" not in fields:
        damaged("expected a certificate", "another object")
    if type(fields["certificate"]) is not int or fields["certificate"] != VERSION:
        found = shown(fields["certificate"])
        damaged(f"expected a certificate of version {VERSION}", found)
    required, parts = {"certificate", "fen", "attacker"}, {"mate", "refutation"}
    require_names(fields, "certificate", required, parts)
    if parts.isdisjoint(fields):
        damaged("expected a mate or a refutation", "neither")
    if fields["attacker"] not in chess.COLOR_NAMES:
        damaged("attacker: expected white or black", shown(fields["attacker"]))

    board = parse_position(require_text(fields["fen"], "fen"))
    attacker = fields["attacker"] == "white"
    attacking = attacker == board.turn
    mate = None
    lower_bound = 0 if board.is_checkmate() and not attacking else 1
    positions = 0
    if "mate" in fields:
        moves, replayed = check_mate(board, fields["mate"], attacking=attacking)
        mate = moves if attacking else -moves
        positions += replayed
    if "refutation" in fields:
        part = fields["refutation"]
        moves, replayed = check_refutation(board, part, attacking=attacking)
        lower_bound = moves + 1
        positions += replayed
    return Checked(board.fen(), attacker, mate, lower_bound, positions)
