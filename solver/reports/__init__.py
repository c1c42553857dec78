"""Left over."""
