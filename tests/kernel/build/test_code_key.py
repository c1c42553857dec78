"""What compiled code depends on is found without llvmlite, but agrees with it."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import llvmlite.binding as llvm
import pytest

from solver.kernel.build import cache
from tests.processes import run

if TYPE_CHECKING:
    from pathlib import Path

with_images = pytest.mark.skipif(
    not cache.HAS_IMAGES, reason="code is loaded through llvmlite here"
)

X86 = """\
processor	: 0
vendor_id	: GenuineIntel
cpu family	: 6
model		: 85
model name	: Intel(R) Xeon(R) CPU
stepping	: 7
microcode	: 0x1
cpu MHz		: {mhz}
flags		: fpu pni ssse3 sse4_1 sse4_2 popcnt cx16 lahf_lm abm bmi1{more}
bugs		: spectre_v1

processor	: 1
vendor_id	: another
flags		: never_read
"""

ARM = """\
processor	: 0
BogoMIPS	: 243.75
Features	: fp asimd{more}
CPU implementer	: 0x41
CPU architecture: 8
CPU variant	: 0x3
CPU part	: 0xd0c
CPU revision	: 1

"""


@pytest.fixture
def cpuinfo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in place of Linux's description of the processors."""
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(cache, "CPUINFO", str(path))
    monkeypatch.setattr(cache, "HAS_IMAGES", True)
    monkeypatch.setattr(cache, "_record", cache._record.__wrapped__)
    return path


@with_images
def test_required_features_are_those_that_llvm_finds() -> None:
    required = {name for each in cache.portable_targets() for name in each.required}
    required.discard(cache.FAST_EXTRACT)
    found = llvm.get_host_cpu_features()
    assert {name for name in required if found[name]} == required & cache.features()


def test_features_have_llvms_names(cpuinfo: Path) -> None:
    cpuinfo.write_text(X86.format(mhz=2000, more=""))
    level = cache.PORTABLE["x86_64"][-1]
    assert level.required <= cache.features()
    assert "lzcnt" in cache.features()
    assert "bmi" in cache.features()
    assert "never_read" not in cache.features()


@pytest.mark.parametrize(
    ("vendor", "family", "flag", "is_fast"),
    [
        ("GenuineIntel", 6, "bmi2", True),
        ("GenuineIntel", 6, "bmi1", False),
        ("AuthenticAMD", 25, "bmi2", True),  # Zen 3
        ("AuthenticAMD", 23, "bmi2", False),  # Zen 2
        ("HygonGenuine", 24, "bmi2", False),
    ],
)
def test_pext_is_fast_on_intel_and_since_zen_3(
    cpuinfo: Path, vendor: str, family: int, flag: str, *, is_fast: bool
) -> None:
    text = X86.format(mhz=2000, more=f" {flag}").replace("GenuineIntel", vendor)
    cpuinfo.write_text(text.replace("family	: 6", f"family	: {family}"))
    assert (cache.FAST_EXTRACT in cache.features()) == is_fast


@pytest.mark.parametrize("text", [X86, ARM], ids=["x86-64", "AArch64"])
def test_another_feature_is_another_processor(cpuinfo: Path, text: str) -> None:
    cpuinfo.write_text(text.format(mhz=2000, more=""))
    before = cache.processor()
    cpuinfo.write_text(text.format(mhz=2100, more=""))
    assert cache.processor() == before
    cpuinfo.write_text(text.format(mhz=2000, more=" new"))
    assert cache.processor() != before
    assert "new" in cache.features()


def test_llvmlite_describes_the_processor_where_linux_does_not(cpuinfo: Path) -> None:
    assert not cpuinfo.exists()
    assert llvm.get_host_cpu_name() in cache.processor()
    found = llvm.get_host_cpu_features()
    assert cache.features() == {name for name, is_there in found.items() if is_there}


@pytest.mark.parametrize("name", cache.COMPILER)
def test_the_installed_version_is_that_of_its_metadata(name: str) -> None:
    assert version(name) in cache.installed_version(name)


def test_a_package_that_is_not_installed_has_no_version() -> None:
    assert cache.installed_version("absent_package") == "unknown"


FILES = """
import sys
from solver.kernel.build import cache

cache.code_key()
[cache.runs_here(each) for each in cache.portable_targets()]
print(*sys.modules)
"""


@with_images
def test_which_files_fit_is_found_without_slow_imports() -> None:
    command = [sys.executable, "-c", FILES]
    printed = subprocess.check_output(command, text=True, env={**os.environ})
    slow = {"llvmlite", "numba", "numpy", "importlib.metadata", "platform", "tempfile"}
    assert not slow & set(printed.split())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"),
        ("x86_64-pc-windows-msvc", "x86_64-pc-windows-msvc"),
        ("arm64-apple-darwin24.1.0", "arm64-apple-darwin"),
    ],
)
def test_the_release_of_a_system_does_not_matter_to_compiled_code(
    name: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "HAS_IMAGES", False)
    monkeypatch.setattr(llvm, "get_process_triple", lambda: name)
    assert cache.triple() == expected


# numba's settings


def key_with(monkeypatch: pytest.MonkeyPatch, **variables: str) -> str:
    """Return the key under these environment variables."""
    with monkeypatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        return cache.code_key.__wrapped__()


@pytest.mark.parametrize("name", cache.CODE_SETTINGS)
def test_a_setting_that_changes_the_code_changes_the_key(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name, raising=False)
    keys = {key_with(monkeypatch, **each) for each in ({}, {name: "0"}, {name: "1"})}
    assert len(keys) == 3


@pytest.mark.parametrize("name", ["NUM_THREADS", "CACHE_DIR", "DUMP_IR", "CPU_NAME"])
def test_a_setting_that_does_not_change_the_code_keeps_the_key(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """joblib sets NUMBA_NUM_THREADS in its workers."""
    variable = {f"NUMBA_{name}": "1"}
    assert key_with(monkeypatch, **variable) == key_with(monkeypatch)


COMPILE = """
import hashlib
from solver.kernel.border.parts import HELP
from solver.kernel.build import cache, loader

print(hashlib.sha256(loader.compile_part(HELP, cache.host())).hexdigest())
"""

FAILS = {"NUMBA_DISABLE_JIT"}
"""Settings with which nothing is compiled."""

WORDS = {
    "NUMBA_CPU_FEATURES": "+sse2",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_LLVM_REFPRUNE_FLAGS": "per_bb",
    "NUMBA_THREADING_LAYER": "workqueue",
    "NUMBA_CAPTURED_ERRORS": "old_style",
}
"""Values of settings that are words."""


@pytest.mark.slow
def test_only_these_settings_of_numba_change_the_code(tmp_path: Path) -> None:
    """As numba's own sources list them; of messages and GPUs only some are tried."""
    from numba.core import config

    source = inspect.getsource(config)
    found = {*re.findall("NUMBA_[A-Z_]+", source)} - {"NUMBA_GDB_BINARY"}
    names = {name for name in found if not re.search("CUDA|DUMP|DEBUG_|COLOR", name)}
    assert names >= cache.CODE_SETTINGS.keys()

    def compiled(**variables: str) -> str:
        words = [sys.executable, "-c", COMPILE]
        # Some settings print what the compiler does, or write a file about it.
        ended = run(words, env={**os.environ, **variables}, cwd=tmp_path)
        return "" if ended.returncode else str(ended.stdout).splitlines()[-1]

    plain, changed = compiled(), set()
    for name in sorted(names):
        default = getattr(config, name.removeprefix("NUMBA_"), None)
        value = WORDS.get(name, "0" if default in (1, 3) else "1")
        code = compiled(**{name: value})
        assert bool(code) == (name not in FAILS), name
        changed |= {name} if code not in ("", plain) else set()
    assert changed == cache.CODE_SETTINGS.keys()
