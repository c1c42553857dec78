"""`matesolve trace`: what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from solver.laboratory.iterative_deepening import Laboratory
from solver.laboratory.techniques import parse_variant
from tests.cli.conftest import rows

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

MATE_IN_2 = "7k/8/5K2/8/8/8/R7/8 w - -"
MATE = "7k/6Q1/5K2/8/8/8/8/8 b - -"
TWO_KINGS = "8/8/8/8/8/5K2/8/7k w - -"
IN_CHECK = "4r3/8/8/8/8/q4r2/2Q5/k1KR4 w - -"
NULL_MOVE = "7k/7P/7K/8/8/8/4R1p1/8 b - -"
PROMOTIONS = "8/4PPkP/7p/4K3/8/8/1p6/8 b - -"
LONG = "8/7K/8/8/8/8/R7/7k w - -"
FENS = {"MATE_IN_2": MATE_IN_2, "MATE": MATE, "TWO_KINGS": TWO_KINGS, "LONG": LONG}


CERTIFICATE = """\
Certificate: Mate in 2. 2 positions of the attacker.
move        then                 mate in
root        some move is enough        2
  Kg6       every reply loses          1
    Kg8     some move is enough        1
      Ra8#  mate                       0
"""


def counts(name: str) -> list[int]:
    """All nodes of the laboratory after each of four iterations."""
    board = chess.Board(f"{MATE_IN_2} 0 1")
    rows = Laboratory().deepen(board, parse_variant(name).techniques, 4)
    return [row.nodes_total for row in rows]


def test_both_searches_are_printed(matesolve: Cli) -> None:
    done = matesolve("trace", MATE_IN_2, "--plies", "1")
    traces = done.out.split("\n\n")
    assert (done.code, done.err) == (0, "")
    for name, trace in zip(("off", "mdp=cpw"), traces, strict=True):
        *_, before, last = counts(name)
        words = f"{last - before:,} nodes, after {before:,} in the iterations before"
        assert trace.startswith(f"{name}: Mate in 2. Depth 4: {words}")
    window = "root    pv        4        29,996 to +∞    29,996 to 30,000  all moves"
    assert window in traces[1]
    left_out = "472 deeper entries of the log are left out; --plies shows more.\n"
    assert traces[1].endswith(left_out)

    done = matesolve("trace", MATE_IN_2, "--json", "--html", "a.html")
    record = json.loads(done.out)
    assert (done.code, record["schema"]) == (0, 1)
    nodes = [trace["nodes"] for trace in record["traces"]]
    assert nodes == [counts(name)[-1] for name in ("off", "mdp=cpw")]
    assert "<!DOCTYPE html>" in Path("a.html").read_text(encoding="utf-8")
    assert matesolve("trace", MATE_IN_2, "--html", "a.html").out == ""


def test_a_tree_is_printed(cli: Cli) -> None:
    printed = cli(f"trace {MATE_IN_2} --search certificate")
    assert printed == (0, CERTIFICATE, "")
    printed = cli(f"trace {MATE_IN_2} --search proof-number --no-prover")
    numbers = "Proof-number search, mate in 2: Mate in 2. 7 nodes.\nmove   node "
    assert (printed.code, printed.out.startswith(numbers)) == (0, True)


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


def test_a_search_goes_deeper_until_a_technique_acts(matesolve: Cli) -> None:
    assert matesolve("trace", IN_CHECK, "--until", "extension") == (0, EXTENDED, "")


def test_the_node_that_is_looked_for_is_printed_beside_a_search_without_it(
    matesolve: Cli,
) -> None:
    for end, fen in (
        ("mate-distance", IN_CHECK),
        ("null-move", NULL_MOVE),
        ("multi-cut", PROMOTIONS),
    ):
        done = matesolve("trace", fen, "--until", end, "--json")
        off, found = json.loads(done.out)["traces"]
        assert (done.code, off["name"], off["step"]) == (0, "off", None)
        assert off["depth"] == found["depth"]
        assert end not in off["log"]["end"]
        printed = matesolve("trace", fen, "--until", end).out
        assert printed.splitlines()[-1].startswith(f"Step {found['step']:,}: ")
        row = found["log"]["end"].index(end)
        assert f"  {found['log']['san'][row]} " in printed


REFUSED = """
{TWO_KINGS} --search certificate | 1 | with a mate to trace, found none
{LONG} --search certificate --nodes 9 | 3 | expected a position
{MATE_IN_2} --mate 2 | 2 | --mate is an option of --search proof-n
{MATE_IN_2} --technique off --technique off --technique off --technique off | 2 | 3 tim
{MATE_IN_2} --technique mdp=fast | 2 | found 'fast'
{TWO_KINGS} --until mate --depth 3 | 1 | the end mate, found none
{MATE_IN_2} --until proved | 2 | alpha-beta has no end proved
"""


def test_what_cannot_be_traced_is_refused_in_one_line(matesolve: Cli) -> None:
    for words, code, error in rows(REFUSED):
        done = matesolve("trace", *words.format(**FENS).split())
        assert (done.code, done.out) == (int(code), "")
        assert error in done.err.splitlines()[-1]
