"""The rules of chess on bitboards: moves, checks, mates in one, FEN and SAN."""
