"""The entry point of `matesolve`, and of `python -m solver`."""

from solver.cli.signals import end_at_once


def main() -> None:
    """Run the program; an interrupt while it loads ends it with one line on stderr."""
    end_at_once()
    from solver.cli.main import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
