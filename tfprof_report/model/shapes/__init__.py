"""Shapes of outputs: read, inferred, and filled from run metadata."""
