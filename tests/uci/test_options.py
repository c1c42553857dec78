"""Options as clients declare, set and misspell them."""

from __future__ import annotations

import os
from errno import ENOENT
from typing import TYPE_CHECKING

import pytest

from solver.errors import InputError
from solver.uci.protocol import OPTIONS, parse_option

if TYPE_CHECKING:
    from pathlib import Path


def test_options_start_with_their_declared_defaults() -> None:
    assert [f"{name} {option.declaration}" for name, option in OPTIONS.items()] == [
        "Hash type spin default 128 min 1 max 1048576",
        "Threads type spin default 1 min 1 max 256",
        "MultiPV type spin default 1 min 1 max 218",
        "Clear Hash type button",
        "Keep Bounds type check default false",
        "SyzygyPath type string default <empty>",
        "UCI_AnalyseMode type check default false",
        "Ponder type check default false",
    ]
    assert OPTIONS["Hash"].default == 128
    assert OPTIONS["SyzygyPath"].default is None


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("name Hash value 256", "Hash", 256),
        (" name  multipv  VALUE  218 ", "MultiPV", 218),
        ("NAME uci_analysemode value True", "UCI_AnalyseMode", 1),
        ("name Ponder value false", "Ponder", 0),
        ("name clear  hash", "Clear Hash", None),
        ("name Clear Hash value", "Clear Hash", None),
        ("name keep bounds value true", "Keep Bounds", 1),
    ],
)
def test_names_and_words_are_read_in_any_case(
    text: str, name: str, value: int | None
) -> None:
    assert parse_option(text) == (name, value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "setoption: expected name NAME value VALUE, found ''"),
        ("Hash 3", "setoption: expected name NAME value VALUE, found 'Hash 3'"),
        (
            "name UCI_Chess960 value true",
            "expected one of the options Hash, Threads, MultiPV, Clear Hash, "
            "Keep Bounds, SyzygyPath, UCI_AnalyseMode, Ponder, found 'UCI_Chess960'",
        ),
        (
            "name Hash value 0",
            "option Hash: expected a whole number from 1 to 1048576, found '0'",
        ),
        (
            "name Threads value many",
            "option Threads: expected a whole number from 1 to 256, found 'many'",
        ),
        (
            "name MultiPV",
            "option MultiPV: expected a whole number from 1 to 218, found ''",
        ),
        ("name Ponder value 1", "option Ponder: expected true or false, found '1'"),
        ("name Clear Hash value 1", "option Clear Hash: expected no value, found '1'"),
    ],
)
def test_an_invalid_value_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_option(text)
    assert str(caught.value) == message


def test_a_long_line_is_read_in_proportion_to_its_length() -> None:
    with pytest.raises(InputError, match="expected one of the options"):
        parse_option(f"name Ha{' ' * 1_000_000}sh")  # hours, if read quadratically


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "\0", "9" * 5000])
def test_a_path_that_cannot_exist_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="option SyzygyPath: expected directories"):
        parse_option(f"name SyzygyPath value {path}")


@pytest.fixture
def directories(tmp_path: Path) -> list[str]:
    """Two directories with files named as tablebases; they are not opened here."""
    for name in ("two  spaces", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "KRvK.rtbw").touch()
    return [str(tmp_path / "two  spaces"), str(tmp_path / "other")]


def test_tablebases_are_those_of_all_directories(directories: list[str]) -> None:
    path = os.pathsep.join(directories)
    _, tablebases = parse_option(f"name SyzygyPath value {path}")
    assert list(map(str, tablebases.directories)) == directories


@pytest.mark.parametrize("none", ["", " value", " value <empty>", " value <Empty>"])
def test_an_empty_path_means_no_tablebases(none: str) -> None:
    assert parse_option(f"name SyzygyPath{none}") == ("SyzygyPath", None)


def test_a_directory_without_tablebases_is_refused(
    directories: list[str], tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    missing, bare = tmp_path / "missing", tmp_path / "bare"
    for path, found in (
        (missing, f"expected directories, found '{missing}': {os.strerror(ENOENT)}"),
        (bare, f"{bare}: expected tables, *.gtb.cp4 or *.rtbw, found none"),
    ):
        with pytest.raises(InputError) as caught:
            parse_option(f"name SyzygyPath value {directories[0]}{os.pathsep}{path}")
        assert str(caught.value) == f"option SyzygyPath: {found}"
