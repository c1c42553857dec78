"""How kernel functions become machine code, and where that is kept."""
