"""Tests of how kernel functions become machine code, and where that is kept."""
