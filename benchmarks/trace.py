"""Which files of the program run code when it solves one FEN, or runs any command.

    python -m benchmarks.trace
    python -m benchmarks.trace verify --store new.db one.epd

A file counts when one of its functions is called; a file that is only imported does
not, even if its body calls functions. Run it twice: the first run may compile the
search.
"""

from __future__ import annotations

import sys
import threading
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

ROOM = str(Path(__file__).parents[1] / "solver")
SOLVE = ["solve", "5r1k/6pp/7N/8/2Q5/8/8/6K1", "w", "-", "-"]


def is_imported(frame: FrameType | None) -> bool:
    """Return whether the frame runs because a module is imported."""
    while frame and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    return frame is not None


def main() -> None:
    """Run the command and list the files on stdout, after what it prints."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        # Bodies of modules and classes, which importing runs, are not optimized.
        if event == "call" and code.co_flags & CO_OPTIMIZED:
            path = Path(code.co_filename)
            if path.is_relative_to(ROOM) and not is_imported(frame):
                files.add(str(path.relative_to(ROOM)))

    threading.setprofile(note)
    sys.setprofile(note)
    from solver.cli.main import run

    try:
        run(sys.argv[1:] or SOLVE)
    finally:
        sys.setprofile(None)
    print(*sorted(files), sep="\n")
    print(len(files), "files")


if __name__ == "__main__":
    main()
