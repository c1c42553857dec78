"""The board's modules: typed, joined to one script, under a strict policy."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from solver.kernel.border.query_struct import Query
from solver.kernel.border.search_struct import Search
from solver.pages import bundle
from solver.pages.layout import describe_kernel
from solver.pages.viewer_pages import encode_board
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
    run(
        ["tsc", *options, *language, *resolution, *modules],
        cwd=tmp_path,
        check=True,
    )


@pytest.mark.parametrize(
    "entry", ["page", "viewer", "collection", "counts", "trace", "worker"]
)
def test_joined_modules_have_no_name_in_common(entry: str) -> None:
    script = bundle([f"modules/{entry}.mjs"])
    names = Counter(TOP_LEVEL.findall(script))
    assert [name for name, count in names.items() if count > 1] == []
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)


def test_a_module_has_at_most_400_lines() -> None:
    lengths = {
        path.name: len(path.read_text().splitlines()) for path in MODULES.iterdir()
    }
    assert max(lengths.values()) < 400, lengths


def test_a_line_of_a_module_has_at_most_100_columns() -> None:
    package = Path(__file__).parents[2] / "npm"
    longer = [
        f"{path.name}: {line}"
        for path in [*MODULES.glob("*.mjs"), *package.glob("*.mjs")]
        for line in path.read_text(encoding="utf-8").splitlines()
        if len(line) > 100
    ]
    assert longer == []


def test_the_layout_is_that_of_the_structs() -> None:
    structs = describe_kernel()["structs"]
    assert structs["Search"]["fields"]["node_limit"] == [
        Search.node_limit.offset,
        8,
        1,
    ]
    assert structs["Search"]["fields"]["phis"][1] == 4
    assert structs["Query"]["fields"]["lower"] == [Query.lower.offset, 8, 2]


def test_the_page_runs_its_own_script_and_loads_nothing() -> None:
    text = encode_board({}).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives.pop("default-src") == "'none'"
    assert re.fullmatch(
        r"'sha256-[^']+' 'wasm-unsafe-eval'", directives.pop("script-src")
    )
    assert re.fullmatch(r"'sha256-[^']+'", directives.pop("style-src"))
    assert directives == {
        "worker-src": "blob:",
        "img-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not re.search(r"<[^>]* style=|<(?:link|img|iframe|object)\b", text)
    assert not re.search(r"innerHTML|\beval\(|@import|url\((?!#)", text)
    assert set(re.findall(r"https?://([^/\"]+)", text)) <= {"www.w3.org", "lichess.org"}


def test_data_cannot_end_its_element() -> None:
    hostile = "</script><script>alert(1)</script>"
    assert hostile not in encode_board({}, hostile).decode()
