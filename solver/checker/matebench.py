"""Check claims of MateBench: that a mate is the shortest, or that there is none.

A mate is a tree with every reply, in version 1 of MateProver's format. Its absence is a
tree with every attack, whose nodes may be shared; the same node may be used in several
positions, and each use is checked. See docs/reference/certificate-format.md.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from solver.checker import chess_rules
from solver.checker.chess_rules import damaged, forged, shown
from solver.checker.mate_proof import (
    as_array,
    as_number,
    as_object,
    require_names,
    require_text,
)
from solver.errors import ForgeryError

if TYPE_CHECKING:
    import chess

ABSENCE = "matebench-absence-1"
MINIMALITY = "matebench-minimality-1"


def is_claim(fields: dict[str, Any]) -> bool:
    """Return whether a document is a claim of MateBench, or the tree of a mate."""
    return "claim" in fields or "a" in fields


def check_claim(fields: dict[str, Any]) -> tuple[chess.Board, int | None, int, int]:
    """Check a claim, or the tree of a mate with its position.

    Parameters
    ----------
    fields : dict
        The document; the side to move is the attacker.

    Returns
    -------
    board : chess.Board
        The position.
    mate : int or None
        The attacker mates within this many moves; None if that is not claimed.
    lower_bound : int
        No mate takes fewer moves.
    positions : int
        The number of nodes checked, each use of a shared one separately.

    Raises
    ------
    CertificateError
        It is not in the format.
    ForgeryError
        It is not a proof.
    """
    if "claim" in fields:
        names = {"fen", "claim", "n", "certificate"}
        require_names(fields, "claim", names, set())
    board = chess_rules.parse_position(f"{require_text(fields.get('fen'), 'fen')} 0 1")
    if "claim" not in fields:
        moves, positions = _check_mate(board, fields)
        return board, moves, 1, positions
    n = as_number(fields["n"], "n", 1)
    claim = fields["claim"]
    certificate = as_object(fields["certificate"], "certificate")
    if claim == "absence":
        return board, None, n + 1, _check_absence(board, certificate, n)
    if claim != "minimality":
        damaged("claim: expected minimality or absence", shown(claim))
    return board, n, n, _check_minimality(board, certificate, n)


def _check_minimality(board: chess.Board, fields: dict[str, Any], n: int) -> int:
    """Check that there is a mate in n, and none in fewer; return the nodes checked."""
    require_names(fields, "minimality", {"format", "n", "mate"}, {"no_shorter"})
    _require_claimed(fields, "minimality", MINIMALITY, "n", n)
    moves, positions = _check_mate(board, fields["mate"])
    if moves != n:
        forged(f"mate: expected a longest line of {n} moves", moves)
    shorter = fields.get("no_shorter")
    if n > 1:
        absence = as_object(shorter, "no_shorter")
        return positions + _check_absence(board, absence, n - 1)
    if shorter is not None:
        forged("no_shorter: expected none for a mate in 1", shown(shorter))
    return positions


def _require_claimed(
    fields: dict[str, Any], where: str, form: str, name: str, claimed: int
) -> None:
    """Require the format's name, and the number of moves that is claimed."""
    if fields["format"] != form:
        damaged(f"{where}: expected the format {form}", shown(fields["format"]))
    if as_number(fields[name], f"{where}: {name}", 1) != claimed:
        forged(f"{where}: {name}: expected {claimed}", fields[name])


def _check_mate(root: chess.Board, tree: object) -> tuple[int, int]:
    """Check the tree of a mate; return its attacker's moves and its nodes.

    Unknown names are ignored, as the format demands.
    """
    longest = positions = 0
    ahead = [(root.copy(stack=False), tree, 1, "mate")]
    while ahead:
        board, node, moves, where = ahead.pop()
        positions += 1
        fields = as_object(node, where)
        attack = require_text(fields.get("a"), f"{where}: a")
        board.push(chess_rules.legal_move(board, attack, where))
        where = f"{where} {attack}"
        if fields.get("mate") is True:
            if not board.is_checkmate():
                forged(f"{where}: expected mate", "none")
            longest = max(longest, moves)
            continue
        legal = chess_rules.moves_of(board)
        replies = _by_move(fields.get("d"), "r", legal, "reply", where)
        if not replies:
            forged(f"{where}: expected mate or replies", "none")
        for reply, entry in replies.items():
            after = board.copy(stack=False)
            after.push(legal[reply])
            ahead.append((after, entry.get("p"), moves + 1, f"{where} {reply}"))
    return longest, positions


def _by_move(
    entries: object, name: str, legal: dict[str, chess.Move], what: str, where: str
) -> dict[str, dict[str, Any]]:
    """Return the entries by their moves, which must be exactly the legal ones."""
    found = [
        (require_text(fields.get(name), f"{where}: {name}"), fields)
        for fields in (as_object(one, where) for one in as_array(entries, where))
    ]
    counts = Counter(move for move, _ in found)
    if repeated := [move for move, count in counts.items() if count > 1]:
        msg = f"{where}: {what} {shown(repeated[0])} is listed twice"
        raise ForgeryError(msg)
    chess_rules.require_exactly(counts, legal, what, where)
    return dict(found)


def _check_absence(root: chess.Board, fields: dict[str, Any], k: int) -> int:
    """Check that there is no mate within k moves; return the nodes checked.

    With each node the attacker has one move fewer, so every line ends.
    """
    require_names(fields, "absence", {"format", "k", "proof"}, {"nodes"})
    _require_claimed(fields, "absence", ABSENCE, "k", k)
    shared = as_object(fields.get("nodes", {}), "absence: nodes")
    checked: set[tuple[chess_rules.Key, int, str]] = set()
    positions = 0
    ahead = [(root, fields["proof"], k, "absence")]
    while ahead:
        board, node, left, where = ahead.pop()
        name, node = _resolve(node, shared, where)
        if name is not None:
            use = chess_rules.key_of(board), left, name
            if use in checked:
                continue
            checked.add(use)
        positions += 1
        require_names(node, where, {"m"}, set())
        legal = chess_rules.moves_of(board)
        attacks = _by_move(node["m"], "a", legal, "move", where)
        if left == 1 and (mate := chess_rules.has_mate_in_one(board)):
            forged(f"{where}: expected no mate", f"{mate.uci()}: {board.fen()}")
        for attack, entry in attacks.items():
            answer = _play(board, legal[attack], entry, left, f"{where} {attack}")
            if answer:
                ahead.append(answer)
    return positions


def _play(
    board: chess.Board,
    attack: chess.Move,
    entry: dict[str, Any],
    left: int,
    where: str,
) -> tuple[chess.Board, object, int, str] | None:
    """Play an attack and its reply; return what follows, or None after a leaf.

    With one move left, the caller has tested that no attack mates.
    """
    is_leaf = entry.keys() == {"a"}
    if not is_leaf:
        require_names(entry, where, {"a", "r", "p"}, set())
    if left == 1 and is_leaf:
        return None
    if left == 1:
        forged(f"{where}: expected no reply to the last move", "one")
    after = board.copy(stack=False)
    after.push(attack)
    if after.is_checkmate():
        forged(f"{where}: expected no mate", f"mate: {after.fen()}")
    if not is_leaf:
        reply = require_text(entry["r"], f"{where}: r")
        after.push(chess_rules.legal_move(after, reply, f"{where}: reply"))
        return after, entry["p"], left - 1, f"{where} {reply}"
    if any(after.legal_moves):
        moves = "1 move" if left == 2 else f"{left - 1} moves"
        forged(f"{where}: expected a reply with {moves} left", "none")
    return None


def _resolve(
    node: object, shared: dict[str, Any], where: str
) -> tuple[str | None, dict[str, Any]]:
    """Return the node that references lead to, and its name if it is shared."""
    name, passed = None, set()
    fields = as_object(node, where)
    while "ref" in fields:
        require_names(fields, where, {"ref"}, set())
        name = require_text(fields["ref"], f"{where}: ref")
        if name not in shared or name in passed:
            what = "a circle" if name in passed else "none"
            forged(f"{where}: ref {shown(name)}: expected a shared node", what)
        passed.add(name)
        fields = as_object(shared[name], f"absence: node {shown(name)}")
    return name, fields
