"""Offline reports of a TensorFlow model's FLOPs, parameters, memory and time, and of what a change did to them."""

from __future__ import annotations

__version__ = "0.1.0"
"""Version of the package, which pyproject.toml takes from here: to look it up in its metadata takes longer."""
