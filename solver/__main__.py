"""`python -m solver` is `matesolve`."""

from solver.cli.main import main

if __name__ == "__main__":
    main()
