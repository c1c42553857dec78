"""The engine: the Universal Chess Interface in front of the solver."""
