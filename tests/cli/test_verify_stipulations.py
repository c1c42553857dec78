"""`matesolve verify` and other stipulations than mate: exact output and exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from solver.solving import Solver
from tests.cli.conftest import COSTS, Ended, names, records

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

KNOWN = re.compile(r"^not searched: .*\n", re.MULTILINE)
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
---
title: one solution
stipulation: "h#2"
algebraic: {{white: [Kd8, Re4], black: [Kb5, Pf5]}}
---
title: two found
stipulation: "h#1.5"
algebraic: {{white: [Ke7, Rf6], black: [Kh7, Rg5]}}
---
title: three claimed
stipulation: "h=2"
algebraic: {{white: [Kf2, Rb2], black: [Kg4, Ph6]}}
intended-solutions: 3
"""

TABLE = """\
   claim  proved  shorter  refuted  unreadable  total
      #2                1                           1
      =2       1                                    1
     s#2       1                                    1
     s=2                         1                  1
     r#2       1                                    1
semi-r#2                1                           1
   h#1.5       1                                    1
     h#2       1                                    1
     h=2       1                                    1
    none                                     1      1
     all       6        2        1           1     10
soundness: 2 sound, 2 cooked, 2 short-solution, 1 no-solution, 2 missing-solution
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
mixed.olv:37: two found: claimed h#1.5 with 1 solution, found 2: \
1... Kf7 2. Kh8 Rh6#; 1... Kf8 2. Kh8 Rh6#
{LINK}8/4K2k/5R2/6r1/8/8/8/8_w_-_-_0_1
mixed.olv:41: three claimed: claimed h=2 with 3 solutions, found 2: \
1. Kh4 Rb3 2. h5 Rg3; 1. h5 Rb3 2. Kh4 Rg3
{LINK}8/8/7p/8/6k1/8/1R3K2/8_b_-_-_0_1
"""


@pytest.fixture(autouse=True)
def _files(_folder: None) -> None:
    Path("mixed.olv").write_text(MIXED)
    Path("selfmate.olv").write_text(SELFMATE)


@pytest.fixture
def verify(cli: Cli) -> Cli:
    """Return the command; it prints neither nodes nor times in its table."""

    def call(words: str) -> Ended:
        code, out, err = cli(f"verify {words}")
        return Ended(code, KNOWN.sub("", COSTS.sub("", out)), err)

    return call


def audited(text: str) -> list[str]:
    """What the records of positions say of each problem, in order."""
    fields = (
        *("id", "stipulation", "claim", "claimed_keys", "claimed_solutions"),
        *("verdict", "soundness", "solutions"),
    )
    positions = [one for one in records(text) if one["fen"]]
    return sorted(json.dumps([one.get(name) for name in fields]) for one in positions)


@pytest.mark.parametrize("options", ["", "--store run.db", "--jobs 2"])
def test_a_mixed_collection_is_counted_by_stipulation_and_only_mates_have_certificates(
    verify: Cli, options: str
) -> None:
    code, out, err = verify(f"mixed.olv --keys --certificates proofs {options}")
    assert (code, out) == (65, TABLE + DISAGREEMENTS)
    error, without = err.splitlines()
    assert error.startswith("error: mixed.olv:25: stipulation: expected #n, =n, s#n")
    assert without == "8 without a certificate, because they are not about a mate"
    assert names("proofs") == ["mate.json"]


def test_records_and_exports_have_the_same_claims(verify: Cli, cli: Cli) -> None:
    words = "--keys --jsonl --ordered"
    first = verify(f"mixed.olv {words} --store run.db").out
    stipulations = [record.get("stipulation") for record in records(first)]
    assert stipulations[:7] == ["s#2", "=2", "r#2", "semi-r#2", None, None, "s=2"]
    Path("mixed.jsonl").write_text(first)
    for name in ("mixed.csv", "mixed.epd"):
        assert cli(f"export run.db -o {name}").code == 0
    for file in ("mixed.jsonl", "mixed.csv"):
        assert audited(verify(f"{file} {words}").out) == audited(first), file
    # Two corrected records claim nothing; the keys of a mate in 11 take a second.
    code, out, _ = verify(f"mixed.epd {words} --time 1000")
    assert code == 0
    assert {one.get("stipulation") for one in records(out)} == {
        *("s#2", "=2", "r#2", "semi-r#1", "h#2", "h#1.5", "h=2", None)
    }


def test_a_store_is_resumed_exported_and_reported(
    verify: Cli, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = verify("mixed.olv --keys --store run.db")
    monkeypatch.setattr(Solver, "answers", None)
    assert verify("mixed.olv --keys --store run.db") == first
    chosen = "--claim s#2 --soundness sound -o - --to jsonl"
    (record,) = records(cli(f"export run.db {chosen}").out)
    assert (record["id"], record["stipulation"]) == ("selfmate", "s#2")
    assert cli("report run.db -o page.html").code == 0
    assert "semi-r#2" in Path("page.html").read_text(encoding="utf-8")
