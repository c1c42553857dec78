"""The tools of `matesolve mcp`, called in this process, and the SDK's own client."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.processes import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest.importorskip("mcp")

PATIENCE_S = 120.0
"""Ends what hangs; no test measures time."""


def call(name: str, **arguments: Any) -> Any:
    """Call a tool; what it returns must follow the schema that the server lists."""
    from jsonschema import Draft202012Validator

    from solver.mcp import server

    (tool,) = (one for one in server.read_tools()["tools"] if one["name"] == name)
    asked = server.Call(lambda _stipulation: None)
    answer = server._answer(asked, name, tool["inputSchema"], arguments)
    assert answer
    if not answer.is_error:
        assert answer.structured_content is not None
        schema = tool["outputSchema"]
        Draft202012Validator(schema).validate(answer.structured_content)
        assert answer.structured_content.keys() <= schema["properties"].keys()
    return answer


@pytest.fixture(scope="module")
def client(kernel: object) -> Iterator[Callable[..., Any]]:
    """Calls methods of the SDK's client, connected to a server in another process."""
    import mcp
    from anyio.from_thread import start_blocking_portal

    assert kernel
    server = mcp.StdioServerParameters(
        command=sys.executable, args=["-m", "solver", "mcp"], env=ENVIRONMENT
    )
    connection = mcp.Client(server, read_timeout_seconds=PATIENCE_S)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(connection),
    ):

        def ask(method: str, *arguments: Any) -> Any:
            asked = getattr(connection, method)
            return portal.call(asked, *arguments) if callable(asked) else asked

        yield ask
