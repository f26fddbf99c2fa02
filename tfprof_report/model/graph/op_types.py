"""How tables of op types are written."""

from __future__ import annotations


def op_types(text: str) -> tuple[str, ...]:
    """Return the op types that a text lists, with blanks or line breaks between them."""
    return tuple(text.split())
