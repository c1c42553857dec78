"""The scored search whose techniques can be switched."""
