"""The engine as chess GUIs use it: a process that is driven line by line."""

from __future__ import annotations

import errno
import mmap
import os
import re
import signal
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

import chess
import pytest

from solver import __version__
from solver.formats.streams import MAX_RECORD_BYTES
from solver.problem import DEFAULT_HASH_MIB
from solver.uci.protocol import OPTIONS
from tests.cli.conftest import COMMAND
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
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import Matesolve

MATE_IN_2 = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - - 0 1"
MATE_IN_8 = "8/7K/8/8/8/8/R7/7k w - - 0 1"
MATED_IN_3 = "8/8/8/8/8/5K2/R7/7k b - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
SEVENTEEN_WHITE_PIECES = "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQ - 0 1"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
HARD = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"

NO_END = (
    "go",
    "go infinite",
    "go ponder movetime 1",
    "go mate 9",
    "go nodes 99999999999",
)
"""Searches of `HARD` that last for hours, or wait for ever."""


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


@contextmanager
def started(**settings: str) -> Iterator[Client]:
    """Start an engine; it is killed if it does not answer, and the test fails."""
    with process("uci", **settings) as engine:
        yield Client(engine)


@pytest.fixture
def client() -> Iterator[Client]:
    with started() as client:
        yield client


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


def without_cost(lines: list[str]) -> list[str]:
    """Return the parts of an answer that do not depend on the cost."""
    return [re.sub(r"nodes .* time \d+", "cost", line) for line in lines]


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


def test_a_whole_session_of_a_chess_gui(client: Client) -> None:
    client.notify("uci")
    assert client.read_to("uciok") == [
        f"id name matesolve {__version__}",
        "id author the matesolve authors",
        *(f"option name {name} {it.declaration}" for name, it in OPTIONS.items()),
        "uciok",
    ]
    client.notify("setoption name Hash value 16", "debug off", "isready")
    assert client.read_to("readyok") == ["readyok"]

    client.notify("ucinewgame", f"\tposition  fen\t{MATE_IN_2} ")
    assert without_cost(client.ask("go depth 3")[-2:]) == [
        "info depth 3 seldepth 3 multipv 1 score mate 2 cost pv h5a5 c8b7 e3f5",
        "bestmove h5a5 ponder c8b7",
    ]
    client.notify(f"position fen {MATE_IN_2} moves h5a5")
    assert client.ask("go mate 2")[-1].startswith("bestmove ")

    client.notify("quit")
    assert client.end() == (0, "", "")


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_a_command_is_a_line_with_any_line_end(end: str, client: Client) -> None:
    assert client.engine.stdin is not None
    for command, answer in (("uci", "uciok"), ("isready", "readyok")):
        client.engine.stdin.write(f"{command}{end}")
        client.engine.stdin.flush()
        assert client.read_to(answer)[-1] == answer
    client.engine.stdin.write(f"quit{end}")
    assert client.end() == (0, "", "")


def test_mate_and_stalemate_at_the_root_have_no_move(client: Client) -> None:
    assert client.ask(f"position fen {MATED}", "go depth 5") == [
        "info depth 0 score mate 0",
        "bestmove (none)",
    ]
    assert client.ask(f"position fen {STALEMATED}", "go nodes 10") == [
        "info depth 0 score cp 0",
        "bestmove (none)",
    ]


def test_an_invalid_command_is_reported(client: Client) -> None:
    client.notify(
        f"position fen {MATE_IN_2}",
        "position fen 4k3/8/8/8/8/8/8/RK5R w HA - 0 1",
        f"position fen {MATE_IN_2} moves e1e3",
        "castle",
        "",
        "setoption name Contempt value 3",
        "isready",
    )

    lines = client.read_to("readyok")
    lines.remove("readyok")
    assert [line[:36] for line in lines] == [
        "info string castling rights: expecte",
        "info string moves: expected a legal,",
        "info string expected one of uci, isr",
        "info string expected one of the opti",
    ]
    client.notify(f"position fen {MATE_IN_2}", "castle", "setoption name Contempt")
    assert client.ask("go mate 2")[-1] == "bestmove h5a5 ponder c8b7"


def test_tablebases_answer_what_the_search_leaves_open(
    client: Client, tmp_path: Path
) -> None:
    folder = tmp_path / "two  spaces"
    folder.mkdir()
    write_table(solve_endgame(chess.ROOK), folder)
    client.notify("position fen 8/8/R7/1k6/8/8/8/7K w - - 0 1")

    def answer() -> str:
        *_, info, _ = client.ask("go nodes 1000")  # a slow machine reports on the way
        return re.sub(" nodes .*", "", info)

    unknown = answer()
    client.notify(f"setoption name SyzygyPath value {folder}")
    assert answer().endswith("seldepth 31 multipv 1 score mate 16")
    client.notify(f"setoption name SyzygyPath value {folder}-missing")
    (refusal, *_) = client.ask("go nodes 1000")
    assert refusal == (
        "info string option SyzygyPath: expected directories, "
        f"found '{folder}-missing': No such file or directory"
    )
    client.notify("setoption name SyzygyPath value <empty>")
    assert answer() == unknown
    assert "score cp 0" in unknown


def test_a_malformed_go_still_gets_a_bestmove(client: Client) -> None:
    assert client.ask("go nodes many") == [
        "info string go nodes: expected a whole number, found 'many'",
        "bestmove (none)",
    ]
    assert client.ask("go mate") == [
        "info string go mate: expected a whole number, found 'nothing'",
        "bestmove (none)",
    ]
    assert client.ask("go searchmoves e2e5")[-1] == "bestmove (none)"
    assert client.ask("go quickly nodes 1")[0] == ("info string go: ignored 'quickly'")


@pytest.mark.parametrize("go", NO_END)
def test_stop_returns_a_legal_move_from_any_search(go: str, client: Client) -> None:
    client.notify(f"position fen {HARD}", "isready")
    client.read_to("readyok")
    client.notify(go, "isready")
    assert client.read_to("readyok") == ["readyok"]

    *infos, best = client.ask("stop")

    assert " multipv 1 score cp 0 nodes " in infos[-1]
    assert chess.Move.from_uci(best.split()[1]) in chess.Board(HARD).legal_moves
    assert client.ask("go nodes 1000")[-1].startswith("bestmove ")


@pytest.mark.parametrize(
    ("go", "release"), [("go infinite", "stop"), ("go ponder nodes 5000", "ponderhit")]
)
def test_a_known_answer_waits_until_it_is_requested(
    go: str, release: str, client: Client
) -> None:
    client.notify(f"position fen {MATE_IN_2}", go)
    assert " score mate 2 " in client.read_to("info depth 3")[-1]
    client.notify("isready")
    assert not [line for line in client.read_to("readyok") if "bestmove" in line]

    assert client.ask(release)[-1] == "bestmove h5a5 ponder c8b7"


def test_ponderhit_starts_the_clock(client: Client) -> None:
    client.notify(f"position fen {HARD}", "go ponder wtime 4000 btime 4000", "isready")
    assert client.read_to("readyok") == ["readyok"]

    assert client.ask("ponderhit")[-1].startswith("bestmove ")


def best_moves(lines: str | list[str]) -> list[str]:
    """Return the moves of all `bestmove` lines."""
    lines = lines.splitlines() if isinstance(lines, str) else lines
    return [line.split()[1] for line in lines if line.startswith("bestmove ")]


@pytest.mark.parametrize("end", ["quit\n", "", "quit"])
@pytest.mark.parametrize(
    "limit",
    ["mate 3", "depth 3", "nodes 99999999", "movetime 600000", "wtime 600000"],
)
def test_a_search_with_a_limit_is_finished_before_the_end(
    limit: str, end: str, matesolve: Matesolve
) -> None:
    commands = f"position fen {MATE_IN_2}\ngo {limit}\n{end}"

    code, out, err = matesolve("uci", stdin=commands)

    *_, info, best = out.splitlines()
    assert (code, err) == (0, "")
    assert re.search(r" score mate [23] ", info)
    assert f" pv {best.split()[1]} " in info


@pytest.mark.parametrize("go", ["go mate 1", "go movetime 300", "go nodes 5000"])
def test_searches_sent_together_are_answered_in_order(
    go: str, matesolve: Matesolve
) -> None:
    first, second = f"fen {BACK_RANK}", f"fen {MATE_IN_2} moves h5a5 c8b7"
    commands = [
        *(f"position {first}", go, "setoption name Ponder value true", go),
        *("position fen 8/8", "isready", go, "ucinewgame", "castle", "isready", go),
        *(f"position {second}", "d", "isready", "go nodes many", go, "quit", go),
    ]

    code, out, err = matesolve("uci", stdin="\n".join(commands))

    startpos = {move.uci() for move in chess.Board().legal_moves}
    assert (code, err) == (0, "")
    *known, opening, refused, last = best_moves(out)
    assert known == ["a1a8", "a1a8", "(none)"]
    assert opening in startpos
    assert (refused, last) == ("(none)", "e3f5")
    assert out.count("readyok") == 3


def test_what_is_sent_with_stop_waits_for_the_bestmove(client: Client) -> None:
    client.notify(f"position fen {HARD}", "go infinite", "isready")
    client.read_to("readyok")
    client.notify("stop", f"position fen {MATE_IN_2}", "go mate 2")

    first, second = (client.read_to("bestmove")[-1].split()[1] for _ in range(2))
    assert chess.Move.from_uci(first) in chess.Board(HARD).legal_moves
    assert second == "h5a5"


@pytest.mark.parametrize(
    "goes", [("go infinite", "go mate 2"), ("go infinite", "go ponder nodes 5000")]
)
def test_what_is_sent_during_a_search_waits_for_it(
    goes: tuple[str, str], client: Client
) -> None:
    running, waiting = goes
    client.notify(f"position fen {HARD}", running, f"position fen {MATE_IN_2}", waiting)
    client.notify("setoption name MultiPV value 2", "ponderhit", "isready")
    assert not best_moves(client.read_to("readyok"))

    assert best_moves(client.ask("stop")) != ["h5a5"]
    *infos, best = client.read_to("bestmove")
    assert best_moves([best]) == ["h5a5"]
    assert " multipv 1 " in infos[-1]
    assert " multipv 2 " in client.ask("go depth 1")[-2]


@pytest.mark.parametrize(
    ("running", "waiting", "stops"),
    [
        ("go infinite", "go infinite", 1),
        ("go infinite", "go ponder nodes 5", 1),
        ("go nodes 99999999999", "go", 1),
        ("go infinite", "go nodes 99999999999", 2),
        ("go mate 9", "go depth 99", 2),
    ],
)
def test_stop_ends_what_waits_if_it_has_no_limit_and_twice_the_rest(
    running: str, waiting: str, stops: int, client: Client
) -> None:
    client.notify(f"position fen {HARD}", running, waiting, *["stop"] * stops)

    assert len(best_moves([client.read_to("bestmove")[-1] for _ in range(2)])) == 2
    client.notify(f"position fen {BACK_RANK}")
    assert best_moves(client.ask("go mate 1")) == ["a1a8"]


@pytest.mark.parametrize("end", ["quit", "stop"])
def test_a_second_quit_or_stop_ends_a_search_with_a_limit(
    end: str, client: Client
) -> None:
    limited = ["go nodes 99999999999", "go mate 9"]
    client.notify(f"position fen {HARD}", *limited, "quit", "isready", end)

    code, out, err = client.end()

    assert (code, err) == (0, "")
    assert len(best_moves(out)) == 2
    assert "readyok" not in out


def test_options_hold_for_what_is_sent_after_them(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    write_table(solve_endgame(chess.ROOK), tmp_path)
    setting, go = f"setoption name SyzygyPath value {tmp_path}", "go nodes 1000"
    commands = ["position fen 8/8/R7/1k6/8/8/8/7K w - - 0 1", go, go, setting, go]

    out = matesolve("uci", stdin="\n".join(commands)).out

    answers = out.split("bestmove")[:-1]
    assert ["score mate 16" in answer for answer in answers] == [False, False, True]


@pytest.mark.parametrize("command", ["isready", "debug on\nisready"])
def test_unknown_words_before_a_command_are_skipped(
    command: str, matesolve: Matesolve
) -> None:
    assert matesolve("uci", stdin=f"joho \0 {command}").out == "readyok\n"


def test_a_line_that_is_too_long_is_refused_and_not_cut(matesolve: Matesolve) -> None:
    moves = " g1f3 g8f6 f3g1 f6g8" * (MAX_RECORD_BYTES // 20)
    commands = [f"position startpos moves{moves} e2e4", "go nodes 1", "isready"]

    out = matesolve("uci", stdin="\n".join(commands)).out

    refusal, _reason, best, ready = out.splitlines()
    assert refusal == (
        "info string position: expected a line of at most 1,048,576 bytes, found a "
        "longer one"
    )
    assert (best, ready) == ("bestmove (none)", "readyok")


def test_a_damaged_table_ends_one_search(matesolve: Matesolve, tmp_path: Path) -> None:
    (tmp_path / "KRvK.rtbw").touch()
    commands = [
        f"setoption name SyzygyPath value {tmp_path}",
        *("position fen 8/8/R7/1k6/8/8/8/7K w - - 0 1", "go nodes 1000"),
        *(f"position fen {MATE_IN_2}", "go mate 2"),
    ]

    code, out, err = matesolve("uci", stdin="\n".join(commands))

    lost, found = best_moves(out)
    assert (code, err, found) == (0, "", "h5a5")
    assert chess.Move.from_uci(lost) in chess.Board(commands[1][13:]).legal_moves
    assert out.startswith("info string Syzygy, 8/8/R7/1k6/8/8/8/7K w - - 0 1: expected")


def test_too_large_a_table_is_refused_by_the_name_of_the_engines_option(
    matesolve: Matesolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def allocate(fileno: int, size: int, **settings: int) -> mmap.mmap:
        if size >> 20 > DEFAULT_HASH_MIB:
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
        return mapped(fileno, size, **settings)

    mapped = mmap.mmap
    monkeypatch.setattr(mmap, "mmap", allocate)
    commands = ["setoption name Hash value 4096", f"position fen {MATE_IN_2}"]

    out = matesolve("uci", stdin="\n".join([*commands, "go mate 2"])).out

    assert best_moves(out) == ["h5a5"]
    assert out.splitlines()[0] == (
        "info string option Hash: expected 4096 MiB of memory, found less; "
        "using 128 MiB"
    )


def test_options_set_during_a_search_hold_for_the_next(client: Client) -> None:
    client.notify(f"position fen {MATE_IN_2}", "go infinite")
    client.read_to("info depth 3")
    client.notify(
        "setoption name Hash value 2",
        "setoption name MultiPV value 2",
        "setoption name Clear Hash",
    )
    assert client.ask("stop")[-1] == "bestmove h5a5 ponder c8b7"

    assert [line.split(" score")[0] for line in client.ask("go depth 3")[-3:-1]] == [
        "info depth 3 seldepth 3 multipv 1",
        "info depth 3 seldepth 3 multipv 2",
    ]


@pytest.mark.parametrize("end", ["quit\ngo infinite\n", ""])
def test_a_search_without_a_limit_ends_at_the_end(
    end: str, matesolve: Matesolve
) -> None:
    searches = ["go infinite", "go", "go ponder nodes 5", "go infinite mate 2"]
    commands = "\n".join([f"position fen {HARD}", *searches, end])

    code, out, err = matesolve("uci", stdin=commands)

    assert (code, err) == (0, "")
    assert len(best_moves(out)) == len(searches)


def test_quit_ends_a_running_search_without_a_limit(client: Client) -> None:
    client.notify("isready")
    client.read_to("readyok")
    client.notify(f"position fen {HARD}", "go infinite", "isready")
    client.read_to("readyok")
    client.notify("quit")

    code, out, err = client.end()

    assert (code, err) == (0, "")
    assert len(best_moves(out)) == 1


def test_an_interrupt_ends_it_silently(client: Client) -> None:
    client.notify("isready")
    client.read_to("readyok")
    client.notify("go infinite", "isready")
    client.read_to("readyok")

    client.engine.send_signal(signal.SIGINT)

    assert client.end() == (130, "", "")


def test_a_client_that_has_left_is_no_error(client: Client) -> None:
    client.notify("isready")
    client.read_to("readyok")
    assert client.engine.stdout is not None
    client.engine.stdout.close()
    client.notify("go infinite", "isready")

    assert client.engine.stderr is not None
    assert client.engine.stderr.read() == ""
    assert client.engine.wait() == 74


def test_an_unusable_cache_is_reported_on_both_streams(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.touch()

    with started(MATESOLVE_CACHE_DIR=str(nowhere)) as client:
        errors = client.read_to("info string error: ")
        code, _, err = client.end()

    assert (code, len(errors)) == (74, 1)
    assert err.startswith("error: ")


@pytest.mark.slow
def test_uciok_and_stop_do_not_wait_for_the_compiler(tmp_path: Path) -> None:
    with started(MATESOLVE_CACHE_DIR=str(tmp_path)) as client:
        client.notify("uci", "isready", f"position fen {MATE_IN_2}", "go infinite")
        assert "readyok" not in client.read_to("uciok")
        assert client.ask("stop")[-1].startswith("bestmove ")
        client.notify("go mate 2")
        *before, _ready = client.read_to("readyok")
        assert before == [
            "info string compiling the search, once for this version and machine ..."
        ]
        assert client.read_to("bestmove")[-1] == "bestmove h5a5 ponder c8b7"


@pytest.mark.slow
def test_quit_does_not_wait_for_the_compiler(tmp_path: Path) -> None:
    with started(MATESOLVE_CACHE_DIR=str(tmp_path)) as client:
        client.notify("isready")
        client.read_to("info string compiling")
        client.notify("quit")

        assert client.end() == (0, "readyok\n", "")


@pytest.mark.parametrize(
    "limit",
    [
        {"mate": 2},
        {"depth": 3},
        {"nodes": 1_000_000},
        {"time": 5},
        {"mate": 2, "nodes": 100_000},
        {"white_clock": 600, "black_clock": 600, "white_inc": 1},
    ],
)
def test_a_real_client_gets_the_mate_by_any_limit(
    limit: dict[str, int], engine: chess.engine.SimpleEngine
) -> None:
    board = chess.Board(MATE_IN_2)

    info = engine.analyse(board, chess.engine.Limit(**limit))

    assert replayed(board, info) == 2
    assert {"depth", "seldepth", "nodes", "nps", "hashfull", "time"} <= info.keys()


def test_a_real_client_gets_no_answer_for_a_position_that_was_refused(
    engine: chess.engine.SimpleEngine,
) -> None:
    accepted = chess.Board(BACK_RANK)
    refused = chess.Board(SEVENTEEN_WHITE_PIECES)
    limit, game = chess.engine.Limit(mate=1), object()

    assert replayed(accepted, engine.analyse(accepted, limit, game=game)) == 1
    info = engine.analyse(refused, limit, game=game)
    assert "score" not in info
    assert "pv" not in info
    assert engine.play(refused, limit, game=game).move is None
    assert replayed(accepted, engine.analyse(accepted, limit, game=game)) == 1


@pytest.mark.parametrize(
    ("position", "why"),
    [
        (f"fen {SEVENTEEN_WHITE_PIECES}", "17"),
        (f"fen {BACK_RANK} moves a1a8 a8a1", "a8a1"),
        ("fen", "FEN"),
        ("nowhere", "nowhere"),
        ("startpos e2e4", "expected moves after startpos, found 'e2e4'"),
    ],
)
def test_after_a_refused_position_there_is_no_position(
    position: str, why: str, client: Client
) -> None:
    client.notify(f"position fen {BACK_RANK}", f"position {position}", "d")
    for go in ("go mate 1", "go searchmoves a1a8", "go infinite"):
        refusals = client.ask(go)
        assert refusals[-1] == "bestmove (none)"
        assert all(line.startswith("info string ") for line in refusals[:-1])
        assert why in refusals[-2]

    assert client.ask("ucinewgame", "go depth 1")[-1] != "bestmove (none)"
    client.notify(f"position {position}", f"position fen {BACK_RANK}")
    assert client.ask("go mate 1")[-1] == "bestmove a1a8"


def test_a_new_game_keeps_a_valid_position(client: Client) -> None:
    client.notify(f"position fen {BACK_RANK}", "ucinewgame")

    assert client.ask("go mate 1")[-1] == "bestmove a1a8"


def test_a_real_client_gets_the_mated_side(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MATED_IN_3)

    for limit in ({"mate": 3}, {"nodes": 100_000}):
        info = engine.analyse(board, chess.engine.Limit(**limit))
        assert replayed(board, info) == -3


def test_a_real_client_gets_several_lines(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MATE_IN_8)

    infos = engine.analyse(board, chess.engine.Limit(nodes=8_000_000), multipv=3)

    mates = [replayed(board, info) for info in infos]
    assert mates[0] == 8
    assert all(mate is None or mate >= 9 for mate in mates[1:])
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    assert len({info["pv"][0] for info in infos}) == 3


def test_a_real_client_plays_the_mate_out(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MATE_IN_2)
    game = object()

    while not board.is_game_over():
        played = engine.play(board, chess.engine.Limit(nodes=500_000), game=game)
        assert played.move is not None
        board.push(played.move)

    assert board.is_checkmate()
    assert len(board.move_stack) == 3


def test_a_real_client_streams_and_stops(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MATE_IN_8)
    found = []

    with engine.analysis(board) as analysis:
        for info in analysis:
            if "score" in info:
                found.append(replayed(board, info))
                analysis.stop()
        best = analysis.wait()

    assert found[-1] is not None
    assert best.move == analysis.info["pv"][0]


def test_a_real_client_restricts_the_first_move(
    engine: chess.engine.SimpleEngine,
) -> None:
    board = chess.Board(MATE_IN_2)
    other = chess.Move.from_uci("h5h8")

    info = engine.analyse(board, chess.engine.Limit(depth=3), root_moves=[other])

    assert info["pv"] == [other]
    assert replayed(board, info) is None


def test_a_real_client_sets_options(engine: chess.engine.SimpleEngine) -> None:
    changed = {"Hash": 8, "Threads": 2, "Keep Bounds": True}
    engine.configure({**changed, "Clear Hash": None})

    info = engine.analyse(chess.Board(MATE_IN_2), chess.engine.Limit(mate=2))

    assert replayed(chess.Board(MATE_IN_2), info) == 2
    engine.configure({"Hash": 128, "Threads": 1, "Keep Bounds": False})


@pytest.mark.parametrize(
    "command",
    [
        "go nodes x{}",
        "go mate 1 {}",
        "go searchmoves {}",
        "setoption name Hash value {}",
        "setoption name {} value 1",
        "setoption {}",
        "setoption name Ponder value {}",
        "setoption name SyzygyPath value {}",
        "position {}",
        "position fen {} w - -",
        "position startpos moves {}",
        "{}",
    ],
)
def test_a_refused_text_is_quoted_in_short(command: str, client: Client) -> None:
    client.notify(f"position fen {MATE_IN_2}", command.format("9" * 100_000), "isready")
    lines = client.read_to("readyok")
    (refusal,) = [line for line in lines if line.startswith("info string ")]
    assert len(refusal) < 400
