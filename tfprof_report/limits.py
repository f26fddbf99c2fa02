"""The limits of number types that figures must fit. Imports nothing, so that ``--help`` is fast."""

from __future__ import annotations

INT64_LIMIT = 2**63
"""One more than the largest int64; the smallest is its negative."""

EXACT_IN_FLOAT64 = 2**53
"""Integers up to this size are exact as float64, as in JavaScript and in many readers of JSON and TOML."""
