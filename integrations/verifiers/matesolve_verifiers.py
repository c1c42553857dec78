"""Generated mates in n with proved rewards, as an environment of verifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import verifiers.v1 as vf
from matesolve_rewards import MARKER, NODES, rewards

from solver import generate

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MateTaskset", "load_environment", "rewards"]

PROMPT = """Position (FEN): {fen}
{side} to move mates in {mate} by force. Finish with one line: {marker} and the whole \
mating line in SAN, with the longest defence."""


class MateTaskConfig(vf.TaskConfig):
    """How answers are graded."""

    nodes: int = NODES
    """The most positions that are entered for an answer."""


class MateConfig(vf.TasksetConfig):
    """Which problems are generated; see `solver.generate`."""

    task: MateTaskConfig = MateTaskConfig()
    mate: int = 2
    count: int = 1000
    seed: int = 1
    pieces: tuple[int, int] = (5, 9)
    unique_key: bool = False


class MateData(vf.TaskData):
    """A problem."""

    fen: str
    mate: int


class MateTask(vf.Task[MateData, vf.State, MateTaskConfig]):
    """One problem, which one answer solves or not."""

    @vf.reward
    async def proved(self, trace: vf.Trace) -> float:
        """Return 1 for a complete line, which is proved to mate by force, or else 0."""
        data, answer = self.data, trace.last_reply
        (reward,) = rewards([data.fen], data.mate, [answer], self.config.nodes)
        if reward is None:  # the sample is left out
            msg = f"undecided after {self.config.nodes:,} nodes"
            raise vf.TaskError(msg)
        return reward


class MateTaskset(vf.Taskset[MateTask, MateConfig]):
    """New problems from a seed: the same seed makes the same ones on every machine."""

    def load(self) -> Iterator[MateTask]:
        """Generate the problems."""
        of = self.config
        for problem in generate(
            of.mate, of.count, seed=of.seed, pieces=of.pieces, unique_key=of.unique_key
        ):
            side = "Black" if " b " in problem.fen else "White"
            prompt = PROMPT.format(
                fen=problem.fen, side=side, mate=of.mate, marker=MARKER
            )
            data = MateData(
                name=problem.id, prompt=prompt, fen=problem.fen, mate=of.mate
            )
            yield MateTask(data, of.task)


def load_environment(**settings: Any) -> vf.Env:
    """Return the environment: one agent that answers in words, without tools.

    Parameters
    ----------
    **settings
        Fields of `MateConfig`, such as `mate=3`, `count=500` or `seed=7`.
    """
    agent = vf.AgentConfig(
        harness={"id": "null"}, runtime=vf.SubprocessConfig(), max_turns=1
    )
    taskset = MateConfig(id="matesolve_verifiers", **settings)
    return vf.load_environment(vf.SingleAgentEnvConfig(taskset=taskset, agent=agent))
