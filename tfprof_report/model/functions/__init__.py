"""Functions and loops: calls inlined, and how often each node is executed."""
