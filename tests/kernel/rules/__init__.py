"""Tests of the rules of chess on bitboards."""
