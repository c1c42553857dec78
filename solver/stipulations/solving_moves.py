"""The moves that solve: replies by force, solutions of help play, its final positions.

They are found in a search's memory, by calls that are short enough to be stopped.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from solver import position_text, solution
from solver.certificate import build
from solver.errors import BuildingStoppedError
from solver.kernel.border import parts, search_struct
from solver.kernel.build.loader import load_part
from solver.problem import Claim, Goal
from solver.search import workspaces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.kernel.border.interface import Kernel
    from solver.search.queries import Question
    from solver.search.threads import Budget, Control

# Play by force: lists of moves that are proved

Answer = TypeVar("Answer", int, list[int])


class Replies:
    """Calls the kernel in slices, so that the clock is checked in between.

    Parameters
    ----------
    workspace : Workspace
        The memory of the search. Its node limit holds for all answers together.
    budget : Budget
        Its time limits all answers together.
    kernel : Kernel
        The part of the kernel that searches the play.

    Notes
    -----
    Each method raises TooLargeError when the time is over, and BuildingStoppedError
    when the search was stopped or is out of nodes.
    """

    def __init__(
        self, workspace: workspaces.Workspace, budget: Budget, kernel: Kernel
    ) -> None:
        self._workspace = workspace
        self._search = workspace.search
        self._kernel = kernel
        self._budget = budget
        self._node_limit: int = self._search.node_limit
        self._with_threats = partial(kernel.list_continuations, threats=True)
        self._without_threats = partial(kernel.list_continuations, threats=False)

    def solving_moves(
        self, position: search_struct.PositionStruct, moves: int
    ) -> list[int]:
        """Return the attacker's moves that reach the goal within `moves`."""
        return self._ask(self._kernel.solving_moves, position, moves)

    def refutations(
        self, position: search_struct.PositionStruct, moves: int, most: int
    ) -> list[int]:
        """Return at most `most` replies after which the attacker fails in `moves`."""
        return self._ask(self._kernel.refutations, position, moves, most)

    def has_tries(self, position: search_struct.PositionStruct, moves: int) -> bool:
        """Return whether a move of the attacker that does not solve can be a try."""
        return self._kernel.has_tries(position, self._search, moves)

    def list_after(
        self, position: search_struct.PositionStruct, moves: int, *, threats: bool
    ) -> int:
        """List each reply with the shortest continuations of at most `moves`.

        With `threats` the null move comes first, unless the defender is in check, must
        reach the goal of reflex play, or `moves` is 0.

        Returns
        -------
        int
            The length of the list; see `Kernel.write_level`.
        """
        question = self._with_threats if threats else self._without_threats
        return self._ask(question, position, moves)

    def _ask(
        self,
        question: Callable[..., Answer | None],
        position: search_struct.PositionStruct,
        *numbers: int,
    ) -> Answer:
        search, nodes = self._search, build.FIRST_SLICE_NODES
        while True:
            search.node_limit = min(search.nodes + nodes, self._node_limit)
            answer = question(position, search, *numbers)
            search.node_limit = self._node_limit
            if answer is not None:
                return answer
            if self._workspace.is_exhausted:
                raise BuildingStoppedError
            self._budget.check_time()
            nodes = min(2 * nodes, build.SLICE_NODES)


# The final positions of help play: their memory, and when to list them
#
# Listing pays if it takes less time than the search without a list. How long each takes
# shows only when it is done, so the two take turns, and each gets as much as both have
# had. At worst, that takes a constant times as long as the better of the two.

MOST_NETS = 1 << 18
LISTS = 16
"""A list for each ply has room if the plies are fewer, or the nets."""

NODES_BEFORE = 8_000
"""A search of fewer nodes is over before a list would be made."""

SHORT_PLIES = 6
STEPS_BY_NODE = 1
MORE_STEPS_BY_NODE = 32
"""For mates within this many plies, and for other problems, for which a search without
nets takes longer. A step takes as long as a node, or less."""

NODES_BY_NET = 4
"""A list is used after this many nodes for each net: a long one slows the search
down."""


def make_nets(*, is_stalemate: bool) -> search_struct.Nets:
    """Return memory for nets; the system provides it as it is used.

    Raises
    ------
    AllocationError
        The system does not have that much memory.
    """
    sizes = {
        "needs": 4 * search_struct.NEED_WORDS,
        "codes": 2 * search_struct.MOST_SLOTS * MOST_NETS,
        "clear": 8 * MOST_NETS,
        "entries": 8 * LISTS * MOST_NETS,
    }
    memory = workspaces.allocate(sum(sizes.values()), "help play", "final positions")
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    nets = search_struct.Nets(most=MOST_NETS, is_stalemate=is_stalemate)
    nets.memory = memory  # lives as long
    for name, size in sizes.items():
        setattr(nets, name, address)
        address += size
    return nets


class NetList:
    """The nets of one question, listed for one length of its solutions at a time.

    Parameters
    ----------
    kernel : Kernel
        The part for help play.
    is_stalemate : bool
        The goal is stalemate instead of mate.
    """

    def __init__(self, kernel: Kernel, *, is_stalemate: bool) -> None:
        self._kernel = kernel
        self._nets: search_struct.Nets | None = None
        self._is_stalemate = is_stalemate
        self._steps = 0
        self._plies = 0
        self._overfull = 0

    def list(self, play: search_struct.HelpPlay, search: search_struct.Search) -> None:
        """List the nets of an enumeration if that may pay; it then uses them.

        Parameters
        ----------
        play : HelpPlay
            Has no list.
        search : Search
            Has counted the nodes of the question so far.
        """
        nodes = search.nodes
        is_too_long = (
            play.plies > 2 * search_struct.MOST_NET_MOVES
            or play.plies == self._overfull
        )
        if nodes < NODES_BEFORE or is_too_long:
            return
        position = search_struct.PositionStruct.from_buffer_copy(play.positions[0])
        sides: list[int] = [position.us, position.them]
        if max(pieces.bit_count() for pieces in sides) > search_struct.MOST_PIECES:
            return
        if self._nets is None:
            self._nets = make_nets(is_stalemate=self._is_stalemate)
            self._nets.set_up(position, is_attacking=play.plies % 2 == 1)
        nets = self._nets
        address = ctypes.addressof(nets)
        if self._plies != play.plies:
            is_short = play.plies <= SHORT_PLIES and not self._is_stalemate
            rate = STEPS_BY_NODE if is_short else MORE_STEPS_BY_NODE
            nets.budget = rate * nodes + self._steps
            play.nets = address
            is_complete = self._kernel.list_nets(play, search)
            play.nets = 0
            has_room = nets.size * (play.plies + 1) <= LISTS * MOST_NETS
            if nets.is_full or not has_room:
                self._overfull = play.plies
            if not is_complete or not has_room:
                return
            self._plies = play.plies
            self._steps += nets.steps
        if nets.size * NODES_BY_NET <= nodes:
            play.nets = address

    def progress(
        self, play: search_struct.HelpPlay, search: search_struct.Search
    ) -> tuple[int, int] | None:
        """Return how many nets are done, and all; None without a list."""
        if self._nets is None or not play.nets or play.ply < 0:
            return None
        size = self._nets.size
        return size - self._kernel.nets_left(play, search), size


# Help play: every solution of a problem in which both sides help each other
#
# As in Popeye, shorter solutions count too, unless the length must be exact; a problem
# with a shorter solution has a flaw. They are searched for first, so the shortest
# solution is proved before a longer one is found.

GROWTH = 2
MOST_SLICE_NODES = 1_000_000
"""The search pauses after ever more nodes, at most this many, to list the final
positions or to show progress."""

Line = tuple[str, ...]
"""The moves of a solution, in UCI notation and play order."""


def search_solutions(
    workspace: workspaces.Workspace, question: Question, control: Control
) -> solution.Solution:
    """Find all solutions of a help stipulation; see `Genre.list_solutions`.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    question : Question
        Its stipulation is one of help play. `limits.max_solutions` and
        `limits.max_moves` apply.
    control : Control
        Receives each new bound.
    """
    enumeration = Enumeration(workspace, question)
    solutions = []
    for lines in enumeration.pieces():
        solutions += lines
        control.lower_bound = enumeration.lower_bound
        control.detail = enumeration.progress()
        if solutions:
            control.best = (_attacker_moves(solutions[0]), solutions[0])
    complete = enumeration.stopped_by is None
    mate = _attacker_moves(solutions[0]) if solutions else None
    if mate is None:
        status = solution.Status.DISPROVED if complete else solution.Status.UNDECIDED
    else:
        status = solution.Status.PROVED if complete else solution.Status.FOUND
    return solution.Solution(
        question.problem,
        status,
        mate,
        enumeration.lower_bound if mate is None else mate,
        pv=solutions[0] if solutions else (),
        stopped_by=enumeration.stopped_by,
        solutions=tuple(solutions),
        solutions_complete=complete,
    )


def set_play(question: Question) -> Question | None:
    """Return the question of the set play: the other side begins with one ply less.

    The set play of `h#n` is `h#(n-1).5`, that of `h#n.5` is `h#n`.

    Returns
    -------
    Question or None
        A question for `Solver.answer`; None if there is no set play, because the side
        to move is in check, which it would leave unanswered, or no ply is left.
    """
    stipulation = question.problem.stipulation
    if not stipulation.is_help:
        msg = f"expected help play, found {stipulation}"
        raise ValueError(msg)
    shorter = stipulation.without_first_move()
    if shorter is None or question.board.is_check():
        return None
    board = question.board.copy(stack=False)
    board.turn = not board.turn
    board.ep_square = None
    problem = replace(
        question.problem,
        fen=board.fen(),
        stipulation=shorter,
        claim=Claim(shorter.attacker_moves),
    )
    return replace(question, problem=problem)


class Enumeration:
    """The solutions of a question, shortest first, in pieces to save memory.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs; its last search is forgotten.
    question : Question
        Its stipulation is one of help play.

    Attributes
    ----------
    lower_bound : int
        No solution has fewer moves of the side that ends the play: proved so far.
    stopped_by : StoppedBy or None
        After the pieces: why the enumeration ended early. NODES stands for any limit
        on the search.
    """

    def __init__(self, workspace: workspaces.Workspace, question: Question) -> None:
        stipulation = question.problem.stipulation
        self.stopped_by: solution.StoppedBy | None = None
        self._kernel = load_part(parts.HELP).kernel
        self._workspace = workspace
        self._question = question
        self._is_stalemate = stipulation.goal is Goal.STALEMATE
        moves = stipulation.attacker_moves
        if question.limits.max_moves is not None:
            moves = min(moves, question.limits.max_moves)
        first = stipulation.attacker_moves if stipulation.exact else 1
        self.lower_bound = first
        self._lengths = [2 * n - stipulation.half for n in range(first, moves + 1)]
        self._left = question.limits.max_solutions
        self._nets = NetList(self._kernel, is_stalemate=self._is_stalemate)
        self._play: search_struct.HelpPlay | None = None
        workspace.begin(question.limits.nodes)

    def pieces(self) -> Iterator[list[Line]]:
        """Yield the solutions in pieces, some of them empty."""
        for plies in self._lengths:
            if self._left == 0:
                self.stopped_by = solution.StoppedBy.SOLUTIONS
                return
            yield from self._of_length(plies)
            if self.stopped_by:
                return
            self.lower_bound += 1

    def progress(self) -> str:
        """Return how many final positions are done, for people to read."""
        if self._play is None:
            return ""
        found = self._nets.progress(self._play, self._workspace.search)
        return f"{found[0]:,} of {found[1]:,} final positions done" if found else ""

    def _of_length(self, plies: int) -> Iterator[list[Line]]:
        workspace, question = self._workspace, self._question
        search = workspace.search
        play = self._play = search_struct.HelpPlay.of(
            question.position, plies, is_stalemate=self._is_stalemate
        )
        self._nets.list(play, search)
        slice_nodes = NODES_BEFORE
        state = search_struct.HelpState.PAUSED
        while state is not search_struct.HelpState.COMPLETE:
            with workspace.budget(slice_nodes):
                lines, state = self._kernel.solutions(play, search, self._left)
            yield [
                position_text.uci_line(question.position, line, black=question.black)
                for line in lines
            ]
            if workspace.is_exhausted and state is search_struct.HelpState.STOPPED:
                self.stopped_by = solution.StoppedBy.NODES
                return
            if self._left is not None:
                self._left -= len(lines)
                if self._left == 0 and state is not search_struct.HelpState.COMPLETE:
                    self.stopped_by = solution.StoppedBy.SOLUTIONS
                    return
            if state is not search_struct.HelpState.STOPPED:
                continue
            if not play.nets:
                self._nets.list(play, search)
            slice_nodes = min(GROWTH * slice_nodes, MOST_SLICE_NODES)


def _attacker_moves(line: Line) -> int:
    return (len(line) + 1) // 2
