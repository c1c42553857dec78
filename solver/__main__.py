"""The entry point of `matesolve`, and of `python -m solver`.

Loaded by its name; imports `cli`.

An interrupt while the program loads ends it with one line on stderr.
"""

import gc

from solver.cli.signals import end_at_once, ignore_at_exit

gc.set_threshold(100_000)  # loading a command leaves no garbage to look for
end_at_once()
ignore_at_exit()  # before all others, so called after them

from solver.cli.main import main  # noqa: E402 -- it takes a while

__all__ = ["main"]

if __name__ == "__main__":
    main()
