"""Randomly changed records, sent to every entrance of the program.

usage: python -m benchmarks.fuzz [--records N] [--seed S]
                                       [--part PART] [--first BATCH]

The parts are `readers` (all formats), `report`, `verify` (`verify -`), `certificates`,
`api` (`solve`), `uci` and `mcp`; they share N records. Valid records are changed in a
few places, and most are sent among unchanged ones. These are faults:

- a traceback, or an undocumented error;
- a record that takes longer than `PATIENCE_S`;
- a record that is lost, or a valid one that is read differently because of another;
- an accepted position or move that python-chess refuses, a mate in one that disagrees
  with python-chess, or an accepted certificate that the naive oracle refutes.

A fault is printed with the command that repeats it, and the exit code is 1. A batch
depends only on the seed and on its number. Each part prints the number of records, and
how many of them were refused, accepted, and compared with an oracle.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import chess

from benchmarks.mutation import FORMATS, make_problems, mutate, mutate_json
from solver.certificate.build import certify_last
from solver.checker import check, load
from solver.errors import CertificateError, ForgeryError, FormatError, MatesolveError
from solver.formats.claims import FileSummary, ReadOptions
from solver.formats.registry import read_collection
from solver.laboratory.games import read_results
from solver.pages.collection_page import render_page
from solver.problem import MAX_MOVES, Limits, Problem
from solver.search.threads import Control
from solver.solving import Solver, solve
from tests.mcp.raw import connected
from tests.oracles import naive
from tests.pages.records import records_of
from tests.processes import run, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from solver.checker import Checked
    from solver.solution import Solution
    from tests.mcp.raw import Raw

Results: TypeAlias = list[Problem | FormatError | None]
"""A reader's result for each record; None for an ignored one."""

COMMAND = (sys.executable, "-m", "solver")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}

PATIENCE_S = 30
"""No record takes a second. `verify` may take this long for each 1,000 records."""

LONGEST = 3
"""The longest mate that the naive oracle searches for."""

LINE_ENDS = (b"\n", b"\r\n", b"\r")

READ = {"epd": 30, "jsonl": 15, "csv": 12, "fen": 15, "lichess": 12, "popeye": 9}
READ |= {"pgn": 5, "olive": 2}
"""The share of each format among the files for the readers, in per cent."""


class WrongError(Exception):
    """A fault of the program."""


class HangError(BaseException):
    """A timeout; not an Exception, so that the program does not catch it."""


def require(holds: object, found: object) -> None:
    """Raise WrongError unless a condition holds."""
    if not holds:
        raise WrongError(found)


@contextlib.contextmanager
def patience() -> Iterator[None]:
    """Interrupt the block after `PATIENCE_S`."""

    def give_up(*_: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Readers:
    """Reads files of all formats in which every other record is changed."""

    def __init__(self) -> None:
        self._path = Path(tempfile.mkdtemp()) / "records"

    def give(self, seeded: Random, found: Counter[str]) -> None:
        """Read a valid file, one with changed records, and one changed anywhere."""
        name = seeded.choices([*READ], [*READ.values()])[0]
        form = FORMATS[name]
        valid = [form.write(problem).encode() for problem in make_problems(20, seeded)]
        expected = self._read(name, valid, seeded, Counter())
        mixed = []
        for record in valid:
            mixed += [record, form.mutate(record, seeded)]
        kept = [record for record in mixed if record is not None]
        results = self._read(name, kept, seeded, found)
        found["records"] += len(kept)
        if form.one_a_line:
            require(len(results) == len(kept), f"{len(results)} of {len(kept)} results")
            alone = {r: bare(e) for r, e in zip(valid, expected, strict=True)}
            for result, record in zip(results, kept, strict=True):
                require(record not in alone or bare(result) == alone[record], result)
                # These formats spell a board as FENs do.
                if name in {"epd", "fen", "csv"} and isinstance(result, Problem):
                    board = result.fen.partition(" ")[0].encode()
                    require(board in record, f"{result} of {record!r}")
        else:  # a changed record may become several
            read = iter([bare(result) for result in results])
            for result in expected:
                require(bare(result) in read, f"{name}: lost {result}")
        self._path.write_bytes(mutate(form.join(valid), seeded, keep_lines=True))
        with patience():
            for _ in (*read_collection(self._path), *read_results(self._path)):
                pass

    def _read(
        self, name: str, records: list[bytes], seeded: Random, found: Counter[str]
    ) -> Results:
        form = FORMATS[name]
        line_end = seeded.choice(LINE_ENDS)
        self._path.write_bytes(form.join(records).replace(b"\n", line_end))
        summary, results = FileSummary(), Results()
        head = form.head.count(b"\n") if form.one_a_line else 0
        with patience():
            for result in read_collection(self._path, ReadOptions(name), summary):
                if isinstance(result, Problem):
                    require_problem(result)
                else:
                    require(result.reason.isprintable(), f"not one line: {result!r}")
                found["accepted" if isinstance(result, Problem) else "refused"] += 1
                found["compared"] += isinstance(result, Problem)
                line = int(result.source.rpartition(":")[2])
                if form.one_a_line:
                    results += [None] * (line - head - len(results) - 1)
                results.append(result)
        if form.one_a_line:
            results += [None] * (len(records) - len(results))
            require(results.count(None) == summary.not_selected, f"lost of {records}")
        return results


def bare(result: Problem | FormatError | None) -> object:
    """Remove from a result what depends on the record's place in the file."""
    if isinstance(result, Problem):
        nameless = result.id == Path(result.source).name
        return replace(result, source="", id="" if nameless else result.id)
    return result and result.reason


def require_problem(problem: Problem) -> None:
    """Require that python-chess accepts everything in the problem."""
    board = chess.Board(problem.fen)
    require(board.is_valid() and board.fen(en_passant="fen") == problem.fen, problem)
    require(problem.id.encode(), problem)  # a store can keep it
    require(problem.no_mate is None or 1 <= problem.no_mate <= MAX_MOVES, problem)
    if claim := problem.claim:
        require(1 <= abs(claim.mate) <= MAX_MOVES, problem)
        legal = {move.uci() for move in board.legal_moves}
        require(legal.issuperset(claim.keys), problem)
        for move in claim.line:
            require(chess.Move.from_uci(move) in board.legal_moves, problem)
            board.push_uci(move)


class Report:
    """Makes the page of an audit from changed records."""

    def give(self, seeded: Random, found: Counter[str]) -> None:
        """Make a page."""
        records = []
        for problem in make_problems(40, seeded):
            found["records"] += 1
            line = list(problem.claim.line) if problem.claim else []
            record = {"id": problem.id, "source": "x:1", "fen": problem.fen, "claim": 1}
            record |= {"status": "proved", "verdict": "proved", "mate": 1, "pv": line}
            record |= {"keys": [{"uci": line[0], "san": "?"}], "claimed_line": line}
            record |= {"plies": [{"move": line[0], "mate": 1, "keys": line}]}
            record |= {"nodes": 7, "time_s": 0.1}
            mutate_json(record, seeded)
            records.append(record)
        with patience():
            listed = records_of(render_page(records, title="fuzz"))
        require(len(listed) == len(records), f"lost of {records}")
        refused = sum(record["verdict"] == "unreadable" for record in listed)
        found["refused"] += refused
        found["accepted"] += len(records) - refused


class Verify:
    """Sends batches of EPD to `verify -`; claims of a mate in 1 are compared."""

    size = 5000

    def give(self, seeded: Random, found: Counter[str]) -> None:
        """Audit a batch."""
        lines = []
        for problem in make_problems(self.size, seeded):
            line = f"{problem.fen} dm 1; id {problem.id};".encode()
            changed = FORMATS["epd"].mutate(line, seeded)
            lines.append(changed if changed and seeded.random() < 0.5 else line)
        # An audit of more than half a second prints results as they come.
        options = "--ordered --format epd --jsonl --keys"
        limits = "--nodes 3000 --time 1000 --hash 16"
        done = run(
            [*COMMAND, "verify", "-", *options.split(), *limits.split()],
            stdin=b"".join(line + b"\n" for line in lines),
            text=False,
            patience_s=PATIENCE_S * (1 + self.size // 1000),
            env=ENVIRONMENT,
        )
        require(done.returncode in {1, 3, 65}, (done.returncode, done.stderr[-3000:]))
        require(b"Traceback" not in done.stderr, done.stderr[-3000:])
        records = [json.loads(line) for line in done.stdout.splitlines()]
        sources = [record["source"] for record in records]
        require(sources == [f"stdin:{n + 1}" for n in range(len(lines))], sources)
        found["records"] += len(lines)
        for record in records:
            found["refused" if record["fen"] is None else "accepted"] += 1
            if record["claim"] == 1:
                found["compared"] += 1
                mates = mates_in_one(record["fen"])
                keys = {key["uci"] for key in record["keys"]}
                require(record["verdict"] == ("proved" if mates else "refuted"), record)
                require(not mates or keys == mates, record)


@lru_cache(1 << 12)
def mates_in_one(fen: str) -> frozenset[str]:
    """Return all moves that mate at once, in UCI notation."""
    return frozenset(naive.keys(chess.Board(fen), 1))


class Certificates:
    """Checks changed certificates of short mates; accepted ones must be true."""

    def __init__(self) -> None:
        solver, few = Solver(hash_mib=1), 7
        self._documents: list[dict[str, Any]] = []
        for problem in make_problems(400, Random(0)):
            if chess.Board(problem.fen).occupied.bit_count() <= few:
                unclaimed = replace(problem, claim=None)
                solution = solver.solve(unclaimed, Limits(max_moves=2, nodes=100_000))
                made = certify_last(solution, solver.workspace, Control())
                if made.certificate:
                    self._documents.append(json.loads(made.certificate.encode()))

    def give(self, seeded: Random, found: Counter[str]) -> None:
        """Check a hundred certificates."""
        for _ in range(100):
            document = deepcopy(seeded.choice(self._documents))
            for _ in range(seeded.choice((1, 1, 2, 3))):
                mutate_json(document, seeded)
            text = json.dumps(document).encode()
            if seeded.random() < 0.2:
                text = mutate(text, seeded)
            found["records"] += 1
            try:
                with patience():
                    checked = check(load(io.BytesIO(text)))
            except (CertificateError, ForgeryError) as error:
                require(str(error).isprintable(), f"not one line: {error!r}")
                found["refused"] += 1
                continue
            found["accepted"] += 1
            bounds = [(checked.mate, True), (checked.lower_bound - 1, False)]
            for moves, mates in bounds:
                found["compared"] += (truth := is_mate(checked, moves)) is not None
                require(truth in {mates, None}, f"{checked} of {text!r}")


def is_mate(checked: Checked, moves: int | None) -> bool | None:
    """Search with the naive oracle; None without a bound, or if it is too large."""
    board = chess.Board(checked.fen)
    attacking = board.turn == checked.attacker
    if moves is not None and board.occupied_co[checked.attacker].bit_count() == 1:
        moves = min(abs(moves), 1)  # a lone king never mates
    if moves is None or not attacking <= abs(moves) <= LONGEST:
        return None
    return _is_mate(board.fen().rsplit(" ", 2)[0], abs(moves), attacking=attacking)


@lru_cache(1 << 14)
def _is_mate(position: str, moves: int, *, attacking: bool) -> bool:
    search = naive.mate_in if attacking else naive.mated_in
    return search(chess.Board(f"{position} 0 1"), moves)


class Api:
    """Calls `solve` on changed positions, for a mate in one."""

    def __init__(self) -> None:
        self._solver = Solver(hash_mib=1)

    def give(self, seeded: Random, found: Counter[str]) -> None:
        """Solve a hundred positions."""
        for problem in make_problems(100, seeded):
            fen, root_moves = problem.fen, None
            if seeded.random() < 0.4:
                fen = mutate(fen.encode(), seeded).decode("latin-1")
            if problem.claim and seeded.random() < 0.1:
                text = " ".join(problem.claim.keys).encode()
                root_moves = mutate(text, seeded).decode("latin-1").split()
            within = seeded.choice((*[None] * 6, 1, -1, 0, 201, 10**30))
            limits = Limits(max_moves=1, nodes=100_000)
            options = {"within": within, "root_moves": root_moves}
            found["records"] += 1
            try:
                with patience():
                    solution = solve(fen, limits, solver=self._solver, **options)  # type: ignore[arg-type]
            except MatesolveError as error:
                changed = fen != problem.fen or within is not None
                require(changed or root_moves is not None, f"{fen}: {error}")
                found["refused"] += 1
                continue
            found["accepted"] += 1
            if within is None and root_moves is None:
                found["compared"] += 1
                require(solution.mate == expected_mate(solution), solution)


def expected_mate(solution: Solution) -> int | None:
    """Search with the naive oracle for a mate in one, or being mated within one."""
    board = chess.Board(solution.problem.fen)
    if mates := mates_in_one(board.fen()):
        return 1 if mates == {*solution.keys} and solution.keys_complete else None
    return next((-n for n in (0, 1) if naive.mated_in(board, n)), None)


class Uci:
    """Sends an engine changed lines, one by one and all at once.

    `go mate 1` is compared. Of lines sent at once, each `isready` and `go` is answered,
    and searches in order.
    """

    size = 2000
    """The number of lines sent at once."""

    others = (
        *(b"setoption name MultiPV value 3", b"setoption name Clear Hash", b"stop"),
        *(b"setoption name Ponder value true", b"setoption name Hash value"),
        *(b"setoption name Keep Bounds value true", b"setoption name Keep Bounds"),
        *(b"ucinewgame", b"uci", b"debug on", b"ponderhit", b"register later", b"d"),
    )

    def give(self, seeded: Random, found: Counter[str]) -> None:
        """Run two sessions."""
        self._flood(seeded, found)
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with started(
            [*COMMAND, "uci"], text=False, patience_s=600, env=ENVIRONMENT, **pipes
        ) as engine:
            send(engine, b"setoption name Hash value 1")
            for problem in make_problems(200, seeded):
                self._play(engine, problem, seeded, found)
            with patience():
                _, err = engine.communicate(b"quit\n")
            require(engine.returncode == 0 and b"Traceback" not in err, err[-3000:])

    def _flood(self, seeded: Random, found: Counter[str]) -> None:
        """Send many lines in one write, and end with `quit` or without it."""
        lines = [b"setoption name Hash value 1"]
        boards = {}
        for problem in make_problems(self.size // 8, seeded):
            position = f"position fen {problem.fen}".encode()
            boards[position] = chess.Board(problem.fen)
            lines += [position, b"go mate 1", b"isready", seeded.choice(GOES)]
            chosen = seeded.choices((position, *GOES, *SETTINGS, *self.others), k=4)
            lines += [spoil(line, seeded) for line in chosen]
        never = {"quit", seeded.choice(("", "stop"))}
        lines = [line for line in lines if command_of(line) not in never]
        for number, line in enumerate(lines):
            if command_of(line) == "go" and line not in GOES:
                lines[number] = line + b" nodes 50"  # the last limit holds
        end = seeded.choice((b"\n", b"", b"\nquit", b"\njoho quit\n\xff go\n"))
        done = run(
            [*COMMAND, "uci"],
            stdin=b"\n".join(lines) + end,
            text=False,
            patience_s=PATIENCE_S * (1 + self.size // 1000),
            env=ENVIRONMENT,
        )
        require((done.returncode, done.stderr) == (0, b""), done.stderr[-3000:])
        answer = done.stdout.decode().split("\n")
        commands = Counter(map(command_of, lines))
        require(answer.count("readyok") == commands["isready"], "lost an isready")
        best = [line.split()[1] for line in answer if line.startswith("bestmove ")]
        require(len(best) == commands["go"], f"{commands['go']} go, {len(best)} moves")
        board, moves = None, iter(best)
        for line in lines:
            if command_of(line) == "position":
                board = boards.get(line)
            elif command_of(line) == "go":
                move = next(moves)
                if board and line in GOES:
                    legal = {legal.uci() for legal in board.legal_moves} or {"(none)"}
                    if line == b"go mate 1" and not commands["stop"]:
                        legal = {*mates_in_one(board.fen())} or legal
                    require(move in legal, f"{board.fen()}, {line!r}: {move}")
                    found["compared"] += 1
        found["records"] += len(lines)

    def _play(
        self,
        engine: subprocess.Popen[bytes],
        problem: Problem,
        seeded: Random,
        found: Counter[str],
    ) -> None:
        line = f"position fen {problem.fen}"
        if problem.claim and seeded.random() < 0.3:
            line += f" moves {' '.join(problem.claim.line)}"
        position = valid = line.encode()
        if seeded.random() < 0.4:
            position = b"position" + mutate(valid.removeprefix(b"position"), seeded)
        said = [line for line in send(engine, position) if "info string" in line]
        refused = any("info string position: " not in line for line in said)
        board = [line[5:] for line in send(engine, b"d") if line.startswith("Fen: ")]
        if position.split()[0] == b"position":
            require(refused != bool(board), f"{position!r}: {board}")
        require(board or position != valid, f"{position!r} was refused")

        go = seeded.choice((b"mate 1", b"mate 1", b"depth 1", b"nodes 50", b"infinite"))
        sent = mutate(go, seeded) if seeded.random() < 0.2 else go
        stop = b"" if sent == go != b"infinite" else b"\nstop"
        answer = send(engine, b"go " + sent + stop, until="bestmove")
        best = answer[-1].split()[1]
        if not board:
            require(best == "(none)", f"{position!r}, go {sent!r}: {answer}")
        elif sent == b"mate 1":
            found["compared"] += 1
            mates = mates_in_one(board[0])
            require(best in mates or not mates, f"{board}: {answer}")
            scored = any(" score mate 1 " in line for line in answer)
            require(scored == bool(mates), f"{board}: {answer}")
        other = mutate(seeded.choice(self.others), seeded)
        if other.split()[:1] not in ([b"go"], [b"quit"]):
            send(engine, other)
        found["records"] += 3
        found["accepted" if board else "refused"] += 1


GOES = (
    *(b"go mate 1", b"go depth 1", b"go nodes 50", b"go movetime 1", b"go infinite"),
    *(b"go ponder nodes 9", b"go", b"go wtime 0 btime 0", b"go mate -1"),
)

SETTINGS = (
    *(b"setoption name SyzygyPath value /", b"setoption name MultiPV value 2"),
    *(b"setoption name Hash value 1", b"setoption name Threads value 1"),
    *(b"position startpos moves e2e4", b"go searchmoves e2e4 d2d4 depth 1"),
)

STRANGE = (
    *(b"\0", b"a\0b", b"\xed\xa0\x80", b"x\xed\xbf\xbf", b"\xff\xfe", b"\xe2\x80\xa8"),
    *(
        b"\x85",
        b"\x1b[2J",
        b"\xef\xbb\xbf",
        b"\xef\xbc\x91",
        b"\xc2\xb2",
        b"%s{}",
        b"1_0",
    ),
    *(b"-1", b"0", b"1" + b"0" * 30, b"-" + b"9" * 400, b"9" * 5000, b"1e9", b""),
    *(b"name", b"value", b"moves", b"fen", b"startpos", b"mate", b"infinite", b"joho"),
    *(
        b"a" * 20_000,
        b" " * 20_000,
        b"e2e4" * 500,
        b"/dev/null",
        b"<empty>",
        b"\x0b\x0c",
    ),
)
"""Words that take the place of others: no text, not UTF-8, not a number, too much."""


def spoil(line: bytes, seeded: Random) -> bytes:
    """Put a strange word into a line, or change it anywhere, or leave it."""
    words = line.split(b" ")
    match seeded.randrange(4):
        case 0:
            return line
        case 1:
            return mutate(line, seeded)
        case 2:
            words[seeded.randrange(len(words))] = seeded.choice(STRANGE)
        case _:
            words.insert(seeded.randrange(len(words) + 1), seeded.choice(STRANGE))
    return b" ".join(words)


COMMANDS = (
    *("uci", "isready", "setoption", "ucinewgame", "position", "go", "stop"),
    *("ponderhit", "quit", "d", "debug", "register"),
)


def command_of(line: bytes) -> str:
    """Return the first word of a line that is a command, or nothing."""
    words = line.decode(errors="replace").split()
    return next((word for word in words if word in COMMANDS), "")


def send(
    engine: subprocess.Popen[bytes], line: bytes, until: str = "readyok"
) -> list[str]:
    """Send an engine a line, and wait for the end of its answer."""
    assert engine.stdin
    assert engine.stdout
    answer = [""]
    try:
        with patience():
            ready = b"\nisready" if until == "readyok" else b""
            engine.stdin.write(line + ready + b"\n")
            engine.stdin.flush()
            while not answer[-1].startswith(until):
                output = engine.stdout.readline()
                require(output, f"the engine has ended after {line!r}")
                answer.append(output.decode().rstrip("\n"))
    except HangError:
        require(holds=False, found=f"no {until} after {line!r}: {answer}")
    return answer


class Mcp:
    """Sends a server for language models changed messages.

    After each of them, a valid call of `solve` is answered, and compared.
    """

    size = 200
    """The number of changed messages to a server."""

    def give(self, seeded: Random, found: Counter[str]) -> None:
        """Run a server."""
        with connected(patience_s=600) as client:
            for number, problem in enumerate(make_problems(self.size, seeded)):
                client.write(self._message(problem, number, seeded))
                arguments = {"fen": problem.fen, "max_moves": 1}
                client.write(call_line(f"valid {number}", "solve", arguments))
                answers = self._read(client, f"valid {number}")
                require("structuredContent" in answers[-1].get("result", {}), answers)
                record = answers[-1]["result"]["structuredContent"]
                keys = frozenset(key["uci"] for key in record["keys"])
                require(keys == mates_in_one(problem.fen), record)
                refused = any(is_refused(answer) for answer in answers)
                found["refused" if refused else "accepted"] += 1
                found["compared"] += 1
                found["records"] += 1
            with patience():
                _, err = client.process.communicate()
            require(client.process.returncode == 0, client.process.returncode)
            require(b"Traceback" not in err, err[-3000:])

    def _message(self, problem: Problem, number: int, seeded: Random) -> bytes:
        """Return a call of some tool, changed, or a notification that cancels one."""
        assert problem.claim
        names = ("solve", "grade", "moves", "variations", "diagram", "check_collection")
        name = seeded.choice(names)
        own: dict[str, dict[str, Any]] = {
            "solve": {"max_moves": 2, "keys": seeded.random() < 0.5},
            "grade": {"line": " ".join(problem.claim.line), "within": 1},
            "moves": {"moves": problem.claim.keys[0]},
            "variations": {"set_play": True, "tries": 1, "stipulation": "#1"},
            "diagram": {"arrows": problem.claim.keys[0], "kind": "svg"},
        }
        arguments = {"fen": problem.fen, **own.get(name, {})}
        if name not in {"moves", "diagram"}:
            arguments["time_s"] = 0.2
        if name == "check_collection":
            del arguments["fen"]
            form = FORMATS[seeded.choice([*READ])]
            text = mutate(form.write(problem).encode(), seeded, keep_lines=True)
            arguments["text"] = text.decode(errors="replace")
        line = call_line(number, name, arguments)
        if seeded.random() < 0.5:
            message = json.loads(line)
            whole = seeded.random() < 0.3
            mutate_json(message if whole else message["params"], seeded)
            line = json.dumps(message).encode()
        elif seeded.random() < 0.2:
            cancelled = {"requestId": seeded.choice((number - 1, "valid 1", None, -1))}
            message = {"method": "notifications/cancelled", "params": cancelled}
            line = json.dumps({"jsonrpc": "2.0", **message}).encode()
        else:
            line = spoil(line, seeded).replace(b"\n", b" ")
        return line

    def _read(self, client: Raw, number: str) -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = [{}]
        try:
            with patience():
                while answers[-1].get("id") != number:
                    answers.append(client.read())
        except HangError:
            require(holds=False, found=f"no answer to {number!r}: {answers}")
        return answers[1:]


def is_refused(answer: dict[str, Any]) -> bool:
    """Return whether an answer is an error of the protocol or of a tool."""
    return "error" in answer or answer.get("result", {}).get("isError", False)


def call_line(number: int | str, name: str, arguments: dict[str, Any]) -> bytes:
    """Return the message that calls a tool."""
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call"}
    return json.dumps({**message, "params": params}).encode()


PARTS: dict[str, tuple[float, Callable[[], Any]]] = {
    "readers": (0.80, Readers),
    "report": (0.02, Report),
    "verify": (0.11, Verify),
    "certificates": (0.04, Certificates),
    "api": (0.02, Api),
    "uci": (0.009, Uci),
    "mcp": (0.001, Mcp),
}
"""Each part's share of the records, and its class."""


def fuzz(name: str, records: int, seed: int, first: int = 0) -> Counter[str]:
    """Run a part with at least `records` records, from batch number `first` on.

    Raises
    ------
    WrongError
        With the fault, and the command that repeats it.
    """
    part = PARTS[name][1]()
    found: Counter[str] = Counter()
    for number in count(first):
        if found["records"] >= records:
            return found
        try:
            part.give(Random(f"{seed} {name} {number}"), found)
        except (Exception, HangError) as error:
            words = f"--part {name} --seed {seed} --first {number} --records 1"
            msg = f"{error!r}\nagain: python -m benchmarks.fuzz {words}"
            raise WrongError(msg) from error
        if number % 100 == 0:
            print(f"{name}: {found['records']:,} of {records:,}", file=sys.stderr)
    raise AssertionError


def main() -> None:
    """Read the command line, and run."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--first", type=int, default=0, metavar="BATCH")
    chosen = parser.parse_args()
    parts = chosen.part or [*PARTS]
    whole = sum(PARTS[name][0] for name in parts)
    for name in parts:
        started = time.perf_counter()
        records = max(1, round(chosen.records * PARTS[name][0] / whole))
        found = fuzz(name, records, chosen.seed, chosen.first)
        kinds = ("records", "refused", "accepted", "compared")
        counts = ", ".join(f"{found[kind]:,} {kind}" for kind in kinds)
        print(f"{name}: {counts}; {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
