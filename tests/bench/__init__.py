"""Measurements against stated references, each a ratio within one run: `make bench`."""
