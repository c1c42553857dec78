"""The question of a search: who mates whom, in how many moves, by which first moves."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import InputError, refusal
from solver.kernel.border.parts import SEARCH
from solver.kernel.build.loader import load_part
from solver.position_text import SQUARE_BITS, own_memory, read_fen, uci_move
from solver.problem import (
    Limits,
    Problem,
    Restriction,
    require_bool,
    require_instance,
    require_strings,
    signed_length,
)
from solver.search.threads import load_search
from solver.stipulation import MAX_MOVES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

    from solver.kernel.border.memory import Position


class Setup(NamedTuple):
    """A position that was read.

    Attributes
    ----------
    fen : str
        Its FEN, with six fields.
    position : Position
        The same for the kernel, seen by the side to move.
    black : bool
        Whether Black is to move.
    """

    fen: str
    position: Position
    black: bool


@dataclass(frozen=True)
class Question:
    """A problem, and how it is to be searched.

    `read_question` checks everything. A caller with many well-formed problems makes
    questions directly; their positions are then read when they are needed.

    Attributes
    ----------
    problem : Problem
        The problem; once read, its FEN has six fields.
    limits : Limits
        What the search may cost.
    within : int or None
        The longest mate of which any is an answer; negative: the side to move is mated.
        None: the shortest mate is wanted.
    all_keys : bool
        Whether to find all keys of a proved mate.
    restriction : Restriction or None
        The restriction of the attacker; None: it may play every legal move.
    root_moves : tuple of str or None
        The attacker's first moves to search, in UCI notation; None: all.
    """

    problem: Problem
    limits: Limits
    within: int | None = None
    all_keys: bool = True
    restriction: Restriction | None = None
    root_moves: tuple[str, ...] | None = None

    @cached_property
    def board(self) -> chess.Board:
        """The position. Threads share it, so no moves are played on it.

        Most searches do not need it, so that python-chess is not imported for them.

        Raises
        ------
        FenError
            The position is not legal.
        """
        from solver.board import parse_fen

        return parse_fen(self.problem.fen, self.problem.stipulation.white_begins)

    @cached_property
    def _setup(self) -> Setup:
        return _read_problem(self.problem)

    @property
    def position(self) -> Position:
        """The position, packed for the kernel; see `board` for errors."""
        return self._setup.position

    @property
    def black(self) -> bool:
        """Whether Black is to move."""
        return self._setup.black

    @property
    def named_attacker(self) -> int:
        """Whether the side to move attacks, 0 or 1; -1 if the question does not say."""
        moves = _named_length(self.problem, self.within)
        return -1 if moves is None else int(moves > 0)

    @property
    def attacking(self) -> bool:
        """Whether the side to move is the attacker; otherwise it is the defender."""
        return is_attacking(self.problem, self.position, self.within)

    @property
    def both_sides(self) -> bool:
        """Whether being mated is also an answer: the caller did not say who attacks.

        With a restriction the attacker is known.
        """
        return (
            self.named_attacker < 0
            and self.attacking
            and self.restriction is None
            and not _is_bare_king(self.position.them)
        )

    @property
    def most_moves(self) -> int:
        """The longest mate to search for, in attacker's moves."""
        most = self.limits.max_moves if self.within is None else abs(self.within)
        demanded = self.problem.stipulation.attacker_moves
        return demanded or (MAX_MOVES if most is None else most)

    @property
    def any_length(self) -> bool:
        """Any mate within `most_moves` is an answer."""
        return self.within is not None

    @property
    def expected(self) -> int | None:
        """The length of the mate that the source claims, in attacker's moves."""
        claim = self.problem.claim
        return abs(claim.mate) if claim else None

    def read(self) -> Question:
        """Check everything, and read the position; see `read_question`."""
        return read_question(
            self.problem,
            self.limits,
            within=self.within,
            all_keys=self.all_keys,
            restriction=self.restriction,
            root_moves=self.root_moves,
        )


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
    load_search()
    problem, setup = _set_up(problem)
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
        root_moves = _legal_moves(setup, root_moves)

    given = {"within": within, "restriction": restriction, "root_moves": root_moves}
    for name in problem.stipulation.unused_arguments:
        if given[name] is not None:
            expected = f"None with the stipulation {problem.stipulation}"
            raise refusal(name, expected, given[name])
    question = Question(problem, limits, within, all_keys, restriction, root_moves)
    vars(question)["_setup"] = setup  # it has just been read
    return question


def is_attacking(
    problem: Problem, position: Position, within: int | None = None
) -> bool:
    """Return whether the side to move is the attacker.

    The sign of `within` decides. If `within` is None, the sign of the source's claim
    decides. Without a claim, the side to move attacks, unless it has only its king and
    the other side has more.
    """
    moves = _named_length(problem, within)
    if moves is not None:
        return moves > 0
    return not _is_bare_king(position.us) or _is_bare_king(position.them)


def _named_length(problem: Problem, within: int | None) -> int | None:
    """Return the length, or the claimed one; the sign says who attacks."""
    if within is not None:
        return within
    return problem.claim.mate if problem.claim else problem.no_mate


def _is_bare_king(side: int) -> bool:
    """Return whether the pieces of a side, a bitboard, are its king alone."""
    return side.bit_count() == 1


def _set_up(problem: Problem | str | chess.Board) -> tuple[Problem, Setup]:
    """Read a position in any of the forms that `solve` takes."""
    if isinstance(problem, Problem):
        setup = _read_problem(problem)
        is_whole = problem.fen == setup.fen
        return problem if is_whole else replace(problem, fen=setup.fen), setup
    setup = _read(read_text("problem", problem), idle_en_passant=False)
    return Problem(setup.fen), setup


def _read_problem(problem: Problem) -> Setup:
    return _read(problem.fen, black=not problem.stipulation.white_begins)


def _read(fen: str, *, black: bool = False, idle_en_passant: bool = True) -> Setup:
    """Read a FEN.

    Parameters
    ----------
    fen : str
    black : bool
        Whether Black is to move if the FEN does not say.
    idle_en_passant : bool
        Whether to keep an en passant square that no legal move captures on.

    Raises
    ------
    FenError
        The position is not legal.
    """
    memory = read_fen(fen, black=black)
    setup = Setup(memory.texts()[0], memory.position(), bool(memory.query.black))
    if idle_en_passant:
        return setup
    return setup._replace(fen=_without_idle_en_passant(setup))


def _without_idle_en_passant(setup: Setup) -> str:
    """Return a FEN without an en passant square that no legal move captures on."""
    *others, square, clock, number = setup.fen.split()
    moves = _list_moves(setup) if square != "-" else {}
    pawns = setup.position.pawns
    if any(
        uci[2:4] == square and pawns >> (word & SQUARE_BITS) & 1
        for uci, word in moves.items()
    ):
        return setup.fen
    return " ".join((*others, "-", clock, number))


def _list_moves(setup: Setup) -> dict[str, int]:
    """Return the legal moves by their names in UCI notation."""
    position, black = setup.position, setup.black
    words = load_part(SEARCH).kernel.moves(position, own_memory().search)
    return {uci_move(position, word, black=black): word for word in words}


def read_text(name: str, position: object) -> str:
    """Return the FEN of a position: a `chess.Board`, or a text.

    Raises
    ------
    InputError
        It is neither, or a board of another game than orthodox chess.
    """
    # Without this class, or while another thread still loads it, there is no board.
    board = getattr(sys.modules.get("chess"), "Board", None)
    if board is not None and isinstance(position, board):
        if position.uci_variant != "chess" or position.chess960:
            found = "Chess960" if position.chess960 else type(position).__name__
            msg = f"{name}: expected a board of orthodox chess, found one of {found}"
            raise InputError(msg)
        fen: str = position.fen()
        return fen
    expected = "a FEN, a chess.Board or a Problem"
    return require_instance(name, position, str, expected)


def _legal_moves(setup: Setup, root_moves: Sequence[str]) -> tuple[str, ...]:
    """Return the root moves as a tuple; refuse an empty one and illegal moves."""
    expected = "legal moves in UCI notation"
    moves = require_strings("root_moves", root_moves, expected)
    legal = _list_moves(setup)
    wrong = [move for move in moves if move not in legal]
    if wrong or not moves:
        found = repr(wrong[0]) if wrong else "none"
        msg = f"root_moves: expected {expected}, found {found}"
        raise InputError(msg)
    return moves
