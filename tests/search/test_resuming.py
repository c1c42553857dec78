"""A search that goes on from its checkpoint has the answer of an unbroken one."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from solver import InputError, Limits, Problem, Restriction, Solution, Status, StoppedBy
from solver.errors import CheckpointError
from solver.problem import MAX_HASH_MIB
from solver.search import checkpoints
from solver.search.queries import Questions, read_question
from solver.search.threads import Control
from solver.solving import Solver
from tests.oracles import walks
from tests.sizes import sized

if TYPE_CHECKING:
    import chess

pytestmark = pytest.mark.usefixtures("kernel", "battle_kernel", "help_kernel")

MEREDITH = "8/3K4/3N4/3k1p2/3B1P2/2P1p3/4P3/8 w - - 0 1"
"""Mate in 7 by 1. Bf6, 1.6 million nodes."""

MATES = [
    MEREDITH,
    "4n3/p7/2b1p1K1/4B3/q1pPkNR1/1p1ppp2/nN2p3/2b2B2 w - - 0 1",
    "1B5n/5p2/2R2Kp1/2NNp1P1/P1pkP3/2p3b1/2P4P/8 w - - 0 1",
    "6qk/4Q3/5P2/8/3KB3/8/8/8 w - - 0 1",
    "2b1B3/1pr5/4P3/5Rp1/n2pk1KN/2b5/1pP5/3N4 w - - 0 1",
]
"""Of 1.6 to 2.2 million nodes."""

SELFMATE = "8/8/Q7/8/8/1q6/2Q5/K5kr w - - 0 1"
HELPMATE = "8/5K2/2r5/7p/5R2/6B1/8/7k b - - 0 1"
ATTACK = "r3k2r/p3q3/1pp1p3/2b1p3/PPQ1Pp2/2N2P2/2P2P2/3RR1K1 b kq - 0 1"

MOST_COST = 1.2
"""The nodes of a search and of what goes on from it, by those of an unbroken one."""


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
    "first key": Case(MATES[3], asked={"keys": False}),
    "within": Case(MEREDITH, asked={"within": 8}),
    "no mate within": Case(MEREDITH, asked={"within": 6}),
    "mated": Case("8/3K4/3N1B2/3k1p2/5P2/2P1p3/4P3/8 b - - 0 1", asked={"within": -6}),
    "not mated": Case("1R6/8/8/p7/kpKN4/b7/8/8 b - - 0 1", asked={"within": -5}),
    "replies": Case(MEREDITH, asked={"restriction": Restriction(replies=3)}),
    "flights": Case(MEREDITH, asked={"restriction": Restriction(king_flights=2)}),
    "threat": Case(ATTACK, asked={"restriction": Restriction(threat=1)}),
    "root moves": Case(MEREDITH, asked={"root_moves": "Bf6 Bg7"}),
    "s#": Case(SELFMATE, "s#5"),
    "r#": Case(SELFMATE, "r#4"),
    "semi-r#": Case(SELFMATE, "semi-r#4"),
    "=": Case(SELFMATE, "=4"),
    "exact-#": Case(MEREDITH, "exact-#5"),
    "exact-# found": Case(SELFMATE, "exact-#4"),
    "h#": Case(HELPMATE, "h#3"),
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
    about = saved.stipulation, saved.fen
    assert about == (case.stipulation or "#", " ".join(case.fen.split()[:4]))


@pytest.mark.parametrize("fen", MATES)
def test_little_is_searched_twice(fen: str, folder: Folder) -> None:
    """With one thread the counts are always the same.

    The loss depends on the moment of the stop: `test_killed_searches` tries many.
    """
    case = Case(fen)
    whole = case.solve(Solver(64))
    nodes = whole.stats.nodes
    assert whole.status is Status.PROVED
    first = Solver(64)
    stopped = case.solve(first, nodes // 2)
    assert stopped.stopped_by is StoppedBy.NODES
    assert folder.save(first).positions > 0
    found = case.solve(folder.load(Solver(64)))
    assert answered(found) == answered(whole)
    assert stopped.stats.nodes + found.stats.nodes <= MOST_COST * nodes


def test_two_threads_go_on_to_the_same_answer(folder: Folder) -> None:
    case = Case(MATES[4])
    whole = case.solve(Solver(64))
    first = Solver(64, threads=2)
    stopped = case.solve(first, 1_600_000)
    assert stopped.stopped_by
    assert folder.save(first).nodes == stopped.stats.nodes
    found = case.solve(folder.load(Solver(64, threads=2)))
    assert answered(found) == answered(whole)


def test_a_smaller_table_goes_on_with_what_a_larger_one_has(folder: Folder) -> None:
    case = Case(MEREDITH)
    whole = case.solve(Solver(64))
    for before, after in ((64, 2), (2, 64), (64, 1), (1, 64)):
        first = Solver(before)
        case.solve(first, 1_000_000)
        folder.save(first)
        found = case.solve(folder.load(Solver(after)))
        assert answered(found) == answered(whole)


# Files of several searches


def halves() -> tuple[str, str]:
    moves = read_question(Problem(MEREDITH)).board.legal_moves
    names = sorted(move.uci() for move in moves)
    assert "d4f6" in names
    return " ".join(names[::2]), " ".join(names[1::2])


def test_the_bounds_of_two_halves_are_merged(folder: Folder) -> None:
    """A search of some first moves proves nothing of the position itself."""
    case = Case(MEREDITH)
    whole = case.solve(Solver(64))
    found = []
    for name, moves in zip(("one", "two"), halves(), strict=True):
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


@pytest.mark.parametrize("wrong", ["d4g7", "d4h8", "d7e7"])
def test_a_refuted_first_move_leaves_nothing_against_the_others(
    wrong: str, folder: Folder
) -> None:
    """It has no mate in 7, and the position has one."""
    asked = {"root_moves": wrong, "within": 7}
    solver = Solver(64)
    refuted = Case(MEREDITH, asked=asked).solve(solver)
    assert (refuted.status, refuted.lower_bound) == (Status.DISPROVED, 8)
    folder.save(solver)
    found = Case(MEREDITH).solve(folder.load(Solver(64)))
    assert (found.mate, found.keys) == (7, ("d4f6",))


def test_a_restricted_search_leaves_nothing_against_others(folder: Folder) -> None:
    """Without checks alone there is no mate; the file may be loaded for the mate."""
    restricted = {"restriction": Restriction(checks_only=True), "within": 9}
    solver = Solver(64)
    none = Case(MEREDITH, asked=restricted).solve(solver)
    assert none.status is Status.DISPROVED
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

    with pytest.raises(CheckpointError) as refused:
        folder.load(loaded, "mate")
    expected_words = "mate: expected a checkpoint with stipulation s#4, found #"
    assert str(refused.value) == str(folder.path / expected_words)
    with pytest.raises(CheckpointError):
        folder.load(folder.load(Solver(16), "mate"), "one")


def test_a_file_that_is_refused_changes_nothing(folder: Folder) -> None:
    case = Case(MATES[3])
    first = Solver(64)
    case.solve(first, 700_000)
    folder.save(first)
    expected = case.solve(folder.load(Solver(64))).stats.nodes
    solver = folder.load(Solver(64))
    other = Solver(16)
    Case(SELFMATE, "s#4").solve(other)
    folder.save(other, "other")
    (folder.path / "empty").touch()
    for name in ("other", "empty"):
        with pytest.raises(CheckpointError):
            folder.load(solver, name)
    assert case.solve(solver).stats.nodes == expected


# What can be saved


def test_there_is_nothing_to_save_before_a_search(folder: Folder) -> None:
    solver = Solver(16)
    nothing = "solver: expected a search to save, found 'none'"
    for act in (lambda: folder.save(solver), solver.keep):
        with pytest.raises(InputError) as refused:
            act()
        assert str(refused.value) == nothing
    assert not (folder.path / "one").exists()
    Case(SELFMATE).solve(solver)
    folder.save(solver)
    with pytest.raises(InputError):
        folder.save(folder.load(solver))


def test_there_is_nothing_to_save_after_another_use_of_the_table(
    folder: Folder,
) -> None:
    solver = Solver(16)
    case = Case(SELFMATE)
    case.solve(solver)
    solver.workspace.begin(None)
    with pytest.raises(InputError):
        folder.save(solver)
    case.solve(solver)
    folder.save(solver)
    batch_of(solver, SELFMATE, SELFMATE)
    with pytest.raises(InputError):
        folder.save(solver)


@pytest.mark.parametrize("most_mb", [0, -1, 1.5, "1", None, 1 << 40])
def test_a_size_out_of_range_is_refused(most_mb: Any, folder: Folder) -> None:
    solver = Solver(16)
    Case(SELFMATE).solve(solver)
    with pytest.raises(InputError, match="most_mb"):
        solver.save(folder.path / "one", folder.key, most_mb=most_mb)


def test_a_size_beyond_all_memory_takes_no_more_than_the_table(folder: Folder) -> None:
    solver = Solver(16)
    Case(SELFMATE, "s#4").solve(solver)
    saved = solver.save(folder.path / "one", folder.key, most_mb=MAX_HASH_MIB)
    assert saved == solver.checkpoint(50)


def test_a_running_search_is_saved_from_another_thread(folder: Folder) -> None:
    case = Case(MATES[4])
    whole = case.solve(Solver(64))
    solver = Solver(64)
    saved: list[checkpoints.Checkpoint] = []
    is_over = threading.Event()

    def save() -> None:
        while solver.workspace.search.nodes < 500_000 and not is_over.is_set():
            is_over.wait(0.001)
        saved.append(folder.save(solver))

    saving = threading.Thread(target=save)
    saving.start()
    found = case.solve(solver)
    is_over.set()
    saving.join()
    assert answered(found) == answered(whole)
    (half,) = saved
    assert half.positions > 1000
    assert 500_000 < half.nodes <= whole.stats.nodes
    assert half == checkpoints.read_checkpoint(
        folder.path / "one", folder.key.read_bytes()
    )
    assert answered(case.solve(folder.load(Solver(64)))) == answered(whole)


# Bounds that stay in memory


def test_what_was_kept_is_used_until_it_is_unloaded(folder: Folder) -> None:
    case, solver = Case(MATES[3]), Solver(64)
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


def test_a_loaded_solver_answers_many_questions_as_before(folder: Folder) -> None:
    path = Path(__file__).parents[2] / "puzzles" / "generated-3.epd"
    lines = path.read_text(encoding="utf-8").splitlines()
    fens = [line.split(" dm ")[0] for line in lines if not line.startswith("#")][:40]
    first = Solver(64)
    Case(MEREDITH).solve(first, 800_000)
    folder.save(first)
    plain, loaded = Solver(64), folder.load(Solver(64))
    expected, found = (batch_of(solver, *fens) for solver in (plain, loaded))
    assert [*map(answered, found)] == [*map(answered, expected)]
    assert all(solution.mate for solution in found)


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


def some_restriction(random: Random) -> Restriction:
    while True:
        restriction = Restriction(
            checks_only=random.random() < 0.3,
            king_flights=random.choice([None, None, 0, 1, 2]),
            replies=random.choice([None, None, 1, 2, 5]),
            threat=random.choice([None, None, 1, 2]),
        )
        if not restriction.is_open:
            return restriction


def some_question(random: Random, board: chess.Board, stipulation: str | None) -> Case:
    """Return a question about a position; its bounds fit the others with it."""
    asked: dict[str, Any] = {}
    if stipulation is None:
        moves = [move.uci() for move in board.legal_moves]
        asked = random.choice(
            [
                {"restriction": some_restriction(random), "max_moves": 4},
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
