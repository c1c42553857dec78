"""Games of the laboratory's search: openings, moves, results.

The search sees neither repetitions nor the fifty-move rule, so the player avoids a
repetition where another move wins too. A game depends on its opening and the players'
settings alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import chess.pgn

from solver.laboratory.results import MAX_DEPTH, mate_distance
from solver.laboratory.search import Laboratory, prove_mate

if TYPE_CHECKING:
    import random
    from collections.abc import Hashable

    from solver.laboratory.results import Iteration
    from solver.laboratory.techniques import Techniques
    from solver.search.threads import Control

TABLE_ENTRIES = 1 << 14

WHITE_WINS, BLACK_WINS, DRAW = "1-0", "0-1", "1/2-1/2"
UNFINISHED = "*"
THREEFOLD = 3
FIFTY_MOVES_PLIES = 100

PROOF_NODES = 100_000
"""What the prover may spend on a mate that a player has seen."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How games are played.

    Attributes
    ----------
    depth : int or None
        Plies searched for each move; None: as many as `nodes` allows.
    nodes : int or None
        Stops the search for a move after so many nodes; the last complete iteration
        counts. None: no limit.
    opening_plies : int
        Random moves at the start of each game.
    most_plies : int
        A longer game is stopped with the result `*`.
    """

    depth: int | None = None
    nodes: int | None = None
    opening_plies: int = 8
    most_plies: int = 400

    def __str__(self) -> str:
        if self.nodes is None:
            return f"depth {self.depth}"
        return f"{self.nodes} nodes a move"


class Game:
    """A game in progress.

    Parameters
    ----------
    board : chess.Board
        The opening, with its moves; the game goes on with this board.

    Attributes
    ----------
    board : chess.Board
    """

    def __init__(self, board: chess.Board) -> None:
        self.board = board
        self._met: Counter[Hashable] = Counter()
        opening = board.copy()
        while True:
            self._met[_identity(opening)] += 1
            if not opening.move_stack:
                break
            opening.pop()

    def push(self, move: chess.Move) -> None:
        """Play a move."""
        self.board.push(move)
        self._met[_identity(self.board)] += 1

    def repeats(self, move: chess.Move) -> bool:
        """Return whether a move leads to a position that has occurred."""
        self.board.push(move)
        repeats = _identity(self.board) in self._met
        self.board.pop()
        return repeats

    def result(self) -> str:
        """Return the result; a draw by repetition or by fifty moves needs no claim."""
        board = self.board
        if not any(board.generate_legal_moves()):
            if not board.is_check():
                return DRAW
            return BLACK_WINS if board.turn else WHITE_WINS
        if (
            self._met[_identity(board)] >= THREEFOLD
            or board.halfmove_clock >= FIFTY_MOVES_PLIES
            or board.is_insufficient_material()
        ):
            return DRAW
        return UNFINISHED


def _identity(board: chess.Board) -> Hashable:
    """Return what two positions share if they are the same for a repetition.

    The checker has the same key, and shares no code with the rest of the program.
    """
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.clean_castling_rights(),
        board.ep_square if board.has_legal_en_passant() else None,
    )


class Player:
    """Plays one side with one setting of the search.

    Parameters
    ----------
    techniques : Techniques
    rules : Rules
    control : Control
        Stops the search for a move.
    table_entries : int
        Size of the transposition table, which is empty at each move.

    Attributes
    ----------
    mate : int or None
        The mate in so many moves that the last search saw, for either side.
    """

    def __init__(
        self,
        techniques: Techniques,
        rules: Rules,
        control: Control,
        table_entries: int = TABLE_ENTRIES,
    ) -> None:
        self._laboratory = Laboratory(table_entries)
        self._techniques = techniques
        self._depth = MAX_DEPTH if rules.depth is None else rules.depth
        self._nodes = rules.nodes
        self._control = control
        self.mate: int | None = None

    def choose(self, game: Game) -> chess.Move | None:
        """Return the best move, but avoid a repetition if another move also wins.

        None: the control has stopped the search.
        """
        board = game.board
        best = self.search(board, self._depth, self._nodes)
        if self._control.reason:
            return None
        self.mate = mate_distance(best.score) if best else None
        if best is None:  # too few nodes for a single iteration
            return min(board.legal_moves, key=chess.Move.uci)
        move = chess.Move.from_uci(best.move)
        if best.score <= 0 or not game.repeats(move):
            return move
        others = [other for other in board.legal_moves if not game.repeats(other)]
        share = self._nodes and max(1, self._nodes // max(1, len(others)))
        scored = []
        for other in others:
            board.push(other)
            reply = self.search(board, max(self._depth - 1, 1), share)
            board.pop()
            if self._control.reason:
                return None
            if reply:
                scored.append((-reply.score, other.uci()))
        score, uci = max(scored, default=(0, ""))
        return chess.Move.from_uci(uci) if score > 0 else move

    def search(
        self, board: chess.Board, depth: int, nodes: int | None
    ) -> Iteration | None:
        """Return the last iteration, None without one.

        An iteration that finds the shortest mate is the last.
        """
        last = None
        for last in self._laboratory.deepen(
            board,
            self._techniques,
            depth,
            nodes=nodes,
            control=self._control,
            confirm=False,
        ):
            if last.is_shortest:
                break
        return last

    def proves_mate(self, board: chess.Board) -> bool:
        """Return whether the prover confirms the mate that the last search saw."""
        return (
            self.mate is not None
            and self.mate > 0
            and prove_mate(board, self.mate, PROOF_NODES, self._control) is not None
        )


def open_game(chance: random.Random, plies: int) -> chess.Board:
    """Play random moves that do not end the game."""
    while True:
        board = chess.Board()
        for _ in range(plies):
            board.push(chance.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
        else:
            return board


def write_game(board: chess.Board, headers: dict[str, str], comment: str = "") -> str:
    """Write a game as PGN, with a line feed at the end.

    Parameters
    ----------
    board : chess.Board
        Its last position, with all moves.
    headers : dict
        Tags to add, or to replace.
    comment : str
        A comment on the last move.
    """
    game = chess.pgn.Game.from_board(board)
    game.headers["Site"] = "matesolve"
    game.headers["Date"] = "????.??.??"
    game.headers.update(headers)
    game.end().comment = comment
    return f"{game}\n"
