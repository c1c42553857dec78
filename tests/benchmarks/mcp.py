"""How soon `matesolve mcp` starts and answers.

    python -m tests.benchmarks.mcp [--starts N] [--calls N]

A client sends JSON through a pipe: it starts servers one after the other and waits for
the answer to `initialize`, then calls `solve` with a mate in 2. The SDK's own client
makes the same calls; its own work is part of its times. Prints medians and the slowest
of 20. Every answer is checked. Modules are compiled to `.pyc` files, and the search is,
before anything is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, Any

from mcp import Client, StdioServerParameters

from tests.benchmarks.start import environment
from tests.processes import run, started

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMAND = (sys.executable, "-m", "solver")
FEN = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Pipe:
    """Sends requests to a server, one a line, and reads the answers."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server
        self._sent = 0

    def ask(self, method: str, params: object) -> dict[str, Any]:
        """Send a request, and return its result."""
        assert self._server.stdin
        assert self._server.stdout
        self._sent += 1
        message = {"jsonrpc": "2.0", "id": self._sent, "method": method}
        self._server.stdin.write(json.dumps({**message, "params": params}) + "\n")
        self._server.stdin.flush()
        result: dict[str, Any] = json.loads(self._server.stdout.readline())["result"]
        return result


@contextmanager
def initialized() -> Iterator[Pipe]:
    """Start a server, and wait until it answers `initialize`."""
    pipe = subprocess.PIPE
    words = [*COMMAND, "mcp"]
    with started(words, stdin=pipe, stdout=pipe, env=environment()) as server:
        client = Pipe(server)
        assert client.ask("initialize", INITIALIZE)["serverInfo"]["name"] == "matesolve"
        yield client


def start_times(starts: int) -> list[float]:
    """Return the seconds from starting a process to the answer to `initialize`."""
    times = []
    for _ in range(starts):
        begun = time.perf_counter()
        with initialized():
            times.append(time.perf_counter() - begun)
    return times


def call_times(calls: int) -> list[float]:
    """Return the seconds of calls through a pipe, after `tools/list` and a call."""
    times = []
    with initialized() as client:
        client.ask("tools/list", {})
        for _ in range(calls + 1):
            begun = time.perf_counter()
            params = {"name": "solve", "arguments": {"fen": FEN}}
            answer = client.ask("tools/call", params)
            times.append(time.perf_counter() - begun)
            assert answer["structuredContent"]["mate"] == 2
    return times[1:]


async def client_times(calls: int) -> list[float]:
    """Return the seconds of calls by the SDK's client, after a first one."""
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "mcp"], env=environment()
    )
    times = []
    async with Client(server) as client:
        await client.list_tools()
        for _ in range(calls + 1):
            begun = time.perf_counter()
            answer = await client.call_tool("solve", {"fen": FEN})
            times.append(time.perf_counter() - begun)
            assert answer.structured_content["mate"] == 2
    return times[1:]


def describe(times: Sequence[float]) -> str:
    """Return the median, and the time that one of twenty exceeds."""
    late = sorted(times)[int(0.95 * (len(times) - 1))]
    return f"median {1000 * median(times):.1f} ms, slowest of 20 {1000 * late:.1f} ms"


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--calls", type=int, default=200)
    chosen = parser.parse_args()
    run([*COMMAND, "warmup"], check=True, env=environment())
    start_times(1)
    print(f"initialize: {describe(start_times(chosen.starts))}")
    print(f"solve, through a pipe: {describe(call_times(chosen.calls))}")
    print(f"solve, SDK's client: {describe(asyncio.run(client_times(chosen.calls)))}")


if __name__ == "__main__":
    main()
