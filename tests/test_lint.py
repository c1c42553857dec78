"""`tools.lint` finds each kind of fault in a repository that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools import lint

if TYPE_CHECKING:
    from pathlib import Path

CONTRIBUTING = "    room/  what it holds\n    python -m tools.tool\n"
TOOL = 'if __name__ == "__main__":\n    pass\n'
USES = "steps:\n  - uses: a/b@{}  # v1.2.3\n"
COMMIT = "0a" * 20
TYPED = '"""Text.\n\nReturns\n-------\n{}\n"""\n'
FILES = {
    "CONTRIBUTING.md": CONTRIBUTING,
    "action.yml": USES.format(COMMIT),
    "tools/tool.py": TOOL,
    "solver/room/__init__.py": "",
    "solver/room/one.py": "class One:\n    pass\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository without faults."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    return tmp_path


def test_a_repository_without_faults_has_none(root: Path) -> None:
    (root / "solver" / "room" / "two.py").write_text(TYPED.format("One or None"))
    assert lint.faults() == []


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("tests/test_x.py", "def said_toldBy(): ...", "or shown`, found `told`"),
        ("docs/x.md", "Five men", "expected `pieces`, found `men`"),
        ("solver/room/two.py", "class One: ...", "One: expected one definition"),
        ("solver/room/two.py", '"""See `Two`."""', "two.py:1: expected a name"),
        ("solver/room/two.py", TYPED.format("Two"), "expected a name of ours"),
        ("solver/room/two.py", "#\n" * 801, "at most 800 lines, found 801"),
        ("solver/room/two.py", 'X = r"(?:a|b)*+"', "repeated possessively"),
        ("solver/other/__init__.py", "", "expected other here"),
        ("tools/other.py", TOOL, "expected tools.other here"),
        ("action.yml", USES.format("main"), "expected a commit and its version"),
        ("action.yml", f"- uses: a/b@{COMMIT}\n", "expected a commit"),
        ("action.yml", '- "uses": a/b@v1\n', "expected a commit"),
        (".github/workflows/x.yml", "- uses: docker://x:3\n", "expected a commit"),
    ],
)
def test_a_fault_is_found(root: Path, name: str, text: str, fault: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    (found,) = lint.faults()
    assert fault in found
