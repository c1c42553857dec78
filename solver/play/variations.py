"""`variations`: the play of a problem, from the question to the tree."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from solver.play.builder import build_variations
from solver.play.levels import EXACT_MOVES
from solver.play.options import PlayOptions
from solver.problem import Limits, require_bool, require_instance, require_int
from solver.search.queries import Questions
from solver.search.question import read_question
from solver.search.threads import WATCHDOG, Control, run_stoppable
from solver.solving import Solver
from solver.stipulation import MAX_MOVES
from solver.stipulations import kind_of

if TYPE_CHECKING:
    import chess

    from solver.play.tree import Variations
    from solver.problem import Problem
    from solver.search.question import Question
    from solver.search.workspace import Workspace
    from solver.solution import Solution

MOST_REFUTATIONS = 255


def variations(  # noqa: PLR0913 -- each is one switch of the question
    problem: Problem | str | chess.Board,
    limits: Limits | None = None,
    *,
    set_play: bool = False,
    tries: int = 0,
    threats: bool = True,
    all_defences: bool = False,
    depth: int | None = None,
    control: Control | None = None,
    solver: Solver | None = None,
) -> Variations:
    """Find the whole play of a problem: keys, threats, defences and continuations.

    Keys are the first moves that solve within the stipulated moves; without a
    stipulation, within the claimed moves; without a claim, in the shortest mate's
    moves. All other play is the shortest.

    Parameters
    ----------
    problem : Problem, str or chess.Board
        The position, and what is demanded; see `solver.solve`.
    limits : Limits, optional
        What solving and building may cost together. Without a time limit, building
        stops after a minute.
    set_play : bool
        Show what would follow if the defender began.
    tries : int
        Show first moves that at most this many defences refute, 0 to 255.
    threats : bool
        Look for threats, and leave out the defences that change nothing about them: the
        attacker needs fewer moves than the threat, or as many and every threat still
        works.
    all_defences : bool
        Show these defences too.
    depth : int, optional
        Show at most this many moves of the attacker, 1 to 200.
    control : Control, optional
        Stops the search and the building, from another thread.
    solver : Solver, optional
        Memory to reuse for many problems, and tablebases if it has any.

    Returns
    -------
    Variations
        The tree. What a limit or a stop left out is cut from the far end:
        `complete_moves` is then a number, and there may be no play at all.

    Raises
    ------
    FenError
        The position is not legal.
    InputError
        An argument has the wrong type or is out of range, or the stipulation is one of
        help play, which has solutions but no variations.
    AllocationError, CacheError, KernelError, TablebaseError
        See `solver.solve`.

    Examples
    --------
    >>> from solver import Problem, variations
    >>> problem = Problem("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -", stipulation="#2")
    >>> play = variations(problem, set_play=True)
    >>> [(key.move, key.moves_left) for key in play.keys]
    [('c4g8', 1)]
    >>> for defence in play.keys[0].defences:
    ...     print(defence.move, [attack.move for attack in defence.continuations])
    f8g8 ['h6f7']
    """
    options = PlayOptions(
        set_play=require_bool("set_play", set_play),
        tries=require_int("tries", tries, 0, MOST_REFUTATIONS),
        threats=require_bool("threats", threats),
        all_defences=require_bool("all_defences", all_defences),
        depth=None if depth is None else require_int("depth", depth, 1, MAX_MOVES),
    )
    question = read_question(problem, limits)
    kind_of(question.problem.stipulation).require_variations()
    if control is not None:
        require_instance("control", control, Control, "a Control or None")
    if solver is not None:
        require_instance("solver", solver, Solver, "a Solver or None")
    stopper = control or Control()

    def find() -> Variations:
        limits = question.limits
        chosen = solver or Solver(limits.hash_mib, threads=limits.threads)
        return find_variations(chosen, question, options, stopper)

    return run_stoppable(find, stopper)


def find_variations(
    solver: Solver, question: Question, options: PlayOptions, control: Control
) -> Variations:
    """Solve a question that has been read, and build its play, in the calling thread.

    Parameters
    ----------
    solver : Solver
        Where the search runs.
    question : Question
        See `solver.search.question.read_question`.
    options : PlayOptions
        Its `time_s` counts only where the question has no time limit.
    control : Control
        Stops the search and the building.
    """
    claim = question.problem.claim
    if claim:  # a stipulation claims that it is solvable
        most = min(question.most_moves, abs(claim.mate))
        # The builder finds the keys of a short problem faster than the solver.
        is_long = most > EXACT_MOVES
        limits = replace(question.limits, max_moves=most)
        question = replace(question, limits=limits, all_keys=is_long)
    batch = Questions(solver.workspace, [question])
    with closing(solver.answers(batch, lambda: nullcontext(control))) as answers:
        return variations_after(
            next(answers), solver.workspace, question.limits, options, control
        )


def variations_after(
    solution: Solution,
    workspace: Workspace,
    limits: Limits,
    options: PlayOptions,
    control: Control,
) -> Variations:
    """Build the play of the last answer, in the calling thread.

    Parameters
    ----------
    solution : Solution
        The answer.
    workspace : Workspace
        The memory of its search.
    limits : Limits
        What searching and building may cost together.
    options : PlayOptions
        Its `time_s` counts only where `limits` has no time limit.
    control : Control
        Stops the building, and has what is being built.
    """
    left = limits.after(solution.stats.nodes, solution.stats.time_s)
    if left.time_s is not None:
        options = options._replace(time_s=left.time_s)
    workspace.resume(left.nodes)
    control.attach(workspace.search)
    with WATCHDOG.limit(control, left.time_s):
        return build_variations(solution, workspace, options, control.describe)
