"""`matesolve trace`: what it prints, and its exit codes."""

from __future__ import annotations

import io
import json
import signal
from typing import TYPE_CHECKING

import chess
import pytest
from rich.console import Console

from solver.laboratory.iterative_deepening import Laboratory, Runner
from solver.laboratory.techniques import ALPHA_BETA, parse_variant
from solver.laboratory.trace_text import describe_trace
from solver.laboratory.traces import record_of, trace_scores
from tests.cli.processes import process
from tests.cpu_time import wait_for_work

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Matesolve

MATE_IN_2 = "7k/8/5K2/8/8/8/R7/8 w - -"
MATE = "7k/6Q1/5K2/8/8/8/8/8 b - -"
TWO_KINGS = "8/8/8/8/8/5K2/8/7k w - -"
IN_CHECK = "4r3/8/8/8/8/q4r2/2Q5/k1KR4 w - -"
NULL_MOVE = "7k/7P/7K/8/8/8/4R1p1/8 b - -"
PROMOTIONS = "8/4PPkP/7p/4K3/8/8/1p6/8 b - -"
LONG = "8/7K/8/8/8/8/R7/7k w - -"

PROOF_NUMBERS = """\
Proof-number search, mate in 2: Mate in 2. 7 nodes.
move   node      left  thresholds  end     pn / dn
root   attacker     2       ∞ / ∞  proved    0 / ∞
  Ke5  child        1                       19 / 2
  Kf5  child        1                       14 / 2
  Kg5  child        1                       12 / 2
  Ke6  child        1                       14 / 2
  Kg6  child        1                        0 / ∞
"""

ONE_NODE = """\
Proof-number search, mate in 2: Mate in 2. 12 nodes.
move  node      left  thresholds  end                         pn / dn
root  attacker     2       ∞ / ∞  proved by the exact search    0 / ∞
The root. Proved by the exact search: White mates by force in the last moves. It \
needs no tree for so few moves; without it (--no-prover), there is one.
"""

CERTIFICATE = """\
Certificate: Mate in 2. 2 positions of the attacker.
move        then                 mate in
root        some move is enough        2
  Kg6       every reply loses          1
    Kg8     some move is enough        1
      Ra8#  mate                       0
"""

MATED = """\
off: Black is mated already. 0 nodes.
move  type  depth    window  end     score
root  pv        1  -∞ to +∞  mate  -30,000
The root. Mate: Black is mated on ply 0. It returns -30,000 (mate on ply 0). The game \
is over, so there is no move to search.
"""


def counts(name: str) -> list[int]:
    """All nodes of the laboratory after each of four iterations."""
    board = chess.Board(f"{MATE_IN_2} 0 1")
    rows = Laboratory().deepen(board, parse_variant(name).techniques, 4)
    return [row.nodes_total for row in rows]


def test_both_searches_are_printed_to_the_plies_that_are_wanted(
    matesolve: Matesolve,
) -> None:
    done = matesolve("trace", MATE_IN_2, "--plies", "1")
    off, cpw = done.out.split("\n\n")
    assert (done.code, done.err) == (0, "")
    for name, trace in (("off", off), ("mdp=cpw", cpw)):
        *_, before, last = counts(name)
        words = f"{last - before:,} nodes, after {before:,} in the iterations before"
        assert trace.startswith(f"{name}: Mate in 2. Depth 4: {words}")
    assert (
        "root    pv        4        29,996 to +∞    29,996 to 30,000  all moves" in cpw
    )
    assert cpw.endswith(
        "472 deeper entries of the log are left out; --plies shows more.\n"
    )


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ((MATE_IN_2, "--search", "proof-number", "--no-prover"), PROOF_NUMBERS),
        ((MATE_IN_2, "--search", "certificate"), CERTIFICATE),
        ((MATE_IN_2, "--search", "proof-number"), ONE_NODE),
        ((MATE, "--technique", "off"), MATED),
    ],
)
def test_a_tree_is_printed_and_one_node_says_why_it_is_the_only_one(
    matesolve: Matesolve, words: tuple[str, ...], printed: str
) -> None:
    assert matesolve("trace", *words) == (0, printed, "")


def test_json_has_the_whole_log_and_html_a_page(
    matesolve: Matesolve, tmp_path: Path
) -> None:
    page = tmp_path / "trace.html"
    done = matesolve("trace", MATE_IN_2, "--json", "--html", str(page))
    record = json.loads(done.out)
    assert done.code == 0
    assert record["schema"] == 1
    last = [counts(name)[-1] for name in ("off", "mdp=cpw")]
    assert [trace["nodes"] for trace in record["traces"]] == last
    assert "<!DOCTYPE html>" in page.read_text(encoding="utf-8")
    assert matesolve("trace", MATE_IN_2, "--html", str(page)).out == ""


def test_scores_are_numbers_or_mates_as_in_a_table(matesolve: Matesolve) -> None:
    for fen in ("k7/8/8/8/8/q7/q7/5K2 w - -", MATE_IN_2):
        asked = (fen, "--depth", "4", "--json")
        record = json.loads(matesolve("trace", *asked, "--technique", "off").out)
        rows = json.loads(matesolve("table", *asked).out)["rows"]
        scores = [row["score"] for row in record["traces"][0]["iterations"]]
        assert scores == [row["variants"]["off"]["score"] for row in rows]
        assert all(isinstance(score, int) or "M" in score for score in scores)


EXTENDED = """\
off: No mate found. 2 nodes.
move    type  depth      window  end                       score
root    pv        1    -∞ to +∞  all moves searched         -500
  Kd2+  pv        0    -∞ to +∞  evaluated at the horizon    500
  Qb2+  cut       0  499 to 500  evaluated at the horizon    500

check-extension=all: No mate found. 4 nodes.
move       type  depth        window  end                             score
root       pv        1      -∞ to +∞  all moves searched               -500
  Kd2+     pv        1      -∞ to +∞  all moves searched, extended      500
    Qc1+   pv        0      -∞ to +∞  evaluated at the horizon         -500
  Qb2+     cut       1    499 to 500  a move reaches beta, extended   1,400
    Qxb2#  all       0  -500 to -499  evaluated at the horizon       -1,400
Step 2: Kd2+. Black to move, 1 ply left. The check costs no depth. The window is -∞ to \
+∞.
"""


def test_a_search_goes_deeper_until_a_technique_acts(matesolve: Matesolve) -> None:
    assert matesolve("trace", IN_CHECK, "--until", "extension") == (0, EXTENDED, "")


@pytest.mark.parametrize("end", ["mate-distance", "null-move", "multi-cut", "material"])
def test_the_node_that_is_looked_for_is_printed_beside_a_search_without_it(
    matesolve: Matesolve, end: str
) -> None:
    fen = {"null-move": NULL_MOVE, "multi-cut": PROMOTIONS}.get(end, IN_CHECK)
    asked = ("trace", fen, "--until", end)
    done = matesolve(*asked, "--json")
    off, found = json.loads(done.out)["traces"]
    assert (done.code, off["name"], off["step"]) == (0, "off", None)
    assert off["depth"] == found["depth"]
    assert end not in off["log"]["end"]
    printed = matesolve(*asked).out
    last = printed.splitlines()[-1]
    assert last.startswith(f"Step {found['step']:,}: ")
    row = found["log"]["end"].index(end)
    assert f"  {found['log']['san'][row]} " in printed


def test_proof_numbers_open_at_an_end_too(matesolve: Matesolve) -> None:
    asked = (MATE_IN_2, "--search", "proof-number", "--no-prover", "--until")
    done = matesolve("trace", *asked, "proved")
    assert done.out.splitlines()[-1].startswith("Step ")
    done = matesolve("trace", *asked, "threshold")
    assert (done.code, done.out) == (1, "")


def test_a_narrow_terminal_gets_fewer_columns() -> None:
    laboratory = Laboratory()
    trace = trace_scores(
        Runner(laboratory),
        laboratory,
        chess.Board(f"{MATE_IN_2} 0 1"),
        parse_variant("mdp=cpw"),
        None,
    )
    record = record_of(f"{MATE_IN_2} 0 1", ALPHA_BETA, [trace])
    widths = {}
    for width in (60, 120):
        console = Console(width=width, file=io.StringIO())
        title, tree, *_ = describe_trace(console, record, 0, 1)
        assert isinstance(title, str)
        widths[width] = console.measure(tree).maximum
    assert widths[60] <= 60 < widths[120]


@pytest.mark.parametrize(
    ("options", "code", "error"),
    [
        ((TWO_KINGS, "--search", "certificate"), 1, "with a mate to trace, found none"),
        ((MATE, "--search", "certificate"), 1, "found Black mated already"),
        ((LONG, "--search", "certificate", "--nodes", "9"), 3, "expected a position"),
        (("8/8", "--json"), 65, "expected 8 ranks"),
        ((MATE_IN_2, "--mate", "2"), 2, "--mate is an option of --search proof-n"),
        ((MATE_IN_2, *["--technique", "off"] * 4), 2, "3 times at most"),
        ((MATE_IN_2, "--technique", "mdp=fast"), 2, "found 'fast'"),
        ((TWO_KINGS, "--until", "mate", "--depth", "3"), 1, "the end mate, found none"),
        ((TWO_KINGS, "--until", "mate", "--nodes", "99"), 3, "where the node limit"),
        ((MATE_IN_2, "--until", "proved"), 2, "alpha-beta has no end proved"),
    ],
)
def test_what_cannot_be_traced_is_refused_in_one_line(
    matesolve: Matesolve, options: tuple[str, ...], code: int, error: str
) -> None:
    done = matesolve("trace", *options)
    assert (done.code, done.out) == (code, "")
    assert error in done.err.splitlines()[-1]


def test_a_limit_shows_what_was_searched(matesolve: Matesolve) -> None:
    done = matesolve("trace", LONG, "--nodes", "5000", "--technique", "off")
    assert done.code == 3
    assert "The search was stopped." in done.out.splitlines()[0]
    numbers = ("--search", "proof-number", "--mate", "7", "--nodes", "100")
    assert matesolve("trace", LONG, *numbers).code == 3


def test_an_interrupt_ends_a_trace() -> None:
    words = ("trace", LONG, "--depth", "60", "--technique", "off")
    with process(*words, "--nodes", "9" * 12) as running:
        wait_for_work(running, 1.5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert (running.returncode, err) == (130, "interrupted\n")
    assert "The search was stopped." in out.splitlines()[0]
