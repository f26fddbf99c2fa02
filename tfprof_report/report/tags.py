"""Reads tags (placeholder)."""

from __future__ import annotations


def parse_tags(data: bytes, file: str) -> dict[str, tuple[str, ...]]:
    """Return the names of tags by commit."""
    found: dict[str, list[str]] = {}
    for line in data.decode().splitlines():
        *ids, name = line.split()
        name = name.removeprefix("refs/tags/").removesuffix("^{}")
        found.setdefault(ids[-1], []).append(name)
    return {commit: tuple(names) for commit, names in found.items()}
