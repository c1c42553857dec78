"""`matesolve match`, `mip play` and `generate`: output, exit codes, interrupts."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from solver import generate
from solver.files import lock
from solver.formats.epd import write_epd
from tests.cli.conftest import rows
from tests.cli.processes import process

if TYPE_CHECKING:
    import pytest

    from tests.cli.conftest import Cli

SHORT = ("--a", "check-extension=captures", "--games", "6", "--nodes", "200")
GAMES = Path("games.pgn")
TO_FILE = ("--games-file", "games.pgn")


def test_a_match_prints_its_score_beside_prophet4s(matesolve: Cli) -> None:
    code, out, err = matesolve("match", *SHORT, *TO_FILE)
    assert (code, err) == (0, "")
    head, score, prophet, blank, *notes = map(str.split, out.splitlines())
    assert " ".join(head) == "wins losses draws pct Elo error"
    name, *games = score[:4]
    assert (name, sum(map(int, games))) == ("check-extension=captures", 6)
    assert " ".join(prophet) == "Prophet4 3,206 3,119 4,505 50.4% 2.8 5.0"
    said = "6 games of check-extension=captures against off, 200 nodes a move, "
    assert (blank, " ".join(notes[0]).startswith(said)) == ([], True)
    content = GAMES.read_bytes()
    assert content.count(b"[Event ") == 6
    assert matesolve("match", *SHORT, *TO_FILE) == (code, out, err)
    code, out, err = matesolve("match", *SHORT, *TO_FILE, "--seed", "2")
    assert (code, out, err.count("\n")) == (65, "", 1)
    assert err.startswith("error: games.pgn: expected the games of this match, ")
    assert GAMES.read_bytes() == content

    code, printed, err = matesolve("match", *SHORT, "--json", "--jobs", "2")
    record = json.loads(printed)
    assert (code, err) == (0, "")
    assert [str(record[name]) for name in ("wins", "losses", "draws")] == games
    assert record["first"]["check_extension"] == "captures"
    assert (record["complete"], record["games"]) == (True, 6)


def test_a_file_that_another_match_writes_to_is_refused(matesolve: Cli) -> None:
    with GAMES.open("ab") as file:
        lock(file, GAMES)
        ended = matesolve("match", *SHORT, *TO_FILE)
    assert ended == (74, "", "error: games.pgn: another program is writing to it\n")


WRONG = """
| Missing option '--a'
--a x=1 | expected one of off, mdp=VALUE, check-extension=VALUE
--a check_extension=all | found 'check_extension'
--a mdp=cpw,mdp=cpw | expected each technique once, found 'mdp' twice
--a off --games 3 | expected an even number, found 3
"""


def test_a_wrong_command_line_is_named(matesolve: Cli) -> None:
    for words, message in rows(WRONG):
        code, out, err = matesolve("match", *words.split())
        assert (code, out) == (2, "")
        assert message in err


def test_an_interrupt_prints_the_score_so_far(matesolve: Cli) -> None:
    settings = ("--a", "mdp=cpw", "--nodes", "500", *TO_FILE)
    with process("match", *settings, "--games", "100000", "--jobs", "2") as running:
        while not GAMES.exists() or GAMES.stat().st_size < 5_000:
            assert running.poll() is None
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert (running.returncode, err) == (130, "interrupted\n")
    played = GAMES.read_bytes()
    games = played.count(b"[Event ")
    assert f"Stopped after {games:,} of 100,000 games." in " ".join(out.split())
    ended = matesolve("match", *settings, "--games", str(games))
    assert (ended.code, ended.err) == (0, "")
    assert GAMES.read_bytes() == played
    assert ended.out.splitlines()[1] == out.splitlines()[1]


def test_self_play_is_the_same_with_several_jobs(matesolve: Cli) -> None:
    play = ("mip", "play", "-d", "1", "--games")
    one, two = (matesolve(*play, "7", "--jobs", jobs) for jobs in ("1", "2"))
    assert one == two
    assert one.out.count("[Event ") == 7
    assert matesolve(*play, "1", "--first-game", "3").out in one.out


# --- puzzles

PRINTED = """\
# matesolve generate 2 --seed 7 --pieces 5-9 --unique-key
qB6/4B3/6p1/P7/8/2p1Q3/8/K6k w - - dm 2; \
bm Qh3+; pv Qh3+ Kg1 Bc5#; id "mate-in-2-seed-7-1";
8/7p/4Q3/r7/8/8/5k2/7K b - - dm 2; \
bm Rh5+; pv Rh5+ Qh3 Rxh3#; id "mate-in-2-seed-7-2";
8/3q4/7K/4n3/8/6p1/5R1R/k5N1 w - - dm 2; \
bm Rf1+; pv Rf1+ Qd1 Rxd1#; id "mate-in-2-seed-7-3";
"""


def test_puzzles_are_printed_with_how_they_were_made(matesolve: Cli) -> None:
    words = ("2", "--puzzles", "3", "--seed", "7", "--unique-key")
    assert matesolve("generate", *words) == (0, PRINTED, "")
    ten = "".join(write_epd(problem) for problem in generate(1, 10))
    head = "# matesolve generate 1 --seed 1 --pieces 5-9\n"
    assert matesolve("generate", "1").out == head + ten


WRONG_PUZZLES = f"""
60 | 'N': expected a whole number from 1 to 6, found '60'
2 --pieces 0 | '--pieces': expected a range within 3 to 20, such as 5-9, found '0'
2 --pieces 9-5 | expected a range within 3 to 20, such as 5-9, found '9-5'
2 --seed {2**63} | '--seed': expected a whole number from 0 to
2 --puzzles 0 | '--puzzles': expected a whole number from 1
"""


def test_a_wrong_argument_is_one_clear_line(matesolve: Cli) -> None:
    for words, expected in rows(WRONG_PUZZLES):
        ended = matesolve("generate", *words.split())
        assert (ended.code, ended.out) == (2, "")
        assert expected in ended.err.splitlines()[-1]


def test_a_search_that_finds_nothing_more_says_so(
    matesolve: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.columns.generate.PATIENCE", 100_000)
    head = "# matesolve generate 4 --seed 1 --pieces 3-3\n"
    err = "0 of 10 made: a billion nodes found no more\n"
    assert matesolve("generate", "4", "--pieces", "3") == (3, head, err)
