"""The engine as chess GUIs use it: a process that is driven line by line."""

from __future__ import annotations

import errno
import mmap
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import pytest

from solver import __version__
from solver.formats.streams import MAX_RECORD_BYTES
from solver.problem import DEFAULT_HASH_MIB
from solver.uci.protocol import OPTIONS
from tests.cli.conftest import COMMAND, rows
from tests.cli.processes import ENVIRONMENT, process
from tests.endgames.gaviota import write_table
from tests.oracles.endgames import solve_endgame
from tests.processes import PATIENCE_S, limited

with warnings.catch_warnings():
    # python-chess names an event loop policy, which Python 3.14 deprecates.
    warnings.simplefilter("ignore", DeprecationWarning)
    import chess.engine

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    from tests.cli.conftest import Cli

    Answers = Callable[..., list[str]]

MATE_IN_2 = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
SEVENTEEN_WHITE_PIECES = "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQ - 0 1"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
HARD = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
"""A search of it lasts for hours."""

DRAWN_OUT = "8/8/R7/1k6/8/8/8/7K w - - 0 1"
"""Mate in 16, which needs an endgame table."""


class Client:
    """Writes commands, and reads what comes."""

    def __init__(self, engine: subprocess.Popen[str]) -> None:
        self.engine = engine

    def notify(self, *commands: str) -> None:
        assert self.engine.stdin is not None
        for command in commands:
            self.engine.stdin.write(f"{command}\n")
        self.engine.stdin.flush()

    def read_to(self, start: str) -> list[str]:
        """Read lines up to one with this start."""
        assert self.engine.stdout is not None
        lines = []
        for line in self.engine.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith(start):
                return lines
        pytest.fail(f"expected a line with {start}, found {lines}")

    def ask(self, *commands: str) -> list[str]:
        """Send a command, and read to the best move."""
        self.notify(*commands)
        return self.read_to("bestmove")

    def end(self) -> tuple[int, str, str]:
        """Close the pipe to the engine, and wait for its end."""
        out, err = self.engine.communicate()
        return self.engine.returncode, out, err


@pytest.fixture
def client() -> Iterator[Client]:
    """An engine, which is killed if it does not answer, and the test fails."""
    with process("uci") as engine:
        yield Client(engine)


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    with (
        chess.engine.SimpleEngine.popen_uci(
            [*COMMAND, "uci"],
            timeout=PATIENCE_S,
            env=ENVIRONMENT,
            start_new_session=True,
        ) as engine,
        limited(engine.transport.get_pid(), 5 * PATIENCE_S),
    ):
        yield engine


@pytest.fixture
def answers(matesolve: Cli) -> Answers:
    """Return a function that sends all commands at once, and returns the answers."""

    def call(*commands: str, last: str = "") -> list[str]:
        ended = matesolve("uci", stdin="\n".join([*commands, last]))
        assert (ended.code, ended.err) == (0, "")
        return ended.out.splitlines()

    return call


def best_moves(lines: list[str]) -> list[str]:
    """Return the moves of all `bestmove` lines."""
    return [line.split()[1] for line in lines if line.startswith("bestmove ")]


def replayed(board: chess.Board, info: chess.engine.InfoDict) -> int | None:
    """Return the mate that an info line claims, after playing its line to the end."""
    board = board.copy()
    mate = info["score"].pov(board.turn).mate()
    for move in info["pv"]:
        assert move in board.legal_moves
        board.push(move)
    if mate is not None:
        assert board.is_checkmate()
        assert len(info["pv"]) == (2 * mate - 1 if mate > 0 else -2 * mate)
    return mate


# --- commands and their answers


@pytest.mark.parametrize("end", ["", "\r"])
def test_a_whole_session_of_a_chess_gui(end: str, client: Client) -> None:
    def notify(*commands: str) -> None:
        client.notify(*(f"{command}{end}" for command in commands))

    notify("uci")
    assert client.read_to("uciok") == [
        f"id name matesolve {__version__}",
        "id author the matesolve authors",
        *(f"option name {name} {it.declaration}" for name, it in OPTIONS.items()),
        "uciok",
    ]
    notify("setoption name Hash value 16", "debug off", "isready")
    assert client.read_to("readyok") == ["readyok"]
    notify("ucinewgame", f"\tposition  fen\t{MATE_IN_2} ", "go depth 3")
    *_, info, best = client.read_to("bestmove")
    said = "info depth 3 seldepth 3 multipv 1 score mate 2"
    assert re.fullmatch(rf"{said} nodes .* time \d+ pv h5a5 c8b7 e3f5", info)
    assert best == "bestmove h5a5 ponder c8b7"
    notify("quit")
    assert client.end() == (0, "", "")


def test_mate_and_stalemate_at_the_root_have_no_move(answers: Answers) -> None:
    for fen, score in ((MATED, "mate 0"), (STALEMATED, "cp 0")):
        said = [f"info depth 0 score {score}", "bestmove (none)"]
        assert answers(f"position fen {fen}", "go depth 5") == said


def test_an_invalid_command_is_reported_and_changes_nothing(answers: Answers) -> None:
    lines = answers(
        "position fen 4k3/8/8/8/8/8/8/RK5R w HA - 0 1",
        f"position fen {MATE_IN_2} moves e1e3",
        *("castle", "", "setoption name Contempt value 3", "joho \0 isready"),
        *(f"position fen {MATE_IN_2}", "setoption name Contempt", "go mate 2"),
    )
    expected = ["expected one of uci, isr", "expected one of the opti"]
    assert [line[12:36] for line in lines if "info string" in line] == [
        *("castling rights: expecte", "moves: expected a legal,"),
        *(*expected, expected[1]),
    ]
    assert lines.count("readyok") == 1
    assert lines[-1] == "bestmove h5a5 ponder c8b7"


def test_a_malformed_go_still_gets_a_bestmove(answers: Answers) -> None:
    expected = "expected a whole number, found"
    many, none, nothing, no_move, *_ = answers("go nodes many", "go mate")
    assert many == f"info string go nodes: {expected} 'many'"
    assert nothing == f"info string go mate: {expected} 'nothing'"
    assert none == no_move == "bestmove (none)"
    assert best_moves(answers("go searchmoves e2e5")) == ["(none)"]
    assert answers("go quickly nodes 1")[0] == "info string go: ignored 'quickly'"


def test_after_a_refused_position_there_is_no_position(answers: Answers) -> None:
    for position, why in rows(f"""
        fen {SEVENTEEN_WHITE_PIECES}    | 17
        fen {BACK_RANK} moves a1a8 a8a1 | a8a1
        fen                             | FEN
        startpos e2e4                   | expected moves after startpos, found 'e2e4'
    """):
        before = (f"position fen {BACK_RANK}", f"position {position}", "d")
        for go in ("go mate 1", "go infinite"):
            refusals = answers(*before, go)
            assert refusals[-1] == "bestmove (none)"
            assert all(line.startswith("info string ") for line in refusals[:-1])
            assert why in refusals[-2]
        last = answers(*before, "ucinewgame", "go depth 1")[-1]
        assert last.split()[1] in {move.uci() for move in chess.Board().legal_moves}
        assert best_moves(answers(*before[::-1], "go mate 1")) == ["a1a8"]


def test_a_line_that_is_too_long_is_refused_and_not_cut(answers: Answers) -> None:
    moves = " g1f3 g8f6 f3g1 f6g8" * (MAX_RECORD_BYTES // 20)
    long = f"position startpos moves{moves} e2e4"
    refusal, _reason, best, ready = answers(long, "go nodes 1", "isready")
    expected = "expected a line of at most 1,048,576 bytes, found a longer one"
    assert refusal == f"info string position: {expected}"
    assert (best, ready) == ("bestmove (none)", "readyok")


# --- options


def test_tablebases_answer_what_the_search_leaves_open(answers: Answers) -> None:
    folder = Path("two  spaces")
    folder.mkdir()
    write_table(solve_endgame(chess.ROOK), folder)
    path, go = "setoption name SyzygyPath value", "go nodes 1000"
    lines = answers(
        *(f"position fen {DRAWN_OUT}", go, f"{path} {folder}", go),
        *(f"{path} {folder}-missing", f"{path} <empty>", go),
    )
    (refusal,) = (line for line in lines if line.startswith("info string"))
    assert f"{folder}-missing': No such file or directory" in refusal
    best = [number for number, line in enumerate(lines) if line.startswith("best")]
    unknown, known, again = (lines[number - 1] for number in best)
    assert " seldepth 31 multipv 1 score mate 16 " in known
    for info in (unknown, again):
        assert " score cp 0 " in info


def test_too_large_a_table_is_refused_by_the_name_of_the_engines_option(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def allocate(fileno: int, size: int, **settings: int) -> mmap.mmap:
        if size >> 20 > DEFAULT_HASH_MIB:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        return mapped(fileno, size, **settings)

    mapped = mmap.mmap
    monkeypatch.setattr(mmap, "mmap", allocate)
    position = f"position fen {MATE_IN_2}"
    lines = answers("setoption name Hash value 4096", position, "go mate 2")
    assert best_moves(lines) == ["h5a5"]
    refusal = "expected 4096 MiB of memory, found less; using 128 MiB"
    assert lines[0] == f"info string option Hash: {refusal}"


# --- when a search ends, and what waits for it


def test_stop_returns_a_legal_move_from_any_search(client: Client) -> None:
    for go in ("go", "go ponder movetime 1", "go mate 9"):
        client.notify(f"position fen {HARD}", go, "isready")
        assert client.read_to("readyok") == ["readyok"]
        *infos, best = client.ask("stop")
        assert " multipv 1 score cp 0 nodes " in infos[-1]
        assert chess.Move.from_uci(best.split()[1]) in chess.Board(HARD).legal_moves
        assert client.ask("go nodes 1000")[-1].startswith("bestmove ")


def test_a_known_answer_waits_until_it_is_requested(client: Client) -> None:
    for go, release in (
        ("go infinite", "stop"),
        ("go ponder wtime 600000 nodes 5000", "ponderhit"),
    ):
        client.notify("ucinewgame", f"position fen {MATE_IN_2}", go)
        assert " score mate 2 " in client.read_to("info depth 3")[-1]
        client.notify("isready")
        assert not best_moves(client.read_to("readyok"))
        assert client.ask(release)[-1] == "bestmove h5a5 ponder c8b7"


def test_searches_sent_together_are_answered_in_order(answers: Answers) -> None:
    go = "go mate 1"
    first, second = f"fen {BACK_RANK}", f"fen {MATE_IN_2} moves h5a5 c8b7"
    lines = answers(
        *(f"position {first}", go, "setoption name Ponder value true", go),
        *("position fen 8/8", "isready", go, "ucinewgame", "castle", "isready", go),
        *(f"position {second}", "d", "isready", "go nodes many", go, "quit", go),
    )
    *known, opening, refused, last = best_moves(lines)
    assert known == ["a1a8", "a1a8", "(none)"]
    assert opening in {move.uci() for move in chess.Board().legal_moves}
    assert (refused, last) == ("(none)", "e3f5")
    assert lines.count("readyok") == 3


def test_what_is_sent_during_a_search_waits_for_it(client: Client) -> None:
    client.notify(f"position fen {HARD}", "go infinite", f"position fen {MATE_IN_2}")
    client.notify(
        "go ponder nodes 5000", "setoption name MultiPV value 2", "ponderhit", "isready"
    )
    assert not best_moves(client.read_to("readyok"))
    assert best_moves(client.ask("stop")) != ["h5a5"]
    *infos, best = client.read_to("bestmove")
    assert best_moves([best]) == ["h5a5"]
    assert " multipv 1 " in infos[-1]
    assert " multipv 2 " in client.ask("go depth 1")[-2]


def test_stop_ends_what_waits_if_it_has_no_limit_and_twice_the_rest(
    client: Client,
) -> None:
    for running, waiting, stops in (
        ("go infinite", "go ponder nodes 5", ["stop"]),
        ("go nodes 99999999999", "go", ["stop"]),
        ("go infinite", "go nodes 99999999999", ["stop", "stop"]),
    ):
        client.notify(f"position fen {HARD}", running, waiting, *stops)
        assert len(best_moves([client.read_to("bestmove")[-1] for _ in range(2)])) == 2
        client.notify(f"position fen {BACK_RANK}")
        assert best_moves(client.ask("go mate 1")) == ["a1a8"]


@pytest.mark.parametrize("end", ["quit", "stop"])
def test_a_second_quit_or_stop_ends_all_searches(end: str, client: Client) -> None:
    searches = ["go nodes 99999999999", "go mate 9", "go infinite", "go ponder nodes 5"]
    client.notify(f"position fen {HARD}", *searches, "quit", "isready", end)
    code, out, err = client.end()
    assert (code, err) == (0, "")
    assert len(best_moves(out.splitlines())) == 4
    assert "readyok" not in out


def test_a_client_that_has_left_is_no_error(client: Client) -> None:
    client.notify("isready")
    client.read_to("readyok")
    assert client.engine.stdout is not None
    client.engine.stdout.close()
    client.notify("go infinite", "isready")
    assert client.engine.stderr is not None
    assert client.engine.stderr.read() == ""
    assert client.engine.wait() == 74


def test_an_unusable_cache_is_reported_on_both_streams() -> None:
    Path("file").touch()
    with process("uci", MATESOLVE_CACHE_DIR="file") as engine:
        client = Client(engine)
        errors = client.read_to("info string error: ")
        code, _, err = client.end()
    assert (code, len(errors)) == (74, 1)
    assert err.startswith("error: ")


# --- python-chess as the client


LIMITS = (
    {"mate": 2, "nodes": 100_000},
    {"depth": 3},
    {"white_clock": 600, "white_inc": 1},
)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_real_client_gets_the_mate_by_any_limit(
    limit: dict[str, int], engine: chess.engine.SimpleEngine
) -> None:
    board = chess.Board(MATE_IN_2)
    info = engine.analyse(board, chess.engine.Limit(**limit))
    assert replayed(board, info) == 2
    assert {"depth", "seldepth", "nodes", "nps", "hashfull", "time"} <= info.keys()
