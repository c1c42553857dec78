"""Endgame tables: our own for small endgames, and the user's Gaviota and Syzygy."""
