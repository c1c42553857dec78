"""The steps of `action.yml`, run by bash as GitHub's runner would run them.

Steps that run other actions, and the installation, are skipped.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from solver.kernel.build.cache import code_key, open_directory
from tests.hostile_folder import make_hostile
from tests.processes import run

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]

pytestmark = [
    pytest.mark.usefixtures(
        "kernel", "battle_kernel", "help_kernel", "laboratory_kernel"
    ),
    pytest.mark.skipif(sys.platform != "linux", reason="needs bash 4"),
]

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
ROOKS = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
ROOK = "8/7K/8/8/8/8/R7/7k w - - 0 1"

GOOD = f"{BACK_RANK} dm 1;\n{ROOKS} dm 2;\n{ROOKS}\n"
BAD = f"""\
{BACK_RANK} dm 1;
{BACK_RANK} dm 2; id "short";
{ROOK} dm 7; id "##[error]x";
a##[error]b is not a position
{ROOK} dm 8; id "::stop-commands::x";
{BACK_RANK} dm 2; id "accepted";
"""


# What the runner does


@dataclass
class Commands:
    """Reads what a step prints, and obeys; see the runner's ActionCommandManager."""

    stopped_by: str = ""
    read: list[str] = field(default_factory=list)

    def feed(self, text: str) -> None:
        for line in text.splitlines():
            start = line.lstrip()
            if self.stopped_by:
                if start == f"::{self.stopped_by}::":
                    self.stopped_by = ""
            elif stop := re.fullmatch(r"::stop-commands::(.+)", start):
                self.stopped_by = stop[1]
            elif start.startswith("::") or "##[" in line:
                self.read.append(start)


@dataclass
class Runner:
    """A machine with a checkout in `folder / "work"`, in which the action runs."""

    folder: Path
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    commands: Commands = field(default_factory=Commands)
    uploaded: dict[str, list[Path]] = field(default_factory=dict)
    printed: str = ""
    code: int = 0
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.temp, self.work = self.folder / "a temp", self.folder / "work"
        for path in (self.temp, self.work, self.folder / "scripts"):
            path.mkdir()
        script = self.folder / "scripts" / "python"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        script.chmod(0o755)

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text(encoding="utf-8")

    def __call__(self, **inputs: str) -> Runner:
        """Run all steps, or those before the first that fails."""
        defaults = {name: one.get("default") for name, one in ACTION["inputs"].items()}
        self.inputs: dict[str, str | None] = {**defaults}
        self.inputs.update({key.replace("_", "-"): inputs[key] for key in inputs})
        assert None not in self.inputs.values()
        for step in STEPS:
            if self.code == 0 and self.holds(step.get("if", "true")):
                self.take(step)
        return self

    def value(self, name: str) -> str:
        match name.split("."):
            case ["inputs", key]:
                return self.inputs[key] or ""
            case ["steps", key, "outputs", output]:
                return self.outputs.get(key, {}).get(output, "")
            case ["runner", "temp"]:
                return str(self.temp)
        raise AssertionError(name)

    def filled(self, text: str) -> str:
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda it: self.value(it[1]), text)

    def holds(self, condition: str) -> bool:
        """Evaluate `A == 'text' && B != 'text'`, or true."""
        facts = []
        for part in condition.split(" && "):
            if part != "true":
                name, sign, text = part.split(" ", 2)
                assert re.fullmatch("'[a-z]*'", text)
                facts.append((self.value(name) == text[1:-1]) == (sign == "=="))
        return all(facts)

    def take(self, step: dict[str, Any]) -> None:
        id_ = step.get("id", "")
        if "uses" in step:
            self.outputs[id_] = self.use(step["uses"], step.get("with", {}))
        elif id_ == "install":
            assert "pip install" in step["run"]
            self.outputs[id_] = {"scripts": str(self.folder / "scripts")}
        else:
            self.outputs[id_] = self.bash(step)

    def use(self, action: str, given: dict[str, Any]) -> dict[str, str]:
        match action.partition("@")[0].split("/", 1)[1]:
            case "setup-python":
                return {"python-path": sys.executable, "python-version": "3.0"}
            case "cache/restore":
                path = Path(self.filled(given["path"]))
                assert self.filled(given["key"]).endswith(f"-3.0-{code_key()}")
                shutil.copytree(open_directory(), path)
                return {"cache-hit": "true"}
            case "upload-artifact":
                paths = self.filled(given["path"]).split("\n")
                name = self.filled(given["name"])
                self.uploaded[name] = [Path(path) for path in paths if path]
                return {}
        raise AssertionError(action)

    def bash(self, step: dict[str, Any]) -> dict[str, str]:
        script = self.folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        written = self.folder / "output"
        written.write_text("")
        kept = {"PATH", "HOME"}
        environment = {
            **{key: value for key, value in os.environ.items() if key in kept},
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(written),
            "GITHUB_REPOSITORY": "owner/<name>",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GITHUB_WORKSPACE": str(self.work),
            "LANG": "C.UTF-8",
            "RUNNER_ARCH": "X64",
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self.temp),
            **self.variables,
            **{name: self.filled(text) for name, text in step.get("env", {}).items()},
        }
        assert step["shell"] == "bash"
        done = run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.filled(step.get("working-directory", str(self.work))),
            env=environment,
        )
        self.commands.feed(done.stdout)
        self.commands.feed(done.stderr)
        self.printed += done.stdout + done.stderr
        self.code = done.returncode
        lines = written.read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    yield Runner(tmp_path)
    # pytest removes the folder only if it may.
    for path in tmp_path.rglob("*"):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


def outputs(runner: Runner) -> dict[str, str]:
    """Return the outputs of the action itself."""
    named = ACTION["outputs"].items()
    return {name: runner.filled(output["value"]) for name, output in named}


# What the action does


def test_a_good_collection_passes_with_a_summary_and_a_report(runner: Runner) -> None:
    (runner.work / "good.epd").write_text(GOOD)
    runner(files="good.epd")
    assert runner.code == 0
    assert runner.commands == Commands()
    assert "`good.epd: EPD, 3 records; claim from dm; 1 without" in runner.summary
    assert "| `all` | 3 | 3 |" in runner.summary
    found = outputs(runner)
    report = Path(found.pop("report"))
    assert "Audit of owner/&lt;name&gt;" in report.read_text(encoding="utf-8")
    assert [*found.values()] == ["0", "3", "0", "0", "0"]
    assert runner.uploaded["matesolve"][0] == report


def test_failures_are_annotated_at_their_lines_and_fail_the_job(runner: Runner) -> None:
    (runner.work / "bad.epd").write_text(BAD)
    (runner.work / "marks.csv").write_text("id,mark\naccepted,accept\n")
    runner(files="bad.epd\n", marks="marks.csv", arguments="--nodes 1000\n--keys")
    assert runner.code == 65
    assert runner.commands.stopped_by == ""
    annotated = [
        re.match(r"::(\w+) file=(.*?),line=(\d+),title=", command)
        for command in runner.commands.read
    ]
    assert [it and it.groups() for it in annotated] == [
        ("error", "bad.epd", "2"),
        ("warning", "bad.epd", "3"),
        ("error", "bad.epd", "4"),
        ("warning", "bad.epd", "5"),
    ]
    assert "1 accept" in runner.summary
    found = outputs(runner)
    found.pop("report")
    assert [*found.values()] == ["65", "6", "2", "2", "1"]
    assert all(path.stat().st_size for path in runner.uploaded["matesolve"])


SHORTER = f"{BACK_RANK} dm 2;\n"


@pytest.mark.parametrize(
    ("more", "inputs", "code"),
    [("", {}, 0), (SHORTER, {}, 1), (SHORTER, {"fail_on": "refuted"}, 0)],
)
def test_undecided_claims_and_others_may_pass(
    runner: Runner, more: str, inputs: dict[str, str], code: int
) -> None:
    (runner.work / "x.epd").write_text(f"{ROOK} dm 8;\n{more}")
    runner(files="x.epd", arguments="--nodes 1000", allow_undecided="true", **inputs)
    assert runner.code == code
    assert outputs(runner)["exit-code"] == str(code or 3)


def test_patterns_and_names_with_spaces_are_files(runner: Runner) -> None:
    names = ["a b.epd", "c/d e/f.epd", "c/g.epd", "[x].epd", "$(touch x) *.epd"]
    for name in names:
        path = runner.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(GOOD.splitlines()[0])
    lines = ["a b.epd\r", "", "c/**/*.epd", "[x].epd", "$(touch x) *.epd"]
    runner(files="\n".join(lines), artifact="")
    assert runner.code == 0
    read = re.findall(r"^- `(.*?): EPD, 1 record;", runner.summary, re.MULTILINE)
    assert read == names
    assert not (runner.work / "x").exists()
    assert runner.uploaded == {}


@pytest.mark.parametrize(
    ("files", "code"), [("*.epd", 2), ("missing.epd", 74), ("good", 0)]
)
def test_an_audit_that_cannot_run_fails_the_job_and_a_quiet_one_passes(
    runner: Runner, files: str, code: int
) -> None:
    (runner.work / "good").write_text(GOOD)
    runner(files=files, arguments="--quiet" * (code == 0))
    assert runner.code == code
    if code == 74:  # which leaves a report
        assert "- `missing.epd: 0 records`\n" in runner.summary
        assert outputs(runner)["records"] == "0"
    elif code == 2:
        assert "expected files, found none: *.epd\n" in runner.printed
        assert (outputs(runner)["report"], runner.uploaded) == ("", {})
    else:
        assert runner.summary == ""


HOSTILE = "$(touch hacked); `touch hacked` \"; touch hacked; '"


@pytest.mark.parametrize("alone", ["files", "arguments", "marks", None])
def test_an_input_is_never_run(runner: Runner, alone: str | None) -> None:
    """Those that end the action are hostile alone; the others are so all at once."""
    (runner.work / "good.epd").write_text(GOOD)
    others = {*ACTION["inputs"]} - {"files", "arguments", "marks"}
    hostile = dict.fromkeys([alone] if alone else others, HOSTILE)
    runner(**{"files": "good.epd"} | hostile)
    assert not list(runner.folder.rglob("hacked"))


def test_no_step_runs_a_file_of_the_repository(runner: Runner, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    make_hostile(runner.work, marks)
    (runner.work / "good.epd").write_text(GOOD)
    # A workflow may set the variable, for steps of its own.
    runner.variables["PYTHONPATH"] = str(runner.work)
    runner(files="good.epd", arguments="--jobs 2")
    assert runner.code == 0, runner.printed
    assert outputs(runner)["records"] == "3"
    assert not marks.exists(), sorted(path.name for path in marks.iterdir())
    scripts = [step["run"] for step in STEPS if "run" in step]
    lines = [line.strip() for script in scripts for line in script.splitlines()]
    started = [line for line in lines if re.search('/python"|PYTHON"', line)]
    assert len(started) >= 8
    assert [line for line in started if '" -I ' not in line] == []
    assert [script for script in scripts if "${{" in script] == []
