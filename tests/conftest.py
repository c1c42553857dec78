"""What tests of several rooms need: signals, the kernel, a browser, ended workers.

The last line but one of a run names what was not tested.
"""

from __future__ import annotations

import os
from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.pages.html import CHROMIUM, IS_FIREFOX
from tests.processes import limited_workers, restore_signals

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from playwright.sync_api import Browser

    from solver.kernel.border.interface import Kernel
    from solver.kernel.border.search_struct import Search

if find_spec("hypothesis"):  # the smoke tests of a wheel need pytest alone
    from hypothesis import settings

    # An example that waits for a busy machine is not a failure.
    settings.register_profile("any machine", deadline=None)
    settings.load_profile("any machine")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
) -> Generator[None]:
    """Name what was not tested, below all other lists of pytest."""
    yield
    skipped = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
    )
    if skipped:
        reasons = [f"{reason} ({count})" for reason, count in skipped.most_common()]
        terminalreporter.write_line(f"Not tested: {'; '.join(reasons)}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that open a browser, also through another fixture."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session", autouse=True)
def signals() -> None:
    """Hear signals, here and in every child, also where the runner ignores them."""
    restore_signals()


def _compiled(name: str) -> Kernel:
    """Return a part of the kernel, stored before a test starts a process with it."""
    from solver.kernel.border import parts
    from solver.kernel.build.loader import load_part

    part: parts.Part = getattr(parts, name)
    return load_part(part).kernel


@pytest.fixture(scope="session")
def kernel() -> Kernel:
    return _compiled("SEARCH")


@pytest.fixture(scope="session")
def battle_kernel() -> Kernel:
    return _compiled("BATTLE")


@pytest.fixture(scope="session")
def help_kernel() -> Kernel:
    return _compiled("HELP")


@pytest.fixture(scope="session")
def laboratory_kernel() -> Kernel:
    return _compiled("LABORATORY")


@pytest.fixture
def worker_processes(kernel: Kernel) -> Iterator[None]:  # noqa: ARG001
    """Let a test start workers, which need the kernel and are killed if they hang."""
    with limited_workers():
        yield


@pytest.fixture
def search() -> Search:
    """Memory for one search, with a table of one bucket and no node limit."""
    from solver.kernel.border.interface import NO_LIMIT
    from solver.kernel.border.search_struct import Search

    return Search(node_limit=NO_LIMIT, generation=1, buckets=1)


OVERLAID = {"ui.useOverlayScrollbars": 1}
"""Scrollbars take no room, as in the Chromium that Playwright starts."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The system's Chromium, or Playwright's Firefox where `MATESOLVE_BROWSER` says so.

    Tests that need it are skipped where there is none; where `CI` is set they fail.
    """
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None and not IS_FIREFOX:
        leave_out = pytest.fail if os.environ.get("CI") else pytest.skip
        leave_out("needs Chromium")
    with playwright.sync_playwright() as driver:
        browser = (
            driver.firefox.launch(firefox_user_prefs=OVERLAID)
            if IS_FIREFOX
            else driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        )
        yield browser
        browser.close()
