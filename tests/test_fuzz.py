"""A short run of benchmarks.fuzz, and proof that it finds faults."""

from __future__ import annotations

import os
from collections.abc import Iterator  # noqa: TC003 -- for the fakes of readers
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks import fuzz
from benchmarks.mutation import FORMATS, make_problems
from solver.checker import Checked
from solver.formats.registry import read_collection
from solver.problem import Problem
from solver.solving import solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.errors import FormatError

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="a hang is interrupted by SIGALRM"),
    pytest.mark.usefixtures("kernel"),
]


@pytest.mark.parametrize(
    ("part", "records"),
    [("readers", 800), ("report", 400), ("certificates", 300), ("api", 300)],
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
    monkeypatch.setattr(fuzz.Verify, "size", 300)
    found = fuzz.fuzz(part, 1, seed=1)
    assert found["compared"] > 20


def lose(results: list[Problem | FormatError]) -> list[Problem | FormatError]:
    return results[:-1]


def confuse(results: list[Problem | FormatError]) -> list[Problem | FormatError]:
    """Give the last of many records an illegal move."""
    last = results[-1]
    if len(results) < 21 or not isinstance(last, Problem) or not last.claim:
        return results
    return [*results[:-1], replace(last, claim=replace(last.claim, keys=("a1a1",)))]


def stumble(results: list[Problem | FormatError]) -> list[Problem | FormatError]:
    raise KeyError(len(results))


@pytest.mark.parametrize("damage", [lose, confuse, stumble])
def test_a_damaged_reader_is_found(
    damage: Callable[[list[Any]], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(path: Any, **settings: Any) -> Iterator[Problem | FormatError]:
        return iter(damage(list(read_collection(path, **settings))))

    monkeypatch.setattr(fuzz, "read_collection", read)
    with pytest.raises(
        fuzz.WrongError, match=r"again: .* --part readers --seed 1 --fi"
    ):
        fuzz.fuzz("readers", 2000, seed=1)


def test_a_hang_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: Any, **__: Any) -> Iterator[Problem | FormatError]:
        while True:
            pass

    monkeypatch.setattr(fuzz, "read_collection", hang)
    monkeypatch.setattr(fuzz, "PATIENCE_S", 0.1)
    with pytest.raises(fuzz.WrongError, match="HangError"):
        fuzz.fuzz("readers", 1, seed=1)


def test_a_checker_that_believes_forgeries_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def believe(document: Any) -> Checked:
        return Checked(document["fen"], document["attacker"] == "white", 1, 1, 0)

    monkeypatch.setattr(fuzz, "check", believe)
    with pytest.raises(fuzz.WrongError, match="Checked"):
        fuzz.fuzz("certificates", 1000, seed=1)


def test_a_wrong_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*arguments: Any, **settings: Any) -> Any:
        return replace(solve(*arguments, **settings), mate=None)

    monkeypatch.setattr(fuzz, "solve", deny)
    with pytest.raises(fuzz.WrongError, match="Solution"):
        fuzz.fuzz("api", 1000, seed=1)


def test_the_same_seed_makes_the_same_records() -> None:
    def records() -> list[bytes | None]:
        seeded = Random(5)
        problems = make_problems(10, seeded)
        return [
            form.mutate(form.write(problem).encode(), seeded)
            for form in FORMATS.values()
            for problem in problems
        ]

    assert records() == records()
    assert len({*records()}) > 70
