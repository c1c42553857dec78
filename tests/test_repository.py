"""The files around the program agree: metadata, workflows, hooks and packages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.distributions import files_of, shipped_files, wheel_faults
from tools.listing import listing
from tools.manual import MAN_PAGE, man_page

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
ACTION = ROOT / "action.yml"
AUTOMATED = [*WORKFLOWS, ACTION]
"""All that runs other people's actions."""


def parsed(path: str | Path) -> dict[Any, Any]:
    """Return the content of a YAML file that holds a mapping."""
    content = yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))
    assert isinstance(content, dict), path
    return content


def steps(file: Path) -> list[dict[str, Any]]:
    """Return the steps of all jobs of a workflow, or those of the action."""
    content = parsed(file)
    jobs = content["jobs"].values() if "jobs" in content else [content["runs"]]
    return [step for job in jobs for step in job["steps"]]


def test_every_supported_python_is_listed_and_tested() -> None:
    classifiers = "\n".join(PROJECT["classifiers"])
    versions = re.findall(r"(?m):: (3\.\d+)$", classifiers)
    (job,) = parsed(".github/workflows/gate.yml")["jobs"].values()
    assert versions == job["strategy"]["matrix"]["python-version"]
    oldest, newest = versions[0], f"3.{int(versions[-1].removeprefix('3.')) + 1}"
    assert PROJECT["requires-python"] == f">={oldest},<{newest}"
    assert parsed(ACTION)["inputs"]["python-version"]["default"] in versions


@pytest.mark.parametrize("workflow", AUTOMATED, ids=lambda path: path.stem)
def test_a_workflow_trusts_no_input_and_hides_no_failure(workflow: Path) -> None:
    if workflow != ACTION:
        assert parsed(workflow)["permissions"] == {"contents": "read"}
    for step in steps(workflow):
        assert "continue-on-error" not in step
        for expression in re.findall(r"\$\{\{(.*?)\}\}", step.get("run", "")):
            # Of a matrix, whose values are in the file itself.
            assert expression.strip().startswith("matrix."), expression
        if step.get("uses", "").startswith("actions/upload-artifact@"):
            assert step["with"]["if-no-files-found"] == "error"


def test_releases_are_published_whole_and_without_a_stored_token() -> None:
    path = ROOT / ".github" / "workflows" / "release.yml"
    assert "secrets." not in path.read_text(encoding="utf-8")
    jobs = parsed(path)["jobs"]
    for name in ("publish", "publish-npm"):
        assert jobs[name]["permissions"] == {"id-token": "write"}
        assert jobs[name]["environment"] == "release"
        assert "if" not in jobs[name]


def test_the_man_page_is_current_and_shows_every_option() -> None:
    # If this fails: python -m tools.manual
    assert MAN_PAGE.read_text(encoding="utf-8") == man_page()
    shown = man_page().replace("\\-", "-")
    assert [each.names for each in listing() if each.names[0] not in shown] == []


IN_A_WHEEL = {
    *files_of("solver"),
    *(
        f"matesolve-0.1.0.data/data/{name.removeprefix('docs/')}"
        for name in files_of("docs/share")
    ),
    "matesolve-0.1.0.dist-info/METADATA",
}


def test_a_wheel_holds_exactly_the_program() -> None:
    assert "matesolve-0.1.0.data/data/share/man/man1/matesolve.1" in IN_A_WHEEL
    assert not wheel_faults(IN_A_WHEEL)
    (missing,) = wheel_faults(IN_A_WHEEL - {"solver/py.typed"})
    assert missing == "wheel: solver/py.typed is missing"
    for name in ("tests/test_api.py", *shipped_files()):
        (fault,) = wheel_faults(IN_A_WHEEL | {name})
        assert fault == f"wheel: {name} is not in solver/ or docs/share/"
    assert not wheel_faults(IN_A_WHEEL | shipped_files(), has_code=True)


def slow_parts() -> list[str]:
    """Return the paths of each part of the weekly run, as the shell gets them."""
    job = parsed(".github/workflows/slow.yml")["jobs"]["linux"]
    return [str(part) for part in job["strategy"]["matrix"]["part"]]


def test_each_slow_test_is_in_one_part_of_the_weekly_run() -> None:
    tests = (ROOT / "tests").rglob("test_*.py")
    is_slow = re.compile(r"mark\.slow|@sized\(")
    slow = {path for path in tests if is_slow.search(path.read_text("utf-8"))}
    paths = [part.partition(" -k ")[0] for part in slow_parts()]
    patterns = {pattern for path in paths for pattern in path.split()}
    found = [
        file
        for pattern in patterns
        for path in ROOT.glob(pattern.removesuffix("/"))
        if path.is_dir() or not pattern.endswith("/")
        for file in (path.rglob("test_*.py") if path.is_dir() else [path])
    ]
    assert sorted(set(found) & slow) == sorted(slow)
    assert len(found) == len(set(found))
