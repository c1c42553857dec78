"""Tests of the search for direct mates."""
