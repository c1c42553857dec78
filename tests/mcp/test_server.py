"""The server of `matesolve mcp`: cancellation, progress, ends, hostile input."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import psutil
import pytest

from solver.kernel.build.cache import candidate_directories
from solver.mcp import server as tools
from solver.problem import Limits
from tests.cli.processes import ENVIRONMENT
from tests.cpu_time import wait_for_work
from tests.mcp.conftest import call
from tests.mcp.raw import connected
from tests.processes import PATIENCE_S, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.mcp.raw import Raw

pytest.importorskip("mcp")
pytestmark = pytest.mark.usefixtures("kernel", "battle_kernel", "help_kernel")

MATE_IN_2 = "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1"
START = chess.STARTING_FEN
EPD = START.removesuffix(" 0 1")

ENDLESS: list[tuple[str, dict[str, Any]]] = [
    ("solve", {"fen": START}),
    ("solve", {"fen": START, "stipulation": "h=7"}),
    ("grade", {"fen": START, "line": "e4", "within": 30}),
    ("check_collection", {"text": f"{EPD} dm 30;\n" * 50}),
]
"""Calls that take all the time that they may."""


def progress_words(client: Raw, *tokens: str) -> dict[str, str]:
    """Read progress until it has come for each token; return the last by token."""
    found: dict[str, str] = {}
    while set(found) != {*tokens}:
        params = client.read()["params"]
        found[params["progressToken"]] = params["message"]
    return found


def end(client: Raw) -> tuple[int, bytes, bytes]:
    """Close the server's input; return its exit code and what it printed."""
    out, err = client.process.communicate()
    return client.process.returncode, out, err


@pytest.fixture(scope="module")
def client(kernel: object) -> Iterator[Raw]:
    """A server for the tests that neither end nor break it."""
    assert kernel
    with connected(patience_s=PATIENCE_S) as client:
        yield client
        assert end(client) == (0, b"", b"")


def test_a_cancelled_call_stops_at_once_and_is_not_answered(client: Raw) -> None:
    process = psutil.Process(client.process.pid)
    for name, arguments in ENDLESS:
        number = client.call(name, time_s=30, **arguments)
        wait_for_work(client.process, 0.3)
        client.notify("notifications/cancelled", requestId=number)
        assert client.solve(MATE_IN_2)["mate"] == 2  # not the answer to the other
        before = sum(process.cpu_times()[:2])
        time.sleep(0.4)
        assert sum(process.cpu_times()[:2]) - before < 0.2


def test_two_long_calls_search_at_once_a_third_waits_and_short_ones_do_not(
    client: Raw,
) -> None:
    long = [client.call("solve", token=token, fen=START, time_s=30) for token in "abc"]
    while (words := progress_words(client, *"abc"))["c"] != "waiting":
        pass  # each has searched for a short time
    assert "nodes" in words["a"]
    assert "nodes" in words["b"]
    for name, more in (
        ("solve", {}),
        ("moves", {"moves": "Qg8+"}),
        ("grade", {"line": "Qg8+", "within": 2}),
        ("variations", {}),
        ("diagram", {}),
    ):
        number = client.call(name, fen=MATE_IN_2, **more)  # takes milliseconds
        while (found := client.read().get("id")) != number:
            assert found is None  # progress of the others
    client.notify("notifications/cancelled", requestId=long[0])
    while progress_words(client, "b", "c")["c"] == "waiting":
        pass
    for number in long[1:]:
        client.notify("notifications/cancelled", requestId=number)
    number = client.request("ping")
    while client.read().get("id") != number:
        pass


@pytest.mark.parametrize(("name", "arguments"), [ENDLESS[0], ENDLESS[-1]])
def test_the_server_ends_when_its_input_ends_also_during_a_search(
    name: str, arguments: dict[str, Any]
) -> None:
    with connected() as client:
        number = client.call(name, time_s=30, **arguments)
        wait_for_work(client.process, 0.3)
        code, out, err = end(client)
    assert (code, err) == (0, b"")
    (message,) = map(json.loads, out.splitlines())
    assert message["id"] == number
    assert "error" in message


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize(("number", "is_busy"), [("SIGINT", True), ("SIGTERM", False)])
def test_a_signal_ends_the_server_with_130_and_no_traceback(
    number: str, is_busy: bool
) -> None:
    with connected() as client:
        if is_busy:
            client.call("solve", fen=START, time_s=30)
            wait_for_work(client.process, 0.3)
        client.process.send_signal(getattr(signal, number))
        assert client.process.wait() == 130
        for stream, printed in (("stdout", b""), ("stderr", b"interrupted\n")):
            assert getattr(client.process, stream).read() == printed


@pytest.mark.skipif(sys.platform != "linux", reason="stored code depends on the system")
def test_the_handshake_does_not_wait_for_the_compiler(tmp_path: Path) -> None:
    with connected(MATESOLVE_CACHE_DIR=str(tmp_path)) as client:
        client.answer(client.request("ping"))
        assert end(client) == (0, b"", b"")
    assert not [*tmp_path.rglob("*.bin")]


def test_an_internal_error_is_one_line_and_the_server_lives_on() -> None:
    program = """
from solver.__main__ import main
from solver.mcp import server

server.TOOLS["grade"] = lambda call, **asked: {}["a\\nb"]
main()
"""
    with connected(sys.executable, "-c", program, "mcp") as client:
        number = client.call("grade", fen=MATE_IN_2, line="e4", within=1)
        result = client.answer(number)["result"]
        assert result["isError"]
        (block,) = result["content"]
        assert block["text"].startswith("internal error: KeyError(")
        assert block["text"].endswith("; please report it")
        assert client.solve(MATE_IN_2)["mate"] == 2
        assert end(client) == (0, b"", b"")


WATCHED_EVENTS = ("open", "os.listdir", "os.scandir", "socket.", "subprocess.")

ALLOWED = (sys.prefix, sys.base_prefix, "/proc/", "/sys/", "/usr/share/zoneinfo/")
"""Where modules are imported from, and how many cores there are."""

WATCHED = f"""
import sys
from solver.__main__ import main

def watch(event, arguments):
    if served and event.startswith({WATCHED_EVENTS!r}):
        if not str(arguments[0]).startswith(allowed):
            sys.stderr.write(f"{{event}} {{arguments[0]}}\\n")

import solver
from solver.mcp import server

root = solver.__file__.rpartition("/")[0]
allowed = (root, str(sys.pycache_prefix), sys.argv.pop(), *{ALLOWED!r})
served = []
sys.addaudithook(watch)
read = server._check

def check(schema, given):  # from the first call on
    served.append(1)
    return read(schema, given)

server._check = check
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="knows where Linux keeps files")
def test_no_tool_opens_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.epd"
    secret.write_text(f"{MATE_IN_2.removesuffix(' 0 1')} dm 2;\n")
    names = [str(secret), "-", f"file://{secret}", f"@{secret}", "/etc/passwd"]
    texts = [
        *(*names, "PAR1" + "x" * 50, "BZh9" + "x" * 50),
        f"BeginProblem\nInput {secret}\nEndProblem\n",
        f'[Event "{secret}"]\n[FEN "{secret}"]\n\n*\n',
        json.dumps({"fen": str(secret), "$ref": f"file://{secret}"}),
        f"fen,mate\n{secret},2\n",
        f"---\nalgebraic: !!python/object/apply:open ['{secret}']\n",
        f"- !include {secret}\n",
    ]
    calls: list[tuple[str, dict[str, Any]]]
    calls = [("check_collection", {"text": text}) for text in texts]
    for name in names:
        calls += [(tool, {"fen": name}) for tool in ("solve", "moves", "variations")]
        calls += [
            ("solve", {"fen": MATE_IN_2, "stipulation": name[:30]}),
            ("grade", {"fen": MATE_IN_2, "line": name, "within": 2}),
            ("moves", {"fen": MATE_IN_2, "moves": name}),
            ("diagram", {"fen": MATE_IN_2, "arrows": name}),
        ]
    calls += [("diagram", {"fen": MATE_IN_2, "kind": kind}) for kind in ("svg", "png")]
    calls += [("variations", {"fen": MATE_IN_2}), ("solve", {"fen": MATE_IN_2})]
    cache = next(candidate_directories())
    with connected(sys.executable, "-c", WATCHED, "mcp", cache) as client:
        for name, arguments in calls:
            message = client.answer(client.call(name, **arguments))
            if name != "diagram":
                assert "Qg8+" not in str(message) or MATE_IN_2 in arguments.values()
        assert end(client) == (0, b"", b"")


def test_the_watch_notices_an_opened_file(tmp_path: Path) -> None:
    opening = "lambda call, fen: server._refuse(open(fen).read())"
    program = WATCHED.replace(
        "\nmain()", f"\nserver.TOOLS['moves'] = {opening}\nmain()"
    )
    file = tmp_path / "file"
    file.write_text("text")
    with connected(sys.executable, "-c", program, "mcp", "/none/") as client:
        client.answer(client.call("moves", fen=str(file)))
        assert f"open {file}\n".encode() in end(client)[2]


def test_a_long_play_is_cut_and_a_long_record_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = text_of("variations", fen=MATE_IN_2)
    monkeypatch.setattr(tools, "ANSWER_CHARACTERS", len(whole) - 20)
    *kept, last = text_of("variations", fen=MATE_IN_2).splitlines()
    assert last == "The rest is left out: the answer is too long."
    assert whole.startswith(kept[0])
    assert len(kept) < len(whole.splitlines())
    monkeypatch.setattr(tools, "RECORD_CHARACTERS", 100)
    assert text_of("solve", fen=MATE_IN_2).startswith("expected a shorter answer, foun")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert text_of("diagram", fen=MATE_IN_2).startswith("PNG needs resvg-py, which is")
    limits = tools.Call(lambda _stipulation: None).question(MATE_IN_2, time_s=30).limits
    assert limits == Limits(nodes=tools.NODES, time_s=30, max_solutions=200)


def text_of(name: str, **arguments: Any) -> str:
    """Call a tool in this process; return its text."""
    text: str = call(name, **arguments).content[0].text
    return text


MATE_IN_17 = "5bk1/p3p1p1/p3P1P1/p7/p7/8/P7/5K2 w - - 0 1"


# fmt: off
SHOWN: list[tuple[int, dict[str, Any], list[str]]] = [
    (600, {"fen": MATE_IN_17}, ["mates in 17", "1. Ke2 Kh8", "17. Qxf8#"]),
    (300, {"fen": MATE_IN_17}, ["1. Ke2 Kh8", " ...\nOnly key: Ke2", "none is"]),
    (600, {"fen": "8/8/8/8/8/5k2/8/Q2K3R b - - 0 1", "stipulation": "h#3"},
     ["Helpmate in 3: 200 solutions", "\n  1) 1.Ke4 Qa4+ 2.Kd3 Rh3#", "\n..."]),
]
# fmt: on


@pytest.mark.parametrize(("most", "arguments", "parts"), SHOWN)
def test_the_text_of_an_answer_is_short_and_suffices(
    most: int, arguments: dict[str, Any], parts: list[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr(tools, "SOLUTION_BYTES", most)
    text = text_of("solve", **arguments)
    assert len(text.encode()) <= most
    assert [part for part in parts if part not in text] == []


def test_without_the_sdk_one_line_says_how_to_install_it() -> None:
    program = "import sys; sys.modules['mcp'] = None; "
    program += "from solver.__main__ import main; main()"
    done = run([sys.executable, "-c", program, "mcp"], env=ENVIRONMENT)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "error: matesolve mcp needs mcp, which is not installed: pip install mcp\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("redirection", ["<&-", ">/dev/full"])
def test_closed_and_full_streams_are_errors_of_reading_and_writing(
    redirection: str,
) -> None:
    ping = """echo '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'"""
    script = f'{ping} | "{sys.executable}" -m solver mcp {redirection}'
    done = run(["sh", "-c", script], env=ENVIRONMENT)
    assert done.returncode == 74
    assert done.stderr.startswith("error: standard input or output is closed")
    assert done.stderr.count("\n") == 1


def test_no_other_command_loads_the_sdk_and_the_help_names_all_tools() -> None:
    program = f"""
import sys
from solver.cli.main import run
for words in ["--help"], ["mcp", "--help"], ["solve", "{MATE_IN_2}"]:
    run(words)
print(sorted({{"mcp", "mcp_types", "pydantic", "solver.mcp"}} & {{*sys.modules}}))
"""
    done = run([sys.executable, "-c", program], check=True, env=ENVIRONMENT)
    assert done.stdout.endswith("[]\n")
    assert [name for name in tools.TOOLS if name not in done.stdout] == []


CALL = b'{"jsonrpc": "2.0", "id": 905, "method": "tools/call", "params": '
STRANGE = [
    *(b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b"[" * 100_000),
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 901, "method": "nope"}',
    b'{"jsonrpc": "2.0", "id": 902, "method": "tools/call"}',
    CALL + b"[]}",
    CALL + b'{"name": 1}}',
    CALL + b'{"name": "solve", "arguments": [1]}}',
    CALL + b'{"name": "solve", "arguments": {"fen": "\\ud800"}}}',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
    b'{"jsonrpc": "2.0", "id": 907, "method": "' + b"x" * 1_000_000 + b'"}',
]


def test_lines_that_are_no_requests_are_answered_or_ignored() -> None:
    with connected() as client:
        for line in STRANGE:
            client.write(line)
            number = client.request("ping")
            while client.read().get("id") != number:
                pass
        client.notify("notifications/cancelled", requestId=9)
        assert client.solve(MATE_IN_2)["mate"] == 2
        code, out, err = end(client)
    assert (code, out) == (0, b"")
    assert b"Traceback" not in err
