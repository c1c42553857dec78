"""The laboratory's search, written from its definition with python-chess.

Every position is flipped so that White is to move. A mate is scored by its ply;
stalemate is 0. Repetition, the fifty-move rule and insufficient material do not end a
game.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from math import floor
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
from tests.oracles.minimax import WORTH, evaluate

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from solver.laboratory.techniques import Techniques

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


class Entry(NamedTuple):
    """An entry of the table; `bound` is "<=", "==" or ">=", as the true score compares.

    Mate scores are relative to its position.
    """

    depth: int
    score: int
    bound: str
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


# Positions, with White to move, and moves

ARRIVALS = dict(zip(chess.PIECE_TYPES, (1, 2, 4, 8, 12, 16), strict=True))


def from_whites_side(board: chess.Board) -> chess.Board:
    """Return the position as the side to move sees it."""
    return board.mirror() if board.turn == chess.BLACK else board.copy(stack=False)


def move_word(board: chess.Board, move: chess.Move) -> int:
    """Return the number that orders moves of equal worth; White is to move."""
    arriving = move.promotion or board.piece_type_at(move.from_square)
    assert arriving is not None
    return move.from_square | move.to_square << 6 | ARRIVALS[arriving] << 12


def generated(board: chess.Board, move: chess.Move) -> tuple[int, ...]:
    """Return the place of a move among the generated ones; White is to move.

    King; pawns: one step, two steps, captures to the left and to the right, each with
    promotions last (queen, knight, rook, bishop), then en passant; knights; moves along
    diagonals; moves along files and ranks. Then by origin and target, of the king and
    of pawns, but en passant, by target alone.
    """
    start, end = move.from_square, move.to_square
    kind = board.piece_type_at(start)
    if kind == chess.KING:
        return 0, end
    if kind == chess.PAWN:
        if board.is_en_passant(move):
            return 5, start
        way = {8: 1, 16: 2, 7: 3, 9: 4}[end - start]
        promotions = (None, chess.QUEEN, chess.KNIGHT, chess.ROOK, chess.BISHOP)
        order = promotions.index(move.promotion)
        return way, order > 0, end, order
    if kind == chess.KNIGHT:
        return 6, start, end
    files = chess.square_file(start) != chess.square_file(end)
    ranks = chess.square_rank(start) != chess.square_rank(end)
    return (7 if files and ranks else 8), start, end


def is_capture_or_promotion(board: chess.Board, move: chess.Move) -> bool:
    return move.promotion is not None or board.is_capture(move)


def victim(board: chess.Board, move: chess.Move) -> int:
    if board.is_en_passant(move):
        return chess.PAWN
    return board.piece_type_at(move.to_square) or 0


def identity(board: chess.Board) -> Hashable:
    """Return all of a position that its moves depend on; White is to move."""
    passing = board.ep_square if board.has_pseudo_legal_en_passant() else None
    kinds = board.pawns, board.knights, board.bishops, board.rooks, board.queens
    return *kinds, board.kings, board.occupied_co[True], board.castling_rights, passing


def uci_of(move: chess.Move | None, turn: chess.Color) -> str:
    """Write a move as it is in the game; empty without one."""
    if move is None:
        return ""
    flip = 0 if turn == chess.WHITE else 56
    start, end = move.from_square ^ flip, move.to_square ^ flip
    return chess.Move(start, end, move.promotion).uci()


# What material has scored: White's results by its name, such as KRPvKR

PAWNS = {"Q": 9, "R": 5, "B": 3, "N": 3, "P": 1, "K": 0}
MOST = {"Q": 1, "R": 2, "B": 2, "N": 2, "P": 8, "K": 1}


class Counts(NamedTuple):
    """Positions from games that White won, drew and lost."""

    won: int
    drawn: int
    lost: int


NONE = Counts(0, 0, 0)


class PastScores:
    """The scores that one search reads."""

    def __init__(self, counts: Mapping[str, Counts], techniques: Techniques) -> None:
        self._counts = counts
        self._use = techniques.mip
        self._positions = techniques.mip_positions

    def per_cent(self, board: chess.Board, *, is_white: bool) -> int | None:
        """Return what the side to move, shown as White, has scored, if it is known."""
        ours, theirs = pieces(board, chess.WHITE), pieces(board, chess.BLACK)
        worths = [sum(PAWNS[piece] for piece in side) for side in (ours, theirs)]
        if abs(worths[0] - worths[1]) <= 1 or any(
            side.count(piece) > most
            for side in (ours, theirs)
            for piece, most in MOST.items()
        ):
            return None
        known = self._counts.get(f"{ours}v{theirs}", NONE)
        other = self._counts.get(f"{theirs}v{ours}", NONE)
        if MipUse.WHITE not in self._use:
            both = zip(known, reversed(other), strict=True)
            return self._score(Counts(*map(sum, both)))
        if is_white:
            return self._score(known)
        score = self._score(other)
        return None if score is None else 100 - score

    def _score(self, counts: Counts) -> int | None:
        number = sum(counts)
        if number == 0:
            return None
        score = 100 * Fraction(2 * counts.won + counts.drawn, 2 * number)
        if MipUse.CURVE in self._use:
            trust = Fraction(number, number + self._positions)
            return rounded(50 + (score - 50) * trust)
        if number < self._positions:
            return None
        if MipUse.ROUNDED in self._use or score in {0, 100}:
            return rounded(score)
        return min(max(rounded(score), 1), 99)


def pieces(board: chess.Board, color: chess.Color) -> str:
    """Return the letters of a side's pieces, the king's first."""
    kinds = zip("KQRBNP", reversed(chess.PIECE_TYPES), strict=True)
    return "".join(letter * len(board.pieces(kind, color)) for letter, kind in kinds)


def rounded(number: Fraction) -> int:
    """Round to the nearest whole number, halves up."""
    return floor(number + Fraction(1, 2))


# The search


class ScoredSearch:
    """One run of deepening iterations and the memory that they share."""

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
        self._chosen = techniques
        self._last_best: chess.Move | None = None
        self._last_trees: dict[chess.Move, int] = {}
        self._trees: dict[chess.Move, int] = {}
        self._past = PastScores(counts or {}, techniques)
        self._white_first = True
        self._prunable = {
            PrunedNodes.NONE: (),
            PrunedNodes.CUT: (Expected.CUT,),
            PrunedNodes.ALL: (Expected.ALL,),
            PrunedNodes.CUT_AND_ALL: (Expected.CUT, Expected.ALL),
        }[techniques.pruned_nodes]
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
            self._found = (self.counts[self._chosen.count], None)
            self._trees = dict.fromkeys(root.legal_moves, 0)
            score = self._search(
                Node(root, -INFINITY, INFINITY, self._iteration_depth, 0, Expected.PV)
            )
            nodes, move = self._found
            self._last_best, self._last_trees = move, self._trees
            total = self.counts[self._chosen.count]
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
            if MipUse.PRUNING in self._chosen.mip:
                return evaluate(node.board) + (DECIDED if past else -DECIDED)
            if MipUse.REDUCTION in self._chosen.mip:
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
        if not (4 in self._chosen.additions and uncertain):
            self._remember(node, best, best_move or hint)
        return best

    # Material

    def _past_score(self, node: Node) -> int | None:
        if self._chosen.mip is MipUse.NONE:
            return None
        return self._past.per_cent(node.board, is_white=self._is_white(node))

    def _is_white(self, node: Node) -> bool:
        """Whether White is to move in the game."""
        return self._white_first == (node.ply % 2 == 0)

    def _evaluate(self, node: Node) -> int:
        past = self._past_score(node)
        if past is None or not self._chosen.mip & (MipUse.LAZY | MipUse.CORRECTION):
            return evaluate(node.board)
        known = evaluate(node.board)
        if MipUse.LAZY in self._chosen.mip:
            known = sum(
                WORTH[piece.symbol().lower()] * (1 if piece.color else -1)
                for piece in node.board.piece_map().values()
            )
        return known + PER_CENT * (past - 50)

    def _key(self, node: Node) -> Hashable:
        """Return what a position's score depends on: with White's view, the colours."""
        key = identity(node.board)
        return (key, self._is_white(node)) if MipUse.WHITE in self._chosen.mip else key

    # The horizon

    def _score_horizon(self, node: Node) -> int:
        if self._chosen.horizon is Horizon.QUIESCENCE:
            return self._quiesce(node)
        if self._chosen.horizon is Horizon.MATE and node.board.is_checkmate():
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
        if self._chosen.mdp is Mdp.VIPERMATE:
            return _clip_like_vipermate(node) if node.ply > 0 else None
        if self._chosen.mdp is Mdp.TIGHT and node.ply > 0:
            mating -= 1
        if self._chosen.mdp in {Mdp.UPPER, Mdp.CPW, Mdp.TIGHT}:
            node.beta = min(node.beta, mating)
            if node.alpha >= mating:
                return mating
        if self._chosen.mdp in {Mdp.LOWER, Mdp.CPW, Mdp.TIGHT}:
            node.alpha = max(node.alpha, mated)
            if node.beta <= mated:
                return mated
        return None

    # The table

    def _recall(self, node: Node) -> Entry | None:
        if self._table is None:
            return None
        entry = self._table.get(self._key(node))
        return entry and entry._replace(score=_moved(entry.score, -node.ply))

    def _remember(self, node: Node, best: int, move: chess.Move | None) -> None:
        if self._table is None:
            return
        bound = "<=" if best <= node.alpha else ">=" if best >= node.beta else "=="
        score = _moved(best, node.ply)
        self._table[self._key(node)] = Entry(node.depth, score, bound, move)

    # The order of moves

    def _in_order(self, node: Node, hint: chess.Move | None) -> list[chess.Move]:
        def worth(move: chess.Move) -> tuple[int, int]:
            return self._worth(move, node, hint), move_word(node.board, move)

        def tree(move: chess.Move) -> tuple[bool, int, int]:
            nodes = self._last_trees[move]
            return move == self._last_best, nodes, move_word(node.board, move)

        moves = list(node.board.legal_moves)
        if node.ply == 0 and self._chosen.root_order is RootOrder.GENERATED:
            moves.sort(key=lambda move: (move != hint, generated(node.board, move)))
        elif (
            node.ply == 0
            and self._chosen.root_order is RootOrder.NODES
            and self._last_best
        ):
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
        reduction = self._chosen.null_reduction
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
        if self._chosen.cuts == 0 or node.depth <= MULTI_CUT_REDUCTION:
            return None
        cuts = 0
        for move in moves[: self._chosen.tries]:
            score = self._test(node, move, node.depth - 1 - MULTI_CUT_REDUCTION)
            cuts += score >= node.beta
            if cuts == self._chosen.cuts:
                return self._pruned(node, score)
        return None

    def _pruned(self, node: Node, score: int) -> int:
        return node.beta if 1 in self._chosen.additions else score

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
                self._found = (self.counts[self._chosen.count], move)
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
        if alpha < score < beta or (2 in self._chosen.additions and closed):
            lower = score if alpha < score < beta else alpha
            if 3 in self._chosen.additions and score == alpha + 1:
                lower = alpha
            self.counts[NodeCount.AGAIN] += 1
            score = search(lower, beta, expected)
        return score

    def _is_extended(self, node: Node, move: chess.Move) -> bool:
        board, extension = node.board, self._chosen.extension
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
    window = {"<=": entry.score <= node.alpha, ">=": entry.score >= node.beta}
    return window.get(entry.bound, True)


def _moved(score: int, plies: int) -> int:
    """Make a mate score relative to a position so many plies later."""
    if abs(score) < MATE_ZONE:
        return score
    return score + plies if score > 0 else score - plies
