"""Attributes of nodes: those that shape inference reads, and digests of all."""
