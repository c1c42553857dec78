"""A whole certificate, taken at its word and re-proved."""

from __future__ import annotations

from dataclasses import dataclass

import chess

from solver.checker.mate import check_mate
from solver.checker.position import parse_position
from solver.checker.refutation import check_refutation
from solver.errors import CertificateError
from solver.verification.shape import as_object, as_text, require_names, shown

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
        Who mates or does not; `chess.WHITE` or `chess.BLACK`.
    mate : int or None
        Moves to mate, an upper bound; negative when the side to move is mated (0: it
        is mated already); None when no mate is proved.
    lower_bound : int
        No mate of the attacker takes fewer moves than this.
    positions : int
        Positions with the attacker to move that were looked at.
    """

    fen: str
    attacker: chess.Color
    mate: int | None
    lower_bound: int
    positions: int


def check(document: object) -> Checked:
    """Re-prove a certificate.

    Parameters
    ----------
    document : object
        The JSON value that `load` or `read` gives.

    Raises
    ------
    CertificateError
        It is no certificate, or not in the format.
    ForgeryError
        It does not prove what it says.
    """
    table = as_object(document, "certificate")
    if "certificate" not in table:
        msg = "expected a certificate, found another object"
        raise CertificateError(msg)
    if type(table["certificate"]) is not int or table["certificate"] != VERSION:
        found = shown(table["certificate"])
        msg = f"expected a certificate of version {VERSION}, found {found}"
        raise CertificateError(msg)
    needed, parts = {"certificate", "fen", "attacker"}, {"mate", "refutation"}
    require_names(table, "certificate", needed, parts)
    if parts.isdisjoint(table):
        msg = "expected a mate or a refutation, found neither"
        raise CertificateError(msg)
    if table["attacker"] not in chess.COLOR_NAMES:
        msg = f"attacker: expected white or black, found {shown(table['attacker'])}"
        raise CertificateError(msg)

    board = parse_position(as_text(table["fen"], "fen"))
    attacker = table["attacker"] == "white"
    attacking = attacker == board.turn
    mate = None
    lower_bound = 0 if board.is_checkmate() and not attacking else 1
    positions = 0
    if "mate" in table:
        moves, replayed = check_mate(board, table["mate"], attacking=attacking)
        mate = moves if attacking else -moves
        positions += replayed
    if "refutation" in table:
        part = table["refutation"]
        moves, replayed = check_refutation(board, part, attacking=attacking)
        lower_bound = moves + 1
        positions += replayed
    return Checked(board.fen(), attacker, mate, lower_bound, positions)
