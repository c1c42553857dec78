"""A search that goes on from its checkpoint has the answer of an unbroken one."""

from __future__ import annotations

from contextlib import nullcontext
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from solver import InputError, Limits, Problem, Restriction, Solution, Status
from solver.errors import CheckpointError
from solver.problem import MAX_HASH_MIB
from solver.search.queries import Questions, read_question
from solver.search.threads import Control
from solver.solving import Solver
from tests.oracles import walks
from tests.sizes import sized

if TYPE_CHECKING:
    from pathlib import Path

    import chess

    from solver.search import checkpoints

pytestmark = pytest.mark.usefixtures("kernel", "battle_kernel", "help_kernel")

MEREDITH = "8/3K4/3N4/3k1p2/3B1P2/2P1p3/4P3/8 w - - 0 1"
"""Mate in 7 by 1. Bf6, 1.6 million nodes."""

ENDING = "6qk/4Q3/5P2/8/3KB3/8/8/8 w - - 0 1"
"""A mate of 1.6 to 2.2 million nodes."""

SELFMATE = "8/8/Q7/8/8/1q6/2Q5/K5kr w - - 0 1"
HELPMATE = "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1"
ATTACK = "r3k2r/p3q3/1pp1p3/2b1p3/PPQ1Pp2/2N2P2/2P2P2/3RR1K1 b kq - 0 1"

MOST_COST = 1.4
"""The nodes of a search and of what goes on from it, by those of an unbroken one.

With one thread they are always the same. `test_killed_searches` tries many moments.
"""


class Case(NamedTuple):
    """A question for a solver."""

    fen: str
    stipulation: str | None = None
    asked: dict[str, Any] = {}  # noqa: RUF012 -- it is never changed

    def solve(self, solver: Solver, nodes: int | None = None) -> Solution:
        problem = Problem(self.fen, stipulation=self.stipulation)
        return solver.solve(problem, Limits(nodes=nodes), **self.asked)


CASES = {
    "mate": Case(MEREDITH),
    "first key": Case(ENDING, asked={"keys": False}),
    "within": Case(MEREDITH, asked={"within": 8}),
    "no mate within": Case(MEREDITH, asked={"within": 6}),
    "mated": Case("8/3K4/3N1B2/3k1p2/5P2/2P1p3/4P3/8 b - - 0 1", asked={"within": -6}),
    "replies": Case(MEREDITH, asked={"restriction": Restriction(replies=3)}),
    "threat": Case(ATTACK, asked={"restriction": Restriction(threat=1)}),
    "root moves": Case(MEREDITH, asked={"root_moves": "Bf6 Bg7"}),
    "s#": Case(SELFMATE, "s#5"),
    "r#": Case(SELFMATE, "r#4"),
    "=": Case(SELFMATE, "=4"),
    "exact-# found": Case(SELFMATE, "exact-#4"),
    "h#.5": Case(HELPMATE, "h#3.5"),
}


def answered(solution: Solution) -> tuple[object, ...]:
    """Return what must not depend on a checkpoint.

    The lower bound may be better where any mate within a length was an answer.
    """
    lower = None if solution.status is Status.FOUND else solution.lower_bound
    return (
        *(solution.status, solution.mate, lower, set(solution.keys)),
        *(solution.keys_complete, set(solution.solutions)),
    )


class Folder(NamedTuple):
    """Where the files and their key are."""

    path: Path
    key: Path

    def save(self, solver: Solver, name: str = "one") -> checkpoints.Checkpoint:
        return solver.save(self.path / name, self.key)

    def load(self, solver: Solver, *names: str) -> Solver:
        for name in names or ("one",):
            solver.load(self.path / name, self.key)
        return solver


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    key = tmp_path / "key"
    key.touch(0o600)
    key.write_bytes(bytes(range(32)))
    return Folder(tmp_path, key)


# The same answer


@pytest.mark.parametrize("name", CASES)
def test_a_search_that_goes_on_has_the_answer_of_an_unbroken_one(
    name: str, folder: Folder
) -> None:
    """It is stopped twice, each time before its end."""
    case = CASES[name]
    whole = case.solve(Solver(64))
    assert whole.status in {Status.PROVED, Status.DISPROVED, Status.FOUND}
    searched = 0
    for turn in range(2):
        solver = folder.load(Solver(64)) if turn else Solver(64)
        searched += case.solve(solver, whole.stats.nodes // 3).stats.nodes
        saved = folder.save(solver)
        assert (saved.searches, saved.nodes) == (turn + 1, searched)
    solver = folder.load(Solver(64))
    found = case.solve(solver)
    assert answered(found) == answered(whole)
    saved = folder.save(solver)
    assert (saved.searches, saved.nodes) == (3, searched + found.stats.nodes)
    if name in {"mate", "first key"}:
        assert searched + found.stats.nodes <= MOST_COST * whole.stats.nodes
    about = saved.stipulation, saved.fen
    assert about == (case.stipulation or "#", " ".join(case.fen.split()[:4]))


def test_tables_of_any_size_and_several_threads_go_on(folder: Folder) -> None:
    case = Case(MEREDITH)
    whole = case.solve(Solver(64))
    for before, after, threads in ((64, 1, 1), (1, 64, 1), (64, 64, 2)):
        first = Solver(before, threads=threads)
        case.solve(first, 1_200_000)
        folder.save(first)
        found = case.solve(folder.load(Solver(after, threads=threads)))
        assert answered(found) == answered(whole)


# Files of several searches


def test_the_bounds_of_two_halves_are_merged(folder: Folder) -> None:
    """A search of some first moves proves nothing of the position itself."""
    case = Case(MEREDITH)
    board = read_question(Problem(MEREDITH)).board
    sorted_moves = sorted(move.uci() for move in board.legal_moves)
    halves = " ".join(sorted_moves[::2]), " ".join(sorted_moves[1::2])
    whole = case.solve(Solver(64))
    found = []
    for name, moves in zip(("one", "two"), halves, strict=True):
        half, solver = Case(MEREDITH, asked={"root_moves": moves}), Solver(64)
        assert half.solve(solver, 700_000).stopped_by or "d4f6" in moves
        found.append(folder.save(solver, name))
        alone = case.solve(folder.load(Solver(64), name))
        assert answered(alone) == answered(whole)
    for names in (("one", "two"), ("two", "one")):
        solver = folder.load(Solver(64), *names)
        assert answered(case.solve(solver)) == answered(whole)
        saved = folder.save(solver, "both")
        assert saved.searches == 3
        assert saved.nodes == (
            sum(half.nodes for half in found) + solver.workspace.search.nodes
        )


@pytest.mark.parametrize(
    "asked",
    [
        {"root_moves": "d4g7", "within": 7},
        {"root_moves": "d7e7", "within": 7},
        {"restriction": Restriction(checks_only=True), "within": 9},
    ],
)
def test_what_a_narrow_question_refutes_is_not_refuted_for_others(
    asked: dict[str, Any], folder: Folder
) -> None:
    """The first moves have no mate in 7, nor have checks alone in 9."""
    solver = Solver(64)
    refuted = Case(MEREDITH, asked=asked).solve(solver)
    assert refuted.status is Status.DISPROVED
    folder.save(solver)
    found = Case(MEREDITH).solve(folder.load(Solver(64)))
    assert (found.mate, found.keys) == (7, ("d4f6",))


# Other stipulations


def test_the_bounds_of_a_selfmate_are_for_selfmates_of_its_length(
    folder: Folder,
) -> None:
    solver = Solver(16)
    Case(SELFMATE, "s#4").solve(solver)
    assert folder.save(solver).positions > 0
    mate = Case(SELFMATE)
    fresh = Solver(16)
    expected = mate.solve(fresh)
    folder.save(fresh, "mate")

    loaded = folder.load(Solver(16))
    for other in (mate, Case(SELFMATE, "s#3"), Case(SELFMATE, "exact-#4")):
        found, alone = other.solve(loaded), other.solve(Solver(16))
        assert found.stats.nodes == alone.stats.nodes
        assert answered(found) == answered(alone)
    mate.solve(loaded)
    saved, kept = loaded.checkpoint(50), fresh.checkpoint(50)
    assert (saved.stipulation, saved.searches) == ("#", 1)
    assert saved.entries == kept.entries
    assert mate.solve(fresh).stats.nodes == expected.stats.nodes

    # A file that is refused changes nothing.
    mates = folder.load(Solver(16), "mate")
    kept_nodes = folder.load(Solver(16), "mate").solve(Problem(SELFMATE)).stats.nodes
    (folder.path / "empty").touch()
    with pytest.raises(CheckpointError) as refused:
        folder.load(loaded, "mate")
    expected_words = "mate: expected a checkpoint with stipulation s#4, found #"
    assert str(refused.value) == str(folder.path / expected_words)
    for name in ("one", "empty"):
        with pytest.raises(CheckpointError):
            folder.load(mates, name)
    assert mate.solve(mates).stats.nodes == kept_nodes


# What can be saved


def test_there_is_nothing_to_save_before_a_search_or_after_other_uses(
    folder: Folder,
) -> None:
    solver = Solver(16)
    nothing = "solver: expected a search to save, found 'none'"
    for act in (lambda: folder.save(solver), solver.keep):
        with pytest.raises(InputError) as refused:
            act()
        assert str(refused.value) == nothing
    assert not (folder.path / "one").exists()
    case = Case(SELFMATE)
    for use in (
        lambda: solver.workspace.begin(None),
        lambda: batch_of(solver, SELFMATE, SELFMATE),
        lambda: folder.load(solver),
    ):
        case.solve(solver)
        folder.save(solver)
        use()
        with pytest.raises(InputError):
            folder.save(solver)


def test_a_file_takes_no_more_than_the_table_however_large_it_may_be(
    folder: Folder,
) -> None:
    solver = Solver(16)
    Case(SELFMATE, "s#4").solve(solver)
    saved = solver.save(folder.path / "one", folder.key, most_mb=MAX_HASH_MIB)
    assert saved == solver.checkpoint(50)
    for wrong in (0, 1.5, "1", 1 << 40):
        with pytest.raises(InputError, match="most_mb"):
            solver.save(folder.path / "one", folder.key, most_mb=wrong)  # type: ignore[arg-type]


# Bounds that stay in memory


def test_what_was_kept_is_used_until_it_is_unloaded(folder: Folder) -> None:
    case, solver = Case(ENDING), Solver(64)
    whole = case.solve(solver)
    solver.keep()
    again = case.solve(solver)
    assert answered(again) == answered(whole)
    assert again.stats.nodes < whole.stats.nodes // 4
    saved = folder.save(solver)
    assert (saved.searches, saved.nodes) == (2, whole.stats.nodes + again.stats.nodes)
    solver.unload()
    assert case.solve(solver).stats.nodes == whole.stats.nodes
    assert folder.save(solver).searches == 1
    folder.load(solver)
    assert case.solve(solver).stats.nodes < whole.stats.nodes // 4


def batch_of(solver: Solver, *fens: str, nodes: int | None = None) -> list[Solution]:
    """Answer questions as an audit does, easy ones together."""
    limits = Limits(nodes=nodes)
    questions = [read_question(Problem(fen), limits) for fen in fens]
    batch = Questions(solver.workspace, questions)
    answers = solver.answers(batch, lambda: nullcontext(Control()))
    return [solution for each in answers for solution in batch.solutions(each)]


def test_a_search_that_began_in_a_batch_is_saved_as_a_whole(folder: Folder) -> None:
    solver = Solver(64)
    *_, alone = batch_of(solver, SELFMATE, MEREDITH, nodes=800_000)
    saved = folder.save(solver)
    assert saved.nodes == alone.stats.nodes
    single = Solver(64)
    Case(MEREDITH).solve(single, 800_000)
    assert saved.entries == single.checkpoint(50).entries
    assert len(saved.entries) > 16_000


# Any searches before any other

FEW = 300_000
"""Nodes; a question that takes more is left out."""


RESTRICTIONS = [
    *(
        Restriction(checks_only=True),
        Restriction(king_flights=1),
        Restriction(replies=2),
    ),
    *(Restriction(threat=2), Restriction(king_flights=2, replies=5, threat=1)),
]


def some_question(random: Random, board: chess.Board, stipulation: str | None) -> Case:
    """Return a question about a position; its bounds fit the others with it."""
    asked: dict[str, Any] = {}
    if stipulation is None:
        moves = [move.uci() for move in board.legal_moves]
        asked = random.choice(
            [
                {"restriction": random.choice(RESTRICTIONS), "max_moves": 4},
                {"root_moves": random.sample(moves, random.randint(1, len(moves)))},
                {"within": random.choice([-3, -2, -1, 1, 2, 3])},
                {"max_moves": random.randint(1, 4)},
            ]
        )
        if "root_moves" in asked:
            asked["max_moves"] = 3
    return Case(board.fen(), stipulation, asked)


@sized("count", 80, 4000)
def test_the_bounds_of_some_questions_change_no_answer_to_others(count: int) -> None:
    """Unfinished, restricted, of some first moves, of the other attacker."""
    random, compared = Random(count), 0
    fresh, kept = Solver(4), Solver(4)
    several = ["s#2", "r#2", "semi-r#2", "exact-#2", "exact-#3", "=2", "h#2"]
    small, crowded = (
        made(count, seed=count)
        for made in (walks.small_positions, walks.crowded_positions)
    )
    for board in (board for pair in zip(small, crowded, strict=True) for board in pair):
        if not any(board.legal_moves):
            continue
        stipulation = random.choice([None, None, random.choice(several)])
        kept.unload()
        for _ in range(random.randint(1, 4)):
            before = some_question(random, board, stipulation)
            before.solve(kept, random.choice([500, 3000, 30_000]))
            kept.keep()
        case = some_question(random, board, stipulation)
        expected, found = (case.solve(solver, FEW) for solver in (fresh, kept))
        if not (expected.stopped_by or found.stopped_by):
            assert answered(found) == answered(expected), case
            compared += 1
    assert compared > count
