"""A client that writes and reads lines of JSON, so that it can break the protocol."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.cli.conftest import COMMAND
from tests.cli.processes import ENVIRONMENT
from tests.processes import started

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Raw:
    """A connection to a server, its `process`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._last = 0

    def write(self, line: bytes) -> None:
        """Send any line."""
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.write(json.dumps(message).encode())

    def request(self, method: str, **params: Any) -> int:
        """Send a request; return its id."""
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method}
        self.write(json.dumps({**message, "params": params}).encode())
        return self._last

    def call(self, name: str, *, token: str = "", **arguments: Any) -> int:
        """Call a tool; with a token, progress is asked for. Return the request's id."""
        meta = {"_meta": {"progressToken": token}} if token else {}
        return self.request("tools/call", name=name, arguments=arguments, **meta)

    def read(self) -> dict[str, Any]:
        """Return the next message of the server."""
        assert self.process.stdout
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def answer(self, number: int) -> dict[str, Any]:
        """Return the next message, which is the answer to a request."""
        message = self.read()
        assert message["id"] == number, message
        return message

    def solve(self, fen: str, **arguments: Any) -> dict[str, Any]:
        """Call `solve`, and return its record."""
        message = self.answer(self.call("solve", fen=fen, **arguments))
        record: dict[str, Any] = message["result"]["structuredContent"]
        return record


@contextmanager
def connected(
    *command: str, patience_s: float = 120, **variables: str
) -> Iterator[Raw]:
    """Start a server, and shake hands with it."""
    from subprocess import PIPE

    with started(
        command or (*COMMAND, "mcp"),
        text=False,
        patience_s=patience_s,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={**ENVIRONMENT, **variables},
    ) as process:
        client = Raw(process)
        client.answer(client.request("initialize", **INITIALIZE))
        client.notify("notifications/initialized")
        yield client
