"""Many positions at once: columns in, columns out."""
