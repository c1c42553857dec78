"""What a search has to answer: who mates whom, in how many moves, with which moves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import chess

from solver.board import pack, parse_fen
from solver.errors import InputError
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_stored
from solver.problem import (
    Limits,
    Problem,
    Restriction,
    refusal,
    require_bool,
    require_instance,
    require_strings,
    signed_length,
)
from solver.stipulation import MAX_MOVES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.kernel.border.memory import Position
    from solver.stipulation import Stipulation


@dataclass(frozen=True, slots=True)
class Question:
    """A problem that has been read and checked, ready to be searched.

    Attributes
    ----------
    problem : Problem
        The problem; its FEN has six fields.
    board : chess.Board
        The position. Threads share it, so nobody plays moves on it.
    position : Position
        The same position, packed for the kernel.
    limits : Limits
        What the search may cost.
    attacking : bool
        Whether the side to move is the attacker; otherwise it is the defender.
    both_sides : bool
        The caller did not say who attacks, so being mated is an answer as well.
    most_moves : int
        The longest mate to search for, in attacker's moves; with a stipulation, its
        number.
    any_length : bool
        Any mate within `most_moves` is an answer; otherwise the shortest is wanted.
    expected : int or None
        The length of the mate that the source claims, in attacker's moves.
    all_keys : bool
        Whether to find all keys of a proved mate.
    restriction : Restriction or None
        The restriction of the attacker; None: it may play every legal move.
    root_moves : tuple of str or None
        The attacker's first moves to search, in UCI notation; None: all.
    """

    problem: Problem
    board: chess.Board
    position: Position
    limits: Limits
    attacking: bool
    both_sides: bool
    most_moves: int
    any_length: bool = False
    expected: int | None = None
    all_keys: bool = True
    restriction: Restriction | None = None
    root_moves: tuple[str, ...] | None = None

    @property
    def is_battle(self) -> bool:
        """Whether it is a stipulation of two opponents other than the direct mate."""
        stipulation = self.problem.stipulation
        return not (stipulation.is_direct_mate or stipulation.is_help)

    @property
    def is_hopeless(self) -> bool:
        """Whether the attacker has only its king, and so never mates."""
        if self.is_battle:
            return False
        attacker = self.board.turn if self.attacking else not self.board.turn
        return _has_bare_king(self.board, attacker)


class Asked(NamedTuple):
    """A problem of a batch, with the arguments of `Solver.solve`.

    Attributes
    ----------
    problem : Problem
    limits : Limits
    within : int or None
    """

    problem: Problem
    limits: Limits
    within: int | None = None

    @property
    def attacking(self) -> int:
        """Whether the side to move attacks, 0 or 1; -1: nobody says."""
        moves = _named_length(self.problem, self.within)
        return -1 if moves is None else int(moves > 0)

    @property
    def most_moves(self) -> int:
        """The longest mate to search for."""
        most = self.limits.max_moves if self.within is None else abs(self.within)
        return MAX_MOVES if most is None else most

    @property
    def expected(self) -> int:
        """The claimed length; 0: none."""
        return abs(self.problem.claim.mate) if self.problem.claim else 0


def read_question(
    problem: Problem | str | chess.Board,
    limits: Limits | None = None,
    *,
    within: int | None = None,
    all_keys: bool = True,
    restriction: Restriction | None = None,
    root_moves: Sequence[str] | None = None,
) -> Question:
    """Check the arguments of `solve`, and set up the position.

    See `solver.solve` for the parameters.

    Raises
    ------
    FenError
        The position is not legal.
    InputError
        The position is one of another variant, an argument has the wrong type or is
        out of range, or a root move is not legal.
    """
    load_stored(SEARCH)  # reads the FEN, and is needed anyway
    problem, board = _set_up(problem)
    limits = Limits() if limits is None else limits
    require_instance("limits", limits, Limits, "Limits or None")
    if within is not None:
        within = signed_length("within", within)
    require_bool("all_keys", all_keys)
    if restriction is not None:
        require_instance(
            "restriction", restriction, Restriction, "a Restriction or None"
        )
        restriction = None if restriction.is_open else restriction
    if root_moves is not None:
        root_moves = _legal_moves(board, root_moves)

    stipulation = problem.stipulation
    if stipulation.is_help:
        _require_none(within=within, restriction=restriction, root_moves=root_moves)
    attacking = is_attacking(problem, board, within)
    nobody_named = within is None and not problem.claim and problem.no_mate is None
    most = limits.max_moves if within is None else abs(within)
    if stipulation.has_number:
        most = stipulation.attacker_moves
        _refuse_beside(stipulation, "within", within)
        if not stipulation.is_direct_mate:
            _refuse_beside(stipulation, "restriction", restriction)
    return Question(
        problem=problem,
        board=board,
        position=pack(board),
        limits=limits,
        attacking=attacking,
        both_sides=(
            nobody_named
            and attacking
            and restriction is None
            and not _has_bare_king(board, not board.turn)
        ),
        most_moves=MAX_MOVES if most is None else most,
        any_length=within is not None,
        expected=abs(problem.claim.mate) if problem.claim else None,
        all_keys=all_keys,
        restriction=restriction,
        root_moves=root_moves,
    )


def is_attacking(
    problem: Problem, board: chess.Board, within: int | None = None
) -> bool:
    """Return whether the side to move is the attacker.

    The sign of `within`, or else of the source's claim, decides. Without either, the
    side to move attacks unless it has only its king and the other side has more.
    """
    moves = _named_length(problem, within)
    if moves is not None:
        return moves > 0
    return not _has_bare_king(board, board.turn) or _has_bare_king(
        board, not board.turn
    )


def _named_length(problem: Problem, within: int | None) -> int | None:
    """Return the length, or the claimed one, whose sign says who attacks."""
    if within is not None:
        return within
    return problem.claim.mate if problem.claim else problem.no_mate


def _refuse_beside(stipulation: Stipulation, name: str, value: object) -> None:
    """Refuse an argument that has no meaning beside a stipulation."""
    if value is not None:
        raise refusal(name, f"None with the stipulation {stipulation}", value)


def _has_bare_king(board: chess.Board, color: chess.Color) -> bool:
    return chess.popcount(board.occupied_co[color]) == 1


def _set_up(problem: Problem | str | chess.Board) -> tuple[Problem, chess.Board]:
    """Read a position in any of the forms that `solve` takes."""
    if isinstance(problem, Problem):
        board = parse_fen(problem.fen, problem.stipulation.white_begins)
        fen = board.fen(en_passant="fen")
        return problem if problem.fen == fen else replace(problem, fen=fen), board
    if isinstance(problem, chess.Board):
        if problem.uci_variant != "chess" or problem.chess960:
            found = "Chess960" if problem.chess960 else type(problem).__name__
            msg = f"problem: expected a board of orthodox chess, found one of {found}"
            raise InputError(msg)
        problem = problem.fen()
    expected = "a FEN, a chess.Board or a Problem"
    board = parse_fen(require_instance("problem", problem, str, expected))
    return Problem(board.fen()), board


def _require_none(**arguments: object) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise refusal(name, "None in help play", value)


def _legal_moves(board: chess.Board, root_moves: Sequence[str]) -> tuple[str, ...]:
    """Return the root moves as a tuple; refuse an empty one and illegal moves."""
    expected = "legal moves in UCI notation"
    moves = require_strings("root_moves", root_moves, expected)
    legal = {move.uci() for move in board.legal_moves}
    wrong = [move for move in moves if move not in legal]
    if wrong or not moves:
        found = repr(wrong[0]) if wrong else "none"
        msg = f"root_moves: expected {expected}, found {found}"
        raise InputError(msg)
    return moves
