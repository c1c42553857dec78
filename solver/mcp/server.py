"""Serves a language model's client over standard input and output, by the official SDK.

The event loop reads and writes messages. Every call of a tool runs in a thread, and is
stopped when the client cancels it or leaves. tools.json describes the tools, their
arguments and what they return: a text that suffices alone, and the same as structured
content. Every text is data: a position, moves or a collection, never a file's name.
"""

from __future__ import annotations

import json
import time
from base64 import b64encode
from collections import Counter
from contextlib import contextmanager
from functools import partial
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
from solver.output.answer_record import san_of
from solver.output.text import describe, known_so_far, listed
from solver.problem import DEFAULT_HASH_MIB, MATE, Limits, Problem, Stipulation
from solver.search.queries import Question, read_question
from solver.search.threads import WATCHDOG, Control, GroupControl, usable_cores
from solver.solution import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SEARCHES = 2
"""Long calls that run at once; others wait."""

SHORT_S = 0.2
"""How long a call may search before it waits for the others and begins again, in
seconds."""

TIME_S = 10.0
"""How long a call searches if the client does not say, in seconds."""

NODES = 200_000_000
"""The most positions that a search enters."""

SOLUTIONS = 200
"""Help play stops after this many solutions."""

RECORDS = 100
"""At most this many records of a collection are checked."""

SOLUTION_BYTES = 600
"""The mating line is cut in a longer text of `solve`; the record has all of it."""

ANSWER_CHARACTERS = 50_000
"""A longer text of an answer is cut."""

RECORD_CHARACTERS = 500_000
"""A longer record is refused."""

PROGRESS_S = 0.5
"""How often a running call reports its progress, in seconds."""

# The server


def read_tools() -> dict[str, Any]:
    """Return tools.json with the shared parts in the places that refer to them."""
    given = json.loads(files(__package__).joinpath("tools.json").read_text("utf-8"))
    shared = given.pop("$defs")

    def whole(part: Any) -> Any:
        if isinstance(part, list):
            return [whole(one) for one in part]
        if not isinstance(part, dict):
            return part
        if reference := part.get("$ref"):
            return whole(shared[reference.removeprefix("#/$defs/")])
        return {name: whole(value) for name, value in part.items()}

    described: dict[str, Any] = whole(given)
    return described


async def serve(prepare: Callable[[Stipulation], object]) -> None:
    """Serve a client until it closes standard input.

    Parameters
    ----------
    prepare : callable
        Loads the search for a stipulation; called in other threads.
    """
    short, long = (anyio.CapacityLimiter(SEARCHES) for _ in range(2))
    described = read_tools()
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

        async def run(limiter: anyio.CapacityLimiter) -> CallToolResult | None:
            given = schemas[params.name], params.arguments or {}
            work = partial(_answer, call, params.name, *given)
            return await run_sync(work, abandon_on_cancel=True, limiter=limiter)

        async def report() -> None:
            started = time.monotonic()
            while True:
                await anyio.sleep(PROGRESS_S)
                spent_s = time.monotonic() - started
                await context.session.report_progress(spent_s, None, call.progress())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(report)
            try:
                call.is_short = params.name not in LONG
                answer = await run(short) if call.is_short else None
                call.is_short = False
                answer = answer or await run(long)
            finally:
                call.group.stop()
                tasks.cancel_scope.cancel()
        assert answer  # only short calls are without
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


def _answer(
    call: Call, name: str, schema: dict[str, Any], given: dict[str, Any]
) -> CallToolResult | None:
    """Call a tool; return None if that takes too long for a short call."""
    try:
        return TOOLS[name](call, **_check(schema, given))
    except UnfinishedError:
        return None
    except errors.MatesolveError as error:
        return _refuse(str(error))
    except Exception as error:  # the client gets it; the server lives on
        return _refuse(f"internal error: {error!r}; please report it")


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


class UnfinishedError(Exception):
    """A short search came to no end: the call waits for the others."""


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
    is_short : bool
        Whether the call may only search for a short time.
    progress : callable
        Returns what is known so far.
    fen : str
        The position after the moves played.
    notices : list of str
        They precede the answer: where the position is, and what is wrong with it.
    warnings : tuple of str
        What is wrong with the position.
    """

    def __init__(self, prepare: Callable[[Stipulation], object]) -> None:
        self.group = GroupControl()
        self.is_short = False
        self.progress: Callable[[], str] = _waiting
        self.fen = ""
        self.notices: list[str] = []
        self.warnings: tuple[str, ...] = ()
        self.prepare = prepare

    def position(
        self, fen: str, moves: str = "", asked: Stipulation = MATE
    ) -> position_text.GivenPosition:
        """Read a position, and play the moves."""
        self.prepare(asked)
        black = not asked.white_begins
        given = position_text.read_position(fen, moves, repair=True, black=black)
        self.fen, self.warnings = given.fen, given.warnings
        self.notices = [f"Warning: {warning}" for warning in given.warnings]
        return given

    def question(
        self,
        fen: str,
        moves: str = "",
        stipulation: str = "",
        root_moves: str = "",
        **limits: Any,
    ) -> Question:
        """Read a question as the command `solve` does."""
        asked = Stipulation.parse(stipulation) if stipulation else MATE
        after = self.position(fen, moves, asked).fen
        problem = Problem(after, stipulation=asked) if stipulation else after
        keys = limits.pop("keys", True)
        limits = {"time_s": TIME_S, "max_solutions": SOLUTIONS, **limits}
        self.is_short = self.is_short and limits["time_s"] > SHORT_S
        if self.is_short:
            limits["time_s"] = SHORT_S
        asked_for, only = Limits(nodes=NODES, **limits), root_moves or None
        question = read_question(problem, asked_for, keys=keys, root_moves=only)
        if first := question.root_moves:
            names = ", ".join(position_text.first_moves(after, first))
            self.notices.append(f"Only these first moves were searched: {names}")
        return question

    @contextmanager
    def search(self) -> Iterator[tuple[solving.Solver, Control]]:
        """Provide a new solver and its control, which stops with the call."""
        cores = max(1, usable_cores() // SEARCHES)
        with self.group.search() as control:
            solver = solving.Solver(DEFAULT_HASH_MIB, threads=cores)
            started = time.perf_counter()
            self.progress = lambda: known_so_far(control)
            yield solver, control
            if self.is_short and time.perf_counter() - started >= SHORT_S:
                self.progress = _waiting  # its limit of time may have been hit
                raise UnfinishedError

    def answer(self, record: dict[str, Any], *lines: str) -> CallToolResult:
        """Return lines of text, and a record as structured content."""
        text = "\n".join((*self.notices, *lines))
        if len(text) > ANSWER_CHARACTERS:
            kept = text[:ANSWER_CHARACTERS].rpartition("\n")[0]
            text = f"{kept}\nThe rest is left out: the answer is too long."
        if self.warnings:
            record["warnings"] = [*self.warnings]
        if (size := len(json.dumps(record))) > RECORD_CHARACTERS:
            errors.refuse("expected a shorter answer", f"{size:,} characters")
        content: list[Any] = [types.TextContent(text=text)]
        return CallToolResult(content=content, structured_content=record)


def _waiting() -> str:
    return "waiting"


def _lines(parts: Iterable[Any]) -> Iterator[str]:
    return chain.from_iterable(part.lines() for part in parts)


def _with_san(record: dict[str, Any]) -> dict[str, Any]:
    """Add to each field with moves in UCI notation one with the same in SAN."""
    names = san_of(record) if record.get("fen") else {}
    return record | {f"{name}_san": moves for name, moves in names.items()}


def _named(fen: str, moves: Iterable[str]) -> list[dict[str, str]]:
    """Return alternative moves with both of their names."""
    moves = [*moves]
    return position_text.named_moves(moves, position_text.first_moves(fen, moves))


def solve(call: Call, **asked: Any) -> CallToolResult:
    """Find the shortest mate, or what a stipulation demands."""
    question = call.question(**asked)
    with call.search() as (solver, control):
        solution = solver.answer(question, control)
    record = _with_san(solution.to_dict())
    if question.root_moves:
        record["root_moves"] = _named(call.fen, question.root_moves)
    lines = [*_lines(describe(solution))]
    if solution.solutions:
        from solver.output.shown_play import ShownSolutions

        shown = ShownSolutions(solution).lines(marks=False, paths=False)
        lines += (line.text for line in shown)
    left = SOLUTION_BYTES - len("\n".join([*call.notices, ""]).encode())
    return call.answer(record, *_shortened(lines, left))


def _shortened(lines: list[str], most: int) -> list[str]:
    """Cut a very long line, or else the last lines, to this many bytes in all."""
    longest = max(lines, key=len)
    over = len("\n".join(lines).encode()) - most
    if 0 < over < len(longest) - 99:
        cut = longest[: -over - 4].rpartition(" ")[0]
        return [f"{cut} ..." if line == longest else line for line in lines]
    while len("\n".join(lines).encode()) > most:
        lines = [*lines[:-2], "..."]
    return lines


def grade(
    call: Call, line: str, within: int, max_moves: int | None = None, **asked: Any
) -> CallToolResult:
    """Grade a line of moves as `solver.grade` does."""
    from solver.columns import grade as grading

    question = call.question(**asked)
    fen, limit = question.problem.fen, question.limits.time_s
    with call.search() as (_, control), WATCHDOG.limit(control, limit):
        found = grading.grade(
            fen, line, within, max_moves=max_moves, nodes=NODES, control=control
        )
    place = "" if found.ply is None else f" at ply {found.ply}"
    end = (
        ": mate" if found.ends_in_mate else f": {found.reason}" if found.reason else ""
    )
    longer = found.longer_mate or f"{within + 1} to {max_moves} moves"
    parts = {
        "Moves that mate in time": listed(found.right_moves_san),
        "Longest reply": found.reply_san,
        "Refutation": " ".join(found.refutation_san),
        f"Mate in {longer}": found.longer_status,
        "Position then": found.fen,
    }
    said = [f"{name}: {value}" for name, value in parts.items() if value]
    return call.answer(
        found.to_dict(), f"{found.status.capitalize()}{place}{end}", *said
    )


def moves(call: Call, fen: str, moves: str = "") -> CallToolResult:
    """Play moves, and list the legal ones after them."""
    from chess import Board

    board = Board(call.position(fen, moves).fen)
    legal = _named(call.fen, (move.uci() for move in board.legal_moves))
    mover = "white" if board.turn else "black"
    record = {
        "schema": SCHEMA,
        "fen": call.fen,
        "side_to_move": mover,
        "is_check": board.is_check(),
        "is_checkmate": board.is_checkmate(),
        "is_stalemate": board.is_stalemate(),
        "legal_moves": legal,
    }
    ends = [name for name in ("checkmate", "stalemate") if record[f"is_{name}"]]
    states = ends or ["check"] * board.is_check()
    ranks = zip("87654321", str(board).splitlines(), strict=True)
    return call.answer(
        record,
        f"Position: {call.fen}",
        ", ".join([f"{mover.capitalize()} to move", *states]),
        *(f"{rank} {squares}" for rank, squares in ranks),
        "  a b c d e f g h",
        f"Legal moves: {', '.join(move['san'] for move in legal) or 'none'}",
    )


def variations(
    call: Call, *, set_play: bool = False, tries: int = 0, **asked: Any
) -> CallToolResult:
    """Write out the play of a problem."""
    from solver.output.shown_play import find_play, play_lines
    from solver.play.record import PlayOptions

    question = call.question(**asked)
    with call.search() as (solver, control):
        solution = solver.answer(question, control)
        options = PlayOptions(set_play, tries)
        shown = find_play(question, solution, solver, options, control)
    lines = _lines(chain(describe(solution), play_lines(solution, shown)))
    return call.answer(_with_san(solution.to_dict()), *lines)


def check_collection(call: Call, text: str, time_s: float = TIME_S) -> CallToolResult:
    """Audit the first records of a text."""
    from solver.audit import job, workers
    from solver.formats import claims, registry
    from solver.output.audit_records import audit_record
    from solver.output.audit_text import fault, name_record

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
    left = len(records) - len(results)
    record = {
        "schema": SCHEMA,
        "summary": (understood := summary.record()),
        "totals": totals,
        "not_checked": left,
        "results": [_with_san(audit_record(result)) for result in results],
    }
    counts = [f"{count:,} {word}" for word, count in totals.items()]
    counts += [f"{left:,} not checked"] * (left > 0)
    return call.answer(
        record,
        f"{understood['format']}: {', '.join(counts)}",
        *(
            f"{name_record(result.source, result.id)}: {fault(result)}"
            for result in results
            if fault(result)
        ),
    )


def diagram(
    call: Call, fen: str, moves: str = "", arrows: str = "", kind: str = "png"
) -> CallToolResult:
    """Draw a position."""
    from solver.output.shown_play import draw_board

    keys = call.position(fen, moves).keys("arrows", arrows)
    drawing = draw_board(call.fen, keys)
    image, mime_type = drawing.encode(), "image/svg+xml"
    if kind == "png":
        try:
            from resvg_py import svg_to_bytes
        except ImportError:
            raise errors.InputError(errors.missing_package("PNG", "resvg-py")) from None
        image, mime_type = svg_to_bytes(drawing, skip_system_fonts=True), "image/png"
    record = {"schema": SCHEMA, "fen": call.fen, "arrows": _named(call.fen, keys)}
    answer = call.answer(record, f"Position: {call.fen}")
    data = b64encode(image).decode()
    answer.content.append(types.ImageContent(data=data, mime_type=mime_type))
    return answer


TOOLS: dict[str, Callable[..., CallToolResult]] = {
    one.__name__: one
    for one in (solve, grade, moves, variations, check_collection, diagram)
}

LONG = {"check_collection"}
"""Tools that always wait for other long calls."""
