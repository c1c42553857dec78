"""The packages in integrations/: rewards for training, with and without verifiers."""

from __future__ import annotations

import asyncio
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver import generate

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("kernel")

VERIFIERS = Path(__file__).parents[1] / "integrations" / "verifiers"
FEN = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - -"
LINE = "1. Qg8+ Rxg8 2. Nf7#"


@pytest.fixture(autouse=True)
def path() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(VERIFIERS))
        yield


ANSWERS: list[tuple[str, int, float]] = [
    (LINE, 2, 1.0),
    (f"The rook must take.\nFINAL ANSWER: **{LINE}**\n", 2, 1.0),
    (f"FINAL ANSWER: Nf7+\nNo. FINAL ANSWER: {LINE}", 2, 1.0),
    (LINE, 1, 0.0),
    ("Qg8+", 2, 0.0),
    (f"{LINE}\nFINAL ANSWER: I resign", 2, 0.0),
    (f"The answer is {LINE}", 2, 0.0),
    ("", 2, 0.0),
]


def test_only_a_whole_line_that_mates_in_time_is_rewarded() -> None:
    rewards = import_module("matesolve_rewards").rewards
    for answer, within, reward in ANSWERS:
        assert rewards([FEN], within, [answer]) == [reward], answer


def test_what_the_limit_leaves_open_has_no_reward() -> None:
    rewards = import_module("matesolve_rewards").rewards
    fens = [chess.STARTING_FEN, FEN]
    assert rewards(fens, [9, 2], ["e4", LINE], nodes=100) == [None, 1.0]


def test_the_environment_has_generated_problems_and_proved_rewards() -> None:
    vf = pytest.importorskip("verifiers.v1")
    module = import_module("matesolve_verifiers")
    env = module.load_environment(mate=1, count=3, seed=7, unique_key=True)
    tasks, problems = [*env.taskset], [*generate(1, 3, seed=7, unique_key=True)]
    assert [task.data.fen for task in tasks] == [problem.fen for problem in problems]

    def reward(task: Any, answer: str) -> float:
        found: float = asyncio.run(task.proved(SimpleNamespace(last_reply=answer)))
        return found

    for task, problem in zip(tasks, problems, strict=True):
        assert problem.fen in task.data.prompt
        assert problem.claim
        (key,) = problem.claim.keys
        assert reward(task, f"FINAL ANSWER: {key}") == 1.0
        assert reward(task, "FINAL ANSWER: I resign") == 0.0
    data = task.data.model_copy(update={"fen": chess.STARTING_FEN, "mate": 9})
    hard = module.MateTask(data, module.MateTaskConfig(nodes=100))
    with pytest.raises(vf.TaskError, match=r"^undecided after 100 nodes$"):
        reward(hard, "e4")
