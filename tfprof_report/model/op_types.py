"""Which op types are TensorFlow's own; the list of them is made by ci/op_names.py."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_NAMES = Path(__file__).with_name("op_names.txt")


def is_own(op: str) -> bool:
    """Return whether an op type is one of TensorFlow 2.21 or 1, or internal to TensorFlow; others are custom ops."""
    return op.startswith("_") or op in _own_ops()


@cache
def _own_ops() -> frozenset[str]:
    return frozenset(_NAMES.read_text().split())
