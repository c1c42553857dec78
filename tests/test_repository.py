"""The files around the program agree: metadata, workflows, hooks and packages."""

from __future__ import annotations

import json
import os
import re
import shutil
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from solver import __version__
from tests.processes import run
from tools.distributions import (
    files_of,
    package_faults,
    sdist_faults,
    shipped_files,
    wheel_faults,
)
from tools.listing import listing
from tools.manual import MAN_PAGE, man_page
from tools.release import version_faults

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
ACTION = ROOT / "action.yml"
AUTOMATED = [*WORKFLOWS, ACTION]
"""All that runs other people's actions."""

RUN = re.compile(r"python -m ((?:tools|benchmarks)\.\w+)")
"""A command that runs a tool or a benchmark."""


def module(name: str) -> Path:
    """Return the file of a dotted name."""
    return (ROOT / name.replace(".", "/")).with_suffix(".py")


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


def supported_pythons() -> list[str]:
    """Return the Python versions that `requires-python` allows, oldest first."""
    allowed = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"])
    assert allowed
    return [f"3.{minor}" for minor in range(int(allowed[1]), int(allowed[2]))]


def test_the_citation_has_the_version_and_the_licence_of_the_package() -> None:
    citation = parsed("CITATION.cff")
    assert citation["version"] == __version__
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"]


def test_the_citation_has_every_key_that_its_format_requires() -> None:
    citation = parsed("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert {"authors", "message", "title"} <= citation.keys()


def test_the_entry_for_lists_of_servers_has_what_its_format_requires() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert re.fullmatch(
        r"https://[\w./-]+/2025-12-11/server\.schema\.json", entry["$schema"]
    )
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 1 <= len(entry["description"]) <= 100
    assert entry["repository"] == {"url": PROJECT["urls"]["Source"], "source": "github"}
    assert entry["websiteUrl"].startswith(PROJECT["urls"]["Documentation"])
    (package,) = entry["packages"]
    assert package["registryType"] == "pypi"
    assert package["identifier"] == PROJECT["name"]
    assert package["transport"] == {"type": "stdio"}
    assert entry["version"] == package["version"] == __version__
    # `uvx --with "matesolve[mcp]" matesolve@VERSION mcp`
    (extra,), (command,) = package["runtimeArguments"], package["packageArguments"]
    assert package["runtimeHint"] == "uvx"
    assert extra == {"type": "named", "name": "--with", "value": "matesolve[mcp]"}
    assert "mcp" in PROJECT["optional-dependencies"]
    assert command == {"type": "positional", "value": "mcp"}


def test_the_readme_names_that_entry_as_its_own() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    owner = PROJECT["urls"]["Source"].split("/")[-2]
    assert entry["name"] == f"io.github.{owner}/{PROJECT['name']}"
    readme = (ROOT / PROJECT["readme"]).read_text(encoding="utf-8")
    assert re.findall(r"^<!-- mcp-name: (\S+) -->$", readme, re.MULTILINE) == [
        entry["name"]
    ]


def test_all_links_lead_to_one_repository() -> None:
    source = PROJECT["urls"]["Source"]
    assert parsed("CITATION.cff")["repository-code"] == source
    for name in ("Homepage", "Issues", "Changelog"):
        assert PROJECT["urls"][name].startswith(source), name
    for path in (ROOT / ".github").rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r"https://github\.com/[\w/.-]+", text):
            assert link.startswith(source), path


def test_the_classifiers_list_the_supported_pythons() -> None:
    listed = [
        classifier.rpartition(" ")[2]
        for classifier in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", classifier)
    ]
    assert listed == supported_pythons()


def test_the_gate_runs_every_supported_python() -> None:
    (job,) = parsed(".github/workflows/gate.yml")["jobs"].values()
    assert job["strategy"]["matrix"] == {"python-version": supported_pythons()}


def test_only_systems_that_were_tried_are_claimed() -> None:
    systems = [name for name in PROJECT["classifiers"] if "Operating System" in name]
    assert systems == ["Operating System :: POSIX :: Linux"]
    machines = {
        job["runs-on"]
        for workflow in WORKFLOWS
        for job in parsed(workflow)["jobs"].values()
    }
    assert machines == {"ubuntu-latest"}


def test_contributing_shows_the_commands_that_test_the_dependencies() -> None:
    commands = [
        step["run"]
        for step in steps(ROOT / ".github" / "workflows" / "dependencies.yml")
        if step.get("run", "").startswith(("uv ", "pip-audit ", "lowest/bin/python "))
    ]
    assert len(commands) == 5
    assert f"uv venv --python {supported_pythons()[0]} lowest" in commands
    for command in commands:
        assert f"\n    {command}\n" in CONTRIBUTING


@pytest.mark.parametrize("workflow", AUTOMATED, ids=lambda path: path.stem)
def test_a_workflow_uses_a_supported_python(workflow: Path) -> None:
    for step in steps(workflow):
        version = step.get("with", {}).get("python-version")
        if version not in {
            "${{ matrix.python-version }}",
            "${{ inputs.python-version }}",
        }:
            assert version in {None, *supported_pythons()}


def test_the_action_runs_a_supported_python_by_default() -> None:
    default = parsed(ACTION)["inputs"]["python-version"]["default"]
    assert default in supported_pythons()


@pytest.mark.parametrize("workflow", AUTOMATED, ids=lambda path: path.stem)
def test_no_script_contains_what_others_may_write(workflow: Path) -> None:
    for step in steps(workflow):
        for expression in re.findall(r"\$\{\{(.*?)\}\}", step.get("run", "")):
            # Of a matrix, whose values are in the file itself.
            assert expression.strip().startswith("matrix."), expression


def test_the_hook_reads_puzzle_files_with_what_they_need() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    words = [*hook["entry"].split(), *hook["args"]]
    assert words[0] in PROJECT["scripts"]
    known = {
        name
        for listed in listing()
        if listed.command == "verify"
        for name in listed.names
    }
    assert {word for word in words if word.startswith("-")} <= known
    assert hook["additional_dependencies"] == PROJECT["optional-dependencies"]["olive"]
    for name, is_read in (("a b.epd", True), ("x/y.olv", True), ("x.epd.py", False)):
        assert bool(re.search(hook["files"], name)) == is_read


def test_the_gate_checks_every_yaml_file_of_github_by_its_schema() -> None:
    gate = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for schema, files in (
        ("github-workflows", ".github/workflows/*.yml"),
        ("github-actions", "action.yml"),
        ("dependabot", ".github/dependabot.yml"),
    ):
        assert f"check-jsonschema --builtin-schema vendor.{schema} {files}\n" in gate
    assert {path.suffix for path in AUTOMATED} == {".yml"}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_only_scripts_that_exist(workflow: Path) -> None:
    commands = "\n".join(step.get("run", "") for step in steps(workflow))
    for script in re.findall(r"(?<!\S)\.(?!venv/)[\w/.-]*/[\w.-]+", commands):
        assert os.access(ROOT / script, os.X_OK), script
    assert {
        name for name in RUN.findall(commands) if not module(name).is_file()
    } == set()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_unless_a_job_says_more(workflow: Path) -> None:
    assert parsed(workflow)["permissions"] == {"contents": "read"}


def test_pinned_actions_are_updated_every_week() -> None:
    updates = parsed(".github/dependabot.yml")["updates"]
    (actions,) = [
        one for one in updates if one["package-ecosystem"] == "github-actions"
    ]
    assert actions["schedule"] == {"interval": "weekly"}
    # "/" is .github/workflows, and action.yml in the root.
    assert actions["directory"] == "/"


def test_releases_are_published_without_a_stored_token() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "secrets." not in text
    jobs = parsed(".github/workflows/release.yml")["jobs"]
    for name in ("publish", "publish-npm"):
        assert jobs[name]["permissions"] == {"id-token": "write"}
        assert jobs[name]["environment"] == "release"


def needed(jobs: dict[str, Any], name: str) -> set[str]:
    """Return all jobs without which a job does not run."""
    needs = jobs[name].get("needs", [])
    direct = {needs} if isinstance(needs, str) else set(needs)
    return direct.union(*(needed(jobs, other) for other in direct))


def test_nothing_is_published_before_every_package_is_there() -> None:
    jobs = parsed(".github/workflows/release.yml")["jobs"]
    for name in ("publish", "publish-npm", "github-release"):
        assert {"source", "npm"} <= needed(jobs, name), name
        assert "if" not in jobs[name]


@pytest.mark.parametrize("workflow", AUTOMATED, ids=lambda path: path.stem)
def test_no_step_fails_silently(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert "continue-on-error" not in text
    if workflow != ACTION:  # where these are a failed `grep` or `shopt`
        assert "|| true" not in text
    for step in steps(workflow):
        if step.get("uses", "").startswith("actions/upload-artifact@"):
            assert step["with"]["if-no-files-found"] == "error"


CHANGES = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Added\n"


def test_a_release_has_one_version_in_its_tag_package_and_changelog() -> None:
    assert version_faults("v1.2.3", "1.2.3", CHANGES) == []


@pytest.mark.parametrize(
    ("tag", "version", "old", "new", "fault"),
    [
        ("v1.2.4", "1.2.3", "", "", "tag: expected v1.2.3"),
        ("1.2.3", "1.2.3", "", "", "tag: expected v1.2.3"),
        ("v1.2.4", "1.2.4", "", "", "expected ## [1.2.4] - YEAR-MONTH-DAY second"),
        ("v1.2.3", "1.2.3", " - 2026-01-31", "", "second, found [1.2.3]"),
        ("v1.2.3", "1.2.3", "01-31", "soon", "second, found [1.2.3] - 2026-soon"),
        ("v1.2.3", "1.2.3", "[1.2.3]", "[1x2.3]", "second, found [1x2.3]"),
        ("v1.2.3", "1.2.3", "[Unreleased]", "[1.3.0]", "expected ## [Unreleased]"),
        ("v1.2.3", "1.2.3", CHANGES, "", "expected ## [Unreleased], found nothing"),
    ],
)
def test_a_release_with_two_versions_is_refused(
    tag: str, version: str, old: str, new: str, fault: str
) -> None:
    faults = version_faults(tag, version, CHANGES.replace(old, new) if old else CHANGES)
    assert fault in "\n".join(faults)


def test_every_released_version_of_the_changelog_has_a_date_and_a_link() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, *released = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
    assert first == "[Unreleased]"
    for heading in released:
        dated = re.fullmatch(r"\[[\d.]+\] - (\d{4}-\d\d-\d\d|unreleased)", heading)
        assert dated
        assert dated[1] != "unreleased" or heading == released[0]
    names = {heading.partition(" ")[0] for heading in (first, *released)}
    links = dict(re.findall(r"^(\[.*\]): (.*)$", changelog, re.MULTILINE))
    assert links.keys() == names
    assert all(link.startswith(PROJECT["urls"]["Source"]) for link in links.values())
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert {*re.findall(r"^### (.*)$", changelog, re.MULTILINE)} <= kinds


def test_the_man_page_is_current() -> None:
    # If this fails: python -m tools.manual
    assert MAN_PAGE.read_text(encoding="utf-8") == man_page()


def test_the_man_page_shows_every_option_and_has_no_errors() -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("needs groff")
    page = run([groff, "-man", "-Tascii", "-P-cbou", "-ww", MAN_PAGE], check=True)
    assert page.stderr == ""
    shown = set(re.findall(r"(?<!\S)--?\w[\w-]*", page.stdout))
    assert {name for listed in listing() for name in listed.names} <= shown


@pytest.mark.parametrize("character", ["x", "é", "→"])
@pytest.mark.parametrize("rest", ["", "\n", "\n\nA body.\n"])
def test_the_hook_refuses_commit_subjects_of_over_72_characters(
    character: str, rest: str
) -> None:
    hooks = [
        hook
        for repository in parsed(".pre-commit-config.yaml")["repos"]
        for hook in repository["hooks"]
    ]
    hook = next(hook for hook in hooks if hook.get("stages") == ["commit-msg"])
    assert hook["language"] == "pygrep"
    assert hook["args"] == ["--multiline"]
    # The pattern and the flags as pre-commit's pygrep compiles them.
    pattern = re.compile(hook["entry"].encode(), re.MULTILINE | re.DOTALL)
    assert not pattern.search((character * 72 + rest).encode())
    assert pattern.search((character * 73 + rest).encode())
    assert not pattern.search(f"x\n\n{character * 100}".encode())


def test_the_image_is_built_from_all_that_the_wheel_needs() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    wheel = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "*" in ignored
    assert kept >= {
        "hatch_build.py",
        "pyproject.toml",
        PROJECT["readme"],
        *PROJECT["license-files"],
        *wheel["packages"],
        *wheel["shared-data"],
    }


def test_the_image_runs_a_supported_python_without_privileges() -> None:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    (base,) = [name for word, name, *_ in words if word == "FROM"]
    python = re.fullmatch(r"docker\.io/library/python:([\d.]+)-slim", base)
    assert python
    assert python[1] in supported_pythons()
    assert [name for word, name, *_ in words if word == "USER"] == ["matesolve"]
    assert words.index(["USER", "matesolve"]) < words.index(
        ["RUN", "matesolve", "warmup"]
    )
    assert lines[-1] == 'ENTRYPOINT ["matesolve"]'


def test_a_bug_report_has_what_is_needed_to_repeat_it() -> None:
    bug = parsed(".github/ISSUE_TEMPLATE/bug.yml")
    assert parsed(".github/ISSUE_TEMPLATE/feature.yml")["body"]
    fields = {field["id"]: field for field in bug["body"]}
    assert fields.keys() >= {"position", "command", "output", "doctor"}
    assert "matesolve doctor" in fields["doctor"]["attributes"]["label"]


IN_A_WHEEL = {
    *files_of("solver"),
    *(
        f"matesolve-0.1.0.data/data/{name.removeprefix('docs/')}"
        for name in files_of("docs/share")
    ),
    "matesolve-0.1.0.dist-info/METADATA",
}


def test_a_wheel_of_exactly_the_program_has_no_faults() -> None:
    page = "matesolve-0.1.0.data/data/share/man/man1/matesolve.1"
    assert {"solver/py.typed", page} <= IN_A_WHEEL
    assert not wheel_faults(IN_A_WHEEL)
    assert wheel_faults(IN_A_WHEEL - {"solver/py.typed", page}) == [
        "wheel: docs/share/man/man1/matesolve.1 is missing",
        "wheel: solver/py.typed is missing",
    ]
    assert wheel_faults(IN_A_WHEEL | {"tests/test_api.py"}) == [
        "wheel: tests/test_api.py is not in solver/ or docs/share/"
    ]


def test_only_a_wheel_for_one_platform_holds_object_code() -> None:
    files = shipped_files()
    assert not wheel_faults(IN_A_WHEEL | files, has_code=True)
    for name in files:
        assert wheel_faults((IN_A_WHEEL | files) - {name}, has_code=True) == [
            f"wheel: {name} is missing"
        ]
        assert wheel_faults(IN_A_WHEEL | {name}) == [
            f"wheel: {name} is not in solver/ or docs/share/"
        ]


@pytest.mark.parametrize("tag", ["linux_x86_64", "manylinux_2_28_x86_64"])
def test_a_wheel_for_linux_needs_a_tag_that_an_index_accepts(
    tag: str, tmp_path: Path
) -> None:
    wheel = tmp_path / f"matesolve-0.1.0-py3-none-{tag}.whl"
    zipfile.ZipFile(wheel, "w").close()
    sdist = tmp_path / "matesolve-0.1.0.tar.gz"
    tarfile.open(sdist, "w:gz").close()
    faults = package_faults([wheel], sdist)
    refused = f"{wheel.name}: expected a tag that an index accepts" in faults
    assert refused == (tag == "linux_x86_64")
    assert "wheel: solver/py.typed is missing" in faults


def test_an_sdist_holds_what_a_packager_needs() -> None:
    faults = sdist_faults(set())
    for name in ("solver/py.typed", "tests/conftest.py", ".ci/run", "LICENSE"):
        assert f"sdist: {name} is missing" in faults


KINDS = r"is_help\b|is_direct_mate|is_battle|has_number|stipulation is (not )?None"

ASKING = {
    "cli/improve.py": "its rows are mates",
    "cli/solve.py": "whether an option was given",
    "cli/table.py": "the laboratory counts the nodes of mates",
    "formats/claims.py": "help play has solutions instead of keys",
    "formats/compositions.py": "a diagram may lack a stipulation",
    "formats/epd.py": "its rows are mates",
    "formats/olive.py": "help play has solutions instead of keys",
    "formats/records.py": "help play may begin with either side",
    "formats/pgn.py": "two tags for help play; a number in place of a claim",
    "search/queries.py": "only mates are answered many in one call",
}
"""The files with lines that test what a stipulation is, and why. Others call its kind,
or read its text and numbers."""


def test_ten_lines_ask_what_a_stipulation_is() -> None:
    solver = ROOT / "solver"
    rooms = {"problem.py", "stipulations", "kernel"}
    files = [path.relative_to(solver) for path in solver.rglob("*.py")]
    lines = [
        (path.as_posix(), line.strip())
        for path in files
        if path.parts[0] not in rooms
        for line in (solver / path).read_text(encoding="utf-8").splitlines()
        if re.search(KINDS, line)
    ]
    assert {file for file, _ in lines} == set(ASKING)
    assert len(lines) <= 10, lines


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


def test_contributing_names_the_parts_of_the_slow_tests() -> None:
    for part in slow_parts():
        assert f"    python -m pytest -m slow {part}\n" in CONTRIBUTING


def test_contributing_shows_the_rooms_in_the_order_of_imports() -> None:
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    floors = {
        room.strip().removeprefix("solver."): floor
        for floor, rooms in enumerate(layers)
        for room in rooms.split("|")
    }
    shown = [
        floors[room] for room in re.findall(r"^ {4}(\w+)/ ", CONTRIBUTING, re.MULTILINE)
    ]
    assert shown == sorted(shown)


def test_contributing_names_files_and_modules_that_exist() -> None:
    rooms = "solver|tests|tools|benchmarks"
    for name in re.findall(rf"`((?:{rooms})/[\w/.]*)`", CONTRIBUTING):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"`(\w+\.py)`", CONTRIBUTING):
        assert list((ROOT / "solver").rglob(name)), name
