"""The modules of pages: typed, joined to one script, and under a strict policy."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from solver.pages import bundle
from solver.pages.viewer_pages import encode_board
from tests.pages.html import require_own_style_and_script
from tests.processes import run

MODULES = Path(str(files("solver.pages"))) / "modules"

TOP_LEVEL = re.compile(
    r"^(?:export )?(?:async )?(?:const|let|class|function) (\w+)", re.MULTILINE
)


@pytest.mark.skipif(shutil.which("tsc") is None, reason="needs TypeScript")
def test_modules_have_the_types_that_they_name(tmp_path: Path) -> None:
    modules = sorted(map(str, MODULES.glob("*.mjs")))
    options = ("--noEmit", "--allowJs", "--checkJs", "--strict", "--skipLibCheck")
    language = ("--target", "es2023", "--lib", "es2023,dom,dom.iterable")
    resolution = ("--module", "node16", "--moduleResolution", "node16")
    words = ["tsc", *options, *language, *resolution, *modules]
    run(words, cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "entry", ["page", "viewer", "collection", "counts", "trace", "worker"]
)
def test_joined_modules_have_no_name_in_common(entry: str) -> None:
    script = bundle([f"modules/{entry}.mjs"])
    names = Counter(TOP_LEVEL.findall(script))
    assert [name for name, count in names.items() if count > 1] == []
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)


def test_the_board_runs_its_own_script_and_its_data_cannot_end_their_element() -> None:
    hostile = "</script><script>alert(1)</script>"
    page = encode_board({}, hostile)
    require_own_style_and_script(page, solves=True)
    assert hostile not in page.decode()
