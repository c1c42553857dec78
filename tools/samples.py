"""Samples of commands in README and docs, run and compared with what the pages show.

`python -m tools.samples` runs every sample, rewrites the outdated ones, and prints
which sentences repeat a number that no sample has any more.

A sample is a fenced block of the language `console`. A line that begins with `$ ` is a
command, the lines after it are its output. Commands of one page run in order in one
folder, which begins with `puzzles` and `docs` of the project. These are known:

- `$ cat FILE` creates FILE with the lines shown, unless the file exists;
- `$ sed -n 1,9p FILE` shows lines 1 to 9 of FILE;
- `$ matesolve ...` runs the command. `|`, `> FILE` and `2>&1` at the end work as in a
  shell.
- `$ echo $?` shows the exit code of the command before.

A sentence that repeats a number of a sample marks it with the words around it there,
as in `<!-- sample: no mate in {} or fewer -->6`, which replaces 6. With the number for
`{}`, these words must be in a sample of `console` or `python` above or below. A line
must not begin with a mark, since Markdown would show it.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from solver.cli.main import matesolve

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
STEP = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
SHOWN = re.compile(r"^```(?:console|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARK = "<!-- sample: "
QUOTED = re.compile(rf"(?<=\S ){MARK}(.*?) -->([0-9.,]*[0-9])")
DURATION = re.compile(r"\b[0-9.]+ m?s\b|(?<=\"time_s\":) ?[0-9.e-]+")

EXIT_CODES = [0]
"""Those of the commands that were run."""


@dataclass(frozen=True)
class Sample:
    """A command of a page, its output as the page shows it, and where that is."""

    command: str
    shown: str
    start: int
    end: int


def samples(page: str) -> list[Sample]:
    """Return the commands of a page in their order."""
    return [
        Sample(
            step[1],
            step[2],
            block.start(1) + step.start(2),
            block.start(1) + step.end(2),
        )
        for block in BLOCK.finditer(page)
        for step in STEP.finditer(block[1])
    ]


def misquoted(page: str) -> list[str]:
    """Return what a page's sentences repeat of samples, but no sample shows."""
    shown = " ".join(" ".join(SHOWN.findall(page)).split())
    quoted = [words.replace("{}", number) for words, number in QUOTED.findall(page)]
    unread = page.count(MARK) - len(quoted)
    return [words for words in quoted if words not in shown] + [MARK] * unread


def without_times(text: str) -> list[list[str]]:
    """Return the words of each line; times vary, and the width of columns with them."""
    return [DURATION.sub("TIME", line).split() for line in text.splitlines()]


def run(sample: Sample) -> str:
    """Run a command in the current folder and return what it prints on stdout."""
    words = shlex.split(sample.command)
    if words[0] == "cat":
        file = Path(words[1])
        if not file.exists():
            file.write_text(sample.shown, encoding="utf-8")
        return file.read_text(encoding="utf-8")
    if words[0] == "sed":
        first, last = map(int, words[2].removesuffix("p").split(","))
        lines = Path(words[3]).read_text(encoding="utf-8").splitlines(keepends=True)
        return "".join(lines[first - 1 : last])
    if sample.command == "echo $?":
        return f"{EXIT_CODES[-1]}\n"
    command, *target = sample.command.split(" > ")
    printed = b""
    for part in command.split(" | "):
        name, *words = shlex.split(part)
        if name != "matesolve":
            msg = f"expected matesolve, cat, sed or echo $?, found {name}"
            raise ValueError(msg)
        globbed: list[str] = []
        for word in words:
            globbed += sorted(map(str, Path().glob(word))) if "*" in word else [word]
        has_both = globbed[-1] == "2>&1"
        arguments = globbed[: len(globbed) - has_both]
        result = CliRunner().invoke(matesolve, arguments, input=printed)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        EXIT_CODES.append(result.exit_code)
        printed = result.output_bytes if has_both else result.stdout_bytes
    if not target:
        return "".join(f"{x.rstrip()}\n" for x in printed.decode().splitlines())
    Path(target[0]).write_bytes(printed)
    return ""


@contextlib.contextmanager
def sample_folder() -> Iterator[Path]:
    """Enter a new folder for the samples of a page."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name in ("puzzles", "docs"):
            Path(name).symlink_to(ROOT / name, target_is_directory=True)
        yield Path(folder)


def replay(page: str) -> list[tuple[Sample, str]]:
    """Run the commands of a page in a new folder; return what each prints."""
    with sample_folder():
        return [(sample, run(sample)) for sample in samples(page)]


def refreshed(page: str) -> str:
    """Return a page in which outdated output is replaced."""
    for sample, printed in reversed(replay(page)):
        if without_times(printed) != without_times(sample.shown):
            page = page[: sample.start] + printed + page[sample.end :]
    return page


def main() -> None:
    """Rewrite outdated samples, and print which marked sentences are outdated."""
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        current = refreshed(page)
        if current != page:
            path.write_text(current, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(ROOT)}: rewritten\n")
        for words in misquoted(current):
            sys.stdout.write(f"{path.relative_to(ROOT)}: no sample has {words!r}\n")


if __name__ == "__main__":
    main()
