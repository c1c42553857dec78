"""Audit one problem, and find what explains a claim that fails."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from solver import errors, position_text, solving
from solver.audit import results
from solver.problem import MATE, MEGABYTE, Limits, Problem
from solver.search import follow, threads
from solver.search.queries import Answered, Problems, Question, solution_of
from solver.solution import Solution, StoppedBy
from solver.stipulations import Soundness, Verdict, genre_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import chess

    from solver.endgames.tablebases import Tablebases
    from solver.search.workspaces import Workspace


# --------------------------------------------------------------------------------------
# What explains a claim that fails: a convention with which it holds, or a longer mate.
#
# A composition may begin with an en passant capture, or deny a right to castle, because
# no game leads to its position otherwise; many files do not say so, and some give the
# wrong side to move. `variants` are the same problem with each such convention.

FARTHER_NODES = 1_000_000
"""What the search for a longer mate than claimed may cost: less than half a second."""

HINTED = "solves as claimed "
"""The beginning of a hint."""

_CASTLING = {
    "h1": "White's castling (O-O)",
    "a1": "White's castling (O-O-O)",
    "h8": "Black's castling (O-O)",
    "a8": "Black's castling (O-O-O)",
    "a1 h1": "White's castling",
    "a8 h8": "Black's castling",
}
"""Corners whose rooks may castle, and what they lose."""


def variants(problem: Problem) -> Iterator[tuple[str, Problem]]:
    """Yield the problem with other rights: en passant, castling, the side to move.

    Yields
    ------
    tuple of str and Problem
        The convention in words, and the problem that follows it.
    """
    import chess

    board = position_text.GivenPosition(problem.fen).board
    for square in _skipped(board):
        ways = board.copy(stack=False)
        ways.ep_square = square
        if ways.has_legal_en_passant():
            yield from _legal(
                problem, ways, f"with en passant on {chess.square_name(square)}"
            )
    for corners, words in _CASTLING.items():
        mask = int(chess.SquareSet(map(chess.parse_square, corners.split())))
        if board.castling_rights & mask == mask:
            ways = board.copy(stack=False)
            ways.castling_rights &= ~mask
            yield from _legal(problem, ways, f"without {words}")
    claim = problem.claim
    has_moves = claim and (claim.keys or claim.line)  # which are legal for this side
    if genre_of(problem.stipulation).has_certificates and not has_moves:
        ways = board.copy(stack=False)
        ways.turn, ways.ep_square = not board.turn, None
        side = chess.COLOR_NAMES[ways.turn].capitalize()
        yield from _legal(problem, ways, f"with {side} to move")


def _skipped(board: chess.Board) -> Iterator[chess.Square]:
    """Yield the squares that a pawn may just have skipped, but not the FEN's own.

    No one could capture on most of them.
    """
    import chess

    behind = -8 if board.turn == chess.BLACK else 8
    rank = chess.BB_RANK_4 if board.turn == chess.BLACK else chess.BB_RANK_5
    for pawn in chess.scan_forward(
        board.pawns & board.occupied_co[not board.turn] & rank
    ):
        skipped, start = pawn + behind, pawn + 2 * behind
        is_free = not board.occupied & (
            chess.BB_SQUARES[skipped] | chess.BB_SQUARES[start]
        )
        if is_free and skipped != board.ep_square:
            yield skipped


def _legal(
    problem: Problem, board: chess.Board, words: str
) -> Iterator[tuple[str, Problem]]:
    """Yield a variant unless its position is illegal."""
    try:
        fen = position_text.GivenPosition(board.fen(en_passant="fen")).fen
    except errors.InputError:
        return
    yield words, replace(problem, fen=fen)


def farther(question: Question) -> Question:
    """Return the question whether there is a longer mate than claimed.

    Parameters
    ----------
    question : Question
        About a claim of a mate that is refuted.
    """
    problem, limits = question.problem, question.limits
    nodes = min(limits.nodes or FARTHER_NODES, FARTHER_NODES)
    return Question(
        replace(problem, stipulation=MATE),
        replace(limits, max_moves=None, nodes=nodes),
        all_keys=question.all_keys,
    )


def solves_as_claimed(answer: Solution, *, within: bool) -> bool:
    """Return whether a claim holds exactly, its length and keys included.

    Parameters
    ----------
    answer : Solution
        The answer to a variant.
    within : bool
        See `find_verdict`.
    """
    verdict = results.find_verdict(answer, within=within)
    if answer.solutions:
        return results.find_soundness(verdict, answer) is Soundness.SOUND
    holds = verdict is Verdict.PROVED or (within and verdict is Verdict.HOLDS)
    return holds and not results.find_wrong_keys(answer)


# --------------------------------------------------------------------------------------
# Audit one problem: search it, compare its claim, certify its answer.
#
# Every thread, process and machine that works on an audit runs its `AuditJob`, all with
# the same `AuditOptions`.


MOST_KEPT_MB = 5
"""What one search may keep: more would leave no room for others."""


class CheckpointFolder(NamedTuple):
    """Where an audit keeps what is proved of questions that a limit stopped.

    Attributes
    ----------
    path : str
        The folder; it exists.
    key : str or None
        The file with the key that signs the checkpoints; None: the user's own.
    most_mb : int
        The largest size of all checkpoints together, in megabytes. If they take so
        much, none is added until others are answered and deleted.
    """

    path: str
    key: str | None
    most_mb: int

    def solve(
        self,
        solver: solving.Solver,
        question: Question,
        control: threads.Control,
        *,
        may_be_late: bool,
    ) -> tuple[Solution, tuple[str, ...]]:
        """Answer a question, from its checkpoint on if there is one.

        Parameters
        ----------
        solver : Solver
        question : Question
        control : Control
        may_be_late : bool
            Whether a question that runs out of time is searched again, so that nothing
            needs to be kept.

        Returns
        -------
        Solution
        tuple of str
            What was wrong with the checkpoint, for the user to read.
        """
        notices: list[str] = []
        file = self._file(question)
        try:
            if file.exists():
                solver.load(file, self.key)
        except (errors.CheckpointError, OSError) as error:
            notices.append(f"{error}; searched from the beginning")
        solution = solver.answer(question, control)
        stop = solution.stopped_by
        try:
            if stop is None:
                file.unlink(missing_ok=True)
            elif stop is StoppedBy.NODES or (
                stop is StoppedBy.TIME and not may_be_late
            ):
                self._save(solver, file)
        except OSError as error:
            notices.append(f"{file}: {error.strerror}")
        return solution, tuple(notices)

    def _file(self, question: Question) -> Path:
        from solver.search.checkpoints import Checkpoint

        about = Checkpoint.about(question.problem, question.restriction)
        name = f"{about.fen} {about.stipulation} {about.restriction}"
        digest = blake2b(name.encode(), digest_size=16).hexdigest()
        return Path(self.path) / f"{digest}.checkpoint"

    def _save(self, solver: solving.Solver, file: Path) -> None:
        """Save a search as far as there is room; other processes save theirs."""
        left = self.most_mb * MEGABYTE - self.size_bytes(but=file)
        room_mb = min(MOST_KEPT_MB, left // MEGABYTE)
        if room_mb > 0:
            solver.save(file, self.key, most_mb=room_mb)
        if self.size_bytes() > self.most_mb * MEGABYTE:
            file.unlink(missing_ok=True)

    def size_bytes(self, but: Path | None = None) -> int:
        """Return the size of all checkpoints but one."""
        size = 0
        for file in Path(self.path).iterdir():
            with suppress(FileNotFoundError):  # another process has just deleted it
                size += file.stat().st_size if file != but else 0
        return size

    def clear(self) -> None:
        """Delete all checkpoints."""
        for file in Path(self.path).glob("*.checkpoint"):
            file.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What an audit searches for in every problem.

    Attributes
    ----------
    limits : Limits
        What one search may cost; every worker has a table of this size.
    within : bool
        Search only whether there is a mate in at most the claimed number of moves.
    all_keys : bool
        Find all keys and compare them with the claimed ones.
    every_ply : bool
        Search before each of the attacker's moves in the claimed line of a mate, too.
    certify : bool
        Build a certificate of each answer about a mate.
    certify_known : bool
        Also where the answer only confirms the claim, whose line ends in the mate.
    certificate_format : str
        One of `solver.certificate.matebench.FORMATS`.
    follow : bool
        Prove a claimed mate along its line, at the cost of another search.
    farther : bool
        If a claimed mate is refuted, look for a longer one.
    directories : tuple of str
        Where the endgame tables are.
    checkpoints : CheckpointFolder or None
        Where searches that a limit stops are kept; None: nowhere.
    """

    limits: Limits
    within: bool = False
    all_keys: bool = False
    every_ply: bool = False
    certify: bool = False
    certify_known: bool = True
    certificate_format: str = "matesolve"
    follow: bool = False
    farther: bool = False
    directories: tuple[str, ...] = ()
    checkpoints: CheckpointFolder | None = None

    def question(self, problem: Problem) -> Question:
        """Return what to search: up to the claimed length, or up to the limits.

        Stipulations other than `#n` are searched in the number of moves that they
        demand, whatever the options say.
        """
        kind = genre_of(problem.stipulation)
        limits, within = kind.limits(problem, self.limits, within=self.within)
        all_keys = self.all_keys or self.every_ply
        return Question(problem, limits, within, all_keys=all_keys)

    def within_slice(self, problem_s: float) -> AuditOptions:
        """Return these options with a shorter time limit, if it is shorter."""
        own_s = math.inf if self.limits.time_s is None else self.limits.time_s
        if problem_s >= own_s:
            return self
        return replace(self, limits=replace(self.limits, time_s=problem_s))

    def describe(self) -> str:
        """Return the options that change an answer, except the time and node limits."""
        options = {
            "within": self.within,
            "keys": self.all_keys,
            "every-ply": self.every_ply,
            "certificates": self.certify,
            "follow": self.follow,
            "farther": self.farther,
            "tablebases": bool(self.directories),
            f"moves={self.limits.max_moves}": self.limits.max_moves is not None,
        }
        return " ".join(name for name, is_set in options.items() if is_set)


class TimeSlice(NamedTuple):
    """How long a worker may spend before it returns problems unfinished, in seconds.

    Attributes
    ----------
    problem_s : float
        On one problem of a batch.
    batch_s : float
        On a batch.
    """

    problem_s: float
    batch_s: float


TIME_SLICE = TimeSlice(problem_s=0.1, batch_s=0.5)
"""The time slice of a worker on this machine."""

UNSLICED = TimeSlice(math.inf, math.inf)

BATCH_S = 0.05
"""How much work a worker on this machine gets in a batch, in seconds."""


COMPARED = ("attacking", "status", "is_cut", "mate", "lower_bound", "keys_complete")
"""The fields of a query that are compared with a claim."""

MOVES = ("nodes", "pv_at", "pv_written", "keys_at", "keys_written")


class _Records(Problems):
    """Records to audit together.

    Most claim the same and have the same answer but for their moves, so that only the
    first of these is compared with its claim.

    Parameters
    ----------
    workspace : Workspace
        Where the search runs.
    problems : sequence of Problem
        Their positions need not have been read.
    options : AuditOptions
        What to search for.
    compare : callable
        Returns the result of an answer within these limits; see `AuditJob`.
    """

    def __init__(
        self,
        workspace: Workspace,
        problems: Sequence[Problem],
        options: AuditOptions,
        compare: Callable[[follow.Followed, Limits], results.AuditResult | None],
    ) -> None:
        super().__init__(workspace, problems)
        self._options = options
        self._compare = compare
        self._known: dict[
            tuple[object, ...],
            Callable[[Problem, str, str, int, float], results.AuditResult],
        ] = {}
        self.kinds = [*map(_kind, problems)]

    def question(self, index: int) -> Question:
        """Return the question of a record."""
        return self._options.question(self.problems[index])

    def results(self, answered: Answered) -> Iterator[results.AuditResult | None]:
        """Yield the results of records."""
        first, end, node_s, alone = answered
        if alone:
            limits = self.question(first).limits
            yield self._compare(follow.Followed(alone), limits)
            return
        text = self.text()
        words = str(text, "ascii")
        compared, moves = (
            zip(*(self.column(name)[first:end].tolist() for name in names), strict=True)
            for names in (COMPARED, MOVES)
        )
        rows = zip(self.kinds[first:end], compared, moves, strict=True)
        for index, (asked, answer, (nodes, pv, pv_size, keys, keys_size)) in enumerate(
            rows, first
        ):
            problem, kind, time_s = (
                self.problems[index],
                (asked, answer),
                nodes * node_s,
            )
            if like := self._known.get(kind):
                line = words[pv : pv + pv_size].rstrip()
                first_moves = words[keys : keys + keys_size].rstrip()
                if not keys_size and answer[0]:  # the side to move attacks
                    first_moves = line.partition(" ")[0]
                yield like(problem, first_moves, line, nodes, time_s)
                continue
            solution = solution_of(problem, self.rows[index], text, time_s)
            limits = self.question(index).limits
            result = self._compare(follow.Followed(solution), limits)
            if result and not solution.keys_complete:
                self._known[kind] = result.pattern()
            yield result


def _kind(problem: Problem) -> tuple[object, ...]:
    """Return a value that is equal for problems with the same question."""
    claim = problem.claim and (problem.claim.mate, problem.claim.by_line)
    return claim, problem.no_mate, id(problem.stipulation)  # whose hash is slow


class AuditJob:
    """Audits one problem after another; not to be shared between threads.

    A `Worker` that runs in the calling thread.

    Parameters
    ----------
    options : AuditOptions
        What to search for.
    tablebases : Tablebases or None
        Endgame tables that are open already; None opens those of the options.
    searching : callable
        Returns a context manager that provides the control of each new search.
    cores : callable or None
        Returns how many threads a search may use at present, up to `Limits.threads`;
        None: all of them.
    """

    batch_s = BATCH_S

    def __init__(
        self,
        options: AuditOptions,
        tablebases: Tablebases | None = None,
        searching: Callable[[], AbstractContextManager[threads.Control]] | None = None,
        cores: Callable[[], int] | None = None,
    ) -> None:
        self._options = options
        self._searching = searching or _uncontrolled
        if tablebases is None and options.directories:
            from solver.endgames.tablebases import Tablebases

            tablebases = Tablebases(options.directories)
        self._notices: tuple[str, ...] = ()
        limits = options.limits
        self._solver = solving.Solver(
            limits.hash_mib, tablebases, threads=limits.threads, cores=cores
        )

    def run_batch(
        self, problems: Sequence[Problem], time_slice: TimeSlice = TIME_SLICE
    ) -> list[results.AuditResult | None]:
        """Audit a batch, and hand back problems that take too long.

        Parameters
        ----------
        problems : sequence of Problem
            The batch. A problem that is alone has all the time that its limits allow.
        time_slice : TimeSlice
            How long one of several problems, and all of them together, may take.

        Returns
        -------
        list of AuditResult or None
            One for each problem, in their order; None for a problem to run again,
            alone, and for one whose search was interrupted.
        """
        if len(problems) == 1:
            time_slice = UNSLICED
        until = time.perf_counter() + time_slice.batch_s
        options = self._options.within_slice(time_slice.problem_s)
        found: list[results.AuditResult | None] = []
        for result in self._results(problems, options, time_slice.batch_s):
            found.append(result)
            if time.perf_counter() >= until:
                break
        # Afterwards: a search would disturb the batch.
        for place, result in enumerate(found):
            if result and result.wants_hint:
                is_late = time.perf_counter() >= until
                question = options.question(problems[place])
                found[place] = None if is_late else self._explain(result, question)
        return found + [None] * (len(problems) - len(found))

    def close(self) -> None:
        """Do nothing; the job's memory is freed with the job."""

    def _results(
        self, problems: Sequence[Problem], options: AuditOptions, batch_s: float
    ) -> Iterator[results.AuditResult | None]:
        if (
            options.follow
            or options.every_ply
            or options.certify
            or options.checkpoints
        ):
            # Each needs the solver, or what it remembers, before the next answer.
            for problem in problems:
                question = options.question(problem)
                yield self._result(self._solve_and_follow(question), question.limits)
            return
        rows = _Records(self._solver.workspace, problems, options, self._result)
        for answered in self._solver.answers(rows, self._searching, batch_s=batch_s):
            yield from rows.results(answered)

    def _solve_and_follow(self, question: Question) -> follow.Followed:
        """Solve a problem; follow the claimed line of a mate if the options say so."""
        kind = genre_of(question.problem.stipulation)
        if not (self._options.follow and kind.has_certificates):
            return follow.Followed(self._solve_claim(question))
        return follow.solve_and_follow(
            self._solve_claim, self._solver.workspace, question, self._searching
        )

    def _result(
        self, found: follow.Followed, limits: Limits
    ) -> results.AuditResult | None:
        """Compare an answer with the claim of its problem.

        Parameters
        ----------
        found : Followed
            The answer, and what following the claimed line has shown.
        limits : Limits
            Those of its search.

        Returns
        -------
        AuditResult or None
            None if the search was interrupted or took longer than its time slice.
        """
        answer, holds, line_stop = found
        certificate: bytes | None = None
        notices, self._notices = self._notices, ()
        # Now: the workspace forgets the answer.
        if self._wants_certificate(answer, holds):
            built = self._certify(answer)
            if built is None:
                return None
            certificate, left_out = built
            notices += left_out
        searched = list(self._search_line(answer, limits))
        plies = [ply for ply, _ in searched]
        others = [found for _, found in searched[1:]]
        stops = [answer.stopped_by, line_stop, *(found.stopped_by for found in others)]
        if holds:
            plies = results.with_holds(plies, answer.problem.claim, holds)
        is_late = limits.time_s != self._options.limits.time_s
        if (is_late and StoppedBy.TIME in stops) or StoppedBy.INTERRUPT in stops:
            return None
        result = results.audit_result(
            answer,
            within=self._options.within,
            plies=plies,
            stopped_by=next((stop for stop in stops if stop), None),
            certificate=certificate,
            notices=notices,
        )
        return result.with_costs_of(*others) if others else result

    def _solve(self, question: Question) -> Solution:
        with self._searching() as control:
            return self._solver.answer(question, control)

    def _solve_claim(self, question: Question) -> Solution:
        """Solve a record's own question, from its checkpoint on if they are kept."""
        kept, own_s = self._options.checkpoints, self._options.limits.time_s
        if kept is None:
            return self._solve(question)
        with self._searching() as control:
            may_be_late = question.limits.time_s != own_s
            solution, self._notices = kept.solve(
                self._solver, question, control, may_be_late=may_be_late
            )
        self._solver.unload()
        return solution

    def _search_line(
        self, answer: Solution, limits: Limits
    ) -> Iterator[tuple[results.Ply, Solution]]:
        """Yield the attacker's moves in the claimed line, and the answers before them.

        Without a claimed mate there are none. The first move was searched to get the
        answer.
        """
        claim = answer.problem.claim
        if not self._options.every_ply or claim is None:
            return
        import chess

        line = genre_of(answer.problem.stipulation).searched_line(claim)
        board = chess.Board(answer.problem.fen)
        for number, move in enumerate(line):
            if number % 2 == 0:
                if number:
                    left = limits.with_lengths(claim.mate - number // 2)
                    asked = Question(Problem(board.fen()), left, all_keys=True)
                    answer = self._solve(asked)
                keys = answer.keys if answer.keys_complete else ()
                yield results.Ply(move, answer.mate, keys), answer
            board.push_uci(move)

    def _explain(
        self, result: results.AuditResult, question: Question
    ) -> results.AuditResult | None:
        """Add the convention with which the claim holds, or else a longer mate.

        Returns
        -------
        AuditResult or None
            None if a search was interrupted or took longer than its time slice.
        """
        within = self._options.within
        unfinished = {StoppedBy.INTERRUPT}
        if question.limits.time_s != self._options.limits.time_s:
            unfinished.add(StoppedBy.TIME)
        for words, variant in variants(question.problem):
            answer = self._solve(replace(question, problem=variant, all_keys=True))
            if answer.stopped_by in unfinished:
                return None
            result = result.with_costs_of(answer)
            if solves_as_claimed(answer, within=within):
                return result._replace(hint=f"{HINTED}{words}")
        if not (self._options.farther and result.wants_longer_mate):
            return result
        answer = self._solve(farther(question))
        if answer.stopped_by in unfinished:
            return None
        return result.with_costs_of(answer).with_longer_mate(answer)

    def _wants_certificate(
        self, answer: Solution, holds: Sequence[bool | None]
    ) -> bool:
        problem, claim = answer.problem, answer.problem.claim
        kind = genre_of(problem.stipulation)
        if not (self._options.certify and kind.has_certificates):
            return False
        from solver.formats.epd import find_fault

        is_known = (
            claim is not None
            and answer.mate == claim.mate
            and False not in holds
            and not find_fault(problem.fen, claim.mate, claim.line)
        )
        return self._options.certify_known or not is_known

    def _certify(self, answer: Solution) -> tuple[bytes | None, tuple[str, ...]] | None:
        """Build the certificate of an answer; return None after an interrupt."""
        from solver.certificate.build import certify_last
        from solver.certificate.matebench import encode_claim

        with self._searching() as control:
            try:
                built = certify_last(answer, self._solver.workspace, control)
                return encode_claim(built, self._options.certificate_format, control)
            except errors.BuildingStoppedError:
                if control.reason is None:
                    raise
                return None


def _uncontrolled() -> AbstractContextManager[threads.Control]:
    return nullcontext(threads.Control())
