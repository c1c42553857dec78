"""An option means the same in every command that has it, with the same help."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from solver.cli.main import run
from solver.cli.options import FEW, GROUPS, Cores
from solver.problem import Limits
from tools.listing import Listed, listing, main

MATE_IN_1 = "6k1/5ppp/8/8/8/8/8/R5K1 w - -"
MATE_IN_2 = "2brrb2/8/p7/7Q/1p1kpPp1/1P1pN1K1/3P4/8 w - -"

LISTED = listing()


def by_name(listed: list[Listed]) -> dict[str, list[Listed]]:
    named: dict[str, list[Listed]] = defaultdict(list)
    for one in listed:
        for name in one.names:
            named[name].append(one)
    return named


OF_SOLVE = {"--depth": "Show the play of the first D moves only"}
"""Composers expect this name, and `solve` has no depth of a search."""

SHARED = {name: them for name, them in by_name(LISTED).items() if len(them) > 1}


def test_the_commands_share_options() -> None:
    assert {
        "-n",
        "--search-moves",
        "--time",
        "--nodes",
        "--json",
        "-o",
    } <= SHARED.keys()


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_option_means_the_same_in_each_command(name: str) -> None:
    options = [
        one for one in SHARED[name] if one.command != "solve" or name not in OF_SOLVE
    ]
    forms = {
        (one.names, one.meaning, one.option.metavar, one.option.is_flag)
        for one in options
    }
    assert len(forms) == 1, [(one.command, one.option.help) for one in options]


@pytest.mark.parametrize(("name", "meaning"), OF_SOLVE.items())
def test_an_option_of_solve_has_a_meaning_of_its_own(name: str, meaning: str) -> None:
    (of_solve,) = [one for one in SHARED[name] if one.command == "solve"]
    assert of_solve.meaning == meaning
    others = {one.meaning for one in SHARED[name]} - {meaning}
    assert len(others) == 1


@pytest.mark.parametrize(
    "listed", LISTED, ids=lambda one: f"{one.command} {one.names[-1]}"
)
def test_the_help_of_every_option_is_a_sentence(listed: Listed) -> None:
    help_text = listed.option.help or ""
    assert re.fullmatch(r"(\.\.\. [a-z]|[A-Z]).*[.)]", help_text), help_text


def test_every_option_of_a_long_help_has_a_group() -> None:
    counts = Counter(listed.command for listed in LISTED)
    grouped = set().union(*GROUPS.values())
    for listed in LISTED:
        if counts[listed.command] >= FEW:  # `--help` is one more
            assert grouped & {*listed.names}, listed


def test_every_grouped_option_is_an_option_of_some_command() -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert len(names) == len(set(names))
    assert set(names) <= by_name(LISTED).keys()


def test_help_lists_options_in_groups_and_ends_with_help(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["solve", "--help"]) == 0
    page = capsys.readouterr().out
    titles = re.findall(r"^([A-Z].*):$", page, re.MULTILINE)
    assert titles == [
        "Input",
        "Search limits",
        "What to look for",
        "Play of compositions",
        "Saved results",
        "Output",
        "Files to write",
        "Other options",
    ]
    sections = re.split(r"^[A-Z].*:$", page, flags=re.MULTILINE)[1:]
    for title, section in zip(titles[:-1], sections, strict=False):
        for name in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", section, re.MULTILINE):
            assert name in GROUPS[title]
    assert "-h, --help  Show this message and exit." in sections[-1]


@pytest.mark.parametrize("command", ["check", "perft", "uci"])
def test_a_few_options_are_one_list(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "--help"]) == 0
    titles = re.findall(r"^([A-Z].*):$", capsys.readouterr().out, re.MULTILINE)
    assert titles == ["Options"]


@pytest.mark.parametrize("command", ["solve", "verify", "table"])
@pytest.mark.parametrize("name", ["--time", "--nodes"])
def test_help_states_the_default_limits(command: str, name: str) -> None:
    (listed,) = [one for one in SHARED[name] if one.command == command]
    default = listed.option.default
    stated = "no limit" if not isinstance(default, float) else f"{default:g}"
    assert f"Default: {stated}" in (listed.option.help or "")


def test_the_listing_has_a_line_for_each_option_and_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * len(LISTED)
    assert "-n, --search-moves  solve" in lines


@pytest.mark.parametrize(
    ("given", "nodes", "on_cluster", "threads"),
    [
        (Cores(None), None, False, 6),  # all cores
        (Cores(None, jobs=3), None, False, 3),  # as many as there are processes
        (Cores(4, jobs=3), None, False, 4),
        (Cores(1), None, False, 1),
        (Cores(None), 5_000_000, False, 1),  # a limit of nodes is exact
        (Cores(2), 5_000_000, False, 2),
        (Cores(None), None, True, 1),  # the cluster says how many searches it runs
        (Cores(2), None, True, 2),
    ],
)
def test_all_cores_are_used_by_default_except_within_a_limit_of_nodes(
    given: Cores,
    nodes: int | None,
    on_cluster: bool,
    threads: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.search.threads.usable_cores", lambda: 6)
    limits = given.limits(Limits(nodes=nodes), on_cluster=on_cluster)
    assert limits == Limits(nodes=nodes, threads=threads)
