"""`verify --summary markdown` and `--annotate github`: audits in a pipeline."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Matesolve

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
ROOKS = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"
PROBLEMS = f"""\
{BACK_RANK} dm 1; id "fine";
{BACK_RANK} dm 2; id "short | `<b>`";
{ROOKS} nomate 2; id "there is one";
::error file=x::y
{ROOK} dm 8; id "long";
{BACK_RANK} dm 3; id "accepted";
{BACK_RANK} dm 4; id "rejected";
"""
MARKS = "id,mark\naccepted,accept\nrejected,reject\n"

LIMITED = ("--nodes", "1000")

COMMAND = re.compile(
    r"^::(error|warning) (?:file=(.*?),line=(\d+),)?title=.*?::", re.MULTILINE
)
COSTS = re.compile(r" \| [\d,]+ \| [\d.]+ m?s \|$", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "problems.epd").write_text(PROBLEMS)
    (tmp_path / "marks.csv").write_text(MARKS)
    (tmp_path / "good.epd").write_text(PROBLEMS.splitlines()[0])
    return tmp_path


def annotated(err: str) -> set[tuple[str, int]]:
    """Return kind and line of each command of a run."""
    return {(kind, int(line)) for kind, _, line in COMMAND.findall(err)}


@pytest.mark.parametrize(
    ("options", "code", "lines"),
    [
        ((), 65, {("error", n) for n in (2, 3, 4, 6, 7)} | {("warning", 5)}),
        (("--fail-on", "refuted"), 65, {("error", 3), ("error", 4), ("warning", 5)}),
        (("--fail-on", "none"), 65, {("error", 4), ("warning", 5)}),
        (("--fail-on", "undecided"), 65, {("error", 4), ("error", 5)}),
        (
            ("--marks", "{}/marks.csv"),
            65,
            {("error", n) for n in (2, 3, 4, 7)} | {("warning", 5)},
        ),
        (
            ("--marks", "{}/marks.csv", "--fail-on", "unmarked"),
            65,
            {("error", n) for n in (2, 3, 4)} | {("warning", 5)},
        ),
        (("--jsonl", "--quiet"), 65, {("error", n) for n in (2, 3, 4, 6, 7)}),
    ],
)
def test_exactly_the_records_that_change_the_exit_code_are_annotated(
    matesolve: Matesolve,
    folder: Path,
    options: tuple[str, ...],
    code: int,
    lines: set[tuple[str, int]],
) -> None:
    limits = () if "--jsonl" in options else LIMITED
    given = [word.format(folder) for word in (*options, *limits)]
    problems = str(folder / "problems.epd")
    ended = matesolve("verify", problems, *given, "--annotate", "github")
    assert ended.code == code
    assert annotated(ended.err) == lines
    assert len(COMMAND.findall(ended.err)) == len(lines)
    assert not re.search(r"^\s*::", ended.out, re.MULTILINE)


# --- --summary markdown


def test_a_summary_in_markdown_has_what_was_read_counts_marks_and_failures(
    matesolve: Matesolve, folder: Path
) -> None:
    problems, marks = str(folder / "problems.epd"), str(folder / "marks.csv")
    ended = matesolve(
        *("verify", problems, "--marks", marks, *LIMITED, "--summary", "markdown")
    )
    text = COSTS.sub(" |", ended.out.replace(f"{folder}/", ""))
    head, _, rest = text.partition("\n- `` problems.epd:2")
    assert (
        head
        == """\
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
    )
    assert re.findall(r"problems\.epd:\d", rest) == [
        f"problems.epd:{line}" for line in (3, 4, 6, 7)
    ]
    assert "  `mark: accept`\\\n" in rest
    assert "problems.epd:4: board: expected 8 ranks" in rest


def test_a_file_that_cannot_be_read_has_no_records_in_markdown(
    matesolve: Matesolve, folder: Path
) -> None:
    files = [str(folder / name) for name in ("missing.epd", "good.epd")]
    ended = matesolve("verify", *files, "--summary", "markdown")
    assert ended.code == 74
    assert f"\n- `{files[0]}: 0 records`\n- `{files[1]}: EPD, 1 record;" in ended.out


def test_a_quiet_summary_lists_only_failures(
    matesolve: Matesolve, folder: Path
) -> None:
    words = ("--summary", "markdown", "--quiet")
    ended = matesolve("verify", str(folder / "problems.epd"), *words)
    assert ended.out.startswith(f"- `` {folder}/problems.epd:2: ")
    assert matesolve("verify", str(folder / "good.epd"), *words).out == ""


def test_a_summary_counts_the_disagreements_that_it_does_not_list(
    matesolve: Matesolve,
) -> None:
    rows = f"{BACK_RANK} dm 2;\n" * 60
    ended = matesolve("verify", "-", "--summary", "markdown", stdin=rows)
    assert ended.out.count("- `stdin:") == 1 + 50
    assert ended.out.endswith("\n- and 10 more\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--summary", "json"), "--summary json needs --jsonl."),
        (
            ("--summary", "markdown", "--jsonl"),
            "--summary markdown cannot be combined with --jsonl.",
        ),
        (("--summary", "html"), "'html' is not one of 'json', 'markdown'."),
        (("--annotate", "other"), "'other' is not 'github'."),
    ],
)
def test_a_summary_that_cannot_be_printed_is_refused(
    matesolve: Matesolve, options: tuple[str, ...], message: str
) -> None:
    ended = matesolve("verify", "x.epd", *options)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.rstrip().endswith(message)
