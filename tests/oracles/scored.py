"""The laboratory's search, written from its definition with python-chess.

Every position is flipped so that White is to move. A mate is scored by its ply;
stalemate is 0. Repetition, the fifty-move rule and insufficient material do not end a
game.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.kernel.border.scored_struct import (
    Extension,
    Horizon,
    Mdp,
    MipUse,
    PrunedNodes,
    RootOrder,
)
from solver.laboratory.techniques import NodeCount
from tests.oracles.past_scores import PastScores
from tests.oracles.scored_positions import (
    MATERIAL,
    evaluate,
    from_whites_side,
    generated,
    identity,
    is_capture_or_promotion,
    move_word,
    uci_of,
    victim,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from solver.laboratory.techniques import Techniques
    from tests.oracles.past_scores import Counts

MATE = 30_000
INFINITY = 32_000
MATE_ZONE = 29_000

MULTI_CUT_REDUCTION = 2
DECIDED = 10_000
PER_CENT = 4
"""Centipawns for a decided material, and for each per cent from 50."""

HINT_WORTH = 1 << 30
CAPTURE_WORTH = 1 << 29
KILLER_WORTH = 1 << 28


class Expected(IntEnum):
    """The expected type of a node; the first child has the opposite one."""

    ALL = -1
    PV = 0
    CUT = 1


class Bound(Enum):
    """How a stored score bounds the true one."""

    UPPER = "at most"
    EXACT = "exactly"
    LOWER = "at least"


class Entry(NamedTuple):
    """An entry of the table; mate scores are relative to its position."""

    depth: int
    score: int
    bound: Bound
    move: chess.Move | None


class Iteration(NamedTuple):
    """One iteration; nodes of the chosen kind are summed from depth 1."""

    score: int
    move: str
    nodes: int
    nodes_total: int


@dataclass(slots=True)
class Node:
    """A position and how it is searched."""

    board: chess.Board
    alpha: int
    beta: int
    depth: int
    ply: int
    expected: Expected
    after_null: bool = False


class ScoredSearch:
    """One run of deepening iterations and the memory that they share.

    Parameters
    ----------
    techniques : Techniques
    table : bool
        Whether to remember positions.
    counts : mapping
        What the material table has counted, by the name of the material.

    Attributes
    ----------
    counts : dict of NodeCount to int
        Nodes of each kind.
    longest : int
        Plies of the longest line so far.
    """

    def __init__(
        self,
        techniques: Techniques,
        *,
        table: bool = True,
        counts: Mapping[str, Counts] | None = None,
    ) -> None:
        assert (techniques.mip is MipUse.NONE) == (counts is None)
        assert techniques.aspiration == 0, "the oracle does not have it"
        self.counts = dict.fromkeys(NodeCount, 0)
        self.longest = 0
        self._count = techniques.count
        self._horizon = techniques.horizon
        self._root_order = techniques.root_order
        self._last_best: chess.Move | None = None
        self._last_trees: dict[chess.Move, int] = {}
        self._trees: dict[chess.Move, int] = {}
        self._mdp = techniques.mdp
        self._extension = techniques.extension
        self._mip = techniques.mip
        self._past = PastScores(counts or {}, techniques)
        self._white_first = True
        self._pruning = techniques
        self._prunable = {
            PrunedNodes.NONE: (),
            PrunedNodes.CUT: (Expected.CUT,),
            PrunedNodes.ALL: (Expected.ALL,),
            PrunedNodes.CUT_AND_ALL: (Expected.CUT, Expected.ALL),
        }[techniques.pruned_nodes]
        self._additions = techniques.additions
        self._table: dict[Hashable, Entry] | None = {} if table else None
        self._killers: defaultdict[int, list[int]] = defaultdict(list)
        self._history: defaultdict[int, int] = defaultdict(int)
        self._iteration_depth = 0
        self._found: tuple[int, chess.Move | None] = (0, None)

    def deepen(self, board: chess.Board, depth: int) -> Iterator[Iteration]:
        """Search depths 1 to `depth`."""
        root = from_whites_side(board)
        self._white_first = board.turn
        for self._iteration_depth in range(1, depth + 1):
            self._found = (self.counts[self._count], None)
            self._trees = dict.fromkeys(root.legal_moves, 0)
            score = self._search(
                Node(root, -INFINITY, INFINITY, self._iteration_depth, 0, Expected.PV)
            )
            nodes, move = self._found
            self._last_best, self._last_trees = move, self._trees
            total = self.counts[self._count]
            yield Iteration(score, uci_of(move, board.turn), nodes, total)

    def _search(self, node: Node) -> int:
        """Score a node for the side to move, fail-soft."""
        self.longest = max(self.longest, node.ply)
        self.counts[NodeCount.CALLS] += 1
        # 1. Mate-distance pruning.
        clipped = self._clip(node)
        if clipped is not None:
            return clipped
        # 2. Horizon.
        if node.depth <= 0:
            return self._score_horizon(node)
        # 3. Table.
        entry = self._recall(node)
        if entry and _answers(entry, node):
            return entry.score
        hint = entry.move if entry else None
        # 4. Mate and stalemate.
        self.counts[NodeCount.INTERIOR] += 1
        if not any(node.board.legal_moves):
            return -MATE + node.ply if node.board.is_check() else 0
        return self._expand(node, hint)

    def _expand(self, node: Node, hint: chess.Move | None) -> int:
        """Score a node by its moves, unless it is pruned."""
        # 5. Pruning by material, or a reduction: the score is stored as unreduced.
        depth, past = node.depth, self._past_score(node)
        if node.expected is not Expected.PV and past in {0, 100}:
            if MipUse.PRUNING in self._mip:
                return evaluate(node.board) + (DECIDED if past else -DECIDED)
            if MipUse.REDUCTION in self._mip:
                node.depth = max(1, depth - 1)
        # 6. Forward pruning; the moves are ordered once, between its two parts.
        prunable = self._is_prunable(node)
        pruned = self._try_null_move(node) if prunable else None
        if pruned is not None:
            return pruned
        moves = self._in_order(node, hint)
        pruned = self._try_multi_cut(node, moves) if prunable else None
        if pruned is not None:
            return pruned
        # 7. Search the moves.
        best, best_move = self._best(node, moves)
        # 8. Store the score, but not of a cut node that failed low with alpha.
        node.depth = depth
        uncertain = node.expected is Expected.CUT and best == node.alpha
        if not (4 in self._additions and uncertain):
            self._remember(node, best, best_move or hint)
        return best

    # Material

    def _past_score(self, node: Node) -> int | None:
        if self._mip is MipUse.NONE:
            return None
        return self._past.per_cent(node.board, is_white=self._is_white(node))

    def _is_white(self, node: Node) -> bool:
        """Whether White is to move in the game."""
        return self._white_first == (node.ply % 2 == 0)

    def _evaluate(self, node: Node) -> int:
        past = self._past_score(node)
        if past is None or not self._mip & (MipUse.LAZY | MipUse.CORRECTION):
            return evaluate(node.board)
        known = evaluate(node.board)
        if MipUse.LAZY in self._mip:
            known = sum(
                worth * (len(node.board.pieces(kind, chess.WHITE)))
                - worth * (len(node.board.pieces(kind, chess.BLACK)))
                for kind, worth in MATERIAL.items()
            )
        return known + PER_CENT * (past - 50)

    def _key(self, node: Node) -> Hashable:
        """Return what a position's score depends on: with White's view, the colours."""
        key = identity(node.board)
        return (key, self._is_white(node)) if MipUse.WHITE in self._mip else key

    # The horizon

    def _score_horizon(self, node: Node) -> int:
        if self._horizon is Horizon.QUIESCENCE:
            return self._quiesce(node)
        if self._horizon is Horizon.MATE and node.board.is_checkmate():
            return -MATE + node.ply
        return self._evaluate(node)

    def _quiesce(self, node: Node) -> int:
        """Score a node by captures and promotions, in check by all moves."""
        self.longest = max(self.longest, node.ply)
        board, in_check = node.board, node.board.is_check()
        if board.is_checkmate():
            return -MATE + node.ply
        best = -INFINITY if in_check else self._evaluate(node)
        for move in self._in_order(node, None):
            if best >= node.beta:
                break
            if in_check or is_capture_or_promotion(board, move):
                child = self._make(board, move)
                self.counts[NodeCount.CALLS] += 1
                beta, alpha = -max(node.alpha, best), -node.beta
                below = Node(child, alpha, beta, 0, node.ply + 1, node.expected)
                best = max(best, -self._quiesce(below))
        return best

    # Mate-distance pruning

    def _clip(self, node: Node) -> int | None:
        """Narrow the window; a score if nothing is left of it."""
        mating, mated = MATE - node.ply, -MATE + node.ply
        if self._mdp is Mdp.VIPERMATE:
            return _clip_like_vipermate(node) if node.ply > 0 else None
        if self._mdp is Mdp.TIGHT and node.ply > 0:
            mating -= 1
        if self._mdp in {Mdp.UPPER, Mdp.CPW, Mdp.TIGHT}:
            node.beta = min(node.beta, mating)
            if node.alpha >= mating:
                return mating
        if self._mdp in {Mdp.LOWER, Mdp.CPW, Mdp.TIGHT}:
            node.alpha = max(node.alpha, mated)
            if node.beta <= mated:
                return mated
        return None

    # The table

    def _recall(self, node: Node) -> Entry | None:
        if self._table is None:
            return None
        entry = self._table.get(self._key(node))
        return entry and entry._replace(score=_from_root(entry.score, node.ply))

    def _remember(self, node: Node, best: int, move: chess.Move | None) -> None:
        if self._table is None:
            return
        if best <= node.alpha:
            bound = Bound.UPPER
        elif best >= node.beta:
            bound = Bound.LOWER
        else:
            bound = Bound.EXACT
        score = _from_here(best, node.ply)
        self._table[self._key(node)] = Entry(node.depth, score, bound, move)

    # The order of moves

    def _in_order(self, node: Node, hint: chess.Move | None) -> list[chess.Move]:
        def worth(move: chess.Move) -> tuple[int, int]:
            return self._worth(move, node, hint), move_word(node.board, move)

        def tree(move: chess.Move) -> tuple[bool, int, int]:
            nodes = self._last_trees[move]
            return move == self._last_best, nodes, move_word(node.board, move)

        moves = list(node.board.legal_moves)
        if node.ply == 0 and self._root_order is RootOrder.GENERATED:
            moves.sort(key=lambda move: (move != hint, generated(node.board, move)))
        elif node.ply == 0 and self._root_order is RootOrder.NODES and self._last_best:
            moves.sort(key=tree, reverse=True)
        else:
            moves.sort(key=worth, reverse=True)
        return moves

    def _worth(self, move: chess.Move, node: Node, hint: chess.Move | None) -> int:
        if move == hint:
            return HINT_WORTH
        if is_capture_or_promotion(node.board, move):
            mover = node.board.piece_type_at(move.from_square)
            assert mover is not None
            gain = victim(node.board, move) + (move.promotion or 0)
            return CAPTURE_WORTH + 8 * gain + 6 - mover
        word = move_word(node.board, move)
        killers = self._killers[node.ply]
        if word in killers:
            return KILLER_WORTH + 1 - killers.index(word)
        return min(self._history[word], KILLER_WORTH - 1)

    def _remember_cutoff(self, node: Node, move: chess.Move) -> None:
        if is_capture_or_promotion(node.board, move):
            return
        word = move_word(node.board, move)
        killers = self._killers[node.ply]
        if killers[:1] != [word]:
            self._killers[node.ply] = [word, *killers[:1]]
        self._history[word] += node.depth**2

    # Forward pruning

    def _is_prunable(self, node: Node) -> bool:
        return (
            node.expected in self._prunable
            and abs(node.beta) < MATE_ZONE
            and not node.board.is_check()
        )

    def _try_null_move(self, node: Node) -> int | None:
        """Return a score if the null move reaches beta."""
        reduction = self._pruning.null_reduction
        pieces = node.board.occupied_co[chess.WHITE]
        if (
            reduction == 0
            or node.depth <= reduction
            or node.after_null
            or not pieces & ~(node.board.kings | node.board.pawns)
        ):
            return None
        null = chess.Move.null()
        score = self._test(node, null, node.depth - 1 - reduction, after_null=True)
        return self._pruned(node, score) if score >= node.beta else None

    def _try_multi_cut(self, node: Node, moves: list[chess.Move]) -> int | None:
        """Return a score if enough of the first moves reach beta."""
        if self._pruning.cuts == 0 or node.depth <= MULTI_CUT_REDUCTION:
            return None
        cuts = 0
        for move in moves[: self._pruning.tries]:
            score = self._test(node, move, node.depth - 1 - MULTI_CUT_REDUCTION)
            cuts += score >= node.beta
            if cuts == self._pruning.cuts:
                return self._pruned(node, score)
        return None

    def _pruned(self, node: Node, score: int) -> int:
        return node.beta if 1 in self._additions else score

    def _test(
        self, node: Node, move: chess.Move, depth: int, *, after_null: bool = False
    ) -> int:
        """Score a move with the null window at the node's beta."""
        child = self._make(node.board, move)
        alpha, beta, expected = -node.beta, -node.beta + 1, _sibling(node.expected)
        return -self._search(
            Node(child, alpha, beta, depth, node.ply + 1, expected, after_null)
        )

    # Principal variation search

    def _best(
        self, node: Node, moves: list[chess.Move]
    ) -> tuple[int, chess.Move | None]:
        """Return the best score, and its move if it is above alpha."""
        best, best_move = -INFINITY, None
        for move in moves:
            alpha = max(node.alpha, best)
            before = self.counts[NodeCount.MOVES]
            score = self._try(node, move, alpha, first=move == moves[0])
            if node.ply == 0:
                self._trees[move] += self.counts[NodeCount.MOVES] - before
            if score > alpha and node.ply == 0:
                self._found = (self.counts[self._count], move)
            if score > best:
                best = score
                best_move = move if score > node.alpha else None
            if best >= node.beta:
                self._remember_cutoff(node, move)
                break
        return best, best_move

    def _try(self, node: Node, move: chess.Move, alpha: int, *, first: bool) -> int:
        """Score a move for the side that makes it, against the best before it."""
        child = self._make(node.board, move)
        beta, expected = node.beta, node.expected
        depth = node.depth if self._is_extended(node, move) else node.depth - 1

        def search(alpha: int, beta: int, expected: Expected) -> int:
            below = Node(child, -beta, -alpha, depth, node.ply + 1, expected)
            return -self._search(below)

        if first:
            return search(alpha, beta, Expected(-expected))
        score = search(alpha, alpha + 1, _sibling(expected))
        closed = expected is Expected.PV and score == beta == alpha + 1
        if alpha < score < beta or (2 in self._additions and closed):
            lower = score if alpha < score < beta else alpha
            if 3 in self._additions and score == alpha + 1:
                lower = alpha
            self.counts[NodeCount.AGAIN] += 1
            score = search(lower, beta, expected)
        return score

    def _is_extended(self, node: Node, move: chess.Move) -> bool:
        board, extension = node.board, self._extension
        capped = Extension.UNCAPPED not in extension
        if capped and node.ply + node.depth >= 2 * self._iteration_depth:
            return False
        if move.promotion and Extension.PROMOTIONS in extension:
            return True
        if not board.gives_check(move):
            return False
        return Extension.CHECKS in extension or (
            Extension.CAPTURING_CHECKS in extension and board.is_capture(move)
        )

    def _make(self, board: chess.Board, move: chess.Move) -> chess.Board:
        self.counts[NodeCount.MOVES] += 1
        child = board.copy(stack=False)
        child.push(move)
        return from_whites_side(child)


def _sibling(expected: Expected) -> Expected:
    """Return the expected type of a child after the first."""
    return Expected.ALL if expected is Expected.CUT else Expected.CUT


def _clip_like_vipermate(node: Node) -> int | None:
    mated = node.ply - MATE
    if node.alpha < mated:
        node.alpha = mated
    elif node.beta > -mated:
        node.beta = -mated
    return node.alpha if node.alpha >= node.beta else None


def _answers(entry: Entry, node: Node) -> bool:
    if node.ply == 0 or node.expected is Expected.PV or entry.depth < node.depth:
        return False
    return (
        entry.bound is Bound.EXACT
        or (entry.bound is Bound.LOWER and entry.score >= node.beta)
        or (entry.bound is Bound.UPPER and entry.score <= node.alpha)
    )


def _from_here(score: int, ply: int) -> int:
    """Make a mate score relative to `ply` instead of the root."""
    if abs(score) < MATE_ZONE:
        return score
    return score + ply if score > 0 else score - ply


def _from_root(score: int, ply: int) -> int:
    """Make a mate score relative to the root instead of `ply`."""
    if abs(score) < MATE_ZONE:
        return score
    return score - ply if score > 0 else score + ply
