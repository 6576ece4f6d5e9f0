"""Slow, independent references. Nothing here imports the package under test."""
