"""Build a certificate: search again for what its proof needs, and write it down."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import chess

from solver.board import pack_board, unpack_pieces
from solver.endgames import ending, probe
from solver.errors import BuildingStoppedError, TooLargeError
from solver.files import write_whole
from solver.kernel.border.interface import Decision, new_search
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.search_struct import PositionStruct
from solver.kernel.build.loader import load_part
from solver.position_text import SQUARE_BITS, spell_move
from solver.search import queries
from solver.search.threads import Budget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from solver.search import threads, workspaces
    from solver.solution import Solution


# --------------------------------------------------------------------------------------
# What builds proof trees: the prover, their context and their limits.
#
# A `Prover` decides which move mates and within how many moves; `WorkspaceProver` does
# so in the memory of the search that found the answer. `ProofContext` is the position,
# its attacker, its moves and its prover. A `Budget` stops building when a limit is
# reached. A packed position is the bytes of a kernel `Position`.

NEAR_MOVES = 4
"""Up to this many moves from mate, all attacks are compared for a small proof."""

FIRST_SLICE_NODES = 1 << 16
SLICE_NODES = 1 << 23
"""Nodes between two checks of the clock: about two seconds at most."""


class Prover(Protocol):
    """Proves whether and how the attacker mates in packed positions.

    Each method raises `BuildingStoppedError` if the prover was stopped, and
    `TooLargeError` if it takes too long.
    """

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Return a move that mates within `moves`, and the number of moves it takes.

        The attacker is to move and is known to mate within `moves`: this is the
        certified position, or it follows from earlier answers.
        """

    def mates(self, packed: bytes, moves: int, budget: Budget) -> bool:
        """Return whether the attacker, to move, mates within `moves`."""


class WorkspaceProver:
    """Proves in the workspace of the search, whose table already has most answers.

    Parameters
    ----------
    workspace : Workspace
        Its search has ended, and `Workspace.resume` was called.
    """

    def __init__(self, workspace: workspaces.Workspace) -> None:
        self._workspace = workspace
        self._moves = Moves()

    def attack(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Return a move that mates, and the number of moves it takes.

        Near mate it is the fastest move, and among these the one with the fewest
        replies. Farther from mate it is the move that the search has proved.
        """
        if moves > NEAR_MOVES or self._workspace.is_restricted:
            return self._probe_ending(packed, budget) or self._search(
                packed, moves, budget
            )
        lengths = range(1, moves + 1)
        shortest = next(
            (length for length in lengths if self.mates(packed, length, budget)), None
        )
        assert shortest is not None  # the caller knows that there is a mate
        ranked = sorted(
            (len(self._moves.legal(after)), attack, after)
            for attack, after in self._moves.after_each(packed)
        )
        found = next(
            attack
            for _, attack, after in ranked
            if self._decide(after, shortest - 1, budget, attacking=False)
        )
        return found, shortest

    def mates(self, packed: bytes, moves: int, budget: Budget) -> bool:
        """Return whether the attacker, to move, mates within `moves`."""
        return self._decide(packed, moves, budget, attacking=True)

    def _probe_ending(self, packed: bytes, budget: Budget) -> tuple[int, int] | None:
        """Return the attack of a solved small endgame; None if there is none."""
        position = PositionStruct.from_buffer_copy(packed)
        if self._workspace.is_restricted or not ending.is_ending(position):
            return None
        budget.check_time()
        search = self._workspace.search
        found = probe.find_ending(
            unpack_pieces(position),
            chess.WHITE,
            is_stopped=lambda: bool(search.stop),
            with_line=False,
        )
        if found is None or found.moves is None:
            return None
        attack = next(
            move
            for move in self._moves.legal(packed)
            if uci_of(packed, move, chess.WHITE) == found.keys[0]
        )
        return attack, found.moves

    def _search(self, packed: bytes, moves: int, budget: Budget) -> tuple[int, int]:
        """Return the move in the table, searching until it mates within `moves`."""
        workspace, position = self._workspace, PositionStruct.from_buffer_copy(packed)
        kernel, search = workspace.kernel, workspace.search
        if mate := kernel.mate_in_one(position, search):
            return mate, 1
        bounds = kernel.bounds(position, search, attacking=True)
        while bounds.mate is None or bounds.mate > moves:
            self._decide(packed, moves, budget, attacking=True)
            bounds = kernel.bounds(position, search, attacking=True)
        return bounds.move, bounds.mate

    def _decide(
        self, packed: bytes, moves: int, budget: Budget, *, attacking: bool
    ) -> bool:
        """Run the prover and the df-pn search in turn until one of them decides.

        Both keep their results in the table, so a slice that was cut short is not
        wasted.
        """
        workspace, position = self._workspace, PositionStruct.from_buffer_copy(packed)
        slice_nodes = FIRST_SLICE_NODES
        engines = (workspace.prove, workspace.search_dfpn)[workspace.is_restricted :]
        while True:
            for engine in engines:
                if workspace.is_exhausted:
                    raise BuildingStoppedError
                budget.check_time()
                with workspace.budget(slice_nodes):
                    verdict = engine(position, moves, attacking=attacking)
                if verdict is not Decision.STOPPED:
                    return verdict is Decision.MATE
            slice_nodes = min(2 * slice_nodes, SLICE_NODES)


@dataclass(frozen=True, slots=True)
class ProofContext:
    """A position to prove something about, and what is needed for it.

    Attributes
    ----------
    packed : bytes
        The position, a `Position` from the point of view of the side to move.
    attacker : bool
        The side that mates, or does not; `chess.WHITE` or `chess.BLACK`.
    attacking : bool
        Whether the attacker is to move.
    moves : Moves
        Generates and plays moves.
    prover : Prover
        Decides what mates.
    """

    packed: bytes
    attacker: chess.Color
    attacking: bool
    moves: Moves
    prover: Prover

    @classmethod
    def of(cls, solution: Solution, prover: Prover) -> ProofContext:
        """Make the context of an answer, which says who attacks."""
        board = chess.Board(solution.problem.fen)
        if solution.mate is None:
            attacking = queries.is_attacking(solution.problem, pack_board(board))
        else:
            attacking = solution.mate > 0
        attacker = board.turn if attacking else not board.turn
        return cls(bytes(pack_board(board)), attacker, attacking, Moves(), prover)


_LAST_RANK_SHIFT = 9
"""The first bit of the rank of a move's target."""


class Moves:
    """Generates and plays the moves of packed positions.

    Positions are bytes, so that they can be keys of a dict. Not thread-safe, because of
    the kernel's scratch memory.
    """

    def __init__(self) -> None:
        self._kernel = load_part(SEARCH).kernel
        self._search = new_search()

    def legal(self, packed: bytes) -> list[int]:
        """Return the legal moves."""
        position = PositionStruct.from_buffer_copy(packed)
        return self._kernel.moves(position, self._search)

    def checks(self, packed: bytes) -> list[int]:
        """Return the legal moves that give check."""
        position = PositionStruct.from_buffer_copy(packed)
        return self._kernel.checking_moves(position, self._search)

    def play(self, packed: bytes, move: int) -> bytes:
        """Return the position after a legal move."""
        position = PositionStruct.from_buffer_copy(packed)
        return bytes(self._kernel.made(position, self._search, move))

    def after_each(self, packed: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield each legal move, and the position after it."""
        position = PositionStruct.from_buffer_copy(packed)
        for move in self._kernel.moves(position, self._search):
            yield move, bytes(self._kernel.made(position, self._search, move))


def uci_of(packed: bytes | PositionStruct, move: int, color: chess.Color) -> str:
    """Return a move in UCI notation.

    Parameters
    ----------
    packed : bytes or Position
        The position before it, from the point of view of the side to move.
    move : int
        A move of the kernel.
    color : chess.Color
        The side to move.
    """
    pawns = 0
    if move >> _LAST_RANK_SHIFT & 7 == 7:  # a pawn promotes there
        pawns = PositionStruct.from_buffer_copy(packed).pawns
    is_pawn = bool(pawns >> (move & SQUARE_BITS) & 1)
    return spell_move(move, black=not color, is_pawn=is_pawn)


def is_bare_king(packed: bytes) -> bool:
    """Return whether the side to move has only its king, and so cannot mate."""
    us: int = PositionStruct.from_buffer_copy(packed).us
    return us.bit_count() == 1


# --------------------------------------------------------------------------------------
# Build the certificate of an answer, and write it to a file.
#
# It has two proofs:
#
# - `build_mate` proves a mate: each node has one move of the attacker and every reply.
# - `build_refutation` proves that there is no mate: each node has every move of the
#   attacker, each with one reply.
#
# See docs/reference/certificate-format.md for the format.

VERSION = 1

GZIP_LEVEL = 6

MATE_NODES = 500_000
"""The most nodes in the proof of a mate."""

REFUTATION_MOVES = 1_000_000
"""The most moves listed in a refutation, in all nodes together."""

BUILDING_S = 60.0
"""Seconds to build one part."""


@dataclass(frozen=True, slots=True)
class Certification:
    """The result of building a certificate.

    Attributes
    ----------
    certificate : Certificate or None
        None if nothing is proved, or every part is left out.
    left_out : tuple of str
        A line for each part that was left out because it exceeded a limit.
    """

    certificate: Certificate | None
    left_out: tuple[str, ...]


def certify_last(
    solution: Solution, workspace: workspaces.Workspace, control: threads.Control
) -> Certification:
    """Build the certificate of the last answer found in a workspace.

    Raises
    ------
    BuildingStoppedError
        `control` stopped it.
    """
    workspace.resume()
    control.attach(workspace.search)
    return certify(solution, WorkspaceProver(workspace))


def certify(solution: Solution, prover: Prover) -> Certification:
    """Build the certificate of an answer.

    Parameters
    ----------
    solution : Solution
        The bounds to prove: the mate, and that none takes fewer moves than
        `lower_bound`.
    prover : Prover
        Proves them again, node by node.

    Raises
    ------
    BuildingStoppedError
        The prover was stopped.
    """
    context = ProofContext.of(solution, prover)
    left_out: list[str] = []
    mate = refutation = None
    if solution.mate is not None:
        budget = Budget(MATE_NODES, "nodes", BUILDING_S)
        mate = _build_part(build_mate, context, abs(solution.mate), budget, left_out)
    # With a restriction, the lower bound holds for the restricted attacker only.
    excluded = 0 if solution.restriction else solution.lower_bound - 1
    if excluded > 0:
        budget = Budget(REFUTATION_MOVES, "moves", BUILDING_S)
        refutation = _build_part(build_refutation, context, excluded, budget, left_out)
    certificate = None
    if mate or refutation:
        fen = solution.problem.fen
        certificate = Certificate(fen, context.attacker, mate, refutation)
    return Certification(certificate, tuple(left_out))


def _build_part(
    build: Callable[[ProofContext, int, Budget], dict[str, Any]],
    context: ProofContext,
    moves: int,
    budget: Budget,
    left_out: list[str],
) -> dict[str, Any] | None:
    """Build a part, or record why it is left out."""
    try:
        return build(context, moves, budget)
    except TooLargeError as limit:
        what = "no mate" if build is build_refutation else "mate"
        left_out.append(f"the proof of {what} in {moves} is left out: {limit}")
        return None


@dataclass(frozen=True, slots=True)
class Certificate:
    """The proofs about a position.

    Attributes
    ----------
    fen : str
        The position.
    attacker : bool
        The side that mates, or does not; `chess.WHITE` or `chess.BLACK`.
    mate, refutation : mapping or None
        The two parts as JSON objects, at least one of them.
    """

    fen: str
    attacker: chess.Color
    mate: Mapping[str, Any] | None = None
    refutation: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object."""
        parts = {"mate": self.mate, "refutation": self.refutation}
        return {
            "certificate": VERSION,
            "fen": self.fen,
            "attacker": chess.COLOR_NAMES[self.attacker],
            **{name: part for name, part in parts.items() if part is not None},
        }

    def encode(self) -> bytes:
        """Return the document as JSON, with one node per line."""
        fields = (
            f"{json.dumps(name)}:{_encode_part(value)}"
            for name, value in self.document().items()
        )
        return ("{" + ",\n".join(fields) + "}\n").encode()


def _encode_part(value: object) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    fields = []
    for name, content in value.items():
        if name == "nodes":
            lines = ",\n".join(
                json.dumps(node, separators=(",", ":")) for node in content
            )
            text = f"[\n{lines}\n]" if content else "[]"
        else:
            text = json.dumps(content, separators=(",", ":"))
        fields.append(f"{json.dumps(name)}:{text}")
    return "{" + ",".join(fields) + "}"


def write(data: bytes, path: Path) -> None:
    """Write a file atomically, compressed if its name ends in .gz.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    if path.suffix == ".gz":
        data = gzip.compress(data, GZIP_LEVEL, mtime=0)
    write_whole(path, data)


# The two proofs, as trees whose positions are shared


def build_mate(context: ProofContext, moves: int, budget: Budget) -> dict[str, object]:
    """Build the proof of a known mate.

    1. Each node mates within a bound that decreases with each of the attacker's moves,
       so no line repeats a position. A node needed with a smaller bound is built again.
    2. Nodes that are no longer reachable are dropped. The others are numbered by
       decreasing bound, so that replies lead to higher numbers.

    Parameters
    ----------
    context : ProofContext
    moves : int
        A known mate is in at most this many moves.
    budget : Budget
        Charged for each node, including those that are built again.

    Returns
    -------
    dict
        The `mate` part of a certificate. It may prove a shorter mate than was known.

    Raises
    ------
    BuildingStoppedError, TooLargeError
        The prover was stopped; a limit came first.
    """
    replies = (
        {} if context.attacking else dict(context.moves.after_each(context.packed))
    )
    starts = [context.packed] if context.attacking else list(replies.values())

    # 1. Nodes.
    nodes: _Nodes = {}
    wanted = [(start, moves) for start in starts]
    while wanted:
        position, bound = wanted.pop()
        known = nodes.get(position)
        if known and known.bound <= bound:
            continue
        budget.spend(1)
        attack, needed = context.prover.attack(position, bound, budget)
        assert 1 <= needed <= bound
        after = context.moves.play(position, attack)
        node = _Node(needed, attack, after, dict(context.moves.after_each(after)))
        nodes[position] = node
        wanted += [(child, needed - 1) for child in node.replies.values()]

    # 2. Numbers.
    order = sorted(
        _reachable(nodes, starts), key=lambda position: -nodes[position].bound
    )
    numbers = {position: number for number, position in enumerate(order)}
    depths: dict[bytes, int] = {}
    for position in reversed(order):
        children = nodes[position].replies.values()
        depths[position] = 1 + max((depths[child] for child in children), default=0)
    part: dict[str, object] = {
        "moves": max((depths[start] for start in starts), default=0)
    }
    if not context.attacking:
        part["replies"] = _named(context.packed, replies, numbers, not context.attacker)
    part["nodes"] = [
        [
            uci_of(position, node.attack, context.attacker),
            _named(node.after, node.replies, numbers, not context.attacker),
        ]
        for position, node in ((position, nodes[position]) for position in order)
    ]
    return part


def _reachable(nodes: _Nodes, starts: list[bytes]) -> list[bytes]:
    """Return the positions that the replies lead to, without duplicates."""
    seen = dict.fromkeys(starts)
    ahead = list(seen)
    while ahead:
        for child in nodes[ahead.pop()].replies.values():
            if child not in seen:
                seen[child] = None
                ahead.append(child)
    return list(seen)


def _named(
    packed: bytes,
    replies: dict[int, bytes],
    numbers: dict[bytes, int],
    side: chess.Color,
) -> dict[str, int]:
    return {
        uci_of(packed, reply, side): numbers[child] for reply, child in replies.items()
    }


class _Node(NamedTuple):
    """A position with the attacker to move."""

    bound: int
    """The attacker mates within this many moves."""

    attack: int
    after: bytes
    replies: dict[int, bytes]


_Nodes: TypeAlias = dict[bytes, _Node]


def build_refutation(
    context: ProofContext, moves: int, budget: Budget
) -> dict[str, object]:
    """Build the proof of a known lower bound: that there is no mate within `moves`.

    Nodes are built level by level. Each position is thus first reached with the most
    moves left, and is built only once.

    Parameters
    ----------
    context : ProofContext
    moves : int
        There is no mate within this many moves; at least 1.
    budget : Budget
        Charged for each attack that is answered.

    Returns
    -------
    dict
        The `refutation` part of a certificate.

    Raises
    ------
    BuildingStoppedError, TooLargeError
        The prover was stopped; a limit came first.
    """
    return _CertificateBuilder(context, budget).build(moves)


class _CertificateBuilder:
    def __init__(self, context: ProofContext, budget: Budget) -> None:
        self._context = context
        self._moves = context.moves
        self._budget = budget
        self._numbers: dict[bytes, int] = {}
        self._nodes: list[dict[str, Answer]] = []
        self._killer = 0
        """The reply that last refuted an attack one move above a leaf."""

    def build(self, moves: int) -> dict[str, object]:
        part: dict[str, object] = {"moves": moves}
        level: list[bytes] = []
        if self._context.attacking:
            self._number(self._context.packed, moves, level)
        else:
            part["reply"] = self._answer(self._context.packed, moves, level)
        while level:
            moves -= 1
            following: list[bytes] = []
            for position in level:
                self._nodes.append(self._expand(position, moves, following))
            level = following
        part["nodes"] = self._nodes
        return part

    def _number(self, position: bytes, moves: int, level: list[bytes]) -> int | None:
        """Return the number of a position's node, or None if it needs none."""
        if position in self._numbers:
            return self._numbers[position]
        if moves == 1 or is_bare_king(position):
            return None
        self._numbers[position] = len(self._numbers)
        level.append(position)
        return self._numbers[position]

    def _expand(
        self, position: bytes, moves: int, following: list[bytes]
    ) -> dict[str, Answer]:
        """Answer every attack; the attacker has `moves` left after it."""
        node: dict[str, Answer] = {}
        for attack, after in self._moves.after_each(position):
            name = uci_of(position, attack, self._context.attacker)
            node[name] = self._answer(after, moves, following)
        self._budget.spend(len(node))
        return node

    def _answer(self, after: bytes, moves: int, following: list[bytes]) -> Answer:
        """Return the answer to an attack; None if it stalemates."""
        found = self._refute(after, moves)
        if found is None:
            return None
        name = uci_of(after, found.reply, not self._context.attacker)
        number = self._number(found.position, moves, following)
        return name if number is None else [name, number]

    def _refute(self, after: bytes, moves: int) -> _Answer | None:
        ranked = self._rank_at_leaf if moves == 1 else self._rank
        replies = 0
        for answer in ranked(after):
            replies += 1
            if (
                answer.position in self._numbers
                or is_bare_king(answer.position)
                or not self._context.prover.mates(answer.position, moves, self._budget)
            ):
                self._killer = answer.reply
                return answer
        assert not replies  # the attack does not mate, so this is stalemate
        return None

    def _rank(self, after: bytes) -> list[_Answer]:
        """Order replies: first to known nodes, then by the number of attacks left."""
        answers = [_Answer(*pair) for pair in self._moves.after_each(after)]
        return sorted(
            answers,
            key=lambda answer: (
                answer.position not in self._numbers,
                len(self._moves.legal(answer.position)),
            ),
        )

    def _rank_at_leaf(self, after: bytes) -> Iterator[_Answer]:
        """Yield replies: first checks, which leave few attacks to try, then others."""
        checks = self._moves.checks(after)
        for reply in checks:
            yield _Answer(reply, self._moves.play(after, reply))
        quiet = [reply for reply in self._moves.legal(after) if reply not in checks]
        quiet.sort(key=lambda reply: reply != self._killer)
        for reply in quiet:
            yield _Answer(reply, self._moves.play(after, reply))


class _Answer(NamedTuple):
    """A reply that refutes an attack, and the position after it."""

    reply: int
    position: bytes


Answer: TypeAlias = "str | list[object] | None"
"""An answer in a certificate: a reply, a reply and its node, or None for stalemate."""
