"""One problem as a `Question`, as the kernel's `Query`, and as a `Solution`."""

from __future__ import annotations

import ctypes
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import InputError, refusal
from solver.kernel.border.interface import NO_LIMIT
from solver.kernel.border.parts import SEARCH
from solver.kernel.border.query_struct import (
    MOST_TEXT,
    Answer,
    FenFault,
    Query,
    QueryState,
    Turn,
)
from solver.kernel.border.search_struct import PositionStruct, Stop
from solver.kernel.build.loader import load_part
from solver.position_text import (
    SQUARE_BITS,
    GivenPosition,
    column_of,
    load_fen,
    own_memory,
    read_position,
    read_query,
    set_texts,
    uci_line,
    uci_move,
)
from solver.problem import (
    MAX_MOVES,
    Limits,
    Problem,
    Restriction,
    length,
    require_bool,
    require_instance,
    require_moves,
    signed_length,
)
from solver.search.threads import load_search
from solver.solution import Solution, Stats, Status, StoppedBy

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    import chess

    from solver.kernel.border.interface import Kernel
    from solver.search.threads import Control
    from solver.search.workspaces import Workspace


# --------------------------------------------------------------------------------------
# The question of a search: who mates whom, in how many moves, by which first moves.


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
    position: PositionStruct
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
    def position(self) -> PositionStruct:
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
            keys=self.all_keys,
            restriction=self.restriction,
            root_moves=self.root_moves,
        )


def read_question(  # noqa: PLR0913 -- each is one part of the question
    problem: Problem | str | chess.Board,
    limits: Limits | None = None,
    *,
    moves: str | Sequence[str] = "",
    repair: bool = False,
    max_moves: int | None = None,
    within: int | None = None,
    keys: bool = True,
    restriction: Restriction | None = None,
    root_moves: str | Sequence[str] | None = None,
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
    require_bool("repair", repair)
    moves = require_moves("moves", moves)
    problem, setup = _set_up(problem, moves, repair=repair)
    limits = Limits() if limits is None else limits
    require_instance("limits", limits, Limits, "Limits or None")
    if max_moves is not None:
        max_moves = length("max_moves", max_moves)
        if limits.max_moves not in {None, max_moves}:
            name = "max_moves"
            raise refusal(name, f"{limits.max_moves} as in limits", max_moves)
        limits = replace(limits, max_moves=max_moves)
    if within is not None:
        within = signed_length("within", within)
    require_bool("keys", keys)
    if restriction is not None:
        require_instance(
            "restriction", restriction, Restriction, "a Restriction or None"
        )
        restriction = None if restriction.is_open else restriction
    if root_moves is not None:
        name = "root_moves"
        text = require_moves(name, root_moves)
        root_moves = GivenPosition(setup.fen).keys(name, text)
        if not root_moves:
            raise refusal(name, "at least one move", text)

    given = {"within": within, "restriction": restriction, "root_moves": root_moves}
    for name in problem.stipulation.unused_arguments:
        if given[name] is not None:
            expected = f"None with the stipulation {problem.stipulation}"
            raise refusal(name, expected, given[name])
    question = Question(problem, limits, within, keys, restriction, root_moves)
    vars(question)["_setup"] = setup  # it has just been read
    return question


def is_attacking(
    problem: Problem, position: PositionStruct, within: int | None = None
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


def _set_up(
    problem: Problem | str | chess.Board, moves: str, *, repair: bool
) -> tuple[Problem, Setup]:
    """Read a position in any of the forms that `solve` takes."""
    if isinstance(problem, Problem):
        if moves:
            name = "moves"
            raise refusal(name, "none with a Problem", moves)
        black = not problem.stipulation.white_begins
        if repair:
            given = read_position(problem.fen, repair=True, black=black)
            warnings = (*problem.warnings, *given.warnings)
            problem = replace(problem, fen=given.fen, warnings=warnings)
        setup = _read_problem(problem)
        is_whole = problem.fen == setup.fen
        return problem if is_whole else replace(problem, fen=setup.fen), setup
    fen, warnings = fen_of("problem", problem), ()
    if moves or read_query(fen) is None:
        given = read_position(fen, moves, repair=repair)
        fen, warnings = given.fen, given.warnings
    setup = _read(fen, idle_en_passant=False)
    return Problem(setup.fen, warnings=warnings), setup


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
    memory = load_fen(fen, black=black)
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


def fen_of(name: str, position: object) -> str:
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


# --------------------------------------------------------------------------------------
# From a `Question` to the `Query` that the kernel searches, and back to a `Solution`.
#
# The kernel advances a query turn by turn; see `solver.kernel.mate.turns`. One call
# reads, sets up, searches and answers thousands of queries, without a Python object for
# each.

QUERY_TEXT = 256
"""Average bytes of text for a query; FEN, line and keys of a mate in two take half of
it. Queries that need more are answered in several calls."""

ALONE_FROM = 100_000
"""Nodes after which a call for many queries returns one to its caller, which can limit
its time and start helper threads."""

STATUSES = {
    Answer.PROVED: Status.PROVED,
    Answer.FOUND: Status.FOUND,
    Answer.DISPROVED: Status.DISPROVED,
    Answer.UNDECIDED: Status.UNDECIDED,
}


class Answered(NamedTuple):
    """Queries of a batch that were answered together, or one that was answered alone.

    Attributes
    ----------
    first, end : int
        They are those from `first` on, before `end`.
    node_s : float
        Seconds of searching for each of their nodes.
    solution : Solution or None
        The answer of one alone; None: the queries have the answers, and `Batch.text`
        their texts.
    """

    first: int
    end: int
    node_s: float
    solution: Solution | None = None


class Batch(ABC):
    """Problems to search together: their queries, and the memory for their texts.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    size : int
        The number of problems.

    Attributes
    ----------
    rows : array of Query
        A query for each problem.
    """

    def __init__(self, workspace: Workspace, size: int) -> None:
        self.rows = (Query * size)()
        self._workspace = workspace
        self._text = ctypes.create_string_buffer(size * QUERY_TEXT + MOST_TEXT)

    @abstractmethod
    def read(self) -> None:
        """Set up the queries: READ, or REFUSED if a position cannot be read."""

    @abstractmethod
    def question(self, index: int) -> Question:
        """Return the question of a query that is READ."""

    def fill(self, rows: Iterable[bytes]) -> None:
        """Set the queries: one for each text, which has all bytes of a query."""
        ctypes.memmove(self.rows, b"".join(rows), ctypes.sizeof(self.rows))

    def column(self, name: str) -> memoryview[int]:
        """Return a field of all queries, an int64, which may be set."""
        return column_of(self.rows, name)

    def read_texts(self, first: int, end: int) -> None:
        """Read the positions of the queries from `first` on, before `end`."""
        workspace = self._workspace
        self.use_text()
        workspace.kernel.read_rows(self.rows, workspace.search, first, end)

    def solve(self, first: int) -> int:
        """Search the queries from `first` on in one call, until one is left to go on.

        Returns
        -------
        int
            The query that is left; see `Kernel.solve_queries`.
        """
        workspace, search = self._workspace, self._workspace.search
        self.use_text()
        kernel, size = workspace.kernel, len(self.rows)
        end = kernel.solve_queries(self.rows, search, first, size)
        # Only an interrupt cuts an answer short, and no query begins after it.
        if search.stop >= Stop.INTERRUPT and end > first and self.rows[end - 1].is_cut:
            end -= 1
            ask(self.rows[end], self.question(end))
            self.rows[end].state, self.rows[end].alone_from = QueryState.READ, 0
        return end

    def turns(self, index: int, kernel: Kernel, control: Control) -> Iterator[None]:
        """Take the turns of a query until it is answered; yield wherever one pauses.

        Parameters
        ----------
        index : int
            The query: READ, or OPEN after a turn.
        kernel : Kernel
            The part that takes the turns: the search for mates, or battle play.
        control : Control
            Receives the bounds.
        """
        query, search = self.rows[index], self._workspace.search
        self.use_text()
        lines_read = 0
        turn = Turn.PAUSES if query.state == QueryState.OPEN else Turn.GOES_ON
        while turn is not Turn.ENDS:
            if turn is Turn.PAUSES:
                yield
            turn = kernel.take_turn(query, search)
            control.lower_bound = query.lower[0]
            if query.lines_read != lines_read:
                lines_read = query.lines_read
                control.best = best_line(query, search.lines)

    def use_text(self) -> None:
        """Let the kernel write texts from here on."""
        search = self._workspace.search
        search.text = ctypes.addressof(self._text)
        search.text_size = len(self._text)
        search.text_written = 0

    def text(self) -> bytes:
        """Return the texts that the kernel has written, in ASCII."""
        written = memoryview(self._text)[: self._workspace.search.text_written]
        return written.tobytes()

    def nodes(self, first: int, end: int) -> int:
        """Return the nodes of the queries from `first` on, before `end`, together."""
        return sum(self.column("nodes")[first:end])


class Problems(Batch):
    """Problems to search together; their time limits are the same.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    problems : sequence of Problem
        Their positions need not have been read.

    Attributes
    ----------
    problems : list of Problem
        Once read, their FENs have six fields.
    kinds : sequence
        A hashable value for each; what is asked about those with the same value is the
        same.
    """

    def __init__(self, workspace: Workspace, problems: Sequence[Problem]) -> None:
        super().__init__(workspace, len(problems))
        self.problems = [*problems]
        self.kinds: Sequence[Hashable] = range(len(problems))
        self._fens = b""

    def read(self) -> None:
        """Set up the queries.

        Raises
        ------
        FenError
            A position is not legal.
        """
        # 1. The questions.
        problems = self.problems
        asked: dict[Hashable, Query] = {}
        for index, kind in enumerate(self.kinds):
            if kind not in asked:
                query = asked[kind] = self.rows[index]
                query.black = not problems[index].stipulation.white_begins
                ask(query, self.question(index))
        if len(asked) < len(problems):
            texts = {kind: bytes(query) for kind, query in asked.items()}
            self.fill(map(texts.__getitem__, self.kinds))
        if len(problems) == 1:  # its caller hears of each bound
            self.rows[0].alone_from = 0

        # 2. The positions.
        fens = [problem.fen.encode(errors="surrogatepass") for problem in problems]
        self._fens = set_texts(self.rows, "fen", fens)
        self.read_texts(0, len(fens))

        states = self.column("state").tolist()
        if QueryState.REFUSED in states:
            from solver.fen_faults import explain

            index = states.index(QueryState.REFUSED)
            problem, fault = problems[index], FenFault(self.rows[index].fen_fault)
            raise explain(problem.fen, fault, problem.stipulation.white_begins)

        text = self.text()
        if text != self._fens:
            for index, query in enumerate(self.rows):
                fen = text[query.fen_at : query.fen_at + query.fen_written]
                if fen != fens[index]:
                    problems[index] = replace(problems[index], fen=str(fen, "ascii"))


class Questions(Problems):
    """Questions to search together; their time limits are the same.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    questions : sequence of Question
        Their positions need not have been read.
    """

    def __init__(self, workspace: Workspace, questions: Sequence[Question]) -> None:
        super().__init__(workspace, [question.problem for question in questions])
        self._questions = [*questions]
        self._root_moves: list[ctypes.Array[ctypes.c_uint64]] = []

    def read(self) -> None:
        """Set up the queries; see `Problems`."""
        super().read()
        for index, (problem, question) in enumerate(
            zip(self.problems, self._questions, strict=True)
        ):
            if problem is not question.problem:
                self._questions[index] = replace(question, problem=problem)
            if question.root_moves is not None:
                self._choose(self.rows[index], question)

    def question(self, index: int) -> Question:
        """Return a question, with a FEN of six fields once it is read."""
        return self._questions[index]

    def solutions(self, answered: Answered) -> list[Solution]:
        """Return the answers to queries."""
        first, end, node_s, alone = answered
        text = self.text()
        queries = zip(self.problems[first:end], self.rows[first:end], strict=True)
        return [
            alone or solution_of(problem, query, text, node_s * query.nodes)
            for problem, query in queries
        ]

    def _choose(self, query: Query, question: Question) -> None:
        """Write the root moves of a question into its query."""
        kernel, search = self._workspace.kernel, self._workspace.search
        position, black = PositionStruct.from_buffer(query), bool(query.black)
        words = kernel.moves(position, search)
        wanted = question.root_moves or ()
        chosen = [w for w in words if uci_move(position, w, black=black) in wanted]
        memory = (ctypes.c_uint64 * len(chosen))(*chosen)
        self._root_moves.append(memory)
        query.root_moves, query.root_count = ctypes.addressof(memory), len(chosen)


def ask(query: Query, question: Question) -> None:
    """Write a question into its query, without its root moves."""
    nodes = question.limits.nodes
    is_mate = question.problem.stipulation.is_direct_mate
    has_all_moves = question.restriction is None and question.root_moves is None
    query.attacking = question.named_attacker
    query.most_moves = question.most_moves
    query.any_length = question.any_length
    query.expected = question.expected or 0
    query.all_keys = question.all_keys
    query.root_moves = query.nodes = query.first_budget = 0
    query.node_limit = NO_LIMIT if nodes is None else nodes
    query.alone_from = ALONE_FROM if is_mate and has_all_moves else 0


def best_line(
    query: Query, lines: Sequence[Sequence[int]]
) -> tuple[int, tuple[str, ...]] | None:
    """Return the shortest mate of an open query, and its line in UCI notation.

    The mate is negative when the side to move is mated.
    """
    for side, plies in enumerate(query.line_plies):
        if plies:
            position = PositionStruct.from_buffer(query)  # the first of its fields
            line = uci_line(position, lines[side][:plies], black=bool(query.black))
            is_attackers = query.attacking and not side
            return query.upper[side] * (1 if is_attackers else -1), line
    return None


def solution_of(
    problem: Problem, query: Query, text: bytes, time_s: float = 0.0
) -> Solution:
    """Return the answer of a query; NODES means that some limit was hit.

    Parameters
    ----------
    problem : Problem
        The query's problem, with a FEN of six fields.
    query : Query
        ANSWERED.
    text : bytes
        The texts of the answers.
    time_s : float
        Seconds of searching.
    """
    pv = words_in(text, query.pv_at, query.pv_written)
    keys = words_in(text, query.keys_at, query.keys_written)
    mate: int | None = query.mate
    if query.mate < 0:
        mate = None
    elif not query.attacking:
        mate = -query.mate
    return Solution(
        problem,
        STATUSES[query.status],
        mate,
        query.lower_bound,
        pv=pv,
        keys=keys or pv[: query.attacking],
        keys_complete=bool(query.keys_complete),
        stopped_by=StoppedBy.NODES if query.is_cut else None,
        stats=Stats(query.nodes, time_s),
    )


def words_in(text: bytes, at: int, size: int) -> tuple[str, ...]:
    """Return the words in `size` bytes of a text from `at` on."""
    return tuple(text[at : at + size].decode("ascii").split())
