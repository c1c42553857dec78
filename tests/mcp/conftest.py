"""A server of `matesolve mcp`, and the SDK's own client."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.cli.processes import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from mcp import Client

PATIENCE_S = 120.0
"""Ends what hangs; no test measures time."""


class Connected(Protocol):
    """A client that is connected to a server in another process."""

    client: Client

    def __call__(self, name: str, **arguments: Any) -> Any: ...


@pytest.fixture(scope="session")
def sdk() -> ModuleType:
    """The SDK, or skip."""
    module: ModuleType = pytest.importorskip("mcp")
    return module


@pytest.fixture(scope="module", params=["auto", "legacy"])
def call(request: pytest.FixtureRequest, sdk: ModuleType) -> Iterator[Connected]:
    """Calls a tool by the SDK's client, in the newest protocol and with a handshake.

    What a tool returns must follow the schema that the server lists for it.
    """
    from anyio.from_thread import start_blocking_portal
    from jsonschema import Draft202012Validator

    for part in ("kernel", "battle_kernel", "help_kernel"):
        request.getfixturevalue(part)
    server = sdk.StdioServerParameters(
        command=sys.executable, args=["-m", "solver", "mcp"], env=ENVIRONMENT
    )
    client = sdk.Client(server, mode=request.param, read_timeout_seconds=PATIENCE_S)

    schemas: dict[str, dict[str, Any]] = {}

    def tool(name: str, **arguments: Any) -> Any:
        answer = portal.call(client.call_tool, name, arguments)
        if not answer.is_error:
            Draft202012Validator(schemas[name]).validate(answer.structured_content)
            assert (
                answer.structured_content.keys() <= schemas[name]["properties"].keys()
            )
        return answer

    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(client),
    ):
        listed = portal.call(client.list_tools).tools
        schemas |= {one.name: one.output_schema for one in listed}
        tool.client = client  # type: ignore[attr-defined]
        tool.portal = portal  # type: ignore[attr-defined]
        yield tool  # type: ignore[misc]
