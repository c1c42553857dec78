"""`matesolve table`: exact output, exit codes, and the shape of the published table."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import pytest

from solver.cli import experiments
from solver.cli.main import run
from solver.kernel.border.scored_struct import (
    MATE_SCORE,
    Extension,
    Horizon,
    Mdp,
    RootOrder,
)
from solver.laboratory import iterative_deepening
from solver.laboratory.node_counts import GLASS_FEN
from solver.laboratory.techniques import Iteration, NodeCount, Outcome, parse_variant
from tests.cli.processes import process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.laboratory.techniques import Techniques
    from solver.search.threads import Control
    from tests.cli.conftest import Matesolve

ROOT = Path(__file__).parents[2]
KING_AND_ROOK = "8/8/8/8/8/5K2/R7/7k w - -"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
M2 = MATE_SCORE - 3

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
        self,
        _board: chess.Board,
        techniques: Techniques,
        depth: int,
        *,
        nodes: int | None,
        control: Control,
    ) -> Iterator[Iteration]:
        self.asked.append((techniques, depth, nodes))
        self.control = control
        for reached in range(1, depth + 1):
            score = M2 if reached >= 4 else 10 * reached
            counted = 10**reached
            if techniques.mdp is not Mdp.OFF and reached >= 4:
                counted //= 2
            if techniques.mdp is Mdp.LOWER:
                score = 0  # which no sound search could say
            if nodes is not None and counted > nodes:
                return
            if reached == 13:  # nobody counts so far
                interrupt(control)
            if control.reason:
                return
            is_mate = score == M2
            proved = not is_mate or techniques.is_sound
            yield Iteration(
                reached, score, "a2a3", counted, 2 * counted, proved, is_mate and proved
            )

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


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[Fake]:
    monkeypatch.setattr(Fake, "made", [], raising=False)
    monkeypatch.setattr(iterative_deepening, "Laboratory", Fake)
    return Fake


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some.epd").write_text(PROBLEMS)
    (tmp_path / "good.epd").write_text(f'{BACK_RANK} dm 1; id "fine";\n')
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command in this process, without trailing spaces in lines."""
    code = run(["table", *arguments])
    captured = capsys.readouterr()
    out = "".join(f"{line.rstrip()}\n" for line in captured.out.splitlines())
    return code, out, captured.err


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


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("words", [KING_AND_ROOK.split(), [KING_AND_ROOK]])
def test_a_position_has_a_row_per_depth_and_bars(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, *words, "--depth", "4") == (0, POSITION, "")


def test_without_a_depth_a_position_is_searched_four_plies_beyond_its_mate(
    fake: type[Fake], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, KING_AND_ROOK, "--nodes", str(10**9))
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[3:11]] == list("12345678")
    assert out.splitlines()[11] == ""
    (made,) = fake.made
    assert {asked[1:] for asked in made.asked} == {(20, 10**9)}


def test_without_a_mate_a_position_ends_at_a_limit_that_is_printed(
    fake: type[Fake], capsys: pytest.CaptureFixture[str]
) -> None:
    words = (KING_AND_ROOK, "--mdp", "lower")  # the fake finds no mate with it
    code, out, err = call(capsys, *words)
    assert (code, err) == (3, "")
    stopped = "Stopped before depth 20: lower. The limit of each search is 10,000,000"
    assert f"{stopped} nodes.\n" in out
    record = json.loads(call(capsys, *words, "--json")[1])
    assert (record["depth"], record["node_limit"]) == (20, 10_000_000)
    assert (len(record["rows"]), record["complete"]) == (7, False)
    assert call(capsys, *words, "--time", "9", "-d", "2")[0] == 0
    assert fake.made[-1].asked[0][1:] == (2, None)


def test_a_variant_that_finds_the_mate_earlier_is_searched_as_far_as_all_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mate_in_3 = "8/8/8/8/np6/K2P4/4Q3/k7 w - - 0 1"
    words = (mate_in_3, "--mdp", "off", "--check-extension", "off,all")
    code, out, err = call(capsys, *words, "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert (record["depth"], record["node_limit"]) == (10, 10_000_000)
    scores = {
        name: [row["variants"][name]["score"] for row in record["rows"]]
        for name in ("off", "all")
    }
    assert [scores[name].index("M3") + 1 for name in ("off", "all")] == [6, 5]
    board = chess.Board(mate_in_3)
    for name, text in (("off", "off"), ("all", "check-extension=all")):
        techniques = parse_variant(text).techniques
        counted = iterative_deepening.Laboratory().deepen(board, techniques, 10)
        assert [row["variants"][name]["nodes_total"] for row in record["rows"]] == [
            each.nodes_total for each in counted
        ]


def test_a_mate_in_2_without_a_depth_is_printed_exactly(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mate_in_2 = "7k/8/5K2/8/8/8/R7/8 w - - 0 1"
    assert call(capsys, mate_in_2) == call(capsys, mate_in_2, "-d", "8")


@pytest.mark.usefixtures("fake")
def test_a_single_variant_has_no_ratios(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = call(capsys, KING_AND_ROOK, "-d", "2", "--mdp", "tight")
    assert (code, err) == (0, "")
    assert out == (
        "8/8/8/8/8/5K2/R7/7k w - - 0 1\n"
        "              tight   tight\n"
        "depth  score  to PV  in all\n"
        "    1     10     10      20\n"
        "    2     20    100     200\n"
        "\n"
        "A row is a depth.\n"
        "tight: mate-distance pruning: both bounds, with beta at a mate on "
        "the next ply, as in Stockfish.\n"
        f"{NODES}to PV: until the principal variation was found; in all: until the "
        "iteration was complete; both are sums from depth 1.\n"
        f"{SETTING}\n"
    )


def test_without_a_position_the_published_one_is_searched(
    fake: type[Fake], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, "--nodes", "100000")
    assert (code, err) == (3, "")
    assert out.startswith(f"{GLASS_FEN}\n")
    assert "  Glass  Glass  Glass  Glass\n" in out
    assert out.splitlines()[7].endswith("  0.500   1055  2,151  2,151  1.000")
    assert (
        "Stopped before depth 20: off, cpw. The limit of each search is 100,000 nodes."
        in out
    )
    (made,) = fake.made
    assert (made.entries, made.imbalance) == (2**18, None)
    assert [(asked[0].mdp, *asked[1:]) for asked in made.asked] == [
        (Mdp.OFF, 20, 100_000),
        (Mdp.CPW, 20, 100_000),
    ]


def test_settings_reach_the_search(
    fake: type[Fake], capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--mdp off --efp off,on --null-reduction 3 --aspiration 0 -d 1"
    options += " --table-entries 1024"
    assert call(capsys, *options.split())[0] == 0
    (made,) = fake.made
    assert made.entries == 1024
    plain, pruned = (asked[0] for asked in made.asked)
    assert (plain.aspiration, pruned.aspiration) == (0, 0)
    assert (plain.is_sound, pruned.is_sound) == (True, False)
    assert pruned.null_reduction == 3


def test_conditions_reach_every_search(
    fake: type[Fake], capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--horizon mate --root-order nodes --count interior -d 1"
    code, out, err = call(capsys, *options.split())
    assert (code, err) == (0, "")
    assert "A node is a position above the horizon" in out
    (made,) = fake.made
    for techniques, *_ in made.asked:
        assert techniques.horizon is Horizon.MATE
        assert techniques.root_order is RootOrder.NODES
        assert techniques.count is NodeCount.INTERIOR


@pytest.mark.parametrize(("horizon", "depth"), [("static", 2), ("mate", 1)])
def test_a_claim_is_searched_to_the_depth_that_shows_it(
    fake: type[Fake], capsys: pytest.CaptureFixture[str], horizon: str, depth: int
) -> None:
    """A mate test at the horizon sees a mate in 1 at depth 1."""
    assert call(capsys, "good.epd", "--mdp", "lower", "--horizon", horizon)[0] == 0
    (made,) = fake.made
    assert {asked[1] for asked in made.asked} == {depth}


@pytest.mark.usefixtures("fake")
def test_json_is_one_record(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "--depth", "4", "--json", "--efp", "off,cut")
    assert (code, err) == (0, "")
    record: dict[str, Any] = json.loads(out)
    assert (record["schema"], record["fen"]) == (1, GLASS_FEN)
    assert list(record["rows"][3]["variants"]) == [
        "off/off", "off/cut", "cpw/off", "cpw/cut"
    ]  # fmt: skip
    last = record["rows"][3]["variants"]
    assert last["cpw/off"] == {
        "score": "M2",
        "nodes": 5000,
        "nodes_total": 10_000,
        "settled": True,
        "proved": True,
        "move": "a2a3",
    }
    assert last["off/cut"]["settled"] is False
    assert record["rows"][0]["variants"]["off/off"]["score"] == 10
    assert record["rows"][0]["glass"] == {"score": 1041, "off": 3, "on": 3}


@pytest.mark.usefixtures("fake")
def test_an_ablation_has_a_row_per_variant(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, KING_AND_ROOK, "--ablation", "--depth", "3")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[1].split() == [
        "variant",
        "depth",
        "score",
        "to",
        "PV",
        "in",
        "all",
        "ratio",
    ]
    assert lines[2].split()[:6] == ["plain", "3", "30", "1,000", "2,000", "1.000"]
    assert [line.split()[0] for line in lines[2:22]] == [
        *("plain", "mdp=upper", "mdp=lower", "mdp=cpw", "mdp=tight", "mdp=vipermate"),
        *(f"check-extension={word}" for word in ("all", "uncapped")),
        *(f"check-extension={word}" for word in ("captures", "promotions")),
        *("efp=cut", "efp=all", "efp=none", "efp=on"),
        *("mip=reduce", "mip=prune", "mip=lazy", "mip=correct"),
        *("sound", "combined"),
    ]
    assert lines[22] == ""


@pytest.mark.usefixtures("fake")
def test_many_variants_are_printed_as_a_summary(
    capsys: pytest.CaptureFixture[str],
) -> None:
    forms = "off,upper,cpw,tight,vipermate"
    _, out, _ = call(capsys, "--mdp", forms, "--mip", "off,lazy", "--depth", "3")
    assert len(out.splitlines()[2:12]) == 10
    assert out.splitlines()[2].startswith("off/off ")
    assert "depth  score" in out.splitlines()[1]


@pytest.mark.usefixtures("fake")
def test_variants_that_contradict_each_other_are_a_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = call(capsys, "--mdp", "off,lower", "--depth", "4")
    assert code == 1
    assert "Sound variants contradict each other: please report this position.\n" in out
    code, out, _ = call(capsys, "--mdp", "off,lower", "--depth", "4", "--json")
    assert (code, json.loads(out)["contradictory"]) == (1, True)


@pytest.mark.usefixtures("fake")
def test_ctrl_c_prints_the_complete_iterations(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = signal.getsignal(signal.SIGINT)
    code, out, err = call(capsys, KING_AND_ROOK, "-d", "20", "--csv")
    assert (code, err) == (130, "interrupted\n")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 12
    assert (rows[11]["off.nodes"], rows[11]["cpw.nodes"]) == (str(10**12), "")
    assert signal.getsignal(signal.SIGINT) is before


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

UNREADABLE = (
    "error: some.epd:4: board: expected 8 ranks with / between them, found 1 in "
    "'hello'\n"
)


def test_a_collection_has_a_row_per_problem_and_totals(
    fake: type[Fake], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, "some.epd") == (65, TOTALS, UNREADABLE)
    assert [asked[1:] for asked in fake.made[0].asked] == [
        (depth, 10_000_000) for depth in (2, 2, 6, 6, 8, 8)
    ]


@pytest.mark.parametrize(
    ("operation", "depth"),
    [
        ("dm 4;", 8),
        ("dm -4;", 9),
        ("nomate 3;", 6),
        ("", 8),
        ("dm 70;", 100),
    ],
)
def test_a_problem_is_searched_as_deep_as_its_claim_needs(
    fake: type[Fake],
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    operation: str,
    depth: int,
) -> None:
    (folder / "x.epd").write_text(f"{BACK_RANK} {operation}\n")
    call(capsys, "x.epd", "--mdp", "off")
    assert [asked[1] for asked in fake.made[0].asked] == [depth]


def test_a_given_depth_and_limits_apply_to_all_problems(
    fake: type[Fake], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = call(capsys, "good.epd", "good.epd", "-d", "2", "--nodes", "30")
    assert code == 3
    assert [asked[1:] for asked in fake.made[0].asked] == [(2, 30)] * 4
    assert out.splitlines()[1].split() == ["fine", "M1", "stopped", "25", "yes"]
    assert out.splitlines()[6].split() == ["off", "0", "0", "2", "0", "60", "0", "0"]


@pytest.mark.usefixtures("fake")
def test_unproved_mates_do_not_count_as_found(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = call(capsys, "good.epd", "--mdp", "off", "--efp", "off,on")
    assert code == 0
    assert out.splitlines()[1].split() == ["fine", "M1", "50", "M9?", "50", "no"]
    assert out.splitlines()[5].split() == ["on", "1", "1", "100", "0", "0"]


@pytest.mark.usefixtures("fake")
def test_an_ablation_of_a_collection_has_totals_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = call(capsys, "good.epd", "--ablation")
    assert code == 0
    assert out.splitlines()[0].split()[-2:] == ["found", "ratio"]
    assert out.splitlines()[20].startswith("combined")


@pytest.mark.usefixtures("fake")
def test_a_claim_that_is_contradicted_is_a_failure(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "x.epd").write_text(f"{BACK_RANK} dm 2;\n")
    code, out, _ = call(capsys, "x.epd", "--mdp", "lower")
    assert code == 1
    assert out.splitlines()[-1] == ("x.epd:1: contradiction: claimed M2, M1 by lower")


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(
    ("words", "head"),
    [
        ("-d 4", "depth,off.score,off.nodes,"),
        ("good.epd", "id,fen,claim,off.mate,off.nodes,"),
        ("good.epd --sums", "file,variant,found,unproved,"),
    ],
)
def test_csv_has_the_columns_of_what_is_counted(
    words: str, head: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, *words.split(), "--csv")
    assert (code, err) == (0, "")
    assert out.startswith(head)


@pytest.mark.usefixtures("fake")
def test_an_unreadable_file_is_reported_and_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = call(capsys, "good.epd", "missing.epd", "--csv")
    assert code == 74
    assert len(out.splitlines()) == 2
    assert err == "error: missing.epd: No such file or directory\n"
    assert call(capsys, "missing.epd", "good.epd", "--csv") == (code, out, err)


SEVERAL = """\
          good          some             total
variant  found  ratio  found  ratio  differing  nodes  compared  found  ratio
off          1  1.000      3  1.000          0    400         4      4  1.000
cpw          1  0.500      3  0.500          0    200         4      4  0.500
"""


@pytest.mark.usefixtures("fake")
def test_the_summary_of_several_files_has_columns_for_each_and_a_total(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "empty.epd").touch()
    code, out, err = call(capsys, "good.epd", "empty.epd", "some.epd", "--sums")
    assert (code, err) == (65, f"{UNREADABLE}warning: empty.epd: no records\n")
    rows = [line.rstrip("█").rstrip() for line in out.splitlines()]
    assert rows[:4] == SEVERAL.splitlines()
    assert rows[5] == "A row is a variant, a search with these techniques:"
    assert rows[6].startswith("off: no technique")


@pytest.mark.usefixtures("fake")
def test_a_file_given_twice_is_counted_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = call(capsys, "good.epd", "good.epd", "--mdp", "off", "--sums")
    assert code == 0
    assert out.splitlines()[2].split()[1:5] == ["1", "1.000", "1", "1.000"]
    assert out.splitlines()[2].split()[-3:-1] == ["2", "1.000"]


@pytest.mark.usefixtures("fake")
def test_a_summary_in_json_has_no_problems(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = call(capsys, "good.epd", "some.epd", "--json")
    whole = json.loads(out)
    _, out, _ = call(capsys, "good.epd", "some.epd", "--sums", "--json")
    sums = json.loads(out)
    assert len(whole.pop("problems")) == 4
    assert sums == whole
    assert [file["file"] for file in sums["files"]] == ["good.epd", "some.epd"]
    assert sums["files"][1]["totals"]["cpw"]["found"] == 3
    assert sums["totals"]["cpw"]["found"] == 4


@pytest.mark.usefixtures("fake")
def test_problems_with_another_stipulation_than_mate_are_skipped(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "x.epd").write_text(
        f'{BACK_RANK} dm 1; id "mate";\n{BACK_RANK} stipulation "s#1";\n'
        f'{BACK_RANK} stipulation "#1"; id "stipulated";\n'
        f'{BACK_RANK} stipulation "h#0.5";\n'
    )
    code, out, err = call(capsys, "x.epd", "--csv")
    assert (code, err) == (0, "2 records skipped, because they are not about a mate\n")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["id"] for row in rows] == ["mate", "stipulated"]


@pytest.mark.usefixtures("fake")
def test_names_that_are_formulas_are_named_or_escaped(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "x.epd").write_text(f'{BACK_RANK} dm 1; id "=1+1";\n')
    _, out, err = call(capsys, "x.epd", "--csv")
    assert next(csv.DictReader(io.StringIO(out)))["id"] == "=1+1"
    assert err.startswith("warning: 1 cell is a formula to a spreadsheet (line 2, id: ")
    _, out, err = call(capsys, "x.epd", "--csv", "--escape-formulas")
    assert next(csv.DictReader(io.StringIO(out)))["id"] == "'=1+1"
    assert err == ""
    assert call(capsys, "x.epd", "--escape-formulas")[0] == 2


@pytest.mark.usefixtures("fake")
def test_ctrl_c_prints_the_complete_problems(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "x.epd").write_text(f"{BACK_RANK} dm 1;\n{KING_AND_ROOK} dm 3;\n")
    code, out, err = call(
        capsys, "x.epd", "--mdp", "off", "--check-extension", "off,promotions"
    )
    assert (code, err) == (130, "interrupted\n")
    assert out.splitlines()[1].split() == ["x.epd:1", "M1", "50", "50", "yes"]
    assert "Stopped after 1 of 2 problems.\n" in out
    assert "x.epd:2" not in out


# --- options


@pytest.mark.parametrize(
    ("text", "cuts", "tries"), [("3/6", 3, 6), ("1/1", 1, 1), ("0", 0, 0)]
)
def test_multi_cuts_that_are_read(text: str, cuts: int, tries: int) -> None:
    assert experiments.multi_cut(text) == (cuts, tries)


@pytest.mark.parametrize("text", ["", "3", "7/6", "0/6", "3/", "/6", "3/51", "-1/2"])
@pytest.mark.usefixtures("fake")
def test_multi_cuts_that_are_refused(
    capsys: pytest.CaptureFixture[str], text: str
) -> None:
    code, out, err = call(capsys, "--multi-cut", text)
    assert (code, out) == (2, "")
    assert f"expected C/M with 1 <= C <= M <= 50, or 0, found '{text}'" in err


@pytest.mark.parametrize(
    ("text", "entries"), [("2^18", 1 << 18), ("2^2", 4), ("4096", 4096), ("0", 0)]
)
def test_table_sizes_that_are_read(text: str, entries: int) -> None:
    assert experiments.table_entries(text) == entries


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "3",
        "2",
        "-4",
        "1000",
        "2^1",
        "2^37",
        "2^999999",
        "2^",
        "^3",
        "3^2",
        "2^-1",
    ],
)
@pytest.mark.usefixtures("fake")
def test_other_sizes_are_a_usage_error(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, f"--table-entries={text}")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == (
        "Error: Invalid value for '--table-entries': expected 0 or a power of two from "
        f"2^2 to 2^36, found {text!r}"
    )


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json", "--csv"], "--json and --csv cannot be combined."),
        (
            ["--ablation", "--mdp", "off"],
            "--ablation cannot be combined with options that choose techniques.",
        ),
        (["--sums"], "--sums needs a collection, not one position."),
        (
            [*KING_AND_ROOK.split(), "--sums"],
            "--sums needs a collection, not one position.",
        ),
        (
            ["--mdp", "off,of"],
            "Invalid value for '--mdp': expected one of off, upper, lower, cpw, tight, "
            "vipermate, found 'of'",
        ),
        (
            ["--horizon", "none"],
            "Invalid value for '--horizon': 'none' is not one of 'static', 'mate', "
            "'quiescence'.",
        ),
        (
            ["--root-order", "off"],
            "Invalid value for '--root-order': 'off' is not one of 'search', "
            "'generated', 'nodes'.",
        ),
        (
            ["--count", "leaves"],
            "Invalid value for '--count': 'leaves' is not one of 'moves', 'calls', "
            "'interior', 'again'.",
        ),
        (
            ["--mip", "lazy,off, lazy"],
            "Invalid value for '--mip': expected each value once, found 'lazy' twice",
        ),
        (
            ["--mip", "off,all"],
            "Invalid value for '--mip': expected one of off, reduce or prune, lazy or "
            "correct, or one of each, such as prune+lazy (white, and rounded or curve, "
            "may be joined to these), found 'all'",
        ),
        (
            ["--check-extension", ""],
            "Invalid value for '--check-extension': expected one of off, all, "
            "captures, promotions, uncapped, found ''",
        ),
        (
            ["--depth", "101"],
            "Invalid value for '-d' / '--depth': expected a whole number from 1 to "
            "100, found '101'",
        ),
    ],
)
def test_wrong_options_are_reported_before_any_search(
    arguments: list[str],
    message: str,
    fake: type[Fake],
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == f"Error: {message}"
    assert fake.made == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["good.pgn"],
            "expected a FEN, found 'good.pgn', and there is no such file",
        ),
        (["8/8/8/8/8/8/8/8"], "expected one white king, found none"),
    ],
)
def test_an_invalid_position_is_bad_input(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(capsys, *arguments) == (65, "", f"error: {message}\n")


def test_a_missing_material_table_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(capsys, "--mip-table", "no.mip") == (
        74,
        "",
        "error: no.mip: No such file or directory\n",
    )


def test_an_invalid_material_table_is_bad_input(
    capsys: pytest.CaptureFixture[str], fake: type[Fake]
) -> None:
    code, out, err = call(capsys, "--mip-table", "good.epd")
    assert (code, out, fake.made) == (65, "", [])
    assert err.startswith("error: ")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("fake")
def test_a_collection_without_records_is_an_error_and_no_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    empty = tmp_path / "empty.epd"
    empty.touch()
    error = f"error: expected records, found none: {empty}\n"
    assert call(capsys, str(empty)) == (65, "", error)


def test_text_too_long_for_a_file_name_is_no_position(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = call(capsys, "8" * 5000)
    assert (code, out) == (65, "")
    assert err.startswith("error: expected a FEN of at most 200 characters, found ")


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(
    ("words", "command"),
    [
        ([*KING_AND_ROOK.split(), "-d", "4"], f"{KING_AND_ROOK} -d 4"),
        (["good.epd", "--ablation"], "good.epd --ablation"),
        (["good.epd", "--csv", "--sums"], "good.epd"),
        (["--json", "-d2", "--", *KING_AND_ROOK.split()], f"-d2 -- {KING_AND_ROOK}"),
    ],
)
def test_a_page_is_written_in_addition_and_names_the_command(
    words: list[str], command: str, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    without = call(capsys, *words)
    assert call(capsys, "--html", "a.html", *words) == without
    assert call(capsys, "--html=b.html", *words) == without
    page = (folder / "a.html").read_bytes()
    assert page == (folder / "b.html").read_bytes()
    assert f"<code>matesolve table {command}</code>".encode() in page


@pytest.mark.usefixtures("fake")
def test_an_interrupted_comparison_has_a_page_too(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    words = (KING_AND_ROOK, "-d", "20", "--csv", "--html", "a.html")
    code, _, err = call(capsys, *words)
    assert (code, err) == (130, "interrupted\n")
    assert b"Stopped before depth 20: off, cpw." in (folder / "a.html").read_bytes()


def test_the_default_table_size_is_the_laboratorys() -> None:
    assert (
        experiments.table_entries("2^18") == iterative_deepening.DEFAULT_TABLE_ENTRIES
    )


# --- the search itself


def test_counts_diverge_where_the_mate_is_found_as_published(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = call(capsys, "--json", "--depth", "18")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["complete"] is True
    for row in record["rows"]:
        off, cpw = row["variants"]["off"], row["variants"]["cpw"]
        assert off["score"] == cpw["score"]
        mated = off["score"] == "M8"
        assert mated == (row["depth"] >= 16)
        if mated:
            assert off["settled"]
            assert off["move"] == "h7g6"
            assert cpw["nodes"] < off["nodes"]
        else:
            assert (off["nodes"], off["nodes_total"]) == (
                cpw["nodes"],
                cpw["nodes_total"],
            )


def test_sound_variants_agree_with_every_claim_of_the_traps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    traps = str(ROOT / "puzzles" / "traps.epd")
    code, out, err = call(
        capsys, traps, "--mdp", "off,tight", "--check-extension", "off,all", "--json"
    )
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert (record["complete"], record["contradictory"]) == (True, False)
    assert len(record["problems"]) == 93
    for problem in record["problems"]:
        assert problem["same_answer"]
        for outcome in problem["variants"].values():
            assert outcome["mate"] == problem["claim"]


# --- in a separate process


def test_standard_input_is_a_collection(matesolve: Matesolve) -> None:
    ended = matesolve("table", "-", "--csv", stdin=f"{BACK_RANK} dm 1;\n")
    assert (ended.code, ended.err) == (0, "")
    (row,) = csv.DictReader(io.StringIO(ended.out))
    assert (row["id"], row["off.mate"], row["same_answer"]) == ("stdin:1", "1", "true")
    assert row["source"] == "stdin:1"


def test_standard_input_is_a_file_like_others(
    matesolve: Matesolve, folder: Path
) -> None:
    file = str(folder / "good.epd")
    words = ("table", file, "-", "--sums", "--csv")
    ended = matesolve(*words, stdin=f"{BACK_RANK} dm 1;\n")
    assert (ended.code, ended.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [(row["file"], row["found"]) for row in rows[::2]] == [
        (file, "1"),
        ("stdin", "1"),
        ("", "2"),
    ]


def test_ctrl_c_ends_a_long_search() -> None:
    pty = pytest.importorskip("pty", reason="terminals are drawn on POSIX only")
    watching, terminal = pty.openpty()
    shown = ""
    with process(
        "table", "-d", "90", "--json", stderr=terminal, TERM="xterm"
    ) as running:
        os.close(terminal)
        while not re.search(r"off: depth \d\d", shown):
            shown += os.read(watching, 65_536).decode()
        running.send_signal(signal.SIGINT)
        # On Linux, reading from a terminal without writers is an error.
        with contextlib.suppress(OSError):
            while more := os.read(watching, 65_536).decode():
                shown += more
        out, _ = running.communicate()
    os.close(watching)
    assert running.returncode == 130
    record = json.loads(out)
    assert record["complete"] is False
    assert len(record["rows"]) >= 9
    assert " nodes" in shown
    assert shown.endswith("interrupted\r\n")


def test_a_narrow_terminal_does_not_narrow_output_to_a_pipe() -> None:
    with process(
        "table", "--depth", "8", COLUMNS="20", TERM="xterm", FORCE_COLOR="1"
    ) as running:
        out, err = running.communicate()
    assert (running.returncode, err) == (0, "")
    assert out.splitlines()[10].endswith("  1.000   1065  62,692  62,692  1.000")


def test_bars_are_ascii_where_the_terminal_is() -> None:
    with process(
        "table", "--depth", "3", PYTHONIOENCODING="ascii", PYTHONUTF8="0"
    ) as running:
        out, _ = running.communicate()
    assert running.returncode == 0
    assert out.isascii()
    assert 40 * "#" in out
