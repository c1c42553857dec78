"""Audits in a pipeline: engines' claims, the CI recipe, annotations and summaries."""

from __future__ import annotations

import os
import re
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import processes
from tests.cli.conftest import ROOT, rows

if TYPE_CHECKING:
    from tests.cli.conftest import Cli

PAGE = ROOT / "docs" / "howto" / "engine-mates.md"

LADDER = "7k/8/8/8/8/8/R7/1R4K1 w - -"
"""Mate in 2."""

ROOK = "8/7K/8/8/8/8/R7/7k w - -"
"""Mate in 8."""


def epd(mate: int, fen: str = LADDER) -> str:
    return f"{fen} bm #{mate};\n"


def game(plies: int) -> str:
    return f'[Event "x"]\n[FEN "{LADDER} 0 1"]\n\n1. Ra7 {{+M{plies}/9 1s}} *\n'


def log(mate: int, line: str = "a2a7 h8g8") -> str:
    said = [
        f"<< position fen {LADDER} 0 1",
        f">> info depth 6 multipv 1 score mate {mate} nodes 685 pv {line}",
        ">> bestmove a2a7",
    ]
    engine = "DEBUG:chess.engine:<UciProtocol (pid=7)>: "
    return "".join(f"{engine}{words}\n" for words in said)


@pytest.mark.parametrize("name", ["EPD", "PGN", "log"])
def test_an_engines_claim_gets_its_verdict_and_exit_code(
    matesolve: Cli, name: str
) -> None:
    source_format = "scores" if name == "PGN" else "auto"

    def verify(text: str, *options: str) -> tuple[int, str]:
        arguments = ["verify", "-", "--format", source_format, "-q", *options]
        ended = matesolve(*arguments, stdin=text)
        return ended.code, ended.out.split("\n", 1)[0].partition("claimed ")[2]

    too_short, right, too_long = {
        "EPD": (epd(1), epd(2), epd(3)),
        "PGN": (game(1), game(3), game(5)),
        "log": (log(1, "a2a7"), log(2), log(3)),
    }[name]
    assert verify(too_short) == (
        1,
        "mate in 1, but no mate in 1 exists, only mate in 2 (proved): 1. Rb7 Kg8 2. "
        "Ra8#",
    )
    assert verify(right) == (0, "")
    assert verify(too_long)[0] == 1
    assert verify(too_long)[1].startswith("mate in 3, found mate in 2: 1. Rb7")
    for options in (["--within", "--follow"], ["--fail-on", "refuted"]):
        assert verify(too_short, *options)[0] == 1
        assert verify(right, *options)[0] == verify(too_long, *options)[0] == 0


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        (epd(7, ROOK), 0),  # undecided: 3 is accepted
        (epd(1), 1),
    ],
)
def test_the_recipe_for_continuous_integration(
    tmp_path: Path, environment: dict[str, str], claim: str, code: int
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    (recipe,) = re.findall(r"(?ms)^```sh\n(status=0\n.*?)^```$", page)
    assert "".join(f"          {line}\n" for line in recipe.splitlines()) in page
    recipe = recipe.replace("--nodes 1000000", "--nodes 1000")
    (tmp_path / "claims.epd").write_text(claim)
    scripts = sysconfig.get_path("scripts")
    path = os.pathsep.join([scripts, environment["PATH"]])
    ended = processes.run(
        ["sh", "-e", "-c", recipe], cwd=tmp_path, env={**environment, "PATH": path}
    )
    assert ended.returncode == code, ended.stderr
    assert (tmp_path / "claims.db").exists()
    assert (tmp_path / "claims.html").exists()


# --- `--annotate github` and `--summary markdown`

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
PROBLEMS = f"""\
{BACK_RANK} dm 1; id "fine";
{BACK_RANK} dm 2; id "short | `<b>`";
7k/8/8/8/8/8/R7/1R4K1 w - - 0 1 nomate 2; id "there is one";
::error file=x::y
8/7K/8/8/8/8/R7/7k w - - 0 1 dm 8; id "long";
{BACK_RANK} dm 3; id "accepted";
{BACK_RANK} dm 4; id "rejected";
"""
MARKS = "id,mark\naccepted,accept\nrejected,reject\n"

COMMAND = re.compile(
    r"^::(error|warning) (?:file=(.*?),line=(\d+),)?title=.*?::", re.MULTILINE
)
CELLS = re.compile(r" \| [\d,]+ \| [\d.]+ m?s \|$", re.MULTILINE)


@pytest.fixture
def files() -> None:
    Path("problems.epd").write_text(PROBLEMS)
    Path("marks.csv").write_text(MARKS)
    Path("good.epd").write_text(PROBLEMS.splitlines()[0])


ANNOTATED = """
--nodes 1000 | 2 3 4 6 7 | 5
--nodes 1000 --fail-on none | 4 | 5
--nodes 1000 --fail-on undecided | 4 5 |
--nodes 1000 --marks marks.csv --fail-on unmarked | 2 3 4 | 5
--jsonl --quiet | 2 3 4 6 7 |
"""


@pytest.mark.usefixtures("files")
def test_exactly_the_records_that_change_the_exit_code_are_annotated(cli: Cli) -> None:
    for options, errors, warnings in rows(ANNOTATED):
        ended = cli(f"verify problems.epd --annotate github {options}")
        found = [(kind, line) for kind, _, line in COMMAND.findall(ended.err)]
        lines = [("error", line) for line in errors.split()]
        assert ended.code == 65
        assert sorted(found) == [
            *lines,
            *(("warning", line) for line in warnings.split()),
        ]
        assert not re.search(r"^\s*::", ended.out, re.MULTILINE)


TABLE = """\
### matesolve verify

- `problems.epd: EPD, 7 records; claim from dm, nomate, name from id; 1 unreadable`

| claim | proved | shorter | refuted | undecided | unreadable | total | nodes | time |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| `#1` | 1 |  |  |  |  | 1 |
| `#2` |  | 1 |  |  |  | 1 |
| `#3` |  | 1 |  |  |  | 1 |
| `#4` |  | 1 |  |  |  | 1 |
| `#8` |  |  |  | 1 |  | 1 |
| `no #2` |  |  | 1 |  |  | 1 |
| `none` |  |  |  |  | 1 | 1 |
| `all` | 1 | 3 | 1 | 1 | 1 | 7 |

3 records repeat an earlier position (3 with another claim): inspect --duplicates \
names them

soundness: 3 short-solution

5 failures: 1 accept, 0 cook, 1 reject, 3 unmarked
"""


@pytest.mark.usefixtures("files")
def test_markdown_has_counts_and_failures(cli: Cli) -> None:
    words = "verify problems.epd --marks marks.csv --nodes 1000 --summary markdown"
    text = CELLS.sub(" |", cli(words).out)
    head, _, rest = text.partition("\n- `` problems.epd:2")
    assert head == TABLE
    assert re.findall(r"problems\.epd:(\d)", rest) == ["3", "4", "6", "7"]
    assert "  `mark: accept`\\\n" in rest
    assert "problems.epd:4: board: expected 8 ranks" in rest
    assert cli("verify good.epd --quiet --summary markdown").out == ""
    ended = cli("verify missing.epd good.epd --summary markdown")
    assert ended.code == 74
    assert "\n- `missing.epd: 0 records`\n- `good.epd: EPD, 1 record;" in ended.out
