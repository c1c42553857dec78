"""A short run of the fuzzer, and proof that it finds faults."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from benchmarks import fuzz
from solver.checker import Checked
from solver.solving import solve

pytestmark = [
    pytest.mark.usefixtures("kernel"),
    pytest.mark.skipif(os.name != "posix", reason="a hang is ended by SIGALRM"),
]


@pytest.mark.parametrize(
    ("part", "records"),
    [("readers", 400), ("report", 200), ("certificates", 200), ("api", 200)],
)
def test_changed_records_are_refused_or_right(part: str, records: int) -> None:
    found = fuzz.fuzz(part, records, seed=1)
    assert found["refused"] > records / 10
    assert found["accepted"] > records / 20


@pytest.mark.parametrize("part", ["verify", "uci", "mcp"])
def test_changed_records_sent_to_a_process_are_refused_or_right(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if part == "mcp":
        pytest.importorskip("mcp")
    monkeypatch.setattr(fuzz.Verify, "size", 150)
    found = fuzz.fuzz(part, 1, seed=1)
    assert found["compared"] > 20


def test_a_hang_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: Any, **__: Any) -> NoReturn:
        while True:
            pass

    monkeypatch.setattr(fuzz, "read_collection", hang)
    monkeypatch.setattr(fuzz, "PATIENCE_S", 0.1)
    with pytest.raises(fuzz.WrongError, match="HangError"):
        fuzz.fuzz("readers", 1, seed=1)


def test_a_wrong_answer_and_a_checker_that_believes_forgeries_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def believe(document: Any) -> Checked:
        return Checked(document["fen"], document["attacker"] == "white", 1, 1, 0)

    def deny(*arguments: Any, **settings: Any) -> Any:
        return replace(solve(*arguments, **settings), mate=None)

    monkeypatch.setattr(fuzz, "check", believe)
    monkeypatch.setattr(fuzz, "solve", deny)
    for part, answer in (("certificates", "Checked"), ("api", "Solution")):
        with pytest.raises(fuzz.WrongError, match=answer):
            fuzz.fuzz(part, 1000, seed=1)
