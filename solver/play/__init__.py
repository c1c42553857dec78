"""The play of a problem: set play, tries, keys, threats, defences, duals."""
