"""`python -m solver` is `matesolve`, which begins here too."""

from solver.cli.signals import end_at_once


def main() -> None:
    """Run the program; an interrupt that comes while it loads ends it with one line."""
    end_at_once()
    from solver.cli.main import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
