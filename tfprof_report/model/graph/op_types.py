"""Reads op types from text, which keeps tables of them short."""

from __future__ import annotations


def op_types(text: str) -> tuple[str, ...]:
    """Return the op types in a text, where they are separated by white space."""
    return tuple(text.split())
