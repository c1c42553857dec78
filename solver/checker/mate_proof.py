"""Check a certificate: its document, its proof of the mate, and of none shorter."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections import Counter, deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn, TypeAlias

from solver.checker import chess_rules
from solver.checker.chess_rules import damaged, forged, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import chess


# --------------------------------------------------------------------------------------
# Read the JSON of a certificate's file, and check the types of its values.
#
# A damaged or forged file is refused with an error in one line.

MAX_BYTES = 1 << 28
"""The limit of the decompressed size, far above the solver's own certificates."""

_GZIP_MAGIC = b"\x1f\x8b"


def read(path: str | os.PathLike[str]) -> Any:
    """Read the file of a certificate; see `load`.

    Raises
    ------
    OSError
        It cannot be opened or read.
    CertificateError, ForgeryError
        See `load`.
    """
    with Path(path).open("rb") as stream:
        return load(stream)


def load(stream: BinaryIO) -> Any:
    """Read JSON, or gzip-compressed JSON, which is recognised by its first two bytes.

    Returns
    -------
    object
        The JSON value, not checked further.

    Raises
    ------
    CertificateError
        It is damaged, too large, or not JSON in UTF-8.
    ForgeryError
        An object has a name twice, so that readers may disagree on its value.
    """
    data = stream.read(MAX_BYTES + 1)
    if data.startswith(_GZIP_MAGIC):
        data = _decompress(data)
    if len(data) > MAX_BYTES:
        damaged(f"expected at most {MAX_BYTES:,} bytes", "more")
    try:
        return json.loads(
            data.decode(),
            object_pairs_hook=_make_object,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
    except UnicodeDecodeError as error:
        return damaged("expected UTF-8", f"other bytes at {error.start:,}")
    except RecursionError:
        found = "deeply nested arrays or objects"
        return damaged("expected a flat list of nodes", found)
    except ValueError as error:  # also for a number with more digits than Python reads
        return damaged("expected JSON", f"none: {error}")


def _decompress(data: bytes) -> bytes:
    """Decompress at most one byte more than is allowed."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return stream.read(MAX_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        return damaged("expected intact gzip data", f"damage: {error}")


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in names.items() if count > 1)
        forged("expected each name of an object once", f"{shown(repeated)} repeated")
    return fields


def _refuse_number(text: str) -> NoReturn:
    damaged("expected whole numbers only", shown(text))


def as_object(value: object, where: str) -> dict[str, Any]:
    """Require a JSON object.

    Raises
    ------
    CertificateError
        The value has another type; likewise in the functions below.
    """
    if not isinstance(value, dict):
        damaged(f"{where}: expected an object", shown(value))
    return value


def as_array(value: object, where: str, size: int | None = None) -> list[Any]:
    """Require a JSON array, of this size unless it is None."""
    if not isinstance(value, list) or size not in {None, len(value)}:
        of_size = "" if size is None else f" of {size}"
        damaged(f"{where}: expected an array{of_size}", shown(value))
    return value


def require_text(value: object, where: str) -> str:
    """Require a string."""
    if not isinstance(value, str):
        damaged(f"{where}: expected a string", shown(value))
    return value


def as_number(value: object, where: str, least: int) -> int:
    """Require an integer from `least` to 2^63 - 1; True does not count as one."""
    if type(value) is not int or value < least:
        damaged(f"{where}: expected a whole number from {least} up", shown(value))
    if value > chess_rules.MOST_INTEGER:
        damaged(f"{where}: expected a number of at most 63 bits", shown(value))
    return value


def require_names(
    fields: dict[str, Any], where: str, required: set[str], optional: set[str]
) -> None:
    """Refuse an object with missing or unknown names."""
    if missing := sorted(required - fields.keys()):
        damaged(f"{where}: expected {missing[0]!r}", "none")
    if extra := sorted(fields.keys() - required - optional):
        expected = ", ".join(sorted(required | optional))
        damaged(f"{where}: expected only {expected}", shown(extra[0]))


# --------------------------------------------------------------------------------------
# Check the proof of a mate: one move of the attacker, every reply of the defender.

Replies: TypeAlias = dict[str, int]
"""Each reply, and the number of the node that answers it."""


class ProofNode(NamedTuple):
    """A position with the attacker to move."""

    attack: str
    replies: Replies


def check_mate(board: chess.Board, part: Any, *, attacking: bool) -> tuple[int, int]:
    """Check the proof of a mate.

    Every reply leads to a node with a higher number. So the nodes form no cycle, and a
    node is proved once all later nodes are proved.

    Parameters
    ----------
    board : chess.Board
        The position; not changed.
    part : object
        The `mate` part of the certificate.
    attacking : bool
        Whether the side to move is the attacker.

    Returns
    -------
    moves : int
        The attacker mates within this many moves; fewer are not excluded.
    positions : int
        The number of nodes replayed.

    Raises
    ------
    CertificateError
        The part is not in the format.
    ForgeryError
        It is not a proof.
    """
    fields = as_object(part, "mate")
    names = {"moves", "nodes"}
    require_names(fields, "mate", names if attacking else names | {"replies"}, set())
    stated = as_number(fields["moves"], "mate: moves", 1 if attacking else 0)
    raw = as_array(fields["nodes"], "mate: nodes")
    nodes = [_parse_node(node, number, len(raw)) for number, node in enumerate(raw)]
    if attacking:
        start = None
        if not nodes:
            forged("mate: nodes: expected at least one", "none")
    else:
        start = _parse_replies(fields["replies"], "mate: replies", -1, len(nodes))

    uses = _count_uses(nodes, start)
    moves = _longest(nodes, start)
    if moves != stated:
        forged(f"mate: moves: expected {moves}, as in the nodes", stated)
    _replay(board, nodes, start, uses)
    return moves, len(nodes)


def _parse_node(raw: Any, number: int, size: int) -> ProofNode:
    where = _name(number)
    attack, replies = as_array(raw, where, 2)
    return ProofNode(
        require_text(attack, where), _parse_replies(replies, where, number, size)
    )


def _parse_replies(raw: Any, where: str, number: int, size: int) -> Replies:
    replies = as_object(raw, where)
    for reply, child in replies.items():
        if type(child) is not int or not number < child < size:
            as_number(child, f"{where}: reply {shown(reply)}", 0)
            reply_at = f"{where}: reply {shown(reply)}"
            expected = f"a node from {number + 1} to {size - 1}"
            forged(f"{reply_at}: expected {expected}", shown(child))
    return replies


def _count_uses(nodes: list[ProofNode], start: Replies | None) -> list[int]:
    """Count the replies that lead to each node; refuse a node without any."""
    uses = [0] * len(nodes)
    if start is None:
        uses[0] = 1
    for replies in (start or {}, *(node.replies for node in nodes)):
        for child in replies.values():
            uses[child] += 1
    if 0 in uses:
        forged(
            f"{_name(uses.index(0))}: expected a reply that leads to this node", "none"
        )
    return uses


def _longest(nodes: list[ProofNode], start: Replies | None) -> int:
    """Count the attacker's moves in the longest line."""
    depths = [0] * len(nodes)
    for number in reversed(range(len(nodes))):
        replies = nodes[number].replies.values()
        depths[number] = 1 + max((depths[child] for child in replies), default=0)
    if start is None:
        return depths[0]
    return max((depths[child] for child in start.values()), default=0)


def _replay(
    board: chess.Board, nodes: list[ProofNode], start: Replies | None, uses: list[int]
) -> None:
    """Play all moves, and require that a shared node always has the same position."""
    shared: dict[str, chess_rules.Key] = {}
    if start is None:
        ahead = [(0, board.copy(stack=False))]
    else:
        ahead = list(_after_replies(board, start, "mate: replies"))
    while ahead:
        number, board = ahead.pop()
        if uses[number] > 1 and chess_rules.was_replayed(board, _name(number), shared):
            continue
        attack, replies = nodes[number]
        board.push(chess_rules.legal_move(board, attack, _name(number)))
        ahead.extend(_after_replies(board, replies, _name(number)))


def _after_replies(
    board: chess.Board, replies: Replies, where: str
) -> Iterator[tuple[int, chess.Board]]:
    """Yield each node that follows, and its position."""
    legal = chess_rules.moves_of(board)
    chess_rules.require_exactly(replies, legal, "reply", where)
    if not legal and not board.is_check():
        forged(f"{where}: expected mate", "stalemate")
    for reply, child in replies.items():
        after = board.copy(stack=False)
        after.push(legal[reply])
        yield child, after


def _name(number: int) -> str:
    return f"mate: node {number}"


# --------------------------------------------------------------------------------------
# Check the proof that there is no mate: every move of the attacker, one reply each.


class RefutingReply(NamedTuple):
    """The reply that refutes a move, and the node that follows.

    Without a reply the defender is stalemated. Without a node the attacker has no mate
    in one, or only its king.
    """

    reply: str | None
    node: int | None


RefutationNode: TypeAlias = dict[str, RefutingReply]
"""The answer to each move of the attacker."""


def check_refutation(
    board: chess.Board, part: Any, *, attacking: bool
) -> tuple[int, int]:
    """Check the proof that there is no mate within a number of moves.

    A node whose shortest path from the root has d moves must hold for `moves - d`
    moves. That number decreases along every line, so the nodes may form cycles.

    Parameters
    ----------
    board : chess.Board
        The position; not changed.
    part : object
        The `refutation` part of the certificate.
    attacking : bool
        Whether the side to move is the attacker.

    Returns
    -------
    moves : int
        The attacker does not mate within this many moves.
    positions : int
        The number of nodes replayed, and of positions searched for a mate in one.

    Raises
    ------
    CertificateError
        The part is not in the format.
    ForgeryError
        It is not a proof.
    """
    fields = as_object(part, "refutation")
    names = {"moves", "nodes"}
    required = names if attacking else names | {"reply"}
    require_names(fields, "refutation", required, set())
    moves = as_number(fields["moves"], "refutation: moves", 1)
    raw = as_array(fields["nodes"], "refutation: nodes")
    nodes = [
        _parse_refutation_node(node, number, len(raw))
        for number, node in enumerate(raw)
    ]
    start = RefutingReply(None, 0 if nodes else None)
    if not attacking:
        start = _parse_answer(fields["reply"], "refutation: reply", len(nodes))
    replay = _Replay(board, nodes, start, moves, attacking=attacking)
    return moves, replay.positions


def _parse_refutation_node(raw: Any, number: int, size: int) -> RefutationNode:
    where = _named(number)
    return {
        attack: _parse_answer(answer, f"{where}: move {shown(attack)}", size)
        for attack, answer in as_object(raw, where).items()
    }


def _parse_answer(raw: Any, where: str, size: int) -> RefutingReply:
    match raw:
        case None:
            return RefutingReply(None, None)
        case str():
            return RefutingReply(raw, None)
        case [str(reply), node]:
            if as_number(node, where, 0) >= size:
                forged(f"{where}: expected a node below {size}", shown(node))
            return RefutingReply(reply, node)
    expected = "null, a reply, or an array of a reply and a node"
    return damaged(f"{where}: expected {expected}", shown(raw))


class _Replay:
    """Plays all moves, and requires that a shared node always has the same position."""

    def __init__(
        self,
        board: chess.Board,
        nodes: list[RefutationNode],
        start: RefutingReply,
        moves: int,
        *,
        attacking: bool,
    ) -> None:
        self._attacker = board.turn if attacking else not board.turn
        self._nodes = nodes
        self._uses = [0] * len(nodes)
        self.positions = len(nodes)
        distances = self._measure(start)
        board = board.copy(stack=False)
        if not attacking and not self._play(board, start, "refutation: reply"):
            return
        ahead: list[tuple[int, chess.Board]] = []
        if start.node is None:
            self._check_end(board, moves, "refutation")
        else:
            ahead.append((start.node, board))
        shared: dict[str, chess_rules.Key] = {}
        while ahead:
            number, board = ahead.pop()
            is_shared = self._uses[number] > 1
            if is_shared and chess_rules.was_replayed(board, _named(number), shared):
                continue
            ahead.extend(self._visit(number, board, moves - distances[number] - 1))

    def _measure(self, start: RefutingReply) -> list[int]:
        """Count the fewest moves that lead to each node; refuse an unreachable node."""
        distances = [-1] * len(self._nodes)
        ahead: deque[int] = deque()
        if start.node is not None:
            self._uses[start.node] = 1
            distances[start.node] = 0
            ahead.append(start.node)
        while ahead:
            number = ahead.popleft()
            for _, child in self._nodes[number].values():
                if child is None:
                    continue
                self._uses[child] += 1
                if distances[child] < 0:
                    distances[child] = distances[number] + 1
                    ahead.append(child)
        if -1 in distances:
            where = _named(distances.index(-1))
            forged(f"{where}: expected a move that leads to this node", "none")
        return distances

    def _visit(
        self, number: int, board: chess.Board, moves: int
    ) -> Iterator[tuple[int, chess.Board]]:
        """Yield each node that follows, where the attacker has `moves` left."""
        node = self._nodes[number]
        legal = chess_rules.moves_of(board)
        chess_rules.require_exactly(node, legal, "move", _named(number))
        for attack, answer in node.items():
            where = f"{_named(number)}: move {attack}"
            after = board.copy(stack=False)
            after.push(legal[attack])
            if not self._play(after, answer, where):
                continue
            if answer.node is None:
                self._check_end(after, moves, where)
            else:
                yield answer.node, after

    def _play(self, board: chess.Board, answer: RefutingReply, where: str) -> bool:
        """Play the reply; return False if there is none because of stalemate."""
        if answer.reply is not None:
            board.push(chess_rules.legal_move(board, answer.reply, f"{where}: reply"))
            return True
        if any(board.legal_moves):
            forged(f"{where}: expected a reply", "none")
        if board.is_check():
            forged(f"{where}: expected no mate", "mate")
        return False

    def _check_end(self, board: chess.Board, moves: int, where: str) -> None:
        """Require that a position without a node has no mate within `moves`."""
        self.positions += 1
        if chess_rules.has_king_alone(board, self._attacker):
            return
        if moves > 1:
            forged(f"{where}: expected a node with {moves} moves left", "none")
        if mate := chess_rules.has_mate_in_one(board):
            forged(f"{where}: expected no mate in one", f"{mate.uci()}: {board.fen()}")


def _named(number: int) -> str:
    return f"refutation: node {number}"
