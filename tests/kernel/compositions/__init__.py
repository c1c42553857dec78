"""Tests of battle play and help play."""
