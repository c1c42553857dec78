"""Tests of the scored search whose techniques can be switched."""
