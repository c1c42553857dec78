"""The entry point of `matesolve`, and of `python -m solver`.

An interrupt while the program loads ends it with one line on stderr.
"""

import _signal  # type: ignore[import-not-found]

from solver import cli

for number in cli.INTERRUPTS:
    if _signal.getsignal(number) != _signal.SIG_IGN:  # as under `nohup`
        _signal.signal(number, cli.end)

import gc  # noqa: E402 -- even this may be interrupted

from solver.cli.signals import ignore_at_exit  # noqa: E402

gc.set_threshold(100_000)  # loading a command leaves no garbage to look for
ignore_at_exit()  # before all others, so called after them

from solver.cli.main import main  # noqa: E402

__all__ = ["main"]

if __name__ == "__main__":
    main()
