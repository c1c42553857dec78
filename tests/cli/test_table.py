"""`matesolve table`: exact output, exit codes, and the shape of the published table."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from solver.cli import experiments
from solver.kernel.border.scored_struct import MATE_SCORE as MATE
from solver.kernel.border.scored_struct import Extension, Horizon, Mdp, RootOrder
from solver.laboratory import iterative_deepening
from solver.laboratory.node_counts import GLASS_FEN
from solver.laboratory.techniques import Iteration, NodeCount, Outcome
from tests.cli.conftest import ROOT, Ended, rows
from tests.sizes import sized

if TYPE_CHECKING:
    from collections.abc import Iterator

    import chess

    from solver.laboratory.techniques import Techniques
    from solver.search.threads import Control
    from tests.cli.conftest import Cli

KING_AND_ROOK = "8/8/8/8/8/5K2/R7/7k w - -"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
M2 = MATE - 3

PROBLEMS = f"""\
# three problems and an invalid line
{BACK_RANK} dm 1; id "fine";
{KING_AND_ROOK} bm #3; id "[red]rook";
hello
{BACK_RANK}
"""

BOTH = """\
off: no technique.
cpw: mate-distance pruning: both bounds, as on the Chess Programming Wiki.
"""
NODES = "A node is a move made, null moves included. "
SETTING = (
    "Transposition table: 262,144 entries, empty at first. Root searched within 50 of "
    "the last score. Move order: table move, captures and promotions, killers, "
    "history."
)


def interrupt(control: Control) -> None:
    """Press Ctrl-C, and wait until the search is stopped."""
    signal.raise_signal(signal.SIGINT)
    while not control.reason:
        time.sleep(0.001)


class Fake:
    """A laboratory with fixed answers: a mate in 2, at half the nodes with pruning."""

    made: list[Fake]

    def __init__(self, entries: int, imbalance: object = None) -> None:
        self.entries, self.imbalance = entries, imbalance
        self.asked: list[tuple[Techniques, int, int | None]] = []
        self.made.append(self)

    def deepen(
        self, _: chess.Board, techniques: Techniques, depth: int, **limits: Any
    ) -> Iterator[Iteration]:
        nodes, self.control = limits["nodes"], limits["control"]
        self.asked.append((techniques, depth, nodes))
        for reached in range(1, depth + 1):
            is_mate = reached >= 4 and techniques.mdp is not Mdp.LOWER
            score = M2 if is_mate else 10 * reached
            if techniques.mdp is Mdp.LOWER:
                score = 0  # which no sound search could say
            halved = techniques.mdp is not Mdp.OFF and reached >= 4
            counted = 10**reached // (1 + halved)
            if nodes is not None and counted > nodes:
                return
            if reached == 13:  # nobody counts so far
                interrupt(self.control)
            if self.control.reason:
                return
            proved = not is_mate or techniques.is_sound
            all_nodes, settled = 2 * counted, is_mate and proved
            yield Iteration(reached, score, "a2a3", counted, all_nodes, proved, settled)

    def find_mate(
        self, iterations: Iterator[Iteration], techniques: Techniques, depth: int
    ) -> Outcome:
        next(iterations, None)
        nodes = self.asked[-1][2]
        counted = 50 if techniques.mdp is Mdp.OFF else 25
        if not techniques.is_sound:
            return Outcome(9, False, False, counted, 2 * counted, True)
        if nodes is not None and counted > nodes:
            return Outcome(None, False, True, 0, nodes, False)
        if techniques.extension is Extension.PROMOTIONS and depth == 6:
            interrupt(self.control)
            return Outcome(None, False, False, 0, 1, False)
        mate = depth // 2 if techniques.mdp is not Mdp.LOWER else 1
        return Outcome(mate, True, True, counted, 2 * counted, True)


@pytest.fixture(autouse=True)
def fake(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Fake]:
    """Answer with `Fake`, except in tests that use `searching`."""
    monkeypatch.setattr(Fake, "made", [], raising=False)
    if "searching" not in request.fixturenames:
        monkeypatch.setattr(iterative_deepening, "Laboratory", Fake)
    return Fake


@pytest.fixture
def searching() -> None:
    """Let the laboratory itself answer."""


@pytest.fixture
def table(cli: Cli) -> Cli:
    """Return the command, beside two files; lines are without trailing spaces."""
    Path("some.epd").write_text(PROBLEMS)
    Path("good.epd").write_text(f'{BACK_RANK} dm 1; id "fine";\n')

    def call(line: str, *words: str, **settings: Any) -> Ended:
        code, out, err = cli(f"table {line}", *words, **settings)
        return Ended(code, re.sub(r" +$", "", out, flags=re.MULTILINE), err)

    return call


# --- one position

POSITION = f"""\
8/8/8/8/8/5K2/R7/7k w - - 0 1
                 off     off    cpw     cpw    cpw
depth  score   to PV  in all  to PV  in all  ratio
    1     10      10      20     10      20  1.000
    2     20     100     200    100     200  1.000
    3     30   1,000   2,000  1,000   2,000  1.000
    4     M2  10,000  20,000  5,000  10,000  0.500

variant  depth  score   to PV  in all  ratio
off          4     M2  10,000  20,000  1.000  {40 * "█"}
cpw          4     M2   5,000  10,000  0.500  {20 * "█"}

A row is a depth.
{BOTH}{NODES}to PV: until the principal variation was found; in all: until the \
iteration was complete; both are sums from depth 1.
ratio: nodes to PV compared with off.
{SETTING}
"""


def test_a_position_has_a_row_per_depth_and_bars(table: Cli) -> None:
    assert table(f"{KING_AND_ROOK} --depth 4") == (0, POSITION, "")


def test_without_a_mate_a_position_ends_at_a_limit_that_is_printed(
    table: Cli, fake: type[Fake]
) -> None:
    words = f"{KING_AND_ROOK} --mdp lower"  # the fake finds no mate with it
    code, out, err = table(words)
    assert (code, err) == (3, "")
    assert "  ratio" not in out  # of a single variant
    stopped = "Stopped before depth 20: lower. The limit of each search is 10,000,000"
    assert f"{stopped} nodes.\n" in out
    record = json.loads(table(f"{words} --json").out)
    assert (record["depth"], record["node_limit"]) == (20, 10_000_000)
    assert (len(record["rows"]), record["complete"]) == (7, False)
    assert table(f"{words} --time 9 -d 2").code == 0
    assert fake.made[-1].asked[0][1:] == (2, None)


def test_without_a_position_the_published_one_is_searched(
    table: Cli, fake: type[Fake]
) -> None:
    code, out, err = table("--nodes 100000")
    assert (code, err) == (3, "")
    assert out.startswith(f"{GLASS_FEN}\n")
    assert "  Glass  Glass  Glass  Glass\n" in out
    assert out.splitlines()[7].endswith("  0.500   1055  2,151  2,151  1.000")
    stopped = "Stopped before depth 20: off, cpw. The limit of each search is 100,000 "
    assert f"{stopped}nodes." in out
    (made,) = fake.made
    assert (made.entries, made.imbalance) == (2**18, None)
    assert [(asked[0].mdp, *asked[1:]) for asked in made.asked] == [
        (Mdp.OFF, 20, 100_000),
        (Mdp.CPW, 20, 100_000),
    ]


def test_settings_and_conditions_reach_every_search(
    table: Cli, fake: type[Fake]
) -> None:
    options = "--mdp off --efp off,on --null-reduction 3 --aspiration 0 -d 1"
    conditions = "--horizon mate --root-order nodes --count interior"
    code, out, err = table(f"{options} --table-entries 1024 {conditions}")
    assert (code, err) == (0, "")
    assert "A node is a position above the horizon" in out
    (made,) = fake.made
    plain, pruned = (asked[0] for asked in made.asked)
    assert (made.entries, plain.is_sound, pruned.is_sound) == (1024, True, False)
    assert (pruned.null_reduction, pruned.aspiration) == (3, 0)
    for one in (plain, pruned):
        found = one.horizon, one.root_order, one.count
        assert found == (Horizon.MATE, RootOrder.NODES, NodeCount.INTERIOR)


def test_json_is_one_record(table: Cli) -> None:
    code, out, err = table("--depth 4 --json --efp off,cut")
    assert (code, err) == (0, "")
    record: dict[str, Any] = json.loads(out)
    assert (record["schema"], record["fen"]) == (1, GLASS_FEN)
    last = record["rows"][3]["variants"]
    assert list(last) == ["off/off", "off/cut", "cpw/off", "cpw/cut"]
    shown = {"score": "M2", "nodes": 5000, "nodes_total": 10_000, "settled": True}
    assert last["cpw/off"] == {**shown, "proved": True, "move": "a2a3"}
    assert last["off/cut"]["settled"] is False
    assert record["rows"][0]["variants"]["off/off"]["score"] == 10
    assert record["rows"][0]["glass"] == {"score": 1041, "off": 3, "on": 3}


def test_variants_that_contradict_each_other_or_a_claim_are_a_failure(
    table: Cli,
) -> None:
    code, out, _ = table("--mdp off,lower --depth 4")
    assert code == 1
    assert "Sound variants contradict each other: please report this position.\n" in out
    code, out, _ = table("--mdp off,lower --depth 4 --json")
    assert (code, json.loads(out)["contradictory"]) == (1, True)
    code, out, _ = table("- --mdp lower", stdin=f"{BACK_RANK} dm 2;\n")
    assert code == 1
    assert out.splitlines()[-1] == "stdin:1: contradiction: claimed M2, M1 by lower"


def test_ctrl_c_prints_the_complete_iterations_and_writes_their_page(
    table: Cli,
) -> None:
    before = signal.getsignal(signal.SIGINT)
    code, out, err = table(f"{KING_AND_ROOK} -d 20 --csv --html a.html")
    assert (code, err) == (130, "interrupted\n")
    *_, last = found = list(csv.DictReader(io.StringIO(out)))
    assert (len(found), last["off.nodes"], last["cpw.nodes"]) == (12, str(10**12), "")
    assert signal.getsignal(signal.SIGINT) is before
    assert "Stopped before depth 20: off, cpw." in Path("a.html").read_text()


# --- a collection

TOTALS = f"""\
problem     mate  off  cpw  same answer
fine          M1   50   25          yes
[red]rook     M3   50   25          yes
some.epd:5    M4   50   25          yes

variant  differing  nodes  compared  found  ratio
off              0    300         3      3  1.000  {40 * "█"}
cpw              0    150         3      3  0.500  {20 * "█"}

A row is a problem, with the nodes until each variant found its mate.
{BOTH}{NODES}Counts are sums from depth 1.
ratio: nodes until the mate was found compared with off, as a geometric mean over \
the problems in which both found the same mate. differing: answers that differ from \
off's although no limit was hit.
{SETTING}
"""

UNREADABLE = """\
error: some.epd:4: board: expected 8 ranks with / between them, found 1 in 'hello'
"""


def test_a_collection_has_a_row_per_problem_and_totals(
    table: Cli, fake: type[Fake]
) -> None:
    assert table("some.epd") == (65, TOTALS, UNREADABLE)
    assert [asked[1:] for asked in fake.made[0].asked] == [
        (depth, 10_000_000) for depth in (2, 2, 6, 6, 8, 8)
    ]


def test_problems_with_another_stipulation_than_mate_are_skipped(table: Cli) -> None:
    stipulations = ('"s#1"', '"#1"; id "stipulated"', '"h#0.5"')
    lines = [f"{BACK_RANK} stipulation {each};\n" for each in stipulations]
    Path("x.epd").write_text(f'{BACK_RANK} dm 1; id "mate";\n{"".join(lines)}')
    code, out, err = table("x.epd --csv")
    assert (code, err) == (0, "2 records skipped, because they are not about a mate\n")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in rows] == ["mate", "stipulated"]


def test_ctrl_c_prints_the_complete_problems(table: Cli) -> None:
    Path("x.epd").write_text(f"{BACK_RANK} dm 1;\n{KING_AND_ROOK} dm 3;\n")
    code, out, err = table("x.epd --mdp off --check-extension off,promotions")
    assert (code, err) == (130, "interrupted\n")
    assert out.splitlines()[1].split() == ["x.epd:1", "M1", "50", "50", "yes"]
    assert "Stopped after 1 of 2 problems.\n" in out
    assert "x.epd:2" not in out


def test_standard_input_is_a_file_like_others(table: Cli) -> None:
    problem = f'{BACK_RANK} dm 1; id "=1+1";\n'
    code, out, err = table("- --csv", stdin=problem)
    (row,) = csv.DictReader(io.StringIO(out))
    assert (code, row["id"], row["source"]) == (0, "=1+1", "stdin:1")
    assert (row["off.mate"], row["same_answer"]) == ("1", "true")
    assert err.startswith("warning: 1 cell is a formula to a spreadsheet (line 2, id: ")
    assert "'=1+1" in table("- --csv --escape-formulas", stdin=problem).out
    assert table("good.epd --escape-formulas").code == 2
    code, out, err = table("good.epd - --sums --csv", stdin=problem)
    assert (code, err) == (0, "")
    sums = [(row["file"], row["found"]) for row in csv.DictReader(io.StringIO(out))]
    assert sums[::2] == [("good.epd", "1"), ("stdin", "1"), ("", "2")]


# --- options


def test_multi_cuts_and_table_sizes_are_read(table: Cli) -> None:
    for text, cut in (("3/6", (3, 6)), ("1/1", (1, 1)), ("0", (0, 0))):
        assert experiments.multi_cut(text) == cut
    for text, entries in (("2^18", 1 << 18), ("2^2", 4), ("4096", 4096), ("0", 0)):
        assert experiments.table_entries(text) == entries
    for text in ("", "3", "7/6", "0/6", "/6", "3/51"):
        ended = table("--multi-cut", text)
        assert (ended.code, ended.out) == (2, "")
        assert f"C/M with 1 <= C <= M <= 50, or 0, found '{text}'" in ended.err
    for text in ("", "2", "-4", "1000", "2^1", "2^37", "3^2"):
        ended = table(f"--table-entries={text}")
        assert (ended.code, ended.out) == (2, "")
        assert f"0 or a power of two from 2^2 to 2^36, found {text!r}\n" in ended.err


WRONG = """
--json --csv         | 2 | --json and --csv cannot be combined.
--ablation --mdp off | 2 | --ablation cannot be combined with options that choose tech
--sums               | 2 | --sums needs a collection, not one position.
--mdp off,of         | 2 | one of off, upper, lower, cpw, tight, vipermate, found 'of'
--horizon none       | 2 | 'none' is not one of 'static', 'mate', 'quiescence'.
--mip lazy,off,lazy  | 2 | '--mip': expected each value once, found 'lazy' twice
--check-extension '' | 2 | one of off, all, captures, promotions, uncapped, found ''
empty.epd            | 65 | error: expected records, found none: empty.epd
--mip-table no.mip   | 74 | error: no.mip: No such file or directory
--mip-table good.epd | 65 | error: good.epd: expected a material-imbalance table, fou
"""


def test_what_is_wrong_is_reported_before_any_search(
    table: Cli, fake: type[Fake]
) -> None:
    for words, code, message in rows(WRONG):
        Path("empty.epd").touch()
        ended = table(words)
        assert (ended.code, ended.out) == (int(code), "")
        assert message in ended.err.splitlines()[-1]
        assert fake.made == []


def test_a_page_is_written_in_addition_and_names_the_command(table: Cli) -> None:
    for words, command in (
        ("good.epd --csv --sums", "good.epd"),
        (f"--json -d2 -- {KING_AND_ROOK}", f"-d2 -- {KING_AND_ROOK}"),
    ):
        without = table(words)
        assert table(f"--html a.html {words}") == without
        assert table(f"--html=b.html {words}") == without
        page = Path("a.html").read_bytes()
        assert page == Path("b.html").read_bytes()
        assert f"<code>matesolve table {command}</code>".encode() in page


# --- the search itself


@pytest.mark.usefixtures("searching")
@sized("every", 9, 1)
def test_sound_variants_agree_with_every_claim_of_the_traps(
    every: int, table: Cli
) -> None:
    traps = (ROOT / "puzzles" / "traps.epd").read_text().splitlines()
    chosen = [line for line in traps if line[:1] not in {"", "#"}][::every]
    Path("traps.epd").write_text("\n".join(chosen))
    code, out, err = table("traps.epd --mdp off,tight --check-extension off,all --json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert (record["complete"], record["contradictory"]) == (True, False)
    assert len(record["problems"]) == len(chosen) > 9
    for problem in record["problems"]:
        assert problem["same_answer"]
        for outcome in problem["variants"].values():
            assert outcome["mate"] == problem["claim"]
