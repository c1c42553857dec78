"""The play of a problem as a tree."""
