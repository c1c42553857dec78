"""The laboratory's search: alpha-beta with mate scores and switchable techniques.

`Laboratory` searches one position at a time, deepening ply by ply, each time from an
empty transposition table. Limits count moves made, null moves included; the results
count the nodes that `Techniques.count` selects. `Runner` runs searches one after the
other under the same limits, and can stop them.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from solver import errors, problem, solving
from solver.board import pack_board, unpack_move
from solver.kernel.border import interface, parts, scored_struct
from solver.kernel.build.loader import load_part
from solver.laboratory.techniques import (
    MAX_DEPTH,
    Iteration,
    NodeCount,
    Outcome,
    excludes_shorter,
    is_mate,
    mate_distance,
)
from solver.search.threads import WATCHDOG, Control, GroupControl, run_stoppable
from solver.search.workspaces import BUCKET_BYTES, allocate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import chess

    from solver.kernel.border.search_struct import PositionStruct
    from solver.laboratory.imbalance import ImbalanceTable
    from solver.laboratory.techniques import Techniques


DEFAULT_TABLE_ENTRIES = 1 << 18
LEAST_ENTRIES = 4
ENTRY_BYTES = BUCKET_BYTES // LEAST_ENTRIES

WIDENING = 4
WIDEST_MARGIN = 2_000
"""A wider root window is replaced by the full one."""

PROOF_NODES = 20_000_000
PROOF_HASH_MIB = 16


class Laboratory:
    """An alpha-beta search with its own memory, for one position at a time.

    Parameters
    ----------
    table_entries : int
        Size of the transposition table, a power of two; 0: none.
    imbalance : ImbalanceTable, optional
        The table that material-imbalance pruning reads; by default the shipped one.

    Attributes
    ----------
    search : Search
        The memory that the kernel works in. Each iteration begins its log, if it has
        one, anew.

    Raises
    ------
    InputError
        If `table_entries` is neither 0 nor a power of two from 4 on.
    """

    def __init__(
        self,
        table_entries: int = DEFAULT_TABLE_ENTRIES,
        imbalance: ImbalanceTable | None = None,
    ) -> None:
        no_power = table_entries & (table_entries - 1)
        if table_entries and (table_entries < LEAST_ENTRIES or no_power):
            errors.refuse(
                f"table entries: expected 0 or a power of two from {LEAST_ENTRIES} on",
                table_entries,
            )
        self._kernel = load_part(parts.LABORATORY).kernel
        self.search = interface.new_search(buckets=table_entries // LEAST_ENTRIES)
        self._experiment = scored_struct.Experiment()
        self._imbalance = imbalance
        self._words: dict[tuple[scored_struct.MipUse, int], list[bytes]] = {}
        self._count = NodeCount.MOVES
        self._roots = 0
        size = max(table_entries, LEAST_ENTRIES) * ENTRY_BYTES
        self._memory = allocate(size, "--table-entries")
        self.search.table = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))

    def deepen(
        self,
        board: chess.Board,
        techniques: Techniques,
        depth: int,
        *,
        nodes: int | None = None,
        control: Control | None = None,
        confirm: bool = True,
    ) -> Iterator[Iteration]:
        """Search 1, 2, 3, ... plies deep.

        Parameters
        ----------
        board : chess.Board
        techniques : Techniques
        depth : int
            The deepest iteration, 1 to `MAX_DEPTH`.
        nodes : int, optional
            Stop after so many moves made, not counting the prover's.
        control : Control, optional
            Stops the search; an incomplete iteration is not yielded.
        confirm : bool
            If the search is unsound, let the prover check each mate that it finds.

        Yields
        ------
        Iteration

        Raises
        ------
        InputError
            If the depth is out of range.
        """
        if not 1 <= depth <= MAX_DEPTH:
            errors.refuse(f"depth: expected 1 to {MAX_DEPTH} plies", depth)
        self._begin(techniques, nodes)
        self._load_cells(techniques, white_first=board.turn)
        proofs: dict[int, int | None] = {}
        control = control or Control()
        position = pack_board(board)
        experiment = self._experiment
        margin = 0
        for experiment.depth in range(1, depth + 1):
            control.attach(self.search)  # the prover may have attached its own
            if not self._iterate(position, margin):
                return
            margin = 0 if is_mate(experiment.score) else techniques.aspiration
            mate = mate_distance(experiment.score)
            proved, settled = True, False
            if mate is not None and techniques.is_sound:
                seen = techniques.plies_seen(experiment.depth)
                settled = excludes_shorter(mate, seen)
            elif mate is not None:
                if confirm and mate not in proofs:
                    proofs[mate] = prove_mate(board, mate, PROOF_NODES, control)
                shortest = proofs.get(mate)
                proved, settled = shortest is not None, shortest == mate
            move = experiment.pv_move
            yield Iteration(
                experiment.depth,
                experiment.score,
                unpack_move(board, move).uci() if move else "",
                self._counted(to_pv=True),
                self._counted(),
                proved,
                settled,
            )

    def find_mate(
        self, iterations: Iterable[Iteration], techniques: Techniques, depth: int
    ) -> Outcome:
        """Run iterations until a mate is found and the depth excludes a shorter one.

        Parameters
        ----------
        iterations : iterable of Iteration
            From `deepen`, with these techniques and this depth.
        techniques : Techniques
        depth : int
        """
        mate, nodes_to_mate, last = None, 0, None
        is_over = False
        for last in iterations:
            distance = mate_distance(last.score)
            if distance != mate:
                mate, nodes_to_mate = distance, last.nodes
            seen = techniques.plies_seen(last.depth)
            is_over = mate is not None and excludes_shorter(mate, seen)
            if is_over:
                break
        if last is None:
            last = Iteration(0, 0, "", 0, self._counted())
        return Outcome(
            mate,
            settled=last.settled,
            proved=mate is not None and last.proved,
            nodes=nodes_to_mate,
            nodes_total=self._counted(),
            complete=is_over or last.depth == depth,
        )

    def _counted(self, *, to_pv: bool = False) -> int:
        """Return the nodes so far, or until the principal variation was found."""
        counts = self._experiment
        if self._count is NodeCount.INTERIOR:
            return int(counts.pv_interior if to_pv else counts.interior)
        nodes = int(counts.pv_nodes if to_pv else self.search.nodes)
        extra = int(counts.pv_extra_calls if to_pv else counts.extra_calls)
        if self._count is NodeCount.AGAIN:  # without a move, this root is not counted
            return max(0, extra - self._roots)
        return nodes + extra if self._count is NodeCount.CALLS else nodes

    def _begin(self, techniques: Techniques, nodes: int | None) -> None:
        """Set the techniques and clear the memory of the last search."""
        search, experiment = self.search, self._experiment
        search.nodes = 0
        search.node_limit = interface.NO_LIMIT if nodes is None else nodes
        for memory in (search.killers, search.history, experiment.root_nodes):
            ctypes.memset(memory, 0, ctypes.sizeof(memory))
        ctypes.memset(self.search.table, 0, len(self._memory))
        experiment.extra_calls = experiment.interior = experiment.pv_move = 0
        self._roots = 0

        self._count = techniques.count
        for name, number in techniques.fields.items():
            setattr(experiment, name, number)

    def _load_cells(self, techniques: Techniques, *, white_first: bool) -> None:
        """Copy the material table, as both sides see it, into the kernel."""
        if techniques.mip is scored_struct.MipUse.NONE:
            return
        from solver.laboratory.imbalance import FORMS, shipped

        form, weight = techniques.mip & FORMS, 0
        if form & scored_struct.MipUse.CURVE:
            weight, self._experiment.mip_positions = techniques.mip_positions, 1
        if (form, weight) not in self._words:
            self._imbalance = self._imbalance or shipped()
            both = self._imbalance.search_words(form, weight)
            self._words[form, weight] = [words.tobytes() for words in both]
        sides = self._words[form, weight][:: 1 if white_first else -1]
        cells = self._experiment.cells
        ctypes.memmove(cells, b"".join(sides), ctypes.sizeof(cells))

    def _iterate(self, position: PositionStruct, margin: int) -> bool:
        """Search the root in a window around the last score; False if a limit was hit.

        A score outside the window is a bound on the true score, so it becomes the other
        end of the next window. If both ends fail, the search contradicts itself, which
        unsound techniques and deeper table entries allow; the next window is then the
        full one.
        """
        experiment = self._experiment
        experiment.last_best = experiment.pv_move
        self.search.log_size = self.search.log_cuts = 0
        size = ctypes.sizeof(experiment.root_nodes)
        ctypes.memmove(experiment.last_nodes, experiment.root_nodes, size)
        ctypes.memset(experiment.root_nodes, 0, size)
        centre = experiment.score
        alpha, beta = _window(centre, margin)
        failed_low = failed_high = False
        while True:
            experiment.alpha, experiment.beta = alpha, beta
            self._roots += 1
            if not self._kernel.search_score(position, self.search, experiment):
                return False
            score = experiment.score
            if alpha < score < beta:
                return True
            failed_low |= score <= alpha
            failed_high |= score >= beta
            margin = _widened(margin, abs(score - centre))
            alpha, beta = _window(centre, margin)
            if failed_low and failed_high:
                alpha, beta = _window(centre, 0)
            elif failed_low:
                beta = score + 1
            else:
                alpha = score - 1


def _widened(margin: int, distance: int) -> int:
    """Widen a margin, at least once, until it includes a score at this distance."""
    margin *= WIDENING
    while 0 < margin <= min(distance, WIDEST_MARGIN):
        margin *= WIDENING
    return margin


def _window(centre: int, margin: int) -> tuple[int, int]:
    """Return alpha and beta: the full window if the margin is 0 or too wide."""
    if not 0 < margin <= WIDEST_MARGIN:
        return -scored_struct.INFINITE_SCORE, scored_struct.INFINITE_SCORE
    return centre - margin, centre + margin


def prove_mate(
    board: chess.Board, mate: int, nodes: int, control: Control | None = None
) -> int | None:
    """Let the prover search for a mate that the laboratory's search has found.

    The answer depends only on the position, not on earlier searches.

    Parameters
    ----------
    board : chess.Board
    mate : int
        In so many moves; negative when the side to move is mated.
    nodes : int
        What the prover may spend.
    control : Control, optional
        Stops the prover.

    Returns
    -------
    int or None
        The shortest mate, at most `mate` moves long; None if none was proved.
    """
    if mate == 0:  # the position itself is mate
        return mate
    solver, limits = solving.Solver(PROOF_HASH_MIB), problem.Limits(nodes=nodes)
    asked = problem.Problem(board.fen())
    found = solver.solve(asked, limits, within=mate, keys=False, control=control)
    return found.mate


class Runner(GroupControl):
    """Runs each search under the same limits, in another thread, until it is stopped.

    The caller's thread stays free to receive Ctrl-C.

    Parameters
    ----------
    laboratory : Laboratory
    nodes : int, optional
        Stops each search after so many nodes.
    time_s : float, optional
        Stops each search after so many seconds.
    """

    def __init__(
        self,
        laboratory: Laboratory,
        *,
        nodes: int | None = None,
        time_s: float | None = None,
    ) -> None:
        super().__init__()
        self._laboratory = laboratory
        self._node_limit = nodes
        self._time_s = time_s
        self._control = Control()

    @property
    def nodes(self) -> int:
        """Nodes of the running search so far."""
        return self._control.nodes

    def deepen(
        self, board: chess.Board, techniques: Techniques, depth: int
    ) -> Iterator[Iteration]:
        """Search 1, 2, 3, ... up to `depth` plies, or until a limit is hit."""
        with self.search() as control, WATCHDOG.limit(control, self._time_s):
            self._control = control
            iterations = self._laboratory.deepen(
                board, techniques, depth, nodes=self._node_limit, control=control
            )
            while iteration := run_stoppable(lambda: next(iterations, None), control):
                yield iteration

    def find_mate(
        self, board: chess.Board, techniques: Techniques, depth: int
    ) -> Outcome | None:
        """Search for a mate; None if the runner was stopped first."""
        iterations = self.deepen(board, techniques, depth)
        outcome = self._laboratory.find_mate(iterations, techniques, depth)
        return None if self.is_stopped() else outcome
