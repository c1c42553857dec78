"""`matesolve verify` and other stipulations than mate: exact output and exit codes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from solver import solving
from solver.cli.main import run
from solver.solving import Solver
from tests.cli.conftest import without_summaries

if TYPE_CHECKING:
    from pathlib import Path


KNOWN = re.compile(r"^not searched: .*\n", re.MULTILINE)
COSTS = re.compile(r" +(nodes +time|[\d,]+ +[\d.]+ m?s)$", re.MULTILINE)
LINK = "  https://lichess.org/analysis/standard/"

SELFMATE = """\
---
title: selfmate
stipulation: "s#2"
algebraic: {white: [Kh7, Re8, Qh3, Ba5], black: [Kf6, Rf5, Pb5]}
solution: "1.Ba5-d8 + !"
"""
MIXED = f"""\
{SELFMATE}---
title: stalemate
stipulation: "=2"
algebraic: {{white: [Kh6, Qe8, Sh4], black: [Ka7]}}
solution: "1.Qe8-b8 + !"
---
title: reflex mate
stipulation: "r#2"
algebraic: {{white: [Kb1, Qc8, Rb3], black: [Ka4, Rc4]}}
solution: "1.Qc8-a6 + !"
---
title: semi-reflex mate
stipulation: "semi-r#2"
algebraic: {{white: [Kc2, Qa1, Pc6], black: [Ke6, Rd2, Pe2]}}
---
title: mate
stipulation: "#2"
algebraic: {{white: [Kg1, Ra1], black: [Kg8, Pf7, Pg7, Ph7]}}
---
title: unreadable
stipulation: "ser-#2"
algebraic: {{white: [Kg1, Ra1], black: [Kg8, Pf7, Pg7, Ph7]}}
---
title: self-stalemate
stipulation: "s=2"
algebraic: {{white: [Kd7, Qf6, Qf5], black: [Kc4, Pc3]}}
"""

TABLE = """\
   claim  proved  shorter  refuted  unreadable  total
      #2                1                           1
      =2       1                                    1
     s#2       1                                    1
     s=2                         1                  1
     r#2       1                                    1
semi-r#2                1                           1
    none                                     1      1
     all       3        2        1           1      7
soundness: 1 sound, 1 cooked, 2 short-solution, 1 no-solution, 1 missing-solution
"""
DISAGREEMENTS = f"""\
mixed.olv:7: stalemate: claimed =2, but the claimed key Qb8+ does not solve; Qb5 does
{LINK}4Q3/k7/7K/8/7N/8/8/8_w_-_-_0_1
mixed.olv:12: reflex mate: claimed r#2 by Qa6+, but a second key, Qa8+, also solves
{LINK}2Q5/8/8/8/k1r5/1R6/8/1K6_w_-_-_0_1
mixed.olv:17: semi-reflex mate: claimed semi-r#2, found semi-r#1: 1. Kb1 e1=Q#
{LINK}8/8/2P1k3/8/8/8/2Krp3/Q7_w_-_-_0_1
mixed.olv:21: mate: claimed mate in 2, found mate in 1: 1. Ra8#
{LINK}6k1/5ppp/8/8/8/8/8/R5K1_w_-_-_0_1
mixed.olv:29: self-stalemate: claimed s=2, but no s=2 exists
{LINK}8/3K4/5Q2/5Q2/2k5/2p5/8/8_w_-_-_0_1
"""


HELP = """\
---
title: one solution
stipulation: "h#2"
algebraic: {white: [Kd8, Re4], black: [Kb5, Pf5]}
---
title: two claimed
stipulation: "h#1.5"
algebraic: {white: [Ke7, Rf6], black: [Kh7, Rg5]}
intended-solutions: 2
---
title: two found
stipulation: "h#1.5"
algebraic: {white: [Ke7, Rf6], black: [Kh7, Rg5]}
---
title: three claimed
stipulation: "h=2"
algebraic: {white: [Kf2, Rb2], black: [Kg4, Ph6]}
intended-solutions: 3
---
title: none found
stipulation: "h#2"
algebraic: {white: [Kd3, Pc7], black: [Kg1, Pb2]}
---
title: short
stipulation: "h#2"
algebraic: {white: [Kg6, Ra1], black: [Kh8]}
"""

HELP_TABLE = """\
claim  proved  shorter  refuted  total
h#1.5       2                        2
  h#2       1        1        1      3
  h=2       1                        1
  all       4        1        1      6
1 record repeats an earlier position (1 with another claim): inspect --duplicates \
names them
soundness: 2 sound, 1 cooked, 1 short-solution, 1 no-solution, 1 missing-solution
"""
HELP_DISAGREEMENTS = f"""\
help.olv:11: two found: claimed h#1.5 with 1 solution, found 2: \
1... Kf7 2. Kh8 Rh6#; 1... Kf8 2. Kh8 Rh6#
{LINK}8/4K2k/5R2/6r1/8/8/8/8_w_-_-_0_1
help.olv:15: three claimed: claimed h=2 with 3 solutions, found 2: \
1. Kh4 Rb3 2. h5 Rg3; 1. h5 Rb3 2. Kh4 Rg3
{LINK}8/8/7p/8/6k1/8/1R3K2/8_b_-_-_0_1
help.olv:20: none found: claimed h#2 with 1 solution, but no h#2 exists
{LINK}8/2P5/8/8/8/3K4/1p6/6k1_b_-_-_0_1
help.olv:24: short: claimed h#2 with 1 solution, found h#1: 1. Kg8 Ra8#
{LINK}7k/8/6K1/8/8/8/8/R7_b_-_-_0_1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixed.olv").write_text(MIXED)
    (tmp_path / "selfmate.olv").write_text(SELFMATE)
    (tmp_path / "help.olv").write_text(HELP)
    return tmp_path


def verify(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command in this process; remove nodes and times from its table."""
    code = run(["verify", *arguments])
    printed = capsys.readouterr()
    return (
        code,
        KNOWN.sub("", COSTS.sub("", printed.out)),
        without_summaries(printed.err),
    )


def records(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_mixed_collection_is_counted_by_stipulation(
    capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    code, out, err = verify(capsys, "mixed.olv", "--keys", "--jobs", jobs)
    assert out == TABLE + DISAGREEMENTS
    assert err.startswith("error: mixed.olv:25: stipulation: expected #n, =n, s#n")
    assert err.count("\n") == 1
    assert code == 65


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("keys", [(), ("--keys",)])
def test_the_solutions_of_help_problems_are_counted(
    capsys: pytest.CaptureFixture[str], jobs: str, keys: tuple[str, ...]
) -> None:
    code, out, err = verify(capsys, "help.olv", "--jobs", jobs, *keys)
    assert out == HELP_TABLE + HELP_DISAGREEMENTS
    assert (code, err) == (1, "")


def test_a_cooked_help_problem_is_decided_though_not_all_solutions_are_known(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "many.epd").write_text('7k/8/4K3/8/8/8/1R6/R1Q5 b - - stipulation "h#2";')
    code, out, _ = verify(capsys, "many.epd", "--jsonl", "--fail-on", "refuted")
    (record,) = records(out)
    assert code == 0
    assert (record["verdict"], record["soundness"]) == ("proved", "cooked")
    assert (record["claimed_solutions"], len(record["solutions"])) == (1, 101)
    assert record["solutions_complete"] is False
    assert verify(capsys, "many.epd")[0] == 1


def test_a_limit_leaves_a_help_problem_undecided(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "slow.epd").write_text(
        'r6k/pp5p/8/8/8/8/PP5P/R6K b - - stipulation "h#8"; solutions 2;'
    )
    code, out, _ = verify(capsys, "slow.epd", "--nodes", "1000", "--jsonl")
    (record,) = records(out)
    assert code == 3
    assert (record["verdict"], record["soundness"]) == ("undecided", None)
    assert (record["stopped_by"], record["solutions_complete"]) == ("nodes", False)


def test_a_limit_leaves_a_stipulation_undecided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = verify(capsys, "selfmate.olv", "--nodes", "1")
    assert out.splitlines()[1].split() == ["s#2", "1", "1"]
    assert out.split()[1] == "undecided"
    assert (code, err) == (3, "")


def test_a_record_of_a_mate_has_no_stipulation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = verify(capsys, "mixed.olv", "--jsonl", "--ordered")
    printed = records(out)
    assert [record.get("stipulation") for record in printed] == [
        "s#2",
        "=2",
        "r#2",
        "semi-r#2",
        None,
        None,
        "s=2",
    ]


def test_records_and_exports_are_collections_with_the_same_claims(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    both = ("mixed.olv", "help.olv")
    first = verify(capsys, *both, "--keys", "--jsonl", "--store", "run.db")
    (folder / "mixed.jsonl").write_text(first[1])
    assert run(["export", "run.db", "-o", "mixed.csv"]) == 0
    capsys.readouterr()
    for file in ("mixed.jsonl", "mixed.csv"):
        _, out, _ = verify(capsys, file, "--keys", "--jsonl", "--ordered")
        assert sorted(audited(out)) == sorted(audited(first[1])), file
    assert run(["export", "run.db", "-o", "mixed.epd"]) == 0
    capsys.readouterr()
    # Two corrected records claim nothing; the keys of a mate in 11 take a second.
    code, out, _ = verify(capsys, "mixed.epd", "--keys", "--jsonl", "--time", "1000")
    assert code == 0
    assert {one.get("stipulation") for one in records(out)} == {
        *("s#2", "=2", "r#2", "semi-r#1", "h#2", "h#1", "h#1.5", "h=2", None)
    }


def audited(text: str) -> list[str]:
    """What the records of positions say of each problem."""
    fields = (
        *("id", "stipulation", "claim", "claimed_keys", "claimed_solutions"),
        *("verdict", "soundness", "solutions"),
    )
    return [
        json.dumps([one.get(name) for name in fields])
        for one in records(text)
        if one["fen"]
    ]


@pytest.mark.parametrize("options", [(), ("--store", "run.db"), ("--jobs", "2")])
def test_only_mates_have_certificates(
    capsys: pytest.CaptureFixture[str], folder: Path, options: tuple[str, ...]
) -> None:
    code, out, err = verify(
        capsys, "mixed.olv", "--keys", "--certificates", "proofs", *options
    )
    assert (code, out) == (65, TABLE + DISAGREEMENTS)
    assert (
        err.splitlines()[-1]
        == "5 without a certificate, because they are not about a mate"
    )
    assert [path.name for path in (folder / "proofs").iterdir()] == ["mate.json"]


def test_every_ply_checks_no_line_of_another_stipulation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = verify(capsys, "selfmate.olv", "--every-ply", "--jsonl")
    (record,) = records(out)
    assert (code, err, record["soundness"]) == (0, "", "sound")
    assert not {"plies", "only_moves"} & record.keys()


def test_a_store_is_resumed_exported_and_reported(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
) -> None:
    arguments = ("mixed.olv", "--keys", "--store", "run.db")
    first = verify(capsys, *arguments)
    assert first[1] == TABLE + DISAGREEMENTS

    class Refusing(Solver):
        def answers(self, *_: Any, **__: Any) -> Any:
            raise AssertionError

    monkeypatch.setattr(solving, "Solver", Refusing)
    assert verify(capsys, *arguments) == first
    chosen = ["--claim", "s#2", "--soundness", "sound"]
    assert run(["export", "run.db", *chosen, "-o", "-", "--to", "jsonl"]) == 0
    (record,) = records(capsys.readouterr().out)
    assert (record["id"], record["stipulation"]) == ("selfmate", "s#2")
    assert run(["report", "run.db", "-o", "page.html"]) == 0
    assert "semi-r#2" in (folder / "page.html").read_text(encoding="utf-8")
