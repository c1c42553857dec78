"""How kernel functions become machine code, and where the code is kept."""
