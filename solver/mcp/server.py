"""Serves a language model's client over standard input and output, by the official SDK.

Called by `cli`; imports most rooms.

The event loop reads and writes messages. Every call of a tool runs in a thread, and is
stopped when the client cancels it or leaves. tools.json describes the tools and their
arguments. Every text is data: a position, moves or a collection, never a file's name.
"""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections import Counter
from contextlib import contextmanager
from importlib.resources import files
from itertools import chain
from threading import Thread
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams as Params
from mcp_types import CallToolResult

from solver import __version__, errors, position_text, solving
from solver.output.text import describe, known_so_far
from solver.problem import DEFAULT_HASH_MIB, MATE, Limits, Problem, Stipulation
from solver.search.queries import Question, read_question
from solver.search.threads import WATCHDOG, Control, GroupControl, usable_cores
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SEARCHES = 2
"""Calls that run at once; others wait."""

TIME_S = 10.0
"""How long a call searches if the client does not say, in seconds."""

NODES = 200_000_000
"""The most positions that a search enters."""

SOLUTIONS = 200
"""Help play stops after this many solutions."""

RECORDS = 100
"""At most this many records of a collection are checked."""

ANSWER_CHARACTERS = 50_000
"""A longer text of an answer is cut."""

RECORD_CHARACTERS = 500_000
"""A longer record is refused."""

PROGRESS_S = 0.5
"""How often a running call reports its progress, in seconds."""

# The server


async def serve(prepare: Callable[[Stipulation], object]) -> None:
    """Serve a client until it closes standard input.

    Parameters
    ----------
    prepare : callable
        Loads the search for a stipulation; called in other threads.
    """
    slots = anyio.CapacityLimiter(SEARCHES)
    described = json.loads(files(__package__).joinpath("tools.json").read_text("utf-8"))
    tools = [types.Tool.model_validate(tool) for tool in described["tools"]]
    schemas = {tool.name: tool.input_schema for tool in tools}

    async def list_tools(_context: Any, _params: object) -> types.ListToolsResult:
        Thread(target=prepare_early, daemon=True).start()
        return types.ListToolsResult(tools=tools)

    def prepare_early() -> None:
        """Load what the first call needs: it follows soon."""
        _check({}, {})
        prepare(MATE)

    async def call_tool(context: Any, params: Params) -> CallToolResult:
        if params.name not in TOOLS:
            raise MCPError(types.INVALID_PARAMS, f"expected one of {', '.join(TOOLS)}")
        call = Call(prepare)

        def work() -> CallToolResult:
            try:
                arguments = _check(schemas[params.name], params.arguments or {})
                return TOOLS[params.name](call, **arguments)
            except errors.MatesolveError as error:
                return _refuse(str(error))
            except Exception as error:  # the client gets it; the server lives on
                return _refuse(f"internal error: {error!r}; please report it")

        async def report() -> None:
            started = time.monotonic()
            while True:
                await anyio.sleep(PROGRESS_S)
                spent_s = time.monotonic() - started
                await context.session.report_progress(spent_s, None, call.progress())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(report)
            try:
                answer = await run_sync(work, abandon_on_cancel=True, limiter=slots)
            finally:
                call.group.stop()
                tasks.cancel_scope.cancel()
        return answer

    server = Server(
        "matesolve",
        version=__version__,
        instructions=described["instructions"],
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def _check(schema: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments without those that are null, or raise InputError."""
    from jsonschema import Draft202012Validator

    arguments = {name: value for name, value in given.items() if value is not None}
    for error in Draft202012Validator(schema).iter_errors(arguments):
        if not error.path:
            raise errors.InputError(error.message[:200])
        expected = f"{error.validator} {error.validator_value}"
        raise errors.refusal(error.path[0], expected, error.instance)
    return arguments


def _refuse(message: str) -> CallToolResult:
    return CallToolResult(content=[types.TextContent(text=message)], is_error=True)


# The tools


class Call:
    """A call of a tool, which other threads can stop and watch.

    Parameters
    ----------
    prepare : callable
        Loads the search for a stipulation, before the clock starts.

    Attributes
    ----------
    group : GroupControl
        Stops the call.
    progress : callable
        Returns what is known so far.
    warnings : list of str
        What is wrong with the position; they precede the answer.
    """

    def __init__(self, prepare: Callable[[Stipulation], object]) -> None:
        self.group = GroupControl()
        self.progress: Callable[[], str] = lambda: "waiting"
        self.warnings: list[str] = []
        self.prepare = prepare

    def question(self, fen: str, stipulation: str = "", **limits: Any) -> Question:
        """Read a question as the command `solve` does."""
        asked = Stipulation.parse(stipulation) if stipulation else MATE
        self.prepare(asked)
        given = position_text.GivenPosition(fen, asked.white_begins)
        self.warnings = [f"Warning: {warning}" for warning in given.warnings]
        problem = Problem(given.fen, stipulation=asked) if stipulation else given.fen
        all_keys = limits.pop("all_keys", True)
        limits = {"time_s": TIME_S, "max_solutions": SOLUTIONS, **limits}
        return read_question(problem, Limits(nodes=NODES, **limits), keys=all_keys)

    @contextmanager
    def search(self) -> Iterator[tuple[solving.Solver, Control]]:
        """Provide a new solver and its control, which stops with the call."""
        cores = max(1, usable_cores() // SEARCHES)
        with self.group.search() as control:
            self.progress = lambda: known_so_far(control)
            yield solving.Solver(DEFAULT_HASH_MIB, threads=cores), control

    def answer(self, record: Any = None, *parts: Iterable[Any]) -> CallToolResult:
        """Return paragraphs, and a record as structured content and as text."""
        lines = chain.from_iterable(part.lines() for part in chain(*parts))
        text = "\n".join(chain(self.warnings, lines))
        if len(text) > ANSWER_CHARACTERS:
            kept = text[:ANSWER_CHARACTERS].rpartition("\n")[0]
            text = f"{kept}\nThe rest is left out: the answer is too long."
        whole = json.dumps(record, separators=(",", ":")) if record else ""
        if len(whole) > RECORD_CHARACTERS:
            msg = f"expected a shorter answer, found {len(whole):,} characters"
            raise errors.InputError(msg)
        content: list[Any] = [types.TextContent(text=x) for x in (text, whole) if x]
        return CallToolResult(content=content, structured_content=record)


def solve(call: Call, **asked: Any) -> CallToolResult:
    """Find the shortest mate, or what a stipulation demands."""
    question = call.question(**asked)
    with call.search() as (solver, control):
        solution = solver.answer(question, control)
    return call.answer(solution.to_dict(), describe(solution))


def grade(call: Call, moves: str, n: int, **asked: Any) -> CallToolResult:
    """Grade a line of moves as `solver.grade` does."""
    from solver.columns import grade as grading

    question = call.question(**asked)
    fen, limit = question.problem.fen, question.limits.time_s
    with call.search() as (_, control), WATCHDOG.limit(control, limit):
        found = grading.grade(fen, moves, n, nodes=NODES, control=control)
    return call.answer(found.to_dict())


def play(call: Call, **asked: Any) -> CallToolResult:
    """Write out the play of a problem."""
    from solver.output.shown_play import find_play, play_lines
    from solver.play.tree import PlayOptions

    options = PlayOptions(asked.pop("set_play", False), asked.pop("tries", 0))
    question = call.question(**asked)
    with call.search() as (solver, control):
        solution = solver.answer(question, control)
        shown = find_play(question, solution, solver, options, control)
    return call.answer(None, describe(solution), play_lines(solution, shown))


def check_collection(call: Call, text: str, time_s: float = TIME_S) -> CallToolResult:
    """Audit the first records of a text."""
    from solver.audit import job, workers
    from solver.formats import claims, registry
    from solver.output.audit_records import audit_record

    call.prepare(MATE)
    summary = claims.FileSummary("text")
    records = list(registry.read_text(text, summary=summary))
    results: list[Any] = []
    options = job.AuditOptions(Limits(time_s=time_s, nodes=NODES), all_keys=True)
    pool = workers.local_workers(options, 1)
    call.progress = lambda: f"{len(results):,} of {len(records):,} records"
    with WATCHDOG.limit(call.group, time_s):
        results += workers.audit(records[:RECORDS], options, pool, control=call.group)
    totals = Counter(result.word for result in results)
    record = {"schema": SCHEMA, "summary": summary.record(), "totals": totals}
    record["not_checked"] = len(records) - len(results)
    record["results"] = [audit_record(result) for result in results]
    return call.answer(record)


def diagram(call: Call, fen: str, moves: str = "", kind: str = "png") -> CallToolResult:
    """Draw a position."""
    from solver.output.shown_play import draw_board

    given = position_text.GivenPosition(call.question(fen).problem.fen)
    drawing = draw_board(given.fen, given.keys("moves", moves))
    image, mime_type = drawing.encode(), "image/svg+xml"
    if kind == "png":
        try:
            from resvg_py import svg_to_bytes
        except ImportError:
            raise errors.InputError(errors.missing_package("PNG", "resvg-py")) from None
        image, mime_type = svg_to_bytes(drawing, skip_system_fonts=True), "image/png"
    answer, data = call.answer(), b64encode(image).decode()
    answer.content.append(types.ImageContent(data=data, mime_type=mime_type))
    return answer


TOOLS = {one.__name__: one for one in (solve, grade, play, check_collection, diagram)}
